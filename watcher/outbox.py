"""What is decided about deliveries: when to try again, what goes together, what is held back and why; pure.

A delivery is one alert (or digest) owed to one receiver. Its way:

    pending → sending (lease, attempt, owner) → sent | waiting | unknown | gave_up
    pending → suppressed (reason)

The store writes each step down: the claim before the call, the outcome after it. A lease that ran out means that the
process ended within the call: the outcome is unknown. Promise: at least once, and a double only where a receiver took a
message and nobody heard its answer; that second one is marked, and has the same id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Receipt
from watcher.errors import (
    BrokenReceiverError,
    DeliveryError,
    RefusedError,
    TryLaterError,
    UnknownOutcomeError,
)

STATES = ("pending", "sending", "sent", "waiting", "unknown", "gave_up", "suppressed")
OPEN = frozenset({"pending", "waiting", "unknown"})

FIRST_WAIT = 30.0  # seconds; the longest wait after the first failure, doubled after each further one
LONGEST_WAIT = 3600.0
SHORTEST_WAIT = 1.0
LONGEST_TOLD = 86_400.0  # seconds; a receiver that says "in a year" is asked again tomorrow
GIVE_UP_AFTER = timedelta(days=7)
LEAST_ATTEMPTS = (
    3  # before that: a machine that slept for a week, or a clock that jumped, is no receiver's fault
)
LEASE = timedelta(minutes=10)  # longer than any notifier's time-outs together
BROKEN_AGAIN = timedelta(hours=1)  # between looks whether a broken receiver works again
REPEATS = 1  # how often a message with an unknown outcome is sent again where nobody can look
REPEAT_WAIT = timedelta(minutes=1)  # before it is, so that a server in trouble may recover
BURST = 5  # more than this many owed at once to one receiver become one message

Outcome = Receipt | DeliveryError


class Delivery(Struct, frozen=True, kw_only=True):
    """One alert (``kind`` "alert") or digest owed to one receiver.

    ``number`` is the store's, ``about`` the alert's name or the digest's date. ``message`` is the id of the message that
    it went out in, kept as long as that message may have arrived or goes out once more as plain text. ``unknown``
    counts the attempts whose answer nobody heard (a sender that ended within the call counts once, however often): above 0
    it may have arrived. Times are aware UTC.
    """

    number: int
    receiver: str
    about: str
    created_at: datetime
    next_attempt_at: datetime
    kind: str = "alert"
    severity: str = "info"
    state: str = "pending"
    attempts: int = 0
    owner: str | None = None
    lease_until: datetime | None = None
    message: str | None = None
    unknown: int = 0
    plain: bool = False
    sent_at: datetime | None = None
    gave_up_at: datetime | None = None
    external_id: str | None = None
    last_error: str | None = None
    reason: str | None = None


class ReceiverState(Struct, frozen=True, kw_only=True):
    """How a receiver fares: failures in a row, not before when to try it again, since when it is broken and why."""

    name: str
    failures: int = 0
    retry_at: datetime | None = None
    broken_since: datetime | None = None
    reason: str | None = None


class Bundle(Struct, frozen=True):
    """Deliveries that go out as one message with one stable id.

    ``unknown``: an earlier attempt of this very message may have arrived. ``plain``: send the short version.
    """

    receiver: str
    message: str
    deliveries: tuple[Delivery, ...]

    @property
    def unknown(self) -> bool:
        """Whether this message may have arrived already."""
        return any(delivery.unknown > 0 for delivery in self.deliveries)

    @property
    def plain(self) -> bool:
        """Whether the full version was refused."""
        return any(delivery.plain for delivery in self.deliveries)


# ------------------------------------------------------------------------------------------------ one attempt


def claim(
    delivery: Delivery, message: str, now: datetime, *, owner: str, lease: timedelta = LEASE
) -> Delivery:
    """Return the delivery as it must be committed before the call."""
    return replace(
        delivery,
        state="sending",
        attempts=delivery.attempts + 1,
        owner=owner,
        lease_until=now + lease,
        message=message,
    )


def lease_ran_out(delivery: Delivery, now: datetime) -> bool:
    """Whether whoever claimed it has not come back in time."""
    return delivery.state == "sending" and delivery.lease_until is not None and delivery.lease_until <= now


def after_lease(delivery: Delivery, now: datetime) -> Delivery:
    """Return a delivery whose sender ended within the call: it may have arrived; the next attempt is due at once.

    However often that happens it is tried again: the sender may have ended before the call each time.
    """
    return replace(
        delivery,
        state="unknown",
        owner=None,
        lease_until=None,
        unknown=max(delivery.unknown, 1),
        next_attempt_at=now,
        last_error="the program ended while sending; it may have arrived",
    )


def after_attempt(
    delivery: Delivery, outcome: Outcome, now: datetime, random: Callable[[], float], *, finds: bool = False
) -> Delivery:
    """Return a claimed delivery after its attempt.

    ``random`` gives numbers from 0 to 1 (for the jitter); ``finds``: this receiver's notifier can look for a message.
    """
    free = replace(delivery, owner=None, lease_until=None)
    if isinstance(outcome, Receipt):
        return replace(
            free,
            state="sent",
            sent_at=now,
            external_id=outcome.external_id,
            last_error=None,
            reason=outcome.detail or None,
        )
    free = replace(free, last_error=str(outcome))
    if isinstance(outcome, RefusedError):
        return _gave_up(free, now) if delivery.plain else _waiting(replace(free, plain=True), now)
    if isinstance(outcome, BrokenReceiverError):
        return _waiting(free, now + BROKEN_AGAIN)
    if isinstance(outcome, UnknownOutcomeError):
        return _after_unknown(free, now, random, finds)
    again, end = now + wait(delivery.attempts, outcome, random), delivery.created_at + GIVE_UP_AFTER
    if now < end:
        return _waiting(free, min(again, end))
    return _gave_up(free, now) if delivery.attempts >= LEAST_ATTEMPTS else _waiting(free, again)


def after_bundle(
    bundle: Bundle, outcome: Outcome, now: datetime, random: Callable[[], float], *, finds: bool = False
) -> tuple[Delivery, ...]:
    """Return all deliveries of a message after its attempt; those to be tried again stay together, at one time."""
    number = random()
    after = [after_attempt(d, outcome, now, lambda: number, finds=finds) for d in bundle.deliveries]
    at = max((d.next_attempt_at for d in after if d.state in OPEN), default=now)
    return tuple(replace(d, next_attempt_at=at) if d.state in OPEN else d for d in after)


def _after_unknown(free: Delivery, now: datetime, random: Callable[[], float], finds: bool) -> Delivery:
    """Look again later where one can look; elsewhere the message is sent once more, marked, and that is all."""
    free = replace(free, unknown=free.unknown + 1)
    if free.unknown > REPEATS and not finds:
        return _gave_up(replace(free, last_error=f"sent {free.unknown} times: {free.last_error}"), now)
    if now >= free.created_at + GIVE_UP_AFTER:
        return _gave_up(free, now)
    pause = max(wait(free.attempts, None, random), REPEAT_WAIT)
    return replace(free, state="unknown", next_attempt_at=now + pause)


def _waiting(free: Delivery, at: datetime) -> Delivery:
    """Wait for another attempt; the message's id is kept only while that message may have arrived, or is refused."""
    message = free.message if free.unknown or free.plain else None
    return replace(free, state="waiting", next_attempt_at=at, message=message)


