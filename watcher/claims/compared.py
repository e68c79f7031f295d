"""A ratio or percentage against the rows held: two systems, or two rounds of one, under each reading in turn.

The like-for-like figure always stands first in the evidence, also where another reading bears the claim out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher.claims.chosen import Choice, chosen_pairs, pairs_per_accelerator, told_pairs, unlike_pairs
from watcher.claims.cited_rows import cited, no_pair
from watcher.claims.frame import suite_meant
from watcher.claims.pairs import (
    BEST_OF_ANY,
    CHOSEN_ROWS,
    FOOTNOTE_ENTRIES,
    OTHER_ROUND,
    PER_ACCELERATOR,
    SAME_COUNT,
    SYSTEM,
    Pair,
    cell_order,
    entry_pairs,
    evidence_of,
    pair_of,
    places,
)
from watcher.claims.printed import distance
from watcher.claims.sides import Side, baseline_of, rack_of, rows_of, subject_of
from watcher.claims.told import ANY_DIGITS, told
from watcher.claims.verdicts import (
    CONFIRMED,
    CONTRADICTED,
    MAX_EVIDENCE,
    NOT_COMPARABLE,
    NOT_FOUND,
    SOME,
    no_rows,
    outcome,
)
from watcher.domain import Claim, Evidence, Result, Verdict
from watcher.figures.cells import newest, round_order
from watcher.figures.words import who

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

# Words of a quote that measure a system against what it was before, not against itself in another mode.
_GREW = r"(?i)\b(?:up|since|before|rounds?|went|rose|risen|grew|grown|(?:improv|increas|gain|jump|climb|doubl|tripl)\w*)\b"


def _distinct(claim: Claim, evidence: Sequence[Evidence], reading: str | None = None) -> tuple[Evidence, ...]:
    """Each pair of rows once, under the reading that comes first, up to MAX_EVIDENCE.

    Where the verdict is by the named entries (``reading``), theirs are all told, also those that like for like has too.
    """
    seen: dict[tuple[object, ...], Evidence] = {}
    for each in evidence:
        per = each.reading == PER_ACCELERATOR or (
            each.reading == FOOTNOTE_ENTRIES and bool(claim.per_accelerator)
        )
        again = each.reading == reading == FOOTNOTE_ENTRIES
        seen.setdefault((per, again, *(row.key for row in each.rows)), each)
    return tuple(seen.values())[:MAX_EVIDENCE]


class Comparison(Struct):
    """A ratio or percentage between two systems, or between two rounds of one."""

    claim: Claim
    results: Sequence[Result]
    catalog: Catalog

    def verdict(self) -> Verdict:
        """What the claim is worth."""
        subject, baseline = subject_of(self.claim, self.catalog), baseline_of(self.claim, self.catalog)
        lacking = self._unnamed(subject, baseline)
        if lacking is not None or subject is None or baseline is None:
            return Verdict(verdict=NOT_FOUND, reason=lacking or "no system is named")
        mine, theirs = self._rows(subject), self._rows(baseline)
        if not mine:
            return no_rows(self.claim, self.results, subject.name, subject.round)
        if not theirs:
            return self._other_round(baseline, mine)
        found = self._readings(subject, baseline, mine, theirs)
        verdict = self._weigh(found, mine, theirs)
        if verdict.verdict == CONTRADICTED or (not found and verdict.verdict == NOT_FOUND):
            verdict = self._otherwise(subject, baseline, mine) or verdict
        if self.claim.entries and FOOTNOTE_ENTRIES not in found and verdict.reason is None:
            return replace(verdict, reason=no_pair(self.claim, subject, baseline, self.results))
        return verdict

    def _unnamed(self, subject: Side | None, baseline: Side | None) -> str | None:
        if subject is None:
            return (
                f"no row can be found by the name {self.claim.subject_system!r}"
                if self.claim.subject_system
                else "the text names no system"
            )
        if baseline is None:
            return (
                f"no row can be found by the name {self.claim.baseline_system!r}"
                if self.claim.baseline_system
                else "the text names no baseline"
            )
        return None

    def _rows(self, side: Side) -> list[Result]:
        """The side's rows of the claim's benchmark and scenarios; closed ones unless the text says open, or none is closed."""
        rows = side.rows(rows_of(self.results, self.claim, side.round))
        wanted = self.claim.division or "closed"
        return [row for row in rows if row.division == wanted] or rows

    # ------------------------------------------------------------------------------------------ readings

    def _readings(
        self, subject: Side, baseline: Side, mine: list[Result], theirs: list[Result]
    ) -> dict[str, list[Evidence]]:
        """The evidence under each reading, like for like first."""
        preferred, choice = self._preferred(subject), self._choice(subject, baseline)
        found: dict[str, list[Evidence]] = {}
        for reading in self._order():
            if reading == PER_ACCELERATOR:
                left, right = (
                    places(self._rows(subject.at_any_count())),
                    places(self._rows(baseline.at_any_count())),
                )
            elif reading == FOOTNOTE_ENTRIES:
                left, right = (places(cited(self.claim, side, self.results)) for side in (subject, baseline))
            else:
                left, right = places(mine), places(theirs)
            best: dict[tuple[str, str | None], Evidence] = {}
            for place in sorted(left.keys() & right.keys(), key=str):
                ours = self._of_submitter(left[place], subject, reading)
                others = self._of_submitter(right[place], baseline, reading)
                evidence = self._evidence(reading, ours, others, preferred, choice)
                cell = (place.benchmark, place.scenario)
                if evidence is not None and (cell not in best or self._nearer(evidence, best[cell])):
                    best[cell] = evidence
            if best:
                found[reading] = sorted(best.values(), key=cell_order)
        return found

    def _choice(self, subject: Side, baseline: Side) -> Choice:
        """Which rows the text may mean, by whose they are and by the figures beside the claim."""
        return Choice(
            own=self._preferred(subject),
            other=frozenset({baseline.submitter} if baseline.submitter else ()),
            told=told(self.claim, self.catalog),
            counted=subject.exact and baseline.exact,
        )

    def _evidence(
        self,
        reading: str,
        ours: list[Result],
        theirs: list[Result],
        preferred: frozenset[str],
        choice: Choice,
    ) -> Evidence | None:
        """The evidence of one place under a reading; of rows that a vendor may have picked, only a pair that holds."""
        if reading == FOOTNOTE_ENTRIES:
            return self._named_pair(entry_pairs(ours, theirs, each=bool(self.claim.per_accelerator)))
        if reading == CHOSEN_ROWS:
            return self._holding([*told_pairs(ours, theirs, choice), *chosen_pairs(ours, theirs, choice)])
        pair = pair_of(reading, ours, theirs, preferred)
        plain = evidence_of(self.claim, pair) if pair is not None and not pair.changed else None
        if plain is not None and plain.holds:
            return plain
        if reading == BEST_OF_ANY:
            return self._holding(unlike_pairs(ours, theirs, choice)) or plain
        if reading == PER_ACCELERATOR and self.claim.per_accelerator:
            return self._holding(pairs_per_accelerator(ours, theirs, choice)) or plain
        return plain

    def _holding(self, pairs: Sequence[Pair]) -> Evidence | None:
        """Of pairs that may be meant the one that bears the claim out best; null if none does."""
        found = [evidence_of(self.claim, pair) for pair in pairs if not pair.changed]
        holding = [e for e in found if e is not None and e.holds]
        return min(holding, key=lambda e: distance(self.claim, e.figure or 0.0), default=None)

    def _named_pair(self, pairs: Sequence[Pair]) -> Evidence | None:
        """The pair of named entries that bears the claim out, else the one that comes nearest."""
        found = (evidence_of(self.claim, pair) for pair in pairs if not pair.changed)
        told = [evidence for evidence in found if evidence is not None]
        return min(told, key=lambda e: (not e.holds, distance(self.claim, e.figure or 0.0)), default=None)

    def _order(self) -> tuple[str, ...]:
        named = (FOOTNOTE_ENTRIES,) if self.claim.entries else ()
        if self.claim.per_accelerator:
            return PER_ACCELERATOR, *named, SYSTEM, SAME_COUNT, CHOSEN_ROWS, BEST_OF_ANY
        return SYSTEM, *named, SAME_COUNT, CHOSEN_ROWS, BEST_OF_ANY, PER_ACCELERATOR

    def _of_submitter(self, rows: list[Result], side: Side, reading: str) -> list[Result]:
        """Like for like, a submitter that the text names is meant; other readings take any."""
        if side.submitter is None or reading not in {SYSTEM, PER_ACCELERATOR}:
            return rows
        folded = side.submitter.casefold()
        return [
            row for row in rows if folded in {name.casefold() for name in (*row.organisations, row.submitter)}
        ] or rows

    def _preferred(self, side: Side) -> frozenset[str]:
        """Whose own pair is shown first: the submitter that the text names, else the accelerator's vendor."""
        if side.submitter:
            return frozenset({side.submitter})
        vendors = {
            self.catalog.entry("accelerator", row.accelerator).vendor
            for row in side.rows(self.results)
            if row.accelerator in self.catalog.names("accelerator")
        }
        return frozenset(vendor for vendor in vendors if vendor)

    def _nearer(self, one: Evidence, other: Evidence) -> bool:
        return (one.holds, one.figure or 0.0) > (other.holds, other.figure or 0.0)

    # ------------------------------------------------------------------------------------------ verdict

    def _weigh(self, found: dict[str, list[Evidence]], mine: list[Result], theirs: list[Result]) -> Verdict:
        if not found:
            return self._nothing_comparable(mine, theirs)
        first = next(iter(found))
        shown, named = found[first], found.get(FOOTNOTE_ENTRIES, [])
        borne = outcome(self.claim, named) == CONFIRMED and self._unlike(FOOTNOTE_ENTRIES, named) is None
        for reading, evidence in found.items():
            word = self._word(reading, evidence, shown)
            if word is None:
                continue
            reason = self._unlike(reading, evidence)
            if borne and reading != FOOTNOTE_ENTRIES and (word != CONFIRMED or reason is not None):
                continue  # what the text names says more than half a claim, or one of unlike rows
            told = [*shown, *(e for e in evidence if e.holds), *evidence, *named]
            rows = _distinct(self.claim, told, reading)
            if reason is not None:
                return Verdict(verdict=NOT_COMPARABLE, reading=reading, reason=reason, evidence=rows)
            return Verdict(verdict=word, reading=reading, evidence=rows)
        others = [e for reading, evidence in found.items() if reading != first for e in evidence]
        rows = _distinct(self.claim, [*found[first], *others])
        return Verdict(verdict=CONTRADICTED, reading=first, evidence=rows)

    def _word(self, reading: str, evidence: Sequence[Evidence], shown: Sequence[Evidence]) -> str | None:
        """The outcome of a reading; chosen rows, of which only those that hold are kept, must hold wherever like for like has rows."""
        word = outcome(self.claim, evidence)
        if (
            reading != CHOSEN_ROWS
            or word != CONFIRMED
            or self.claim.scenarios
            or self.claim.qualifier == "up_to"
        ):
            return word
        held = {(e.rows[0].benchmark, e.scenario) for e in evidence}
        return SOME if any((e.rows[0].benchmark, e.scenario) not in held for e in shown) else word

    def _unlike(self, reading: str, evidence: Sequence[Evidence]) -> str | None:
        """Why a reading bears a claim out without comparing like with like; null where it does."""
        bearing = [e for e in evidence if e.holds]
        if (
            reading in {PER_ACCELERATOR, BEST_OF_ANY, FOOTNOTE_ENTRIES}
            and not self.claim.per_accelerator
            and all(e.rows[0].accelerator_count != e.rows[1].accelerator_count for e in bearing)
        ):
            return "other_count"
        if all(e.rows[0].division != e.rows[1].division for e in bearing) or (
            self.claim.division is None and all(r.division == "open" for e in bearing for r in e.rows)
        ):
            return "other_division"
        if all(any(r.availability in {"rdi", "development"} for r in e.rows) for e in bearing):
            return "availability"
        return None

    def _nothing_comparable(self, mine: list[Result], theirs: list[Result]) -> Verdict:
        """Rows on both sides, and no pair of them: another scenario or unit, or a benchmark that changed."""
        left, right = places(mine), places(theirs)
        both = sorted(left.keys() & right.keys(), key=str)
        found = [pair_of(BEST_OF_ANY, left[place], right[place], ()) for place in both]
        changed = [replace(pair, reading=SYSTEM) for pair in found if pair is not None]
        if changed and all(pair.changed for pair in changed):
            return Verdict(
                verdict=NOT_COMPARABLE,
                reading=SYSTEM,
                reason="benchmark_changed",
                evidence=self._shown(changed),
            )
        return Verdict(verdict=NOT_FOUND, reason="no benchmark and scenario in which both sides have a row")

    def _shown(self, pairs: Sequence[Pair]) -> tuple[Evidence, ...]:
        found = [evidence_of(self.claim, pair) for pair in pairs]
        return tuple(sorted((replace(e, holds=False) for e in found if e is not None), key=cell_order))[
            :MAX_EVIDENCE
        ]

    def _otherwise(self, subject: Side, baseline: Side, mine: list[Result]) -> Verdict | None:
        """What is said instead of "contradicted", where the text may mean other rows than those of its names."""
        alike = subject.name == baseline.name and baseline.submitter in (None, subject.submitter)
        within = alike and subject.round == baseline.round and subject.count == baseline.count
        if within and re.search(_GREW, self.claim.quote):
            found = self._earlier(baseline, mine)
            for evidence in found.values():
                word = outcome(self.claim, evidence)
                if word is not None:
                    return Verdict(verdict=word, reading=OTHER_ROUND, evidence=_renamed(evidence))
        if not self.claim.per_accelerator and (found_at := self._at_other_counts(subject, baseline)):
            return found_at
        of_others = self._of_others(subject, baseline)
        if of_others is not None:
            return of_others
        if within:
            return Verdict(
                verdict=NOT_FOUND,
                reason=f"{subject.name} is compared with itself, and which of its rows are meant cannot be told",
            )
        return None

    def _at_other_counts(self, subject: Side, baseline: Side) -> Verdict | None:
        """What the counts that the quote tells bear out, or several racks, of a claim that only names a rack."""
        loose = subject.at_any_count(), baseline.at_any_count()
        sizes = [rack_of(side.name, self.catalog) for side in loose]
        said = told(self.claim, self.catalog)
        rows = [self._rows(side) for side in loose]
        counted = [[r for r in of if said.counts(r, size)] for of, size in zip(rows, sizes, strict=True)]
        racks = [
            [r for r in of if any(sizes) and _of_racks(r, size)] for of, size in zip(rows, sizes, strict=True)
        ]
        for (mine, theirs), allowed in (
            (counted, (SYSTEM, SAME_COUNT, BEST_OF_ANY)),
            (racks, (SYSTEM, SAME_COUNT)),
        ):
            for reading, evidence in self._readings(*loose, mine, theirs).items():
                if reading in allowed and outcome(self.claim, evidence) == CONFIRMED:
                    return Verdict(
                        verdict=NOT_COMPARABLE,
                        reading=reading,
                        reason="other_count",
                        evidence=tuple(evidence[:MAX_EVIDENCE]),
                    )
        return None

    def _of_others(self, subject: Side, baseline: Side) -> Verdict | None:
        """Nothing is said of the quotient of two values that stand beside the claim, and are other systems'."""
        said = told(self.claim, self.catalog)
        mine, theirs = (
            [row for row in rows_of(self.results, self.claim, side.round) if said.tells(row, ANY_DIGITS)]
            for side in (subject, baseline)
        )
        left, right = places(mine), places(theirs)
        for place in sorted(left.keys() & right.keys(), key=str):
            found = self._holding(
                entry_pairs(left[place], right[place], each=bool(self.claim.per_accelerator))
            )
            if found is not None:
                pair = " and ".join(who(row) for row in found.rows)
                reason = (
                    f"the two values beside it are those of {pair}; which systems are meant cannot be told"
                )
                return Verdict(verdict=NOT_FOUND, reason=reason)
        return None

    def _earlier(self, baseline: Side, mine: list[Result]) -> dict[str, list[Evidence]]:
        """The evidence against the baseline's newest earlier round."""
        suite = suite_meant(self.claim)
        earlier = {
            row.round
            for row in baseline.rows(self.results)
            if row.suite == suite and row.benchmark in {r.benchmark for r in mine}
        }
        limit = round_order(mine[0].round)
        before = newest(name for name in earlier if round_order(name) < limit)
        past = replace(baseline, round=before)
        theirs = self._rows(past) if before else []
        subject = subject_of(self.claim, self.catalog)
        return self._readings(subject, past, mine, theirs) if theirs and subject is not None else {}

    def _other_round(self, baseline: Side, mine: list[Result]) -> Verdict:
        """The baseline has no row in the round: its newest earlier one is shown, and never taken for the same."""
        if self.claim.baseline_round is None:
            for reading, evidence in self._earlier(baseline, mine).items():
                if outcome(self.claim, evidence) is not None:
                    return Verdict(
                        verdict=NOT_COMPARABLE,
                        reading=OTHER_ROUND if reading == SYSTEM else reading,
                        reason="other_round",
                        evidence=_renamed(evidence),
                    )
        return no_rows(self.claim, self.results, baseline.name, baseline.round)


def _of_racks(row: Result, rack: int | None) -> bool:
    """Whether a row ran on several whole racks; on any number of accelerators, where the name is no rack's."""
    count = row.accelerator_count
    return rack is None or (count is not None and count > rack and count % rack == 0)


def _renamed(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Like-for-like evidence under the reading of the earlier round that it is of."""
    told_so = (replace(e, reading=OTHER_ROUND) if e.reading == SYSTEM else e for e in evidence)
    return tuple(told_so)[:MAX_EVIDENCE]
