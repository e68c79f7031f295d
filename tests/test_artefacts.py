"""Tables rebuilt from the artefacts of a repository's tree, at once and piece by piece."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.artefact_trees import SYSTEM, damaged, log, mangled, on_disk, outcome, summary, text, training
from watcher.catalog.names import load
from watcher.domain import Power, Result, Table
from watcher.errors import ParseError
from watcher.parse import read_table
from watcher.parse.artefacts import ARTEFACTS

CATALOG = load()
RUN = "closed/Fernwood/results/f8/llama2-70b-99"
OFFLINE = f"{RUN}/Offline"
INFERENCE = {
    f"{OFFLINE}/performance/run_1/mlperf_log_summary.txt": summary(
        "Offline", "Samples per second: 100\nTokens per second: 25000"
    ),
    f"{OFFLINE}/measurements.json": text({"weight_data_types": "fp8"}),
    f"{RUN}/Server/performance/run_1/mlperf_log_summary.txt": summary(
        "Server", "Completed samples per second: 90\nCompleted tokens per second: 22000"
    ),
    "closed/Fernwood/systems/f8.json": text(SYSTEM | {"system_type": "datacenter"}),
}
POWERED = {
    f"{OFFLINE}/performance/run_1/spl.txt": b"Time,03-01-2026 12:00:15.000,Watts,9000.5,Volts,230",
    f"{OFFLINE}/performance/run_1/mlperf_log_detail.txt": log(
        ("power_begin", "03-01-2026 12:00:10.000", 0, {}), ("power_end", "03-01-2026 12:00:20.000", 0, {})
    ),
    f"{OFFLINE}/performance/power/client.json": text({"timezone": 0}),
    f"{OFFLINE}/performance/power/server.json": text({"timezone": 0}),
}
PLUS = {
    "complete": True,
    "n_samples_completed": 1000,
    "duration_ns": 10_000_000_000,
    "output_sequence_lengths": {"total": 500_000},
}
BOARD = "open/Fernwood/results/board/vww"
TINY = {
    f"{BOARD}/performance/results.txt": b"Performance results\nMedian throughput is   17.5 inf./sec.\n",
    f"{BOARD}/accuracy/results.txt": b"Top 1% = 85.5\nAUC = 0.91\n",
    f"{BOARD}/energy/results.txt": b"Median energy cost is 1234.5 uJ/inf.\n",
    "open/Fernwood/systems/board.json": text(
        {"Status": "Available", "Board Name": "Fern Board", "Processor(s) Name": "Example MCU"}
    ),
}
TREES = {
    "inference": ("v6.1", INFERENCE | POWERED),
    "training": ("v5.1", training([10.0, 11.0, 12.0])),
    "tiny": ("v1.3", TINY),
    "endpoints": ("v1.0", on_disk("endpoints-v1.0")),
}


def rebuilt(files: dict[str, bytes], suite: str = "inference", round_: str = "v6.1") -> Table:
    return ARTEFACTS[suite].rebuild(files, suite=suite, round=round_, repository_url=None, catalog=CATALOG)


def by_scenario(files: dict[str, bytes], round_: str = "v6.1") -> dict[str | None, Result]:
    return {result.scenario: result for result in rebuilt(files, round_=round_).results}


# ---------------------------------------------------------------------------------------------- every reader


@pytest.mark.parametrize("suite", sorted(TREES))
def test_what_is_wanted_is_enough_and_its_order_does_not_matter(suite: str):
    round_, files = TREES[suite]
    wanted = ARTEFACTS[suite].wanted([*files, "README.md", "closed/Fernwood/code/main.py"])
    backwards = {path: files[path] for path in reversed(wanted)}

    assert set(wanted) <= set(files)
    assert rebuilt(backwards, suite, round_) == rebuilt(files, suite, round_)


@pytest.mark.parametrize("suite", sorted(TREES))
def test_facts_that_were_kept_as_json_give_the_same_table(suite: str):
    round_, files = TREES[suite]
    reader = ARTEFACTS[suite]
    kept = json.loads(json.dumps({path: reader.read(path, body) for path, body in files.items()}))
    table = reader.assemble(kept, suite=suite, round=round_, repository_url=None, catalog=CATALOG)

    assert table == rebuilt(files, suite, round_)


@pytest.mark.parametrize("suite", sorted(ARTEFACTS))
def test_a_file_that_cannot_be_read_gives_its_error_as_its_facts(suite: str):
    assert ARTEFACTS[suite].read("README.md", b"hello")["error"].startswith("README.md: is no file of")


@pytest.mark.parametrize("suite", sorted(ARTEFACTS))
def test_nothing_to_rebuild_is_an_error_and_never_an_empty_table(suite: str):
    with pytest.raises(ParseError, match="no result of"):
        rebuilt({}, suite, "v9.9")


@pytest.mark.parametrize("suite", sorted(ARTEFACTS))
def test_a_tree_without_submissions_wants_nothing(suite: str):
    assert ARTEFACTS[suite].wanted(["README.md", "", "/etc/passwd", "a" * 2000, "a\nb/results"]) == ()


@pytest.mark.parametrize("suite", sorted(TREES))
def test_every_result_has_its_own_key_and_names_where_it_stands(suite: str):
    round_, files = TREES[suite]
    results = rebuilt(files, suite, round_).results

    assert len({result.key for result in results}) == len(results) > 0
    assert all(
        str(result.url).startswith(f"https://github.com/mlcommons/{suite}_results_{round_}/tree/main/")
        for result in results
    )


@pytest.mark.parametrize("suite", sorted(TREES))
def test_every_field_that_is_filled_is_a_column_of_the_table(suite: str):
    round_, files = TREES[suite]
    table = rebuilt(files, suite, round_)
    filled = {name for result in table.results for name in Result.__struct_fields__ if getattr(result, name)}

    assert filled <= table.columns


@pytest.mark.parametrize(
    ("suite", "path", "folder"),
    [
        ("inference", f"{OFFLINE}/measurements.json", "closed/Fernwood"),
        ("training", "Fernwood/results/f8/gpt3/result_0.txt", "Fernwood"),
        ("training", "closed/Fernwood/results/f8/gpt3/result_0.txt", "closed/Fernwood"),
        ("tiny", f"{BOARD}/performance/results.txt", "open/Fernwood"),
        ("storage", "results.json", ""),
    ],
)
def test_a_path_belongs_to_a_submission(suite: str, path: str, folder: str):
    assert ARTEFACTS[suite].submission(path) == folder


# ---------------------------------------------------------------------------------------------- inference


def test_an_inference_result_is_rebuilt_from_its_summary_and_its_system():
    table = rebuilt(INFERENCE)
    result = table.results[0]

    assert table.asides == ()
    assert [(r.scenario, r.value, r.unit) for r in table.results] == [
        ("Offline", 25000.0, "tokens/s"),
        ("Server", 22000.0, "tokens/s"),
    ]
    assert (result.benchmark, result.benchmark_published, result.accuracy_target) == (
        "llama2-70b",
        "llama2-70b-99",
        "99",
    )
    assert (result.accelerator, result.accelerator_count, result.precision) == ("b200", 8, ("fp8",))


def test_measured_power_goes_with_the_result_that_measured_it():
    results = by_scenario(INFERENCE | POWERED)

    assert results["Offline"].power == (Power("measured", 9000.5, "W"),)
    assert results["Server"].power == ()


def test_power_that_cannot_be_computed_is_told_and_the_result_stands():
    broken = INFERENCE | POWERED | {f"{OFFLINE}/performance/run_1/spl.txt": b"no sample"}
    table = rebuilt(broken)

    assert [(r.value, r.power) for r in table.results] == [(25000.0, ()), (22000.0, ())]
    assert [aside.row for aside in table.asides] == [OFFLINE]


def test_logs_of_power_are_wanted_only_where_power_was_measured():
    detail = f"{RUN}/Server/performance/run_1/mlperf_log_detail.txt"

    assert detail not in ARTEFACTS["inference"].wanted([*INFERENCE, *POWERED, detail])


def test_loadgen_plus_plus_replaces_loadgens_summary():
    new = f"{OFFLINE}/performance/result_summary.json"
    files = INFERENCE | {new: text(PLUS)}

    assert f"{OFFLINE}/performance/run_1/mlperf_log_summary.txt" not in ARTEFACTS["inference"].wanted(files)
    assert by_scenario({path: files[path] for path in ARTEFACTS["inference"].wanted(files)})[
        "Offline"
    ].value == pytest.approx(50000.0)


def test_scores_of_loadgen_plus_plus_are_the_accuracy():
    files = INFERENCE | {
        f"{OFFLINE}/performance/result_summary.json": text(PLUS),
        f"{OFFLINE}/accuracy/accuracy_results.json": text(
            {"accuracy_scores": [{"dataset_name": "aime", "score": 81.5}]}
        ),
    }

    assert by_scenario(files)["Offline"].accuracy == "aime: 81.5"


def test_an_invalid_run_is_set_aside():
    files = INFERENCE | {
        f"{OFFLINE}/performance/run_1/mlperf_log_summary.txt": summary(
            "Offline", "Samples per second: 100", valid="INVALID"
        )
    }
    table = rebuilt(files)

    assert [(aside.row, aside.message) for aside in table.asides] == [(OFFLINE, "the run is INVALID")]
    assert [result.scenario for result in table.results] == ["Server"]


def test_the_rubin_run_and_its_system_give_the_row_of_the_table(real: Path):
    raw, place = (
        real / "mlperf" / "raw",
        "closed/NVIDIA/results/VR-NVL72_VR-288GB_aarch64x72_TRT/deepseek-r1/Server",
    )
    stems = {
        "performance/result_summary.json": "result_summary_VR-NVL72_deepseek-r1_Server",
        "accuracy/accuracy_results.json": "accuracy_results_VR-NVL72_deepseek-r1_Server",
        "measurements.json": "measurements_VR-NVL72_deepseek-r1_Server",
    }
    files = {
        f"{place}/{path}": (raw / f"inference_v6.1_{stem}.json").read_bytes() for path, stem in stems.items()
    }
    files["closed/NVIDIA/systems/VR-NVL72_VR-288GB_aarch64x72_TRT.json"] = (
        raw / "inference_v6.1_system_VR-NVL72.after.json"
    ).read_bytes()
    ours = rebuilt(files).results[0]
    name = "inference_v6.1_summary.json.gz"
    (table,) = read_table((real / "mlperf" / name).read_bytes(), name=name, catalog=CATALOG, round="v6.1")
    theirs = next(result for result in table.results if result.key == ours.key)

    assert (ours.value, ours.unit) == (pytest.approx(theirs.value, rel=1e-6), theirs.unit)
    assert (ours.system, ours.accelerator, ours.accelerator_count, ours.availability, ours.organisations) == (
        theirs.system,
        theirs.accelerator,
        theirs.accelerator_count,
        theirs.availability,
        theirs.organisations,
    )


# ---------------------------------------------------------------------------------------------- tiny


def test_a_tiny_result_is_its_median_with_its_energy_and_accuracy():
    result = rebuilt(TINY, "tiny", "v1.3").results[0]

    assert (result.value, result.unit, result.better) == (17.5, "inferences/s", "higher")
    assert (result.power, result.accuracy) == ((Power("measured", 1234.5, "uJ/inference"),), "85.5")
    assert (result.system_name, result.processor, result.availability) == (
        "Fern Board",
        "Example MCU",
        "available",
    )


def test_the_streaming_benchmark_has_an_estimate_and_a_duty_cycle():
    files = TINY | {
        f"{BOARD}/performance/results.txt": b"Estimated throughput: 12.5 inf./sec\nAverage duty cycle: 0.075\n"
    }
    result = rebuilt(files, "tiny", "v1.3").results[0]

    assert (result.value, result.measures) == (12.5, {"duty_cycle": 0.075})


# ---------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize("suite", sorted(TREES))
@given(data=st.data())
def test_a_damaged_tree_is_a_table_of_sound_results_or_a_parse_error(suite: str, data: st.DataObject):
    round_, files = TREES[suite]
    hurt = {
        path: data.draw(damaged | mangled(body)) if data.draw(st.booleans()) else body
        for path, body in files.items()
    }
    found = outcome(rebuilt, hurt, suite, round_)

    assert isinstance(found, ParseError) or all(
        0 < result.value < float("inf") and json.dumps(dict(result.extra)) for result in found.results
    )


@given(st.lists(st.text(alphabet="closed/openrsult.json_0123-é\n\\", max_size=120), max_size=20))
def test_any_paths_can_be_sifted(paths: list[str]):
    assert all(set(reader.wanted(paths)) <= set(paths) for reader in ARTEFACTS.values())
