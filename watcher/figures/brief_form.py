"""A brief as JSON values; values are never rounded, null where something is not known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from watcher.domain import Result
from watcher.figures.attendance import Attendance, Tally
from watcher.figures.brief import Brief
from watcher.figures.cells import Cell
from watcher.figures.flagships import Generation
from watcher.figures.json_form import (
    comparison_form,
    gain_form,
    not_comparable_form,
    record_form,
    result_form,
    side_form,
)
from watcher.figures.own_form import promise_form
from watcher.figures.standouts import GainSpan, Leader, Spread

JSON = Mapping[str, Any]


def brief_form(brief: Brief) -> JSON:
    """All facts of a brief but its claims, which have a form of their own."""
    return {
        "suite": brief.suite,
        "round": brief.round,
        "before": brief.before,
        "history": list(brief.history),
        "not_held": list(brief.skipped),
        "only": brief.narrowed,
        "embargo": brief.embargo,
        "results": _tally(brief.results),
        "submitters": _tally(brief.submitters),
        "organisations": _tally(brief.organisations),
        "kinds": [_tally(one) for one in brief.kinds],
        "availability": [_tally(one) for one in brief.availabilities],
        "preview": [result_form(row) for row in brief.previews],
        "attendance": [_attendance(one) for one in brief.attendance],
        "coverage": {
            "vendors": list(brief.coverage.vendors),
            "benchmarks": [{"benchmark": name, "rows": list(counts)} for name, counts in brief.coverage.rows],
        },
        "flagships": [
            {
                "vendor": one.vendor,
                "accelerator": one.accelerator,
                "available": one.available,
                "predecessor": one.predecessor,
            }
            for one in brief.flagships
        ],
        "generations": [_generation(one) for one in brief.generations],
        "leaders": [_leader(one) for one in brief.leaders],
        "spreads": [_spread(one) for one in brief.spreads],
        "records_beaten": [record_form(one) for one in brief.beaten],
        "records_standing": [record_form(one) for one in brief.standing],
        "first_results": brief.first_results,
        "gains": [_span(one) for one in brief.gains],
        "losses": [_span(one) for one in brief.losses],
        "measured_power": [result_form(row) for row in brief.measured],
        "measured_power_before": [
            {"round": one.round, "rows": one.rows, "organisations": list(one.organisations)}
            for one in brief.measured_before
        ],
        "accelerator_power_limits": [
            {"accelerator": one.accelerator, "watts": one.watts, "rows": one.rows} for one in brief.limits
        ],
        "promised": [promise_form(one) for one in brief.promised],
        "due": [promise_form(one) for one in brief.due],
        "care": list(brief.care),
    }


def rows_form(rows: Iterable[Result]) -> list[JSON]:
    """Short forms of rows."""
    return [side_form(row) for row in rows]


def _tally(tally: Tally) -> JSON:
    return {"name": tally.name, "now": tally.now, "before": tally.before}


def _attendance(one: Attendance) -> JSON:
    return {
        "kind": one.kind,
        "first": list(one.first),
        "back": [{"name": back.name, "last": back.last} for back in one.back],
        "absent": list(one.absent),
    }


def _generation(one: Generation) -> JSON:
    return {
        "accelerator": one.flagship.accelerator,
        "predecessor": one.flagship.predecessor,
        "submitter": one.submitter,
        "accelerator_count": one.count,
        "comparisons": [comparison_form(pair) for pair in one.comparisons],
        "not_comparable": [not_comparable_form(cell) for cell in one.not_comparable],
        "over_anyone": [comparison_form(pair) for pair in one.anyone],
        "others": rows_form(one.others),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "benchmark": cell.benchmark,
        "accuracy_target": cell.accuracy_target,
        "scenario": cell.scenario,
        "division": cell.division,
        "system_type": cell.system_type,
    }


def _leader(one: Leader) -> JSON:
    return {
        **_cell(one.cell),
        "largest": side_form(one.largest),
        "per_accelerator": None if one.each is None else side_form(one.each),
        "over_vendor": None if one.over is None else comparison_form(one.over),
    }


def _spread(one: Spread) -> JSON:
    return {
        **_cell(one.cell),
        "accelerator": one.high.accelerator,
        "accelerator_count": one.high.accelerator_count,
        "low": side_form(one.low),
        "high": side_form(one.high),
        "rows": one.rows,
        "submitters": one.submitters,
        "ratio": one.ratio,
    }


def _span(one: GainSpan) -> JSON:
    return {
        "low": one.low,
        "high": one.high,
        "far": one.far,
        "gains": [gain_form(gain) for gain in one.gains],
        "care": list(one.care),
    }
