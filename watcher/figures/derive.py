"""What a transaction did to the derived figures: the figures over the rows before and after, only where rows changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import isclose
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Comparison, Gain, Record, Result, ResultKey, Scaling
from watcher.figures.care import UNSEEN, Around, care_of_pair
from watcher.figures.cells import round_order, submitter_key
from watcher.figures.compare import compare
from watcher.figures.filters import UNREVIEWED, Filter
from watcher.figures.gains import SAME_SYSTEM, gains
from watcher.figures.gains import careful as careful_gain
from watcher.figures.grounds import Grounds, differing
from watcher.figures.passing import overtaken
from watcher.figures.promises import promises
from watcher.figures.records import beaten, oldest
from watcher.figures.scaling import scaling, scaling_of
from watcher.figures.selectors import SystemSelector, fold
from watcher.figures.vendor import over_vendor
from watcher.figures.wanted import ComparisonSpec, Derived, Wanted

NOISE = 1e-9  # a relative move smaller than this is the tail of a float, not a change


def derive(
    before: Grounds, after: Grounds, touched: Collection[ResultKey], wanted: Wanted
) -> tuple[Derived, ...]:
    """Return what became computable, changed or was removed among the ``wanted`` figures.

    ``before`` and ``after``: the rows before and after a transaction, of at least the suite and benchmarks touched (for
    promises of the whole suite) and of all their rounds and scenarios; ``touched``: keys of rows added, changed, removed, restored or renamed (both
    keys). A figure changes when it moves by more than float noise; that another row of equal worth carries it, or a
    note, is no change. Comparisons without a round are derived in each touched round, so a corrected old table speaks
    too. Records: `watcher.figures.records.beaten`.
    """
    touch = _Touch.of(before, after, frozenset(touched))
    if not touch.rounds:
        return ()
    targets = {row.accuracy_target for row in differing(before, after)}
    old, new = _Side.of(before, touch, targets), _Side.of(after, touch, targets)
    if old.rounds.keys() != new.rounds.keys():  # then others are next to each other, at every target
        old, new = _Side.of(before, touch), _Side.of(after, touch)
    moved: list[Derived] = []
    for spec in sorted(wanted.comparisons, key=lambda item: item.id):
        left, right = (_comparisons(side, spec, wanted, touch) for side in (old, new))
        moved += _moves("comparison", left, right, _ratios)
    if wanted.scaling:
        left_scaling, right_scaling = (_scaling(side, touch) for side in (old, new))
        moved += _moves("scaling", left_scaling, right_scaling, _efficiency)
    if wanted.gains:
        left_gains, right_gains = (_gains(side, touch) for side in (old, new))
        moved += _moves("gain", left_gains, right_gains, _gain)
    found = [
        Derived(each.kind, _careful(each.before, old.around), _careful(each.after, new.around))
        for each in moved
    ]
    if wanted.records:
        records = beaten(old.all(), new.all(), around=new.around, since=oldest(new.rounds))
        found += [Derived("record.beaten", _held(record), record) for record in records]
    if wanted.ranks:
        passings = overtaken(old.all(), new.all(), wanted.vendors, touch.rounds, new.around)
        found += [Derived("rank.passed", earlier, later) for earlier, later in passings]
    if wanted.promises:
        suites = {suite for suite, _ in touch.rounds}
        found += _promises(_of(before, suites), _of(after, suites), wanted)
    return tuple(found)


def _careful(item: Any, around: Around) -> Any:
    """Return a figure with its care flags, which are made for those that moved alone."""
    if isinstance(item, Comparison):
        return replace(item, care=care_of_pair(item.subject, item.baseline, around))
    if isinstance(item, Scaling):
        return scaling_of(item.small, item.large, around, quoted=item.quoted)
    return careful_gain(item, around) if isinstance(item, Gain) else item


def _of(grounds: Grounds, suites: Collection[str]) -> tuple[Result, ...]:
    return tuple(row for ground, beside in grounds.items() if ground.suite in suites for row in beside.rows)


def _promises(before: Sequence[Result], after: Sequence[Result], wanted: Wanted) -> Iterator[Derived]:
    """Tell new promises, and those whose outcome is another now."""
    held = {one.preview.key: one for one in promises(before, wanted.rounds)}
    for now in promises(after, wanted.rounds):
        then = held.get(now.preview.key)
        if then is None:
            yield Derived("promise.made", None, now)
        elif then.outcome != now.outcome:
            yield Derived("promise.decided", then, now)


# ---------------------------------------------------------------------------------------------- where rows changed


Kind: TypeAlias = tuple[str, str, str]
"""Suite, division and benchmark: every figure stands on rows of one kind, over all rounds."""


class _Touch(Struct, frozen=True):
    """Where rows changed: the scenarios of a kind of ground, (suite, round), whose rows, which machines."""

    scenarios: Mapping[Kind, Collection[str | None]]
    rounds: frozenset[tuple[str, str]]
    submitters: frozenset[frozenset[str]]
    machines: frozenset[tuple[str | None, int | None]]
    accelerators: frozenset[str | None]
    platforms: frozenset[str]

    @classmethod
    def of(cls, before: Grounds, after: Grounds, keys: frozenset[ResultKey]) -> _Touch:
        tables = {(key.suite, key.round, key.division) for key in keys}
        platforms = {key.platform for key in keys}
        changed = [
            row
            for grounds in (before, after)
            for ground, beside in grounds.items()
            if ground[:3] in tables
            for row in beside.rows
            if row.platform in platforms and row.key in keys
        ]
        scenarios: defaultdict[Kind, set[str | None]] = defaultdict(set)
        for row in changed:
            scenarios[row.suite, row.division, row.benchmark].add(row.scenario)
        return cls(
            scenarios,
            frozenset((row.suite, row.round) for row in changed),
            frozenset(submitter_key(row) for row in changed),
            frozenset((row.accelerator, row.accelerator_count) for row in changed),
            frozenset(row.accelerator for row in changed),
            frozenset(fold(row.platform) for row in changed),
        )

    def stands_with(self, row: Result) -> bool:
        """Whether a figure of one submitter's platform or accelerator may stand on this row and on one that changed.

        A figure that stands on the rows of one submitter's platform or accelerator cannot move by any other's.
        """
        return submitter_key(row) in self.submitters and (
            row.accelerator in self.accelerators or fold(row.platform) in self.platforms
        )


class _Side(Struct, frozen=True):
    """The rows before or after of the touched scenarios, by (suite, round); and the tables around them for care flags."""

    rounds: Mapping[tuple[str, str], Sequence[Result]]
    around: Around

    @classmethod
    def of(cls, grounds: Grounds, touch: _Touch, targets: Collection[str | None] | None = None) -> _Side:
        """Take the rows of these accuracy ``targets`` alone if given; a round that has others is held all the same."""
        rounds: dict[tuple[str, str], list[Result]] = {}
        for ground, beside in grounds.items():
            scenarios = touch.scenarios.get((ground.suite, ground.division, ground.benchmark), ())
            rows = [row for row in beside.rows if row.scenario in scenarios] if scenarios else []
            if rows:
                held = rounds.setdefault((ground.suite, ground.round), [])
                held += rows if targets is None else (row for row in rows if row.accuracy_target in targets)
        return cls(rounds, Around.over(grounds))

    def of_rounds(self, rounds: Iterable[tuple[str, str]]) -> Iterator[Result]:
        """Yield the rows of some rounds."""
        for each in rounds:
            yield from self.rounds.get(each, ())

    def all(self) -> list[Result]:
        """Return the rows of all rounds."""
        return list(self.of_rounds(self.rounds))


# ---------------------------------------------------------------------------------------------- figures by their key


def _comparisons(
    side: _Side, spec: ComparisonSpec, wanted: Wanted, touch: _Touch
) -> Mapping[object, Comparison]:
    found: list[Comparison] = []
    if spec.baseline is None:
        where = _in_rounds(spec.filter, touch)
        now = side.of_rounds(touch.rounds)
        rows = [row for row in now if (row.accelerator, row.accelerator_count) in touch.machines]
        found += over_vendor(rows, wanted.vendors, spec.subject, where, spec=spec.id, around=UNSEEN)
    else:
        for subject, baseline in _pinned(spec.subject, spec.baseline, touch):
            both = {(str(each.suite), str(each.round)) for each in (subject, baseline)}
            pairs, _ = compare(
                side.of_rounds(both),
                subject,
                baseline,
                spec.filter,
                per=spec.per,
                spec=spec.id,
                around=UNSEEN,
            )
            found += pairs
    by_vendor = spec.baseline is None
    return {_comparison_key(item, by_vendor=by_vendor): item for item in found}


def _pinned(
    subject: SystemSelector, baseline: SystemSelector, touch: _Touch
) -> Iterator[tuple[SystemSelector, SystemSelector]]:
    """Pin both sides to suite and rounds: the rounds they name if one of them is touched, else each touched round."""
    named = {subject.suite, baseline.suite} - {None}
    for suite, touched in sorted(touch.rounds):
        if suite not in named if named else suite == UNREVIEWED:
            continue
        mine = subject.round or baseline.round or touched
        theirs = baseline.round or subject.round or touched
        if touched in {mine, theirs}:
            yield replace(subject, suite=suite, round=mine), replace(baseline, suite=suite, round=theirs)


def _scaling(side: _Side, touch: _Touch) -> Mapping[object, Scaling]:
    found = scaling(filter(touch.stands_with, side.of_rounds(touch.rounds)), around=UNSEEN)
    return {(*_row_key(item.large), item.small.accelerator_count): item for item in found}


def _gains(side: _Side, touch: _Touch) -> Mapping[object, Gain]:
    """Gains into each touched round from the one before it, and out of it into the next."""
    found: list[Gain] = []
    for suite in sorted({suite for suite, _ in touch.rounds}):
        rounds = {name for held, name in side.rounds if held == suite}
        for earlier, later in pairwise(sorted(rounds, key=round_order)):
            both = {(suite, earlier), (suite, later)}
            if both & touch.rounds:
                found += gains(filter(touch.stands_with, side.of_rounds(both)), earlier, later, around=UNSEEN)
    return {_gain_key(item): item for item in found}


def _in_rounds(where: Filter, touch: _Touch) -> Filter:
    """Narrow a filter that names rounds to those of them that are touched; none left matches nothing."""
    kept = {name for _, name in touch.rounds}.intersection(where.round)
    return replace(where, round=tuple(sorted(kept)) or ("no round",)) if where.round else where


def _comparison_key(item: Comparison, *, by_vendor: bool) -> object:
    """Of two systems there is one comparison a cell; of a vendor's row one for each other submitter and machine."""
    cell = (*_cell_key(item.subject), item.system_type, item.baseline.round)
    return (*cell, *_machine_key(item.subject)) if by_vendor else cell


