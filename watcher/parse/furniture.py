"""What on a page is not the article: navigation, banners, bylines, comments, teasers; and which element is its body.

Pages mark these by element, role, or words in class and id. An element that holds the article's heading, or most of the
page's text, is never taken for furniture whatever its class says ("layout-with-sidebar").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from watcher.parse.markup import Element, plain, size_of, strings, walk

_ELEMENTS = frozenset({"nav", "aside", "footer", "header", "form", "button", "dialog", "menu"})
_ROLES = frozenset({
    "navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu", "menubar", "toolbar",
    "tablist",
})  # fmt: skip
_WORDS = frozenset({
    "nav", "navbar", "navigation", "menu", "submenu", "breadcrumb", "breadcrumbs", "cookie", "cookies", "consent", "onetrust",
    "gdpr", "masthead", "sidebar", "related", "recommended", "recommendations", "recirc", "recirculation", "popular", "trending",
    "share", "sharing", "sharebar", "sharedaddy", "social", "addtoany", "newsletter", "subscribe", "subscription", "signup",
    "promo", "promotion", "advert", "advertisement", "ads", "ad", "sponsored", "poll", "tags", "tagcloud", "pagination", "pager",
    "prevnext", "skip", "toolbar", "popup", "modal", "likes", "reactions", "rating", "elsewhere", "readnext", "cta", "byline",
    "postmeta", "meta", "dateline", "toc", "bio", "authorbox", "foot", "footer", "teaser",
})  # fmt: skip
_COMMENTS = frozenset({"comments", "commentlist", "respond", "responses", "disqus", "livefyre"})
_NOTES = frozenset(
    {"notes", "note", "footnote", "footnotes", "endnotes", "references", "disclaimer", "legal", "disclosures"}
)
_MARKED = frozenset(
    {"div", "section", "ul", "ol", "dl", "p", "span", "aside", "details", "article", "table", "figure", "a"}
)
_INVISIBLE = frozenset(
    {"visually-hidden", "visuallyhidden", "sr-only", "screen-reader-text", "screen-reader-only", "d-none"}
)
_NO_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BODY_NAMES = (
    "entry-content", "post-content", "post-body", "article-body", "article-content", "article__body", "article__content",
    "blog-content", "blog-body", "post__content", "entry", "postcontent", "articlebody", "story-body", "rich-text-content",
)  # fmt: skip
_SENTENCES = re.compile(
    r"(the post .+ (appeared first on|first appeared on) .+|(share|tweet|pin) (this|on)\b.*|(leave|post|add) a comment.*|"
    r"\d+ comments?|(read more|continue reading|learn more|advertisement|sponsored)\W*)$",
    re.IGNORECASE,
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MOST_CANDIDATES = 50  # of a kind; a page with more is a listing
_SHORT = 250  # characters of such a sentence
_MOST_PIECES = 200  # elements within a short sentence
_MOST_FRAMES = 8  # main, article, its content, and some to spare
_NO_WORDS: frozenset[str] = frozenset()
_MOST = 0.6
"""Share of the text that no banner or list of teasers has."""


def furniture(root: Element, keep: Collection[Element] = ()) -> set[Element]:
    """Return what in ``root`` is not the article; elements in ``keep`` are never among them."""
    judge = _Judge(root)
    found: set[Element] = set()
    stack = [root.iterchildren("*")]
    while stack:
        for element in stack[-1]:
            if element not in keep and judge.is_furniture(element):
                found.add(element)
            elif len(element):
                stack.append(element.iterchildren("*"))
                break
        else:
            stack.pop()
    return found


class _Judge:
    """Which elements are furniture. How much text an element holds is counted only where it matters.

    What turns out to be furniture is counted once and never entered. Where an element looks like furniture and is not,
    all elements are counted at once, so that elements within each other cost no more than others.
    """

    def __init__(self, root: Element) -> None:
        self._root = root
        self._most = _MOST * size_of(root)
        self._measured: tuple[dict[Element, int], dict[Element, list[str]]] | None = None

    def is_furniture(self, element: Element) -> bool:
        """Tell whether an element, with all that it holds, is not the article."""
        name = element.tag
        marks = dict(element.items())
        words = _class_words(marks.get("class", "")) if name in _MARKED and marks else _NO_WORDS
        if not words.isdisjoint(_COMMENTS) or self._is_slug(element, marks, _COMMENTS):
            return True
        if self._looks_so(element, marks, words):
            return self._holds_little(element)
        return name in ("p", "li") and self._is_aside(element)

    def _looks_so(self, element: Element, marks: Mapping[str, str], words: frozenset[str]) -> bool:
        name = element.tag
        role = marks.get("role", "").lower()
        if marks and (_is_hidden(marks) or role in _ROLES):
            return True
        if name in _ELEMENTS:
            return words_of(element).isdisjoint(_NOTES) and role not in (
                "note",
                "doc-endnotes",
                "doc-footnote",
            )
        return not words.isdisjoint(_WORDS) or self._is_slug(element, marks, _WORDS)

    def _is_slug(self, element: Element, marks: Mapping[str, str], words: frozenset[str]) -> bool:
        """Tell whether the id has one of ``words``.

        An id that repeats the element's own heading ("share" of a section "Share") says what the text is about, and long
        ids are such too.
        """
        if "id" not in marks or element.tag not in _MARKED:
            return False
        slug = _split(marks["id"])
        return len(slug) <= 2 and not words.isdisjoint(slug) and slug != self._heading(element)

    def _holds_little(self, element: Element) -> bool:
        """Tell whether an element holds no more of the text than furniture does."""
        if self._measured is None:
            if size_of(element) <= self._most:
                return True
            self._measured = _measures(self._root)
        return self._measured[0][element] <= self._most

    def _is_aside(self, element: Element) -> bool:
        """Tell whether a paragraph or item is one of those short sentences that sites put among their text."""
        if len((element.text or "").strip()) >= _SHORT:
            return False  # most paragraphs
        if next(islice(element.iter(), _MOST_PIECES, None), None) is not None:
            return False
        text = list(strings(element))
        size = sum(len(piece.strip()) for piece in text)
        return size < _SHORT and size <= self._most and _SENTENCES.match(plain("".join(text))) is not None

    def _heading(self, element: Element) -> list[str] | None:
        """Return the words of the first heading in an element, null where there is none."""
        if self._measured is not None:
            return self._measured[1].get(element)
        return next((_first_words(heading) for heading in element.iter(*_HEADINGS)), None)


def find_body(scope: Element, holders: Collection[Element], without: Collection[Element]) -> Element:
    """Return the element below ``scope`` that is the article's body; ``holders`` are those around its heading.

    It goes inwards as long as an element that is made for articles holds the heading or half of the text at hand.
    """
    lengths, _ = _measures(scope, without)
    kinds = _made_for_articles(scope, lengths)
    for _ in range(_MOST_FRAMES):
        inner = _inner(scope, kinds, lengths, holders)
        if inner is None:
            break
        scope = inner
    return scope


def _measures(
    root: Element, without: Collection[Element] = ()
) -> tuple[dict[Element, int], dict[Element, list[str]]]:
    """Return, by element, how many characters of text it holds, and the words of its first heading."""
    lengths = {root: 0}
    headings: dict[Element, list[str]] = {}
    holders = [root]
    for node, entering in walk(root, without):
        if isinstance(node, str):
            lengths[holders[-1]] += len(node.strip())
        elif entering:
            lengths[node] = 0
            holders.append(node)
            if node.tag in _HEADINGS:
                words = _first_words(node)
                for holder in reversed(holders):
                    if holder in headings:
                        break  # and so have those around it
                    headings[holder] = words
        else:
            holders.pop()
            lengths[holders[-1]] += lengths[node]
    return lengths, headings


def _first_words(heading: Element) -> list[str]:
    return _split("".join(islice(strings(heading), 20)))


def words_of(element: Element) -> frozenset[str]:
    """Return the words in an element's class and id, in lower case."""
    names = [*(element.get("class") or "").split(), element.get("id") or ""]
    return frozenset(word for name in names for word in _split(name))


