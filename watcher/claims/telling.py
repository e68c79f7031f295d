"""Which sentences can say anything: told by the bare words of a text, before it is taken apart.

Most sentences of a page have no figure, no name and no word about a benchmark. They leave nothing in mind, so they need
not be read. What is looked for here is wide: a sentence that is passed over has no effect whatever, one that is kept
may still turn out to say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from watcher.claims.vocabulary import words

TELLING_TAGS = words(
    "multiplier rank_one superlative record first_word no_other mlperf other_benchmark own_test not_mlperf"
    " unverified disowned line"
)
TELLING_KINDS = words("accelerator system submitter processor generation")
_COMMON = words(
    "a all an and any are at away before best by each ever every first for from had has have i in is it its leads"
    " led my no none not of on one or other our out over own than that the this to was we with"
)
_ARTICLES = words("the this that our its these those")
_SECOND = words("second sec secs tps qps fps ips rps")
_FIGURING = words("times fold x percent cent pct")
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_DIGITS = b"0123456789"
_LETTERS = bytes(code if chr(code).isalpha() and code < 128 else 0x20 for code in range(256))
_TOPIC = re.compile(
    r"\W*(?:(?:in|on|for|under|at|with|turn(?:ing)? to|the)\s+){0,3}(?:Offline|Server|Interactive|(?:Single|Multi)-?\s?Stream)\b",
    re.IGNORECASE,
)
# Where a sentence surely ends: behind four small letters that are no abbreviation, before a capital; or at a line's end.
# It is looked for by the sign itself, which is what makes it fast.
_END = re.compile(r"[.!?\n](?:(?<=\n)|(?<=[a-z]{4}.)(?<!approx.)(?<!resp.)(?<!incl.) (?=[A-Z]))")


class Telling(Struct, frozen=True):
    """The words that make a sentence worth reading.

    ``single``: those that do alone; ``keys``: those that do together with all words of a set behind them; ``numbers``: written out;
    ``counted``: of units; ``nouns``: of kinds of things ("the rack"); ``unverified``: that a run is not MLPerf's; ``known``: all that
    matter where no system is in mind.
    """

    keys: Mapping[str, tuple[frozenset[str], ...]]
    single: frozenset[str]
    numbers: frozenset[str]
    counted: frozenset[str]
    nouns: frozenset[str]
    unverified: frozenset[str]
    known: frozenset[str]

    def tells(self, text: str, called: frozenset[str] = frozenset()) -> bool:
        """Whether a text may hold a figure or a name. ``called``: words that systems in mind are called by."""
        if has_digit(text):
            return True
        said = words_of(text)
        if called and not (
            said.isdisjoint(called) and (said.isdisjoint(self.nouns) or said.isdisjoint(_ARTICLES))
        ):
            return True
        found = said & self.known
        return bool(found) and self._weighs(found, said, text)

    def _weighs(self, found: frozenset[str], said: frozenset[str], text: str) -> bool:
        """Whether the words of a text that may tell something do; ``found`` of all that are ``said``."""
        if not found.isdisjoint(self.single):
            return True
        if any(others <= said for word in self.keys.keys() & found for others in self.keys[word]):
            return True
        counted = not found.isdisjoint(self.counted)
        if counted and ("/" in text or not said.isdisjoint(_SECOND)):
            return True
        return not found.isdisjoint(self.numbers) and (
            counted or "%" in text or "×" in text or not said.isdisjoint(_FIGURING)
        )


def has_digit(text: str) -> bool:
    """Whether there is a digit of any script in a text."""
    if text.isascii():
        raw = text.encode()
        return len(raw.translate(None, _DIGITS)) < len(raw)  # several times as fast as the search
    return _DIGIT.search(text) is not None


def sets_scenario(text: str) -> bool:
    """Whether a sentence begins with a scenario, which then holds for the figures behind it in the paragraph."""
    return _TOPIC.match(text) is not None


@lru_cache(maxsize=8)
def words_of(text: str) -> frozenset[str]:
    """The words of a text, folded: runs of letters. Several questions are put to a paragraph in turn."""
    if text.isascii():
        return frozenset(text.lower().encode().translate(_LETTERS).decode().split())
    return frozenset(word.casefold() for word in _WORD.findall(text))


def words_in(pieces: Iterable[str]) -> tuple[str, ...]:
    """The words of a spelling, the most telling first; none where a digit in it tells it."""
    found = list(pieces)
    if has_digit("".join(found)):
        return ()
    named = dict.fromkeys(filter(str.isalpha, found))
    if len(named) == 1:
        return tuple(named)
    return tuple(sorted(named, key=lambda piece: (piece in _COMMON, -len(piece))))


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of parts of a text, each one sentence or several."""
    start = 0
    for found in _END.finditer(text):
        yield start, found.end()
        start = found.end()
    if start < len(text):
        yield start, len(text)
