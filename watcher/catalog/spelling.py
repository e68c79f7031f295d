"""Spellings: what makes two of them the same name, and which parts of a published one are not its name."""

from __future__ import annotations

import re
from collections.abc import Collection

# The ways in which tables write that there is nothing: "", "N/A", "-", 0, null, "N/A. N/A"; and NaN after CSV readers.
BLANKS = frozenset(
    {"", "n/a", "na", "-", "--", "0", "0.0", "none", "null", "nan", "n/a. n/a", "n/a.", "undefined"}
)

_TRADEMARKS = re.compile(r"\((?:r|tm|c)\)|[®™©]", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
_BRACKETS = re.compile(
    r"\((?![^()]*\bMIG\b)[^()]*\)|\[[^\[\]]*\]", re.IGNORECASE
)  # a slice of a GPU is not the GPU
_COUNT_MARK = re.compile(
    r"\(\s*x\s*(\d{1,6})(?:\s*x\s*(\d{1,6}))?\s*\)|\(\s*(\d{1,6})\s*x\s*\)", re.IGNORECASE
)
_MEMORY = re.compile(
    r"(?<![A-Za-z0-9])\d{1,4}\s?GB(?![A-Za-z])|(?<![A-Za-z])(?:HBM\w*|GDDR\w*)", re.IGNORECASE
)
_VENDOR_WORDS = re.compile(
    r"(?<![A-Za-z])(?:nvidia|amd|intel|google|qualcomm|tesla|instinct|geforce|radeon|quadro|virtualized|virtualised"
    r"|gpus?|graphics|accelerators?)(?![A-Za-z])",
    re.IGNORECASE,
)
_JOINS = re.compile(r"\s*,\s*|\s*;\s*|\s+and\s+|\s+\+\s+|\s+&\s+", re.IGNORECASE)


def is_blank(text: str) -> bool:
    """Whether ``text`` is one of the spellings of "none"."""
    return text.strip().casefold() in BLANKS


def fold(text: str) -> str:
    """The form in which spellings are compared: no case, spaces, underscores, hyphens or trademark signs."""
    return _SEPARATORS.sub("", _TRADEMARKS.sub("", text)).casefold()


def cores(text: str) -> tuple[str, str]:
    """The folded spelling without vendor words and bracketed marks, and the same without memory sizes; "" if empty.

    The first goes before the second, because a memory size sometimes tells two products apart (GH200).
    """
    bare = _BRACKETS.sub(" ", _TRADEMARKS.sub("", text))
    return fold(_VENDOR_WORDS.sub(" ", bare)), fold(_VENDOR_WORDS.sub(" ", _MEMORY.sub(" ", bare)))


def count_mark(text: str) -> tuple[str, int | None]:
    """Take the "(x87)" mark off one accelerator's spelling: its name and count; "(x2x8)" is 2 machines of 8."""
    marks = list(_COUNT_MARK.finditer(text))
    if not marks:
        return text.strip(), None
    count = sum(int(m[1] or m[3]) * int(m[2] or 1) for m in marks)
    return _COUNT_MARK.sub(" ", text).strip(), count or None


def parts(text: str) -> list[str]:
    """Split a column that names several accelerators: ",", ";", " and ", " + " and " & " join them."""
    return [part for part in (p.strip() for p in _JOINS.split(text)) if part]


def joint(text: str, known: Collection[str]) -> tuple[str, ...] | None:
    """Split a joint entry at "_" or "+" into parts whose folded spellings are all ``known``; null if it cannot be.

    Several words of one name may be joined by the same sign (Quanta_Cloud_Technology_Intel), so the longest known
    part is taken first at each place, and earlier choices are taken back where the rest does not fit.
    """
    words = [w for w in re.split(r"[_+]", text) if w.strip()]
    return _segment(words, known) if 1 < len(words) <= 12 else None


def _segment(words: list[str], known: Collection[str]) -> tuple[str, ...] | None:
    if not words:
        return ()
    for end in range(len(words), 0, -1):
        head = " ".join(words[:end])
        if fold(head) in known:
            tail = _segment(words[end:], known)
            if tail is not None:
                return (head, *tail)
    return None