def _inner(
    scope: Element,
    kinds: Sequence[Sequence[Element]],
    lengths: Mapping[Element, int],
    holders: Collection[Element],
) -> Element | None:
    half = lengths[scope] / 2
    for kind in kinds:
        found = [element for element in kind if any(around is scope for around in element.iterancestors())]
        holding = [element for element in found if element in holders or lengths[element] >= half]
        if not holding and len(found) == 1 and lengths[found[0]] >= 200:
            holding = found
        if holding:
            return max(holding, key=lambda element: lengths[element])
    return None


def _made_for_articles(scope: Element, known: Collection[Element]) -> list[list[Element]]:
    """Return elements below ``scope`` by kind, the kinds that are surest first."""
    kinds: dict[str, list[Element]] = {name: [] for name in ("itemprop", "article", "main", *_BODY_NAMES)}
    for element in scope.iterdescendants("article", "main", "div", "section"):
        if element not in known:  # it is, or stands in, what was left out
            continue
        marks = dict(element.items())
        classes = _classes(marks.get("class", ""))
        if "articleBody" in marks.get("itemprop", ""):
            kinds["itemprop"].append(element)
        if element.tag == "article":
            kinds["article"].append(element)
        elif element.tag == "main" or marks.get("role") == "main" or marks.get("id") in ("content", "main"):
            kinds["main"].append(element)
        for name in classes.intersection(_BODY_NAMES):
            kinds[name].append(element)
    return [found[:_MOST_CANDIDATES] for found in kinds.values() if found]


def _is_hidden(marks: Mapping[str, str]) -> bool:
    if "hidden" in marks or marks.get("aria-hidden") == "true" or _NO_STYLE.search(marks.get("style", "")):
        return True
    classes = _classes(marks.get("class", ""))
    if "hidden" in classes:
        return not any(":" in name for name in classes)  # "hidden md:block" is hidden on telephones only
    return not _INVISIBLE.isdisjoint(classes)


@lru_cache(maxsize=1000)
def _classes(names: str) -> frozenset[str]:
    return frozenset(names.lower().split())


@lru_cache(maxsize=1000)
def _class_words(names: str) -> frozenset[str]:
    """Return the words in a class attribute, of its first twenty names."""
    return frozenset(word for name in names.split()[:20] for word in _split(name))


def _split(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", name[:200])]
