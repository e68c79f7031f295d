"""Records: the best row of each benchmark, scenario, division and system type, absolute and per accelerator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from operator import attrgetter
from typing import NamedTuple

from watcher.domain import Record, Result
from watcher.figures.care import Around, care_of
from watcher.figures.cells import (
    Cell,
    best,
    best_per_accelerator,
    cells_of,
    round_order,
    scenario_order,
    usable,
)
from watcher.figures.comparability import compatibility
from watcher.figures.filters import EVERYTHING, Filter, reviewed

ABSOLUTE = "absolute"
PER_ACCELERATOR = "per_accelerator"
NOISE = 1e-9  # a relative difference smaller than this is the tail of a float
BASES = (ABSOLUTE, PER_ACCELERATOR)


class Contest(NamedTuple):
    """Rows that contend for one record: of one cell (edge and datacenter apart) and one unit."""

    cell: Cell
    unit: str


def records(
    results: Iterable[Result], filter: Filter = EVERYTHING, *, around: Around | None = None
) -> tuple[Record, ...]:
    """Return the record of each benchmark, scenario, division and system type, over all rounds held, of both BASES.

    Absolute: the best value (the smallest of latencies); per accelerator: the most value / accelerators, of rows with
    a count and no mix. ``before`` is the best of the rounds before the record's own, null if there is none; ``since``
    the oldest round of the suite among ``results``: what is older is not held, so a record is "best since v5.1", not
    "best ever". Rows of rounds in which MLCommons' table says that the benchmark was another do not contend. The 99
    and 99.9 variants of one run are one record, that of the stricter target.
    """
    rows = tuple(results)
    around = Around(rows) if around is None else around
    since = oldest((row.suite, row.round) for row in rows)
    found = []
    known = reviewed(rows, filter.suite)
    for contest, contenders in _contests(row for row in known if filter.matches(row)).items():
        for basis in BASES:
            top = _best(basis, contenders)
            if top is not None:
                earlier = [row for row in contenders if round_order(row.round) < round_order(top.round)]
                found.append(_record(basis, top, _best(basis, earlier), since[contest.cell.suite], around))
    return tuple(sorted(_once(found), key=_order))


def beaten(
    before: Iterable[Result],
    after: Iterable[Result],
    *,
    around: Around | None = None,
    since: Mapping[str, str] | None = None,
) -> tuple[Record, ...]:
    """Return the records of ``after`` that are better than those of ``before``; a first result beats nothing.

    ``before`` of each is the record held until then. ``around``: the tables for the care flags, ``after`` if null;
    ``since``: the oldest round held of each suite, that of ``after`` if null.
    """
    old_rows, new_rows = tuple(before), tuple(after)
    around = Around(new_rows) if around is None else around
    since = oldest((row.suite, row.round) for row in new_rows) if since is None else since
    held, now = (_groups(reviewed(rows, ())) for rows in (old_rows, new_rows))
    found = []
    for contest, rows in now.items():
        if contest not in held or rows == held[contest]:
            continue  # a first result, or nothing that changed
        contenders, then = _of_one_benchmark(rows), _of_one_benchmark(held[contest])
        for basis in BASES:
            top, old = _best(basis, contenders), _best(basis, then)
            if top is None or old is None or compatibility(top, old).verdict == "changed":
                continue
            if (
                not isclose(_value(basis, top), _value(basis, old), rel_tol=NOISE)
                and _best(basis, (old, top)) is top
            ):
                found.append(_record(basis, top, old, since[contest.cell.suite], around))
    return tuple(sorted(_once(found), key=_order))


def figure(record: Record) -> float:
    """Return the value that holds the record, in the row's unit, per accelerator where that is the basis."""
    return _value(record.basis, record.best)


def _value(basis: str, row: Result) -> float:
    return row.value if basis == ABSOLUTE else row.value_per_accelerator or 0.0


def _best(basis: str, rows: Iterable[Result]) -> Result | None:
    sound = filter(usable, rows)
    if basis == ABSOLUTE:
        return best(sound)
    return best_per_accelerator(row for row in sound if row.value_per_accelerator is not None)


def _record(basis: str, top: Result, before: Result | None, since: str, around: Around) -> Record:
    return Record(basis=basis, best=top, before=before, since=since, care=care_of(top, around))


def _contests(rows: Iterable[Result]) -> Mapping[Contest, Sequence[Result]]:
    return {contest: _of_one_benchmark(contenders) for contest, contenders in _groups(rows).items()}


_alike = attrgetter("suite", "benchmark", "accuracy_target", "scenario", "division", "unit", "system_type")
_table = attrgetter("round", "system_type")


def _groups(rows: Iterable[Result]) -> Mapping[Contest, Sequence[Result]]:
    alike: defaultdict[object, list[Result]] = defaultdict(list)  # rows of the same cells and unit
    for row in rows:
        alike[_alike(row)].append(row)
    groups: defaultdict[Contest, list[Result]] = defaultdict(list)
    for some in alike.values():
        for cell in cells_of(some[0]):
            groups[Contest(cell, some[0].unit)] += some
    return groups


def _of_one_benchmark(rows: Sequence[Result]) -> Sequence[Result]:
    """Only rows that may be compared with the newest round's, by MLCommons' compatibility table."""
    tables = {_table(row): row for row in rows}  # what the verdict hangs on, within one contest
    last = max(round_order(name) for name, _ in tables)
    newest_rounds = {name for name, _ in tables if round_order(name) == last}
    newest = max((row for row in rows if row.round in newest_rounds), key=lambda row: row.key)
    changed = {at for at, row in tables.items() if compatibility(row, newest).verdict == "changed"}
    return [row for row in rows if _table(row) not in changed] if changed else rows


def oldest(rounds: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return the oldest round of each suite, of (suite, round)s."""
    found: dict[str, str] = {}
    for suite, round_name in dict.fromkeys(rounds):
        held = found.setdefault(suite, round_name)
        if round_order(round_name) < round_order(held):
            found[suite] = round_name
    return found


def _once(found: Iterable[Record]) -> list[Record]:
    """Keep one record of a run: that of its stricter accuracy target, and of a datacenter and edge run the harder to break."""
    kept: dict[tuple[object, ...], Record] = {}
    for record in sorted(found, key=_weight, reverse=True):
        row = record.best
        run = (
            row.suite,
            row.round,
            row.division,
            row.submitter,
            row.platform,
            row.benchmark,
            row.scenario,
            row.value,
        )
        kept.setdefault((record.basis, *run), record)
    return list(kept.values())


def _weight(record: Record) -> tuple[object, ...]:
    """What counts first; whatever the order of the rows, the same record is kept."""
    strictness, before = float(record.best.accuracy_target or 0), record.before
    if before is None:
        return (strictness,)
    bar = _value(record.basis, before)
    return (strictness, bar if before.better == "higher" else -bar, before.key)


def _order(record: Record) -> tuple[object, ...]:
    row = record.best
    kind = (
        row.division,
        row.system_type,
        BASES.index(record.basis),
        row.accuracy_target or "",
        row.suite,
        row.unit,
    )
    return (row.benchmark, scenario_order(row.scenario), *kind)
