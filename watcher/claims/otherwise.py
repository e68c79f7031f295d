"""Where a value stands that no row of its system bears out, and what that makes of the claim.

A text speaks of several machines at once, and whose a value is may be read wrongly: the value is then looked for
beside the system's own rows before the claim is called wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher.claims.frame import suite_meant
from watcher.claims.lexicon import lexicon
from watcher.claims.pairs import PER_ACCELERATOR, SYSTEM
from watcher.claims.printed import bears_out
from watcher.claims.sides import Side, family_of, rack_of
from watcher.claims.tokens import tokens_of
from watcher.claims.told import ANY_DIGITS, MIN_DIGITS, Told, told
from watcher.claims.verdicts import CONFIRMED, MAX_EVIDENCE, NOT_COMPARABLE, NOT_FOUND
from watcher.domain import Claim, Evidence, Result, Verdict
from watcher.figures.cells import scenario_order, usable
from watcher.figures.selectors import fold, submitted_by
from watcher.figures.words import number, who

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog


def otherwise(claim: Claim, side: Side | None, results: Sequence[Result], catalog: Catalog) -> Verdict | None:
    """What is said of a value that no row of ``side`` has; null where it stands nowhere else, or plainly under another label."""
    round_number = claim.round.rpartition("-")[2] if claim.round else None
    if side is None or digits_of(claim) < MIN_DIGITS:
        return None
    suite = suite_meant(claim)
    held = [
        row
        for row in results
        if row.suite == suite
        and usable(row)
        and claim.benchmark in (None, row.benchmark)
        and (not claim.scenarios or row.scenario in claim.scenarios)
        and claim.division in (None, row.division)
    ]
    now = [row for row in held if row.round == (round_number or row.round)]
    past = [row for row in held if row.round != (round_number or row.round)]
    said = told(claim, catalog)
    return (
        _of_family(claim, now, catalog)
        or _at_another_count(claim, side, now, said, rack_of(side.name, catalog))
        or _in_another_round(claim, side, past)
        or _of_another(claim, side, now, past, said, catalog)
    )


def digits_of(claim: Claim) -> int:
    """How many digits a value is printed with, trailing zeros left out."""
    return len(f"{claim.value:.10g}".replace(".", "").strip("0"))


def elsewhere(claim: Claim, held: Iterable[Result]) -> Result | None:
    """The row under another label that the very value is of, if it is printed with enough digits to tell."""
    if digits_of(claim) < ANY_DIGITS:
        return None
    return min(
        (row for row in held if _bears(claim, row)),
        key=lambda row: (scenario_order(row.scenario), row.platform, row.submitter),
        default=None,
    )


def of_another(row: Result) -> str:
    """Whose the value is, in words."""
    return f"the value is that of {who(row)}, {row.scenario}"


def _bears(claim: Claim, row: Result) -> bool:
    return _figure(claim, row) is not None


def _figure(claim: Claim, row: Result) -> float | None:
    """The row's value, else, unless the text speaks of totals, its value per accelerator, if it prints as the claim's."""
    exact = replace(claim, qualifier=claim.qualifier if claim.qualifier == "about" else "exact")
    total, each = row.value, row.value_per_accelerator
    values = [each] if claim.per_accelerator else [total] if claim.per_accelerator is False else [total, each]
    return next((value for value in values if value is not None and bears_out(exact, value)), None)


def _of_family(claim: Claim, now: Sequence[Result], catalog: Catalog) -> Verdict | None:
    """All that a generation's name is said of: Blackwell Ultra is Blackwell too."""
    meant = family_of(claim.subject_system, catalog)
    return _verdict(claim, [row for row in now if row.accelerator in meant and _bears(claim, row)])


