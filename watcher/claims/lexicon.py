"""The words that claims are read with: every name of the catalog and every phrase of words.yaml, in one tree of pieces.

A piece is a run of letters or of digits, or one sign. A spelling is the pieces it is made of, so case, spaces, hyphens
and underscores do not count: "GPT-OSS-120B", "gpt oss 120b" and "gptoss120b" are one path in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

from watcher.claims.kinds import KIND_WORDS
from watcher.claims.telling import TELLING_KINDS, TELLING_TAGS, Telling, words_in
from watcher.claims.vocabulary import words

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

PIECES = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
GLUE = frozenset("-_.'’‑–/:&")  # signs that may stand inside a spelling without being written in the catalog
NAME_KINDS = ("accelerator", "system", "benchmark", "software", "precision", "scenario", "submitter")
_COUNTED = re.compile(r"^\d+\s?x\s", re.IGNORECASE)
# Spellings that are everyday words in a sentence; in a table's column they are names, in prose they are not.
_NOT_IN_PROSE = words(
    "go ad ic ss half tf flux ssd gnn transformer smc atlas triton max edge cloud atom system a2 s4 "
    "s10 s30 flax"
)


class Meaning(NamedTuple):
    """What a spelling means: ``tags`` are parts of words.yaml and kinds of names; ``names`` by kind."""

    tags: frozenset[str]
    names: Mapping[str, str]


_TOLD = TELLING_TAGS | TELLING_KINDS | {"unit"}


class Node(dict[str, "Node"]):
    """One place in the tree; ``meaning`` where a spelling ends."""

    __slots__ = ("meaning",)
    meaning: Meaning | None

    def __init__(self) -> None:
        self.meaning = None


@dataclass(frozen=True)
class Lexicon:
    """The tree, and what is known of single names: titles, accelerators of systems, predecessors, rounds."""

    root: Node
    catalog: Catalog
    titles: Mapping[tuple[str, str], str]
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
        return self.titles.get((kind, name), name)

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
    words = _words()
    tree = _Tree()
    titles: dict[tuple[str, str], str] = {("processor", title): title for title in words["processors"]}
    for tag, phrases in words["parts"].items():
        tree.add_all(phrases, tag)
    tree.add_all(words["numbers"], "number_word")
    tree.add_all(words["multipliers"], "multiplier")
    for kind, name, title, spellings in _catalog_names(catalog):
        titles[kind, name] = title
        tree.add_all(spellings, kind, name)
    for kind, named in words["short_names"].items():
        for name, spellings in named.items():
            tree.add_all(spellings, kind, name)
    for title, processor in words["processors"].items():
        tree.add_all((title, *processor["aliases"]), "processor", title)
    for kind in ("unit", "task"):
        for name, spellings in words[f"{kind}s"].items():
            tree.add_all(spellings, kind, name)
    return Lexicon(
        tree.freeze(),
        catalog,
        titles,
        words["predecessors"],
        {
            name: processor["published"]
            for title, processor in words["processors"].items()
            for name in (title, *processor["aliases"])
        },
        tree.telling(words),
        frozenset(words["untimed"]),
        words["numbers"],
        {_key(word): value for word, value in words["multipliers"].items()},
        _rounds(catalog),
        {title: _code_names(title, processor["aliases"]) for title, processor in words["processors"].items()},
    )


def _code_names(title: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """The aliases that have no word of the title: "Granite Rapids" of Xeon 6."""
    own = set(pieces_of(title))
    return tuple(alias for alias in aliases if own.isdisjoint(pieces_of(alias)))


def _key(phrase: str) -> str:
    return "".join(piece for piece in pieces_of(phrase))


@lru_cache(maxsize=1)
def _words() -> dict[str, Any]:
    import yaml  # noqa: PLC0415 - heavy, only when a post is read

    text = resources.files("watcher.claims").joinpath("words.yaml").read_text(encoding="utf-8")
    words: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe loaders
    return words


def pieces_of(spelling: str) -> list[str]:
    """The pieces of a spelling: folded, signs inside it left out."""
    found = [piece.casefold() for piece in PIECES.findall(spelling)]
    return [piece for number, piece in enumerate(found) if not number or piece not in GLUE]


class _Tree:
    """The tree while it grows."""

    def __init__(self) -> None:
        self.root = Node()
        self.found: dict[int, tuple[Node, set[str], dict[str, str]]] = {}
        self.told: dict[str, set[tuple[str, ...]]] = {}  # the words of spellings, by tag or kind

    def add_all(self, spellings: Iterable[str], tag: str, name: str | None = None) -> None:
        """Give several spellings one further meaning."""
        tells = tag in _TOLD or tag.startswith("benchmark:")
        for spelling in spellings:
            node = self.root
            pieces = pieces_of(spelling)
            if tells and (told := words_in(pieces)):
                self.told.setdefault(tag, set()).add(told)
            for piece in pieces:
                following = node.get(piece)
                if following is None:
                    following = node[piece] = Node()
                node = following
            if node is self.root:
                continue
            found = self.found.get(id(node))
            if found is None:
                found = self.found[id(node)] = (node, set(), {})
            found[1].add(tag)
            if name is not None:
                found[2].setdefault(tag, name)

    def telling(self, said: Mapping[str, Any]) -> Telling:
        """The words that tell whether a sentence may hold a figure or a name; ``said``: what words.yaml holds."""
        kinds = [kind for kind in self.told if kind != "unit"]
        several: dict[str, list[frozenset[str]]] = {}
        for key, *others in (told for kind in kinds for told in self.told[kind] if len(told) > 1):
            several.setdefault(key, []).append(frozenset(others))
        single = frozenset(told[0] for kind in kinds for told in self.told[kind] if len(told) == 1)
        numbers = frozenset(piece for word in said["numbers"] for piece in pieces_of(word))
        counted = frozenset(told[0] for told in self.told["unit"])
        return Telling(
            keys={key: tuple(others) for key, others in several.items()},
            single=single,
            numbers=numbers,
            counted=counted,
            nouns=KIND_WORDS,
            unverified=frozenset(told[0] for told in self.told["unverified"]),
            known=single.union(numbers, counted, several),
        )

    def freeze(self) -> Node:
        """Set the meanings; the tree's root."""
        for node, tags, names in self.found.values():
            node.meaning = Meaning(frozenset(tags), names)
        return self.root


