"""An index page or a sitemap → links to articles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import islice
from urllib.parse import urlsplit

from msgspec import Struct

from watcher.errors import FetchError, ParseError
from watcher.parse.body import unpacked
from watcher.parse.charset import decode
from watcher.parse.css import Css
from watcher.parse.links import absolute, host_of, link_key
from watcher.parse.markup import Element, plain, printable, real_characters, start_of, tree

MAX_SITEMAP = 16_000_000
"""Largest listing that is read, in bytes, unpacked: sitemaps may come as gzip files."""

MAX_ANCHORS = 5000
"""Most links of a page that are looked at."""

MAX_LINKS = 500
"""Most links to articles that are followed from one listing; more means that ``include`` must be narrower."""

_SITEMAP = re.compile(r"<(?:\w+:)?(urlset|sitemapindex)[\s>]", re.IGNORECASE)
_NOT_ARTICLES = re.compile(
    r"/(page|tags?|categor(y|ies)|topics?|authors?|archives?|search|login|about|contact|privacy|feed|rss)(/|$)|"
    r"\.(xml|rss|atom|pdf|png|jpe?g|gif|svg|zip|mp4|css|js)$",
    re.IGNORECASE,
)
_PROMPT = re.compile(
    r"(read|learn|see|find out|view|continue|load)( \w+){0,3}\W*$|more\W*$|details\W*$", re.IGNORECASE
)
_FURNITURE = ("nav", "footer", "header", "aside")


class Listed(Struct, frozen=True):
    """A link to an article. ``title`` is the words of the link; ``changed`` what a sitemap gives as last change."""

    url: str
    title: str = ""
    changed: str = ""


class Listing(Struct, frozen=True):
    """Links to articles in the listing's order; ``sitemaps``: further sitemaps that this one is an index of."""

    links: tuple[Listed, ...]
    sitemaps: tuple[str, ...] = ()


class Choice(Struct, frozen=True, kw_only=True):
    """Which links are articles. ``selector`` is a CSS selector of links or of elements around them; null means all.

    ``include`` and ``exclude`` are patterns of the path (``/blog/*``); ``hosts`` are allowed beside the listing's own.
    """

    selector: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def read_listing(body: bytes, *, url: str, media_type: str = "", choice: Choice | None = None) -> Listing:
    """Read the links to articles of a page or sitemap fetched from ``url``.

    Raises FetchError of class not-what-it-was for an empty document, ParseError for one beyond the bounds or with more
    than `MAX_LINKS` links, ConfigError for a wrong selector.
    """
    choice = choice or Choice()
    text = printable(decode(unpacked(body, url, MAX_SITEMAP), media_type, url)).strip()
    if not text:
        raise FetchError(f"{url}: the page is empty", url=url, failure="not-what-it-was")
    sitemap = _SITEMAP.search(text[:4000])
    if sitemap is None:
        return Listing(_chosen(_anchors(tree(text, url), url, choice.selector), url, choice))
    found = _locations(text, url)
    if sitemap[1].lower() == "sitemapindex":
        wanted = [listed.url for listed in found if host_of(listed.url) in _hosts(url, choice)]
        return Listing((), tuple(wanted))
    return Listing(_chosen(found, url, choice))


def _chosen(found: Sequence[Listed], url: str, choice: Choice) -> tuple[Listed, ...]:
    hosts, own = _hosts(url, choice), link_key(url)
    links: dict[str, Listed] = {}
    for listed in found:
        path = urlsplit(listed.url).path
        key = link_key(listed.url)
        if host_of(listed.url) not in hosts or key == own:
            continue
        if choice.include:
            if not any(fnmatchcase(path, pattern) for pattern in choice.include):
                continue
        elif _NOT_ARTICLES.search(path) or path == "/":
            continue
        if any(fnmatchcase(path, pattern) for pattern in choice.exclude):
            continue
        held = links.get(key)
        if held is None or (_says_more(listed.title, held.title)):
            links[key] = listed
    if len(links) > MAX_LINKS:
        newest = sorted(links.values(), key=lambda listed: listed.changed, reverse=True)[:MAX_LINKS]
        if not newest[-1].changed:
            raise ParseError(
                f"{url}: has {len(links):,} links; narrow them by the option `include` to {MAX_LINKS}"
            )
        return tuple(newest)
    return tuple(links.values())


