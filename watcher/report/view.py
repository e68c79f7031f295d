"""What a page says, ready for the templates: lines of words with links, tables, plots; no HTML in here.

A link inside the site is written from the site's root ("/alerts/A-0142.html#rows"); the shell makes it relative to
the page that it stands on, so that the site opens from a file as well as from any folder of a server.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct, field

from watcher.report.drawing import Plot

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # categories of characters that are not shown
COMMAND = "mlperf-watcher "  # a line that starts so is a command to copy


class Span(NamedTuple):
    """Some words in a line; ``kind`` is "" or one of: strong, soft, code, mark and what the mark means ("mark high")."""

    text: str
    href: str | None = None
    kind: str = ""


Line: TypeAlias = tuple[Span, ...]
Said: TypeAlias = str | Span


def line(*parts: Said) -> Line:
    """Return words and spans as one line."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts if part)


def joined(lines: Iterable[Line], between: str = ", ") -> Line:
    """Return several lines as one."""
    found: list[Span] = []
    for each in lines:
        if found:
            found.append(Span(between))
        found += each
    return tuple(found)


def web(text: str, url: str | None) -> Span:
    """Return words that link to an address outside; without a link where that is not plain http or https."""
    return Span(text, url if url is not None and is_web(url) else None)


def is_web(url: str) -> bool:
    """Whether an address is http or https, with a host and without a name or password in it."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(host) and "@" not in parts.netloc


def visible(text: str) -> str:
    """Return text without what is not seen: control characters, and signs that turn the direction of writing."""
    if text.isprintable():
        return text
    return "".join(" " if unicodedata.category(char) in _UNSEEN else char for char in text)


# ------------------------------------------------------------------------------------------------ tables


class Column(Struct, frozen=True):
    """One column: its header, whether it holds figures, which screens show it ("" all, "wide", "wider"), and its width.

    ``width`` in percent of the table, 0 where the content decides; a table has all of them or none.
    """

    name: str
    numeric: bool = False
    screens: str = ""
    width: int = 0

    @property
    def classes(self) -> str:
        """The classes of its cells."""
        return " ".join(filter(None, ("num" if self.numeric else "", self.screens)))


class Cell(Struct, frozen=True):
    """One cell. ``sort``: by what it sorts, where that is not its text. ``share``: a bar behind it, in percent."""

    line: Line
    strong: bool = False
    share: int | None = None
    sort: float | None = None

    @property
    def classes(self) -> str:
        """The classes of the cell's own."""
        bar = "" if self.share is None else f"bar s{self.share}"
        return " ".join(filter(None, ("strong" if self.strong else "", bar)))


class Row(Struct, frozen=True):
    """One row. ``anchor``: what links to it. ``values``: what its table is filtered by, several of one kind in a tuple.

    ``more``: what stands below it and is shown when asked for.
    """

    cells: tuple[Cell, ...]
    anchor: str | None = None
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    more: tuple[Block, ...] = ()


class Choice(Struct, frozen=True):
    """One value to filter by, and how many rows have it."""

    value: str
    text: str
    rows: int


class Filter(Struct, frozen=True):
    """One way to filter a table: the key in the rows' ``values``, its label, what can be chosen."""

    key: str
    label: str
    choices: tuple[Choice, ...]


