"""The cells of a table, each distinct text read once, and what its headers say a value is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from watcher.claims.blocks import Cell
from watcher.claims.footnotes import marks_in
from watcher.claims.lexicon import Lexicon
from watcher.claims.measures import BARE, PERCENT, QUANTITY, TIMES, Measure, raw_measures
from watcher.claims.mentions import Mention, mentions_of
from watcher.claims.roles import BASELINE
from watcher.claims.split import read_tokens
from watcher.claims.standing import ABSOLUTE, GAIN, RATIO, SCALING, Standing
from watcher.claims.tokens import Token, normalise
from watcher.claims.units import unit_in
from watcher.claims.vocabulary import words as listed
from watcher.parse.entries import printed_in

MAX_VALUE_WORDS = 6  # a cell with more words beside its figure is text
MAX_HEADS = 3  # rows of headers that no markup calls so
_OTHER_MATTERS = ("spec", "money", "people", "accuracy")
_RATIO_WORDS = listed(
    "ratio speedup speed-up factor multiple multiplier relative x × advantage faster speedups uplift"
)
_CHANGES = listed("change changes delta difference differences")
# A header of money ("€/hour", "Rent (USD)"), not one of performance per money.
_PRICED = r"(?i)(?<![/])(?<!per )(?:[$€£¥]|\b(?:USD|EUR|GBP)\b)"
_SHARES = listed("/ ÷ : of vs versus share ratio relative to against")
_UNIT_LABELS = listed("unit units ( ) in :")
_COUNT_WORDS = listed("# of no number total count")
_NAMING = ("accelerator", "generation", "system", "processor", "counts")


class Reading(Struct):
    """One distinct cell text. ``is_value``: it is a figure with at most a few words beside it."""

    text: str
    tokens: list[Token]
    mentions: list[Mention]
    measures: list[Measure]
    is_value: bool
    marks: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()

    def systems(self, *, baselines: bool = False) -> list[Mention]:
        """The systems named, or those named as baselines ("vs. GB200")."""
        return [m for m in self.mentions if m.kind == "system" and (m.role == BASELINE) == baselines]

    @property
    def is_passage(self) -> bool:
        """Whether it is running text with figures, to be read as a sentence."""
        return (
            not self.is_value
            and len(self.tokens) > MAX_VALUE_WORDS
            and any(m.kind != BARE for m in self.measures)
        )


class CellReader:
    """Reads texts, each once."""

    def __init__(self, lexicon: Lexicon, *, european: bool) -> None:
        """``european``: the post writes decimal commas."""
        self.lexicon = lexicon
        self.european = european
        self.known: dict[str, Reading] = {}

    def read(self, text: str) -> Reading:
        """The reading of a text."""
        reading = self.known.get(text)
        if reading is None:
            plain = normalise(text)
            tokens = read_tokens(plain, self.lexicon, european=self.european)
            reading = Reading(
                text,
                tokens,
                mentions_of(tokens, plain, self.lexicon),
                raw_measures(tokens),
                is_value=False,
                marks=marks_in(text),
                entries=printed_in(text),
            )
            reading.is_value = bool(reading.measures) and _is_value(reading)
            self.known[text] = reading
        return reading


def _is_value(reading: Reading) -> bool:
    first = reading.measures[0]
    following = reading.tokens[first.last + 1] if first.last + 1 < len(reading.tokens) else None
    if first.kind == BARE and following is not None and following.is_(*_NAMING):
        return False  # "1,152 Blackwell Ultra" names a system
    if first.first > 2 or any(t.names and "unit" not in t.names for t in reading.tokens[: first.first]):
        return False
    covered = sum(m.last - m.first + 1 for m in reading.measures)
    beside = [t for t in reading.tokens if t.low.isalnum()]
    return len(beside) - covered <= MAX_VALUE_WORDS and len(reading.tokens) - covered <= 2 * MAX_VALUE_WORDS


def head_rows(rows: Sequence[Sequence[Cell]], readings: Sequence[Sequence[Reading]]) -> int:
    """How many rows at the top are headers: marked as such, else one without values above rows with them."""
    count = 0
    for row, read in zip(rows, readings, strict=True):
        marked = [cell.header for cell in row if cell.text]
        is_head = bool(marked) and all(marked) and not all(r.is_value for r in read if r.text)
        if not (is_head or (not marked and not count) or (count and _gives_units(read))):
            break
        count += 1
    if not count and any(r.is_value for row in readings for r in row):
        plain = next((n for n, row in enumerate(readings) if _is_body(row)), 0)
        return min(max(plain, 0 if any(r.is_value for r in readings[0]) else 1), MAX_HEADS, len(rows) - 1)
    return min(count, max(0, len(rows) - 1))


def _is_body(row: Sequence[Reading]) -> bool:
    """Whether an unmarked row is no header: it has a value, or is one text alone."""
    return any(r.is_value for r in row) or (
        len({r.text for r in row if r.text}) < 2 and not _gives_units(row)
    )


def _gives_units(row: Sequence[Reading]) -> bool:
    """Whether a row has nothing but the units of the columns below: " | samples/s | samples/s"."""
    told = [r for r in row[1:] if r.text]
    label = {t.low for t in row[0].tokens} <= _UNIT_LABELS
    return label and bool(told) and all(not r.measures and unit_in(r.tokens) is not None for r in told)


def is_blocked(readings: Sequence[Reading], *, labels: bool = False) -> bool:
    """Whether a header says that the values are something else: a price, a size, a count of GPUs.

    ``labels``: of a row, where a count beside a name only says how big the system is.
    """
    for reading in readings:
        priced = not labels and re.search(_PRICED, reading.text) is not None
        said = priced or any(t.is_(*_OTHER_MATTERS) for t in reading.tokens)
        counted = (
            not labels
            and any(
                t.is_("counts") and not _numbered(reading, place) for place, t in enumerate(reading.tokens)
            )
            and not any(t.is_("per_accelerator", "performance", "dollar") for t in reading.tokens)
        )
        if (said or counted) and not _says_result(reading):
            return True
    return False


def _numbered(reading: Reading, place: int) -> bool:
    """Whether a number leads the word: "8 cards" names a size, "Cards" a column of counts."""
    return bool(place) and reading.tokens[place - 1].is_("number")


def _says_result(reading: Reading) -> bool:
    if re.search(_PRICED, reading.text):
        return False  # "€/hour" has no unit of a result
    named = any(m.kind in {"benchmark", "scenario", "system"} for m in reading.mentions)
    return named or unit_in(reading.tokens) is not None or any(t.is_("performance") for t in reading.tokens)


def counts_accelerators(heads: Sequence[Reading]) -> bool:
    """Whether a column's header says that its numbers count accelerators ("GPUs", "# of accelerators")."""
    return bool(heads) and all(t.is_("counts") or t.low in _COUNT_WORDS for t in heads[0].tokens)


