"""What is held back, for how long and why: filters, silences, cooldown, quiet hours; and when a digest is due. Pure.

Nothing vanishes: what is held back for good is recorded as suppressed with its reason in words, and the digest counts
it. Quiet hours only put off. Hours are local times of a named zone, right on both days of the year that have 23 or 25.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from fnmatch import fnmatchcase
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from msgspec import Struct

from watcher.domain import SEVERITIES, Alert, Comparison, Event, Gain, Record, Scaling
from watcher.errors import UsageError
from watcher.nearest import did_you_mean


class Policy(Protocol):
    """What a receiver takes; the config's receivers have these fields.

    ``min_severity`` one of SEVERITIES; ``rules`` and ``watches`` are names, with ``*`` (() means all);
    ``quiet_hours`` two local times "22:00", "07:00" in ``zone``; ``alerts`` false: only digests.
    """

    @property
    def name(self) -> str:
        """The receiver's name."""
        ...

    @property
    def zone(self) -> str:
        """Its time zone."""
        ...

    @property
    def min_severity(self) -> str:
        """The least severity it takes."""
        ...

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules it takes."""
        ...

    @property
    def watches(self) -> tuple[str, ...]:
        """The kinds of watch it takes."""
        ...

    @property
    def quiet_hours(self) -> tuple[str, str] | None:
        """When only critical alerts come at once."""
        ...

    @property
    def alerts(self) -> bool:
        """Whether it takes alerts at all."""
        ...


class Silence(Struct, frozen=True, kw_only=True):
    """Alerts that match are not told until ``expires_at``. ``matcher``: field → values, any of, with ``*``."""

    matcher: Mapping[str, tuple[str, ...]]
    author: str
    comment: str
    created_at: datetime
    expires_at: datetime
    number: int | None = None


class Decision(Struct, frozen=True):
    """What happens with an alert for one receiver: "send", "suppress" or "postpone", with the reason in words."""

    what: str
    reason: str | None = None
    until: datetime | None = None


SEND = Decision("send")


def decide(
    alert: Alert,
    policy: Policy,
    now: datetime,
    *,
    silences: Iterable[Silence] = (),
    last_told_at: datetime | None = None,
    cooldown: timedelta | None = None,
) -> Decision:
    """Return what happens with ``alert`` for this receiver.

    ``last_told_at``: when an alert of the same rule and group last went to this receiver; ``cooldown``: the rule's.
    """
    reason = (
        alert.suppressed
        or ("digest only" if alert.digest_only else None)
        or unwanted(alert, policy)
        or silenced(alert, silences, now)
        or cooling(now, last_told_at, cooldown)
    )
    if reason is not None:
        return Decision("suppress", reason)
    until = quiet_until(now, policy.zone, policy.quiet_hours)
    if until is not None and alert.severity != "critical":
        return Decision(
            "postpone", f"quiet hours until {until.astimezone(ZoneInfo(policy.zone)):%H:%M}", until
        )
    return SEND


def unwanted(alert: Alert, policy: Policy) -> str | None:
    """Return why this receiver does not take the alert, null if it does."""
    if not policy.alerts:
        return f"{policy.name} takes digests only"
    if SEVERITIES.index(alert.severity) < SEVERITIES.index(policy.min_severity):
        return f"{policy.name} takes {policy.min_severity} and above"
    if policy.rules and not _matches(alert.rule, policy.rules):
        return f"{policy.name} does not take the rule {alert.rule}"
    if policy.watches and not _matches(watch(alert), policy.watches):
        return f"{policy.name} does not take alerts on a {watch(alert)}"
    return None


def watch(alert: Alert) -> str:
    """Return what kind of watch the alert comes from, by its events' kinds; "deadline" if it has none."""
    return alert.events[0].kind.partition(".")[0] if alert.events else "deadline"


def cooling(now: datetime, last_told_at: datetime | None, cooldown: timedelta | None) -> str | None:
    """Return the reason if the same rule and group was told less than ``cooldown`` ago."""
    if cooldown is None or last_told_at is None or now - last_told_at >= cooldown:
        return None
    return f"told less than {_duration(cooldown)} ago (cooldown)"


def _duration(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size} {word}{'' if seconds == size else 's'}"
    return f"{seconds} seconds"


# ------------------------------------------------------------------------------------------------ silences

_OF_ALERT = ("rule", "severity", "watch", "group", "alert")
_OF_SUBJECT = (
    "suite", "round", "division", "availability", "submitter", "organisation", "platform", "system", "accelerator",
    "benchmark", "scenario", "source", "vendor", "name",
)  # fmt: skip
SILENCE_FIELDS = _OF_ALERT + _OF_SUBJECT
_ATTRIBUTE = {"organisation": "organisations", "accelerator": "accelerators"}


