"""JSON, YAML and single values out of bytes that others wrote: what is expected, or ParseError, and nothing else.

Numbers that are not finite are no numbers. Texts lose control characters and halves of surrogate pairs, so that every
value that leaves here can be stored and sent. Sizes are capped: a log of a run is some megabytes, a description some
kilobytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from watcher.errors import ParseError

MAX_BYTES = 64 * 2**20
"""Largest log that is read; a LoadGen detail log of an hour is about a tenth of it."""

MAX_JSON = 16 * 2**20
MAX_YAML = 128 * 2**10
"""Largest point configuration; its parser is pure Python on purpose (deep nesting must not end the process)."""

MAX_WORDS = 4000
"""Longest text that is kept of one field, in characters."""

_BLANK = frozenset({"", "-", "n/a", "n/a. n/a", "na", "nan", "none", "null", "undefined"})
_CONTROL = dict.fromkeys(range(32), " ") | {0x7F: " "}


def capped(body: bytes, what: str, limit: int = MAX_BYTES) -> bytes:
    """Return ``body`` if it has content and is no longer than ``limit`` bytes, else raise ParseError."""
    if not body.strip():
        raise ParseError(f"{what}: is empty")
    if len(body) > limit:
        raise ParseError(
            f"{what}: has {len(body):,} bytes, more than the {limit:,} that are read of such a file"
        )
    return body


def log_text(body: bytes, what: str) -> str:
    """Return a log as text; bytes that are not UTF-8 are replaced, for they stand in messages of others."""
    return capped(body, what).decode("utf-8", errors="replace")


def json_value(body: bytes, what: str) -> Any:
    """Read a JSON document; NaN and Infinity, which some tools write, become null. Raises ParseError."""
    try:
        return json.loads(capped(body, what, MAX_JSON).decode("utf-8-sig"), parse_constant=lambda _: None)
    except UnicodeDecodeError as error:
        raise ParseError(f"{what}: is not UTF-8 text ({error.reason} at byte {error.start})") from error
    except ValueError as error:  # malformed, or a number of thousands of digits
        raise ParseError(f"{what}: is not JSON ({error})") from error
    except RecursionError as error:
        raise ParseError(f"{what}: is nested too deeply") from error


def json_object(body: bytes, what: str) -> dict[str, Any]:
    """Read a JSON document whose outermost value is an object. Raises ParseError."""
    value = json_value(body, what)
    if not isinstance(value, dict):
        raise ParseError(f"{what}: is a JSON {type(value).__name__}, not an object")
    return value


def yaml_mapping(body: bytes, what: str) -> dict[str, Any]:
    """Read a YAML mapping; every scalar stays the text that was written. Raises ParseError."""
    import yaml  # noqa: PLC0415 - heavy, only where a tree holds YAML

    try:
        value = yaml.load(capped(body, what, MAX_YAML), Loader=yaml.BaseLoader)  # noqa: S506 - makes texts, lists, maps only
    except (yaml.YAMLError, ValueError) as error:
        raise ParseError(f"{what}: is not YAML ({' '.join(str(error).split())})") from error
    except RecursionError as error:
        raise ParseError(f"{what}: is nested too deeply") from error
    if not isinstance(value, dict):
        raise ParseError(f"{what}: is not a YAML mapping")
    return value


def words(value: Any) -> str | None:
    """Return a text in one line, or null for null and for the ways in which tables say "nothing"."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = value[: 2 * MAX_WORDS] if isinstance(value, str) else str(value)[:MAX_WORDS]
    clean = " ".join(text.translate(_CONTROL).encode("utf-8", "replace").decode().split())[:MAX_WORDS]
    return None if clean.casefold() in _BLANK else clean


def number(value: Any) -> float | None:
    """Return a finite number, also of a text such as ``"4"`` or ``" 98.5 "``; null for everything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    if isinstance(value, str) and (len(value) > 64 or "_" in value):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def count(value: Any) -> int | None:
    """Return a whole number above zero and below 10**12; null for zero, blank and everything else."""
    found = number(value)
    if found is None or not found.is_integer() or not 0 < found < 10**12:
        return None
    return int(found)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a JSON object found inside a document, or an empty one where something else stands."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> tuple[Mapping[str, Any], ...]:
    """Return the objects of a JSON list found inside a document; whatever else stands there is left out."""
    return tuple(entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else ()
