"""How a source fares: pure transitions from one check to the next, and when to look again.

Nothing here reads a clock or sleeps; ``now`` is an aware datetime in UTC. A source is *failing* from its third failure
in a row, *stale* when it has not succeeded for too long, and *recovered* at the first success after either was told.
Waits after failures grow up to a cap and never end the checks for good.

Polling speeds up around the announced hour of publication. MLCommons' example schedule and the repositories seen
say Tuesday or Wednesday, 08:00 Pacific; we poll fast from two hours before to four hours after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Source, SourceTrouble
from watcher.errors import SourceError

FAILING_AFTER = 3
"""Failures in a row until a source counts as failing and is told."""

PACIFIC = ZoneInfo("America/Los_Angeles")
PUBLICATION_HOUR = time(8)
BEFORE_PUBLICATION = timedelta(hours=2)
AFTER_PUBLICATION = timedelta(hours=4)
PUBLICATION_WEEKDAYS = (1, 2)
"""Tuesday and Wednesday, as ``date.weekday`` counts."""

FASTEST_WITH_TOKEN = 60.0
FASTEST = 180.0
"""Seconds between checks in announced hours; who brings a token may ask more often."""

_HOUR, _DAY = 3600.0, 86400.0
_LONGEST_WAIT = (
    6 * _HOUR
)  # between failed checks; a source that is checked more rarely keeps its own interval
_LONGEST_WAIT_ANNOUNCED = 900.0
_LONGEST_RETRY_AFTER = _DAY  # no other side may silence us for longer
_TELL_AGAIN = timedelta(hours=6)  # then 12, 24, … hours after the last time
_TELL_AGAIN_AT_MOST = timedelta(days=7)
_ERROR_LENGTH = 500


class ExpectedRound(NamedTuple):
    """A round that is expected: published on a Tuesday or Wednesday from ``first`` to ``last`` (Pacific dates).

    Where both are one day, it is that day, whatever its weekday.
    """

    suite: str
    first: date
    last: date


class Trouble(NamedTuple):
    """Something to record and tell: ``kind`` is source.failing, source.recovered or source.stale."""

    kind: str
    about: SourceTrouble


class SourceState(Struct, frozen=True, kw_only=True):
    """What is known of a source's health.

    ``known_at``: when it was first looked at or listed. ``failures`` in a row; ``failure`` the class and ``last_error``
    the text of the last one, both null after a success. ``told_at``/``tells``: when and how often this trouble was
    told. ``checks``: how many were made in all.
    """

    name: str
    known_at: datetime | None = None
    failures: int = 0
    failure: str | None = None
    last_error: str | None = None
    checked_at: datetime | None = None
    succeeded_at: datetime | None = None
    failing_since: datetime | None = None
    told_at: datetime | None = None
    tells: int = 0
    stale: bool = False
    next_check_at: datetime | None = None
    checks: int = 0

    @property
    def failing(self) -> bool:
        """Three or more failures in a row."""
        return self.failures >= FAILING_AFTER

    @property
    def healthy(self) -> bool:
        """Neither failing nor stale."""
        return not (self.failing or self.stale)

    def as_json(self) -> dict[str, Any]:
        """Return the state as JSON values; times as ISO text."""
        values = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values}

    @classmethod
    def from_json(cls, name: str, values: Mapping[str, Any]) -> SourceState:
        """Read what `as_json` wrote; unknown keys are left out, missing ones take their defaults."""
        known = cls.__struct_fields__
        read: dict[str, Any] = {
            key: datetime.fromisoformat(value) if key.endswith("_at") or key == "failing_since" else value
            for key, value in values.items()
            if key in known and key != "name" and value is not None
        }
        return cls(name=name, **read)


class Outcome(NamedTuple):
    """The state after a check and what is to be told of it."""

    state: SourceState
    troubles: tuple[Trouble, ...] = ()


def due(state: SourceState, source: Source, now: datetime) -> bool:
    """Tell whether a source is to be checked now.

    A next check further away than any wait we would choose (the clock was wrong, the config changed) is due, too.
    """
    at = state.next_check_at
    if at is None or at <= now:
        return True
    return at - now > timedelta(seconds=2 * max(source.every, _DAY))


def after_success(
    state: SourceState, source: Source, now: datetime, rounds: Iterable[ExpectedRound] = ()
) -> Outcome:
    """Return the state after a check that brought what was asked for; ``source.recovered`` if trouble was told."""
    told = state.tells > 0 or state.stale
    since = state.failing_since or state.succeeded_at or state.known_at
    message = "it answers again" + (f", after {state.failures} failed checks" if state.failures else "")
    trouble = SourceTrouble(
        source=source.name,
        url=source.url,
        failure=state.failure or "stale",
        message=message,
        failures=state.failures,
        since=since,
    )
    rounds = expected_for(source, rounds)
    wait = interval(source.every, now, rounds, fastest=fastest(source))
    after = SourceState(
        name=state.name,
        known_at=state.known_at or now,
        checked_at=now,
        succeeded_at=now,
        next_check_at=_next_check(source, now, wait, rounds),
        checks=state.checks + 1,
    )
    return Outcome(after, (Trouble("source.recovered", trouble),) if told else ())


def after_failure(
    state: SourceState,
    source: Source,
    error: SourceError,
    now: datetime,
    rounds: Iterable[ExpectedRound] = (),
) -> Outcome:
    """Return the state after a failed check, with ``source.failing`` and ``source.stale`` where they are to be told.

    Waits double from failure to failure. ``error.retry_after`` (seconds), where the other side gave it, is obeyed
    up to a day.
    """
    rounds = expected_for(source, rounds)
    failures = state.failures + 1
    at = _next_check(source, now, _wait_after(source, failures, now, rounds), rounds)
    retry_after: float | None = getattr(error, "retry_after", None)
    if retry_after is not None:
        at = max(at, now + timedelta(seconds=min(retry_after, _LONGEST_RETRY_AFTER)))
    after = replace(
        state,
        known_at=state.known_at or now,
        failures=failures,
        failure=error.failure,
        last_error=str(error)[:_ERROR_LENGTH],
        checked_at=now,
        failing_since=state.failing_since or now,
        next_check_at=at,
        checks=state.checks + 1,
    )
    told: tuple[Trouble, ...] = ()
    if after.failing and _tell_again(after, now):
        after = replace(after, told_at=now, tells=after.tells + 1)
        told = (Trouble("source.failing", _trouble(after, source, after.last_error or "")),)
    silent = stale(after, source, now)
    return Outcome(silent.state, told + silent.troubles)


def stale(state: SourceState, source: Source, now: datetime) -> Outcome:
    """Return the state with ``source.stale`` if there was no success for too long; told once until a success.

    Asked for every source at every pass, so that one that is never checked is noticed as well.
    """
    since = state.succeeded_at or state.known_at
    if since is None:
        return Outcome(replace(state, known_at=now))
    if state.stale or now - since < timedelta(seconds=stale_after(source)):
        return Outcome(state)
    after = replace(state, stale=True)
    message = f"it has brought nothing since {since:%Y-%m-%d %H:%M} UTC"
    if state.last_error:
        message += f"; last error: {state.last_error}"
    return Outcome(after, (Trouble("source.stale", _trouble(after, source, message, since=since)),))


def stale_after(source: Source) -> float:
    """Return the seconds without success after which a source is stale: its own, else six intervals, at least a day."""
    return source.stale_after if source.stale_after is not None else max(6 * source.every, _DAY)


# ------------------------------------------------------------------------------------------------ when to look again


def interval(
    every: float, now: datetime, rounds: Iterable[ExpectedRound], *, fastest: float = FASTEST
) -> float:
    """Return the seconds until the next check: ``every``, or ``fastest`` within announced hours of publication."""
    announced = any(start <= now < end for start, end in announced_hours(rounds))
    return min(every, fastest) if announced else every


def fastest(source: Source) -> float:
    """Return the shortest interval for a source, in seconds."""
    return FASTEST_WITH_TOKEN if source.secret is not None else FASTEST


def expected_for(source: Source, rounds: Iterable[ExpectedRound]) -> tuple[ExpectedRound, ...]:
    """Return the rounds that matter to a source: those of its suite, or all if it has none (news, pages)."""
    return tuple(each for each in rounds if source.suite is None or each.suite == source.suite)


def announced_hours(rounds: Iterable[ExpectedRound]) -> tuple[tuple[datetime, datetime], ...]:
    """Return (start, end) in UTC of the hours in which a round may appear, in order.

    They follow Pacific wall time, so they move by an hour against UTC when daylight saving does.
    """
    return _announced_hours(tuple(rounds))


@lru_cache(maxsize=64)
def _announced_hours(rounds: tuple[ExpectedRound, ...]) -> tuple[tuple[datetime, datetime], ...]:
    """Do the work of `announced_hours`, once for the same rounds."""
    days: set[date] = set()
    for each in rounds:
        span = [each.first + timedelta(days=n) for n in range((each.last - each.first).days + 1)]
        days.update(day for day in span if len(span) == 1 or day.weekday() in PUBLICATION_WEEKDAYS)
    hours = [datetime.combine(day, PUBLICATION_HOUR, tzinfo=PACIFIC).astimezone(UTC) for day in sorted(days)]
    return tuple((hour - BEFORE_PUBLICATION, hour + AFTER_PUBLICATION) for hour in hours)


def spread(name: str, at_most: float) -> float:
    """Return seconds from 0 to ``at_most``, the same ones for the same name: sources do not all start at once."""
    fraction = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32
    return fraction * at_most


def _next_check(source: Source, now: datetime, wait: float, rounds: tuple[ExpectedRound, ...]) -> datetime:
    """Return when to look again: after ``wait`` seconds, but not past the opening of announced hours."""
    at = now + timedelta(seconds=wait + spread(source.name, min(0.1 * wait, 60.0)))
    for start, _ in announced_hours(rounds):
        if now < start < at:
            return start + timedelta(seconds=spread(source.name, 30.0))
    return at


def _wait_after(source: Source, failures: int, now: datetime, rounds: tuple[ExpectedRound, ...]) -> float:
    """Return the seconds to wait after so many failures in a row: doubling, capped, shorter in announced hours."""
    usual = interval(source.every, now, rounds, fastest=fastest(source))
    announced = any(start <= now < end for start, end in announced_hours(rounds))
    longest = _LONGEST_WAIT_ANNOUNCED if announced else max(source.every, _LONGEST_WAIT)
    doublings = min(failures - 1, 30)  # 2**30 is past any cap; more would only overflow
    return float(min(min(usual, _HOUR) * 2**doublings, longest))


def _tell_again(state: SourceState, now: datetime) -> bool:
    """Tell whether failing is to be told: the first time, then at growing gaps."""
    if state.told_at is None or state.tells == 0:
        return True
    gap: timedelta = min(_TELL_AGAIN * 2 ** min(state.tells - 1, 10), _TELL_AGAIN_AT_MOST)
    return now - state.told_at >= gap


def _trouble(
    state: SourceState, source: Source, message: str, since: datetime | None = None
) -> SourceTrouble:
    """Put a state into words for an event."""
    return SourceTrouble(
        source=source.name,
        url=source.url,
        failure=state.failure or "stale",
        message=message,
        failures=state.failures,
        since=since or state.failing_since,
    )
