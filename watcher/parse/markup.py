"""HTML that others wrote → a tree within bounds, and clean HTML.

Everything here is iterative and linear in the size of the page: pages are hostile. What is cut off, unbalanced or absurd
is repaired by libxml2 as browsers do; what is too large or nested too deeply is a ParseError. Trees are lxml's own, for
making objects of every node costs more than all that is done with them. They are never changed: what is to be left out is
a set of elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from html import escape, unescape
from itertools import islice
from typing import Any, TypeAlias

from watcher.errors import ParseError
from watcher.parse.links import absolute

Element: TypeAlias = Any
"""An element of lxml's tree, which has no types. Sets and dicts of elements keep them alive, and so the same objects."""

MAX_CHARACTERS = 8_000_000
"""Largest page that is read; long articles with their scripts have about 300,000 characters."""

MAX_TAGS = 60_000
"""Most start tags and comments in a page; each takes up to 10 microseconds from page to article. A table of 1,500 rows by
36 columns passes."""

MAX_ATTRIBUTES = 200
"""Most attributes of one element: libxml2 puts each behind all others, so that their time grows with their square."""

MAX_ATTRIBUTES_IN_ALL = 300_000

MAX_DEPTH = 256
"""Deepest nesting; libxml2's own limit of old. What climbs from element to element takes its time by the depth."""

BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "html",
    "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
})  # fmt: skip
UNREADABLE = frozenset({
    "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "audio", "video", "head", "title",
    "select", "textarea",
})  # fmt: skip
_MUTE = frozenset({"script", "style", "template", "rt", "rp"})
"""Elements whose text no reader sees, or sees only beside the words that it explains (the readings of ruby)."""

_RAW = frozenset({"script", "style"})
"""Those that hold a text alone."""

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
_AT_ONCE = 32_768  # characters
_TOO_DEEP = "/*" * (MAX_DEPTH + 1)
# An element has more attributes than a few only if its tag is long, or hides in a value a sign that would end it.
_LONG_TAG = re.compile(r"<[A-Za-z][^>]{250}")
_HIDDEN_END = re.compile(r"=\s*(?:\"[^\">]*>|'[^'>]*>)")
_HTML_SPACE = " \n\t\f\r"
_START = re.compile(r"<[A-Za-z!?]")
_NUMBERED = r"&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?"
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
_ODD = (  # the same, as ranges: a set of 2,000 signs takes long to compile
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ODD_BYTES = bytes(code for code in _PRINTABLE if code < 0x80)


def printable(text: str) -> str:
    """Return ``text`` without what no reader sees and other programs trip over.

    That is control characters but tab and line break, soft hyphens, halves of surrogate pairs, and marks that are
    invisible or turn text round.
    """
    if not _is_odd(text):
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_PRINTABLE)


def _is_odd(text: str) -> bool:
    if not text.isascii():
        return re.search(_ODD, text) is not None
    raw = text.encode()
    return len(raw.translate(None, _ODD_BYTES)) < len(raw)  # several times as fast as the search


def plain(text: str) -> str:
    """Return printable ``text`` on one line."""
    return " ".join(printable(text).split())


def real_characters(text: str) -> str:
    """Return ``text`` without numbered characters that do not exist (``&#xD800;``): parsers of XML fail on them."""
    return re.sub(_NUMBERED, _if_real, text)


def _if_real(found: re.Match[str]) -> str:
    digits = (found[1] or found[2]).lstrip("0")[:8] or "0"  # no character has a number of eight digits
    code = int(digits, 16 if found[1] else 10)
    return found[0] if code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000 else ""


def without_tags(html: str) -> str:
    """Return the words of HTML roughly, where a whole parse is too much: to look for words, or for what no parser takes."""
    return unescape(_ANY_TAG.sub(" ", html))


