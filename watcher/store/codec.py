"""Domain values ↔ what a database cell holds: JSON text for values, ISO text for times.

A value is written without its empty fields and read back by the types that its dataclass states.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from functools import cache, lru_cache
from operator import attrgetter
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from watcher import domain
from watcher.migrations import RESULT_COLUMNS

_TYPE = "type"
_ESCAPE = "~"
_LISTS = ("system_type", "organisations", "accelerators", "software", "precision", "tags", "power")
_TIMES = ((datetime, datetime.fromisoformat), (date, date.fromisoformat))
_MAPPINGS = ("measures", "extra")
_SCALARS = frozenset({str, int, float, bool, type(None)})
_LIST_PLACES = tuple(RESULT_COLUMNS.index(name) for name in _LISTS)
_MAPPING_PLACES = tuple(RESULT_COLUMNS.index(name) for name in _MAPPINGS)
_cells = attrgetter(*RESULT_COLUMNS)
_encode = json.JSONEncoder(ensure_ascii=False).encode


def dumps(value: Any) -> str:
    """Return ``value`` (a domain value, or a list or mapping of them) as JSON text."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))


def loads(text: str) -> Any:
    """Read what `dumps` wrote."""
    return rich(json.loads(text))


def plain(value: Any) -> Any:
    """Return ``value`` as JSON values; a dataclass becomes a mapping that names its type."""
    kind: Any = type(value)
    if kind in _SCALARS:
        return value
    defaults = _defaults(kind)
    if defaults is not None:
        made: dict[str, Any] = {_TYPE: kind.__name__}
        for name, default in defaults:
            held = getattr(value, name)
            if held != default:
                made[name] = plain(held)
        return made
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return {_escaped(str(name)): plain(held) for name, held in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(held) for held in value]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(held) for held in value)
    return value


@cache
def _defaults(kind: type) -> tuple[tuple[str, Any], ...] | None:
    """The fields of a dataclass with their defaults, MISSING where there is none; None for any other type."""
    if not is_dataclass(kind):
        return None
    return tuple(
        (each.name, each.default if each.default_factory is MISSING else each.default_factory())
        for each in fields(kind)
    )


def rich(value: Any) -> Any:
    """Read JSON values back into domain values."""
    if isinstance(value, list):
        return tuple(rich(held) for held in value)
    if isinstance(value, dict):
        kind = _kind(value.get(_TYPE))
        if kind is None:
            return {_unescaped(key): rich(held) for key, held in value.items()}
        hints = _hints(kind)
        return kind(
            **{key: _typed(held, hints[key]) for key, held in value.items() if key != _TYPE and key in hints}
        )
    return value


def _escaped(name: str) -> str:
    """Return a mapping's key so that it never reads as the one that names a type: a published column may be called so."""
    return f"{_ESCAPE}{name}" if name.lstrip(_ESCAPE) == _TYPE else name


def _unescaped(name: str) -> str:
    return name[1:] if name.startswith(_ESCAPE) and name.lstrip(_ESCAPE) == _TYPE else name


def _kind(name: Any) -> Any:
    """Return the domain's dataclass of this name, or None."""
    found: Any = getattr(domain, name, None) if isinstance(name, str) else None
    return found if is_dataclass(found) else None


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _typed(value: Any, hint: Any) -> Any:
    if value is None:
        return None
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        for kind, read in _TIMES:
            if kind in kinds and isinstance(value, str):
                return read(value)
        return _typed(value, kinds[0]) if len(kinds) == 1 else rich(value)
    if hint is datetime:
        return time(value)
    if hint is bytes:
        return base64.b64decode(value)
    if origin is tuple:
        inner = get_args(hint)
        each = inner if inner[-1] is not Ellipsis else inner[:1] * len(value)
        return tuple(_typed(held, kind) for held, kind in zip(value, each, strict=True))
    if origin is frozenset:
        return frozenset(_typed(held, get_args(hint)[0]) for held in value)
    if hint is domain.Power:
        return domain.Power(*value)
    return rich(value)


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
    """Read a result from the cells that start at ``offset`` of ``row``."""
    cells: dict[str, Any] = dict(zip(RESULT_COLUMNS, row[offset:], strict=True))
    for name in _LISTS:
        cells[name] = _list_of(cells[name]) if cells[name] else ()
    if cells["power"]:
        cells["power"] = tuple(domain.Power(*held) for held in cells["power"])
    for name in _MAPPINGS:
        cells[name] = json.loads(cells[name]) if cells[name] else {}
    if cells["inferred"] is not None:
        cells["inferred"] = bool(cells["inferred"])
    return domain.Result(**cells, first_seen_at=time(first_seen_at))


def key_text(key: domain.ResultKey) -> str:
    """Return the natural key as one text, its parts joined by a unit separator (no published name holds one)."""
    return "\x1f".join(key)


def key_of(text: str) -> domain.ResultKey:
    """Read what `key_text` wrote."""
    return domain.ResultKey._make(text.split("\x1f"))
