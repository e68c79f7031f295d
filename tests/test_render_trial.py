"""The message of send-test arrives everywhere as it was written."""

from __future__ import annotations

from tests import slack_rules
from tests.messages import NOW
from tests.receiver_servers import Answer, Mailbox, http_receiver, mail_server
from watcher.domain import Secret
from watcher.notifiers import make, slack_blocks
from watcher.render.trial import trial_notification


def test_a_trial_message_keeps_slacks_rules_and_has_its_own_id():
    one = trial_notification("team", now=NOW)
    assert slack_rules.broken(slack_blocks.message(one)) == []
    assert (one.id, one.kind) == ("test-team-20260916T150500.000000Z", "test")


def test_a_trial_message_arrives_with_its_letters_by_mail_and_webhook():
    one = trial_notification("team", now=NOW)
    with mail_server(Mailbox()) as box, http_receiver(Answer()) as server:
        mail = {
            "host": "127.0.0.1",
            "port": box.port,
            "tls": "none",
            "sender": "w@example.org",
            "to": "a@example.com",
        }
        make("ann", "mail", mail).send(one)
        make("hall", "webhook", {"url": Secret(server.url)}).send(one)
    letters = "Größe ≥ 3.7×, 華為, µJ, & < >"
    (message,) = box.messages
    body = message.get_body(("plain",))
    assert body is not None
    assert letters in " ".join(body.get_content().split())
    assert letters in server.requests[0].json["sections"][0]["paragraphs"][1]