def matcher(pairs: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Read ``field=value`` and ``field=value,value``; raises UsageError with the nearest field.

    Without any pair it would silence everything, so that is refused too.
    """
    read: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        field, found, values = pair.partition("=")
        field = field.strip()
        if field not in SILENCE_FIELDS:
            raise UsageError(f"a silence knows no field {field!r}{did_you_mean(field, SILENCE_FIELDS)}")
        words = tuple(value.strip() for value in values.split(",") if value.strip())
        if not found or not words:
            raise UsageError(f"a silence needs {field}=VALUE, not {pair!r}")
        read[field] = read.get(field, ()) + words
    if not read:
        raise UsageError("a silence needs at least one FIELD=VALUE, for example rule=new-submitter")
    return read


def silenced(alert: Alert, silences: Iterable[Silence], now: datetime) -> str | None:
    """Return the reason if a silence in force matches; every event must match, so that no other news is hidden."""
    for silence in silences:
        if silence.created_at <= now < silence.expires_at and all(
            _matches_field(alert, field, values) for field, values in silence.matcher.items()
        ):
            until = silence.expires_at.astimezone(UTC)
            return f"silenced by {silence.author} until {until:%Y-%m-%d %H:%M} UTC: {silence.comment}"
    return None


def _matches_field(alert: Alert, field: str, values: Sequence[str]) -> bool:
    if field in _OF_ALERT:
        own = {"rule": alert.rule, "severity": alert.severity, "watch": watch(alert), "group": alert.group}
        return _matches(own.get(field, alert.name), values)
    return bool(alert.events) and all(
        any(_matches(found, values) for found in _values(event, field)) for event in alert.events
    )


def _values(event: Event, field: str) -> tuple[str, ...]:
    """Return what the event's row, or else its subject, says of ``field``."""
    subject: Any = event.subject
    if isinstance(subject, Comparison):
        subject = subject.subject
    elif isinstance(subject, Scaling):
        subject = subject.large
    elif isinstance(subject, Gain):
        subject = subject.after
    elif isinstance(subject, Record):
        subject = subject.best
    said = getattr(subject, _ATTRIBUTE.get(field, field), None)
    if said is None:
        said = event.source if field == "source" else None
    if isinstance(said, tuple):
        return tuple(str(one) for one in said)
    return () if said is None else (str(said),)


def _matches(word: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(word.casefold(), pattern.casefold()) for pattern in patterns)


# ------------------------------------------------------------------------------------------------ hours and dates


def quiet_until(now: datetime, zone: str, hours: tuple[str, str] | None) -> datetime | None:
    """Return when the quiet hours end (aware UTC), null if it is not quiet now.

    ``hours`` are two local times; the second may be of the next morning. Quiet follows the clock on the wall: it ends
    when the clocks jump over its end, and an hour that comes twice is quiet twice.
    """
    if hours is None:
        return None
    start, end = (time.fromisoformat(hour) for hour in hours)
    local = now.astimezone(ZoneInfo(zone))
    if not _within(local.time(), start, end):
        return None
    day = local.date() + timedelta(days=0 if local.time() < end else 1)
    at = _instant(day, end, zone, 0)
    if at.astimezone(ZoneInfo(zone)).utcoffset() == local.utcoffset():
        return at
    at = now.astimezone(UTC).replace(second=0, microsecond=0)
    while _within(
        at.astimezone(ZoneInfo(zone)).time(), start, end
    ):  # the clocks change before the end: look closely
        at += timedelta(minutes=1)
    return at


def _within(wall: time, start: time, end: time) -> bool:
    return start <= wall < end if start <= end else wall >= start or wall < end


def _instant(day: date, at: time, zone: str, fold: int) -> datetime:
    return datetime.combine(day, at.replace(fold=fold), tzinfo=ZoneInfo(zone)).astimezone(UTC)


def digest_due(
    now: datetime, zone: str, at: str, last: date | None, *, since: datetime | None = None
) -> date | None:
    """Return the local date whose digest is due, null if none is.

    ``at`` is a local time "08:00" of ``zone``; ``last`` the local date of the last digest. After a sleep over several days
    one digest is due, for the latest date whose hour has come. ``since``: when this receiver began, so that a new one
    does not get the digest of an hour before it. An hour that comes twice sends once; one that is jumped over is due when
    the clocks have jumped.
    """
    local = now.astimezone(ZoneInfo(zone))
    day = local.date() if local.time() >= time.fromisoformat(at) else local.date() - timedelta(days=1)
    if last is not None and last >= day:
        return None
    if last is None and since is not None and _instant(day, time.fromisoformat(at), zone, 0) < since:
        return None
    return day


def next_digest(now: datetime, zone: str, at: str, last: date | None) -> datetime:
    """Return when to wake for the next digest (aware UTC); ``now`` if one is due."""
    if digest_due(now, zone, at, last) is not None:
        return now
    hour = time.fromisoformat(at)
    local = now.astimezone(ZoneInfo(zone))
    day = max(local.date(), last + timedelta(days=1)) if last is not None else local.date()
    if local.time() >= hour and day == local.date():
        day += timedelta(days=1)
    return max(_instant(day, hour, zone, 0), now)
