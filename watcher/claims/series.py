"""The figures of a sentence in series: bare numbers take the unit of the figures that they stand with.

"58,195.8 Server" after "65,511.9 tokens/s Offline"; "349 against 230 queries/s"; "1.5 in Offline" after "1.9x in Server".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from watcher.claims.measures import BARE, PERCENT, QUANTITY, TIMES, Measure, raw_measures
from watcher.claims.tokens import Token
from watcher.claims.units import DURATIONS, RATES, UnitSaid, unit_in
from watcher.claims.vocabulary import words

_JOINS = words(", and & or / against versus vs to – - then from")
MAX_LED = 1000  # a larger bare number before "and 12 percent" is a value of its own
MAX_RATE = 5e7  # no result is as large: a number that "in thousands" would make so is printed in full
MAX_MARK = 20  # the largest number of a footnote
MIN_FAR = 100  # a smaller bare number is no result only because an earlier paragraph had some
MAX_LABEL = 12  # tokens of what a list says a number is of
_ON = words("on with for in")
_ARTICLES = words("the a an its their")
_SET_OFF = words(": – — - =")
_WHOSE = ("system", "accelerator", "product", "processor", "submitter")
_NAMED_THINGS = ("accelerator", "generation", "system")  # "NVIDIA's 5,120 Blackwell GPUs"
_OPENING = words("in ( , : as are by")
_STANDING_AT = words("stood stands sat sits came comes ended ends was is arrived landed lands")
_SAID_OF = words("it stood stands sat sits came comes ended ends was is arrived landed lands")
_PRODUCING = words(
    "does do did makes made serves served delivers delivered generates generated handles handled hits hit"
)
_ENDED = words("done finished through over ready complete completed trained")  # "B300 is done in 75.8"
_TOLD_WITH = words(
    "be needed needs took takes is was got gets gave gives reached reaches required requires managed manages posted posts"
)
_PRONOUNS = words("it they we he she")
_VERSIONS = words("version release build v")
_COUNTING = words(
    "with on using across of from by over all between and x no nos page chapter step version release build round"
)
_PLAIN_FOLLOWERS = words(
    ", . ; : ) ( and & or / in on for at against versus vs to while – — | respectively under with but "
    'whereas ! ? " from as it that which when if where than then now before after today so'
)


class UnitInMind(Struct, frozen=True):
    """What bare numbers are in: ``near`` by a heading, lead-in or the sentence before, ``far`` by an earlier paragraph."""

    near: str | None = None
    far: str | None = None
    said: bool = False  # the sentence itself says it
    factor: float = 1.0  # of "in thousand tokens per second"
    series: tuple[str, ...] = ()  # of the values of the sentence before, in their order


NO_UNIT = UnitInMind()


def measures_of(
    tokens: Sequence[Token], mind: UnitInMind = NO_UNIT, said: UnitSaid | None = None
) -> list[Measure]:
    """The figures of a sentence, in order. ``said``: the unit that the sentence names apart from them."""
    found = raw_measures(tokens)
    if found and not any(m.kind == QUANTITY for m in found):
        mind = UnitInMind(said.unit, said=True, factor=said.factor) if said is not None else mind
    if _runs_like_before(tokens, found, mind.series):
        for measure, unit in zip(found, mind.series, strict=True):
            measure.kind, measure.unit, measure.carried = QUANTITY, unit, True
        return found
    return _with_borrowed_units(tokens, found, mind)


def _runs_like_before(tokens: Sequence[Token], found: Sequence[Measure], series: Sequence[str]) -> bool:
    """As in "G894-AD3: Offline 131.3 samples/s, Server 111.8 queries/s. G894-ZD3: 132.1 and 115.8.": a name, a colon and as many numbers."""
    if len(found) < 2 or len(found) != len(series) or any(m.kind != BARE for m in found):
        return False
    led, sign = tokens[: found[0].first - 1], tokens[found[0].first - 1].low
    named = any(kind in _WHOSE for t in led for kind in t.names) and sign in _SET_OFF
    return named and all(_adjoin(tokens, one, two) for one, two in pairwise(found))


def unit_said(tokens: Sequence[Token]) -> UnitSaid | None:
    """The throughput that a sentence names without a figure beside it: "…, all in tokens per second"."""
    said = unit_in(tokens)
    if said is None or said.unit in DURATIONS or said.per is not None:
        return None
    place = next(n for n, token in enumerate(tokens) if "unit" in token.names)
    before = tokens[place - 1].low if place else ":"
    return said if before in _OPENING or said.factor != 1.0 else None


def _with_borrowed_units(tokens: Sequence[Token], found: list[Measure], mind: UnitInMind) -> list[Measure]:
    """Give bare numbers the unit of the sentence's other figures where they stand in a series with them."""
    quantities = [m for m in found if m.kind == QUANTITY and m.per not in {"watt", "joule", "user"}]
    kept: list[Measure] = []
    for number, measure in enumerate(found):
        if (
            measure.kind == BARE
            and number
            and found[number - 1].kind == TIMES
            and tokens[measure.first - 1].low != "from"  # "doubled its score, from 471.5 to …"
            and _named_by(tokens, measure)
            and _stands_alone(tokens, measure)
            and not _is_printed_so(measure)
            and measure.value < MIN_FAR  # "more than doubled it (245.63 then, 516.012 tokens/s now)"
            and not (measure.first and tokens[measure.first - 1].low in _VERSIONS)
        ):
            measure.kind = TIMES
        if measure.kind == BARE and (led := _listed_with(tokens, found, number)) is not None:
            measure.kind = led.kind
        if measure.kind == BARE:
            borrowed = _borrowed(tokens, found, number, quantities, mind)
            if borrowed is None:
                continue
            measure.kind, measure.unit = QUANTITY, borrowed.unit
            measure.carried = not quantities and not mind.said
            measure.per = measure.per or borrowed.per
            if not quantities and mind.factor != 1.0 and measure.value * mind.factor < MAX_RATE:
                _multiply(measure, mind.factor)
        kept.append(measure)
    return kept


