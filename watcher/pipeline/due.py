"""Which sources are due, and which have been silent for too long; all that a pass with nothing to do needs to know."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct, field

from watcher import health

if TYPE_CHECKING:
    from watcher.domain import Source
    from watcher.pipeline.parts import Watcher
    from watcher.store.sources import SourceMemory


class Checked(Struct):
    """How a pass over sources went; names of sources, in the order they were done."""

    checked: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    steps: dict[str, tuple[str, ...]] = field(default_factory=dict)
    baselines: dict[str, int] = field(default_factory=dict)


def due_sources(watcher: Watcher, now: datetime) -> tuple[Source, ...]:
    """Return the sources whose next check has come."""
    held = watcher.store.sources.all()
    return tuple(
        source
        for source in watcher.sources
        if health.due(state_of(source, held.get(source.name)), source, now)
    )


def tell_stale(watcher: Watcher, now: datetime) -> None:
    """Record source.stale for every source that has not succeeded for too long, also when it is never due."""
    held = watcher.store.sources.all()
    for source in watcher.sources:
        memory = held.get(source.name)
        state = state_of(source, memory)
        outcome = health.stale(state, source, now)
        if outcome.state == state and memory is not None:
            continue
        from watcher.pipeline.occasion import Occasion, plain_event  # noqa: PLC0415 - only where there is news

        with watcher.store.write():
            occasion = Occasion(
                batch=f"{source.name}#stale-{now.isoformat()}", now=now, source=source.name, url=source.url
            )
            watcher.store.events.add([plain_event(t.kind, t.about, occasion) for t in outcome.troubles])
            watcher.store.sources.save(
                source.name, kind=source.kind, url=source.url, health=outcome.state.as_json(),
                next_check_at=outcome.state.next_check_at,
            )  # fmt: skip


def deadline_passed(watcher: Watcher, now: datetime) -> bool:
    """Whether a rule's deadline has come that was not told yet; they are kept beside the rules' stamp."""
    deadlines: dict[str, str] = json.loads(watcher.store.recall("deadlines") or "{}")
    past = {rule for rule, until in deadlines.items() if datetime.fromisoformat(until) <= now}
    if not past:
        return False
    memory = watcher.store.events.rules()
    return any(rule not in memory or (memory[rule][2] is None and memory[rule][3] is None) for rule in past)


def state_of(source: Source, memory: SourceMemory | None) -> health.SourceState:
    """Return how a source fares, as the state holds it."""
    return health.SourceState.from_json(source.name, memory.health if memory is not None else {})
