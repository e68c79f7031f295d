"""Tables, their snapshots and results. A result's row is one version of it; the current one has no ``ended``."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from msgspec import Struct

from watcher.domain import Held, KnownRows, Result, ResultKey, Table
from watcher.store.codec import iso, key_of, key_text, time
from watcher.store.versions import Versions, marks

_CHUNK = 500


class TableState(Struct, frozen=True):
    """What is held of a table.

    ``digest`` is of the bytes last read; ``polls`` counts polls that saw it whole; ``reader`` read its rows
    (`Table.reader`), null: nobody whose row digests are kept.
    """

    id: int
    suite: str
    round: str
    source: str | None
    url: str | None
    digest: str | None
    columns: frozenset[str]
    polls: int
    first_seen_at: datetime
    polled_at: datetime | None
    baseline: bool
    private: bool
    held_back_at: datetime | None
    held_back_reason: str | None
    reader: str | None = None
    results: int = 0


class Version(Struct, frozen=True):
    """A stored version of a result: its id and the result."""

    id: int
    result: Result


class Tables:
    """All statements about tables, snapshots, results and names."""

    def __init__(
        self, connection: sqlite3.Connection, reading: Callable[[], AbstractContextManager[Any]]
    ) -> None:
        """Work on an open connection; what is read inside ``reading`` is of one moment."""
        self._versions = Versions(connection, reading)
        self._run = connection.execute
        self._many = connection.executemany
        self._log = array(
            "q"
        )  # versions of results in the order in which they were written, or became public or private

    @property
    def written(self) -> int:
        """How many versions of results were written, or became public or private, through this object."""
        return len(self._log)

    def written_since(self, written: int) -> frozenset[int]:
        """Return the versions that were written since ``written`` stood at this number."""
        return frozenset(self._log[written:])

    # ------------------------------------------------------------------------------------------ reading

    def find(self, suite: str, round_name: str) -> TableState | None:
        """Return what is held of a table, or None."""
        found = list(self._states("WHERE suite = ? AND round = ?", (suite, round_name)))
        return found[0] if found else None

    def all(self) -> tuple[TableState, ...]:
        """Return every table held, by suite and first seen."""
        return tuple(self._states("ORDER BY suite, first_seen_at, id", ()))

    def _states(self, where: str, values: Sequence[object]) -> Iterator[TableState]:
        rows = self._run(
            "SELECT id, suite, round, source, url, digest, columns, polls, first_seen_at, polled_at, baseline, "
            "private, held_back_at, held_back_reason, reader, (SELECT count(*) FROM results "
            f"WHERE table_id = tables.id AND ended IS NULL) FROM tables {where}",
            tuple(values),
        )
        for row in rows:
            first = time(row[8])
            assert first is not None  # noqa: S101 - the column is NOT NULL
            yield TableState(
                id=row[0], suite=row[1], round=row[2], source=row[3], url=row[4], digest=row[5],
                columns=frozenset(json.loads(row[6])), polls=row[7], first_seen_at=first, polled_at=time(row[9]),
                baseline=bool(row[10]), private=bool(row[11]), held_back_at=time(row[12]), held_back_reason=row[13],
                reader=row[14], results=row[15],
            )  # fmt: skip

    def held(self, table: int) -> dict[ResultKey, Held]:
        """Return the current rows of a table by their keys."""
        return self._held("table_id = ? AND ended IS NULL", table)

    def held_as(self, versions: Collection[int]) -> dict[ResultKey, Held]:
        """Return those of ``versions`` that are current by their keys."""
        return self._held(
            "id IN (SELECT value FROM json_each(?)) AND ended IS NULL", json.dumps(list(versions))
        )

    def _held(self, where: str, value: object) -> dict[ResultKey, Held]:
        rows = self._run(
            f"SELECT key, id, missing_since, entry FROM results WHERE {where} ORDER BY key", (value,)
        )
        return {key_of(row[0]): Held._make(row[1:]) for row in rows}

    def known(self, table: TableState) -> KnownRows | None:
        """Return what tells the rows of a table, or None if nobody's row digests are kept of it."""
        if table.reader is None:
            return None
        rows = self._run(
            "SELECT key, id, row_digest FROM results WHERE table_id = ? AND ended IS NULL", (table.id,)
        ).fetchall()
        return KnownRows(
            suite=table.suite, round=table.round, reader=table.reader,
            versions={key: version for key, version, _ in rows},
            digests={digest: version for _, version, digest in rows if digest is not None},
        )  # fmt: skip

    def versions(self, table: int, keys: Iterable[ResultKey]) -> dict[ResultKey, Version]:
        """Return the current versions of ``keys``."""
        return self._of_keys(table, keys, "ended IS NULL")

    def removed(self, table: int, keys: Iterable[ResultKey]) -> dict[ResultKey, Version]:
        """Return the last versions of ``keys`` that were removed earlier."""
        return self._of_keys(table, keys, "ended_as = 'removed'")

    def _of_keys(self, table: int, keys: Iterable[ResultKey], state: str) -> dict[ResultKey, Version]:
        found: dict[ResultKey, Version] = {}
        wanted = [key_text(key) for key in keys]
        for start in range(0, len(wanted), _CHUNK):
            part = wanted[start : start + _CHUNK]
            where = f"table_id = ? AND {state} AND key IN ({marks(part)}) ORDER BY id"
            for number, key, result in self._versions.find(where, (table, *part)):
                found[key_of(key)] = Version(number, result)
        return found

    def results(
        self,
        *,
        suite: str | None = None,
        rounds: Collection[str] = (),
        benchmarks: Collection[str] = (),
        private: bool = True,
    ) -> tuple[Result, ...]:
        """Return the current results, by table and place; () of a filter means any."""
        tables, values = [] if private else ["private = 0"], list[object]()
        if suite is not None:
            tables.append("suite = ?")
            values.append(suite)
        if rounds:
            tables.append(f"round IN ({marks(rounds)})")
            values += rounds
        where = "ended IS NULL"
        if tables:
            where += f" AND {_in_tables(' AND '.join(tables))}"
        if benchmarks:
            where += f" AND benchmark IN ({marks(benchmarks)})"
            values += benchmarks
        return tuple(result for _, _, result in self._versions.find(f"{where} ORDER BY table_id, id", values))

    def public(self, suite: str, benchmarks: Collection[str]) -> dict[int, Result]:
        """Return the current public rows of a suite's benchmarks (() means any) by version."""
        of_suite = _in_tables("private = 0 AND suite = ?")
        if not benchmarks:
            return self._current(of_suite, (suite,))
        return self._current(f"benchmark IN ({marks(benchmarks)}) AND {of_suite}", (*benchmarks, suite))

    def public_of(self, versions: Collection[int]) -> dict[int, Result]:
        """Return those of ``versions`` that are current and public."""
        among = "id IN (SELECT value FROM json_each(?))"
        return self._current(f"{among} AND {_in_tables('private = 0')}", (json.dumps(list(versions)),))

    def _current(self, where: str, values: Sequence[object]) -> dict[int, Result]:
        chosen = self._versions.find(f"ended IS NULL AND {where}", values)
        return {number: result for number, _, result in chosen}

    def evidence(self, benchmark: str | None) -> tuple[Result, ...]:
        """Return the public rows that a claim on a benchmark may be checked against (null: on any).

        All of that benchmark, and one of every table, which shows that its round is held.
        """
        if benchmark is None:
            return self.results(private=False)
        chosen = self._versions.find(
            "ended IS NULL AND id IN ("
            "SELECT results.id FROM results JOIN tables ON tables.id = table_id "
            "WHERE benchmark = ? AND ended IS NULL AND private = 0 "
            "UNION SELECT (SELECT id FROM results WHERE table_id = tables.id AND ended IS NULL LIMIT 1) "
            "FROM tables WHERE private = 0) ORDER BY table_id, id",
            (benchmark,),
        )
        return tuple(result for _, _, result in chosen)

    def by_ids(self, ids: Collection[int]) -> dict[int, Result]:
        """Return versions by their ids, ended ones too."""
        found: dict[int, Result] = {}
        wanted = list(ids)
        for start in range(0, len(wanted), _CHUNK):
            part = wanted[start : start + _CHUNK]
            chosen = self._versions.find(f"id IN ({marks(part)})", part)
            found.update((number, result) for number, _, result in chosen)
        return found

    def history(self, key: ResultKey) -> tuple[tuple[Result, datetime, str | None], ...]:
        """Return every version of a result: the result, when it was recorded, and how it ended."""
        rows = self._run(
            "SELECT results.id, snapshots.recorded_at, ended_as FROM results JOIN snapshots ON snapshots.id = snapshot "
            "WHERE key = ? ORDER BY results.id",
            (key_text(key),),
        ).fetchall()
        held = self.by_ids([row[0] for row in rows])
        return tuple((held[number], _when(at), ended) for number, at, ended in rows)

    def names(self, kind: str) -> frozenset[str]:
        """Return every name of ``kind`` that a recorded table carried."""
        return frozenset(row[0] for row in self._run("SELECT name FROM names WHERE kind = ?", (kind,)))

    def changed_at(self, table: int) -> datetime | None:
        """Return when the table's latest state was recorded, null if none was."""
        row = self._run("SELECT max(recorded_at) FROM snapshots WHERE table_id = ?", (table,)).fetchone()
        return time(row[0])

    # ------------------------------------------------------------------------------------------ writing

    def create(
        self, table: Table, *, source: str | None, url: str | None, now: datetime, baseline: bool
    ) -> int:
        """Record that a table is there, with no results yet; return its id."""
        cursor = self._run(
            "INSERT INTO tables (suite, round, source, url, first_seen_at, baseline, private) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (table.suite, table.round, source, url, iso(now), baseline, table.private),
        )
        assert cursor.lastrowid is not None  # noqa: S101 - an INSERT has one
        return cursor.lastrowid

    def snapshot(
        self,
        table: int,
        *,
        source: str | None,
        url: str | None,
        digest: str | None,
        results: int,
        batch: str,
        now: datetime,
    ) -> int:
        """Record that the table was read; return the snapshot's id."""
        cursor = self._run(
            "INSERT INTO snapshots (table_id, recorded_at, source, url, digest, results, batch) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (table, iso(now), source, url, digest, results, batch),
        )
        assert cursor.lastrowid is not None  # noqa: S101 - an INSERT has one
        return cursor.lastrowid

    def add(
        self, table: int, snapshot: int, rows: Sequence[tuple[Result, bytes | None]], now: datetime
    ) -> list[int]:
        """Insert new current versions of (result, its row's digest); return their ids."""
        numbers = self._versions.add(table, snapshot, rows, now)
        self._log.extend(numbers)
        return numbers

    def end(self, versions: Sequence[tuple[int, str]], snapshot: int) -> None:
        """End versions as changed, renamed or removed."""
        self._log.extend(number for number, _ in versions)
        self._many(
            "UPDATE results SET ended = ?, ended_as = ? WHERE id = ?",
            [(snapshot, how, n) for n, how in versions],
        )

    def improve(self, versions: Sequence[tuple[int, Result, Result]]) -> None:
        """Fill in what became better known of a version, without a new one: (id, as it stood, as it stands)."""
        self._log.extend(number for number, _, _ in versions)
        self._versions.improve(versions)

    def read_by(
        self, table: int, reader: str | None, rows: Iterable[tuple[Result, bytes | None]] = ()
    ) -> None:
        """Note who reads a table's rows, and the digest of the published row that each of these results was read from.

        What another reader noted of the others is forgotten.
        """
        changed = self._run(
            "UPDATE tables SET reader = ? WHERE id = ? AND reader IS NOT ?", (reader, table, reader)
        )
        if changed.rowcount:
            self._run("UPDATE results SET row_digest = NULL WHERE table_id = ? AND ended IS NULL", (table,))
        self._many(
            "UPDATE results SET row_digest = ? WHERE table_id = ? AND key = ? AND ended IS NULL",
            [(digest, table, result.key_text) for result, digest in rows],
        )

    def number(self, entries: Sequence[tuple[str | None, int]]) -> None:
        """Note the numbers that the table's current revision gives the entries of these versions, if they still stand.

        That is no new version: a number says nothing of its row.
        """
        self._log.extend(version for _, version in entries)
        self._many("UPDATE results SET entry = ? WHERE id = ? AND ended IS NULL", entries)

    def missed(self, versions: Sequence[int], poll: int) -> None:
        """Mark rows as missing since ``poll``."""
        self._many(
            "UPDATE results SET missing_since = ? WHERE id = ?", [(poll, number) for number in versions]
        )

    def found_again(self, versions: Sequence[int]) -> None:
        """Take the mark of a missing row back."""
        self._many("UPDATE results SET missing_since = NULL WHERE id = ?", [(number,) for number in versions])

    def pending(self, table: int) -> dict[ResultKey, tuple[int, int]]:
        """Return the rows that are missing but not yet removed: key → (version id, missing since which poll)."""
        rows = self._run(
            "SELECT key, id, missing_since FROM results WHERE table_id = ? AND missing_since IS NOT NULL AND ended IS NULL",
            (table,),
        )
        return {key_of(key): (number, since) for key, number, since in rows}

    def with_missing_rows(self) -> frozenset[tuple[str, str]]:
        """Return (suite, round) of the tables of which rows are missing but not yet removed."""
        rows = self._run(
            "SELECT suite, round FROM tables WHERE id IN "
            "(SELECT table_id FROM results WHERE missing_since IS NOT NULL AND ended IS NULL)"
        )
        return frozenset((suite, round_name) for suite, round_name in rows)

    def polled_unchanged(self, tables: Sequence[tuple[str, str]], now: datetime) -> None:
        """Count a poll of each (suite, round) that found it as before; not of one that is held back or was never whole."""
        self._many(
            "UPDATE tables SET polls = polls + 1, polled_at = ? "
            "WHERE suite = ? AND round = ? AND polls > 0 AND held_back_at IS NULL",
            [(iso(now), suite, round_name) for suite, round_name in tables],
        )

    def polled(
        self, table: int, now: datetime, *, digest: str | None = None, columns: Iterable[str] | None = None
    ) -> int:
        """Count a poll that saw the table whole, and end any hold; return the poll's number."""
        self._run(
            "UPDATE tables SET polls = polls + 1, polled_at = ?, digest = coalesce(?, digest), "
            "columns = coalesce(?, columns), held_back_at = NULL, held_back_reason = NULL WHERE id = ?",
            (iso(now), digest, None if columns is None else json.dumps(sorted(columns)), table),
        )
        return int(self._run("SELECT polls FROM tables WHERE id = ?", (table,)).fetchone()[0])

    def hold_back(self, table: int, reason: str, now: datetime) -> bool:
        """Mark a table as held back; return whether this is news."""
        fresh = self._run("SELECT held_back_at IS NULL FROM tables WHERE id = ?", (table,)).fetchone()[0]
        self._run(
            "UPDATE tables SET held_back_at = coalesce(held_back_at, ?), held_back_reason = ? WHERE id = ?",
            (iso(now), reason, table),
        )
        return bool(fresh)

    def set_private(self, table: int, *, private: bool) -> None:
        """Put a table under embargo, or release it."""
        held = self._run("SELECT id FROM results WHERE table_id = ? AND ended IS NULL", (table,))
        self._log.extend(row[0] for row in held)
        self._run("UPDATE tables SET private = ? WHERE id = ?", (private, table))

    def remember_names(
        self, names: Iterable[tuple[str, str]], suite: str, round_name: str, now: datetime
    ) -> None:
        """Record (kind, name) pairs as seen."""
        self._many(
            "INSERT OR IGNORE INTO names (kind, name, suite, round, first_seen_at) VALUES (?, ?, ?, ?, ?)",
            [(kind, name, suite, round_name, iso(now)) for kind, name in names],
        )


def _in_tables(which: str) -> str:
    return f"table_id IN (SELECT id FROM tables WHERE {which})"


def _when(text: str) -> datetime:
    at = time(text)
    assert at is not None  # noqa: S101 - the column is NOT NULL
    return at
