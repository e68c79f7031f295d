"""MLPerf Endpoints: points, curves and both layouts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.artefact_trees import damaged, mangled, on_disk, outcome, revalued, text
from watcher.catalog.names import load
from watcher.domain import Power, Result, Table
from watcher.errors import ParseError
from watcher.parse.artefacts import ARTEFACTS
from watcher.parse.endpoints import (
    disagrees,
    read_endpoint_system,
    read_point_config,
    read_point_summary,
    read_run_metadata,
    tags_of,
)

CATALOG = load()
READER = ARTEFACTS["endpoints"]
V10 = on_disk("endpoints-v1.0")
V07 = on_disk("endpoints-v0.7")
POINT = "Fernwood/5f3c9a1e/results/fw-8x-b200/deepseek-r1/r8"


def rebuilt(files: dict[str, bytes], round_: str = "v1.0") -> Table:
    return READER.rebuild(files, suite="endpoints", round=round_, repository_url=None, catalog=CATALOG)


def edited(path: str, **changes: Any) -> dict[str, bytes]:
    """The v1.0 tree with some values of one of its JSON documents changed."""
    return V10 | {path: text(json.loads(V10[path]) | changes)}


def by_scenario(table: Table) -> dict[str | None, Result]:
    return {result.scenario: result for result in table.results}


# ---------------------------------------------------------------------------------------------- v1.0


def test_each_point_of_a_curve_is_a_result_at_its_concurrency():
    table = rebuilt(V10)

    assert table.asides == ()
    assert [(r.scenario, r.value, r.unit, r.better) for r in table.results] == [
        ("Concurrency 8", 1500.0, "tokens/s", "higher"),
        ("Concurrency 64", 8000.0, "tokens/s", "higher"),
        ("Concurrency 512", 30000.0, "tokens/s", "higher"),
    ]


def test_a_point_carries_what_its_users_see():
    assert by_scenario(rebuilt(V10))["Concurrency 64"].measures == {
        "concurrency": 64.0,
        "tps_per_user": 125.0,
        "ttft_p90_ms": 120.0,
        "tpot_p90_ms": 8.0,
        "qps": 8.0,
        "samples_failed": 0.0,
        "max_supported_concurrency": 512.0,
        "system_tps_per_kw": 8000.0 / 13,
    }


def test_a_point_says_whose_it_is_and_of_what():
    result = rebuilt(V10).results[0]

    assert (result.suite, result.division, result.submitter, result.platform, result.benchmark) == (
        "endpoints",
        "standardized",
        "Fernwood",
        "fw-8x-b200",
        "deepseek-r1",
    )
    assert (result.accelerator, result.accelerator_count, result.nodes, result.precision) == (
        "b200",
        8,
        1,
        ("fp4",),
    )
    assert result.extra == {
        "result_id": "1.0.0.deepseek-r1.mmlu-pro.7",
        "submission_id": "5f3c9a1e",
        "state": "REVIEW_PENDING",
        "dataset": "mmlu-pro",
        "region": "low_latency",
        "target_cohort": "2026-11-C0",
    }


def test_states_and_estimates_are_tags():
    result = rebuilt(V10).results[0]

    assert result.tags == (
        "peer review pending",
        "preview",
        "available by 2027-03-31",
        "MLC Estimated Power",
    )
    assert result.power == (Power("provisioned", 13000.0, "W"),)


def test_one_description_serves_a_whole_curve():
    wanted = READER.wanted([*V10, f"{POINT}/events.jsonl", f"{POINT}/accuracy_results.json", "README.md"])

    assert [path for path in wanted if path.endswith("system_desc.json")] == [f"{POINT}/system_desc.json"]
    assert len(wanted) == 8
    assert rebuilt({path: V10[path] for path in wanted}) == rebuilt(V10)


def test_a_dedicated_offline_run_is_the_scenario_offline_and_an_elected_one_stays_a_point():
    path = f"{POINT}/point.yaml"
    dedicated = rebuilt(V10 | {path: V10[path] + b"offline: dedicated\n"})
    elected = rebuilt(V10 | {path: V10[path] + b"offline: elected\n"})

    assert dedicated.results[0].scenario == "Offline"
    assert (elected.results[0].scenario, elected.results[0].tags[-1]) == (
        "Concurrency 8",
        "elected for Offline",
    )


def test_a_stated_throughput_that_its_counts_deny_is_set_aside():
    table = rebuilt(edited(f"{POINT}/result_summary.json", system_tps=1600.0))

    assert [(aside.row, aside.message) for aside in table.asides] == [
        (POINT, "states 1600 tokens/s, but its counts give 1500")
    ]
    assert "Concurrency 8" not in by_scenario(table)


def test_a_throughput_of_the_steady_window_may_differ_from_the_whole_run():
    path = f"{POINT}/point.yaml"
    files = edited(f"{POINT}/result_summary.json", system_tps=1600.0)
    files[path] = V10[path] + b"steady_state:\n  status: windowable\n"

    assert by_scenario(rebuilt(files))["Concurrency 8"].value == 1600.0


def test_without_a_configuration_the_folder_names_the_concurrency():
    files = {path: body for path, body in V10.items() if path != f"{POINT}/point.yaml"}
    files = {
        path: text(json.loads(body) | {"division": "Standardized"})
        if path.endswith("system_desc.json")
        else body
        for path, body in files.items()
    }

    assert by_scenario(rebuilt(files))["Concurrency 8"].value == 1500.0


def test_a_point_that_cannot_be_read_costs_its_own_result_only():
    table = rebuilt(V10 | {f"{POINT}/result_summary.json": b"{"})

    assert [aside.row for aside in table.asides] == [POINT]
    assert len(table.results) == 2


def test_an_incomplete_point_is_no_result():
    with pytest.raises(ParseError, match="is not complete"):
        read_point_summary(text({"complete": False, "system_tps": 5}))


def test_two_submissions_of_one_system_keep_apart():
    again = {path.replace("5f3c9a1e", "77aa01bb"): body for path, body in V10.items()}
    platforms = {result.platform for result in rebuilt(V10 | again).results}

    assert platforms == {"fw-8x-b200 (5f3c9a1e)", "fw-8x-b200 (77aa01bb)"}


def test_a_changed_point_changes_its_own_result_and_its_own_submission():
    files = edited(f"{POINT}/result_summary.json", output_sequence_lengths={"total": 96_000})
    before, after = rebuilt(V10), rebuilt(files)

    assert [b.scenario for b, a in zip(before.results, after.results, strict=True) if b != a] == [
        "Concurrency 8"
    ]
    assert READER.submission(f"{POINT}/result_summary.json") == "Fernwood/5f3c9a1e"


# ---------------------------------------------------------------------------------------------- v0.7


def test_both_layouts_of_v0_7_are_rebuilt():
    table = rebuilt(V07, "v0.7")

    assert table.asides == ()
    assert [
        (r.submitter, r.platform, r.scenario, r.value, r.accelerator, r.accelerator_count, r.division)
        for r in table.results
    ] == [
        ("Fernwood", "fw-8x-b200", "Concurrency 8", 4000.0, "b200", 8, "standardized"),
        ("Fernwood", "fw-8x-b200", "Concurrency 32", 9600.0, "b200", 8, "standardized"),
        ("Marlow", "mw-1", "Concurrency 16", 2560.0, "mi355x", 4, "rdi"),
    ]


def test_v0_7_states_its_latencies_in_milliseconds_and_at_its_own_percentile():
    assert rebuilt(V07, "v0.7").results[0].measures == {
        "concurrency": 8.0,
        "tps_per_user": 500.0,
        "ttft_p95_ms": 95.5,
        "tpot_p90_ms": 4.25,
        "qps": 31.25,
        "max_supported_concurrency": 32.0,
    }


def test_scores_are_listed_with_their_metric_or_as_they_stand():
    scores = {result.submitter: result.accuracy for result in rebuilt(V07, "v0.7").results}

    assert scores == {"Fernwood": "rouge1: 38.8", "Marlow": "38.7"}


# ---------------------------------------------------------------------------------------------- one file


def test_a_configuration_keeps_the_words_that_were_written():
    body = (
        b"concurrency: 16\nregion: low_latency\ntarget_cohort: 2026-11-C0\nmodel_name: 405\ndataset: aime\n"
    )

    assert read_point_config(body) == {
        "concurrency": 16,
        "region": "low_latency",
        "target_cohort": "2026-11-C0",
        "model_name": "405",
        "dataset": "aime",
    }


@pytest.mark.parametrize("body", [b"", b"- 1\n", b"concurrency: many\n", b"concurrency: 0\n", b"a: [\n"])
def test_a_configuration_needs_a_concurrency(body: bytes):
    with pytest.raises(ParseError, match=r"point\.yaml"):
        read_point_config(body)


def test_a_configuration_that_is_all_brackets_is_refused_before_it_is_parsed():
    with pytest.raises(ParseError, match="opens more than 1,000 brackets"):
        read_point_config(b"[" * 60_000)


def test_an_agentic_point_has_its_tokens_over_the_time_of_all_turns():
    point = read_point_summary(
        text({"system_tps": 100, "output_tokens_per_turn_total": 900, "e2e_turn_time_seconds_total": 30})
    )

    assert point == {"system_tps": 100.0, "e2e_avg_interactivity": 30.0}


def test_a_point_without_a_throughput_is_an_error():
    with pytest.raises(ParseError, match="has no system_tps"):
        read_run_metadata(b"{}")
    with pytest.raises(ParseError, match="has no system throughput"):
        read_point_summary(b"{}")


def test_several_node_types_are_counted_together_and_mixed_ones_are_named():
    node = {"number_of_nodes": 2, "accelerators_per_node": 4, "accelerator_model_name": "NVIDIA H200"}
    other = {**node, "accelerator_model_name": "AMD Instinct MI325X", "accelerators_per_node": 8}

    assert read_endpoint_system(text({"node_types": [node, node]})) == {
        "nodes": 4,
        "accelerator": "NVIDIA H200",
        "accelerator_total": 16,
    }
    assert (
        read_endpoint_system(text({"node_types": [node, other]}))["accelerator"]
        == "NVIDIA H200 (x8) + AMD Instinct MI325X (x16)"
    )


def test_tags_are_spelled_one_way():
    assert tags_of(["PREVIEW", "Invalidated", "new one", None], "WITHDRAWN") == [
        "preview",
        "invalidated",
        "new one",
        "withdrawn",
    ]


def test_a_stated_throughput_may_be_a_hundredth_off():
    assert [
        disagrees({"system_tps": stated, "whole_run_tps": 1000.0}) for stated in (991.0, 1010.0, 1011.0)
    ] == [
        False,
        False,
        True,
    ]


# ---------------------------------------------------------------------------------------------- damage

SUMMARY = json.loads(V10[f"{POINT}/result_summary.json"])
DESCRIPTION = json.loads(V10[f"{POINT}/system_desc.json"])


@given(damaged | mangled(V10[f"{POINT}/point.yaml"]))
def test_a_damaged_configuration_is_facts_or_a_parse_error(body: bytes):
    assert isinstance(outcome(read_point_config, body), dict | ParseError)


@given(damaged | revalued(SUMMARY))
def test_a_damaged_summary_is_figures_or_a_parse_error(body: bytes):
    found = outcome(read_point_summary, body)

    assert isinstance(found, ParseError) or 0 < found["system_tps"] < float("inf")


@given(damaged | revalued(DESCRIPTION))
def test_a_damaged_description_is_facts_or_a_parse_error(body: bytes):
    assert isinstance(outcome(read_endpoint_system, body), dict | ParseError)


@given(revalued(SUMMARY), revalued(DESCRIPTION), damaged | mangled(V10[f"{POINT}/point.yaml"]))
def test_a_damaged_curve_is_a_table_or_a_parse_error(summary: bytes, description: bytes, config: bytes):
    files = {
        f"{POINT}/result_summary.json": summary,
        f"{POINT}/system_desc.json": description,
        f"{POINT}/point.yaml": config,
    }

    assert isinstance(outcome(rebuilt, files), Table | ParseError)
