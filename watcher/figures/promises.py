"""Promises: what became of preview rows, each of which has to come back as available.

Rules (MLPerf submission rules, "Preview Systems", with the changes of July 2025): a preview system must be submitted
and published as available in the next round, or in the first one that is at least 140 days on, whichever is later,
with equal or better performance; up to 2 % less is noise. Otherwise the preview result is marked invalid. A benchmark
that is not in that round, or was changed, binds nobody. Inference has to bring back every system as it was; training
may come back at another scale: larger with a better time, smaller with a better time x accelerators. Where the
preview row had measured power, performance per watt counts.

The rules count from the dates of submission, which are not published. We count from publication to publication, which
lie as far apart within a week or two. Endpoints has its own rules (an "available by" date on each result) and no rounds
to wait for; its previews are not listed here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.domain import Promise, Result
from watcher.figures.cells import ratio, round_order, same_submitter, scenario_order, usable
from watcher.figures.comparability import compatibility
from watcher.figures.filters import EVERYTHING, Filter, reviewed
from watcher.figures.power import in_watts, is_energy

if TYPE_CHECKING:
    from watcher.catalog.entries import Round

__all__ = ["DAYS", "NOISE", "OUTCOMES", "Promise", "floor", "promises"]

OUTCOMES = ("open", "kept", "improved", "short", "late", "void")
"""open: its round is not held yet. kept: back within 2 %. improved: back more than 2 % better. short: back more than
2 % worse. late: not back in the round it was due in. void: that round has no such benchmark, or a changed one."""

DAYS = 140
NOISE = 0.02
PREVIEW, AVAILABLE = "preview", "available"
_ROUNDLESS = frozenset({"endpoints"})


def promises(
    results: Iterable[Result], rounds: Iterable[Round], filter: Filter = EVERYTHING
) -> tuple[Promise, ...]:
    """Return every preview row that ``filter`` selects as a promise, the oldest round first.

    ``results``: all rows held, of all rounds (the filter chooses promises, not where they may come back). ``rounds``:
    the catalog's calendar; a round counts as held when a row of it is.
    """
    rows = [row for row in reviewed(results, filter.suite) if usable(row)]
    calendar = _Calendar.of(rows, rounds)
    held: defaultdict[tuple[str, str], list[Result]] = defaultdict(list)
    for row in rows:
        held[row.suite, row.benchmark].append(row)
    previews = [
        row
        for row in rows
        if row.availability == PREVIEW and row.suite not in _ROUNDLESS and filter.matches(row)
    ]
    found = [_promise(row, held[row.suite, row.benchmark], calendar) for row in previews]
    return tuple(sorted(found, key=_order))


def floor(preview: Result) -> float | None:
    """Return the value that a preview row must come back with; null where performance per watt counts."""
    if _watts(preview) is not None:
        return None
    return preview.value / (1 - NOISE) if preview.better == "lower" else preview.value * (1 - NOISE)


# ---------------------------------------------------------------------------------------------- when


class _Calendar(Struct, frozen=True):
    """Days of rounds, published or expected, and which rounds are held, by suite and in order."""

    days: Mapping[tuple[str, str], date]
    names: Mapping[str, Sequence[str]]
    held: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, rows: Iterable[Result], rounds: Iterable[Round]) -> _Calendar:
        days = {
            (entry.suite, entry.name): day
            for entry in rounds
            if (day := entry.published_on or entry.expected) is not None
        }
        held = frozenset((row.suite, row.round) for row in rows)
        names: defaultdict[str, set[str]] = defaultdict(set)
        for suite, name in (*days, *held):
            names[suite].add(name)
        return cls(days, {suite: sorted(found, key=round_order) for suite, found in names.items()}, held)

    def earliest(self, preview: Result) -> date | None:
        """140 days after the preview's round; null without its date."""
        day = self.days.get((preview.suite, preview.round))
        return None if day is None else day + timedelta(days=DAYS)

    def due(self, preview: Result) -> str | None:
        """The first later round that is 140 days on; without dates the next one."""
        earliest = self.earliest(preview)
        for name in self.names.get(preview.suite, ()):
            if round_order(name) <= round_order(preview.round):
                continue
            day = self.days.get((preview.suite, name))
            if earliest is None or day is None or day >= earliest:
                return name
        return None


# ---------------------------------------------------------------------------------------------- what became of it


def _promise(preview: Result, rows: Sequence[Result], calendar: _Calendar) -> Promise:
    due = calendar.due(preview)
    outcome, returned, figure, reason = _outcome(preview, rows, due, calendar)
    return Promise(
        preview=preview,
        outcome=outcome,
        floor=floor(preview),
        earliest=calendar.earliest(preview),
        due=due,
        returned=returned,
        ratio=figure,
        reason=reason,
    )


