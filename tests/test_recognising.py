"""Rows told by their digest: what is recorded is the same as if every row were read, whatever happens to a table."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rows import row
from watcher.catalog.names import load
from watcher.demo.published import summary, summary_results
from watcher.domain import Event, KnownRows, Power, Result, Table
from watcher.errors import HeldBackError, ParseError, UsageError
from watcher.figures import NOTHING
from watcher.parse import read_table
from watcher.parse.shapes import S
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.recording import Recorder
from watcher.store import Store

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
POWER = (Power("measured", 9000.0, "W"),)
RESULTS = (
    *(row(platform=f"rack-{n}", value=1000.0 + n) for n in range(7)),
    row(platform="rack-7", power=POWER),
    row(
        platform="rack-8", scenario="Offline", submitter="Umbrella", organisations=("Umbrella",), notes="one"
    ),
    row(platform="rack-9", accelerator_published="NVIDIA GB300", power=POWER),
)
EVERYTHING = (
    "SELECT * FROM results ORDER BY id",
    "SELECT * FROM machines",
    "SELECT * FROM tables",
    "SELECT * FROM snapshots",
    "SELECT * FROM names ORDER BY kind, name",
    "SELECT * FROM events ORDER BY number",
)


class State:
    """A state in memory; each table that it takes is read with the rows known, or whole."""

    def __init__(self, *, knowing: bool, round_name: str = "v6.1") -> None:
        self.knowing, self.round = knowing, round_name
        self.store = Store(now=NOW)
        self.recorder = Recorder(store=self.store, catalog=load, wanted=lambda: NOTHING)
        self.polls = 0
        self.read = 0

    def known(self) -> KnownRows | None:
        held = self.store.tables.find("inference", self.round)
        return self.store.tables.known(held) if held is not None else None

    def take(self, body: bytes, **given: Any) -> tuple[Event, ...] | str:
        """Read and record a table; return its events, or the error's words."""
        self.polls += 1
        occasion = Occasion(batch=f"batch {self.polls}", now=NOW + timedelta(hours=self.polls))
        known = self.known() if self.knowing else None
        try:
            (table, *_) = read_table(body, name="t", catalog=load(), known=known, **given)
            self.read = len(table.results)
            with self.store.write():
                return self.recorder.table(
                    table, occasion, digest=f"bytes {self.polls}", baseline=self.polls == 1, known=known
                )
        except (ParseError, HeldBackError, UsageError) as error:
            return str(error)

    def everything(self) -> list[list[tuple[Any, ...]]]:
        return [self.store._connection.execute(query).fetchall() for query in EVERYTHING]


def same(bodies: list[bytes], round_name: str = "v6.1") -> None:
    """Take these states of a table both ways and compare all that comes of it."""
    with ExitStack() as stack:
        knowing, whole = (State(knowing=each, round_name=round_name) for each in (True, False))
        stack.callback(whole.store.close)
        stack.callback(knowing.store.close)
        for body in bodies:
            assert knowing.take(body) == whole.take(body)
            assert knowing.everything() == whole.everything()


# ------------------------------------------------------------------------------------------------ any edits

Rows = list[dict[str, Any]]


def csv_of(results: Sequence[Result]) -> list[str]:
    """Lines of a table of these results, the header first."""
    text = io.StringIO()
    rows = list(json.loads(summary(results)).values())
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().splitlines()


def _edit(rows: Rows, at: int, chance: random.Random) -> None:
    name = chance.choice(sorted(rows[at]))
    rows[at] = rows[at] | {name: chance.choice((None, "", "n/a", 7, 1234.5, "available", "Offline", "v6.0"))}


def _drop(rows: Rows, at: int, chance: random.Random) -> None:
    del chance, rows[at]


def _twice(rows: Rows, at: int, chance: random.Random) -> None:
    rows.insert(chance.randrange(len(rows)), dict(rows[at]))


def _twin(rows: Rows, at: int, chance: random.Random) -> None:
    figure, unit = (
        ("Result", "Units") if "Result" in rows[at] else ("Performance_Result", "Performance_Units")
    )
    rows.insert(chance.randrange(len(rows)), rows[at] | {figure: 9000.0, unit: "Watts"})


def _contradict(rows: Rows, at: int, chance: random.Random) -> None:
    figure = "Result" if "Result" in rows[at] else "Performance_Result"
    rows.insert(chance.randrange(len(rows)), rows[at] | {figure: 77.0})


