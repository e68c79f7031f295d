"""When something is due next, read from the state: a source's check, a delivery's try, a digest, a rule's deadline."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from watcher import health
from watcher.outbox import OPEN
from watcher.pipeline.parts import Watcher
from watcher.pipeline.receivers import name_of
from watcher.quiet import digest_due, next_digest

LOOK_AGAIN = timedelta(
    minutes=1
)  # at a delivery that seems due and was not sent: quiet hours, or a pass cut short
LONGEST_REST = timedelta(minutes=5)  # a pass is made at least this often: it notices stale sources and pings


def next_due(watcher: Watcher, done_at: datetime) -> datetime:
    """Return when to make the next pass, given that one was made at ``done_at``.

    Digests and deadlines whose hour had come by then were dealt with by that pass.
    """
    tries = (at if at > done_at else done_at + LOOK_AGAIN for at in _deliveries(watcher))
    return min([*_sources(watcher, done_at), *_hours(watcher, done_at), *tries, done_at + LONGEST_REST])


def _sources(watcher: Watcher, done_at: datetime) -> Iterator[datetime]:
    held = watcher.store.sources.all()
    for source in watcher.sources:
        memory = held.get(source.name)
        state = health.SourceState.from_json(source.name, memory.health if memory is not None else {})
        if state.next_check_at is None or health.due(state, source, done_at):
            yield done_at
        else:
            yield state.next_check_at


def _deliveries(watcher: Watcher) -> Iterator[datetime]:
    """A receiver that has failed is tried when its own time comes, whatever each delivery's own is."""
    known = {receiver.name for receiver in watcher.config.receivers}
    states = watcher.store.outbox.receivers()
    for delivery in watcher.store.outbox.open():
        if name_of(delivery.receiver) not in known:
            continue
        state = states.get(delivery.receiver)
        retry_at = state.retry_at if state is not None else None
        if delivery.state not in OPEN:  # claimed by a process that is gone
            yield delivery.created_at
        elif retry_at is None:
            yield delivery.next_attempt_at
        elif delivery.state == "waiting" and delivery.message is None:
            yield retry_at
        else:
            yield max(retry_at, delivery.next_attempt_at)


def _hours(watcher: Watcher, done_at: datetime) -> Iterator[datetime]:
    for receiver in watcher.config.receivers:
        if receiver.digest_at is not None:
            past = digest_due(done_at, receiver.zone, receiver.digest_at, None)
            yield next_digest(done_at, receiver.zone, receiver.digest_at, past)
    for rule in watcher.rules.rules:
        if rule.enabled and rule.until is not None and rule.until > done_at:
            yield rule.until
