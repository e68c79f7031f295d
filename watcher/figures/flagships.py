"""Flagships: each vendor's fastest accelerator of a round, against the one before it, in every benchmark and scenario.

Nobody says which accelerator is a vendor's flagship, so this is a rule, and the rows decide it (closed division, one
round; datacenter rows where the vendor has any, else all): head to head in each benchmark and scenario in which two
accelerators of a vendor both have a value per accelerator, the one that is ahead in most cells goes first. The
flagship is the one that no other of its vendor goes before; of several such the newest by the catalog, then the one
with most rows. Its predecessor is the flagship of what is left without it. A preview counts, and says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.domain import Comparison, NotComparable, Result
from watcher.figures.attendance import UNKNOWN_VENDOR, vendor_of
from watcher.figures.care import Around
from watcher.figures.cells import Cell, best_per_accelerator, cells_of, plain, same_submitter
from watcher.figures.compare import compare
from watcher.figures.filters import Filter
from watcher.figures.selectors import SystemSelector, fold, submitted_by

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

CLOSED = Filter(division=("closed",))
Speeds = Mapping[str, Mapping[Cell, float]]
"""Accelerator → the best value per accelerator in each cell."""


class Flagship(Struct, frozen=True, kw_only=True):
    """A vendor's flagship of a round and the one before it, null if the vendor has no other.

    ``available`` is the flagship among rows that are not preview; the same as ``accelerator`` where it is not preview.
    """

    vendor: str
    accelerator: str
    available: str | None
    predecessor: str | None = None


class Generation(Struct, frozen=True, kw_only=True):
    """A flagship over its predecessor.

    ``comparisons``: by one submitter at one count (``submitter``, ``count``) where both have rows, the vendor's own
    before others', the largest count of them; null where no submitter has both at one count: then each side is
    anybody's best row per accelerator. ``anyone``: the flagship's rows over anybody's best at that count, where that
    is not the submitter's own. ``others``: the flagship's rows by other submitters or at other counts.
    """

    flagship: Flagship
    submitter: str | None
    count: int | None
    comparisons: tuple[Comparison, ...]
    not_comparable: tuple[NotComparable, ...] = ()
    anyone: tuple[Comparison, ...] = ()
    others: tuple[Result, ...] = ()


def flagships(rows: Iterable[Result], catalog: Catalog) -> tuple[Flagship, ...]:
    """Return the flagship of each vendor that has rows with accelerators in the closed division, by vendor."""
    closed = [row for row in plain(rows) if row.division == "closed" and row.accelerator is not None]
    groups: defaultdict[str, list[Result]] = defaultdict(list)
    for row in closed:
        groups[vendor_of(row.accelerator or "", catalog)].append(row)
    found = []
    for vendor in sorted(groups.keys() - {UNKNOWN_VENDOR}):
        large = [row for row in groups[vendor] if "datacenter" in row.system_type]
        found.append(_flagship(vendor, large or groups[vendor], catalog))
    return tuple(found)


def generations(
    rows: Sequence[Result], ships: Iterable[Flagship], around: Around, *, suite: str, round: str
) -> tuple[Generation, ...]:
    """Compare each flagship with its predecessor, within the round, in every cell; without those that have none."""
    return tuple(
        _generation(rows, ship, around, suite, round) for ship in ships if ship.predecessor is not None
    )


def system_of(accelerator: str, catalog: Catalog) -> SystemSelector:
    """Return the selector of an accelerator's own full system (GB300 is the GB300 NVL72), else of the accelerator."""
    for name in catalog.names("system"):
        entry = catalog.entry("system", name)
        if entry.accelerator == accelerator and entry.labels_rows:
            return SystemSelector(name=name, accelerator=accelerator, accelerator_count=entry.count)
    return SystemSelector(name=accelerator, accelerator=accelerator)


# ---------------------------------------------------------------------------------------------- who goes first


def _flagship(vendor: str, rows: Sequence[Result], catalog: Catalog) -> Flagship:
    first = _first(rows, catalog)
    rest = [row for row in rows if row.accelerator != first]
    sold = [row for row in rows if row.availability != "preview"]
    return Flagship(
        vendor=vendor,
        accelerator=first,
        available=_first(sold, catalog) if sold else None,
        predecessor=_first(rest, catalog) if rest else None,
    )


def _first(rows: Sequence[Result], catalog: Catalog) -> str:
    speeds = _speeds(rows)
    counts = Counter(str(row.accelerator) for row in rows)
    unbeaten = [
        name for name in counts if not any(_goes_before(other, name, speeds) for other in counts)
    ] or list(counts)
    return min(unbeaten, key=lambda name: (-_year(name, catalog), -counts[name], name))


