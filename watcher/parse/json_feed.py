"""JSON Feed (versions 1 and 1.1) → entries of a feed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from watcher.errors import FetchError, ParseError
from watcher.parse.feed import MAX_CONTENT, Entry, first_readable, title_of
from watcher.parse.links import absolute
from watcher.parse.markup import from_plain, plain, printable


def read_json_feed(text: str, url: str, aliases: Mapping[str, str]) -> list[Entry]:
    """Read a JSON Feed. Raises FetchError of class not-what-it-was if it is other JSON, ParseError if it is none."""
    try:
        feed = json.loads(text)
    except ValueError as error:
        raise ParseError(f"{url}: is no JSON ({str(error)[:200]})") from error
    except RecursionError as error:
        raise ParseError(f"{url}: is nested too deeply") from error
    version = feed.get("version") if isinstance(feed, dict) else None
    items = feed.get("items") if isinstance(feed, dict) else None
    if "jsonfeed.org" not in str(version) or not isinstance(items, list):
        raise FetchError(f"{url}: is JSON, but no JSON Feed", url=url, failure="not-what-it-was")
    return [_entry(item, url, aliases) for item in items if isinstance(item, dict)]


def _entry(item: dict[str, Any], url: str, aliases: Mapping[str, str]) -> Entry:
    link = absolute(url, _text(item, "url") or _text(item, "external_url"), aliases)
    html, words = _text(item, "content_html")[:MAX_CONTENT], _text(item, "content_text")[:MAX_CONTENT]
    said = [text for name in ("date_published", "date_modified") if (text := plain(_text(item, name))[:200])]
    at, raw_time = first_readable(said)
    tags = item.get("tags")
    return Entry(
        id=plain(_text(item, "id"))[:1000] or None,
        link=link,
        title=title_of(_text(item, "title")),
        html=html or from_plain(words or _text(item, "summary")),
        base=link or url,
        complete=bool(html or words),
        author=_author(item),
        published_at=at,
        published_raw=raw_time,
        categories=tuple(plain(str(tag))[:100] for tag in (tags if isinstance(tags, list) else ())[:20]),
    )


def _text(item: dict[str, Any], name: str) -> str:
    """Return a text; ids are numbers in some feeds."""
    value = item.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return printable(str(value))


def _author(item: dict[str, Any]) -> str | None:
    authors = item.get("authors")
    people = authors[:20] if isinstance(authors, list) else [item.get("author")]
    names = [plain(_text(person, "name")) for person in people if isinstance(person, dict)]
    return ", ".join(name for name in names if name)[:200] or None
