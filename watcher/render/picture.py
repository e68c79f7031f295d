"""Panels of marks → one picture, PNG or SVG bytes, readable in a mail.

Pictures are opaque and light, so they read the same in a dark mail client; as wide as a mail's column, with twice as
many pixels. The same panels give the same bytes. matplotlib is imported when a picture is drawn, not before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from watcher.errors import UsageError
from watcher.figures.cells import scenario_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMS = ("png", "svg")
WIDTH = 6.28  # inches at 100 points an inch: the column of a mail
DPI = 200
PANELS = 10  # more panels than this cannot be read in a mail; the picture says how many it leaves out
HEAD, LINE, GAP, FOOT, LEGEND = 0.62, 0.22, 0.32, 0.62, 0.20  # inches
LETTER = 0.066  # inches that a letter of 8 points takes, with some to spare
LONGEST = 38  # letters of a line's name
WIDE = 6.0  # where the best mark is this many times the least, the axis is logarithmic

PAPER, INK, QUIET, GRID = "#ffffff", "#1f2328", "#59636e", "#d8dee4"
# Marks differ in shape and in colours that stay apart for colour-blind readers (after Okabe and Ito).
MARKS: Mapping[str, tuple[str, str]] = {
    "Offline": ("o", "#0072b2"),
    "Server": ("s", "#d55e00"),
    "Interactive": ("D", "#009e73"),
    "SingleStream": ("^", "#cc79a7"),
    "MultiStream": ("v", "#7a6a00"),
    "ConstantStream": ("P", "#56b4e9"),
}
OTHER_MARK = ("X", "#1f2328")


class Point(Struct, frozen=True):
    """One mark: on which line of its panel, how far, in which scenario, and the figure in words beside it."""

    line: str
    scenario: str
    value: float
    label: str


class Panel(Struct, frozen=True):
    """One of the small multiples: its title, and its lines' points from top to bottom."""

    title: str
    points: tuple[Point, ...]

    @property
    def lines(self) -> list[str]:
        """The lines from top to bottom."""
        return list(dict.fromkeys(point.line for point in self.points))

    def on(self, line: str) -> list[Point]:
        """Return the marks of a line."""
        return [point for point in self.points if point.line == line]


class Axis(NamedTuple):
    """One axis for all panels; ``reference`` is where marks start: 1 of ratios, 100 of percentages."""

    low: float
    high: float
    logarithmic: bool
    reference: float


def draw(panels: Sequence[Panel], title: str, note: str, form: str, reference: float = 1.0) -> bytes:
    """Draw panels one under the other with one axis; ``note`` says what the axis shows.

    Of more than PANELS panels the first are drawn and the note says so. Raises UsageError for another form.
    """
    if form not in FORMS:
        raise UsageError(f"{form!r} is not a form of picture: use {' or '.join(FORMS)}")
    from matplotlib import rc_context  # noqa: PLC0415 - heavy, only when a picture is drawn
    from matplotlib.figure import Figure  # noqa: PLC0415

    shown = panels[:PANELS]
    left_out = len(panels) - len(shown)
    note = f"{note} ({left_out} more panels are not drawn)" if left_out else note
    inches = [0.12 + LINE * len(panel.lines) for panel in shown]
    scenarios = _scenarios(shown)
    foot = FOOT + (LEGEND if scenarios else 0.0)
    height = HEAD + sum(inches) + GAP * (len(shown) - 1) + foot
    with rc_context({"svg.hashsalt": "mlperf-watcher", "font.family": "DejaVu Sans"}):
        picture = Figure(figsize=(WIDTH, height), dpi=DPI, facecolor=PAPER)
        margin, top = _margin(shown), height - HEAD
        axis = _axis(shown, reference, (0.97 - margin) * WIDTH)
        for panel, size in zip(shown, inches, strict=True):
            axes = picture.add_axes((margin, (top - size) / height, 0.97 - margin, size / height))
            _draw_panel(axes, panel, axis, numbered=panel is shown[-1])
            top -= size + GAP
        _write(picture, title, note)
        _legend(picture, scenarios)
        out = BytesIO()
        metadata = {"Software": None} if form == "png" else {"Date": None, "Creator": None}
        picture.savefig(out, format=form, metadata=metadata)
    return out.getvalue()


