"""What is published, in canonical form: results, tables, posts, and rounds gone public."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct, field

from watcher.domain.value import Value

SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream", "ConstantStream")
EMBARGO = "EMBARGO"  # the tag that marks a row under embargo wherever it is shown
_SEPARATOR = "\x1f"  # of a key's parts; no published name holds one


class Power(NamedTuple):
    """One published power figure; ``kind`` is measured, design or provisioned, which are never mixed."""

    kind: str
    value: float
    unit: str


class ResultKey(NamedTuple):
    """The natural key of a result: unique in every table seen; ``scenario`` is case-folded, "" if there is none."""

    suite: str
    round: str
    division: str
    submitter: str
    platform: str
    benchmark_published: str
    scenario: str

    @property
    def text(self) -> str:
        """The key as one text, its parts joined by a unit separator."""
        return _SEPARATOR.join(self)


class Result(Value, frozen=True, kw_only=True):
    """One published number in canonical form.

    ``round`` is "v6.1" within its ``suite`` ("inference", "training", …). ``submitter`` is as published;
    ``organisations`` the canonical names in it. ``accelerator`` is a catalog name (or the published one where the
    catalog has none), null for CPU-only and mixed systems; a mixed one lists its parts in ``accelerators``, a plain
    one has exactly its own there. ``accelerator_count`` null means none or unknown. ``benchmark`` has no accuracy
    tier; that is ``accuracy_target``. ``better`` is "higher" or "lower". ``measures`` holds further figures of the
    same run under their published names (Endpoints curve points, tiny's energy, storage's utilisation).
    ``extra`` holds columns that we do not know, as published. ``entry`` is the number of the table's current revision for
    the row's system ("5.1-0072"); the next one may number anew, so it makes no row another one.
    """

    suite: str
    round: str
    division: str
    availability: str
    submitter: str
    platform: str
    benchmark_published: str
    benchmark: str
    scenario: str | None
    value: float
    unit: str
    better: str
    system_type: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    system_name: str | None = None
    system: str | None = None
    accelerator: str | None = None
    accelerators: tuple[str, ...] = ()
    accelerator_published: str | None = None
    accelerator_count: int | None = None
    accelerators_per_node: int | None = None
    nodes: int | None = None
    processor: str | None = None
    processors_per_node: int | None = None
    processor_core_count: int | None = None
    accuracy_target: str | None = None
    accuracy: str | None = None
    unit_published: str | None = None
    software: tuple[str, ...] = ()
    software_published: str | None = None
    precision: tuple[str, ...] = ()
    operating_system: str | None = None
    power: tuple[Power, ...] = ()
    accelerator_power_limit_watts: float | None = None
    inferred: bool | None = None
    notes: str | None = None
    url: str | None = None
    tags: tuple[str, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    first_seen_at: datetime | None = None
    entry: str | None = None

    @property
    def key(self) -> ResultKey:
        """The natural key."""
        return ResultKey._make(self._parts_of_key())

    @property
    def key_text(self) -> str:
        """The text of its key, made at less cost than by way of the key: each row of a table needs it."""
        return _SEPARATOR.join(self._parts_of_key())

    def _parts_of_key(self) -> tuple[str, ...]:
        return (
            self.suite,
            self.round,
            self.division,
            self.submitter,
            self.platform,
            self.benchmark_published,
            (self.scenario or "").casefold(),
        )

    @property
    def value_per_accelerator(self) -> float | None:
        """Value divided by accelerators, in ``unit`` per accelerator; null for latencies and without a count."""
        if self.better == "lower" or not self.accelerator_count or len(self.accelerators) > 1:
            return None
        return self.value / self.accelerator_count


class Aside(Struct, frozen=True):
    """A row that could not be read and was set aside; ``row`` as a person finds it ("row 17", "line 3")."""

    row: str
    message: str


class Held(NamedTuple):
    """What the store holds of one row, without its values: its version's id.

    ``missing_since``: the poll that missed it first, null if it is not missing. ``entry``: as in `Result`.
    """

    id: int
    missing_since: int | None = None
    entry: str | None = None


class KnownRows(Struct, frozen=True):
    """Published rows of one table that the state holds as they were read: such a row need not be read again.

    ``reader``: who read them (`Table.reader`); to another one they say nothing. ``versions``: the text of each key that is
    held of the table → the id of its version. ``digests``: the digest of a published row → the version of the result that
    was read from it and from no other row.
    """

    suite: str
    round: str
    reader: str
    versions: Mapping[str, int]
    digests: Mapping[bytes, int]


class Table(Struct, frozen=True):
    """All results of one published table at one time.

    ``columns``: canonical field names that this table can fill (the diff compares only what both sides know).
    ``unknown_columns``: published columns that we do not know. ``asides``: rows that could not be read.
    ``private``: under embargo. ``reader``: a stamp of all that decides how a row is read, beside the row; null where
    rows are not recognised. ``row_digests``: of each of ``results`` in turn the digest of the published row that it was
    made of, null where that were several; () where rows are not recognised. ``recognised``: versions of results that stand in
    the table as they are held (`KnownRows`), and were not read again.
    """

    suite: str
    round: str
    results: tuple[Result, ...]
    columns: frozenset[str]
    unknown_columns: tuple[str, ...] = ()
    asides: tuple[Aside, ...] = ()
    private: bool = False
    reader: str | None = None
    row_digests: tuple[bytes | None, ...] = ()
    recognised: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many results the table has, read now or recognised."""
        return len(self.results) + len(self.recognised)


class Post(Value, frozen=True, kw_only=True):
    """One article or announcement.

    ``identity`` is what makes it the same post when it is read again: feed id, else canonical link, else content.
    ``html`` is the article's body alone; ``published_at`` null if the page gives no readable time
    (``published_raw`` keeps what it said). ``vendor`` comes from the source's config.
    """

    source: str
    identity: str
    url: str
    title: str
    html: str
    text: str
    author: str | None = None
    published_at: datetime | None = None
    published_raw: str | None = None
    vendor: str | None = None
    first_seen_at: datetime | None = None


class PublishedRound(Value, frozen=True, kw_only=True):
    """A round that went public: by a repository first seen, or by the first table of it that was ingested."""

    suite: str
    round: str
    repository: str | None = None
    url: str | None = None
    results: int | None = None