def _catalog_names(catalog: Catalog) -> Iterator[tuple[str, str, str, Iterable[str]]]:
    """(kind, name, title, spellings) of everything that the catalog can name in a sentence."""
    generations: dict[str, None] = {}
    for kind in NAME_KINDS:
        for name in catalog.names(kind):
            entry = catalog.entry(kind, name)
            spellings = dict.fromkeys((name, entry.title, *entry.aliases, *entry.tasks))
            title = entry.title
            if kind == "benchmark":
                yield from _benchmark(entry.suites, name, title, spellings)
                continue
            yield kind, name, title, [s for s in spellings if _usable(s)]
            if kind == "accelerator" and entry.generation and entry.generation[:1].isupper():
                generations[entry.generation] = None
    for generation in generations:
        if not any(sign.isdigit() for sign in generation):
            yield "generation", generation, generation, [generation]


def _benchmark(
    suites: Iterable[str], name: str, title: str, spellings: Iterable[str]
) -> Iterator[tuple[str, str, str, Iterable[str]]]:
    """A benchmark is looked up by suite: one spelling means another one in training than in inference."""
    for suite in suites:
        yield f"benchmark:{suite}", name, title, [s for s in spellings if _usable(s)]


def _usable(spelling: str) -> bool:
    return not _COUNTED.match(spelling) and spelling.casefold() not in _NOT_IN_PROSE


def _rounds(catalog: Catalog) -> Mapping[str, tuple[str, ...]]:
    rounds: dict[str, list[str]] = {}
    for published in catalog.rounds():
        rounds.setdefault(published.suite, []).append(published.name)
    return {suite: tuple(names) for suite, names in rounds.items()}
