"""Pins: rows that somebody cited. What becomes of a pinned row is told by rules that ask for ``pinned``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from watcher.domain import ResultKey
from watcher.store.codec import iso, key_of, key_text, time


class Pin(Struct, frozen=True):
    """A cited row: its key today, when it was first cited, the value and unit cited, and the footnote given out."""

    key: ResultKey
    pinned_at: datetime
    value: float
    unit: str
    footnote: str


class Pins:
    """All statements about pins."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Work on an open connection."""
        self._run = connection.execute
        self._many = connection.executemany

    def all(self) -> tuple[Pin, ...]:
        """Return every pin, the oldest first."""
        rows = self._run("SELECT key, pinned_at, value, unit, footnote FROM pins ORDER BY pinned_at, key")
        return tuple(Pin(key_of(row[0]), _when(row[1]), row[2], row[3], row[4]) for row in rows)

    def keys(self) -> frozenset[ResultKey]:
        """Return the keys of pinned rows."""
        return frozenset(key_of(row[0]) for row in self._run("SELECT key FROM pins"))

    def add(self, pins: Iterable[Pin]) -> None:
        """Record pins; a row cited again keeps the time of its first citation and takes what was cited last."""
        self._many(
            "INSERT INTO pins (key, pinned_at, value, unit, footnote) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) "
            "DO UPDATE SET value = excluded.value, unit = excluded.unit, footnote = excluded.footnote",
            [(key_text(pin.key), iso(pin.pinned_at), pin.value, pin.unit, pin.footnote) for pin in pins],
        )

    def remove(self, keys: Iterable[ResultKey]) -> int:
        """Take pins away; return how many there were."""
        return sum(self._run("DELETE FROM pins WHERE key = ?", (key_text(key),)).rowcount for key in keys)

    def follow(self, before: ResultKey, after: ResultKey) -> None:
        """Let the pin of a renamed row follow it."""
        self._run("UPDATE OR REPLACE pins SET key = ? WHERE key = ?", (key_text(after), key_text(before)))


def _when(text: str) -> datetime:
    at = time(text)
    assert at is not None  # noqa: S101 - the column is NOT NULL
    return at
