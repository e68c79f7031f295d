"""The rows that derived figures are made of: loaded by benchmark when a change first asks for them, kept for a pass.

Only public rows. What was written since the last look is looked up anew, so the rows before and after a transaction,
and those of several tables that change in one pass, cost one loading. A ground without a change stays the same value.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from watcher.domain import Result
from watcher.figures.grounds import Beside, Ground, Grounds, ground_of

if TYPE_CHECKING:
    from watcher.store.tables import Tables


class History:
    """The current public rows, by suite and benchmark."""

    def __init__(self, tables: Tables) -> None:
        """Look into these tables."""
        self._tables = tables
        self._written = tables.written
        self._loaded: set[tuple[str, str]] = set()  # (suite, benchmark)
        self._whole: set[str] = set()  # suites of which every benchmark is loaded
        self._rows: dict[Ground, dict[int, Result]] = {}  # by version
        self._told: dict[Ground, Beside] = {}  # as they stood when they were last asked for

    def rows(self, suite: str, benchmarks: Collection[str]) -> Grounds:
        """Return the rows of a suite's benchmarks as they are now, of all its benchmarks if none is named."""
        self._look_again()
        if suite not in self._whole:
            missing = [name for name in benchmarks if (suite, name) not in self._loaded]
            if missing or not benchmarks:
                self._load(suite, missing)
        return {
            ground: self._told.get(ground) or self._told.setdefault(ground, Beside(rows.values()))
            for ground, rows in self._rows.items()
            if rows and ground.suite == suite and (not benchmarks or ground.benchmark in benchmarks)
        }

    def _load(self, suite: str, benchmarks: Collection[str]) -> None:
        self._loaded.update((suite, name) for name in benchmarks)
        if not benchmarks:
            self._whole.add(suite)
        for version, row in self._tables.public(suite, benchmarks).items():
            self._put(version, row)

    def _put(self, version: int, row: Result) -> None:
        ground = ground_of(row)
        self._rows.setdefault(ground, {})[version] = row
        self._told.pop(ground, None)

    def _look_again(self) -> None:
        """Take up what was written since the last look."""
        changed = self._tables.written_since(self._written)
        self._written = self._tables.written
        if not changed or not (self._loaded or self._whole):
            return
        for ground, rows in self._rows.items():
            for version in changed & rows.keys():
                del rows[version]
                self._told.pop(ground, None)
        for version, row in self._tables.public_of(changed).items():
            if row.suite in self._whole or (row.suite, row.benchmark) in self._loaded:
                self._put(version, row)
