"""Figures → small tables (`Grid`) of plain text: aligned decimals, units in the header, the best marked as strong.

One grid holds one unit, so that its header can name it; where two scenarios of a benchmark are published in two units
(queries/s and samples/s), the line of the odd one names its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from watcher.domain import Comparison, Gain, Grid, Record, Result, Scaling
from watcher.figures.cells import round_order, scenario_order
from watcher.figures.gains import SAME_SYSTEM
from watcher.figures.power import PowerFigure
from watcher.figures.records import ABSOLUTE, figure
from watcher.figures.words import system_words
from watcher.render.columns import NONE, benchmark_words, count_words, numbers, numbers_apart, side_words

Item = TypeVar("Item")
QUOTED = "quoted"


def result_grids(results: Iterable[Result]) -> tuple[Grid, ...]:
    """One grid a benchmark and unit: in each scenario the best row first; the best value and per accelerator strong."""
    return tuple(
        _result_grid(sorted(rows, key=lambda row: (scenario_order(row.scenario), _worse(row), row.key)))
        for rows in _split(
            results, lambda row: (row.suite, row.benchmark, row.accuracy_target or "", row.unit)
        )
    )


def _result_grid(rows: Sequence[Result]) -> Grid:
    """Without a column per accelerator where no row has one (latencies, processors)."""
    unit = rows[0].unit
    columns = ["scenario", "submitter", "accelerator", "count", "round", "division", "availability", unit]
    lines = [
        [
            row.scenario or NONE,
            row.submitter,
            row.accelerator or " + ".join(row.accelerators) or "cpu",
            count_words(row.accelerator_count),
            row.round,
            row.division,
            row.availability,
            value,
        ]
        for row, value in zip(rows, numbers([row.value for row in rows]), strict=True)
    ]
    strong = {(index, 7) for index in _best_lines(rows, lambda row: row.value)}
    each = [row.value_per_accelerator for row in rows]
    if any(value is not None for value in each):
        columns.append(f"{unit} each")
        for line, text in zip(lines, numbers(each), strict=True):
            line.append(text)
        strong |= {(index, 8) for index in _best_lines(rows, lambda row: row.value_per_accelerator)}
    return Grid(
        columns=tuple(columns),
        rows=tuple(tuple(line) for line in lines),
        numeric=frozenset({3, 7, 8}),
        strong=frozenset(strong),
        caption=benchmark_words(rows[0]),
    )


def comparison_grids(comparisons: Iterable[Comparison]) -> tuple[Grid, ...]:
    """One grid a benchmark, division and system type: a line a scenario; the highest ratio strong.

    A side that is the same in every line stands in the header, else each line says whose row it is.
    """
    grids = []
    items = tuple(comparisons)
    fixed_subject, fixed_baseline = _same(items, lambda c: c.subject), _same(items, lambda c: c.baseline)
    for group in _split(items, _comparison_table):
        unit = Counter(item.subject.unit for item in group).most_common(1)[0][0]
        subject = _side_column([item.subject for item in group], "subject", unit, fixed=fixed_subject)
        baseline = _side_column([item.baseline for item in group], "baseline", unit, fixed=fixed_baseline)
        ratios = [f"{item.ratio:.2f}x" for item in group]
        each = [NONE if r is None else f"{r:.2f}x" for r in (item.per_accelerator_ratio for item in group)]
        scenarios = [_scenario_words(item.subject, unit) for item in group]
        table = [
            ("scenario", scenarios, False),
            *subject,
            *baseline,
            ("ratio", ratios, True),
            ("each", each, True),
        ]
        told = [
            item.ratio if item.per_accelerator_ratio is None else item.per_accelerator_ratio for item in group
        ]
        top = told.index(max(told))
        grids.append(
            Grid(
                columns=tuple(name for name, _, _ in table),
                rows=tuple(zip(*(cells for _, cells, _ in table), strict=True)),
                numeric=frozenset(i for i, (_, _, is_number) in enumerate(table) if is_number),
                strong=frozenset({(top, len(table) - 2), (top, len(table) - 1)}),
                caption=f"{benchmark_words(group[0].subject)}, {unit}{_kind_words(group[0])}",
            )
        )
    return tuple(grids)


def scaling_grids(scalings: Iterable[Scaling]) -> tuple[Grid, ...]:
    """One grid a submitter, accelerator, benchmark and unit: a line a pair of counts; the best efficiency strong."""
    grids = []
    for group in _split(scalings, _scaling_table):
        values = numbers([value for item in group for value in (item.small.value, item.large.value)])
        lines = [
            (
                item.large.scenario or NONE,
                f"{item.small.accelerator_count} → {item.large.accelerator_count}",
                small,
                large,
                f"{100 * item.efficiency:.1f} %",
                f"{item.accelerators_lost:.1f}",
                QUOTED if item.quoted else "",
            )
            for item, small, large in zip(group, values[::2], values[1::2], strict=True)
        ]
        row = group[0].large
        told = [item.efficiency for item in group]
        caption = f"{benchmark_words(row)}: {row.submitter} {row.accelerator} {row.round}, {row.division}"
        columns = ("scenario", "accelerators", row.unit, row.unit, "efficiency", "lost", "")
        strong = frozenset({(told.index(max(told)), 4)})
        grids.append(
            Grid(
                columns=columns,
                rows=tuple(lines),
                numeric=frozenset({2, 3, 4, 5}),
                strong=strong,
                caption=caption,
            )
        )
    return tuple(grids)


def gain_grids(gains: Iterable[Gain]) -> tuple[Grid, ...]:
    """One grid a match and unit: the highest gain first and strong."""
    grids = []
    for group in _split(gains, lambda gain: (gain.match != SAME_SYSTEM, gain.match, gain.after.unit)):
        ordered = sorted(group, key=lambda gain: -gain.ratio)
        values = [_gain_value(gain, row) for gain in ordered for row in (gain.before, gain.after)]
        told = numbers_apart(values, [gain.after.benchmark for gain in ordered for _ in range(2)])
        lines = [
            (
                gain.after.submitter,
                _before_after(system_words(gain.before), system_words(gain.after)),
                benchmark_words(gain.after),
                gain.after.scenario or NONE,
                before,
                after,
                f"{gain.ratio:.2f}x",
            )
            for gain, before, after in zip(ordered, told[::2], told[1::2], strict=True)
        ]
        same = ordered[0].match == SAME_SYSTEM
        unit = ordered[0].after.unit if same else f"{ordered[0].after.unit} each"
        rounds = (f"{ordered[0].before.round}, {unit}", f"{ordered[0].after.round}, {unit}")
        matched = "same system" if same else "per accelerator, at another count"
        grids.append(
            Grid(
                columns=("submitter", "system", "benchmark", "scenario", *rounds, "gain"),
                rows=tuple(lines),
                numeric=frozenset({4, 5, 6}),
                strong=frozenset({(0, 6)}),
                caption=f"Gains, {matched}, {unit}",
            )
        )
    return tuple(grids)


def record_grids(records: Iterable[Record]) -> tuple[Grid, ...]:
    """One grid a basis and unit: the record, whose it is, and what was best before."""
    grids = []
    for group in _split(records, lambda record: (record.basis, record.best.unit)):
        names = [record.best.benchmark for record in group]
        values = numbers_apart([figure(record) for record in group], names)
        earlier = numbers_apart([_before_value(record) for record in group], names)
        lines = [
            (
                benchmark_words(record.best),
                record.best.scenario or NONE,
                " ".join([record.best.division, *record.best.system_type]),
                record.best.submitter,
                system_words(record.best),
                record.best.round,
                value,
                before,
                NONE if record.before is None else f"{record.before.submitter} {record.before.round}",
            )
            for record, value, before in zip(group, values, earlier, strict=True)
        ]
        unit = group[0].best.unit
        basis = "absolute" if group[0].basis == ABSOLUTE else "per accelerator"
        grids.append(
            Grid(
                columns=(
                    "benchmark",
                    "scenario",
                    "division",
                    "submitter",
                    "system",
                    "round",
                    unit,
                    f"before, {unit}",
                    "",
                ),
                rows=tuple(lines),
                numeric=frozenset({6, 7}),
                strong=frozenset((index, 6) for index in range(len(lines))),
                caption=f"Best since {group[0].since}, {basis}, {unit}",
            )
        )
    return tuple(grids)


def power_grids(figures: Iterable[PowerFigure]) -> tuple[Grid, ...]:
    """One grid a kind of power and unit; kinds never share a grid. The best of each benchmark and scenario strong."""
    grids = []
    for group in _split(figures, lambda item: (item.kind, item.power.unit, item.unit or "")):
        powers = numbers([item.power.value for item in group])
        values = numbers_apart([item.value for item in group], [item.result.benchmark for item in group])
        first = group[0]
        as_published = first.unit == first.power.unit  # energy a query is not divided: it stands once
        lines = [
            (
                benchmark_words(item.result),
                item.result.scenario or NONE,
                item.result.submitter,
                system_words(item.result),
                item.result.round,
                *((value,) if as_published else (power, value)),
            )
            for item, power, value in zip(group, powers, values, strict=True)
        ]
        better = f"{first.better} is better" if first.better else "nothing to divide"
        units = (first.power.unit,) if as_published else (first.power.unit, first.unit or NONE)
        columns = ("benchmark", "scenario", "submitter", "system", "round", *units)
        what = "energy" if as_published else "power"
        caption = f"{first.kind.capitalize()} {what}, {first.unit or first.power.unit}, {better}"
        last = len(columns) - 1
        strong = frozenset(
            (index, last) for index in _first_of([(i.result.benchmark, i.result.scenario) for i in group])
        )
        grids.append(
            Grid(
                columns=columns,
                rows=tuple(lines),
                numeric=frozenset(range(5, last + 1)),
                strong=strong,
                caption=caption,
            )
        )
    return tuple(grids)


# ---------------------------------------------------------------------------------------------- cells and headers


def _gain_value(gain: Gain, row: Result) -> float | None:
    return row.value if gain.match == SAME_SYSTEM else row.value_per_accelerator


def _scenario_words(row: Result, unit: str) -> str:
    """Name the scenario, and its unit where that is not the header's."""
    name = row.scenario or NONE
    return name if row.unit == unit else f"{name} ({row.unit})"


