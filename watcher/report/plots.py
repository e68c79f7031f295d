"""Small multiples by scenario: each row of a benchmark as a mark on the line of its accelerator; and ratios as bars.

Drawn for the page that they stand on: in its colours, light and dark, with a link from each mark to its row. The same
figures stand in tables beside them, so nothing is told by a picture alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from watcher.catalog.names import Catalog
from watcher.domain import Comparison, Result
from watcher.figures.attendance import PROCESSORS, vendors_of
from watcher.figures.cells import Cell, by_cell, cell_order, scenario_order
from watcher.figures.comparability import compatibility
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import grouped, per_accelerator
from watcher.report import titles
from watcher.report.axis import Axis, axis, short
from watcher.report.places import Places
from watcher.report.view import Key, Mark, Panel, Plot, Stroke, Text

WIDTH, LINE, TOP, FOOT = 430.0, 21.0, 8.0, 22.0  # points
LETTER, LONGEST, VALUE = (
    6.1,
    22,
    62.0,
)  # width of a letter; letters of a line's name; room for the value behind it
LINES = 30  # accelerators in one panel; the table has all

MAKERS: Mapping[str, tuple[str, str]] = {
    "NVIDIA": ("circle", "m3"),
    "AMD": ("square", "m2"),
    "Intel": ("triangle", "m1"),
    "Google": ("diamond", "m4"),
    PROCESSORS: ("down", "m6"),
}
"""Shape and colour by who makes the accelerator; all others look alike."""
OTHERS = "others"
_OTHER = ("cross", "m5")
_PAST = Key("tick", "m6", hollow=False, text="")


@dataclass(frozen=True, slots=True)
class _Lane:
    """One line of a panel: an accelerator's rows, the best first, and the best of an earlier round."""

    name: str
    rows: tuple[Result, ...]
    past: Result | None


# ------------------------------------------------------------------------------------------------ rows of a benchmark


def benchmark_plot(
    rows: Sequence[Result], earlier: Sequence[Result], places: Places, catalog: Catalog
) -> Plot | None:
    """Draw the closed rows of one benchmark and round, a panel a scenario; null where there are none.

    ``earlier``: the benchmark's rows of the round before, whose best is shown where it compares.
    """
    closed = by_cell(row for row in rows if row.division == "closed" and row.value > 0)
    past = by_cell(row for row in earlier if row.division == "closed" and row.value > 0)
    order = sorted(closed, key=cell_order)
    several = len({cell.system_type for cell in order}) > 1
    panels = [
        _panel(cell, closed[cell], past.get(cell, ()), places, catalog, typed=several) for cell in order
    ]
    if not panels:
        return None
    return Plot(tuple(panels), _legend(closed, past, catalog), _NOTE)


_NOTE = (
    "Each mark is a published row of the closed division, on the line of its accelerator; figures per accelerator are "
    "ours. A mark leads to its row."
)


