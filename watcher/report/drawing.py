"""What a plot shows, ready for the templates: panels of strokes, words and marks, at their places in points."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct


class Mark(Struct, frozen=True):
    """One mark of a plot at (x, y): ``shape`` of SHAPES, ``style`` its colour's class, hollow or not, and its words."""

    x: float
    y: float
    shape: str
    style: str
    hollow: bool
    words: str
    href: str | None


class Text(Struct, frozen=True):
    """Words in a plot; ``anchor`` is start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    style: str = ""


class Stroke(Struct, frozen=True):
    """A line in a plot; a bar has words and leads to its row."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str
    words: str = ""
    href: str | None = None


class Panel(Struct, frozen=True):
    """One of the small multiples; ``note`` names its axis, ``words`` say all of it to who cannot see it."""

    title: str
    note: str
    words: str
    width: float
    height: float
    strokes: tuple[Stroke, ...]
    texts: tuple[Text, ...]
    marks: tuple[Mark, ...]


class Key(Struct, frozen=True):
    """One line of a plot's legend."""

    shape: str
    style: str
    hollow: bool
    text: str


class Plot(Struct, frozen=True):
    """Small multiples with their legend; ``note`` says what the axes show."""

    panels: tuple[Panel, ...]
    legend: tuple[Key, ...]
    note: str
    kind: ClassVar[str] = "plot"