# ---------------------------------------------------------------------------------------------- what a value is


class ValueKind(Struct, frozen=True):
    """A value's standing, its unit, and the factor of a header like "thousand tokens/s"."""

    standing: Standing
    unit: str | None = None
    factor: float = 1.0


def kind_of(
    measure: Measure, heads: Sequence[Reading], labels: Sequence[Reading], around: Sequence[Reading]
) -> ValueKind | None:
    """What a value is by its own sign, else by its headers and what stands around the table; null if nothing says so."""
    if measure.kind == QUANTITY:
        return (
            None if measure.per in {"watt", "joule", "user"} else ValueKind(Standing(ABSOLUTE), measure.unit)
        )
    if measure.kind == TIMES:
        return ValueKind(Standing(RATIO))
    if measure.kind == PERCENT:
        standing = _percentage(measure, [*heads, *labels], heads, around)
        return None if standing is None else ValueKind(standing)
    return _bare(measure, heads, labels, around)


def says_share(measure: Measure, heads: Sequence[Reading]) -> bool:
    """Whether a percentage's header names one thing over another, as in "Virtualised / bare metal", or calls it a share."""
    lows = {t.low for r in heads for t in r.tokens}
    blocked = any(t.is_(*_OTHER_MATTERS) for r in heads for t in r.tokens)
    return measure.kind == PERCENT and not measure.sign and not blocked and not lows.isdisjoint(_SHARES)


def _bare(
    measure: Measure, heads: Sequence[Reading], labels: Sequence[Reading], around: Sequence[Reading]
) -> ValueKind | None:
    for reading in (*heads, *labels):
        found = _in_unit(measure, reading)
        if found is not None:
            return found
    if any(_says_ratio(r) for r in heads) or any(m.role == BASELINE for r in heads for m in r.mentions):
        return ValueKind(Standing(RATIO))
    for reading in around:
        found = _in_unit(measure, reading)
        if found is not None:
            return found
    said = any(t.is_("performance") for r in (*heads, *labels) for t in r.tokens)
    named = any(m.kind in {"benchmark", "scenario"} for r in (*heads, *labels) for m in r.mentions)
    return ValueKind(Standing(ABSOLUTE)) if said and named else None


def _says_ratio(reading: Reading) -> bool:
    """Whether a header calls its values ratios; the x of "8x B200" counts, and says nothing of them."""
    return any(
        token.low in _RATIO_WORDS and not (place and reading.tokens[place - 1].is_("number"))
        for place, token in enumerate(reading.tokens)
    )


def _in_unit(measure: Measure, reading: Reading) -> ValueKind | None:
    found = unit_in(reading.tokens)
    if found is None:
        return None
    measure.per = measure.per or found.per
    return ValueKind(Standing(ABSOLUTE), found.unit, found.factor if measure.decimals >= 0 else 1.0)


def _percentage(
    measure: Measure, readings: Sequence[Reading], heads: Sequence[Reading], around: Sequence[Reading]
) -> Standing | None:
    if measure.sign == "-":
        return None
    tokens = [t for r in readings for t in r.tokens]
    lows = {t.low for t in tokens}
    if any(t.is_("scaling") for t in tokens):
        return Standing(SCALING)
    if "of" in lows and measure.sign != "+" and any(m.kind == "system" for r in heads for m in r.mentions):
        return Standing(RATIO, factor=0.01)
    compared = (
        any(t.is_("better", "pair") for t in tokens)
        or "change" in lows
        or any(m.role == BASELINE for r in heads for m in r.mentions)
    )
    compared = compared or any(_compares(reading) for reading in around)
    return Standing(GAIN) if measure.sign == "+" or compared else None


def _compares(reading: Reading) -> bool:
    """Whether a caption or lead-in says that percentages are changes: "Gain of v6.1 over v6.0", "How much faster is …?"."""
    if any(t.is_(*_OTHER_MATTERS) for t in reading.tokens):
        return False
    said = any(t.is_("better", "changed") or t.low in _CHANGES for t in reading.tokens)
    return said and any(m.kind in {"system", "round", "benchmark"} for m in reading.mentions)
