"""What every row of NOTIFIERS keeps: options, one message, errors of the tree, time limits, budgets, no secret shown."""

from __future__ import annotations

import io
import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.notifications import AT, digest, hostile, rubin
from tests.receiver_servers import LATE, RESET, Answer, Mailbox, closed_port, http_receiver, mail_server
from watcher.domain import Secret
from watcher.errors import BrokenReceiverError, ConfigError, DeliveryError, TryLaterError, UnknownOutcomeError
from watcher.notifiers import NOTIFIERS, Notifier, make, options, reference

PLANTED = "planted-secret-6f1e"


@contextmanager
def console(_folder: Path, _fault: str | None) -> Iterator[tuple[Notifier, Callable[[], int]]]:
    stream = io.StringIO()
    yield make("me", "console", {}, stream=stream), lambda: stream.getvalue().count("n-0142-team")


@contextmanager
def slack(_folder: Path, fault: str | None) -> Iterator[tuple[Notifier, Callable[[], int]]]:
    with http_receiver(fault or Answer()) as server:
        url = f"http://127.0.0.1:{closed_port()}" if fault == "absent" else server.url
        values = {"webhook_url": Secret(f"{url}/{PLANTED}/services"), "timeout": 0.3 if fault == LATE else 5}
        yield make("team", "slack", values), lambda: len(server.requests)


@contextmanager
def webhook(_folder: Path, fault: str | None) -> Iterator[tuple[Notifier, Callable[[], int]]]:
    with http_receiver(fault or Answer()) as server:
        url = f"http://127.0.0.1:{closed_port()}" if fault == "absent" else server.url
        values = {
            "url": Secret(f"{url}/{PLANTED}"),
            "secret": Secret(PLANTED),
            "timeout": 0.3 if fault == LATE else 5,
        }
        yield make("hall", "webhook", values), lambda: len(server.requests)


@contextmanager
def mail(_folder: Path, fault: str | None) -> Iterator[tuple[Notifier, Callable[[], int]]]:
    with (
        mail_server(Mailbox(at_data=[RESET] if fault == RESET else []), login=False) as box,
        http_receiver(LATE) as dumb,
    ):
        port = (
            closed_port()
            if fault == "absent"
            else int(dumb.url.rpartition(":")[2])
            if fault == LATE
            else box.port
        )
        values = {
            "host": "127.0.0.1", "port": port, "tls": "none", "sender": "w@example.org", "to": "a@example.com",
            "timeout": 0.3 if fault == LATE else 5,
        }  # fmt: skip
        yield make("ann", "mail", values), lambda: len(box.raw)


@contextmanager
def atom(folder: Path, fault: str | None) -> Iterator[tuple[Notifier, Callable[[], int]]]:
    path = folder / ("none/x.atom" if fault == "absent" else "x.atom")
    yield (
        make("feed", "atom", {"path": str(path)}),
        lambda: path.read_text().count("<entry>") if path.exists() else 0,
    )


@contextmanager
def apprise(_folder: Path, _fault: str | None) -> Iterator[tuple[Notifier, Callable[[], int]]]:
    yield make("phone", "apprise", {"url": Secret(f"json://{PLANTED}")}), lambda: 0


RECEIVERS: dict[str, Any] = {f.__name__: f for f in (console, slack, webhook, mail, atom, apprise)}
INSTALLED = [
    kind for kind in NOTIFIERS if kind != "apprise"
]  # an optional extra: its own test brings a stand-in
OVER_THE_NETWORK = ["slack", "webhook", "mail"]
MISSING = {
    "console": {},
    "slack": {"webhook_url": Secret("https://h.example/x")},
    "webhook": {"url": Secret("https://h.example/x")},
    "mail": {"host": "h.example", "sender": "w@example.org", "to": "a@example.com"},
    "atom": {"path": "x.atom"},
    "apprise": {"url": Secret("json://x")},
}


def test_every_row_has_its_receiver_here():
    assert sorted(RECEIVERS) == sorted(NOTIFIERS) == sorted(MISSING)


@pytest.mark.parametrize("kind", NOTIFIERS)
def test_every_option_has_help_and_an_unknown_one_is_refused_with_the_nearest(kind: str):
    names = [option.name for option in options(kind)]
    assert [option.name for option in options(kind) if not option.help] == []
    with pytest.raises(ConfigError) as caught:
        make("x", kind, {**MISSING[kind], f"{names[0]}x": "y"})
    assert f"unknown option '{names[0]}x'; did you mean '{names[0]}'?" in str(caught.value)


