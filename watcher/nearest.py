"""The word that was meant: one way to say it, for config, rules, options, names and commands."""

from __future__ import annotations

from collections.abc import Iterable

LISTED = 24  # so many known words are listed where none is near; more would bury the message


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like ``word``, whatever its case; None if none is near."""
    import difflib  # noqa: PLC0415 - only when a word is wrong

    folded = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def likeness(word: str, name: str) -> float:
    """Return how like a name's whole or its beginning is to a word, 0 to 1: "deepsek" is nearly deepseek-r1's beginning.

    Of two names with like beginnings the shorter is the nearer.
    """
    import difflib  # noqa: PLC0415 - only when a word is wrong

    def ratio(part: str) -> float:
        return difflib.SequenceMatcher(None, part, word, autojunk=False).ratio()

    whole = ratio(name)
    beginnings = [ratio(name[: len(word) + more]) for more in (-1, 0, 1)] if len(word) > 2 else []
    return max(whole, max(beginnings, default=0.0) - 0.0001 * (len(name) - len(word)))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'gte'?``, or the known words if none is near and they are few, or nothing."""
    names = tuple(known)
    found = nearest(word, names)
    if found is not None:
        return f"; did you mean {found!r}?"
    if len(names) == 1:
        return f"; there is only {names[0]!r}"
    return f"; known are {', '.join(names)}" if 0 < len(names) <= LISTED else ""
