"""A table in UTF-8 → its raw rows, each with the place where a person finds it and a digest of it as published.

A row's cells are read when somebody asks for them: of a table that comes again nearly every row is known by its digest.
"""

from __future__ import annotations

import csv
import io
import json
import marshal
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any

from msgspec import DecodeError, Raw, Struct
from msgspec.json import Decoder, decode

from watcher.domain import Aside
from watcher.errors import ParseError
from watcher.parse.body import first_of
from watcher.parse.cells import clean
from watcher.parse.doubles import once_each, the_same

MAX_CELLS = 4_000_000
"""Most cells and lines of one document; the largest ever published has about 60 thousand. As Python values each takes
a hundred bytes and more, so that a document within its bounds of bytes could still fill the memory."""

MAX_ROWS = 200_000
"""Most rows of one document; the largest ever published has about 1,500. Each takes half a thousand bytes beside its cells."""

_DIGEST = 12  # bytes of a row's digest
_OBJECT = ord("{")  # the first byte of one
_ESCAPE = b"\\"
_DELETE = b"\x7f"  # the one control character that JSON allows in a text
_FORMAT = 2  # of marshal: without references, so that equal rows have equal bytes

Cells = dict[str, Any]
_decode = Decoder().decode


class RawRow(Struct, frozen=True):
    """One row as published.

    ``place``: where a person finds it. ``digest``: of all that the document says in it. ``written``: the row as it stands
    there, and what reads it, with its place.
    """

    place: str
    digest: bytes
    written: Any
    reader: Callable[[str, Any], Cells]

    def read(self) -> Cells:
        """Return its cells by column, as published. Raises ParseError if a column stands twice, with two values.

        They are not kept, so that each row is read into the memory that the one before took.
        """
        return self.reader(self.place, self.written)


def raw_rows(document: bytes, name: str) -> tuple[list[RawRow], list[Aside]]:
    """Rows of a JSON list, of a JSON object keyed by row number, or of CSV with a header; and what is no row.

    Places are "row 17" (counted from 1), "row '17'" (an object's key) and "line 3". Raises ParseError.
    """
    if len(document) > MAX_CELLS and document.count(b",") + document.count(b"\n") > MAX_CELLS:
        raise ParseError(f"{name}: more than {MAX_CELLS:,} cells; no table of results has so many")
    if first_of(document) in {"[", "{"}:
        try:
            return _json_rows(document, name)
        except RecursionError as error:
            raise ParseError(f"{name}: nested too deeply to be a table") from error
    return _csv_rows(document.decode(), name)


# ------------------------------------------------------------------------------------------ JSON


def _json_rows(document: bytes, name: str) -> tuple[list[RawRow], list[Aside]]:
    parts = _parts(document, name)
    if parts is None:
        return _read_at_once(document.decode(), name)
    cells = _JsonCells(name, plain=document.isascii() and _DELETE not in document)
    rows: list[RawRow] = []
    asides: list[Aside] = []
    for place, part in parts:
        if memoryview(part)[0] == _OBJECT:
            digest = blake2b(part, digest_size=_DIGEST).digest()
            rows.append(RawRow(place, digest, part, cells.read))
        else:
            asides.append(_no_row(place, cells.value(place, bytes(part))))
    return rows, asides


def _parts(document: bytes, name: str) -> list[tuple[str, Raw | bytes]] | None:
    """The rows of a document with their places, each as it is written there.

    Null where that cannot be told for certain: of a document that is not JSON to the letter (some tables have NaN), and of an
    object that may have a key twice. Raises ParseError for more than MAX_ROWS.
    """
    try:
        if document.lstrip().startswith(b"["):
            listed = decode(document, type=list[Raw])
            _within(len(listed), name)
            return [(f"row {number}", part) for number, part in enumerate(listed, 1)]
        raw = decode(document, type=dict[str, Raw])
    except DecodeError:
        return None
    _within(len(raw), name)
    keyed = {key: bytes(part) for key, part in raw.items()}
    quotes = sum(part.count(b'"') for part in keyed.values())
    if not keyed or not _are_numbers(keyed) or document.count(b'"') != quotes + 2 * len(keyed):
        return None
    return [(f"row {key!r}", part) for key, part in keyed.items()]


