"""Small multiples by scenario: each row of a benchmark as a mark on the line of its accelerator; and ratios as bars.

Drawn for the page that they stand on: in its colours, light and dark, with a link from each mark to its row. The same
figures stand in tables beside them, so nothing is told by a picture alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from watcher.catalog.names import Catalog
from watcher.domain import Comparison, Result
from watcher.figures.attendance import PROCESSORS, vendors_of
from watcher.figures.cells import Cell, by_cell, cell_order, scenario_order, usable
from watcher.figures.comparability import compatibility
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import grouped, per_accelerator
from watcher.report import titles
from watcher.report.axis import Axis, axis, short
from watcher.report.drawing import Key, Mark, Panel, Plot, Stroke, Text
from watcher.report.places import Places

WIDTH, LINE, TOP, FOOT = 370.0, 21.0, 6.0, 20.0  # points
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
OTHERS = "others, or mixed"
_OTHER = ("cross", "m5")


class _Lane(Struct, frozen=True):
    """One line of a panel: an accelerator's rows, the best first, and the best of an earlier round."""

    name: str
    rows: tuple[Result, ...]
    past: Result | None


# ------------------------------------------------------------------------------------------------ rows of a benchmark


def benchmark_plot(
    rows: Sequence[Result], earlier: Sequence[Result], places: Places, catalog: Catalog
) -> Plot | None:
    """Draw the closed rows of one benchmark and round, a panel a scenario; null where there are none.

    ``earlier``: the benchmark's rows of the round before, whose best is shown where it compares. Rows in another unit, and
    rows without a figure per accelerator beside rows that have one, get panels of their own.
    """
    closed = by_cell(row for row in rows if row.division == "closed" and usable(row))
    past = by_cell(row for row in earlier if row.division == "closed" and usable(row))
    several = len({cell.system_type for cell in closed}) > 1
    panels = []
    for cell in sorted(closed, key=cell_order):
        groups = grouped(closed[cell], _measure)
        for unit, each in sorted(groups, key=lambda one: (not one[1], one[0])):
            before = [row for row in past.get(cell, ()) if _measure(row) == (unit, each)]
            name = " ".join(filter(None, (cell.scenario or "Results", cell.accuracy_target)))
            kind = cell.system_type if several else None
            apart = "no figure per accelerator" if not each and (unit, True) in groups else None
            title = ", ".join(filter(None, (name, kind, apart)))
            panels.append(_panel(title, groups[unit, each], before, places, catalog))
    if not panels:
        return None
    return Plot(tuple(panels), _legend(closed, past, catalog), _NOTE)


_NOTE = (
    "Each mark is a published row of the closed division, on the line of its accelerator, and leads to it; the figure behind "
    "a line is its best row. Figures per accelerator are ours."
)


def _measure(row: Result) -> tuple[str, bool]:
    """Return the unit of a row, and whether it has a figure per accelerator."""
    return row.unit, row.value_per_accelerator is not None


def _panel(
    title: str, rows: Sequence[Result], past: Sequence[Result], places: Places, catalog: Catalog
) -> Panel:
    unit, each = _measure(rows[0])
    told = _each if each else _value
    lanes = _lanes(rows, past, told)
    shown = lanes[:LINES]
    measure = f"{unit} per accelerator" if each else unit
    left = max(40.0, LETTER * max(len(_cut(lane.name)) for lane in shown) + 10)
    scale = axis([told(row) for lane in shown for row in lane.rows], left, WIDTH - VALUE)
    height = TOP + LINE * len(shown) + FOOT
    strokes, texts = _frame(scale, height)
    marks: list[Mark] = []
    for place, lane in enumerate(shown):
        y = TOP + LINE * (place + 0.5)
        style = "strong" if place == 0 else ""
        strokes.append(Stroke(left, y, WIDTH - VALUE, y, "grid"))
        texts.append(Text(left - 8, y + 4, _cut(lane.name), "end"))
        texts.append(Text(WIDTH - 1, y + 4, number(told(lane.rows[0])), "end", style))
        if lane.past is not None and scale.low <= told(lane.past) <= scale.high:
            at = scale.at(told(lane.past))
            strokes.append(Stroke(at, y - 7, at, y + 7, "past soft"))
        marks += [_mark(row, scale.at(told(row)), y, told, measure, places, catalog) for row in lane.rows]
    better = "lower is better" if rows[0].better == "lower" else "higher is better"
    part = f"the best {LINES} of {len(lanes)}" if len(lanes) > LINES else ""
    scaled = "logarithmic" if scale.logarithmic else ""
    note = ", ".join(filter(None, (measure, better, scaled, part)))
    best = "; ".join(f"{lane.name} {number(told(lane.rows[0]))}" for lane in shown[:12])
    return Panel(
        title=title,
        note=note,
        words=f"{title}: {note}. Best row of each: {best}.",
        width=WIDTH,
        height=height,
        strokes=tuple(strokes),
        texts=tuple(texts),
        marks=tuple(marks),
    )


