"""A receiver breaks and works again: others are told, and what it is owed becomes due at once."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from watcher.domain import SourceTrouble
from watcher.outbox import OPEN, ReceiverState, said_by
from watcher.pipeline.occasion import Occasion, event_id, plain_event

if TYPE_CHECKING:
    from watcher.pipeline.parts import Watcher

RECEIVER = "receiver"  # the failure class of a receiver's trouble, which travels as a source's does


def took(watcher: Watcher, receiver: str, now: datetime) -> int:
    """Record that a receiver (as the outbox calls it) took a message by hand; return how many deliveries are due now.

    It is broken no longer, and what it is owed waits no longer; the next pass sends it.
    """
    store = watcher.store
    with store.write():
        state = store.outbox.receivers().get(receiver)
        store.outbox.hasten(receiver, now)
        if state is not None and state.failures:
            store.outbox.save_receiver(ReceiverState(name=receiver))
            if state.broken_since is not None:
                tell_recovered(watcher, state, now)
    return sum(
        each.receiver == receiver and each.state in OPEN and each.next_attempt_at <= now
        for each in store.outbox.open()
    )


def tell_broken(watcher: Watcher, broken: ReceiverState, now: datetime) -> None:
    """Owe another receiver the word that this one is broken, as an event through the same path."""
    message = f"{said_by(broken.name, broken.reason)}; what it is owed is kept until it works again"
    once = event_id("receiver.broken", broken.name, broken.broken_since)
    _tell(watcher, "source.failing", broken, message, once, now)


def tell_recovered(watcher: Watcher, broken: ReceiverState, now: datetime) -> None:
    """Owe those who were told that it was broken the word that it works again."""
    message = "it works again and gets what it was owed"
    once = event_id("receiver.recovered", broken.name, broken.broken_since)
    _tell(watcher, "source.recovered", broken, message, once, now)


def _tell(watcher: Watcher, kind: str, state: ReceiverState, message: str, once: str, now: datetime) -> None:
    source = f"{RECEIVER} {state.name}"
    about = SourceTrouble(
        source=source, url=None, failure=RECEIVER, message=message, failures=state.failures, since=state.broken_since
    )  # fmt: skip
    occasion = Occasion(batch=f"{kind} {RECEIVER} {state.name} {now.isoformat()}", now=now, source=source)
    watcher.store.events.add([plain_event(kind, about, occasion, once=once)])
