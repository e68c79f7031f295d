"""Power: what rows publish of it, and value per watt or energy per query. Four kinds, never mixed.

measured: at the wall by an analyser, under MLPerf's power rules; design: a nameplate figure; provisioned: a share of
a rack by specification; and the power limit of one accelerator, from the notes, which is no power of a system at all
and is never divided by. In streams MLPerf publishes energy a query instead of watts.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from watcher.domain import Power, Result
from watcher.figures.cells import round_order, scenario_order, usable
from watcher.figures.filters import EVERYTHING, Filter

KINDS = ("measured", "design", "provisioned")
LIMIT = "limit of one accelerator"

_WATTS = {"w": 1.0, "watt": 1.0, "watts": 1.0, "kw": 1000.0, "kilowatts": 1000.0, "mw": 0.001}
_ENERGY_WORDS = ("joule", "j/", "uj", "mj", "µj")


class PowerFigure(Struct, frozen=True, kw_only=True):
    """One published power figure and what it gives.

    ``value`` with ``unit`` and ``better``: throughput per watt ("tokens/s per W", higher is better) or energy a query
    as published ("millijoules", lower is better); null where the row is a latency with power in watts.
    """

    result: Result
    power: Power
    value: float | None
    unit: str | None
    better: str | None

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return self.power.kind


def power(results: Iterable[Result], filter: Filter = EVERYTHING) -> tuple[PowerFigure, ...]:
    """Return each published power figure: measured first, then by benchmark and scenario, newest round, best first."""
    figures = [power_of(row, figure) for row in results if filter.matches(row) for figure in row.power]
    return tuple(sorted(figures, key=_order))


def power_of(result: Result, figure: Power) -> PowerFigure:
    """Derive what one power figure of a row gives.

    Watts: value / watts, in the row's unit per watt, higher is better; a tokens/s per W is a token per joule. MLPerf's
    power rules publish watts for Offline, Server and Interactive. Energy: as published, lower is better (streams).
    """
    if is_energy(figure):
        return PowerFigure(result=result, power=figure, value=figure.value, unit=figure.unit, better="lower")
    watts = in_watts(figure)
    if watts is None or watts <= 0 or result.better == "lower" or not usable(result):
        return PowerFigure(result=result, power=figure, value=None, unit=None, better=None)
    unit = f"{result.unit} per W"
    return PowerFigure(result=result, power=figure, value=result.value / watts, unit=unit, better="higher")


def power_limits(results: Iterable[Result], filter: Filter = EVERYTHING) -> tuple[Result, ...]:
    """Return the rows whose notes state a power limit of one accelerator; not a measurement, see `power`."""
    rows = [row for row in results if filter.matches(row) and row.accelerator_power_limit_watts is not None]
    return tuple(sorted(rows, key=lambda row: (-(row.accelerator_power_limit_watts or 0), row.key)))


def is_energy(figure: Power) -> bool:
    """Tell whether the figure is an energy (a query's, an inference's) and not a power."""
    unit = figure.unit.casefold()
    return any(word in unit for word in _ENERGY_WORDS)


def in_watts(figure: Power) -> float | None:
    """Return the figure in watts; null for an energy or a unit that is not a power."""
    factor = _WATTS.get(figure.unit.casefold().strip())
    return None if factor is None else figure.value * factor


def _order(figure: PowerFigure) -> tuple[object, ...]:
    row = figure.result
    worse = (figure.value or 0.0) if figure.better == "lower" else -(figure.value or 0.0)
    kind = KINDS.index(figure.kind) if figure.kind in KINDS else len(KINDS)
    newest_first = tuple(-number for number in round_order(row.round))
    return kind, row.benchmark, scenario_order(row.scenario), newest_first, worse, row.key, figure.power
