"""The part of a brief about previews: what was promised, and what became of promises that were due."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain import Promise
from watcher.figures.brief import Brief
from watcher.figures.cells import scenario_order
from watcher.render import words
from watcher.render.compact import grouped
from watcher.render.round_facts import bound


def promise_words(brief: Brief, *, limit: int | None) -> list[str]:
    """Say what this round's previews promise, at most ``limit`` bounds a system, and what became of those that were due in it."""
    lines = []
    if brief.due:
        counts = grouped(brief.due, lambda one: one.outcome)
        told = words.joined(f"{len(those)} {outcome}" for outcome, those in counts.items())
        lines.append(
            f"Due in {brief.round}: {words.plural(len(brief.due), 'preview row')} of earlier rounds: {told}."
        )
        lines += [
            _outcome(outcome, those)
            for outcome, those in counts.items()
            if outcome in {"short", "late", "void"}
        ]
    return lines + _promised(brief.promised, limit=limit)


def _outcome(outcome: str, those: Sequence[Promise]) -> str:
    rows = words.joined(
        (
            f"{words.submitter(one.preview)} {words.benchmark(one.preview)} {one.preview.scenario or ''}".rstrip()
            for one in those
        ),
        limit=4,
    )
    return f"{words.capital(outcome)}: {rows}: {words.joined((one.reason for one in those), limit=3)}."


def _promised(promised: Sequence[Promise], *, limit: int | None) -> list[str]:
    said = []
    for (whose, system, earliest, due), those in grouped(
        promised,
        lambda one: (words.submitter(one.preview), words.system(one.preview), one.earliest, one.due),
    ).items():
        ordered = sorted(
            those, key=lambda one: (words.benchmark(one.preview), scenario_order(one.preview.scenario))
        )
        bounds = words.joined((" ".join(bound(one)) for one in ordered), limit=limit)
        when = f"from {words.day(earliest)}" if earliest else "140 days on"
        where = f", as things stand {due}" if due else ""
        said.append(
            f"{whose}, {system}: must be back as available in the first round {when}{where}, within 2 %: {bounds}."
        )
    return said
