"""Pairs of rows under the readings that a vendor may mean, each with its figure and the arithmetic in words.

Readings: ``system`` like for like (one submitter, one count), ``same_count`` (any submitters, one count),
``best_of_any`` (each side's best row, whoever and however many), ``chosen_rows`` (some pair of rows at one
count: a vendor may have picked it), ``footnote_entries`` (the rows whose entries the text names), ``per_accelerator`` (each side's best row per accelerator, one submitter's if it
has both), ``other_round`` (the baseline's newest earlier round).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from watcher.claims.printed import bears_out, distance
from watcher.claims.standing import GAIN
from watcher.domain import Claim, Evidence, Result
from watcher.figures.cells import (
    best,
    best_per_accelerator,
    per_accelerator_ratio,
    plain,
    ratio,
    same_submitter,
    scenario_order,
    submitter_key,
)
from watcher.figures.comparability import compatibility
from watcher.figures.words import number

SYSTEM = "system"
SAME_COUNT = "same_count"
FOOTNOTE_ENTRIES = "footnote_entries"
FEW_ENTRIES = 3
"""Rows of one side, benchmark and scenario that a footnote may mean one by one."""
CHOSEN_ROWS = "chosen_rows"
BEST_OF_ANY = "best_of_any"
PER_ACCELERATOR = "per_accelerator"
OTHER_ROUND = "other_round"


class Place(NamedTuple):
    """What two rows must share to be put side by side."""

    benchmark: str
    scenario: str | None
    accuracy_target: str | None
    unit: str


class Pair(Struct, frozen=True):
    """A subject's row and a baseline's, under one reading. ``each``: by accelerator, whatever the reading."""

    subject: Result
    baseline: Result
    reading: str
    each: bool = False

    @property
    def per_accelerator(self) -> bool:
        """Whether the pair's figure is one of values divided by accelerators."""
        return self.each or self.reading == PER_ACCELERATOR

    @property
    def ratio(self) -> float | None:
        """How many times better the subject is; per accelerator where the pair is so read, null where it cannot be."""
        if self.per_accelerator:
            return per_accelerator_ratio(self.subject, self.baseline)
        return ratio(self.subject, self.baseline)

    @property
    def other_count(self) -> bool:
        """Whether the two rows ran on different numbers of accelerators."""
        return self.subject.accelerator_count != self.baseline.accelerator_count

    @property
    def changed(self) -> bool:
        """Whether the benchmark changed between the rows' rounds, so that MLCommons does not let them be compared."""
        return compatibility(self.subject, self.baseline).verdict == "changed"


def places(rows: Iterable[Result]) -> Mapping[Place, list[Result]]:
    """Rows by what they measure; mixed systems count as any other here."""
    found: defaultdict[Place, list[Result]] = defaultdict(list)
    for row in rows:
        found[Place(row.benchmark, row.scenario, row.accuracy_target, row.unit)].append(row)
    return found


def pair_of(
    reading: str, subjects: Sequence[Result], baselines: Sequence[Result], preferred: Collection[str]
) -> Pair | None:
    """The pair of one place under a reading, or null. ``preferred``: organisations whose own pair is shown first."""
    if reading == SYSTEM:
        return _like_for_like(subjects, baselines, preferred)
    if reading == SAME_COUNT:
        return _same_count(subjects, baselines)
    if reading == PER_ACCELERATOR:
        return _per_accelerator(subjects, baselines)
    one, other = best(subjects), best(baselines)
    return (
        Pair(one, other, reading) if one is not None and other is not None and one.key != other.key else None
    )


def entry_pairs(subjects: Sequence[Result], baselines: Sequence[Result], *, each: bool) -> list[Pair]:
    """Every pair of rows whose entries the text names, the highest ratio first.

    Of more than a few rows a side the best is meant: among the entries of a whole company some pair may have any ratio.
    """
    if max(len(subjects), len(baselines)) > FEW_ENTRIES:
        top = best_per_accelerator if each else best
        subjects, baselines = ([row] if (row := top(rows)) else [] for rows in (subjects, baselines))
    found = [
        Pair(one, other, FOOTNOTE_ENTRIES, each)
        for one in subjects
        for other in baselines
        if one.key != other.key
    ]
    return sorted(found, key=lambda pair: (-(pair.ratio or 0.0), pair.subject.key, pair.baseline.key))


def _like_for_like(
    subjects: Sequence[Result], baselines: Sequence[Result], preferred: Collection[str]
) -> Pair | None:
    """One submitter's best rows at one count; the preferred submitter's pair, else the one with the highest ratio."""
    found: list[Pair] = []
    for one in subjects:
        partners = [
            b
            for b in baselines
            if same_submitter(one, b) and one.accelerator_count == b.accelerator_count and one.key != b.key
        ]
        partner = best(partners)
        if partner is not None:
            found.append(Pair(one, partner, SYSTEM))
    if not found:
        return None
    own = [p for p in found if submitter_key(p.subject) & {name.casefold() for name in preferred}]
    return max(
        own or found,
        key=lambda p: (
            p.ratio or 0.0,
            p.subject.accelerator_count or 0,
            p.subject.platform,
            p.baseline.platform,
            p.subject.submitter,
        ),
    )


