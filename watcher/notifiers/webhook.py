"""Webhook: the notification as signed JSON to an address of the user's.

The schema is documented in docs/receivers.md. The signature is HMAC-SHA256 over ``<timestamp>.<body>``, so that neither
can be changed and an old message cannot be played again later.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request

from watcher.domain import Notification, Receipt, Secret, Section
from watcher.notifiers import text
from watcher.notifiers.answers import AsAnswered, check, check_address, excerpt, told_apart
from watcher.notifiers.timed import Until, check_timeout, opener, within

SCHEMA = "mlperf-watcher.notification.v1"
SIGNATURE = "X-MLPerf-Watcher-Signature"
TIMESTAMP = "X-MLPerf-Watcher-Timestamp"
IDENTITY = "X-MLPerf-Watcher-Id"
_READ = 4096  # bytes of an answer that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Posts JSON to ``url``; signed where ``secret`` is given. Redirects are not followed."""

    name: str
    url: Secret = field(metadata={"help": "the address, https; never shown", "plain": True})
    secret: Secret | None = field(default=None, metadata={"help": "the key of the signature"})
    token: Secret | None = field(default=None, metadata={"help": "sent as a bearer token"})
    timeout: float = field(default=20.0, metadata={"help": "seconds that one message may take, at most 300"})

    def __post_init__(self) -> None:
        """Raise ConfigError for an address that is not guarded."""
        check_address(self.url.reveal(), "url")
        check_timeout(self.timeout)

    def send(self, notification: Notification) -> Receipt:
        """Post it; the receipt's ``external_id`` is the answer's Location or X-Message-Id, if any. Raises DeliveryError."""
        return self._post(document(notification), notification)

    def send_plain(self, notification: Notification) -> Receipt:
        """Post the short version: no sections, ``text`` says it all. Raises DeliveryError."""
        brief = {**document(notification), "sections": [], "text": text.short(notification)}
        return self._post(brief, notification)

    def _post(self, body: Mapping[str, Any], notification: Notification) -> Receipt:
        raw = json.dumps(body, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
        who = f"receiver {self.name!r}: the webhook"
        request = Request(  # noqa: S310 - __post_init__ lets only https pass, or http to this machine
            self.url.reveal(), data=raw, headers=self._headers(raw, notification), method="POST"
        )
        with told_apart(who):
            status, headers, said = _answer(request, within(self.timeout))
        secrets = (self.url, self.secret, self.token)
        check(
            status, who=who, excerpt=excerpt(said, *secrets), headers=headers, sent_at=notification.created_at
        )
        lower = {name.lower(): value for name, value in headers.items()}
        return Receipt(
            external_id=lower.get("x-message-id") or lower.get("location"), detail=f"answered {status}"
        )

    def _headers(self, raw: bytes, notification: Notification) -> dict[str, str]:
        stamp = str(int(notification.created_at.timestamp()))
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "mlperf-watcher",
            TIMESTAMP: stamp,
            IDENTITY: "".join(c for c in notification.id if c.isascii() and c.isprintable()),
        }
        if self.secret is not None:
            headers[SIGNATURE] = signature(self.secret, stamp, raw)
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token.reveal()}"
        return headers


def _answer(request: Request, until: Until) -> tuple[int, dict[str, str], str]:
    """Return status, headers and, of a refusal, the start of its text. The environment's proxies are heeded."""
    try:
        with opener(until, AsAnswered()).open(request) as answer:
            return answer.status, dict(answer.headers.items()), ""
    except HTTPError as refusal:
        with refusal:
            return refusal.code, dict(refusal.headers.items()), refusal.read(_READ).decode("utf-8", "replace")


def signature(secret: Secret, timestamp: str, raw: bytes) -> str:
    """Return ``v1=<hex>``: HMAC-SHA256 of ``<timestamp>.<body>`` under the secret's UTF-8 bytes."""
    mac = hmac.new(secret.reveal().encode(), timestamp.encode() + b"." + raw, hashlib.sha256)
    return f"v1={mac.hexdigest()}"


def document(notification: Notification) -> dict[str, Any]:
    """Return the JSON document; text is plain and unescaped, as in the notification, without control characters."""
    return {
        "schema": SCHEMA,
        "id": notification.id,
        "kind": notification.kind,
        "title": text.clean(notification.title),
        "severity": notification.severity,
        "summary": text.clean(notification.summary),
        "created_at": notification.created_at.isoformat(),
        "alerts": list(notification.alerts),
        "rules": list(notification.rules),
        "possible_repeat": notification.possible_repeat,
        "follows": notification.thread,
        "sections": [_section(section) for section in notification.sections],
        "text": text.plain(notification),
    }


def _section(section: Section) -> dict[str, Any]:
    grid = section.grid
    return {
        "heading": section.heading,
        "lead": section.lead,
        "paragraphs": [text.clean(p) for p in section.paragraphs],
        "table": None
        if grid is None
        else {
            "caption": grid.caption,
            "columns": list(grid.columns),
            "rows": [list(row) for row in grid.rows],
        },
        "picture": None if section.image is None else {"name": section.image.name, "alt": section.image.alt},
        "bullets": [text.clean(b) for b in section.bullets],
        "links": [{"text": text.clean(link.text), "url": link.url} for link in section.links],
    }
