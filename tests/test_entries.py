"""Numbers of entries: read beside the rows, kept with them, renumbered without a word, and cited."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.older_states import take_back
from tests.rows import row
from watcher import archive
from watcher.catalog.names import load
from watcher.config import Config
from watcher.demo.published import summary, summary_results
from watcher.diff import COMPARED, stands
from watcher.domain import Event, Result, Table
from watcher.figures import NOTHING
from watcher.figures.json_form import result_form
from watcher.parse import read_table
from watcher.pipeline.ingest import load_archive
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.parts import VERSION
from watcher.pipeline.recording import Recorder
from watcher.pipeline.rereading import reread
from watcher.store import Store
from watcher.wiring import wire

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
THREE = tuple(row(platform=f"rack-{n}", value=1000.0 + n) for n in range(3))


def published(*cells: Any, results: tuple[Result, ...] = THREE) -> bytes:
    """The table of these rows in the shape that has numbers, with these cells as numbers."""
    rows = json.loads(summary_results(results))
    for each, cell in zip(rows, cells, strict=True):
        each["ID"] = cell
    return json.dumps(rows).encode()


def numbers(results: Any) -> dict[str, str | None]:
    return {result.platform: result.entry for result in results}


class State:
    """A state on disk or in memory, and the tables that it takes, each read beside the rows known."""

    def __init__(self, place: Path | None = None) -> None:
        self.store = Store(place, now=NOW) if place else Store(now=NOW)
        self.recorder = Recorder(store=self.store, catalog=load, wanted=lambda: NOTHING)
        self.polls = 0
        self.table: Table | None = None

    def take(self, body: bytes, round_name: str = "v6.1") -> tuple[Event, ...]:
        self.polls += 1
        held = self.store.tables.find("inference", round_name)
        known = self.store.tables.known(held) if held is not None else None
        (self.table,) = read_table(body, name="t", catalog=load(), known=known)
        occasion = Occasion(batch=f"batch {self.polls}", now=NOW + timedelta(hours=self.polls))
        with self.store.write():
            return self.recorder.table(
                self.table, occasion, digest=f"bytes {self.polls}", baseline=self.polls == 1, known=known
            )

    def numbers(self) -> dict[str, str | None]:
        return numbers(self.store.tables.results())

    def versions(self) -> list[tuple[Any, ...]]:
        query = (
            "SELECT results.id, platform, value, entry, ended_as FROM results JOIN machines ON machines.id = machine "
            "ORDER BY results.id"
        )
        return self.store._connection.execute(query).fetchall()


@pytest.fixture
def state():
    made = State()
    yield made
    made.store.close()


# ------------------------------------------------------------------------------------------------ reading


def test_a_number_is_read_in_one_form_whoever_prints_it():
    (table,) = read_table(published("6.1-0001", "v6.1-0002", " V6.1-0003 "), name="t", catalog=load())

    assert numbers(table.results) == {"rack-0": "6.1-0001", "rack-1": "6.1-0002", "rack-2": "6.1-0003"}


@pytest.mark.parametrize(
    "cell", [None, "", 7, 6.1, ["6.1-0001"], {"a": 1}, "6.1-001", "6.1-00011", "x6.1-0001"]
)
def test_a_cell_that_is_no_number_of_an_entry_is_none_and_costs_no_row(cell):
    (table,) = read_table(published(cell, "6.1-0002", "6.1-0003"), name="t", catalog=load())

    assert numbers(table.results) == {"rack-0": None, "rack-1": "6.1-0002", "rack-2": "6.1-0003"}
    assert table.asides == ()


def test_a_table_without_the_column_has_no_numbers():
    (table,) = read_table(summary(THREE), name="t", catalog=load())

    assert numbers(table.results) == {"rack-0": None, "rack-1": None, "rack-2": None}
    assert "entry" not in table.columns


def test_a_number_is_no_part_of_what_a_row_says():
    one, other = row(entry="6.1-0001"), row(entry="6.1-0002")

    assert stands(one, other, ())
    assert "entry" not in COMPARED
    assert (result_form(one)["entry"], result_form(row())["entry"]) == ("6.1-0001", None)


def test_every_row_of_the_real_tables_has_its_number_and_one_number_is_one_system(real):
    for name, rows, entries in (("v4.1_summary_results.r1", 937, 130), ("v5.1_summary_results", 1448, 390)):
        body = (real / "mlperf" / f"inference_{name}.json.gz").read_bytes()
        (table,) = read_table(body, name=name, catalog=load())
        systems = {(r.entry, r.division, r.submitter, r.platform) for r in table.results}

        assert len(table.results) == rows
        assert None not in {entry for entry, *_ in systems}
        assert (len({entry for entry, *_ in systems}), len(systems)) == (entries, entries)


# ------------------------------------------------------------------------------------------------ keeping


def test_rows_that_are_recognised_keep_their_numbers(state):
    body = published("6.1-0001", "6.1-0002", "6.1-0003")
    state.take(body)
    state.take(body + b"\n")

    assert len(state.table.recognised) == 3
    assert state.numbers() == {"rack-0": "6.1-0001", "rack-1": "6.1-0002", "rack-2": "6.1-0003"}


def test_a_renumbered_table_is_no_news_and_its_new_numbers_are_taken_over(state):
    state.take(published("6.1-0001", "6.1-0002", "6.1-0003"))
    before = state.store.tables.written

    assert state.take(published("6.1-0002", "6.1-0001", "6.1-0003")) == ()

    assert len(state.table.recognised) == 1
    assert [v[0] for v in state.versions()] == [1, 2, 3]
    assert state.numbers() == {"rack-0": "6.1-0002", "rack-1": "6.1-0001", "rack-2": "6.1-0003"}
    assert state.store.tables.written_since(before) == {1, 2}


def test_a_table_without_numbers_leaves_those_that_are_known(state):
    state.take(published("6.1-0001", "6.1-0002", "6.1-0003"))
    changed = replace(THREE[1], value=2000.0)

    events = state.take(summary((THREE[0], changed, THREE[2])))

    assert [event.kind for event in events] == ["result.changed"]
    assert state.numbers() == {"rack-0": "6.1-0001", "rack-1": "6.1-0002", "rack-2": "6.1-0003"}


def test_a_row_whose_number_the_table_takes_back_has_none(state):
    state.take(published("6.1-0001", "6.1-0002", "6.1-0003"))
    state.take(published("6.1-0001", "", "6.1-0003"))

    assert state.numbers() == {"rack-0": "6.1-0001", "rack-1": None, "rack-2": "6.1-0003"}


def test_the_version_of_a_changed_or_removed_row_keeps_the_number_that_it_had(state):
    state.take(published("6.1-0001", "6.1-0002", "6.1-0003"))
    left = (THREE[0], replace(THREE[1], value=2000.0))
    for _ in range(2):
        state.take(published("6.1-0007", "6.1-0008", results=left))

    assert state.versions() == [
        (1, "rack-0", 1000.0, "6.1-0007", None),
        (2, "rack-1", 1001.0, "6.1-0002", "changed"),
        (3, "rack-2", 1002.0, "6.1-0003", "removed"),
        (4, "rack-1", 2000.0, "6.1-0008", None),
    ]


def test_the_real_second_revision_of_v5_1_renumbers_a_few_rows_and_tells_its_changes_alone(real, state):
    held, events = [], []
    for name in ("r1", "r2"):
        events = state.take(
            (real / "mlperf" / f"inference_v5.1_summary_results.{name}.json.gz").read_bytes(), "v5.1"
        )
        held.append({result.key: result.entry for result in state.store.tables.results()})

    assert Counter(event.kind for event in events) == {"result.changed": 3, "result.renamed": 14}
    assert sum(held[0][key] != entry for key, entry in held[1].items() if key in held[0]) == 12
    assert len(set(held[1].values())) == 390


def test_a_real_table_of_the_checker_leaves_the_numbers_of_the_list_before_it(real, state):
    held = []
    for name in ("summary_results.json", "checker_summary.csv"):
        state.take((real / "mlperf" / f"inference_v6.0_{name}.gz").read_bytes(), "v6.0")
        held.append({result.key: result.entry for result in state.store.tables.results()})

    assert (held[0], len(set(held[0].values()))) == (held[1], 112)
    assert {result.entry for result in state.table.results} == {None}


def test_a_state_of_before_gets_the_column_after_a_backup_and_the_numbers_with_the_next_reading(tmp_path):
    place = tmp_path / "watcher.db"
    old = State(place)
    body = published("6.1-0001", "6.1-0002", "6.1-0003")
    old.take(body)
    old.store.close()
    take_back(place, "m005_entries")
    with sqlite3.connect(place) as raw:
        raw.execute("""UPDATE tables SET columns = replace(columns, '"entry", ', '')""")
    raw.close()

    new = State(place)
    new.polls = 1
    assert [path.name for path in tmp_path.glob("*.before-*")] == [
        "watcher.db.before-m005_entries-20260916T150500"
    ]
    assert set(new.numbers().values()) == {None}
    assert new.take(body) == ()
    assert new.table.recognised == ()
    assert new.numbers() == {"rack-0": "6.1-0001", "rack-1": "6.1-0002", "rack-2": "6.1-0003"}
    new.store.close()


def test_the_archive_brings_the_numbers_that_its_tables_had():
    tables = {name: archive.load("inference", name) for name in ("v5.1", "v6.0", "v6.1")}

    assert {name: len({r.entry for r in table.results} - {None}) for name, table in tables.items()} == {
        "v5.1": 390, "v6.0": 112, "v6.1": 0,
    }  # fmt: skip
    racks = {r.entry: r.accelerator for r in tables["v5.1"].results if r.entry in {"5.1-0071", "5.1-0072"}}
    assert racks == {"5.1-0071": "gb200", "5.1-0072": "gb300"}


def test_after_an_upgrade_the_archived_rounds_get_their_numbers_without_a_word(tmp_path):
    with Store(now=NOW) as store:
        watcher = wire(Config(rules=(), state=tmp_path), store)
        load_archive(watcher, NOW)
        before = numbers(store.tables.results(rounds=("v5.1",)))
        store._connection.execute("UPDATE results SET entry = NULL")
        told, versions = store.events.last_number(), len(store.tables.results())
        with store.write():
            store.remember(VERSION, "0.0.1")

        reread(watcher, NOW)

        assert "5.1-0072" in before.values()
        assert numbers(store.tables.results(rounds=("v5.1",))) == before
        assert store.events.last_number() == told
        assert store._connection.execute("SELECT count(*) FROM results").fetchone() == (versions,)
