"""Owed deliveries → receivers: claimed and committed before the call, the outcome after it; no call in a transaction."""

from __future__ import annotations

import logging
import os
import random
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher.domain import Notification, Receipt
from watcher.errors import BrokenReceiverError, ConfigError, DeliveryError
from watcher.logs import pairs
from watcher.outbox import (
    GIVE_UP_AFTER,
    Bundle,
    Delivery,
    Outcome,
    ReceiverState,
    after_bundle,
    after_lease,
    after_send,
    claim,
    due,
    lease_ran_out,
    newly_broken,
)
from watcher.pipeline.mending import tell_broken, tell_recovered
from watcher.pipeline.receivers import by_address, name_of
from watcher.quiet import quiet_until
from watcher.store.outbox import Attempt

if TYPE_CHECKING:
    from watcher.domain import Alert
    from watcher.notifiers import Notifier
    from watcher.pipeline.parts import Watcher

_log = logging.getLogger("watcher.deliveries")
ROUNDS = 100  # of sending in one pass; what a receiver is owed after that waits for the next
THREAD = timedelta(days=30)  # a follow-up later than this after a thread began is a message of its own again
_RUN = secrets.token_hex(4)  # tells this process from an earlier one that had the same number


def send_deliveries(
    watcher: Watcher, now: datetime, *, stop: Callable[[], bool] = lambda: False
) -> tuple[int, int]:
    """Send what is due; return how many deliveries were sent, and how many were tried in vain."""
    free_expired(watcher, now)
    give_up_orphans(watcher, now)
    sent = failed = 0
    tried: set[int] = set()
    for _ in range(ROUNDS):
        bundles = [b for b in due_bundles(watcher, now) if not tried & {d.number for d in b.deliveries}]
        if not bundles:
            break
        done: set[str] = set()
        for bundle in bundles:
            if stop():
                return sent, failed
            if bundle.receiver in done:
                continue
            tried |= {delivery.number for delivery in bundle.deliveries}
            if _send(watcher, bundle, now):
                sent += len(bundle.deliveries)
            else:
                failed += len(bundle.deliveries)
                done.add(bundle.receiver)  # its other messages wait; other receivers' do not
    return sent, failed


def free_expired(watcher: Watcher, now: datetime) -> None:
    """Take back claims whose owner did not come back; only the holder of the lock does this, so no lease is awaited."""
    lost = [
        d
        for d in watcher.store.outbox.open()
        if d.state == "sending" and (d.owner != owner() or lease_ran_out(d, now))
    ]
    if lost:
        with watcher.store.write():
            watcher.store.outbox.save(after_lease(each, now) for each in lost)


def give_up_orphans(watcher: Watcher, now: datetime) -> None:
    """Give up what is owed to an address that the config no longer names, a week after it was made.

    Until then it is kept: the config may have been wrong for a day.
    """
    known = by_address(watcher.config)
    gone = [
        each
        for each in watcher.store.outbox.open()
        if each.receiver not in known and now >= each.created_at + GIVE_UP_AFTER
    ]
    if gone:
        reason = "the config names no such receiver any more"
        with watcher.store.write():
            watcher.store.outbox.save(
                replace(each, state="gave_up", gave_up_at=now, last_error=reason) for each in gone
            )


def due_bundles(watcher: Watcher, now: datetime) -> tuple[Bundle, ...]:
    """Return the messages to send now. What waited for another try does not break into quiet hours either."""
    owed = watcher.store.outbox.open()
    if not owed:
        return ()
    known = by_address(watcher.config)
    quiet = {
        address
        for address, receiver in known.items()
        if quiet_until(now, receiver.zone, receiver.quiet_hours) is not None
    }
    return due(
        [
            delivery
            for delivery in owed
            if delivery.receiver in known and (delivery.receiver not in quiet or _loud(delivery))
        ],
        now,
        states=watcher.store.outbox.receivers().values(),
        bursts=lambda address: known[address].burst,
    )


def _loud(delivery: Delivery) -> bool:
    """Whether it goes out in quiet hours, too: what is critical, and a digest, whose hour the receiver chose."""
    return delivery.severity == "critical" or (delivery.kind == "digest" and delivery.about[:1].isdigit())


