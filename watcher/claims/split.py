"""A block's tokens read on: rounds named in full ("MLPerf Training v6.0" is one token), and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from watcher.claims.lexicon import Lexicon
from watcher.claims.tokens import Token, tokens_of
from watcher.claims.vocabulary import words

_SUITES = words("inference training storage tiny automotive hpc client mobile endpoints")
_BARE_ROUND = re.compile(r"(\d{1,2})\.(\d)(?![\d.]*\d)")
BULLETS = frozenset("|•●▪■►▶➜➤✔✓✅🔹🔸👉")  # what parts of a line are set apart by
_ENDS = BULLETS | {".", "!", "?", "…"}
MAX_SENTENCE = 200  # tokens; the longest sentence that a person wrote is far shorter
_SHORT = words(
    "vs approx ca no inc corp ltd co e.g i.e resp fig dr mr ms u.s cf etc incl max min est al vol nr ver v jan feb mar apr jun jul aug sep sept oct nov dec"
)


def read_tokens(
    text: str, lexicon: Lexicon, *, european: bool = False, within: tuple[int, int] | None = None
) -> list[Token]:
    """The tokens of a normalised text, or of a part of it, rounds named in full."""
    return _with_rounds(tokens_of(text, lexicon, european=european, within=within), lexicon)


def _with_rounds(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """Join "MLPerf Training v6.0", "Inference 6.1", "MLPerf v4.1 Training" to one round each, named in full."""
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        begins = token.low in _SUITES or "mlperf" in token.tags
        if begins or "round" in token.names or "suite" in token.names:
            found = _round_at(tokens, place, joined, lexicon)
            token, place = found if found is not None else (token, place + 1)
        else:
            place += 1
        joined.append(token)
    return joined


def _round_at(
    tokens: Sequence[Token], place: int, before: Sequence[Token], lexicon: Lexicon
) -> tuple[Token, int] | None:
    token = tokens[place]
    here = place
    said = token.is_("mlperf")
    suite: str | None = None
    if said:
        here += 1
    if here < len(tokens) and tokens[here].low in _SUITES and (said or here + 1 < len(tokens)):
        suite = tokens[here].low
        here += 1
    elif here < len(tokens) and "suite" in tokens[here].names:
        suite = tokens[here].names["suite"]
        here += 1
    if here >= len(tokens):
        return None
    number = _round_number(tokens[here], said=said or suite is not None)
    if number is None:
        return None
    if (
        not said
        and suite is None
        and before
        and before[-1].is_("software", "product", "model")
        and before[-1].end + 1 >= token.start
    ):
        return Token(token.start, tokens[here].end, "version", words("version")), here + 1
    here += 1
    if (
        suite is None
        and here < len(tokens)
        and tokens[here].low in _SUITES - {"training"} | ({"training"} if said else set())
    ):
        suite = tokens[here].low
        here += 1
    if suite is not None and suite != "inference" and suite in lexicon.rounds:
        number = f"{suite}-{number}"
    tags = words("round mlperf") if said else words("round")
    names = {"round": number} | ({"suite": suite} if suite else {})
    return Token(token.start, tokens[here - 1].end, "round", tags, names), here


def named_suite(tokens: Sequence[Token]) -> str | None:
    """The suite of "MLPerf Training", "MLPerf Storage", …, if a text names one."""
    for one, two in pairwise(tokens):
        if one.is_("mlperf") and "suite" in one.names:
            return one.names["suite"]
        if one.is_("mlperf") and two.low in _SUITES:
            return two.low
    return None


def _round_number(token: Token, *, said: bool) -> str | None:
    if "round" in token.names:
        return token.names["round"]
    if said and "number" in token.tags:
        found = _BARE_ROUND.fullmatch(token.low)
        return f"v{found[1]}.{found[2]}" if found else None
    return None


def sentences(text: str, tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens sentence by sentence; one that does not end is cut at MAX_SENTENCE tokens."""
    current: list[Token] = []
    breaks = "\n" in text
    for number, token in enumerate(tokens):
        if len(current) >= MAX_SENTENCE:
            yield current
            current = []
        if breaks and current and "\n" in text[current[-1].end : token.start]:
            yield current
            current = []
        current.append(token)
        if token.low in _ENDS and _ends_sentence(text, tokens, number):
            yield current
            current = []
    if current:
        yield current


def _ends_sentence(text: str, tokens: Sequence[Token], number: int) -> bool:
    token = tokens[number]
    if token.low in BULLETS:
        return True
    if number + 1 >= len(tokens):
        return False
    following = text[token.end : tokens[number + 1].start + 1]
    if following[:1] in {'"', "'", ")"} and len(following) == 1:
        return False
    if not following[:1].isspace():
        return False
    if token.low == "." and number:
        before = tokens[number - 1]
        if before.low.rstrip(".") in _SHORT or (
            len(before.low) == 1 and before.low.isalpha() and not before.capital and before.low != "s"
        ):
            return False
    sign = text[tokens[number + 1].start]
    return not sign.islower() or tokens[number + 1].is_("benchmark:inference", "software")
