"""Why and when something is recorded, and the events that are made on that occasion."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field

from watcher.domain import Change, Event, PublishedRound, Subject
from watcher.store.events import NewEvent


class Occasion(Struct, frozen=True, kw_only=True):
    """Why and when something is recorded: the transaction's batch, the source, the time.

    ``rounds``: repositories seen public on the same occasion, by suite and round.
    """

    batch: str
    now: datetime
    source: str | None = None
    url: str | None = None
    rounds: Mapping[tuple[str, str], PublishedRound] = field(default_factory=dict)


def result_event(
    change: Change,
    occasion: Occasion,
    *,
    before: int | None = None,
    after: int | None = None,
    private: bool,
) -> NewEvent:
    """Return an event about a result; ``before`` and ``after`` are the versions of its sides."""
    subject = change.after if change.after is not None else change.before
    assert subject is not None  # noqa: S101 - a change has at least one side
    event = Event(
        id=event_id(f"result.{change.kind}", *subject.key, before, after, occasion.batch),
        kind=f"result.{change.kind}",
        occurred_at=occasion.now,
        batch=occasion.batch,
        before=change.before,
        after=change.after,
        fields=change.fields,
        source=occasion.source,
        private=private,
    )
    return NewEvent(event, before, after)


def plain_event(
    kind: str,
    subject: Subject | None,
    occasion: Occasion,
    *,
    before: Subject | None = None,
    private: bool = False,
    once: str | None = None,
) -> NewEvent:
    """Return an event about anything but a result; its id is the same when the same work is done again.

    ``once``: its id, where it is not to be told again whatever else it says.
    """
    from watcher.store.codec import dumps  # noqa: PLC0415 - only when there is an event

    return NewEvent(
        Event(
            id=once or event_id(kind, dumps(subject), dumps(before), occasion.batch),
            kind=kind,
            occurred_at=occasion.now,
            batch=occasion.batch,
            before=before,
            after=subject,
            source=occasion.source,
            private=private,
        )
    )


def published_event(subject: PublishedRound, occasion: Occasion, *, private: bool = False) -> NewEvent:
    """Return ``round.published``: once a round, whether its repository or its table was seen first."""
    once = event_id("round.published", subject.suite, subject.round, private)
    return plain_event("round.published", subject, occasion, private=private, once=once)


def event_id(*parts: object) -> str:
    """Return a deterministic id: the same work done again gives the same one."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()
