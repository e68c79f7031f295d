"""A clock that was set back: noticed by what the state recorded, and made harmless.

Everything that is due is a time in the state. If the clock showed a later time by mistake, what was put off then would
wait until that time comes again. So every source is checked at once (which records its next check anew), and no
delivery waits longer than it may.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher import health
from watcher.logs import pairs

if TYPE_CHECKING:
    from watcher.pipeline.parts import Watcher

TOLERANCE = timedelta(minutes=2)  # clocks are adjusted by seconds all the time
LONGEST_PUT_OFF = timedelta(
    days=1, hours=1
)  # what a receiver may ask for, and quiet hours on a day of 25 hours
_TRIED = frozenset({"waiting", "unknown"})
_log = logging.getLogger("watcher.clock")


def last_recorded(watcher: Watcher) -> datetime | None:
    """Return the latest time at which one of the sources in force was checked, None if none ever was."""
    held = watcher.store.sources.all()
    times = [
        state.checked_at
        for source in watcher.sources
        if source.name in held
        and (state := health.SourceState.from_json(source.name, held[source.name].health)).checked_at
    ]
    return max((at for at in times if at is not None), default=None)


def set_back(watcher: Watcher, now: datetime) -> timedelta | None:
    """Return by how much the clock is behind what the state recorded, None if it is not."""
    last = last_recorded(watcher)
    if last is None or last - now <= TOLERANCE:
        return None
    return last - now


def put_right(watcher: Watcher, now: datetime) -> timedelta | None:
    """Make a clock that was set back harmless for deliveries, and say so once; the caller then checks every source."""
    behind = set_back(watcher, now)
    if behind is None:
        return None
    _log.warning(
        pairs(
            "the clock was set back; every source is checked now, and nothing waits for the wrong time",
            by=str(behind).partition(".")[0], now=f"{now:%Y-%m-%dT%H:%M:%SZ}",
        )
    )  # fmt: skip
    outbox = watcher.store.outbox
    late = [
        replace(each, next_attempt_at=now)
        for each in outbox.open()
        if each.next_attempt_at > now + LONGEST_PUT_OFF
        or ((each.state in _TRIED or each.created_at > now) and each.next_attempt_at > now)
    ]
    receivers = [
        replace(state, retry_at=now)
        for state in outbox.receivers().values()
        if state.retry_at is not None and state.retry_at > now
    ]
    if late or receivers:
        with watcher.store.write():
            outbox.save(late)
            for state in receivers:
                outbox.save_receiver(state)
    return behind
