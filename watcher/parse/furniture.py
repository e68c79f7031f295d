"""What on a page is not the article: navigation, banners, bylines, comments, teasers; and which element is its body.

Pages mark these by element, role, or words in class and id. An element that holds the article's heading, or most of the
page's text, is never taken for furniture whatever its class says ("layout-with-sidebar").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from watcher.parse.markup import plain, walk

if TYPE_CHECKING:
    from bs4 import Tag

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
_MOST_FRAMES = 8  # main, article, its content, and some to spare
_MOST = 0.6
"""Share of the text that no banner or list of teasers has."""


def furniture(root: Tag, keep: Collection[int] = ()) -> set[int]:
    """Return the ids of what in ``root`` is not the article; elements whose ids are in ``keep`` are never among them."""
    from bs4 import Tag  # noqa: PLC0415 - heavy, only when there is a page to read

    lengths, headings = _measures(root)
    most = _MOST * lengths[id(root)]
    found: set[int] = set()
    for node, entering in walk(root, found):
        if entering and isinstance(node, Tag) and id(node) not in keep:
            slug = headings.get(id(node))
            if _is_comments(node, slug) or (
                lengths[id(node)] <= most and _is_furniture(node, lengths[id(node)], slug)
            ):
                found.add(id(node))
    return found


def find_body(scope: Tag, holders: Collection[int], without: Collection[int]) -> Tag:
    """Return the element below ``scope`` that is the article's body; ``holders`` are ids of those around its heading.

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


def _measures(root: Tag, without: Collection[int] = ()) -> tuple[dict[int, int], dict[int, list[str]]]:
    """Return, by ``id`` of each element, how many characters of text it holds, and the words of its first heading."""
    from bs4 import NavigableString, Tag  # noqa: PLC0415

    lengths = {id(root): 0}
    headings: dict[int, list[str]] = {}
    holders = [id(root)]
    for node, entering in walk(root, without):
        if not isinstance(node, Tag):
            if type(node) is NavigableString:
                lengths[holders[-1]] += len(node.strip())
        elif entering:
            lengths[id(node)] = 0
            holders.append(id(node))
            if node.name in _HEADINGS:
                words = _split("".join(islice(node.strings, 20)))
                for holder in reversed(holders):
                    if holder in headings:
                        break  # and so have those around it
                    headings[holder] = words
        else:
            holders.pop()
            lengths[holders[-1]] += lengths[id(node)]
    return lengths, headings


def words_of(tag: Tag) -> frozenset[str]:
    """Return the words in an element's class and id, in lower case."""
    names = [*tag.get_attribute_list("class"), tag.get("id")]
    return frozenset(word for name in names if name for word in _split(str(name)))


def _is_called(tag: Tag, words: frozenset[str], heading: list[str] | None) -> bool:
    """Tell whether class or id has one of ``words``.

    An id that repeats the element's own heading ("share" of a section "Share") says what the text is about, and long ids
    are such too.
    """
    if any(not words.isdisjoint(_split(name)) for name in tag.get_attribute_list("class")[:20] if name):
        return True
    slug = _split(str(tag.get("id") or ""))
    return len(slug) <= 2 and not words.isdisjoint(slug) and slug != heading


def _inner(
    scope: Tag, kinds: Sequence[Sequence[Tag]], lengths: dict[int, int], holders: Collection[int]
) -> Tag | None:
    half = lengths[id(scope)] / 2
    for kind in kinds:
        found = [tag for tag in kind if any(parent is scope for parent in tag.parents)]
        holding = [tag for tag in found if id(tag) in holders or lengths[id(tag)] >= half]
        if not holding and len(found) == 1 and lengths[id(found[0])] >= 200:
            holding = found
        if holding:
            return max(holding, key=lambda tag: lengths[id(tag)])
    return None


def _made_for_articles(scope: Tag, known: Collection[int]) -> list[list[Tag]]:
    """Return elements below ``scope`` by kind, the kinds that are surest first."""
    kinds: dict[str, list[Tag]] = {name: [] for name in ("itemprop", "article", "main", *_BODY_NAMES)}
    for tag in scope.find_all(["article", "main", "div", "section"]):
        if id(tag) not in known:  # it is, or stands in, what was left out
            continue
        classes = {name.lower() for name in tag.get_attribute_list("class") if name}
        if "articleBody" in str(tag.get("itemprop") or ""):
            kinds["itemprop"].append(tag)
        if tag.name == "article":
            kinds["article"].append(tag)
        elif tag.name == "main" or tag.get("role") == "main" or tag.get("id") in ("content", "main"):
            kinds["main"].append(tag)
        for name in classes.intersection(_BODY_NAMES):
            kinds[name].append(tag)
    return [found[:_MOST_CANDIDATES] for found in kinds.values() if found]


def _is_comments(tag: Tag, heading: list[str] | None) -> bool:
    return tag.name in _MARKED and _is_called(tag, _COMMENTS, heading)


def _is_furniture(tag: Tag, length: int, heading: list[str] | None) -> bool:
    role = str(tag.get("role") or "").lower()
    if _is_hidden(tag) or role in _ROLES:
        return True
    if tag.name in _ELEMENTS:
        return words_of(tag).isdisjoint(_NOTES) and role not in ("note", "doc-endnotes", "doc-footnote")
    if tag.name in _MARKED and _is_called(tag, _WORDS, heading):
        return True
    return tag.name in ("p", "li") and length < 250 and _SENTENCES.match(plain(tag.get_text())) is not None


def _is_hidden(tag: Tag) -> bool:
    if (
        tag.has_attr("hidden")
        or tag.get("aria-hidden") == "true"
        or _NO_STYLE.search(str(tag.get("style") or ""))
    ):
        return True
    classes = {name.lower() for name in tag.get_attribute_list("class") if name}
    if "hidden" in classes:
        return not any(":" in name for name in classes)  # "hidden md:block" is hidden on telephones only
    return not _INVISIBLE.isdisjoint(classes)


def _split(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", name[:200])]
