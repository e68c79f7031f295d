"""Webhook: a documented JSON body under a signature, and what each answer means."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from pathlib import Path

import pytest

from tests.notifications import digest, hostile, rubin
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
from watcher.domain import Receipt, Secret
from watcher.errors import ConfigError, DeliveryError, TryLaterError
from watcher.notifiers import deliver, make
from watcher.notifiers.webhook import Webhook, document

KEY = "planted-signing-key"
PATH = "/in/planted-webhook-path"


def webhook(server: HttpReceiver, timeout: float = 5) -> Webhook:
    return Webhook(name="hall", url=Secret(server.url + PATH), secret=Secret(KEY), timeout=timeout)


def meant(notifier: Webhook) -> str:
    try:
        notifier.send(rubin())
    except DeliveryError as error:
        return "a secret shown" if PATH in str(error) or KEY in str(error) else type(error).__name__
    return "sent"


def test_the_body_is_signed_with_its_time_stamp():
    with http_receiver(Answer(202, headers={"X-Message-Id": "m-7"})) as server:
        assert webhook(server).send(rubin()) == Receipt(external_id="m-7", detail="answered 202")
    (request,) = server.requests
    stamp = request.headers["x-mlperf-watcher-timestamp"]
    expected = hmac.new(KEY.encode(), f"{stamp}.".encode() + request.body, hashlib.sha256).hexdigest()
    assert stamp == "1789571100"
    assert request.headers["x-mlperf-watcher-signature"] == f"v1={expected}"
    assert request.headers["x-mlperf-watcher-id"] == "n-0142-team"


def test_the_document_has_the_documented_fields():
    body = document(rubin(possible_repeat=True, thread="m-1"))
    assert set(body) == {
        "schema", "id", "kind", "title", "severity", "summary", "created_at", "alerts", "rules", "possible_repeat",
        "follows", "sections", "text",
    }  # fmt: skip
    assert body["sections"][0]["table"]["rows"][0] == ["Interactive", "1,307", "349", "3.74x"]
    assert (body["possible_repeat"], body["follows"], body["created_at"]) == (
        True,
        "m-1",
        "2026-09-16T15:05:00+00:00",
    )


def test_a_token_goes_along_and_a_netrc_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login eve password eve\n")
    netrc.chmod(stat.S_IRUSR)
    monkeypatch.setenv("NETRC", str(netrc))
    with http_receiver() as server:
        Webhook(name="hall", url=Secret(server.url), token=Secret("planted")).send(rubin())
        Webhook(name="hall", url=Secret(server.url)).send(rubin())
    assert [request.headers.get("authorization") for request in server.requests] == ["Bearer planted", None]
    assert os.environ["NETRC"] == str(netrc)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(200, ""), "sent"),
        (Answer(202, "queued"), "sent"),
        (Answer(204, ""), "sent"),
        (Answer(300), "BrokenReceiverError"),
        (Answer(304, ""), "BrokenReceiverError"),
        (Answer(302, headers={"Location": "https://elsewhere.example/"}), "BrokenReceiverError"),
        (Answer(400, f"no such field at {PATH}"), "RefusedError"),
        (Answer(422), "RefusedError"),
        (Answer(401), "BrokenReceiverError"),
        (Answer(404), "BrokenReceiverError"),
        (Answer(410), "BrokenReceiverError"),
        (Answer(408), "TryLaterError"),
        (Answer(429), "TryLaterError"),
        (Answer(500, f"secret {KEY}"), "TryLaterError"),
        (RESET, "UnknownOutcomeError"),
        (HANG_UP, "UnknownOutcomeError"),
    ],
)
def test_each_answer_has_one_meaning_and_is_asked_for_once(answer: Answer | str, expected: str):
    with http_receiver(answer) as server:
        assert meant(webhook(server)) == expected
    assert len(server.requests) == 1


def test_a_late_answer_leaves_the_outcome_unknown():
    with http_receiver(LATE) as server:
        assert meant(webhook(server, timeout=0.2)) == "UnknownOutcomeError"


def test_an_answer_that_drips_in_is_waited_for_no_longer_than_the_timeout_in_all():
    with http_receiver(DRIP) as server:
        assert meant(webhook(server, timeout=0.3)) == "UnknownOutcomeError"


def test_nobody_listening_got_nothing():
    with pytest.raises(TryLaterError, match="cannot be reached"):
        Webhook(name="hall", url=Secret(f"http://127.0.0.1:{closed_port()}{PATH}")).send(rubin())


def test_500_for_a_while_and_then_an_answer_is_one_message_an_attempt():
    with http_receiver(
        Answer(500), Answer(500), Answer(429, headers={"Retry-After": "3"}), Answer()
    ) as server:
        assert [meant(webhook(server)) for _ in range(4)] == ["TryLaterError"] * 3 + ["sent"]
    assert len(server.requests) == 4


def test_a_repeat_says_so_and_the_plain_version_is_short():
    with http_receiver() as server:
        deliver(webhook(server), rubin(), unknown=True)
        deliver(webhook(server), digest(), plain=True)
    first, second = (request.json for request in server.requests)
    assert (first["possible_repeat"], second["possible_repeat"]) == (True, False)
    assert second["sections"] == []
    assert len(second["text"]) < 1000


def test_hostile_words_arrive_as_words():
    body = document(hostile())
    assert "<!channel> R&D" in body["title"]
    assert "\x1b" not in body["title"]


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/planted",
        "ftp://example.org/planted",
        "https:///planted",
        "planted",
        "https://a b/planted",
    ],
)
def test_an_address_that_is_not_guarded_is_refused_unseen(url: str):
    with pytest.raises(ConfigError, match="url") as caught:
        make("hall", "webhook", {"url": url})
    assert "planted" not in str(caught.value)
