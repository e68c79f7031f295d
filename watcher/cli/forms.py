"""JSON forms that several commands share: a figure of any kind, a claim with its verdict."""

from __future__ import annotations

from typing import Any

from watcher.domain import CheckedClaim, Comparison, Gain, Promise, Rank, Record, Scaling
from watcher.figures.json_form import comparison_form, gain_form, record_form, result_form, scaling_form

Figure = Comparison | Scaling | Gain | Record | Rank | Promise | CheckedClaim
CLAIM_FIELDS = (
    "kind", "value", "value_max", "qualifier", "subject_system", "baseline_system", "benchmark", "scenarios", "software",
    "precision", "round", "baseline_round", "per_accelerator", "unit", "status", "quote",
)  # fmt: skip
FURTHER_CLAIM_FIELDS = (
    "decimals", "rounding", "submitter", "accelerator_count", "baseline_submitter", "baseline_accelerator_count", "division",
    "place", "entries",
)  # fmt: skip
"""Without these a claim that is read back from its JSON form could get another verdict: "3.0x" is no "3x"."""


def figure_form(figure: Figure) -> dict[str, Any]:
    """Return a figure with the kind that it is."""
    if isinstance(figure, Comparison):
        return {"figure": "comparison", **comparison_form(figure)}
    if isinstance(figure, Scaling):
        return {"figure": "scaling", **scaling_form(figure)}
    if isinstance(figure, Gain):
        return {"figure": "gain", **gain_form(figure)}
    if isinstance(figure, Record):
        return {"figure": "record", **record_form(figure)}
    if isinstance(figure, Rank | Promise):
        from watcher.figures.own_form import promise_form, rank_form  # noqa: PLC0415 - of few alerts

        if isinstance(figure, Rank):
            return {"figure": "rank", **rank_form(figure)}
        return {"figure": "promise", **promise_form(figure)}
    return {"figure": "claim", **checked_form(figure)}


def claim_form(claim: Any) -> dict[str, Any]:
    """Return a claim in the vocabulary of docs/claims.md."""
    values = ((name, getattr(claim, name)) for name in (*CLAIM_FIELDS, *FURTHER_CLAIM_FIELDS))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def checked_form(checked: CheckedClaim) -> dict[str, Any]:
    """Return a claim with its verdict and evidence."""
    verdict = checked.verdict
    return {
        "number": checked.number,
        "vendor": checked.vendor,
        "post_title": checked.post_title,
        "post_url": checked.post_url,
        **claim_form(checked.claim),
        "verdict": verdict.verdict,
        "reading": verdict.reading,
        "reason": verdict.reason,
        "evidence": [
            {
                "scenario": each.scenario,
                "reading": each.reading,
                "figure": each.figure,
                "holds": each.holds,
                "arithmetic": each.arithmetic,
                "rows": [result_form(row) for row in each.rows],
            }
            for each in verdict.evidence
        ],
    }
