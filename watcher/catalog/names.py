"""The catalog: from any spelling to one name, and what is known of it.

A spelling is compared folded (case, spaces, underscores, hyphens and trademark signs do not count). An unknown name
is never guessed: look-ups answer null, or give the name back as published, as each method says. Look-ups are cached,
kinds are read from their files when first asked for, and the catalog of one folder is loaded once a process.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from watcher.catalog import files
from watcher.catalog.entries import (
    KINDS,
    AcceleratorReading,
    BenchmarkName,
    Entry,
    Round,
    Unit,
)
from watcher.catalog.lexicon import Lexicon
from watcher.catalog.spelling import cores, count_mark, fold, is_blank, joint, parts
from watcher.errors import CatalogError

__all__ = [
    "KINDS",
    "AcceleratorReading",
    "BenchmarkName",
    "Catalog",
    "Entry",
    "Round",
    "Unit",
    "fold",
    "is_blank",
    "load",
]

_TIER = re.compile(r"[-_ ](99(?:\.9)?|95)%?$")
_LOWER_SCENARIOS = frozenset({"SingleStream", "MultiStream", "ConstantStream"})
_NOTHING = AcceleratorReading((), None, ())
_NEAR, _OF_THE_SUITE = 0.65, 0.05  # how like a spelling must be, and what being of the suite asked about adds
_A_BEGINNING = 3  # so many letters of a name's beginning say which is meant
_MAX_CACHED = 20_000  # distinct spellings a look-up remembers; all tables ever published have a few thousand
_Key = TypeVar("_Key")
_Name = TypeVar("_Name")


def load(folder: Path | None = None) -> Catalog:
    """The shipped catalog, with a user's own files from ``folder`` merged over it as they are now. Raises CatalogError."""
    return _load(folder, "" if folder is None else files.stamp(folder))


@lru_cache(maxsize=8)
def _load(folder: Path | None, _stamp: str) -> Catalog:
    return Catalog(folder)


