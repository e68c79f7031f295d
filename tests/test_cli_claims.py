"""``claims extract`` and ``claims check`` on files: what one prints the other reads, and what is wrong in it is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.operation import program

POST = "In MLPerf Inference v6.1, Vera Rubin NVL72 delivers 3.0x the performance of GB300 NVL72 on DeepSeek-R1 Interactive."
NOTED = (
    "On Llama 2 70B in Offline, B200 gives 2.2x the throughput of H200.*\n\n"
    "* MLPerf Inference v5.1, Closed, entries 5.1-0047 and 5.1-0079."
)
CLAIM = {"kind": "ratio", "value": 3.0}


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose state holds the archived rounds."""
    folder = tmp_path_factory.mktemp("archived")
    assert program("ingest", "--archive", cwd=folder).returncode == 0
    return folder


def verdicts(folder: Path, file: str) -> list[str]:
    done = program("claims", "check", "--file", file, "--json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return [claim["verdict"] for claim in json.loads(done.stdout)["claims"]]


def test_a_claim_read_back_from_what_extract_prints_gets_the_verdict_of_its_post(archived):
    (archived / "post.txt").write_text(POST)
    printed = program("claims", "extract", "post.txt", "--json", cwd=archived).stdout
    (archived / "claims.json").write_text(printed)

    assert verdicts(archived, "post.txt") == ["contradicted"]
    assert verdicts(archived, "claims.json") == ["contradicted"]


def test_the_entries_that_a_footnote_names_are_printed_and_read_back(archived):
    (archived / "noted.txt").write_text(NOTED)
    printed = program("claims", "extract", "noted.txt", "--json", cwd=archived).stdout
    (archived / "noted.json").write_text(printed)

    assert [claim["entries"] for claim in json.loads(printed)["claims"]] == [["5.1-0047", "5.1-0079"]]
    assert verdicts(archived, "noted.txt") == ["confirmed"]
    assert verdicts(archived, "noted.json") == ["confirmed"]


def test_a_scenario_alone_is_a_list_of_one(archived):
    pair = {
        "subject_system": "Vera Rubin NVL72",
        "baseline_system": "GB300 NVL72",
        "benchmark": "deepseek-r1",
    }
    claim = {**CLAIM, "value": 1.97, **pair, "scenarios": "Server", "round": "v6.1"}
    (archived / "one.json").write_text(json.dumps({"claims": [claim]}))

    assert verdicts(archived, "one.json") == ["confirmed"]


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        (3, "claims: needs a list, as `mlperf-watcher claims extract --json` prints it"),
        ([{"kind": "ratio"}], "claim 1 of the file needs at least a kind and a value"),
        (["3.7x"], "claim 1 of the file needs at least a kind and a value"),
        ([CLAIM, {**CLAIM, "round": 6.1}], "claim 2 of the file: round needs a text, not 6.1"),
        ([{**CLAIM, "scenarios": [5]}], "claim 1 of the file: scenarios needs a list of texts, not [5]"),
        ([{**CLAIM, "value": True}], "claim 1 of the file: value needs a number, not True"),
        ([{**CLAIM, "decimals": 0.5}], "claim 1 of the file: decimals needs a whole number, not 0.5"),
        (
            [{**CLAIM, "per_accelerator": 1}],
            "claim 1 of the file: per_accelerator needs true or false, not 1",
        ),
    ],
)
def test_a_file_of_claims_that_is_none_is_exit_2_with_the_claim_and_the_field(archived, listed, message):
    (archived / "wrong.json").write_text(json.dumps({"claims": listed}))

    done = program("claims", "check", "--file", "wrong.json", cwd=archived)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mlperf-watcher: {message}\n"
