"""A round's brief through whole passes: once to each receiver, when the table is complete; then what the first posts claim."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.pipeline_stage import (
    AT,
    DAY,
    HOUR,
    MINUTE,
    RULES,
    Hook,
    Stage,
    World,
    acme,
    bot_options,
    hook_options,
)
from watcher.demo.github import GitHubServer
from watcher.demo.slack import SlackServer
from watcher.domain import CheckedClaim, Claim, Post, Verdict
from watcher.pipeline.briefing import GIVE_UP, PATIENCE, SETTLED, is_complete, posts_are_checked, waiting
from watcher.quiet import Silence
from watcher.store import Store
from watcher.store.tables import TableState

BRIEFED = RULES.replace("watch: round", "watch: round\n    brief: true")
SECONDS = timedelta(seconds=1)


@pytest.fixture
def stage(tmp_path: Path, hook: Hook) -> Iterator[Stage]:
    with GitHubServer() as github:
        made = Stage(tmp_path, github, BRIEFED)
        made.receiver("hook", "webhook", hook_options(hook))
        yield made


def briefs(hook: Hook) -> list[str]:
    return [message["title"] for message in hook.taken if message["kind"] == "brief"]


def published(stage: Stage, *rows) -> World:
    """A world in which round v6.1 was seen to be public at AT."""
    world = stage.baseline(*acme(5, round="v6.0"))
    stage.publish(*(rows or acme(5)))
    world.go(AT)
    return world


def say(world: World, at: datetime, *, url: str = "https://example.org/p", round_name: str = "v6.1") -> None:
    """A post with one checked claim about a round enters the ledger."""
    with Store(world.state, now=at) as store, store.write():
        post = Post(source="acme", identity=url, url=url, title="Faster", html="", text="", vendor="Acme")
        number = store.posts.add(post, "d", at)
        claim = Claim(kind="ratio", value=2.0, round=round_name, quote="up to 2x")
        checked = CheckedClaim(claim=claim, verdict=Verdict(verdict="confirmed"), post_url=url, vendor="Acme")
        store.posts.record_claim(number, checked, at, "read")


# ------------------------------------------------------------------------------------------------ when


def table(**given) -> TableState:
    values = {
        "id": 1, "suite": "inference", "round": "v6.1", "source": "s", "url": None, "digest": None, "columns": frozenset(),
        "polls": 1, "first_seen_at": AT, "polled_at": AT, "baseline": False, "private": False, "held_back_at": None,
        "held_back_reason": None, "results": 5,
    }  # fmt: skip
    return TableState(**{**values, **given})


@pytest.mark.parametrize(
    ("given", "changed", "now", "complete"),
    [
        ({}, AT, AT + SETTLED, True),
        ({}, AT, AT + SETTLED - SECONDS, False),
        ({}, AT + 10 * MINUTE, AT + 12 * MINUTE, False),
        ({}, AT + 19 * MINUTE, AT + PATIENCE, True),
        ({"held_back_at": AT}, AT, AT + HOUR, False),
        ({"private": True}, AT, AT + HOUR, False),
        ({"results": 0}, AT, AT + HOUR, False),
    ],
)
def test_a_table_is_complete_when_it_has_not_changed_for_minutes_or_keeps_changing_for_long(
    given, changed, now, complete
):
    assert is_complete(table(**given), changed, now) is complete


def test_a_round_without_a_table_is_never_complete():
    assert not is_complete(None, None, AT + DAY)


def test_posts_are_told_when_no_claim_came_for_a_while_or_the_first_is_old():
    assert not posts_are_checked([], AT + DAY)
    assert not posts_are_checked([AT, AT + 5 * MINUTE], AT + 14 * MINUTE)
    assert posts_are_checked([AT, AT + 5 * MINUTE], AT + 15 * MINUTE)
    assert posts_are_checked([AT, AT + 59 * MINUTE], AT + HOUR)


# ------------------------------------------------------------------------------------------------ once


def test_the_brief_comes_once_after_the_alert_when_the_table_has_settled(stage, hook):
    world = published(stage)
    world.go(AT + 3 * MINUTE)
    assert briefs(hook) == []

    for minutes in (5, 6, 30):
        world.go(AT + minutes * MINUTE)
    world.go(AT + DAY)

    assert briefs(hook) == ["MLPerf Inference v6.1 at a glance"]
    (message,) = [m for m in hook.taken if m["kind"] == "brief"]
    assert message["summary"] == "5 results (v6.0: 5) by 1 submitter entry (1)"
    assert hook.taken[0]["title"] == "MLPerf Inference v6.1 is public"
    assert world.states() == {"sent": 3}


def test_the_brief_waits_for_a_table_that_still_changes(stage, hook):
    world = published(stage)
    stage.commit(*acme(6))
    world.go(AT + 3 * MINUTE)
    world.go(AT + 5 * MINUTE)
    assert briefs(hook) == []

    world.go(AT + 8 * MINUTE)

    assert [m["summary"] for m in hook.taken if m["kind"] == "brief"] == [
        "6 results (v6.0: 5) by 1 submitter entry (1)"
    ]


def test_a_round_seen_before_its_table_has_its_brief_after_the_table(stage, hook):
    world = stage.baseline(*acme(5, round="v6.0"))
    stage.github.publish("inference_results_v6.1", {"README.md": b"soon"})
    world.go(AT)
    world.go(AT + 10 * MINUTE)
    assert briefs(hook) == []

    stage.commit(*acme(5))
    world.go(AT + HOUR)
    world.go(AT + HOUR + 5 * MINUTE)
    world.go(AT + 2 * HOUR)

    assert briefs(hook) == ["MLPerf Inference v6.1 at a glance"]


def test_two_alerts_about_one_round_give_one_brief(tmp_path, hook):
    with GitHubServer() as github:
        twice = BRIEFED + '  - {id: mine-too, watch: round, title: "{round} again", brief: true}\n'
        stage = Stage(tmp_path, github, twice)
        stage.receiver("hook", "webhook", hook_options(hook))
        world = published(stage)
        world.go(AT + 5 * MINUTE)
        world.go(AT + 10 * MINUTE)

    assert [len(briefs(hook)), sum(m["kind"] == "alert" for m in hook.taken)] == [1, 3]


def test_without_brief_in_the_rule_there_is_none(tmp_path, hook):
    with GitHubServer() as github:
        stage = Stage(tmp_path, github)
        stage.receiver("hook", "webhook", hook_options(hook))
        world = published(stage)
        world.go(AT + 10 * MINUTE)

    assert briefs(hook) == []


def test_a_receiver_that_fails_gets_the_brief_later_and_once(stage, hook):
    world = published(stage)
    hook.fail(503, 503)
    world.go(AT + 5 * MINUTE)
    assert briefs(hook) == []

    world.go(AT + 2 * HOUR)
    world.go(AT + 4 * HOUR)

    assert len(briefs(hook)) == 1


# ------------------------------------------------------------------------------------------------ to whom


def test_who_was_not_owed_the_alert_is_not_owed_the_brief(stage, hook):
    with Hook() as picky:
        stage.receiver("picky", "webhook", hook_options(picky), rules=("rows",))
        world = published(stage)
        world.go(AT + 5 * MINUTE)

        assert (briefs(hook), briefs(picky)) == (["MLPerf Inference v6.1 at a glance"], [])


def test_a_silence_that_began_since_holds_the_brief_back_too(stage, hook):
    world = published(stage)
    with Store(world.state, now=AT) as store, store.write():
        store.outbox.add_silence(
            Silence(
                matcher={"rule": ("new-round",)},
                author="me",
                comment="enough",
                created_at=AT,
                expires_at=AT + DAY,
            )
        )
    world.go(AT + 5 * MINUTE)

    assert briefs(hook) == []


def test_in_quiet_hours_the_brief_waits_for_their_end(stage, hook):
    with Hook() as sleeper:
        stage.receiver(
            "sleeper", "webhook", hook_options(sleeper), zone="UTC", quiet_hours=("15:08", "17:00")
        )
        world = published(stage)
        world.go(AT + 5 * MINUTE)
        assert (len(briefs(hook)), briefs(sleeper)) == (1, [])

        world.go(datetime(2026, 9, 16, 17, 1, tzinfo=UTC))

        assert len(briefs(sleeper)) == 1


# ------------------------------------------------------------------------------------------------ what posts claim


def test_the_first_posts_claims_follow_once_they_are_checked(stage, hook):
    world = published(stage)
    world.go(AT + 5 * MINUTE)
    say(world, AT + 20 * MINUTE)
    world.go(AT + 25 * MINUTE)
    assert len(briefs(hook)) == 1

    world.go(AT + 31 * MINUTE)
    say(world, AT + 2 * HOUR, url="https://example.org/later")
    world.go(AT + 3 * HOUR)

    assert briefs(hook) == [
        "MLPerf Inference v6.1 at a glance",
        "MLPerf Inference v6.1: the first posts against the rows",
    ]
    assert hook.taken[-1]["summary"] == "1 claim in 1 post: 1 borne out"


def test_claims_that_came_before_stand_in_the_brief_and_nothing_follows(stage, hook):
    world = published(stage)
    say(world, AT + MINUTE)
    world.go(AT + 5 * MINUTE)
    world.go(AT + 2 * HOUR)

    assert briefs(hook) == ["MLPerf Inference v6.1 at a glance"]
    assert "1 claim read so far: 1 borne out." in str(hook.taken[-1])


def test_claims_about_another_round_do_not_follow(stage, hook):
    world = published(stage)
    world.go(AT + 5 * MINUTE)
    say(world, AT + 6 * MINUTE, round_name="v6.0")
    world.go(AT + DAY)

    assert len(briefs(hook)) == 1


def test_in_slack_the_follow_up_answers_to_the_brief(stage):
    with SlackServer() as slack:
        stage.receivers.clear()
        stage.receiver("team", "slack", bot_options(slack))
        world = published(stage)
        world.go(AT + 5 * MINUTE)
        say(world, AT + 6 * MINUTE)
        world.go(AT + 20 * MINUTE)

        brief = next(m for m in slack.messages if "at a glance" in str(m.content))
        follow = next(m for m in slack.messages if "the first posts against" in str(m.content))
        assert (brief.content.get("thread_ts"), follow.content.get("thread_ts")) == (None, brief.ts)


def test_after_a_fortnight_nothing_is_waited_for(stage):
    world = published(stage)
    world.go(AT + 5 * MINUTE)
    world.go(AT + GIVE_UP)

    with Store(world.state, now=AT) as store:
        assert waiting(store) == {}
