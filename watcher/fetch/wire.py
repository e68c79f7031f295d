"""Connections that go only where they were checked to go, and end when their time is up.

urllib3 resolves a name and connects in one step. Here the name is resolved once, every address is checked, and the
connection is made to one of the checked addresses; TLS (SNI and the certificate) and the Host header keep using the
name. A name that answers differently the second time cannot lead us elsewhere: there is no second time.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http.cookiejar import DefaultCookiePolicy
from typing import Any, TypeAlias

from msgspec import Struct
from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException, SSLError, Timeout
from requests.hooks import default_hooks
from requests.structures import CaseInsensitiveDict
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, ReadTimeoutError
from urllib3.util.connection import create_connection
from urllib3.util.ssl_ import create_urllib3_context

from watcher.errors import FetchError
from watcher.fetch.guard import Target, check_addresses, plain

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""Host and port to IP addresses, in the order to be tried; raises OSError where there are none."""

Connect: TypeAlias = Callable[[str, int, float], socket.socket]
"""IP address, port and seconds to an open connection; raises OSError."""

_POOLS = 32  # hosts whose idle connections are kept; memory must not grow with the number of sources


def resolve(host: str, port: int) -> tuple[str, ...]:
    """Ask the system for every address of a host."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def connect(address: str, port: int, timeout: float) -> socket.socket:
    """Open a TCP connection to an IP address, without waiting to fill packets."""
    return create_connection(
        (address, port), timeout, socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    )


class Call(Struct):
    """One request on its way: where to, under which guard, until when.

    ``trusted``: the source's config lets this host have a private address. ``deadline`` is in the adapter's
    monotonic seconds. ``surplus``: the other side sent more bytes than it had announced. ``address``: where the
    connection was made to, if a new one was needed. ``answer``: the one whose head is being read.
    """

    target: Target
    trusted: bool
    deadline: float
    surplus: bool = False
    address: str | None = None
    answer: http.client.HTTPResponse | None = None


class CheckedRequest(PreparedRequest):
    """A GET that is ready to send, with its `Call`; the adapter takes no other."""

    call: Call

    def __init__(self, call: Call, headers: Mapping[str, str]) -> None:
        """Fill in what `PreparedRequest.prepare` would, from parts that are checked already."""
        super().__init__()
        self.call = call
        self.method = "GET"
        self.url = call.target.url
        self.headers = CaseInsensitiveDict(headers)
        self.body = None
        self.hooks = default_hooks()

    @property
    def path_url(self) -> str:
        """Path and query, as sent."""
        return self.call.target.path


class OneRequest(Session):
    """A requests session that makes exactly the request it is given: no redirect, cookie, netrc or proxy of its own."""

    def __init__(self, adapter: HTTPAdapter) -> None:
        """Mount ``adapter`` for everything."""
        super().__init__()
        self.trust_env = False
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.adapters.clear()
        self.mount("https://", adapter)
        self.mount("http://", adapter)

    def get_redirect_target(self, resp: Response) -> None:
        """Redirects are followed by hand, each checked."""


class CheckedAdapter(HTTPAdapter):
    """Sends `CheckedRequest`s over connections that `Call` allows; keeps idle ones for the hosts last asked."""

    def __init__(
        self,
        *,
        timeout: float,
        monotonic: Callable[[], float],
        resolve: Resolve,
        connect: Connect,
        ca_bundle: str | None,
    ) -> None:
        """Take the parts; ``ca_bundle`` names the file of trusted certificates (default: those of certifi)."""
        super().__init__(pool_connections=1, pool_maxsize=1)
        self.timeout = timeout
        self.monotonic = monotonic
        self.resolve = resolve
        self.connect = connect
        self.here = threading.local()  # .call: the call that this thread is making
        self._ca_bundle = ca_bundle
        self._context: ssl.SSLContext | None = None
        self._pools: OrderedDict[tuple[object, ...], HTTPConnectionPool] = OrderedDict()
        self._lock = threading.Lock()

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Send a `CheckedRequest`. Raises FetchError, or what requests raises."""
        if not isinstance(request, CheckedRequest):
            raise TypeError("only addresses that were checked are asked")
        call = self.here.call = request.call
        try:
            return super().send(request, *args, **kwargs)
        except BaseException:
            if (
                call.answer is not None
            ):  # it broke off in the middle: closed at once, not when it is collected
                call.answer.close()
            raise
        finally:
            call.answer = None
            del self.here.call

    def get_connection_with_tls_context(
        self, request: PreparedRequest, *_: object, **__: object
    ) -> HTTPConnectionPool:
        """Return the pool for the request's host; trusted and untrusted connections are never mixed."""
        assert isinstance(request, CheckedRequest)  # noqa: S101 - `send` has refused all others
        call = request.call
        key = (call.target.origin, call.trusted)
        with self._lock:
            pool = self._pools.get(key)
            if pool is None:
                pool = self._pools[key] = self._new_pool(call.target)
                if len(self._pools) > _POOLS:
                    self._pools.popitem(last=False)[1].close()
            else:
                self._pools.move_to_end(key)
        return pool

    def cert_verify(self, *_: object, **__: object) -> None:
        """Do nothing: the pools' context verifies, always."""

    def request_url(self, request: PreparedRequest, *_: object, **__: object) -> str:
        """Return path and query; there are no proxies here."""
        return request.path_url

    def close(self) -> None:
        """Close all idle connections."""
        with self._lock:
            while self._pools:
                self._pools.popitem()[1].close()
        super().close()

    def open(self, host: str, port: int) -> socket.socket:
        """Resolve, check all addresses, connect to one of them. Raises FetchError."""
        call: Call = self.here.call
        url = plain(call.target.url)
        try:
            addresses = self.resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise FetchError(f"{host} has no address: {_words(error)}", url=url, failure="network") from None
        if not call.trusted:
            check_addresses(host, addresses, call.target.url)
        last: OSError | None = None
        for address in addresses:
            left = min(self.timeout, call.deadline - self.monotonic())
            if left <= 0:
                break
            try:
                opened = self.connect(address, port, left)
            except OSError as error:
                last = error
                continue
            call.address = address
            return opened
        reason = _words(last) if last else "no time was left" if addresses else "it has no address"
        raise FetchError(f"no connection to {host}: {reason}", url=url, failure="network")

    def _new_pool(self, target: Target) -> HTTPConnectionPool:
        """Make the pool of one host: one connection, as one request is made at a time.

        urllib3 holds what a pool's connections hold until the pool goes, so they hold no pools: whoever drops an adapter
        without closing it leaves no connection open.
        """
        adapter = weakref.proxy(self)
        if target.scheme == "http":
            return _CheckedPool(target.host, target.port, maxsize=1, adapter=adapter)
        if self._context is None:
            self._context = create_urllib3_context()
            self._context.load_verify_locations(self._ca_bundle or DEFAULT_CA_BUNDLE_PATH)
        return _CheckedTLSPool(
            target.host,
            target.port,
            maxsize=1,
            cert_reqs="CERT_REQUIRED",
            ssl_context=self._context,
            adapter=adapter,
        )


