"""A digest on request: what it would say now, a date's as it was sent or would have been, and sending it again."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Notification
from watcher.errors import UsageError
from watcher.pipeline.digest_facts import gather
from watcher.pipeline.digesting import DAY, owe_digest, today

if TYPE_CHECKING:
    from watcher.config import ReceiverConfig
    from watcher.pipeline.parts import Watcher
    from watcher.render.digest import DigestFacts

OF_NOW = frozenset(
    {"Sources fine", "Delivered"}
)  # figures of a page that are not those of the time that it covers


class Digest(Struct, frozen=True):
    """A digest to look at or to send: its facts, its message, and whether that is the one recorded for its date."""

    facts: DigestFacts
    notification: Notification
    recorded: bool


def digest_now(watcher: Watcher, receiver: ReceiverConfig | None, now: datetime) -> Digest:
    """Return what a digest would say now: since the last one, or of the last 24 hours."""
    zone = _zone(watcher, receiver)
    day = today(zone, now)
    last = (
        None if receiver is None else watcher.store.outbox.last_digest(receiver.name, until=day.isoformat())
    )
    facts = gather(watcher, day=day, zone=zone, since=last[1] if last else now - DAY, until=now)
    return _told(facts, now)


def digest_of(watcher: Watcher, receiver: ReceiverConfig | None, day: date, now: datetime) -> Digest:
    """Return the digest of a local date: as it was sent, or else of that date from midnight to midnight."""
    zone, outbox = _zone(watcher, receiver), watcher.store.outbox
    sent = None if receiver is None else outbox.digest_of(receiver.name, day.isoformat())
    if receiver is None or sent is None:
        start, end = (
            datetime.combine(each, time(), tzinfo=ZoneInfo(zone)).astimezone(UTC) for each in (day, day + DAY)
        )
        if start > now:
            raise UsageError(f"{day} has not come yet in {zone}")
        return _told(gather(watcher, day=day, zone=zone, since=start, until=min(end, now)), now)
    number, at = sent
    before = outbox.last_digest(receiver.name, until=(day - DAY).isoformat())
    facts = gather(watcher, day=day, zone=zone, since=before[1] if before else at - DAY, until=at)
    return Digest(facts, outbox.digest(number), recorded=True)


def send_again(watcher: Watcher, receiver: ReceiverConfig, digest: Digest, now: datetime) -> int:
    """Owe a digest to a receiver on request; return its number.

    It is recorded as a further sending of its date, so that the daily one still comes and covers what it would have.
    """
    asked = f"sent on request at {now:%Y-%m-%d %H:%M} UTC"
    footer = " · ".join(part for part in (digest.notification.footer, asked) if part)
    notification = replace(digest.notification, footer=footer, created_at=now)
    with watcher.store.write():
        name = watcher.store.outbox.repeat_name(receiver.name, digest.facts.day.isoformat())
        number = owe_digest(watcher, receiver, name, notification, now)
        assert number is not None  # noqa: S101 - the name is new, and this process holds the lock
    return number


def page_of(digest: Digest) -> str:
    """Return a digest as an HTML page. One that was sent keeps its words; the figures on top are of its time."""
    from watcher.render.html import page, tiles  # noqa: PLC0415 - brings jinja2

    found = tiles(digest.facts)
    shown = [tile for tile in found if tile.label not in OF_NOW] if digest.recorded else found
    return page(digest.notification, tiles=shown)


def _told(facts: DigestFacts, now: datetime) -> Digest:
    from watcher.render.digest import digest_notification  # noqa: PLC0415 - only for a digest

    return Digest(facts, digest_notification(facts, now=now), recorded=False)


def _zone(watcher: Watcher, receiver: ReceiverConfig | None) -> str:
    return watcher.config.zone if receiver is None else receiver.zone
