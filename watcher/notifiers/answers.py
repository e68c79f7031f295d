"""What an HTTP receiver's answer means, and how to speak of it without its secrets."""

from __future__ import annotations

import base64
import ipaddress
import re
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler

from watcher.domain import Secret
from watcher.errors import (
    BrokenReceiverError,
    ConfigError,
    RefusedError,
    TryLaterError,
    UnknownOutcomeError,
)
from watcher.notifiers.text import clean

TRY_LATER = frozenset({408, 425, 429})
BROKEN = frozenset({401, 402, 403, 404, 405, 407, 410, 451})
_ENCODED = re.compile(r"[A-Za-z0-9+/]{6,}={0,2}")
EXCERPT = 160  # characters of an answer that an error may show


class AsAnswered(HTTPRedirectHandler):
    """Follows no redirect: the message and its credentials go to the address in the config, or nowhere."""

    def redirect_request(self, *_: Any) -> None:
        """Return no new request, so that the redirect is the answer."""


def check(
    status: int,
    *,
    who: str,
    excerpt: str = "",
    headers: Mapping[str, str] | None = None,
    sent_at: datetime | None,
) -> None:
    """Return if ``status`` says that the message was taken, else raise the DeliveryError that fits.

    ``who`` names receiver and service; ``excerpt`` is the answer's text with its secrets hidden; ``sent_at`` is when
    the message was made, the reference for a Retry-After that is a date where the answer has no Date.
    """
    if 200 <= status < 300:
        return
    said = f"{who} answered {status}" + (f" ({excerpt})" if excerpt else "")
    if status >= 500 or status in TRY_LATER:
        raise TryLaterError(said, retry_after=retry_after(headers or {}, sent_at))
    if status < 400:
        raise BrokenReceiverError(f"{said}: a redirect is not followed; put the final address in the config")
    if status in BROKEN:
        raise BrokenReceiverError(f"{said}: check the receiver's address, token and permissions")
    raise RefusedError(said)


@contextmanager
def told_apart(who: str) -> Iterator[None]:
    """Turn the end of a connection into the error that says whether the message had been sent.

    For calls by urllib, which wraps in URLError whatever goes wrong up to the last byte sent, and nothing after it.
    An HTTPError is an answer, so it passes.
    """
    try:
        yield
    except HTTPError:
        raise
    except URLError as error:
        reason = error.reason
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise BrokenReceiverError(
                f"{who}: the certificate does not check ({reason.verify_message})"
            ) from None
        raise TryLaterError(f"{who} cannot be reached ({type(reason).__name__})") from None
    except (
        OSError,
        HTTPException,
        ValueError,
        LookupError,
        RecursionError,
    ) as error:  # the last three: its body
        raise UnknownOutcomeError(
            f"{who} took the message and the connection ended without an answer ({type(error).__name__})"
        ) from None


def retry_after(headers: Mapping[str, str], sent_at: datetime | None) -> float | None:
    """Return the seconds to wait as told by Retry-After, in seconds or as a date; null if it says nothing readable.

    A date is read against the answer's own Date, so that no clock of ours matters (RFC 9110, section 10.2.3).
    """
    lower = {k.lower(): v for k, v in headers.items()}
    told = lower.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", told):
        return float(told)
    until = _http_date(told)
    if until is None:
        return None
    reference = _http_date(lower.get("date", "")) or sent_at
    return None if reference is None else max(0.0, (until - reference).total_seconds())


def _http_date(text: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):  # all that the standard reader raises
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def excerpt(body: str, *secrets: Secret | None) -> str:
    """Return the start of an answer as one clean line without any part of the secrets."""
    return hidden(" ".join(clean(body).split())[: EXCERPT * 4], *secrets)[:EXCERPT]


def hidden(text: str, *secrets: Secret | None) -> str:
    """Return ``text`` with each secret, and the telling parts of a secret address, replaced by ``<secret>``."""
    for secret in secrets:
        if secret is None:
            continue
        parts = sorted(_parts(secret.reveal()), key=len, reverse=True)
        for part in parts:
            text = text.replace(part, "<secret>")
        text = _ENCODED.sub(lambda found, parts=parts: _unless_holding(found[0], parts), text)  # type: ignore[misc]
    return text


def _unless_holding(word: str, parts: Sequence[str]) -> str:
    """Return a word, or ``<secret>`` where it is base64 of something with one of ``parts`` in it, as logins are sent."""
    try:
        held = base64.b64decode(word + "=" * (-len(word) % 4)).decode("utf-8", "replace")
    except ValueError:
        return word
    return "<secret>" if any(part in held for part in parts) else word


def _parts(value: str) -> set[str]:
    """Return the value itself, and of an address its path, query, credentials and their long words."""
    parts = {value}
    if "://" in value:
        url = urlsplit(value)
        parts |= {url.path, url.query, url.username or "", url.password or ""}
        parts |= {word for word in re.split(r"[/?&=]", f"{url.path}?{url.query}") if len(word) >= 8}
    return {part for part in parts if len(part) >= 4}


def is_loopback(url: str) -> bool:
    """Whether the address names this machine: localhost, 127.0.0.0/8 or ::1."""
    try:
        return is_loopback_host(urlsplit(url).hostname or "")
    except ValueError:
        return False


def is_loopback_host(host: str) -> bool:
    """Whether the host name is this machine by its spelling alone; nothing is resolved."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(url: str, option: str) -> None:
    """Raise ConfigError unless ``url`` is https, or http to this machine; the value is not shown."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        raise ConfigError(f"{option} is not a readable address") from None
    if not host or not url.isascii() or not url.isprintable() or " " in url:
        raise ConfigError(f"{option} is not an address; it starts with https:// and is plain ASCII")
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback_host(host)):
        return
    raise ConfigError(f"{option} must be https (http only to this machine), not {parts.scheme!r} to {host!r}")
