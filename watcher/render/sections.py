"""Sections of plain text as a whole page: for a terminal, as text in a file, and as Markdown.

Published names may hold anything. In text control characters are dropped; in Markdown every mark that means something
is escaped, so that a name stays a name. A paragraph or bullet that is a command stands as code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from watcher.domain import Grid, Section
from watcher.render.tables import WIDE, draw, shown

if TYPE_CHECKING:
    from rich.console import Console

COMMAND = "mlperf-watcher "
_MARKS = re.compile(r"([\\`*_{}\[\]<>|~])")
_LINE_MARKS = re.compile(r"^(\s*\d*)([#+\-=]+|[.)])(?=\s|$)")
_SCHEMES = re.compile(r"(?i)\b(https?|ftp|mailto|javascript):")


def sections_text(
    sections: Iterable[Section],
    *,
    title: str = "",
    summary: str = "",
    footer: str = "",
    terminal: bool = False,
    width: int = 100,
) -> str:
    """Return a page for a terminal (wrapped, styled) or a pipe (tables unwrapped, no styles)."""
    from io import StringIO  # noqa: PLC0415 - beside rich

    from rich.console import Console  # noqa: PLC0415 - heavy, only when a page is shown

    out = StringIO()
    console = Console(
        file=out,
        width=width if terminal else WIDE,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        highlight=False,
        legacy_windows=False,
    )
    if title:
        _line(console, title, "bold")
    if summary:
        _wrapped(console, summary, width)
    for place, section in enumerate(sections):
        if title or place:
            console.print()
        _section(console, section, width)
    if footer:
        console.print()
        _wrapped(console, footer, width)
    lines = [line.rstrip() for line in out.getvalue().split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def _section(console: Console, section: Section, width: int) -> None:
    if section.heading:
        _line(console, section.heading.upper() if section.heading.isascii() else section.heading, "bold")
    for paragraph in section.paragraphs:
        _wrapped(console, paragraph, width)
    if section.grid:
        draw(console, section.grid)
    for bullet in section.bullets:
        _wrapped(console, bullet, width, first="• ", rest="  ")
    for link in section.links:
        _line(console, f"{link.text}: {link.url}", "")


def _line(console: Console, text: str, style: str) -> None:
    from rich.text import Text  # noqa: PLC0415 - beside rich

    console.print(Text(shown(text), style), soft_wrap=True)


_KEPT = "\u00a0%"


def _wrapped(console: Console, text: str, width: int, first: str = "", rest: str = "") -> None:
    lines = textwrap.wrap(
        shown(text).replace(" %", _KEPT),  # a number and its sign stay in one line
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines or [""]:
        _line(console, line.replace(_KEPT, " %"), "")


def listed(
    heading: str, lines: Sequence[str], *, limit: int | None = None, opening: str = ""
) -> Section | None:
    """Return a part of bullets, at most ``limit`` and the rest counted; null without lines."""
    if not lines:
        return None
    kept = tuple(lines if limit is None else lines[:limit])
    more = (f"and {len(lines) - len(kept):,} more",) if len(lines) > len(kept) else ()
    return Section(heading=heading, paragraphs=(opening,) if opening else (), bullets=(*kept, *more))


# ------------------------------------------------------------------------------------------------ Markdown


def sections_markdown(sections: Iterable[Section], *, title: str, summary: str = "", footer: str = "") -> str:
    """Return a page as Markdown with pipe tables, as GitHub, GitLab and most wikis read it."""
    parts = [f"# {escaped(title)}", *([escaped(summary)] if summary else [])]
    for section in sections:
        if section.heading:
            parts.append(f"## {escaped(section.heading)}")
        parts += [_said(paragraph) for paragraph in section.paragraphs]
        if section.grid:
            parts.append(_table(section.grid))
        if section.bullets:
            parts.append("\n".join(f"- {_said(bullet)}" for bullet in section.bullets))
        if section.links:
            parts.append(
                "\n".join(f"- [{escaped(link.text)}](<{_address(link.url)}>)" for link in section.links)
            )
    if footer:
        parts.append(f"*{escaped(footer)}*")
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Return text in which nothing means anything in Markdown; an address in it is no link."""
    clean = _MARKS.sub(r"\\\1", " ".join(shown(text).split()))
    clean = _SCHEMES.sub(lambda found: f"{found[1]}&#58;", clean)
    return _LINE_MARKS.sub(lambda found: f"{found[1]}\\{found[2]}", clean)


def _said(text: str) -> str:
    if text.startswith(COMMAND):
        return f"`{shown(text).replace('`', '')}`"
    return escaped(text)


def _table(grid: Grid) -> str:
    rows = [_row(grid, line, cells) for line, cells in enumerate(grid.rows)]
    rule = [("---:" if index in grid.numeric else "---") for index in range(len(grid.columns))]
    head = [_pipes([escaped(name) for name in grid.columns]), _pipes(rule)]
    caption = [f"**{escaped(grid.caption)}**", ""] if grid.caption else []
    return "\n".join([*caption, *head, *(_pipes(row) for row in rows)])


def _row(grid: Grid, line: int, cells: Sequence[str]) -> list[str]:
    return [
        f"**{escaped(cell)}**" if (line, index) in grid.strong and cell else escaped(cell)
        for index, cell in enumerate(cells)
    ]


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _address(url: str) -> str:
    return re.sub(r"[<>\s]", "", url)
