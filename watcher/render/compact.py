"""Small tables for messages: rows, and two systems side by side; four columns at most, so that a phone shows them whole.

Units stand once, in the caption. Values of one benchmark share decimals; large ones are in thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from watcher.domain import Comparison, Grid, Result
from watcher.figures.cells import same_submitter, scenario_order
from watcher.render import words

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)
_MANY = 10_000_000  # a value above stands in thousands even beside small ones


class Column(NamedTuple):
    """One column of a table: header, cells, and whether they are figures."""

    header: str
    cells: Sequence[str]
    numeric: bool = False


class Labels(NamedTuple):
    """What tells two sides apart, short enough for a column's header."""

    subject: str
    baseline: str


def table(caption: str, columns: Sequence[Column], strong: Iterable[tuple[int, int]] = ()) -> Grid:
    """Return a grid of columns of equal length."""
    return Grid(
        caption=caption,
        columns=tuple(column.header for column in columns),
        rows=tuple(zip(*(column.cells for column in columns), strict=True)),
        numeric=frozenset(i for i, column in enumerate(columns) if column.numeric),
        strong=frozenset(strong),
    )


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Group items in the order in which they come."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


# ------------------------------------------------------------------------------------------------ rows


def row_grids(rows: Iterable[Result]) -> tuple[Grid, ...]:
    """Return one table a benchmark: who (where there are several), scenario, value, and value per accelerator."""
    rows = list(rows)
    systems = {(row.submitter, words.system(row), row.platform) for row in rows}
    return tuple(
        _row_grid(group, alone=len(systems) == 1) for group in grouped(rows, _benchmark_key).values()
    )


def _row_grid(rows: Sequence[Result], *, alone: bool) -> Grid:
    ordered = sorted(
        rows, key=lambda row: (scenario_order(row.scenario), row.submitter.casefold(), row.platform)
    )
    divisor, unit = scale([row.value for row in ordered], _unit(ordered))
    columns = [] if alone else [Column("Submitter", [words.submitter(row) for row in ordered])]
    if not alone and len({words.system(row) for row in ordered}) > 1:
        columns.append(Column("System", [_short_system(row) for row in ordered]))
    scenarios = [row.scenario or words.NONE for row in ordered]
    caption = f"{words.benchmark(ordered[0])}, {unit}"
    if len(columns) == 2 and len(set(scenarios)) == 1:
        caption = f"{words.benchmark(ordered[0])} {scenarios[0]}, {unit}"
    elif any(row.scenario for row in ordered):
        columns.append(Column("Scenario", scenarios))
    elif not columns:
        columns.append(Column("Submitter", [words.submitter(row) for row in ordered]))
    columns.append(
        Column("total" if alone else "value", figures([row.value for row in ordered], divisor), numeric=True)
    )
    each = [row.value_per_accelerator for row in ordered]
    if len(columns) < 4 and any(row.accelerator_count != 1 for row in ordered) and any(each):
        columns.append(Column("each", figures(each, divisor), numeric=True))
    return table(caption + _better(ordered), columns)


def _short_system(row: Result) -> str:
    if row.accelerator is None:
        return "mixed" if row.accelerators else "CPU"
    return (
        f"{row.accelerator_count} {words.short_accelerator(row)}"
        if row.accelerator_count
        else words.short_accelerator(row)
    )


# ------------------------------------------------------------------------------------------------ two systems


def comparison_grids(comparisons: Sequence[Comparison]) -> tuple[Grid, ...]:
    """Return one table a benchmark: scenario, both values, ratio; the largest ratio of all is strong.

    Where the counts differ all figures are per accelerator, and the caption says so.
    """
    items = list(comparisons)
    if not items:
        return ()
    each = per_accelerator(items)
    top = max(_told(item, each=each) for item in items)
    names = labels(items)
    groups = grouped(
        items, lambda item: (_benchmark_key(item.subject), item.system_type if _typed(items) else None)
    )
    return tuple(_comparison_grid(group, names, each=each, top=top) for group in groups.values())


