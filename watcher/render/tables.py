"""Terminal tables of figures: aligned, units in the header, the best in bold, differing stacks and cautions below.

Each function returns text: with styles for a terminal, plain and unwrapped for a pipe or a file.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from watcher.domain import Comparison, Gain, Grid, NotComparable, Record, Result, Scaling
from watcher.figures.power import PowerFigure
from watcher.render.columns import side_words
from watcher.render.grids import (
    comparison_grids,
    gain_grids,
    power_grids,
    record_grids,
    result_grids,
    scaling_grids,
)
from watcher.render.words import plural

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 1000  # columns of a pipe: nothing is wrapped or cut there
CARES = 12  # sentences of caution shown under a table; the rest are counted


def results_text(
    results: Iterable[Result], *, total: int | None = None, terminal: bool = False, width: int = 100
) -> str:
    """Return the table of ``results``: a part a benchmark and unit, the best of each scenario first and in bold.

    ``total``: how many there are, where only some are shown.
    """
    rows = tuple(results)
    if not rows:
        return "No result matches.\n"
    some = total is not None and total > len(rows)
    count = f"{len(rows):,} of {total:,} results" if some else plural(len(rows), "result")
    return _page(result_grids(rows), [count], terminal=terminal, width=width)


def comparisons_text(
    comparisons: Iterable[Comparison],
    refused: Iterable[NotComparable] = (),
    *,
    terminal: bool = False,
    width: int = 100,
) -> str:
    """Return the table of ``compare``, under it the stacks that differ, what to handle with care, what is missing."""
    items = tuple(comparisons)
    below = [*_stacks(items), *_cares(item.care for item in items), *_refusals(refused)]
    if not items:
        below = ["Nothing can be compared.", *below]
    else:
        below = [
            "ratio: of the rows; each: per accelerator. Over 1 the first side is better, also in latencies.",
            *below,
        ]
    return _page(comparison_grids(items), below, terminal=terminal, width=width)


def scaling_text(scalings: Iterable[Scaling], *, terminal: bool = False, width: int = 100) -> str:
    """Return the table of ``scaling``: a line a pair of counts, efficiency in percent, accelerators lost to overhead."""
    items = tuple(scalings)
    if not items:
        return "No submitter published one accelerator at two counts among these rows.\n"
    below = [
        "quoted: from the smallest full system to the largest count.",
        *_cares(item.care for item in items),
    ]
    return _page(scaling_grids(items), below, terminal=terminal, width=width)


def gains_text(gains: Iterable[Gain], *, terminal: bool = False, width: int = 100) -> str:
    """Return the table of ``gains``: the same systems first, per accelerator at another count apart."""
    items = tuple(gains)
    if not items:
        return "No system and no accelerator was published in both rounds among these rows.\n"
    return _page(gain_grids(items), _cares(item.care for item in items), terminal=terminal, width=width)


def records_text(records: Iterable[Record], *, terminal: bool = False, width: int = 100) -> str:
    """Return the table of records, absolute and per accelerator apart."""
    items = tuple(records)
    if not items:
        return "No result matches.\n"
    return _page(record_grids(items), _cares(item.care for item in items), terminal=terminal, width=width)


def power_text(
    figures: Iterable[PowerFigure], limits: Iterable[Result] = (), *, terminal: bool = False, width: int = 100
) -> str:
    """Return the table of ``power``, a part a kind; under it the limits of one accelerator that notes state."""
    items = tuple(figures)
    below = [] if any(item.kind == "measured" for item in items) else ["No row has measured power."]
    return _page(power_grids(items), [*below, *_limits(limits)], terminal=terminal, width=width)


# ---------------------------------------------------------------------------------------------- under the table


def _stacks(items: Sequence[Comparison]) -> list[str]:
    """Name each side's stack once, where the sides of any comparison differ in software, precision or availability."""
    unlike = [item for item in items if {"software", "precision", "availability"} & set(item.differs)]
    stacks: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in (row for item in unlike for row in (item.subject, item.baseline)):
        software = row.software_published or ", ".join(row.software) or "no software declared"
        precisions = stacks[side_words(row), f"{row.availability}; {software}"]
        precisions += [name for name in row.precision if name not in precisions]
    if not stacks:
        return []
    words = sorted({name.replace("_", " ") for item in unlike for name in item.differs})
    lines = [f"  {side}: {'; '.join([stack, *precisions])}" for (side, stack), precisions in stacks.items()]
    return [f"The sides differ in {', '.join(words)}:", *lines]


