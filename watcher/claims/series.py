"""The figures of a sentence in series: bare numbers take the unit of the figures that they stand with.

"58,195.8 Server" after "65,511.9 tokens/s Offline"; "349 against 230 queries/s"; "1.5 in Offline" after "1.9x in Server".
"""

from __future__ import annotations

from collections.abc import Sequence

from watcher.claims.measures import BARE, QUANTITY, TIMES, Measure, raw_measures
from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

_JOINS = words(", and & or / against versus vs to – - then from")
_COUNTING = words(
    "with on using across of from by over all between and x no nos page chapter step version round"
)
_PLAIN_FOLLOWERS = words(
    ", . ; : ) ( and & or / in on for at against versus vs to while – — | respectively under with but "
    'whereas ! ? " from as it'
)


def measures_of(tokens: Sequence[Token], unit: str | None = None) -> list[Measure]:
    """The figures of a sentence, in order. ``unit``: what bare numbers are in (a heading or lead-in said it)."""
    return _with_borrowed_units(tokens, raw_measures(tokens), unit)


def _with_borrowed_units(tokens: Sequence[Token], found: list[Measure], unit: str | None) -> list[Measure]:
    """Give bare numbers the unit of the sentence's other figures where they stand in a series with them."""
    quantities = [m for m in found if m.kind == QUANTITY and m.per not in {"watt", "joule", "user"}]
    kept: list[Measure] = []
    for number, measure in enumerate(found):
        if (
            measure.kind == BARE
            and number
            and found[number - 1].kind == TIMES
            and _named_by(tokens, measure)
            and _stands_alone(tokens, measure)
        ):
            measure.kind = TIMES
        if measure.kind == BARE:
            borrowed = _borrowed(tokens, found, number, quantities, unit)
            if borrowed is None:
                continue
            measure.kind, measure.unit = QUANTITY, borrowed.unit
            measure.per = measure.per or borrowed.per
        kept.append(measure)
    return kept


def _borrowed(
    tokens: Sequence[Token], found: list[Measure], number: int, quantities: list[Measure], unit: str | None
) -> Measure | None:
    measure = found[number]
    if _looks_like_year(measure) or not _stands_alone(tokens, measure):
        return None
    lender = _nearest(measure, quantities)
    if lender is None:
        if unit is None or not (_named_by(tokens, measure) or _is_result_like(tokens, measure)):
            return None
        return Measure(QUANTITY, 0.0, measure.last + 1, measure.last, measure.last, unit=unit)
    if measure.per == "accelerator" or _named_by(tokens, measure) or _in_series(tokens, measure, lender):
        return lender
    return None


def _is_result_like(tokens: Sequence[Token], measure: Measure) -> bool:
    """A number printed as results are ("117,804", "65,511.9"), in a sentence that says whose it is."""
    printed = measure.value >= 1000 and ("," in tokens[measure.head].low or measure.decimals > 0)
    return printed and any(
        t.is_("system", "accelerator", "product", "submitter") for t in tokens[: measure.first]
    )


def _nearest(measure: Measure, quantities: list[Measure]) -> Measure | None:
    later = next((q for q in quantities if q.first > measure.first), None)
    earlier = next((q for q in reversed(quantities) if q.first < measure.first), None)
    return earlier or later


def _looks_like_year(measure: Measure) -> bool:
    return measure.decimals == 0 and 1990 <= measure.value <= 2040 and measure.value == int(measure.value)


def _stands_alone(tokens: Sequence[Token], measure: Measure) -> bool:
    """Whether nothing that the number counts follows it, and it is not introduced as a count."""
    before = tokens[measure.first - 1] if measure.first else None
    after = tokens[measure.last + 1] if measure.last + 1 < len(tokens) else None
    if after is not None and not (
        after.is_("scenario", "per_accelerator", "baseline", "benchmark:inference")
        or after.low in _PLAIN_FOLLOWERS
    ):
        return False
    if (
        before is not None
        and before.low in _COUNTING
        and not (after is not None and after.is_("scenario", "per_accelerator"))
    ):
        return before.low == "and" or before.low in {"from", "by", "of", "over"}
    return before is None or not before.is_("software", "product", "model")


def _named_by(tokens: Sequence[Token], measure: Measure) -> bool:
    """Whether a scenario stands right behind the number, or shortly before it with no other figure between."""
    here = measure.last + 1
    while here < len(tokens) and here - measure.last <= 3:
        if tokens[here].is_("scenario"):
            return True
        if not (
            tokens[here].low in {"(", "in", "on", "for", "the", "under"}
            or tokens[here].is_("benchmark:inference")
        ):
            break
        here += 1
    before = tokens[measure.first - 1] if measure.first else None
    if (
        before is not None
        and before.is_("submitter", "system", "product")
        and (measure.decimals > 0 or measure.value >= 1000)
    ):
        return True
    for back in range(measure.first - 1, max(-1, measure.first - 8), -1):
        if tokens[back].is_("number"):
            return False
        if tokens[back].is_("scenario"):
            return True
    return False


def _in_series(tokens: Sequence[Token], measure: Measure, lender: Measure) -> bool:
    """Whether only joining words and names lie between a bare number and the figure that has the unit."""
    low, high = (
        (measure.last + 1, lender.first) if measure.first < lender.first else (lender.last + 1, measure.first)
    )
    between = tokens[low:high]
    if len(between) > 14 or not between:
        return False
    return all(
        t.low in _JOINS
        or t.names
        or t.is_("number", "baseline", "skipped", "filler", "machine", "pair")
        or t.low in {"(", ")", "for", "on", "in", "own"}
        for t in between
    )
