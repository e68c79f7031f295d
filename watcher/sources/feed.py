"""An RSS, Atom, RDF or JSON feed: its entries as posts, and their pages where the feed has only summaries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from watcher.domain import Get, Post, Reading, Source
from watcher.errors import ConfigError, FetchError, ParseError
from watcher.sources import options_of
from watcher.sources.articles import FILTER, Articles
from watcher.sources.articles import OPTIONS as ARTICLE_OPTIONS
from watcher.sources.options import Option

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog
    from watcher.parse.feed import Feed
    from watcher.parse.identity import Identified

ACCEPT = "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8"  # fmt: skip

KNOWN = 1000
"""How many links are remembered with their identities."""

OPTIONS = {
    "filter": FILTER,
    "fetch_articles": Option(bool, "Fetch an entry's page where the feed has only a summary of it.", default=False),
    "host_aliases": Option(tuple, "Hosts in links that are other names of a host: 'wf.coreweave.com = www.coreweave.com'.", ()),
    **ARTICLE_OPTIONS,
}  # fmt: skip


def read(source: Source, get: Get, cursor: Mapping[str, Any], now: datetime, catalog: Catalog) -> Reading:
    """Check a feed once.

    Every entry that passes the filter is a post; with ``fetch_articles`` a summary's page is read instead, a few a check,
    and the summary stands in until then. The first check is a baseline: old entries' pages are read within the limit
    only. The cursor keeps ``entries`` (how many there were), ``known`` (link → identity) and ``reads``.

    Raises FetchError of class not-what-it-was where a feed that had entries has none, or as `read_feed` does.
    """
    del catalog  # posts are named by the claims reader
    options = options_of(source)
    articles = Articles(
        get, now, options, {identity: dict(kept) for identity, kept in cursor.get("reads", {}).items()}
    )
    document = get(source.url, accept=ACCEPT)
    known: dict[str, str] = dict(cursor.get("known", {}))
    posts: dict[str, Post] = {}
    entries = int(cursor.get("entries", 0))
    if not document.unchanged:
        from watcher.parse.feed import read_feed  # noqa: PLC0415 - only for a feed whose bytes are new

        feed = read_feed(
            document.body,
            url=document.url,
            media_type=document.media_type,
            aliases=_aliases(source, options["host_aliases"]),
        )
        if not feed.entries and entries:
            message = f"{document.url}: the feed has no entries; there were {entries}"
            raise FetchError(message, url=document.url, failure="not-what-it-was")
        entries = len(feed.entries)
        articles.steps += [f"{entries} entries", *feed.notes]
        posts = _posts(source, feed, options, known, articles, first="known" not in cursor)
    articles.read()
    for post in articles.posts(source, options["filter"]):
        posts[post.identity] = _as_listed(post, posts.get(post.identity))
    return Reading(
        cursor={"entries": entries, "known": dict(list(known.items())[-KNOWN:]), "reads": articles.reads},
        posts=tuple(posts.values()),
        steps=tuple(articles.steps),
        failure=articles.failure,
    )


def _posts(
    source: Source,
    feed: Feed,
    options: Mapping[str, Any],
    known: dict[str, str],
    articles: Articles,
    *,
    first: bool,
) -> dict[str, Post]:
    """Return the feed's posts by identity, ask for the pages of new summaries, and note all links as known."""
    from watcher.parse.identity import identify  # noqa: PLC0415 - only for a feed whose bytes are new
    from watcher.parse.markup import without_tags  # noqa: PLC0415
    from watcher.parse.words import has_any  # noqa: PLC0415

    posts: dict[str, Post] = {}
    read_before = frozenset(known.values())
    for each in identify(feed.entries, known):
        entry, identity = each.entry, each.identity
        if each.link:
            known.pop(each.link, None)  # the newest stand last
            known[each.link] = identity
        matches = has_any(options["filter"], entry.title, without_tags(entry.html), *entry.categories)
        by_page = options["fetch_articles"] and not entry.complete and entry.link is not None and each.link
        if by_page and identity in read_before:
            continue  # its page is read now or was; the summary would look like an edit
        if by_page and (matches or not first) and (not first or len(articles.reads) < articles.limit):
            articles.want(identity, entry.link or "", told=matches)
        if matches:
            posts[identity] = _post(source, each)
    return posts


def _post(source: Source, each: Identified) -> Post:
    from watcher.parse.article import clean, text_of  # noqa: PLC0415 - only for a feed whose bytes are new
    from watcher.parse.markup import from_plain, without_tags  # noqa: PLC0415

    entry = each.entry
    try:
        html, text = clean(entry.html, entry.base)
    except ParseError:  # one entry beyond the bounds is no reason to lose the others
        html = from_plain(without_tags(entry.html))
        text = text_of(html)
    return Post(
        source=source.name,
        identity=each.identity,
        url=entry.link or source.url,
        title=entry.title or text.partition("\n")[0][:120],
        html=html,
        text=text,
        author=entry.author,
        published_at=entry.published_at,
        published_raw=entry.published_raw,
        vendor=source.vendor,
    )


def _as_listed(post: Post, listed: Post | None) -> Post:
    """Return an article with what only its feed says: its time and author, where its page is silent."""
    if listed is None:
        return post
    timed = listed if listed.published_at is not None or post.published_raw is None else post
    return replace(
        post,
        author=post.author or listed.author,
        published_at=timed.published_at,
        published_raw=timed.published_raw,
    )


def _aliases(source: Source, pairs: tuple[str, ...]) -> dict[str, str]:
    aliases = {}
    for pair in pairs:
        other, equals, host = (part.strip().lower() for part in pair.partition("="))
        if not (other and equals and host):
            raise ConfigError(
                f"source {source.name!r}: option 'host_aliases': {pair!r} must be 'other.example = host.example'"
            )
        aliases[other] = host
    return aliases
