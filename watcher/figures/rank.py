"""Rank: the place of a row among comparable ones, and how far it stands from the best, the middle and the vendor.

Comparable are the rows of one round, benchmark, accuracy target, scenario, division, system type, unit, accelerator
and count of accelerators: one machine in the hands of several submitters. Rows without an accelerator or a count, and
mixed systems, have no such company and no rank. MLPerf itself publishes no ranking; place, median and gaps are ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Rank, Result, ResultKey
from watcher.figures.care import Around, care_of
from watcher.figures.cells import best, cell_order, cells_of, median, plain, ratio, submitter_key
from watcher.figures.filters import EVERYTHING, Filter, reviewed
from watcher.figures.selectors import fold, submitted_by
from watcher.figures.vendor import Machine

__all__ = ["Passed", "Rank", "passed", "ranks"]


class Passed(Struct, frozen=True, kw_only=True):
    """A row that fell behind: where it stood ``before`` and stands ``after``, and the rows that came ahead of it."""

    before: Rank
    after: Rank
    by: tuple[Result, ...]


def ranks(
    results: Iterable[Result],
    vendors: Iterable[tuple[str, str]],
    filter: Filter = EVERYTHING,
    *,
    around: Around | None = None,
) -> tuple[Rank, ...]:
    """Rank every row that ``filter`` selects, in the order of reading and then by place.

    ``vendors``: (accelerator, organisation that makes it), see `watcher.figures.vendor.vendors`. The filter's
    submitters choose whose rows are ranked, never whom they are ranked among; all its other fields narrow both.
    ``around``: the tables for the care flags, ``results`` if null.
    """
    rows = tuple(results)
    around = Around(rows) if around is None else around
    makers = {accelerator: fold(organisation) for accelerator, organisation in vendors}
    found: list[Rank] = []
    for machine, contenders in _machines(rows, filter).items():
        maker = frozenset({makers.get(machine.accelerator, "")})
        vendor = best(row for row in contenders if submitter_key(row) == maker)
        mine = [row for row in contenders if _is_asked(row, filter)]
        found += [_rank(row, machine, contenders, vendor, around) for row in mine]
    return tuple(sorted(found, key=_order))


def passed(before: Iterable[Rank], after: Iterable[Rank]) -> tuple[Passed, ...]:
    """Return the rows of which somebody got ahead: both were ranked before, or the other is new, and now it is better.

    A row that itself is new has not been passed. Both sides come from `ranks` with the same filter; a row that was
    corrected downwards is passed as well as one that was overtaken.
    """
    earlier = {_key(rank): rank for rank in before}
    found = []
    for rank in after:
        old = earlier.get(_key(rank))
        if old is None:
            continue
        known = {row.key for row in old.ahead}
        by = tuple(row for row in rank.ahead if row.key not in known)
        if by:
            found.append(Passed(before=old, after=rank, by=by))
    return tuple(found)


def _key(rank: Rank) -> tuple[ResultKey, str | None]:
    return rank.result.key, rank.system_type


def _is_asked(row: Result, where: Filter) -> bool:
    return not where.submitter or any(submitted_by(row, name) for name in where.submitter)


def _machines(rows: Iterable[Result], where: Filter) -> Mapping[Machine, Sequence[Result]]:
    anybody = replace(where, submitter=())
    groups: defaultdict[Machine, list[Result]] = defaultdict(list)
    for row in plain(reviewed(rows, where.suite)):
        if row.accelerator is None or not row.accelerator_count or not anybody.matches(row):
            continue
        for cell in cells_of(row):
            groups[Machine(cell, row.round, row.accelerator, row.accelerator_count, row.unit)].append(row)
    return {machine: sorted(contenders, key=_worst_last) for machine, contenders in groups.items()}


def _worst_last(row: Result) -> tuple[float, ResultKey]:
    return row.value if row.better == "lower" else -row.value, row.key


def _rank(
    row: Result,
    machine: Machine,
    contenders: Sequence[Result],
    vendor: Result | None,
    around: Around,
) -> Rank:
    ahead = tuple(other for other in contenders if ratio(other, row) > 1)
    middle = median(other.value for other in contenders)
    return Rank(
        result=row,
        place=len(ahead) + 1,
        of=len(contenders),
        system_type=machine.cell.system_type,
        best=contenders[0],
        median=middle,
        vendor=vendor,
        to_best=ratio(row, contenders[0]),
        to_median=middle / row.value if row.better == "lower" else row.value / middle,
        to_vendor=None if vendor is None else ratio(row, vendor),
        ahead=ahead,
        care=care_of(row, around),
    )


def _order(rank: Rank) -> tuple[object, ...]:
    row = rank.result
    cell = next(cell for cell in cells_of(row) if cell.system_type == rank.system_type)
    machine = (row.round, row.accelerator or "", row.accelerator_count or 0, row.unit)
    return (cell_order(cell), *machine, rank.place, row.key)
