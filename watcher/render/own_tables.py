"""Terminal tables of figures that MLPerf does not publish: rank, promises, cost and break-even."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from watcher.domain import Grid, NotComparable, Section
from watcher.figures.cost import BreakEven, Cost, LimitRatio, Range
from watcher.figures.promises import OUTCOMES, Promise
from watcher.figures.rank import Rank
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import Column, grouped, table
from watcher.render.sections import sections_text

CARES = 12  # sentences of caution shown; the rest are counted
_RULE = (
    "A preview row must be back as available in the first round at least 140 days on, within 2 %; counted from publication "
    "to publication."
)
_WORDS = {
    "open": "open",
    "kept": "kept",
    "improved": "improved",
    "short": "fell short",
    "late": "late",
    "void": "void",
}


def ranks_text(ranks: Iterable[Rank], *, terminal: bool = False, width: int = 100) -> str:
    """Return the table of ``rank``: a part a benchmark and machine, best place first."""
    items = tuple(ranks)
    if not items:
        return "No row to rank: it needs an accelerator, a count and comparable rows.\n"
    sections = [Section(grid=_rank_grid(group)) for group in grouped(items, _contest).values()]
    note = (
        "Comparable: the same round, benchmark, scenario, division, accelerator and count. Gaps are ratios of the rows: over "
        "1x the row is better, also for latencies. MLPerf publishes no ranking."
    )
    return _page(
        sections, [note], [text for one in items for text in one.care], terminal=terminal, width=width
    )


def _contest(rank: Rank) -> tuple[object, ...]:
    row = rank.result
    return (
        row.suite,
        row.round,
        row.benchmark,
        row.accuracy_target,
        row.scenario,
        row.division,
        rank.system_type,
        row.accelerator,
        row.accelerator_count,
        row.unit,
    )


def _rank_grid(ranks: Sequence[Rank]) -> Grid:
    first = ranks[0]
    row = first.result
    kind = f", {first.system_type}" if first.system_type == "edge" else ""
    caption = (
        f"{words.benchmark(row)} {row.scenario or ''}, {words.system(row)}, {row.round}, {row.division}{kind}: "
        f"{words.plural(first.of, 'row')}, median {number(first.median)} {row.unit}"
    )
    columns = [
        Column("Place", [f"{one.place} of {one.of}" for one in ranks]),
        Column("Submitter", [words.submitter(one.result) for one in ranks]),
        Column("Platform", [one.result.platform for one in ranks]),
        Column(row.unit, [number(one.result.value) for one in ranks], numeric=True),
        Column("to the best", [words.ratio(one.to_best) for one in ranks], numeric=True),
        Column("to the median", [words.ratio(one.to_median) for one in ranks], numeric=True),
        Column(_vendor_words(first), [_vendor_gap(one) for one in ranks], numeric=True),
    ]
    return table(caption, columns, [(line, 3) for line, one in enumerate(ranks) if one.place == 1])


def _vendor_words(rank: Rank) -> str:
    return f"to {words.submitter(rank.vendor)}" if rank.vendor is not None else "to the vendor"


def _vendor_gap(rank: Rank) -> str:
    return words.NONE if rank.to_vendor is None else words.ratio(rank.to_vendor)


# ------------------------------------------------------------------------------------------------ promises


def promises_text(promises: Iterable[Promise], *, terminal: bool = False, width: int = 100) -> str:
    """Return the table of ``promises``: a part a round, submitter and system, with what became of each row."""
    items = tuple(promises)
    if not items:
        return "No preview row is held among these rows: nothing is promised.\n"
    groups = grouped(
        items,
        lambda one: (one.preview.suite, one.preview.round, one.preview.submitter, words.system(one.preview)),
    )
    sections = [Section(grid=_promise_grid(group)) for group in groups.values()]
    counts = ", ".join(
        f"{count} {_WORDS[outcome]}"
        for outcome in OUTCOMES
        if (count := sum(one.outcome == outcome for one in items))
    )
    notes = [
        f"{words.plural(len(items), 'promise')}: {counts}.",
        _RULE,
    ]
    return _page(sections, notes, [], terminal=terminal, width=width)


def _promise_grid(promises: Sequence[Promise]) -> Grid:
    first = promises[0]
    row = first.preview
    when = f"back from {words.day(first.earliest)}" if first.earliest else "back 140 days on"
    due = f", due in {first.due}" if first.due else ""
    caption = (
        f"{words.submitter(row)}, {words.system(row)}, preview in "
        f"{words.suite_round(row.suite, row.round)}: {when}{due}"
    )
    columns = [
        Column("Benchmark", [words.benchmark(one.preview) for one in promises]),
        Column("Scenario", [one.preview.scenario or words.NONE for one in promises]),
        Column("Preview", [number(one.preview.value) for one in promises], numeric=True),
        Column("At least", [_floor(one) for one in promises], numeric=True),
        Column("Unit", [one.preview.unit for one in promises]),
        Column("Back with", [_returned(one) for one in promises], numeric=True),
        Column("Outcome", [_WORDS[one.outcome] for one in promises]),
        Column("", [one.reason for one in promises]),
    ]
    return table(caption, columns)


def _floor(promise: Promise) -> str:
    if promise.floor is None:
        return "per watt"
    return f"{'≤ ' if promise.preview.better == 'lower' else ''}{number(promise.floor)}"


def _returned(promise: Promise) -> str:
    return words.NONE if promise.returned is None else number(promise.returned.value)


# ------------------------------------------------------------------------------------------------ cost


def costs_text(costs: Iterable[Cost], *, terminal: bool = False, width: int = 100) -> str:
    """Return the table of ``cost`` by somebody's own prices: a part a system; ranges where inputs are ranges."""
    items = tuple(costs)
    if not items:
        return "No row of these systems has a throughput to divide by.\n"
    sections = [
        Section(grid=_cost_grid(group))
        for group in grouped(items, lambda one: (str(one.prices.system), one.counted)).values()
    ]
    missing = [f"{one.prices.system}: {text}" for one in items for text in one.missing]
    notes = [
        "Your own prices, lifetime, utilisation and power; MLPerf publishes no cost. Ranges are exact for the ranges given.",
        *dict.fromkeys(f"{text}." for text in missing),
    ]
    return _page(
        sections, notes, [text for one in items for text in one.care], terminal=terminal, width=width
    )


