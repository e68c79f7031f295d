"""Whole passes: what makes news and what does not, what is held back and why, and that nothing vanishes on the way."""

from __future__ import annotations

import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.pipeline_stage import (
    AT,
    DAY,
    HOUR,
    MINUTE,
    RULES,
    TABLE,
    Hook,
    Stage,
    World,
    acme,
    hook_options,
    pass_elsewhere,
    submitters,
    titles,
)
from watcher.demo.github import GitHubServer
from watcher.demo.published import summary
from watcher.errors import HeldBackError, LockedError
from watcher.pipeline.ingest import Request, ingest_file, release
from watcher.pipeline.one_pass import begin, tell
from watcher.store import Store


@pytest.fixture
def stage(tmp_path: Path, github: GitHubServer, hook: Hook) -> Stage:
    made = Stage(tmp_path, github)
    made.receiver("hook", "webhook", hook_options(hook))
    return made


def rules(stage: Stage, text: str) -> None:
    (stage.folder / "rules.yaml").write_text(text)


# ------------------------------------------------------------------------------------------------ news, and no news


def test_what_is_public_at_the_first_check_is_no_news_and_a_round_after_it_is(stage, hook):
    world = stage.baseline()
    assert (world.alerts(), hook.taken) == ([], [])

    stage.publish(*submitters("Acme"))
    world.go(AT)

    assert titles(hook) == ["MLPerf Inference v6.1 is public", "Acme: 1 result added, v6.1"]


def test_a_second_pass_over_an_unchanged_world_gets_304s_alone_and_tells_nothing(stage, hook, github):
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    world.go(AT)
    asked, downloads, told = len(github.requests), len(github.downloads()), len(hook.taken)
    github.counts.clear()

    done = world.go(AT + MINUTE)

    assert (done.checked.unchanged, done.alerts, done.sent) == (["inference"], [], 0)
    assert (len(github.downloads()), len(hook.taken)) == (downloads, told)
    expected = (
        len(github.requests) - asked - github.counts[404]
    )  # a name that is expected next, and is not there
    assert (github.counts[304], github.counts[200]) == (expected, 0)


def test_rows_and_keys_in_another_order_are_no_news(stage, hook, github):
    world = stage.baseline(*acme(30, round="v6.0"))
    shown = json.loads(summary(acme(30, round="v6.0")))
    mixed = list(shown.items())
    random.Random(6).shuffle(mixed)
    body = json.dumps({key: dict(reversed(row.items())) for key, row in mixed}).encode()
    github.commit("inference_results_v6.0", TABLE, body)

    for n in range(3):
        world.go(AT + n * MINUTE)

    assert (world.alerts(), hook.taken) == ([], [])


def test_a_value_that_is_corrected_and_corrected_back_is_told_both_times(stage, hook):
    before = acme(3, round="v6.0")
    after = (replace(before[0], value=2.0), *before[1:])
    world = stage.baseline(*before)

    for n, rows in enumerate((after, before, before)):
        stage.commit(*rows)
        world.go(AT + n * HOUR)

    assert titles(hook) == ["Acme: 1 result changed, v6.0"] * 2


def test_too_many_requests_and_then_an_answer_is_no_change(stage, hook, github):
    world = stage.baseline()
    github.fail(429, {"Retry-After": "60"}, b"<html>slow down</html>")
    failed = world.go(AT)
    github.recover()
    world.go(AT + HOUR)

    assert (list(failed.checked.failed), world.alerts(), hook.taken) == (["inference"], [], [])


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", ["failing", "recovered"]),
        (b"<html>Service unavailable</html>", ["failing", "recovered"]),
        (b"{}", ["held back"]),
        (b"[]", ["held back"]),
    ],
)
def test_an_empty_or_an_error_page_where_a_table_was_is_trouble_told_once_and_no_change(
    stage, hook, github, body, told
):
    world = stage.baseline(*acme(9, round="v6.0"))
    github.commit("inference_results_v6.0", TABLE, body)
    for n in range(4):
        world.go(AT + n * HOUR)
    stage.commit(*acme(9, round="v6.0"))
    world.go(AT + DAY)

    assert [title.partition(":")[0] for title in titles(hook)] == [
        f"Source inference {word}" for word in told
    ]
    with Store(world.state, now=AT) as store:
        assert (len(store.tables.results(suite="inference")), store.tables.all()[0].held_back_at) == (9, None)


def test_a_source_that_fails_three_times_and_recovers_is_told_once_each(stage, hook, github):
    world = stage.baseline()
    github.fail(500)
    for n in range(5):
        world.go(AT + n * HOUR)
    github.recover()
    world.go(AT + 5 * HOUR)
    world.go(AT + 6 * HOUR)

    assert [title.partition(":")[0] for title in titles(hook)] == [
        "Source inference failing",
        "Source inference recovered",
    ]


