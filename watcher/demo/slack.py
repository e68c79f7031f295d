"""A stand-in for Slack on this machine: an incoming webhook, and the few API methods that a bot token calls.

``webhook`` and ``api`` are its addresses. What was posted stands in ``messages``, in order; what went wrong on purpose
is told by ``fail``.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl

from msgspec import Struct

from watcher.demo.local import Answer, LocalServer, Reply, Request

WEBHOOK_PATH = "/services/T0DEMO/B0DEMO/not-a-real-secret"


class Message(Struct, frozen=True):
    """A message that was taken. ``by``: webhook or token; ``ts``: Slack's name for it, which a webhook keeps to itself."""

    by: str
    ts: str
    content: Mapping[str, Any]

    @property
    def channel(self) -> str:
        """Where it was posted."""
        return str(self.content.get("channel", "the webhook's own"))


class SlackServer(LocalServer):
    """Takes messages on 127.0.0.1. ``token``: the only bot token accepted."""

    def __init__(self, *, token: str = "xoxb-demo") -> None:  # noqa: S107 - opens this stand-in and nothing else
        """Start with no messages."""
        self.messages: list[Message] = []
        self._token = token
        self._troubles: list[Answer] = []
        self._state = threading.Lock()
        super().__init__()

    @property
    def webhook(self) -> str:
        """The webhook's address."""
        return self.url + WEBHOOK_PATH

    @property
    def api(self) -> str:
        """Base address of the API."""
        return f"{self.url}/api/"

    def fail(self, *statuses: int, retry_after: int | None = None) -> None:
        """Answer the next requests with these statuses, one each; nothing is taken meanwhile."""
        headers = {"Retry-After": str(retry_after)} if retry_after is not None else {}
        with self._state:
            self._troubles += [Reply(status, b"no_service", headers) for status in statuses]

    def refuse(self, word: str = "invalid_blocks") -> None:
        """Refuse the next message with one of Slack's error words."""
        with self._state:
            self._troubles.append(Reply(200, json.dumps({"ok": False, "error": word}).encode(), _AS_JSON))

    def reset(self, *, after_taking: bool = False) -> None:
        """Break the next connection off; ``after_taking``: the message is taken all the same."""
        with self._state:
            self._troubles.append(_took if after_taking else _reset)

    def hang(self) -> None:
        """Leave the next request without an answer until its sender gives up."""
        with self._state:
            self._troubles.append(_hang)

    def answer(self, request: Request) -> Answer:
        """Answer as Slack would."""
        with self._state:
            trouble = self._troubles.pop(0) if self._troubles else None
            if trouble is _took:
                self._take(request)
                return _reset
            return trouble if trouble is not None else self._answer(request)

    def _answer(self, request: Request) -> Reply:
        if request.path == WEBHOOK_PATH:
            content = _content(request)
            if not (content.get("text") or content.get("blocks") or content.get("attachments")):
                return Reply(400, b"no_text")
            self._take(request)
            return Reply(200, b"ok", {"Content-Type": "text/html"})
        if not request.path.startswith("/api/"):
            return Reply(404, b"no_team")
        if request.headers.get("authorization") != f"Bearer {self._token}":
            return _said(ok=False, error="invalid_auth")
        return self._method(request.path.removeprefix("/api/"), request)

    def _method(self, method: str, request: Request) -> Reply:
        content = _content(request)
        if method == "auth.test":
            return _said(ok=True, team="Demo", user="mlperf-watcher")
        if method == "chat.postMessage":
            taken = self._take(request)
            return _said(ok=True, channel=taken.channel, ts=taken.ts, message=dict(taken.content))
        if method in {"conversations.history", "conversations.replies"}:
            thread = content.get("ts") if method.endswith("replies") else None
            found = [
                {**each.content, "ts": each.ts}
                for each in reversed(self.messages)
                if each.channel == content.get("channel") and each.content.get("thread_ts") == thread
            ]
            return _said(ok=True, messages=found, has_more=False)
        return _said(ok=False, error="unknown_method")

    def _take(self, request: Request) -> Message:
        by = "webhook" if request.path == WEBHOOK_PATH else "token"
        message = Message(by, f"1789570000.{len(self.messages) + 1:06d}", _content(request))
        self.messages.append(message)
        return message


_AS_JSON = {"Content-Type": "application/json; charset=utf-8"}


def _content(request: Request) -> dict[str, Any]:
    """Return what was sent, as JSON, as a form, or in the query."""
    if request.headers.get("content-type", "").startswith("application/json"):
        content: dict[str, Any] = json.loads(request.body)
        return content
    form = dict(parse_qsl(request.body.decode(), keep_blank_values=True))
    return {**request.query, **form}


def _said(**values: Any) -> Reply:
    return Reply(200, json.dumps(values).encode(), _AS_JSON)


def _reset(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def _took(handler: BaseHTTPRequestHandler) -> None:
    """Stand for: take the message, then break off."""
    _reset(handler)


def _hang(handler: BaseHTTPRequestHandler) -> None:
    """Say nothing until the other side closes, or the stand-in does."""
    handler.connection.settimeout(0.05)
    closing = handler.server.local.closing  # type: ignore[attr-defined]
    while not closing.is_set():
        try:
            if not handler.connection.recv(1):
                return
        except TimeoutError:
            continue
        except OSError:
            return