def _value(row: Result) -> float:
    return row.value


def _each(row: Result) -> float:
    return row.value_per_accelerator or 0.0


def _lanes(rows: Sequence[Result], past: Sequence[Result], told: Callable[[Result], float]) -> list[_Lane]:
    """Return a line an accelerator (of rows without one, a processor), the best first."""

    def worse(row: Result) -> tuple[float, object]:
        return (told(row) if row.better == "lower" else -told(row)), row.key

    lanes = []
    held = grouped(past, _lane_name)
    for name, those in grouped(rows, _lane_name).items():
        ordered = sorted(those, key=worse)
        before = min(held.get(name, ()), key=worse, default=None)
        if before is not None and compatibility(before, ordered[0]).verdict == "changed":
            before = None
        lanes.append(_Lane(name, tuple(ordered), before))
    return sorted(lanes, key=lambda lane: worse(lane.rows[0]))


def _lane_name(row: Result) -> str:
    return titles.accelerator(row) if row.accelerators else titles.system(row)


def _mark(
    row: Result,
    x: float,
    y: float,
    told: Callable[[Result], float],
    measure: str,
    places: Places,
    catalog: Catalog,
) -> Mark:
    shape, style = _look(row, catalog)
    preview = row.availability == "preview"
    said = f"{titles.machine(row)}: {number(told(row))} {measure}{', preview' if preview else ''}"
    return Mark(x, y, shape, style, preview, said, places.row(row))


def _look(row: Result, catalog: Catalog) -> tuple[str, str]:
    return MAKERS.get(_maker(row, catalog), _OTHER)


def _maker(row: Result, catalog: Catalog) -> str:
    """Return who makes a row's accelerators; OTHERS where several do."""
    found = vendors_of(row, catalog)
    return found[0] if len(found) == 1 else OTHERS


def _legend(
    closed: Mapping[Cell, Sequence[Result]], past: Mapping[Cell, Sequence[Result]], catalog: Catalog
) -> tuple[Key, ...]:
    rows = [row for those in closed.values() for row in those]
    makers = {_maker(row, catalog) for row in rows}
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
    for place, (item, name) in enumerate(zip(ordered, names, strict=True)):
        y = TOP + LINE * (place + 0.5)
        told = _ratio(item, each=each)
        end = scale.at(told)
        texts.append(Text(left - 8, y + 4, name, "end"))
        texts.append(Text(end + 8, y + 4, words.ratio(told), style="strong" if told == most else ""))
        said = f"{name}: {words.ratio(told)}, {titles.machine(item.subject)} over {titles.machine(item.baseline)}"
        style = "bar1" if told >= 1 else "bar2"
        strokes.append(Stroke(scale.at(0), y, end, y, style, said, places.row(item.subject)))
    strokes.append(Stroke(scale.at(1), TOP - 4, scale.at(1), height - FOOT + 2, "base"))
    said = "; ".join(
        f"{name} {words.ratio(_ratio(item, each=each))}" for item, name in zip(ordered, names, strict=True)
    )
    return Panel(
        title=title,
        note="",
        words=f"{title}, how many times better: {said}.",
        width=WIDTH,
        height=height,
        strokes=tuple(strokes),
        texts=tuple(texts),
        marks=(),
    )


def _ratio(item: Comparison, *, each: bool) -> float:
    return item.per_accelerator_ratio if each and item.per_accelerator_ratio is not None else item.ratio


def _bar_name(item: Comparison, *, typed: bool) -> str:
    kind = f", {item.system_type}" if typed and item.system_type else ""
    return f"{item.subject.scenario or 'Result'}{kind}"
