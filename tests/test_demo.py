"""The demo as people run it: real tables of three rounds through the whole program, on this machine alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.slack_rules import broken
from watcher.cli.demo import called
from watcher.demo.story import PUBLISHED
from watcher.domain import PublishedRound
from watcher.store import Store

WATCHED = """
import sys

def told(event, args):
    address = args[1] if event == "socket.connect" else args[:1] if event == "socket.getaddrinfo" else None
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "localhost"):
        print("OUTSIDE", address, file=sys.stderr)

sys.addaudithook(told)
from watcher.cli import main
main(sys.argv[1:])
"""


class Demo(NamedTuple):
    """What one run left behind."""

    document: dict[str, Any]
    said: str
    out: Path

    def alerts(self, rule: str) -> list[dict[str, Any]]:
        return [alert for alert in self.document["alerts"] if alert["rule"] == rule]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """Run `mlperf-watcher demo --json` once, in an empty folder that is also its home, noting every connection."""
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, "demo", "--json", "--out", "out"],
        capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "HOME": str(folder), "PYTHONPATH": str(Path(__file__).parent.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Demo(json.loads(done.stdout), done.stderr, folder / "out")


def figures(alert: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return what identifies the rows of an alert."""
    return sorted(
        (row["scenario"], round(row["value"], 2), row["unit"], row["availability"]) for row in alert["rows"]
    )


def test_the_new_round_is_told_once(demo: Demo):
    assert [alert["title"] for alert in demo.alerts("new-round")] == ["MLPerf Inference v6.1 is public"]
    assert (demo.document["events"]["round.published"], demo.document["events"]["result.added"]) == (1, 492)
    with Store(demo.out / "watcher.db", now=PUBLISHED, read_only=True) as store:
        (event,) = store.events.listing(kinds=["round.published"])
    assert isinstance(event.subject, PublishedRound)
    assert (event.subject.suite, event.subject.round, event.subject.results) == ("inference", "v6.1", 492)


def test_vera_rubin_rows_are_listed_by_submitter_and_all_are_preview(demo: Demo):
    by_submitter = {alert["rows"][0]["submitter"]: alert for alert in demo.alerts("vera-rubin-per-scenario")}

    assert figures(by_submitter["NVIDIA"]) == [
        ("Interactive", 1306.61, "queries/s", "preview"),
        ("Interactive", 652750.14, "tokens/s", "preview"),
        ("Server", 2323.27, "queries/s", "preview"),
        ("Server", 1175890.22, "tokens/s", "preview"),
    ]
    assert figures(by_submitter["Nebius"]) == [("Server", 591368.31, "tokens/s", "preview")]
    assert [row["accelerator_count"] for row in by_submitter["Nebius"]["rows"]] == [36]
    assert set(by_submitter) == {"NVIDIA", "Nebius"}


def test_no_third_party_published_power_so_that_rule_does_not_fire(demo: Demo):
    assert demo.alerts("third-party-rack-power") == []


def test_a_correction_a_withdrawal_a_failure_and_its_end_are_one_alert_each(demo: Demo):
    rules = Counter(alert["rule"] for alert in demo.document["alerts"])
    troubles = [alert["title"].partition(":")[0] for alert in demo.alerts("source-trouble")]

    assert (rules["result-corrected"], rules["result-withdrawn"]) == (1, 1)
    assert troubles == ["Source inference is failing", "Source inference has recovered"]
    assert [alert["rows"][0]["submitter"] for alert in demo.alerts("result-corrected")] == ["Crusoe"]
    assert [alert["rows"][0]["submitter"] for alert in demo.alerts("result-withdrawn")] == ["Lambda"]


def test_a_corrected_spelling_is_recorded_and_not_told(demo: Demo):
    after = demo.said.partition("the spelling is corrected")[2].partition("──")[0]
    changed = demo.document["events"]["result.changed"]

    assert "0 alerts, 0 Slack messages" in after
    assert changed > 1  # the spelling's rows and the one correction
    assert "result-renamed" not in {alert["rule"] for alert in demo.document["alerts"]}


def test_the_claims_follow_under_a_heading_of_their_own(demo: Demo):
    after = demo.said.partition("the claims against the rows follow")[2].partition("──")[0]

    assert "MLPerf Inference v6.1: the first posts against the rows" in after
    assert after.count("4 claims") == 1
    assert after.rstrip().endswith("0 files fetched, 0 alerts, 1 Slack message")


def test_a_pass_over_an_unchanged_world_fetches_and_tells_nothing(demo: Demo):
    after = demo.said.partition("a pass over an unchanged world")[2]

    assert "0 files fetched, 0 alerts, 0 Slack messages" in after
    assert "1 file fetched, 1 alert, 1 Slack message\n" in demo.said
    assert demo.document["deliveries"]["pending"] == demo.document["deliveries"]["failed"] == 0


def test_every_slack_message_keeps_slacks_rules(demo: Demo):
    messages = [json.loads(file.read_text()) for file in sorted((demo.out / "slack").glob("*.json"))]

    assert len(messages) == demo.document["slack_messages"] > 10
    assert [found for message in messages if (found := broken(message))] == []


def test_every_alert_is_told_to_every_receiver_once(demo: Demo):
    with Store(demo.out / "watcher.db", now=PUBLISHED, read_only=True) as store:
        owed = [each for alert in store.events.alerts() for each in store.outbox.of_alert(alert.number or 0)]

    assert {(each.state, each.attempts) for each in owed} == {("sent", 1)}
    assert Counter(each.receiver for each in owed) == {
        "you": len(demo.document["alerts"]), "team-slack": len(demo.document["alerts"]),
    }  # fmt: skip


def test_nothing_outside_this_machine_is_asked(demo: Demo):
    assert "OUTSIDE" not in demo.said


@pytest.mark.parametrize(
    ("path", "called_as", "said"),
    [
        ("bin", "bin/mlperf-watcher", "mlperf-watcher"),
        ("elsewhere", "bin/mlperf-watcher", "bin/mlperf-watcher"),
        ("elsewhere", "watcher/__main__.py", f"{sys.executable} -m watcher"),
    ],
)
def test_the_commands_to_go_on_with_are_named_as_they_can_be_called(
    tmp_path, monkeypatch, path, called_as, said
):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mlperf-watcher").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "mlperf-watcher").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / path))
    monkeypatch.setattr(sys, "argv", [called_as, "demo"])

    assert called() == said
