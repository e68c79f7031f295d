"""A notification as Slack's Block Kit: limits kept, outside text escaped once, nothing live but our links.

Limits of Slack (its block reference): 50 blocks, 3,000 characters a text, 150 a header, 10 elements a context. The
message budget of 10,000 characters is ours: long messages were seen refused below every documented limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Grid, Link, Notification, Section
from watcher.notifiers import text

Block = dict[str, Any]

BLOCKS = 50
TEXT = 3000
HEADER = 150
BUDGET = 10_000
FALLBACK = 400
LONGEST_LINK = 2000  # a longer address is shown, cut, and not live
PHONE = 42  # columns of a fixed-width font that a phone shows without wrapping
EVENT_TYPE = "mlperf_watcher_notification"
COLOURS = {"info": "#2f6feb", "high": "#d1242f", "critical": "#82071e"}
_RESERVE = 900  # characters kept for the last lines: what was left out, rules and id


class Piece(Struct, frozen=True):
    """Lines that stand together in one block; ``mono`` in fixed width. ``lines`` are escaped already."""

    lines: tuple[str, ...]
    mono: bool = False
    head: str = ""


def message(notification: Notification) -> dict[str, Any]:
    """Return the body of a post without its channel: text, blocks, one coloured attachment, metadata.

    Title, one line of what happened and the first section stand free; the rest stands beside the severity's colour.
    """
    opening = [_header(notification), *_repeat(notification), _section(_strong(notification.summary))]
    first = notification.sections[:1]
    pieces = [
        [piece for section in part for piece in _pieces(section)]
        for part in (first, notification.sections[1:])
    ]
    lines = sum(len(piece.lines) for part in pieces for piece in part)
    room = BUDGET - _RESERVE - sum(map(_size, opening))
    top, room, shown_top = _fit(pieces[0], room, BLOCKS - len(opening) - 2)
    below: list[Block] = []
    shown_below = 0
    if shown_top == sum(len(piece.lines) for piece in pieces[0]):
        below, _, shown_below = _fit(pieces[1], room, BLOCKS - len(opening) - len(top) - 2)
    closing = [*_left_out(notification, lines - shown_top - shown_below), _foot(notification)]
    return {
        "text": _cut(
            escaped(f"{text.emoji(notification)} {notification.title}: {notification.summary}"), FALLBACK
        ),
        "blocks": [*opening, *top],
        "attachments": [
            {
                "color": COLOURS.get(notification.severity, COLOURS["info"]),
                "fallback": _cut(escaped(notification.title), FALLBACK),
                "blocks": [*below, *closing],
            }
        ],
        "metadata": metadata(notification),
        "unfurl_links": False,
        "unfurl_media": False,
    }


def plain(notification: Notification) -> dict[str, Any]:
    """Return the body of the short version: one text, nothing else that could be refused."""
    words = text.short(notification)
    return {
        "text": _cut(_entities(words.replace("```", "'''")), TEXT),
        "unfurl_links": False,
        "unfurl_media": False,
    }


def metadata(notification: Notification) -> dict[str, Any]:
    """Return the metadata by which a bot finds the message again: the stable id."""
    return {"event_type": EVENT_TYPE, "event_payload": {"id": notification.id, "kind": notification.kind}}


def escaped(words: str) -> str:
    """Return outside text for Slack: cleaned, defused, without code fences, and & < > escaped, once."""
    return _entities(text.defused(words).replace("```", "'''"))


def _entities(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _cut(words: str, limit: int) -> str:
    """Return escaped text in at most ``limit`` characters, never ending within an entity."""
    return re.sub(r"&[a-z]{0,3}…$", "…", text.cut(words, limit))


def _header(notification: Notification) -> Block:
    title = text.cut(
        f"{text.emoji(notification)} {text.defused(notification.title)}".replace("\n", " "), HEADER
    )
    return {"type": "header", "text": {"type": "plain_text", "text": title, "emoji": False}}


def _repeat(notification: Notification) -> list[Block]:
    return [_context(f"↻ {escaped(text.REPEAT)}")] if notification.possible_repeat else []


def _section(mrkdwn: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": _cut(mrkdwn, TEXT), "verbatim": True}}


def _context(mrkdwn: str) -> Block:
    words = _cut(mrkdwn, TEXT)
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": words, "verbatim": True}]}


def _strong(words: str) -> str:
    """Return one line in bold; an asterisk in it would end the bold, so it is replaced by its look-alike."""
    line = escaped(" ".join(words.split())).strip().replace("*", "∗")
    return f"*{_cut(line, TEXT - 2)}*" if line else "-"


def _code(words: str) -> str:
    return f"`{escaped(words).replace('`', chr(0x2BC))}`"


def _line(words: str) -> str:
    return _code(words) if words.startswith(text.COMMAND) else escaped(words)


def _pieces(section: Section) -> Iterator[Piece]:
    """Yield a section's pieces in its order, without blank ones, which Slack refuses."""
    for piece in _all_pieces(section):
        lines = piece.lines if piece.mono else tuple(line for line in piece.lines if line.strip())
        if any(line.strip() for line in lines):
            yield replace(piece, lines=lines)


