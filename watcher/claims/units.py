"""Units as they are written: tokens/s, "tokens … per second", min, tokens/s/GPU, "thousand tokens/s" in a header."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

RATES = {
    "tokens": "tokens/s",
    "samples": "samples/s",
    "queries": "queries/s",
    "tasks": "tasks/s",
    "inferences": "samples/s",
}

DURATIONS = words("s ms minutes hours")
MAX_LED = 14  # tokens between "every watt" and its figure
_LIMITED = words("capped limited throttled clocked undervolted set restricted drawing rated allowed running")
MIN_PLURAL = 1000  # a whole number as large with an s right behind it is a card's or a decade's name
_STEPPED_OVER = words("more extra output total generated input llm aggregate combined additional new")


class UnitSaid(Struct, frozen=True):
    """A unit named without a figure, in a header or caption; ``factor`` of "thousand tokens/s"."""

    unit: str
    per: str | None = None
    factor: float = 1.0


_FACTORS = {"k": 1e3, "thousand": 1e3, "thousands": 1e3, "million": 1e6, "millions": 1e6, "m": 1e6}
_TIME_WORDS = words("minutes mins min minute seconds secs sec ms milliseconds millisecond hours hour hrs")


def unit_in(tokens: Sequence[Token]) -> UnitSaid | None:
    """The unit that a header or caption names."""
    for place, token in enumerate(tokens):
        name = token.names.get("unit")
        if name is None:
            if token.low in {"s", "h"} and place and tokens[place - 1].low == "(":
                return UnitSaid("s" if token.low == "s" else "hours")
            continue
        factor = _factor_before(tokens, place)
        if name in DURATIONS:
            if token.low in _TIME_WORDS:
                return UnitSaid(name)
        elif name in RATES:
            rate = _rate(tokens, place, name)
            if rate is not None and rate[2] not in {"watt", "joule", "user"}:
                return UnitSaid(rate[0], rate[2], factor)
        else:
            return UnitSaid(name, per_what(tokens, place + 1)[0], factor)
    return None


def _factor_before(tokens: Sequence[Token], place: int) -> float:
    """The factor of "thousand tokens/s", "thousands of tokens/s"."""
    before = place - 2 if place > 1 and tokens[place - 1].low == "of" else place - 1
    return _FACTORS.get(tokens[before].low, 1.0) if before >= 0 else 1.0


def unit_at(tokens: Sequence[Token], here: int) -> tuple[str, int, str | None] | None:
    """(unit, its last token, per what) of the unit that follows a number, or null."""
    if (
        here < len(tokens)
        and tokens[here].low in {"s", "h"}
        and tokens[here].start - tokens[here - 1].end <= 1
        and not _is_plural(tokens[here - 1], tokens[here])
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
        per, last = per_what(tokens, here + 1)
        return name, max(here, last), per
    return _rate(tokens, here, name)


def _is_plural(number: Token, sign: Token) -> bool:
    """As in "two 4090s", "the 1990s": no seconds."""
    whole = not number.decimals and (number.value or 0.0) >= MIN_PLURAL
    return whole and sign.low == "s" and sign.start == number.end


def _rate(tokens: Sequence[Token], here: int, name: str) -> tuple[str, int, str | None] | None:
    """The unit of "tokens … per second", "tokens per joule": a noun that needs what follows to be a rate."""
    for after in range(here + 1, min(here + 4, len(tokens))):
        if tokens[after].is_("second"):
            per, last = per_what(tokens, after + 1)
            return RATES[name], max(after, last), per
        if tokens[after].low not in {"-", "(", "generated", "processed", "output", "served"}:
            break
    per, last = per_what(tokens, here + 1)
    if per in {"joule", "watt"}:
        return name, last, per
    return None


def of_accelerator(tokens: Sequence[Token], here: int) -> bool:
    """As in "for each MI355X", "per B300": not "per B300 server"."""
    after = tokens[here + 1] if here + 1 < len(tokens) else None
    machine = after is not None and after.is_("machine") and not after.is_("per_accelerator")
    return (
        "accelerator" in tokens[here].names
        and not is_limited(tokens, here)
        and tokens[here - 1].low in {"each", "every", "per"}
        and (not machine or (after is not None and after.low in {"gpu", "chip", "card", "accelerator"}))
    )


def is_limited(tokens: Sequence[Token], here: int) -> bool:
    """As in "with each MI355X capped at 1,000 W": what is said of each is how it is run, not what it gives."""
    following = [t.low.partition(" ")[0] for t in tokens[here + 1 : here + 3]]
    run = following[1:] if following[:1] in (["is"], ["was"], ["held"], ["being"]) else following[:1]
    return any(low in _LIMITED for low in run)


def watt_led(tokens: Sequence[Token], number: int) -> bool:
    """As in "every watt bought 9.9 tokens per second": a rate that words before it divide by its watts."""
    for place in range(number - 1, max(-1, number - MAX_LED), -1):
        token, before = tokens[place], tokens[place - 1].low if place else ";"
        if token.low in {";", ".", "but"} or token.is_("number"):
            return False
        if token.low == "watt" and before in {"every", "each"}:
            return True
        if (
            token.low == "per watt"
            and before in {";", ",", ":", "so", "and"}
            and (not place or place + 1 == number or tokens[place + 1].low in {",", "that", "it"})
        ):
            return True
    return False


def per_what(tokens: Sequence[Token], here: int) -> tuple[str | None, int]:
    """(what a unit is divided by, index of the last word that says so)."""
    per: str | None = None
    last = -1
    start = here
    while here < len(tokens) and here - start < 3:
        token = tokens[here]
        if token.low == "for" and here + 2 < len(tokens) and tokens[here + 1].low in {"every", "each"}:
            here += 1  # "for every watt"
        elif of_accelerator(tokens, here):
            per, last = "accelerator", here
        elif token.low in {"watt", "joule"} and tokens[here - 1].low in {"every", "each"}:
            per, last = token.low, here
        elif token.is_("per_accelerator"):
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