class _TimedReader(io.RawIOBase):
    """Reads from a connection until the call's deadline, whatever the size of the drops it comes in."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, adapter: CheckedAdapter) -> None:
        self._raw, self._sock = raw, sock
        self._call: Call = adapter.here.call
        self._timeout, self._monotonic = adapter.timeout, adapter.monotonic
        self.finished = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self.finished:
            return 0
        left = self._call.deadline - self._monotonic()
        if left <= 0:
            url = plain(self._call.target.url)
            raise FetchError(f"{url} took too long to answer", url=url, failure="network")
        self._sock.settimeout(min(self._timeout, left))
        count: int | None = self._raw.readinto(buffer)
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    """An answer read under the call's deadline; notes bytes beyond the announced length."""

    def __init__(self, sock: socket.socket, *args: Any, adapter: CheckedAdapter, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self._call: Call = adapter.here.call
        self._reader = _TimedReader(self.fp.detach(), sock, adapter)
        self.fp = io.BufferedReader(self._reader)
        self._call.answer = self

    def _read_next_chunk_size(self) -> int:
        """Read the size of the next chunk; one below zero is no size, though the standard library takes it as one."""
        size = int(super()._read_next_chunk_size())  # type: ignore[misc]
        if size < 0:
            self._close_conn()
            raise ValueError(f"a chunk of {size} bytes")
        return size

    def _close_conn(self) -> None:
        """Note what is left in the buffer when the announced length has been read; a final blank line is harmless."""
        if self.length == 0 and not self._reader.finished and self.status == http.client.OK:
            self._reader.finished = True  # looking into the buffer must not wait for the network
            self._call.surplus = bool(self.fp.peek(1).strip(b"\r\n"))
        super()._close_conn()  # type: ignore[misc]


class _CheckedConnection(HTTPConnection):
    """Connects to a checked address."""

    def __init__(self, *args: Any, adapter: CheckedAdapter, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._adapter = adapter
        self.response_class = partial(_TimedResponse, adapter=adapter)  # type: ignore[assignment]

    def _new_conn(self) -> socket.socket:
        return self._adapter.open(self._dns_host, self.port)


class _CheckedTLSConnection(HTTPSConnection):
    """Connects to a checked address, and speaks TLS with the host's name."""

    def __init__(self, *args: Any, adapter: CheckedAdapter, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._adapter = adapter
        self.response_class = partial(_TimedResponse, adapter=adapter)  # type: ignore[assignment]

    def _new_conn(self) -> socket.socket:
        return self._adapter.open(self._dns_host, self.port)


class _CheckedPool(HTTPConnectionPool):
    ConnectionCls = _CheckedConnection


class _CheckedTLSPool(HTTPSConnectionPool):
    ConnectionCls = _CheckedTLSConnection


def unreachable(url: str, error: Exception) -> FetchError:
    """Put what went wrong on the wire into one plain sentence."""
    if isinstance(error, (Timeout, ReadTimeoutError)):
        words = "no answer in time"
    elif isinstance(error, SSLError):
        words = f"no trusted TLS connection ({_cause(error)})"
    else:
        words = f"the connection broke off ({_cause(error)})"
    return FetchError(f"{url.partition('?')[0]}: {words}", url=url, failure="network")


def _cause(error: BaseException) -> str:
    """Return the innermost reason in one short line."""
    while isinstance(error, (RequestException, HTTPError)):
        inner = getattr(error, "reason", None) or next(
            (a for a in error.args if isinstance(a, BaseException)), None
        )
        if inner is None or inner is error:
            break
        error = inner
    return " ".join(str(getattr(error, "strerror", None) or error or type(error).__name__).split())[:200]


def _words(error: Exception) -> str:
    """Put a system's error into words, without its number."""
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
