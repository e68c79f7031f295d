"""All that the pages tell, as read from the state; nothing of a table under embargo is in here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from watcher.domain import Alert, CheckedClaim, Result, Source
from watcher.health import SourceState
from watcher.outbox import Delivery
from watcher.quiet import Silence
from watcher.rules import Rule
from watcher.store.outbox import Attempt
from watcher.store.posts import LedgerEntry
from watcher.store.tables import TableState


class Told(Struct, frozen=True):
    """An alert with what became of it: each delivery with its attempts, and the addresses it was read from."""

    alert: Alert
    deliveries: tuple[tuple[Delivery, tuple[Attempt, ...]], ...]
    documents: tuple[tuple[str, str], ...]


class Ledger(Struct, frozen=True):
    """A claim of the ledger with its past: when, what happened, the claim as checked then, and why."""

    entry: LedgerEntry
    past: tuple[tuple[datetime, str, CheckedClaim, str], ...]


class Health(Struct, frozen=True, kw_only=True):
    """How the watcher fares. ``sources``: those of the config; ``former``: those that only the state knows.

    ``broken``: receiver → since when and why; ``digests``: receiver → the local date of its last digest.
    """

    sources: tuple[tuple[Source, SourceState], ...]
    former: tuple[SourceState, ...]
    deliveries: Mapping[str, int]
    failing_deliveries: int
    oldest_open: datetime | None
    broken: Mapping[str, tuple[datetime, str]]
    digests: Mapping[str, str]
    silences: tuple[Silence, ...]
    healthy: bool


class Facts(Struct, frozen=True, kw_only=True):
    """What a report is made of; the same facts give the same bytes.

    ``rows``: all results held that are public, of all suites and rounds. ``front``: (suite, round) of the first page,
    null where nothing is held. ``rules``: all rules in force, also those that never fired. ``as_of``: when the newest
    of all this was recorded. ``base_url``: where the report is served, if anywhere.
    """

    rows: tuple[Result, ...]
    tables: tuple[TableState, ...]
    front: tuple[str, str] | None
    alerts: tuple[Told, ...]
    ledger: tuple[Ledger, ...]
    rules: tuple[Rule, ...]
    health: Health
    as_of: datetime | None
    base_url: str | None = None

    def of_round(self, suite: str, round: str) -> tuple[Result, ...]:
        """Return the rows of one round."""
        return tuple(row for row in self.rows if (row.suite, row.round) == (suite, round))

    @property
    def rounds(self) -> tuple[tuple[str, str], ...]:
        """(suite, round) of every round with rows."""
        return tuple(dict.fromkeys((row.suite, row.round) for row in self.rows))
