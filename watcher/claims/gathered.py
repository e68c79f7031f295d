"""What words.yaml and a catalog say, gathered: every spelling with what it means, and what is known of single names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watcher.claims.kinds import KIND_WORDS
from watcher.claims.spellings import Meaning, Spelled, pieces_of
from watcher.claims.telling import TELLING_KINDS, TELLING_TAGS, Telling, words_in
from watcher.claims.vocabulary import words

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

FILE = Path(__file__).parent / "words.yaml"
_NAME_KINDS = ("accelerator", "system", "benchmark", "software", "precision", "scenario", "submitter")
_COUNTED = re.compile(r"^\d+\s?x\s", re.IGNORECASE)
# Spellings that are everyday words in a sentence; in a table's column they are names, in prose they are not.
_NOT_IN_PROSE = words(
    "go ad ic ss half tf flux ssd gnn transformer smc atlas triton max edge cloud atom system a2 s4 "
    "s10 s30 flax"
)
_TOLD = TELLING_TAGS | TELLING_KINDS | {"unit"}


def gather(catalog: Catalog) -> Spelled:
    """Read words.yaml, and lay it and a catalog's names over each other."""
    said = _said()
    found = _Spellings()
    titles: dict[str, dict[str, str]] = {"processor": {title: title for title in said["processors"]}}
    for tag, phrases in said["parts"].items():
        found.add_all(phrases, tag)
    found.add_all(said["numbers"], "number_word")
    found.add_all(said["multipliers"], "multiplier")
    for kind, name, title, spellings in _catalog_names(catalog):
        titles.setdefault(kind, {})[name] = title
        found.add_all(spellings, kind, name)
    for kind, named in said["short_names"].items():
        for name, spellings in named.items():
            found.add_all(spellings, kind, name)
    for title, processor in said["processors"].items():
        found.add_all((title, *processor["aliases"]), "processor", title)
    for kind in ("unit", "task"):
        for name, spellings in said[f"{kind}s"].items():
            found.add_all(spellings, kind, name)
    spelled, meanings = found.meanings()
    return Spelled(
        spellings=spelled,
        meanings=meanings,
        titles=titles,
        predecessors=said["predecessors"],
        processors={
            name: processor["published"]
            for title, processor in said["processors"].items()
            for name in (title, *processor["aliases"])
        },
        telling=found.telling(said),
        untimed=frozenset(said["untimed"]),
        numbers=said["numbers"],
        multipliers={_key(word): value for word, value in said["multipliers"].items()},
        rounds=_rounds(catalog),
        called={title: _code_names(title, each["aliases"]) for title, each in said["processors"].items()},
    )


def _code_names(title: str, aliases: Iterable[str]) -> tuple[str, ...]:
    """The aliases that have no word of the title: "Granite Rapids" of Xeon 6."""
    own = set(pieces_of(title))
    return tuple(alias for alias in aliases if own.isdisjoint(pieces_of(alias)))


def _key(phrase: str) -> str:
    return "".join(piece for piece in pieces_of(phrase))


def _said() -> dict[str, Any]:
    import yaml  # noqa: PLC0415 - heavy, only where the words are not at hand as prepared

    text = FILE.read_text(encoding="utf-8")
    said: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe loaders
    return said


class _Spellings:
    """Spellings with their meanings, as they are gathered."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[set[str], dict[str, str]]] = {}
        self.told: dict[str, set[tuple[str, ...]]] = {}  # the words of spellings, by tag or kind

    def add_all(self, spellings: Iterable[str], tag: str, name: str | None = None) -> None:
        """Give several spellings one further meaning."""
        tells = tag in _TOLD or tag.startswith("benchmark:")
        for spelling in spellings:
            pieces = pieces_of(spelling)
            if tells and (told := words_in(pieces)):
                self.told.setdefault(tag, set()).add(told)
            if not pieces:
                continue
            tags, names = self.found.setdefault(" ".join(pieces), (set(), {}))
            tags.add(tag)
            if name is not None:
                names.setdefault(tag, name)

    def meanings(self) -> tuple[dict[str, int], list[Meaning]]:
        """Each spelling with the place of its meaning, and the meanings, each once."""
        places: dict[tuple[frozenset[str], tuple[tuple[str, str], ...]], int] = {}
        spelled = {
            spelling: places.setdefault((frozenset(tags), tuple(names.items())), len(places))
            for spelling, (tags, names) in self.found.items()
        }
        return spelled, [Meaning(tags, dict(names)) for tags, names in places]

    def telling(self, said: Mapping[str, Any]) -> Telling:
        """The words that tell whether a sentence may hold a figure or a name; ``said``: what words.yaml holds."""
        kinds = [kind for kind in self.told if kind != "unit"]
        several: dict[str, list[frozenset[str]]] = {}
        for key, *others in (told for kind in kinds for told in sorted(self.told[kind]) if len(told) > 1):
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


def _catalog_names(catalog: Catalog) -> Iterator[tuple[str, str, str, Iterable[str]]]:
    """(kind, name, title, spellings) of everything that the catalog can name in a sentence."""
    generations: dict[str, None] = {}
    for kind in _NAME_KINDS:
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


def _rounds(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    rounds: dict[str, list[str]] = {}
    for published in catalog.rounds():
        rounds.setdefault(published.suite, []).append(published.name)
    return {suite: tuple(names) for suite, names in rounds.items()}
