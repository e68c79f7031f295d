"""Embargo: nothing of a private table leaves by any way until it is released; then every alert comes once."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.operation import program
from tests.pipeline_stage import AT, DAY, HOUR, MINUTE, Hook, Stage, World, acme, hook_options
from tests.rows import row
from watcher.demo.github import GitHubServer
from watcher.demo.published import summary
from watcher.domain import Result
from watcher.errors import UsageError
from watcher.pipeline.ingest import Request, ingest_file, release
from watcher.pipeline.one_pass import begin, tell
from watcher.schedule.metrics import Metrics
from watcher.schedule.snapshot import Board, take
from watcher.store import Store

# Every kind of watch, so that whatever can be told would be.
RULES = """
rules:
  - {id: new-round, watch: round, title: "MLPerf {suite:title} {round} is public", brief: true, severity: high}
  - {id: rows, watch: result, on: [added, changed, removed, restored, renamed], title: "{submitter}: {count:result} {event}, {round}", group_by: [round, submitter, event]}
  - {id: names, watch: name, title: "new {kind}: {name}"}
  - {id: over, watch: comparison, subject: {accelerator: b300}, baseline: {accelerator: b200}, title: "{ratio:.2f}x {round}", group_by: [round]}
  - {id: over-vendor, watch: comparison, baseline: vendor, title: "over vendor {round}", group_by: [round]}
  - {id: scale, watch: scaling, title: "{count:scaling} {round}", group_by: [round]}
  - {id: gained, watch: gain, title: "{count:gain} {before.round} to {round}", group_by: [before.round, round]}
  - {id: best, watch: record, title: "{count:record} {round} by {submitter}", group_by: [round]}
  - {id: passed, watch: rank, title: "{submitter} passed by {by}, {round}", group_by: [round, submitter]}
  - {id: promised, watch: promise, on: [made, decided], title: "{count:promise} {outcome}, {round}", group_by: [round, event]}
  - {id: claims, watch: claim, title: "{vendor} {verdict}"}
  - {id: trouble, watch: source, title: "Source {source} {event}: {message}", severity: high}
"""
SIGNS = ("kestrel", "zephyr", "987654", "987,654", "987.65", "v6.9")
FIRST = "first.json"


def secret(**given: Any) -> Result:
    """A row of a round, submitter and accelerator that nobody has heard of."""
    values: dict[str, Any] = {
        "round": "v6.9", "submitter": "Kestrel", "organisations": ("Kestrel",), "platform": "zephyr-pod", "value": 987_654.25,
        "accelerator": "Zephyr 9000", "accelerators": ("Zephyr 9000",), "accelerator_published": "Zephyr 9000",
        "system_name": "Zephyr Pod",
    }  # fmt: skip
    return row(**{**values, **given})


def sealed() -> tuple[Result, ...]:
    """A whole embargoed round: a new name, a preview, a system of the round before, a larger one."""
    return (
        secret(),
        secret(scenario="Offline", availability="preview"),
        row(round="v6.9", platform="rack-0", value=987_654.5),
        row(round="v6.9", platform="rack-16", accelerator_count=16, value=1_987_654.0),
        row(
            round="v6.9",
            platform="b200",
            accelerator="b200",
            accelerators=("b200",),
            accelerator_published="NVIDIA B200",
            value=987.65,
        ),
    )


@pytest.fixture
def stage(tmp_path: Path, hook: Hook) -> Iterator[Stage]:
    with GitHubServer() as github:
        made = Stage(tmp_path, github, RULES)
        made.receiver("hook", "webhook", hook_options(hook), digest_at="15:00", burst=1000)
        (tmp_path / "watcher.toml").write_text(
            '[watcher]\nrules = ["rules.yaml"]\ngroups = []\nstate = "watcher.db"\n'
        )
        yield made


def ingest(stage: Stage, world: World, rows: tuple[Result, ...], at: datetime, **given: Any) -> None:
    """Ingest a table of these rows and send what came of it, as the command does."""
    file = stage.folder / FIRST
    file.write_bytes(summary(rows))
    with world.watcher(now=at) as watcher:
        start = begin(watcher, at)
        ingest_file(watcher, file, Request(**given), at)
        tell(watcher, at, start)


@pytest.fixture
def world(stage: Stage) -> World:
    """v6.0 is history, and v6.9 stands under embargo since AT."""
    made = stage.baseline(*acme(3, round="v6.0"))
    ingest(stage, made, sealed(), AT, private=True)
    return made


def free(world: World, at: datetime, round_name: str = "v6.9") -> None:
    """Release a table and tell what came of it."""
    with world.watcher(now=at) as watcher:
        start = begin(watcher, at)
        release(watcher, "inference", round_name, at)
        tell(watcher, at, start)


def command(stage: Stage, *words: str) -> tuple[int, str]:
    """Run a command over the world's state; return its exit code and all it printed."""
    done = program(*words, cwd=stage.folder)
    return done.returncode, done.stdout + done.stderr


