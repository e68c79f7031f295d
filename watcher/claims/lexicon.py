"""The words that claims are read with: every name of the catalog and every phrase of words.yaml, in one tree of pieces."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.claims.prepared import spelled_over
from watcher.claims.spellings import Meaning, Spelled
from watcher.claims.telling import Telling

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog


class Node(dict[str, "Node"]):
    """One place in the tree; ``meaning`` where a spelling ends."""

    __slots__ = ("meaning",)
    meaning: Meaning | None

    def __init__(self) -> None:
        self.meaning = None


class Lexicon(Struct, frozen=True, eq=False, dict=True):
    """The tree, and what is known of single names: titles, accelerators of systems, predecessors, rounds."""

    root: Node
    catalog: Catalog
    titles: Mapping[str, Mapping[str, str]]  # by kind
    predecessors: Mapping[str, str]
    processors: Mapping[str, str]  # how the processor column of their rows reads, a pattern
    telling: Telling  # by which words a sentence is worth reading
    untimed: frozenset[str]  # benchmarks of the inference suite that no scenario measures as a time
    numbers: Mapping[str, float]
    multipliers: Mapping[str, float]
    rounds: Mapping[str, tuple[str, ...]]  # names of a suite's rounds, oldest first
    called: Mapping[str, tuple[str, ...]]  # code names of processors by title

    def title(self, kind: str, name: str) -> str:
        """How people write a name."""
        return self.titles.get(kind, {}).get(name, name)

    @cached_property
    def aliases(self) -> Mapping[str, tuple[str, ...]]:
        """Other names of accelerators by the name they are called in claims, the longest first."""
        found: dict[str, tuple[str, ...]] = {}
        for name in self.catalog.names("accelerator"):
            entry = self.catalog.entry("accelerator", name)
            found[short_title(entry.title)] = (*entry.aliases, entry.title.partition(" (")[0])
        found |= self.called
        return {title: tuple(sorted(names, key=len, reverse=True)) for title, names in found.items() if names}

    @cached_property
    def plain(self) -> Mapping[str, str]:
        """Titles of accelerators that end in their generation, as they are called without it: "RTX PRO 6000"."""
        found: dict[str, str] = {}
        for name in self.catalog.names("accelerator"):
            entry = self.catalog.entry("accelerator", name)
            short = entry.title.removesuffix(f" {entry.generation}")
            if short != entry.title and short in entry.aliases:
                found[entry.title] = short
        return found

    @cached_property
    def makers(self) -> frozenset[str]:
        """Who makes accelerators, by catalog name."""
        known = (self.catalog.entry("accelerator", name).vendor for name in self.catalog.names("accelerator"))
        return frozenset(vendor for vendor in known if vendor)

    def is_round(self, round: str) -> bool:
        """Whether the calendar has a round of this name."""
        suite, _, number = round.rpartition("-")
        return number in self.rounds.get(suite or "inference", ())

    def previous_round(self, round: str | None) -> str | None:
        """The round before ``round`` ("training-v6.0") in its suite, or null."""
        if round is None:
            return None
        suite, _, number = round.rpartition("-")
        names = self.rounds.get(suite or "inference", ())
        place = names.index(number) if number in names else 0
        return f"{suite}-{names[place - 1]}" if place and suite else (names[place - 1] if place else None)


def short_title(title: str) -> str:
    """A title without what stands in brackets or repeats the generation ("TPU v6 (Trillium)" is Trillium to readers)."""
    inside = title.partition("(")[2].rstrip(")")
    return inside or title


@lru_cache(maxsize=4)
def lexicon(catalog: Catalog) -> Lexicon:
    """The lexicon over a catalog; built once for each."""
    spelled = spelled_over(catalog)
    return Lexicon(
        _tree(spelled),
        catalog,
        spelled.titles,
        spelled.predecessors,
        spelled.processors,
        spelled.telling,
        spelled.untimed,
        spelled.numbers,
        spelled.multipliers,
        spelled.rounds,
        spelled.called,
    )


def _tree(spelled: Spelled) -> Node:
    root = Node()
    for spelling, place in spelled.spellings.items():
        node = root
        for piece in spelling.split(" "):
            following = node.get(piece)
            if following is None:
                following = node[piece] = Node()
            node = following
        node.meaning = spelled.meanings[place]
    return root
