"""Pairs of rows that whoever compares two systems may have picked, where their best rows do not bear a claim out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from watcher.claims.pairs import BEST_OF_ANY, CHOSEN_ROWS, PER_ACCELERATOR, Pair
from watcher.claims.told import Told
from watcher.domain import Claim, Result, Scaling
from watcher.figures.care import Around
from watcher.figures.cells import best, best_per_accelerator, plain, same_submitter, submitter_key
from watcher.figures.scaling import scaling_of
from watcher.figures.selectors import fold

_MEASURED = ("suite", "round", "division", "accelerator", "benchmark", "accuracy_target", "scenario", "unit")


class Choice(Struct, frozen=True):
    """What the text says of the rows that it may mean.

    ``own``: whose rows the subject's may be (the submitter that the text names, else the accelerator's vendor);
    ``other``: whose the baseline's are; ``told``: the figures that stand beside the claim; ``counted``: both sides
    have a count that the text gives.
    """

    own: frozenset[str]
    other: frozenset[str]
    told: Told
    counted: bool = False

    def subjects(self, rows: Sequence[Result]) -> list[Result]:
        """The rows among the subject's that are its own submitter's; all where none is."""
        return submitted_by_any(rows, self.own) or list(rows)

    def baselines(self, rows: Sequence[Result]) -> list[Result]:
        """The rows among the baseline's that are of the submitter that the text names; all where none is."""
        return submitted_by_any(rows, self.other) or list(rows)


def chosen_pairs(subjects: Sequence[Result], baselines: Sequence[Result], choice: Choice) -> list[Pair]:
    """Rows at one count that a comparison may have been made of.

    The subject's best row, or any of its own submitter's, against every row of the baseline (of the submitter that
    the text names, if any of them is); every two rows that one organisation has a part in ("virtualised, the server keeps 98 %"); over
    two rounds also every row of the subject against the baseline's best, for a maker may compare its own new row with
    the earlier round's best, whoever has submitted that.
    """
    found: list[Pair] = []
    for count in sorted({row.accelerator_count for row in subjects}, key=lambda c: -(c or 0)):
        mine = [row for row in subjects if row.accelerator_count == count]
        others = [row for row in baselines if row.accelerator_count == count]
        one, past = best(mine), best(others)
        if one is None or past is None:
            continue
        own = submitted_by_any(mine, choice.own)
        found += _pairs([one, *own], others, CHOSEN_ROWS)
        found += [pair for pair in _pairs(mine, others, CHOSEN_ROWS) if _akin(pair)]
        found += _pairs([row for row in mine if row.round != past.round], [past], CHOSEN_ROWS)
    return _ordered(found)


def told_pairs(subjects: Sequence[Result], baselines: Sequence[Result], choice: Choice) -> list[Pair]:
    """The pairs at one count whose two values both stand beside the claim, in its very quote."""
    return _ordered(pair for pair in _told(subjects, baselines, choice, CHOSEN_ROWS) if not pair.other_count)


def unlike_pairs(subjects: Sequence[Result], baselines: Sequence[Result], choice: Choice) -> list[Pair]:
    """Pairs at unlike counts: of the best rows of those that the text names; of any rows, where it gives both counts or prints both values."""
    one, other = best(choice.subjects(subjects)), best(choice.baselines(baselines))
    found = _pairs([one] if one else [], [other] if other else [], BEST_OF_ANY)
    if choice.counted:
        found += _pairs([one] if one else [], baselines, BEST_OF_ANY)
        found += [pair for pair in _pairs(subjects, baselines, BEST_OF_ANY) if _akin(pair)]
    found += _told(subjects, baselines, choice, BEST_OF_ANY)
    return _ordered(pair for pair in found if pair.other_count)


def pairs_per_accelerator(
    subjects: Sequence[Result], baselines: Sequence[Result], choice: Choice
) -> list[Pair]:
    """Each side's best row per accelerator against the other's at each count, and what the text names or prints."""
    one, other = (best_per_accelerator(rows) for rows in (subjects, baselines))
    own = [row for row in (one, best_per_accelerator(choice.subjects(subjects))) if row is not None]
    each = [
        row
        for count in sorted({row.accelerator_count or 0 for row in baselines})
        if (row := best_per_accelerator(b for b in baselines if b.accelerator_count == count)) is not None
    ]
    found = _pairs(own, [*choice.baselines(each), *([other] if other else [])], PER_ACCELERATOR)
    found += _told(subjects, baselines, choice, PER_ACCELERATOR)
    return _ordered(pair for pair in found if pair.ratio is not None)


def scalings_between(claim: Claim, rows: Sequence[Result]) -> list[Scaling]:
    """What a submitter's own scaling leaves out: its larger system against the smaller one of another.

    Of organisations that have a part in both ("AMD's eight nodes with MangoBoost against AMD's one"), or of any, where
    the text gives the larger count.
    """
    around = Around(rows)
    alike: defaultdict[tuple[object, ...], list[Result]] = defaultdict(list)
    for row in plain(rows):
        if row.accelerator_count is not None and row.value_per_accelerator is not None:
            alike[tuple(getattr(row, name) for name in _MEASURED)].append(row)
    return [
        scaling_of(small, large, around)
        for among in alike.values()
        for large in among
        for small in among
        if (small.accelerator_count or 0) < (large.accelerator_count or 0)
        and not same_submitter(large, small)
        and (claim.accelerator_count == large.accelerator_count or _akin(Pair(large, small, CHOSEN_ROWS)))
    ]


def _pairs(subjects: Iterable[Result], baselines: Sequence[Result], reading: str) -> list[Pair]:
    return [Pair(one, row, reading) for one in subjects for row in baselines if one.key != row.key]


def _told(
    subjects: Sequence[Result], baselines: Sequence[Result], choice: Choice, reading: str
) -> list[Pair]:
    """The pairs whose two values stand beside the claim."""
    mine, others = ([row for row in rows if choice.told.tells(row)] for rows in (subjects, baselines))
    return _pairs(mine, others, reading)


def _akin(pair: Pair) -> bool:
    """Whether one organisation has a part in both rows: Dell's own, and Dell's with Broadcom."""
    return not submitter_key(pair.subject).isdisjoint(submitter_key(pair.baseline))


def submitted_by_any(rows: Sequence[Result], names: Collection[str]) -> list[Result]:
    """The rows that one of these organisations has a part in."""
    folded = {fold(name) for name in names}
    return [row for row in rows if folded & (submitter_key(row) | {fold(row.submitter)})]


def _ordered(pairs: Iterable[Pair]) -> list[Pair]:
    return sorted(pairs, key=lambda pair: (-(pair.ratio or 0.0), pair.subject.key, pair.baseline.key))
