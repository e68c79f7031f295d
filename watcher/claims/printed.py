"""Whether a figure of the rows bears out a value as it is printed.

A printed value may have been rounded or cut: 3.7 is borne out by 3.66 and by 3.79, not by 3.64 and not by 3.80.
"up to" is met by a figure that reaches the value, "over" by one that exceeds it, and "about" by one within ABOUT of
it (both of them generous on purpose: the exact figure always stands beside the verdict). A range is met between its
ends.
"""

from __future__ import annotations

import re
from functools import lru_cache

from watcher.claims.numbers import number_at
from watcher.domain import Claim

TABLE_DIGITS = 6  # significant digits of results in the tables that MLCommons publishes
ABOUT = 0.05  # "about 2x" is borne out from 1.9 to 2.1
_EPSILON = 1e-9
_FIGURE = re.compile(r"(?<![\d.,])\d")


def unit_of_print(claim: Claim) -> float:
    """The size of the last printed digit: 0.1 of 3.7, 1 of 45, 10,000 of 1.04M.

    A claim that was handed over without it (as JSON, by another program) has it read off its value and its quote.
    """
    if claim.rounding is not None:
        return float(claim.rounding)
    fraction = f"{claim.value:.10f}".rstrip("0").partition(".")[2]
    decimals = max(claim.decimals, len(fraction))
    return (
        10.0**-decimals
        if decimals
        else max(_coarsely_quoted(claim.value, claim.quote), _coarsely_published(claim))
    )


def _coarsely_published(claim: Claim) -> float:
    """The last digit's size of a value of more digits than published tables print: 1,183,330 is 1,183,326.9 in six."""
    beyond = len(str(int(claim.value))) - TABLE_DIGITS
    return 10.0**beyond if beyond > 0 and claim.value % 10**beyond == 0 else 1.0


@lru_cache(maxsize=64)  # one claim is held against many rows in turn
def _coarsely_quoted(value: float, quote: str) -> float:
    """The last digit's size of a whole value that the quote writes as "1.04M" or "53.4k"; else 1."""
    for found in _FIGURE.finditer(quote):
        number = number_at(quote, found.start())
        if number is not None and number.value == value and number.decimals < 0:
            return 10.0**-number.decimals
    return 1.0


def bears_out(claim: Claim, figure: float) -> bool:
    """Whether ``figure`` (in the claim's own terms: a ratio, a percentage, a value) bears the claim out."""
    step = unit_of_print(claim)
    low, high = (
        claim.value - step / 2,
        (claim.value_max if claim.value_max is not None else claim.value) + step,
    )
    slack = _EPSILON * max(1.0, abs(figure))
    if claim.qualifier == "up_to":
        return figure >= low - slack
    if claim.qualifier == "over":
        return figure > claim.value - slack
    if claim.qualifier == "about":
        margin = max(step, ABOUT * abs(claim.value))
        return claim.value - margin - slack <= figure <= (claim.value_max or claim.value) + margin + slack
    return low - slack <= figure < high - slack


def distance(claim: Claim, figure: float) -> float:
    """How far a figure is from the value, for choosing the nearest; 0 where it bears the claim out exactly."""
    top = claim.value_max if claim.value_max is not None else claim.value
    if claim.value <= figure <= top:
        return 0.0
    return min(abs(figure - claim.value), abs(figure - top))
