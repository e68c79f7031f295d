"""The daemon's loop: wait until something is due, do a pass, pin how everything stands; reload and stop when asked."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from watcher.errors import StateError, UsageError
from watcher.logs import pairs
from watcher.pipeline.one_pass import run_pass
from watcher.schedule.due import next_due
from watcher.schedule.snapshot import Board, take
from watcher.schedule.systemd import READY, STOPPING

if TYPE_CHECKING:
    from watcher.pipeline.one_pass import Pass
    from watcher.pipeline.parts import Watcher
    from watcher.schedule.alarm import Requests
    from watcher.store import Store

LONGEST_SLEEP = timedelta(seconds=60)  # then we look at the clock, which may have been changed meanwhile
SHORTEST_SLEEP = timedelta(seconds=5)  # between two passes, whatever seems due
AFTER_TROUBLE = timedelta(seconds=60)  # before the state is tried again
SAY_AGAIN = timedelta(hours=1)
_log = logging.getLogger("watcher.daemon")


class Announce(Protocol):
    """How the service manager is told of us."""

    def __call__(self, *words: str) -> None:
        """Send words of its protocol."""
        ...

    def reloading(self) -> None:
        """Say that a reload has begun."""
        ...

    def status(self, text: str) -> None:
        """Say in a line how we are."""
        ...


@dataclass(kw_only=True)
class Daemon:
    """All that the loop needs.

    ``load`` returns checked parts, at the start and at each reload (raises UsageError); ``wait`` returns at a time or
    when a signal has come; ``clock`` gives aware UTC, ``monotonic`` seconds. ``after_pass`` is told of each pass that
    was done whole; ``during_reload`` serves what depends on the config (the health page), before the new one is taken.
    """

    store: Store
    load: Callable[[], Watcher]
    clock: Callable[[], datetime]
    monotonic: Callable[[], float]
    wait: Callable[[datetime], None]
    requests: Requests
    announce: Announce
    board: Board
    after_pass: Callable[[Watcher, Pass], None] = lambda _watcher, _done: None
    during_load: Callable[[Watcher], None] = lambda _watcher: None
    snapshots: bool = True
    _said: dict[str, datetime] = field(default_factory=dict)

    def run(self) -> None:
        """Work until asked to stop. Raises UsageError for a wrong config at the start, StateError for a damaged state."""
        watcher = self._loaded()
        self.announce(READY)
        _log.info(pairs("started", sources=len(watcher.sources), receivers=len(watcher.config.receivers)))
        if not watcher.sources:
            _log.warning(
                "nothing is watched: no source is in force; turn groups on with watcher.groups in the config"
            )
        due, done_at = self.clock(), None
        try:
            while not self.requests.stop:
                if self.requests.reload:
                    self.requests.reload = False
                    watcher = self._reloaded(watcher)
                    due = self.clock()
                now = self.clock()
                self.board.beat(self.monotonic())
                if now >= due or (done_at is not None and now < done_at):  # due, or the clock was set back
                    due, done_at = self._pass(watcher, now), now
                if not self.requests.stop and not self.requests.reload:
                    self.wait(min(due, self.clock() + LONGEST_SLEEP))
        finally:
            self.announce(STOPPING)
            close(watcher)
        _log.info("stopped")

    def _pass(self, watcher: Watcher, now: datetime) -> datetime:
        """Do one pass; return when the next one is due."""
        began = self.monotonic()
        limit = watcher.config.deadline

        def stop() -> bool:
            at = self.monotonic()
            self.board.beat(at)
            return self.requests.stop or (limit is not None and at - began > limit)

        try:
            with self.store.explaining():
                done = run_pass(watcher, now, progress=lambda _name: None, stop=stop)
                self._count(self.monotonic() - began)
                if self.requests.stop:
                    return now
                self.after_pass(watcher, done)
                due = max(next_due(watcher, now), self.clock() + SHORTEST_SLEEP)
                self.board.pin(take(watcher, now) if self.snapshots else None, None)
        except StateError as error:
            if error.damaged:
                raise
            self._state_trouble(str(error), now)
            return now + AFTER_TROUBLE
        if self._said:
            self._said.clear()
            _log.warning("the state can be used again")
        self.announce.status(f"{len(watcher.sources)} sources, next pass at {due:%H:%M:%S} UTC")
        _log.info(pairs("waiting", next_pass=f"{due:%Y-%m-%dT%H:%M:%SZ}"))
        return due

    def _count(self, seconds: float) -> None:
        counts = self.board.counts
        counts.passes += 1
        counts.seconds += seconds
        counts.last_seconds = seconds

    def _state_trouble(self, text: str, now: datetime) -> None:
        """Say what is wrong with the state, once an hour; nothing that was recorded is lost, so we wait."""
        self.board.pin(None, text)
        self.announce.status(text)
        said = self._said.get(text)
        if said is None or not timedelta() <= now - said < SAY_AGAIN:
            self._said[text] = now
            _log.error("%s; tried again every minute", text)

    def _loaded(self) -> Watcher:
        with self.store.explaining():
            watcher = self.load()
            self.during_load(watcher)
        return watcher

    def _reloaded(self, before: Watcher) -> Watcher:
        """Return the parts of the new config, or those before if it is wrong."""
        self.announce.reloading()
        try:
            after = self._loaded()
        except UsageError as error:
            self.board.counts.refused_reloads += 1
            _log.error(pairs("reload refused, all stays as it was", why=error))
            after = before
        else:
            self.board.counts.reloads += 1
            close(before)
            _log.info(pairs("reloaded", sources=len(after.sources), rules=len(after.rules.rules)))
        self.announce(READY)
        return after


def close(watcher: Watcher) -> None:
    """Close the connections that the parts hold, if any were made."""
    if "fetcher" in vars(watcher):
        watcher.fetcher.close()