def _cost_grid(costs: Sequence[Cost]) -> Grid:
    first = costs[0]
    unit = f"{first.prices.currency or 'price'} per million {first.counted}"
    kind = f" ({first.power_kind} power)" if first.power_kind else ""
    columns = [
        Column("Benchmark", [words.benchmark(one.result) for one in costs]),
        Column("Scenario", [one.result.scenario or words.NONE for one in costs]),
        Column(
            "Row",
            [
                f"{words.submitter(one.result)}, {words.system(one.result)}, {one.result.round}"
                for one in costs
            ],
        ),
        Column(unit, [_span(one.per_million) for one in costs], numeric=True),
        Column(f"{first.counted} per joule{kind}", [_span(one.per_joule) for one in costs], numeric=True),
    ]
    return table(str(first.prices.system), columns)


def _span(found: Range | None) -> str:
    if found is None:
        return words.NONE
    low, high = number(found.low), number(found.high)
    return low if low == high else f"{low}–{high}"


def break_even_text(
    items: Sequence[BreakEven],
    refused: Iterable[NotComparable],
    limits: Sequence[LimitRatio | None],
    *,
    terminal: bool = False,
    width: int = 100,
) -> str:
    """Return how many baseline systems a subject is worth in each scenario; ``limits`` one an item, where asked for."""
    if not items:
        return "Nothing to compare: " + "; ".join(sorted({cell.reason for cell in refused})) + "\n"
    pair = items[0].comparison
    subject, baseline = (words.system(row) for row in (pair.subject, pair.baseline))
    columns = [
        Column("Benchmark", [words.benchmark(one.comparison.subject) for one in items]),
        Column("Scenario", [one.comparison.subject.scenario or words.NONE for one in items]),
        Column("Subject", [_whose(one, "subject") for one in items]),
        Column("Baseline", [_whose(one, "baseline") for one in items]),
        Column("worth, systems", [f"{one.systems:.2f}" for one in items], numeric=True),
        Column(
            "accelerators",
            [words.NONE if one.accelerators is None else f"{one.accelerators:.2f}" for one in items],
            numeric=True,
        ),
    ]
    notes = [
        f"One {subject} does the work of so many {baseline}; below that many times its price it costs less per unit.",
        "Only the rows' own throughput: lifetime, power and utilisation are taken as equal.",
    ]
    if any(limits):
        columns.append(
            Column(
                "per limit watt",
                [words.NONE if one is None else words.ratio(one.ratio) for one in limits],
                numeric=True,
            )
        )
        notes.append(f"Per limit watt: {next(one.note for one in limits if one is not None)}.")
    reasons = grouped(refused, lambda cell: cell.reason)
    notes += [
        f"Not comparable, {reason}: {words.joined((f'{c.benchmark} {c.scenario or str()}'.rstrip() for c in cells), limit=6)}."
        for reason, cells in reasons.items()
    ]
    care = [text for one in items for text in one.comparison.care]
    grid = table(f"{subject} in {baseline}", columns)
    return _page([Section(grid=grid)], notes, care, terminal=terminal, width=width)


def _whose(item: BreakEven, side: str) -> str:
    row = getattr(item.comparison, side)
    return f"{words.submitter(row)}, {words.system(row)}"


def _page(
    sections: Sequence[Section], notes: Sequence[str], care: Iterable[str], *, terminal: bool, width: int
) -> str:
    cautions = list(dict.fromkeys(care))
    more = [f"and {len(cautions) - CARES} more (--json lists them all)"] if len(cautions) > CARES else []
    below = [Section(paragraphs=tuple(notes))]
    if cautions:
        below.append(Section(heading="Handle with care", bullets=(*cautions[:CARES], *more)))
    return sections_text([*sections, *below], terminal=terminal, width=width)
