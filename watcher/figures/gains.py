"""Gain: one system over two rounds (same_system), and one accelerator at another count (per_accelerator), apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from watcher.domain import Gain, Result
from watcher.figures.care import Around, care_of_pair
from watcher.figures.cells import (
    best,
    best_per_accelerator,
    declared,
    per_accelerator_ratio,
    plain,
    ratio,
    scenario_order,
    submitter_key,
    usable,
)
from watcher.figures.comparability import compatibility
from watcher.figures.filters import EVERYTHING, Filter, reviewed
from watcher.figures.selectors import fold

SAME_SYSTEM = "same_system"
PER_ACCELERATOR = "per_accelerator"
BY = ("submitter", "accelerator", "benchmark")


class Subject(NamedTuple):
    """What stays the same over two rounds; ``system`` is a platform, or an accelerator."""

    suite: str
    division: str
    system_type: tuple[str, ...]
    submitter: frozenset[str]
    system: str
    benchmark: str
    accuracy_target: str | None
    scenario: str | None
    unit: str


def gains(
    results: Iterable[Result],
    before: str,
    after: str,
    filter: Filter = EVERYTHING,
    *,
    around: Around | None = None,
) -> tuple[Gain, ...]:
    """Return the gains from round ``before`` to round ``after``, same_system first, highest ratio first.

    same_system: one submitter (its organisations, so spelling and order do not count), platform, division, benchmark,
    accuracy target and scenario. per_accelerator: one submitter and accelerator; each round's best row per
    accelerator at each count, paired where the counts differ. A benchmark that changed between the rounds by
    MLCommons' compatibility table gives no gain; where the table is silent, the gain says so in ``care``. Suites are
    never mixed. Latencies gain as same_system alone.
    """
    rows = tuple(results)
    around = Around(rows) if around is None else around
    where = filter.without_round()
    known = reviewed(rows, where.suite)
    held = [row for row in known if row.round in (before, after) and usable(row) and where.matches(row)]
    old = [row for row in held if row.round == before]
    new = [row for row in held if row.round == after]
    found = [*_same_system(old, new, around), *_per_accelerator(old, new, around)]
    return tuple(sorted(found, key=_order))


def highest(gains: Iterable[Gain], by: str) -> Mapping[str, Gain]:
    """Return the highest gain of each submitter, accelerator or benchmark (``by``), the highest first.

    The two matches are different figures: hand in gains of one match. A mixed or CPU-only row has no accelerator.
    """
    if by not in BY:
        raise ValueError(f"{by!r}: highest gains are told by {', '.join(BY)}")
    best_of: dict[str, Gain] = {}
    for gain in sorted(gains, key=_order):
        name = getattr(gain.after, by)
        if name is not None:
            best_of.setdefault(str(name), gain)
    return best_of


def careful(gain: Gain, around: Around) -> Gain:
    """Return the gain with its care flags."""
    return replace(gain, care=_care(gain.match, gain.before, gain.after, around))


def gain_ratio(match: str, before: Result, after: Result) -> float | None:
    """Return how many times better the later round is: dimensionless, over 1 means better, also for latencies.

    same_system: the ratio of the two rows. per_accelerator: the ratio of value / accelerators, null without counts
    and for latencies; derived by us, MLPerf's messaging guidelines do not count a figure per chip as a metric.
    """
    return ratio(after, before) if match == SAME_SYSTEM else per_accelerator_ratio(after, before)


def _same_system(old: list[Result], new: list[Result], around: Around) -> Iterable[Gain]:
    earlier, later = _by_platform(old), _by_platform(new)
    for key in earlier.keys() & later.keys():
        before, after = best(earlier[key]), best(later[key])
        if before is not None and after is not None:
            yield from _gain(SAME_SYSTEM, before, after, around)


def _by_platform(rows: list[Result]) -> Mapping[Subject, list[Result]]:
    groups: defaultdict[Subject, list[Result]] = defaultdict(list)
    for row in rows:
        groups[_subject(row, fold(row.platform))].append(row)
    return groups


def _per_accelerator(old: list[Result], new: list[Result], around: Around) -> Iterable[Gain]:
    earlier, later = _by_count(old), _by_count(new)
    for key in earlier.keys() & later.keys():
        for before_count, at_before in earlier[key].items():
            for after_count, at_after in later[key].items():
                before, after = best_per_accelerator(at_before), best_per_accelerator(at_after)
                if before_count != after_count and before is not None and after is not None:
                    yield from _gain(PER_ACCELERATOR, before, after, around)


def _by_count(rows: list[Result]) -> Mapping[Subject, Mapping[int, list[Result]]]:
    groups: defaultdict[Subject, defaultdict[int, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for row in plain(rows):
        if row.accelerator is not None and row.accelerator_count and row.value_per_accelerator is not None:
            groups[_subject(row, row.accelerator)][row.accelerator_count].append(row)
    return groups


def _subject(row: Result, system: str) -> Subject:
    return Subject(
        row.suite,
        row.division,
        tuple(sorted(row.system_type)),
        submitter_key(row),
        system,
        row.benchmark,
        row.accuracy_target,
        row.scenario,
        row.unit,
    )


def _gain(match: str, before: Result, after: Result, around: Around) -> Iterable[Gain]:
    figure = gain_ratio(match, before, after)
    if figure is None or compatibility(before, after).verdict == "changed":
        return
    care = _care(match, before, after, around)
    yield Gain(match=match, before=before, after=after, ratio=figure, care=care)


def _care(match: str, before: Result, after: Result, around: Around) -> tuple[str, ...]:
    care = care_of_pair(after, before, around)
    if match == SAME_SYSTEM and before.accelerator_count != after.accelerator_count:
        care = (_counts(before, after), *care)
    if declared(before) != declared(after):
        care = ("Different software in the two rounds", *care)
    return care


def _counts(before: Result, after: Result) -> str:
    return (
        f"The platform counts {after.accelerator_count} accelerators after {before.accelerator_count} before"
    )


def _order(gain: Gain) -> tuple[object, ...]:
    after = gain.after
    return (
        gain.match != SAME_SYSTEM,
        -gain.ratio,
        after.benchmark,
        scenario_order(after.scenario),
        after.accuracy_target or "",
        after.submitter,
        after.platform,
        gain.before.platform,
        after.suite,
        after.division,
        after.benchmark_published,
    )