class Catalog:
    """All names and their spellings; read-only."""

    def __init__(self, folder: Path | None = None) -> None:
        """Prepare the look-ups; a user's folder is read at once, so that its errors show at the start."""
        self._lexicon = Lexicon(folder)
        self._accelerators: dict[str, AcceleratorReading] = {}
        self._benchmarks: dict[tuple[str, str], BenchmarkName] = {}
        self._organisations: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}
        self._finds: dict[tuple[str, str], str | None] = {}
        self._units: dict[tuple[str, str, str | None, str, str], Unit] = {}
        self._systems: dict[tuple[str, int], str] | None = None

    @property
    def stamp(self) -> str:
        """A hash over all files that this catalog was made of; equal stamps read every spelling alike."""
        return self._lexicon.stamp

    # ------------------------------------------------------------------------------------------ names of a row

    def accelerator(self, published: str) -> str | None:
        """The catalog name of one accelerator's spelling ("NVIDIA VR200" is "vera-rubin"), or null."""
        spellings = self._lexicon.spellings("accelerator")
        entry = spellings.get(fold(published))
        if entry is None:
            whole, without_memory = cores(published)
            entry = spellings.get(whole) or spellings.get(without_memory)
        return entry.name if entry else None

    def accelerators(self, published: str) -> AcceleratorReading:
        """All accelerators that a column names, with the count of its "(xN)" marks; blank gives nothing."""
        reading = self._accelerators.get(published)
        if reading is None:
            reading = _keep(self._accelerators, published, self._read_accelerators(published))
        return reading

    def _read_accelerators(self, published: str) -> AcceleratorReading:
        if is_blank(published):
            return _NOTHING
        whole, mark = count_mark(published)
        single = self.accelerator(published) or self.accelerator(whole)
        if single:
            return AcceleratorReading((single,), mark, ())
        names: dict[str, None] = {}
        unknown: dict[str, None] = {}
        counts: list[int | None] = []
        for part in parts(published):
            text, mark = count_mark(part)
            name = self.accelerator(part) or self.accelerator(text)
            counts.append(mark)
            names[name or text] = None
            if name is None:
                unknown[text] = None
        marks = [c for c in counts if c is not None]
        return AcceleratorReading(
            tuple(names), sum(marks) if marks and len(marks) == len(counts) else None, tuple(unknown)
        )

    def benchmark(self, published: str, suite: str = "inference") -> BenchmarkName:
        """The benchmark that a published name means in ``suite``, its accuracy tier apart; unknown: as published."""
        key = (published, suite)
        name = self._benchmarks.get(key)
        if name is None:
            name = _keep(self._benchmarks, key, self._read_benchmark(published, suite))
        return name

    def _read_benchmark(self, published: str, suite: str) -> BenchmarkName:
        names = self._lexicon.benchmarks(suite)
        whole = names.get(fold(published))
        if whole:
            return BenchmarkName(whole[0].name, None, whole[1])
        tier = _TIER.search(published)
        stem = names.get(fold(published[: tier.start()])) if tier else None
        if tier and stem:
            return BenchmarkName(stem[0].name, tier[1], stem[1])
        return BenchmarkName(published, None, None, known=False)

    def is_task(self, published: str) -> bool:
        """Whether a table's benchmark column names a task ("VLM"), which a later round may give another model."""
        tasks = self._found.get(("task", published))
        if tasks is None:
            folded = fold(published)
            entries = self._lexicon.entries("benchmark").values()
            tasks = tuple(e.name for e in entries if any(fold(t) == folded for t in e.tasks))
            _keep(self._found, ("task", published), tasks)
        return bool(tasks)

    def organisations(self, submitter: str) -> tuple[str, ...]:
        """The organisations in a submitter's name, sorted: ("Dell", "MangoBoost"); an unknown one as published."""
        names = self._organisations.get(submitter)
        if names is None:
            names = _keep(self._organisations, submitter, self._read_organisations(submitter))
        return names

    def _read_organisations(self, submitter: str) -> tuple[str, ...]:
        spellings = self._lexicon.spellings("submitter")
        whole = spellings.get(fold(submitter))
        if whole:
            return (whole.name,)
        segments = joint(submitter, spellings)
        if (
            segments is None and "+" in submitter
        ):  # training joins organisations by a plus sign, and only those
            segments = tuple(p.strip() for p in submitter.split("+") if p.strip())
        if not segments:
            return (submitter,)
        found = {(e.name if (e := spellings.get(fold(s))) else s) for s in segments}
        return tuple(sorted(found, key=str.casefold))

    def software(self, text: str) -> tuple[str, ...]:
        """Software named in a declaration or a sentence, in order, each once; unknown products are left out."""
        return self._tokens_in("software", text)

    def precision(self, text: str) -> tuple[str, ...]:
        """Every number format named in ``text``, in order, each once."""
        return self._tokens_in("precision", text)

    def scenario(self, text: str) -> str | None:
        """The scenario in our spelling ("singlestream" is "SingleStream"), or null."""
        return self.find("scenario", text)

    def unit(self, published: str, benchmark: str, scenario: str | None, round: str, suite: str) -> Unit:
        """The unit that the value is really in, and its direction; ``round`` as in "v6.1".

        Known errors of tables are corrected. An unknown unit stays as published; its direction is "lower" where it
        says latency or the scenario is a latency scenario, else "higher".
        """
        key = (published, benchmark, scenario, round, suite)
        unit = self._units.get(key)
        if unit is None:
            unit = _keep(self._units, key, self._read_unit(*key))
        return unit

    def _read_unit(
        self, published: str, benchmark: str, scenario: str | None, round_: str, suite: str
    ) -> Unit:
        units, aliases = self._lexicon.units()
        folded = fold(published)
        for wrong in units.corrections:
            if (
                (wrong.suite, wrong.benchmark) == (suite, benchmark)
                and round_ in wrong.rounds
                and wrong.scenario in {None, scenario}
                and fold(wrong.published) == folded
            ):
                return Unit(wrong.unit, units.better[wrong.unit])
        name = aliases.get(folded)
        if name is not None:
            return Unit(name, units.better[name])
        slow = "latency" in folded or scenario in _LOWER_SCENARIOS
        return Unit(published, "lower" if slow else "higher")

    def system(self, accelerator: str | None, count: int | None) -> str | None:
        """The system that this accelerator at exactly this count is, or null."""
        if self._systems is None:
            self._systems = {
                (e.accelerator, e.count): e.name
                for e in self._lexicon.entries("system").values()
                if e.labels_rows and e.accelerator and e.count
            }
        return self._systems.get((accelerator, count)) if accelerator and count else None

    # ------------------------------------------------------------------------------------------ names by kind

    def names(self, kind: str) -> tuple[str, ...]:
        """All canonical names of a kind, in the files' order."""
        return tuple(self._lexicon.entries(kind))

    def find(self, kind: str, text: str) -> str | None:
        """The canonical name that any spelling of ``kind`` means, or null."""
        key = (kind, text)
        if key not in self._finds:
            _keep(self._finds, key, self._find(kind, text))
        return self._finds[key]

    def _find(self, kind: str, text: str) -> str | None:
        if kind == "accelerator":
            return self.accelerator(text)
        if kind == "round":
            return self._find_round(text)
        if kind == "benchmark":
            own = self._lexicon.canonical_benchmarks().get(fold(text))
            if own:
                return own
            suites = ("inference", *(s for s in self.names("suite") if s != "inference"))
            found = (self.benchmark(text, suite) for suite in suites)
            return next((name.name for name in found if name.known), None)
        entry = self._lexicon.spellings(kind).get(fold(text))
        return entry.name if entry else None

    def suggest(self, kind: str, text: str, suites: Collection[str] = ("inference",)) -> str | None:
        """The canonical name that begins with ``text``, else the one whose spelling is nearest; null if none is near.

        Of names that are about as near, one of ``suites`` is meant.
        """
        from watcher.nearest import likeness  # noqa: PLC0415 - only when a name was wrong

        begun = (name for name in self.names(kind) if fold(name).startswith(fold(text)))
        longer = next(begun, None) if len(fold(text)) >= _A_BEGINNING else None
        if longer is not None:
            return longer
        spellings = {s: e.name for s, e in self._lexicon.spellings(kind).items()}
        spellings |= {fold(name): name for name in self.names(kind)}
        entries, wanted = self._lexicon.entries(kind), set(suites)

        def near(spelling: str) -> float:
            entry = entries.get(spellings[spelling])
            here = entry is not None and bool(wanted & set(entry.suites))
            return likeness(fold(text), spelling) + (_OF_THE_SUITE if here else 0.0)

        known = reversed(spellings) if kind == "round" else iter(spellings)  # of two rounds the newer one
        nearest = max(known, key=near, default=None)
        return spellings[nearest] if nearest is not None and near(nearest) >= _NEAR else None

    def entry(self, kind: str, name: str) -> Entry:
        """The entry of a canonical name. Raises CatalogError for a name that the catalog does not have."""
        entry = self._lexicon.entries(kind).get(name)
        if entry is None:
            near = self.suggest(kind, name)
            raise CatalogError(
                f"no {kind} {name!r} in the catalog" + (f"; did you mean {near!r}?" if near else "")
            )
        return entry

    def known(self, kind: str, name: str, *, before: str | None = None) -> bool:
        """Whether a name (any spelling) was ever published; with ``before``, in a round older than that one.

        ``before`` is a round ("v6.1", "training-v5.1"); one that the calendar lacks is taken as newer than all. A
        joint submitter or a mixed accelerator is known if every part of it is.
        """
        if kind == "submitter":
            parts_: tuple[str, ...] = self.organisations(name)
        elif kind == "accelerator":
            parts_ = self.accelerators(name).names
        else:
            parts_ = (name,)
        return bool(parts_) and all(self._seen(kind, part, before) for part in parts_)

    def _seen(self, kind: str, name: str, before: str | None) -> bool:
        found = self.find(kind, name)
        seen = self._lexicon.entries(kind)[found].seen if found else None
        if seen is None or before is None:
            return seen is not None
        limit = self._date_of(before)
        return limit is None or (self._date_of(seen) or limit) < limit

    def rounds(self) -> tuple[Round, ...]:
        """The calendar, a suite at a time, oldest first."""
        return tuple(self._lexicon.calendar().values())

    def _tokens_in(self, kind: str, text: str) -> tuple[str, ...]:
        found = self._found.get((kind, text))
        if found is None:
            pattern, names = self._lexicon.tokens(kind)
            meant = (names.get(fold(match[0])) for match in pattern.finditer(text))
            found = tuple(dict.fromkeys(name for name in meant if name))
            _keep(self._found, (kind, text), found)
        return found

    def _find_round(self, text: str) -> str | None:
        match = re.fullmatch(r"\s*(?:(?:mlperf[\s_-]+)?([a-z]+)[\s_-]+)?v?(\d+\.\d+)\s*", text, re.IGNORECASE)
        if not match:
            return None
        suite = self.find("suite", match[1]) if match[1] else "inference"
        known = self._lexicon.calendar().get((suite or "", f"v{match[2]}"))
        return known.full_name if known else None

    def _date_of(self, round_name: str) -> date | None:
        found = self._find_round(round_name)
        return next((r.published_on for r in self._lexicon.calendar().values() if r.full_name == found), None)


def _keep(cache: dict[_Key, _Name], key: _Key, name: _Name) -> _Name:
    """Remember a look-up; a full cache starts anew, so that a long run on strange input does not grow."""
    if len(cache) >= _MAX_CACHED:
        cache.clear()
    cache[key] = name
    return name
