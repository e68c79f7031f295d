"""What stands out in a round: who leads, how far one machine spreads by submitter, what one system gained or lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec import Struct

from watcher.domain import Comparison, Gain, Result
from watcher.figures.attendance import vendor_of
from watcher.figures.care import Around
from watcher.figures.cells import (
    Cell,
    best,
    best_per_accelerator,
    by_cell,
    cell_order,
    cells_of,
    plain,
    ratio,
    scenario_order,
    submitter_key,
)
from watcher.figures.compare import compare_rows
from watcher.figures.flagships import Flagship, own_best, system_of
from watcher.figures.gains import SAME_SYSTEM

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

Item = TypeVar("Item")
SPREAD = 5  # submitters of one machine from which on their spread says something
FAR = 5.0  # a gain on one platform of this many times is seldom the same machine doing the same


class Leader(Struct, frozen=True, kw_only=True):
    """The largest value of a cell, and the largest per accelerator; ``each`` null where nothing divides (latencies).

    ``over``: where the two are of different accelerators, the largest row against the own row of the vendor whose
    accelerator leads per accelerator (its available flagship, as a full system), null if it has none in the cell.
    """

    cell: Cell
    largest: Result
    each: Result | None
    over: Comparison | None = None


class Spread(Struct, frozen=True, kw_only=True):
    """One accelerator at one count in one cell, by several submitters; ``ratio`` of the best row to the last."""

    cell: Cell
    low: Result
    high: Result
    rows: int
    submitters: int
    ratio: float


class GainSpan(Struct, frozen=True, kw_only=True):
    """What one system gained on one benchmark, over its scenarios: ``gains`` in the order of scenarios, never empty."""

    gains: tuple[Gain, ...]
    low: float
    high: float
    care: tuple[str, ...] = ()

    @property
    def far(self) -> bool:
        """Whether the gain is so large that the notes of both rows should be read before it is quoted."""
        return self.high >= FAR


class _Machine(NamedTuple):
    cell: Cell
    accelerator: str
    accelerator_count: int
    unit: str


def leaders(
    rows: Sequence[Result], ships: Iterable[Flagship], around: Around, catalog: Catalog
) -> tuple[Leader, ...]:
    """Return who leads each cell of the closed division; ``rows`` are of one round."""
    closed = [row for row in plain(rows) if row.division == "closed"]
    own = {ship.vendor: ship.available for ship in ships}
    found = []
    for cell, those in sorted(by_cell(closed).items(), key=lambda item: cell_order(item[0])):
        unit = max({row.unit for row in those}, key=lambda name: sum(row.unit == name for row in those))
        alike = [row for row in those if row.unit == unit]
        largest, each = best(alike), best_per_accelerator(alike)
        if largest is None:
            continue
        if each is None or each.value_per_accelerator is None:
            found.append(Leader(cell=cell, largest=largest, each=None))
        else:
            over = _over(closed, largest, each, own, around, catalog)
            found.append(Leader(cell=cell, largest=largest, each=each, over=over))
    return tuple(_stricter(found, _of_leader))


def _of_leader(one: Leader) -> tuple[Cell, object]:
    return one.cell, (one.largest.value, one.each.value_per_accelerator if one.each else None)


def _of_spread(one: Spread) -> tuple[Cell, object]:
    return one.cell, (one.high.accelerator, one.high.accelerator_count, one.low.value, one.high.value)


def _stricter(found: Sequence[Item], about: Callable[[Item], tuple[Cell, object]]) -> list[Item]:
    """Keep one of the 99 and 99.9 variants of one run, which have one value: the stricter."""
    kept: dict[object, Item] = {}
    for item in sorted(found, key=lambda one: float(about(one)[0].accuracy_target or 0), reverse=True):
        cell, values = about(item)
        kept.setdefault((cell._replace(accuracy_target=None), values), item)
    chosen = {id(item) for item in kept.values()}
    return [item for item in found if id(item) in chosen]


def _over(
    rows: Sequence[Result],
    largest: Result,
    each: Result,
    own: Mapping[str, str | None],
    around: Around,
    catalog: Catalog,
) -> Comparison | None:
    if each.accelerator is None or each.accelerator == largest.accelerator:
        return None
    vendor = vendor_of(each.accelerator, catalog)
    available = own.get(vendor)
    if available is None or available == largest.accelerator:
        return None
    baseline = own_best(rows, system_of(available, catalog), vendor, largest)
    return None if baseline is None else compare_rows(largest, baseline, around)


def spreads(rows: Iterable[Result]) -> tuple[Spread, ...]:
    """Return how far the rows of one machine spread, where at least SPREAD submitters have one; the widest first."""
    groups: defaultdict[_Machine, list[Result]] = defaultdict(list)
    for row in plain(rows):
        if row.division == "closed" and row.accelerator is not None and row.accelerator_count:
            for cell in cells_of(row):
                groups[_Machine(cell, row.accelerator, row.accelerator_count, row.unit)].append(row)
    found = []
    for machine, those in groups.items():
        submitters = {submitter_key(row) for row in those}
        high = best(those)
        low = max(those, key=lambda row: (_worse(row), row.key))
        if len(submitters) >= SPREAD and high is not None:
            found.append(
                Spread(
                    cell=machine.cell,
                    low=low,
                    high=high,
                    rows=len(those),
                    submitters=len(submitters),
                    ratio=ratio(high, low),
                )
            )
    ordered = sorted(found, key=lambda item: (-item.ratio, cell_order(item.cell)))
    return tuple(_stricter(ordered, _of_spread))


def _worse(row: Result) -> float:
    return row.value if row.better == "lower" else -row.value


def gain_spans(gains: Iterable[Gain]) -> tuple[GainSpan, ...]:
    """Put the gains of one system on one benchmark together, the highest first.

    Gains of the same system alone; the 99 and 99.9 variants of one run, which have one value, count once.
    """
    groups: defaultdict[tuple[object, ...], list[Gain]] = defaultdict(list)
    for gain in gains:
        if gain.match == SAME_SYSTEM:
            after = gain.after
            groups[submitter_key(after), after.platform, after.division, after.benchmark].append(gain)
    return tuple(sorted((_span(group) for group in groups.values()), key=_highest_first))


def _span(group: Sequence[Gain]) -> GainSpan:
    strict = sorted(group, key=lambda gain: float(gain.after.accuracy_target or 0), reverse=True)
    once: dict[tuple[object, ...], Gain] = {}
    for gain in strict:
        once.setdefault((gain.after.scenario, gain.before.value, gain.after.value), gain)
    kept = sorted(
        once.values(),
        key=lambda gain: (scenario_order(gain.after.scenario), gain.after.accuracy_target or ""),
    )
    ratios = [gain.ratio for gain in kept]
    care = tuple(dict.fromkeys(text for gain in kept for text in gain.care))
    return GainSpan(gains=tuple(kept), low=min(ratios), high=max(ratios), care=care)


def _highest_first(span: GainSpan) -> tuple[object, ...]:
    return -span.high, span.gains[0].after.key
