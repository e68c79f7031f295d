"""Measured power out of logs: the analyzer's samples of an inference run, the meters of a training run.

Inference (MLPerf power rules; the submission checker's arithmetic): the published power of an Offline, Server or
Interactive result is the mean of the positive samples of ``spl.txt`` strictly between LoadGen's ``power_begin`` and
``power_end``; for the streams it is energy a query, mean power times duration over the number of queries, in
millijoules. Analyzer and LoadGen may stamp in different time zones, which client.json and server.json of the power
folder tell.

Training (MLPerf training power measurement; the result summarizer's arithmetic): each node's mean is its readings
weighted by the time since the one before, over the measured span, times the power supply's conversion efficiency;
a switch has an estimate instead of readings. Nodes and switches are added; times the run's time that is its energy.
"""

from __future__ import annotations

import base64
import math
import zlib
from datetime import datetime

from msgspec import Struct

from watcher.errors import ParseError
from watcher.parse.cells import number
from watcher.parse.mlperf_log import events
from watcher.parse.strict import log_text

_STAMP = "%m-%d-%Y %H:%M:%S.%f"


class PowerWindow(Struct, frozen=True):
    """The measured span of a LoadGen run by its own clock (a local time), and its queries if it logged them."""

    begin: datetime
    end: datetime
    queries: int | None = None

    @property
    def seconds(self) -> float:
        """Length of the span in seconds."""
        return (self.end - self.begin).total_seconds()


class MeasuredPower(Struct, frozen=True):
    """Mean of the analyzer's samples in watts, and how many there were."""

    watts: float
    samples: int


class MeterPower(Struct, frozen=True):
    """One node or switch of a training run: watts after the conversion efficiency, and seconds measured (0: estimate)."""

    watts: float
    seconds: float
    readings: int


def read_window(detail: bytes, what: str = "mlperf_log_detail.txt") -> PowerWindow:
    """Read the measured span of a LoadGen detail log. Raises ParseError if it names none."""
    found: dict[str, object] = {}
    for event in events(detail, what, ("power_begin", "power_end", "result_query_count")):
        found[event.key] = event.value
    stamps = [_stamp(str(found.get(key)), f"{what}: {key}") for key in ("power_begin", "power_end")]
    if stamps[0] >= stamps[1]:
        raise ParseError(f"{what}: power_begin {stamps[0]} is not before power_end {stamps[1]}")
    queries = number(found.get("result_query_count"))
    return PowerWindow(stamps[0], stamps[1], int(queries) if queries and queries > 0 else None)


def mean_power(
    samples: bytes, window: PowerWindow, *, ahead: float = 0.0, what: str = "spl.txt"
) -> MeasuredPower:
    """Average the analyzer's samples inside ``window``.

    ``ahead``: seconds by which the analyzer's clock is ahead of LoadGen's (server.json's time zone minus
    client.json's). Raises ParseError if a line is not a sample or none lies inside.
    """
    total, inside = 0.0, 0
    for line, text in enumerate(log_text(samples, what).splitlines(), start=1):
        if not text.strip():
            continue
        at, watts = _sample(text, f"{what}, line {line}")
        shifted = (at - window.begin).total_seconds() - ahead
        if 0 < shifted < window.seconds and watts > 0:
            total, inside = total + watts, inside + 1
    if not inside:
        raise ParseError(f"{what}: no positive sample lies between {window.begin} and {window.end}")
    return MeasuredPower(_usable(total / inside, what), inside)


def packed_samples(samples: bytes, what: str = "spl.txt") -> str:
    """Return an analyzer's log as a short text that `unpacked_samples` reads: times and watts alone, compressed.

    Raises ParseError if a line is not a sample.
    """
    kept = []
    for line, text in enumerate(log_text(samples, what).splitlines(), start=1):
        if text.strip():
            _sample(text, f"{what}, line {line}")
            kept.append(",".join(text.split(",", 4)[:4]))
    return base64.b85encode(zlib.compress("\n".join(kept).encode(), 9)).decode()


def unpacked_samples(packed: str) -> bytes:
    """Return what `packed_samples` kept, as a log that `mean_power` reads."""
    return zlib.decompress(base64.b85decode(packed))


def energy_per_query(power: MeasuredPower, window: PowerWindow, what: str = "mlperf_log_detail.txt") -> float:
    """Return millijoules a query of a SingleStream or MultiStream run. Raises ParseError without a query count."""
    if window.queries is None:
        raise ParseError(f"{what}: names no result_query_count, which energy a query needs")
    return power.watts * window.seconds * 1000 / window.queries


def read_meter(body: bytes, what: str) -> MeterPower:
    """Read one node's or switch's training power log. Raises ParseError if it holds neither span nor estimate."""
    efficiency, estimate = 1.0, None
    start = stop = last = None
    area, readings = 0.0, 0
    keys = (
        "power_measurement_start",
        "power_measurement_stop",
        "power_reading",
        "conversion_eff",
        "interconnect_power_est",
    )
    for event in sorted(events(body, what, keys), key=lambda event: event.time_ms):
        where = f"{what}, line {event.line}"
        if event.key == "power_measurement_start":
            start = last = event.time_ms
        elif event.key == "conversion_eff":
            efficiency = _value(event.value, where)
        elif event.key == "interconnect_power_est":
            estimate = _value(event.value, where)
        elif event.key == "power_measurement_stop":
            stop = event.time_ms
        elif last is not None and stop is None:
            area, readings = area + _value(event.value, where) * (event.time_ms - last), readings + 1
            last = event.time_ms
    if estimate is not None:
        return MeterPower(_usable(efficiency * estimate, what), 0.0, 0)
    if start is None or last is None or readings == 0:
        raise ParseError(f"{what}: holds no power reading after a power_measurement_start")
    span = (last if stop is None else stop) - start
    if span <= 0:
        raise ParseError(f"{what}: its measured span has no length")
    return MeterPower(_usable(efficiency * area / span, what), span / 1000, readings)


def _usable(watts: float, what: str) -> float:
    if not 0 < watts < math.inf:
        raise ParseError(f"{what}: its mean is {watts:g} watts")
    return watts


def _value(value: object, where: str) -> float:
    found = number(value)
    if found is None:
        raise ParseError(f"{where}: its value is not a number")
    return found


def _sample(text: str, where: str) -> tuple[datetime, float]:
    parts = text.split(",", 4)
    if len(parts) < 4 or parts[0] != "Time" or parts[2] != "Watts":
        raise ParseError(f"{where}: is not a sample of the form Time,…,Watts,…")
    watts = number(parts[3])
    if watts is None:
        raise ParseError(f"{where}: its watts are not a number")
    return _stamp(parts[1], where), watts


def _stamp(text: str, where: str) -> datetime:
    try:
        return datetime.strptime(text, _STAMP)  # noqa: DTZ007 - a local time of the lab; only differences are used
    except ValueError as error:
        raise ParseError(f"{where}: {text!r} is not a time of the form MM-DD-YYYY hh:mm:ss.fff") from error
