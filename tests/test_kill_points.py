"""The process ends by SIGKILL at every named point, each time it is reached; the next run makes up for it.

Nothing is lost anywhere. A double is possible at one point alone: after the other side took a message, before that is
written down. There a webhook gets the message once more, marked as a possible repeat and under the same id; a bot token
finds the message and does not post again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.pipeline_stage import (
    AT,
    MINUTE,
    RULES,
    Hook,
    Stage,
    World,
    bot_options,
    hook_options,
    pass_elsewhere,
    points_reached,
    submitters,
    told_by_slack,
)
from watcher.demo.github import GitHubServer
from watcher.demo.slack import SlackServer

KILLED = -9
# What one pass over a new round reaches: 2 alerts and a digest, each to two receivers.
REACHED = {
    "fetched": 1, "recording": 1, "recorded": 1, "evaluating": 1, "evaluated": 1, "digesting": 2, "digested": 2,
    "claimed": 6, "accepted": 6, "marking": 6, "marked": 6,
}  # fmt: skip
AFTER_THE_CALL = {"accepted", "marking"}  # the other side has the message, and the state does not say so
ONCE = {"A-0001": 1, "A-0002": 1}


class Scene(NamedTuple):
    """A world in which round v6.1 went public since the baseline, and its receivers."""

    world: World
    hook: Hook
    slack: SlackServer

    def forget(self) -> None:
        """Empty the receivers."""
        self.hook.taken.clear()
        self.slack.messages.clear()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with GitHubServer() as github, SlackServer() as slack, Hook() as hook:
        stage = Stage(tmp_path_factory.mktemp("killed"), github)
        stage.receiver("hook", "webhook", hook_options(hook), digest_at="15:00")
        stage.receiver("bot", "slack", bot_options(slack), digest_at="15:00")
        stage.baseline()
        stage.publish(*submitters("Acme"))
        yield Scene(stage.world, hook, slack)


@pytest.fixture(autouse=True)
def _nothing_told(scene: Scene) -> None:
    scene.forget()


def digests(scene: Scene) -> tuple[int, int]:
    by_hook = sum(message["kind"] == "digest" for message in scene.hook.taken)
    return by_hook, sum("Digest of" in str(message.content) for message in scene.slack.messages)


def alerts_told(scene: Scene) -> Counter[str]:
    return Counter(name for m in scene.hook.taken if m["kind"] != "digest" for name in m["alerts"])


def alerts_posted(scene: Scene) -> Counter[str]:
    messages = [m for m in scene.slack.messages if "Digest of" not in str(m.content)]
    with SlackServer() as only_alerts:
        only_alerts.messages = messages
        return told_by_slack(only_alerts)


def test_one_pass_reaches_every_named_point(scene: Scene, tmp_path: Path):
    assert Counter(points_reached(scene.world.elsewhere("whole"), AT)) == REACHED
    assert (alerts_told(scene), alerts_posted(scene), digests(scene)) == (ONCE, ONCE, (1, 1))


@pytest.mark.parametrize("point", [p for p in REACHED if p not in AFTER_THE_CALL])
def test_killed_anywhere_else_every_message_arrives_exactly_once(scene: Scene, point: str):
    for nth in range(1, REACHED[point] + 1):
        scene.forget()
        world = scene.world.elsewhere(f"{point}-{nth}")

        assert (pass_elsewhere(world, AT, (point, nth)), pass_elsewhere(world, AT + MINUTE)) == (KILLED, 0)

        assert (alerts_told(scene), alerts_posted(scene), digests(scene)) == (ONCE, ONCE, (1, 1))
        assert world.states() == {"sent": 6}


@pytest.mark.parametrize("point", sorted(AFTER_THE_CALL))
def test_killed_before_an_answer_is_written_down_a_webhook_may_get_a_marked_double(scene: Scene, point: str):
    doubled = Counter()
    for nth in range(1, REACHED[point] + 1):
        scene.forget()
        world = scene.world.elsewhere(f"{point}-{nth}")

        assert (pass_elsewhere(world, AT, (point, nth)), pass_elsewhere(world, AT + MINUTE)) == (KILLED, 0)

        by_id = Counter(message["id"] for message in scene.hook.taken)
        repeats = [message["id"] for message in scene.hook.taken if message["possible_repeat"]]
        assert repeats == [name for name, count in by_id.items() if count == 2]
        assert set(alerts_told(scene)) == set(ONCE)
        assert len(scene.slack.messages) == 3
        assert (alerts_posted(scene), digests(scene)[1]) == (ONCE, 1)
        assert world.states() == {"sent": 6}
        doubled[len(repeats)] += 1
    assert doubled == {1: 3, 0: 3}  # each of the webhook's three messages in its turn, none of the bot's


def test_killed_again_and_again_nothing_is_lost(scene: Scene):
    world = scene.world.elsewhere("again")
    ends = [
        pass_elsewhere(world, AT + n * MINUTE, (point, 1))
        for n, point in enumerate(("fetched", "recording", "recorded", "evaluating", "evaluated", "claimed"))
    ]

    assert (ends, pass_elsewhere(world, AT + 9 * MINUTE)) == ([KILLED] * 6, 0)
    assert (alerts_told(scene), alerts_posted(scene), digests(scene)) == (ONCE, ONCE, (1, 1))


@pytest.mark.parametrize("point", ["briefing", "briefed"])
def test_killed_while_a_rounds_brief_is_made_it_arrives_once(tmp_path: Path, point: str):
    with GitHubServer() as github, Hook() as hook:
        stage = Stage(tmp_path, github, RULES.replace("watch: round", "watch: round\n    brief: true"))
        stage.receiver("hook", "webhook", hook_options(hook))
        world = stage.baseline()
        stage.publish(*submitters("Acme"))
        world.go(AT)

        ends = [pass_elsewhere(world, AT + 5 * MINUTE, (point, 1)), pass_elsewhere(world, AT + 6 * MINUTE)]

        assert (ends, [m["kind"] for m in hook.taken]) == ([KILLED, 0], ["alert", "alert", "brief"])


@pytest.mark.parametrize("point", ["recording", "evaluating", "digesting"])
def test_killed_inside_a_transaction_nothing_of_it_is_in_the_state(scene: Scene, point: str):
    world = scene.world.elsewhere(f"inside-{point}")
    committed = {
        "recording": ("tables", "events", "validators"), "evaluating": ("alerts", "alert_events"), "digesting": ("digests",),
    }  # fmt: skip
    before = {name: rows_of(world, name) for name in committed[point]}

    pass_elsewhere(world, AT, (point, 1))

    assert {name: rows_of(world, name) for name in committed[point]} == before


def rows_of(world: World, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(world.state)) as state:
        return state.execute(f"SELECT * FROM {table}").fetchall()


def test_killed_while_the_first_state_is_recorded_the_next_run_takes_it_as_the_baseline(tmp_path: Path):
    with GitHubServer() as github, Hook() as hook:
        stage = Stage(tmp_path, github)
        stage.receiver("hook", "webhook", hook_options(hook))
        stage.publish(*submitters("Acme", round="v6.0"))

        ends = [pass_elsewhere(stage.world, AT, (point, 1)) for point in ("fetched", "recording", "recorded")]
        ends.append(pass_elsewhere(stage.world, AT + MINUTE))

        assert (ends, stage.world.alerts(), hook.taken) == ([KILLED, KILLED, KILLED, 0], [], [])


def test_a_removal_is_told_once_when_the_process_dies_between_its_two_polls(tmp_path: Path):
    with GitHubServer() as github, Hook() as hook:
        stage = Stage(tmp_path, github)
        stage.receiver("hook", "webhook", hook_options(hook))
        stage.baseline(*submitters("Acme", "Umbrella", "Hooli", "Initech"))
        stage.commit(*submitters("Acme", "Umbrella", "Hooli"))
        world = stage.world

        ends = [pass_elsewhere(world, AT + n * MINUTE, ("recorded", 1)) for n in range(2)]
        ends.append(pass_elsewhere(world, AT + 2 * MINUTE))

        assert ends == [KILLED, KILLED, 0]
        assert [message["title"] for message in hook.taken] == ["Initech: 1 result removed, v6.1"]
