"""The rows that claims are checked against: loaded when a verdict first asks for them, kept for a pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

from watcher.domain import Result

if TYPE_CHECKING:
    from watcher.store.tables import Tables


class Rows(Sequence[Result]):
    """Rows that are loaded when somebody looks at them; many a verdict needs none."""

    def __init__(self, load: Callable[[], tuple[Result, ...]]) -> None:
        """Take the way to load them."""
        self._load = load

    @cached_property
    def _rows(self) -> tuple[Result, ...]:
        return self._load()

    @overload
    def __getitem__(self, place: int) -> Result: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Result]: ...
    def __getitem__(self, place: int | slice) -> Result | Sequence[Result]:
        """Return a row, or some."""
        return self._rows[place]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._rows)

    def __iter__(self) -> Iterator[Result]:
        """Yield every row."""
        return iter(self._rows)


class EvidenceRows:
    """The public rows for claims by benchmark, each benchmark's loaded once as long as results stay as they are."""

    def __init__(self, tables: Tables) -> None:
        """Look into these tables."""
        self._tables = tables
        self._written = tables.written
        self._held: dict[str | None, Rows] = {}

    def of(self, benchmark: str | None) -> Sequence[Result]:
        """Return what `Tables.evidence` returns, loaded on first use."""
        if self._written != self._tables.written:
            self._written = self._tables.written
            self._held.clear()
        if benchmark not in self._held:
            self._held[benchmark] = Rows(lambda: self._tables.evidence(benchmark))
        return self._held[benchmark]
