"""The values that the catalog hands out; frozen, without behaviour beyond their own fields."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import NamedTuple

from msgspec import Struct, field

KINDS = (
    "accelerator",
    "system",
    "benchmark",
    "submitter",
    "software",
    "precision",
    "scenario",
    "suite",
    "division",
    "availability",
    "system_type",
    "round",
)


class AcceleratorReading(Struct, frozen=True):
    """What an accelerator column names.

    ``names``: catalog names, or the part as published where the catalog has none, each once, in order.
    ``count``: the sum of the "(xN)" marks, null unless every part carries one. ``unknown``: parts without an entry.
    """

    names: tuple[str, ...]
    count: int | None
    unknown: tuple[str, ...]


class BenchmarkName(NamedTuple):
    """A benchmark without its accuracy tier ("99", "99.9", "95" or null).

    ``scenario`` is set where the published name carries one (v5.0's llama2-70b-interactive-99.9).
    ``known`` false: the catalog has no such benchmark and ``name`` is as published.
    """

    name: str
    accuracy_target: str | None = None
    scenario: str | None = None
    known: bool = True


class Unit(NamedTuple):
    """A unit in our spelling and its direction: ``better`` is "higher" or "lower"."""

    name: str
    better: str


class Entry(Struct, frozen=True, kw_only=True):
    """One name of the catalog.

    ``title`` is how people write it; ``aliases`` other spellings. ``seen``: the earliest round in which we know it
    was published ("v4.1", "training-v5.0"), null if never. Accelerators have ``vendor``, ``generation`` and ``year``;
    systems ``accelerator``, ``count`` and ``labels_rows``; benchmarks ``suites``, ``tasks`` and ``interactive``
    (further aliases, see benchmarks.yaml); software a ``layer``; precisions a ``family``.
    """

    kind: str
    name: str
    title: str
    aliases: tuple[str, ...] = ()
    seen: str | None = None
    vendor: str | None = None
    generation: str | None = None
    year: int | None = None
    accelerator: str | None = None
    count: int | None = None
    labels_rows: bool = True
    suites: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    interactive: tuple[str, ...] = ()
    layer: str | None = None
    family: str | None = None


class Correction(Struct, frozen=True, kw_only=True):
    """A unit that tables published wrongly; ``scenario`` null means all of them."""

    suite: str
    benchmark: str
    rounds: tuple[str, ...]
    published: str
    unit: str
    scenario: str | None = None


class Units(Struct, frozen=True, kw_only=True):
    """The units file: each unit with its direction and spellings, and the known errors."""

    better: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()


class Round(Struct, frozen=True, kw_only=True):
    """A round of a suite.

    ``published_on``: the day it went public, null while it has not. ``expected``: a day announced or estimated.
    ``source``: commits, announcement, record, second-hand, plan or estimate (rounds.yaml says what each means).
    """

    suite: str
    name: str
    published_on: date | None
    expected: date | None
    source: str

    @property
    def full_name(self) -> str:
        """The round as systems and claims name it: "v6.1" for inference, "training-v5.1" for others."""
        return self.name if self.suite == "inference" else f"{self.suite}-{self.name}"

    @property
    def confirmed(self) -> bool:
        """Whether the result repository's commits or MLCommons' dated announcement show the day."""
        return self.source in {"commits", "announcement"}

    @property
    def publication_at(self) -> datetime | None:
        """The instant to watch, 08:00 in California on the day (15:00 UTC in summer, 16:00 in winter), in UTC."""
        day = self.published_on or self.expected
        if day is None:
            return None
        from zoneinfo import ZoneInfo  # noqa: PLC0415 - only the schedule asks, and it reads a file

        local = datetime.combine(day, time(8), tzinfo=ZoneInfo("America/Los_Angeles"))
        return local.astimezone(ZoneInfo("UTC"))
