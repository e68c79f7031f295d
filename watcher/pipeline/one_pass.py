"""One pass: due sources, rules, deliveries, due digests; what came of it is read back from the state."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct, field

from watcher import __version__
from watcher.credentials import demand
from watcher.logs import pairs
from watcher.pipeline.claims_again import READER, read_posts_again
from watcher.pipeline.clock import put_right
from watcher.pipeline.due import Checked, deadline_passed, due_sources, tell_stale
from watcher.pipeline.parts import BRIEFS, STUCK, VERSION

if TYPE_CHECKING:
    from watcher.domain import Alert, Source
    from watcher.pipeline.parts import Watcher

_log = logging.getLogger("watcher.pass")


class Start(Struct, frozen=True):
    """Where events and alerts stood before, so that a report speaks of what came since."""

    event: int
    alert: int


class Pass(Struct):
    """What one pass did."""

    start: Start
    checked: Checked = field(default_factory=Checked)
    alerts: list[Alert] = field(default_factory=list)
    sent: int = 0
    failed: int = 0


def begin(watcher: Watcher, now: datetime) -> Start:
    """Refuse wrong rules and receivers at the start, let new rules look forward from here, and note where things stand.

    Valid ones are kept under their stamp, so that this costs a read. After an upgrade, what is kept is read again, and
    posts also after a change of the user's own names.
    Raises RuleError or ConfigError.
    """
    stamp = watcher.rules_stamp()
    if watcher.store.recall("rules") != stamp:
        ids = [rule.id for rule in watcher.rules.rules]
        from watcher.pipeline.receivers import check_receivers  # noqa: PLC0415 - once for a set of rules

        check_receivers(watcher)
        deadlines = {
            rule.id: rule.until.isoformat() for rule in watcher.rules.rules if rule.enabled and rule.until
        }
        with watcher.store.write():
            watcher.store.events.register_rules(ids, now)
            watcher.store.remember("deadlines", json.dumps(deadlines))
            watcher.keep_rules(stamp)
            watcher.store.remember("rules", stamp)
    start = Start(watcher.store.events.last_number(), watcher.store.events.last_alert_number())
    if watcher.store.recall(VERSION) != __version__:
        from watcher.pipeline.rereading import reread  # noqa: PLC0415 - once after an upgrade

        reread(watcher, now)
    if watcher.store.recall(READER) != watcher.claims_reader:
        read_posts_again(watcher, now)
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

    What an earlier run left waiting is done first: its events are evaluated and its deliveries sent. Raises SecretError
    where a secret that the config names cannot be had.
    """
    demand(watcher.config.secrets)
    done = Pass(begin(watcher, now))
    clock_is_behind = put_right(watcher, now) is not None
    _tell(watcher, now, done, stop)
    sources = tuple(only) if only is not None else due_sources(watcher, now)
    if clock_is_behind and only is None:
        sources = watcher.sources
    if not stop():
        if sources:
            from watcher.pipeline.checking import check_sources  # noqa: PLC0415 - only when a source is due

            done.checked = check_sources(watcher, sources, now, progress=progress, stop=stop)
        tell_stale(watcher, now)
        if watcher.store.owes_anything() or watcher.store.recall(STUCK):
            from watcher.pipeline.stuck import tell_stuck  # noqa: PLC0415 - only where something is or was owed in vain

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
    """Evaluate, make digests, send; a part is imported only where there is something for it to do."""
    store = watcher.store
    if store.events.waiting_batches():
        from watcher.pipeline.evaluating import evaluate_events  # noqa: PLC0415

        done.alerts += evaluate_events(watcher, now)
    if deadline_passed(watcher, now):
        from watcher.pipeline.evaluating import tell_deadlines  # noqa: PLC0415

        done.alerts += tell_deadlines(watcher, now)
    if stop():
        return
    if store.recall(BRIEFS):
        from watcher.pipeline.briefing import send_briefs  # noqa: PLC0415

        send_briefs(watcher, now)
    if any(receiver.digest_at for receiver in watcher.config.receivers):
        from watcher.pipeline.digesting import send_digests  # noqa: PLC0415

        send_digests(watcher, now)
    if store.owes_anything():
        _send(watcher, now, done, stop)


def _send(watcher: Watcher, now: datetime, done: Pass, stop: Callable[[], bool]) -> None:
    from watcher.pipeline.delivering import send_deliveries  # noqa: PLC0415 - only when something is owed
    from watcher.pipeline.evaluating import evaluate_events  # noqa: PLC0415

    while True:
        sent, failed = send_deliveries(watcher, now, stop=stop)
        done.sent += sent
        done.failed += failed
        if stop() or not watcher.store.events.waiting_batches():
            return
        # Sending found a receiver broken, or working again: others are told at once.
        done.alerts += evaluate_events(watcher, now)
