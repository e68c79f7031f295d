"""A JSON object that names a key twice: an error that says which, as one value would be lost.

The standard reader keeps the last of them and says nothing (RFC 8259, section 4, leaves it open). In a table that would be a
figure, or a whole row, that nobody hears of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watcher.errors import ParseError

_WORDS = 60  # characters of a value or key that an error shows


def once_each(what: str) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Return a hook for ``json.loads`` that makes dicts; it raises ParseError, with ``what`` in front, for a double key.

    A key that comes again with the same value loses nothing, and passes.
    """

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: dict[str, Any] = {}
            for key, value in pairs:
                if key in seen and not _are_same(seen[key], value):
                    the_same(f"{what}: the object with {_hint(pairs, key)}", key, seen[key], value)
                seen[key] = value
        return found

    return made


def the_same(what: str, key: str, first: Any, second: Any) -> None:
    """Raise ParseError, with ``what`` in front, unless both values of one key are the same."""
    if _are_same(first, second):
        return
    raise ParseError(
        f"{what} names {_shown(key)} twice, with {_shown(first)} and {_shown(second)}; one of them would be lost"
    )


def _are_same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def _hint(pairs: list[tuple[str, Any]], double: str) -> str:
    """Return the object's first plain facts, by which a person finds it."""
    facts = [
        f"{_shown(key)}: {_shown(value)}"
        for key, value in pairs
        if key != double and isinstance(value, (str, int, float))
    ]
    return ", ".join(facts[:3]) or f"{len(pairs)} keys"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= _WORDS else text[: _WORDS - 1] + "…")
