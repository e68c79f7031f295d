"""Lines of the MLPerf logging library, as training runs, power meters and LoadGen write them.

Since v0.7: ``:::MLLOG {"key": …, "value": …, "time_ms": …, "metadata": {…}}``; training v0.6 wrote
``:::MLL <seconds> <key>: {"value": …, "metadata": {…}}``. Anything may stand before the mark (a rank, a time) and
between such lines. Only lines whose key was asked for are read; one of those that is broken is an error, for a number
may be lost in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from io import BytesIO
from typing import Any

from msgspec import Struct, field

from watcher.errors import ParseError
from watcher.parse.cells import number
from watcher.parse.strict import capped, mapping

_MLLOG = b":::MLLOG"
_MLL = re.compile(r":::MLL (\d+(?:\.\d+)?) (\w+):?\s*(\{.*)?")
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


class LogEvent(Struct, frozen=True):
    """One line. ``time_ms`` is milliseconds of a clock (the epoch in training logs); ``line`` counts from 1."""

    key: str
    value: Any
    time_ms: float
    line: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


def events(body: bytes, what: str, keys: Collection[str]) -> Iterator[LogEvent]:
    """Yield the lines whose key is in ``keys``, in the order of the log. Raises ParseError (size, broken line)."""
    wanted = tuple(key.encode() for key in keys)
    for line, raw in enumerate(BytesIO(capped(body, what)), start=1):
        if b":::MLL" not in raw or not any(key in raw for key in wanted):
            continue
        event = _event(raw, f"{what}, line {line}", line)
        if event.key in keys:
            yield event


def _event(raw: bytes, where: str, line: int) -> LogEvent:
    text = raw.decode("utf-8", errors="replace")
    if _MLLOG in raw:
        found = _object(text[text.index(":::MLLOG") :], where)
        key, time_ms = found.get("key"), number(found.get("time_ms"))
    else:
        match = _MLL.search(text)
        if match is None:
            raise ParseError(f"{where}: is not a line of the MLPerf logging library")
        found = _object(match[3], where) if match[3] else {}
        key, time_ms = match[2], _milliseconds(match[1])
    if not isinstance(key, str) or time_ms is None:
        raise ParseError(f"{where}: has no key or no time")
    return LogEvent(key, found.get("value"), time_ms, line, mapping(found.get("metadata")))


def _milliseconds(seconds: str) -> float | None:
    value = number(seconds)
    return None if value is None else value * 1000


def _object(text: str, where: str) -> dict[str, Any]:
    start = text.find("{")
    if start < 0:
        raise ParseError(f"{where}: has no JSON after its mark")
    try:
        value, _end = _DECODER.raw_decode(text, start)
    except ValueError as error:
        raise ParseError(f"{where}: is broken JSON ({error})") from error
    except RecursionError as error:
        raise ParseError(f"{where}: is nested too deeply") from error
    if not isinstance(value, dict):
        raise ParseError(f"{where}: holds no JSON object")
    return value
