"""The catalog's files, read when a kind is first asked for: entries, and which spelling means which entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from watcher.catalog import files, ours
from watcher.catalog.entries import KINDS, Entry, Round, Units
from watcher.catalog.spelling import cores, fold
from watcher.errors import CatalogError


class Lexicon:
    """Entries and spellings of every kind, ours with a user's folder laid over them; read-only."""

    def __init__(self, folder: Path | None = None) -> None:
        """Prepare the tables; a user's folder is read at once, so that its errors show at the start."""
        self._folder = folder
        self._theirs = ""
        self._entries: dict[str, dict[str, Entry]] = {}
        self._spellings: dict[str, dict[str, Entry]] = {}
        self._benchmarks: dict[str, dict[str, tuple[Entry, str | None]]] = {}
        self._tokens: dict[str, tuple[re.Pattern[str], dict[str, str]]] = {}
        self._unit_table: tuple[Units, dict[str, str]] | None = None
        self._rounds: dict[tuple[str, str], Round] | None = None
        if folder is not None:
            files.check_names(folder)
            self._theirs = files.stamp(folder)
            for kind in files.FILES:
                self.spellings(kind)
            self.units()
            self.calendar()

    @cached_property
    def stamp(self) -> str:
        """A hash over all files that this was made of."""
        return f"{ours.stamp()} {self._theirs}"

    def entries(self, kind: str) -> dict[str, Entry]:
        """The entries of a kind by name, in the files' order. Raises CatalogError for a kind that there is not."""
        entries = self._entries.get(kind)
        if entries is None:
            if kind == "round":
                entries = {r.full_name: _round_entry(r) for r in self.calendar().values()}
            elif kind in files.FILES:
                entries = ours.entries(kind)
                if self._folder is not None:
                    entries = files.read_entries(self._folder, kind, entries)
            else:
                raise CatalogError(f"no kind of name {kind!r}; known are {', '.join(KINDS)}")
            self._entries[kind] = entries
        return entries

    def spellings(self, kind: str) -> dict[str, Entry]:
        """Folded spelling → entry; a user's entries win over ours, and two of one file must not share a spelling."""
        spellings = self._spellings.get(kind)
        if spellings is None:
            entries = self.entries(kind)
            shipped = ours.entries(kind) if kind in files.FILES else entries
            theirs = {name: entry for name, entry in entries.items() if entry is not shipped.get(name)}
            spellings = files.spellings_of(self._folder or files.OURS, kind, theirs, fold)
            rest = {name: entry for name, entry in entries.items() if name not in theirs}
            for spelling, entry in files.spellings_of(files.OURS, kind, rest, fold).items():
                spellings.setdefault(spelling, entry)
            if kind == "accelerator":
                _add_cores(spellings, (*theirs.values(), *rest.values()))
            self._spellings[kind] = spellings
        return spellings

    def benchmarks(self, suite: str) -> Mapping[str, tuple[Entry, str | None]]:
        """Folded spelling → benchmark of a suite, with the scenario that the spelling carries, if it does."""
        suite = "inference" if suite == "unofficial" else suite
        names = self._benchmarks.get(suite)
        if names is None:
            names = {}
            for entry in self.entries("benchmark").values():
                if suite in entry.suites:
                    for spelling in (entry.name, entry.title, *entry.aliases, *entry.tasks):
                        names.setdefault(fold(spelling), (entry, None))
                    for spelling in entry.interactive:
                        names.setdefault(fold(spelling), (entry, "Interactive"))
            self._benchmarks[suite] = names
        return names

    def canonical_benchmarks(self) -> Mapping[str, str]:
        """Folded canonical name → canonical name, of every suite."""
        return {fold(name): name for name in self.entries("benchmark")}

    def tokens(self, kind: str) -> tuple[re.Pattern[str], dict[str, str]]:
        """One pattern for all spellings of a kind, longest first, words joined by space, hyphen, underscore or nothing."""
        tokens = self._tokens.get(kind)
        if tokens is None:
            names = {spelling: entry.name for spelling, entry in self.spellings(kind).items()}
            spellings = {s for e in self.entries(kind).values() for s in (e.name, e.title, *e.aliases)}
            words = sorted(spellings, key=lambda s: (-len(fold(s)), s))
            joined = "|".join(r"[\s_-]*".join(map(re.escape, re.split(r"[\s_-]+", w))) for w in words)
            pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{joined})(?![A-Za-z])", re.IGNORECASE)
            tokens = self._tokens[kind] = (pattern, names)
        return tokens

    def units(self) -> tuple[Units, dict[str, str]]:
        """The units with their known errors, and folded spelling → unit."""
        if self._unit_table is None:
            units = ours.units()
            if self._folder is not None:
                units = files.read_units(self._folder, units)
            aliases = {fold(a): n for n, spellings in units.aliases.items() for a in (n, *spellings)}
            self._unit_table = (units, aliases)
        return self._unit_table

    def calendar(self) -> dict[tuple[str, str], Round]:
        """Rounds by (suite, name), in the files' order."""
        if self._rounds is None:
            rounds = ours.rounds()
            self._rounds = files.read_rounds(self._folder, rounds) if self._folder is not None else rounds
        return self._rounds


def _round_entry(round_: Round) -> Entry:
    title = f"MLPerf {round_.suite.capitalize()} {round_.name}"
    seen = round_.full_name if round_.published_on else None
    return Entry(kind="round", name=round_.full_name, title=title, seen=seen)


def _add_cores(spellings: dict[str, Entry], entries: Iterable[Entry]) -> None:
    """Let accelerators be found without vendor words too, where that is no other's spelling."""
    known = [(cores(text), entry) for entry in entries for text in (entry.name, entry.title, *entry.aliases)]
    for which in (0, 1):
        for pair, entry in known:
            spellings.setdefault(pair[which], entry)
    spellings.pop("", None)
