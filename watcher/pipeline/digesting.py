"""The daily digest: once a local date for each receiver that wants one, also when nothing happened."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from watcher.pipeline.receivers import addresses
from watcher.quiet import digest_due

if TYPE_CHECKING:
    from watcher.config import ReceiverConfig
    from watcher.domain import Notification
    from watcher.pipeline.parts import Watcher
    from watcher.render.digest import DigestFacts

DAY = timedelta(days=1)


def send_digests(watcher: Watcher, now: datetime) -> int:
    """Make the digests that are due and owe them; return how many. What makes one due is its local date."""
    made = 0
    facts: dict[tuple[date, str, datetime], DigestFacts] = {}  # receivers of one hour and zone share them
    for receiver in watcher.config.receivers:
        if receiver.digest_at is None:
            continue
        # A date yet to come is of a clock that was wrong.
        last = watcher.store.outbox.last_digest(receiver.name, until=today(receiver.zone, now).isoformat())
        day = digest_due(
            now, receiver.zone, receiver.digest_at, date.fromisoformat(last[0]) if last else None,
            since=_since(watcher, receiver, now),
        )  # fmt: skip
        if day is None:
            continue
        since = last[1] if last else now - DAY
        key = (day, receiver.zone, since)
        if key not in facts:
            from watcher.pipeline.digest_facts import gather  # noqa: PLC0415 - only when a digest is due

            facts[key] = gather(watcher, day=day, zone=receiver.zone, since=since, until=now)
        made += _make(watcher, receiver, facts[key], now)
    return made


def today(zone: str, now: datetime) -> date:
    """Return the local date in a zone."""
    return now.astimezone(ZoneInfo(zone)).date()


def _since(watcher: Watcher, receiver: ReceiverConfig, now: datetime) -> datetime:
    """Return since when this receiver wants digests, so that a new one does not get yesterday's."""
    name = f"digest since {receiver.name}"
    held = watcher.store.recall(name)
    if held is not None:
        return datetime.fromisoformat(held)
    with watcher.store.write():
        watcher.store.remember(name, now.isoformat())
    return now


def _make(watcher: Watcher, receiver: ReceiverConfig, facts: DigestFacts, now: datetime) -> int:
    from watcher.render.digest import digest_notification  # noqa: PLC0415 - only when a digest is due

    notification = digest_notification(facts, now=now)
    with watcher.store.write():
        number = owe_digest(watcher, receiver, facts.day.isoformat(), notification, now)
        watcher.reach("digesting")
    watcher.reach("digested")
    return int(number is not None)


def owe_digest(
    watcher: Watcher, receiver: ReceiverConfig, name: str, notification: Notification, now: datetime
) -> int | None:
    """Record a digest under a name and owe it to each recipient; return its number, None if there is one of that name."""
    number = watcher.store.outbox.add_digest(receiver.name, name, notification, now)
    if number is not None:
        for address in addresses(receiver):
            watcher.store.outbox.owe(address, now, digest=number)
    return number
