"""Tables of an HTML page → grids with named columns, spans filled in; and such a grid → results.

A page may hold many tables; one is chosen by the names of its columns. Tables that only place things on a page (those
that hold other tables) are none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published, named
from watcher.domain import Aside, Result, ResultKey, Table
from watcher.errors import ConfigError, FetchError, ParseError
from watcher.parse.cells import clean, count, number
from watcher.parse.charset import decode
from watcher.parse.links import absolute
from watcher.parse.markup import plain, tree, walk
from watcher.parse.readable import tag_text
from watcher.parse.shapes import Shape, canonical_columns

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MAX_CELLS = 200_000
"""Most cells of a page's tables, spans filled in."""

_MAX_SPAN = 1000  # HTML's own limit of colspan

FIELDS: Mapping[str, str] = {
    "submitter": "submitter", "platform": "platform", "system_name": "system_name", "division": "division",
    "availability": "availability", "system_type": "system_type", "benchmark": "benchmark_published", "scenario": "scenario",
    "value": "value", "unit": "unit_published", "accelerator": "accelerator_published", "accelerator_count": "accelerator_total",
    "accelerators_per_node": "accelerators_per_node", "nodes": "nodes", "processor": "processor",
    "processors_per_node": "processors_per_node", "processor_core_count": "processor_core_count",
    "software": "software_published", "precision": "precision_published", "operating_system": "operating_system",
    "accuracy": "accuracy", "notes": "notes",
}  # fmt: skip
"""Fields of a result that a column may be named for, with the published fact that it states."""

NEEDED = ("submitter", "division", "availability", "benchmark", "value", "unit")
"""Fields that a result cannot do without; so is one of platform and system_name."""

_COUNTS = frozenset(
    {"accelerator_total", "accelerators_per_node", "nodes", "processors_per_node", "processor_core_count"}
)


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


# ---------------------------------------------------------------------------------------------- results


def results_of(
    table: HtmlTable,
    *,
    columns: Mapping[str, str],
    fixed: Mapping[str, str],
    suite: str,
    round_name: str,
    catalog: Catalog,
    url: str,
) -> Table:
    """Return a table's rows as results of one suite and round.

    ``columns`` maps the table's columns to fields of `FIELDS`, ``fixed`` fields to the value that all rows have. A row that
    cannot be read is an Aside. Raises ConfigError where a needed field is neither, ParseError where no row can be read or
    two rows contradict each other.
    """
    facts = {field: table.position(column) for column, field in columns.items()}
    check_fields(facts.keys() | fixed.keys())
    results: dict[ResultKey, Result] = {}
    asides = []
    for place, row in enumerate(table.rows, start=1):
        said = dict(fixed)
        said.update({field: row.cells[at] for field, at in facts.items() if at is not None and row.cells[at]})
        known = {at for at in facts.values() if at is not None}
        extra = {
            name: row.cells[at] for at, name in enumerate(table.columns) if at not in known and row.cells[at]
        }
        try:
            result = named(_published(said, suite, round_name, row.link or url, extra), catalog)
        except ValueError as error:
            asides.append(Aside(f"row {place}", str(error)))
            continue
        before = results.setdefault(result.key, result)
        if before is not result and (before.value, before.unit) != (result.value, result.unit):
            raise ParseError(
                f"{url}: row {place} gives another value for {' · '.join(result.key[2:])} than a row before it"
            )
    if not results:
        raise ParseError(
            f"{url}: no row of the table is a result; {asides[0].message if asides else 'it has none'}"
        )
    shape = Shape(
        name="HTML table",
        mark=frozenset(),
        columns={FIELDS[field]: field for field in facts.keys() | fixed.keys()},
    )
    return Table(
        suite=suite,
        round=round_name,
        results=tuple(results.values()),
        columns=canonical_columns(shape, shape.columns.values()),
        unknown_columns=tuple(name for at, name in enumerate(table.columns) if at not in facts.values()),
        asides=tuple(asides),
    )


def check_fields(fields: Collection[str]) -> None:
    """Raise ConfigError where a field that a result cannot do without is neither a column nor fixed."""
    missing = [field for field in NEEDED if field not in fields]
    if "platform" not in fields and "system_name" not in fields:
        missing.append("platform")
    if missing:
        raise ConfigError(f"a result needs the field {missing[0]!r}: name its column, or give it as fixed")


def _published(
    said: Mapping[str, str], suite: str, round_name: str, url: str, extra: Mapping[str, str]
) -> Published:
    """Return what a row states. Raises ValueError, in words, for one that is no result."""
    facts = {FIELDS[field]: clean(text) for field, text in said.items()}
    value = number(re.sub(r"[*†‡\s]+$", "", facts.pop("value", None) or ""))
    if value is None or value <= 0:
        raise ValueError(f"no result: its value is {said.get('value', '')!r}")
    platform = facts.pop("platform", None) or facts.get("system_name")
    needed = {name: facts.pop(name, None) for name in ("submitter", "division", "availability", "benchmark_published", "unit_published")}  # fmt: skip
    for name, text in {**needed, "platform": platform}.items():
        if text is None:
            raise ValueError(f"no result: its {name.removesuffix('_published')} is blank")
    counts = {name: count(text) for name, text in facts.items() if name in _COUNTS}
    texts = {name: text for name, text in facts.items() if name not in _COUNTS}
    texts.setdefault("scenario", None)
    stated = {**needed, **texts, **counts, "platform": platform}
    return Published(suite=suite, round=round_name, value=value, url=url, extra=dict(extra), **stated)  # type: ignore[arg-type]


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
