"""Tables of an HTML page → grids with named columns, spans filled in.

A page may hold many tables; one is chosen by the names of its columns. Tables that only place things on a page (those
that hold other tables) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from watcher.errors import FetchError, ParseError
from watcher.parse.charset import decode
from watcher.parse.css import Css
from watcher.parse.links import absolute
from watcher.parse.markup import Element, plain, strings, tree, walk
from watcher.parse.readable import tag_text

MAX_CELLS = 200_000
"""Most cells of a page's tables, spans filled in."""

_MAX_SPAN = 1000  # HTML's own limit of colspan


class Row(Struct, frozen=True):
    """One row: its cells by the grid's columns, and the address of its first link."""

    cells: tuple[str, ...]
    link: str | None = None


class HtmlTable(Struct, frozen=True):
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
    page = tree(text, url)
    wanted = _selected(page, selector) if selector is not None else None
    budget = [MAX_CELLS]
    return tuple(
        _table(table, rows, url, budget)
        for table, rows in _data_tables(page)
        if wanted is None or table in wanted
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


def _selected(page: Element, selector: str) -> set[Element]:
    return {table for element in Css(page).select(selector) for table in element.iter("table")}


def _data_tables(page: Element) -> Iterator[tuple[Element, list[Element]]]:
    """Yield each table that holds no other, with its rows in order."""
    open_tables: list[tuple[Element, list[Element]]] = []
    innermost = False
    for node, entering in walk(page):
        if isinstance(node, str):
            continue
        if node.tag == "table":
            if entering:
                open_tables.append((node, []))
                innermost = True
            else:
                table, rows = open_tables.pop()
                if innermost:
                    yield table, rows
                innermost = False
        elif node.tag == "tr" and entering and open_tables:
            open_tables[-1][1].append(node)


def _table(table: Element, rows: list[Element], url: str, budget: list[int]) -> HtmlTable:
    grid, headers = _grid(rows, budget, url)
    width = max((len(cells) for cells in grid), default=0)
    grid = [cells + [""] * (width - len(cells)) for cells in grid]
    columns = [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*grid[:headers], strict=True)]
    caption = next(table.iter("caption"), None)
    return HtmlTable(
        tuple(columns),
        tuple(
            Row(tuple(cells), _link(row, url))
            for cells, row in zip(grid[headers:], rows[headers:], strict=True)
            if any(cells)
        ),
        plain(" ".join(strings(caption))) if caption is not None else "",
    )


def _grid(rows: list[Element], budget: list[int], url: str) -> tuple[list[list[str]], int]:
    """Return the rows' cells with spans filled in, and how many rows from the top are headers (at least one)."""
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}  # column → rows to go, text of a cell that reaches down
    headers = 0
    for position, row in enumerate(rows):
        cells: list[str] = []
        tags = list(row.iterchildren("td", "th"))
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


def _is_header(row: Element, tags: list[Element]) -> bool:
    if row.getparent().tag == "thead":
        return True
    return len(tags) > 0 and all(tag.tag == "th" for tag in tags)


def _span(tag: Element, name: str) -> int:
    text = (tag.get(name) or "1").strip()
    return max(1, min(int(text), _MAX_SPAN)) if re.fullmatch(r"[0-9]{1,6}", text) else 1


def _link(row: Element, url: str) -> str | None:
    linked = (anchor for anchor in row.iter("a") if anchor.get("href") is not None)
    for anchor in islice(linked, 5):
        link = absolute(url, anchor.get("href"))
        if link is not None:
            return link
    return None


def _folded(name: str) -> str:
    return plain(name).casefold()
