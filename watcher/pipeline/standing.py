"""How everything stands, read from the state: what ``status``, exit codes, the digest and metrics say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct, field

from watcher import health
from watcher.outbox import said_by

if TYPE_CHECKING:
    from watcher.domain import Source
    from watcher.pipeline.parts import Watcher
    from watcher.store.tables import TableState


class Standing(Struct, frozen=True, kw_only=True):
    """How sources, tables, the outbox and receivers stand."""

    sources: tuple[tuple[Source, health.SourceState], ...]
    tables: tuple[TableState, ...]
    deliveries: Mapping[str, int]
    oldest_open: datetime | None
    broken_receivers: Mapping[str, tuple[datetime, str]]
    failing_deliveries: int
    last_digest: Mapping[str, str]
    tried_in_vain: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Receiver → how many deliveries to it wait for another try, and what the last one met."""

    @property
    def sources_in_trouble(self) -> tuple[str, ...]:
        """Sources that fail (three times in a row) or are stale."""
        return tuple(source.name for source, state in self.sources if not state.healthy)

    @property
    def held_back(self) -> tuple[TableState, ...]:
        """Tables kept as they were because their new state is not to be believed."""
        return tuple(table for table in self.tables if table.held_back_at is not None)

    @property
    def deliveries_in_trouble(self) -> bool:
        """Whether a receiver has taken nothing since a delivery was tried in vain, or is broken."""
        return bool(self.broken_receivers) or self.failing_deliveries > 0

    @property
    def healthy(self) -> bool:
        """Whether nothing needs a person."""
        return not (self.sources_in_trouble or self.held_back or self.deliveries_in_trouble)


def standing(watcher: Watcher) -> Standing:
    """Read how everything stands."""
    store = watcher.store
    held = store.sources.all()
    known = {receiver.name for receiver in watcher.config.receivers}
    states = store.outbox.receivers()
    in_vain = {
        name for name, state in states.items() if state.failures
    }  # the others have taken a message since
    tried = [
        each
        for each in store.outbox.open()
        if each.attempts and each.state != "sending" and each.receiver in in_vain
    ]
    return Standing(
        sources=tuple(
            (
                source,
                health.SourceState.from_json(
                    source.name, held[source.name].health if source.name in held else {}
                ),
            )
            for source in watcher.sources
        ),
        tables=store.tables.all(),
        deliveries=store.outbox.counts(),
        oldest_open=store.outbox.oldest_open(),
        broken_receivers={
            name: (state.broken_since, said_by(name, state.reason))
            for name, state in states.items()
            if state.broken_since is not None and name.partition("/")[0] in known
        },
        failing_deliveries=len(tried),
        tried_in_vain={
            name: (count, next(said_by(name, each.last_error) for each in tried if each.receiver == name))
            for name, count in Counter(each.receiver for each in tried).items()
        },
        last_digest={
            receiver.name: last[0]
            for receiver in watcher.config.receivers
            if (last := store.outbox.last_digest(receiver.name)) is not None
        },
    )
