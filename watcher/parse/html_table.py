"""Tables of an HTML page → grids with named columns, spans filled in.

A page may hold many tables; one is chosen by the names of its columns. Tables that only place things on a page (those
that hold other tables) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from watcher.errors import FetchError, ParseError
from watcher.parse.charset import decode
from watcher.parse.links import absolute
from watcher.parse.markup import plain, tree, walk
from watcher.parse.readable import tag_text

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MAX_CELLS = 200_000
"""Most cells of a page's tables, spans filled in."""

_MAX_SPAN = 1000  # HTML's own limit of colspan


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its cells by the grid's columns, and the address of its first link."""

    cells: tuple[str, ...]
    link: str | None = None


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table with its columns' names (headers over each other are joined) and its rows without the headers."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""

    def position(self, name: str) -> int | None:
        """Return where the column called ``name`` stands (its whole header, or the last of those joined), else null."""
        wanted = _folded(name)
        for position, column in enumerate(self.columns):
            if _folded(column) == wanted:
                return position
        for position, column in enumerate(self.columns):
            if _folded(column).endswith(f" {wanted}"):
                return position
        return None


def read_tables(
    body: bytes, *, url: str, media_type: str = "", selector: str | None = None
) -> tuple[HtmlTable, ...]:
    """Read the tables of data of a page fetched from ``url``, or those that a CSS selector finds.

    Raises FetchError of class not-what-it-was for an empty document, ParseError for one beyond the bounds, ConfigError for a
    wrong selector.
    """
    text = decode(body, media_type, url)
    if not text.strip():
        raise FetchError(f"{url}: the page is empty", url=url, failure="not-what-it-was")
    soup = tree(text, url)
    wanted = _selected(soup, selector) if selector is not None else None
    budget = [MAX_CELLS]
    return tuple(
        _table(table, rows, url, budget)
        for table, rows in _data_tables(soup)
        if wanted is None or any(table is tag for tag in wanted)
    )


def find_table(tables: Sequence[HtmlTable], columns: Sequence[str], url: str) -> HtmlTable:
    """Return the first table that has all the columns named. Raises ParseError, with those of the nearest one."""
    best: tuple[int, HtmlTable] | None = None
    for table in tables:
        has = sum(table.position(column) is not None for column in columns)
        if has == len(columns):
            return table
        if best is None or has > best[0]:
            best = (has, table)
    if best is None:
        raise ParseError(f"{url}: holds no table of data; a script may fill the page")
    missing = [column for column in columns if best[1].position(column) is None]
    there = ", ".join(repr(column) for column in best[1].columns[:20])
    raise ParseError(f"{url}: no table has the column {missing[0]!r}; the nearest one has {there}")


# ---------------------------------------------------------------------------------------------- grids


def _selected(soup: BeautifulSoup, selector: str) -> list[Tag]:
    from watcher.parse.article import select  # noqa: PLC0415

    found = select(soup, selector)
    return [table for tag in found for table in ([tag] if tag.name == "table" else tag.find_all("table"))]


def _data_tables(soup: BeautifulSoup) -> Iterator[tuple[Tag, list[Tag]]]:
    """Yield each table that holds no other, with its rows in order."""
    from bs4 import Tag  # noqa: PLC0415 - heavy, only when there is a page to read

    open_tables: list[tuple[Tag, list[Tag]]] = []
    innermost = False
    for node, entering in walk(soup):
        if not isinstance(node, Tag):
            continue
        if node.name == "table":
            if entering:
                open_tables.append((node, []))
                innermost = True
            else:
                table, rows = open_tables.pop()
                if innermost:
                    yield table, rows
                innermost = False
        elif node.name == "tr" and entering and open_tables:
            open_tables[-1][1].append(node)


def _table(table: Tag, rows: list[Tag], url: str, budget: list[int]) -> HtmlTable:
    grid, headers = _grid(rows, budget, url)
    width = max((len(cells) for cells in grid), default=0)
    grid = [cells + [""] * (width - len(cells)) for cells in grid]
    columns = [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*grid[:headers], strict=True)]
    caption = table.find("caption")
    return HtmlTable(
        tuple(columns),
        tuple(
            Row(tuple(cells), _link(row, url))
            for cells, row in zip(grid[headers:], rows[headers:], strict=True)
            if any(cells)
        ),
        plain(caption.get_text(" ")) if caption is not None else "",
    )


def _grid(rows: list[Tag], budget: list[int], url: str) -> tuple[list[list[str]], int]:
    """Return the rows' cells with spans filled in, and how many rows from the top are headers (at least one)."""
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column → rows to go, text of a cell that reaches down
    headers = 0
    for position, row in enumerate(rows):
        cells: list[str] = []
        tags = row.find_all(["td", "th"], recursive=False)
        for tag in tags:
            _fill(cells, hanging)
            text = plain(tag_text(tag))
            across, down = _span(tag, "colspan"), _span(tag, "rowspan")
            for _ in range(across):
                if down > 1:
                    hanging[len(cells)] = (down - 1, text)
                cells.append(text)
            budget[0] -= across
            if budget[0] < 0:
                break
        last = max(hanging, default=-1)
        while len(cells) <= last:  # a short row under cells that reach down further right
            _fill(cells, hanging)
            if len(cells) <= last:
                cells.append("")
        budget[0] -= len(cells)
        if budget[0] < 0:
            raise ParseError(f"{url}: its tables have more than {MAX_CELLS:,} cells")
        grid.append(cells)
        if position == headers and _is_header(row, tags):
            headers += 1
    return grid, max(1, headers)


def _fill(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    """Put in cells that reach down from rows above."""
    while (reaching := hanging.pop(len(cells), None)) is not None:
        left, text = reaching
        if left > 1:
            hanging[len(cells)] = (left - 1, text)
        cells.append(text)


def _is_header(row: Tag, tags: list[Tag]) -> bool:
    if row.parent is not None and row.parent.name == "thead":
        return True
    return len(tags) > 0 and all(tag.name == "th" for tag in tags)


def _span(tag: Tag, name: str) -> int:
    text = str(tag.get(name) or "1").strip()
    return max(1, min(int(text), _MAX_SPAN)) if re.fullmatch(r"[0-9]{1,6}", text) else 1


def _link(row: Tag, url: str) -> str | None:
    for anchor in row.find_all("a", href=True, limit=5):
        link = absolute(url, str(anchor["href"]))
        if link is not None:
            return link
    return None


def _folded(name: str) -> str:
    return plain(name).casefold()
