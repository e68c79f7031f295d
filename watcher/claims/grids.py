"""Tables of any origin as grids of cells: HTML with spans, Markdown's pipes, columns of a preformatted text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from watcher.claims.blocks import Cell

MAX_ROWS, MAX_COLUMNS = 200, 40  # a larger table is read up to here
_EMPTY = Cell("")
_RULE = re.compile(r"[\s|:+=-]+")
_SET_IN = re.compile(r"\s{4,}|\t")
_GAP = re.compile(r"\s{2,}|\t")


def spanned(rows: Sequence[Sequence[tuple[Cell, int, int]]]) -> tuple[tuple[Cell, ...], ...]:
    """Lay out rows of (cell, rowspan, colspan): a spanned cell stands in each place that it covers."""
    grid: list[list[Cell | None]] = []
    for number, row in enumerate(rows[:MAX_ROWS]):
        _ensure(grid, number)
        column = 0
        for cell, down, right in row:
            while column < len(grid[number]) and grid[number][column] is not None:
                column += 1
            if column >= MAX_COLUMNS:
                break
            for below in range(max(1, min(down, len(rows) - number, MAX_ROWS - number))):
                _ensure(grid, number + below)
                _put(grid[number + below], column, max(1, min(right, MAX_COLUMNS - column)), cell)
    return rectangular([[cell or _EMPTY for cell in row] for row in grid])


def _ensure(grid: list[list[Cell | None]], number: int) -> None:
    while len(grid) <= number:
        grid.append([])


def _put(row: list[Cell | None], column: int, width: int, cell: Cell) -> None:
    row.extend([None] * (column + width - len(row)))
    for place in range(column, column + width):
        if row[place] is None:
            row[place] = cell


def rectangular(rows: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    """Fill ragged rows with empty cells."""
    width = max((len(row) for row in rows), default=0)
    return tuple((*row, *([_EMPTY] * (width - len(row)))) for row in rows)


def span(element: Any, name: str) -> int:
    """A rowspan or colspan as written; anything but a small number is 1."""
    text = (element.get(name) or "1").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 and int(text) > 0 else 1


def is_pipe_row(line: str) -> bool:
    """Whether a line of plain text is a row of a Markdown table."""
    text = line.strip()
    return text.count("|") >= 2 or (text.startswith("|") and text.endswith("|") and len(text) > 1)


def pipe_grid(lines: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    """A Markdown table; the row before its rule is the header."""
    rows: list[list[Cell]] = []
    for line in lines[:MAX_ROWS]:
        if _RULE.fullmatch(line.strip()) and "-" in line:
            rows = [[Cell(cell.text, header=True) for cell in row] for row in rows]
            continue
        cells = line.strip().strip("|").split("|")
        rows.append([Cell(cell.strip(" *_`")) for cell in cells[:MAX_COLUMNS]])
    return rectangular(rows)


def column_grid(lines: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    """Lines whose columns are set apart by two spaces or a tab; empty if they are not such a table."""
    kept = [line for line in lines[:MAX_ROWS] if line.strip() and not _RULE.fullmatch(line.strip())]
    rows = [[Cell(cell) for cell in _GAP.split(line.strip())[:MAX_COLUMNS]] for line in kept]
    width = max((len(row) for row in rows), default=0)
    rows = [  # a header without a corner is set in
        [_EMPTY, *row] if len(row) == width - 1 and _SET_IN.match(line) else row
        for line, row in zip(kept, rows, strict=True)
    ]
    several = [row for row in rows if len(row) > 1]
    if len(several) < 2 or len(several) < len(rows) - 2:
        return ()
    return rectangular(rows)
