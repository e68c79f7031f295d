"""The part of a brief about flagships: each vendor's newest against the one before it, by scenario, with what to beware of."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from watcher.domain import Comparison, Grid, Result, Section
from watcher.figures.brief import Brief
from watcher.figures.cells import scenario_order
from watcher.figures.flagships import Generation
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import comparison_grids, grouped, told_ratios

CELLS = 12  # lines of a flagship's tables in a message
OTHERS = 6  # rows of a flagship by other submitters that are told one by one


def flagship_sections(brief: Brief, *, whole: bool) -> list[Section]:
    """Return one part a vendor: its flagship over the one before it, by scenario, with the sentences below the table."""
    return [
        section
        for generation in brief.generations
        if generation.comparisons or generation.anyone
        for section in _generation(brief, generation, whole=whole)
    ]


def _generation(brief: Brief, generation: Generation, *, whole: bool) -> list[Section]:
    pairs = generation.comparisons or generation.anyone
    ship, before = pairs[0].subject, pairs[0].baseline
    names = f"{words.accelerator(ship)} over {words.accelerator(before)}"
    grids = comparison_grids(pairs)
    shown = grids if whole else _cut(grids)
    sections = [
        Section(
            heading=names if place == 0 else None,
            paragraphs=(_whose(generation, pairs),) if place == 0 else (),
            grid=grid,
        )
        for place, grid in enumerate(shown)
    ]
    lines = [_range(pairs), *_kept(pairs), *_anyone(generation), *_others(brief, generation)]
    care = _care_of(pairs)
    return [*sections, Section(paragraphs=tuple(lines), bullets=care)]


def _whose(generation: Generation, pairs: Sequence[Comparison]) -> str:
    ship = pairs[0].subject
    preview = ", PREVIEW" if ship.availability == "preview" else ""
    if generation.submitter is None or not generation.comparisons:
        return f"Each side's best row per accelerator{preview}; submitters and counts differ."
    size = words.plural(generation.count or 0, "accelerator")
    return f"{generation.submitter.replace('_', ' ')}, {size} on both sides, one round{preview}."


def _cut(grids: Sequence[Grid]) -> list[Grid]:
    """Keep the first tables, as many whole ones as a message has room for."""
    kept: list[Grid] = []
    left = CELLS
    for grid in grids:
        left -= len(grid.rows)
        if left < 0 and kept:
            break
        kept.append(grid)
    return kept


def _range(pairs: Sequence[Comparison]) -> str:
    """Say from what to what, where the middle lies, and how many cells reach what a headline would quote."""
    ratios = sorted(told_ratios(pairs))
    if len(ratios) == 1:
        return f"{words.ratio(ratios[0])} in the one cell that compares."
    if len(ratios) == 2:
        return f"{words.ratio(ratios[0])} and {words.ratio(ratios[1])} over two cells."
    half = len(ratios) // 2
    low, high = words.ratio(ratios[0]), words.ratio(ratios[-1])
    middle = words.ratio(ratios[half])
    if len(ratios) % 2 == 0 and words.ratio(ratios[half - 1]) != middle:
        middle = f"{words.ratio(ratios[half - 1])} to {middle}"
    said = f"{low} to {high} over {words.small(len(ratios))} cells, the middle at {middle}."
    top = floor(ratios[-1])
    above = sum(told > top for told in ratios)
    if top >= 2 and 0 < above <= len(ratios) / 3:
        cells = f"{words.capital(words.small(above))} cell{'s' if above > 1 else ''} of {words.small(len(ratios))}"
        said += f" {cells} exceed{'' if above > 1 else 's'} {top}x."
    return said


def _kept(pairs: Sequence[Comparison]) -> list[str]:
    """Say what share of its Server rate each side keeps in Interactive."""
    said = []
    for group in grouped(pairs, lambda pair: (pair.subject.benchmark, pair.subject.accuracy_target)).values():
        by_scenario = {pair.subject.scenario: pair for pair in group}
        server, interactive = by_scenario.get("Server"), by_scenario.get("Interactive")
        if server is None or interactive is None:
            continue
        shares = [
            (words.accelerator(slow), slow.value / fast.value)
            for slow, fast in (
                (interactive.baseline, server.baseline),
                (interactive.subject, server.subject),
            )
            if slow.unit == fast.unit and slow.platform == fast.platform
        ]
        if len(shares) == 2:
            (other, theirs), (name, ours) = shares
            said.append(
                f"{other} keeps {words.percent(theirs)} of its {words.benchmark(server.subject)} Server rate in "
                f"Interactive, {name} {words.percent(ours)}."
            )
    return said


def _anyone(generation: Generation) -> list[str]:
    """Say the ratios over anybody's best row of the older accelerator, where that is not the submitter's own."""
    if not generation.comparisons:
        return []
    said = []
    for (name, _), group in grouped(
        generation.anyone, lambda pair: (words.benchmark(pair.subject), pair.system_type)
    ).items():
        ordered = sorted(group, key=lambda pair: scenario_order(pair.subject.scenario))
        told = words.joined(
            f"{pair.subject.scenario} {words.ratio(pair.ratio)} ({words.submitter(pair.baseline)})"
            for pair in ordered
        )
        older = words.accelerator(group[0].baseline)
        said.append(f"Against anyone's best {generation.count}-accelerator {older}, {name}: {told}.")
    return said


def _others(brief: Brief, generation: Generation) -> list[str]:
    """Tell the flagship's other rows where they are few, beside the first submitter's own per accelerator."""
    rows = generation.others
    own = {
        (pair.subject.benchmark, pair.subject.accuracy_target, pair.subject.scenario): pair.subject
        for pair in generation.comparisons
    }
    if not rows:
        return []
    if len(rows) > OTHERS:
        submitters = {row.submitter for row in rows}
        name = words.accelerator(rows[0])
        count = words.plural(len(submitters), "submitter entry", "submitter entries")
        return [f"{words.plural(len(rows), 'further row')} with {name} by {count} in {brief.round}."]
    said = []
    for (whose, size, benchmark), group in grouped(
        rows, lambda row: (words.submitter(row), words.size(row), words.benchmark(row))
    ).items():
        ordered = sorted(group, key=lambda row: scenario_order(row.scenario))
        said.append(f"Also {whose}, {size}, {benchmark}: {'; '.join(_beside(row, own) for row in ordered)}.")
    return said


def _beside(row: Result, own: dict[tuple[str, str | None, str | None], Result]) -> str:
    told = f"{row.scenario or ''} {words.value(row)}".strip()
    each = row.value_per_accelerator
    like = own.get((row.benchmark, row.accuracy_target, row.scenario))
    if each is None:
        return told
    beside = f"; {words.submitter(like)} {number(like.value_per_accelerator or 0.0)}" if like else ""
    return f"{told} ({number(each)} each{beside})"


def _care_of(pairs: Sequence[Comparison]) -> tuple[str, ...]:
    """Say once what most of the pairs must be handled with care for, without what is told elsewhere."""
    counts: dict[str, int] = {}
    for pair in pairs:
        for text in pair.care:
            counts[text] = counts.get(text, 0) + 1
    often = [text for text, count in counts.items() if 2 * count >= len(pairs)]
    unlike = sorted({name for pair in pairs for name in pair.differs} & {"software", "precision"})
    said = [f"Not the same {words.joined(unlike)} as declared on both sides"] if unlike else []
    return (*said, *often)
