"""Figures in a sentence: multipliers, percentages, quantities with a unit, and bare numbers that borrow one.

What a figure is about, and whether it is a claim at all, is decided later (standing.py); here is only how it is
written: "up to 3.7×", "92-93 %", "nearly doubled", "58,195.8 Server", "53.4k/60.2k", "tokens/s/GPU".
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from watcher.claims.tokens import Token
from watcher.claims.units import DURATIONS, per_what, unit_at, watt_led
from watcher.claims.vocabulary import words

TIMES, PERCENT, QUANTITY, BARE, RANK = "times", "percent", "quantity", "bare", "rank"
MONEY = words("$ € £ ¥ ₹")
SIZE_UNITS = words(
    "w kw mw watt watts kilowatts volts v gb tb gbit/s gb/s tb/s mhz ghz mm mm² cm kg tflops pflops"
)
_EQUATING = words(
    "is are was gives delivers reaches achieves offers provides shows hits scores makes posted equals = "
    "delivered achieved reached gave to at"
)
_FACTORS = {("factor", "of"), ("factor", "is"), ("factor", "was"), ("multiplied", "by")}
MAX_FACTOR = 20  # a whole number that is larger is a count of what is multiplied
_MULTIPLYING = words("multiplies multiplied multiplying")
_GIVE_OR_TAKE = ("plus or minus", "give or take", "±", "+ / -")
_RANGE = words("- – — to through")


class Measure(Struct):
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
    carried: bool = False  # its unit is that of the sentence before


def raw_measures(tokens: Sequence[Token]) -> list[Measure]:
    """The figures of a cell, bare numbers as they are."""
    found: list[Measure] = []
    place = 0
    while place < len(tokens):
        if tokens[place].value is None:
            place += 1
            continue
        measure = _measure_at(tokens, place)
        if measure is not None:
            found.append(measure)
            _qualify(tokens, measure)
        place = place + 1 if measure is None else measure.last + 1
    return found


def _measure_at(tokens: Sequence[Token], place: int) -> Measure | None:
    token = tokens[place]
    if token.is_("multiplier"):
        return _multiplier(tokens, place)
    if not token.is_("number", "number_word") or token.value is None or _is_no_figure(tokens, place):
        return None
    if _and_a_half(tokens, place):
        halved = _typed(tokens, place, place + 3, None)
        return replace(halved, value=halved.value + 0.5, decimals=1) if halved is not None else None
    end, top = _range(tokens, place)
    return _typed(tokens, place, end, top)


def _and_a_half(tokens: Sequence[Token], place: int) -> bool:
    """As in "twelve and a half minutes"."""
    return tokens[place].is_("number_word") and [t.low for t in tokens[place + 1 : place + 4]] == [
        "and",
        "a",
        "half",
    ]


def _to_one(tokens: Sequence[Token], place: int) -> bool:
    """As in "2.57 to 1", "3.7:1": a ratio as odds are written."""
    joint, one = (
        [t.low for t in tokens[place + 1 : place + 2]],
        [t.low for t in tokens[place + 2 : place + 3]],
    )
    before = tokens[place - 1].low if place else ""
    return joint in (["to"], [":"]) and one in (["1"], ["one"]) and before not in {"from", "between"}


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
    unit = unit_at(tokens, after)
    if unit is not None:
        name, last, per = unit
        per = per or ("watt" if watt_led(tokens, place) else None)
        return Measure(QUANTITY, value, place, last, place, top, decimals, name, per)
    if top is None and _to_one(tokens, place):
        return Measure(TIMES, value, place, place + 2, place, None, decimals)
    if times is not None or top is not None:
        return None
    if place and (tokens[place - 1].low == "multiplied by" or _is_factor(tokens, place)):
        return Measure(TIMES, value, place, place, place, None, decimals)
    if place >= 2 and tuple(t.low for t in tokens[place - 2 : place]) in _FACTORS:
        return Measure(TIMES, value, place, place, place, None, decimals)
    if token.is_("number_word") or (after < len(tokens) and tokens[after].low in SIZE_UNITS):
        return None  # "capped at 1,000 W": a size, whatever unit the sentence's results are in
    return Measure(BARE, value, place, place, place, None, decimals, per=per_what(tokens, place + 1)[0])


def _is_factor(tokens: Sequence[Token], place: int) -> bool:
    """As in "multiplied throughput by 2.03 in Offline and by 2.00 in Server"."""
    small = tokens[place].decimals > 0 or (tokens[place].value or 0.0) <= MAX_FACTOR
    return small and tokens[place - 1].low == "by" and any(t.low in _MULTIPLYING for t in tokens[:place])


def _multiplier(tokens: Sequence[Token], place: int) -> Measure | None:
    token = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is not None and (
        following.low in {"-", "a", "per", "weekly", "precision", "digit", "digits", "check", "up", "blind"}
        and token.low in {"twice", "double", "thrice", "triple"}
    ):
        return None
    if following is not None and following.low in {"up", "down"} and token.low not in {"twice", "thrice"}:
        return None  # "Cisco doubled up on engineers"
    return Measure(TIMES, float(token.value or 0.0), place, place, place, word=True)


def _is_no_figure(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1].low if place else ""
    after = tokens[place + 1].low if place + 1 < len(tokens) else ""
    token = tokens[place]
    if (
        before in MONEY
        or after in MONEY
        or before == "#"
        or before in {"usd", "eur"}
        or (before == "us" and tokens[place - 1].capital)  # "gives us 558,803 tokens/s"
        or after in {"usd", "eur", "dollars", "euros"}
    ):
        return True
    if place > 1 and before == "-" and token.is_("number_word") and tokens[place - 2].is_("number_word"):
        return True  # "from two-forty-five to five-sixteen tokens a second": as it is spoken
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
    rated = between and here == place + 1 and unit_at(tokens, here + 2) is not None
    if rated or following in {"x", "×", "times", "%", "percent", "per cent", "pct", "-"}:
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
    ratio_said = before.is_("up_to", "over", "about") and not before.is_("filler")
    compares = before.low in _EQUATING and not _machine_follows(tokens, here)
    return not (ratio_said or compares)


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


def _sign(tokens: Sequence[Token], place: int) -> str:
    before = tokens[place - 1] if place else None
    if before is not None and before.low == "-" and place == 1 and before.end == tokens[place].start:
        return "-"  # a cell that says "-1%"
    return "+" if before is not None and before.low == "+" else ""


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
        if token.low == "past" and here and tokens[here - 1].low not in {"the", "half"}:
            found = "over"  # "is past 900,000 tokens/s"
        if token.low == "over" and tokens[here + 1].low in {"in", "after"}:
            break  # "the test is over in 0.40 minutes"
        if found is not None:
            said.add(found)
            measure.first = here
        elif [t.low for t in tokens[max(0, here - 2) : here + 1]] == ["+", "/", "-"]:
            said.add("about")
            measure.first = here - 2
            break
        elif not _is_filler(token, steps):
            break
        here -= 1
        steps += 1
    after = measure.last + 1
    if after < len(tokens) and tokens[after].low == "+" and tokens[after].start == tokens[after - 1].end:
        said.add("over")
        measure.last = after
    following = " ".join(token.low for token in tokens[measure.last + 1 : measure.last + 3])
    said |= {"over"} if following.startswith(("or more", "or better", "and more")) else set()
    said |= {"about"} if following.startswith(("or so", "or thereabouts")) else set()
    behind = " ".join(token.low for token in tokens[measure.last + 1 : measure.last + 5])
    said |= {"about"} if behind.removeprefix(", ").startswith(_GIVE_OR_TAKE) else set()
    if measure.unit in DURATIONS and "about" in said and _led_by(tokens, measure, "within"):
        said.discard("about")  # "within 99.7 minutes"
    measure.qualifier = next((tag for tag in ("up_to", "over", "about") if tag in said), "exact")


def _led_by(tokens: Sequence[Token], measure: Measure, word: str) -> bool:
    return tokens[measure.first].low == word


def _is_filler(token: Token, steps: int) -> bool:
    """Whether a word may stand between a qualifier and its figure ("up to a further 18 percent")."""
    if token.low == "of" and steps > 1:
        return False
    return token.is_("filler") or token.low in {"+", "(", "-", "–"}
