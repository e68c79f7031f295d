"""Events and alerts: what was recorded, and the rules that it matched."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from watcher.domain.changes import NewName, SourceTrouble
from watcher.domain.claims import CheckedClaim
from watcher.domain.figures import Comparison, Gain, NotComparable, Promise, Rank, Record, Scaling
from watcher.domain.published import Post, PublishedRound, Result
from watcher.domain.value import Value

SEVERITIES = ("info", "high", "critical")


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


class Event(Value, frozen=True, kw_only=True):
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


class Alert(Value, frozen=True, kw_only=True):
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
