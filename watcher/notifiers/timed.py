"""Conversations that end by a time, however slowly the other side speaks.

A socket's own time-out begins anew with each byte that comes, so a server that drips one a second would hold a delivery
for as long as it likes. Here each step (connecting, TLS, sending, reading) gets only what is left of one stretch of
time, and what the other side may say is bounded, too.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any, TypeVar
from urllib.request import (
    BaseHandler,
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from msgspec import Struct

from watcher.errors import ConfigError

T = TypeVar("T")
LONGEST = (
    300.0  # seconds; the claim of a delivery is held for ten minutes, and a delivery may look before it sends
)
MOST = (
    17 * 2**20
)  # bytes of all answers in one conversation; a page of Slack's messages has a few megabytes at most


def check_timeout(timeout: float) -> None:
    """Raise ConfigError unless ``timeout`` is a number of seconds that a delivery may take."""
    if not 0 < timeout <= LONGEST:  # so written that "not a number" is refused, too
        raise ConfigError(f"timeout must be more than 0 seconds and at most {LONGEST:.0f}, not {timeout:g}")


class Until(Struct, frozen=True):
    """The end of one conversation, in monotonic seconds."""

    at: float
    monotonic: Callable[[], float]

    def left(self) -> float:
        """Return the seconds that are left. Raises TimeoutError when there are none."""
        left = self.at - self.monotonic()
        if left <= 0:
            raise TimeoutError("the time for the whole conversation is over")
        return left


def within(seconds: float, monotonic: Callable[[], float] = time.monotonic) -> Until:
    """Return the end of a conversation that begins now."""
    return Until(monotonic() + seconds, monotonic)


class _Timed:
    """What both kinds of socket share; mixed in before them. Each class made of it belongs to one conversation."""

    until: Until
    heard = 0

    def recv_into(self, *args: Any) -> int:
        count = int(self._in_time().recv_into(*args))
        self.heard += count
        if self.heard > MOST:
            raise OSError(f"the other side said more than {MOST} bytes")
        return count

    def send(self, *args: Any) -> int:
        return int(self._in_time().send(*args))

    def sendall(self, *args: Any) -> None:
        self._in_time().sendall(*args)

    def connect(self, *args: Any) -> None:
        self._in_time().connect(*args)

    def do_handshake(self, *args: Any) -> None:
        self._in_time().do_handshake(*args)

    def _in_time(self) -> Any:
        """Let the next step take what is left, and return the socket's own methods."""
        self.settimeout(self.until.left())  # type: ignore[attr-defined]
        return super()


class _Socket(_Timed, socket.socket):
    """A plain connection."""


class _TLSSocket(_Timed, ssl.SSLSocket):
    """A connection under TLS."""


def in_time(seconds: float, call: Callable[[], T]) -> T:
    """Return what ``call`` returns; raises what it raises, and TimeoutError if it has not ended in time.

    For a library that opens its own connections. What has not ended goes on in a thread that ends with the process.
    """
    ended: Future[T] = Future()

    def work() -> None:
        try:
            ended.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits
            ended.set_exception(error)

    threading.Thread(target=work, name="delivery", daemon=True).start()
    return ended.result(timeout=seconds)


def connected(until: Until, address: tuple[str, int], *_: Any) -> socket.socket:
    """Connect to the first of a host's addresses that answers; raises OSError where none does."""
    last: OSError | None = None
    for family, kind, protocol, _name, where in socket.getaddrinfo(*address, type=socket.SOCK_STREAM):
        plain = _Socket(family, kind, protocol)
        plain.until = until
        try:
            plain.connect(where)
        except OSError as error:
            plain.close()
            last = error
            continue
        return plain
    raise last or OSError("the host has no address")


def limited(until: Until, taken: socket.socket) -> socket.socket:
    """Return a connection that somebody opened to us, under a time of its own; ``taken`` itself is used up."""
    made = _Socket(taken.family, taken.type, taken.proto, fileno=taken.detach())
    made.until = until
    return made


def tls_context(until: Until, ca: str | None = None) -> ssl.SSLContext:
    """Return a context that checks certificates, for connections of this conversation. Raises OSError for a bad ``ca``."""
    context = ssl.create_default_context(cafile=ca)
    context.sslsocket_class = type("_TLSSocketOfOne", (_TLSSocket,), {"until": until})
    return context


class _HTTP(HTTPConnection):
    def __init__(self, *args: Any, until: Until, **options: Any) -> None:
        super().__init__(*args, **options)
        self._create_connection = partial(connected, until)


class _HTTPS(HTTPSConnection):
    def __init__(self, *args: Any, until: Until, **options: Any) -> None:
        super().__init__(*args, **options)
        self._create_connection = partial(connected, until)


class _OpenHTTP(HTTPHandler):
    def __init__(self, until: Until) -> None:
        super().__init__()
        self._until = until

    def http_open(self, request: Request) -> HTTPResponse:
        """Open it by a connection that ends in time."""
        return self.do_open(partial(_HTTP, until=self._until), request)


class _OpenHTTPS(HTTPSHandler):
    def __init__(self, until: Until) -> None:
        super().__init__()
        self._until = until

    def https_open(self, request: Request) -> HTTPResponse:
        """Open it by a connection that ends in time."""
        context = tls_context(self._until)
        context.set_alpn_protocols(["http/1.1"])
        return self.do_open(partial(_HTTPS, until=self._until), request, context=context)


def opener(until: Until, *handlers: BaseHandler) -> OpenerDirector:
    """Return what opens http and https addresses, and no other, by connections that end in time.

    Redirects are followed only with a handler that does; proxies of the environment are heeded.
    """
    made = OpenerDirector()
    standard = (ProxyHandler(), UnknownHandler(), HTTPDefaultErrorHandler(), HTTPErrorProcessor())
    for handler in (*standard, _OpenHTTP(until), _OpenHTTPS(until), *handlers):
        made.add_handler(handler)
    return made


class TimedSMTP(smtplib.SMTP):
    """A mail server that is spoken to until a time; its answers in all are bounded."""

    def __init__(self, *args: Any, until: Until, **options: Any) -> None:
        """Connect, as smtplib does."""
        self._until = until
        super().__init__(*args, **options)

    def _get_socket(self, host: str, port: int, _timeout: float) -> socket.socket:
        return connected(self._until, (host, port))


class TimedSMTPOverTLS(smtplib.SMTP_SSL, TimedSMTP):
    """The same under TLS from the first byte on; the context must be of the same conversation."""

    def __init__(self, *args: Any, until: Until, **options: Any) -> None:
        """Connect, as smtplib does."""
        self._until = until
        super().__init__(*args, **options)
