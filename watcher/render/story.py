"""What one part of a message says: a line that stands alone, and the sections below it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from watcher.domain import Grid, Result, Section
from watcher.render import words

ROWS = 40  # table rows that one message carries; the rest is counted, with where to see it


class Story(Struct, frozen=True):
    """``summary`` is one line without an end mark; ``sections`` the figures and words below it."""

    summary: str
    sections: tuple[Section, ...] = ()


def tables(grids: Sequence[Grid], *, opening: str = "", rows: int = ROWS) -> list[Section]:
    """Return a section a table, with ``opening`` above the first; at most ``rows`` rows in all, the rest counted."""
    sections: list[Section] = []
    left = rows
    hidden = 0
    for grid in grids:
        shown = grid.rows[:left]
        left -= len(shown)
        hidden += len(grid.rows) - len(shown)
        if shown:
            strong = frozenset(cell for cell in grid.strong if cell[0] < len(shown))
            cut = Grid(
                caption=grid.caption, columns=grid.columns, rows=shown, numeric=grid.numeric, strong=strong
            )
            paragraphs = (opening,) if opening and not sections else ()
            sections.append(Section(paragraphs=paragraphs, grid=cut))
    if hidden:
        sections.append(Section(paragraphs=(f"{words.plural(hidden, 'more row')} not shown here.",)))
    return sections


def where_it_stands(rows: Sequence[Result]) -> str:
    """Return "MLPerf Inference v6.1, closed, PREVIEW" of rows that share it; what they do not share is counted."""
    rounds = words.joined((words.suite_round(row.suite, row.round) for row in rows), limit=3)
    divisions = words.joined((row.division for row in rows), limit=3)
    availability = {row.availability for row in rows}
    stated = ""
    if "preview" in availability:
        stated = ", PREVIEW" if len(availability) == 1 else ", some PREVIEW"
    return f"{rounds}, {divisions}{stated}"


def whose(rows: Sequence[Result]) -> str:
    """Return whose rows they are, and on what if that is one system: "NVIDIA, 72 accelerators"."""
    names = words.joined((words.submitter(row) for row in rows), limit=4)
    sizes = {words.size(row) for row in rows}
    return f"{names}, {sizes.pop()}" if len(sizes) == 1 else names


def what(rows: Sequence[Result]) -> str:
    """Return the benchmarks and scenarios of rows: "DeepSeek-R1 Offline, Server and Interactive; Qwen3-VL Server"."""
    scenarios: dict[str, list[str]] = {}
    for row in rows:
        scenarios.setdefault(words.benchmark(row), []).append(row.scenario or "")
    if len(scenarios) > 3:
        return words.joined(scenarios, limit=5)
    return "; ".join(f"{name} {words.joined(found)}".rstrip() for name, found in scenarios.items())
