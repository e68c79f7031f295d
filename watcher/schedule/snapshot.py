"""How the daemon and everything it watches stand: taken by its own thread after each pass, read by others."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct, field

from watcher.pipeline.standing import standing

if TYPE_CHECKING:
    from watcher.pipeline.parts import Watcher

STUCK_AFTER = 1800.0
"""Seconds without a sign of life after which the daemon counts as stuck; one step never takes as long."""


class SourceStanding(Struct, frozen=True):
    """One source. ``succeeded_at``: last success; ``failures`` in a row; ``checks`` in all."""

    name: str
    succeeded_at: datetime | None
    failures: int
    checks: int
    healthy: bool


class Snapshot(Struct, frozen=True, kw_only=True):
    """How everything stood after a pass. Durations are seconds; ``trouble`` says why the state cannot be used."""

    at: datetime
    sources: tuple[SourceStanding, ...] = ()
    results: int = 0
    held_back: int = 0
    events: Mapping[str, int] = field(default_factory=dict)
    alerts: Mapping[str, int] = field(default_factory=dict)
    deliveries: Mapping[str, int] = field(default_factory=dict)
    oldest_delivery: datetime | None = None
    broken_receivers: tuple[str, ...] = ()


class Counts(Struct):
    """What the daemon itself counts since its start."""

    passes: int = 0
    seconds: float = 0.0
    last_seconds: float = 0.0
    reloads: int = 0
    refused_reloads: int = 0


class Board:
    """Where the daemon's thread pins how things stand, and other threads read it."""

    def __init__(self, beat: float) -> None:
        """Start with nothing done; ``beat`` is a monotonic time."""
        self._lock = threading.Lock()
        self._beat = beat
        self._snapshot: Snapshot | None = None
        self._trouble: str | None = "the first pass is not done yet"
        self.counts = Counts()

    def beat(self, at: float) -> None:
        """Say that the daemon is alive at a monotonic time."""
        self._beat = at

    def alive(self, at: float) -> bool:
        """Whether there was a sign of life lately."""
        return at - self._beat < STUCK_AFTER

    def pin(self, snapshot: Snapshot | None, trouble: str | None) -> None:
        """Publish how things stand; without a snapshot the one before stays."""
        with self._lock:
            self._snapshot = snapshot or self._snapshot
            self._trouble = trouble

    def read(self) -> tuple[Snapshot | None, str | None]:
        """Return the last snapshot, and why the daemon is not ready (None: it is)."""
        with self._lock:
            return self._snapshot, self._trouble


def take(watcher: Watcher, now: datetime) -> Snapshot:
    """Read from the state how everything stands."""
    found = standing(watcher)
    return Snapshot(
        at=now,
        sources=tuple(
            SourceStanding(source.name, state.succeeded_at, state.failures, state.checks, state.healthy)
            for source, state in found.sources
        ),
        results=sum(table.results for table in found.tables if not table.private),
        held_back=sum(1 for table in found.held_back if not table.private),
        events=watcher.store.events.counts(private=False),
        alerts=watcher.store.events.alert_counts(),
        deliveries=found.deliveries,
        oldest_delivery=found.oldest_open,
        broken_receivers=tuple(sorted(found.broken_receivers)),
    )
