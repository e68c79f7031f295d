"""Tables of other suites through the same door: told apart by their columns, refused where they are misnamed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from watcher.catalog.names import load
from watcher.domain import Table
from watcher.errors import ParseError, UsageError
from watcher.parse import endpoints_export, read_table, training_summary
from watcher.parse.other_tables import _EXPORT, _TRAINING

TRAINING = {
    "division": "closed",
    "availability": "Available on-premise",
    "submitter": "Alder Labs",
    "system": "alder-8",
    "number_of_nodes": 1,
    "accelerator_model_name": "NVIDIA B200-SXM-180GB",
    "accelerators_count": 8,
    "framework": "PyTorch",
    "details_url": "https://github.com/mlcommons/training_results_v5.1/blob/main/Alder/systems/alder-8.json",
    "llama2_70b_lora": 11.5,
}
STORAGE = {
    "Public ID": "3.0-0001",
    "Organization": "Birch Storage",
    "Division": "closed",
    "Availability": "available",
    "Name": "birch-one",
    "Benchmark Type": "Training",
    "Model": "unet3d",
    "Training - Accelerator Type": "b200",
    "Training - # Simulated Accelerators": "16",
    "Training - Read B/W (GiB/s)": "45.25",
}


def read(document: Any, **given: Any) -> Table:
    (table,) = read_table(gzip.compress(json.dumps(document).encode()), name="file", catalog=load(), **given)
    return table


def test_a_training_summary_is_told_by_its_columns_and_its_links_say_the_round() -> None:
    table = read([TRAINING])
    (result,) = table.results
    assert (table.suite, table.round) == ("training", "v5.1")
    assert (result.benchmark, result.value, result.unit, result.better) == (
        "train-llama2-70b-lora",
        11.5,
        "minutes",
        "lower",
    )
    assert read([TRAINING], suite="hpc").suite == "hpc"


def test_a_table_of_another_suite_than_given_is_refused() -> None:
    for document, suite in (
        ([TRAINING], "inference"),
        ([STORAGE], "training"),
        ({k: [] for k in _EXPORT}, "tiny"),
    ):
        with pytest.raises(UsageError, match=f"the suite given is {suite}"):
            read(document, suite=suite)


def test_a_storage_table_needs_its_round() -> None:
    with pytest.raises(UsageError, match="give --round"):
        read([STORAGE])
    table = read([STORAGE], round="v3.0")
    assert (table.suite, table.round, table.results[0].submitter) == ("storage", "v3.0", "Birch Storage")


def test_an_endpoints_export_is_told_by_its_keys() -> None:
    with pytest.raises(UsageError, match="names no format version"):
        read({"bundle_version": 1, "submissions": [], "runs": []})
    with pytest.raises(ParseError, match="holds no result"):
        read({"bundle_version": 1, "submissions": [], "runs": []}, round="v1.0")


def test_the_marks_are_those_of_the_parsers() -> None:
    assert training_summary.MARK == _TRAINING
    assert frozenset(_EXPORT) == endpoints_export.MARK


def test_the_real_training_summary_is_read(real: Path) -> None:
    body = (real / "mlperf" / "raw" / "training_v5.0_GigaComputing_summary.json").read_bytes()
    (table,) = read_table(body, name="training", catalog=load())
    lora = next(r for r in table.results if r.benchmark == "train-llama2-70b-lora")
    assert (table.suite, table.round, lora.accelerator, lora.accelerator_count) == (
        "training",
        "v5.0",
        "b200",
        8,
    )
