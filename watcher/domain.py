"""The nouns of the product as frozen values; imports nothing of ours but errors.

Times are aware datetimes in UTC. Text fields that are blank in a published table are None. Words are those of
docs/architecture.md: one per idea, the same in code, tables, commands and docs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple, Protocol, TypeAlias

from watcher.errors import SourceError

SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream", "ConstantStream")
SEVERITIES = ("info", "high", "critical")
EMBARGO = "EMBARGO"  # the tag that marks a row under embargo wherever it is shown

# ---------------------------------------------------------------------------------------------- what is published


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes as fetched or read from a file, decompressed.

    ``unchanged``: the other side said 304, or sent the bytes we already hold; ``body`` is empty then.
    ``media_type``: the Content-Type as received, with its charset. ``next_url``: the next page by the Link header.
    ``requests_left``: how many more requests the other side's rate limit allows for now, if it says so.
    """

    url: str
    body: bytes
    fetched_at: datetime
    media_type: str = ""
    etag: str | None = None
    last_modified: str | None = None
    unchanged: bool = False
    next_url: str | None = None
    requests_left: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What the other side said of the bytes at ``url``, echoed as received; ``full_at``: when they last came whole."""

    url: str
    etag: str | None = None
    last_modified: str | None = None
    digest: str | None = None
    full_at: datetime | None = None


class Get(Protocol):
    """How a source reads the outside: one polite, guarded GET.

    ``accept`` the media types asked for; ``page`` true where robots.txt applies. Raises FetchError.
    A conditional request answered by 304 gives a Document with ``unchanged`` and no body.
    """

    def __call__(
        self, url: str, *, accept: str | None = None, conditional: bool = True, page: bool = False
    ) -> Document:
        """Fetch ``url``."""
        ...


class Secret:
    """A value that prints as ``<secret>``; ``reveal()`` where it is used, nowhere else."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """Hold the value."""
        self._value = value

    def reveal(self) -> str:
        """Return the value itself."""
        return self._value

    def __repr__(self) -> str:
        return "<secret>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A publication that we check. ``kind`` is a row of the SOURCES table; ``options`` are that kind's own.

    ``every``: seconds between checks in quiet times. ``allow_hosts``: hosts that may have a private address.
    ``secret`` is sent as a bearer token to ``url``'s origin only. ``stale_after``: seconds without success.
    """

    name: str
    kind: str
    url: str
    every: float = 900.0
    vendor: str | None = None
    group: str = "user"
    suite: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    allow_hosts: tuple[str, ...] = ()
    secret: Secret | None = None
    stale_after: float | None = None
    confirmed: bool = True


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One published number in canonical form.

    ``round`` is "v6.1" within its ``suite`` ("inference", "training", …). ``submitter`` is as published;
    ``organisations`` the canonical names in it. ``accelerator`` is a catalog name (or the published one where the
    catalog has none), null for CPU-only and mixed systems; a mixed one lists its parts in ``accelerators``, a plain
    one has exactly its own there. ``accelerator_count`` null means none or unknown. ``benchmark`` has no accuracy
    tier; that is ``accuracy_target``. ``better`` is "higher" or "lower". ``measures`` holds further figures of the
    same run under their published names (Endpoints curve points, tiny's energy, storage's utilisation).
    ``extra`` holds columns that we do not know, as published.
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

    @property
    def key(self) -> ResultKey:
        """The natural key."""
        return ResultKey(
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


@dataclass(frozen=True, slots=True)
class Aside:
    """A row that could not be read and was set aside; ``row`` as a person finds it ("row 17", "line 3")."""

    row: str
    message: str


@dataclass(frozen=True, slots=True)
class Table:
    """All results of one published table at one time.

    ``columns``: canonical field names that this table can fill (the diff compares only what both sides know).
    ``unknown_columns``: published columns that we do not know. ``asides``: rows that could not be read.
    ``private``: under embargo.
    """

    suite: str
    round: str
    results: tuple[Result, ...]
    columns: frozenset[str]
    unknown_columns: tuple[str, ...] = ()
    asides: tuple[Aside, ...] = ()
    private: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRound:
    """A round that went public: by a repository first seen, or by the first table of it that was ingested."""

    suite: str
    round: str
    repository: str | None = None
    url: str | None = None
    results: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTable:
    """A table found by a source: where it stands, the bytes it is made from, and how to read them.

    ``read`` parses (it may raise ParseError, or HeldBackError where the table is absent) and is called once, later,
    without the network. ``baseline``: its repository was public before the source's first success and had not been
    read yet, so nothing in it is news.
    """

    suite: str
    round: str
    url: str
    documents: tuple[Document, ...]
    read: Callable[[], Table]
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one check of a source brought back.

    ``cursor``: what the source wants to remember (JSON values only), committed last. ``posts`` are all posts seen
    now; a post that is absent is never taken as removed. ``rounds``: repositories of a round seen public.
    ``unchanged_tables``: (suite, round) of tables that were polled and are as before. ``steps``: what was done, in
    words, for ``sources check``. ``failure``: a part could not be read; the rest stands and is committed, and the
    check counts as failed.
    """

    cursor: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[PublishedTable, ...] = ()
    posts: tuple[Post, ...] = ()
    rounds: tuple[PublishedRound, ...] = ()
    unchanged_tables: tuple[tuple[str, str], ...] = ()
    steps: tuple[str, ...] = ()
    failure: SourceError | None = None


# ---------------------------------------------------------------------------------------------- what changed


@dataclass(frozen=True, slots=True)
class Change:
    """What the diff found. ``kind``: added, changed, removed, restored or renamed; ``fields`` that differ."""

    kind: str
    before: Result | None
    after: Result | None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewName:
    """A name never seen before. ``kind``: submitter, accelerator, benchmark or column; ``results`` that carry it."""

    kind: str
    name: str
    suite: str
    round: str
    since: str | None = None
    results: int = 0
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTrouble:
    """A source that fails, has recovered, is stale, or whose table is held back."""

    source: str
    url: str | None
    failure: str
    message: str
    failures: int = 0
    since: datetime | None = None


# ---------------------------------------------------------------------------------------------- derived figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two systems in one benchmark and scenario.

    ``ratio`` of the rows, over 1 means the subject is better, also for latencies. ``per_accelerator_ratio`` null for
    latencies and null counts. ``differs`` names what is not alike. ``care`` are reasons to handle it with care.
    ``spec`` is the rule's or command's pair of selectors that asked for it. ``system_type`` is the one compared in.
    """

    subject: Result
    baseline: Result
    ratio: float
    per_accelerator_ratio: float | None
    differs: tuple[str, ...] = ()
    care: tuple[str, ...] = ()
    spec: str = ""
    system_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComparable:
    """A cell of a comparison that cannot be computed, with its reason in words."""

    benchmark: str
    scenario: str | None
    reason: str
    accuracy_target: str | None = None
    division: str | None = None
    system_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """One accelerator by one submitter at two counts in one scenario.

    ``efficiency`` = (large value / large count) / (small value / small count), dimensionless.
    ``accelerators_lost`` = (1 - efficiency) x large count. ``quoted``: the pair a vendor would quote.
    """

    small: Result
    large: Result
    efficiency: float
    accelerators_lost: float
    quoted: bool = False
    care: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """One system over two rounds. ``match``: same_system, or per_accelerator (another count); ``ratio`` over 1: better."""

    match: str
    before: Result
    after: Result
    ratio: float
    care: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The best row of a benchmark, scenario and division. ``basis``: absolute or per_accelerator.

    ``before`` the best held until then, ``since`` the oldest round of the history held ("best since v5.1").
    """

    basis: str
    best: Result
    before: Result | None
    since: str
    care: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """The place of ``result`` among ``of`` comparable rows: 1 is the best, rows of one value share a place.

    ``to_best``, ``to_median`` and ``to_vendor`` are dimensionless and over 1 mean that the row is better, also for
    latencies: value / the other value, and the other value / value where lower is better. ``median`` is of all ``of``
    values, in the row's unit. ``vendor`` is the best row that the accelerator's vendor submitted alone, null if it has
    none here. ``ahead`` are the better rows, the best first. ``system_type`` is the one ranked in.
    """

    result: Result
    place: int
    of: int
    system_type: str | None
    best: Result
    median: float
    vendor: Result | None
    to_best: float
    to_median: float
    to_vendor: float | None
    ahead: tuple[Result, ...] = ()
    care: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One preview row and what became of it.

    ``floor``: the value that it must come back with, in the row's unit: 2 % below for throughput, longer by as much
    for latencies and times; null where performance per watt counts. ``earliest``: the day from which a round counts,
    null if the preview's round has no date. ``due``: the round it is due in, null while none is known. ``returned``:
    the available row that came back, in ``due`` or before it (``late``: after it). ``ratio``: returned over preview,
    dimensionless, over 1 is better. ``reason`` says in words what decided.
    """

    preview: Result
    outcome: str
    floor: float | None
    earliest: date | None
    due: str | None
    returned: Result | None = None
    ratio: float | None = None
    reason: str = ""


# ---------------------------------------------------------------------------------------------- claims


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One performance statement found in a post, in the vocabulary of docs/claims.md, with its quote.

    ``decimals`` as printed: 2 of 3.74. ``rounding``: the size of the last printed digit where that is more than one
    (10000 of 1.04M). ``place``: where it stands ("heading", "paragraph 3", "table 1").
    ``submitter`` and ``accelerator_count`` (and those of the baseline) only where the text says whose run it is and
    how many accelerators it had; ``division`` likewise.
    """

    kind: str
    value: float
    value_max: float | None = None
    qualifier: str | None = None
    subject_system: str | None = None
    baseline_system: str | None = None
    benchmark: str | None = None
    scenarios: tuple[str, ...] = ()
    software: tuple[str, ...] = ()
    precision: tuple[str, ...] = ()
    round: str | None = None
    baseline_round: str | None = None
    per_accelerator: bool | None = None
    unit: str | None = None
    status: str = "measured"
    quote: str = ""
    decimals: int = 0
    place: str = ""
    submitter: str | None = None
    baseline_submitter: str | None = None
    accelerator_count: int | None = None
    baseline_accelerator_count: int | None = None
    division: str | None = None
    rounding: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One figure behind a verdict: a scenario's figure under one reading, with its rows and the arithmetic in words."""

    scenario: str | None
    reading: str
    figure: float | None
    holds: bool
    arithmetic: str
    rows: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a claim is worth against the rows held.

    ``verdict``: confirmed, only_in_some_scenarios, contradicted, not_comparable, not_found or not_mlperf.
    ``reading`` names the reading that bears the claim out (or was tried first), ``reason`` why not comparable.
    """

    verdict: str
    reading: str | None = None
    reason: str | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """A claim of a post with its verdict. ``number`` is its id in the ledger, null before it is recorded."""

    claim: Claim
    verdict: Verdict
    post_url: str | None = None
    post_title: str | None = None
    vendor: str | None = None
    source: str | None = None
    number: int | None = None


# ---------------------------------------------------------------------------------------------- events and alerts

Subject: TypeAlias = (
    Result
    | PublishedRound
    | NewName
    | SourceTrouble
    | Comparison
    | Scaling
    | Gain
    | Record
    | Rank
    | Promise
    | Post
    | CheckedClaim
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A recorded change; append-only.

    ``id`` is deterministic (a repeat of the same work gives the same id), ``number`` is given by the store.
    ``batch`` names the transaction that recorded it. Of ``before`` and ``after`` at least one is set; both have one type.
    ``pinned``: it is about a row that somebody cited.
    """

    id: str
    kind: str
    occurred_at: datetime
    batch: str
    before: Subject | None = None
    after: Subject | None = None
    fields: tuple[str, ...] = ()
    source: str | None = None
    number: int | None = None
    private: bool = False
    pinned: bool = False

    @property
    def subject(self) -> Subject:
        """What the event is about: the state after it, or before it if nothing is left."""
        subject = self.after if self.after is not None else self.before
        assert subject is not None, self.id  # noqa: S101 - the store never records an event about nothing
        return subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A rule that matched, with its evidence.

    One alert a (rule, batch, group). ``figures`` are the derived figures shown with it. ``number`` is given by the
    store; people see it as ``A-0142``. ``receivers`` are the names owed, () means the config's default receivers.
    """

    rule: str
    title: str
    severity: str
    batch: str
    group: str
    events: tuple[Event, ...]
    figures: tuple[Comparison | Scaling | Gain | Record | Rank | Promise | CheckedClaim, ...] = ()
    not_comparable: tuple[NotComparable, ...] = ()
    receivers: tuple[str, ...] = ()
    created_at: datetime | None = None
    number: int | None = None
    digest_only: bool = False
    suppressed: str | None = None

    @property
    def name(self) -> str:
        """The id as people see it."""
        return f"A-{self.number:04d}" if self.number is not None else "A-?"

    @property
    def rows(self) -> tuple[Result, ...]:
        """The results among the evidence, in the events' order."""
        return tuple(e.subject for e in self.events if isinstance(e.subject, Result))


# ---------------------------------------------------------------------------------------------- messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A small table in a message. ``columns`` are headers; ``numeric`` the indexes of right-aligned columns.

    ``strong``: (row, column) cells to stress, such as the best.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    strong: frozenset[tuple[int, int]] = frozenset()
    caption: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture in a message, PNG bytes, with the words that replace it where it cannot be shown."""

    name: str
    png: bytes
    alt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link that we made; ``url`` is http or https."""

    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a message, in this order: heading, lead, paragraphs, grid, image, bullets, links.

    All text is plain and unescaped. ``lead`` names what the part is about, stressed, but no heading.
    """

    heading: str | None = None
    paragraphs: tuple[str, ...] = ()
    grid: Grid | None = None
    image: Image | None = None
    bullets: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    lead: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """One message to one receiver about one or more alerts, or a digest. All text is plain and unescaped.

    ``id`` is stable over attempts and stands in the message. ``summary`` is one line that stands alone (Slack's
    fall-back text, a mail's preheader). ``thread`` is the outside id of the message that this one follows up.
    ``see_all``: the command that shows what a message had no room for.
    """

    id: str
    kind: str
    title: str
    severity: str
    summary: str
    created_at: datetime
    sections: tuple[Section, ...] = ()
    alerts: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    footer: str = ""
    thread: str | None = None
    possible_repeat: bool = False
    see_all: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a receiver answered: ``external_id`` is its own name for the message (Slack's ``ts``), if it gave one."""

    external_id: str | None = None
    detail: str = ""
