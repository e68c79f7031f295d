"""Plain text into blocks, preformatted text too: what a mail, a note or a listing holds."""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import Any

from watcher.claims.blocks import MAX_BLOCK, MAX_BLOCKS, Block, squeezed
from watcher.claims.furniture import TEASER_LINE
from watcher.claims.grids import column_grid, is_pipe_row, pipe_grid
from watcher.claims.vocabulary import words

_ASIDE = re.compile(r"\s*\([^()]{8,300}\)\.?\s*")
_LIST_SIGN = re.compile(r"^\s*(?:[-*•‣▪–]|\d{1,2}[.)])\s+")
_STARRED = re.compile(r"^\* +(?=\S)", re.MULTILINE)
_LISTING = re.compile(
    r"\b(?:highlight|language|lang|code|codehilite|sourcecode|terminal|console|shell|bash|log)\b"
)
_PROMPT = re.compile(r"\s*(?:[$%>]|#!|>>>|\w+@[\w-]+[:~$])\s?\S")
_HASHES = re.compile(r"^(#{1,6})\s+")
_GOING_ON = words("a an and as at by for from in its of on or over than that the to up with")


def is_code(element: Any) -> bool:
    """Whether preformatted text is a listing: markup says so of itself or of what it stands in."""
    around = [element, element.getparent()]
    around += [e for e in (around[-1].getparent(),) if e is not None] if around[-1] is not None else []
    named = any(e is not None and _LISTING.search(e.get("class") or "") for e in around)
    return named or element.find(".//code") is not None


def lines_of_pre(text: str, *, code: bool) -> list[Block]:
    """A table if it is one; else its lines, but none of a program's listing or log."""
    lines = [line for line in text.splitlines() if line.strip()]
    if sum(is_pipe_row(line) for line in lines) >= 2:
        return from_plain(text)
    grid = column_grid(lines)
    if grid:
        return [Block("grid", rows=grid)]
    return (
        []
        if code or any(_PROMPT.match(line) for line in lines)
        else [Block("paragraph", " ".join(line.split())[:MAX_BLOCK]) for line in lines]
    )


def from_plain(text: str) -> list[Block]:
    """The blocks of a text without markup: paragraphs, headings with hashes, items of lists, tables."""
    blocks: list[Block] = []
    if len(_STARRED.findall(text)) == 1:
        text = _STARRED.sub("*", text)  # a lone line with a star is a footnote, no list
    for paragraph in re.split(r"\n[ \t]*\n", text):
        lines = [line for line in paragraph.splitlines() if line.strip()]
        columns = column_grid(lines) if len(lines) > 1 and not is_pipe_row(lines[0]) else ()
        if columns:
            blocks.append(Block("grid", rows=columns))
            continue
        low = 0
        while low < len(lines) and len(blocks) <= MAX_BLOCKS:
            rows = takewhile(is_pipe_row, islice(lines, low, None))
            high = low + sum(1 for _ in rows)
            if high - low >= 2:
                blocks.append(Block("grid", rows=pipe_grid(lines[low:high])))
                low = high
                continue
            ends = _ends_item if _LIST_SIGN.match(lines[low]) else _ends_paragraph
            rest = range(low + 1, len(lines))
            high = next((n for n in rest if ends(lines[n])), len(lines))
            blocks.append(_plain_block(lines[low:high]))
            low = high
        if len(blocks) > MAX_BLOCKS:
            break
    return [block for block in blocks if block.rows or not TEASER_LINE.match(block.text)]


def _starts(line: str) -> bool:
    return bool(_LIST_SIGN.match(line) or _HASHES.match(line))


def _ends_paragraph(line: str) -> bool:
    return is_pipe_row(line) or _starts(line)


def _ends_item(line: str) -> bool:
    """A line that is all in brackets stands under the list and is of all of it: "(DeepSeek-R1, Azure, MLPerf Inference v6.1)"."""
    return _ends_paragraph(line) or _ASIDE.fullmatch(line) is not None


def _plain_block(lines: list[str]) -> Block:
    text = squeezed(_unwrapped(lines))[:MAX_BLOCK]
    hashes = _HASHES.match(text)
    if hashes:
        return Block("heading", text[hashes.end() :], len(hashes[1]))
    sign = _LIST_SIGN.match(text)
    if sign:
        return Block("item", text[sign.end() :])
    return Block("paragraph", text)


def _unwrapped(lines: list[str]) -> str:
    """Join lines that a mail or an editor wrapped: a line goes on where it, or the next one, can be no whole."""
    pieces = [lines[0]]
    length = 0
    for line in lines[1:]:
        before, after = pieces[-1].rstrip(), line.lstrip()
        goes_on = after[:1].islower() or before.endswith(",") or before.rpartition(" ")[2] in _GOING_ON
        pieces += [" " if goes_on else "\n", after if goes_on else line]
        length += len(line)
        if length > MAX_BLOCK:
            break
    return "".join(pieces)