def signs_in(text: str) -> list[str]:
    return [sign for sign in SIGNS if sign in text.casefold()]


# ------------------------------------------------------------------------------------------------ nothing leaves


def test_no_receiver_digest_or_brief_gets_anything_of_it(world, hook):
    for minutes in (1, 10, 60):
        world.go(AT + minutes * MINUTE)
    world.go(AT + DAY)
    world.go(AT + 2 * DAY)

    assert {message["kind"] for message in hook.taken} == {"digest"}
    assert signs_in(json.dumps(hook.taken)) == []
    assert world.alerts() == []


def test_corrections_and_a_hold_back_under_embargo_are_silent_too(stage, world, hook):
    ingest(
        stage, world, tuple(replace(each, value=each.value + 1) for each in sealed()), AT + HOUR, private=True
    )
    with pytest.raises(Exception, match="lost"):
        ingest(stage, world, sealed()[:1], AT + 2 * HOUR, private=True)
    world.go(AT + DAY)

    assert signs_in(json.dumps(hook.taken)) == []
    assert world.alerts() == []


@pytest.mark.parametrize("what", ["results", "events", "alerts", "claims", "deliveries"])
def test_an_export_has_nothing_of_it(stage, world, what):
    code, said = command(stage, "export", what)

    assert (code, signs_in(said)) == (0, [])


def test_a_report_has_nothing_of_it_on_any_page(stage, world):
    assert command(stage, "report", "--out", "site")[0] == 0

    pages = [path for path in (stage.folder / "site").rglob("*") if path.is_file()]
    assert len(pages) > 3
    assert [
        (path.name, found)
        for path in pages
        if (found := signs_in(path.read_bytes().decode("utf-8", "replace")))
    ] == []


def test_a_metric_does_not_show_that_there_is_one(stage, world):
    def metrics(of: World) -> str:
        board = Board(0.0)
        with of.watcher() as watcher:
            board.pin(take(watcher, AT), None)
        return Metrics(board, lambda: AT).text().decode()

    held = metrics(world)
    with Store(world.state, now=AT) as store, store.write():
        rows = len(store.tables.results(private=False))

    assert f"mlperf_watcher_results {float(rows)}" in held
    assert signs_in(held) == []
    assert "result.added" not in held


@pytest.mark.parametrize(
    "words",
    [
        ("digest", "--preview", "d.html"),
        ("calendar", "--ics", "c.ics"),
        ("alerts", "list"),
        ("claims", "list"),
        ("rules", "explain", "rows"),
        ("rules", "explain", "new-round"),
        ("rules", "backtest", "rows"),
    ],
)
def test_what_is_written_or_explained_for_others_has_nothing_of_it(stage, world, words):
    code, said = command(stage, *words)
    written = "".join(path.read_text() for path in stage.folder.iterdir() if path.name in {"d.html", "c.ics"})

    assert (code, signs_in(said + written)) == (0, [])


def test_a_draft_that_is_checked_names_the_embargo(stage, world):
    (stage.folder / "draft.txt").write_text(
        "In MLPerf Inference v6.9 our Zephyr 9000 delivers 987,654 tokens/s on DeepSeek-R1 Server."
    )
    code, said = command(stage, "claims", "check", "--file", "draft.txt")

    assert code == 0
    assert said.startswith("EMBARGO: inference v6.9: nothing of it may be passed on before it is released\n")


def test_an_embargoed_row_is_not_cited(stage, world):
    code, said = command(stage, "cite", "v6.9/Kestrel/zephyr-pod/deepseek-r1/Server")

    assert (code, said.strip()) == (
        2, "mlperf-watcher: inference v6.9 is under embargo: it may not be cited before it is released",
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------ on this screen, marked


def test_its_rows_are_marked_on_the_screen_and_in_json(stage, world):
    said = command(stage, "results", "--round", "v6.9")[1]
    rows = json.loads(command(stage, "results", "--round", "v6.9", "--json")[1])["results"]

    assert said.startswith("EMBARGO: inference v6.9: nothing of it may be passed on before it is released\n")
    assert [each["tags"] for each in rows] == [["EMBARGO"]] * len(sealed())


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "b300@v6.9", "b300@v6.0"),
        ("gains",),
        ("scaling", "b300@v6.9"),
        ("records",),
        ("rank", "--round", "v6.9"),
        ("promises",),
    ],
)
def test_every_figure_made_of_it_is_marked(stage, world, words):
    code, said = command(stage, *words)

    assert (code, "EMBARGO" in said) == (0, True)


def test_a_picture_of_it_is_not_drawn(stage, world):
    code, said = command(stage, "gains", "--plot", "gains.png")

    assert (code, (stage.folder / "gains.png").exists()) == (2, False)
    assert "a picture leaves this screen" in said


