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

from watcher.domain import Notification, Receipt, Secret, Section
from watcher.errors import BrokenReceiverError, ConfigError, TryLaterError, UnknownOutcomeError
from watcher.notifiers import text
from watcher.notifiers.answers import check, check_address, excerpt

SCHEMA = "mlperf-watcher.notification.v1"
SIGNATURE = "X-MLPerf-Watcher-Signature"
TIMESTAMP = "X-MLPerf-Watcher-Timestamp"
IDENTITY = "X-MLPerf-Watcher-Id"
_READ = 4096  # bytes of an answer that are looked at


def _any(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Posts JSON to ``url``; signed where ``secret`` is given. Redirects are not followed."""

    name: str
    url: Secret = field(metadata={"help": "the address, https; never shown", "plain": _any})
    secret: Secret | None = field(default=None, metadata={"help": "the key of the signature"})
    token: Secret | None = field(default=None, metadata={"help": "sent as a bearer token"})
    timeout: float = field(
        default=20.0, metadata={"help": "seconds to wait, for the connection and for the answer"}
    )

    def __post_init__(self) -> None:
        """Raise ConfigError for an address that is not guarded."""
        check_address(self.url.reveal(), "url")
        if self.timeout <= 0:
            raise ConfigError("timeout must be more than 0 seconds")

    def send(self, notification: Notification) -> Receipt:
        """Post it; the receipt's ``external_id`` is the answer's Location or X-Message-Id, if any. Raises DeliveryError."""
        return self._post(document(notification), notification)

    def send_plain(self, notification: Notification) -> Receipt:
        """Post the short version: no sections, ``text`` says it all. Raises DeliveryError."""
        brief = {**document(notification), "sections": [], "text": text.short(notification)}
        return self._post(brief, notification)

    def _post(self, body: Mapping[str, Any], notification: Notification) -> Receipt:
        import requests  # noqa: PLC0415 - heavy, only when a webhook is sent

        raw = json.dumps(body, ensure_ascii=False, sort_keys=True).encode()
        who = f"receiver {self.name!r}: the webhook"
        try:
            with (
                requests.Session() as session,
                session.post(
                    self.url.reveal(),
                    data=raw,
                    headers=self._headers(raw, notification),
                    timeout=(self.timeout, self.timeout),
                    allow_redirects=False,
                    stream=True,
                    auth=lambda request: request,  # no credentials from a .netrc
                ) as answer,
            ):
                status, headers = answer.status_code, dict(answer.headers)
                said = (
                    ""
                    if answer.ok
                    else answer.raw.read(_READ, decode_content=True).decode("utf-8", "replace")
                )
        except requests.RequestException as error:
            raise self._failure(error, who) from None
        except (OSError, ValueError) as error:  # the error page itself broke off; its status is lost with it
            raise UnknownOutcomeError(f"{who}'s answer broke off ({type(error).__name__})") from None
        secrets = (self.url, self.secret, self.token)
        check(
            status, who=who, excerpt=excerpt(said, *secrets), headers=headers, sent_at=notification.created_at
        )
        return Receipt(
            external_id=headers.get("X-Message-Id") or headers.get("Location"), detail=f"answered {status}"
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

    @staticmethod
    def _failure(error: Exception, who: str) -> Exception:
        """Return what a failed call means: before the request was sent nothing can have arrived."""
        import requests  # noqa: PLC0415
        from urllib3.exceptions import MaxRetryError, SSLError  # noqa: PLC0415

        cause = error.args[0] if error.args else None
        reason = cause.reason if isinstance(cause, MaxRetryError) else cause
        if isinstance(error, requests.exceptions.SSLError) or isinstance(reason, SSLError):
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                return BrokenReceiverError(f"{who}'s certificate does not check; mend it, or the address")
            return TryLaterError(f"{who} could not be reached over TLS")
        if isinstance(error, requests.exceptions.ReadTimeout):
            return UnknownOutcomeError(f"{who} took the message and did not answer in time")
        if isinstance(error, requests.exceptions.ConnectTimeout) or isinstance(cause, MaxRetryError):
            return TryLaterError(f"{who} cannot be reached ({type(reason).__name__})")
        if isinstance(error, requests.exceptions.ConnectionError | requests.exceptions.ChunkedEncodingError):
            return UnknownOutcomeError(f"{who} took the message and the connection ended without an answer")
        return BrokenReceiverError(f"{who}'s address cannot be used ({type(error).__name__})")


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
