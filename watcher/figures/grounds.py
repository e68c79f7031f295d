"""Rows by ground: those that stand beside each other, of one division and benchmark in one round of a suite.

Every figure stands on rows of a few grounds, and no flag looks further than its row's own. A ground that did not change
is the same value before and after, with all that was found out about it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from watcher.domain import Result, ResultKey
from watcher.figures.cells import same_submitter, usable

_Groups: TypeAlias = Mapping[tuple[Any, ...], Sequence[Result]]


class Ground(NamedTuple):
    """Where rows stand beside each other."""

    suite: str
    round: str
    division: str
    benchmark: str


class Beside:
    """The rows of one ground, indexed by what a flag looks for where one first does; ``flags``: of those that were asked for."""

    def __init__(self, rows: Iterable[Result] = ()) -> None:
        """Take the rows of a ground, in any order."""
        self.rows: Sequence[Result] = tuple(rows)
        self.flags: dict[ResultKey, tuple[Result, tuple[str, ...]]] = {}

    def like(self, result: Result) -> list[Result]:
        """Return the usable rows of the same task on the same machine, of the same unit and system types."""
        return list(filter(usable, self._by_machine.get(_like(result), ())))

    def of_value(self, result: Result) -> list[Result]:
        """Return the usable rows with the same value in the same scenario and unit."""
        return list(filter(usable, self._by_value.get(_value(result), ())))

    def of_run(self, result: Result) -> list[Result]:
        """Return the usable rows of the same submitter, platform and accuracy target, in all scenarios."""
        rows = self._by_platform.get(_platform(result), ())
        return [row for row in rows if usable(row) and same_submitter(row, result)]

    @cached_property
    def _by_machine(self) -> _Groups:
        return _grouped(self.rows, _like)

    @cached_property
    def _by_value(self) -> _Groups:
        return _grouped(self.rows, _value)

    @cached_property
    def _by_platform(self) -> _Groups:
        return _grouped(self.rows, _platform)


Grounds: TypeAlias = Mapping[Ground, Beside]
_ground = attrgetter(*Ground._fields)
_like = attrgetter("accuracy_target", "scenario", "unit", "accelerator", "accelerator_count", "system_type")
_value = attrgetter("scenario", "unit", "value")
_platform = attrgetter("platform", "accuracy_target")


def ground_of(result: Result) -> Ground:
    """Return the ground of a row."""
    return Ground._make(_ground(result))


def by_ground(results: Iterable[Result]) -> Grounds:
    """Group rows by ground."""
    return {Ground._make(place): Beside(rows) for place, rows in _grouped(results, _ground).items()}


def all_of(grounds: Grounds) -> Iterator[Result]:
    """Yield the rows of all grounds."""
    for beside in grounds.values():
        yield from beside.rows


def differing(before: Grounds, after: Grounds) -> Iterator[Result]:
    """Yield the rows that only one side holds; a row that was read anew counts as another one."""
    for ground in before.keys() | after.keys():
        if before.get(ground) is not after.get(ground):
            sides = [side[ground].rows if ground in side else () for side in (before, after)]
            both = set(map(id, sides[0])).intersection(map(id, sides[1]))
            yield from (row for rows in sides for row in rows if id(row) not in both)


def _grouped(rows: Iterable[Result], key: Callable[[Result], tuple[Any, ...]]) -> _Groups:
    groups: defaultdict[tuple[Any, ...], list[Result]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups
