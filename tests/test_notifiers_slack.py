"""Slack: what each answer means, and that every message keeps Slack's rules and ours."""

from __future__ import annotations

import json
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import slack_rules
from tests.notifications import HOSTILE, digest, hostile, rubin
from tests.receiver_servers import (
    DRIP,
    HANG_UP,
    LATE,
    RESET,
    Answer,
    HttpReceiver,
    closed_port,
    http_receiver,
)
from watcher.domain import Grid, Image, Link, Notification, Receipt, Secret, Section
from watcher.errors import ConfigError, DeliveryError, TryLaterError
from watcher.notifiers import deliver, make, slack_blocks
from watcher.notifiers.slack import Slack

SECRET = "T0PLANTED/B0PLANTED/planted-webhook-secret"
TOKEN = "xoxb-planted-bot-token"


def webhook(server: HttpReceiver, timeout: float = 5) -> Slack:
    return Slack(name="team", webhook_url=Secret(f"{server.url}/services/{SECRET}"), timeout=timeout)


def bot(server: HttpReceiver, channel: str = "C0123456", timeout: float = 5) -> Slack:
    return Slack(
        name="team", token=Secret(TOKEN), channel=channel, base_url=f"{server.url}/api/", timeout=timeout
    )


def ok(**fields: object) -> Answer:
    return Answer(body=json.dumps({"ok": True, **fields}), headers={"Content-Type": "application/json"})


def no(word: str) -> Answer:
    return Answer(body=json.dumps({"ok": False, "error": word}), headers={"Content-Type": "application/json"})


def outcome(notifier: Slack) -> str:
    """Return what came of sending: "sent", or the error's class and words."""
    try:
        notifier.send(rubin())
    except DeliveryError as error:
        return f"{type(error).__name__}: {error}"
    return "sent"


def meant(notifier: Slack) -> str:
    said = outcome(notifier)
    return "a secret shown" if SECRET in said or TOKEN in said else said.partition(":")[0]


def test_a_webhook_is_posted_once_with_blocks_and_the_stable_id():
    with http_receiver() as server:
        receipt = webhook(server).send(rubin())
    (request,) = server.requests
    assert receipt == Receipt(external_id=None, detail="posted")
    assert request.path == f"/services/{SECRET}"
    assert slack_rules.broken(request.json) == []
    assert request.json["metadata"]["event_payload"] == {"id": "n-0142-team", "kind": "alert"}
    assert "n-0142-team" in request.json["attachments"][-1]["blocks"][-1]["elements"][0]["text"]


def test_a_bot_posts_to_its_channel_in_the_thread_and_returns_the_ts():
    with http_receiver(ok(ts="1789.0001", channel="C0123456")) as server:
        receipt = bot(server).send(rubin(thread="1788.0009"))
    (request,) = server.requests
    assert receipt.external_id == "1789.0001"
    assert request.path == "/api/chat.postMessage"
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    assert (request.json["channel"], request.json["thread_ts"]) == ("C0123456", "1788.0009")


def test_a_reply_that_has_to_be_seen_is_shown_in_the_channel_too_and_no_message_outside_a_thread_is():
    with http_receiver(ok(ts="1789.0001")) as server:
        bot(server).send(rubin(thread="1788.0009", prominent=True))
        bot(server).send(rubin(thread="1788.0009"))
        bot(server).send(rubin(prominent=True))
        bot(server).send_plain(rubin(thread="1788.0009", prominent=True))
    assert [request.json.get("reply_broadcast") for request in server.requests] == [True, None, None, None]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(200, "ok\n"), "sent"),
        (Answer(200, ""), "UnknownOutcomeError"),
        (Answer(200, "invalid_payload"), "UnknownOutcomeError"),
        (Answer(200, '{"ok":true}'), "UnknownOutcomeError"),
        (Answer(202, "queued"), "UnknownOutcomeError"),
        (Answer(204, ""), "UnknownOutcomeError"),
        (Answer(500, "rollup_error"), "TryLaterError"),
        (Answer(503), "TryLaterError"),
        (Answer(408), "TryLaterError"),
        (Answer(429, headers={"Retry-After": "7"}), "TryLaterError"),
        (Answer(400, "invalid_blocks"), "RefusedError"),
        (Answer(413), "RefusedError"),
        (Answer(401), "BrokenReceiverError"),
        (Answer(403, "action_prohibited"), "BrokenReceiverError"),
        (Answer(404, "no_service"), "BrokenReceiverError"),
        (Answer(410, "channel_is_archived"), "BrokenReceiverError"),
        (Answer(200, "<html>log in</html>", {"Content-Type": "text/html"}), "BrokenReceiverError"),
        (RESET, "UnknownOutcomeError"),
        (HANG_UP, "UnknownOutcomeError"),
    ],
)
def test_each_answer_of_a_webhook_has_one_meaning_and_is_asked_for_once(answer: Answer | str, expected: str):
    with http_receiver(answer) as server:
        assert meant(webhook(server)) == expected
    assert len(server.requests) == 1


def test_an_answer_that_does_not_come_in_time_leaves_the_outcome_unknown():
    with http_receiver(LATE) as server:
        assert meant(webhook(server, timeout=0.2)) == "UnknownOutcomeError"
        assert meant(bot(server, timeout=0.2)) == "UnknownOutcomeError"
    assert len(server.requests) == 2


def test_an_answer_that_drips_in_is_waited_for_no_longer_than_the_timeout_in_all():
    with http_receiver(DRIP) as server:
        assert meant(webhook(server, timeout=0.3)) == "UnknownOutcomeError"
        assert meant(bot(server, timeout=0.3)) == "UnknownOutcomeError"
        with pytest.raises(TryLaterError):  # nothing is sent by a look
            bot(server, timeout=0.3).find("n-0142-team")


def test_a_server_that_is_not_there_got_nothing():
    dead = f"http://127.0.0.1:{closed_port()}/services/{SECRET}"
    with pytest.raises(TryLaterError, match="cannot be reached"):
        Slack(name="team", webhook_url=Secret(dead)).send(rubin())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_neither_message_nor_token_along(status: int):
    with http_receiver(ok(ts="1")) as elsewhere:
        away = Answer(status, headers={"Location": f"{elsewhere.url}/api/chat.postMessage"})
        with http_receiver(away) as server:
            found = {meant(webhook(server)), meant(bot(server))}
    assert (found, elsewhere.requests, len(server.requests)) == ({"BrokenReceiverError"}, [], 2)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body="[" * 100_000, headers={"Content-Type": "application/json"}),
        Answer(body=f'{{"ok": true, "ts": {"9" * 5000}}}', headers={"Content-Type": "application/json"}),
        Answer(body="-2\r\nok\r\n0\r\n\r\n", headers={"Transfer-Encoding": "chunked"}),
        Answer(body="x" * (17 * 2**20)),
    ],
    ids=["deep", "long number", "negative chunk", "large"],
)
def test_an_answer_that_makes_no_sense_leaves_the_outcome_unknown(answer: Answer):
    with http_receiver(answer) as server:
        assert meant(bot(server)) == "UnknownOutcomeError"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "30"}, 30),
        ({"Retry-After": "Wed, 16 Sep 2026 15:06:40 GMT", "Date": "Wed, 16 Sep 2026 15:05:00 GMT"}, 100),
        ({"Retry-After": "Wed, 16 Sep 2026 15:05:45 GMT"}, 45),
        ({"Retry-After": "Wed, 16 Sep 2026 14:00:00 GMT"}, 0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "Mon, 1 Jan 2020 00:00:00 -99999999999999999999"}, None),
        ({}, None),
    ],
)
def test_429_waits_as_told_in_seconds_or_by_a_date(headers: dict[str, str], expected: float | None):
    with http_receiver(Answer(429, headers=headers)) as server:
        for notifier in (webhook(server), bot(server)):
            with pytest.raises(TryLaterError) as caught:
                notifier.send(rubin())
            assert caught.value.retry_after == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (no("invalid_auth"), "BrokenReceiverError"),
        (no("channel_not_found"), "BrokenReceiverError"),
        (no("is_archived"), "BrokenReceiverError"),
        (no("msg_blocks_too_long"), "RefusedError"),
        (no("invalid_blocks"), "RefusedError"),
        (no("ratelimited"), "TryLaterError"),
        (no("fatal_error"), "TryLaterError"),
        (Answer(502, "<html>bad gateway</html>"), "TryLaterError"),
        (Answer(200, "<html>log in</html>"), "UnknownOutcomeError"),
        (Answer(200, '{"ok":"false","ts":"1.1"}'), "UnknownOutcomeError"),
        (Answer(200, '{"ok":1,"ts":"1.1"}'), "UnknownOutcomeError"),
        (Answer(200, '{"ok":0,"error":"invalid_auth"}'), "UnknownOutcomeError"),
        (Answer(200, '{"ok":true}'), "UnknownOutcomeError"),
        (Answer(200, '{"ok":true,"ts":17}'), "UnknownOutcomeError"),
        (Answer(200, '{"ok":true,"ts":"\x1b[2J"}'), "UnknownOutcomeError"),
        (Answer(200, '{"ok":false,"error":["x"]}'), "UnknownOutcomeError"),
        (Answer(200, "[]"), "UnknownOutcomeError"),
        (Answer(200, '[{"ok":true}]'), "UnknownOutcomeError"),
        (Answer(200, "true"), "UnknownOutcomeError"),
        (Answer(200, "ok"), "UnknownOutcomeError"),
        (Answer(200, ""), "UnknownOutcomeError"),
        (Answer(500, "[]"), "TryLaterError"),
        (Answer(200, "x", {"Content-Type": "application/gzip"}), "UnknownOutcomeError"),
        (RESET, "UnknownOutcomeError"),
        (HANG_UP, "UnknownOutcomeError"),
    ],
)
def test_each_answer_to_a_bot_has_one_meaning_and_is_asked_for_once(answer: Answer | str, expected: str):
    with http_receiver(answer) as server:
        assert meant(bot(server)) == expected
    assert len(server.requests) == 1


def found_in(*messages: dict[str, object], **fields: object) -> Answer:
    return ok(messages=list(messages), **fields)


def posted(notification_id: str, ts: str) -> dict[str, object]:
    return {"ts": ts, "metadata": {"event_payload": {"id": notification_id}}}


def test_a_bot_finds_its_message_by_the_id_over_pages_of_the_channel():
    first = found_in(posted("n-other", "1.1"), {"ts": "1.0"}, response_metadata={"next_cursor": "more"})
    with http_receiver(first, found_in(posted("n-0142-team", "2.2"))) as server:
        assert bot(server).find("n-0142-team") == Receipt(external_id="2.2")
    asked = [parse_qs(request.body.decode()) for request in server.requests]
    assert [request.path for request in server.requests] == ["/api/conversations.history"] * 2
    assert (asked[0]["channel"], asked[1]["cursor"], asked[0]["include_all_metadata"]) == (
        ["C0123456"],
        ["more"],
        ["true"],
    )


def test_a_bot_looks_in_the_thread_first():
    with http_receiver(found_in(posted("n-0142-team", "2.3"))) as server:
        assert bot(server).find("n-0142-team", thread="1.1") == Receipt(external_id="2.3")
    assert [request.path for request in server.requests] == ["/api/conversations.replies"]


def test_after_an_unknown_outcome_a_bot_that_finds_its_message_does_not_post_again():
    with http_receiver(found_in(posted("n-0142-team", "2.2"))) as server:
        receipt = deliver(bot(server), rubin(), unknown=True)
    assert receipt == Receipt(external_id="2.2", detail="found at the receiver, not sent again")
    assert [request.path for request in server.requests] == ["/api/conversations.history"]


def test_after_an_unknown_outcome_a_bot_that_finds_nothing_posts_without_a_mark():
    with http_receiver(found_in(), ok(ts="3.3")) as server:
        assert deliver(bot(server), rubin(), unknown=True).external_id == "3.3"
    assert "Possible repeat" not in server.requests[1].body.decode()


def test_a_bot_that_may_not_look_posts_marked_as_a_possible_repeat():
    with http_receiver(no("missing_scope"), ok(ts="3.3")) as server:
        assert deliver(bot(server), rubin(), unknown=True).external_id == "3.3"
    assert "Possible repeat" in server.requests[1].body.decode()


@pytest.mark.parametrize(
    "answer", [Answer(500), Answer(200, "<html>log in</html>"), Answer(200, "[]"), RESET]
)
def test_a_bot_that_cannot_look_now_does_not_post(answer: Answer | str):
    with http_receiver(answer) as server, pytest.raises(TryLaterError):
        deliver(bot(server), rubin(), unknown=True)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"messages": "none"},
        {"messages": ["x", {"metadata": "y"}, {"metadata": {"event_payload": ["id"]}}]},
        {"messages": [], "response_metadata": ["next"]},
        {"messages": [], "response_metadata": {"next_cursor": {"a": 1}}},
    ],
)
def test_a_look_at_messages_of_another_form_finds_nothing(fields: dict[str, object]):
    with http_receiver(ok(**fields)) as server:
        assert bot(server).find("n-0142-team") is None


def test_a_channel_given_by_its_name_cannot_be_looked_through_and_a_webhook_marks_the_repeat():
    with http_receiver(ok(ts="3.3"), Answer()) as server:
        assert not bot(server, channel="#mlperf").finds
        deliver(bot(server, channel="#mlperf"), rubin(), unknown=True)
        deliver(webhook(server), rubin(), unknown=True)
    assert ["Possible repeat" in request.body.decode() for request in server.requests] == [True, True]


def test_the_plain_version_is_one_short_text_with_the_id():
    with http_receiver() as server:
        deliver(webhook(server), hostile(), plain=True)
    (request,) = server.requests
    assert set(request.json) == {"text", "unfurl_links", "unfurl_media"}
    assert slack_rules.broken(request.json) == []
    assert "n-0142-team" in request.json["text"]
    assert len(request.json["text"]) < 1000