def _gave_up(free: Delivery, now: datetime) -> Delivery:
    return replace(free, state="gave_up", gave_up_at=now)


def wait(attempts: int, outcome: Outcome | None, random: Callable[[], float]) -> timedelta:
    """Return how long to wait: as told, else at random up to a bound that doubles with each attempt, to an hour.

    Full jitter spreads the attempts of many senders after a common outage over the whole time.
    """
    if isinstance(outcome, TryLaterError) and outcome.retry_after is not None:
        return timedelta(seconds=min(max(outcome.retry_after, SHORTEST_WAIT), LONGEST_TOLD))
    bound = min(FIRST_WAIT * 2.0 ** min(max(attempts - 1, 0), 20), LONGEST_WAIT)
    return timedelta(seconds=max(SHORTEST_WAIT, bound * random()))


def suppress(delivery: Delivery, reason: str) -> Delivery:
    """Return the delivery held back for good, with its reason in words; the digest counts it."""
    return replace(delivery, state="suppressed", reason=reason)


# ------------------------------------------------------------------------------------------------ one receiver


def after_send(
    state: ReceiverState, outcome: Outcome, now: datetime, random: Callable[[], float]
) -> ReceiverState:
    """Return how the receiver fares after an attempt; its other deliveries wait with the one that failed.

    A message that is refused says nothing of the receiver.
    """
    if isinstance(outcome, Receipt):
        return ReceiverState(name=state.name)
    if isinstance(outcome, RefusedError):
        return replace(state, failures=0, retry_at=None, broken_since=None, reason=None)
    failures = state.failures + 1
    if isinstance(outcome, BrokenReceiverError):
        since = state.broken_since or now
        return replace(
            state, failures=failures, retry_at=now + BROKEN_AGAIN, broken_since=since, reason=str(outcome)
        )
    at = now + wait(failures, outcome, random)
    return replace(state, failures=failures, retry_at=at, broken_since=None, reason=str(outcome))


