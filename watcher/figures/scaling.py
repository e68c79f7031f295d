"""Scaling: one accelerator by one submitter at two counts, in each scenario of one round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from watcher.domain import Result, Scaling
from watcher.figures.care import Around, care_of_pair
from watcher.figures.cells import (
    best_per_accelerator,
    declared,
    plain,
    round_order,
    scenario_order,
    submitter_key,
)
from watcher.figures.filters import EVERYTHING, Filter, reviewed
from watcher.figures.selectors import SystemSelector


class Sizes(NamedTuple):
    """Rows that differ in their count alone."""

    suite: str
    round: str
    division: str
    system_type: tuple[str, ...]
    submitter: frozenset[str]
    accelerator: str
    benchmark: str
    accuracy_target: str | None
    scenario: str | None
    unit: str


def scaling(
    results: Iterable[Result],
    filter: Filter = EVERYTHING,
    system: SystemSelector | None = None,
    *,
    around: Around | None = None,
) -> tuple[Scaling, ...]:
    """Return every pair of counts from the smallest full system up, for each submitter, accelerator and scenario.

    A count is a full system where the row carries a catalog system (72 of a GB300 NVL72); where no count of a
    submitter's accelerator does, pairs start at the smallest. Of several rows at one count the best per accelerator
    stands. Latencies do not scale and are left out, as are mixed systems and rows without a count. ``system`` narrows
    to one accelerator (and submitter, round); its count, if it has one, is the small side. ``quoted`` marks the pair
    from the smallest full system to the largest count.
    """
    rows = tuple(results)
    around = Around(rows) if around is None else around
    suites = (*filter.suite, system.suite if system is not None else None)
    chosen = [row for row in reviewed(rows, suites) if filter.matches(row) and _meant(row, system)]
    found = [
        pair
        for sizes, by_count in sorted(_sizes(chosen).items(), key=lambda item: _order(item[0]))
        for pair in _pairs(by_count, system, around)
    ]
    return tuple(found)


def efficiency(small: Result, large: Result) -> float:
    """Return (large value / large count) / (small value / small count): dimensionless, 1 is perfect, lower is worse.

    Derived by us from two official rows; MLPerf defines no scaling metric. Both rows need a value per accelerator.
    """
    less, more = small.value_per_accelerator, large.value_per_accelerator
    if less is None or more is None:
        raise ValueError(f"scaling needs throughputs with counts: {small.key} and {large.key}")
    return more / less


def accelerators_lost(efficiency: float, large_count: int) -> float:
    """Return (1 - efficiency) x large count, in accelerators: how many add nothing; negative if more than perfect."""
    return (1 - efficiency) * large_count


def _meant(row: Result, system: SystemSelector | None) -> bool:
    return system is None or (
        (system.suite is None or row.suite == system.suite)
        and SystemSelector(
            submitter=system.submitter,
            name=system.accelerator,
            accelerator=system.accelerator,
            round=system.round,
        ).matches(row)
    )


def _sizes(rows: Iterable[Result]) -> Mapping[Sizes, dict[int, Result]]:
    """For each group the best row per accelerator at each count."""
    groups: defaultdict[Sizes, defaultdict[int, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for row in plain(rows):
        if row.accelerator is None or row.accelerator_count is None or row.value_per_accelerator is None:
            continue
        sizes = Sizes(
            row.suite,
            row.round,
            row.division,
            tuple(sorted(row.system_type)),
            submitter_key(row),
            row.accelerator,
            row.benchmark,
            row.accuracy_target,
            row.scenario,
            row.unit,
        )
        groups[sizes][row.accelerator_count].append(row)
    return {
        sizes: {
            count: best_at
            for count, at in counts.items()
            if (best_at := best_per_accelerator(at)) is not None
        }
        for sizes, counts in groups.items()
    }


def _pairs(
    by_count: Mapping[int, Result], system: SystemSelector | None, around: Around
) -> Iterable[Scaling]:
    full = [count for count, row in by_count.items() if row.system is not None]
    first = min(full) if full else min(by_count)
    counts = sorted(count for count in by_count if count >= first)
    for small, large in combinations(counts, 2):
        if system is not None and system.accelerator_count not in (None, small):
            continue
        quoted = bool(full) and (small, large) == (first, counts[-1])
        yield scaling_of(by_count[small], by_count[large], around, quoted=quoted)


def scaling_of(small: Result, large: Result, around: Around, *, quoted: bool = False) -> Scaling:
    """Make the scaling of two rows of one group."""
    found = efficiency(small, large)
    care = care_of_pair(large, small, around)
    if declared(small) != declared(large):
        care = ("Different software at the two sizes", *care)
    return Scaling(
        small=small,
        large=large,
        efficiency=found,
        accelerators_lost=accelerators_lost(found, large.accelerator_count or 0),
        quoted=quoted,
        care=care,
    )


def _order(sizes: Sizes) -> tuple[object, ...]:
    newest_first = tuple(-number for number in round_order(sizes.round))
    who = (
        sizes.accelerator,
        sorted(sizes.submitter),
        sizes.suite,
        sizes.division,
        sizes.system_type,
        sizes.unit,
    )
    return (sizes.benchmark, sizes.accuracy_target or "", newest_first, scenario_order(sizes.scenario), *who)
