"""Figures as JSON values, with exactly the field names of the command line's documents; values are never rounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from watcher.domain import Comparison, Gain, NotComparable, Power, Record, Result, Scaling
from watcher.figures.power import PowerFigure
from watcher.figures.records import figure

JSON = Mapping[str, Any]

_RESULT_FIELDS = Result.__struct_fields__


def result_form(result: Result) -> JSON:
    """All canonical fields of a result, and ``value_per_accelerator``; tuples become lists, times ISO text."""
    form = {name: _plain(getattr(result, name)) for name in _RESULT_FIELDS}
    return {**form, "value_per_accelerator": result.value_per_accelerator}


def results_form(results: Iterable[Result]) -> JSON:
    """``results``: how many, and each with its canonical fields."""
    rows = [result_form(result) for result in results]
    return {"count": len(rows), "results": rows}


def side_form(result: Result) -> JSON:
    """One side of a figure: whose row it is, what it ran on, and the number."""
    return {
        "submitter": result.submitter,
        "platform": result.platform,
        "system": result.system,
        "accelerator": result.accelerator,
        "round": result.round,
        "availability": result.availability,
        "accelerator_count": result.accelerator_count,
        "value": result.value,
        "value_per_accelerator": result.value_per_accelerator,
        "unit": result.unit,
        "software": list(result.software),
        "software_published": result.software_published,
        "precision": list(result.precision),
        "accelerator_power_limit_watts": result.accelerator_power_limit_watts,
        "url": result.url,
    }


def comparison_form(comparison: Comparison) -> JSON:
    """One comparison; ``ratio`` over 1 means that the subject is better, also for latencies."""
    subject = comparison.subject
    return {
        "suite": subject.suite,
        "benchmark": subject.benchmark,
        "accuracy_target": subject.accuracy_target,
        "scenario": subject.scenario,
        "division": subject.division,
        "system_type": comparison.system_type,
        "subject": side_form(subject),
        "baseline": side_form(comparison.baseline),
        "ratio": comparison.ratio,
        "per_accelerator_ratio": comparison.per_accelerator_ratio,
        "better": subject.better,
        "differs": list(comparison.differs),
        "care": list(comparison.care),
    }


def not_comparable_form(cell: NotComparable) -> JSON:
    """One cell that cannot be compared, with its reason."""
    return {
        "benchmark": cell.benchmark,
        "scenario": cell.scenario,
        "reason": cell.reason,
        "accuracy_target": cell.accuracy_target,
        "division": cell.division,
        "system_type": cell.system_type,
    }


def compare_form(comparisons: Iterable[Comparison], refused: Iterable[NotComparable]) -> JSON:
    """``compare``: the comparisons, and what cannot be compared."""
    return {
        "comparisons": [comparison_form(item) for item in comparisons],
        "not_comparable": [not_comparable_form(item) for item in refused],
    }


def scaling_form(scaling: Scaling) -> JSON:
    """One scaling; ``efficiency`` is dimensionless, ``accelerators_lost`` in accelerators."""
    large = scaling.large
    return {
        "suite": large.suite,
        "submitter": large.submitter,
        "accelerator": large.accelerator,
        "benchmark": large.benchmark,
        "accuracy_target": large.accuracy_target,
        "scenario": large.scenario,
        "division": large.division,
        "round": large.round,
        "unit": large.unit,
        "small": _size_form(scaling.small),
        "large": _size_form(large),
        "efficiency": scaling.efficiency,
        "accelerators_lost": scaling.accelerators_lost,
        "quoted": scaling.quoted,
        "care": list(scaling.care),
    }


def scalings_form(scalings: Iterable[Scaling]) -> JSON:
    """``scaling``: every pair of counts."""
    return {"scaling": [scaling_form(item) for item in scalings]}


def gain_form(gain: Gain) -> JSON:
    """One gain; ``ratio`` over 1 means that the later round is better."""
    after = gain.after
    return {
        "match": gain.match,
        "suite": after.suite,
        "submitter": after.submitter,
        "benchmark": after.benchmark,
        "accuracy_target": after.accuracy_target,
        "scenario": after.scenario,
        "division": after.division,
        "before": side_form(gain.before),
        "after": side_form(after),
        "ratio": gain.ratio,
        "care": list(gain.care),
    }


def gains_form(gains: Iterable[Gain]) -> JSON:
    """``gains``: both matches, told apart by ``match``."""
    return {"gains": [gain_form(item) for item in gains]}


def record_form(record: Record) -> JSON:
    """One record; ``value`` is what holds it, per accelerator where that is the basis."""
    best = record.best
    return {
        "basis": record.basis,
        "suite": best.suite,
        "benchmark": best.benchmark,
        "accuracy_target": best.accuracy_target,
        "scenario": best.scenario,
        "division": best.division,
        "system_type": list(best.system_type),
        "value": figure(record),
        "best": side_form(best),
        "before": None if record.before is None else side_form(record.before),
        "since": record.since,
        "care": list(record.care),
    }


def records_form(records: Iterable[Record]) -> JSON:
    """``records``: of both bases."""
    return {"records": [record_form(item) for item in records]}


def power_figure_form(power: PowerFigure) -> JSON:
    """One power figure as published, and what it gives (null where nothing can be derived)."""
    row = power.result
    return {
        "kind": power.kind,
        "power": _plain(power.power),
        "value": power.value,
        "unit": power.unit,
        "better": power.better,
        "benchmark": row.benchmark,
        "accuracy_target": row.accuracy_target,
        "scenario": row.scenario,
        "division": row.division,
        "result": side_form(row),
    }


def power_form(figures: Iterable[PowerFigure], limits: Iterable[Result]) -> JSON:
    """``power``: published figures by kind; apart, rows whose notes state a limit of one accelerator (not a power)."""
    return {
        "power": [power_figure_form(item) for item in figures],
        "accelerator_power_limits": [side_form(row) for row in limits],
    }


def _size_form(result: Result) -> JSON:
    return {
        "accelerator_count": result.accelerator_count,
        "value": result.value,
        "platform": result.platform,
        "system": result.system,
        "url": result.url,
    }


def _plain(value: Any) -> Any:
    """Turn a canonical value into one that JSON has."""
    if isinstance(value, Power):
        return {"kind": value.kind, "value": value.value, "unit": value.unit}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value