def _draw_panel(axes: Axes, panel: Panel, axis: Axis, *, numbered: bool) -> None:
    lines = panel.lines
    if axis.logarithmic:
        axes.set_xscale("log")
        _round_ticks(axes, axis)
    axes.set_facecolor(PAPER)
    axes.set_xlim(axis.low, axis.high)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.axvline(axis.reference, color=QUIET, linewidth=1.0, zorder=1)
    for y, line in enumerate(lines):
        for point in panel.on(line):
            shape, colour = MARKS.get(point.scenario, OTHER_MARK)
            axes.plot(
                [axis.reference, point.value], [y, y], color=colour, linewidth=1.4, alpha=0.55, zorder=2
            )
            axes.plot([point.value], [y], marker=shape, color=colour, markersize=6, linestyle="", zorder=3)
        text, value = _label(panel.on(line))
        axes.annotate(
            text, (max(value, axis.reference), y), (7, 0), textcoords="offset points", va="center",
            fontsize=8, color=INK, zorder=4,
        )  # fmt: skip
    names = [drawable(shortened(line)) for line in lines]
    axes.set_yticks(range(len(lines)), names, fontsize=8, color=INK, parse_math=False)
    title = axes.set_title(drawable(panel.title), loc="left", fontsize=9, color=INK, pad=4, parse_math=False)
    title.set_fontweight("bold")
    axes.tick_params(which="both", length=0, labelsize=8, labelcolor=INK)
    axes.tick_params(axis="x", which="both", labelsize=7, labelcolor=QUIET, labelbottom=numbered)
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in axes.spines.values():
        side.set_visible(False)


def _round_ticks(axes: Axes, axis: Axis) -> None:
    ticks = [step * 10**power for power in range(-2, 5) for step in (1, 2, 5)]
    inside = [tick for tick in ticks if axis.low <= tick <= axis.high]
    axes.set_xticks(inside, [f"{tick:g}" for tick in inside])
    axes.minorticks_off()


def _label(points: Sequence[Point]) -> tuple[str, float]:
    """Return the text beside a line and its best mark; where the line holds several marks, with that one's scenario."""
    top = max(points, key=lambda point: point.value)
    return (top.label if len(points) == 1 else f"{top.label} {top.scenario}"), top.value


def _write(picture: Figure, title: str, note: str) -> None:
    height = picture.get_figheight()
    head = picture.text(0.02, 1 - 0.22 / height, drawable(title), fontsize=10.5, color=INK, parse_math=False)
    head.set(fontweight="bold", verticalalignment="center")
    picture.text(0.02, 0.12 / height, drawable(note), fontsize=8, color=QUIET, parse_math=False)


def _legend(picture: Figure, scenarios: Sequence[str]) -> None:
    """Say what the marks mean, where the lines do not."""
    from matplotlib.lines import Line2D  # noqa: PLC0415 - heavy, only when a picture is drawn

    if not scenarios:
        return
    marks = [MARKS.get(name, OTHER_MARK) for name in scenarios]
    handles = [
        Line2D([], [], marker=shape, color=colour, linestyle="", markersize=6) for shape, colour in marks
    ]
    picture.legend(
        handles, scenarios, loc="lower left", bbox_to_anchor=(0.005, 0.24 / picture.get_figheight()), fontsize=8,
        ncols=len(scenarios), labelcolor=INK, frameon=False, handletextpad=0.1, columnspacing=1.0,
    )  # fmt: skip


def _scenarios(panels: Iterable[Panel]) -> list[str]:
    """Return the scenarios that a legend must explain; none where every line names its own."""
    points = [point for panel in panels for point in panel.points]
    if all(point.line.startswith(point.scenario) for point in points):
        return []
    return sorted({point.scenario for point in points}, key=scenario_order)


def _axis(panels: Sequence[Panel], reference: float, width: float) -> Axis:
    """Return the axis from the least mark to the farthest, with room for the text beside each line.

    ``width`` of a panel in inches. A text of r inches beside a mark fits where the mark stands at 1 - r / width.
    """
    values = [reference, *(point.value for panel in panels for point in panel.points)]
    logarithmic = min(values) > 0 and max(values) / min(values) > WIDE
    place, value_at = (log, exp) if logarithmic else (float, float)
    low, high = place(min(values)), place(max(values))
    low -= 0.06 * ((high - low) or 0.1)
    ends = [high + 0.02 * (high - low)]
    for panel in panels:
        for line in panel.lines:
            text, value = _label(panel.on(line))
            room = min((LETTER * len(text) + 0.16) / width, 0.8)
            ends.append(low + (place(max(value, reference)) - low) / (1 - room))
    return Axis(value_at(low), value_at(max(ends)), logarithmic, reference)


def _margin(panels: Iterable[Panel]) -> float:
    """Return the left margin as a share of the width, for the longest name of a line."""
    longest = max(len(shortened(line)) for panel in panels for line in panel.lines)
    return (0.2 + LETTER * longest) / WIDTH


def shortened(name: str) -> str:
    """Cut a name that would leave no room for its marks."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def drawable(text: str) -> str:
    """Replace characters that the font has no glyph for, which would be drawn as empty boxes."""
    from matplotlib.font_manager import findfont, get_font  # noqa: PLC0415 - heavy, only when a picture is drawn

    font = get_font(findfont("DejaVu Sans"))
    return "".join(char if font.get_char_index(ord(char)) else "?" for char in text)
