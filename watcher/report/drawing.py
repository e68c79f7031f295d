"""What a plot shows, ready for the templates: panels of strokes, words and marks, at their places in points."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of a plot at (x, y): ``shape`` of SHAPES, ``style`` its colour's class, hollow or not, and its words."""

    x: float
    y: float
    shape: str
    style: str
    hollow: bool
    words: str
    href: str | None


@dataclass(frozen=True, slots=True)
class Text:
    """Words in a plot; ``anchor`` is start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    style: str = ""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line in a plot; a bar has words and leads to its row."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str
    words: str = ""
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the small multiples; ``note`` names its axis, ``words`` say all of it to who cannot see it."""

    title: str
    note: str
    words: str
    width: float
    height: float
    strokes: tuple[Stroke, ...]
    texts: tuple[Text, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """One line of a plot's legend."""

    shape: str
    style: str
    hollow: bool
    text: str


@dataclass(frozen=True, slots=True)
class Plot:
    """Small multiples with their legend; ``note`` says what the axes show."""

    panels: tuple[Panel, ...]
    legend: tuple[Key, ...]
    note: str
    kind: str = field(default="plot", init=False)
