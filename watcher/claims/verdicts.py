"""The words of verdicts, and what a set of evidence amounts to."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from watcher.claims.frame import suite_meant
from watcher.domain import Claim, Evidence, Result, Verdict

CONFIRMED, SOME, CONTRADICTED = "confirmed", "only_in_some_scenarios", "contradicted"
NOT_COMPARABLE, NOT_FOUND, NOT_MLPERF = "not_comparable", "not_found", "not_mlperf"
MAX_EVIDENCE = 24  # figures kept with a verdict


def alike(one: Verdict, other: Verdict) -> bool:
    """Tell whether two verdicts say the same; numbers of entries do not count, for a revision may count anew."""
    return one == other or _unnumbered(one) == _unnumbered(other)


def _unnumbered(verdict: Verdict) -> Verdict:
    evidence = (
        replace(each, rows=tuple(replace(row, entry=None) for row in each.rows)) for each in verdict.evidence
    )
    return replace(verdict, evidence=tuple(evidence))


def outcome(claim: Claim, evidence: Sequence[Evidence]) -> str | None:
    """Say confirmed or only_in_some_scenarios; null if no figure bears the claim out.

    A claim that names scenarios must hold in each of them. One that names none is met by its best figure where it
    says "up to", and must hold in every scenario with rows where it does not.
    """
    holding = {e.scenario for e in evidence if e.holds}
    if not holding:
        return None
    if claim.scenarios:
        return CONFIRMED if holding >= set(claim.scenarios) else SOME
    if claim.qualifier == "up_to" or all(e.holds for e in evidence):
        return CONFIRMED
    return SOME


def no_rows(claim: Claim, results: Sequence[Result], name: str, round: str | None) -> Verdict:
    """Say not_found, and what is missing: the round, the benchmark in it, or the system's row."""
    suite = suite_meant(claim)
    full = round or "any round"
    held = [row for row in results if row.suite == suite and round in (None, row.round)]
    if not held:
        return Verdict(verdict=NOT_FOUND, reason=f"no rows of {suite} {full} are held")
    if claim.benchmark is not None and not any(row.benchmark == claim.benchmark for row in held):
        return Verdict(verdict=NOT_FOUND, reason=f"no rows of {claim.benchmark} in {suite} {full}")
    where = f" {' or '.join(claim.scenarios)}" if claim.scenarios else ""
    return Verdict(verdict=NOT_FOUND, reason=f"no{where} row of {name} in {suite} {full}")
