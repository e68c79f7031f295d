"""The outbox: what is owed to whom, every attempt, digests, how receivers fare, and silences.

A receiver is named here as the outbox knows it: its name in the config, or ``name/recipient`` where it has several.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from watcher.domain import Notification
from watcher.outbox import Delivery, ReceiverState
from watcher.quiet import Silence
from watcher.store.codec import dumps, iso, loads, time

OPEN = ("pending", "sending", "waiting", "unknown")
_COLUMNS = (
    "number", "receiver", "created_at", "next_attempt_at", "state", "attempts", "owner", "lease_until", "message",
    "unknown", "plain", "sent_at", "gave_up_at", "external_id", "last_error", "reason",
)  # fmt: skip
_TIMES = frozenset({"created_at", "next_attempt_at", "lease_until", "sent_at", "gave_up_at"})
_SELECT = (
    f"SELECT {', '.join(f'deliveries.{name}' for name in _COLUMNS)}, alert, alerts.severity, digests.local_date "
    "FROM deliveries LEFT JOIN alerts ON alerts.number = alert LEFT JOIN digests ON digests.id = digest"
)
_REPEAT = "#"  # between a digest's date and the number of its sending
_OPEN = f"state IN ({', '.join(repr(state) for state in OPEN)})"


class Attempt(Struct, frozen=True):
    """One try of a delivery: what came of it, in one word, and the detail."""

    delivery: int
    at: datetime
    attempt: int
    outcome: str
    detail: str | None


class Outbox:
    """All statements about deliveries, digests, receivers and silences."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Work on an open connection."""
        self._run = connection.execute
        self._many = connection.executemany

    # ------------------------------------------------------------------------------------------ deliveries

    def owe(
        self, receiver: str, now: datetime, *, alert: int | None = None, digest: int | None = None,
        suppressed: str | None = None, until: datetime | None = None, reason: str | None = None,
    ) -> None:  # fmt: skip
        """Record that an alert or a digest is owed to a receiver, once; ``until``: put off to then, with its reason."""
        self._run(
            "INSERT OR IGNORE INTO deliveries (receiver, state, created_at, next_attempt_at, alert, digest, reason) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                receiver, "suppressed" if suppressed else "pending", iso(now), iso(until or now), alert, digest,
                suppressed or reason,
            ),
        )  # fmt: skip

    def save(self, deliveries: Iterable[Delivery]) -> None:
        """Record the new state of deliveries."""
        names = _COLUMNS[3:]
        self._many(
            f"UPDATE deliveries SET {', '.join(f'{name} = ?' for name in names)} WHERE number = ?",
            [(*_cells(delivery, names), delivery.number) for delivery in deliveries],
        )

    def hasten(self, receiver: str, now: datetime) -> None:
        """Let what waits for another try at a receiver be due now: it has just taken a message.

        What was never tried waits for something else (quiet hours), and goes on doing so.
        """
        self._run(
            "UPDATE deliveries SET next_attempt_at = :now "
            "WHERE receiver = :receiver AND state IN ('waiting', 'unknown') AND next_attempt_at > :now",
            {"receiver": receiver, "now": iso(now)},
        )

    def open(self) -> tuple[Delivery, ...]:
        """Return everything that is still owed, oldest first."""
        return self._deliveries(f"WHERE {_OPEN} ORDER BY deliveries.number", ())

    def of_alert(self, number: int) -> tuple[Delivery, ...]:
        """Return the deliveries of an alert."""
        return self._deliveries("WHERE alert = ? ORDER BY deliveries.number", (number,))

    def of_digest(self, number: int) -> tuple[Delivery, ...]:
        """Return the deliveries of a digest."""
        return self._deliveries("WHERE digest = ? ORDER BY deliveries.number", (number,))

    def between(self, since: datetime, until: datetime) -> tuple[Delivery, ...]:
        """Return the deliveries made in [since, until)."""
        return self._deliveries(
            "WHERE deliveries.created_at >= ? AND deliveries.created_at < ? ORDER BY deliveries.number",
            (iso(since), iso(until)),
        )

    def settled(self, since: datetime, until: datetime) -> tuple[Delivery, ...]:
        """Return the deliveries sent or given up in [since, until), whenever they were made."""
        span = (iso(since), iso(until))
        return self._deliveries(
            "WHERE (sent_at >= ? AND sent_at < ?) OR (gave_up_at >= ? AND gave_up_at < ?) ORDER BY deliveries.number",
            (*span, *span),
        )

    def thread_of(self, rule: str, group: str, receiver: str, now: datetime, window: timedelta) -> str | None:
        """Return the outside id of the message that began the thread about a rule's group at a receiver, or None.

        A thread takes follow-ups for ``window``; the message after that begins the next one. Always the first message's
        id, never a reply's: Slack wants it so.
        """
        rows = self._run(
            'SELECT external_id, sent_at FROM deliveries JOIN alerts ON alerts.number = alert WHERE rule = ? AND "group" = ? '
            "AND receiver = ? AND external_id IS NOT NULL ORDER BY sent_at, deliveries.number",
            (rule, group, receiver),
        )
        root, began = None, None
        for name, at in rows:
            sent = _when(at)
            if began is None or sent - began > window:
                root, began = name, sent
        return root if began is not None and now - began <= window else None

    def counts(self) -> dict[str, int]:
        """Return how many deliveries are in each state."""
        return dict(
            self._run("SELECT state, count(*) FROM deliveries GROUP BY state ORDER BY state").fetchall()
        )

    def oldest_open(self) -> datetime | None:
        """Return when the oldest delivery that is still owed was made."""
        return time(self._run(f"SELECT min(created_at) FROM deliveries WHERE {_OPEN}").fetchone()[0])

    def alert_and_digest(self, number: int) -> tuple[int | None, int | None]:
        """Return the alert's number or the digest's id that a delivery is about."""
        row = self._run("SELECT alert, digest FROM deliveries WHERE number = ?", (number,)).fetchone()
        return row[0], row[1]

    def _deliveries(self, where: str, values: Sequence[Any]) -> tuple[Delivery, ...]:
        return tuple(_delivery(row) for row in self._run(f"{_SELECT} {where}", tuple(values)))

    def add_attempts(self, attempts: Iterable[Attempt]) -> None:
        """Record tries."""
        self._many(
            "INSERT INTO attempts (delivery, at, attempt, outcome, detail) VALUES (?, ?, ?, ?, ?)",
            [(a.delivery, iso(a.at), a.attempt, a.outcome, a.detail) for a in attempts],
        )

    def attempts(self, delivery: int) -> tuple[Attempt, ...]:
        """Return the tries of a delivery, oldest first."""
        rows = self._run(
            "SELECT delivery, at, attempt, outcome, detail FROM attempts WHERE delivery = ? ORDER BY id",
            (delivery,),
        )
        return tuple(Attempt(row[0], _when(row[1]), row[2], row[3], row[4]) for row in rows)

    # ------------------------------------------------------------------------------------------ digests

    def last_digest(self, receiver: str, *, until: str = "9999") -> tuple[str, datetime] | None:
        """Return the local date of a receiver's latest digest up to ``until`` and when it was made, or None."""
        row = self._run(
            "SELECT local_date, created_at FROM digests WHERE receiver = ? AND local_date <= ? "
            f"AND instr(local_date, '{_REPEAT}') = 0 ORDER BY local_date DESC LIMIT 1",
            (receiver, until),
        ).fetchone()
        return None if row is None else (row[0], _when(row[1]))

    def repeat_name(self, receiver: str, local_date: str) -> str:
        """Return what the next sending of a date's digest on request is recorded as: "2026-09-17#1" is the first."""
        (count,) = self._run(
            f"SELECT count(*) FROM digests WHERE receiver = ? AND local_date LIKE ? || '{_REPEAT}%'",
            (receiver, local_date),
        ).fetchone()
        return f"{local_date}{_REPEAT}{count + 1}"

    def digest_of(self, receiver: str, local_date: str) -> tuple[int, datetime] | None:
        """Return the id of the digest of a date and when it was made, or None."""
        row = self._run(
            "SELECT id, created_at FROM digests WHERE receiver = ? AND local_date = ?", (receiver, local_date)
        ).fetchone()
        return None if row is None else (row[0], _when(row[1]))

    def add_digest(
        self, receiver: str, local_date: str, notification: Notification, now: datetime
    ) -> int | None:
        """Record a digest; None if the receiver has one for this local date."""
        cursor = self._run(
            "INSERT OR IGNORE INTO digests (receiver, local_date, created_at, notification) VALUES (?, ?, ?, ?)",
            (receiver, local_date, iso(now), dumps(notification)),
        )
        return cursor.lastrowid if cursor.rowcount == 1 else None

    def digest_name(self, number: int) -> str:
        """Return what a digest is recorded as: its local date, or the name of another message of its kind."""
        return str(self._run("SELECT local_date FROM digests WHERE id = ?", (number,)).fetchone()[0])

    def message_of_digest(self, name: str, receiver: str) -> str | None:
        """Return the outside id under which a recipient got the digest of this name, or None."""
        row = self._run(
            "SELECT external_id FROM deliveries JOIN digests ON digests.id = digest WHERE local_date = ? "
            "AND deliveries.receiver = ? AND external_id IS NOT NULL",
            (name, receiver),
        ).fetchone()
        return None if row is None else str(row[0])

    def digest(self, number: int) -> Notification:
        """Return a recorded digest."""
        row = self._run("SELECT notification FROM digests WHERE id = ?", (number,)).fetchone()
        notification: Notification = loads(row[0], Notification)
        return notification

    # ------------------------------------------------------------------------------------------ receivers

    def receivers(self) -> dict[str, ReceiverState]:
        """Return how each receiver fares that ever failed."""
        rows = self._run("SELECT name, failures, retry_at, broken_since, reason FROM receivers")
        return {
            row[0]: ReceiverState(
                name=row[0], failures=row[1], retry_at=time(row[2]), broken_since=time(row[3]), reason=row[4]
            )
            for row in rows
        }

    def save_receiver(self, state: ReceiverState) -> None:
        """Record how a receiver fares."""
        self._run(
            "INSERT OR REPLACE INTO receivers (name, failures, retry_at, broken_since, reason) VALUES (?, ?, ?, ?, ?)",
            (state.name, state.failures, iso(state.retry_at), iso(state.broken_since), state.reason),
        )

    # ------------------------------------------------------------------------------------------ silences

    def silences(self, now: datetime | None = None) -> tuple[Silence, ...]:
        """Return silences; with ``now`` only those in force."""
        rows = self._run(
            "SELECT id, matcher, author, comment, created_at, expires_at FROM silences ORDER BY id"
        )
        found = tuple(
            Silence(
                number=row[0], matcher={key: tuple(words) for key, words in json.loads(row[1]).items()}, author=row[2],
                comment=row[3], created_at=_when(row[4]), expires_at=_when(row[5]),
            )
            for row in rows
        )  # fmt: skip
        return found if now is None else tuple(s for s in found if s.created_at <= now < s.expires_at)

    def add_silence(self, silence: Silence) -> None:
        """Record a silence."""
        matcher = json.dumps({key: list(words) for key, words in silence.matcher.items()})
        self._run(
            "INSERT INTO silences (matcher, author, comment, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
            (matcher, silence.author, silence.comment, iso(silence.created_at), iso(silence.expires_at)),
        )

    def end_silence(self, number: int, now: datetime) -> bool:
        """End a silence now; return whether it was in force."""
        cursor = self._run(
            "UPDATE silences SET expires_at = ? WHERE id = ? AND expires_at > ?", (iso(now), number, iso(now))
        )
        return cursor.rowcount == 1


def _cells(delivery: Delivery, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(iso(getattr(delivery, n)) if n in _TIMES else getattr(delivery, n) for n in names)


def _delivery(row: Sequence[Any]) -> Delivery:
    cells: dict[str, Any] = {
        name: time(value) if name in _TIMES else value for name, value in zip(_COLUMNS, row, strict=False)
    }
    cells["plain"] = bool(cells["plain"])
    alert, severity, date = row[-3:]
    return Delivery(
        severity=severity or "info",
        **cells,
        kind="alert" if alert is not None else "digest",
        about=f"A-{alert:04d}" if alert is not None else date,
    )


def _when(text: str) -> datetime:
    at = time(text)
    assert at is not None  # noqa: S101 - the column is NOT NULL
    return at
