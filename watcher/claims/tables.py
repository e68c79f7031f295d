"""The claims of a table: each value with what its column, its row, its caption and the text before it say of it.

Which way the table lies does not matter: every name that is found in a value's column header, in its row or in its
caption belongs to it, the nearest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from watcher.claims.blocks import Cell
from watcher.claims.clauses import name_runs
from watcher.claims.footnotes import marks_in, plain_quote
from watcher.claims.frame import Draft, Frame, SystemName, suite_of
from watcher.claims.lexicon import Lexicon
from watcher.claims.measures import BARE, PERCENT, QUANTITY, TIMES, Measure, raw_measures
from watcher.claims.mentions import BASELINE, Mention, mentions_of
from watcher.claims.names import benchmark_in, chosen_system
from watcher.claims.split import read_tokens
from watcher.claims.standing import ABSOLUTE, GAIN, RATIO, SCALING, Standing
from watcher.claims.status import NOT_MLPERF
from watcher.claims.tokens import Token, normalise
from watcher.claims.units import DURATIONS, unit_in
from watcher.domain import Claim

MAX_VALUE_WORDS = 6  # a cell with more words beside its figure is text
_BLOCKING = ("spec", "money", "people", "accuracy")
_RATIO_WORDS = frozenset(
    {
        "ratio",
        "speedup",
        "speed up",
        "speed-up",
        "factor",
        "multiple",
        "multiplier",
        "relative",
        "x",
        "×",
        "advantage",
        "faster",
        "speedups",
        "uplift",
    }
)
_SAME = (
    0.006  # a printed ratio and the quotient of two printed values may differ by this, beside the rounding
)


@dataclass(slots=True)
class Reading:
    """One distinct cell text, read once."""

    text: str
    tokens: list[Token]
    mentions: list[Mention]
    measures: list[Measure]
    is_value: bool
    marks: tuple[str, ...] = ()


@dataclass(slots=True)
class Value:
    """One figure of the table with the readings that speak of it, nearest first."""

    measure: Measure
    row: int
    column: int
    sources: list[Reading]
    standing: Standing
    unit: str | None
    scenario: str | None = None
    subject: SystemName | None = None
    baseline: SystemName | None = None
    round: str | None = None
    base_round: str | None = None
    factor: float = 1.0
    notes: list[Reading] = field(default_factory=list)


def read_table(
    rows: Sequence[Sequence[Cell]],
    lead: str,
    tail: str,
    frame: Frame,
    words: Lexicon,
    notes: Mapping[str, str],
    number: int,
    *,
    european: bool = False,
) -> list[Draft]:
    """The drafts of a table.

    ``lead``: its caption or the paragraph before it; ``tail``: a short text behind it; ``frame``: what is in mind there.
    """
    return _TableReader(rows, lead, tail, frame, words, notes, european=european).drafts(number)


class _TableReader:
    def __init__(
        self,
        rows: Sequence[Sequence[Cell]],
        lead: str,
        tail: str,
        frame: Frame,
        words: Lexicon,
        notes: Mapping[str, str],
        *,
        european: bool,
    ) -> None:
        self.words = words
        self.frame = frame
        self.notes = notes
        self.european = european
        self.known: dict[str, Reading] = {}
        self.cells = [[self.read(cell.text) for cell in row] for row in rows]
        self.heads = self.head_rows(rows)
        self.lead = self.read(lead)
        self.tail = self.read(tail)
        self.lead.is_value = self.tail.is_value = False

    def read(self, text: str) -> Reading:
        """A cell's text, read once for all cells that share it."""
        reading = self.known.get(text)
        if reading is None:
            plain = normalise(text)
            tokens = read_tokens(plain, self.words, european=self.european)
            measures = raw_measures(tokens)
            reading = Reading(
                text, tokens, mentions_of(tokens, plain, self.words), measures, False, marks_in(text)
            )
            reading.is_value = bool(measures) and _is_value(reading)
            self.known[text] = reading
        return reading

    def head_rows(self, rows: Sequence[Sequence[Cell]]) -> int:
        """How many rows at the top are headers: marked as such, else one without values above rows with them."""
        count = 0
        for row, readings in zip(rows, self.cells, strict=True):
            marked = [cell.header for cell in row if cell.text]
            if marked and all(marked) and not all(r.is_value for r in readings if r.text):
                count += 1
            elif not marked and not count:
                count += 1
            else:
                break
        if (
            count == 0
            and len(rows) > 1
            and not any(r.is_value for r in self.cells[0])
            and any(r.is_value for row in self.cells[1:] for r in row)
        ):
            return 1
        return min(count, max(0, len(rows) - 1))

    # ------------------------------------------------------------------------------------------ values

    def drafts(self, number: int) -> list[Draft]:
        """Every value that is a claim, in reading order."""
        values = list(self.values())
        for value in values:
            self.place(value)
        for value in values:
            if value.standing.kind in {RATIO, GAIN}:
                self.pair(value, values)
        made = []
        for order, value in enumerate(values):
            for claim in self.claims(value):
                quote = self.quote(value.row)
                draft = Draft(
                    replace(claim, quote=quote, place=f"table {number + 1}, row {value.row + 1}"),
                    order,
                    number,
                )
                made.append(draft)
        return made

    def quote(self, row: int) -> str:
        texts = [plain_quote(r.text) for r in self.cells[row] if r.text]
        return " | ".join(text for place, text in enumerate(texts) if not place or texts[place - 1] != text)

    def values(self) -> Iterator[Value]:
        section: list[Reading] = []
        for row in range(self.heads, len(self.cells)):
            readings = self.cells[row]
            filled = list(dict.fromkeys(id(r) for r in readings if r.text))
            if len(filled) == 1 and len(readings) > 1 and not readings[0].is_value:
                section = [readings[0]]
                continue
            places = [place for place, r in enumerate(readings) if r.text and not r.is_value]
            labels = [readings[place] for place in places]
            corners = [head for place in places for head in self.column_heads(place)]
            for column, reading in enumerate(readings):
                if not reading.is_value or (
                    column and readings[column - 1] is reading and self.same_head(column)
                ):
                    continue
                heads = self.column_heads(column)
                yield from self.of_cell(reading, row, column, heads, labels, [*section, *corners])

    def same_head(self, column: int) -> bool:
        """Whether a value spans from the column before (one cell over two columns is one value)."""
        return all(self.cells[row][column] is self.cells[row][column - 1] for row in range(self.heads))

    def column_heads(self, column: int) -> list[Reading]:
        found: dict[int, Reading] = {}
        for row in range(self.heads - 1, -1, -1):
            reading = self.cells[row][column]
            if reading.text:
                found[id(reading)] = reading
        return list(found.values())

    def of_cell(
        self,
        reading: Reading,
        row: int,
        column: int,
        heads: list[Reading],
        labels: list[Reading],
        section: list[Reading],
    ) -> Iterator[Value]:
        if _is_blocked(heads) or _is_blocked(labels, whole=True):
            return
        sources = list({id(r): r for r in (reading, *heads, *labels, *section, self.lead)}.values())
        notes = [self.read(self.notes[mark]) for mark in reading.marks if mark in self.notes]
        series = self.series(len(reading.measures), sources) if len(reading.measures) > 1 else []
        for place, measure in enumerate(reading.measures):
            standing, unit, factor = self.standing(measure, heads, labels, [*section, self.lead])
            if standing is None:
                continue
            value = Value(measure, row, column, sources, standing, unit, factor=factor, notes=notes)
            if series:
                value.scenario = series[place].name
            yield value

    def series(self, size: int, sources: Sequence[Reading]) -> list[Mention]:
        """The scenarios that a cell with several values lists them for, in the header's or caption's order."""
        for source in sources:
            for run in name_runs(source.tokens, source.mentions, "scenario"):
                if len(run) == size:
                    return run
        return []

    def standing(
        self, measure: Measure, heads: list[Reading], labels: list[Reading], around: list[Reading]
    ) -> tuple[Standing | None, str | None, float]:
        """(standing, unit, factor) of a value by its own sign, else by its headers."""
        words = [t for r in (*heads, *labels) for t in r.tokens]
        if measure.kind == QUANTITY:
            return (
                (Standing(ABSOLUTE), measure.unit, 1.0)
                if measure.per not in {"watt", "joule", "user"}
                else (None, None, 1.0)
            )
        if measure.kind == TIMES:
            return Standing(RATIO), None, 1.0
        if measure.kind == PERCENT:
            return self.percentage(measure, words, heads), None, 1.0
        for group in (heads, labels, around):
            for reading in group:
                found = unit_in(reading.tokens)
                if found is not None:
                    measure.per = measure.per or found.per
                    return Standing(ABSOLUTE), found.unit, found.factor if measure.decimals >= 0 else 1.0
        head_words = {t.low for r in heads for t in r.tokens}
        if head_words & _RATIO_WORDS or any(m.role == BASELINE for r in heads for m in r.mentions):
            return Standing(RATIO), None, 1.0
        if self.frame.unit is not None:
            return Standing(ABSOLUTE), self.frame.unit, self.frame.factor
        found = unit_in(self.tail.tokens)
        if found is not None:
            return Standing(ABSOLUTE), found.unit, found.factor if measure.decimals >= 0 else 1.0
        if any(t.is_("performance") for t in words) and any(
            m.kind in {"benchmark", "scenario"} for r in (*heads, *labels) for m in r.mentions
        ):
            return Standing(ABSOLUTE), None, 1.0
        return None, None, 1.0

    def percentage(
        self, measure: Measure, words: Sequence[Token], heads: Sequence[Reading]
    ) -> Standing | None:
        if any(t.is_("scaling") for t in words):
            return Standing(SCALING)
        lows = [t.low for t in words]
        if (
            "of" in lows
            and any(m.kind == "system" and m.role != "other" for r in heads for m in r.mentions)
            and measure.sign != "+"
        ):
            return Standing(RATIO, factor=0.01)
        compares = (
            measure.sign == "+"
            or any(t.is_("better", "pair") for t in words)
            or "change" in lows
            or any(m.role == BASELINE for r in heads for m in r.mentions)
        )
        return Standing(GAIN) if compares else None

    # ------------------------------------------------------------------------------------------ names

    def place(self, value: Value) -> None:
        """Give a value its systems and rounds."""
        frame = self.frame
        for source in value.sources:
            systems = [m for m in source.mentions if m.kind == "system"]
            subjects = [m for m in systems if m.role != BASELINE]
            baselines = [m for m in systems if m.role == BASELINE]
            if value.subject is None and subjects and source is not self.lead:
                value.subject = self.system(value, subjects)
            if value.baseline is None and baselines:
                value.baseline = chosen_system(baselines, source.tokens, source.mentions)
            rounds = [m for m in source.mentions if m.kind == "round"]
            if value.round is None and rounds:
                value.round = self.full_round(rounds[0].name)
        if value.subject is None:
            lead = [m for m in self.lead.mentions if m.kind == "system" and m.role != BASELINE]
            value.subject = (
                chosen_system(lead, self.lead.tokens, self.lead.mentions) if lead else frame.subject
            )
        if value.subject is None:
            tail = [m for m in self.tail.mentions if m.kind == "system" and m.role != BASELINE]
            value.subject = chosen_system(tail, self.tail.tokens, self.tail.mentions)
        if value.baseline is None and value.subject is frame.subject:
            value.baseline = frame.baseline
        value.round = value.round or frame.round

    def system(self, value: Value, subjects: list[Mention]) -> SystemName:
        """The system of a row or column; where a row names a server and its accelerator apart, both."""
        rows = [
            m
            for source in value.sources
            if source is not self.lead
            for m in source.mentions
            if m.kind == "system" and m.role != BASELINE
        ]
        best = min(subjects, key=lambda m: m.rank > 1)
        source = next(s for s in value.sources if best in s.mentions)
        name = chosen_system([best], source.tokens, source.mentions)
        submitter = name.submitter or next(
            (
                m.name
                for s in value.sources
                if s is not self.lead
                for m in s.mentions
                if m.kind == "submitter"
            ),
            None,
        )
        partner = next((m for m in rows if m.accelerator is not None), None)
        if name.accelerator is None and partner is not None:
            name = replace(name, accelerator=partner.accelerator, count=partner.count)
        return replace(name, submitter=submitter, count=name.count or self.counted(value.row))

    def counted(self, row: int) -> int | None:
        """How many accelerators, where a column headed "GPUs" says so."""
        for column, reading in enumerate(self.cells[row]):
            if len(reading.measures) == 1 and reading.measures[0].kind == BARE:
                heads = self.column_heads(column)
                if heads and all(
                    t.is_("counts") or t.low in {"#", "of", "no", "number", "total", "count"}
                    for t in heads[0].tokens
                ):
                    return int(reading.measures[0].value) or None
        return None

    def full_round(self, name: str) -> str:
        suite = self.frame.suite
        return f"{suite}-{name}" if suite != "inference" and "-" not in name else name

    def pair(self, value: Value, values: Sequence[Value]) -> None:
        """Find the two values that a ratio was made of, and take its systems and rounds from them."""
        wanted = value.measure.value * (0.01 if value.standing.factor != 1.0 else 1.0)
        wanted = wanted if value.standing.kind == RATIO else 1 + wanted / 100
        slack = 0.5 * 10.0 ** -(
            value.measure.decimals if value.standing.kind == RATIO else value.measure.decimals + 2
        )
        for same in (lambda v: v.row == value.row, lambda v: v.column == value.column):
            plain = [v for v in values if v.standing.kind == ABSOLUTE and same(v)]
            for one in plain:
                for other in plain:
                    if one is other or not other.measure.value or not one.measure.value:
                        continue
                    lower = (one.unit or "") in DURATIONS
                    quotient = (
                        other.measure.value / one.measure.value
                        if lower
                        else one.measure.value / other.measure.value
                    )
                    if quotient >= 1 and abs(quotient - wanted) <= slack + _SAME:
                        self.take(value, one, other)
                        return
        if value.baseline is None and value.round is not None:
            value.base_round = None

    def take(self, value: Value, one: Value, other: Value) -> None:
        value.subject = one.subject or value.subject
        if other.subject is not None and (one.subject is None or other.subject.name != one.subject.name):
            value.baseline = other.subject
        elif one.round != other.round:
            value.round, value.base_round, value.baseline = one.round, other.round, one.subject

    # ------------------------------------------------------------------------------------------ claims

    def claims(self, value: Value) -> Iterator[Claim]:
        """One claim for each benchmark that a value is said of; none where nothing says what was measured."""
        suite = suite_of(value.round)
        benchmark = next(
            (
                name
                for s in value.sources
                if (name := benchmark_in(s.mentions, suite, self.words)) is not None
            ),
            None,
        )
        named = benchmark is not None
        if benchmark is None:
            benchmark = benchmark_in_frame(self.frame, suite, self.words) or benchmark_in(
                self.tail.mentions, suite, self.words
            )
        scenarios = self.scenarios(value)
        if not (benchmark or scenarios or value.standing.kind == SCALING):
            return
        if value.unit in DURATIONS and suite != "training" and not (named or scenarios or benchmark):
            return
        kind, measure = value.standing.kind, value.measure
        scale = value.standing.factor * value.factor
        comparing = kind in {RATIO, GAIN}
        yield Claim(
            kind=kind,
            value=round(measure.value * scale, 10),
            value_max=round(measure.value_max * scale, 10) if measure.value_max is not None else None,
            qualifier=measure.qualifier,
            subject_system=value.subject.name if value.subject else None,
            baseline_system=value.baseline.name if value.baseline and comparing else None,
            benchmark=benchmark,
            scenarios=scenarios,
            software=self.all_names(value, "software"),
            precision=self.all_names(value, "precision"),
            round=value.round,
            baseline_round=value.base_round if comparing else None,
            per_accelerator=True if measure.per == "accelerator" or self.per_accelerator(value) else None,
            unit=value.unit if kind == ABSOLUTE else None,
            status=self.status(value),
            decimals=max(0, measure.decimals + (2 if value.standing.factor != 1.0 else 0)),
            rounding=10.0**-measure.decimals
            if measure.decimals < 0
            else value.factor * 10.0**-measure.decimals
            if value.factor > 1
            else None,
            submitter=value.subject.submitter if value.subject else None,
            baseline_submitter=value.baseline.submitter if value.baseline and comparing else None,
            accelerator_count=value.subject.count if value.subject else None,
            baseline_accelerator_count=value.baseline.count if value.baseline and comparing else None,
            division=self.frame.division,
        )

    def scenarios(self, value: Value) -> tuple[str, ...]:
        if value.scenario is not None:
            return (value.scenario,)
        first, rest = value.sources[0], value.sources[1:]
        for source in (first, *value.notes, *rest):
            found = tuple(dict.fromkeys(m.name for m in source.mentions if m.kind == "scenario"))
            if found:
                return found
        return self.frame.scenarios

    def all_names(self, value: Value, kind: str) -> tuple[str, ...]:
        found = [
            self.words.title(kind, m.name)
            for s in value.sources
            if s is not self.lead
            for m in s.mentions
            if m.kind == kind
        ]
        return tuple(dict.fromkeys(found))

    def per_accelerator(self, value: Value) -> bool:
        return any(t.is_("per_accelerator") for s in value.sources for t in s.tokens)

    def status(self, value: Value) -> str:
        words = [t for s in (*value.sources, *value.notes) for t in s.tokens]
        if self.frame.other or any(t.is_("other_benchmark") for t in words):
            return NOT_MLPERF
        if not self.frame.mlperf:
            return NOT_MLPERF
        if any(t.is_("unverified") for t in words):
            return "unverified"
        return (
            "projected"
            if any(t.is_("projected") for s in value.sources[:-1] for t in s.tokens)
            else "measured"
        )


