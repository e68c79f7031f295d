"""What a page says of its article for machines and in its byline: title, time, author, address.

The order of trust: JSON-LD, the heading, meta elements, ``time``, words near the heading. A source's own selectors go
before all of them.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from html import unescape
from itertools import islice
from typing import Any

from watcher.parse.dates import read_date
from watcher.parse.furniture import words_of
from watcher.parse.markup import Element, plain, start_of, strings
from watcher.parse.readable import tag_text

_MAX_JSON = 500_000
_MAX_NODES = 20_000
_NAMED = ("meta", "link", "script", "h1", "h2", "time")
_SMALL = frozenset({"br", "img", "svg", "b", "em", "strong", "i"})  # elements that are no piece of a page
_ARTICLES = ("article", "posting", "report", "pressrelease")
_TITLES = ("og:title", "twitter:title", "dc.title", "parsely-title")
_TIMES = (
    "article:published_time", "og:article:published_time", "datepublished", "parsely-pub-date", "dc.date.issued",
    "dcterms.created", "dcterms.date", "dc.date", "citation_publication_date", "sailthru.date", "publish-date", "publish_date",
    "publication_date", "pubdate", "date",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "parsely-author", "dc.creator", "dcterms.creator", "sailthru.author", "citation_author")  # fmt: skip
_BYLINES = frozenset({
    "byline", "meta", "postmeta", "dateline", "date", "published", "posted", "pubdate", "timestamp", "author", "authors", "info",
})  # fmt: skip
_AUTHOR_WORDS = frozenset({"author", "authors", "byline"})
_TITLE_BREAKS = re.compile(r"\s+[|•·–—:»-]+\s+|\s*\|\s*")
_UPDATED = r"(?i)\b(last\s+)?(updated|modified|edited)\b"
_BY = re.compile(
    r"\b(?:(?:written|posted|published)\s+)?by:?\s+([^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){0,7})",
    re.IGNORECASE,
)
_NAME_ENDS = r"(?i)\s+(in|on|at|for|updated|posted|published|last|min|read)\b.*$"
_NEAR = 12
"""How many elements after the heading are looked at for a byline."""


class Metadata:
    """What the head of a page, its JSON-LD and its heading say. Read it before furniture is taken out."""

    def __init__(self, page: Element) -> None:
        """Collect what there is."""
        self._page = page
        self._tags = _by_name(page)
        self._metas: dict[str, str] = {}
        for tag in self._tags["meta"]:
            name = tag.get("property") or tag.get("name") or tag.get("itemprop")
            content = plain(str(tag.get("content") or ""))
            if name and content:
                self._metas.setdefault(str(name).lower(), content[:1000])
        self._linked = _article_of(list(_linked_data(self._tags["script"])))
        self.heading = self._heading()

    def addresses(self) -> list[str]:
        """Return the addresses that the page calls its own, surest first."""
        found = [
            str(link.get("href") or "")
            for link in self._tags["link"]
            if "canonical" in (link.get("rel") or "").split()
        ][:1]
        found.append(self._metas.get("og:url", ""))
        return [address for address in found if address]

    def title(self) -> str:
        """Return the article's title, "" if the page has none."""
        if self.heading is not None and (text := plain(tag_text(self.heading))):
            return text
        return next(iter(self._titles()), "")

    def published(self) -> tuple[datetime | None, str | None]:
        """Return when it was published and what the page says of that; the time is null where it cannot be read."""
        first = None
        for text in self._times():
            if (at := read_date(text)) is not None:
                return at, text
            first = first or text or None
        return None, first

    def author(self) -> str | None:
        """Return the author's name, several joined by commas."""
        names = _people(self._linked.get("author"))
        if names:
            return ", ".join(dict.fromkeys(names))
        for name in _AUTHORS:
            said = self._metas.get(name, "")
            if said and "://" not in said:
                return said
        return self._author_beside()

    def body(self) -> str:
        """Return the article's text as its JSON-LD has it, for pages that build theirs by script; "" if there is none."""
        text = self._linked.get("articleBody")
        return text if isinstance(text, str) else ""

    def near_heading(self) -> Iterator[Element]:
        """Yield the elements after the heading where bylines stand."""
        if self.heading is None:
            return
        inside = sum(1 for element in self.heading.iterdescendants("*") if element.tag not in _SMALL)
        near = (element for element in _following(self.heading) if element.tag not in _SMALL)
        yield from islice(near, max(0, _NEAR - inside))

    def _titles(self) -> list[str]:
        """Return titles as the page's head gives them, without the site's name."""
        found = [self._linked.get("headline"), *(self._metas.get(name) for name in _TITLES)]
        if (title := next(self._page.iter("title"), None)) is not None:
            found.append(max(_TITLE_BREAKS.split(plain("".join(strings(title)))), key=len))
        return [plain(unescape(text)) for text in found if isinstance(text, str) and text.strip()]

    def _heading(self) -> Element | None:
        """Return the heading that says the title: the longest that head or JSON-LD repeat, else the only h1."""
        said = [_letters(text) for text in self._titles()]
        for level in ("h1", "h2"):
            read: list[tuple[Element, str]] = [
                (tag, _letters(start_of(tag, 1000))) for tag in self._tags[level][:50]
            ]
            found = [(tag, text) for tag, text in read if text]
            repeated = [pair for pair in found if any(_are_alike(pair[1], title) for title in said)]
            if repeated:
                return max(repeated, key=lambda pair: len(pair[1]))[0]
            if level == "h1" and len(found) == 1:
                return found[0][0]
        return None

    def _times(self) -> Iterator[str]:
        said = self._linked.get("datePublished")
        yield plain(said)[:200] if isinstance(said, str) else ""
        for name in _TIMES:
            yield self._metas.get(name, "")
        for tag in [*self._marked("itemprop", "datePublished"), *self._time_elements()]:
            yield plain(str(tag.get("datetime") or tag.get("content") or start_of(tag, 200)))[:200]
        for tag in self.near_heading():
            text = re.split(_UPDATED, start_of(tag, 400))[0]
            if text and (words_of(tag) & _BYLINES or len(text) <= 100) and read_date(text[:110]) is not None:
                yield text[:110]

    def _time_elements(self) -> list[Element]:
        """Return ``time`` elements, those marked as the time of publication first, then those after the heading."""
        times = self._tags["time"][:50]
        marked = [
            tag for tag in times if tag.get("pubdate") is not None or "publish" in " ".join(words_of(tag))
        ]
        near = list(self.near_heading())
        return marked + [tag for tag in times if any(tag is other for other in near)]

    def _marked(self, attribute: str, value: str) -> list[Element]:
        """Return the first element with a mark beside the heading, or anywhere where there is no heading."""
        around = self.heading.getparent() if self.heading is not None else self._page
        for tag in around.xpath(f"descendant::*[@{attribute}]"):
            said = tag.get(attribute)
            if value in (said.split() if tag.tag in ("a", "link") else [said]):
                return [tag]
        return []

    def _author_beside(self) -> str | None:
        for marks in (("itemprop", "author"), ("rel", "author")):
            for tag in self._marked(*marks):
                if name := start_of(tag, 200):
                    return _BY.sub(r"\1", name)
        for tag in self.near_heading():
            text = start_of(tag, 400)
            words = words_of(tag)
            if text and (
                tag.tag == "address" or (words & _AUTHOR_WORDS and len(text) < 60 and not _BY.search(text))
            ):
                return text[:100]
            if found := _BY.search(text) if words & _BYLINES else _BY.match(text):
                return re.sub(_NAME_ENDS, "", found[1]).rstrip(".")
        return None


