"""Cost: what a million tokens cost by somebody's own prices, tokens per joule, and the break-even without prices.

MLPerf publishes no prices; every input here is the reader's, and each may be a range. All figures grow or fall with
each input alone, so a range of inputs gives the exact range of the figure. With value in units a second:

- cost an hour = price / (lifetime_years x 8766 h) + watts / 1000 x PUE x tariff; or a rent, which has power in it.
- cost per million units = cost an hour / (value x 3600 x utilisation) x 1e6, in the currency.
- units per joule = value x utilisation / (watts x PUE).

Utilisation is the share of all hours, over the lifetime, in which the system does what the row measured. Its power is
counted for all hours, busy or not, so energy is rather over- than understated. Watts are of one named kind (measured,
design, provisioned or own estimate) and of the whole system; a row's own figure serves if its kind is asked for. The
limit of one accelerator is a setting and never a power: `per_limit_watt` divides by it only when asked, as an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from msgspec import Struct

from watcher.domain import Comparison, NotComparable, Result
from watcher.errors import UsageError
from watcher.figures.care import Around, care_of
from watcher.figures.cells import best_per_accelerator, by_cell, cell_order, newest, plain
from watcher.figures.compare import compare
from watcher.figures.filters import EVERYTHING, Filter, reviewed
from watcher.figures.power import KINDS, in_watts
from watcher.figures.selectors import SystemSelector, parse_system

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

HOURS_A_YEAR = 8766.0  # 365.25 days
OWN_ESTIMATE = "own estimate"
POWER_KINDS = (*KINDS, OWN_ESTIMATE)
COUNTED = ("tokens", "queries", "samples", "tasks", "inferences")
LIMIT_NOTE = (
    "own estimate: by the stated power limit of one accelerator, which is a setting and no system's power"
)


class Range(NamedTuple):
    """From ``low`` to ``high``; equal for a plain number."""

    low: float
    high: float


class Amount(NamedTuple):
    """A range of one system, or of one ``per`` "accelerator"."""

    range: Range
    per: str = "system"

    def of(self, result: Result) -> Range | None:
        """The amount of the whole system that ``result`` ran on; null if it needs a count that the row has not."""
        if self.per == "system":
            return self.range
        count = result.accelerator_count
        return Range(self.range.low * count, self.range.high * count) if count else None


class Prices(Struct, frozen=True, kw_only=True):
    """What somebody assumes of one system.

    ``price`` to buy, or ``rent`` an hour with power in it, in ``currency``; ``lifetime_years``; ``utilisation`` over 0
    up to 1; ``watts`` with their ``power_kind``, of POWER_KINDS (no watts: the row's own figure of that kind);
    ``pue`` at least 1; ``tariff`` in the currency a kWh.
    """

    system: SystemSelector
    currency: str
    utilisation: Range
    price: Amount | None = None
    rent: Amount | None = None
    lifetime_years: Range | None = None
    watts: Amount | None = None
    power_kind: str | None = None
    pue: Range | None = None
    tariff: Range | None = None


class Cost(Struct, frozen=True, kw_only=True):
    """What one row comes to under one set of assumptions.

    ``per_million``: currency per million of ``counted`` ("tokens"); ``per_joule``: ``counted`` per joule; ``watts`` of
    the whole system, of ``power_kind``. Null figures say why in ``missing``.
    """

    result: Result
    prices: Prices
    counted: str
    per_million: Range | None
    per_joule: Range | None
    watts: Range | None
    power_kind: str | None
    missing: tuple[str, ...] = ()
    care: tuple[str, ...] = ()


class BreakEven(Struct, frozen=True, kw_only=True):
    """How many baseline systems one subject system is worth: the price at which both cost the same per unit.

    ``systems`` is the ratio of the two rows; ``accelerators`` the same per accelerator, null without counts.
    """

    comparison: Comparison
    systems: float
    accelerators: float | None


class LimitRatio(Struct, frozen=True, kw_only=True):
    """Subject over baseline in value / (count x stated limit of one accelerator); ``note`` says what that is not."""

    comparison: Comparison
    ratio: float
    note: str = LIMIT_NOTE


# ---------------------------------------------------------------------------------------------- figures


def costs(
    results: Iterable[Result],
    prices: Iterable[Prices],
    filter: Filter = EVERYTHING,
    *,
    around: Around | None = None,
) -> tuple[Cost, ...]:
    """Return the cost of each priced system in each cell: its best row per accelerator, of its newest round held.

    One cost a (prices, benchmark, accuracy target, scenario, division, system type). Latencies and times are no
    throughput and have none. ``around``: the tables for the care flags, ``results`` if null.
    """
    rows = tuple(results)
    around = Around(rows) if around is None else around
    found = []
    for assumed in prices:
        for cell, row in _chosen(rows, assumed.system, filter):
            found.append((cell_order(cell), str(assumed.system), _cost(row, assumed, around)))
    return tuple(
        cost for _, _, cost in sorted(found, key=lambda item: (item[0], item[1], item[2].result.key))
    )


def _chosen(rows: Sequence[Result], system: SystemSelector, where: Filter) -> Iterator[tuple[Any, Result]]:
    where = where.without_round() if system.round is not None else where
    meant = [
        row
        for row in plain(reviewed(rows, (*where.suite, system.suite)))
        if system.matches(row) and where.matches(row) and _counted(row) is not None
    ]
    for suite in sorted({row.suite for row in meant}):
        last = newest(row.round for row in meant if row.suite == suite)
        cells = by_cell(row for row in meant if (row.suite, row.round) == (suite, last))
        for cell, contenders in cells.items():
            row = best_per_accelerator(contenders)
            if row is not None:
                yield cell, row


def _counted(result: Result) -> str | None:
    """What the row counts a second, such as "tokens"; null if it is a latency, a time or a bandwidth."""
    name, slash, per = result.unit.partition("/")
    return name if slash and per == "s" and name in COUNTED and result.better == "higher" else None


def _cost(row: Result, assumed: Prices, around: Around) -> Cost:
    missing: list[str] = []
    watts = _watts(row, assumed, missing)
    hour = _hour(row, assumed, watts, missing)
    busy = Range(row.value * assumed.utilisation.low, row.value * assumed.utilisation.high)
    pue = assumed.pue or Range(1.0, 1.0)
    return Cost(
        result=row,
        prices=assumed,
        counted=_counted(row) or row.unit,
        per_million=None
        if hour is None
        else Range(hour.low / (busy.high * 3600) * 1e6, hour.high / (busy.low * 3600) * 1e6),
        per_joule=None
        if watts is None
        else Range(busy.low / (watts.high * pue.high), busy.high / (watts.low * pue.low)),
        watts=watts,
        power_kind=None if watts is None else assumed.power_kind,
        missing=tuple(missing),
        care=care_of(row, around),
    )


def _watts(row: Result, assumed: Prices, missing: list[str]) -> Range | None:
    if assumed.watts is not None:
        found = assumed.watts.of(row)
        if found is None:
            missing.append("The row states no count of accelerators: no power")
        return found
    if assumed.power_kind is None:
        missing.append("No power is given")
        return None
    published = [
        watts for power in row.power if power.kind == assumed.power_kind and (watts := in_watts(power))
    ]
    if not published:
        missing.append(f"The row publishes no {assumed.power_kind} power in watts")
        return None
    return Range(min(published), max(published))


def _hour(row: Result, assumed: Prices, watts: Range | None, missing: list[str]) -> Range | None:
    """Currency an hour of the whole system; without known watts energy is left out, and said so."""
    amount = assumed.rent or assumed.price
    if amount is None:
        missing.append("No price is given")
        return None
    whole = amount.of(row)
    if whole is None:
        missing.append("The row states no count of accelerators: no price")
        return None
    if assumed.rent is not None:
        return whole
    years, tariff, pue = assumed.lifetime_years, assumed.tariff, assumed.pue
    if years is None:
        missing.append("No lifetime is given")
        return None
    capital = Range(whole.low / (years.high * HOURS_A_YEAR), whole.high / (years.low * HOURS_A_YEAR))
    if watts is None or tariff is None or pue is None:
        missing.append("Energy is not in the cost")
        return capital
    return Range(
        capital.low + watts.low / 1000 * pue.low * tariff.low,
        capital.high + watts.high / 1000 * pue.high * tariff.high,
    )


def break_even(
    results: Iterable[Result], subject: SystemSelector, baseline: SystemSelector, filter: Filter = EVERYTHING
) -> tuple[tuple[BreakEven, ...], tuple[NotComparable, ...]]:
    """Return how many baseline systems a subject is worth in each cell, and where that cannot be said.

    Rows are chosen as in `watcher.figures.compare.compare`: their counts of accelerators are part of the answer.
    Latencies and times to train do not add up over systems and are set aside.
    """
    comparisons, refused = compare(results, subject, baseline, filter)
    found = [
        BreakEven(
            comparison=comparison, systems=comparison.ratio, accelerators=comparison.per_accelerator_ratio
        )
        for comparison in comparisons
        if comparison.subject.better == "higher"
    ]
    latencies = [
        NotComparable(
            benchmark=comparison.subject.benchmark,
            scenario=comparison.subject.scenario,
            reason="a latency or a time: several systems do not add up to a shorter one",
            accuracy_target=comparison.subject.accuracy_target,
            division=comparison.subject.division,
            system_type=comparison.system_type,
        )
        for comparison in comparisons
        if comparison.subject.better == "lower"
    ]
    return tuple(found), (*refused, *latencies)


def per_limit_watt(comparison: Comparison) -> LimitRatio | None:
    """Return the ratio per watt of the stated limits, an own estimate; null for latencies or a row without limit or count."""
    sides = [_per_limit(row) for row in (comparison.subject, comparison.baseline)]
    mine, theirs = sides
    return None if mine is None or theirs is None else LimitRatio(comparison=comparison, ratio=mine / theirs)


def _per_limit(row: Result) -> float | None:
    limit, each = row.accelerator_power_limit_watts, row.value_per_accelerator
    return each / limit if limit and each else None


# ---------------------------------------------------------------------------------------------- somebody's own file

_AMOUNTS = {
    "price": ("price", "system"),
    "price_per_accelerator": ("price", "accelerator"),
    "rent_per_hour": ("rent", "system"),
    "rent_per_accelerator_hour": ("rent", "accelerator"),
    "power_watts": ("watts", "system"),
    "power_watts_per_accelerator": ("watts", "accelerator"),
}
_SHARED = ("currency", "lifetime_years", "utilisation", "power_kind", "pue", "tariff")
_LARGEST = 1e15  # of any currency or watts; what is larger is a slip
_BOUNDS = {"utilisation": (0.0, 1.0), "pue": (1.0, 10.0), "lifetime_years": (0.0, 100.0)}


def read_prices(
    document: Mapping[str, Any], catalog: Catalog, held: Iterable[Result] = ()
) -> tuple[Prices, ...]:
    """Read a file of prices: ``systems``, a list of tables, and keys that hold for all of them unless one says otherwise.

    Keys: ``system`` (as in every command), one of ``price``, ``price_per_accelerator``, ``rent_per_hour``,
    ``rent_per_accelerator_hour``; ``power_watts`` or ``power_watts_per_accelerator`` with ``power_kind``; ``currency``,
    ``lifetime_years``, ``utilisation``, ``pue``, ``tariff``. Every number may be ``[low, high]``. Raises UsageError
    that names the system and key and how to write it.
    """
    rows = tuple(held)
    systems = document.get("systems")
    if not isinstance(systems, list) or not systems or not all(isinstance(entry, dict) for entry in systems):
        raise UsageError(
            "prices: systems must be a list of tables, each with a system and its price or power"
        )
    shared = {key: value for key, value in document.items() if key != "systems"}
    _refuse_unknown(shared, _SHARED, "prices")
    return tuple(_prices({**shared, **entry}, catalog, rows) for entry in systems)


def _prices(entry: Mapping[str, Any], catalog: Catalog, held: Sequence[Result]) -> Prices:
    name = entry.get("system")
    if not isinstance(name, str):
        raise UsageError("prices: each of systems needs system, written as NVIDIA/gb300-nvl72@v6.1")
    where = f"prices of {name}"
    _refuse_unknown(entry, ("system", *_SHARED, *_AMOUNTS), where)
    amounts: dict[str, Amount] = {}
    for key, (field, per) in _AMOUNTS.items():
        if key in entry:
            if field in amounts:
                raise UsageError(f"{where}: {key} is a second {field}; give one")
            amounts[field] = Amount(_range(entry, key, where), per)
    kind, currency = entry.get("power_kind"), entry.get("currency", "")
    if kind not in (None, *POWER_KINDS):
        raise UsageError(f"{where}: power_kind must be one of {', '.join(POWER_KINDS)}, not {kind!r}")
    found = Prices(
        system=parse_system(name, catalog, held=held),
        currency=str(currency),
        utilisation=_range(entry, "utilisation", where),
        lifetime_years=_optional(entry, "lifetime_years", where),
        power_kind=kind,
        pue=_optional(entry, "pue", where),
        tariff=_optional(entry, "tariff", where),
        price=amounts.get("price"),
        rent=amounts.get("rent"),
        watts=amounts.get("watts"),
    )
    _check(found, where)
    return found


def _check(found: Prices, where: str) -> None:
    if found.price is not None and found.rent is not None:
        raise UsageError(f"{where}: give a price or a rent, not both")
    if found.price is None and found.rent is None and found.power_kind is None:
        raise UsageError(f"{where}: give a price, a rent or a power, else there is nothing to reckon with")
    if (found.price or found.rent) is not None and not found.currency:
        raise UsageError(f"{where}: currency is missing; write it as USD")
    if found.price is not None and found.lifetime_years is None:
        raise UsageError(f"{where}: a price needs lifetime_years, such as [3, 5]")
    if found.watts is not None and found.power_kind is None:
        raise UsageError(f"{where}: watts need power_kind, one of {', '.join(POWER_KINDS)}")
    if found.watts is None and found.power_kind == OWN_ESTIMATE:
        raise UsageError(
            f"{where}: an own estimate of power needs power_watts or power_watts_per_accelerator"
        )
    if found.price is not None and found.power_kind is not None and None in (found.pue, found.tariff):
        raise UsageError(
            f"{where}: power costs something: give pue, such as 1.2, and tariff, in {found.currency} a kWh"
        )


def _refuse_unknown(entry: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for key in entry:
        if key not in known:
            raise UsageError(f"{where}: {key} is not known; use {', '.join(known)}")


def _optional(entry: Mapping[str, Any], key: str, where: str) -> Range | None:
    return _range(entry, key, where) if key in entry else None


def _range(entry: Mapping[str, Any], key: str, where: str) -> Range:
    """A number or ``[low, high]``: over 0 (a tariff may be 0), within the key's bounds."""
    value = entry.get(key)
    both = value if isinstance(value, list) and len(value) == 2 else [value, value]
    least, most = _BOUNDS.get(key, (0.0, float("inf")))
    numbers = [float(side) for side in both if _is_number(side)]
    if len(numbers) != 2 or not _within(numbers, least, most, key):
        span = f"over {least:g}" if most == float("inf") else f"from {least:g} to {most:g}"
        raise UsageError(f"{where}: {key} must be a number {span}, or [low, high], not {value!r}")
    return Range(*numbers)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST


def _within(numbers: Sequence[float], least: float, most: float, key: str) -> bool:
    low, high = numbers
    lowest = low >= least if key in {"pue", "tariff"} else low > least
    return lowest and low <= high <= most
