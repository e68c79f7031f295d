"""A post as text or HTML into blocks: what a reader reads, in order, without the page around it.

Limits, so that no post can stop us: MAX_CHARACTERS of input are read, MAX_BLOCKS blocks kept, and a block longer than
MAX_BLOCK characters is cut.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from msgspec.structs import replace

from watcher.claims.blocks import (
    MARK_CLOSES,
    MARK_OPENS,
    MAX_BLOCK,
    MAX_BLOCKS,
    Article,
    Block,
    Cell,
    squeezed,
)
from watcher.claims.furniture import (
    COMMENT_START,
    COMMENTS_LINE,
    TAIL_HEADINGS,
    TEASER_LINE,
    article_root,
    content_of,
    is_furniture,
)
from watcher.claims.grids import span, spanned
from watcher.claims.vocabulary import words
from watcher.errors import ParseError
from watcher.parse.markup import check_elements, without_tags

MAX_CHARACTERS = 2_000_000
MAX_TABLE_NODES = 20_000

_TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]*(?:\s[^<>]{0,2000})?/?>|<!DOCTYPE|<!--", re.IGNORECASE)
_MARK = r"[\s\[(]*[\d*†‡§#a-e](?:[\s,;*†‡\d–-]){0,10}[\])\s]*"
_VERSION = re.compile(r"\bv\d{1,2}\.\d", re.IGNORECASE)
_NOTE = re.compile(
    rf"^(?:{MARK_OPENS}([^{MARK_CLOSES}]+){MARK_CLOSES}|\[(\w{{1,3}})\]|([*†‡]{{1,3}}|[¹²³⁴⁵⁶⁷⁸⁹]))\s*(?=\S)"
)
_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_BLOCK_TAGS = words(
    "p div section article main header li ul ol dl dt dd blockquote figure figcaption caption pre address details summary hgroup"
    " table thead tbody tfoot tr td th hr center h1 h2 h3 h4 h5 h6 body html"
)
_SUPERSCRIPTS = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹⁰", "1234567890")


def read(text: str) -> Article:
    """The blocks of a post given as text or HTML."""
    cut = len(text) > MAX_CHARACTERS
    text = text[:MAX_CHARACTERS].replace("\0", " ")
    blocks = _from_html(text) if _TAG.search(text[:200_000]) else _from_plain(unescape(text))
    blocks = _without_tail(blocks)
    return Article(tuple(blocks[:MAX_BLOCKS]), _notes(blocks), cut or len(blocks) > MAX_BLOCKS)


def names_version(text: str) -> bool:
    """Whether a text has something like "v6.1" in it."""
    return _VERSION.search(text) is not None


def _from_plain(text: str) -> list[Block]:
    from watcher.claims.plain import from_plain  # noqa: PLC0415 - most posts have markup

    return from_plain(text)


# ---------------------------------------------------------------------------------------------- HTML


def _from_html(text: str) -> list[Block]:
    from lxml import etree  # noqa: PLC0415 - heavy, only when a post is read

    try:
        check_elements(text, "post")
    except ParseError:  # no page of an article; its words may still be
        return _from_plain(without_tags(text))
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.XMLSyntaxError:
        return []
    if root is None:
        return []
    walk = _Walk(article_root(root))
    walk.run(etree.iterwalk)
    return [replace(b, level=0) if b.level == _TERM else b for b in walk.blocks]


_TERM = -1  # the level of a term (dt) until what is said of it is joined to it


class _Walk:
    """One pass over the elements, gathering text until an element of its own block begins or ends."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.blocks: list[Block] = []
        self.pieces: list[str] = []
        self.linked = 0  # characters inside links in the block being gathered
        self.kinds: list[tuple[str, int]] = [("paragraph", 0)]
        self.in_link = 0
        self.link_from = 0  # index in pieces where the open link begins
        self.teaser: tuple[int, int] | None = None  # pieces of a link that is a sentence of its own
        self.paragraphs = max(1, len(root.findall(".//p")))

    def run(self, iterwalk: Any) -> None:
        walker = iterwalk(self.root, events=("start", "end"))
        for event, element in walker:
            tag = element.tag
            if event == "end":
                self.close(element, tag)
            elif element is not self.root and self.silent(element):
                walker.skip_subtree()
            elif tag in {"table", "pre", "sup"} and self.whole(element, tag):
                walker.skip_subtree()
                element.set("data-read", "1")
            else:
                self.open(element, tag)
            if len(self.blocks) > MAX_BLOCKS:
                break
        self.flush()

    def silent(self, element: Any) -> bool:
        if not is_furniture(element):
            return False
        holds = len(element.findall(".//p")) if element.tag in {"div", "section", "body", "header"} else 0
        silenced = holds * 2 <= self.paragraphs or holds < 3
        if silenced:
            element.set("data-read", "1")
        return silenced

    def open(self, element: Any, tag: str) -> None:
        if tag in _BLOCK_TAGS:
            self.flush()
            if tag in _HEADINGS:
                self.kinds.append(("heading", _HEADINGS[tag]))
            elif tag in {"li", "dt", "dd"}:
                self.kinds.append(("item", _TERM if tag == "dt" else 0))
            elif tag in {"figcaption", "caption"}:
                self.kinds.append(("caption", 0))
            elif tag not in {"p", "div", "summary"}:
                self.kinds.append(("paragraph", 0))
            else:
                self.kinds.append(self.kinds[-1] if self.kinds[-1][0] == "item" else ("paragraph", 0))
        elif tag == "br":
            self.pieces.append("\n")
        elif tag == "a":
            self.in_link += 1
            self.link_from = len(self.pieces)
        if element.text:
            self.add(element.text)

    def close(self, element: Any, tag: str) -> None:
        if element.get("data-read") is None:
            if tag in _BLOCK_TAGS:
                self.flush()
                if len(self.kinds) > 1:
                    self.kinds.pop()
            elif tag == "a":
                self.in_link = max(0, self.in_link - 1)
                self.note_teaser()
        if element.tail and element is not self.root:
            self.add(element.tail)

    def add(self, text: str) -> None:
        self.pieces.append(
            text.replace("\n", " ").replace("\r", " ")
        )  # a line's end in the source is a space
        if self.in_link:
            self.linked += len(text.strip())

    def note_teaser(self) -> None:
        """Remember a link that begins where a sentence could begin and is long enough to be one."""
        words = "".join(self.pieces[self.link_from :]).split()
        before = "".join(self.pieces[max(0, self.link_from - 3) : self.link_from]).rstrip()
        if len(words) >= 5 and before[-1:] in {".", "!", "?", ":", "|"}:
            self.teaser = (self.link_from, len(self.pieces))

    def flush(self) -> None:
        if not self.pieces:
            return
        if self.teaser is not None:
            start, end = self.teaser
            if "".join(self.pieces[end:]).strip(" .\n") == "" and self.kinds[-1][0] != "heading":
                del self.pieces[start:]
                self.linked = 0
            self.teaser = None
        text = squeezed("".join(self.pieces))
        kind, level = self.kinds[-1]
        whole_link = self.linked and self.linked >= len(text) - 3 and kind != "heading"
        self.pieces, self.linked = [], 0
        if text and not whole_link and not TEASER_LINE.match(text):
            if kind == "item" and level != _TERM and self.blocks and self.blocks[-1].level == _TERM:
                text = f"{self.blocks.pop().text}: {text}"  # what a list of terms says of a term
            self.blocks.append(Block(kind, text[:MAX_BLOCK], level))

    def whole(self, element: Any, tag: str) -> bool:
        """Take an element at once where its shape matters: a footnote mark, a table, preformatted text."""
        if tag == "sup":
            text = content_of(element).strip()
            if len(text) > 12 or not re.fullmatch(_MARK, text):
                self.pieces.append("" if text in {"®", "™", "TM", "R", "(R)"} else text)
            else:
                self.pieces.append(f"{MARK_OPENS}{text.strip('[]() ')}{MARK_CLOSES}")
            return True
        if tag == "pre":
            from watcher.claims.plain import is_code, lines_of_pre  # noqa: PLC0415 - most posts have none

            self.flush()
            self.blocks += lines_of_pre(content_of(element), code=is_code(element))
            return True
        return self.table(element)

    def table(self, element: Any) -> bool:
        if element.find(".//table") is not None:
            return False  # a table that lays out a page
        self.flush()
        caption = element.find("caption")
        if caption is not None and content_of(caption).strip():
            self.blocks.append(Block("caption", squeezed(content_of(caption))))
        rows: list[list[tuple[Cell, int, int]]] = []
        for number, row in enumerate(element.iter("tr")):
            if number >= MAX_TABLE_NODES:
                break
            head = row.getparent() is not None and row.getparent().tag == "thead"
            rows.append(
                [
                    (
                        Cell(squeezed(_cell_text(cell)), header=head or cell.tag == "th"),
                        span(cell, "rowspan"),
                        span(cell, "colspan"),
                    )
                    for cell in row
                    if cell.tag in {"td", "th"}
                ]
            )
        grid = spanned(rows)
        if len(grid) == 1 and len(grid[0]) == 1:
            return False
        if not any(cell.text for line in grid for cell in line):
            return True
        self.blocks.append(Block("grid", rows=grid))
        return True


