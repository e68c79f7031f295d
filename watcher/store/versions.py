"""Versions of results as they are written: what stands alike in all rows of a machine once, and each run beside it.

A row of ``machines`` is never changed, as several versions may name it; one that no version names any more goes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import islice
from operator import itemgetter
from typing import Any

from watcher.domain import Result
from watcher.migrations import MACHINE_COLUMNS, RUN_COLUMNS
from watcher.store.codec import (
    damaged,
    iso,
    machine_facts,
    machine_of,
    machine_row,
    result_of,
    run_row,
)


def marks(values: Collection[object]) -> str:
    """Return a statement's marks for so many values."""
    return ", ".join("?" * len(values))


_MACHINE, _RUN = ", ".join(MACHINE_COLUMNS), ", ".join(RUN_COLUMNS)
_SELECT = f"SELECT id, key, first_seen_at, machine, {_RUN} FROM results"
_SELECT_MACHINES = f"SELECT id, {_MACHINE} FROM machines WHERE id IN (SELECT value FROM json_each(?))"
_OF_RESULTS = ("id", "table_id", "key", "row_digest", "snapshot", "first_seen_at", "machine", *RUN_COLUMNS)
_OF_MACHINES = ("id", *MACHINE_COLUMNS)
_UPDATE = f"UPDATE results SET {' = ?, '.join(RUN_COLUMNS)} = ? WHERE id = ?"
_MOVE = "UPDATE results SET machine = ? WHERE id = ?"
_MACHINES_OF = "SELECT DISTINCT machine FROM results WHERE id IN (SELECT value FROM json_each(?))"
_DELETE_UNUSED = "DELETE FROM machines WHERE id IN (SELECT value FROM json_each(?)) AND id NOT IN (SELECT machine FROM results)"
_TOGETHER = 500  # rows that are read or written in one go


class Versions:
    """The statements about results and their machines."""

    def __init__(
        self, connection: sqlite3.Connection, reading: Callable[[], AbstractContextManager[object]]
    ) -> None:
        """Work on an open connection; what is read inside ``reading`` is of one moment."""
        self._run = connection.execute
        self._many = connection.executemany
        self._reading = reading

    def find(self, where: str, values: Sequence[object]) -> Iterator[tuple[int, str, Result]]:
        """Give the versions that a condition chooses: id, text of the key, and result. Each machine is read once."""
        machines: dict[int, Result] = {}
        with self._reading():
            found = self._run(f"{_SELECT} WHERE {where}", values)
            while rows := found.fetchmany(_TOGETHER):
                fresh = {row[3] for row in rows} - machines.keys()
                read = self._run(_SELECT_MACHINES, (json.dumps(list(fresh)),))
                machines.update((row[0], machine_of(row[1:])) for row in read)
                if not fresh <= machines.keys():
                    raise damaged(
                        f"a result names machine {min(fresh - machines.keys())}, which is not there"
                    )
                for row in rows:
                    yield row[0], row[1], result_of(machines[row[3]], row[4:], row[2])

    def add(
        self, table: int, snapshot: int, rows: Sequence[tuple[Result, bytes | None]], now: datetime
    ) -> list[int]:
        """Insert (result, its row's digest) as versions of a table; return their ids."""
        first = int(self._run("SELECT coalesce(max(id), 0) + 1 FROM results").fetchone()[0])
        seen = iso(now)
        machines = self._add_machines([result for result, _ in rows])
        numbers = range(first, first + len(rows))
        self._insert(
            "results",
            _OF_RESULTS,
            (
                (
                    number, table, result.key_text, row_digest, snapshot,
                    seen if result.first_seen_at is None else iso(result.first_seen_at), machine, *run_row(result),
                )
                for number, machine, (result, row_digest) in zip(numbers, machines, rows, strict=True)
            ),
        )  # fmt: skip
        return list(numbers)

    def improve(self, versions: Sequence[tuple[int, Result, Result]]) -> None:
        """Write what stands now of versions, each given as (id, as it stood, as it stands); most keep their machine."""
        self._many(_UPDATE, [(*run_row(after), number) for number, _, after in versions])
        moved = [
            (number, after)
            for number, before, after in versions
            if machine_facts(before) != machine_facts(after)
        ]
        if not moved:
            return
        left = self._run(_MACHINES_OF, (json.dumps([number for number, _ in moved]),)).fetchall()
        machines = self._add_machines([after for _, after in moved])
        self._many(_MOVE, zip(machines, [number for number, _ in moved], strict=True))
        self._run(_DELETE_UNUSED, (json.dumps([machine for (machine,) in left]),))

    def _add_machines(self, results: Sequence[Result]) -> list[int]:
        """Insert the machines of some results, equal ones once; return the id of each result's machine."""
        first = int(self._run("SELECT coalesce(max(id), 0) + 1 FROM machines").fetchone()[0])
        numbers: dict[tuple[Any, ...], int] = {}
        found = [numbers.setdefault(machine_facts(result), first + len(numbers)) for result in results]
        rows = ((number, *machine_row(facts)) for facts, number in numbers.items())
        self._insert("machines", _OF_MACHINES, rows)
        return found

    def _insert(self, table: str, columns: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
        """Insert rows without the columns that are null in all: the driver takes three times as long over a null as over a text."""
        while part := list(islice(rows, _TOGETHER)):
            stated = [n for n in range(len(columns)) if any(row[n] is not None for row in part)]
            names = [columns[n] for n in stated]
            self._many(
                f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks(names)})",
                map(itemgetter(*stated), part),
            )
