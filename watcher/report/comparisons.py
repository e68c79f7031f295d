"""Two systems side by side as tables: each value and ratio leads to its rows; how the sides differ stands below."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from watcher.domain import Comparison, NotComparable, Result
from watcher.figures.cells import scenario_order
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import grouped, per_accelerator
from watcher.report import titles
from watcher.report.places import Places
from watcher.report.view import Beside, Block, Bullets, Cell, Column, Row, Span, Table, cell, line, said


def comparison_tables(items: Sequence[Comparison], places: Places) -> Block | None:
    """Return a table a benchmark, unit and system type, side by side; the largest ratio of all stressed."""
    if not items:
        return None
    each = per_accelerator(items)
    top = max(_told(item, each=each) for item in items)
    groups = grouped(items, _table_key)
    divisions = len({item.subject.division for item in items}) > 1
    types = len({item.system_type for item in items}) > 1
    alone = _alone(items)
    tables = []
    for group in groups.values():
        first = group[0]
        ordered = sorted(group, key=lambda item: (scenario_order(item.subject.scenario), item.subject.key))
        parts = (
            titles.benchmark(first.subject),
            first.subject.division if divisions else "",
            (first.system_type or "") if types else "",
            f"{_units(ordered)} per accelerator" if each else _units(ordered),
            "lower is better" if first.subject.better == "lower" else "",
        )
        sides = [
            _side([item.subject for item in ordered], places, each=each, header=alone[0]),
            _side([item.baseline for item in ordered], places, each=each, header=alone[1]),
        ]
        columns = [Column("Scenario"), *sides[0][0], *sides[1][0], Column("ratio", numeric=True)]
        rows = []
        for place, item in enumerate(ordered):
            told = _told(item, each=each)
            ratio = cell(places.of_row(words.ratio(told), item.subject), strong=told == top, sort=told)
            scenario = cell(item.subject.scenario or words.NONE)
            rows.append(Row((scenario, *sides[0][1][place], *sides[1][1][place], ratio)))
        tables.append(Table(columns=tuple(columns), rows=tuple(rows), caption=", ".join(filter(None, parts))))
    return Beside(tuple(tables)) if len(tables) > 1 else tables[0]


def _table_key(item: Comparison) -> Hashable:
    row = item.subject
    rate = "rate" if row.unit.endswith("/s") else row.unit
    return titles.benchmark(row), row.division, item.system_type, rate, row.better


def _units(items: Sequence[Comparison]) -> str:
    """Return the unit of most rows; the others' stand behind it with their scenario: "queries/s, Offline samples/s"."""
    by_unit = grouped(items, lambda item: item.subject.unit)
    main = max(by_unit, key=lambda unit: len(by_unit[unit]))
    odd = [
        f"{words.joined(item.subject.scenario or '' for item in those)} {unit}"
        for unit, those in by_unit.items()
        if unit != main
    ]
    return ", ".join([main, *odd])


def _alone(items: Sequence[Comparison]) -> tuple[str | None, str | None]:
    """Return the header of each side that is one system throughout, as short as tells the two apart; null of several."""
    sides = ([item.subject for item in items], [item.baseline for item in items])
    machines = [{titles.machine(row) for row in rows} for rows in sides]
    accelerators = [titles.accelerator(rows[0]) for rows in sides]
    systems = [titles.system(rows[0]) for rows in sides]
    short = accelerators if accelerators[0] != accelerators[1] else systems
    if short[0] == short[1]:
        short = [f"{name}, {rows[0].round}" for name, rows in zip(short, sides, strict=True)]
    one, other = (short[place] if len(machines[place]) == 1 else None for place in (0, 1))
    return one, other


def _side(
    rows: Sequence[Result], places: Places, *, each: bool, header: str | None
) -> tuple[list[Column], list[list[Cell]]]:
    """Return the columns of one side: its values, and whose they are where that differs (``header`` null)."""
    values = [_value(row, each=each) for row in rows]
    cells = [
        [cell(places.of_row(text, row), sort=value)]
        for text, row, value in zip(words.column(values), rows, values, strict=True)
    ]
    if header is not None:
        return [Column(header, numeric=True)], cells
    names = {titles.accelerator(row) for row in rows}
    for row, those in zip(rows, cells, strict=True):
        those.insert(0, cell(titles.machine(row)))
    return [Column("by"), Column(names.pop() if len(names) == 1 else "value", numeric=True)], cells


def _value(row: Result, *, each: bool) -> float:
    return row.value_per_accelerator if each and row.value_per_accelerator is not None else row.value


def _told(item: Comparison, *, each: bool) -> float:
    return item.per_accelerator_ratio if each and item.per_accelerator_ratio is not None else item.ratio


def stacks(items: Iterable[Comparison], places: Places) -> Block | None:
    """Return what each side declares where the sides are not alike: availability, software, precision; null if they are."""
    unlike = [item for item in items if {"software", "precision", "availability"} & set(item.differs)]
    rows = []
    for (name, availability, software), those in grouped(
        (row for item in unlike for row in (item.subject, item.baseline)),
        lambda row: (
            titles.machine(row),
            row.availability,
            row.software_published or ", ".join(row.software),
        ),
    ).items():
        precision = ", ".join(dict.fromkeys(each for row in those for each in row.precision))
        power = those[0].accelerator_power_limit_watts
        rows.append(
            Row(
                (
                    cell(places.of_row(name, those[0])),
                    cell(titles.title("availability", availability)),
                    cell(software or "none declared"),
                    cell(precision or words.NONE),
                    cell(f"{number(power)} W" if power else words.NONE),
                )
            )
        )
    if not rows:
        return None
    columns = ("System", "Availability", "Software as declared", "Precision", "Limit by notes")
    return Table(
        columns=tuple(Column(name) for name in columns), rows=tuple(rows), caption="The stacks on both sides"
    )


def cautions(items: Iterable[Comparison]) -> Block | None:
    """Return why to handle the figures with care, what most of them share first; null without a reason."""
    counts: dict[str, int] = {}
    for item in items:
        for text in item.care:
            counts[text] = counts.get(text, 0) + 1
    ordered = sorted(counts, key=lambda text: -counts[text])
    return Bullets(said(words.capital(text) for text in ordered)) if ordered else None


def refusals(refused: Iterable[NotComparable]) -> Block | None:
    """Return the cells that cannot be compared, by their reason; null where there is none."""
    lines = []
    for reason, cells in grouped(refused, lambda one: one.reason).items():
        names = grouped(cells, lambda one: (one.benchmark, one.accuracy_target))
        told = "; ".join(
            f"{titles.title('benchmark', name)}{f' {target}' if target else ''}"
            f" {words.joined(sorted({one.scenario or '' for one in those}, key=scenario_order))}".rstrip()
            for (name, target), those in names.items()
        )
        lines.append(line(Span(f"{words.capital(reason)}: ", None, "strong"), told))
    return Bullets(tuple(lines)) if lines else None
