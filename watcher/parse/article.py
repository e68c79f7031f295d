"""A page → its article: title, time, author, and the body alone; and what makes two readings of a post the same.

Navigation, banners, bylines, comments, teasers of other posts, hidden text and scripts are left
out; tables, lists, ``pre`` and footnotes stay.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from hashlib import sha256

from msgspec import Struct

from watcher.domain import Post
from watcher.errors import ParseError
from watcher.parse.charset import decode
from watcher.parse.css import Css
from watcher.parse.furniture import find_body, furniture
from watcher.parse.links import absolute, same_site
from watcher.parse.markup import Element, body_of, from_plain, plain, sanitise, start_of, tree
from watcher.parse.metadata import Metadata
from watcher.parse.readable import tag_text, text_of

__all__ = ["Article", "Selectors", "clean", "digest", "read_article", "text_of"]

MAX_TITLE = 500
"""Longest title that is kept, in characters."""

LEAST = 40
"""Fewest characters of a body; less is an error page or one that a script fills."""


class Selectors(Struct, frozen=True, kw_only=True):
    """CSS selectors of one site, from its source's options; null means the ways that work for most sites.

    ``published`` names an element whose ``datetime``, ``content`` or text is the time. ``drop`` are further elements that
    are not the article.
    """

    title: str | None = None
    published: str | None = None
    author: str | None = None
    body: str | None = None
    drop: tuple[str, ...] = ()


class Article(Struct, frozen=True, kw_only=True):
    """What a page holds of its article. ``html`` is the body alone, ``text`` its readable text without the title.

    ``url`` is the canonical address; ``published_at`` null where the page gives no readable time (``published_raw`` is
    what it said).
    """

    url: str
    title: str
    html: str
    text: str
    author: str | None = None
    published_at: datetime | None = None
    published_raw: str | None = None


_PLAIN_SELECTORS = Selectors()


def read_article(
    body: bytes, *, url: str = "", media_type: str = "", selectors: Selectors = _PLAIN_SELECTORS
) -> Article:
    """Read the article of a page fetched from ``url`` ("" for a file), with its Content-Type header if it had one.

    A canonical address on another site than ``url``'s is not believed. Raises ParseError for a page beyond the bounds,
    in no readable character set, without a title or with hardly any text; ConfigError for a wrong selector.
    """
    what = url or "page"
    page = tree(decode(body, media_type, what), what)
    metadata = Metadata(page)
    css = Css(page)
    address = _address(metadata, url)
    title = _selected(css, selectors.title) or metadata.title()
    published_at, published_raw = _published(css, selectors.published, metadata)
    author = _selected(css, selectors.author) or metadata.author()
    main, without = _body(page, css, selectors, metadata)
    html = sanitise(main, address, without)
    text = tag_text(main, without)
    if len(text) < LEAST and len(metadata.body()) >= LEAST:
        html = from_plain(metadata.body())
        text = text_of(html)
    if not title:
        raise ParseError(f"{what}: has no title; name its element in the option `title`")
    if len(text) < LEAST:
        raise ParseError(
            f"{what}: has no article text; name its element in the option `body`, or a script fills the page"
        )
    return Article(
        url=address,
        title=plain(title)[:MAX_TITLE],
        html=html,
        text=text,
        author=author[:200] if author else None,
        published_at=published_at,
        published_raw=published_raw,
    )


def clean(html: str, base: str) -> tuple[str, str]:
    """Return a piece of HTML, such as a feed's entry, without what is not the article (see `sanitise`), and its text.

    Raises ParseError beyond the bounds of `tree`.
    """
    body = body_of(tree(html, base or "entry"))
    without = furniture(body)
    return sanitise(body, base, without), tag_text(body, without)


# ---------------------------------------------------------------------------------------------- edits

_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})
# Looked for by its first sign, which is what makes it several times as fast: everything that the expression could begin
# with stands in one class, and the next group says that no word goes on there.
_NUMBER_WORD = r"(?:(?<=\d)[\d.,]{0,11}+\s?[kKmM]?|(?<=a)n?|(?<=o)ne|(?<=n)o)"
_VOLATILE = re.compile(
    rf"[\daAoOnNjJ](?<!\w\w)(?i:"
    rf"{_NUMBER_WORD}\s+(?:(?:new|unread)\s+)?(?:comments?|replies|reply|responses?|views?|reads?|likes?|shares?|reactions?|"
    rf"claps?|votes?|followers?|people\s+(?:like|liked|shared|read)\s+this)\b"
    rf"|{_NUMBER_WORD}\s+(?:seconds?|sec|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)\s+ago\b"
    r"|(?<=j)ust now\b|(?<=\d)\d{0,2}\s*-?\s*min(?:ute)?s?\s+read\b)"
)


def digest(post: Post) -> str:
    """Return what changes when a post is edited, and only then: a digest of its title and readable body.

    White space, kinds of quotes and dashes, and words that change by themselves ("3 comments", "1 hour ago", "5 min read")
    say nothing; one changed figure does.
    """
    words = [_steady(_folded(text)) for text in (post.title, post.text)]
    return sha256("\n".join(words).encode()).hexdigest()


def _steady(text: str) -> str:
    """Return folded ``text`` without the words that change by themselves."""
    steady, found = _VOLATILE.subn(" ", text)
    return " ".join(steady.split()) if found else text


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text.translate(_QUOTES)).split())


# ---------------------------------------------------------------------------------------------- parts


def _address(metadata: Metadata, url: str) -> str:
    own = absolute(url, url) or url
    for said in metadata.addresses():
        canonical = absolute(url, said)
        if canonical is not None and (not url or same_site(canonical, url)):
            return canonical
    return own


def _body(page: Element, css: Css, selectors: Selectors, metadata: Metadata) -> tuple[Element, set[Element]]:
    """Return the element that holds the article's body, and what in it is not the article."""
    heading = metadata.heading
    holders = set(heading.iterancestors()) if heading is not None else set()
    body = body_of(page)
    without = {element for selector in selectors.drop for element in css.select(selector)}
    if selectors.body is not None:
        found = css.select(selectors.body)
        if not found:
            raise ParseError(f"the option `body`, {selectors.body!r}, finds nothing on the page")
        main = found[0]
        without |= furniture(main, holders)
    else:
        without |= furniture(body, holders)
        main = find_body(body, holders, without)
    if heading is not None:
        without.add(heading)  # it is told beside the body, as are time and author
    without.update(main.iterchildren("time", "address"))
    return main, without


def _published(css: Css, selector: str | None, metadata: Metadata) -> tuple[datetime | None, str | None]:
    from watcher.parse.dates import read_date  # noqa: PLC0415

    for element in css.select(selector) if selector is not None else []:
        said = plain(element.get("datetime") or element.get("content") or start_of(element, 200))[:200]
        return read_date(said), said or None
    return metadata.published()


def _selected(css: Css, selector: str | None) -> str:
    for element in css.select(selector) if selector is not None else []:
        return plain(tag_text(element))
    return ""
