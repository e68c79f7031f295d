"""Footnote marks in a text, and a text without them for quoting."""

from __future__ import annotations

import re

from watcher.claims.blocks import MARK_CLOSES, MARK_OPENS

SUPERSCRIPTS = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹⁰", "1234567890")
_MARKS = re.compile(
    rf"{MARK_OPENS}([^{MARK_CLOSES}]{{1,12}}){MARK_CLOSES}|\[(\d{{1,3}}|[a-e])\]|(?<=[\w%.)])(\*{{1,3}}|[†‡]|[¹²³⁴⁵⁶⁷⁸⁹]+)"
)
_BEHIND = re.compile(
    rf"[\"'”’)]{{0,3}}(?: ?{MARK_OPENS}[^{MARK_CLOSES}]{{1,12}}{MARK_CLOSES}| ?\[(?:\d{{1,3}}|[a-e])\]|[*†‡]{{1,3}}|[¹²³⁴⁵⁶⁷⁸⁹]+)+"
)
_SET_APART = re.compile(rf"{MARK_OPENS}[^{MARK_CLOSES}]*{MARK_CLOSES}")


def marks_in(raw: str) -> tuple[str, ...]:
    """The footnote marks of a text ("1", "*"), each once."""
    found: list[str] = []
    for match in _MARKS.finditer(raw):
        text = next(group for group in match.groups() if group)
        found += [mark.strip().translate(SUPERSCRIPTS) for mark in re.split(r"[,;]", text)]
    return tuple(dict.fromkeys(found))


def marks_of(text: str, start: int, end: int) -> tuple[str, ...]:
    """The marks inside a stretch of a text and right behind it: a sentence's stand behind its full stop as a rule."""
    behind = _BEHIND.match(text, end)
    return marks_in(text[start : behind.end() if behind else end])


def plain_quote(raw: str) -> str:
    """A text as quoted: white space collapsed, marks that markup set apart left out."""
    return " ".join(_SET_APART.sub("", raw).split())
