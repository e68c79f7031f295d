"""From owed to arrived, through whole passes: real servers that fail in every way, and exact counts of what they got."""

from __future__ import annotations

from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.pipeline_stage import (
    AT,
    DAY,
    HOUR,
    MINUTE,
    Stage,
    World,
    acme,
    alert_names,
    bot_options,
    hook_options,
    published,
    told_by_slack,
    webhook_to,
    with_receiver,
)
from tests.receiver_servers import Answer, Mailbox, closed_port, http_receiver, mail_server, make_certificate
from watcher.demo.github import GitHubServer
from watcher.demo.local import Reply
from watcher.domain import Secret
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


# ------------------------------------------------------------------------------------------------ passing trouble


def test_slack_that_answers_500_for_hours_gets_each_alert_once_oldest_first(stage, slack):
    stage.receiver("team", "slack", webhook_to(slack))
    world = published(stage)
    slack.fail(500, 500, 503)

    for hour in range(8):
        world.go(AT + hour * HOUR)

    assert [alert_names(message.content) for message in slack.messages] == [{"A-0001"}, {"A-0002"}]
    assert attempts(world) == [["TryLater", "TryLater", "TryLater", "sent"], ["sent"]]


def test_slack_that_says_429_with_seconds_is_not_asked_before(stage, slack):
    stage.receiver("team", "slack", webhook_to(slack))
    world = published(stage)
    slack.fail(429, retry_after=120)

    world.go(AT)
    world.go(AT + MINUTE)
    early = len(slack.requests)
    world.go(AT + 2 * MINUTE)

    assert (early, len(slack.requests), told_by_slack(slack)) == (1, 3, TWO)


def test_slack_that_says_429_with_a_date_is_not_asked_before(stage):
    told = {"Date": format_datetime(AT, usegmt=True), "Retry-After": format_datetime(AT + HOUR, usegmt=True)}
    with http_receiver(Answer(429, headers=told), Answer()) as server:
        stage.receiver("team", "slack", {"webhook_url": Secret(f"{server.url}/services/x"), "timeout": 5.0})
        world = published(stage)

        world.go(AT)
        world.go(AT + HOUR - MINUTE)
        early = len(server.requests)
        world.go(AT + HOUR)

        assert (early, len(server.requests), world.states()) == (1, 3, {"sent": 2})


def test_a_webhook_of_slack_that_takes_a_message_and_breaks_off_gets_it_once_more_marked(stage, slack):
    stage.receiver("team", "slack", webhook_to(slack))
    world = published(stage)
    slack.reset(after_taking=True)

    for minutes in (0, 5, 60):
        world.go(AT + minutes * MINUTE)

    first, again, other = slack.messages
    assert [alert_names(m.content) for m in (first, again, other)] == [{"A-0001"}, {"A-0001"}, {"A-0002"}]
    assert ["repeat" in str(m.content).lower() for m in (first, again, other)] == [False, True, False]
    assert attempts(world) == [["UnknownOutcome", "sent"], ["sent"]]


def test_a_bot_token_finds_what_slack_took_and_does_not_post_again(stage, slack):
    stage.receiver("team", "slack", bot_options(slack))
    world = published(stage)
    slack.reset(after_taking=True)

    for minutes in (0, 5):
        world.go(AT + minutes * MINUTE)

    assert (told_by_slack(slack), world.states()) == (TWO, {"sent": 2})
    assert world.owed()[0].reason == "found at the receiver, not sent again"


@pytest.mark.parametrize("trouble", ["reset", "hang"])
def test_slack_that_takes_nothing_and_says_nothing_gets_the_message_in_the_end(stage, slack, trouble):
    stage.receiver("team", "slack", webhook_to(slack))
    world = published(stage)
    getattr(slack, trouble)()

    for minutes in (0, 5, 60):
        world.go(AT + minutes * MINUTE)

    assert (told_by_slack(slack), world.states()) == (TWO, {"sent": 2})


def test_what_goes_unanswered_twice_is_given_up_as_sent_twice_and_holds_up_nothing(stage, hook):
    stage.receiver("hook", "webhook", hook_options(hook))
    world = published(stage)
    hook.script += ["took", "took"]

    for minutes in (0, 5, 60, 120):
        world.go(AT + minutes * MINUTE)

    assert ([message["possible_repeat"] for message in hook.taken], hook.told) == (
        [False, True, False],
        {"A-0001": 2, "A-0002": 1},
    )
    assert world.owed()[0].last_error.startswith("sent 2 times: ")
    assert world.states() == {"gave_up": 1, "sent": 1}


def test_a_receiver_that_was_not_there_gets_everything_when_it_is(stage, hook):
    stage.receiver("hook", "webhook", {"url": Secret(f"http://127.0.0.1:{closed_port()}/in"), "timeout": 5.0})
    world = published(stage)
    world.go(AT)
    later = with_receiver(world, options=hook_options(hook))

    later.go(AT + HOUR)
    later.go(AT + 2 * HOUR)

    assert (hook.told, later.states()) == (TWO, {"sent": 2})


def test_one_receivers_trouble_holds_up_no_other(stage, slack, hook):
    for name in ("first", "second"):
        stage.receiver(name, "slack", webhook_to(slack))
    stage.receiver("hook", "webhook", hook_options(hook))
    world = published(stage)
    slack.fail(500, 500)

    world.go(AT)

    assert (hook.told, slack.messages) == (TWO, [])
    assert [world.states(name) for name in ("first", "second")] == [{"waiting": 1, "pending": 1}] * 2