def owner() -> str:
    """Return who claims deliveries in this process."""
    return f"{os.uname().nodename}:{os.getpid()}:{_RUN}"


def _send(watcher: Watcher, bundle: Bundle, now: datetime) -> bool:
    store = watcher.store
    notification = _notification(
        watcher, bundle, now
    )  # before the claim: a fault here leaves nothing unknown
    claimed = tuple(claim(delivery, bundle.message, now, owner=owner()) for delivery in bundle.deliveries)
    with store.write():
        store.outbox.save(claimed)
    watcher.reach("claimed")
    outcome, finds = _call(watcher, bundle, notification)
    watcher.reach("accepted")
    states = store.outbox.receivers()
    before = states.get(bundle.receiver, ReceiverState(name=bundle.receiver))
    after = after_send(before, outcome, now, random.random)
    with store.write():
        ended = after_bundle(replace(bundle, deliveries=claimed), outcome, now, random.random, finds=finds)
        store.outbox.save(ended)
        store.outbox.add_attempts(_attempt(each, outcome, now) for each in claimed)
        store.outbox.save_receiver(after)
        if newly_broken(before, after):
            tell_broken(watcher, after, now)
        elif before.broken_since is not None and after.broken_since is None:
            tell_recovered(watcher, before, now)
        if isinstance(outcome, Receipt):
            store.outbox.hasten(bundle.receiver, now)
        watcher.reach("marking")
    watcher.reach("marked")
    _log.info(
        pairs(
            "delivery",
            receiver=name_of(bundle.receiver),
            message=bundle.message,
            alerts=len(claimed),
            outcome=_word(outcome),
        )
    )
    return isinstance(outcome, Receipt)


def _call(watcher: Watcher, bundle: Bundle, notification: Notification) -> tuple[Outcome, bool]:
    from watcher.notifiers import can_find, deliver  # noqa: PLC0415 - only when something is sent

    name, _, recipient = bundle.receiver.partition("/")
    try:
        notifier: Notifier = watcher.notifier(name, recipient)
    except ConfigError as error:  # a wrong option is this receiver's trouble, and no other's
        return BrokenReceiverError(str(error)), False
    finds = can_find(notifier)
    try:
        return deliver(notifier, notification, unknown=bundle.unknown, plain=bundle.plain), finds
    except DeliveryError as error:
        return error, finds


def _notification(watcher: Watcher, bundle: Bundle, now: datetime) -> Notification:
    store = watcher.store
    numbers = [store.outbox.alert_and_digest(delivery.number) for delivery in bundle.deliveries]
    digests = [digest for _, digest in numbers if digest is not None]
    if digests:
        from watcher.pipeline.briefing import thread_of  # noqa: PLC0415 - a follow-up answers to its brief

        thread = thread_of(store, digests[0], bundle.receiver)
        return replace(store.outbox.digest(digests[0]), id=bundle.message, thread=thread)
    alerts = [
        alert
        for number, _ in numbers
        if number is not None and (alert := store.events.alert(number)) is not None
    ]
    return replace(notification_of(watcher, alerts, bundle, now), id=bundle.message)


def notification_of(watcher: Watcher, alerts: Sequence[Alert], bundle: Bundle, now: datetime) -> Notification:
    """Put alerts into one message."""
    from watcher.render.alert import alert_notification  # noqa: PLC0415 - only when something is sent

    thread, prominent = None, False
    if len(alerts) == 1:
        alert = alerts[0]
        # Nobody but its author is told of a reply in a thread: what corrects, or is grave, must not hide there.
        prominent = alert.severity != "info" or any(event.before is not None for event in alert.events)
        thread = watcher.store.outbox.thread_of(alert.rule, alert.group, bundle.receiver, now, THREAD)
    made = alert_notification(alerts, now=now, base_url=watcher.config.base_url)
    return replace(made, thread=thread, prominent=prominent)


def _attempt(delivery: Delivery, outcome: Outcome, now: datetime) -> Attempt:
    detail = outcome.detail if isinstance(outcome, Receipt) else str(outcome)
    return Attempt(delivery.number, now, delivery.attempts, _word(outcome), detail or None)


def _word(outcome: Outcome) -> str:
    if isinstance(outcome, Receipt):
        return "sent"
    return type(outcome).__name__.removesuffix("Error")
