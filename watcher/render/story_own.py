"""Stories of figures that MLPerf does not publish: who passed whom, and what became of a preview."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain import Alert, Event, Promise, Rank, Section
from watcher.figures.cells import scenario_order
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import Column, grouped, table
from watcher.render.story import Story, tables

OUTCOMES = {
    "open": "open",
    "kept": "kept",
    "improved": "improved",
    "short": "fell short",
    "late": "late",
    "void": "void",
}


def rank(alert: Alert) -> Story:
    """Tell who got ahead of whom: a table a submitter and machine, with the place now and then."""
    pairs = [(event, event.subject) for event in alert.events if isinstance(event.subject, Rank)]
    ordered = sorted(pairs, key=lambda pair: _reading_order(pair[1]))
    machines = grouped(
        ordered,
        lambda pair: (words.submitter(pair[1].result), words.system(pair[1].result), pair[1].result.round),
    )
    grids = [
        table(
            f"{whose}, {system}, {round_name}",
            [
                Column("Benchmark", [words.benchmark(one.result) for _event, one in those]),
                Column("Scenario", [one.result.scenario or words.NONE for _event, one in those]),
                Column("Place", [_place(event, one) for event, one in those]),
                Column("Ahead now", [_ahead(one) for _event, one in those]),
            ],
        )
        for (whose, system, round_name), those in machines.items()
    ]
    passed = words.joined((words.submitter(one.result) for _event, one in ordered), limit=3)
    by = words.joined((words.submitter(row) for _event, one in ordered for row in one.ahead), limit=3)
    times = "" if len(ordered) == 1 else f" in {words.plural(len(ordered), 'contest')}"
    note = "Compared are rows of one round, benchmark, scenario, accelerator and count. MLPerf publishes no ranking."
    sections = tables(grids)
    return Story(f"{passed} passed by {by}{times}", (*sections, Section(paragraphs=(note,))))


def _reading_order(one: Rank) -> tuple[object, ...]:
    row = one.result
    return row.submitter.casefold(), words.benchmark(row), scenario_order(row.scenario), row.key


def _place(event: Event, one: Rank) -> str:
    now = f"{one.place} of {one.of}"
    if not isinstance(event.before, Rank):
        return now
    then = event.before
    when = "" if then.result.round == one.result.round else f" in {then.result.round}"
    return f"{now}, was {then.place} of {then.of}{when}"


def _ahead(one: Rank) -> str:
    row = one.result
    return words.joined(
        (
            f"{words.submitter(other)} {words.ratio(_times(other.value, row.value, row.better))}"
            for other in one.ahead
        ),
        limit=3,
    )


def _times(other: float, own: float, better: str) -> float:
    return own / other if better == "lower" else other / own


def promise(alert: Alert) -> Story:
    """Tell promises made, and what became of those that were due: a table a submitter and system."""
    found = [(event, event.subject) for event in alert.events if isinstance(event.subject, Promise)]
    ordered = sorted(
        found, key=lambda pair: (pair[1].preview.submitter, scenario_order(pair[1].preview.scenario))
    )
    systems = grouped(
        sorted(ordered, key=lambda pair: words.benchmark(pair[1].preview)),
        lambda pair: (
            words.submitter(pair[1].preview),
            words.system(pair[1].preview),
            pair[1].preview.round,
            pair[1].due,
        ),
    )
    grids = [
        table(
            f"{whose}, {system}, preview in {made}{f', due in {due}' if due else ''}",
            [
                Column(
                    "Benchmark",
                    [f"{words.benchmark(p.preview)} {p.preview.scenario or ''}".rstrip() for _e, p in those],
                ),
                Column("at least", [_floor(p) for _e, p in those], numeric=True),
                Column("back with", [_back(p) for _e, p in those], numeric=True),
                Column("", [OUTCOMES[p.outcome] for _e, p in those]),
            ],
        )
        for (whose, system, made, due), those in systems.items()
    ]
    promises = [one for _event, one in ordered]
    return Story(_counted(alert, promises), (*tables(grids), *_reasons(promises)))


def _counted(alert: Alert, promises: Sequence[Promise]) -> str:
    whose = words.joined((words.submitter(one.preview) for one in promises), limit=3)
    if all(event.kind == "promise.made" for event in alert.events):
        earliest = [one.earliest for one in promises if one.earliest is not None]
        when = f", due from {words.day(min(earliest))}" if earliest else ""
        return f"{whose}: {words.plural(len(promises), 'preview row')} to be back as available{when}"
    counts = grouped(promises, lambda one: one.outcome)
    told = words.joined(f"{len(those)} {OUTCOMES[outcome]}" for outcome, those in counts.items())
    return f"{whose}: {words.plural(len(promises), 'preview row')}: {told}"


def _reasons(promises: Sequence[Promise]) -> list[Section]:
    told = dict.fromkeys(one.reason for one in promises if one.outcome in {"short", "late", "void"})
    return [Section(bullets=tuple(told))] if told else []


def _floor(one: Promise) -> str:
    if one.floor is None:
        return "per watt"
    return f"{'≤ ' if one.preview.better == 'lower' else ''}{number(one.floor)}"


def _back(one: Promise) -> str:
    return words.NONE if one.returned is None else number(one.returned.value)