def _goes_before(one: str, other: str, speeds: Speeds) -> bool:
    """Whether ``one`` is ahead of ``other`` in more of their common cells than it is behind."""
    mine, theirs = speeds.get(one, {}), speeds.get(other, {})
    common = mine.keys() & theirs.keys()
    ahead = sum(mine[cell] > theirs[cell] for cell in common)
    behind = sum(mine[cell] < theirs[cell] for cell in common)
    return ahead > behind


def _speeds(rows: Iterable[Result]) -> Speeds:
    groups: defaultdict[str, defaultdict[Cell, float]] = defaultdict(lambda: defaultdict(float))
    for row in rows:
        each = row.value_per_accelerator
        if each is not None and row.accelerator is not None:
            for cell in cells_of(row):
                groups[row.accelerator][cell] = max(groups[row.accelerator][cell], each)
    return groups


def _year(accelerator: str, catalog: Catalog) -> int:
    return catalog.entry("accelerator", accelerator).year or 0


# ---------------------------------------------------------------------------------------------- one over the other


def _generation(rows: Sequence[Result], ship: Flagship, around: Around, suite: str, round: str) -> Generation:
    ours, theirs = (
        [
            row
            for row in plain(rows)
            if (row.suite, row.round, row.division, row.accelerator) == (suite, round, "closed", name)
        ]
        for name in (ship.accelerator, ship.predecessor)
    )
    submitter, count = _common(ours, theirs, ship.vendor)
    mine = SystemSelector(
        submitter=submitter,
        name=ship.accelerator,
        accelerator=ship.accelerator,
        accelerator_count=count,
        suite=suite,
        round=round,
    )
    baseline = SystemSelector(
        submitter=submitter,
        name=ship.predecessor,
        accelerator=ship.predecessor,
        accelerator_count=count,
        suite=suite,
        round=round,
    )
    found, refused = compare(rows, mine, baseline, CLOSED, around=around)
    anyone: tuple[Comparison, ...] = ()
    if submitter is not None:
        anybody = SystemSelector(
            name=ship.predecessor,
            accelerator=ship.predecessor,
            accelerator_count=count,
            suite=suite,
            round=round,
        )
        pairs, _ = compare(rows, mine, anybody, CLOSED, around=around)
        anyone = tuple(pair for pair in pairs if not same_submitter(pair.subject, pair.baseline))
    shown = {pair.subject.key for pair in (*found, *anyone)}
    others = tuple(
        sorted((row for row in ours if row.key not in shown), key=lambda row: (row.submitter, row.key))
    )
    return Generation(
        flagship=ship,
        submitter=submitter,
        count=count,
        comparisons=once(found),
        not_comparable=refused,
        anyone=once(anyone),
        others=others,
    )


def once(pairs: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Keep one of the 99 and 99.9 variants of one run, which have one value: the stricter."""
    strict = sorted(pairs, key=lambda pair: float(pair.subject.accuracy_target or 0), reverse=True)
    kept: dict[tuple[object, ...], Comparison] = {}
    for pair in strict:
        row = pair.subject
        kept.setdefault((row.benchmark, row.scenario, pair.system_type, row.value, pair.baseline.value), pair)
    return tuple(pair for pair in pairs if pair in kept.values())


def _common(ours: Iterable[Result], theirs: Iterable[Result], vendor: str) -> tuple[str | None, int | None]:
    """Return (submitter, count) at which one submitter has both: the vendor before others, then the largest count.

    Of several submitters at the largest count the one with most rows of the flagship.
    """
    mine = Counter((row.submitter, row.accelerator_count) for row in ours if row.accelerator_count)
    both = mine.keys() & {(row.submitter, row.accelerator_count) for row in theirs}
    if not both:
        return None, None
    return min(both, key=lambda at: (fold(at[0]) != fold(vendor), -(at[1] or 0), -mine[at], at[0]))


def own_best(rows: Iterable[Result], system: SystemSelector, vendor: str, like: Result) -> Result | None:
    """Return the vendor's own best row per accelerator with ``system`` in the cell of ``like``, if it is available."""
    cells = set(cells_of(like))
    found = [
        row
        for row in plain(rows)
        if row.round == like.round
        and row.availability != "preview"
        and system.matches(row)
        and submitted_by(row, vendor)
        and cells & set(cells_of(row))
    ]
    return best_per_accelerator(found)