def _multiply(measure: Measure, factor: float) -> None:
    measure.value = round(measure.value * factor, 6)
    measure.decimals -= len(str(int(factor))) - 1


def _borrowed(
    tokens: Sequence[Token], found: list[Measure], number: int, quantities: list[Measure], mind: UnitInMind
) -> Measure | None:
    measure = found[number]
    counted = _counted_rate(tokens, measure, mind)
    if counted is not None:
        return counted
    if (
        _looks_like_year(measure)
        or _is_mark(tokens, measure)
        or not (
            _stands_alone(tokens, measure)
            or _is_owned(tokens, measure)
            or _is_the_one_of(tokens, measure)
            or _opens_clause(tokens, measure)
        )
    ):
        return None
    lender = _nearest(measure, quantities)
    if lender is None:
        like = (mind.said and _is_printed_so(measure)) or _is_result_like(tokens, measure)
        named = _named_by(tokens, measure)
        joined = (
            number > 0 and found[number - 1].kind == QUANTITY and _adjoin(tokens, found[number - 1], measure)
        )
        said = number == 0 and _is_said_to_be(tokens, measure) and tokens[measure.first - 2].low in _SAID_OF
        said = said or (measure.first > 0 and tokens[measure.first - 1].is_("corrected_to"))
        entry = number == 0 and mind.near is not None and _is_entry(tokens, measure)
        unit = mind.near or (mind.far if like or joined or (named and measure.value >= MIN_FAR) else None)
        if unit is None or not (like or named or joined or said or entry):
            return None
        return Measure(QUANTITY, 0.0, measure.last + 1, measure.last, measure.last, unit=unit)
    if measure.decimals < 0 and lender.decimals < 0:
        return lender  # "2.09 million tokens a second when …, 1.60 million when …"
    if measure.per == "accelerator" or _named_by(tokens, measure) or _in_series(tokens, measure, lender):
        return lender
    parallel = _runs_parallel(tokens, measure, lender) or _opens_clause(tokens, measure)
    if parallel or _is_said_to_be(tokens, measure) or _is_the_one_of(tokens, measure):
        return lender  # "…; a year before, 3,584 H100s had needed 10.9"
    between = tokens[lender.last + 1 if lender.first < measure.first else 0 : measure.first]
    if _is_printed_so(measure, tokens) and any(t.is_(*_WHOSE) for t in between):
        return lender  # "…; CoreWeave's eight gave 112,840"
    return None