def _panel(
    cell: Cell,
    rows: Sequence[Result],
    past: Sequence[Result],
    places: Places,
    catalog: Catalog,
    *,
    typed: bool,
) -> Panel:
    unit = max({row.unit for row in rows}, key=lambda name: (sum(row.unit == name for row in rows), name))
    alike = [row for row in rows if row.unit == unit]
    each = any(row.value_per_accelerator is not None for row in alike)
    told = _per_accelerator if each else _value
    lanes = _lanes(alike, [row for row in past if row.unit == unit], told)
    lower = alike[0].better == "lower"
    name = " ".join(filter(None, (cell.scenario or "Results", cell.accuracy_target)))
    measure = f"{unit} per accelerator" if each else unit
    title = f"{name}{f', {cell.system_type}' if typed and cell.system_type else ''}"
    left = max(40.0, LETTER * max(len(_cut(lane.name)) for lane in lanes) + 10)
    values = [value for lane in lanes for row in lane.rows if (value := told(row)) is not None]
    scale = axis(values, left, WIDTH - VALUE)
    height = TOP + LINE * len(lanes) + FOOT
    strokes, texts = _frame(scale, height)
    marks: list[Mark] = []
    for place, lane in enumerate(lanes):
        y = TOP + LINE * (place + 0.5)
        best = told(lane.rows[0]) or 0.0
        strokes.append(Stroke(left, y, WIDTH - VALUE, y, "grid"))
        texts.append(Text(left - 8, y + 4, _cut(lane.name), "end"))
        farthest = max(scale.at(told(row) or 0.0) for row in lane.rows)
        texts.append(Text(farthest + 9, y + 4, number(best), style="strong" if place == 0 else ""))
        before = told(lane.past) if lane.past is not None else None
        if before is not None and scale.low <= before <= scale.high:
            at = scale.at(before)
            strokes.append(Stroke(at, y - 7, at, y + 7, "past soft"))
        marks += [
            _mark(row, scale.at(told(row) or 0.0), y, told, measure, places, catalog) for row in lane.rows
        ]
    note = ", logarithmic" if scale.logarithmic else ""
    better = "lower is better" if lower else "higher is better"
    said = "; ".join(f"{lane.name} {number(told(lane.rows[0]) or 0.0)}" for lane in lanes[:12])
    return Panel(
        title=f"{title}: {measure}, {better}{note}",
        words=f"{title}, {measure}, {better}. Best row of each: {said}.",
        width=WIDTH,
        height=height,
        strokes=tuple(strokes),
        texts=tuple(texts),
        marks=tuple(marks),
    )


def _value(row: Result) -> float | None:
    return row.value


def _per_accelerator(row: Result) -> float | None:
    return row.value_per_accelerator


def _lanes(
    rows: Sequence[Result], past: Sequence[Result], told: Callable[[Result], float | None]
) -> list[_Lane]:
    """Return a line an accelerator (of rows without one, a processor), the best first."""

    def worse(row: Result) -> tuple[float, object]:
        value = told(row) or 0.0
        return (value if row.better == "lower" else -value), row.key

    lanes = []
    held = grouped((row for row in past if told(row) is not None), _lane_name)
    for name, those in grouped((row for row in rows if told(row) is not None), _lane_name).items():
        ordered = sorted(those, key=worse)
        before = min(held.get(name, ()), key=worse, default=None)
        if before is not None and compatibility(before, ordered[0]).verdict == "changed":
            before = None
        lanes.append(_Lane(name, tuple(ordered), before))
    return sorted(lanes, key=lambda lane: worse(lane.rows[0]))[:LINES]


def _lane_name(row: Result) -> str:
    return titles.accelerator(row) if row.accelerators else titles.system(row)


def _mark(
    row: Result,
    x: float,
    y: float,
    told: Callable[[Result], float | None],
    measure: str,
    places: Places,
    catalog: Catalog,
) -> Mark:
    shape, style = _look(row, catalog)
    preview = row.availability == "preview"
    said = f"{titles.machine(row)}: {number(told(row) or 0.0)} {measure}{', preview' if preview else ''}"
    return Mark(x, y, shape, style, preview, said, places.row(row))


def _look(row: Result, catalog: Catalog) -> tuple[str, str]:
    return MAKERS.get(vendors_of(row, catalog)[0], _OTHER)


def _legend(
    closed: Mapping[Cell, Sequence[Result]], past: Mapping[Cell, Sequence[Result]], catalog: Catalog
) -> tuple[Key, ...]:
    rows = [row for those in closed.values() for row in those]
    makers = {vendors_of(row, catalog)[0] for row in rows}
    keys = [
        Key(*look, hollow=False, text=words.capital(name)) for name, look in MAKERS.items() if name in makers
    ]
    if makers - MAKERS.keys():
        keys.append(Key(*_OTHER, hollow=False, text=words.capital(OTHERS)))
    if any(row.availability == "preview" for row in rows):
        keys.append(Key("circle", "m6", hollow=True, text="Preview"))
    rounds = {row.round for cell, those in past.items() if cell in closed for row in those}
    keys += [Key("tick", "m6", hollow=False, text=f"Best of {name}") for name in sorted(rounds)]
    return tuple(keys)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1].rstrip()}…"


