"""RSS, Atom, RDF and JSON Feed → entries. feedparser reads bytes that we fetched; it never fetches itself.

What feedparser would pass over in silence is told here: HTML in place of a feed, an empty answer, a document cut off half
way (its whole entries are used), entity declarations (refused). Its dates are not used, see `watcher.parse.dates`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from datetime import datetime
from html import unescape
from typing import Any

from msgspec import Struct

from watcher.errors import FetchError, ParseError
from watcher.parse.charset import decode
from watcher.parse.dates import read_date
from watcher.parse.feed_xml import whole_xml
from watcher.parse.links import absolute
from watcher.parse.markup import from_plain, plain, printable

MAX_BYTES = 16_000_000
"""Largest feed that is read; an archive of 3,000 whole articles has about that."""

MAX_ENTRIES = 300
"""Most entries that are kept, the newest ones."""

MAX_CONTENT = 1_000_000
"""Longest content of an entry, in characters; what is beyond is cut off."""

_MAX_NAME = 1000
_MAX_AUTHOR = 400
_WHOLE = 2000  # characters of HTML: a summary of that length is the article

# feedparser's tolerant parser trips over malformed elements (a link's end without its start is a KeyError, …).
_FAULTS = (AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
_MAIL_AND_NAME = re.compile(r"\S+@\S+\s+\((.{1,200})\)$")  # as RSS has it
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_INLINE_TAG = re.compile(r"</?(?:a|abbr|b|br|cite|code|em|font|i|mark|q|small|span|strong|sub|sup|u)\b[^<>]{0,300}>", re.IGNORECASE)  # fmt: skip
_ESCAPED_TAG = re.compile(r"&lt;/?(?:p|div|ul|ol|li|table|h[1-6]|br|a|strong|em|img|span)\b", re.IGNORECASE)


class Entry(Struct, frozen=True, kw_only=True):
    """One entry as the feed has it. ``html`` is its content as published, not yet cleaned; relative to ``base``.

    ``complete``: the feed gives the content whole, not only a summary. ``published_at`` null where the feed's date cannot
    be read without guessing; ``published_raw`` is what it says.
    """

    id: str | None
    link: str | None
    title: str
    html: str
    base: str
    complete: bool
    author: str | None = None
    published_at: datetime | None = None
    published_raw: str | None = None
    categories: tuple[str, ...] = ()


class Feed(Struct, frozen=True):
    """A feed's entries in its own order, at most `MAX_ENTRIES`; ``notes`` say what was amiss, in words for people."""

    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()


def read_feed(
    body: bytes, *, url: str, media_type: str = "", aliases: Mapping[str, str] | None = None
) -> Feed:
    """Read a feed fetched from ``url`` with its Content-Type header; ``aliases`` maps hosts in links to the canonical ones.

    Raises FetchError of class not-what-it-was for an empty document or one that is no feed (often an HTML page with
    status 200), ParseError for one that is too large, declares entities, is in no readable character set, or is cut off
    before its first entry ends.
    """
    if len(body) > MAX_BYTES:
        raise ParseError(f"{url}: has {len(body):,} bytes; at most {MAX_BYTES:,} are read of a feed")
    text = printable(decode(body, media_type, url)).strip()
    if not text:
        raise FetchError(f"{url}: the feed is empty", url=url, failure="not-what-it-was")
    links = aliases or {}
    notes: list[str] = []
    if text.startswith("{"):
        from watcher.parse.json_feed import read_json_feed  # noqa: PLC0415 - it needs Entry from here

        entries = read_json_feed(text, url, links)
    else:
        text, notes = whole_xml(text, url)
        entries = [_entry(raw, url, links) for raw in _raw_entries(text, url)]
    if len(entries) > MAX_ENTRIES:
        notes.append(f"{len(entries):,} entries, the newest {MAX_ENTRIES} are read")
        entries = _newest(entries)
    undated = sum(1 for entry in entries if entry.published_raw and entry.published_at is None)
    if undated:
        notes.append(f"{undated} of {len(entries)} entries have a date that cannot be read")
    return Feed(tuple(entries), tuple(notes))