def _side_column(
    rows: Sequence[Result], name: str, unit: str, *, fixed: bool
) -> list[tuple[str, list[str], bool]]:
    """Return the columns of one side: whose (unless it is fixed and stands in the header) and the values."""
    values = numbers([row.value for row in rows])
    if fixed:
        return [(side_words(rows[0]), values, True)]
    return [(name, [side_words(row) for row in rows], False), (unit, values, True)]


def _same(items: Sequence[Comparison], side: Callable[[Comparison], Result]) -> bool:
    return len({side_words(side(item)) for item in items}) == 1


def _kind_words(item: Comparison) -> str:
    return "".join(f", {word}" for word in (item.subject.division, item.system_type) if word)


def _comparison_table(item: Comparison) -> Hashable:
    row = item.subject
    return row.suite, row.benchmark, row.accuracy_target or "", row.division, item.system_type or ""


def _scaling_table(item: Scaling) -> Hashable:
    row = item.large
    newest_first = tuple(-number for number in round_order(row.round))
    return (
        row.benchmark,
        row.accuracy_target or "",
        newest_first,
        row.accelerator or "",
        row.submitter,
        row.division,
        row.unit,
    )


def _before_value(record: Record) -> float | None:
    if record.before is None:
        return None
    return record.before.value if record.basis == ABSOLUTE else record.before.value_per_accelerator


def _before_after(before: str, after: str) -> str:
    return after if before == after else f"{before} → {after}"


def _worse(row: Result) -> float:
    return row.value if row.better == "lower" else -row.value


def _best_lines(rows: Sequence[Result], value: Callable[[Result], float | None]) -> Iterable[int]:
    """Index of the best line of each scenario, division and round's table; none where there is only one line."""
    contests: defaultdict[Hashable, list[tuple[float, int]]] = defaultdict(list)
    for index, row in enumerate(rows):
        told = value(row)
        if told is not None:
            contests[row.scenario, row.division].append((told if row.better == "lower" else -told, index))
    return [min(lines)[1] for lines in contests.values() if len(lines) > 1]


def _first_of(keys: Sequence[Hashable]) -> Iterable[int]:
    return {key: index for index, key in reversed(list(enumerate(keys)))}.values()


def _split(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Group items by ``key``, groups in its order, items as they came."""
    ordered = sorted(items, key=key)  # type: ignore[arg-type]  # every key here is a tuple of texts and numbers
    return [list(group) for _, group in groupby(ordered, key=key)]
