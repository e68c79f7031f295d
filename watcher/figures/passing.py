"""Passing: who got ahead of a submitter at one machine, in the same round or since the one before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from watcher.domain import Rank, Result
from watcher.figures.care import Around
from watcher.figures.cells import Cell, cells_of, round_order, submitter_key
from watcher.figures.rank import ranks


class Contest(NamedTuple):
    """A submitter at one machine in one cell, over all rounds."""

    submitter: frozenset[str]
    cell: Cell
    accelerator: str | None
    accelerator_count: int | None
    unit: str


def overtaken(
    before: Sequence[Result],
    after: Sequence[Result],
    vendors: Iterable[tuple[str, str]],
    touched: Collection[tuple[str, str]],
    around: Around,
) -> tuple[tuple[Rank, Rank], ...]:
    """Return (then, now) of each submitter's best row that somebody got ahead of, in the (suite, round)s ``touched``.

    Then is its place before the change in the same round, else in the newest earlier round in which it had one at the
    same machine. Got ahead: another submitter whose best row is better now and was not then; ``now.ahead`` are those
    rows alone. A submitter that is new at a machine has not been passed.
    """
    makers = tuple(vendors)
    found: list[tuple[Rank, Rank]] = []
    for suite, round_name in sorted(touched, key=lambda at: (at[0], round_order(at[1]))):
        now = _standings(
            (row for row in after if (row.suite, row.round) == (suite, round_name)), makers, around
        )
        then = _earlier(before, after, suite, round_name, makers, around)
        found += _passed(then, now)
    return tuple(found)


def _passed(then: Mapping[Contest, Rank], now: Mapping[Contest, Rank]) -> Iterator[tuple[Rank, Rank]]:
    for contest, rank in now.items():
        old = then.get(contest)
        if old is None:
            continue
        known = {submitter_key(row) for row in old.ahead} | {contest.submitter}
        by: dict[frozenset[str], Result] = {}
        for row in rank.ahead:  # the best first
            if submitter_key(row) not in known:
                by.setdefault(submitter_key(row), row)
        if by:
            yield replace(old, ahead=()), replace(rank, ahead=tuple(by.values()))


def _earlier(
    before: Sequence[Result],
    after: Sequence[Result],
    suite: str,
    round_name: str,
    vendors: Iterable[tuple[str, str]],
    around: Around,
) -> Mapping[Contest, Rank]:
    """Where everybody stood: in this round before the change, else in the newest earlier round."""
    limit = round_order(round_name)
    rounds: defaultdict[str, list[Result]] = defaultdict(list)
    for row in after:
        if row.suite == suite and round_order(row.round) < limit:
            rounds[row.round].append(row)
    same = [row for row in before if (row.suite, row.round) == (suite, round_name)]
    stood: dict[Contest, Rank] = {}
    for rows in (*(rounds[name] for name in sorted(rounds, key=round_order)), same):
        stood |= _standings(rows, vendors, around)
    return stood


def _standings(
    rows: Iterable[Result], vendors: Iterable[tuple[str, str]], around: Around
) -> dict[Contest, Rank]:
    """Return the best place of each submitter at each machine."""
    found: dict[Contest, Rank] = {}
    for rank in ranks(rows, vendors, around=around):
        row = rank.result
        cell = next(cell for cell in cells_of(row) if cell.system_type == rank.system_type)
        contest = Contest(submitter_key(row), cell, row.accelerator, row.accelerator_count, row.unit)
        held = found.get(contest)
        if held is None or rank.place < held.place:
            found[contest] = rank
    return found
