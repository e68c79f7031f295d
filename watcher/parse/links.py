"""Addresses of posts: resolved, without tracking, and in one spelling for telling whether two are the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

MAX_URL = 2000
"""Longest address that is kept, in characters; longer ones are no links to articles."""

_TRACKING = (
    r"(?i)(utm_\w+|mc_[ce]id|mkt_tok|[gd]clid|fbclid|msclkid|yclid|igshid|ncid|linkid|trk|trkinfo|cmpid|icid|_hs(enc|mi)|"
    r"sr_share|ref_?src|ref|rss|source|share|feed|amp)$"
)
_TRACKING_FRAGMENT = re.compile(r"(:~:|utm_|xtor=|comments?$|respond$|comment-|disqus)", re.IGNORECASE)
_SPACES = re.compile(r"[\x00-\x20\x7f-\xa0\ud800-\udfff]+")
_SAFE = "/%:@!$&'()*+,;=~-._"


def absolute(base: str, href: str, aliases: Mapping[str, str] | None = None) -> str | None:
    """Return ``href`` resolved against ``base``, without what only tracks readers, or null if it is no web address.

    ``aliases`` maps hosts to the canonical ones (a feed may link to another host than the site). Credentials in an
    address are left out. http stays http: what a page says is kept for people.
    """
    return (
        _absolute(base, href, tuple(aliases.items()) if aliases else ()) if len(href) <= 2 * MAX_URL else None
    )


@lru_cache(maxsize=2048)
def _absolute(base: str, href: str, aliases: tuple[tuple[str, str], ...]) -> str | None:
    href = _SPACES.sub(" ", href).strip().replace(" ", "%20")
    if not href or len(href) > MAX_URL:
        return None
    try:
        parts = urlsplit(urljoin(base, href))
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:  # an unclosed bracket, a port that is no number
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    host = dict(aliases).get(host, host)
    default = {"http": 80, "https": 443}[parts.scheme]
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != default:
        netloc = f"{netloc}:{port}"
    fragment = "" if _TRACKING_FRAGMENT.match(parts.fragment) else parts.fragment
    path = quote(parts.path, safe=_SAFE) or "/"
    url = urlunsplit((parts.scheme, netloc, path, _query(parts.query), quote(fragment, safe=_SAFE + "?")))
    return url if len(url) <= MAX_URL else None


def link_key(url: str) -> str:
    """Return the spelling under which two addresses of one article are equal.

    Scheme, ``www.``, a slash or ``index.html`` at the end, ``/amp`` and the order of the query say nothing.
    """
    parts = urlsplit(url)
    path = re.sub(r"(/index\.\w{3,5}|/amp)?/*$", "", parts.path)
    query = urlencode(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    return urlunsplit(("", parts.netloc.removeprefix("www."), path, query, parts.fragment)).removeprefix("//")


def host_of(url: str) -> str:
    """Return the host of an address, lower case and without ``www.``."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def same_site(url: str, other: str) -> bool:
    """Tell whether two addresses have one host, or one's host is a part of the other's (blogs.x.example, x.example)."""
    one, two = host_of(url), host_of(other)
    return bool(one and two) and (one == two or one.endswith("." + two) or two.endswith("." + one))


def _query(query: str) -> str:
    """Return the query without tracking, else as it was written."""
    kept = [part for part in query.split("&") if part and not re.match(_TRACKING, part.partition("=")[0])]
    return quote("&".join(kept), safe=_SAFE + "?")