def _hosts(url: str, choice: Choice) -> frozenset[str]:
    return frozenset({host_of(url), *(host.lower().removeprefix("www.") for host in choice.hosts)})


def _says_more(title: str, other: str) -> bool:
    return len("" if _PROMPT.match(title) else title) > len("" if _PROMPT.match(other) else other)


# ---------------------------------------------------------------------------------------------- pages


def _anchors(page: Element, url: str, selector: str | None) -> list[Listed]:
    base = url
    for element in islice((each for each in page.iter("base") if each.get("href") is not None), 1):
        base = absolute(url, element.get("href")) or url
    if selector is not None:
        anchors = [anchor for element in Css(page).select(selector) for anchor in element.iter("a")]
    else:
        inside = {anchor for element in page.iter(*_FURNITURE) for anchor in _outer(element)}
        linked = (anchor for anchor in page.iter("a") if anchor.get("href") is not None)
        anchors = [anchor for anchor in islice(linked, MAX_ANCHORS) if anchor not in inside]
        anchors = _under(anchors, base, url) or _in_headings(anchors)
    found = []
    for anchor in anchors:
        link = absolute(base, anchor.get("href") or "")
        if link is not None:
            found.append(Listed(link.partition("#")[0], _words(anchor)))
    return found


def _outer(element: Element) -> list[Element]:
    """Return the anchors in a piece of furniture; a header within an article holds its title and is none."""
    if element.tag == "header" and next(element.iterancestors("article"), None) is not None:
        return []
    return list(element.iter("a"))


def _under(anchors: list[Element], base: str, url: str) -> list[Element]:
    """Return the anchors that lead below the listing's own path, which is where most sites keep their articles."""
    path = urlsplit(url).path.rstrip("/")
    if not path:
        return []
    found = []
    for anchor in anchors:
        link = absolute(base, anchor.get("href"))
        if link is not None and urlsplit(link).path.startswith(f"{path}/"):
            found.append(anchor)
    return found


def _in_headings(anchors: list[Element]) -> list[Element]:
    """Return the anchors in, or around, a heading or an article."""
    names = ("h1", "h2", "h3", "h4", "article", "li")
    return [
        anchor
        for anchor in anchors
        if next(anchor.iterancestors(*names), None) is not None
        or next(anchor.iterdescendants(*names), None) is not None
    ]


def _words(anchor: Element) -> str:
    heading = next(anchor.iterdescendants("h1", "h2", "h3", "h4"), anchor)
    words = start_of(heading, 300)
    if words and not _PROMPT.match(words):
        return words
    said = plain(anchor.get("aria-label") or anchor.get("title") or "")
    return said[:300] or words


# ---------------------------------------------------------------------------------------------- sitemaps


def _locations(text: str, url: str) -> list[Listed]:
    """Return the locations of a sitemap, cut-off ones too. Entities are not expanded, nothing is fetched."""
    from lxml import etree  # noqa: PLC0415 - heavy, only when there is a sitemap

    if re.search(r"<!(doctype|entity)", text[:4000], re.IGNORECASE):
        raise ParseError(f"{url}: declares entities, which no sitemap needs; it is not read")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
    )
    root = etree.fromstring(re.sub(r"^<\?xml[^>]*\?>", "", real_characters(text)).encode(), parser)
    if root is None:
        raise ParseError(f"{url}: is no sitemap that can be read")
    found = []
    for place in root.iter("{*}url", "{*}sitemap"):
        location = place.findtext("{*}loc") or ""
        link = absolute(url, location)
        if link is not None:
            found.append(Listed(link, "", plain(place.findtext("{*}lastmod") or "")[:40]))
    return found
