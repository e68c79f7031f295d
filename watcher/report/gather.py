"""The state → facts: everything that the pages tell, without anything of a table under embargo."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher.domain import Alert
from watcher.errors import UsageError
from watcher.figures.cells import round_order
from watcher.figures.filters import UNREVIEWED
from watcher.health import SourceState
from watcher.pipeline.standing import standing
from watcher.report.embargo import Rounds, touched
from watcher.report.facts import Facts, Health, Ledger, Told
from watcher.report.persons import without_recipients
from watcher.store.tables import TableState

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog
    from watcher.pipeline.parts import Watcher
    from watcher.store import Store


def gather(watcher: Watcher, *, round: tuple[str, str] | None = None, base_url: str | None = None) -> Facts:
    """Return all that a report tells.

    ``round``: (suite, round) of the first page, null for the newest held. Raises UsageError for a round that is not held
    or under embargo, and RuleError for rules that are wrong. All of it is of one moment, whatever a pass writes meanwhile.
    """
    with watcher.store.reading():
        return _read(watcher, round, base_url)


def _read(watcher: Watcher, front: tuple[str, str] | None, base_url: str | None) -> Facts:
    store = watcher.store
    tables = store.tables.all()
    private = frozenset((table.suite, table.round) for table in tables if table.private)
    public = tuple(table for table in tables if not table.private)
    rows = tuple(row for row in store.tables.results(private=False) if (row.suite, row.round) not in private)
    held = tuple(dict.fromkeys((row.suite, row.round) for row in rows))
    if front is not None and front not in held:
        why = "is under embargo and in no report until it is released" if front in private else "is not held"
        raise UsageError(f"{front[0]} {front[1]} {why}")
    told = [_told(store, alert) for alert in store.events.alerts() if not touched(alert, private)]
    addresses = {delivery.receiver for one in told for delivery, _ in one.deliveries}
    addresses |= {f"{receiver.name}/{to}" for receiver in watcher.config.receivers for to in receiver.to}
    alerts = tuple(replace(one, alert=without_recipients(one.alert, addresses)) for one in told)
    ledger = tuple(_ledger(store, private))
    health = _health(watcher, private)
    return Facts(
        rows=rows,
        tables=public,
        front=front or _newest(held, public, watcher.catalog),
        alerts=alerts,
        ledger=ledger,
        rules=watcher.rules.rules,
        health=health,
        as_of=_as_of(public, alerts, ledger, health),
        base_url=base_url,
    )


def _newest(
    held: Iterable[tuple[str, str]], tables: Iterable[TableState], catalog: Catalog
) -> tuple[str, str] | None:
    """Return the round that went public last: by the calendar, else by when it was first seen here."""
    published = {(each.suite, each.name): each.published_on for each in catalog.rounds() if each.published_on}
    seen = {(table.suite, table.round): table.first_seen_at.date() for table in tables}

    def order(one: tuple[str, str]) -> tuple[object, ...]:
        return (one[0] != UNREVIEWED, published.get(one) or seen[one], round_order(one[1]), one)

    return max(held, key=order, default=None)


def _told(store: Store, alert: Alert) -> Told:
    number = alert.number or 0
    owed = store.outbox.of_alert(number)
    return Told(
        alert,
        tuple((each, store.outbox.attempts(each.number)) for each in owed),
        store.sources.document_names(alert.batch),
    )


def _ledger(store: Store, private: Rounds) -> Iterable[Ledger]:
    for entry in store.posts.claims():
        if touched(entry.checked, private):
            continue
        past = store.posts.claim_history(entry.checked.number or 0)
        yield Ledger(entry, tuple(each for each in past if not touched(each[2], private)))


def _health(watcher: Watcher, private: Rounds) -> Health:
    found = standing(watcher)
    store = watcher.store
    named = {source.name for source, _ in found.sources}
    former = tuple(
        SourceState.from_json(name, memory.health)
        for name, memory in sorted(store.sources.all().items())
        if name not in named
    )
    # A held-back table under embargo is a person's business, and no reader's.
    healthy = replace(
        found, tables=tuple(t for t in found.tables if (t.suite, t.round) not in private)
    ).healthy
    return Health(
        sources=found.sources,
        former=former,
        deliveries=found.deliveries,
        failing_deliveries=found.failing_deliveries,
        oldest_open=found.oldest_open,
        broken=found.broken_receivers,
        digests=found.last_digest,
        silences=store.outbox.silences(),
        healthy=healthy,
    )


def _as_of(
    tables: Iterable[TableState], alerts: Iterable[Told], ledger: Iterable[Ledger], health: Health
) -> datetime | None:
    """Return when the newest of all that is told was recorded; the report has no other clock."""
    times: list[datetime | None] = []
    for table in tables:
        times += [table.polled_at, table.first_seen_at, table.held_back_at]
    for told in alerts:
        times.append(told.alert.created_at)
        times += [attempt.at for _, attempts in told.deliveries for attempt in attempts]
    times += [one.entry.checked_at for one in ledger]
    times += [state.checked_at for _, state in health.sources]
    times += [state.checked_at for state in health.former]
    return max((at for at in times if at is not None), default=None)