class _JsonCells:
    """Reads the rows of one document."""

    def __init__(self, name: str, *, plain: bool = False) -> None:
        """``plain``: no character but a printable one stands in the document as it is."""
        self._name = name
        self._plain = plain
        self._decode = json.JSONDecoder(parse_constant=_null, object_pairs_hook=once_each(name)).decode
        self._clean: set[tuple[str, ...]] = set()  # names of columns found clean: most rows have the same

    def read(self, place: str, written: Raw | bytes) -> Cells:
        """Read one row. Raises ParseError if it has two values for one column, or is no JSON after all."""
        part = bytes(written)
        row = _once_each(part)
        if row is None:
            row = self.value(place, part)
        return row if self._plain and _ESCAPE not in part else self.named(place, row)

    def value(self, place: str, part: bytes) -> Any:
        """Read one value with a closer look. Raises ParseError as `read` does."""
        try:
            return self._decode(part.decode())
        except ValueError as error:  # a number of thousands of digits
            raise ParseError(f"{self._name}: {place} is not JSON ({error})") from error

    def named(self, place: str, row: Cells) -> Cells:
        """Return the row with its columns' names cleaned as its texts are. Raises ParseError if two are then the same."""
        columns = tuple(row)
        if columns in self._clean:
            return row
        if "".join(columns).isprintable():
            self._clean.add(columns)
            return row
        found: Cells = {}
        for column, cell in row.items():
            named = clean(column) or ""
            if named in found:
                the_same(f"{self._name}: {place}", named, found[named], cell)
            found[named] = cell
        return found


def _once_each(part: bytes) -> Cells | None:
    """The cells of a row, if it is certain that it names no column twice; null where that takes a closer look.

    Each column and each text stands between two quotation marks. If the row has no more of them than what was read of it,
    nothing was lost.
    """
    try:
        row: Cells = _decode(part)
    except DecodeError:
        return None
    texts = list(map(type, row.values())).count(str)
    return row if part.count(b'"') == 2 * (len(row) + texts) else None


def _read_at_once(text: str, name: str) -> tuple[list[RawRow], list[Aside]]:
    """Rows of a document that is not taken apart before it is read."""
    try:
        document = json.loads(text, parse_constant=_null, object_pairs_hook=once_each(name))
    except ValueError as error:  # malformed, or a number of thousands of digits
        raise ParseError(f"{name}: not JSON ({error}); a cut-off download looks like this") from error
    if isinstance(document, list):
        placed = [(f"row {number}", row) for number, row in enumerate(document, 1)]
    elif isinstance(document, dict) and document and _are_numbers(document):
        placed = [(f"row {key!r}", row) for key, row in document.items()]
    elif isinstance(document, dict):
        raise ParseError(f"{name}: a JSON object whose keys are not row numbers; not a summary table")
    else:
        raise ParseError(f"{name}: a JSON {type(document).__name__}, not a table")
    _within(len(placed), name)
    cells = _JsonCells(name)
    rows = [
        RawRow(place, _digest_of(row), row, cells.named) for place, row in placed if isinstance(row, dict)
    ]
    return rows, [_no_row(place, row) for place, row in placed if not isinstance(row, dict)]


def _within(count: int, name: str) -> None:
    if count > MAX_ROWS:
        raise ParseError(f"{name}: more than {MAX_ROWS:,} rows; no table of results has so many")


def _are_numbers(keys: Iterable[str]) -> bool:
    return all(key.strip().isdigit() for key in keys)


def _null(_constant: str) -> None:
    """NaN and Infinity say nothing."""


def _no_row(place: str, value: Any) -> Aside:
    return Aside(place, f"is a JSON {type(value).__name__}, not an object with columns")


def _digest_of(value: Any) -> bytes:
    """A digest of a row as it was read. Raises RecursionError for one that is nested too deeply."""
    try:
        return blake2b(marshal.dumps(value, _FORMAT), digest_size=_DIGEST).digest()
    except ValueError as error:
        raise RecursionError from error


# ------------------------------------------------------------------------------------------ CSV


def _copied(_place: str, row: Cells) -> Cells:
    return row.copy()


def _csv_rows(text: str, name: str) -> tuple[list[RawRow], list[Aside]]:
    rows: list[RawRow] = []
    asides: list[Aside] = []
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = [column.strip() for column in next(reader, [])]
        header = [column if column.isprintable() else clean(column) or "" for column in header]
        if len(set(header)) != len(header):
            double = Counter(header).most_common(1)[0][0]
            raise ParseError(f"{name}: the header names the column {double[:80]!r} twice")
        for cells in reader:
            _within(len(rows) + len(asides), name)
            place = f"line {reader.line_num}"
            if len(cells) == len(header):
                row = dict(zip(header, cells, strict=True))
                rows.append(RawRow(place, _digest_of(row), row, _copied))
            elif any(cell.strip() for cell in cells):
                asides.append(Aside(place, f"has {len(cells)} cells where the header has {len(header)}"))
    except csv.Error as error:
        raise ParseError(f"{name}: not CSV at line {reader.line_num} ({error})") from error
    return rows, asides
