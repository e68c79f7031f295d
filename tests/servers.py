"""A local server that misbehaves on demand: each fault that a fetcher must have an answer to."""

from __future__ import annotations

import gzip
import socket
import ssl
import struct
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from watcher.demo.local import Answer, LocalServer, Reply, Request

CERTIFICATE = Path(__file__).parent / "data" / "tls" / "server.pem"
"""Key and certificate of results.test, made for these tests and worth nothing elsewhere."""

Responder = Callable[[Request], Answer]


class FaultServer(LocalServer):
    """Answers each path as told by ``on``; what nobody spoke of is 404."""

    def __init__(self) -> None:
        """Start with nothing to say."""
        self.answers: dict[str, Answer | list[Answer] | Responder] = {}
        super().__init__()

    def on(self, path: str, *answers: Answer) -> str:
        """Give the answers to ``path`` in turn, the last one for ever; return the whole address."""
        self.answers[path] = list(answers)
        return self.url + path

    def by(self, path: str, respond: Responder) -> str:
        """Let a function answer ``path``; return the whole address."""
        self.answers[path] = respond
        return self.url + path

    def answer(self, request: Request) -> Answer:
        known = self.answers.get(request.path)
        if known is None:
            return super().answer(request)
        if isinstance(known, list):
            return known.pop(0) if len(known) > 1 else known[0]
        return known(request)  # type: ignore[operator, return-value]

    def asked(self, path: str) -> list[Request]:
        """Return the requests for ``path``."""
        return [request for request in self.requests if request.path == path]


class TLSServer(FaultServer):
    """The same behind TLS, with a certificate for results.test only."""

    def __init__(self) -> None:
        """Wrap the listening socket."""
        super().__init__()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )


def ok(body: bytes, media_type: str = "application/json", **headers: str) -> Reply:
    """A plain 200; header names with "_" for "-"."""
    return Reply(
        200, body, {"Content-Type": media_type, **{k.replace("_", "-"): v for k, v in headers.items()}}
    )


def with_etag(body: bytes, etag: str = '"one"', media_type: str = "application/json") -> Responder:
    """200 with an ETag, 304 to those who hold it."""

    def respond(request: Request) -> Reply:
        if request.headers.get("if-none-match") == etag:
            return Reply(304, headers={"ETag": etag})
        return ok(body, media_type, ETag=etag)

    return respond


def reset(handler: BaseHTTPRequestHandler) -> None:
    """Break the connection off with a TCP reset, without an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def cut_off(body: bytes, announced: int, media_type: str = "application/json") -> Answer:
    """Announce more than is sent, and close."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, f"Content-Type: {media_type}\r\nContent-Length: {announced}")
        handler.wfile.write(body)

    return answer


def understated(body: bytes, announced: int, media_type: str = "application/json") -> Answer:
    """Announce less than is sent, as servers do that count characters, not bytes."""
    return Reply(200, body, {"Content-Type": media_type, "Content-Length": str(announced)})


def trickle(media_type: str = "application/json") -> Answer:
    """Announce a body and send it drop by drop, for ever."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, f"Content-Type: {media_type}\r\nContent-Length: 100000000")
        _drip(handler, b" ")

    return answer


def trickling_headers() -> Answer:
    """Send headers drop by drop, for ever."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        _drip(handler, b"x")

    return answer


def silence() -> Answer:
    """Take the request and never answer, until the client or the test has had enough."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.settimeout(0.02)
        while not handler.server.local.closing.is_set():  # type: ignore[attr-defined]
            try:
                if not handler.connection.recv(1):
                    return
            except TimeoutError:
                continue
            except OSError:
                return

    return answer


def bomb(size: int, media_type: str = "application/json") -> Reply:
    """A few kilobytes that decompress to ``size`` bytes."""
    return ok(gzip.compress(b" " * size), media_type, Content_Encoding="gzip")


def chunked_cut_off(start: bytes, media_type: str = "application/json") -> Answer:
    """Send one chunk and close before the last one."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, f"Content-Type: {media_type}\r\nTransfer-Encoding: chunked")
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(start), start))

    return answer


def chunk_of(size: str, media_type: str = "application/json") -> Answer:
    """Send a chunk that says it has ``size`` bytes (hexadecimal, or whatever a hostile server says)."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        _head(handler, f"Content-Type: {media_type}\r\nTransfer-Encoding: chunked")
        handler.wfile.write(f"{size}\r\n[1]\r\n0\r\n\r\n".encode())

    return answer


def _head(handler: BaseHTTPRequestHandler, headers: str) -> None:
    handler.wfile.write(f"HTTP/1.1 200 OK\r\n{headers}\r\n\r\n".encode())


def _drip(handler: BaseHTTPRequestHandler, drop: bytes) -> None:
    closing = handler.server.local.closing  # type: ignore[attr-defined]
    try:
        while not closing.wait(0.002):
            handler.wfile.write(drop)
            handler.wfile.flush()
    except OSError:
        return
