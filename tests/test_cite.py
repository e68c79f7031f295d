"""Citing rows: the names of rows, the footnote, and pins."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import cache

import pytest

from tests.rows import row
from watcher import archive
from watcher.catalog.names import load
from watcher.claims import extract
from watcher.claims.messaging import messaging
from watcher.domain import Result
from watcher.errors import UsageError
from watcher.figures.citing import Origin, entry_of, find_row, footnote, row_name
from watcher.store import Store
from watcher.store.pins import Pin

AT = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
WEB = Origin(retrieved=date(2026, 9, 16), url="https://example.org/summary.json")
VR = "v6.1/NVIDIA/VR-NVL72_VR-288GB_aarch64x72_TRT/deepseek-r1/Server"


@cache
def held() -> tuple[Result, ...]:
    return tuple(
        each for name in ("v5.1", "v6.0", "v6.1") for each in archive.load("inference", name).results
    )


def found(text: str) -> str:
    return row_name(find_row(text, held()))


# ------------------------------------------------------------------------------------------------ names of rows


def test_every_row_of_the_archive_has_a_name_of_its_own_and_is_found_by_it():
    names = [row_name(each) for each in held()]

    assert len(set(names)) == len(names) == 2460
    assert all(find_row(name, held()) is each for name, each in list(zip(names, held(), strict=True))[::97])


@pytest.mark.parametrize(
    "text",
    [
        VR,
        "V6.1/nvidia/vr-nvl72 vr-288gb aarch64x72 trt/DeepSeek-R1/server",
        "inference-v6.1/NVIDIA/VR-NVL72*/deepseek-r1/Server",
        "v6.1/NVIDIA/VR-NVL72…/deepseek-r1/Server/closed",
        "v6.1/NVIDIA/vera-rubin-nvl72/deepseek-r1/Server",
        "v6.1/NVIDIA/vera-rubinx72/deepseek-r1/Server",
    ],
)
def test_a_row_is_found_by_any_of_its_ways_of_writing(text: str):
    assert found(text) == VR


def test_a_benchmark_may_be_written_by_its_catalog_name_with_its_tier():
    only = row(benchmark_published="our-llama", benchmark="llama2-70b", accuracy_target="99.9")

    names = ("our-llama", "llama2-70b", "llama2-70b-99.9")
    assert [find_row(f"v6.1/Acme/acme-rack-8/{name}/Server", (only,)) for name in names] == [only] * 3


def test_a_name_that_means_several_rows_lists_them():
    with pytest.raises(UsageError) as error:
        find_row("v6.1/NVIDIA/gb300-nvl72/deepseek-r1", held())

    assert str(error.value).splitlines() == [
        "'v6.1/NVIDIA/gb300-nvl72/deepseek-r1' names 3 rows; say which:",
        "  v6.1/NVIDIA/GB300-NVL72_GB300-288GB_aarch64x72_TRT/deepseek-r1/Interactive",
        "  v6.1/NVIDIA/GB300-NVL72_GB300-288GB_aarch64x72_TRT/deepseek-r1/Offline",
        "  v6.1/NVIDIA/GB300-NVL72_GB300-288GB_aarch64x72_TRT/deepseek-r1/Server",
    ]


def test_rows_of_two_divisions_are_told_apart_by_the_division():
    rows = (row(), row(division="open"))

    assert [row_name(each) for each in rows] == [
        "v6.1/Acme/acme-rack-8/deepseek-r1/Server",
        "v6.1/Acme/acme-rack-8/deepseek-r1/Server/open",
    ]
    assert [find_row(row_name(each), rows).division for each in rows] == ["closed", "open"]


def test_a_row_without_a_scenario_is_named_by_its_benchmark():
    only = row(suite="training", round="v5.1", scenario=None)

    assert find_row("training-v5.1/Acme/acme-rack-8/deepseek-r1", (only,)) is only


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("v6.1/NVIDIA", "write ROUND/SUBMITTER/PLATFORM/BENCHMARK/SCENARIO, such as v6.1/NVIDIA/"),
        ("v6.2/NVIDIA/x/y", "; rounds held: v5.1, v6.0, v6.1"),
        ("v6.1/NVIDEA/x/y", "; did you mean the submitter 'NVIDIA'?"),
        ("v6.1/NVIDIA/VR-NVL27_VR-288GB_aarch64x72_TRT/deepseek-r1/Server", f"; the nearest:\n  {VR}\n"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(text: str, says: str):
    with pytest.raises(UsageError) as error:
        find_row(text, held())

    assert says in str(error.value)


# ------------------------------------------------------------------------------------------------ the footnote


def test_the_footnote_says_all_that_the_guidelines_ask_for():
    cited = row(url="https://example.org/row", accuracy_target="99.9", extra={"Public ID": "6.1-0042"})

    assert footnote(cited, WEB, load()) == (
        "MLPerf® Inference v6.1, Closed division, datacenter: DeepSeek-R1 99.9 %, Server. Submitter Acme, system Acme Rack "
        "(8 accelerators), available: 1,000 tokens/s. Entry 6.1-0042. Retrieved 16 September 2026 from "
        "https://example.org/summary.json (row: https://example.org/row). The MLPerf name and logo are registered and "
        "unregistered trademarks of MLCommons Association in the United States and other countries. All rights reserved. "
        "Unauthorized use strictly prohibited. See www.mlcommons.org for more information."
    )


def test_a_draft_with_its_footnotes_lacks_no_label_that_a_vendors_post_is_asked_for():
    cited = row(extra={"Public ID": "6.1-0042"})
    draft = "In MLPerf Inference v6.1 our Acme Rack delivers 1,000 tokens/s on DeepSeek-R1 Server."
    claims = extract(draft, catalog=load(), round="v6.1")
    assert claims

    lacking = {finding.rule for finding in messaging(draft, claims)}
    with_note = {finding.rule for finding in messaging(f"{draft}\n{footnote(cited, WEB, load())}", claims)}

    assert {"retrieval_missing", "trademark_missing", "division_missing", "entry_missing"} <= lacking
    assert not with_note & {
        "retrieval_missing",
        "trademark_missing",
        "division_missing",
        "entry_missing",
        "round_missing",
    }


def test_an_unreviewed_result_says_that_nobody_verified_it():
    assert "Result not verified by MLCommons Association." in footnote(row(suite="unofficial"), WEB, load())


def test_a_row_from_the_archive_says_so_and_where_it_is_published():
    origin = Origin(retrieved=date(2026, 9, 16), url=None, place="the archive")

    assert "Retrieved 16 September 2026 from the archive (published at https://example.org/row)." in footnote(
        row(url="https://example.org/row"), origin, load()
    )


def test_the_entry_is_the_id_that_the_suite_keeps_for_the_result_else_the_number_of_the_current_table():
    made = (
        row(extra={"result_id": "1.0.0.x.7"}, entry="5.1-0001"), row(entry="5.1-0001"), row(extra={"ID": "5.1-0001"}), row(),
    )  # fmt: skip

    assert [entry_of(each) for each in made] == ["1.0.0.x.7", "5.1-0001", None, None]


def test_a_number_is_cited_beside_the_day_on_which_the_table_had_it():
    note = footnote(row(entry="6.1-0012"), WEB, load())

    assert re.search(r"tokens/s\. Entry 6\.1-0012\. Retrieved \d+ \w+ \d{4} from ", note)
    assert "Entry" not in footnote(row(), WEB, load())


def test_every_row_of_the_archive_has_a_footnote_with_its_submitter_and_scenario():
    notes = [(each, footnote(each, WEB, load())) for each in held()]

    assert all(
        each.submitter.replace("_", " ") in note and str(each.scenario) in note for each, note in notes
    )
    assert not [note for _, note in notes if re.search(r"None|\(\)|  ", note)]


# ------------------------------------------------------------------------------------------------ pins


@pytest.fixture
def store():
    with Store(now=AT) as made:
        yield made


def pin(each: Result, at: datetime = AT) -> Pin:
    return Pin(each.key, at, each.value, each.unit, "a note")


def test_a_row_cited_twice_keeps_its_first_day_and_takes_the_later_value(store):
    later = datetime(2026, 10, 1, tzinfo=UTC)
    with store.write():
        store.pins.add([pin(row())])
        store.pins.add([pin(row(value=1100.0), later)])

    assert [(each.pinned_at, each.value) for each in store.pins.all()] == [(AT, 1100.0)]


def test_a_pin_follows_a_renamed_row(store):
    new = row(platform="acme-rack-8b")
    with store.write():
        store.pins.add([pin(row())])
        store.pins.follow(row().key, new.key)

    assert store.pins.keys() == {new.key}


def test_a_pin_can_be_taken_away(store):
    with store.write():
        store.pins.add([pin(row())])
        assert store.pins.remove([row().key, row(platform="x").key]) == 1

    assert store.pins.all() == ()
