"""What a source's reading brought → what is recorded of it: tables, posts with their claims, and rounds gone public."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import (
    Event,
    KnownRows,
    PublishedRound,
    PublishedTable,
    Reading,
    Source,
    SourceTrouble,
    Table,
)
from watcher.errors import HeldBackError, ParseError, SourceError, UsageError, WatcherError
from watcher.pipeline.claiming import Claiming, Prepared
from watcher.pipeline.evidence import EvidenceRows
from watcher.pipeline.occasion import Occasion, plain_event, published_event
from watcher.pipeline.recording import Recorder
from watcher.store.sources import content_digest

if TYPE_CHECKING:
    from watcher.pipeline.history import History
    from watcher.pipeline.parts import Watcher


class _Parsed(Struct, frozen=True):
    published: PublishedTable
    digest: str
    read: Table | WatcherError | None
    known: KnownRows | None = None


class Contents:
    """One reading's contents, parsed before the transaction that records them.

    ``posts``: those that are new or differ. ``baselines``: results a table that were recorded without events.
    """

    def __init__(
        self, watcher: Watcher, source: Source, reading: Reading,
        rows: EvidenceRows | None = None, history: Callable[[], History] | None = None,
    ) -> None:  # fmt: skip
        """Read tables and claims; nothing is written yet. ``rows`` and what ``history`` gives are shared by the sources of a pass."""
        self._watcher = watcher
        self._history = history
        self._reading = reading
        seen: set[tuple[str, str]] = set()
        self._parsed = [self._parse(table, seen) for table in reading.tables]
        self._claiming = Claiming(watcher, rows)
        self.posts: Sequence[Prepared] = self._claiming.prepare(source, reading.posts)
        self.baselines: dict[str, int] = {}

    def _parse(self, published: PublishedTable, seen: set[tuple[str, str]]) -> _Parsed:
        """Read a table, unless its bytes are those we read last; with the digest of its bytes, or why it is no table.

        Rows that are held as they stand there are left out; not from a table that another one (``seen``) of the same
        reading may change before.
        """
        tables, name = self._watcher.store.tables, (published.suite, published.round)
        digest = content_digest(published.documents)
        state = tables.find(*name)
        if state is not None and state.digest == digest and state.held_back_at is None and not state.private:
            return _Parsed(published, digest, None)
        known = None
        if published.read_news is not None and name not in seen and state is not None and not state.private:
            known = tables.known(state)
        seen.add(name)
        try:
            if known is not None and published.read_news is not None:
                return _Parsed(published, digest, published.read_news(known), known)
            return _Parsed(published, digest, published.read())
        except (ParseError, HeldBackError, UsageError) as error:
            return _Parsed(published, digest, error)

    def record(self, occasion: Occasion, *, baseline: bool) -> None:
        """Record everything with its events; none on a source's baseline. Call inside a transaction."""
        events = self._tables(occasion, baseline=baseline)
        if not baseline:  # a round whose table was read just now has been told with it
            new = [published_event(self._counted(published), occasion) for published in self._reading.rounds]
            self._watcher.store.events.add(new)
            told = {event.id for event in events}
            events += [made.event for made in new if made.event.id not in told]
        events += self._claiming.record(self.posts, occasion, baseline=baseline)
        self._claiming.recheck(events, occasion)

    def _counted(self, published: PublishedRound) -> PublishedRound:
        """Return the round with how many results are held of it, as history or from a local table."""
        held = self._watcher.store.tables.find(published.suite, published.round)
        if held is None or held.private or not held.results:
            return published
        return replace(published, results=held.results)

    def _tables(self, occasion: Occasion, *, baseline: bool) -> list[Event]:
        watcher, store = self._watcher, self._watcher.store
        recorder = Recorder(
            store=store, catalog=lambda: watcher.catalog, wanted=lambda: watcher.wanted, shared=self._history
        )
        events: list[Event] = []
        for suite, round_name in self._reading.unchanged_tables:
            state = store.tables.find(suite, round_name)
            if state is not None and state.held_back_at is None and state.polls:
                events += recorder.poll(state, occasion)
        seen = {(each.suite, each.round): each for each in self._reading.rounds}
        for each in self._parsed:
            place = replace(occasion, url=each.published.url, rounds=seen)
            events += self._table(recorder, each, place, quiet=baseline or each.published.baseline)
        return events

    def _table(
        self, recorder: Recorder, each: _Parsed, occasion: Occasion, *, quiet: bool
    ) -> Sequence[Event]:
        watcher, published = self._watcher, each.published
        where = (published.suite, published.round)
        alone = len(published.documents) == 1
        for part in published.documents:
            watcher.store.sources.keep(part, occasion.source, name=each.digest if alone else None)
        if each.read is None:
            state = watcher.store.tables.find(*where)
            return recorder.poll(state, occasion) if state is not None else ()
        if isinstance(each.read, WatcherError):
            return hold_back(watcher, *where, each.read, occasion, quiet=quiet)
        document = each.digest if alone else None
        try:
            events = recorder.table(
                each.read, occasion, digest=each.digest, document=document, baseline=quiet, known=each.known
            )
        except HeldBackError as error:
            return hold_back(watcher, *where, error, occasion, quiet=quiet)
        if quiet:
            self.baselines[f"{published.suite} {published.round}"] = each.read.size
        return events


def hold_back(
    watcher: Watcher, suite: str, round_name: str, error: WatcherError, occasion: Occasion, *, quiet: bool
) -> list[Event]:
    """Keep a table as it was and say why, once; of one under embargo nothing is told."""
    tables = watcher.store.tables
    state = tables.find(suite, round_name)
    if state is None:
        empty = Table(suite, round_name, (), frozenset())
        number = tables.create(
            empty, source=occasion.source, url=occasion.url, now=occasion.now, baseline=quiet
        )
    else:
        number = state.id
    news = tables.hold_back(number, str(error), occasion.now)
    if not news:
        return []
    about = SourceTrouble(
        source=occasion.source or "ingest",
        url=occasion.url,
        failure=error.failure if isinstance(error, SourceError) else "contradiction",
        message=str(error),
        since=occasion.now,
    )
    private = state is not None and state.private
    made = plain_event("source.held_back", about, occasion, private=private)
    watcher.store.events.add([made])
    return [made.event]
