"""The state: the only SQL and the only writer of ``state/``; takes and returns domain values.

`Store` holds one part a family of tables, in the product's words:

    store.sources   what each source wants to remember, how it fares, documents
    store.tables    tables, snapshots, results, names
    store.events    events, rules' memory, alerts
    store.outbox    deliveries, attempts, digests, receivers, silences
    store.posts     posts, claims and their history
    store.pins      rows that somebody cited

Every write runs inside ``with store.write():`` (one immediate transaction), and what must fit together is read inside
``with store.reading():`` (one moment). Times are arguments.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from watcher.store.database import MEMORY, Database

if TYPE_CHECKING:
    from watcher.store.events import Events
    from watcher.store.outbox import Outbox
    from watcher.store.pins import Pins
    from watcher.store.posts import Posts
    from watcher.store.sources import Sources
    from watcher.store.tables import Tables


class Store:
    """One open state."""

    def __init__(self, path: str | Path = MEMORY, *, now: datetime, read_only: bool = False) -> None:
        """Open a state file, bringing its shape up to date. Raises StateError with the fix."""
        self._database = Database(path, read_only=read_only)
        try:
            self._database.migrate(now)
        except BaseException:
            self._database.connection.close()
            raise
        self.path = self._database.path
        connection = self._database.connection
        self._connection = connection

    @cached_property
    def sources(self) -> Sources:
        """Sources, validators and documents."""
        from watcher.store.sources import Sources  # noqa: PLC0415 - each part is imported when it is first needed

        return Sources(self._connection)

    @cached_property
    def tables(self) -> Tables:
        """Tables, snapshots, results and names."""
        from watcher.store.tables import Tables  # noqa: PLC0415

        return Tables(self._connection, self._database.reading)

    @cached_property
    def events(self) -> Events:
        """Events, rules' memory and alerts."""
        from watcher.store.events import Events  # noqa: PLC0415

        return Events(self._connection, self.tables, self.pins)

    @cached_property
    def outbox(self) -> Outbox:
        """Deliveries, digests, receivers and silences."""
        from watcher.store.outbox import Outbox  # noqa: PLC0415

        return Outbox(self._connection)

    @cached_property
    def posts(self) -> Posts:
        """Posts and claims."""
        from watcher.store.posts import Posts  # noqa: PLC0415

        return Posts(self._connection)

    @cached_property
    def pins(self) -> Pins:
        """Rows that somebody cited."""
        from watcher.store.pins import Pins  # noqa: PLC0415

        return Pins(self._connection)

    def owes_anything(self) -> bool:
        """Whether anything is still owed to anybody."""
        open_states = "state IN ('pending', 'sending', 'waiting', 'unknown')"
        row = self._connection.execute(f"SELECT 1 FROM deliveries WHERE {open_states} LIMIT 1").fetchone()
        return row is not None

    def lock(self) -> AbstractContextManager[None]:
        """Hold the writer's lock. Raises LockedError if another process holds it."""
        return self._database.lock()

    def write(self) -> AbstractContextManager[object]:
        """One transaction: all of it is committed, or none."""
        return self._database.write()

    def reading(self) -> AbstractContextManager[object]:
        """One moment: all that is read inside is as it stood then, whatever is written meanwhile."""
        return self._database.reading()

    def check(self) -> None:
        """Raise StateError if the file is damaged."""
        self._database.check()

    def backup(self, target: Path) -> None:
        """Copy the state while it may be in use."""
        self._database.backup(target)

    def remember(self, name: str, value: str) -> None:
        """Keep one small value of the program's own."""
        self._connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))

    def recall(self, name: str) -> str | None:
        """Return what `remember` kept, or None."""
        row = self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def close(self) -> None:
        """Close the state."""
        self._database.close()

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Turn an error of SQLite that reading meets into a StateError with the fix."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._database.explained(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()
        if isinstance(error, sqlite3.Error):
            raise self._database.explained(error) from error
