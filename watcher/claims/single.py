"""Claims about one side: a value, a rank, a scaling efficiency, a figure per watt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher.claims.chosen import scalings_between
from watcher.claims.otherwise import elsewhere, of_another, otherwise
from watcher.claims.pairs import BEST_OF_ANY, CHOSEN_ROWS, PER_ACCELERATOR, SAME_COUNT, SYSTEM, cell_order
from watcher.claims.printed import bears_out, distance
from watcher.claims.sides import Side, rows_of, subject_of
from watcher.claims.verdicts import CONFIRMED, CONTRADICTED, MAX_EVIDENCE, NOT_FOUND, no_rows, outcome
from watcher.domain import Claim, Evidence, Result, Scaling, Verdict
from watcher.figures.cells import best, best_per_accelerator, same_submitter, scenario_order
from watcher.figures.scaling import scaling
from watcher.figures.words import number, who

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

# Kinds of systems among which a text may call one the first, and that no column of the tables tells.
_UNTOLD = r"(?i)\b(?:PCIe|(?:air|liquid|water)[- ]cooled|workstations?|desktops?|laptops?|mini[- ]PCs?|(?:one|single|two|dual|four|[124])[- ]sockets?|cloud|on[- ]prem\w*)\b"
# How many of the first unit one of the second is; a claim in seconds may be checked against a row in milliseconds.
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "minutes": 60.0, "hours": 3600.0}


def check_absolute(claim: Claim, results: Sequence[Result], catalog: Catalog) -> Verdict:
    """A value is confirmed by a row that prints as it, in each scenario that the claim names."""
    side = subject_of(claim, catalog)
    number_of_round = claim.round.rpartition("-")[2] if claim.round else None
    held = _divided(claim, rows_of(results, claim, number_of_round))
    if side is None and claim.subject_system is not None and claim.submitter is None:
        return Verdict(verdict=NOT_FOUND, reason=f"no row can be found by the name {claim.subject_system!r}")
    rows = side.rows(held) if side is not None else held
    if not rows:
        return no_rows(claim, results, side.name if side else "any system", number_of_round)
    first = PER_ACCELERATOR if claim.per_accelerator else SYSTEM
    found: dict[str, list[Evidence]] = {}
    for reading in (first, PER_ACCELERATOR if first == SYSTEM else SYSTEM):
        found[reading] = _values(claim, _of_submitter(rows, side), reading) or _values(claim, rows, reading)
        if outcome(claim, found[reading]) is None and len(rows) > len(_of_submitter(rows, side)):
            found[reading] = _values(claim, rows, reading)
    verdict = _told(claim, found, held)
    if verdict.verdict == CONTRADICTED:
        return otherwise(claim, side, results, catalog) or verdict
    return verdict


def _told(claim: Claim, found: dict[str, list[Evidence]], held: Sequence[Result]) -> Verdict:
    first = next(iter(found))
    for reading, evidence in found.items():
        word = outcome(claim, evidence)
        if word is not None and (claim.scenarios or any(e.holds for e in evidence)):
            shown = evidence if claim.scenarios else [e for e in evidence if e.holds]
            beside = (
                []
                if reading == first
                else [e for e in found[first] if e.scenario in {s.scenario for s in shown}]
            )
            return Verdict(
                verdict=word if claim.scenarios else CONFIRMED,
                reading=reading,
                evidence=tuple([*beside, *shown][:MAX_EVIDENCE]),
            )
    other = elsewhere(claim, held)
    return Verdict(
        verdict=CONTRADICTED,
        reading=first,
        reason=of_another(other) if other is not None else None,
        evidence=tuple(found[first][:MAX_EVIDENCE]),
    )


def _of_submitter(rows: Sequence[Result], side: Side | None) -> list[Result]:
    if side is None or side.submitter is None:
        return list(rows)
    folded = side.submitter.casefold()
    return [
        row for row in rows if folded in {name.casefold() for name in (*row.organisations, row.submitter)}
    ] or list(rows)


def _divided(claim: Claim, rows: Sequence[Result]) -> list[Result]:
    """Closed rows and open ones: a value is looked for in the division that the text names, else in both."""
    return [row for row in rows if claim.division in (None, row.division)] or list(rows)


def _values(claim: Claim, rows: Sequence[Result], reading: str) -> list[Evidence]:
    """For each scenario the row nearest to the claim's value, one of an entry that the text names before others."""
    found = []
    for scenario in sorted({row.scenario for row in rows}, key=scenario_order):
        figures = [
            (figure, row)
            for row in rows
            if row.scenario == scenario and (figure := _figure(claim, row, reading)) is not None
        ]
        if not figures:
            continue
        figure, row = min(
            figures,
            key=lambda pair: (
                not bears_out(claim, pair[0]),
                pair[1].entry not in claim.entries,
                distance(claim, pair[0]),
                pair[1].platform,
                pair[1].submitter,
            ),
        )
        words = f"{who(row)}: {number(row.value)} {row.unit}"
        if reading == PER_ACCELERATOR:
            words += f" / {row.accelerator_count} = {number(figure)} per accelerator"
        if row.entry in claim.entries:
            words += f" (entry {row.entry})"
        found.append(
            Evidence(
                scenario=scenario,
                reading=reading,
                figure=figure,
                holds=bears_out(claim, figure),
                arithmetic=words,
                rows=(row,),
            )
        )
    return found


