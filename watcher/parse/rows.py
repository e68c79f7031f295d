"""A document's text → its raw rows, each with the place where a person finds it."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from watcher.domain import Aside
from watcher.errors import ParseError
from watcher.parse.cells import clean
from watcher.parse.doubles import once_each, the_same

MAX_CELLS = 4_000_000
"""Most cells and lines of one document; the largest ever published has about 60 thousand. As Python values each takes
a hundred bytes and more, so that a document within its bounds of bytes could still fill the memory."""

RawRow = tuple[str, dict[str, Any]]


def raw_rows(text: str, name: str) -> tuple[list[RawRow], list[Aside]]:
    """Rows of a JSON list, of a JSON object keyed by row number, or of CSV with a header; and what is no row.

    Places are "row 17" (counted from 1), "row '17'" (an object's key) and "line 3". Raises ParseError.
    """
    if text.count(",") + text.count("\n") > MAX_CELLS:
        raise ParseError(f"{name}: more than {MAX_CELLS:,} cells; no table of results has so many")
    if text.lstrip()[:1] in {"[", "{"}:
        return _json_rows(text, name)
    return _csv_rows(text, name)


def _json_rows(text: str, name: str) -> tuple[list[RawRow], list[Aside]]:
    try:
        document = json.loads(text, parse_constant=lambda _: None, object_pairs_hook=once_each(name))
    except RecursionError as error:
        raise ParseError(f"{name}: nested too deeply to be a table") from error
    except ValueError as error:  # malformed, or a number of thousands of digits
        raise ParseError(f"{name}: not JSON ({error}); a cut-off download looks like this") from error
    if isinstance(document, list):
        places = ((f"row {number}", row) for number, row in enumerate(document, 1))
    elif isinstance(document, dict) and document and all(key.strip().isdigit() for key in document):
        places = ((f"row {key!r}", row) for key, row in document.items())
    elif isinstance(document, dict):
        raise ParseError(f"{name}: a JSON object whose keys are not row numbers; not a summary table")
    else:
        raise ParseError(f"{name}: a JSON {type(document).__name__}, not a table")
    rows: list[RawRow] = []
    asides: list[Aside] = []
    clean_names: set[tuple[str, ...]] = set()  # names of columns found clean: most rows have the same
    for place, row in places:
        if isinstance(row, dict):
            columns = tuple(row)
            if columns not in clean_names and "".join(columns).isprintable():
                clean_names.add(columns)
            rows.append((place, row if columns in clean_names else _named(row, f"{name}: {place}")))
        else:
            asides.append(Aside(place, f"is a JSON {type(row).__name__}, not an object with columns"))
    return rows, asides


def _named(row: dict[str, Any], what: str) -> dict[str, Any]:
    """Return the row with its columns' names cleaned as its texts are. Raises ParseError if two are then the same."""
    found: dict[str, Any] = {}
    for column, cell in row.items():
        named = clean(column) or ""
        if named in found:
            the_same(what, named, found[named], cell)
        found[named] = cell
    return found


def _csv_rows(text: str, name: str) -> tuple[list[RawRow], list[Aside]]:
    rows: list[RawRow] = []
    asides: list[Aside] = []
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = [column.strip() for column in next(reader, [])]
        header = [column if column.isprintable() else clean(column) or "" for column in header]
        if len(set(header)) != len(header):
            double = next(column for column in header if header.count(column) > 1)
            raise ParseError(f"{name}: the header names the column {double[:80]!r} twice")
        for cells in reader:
            place = f"line {reader.line_num}"
            if len(cells) == len(header):
                rows.append((place, dict(zip(header, cells, strict=True))))
            elif any(cell.strip() for cell in cells):
                asides.append(Aside(place, f"has {len(cells)} cells where the header has {len(header)}"))
    except csv.Error as error:
        raise ParseError(f"{name}: not CSV at line {reader.line_num} ({error})") from error
    return rows, asides
