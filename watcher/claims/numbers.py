"""Numbers as people write them: 1,046,150 · 69.846,9 · 1 097 620 · 4,4 · 53.4k · 5.75M · 1.1 million."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = re.compile(
    r"""
    \d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?            # 1,046,150.5
    | \d{1,3}(?:\.\d{3})+(?!\d),\d+               # 69.846,9
    | \d{1,3}(?:\.\d{3}){2,}(?!\d)                # 1.046.150
    | \d{1,3}(?:[\u00a0']\d{3})+(?!\d)(?:[.,]\d+)?   # 1 097 620 with a no-break space, 1'097'620
    | \d{1,3}(?:[ ]\d{3})+,\d{1,2}(?!\d)          # 69 846,9
    | \d{1,3}(?:[ ]\d{3})+(?=\s?(?:tok|sampl|quer|imag|inf|req)) # 1 097 620 tokens/s
    | \d+\.\d+
    | \d+,\d{1,2}(?=\s?(?:[xX×%]|-?mal|-?fach|times|fold|percent|per\scent|tok|sampl|quer|s\b|ms\b|min))  # 4,4x
    | \d+
    """,
    re.VERBOSE,
)
_EUROPEAN = r"(?i)\d\.\d{3},\d|(?<![\d.,])\d{1,3},\d{1,2}(?:\s?[x×%]|-?(?:mal|fach|fois|prozent)\b)"
_COMMA = re.compile(r",\d")
_ENGLISH = re.compile(r"\d,\d{3}(?!\d)")
_MULTIPLES = (
    (re.compile(r"[kK](?![^\W\d_])|\s?thousand\b"), 3),
    (re.compile(r"M(?![^\W\d_])|\s?(?:million|mio|mn)\b|m(?=\s(?:tok|sampl|quer|imag|req|inf))"), 6),
    (re.compile(r"\s?(?:billion|bn)\b"), 9),
)
MAX_DIGITS = 40


class Number(NamedTuple):
    """``end``: where it ends in the text; ``decimals`` as printed: 2 of 3.74, -4 of 1.04M (the last digit is 10,000)."""

    value: float
    decimals: int
    end: int


def is_european(text: str) -> bool:
    """Whether a post writes decimal commas and no thousands with them; a lone "1.956" is 1956 there."""
    if _COMMA.search(text) is None or _ENGLISH.search(text) is not None:
        return False
    return re.search(_EUROPEAN, text) is not None


def number_at(text: str, start: int, *, european: bool = False) -> Number | None:
    """The number that begins at ``start``, or null; longer than MAX_DIGITS is no number."""
    found = _NUMBER.match(text, start)
    if found is None or found.end() - start > MAX_DIGITS:
        return None
    digits, decimals = _plain(found[0], european=european)
    end = found.end()
    value = float(digits)
    for suffix, exponent in _MULTIPLES:
        multiple = suffix.match(text, end)
        if multiple and not _is_bytes(text, multiple.end()):
            # the product of printed digits and a power of ten, rounded back to what was printed
            return Number(round(value * 10.0**exponent, 6), decimals - exponent, multiple.end())
    return Number(value, decimals, end)


def _plain(written: str, *, european: bool) -> tuple[str, int]:
    """(digits with a decimal point, decimals) of a number as written."""
    text = re.sub(r"[\u00a0' ]", "", written)
    commas, points = text.count(","), text.count(".")
    if commas and points:
        decimal = max(text.rfind(","), text.rfind("."))
        whole, part = text[:decimal], text[decimal + 1 :]
        return f"{re.sub('[.,]', '', whole)}.{part}", len(part)
    if points > 1 or (european and points and re.fullmatch(r"\d{1,3}\.\d{3}", text)):
        return text.replace(".", ""), 0
    if commas:
        whole, _, part = text.rpartition(",")
        if len(part) != 3:
            return f"{whole}.{part}", len(part)
        return text.replace(",", ""), 0
    return text, len(text.partition(".")[2])


def _is_bytes(text: str, end: int) -> bool:
    return text[end : end + 1] in {"B", "b", "W", "H"} and text[end - 1 : end] in {"k", "K", "M"}
