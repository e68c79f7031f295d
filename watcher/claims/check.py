"""A claim against the rows held: its verdict, the reading that bears it out, and the arithmetic.

Every verdict is a function of the claim and the rows alone; the order of rows does not matter. The like-for-like
figure always stands first in the evidence, also where another reading bears the claim out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher.claims.cited_rows import dated
from watcher.claims.compared import Comparison
from watcher.claims.single import check_absolute, check_power, check_rank, check_scaling
from watcher.claims.standing import ABSOLUTE, GAIN, POWER, RANKED, RATIO, SCALING
from watcher.claims.verdicts import (
    CONFIRMED,
    NOT_FOUND,
    NOT_MLPERF,
)
from watcher.domain import Claim, Result, Verdict

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

# What is claimed of something that no table holds: nothing to check it against, which is not the same as wrong.
UNHELD = {
    "performance_per_dollar": "the tables hold no prices",
    "performance_per_watt": "the tables hold no measured power for both sides",
    "accelerators_supported": "the tables held do not count supported accelerators",
    "wins": "wins are counted by the vendor, not by the tables",
    "ttft": "the tables hold no time to first token",
    "ttft_p99": "the tables hold no time to first token",
    "tpot": "the tables hold no time per output token",
}


def check(claim: Claim, results: Sequence[Result], *, catalog: Catalog) -> Verdict:
    """What a claim is worth against ``results`` (rows of any suites and rounds; those that are meant are chosen here)."""
    if claim.status == "not_mlperf":
        return Verdict(
            verdict=NOT_MLPERF, reason="another benchmark, or none: not checked against the tables"
        )
    if claim.unit in UNHELD:
        return Verdict(verdict=NOT_FOUND, reason=UNHELD[claim.unit])
    verdict = _by_kind(dated(claim, results), results, catalog)
    if claim.status in {"projected", "unverified"} and verdict.verdict != CONFIRMED:
        said = (
            "projected, not measured yet"
            if claim.status == "projected"
            else "unverified: not among the reviewed rows"
        )
        return replace(verdict, verdict=NOT_FOUND, reason=said)
    return verdict


def _by_kind(claim: Claim, results: Sequence[Result], catalog: Catalog) -> Verdict:
    if claim.kind == ABSOLUTE:
        return check_absolute(claim, results, catalog)
    if claim.kind == SCALING:
        return check_scaling(claim, results, catalog)
    if claim.kind == RANKED:
        return check_rank(claim, results, catalog)
    if claim.kind == POWER:
        return check_power(claim, results, catalog)
    if claim.kind in {RATIO, GAIN}:
        return Comparison(claim, results, catalog).verdict()
    return Verdict(verdict=NOT_FOUND, reason=f"{claim.kind!r} is no kind of claim that we check")
