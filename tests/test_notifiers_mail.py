"""Mail: what arrives, read back by the standard library, and what each of the server's answers means."""

from __future__ import annotations

import base64
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from tests.notifications import HOSTILE, digest, hostile, picture, rubin
from tests.receiver_servers import (
    DRIP,
    LATE,
    RESET,
    Mailbox,
    closed_port,
    dripping_server,
    mail_server,
    make_certificate,
)
from watcher.domain import Receipt, Secret, Section
from watcher.errors import ConfigError, DeliveryError, TryLaterError
from watcher.notifiers import deliver, make
from watcher.notifiers.mail import Mail

PASSWORD = "pw-planted-secret"


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


def mail(mailbox: Mailbox, **changes: Any) -> Mail:
    values = {
        "name": "ann", "host": "127.0.0.1", "port": mailbox.port, "tls": "none", "sender": "watcher@example.org",
        "to": "ann@example.com", "timeout": 5,
    }  # fmt: skip
    return Mail(**{**values, **changes})


def meant(notifier: Mail) -> str:
    try:
        notifier.send(rubin())
    except DeliveryError as error:
        return "a secret shown" if PASSWORD in str(error) else type(error).__name__
    return "sent"


def part(message: EmailMessage, kind: str) -> str:
    found = next(p for p in message.walk() if p.get_content_type() == kind)
    return str(found.get_content())


def test_a_mail_arrives_once_with_text_html_and_the_picture_inside():
    with mail_server(Mailbox()) as box:
        receipt = mail(box).send(rubin())
    (message,) = box.messages
    assert receipt == Receipt(external_id="<n-0142-team@example.org>", detail="accepted by the mail server")
    assert (box.recipients, message["Message-ID"]) == (["ann@example.com"], "<n-0142-team@example.org>")
    assert [p.get_content_type() for p in message.walk()] == [
        "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png",
    ]  # fmt: skip
    image = next(p for p in message.walk() if p.get_content_type() == "image/png")
    assert image.get_content() == picture()
    assert f'src="cid:{image["Content-ID"][1:-1]}" alt="Ratios by scenario"' in part(message, "text/html")
    assert "Interactive  1,307    349  3.74x" in part(message, "text/plain")


def test_the_headers_say_that_a_program_sent_it_and_to_which_list_it_belongs():
    with mail_server(Mailbox()) as box:
        mail(box).send(rubin(thread="<n-0100-team@example.org>", severity="critical", possible_repeat=True))
    (message,) = box.messages
    assert {
        name: message[name]
        for name in ("List-Id", "Auto-Submitted", "Precedence", "In-Reply-To", "References")
    } == {
        "List-Id": "MLPerf watcher <mlperf-watcher.example.org>",
        "Auto-Submitted": "auto-generated",
        "Precedence": "bulk",
        "In-Reply-To": "<n-0100-team@example.org>",
        "References": "<n-0100-team@example.org>",
    }
    assert message["Date"] == "Wed, 16 Sep 2026 15:05:00 +0000"
    assert (message["Importance"], message["X-MLPerf-Watcher-Possible-Repeat"]) == ("high", "yes")


def test_letters_beyond_ascii_in_the_subject_and_long_lines_arrive_as_written():
    title = "Größe ≥ 3,7× – 華為 and a title that is long enough to be folded over more than one line of the header, twice"
    words = "ä" * 3000 + "\n.\n..dots at line starts\nFrom here"
    with mail_server(Mailbox()) as box:
        mail(box).send(rubin(title=title, sections=(Section(paragraphs=(words,)),)))
    (message,), (raw,) = box.messages, box.raw
    assert message["Subject"] == f"🔴 {title}"
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert raw.isascii()
    assert b"=0D" not in raw
    assert words.split("\n") == [
        line for line in part(message, "text/plain").splitlines() if line[:1] in "ä.F" and line
    ]


def test_a_title_with_line_ends_makes_no_header():
    with mail_server(Mailbox()) as box:
        mail(box).send(rubin(title="ok\r\nBcc: eve@evil.example\nX: y", id="n 1\r\nBcc: eve"))
    (message,) = box.messages
    assert (message["Bcc"], message["X"], box.recipients) == (None, None, ["ann@example.com"])
    assert message["Subject"] == "🔴 ok Bcc: eve@evil.example X: y"


