"""Stories of derived figures: comparisons side by side, scaling, gains, records."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain import Alert, Comparison, Gain, Record, Result, Scaling, Section
from watcher.figures.cells import same_submitter
from watcher.render import words
from watcher.render.compact import (
    comparison_grids,
    first_and_further,
    grouped,
    labels,
    per_accelerator,
    told_ratios,
)
from watcher.render.compact_figures import gain_grids, record_grids, scaling_grids
from watcher.render.story import Story, tables, what, whose

_GAINS = {"same_system": "the same system", "per_accelerator": "per accelerator, at another count"}


def compared(comparisons: Sequence[Comparison]) -> Story:
    """Tell two systems side by side, scenario by scenario, and what the largest ratio hides."""
    first, further = first_and_further(comparisons)
    ratios = told_ratios(first)
    notes = [said for said in (spread(ratios), *kept(first), *against_others(further)) if said]
    sections = [*tables(comparison_grids(first)), *([Section(paragraphs=tuple(notes))] if notes else [])]
    each = " per accelerator" if per_accelerator(first) else ""
    cells = (
        f" over {words.small(len(ratios))} cells" if len(ratios) > 1 else f" on {what([first[0].subject])}"
    )
    whose_rows = whose([item.subject for item in first])
    summary = f"{whose_rows}, against {baseline_words(first)}: {range_words(ratios)}{each}{cells}"
    return Story(summary, tuple(sections))


def baseline_words(items: Sequence[Comparison]) -> str:
    """Return what the subject is measured by: "its own GB300 NVL72", "Azure's 72 GB300", "v6.0"."""
    systems = words.joined((words.system(item.baseline) for item in items), limit=3)
    rounds = {item.baseline.round for item in items}
    in_round = (
        f" ({words.joined(sorted(rounds))})" if rounds != {item.subject.round for item in items} else ""
    )
    if all(same_submitter(item.subject, item.baseline) for item in items):
        return f"its own {systems}{in_round}"
    owners = words.joined((words.submitter(item.baseline) for item in items), limit=3)
    return f"{systems} of {owners}{in_round}"


def range_words(ratios: Sequence[float]) -> str:
    """Return "1.74x to 3.74x", or the one ratio there is."""
    low, high = words.ratio(min(ratios)), words.ratio(max(ratios))
    return low if low == high else f"{low} to {high}"


def spread(ratios: Sequence[float]) -> str | None:
    """Say for whom the largest ratio does not speak: "The middle of the six is 1.92x to 1.97x; one exceeds 3x."."""
    if len(ratios) < 3:
        return None
    ordered = sorted(ratios)
    middle = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    said = [f"The middle of the {words.small(len(ratios))} is {range_words(middle)}"]
    below = sum(1 for ratio in ratios if ratio < 1)
    high = _round_down(max(ratios))
    above = sum(1 for ratio in ratios if ratio > high)
    if 0 < below < len(ratios):
        said.append(f"{words.small(below)} {'is' if below == 1 else 'are'} below 1x")
    if high >= 2 and above <= len(ratios) / 2:
        said.append(f"{words.small(above)} {'exceeds' if above == 1 else 'exceed'} {high}x")
    return "; ".join(said) + "."


def _round_down(ratio: float) -> int:
    """Return the round figure below: 3 of 3.74, 40 of 46.5."""
    whole = int(ratio)
    return whole if whole < 10 else whole - whole % 10 ** (len(str(whole)) - 1)


def kept(items: Sequence[Comparison]) -> list[str]:
    """Say what share of its Server rate each side keeps in Interactive, where both have both in one unit."""
    said = []
    for group in grouped(
        items, lambda i: (i.subject.benchmark, i.subject.accuracy_target, i.system_type)
    ).values():
        by_scenario = {item.subject.scenario: item for item in group}
        server, interactive = by_scenario.get("Server"), by_scenario.get("Interactive")
        if server is None or interactive is None:
            continue
        ours = _share(interactive.subject, server.subject)
        theirs = _share(interactive.baseline, server.baseline)
        if ours is None or theirs is None:
            continue
        names = labels(group)
        if not names.subject:
            continue
        name = words.benchmark(server.subject)
        said.append(
            f"Of its {name} Server rate {names.baseline} keeps {words.percent(theirs)} in Interactive, "
            f"{names.subject} {words.percent(ours)}."
        )
    return said


def _share(interactive: Result, server: Result) -> float | None:
    if (
        interactive.unit != server.unit
        or interactive.accelerator_count != server.accelerator_count
        or not server.value
    ):
        return None
    return interactive.value / server.value if server.better == "higher" else None


def against_others(further: Sequence[Comparison]) -> list[str]:
    """Say the ratios against other submitters: "Against others' 72 GB300, DeepSeek-R1: Interactive 2.51x (Azure)"."""
    said = []
    for (name, system), items in grouped(
        further, lambda i: (words.benchmark(i.subject), words.system(i.baseline))
    ).items():
        by_owner = grouped(items, lambda item: words.submitter(item.baseline))
        parts = [
            words.joined(f"{item.subject.scenario or ''} {words.ratio(item.ratio)}".strip() for item in those)
            + f" ({owner})"
            for owner, those in by_owner.items()
        ]
        said.append(f"Against others' {system}, {name}: {', '.join(parts)}.")
    return said


def comparison(alert: Alert) -> Story:
    """Tell the comparisons of an alert."""
    return compared([figure for figure in alert.figures if isinstance(figure, Comparison)])


def scaling(alert: Alert) -> Story:
    """Tell how much of their rate accelerators keep at a larger count."""
    items = [figure for figure in alert.figures if isinstance(figure, Scaling)]
    low = min(items, key=lambda item: item.efficiency)
    efficiencies = [item.efficiency for item in items]
    span = words.percent(min(efficiencies), 1)
    if max(efficiencies) != min(efficiencies):
        span += f" to {words.percent(max(efficiencies), 1)}"
    lost = (
        f"The lowest: {words.submitter(low.large)}, {words.benchmark(low.large)} {low.large.scenario or ''}: of "
        f"{low.large.accelerator_count:,} accelerators {low.accelerators_lost:.1f} are lost to scale, measured by its own "
        f"{words.plural(low.small.accelerator_count or 0, 'accelerator')}."
    )
    notes = [lost if low.accelerators_lost > 0 else ""]
    if any(item.quoted for item in items) and not all(item.quoted for item in items):
        notes.append("The pair from the smallest full rack to the largest size is the one usually quoted.")
    sections = [*tables(scaling_grids(items)), Section(paragraphs=tuple(note for note in notes if note))]
    pairs = words.plural(len(items), "pair of sizes", "pairs of sizes")
    return Story(f"{whose([item.large for item in items])}: {span} scaling over {pairs}", tuple(sections))


def gain(alert: Alert) -> Story:
    """Tell what a system gained over a round, the same system apart from one at another count."""
    items = [figure for figure in alert.figures if isinstance(figure, Gain)]
    ratios = [item.ratio for item in items]
    matches = words.joined(_GAINS.get(item.match, item.match) for item in items)
    rounds = words.joined((f"{item.before.round} to {item.after.round}" for item in items), limit=2)
    summary = f"{words.joined((words.submitter(item.after) for item in items), limit=4)}: {range_words(ratios)}, {rounds}, {matches}"
    note = spread(ratios)
    sections = [*tables(gain_grids(items)), *([Section(paragraphs=(note,))] if note else [])]
    return Story(summary, tuple(sections))


def record(alert: Alert) -> Story:
    """Tell the best rows, and the best before them."""
    items = [figure for figure in alert.figures if isinstance(figure, Record)]
    since = words.joined(sorted({item.since for item in items}))
    names = words.joined((words.submitter(item.best) for item in items), limit=4)
    bases = words.joined(
        sorted({"per accelerator" if i.basis == "per_accelerator" else "in total" for i in items})
    )
    cells = words.plural(len(items), "cell")
    summary = f"{names}: the best row in {cells} of the tables we hold (since {since}), {bases}"
    return Story(summary, tuple(tables(record_grids(items))))
