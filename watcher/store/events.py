"""Events and alerts: what happened, and which rule it woke."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Alert, Event, NotComparable, Result, ResultKey, Subject
from watcher.store.codec import dumps, iso, loads, time
from watcher.store.pins import Pins
from watcher.store.tables import Tables

_EVENT = (
    "SELECT events.number, id, kind, batch, occurred_at, source, before_result, after_result, before, after, fields, "
    "private FROM events"
)


class NewEvent(Struct, frozen=True):
    """An event to record; results are named by their version ids instead of being written twice."""

    event: Event
    before_result: int | None = None
    after_result: int | None = None


class Events:
    """All statements about events, rules' memory and alerts."""

    def __init__(self, connection: sqlite3.Connection, tables: Tables, pins: Pins) -> None:
        """Work on an open connection."""
        self._run = connection.execute
        self._many = connection.executemany
        self._tables = tables
        self._pins = pins

    # ------------------------------------------------------------------------------------------ events

    def add(self, events: Sequence[NewEvent]) -> None:
        """Record events; one that is there already (the same id) is left as it is."""
        self._many(
            "INSERT OR IGNORE INTO events (id, kind, batch, occurred_at, source, before_result, after_result, before, "
            "after, fields, private) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    new.event.id, new.event.kind, new.event.batch, iso(new.event.occurred_at), new.event.source,
                    new.before_result, new.after_result,
                    dumps(new.event.before) if new.event.before is not None and new.before_result is None else None,
                    dumps(new.event.after) if new.event.after is not None and new.after_result is None else None,
                    json.dumps(new.event.fields) if new.event.fields else None, new.event.private,
                )
                for new in events
            ],
        )  # fmt: skip

    def last_number(self) -> int:
        """Return the number of the newest event, 0 if there is none."""
        return int(self._run("SELECT coalesce(max(number), 0) FROM events").fetchone()[0])

    def waiting_batches(self) -> tuple[str, ...]:
        """Return the batches with events that no rule has seen, oldest first; embargoed ones wait until released."""
        rows = self._run(
            "SELECT batch, min(number) AS first FROM events WHERE evaluated_at IS NULL AND private = 0 "
            "GROUP BY batch ORDER BY first"
        )
        return tuple(row[0] for row in rows)

    def batch(self, name: str, *, waiting: bool = False) -> tuple[Event, ...]:
        """Return the events of one batch in order; ``waiting``: only those no rule has seen."""
        state = "AND evaluated_at IS NULL AND private = 0" if waiting else ""
        return self._events(f"WHERE batch = ? {state} ORDER BY number", (name,))

    def of_alert(self, number: int) -> tuple[Event, ...]:
        """Return the events behind an alert."""
        return self._events(
            "JOIN alert_events ON alert_events.event = events.number WHERE alert = ? ORDER BY events.number",
            (number,),
        )

    def listing(
        self,
        *,
        kinds: Sequence[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = -1,
        private: bool = False,
    ) -> tuple[Event, ...]:
        """Return recorded events, oldest first; those under embargo only with ``private``."""
        where, values = ["1" if private else "private = 0"], list[Any]()
        if kinds:
            where.append(f"kind IN ({', '.join('?' * len(kinds))})")
            values += kinds
        if since is not None:
            where.append("occurred_at >= ?")
            values.append(iso(since))
        if until is not None:
            where.append("occurred_at < ?")
            values.append(iso(until))
        return self._events(f"WHERE {' AND '.join(where)} ORDER BY events.number LIMIT ?", (*values, limit))

    def evaluated_between(self, since: datetime, until: datetime) -> tuple[Event, ...]:
        """Return the events that the rules saw in [since, until), oldest first; an embargoed one counts from its release."""
        return self._events(
            "WHERE private = 0 AND evaluated_at >= ? AND evaluated_at < ? ORDER BY events.number",
            (iso(since), iso(until)),
        )

    def counts(self, *, after: int = 0, private: bool = True) -> dict[str, int]:
        """Return how many events of each kind came after number ``after``; those under embargo only with ``private``."""
        rows = self._run(
            "SELECT kind, count(*) FROM events WHERE number > ? AND private <= ? GROUP BY kind ORDER BY kind",
            (after, private),
        )
        return dict(rows.fetchall())

    def _events(self, where: str, values: Sequence[Any]) -> tuple[Event, ...]:
        rows = self._run(f"{_EVENT} {where}", tuple(values)).fetchall()
        ids = {number for row in rows for number in row[6:8] if number is not None}
        results = self._tables.by_ids(ids)
        pinned = self._pins.keys() if ids else frozenset()
        return tuple(_marked(_event(row, results), pinned) for row in rows)

    def evaluated(self, events: Iterable[Event], now: datetime) -> None:
        """Mark events as seen by the rules."""
        self._many(
            "UPDATE events SET evaluated_at = ? WHERE number = ?",
            [(iso(now), event.number) for event in events],
        )

    # ------------------------------------------------------------------------------------------ rules' memory

    def register_rules(self, ids: Iterable[str], now: datetime) -> None:
        """Remember when a rule was first there; it looks forward from then on."""
        after = self.last_number()
        self._many(
            "INSERT OR IGNORE INTO rules (id, added_at, added_after) VALUES (?, ?, ?)",
            [(rule, iso(now), after) for rule in ids],
        )

    def rules(self) -> dict[str, tuple[int, datetime | None, datetime | None, datetime | None]]:
        """Return rule id → (looks at events after this number, added at, last fired at, deadline told at)."""
        rows = self._run("SELECT id, added_after, added_at, last_fired_at, deadline_told_at FROM rules")
        return {
            name: (after, time(added), time(fired), time(told)) for name, after, added, fired, told in rows
        }

    def deadline_told(self, rule: str, now: datetime) -> None:
        """Record that a rule's deadline was told."""
        self._run("UPDATE rules SET deadline_told_at = ? WHERE id = ?", (iso(now), rule))

    # ------------------------------------------------------------------------------------------ alerts

    def add_alert(self, alert: Alert, now: datetime) -> Alert | None:
        """Record an alert with its evidence; None if this (rule, batch, group) is recorded already."""
        cursor = self._run(
            'INSERT OR IGNORE INTO alerts (rule, batch, "group", title, severity, created_at, figures, not_comparable, '
            "digest_only, suppressed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                alert.rule, alert.batch, alert.group, alert.title, alert.severity, iso(now), dumps(alert.figures),
                dumps(alert.not_comparable), alert.digest_only, alert.suppressed,
            ),
        )  # fmt: skip
        if cursor.rowcount != 1:
            return None
        number = cursor.lastrowid
        self._many(
            "INSERT OR IGNORE INTO alert_events (alert, event, rule) VALUES (?, ?, ?)",
            [(number, event.number, alert.rule) for event in alert.events if event.number is not None],
        )
        self._run("UPDATE rules SET last_fired_at = ? WHERE id = ?", (iso(now), alert.rule))
        return replace(alert, number=number, created_at=now)

    def alert(self, number: int) -> Alert | None:
        """Return one alert with its evidence, or None."""
        found = self.alerts("WHERE number = ?", (number,))
        return found[0] if found else None

    def alerts(self, where: str = "ORDER BY number", values: Sequence[Any] = ()) -> tuple[Alert, ...]:
        """Return alerts with their evidence."""
        rows = self._run(
            'SELECT number, rule, batch, "group", title, severity, created_at, figures, not_comparable, digest_only, '
            f"suppressed FROM alerts {where}",
            tuple(values),
        ).fetchall()
        return tuple(
            Alert(
                number=row[0], rule=row[1], batch=row[2], group=row[3], title=row[4], severity=row[5],
                created_at=time(row[6]), figures=loads(row[7], tuple[Subject, ...]), not_comparable=loads(row[8], tuple[NotComparable, ...]),
                digest_only=bool(row[9]), suppressed=row[10], events=self.of_alert(row[0]),
            )
            for row in rows
        )  # fmt: skip

    def alerts_between(self, since: datetime, until: datetime) -> tuple[Alert, ...]:
        """Return the alerts made in [since, until), oldest first."""
        return self.alerts(
            "WHERE created_at >= ? AND created_at < ? ORDER BY number", (iso(since), iso(until))
        )

    def last_alert_at(self, rule: str, group: str) -> datetime | None:
        """Return when a rule last alerted about a group; what was held back or given up everywhere told nobody."""
        row = self._run(
            'SELECT max(created_at) FROM alerts WHERE rule = ? AND "group" = ? AND suppressed IS NULL AND EXISTS '
            "(SELECT 1 FROM deliveries WHERE alert = alerts.number AND state NOT IN ('suppressed', 'gave_up'))",
            (rule, group),
        ).fetchone()
        return time(row[0])

    def alert_counts(self) -> dict[str, int]:
        """Return how many alerts of each severity there are."""
        return dict(self._run("SELECT severity, count(*) FROM alerts GROUP BY severity").fetchall())

    def last_alert_number(self) -> int:
        """Return the number of the newest alert, 0 if there is none."""
        return int(self._run("SELECT coalesce(max(number), 0) FROM alerts").fetchone()[0])


def _marked(event: Event, pinned: frozenset[ResultKey]) -> Event:
    """Mark an event about a row that somebody cited; a pin that followed a renaming names the row after it."""
    sides = (side for side in (event.before, event.after) if isinstance(side, Result))
    return replace(event, pinned=True) if pinned and any(side.key in pinned for side in sides) else event


def _event(row: Sequence[Any], results: dict[int, Result]) -> Event:
    number, name, kind, batch, at, source, before_id, after_id, before, after, fields, private = row
    occurred = time(at)
    assert occurred is not None  # noqa: S101 - the column is NOT NULL
    return Event(
        id=name,
        number=number,
        kind=kind,
        batch=batch,
        occurred_at=occurred,
        source=source,
        before=results[before_id] if before_id is not None else loads(before, Subject) if before else None,
        after=results[after_id] if after_id is not None else loads(after, Subject) if after else None,
        fields=tuple(json.loads(fields)) if fields else (),
        private=bool(private),
    )
