"""The number of an entry, as a table's column and a vendor's footnote print it: "5.1-0072", "v4.1-0047".

The first part is the round, the second counts its entries. A number is of one system, and only in one revision of the
table: the next one may count anew. So it says which row somebody meant, and is no part of what the row says.
"""

from __future__ import annotations

import re
from itertools import islice

_NUMBER = r"[vV]?(\d{1,2}\.\d)[-‐‑−](\d{4})"
PRINTED = re.compile(rf"(?<![\d.]){_NUMBER}(?!\d)")
"""A number in a text."""
_LIKELY = re.compile(
    r"\.\d[-‐‑−]\d{4}"
)  # begins with a letter of its own, so that a text without any is passed over quickly
_CELL = re.compile(rf"\s*{_NUMBER}\s*")
_TO = frozenset({"to", "through", "-", "–", "—"})
_BETWEEN = 12  # characters between the ends of a range
MAX_PRINTED = 1000  # numbers that are read of one text
MAX_RANGE = 40
"""Numbers of one range; "5.1-0001 to 5.1-0390" names a whole round, and so nothing."""


def prints_one(text: str) -> bool:
    """Whether a text prints a number."""
    return _LIKELY.search(text) is not None and PRINTED.search(text) is not None


def printed_in(text: str) -> tuple[str, ...]:
    """The numbers that a text prints, as we write them, each once; "4.1-0013 to 4.1-0017" are five."""
    numbers: dict[str, None] = {}
    before: re.Match[str] | None = None
    for found in islice(PRINTED.finditer(text), MAX_PRINTED):
        if before is not None and _is_range(before, found):
            numbers.update((f"{found[1]}-{n:04d}", None) for n in range(int(before[2]), int(found[2])))
        numbers[f"{found[1]}-{found[2]}"] = None
        before = found
    return tuple(numbers)


def _is_range(first: re.Match[str], last: re.Match[str]) -> bool:
    between = first.string[first.end() : min(last.start(), first.end() + _BETWEEN)]
    return (
        between.strip().casefold() in _TO
        and last.start() - first.end() <= _BETWEEN
        and first[1] == last[1]
        and 0 < int(last[2]) - int(first[2]) < MAX_RANGE
    )


def number_in(cell: object) -> str | None:
    """The number in a cell of a table's column of numbers, as we write it; null where it holds anything else."""
    found = _CELL.fullmatch(cell) if isinstance(cell, str) else None
    return f"{found[1]}-{found[2]}" if found else None
