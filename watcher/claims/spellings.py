"""Every spelling that claims are read with, as plain values: what the lexicon is made of.

A piece is a run of letters or of digits, or one sign. A spelling is the pieces it is made of, so case, spaces, hyphens
and underscores do not count: "GPT-OSS-120B", "gpt oss 120b" and "gptoss120b" are the same pieces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from msgspec import Struct

from watcher.claims.telling import Telling

PIECES = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
GLUE = frozenset("-_.'’‑–/:&")  # signs that may stand inside a spelling without being written in the catalog


class Meaning(NamedTuple):
    """What a spelling means: ``tags`` are parts of words.yaml and kinds of names; ``names`` by kind."""

    tags: frozenset[str]
    names: Mapping[str, str]


class Spelled(Struct, frozen=True, kw_only=True):
    """What words.yaml and a catalog hold. ``spellings``: pieces, joined by blanks, → place in ``meanings``; the rest as in `Lexicon`."""

    spellings: dict[str, int]
    meanings: list[Meaning]
    titles: dict[str, dict[str, str]]
    predecessors: dict[str, str]
    processors: dict[str, str]
    telling: Telling
    untimed: frozenset[str]
    numbers: dict[str, float]
    multipliers: dict[str, float]
    rounds: dict[str, tuple[str, ...]]
    called: dict[str, tuple[str, ...]]


def pieces_of(spelling: str) -> list[str]:
    """The pieces of a spelling: folded, signs inside it left out."""
    found = [piece.casefold() for piece in PIECES.findall(spelling)]
    return [piece for number, piece in enumerate(found) if not number or piece not in GLUE]