def test_outside_text_is_escaped_once_in_the_html_and_only_our_links_are_links():
    with mail_server(Mailbox()) as box:
        mail(box).send(hostile())
    html = part(box.messages[0], "text/html")
    assert "R&amp;D" in html
    assert "&amp;amp;" not in html
    assert html.count("<b>") == 0
    assert html.count("href=") == 1
    assert "https://evil.example" not in html
    assert "javascript:alert" not in html


def test_over_starttls_with_a_checked_certificate_and_a_login(certificate: tuple[Path, Path]):
    with mail_server(Mailbox(), certificate=certificate, login=True) as box:
        login = {"username": Secret("watcher"), "password": Secret(PASSWORD)}
        mail(box, host="localhost", tls="starttls", ca=str(certificate[0]), **login).send(rubin())
    assert (box.logins, box.encrypted, len(box.raw)) == ([(b"watcher", PASSWORD.encode())], [True], 1)


def test_over_implicit_tls(certificate: tuple[Path, Path]):
    with mail_server(Mailbox(), certificate=certificate, implicit=True) as box:
        mail(box, host="localhost", tls="implicit", ca=str(certificate[0])).send(rubin())
    assert len(box.raw) == 1


def test_a_certificate_that_does_not_check_gets_nothing(certificate: tuple[Path, Path], tmp_path: Path):
    other = make_certificate(tmp_path, "other.example")
    with mail_server(Mailbox(), certificate=certificate) as box:
        unknown = meant(mail(box, host="localhost", tls="starttls"))
        wrong_name = meant(mail(box, tls="starttls", ca=str(certificate[0])))
        unreadable = meant(mail(box, host="localhost", tls="starttls", ca=str(tmp_path)))
        another = meant(mail(box, host="localhost", tls="starttls", ca=str(other[0])))
    assert [unknown, wrong_name, unreadable, another] == ["BrokenReceiverError"] * 4
    assert box.raw == []


def test_a_server_without_starttls_gets_no_password_and_no_message():
    with mail_server(Mailbox()) as box:
        login = {"username": Secret("watcher"), "password": Secret(PASSWORD)}
        assert meant(mail(box, tls="starttls", **login)) == "BrokenReceiverError"
    assert (box.logins, box.raw) == ([], [])


def test_a_wrong_password_is_the_receivers_fault(certificate: tuple[Path, Path]):
    with mail_server(Mailbox(), certificate=certificate, login=True) as box:
        login = {"username": Secret("watcher"), "password": Secret("wrong")}
        assert (
            meant(mail(box, host="localhost", tls="starttls", ca=str(certificate[0]), **login))
            == "BrokenReceiverError"
        )
    assert box.raw == []


def test_one_refused_recipient_of_three_holds_up_none_of_the_others():
    outcomes = []
    with mail_server(Mailbox(refused={"bob@example.com": "550 no such user"})) as box:
        for to in ("ann@example.com", "bob@example.com", "eve@example.com"):
            outcomes.append(meant(mail(box, to=to)))  # noqa: PERF401 - one delivery after the other
    assert outcomes == ["sent", "BrokenReceiverError", "sent"]
    assert box.recipients == ["ann@example.com", "eve@example.com"]


@pytest.mark.parametrize(
    ("box", "expected", "taken"),
    [
        (Mailbox(refused={"ann@example.com": "451 greylisted"}), "TryLaterError", 0),
        (Mailbox(at_sender="451 later"), "TryLaterError", 0),
        (Mailbox(at_sender="550 no relaying"), "BrokenReceiverError", 0),
        (Mailbox(at_sender="552 too large"), "RefusedError", 0),
        (Mailbox(at_data=["451 disk full"]), "TryLaterError", 0),
        (Mailbox(at_data=["554 looks like spam"]), "RefusedError", 0),
        (Mailbox(at_data=[RESET]), "UnknownOutcomeError", 1),
    ],
)
def test_each_answer_of_the_server_has_one_meaning(box: Mailbox, expected: str, taken: int):
    with mail_server(box):
        assert meant(mail(box)) == expected
    assert len(box.raw) == taken


