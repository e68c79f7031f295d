"""A ratio whose two values stand in the text: the systems and rounds that the values have are the ratio's too."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from watcher.claims.standing import GAIN, RATIO
from watcher.claims.units import DURATIONS
from watcher.domain import Claim

MAX_SAVED = 95  # percent of a time


def paired(claim: Claim, values: Sequence[Claim]) -> Claim:
    """A comparison with the systems and rounds of the two of ``values`` whose quotient it is; as it was if there are none."""
    wanted = claim.value if claim.kind == RATIO else 1 + claim.value / 100
    decimals = claim.decimals + (2 if claim.kind == GAIN else 0)
    pair = quotient_of(wanted, decimals, values, claim.qualifier)
    if pair is None and claim.kind == GAIN and claim.unit == "latency" and claim.value < MAX_SAVED:
        pair = quotient_of(1 / (1 - claim.value / 100), decimals, values, claim.qualifier)  # "a cut of 17%"
    if pair is None:
        return claim
    better, other = pair
    same = better.subject_system == other.subject_system
    return replace(
        claim,
        subject_system=better.subject_system,
        baseline_system=other.subject_system,
        round=better.round,
        baseline_round=other.round if same and other.round != better.round else None,
        accelerator_count=better.accelerator_count,
        baseline_accelerator_count=other.accelerator_count,
        submitter=better.submitter,
        baseline_submitter=other.submitter,
    )


def in_scenario(claim: Claim, values: Sequence[Claim]) -> Claim:
    """A comparison without a scenario in the one in which its two systems' values have it as their quotient.

    As in "MI355X: 13,027.7 samples/s Offline. MI350X: 10,891.1 samples/s Offline. MI355X is thus 20% faster."; as it was where several have.
    """
    wanted = claim.value if claim.kind == RATIO else 1 + claim.value / 100
    decimals = claim.decimals + (2 if claim.kind == GAIN else 0)
    told = [v for v in values if len(v.scenarios) == 1 and v.subject_system in _sides(claim)]
    found = [
        scenarios
        for scenarios in dict.fromkeys(v.scenarios for v in told)
        if (
            pair := quotient_of(
                wanted, decimals, [v for v in told if v.scenarios == scenarios], claim.qualifier
            )
        )
        and tuple(v.subject_system for v in pair) == _sides(claim)
    ]
    return replace(claim, scenarios=found[0]) if len(found) == 1 else claim


def _sides(claim: Claim) -> tuple[str | None, str | None]:
    return claim.subject_system, claim.baseline_system


def says_more(exact: Claim, vague: Claim) -> bool:
    """Whether an exact ratio is the one that a vague one ("more than doubles", "nearly triples") speaks of."""
    if vague.kind != RATIO or exact.benchmark != vague.benchmark:
        return False
    if (exact.subject_system, exact.baseline_system) != (vague.subject_system, vague.baseline_system):
        return False
    if exact.scenarios and vague.scenarios and exact.scenarios != vague.scenarios:
        return False
    high = 1.5 if vague.qualifier == "over" else 1.0
    low = 1.0 if vague.qualifier == "over" else 0.85
    return low * vague.value <= exact.value <= high * vague.value


def quotient_of(
    wanted: float, decimals: int, claims: Sequence[Claim], qualifier: str | None = None
) -> tuple[Claim, Claim] | None:
    """The two absolute claims, the one that is measured first, whose quotient prints as ``wanted``; null if there are none.

    The first is the better one, but for a share below 1 ("97.6%").
    """
    slack = 0.5 * 10.0**-decimals + 0.006
    low, high = wanted - slack, wanted + slack
    if qualifier == "over":
        high = wanted * 1.5
    elif qualifier == "about":
        low, high = wanted * 0.9, wanted * 1.1
    for one in claims:
        for other in claims:
            if one is other or not one.value or not other.value or one.unit != other.unit:
                continue
            quotient = other.value / one.value if one.unit in DURATIONS else one.value / other.value
            if (quotient >= 1 or wanted < 1) and low <= quotient <= high:
                return one, other
    return None