def benchmark_in_frame(frame: Frame, suite: str, words: Lexicon) -> str | None:
    """The canonical benchmark in mind, in ``suite``."""
    from watcher.claims.names import benchmark_of  # noqa: PLC0415

    return benchmark_of(frame.benchmark, suite, words)


def _is_value(reading: Reading) -> bool:
    """Whether a cell is a figure with at most a few words beside it, and does not begin with a name."""
    first = reading.measures[0]
    following = reading.tokens[first.last + 1] if first.last + 1 < len(reading.tokens) else None
    if (
        first.kind == BARE
        and following is not None
        and following.is_("accelerator", "generation", "system", "processor", "counts")
    ):
        return False  # "1,152 Blackwell Ultra" names a system
    covered = sum(m.last - m.first + 1 for m in reading.measures)
    others = [t for t in reading.tokens if t.low.isalnum()]
    if first.first > 2 or any(t.names and "unit" not in t.names for t in reading.tokens[: first.first]):
        return False
    return len(others) - covered <= MAX_VALUE_WORDS and len(reading.tokens) - covered <= 2 * MAX_VALUE_WORDS


def _is_blocked(readings: Sequence[Reading], *, whole: bool = False) -> bool:
    """Whether a header says that the values are something else: a price, a size, a count of GPUs.

    ``whole``: of row labels, only one that is nothing but such a word (a row "Memory", "TDP").
    """
    for reading in readings:
        said = any(t.is_(*_BLOCKING) for t in reading.tokens)
        counted = any(t.is_("counts") for t in reading.tokens) and not any(
            t.is_("per_accelerator", "performance", "dollar") for t in reading.tokens
        )
        if not (said or (counted and not whole)):
            continue
        useful = (
            unit_in(reading.tokens) is not None
            or any(m.kind in {"benchmark", "scenario", "system"} for m in reading.mentions)
            or any(t.is_("performance") for t in reading.tokens)
        )
        if not useful:
            return True
    return False
