"""Claims against the rows, one line each: a sign, what was said, what the rows say."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain import CheckedClaim, Claim, Evidence
from watcher.figures.words import number
from watcher.render import words

SIGNS = {
    "confirmed": "✓",
    "only_in_some_scenarios": "◐",
    "contradicted": "✗",
    "not_comparable": "≠",
    "not_found": "?",
    "not_mlperf": "–",
}
MEANINGS = {
    "confirmed": "borne out",
    "only_in_some_scenarios": "only in some scenarios",
    "contradicted": "not borne out",
    "not_comparable": "not comparable",
    "not_found": "no row to check it against",
    "not_mlperf": "not an MLPerf figure",
}
REASONS = {
    "other_count": "not at the same count",
    "other_round": "not in the same round",
    "other_division": "not in the same division",
    "availability": "not of the same availability",
    "benchmark_changed": "the benchmark changed between the rounds",
}
_READINGS = {"footnote_entries": "by the entries that the text names"}
_QUALIFIERS = {"up_to": "up to ", "over": "over ", "about": "about ", "exact": ""}


def line(checked: CheckedClaim) -> str:
    """Return one claim with its verdict: '◐ "up to 3.7x" on Qwen3-VL: Interactive only (3.74x); Server 1.92x'."""
    sign = SIGNS.get(checked.verdict.verdict, "·")
    return f"{sign} {said(checked.claim)}: {found(checked)}"


def said(claim: Claim) -> str:
    """Return what was said, short: the figure in quotation marks, on what, and in which scenarios if it says so."""
    on = f" on {words.title('benchmark', claim.benchmark)}" if claim.benchmark else ""
    scenarios = f", {words.joined(claim.scenarios)}" if claim.scenarios else ""
    return f'"{figure(claim)}"{on}{scenarios}'


def figure(claim: Claim) -> str:
    """Return the claimed figure in words: "up to 3.7x", "80–85 %", "over 1,046,150 tokens/s"."""
    if claim.kind == "rank_or_first":
        return words.capital(claim.quote[:80] or "first")
    numbers = _number(claim.value, claim)
    if claim.value_max is not None:
        numbers += f"–{_number(claim.value_max, claim)}"
    return f"{_QUALIFIERS.get(claim.qualifier or '', '')}{numbers}{_unit(claim)}"


def found(checked: CheckedClaim) -> str:
    """Return what the rows say of it."""
    verdict, claim = checked.verdict, checked.claim
    evidence = [one for one in verdict.evidence if one.reading == verdict.reading] or list(verdict.evidence)
    holding = [_evidence(one, claim) for one in evidence if one.holds and one.figure is not None]
    others = [_evidence(one, claim) for one in evidence if not one.holds and one.figure is not None]
    if verdict.verdict == "confirmed":
        return words.joined(holding, limit=4) or MEANINGS["confirmed"]
    if verdict.verdict == "only_in_some_scenarios":
        rest = f"; elsewhere {words.joined(others, limit=4)}" if others else ""
        return f"{words.joined(holding, limit=4) or 'some scenarios'} only{rest}"
    if verdict.verdict == "contradicted":
        return f"no row reaches it: {words.joined(others, limit=4)}" if others else MEANINGS["contradicted"]
    if verdict.verdict == "not_comparable" and holding:
        return _reached_elsewhere(checked, holding)
    meaning = MEANINGS.get(verdict.verdict, verdict.verdict)
    return f"{meaning}: {verdict.reason}" if verdict.reason else meaning


def _reached_elsewhere(checked: CheckedClaim, holding: Sequence[str]) -> str:
    """Say that another pair of rows bears the figure out, and what the like-for-like pair gives beside it."""
    verdict, claim = checked.verdict, checked.claim
    alike = [one for one in verdict.evidence if one.reading == "system" and one.figure is not None]
    best = max(alike, key=lambda one: one.figure or 0.0, default=None)
    beside = (
        f"like for like at best {_evidence(best, claim)}; " if best is not None else "no like-for-like pair; "
    )
    reading = _READINGS.get(verdict.reading or "", (verdict.reading or "other rows").replace("_", " "))
    reason = REASONS.get(verdict.reason or "", verdict.reason or "")
    return f"{beside}{reading} it is reached, {reason}: {words.joined(holding, limit=4)}"


def tally(claims: Sequence[CheckedClaim]) -> str:
    """Return the verdicts counted, the most telling first: "1 borne out, 3 only in some scenarios"."""
    counts = {name: sum(1 for one in claims if one.verdict.verdict == name) for name in MEANINGS}
    return ", ".join(f"{count} {MEANINGS[name]}" for name, count in counts.items() if count)


def _evidence(one: Evidence, claim: Claim) -> str:
    shown = f"{_measured(one.figure or 0.0, claim)}{_unit(claim)}"
    benchmark = words.benchmark(one.rows[0]) if claim.benchmark is None and one.rows else ""
    return " ".join(part for part in (benchmark, one.scenario, shown) if part)


def _number(value: float, claim: Claim) -> str:
    return f"{value:,.{claim.decimals}f}" if claim.decimals else number(value)


def _measured(value: float, claim: Claim) -> str:
    """Return a figure of the rows with one digit more than was claimed, so that rounding shows."""
    if claim.kind in {"ratio", "percent_gain", "scaling_efficiency"}:
        return f"{value:,.{max(claim.decimals + 1, 1)}f}"
    return number(value)


def _unit(claim: Claim) -> str:
    if claim.kind in {"percent_gain", "scaling_efficiency"}:
        return " %"
    if claim.kind == "ratio":
        return "x"
    return f" {claim.unit}" if claim.unit else ""