def _figure(claim: Claim, row: Result, reading: str) -> float | None:
    if reading == PER_ACCELERATOR:
        return row.value_per_accelerator
    if claim.unit in _SECONDS and row.unit in _SECONDS:
        return row.value * _SECONDS[row.unit] / _SECONDS[claim.unit]
    return row.value


# ---------------------------------------------------------------------------------------------- rank


def check_rank(claim: Claim, results: Sequence[Result], catalog: Catalog) -> Verdict:
    """A rank holds where the subject's row is the best of its benchmark and scenario: of all, or of its own count."""
    side = subject_of(claim, catalog)
    if claim.benchmark is None or side is None:
        missing = "benchmark" if claim.benchmark is None else "system"
        return Verdict(
            verdict=NOT_FOUND, reason=f"a first without a {missing} cannot be looked up in the tables"
        )
    number_of_round = claim.round.rpartition("-")[2] if claim.round else None
    held = [
        row
        for row in rows_of(results, claim, number_of_round)
        if row.division == (claim.division or "closed")
    ]
    own = _of_submitter(side.rows(held), side)
    if not own:
        return no_rows(claim, results, side.name, number_of_round)
    found = {reading: _ranks(own, held, reading) for reading in (BEST_OF_ANY, SAME_COUNT, PER_ACCELERATOR)}
    shown = found[BEST_OF_ANY]
    words = {reading: outcome(claim, evidence) for reading, evidence in found.items()}
    for reading in sorted(found, key=lambda reading: words[reading] != CONFIRMED):
        word, evidence = words[reading], found[reading]
        if word is not None:
            beside = [] if reading == BEST_OF_ANY else shown
            return Verdict(verdict=word, reading=reading, evidence=tuple([*beside, *evidence][:MAX_EVIDENCE]))
    untold = re.search(_UNTOLD, claim.quote)
    if untold is not None:
        reason = f"the tables do not tell which systems are meant by {untold[0]!r}"
        return Verdict(verdict=NOT_FOUND, reason=reason)
    return Verdict(verdict=CONTRADICTED, reading=BEST_OF_ANY, evidence=tuple(shown[:MAX_EVIDENCE]))


def _ranks(own: Sequence[Result], held: Sequence[Result], reading: str) -> list[Evidence]:
    pick = best_per_accelerator if reading == PER_ACCELERATOR else best
    found = []
    for scenario in sorted({row.scenario for row in own}, key=scenario_order):
        mine = pick(row for row in own if row.scenario == scenario)
        if mine is None:
            continue
        rivals = [row for row in held if row.scenario == scenario and row.unit == mine.unit]
        if reading == SAME_COUNT:
            rivals = [
                row
                for row in rivals
                if (row.accelerator, row.accelerator_count) == (mine.accelerator, mine.accelerator_count)
            ]
        top = pick(rivals)
        if top is None:
            continue
        holds = (
            top.value == mine.value
            if reading != PER_ACCELERATOR
            else top.value_per_accelerator == mine.value_per_accelerator
        )
        among = {
            BEST_OF_ANY: "of all",
            SAME_COUNT: f"of {len(rivals)} rows with the same accelerators",
            PER_ACCELERATOR: "per accelerator",
        }[reading]
        words = (
            f"{who(mine)}: {number(mine.value)} {mine.unit}; best {among}: {who(top)}, {number(top.value)}"
        )
        found.append(
            Evidence(
                scenario=scenario,
                reading=reading,
                figure=1.0 if holds else None,
                holds=holds,
                arithmetic=words,
                rows=(mine, top),
            )
        )
    return found


# ---------------------------------------------------------------------------------------------- scaling


