"""A feed's text → XML that feedparser reads well: declarations refused, names of characters known, cut ends closed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.entities import html5
from itertools import islice
from xml.parsers import expat

from watcher.errors import FetchError, ParseError
from watcher.parse.markup import real_characters

MAX_BROKEN = 4_000_000
"""Largest feed that is read although it is no well-formed XML: the tolerant parser is some ten times slower."""

MAX_LISTED = 5000
"""Most entries that are looked at, the first ones of the document; the longest archive seen had some 3,000."""

MAX_DEPTH = 256
MAX_ELEMENTS = 200_000
_MAX_ATTRIBUTES = 200  # of one element: feedparser's time grows with their square
_MAX_FIELD = 10_000  # characters of an author, a date, an id: feedparser's patterns are not made for more
_MAX_BROKEN_TAG = 4000  # characters, for the same reason
_CONTENT = frozenset({"description", "summary", "content", "encoded", "body", "fullitem", "text"})
_FRAMES = frozenset({"rss", "rdf", "feed", "channel", "item", "entry", "image", "source", "group"})
_FIELD = re.compile(
    r"<((?:\w+:)?(?:author|creator|contributor|publisher|name|email|managingeditor|webmaster|pubdate|date|published|updated|"
    r"modified|issued|created|guid|id|category))(?:\s[^<>]*)?(?<!/)>",
    re.IGNORECASE,
)
_ROOT = re.compile(r"<((?:\w+:)?(rss|feed|rdf|channel))[\s>]", re.IGNORECASE)
_FIRST_TAG = re.compile(r"<([A-Za-z][\w:.-]*)")
_DECLARATION = re.compile(r"<\?xml[^>]*\?>", re.IGNORECASE)
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,30});")
_BARE_AMPERSAND = re.compile(r"&(?!#\d{1,7};|#x[0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,30};)")
_ENTRY_END = re.compile(r"</((?:\w+:)?(?:item|entry))\s*>", re.IGNORECASE)


def whole_xml(text: str, url: str) -> tuple[str, list[str]]:
    """Return the feed as XML that can be read, and what was wrong with it. Raises as `read_feed` does."""
    declaration = _DECLARATION.match(text)
    text = text[declaration.end() :] if declaration is not None else text
    root = _ROOT.search(text)
    first = _FIRST_TAG.search(text)
    if root is None or first is None or first.start() != root.start():
        is_page = first is not None and first[1].lower() in ("html", "head", "body")
        kind = "HTML" if is_page else "something else"
        raise FetchError(f"{url}: answers with {kind} where a feed was", url=url, failure="not-what-it-was")
    prolog = text[: root.start()].lower()
    if "<!entity" in prolog or re.search(r"<!doctype[^>]*\[", prolog):
        raise ParseError(f"{url}: declares entities, which no feed needs; it is not read")
    text = real_characters(_ENTITY.sub(_known_entity, text))
    notes: list[str] = []
    name = root[1]
    ends = [end.end() for end in islice(_ENTRY_END.finditer(text), MAX_LISTED + 1)]
    if len(ends) > MAX_LISTED:
        text = _closed(text[: ends[MAX_LISTED - 1]], name)
        notes.append(f"more than {MAX_LISTED:,} entries; the first {MAX_LISTED:,} are looked at")
    if _trouble(text, url) is None:
        return text, notes
    if f"</{name.lower()}" not in text[-2000:].lower():
        if not ends:
            raise ParseError(f"{url}: is cut off before its first entry ends")
        text = _closed(text[: ends[-1]], name)
        notes.append("the feed is cut off; its whole entries are used")
    if _trouble(text, url) is None:
        return text, notes
    text = _BARE_AMPERSAND.sub("&amp;", text)
    trouble = _trouble(text, url)
    if trouble is not None:
        notes.append(f"no well-formed XML ({trouble})")
        if len(text) > MAX_BROKEN or _longest_tag(text) > _MAX_BROKEN_TAG or _has_long_field(text):
            raise ParseError(f"{url}: is no well-formed XML ({trouble})")
    return text, notes


def _trouble(text: str, url: str) -> str | None:
    """Return why ``text`` is no well-formed XML, null if it is. Raises ParseError if it is beyond the bounds."""
    bounds = _Bounds(url)
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.StartElementHandler = bounds.start
    parser.EndElementHandler = bounds.end
    parser.CharacterDataHandler = bounds.characters
    try:
        parser.Parse(text.encode(), True)  # noqa: FBT003 - expat's own order
    except expat.ExpatError as error:
        return f"{expat.errors.messages.get(error.code, 'error')} in line {error.lineno}"
    return None


class _Bounds:
    """What no feed needs more of; raises ParseError at the first that is beyond."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._elements = 0
        self._open: list[
            bool
        ] = []  # of each open element, whether it is a frame of the feed rather than a field
        self._field = 0  # characters of the outermost open field, those of what it holds included
        self._content = 0  # how many elements of content are open

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        local = name.rpartition(" ")[2].lower()
        self._elements += 1
        if not self._open or self._open[-1]:
            self._field = 0
        self._open.append(local in _FRAMES and (not self._open or self._open[-1]))
        self._content += self._content > 0 or local in _CONTENT
        self._check(len(self._open), MAX_DEPTH, "elements within each other")
        self._check(self._elements, MAX_ELEMENTS, "elements")
        self._check(len(attributes), _MAX_ATTRIBUTES, "attributes of one element")

    def end(self, _name: str) -> None:
        self._open.pop()
        self._content -= self._content > 0

    def characters(self, text: str) -> None:
        if not self._content and not self._open[-1]:
            self._field += len(text)
            self._check(self._field, _MAX_FIELD, "characters in a field that is no content")

    def _check(self, number: int, most: int, what: str) -> None:
        if number > most:
            raise ParseError(f"{self._url}: has more than {most:,} {what}; it is not read")


def _longest_tag(text: str) -> int:
    """Return how many characters the longest tag has, open ones too."""
    return max((len(part) - part.find("<") for part in text.split(">") if "<" in part), default=0)


def _has_long_field(text: str) -> bool:
    """Tell whether a field that is no content does not end where fields do."""
    lower = text.lower()
    return any(
        lower.find(f"</{found[1].lower()}", found.end(), found.end() + _MAX_FIELD) < 0
        for found in _FIELD.finditer(text)
    )


def _known_entity(found: re.Match[str]) -> str:
    """Return the character that HTML's name means; XML knows five names only, and those are left as they are."""
    meant = html5.get(f"{found[1]};")
    return found[0] if meant is None or meant in "<>&\"'" else meant


def _closed(text: str, root: str) -> str:
    """Return a feed that ends after an entry with its open elements closed."""
    channel = "</channel>" if root.lower() == "rss" and "</channel>" not in text else ""
    return f"{text}{channel}</{root}>"
