"""Figures in a sentence: multipliers, percentages, quantities with a unit, and bare numbers that borrow one.

What a figure is about, and whether it is a claim at all, is decided later (standing.py); here is only how it is
written: "up to 3.7×", "92-93 %", "nearly doubled", "58,195.8 Server", "53.4k/60.2k", "tokens/s/GPU".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

TIMES, PERCENT, QUANTITY, BARE, RANK = "times", "percent", "quantity", "bare", "rank"
RATES = {
    "tokens": "tokens/s",
    "samples": "samples/s",
    "queries": "queries/s",
    "tasks": "tasks/s",
    "inferences": "samples/s",
}
DURATIONS = words("s ms minutes hours")
_MONEY = words("$ € £ ¥ ₹")
_JOINS = words(", and & or / against versus vs to – - then from")
_RANGE = words("- – — to through")
_STEPPED_OVER = frozenset(
    {
        "more",
        "extra",
        "output",
        "total",
        "generated",
        "input",
        "llm",
        "aggregate",
        "combined",
        "additional",
        "new",
    }
)
_COUNTING = frozenset(
    {
        "with",
        "on",
        "using",
        "across",
        "of",
        "from",
        "by",
        "over",
        "all",
        "between",
        "on all",
        "and",
        "x",
        "no",
        "nos",
        "page",
        "chapter",
        "step",
        "version",
        "round",
    }
)
_PLAIN_FOLLOWERS = frozenset(
    {
        ",",
        ".",
        ";",
        ":",
        ")",
        "(",
        "and",
        "&",
        "or",
        "/",
        "in",
        "on",
        "for",
        "at",
        "against",
        "versus",
        "vs",
        "to",
        "while",
        "–",
        "—",
        "|",
        "respectively",
        "under",
        "with",
        "but",
        "whereas",
        "!",
        "?",
        '"',
        "from",
        "as",
        "it",
    }
)


@dataclass(slots=True)
class Measure:
    """A figure and how it is written; ``first`` and ``last`` are indexes of its first and last token.

    ``per``: accelerator, user, watt, joule or dollar. ``head``: index of the number itself. ``sign``: "+" before it.
    ``word``: the multiplier is a word ("doubled").
    """

    kind: str
    value: float
    first: int
    last: int
    head: int
    value_max: float | None = None
    decimals: int = 0
    unit: str | None = None
    per: str | None = None
    qualifier: str = "exact"
    sign: str = ""
    word: bool = False


def measures_of(tokens: Sequence[Token], unit: str | None = None) -> list[Measure]:
    """The figures of a sentence, in order. ``unit``: what bare numbers are in (a heading or lead-in said it)."""
    found: list[Measure] = []
    place = 0
    while place < len(tokens):
        measure = _measure_at(tokens, place)
        if measure is None:
            place += 1
            continue
        found.append(measure)
        place = measure.last + 1
    for measure in found:
        _qualify(tokens, measure)
    return _with_borrowed_units(tokens, found, unit)


@dataclass(frozen=True, slots=True)
class UnitSaid:
    """A unit named without a figure, in a header or caption; ``factor`` of "thousand tokens/s"."""

    unit: str
    per: str | None = None
    factor: float = 1.0


_FACTORS = {"k": 1e3, "thousand": 1e3, "thousands": 1e3, "million": 1e6, "millions": 1e6, "m": 1e6}
_TIME_WORDS = frozenset(
    {
        "minutes",
        "mins",
        "min",
        "minute",
        "seconds",
        "secs",
        "sec",
        "ms",
        "milliseconds",
        "millisecond",
        "hours",
        "hour",
        "hrs",
    }
)


def raw_measures(tokens: Sequence[Token]) -> list[Measure]:
    """The figures of a cell, bare numbers as they are."""
    found: list[Measure] = []
    place = 0
    while place < len(tokens):
        measure = _measure_at(tokens, place)
        if measure is not None:
            found.append(measure)
            _qualify(tokens, measure)
        place = place + 1 if measure is None else measure.last + 1
    return found


def unit_in(tokens: Sequence[Token]) -> UnitSaid | None:
    """The unit that a header or caption names."""
    for place, token in enumerate(tokens):
        name = token.names.get("unit")
        if name is None:
            if token.low in {"s", "h"} and place and tokens[place - 1].low == "(":
                return UnitSaid("s" if token.low == "s" else "hours")
            continue
        factor = _FACTORS.get(tokens[place - 1].low, 1.0) if place else 1.0
        if name in DURATIONS:
            if token.low in _TIME_WORDS:
                return UnitSaid(name)
        elif name in RATES:
            rate = _rate(tokens, place, name)
            if rate is not None and rate[2] not in {"watt", "joule", "user"}:
                return UnitSaid(rate[0], rate[2], factor)
        else:
            return UnitSaid(name, _per(tokens, place + 1)[0], factor)
    return None


def _measure_at(tokens: Sequence[Token], place: int) -> Measure | None:
    token = tokens[place]
    if token.is_("multiplier"):
        return _multiplier(tokens, place)
    if not token.is_("number", "number_word") or token.value is None or _is_no_figure(tokens, place):
        return None
    end, top = _range(tokens, place)
    return _typed(tokens, place, end, top)


def _typed(tokens: Sequence[Token], place: int, end: int, top: float | None) -> Measure | None:
    """The measure whose number ends at token ``end``, by what follows it."""
    token = tokens[place]
    value, decimals = float(token.value or 0.0), max(token.decimals, tokens[end].decimals)
    after = end + 1
    times = _times_sign(tokens, end)
    if times is not None and not (top is None and is_count(tokens, place, times)):
        return Measure(TIMES, value, place, times, place, top, decimals)
    percent = _percent_sign(tokens, after)
    if percent is not None:
        return Measure(PERCENT, value, place, percent, place, top, decimals, sign=_sign(tokens, place))
    unit = _unit(tokens, after)
    if unit is not None:
        name, last, per = unit
        return Measure(QUANTITY, value, place, last, place, top, decimals, name, per)
    if times is not None or top is not None or token.is_("number_word"):
        return None
    if place >= 2 and [t.low for t in tokens[place - 2 : place]] == ["factor", "of"]:
        return Measure(TIMES, value, place, place, place, None, decimals)
    return Measure(BARE, value, place, place, place, None, decimals, per=_per(tokens, place + 1)[0])


def _multiplier(tokens: Sequence[Token], place: int) -> Measure | None:
    token = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is not None and (
        following.low in {"-", "a", "per", "weekly", "precision", "digit", "digits", "check", "up", "blind"}
        and token.low in {"twice", "double", "thrice", "triple"}
    ):
        return None
    return Measure(TIMES, float(token.value or 0.0), place, place, place, word=True)


def _is_no_figure(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1].low if place else ""
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    token = tokens[place]
    if (
        before in _MONEY
        or after in _MONEY
        or before == "#"
        or before in {"usd", "eur", "us"}
        or after in {"usd", "eur", "dollars", "euros"}
    ):
        return True
    glued = place and tokens[place - 1].end == token.start
    return bool(
        glued
        and before
        not in {"(", "[", "~", "≈", "±", "+", "-", "–", "/", ">", "<", "≥", "≤", '"', "=", ":", "|", ","}
    )


def _range(tokens: Sequence[Token], place: int) -> tuple[int, float | None]:
    """(index of the last number of a range, its upper end); "80 to 85 %", "3-5x", "between 1.7x and 3.7x"."""
    here = place + 1
    if here < len(tokens) and tokens[here].low in {"x", "×", "%", "percent"}:
        here += 1
    if here + 1 >= len(tokens):
        return place, None
    joint = tokens[here].low
    between = joint == "and" and any(t.low == "between" for t in tokens[max(0, place - 3) : place])
    if joint not in _RANGE and not between:
        return place, None
    upper = tokens[here + 1]
    if not upper.is_("number") or upper.value is None or upper.value <= (tokens[place].value or 0.0):
        return place, None
    following = tokens[here + 2].low if here + 2 < len(tokens) else ""
    if following in {"x", "×", "times", "%", "percent", "per cent", "pct"} or following == "-":
        return here + 1, upper.value
    return place, None


def _times_sign(tokens: Sequence[Token], number: int) -> int | None:
    """Index of the sign that makes a number a multiplier, or null."""
    here = number + 1
    if here >= len(tokens):
        return None
    token, glued = tokens[here], tokens[here].start == tokens[number].end
    if token.low == "×" or (token.low in {"x", "fold"} and (glued or not tokens[number].is_("number_word"))):
        following = tokens[here + 1] if here + 1 < len(tokens) else None
        dimension = following is not None and following.is_("number") and following.start == token.end
        return None if dimension else here
    if (
        glued
        and len(token.low) == 2
        and token.low[0] == "x"
        and token.low[1].isdigit()
        and tokens[number].decimals
    ):
        return here  # a footnote's digit behind the sign: "3.7x1"
    if token.low == "times" and not (here + 1 < len(tokens) and tokens[here + 1].low in {"a", "per", "each"}):
        return here
    if (
        token.low == "-"
        and here + 1 < len(tokens)
        and tokens[here + 1].low in {"fold", "times", "x", "mal", "fach"}
    ):
        return here + 1
    return None


def is_count(tokens: Sequence[Token], number: int, sign: int) -> bool:
    """Whether "8x B200" counts machines instead of comparing with them."""
    token = tokens[number]
    if token.decimals or tokens[sign].low not in {"x", "×"} or (token.value or 0) < 1:
        return False
    here = sign + 1
    while here < len(tokens) and (tokens[here].is_("submitter") or tokens[here].low in {"-", "instinct"}):
        here += 1
    if here >= len(tokens) or not (
        tokens[here].is_("accelerator", "generation", "processor", "counts") or tokens[here].is_("number")
    ):
        return False
    before = tokens[number - 1] if number else None
    if before is None:
        return True
    ratio_said = before.is_("up_to", "over", "about") and not before.is_("exactly")
    return not (
        ratio_said
        or before.low
        in {
            "is",
            "are",
            "was",
            "gives",
            "delivers",
            "reaches",
            "achieves",
            "offers",
            "provides",
            "shows",
            "hits",
            "scores",
            "makes",
            "posted",
            "equals",
            "=",
            "delivered",
            "achieved",
            "reached",
            "gave",
            "to",
            "at",
        }
        and not _machine_follows(tokens, here)
    )


def _machine_follows(tokens: Sequence[Token], name: int) -> bool:
    following = tokens[name + 1] if name + 1 < len(tokens) else None
    return following is not None and following.is_("machine")


def _percent_sign(tokens: Sequence[Token], here: int) -> int | None:
    if here >= len(tokens):
        return None
    low = tokens[here].low
    if low == "per" and here + 1 < len(tokens) and tokens[here + 1].low == "cent":
        return here + 1
    if low == "-" and here + 1 < len(tokens) and tokens[here + 1].low in {"percent", "%"}:
        return here + 1
    if low not in {"%", "percent", "pct"}:
        return None
    return None if here + 1 < len(tokens) and tokens[here + 1].low in {"point", "points"} else here


def _unit(tokens: Sequence[Token], here: int) -> tuple[str, int, str | None] | None:
    """(unit, its last token, per what) of the unit that follows a number, or null."""
    if (
        here < len(tokens)
        and tokens[here].low in {"s", "h"}
        and tokens[here].start - tokens[here - 1].end <= 1
    ):
        return ("s" if tokens[here].low == "s" else "hours"), here, None
    if (
        here < len(tokens)
        and tokens[here].low == "-"
        and here + 1 < len(tokens)
        and tokens[here + 1].names.get("unit") in DURATIONS
    ):
        return tokens[here + 1].names["unit"], here + 1, None
    start = here
    while here < len(tokens) and here - start < 4 and "unit" not in tokens[here].names:
        bracket = tokens[here].low in {"(", ")"} and any(
            "scenario" in t.names for t in tokens[max(start, here - 1) : here + 2]
        )
        if not (
            tokens[here].names or tokens[here].low in _STEPPED_OVER or tokens[here].low == "-" or bracket
        ):
            return None
        here += 1
    if here >= len(tokens) or "unit" not in tokens[here].names:
        return None
    name = tokens[here].names["unit"]
    if name in DURATIONS:
        joined = (
            here + 1 < len(tokens)
            and tokens[here + 1].low == "-"
            and tokens[here + 1].start == tokens[here].end
        )
        return (name, here, None) if here == start and not joined else None
    if name not in RATES:
        per, last = _per(tokens, here + 1)
        return name, max(here, last), per
    return _rate(tokens, here, name)


def _rate(tokens: Sequence[Token], here: int, name: str) -> tuple[str, int, str | None] | None:
    """The unit of "tokens … per second", "tokens per joule": a noun that needs what follows to be a rate."""
    for after in range(here + 1, min(here + 4, len(tokens))):
        if tokens[after].is_("second"):
            per, last = _per(tokens, after + 1)
            return RATES[name], max(after, last), per
        if tokens[after].low not in {"-", "(", "generated", "processed", "output", "served"}:
            break
    per, last = _per(tokens, here + 1)
    if per in {"joule", "watt"}:
        return name, last, per
    return None


def _per(tokens: Sequence[Token], here: int) -> tuple[str | None, int]:
    """(what a unit is divided by, index of the last word that says so)."""
    per: str | None = None
    last = -1
    start = here
    while here < len(tokens) and here - start < 3:
        token = tokens[here]
        if token.is_("per_accelerator"):
            per, last = "accelerator", here
        elif token.is_("per_user"):
            per, last = "user", here
        elif token.low in {"per watt", "w", "watt"} and (
            token.low == "per watt" or tokens[here - 1].low in {"/", "per"}
        ):
            per, last = "watt", here
        elif token.low in {"j", "joule", "joules", "per joule"}:
            per, last = "joule", here
        elif token.low in {"per dollar", "$"}:
            per, last = "dollar", here
        elif token.low not in {"/", "per", "(", ",", "-"}:
            break
        here += 1
    return per, last


def _sign(tokens: Sequence[Token], place: int) -> str:
    return "+" if place and tokens[place - 1].low == "+" else ""


# ---------------------------------------------------------------------------------------------- qualifiers

_BEFORE_SIGNS = {
    "~": "about",
    "≈": "about",
    "±": "about",
    ">": "over",
    "≥": "over",
    "<": "about",
    "≤": "up_to",
    "∼": "about",
}


def _qualify(tokens: Sequence[Token], measure: Measure) -> None:
    """Set the qualifier from the words before a figure, and from "+", "or more", "or so" behind it."""
    said: set[str] = set()
    here = measure.first - 1
    steps = 0
    while here >= 0 and steps < 5:
        token = tokens[here]
        found = _BEFORE_SIGNS.get(token.low) or next(
            (tag for tag in ("up_to", "over", "about") if tag in token.tags), None
        )
        if found is not None:
            said.add(found)
            measure.first = here
        elif (
            token.low in {"+", "/", "-"}
            and here >= 2
            and [t.low for t in tokens[here - 2 : here + 1]] == ["+", "/", "-"]
        ):
            said.add("about")
            measure.first = here - 2
            break
        elif (
            not (token.is_("exactly") or token.low in {"+", "(", "-", "–"})
            or token.low in {"of"}
            and steps > 1
        ):
            break
        here -= 1
        steps += 1
    after = measure.last + 1
    if after < len(tokens) and tokens[after].low == "+" and tokens[after].start == tokens[after - 1].end:
        said.add("over")
        measure.last = after
    following = " ".join(token.low for token in tokens[measure.last + 1 : measure.last + 3])
    said |= {"over"} if following.startswith(("or more", "or better", "and more", "plus")) else set()
    said |= {"about"} if following.startswith(("or so", "or thereabouts")) else set()
    measure.qualifier = next((tag for tag in ("up_to", "over", "about") if tag in said), "exact")


# ---------------------------------------------------------------------------------------------- bare numbers


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
        if unit is None or not _named_by(tokens, measure):
            return None
        return Measure(QUANTITY, 0.0, measure.last + 1, measure.last, measure.last, unit=unit)
    if measure.per == "accelerator" or _named_by(tokens, measure) or _in_series(tokens, measure, lender):
        return lender
    return None


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
        or t.is_("number", "baseline", "skipped", "exactly", "machine", "pair")
        or t.low in {"(", ")", "for", "on", "in", "own"}
        for t in between
    )