class Table(Struct, frozen=True, kw_only=True):
    """A table. ``noun`` what its rows are, for the count of a table that can be filtered; "" is one that cannot.

    ``first``: the column by which the rows are sorted already, null if by none alone. ``opens``: whether what stands
    below its rows is shown from the start and in print.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    label: str = ""
    name: str = ""
    noun: str = ""
    nouns: str = ""
    filters: tuple[Filter, ...] = ()
    hint: str = ""
    opens: bool = False
    kind: ClassVar[str] = "table"

    @property
    def has_more(self) -> bool:
        """Whether any row has something below it."""
        return any(row.more for row in self.rows)

    @property
    def classes(self) -> str:
        """The classes of a table that can be filtered."""
        fixed = "fixed" if all(column.width for column in self.columns) else ""
        return " ".join(filter(None, ("listing", fixed, "opens" if self.opens else "")))


def cell(
    *parts: Said, strong: bool = False, share: float | None = None, sort: float | None = None, href: str | None = None
) -> Cell:  # fmt: skip
    """Return a cell; ``href`` links its one text; ``share`` of 1 is a full bar."""
    words = line(*parts)
    if href is not None:
        words = tuple(each._replace(href=href) for each in words)
    width = None if share is None else max(1, min(100, round(100 * share)))
    return Cell(words, strong, width, sort)


def filters(rows: Sequence[Row], wanted: Mapping[str, tuple[str, Mapping[str, str]]]) -> tuple[Filter, ...]:
    """Return the filters of a table: key → (label, titles of values); one with fewer than two values is left out."""
    found = []
    for key, (label, titles) in wanted.items():
        counts: dict[str, int] = {}
        for row in rows:
            for value in row.values.get(key, ()):
                counts[value] = counts.get(value, 0) + 1
        if len(counts) < 2:
            continue
        choices = [Choice(value, titles.get(value, value), count) for value, count in counts.items()]
        order = list(titles)
        ordered = sorted(
            choices,
            key=lambda one: (order.index(one.value) if one.value in titles else len(order), one.text.casefold(), one.value),
        )  # fmt: skip
        found.append(Filter(key, label, tuple(ordered)))
    return tuple(found)


# ------------------------------------------------------------------------------------------------ blocks and pages


class Words(Struct, frozen=True):
    """A paragraph."""

    line: Line
    soft: bool = False
    kind: ClassVar[str] = "words"


class Bullets(Struct, frozen=True):
    """A list."""

    lines: tuple[Line, ...]
    kind: ClassVar[str] = "bullets"


class Pairs(Struct, frozen=True):
    """Terms and what they mean."""

    pairs: tuple[tuple[str, Line], ...]
    kind: ClassVar[str] = "pairs"


class Beside(Struct, frozen=True):
    """Blocks that stand side by side where there is room."""

    blocks: tuple[Block, ...]
    kind: ClassVar[str] = "beside"


Block: TypeAlias = Words | Bullets | Pairs | Table | Beside | Plot


class Part(Struct, frozen=True):
    """All that stands under one heading; ``style`` is "" or care; ``aside``: beside the main column."""

    heading: str
    blocks: tuple[Block, ...]
    anchor: str = ""
    style: str = ""
    aside: bool = False


class Tile(Struct, frozen=True):
    """One large figure at the top of a page."""

    name: str
    value: str
    note: str = ""
    href: str | None = None


class Page(Struct, frozen=True, kw_only=True):
    """One page. ``path`` from the site's root; ``place``: which part of the site it belongs to.

    ``trail``: the pages above it, ``around`` those before and after it. ``severity`` colours an alert's page.
    ``contents``: whether it lists its parts.
    """

    path: str
    place: str
    title: str
    summary: str
    parts: tuple[Part, ...]
    tiles: tuple[Tile, ...] = ()
    trail: tuple[Span, ...] = ()
    around: tuple[Span, ...] = ()
    severity: str = ""
    contents: bool = False

    @property
    def main(self) -> tuple[Part, ...]:
        """The parts of the main column."""
        return tuple(part for part in self.parts if not part.aside)

    @property
    def beside(self) -> tuple[Part, ...]:
        """The parts beside it."""
        return tuple(part for part in self.parts if part.aside)


def paragraph(*parts: Said, soft: bool = False) -> Words:
    """Return a paragraph."""
    return Words(line(*parts), soft)


def said(texts: Iterable[str]) -> tuple[Line, ...]:
    """Return plain texts as lines; a command is written as one."""
    return tuple((Span(text, None, "code" if text.startswith(COMMAND) else ""),) for text in texts)
