"""HTML that others wrote → a tree within bounds, and clean HTML.

Everything here is iterative and linear in the size of the page: pages are hostile. What is cut off, unbalanced or absurd
is repaired by libxml2 as browsers do; what is too large or nested too deeply is a ParseError. Trees are never changed, for
taking thousands of nodes out is slow: what is to be left out is a set of ids.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html import escape, unescape
from itertools import islice
from typing import TYPE_CHECKING

from watcher.errors import ParseError
from watcher.parse.links import absolute

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from bs4.element import PageElement

MAX_CHARACTERS = 8_000_000
"""Largest page that is read; long articles with their scripts have about 300,000 characters."""

MAX_TAGS = 60_000
"""Most start tags and comments in a page; each takes some 50 microseconds from page to article. A table of 1,500 rows by
36 columns passes."""

MAX_DEPTH = 256
"""Deepest nesting; libxml2's own limit of old. Selectors climb from element to element, so depth costs time."""

BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html",
    "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
})  # fmt: skip
UNREADABLE = frozenset({
    "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "audio", "video", "head", "title",
    "select", "textarea",
})  # fmt: skip
_INLINE = frozenset({
    "a", "abbr", "b", "br", "cite", "code", "col", "colgroup", "dfn", "del", "em", "i", "img", "ins", "kbd", "mark", "q", "s",
    "samp", "small", "span", "strong", "sub", "sup", "td", "th", "time", "u", "var",
})  # fmt: skip
_VOID = frozenset({"br", "col", "hr", "img"})
_FRAMES = frozenset(
    {"body", "center", "dialog", "fieldset", "footer", "form", "header", "html", "main", "nav"}
)
_KEPT = (BLOCKS | _INLINE) - _FRAMES
_ATTRIBUTES = ("id", "class", "colspan", "rowspan", "scope", "datetime", "start", "alt", "role")
_START = re.compile(r"<[A-Za-z!?]")
_NUMBERED = re.compile(r"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?")
_ANY_TAG = re.compile(r"<[^<>]*>")
_ANCHOR = re.compile(r"#[\w:.-]{1,100}$")
_PRINTABLE = (
    {code: " " for code in range(0x20) if chr(code) not in "\t\n"}
    | {
        code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)
    }  # &#150; is meant as a dash
    | dict.fromkeys(
        (0x7F, 0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    )
    | dict.fromkeys(range(0xD800, 0xE000))
)
_ODD = re.compile(f"[{''.join(map(re.escape, map(chr, _PRINTABLE)))}]")


def printable(text: str) -> str:
    """Return ``text`` without what no reader sees and other programs trip over.

    That is control characters but tab and line break, soft hyphens, halves of surrogate pairs, and marks that are
    invisible or turn text round.
    """
    return (
        text
        if _ODD.search(text) is None
        else text.replace("\r\n", "\n").replace("\r", "\n").translate(_PRINTABLE)
    )


def plain(text: str) -> str:
    """Return printable ``text`` on one line."""
    return " ".join(printable(text).split())


def real_characters(text: str) -> str:
    """Return ``text`` without numbered characters that do not exist (``&#xD800;``): parsers of XML fail on them."""
    return _NUMBERED.sub(_if_real, text)


def _if_real(found: re.Match[str]) -> str:
    digits = (found[1] or found[2]).lstrip("0")[:8] or "0"  # no character has a number of eight digits
    code = int(digits, 16 if found[1] else 10)
    return found[0] if code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000 else ""


def without_tags(html: str) -> str:
    """Return the words of HTML roughly, where a whole parse is too much: to look for words, or for what no parser takes."""
    return unescape(_ANY_TAG.sub(" ", html))


