"""The entries that a claim names: in its sentence, in its footnotes, or in the notes behind a text without marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from watcher.claims.blocks import Article
from watcher.claims.footnotes import plain_quote
from watcher.claims.frame import Draft
from watcher.claims.standing import ABSOLUTE, GAIN, RATIO
from watcher.claims.status import NOT_MLPERF
from watcher.parse.entries import printed_in, prints_one

MAX_ENTRIES = 64  # numbers of one claim; a note that lists more is the list of a whole company
MAX_NOTES = 100  # marks whose notes are read for entries
MAX_NOTE = 2000  # characters of each of them
MAX_BEHIND = 150_000  # characters of the text behind the first claim that are searched for notes
_SIDES = {RATIO: 2, GAIN: 2, ABSOLUTE: 1}  # how many sides a claim has, each with an entry of its own


def name_entries(drafts: Sequence[Draft], article: Article) -> None:
    """Give each claim the entries that are named for it.

    Where no mark leads to a note with entries, the notes behind the claims are of all of them: which row is whose is
    found by the systems, when the claims are checked.
    """
    told = [draft for draft in drafts if draft.claim.status != NOT_MLPERF]
    marks = dict.fromkeys(mark for draft in told for mark in draft.marks)
    notes = {
        mark: printed_in(article.notes[mark][:MAX_NOTE])
        for mark in islice(marks, MAX_NOTES)
        if mark in article.notes
    }
    quoted = {quote: printed_in(quote) for quote in dict.fromkeys(draft.claim.quote for draft in told)}
    shared = () if any(notes.values()) else tuple(dict.fromkeys(_behind(told, article)))
    for draft in told:
        claim = draft.claim
        own = [
            *claim.entries,
            *quoted[claim.quote],
            *(e for mark in draft.marks for e in notes.get(mark, ())),
        ]
        if len(own) < _SIDES.get(claim.kind, 0):
            own += shared
        if own:
            draft.claim = replace(claim, entries=tuple(dict.fromkeys(own))[:MAX_ENTRIES])


def _behind(drafts: Sequence[Draft], article: Article) -> Iterator[str]:
    """The entries that the text from the first claim on names outside of the claims' own sentences."""
    quotes: dict[int, dict[str, None]] = {}
    for draft in drafts:
        quotes.setdefault(draft.block, {})[draft.claim.quote] = None
    first = min(quotes, default=len(article.blocks))
    length = 0
    for number, block in enumerate(article.blocks[first:], first):
        length += len(block.text)
        if length > MAX_BEHIND:
            return
        if block.kind != "heading" and prints_one(block.text):
            yield from printed_in(_without(block.text, quotes.get(number, ())))


def _without(text: str, quotes: Iterable[str]) -> str:
    plain = plain_quote(text)
    for quote in quotes:
        plain = plain.replace(quote, " ") if quote else plain
    return plain
