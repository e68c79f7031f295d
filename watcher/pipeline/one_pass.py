"""One pass: due sources, rules, deliveries, due digests; what came of it is read back from the state."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from watcher import __version__
from watcher.logs import pairs
from watcher.pipeline.checking import Checked, check_sources, due_sources, tell_stale
from watcher.pipeline.clock import put_right
from watcher.pipeline.delivering import check_receivers
from watcher.pipeline.parts import VERSION
from watcher.pipeline.stuck import tell_stuck

if TYPE_CHECKING:
    from watcher.domain import Alert, Source
    from watcher.pipeline.parts import Watcher

_log = logging.getLogger("watcher.pass")


@dataclass(frozen=True, slots=True)
class Start:
    """Where events and alerts stood before, so that a report speaks of what came since."""

    event: int
    alert: int


@dataclass(slots=True)
class Pass:
    """What one pass did."""

    start: Start
    checked: Checked = field(default_factory=Checked)
    alerts: list[Alert] = field(default_factory=list)
    sent: int = 0
    failed: int = 0


def begin(watcher: Watcher, now: datetime) -> Start:
    """Refuse wrong rules and receivers at the start, let new rules look forward from here, and note where things stand.

    Valid ones are remembered by their stamp, so that this costs a read. After an upgrade, what is kept is read again.
    Raises RuleError or ConfigError.
    """
    stamp = watcher.rules_stamp()
    if watcher.store.recall("rules") != stamp:
        ids = [rule.id for rule in watcher.rules.rules]
        check_receivers(watcher)
        with watcher.store.write():
            watcher.store.events.register_rules(ids, now)
            watcher.store.remember("rules", stamp)
    start = Start(watcher.store.events.last_number(), watcher.store.events.last_alert_number())
    if watcher.store.recall(VERSION) != __version__:
        from watcher.pipeline.rereading import reread  # noqa: PLC0415 - once after an upgrade

        reread(watcher, now)
    return start


def run_pass(
    watcher: Watcher,
    now: datetime,
    *,
    only: Sequence[Source] | None = None,
    progress: Callable[[str], None] = lambda _name: None,
    stop: Callable[[], bool] = lambda: False,
) -> Pass:
    """Do one pass. ``only``: check these sources now, due or not. ``stop`` is asked between steps.

    What an earlier run left waiting is done first: its events are evaluated and its deliveries sent.
    """
    done = Pass(begin(watcher, now))
    clock_is_behind = put_right(watcher, now) is not None
    _tell(watcher, now, done, stop)
    sources = tuple(only) if only is not None else due_sources(watcher, now)
    if clock_is_behind and only is None:
        sources = watcher.sources
    if not stop():
        done.checked = check_sources(watcher, sources, now, progress=progress, stop=stop)
        tell_stale(watcher, now)
        tell_stuck(watcher, now)
    _tell(watcher, now, done, stop)
    _log.info(
        pairs(
            "pass", checked=len(done.checked.checked), unchanged=len(done.checked.unchanged),
            failed=len(done.checked.failed), alerts=len(done.alerts), sent=done.sent, failing=done.failed,
        )
    )  # fmt: skip
    return done


def tell(watcher: Watcher, now: datetime, start: Start) -> Pass:
    """Evaluate what waits and send what is owed, without checking sources."""
    done = Pass(start)
    _tell(watcher, now, done, lambda: False)
    return done


def _tell(watcher: Watcher, now: datetime, done: Pass, stop: Callable[[], bool]) -> None:
    from watcher.pipeline.delivering import send_deliveries  # noqa: PLC0415 - cheap; keeps start-up small
    from watcher.pipeline.digesting import send_digests  # noqa: PLC0415
    from watcher.pipeline.evaluating import evaluate_events, tell_deadlines  # noqa: PLC0415

    done.alerts += evaluate_events(watcher, now)
    done.alerts += tell_deadlines(watcher, now)
    if stop():
        return
    send_digests(watcher, now)
    while True:
        sent, failed = send_deliveries(watcher, now, stop=stop)
        done.sent += sent
        done.failed += failed
        if stop() or not watcher.store.events.waiting_batches():
            return
        # Sending found a receiver broken, or working again: others are told at once.
        done.alerts += evaluate_events(watcher, now)
