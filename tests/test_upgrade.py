"""Upgrades of older states in bad times: another program at work, no room, an upgrade that failed or was killed."""

from __future__ import annotations

import fcntl
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlite_utils import Database, Migrations

from tests.older_states import take_back
from tests.rows import rows, table
from tests.test_state_care import full_after
from watcher.errors import LockedError, StateError
from watcher.store import Store
from watcher.store.database import STEPS_OF

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
ROWS = rows(300, first_seen_at=NOW)
COPY = "watcher.db.before-m006_machines-20260916T150500"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A state of an older program."""
    state = tmp_path / "watcher.db"
    with Store(state, now=NOW) as store, store.write():
        tables = store.tables
        number = tables.create(table(*ROWS), source=None, url=None, now=NOW, baseline=True)
        snapshot = tables.snapshot(
            number, source=None, url=None, digest=None, results=len(ROWS), batch="b", now=NOW
        )
        tables.add(number, snapshot, [(each, None) for each in ROWS], NOW)
    take_back(state, "m006_machines")
    return state


def results(state: Path) -> tuple[object, ...]:
    with Store(state, now=NOW) as store:
        return store.tables.results()


def copies(state: Path) -> list[str]:
    return sorted(path.name for path in state.parent.glob("*.before-*"))


def test_an_older_state_is_not_upgraded_under_a_program_that_is_at_work_on_it(old: Path) -> None:
    before = old.read_bytes()
    with Path(f"{old}.lock").open("w") as daemon:
        fcntl.flock(daemon, fcntl.LOCK_EX)

        with pytest.raises(LockedError, match=r"older shape.* stop the older program's daemon"):
            Store(old, now=NOW)

    assert (old.read_bytes(), copies(old)) == (before, [])
    assert results(old) == ROWS


def test_an_upgrade_that_was_killed_is_done_again_in_the_same_second(old: Path) -> None:
    (old.parent / COPY).write_bytes(b"the copy of an upgrade that was killed")
    for half in (f"{COPY[:-1]}9.part", f"{COPY[:-1]}9.part-journal"):
        (old.parent / half).write_bytes(b"half a copy")

    assert results(old) == ROWS
    assert copies(old) == [COPY, f"{COPY}-2"]
    assert (old.parent / COPY).read_bytes() == b"the copy of an upgrade that was killed"


OPEN = f"""
import sys
from datetime import datetime
from watcher.errors import StateError
from watcher.store import Store
from watcher.store.database import STEPS_OF
try:
    Store(sys.argv[1], now=datetime.fromisoformat({NOW.isoformat()!r})).close()
except StateError as error:
    sys.exit(str(error))
"""


def test_an_upgrade_without_room_for_a_copy_leaves_the_state_as_it_was_and_nothing_beside_it(
    old: Path,
) -> None:
    limit = full_after(old.stat().st_size // 4)

    full = subprocess.run(
        [sys.executable, "-c", OPEN, old], capture_output=True, text=True, preexec_fn=limit, check=False
    )

    assert full.returncode == 1
    assert "the backup could not be written (disk" in full.stderr
    assert copies(old) == []
    assert results(old) == ROWS


def test_upgrades_that_fail_time_and_again_leave_no_copy_each(old: Path) -> None:
    with closing(sqlite3.connect(old)) as raw:
        raw.execute("CREATE TABLE machines (somebodys TEXT)")
    for _ in range(2):
        with pytest.raises(StateError, match="table machines already exists"):
            Store(old, now=NOW)
        assert copies(old) == []

    with closing(sqlite3.connect(old)) as raw:
        raw.execute("DROP TABLE machines")
    assert results(old) == ROWS
    assert copies(old) == [COPY]


def test_a_state_that_was_left_before_its_first_step_is_made(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "watcher.db")) as raw:
        Migrations(STEPS_OF).ensure_migrations_table(Database(raw))  # as older programs began

    with Store(tmp_path / "watcher.db", now=NOW) as store, Store(now=NOW) as new:
        assert shape(store) == shape(new)


def shape(store: Store) -> list[tuple[str, ...]]:
    return store._connection.execute("SELECT type, name FROM sqlite_master ORDER BY name").fetchall()