def _outcome(
    preview: Result, rows: Sequence[Result], due: str | None, calendar: _Calendar
) -> tuple[str, Result | None, float | None, str]:
    later = [row for row in rows if round_order(row.round) > round_order(preview.round)]
    in_time = [row for row in later if due is None or round_order(row.round) <= round_order(due)]
    back = _returned(preview, in_time)
    if back is not None:
        figure = _performance(preview, back)
        if figure is None:
            return "short", back, None, f"{back.round} has no measured power to compare with the preview's"
        return _kept(figure), back, figure, _sentence(back, figure)
    if due is None or (preview.suite, due) not in calendar.held:
        return "open", None, None, "no later round is known" if due is None else f"{due} is not held"
    void = _void(preview, [row for row in in_time if row.round == due], due)
    if void:
        return "void", None, None, void
    after = _returned(preview, [row for row in later if round_order(row.round) > round_order(due)])
    figure = None if after is None else _performance(preview, after)
    reason = f"{due} has no available row of it" + (
        "" if after is None else f"; it came back in {after.round}"
    )
    return "late", after, figure, reason


def _kept(figure: float) -> str:
    if figure > 1 + NOISE:
        return "improved"
    return "kept" if figure >= 1 - NOISE else "short"


def _sentence(back: Result, figure: float) -> str:
    return f"available in {back.round} with {figure - 1:+.1%}"


def _void(preview: Result, due_rows: Sequence[Result], due: str) -> str:
    """Say in words why the round binds nobody; "" if it does. The 99 and 99.9 tiers of a model are benchmarks apart."""
    same = [row for row in due_rows if _is_same_run(preview, row)]
    if not same:
        tier = f" at {preview.accuracy_target} %" if preview.accuracy_target else ""
        scenario = f" in {preview.scenario}" if preview.scenario else ""
        return f"{due} has no row of {preview.benchmark}{tier}{scenario}"
    found = compatibility(preview, same[0])
    return found.reason if found.verdict == "changed" else ""


def _is_same_run(preview: Result, row: Result) -> bool:
    return (
        (row.accuracy_target, row.scenario, row.unit)
        == (preview.accuracy_target, preview.scenario, preview.unit)
        and (not preview.system_type or bool(set(row.system_type) & set(preview.system_type)))
        and row.division == preview.division
    )


def _returned(preview: Result, rows: Iterable[Result]) -> Result | None:
    """The row it came back as: the first round that has one, the same count before another, the platform's own first."""
    candidates = [row for row in rows if _is_return(preview, row)]
    if not candidates:
        return None
    first = min(round_order(row.round) for row in candidates)
    found = [row for row in candidates if round_order(row.round) == first]
    for choice in (
        [row for row in found if _same_count(preview, row) and row.platform == preview.platform],
        [row for row in found if _same_count(preview, row)],
        found,
    ):
        if choice:
            return max(choice, key=lambda row: (_performance(preview, row) or 0.0, row.platform))
    return None


def _is_return(preview: Result, row: Result) -> bool:
    return (
        row.availability == AVAILABLE
        and _is_same_run(preview, row)
        and same_submitter(preview, row)
        and _same_machine(preview, row)
        and (preview.suite == "training" or _same_count(preview, row))
        and compatibility(preview, row).verdict != "changed"
    )


def _same_machine(preview: Result, row: Result) -> bool:
    """One kind of accelerator may come back under another platform's name; without accelerators the processor tells."""
    if preview.accelerators or row.accelerators:
        return preview.accelerators == row.accelerators
    return preview.platform == row.platform or (
        preview.processor is not None and preview.processor == row.processor
    )


def _same_count(preview: Result, row: Result) -> bool:
    return preview.accelerator_count == row.accelerator_count


def _performance(preview: Result, row: Result) -> float | None:
    """Returned over preview, dimensionless, over 1 is better; null if the preview had measured power and this has none."""
    figure = ratio(row, preview)
    if _watts(preview) is not None:
        before, after = _watts(preview), _watts(row)
        return figure * before / after if before and after else None
    smaller = (
        row.accelerator_count
        and preview.accelerator_count
        and row.accelerator_count < preview.accelerator_count
    )
    if preview.better == "lower" and smaller:
        return figure * (preview.accelerator_count or 0) / (row.accelerator_count or 1)
    return figure


def _watts(row: Result) -> float | None:
    """Measured watts, or energy a query, which normalise alike; null without measured power."""
    for figure in row.power:
        if figure.kind == "measured":
            return figure.value if is_energy(figure) else in_watts(figure)
    return None


def _order(promise: Promise) -> tuple[object, ...]:
    row = promise.preview
    return (
        row.suite,
        round_order(row.round),
        row.submitter,
        row.platform,
        row.benchmark,
        row.accuracy_target or "",
        scenario_order(row.scenario),
        row.key,
    )
