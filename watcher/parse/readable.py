"""HTML → the text that a person reads of it, line by line."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

from watcher.parse.markup import BLOCKS, UNREADABLE, Element, printable, strings, tree, walk

_CELLS = frozenset({"td", "th"})
_NOTE_MARK = r"[\[(]?[\d*†‡§¶][\d*,†‡§¶\s\[\]–-]*\)?$"
_TEN = re.compile(r"(?<![\d.,])10\s*$")


def text_of(html: str) -> str:
    """Return what a person reads: blocks and list items on lines of their own, table cells joined by `` | ``.

    Marks of footnotes in ``sup`` are left out, so that "size<sup>1</sup>" stays "size" and "v5.1<sup>2</sup>" no other
    version; powers of ten keep theirs ("10^6"). ``pre`` keeps its lines. Pictures and the words that stand for them are
    no text. Raises ParseError beyond the bounds of `watcher.parse.markup.tree`.
    """
    return tag_text(tree(html, "HTML"))


def tag_text(root: Element, without: Collection[Element] = ()) -> str:
    """Return the readable text below ``root``, as `text_of` does, leaving out elements in ``without``."""
    reader = _Reader(_layout_tables(root, without))
    skipping: Element | None = None
    for node, entering in walk(root, without):
        if skipping is not None:
            if node is skipping:
                skipping = None
        elif isinstance(node, str):
            reader.add(node)
        elif not entering:
            reader.leave(node)
        elif node.tag in UNREADABLE or (node.tag == "sup" and reader.is_note(node)):
            skipping = node
        else:
            reader.enter(node)
    return reader.text()


def _layout_tables(root: Element, without: Collection[Element]) -> frozenset[Element]:
    """Return the tables that hold other tables: they place things on a page and have no cells of data."""
    found: set[Element] = set()
    if len(list(islice(root.iter("table"), 2))) < 2:
        return frozenset()
    open_tables: list[Element] = []
    for node, entering in walk(root, without):
        if not isinstance(node, str) and node.tag == "table":
            if entering:
                found.update(open_tables[-1:])
                open_tables.append(node)
            else:
                open_tables.pop()
    return frozenset(found)


class _Reader:
    """Readable lines in the making.

    ``_parts`` are the pieces of the line or cell at hand, ``_cells`` those of its row that are complete.
    """

    def __init__(self, layouts: frozenset[Element]) -> None:
        self._layouts = layouts
        self._lines: list[str] = []
        self._cells: list[str] = []
        self._parts: list[str] = []
        self._preformatted = 0
        self._data_tables: list[bool] = [False]  # of the tables around here, whether each is one of data

    def enter(self, element: Element) -> None:
        if element.tag == "table":
            self._end_line()
            self._data_tables.append(element not in self._layouts)
        elif element.tag in _CELLS and self._data_tables[-1]:
            self._cells.append(self._take())
        elif element.tag == "br" or element.tag in BLOCKS or element.tag in _CELLS:
            self._break(element.tag)
        self._preformatted += element.tag == "pre"

    def leave(self, element: Element) -> None:
        if element.tag == "table":
            self._end_line()
            self._data_tables.pop()
        elif element.tag in BLOCKS or (element.tag in _CELLS and not self._data_tables[-1]):
            self._break(element.tag)
        self._preformatted -= element.tag == "pre"

    def add(self, text: str) -> None:
        if self._preformatted and not self._cells:
            *whole, last = text.split("\n")
            for line in whole:
                self._parts.append(line)
                self._end_line()
            self._parts.append(last)
        else:
            self._parts.append(text.replace("\n", " "))

    def is_note(self, sup: Element) -> bool:
        """Tell whether a ``sup`` is a footnote's mark; a power of ten is not, and gets its sign."""
        words = "".join(islice(strings(sup), 20))[:40].strip()
        if words.lstrip("-–−").isdigit() and _TEN.search("".join(self._parts[-1:])):
            self._parts.append("^")
            return False
        return re.match(_NOTE_MARK, words) is not None

    def text(self) -> str:
        self._end_line()
        return printable("\n".join(self._lines))

    def _break(self, name: str) -> None:
        """A block begins or ends; within a cell that is only a space."""
        if self._cells and name not in ("tr", "thead", "tbody", "tfoot", "caption"):
            self._parts.append(" ")
        else:
            self._end_line()

    def _take(self, *, as_written: bool = False) -> str:
        text = "".join(self._parts)
        self._parts.clear()
        return text.rstrip() if as_written else " ".join(text.split())

    def _end_line(self) -> None:
        line = self._take(as_written=self._preformatted > 0 and not self._cells)
        if self._cells:
            before, *cells = [*self._cells, line]  # what stood in a row before its first cell
            self._cells.clear()
            line = " | ".join([before, *cells] if before else cells).strip()
        if line.strip("| \t"):
            self._lines.append(line)