def _cell_key(row: Result) -> tuple[object, ...]:
    return row.suite, row.round, row.benchmark, row.accuracy_target, row.scenario, row.division


def _machine_key(row: Result) -> tuple[object, ...]:
    return submitter_key(row), row.accelerator, row.accelerator_count


def _row_key(row: Result) -> tuple[object, ...]:
    """Name a figure by what it is about, not by the row that carries it."""
    return (*_cell_key(row), row.system_type, *_machine_key(row))


def _gain_key(item: Gain) -> object:
    system = fold(item.after.platform) if item.match == SAME_SYSTEM else item.before.accelerator_count
    return (item.match, system, item.before.round, *_row_key(item.after))


# ---------------------------------------------------------------------------------------------- what moved

F = TypeVar("F", Comparison, Scaling, Gain)


def _moves(
    kind: str,
    before: Mapping[object, F],
    after: Mapping[object, F],
    figures: Callable[[F], tuple[float | None, ...]],
) -> Iterator[Derived]:
    """Tell figures that are new, that moved and that are gone; after's order, then before's.

    A figure that goes while one of equal worth comes was renamed (its submitter, its platform): that is no news.
    """
    gone = {key: was for key, was in before.items() if key not in after}
    for key, now in after.items():
        was = before.get(key)
        if was is not None:
            if not all(map(_alike, figures(was), figures(now))):
                yield Derived(f"{kind}.changed", was, now)
            continue
        renamed = next((name for name, lost in gone.items() if _worth(lost) == _worth(now)), None)
        if renamed is None:
            yield Derived(f"{kind}.computable", None, now)
        else:
            del gone[renamed]
    for lost in gone.values():
        yield Derived(f"{kind}.removed", lost, None)


def _worth(item: Comparison | Scaling | Gain) -> tuple[object, ...]:
    rows = _rows_of(item)
    return tuple((*_cell_key(row), row.value, row.accelerator_count) for row in rows)


def _rows_of(item: Comparison | Scaling | Gain) -> tuple[Result, Result]:
    if isinstance(item, Comparison):
        return item.subject, item.baseline
    return (item.small, item.large) if isinstance(item, Scaling) else (item.before, item.after)


def _alike(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=NOISE)


def _ratios(item: Comparison) -> tuple[float | None, ...]:
    return item.ratio, item.per_accelerator_ratio


def _efficiency(item: Scaling) -> tuple[float | None, ...]:
    return (item.efficiency,)


def _gain(item: Gain) -> tuple[float | None, ...]:
    return (item.ratio,)


def _held(record: Record) -> Record | None:
    """Return the record that was held before this one."""
    if record.before is None:
        return None
    return Record(basis=record.basis, best=record.before, before=None, since=record.since)
