"""Two systems side by side as tables: each value and ratio leads to its rows; how the sides differ stands below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    groups = grouped(
        items,
        lambda item: (
            titles.benchmark(item.subject), item.subject.division, item.system_type, item.subject.unit, item.subject.better,
        ),
    )  # fmt: skip
    divisions = len({item.subject.division for item in items}) > 1
    types = len({item.system_type for item in items}) > 1
    one_subject = len({titles.machine(item.subject) for item in items}) == 1
    one_baseline = len({titles.machine(item.baseline) for item in items}) == 1
    tables = []
    for (name, division, kind, unit, better), group in groups.items():
        caption = ", ".join(
            filter(
                None,
                (
                    name,
                    division if divisions else "",
                    kind if types else "",
                    f"{unit} per accelerator" if each else unit,
                    "lower is better" if better == "lower" else "",
                ),
            )
        )
        ordered = sorted(group, key=lambda item: (scenario_order(item.subject.scenario), item.subject.key))
        sides = [
            _side([item.subject for item in ordered], places, each=each, alone=one_subject),
            _side([item.baseline for item in ordered], places, each=each, alone=one_baseline),
        ]
        columns = [
            Column("Scenario"),
            *(column for side in sides for column in side[0]),
            Column("ratio", numeric=True),
        ]
        rows = []
        for place, item in enumerate(ordered):
            told = _told(item, each=each)
            ratio = cell(
                places.of_row(words.ratio(told), item.subject), strong=told == top, share=told / top, sort=told
            )  # fmt: skip
            cells = [
                cell(item.subject.scenario or words.NONE),
                *sides[0][1][place],
                *sides[1][1][place],
                ratio,
            ]
            rows.append(Row(tuple(cells)))
        tables.append(Table(columns=tuple(columns), rows=tuple(rows), caption=caption))
    return Beside(tuple(tables)) if len(tables) > 1 else tables[0]


def _side(
    rows: Sequence[Result], places: Places, *, each: bool, alone: bool
) -> tuple[list[Column], list[list[Cell]]]:
    """Return the columns of one side: its values, and whose they are where that differs."""
    values = [_value(row, each=each) for row in rows]
    shown = words.column(values)
    cells = [
        [cell(places.of_row(text, row), sort=value)]
        for text, row, value in zip(shown, rows, values, strict=True)
    ]
    if alone:
        return [Column(titles.system(rows[0]), numeric=True)], cells
    names = {titles.accelerator(row) for row in rows}
    header = names.pop() if len(names) == 1 else "value"
    for row, those in zip(rows, cells, strict=True):
        those.insert(0, cell(titles.machine(row)))
    return [Column("of"), Column(header, numeric=True)], cells


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