def _same_count(subjects: Sequence[Result], baselines: Sequence[Result]) -> Pair | None:
    counts = {row.accelerator_count for row in subjects} & {row.accelerator_count for row in baselines}
    for count in sorted(counts, key=lambda c: -(c or 0)):
        one = best(row for row in subjects if row.accelerator_count == count)
        other = best(row for row in baselines if row.accelerator_count == count)
        if one is not None and other is not None and one.key != other.key:
            return Pair(one, other, SAME_COUNT)
    return None


def _per_accelerator(subjects: Sequence[Result], baselines: Sequence[Result]) -> Pair | None:
    """The best pair per accelerator within one submitter, else the best of any submitter."""
    mine, theirs = plain(subjects), plain(baselines)
    within: list[Pair] = []
    for key in sorted({submitter_key(row) for row in mine}, key=sorted):
        one = best_per_accelerator(row for row in mine if submitter_key(row) == key)
        other = best_per_accelerator(row for row in theirs if submitter_key(row) == key)
        if one is not None and other is not None and one.key != other.key:
            within.append(Pair(one, other, PER_ACCELERATOR))
    rated = [pair for pair in within if pair.ratio is not None]
    if rated:
        return max(rated, key=lambda p: (p.ratio or 0.0, p.subject.platform))
    one, other = best_per_accelerator(mine), best_per_accelerator(theirs)
    if one is None or other is None or one.key == other.key:
        return None
    pair = Pair(one, other, PER_ACCELERATOR)
    return pair if pair.ratio is not None else None


# ---------------------------------------------------------------------------------------------- figures in words


def evidence_of(claim: Claim, pair: Pair) -> Evidence | None:
    """The evidence of a pair: its figure in the claim's terms, whether that bears it out, and how it was computed."""
    times = pair.ratio
    if times is None:
        return None
    figure, words = _figure(claim, pair, times)
    return Evidence(
        scenario=pair.subject.scenario,
        reading=pair.reading,
        figure=figure,
        holds=bears_out(claim, figure),
        arithmetic=f"{pair.subject.benchmark}: {words} ({'; '.join(_circumstances(pair))})",
        rows=(pair.subject, pair.baseline),
    )


def _figure(claim: Claim, pair: Pair, times: float) -> tuple[float, str]:
    """(figure, arithmetic). A percentage of a latency may be of the speed or of the time: the nearer one stands."""
    quotient = _quotient(pair, times)
    if claim.kind != GAIN:
        return times, quotient
    gain = (times - 1.0) * 100.0
    words = f"{quotient}, {gain:+.1f} %"
    if pair.subject.better == "lower" or claim.unit == "latency":
        saved = (1.0 - 1.0 / times) * 100.0
        if distance(claim, saved) < distance(claim, gain) or claim.unit == "latency":
            return saved, f"{quotient}, {saved:.1f} % less time"
    return gain, words


def _quotient(pair: Pair, times: float) -> str:
    one, other = pair.subject, pair.baseline
    if pair.per_accelerator:
        mine, theirs = one.value_per_accelerator or 0.0, other.value_per_accelerator or 0.0
        return (
            f"({number(one.value)} / {one.accelerator_count}) / ({number(other.value)} / {other.accelerator_count}) {one.unit}"
            f" = {number(mine)} / {number(theirs)} = {times:.2f}x per accelerator"
        )
    if one.better == "lower":
        return f"{number(other.value)} / {number(one.value)} {one.unit} = {times:.2f}x (less is better)"
    return f"{number(one.value)} / {number(other.value)} {one.unit} = {times:.2f}x"


def _circumstances(pair: Pair) -> list[str]:
    """Who, when, how many and how: what is alike once, what differs against each other."""
    one, other = pair.subject, pair.baseline
    said = [_side_by_side(one.submitter, other.submitter), _side_by_side(one.round, other.round)]
    if pair.reading == FOOTNOTE_ENTRIES:
        said.insert(0, f"entries {one.entry} and {other.entry}")
    counts = (one.accelerator_count, other.accelerator_count)
    if any(counts):
        said.append(
            f"{counts[0]} accelerators each"
            if counts[0] == counts[1]
            else f"{counts[0]} accelerators against {counts[1]}"
        )
    if one.availability != other.availability:
        said.append(f"{one.availability} against {other.availability}")
    if one.division != other.division or one.division != "closed":
        said.append(f"{_side_by_side(one.division, other.division)} division")
    found = compatibility(one, other)
    if found.reason:
        said.append(found.reason)
    return said


def _side_by_side(one: str, other: str) -> str:
    return one if one == other else f"{one} against {other}"


def cell_order(evidence: Evidence) -> tuple[object, ...]:
    """Sort evidence as people read it: by benchmark, then scenario."""
    benchmark = evidence.rows[0].benchmark if evidence.rows else ""
    return benchmark, scenario_order(evidence.scenario)
