"""Training results out of their runs, their tree and the training summarizer's wide table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.artefact_trees import START_MS, SYSTEM, damaged, log, mangled, outcome, run_log, text, training
from watcher.catalog.names import load
from watcher.domain import Power, Table
from watcher.errors import ParseError
from watcher.parse.artefacts import ARTEFACTS
from watcher.parse.mlperf_log import events
from watcher.parse.system_description import read_system
from watcher.parse.training import Run, counted, mean_without_extremes, read_run, read_scaling_factor
from watcher.parse.training_summary import read_training_summary

CATALOG = load()
TEN = [10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 99.0]


def rebuilt(files: dict[str, bytes], suite: str = "training", round_: str = "v5.1") -> Table:
    return ARTEFACTS[suite].rebuild(files, suite=suite, round=round_, repository_url=None, catalog=CATALOG)


# ---------------------------------------------------------------------------------------------- one run


def test_a_run_takes_the_time_from_run_start_to_run_stop():
    run = read_run(run_log(12.5), "result_0.txt")

    assert (run.minutes, run.status, run.benchmark, run.division) == (
        12.5,
        "success",
        "llama2_70b_lora",
        "closed",
    )


def test_an_aborted_run_did_not_converge():
    assert not read_run(run_log(12.5, "aborted"), "result_0.txt").converged


def test_only_the_first_stop_after_the_start_counts():
    body = log(
        ("run_stop", None, 0, {"status": "aborted"}),
        ("run_start", None, 1000, {}),
        ("run_stop", None, 61_000, {"status": "success"}),
        ("run_stop", None, 999_000, {"status": "aborted"}),
    )

    assert read_run(body, "result_0.txt") == Run(
        start_ms=START_MS + 1000.0, stop_ms=START_MS + 61_000.0, status="success"
    )


def test_the_older_lines_of_the_logging_library_are_read_too():
    body = b':::MLL 1750000000.000 run_start: {"value": null, "metadata": {}}\n:::MLL 1750000090.000 run_stop: {"value": null, "metadata": {"status": "success"}}\n'

    assert read_run(body, "result_0.txt").minutes == 1.5


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "r.txt: is empty"),
        (b"no such line\n", "r.txt: has no run_start"),
        (log(("run_start", None, 0, {})), "r.txt: has no run_stop after its run_start"),
        (
            log(("run_start", None, 5, {}), ("run_stop", None, 5, {"status": "success"})),
            "r.txt: stops before it starts",
        ),
        (b':::MLLOG {"key": "run_start", ', "r.txt, line 1: is broken JSON"),
    ],
)
def test_a_log_without_a_whole_run_is_an_error_that_names_its_file(body: bytes, message: str):
    with pytest.raises(ParseError, match=message):
        read_run(body, "r.txt")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b":::MLLOG run_start without an object", "has no JSON after its mark"),
        (b':::MLLOG {"key": "run_start"}', "has no key or no time"),
        (b":::MLL yesterday run_start: {}", "is not a line of the MLPerf logging library"),
        (b":::MLLOG run_start " + b'{"a":' * 100_000, "is broken JSON|is nested too deeply"),
    ],
)
def test_a_broken_line_of_a_key_that_counts_is_an_error_with_its_number(line: bytes, message: str):
    with pytest.raises(ParseError, match=f"r.txt, line 2: ({message})"):
        read_run(b"first line\n" + line, "r.txt")


def test_lines_of_other_keys_are_passed_over_even_if_they_are_broken():
    body = b':::MLLOG {"key": "eval_accuracy", broken\n' + run_log(2.0)

    assert [event.key for event in events(body, "r.txt", ("run_start", "run_stop"))] == [
        "run_start",
        "run_stop",
    ]


# ---------------------------------------------------------------------------------------------- one result


def test_a_result_is_the_mean_without_the_fastest_and_the_slowest_run():
    assert mean_without_extremes(TEN) == 14.5


def test_one_run_that_did_not_converge_stands_for_the_slowest():
    assert mean_without_extremes([10.0, 12.0, 14.0], failed=1) == 13.0


def test_two_runs_that_did_not_converge_make_no_result():
    with pytest.raises(ParseError, match="2 of 5 runs did not converge; the rules allow 1"):
        mean_without_extremes([10.0, 12.0, 14.0], failed=2)


def test_unet3d_leaves_out_four_of_each():
    assert counted([float(n) for n in range(40)], 0, "unet3d") == tuple(range(4, 36))


def test_two_runs_leave_nothing_to_average():
    with pytest.raises(ParseError, match="2 runs are too few"):
        mean_without_extremes([10.0, 12.0])


@given(st.lists(st.floats(1, 1e6), min_size=3, max_size=20))
def test_a_result_lies_between_its_runs_whatever_their_order(times: list[float]):
    mean = mean_without_extremes(times)

    assert min(times) <= mean * (1 + 1e-12)
    assert mean <= max(times) * (1 + 1e-12)
    assert mean == mean_without_extremes(sorted(times, reverse=True))


@pytest.mark.parametrize("body", [b"{}", b'{"scaling_factor": 0}', b'{"scaling_factor": "much"}', b"[]"])
def test_a_scaling_factor_is_a_number_above_zero(body: bytes):
    with pytest.raises(ParseError, match=r"scaling\.json"):
        read_scaling_factor(body)


# ---------------------------------------------------------------------------------------------- the tree


def test_a_submission_gives_one_result_with_its_system():
    table = rebuilt(training(TEN))
    result = table.results[0]

    assert (len(table.results), table.asides) == (1, ())
    assert (result.value, result.unit, result.better, result.scenario) == (14.5, "minutes", "lower", None)
    assert (result.submitter, result.platform, result.division, result.availability) == (
        "Fernwood",
        "f8",
        "closed",
        "available",
    )
    assert (result.benchmark_published, result.benchmark) == ("llama2_70b_lora", "train-llama2-70b-lora")
    assert (result.accelerator, result.accelerator_count, result.nodes) == ("b200", 8, 1)
    assert (result.measures, result.tags) == ({"runs": 10.0, "runs_not_converged": 0.0}, ())
    assert result.accelerator_power_limit_watts == 1000.0


def test_the_scaling_factor_beside_the_runs_is_applied():
    files = training(TEN)
    files["Fernwood/results/f8/llama2_70b_lora/scaling.json"] = b'{"scaling_factor": 1.1}'
    result = rebuilt(files).results[0]

    assert (result.value, result.measures["scaling_factor"]) == (pytest.approx(15.95), 1.1)


def test_a_scaling_factor_that_cannot_be_read_costs_the_result():
    files = training(TEN) | training([5.0] * 3, "gpt3")
    files["Fernwood/results/f8/llama2_70b_lora/scaling.json"] = b"{"
    table = rebuilt(files)

    assert [result.benchmark_published for result in table.results] == ["gpt3"]
    assert [aside.row for aside in table.asides] == ["Fernwood/results/f8/llama2_70b_lora"]


def test_a_run_that_cannot_be_read_counts_as_one_that_did_not_converge_and_is_told():
    files = training([10.0, 12.0, 14.0, 16.0], "gpt3")
    files["Fernwood/results/f8/gpt3/result_3.txt"] = b"cut off"
    table = rebuilt(files)

    assert table.results[0].value == 13.0
    assert [aside.message for aside in table.asides] == [
        "Fernwood/results/f8/gpt3/result_3.txt: has no run_start"
    ]


def test_fewer_runs_than_the_rules_ask_for_are_tagged():
    assert rebuilt(training([10.0, 12.0, 14.0])).results[0].tags == ("fewer runs than the rules ask for",)


def test_a_missing_system_description_leaves_the_result_without_its_system():
    files = training(TEN)
    del files["Fernwood/systems/f8.json"]
    table = rebuilt(files)

    assert (table.results[0].value, table.results[0].accelerator) == (14.5, None)
    assert [aside.message for aside in table.asides] == ["systems/f8.json is missing"]


def test_a_family_with_the_accelerator_in_brackets_is_that_accelerator():
    files = training(TEN, accelerator_model_name="NVIDIA Blackwell GPU (B200-SXM-180GB)")

    assert rebuilt(files).results[0].accelerator == "b200"


@pytest.mark.parametrize(
    ("status", "availability"),
    [
        ("Available on-premise", "available"),
        ("Available cloud", "available"),
        ("Preview", "preview"),
        ("Research", "rdi"),
        ("", "unknown"),
    ],
)
def test_the_availability_is_one_of_ours(status: str, availability: str):
    assert rebuilt(training(TEN, status=status)).results[0].availability == availability


def test_ssd_is_retinanet_from_v2_0_to_v4_1():
    runs = training([10.0] * 5, "ssd")

    assert [rebuilt(runs, round_=name).results[0].benchmark for name in ("v1.1", "v4.0")] == [
        "train-ssd",
        "train-retinanet",
    ]


def meter(watts: float, seconds: int = 3, efficiency: float = 0.9) -> bytes:
    return log(
        ("power_measurement_start", None, 0, {}),
        ("conversion_eff", efficiency, 0, {}),
        *(("power_reading", watts, 1000.0 * (n + 1), {}) for n in range(seconds)),
        ("power_measurement_stop", None, 1000.0 * seconds, {}),
    )


def test_measured_power_is_the_mean_of_the_counted_runs_over_all_nodes_and_energy_goes_with_it():
    files = training([10.0, 10.0, 10.0], "gpt3")
    for run in range(3):
        files[f"Fernwood/results/f8/gpt3/power/result_{run}/node_0.txt"] = meter(1000)
        files[f"Fernwood/results/f8/gpt3/power/result_{run}/node_1.txt"] = meter(2000)

    assert rebuilt(files).results[0].power == (
        Power("measured", pytest.approx(2700.0), "W"),
        Power("measured", pytest.approx(2700.0 * 600), "J"),
    )


def test_power_of_only_some_counted_runs_is_no_power_and_is_told():
    files = training([10.0] * 4, "gpt3")
    files["Fernwood/results/f8/gpt3/power/result_1/node_0.txt"] = meter(1000)
    table = rebuilt(files)

    assert table.results[0].power == ()
    assert [aside.message for aside in table.asides] == [
        "power of result_2 is missing, so the result has none"
    ]


def test_weak_scaling_of_hpc_ends_with_its_last_model():
    files = {
        f"Fernwood/results/f8/weak/cosmoflow/result_{n}.txt": run_log(minutes)
        for n, minutes in enumerate([10.0, 12.0])
    }
    files["Fernwood/systems/f8.json"] = text(SYSTEM)
    result = rebuilt(files, "hpc", "v3.0").results[0]

    assert (result.value, result.scenario, result.measures) == (12.0, "Weak", {"number_of_models": 2.0})


def test_only_runs_and_what_belongs_to_them_are_wanted():
    files = training([1.0] * 3)
    others = [
        "README.md",
        "Fernwood/systems/unused.json",
        "Fernwood/benchmarks/llama2_70b_lora/implementations/run.py",
        "Fernwood/results/f8/gpt3/scaling.json",
        "Fernwood/results/f8/llama2_70b_lora/result_0.log",
    ]

    assert ARTEFACTS["training"].wanted([*files, *others]) == tuple(sorted(files))


# ---------------------------------------------------------------------------------------------- the wide table


ROW = {
    "division": "closed",
    "availability": "Available on-premise",
    "submitter": "Fernwood",
    "system": "F8",
    "number_of_nodes": "1",
    "accelerator_model_name": "NVIDIA B200-SXM-180GB",
    "accelerators_count": "8",
    "framework": "PyTorch",
    "details_url": "https://github.com/mlcommons/training_results_v5.0/blob/main/Fernwood/systems/f8.json",
    "llama2_70b_lora": 11.5,
    "retinanet": "21.25",
    "bert": None,
    "cooling": "liquid",
}


def test_the_wide_table_gives_a_result_for_each_benchmark_with_a_number():
    table = read_training_summary(text([ROW]), name="summary.json", catalog=CATALOG)

    assert [(r.round, r.platform, r.benchmark, r.value, r.accelerator_count) for r in table.results] == [
        ("v5.0", "f8", "train-llama2-70b-lora", 11.5, 8),
        ("v5.0", "f8", "train-retinanet", 21.25, 8),
    ]
    assert (table.unknown_columns, table.results[0].extra) == (("cooling",), {"cooling": "liquid"})


def test_rows_of_another_round_than_given_are_refused():
    with pytest.raises(ParseError, match=r"the round is not certain: v5\.0, v5\.1"):
        read_training_summary(text([ROW]), name="summary.json", catalog=CATALOG, round="v5.1")


def test_a_row_that_repeats_another_or_says_nothing_is_set_aside():
    silent = {name: value for name, value in ROW.items() if name not in {"llama2_70b_lora", "retinanet"}}
    nobody, negative = ROW | {"submitter": None}, ROW | {"llama2_70b_lora": -1}
    table = read_training_summary(
        text([ROW, ROW, silent, nobody, negative]), name="summary.json", catalog=CATALOG
    )

    assert len(table.results) == 2
    assert [aside.message for aside in table.asides] == [
        "repeats f8 llama2_70b_lora; kept once",
        "repeats f8 retinanet; kept once",
        "Fernwood f8: has no benchmark with a number",
        "names no submitter, division or system",
        "Fernwood f8: llama2_70b_lora is -1 minutes",
    ]


def test_a_benchmark_whose_name_is_no_text_has_a_clean_one():
    table = read_training_summary(text([{**ROW, "b\ud800\nx": 3.0}]), name="summary.json", catalog=CATALOG)

    assert [result.benchmark_published for result in table.results] == [
        "llama2_70b_lora",
        "retinanet",
        "b? x",
    ]


def test_another_table_is_no_training_summary():
    with pytest.raises(ParseError, match="is no training summary; its rows need accelerators_count"):
        read_training_summary(text([{"a": 1}]), name="summary.json", catalog=CATALOG)


# ---------------------------------------------------------------------------------------------- real data


def test_the_ten_runs_of_florida_give_their_published_time(real: Path):
    folder = real / "mlperf" / "raw"
    runs = sorted(
        (folder / "training_v5.1_University-of-Florida_hpg.dgxb200x8.n1_dlrm_dcnv2").glob("result_*")
    )
    place = "University-of-Florida/results/hpg.dgxb200x8.n1/dlrm_dcnv2"
    files = {f"{place}/{run.name}": run.read_bytes() for run in runs}
    system = folder / "training_v5.1_University-of-Florida_hpg.dgxb200x8.n1_system.json"
    files["University-of-Florida/systems/hpg.dgxb200x8.n1.json"] = system.read_bytes()
    table = rebuilt(files)
    result = table.results[0]

    assert (len(files), len(table.results), table.asides) == (11, 1, ())
    assert (round(result.value, 4), result.unit) == (3.3085, "minutes")
    assert (result.accelerator, result.accelerator_count, result.benchmark) == ("b200", 8, "train-dlrm-dcnv2")


def test_gigacomputings_three_rows_give_six_results(real: Path):
    body = (real / "mlperf" / "raw" / "training_v5.0_GigaComputing_summary.json").read_bytes()
    rows = json.loads(body)
    table = read_training_summary(body, name="summary.json", catalog=CATALOG)

    assert (len(rows), len(table.results), table.round, table.asides) == (3, 6, "v5.0", ())


# ---------------------------------------------------------------------------------------------- damage


@given(st.one_of(damaged, mangled(run_log(3.0))))
def test_a_damaged_log_is_a_run_or_a_parse_error(body: bytes):
    assert isinstance(outcome(read_run, body, "r.txt"), Run | ParseError)


@given(st.one_of(damaged, mangled(text(SYSTEM))))
def test_a_damaged_description_is_facts_or_a_parse_error(body: bytes):
    assert isinstance(outcome(read_system, body, "s.json"), dict | ParseError)


@given(st.one_of(damaged, mangled(text([ROW]))))
def test_a_damaged_wide_table_is_a_table_or_a_parse_error(body: bytes):
    def read(document: bytes) -> Table:
        return read_training_summary(document, name="s.json", catalog=CATALOG)

    assert isinstance(outcome(read, body), Table | ParseError)
