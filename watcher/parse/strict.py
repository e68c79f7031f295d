"""Artefacts' JSON, YAML and text out of bytes that others wrote: what is expected, or ParseError, and nothing else.

Sizes are capped: a log of a run is some megabytes, a description some kilobytes. Single values are cleaned as table
cells are (`watcher.parse.cells`), so that whatever leaves here can be stored, sent and compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from watcher.errors import ParseError
from watcher.parse.cells import clean
from watcher.parse.doubles import once_each

MAX_BYTES = 64 * 2**20
"""Largest log that is read; a LoadGen detail log of an hour is about a tenth of it."""

MAX_JSON = 16 * 2**20
MAX_YAML = 64 * 2**10
"""Largest point configuration; its parser is pure Python on purpose (deep nesting must not end the process)."""

MAX_BRACKETS = 1000
"""Most lists and maps in brackets of a YAML file; its parser takes longer with the square of their depth."""

MAX_WORDS = 4000
"""Longest text that is kept of one field, in characters."""


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


def json_value(body: bytes, what: str, *, doubles: bool = True) -> Any:
    """Read a JSON document; NaN and Infinity, which some tools write, become null. Raises ParseError.

    Files written by hand name a key twice now and then; the last one counts, as for MLCommons' own tools. Without
    ``doubles`` two that differ are an error, for documents in which a row would be lost.
    """
    try:
        text = capped(body, what, MAX_JSON).decode("utf-8-sig")
        hook = None if doubles else once_each(what)
        return json.loads(text, parse_constant=lambda _: None, object_pairs_hook=hook)
    except UnicodeDecodeError as error:
        raise ParseError(f"{what}: is not UTF-8 text ({error.reason} at byte {error.start})") from error
    except ValueError as error:  # malformed, or a number of thousands of digits
        raise ParseError(f"{what}: is not JSON ({error})") from error
    except RecursionError as error:
        raise ParseError(f"{what}: is nested too deeply") from error


def json_object(body: bytes, what: str, *, doubles: bool = True) -> dict[str, Any]:
    """Read a JSON document whose outermost value is an object; ``doubles`` as in `json_value`. Raises ParseError."""
    value = json_value(body, what, doubles=doubles)
    if not isinstance(value, dict):
        raise ParseError(f"{what}: is a JSON {type(value).__name__}, not an object")
    return value


def yaml_mapping(body: bytes, what: str) -> dict[str, Any]:
    """Read a YAML mapping; every scalar stays the text that was written. Raises ParseError."""
    import yaml  # noqa: PLC0415 - heavy, only where a tree holds YAML

    if body.count(b"[") + body.count(b"{") > MAX_BRACKETS:
        raise ParseError(f"{what}: opens more than {MAX_BRACKETS:,} brackets; it is no such file")
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
    """Return a text, or a number as text, in one line; null for the ways in which documents say "nothing"."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    if isinstance(value, int) and abs(value) >= 2**63:
        return None  # no text that anyone could use
    found = clean(value if isinstance(value, str) else str(value))
    return None if found is None else " ".join(found[:MAX_WORDS].split())


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a JSON object found inside a document, or an empty one where something else stands."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> tuple[Mapping[str, Any], ...]:
    """Return the objects of a JSON list found inside a document; whatever else stands there is left out."""
    return tuple(entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else ()
