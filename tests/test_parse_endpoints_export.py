"""The export of the Endpoints viewer: the same rows as a repository's tree, in one document."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.artefact_trees import damaged, on_disk, outcome, revalued, text
from watcher.catalog.names import load
from watcher.domain import Table
from watcher.errors import ParseError, UsageError
from watcher.parse.artefacts import ARTEFACTS
from watcher.parse.endpoints_export import read_export

CATALOG = load()
EXPORT: dict[str, Any] = {
    "bundle_version": 1,
    "format_version": "1.0",
    "submissions": [
        {
            "id": "Fernwood-5f3c9a1e-fw-8x-b200-deepseek-r1",
            "source_path": "Fernwood/5f3c9a1e/fw-8x-b200/deepseek-r1",
            "combined_submission": {
                "submission_info": {"submitter_org_names": "Fernwood Computing"},
                "sut_metadata": {"system_availability_status": "Available", "system_name": "Fernwood F8"},
                "sut_details": {
                    "node_types": [
                        {
                            "number_of_nodes": 1,
                            "accelerators_per_node": 8,
                            "accelerator_model_name": "NVIDIA B200-SXM-180GB",
                        }
                    ]
                },
                "model_metadata": {"division": "Standardized", "model_name": "DeepSeek-R1"},
                "datasets_metadata": {"dataset_name": "mmlu-pro"},
            },
        }
    ],
    "runs": [
        {
            "submission_id": "Fernwood-5f3c9a1e-fw-8x-b200-deepseek-r1",
            "label": "r8",
            "run": {
                "direct_fields": {"concurrency": 8, "measured_latency_ttft_p90": 80.0},
                "derived_fields": {"system_tps": 1500.0, "tps_per_user": 200.0, "qps": 1.5},
            },
        },
        {"submission_id": "unheard-of", "label": "r8", "run": {}},
    ],
}


def test_the_export_gives_the_same_rows_as_the_tree():
    table = read_export(text(EXPORT), name="export.json", catalog=CATALOG)
    tree = ARTEFACTS["endpoints"].rebuild(
        on_disk("endpoints-v1.0"), suite="endpoints", round="v1.0", repository_url=None, catalog=CATALOG
    )
    exported, ours = table.results[0], tree.results[0]

    assert (table.suite, table.round) == ("endpoints", "v1.0")
    assert (exported.key, exported.value, exported.url) == (ours.key, ours.value, ours.url)
    assert (exported.accelerator, exported.accelerator_count) == ("b200", 8)
    assert exported.measures == {
        "concurrency": 8.0,
        "tps_per_user": 200.0,
        "ttft_p90_ms": 80.0,
        "qps": 1.5,
    }


def test_a_run_of_no_submission_is_set_aside():
    table = read_export(text(EXPORT), name="export.json", catalog=CATALOG)

    assert [(aside.row, aside.message) for aside in table.asides] == [
        ("run 2", "belongs to no submission that can be named: unheard-of")
    ]


def test_an_export_of_another_round_than_given_is_refused():
    with pytest.raises(UsageError, match=r"is of v1\.0, but the round given is v0\.7"):
        read_export(text(EXPORT), name="export.json", catalog=CATALOG, round="v0.7")


@pytest.mark.parametrize("body", [b"{}", b"[]", text({**EXPORT, "runs": []}), b"not json"])
def test_a_document_without_runs_is_no_export(body: bytes):
    with pytest.raises(ParseError, match=r"export\.json"):
        read_export(body, name="export.json", catalog=CATALOG)


@given(damaged | revalued(EXPORT))
def test_a_damaged_export_is_a_table_or_an_error_of_ours(body: bytes):
    try:
        found = outcome(lambda document: read_export(document, name="e.json", catalog=CATALOG), body)
    except UsageError as error:
        found = error

    assert isinstance(found, Table | ParseError | UsageError)
