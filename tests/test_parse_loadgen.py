"""Inference results out of LoadGen's and LoadGen++'s runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.artefact_trees import damaged, mangled, outcome, revalued, summary, text
from watcher.catalog.names import load
from watcher.errors import ParseError
from watcher.parse import read_table
from watcher.parse.loadgen import (
    RunFigures,
    before,
    published_figure,
    read_accuracy,
    read_measurements,
    read_result_summary,
    read_summary,
)

OFFLINE = summary("Offline", "Samples per second: 100.5\nTokens per second: 12345.6789")
SERVER = summary(
    "Server",
    "Scheduled samples per second : 10.00\nCompleted samples per second : 9.50\nCompleted tokens per second: 1216.00",
)
GB300 = "GB300-NVL72_GB300-288GB_aarch64x72_TRT"
PLUS: dict[str, Any] = {
    "complete": True,
    "n_samples_completed": 101,
    "duration_ns": 12_000_000_000,
    "legacy_loadgen_window_duration_ns": 10_000_000_000,
    "run_config": {"load_pattern": {"use_legacy_loadgen_qps_metrics": True}},
    "output_sequence_lengths": {"total": 50_000},
    "qps": 10.0,
    "tps": 5000.0,
    "latency": {"percentiles": {"99": 4e9}, "early_stopping_percentiles": {"90.0": 3e9}},
    "ttft": {"percentiles": {"99.0": 5e8}},
    "tpot": {"percentiles": {"99.0": 2e7}},
}


def figure(body: bytes, benchmark: str, scenario: str, round_: str = "v5.1") -> tuple[float, str]:
    found = published_figure(read_summary(body), benchmark, scenario, round_)
    return found.value, found.unit


# ---------------------------------------------------------------------------------------------- LoadGen's text


def test_a_summary_gives_its_scenario_validity_and_latencies():
    assert read_summary(OFFLINE) == RunFigures(
        valid=True,
        scenario="Offline",
        sut="Fernwood",
        samples=100.5,
        tokens=12345.7,
        latencies={"50.00": 1e6, "90.00": 2e6, "99.00": 4e6},
    )


def test_a_language_model_is_published_in_tokens_and_any_other_in_samples():
    assert figure(OFFLINE, "llama2-70b", "Offline") == (12345.7, "Tokens/s")
    assert figure(OFFLINE, "qwen3-vl-235b-a22b", "Offline") == (100.5, "Samples/s")


def test_server_is_what_was_completed_and_up_to_v4_0_what_was_scheduled():
    plain = summary("Server", "Scheduled samples per second : 10.00\nCompleted samples per second : 9.50")

    assert figure(SERVER, "llama2-70b", "Server") == (1216.0, "Tokens/s")
    assert [figure(plain, "resnet50", "Server", name) for name in ("v4.0", "v4.1")] == [
        (10.0, "Queries/s"),
        (9.5, "Queries/s"),
    ]


def test_streams_are_the_early_stopping_estimate_in_milliseconds_where_there_is_one():
    single = summary(
        "SingleStream",
        "90th percentile latency (ns) : 2000000",
        more=" * Early stopping 90th percentile estimate: 2500000",
    )
    multi = summary("MultiStream", "99th percentile latency (ns) : 4000000")

    assert figure(single, "resnet50", "SingleStream") == (2.5, "Latency (ms)")
    assert figure(multi, "resnet50", "MultiStream") == (4.0, "Latency (ms)")


def test_text_to_video_latency_is_in_seconds():
    body = summary("SingleStream", "90th percentile latency (ns) : 2000000")

    assert figure(body, "wan-2.2-t2v-a14b", "SingleStream") == (0.002, "Latency (s)")


def test_the_old_multistream_counts_samples_a_query():
    body = summary("MultiStream", "Samples per query : 480")

    assert figure(body, "resnet50", "MultiStream", "v1.0") == (480.0, "Samples/query")


def test_an_invalid_run_has_no_figure():
    with pytest.raises(ParseError, match="the run is INVALID"):
        figure(summary("Offline", "Samples per second: 1", valid="INVALID"), "resnet50", "Offline")


def test_an_accuracy_run_is_no_result():
    with pytest.raises(ParseError, match="of mode AccuracyOnly"):
        read_summary(OFFLINE.replace(b"PerformanceOnly", b"AccuracyOnly"), "s.txt")


def test_a_line_too_long_for_a_summary_is_passed_over():
    assert read_summary(OFFLINE + b" " * 400_000 + b"Samples per second: 5") == read_summary(OFFLINE)


@pytest.mark.parametrize("rate", ["0", "-5", "nan", "inf"])
def test_a_rate_that_is_no_rate_is_no_result(rate: str):
    with pytest.raises(ParseError):
        figure(summary("Offline", f"Samples per second: {rate}"), "resnet50", "Offline")


def test_rounds_are_ordered_by_their_numbers():
    assert [before(name, 4, 1) for name in ("v0.7", "v4.0", "v4.1", "v10.0", "later")] == [
        True,
        True,
        False,
        False,
        False,
    ]


# ---------------------------------------------------------------------------------------------- LoadGen++


def test_legacy_rates_are_over_loadgens_window_and_leave_out_the_first_query():
    run = read_result_summary(text(PLUS))

    assert (run.valid, run.samples, run.tokens, run.stopping_90) == (True, 10.0, 5000.0, 3e9)
    assert (run.latencies, run.first_token, run.per_token) == (
        {"99.00": 4e9},
        {"99.00": 5e8},
        {"99.00": 2e7},
    )


def test_without_the_legacy_window_rates_are_over_the_whole_duration():
    plain = PLUS | {"run_config": {}, "qps": None, "tps": None, "duration_ns": 10_000_000_000}
    run = read_result_summary(text(plain))

    assert (run.samples, run.tokens) == (10.1, 5000.0)


def test_a_summary_that_contradicts_its_own_counts_is_refused():
    with pytest.raises(ParseError, match=r"states tps 5100\.0, but its counts and window give 5000\.0"):
        read_result_summary(text(PLUS | {"tps": 5100.0}))


@pytest.mark.parametrize("complete", [False, None, "no", 0])
def test_an_incomplete_summary_is_refused(complete: object):
    with pytest.raises(ParseError, match=r"result_summary\.json: is not complete"):
        read_result_summary(text(PLUS | {"complete": complete}))


def test_scores_are_named_by_their_data_set_in_either_form():
    listed = {
        "accuracy_scores": [{"dataset_name": "gpqa", "score": 0.61}, {"dataset_name": "aime", "score": None}]
    }
    summed = {"summary": {"overall_accuracy": 0.8, "per_dataset": {"mmlu": {"accuracy": 0.79}}}}

    assert read_accuracy(text(listed)) == {"gpqa": 0.61}
    assert read_accuracy(text(summed)) == {"mmlu": 0.79, "overall": 0.8}


def test_measurements_say_how_weights_were_stored():
    body = text({"weight_data_types": "fp4", "retraining": "N/A", "input_data_types": "int32"})

    assert read_measurements(body) == {"weight_data_types": "fp4", "input_data_types": "int32"}


# ---------------------------------------------------------------------------------------------- real data


def test_the_rubin_server_run_gives_its_published_tokens(real: Path):
    body = (
        real / "mlperf" / "raw" / "inference_v6.1_result_summary_VR-NVL72_deepseek-r1_Server.json"
    ).read_bytes()
    found = published_figure(read_result_summary(body), "deepseek-r1", "Server", "v6.1")

    assert (round(found.value, 2), found.unit) == (1175890.22, "Tokens/s")


def test_three_gb300_runs_give_their_published_values_to_loadgens_six_digits(real: Path):
    folder = real / "mlperf"
    name = "inference_v6.0_summary_results.json.gz"
    (table,) = read_table((folder / name).read_bytes(), name=name, catalog=load(), round="v6.0")
    published = {
        result.scenario: float(f"{result.value:.6g}")
        for result in table.results
        if (result.submitter, result.platform) == ("NVIDIA", GB300) and result.benchmark == "deepseek-r1"
    }
    logs = {
        scenario: folder / "raw" / f"inference_v6.0_mlperf_log_summary_GB300x72_deepseek-r1_{scenario}.txt"
        for scenario in published
    }

    assert len(published) == 3
    assert published == {
        scenario: figure(log.read_bytes(), "deepseek-r1", str(scenario), "v6.0")[0]
        for scenario, log in logs.items()
    }


# ---------------------------------------------------------------------------------------------- damage


@given(damaged | mangled(OFFLINE) | mangled(SERVER))
def test_a_damaged_summary_is_figures_or_a_parse_error(body: bytes):
    run = outcome(read_summary, body)
    found = (
        run if isinstance(run, ParseError) else outcome(published_figure, run, "llama2-70b", "Server", "v5.1")
    )

    assert isinstance(found, ParseError) or 0 < found.value < float("inf")


@given(damaged | mangled(text(PLUS)) | revalued(PLUS))
def test_a_damaged_result_summary_is_figures_or_a_parse_error(body: bytes):
    run = outcome(read_result_summary, body)
    found = (
        run if isinstance(run, ParseError) else outcome(published_figure, run, "llama2-70b", "Server", "v6.1")
    )

    assert isinstance(found, ParseError) or 0 < found.value < float("inf")


@given(damaged)
def test_damaged_scores_and_measurements_are_facts_or_a_parse_error(body: bytes):
    assert isinstance(outcome(read_accuracy, body), dict | ParseError)
    assert isinstance(outcome(read_measurements, body), dict | ParseError)
