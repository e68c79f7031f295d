"""Small tables for messages: scaling, gains and records; four columns at most, as in `watcher.render.compact`."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain import Gain, Grid, Record, Result, Scaling
from watcher.figures.cells import scenario_order
from watcher.figures.gains import SAME_SYSTEM
from watcher.render import words
from watcher.render.compact import Column, figures, grouped, scale, table


def scaling_grids(scalings: Sequence[Scaling]) -> tuple[Grid, ...]:
    """Return one table a system and benchmark: scenario, counts, efficiency, accelerators lost; the lowest is strong."""
    if not scalings:
        return ()
    lowest = min(item.efficiency for item in scalings)
    grids = []
    for group in grouped(scalings, lambda item: _whose(item.large, words.accelerator(item.large))).items():
        whose, items = group
        ordered = sorted(
            items,
            key=lambda i: (scenario_order(i.large.scenario), i.small.accelerator_count or 0, i.large.key),
        )
        columns = [
            Column("Scenario", [item.large.scenario or words.NONE for item in ordered]),
            Column(
                "from, to", [f"{i.small.accelerator_count} → {i.large.accelerator_count}" for i in ordered]
            ),
            Column("efficiency", [words.percent(item.efficiency, 1) for item in ordered], numeric=True),
            Column("lost", [f"{item.accelerators_lost:.1f}" for item in ordered], numeric=True),
        ]
        strong = [(i, 2) for i, item in enumerate(ordered) if item.efficiency == lowest]
        grids.append(table(whose, columns, strong))
    return tuple(grids)


def gain_grids(gains: Sequence[Gain]) -> tuple[Grid, ...]:
    """Return one table a system and benchmark: scenario, before, after, gain; the largest gain of all is strong."""
    if not gains:
        return ()
    top = max(gain.ratio for gain in gains)
    grids = []
    for (whose, match, unit), items in grouped(
        gains, lambda gain: (_whose(gain.after, words.system(gain.after)), gain.match, gain.after.unit)
    ).items():
        ordered = sorted(items, key=lambda gain: (scenario_order(gain.after.scenario), gain.after.key))
        values = [_of(gain, row) for gain in ordered for row in (gain.before, gain.after)]
        divisor, shown_unit = scale(values, unit)
        shown = figures(values, divisor)
        columns = [
            Column("Scenario", [gain.after.scenario or words.NONE for gain in ordered]),
            Column(ordered[0].before.round, shown[::2], numeric=True),
            Column(ordered[0].after.round, shown[1::2], numeric=True),
            Column("gain", [words.ratio(gain.ratio) for gain in ordered], numeric=True),
        ]
        each = "" if match == SAME_SYSTEM else " per accelerator, at another count"
        strong = [(i, 3) for i, gain in enumerate(ordered) if gain.ratio == top]
        better = ", lower is better" if ordered[0].after.better == "lower" else ""
        grids.append(table(f"{whose}, {shown_unit}{each}{better}", columns, strong))
    return tuple(grids)


def record_grids(records: Sequence[Record]) -> tuple[Grid, ...]:
    """Return one table a basis and benchmark: scenario, whose, the best value, and the best before."""
    grids = []
    for (name, basis, unit), items in grouped(
        records, lambda record: (words.benchmark(record.best), record.basis, record.best.unit)
    ).items():
        ordered = sorted(items, key=lambda record: (scenario_order(record.best.scenario), record.best.key))
        best = [_figure(record.best, basis) for record in ordered]
        before = [None if record.before is None else _figure(record.before, basis) for record in ordered]
        divisor, shown_unit = scale([*best, *before], unit)
        shown = figures([*best, *before], divisor)
        columns = [
            Column("Scenario", [record.best.scenario or words.NONE for record in ordered]),
            Column("Submitter", [words.submitter(record.best) for record in ordered]),
            Column("best", shown[: len(best)], numeric=True),
            Column("before", shown[len(best) :], numeric=True),
        ]
        each = " per accelerator" if basis == "per_accelerator" else ""
        better = ", lower is better" if ordered[0].best.better == "lower" else ""
        grids.append(
            table(f"{name}, {shown_unit}{each}{better}", columns, [(i, 2) for i in range(len(ordered))])
        )
    return tuple(grids)


def _whose(row: Result, system: str) -> str:
    return f"{words.submitter(row)}, {system}: {words.benchmark(row)}"


def _of(gain: Gain, row: Result) -> float | None:
    return row.value if gain.match == SAME_SYSTEM else row.value_per_accelerator


def _figure(row: Result, basis: str) -> float | None:
    return row.value_per_accelerator if basis == "per_accelerator" else row.value
