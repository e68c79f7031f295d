"""Briefs of rounds: owed once when a round's table is complete, and once more when the first posts were checked.

What waits stands in the state under one name: the transaction that records an alert of a rule with ``brief: true``
writes it there, so a pass without one reads a single value. A brief is recorded as a message of its own under a name
(as digests are under their date), which makes it one for each receiver however often the work is done; it goes to
those who were owed the alert about the round, and to nobody for whom that was held back. A round under embargo has no
alert, and nothing of it is read here.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Alert, CheckedClaim, Notification, PublishedRound
from watcher.pipeline.parts import BRIEFS
from watcher.pipeline.receivers import addresses, name_of
from watcher.quiet import decide

if TYPE_CHECKING:
    from watcher.figures.brief import Brief
    from watcher.pipeline.parts import Watcher
    from watcher.store import Store
    from watcher.store.posts import LedgerEntry
    from watcher.store.tables import TableState

BRIEF, FOLLOW_UP = "brief", "follow-up"

SETTLED = timedelta(minutes=4)  # a table that has not changed for so long is complete
PATIENCE = timedelta(minutes=20)  # and one that keeps changing is told as it is after so long
POSTS_SETTLED = timedelta(minutes=10)  # the first posts come within minutes of each other
POSTS_PATIENCE = timedelta(hours=1)
GIVE_UP = timedelta(days=14)  # a round without a table, or without a post, is waited for no longer


class Waiting(Struct, frozen=True):
    """A round whose brief (``told_at`` null) or follow-up is still to come; ``alerts`` are those about it."""

    suite: str
    round: str
    since: datetime
    alerts: tuple[int, ...]
    told_at: datetime | None = None


# ---------------------------------------------------------------------------------------------- decisions, pure


def is_complete(table: TableState | None, changed_at: datetime | None, now: datetime) -> bool:
    """Whether a round's table may be told: read, not held back, public, and unchanged for a while (or long enough here)."""
    if table is None or not table.results or table.private or table.held_back_at is not None:
        return False
    return now - (changed_at or table.first_seen_at) >= SETTLED or now - table.first_seen_at >= PATIENCE


def posts_are_checked(made: Sequence[datetime], now: datetime) -> bool:
    """Whether the first posts may be told: no claim came for a while, or the first one is long enough ago."""
    return bool(made) and (now - max(made) >= POSTS_SETTLED or now - min(made) >= POSTS_PATIENCE)


# ---------------------------------------------------------------------------------------------- what waits


def expect(store: Store, alert: Alert, now: datetime) -> None:
    """Remember that a round went public and will have a brief; called in the transaction that records its alert."""
    rounds = [event.subject for event in alert.events if isinstance(event.subject, PublishedRound)]
    if not rounds or alert.number is None:
        return
    held = waiting(store)
    for one in rounds:
        key = (one.suite, one.round)
        known = held.get(key, Waiting(one.suite, one.round, now, ()))
        held[key] = replace(known, alerts=tuple(dict.fromkeys((*known.alerts, alert.number))))
    _remember(store, held)


def waiting(store: Store) -> dict[tuple[str, str], Waiting]:
    """Return the rounds whose brief or follow-up is still to come."""
    listed: list[dict[str, Any]] = json.loads(store.recall(BRIEFS) or "[]")
    return {
        (one["suite"], one["round"]): Waiting(
            one["suite"],
            one["round"],
            datetime.fromisoformat(one["since"]),
            tuple(one["alerts"]),
            datetime.fromisoformat(one["told_at"]) if one["told_at"] else None,
        )
        for one in listed
    }


def _remember(store: Store, held: dict[tuple[str, str], Waiting]) -> None:
    listed = [
        {
            "suite": one.suite,
            "round": one.round,
            "since": one.since.isoformat(),
            "alerts": list(one.alerts),
            "told_at": one.told_at.isoformat() if one.told_at else None,
        }
        for one in held.values()
    ]
    store.remember(BRIEFS, json.dumps(listed) if listed else "")


# ---------------------------------------------------------------------------------------------- what is due


def send_briefs(watcher: Watcher, now: datetime) -> int:
    """Owe the briefs and follow-ups that are due; return how many. Each is one transaction with what then waits."""
    return sum(_step(watcher, one, now) for one in waiting(watcher.store).values())


