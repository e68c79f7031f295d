"""The claims of a table: each value with what its column, its row, its caption and the text around it say of it.

Which way the table lies does not matter: every name that is found in a value's column header, in its row or in its
caption belongs to it, the nearest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from watcher.claims.blocks import Cell
from watcher.claims.cells import (
    CellReader,
    Reading,
    ValueKind,
    counts_accelerators,
    head_rows,
    is_blocked,
    kind_of,
    says_share,
)
from watcher.claims.clauses import name_runs
from watcher.claims.footnotes import plain_quote
from watcher.claims.frame import Draft, Frame, SystemName
from watcher.claims.measures import BARE, Measure
from watcher.claims.mentions import Mention
from watcher.claims.names import PRODUCT_RANK, benchmark_in, benchmark_of, chosen_system
from watcher.claims.quotients import paired
from watcher.claims.roles import BASELINE
from watcher.claims.seasons import says_seasons
from watcher.claims.standing import ABSOLUTE, GAIN, RATIO, SCALING, Standing
from watcher.claims.status import MEASURED, NOT_MLPERF, PROJECTED, UNVERIFIED
from watcher.claims.vocabulary import words
from watcher.domain import Claim

_MACHINES = words("server servers node model name /")
MAX_VALUES = 1000  # figures of one table; what comes after them is not read


class Around(Struct, frozen=True):
    """What stands around a table: its caption or the paragraph before it, and a short text behind it."""

    lead: str = ""
    tail: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


class Value(Struct):
    """One figure of the table with the readings that speak of it, nearest first."""

    measure: Measure
    kind: ValueKind
    row: int
    column: int
    sources: list[Reading]
    notes: list[Reading]
    scenario: str | None = None
    subject: SystemName | None = None
    baseline: SystemName | None = None
    round: str | None = None
    share: bool = (
        False  # a percentage that is a claim only if two values of the table have it as their quotient
    )


class TableReader:
    """One table; `drafts` are its claims."""

    def __init__(
        self, rows: Sequence[Sequence[Cell]], around: Around, frame: Frame, cells: CellReader
    ) -> None:
        """``frame``: what is in mind before the table."""
        self.frame = frame
        self.reader = cells
        self.lexicon = cells.lexicon
        self.notes = around.notes
        self.cells = [[cells.read(cell.text) for cell in row] for row in rows]
        self.heads = head_rows(rows, self.cells)
        self.lead = cells.read(around.lead)
        self.tail = cells.read(around.tail)

    def drafts(self, number: int) -> list[Draft]:
        """Every value that is a claim, in reading order; ``number`` is the table's place among the blocks."""
        values = list(islice(self._values(), MAX_VALUES))
        for value in values:
            self._name(value)
        made = [(value, claim) for value in values for claim in self._claims(value)]
        plain = [(value, claim) for value, claim in made if claim.kind == ABSOLUTE]
        drafts = []
        for order, (value, each) in enumerate(made):
            compared = each.kind in {RATIO, GAIN}
            found = self._paired(value, each, plain) if compared else each
            if found is each and each.kind == GAIN and not value.measure.sign:
                share = replace(
                    each, kind=RATIO, value=round(each.value / 100, 10), decimals=each.decimals + 2
                )
                paired_share = self._paired(value, share, plain)  # "B300 vs. B200 | 119.1%"
                found = each if paired_share is share else paired_share
            if value.share and found is each:
                continue
            claim = self._with_own_past(value, found) if compared else found
            if claim.kind == RATIO and claim.value == 1 and claim.subject_system == claim.baseline_system:
                continue  # the baseline's own row
            if claim.kind != ABSOLUTE and not claim.scenarios:
                claim = replace(claim, scenarios=_of_row(value, claim, plain))
            where = f"table {number + 1}, row {value.row + 1}"
            named = tuple(dict.fromkeys(e for s in (*value.sources, *value.notes) for e in s.entries))
            told = replace(claim, quote=self._quote(value.row), place=where, entries=named)
            drafts.append(Draft(told, order, number))
        return drafts

    def passages(self) -> list[str]:
        """Cells that are running text with figures of its own."""
        found = [r.text for row in self.cells[self.heads :] for r in row if r.is_passage]
        return list(dict.fromkeys(found))

    def _quote(self, row: int) -> str:
        texts = [plain_quote(r.text) for r in self.cells[row] if r.text]
        return " | ".join(text for place, text in enumerate(texts) if not place or texts[place - 1] != text)

    # ------------------------------------------------------------------------------------------ values

    def _values(self) -> Iterator[Value]:
        section: list[Reading] = []
        for row in range(self.heads, len(self.cells)):
            readings = self.cells[row]
            if (
                len({id(r) for r in readings if r.text}) == 1
                and len(readings) > 1
                and not readings[0].is_value
            ):
                section = [readings[0]]  # a row that is one text is a heading of those below
                continue
            places = [place for place, r in enumerate(readings) if r.text and not r.is_value]
            labels = [readings[place] for place in places]
            corners = [
                head
                for place in places
                for head in self._heads_of(place)
                if not (_says_machine(head) and readings[place].systems())
            ]
            for column, reading in enumerate(readings):
                spans = column > 0 and readings[column - 1] is reading and self._same_head(column)
                if reading.is_value and not spans:
                    yield from self._of_cell(row, column, labels, [*section, *corners])

    def _same_head(self, column: int) -> bool:
        """Whether one header spans a column and the one before: one cell over both is one value."""
        return all(self.cells[row][column] is self.cells[row][column - 1] for row in range(self.heads))

    def _heads_of(self, column: int) -> list[Reading]:
        """The headers over a column, the nearest first."""
        readings = [self.cells[row][column] for row in range(self.heads - 1, -1, -1)]
        return list({id(r): r for r in readings if r.text}.values())

    def _of_cell(
        self, row: int, column: int, labels: list[Reading], section: list[Reading]
    ) -> Iterator[Value]:
        reading, heads = self.cells[row][column], self._heads_of(column)
        if is_blocked(heads) or is_blocked(labels, labels=True):
            return
        sources = list({id(r): r for r in (reading, *heads, *labels, *section, self.lead)}.values())
        notes = [self.reader.read(self.notes[mark]) for mark in reading.marks if mark in self.notes]
        series = self._series(len(reading.measures), sources) if len(reading.measures) > 1 else []
        for place, measure in enumerate(reading.measures):
            kind = kind_of(measure, heads, labels, [*section, self.lead, *self._unit_in_mind(), self.tail])
            share = kind is None and says_share(measure, heads)
            kind = ValueKind(Standing(RATIO, factor=0.01)) if share else kind
            if kind is not None:
                value = Value(measure, kind, row, column, sources, notes, share=share)
                value.scenario = series[place].name if series else None
                yield value

    def _unit_in_mind(self) -> list[Reading]:
        return [self.reader.read(self.frame.unit)] if self.frame.unit else []

    def _series(self, size: int, sources: Sequence[Reading]) -> list[Mention]:
        """The scenarios that a cell with several values lists them for, in the header's or caption's order."""
        runs = (run for source in sources for run in name_runs(source.tokens, source.mentions, "scenario"))
        return next((run for run in runs if len(run) == size), [])

    # ------------------------------------------------------------------------------------------ names

    def _name(self, value: Value) -> None:
        """Give a value its systems and its round."""
        near = [source for source in value.sources if source is not self.lead]
        for source in (*near, self.lead):
            if value.subject is None and source.systems() and source is not self.lead:
                value.subject = self._system(value, source)
            if value.baseline is None:
                value.baseline = chosen_system(source.systems(baselines=True), source.tokens, source.mentions)
            value.round = value.round or self._round(source)
        for reading in (self.lead, self.tail):
            if value.subject is None:
                value.subject = chosen_system(reading.systems(), reading.tokens, reading.mentions)
            if value.subject is None and reading is self.lead:
                value.subject = self.frame.subject
        value.subject = self._inside(value.subject)
        if value.baseline is None and value.subject is self.frame.subject:
            value.baseline = self.frame.baseline
        value.round = value.round or self.frame.round

    def _inside(self, subject: SystemName | None) -> SystemName | None:
        """As in "One XE9780 with eight B300" over a column B300: the caption's server, if the column has what is in it."""
        if subject is None or subject.rank <= PRODUCT_RANK or subject.accelerator is None:
            return subject
        held = chosen_system(self.lead.systems(), self.lead.tokens, self.lead.mentions)
        if held is None or held.rank > PRODUCT_RANK or held.accelerator != subject.accelerator:
            return subject
        servers = {m.name for m in self.lead.systems() if m.rank <= PRODUCT_RANK}
        return held if len(servers) == 1 and subject.count in {None, held.count} else subject

    def _round(self, source: Reading) -> str | None:
        named = [m for m in source.mentions if m.kind == "round"]
        chosen = next((m for m in named if m.role != BASELINE), named[0] if named else None)
        return self._in_suite(chosen.name) if chosen is not None else None

    def _in_suite(self, name: str) -> str:
        suite = self.frame.suite
        return f"{suite}-{name}" if suite != "inference" and "-" not in name else name

    def _system(self, value: Value, source: Reading) -> SystemName | None:
        """The system of a row or column; where a row names a server and its accelerator apart, both."""
        name = chosen_system(source.systems(), source.tokens, source.mentions)
        if name is None:
            return None
        near = [s for s in value.sources if s is not self.lead]
        submitter = name.submitter or next(
            (m.name for s in near for m in s.mentions if m.kind == "submitter"), None
        )
        partner = next((m for s in near for m in s.systems() if m.accelerator is not None), None)
        if name.accelerator is None and partner is not None:
            name = replace(name, accelerator=partner.accelerator, count=partner.count)
        return replace(name, submitter=submitter, count=name.count or self._counted(value.row))

    def _counted(self, row: int) -> int | None:
        """How many accelerators, where a column headed "GPUs" says so."""
        for column, reading in enumerate(self.cells[row]):
            single = len(reading.measures) == 1 and reading.measures[0].kind == BARE
            if single and counts_accelerators(self._heads_of(column)):
                return int(reading.measures[0].value) or None
        return None

    def _with_own_past(self, value: Value, claim: Claim) -> Claim:
        """A change "over v6.0", "September over April": the same system one round, or the named rounds, back."""
        if claim.baseline_system is not None or claim.subject_system is None:
            return claim
        for source in value.sources:
            rounds = list(dict.fromkeys(self._in_suite(m.name) for m in source.mentions if m.kind == "round"))
            older = [name for name in rounds if name != claim.round]
            if older and (claim.round in rounds or any(m.role == BASELINE for m in source.mentions)):
                return replace(claim, baseline_system=claim.subject_system, baseline_round=older[-1])
            if any(t.is_("previous_round") for t in source.tokens) or says_seasons(source.tokens):
                before = self.lexicon.previous_round(claim.round)
                return replace(claim, baseline_system=claim.subject_system, baseline_round=before)
        return claim

    def _paired(self, value: Value, claim: Claim, plain: Sequence[tuple[Value, Claim]]) -> Claim:
        """A ratio with the systems and rounds of the two values of its row, else of its column, that it was made of."""
        for alike in ("row", "column"):
            around = [c for v, c in plain if getattr(v, alike) == getattr(value, alike)]
            found = paired(claim, around)
            if found is not claim:
                return found
        return claim

    # ------------------------------------------------------------------------------------------ claims

    def _claims(self, value: Value) -> Iterator[Claim]:
        """The claim of a value; none where nothing says what was measured."""
        suite = self.frame.suite_of(value.round)
        benchmark, scenarios = self._benchmark(value, suite), self._scenarios(value)
        kind, measure, subject = value.kind.standing.kind, value.measure, value.subject
        if not (benchmark or scenarios or kind == SCALING):
            return
        baseline = value.baseline if kind in {RATIO, GAIN} else None
        scale = value.kind.standing.factor * value.kind.factor
        decimals = measure.decimals + (2 if value.kind.standing.factor != 1.0 else 0)
        coarse = value.kind.factor * 10.0**-measure.decimals
        yield Claim(
            kind=kind,
            value=round(measure.value * scale, 10),
            value_max=round(measure.value_max * scale, 10) if measure.value_max is not None else None,
            qualifier=measure.qualifier,
            subject_system=subject.name if subject else None,
            baseline_system=baseline.name if baseline else None,
            benchmark=benchmark,
            scenarios=scenarios,
            software=self._titles(value, "software"),
            precision=self._titles(value, "precision"),
            round=value.round,
            per_accelerator=True if measure.per == "accelerator" or self._per_accelerator(value) else None,
            unit=value.kind.unit if kind == ABSOLUTE else None,
            status=self._status(value),
            decimals=max(0, decimals),
            rounding=coarse if coarse > 1 else None,
            submitter=subject.submitter if subject else None,
            baseline_submitter=baseline.submitter if baseline else None,
            accelerator_count=subject.count if subject else None,
            baseline_accelerator_count=baseline.count if baseline else None,
            division=self.frame.division,
        )

    def _benchmark(self, value: Value, suite: str) -> str | None:
        near = (benchmark_in(s.mentions, suite, self.lexicon) for s in value.sources)
        found = next((name for name in near if name is not None), None)
        return (
            found
            or benchmark_of(self.frame.benchmark, suite, self.lexicon)
            or benchmark_in(self.tail.mentions, suite, self.lexicon)
        )

    def _scenarios(self, value: Value) -> tuple[str, ...]:
        if value.scenario is not None:
            return (value.scenario,)
        for source in (value.sources[0], *value.notes, *value.sources[1:]):
            found = tuple(dict.fromkeys(m.name for m in source.mentions if m.kind == "scenario"))
            if found:
                return found
        behind = tuple(dict.fromkeys(m.name for m in self.tail.mentions if m.kind == "scenario"))
        return self.frame.scenarios or (behind if len(behind) == 1 else ())

    def _titles(self, value: Value, kind: str) -> tuple[str, ...]:
        near = [s for s in value.sources if s is not self.lead]
        return tuple(
            dict.fromkeys(
                self.lexicon.title(kind, m.name) for s in near for m in s.mentions if m.kind == kind
            )
        )

    def _per_accelerator(self, value: Value) -> bool:
        told = any(
            m.kind != BARE for m in self.lead.measures
        )  # a paragraph with figures of its own speaks of those
        sources = [s for s in value.sources if not (s is self.lead and told)]
        return any(t.is_("per_accelerator") for s in sources for t in s.tokens)

    def _status(self, value: Value) -> str:
        said = [t for s in (*value.sources, *value.notes) for t in s.tokens]
        if self.frame.other or not self.frame.mlperf or any(t.is_("other_benchmark") for t in said):
            return NOT_MLPERF
        if any(t.is_("unverified") for t in said):
            return UNVERIFIED
        projected = any(t.is_("projected") for s in value.sources if s is not self.lead for t in s.tokens)
        return PROJECTED if projected else MEASURED


def _of_row(value: Value, claim: Claim, plain: Sequence[tuple[Value, Claim]]) -> tuple[str, ...]:
    """The scenario that all values of the figure's row and benchmark have, if it is one."""
    row = {c.scenarios for v, c in plain if v.row == value.row and c.benchmark == claim.benchmark}
    return next(iter(row)) if len(row) == 1 else ()


def _says_machine(head: Reading) -> bool:
    """Whether a header is the word "Server" alone: over the names of systems it is no scenario."""
    return {t.low for t in head.tokens} <= _MACHINES