def _column(rows: Rows, at: int, chance: random.Random) -> None:
    rows[at] = rows[at] | {
        chance.choice(("zz_new", "errors", "accuracy")): chance.choice((1, "x", [1, {"a": 2}]))
    }


def _uncolumn(rows: Rows, at: int, chance: random.Random) -> None:
    name = chance.choice(sorted(rows[at]))
    for each in rows:
        each.pop(name, None)


def _lose(rows: Rows, at: int, chance: random.Random) -> None:
    rows[at] = dict(rows[at])
    del rows[at][chance.choice(sorted(rows[at]))]


def _rename(rows: Rows, at: int, chance: random.Random) -> None:
    rows[at] = rows[at] | {"Platform": f"{rows[at].get('Platform')}-{chance.randrange(3)}"}


def _shuffle(rows: Rows, at: int, chance: random.Random) -> None:
    del at
    chance.shuffle(rows)


EDITS: tuple[Callable[[Rows, int, random.Random], None], ...] = (
    _edit, _edit, _drop, _twice, _twin, _contradict, _column, _uncolumn, _lose, _rename, _shuffle,
)  # fmt: skip
STEPS = st.lists(st.lists(st.tuples(st.sampled_from(EDITS), st.integers(0, 99)), max_size=4), max_size=4)