def tree(text: str, what: str) -> BeautifulSoup:
    """Parse a page or a piece of one. Raises ParseError where it is beyond the bounds; ``what`` names it."""
    from bs4 import BeautifulSoup  # noqa: PLC0415 - heavy, only when there is a page to read
    from bs4.exceptions import ParserRejectedMarkup  # noqa: PLC0415

    if len(text) > MAX_CHARACTERS:
        raise ParseError(f"{what}: has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    if sum(1 for _ in _START.finditer(text)) > MAX_TAGS:
        raise ParseError(f"{what}: has more than {MAX_TAGS:,} tags")
    try:
        # The root that is put before it keeps beautifulsoup4 from guessing what else the text might be, with warnings.
        soup = BeautifulSoup(f"<!DOCTYPE html><html>{printable(text)}", "lxml")
    except ParserRejectedMarkup as error:
        raise ParseError(f"{what}: is no HTML that can be read ({plain(str(error))[:200]})") from error
    if _depth(soup) > MAX_DEPTH:
        raise ParseError(f"{what}: is nested more than {MAX_DEPTH} elements deep")
    return soup


def walk(root: Tag, without: Collection[int] = ()) -> Iterator[tuple[PageElement, bool]]:
    """Yield (node, entering) over everything below ``root`` in document order; a tag comes twice, a text once.

    Nodes whose ids are in ``without`` are left out with all below them. Text that a reader sees is of the very class
    NavigableString; comments, declarations and scripts are of its subclasses.
    """
    from bs4 import Tag  # noqa: PLC0415

    stack = [(root, iter(root.contents))]
    while stack:
        tag, children = stack[-1]
        for node in children:
            if id(node) in without:
                continue
            yield node, True
            if isinstance(node, Tag):
                stack.append((node, iter(node.contents)))
                break
        else:
            stack.pop()
            if stack:
                yield tag, False


def start_of(tag: Tag, length: int) -> str:
    """Return the first words below ``tag`` on one line, at most ``length`` characters; never walks a whole page for them."""
    return plain(" ".join(islice(tag.strings, 100))[: 2 * length])[:length]


def sanitise(root: Tag, base: str, without: Collection[int] = ()) -> str:
    """Return the HTML below ``root`` with elements of text, lists and tables only, and web addresses made absolute.

    Scripts, styles, forms, handlers and comments are gone, and so are nodes whose ids are in ``without``. ``sup`` marks and
    tables stay as they are.
    """
    from bs4 import NavigableString, Tag  # noqa: PLC0415

    parts: list[str] = []
    unreadable: Tag | None = None
    for node, entering in walk(root, without):
        if unreadable is not None:
            if node is unreadable:
                unreadable = None
        elif not isinstance(node, Tag):
            if type(node) is NavigableString:
                parts.append(escape(str(node), quote=False))
        elif node.name in UNREADABLE:
            unreadable = node
        elif node.name in _KEPT:
            parts.append(_start(node, base) if entering else "" if node.name in _VOID else f"</{node.name}>")
        elif node.name in BLOCKS:  # the paragraphs of its text must not run together
            parts.append("<div>" if entering else "</div>")
    return printable("".join(parts)).strip()


def from_plain(text: str) -> str:
    """Return plain text as HTML: a paragraph for each block of lines."""
    blocks = re.split(r"\n(?:[ \t]*\n)+", printable(text).strip())
    return "".join(
        f"<p>{escape(block, quote=False).replace(chr(10), '<br/>')}</p>" for block in blocks if block.strip()
    )


def _depth(soup: BeautifulSoup) -> int:
    from bs4 import Tag  # noqa: PLC0415

    depth = deepest = 0
    for node, entering in walk(soup):
        if isinstance(node, Tag):
            depth += 1 if entering else -1
            deepest = max(deepest, depth)
    return deepest


def _start(tag: Tag, base: str) -> str:
    """Return an element's start tag with the attributes that are kept."""
    kept: dict[str, str] = {}
    for name in _ATTRIBUTES:
        if name in tag.attrs:
            value = tag.attrs[name]
            kept[name] = plain(value if isinstance(value, str) else " ".join(value))[:200]
    address = {"a": "href", "img": "src"}.get(tag.name)
    if address is not None and address in tag.attrs:
        href = str(tag.attrs[address])
        url = href if _ANCHOR.match(href) else absolute(base, href)
        if url is not None:
            kept[address] = url
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in kept.items())
    return f"<{tag.name}{attributes}{'/' if tag.name in _VOID else ''}>"
