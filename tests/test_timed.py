"""Conversations that end by a time: sockets, openers, and the calls that are made by them."""

from __future__ import annotations

import logging
import socket
import threading
from pathlib import Path
from urllib.error import HTTPError, URLError

import pytest

from tests.receiver_servers import DRIP, Answer, dripping_server, http_receiver
from watcher.cli.passes import ping
from watcher.cli.reaching import Host, trouble_of
from watcher.config import Config
from watcher.domain import Secret
from watcher.notifiers import timed


def test_no_step_begins_when_the_time_is_over():
    now = iter([0.0, 0.5, 2.0])
    until = timed.within(1.0, lambda: next(now))
    assert until.left() == 0.5
    with pytest.raises(TimeoutError, match="the time for the whole conversation is over"):
        until.left()


def test_a_connection_takes_only_what_is_left_for_each_step_and_no_more_than_it_can_use():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        at = [0.0]
        plain = timed.connected(timed.within(5.0, lambda: at[0]), listening.getsockname())
        other, _ = listening.accept()
        with plain, other:
            at[0] = 3.0
            plain.sendall(b"hello")
            assert (plain.gettimeout(), other.recv(9)) == (2.0, b"hello")
            plain.heard = timed.MOST - 1  # type: ignore[attr-defined]
            other.sendall(b"xy")
            with pytest.raises(OSError, match="said more than"):
                plain.recv_into(bytearray(9))
            at[0] = 6.0
            with pytest.raises(TimeoutError):
                plain.sendall(b"too late")


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:,x"])
def test_only_http_and_https_are_opened(url: str):
    with pytest.raises(URLError, match="unknown url type"):
        timed.opener(timed.within(5)).open(url)


def test_an_opener_without_a_handler_for_it_follows_no_redirect(tmp_path: Path):
    with http_receiver(Answer(302, headers={"Location": tmp_path.as_uri()})) as server:
        with pytest.raises(HTTPError) as caught:
            timed.opener(timed.within(5)).open(server.url)
        caught.value.close()
    assert caught.value.code == 302


def test_a_call_that_does_not_end_in_time_is_left_and_its_fault_is_raised_here():
    over = threading.Event()
    try:
        with pytest.raises(TimeoutError):
            timed.in_time(0.05, over.wait)
    finally:
        over.set()
    with pytest.raises(LookupError, match="its own"):
        timed.in_time(5, lambda: {}["its own"])
    assert timed.in_time(5, lambda: "done") == "done"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(), []),
        (Answer(204, ""), []),
        (Answer(302, headers={"Location": "http://127.0.0.1:9/"}), ["HTTPError"]),
        (Answer(500), ["HTTPError"]),
        (DRIP, ["TimeoutError"]),
    ],
)
def test_the_ping_after_a_good_pass_holds_nothing_up_and_its_trouble_is_only_logged(
    answer: Answer | str, said: list[str], caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.WARNING)
    with http_receiver(answer) as server:
        ping(Config(ping_url=Secret(server.url)), seconds=0.3)
    assert len(server.requests) == 1
    assert [record.args for record in caplog.records] == [(word,) for word in said]


def test_the_doctor_does_not_wait_for_a_mail_server_that_drips():
    with dripping_server(b"220-wait\r\n" * 25 + b"220 come in\r\n") as port:
        said = trouble_of(Host("127.0.0.1", port, "starttls"), patience=0.3)
    assert said == f"127.0.0.1:{port}: SMTPServerDisconnected before any message; check tls and port"
