"""A notification as plain text: the console's words, a mail's text part, and what the others build on.

Text in a notification may come from outside (a submitter's name, a post's title). So control characters are dropped
and nothing in it becomes a live link or a mention: only a `Link` is a link.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

from watcher.domain import Grid, Notification, Section

RESOLVED = "✅"
EMOJI = {"info": "🔵", "high": "🔴", "critical": "🚨"}
REPEAT = "Possible repeat: an earlier attempt ended without an answer, so you may have this message already."
ZERO_WIDTH = "\u200b"

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]")
_SCHEME = re.compile(r"(?i)\b([a-z][a-z0-9+.\-]{1,20}:)(?=//)|\b(mailto:|tel:|javascript:|data:)")
_HOST = re.compile(
    r"(?i)(?<=[a-z0-9])\.(?=(?:com|net|org|io|ai|dev|app|co|info|biz|xyz|me|ru|cn|de|uk|eu|tv|ly|gg|top|site|online)"
    r"(?![a-z0-9])|[a-z]{2,18}/)|(?i:\bwww(?=\.))"
)
_MENTION = re.compile(r"(?i)@(?=channel\b|here\b|everyone\b)")
COMMAND = "mlperf-watcher "  # a paragraph or bullet that starts so is a command to copy


def clean(text: str) -> str:
    """Return ``text`` without control characters, direction marks and odd line ends; tabs become spaces."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " "))


def defused(text: str) -> str:
    """Return cleaned text in which no reader's program finds a link or a mention: zero-width spaces break them up."""
    text = _SCHEME.sub(lambda m: m.group(0) + ZERO_WIDTH, clean(text))
    text = _HOST.sub(lambda m: m.group(0) + ZERO_WIDTH, text)
    return _MENTION.sub(lambda m: m.group(0) + ZERO_WIDTH, text)


def emoji(notification: Notification) -> str:
    """Return the sign before the title: by severity; a digest and the end of a trouble have their own."""
    if notification.resolved:
        return RESOLVED
    return "🗞" if notification.kind == "digest" else EMOJI.get(notification.severity, EMOJI["info"])


def where_to_see_all(notification: Notification) -> str:
    """Return the command that shows what a message had no room for."""
    if notification.see_all:
        return notification.see_all
    if notification.kind == "digest":
        return "mlperf-watcher digest"
    if len(notification.alerts) == 1:
        return f"mlperf-watcher alerts show {notification.alerts[0]}"
    return "mlperf-watcher alerts list"


def foot(notification: Notification) -> str:
    """Return the last line: the footer, the rules and the stable id."""
    rules = f"rule {', '.join(notification.rules)}" if notification.rules else ""
    return " · ".join(part for part in (notification.footer, rules, notification.id) if part)


def plain(notification: Notification, *, width: int = 78) -> str:
    """Return the whole notification as text, wrapped at ``width``; tables and addresses are never wrapped."""
    lines = [*_wrapped(f"{emoji(notification)} {notification.title}", width)]
    if notification.possible_repeat:
        lines += ["", *_wrapped(REPEAT, width)]
    lines += ["", *_wrapped(notification.summary, width)]
    for section in notification.sections:
        lines += ["", *_section(section, width)]
    lines += ["", *_wrapped(foot(notification), width)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def short(notification: Notification, limit: int = 600) -> str:
    """Return the short version that follows a refusal: title, summary, where to see the rest, the id."""
    repeat = f"{REPEAT}\n" if notification.possible_repeat else ""
    tail = f"\nAll of it: {where_to_see_all(notification)}\n{notification.id}"
    head = f"{repeat}{emoji(notification)} {defused(notification.title)}\n{defused(notification.summary)}"
    return cut(head, max(limit - len(tail), 80)) + tail


def cut(text: str, limit: int) -> str:
    """Return ``text``, or its start and an ellipsis, in at most ``limit`` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _section(section: Section, width: int) -> Iterator[str]:
    if section.heading:
        yield from _wrapped(section.heading.upper() if section.heading.isascii() else section.heading, width)
    for paragraph in ((section.lead,) if section.lead else ()) + section.paragraphs:
        yield from _wrapped(paragraph, width)
    if section.grid:
        if section.grid.caption:
            yield from _wrapped(section.grid.caption, width)
        yield from (f"  {line}" for line in table_lines(section.grid, width - 2))
    if section.image:
        yield from _wrapped(f"[picture: {section.image.alt}]", width)
    for bullet in section.bullets:
        yield from _wrapped(bullet, width, first="• ", rest="  ")
    for link in section.links:
        yield f"{defused(link.text)}: {link.url}"


_KEPT = "\u00a0%"


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    lines: list[str] = []
    for line in defused(text).split("\n"):
        lines += textwrap.wrap(
            line.replace(" %", _KEPT),  # a number and its sign stay in one line
            width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return [line.replace(_KEPT, " %") for line in lines]


def table_lines(grid: Grid, width: int = 78) -> list[str]:
    """Return a grid as aligned lines of at most ``width`` columns where its numbers allow that.

    Only text columns give way (cut with an ellipsis, the widest first, never below 6); figures are never cut.
    """
    rows = [[defused(c).replace("\n", " ") for c in row] for row in (grid.columns, *grid.rows)]
    widths = [
        max((columns(row[i]) for row in rows if i < len(row)), default=0) for i in range(len(grid.columns))
    ]
    text_columns = [i for i in range(len(widths)) if i not in grid.numeric]
    while sum(widths) + 2 * (len(widths) - 1) > width:
        widest = max(text_columns, key=lambda i: widths[i], default=None)
        if widest is None or widths[widest] <= 6:
            break
        widths[widest] -= 1
    if any(grid.columns):
        return [_line(row, widths, grid.numeric) for row in rows]
    return [_line(row, widths, grid.numeric) for row in rows[1:]]


def _line(row: Sequence[str], widths: Sequence[int], numeric: frozenset[int]) -> str:
    cells = []
    for i, cell in enumerate(row):
        shown = cell if columns(cell) <= widths[i] else cut(cell, widths[i])
        space = " " * (widths[i] - columns(shown))
        cells.append(space + shown if i in numeric else shown + space)
    return "  ".join(cells).rstrip()


def columns(text: str) -> int:
    """Return how many columns of a fixed-width font ``text`` takes: wide characters two, marks and zero-width none."""
    return sum(
        0
        if unicodedata.combining(c) or unicodedata.category(c) == "Cf"
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )
