"""Small closed sets of words, written as a reader would list them."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The set of the words in ``text``."""
    return frozenset(text.split())