# ------------------------------------------------------------------------------------------------ told before, told once


def test_a_restart_or_another_config_sends_nothing_again(stage, hook):
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    world.go(AT)
    told = dict(hook.told)
    with Hook() as new:
        stage.receiver("new", "webhook", hook_options(new), min_severity="high")
        rules(stage, RULES.replace("severity: high", "severity: critical"))

        stage.world.go(AT + MINUTE)
        pass_elsewhere(stage.world, AT + HOUR)

        assert (dict(hook.told), new.taken) == (told, [])


def test_a_rule_added_later_looks_forward_only(stage, hook):
    world = stage.baseline()
    stage.publish(*acme(2))
    world.go(AT)
    rules(stage, RULES + '  - {id: late, title: "late: {platform}", watch: result, on: [added]}\n')
    world.go(AT + MINUTE)
    before = len(hook.taken)
    stage.commit(*acme(3))

    world.go(AT + HOUR)

    assert titles(hook)[before:] == ["late: rack-2", "Acme: 1 result added, v6.1"]


def test_dropped_documents_and_a_year_change_nothing_of_what_was_told(stage, hook):
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    world.go(AT)
    with world.watcher() as watcher, watcher.store.write():
        watcher.store.sources.prune_documents(0)

    for days in (1, 30, 365):
        world.go(AT + days * DAY)

    assert titles(hook) == ["MLPerf Inference v6.1 is public", "Acme: 1 result added, v6.1"]


def test_a_source_goes_on_while_what_it_brought_waits_to_be_sent(stage, hook):
    world = stage.baseline(*acme(3, round="v6.0"))
    hook.fail(500)
    first = tuple(replace(row, value=row.value + 1) for row in acme(3, round="v6.0"))
    stage.commit(*first)
    world.go(AT)
    stage.commit(*(replace(row, value=row.value + 1) for row in first))
    world.go(AT + HOUR)

    assert hook.told == {"A-0001": 1, "A-0002": 1}


def test_two_runs_at_once_the_second_ends_and_sends_nothing(stage, hook):
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    with world.watcher(), pytest.raises(LockedError):
        world.go(AT)

    assert hook.taken == []


def test_a_deadline_that_passed_is_told_once(stage, hook):
    rules(
        stage,
        'rules: [{id: power, title: "power by {submitter}", watch: result, where: {power: {exists: true}}, '
        "until: 2026-09-17, severity: high}]",
    )
    world = stage.baseline()

    for days in range(4):
        world.go(AT + days * DAY)

    assert titles(hook) == ["power has not fired by 17 September 2026"]


# ------------------------------------------------------------------------------------------------ local tables


def ingest(stage: Stage, world: World, rows: Any, at: datetime, **given: Any) -> None:
    """Ingest a table of these rows and send what came of it, as the command does."""
    file = stage.folder / "local.json"
    file.write_bytes(summary(rows))
    with world.watcher(now=at) as watcher:
        start = begin(watcher, at)
        try:
            ingest_file(watcher, file, Request(**given), at)
        except HeldBackError:
            pass
        finally:
            tell(watcher, at, start)


def test_a_table_under_embargo_sends_nothing_until_it_is_released_and_then_once(stage, hook):
    world = stage.baseline(*acme(9, round="v6.0"))
    ingest(stage, world, acme(9), AT, private=True)
    ingest(stage, world, acme(10), AT + HOUR, private=True)
    ingest(stage, world, acme(2), AT + HOUR, private=True)  # held back, and nothing is told of that either
    world.go(AT + 2 * HOUR)
    assert (world.alerts(), hook.taken) == ([], [])

    with world.watcher() as watcher:
        release(watcher, "inference", "v6.1", AT + DAY)
    world.go(AT + DAY)
    world.go(AT + DAY + HOUR)

    assert titles(hook) == [
        "MLPerf Inference v6.1 is public",
        "Acme: 10 results added, v6.1",
    ]


def test_a_round_held_as_history_is_told_with_its_results_when_its_repository_goes_public(stage, hook):
    world = stage.baseline()
    ingest(stage, world, acme(3), AT, baseline=True)
    stage.publish(*acme(3))
    world.go(AT + HOUR)

    assert [(message["title"], message["summary"]) for message in hook.taken] == [
        ("MLPerf Inference v6.1 is public", "MLPerf Inference v6.1 is public, with 3 results")
    ]


def test_a_local_table_and_a_fetched_one_are_one_table(stage, hook):
    world = stage.baseline(*acme(3, round="v6.0"))
    ingest(stage, world, acme(3), AT)
    stage.publish(*acme(3))
    world.go(AT + HOUR)
    ingest(stage, world, acme(4), AT + 2 * HOUR)

    assert titles(hook) == [
        "MLPerf Inference v6.1 is public",
        "Acme: 3 results added, v6.1",
        "Acme: 1 result added, v6.1",
    ]
