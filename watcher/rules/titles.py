"""Titles: a rule's template filled with what its group of events holds.

``{field}`` prints the field, several distinct values joined by ", ", "none" if there is none. ``{field:.2f}`` gives a
number's format, ``{field:title}``, ``:upper`` or ``:lower`` a word's. ``{field.min}``, ``.max`` and ``.median`` are
taken over the group, ``{count}`` is the number of its events, ``{count:row}`` prints "1 row" or "3 rows".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from string import Formatter
from typing import Any

from watcher.domain import Event
from watcher.figures.cells import median
from watcher.rules.fields import NOT_HERE, Field, field_of

NOTHING = "none"
COUNT = "count"
OVER_GROUP: Mapping[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "median": median,
}
_CASES: Mapping[str, Callable[[str], str]] = {
    "title": lambda text: text[:1].upper() + text[1:],
    "upper": str.upper,
    "lower": str.lower,
}
_NUMBER_FORMAT = re.compile(r"[+ -]?[,_]?(?:\.\d{1,2})?[eEfFgGdn%]?")
_NOUN = re.compile(r"[a-z][a-z ]{0,30}")


class TitleError(ValueError):
    """A template that cannot be filled; ``name`` is the wrong field if that is what is wrong."""

    def __init__(self, message: str, name: str | None = None) -> None:
        """Keep the wrong name beside the sentence."""
        super().__init__(message)
        self.name = name


def check_title(template: str, watch: str) -> None:
    """Raise TitleError unless every part of ``template`` can be filled from events of ``watch``."""
    for name, spec in _parts(template):
        if name == COUNT:
            if spec and not _NOUN.fullmatch(spec):
                raise TitleError(f"title {{count:{spec}}}: give a noun to count, such as {{count:row}}")
            continue
        field, over = _lookup(watch, name)
        if field is None:
            raise TitleError("unknown field", name)
        numeric = field.row.type == "number"
        if over and not numeric:
            raise TitleError(f"title {{{name}}}: .{over} needs a number field")
        if spec and not (_NUMBER_FORMAT.fullmatch(spec) if numeric else spec in _CASES):
            right = "a number's format such as .2f" if numeric else " or ".join(_CASES)
            raise TitleError(f"title {{{name}:{spec}}}: the format must be {right}")
        if numeric and spec:
            try:
                format(1.0, spec.replace("d", "f"))
            except ValueError:
                raise TitleError(f"title {{{name}:{spec}}}: not a number's format, such as .2f") from None


def fill_title(template: str, watch: str, events: Sequence[Event]) -> str:
    """Fill ``template`` from a group of events, in their order."""
    text = []
    for literal, name, spec, _ in Formatter().parse(template):
        text.append(literal)
        if name is not None:
            text.append(_fill(watch, name, spec or "", events))
    return " ".join("".join(text).split())


def show(field: Field, event: Event, spec: str = "") -> tuple[str, ...]:
    """Return what a field holds, in words, each element of a list apart."""
    return tuple(_format(value, field, spec) for value in _held(field, event))


def _parts(template: str) -> Iterator[tuple[str, str]]:
    try:
        for _, name, spec, conversion in Formatter().parse(template):
            if name is None:
                continue
            if conversion:
                raise TitleError(f"title {{{name}!{conversion}}}: conversions are not used")
            if "{" in (spec or ""):
                raise TitleError(f"title {{{name}:{spec}}}: a format holds no further field")
            yield name, spec or ""
    except ValueError as error:
        if isinstance(error, TitleError):
            raise
        raise TitleError(f"title: {str(error).lower()}; write {{{{ or }}}} for a brace") from None


def _lookup(watch: str, name: str) -> tuple[Field | None, str]:
    """The field of a name such as ``ratio`` or ``ratio.max``, with what is taken over the group."""
    stem, dot, last = name.rpartition(".")
    if dot and last in OVER_GROUP:
        return field_of(watch, stem), last
    return field_of(watch, name), ""


def _fill(watch: str, name: str, spec: str, events: Sequence[Event]) -> str:
    if name == COUNT:
        plural = "" if len(events) == 1 else "s"
        return f"{len(events)} {spec}{plural}" if spec else str(len(events))
    field, over = _lookup(watch, name)
    if field is None:
        return NOTHING
    if over:
        numbers = [value for event in events for value in _held(field, event)]
        return _format(OVER_GROUP[over](numbers), field, spec) if numbers else NOTHING
    words = dict.fromkeys(word for event in events for word in show(field, event, spec))
    return ", ".join(words) or NOTHING


def _held(field: Field, event: Event) -> tuple[Any, ...]:
    raw = field.raw(event, event.subject)
    if raw is None or raw is NOT_HERE or raw == "":
        return ()
    if not isinstance(raw, tuple):
        return (raw,)
    return raw[:1] if field.row.alike else raw


def _format(value: Any, field: Field, spec: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field.row.type == "time":
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%d %H:%MZ")
    if isinstance(value, str):
        return _CASES[spec](value) if spec in _CASES else value
    if spec:
        return format(round(value) if spec.endswith("d") else value, spec)
    return number(value)


def number(value: float) -> str:
    """Return a number as people write it: thousands apart, at most two decimals, small ones at four digits."""
    if math.isfinite(value) and value == int(value):
        return f"{value:,.0f}"
    if abs(value) < 0.1:
        return f"{value:.4g}"
    return f"{value:,.2f}".rstrip("0").rstrip(".")