def check_scaling(claim: Claim, results: Sequence[Result], catalog: Catalog) -> Verdict:
    """A scaling efficiency holds where a pair of counts of one submitter has it; the pair a vendor would quote first."""
    side = subject_of(claim, catalog)
    if side is None:
        return Verdict(verdict=NOT_FOUND, reason="the text names no system whose counts could be compared")
    number_of_round = claim.round.rpartition("-")[2] if claim.round else None
    held = rows_of(results, claim, number_of_round)
    accelerators = {row.accelerator for row in side.rows(held) if row.accelerator}
    rows = [
        row
        for row in held
        if row.accelerator in accelerators and row.division == (claim.division or "closed")
    ]
    pairs = scaling(_of_submitter(rows, side))
    evidence = _scalings(claim, pairs)
    word = outcome(claim, evidence)
    if word is None:
        between = [e for e in _scalings(claim, scalings_between(claim, rows)) if e.holds]
        found = outcome(claim, between)
        if found is not None:
            shown = tuple([*evidence, *(replace(e, reading=CHOSEN_ROWS) for e in between)][:MAX_EVIDENCE])
            return Verdict(verdict=found, reading=CHOSEN_ROWS, evidence=shown)
    if not pairs:
        return no_rows(claim, results, f"{side.name} at two counts", number_of_round)
    return Verdict(verdict=word or CONTRADICTED, reading=SYSTEM, evidence=tuple(evidence[:MAX_EVIDENCE]))


def _scalings(claim: Claim, pairs: Sequence[Scaling]) -> list[Evidence]:
    """For each benchmark and scenario the pair that bears the claim out, else the one that would be quoted."""
    cells: dict[tuple[str, str | None], list[Scaling]] = {}
    for pair in pairs:
        cells.setdefault((pair.large.benchmark, pair.large.scenario), []).append(pair)
    found = []
    for among in cells.values():
        chosen = min(
            among,
            key=lambda p: (
                not bears_out(claim, 100 * p.efficiency),
                not p.quoted,
                -(p.large.accelerator_count or 0),
                p.small.accelerator_count or 0,
                p.large.platform,
            ),
        )
        found.append(_scaling_evidence(claim, chosen))
    return sorted(found, key=cell_order)


def _scaling_evidence(claim: Claim, pair: Scaling) -> Evidence:
    small, large = pair.small, pair.large
    figure = 100 * pair.efficiency
    whose = (
        large.submitter if same_submitter(large, small) else f"{large.submitter} against {small.submitter}"
    )
    words = (
        f"{large.benchmark}: ({number(large.value)} / {large.accelerator_count}) / ({number(small.value)} / {small.accelerator_count}) {large.unit}"
        f" = {figure:.1f} % ({whose} {large.round}, {small.accelerator_count} to {large.accelerator_count} accelerators)"
    )
    return Evidence(
        scenario=large.scenario,
        reading=SYSTEM,
        figure=figure,
        holds=bears_out(claim, figure),
        arithmetic=words,
        rows=(large, small),
    )


# ---------------------------------------------------------------------------------------------- power


def check_power(claim: Claim, results: Sequence[Result], catalog: Catalog) -> Verdict:
    """A figure per watt holds against power that MLPerf measured; a power limit in a note is none."""
    side = subject_of(claim, catalog)
    number_of_round = claim.round.rpartition("-")[2] if claim.round else None
    held = rows_of(results, claim, number_of_round)
    rows = side.rows(held) if side is not None else held
    if not rows:
        return no_rows(claim, results, side.name if side else "any system", number_of_round)
    evidence: list[Evidence] = []
    for row in sorted(rows, key=lambda r: (scenario_order(r.scenario), r.platform)):
        watts = next(
            (p.value for p in row.power if p.kind == "measured" and p.unit.casefold() in {"watts", "w"}), None
        )
        if watts:
            figure = row.value / watts
            words = (
                f"{who(row)}: {number(row.value)} {row.unit} / {number(watts)} W measured = {number(figure)}"
            )
            found = Evidence(
                scenario=row.scenario,
                reading=SYSTEM,
                figure=figure,
                holds=bears_out(claim, figure),
                arithmetic=words,
                rows=(row,),
            )
            if not any(e.arithmetic == words and e.scenario == row.scenario for e in evidence):
                evidence.append(found)
    if not evidence:
        where = f" in {number_of_round}" if number_of_round else ""
        return Verdict(verdict=NOT_FOUND, reason=f"no measured power among its rows{where}")
    word = outcome(claim, evidence)
    return Verdict(verdict=word or CONTRADICTED, reading=SYSTEM, evidence=tuple(evidence[:MAX_EVIDENCE]))