def _by_name(page: Element) -> defaultdict[str, list[Element]]:
    """Return a page's elements by name, of those names that say something of the article."""
    found: defaultdict[str, list[Element]] = defaultdict(list)
    for element in page.iter(*_NAMED):
        found[element.tag].append(element)
    return found


def _following(element: Element | None) -> Iterator[Element]:
    """Yield the elements behind one in document order, without those that it holds."""
    while element is not None:
        for sibling in element.itersiblings("*"):
            yield from sibling.iter("*")
        element = element.getparent()


def _linked_data(scripts: list[Element]) -> Iterator[dict[str, Any]]:
    """Yield every object in the page's JSON-LD."""
    for script in [script for script in scripts if "ld+json" in str(script.get("type")).lower()][:20]:
        text = script.text or ""
        if len(text) > _MAX_JSON:
            continue
        try:
            waiting = [json.loads(text)]
        except (ValueError, RecursionError):
            continue
        nodes = 0
        while waiting and nodes < _MAX_NODES:
            value = waiting.pop()
            nodes += 1
            if isinstance(value, dict):
                yield value
                waiting.extend(reversed(list(value.values())))
            elif isinstance(value, list):
                waiting.extend(reversed(value))


def _article_of(nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the object that describes the article (the first of its kind), its author's reference resolved."""
    articles = [node for node in nodes if _is_article(node)]
    pages = [node for node in nodes if "webpage" in _types(node)]
    article: dict[str, Any] = dict((articles or pages or [{}])[0])
    named = {str(node["@id"]): node for node in nodes if "@id" in node and "name" in node}
    author = article.get("author")
    if isinstance(author, dict) and "name" not in author and str(author.get("@id")) in named:
        article["author"] = named[str(author["@id"])]
    return article


def _is_article(node: dict[str, Any]) -> bool:
    return any(kind.endswith(_ARTICLES) for kind in _types(node)) and (
        "headline" in node or "datePublished" in node
    )


def _types(node: dict[str, Any]) -> list[str]:
    kinds = node.get("@type")
    return [str(kind).lower() for kind in (kinds if isinstance(kinds, list) else [kinds])]


def _people(value: Any) -> list[str]:
    """Return the names in JSON-LD's ``author``: a text, an object with a name, or a list of these."""
    people = value[:20] if isinstance(value, list) else [value]
    said = [one.get("name") if isinstance(one, dict) else one for one in people]
    names = [plain(unescape(name))[:100] for name in said if isinstance(name, str) and "://" not in name]
    return [name for name in names if name]


def _are_alike(heading: str, title: str) -> bool:
    """Tell whether a heading is (in) the title, or the title its beginning or end, by their letters."""
    return heading in title or (len(title) > 10 and title in heading)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