def _raw_entries(text: str, url: str) -> list[dict[str, Any]]:
    import feedparser  # noqa: PLC0415 - heavy, only when a feed has changed

    try:
        read = feedparser.parse(
            io.BytesIO(text.encode()),  # never a string: it would take one for an address or a file's name
            response_headers={"content-type": "application/xml; charset=utf-8", "content-location": url},
            resolve_relative_uris=False,
            sanitize_html=False,
        )
    except _FAULTS as error:
        raise ParseError(
            f"{url}: is no feed that can be read ({type(error).__name__}: {str(error)[:200]})"
        ) from error
    entries: list[dict[str, Any]] = read["entries"]
    return entries


def _entry(raw: dict[str, Any], url: str, aliases: Mapping[str, str]) -> Entry:
    link = absolute(url, _text(raw, "feedburner_origlink") or _text(raw, "link"), aliases)
    content = [part for part in dict.get(raw, "content") or () if part.get("value")]
    summary = dict.get(raw, "summary_detail") or {}
    body = max(content, key=lambda part: len(part["value"])) if content else summary
    html = _html(body)
    said = [text for name in ("published", "updated", "created") if (text := plain(_text(raw, name))[:200])]
    at, raw_time = first_readable(said)
    return Entry(
        id=plain(_text(raw, "id"))[:_MAX_NAME] or None,
        link=link,
        title=title_of(str((dict.get(raw, "title_detail") or {}).get("value") or "")),
        html=html,
        base=_base(str(body.get("base") or ""), link, url),
        complete=bool(content) or len(html) > _WHOLE,
        author=_author(raw),
        published_at=at,
        published_raw=raw_time,
        categories=tuple(
            plain(str(tag.get("term") or ""))[:100] for tag in (dict.get(raw, "tags") or ())[:20]
        ),
    )


def _base(said: str, link: str | None, url: str) -> str:
    """Return what links in an entry are relative to: what the feed says, else the article."""
    return said if said and said != url else link or url


def _text(raw: dict[str, Any], name: str) -> str:
    """Return a value as feedparser holds it; its own ``get`` stands one date in for another."""
    value = dict.get(raw, name)
    return value if isinstance(value, str) else ""


def _html(part: Mapping[str, Any]) -> str:
    value = printable(str(part.get("value") or ""))[:MAX_CONTENT]
    if part.get("type") == "text/plain":
        return from_plain(value)
    if not _TAG.search(value):
        if _ESCAPED_TAG.search(value):  # escaped once more than it should be
            return unescape(value)
        return from_plain(unescape(value))
    return value


def _author(raw: dict[str, Any]) -> str | None:
    mail = _MAIL_AND_NAME.match(_text(raw, "author")[:_MAX_AUTHOR])
    if mail is not None:
        return plain(unescape(mail[1]))[:200] or None
    names = [str(person.get("name") or "") for person in (dict.get(raw, "authors") or ())[:20]]
    said = ", ".join(name for name in names if name) or _text(raw, "author")
    return plain(unescape(re.sub(r"\S+@\S+", " ", said[:_MAX_AUTHOR]))).strip("() ")[:200] or None


# ---------------------------------------------------------------------------------------------- either format


def title_of(value: str) -> str:
    """Return a title's text: without inline tags, and without entities however often they were escaped."""
    text = _INLINE_TAG.sub("", value[: 4 * _MAX_NAME])
    for _ in range(2):
        if "&" in text:
            text = unescape(text)
    return plain(text)[:500]


def first_readable(said: list[str]) -> tuple[datetime | None, str | None]:
    """Return the first of several dates that can be read, with its text; else null and the first text."""
    for text in said:
        if (at := read_date(text)) is not None:
            return at, text
    return None, said[0] if said else None


def _newest(entries: list[Entry]) -> list[Entry]:
    """Return the newest entries in the feed's order; those without a date count by their place alone."""
    dated = [entry.published_at for entry in entries if entry.published_at is not None]
    if len(dated) < len(entries):
        return entries[:MAX_ENTRIES]
    oldest = sorted(dated, reverse=True)[MAX_ENTRIES - 1]
    return [entry for entry in entries if entry.published_at is None or entry.published_at >= oldest][
        :MAX_ENTRIES
    ]