def said_by(receiver: str, error: str | None) -> str:
    """Return what a receiver's error says, without its name: what is said of it names it already."""
    name = receiver.partition("/")[0]
    return (error or "no answer").removeprefix(f"receiver {name!r}: ")


def newly_broken(before: ReceiverState, after: ReceiverState) -> bool:
    """Whether another receiver must be told: this one has just turned out to be broken."""
    return before.broken_since is None and after.broken_since is not None


def ready(state: ReceiverState | None, now: datetime) -> bool:
    """Whether this receiver may be tried now."""
    return state is None or state.retry_at is None or state.retry_at <= now


# ------------------------------------------------------------------------------------------------ what goes together


def due(
    deliveries: Iterable[Delivery],
    now: datetime,
    *,
    states: Iterable[ReceiverState] = (),
    bursts: Callable[[str], int] = lambda _receiver: BURST,
) -> tuple[Bundle, ...]:
    """Return the messages to send now, oldest first, each receiver on its own.

    What a receiver is owed goes out one by one; when it is more than its burst, alerts of severity "info" go as one
    message, and all of it does when the grave ones are too many as well. A message that may
    have arrived is repeated as it was, under its id. A receiver that has failed gets, when its time has come, all that
    it is owed, whether or not each delivery's own time has come. Digests are never bundled.
    """
    by_name = {state.name: state for state in states}
    owed: dict[str, list[Delivery]] = {}
    for delivery in sorted(deliveries, key=lambda d: (d.created_at, d.number)):
        if delivery.state in OPEN and ready(by_name.get(delivery.receiver), now):
            owed.setdefault(delivery.receiver, []).append(delivery)
    bundles = [
        bundle
        for receiver, those in owed.items()
        for bundle in _bundles(receiver, _now(those, by_name.get(receiver), now), bursts(receiver))
    ]
    return tuple(sorted(bundles, key=lambda b: (b.deliveries[0].created_at, b.deliveries[0].number)))


def _now(owed: Sequence[Delivery], state: ReceiverState | None, now: datetime) -> list[Delivery]:
    """Return those whose time has come, with the rest of their message, and after a failure all that waited for it."""
    failed = state is not None and state.failures > 0
    begun = {d.message for d in owed if d.message is not None and d.next_attempt_at <= now}
    return [
        d
        for d in owed
        if d.next_attempt_at <= now
        or d.message in begun
        or (failed and d.state == "waiting" and d.message is None)
    ]


def _bundles(receiver: str, owed: Sequence[Delivery], burst: int) -> list[Bundle]:
    again: dict[str, list[Delivery]] = {}
    fresh: list[Delivery] = []
    for delivery in owed:
        if delivery.message is not None:
            again.setdefault(delivery.message, []).append(delivery)
        else:
            fresh.append(delivery)
    bundles = [Bundle(receiver, message, tuple(those)) for message, those in again.items()]
    alerts = [delivery for delivery in fresh if delivery.kind == "alert"]
    others = [delivery for delivery in fresh if delivery.kind != "alert"]
    groups = _grouped(alerts, burst) + [[delivery] for delivery in others]
    return bundles + [Bundle(receiver, message_id(receiver, those), tuple(those)) for those in groups]


def _grouped(alerts: Sequence[Delivery], burst: int) -> list[list[Delivery]]:
    """One by one up to the burst; beyond it those that matter keep a message of their own while they are few."""
    if len(alerts) <= burst:
        return [[delivery] for delivery in alerts]
    grave = [delivery for delivery in alerts if delivery.severity != "info"]
    if len(grave) > burst:
        return [list(alerts)]
    return [[delivery] for delivery in grave] + [[d for d in alerts if d.severity == "info"]]


def message_id(receiver: str, deliveries: Sequence[Delivery]) -> str:
    """Return the stable id of a message: of its deliveries and their receiver, the same however often it is made."""
    what = [
        receiver,
        *sorted(f"{delivery.kind}:{delivery.about}:{delivery.number}" for delivery in deliveries),
    ]
    return f"mw-{hashlib.sha256(chr(10).join(what).encode()).hexdigest()[:20]}"