def _is_mark(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "… in the Offline scenario (2).": a small number alone in brackets is a footnote's."""
    around = [
        t.low
        for t in (
            *tokens[max(0, measure.first - 1) : measure.first],
            *tokens[measure.last + 1 : measure.last + 2],
        )
    ]
    return around == ["(", ")"] and not measure.decimals and measure.value <= MAX_MARK


def _is_entry(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "BERT: 3.55": a line of a list that is a name, a colon or dash and a number."""
    led, before = tokens[: measure.first - 1], tokens[measure.first - 1 : measure.first]
    named = any(kind.startswith("benchmark") or kind in _WHOSE for t in led for kind in t.names)
    ends = all(t.low in {".", ",", ";"} for t in tokens[measure.last + 1 :])
    return named and ends and all(t.low in _SET_OFF for t in before) and len(led) <= MAX_LABEL


def _runs_parallel(tokens: Sequence[Token], measure: Measure, lender: Measure) -> bool:
    """As in "29.1 minutes on the smallest, 5.4 on the middle one, 2.1 on the largest": the same words go on behind both."""
    led = tokens[measure.first - 1].low if measure.first else ""
    lows = [[t.low for t in tokens[m.last + 1 : m.last + 3]] for m in (lender, measure)]
    alike = len(lows[0]) > 1 and lows[0] == lows[1] and lows[0][0] in _ON and lows[0][1] in _ARTICLES
    return led in {",", ";", "and"} and alike


def _is_the_one_of(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "13,395 against the 14,155 of a single server"."""
    led = tokens[max(0, measure.first - 1) : measure.first]
    behind = tokens[measure.last + 1 : measure.last + 2]
    return _is_printed_so(measure, tokens) and [t.low for t in (*led, *behind)] in (
        ["the", "of"],
        ["the", "that"],
    )


def _opens_clause(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "…; with 2,405,310 they also hold it in Server"."""
    led = [t.low for t in tokens[max(0, measure.first - 2) : measure.first]]
    behind = tokens[measure.last + 1 : measure.last + 2]
    told = len(led) == 2 and led[0] in {";", ",", "and"} and led[1] in {"with", "at"}
    return told and _is_printed_so(measure, tokens) and any(t.low in _PRONOUNS for t in behind)


def _is_said_to_be(tokens: Sequence[Token], measure: Measure) -> bool:
    """Whether a number with decimals, or printed as results are, is the object of a verb that results are told with ("had needed 10.9", "it is 72.6")."""
    printed = measure.decimals > 0 or _is_printed_so(measure, tokens)
    if not printed or measure.first < 2:
        return False
    led, before = tokens[measure.first - 1], tokens[measure.first - 2]
    if led.low == "at" and before.low in _STANDING_AT:
        return True
    return led.low in _TOLD_WITH | _PRODUCING or (
        led.low == "in"
        and (before.low in _ENDED or any(kind.startswith("benchmark") for kind in before.names))
    )


def _counted_rate(tokens: Sequence[Token], measure: Measure, mind: UnitInMind) -> Measure | None:
    """As in "in the Server scenario it was 2,323 queries", once queries per second were spoken of."""
    after = measure.last + 1
    noun = tokens[after].names.get("unit") if after < len(tokens) else None
    said = mind.near or mind.far
    produced = measure.decimals < 0 and measure.first > 0 and tokens[measure.first - 1].low in _PRODUCING
    if noun not in RATES or said not in RATES.values() or not (produced or _named_by(tokens, measure)):
        return None
    return Measure(QUANTITY, 0.0, after, after, after, unit=RATES[noun])


def _is_owned(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "Oracle's 1,097,620 brings up the rear": a result with its owner before it, whatever comes behind."""
    before, after = tokens[: measure.first], tokens[measure.last + 1 : measure.last + 2]
    owner = before[-1:] if before and before[-1].low not in {"'s", "s", "'"} else before[-2:-1]
    if before[-2:] and [t.low for t in before[-2:]] == ["'", "s"]:
        owner = before[-3:-2]
    counts = any(t.is_("counts", "people", *_NAMED_THINGS) or "unit" in t.names for t in after)
    return _is_printed_so(measure, tokens) and any(t.is_(*_WHOSE) for t in owner) and not counts


def _listed_with(tokens: Sequence[Token], found: Sequence[Measure], number: int) -> Measure | None:
    """The figure whose sign a bare number shares: the last of "6 and 12 percent", of "5, 22 and 41 percent"."""
    for before, after in pairwise(found[number:]):
        between = [t.low for t in tokens[before.last + 1 : after.first]]
        if before.kind != BARE or before.value >= MAX_LED:
            return None
        if between in (["and"], [",", "and"]):
            return after if after.kind in {TIMES, PERCENT} and not after.word else None
        if between != [","]:
            return None
    return None


def _adjoin(tokens: Sequence[Token], before: Measure, measure: Measure) -> bool:
    """Whether only "and" or a comma lies between two figures."""
    between = [t.low for t in tokens[before.last + 1 : measure.first]]
    return between in (["and"], [","], [",", "and"])


def _is_printed_so(measure: Measure, tokens: Sequence[Token] = ()) -> bool:
    """Whether a number is printed as results are."""
    commas = not tokens or "," in tokens[measure.head].low
    fine = measure.decimals >= 3 or measure.decimals < 0  # "0.0731", "1.198 million"
    return fine or (measure.value >= 1000 and (commas or measure.decimals > 0))


def _is_result_like(tokens: Sequence[Token], measure: Measure) -> bool:
    """A number printed as results are ("117,804", "65,511.9"), in a sentence that says whose it is."""
    return _is_printed_so(measure, tokens) and any(
        t.is_("scenario", *_WHOSE) for t in tokens[: measure.first]
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
        if before.low == "with" and measure.first > 1:
            led = tokens[measure.first - 2]
            if led.is_("reporting", *_WHOSE) or (
                led.low == "," and measure.decimals and _is_printed_so(measure)
            ):
                return True  # "…, Dell with 0.646", "nearly doubles the output, with 72,445.1"
        return before.low == "and" or before.low in {"from", "by", "of", "over"}
    return before is None or not before.is_("software", "product", "model")


def _named_by(tokens: Sequence[Token], measure: Measure) -> bool:
    """Whether a scenario stands right behind the number, or shortly before it with no other figure between."""
    here = measure.last + 1
    while here < len(tokens) and here - measure.last <= 8:
        token = tokens[here]
        if token.is_("scenario"):
            return True
        close = here - measure.last <= 3 and token.low in {"(", ","}
        if (
            not (close or token.low.isalpha() or token.names)
            or token.value is not None
            or token.is_("unit", "percent")
        ):
            break
        here += 1
    if _is_printed_so(measure, tokens) and any(
        "round" in t.names for t in tokens[measure.last + 1 : measure.last + 4]
    ):
        return True  # "…, after 100,328 in v6.0"
    before = tokens[measure.first - 1] if measure.first else None
    dated = any("round" in t.names for t in tokens[measure.last + 1 : measure.last + 3])
    if before is not None and before.low == "after" and dated:
        return True  # "516.012 tokens/s after 245.63 in v6.0"
    if before is not None and before.is_(*_WHOSE) and (measure.decimals > 0 or measure.value >= 1000):
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
        or t.is_("reporting", "number", "baseline", "skipped", "filler", "machine", "pair")
        or t.low in {"(", ")", "for", "on", "in", "own", "with", "at"}
        for t in between
    )