def _all_pieces(section: Section) -> Iterator[Piece]:
    opening = tuple(_line(p) for p in section.paragraphs)
    if section.lead:
        opening = (_strong(section.lead), *opening)
    if section.heading:
        opening = (
            (_strong(section.heading.upper()), *opening)
            if section.lead
            else (_strong(section.heading), *opening)
        )
    if opening:
        yield Piece(opening)
    if section.grid and section.grid.rows:
        yield _table(section.grid)
    if section.image:
        yield Piece((f"_Picture, in the mail: {escaped(section.image.alt).replace('_', ' ')}_",))
    if section.bullets:
        yield Piece(tuple(f"• {_line(b)}" for b in section.bullets))
    if section.links:
        links = [_link(link) for link in section.links]
        yield Piece((" · ".join(links),) if sum(map(len, links)) < TEXT // 2 else tuple(links))


def _table(grid: Grid) -> Piece:
    lines = text.table_lines(grid, PHONE)
    mono = tuple(_cut(_entities(line.replace("```", "'''")), 200) for line in lines)
    return Piece(mono, mono=True, head=_strong(grid.caption) if grid.caption else "")


def _link(link: Link) -> str:
    if not link.url.startswith(("https://", "http://")) or len(link.url) > LONGEST_LINK:
        return escaped(f"{link.text}: {link.url}")
    address = quote(link.url, safe="!#$%&'()*+,/:;=?@[]~-._").replace("&", "&amp;")
    return f"<{address}|{_cut(escaped(' '.join(link.text.split())).replace('|', '¦'), 300) or 'link'}>"


def _size(block: Block) -> int:
    if "elements" in block:
        return sum(len(element["text"]) for element in block["elements"])
    return len(block["text"]["text"])


def _fit(pieces: Sequence[Piece], room: int, blocks: int) -> tuple[list[Block], int, int]:
    """Return the blocks that fit, the room left and how many lines they show; the rest is left out, in order."""
    made: list[Block] = []
    shown = 0
    for piece in pieces:
        waiting = list(piece.lines)
        head = piece.head
        while waiting:
            taken = _taken(waiting, min(TEXT, room), piece.mono, head) if len(made) < blocks else 0
            if not taken:
                return made, room, shown
            block = _section(_joined(waiting[:taken], piece.mono, head))
            made.append(block)
            room -= _size(block)
            shown += taken
            waiting, head = waiting[taken:], ""
    return made, room, shown


def _joined(lines: Sequence[str], mono: bool, head: str) -> str:
    body = "\n".join(lines)
    return "\n".join(part for part in (head, f"```\n{body}\n```" if mono else body) if part)


def _taken(lines: Sequence[str], limit: int, mono: bool, head: str) -> int:
    """Return how many of the lines fit into ``limit`` characters; a single line over Slack's limit is cut, not lost."""
    total = len(head) + 1 + (9 if mono else 0)
    for i, line in enumerate(lines):
        total += len(line) + 1
        if total > limit:
            return 1 if i == 0 and limit >= TEXT else i
    return len(lines)


def _left_out(notification: Notification, lines: int) -> list[Block]:
    if lines <= 0:
        return []
    return [
        _section(
            f"*{lines:,} more {'line' if lines == 1 else 'lines'}:* {_code(text.where_to_see_all(notification))}"
        )
    ]


def _foot(notification: Notification) -> Block:
    parts = [escaped(notification.footer)] if notification.footer else []
    shown = notification.rules[:6]
    if shown:
        more = (
            f" and {len(notification.rules) - len(shown)} more"
            if len(notification.rules) > len(shown)
            else ""
        )
        parts.append("rule " + ", ".join(_code(rule) for rule in shown) + more)
    said = _cut(" · ".join(parts), _RESERVE - 400)
    identity = f"id {_cut(escaped(notification.id), 200)}"
    return _context(f"{said} · {identity}" if said else identity)
