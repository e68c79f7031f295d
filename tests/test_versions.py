"""Versions of results: a machine is written once for its rows, and what one row learns is no other row's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from tests.older_states import take_back
from tests.rows import row, table
from watcher.domain import Power
from watcher.errors import StateError
from watcher.store import Store

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
FIRST = row(benchmark_published="a", measures={"p99": 1.5}, entry="6.1-0001", first_seen_at=NOW)
OTHER = row(platform="other", software=("TensorRT",), notes="its own", inferred=True, first_seen_at=NOW)
SECOND = row(
    benchmark_published="b", power=(Power("measured", 9.5, "kW"),), extra={"x": [1, None]}, tags=("t",),
    first_seen_at=NOW,
)  # fmt: skip
ROWS = (FIRST, OTHER, SECOND)


@pytest.fixture
def place(tmp_path):
    return tmp_path / "watcher.db"


def filled(place, rows=ROWS):
    store = Store(place, now=NOW)
    with store.write():
        number = store.tables.create(table(*rows), source=None, url=None, now=NOW, baseline=True)
        snapshot = store.tables.snapshot(
            number, source=None, url=None, digest=None, results=len(rows), batch="b", now=NOW
        )
        store.tables.add(number, snapshot, [(each, None) for each in rows], NOW)
    return store


def machines(store):
    return store._connection.execute("SELECT platform, notes FROM machines ORDER BY id").fetchall()


def test_a_machine_is_written_once_for_all_its_rows(place):
    with filled(place) as store:
        assert machines(store) == [("acme-rack-8", None), ("other", "its own")]
        assert store.tables.results() == ROWS


def test_what_becomes_better_known_of_one_row_is_not_said_of_the_others_on_its_machine(place):
    better = replace(FIRST, notes="with a cap", accuracy="99 %")
    with filled(place) as store:
        with store.write():
            store.tables.improve([(1, FIRST, better)])

        assert store.tables.results() == (better, OTHER, SECOND)
        assert machines(store) == [("acme-rack-8", None), ("other", "its own"), ("acme-rack-8", "with a cap")]


def test_a_row_whose_machine_is_the_same_keeps_it(place):
    better = replace(FIRST, accuracy="99 %", extra={"Colour": "red"})
    with filled(place) as store:
        with store.write():
            store.tables.improve([(1, FIRST, better)])

        assert store.tables.results() == (better, OTHER, SECOND)
        assert machines(store) == [("acme-rack-8", None), ("other", "its own")]


def test_a_machine_that_no_version_names_any_more_goes(place):
    better = [replace(each, notes="with a cap") for each in (FIRST, SECOND)]
    with filled(place) as store:
        with store.write():
            store.tables.improve([(1, FIRST, better[0]), (3, SECOND, better[1])])
            store.tables.improve([])

        assert store.tables.results() == (better[0], OTHER, better[1])
        assert machines(store) == [("other", "its own"), ("acme-rack-8", "with a cap")]


def test_what_is_read_is_of_one_moment_though_another_process_writes_meanwhile(place):
    many = [row(platform=f"rack-{n}", first_seen_at=NOW) for n in range(1100)]
    with filled(place, many) as store, Store(place, now=NOW, read_only=True) as reader:
        reading = reader.tables._versions.find("ended IS NULL ORDER BY id", ())
        begun = next(reading)
        with store.write():
            store.tables.improve([(n, each, replace(each, notes="new")) for n, each in enumerate(many, 1)])

        assert [result for _, _, result in (begun, *reading)] == many
        assert {result.notes for result in reader.tables.results()} == {"new"}


def test_a_result_whose_machine_somebody_deleted_is_named_as_damage(place):
    filled(place).close()
    with closing(sqlite3.connect(place)) as raw, raw:
        raw.execute("DELETE FROM machines WHERE id = 2")

    with Store(place, now=NOW) as store, pytest.raises(StateError, match="machine 2, which is not") as caught:
        store.tables.results()
    assert caught.value.damaged


@pytest.mark.parametrize("each", [*ROWS, row(first_seen_at=NOW)])
def test_a_row_is_read_back_as_it_was_written_alone_or_among_rows_that_say_more(place, each):
    others = [replace(one, platform=f"beside-{n}") for n, one in enumerate(ROWS)]
    with filled(place, [each]) as alone:
        assert alone.tables.results() == (each,)
    with filled(place.with_name("more.db"), [*others, each]) as more:
        assert more.tables.results() == (*others, each)


@pytest.mark.parametrize(("step", "count"), [("m006_machines", 2), ("m007_compared_rows", 3)])
def test_an_older_state_keeps_every_version_whatever_shape_it_is_in(place, step, count):
    changed = replace(OTHER, value=2000.0)
    with filled(place) as store, store.write():
        snapshot = store.tables.snapshot(1, source=None, url=None, digest=None, results=3, batch="c", now=NOW)
        store.tables.end([(2, "changed")], snapshot)
        store.tables.add(1, snapshot, [(changed, b"row")], NOW)
    before = dump(place)
    take_back(place, step)

    with Store(place, now=NOW) as store:
        assert store.tables.results() == (FIRST, SECOND, changed)
        assert [result for result, _, _ in store.tables.history(OTHER.key)] == [OTHER, changed]
        assert store._connection.execute("PRAGMA foreign_key_check").fetchall() == []
        # When machines are put apart, the two versions of one row share theirs.
        assert len(machines(store)) == count
    assert dump(place) == before
    assert [path.name for path in place.parent.glob("*.before-*")] == [
        f"watcher.db.before-{step}-20260916T150500"
    ]


def dump(place):
    """Return the shape of a state, its rows but for the numbers of their machines, and the view that people open."""
    with closing(sqlite3.connect(place)) as raw:
        shape = raw.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
        rows = raw.execute(
            "SELECT results.id, key, row_digest, ended, ended_as, benchmark, value, extra, platform, notes, "
            "software FROM results JOIN machines ON machines.id = machine ORDER BY results.id"
        ).fetchall()
        return shape, rows, raw.execute("SELECT * FROM current_results ORDER BY value, benchmark").fetchall()
