"""The rows that figures are made of: held over a pass, they are always those of the state."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rows import row, rows, table
from watcher.catalog.names import load
from watcher.figures import NOTHING
from watcher.figures.grounds import all_of
from watcher.pipeline.history import History
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.recording import Recorder
from watcher.store import Store

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
ROWS = (*rows(4), row(benchmark="dlrm-v3", benchmark_published="dlrm-v3"), row(scenario="Offline"))


class Past:
    """A state in memory, what is done to it, and the rows held of it beside those that the state tells."""

    def __init__(self):
        self.store = Store(now=NOW)
        self.recorder = Recorder(store=self.store, catalog=load, wanted=lambda: NOTHING)
        self.history = History(self.store.tables)
        self.count = 0

    def take(self, round_name, chosen, *, private=False):
        self.count += 1
        occasion = Occasion(batch=f"batch {self.count}", now=NOW + timedelta(hours=self.count))
        made = table(*(replace(each, round=round_name) for each in chosen), private=private)
        with self.store.write():
            self.recorder.table(made, occasion, digest=f"bytes {self.count}", accept=True)

    def release(self, round_name):
        with self.store.write():
            state = self.store.tables.find("inference", round_name)
            self.recorder.release(state, Occasion(batch="release", now=NOW))

    def agrees(self, *benchmarks):
        held = all_of(self.history.rows("inference", benchmarks))
        told = self.store.tables.results(suite="inference", benchmarks=benchmarks, private=False)
        return sorted(map(repr, held)) == sorted(map(repr, told))

    def count_of(self, benchmark):
        return len(list(all_of(self.history.rows("inference", [benchmark]))))


@pytest.fixture
def past():
    made = Past()
    yield made
    made.store.close()


STATES = st.lists(
    st.tuples(
        st.sampled_from(("v6.0", "v6.1")),
        st.lists(st.sampled_from(ROWS), min_size=1, unique_by=lambda each: each.key),
        st.sampled_from((1.0, 2.0)),
        st.sampled_from(((), ("deepseek-r1",), ("dlrm-v3",), ("deepseek-r1", "dlrm-v3"))),
    ),
    max_size=6,
)


@given(STATES)
@settings(max_examples=40)
def test_the_rows_held_are_those_of_the_state_whatever_was_recorded(steps):
    past = Past()
    for round_name, chosen, times, asked in steps:
        past.take(round_name, [replace(each, value=each.value * times) for each in chosen])
        assert past.agrees(*asked)
    past.store.close()


def test_a_benchmark_is_loaded_once(past):
    past.take("v6.1", ROWS)
    (first,) = past.history.rows("inference", ["dlrm-v3"]).values()

    past.take("v6.0", ROWS[:2])

    assert tuple(past.history.rows("inference", ["dlrm-v3"]).values()) == (first,)


def test_a_change_makes_a_new_value_of_its_own_ground_alone(past):
    past.take("v6.0", ROWS)
    past.take("v6.1", ROWS)
    before = past.history.rows("inference", ())

    past.take("v6.1", [replace(each, value=each.value * 2) for each in ROWS[:4]] + list(ROWS[4:]))
    after = past.history.rows("inference", ())

    assert [(at.round, at.benchmark) for at in before if before[at] is not after[at]] == [
        ("v6.1", "deepseek-r1")
    ]
    assert [row.value for row in before["inference", "v6.1", "closed", "dlrm-v3"].rows] == [ROWS[4].value]


def test_what_becomes_better_known_of_a_row_is_taken_up(past):
    past.take("v6.1", ROWS)
    past.history.rows("inference", ())
    better = replace(next(iter(past.store.tables.results())), notes="with a cap")
    (held,) = past.store.tables.versions(1, [better.key]).values()

    with past.store.write():
        past.store.tables.improve([(held.id, held.result, better)])

    assert past.agrees()


def test_rows_under_embargo_come_with_their_release(past):
    past.take("v6.0", ROWS)
    past.take("v6.1", ROWS, private=True)
    before = past.agrees("deepseek-r1"), past.count_of("deepseek-r1")
    past.release("v6.1")

    assert (before, past.agrees("deepseek-r1")) == ((True, 5), True)
    assert past.count_of("deepseek-r1") == 10


def test_a_benchmark_that_had_no_rows_when_it_was_asked_for_takes_them_up(past):
    assert past.count_of("dlrm-v3") == 0

    past.take("v6.1", ROWS)

    assert past.count_of("dlrm-v3") == 1


def test_a_suite_asked_for_as_a_whole_takes_up_new_benchmarks(past):
    past.take("v6.1", ROWS[:2])
    past.history.rows("inference", ())

    past.take("v6.1", ROWS)

    assert past.agrees()
    assert past.agrees("dlrm-v3")
