"""Domain values ↔ what a database cell holds: JSON text for values, ISO text for times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any

from msgspec import DecodeError
from msgspec.json import Decoder, Encoder

from watcher import domain
from watcher.errors import StateError
from watcher.migrations import RESULT_COLUMNS

_LISTS = ("system_type", "organisations", "accelerators", "software", "precision", "tags", "power")
_MAPPINGS = ("measures", "extra")
_LIST_PLACES = tuple(RESULT_COLUMNS.index(name) for name in _LISTS)
_MAPPING_PLACES = tuple(RESULT_COLUMNS.index(name) for name in _MAPPINGS)
_cells = attrgetter(*RESULT_COLUMNS)
_encode = json.JSONEncoder(ensure_ascii=False).encode
_values = Encoder(order="deterministic").encode  # equal values have equal text


def dumps(value: domain.Value | Sequence[domain.Value] | None) -> str:
    """Return a value, or several, as JSON text."""
    return _values(value).decode()


def loads(text: str, kind: Any) -> Any:
    """Read what `dumps` wrote of a ``kind``, a type or a union. Raises StateError for anything else."""
    try:
        return _decoder(kind).decode(text)
    except DecodeError as error:
        raise _damaged(f"{error}: {text[:80]!r}") from error


def _damaged(how: str) -> StateError:
    return StateError(
        f"the state holds a value that cannot be read ({how}); restore a backup (docs/deploy.md)",
        damaged=True,
    )


@cache
def _decoder(kind: Any) -> Decoder[Any]:
    return Decoder(kind)


def iso(value: datetime | None) -> str | None:
    """Return a time as ISO text in UTC, or None."""
    return None if value is None else value.isoformat(timespec="microseconds")


@lru_cache(maxsize=64)  # rows that are read together share their times
def time(text: str | None) -> datetime | None:
    """Read what `iso` wrote."""
    return None if text is None else datetime.fromisoformat(text)


def result_row(result: domain.Result) -> list[Any]:
    """Return a result as the cells of RESULT_COLUMNS."""
    row = list(_cells(result))
    for place in _LIST_PLACES:
        row[place] = _list_text(row[place]) if row[place] else None
    for place in _MAPPING_PLACES:
        row[place] = _encode(row[place]) if row[place] else None
    return row


@lru_cache(maxsize=8192)
def _list_text(values: tuple[Any, ...]) -> str:
    """Return a list's JSON text; a table has few different ones."""
    return _encode(values)


@lru_cache(maxsize=8192)
def _list_of(text: str) -> tuple[Any, ...]:
    """Read what `_list_text` wrote."""
    return tuple(json.loads(text))


def result_of(row: Any, offset: int, first_seen_at: str) -> domain.Result:
    """Read a result from the cells that start at ``offset`` of ``row``. Raises StateError for cells that nobody wrote so."""
    cells: dict[str, Any] = dict(zip(RESULT_COLUMNS, row[offset:], strict=True))
    try:
        for name in _LISTS:
            cells[name] = _list_of(cells[name]) if cells[name] else ()
        if cells["power"]:
            cells["power"] = tuple(domain.Power(*held) for held in cells["power"])
        for name in _MAPPINGS:
            cells[name] = json.loads(cells[name]) if cells[name] else {}
        seen = time(first_seen_at)
    except (ValueError, TypeError) as error:
        raise _damaged(f"{error}, in {cells['round']} {cells['submitter']} {cells['platform']}") from error
    if cells["inferred"] is not None:
        cells["inferred"] = bool(cells["inferred"])
    return domain.Result(**cells, first_seen_at=seen)


def key_text(key: domain.ResultKey) -> str:
    """Return the natural key as one text, its parts joined by a unit separator (no published name holds one)."""
    return "\x1f".join(key)


def key_of(text: str) -> domain.ResultKey:
    """Read what `key_text` wrote."""
    return domain.ResultKey._make(text.split("\x1f"))
