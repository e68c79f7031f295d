"""What changed: between two states of a table, among the names known, and with a source."""

from __future__ import annotations

from datetime import datetime

from watcher.domain.published import Result
from watcher.domain.value import Value


class Change(Value, frozen=True):
    """What the diff found. ``kind``: added, changed, removed, restored or renamed; ``fields`` that differ."""

    kind: str
    before: Result | None
    after: Result | None
    fields: tuple[str, ...] = ()


class NewName(Value, frozen=True, kw_only=True):
    """A name never seen before. ``kind``: submitter, accelerator, benchmark or column; ``results`` that carry it."""

    kind: str
    name: str
    suite: str
    round: str
    since: str | None = None
    results: int = 0
    url: str | None = None


class SourceTrouble(Value, frozen=True, kw_only=True):
    """A source that fails, has recovered, is stale, or whose table is held back."""

    source: str
    url: str | None
    failure: str
    message: str
    failures: int = 0
    since: datetime | None = None
