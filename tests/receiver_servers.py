"""Real receivers on this machine: an HTTP server and a mail server that misbehave as told and count what came.

Each HTTP connection takes the next of the scripted answers; the last one stays. Nothing here sleeps: a late answer
waits for an event that is set when the test is over.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int = 200
    body: str = "ok"
    headers: Mapping[str, str] = field(default_factory=dict)

    def raw(self) -> bytes:
        body = self.body.encode()
        lines = [f"HTTP/1.1 {self.status} Said", f"Content-Length: {len(body)}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


RESET = "reset"  # take the whole request, then reset the connection
LATE = "late"  # take the whole request and say nothing
DRIP = "drip"  # take the whole request and say "ok", a byte at a time, for some seconds in all
HANG_UP = "hang up"  # take the whole request and close without a word


@dataclass(frozen=True)
class Request:
    """A whole request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class HttpReceiver:
    """One scripted HTTP server; ``requests`` are those that came whole, in order."""

    def __init__(self, *script: Answer | str) -> None:
        self.script: list[Answer | str] = list(script) or [Answer()]
        self.requests: list[Request] = []
        self._over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        self._over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in [self._thread, *self._threads]:
            thread.join()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            request = _read(connection)
            if request is None:
                return
            self.requests.append(request)
            answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            if answer == RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif answer == LATE:
                self._over.wait()
            elif answer == DRIP:
                drip(connection, Answer(headers={"X-Padding": "x" * 150}).raw(), self._over)
            elif isinstance(answer, Answer):
                with suppress(ConnectionError):  # a client may hang up on an answer that is too large
                    connection.sendall(answer.raw())


def drip(connection: socket.socket, raw: bytes, over: threading.Event) -> None:
    """Say ``raw`` a byte at a time, until all is said or nobody listens any more."""
    for i in range(len(raw)):
        if over.wait(0.02):
            return
        try:
            connection.sendall(raw[i : i + 1])
        except OSError:
            return


@contextmanager
def dripping_server(raw: bytes) -> Iterator[int]:
    """Run a server that says ``raw`` to whoever connects, a byte at a time, unasked; yield its port."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                drip(connection, raw, over)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield int(listening.getsockname()[1])
        finally:
            over.set()
            thread.join()


def _read(connection: socket.socket) -> Request | None:
    raw = b""
    while b"\r\n\r\n" not in raw:
        more = connection.recv(65536)
        if not more:
            return None
        raw += more
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    method, path, _ = first.split(" ")
    return Request(method, path, headers, body)


@contextmanager
def http_receiver(*script: Answer | str) -> Iterator[HttpReceiver]:
    """Run an HTTP server that answers as scripted."""
    server = HttpReceiver(*script)
    try:
        yield server
    finally:
        server.close()


def closed_port() -> int:
    """Return a port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


# ------------------------------------------------------------------------------------------------ mail


@dataclass
class Mailbox:
    """What a mail server took, and how it misbehaves.

    ``refused``: answers by recipient. ``at_data``: answers to the final dot, used up one by one; RESET aborts there, LATE
    says nothing, DRIP says "wait" for some seconds.
    """

    port: int = 0
    refused: Mapping[str, str] = field(default_factory=dict)
    at_data: list[str] = field(default_factory=list)
    at_sender: str | None = None
    raw: list[bytes] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)

    @property
    def messages(self) -> list[EmailMessage]:
        return [message_from_bytes(raw, policy=policy.default) for raw in self.raw]  # type: ignore[misc]

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: Sequence[str]
    ) -> str:
        if self.at_sender is not None:
            return self.at_sender
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 fine"

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: Sequence[str]
    ) -> str:
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = self.at_data.pop(0) if self.at_data else "250 taken"
        if answer.startswith("250") or answer in {RESET, LATE, DRIP}:
            assert isinstance(envelope.original_content, bytes)
            self.raw.append(envelope.original_content)
            self.recipients += envelope.rcpt_tos
            self.encrypted.append(session.ssl is not None)
        if answer == RESET:
            server.transport.abort()
        if answer == DRIP:
            for _ in range(200):
                await asyncio.sleep(0.02)
                server.transport.write(b"250-wait\r\n")
            return "250 taken"
        if answer == LATE:
            await asyncio.Event().wait()  # for good; the client's end of the connection ends it
        return answer

    def authenticate(
        self, _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, data: Any
    ) -> AuthResult:
        self.logins.append((data.login, data.password))
        return AuthResult(
            success=(data.login, data.password) == (b"watcher", b"pw-planted-secret"), handled=False
        )


@contextmanager
def mail_server(
    mailbox: Mailbox,
    *,
    certificate: tuple[Path, Path] | None = None,
    implicit: bool = False,
    login: bool = False,
) -> Iterator[Mailbox]:
    """Run a mail server that fills ``mailbox``; with a certificate (file, key) by STARTTLS, or ``implicit`` TLS."""
    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*certificate)
    mailbox.port = closed_port()
    server = _Controller(
        mailbox,
        hostname="127.0.0.1",
        port=mailbox.port,
        ssl_context=context if implicit else None,
        tls_context=None if implicit else context,
        require_starttls=context is not None and not implicit,
        authenticator=mailbox.authenticate if login else None,
        auth_required=login,
        auth_require_tls=context is not None,
    )
    server.start()
    try:
        yield mailbox
    finally:
        server.stop()


class _Controller(Controller):
    """aiosmtpd's own, without its trial connection: over TLS that would need our certificate trusted everywhere."""

    def _trigger_server(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port), timeout=5):
            pass


def make_certificate(folder: Path, name: str = "localhost") -> tuple[Path, Path]:
    """Make a certificate and its key for ``name`` and 127.0.0.1 by the openssl command."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        f"/CN={name}",
    ]
    command += ["-addext", f"subjectAltName=DNS:{name}", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key
