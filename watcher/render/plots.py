"""Plots of figures as PNG or SVG bytes: small multiples by benchmark, one mark a scenario; drawn by `picture`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from watcher.domain import Comparison, Gain, Result, Scaling
from watcher.errors import UsageError
from watcher.figures.cells import scenario_order
from watcher.figures.gains import SAME_SYSTEM
from watcher.figures.words import system_words
from watcher.render.columns import benchmark_words
from watcher.render.picture import Panel, Point, draw

Item = TypeVar("Item", Comparison, Gain, Scaling)

LINES = 8  # systems in one panel of gains


def plot_comparison(comparisons: Iterable[Comparison], form: str = "png") -> bytes:
    """Draw how many times better the subject is, in each benchmark and scenario; per accelerator where that exists.

    Raises UsageError for nothing to draw and for another ``form`` than png or svg.
    """
    items = _some(comparisons, "comparison")
    each = all(item.per_accelerator_ratio is not None or item.subject.better == "lower" for item in items)
    panels = [
        Panel(title, tuple(_comparison_point(item, each=each) for item in _by_scenario(group, _subject)))
        for title, group in _groups(items, _subject)
    ]
    basis = "per accelerator (latencies as they are)" if each else "of the rows"
    title = f"{_sides(items, _subject)} over {_sides(items, lambda item: item.baseline)}"
    return draw(panels, title, f"how many times better, {basis}; 1 = equal", form)


def plot_gains(gains: Iterable[Gain], form: str = "png") -> bytes:
    """Draw the gain of each system from one round to the next, a panel a benchmark; the two matches in panels apart.

    A panel shows the systems with the highest gains first. Raises UsageError as `plot_comparison`.
    """
    items = _some(gains, "gain")
    panels = []
    for title, group in _groups(items, lambda gain: gain.after, apart=lambda gain: gain.match != SAME_SYSTEM):
        each = "" if group[0].match == SAME_SYSTEM else ", per accelerator"
        panels.append(Panel(f"{title}{each}", _gain_points(group)))
    first = items[0]
    title = f"Gains from {first.before.round} to {first.after.round}"
    return draw(panels, title, "how many times better; 1 = equal", form)


def plot_scaling(scalings: Iterable[Scaling], form: str = "png") -> bytes:
    """Draw scaling efficiency in percent, a panel a benchmark, a line a larger count; 100 % is perfect.

    Of each panel the pairs from its smallest count are drawn; the table has all pairs.

    Raises UsageError as `plot_comparison`.
    """
    items = _some(scalings, "scaling")
    several = len({_machine(item.large) for item in items}) > 1
    panels = []
    for title, group in _groups(items, lambda item: item.large, apart=lambda item: _machine(item.large)):
        named = f"{title}: {' '.join(_machine(group[0].large))}" if several else title
        first = min(item.small.accelerator_count or 0 for item in group)
        from_first = [item for item in _by_scenario(group, _large) if item.small.accelerator_count == first]
        panels.append(Panel(named, tuple(_scaling_point(item) for item in from_first)))
    title = "Scaling" if several else f"Scaling of {' '.join(_machine(items[0].large))}"
    return draw(panels, title, "efficiency in % of perfect scaling", form, reference=100.0)


# ---------------------------------------------------------------------------------------------- figures → points


def _some(items: Iterable[Item], name: str) -> list[Item]:
    found = list(items)
    if not found:
        raise UsageError(f"there is nothing to plot: no {name} was computed from these rows")
    return found


def _subject(item: Comparison) -> Result:
    return item.subject


def _large(item: Scaling) -> Result:
    return item.large


def _groups(
    items: Sequence[Item], row_of: Callable[[Item], Result], apart: Callable[[Item], Hashable] = lambda _: ""
) -> list[tuple[str, list[Item]]]:
    """Group items into panels with their titles: by benchmark, and by division only where there are several."""
    divisions = {row_of(item).division for item in items}

    def key(item: Item) -> tuple[str, str, str, str]:
        row = row_of(item)
        return str(apart(item)), row.benchmark, row.accuracy_target or "", row.division

    panels = []
    for _, found in groupby(sorted(items, key=key), key=key):
        group = list(found)
        row = row_of(group[0])
        title = f"{benchmark_words(row)}, {row.division}" if len(divisions) > 1 else benchmark_words(row)
        panels.append((title, group))
    return panels


def _by_scenario(items: Sequence[Item], row_of: Callable[[Item], Result]) -> list[Item]:
    return sorted(items, key=lambda item: scenario_order(row_of(item).scenario))


def _comparison_point(item: Comparison, *, each: bool) -> Point:
    scenario = item.subject.scenario or ""
    told = item.per_accelerator_ratio if each else None
    value = item.ratio if told is None else told
    kind = f", {item.system_type}" if item.system_type == "edge" else ""
    return Point(f"{scenario}{kind}", scenario, value, f"{value:.2f}x")


def _gain_points(group: Sequence[Gain]) -> tuple[Point, ...]:
    best: dict[str, float] = {}
    for gain in group:
        best[_gain_line(gain)] = max(gain.ratio, best.get(_gain_line(gain), 0.0))
    lines = sorted(best, key=lambda line: (-best[line], line))[:LINES]
    return tuple(
        Point(line, gain.after.scenario or "", gain.ratio, f"{gain.ratio:.2f}x")
        for line in lines
        for gain in _by_scenario(group, lambda gain: gain.after)
        if _gain_line(gain) == line
    )


def _gain_line(gain: Gain) -> str:
    before, after = system_words(gain.before), system_words(gain.after)
    system = after if before == after else f"{before} → {after}"
    return f"{gain.after.submitter} {system}"


def _scaling_point(item: Scaling) -> Point:
    scenario = item.large.scenario or ""
    counts = f"{item.small.accelerator_count} → {item.large.accelerator_count}"
    percent = 100 * item.efficiency
    return Point(f"{scenario}, {counts}", scenario, percent, f"{percent:.1f} %")


def _machine(row: Result) -> tuple[str, str, str]:
    return row.submitter, row.accelerator or "", row.round


def _sides(items: Sequence[Comparison], side: Callable[[Comparison], Result]) -> str:
    """Name one side of all comparisons, with its submitter where that is one."""
    rows = [side(item) for item in items]
    names = {system_words(row) for row in rows}
    accelerators = {row.accelerator or system_words(row) for row in rows}
    name = names.pop() if len(names) == 1 else " / ".join(sorted(accelerators))
    submitters = {row.submitter for row in rows}
    whose = f"{submitters.pop()} " if len(submitters) == 1 else "best "
    return f"{whose}{name} {rows[0].round}"