def _at_another_count(
    claim: Claim, side: Side, now: Sequence[Result], said: Told, rack: int | None
) -> Verdict | None:
    """The same accelerators in another number: what several racks make, or half of one."""
    loose = side.at_any_count()
    found = [row for row in loose.rows(now) if not side.matches(row) and _bears(claim, row)]
    found = [row for row in found if side.submitter and submitted_by(row, side.submitter)] or found
    told_of = [row for row in found if said.counts(row, rack)]
    unfixed = claim.accelerator_count is None
    meant = found if claim.per_accelerator and unfixed else told_of
    if meant and (claim.per_accelerator or (unfixed and rack is not None)):
        return _verdict(claim, meant)
    return _untold(told_of[0]) if told_of else _verdict(claim, found, "other_count")


def _in_another_round(claim: Claim, side: Side, past: Sequence[Result]) -> Verdict | None:
    """The system's own value of another round."""
    rows = [row for row in side.rows(past) if _bears(claim, row)]
    if side.submitter is not None:
        rows = [row for row in rows if submitted_by(row, side.submitter)]
    return _verdict(claim, rows, "other_round")


def _of_another(
    claim: Claim, side: Side, now: Sequence[Result], past: Sequence[Result], said: Told, catalog: Catalog
) -> Verdict | None:
    """Another system's value, in words that speak of that system too, do not name their own, or give it another value.

    Of other rounds only what the submitter that the text names has there.
    """
    if not claim.quote:
        return None
    named = {
        fold(name) for token in tokens_of(claim.quote, lexicon(catalog)) for name in token.names.values()
    }
    mine = side.rows(now)
    own = {fold(name) for row in mine for name in _names(row)} | {fold(claim.subject_system or "")}
    whose = {fold(name) for row in mine for name in (row.submitter, *row.organisations)}
    theirs = [row for row in past if side.submitter and submitted_by(row, side.submitter)]
    rows = [row for row in (*now, *theirs) if not side.matches(row) and _bears(claim, row)]
    spoken = [row for row in rows if named & ({fold(name) for name in _names(row)} - own)]
    unnamed = not named & (own - whose if claim.subject_system else own)
    known: list[Result] = []
    if unnamed or any(said.tells(row) for row in mine):
        plain = replace(claim, per_accelerator=bool(claim.per_accelerator))
        known = [
            row for row in rows if (digits_of(claim) >= ANY_DIGITS or row in theirs) and _bears(plain, row)
        ]
    chosen = min(
        spoken or known,
        key=lambda row: (scenario_order(row.scenario), row.platform, row.submitter),
        default=None,
    )
    return _untold(chosen) if chosen is not None else None


def _names(row: Result) -> set[str]:
    """What a text may call the row by."""
    names = {row.submitter, *row.organisations, *row.accelerators, row.accelerator, row.system}
    return {name for name in names if name}


def _untold(row: Result) -> Verdict:
    """Nothing is said of a value that another machine of the same sentence has."""
    return Verdict(
        verdict=NOT_FOUND, reason=f"{of_another(row)}; which system the text means by it cannot be told"
    )


def _verdict(claim: Claim, rows: Sequence[Result], reason: str | None = None) -> Verdict | None:
    """Confirmed by these rows, or, with a reason, borne out by them only; null if a scenario of the claim has none."""
    scenarios = {row.scenario for row in rows}
    if not rows or not scenarios >= set(claim.scenarios):
        return None
    evidence = []
    for scenario in sorted(scenarios, key=scenario_order):
        row = min(
            (r for r in rows if r.scenario == scenario), key=lambda r: (r.platform, r.submitter, r.round)
        )
        value = _figure(claim, row)
        words = f"{who(row)}: {number(row.value)} {row.unit}"
        reading = SYSTEM if value == row.value else PER_ACCELERATOR
        if reading == PER_ACCELERATOR:
            words += f" / {row.accelerator_count} = {number(value or 0.0)} per accelerator"
        evidence.append(
            Evidence(
                scenario=scenario, reading=reading, figure=value, holds=True, arithmetic=words, rows=(row,)
            )
        )
    return Verdict(
        verdict=NOT_COMPARABLE if reason else CONFIRMED,
        reading=evidence[0].reading,
        reason=reason,
        evidence=tuple(evidence[:MAX_EVIDENCE]),
    )