def test_after_a_week_in_vain_an_alert_is_given_up_and_the_digest_says_so(stage, slack, hook):
    stage.receiver("team", "slack", webhook_to(slack))
    stage.receiver("hook", "webhook", hook_options(hook), alerts=False, digest_at="08:00")
    world = published(stage)
    slack.fail(*[500] * 400)

    for hours in range(0, 8 * 24, 4):
        world.go(AT + hours * HOUR)

    assert (slack.messages, world.states("team")["gave_up"]) == ([], 2)
    said = [message["text"] for message in hook.taken if "2 given up" in message["text"]]
    assert len(said) == 1
    assert "Receiver team" in said[0]


# ------------------------------------------------------------------------------------------------ refused messages


def test_a_refused_message_goes_once_more_as_plain_text(stage, slack):
    stage.receiver("team", "slack", bot_options(slack))
    world = published(stage)
    slack.refuse("invalid_blocks")

    world.go(AT)
    world.go(AT + MINUTE)

    assert (told_by_slack(slack), world.states()) == (TWO, {"sent": 2})
    plain = [message for message in slack.messages if "blocks" not in message.content]
    assert [alert_names(message.content) for message in plain] == [{"A-0001"}]


def test_a_message_refused_twice_is_given_up_and_the_next_one_arrives(stage, hook):
    stage.receiver("hook", "webhook", hook_options(hook))
    world = published(stage)
    hook.script += [Reply(400, b"no"), Reply(), Reply(400, b"no")]

    world.go(AT)
    world.go(AT + MINUTE)
    world.go(AT + HOUR)

    assert (hook.told, world.states()) == ({"A-0002": 1}, {"gave_up": 1, "sent": 1})


# ------------------------------------------------------------------------------------------------ mail


def mail_options(box: Mailbox, **given: Any) -> dict[str, Any]:
    return {
        "host": "localhost", "port": box.port, "sender": "watcher@example.org", "timeout": 5.0, "tls": "none", **given,
    }  # fmt: skip


def test_of_three_recipients_one_of_whom_is_refused_the_other_two_get_exactly_one_mail(stage, tmp_path, hook):
    certificate, key = make_certificate(tmp_path)
    to = ("ann@example.com", "bob@example.com", "cy@example.com")
    box = Mailbox(refused={"bob@example.com": "550 5.1.1 no such user"})
    with mail_server(box, certificate=(certificate, key), login=True):
        login = {"username": Secret("watcher"), "password": Secret("pw-planted-secret")}
        stage.receiver(
            "mail",
            "mail",
            mail_options(box, tls="starttls", ca=str(certificate), **login),
            to=to,
            rules=("rows",),
        )
        stage.receiver("hook", "webhook", hook_options(hook), rules=("trouble",))
        world = published(stage)

        for hours in range(4):
            world.go(AT + hours * HOUR)

    assert sorted(box.recipients) == ["ann@example.com", "cy@example.com"]
    assert (set(box.encrypted), set(box.logins)) == ({True}, {(b"watcher", b"pw-planted-secret")})
    assert world.states("mail/bob@example.com") == {"suppressed": 1, "waiting": 1}
    assert [message["title"].partition(": ")[0] for message in hook.taken] == [
        "Source receiver mail/bob@example.com failing"
    ]


def test_a_mail_server_that_is_busy_gets_each_mail_once_and_its_repeat_has_the_same_message_id(stage):
    box = Mailbox(at_data=["451 later", "reset"])
    with mail_server(box):
        stage.receiver("mail", "mail", mail_options(box), to=("ann@example.com",), rules=("rows",))
        world = published(stage)

        for hours in range(4):
            world.go(AT + hours * HOUR)

    first, again = box.messages
    assert first["Message-ID"] == again["Message-ID"]
    assert ["Possible repeat" in message.as_string() for message in (first, again)] == [False, True]
    assert world.states() == {"suppressed": 1, "sent": 1}


# ------------------------------------------------------------------------------------------------ threads


def test_follow_ups_of_an_alert_come_in_its_thread_and_a_month_later_as_a_message_of_their_own(stage, slack):
    stage.receiver("team", "slack", bot_options(slack), rules=("rows",))
    world = stage.baseline(*acme(2, round="v6.0"))
    table = acme(2, round="v6.0")
    times = (0, 1, 2, 40, 41)
    for number, days in enumerate(times):
        table = tuple(replace(row, value=row.value + 1 + number) for row in table)
        stage.commit(*table)
        world.go(AT + days * DAY)

    first, _, _, late, _ = (message.ts for message in slack.messages)
    assert [message.content.get("thread_ts") for message in slack.messages] == [
        None,
        first,
        first,
        None,
        late,
    ]
    assert [bool(message.content.get("reply_broadcast")) for message in slack.messages] == [
        False,
        True,
        True,
        False,
        True,
    ]


def test_a_follow_up_with_nothing_but_new_rows_stays_in_its_thread(stage, slack):
    stage.receiver("team", "slack", bot_options(slack), rules=("rows",))
    world = stage.baseline(*acme(2, round="v6.0"))
    for number in (3, 4):
        stage.commit(*acme(number, round="v6.0"))
        world.go(AT + number * DAY)

    first, second = slack.messages
    assert (second.content["thread_ts"], "reply_broadcast" in second.content) == (first.ts, False)
