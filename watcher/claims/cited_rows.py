"""The rows of the entries that a text names, and what is said where they are no pair of its two systems."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from watcher.claims.frame import suite_meant
from watcher.claims.sides import Side, rows_of
from watcher.domain import Claim, Result
from watcher.figures.selectors import submitted_by

MAX_TOLD = 4  # entries that a reason speaks of


def dated(claim: Claim, results: Sequence[Result]) -> Claim:
    """The claim with the round that its entries are of, where the text names no other and one of them is held."""
    rounds = {entry.partition("-")[0] for entry in claim.entries}
    if claim.round or claim.baseline_round or len(rounds) != 1:
        return claim
    named, suite = frozenset(claim.entries), suite_meant(claim)
    held = any(row.suite == suite and row.entry in named for row in results)
    prefix = "" if suite == "inference" else f"{suite}-"
    return replace(claim, round=f"{prefix}v{rounds.pop()}") if held else claim


def cited(claim: Claim, side: Side, results: Sequence[Result]) -> list[Result]:
    """The rows of one side among the entries that the claim names, of any division that the text does not exclude.

    A number alone makes no row the side's own: by another revision of the table it may be another system's.
    """
    side = side.at_any_count() if claim.per_accelerator else side
    named = frozenset(claim.entries)
    return [
        row
        for row in side.rows(rows_of(results, claim, side.round))
        if row.entry in named
        and claim.division in (None, row.division)
        and (side.submitter is None or submitted_by(row, side.submitter))
    ]


def no_pair(claim: Claim, subject: Side, baseline: Side, results: Sequence[Result]) -> str:
    """Why the entries that a claim names are no pair of its systems: not held, or other systems' as numbered here."""
    suite = suite_meant(claim)
    held: dict[str, Result] = {}
    numbered = set()
    for row in results:
        if row.suite == suite and row.entry is not None:
            numbered.add(row.entry.partition("-")[0])
            if claim.benchmark in (None, row.benchmark):
                held.setdefault(row.entry, row)
    said = [_told(entry, held.get(entry), claim, numbered) for entry in claim.entries[:MAX_TOLD]]
    more = f", and {len(claim.entries) - MAX_TOLD} more" if len(claim.entries) > MAX_TOLD else ""
    return (
        f"the entries that the text names are no pair of {subject.name} and {baseline.name} in the rows held: "
        f"{', '.join(said)}{more}"
    )


def _told(entry: str, row: Result | None, claim: Claim, numbered: set[str]) -> str:
    if row is not None:
        count = f"{row.accelerator_count}x " if row.accelerator_count else ""
        return f"{entry} is {row.submitter}'s {count}{row.accelerator or row.system_name or row.platform}"
    if entry.partition("-")[0] not in numbered:
        return f"{entry} is of a round of which no numbers are held"
    return f"{entry} has no row" + (f" of {claim.benchmark}" if claim.benchmark else "")
