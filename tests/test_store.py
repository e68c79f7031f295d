"""The state: real SQLite, one writer, whole transactions, and errors that say what to do."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sqlite_utils import Database as Utils
from sqlite_utils import Migrations

from tests.older_states import take_back
from tests.rows import row
from watcher.domain import (
    Alert,
    CheckedClaim,
    Claim,
    Comparison,
    Document,
    Event,
    Evidence,
    Gain,
    Image,
    Notification,
    Power,
    Result,
    Section,
    SourceTrouble,
    Table,
    Validators,
    Verdict,
)
from watcher.errors import LockedError, StateError
from watcher.migrations import MACHINE_COLUMNS, RUN_COLUMNS, STEPS
from watcher.store import Store
from watcher.store.codec import (
    dumps,
    key_of,
    key_text,
    loads,
    machine_facts,
    machine_of,
    machine_row,
    result_of,
    run_row,
)
from watcher.store.events import NewEvent

AT = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
texts = st.none() | st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\x1f\x00"), max_size=20
)
results = st.builds(
    row,
    value=st.floats(allow_nan=False, allow_infinity=False),
    notes=texts,
    scenario=texts,
    accelerators=st.lists(st.text(max_size=5)).map(tuple),
    power=st.lists(st.builds(Power, st.just("measured"), st.floats(0, 1e5), st.just("W")), max_size=2).map(
        tuple
    ),
    measures=st.dictionaries(st.text(max_size=5), st.floats(0, 10), max_size=2),
    inferred=st.none() | st.booleans(),
    extra=st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=5), max_size=2),
    first_seen_at=st.just(AT),
)


@pytest.fixture
def store(now):
    with Store(now=now) as made:
        yield made


def trouble(message="down"):
    return SourceTrouble(
        source="inference", url=None, failure="server", message=message, failures=3, since=AT
    )


def event(name="e1", subject=None, **given):
    return NewEvent(
        Event(id=name, kind="source.failing", occurred_at=AT, batch="b1", after=subject or trouble(), **given)
    )


@given(results)
def test_any_result_is_read_back_from_cells_and_from_text_as_it_was(result):
    machine = machine_of(machine_row(machine_facts(result)))
    assert result_of(machine, run_row(result), AT.isoformat()) == result
    assert loads(dumps(result), Result) == result
    assert key_of(key_text(result.key)) == result.key
    assert key_text(result.key) == result.key_text


def test_the_cells_of_a_result_stand_in_the_order_of_their_columns():
    names = Result(**{name: name for name in Result.__struct_fields__})

    assert machine_facts(names) == MACHINE_COLUMNS
    assert run_row(names) == (*RUN_COLUMNS[:-4], *(f'"{name}"' for name in RUN_COLUMNS[-4:]))


def test_every_kind_of_value_is_read_back_from_text_as_it_was():
    comparison = Comparison(
        subject=row(), baseline=row(value=2.0), ratio=0.5, per_accelerator_ratio=None, differs=("round",)
    )
    claim = CheckedClaim(
        claim=Claim(kind="ratio", value=3.7, scenarios=("Server",)),
        verdict=Verdict(
            verdict="confirmed",
            evidence=(
                Evidence(
                    scenario="Server",
                    reading="system",
                    figure=3.74,
                    holds=True,
                    arithmetic="a / b",
                    rows=(row(),),
                ),
            ),
        ),
    )
    notification = Notification(
        id="n", kind="digest", title="t", severity="info", summary="s", created_at=AT,
        sections=(Section(heading="h", image=Image(name="p", png=b"\x89PNG\x00", alt="a picture")),),
    )  # fmt: skip

    for value in (comparison, claim, notification, trouble()):
        assert loads(dumps(value), type(value)) == value


@pytest.mark.parametrize("text", ["", "{", "null", "[1]", '{"type": "Nothing"}', '{"type": "Claim"}'])
def test_a_value_that_somebody_spoiled_is_a_damaged_state_with_a_way_out(text):
    with pytest.raises(StateError, match=r"cannot be read .*; restore a backup") as caught:
        loads(text, CheckedClaim)
    assert caught.value.damaged


def test_what_a_transaction_wrote_before_it_failed_is_gone(store):
    with pytest.raises(RuntimeError), store.write():
        store.events.add([event()])
        raise RuntimeError

    assert store.events.waiting_batches() == ()


def test_an_event_recorded_twice_is_there_once(store):
    with store.write():
        store.events.add([event(), event()])
        store.events.add([event()])

    assert len(store.events.batch("b1")) == 1


def test_an_alert_is_unique_on_rule_batch_and_group(store, now):
    with store.write():
        store.events.add([event()])
    alert = Alert(
        rule="r", title="t", severity="high", batch="b1", group="g", events=store.events.batch("b1")
    )

    with store.write():
        first, again = store.events.add_alert(alert, now), store.events.add_alert(alert, now)

    assert (first.name, again) == ("A-0001", None)
    assert store.events.alert(1).events == alert.events


def test_a_delivery_is_owed_once_to_a_receiver(store, now):
    with store.write():
        store.events.add([event()])
        store.events.add_alert(
            Alert(
                rule="r", title="t", severity="high", batch="b1", group="g", events=store.events.batch("b1")
            ),
            now,
        )
        for _ in range(2):
            store.outbox.owe("team", now, alert=1)

    assert [(each.receiver, each.about, each.state) for each in store.outbox.open()] == [
        ("team", "A-0001", "pending")
    ]


def test_validators_are_kept_exactly_as_received(store):
    odd = Validators(
        url="https://a.example/", etag='W/"  odd;"', last_modified="Someday, 99 Foo", digest="d", full_at=AT
    )

    with store.write():
        store.sources.save_validators("s", [odd])

    assert store.sources.validators("s") == {odd.url: odd}


def test_the_same_bytes_are_kept_once_and_read_back(store, now):
    body = b"[1, 2, 3]" * 1000
    with store.write():
        names = {
            store.sources.keep(Document(url, body, now), "s")
            for url in ("https://a.example", "https://b.example")
        }

    assert len(names) == 1
    assert store.sources.document(names.pop()).body == body


def test_old_documents_go_when_there_are_too_many_but_a_tables_own_stays(store, now):
    with store.write():
        names = [
            store.sources.keep(Document(f"u{n}", os.urandom(2000), now + timedelta(minutes=n)), "s")
            for n in range(4)
        ]
        number = store.tables.create(
            Table("inference", "v6.1", (), frozenset()), source="s", url=None, now=now, baseline=True
        )
        store.tables.polled(number, now, digest=names[0], columns=())
        dropped = store.sources.prune_documents(4100)

    assert dropped == 1
    assert [store.sources.document(name) is not None for name in names] == [True, False, True, True]


def test_only_one_process_may_hold_the_lock(tmp_path, now):
    place = tmp_path / "watcher.db"
    code = (
        "import sys; from datetime import datetime, UTC; from watcher.store import Store\n"
        f"s = Store({str(place)!r}, now=datetime.now(UTC))\n"
        "with s.lock():\n print('held', flush=True); sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout.readline() == "held\n"
        with (
            Store(place, now=now) as store,
            pytest.raises(LockedError, match="another run holds"),
            store.lock(),
        ):
            pass
    finally:
        other.communicate()

    with Store(place, now=now) as store, store.lock():
        assert store.path == str(place)


def test_a_state_of_a_newer_program_is_refused_with_the_fix(tmp_path, now):
    place = tmp_path / "watcher.db"
    Store(place, now=now).close()
    with sqlite3.connect(place) as raw:
        raw.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('watcher', 'm999_future', 'now')"
        )
    raw.close()

    with pytest.raises(StateError, match=r"made by a newer mlperf-watcher \(it has 'm999_future'\); upgrade"):
        Store(place, now=now)


def test_a_state_that_is_refused_is_closed_again(tmp_path, now):
    place = tmp_path / "watcher.db"
    Store(place, now=now).close()
    with closing(sqlite3.connect(place)) as raw, raw:
        raw.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('watcher', 'm999_future', 'now')"
        )
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database, but long enough to be taken for one" * 100)

    for path in (place, broken):
        with pytest.raises(StateError):
            Store(path, now=now)
    open_files = {Path(os.path.realpath(f"/proc/self/fd/{each}")) for each in os.listdir("/proc/self/fd")}  # noqa: PTH208
    assert open_files.isdisjoint({place, broken})


def test_an_older_state_is_upgraded_after_a_backup(tmp_path, now):
    place = tmp_path / "watcher.db"
    Store(place, now=now).close()
    take_back(place, "m004_row_digests")

    Store(place, now=now).close()

    assert [path.name for path in tmp_path.glob("*.before-*")] == [
        "watcher.db.before-m004_row_digests-20260916T150500"
    ]


def test_an_older_state_is_upgraded_to_the_shape_of_a_new_one(tmp_path, now):
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    Store(new, now=now).close()
    with closing(sqlite3.connect(old)) as raw:
        steps = Migrations("watcher")
        steps()(STEPS[0])
        steps.apply(Utils(raw))

    Store(old, now=now).close()

    shapes = []
    for place in (new, old):
        with closing(sqlite3.connect(place)) as raw:
            made = raw.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall()
            noted = raw.execute(
                "SELECT id, migration_set, name FROM _sqlite_migrations ORDER BY id"
            ).fetchall()
        shapes.append(([(*of, re.sub(r'["\s]', "", sql or "")) for *of, sql in made], noted))
    assert shapes[0] == shapes[1]


def test_a_new_state_that_cannot_be_made_whole_is_not_made(tmp_path, now):
    place = tmp_path / "watcher.db"
    with closing(sqlite3.connect(place)) as raw, raw:
        raw.execute("CREATE TABLE pins (mine TEXT)")

    with pytest.raises(StateError, match="table pins already exists"):
        Store(place, now=now)

    with closing(sqlite3.connect(place)) as raw:
        assert raw.execute("SELECT name FROM sqlite_master").fetchall() == [("pins",)]


def test_a_column_called_type_keeps_its_name_when_an_older_state_is_upgraded(tmp_path, now):
    place = tmp_path / "watcher.db"
    faster = row(notes='says "~type": x', extra={"type": "Result", "~type": 2})
    gain = Gain(match="same_system", before=row(value=1.0), after=faster, ratio=2.0)
    with Store(place, now=now) as store, store.write():
        store.events.add([event(subject=gain)])
    take_back(place, "m005_entries")
    with sqlite3.connect(place) as raw:
        raw.execute("""UPDATE events SET after = replace(after, '"~type":2', '"~~type":2')""")
        raw.execute(
            """UPDATE events SET after = replace(after, '"type":"Result","~~', '"~type":"Result","~~')"""
        )
    raw.close()

    with Store(place, now=now) as store:
        assert [each.after for each in store.events.listing()] == [gain]


def test_making_a_state_needs_no_more_than_the_standard_librarys_driver(tmp_path):
    program = (
        "import sys; from datetime import UTC, datetime; from watcher.store import Store; "
        f"Store({str(tmp_path / 'watcher.db')!r}, now=datetime.now(UTC)).close(); "
        "assert not {'sqlite_utils', 'numpy'} & set(sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_file_that_is_no_state_is_named_with_the_fix(tmp_path, now):
    place = tmp_path / "watcher.db"
    place.write_bytes(b"not a database, but long enough to look at" * 100)

    with pytest.raises(StateError, match="is not a state of mlperf-watcher, or is damaged; restore a backup"):
        Store(place, now=now)


def test_a_damaged_state_is_found_at_the_start(tmp_path, now):
    place = tmp_path / "watcher.db"
    with Store(place, now=now) as store, store.write():
        store.sources.keep(Document("u", os.urandom(50_000), now), "s")
    body = bytearray(place.read_bytes())
    body[-30_000:-20_000] = os.urandom(10_000)
    place.write_bytes(body)

    with pytest.raises(StateError, match="is damaged"), Store(place, now=now) as store:
        store.check()


def test_a_reading_command_on_no_state_says_what_to_do(tmp_path, now):
    with pytest.raises(StateError, match="there is no state yet; run `mlperf-watcher run` or `ingest` first"):
        Store(tmp_path / "none.db", now=now, read_only=True)


def test_a_backup_made_while_the_state_is_open_holds_what_was_committed(tmp_path, now):
    with Store(tmp_path / "watcher.db", now=now) as store:
        with store.write():
            store.events.add([event()])
        store.backup(tmp_path / "copy.db")
        with pytest.raises(StateError, match="is there already; name a new file"):
            store.backup(tmp_path / "copy.db")

    with Store(tmp_path / "copy.db", now=now, read_only=True) as copy:
        assert [e.id for e in copy.events.batch("b1")] == ["e1"]


def test_what_is_read_together_is_of_one_moment_whatever_another_process_writes(tmp_path, now):
    with (
        Store(tmp_path / "watcher.db", now=now) as writer,
        Store(tmp_path / "watcher.db", now=now, read_only=True) as reader,
    ):
        with writer.write():
            writer.remember("first", "1")
        with reader.reading(), reader.reading():
            before = reader.recall("first"), reader.recall("second")
            with writer.write():
                writer.remember("first", "2")
                writer.remember("second", "2")
            within = reader.recall("first"), reader.recall("second")

        assert (before, within) == (("1", None), ("1", None))
        assert (reader.recall("first"), reader.recall("second")) == ("2", "2")


def test_a_read_that_fails_is_told_and_leaves_no_transaction(tmp_path, now):
    with Store(tmp_path / "watcher.db", now=now) as store:
        with pytest.raises(StateError, match="no such table"), store.reading():
            store._connection.execute("SELECT 1 FROM nowhere")

        with store.write():
            store.remember("first", "1")


def test_the_views_that_people_open_can_be_read(store):
    views = store._connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall()

    assert {name for (name,) in views} == {
        "alert_log", "claim_ledger", "current_results", "source_health", "waiting_deliveries",
    }  # fmt: skip
    for (name,) in views:
        assert store._connection.execute(f"SELECT * FROM {name}").fetchall() == []


def test_an_event_under_embargo_waits_for_no_rule_and_is_not_listed(store, now):
    with store.write():
        made = event(private=True)
        store.events.add([replace(made, event=replace(made.event, private=True))])

    assert (store.events.waiting_batches(), store.events.batch("b1", waiting=True)) == ((), ())
    assert (store.events.listing(), len(store.events.listing(private=True))) == ((), 1)


@pytest.mark.parametrize("name", ["type", "~type", "~~type", "~other"])
@pytest.mark.parametrize("value", ["Result", "Power", "NewName", "anything"])
def test_a_published_column_of_any_name_and_value_is_read_back_as_it_was(name, value):
    result = row(extra={name: value, "first_seen_at": "x", "cell": {name: value}})

    assert loads(dumps(result), Result) == result


def test_a_state_on_a_read_only_folder_says_so(tmp_path, now):
    if os.geteuid() == 0:
        folder = Path("/proc/mlperf-watcher-cannot-be-made")
    else:
        folder = tmp_path / "locked"
        folder.mkdir(mode=0o500)
    with pytest.raises(StateError, match="cannot be"):
        Store(folder / "state" / "watcher.db", now=now)