def _comparison_grid(items: Sequence[Comparison], names: Labels, *, each: bool, top: float) -> Grid:
    ordered = sorted(items, key=lambda item: (scenario_order(item.subject.scenario), -_told(item, each=each)))
    rows = [item.subject for item in ordered]
    ours = [_value(item.subject, each=each) for item in ordered]
    theirs = [_value(item.baseline, each=each) for item in ordered]
    divisor, unit = scale([*ours, *theirs], _unit(rows))
    shown = figures([*ours, *theirs], divisor)
    ratios = [_told(item, each=each) for item in ordered]
    columns = [Column("Scenario", [row.scenario or words.NONE for row in rows])]
    if names.subject:
        columns += [
            Column(names.subject, shown[: len(ours)], numeric=True),
            Column(names.baseline, shown[len(ours) :], numeric=True),
        ]
    else:  # several systems on the subject's side: whose it is goes before the value it is measured by
        columns = [Column("Submitter", [words.submitter(row) for row in rows]), *columns]
        columns.append(Column("value", shown[: len(ours)], numeric=True))
    columns.append(Column("ratio", [words.ratio(told) for told in ratios], numeric=True))
    kind = f", {ordered[0].system_type}" if ordered[0].system_type == "edge" else ""
    caption = f"{words.benchmark(rows[0])}{kind}, {unit}{' per accelerator' if each else ''}{_better(rows)}"
    strong = [(i, len(columns) - 1) for i, told in enumerate(ratios) if told == top]
    return table(caption, columns, strong)


def labels(items: Sequence[Comparison]) -> Labels:
    """Return what tells the sides apart: accelerator, else round, count, submitter; empty where a side is not one."""
    attributes: tuple[Callable[[Result], str], ...] = (
        words.short_accelerator,
        words.accelerator,  # two that are cut to one short name
        lambda row: row.round,
        lambda row: f"x{row.accelerator_count}",
        lambda row: row.submitter,
    )
    if len({(item.subject.submitter, item.subject.accelerator_count) for item in items}) > 1:
        return Labels("", "")
    for attribute in attributes:
        ours, theirs = {attribute(i.subject) for i in items}, {attribute(i.baseline) for i in items}
        if len(ours) == len(theirs) == 1 and ours != theirs:
            return Labels(ours.pop(), theirs.pop())
    return Labels("subject", "baseline")


def first_and_further(items: Iterable[Comparison]) -> tuple[list[Comparison], list[Comparison]]:
    """Split the comparisons of a row: with its submitter's own counterpart (else the first), and with others."""
    first: list[Comparison] = []
    further: list[Comparison] = []
    for those in grouped(items, lambda item: (item.subject.key, item.system_type)).values():
        own = next((item for item in those if same_submitter(item.subject, item.baseline)), those[0])
        first.append(own)
        further += [item for item in those if item is not own]
    return first, further


def per_accelerator(items: Sequence[Comparison]) -> bool:
    """Whether the counts of the two sides differ and each has a figure per accelerator: totals would say nothing."""
    return any(i.subject.accelerator_count != i.baseline.accelerator_count for i in items) and all(
        i.per_accelerator_ratio is not None for i in items
    )


def told_ratios(items: Sequence[Comparison]) -> list[float]:
    """Return the ratios as the tables show them: of the rows, or per accelerator."""
    each = per_accelerator(items)
    return [_told(item, each=each) for item in items]


def _told(item: Comparison, *, each: bool) -> float:
    return item.per_accelerator_ratio if each and item.per_accelerator_ratio is not None else item.ratio


def _value(row: Result, *, each: bool) -> float:
    return row.value_per_accelerator if each and row.value_per_accelerator is not None else row.value


def _typed(items: Sequence[Comparison]) -> bool:
    return len({item.system_type for item in items}) > 1


# ------------------------------------------------------------------------------------------------ units and figures


def _benchmark_key(row: Result) -> Hashable:
    rate = "rate" if row.unit.endswith("/s") else row.unit
    return row.suite, row.round, row.benchmark, row.accuracy_target, row.division, rate


def _unit(rows: Sequence[Result]) -> str:
    """Return the unit of most rows; the others' stand behind it with their scenario: "queries/s, Offline samples/s"."""
    by_unit: Mapping[str, list[Result]] = grouped(rows, lambda row: row.unit)
    main = max(by_unit, key=lambda unit: len(by_unit[unit]))
    odd = [
        f"{'/'.join(dict.fromkeys(r.scenario or '' for r in those))} {unit}"
        for unit, those in by_unit.items()
        if unit != main
    ]
    return ", ".join([main, *odd])


def _better(rows: Sequence[Result]) -> str:
    return ", lower is better" if rows[0].better == "lower" else ""


def scale(values: Sequence[float | None], unit: str) -> tuple[float, str]:
    """Return by what the values of a table are divided, and the unit that they are in then."""
    sizes = [abs(value) for value in values if value]
    thousands = bool(sizes) and (min(sizes) >= 100_000 or max(sizes) >= _MANY)
    return (1000.0, f"thousand {unit}") if thousands else (1.0, unit)


def figures(values: Sequence[float | None], divisor: float) -> list[str]:
    """Return a column of values in the unit that `scale` chose."""
    return words.column(
        [None if value is None else value / divisor for value in values], 0 if divisor == 1 else 1
    )