def _cares(found: Iterable[Sequence[str]]) -> list[str]:
    care = list(dict.fromkeys(text for texts in found for text in texts))
    if not care:
        return []
    more = [f"  … and {len(care) - CARES} more (--json lists them all)"] if len(care) > CARES else []
    return ["Handle with care:", *(f"  {text}" for text in care[:CARES]), *more]


def _refusals(refused: Iterable[NotComparable]) -> list[str]:
    """Group what cannot be compared by its reason."""
    by_reason: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for cell in refused:
        apart = [
            word for word in (cell.division, cell.system_type) if word not in {None, "closed", "datacenter"}
        ]
        mark = f"({', '.join(apart)})" if apart else None
        benchmark = " ".join(filter(None, (cell.benchmark, cell.accuracy_target, mark)))
        scenarios = by_reason[cell.reason][benchmark]
        if (cell.scenario or "–") not in scenarios:
            scenarios.append(cell.scenario or "–")
    if not by_reason:
        return []
    lines = [f"  {reason}: {_cells_words(cells)}" for reason, cells in by_reason.items()]
    return ["Not comparable:", *lines]


def _cells_words(cells: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{benchmark} {', '.join(scenarios)}" for benchmark, scenarios in cells.items())


def _limits(limits: Iterable[Result]) -> list[str]:
    """Group the limits in notes by accelerator and watts, with whose they are."""
    groups: dict[tuple[str, float], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in limits:
        watts = row.accelerator_power_limit_watts or 0.0
        groups[row.accelerator or "mixed", watts][f"{row.submitter} {row.round}"] += 1
    if not groups:
        return []
    rows = partial(plural, noun="row")
    lines = [
        f"  {accelerator}: {watts:,.0f} W ({', '.join(f'{name}: {rows(n)}' for name, n in whose.items())})"
        for (accelerator, watts), whose in sorted(groups.items())
    ]
    return ["Limits of one accelerator, by the notes; configured, not measured:", *lines]


# ---------------------------------------------------------------------------------------------- drawing


def _page(grids: Sequence[Grid], below: Sequence[str], *, terminal: bool, width: int) -> str:
    """Draw the grids one under the other, then the lines below; every published text is shown as text alone."""
    from io import StringIO  # noqa: PLC0415 - beside rich

    from rich.console import Console  # noqa: PLC0415 - heavy, only when a table is shown
    from rich.text import Text  # noqa: PLC0415

    out = StringIO()
    console = Console(
        file=out,
        width=width if terminal else WIDE,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        highlight=False,
        legacy_windows=False,
    )
    for grid in grids:
        draw(console, grid)
        console.print()
    for line in below:
        console.print(Text(shown(line)), soft_wrap=not terminal)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n")).rstrip("\n") + "\n"


def draw(console: Console, grid: Grid) -> None:
    """Draw one grid under its caption; every published text is shown as text alone."""
    from rich import box  # noqa: PLC0415 - heavy, only when a table is shown
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if grid.caption:
        console.print(Text(shown(grid.caption), style="bold"))
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, header_style="")
    for index, name in enumerate(grid.columns):
        number = index in grid.numeric
        justify: Literal["left", "right"] = "right" if number else "left"
        table.add_column(Text(shown(name)), justify=justify, no_wrap=number)
    for line, row in enumerate(grid.rows):
        cells = (Text(shown(cell), "bold" if (line, i) in grid.strong else "") for i, cell in enumerate(row))
        table.add_row(*cells)
    console.print(table)


def shown(text: str) -> str:
    """Make published text safe for a terminal: control characters (escape sequences too) and line ends become spaces."""
    return "".join(" " if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} else char for char in text)
