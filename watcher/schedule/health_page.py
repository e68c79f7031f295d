"""``/healthz``, ``/readyz`` and ``/metrics`` on this machine, from what the daemon pinned to its board.

The page's threads never touch the state, and answer nobody who came by another name than this machine's (a web page
that points a name of its own at 127.0.0.1 is refused).
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Self

from watcher.errors import ConfigError
from watcher.notifiers.timed import limited, within
from watcher.schedule.metrics import CONTENT_TYPE, Metrics
from watcher.schedule.snapshot import Board

_PLAIN = "text/plain; charset=utf-8"
_PATIENCE = 5.0  # seconds for a client in all: one that says nothing, or a byte a second, is left
_AT_ONCE = 32  # clients; who comes when so many are being served is sent away


class HealthPage:
    """Serves the page from its own thread until it is closed."""

    def __init__(
        self,
        address: tuple[str, int],
        board: Board,
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
    ) -> None:
        """Bind and start. Raises ConfigError if the address cannot be had."""
        self._board = board
        self.monotonic = monotonic
        self._lock = threading.Lock()  # of the metrics' registry
        self._metrics = Metrics(board, clock)
        try:
            self._server = _Server(address, self)
        except OSError as error:
            raise ConfigError(
                f"watcher.http: {address[0]}:{address[1]} cannot be served ({error.strerror}); name another port"
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, name="health-page", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port that is served."""
        return int(self._server.server_address[1])

    def answer(self, path: str) -> tuple[HTTPStatus, str, bytes]:
        """Return status, content type and body for a path."""
        if path == "/healthz":
            if self._board.alive(self.monotonic()):
                return HTTPStatus.OK, _PLAIN, b"alive\n"
            return HTTPStatus.SERVICE_UNAVAILABLE, _PLAIN, b"stuck: no sign of life for half an hour\n"
        if path == "/readyz":
            _, trouble = self._board.read()
            if trouble is None:
                return HTTPStatus.OK, _PLAIN, b"ready\n"
            return HTTPStatus.SERVICE_UNAVAILABLE, _PLAIN, f"not ready: {trouble}\n".encode()
        if path == "/metrics":
            with self._lock:
                return HTTPStatus.OK, CONTENT_TYPE, self._metrics.text()
        return HTTPStatus.NOT_FOUND, _PLAIN, b"there is /healthz, /readyz and /metrics\n"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    """One thread a client, so that a slow one holds up no other."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], page: HealthPage) -> None:
        self.page = page
        self._free = threading.BoundedSemaphore(_AT_ONCE)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        taken, address = super().get_request()
        return limited(within(_PATIENCE, self.page.monotonic), taken), address

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that breaks off is nobody's trouble."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "mlperf-watcher"
    sys_version = ""

    def do_GET(self) -> None:
        if not _meant_for_us(self.headers.get("Host", "")):
            self._send(HTTPStatus.MISDIRECTED_REQUEST, _PLAIN, b"this page is for this machine only\n")
            return
        self._send(*self.server.page.answer(self.path.partition("?")[0]))

    def _send(self, status: HTTPStatus, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: a monitor asks every few seconds."""


def _meant_for_us(host: str) -> bool:
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    if name in {"localhost", ""}:
        return True
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
