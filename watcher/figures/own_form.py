"""Figures that MLPerf does not publish (rank, promise, cost) as JSON values; values are never rounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watcher.figures.cost import BreakEven, Cost, LimitRatio, Range
from watcher.figures.json_form import comparison_form, side_form
from watcher.figures.promises import Promise
from watcher.figures.rank import Rank

JSON = Mapping[str, Any]


def rank_form(rank: Rank) -> JSON:
    """One rank; ratios over 1 mean that the row is better, also for latencies."""
    row = rank.result
    return {
        "suite": row.suite,
        "round": row.round,
        "benchmark": row.benchmark,
        "accuracy_target": row.accuracy_target,
        "scenario": row.scenario,
        "division": row.division,
        "system_type": rank.system_type,
        "place": rank.place,
        "of": rank.of,
        "result": side_form(row),
        "best": side_form(rank.best),
        "median": rank.median,
        "vendor": None if rank.vendor is None else side_form(rank.vendor),
        "to_best": rank.to_best,
        "to_median": rank.to_median,
        "to_vendor": rank.to_vendor,
        "ahead": [other.submitter for other in rank.ahead],
        "care": list(rank.care),
    }


def promise_form(promise: Promise) -> JSON:
    """One promise with what became of it; ``earliest`` is a date."""
    row = promise.preview
    return {
        "suite": row.suite,
        "submitter": row.submitter,
        "benchmark": row.benchmark,
        "accuracy_target": row.accuracy_target,
        "scenario": row.scenario,
        "division": row.division,
        "outcome": promise.outcome,
        "preview": side_form(row),
        "floor": promise.floor,
        "unit": row.unit,
        "earliest": None if promise.earliest is None else promise.earliest.isoformat(),
        "due": promise.due,
        "returned": None if promise.returned is None else side_form(promise.returned),
        "ratio": promise.ratio,
        "reason": promise.reason,
    }


def cost_form(cost: Cost) -> JSON:
    """One cost; ranges are ``[low, high]``."""
    row = cost.result
    return {
        "system": str(cost.prices.system),
        "suite": row.suite,
        "round": row.round,
        "benchmark": row.benchmark,
        "accuracy_target": row.accuracy_target,
        "scenario": row.scenario,
        "division": row.division,
        "currency": cost.prices.currency or None,
        "counted": cost.counted,
        "per_million": _range(cost.per_million),
        "per_joule": _range(cost.per_joule),
        "watts": _range(cost.watts),
        "power_kind": cost.power_kind,
        "result": side_form(row),
        "missing": list(cost.missing),
        "care": list(cost.care),
    }


def break_even_form(item: BreakEven, limit: LimitRatio | None = None) -> JSON:
    """How many baseline systems a subject is worth; ``per_limit_watt`` only where it was asked for."""
    form = {
        **comparison_form(item.comparison),
        "systems": item.systems,
        "accelerators": item.accelerators,
    }
    if limit is not None:
        form["per_limit_watt"] = {"ratio": limit.ratio, "note": limit.note}
    return form


def _range(found: Range | None) -> list[float] | None:
    return None if found is None else [found.low, found.high]