def _step(watcher: Watcher, one: Waiting, now: datetime) -> int:
    store = watcher.store
    if now - one.since >= GIVE_UP:
        _settle(watcher, one, None)
        return 0
    claims = [entry for entry in store.posts.claims() if entry.gone_at is None and _about(entry, one)]
    if one.told_at is None:
        table = store.tables.find(one.suite, one.round)
        if not is_complete(table, store.tables.changed_at(table.id) if table else None, now):
            return 0
        after = (
            None if claims else replace(one, told_at=now)
        )  # with the first posts in it nothing is left to follow
        return _owe(watcher, BRIEF, one, after, claims, now)
    if not posts_are_checked([entry.made_at for entry in claims], now):
        return 0
    return _owe(watcher, FOLLOW_UP, one, None, claims, now)


def _about(entry: LedgerEntry, one: Waiting) -> bool:
    full = one.round if one.suite == "inference" else f"{one.suite}-{one.round}"
    return entry.checked.claim.round == full


def _owe(
    watcher: Watcher,
    what: str,
    one: Waiting,
    after: Waiting | None,
    claims: Sequence[LedgerEntry],
    now: datetime,
) -> int:
    """Record the message for each receiver that is owed it, and what waits then, in one transaction."""
    wanted = _receivers(watcher, one, now)
    notification = (
        _notification(watcher, what, one, [entry.checked for entry in claims], now) if wanted else None
    )
    store = watcher.store
    made = 0
    with store.write():
        for name, whom in wanted.items():
            assert notification is not None  # noqa: S101 - made above, since somebody wants it
            number = store.outbox.add_digest(name, f"{what} {one.suite} {one.round}", notification, now)
            if number is None:
                continue
            for address, until, reason in whom:
                store.outbox.owe(address, now, digest=number, until=until, reason=reason)
            made += 1
        _remember_after(store, one, after)
        watcher.reach("briefing")
    watcher.reach("briefed")
    return made


def _settle(watcher: Watcher, one: Waiting, after: Waiting | None) -> None:
    with watcher.store.write():
        _remember_after(watcher.store, one, after)


def _remember_after(store: Store, one: Waiting, after: Waiting | None) -> None:
    held = waiting(store)
    held.pop((one.suite, one.round), None)
    if after is not None:
        held[one.suite, one.round] = after
    _remember(store, held)


def _receivers(
    watcher: Watcher, one: Waiting, now: datetime
) -> dict[str, list[tuple[str, datetime | None, str | None]]]:
    """Return receiver → (address, not before when, why) of those who were owed an alert about the round and still are."""
    store = watcher.store
    silences = store.outbox.silences(now)
    found: defaultdict[str, list[tuple[str, datetime | None, str | None]]] = defaultdict(list)
    for number in one.alerts:
        alert = store.events.alert(number)
        if alert is None:
            continue
        for delivery in store.outbox.of_alert(number):
            receiver = next(
                (r for r in watcher.config.receivers if r.name == name_of(delivery.receiver)), None
            )
            if (
                receiver is None
                or delivery.state == "suppressed"
                or delivery.receiver not in addresses(receiver)
            ):
                continue
            decision = decide(alert, receiver, now, silences=silences)
            known = {address for address, _, _ in found[receiver.name]}
            if decision.what != "suppress" and delivery.receiver not in known:
                found[receiver.name].append((delivery.receiver, decision.until, decision.reason))
    return {name: whom for name, whom in found.items() if whom}


def _notification(
    watcher: Watcher, what: str, one: Waiting, claims: Sequence[CheckedClaim], now: datetime
) -> Notification:
    from watcher.render.brief import brief_notification, follow_up_notification  # noqa: PLC0415 - twice a round

    made = _brief(watcher, one, claims)
    alert = watcher.store.events.alert(one.alerts[0])
    rule = alert.rule if alert is not None else ""
    if what == BRIEF:
        return brief_notification(made, now=now, rule=rule)
    return follow_up_notification(made, now=now, rule=rule)


def _brief(watcher: Watcher, one: Waiting, claims: Sequence[CheckedClaim]) -> Brief:
    from watcher.figures.brief import brief  # noqa: PLC0415 - twice a round

    rows = watcher.store.tables.results(suite=one.suite, private=False)
    return brief(rows, one.suite, one.round, watcher.catalog, claims=claims)


def thread_of(store: Store, digest: int, receiver: str) -> str | None:
    """Return the outside id of the brief that a follow-up answers to at a receiver, null for all else."""
    name = store.outbox.digest_name(digest)
    what, space, about = name.partition(" ")
    if what != FOLLOW_UP or not space:
        return None
    return store.outbox.message_of_digest(f"{BRIEF} {about}", receiver)
