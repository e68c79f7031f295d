"""Single cells of a published table → clean values: text or null, whole numbers, finite floats, flags."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from watcher.catalog.names import is_blank

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))  # marks that make a name read as another
_UNSEEN = (
    0xAD,
    0x61C,
    0x180E,
    *range(0x200B, 0x2010),
    *range(0x2060, 0x2065),
    0xFEFF,
    *range(0xE0000, 0xE0080),
)
_CONTROL = dict.fromkeys((*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029), " ") | dict.fromkeys(
    (*_DIRECTIONS, *_UNSEEN),
    "",  # two names that look the same should be the same
)
_TRUE = frozenset({"true", "1", "1.0", "yes"})
_FALSE = frozenset({"false", "0", "0.0", "no"})
MAX_DEPTH = 20  # lists and objects in one another that are kept of one cell; none published has any
LARGEST = 1e50
SMALLEST = 1 / LARGEST
"""Between them lie the numbers that are read: what is made of a few of those is finite, and none is measured so far out."""
MAX_TEXT = 20_000  # characters kept of one cell; the longest ever published has a few hundred


class _Known(dict[str, str | None]):
    """Each distinct text cleaned once: a table repeats the same few hundred texts over thousands of cells."""

    def __missing__(self, value: str) -> str | None:
        found = self[value] = clean(value)
        return found


class Texts:
    """Cleans the text cells of one table."""

    def __init__(self) -> None:
        self._known = _Known()

    def __call__(self, value: Any) -> str | None:
        """The cell as one clean text, or null for the ways in which tables write "nothing"."""
        return self._known[value] if type(value) is str else self._other(value)

    @staticmethod
    def _other(value: Any) -> str | None:
        if value is None or isinstance(value, bool):
            return None
        if isinstance(value, int):
            return str(value) if 0 < abs(value) < 10**18 else None
        if isinstance(value, float):
            return str(value) if value and math.isfinite(value) else None
        return clean(json.dumps(value, sort_keys=True, default=str))


def clean(value: str) -> str | None:
    """Text without control characters, what cannot be seen, lone surrogates and space around it; null if it says "nothing"."""
    text = value.strip()
    if not text.isprintable():
        text = text.translate(_CONTROL).encode("utf-8", "replace").decode().strip()
    return None if is_blank(text) else text[:MAX_TEXT]


def number(value: Any) -> float | None:
    """A number, also from text ("785522.0", "1,234.5"); null for everything else, and beyond LARGEST and SMALLEST."""
    if type(value) is float:
        return value if value == 0 or SMALLEST <= abs(value) <= LARGEST else None
    if type(value) is str:
        value = value.strip()
        if "_" in value or len(value) > 64:
            return None
        if _GROUPED.fullmatch(value):
            value = value.replace(",", "")
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if found == 0 or SMALLEST <= abs(found) <= LARGEST else None


def count(value: Any) -> int | None:
    """A whole number over 0 and below 10**9, also from text or as a float ("64", 8.0); null for everything else."""
    if type(value) is int:
        return value if 0 < value < 10**9 else None
    found = number(value)
    return int(found) if found is not None and 0 < found < 10**9 and found.is_integer() else None


def flag(value: Any) -> bool | None:
    """Whether a cell says yes or no (true, 1, "True", "0" …); null for everything else."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold() if isinstance(value, (str, int, float)) and value == value else ""  # noqa: PLR0124
    return True if word in _TRUE else False if word in _FALSE else None


def plain(value: Any, depth: int = MAX_DEPTH) -> Any:
    """A cell of a column that we do not know, safe to keep and equal to itself: NaN and Infinity become null.

    So does what lies deeper than ``depth`` lists and objects.
    """
    if isinstance(value, str):
        return value if value.isprintable() else clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if abs(value) < 2**63 else float(value) if abs(value) < 2**1000 else None
    if depth and isinstance(value, dict):
        return {str(plain(k)): plain(v, depth - 1) for k, v in value.items()}
    if depth and isinstance(value, list):
        return [plain(v, depth - 1) for v in value]
    return None
