"""A receiver that has taken nothing for hours, though it is not called broken: told once, as a source's trouble is.

Passing trouble (no answer, 5xx, "too many requests") is tried again for days and nobody need know; but not for hours
on end without a word to anybody else.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from watcher.domain import SourceTrouble
from watcher.outbox import said_by
from watcher.pipeline.occasion import Occasion, event_id, plain_event
from watcher.pipeline.parts import STUCK
from watcher.pipeline.receivers import name_of

if TYPE_CHECKING:
    from watcher.outbox import Delivery
    from watcher.pipeline.parts import Watcher

STUCK_AFTER = timedelta(hours=3)


def tell_stuck(watcher: Watcher, now: datetime) -> None:
    """Record ``source.failing`` for a receiver that became stuck, ``source.recovered`` when it takes messages again."""
    told = set((watcher.store.recall(STUCK) or "").split("\n")) - {""}
    open_now = watcher.store.outbox.open()
    if not told and not open_now:
        return
    oldest = _stuck(watcher, open_now, now)
    waiting = {name_of(each.receiver) for each in open_now if each.attempts}
    fresh, over = set(oldest) - told, told - waiting
    if not fresh and not over:
        return
    with watcher.store.write():
        for name in sorted(fresh):
            late = oldest[name]
            message = (
                f"it has taken nothing since {late.created_at:%Y-%m-%d %H:%M} UTC "
                f"({said_by(name, late.last_error)}); what it is owed is tried again"
            )
            _record(watcher, "source.failing", name, message, late, now)
        for name in sorted(over):
            _record(watcher, "source.recovered", name, "it takes messages again", None, now)
        watcher.store.remember(STUCK, "\n".join(sorted((told | fresh) - over)))


def _stuck(watcher: Watcher, owed: tuple[Delivery, ...], now: datetime) -> dict[str, Delivery]:
    """Return receiver → its oldest delivery that was tried in vain for long; the broken ones are told elsewhere."""
    broken = {
        name for name, state in watcher.store.outbox.receivers().items() if state.broken_since is not None
    }
    known = {receiver.name for receiver in watcher.config.receivers}
    found: dict[str, Delivery] = {}
    for delivery in owed:
        name = name_of(delivery.receiver)
        if name not in known or delivery.receiver in broken or not delivery.attempts:
            continue
        if now - delivery.created_at >= STUCK_AFTER:
            found.setdefault(name, delivery)
    return found


def _record(
    watcher: Watcher, kind: str, name: str, message: str, late: Delivery | None, now: datetime
) -> None:
    about = SourceTrouble(
        source=f"receiver {name}", url=None, failure="receiver", message=message,
        failures=late.attempts if late is not None else 0, since=late.created_at if late is not None else None,
    )  # fmt: skip
    batch = f"receiver {name} {kind.partition('.')[2]} {now.isoformat()}"
    occasion = Occasion(batch=batch, now=now, source=f"receiver {name}")
    once = event_id("receiver.stuck", kind, name, now)
    watcher.store.events.add([plain_event(kind, about, occasion, once=once)])
