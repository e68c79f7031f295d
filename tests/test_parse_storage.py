"""Storage results: v3.0's table in both forms, v1.0's reports, and their rebuilding."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.artefact_trees import damaged, mangled, outcome, revalued, text
from watcher.catalog.names import load
from watcher.domain import Aside, Power, Result, Table
from watcher.errors import ParseError
from watcher.parse.artefacts import ARTEFACTS
from watcher.parse.storage import (
    StorageReport,
    StorageRun,
    read_report,
    read_run_summary,
    read_table,
)

CATALOG = load()
SYSTEM = {
    "Organization": "Fernwood",
    "Division": "Closed",
    "Name": "Fern Array 2",
    "Availability": "Available",
    "Type": "Shared file",
    "Access Protocol": "NFS",
    "RU's": "4",
    "Usable Capacity (TiB)": "120.5",
    "Provisioned Power (W)": "1800",
}
TRAINING = SYSTEM | {
    "Public ID": "3.0-0001",
    "Benchmark Type": "training",
    "Model": "unet3d",
    "Training - Accelerator Type": "b200",
    "Training - # Client Nodes": "2",
    "Training - # Simulated Accelerators": "16",
    "Training - Read B/W (GiB/s)": "45.25",
}
CHECKPOINT = SYSTEM | {
    "Public ID": "3.0-0002",
    "Benchmark Type": "checkpointing",
    "Model": "8B",
    "Checkpointing - # Client Nodes": "2",
    "Checkpointing - Checkpoint Mode": "Subset",
    "Checkpointing - Read B/W (GiB/s)": "30",
    "Checkpointing - Write B/W (GiB/s)": "20",
    "Checkpointing - Write Duration (secs)": "5.5",
}
VECTORS = SYSTEM | {
    "Public ID": "3.0-0003",
    "Benchmark Type": "vector_database",
    "Model": "",
    "VDB - Queries per Sec": "1500",
    "VDB - Recall Percentage": "95.1",
}
CACHE = SYSTEM | {
    "Public ID": "3.0-0004",
    "Benchmark Type": "kv_cache",
    "Model": "",
    "KVCache llama3.1-8b Storage Only - Throughput (tok/s)": "900",
    "KVCache llama3.1-8b Storage + Mem - Throughput (tok/s)": "2900",
    "KVCache llama3.1-8b Storage Only - P95 Read Latency (ms)": "12.5",
}
ROWS = [TRAINING, CHECKPOINT, VECTORS, CACHE]


def as_csv(rows: list[dict[str, str]]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def read(rows: list[dict[str, Any]]) -> Table:
    return read_table(text(rows), round="v3.0", catalog=CATALOG)


# ---------------------------------------------------------------------------------------------- v3.0's table


def test_a_row_gives_one_result_for_each_headline_figure():
    assert [(r.benchmark_published, r.scenario, r.value, r.unit, r.better) for r in read(ROWS).results] == [
        ("unet3d", "Simulated B200", 45.25, "GiB/s", "higher"),
        ("checkpointing 8B (Subset)", "Read", 30.0, "GiB/s", "higher"),
        ("checkpointing 8B (Subset)", "Write", 20.0, "GiB/s", "higher"),
        ("vector_database", "Queries", 1500.0, "queries/s", "higher"),
        ("kv_cache", "llama3.1-8b Storage Only", 900.0, "tokens/s", "higher"),
        ("kv_cache", "llama3.1-8b Storage + Mem", 2900.0, "tokens/s", "higher"),
    ]


def test_csv_and_json_give_the_same_results():
    assert read_table(as_csv(ROWS), round="v3.0", catalog=CATALOG).results == read(ROWS).results


def test_simulated_accelerators_are_load_and_no_part_of_the_system():
    result = read([TRAINING]).results[0]

    assert (result.accelerator, result.accelerator_count, result.system_type) == (None, None, ("storage",))
    assert result.measures == {
        "rack_units": 4.0,
        "usable_capacity_tib": 120.5,
        "client_nodes": 2.0,
        "simulated_accelerators": 16.0,
    }


def test_the_public_id_is_kept_and_the_power_is_provisioned():
    result = read([TRAINING]).results[0]

    assert result.power == (Power("provisioned", 1800.0, "W"),)
    assert result.extra == {"Public ID": "3.0-0001", "Type": "Shared file", "Access Protocol": "NFS"}


def test_a_power_too_small_for_watts_is_kept_as_published_and_is_no_power():
    result = read([TRAINING | {"Provisioned Power (W)": "3.6"}]).results[0]

    assert (result.power, result.extra["Provisioned Power (W)"]) == ((), "3.6")


def test_columns_that_we_do_not_know_are_kept_and_named_and_links_are_not():
    table = read([TRAINING | {"Training - New Figure": "7", "Training - Logs": "https://example.com/x"}])

    assert (table.unknown_columns, table.results[0].extra["Training - New Figure"]) == (
        ("Training - New Figure",),
        "7",
    )


def test_a_column_whose_name_is_no_text_is_kept_under_a_clean_one():
    assert read([TRAINING | {"New\n\ud800 column": "7"}]).unknown_columns == ("New ? column",)


def test_a_link_in_a_cell_is_its_words():
    anchor = TRAINING | {"Name": "<a href='https://example.com/a'>Fern Array 2</a>"}
    formula = TRAINING | {"Name": '=HYPERLINK("https://example.com/a","Fern Array 2")'}
    pair = TRAINING | {"Name": {"text": "Fern Array 2", "url": "https://example.com/a"}}

    assert [read([row]).results[0].platform for row in (anchor, formula, pair)] == ["Fern Array 2"] * 3


def test_a_row_without_a_figure_is_set_aside_under_its_public_id():
    table = read([TRAINING, CHECKPOINT | {name: "" for name in CHECKPOINT if "B/W" in name}])

    assert (len(table.results), table.asides) == (
        1,
        (Aside("3.0-0002", "has no figure for checkpointing"),),
    )


@pytest.mark.parametrize("body", [b"[]", b"{}", b"a,b\n1,2\n", b"\xff\xfe", b""])
def test_a_document_without_such_rows_is_an_error(body: bytes):
    with pytest.raises(ParseError):
        read_table(body, round="v3.0", catalog=CATALOG)


# ---------------------------------------------------------------------------------------------- v1.0's reports


REPORT: dict[str, Any] = {
    "overall": {
        "model": "unet3d",
        "accelerator": "h100",
        "num_benchmark_runs": 2,
        "train_num_accelerators": "8",
        "train_throughput_mean_samples_per_second": 150.0,
        "train_throughput_mean_MB_per_second": 20000.0,
    },
    "runs": {
        "a": {"train_throughput_samples_per_second": 140.0},
        "b": {"train_throughput_samples_per_second": 160.0},
    },
}


def test_a_report_gives_the_mean_of_its_runs():
    assert read_report(text(REPORT)) == StorageReport(
        benchmark="unet3d", accelerator="h100", accelerators=8, runs=2, samples=150.0, mib=20000.0
    )


def test_a_report_that_contradicts_its_runs_is_refused():
    broken = {**REPORT, "runs": {**REPORT["runs"], "b": {"train_throughput_samples_per_second": 170.0}}}

    with pytest.raises(ParseError, match=r"states a mean of 150\.0 samples/s, its runs give 155\.0"):
        read_report(text(broken))


def test_a_v1_0_tree_is_rebuilt_from_reports_and_descriptions():
    files = {
        "closed/Fernwood/results/array-2/unet3d-h100/mlperf_storage_report.json": text(REPORT),
        "closed/Fernwood/systems/array-2.json": text(
            {"storage_system": {"solution_name": "Fern Array 2", "usable_capacity_GiB": 1000}}
        ),
        "closed/Fernwood/results/array-2/unet3d-h100/run_1/summary.json": b"{}",
    }
    reader = ARTEFACTS["storage"]
    wanted = reader.wanted(files)
    table = reader.rebuild(
        {path: files[path] for path in wanted},
        suite="storage",
        round="v1.0",
        repository_url=None,
        catalog=CATALOG,
    )
    result = table.results[0]

    assert (len(wanted), table.asides) == (2, ())
    assert (result.value, result.unit, result.unit_published, result.scenario) == (
        20000.0,
        "MiB/s",
        "MB/s",
        "Simulated H100",
    )
    assert result.measures == {
        "samples_per_s": 150.0,
        "simulated_accelerators": 8.0,
        "runs": 2.0,
        "usable_capacity_gib": 1000.0,
    }


def test_the_table_at_the_root_is_read_and_nothing_else():
    reader = ARTEFACTS["storage"]
    paths = ["results.json", "results.csv", "closed/Fernwood/systems/array-2.json"]
    table = reader.rebuild(
        {"results.json": text(ROWS)}, suite="storage", round="v3.0", repository_url=None, catalog=CATALOG
    )

    assert (reader.wanted(paths), len(table.results)) == (("results.json",), 6)


# ---------------------------------------------------------------------------------------------- real data


def test_ddns_report_gives_its_throughput(real: Path):
    body = (
        real / "mlperf" / "raw" / "storage_v1.0_DDN_cosmoflow-h100_mlperf_storage_report.json"
    ).read_bytes()
    report = read_report(body)

    assert (report.benchmark, report.accelerators, report.runs) == ("cosmoflow", 64, 5)
    assert (round(report.samples, 2), round(report.mib, 2)) == (12555.49, 33867.86)


def test_ddns_run_was_kept_busy_enough(real: Path):
    run = read_run_summary(
        (real / "mlperf" / "raw" / "storage_v1.0_DDN_cosmoflow-h100_summary.json").read_bytes()
    )

    assert (run.accelerators, run.hosts, run.met_expectation) == (64, 16, True)
    assert (round(run.samples, 2), round(run.mib, 2), round(run.utilisation_percent, 2)) == (
        12556.64,
        33870.98,
        70.26,
    )


# ---------------------------------------------------------------------------------------------- damage


def in_a_list(row: bytes) -> bytes:
    return b"[" + row + b"]"


def sound(table: Table | ParseError) -> bool:
    return isinstance(table, ParseError) or all(
        isinstance(r, Result) and 0 < r.value < float("inf") for r in table.results
    )


@given(damaged | mangled(as_csv(ROWS)) | mangled(text(ROWS)) | revalued(CHECKPOINT).map(in_a_list))
def test_a_damaged_table_is_a_table_or_a_parse_error(body: bytes):
    assert sound(outcome(lambda document: read_table(document, round="v3.0", catalog=CATALOG), body))


@given(damaged | mangled(text(REPORT)) | revalued(REPORT))
def test_a_damaged_report_is_figures_or_a_parse_error(body: bytes):
    assert isinstance(outcome(read_report, body), StorageReport | ParseError)
    assert isinstance(outcome(read_run_summary, body), StorageRun | ParseError)