@given(STEPS, st.sampled_from((summary, summary_results)), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_whatever_is_done_to_a_table_is_recorded_as_if_every_row_were_read(steps, shape, chance):
    first = json.loads(shape(RESULTS))
    rows = list(first.values()) if isinstance(first, dict) else first
    states = [rows]
    for edits in steps:
        rows = [dict(each) for each in chance.choice(states)]  # an earlier state may come back
        for edit, at in edits:
            if rows:
                edit(rows, at % len(rows), chance)
        states.append(rows)
    same([json.dumps(each).encode() for each in states])


# ------------------------------------------------------------------------------------------------ what is read


@pytest.fixture
def state():
    made = State(knowing=True)
    yield made
    made.store.close()


def test_only_a_row_that_changed_is_read(state):
    rows = json.loads(summary(RESULTS[:7]))
    state.take(json.dumps(rows).encode())
    rows["3"]["Result"] = 1500.0

    (event,) = state.take(json.dumps(rows).encode())

    assert (event.kind, state.read) == ("result.changed", 1)


def test_a_cell_that_only_other_rows_have_is_gone():
    first, *others = json.loads(summary_results(RESULTS[:4]))
    del first["Notes"]
    others = [each | {"Notes": "liquid cooled"} for each in others]
    bare = {name: cell for name, cell in others[0].items() if name != "Notes"}

    same([json.dumps(rows).encode() for rows in ([first, *others], [first, bare, *others[1:]])])


def test_a_column_that_comes_back_with_one_row_is_recorded_as_if_every_row_were_read():
    rows = [each | {"number_of_nodes": 2} for each in json.loads(summary(RESULTS[:5])).values()]
    bare = [{name: cell for name, cell in each.items() if name != "number_of_nodes"} for each in rows]

    same([json.dumps(each).encode() for each in (rows, bare, [rows[0], *bare[1:]])])


def test_rows_in_another_order_are_not_read(state):
    rows = json.loads(summary_results(RESULTS))
    state.take(json.dumps(rows).encode())

    assert state.take(json.dumps(rows[::-1]).encode()) == ()
    assert state.read == 0


def test_rows_of_a_csv_in_another_order_are_not_read(state):
    header, *rows = csv_of(RESULTS[:7])
    state.take("\n".join([header, *rows]).encode())

    assert state.take("\n".join([header, *rows[::-1]]).encode()) == ()
    assert state.read == 0


def test_rows_that_are_only_written_in_another_way_are_read_and_are_no_news(state):
    rows = json.loads(summary_results(RESULTS))
    state.take(json.dumps(rows).encode())

    assert (
        state.take(json.dumps([each | {"ID": f"9.9-{n:04d}"} for n, each in enumerate(rows)]).encode()) == ()
    )
    assert state.read == len(RESULTS)
    assert state.take(json.dumps(rows, indent=4).encode()) == ()


@pytest.mark.parametrize("spoiled", ['"Notes": NaN', '"Notes": "\\ud800"'])
def test_a_table_that_is_no_json_to_the_letter_is_recognised_too(state, spoiled):
    rows = json.loads(summary_results(RESULTS))
    body = json.dumps([each | {"Notes": None} for each in rows]).replace('"Notes": null', spoiled, 1).encode()
    state.take(body)

    assert state.take(body + b" ") == ()
    assert state.read == 0


def test_a_row_with_a_power_twin_is_always_read(state):
    state.take(summary(RESULTS))

    assert state.take(summary(reversed(RESULTS))) == ()
    assert state.read == 2


def test_a_row_that_came_back_is_not_taken_as_missing_again(state):
    state.take(summary(RESULTS[:7]))
    state.take(summary(RESULTS[:6]))
    state.take(summary(RESULTS[:7]))

    assert state.store.tables.pending(1) == {}


@pytest.mark.parametrize("given", [{"suite": "inference"}, {"repository_url": "https://example.org/r"}])
def test_what_is_said_beside_the_rows_decides_whether_they_are_known(state, given):
    state.take(summary(RESULTS[:7]))
    state.take(summary(RESULTS[:7]), **given)
    first = state.read
    state.take(summary(RESULTS[:7]), **given)

    assert (first, state.read) == (7, 0)


def test_another_catalog_reads_everything_again(tmp_path, state):
    state.take(summary(RESULTS[:7]))
    (tmp_path / "submitters.yaml").write_text("acme:\n  title: Acme Computers\n  aliases: [Acme]\n")

    (table,) = read_table(summary(RESULTS[:7]), name="t", catalog=load(tmp_path), known=state.known())

    assert (len(table.results), table.recognised) == (7, ())


def test_a_row_that_many_cells_deep_is_no_table():
    deep = b'[{"Submitter": "a", "UsedModel": ' + b"[" * 200_000 + b"]" * 200_000 + b"}]"

    with pytest.raises(ParseError, match="nested too deeply"):
        read_table(deep, name="t", catalog=load())


def test_a_table_of_another_reader_forgets_what_was_noted(state):
    state.take(summary(RESULTS[:7]))
    with state.store.write():
        held = state.store.tables.find("inference", "v6.1")
        state.store.tables.read_by(held.id, None)

    assert state.known() is None


def test_a_table_may_be_all_known(state):
    state.take(summary(RESULTS[:7]))

    (table,) = read_table(summary(RESULTS[:7]), name="t", catalog=load(), known=state.known())

    assert (table.size, table.results, len(table.recognised)) == (7, (), 7)
    assert isinstance(table, Table)


# ------------------------------------------------------------------------------------------------ the real tables


def real_body(real, name):
    return gzip.decompress((real / "mlperf" / name).read_bytes())


REAL = [
    ("inference_v5.1_summary_results.r1.json.gz", "inference_v5.1_summary_results.r2.json.gz", "inference_v5.1_summary_results.json.gz"),
    ("inference_v6.0_summary_results.json.gz", "inference_v6.0_checker_summary.csv.gz"),
    ("inference_v4.1_summary_results.r1.json.gz", "inference_v4.1_summary_results.r2.json.gz"),
]  # fmt: skip


@pytest.mark.parametrize("names", REAL)
def test_real_tables_are_recorded_as_if_every_row_were_read(real, names):
    bodies = [real_body(real, name) for name in names]
    same([*bodies, *reversed(bodies), bodies[0]], names[0].split("_")[1])


def test_a_shuffled_real_table_is_not_read(real):
    rows = json.loads(real_body(real, "inference_v5.1_summary_results.json.gz"))
    state = State(knowing=True, round_name="v5.1")
    state.take(json.dumps(rows).encode())
    random.Random(1).shuffle(rows)

    assert state.take(json.dumps(rows).encode()) == ()
    assert state.read == 0
    state.store.close()


# ------------------------------------------------------------------------------------------------ after an embargo


@pytest.mark.parametrize("knowing", [True, False])
def test_a_column_that_nobody_knows_is_told_after_an_embargo_though_its_rows_are_held(knowing):
    raw = list(json.loads(summary(RESULTS)).values())
    for each in raw:
        each.update((name, "") for name in (S.known | S.kept) - each.keys())
    raw[5]["zz_new"] = 1
    body = json.dumps(dict(enumerate(raw))).encode()
    state = State(knowing=knowing)
    with state.store:
        (table,) = read_table(body, name="t", catalog=load())
        with state.store.write():
            occasion = Occasion(batch="private", now=NOW)
            state.recorder.table(replace(table, private=True), occasion, digest="private")
            held = state.store.tables.find("inference", "v6.1")
            assert held is not None
            state.recorder.release(held, Occasion(batch="release", now=NOW))
        state.polls = 1  # so that the next one is no baseline
        told = state.take(body)

    assert [(event.kind, event.after.name) for event in told] == [("name.new", "zz_new")]