def _cell_text(cell: Any) -> str:
    pieces = [cell.text or ""]
    for element in cell.iterdescendants():
        text = element.text or ""
        if element.tag == "sup" and re.fullmatch(_MARK, text.strip()):
            text = f"{MARK_OPENS}{text.strip()}{MARK_CLOSES}"
        pieces += [" " if element.tag in {"br", "p", "div", "li"} else "", text]
        for parent in _ended(element, cell):
            pieces.append(parent.tail or "")
    return "".join(pieces)


def _ended(element: Any, cell: Any) -> list[Any]:
    """The elements that end where ``element``, a leaf, ends: itself and each parent whose last child it is."""
    if len(element):
        return []
    ended = []
    while element is not cell:
        ended.append(element)
        if element.getnext() is not None:
            break
        element = element.getparent()
    return ended


# ---------------------------------------------------------------------------------------------- the whole post


def _without_tail(blocks: list[Block]) -> list[Block]:
    """Leave out what stands under a heading like "Related" or "Comments", to the next heading of its rank."""
    kept: list[Block] = []
    silent = 0
    for number, block in enumerate(blocks):
        if block.kind == "heading":
            if silent and block.level <= silent:
                silent = 0
            if not silent and block.level > 1 and re.match(TAIL_HEADINGS, block.text):
                silent = block.level
        elif not silent and COMMENTS_LINE.fullmatch(block.text.strip()) and _begins_comments(blocks, number):
            silent = 1
        if not silent:
            kept.append(block)
    return kept


def _begins_comments(blocks: list[Block], number: int) -> bool:
    """Whether "Comments (3)" leads to comments, and does not stand beside an author's name: most of the text is behind it."""
    after = blocks[number + 1] if number + 1 < len(blocks) else None
    if after is not None and re.match(COMMENT_START, after.text):
        return True
    before = sum(len(block.text) for block in blocks[:number])
    return before > sum(len(block.text) for block in blocks[number:])


def _notes(blocks: list[Block]) -> dict[str, str]:
    """Footnotes by their mark: blocks, or lines of them, that begin with one."""
    notes: dict[str, str] = {}
    for block in blocks:
        for line in block.text.split("\n"):
            found = _NOTE.match(line)
            if found:
                mark = (found[1] or found[2] or found[3]).strip().translate(_SUPERSCRIPTS)
                notes.setdefault(mark, line[found.end() :])
    return notes