def test_a_server_that_takes_the_message_and_says_nothing_leaves_the_outcome_unknown():
    with mail_server(Mailbox(at_data=[LATE])) as box:
        assert meant(mail(box, timeout=0.3)) == "UnknownOutcomeError"
    assert len(box.raw) == 1


def test_after_a_reset_the_repeat_has_the_same_message_id_and_a_mark():
    with mail_server(Mailbox(at_data=[RESET])) as box:
        assert meant(mail(box)) == "UnknownOutcomeError"
        deliver(mail(box), rubin(), unknown=True)
    first, second = box.messages
    assert first["Message-ID"] == second["Message-ID"]
    assert ["Possible repeat" in part(message, "text/plain") for message in (first, second)] == [False, True]


def test_nobody_listening_is_for_later():
    with pytest.raises(TryLaterError):
        mail(Mailbox(port=closed_port())).send(rubin())


def test_the_plain_version_is_text_alone():
    with mail_server(Mailbox()) as box:
        deliver(mail(box), digest(), plain=True)
    (message,) = box.messages
    assert message.get_content_type() == "text/plain"
    assert "mlperf-watcher digest --date 2026-09-16" in message.get_content()


def test_pictures_that_are_too_large_stay_as_words():
    image = rubin().sections[2].image
    assert image is not None
    large = type(image)(name="large", png=base64.b64decode("AAAA") * 2_000_000, alt="A large picture")
    with mail_server(Mailbox()) as box:
        mail(box).send(rubin(sections=(Section(image=large), Section(image=image))))
    html = part(box.messages[0], "text/html")
    assert "Picture: A large picture" in html
    assert html.count("cid:") == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tls": "none"}, "tls = none is for this machine only"),
        ({"tls": "ssl"}, "tls = 'ssl' is not known; known are implicit, starttls, none"),
        ({"tls": "startls"}, "did you mean 'starttls'?"),
        ({"to": "Ann <ann@example.com>"}, "to must be one plain address"),
        ({"to": "a@b.c\r\nRCPT TO:<x@y.z>"}, "to must be one plain address"),
        ({"username": "watcher"}, "username and password go together"),
        (
            {"username": "watcher", "password": "x"},
            "name a file with password_file or a variable with password_env",
        ),
        ({"port": 0}, "port must be between"),
        ({"port": True}, "port must be a whole number, not true or false"),
        ({"hots": "x"}, "unknown option 'hots'; did you mean 'host'?"),
        ({"host": None}, "host must be text"),
    ],
)
def test_wrong_options_are_refused_with_the_fix(changes: dict[str, Any], said: str):
    good = {"host": "mail.example.org", "sender": "watcher@example.org", "to": "ann@example.com"}
    with pytest.raises(ConfigError, match=r"^receiver 'ann' \(mail\): ") as caught:
        make("ann", "mail", {**good, **changes})
    assert said in str(caught.value)


def test_hostile_words_reach_the_text_part_without_live_addresses():
    with mail_server(Mailbox()) as box:
        mail(box).send(hostile())
    text = part(box.messages[0], "text/plain")
    assert HOSTILE not in text
    assert "https://evil" not in text
    assert "\x1b" not in text


def test_a_server_that_drips_its_greeting_is_waited_for_no_longer_than_the_timeout_in_all():
    with dripping_server(b"220-wait\r\n" * 25 + b"220 come in\r\n") as port:
        assert meant(mail(Mailbox(port=port), timeout=0.3)) == "TryLaterError"


def test_an_answer_to_the_message_that_drips_in_leaves_the_outcome_unknown(certificate: tuple[Path, Path]):
    with mail_server(Mailbox(at_data=[DRIP])) as box:
        assert meant(mail(box, timeout=0.5)) == "UnknownOutcomeError"
    with mail_server(Mailbox(at_data=[DRIP]), certificate=certificate) as box:
        by_tls = mail(box, timeout=0.5, host="localhost", tls="starttls", ca=str(certificate[0]))
        assert meant(by_tls) == "UnknownOutcomeError"
    with mail_server(Mailbox(at_data=[DRIP]), certificate=certificate, implicit=True) as box:
        by_tls = mail(box, timeout=0.5, host="localhost", tls="implicit", ca=str(certificate[0]))
        assert meant(by_tls) == "UnknownOutcomeError"
