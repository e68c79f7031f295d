"""The rows that derived figures are made of: loaded by benchmark when a change first asks for them, kept for a pass.

Only public rows. What was written since the last look is looked up anew, so the rows before and after a transaction,
and those of several tables that change in one pass, cost one loading.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from watcher.domain import Result

if TYPE_CHECKING:
    from watcher.store.tables import Tables


class History:
    """The current public rows, by suite and benchmark."""

    def __init__(self, tables: Tables) -> None:
        """Look into these tables."""
        self._tables = tables
        self._written = tables.written
        self._held: dict[tuple[str, str], dict[int, Result]] = {}  # (suite, benchmark) → version → row
        self._whole: set[str] = set()  # suites of which every benchmark is held

    def rows(self, suite: str, benchmarks: Collection[str]) -> tuple[Result, ...]:
        """Return the rows of a suite's benchmarks as they are now, in no order; of all its benchmarks if none is named."""
        self._look_again()
        if suite not in self._whole:
            missing = [name for name in benchmarks if (suite, name) not in self._held]
            if missing or not benchmarks:
                self._load(suite, missing)
        names = benchmarks or [name for held, name in self._held if held == suite]
        return tuple(row for name in names for row in self._held.get((suite, name), {}).values())

    def _load(self, suite: str, benchmarks: Collection[str]) -> None:
        self._held.update({(suite, name): {} for name in benchmarks})
        if not benchmarks:
            self._whole.add(suite)
        for version, row in self._tables.public(suite, benchmarks).items():
            self._held.setdefault((suite, row.benchmark), {})[version] = row

    def _look_again(self) -> None:
        """Take up what was written since the last look."""
        changed = self._tables.written_since(self._written)
        self._written = self._tables.written
        if not changed or not self._held:
            return
        for rows in self._held.values():
            for version in changed & rows.keys():
                del rows[version]
        for version, row in self._tables.public_of(changed).items():
            if row.suite in self._whole:
                self._held.setdefault((row.suite, row.benchmark), {})
            if (row.suite, row.benchmark) in self._held:
                self._held[row.suite, row.benchmark][version] = row
