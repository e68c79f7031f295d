"""A small HTTP server on this machine, for the stand-ins of the demo and of the tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from types import TracebackType
from typing import Any, Self, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct, field


class Request(Struct, frozen=True):
    """What was asked: ``path`` without its query, decoded; ``query`` by name; ``headers`` with lower-case names."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""


class Reply(Struct, frozen=True):
    """What is answered. Content-Length is added unless given."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


Answer: TypeAlias = Reply | Callable[[BaseHTTPRequestHandler], None]
"""A reply, or a function that does with the connection what no honest server would."""


class LocalServer:
    """Serves on 127.0.0.1, on a free port, one thread a connection, until closed.

    A subclass overrides ``answer``. Connections are kept open between requests, as real servers do; ``idle`` is set while
    there is none.
    """

    def __init__(self) -> None:
        """Bind and start."""
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self.idle = threading.Event()
        self.idle.set()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def date(self) -> str | None:
        """Return what stands in the Date header; None for the system's own time."""
        return None

    def answer(self, request: Request) -> Answer:
        """Return the answer to one request."""
        return Reply(404, f"nothing at {request.path}\n".encode(), {"Content-Type": "text/plain"})

    @property
    def port(self) -> int:
        """The port that was free."""
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        """The server's address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Stop serving, and end the connections that clients keep open."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._server.end_connections()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, local: LocalServer) -> None:
        self.local = local
        self._open: set[Any] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        with self._lock:
            self._open.add(request)
            self.local.idle.clear()
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection that has ended."""
        super().shutdown_request(request)
        with self._lock:
            self._open.discard(request)
            if not self._open:
                self.local.idle.set()

    def end_connections(self) -> None:
        """End what is still open: each connection has a thread, which waits for the client to say more."""
        with self._lock:
            for request in self._open:
                with suppress(OSError):  # the client was quicker
                    request.shutdown(SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Stay silent: clients that break off are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet; ``LocalServer.requests`` is the log."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Let the stand-in live in a time of its own."""
        return self.server.local.date() or super().date_time_string(timestamp)

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=unquote(parts.path),
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("Content-Length") or 0)),
        )
        self.server.local.requests.append(request)
        answer = self.server.local.answer(request)
        if not isinstance(answer, Reply):
            answer(self)
            self.close_connection = True
            return
        self.send_response(answer.status)
        if "Content-Length" not in answer.headers and answer.status != 304:
            self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if answer.status != 304:
            self.wfile.write(answer.body)
