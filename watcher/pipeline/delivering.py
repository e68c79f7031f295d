"""Owed deliveries → receivers: claimed and committed before the call, the outcome after it; no call in a transaction."""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from watcher.domain import Notification, Receipt
from watcher.errors import DeliveryError
from watcher.logs import pairs
from watcher.outbox import (
    Bundle,
    Delivery,
    Outcome,
    ReceiverState,
    after_attempt,
    after_lease,
    after_send,
    claim,
    due,
    lease_ran_out,
    newly_broken,
)
from watcher.pipeline.recording import event_id
from watcher.store.outbox import Attempt

if TYPE_CHECKING:
    from watcher.config import ReceiverConfig
    from watcher.domain import Alert
    from watcher.notifiers import Notifier
    from watcher.pipeline.parts import Watcher

_log = logging.getLogger("watcher.deliveries")
ROUNDS = 100  # of sending in one pass; what a receiver is owed after that waits for the next


def send_deliveries(
    watcher: Watcher, now: datetime, *, stop: Callable[[], bool] = lambda: False
) -> tuple[int, int]:
    """Send what is due; return how many deliveries were sent, and how many were tried in vain."""
    free_expired(watcher, now)
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
    orphans = [
        d
        for d in watcher.store.outbox.open()
        if d.state == "sending" and (d.owner != owner() or lease_ran_out(d, now))
    ]
    if orphans:
        with watcher.store.write():
            watcher.store.outbox.save(after_lease(each, now) for each in orphans)


def due_bundles(watcher: Watcher, now: datetime) -> tuple[Bundle, ...]:
    """Return the messages to send now."""
    owed = watcher.store.outbox.open()
    if not owed:
        return ()
    known = {receiver.name: receiver for receiver in watcher.config.receivers}
    return due(
        [delivery for delivery in owed if name_of(delivery.receiver) in known],
        now,
        states=watcher.store.outbox.receivers().values(),
        bursts=lambda address: known[name_of(address)].burst,
    )


def addresses(receiver: ReceiverConfig) -> tuple[str, ...]:
    """Return what the outbox calls a receiver: its name, or one ``name/recipient`` each."""
    return tuple(f"{receiver.name}/{to}" for to in receiver.to) or (receiver.name,)


def name_of(address: str) -> str:
    """Return the receiver's name in the config."""
    return address.partition("/")[0]


def owner() -> str:
    """Return who claims deliveries in this process."""
    return f"{os.uname().nodename}:{os.getpid()}"


def _send(watcher: Watcher, bundle: Bundle, now: datetime) -> bool:
    store = watcher.store
    claimed = tuple(claim(delivery, bundle.message, now, owner=owner()) for delivery in bundle.deliveries)
    with store.write():
        store.outbox.save(claimed)
    watcher.reach("claimed")
    outcome, finds = _call(watcher, bundle, now)
    watcher.reach("accepted")
    states = store.outbox.receivers()
    before = states.get(bundle.receiver, ReceiverState(name=bundle.receiver))
    after = after_send(before, outcome, now, random.random)
    with store.write():
        store.outbox.save(after_attempt(each, outcome, now, random.random, finds=finds) for each in claimed)
        store.outbox.add_attempts(_attempt(each, outcome, now) for each in claimed)
        store.outbox.save_receiver(after)
        if newly_broken(before, after):
            _tell_others(watcher, after, now)
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


def _call(watcher: Watcher, bundle: Bundle, now: datetime) -> tuple[Outcome, bool]:
    from watcher.notifiers import can_find, deliver  # noqa: PLC0415 - only when something is sent

    name, _, recipient = bundle.receiver.partition("/")
    notifier: Notifier = watcher.notifier(name, recipient)
    notification = _notification(watcher, bundle, now)
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
        return replace(store.outbox.digest(digests[0]), id=bundle.message)
    alerts = [
        alert
        for number, _ in numbers
        if number is not None and (alert := store.events.alert(number)) is not None
    ]
    return replace(notification_of(watcher, alerts, bundle, now), id=bundle.message)


def notification_of(watcher: Watcher, alerts: Sequence[Alert], bundle: Bundle, now: datetime) -> Notification:
    """Put alerts into one message."""
    from watcher.render.alert import alert_notification  # noqa: PLC0415 - only when something is sent

    thread = None
    if len(alerts) == 1:
        thread = watcher.store.outbox.last_message_of(alerts[0].rule, alerts[0].group, bundle.receiver)
    return replace(alert_notification(alerts, now=now, base_url=watcher.config.base_url), thread=thread)


def _attempt(delivery: Delivery, outcome: Outcome, now: datetime) -> Attempt:
    detail = outcome.detail if isinstance(outcome, Receipt) else str(outcome)
    return Attempt(delivery.number, now, delivery.attempts, _word(outcome), detail or None)


def _word(outcome: Outcome) -> str:
    if isinstance(outcome, Receipt):
        return "sent"
    return type(outcome).__name__.removesuffix("Error")


def _tell_others(watcher: Watcher, broken: ReceiverState, now: datetime) -> None:
    """Owe another receiver the word that this one is broken, as an event through the same path."""
    from watcher.domain import SourceTrouble  # noqa: PLC0415 - rare
    from watcher.pipeline.recording import Occasion, plain_event  # noqa: PLC0415

    name = name_of(broken.name)
    about = SourceTrouble(
        source=f"receiver {name}",
        url=None,
        failure="receiver",
        message=f"receiver {broken.name} is broken: {broken.reason}; what it is owed is kept until it works again",
        failures=broken.failures,
        since=broken.broken_since,
    )
    occasion = Occasion(batch=f"receiver {broken.name} {now.isoformat()}", now=now, source=f"receiver {name}")
    made = plain_event("source.failing", about, occasion)
    once = event_id("receiver.broken", broken.name, broken.broken_since)
    watcher.store.events.add([replace(made, event=replace(made.event, id=once))])