def test_its_brief_is_shown_only_when_asked_for_marked_and_never_written(stage, world):
    assert command(stage, "brief", "v6.9") == (
        2, "mlperf-watcher: inference v6.9 is under embargo; add --private to see it on this screen\n",
    )  # fmt: skip
    assert command(stage, "brief", "v6.9", "--private", "--out", "b.html")[0] == 2
    code, said = command(stage, "brief", "v6.9", "--private")
    assert (code, said.startswith("EMBARGO · MLPerf Inference v6.9 at a glance\n")) == (0, True)
    assert signs_in(command(stage, "brief", "v6.0")[1]) == []


# ------------------------------------------------------------------------------------------------ released


def test_after_the_release_every_alert_comes_once_and_then_the_brief(world, hook):
    world.go(AT + HOUR)
    hook.taken.clear()

    free(world, AT + DAY)
    for minutes in (0, 5, 60):
        world.go(AT + DAY + minutes * MINUTE)
    world.go(AT + 3 * DAY)

    told = Counter(message["title"] for message in hook.taken if message["kind"] != "digest")
    assert set(told.values()) == {1}
    assert set(told) == {
        "MLPerf Inference v6.9 is public", "MLPerf Inference v6.9 at a glance", "Kestrel: 2 results added, v6.9",
        "Acme: 3 results added, v6.9", "new submitter: Kestrel", "new accelerator: Zephyr 9000", "2 gains v6.0 to v6.9",
        "1 promise open, v6.9", "1 scaling v6.9", "2 records v6.9 by Acme", "1006.25x v6.9",
    }  # fmt: skip


def test_corrections_made_under_embargo_are_never_told(stage, world, hook):
    corrected = tuple(replace(each, value=4_321.0 + n) for n, each in enumerate(sealed()))
    ingest(stage, world, corrected, AT + HOUR, private=True)
    free(world, AT + DAY)
    world.go(AT + DAY + HOUR)

    said = json.dumps(hook.taken)
    assert [m["title"] for m in hook.taken if "changed" in m["title"]] == []
    assert ("4,321" in said, re.findall(r"987[.,]\d", said)) == (True, [])


def test_the_release_of_one_table_tells_nothing_of_another(stage, world, hook):
    other = (secret(round="v6.8"), row(round="v6.8", platform="rack-0", value=876.5))
    ingest(stage, world, other, AT + MINUTE, private=True)
    ingest(
        stage,
        world,
        (*sealed(), row(round="v6.9", platform="late", scenario="Offline")),
        AT + HOUR,
        private=True,
    )

    free(world, AT + DAY)
    world.go(AT + DAY + HOUR)

    said = json.dumps(hook.taken)
    assert "v6.9" in said
    assert ("v6.8" in said, "876.5" in said) == (False, False)
    assert [m["title"] for m in hook.taken if " gain" in m["title"]] == ["2 gains v6.0 to v6.9"]


def test_a_release_of_what_is_not_under_embargo_is_refused(world):
    free(world, AT + DAY)

    with pytest.raises(UsageError, match=r"inference v6\.9 is not under embargo"):
        free(world, AT + DAY)


def test_a_baseline_under_embargo_is_released_without_alerts(stage, hook):
    made = stage.baseline(*acme(3, round="v6.0"))
    ingest(stage, made, sealed(), AT, private=True, baseline=True)
    free(made, AT + HOUR)

    assert [m["title"] for m in hook.taken if m["kind"] != "digest"] == []


# ------------------------------------------------------------------------------------------------ made public by others


def test_a_source_that_has_it_in_public_ends_the_embargo_and_the_embargoed_values_are_never_told(
    stage, world, hook
):
    public = tuple(replace(each, value=each.value + 1000) for each in sealed())
    stage.publish(*public)
    world.go(AT + HOUR)
    world.go(AT + 2 * HOUR)

    told = Counter(m["title"] for m in hook.taken if m["kind"] == "alert")
    assert (told["Kestrel: 2 results added, v6.9"], told["MLPerf Inference v6.9 is public"]) == (1, 1)
    assert not [title for title in told if "changed" in title or "removed" in title]
    assert "987654.25" not in json.dumps(hook.taken)
    with Store(world.state, now=AT) as store:
        assert not [table for table in store.tables.all() if table.private]


def test_the_same_bytes_in_public_end_the_embargo_too(stage, world, hook):
    stage.publish(*sealed())
    world.go(AT + HOUR)

    assert "Kestrel: 2 results added, v6.9" in {m["title"] for m in hook.taken}


def test_a_table_that_is_public_here_cannot_be_put_under_embargo(stage, world):
    with pytest.raises(UsageError, match=r"inference v6\.0 is public here already"):
        ingest(stage, world, acme(4, round="v6.0"), AT + HOUR, private=True)


def test_a_name_seen_under_embargo_is_still_news_when_it_appears_in_public(stage, world, hook):
    stage.publish(secret(round="v6.1", value=1.0))
    world.go(AT + HOUR)

    titles = {m["title"] for m in hook.taken}
    assert {"new submitter: Kestrel", "new accelerator: Zephyr 9000"} <= titles