def tree(text: str, what: str) -> Element:
    """Parse a page or a piece of one. Raises ParseError where it is beyond the bounds; ``what`` names it in messages.

    The element returned is the page's ``html``; what follows its end is at its end. Comments stay in the tree; they are
    told by a ``tag`` that is no text.
    """
    from lxml import etree  # noqa: PLC0415 - heavy, only when there is a page to read

    if len(text) > MAX_CHARACTERS:
        raise ParseError(f"{what}: has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    if text.count("<") > MAX_TAGS and len(_START.findall(text)) > MAX_TAGS:
        raise ParseError(f"{what}: has more than {MAX_TAGS:,} tags")
    whole = f"<!DOCTYPE html><html>{printable(text)}"  # so that there is a root in any case
    check_elements(whole, what)
    parser = etree.HTMLParser(huge_tree=True)  # by itself it would leave out what is too deep without a word
    try:
        parser.feed(whole)
        page = parser.close()
    except etree.LxmlError as error:
        raise ParseError(f"{what}: is no HTML that can be read ({plain(str(error))[:200]})") from error
    page.extend(list(page.itersiblings("*")))
    if page.xpath(_TOO_DEEP):
        raise ParseError(f"{what}: is nested more than {MAX_DEPTH} elements deep")
    return page


def check_elements(text: str, what: str) -> None:
    """Raise ParseError where elements have too many attributes, before a tree is made of them."""
    if _LONG_TAG.search(text) is None and _HIDDEN_END.search(text) is None:
        return
    from lxml import etree  # noqa: PLC0415 - heavy, only when there is a page to read

    parser = etree.HTMLParser(huge_tree=True, target=_Bounds(what))
    for start in range(0, len(text), _AT_ONCE):  # it ends at the first part that has too much
        parser.feed(text[start : start + _AT_ONCE])
    parser.close()


class _Bounds:
    """What the parser tells its elements to; raises ParseError at the first that is beyond."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._depth = 0
        self._attributes = 0

    def start(self, _name: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ParseError(f"{self._what}: is nested more than {MAX_DEPTH} elements deep")
        self._attributes += len(attributes)
        if len(attributes) > MAX_ATTRIBUTES or self._attributes > MAX_ATTRIBUTES_IN_ALL:
            raise ParseError(
                f"{self._what}: has more than {MAX_ATTRIBUTES} attributes of one element, or {MAX_ATTRIBUTES_IN_ALL:,} in all"
            )

    def end(self, _name: str) -> None:
        self._depth -= 1

    def close(self) -> None:
        """There is nothing to hand over."""


def body_of(page: Element) -> Element:
    """Return a page's ``body``, or the page itself where it has none."""
    return next(page.iter("body"), page)


def walk(root: Element, without: Collection[Element] = ()) -> Iterator[tuple[Element | str, bool]]:
    """Yield (node, entering) over everything below ``root`` in document order; an element comes twice, a text once.

    Texts are those that a reader could see: none of comments, scripts and the like. Elements in ``without`` are left out
    with all below them.
    """
    mute = int(_is_mute(root))  # how many of the elements around here have no readable text
    if root.text and not mute:
        yield root.text, True
    stack = [(root, iter(root))]
    while stack:
        element, children = stack[-1]
        for child in children:
            if isinstance(child.tag, str) and child not in without:
                yield child, True
                hidden = child.tag in _MUTE
                if child.text and not (mute or hidden):
                    yield child.text, True
                if len(child):
                    mute += hidden
                    stack.append((child, iter(child)))
                    break
                yield child, False
            if child.tail and not mute:
                yield child.tail, True
        else:
            stack.pop()
            if stack:
                mute -= element.tag in _MUTE
                yield element, False
                if element.tail and not mute:
                    yield element.tail, True


def strings(root: Element) -> Iterator[str]:
    """Yield the texts below ``root`` that a reader could see."""
    if next(root.iter(*_MUTE), None) is None and not _is_mute(root):
        found: Iterator[str] = root.itertext()
        return found
    return (node for node, _ in walk(root) if isinstance(node, str))


def size_of(root: Element) -> int:
    """Return how many characters stand in the texts of `strings`, without the white space around each."""
    if _is_mute(root) or next(root.iter(*_MUTE - _RAW), None) is not None:
        return sum(map(len, map(str.strip, strings(root))))
    raw = sum(len((element.text or "").strip()) for element in root.iter(*_RAW))
    return sum(map(len, map(str.strip, _texts()(root)))) - raw


@cache
def _texts() -> Callable[[Element], list[str]]:
    """Return what finds all texts below an element at once, several times as fast as one by one."""
    from lxml import etree  # noqa: PLC0415 - heavy, only when there is a page to read

    found: Callable[[Element], list[str]] = etree.XPath("descendant::text()", smart_strings=False)
    return found


def start_of(element: Element, length: int) -> str:
    """Return the first words below an element on one line, at most ``length`` characters; never reads a whole page for them."""
    return plain(" ".join(map(_squeezed, islice(strings(element), 100)))[: 2 * length])[:length]


def sanitise(root: Element, base: str, without: Collection[Element] = ()) -> str:
    """Return the HTML below ``root`` with elements of text, lists and tables only, and web addresses made absolute.

    Scripts, styles, forms, handlers and comments are gone, and so are elements in ``without``. ``sup`` marks and tables
    stay as they are.
    """
    parts: list[str] = []
    unreadable: Element | None = None
    preformatted = 0
    for node, entering in walk(root, without):
        if unreadable is not None:
            if node is unreadable:
                unreadable = None
        elif isinstance(node, str):
            parts.append(escape(node if preformatted else _squeezed(node), quote=False))
        elif node.tag in UNREADABLE:
            unreadable = node
        elif node.tag in _KEPT:
            parts.append(_start(node, base) if entering else "" if node.tag in _VOID else f"</{node.tag}>")
            if node.tag == "pre":
                preformatted += 1 if entering else -1
        elif node.tag in BLOCKS:  # the paragraphs of its text must not run together
            parts.append("<div>" if entering else "</div>")
    return printable("".join(parts)).strip()


def from_plain(text: str) -> str:
    """Return plain text as HTML: a paragraph for each block of lines."""
    blocks = re.split(r"\n(?:[ \t]*\n)+", printable(text).strip())
    return "".join(
        f"<p>{escape(block, quote=False).replace(chr(10), '<br/>')}</p>" for block in blocks if block.strip()
    )


def _is_mute(element: Element) -> bool:
    return element.tag in _MUTE or next(element.iterancestors(*_MUTE), None) is not None


def _squeezed(text: str) -> str:
    """Return white space between elements as one line break or space; a text with words as it is."""
    return text if text.strip(_HTML_SPACE) else "\n" if "\n" in text else " "


def _start(element: Element, base: str) -> str:
    """Return an element's start tag with the attributes that are kept."""
    said = dict(element.items())
    kept = {name: plain(said[name])[:200] for name in _ATTRIBUTES if name in said} if said else {}
    address = {"a": "href", "img": "src"}.get(element.tag)
    if address is not None and address in said:
        href = said[address]
        url = href if _ANCHOR.match(href) else absolute(base, href)
        if url is not None:
            kept[address] = url
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in kept.items())
    return f"<{element.tag}{attributes}{'/' if element.tag in _VOID else ''}>"
