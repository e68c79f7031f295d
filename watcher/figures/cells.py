"""What belongs together: cells of rows that measure the same thing, the best row of several, and the order of rounds."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from watcher.domain import SCENARIOS, Result
from watcher.figures.selectors import fold, is_mixed


class Cell(NamedTuple):
    """Rows that measure the same thing; ``system_type`` is one of the row's types, null if it has none."""

    suite: str
    benchmark: str
    accuracy_target: str | None
    scenario: str | None
    division: str
    system_type: str | None


def cells_of(result: Result) -> tuple[Cell, ...]:
    """Return the cells of a row: one for each of its system types (a row may be datacenter and edge)."""
    types: tuple[str | None, ...] = result.system_type or (None,)
    return tuple(
        Cell(
            result.suite,
            result.benchmark,
            result.accuracy_target,
            result.scenario,
            result.division,
            system_type,
        )
        for system_type in types
    )


def by_cell(results: Iterable[Result]) -> Mapping[Cell, list[Result]]:
    """Group rows by cell."""
    cells: defaultdict[Cell, list[Result]] = defaultdict(list)
    for result in results:
        for cell in cells_of(result):
            cells[cell].append(result)
    return cells


def scenario_order(scenario: str | None) -> tuple[int, str]:
    """Sort scenarios as people read them: Offline, Server, Interactive, then the streams."""
    name = scenario or ""
    return SCENARIOS.index(name) if name in SCENARIOS else len(SCENARIOS), name


def cell_order(cell: Cell) -> tuple[str, str, tuple[int, str], str, str, str]:
    """Sort cells as people read them: benchmark, accuracy, scenario."""
    return (
        cell.benchmark,
        cell.accuracy_target or "",
        scenario_order(cell.scenario),
        cell.division,
        cell.system_type or "",
        cell.suite,
    )


@lru_cache(maxsize=1024)
def round_order(round: str) -> tuple[int, ...]:
    """Sort rounds by their numbers: v4.1 < v5.0 < v10.0; dated cohorts (2026-10-C1) by date and number."""
    return tuple(int(number) for number in re.findall(r"\d+", round))


def newest(rounds: Iterable[str]) -> str | None:
    """Return the newest of some rounds, null of none."""
    return max(rounds, key=lambda name: (round_order(name), name), default=None)


def usable(result: Result) -> bool:
    """Tell whether a ratio can stand on the row: a published value of zero or less, or NaN, is no measurement."""
    return 0 < result.value < math.inf


def best(rows: Iterable[Result]) -> Result | None:
    """Return the best row by value: the largest, of latencies and times the smallest; ties go to the platform's name."""
    return _first([(row.value if row.better == "lower" else -row.value, row) for row in rows])


def best_per_accelerator(rows: Iterable[Result]) -> Result | None:
    """Return the row with the most per accelerator; where no row has a value per accelerator, the best row.

    Rows without a count (and latencies, which do not divide) only stand in where no other row can be taken.
    """
    rows = list(rows)
    counted = [(-value, row) for row in rows if (value := row.value_per_accelerator) is not None]
    return _first(counted) if counted else best(rows)


def _first(rows: Sequence[tuple[float, Result]]) -> Result | None:
    """Return the row with the least of the numbers beside them; ties go to the platform's name."""
    least = min((number for number, _ in rows), default=None)
    return min((row for number, row in rows if number == least), key=_tie, default=None)


_tie = attrgetter("platform", "submitter", "round", "benchmark_published")


def ratio(subject: Result, baseline: Result) -> float:
    """Return how many times better the subject is than the baseline: dimensionless, over 1 means better.

    Higher is better: subject value / baseline value. Lower is better (latency, minutes): baseline value / subject
    value, since the MLPerf rules define Single- and MultiStream as latencies and training as time to train.
    Both rows must be `usable` and have one unit.
    """
    if subject.better == "lower":
        return baseline.value / subject.value
    return subject.value / baseline.value


def median(values: Iterable[float]) -> float:
    """Return the middle of some values, of an even number of them what lies halfway between the two in the middle."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def per_accelerator_ratio(subject: Result, baseline: Result) -> float | None:
    """Return the ratio of (value / accelerators): dimensionless, over 1 means better; null for latencies and null counts.

    Derived by us: MLPerf's messaging guidelines say that a figure per chip is not an official MLPerf metric.
    """
    mine, theirs = subject.value_per_accelerator, baseline.value_per_accelerator
    return mine / theirs if mine is not None and theirs else None


def submitter_key(result: Result) -> frozenset[str]:
    """Fold a submitter: the set of its organisations, so spelling and the order of partners do not count."""
    return _folded(result.organisations or (result.submitter,))


@lru_cache(maxsize=8192)
def _folded(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(fold, names))


def same_submitter(one: Result, other: Result) -> bool:
    """Tell whether two rows have the same submitter, whatever the spelling."""
    return submitter_key(one) == submitter_key(other)


def declared(result: Result) -> str:
    """Return the software as declared, folded; catalog names where the declaration is not held."""
    text = result.software_published or ", ".join(sorted(result.software))
    return " ".join(text.casefold().replace(",", " ").split())


def plain(results: Iterable[Result]) -> list[Result]:
    """Return the rows that a figure per accelerator can stand on: usable and not mixed."""
    return [result for result in results if usable(result) and not is_mixed(result)]