@pytest.mark.parametrize("kind", NOTIFIERS)
def test_an_option_that_must_be_given_is_asked_for_by_name(kind: str):
    for option in (o for o in options(kind) if o.required):
        values = {name: value for name, value in MISSING[kind].items() if name != option.name}
        with pytest.raises(ConfigError, match=option.name):
            make("x", kind, values)


@pytest.mark.parametrize("kind", INSTALLED)
@pytest.mark.parametrize(
    "notification", [rubin(), hostile(), digest(), rubin(sections=(), alerts=(), rules=(), footer="")]
)
def test_one_message_is_one_message(kind: str, notification: Any, tmp_path: Path):
    with RECEIVERS[kind](tmp_path, None) as (notifier, count):
        notifier.send(notification)
        notifier.send_plain(notification) if kind == "atom" else None
        assert count() == 1


@pytest.mark.parametrize("kind", INSTALLED)
def test_the_plain_version_is_sent_too(kind: str, tmp_path: Path):
    with RECEIVERS[kind](tmp_path, None) as (notifier, count):
        notifier.send_plain(hostile())
        assert count() == 1


@pytest.mark.parametrize("kind", OVER_THE_NETWORK)
@pytest.mark.parametrize(
    ("fault", "expected", "arrived"),
    [
        ("absent", TryLaterError, 0),
        (RESET, UnknownOutcomeError, 1),
        (LATE, (UnknownOutcomeError, TryLaterError), None),
    ],
)
def test_a_fault_of_the_line_is_told_apart_and_never_retried_here(kind, fault, expected, arrived, tmp_path):
    with RECEIVERS[kind](tmp_path, fault) as (notifier, count):
        with pytest.raises(expected):
            notifier.send(rubin())
        assert arrived is None or count() == arrived


@pytest.mark.parametrize("kind", NOTIFIERS)
@pytest.mark.parametrize(
    "fault", [None, "absent", RESET, LATE, Answer(500, PLANTED), Answer(404, f"/{PLANTED}")]
)
def test_no_secret_is_shown_anywhere(
    kind: str, fault: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: Any
):
    caplog.set_level(logging.DEBUG)
    shown: list[str] = []
    with RECEIVERS[kind](tmp_path, fault) as (notifier, _count):
        for send in (notifier.send, notifier.send_plain):
            try:
                shown.append(repr(send(rubin())))
            except DeliveryError as error:
                shown += [repr(error), str(error), *traceback.format_exception(error)]
        shown.append(repr(notifier))
    out, err = capfd.readouterr()
    assert PLANTED not in "".join([*shown, out, err, caplog.text])


def test_a_kind_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(ConfigError, match="receiver 'x': unknown kind 'slak'; did you mean 'slack'"):
        make("x", "slak", {})


def test_an_answer_of_404_is_never_taken_for_sent(tmp_path: Path):
    for kind in ("slack", "webhook"):
        with RECEIVERS[kind](tmp_path, Answer(404)) as (notifier, _count), pytest.raises(BrokenReceiverError):
            notifier.send(rubin())


DOCS = (Path(__file__).parent.parent / "docs" / "receivers.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", NOTIFIERS)
def test_the_docs_hold_the_very_options(kind: str):
    assert reference.table(kind) in DOCS


def test_the_docs_check_of_a_signature_accepts_ours_and_no_other():
    check: dict[str, Any] = {}
    exec(DOCS.split("```python\n")[1].split("```")[0], check)  # noqa: S102 - the code that the docs show
    with http_receiver() as server:
        make("hall", "webhook", {"url": server.url, "secret": Secret(PLANTED)}).send(rubin())
    (request,) = server.requests
    headers = {
        "X-Mlperf-Watcher-Timestamp": request.headers["x-mlperf-watcher-timestamp"],
        "X-MLPERF-WATCHER-SIGNATURE": request.headers["x-mlperf-watcher-signature"],
    }
    now = AT.timestamp()
    genuine = check["is_genuine"]
    assert [
        genuine(PLANTED, headers, request.body, now + 10),
        genuine("another", headers, request.body, now),
        genuine(PLANTED, headers, request.body + b" ", now),
        genuine(PLANTED, headers, request.body, now + 3600),
    ] == [True, False, False, False]
