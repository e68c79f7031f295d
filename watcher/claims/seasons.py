"""Rounds called by the time of year: "its April entry", "September over April"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

_SEASONS = words("april june september november spring summer autumn fall winter")
_ENTRIES = words(
    "entry entries submission submissions result results round score scores number numbers figure figures"
)
MAX_UP = 8  # tokens between "up" and "on April"
_OVER = words("over vs versus against than since from")


def is_seasonal(tokens: Sequence[Token]) -> bool:
    """As in "its April entry", "the autumn results", "than in April": the round before, by the time of year."""
    if not any(t.low in _SEASONS for t in tokens):
        return False
    return (
        any(
            (one.low in _SEASONS and two.low in _ENTRIES) or (two.low in _SEASONS and one.low in _OVER)
            for one, two in pairwise(tokens)
        )
        or any(
            three.low in _SEASONS and two.low in {"in", "last"} and one.low in _OVER
            for one, two, three in zip(tokens, tokens[1:], tokens[2:], strict=False)
        )
        or _up_on(tokens)
    )


def _up_on(tokens: Sequence[Token]) -> bool:
    """As in "28% up on April", "up 4% on last spring"; "up on April 9" is a day."""
    for place, token in enumerate(tokens):
        led = [t.low for t in tokens[max(0, place - 2) : place]]
        day = place + 1 < len(tokens) and tokens[place + 1].is_("number")
        if token.low in _SEASONS and not day and ("on" in led[-1:] or led == ["on", "last"]):
            return any(t.low in {"up", "ahead", "more", "%"} for t in tokens[max(0, place - MAX_UP) : place])
    return False


def says_seasons(tokens: Sequence[Token]) -> bool:
    """As in "September over April" above a table: a later round over an earlier one."""
    return sum(t.low in _SEASONS for t in tokens) > 1 and any(t.low in _OVER for t in tokens)
