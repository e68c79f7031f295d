"""An index page or sitemap: the articles it links to as posts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from watcher.domain import Document, Get, Post, Reading, Source
from watcher.errors import FetchError, ParseError
from watcher.sources import options_of
from watcher.sources.articles import ACCEPT_HTML, FILTER, Articles
from watcher.sources.articles import OPTIONS as ARTICLE_OPTIONS
from watcher.sources.options import Option

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog
    from watcher.parse.listing import Listed, Listing

ACCEPT = f"{ACCEPT_HTML}, application/xml;q=0.9, text/xml;q=0.9"

SITEMAPS = 5
"""How many sitemaps of an index are read in one check, at most."""

KNOWN = 1000
"""How many links are remembered."""

OPTIONS = {
    "links": Option(str, "CSS selector of the links to articles, or of elements around them; left out, they are found."),
    "include": Option(tuple, "Patterns of an article's path, such as '/blog/*'; left out, what lies below the page's path.", ()),
    "exclude": Option(tuple, "Patterns of paths that are no articles.", ()),
    "hosts": Option(tuple, "Hosts, beside the page's own, that articles may stand on.", ()),
    "filter": FILTER,
    **ARTICLE_OPTIONS,
}  # fmt: skip


def read(source: Source, get: Get, cursor: Mapping[str, Any], now: datetime, catalog: Catalog) -> Reading:
    """Check a listing once, and read the articles that are new, changed by the sitemap's word, or due again.

    An article that cannot be read is a post of its title alone, so that it is not missed. The first check is a baseline:
    old articles are read within the limit only. The cursor keeps ``links`` (how many there were), ``known`` (identity →
    digest of the sitemap's date, or "") and ``reads``.

    Raises FetchError of class not-what-it-was where a listing that had links has none, ParseError where it never had any,
    or as `read_listing` does.
    """
    del catalog  # posts are named by the claims reader
    options = options_of(source)
    articles = Articles(
        get, now, options, {identity: dict(kept) for identity, kept in cursor.get("reads", {}).items()}
    )
    known: dict[str, str] = dict(cursor.get("known", {}))
    links = int(cursor.get("links", 0))
    listing = _listing(source, get, options, articles)
    if listing is not None:
        if not listing:
            raise _nothing(source, links)
        links = len(listing)
        articles.steps.append(f"{links} links to articles")
        _want_new(listing, known, articles, first="known" not in cursor)
    articles.read()
    posts = {post.identity: post for post in articles.posts(source, options["filter"])}
    for identity, unread in articles.failed.items():
        from watcher.parse.words import has_any  # noqa: PLC0415 - only where an article could not be read

        if unread["title"] and has_any(options["filter"], unread["title"]):
            posts[identity] = _title_alone(source, identity, unread)
    return Reading(
        cursor={"links": links, "known": dict(list(known.items())[-KNOWN:]), "reads": articles.reads},
        posts=tuple(posts.values()),
        steps=tuple(articles.steps),
        failure=articles.failure,
    )


def _listing(
    source: Source, get: Get, options: Mapping[str, Any], articles: Articles
) -> tuple[Listed, ...] | None:
    """Return the links to articles, of an index of sitemaps those of the first few; null where nothing has changed."""
    document = get(source.url, accept=ACCEPT, page=True)
    if document.unchanged:
        return None
    from watcher.parse.listing import Choice, read_listing  # noqa: PLC0415 - only for a page whose bytes are new

    choice = Choice(
        selector=options["links"],
        include=options["include"],
        exclude=options["exclude"],
        hosts=options["hosts"],
    )

    def listed(document: Document) -> Listing:
        return read_listing(document.body, url=document.url, media_type=document.media_type, choice=choice)

    listing = listed(document)
    links = list(listing.links)
    for address in listing.sitemaps[:SITEMAPS]:
        links += listed(get(address, accept=ACCEPT, conditional=False, page=True)).links
    if len(listing.sitemaps) > SITEMAPS:
        articles.steps.append(
            f"{len(listing.sitemaps)} sitemaps, the first {SITEMAPS} are read; name the one you mean"
        )
    return tuple(links)


def _want_new(listing: tuple[Listed, ...], known: dict[str, str], articles: Articles, *, first: bool) -> None:
    """Ask for the articles that are new or have changed, and note all as known."""
    from watcher.parse.identity import link_identity, short  # noqa: PLC0415 - only for a page whose bytes are new

    for listed in listing:
        identity = link_identity(listed.url)
        mark = short(listed.changed)[:6] if listed.changed else ""
        before = known.pop(identity, None)
        known[identity] = mark  # the newest stand last
        if before == mark or (first and len(articles.reads) >= articles.limit):
            continue
        articles.want(identity, listed.url, listed.title)


def _nothing(source: Source, links: int) -> FetchError | ParseError:
    if links:
        message = f"{source.url}: no links to articles; there were {links}"
        return FetchError(message, url=source.url, failure="not-what-it-was")
    return ParseError(f"{source.url}: no links to articles; name them by the options `links` or `include`")


def _title_alone(source: Source, identity: str, unread: Mapping[str, Any]) -> Post:
    return Post(
        source=source.name,
        identity=identity,
        url=unread["url"],
        title=unread["title"],
        html="",
        text="",
        vendor=source.vendor,
    )
