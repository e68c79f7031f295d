"""One claim for each number and meaning: what a headline, summary or later sentence repeats is not claimed again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from watcher.claims.frame import Draft
from watcher.claims.standing import ABSOLUTE
from watcher.domain import Claim

MAX_VALUES = 200  # values that a further one is compared with, to find its rounding
MIN_FINE = 6  # digits of a value that no two systems share
MAX_ALIKE = 50  # claims of one kind and value that a further one is compared with
_FILLED = (
    "subject_system",
    "baseline_system",
    "benchmark",
    "round",
    "baseline_round",
    "per_accelerator",
    "unit",
    "submitter",
    "accelerator_count",
    "division",
)


def merged(drafts: Sequence[Draft]) -> list[Claim]:
    """The claims of a post, each once, in the order of its first telling in the body."""
    kept: dict[tuple[str, float], list[Draft]] = {}
    values: list[Draft] = []
    for draft in sorted(drafts, key=lambda d: (d.heading, d.order)):
        alike = kept.setdefault((draft.claim.kind, draft.claim.value), [])
        same = next((other for other in alike[:MAX_ALIKE] if _repeats(draft, other)), None)
        same = same or next((other for other in values[:MAX_VALUES] if _rounds(draft, other)), None)
        if same is None:
            alike.append(draft)
            if draft.claim.kind == ABSOLUTE:
                values.append(draft)
        elif _is_coarser(same.claim, draft.claim):
            same.claim = _fuller(
                replace(draft.claim, quote=same.claim.quote, place=same.claim.place), same.claim
            )
        else:
            same.claim = _fuller(same.claim, draft.claim)
    told = [draft for alike in kept.values() for draft in alike]
    return [draft.claim for draft in sorted(told, key=lambda d: d.order)]


def _repeats(later: Draft, earlier: Draft) -> bool:
    """Whether a claim of the same kind and value says no more than an earlier one, and contradicts it in nothing."""
    one, other = later.claim, earlier.claim
    if (one.value_max, one.status) != (other.value_max, other.status):
        return False
    if one.value != other.value and set(one.scenarios) != set(other.scenarios) and not later.heading:
        return False
    if one.submitter and other.submitter and one.submitter != other.submitter:
        return False
    if not (
        _agree(one.benchmark, other.benchmark)
        and _agree(one.unit, other.unit)
        and _agree(one.round, other.round)
    ):
        return False
    if not (
        (
            _same_system(one.subject_system, other.subject_system)
            or _same_owner(later, earlier)
            or _same_value(later, earlier)
        )
        and _same_system(one.baseline_system, other.baseline_system)
    ):
        return False
    if later.heading:
        return True
    wider = (
        not one.scenarios
        or not other.scenarios
        or set(one.scenarios) <= set(other.scenarios)
        or set(other.scenarios) <= set(one.scenarios)
    )
    return wider and _agree(one.per_accelerator, other.per_accelerator)


def _rounds(later: Draft, earlier: Draft) -> bool:
    """Whether one of two values is the other one rounded: "61.2k" in the summary, 61,205.6 in the table."""
    one, other = later.claim, earlier.claim
    if one.kind != ABSOLUTE or _coarse(one) == _coarse(other):
        return False
    rough, fine = (one, other) if _coarse(one) > _coarse(other) else (other, one)
    near = abs(rough.value - fine.value) < 0.5 * _coarse(rough)
    over = later.heading and one.qualifier == "over" and one.value <= other.value <= 1.2 * one.value
    return (near or over) and one.benchmark is not None and _repeats(later, earlier)


def _is_coarser(kept: Claim, repeated: Claim) -> bool:
    return kept.kind == ABSOLUTE and kept.value != repeated.value and _coarse(kept) > _coarse(repeated)


def _coarse(claim: Claim) -> float:
    """The unit of a value's last printed digit."""
    return claim.rounding or 10.0**-claim.decimals


def _agree(one: object, other: object) -> bool:
    return one is None or other is None or one == other


def _same_system(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return True
    short, long = sorted((_letters(one), _letters(other)), key=len)
    return short in long


def _same_owner(heading: Draft, body: Draft) -> bool:
    """As in "CoreWeave has the quickest rack" above a text about CoreWeave's GB300: a headline calls a system by its owner."""
    one, other = heading.claim, body.claim
    return (
        heading.heading
        and one.subject_system is not None
        and other.submitter is not None
        and _same_system(one.subject_system, other.submitter)
    )


def _same_value(later: Draft, earlier: Draft) -> bool:
    """As in "Server with eight B300 reaches 72,445.1" and "the G894 delivered 72,445.1": too fine a value to be two systems'."""
    one, other = later.claim, earlier.claim
    alike = one.kind == ABSOLUTE and one.value == other.value and one.rounding is None
    return alike and len(f"{one.value:.10g}".replace(".", "").rstrip("0")) >= MIN_FINE


def _letters(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _fuller(kept: Claim, repeated: Claim) -> Claim:
    """The kept claim with what only its repetition says."""
    found = {
        name: getattr(repeated, name)
        for name in _FILLED
        if getattr(kept, name) is None and getattr(repeated, name) is not None
    }
    if not kept.scenarios and repeated.scenarios and kept.qualifier == repeated.qualifier:
        found["scenarios"] = repeated.scenarios
    if repeated.entries and not kept.entries:
        found["entries"] = repeated.entries
    if _is_bare(kept.subject_system) and repeated.subject_system and not _is_bare(repeated.subject_system):
        found["subject_system"] = repeated.subject_system  # a server rather than what is in it
    return replace(kept, **found) if found else kept


def _is_bare(system: str | None) -> bool:
    """Whether a system is named by its accelerators alone: "8x B300"."""
    return system is not None and re.match(r"\d+x ", system) is not None
