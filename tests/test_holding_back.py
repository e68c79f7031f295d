"""What is held back and why, through whole passes: silences, cooldown, quiet hours, filters, bursts; nothing vanishes."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.pipeline_stage import (
    AT,
    HOUR,
    MINUTE,
    RULES,
    Hook,
    Stage,
    World,
    acme,
    hook_options,
    submitters,
    titles,
)
from watcher.demo.github import GitHubServer
from watcher.quiet import Silence

EVENING = datetime(2026, 9, 16, 20, 30, tzinfo=AT.tzinfo)  # 22:30 in Berlin
BERLIN = {"zone": "Europe/Berlin", "quiet_hours": ("22:00", "07:00")}


@pytest.fixture
def stage(tmp_path: Path, github: GitHubServer, hook: Hook) -> Stage:
    made = Stage(tmp_path, github)
    made.receiver("hook", "webhook", hook_options(hook))
    return made


def reasons(world: World, receiver: str | None = None) -> dict[str, int]:
    """Return how many deliveries were held back for which reason."""
    return dict(Counter(each.reason for each in world.owed(receiver) if each.state == "suppressed"))


def rules(stage: Stage, text: str) -> None:
    (stage.folder / "rules.yaml").write_text(text)


# ------------------------------------------------------------------------------------------------ held back, and why


def silence(world: World, at: datetime, hours: float, **fields: str) -> None:
    """Silence what matches, as `alerts silence` does."""
    made = Silence(
        matcher={name: (value,) for name, value in fields.items()}, author="ann", comment="publication day",
        created_at=at, expires_at=at + hours * HOUR,
    )  # fmt: skip
    with world.watcher() as watcher, watcher.store.write():
        watcher.store.outbox.add_silence(made)


def test_what_a_silence_holds_back_is_recorded_with_its_author_and_comment(stage, hook):
    world = stage.baseline()
    silence(world, AT, 1, submitter="Acme")
    stage.publish(*submitters("Acme", "Umbrella"))

    world.go(AT)

    assert titles(hook) == ["MLPerf Inference v6.1 is public", "Umbrella: 1 result added, v6.1"]
    assert reasons(world) == {"silenced by ann until 2026-09-16 16:05 UTC: publication day": 1}


def flapping(stage: Stage, world: World, times: int) -> None:
    """Change one value every hour, from `AT` on."""
    for n in range(times):
        stage.commit(*(replace(row, value=row.value + 1 + n) for row in acme(3, round="v6.0")))
        world.go(AT + n * HOUR)


def test_a_cooldown_holds_back_with_its_reason_and_ends(stage, hook):
    rules(stage, RULES.replace("group_by: [round, submitter, event]", "group_by: [round]\n    cooldown: 3h"))
    world = stage.baseline(*acme(3, round="v6.0"))

    flapping(stage, world, 5)

    assert [message["alerts"] for message in hook.taken] == [["A-0001"], ["A-0004"]]
    told, again = "2026-09-16 15:05Z", "2026-09-16 18:05Z"
    after, later = "2026-09-16 18:05Z", "2026-09-16 21:05Z"
    assert reasons(world) == {
        f"cooldown: told at {told}, again from {again}": 2,
        f"cooldown: told at {after}, again from {later}": 1,
    }


def test_an_alert_that_a_silence_held_back_starts_no_cooldown(stage, hook):
    rules(stage, RULES.replace("group_by: [round, submitter, event]", "group_by: [round]\n    cooldown: 3h"))
    world = stage.baseline(*acme(3, round="v6.0"))
    silence(world, AT, 0.5, rule="rows")

    flapping(stage, world, 2)

    assert [message["alerts"] for message in hook.taken] == [["A-0002"]]


def test_quiet_hours_put_off_to_the_morning_and_let_critical_alerts_through(stage, hook):
    stage.receivers.clear()
    stage.receiver("hook", "webhook", hook_options(hook), **BERLIN)
    rules(stage, RULES.replace("severity: high", "severity: critical", 1))
    world = stage.baseline()
    stage.publish(*submitters("Acme", "Umbrella"))

    world.go(EVENING)
    at_night = titles(hook)
    put_off = {(each.reason, each.next_attempt_at) for each in world.owed() if each.state == "pending"}
    world.go(EVENING + 8 * HOUR)
    before_seven = len(hook.taken)
    world.go(EVENING + 8.5 * HOUR)

    assert (at_night, before_seven) == (["MLPerf Inference v6.1 is public"], 1)
    assert put_off == {("quiet hours until 07:00", EVENING + 8.5 * HOUR)}
    assert titles(hook)[1:] == ["Acme: 1 result added, v6.1", "Umbrella: 1 result added, v6.1"]


def test_what_waited_for_another_try_does_not_break_into_quiet_hours(stage, hook):
    stage.receivers.clear()
    stage.receiver("hook", "webhook", hook_options(hook), **BERLIN)
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    hook.fail(500)

    world.go(EVENING - HOUR)
    for n in range(8):
        world.go(EVENING + n * HOUR)
    at_night = len(hook.taken)
    world.go(EVENING + 9 * HOUR)

    assert (at_night, hook.told) == (0, {"A-0001": 1, "A-0002": 1})


def test_each_receiver_has_its_own_filter_and_what_it_does_not_take_is_recorded(stage, hook):
    with Hook() as grave, Hook() as rounds, Hook() as digests:
        stage.receiver("grave", "webhook", hook_options(grave), min_severity="high")
        stage.receiver("rounds", "webhook", hook_options(rounds), watches=("round",))
        stage.receiver("digests", "webhook", hook_options(digests), alerts=False)
        stage.settings = {"default_receivers": ("hook", "grave", "rounds", "digests")}
        world = stage.baseline()
        stage.publish(*submitters("Acme"))

        world.go(AT)

        assert [dict(each.told) for each in (hook, grave, rounds, digests)] == [
            {"A-0001": 1, "A-0002": 1},
            {"A-0001": 1},
            {"A-0001": 1},
            {},
        ]
    assert reasons(world) == {
        "grave takes high and above": 1,
        "rounds does not take alerts on a result": 1,
        "digests takes digests only": 2,
    }


def test_a_rule_for_the_digest_alone_sends_nothing_and_says_so(stage, hook):
    rules(stage, RULES.replace("group_by: [round, submitter, event]", "digest_only: true"))
    world = stage.baseline()
    stage.publish(*acme(3))

    world.go(AT)

    assert (titles(hook), reasons(world)) == (["MLPerf Inference v6.1 is public"], {"digest only": 3})


def test_a_burst_is_one_message_that_says_how_many_more_there_are(stage, hook):
    world = stage.baseline()
    stage.publish(*submitters(*(f"Submitter {n:02d}" for n in range(40))))

    world.go(AT)

    grave, burst = hook.taken
    assert (grave["alerts"], len(burst["alerts"])) == (["A-0001"], 40)
    assert "and 10 more alerts" in burst["text"]
    assert world.states() == {"sent": 41}


# ------------------------------------------------------------------------------------------------ whatever happens


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_each_alert_is_sent_once_or_held_back_with_a_reason(stage, hook, github, seed):
    chance = random.Random(seed)
    with Hook() as second:
        stage.receiver("second", "webhook", hook_options(second), **BERLIN)
        rows = list(acme(9, round="v6.0"))
        world = stage.baseline(*rows)
        at = AT
        for _ in range(30):
            at += chance.choice((MINUTE, HOUR, 5 * HOUR))
            what = chance.choice(("value", "value", "server", "hook", "second", "silence", "nothing"))
            if what == "value":
                number = chance.randrange(9)
                rows[number] = replace(rows[number], value=chance.uniform(1, 9e9))
                stage.commit(*rows)
            elif what == "server":
                github.fail(chance.choice((429, 500)), times=chance.randrange(1, 9))
            elif what == "silence":
                silence(world, at, 2, rule="rows")
            elif what != "nothing":
                {"hook": hook, "second": second}[what].fail(chance.choice((401, 429, 500, 503)))
            world.go(at)
        github.recover()
        hook.script.clear()
        second.script.clear()
        for hours in range(1, 12):
            world.go(at + 2 * hours * HOUR)

        owed = world.owed()
        assert {each.state for each in owed} <= {"sent", "suppressed"}
        assert all(each.reason for each in owed if each.state == "suppressed")
        for name, receiver in (("hook", hook), ("second", second)):
            sent = {each.about: 1 for each in owed if each.state == "sent" and each.receiver == name}
            assert receiver.told == sent
        assert {each.about for each in owed} == {alert.name for alert in world.alerts()}
