"""What changed: between two states of a table, among the names known, and with a source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from watcher.domain.published import Result


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
