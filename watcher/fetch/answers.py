"""What an answer means: failure classes, waits asked for, and whether it is the kind of thing it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from watcher.errors import FetchError

REDIRECTS = frozenset({301, 302, 303, 307, 308})

_WALL_HEADERS = ("cf-mitigated", "x-datadome", "x-sucuri-block", "x-amzn-waf-action", "x-px-block")
_WALL_WORDS = re.compile(
    rb"just a moment|attention required|captcha|cf-chl|challenge-platform|incapsula|perimeterx|px-captcha|datadome"
    rb"|access denied.{0,200}reference|are you a (?:robot|human)|unusual traffic|bot (?:protection|detection)|ddos",
    re.IGNORECASE | re.DOTALL,
)
_SECONDARY_LIMIT = 60.0  # GitHub asks for at least a minute where it gives no time
_LONGEST_ETAG = 1024
_HTML = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_NEXT = re.compile(r"<([^<>]*)>\s*((?:;[^,;]*)*)")


def failure(status: int, headers: Mapping[str, str], start: bytes, *, url: str, now: datetime) -> FetchError:
    """Return the error for an answer that is neither a document nor a redirect nor a 304.

    ``start``: the first bytes of its body. 401 is auth; 403 is rate-limited with a rate limit's headers, blocked with
    the signs of a bot wall, else auth; 404 and 410 gone; 429 rate-limited; 451 blocked; 5xx server (blocked behind a
    bot wall); anything else not-what-it-was.
    """
    wait = retry_after(headers, now)
    walled = any(name in headers for name in _WALL_HEADERS) or _WALL_WORDS.search(start) is not None
    if status == 403 and wait is None and _says_limited(start):
        wait = _SECONDARY_LIMIT
    if status == 429 or (status == 403 and wait is not None and not walled):
        name, words = "rate-limited", "asks us to come less often"
    elif status == 451 or (walled and status in (401, 403, 503)):
        name, words = "blocked", "does not let programs in"
    elif status in (401, 403):
        name, words = "auth", "wants other credentials; check the source's token"
    elif status in (404, 410):
        name, words = "gone", "is not there"
    elif status >= 500:
        name, words = "server", "is in trouble"
    else:
        name, words = "not-what-it-was", "does not answer with a document"
    until = f", for {wait:.0f} s" if wait is not None else ""
    return FetchError(
        f"{url} {words} (HTTP {status}){until}", url=url, failure=name, status=status, retry_after=wait
    )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that the other side asks us to wait, or None.

    Retry-After in seconds or as a date; else GitHub's x-ratelimit-reset once x-ratelimit-remaining is 0. Dates are
    counted from the answer's own Date, so that two clocks need not agree.
    """
    said = headers.get("Retry-After", "").strip()
    if said.isdecimal():
        return float(said[:9])
    there = http_date(headers.get("Date", "")) or now
    date = http_date(said)
    if date is not None:
        return max(0.0, (date - there).total_seconds())
    reset = headers.get("X-RateLimit-Reset", "").strip()
    if headers.get("X-RateLimit-Remaining", "").strip() == "0" and reset.isdecimal() and len(reset) < 12:
        return max(0.0, int(reset) - there.timestamp() + 1)
    return None


def requests_left(headers: Mapping[str, str]) -> int | None:
    """Return how many more requests GitHub's rate limit allows until it is reset, or None if that is not said."""
    said = headers.get("X-RateLimit-Remaining", "").strip()
    return int(said) if said.isdecimal() and len(said) < 10 else None


def http_date(text: str) -> datetime | None:
    """Read an HTTP date; None if it is none."""
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def last_modified(headers: Mapping[str, str]) -> str | None:
    """Return Last-Modified as received, if it can tell one state of the page from the next.

    A time less than a second before the answer's own Date cannot: the page may have changed again in that second
    (RFC 9110, 8.8.2.2). With an ETag beside it that does not matter.
    """
    said = headers.get("Last-Modified")
    if said is None or "ETag" in headers:
        return said
    changed, answered = http_date(said), http_date(headers.get("Date", ""))
    if changed is not None and answered is not None and answered - changed < timedelta(seconds=1):
        return None
    return said


def etag(headers: Mapping[str, str]) -> str | None:
    """Return ETag as received, unless it is nothing that could be sent back."""
    said = headers.get("ETag")
    return said if said and said.isprintable() and len(said) <= _LONGEST_ETAG else None


def same_etag(one: str, other: str) -> bool:
    """Compare entity tags weakly, as If-None-Match does."""
    return one.removeprefix("W/") == other.removeprefix("W/")


def next_page(headers: Mapping[str, str]) -> str | None:
    """Return the address with rel=next in a Link header."""
    link = headers.get("Link")
    if link is None:
        return None
    for address, parameters in _NEXT.findall(link):
        if re.search(r"""rel\s*=\s*"?(?:[^"]*\s)?next(?:\s[^"]*)?"?\s*(?:;|$)""", parameters, re.IGNORECASE):
            return str(address)
    return None


def is_html(body: bytes) -> bool:
    """Tell whether bytes start like an HTML page."""
    return _HTML.match(body[:4096]) is not None


def wants_html(accept: str | None) -> bool:
    """Tell whether an HTML page is among what was asked for."""
    return accept is None or "html" in accept or accept.strip() == "*/*"


def _says_limited(start: bytes) -> bool:
    """Tell whether a 403 says in words that it is a rate limit (GitHub's secondary limits have no header of their own)."""
    return b"rate limit" in start.lower() or b"abuse detection" in start.lower()
