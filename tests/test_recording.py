"""From a read table to events, on the real tables and on our own rows; with a real SQLite state."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest
from msgspec.structs import replace

from tests.rows import row, rows, table
from watcher.catalog.names import load
from watcher.domain import NewName, PublishedRound
from watcher.errors import HeldBackError, StateError
from watcher.figures import NOTHING
from watcher.parse import read_table
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.recording import Recorder
from watcher.store import Store
from watcher.store.pins import Pin


class Recording:
    """A state in memory, and tables recorded in it one after the other, an hour apart."""

    def __init__(self, now):
        self.store = Store(now=now)
        self.recorder = Recorder(store=self.store, catalog=load, wanted=lambda: NOTHING)
        self.now = now
        self.count = 0

    def take(self, made, *, baseline=False, accept=False):
        self.count += 1
        occasion = Occasion(batch=f"batch {self.count}", now=self.now + timedelta(hours=self.count))
        with self.store.write():
            return self.recorder.table(
                made, occasion, digest=f"bytes {self.count}", baseline=baseline, accept=accept
            )

    def poll(self, suite="inference", round_name="v6.1"):
        self.count += 1
        occasion = Occasion(batch=f"batch {self.count}", now=self.now + timedelta(hours=self.count))
        with self.store.write():
            return self.recorder.poll(self.store.tables.find(suite, round_name), occasion)


@pytest.fixture
def recording(now):
    made = Recording(now)
    yield made
    made.store.close()


def kinds(events):
    return dict(Counter(event.kind for event in events))


def real_table(real, name):
    (read,) = read_table((real / "mlperf" / name).read_bytes(), name=name, catalog=load())
    return read


def test_a_baseline_is_recorded_without_events(recording):
    assert recording.take(table(*rows(5)), baseline=True) == ()
    assert len(recording.store.tables.results(suite="inference")) == 5


def test_the_first_table_of_a_round_is_news(recording):
    events = recording.take(table(*rows(3)))

    assert kinds(events) == {"round.published": 1, "result.added": 3, "name.new": 1}
    assert events[0].subject == PublishedRound(suite="inference", round="v6.1", results=3)


def test_a_name_never_seen_is_told_once_and_a_known_one_never(recording):
    recording.take(table(row(round="v6.0"), row(round="v6.0", platform="p2")), baseline=True)
    fresh = row(submitter="Umbrella", organisations=("Umbrella",), platform="p3")

    first = recording.take(table(row(), fresh))
    again = recording.take(
        table(row(), fresh, row(platform="p4", submitter="Umbrella", organisations=("Umbrella",)))
    )

    named = [event.subject for event in first if event.kind == "name.new"]
    assert named == [NewName(kind="submitter", name="Umbrella", suite="inference", round="v6.1", results=1)]
    assert kinds(again) == {"result.added": 1}


def test_another_spelling_of_a_submitter_is_recorded_without_an_event_and_stays_known(recording):
    before, rest = row(submitter="ACME", organisations=("ACME",), platform="Rack-A"), rows(9)
    after = replace(before, submitter="Acme", organisations=("Acme",))
    recording.take(table(before, *rest), baseline=True)
    with recording.store.write():
        recording.store.pins.add([Pin(before.key, recording.now, before.value, before.unit, "as cited")])

    assert [recording.take(table(after, *rest)), recording.poll(), recording.take(table(after, *rest))] == [
        ()
    ] * 3

    held = {r.key: r for r in recording.store.tables.results(suite="inference")}
    assert (before.key in held, held[after.key].submitter, len(held)) == (False, "Acme", 10)
    assert recording.store.pins.keys() == {after.key}
    assert [how for _, _, how in recording.store.tables.history(before.key)] == ["renamed"]


def test_another_spelling_of_a_name_is_no_new_name(recording):
    recording.take(table(row(submitter="Zeta Works", organisations=("Zeta Works",))), baseline=True)

    events = recording.take(
        table(
            row(submitter="Zeta Works", organisations=("Zeta Works",)),
            row(submitter="ZETA-Works", organisations=("ZETA-Works",), platform="p2"),
        )
    )

    assert kinds(events) == {"result.added": 1}


def test_a_loss_after_a_loss_is_told_step_by_step(recording):
    all_rows = rows(12)
    recording.take(table(*all_rows), baseline=True)

    steps = [recording.take(table(*all_rows[n:])) for n in (3, 6)]

    assert [kinds(events) for events in [*steps, recording.poll()]] == [
        {}, {"result.removed": 3}, {"result.removed": 3},
    ]  # fmt: skip


def test_a_row_that_vanishes_is_removed_at_the_second_poll_and_restored_when_it_returns(recording):
    all_rows = rows(10)
    recording.take(table(*all_rows), baseline=True)

    first = recording.take(table(*all_rows[1:]))
    second = recording.poll()
    third = recording.take(table(*all_rows))

    assert (first, kinds(second), kinds(third)) == ((), {"result.removed": 1}, {"result.restored": 1})
    assert third[0].subject.first_seen_at == recording.now + timedelta(hours=1)


def test_a_row_that_is_back_at_the_next_poll_was_never_gone(recording):
    all_rows = rows(10)
    recording.take(table(*all_rows), baseline=True)
    recording.take(table(*all_rows[1:]))

    assert recording.take(table(*all_rows)) == ()
    assert recording.poll() == ()


def test_a_missing_row_may_prove_to_be_a_rename_at_the_next_poll(recording):
    old = row(submitter="Datacrunch", platform="b200_8x8", value=7.5)
    others = rows(9)
    recording.take(table(old, *others), baseline=True)
    recording.take(table(*others))

    events = recording.take(table(row(submitter="Verda", platform="b200_8x8", value=7.5), *others))

    assert {"result.renamed"} == {event.kind for event in events if event.kind.startswith("result.")}


def test_history_and_first_seen_time_follow_a_rename(recording):
    recording.take(table(row(submitter="Old_1"), *rows(5)), baseline=True)
    first_seen = recording.store.tables.results(suite="inference")[0].first_seen_at

    (event,) = (
        e for e in recording.take(table(row(submitter="Old"), *rows(5))) if e.kind == "result.renamed"
    )

    assert event.after.first_seen_at == first_seen


def test_rows_of_a_machine_that_change_together_are_written_with_one_machine(recording):
    recording.take(table(row(), row(benchmark_published="b")), baseline=True)

    recording.take(table(row(value=2.0), row(benchmark_published="b", value=3.0)))

    assert recording.store._connection.execute("SELECT count(*) FROM machines").fetchone() == (2,)
    assert [each.value for each in recording.store.tables.results()] == [2.0, 3.0]


def test_a_value_that_changes_there_and_back_is_two_changes(recording):
    recording.take(table(row(value=1.0)), baseline=True)

    there = recording.take(table(row(value=2.0)))
    back = recording.take(table(row(value=1.0)))
    there_again = recording.take(table(row(value=2.0)))

    assert [kinds(events) for events in (there, back, there_again)] == [{"result.changed": 1}] * 3
    assert len({events[0].id for events in (there, back, there_again)}) == 3


def test_a_held_back_table_writes_nothing(recording):
    recording.take(table(*rows(9)), baseline=True)

    with pytest.raises(HeldBackError):
        recording.take(table(*rows(3)))

    assert len(recording.store.tables.results(suite="inference")) == 9


def test_an_accepted_table_is_taken_and_its_losses_are_removed_at_the_next_poll(recording):
    recording.take(table(*rows(9)), baseline=True)

    taken = recording.take(table(*rows(3)), accept=True)

    assert (taken, kinds(recording.poll())) == ((), {"result.removed": 6})


def test_the_same_work_done_again_after_a_crash_gives_the_same_event_ids(now):
    ids = []
    for _ in range(2):
        recording = Recording(now)
        recording.take(table(row(value=1.0)), baseline=True)
        ids.append([event.id for event in recording.take(table(row(value=2.0), row(platform="p2")))])
        recording.store.close()

    assert ids[0] == ids[1]


def test_noise_of_a_value_writes_no_row(recording):
    recording.take(table(*rows(5)), baseline=True)
    noisy = [replace(each, value=each.value * (1 + 1e-13)) for each in rows(5)]

    assert recording.take(table(*noisy)) == ()
    assert recording.store.tables.written == 5


def test_a_new_name_is_told_with_the_rows_that_carry_it_whatever_its_spellings(recording):
    zeta = [
        row(platform=f"z-{n}", submitter=name, organisations=(name,), url=f"https://z.example/{n}")
        for n, name in enumerate(("Zeta Nine", "Zeta Nine", "ZETA-NINE"))
    ]

    named = [event.subject for event in recording.take(table(row(), *zeta)) if event.kind == "name.new"]

    assert NewName(
        kind="submitter", name="Zeta Nine", suite="inference", round="v6.1", results=2, url="https://z.example/0"
    ) in named  # fmt: skip
    assert "ZETA-NINE" not in {each.name for each in named}


def test_a_unknown_column_is_told_once(recording):
    recording.take(table(row(extra={"Colour": "red"}), unknown_columns=("Colour",)), baseline=True)
    twice = [recording.take(table(row(extra={"Size": "9"}), unknown_columns=("Size",))) for _ in range(2)]

    assert [kinds(events) for events in twice] == [{"name.new": 1}, {}]


def test_events_read_back_from_the_state_are_those_recorded(recording):
    made = recording.take(table(row(extra={"Colour": "red"}, measures={"tps": 1.5})))

    held = recording.store.events.batch("batch 1")

    assert [(e.kind, e.subject) for e in held if e.kind != "result.added"] == [
        (e.kind, e.subject) for e in made if e.kind != "result.added"
    ]
    assert [e.after for e in held if e.kind == "result.added"] == [
        e.after for e in made if e.kind == "result.added"
    ]


def test_the_revisions_of_v51_are_fourteen_renames_and_three_names_of_processors(real, recording):
    recording.take(real_table(real, "inference_v5.1_summary_results.r1.json.gz"), baseline=True)

    second = recording.take(real_table(real, "inference_v5.1_summary_results.r2.json.gz"))
    final = recording.take(real_table(real, "inference_v5.1_summary_results.json.gz"))

    assert kinds(second) == {"result.renamed": 14, "result.changed": 3}
    assert {event.fields for event in second if event.kind == "result.changed"} == {("processor",)}
    assert final == ()


def test_rewritten_links_of_v41_are_no_change(real, recording):
    recording.take(real_table(real, "inference_v4.1_summary_results.r1.json.gz"), baseline=True)

    assert recording.take(real_table(real, "inference_v4.1_summary_results.r2.json.gz")) == ()


def test_v60_in_the_checkers_shape_differs_by_one_corrected_system_name(real, recording):
    recording.take(real_table(real, "inference_v6.0_summary_results.json.gz"), baseline=True)

    (event,) = recording.take(real_table(real, "inference_v6.0_checker_summary.csv.gz"))

    assert (event.kind, event.fields, event.after.submitter) == (
        "result.changed",
        ("system_name",),
        "Supermicro",
    )


@pytest.mark.parametrize(
    "name",
    [
        "inference_v4.1_summary_results.r2.json.gz",
        "inference_v5.1_summary_results.json.gz",
        "inference_v6.0_summary_results.json.gz",
        "inference_v6.1_summary.json.gz",
        "automotive_v0.5_summary_results.json.gz",
    ],
)
def test_real_tables_with_their_rows_shuffled_are_no_change_and_no_row_is_written(real, recording, name):
    read = real_table(real, name)
    recording.take(read, baseline=True)
    shuffled = list(read.results)
    random.Random(7).shuffle(shuffled)

    assert recording.take(replace(read, results=tuple(shuffled))) == ()
    assert recording.store.tables.written == len(read.results)


def test_a_real_round_after_another_adds_its_rows_and_its_new_names(real, recording):
    recording.take(real_table(real, "inference_v6.0_summary_results.json.gz"), baseline=True)

    events = recording.take(real_table(real, "inference_v6.1_summary.json.gz"))

    assert kinds(events) | {"name.new": 0} == {"round.published": 1, "result.added": 492, "name.new": 0}
    assert ("accelerator", "vera-rubin") in {
        (e.subject.kind, e.subject.name) for e in events if e.kind == "name.new"
    }


@pytest.mark.parametrize(
    "spoiled",
    [
        "results SET tags = 'x'",
        "results SET power = '[[1]]'",
        "results SET extra = '{'",
        "results SET first_seen_at = 'once'",
        "machines SET accelerators = '['",
    ],
)
def test_a_result_whose_cells_somebody_spoiled_is_named_as_damage(recording, spoiled):
    recording.take(table(row()))
    recording.store._connection.execute(f"UPDATE {spoiled}")

    with pytest.raises(
        StateError, match=r"cannot be read \(.*, in v6\.1 Acme acme-rack-8\); restore"
    ) as caught:
        recording.store.tables.results()
    assert caught.value.damaged
