"""Receivers that are broken, and receivers and their options in the config: who is told, and what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.pipeline_stage import (
    AT,
    DAY,
    HOUR,
    Hook,
    Stage,
    World,
    hook_options,
    published,
    submitters,
    told_by_slack,
    webhook_to,
    with_receiver,
)
from watcher.demo.github import GitHubServer
from watcher.domain import Secret
from watcher.errors import ConfigError
from watcher.store import Store

TWO = {"A-0001": 1, "A-0002": 1}


@pytest.fixture
def stage(tmp_path: Path, github: GitHubServer) -> Stage:
    return Stage(tmp_path, github)


def attempts(world: World) -> list[list[str]]:
    """Return the outcomes of each delivery's tries."""
    owed = world.owed()
    with Store(world.state, now=AT) as store:
        return [[each.outcome for each in store.outbox.attempts(one.number)] for one in owed]


# ------------------------------------------------------------------------------------------------ broken receivers


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_broken_receiver_keeps_what_it_is_owed_and_another_is_told_at_once(stage, hook, status):
    with Hook() as broken:
        stage.receiver("broken", "webhook", hook_options(broken))
        stage.receiver("hook", "webhook", hook_options(hook))
        world = published(stage)
        broken.fail(status)

        world.go(AT)

        assert (world.states("broken"), broken.taken) == ({"waiting": 1, "pending": 1}, [])
        (told,) = (message for message in hook.taken if message["rules"] == ["trouble"])
        assert told["title"].startswith(
            f"Source receiver broken failing: the webhook answered {status} (not now): check the "
        )


def test_a_receiver_that_works_again_gets_what_it_is_owed_and_the_other_hears_of_it(stage, hook):
    with Hook() as broken:
        stage.receiver("broken", "webhook", hook_options(broken))
        stage.receiver("hook", "webhook", hook_options(hook))
        world = published(stage)
        broken.fail(401, 401, 401)

        for hour in range(5):
            world.go(AT + hour * HOUR)

        assert (broken.told, world.states()) == (TWO, {"sent": 6})
        assert [message["alerts"] for message in broken.taken] == [["A-0001"], ["A-0002"]]
        assert hook.taken[-1]["title"] == (
            "Source receiver broken recovered: it works again and gets what it was owed"
        )


def test_what_is_owed_after_a_long_time_comes_as_one_message(stage, hook):
    stage.receiver("hook", "webhook", hook_options(hook, timeout=5.0))
    world = published(stage, *submitters("Acme", "Umbrella", "Hooli", "Initech", "Globex", "Stark"))
    hook.fail(404)

    world.go(AT)
    world.go(AT + HOUR)

    assert [message["alerts"] for message in hook.taken] == [
        ["A-0001"],  # of a severity that keeps a message of its own
        [f"A-000{number}" for number in range(2, 8)],
    ]
    assert world.states() == {"sent": 7}


def test_who_hears_of_a_broken_receiver_can_be_set(stage, hook):
    with Hook() as broken, Hook() as office:
        stage.receiver("broken", "webhook", hook_options(broken))
        stage.receiver("hook", "webhook", hook_options(hook))
        stage.receiver("office", "webhook", hook_options(office), rules=("trouble",))
        stage.settings = {"default_receivers": ("broken", "hook"), "trouble_receivers": ("office",)}
        world = published(stage)
        broken.fail(401)

        world.go(AT)

        assert ([m["rules"] for m in office.taken], hook.told) == ([["trouble"]], TWO)


def test_a_broken_receiver_that_is_the_only_default_is_told_to_whoever_else_there_is(stage, hook):
    with Hook() as broken:
        stage.receiver("broken", "webhook", hook_options(broken))
        stage.receiver("hook", "webhook", hook_options(hook))
        stage.settings = {"default_receivers": ("broken",)}
        world = published(stage)
        broken.fail(401)

        world.go(AT)

        assert [message["rules"] for message in hook.taken] == [["trouble"]]
        assert [each.about for each in world.owed("broken")] == ["A-0001", "A-0002"]


def test_a_receiver_that_takes_nothing_for_hours_is_told_of_once(stage, slack, hook):
    stage.receiver("team", "slack", webhook_to(slack))
    stage.receiver("hook", "webhook", hook_options(hook))
    world = published(stage)
    slack.fail(*[500] * 6)

    for hours in range(12):
        world.go(AT + hours * HOUR)

    told = [message["title"] for message in hook.taken if message["rules"] == ["trouble"]]
    assert [title.partition(" since ")[0] for title in told] == [
        "Source receiver team failing: it has taken nothing",
        "Source receiver team recovered: it takes messages again",
    ]
    assert {name: count for name, count in told_by_slack(slack).items() if count != 1} == {}


# ------------------------------------------------------------------------------------------------ the config


def test_a_receiver_with_a_wrong_option_stops_the_start_before_anything_is_fetched(stage, github):
    stage.receiver("team", "slack", {"webhook_ulr": Secret("https://hooks.example/x")})

    with pytest.raises(ConfigError, match=r"receiver 'team'.*'webhook_ulr'; did you mean 'webhook_url'"):
        stage.world.go(AT)

    assert github.requests == []


def test_a_secret_that_turned_wrong_is_its_own_receivers_trouble(stage, hook):
    with Hook() as other:
        stage.receiver("other", "webhook", hook_options(other))
        stage.receiver("hook", "webhook", hook_options(hook))
        world = published(stage)
        other_now, same = world.config.receivers
        wrong = replace(other_now, options={"url": Secret("http://elsewhere.example/in"), "timeout": 5.0})
        config = replace(world.config, receivers=(wrong, same))

        replace(world, config=config).go(AT)
        world.go(AT + HOUR)

        assert {name: hook.told[name] for name in TWO} == TWO
        assert (other.told, world.states("other")) == (TWO, {"sent": 2})


def test_rules_that_would_reach_nobody_are_refused(stage, hook):
    stage.receiver("hook", "webhook", hook_options(hook), alerts=False)

    with pytest.raises(ConfigError, match="no rule would reach anybody"):
        stage.world.go(AT)


def test_a_receiver_that_takes_digests_alone_is_somebody(stage, hook):
    stage.receiver("hook", "webhook", hook_options(hook), alerts=False, digest_at="08:00")

    stage.world.go(AT)

    assert stage.world.alerts() == []


def test_what_is_owed_to_a_receiver_that_the_config_lost_waits_a_week_for_its_return(stage, hook):
    stage.receiver("hook", "webhook", hook_options(hook))
    world = published(stage)
    hook.fail(500)
    world.go(AT)
    with Hook() as new:
        without = with_receiver(world, name="new", options=hook_options(new))
        without = replace(without, config=replace(without.config, default_receivers=("new",)))
        without.go(AT + 6 * DAY)

        world.go(AT + 6 * DAY + HOUR)
        assert (hook.told, new.told, world.states()) == (TWO, {}, {"sent": 2})


def test_what_is_owed_to_a_receiver_that_is_gone_for_good_is_given_up_after_a_week(stage, hook):
    stage.receiver("hook", "webhook", hook_options(hook))
    world = published(stage)
    hook.fail(500)
    world.go(AT)
    with Hook() as new:
        without = with_receiver(world, name="new", options=hook_options(new))
        without = replace(without, config=replace(without.config, default_receivers=("new",)))

        without.go(AT + 8 * DAY)

    assert [(each.state, each.last_error) for each in world.owed("hook")] == [
        ("gave_up", "the config names no such receiver any more")
    ] * 2
