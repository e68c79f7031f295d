"""What a post is made of once its markup is gone: blocks of text and grids of cells, with their footnote marks."""

from __future__ import annotations

from msgspec import Struct, field

# A footnote mark that markup set apart (<sup>1</sup>) stands in a block's text between these two private signs, so
# that no digit of it can be taken for part of a number, and the note can still be found.
MARK_OPENS, MARK_CLOSES = "\ue000", "\ue001"

MAX_BLOCKS = 2000
MAX_BLOCK = 20_000


class Cell(Struct, frozen=True):
    """One cell of a grid. ``header``: markup calls it a header. Spanned cells repeat the same object."""

    text: str
    header: bool = False


class Block(Struct, frozen=True):
    """One piece of a post, in reading order.

    ``kind``: heading, paragraph, item (of a list), caption or grid. ``level``: of a heading, 1 to 6; of anything else
    0. ``rows``: of a grid, its cells, ragged rows filled with empty cells.
    """

    kind: str
    text: str = ""
    level: int = 0
    rows: tuple[tuple[Cell, ...], ...] = ()


class Article(Struct, frozen=True):
    """The blocks of a post and its notes by mark ("1", "*"); ``cut`` says that the post was longer than we read."""

    blocks: tuple[Block, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)
    cut: bool = False


def squeezed(text: str) -> str:
    """Collapse white space; a line break that stands for itself stays."""
    if "\n" not in text:
        return " ".join(text.split())
    return "\n".join(line for part in text.split("\n") if (line := " ".join(part.split())))