@pytest.mark.parametrize(
    "notification", [rubin(), hostile(), digest(), digest(possible_repeat=True), rubin(sections=())]
)
def test_every_message_keeps_slacks_rules(notification: Notification):
    assert slack_rules.broken(slack_blocks.message(notification)) == []


def test_outside_text_is_escaped_once_and_only_our_links_are_live():
    message = slack_blocks.message(hostile())
    text = json.dumps(message, ensure_ascii=False)
    assert "&lt;!channel&gt; R&amp;D" in text
    assert "&amp;amp;" not in text
    assert [address for address, _ in slack_rules.links(message)] == [
        "https://ok.example/a%7Cb%3Ec%20%3Cd%3E?e=1&amp;f=2"
    ]


def test_a_long_message_says_how_much_more_there_is_and_where():
    message = slack_blocks.message(digest())
    more = message["attachments"][0]["blocks"][-2]["text"]["text"]
    lines = 401 + 40 * 11
    assert more.endswith("more lines:* `mlperf-watcher digest --date 2026-09-16`")
    assert 0 < int(more[1:].split(" ")[0].replace(",", "")) < lines


def test_a_table_fits_a_phone_and_keeps_every_figure():
    message = slack_blocks.message(rubin())
    table = message["blocks"][3]["text"]["text"]
    assert table == (
        "*Qwen3-VL*\n```\nScenario        VR  GB300  ratio\nInteractive  1,307    349  3.74x\nServer       2,323  1,210  1.92x\n```"
    )
    assert max(map(len, table.split("\n"))) <= 42


texts = st.text(max_size=40).map(lambda t: t * 9) | st.just(HOSTILE)
grids = st.integers(1, 4).flatmap(
    lambda n: st.builds(
        Grid,
        columns=st.tuples(*[texts] * n),
        rows=st.lists(st.tuples(*[texts] * n), max_size=20).map(tuple),
        numeric=st.frozensets(st.integers(0, n - 1)),
        caption=st.none() | texts,
    )
)
sections = st.builds(
    Section,
    heading=st.none() | texts,
    lead=st.none() | texts,
    paragraphs=st.lists(texts, max_size=4).map(tuple),
    grid=st.none() | grids,
    image=st.none() | st.builds(Image, name=texts, png=st.just(b""), alt=texts),
    bullets=st.lists(texts, max_size=9).map(tuple),
    links=st.lists(st.builds(Link, text=texts, url=st.just("https://a.example/") | texts), max_size=3).map(
        tuple
    ),
)


@settings(max_examples=60)
@given(
    title=texts,
    summary=texts,
    parts=st.lists(sections, max_size=8).map(tuple),
    footer=texts,
    repeat=st.booleans(),
)
def test_whatever_the_words_every_message_keeps_slacks_rules(title, summary, parts, footer, repeat):
    notification = rubin(title=title, summary=summary, sections=parts, footer=footer, possible_repeat=repeat)
    assert slack_rules.broken(slack_blocks.message(notification)) == []
    assert slack_rules.broken(slack_blocks.plain(notification)) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "give either webhook_url"),
        ({"token": Secret(TOKEN)}, "a bot token needs a channel"),
        ({"webhook_url": Secret("http://hooks.example/x")}, "webhook_url must be https"),
        (
            {"webhook_url": Secret("https://hooks.example/x"), "channel": "#a"},
            "a webhook has its channel built in",
        ),
        ({"webhook_url": "https://hooks.example/x"}, "name a file with webhook_url_file"),
        ({"webhook_ur": "x"}, "unknown option 'webhook_ur'; did you mean 'webhook_url'?"),
        ({"token": Secret(TOKEN), "channel": "C1", "timeout": "10"}, "timeout must be a number, not '10'"),
        ({"token": Secret(TOKEN), "channel": "C1", "timeout": 0}, "timeout must be more than 0"),
        ({"token": Secret(TOKEN), "channel": "C1", "timeout": float("nan")}, "at most 300, not nan"),
        ({"token": Secret(TOKEN), "channel": "C1", "timeout": 3600}, "at most 300, not 3600"),
    ],
)
def test_wrong_options_are_refused_with_the_fix(options: dict[str, object], said: str):
    with pytest.raises(ConfigError) as caught:
        make("team", "slack", options)
    assert str(caught.value).startswith("receiver 'team' (slack): ")
    assert said in str(caught.value)
    assert TOKEN not in str(caught.value)


def test_a_stand_ins_webhook_on_this_machine_may_stand_in_the_config():
    with http_receiver() as server:
        make("team", "slack", {"webhook_url": f"{server.url}/x"}).send(rubin())
    assert len(server.requests) == 1
