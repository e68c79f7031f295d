"""A brief as one HTML page that opens from a file: no script, nothing from outside, light and dark, made to be printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.domain import Grid, Link, Section
from watcher.figures.attendance import Tally
from watcher.figures.brief import Brief
from watcher.render.brief import CARE, EMBARGO, footer, sections, summary, title
from watcher.render.sections import COMMAND
from watcher.render.tables import shown

if TYPE_CHECKING:
    from jinja2 import Template

TRADEMARK = (
    "The MLPerf name and logo are registered and unregistered trademarks of MLCommons Association in the United States and "
    "other countries. mlperf-watcher is not affiliated with MLCommons; ratios and figures per accelerator are its own."
)
RATIO = "ratio"  # the column that gets bars
_TIMES = re.compile(r"(\d+(?:\.\d+)?)x")


class Tile(Struct, frozen=True):
    """One large figure at the top; ``was`` says what it was in the round before."""

    name: str
    value: str
    was: str


class Cell(Struct, frozen=True):
    """One cell; ``share``: how long its bar is, in percent, null for no bar."""

    text: str
    classes: str = ""
    share: int | None = None


class Heading(Struct, frozen=True):
    """One column's header."""

    name: str
    numeric: bool


class Figures(Struct, frozen=True):
    """One table."""

    caption: str
    label: str
    columns: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]


class Block(Struct, frozen=True):
    """Paragraphs, the tables below them, and what stands below those."""

    paragraphs: tuple[str, ...]
    grids: tuple[Figures, ...]
    bullets: tuple[str, ...]
    links: tuple[Link, ...]


class Part(Struct, frozen=True):
    """All that stands under one heading."""

    heading: str
    anchor: str
    blocks: tuple[Block, ...]
    care: bool


class Page(Struct, frozen=True):
    """The whole page."""

    title: str
    summary: str
    footer: str
    embargo: str
    tiles: tuple[Tile, ...]
    parts: tuple[Part, ...]


def brief_html(brief: Brief) -> str:
    """Return the brief as one page. Every published text in it is escaped."""
    return _template().render(page=page_of(brief), command=COMMAND, trademark=TRADEMARK)


def page_of(brief: Brief) -> Page:
    """Return what the page says, ready for the template."""
    return Page(
        title=title(brief),
        summary=summary(brief),
        footer=footer(brief),
        embargo=EMBARGO if brief.embargo else "",
        tiles=_tiles(brief),
        parts=parts_of(section for section in sections(brief) if section.paragraphs != (EMBARGO,)),
    )


def _tiles(brief: Brief) -> tuple[Tile, ...]:
    before = brief.before
    measured = Tally(
        "measured", len(brief.measured), brief.measured_before[0].rows if brief.measured_before else None
    )
    preview = next(
        (one for one in brief.availabilities if one.name == "preview"),
        Tally("preview", 0, 0 if before is not None else None),
    )
    counted = (
        ("Results", brief.results),
        ("Submitter entries", brief.submitters),
        ("Preview rows", preview),
        ("Rows with measured power", measured),
    )
    tiles = [
        Tile(name, f"{one.now:,}", "" if one.before is None else f"{before}: {one.before:,}")
        for name, one in counted
    ]
    if before is not None:
        cells = {
            (one.best.benchmark, one.best.accuracy_target, one.best.scenario, one.best.system_type)
            for one in brief.beaten
        }
        tiles.append(Tile("Cells with a record beaten", f"{len(cells):,}", f"best since {brief.since}"))
    return tuple(tiles)


def parts_of(sections: Iterable[Section]) -> tuple[Part, ...]:
    """Put sections under their headings; one without a heading belongs to the one before. Tables that follow stand side by side."""
    groups: list[list[Section]] = []
    for section in sections:
        if section.heading or not groups:
            groups.append([])
        groups[-1].append(section)
    names: dict[str, int] = {}
    return tuple(_part(group, names) for group in groups)


def _part(group: Sequence[Section], names: dict[str, int]) -> Part:
    heading = group[0].heading or ""
    longest = max(
        (ratio for section in group if section.grid for ratio in _ratios(section.grid)), default=1.0
    )
    blocks: list[Block] = []
    for section in group:
        grids = (_figures(section.grid, heading, longest),) if section.grid else ()
        last = blocks[-1] if blocks else None
        if last is not None and grids and last.grids and not section.paragraphs and not last.bullets:
            blocks[-1] = Block(last.paragraphs, (*last.grids, *grids), section.bullets, section.links)
        else:
            blocks.append(Block(section.paragraphs, grids, section.bullets, section.links))
    return Part(heading, _anchor(heading, names), tuple(blocks), heading == CARE)


def _anchor(heading: str, taken: dict[str, int]) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", heading.casefold()).strip("-") or "part"
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name}-{taken[name]}"


def _figures(grid: Grid, heading: str, longest: float) -> Figures:
    bars = _ratios(grid)
    rows = tuple(
        tuple(
            _cell(
                cell,
                grid,
                (line, index),
                bars[line] / longest if bars and grid.columns[index] == RATIO else None,
            )
            for index, cell in enumerate(row)
        )
        for line, row in enumerate(grid.rows)
    )
    return Figures(
        caption=shown(grid.caption or ""),
        label=shown(grid.caption or heading or "Table"),
        columns=tuple(Heading(shown(name), index in grid.numeric) for index, name in enumerate(grid.columns)),
        rows=rows,
    )


def _cell(text: str, grid: Grid, place: tuple[int, int], share: float | None) -> Cell:
    marks = (("num", place[1] in grid.numeric), ("strong", place in grid.strong), ("bar", share is not None))
    classes = " ".join(name for name, has in marks if has)
    return Cell(shown(text), classes, None if share is None else round(100 * share))


def _ratios(grid: Grid) -> tuple[float, ...]:
    """Return the column of ratios, which gets bars; () where there is none, or a cell of it is none."""
    if RATIO not in grid.columns:
        return ()
    index = grid.columns.index(RATIO)
    found = [_TIMES.fullmatch(row[index]) for row in grid.rows]
    return tuple(float(one[1]) for one in found if one is not None) if all(found) else ()


@cache
def _template() -> Template:
    import jinja2  # noqa: PLC0415 - heavy, only when a page is made

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("watcher.render"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("brief.html")