def _frame(scale: Axis, height: float) -> tuple[list[Stroke], list[Text]]:
    """Return the lines and numbers of an axis."""
    bottom = height - FOOT
    strokes, texts = [], []
    for tick in scale.ticks:
        x = scale.at(tick)
        strokes.append(Stroke(x, TOP, x, bottom, "grid"))
        texts.append(Text(x, bottom + 14, short(tick), "middle", "soft"))
    return strokes, texts


# ------------------------------------------------------------------------------------------------ ratios


def ratio_plot(comparisons: Iterable[Comparison], places: Places) -> Plot | None:
    """Draw how many times better the subject is, a panel a benchmark, a bar a scenario; null without comparisons."""
    items = list(comparisons)
    if not items:
        return None
    each = per_accelerator(items)
    most = max(_ratio(item, each=each) for item in items)
    groups = grouped(
        sorted(items, key=lambda item: titles.benchmark(item.subject).casefold()),
        lambda item: (titles.benchmark(item.subject), item.subject.division),
    )
    divisions = {item.subject.division for item in items}
    panels = []
    for (name, division), group in groups.items():
        title = f"{name}, {division}" if len(divisions) > 1 else name
        panels.append(_ratio_panel(title, group, most, places, each=each))
    basis = "per accelerator (latencies as they are)" if each else "of the rows"
    return Plot(
        tuple(panels), (), f"How many times better, {basis}; the line marks 1, equal. A bar leads to its row."
    )


def _ratio_panel(
    title: str, items: Sequence[Comparison], most: float, places: Places, *, each: bool
) -> Panel:
    typed = len({item.system_type for item in items}) > 1
    ordered = sorted(items, key=lambda item: (scenario_order(item.subject.scenario), item.system_type or ""))
    names = [_bar_name(item, typed=typed) for item in ordered]
    left = LETTER * max(12, *(len(name) for name in names)) + 10
    scale = axis([most, 1.0], left, WIDTH - 48, may_be_logarithmic=False)
    height = TOP + LINE * len(ordered) + FOOT
    strokes, texts = _frame(scale, height)
    marks = []
    for place, (item, name) in enumerate(zip(ordered, names, strict=True)):
        y = TOP + LINE * (place + 0.5)
        told = _ratio(item, each=each)
        end = scale.at(told)
        strokes.append(Stroke(scale.at(0), y, end, y, "bar1" if told >= 1 else "bar2"))
        texts.append(Text(left - 8, y + 4, name, "end"))
        texts.append(Text(end + 8, y + 4, words.ratio(told), style="strong" if told == most else ""))
        said = f"{name}: {words.ratio(told)}, {titles.machine(item.subject)} over {titles.machine(item.baseline)}"
        marks.append(Mark(end, y, "tick", "m1", False, said, places.row(item.subject)))
    strokes.append(Stroke(scale.at(1), TOP - 4, scale.at(1), height - FOOT + 2, "base"))
    said = "; ".join(
        f"{name} {words.ratio(_ratio(item, each=each))}" for item, name in zip(ordered, names, strict=True)
    )
    return Panel(
        title,
        f"{title}, how many times better: {said}.",
        WIDTH,
        height,
        tuple(strokes),
        tuple(texts),
        tuple(marks),
    )


def _ratio(item: Comparison, *, each: bool) -> float:
    return item.per_accelerator_ratio if each and item.per_accelerator_ratio is not None else item.ratio


def _bar_name(item: Comparison, *, typed: bool) -> str:
    kind = f", {item.system_type}" if typed and item.system_type else ""
    return f"{item.subject.scenario or 'Result'}{kind}"
