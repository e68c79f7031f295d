"""A read table → what the store records of it: versions, a snapshot and events, all inside one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher import diff as differ
from watcher.catalog.spelling import fold
from watcher.domain import (
    Change,
    Event,
    Held,
    KnownRows,
    NewName,
    PublishedRound,
    Result,
    ResultKey,
    Table,
)
from watcher.pipeline.occasion import Occasion, event_id, plain_event, published_event, result_event
from watcher.store.events import NewEvent
from watcher.store.tables import TableState, Version

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog
    from watcher.figures import Wanted
    from watcher.figures.grounds import Grounds
    from watcher.pipeline.history import History
    from watcher.store import Store

NAME_KINDS = ("submitter", "accelerator", "benchmark", "column")
Name = tuple[str, str]
"""A kind and a name of it."""
_TOGETHER = 1000  # rows that are compared with what is held in one go


@dataclass(frozen=True, kw_only=True)
class Recorder:
    """What recording needs beside the table: the store, the names, and which derived figures the rules want.

    ``shared``: gives the rows that figures are made of, where several recorders of a pass share them.
    """

    store: Store
    catalog: Callable[[], Catalog]
    wanted: Callable[[], Wanted]
    shared: Callable[[], History] | None = None

    @cached_property
    def _past(self) -> History:
        from watcher.pipeline.history import History  # noqa: PLC0415 - only when something changed

        return History(self.store.tables) if self.shared is None else self.shared()

    def table(
        self, table: Table, occasion: Occasion, *, digest: str, document: str | None = None,
        baseline: bool = False, accept: bool = False, known: KnownRows | None = None,
    ) -> tuple[Event, ...]:  # fmt: skip
        """Record a table as read now; return the events. Call inside a transaction.

        ``digest`` is of the bytes it was read from, ``document`` the kept document if there is exactly one. ``baseline``: a first state is recorded without events. A table under embargo that a source now has in public is told as a first one, and what was held under embargo is dropped unseen. ``known``: what the table was read beside, if it was. Raises HeldBackError (nothing is written then).
        """
        state = self.store.tables.find(table.suite, table.round)
        public = state is not None and state.private and not table.private and occasion.source is not None
        if state is None or state.polls == 0 or public:
            return self._first(table, state, occasion, digest=digest, document=document, baseline=baseline)
        if state.private != table.private:
            table = replace(table, private=state.private)
        return self._next(
            table,
            state,
            occasion,
            digest=digest,
            document=document,
            quiet=baseline,
            accept=accept,
            known=known,
        )

    def create(self, table: Table, occasion: Occasion, *, baseline: bool) -> int:
        """Record that a table is there, with no results yet; return its id."""
        return self.store.tables.create(
            table, source=occasion.source, url=occasion.url, now=occasion.now, baseline=baseline
        )

    def poll(self, state: TableState, occasion: Occasion) -> tuple[Event, ...]:
        """Count a poll that found the table as before: what was missing then is missing twice now, so it is removed."""
        tables = self.store.tables
        number = tables.polled(state.id, occasion.now)
        gone = {key: found for key, found in tables.pending(state.id).items() if found[1] < number}
        if not gone:
            return ()
        versions = tables.versions(state.id, gone)
        benchmarks = {version.result.benchmark for version in versions.values()}
        before = self._history(state.suite, benchmarks)
        snapshot = tables.snapshot(
            state.id, source=occasion.source, url=occasion.url or state.url, digest=None,
            results=state.results - len(gone), batch=occasion.batch, now=occasion.now,
        )  # fmt: skip
        tables.end([(version.id, "removed") for version in versions.values()], snapshot)
        events = [
            result_event(
                Change("removed", version.result, None), occasion, before=version.id, private=state.private
            )
            for version in versions.values()
        ]
        return self._add(events, before, occasion, private=state.private)

    # ------------------------------------------------------------------------------------------ first state

    def _first(
        self,
        table: Table,
        state: TableState | None,
        occasion: Occasion,
        *,
        digest: str,
        document: str | None,
        baseline: bool,
    ) -> tuple[Event, ...]:
        tables = self.store.tables
        news = not baseline
        before = self._history(table.suite, {r.benchmark for r in table.results}) if news else {}
        number = state.id if state else self.create(table, occasion, baseline=baseline)
        if state is not None and state.private and not table.private:
            tables.set_private(number, private=False)
        snapshot = self._snapshot(number, table, occasion, document)
        tables.end([(row.id, "embargoed") for row in tables.held(number).values()], snapshot)
        rows = list(zip_longest(table.results, table.row_digests))
        tables.read_by(number, table.reader)
        ids = tables.add(number, snapshot, rows, occasion.now)
        tables.polled(number, occasion.now, digest=digest, columns=table.columns)
        new_names = self._names(table, occasion)
        if not news:
            return ()
        events = [self._published(table, occasion), *self._named(new_names, table, occasion)]
        for result, version in zip(table.results, ids, strict=True):
            seen = replace(result, first_seen_at=occasion.now)
            events.append(
                result_event(Change("added", None, seen), occasion, after=version, private=table.private)
            )
        return self._add(events, before, occasion, private=table.private)

    def release(self, state: TableState, occasion: Occasion) -> tuple[Event, ...]:
        """End a table's embargo: it is told as it stands now, as if it had just been published. Call inside a transaction.

        How it came to stand so under embargo is never told. A table recorded as a baseline stays without events.
        """
        tables = self.store.tables
        held = tables.by_ids([row.id for row in tables.held(state.id).values()])
        table = Table(state.suite, state.round, tuple(held.values()), state.columns)
        benchmarks = {result.benchmark for result in table.results}
        before = self._history(state.suite, benchmarks) if benchmarks else {}
        tables.set_private(state.id, private=False)
        tables.read_by(state.id, None)  # columns that nobody knows are told when all rows are read next
        new_names = self._names(table, occasion)
        events = [self._published(table, occasion), *self._named(new_names, table, occasion)]
        if state.baseline:
            return ()
        for version, result in held.items():
            events.append(result_event(Change("added", None, result), occasion, after=version, private=False))
        return self._add(events, before, occasion, private=False)

    def _published(self, table: Table, occasion: Occasion) -> NewEvent:
        seen = occasion.rounds.get((table.suite, table.round))
        subject = seen or PublishedRound(suite=table.suite, round=table.round, url=occasion.url)
        subject = replace(subject, results=len(table.results))
        return published_event(subject, occasion, private=table.private)

    # ------------------------------------------------------------------------------------------ a later state

    def _next(
        self,
        table: Table,
        state: TableState,
        occasion: Occasion,
        *,
        digest: str,
        document: str | None,
        quiet: bool,
        accept: bool,
        known: KnownRows | None,
    ) -> tuple[Event, ...]:
        tables = self.store.tables
        held, size = self._left(state, table, known)
        rows = {result.key: result for result in table.results}
        matched = differ.match(held, rows)
        missing = tables.pending(state.id)
        unknown = state.columns - table.columns
        versions = tables.versions(state.id, matched.missing)
        for part in _parts(matched.both):
            versions |= {
                key: version
                for key, version in tables.versions(state.id, part).items()
                if not differ.stands(version.result, rows[key], unknown)
            }
        returned = tables.removed(state.id, matched.added) if matched.added else {}
        decision = differ.diff(
            matched,
            {key: version.result for key, version in versions.items()},
            table,
            state.columns,
            size=size,
            poll=state.polls + 1,
            missing_since={key: since for key, (_, since) in missing.items()},
            ended={key: version.result for key, version in returned.items()},
            accept=accept,
        )
        benchmarks = {
            side.benchmark
            for change in decision.changes
            for side in (change.before, change.after)
            if side is not None
        }
        before = self._history(table.suite, benchmarks) if benchmarks and not quiet else {}
        poll = tables.polled(state.id, occasion.now, digest=digest, columns=state.columns | table.columns)
        back = {version for version, _ in missing.values()}.intersection(table.recognised)
        tables.found_again([*back, *(held[key].id for key in matched.reappeared)])
        tables.missed([held[key].id for key in decision.pending], poll)
        tables.improve([(versions[old.key].id, old, new) for old, new in decision.enriched])
        events = self._named(self._names(table, occasion), table, occasion)
        if decision.changes or decision.respelled:
            snapshot = self._snapshot(state.id, table, occasion, document)
            events += self._changes(decision.changes, state, snapshot, versions, returned, occasion)
            self._respell(decision.respelled, state, snapshot, versions, occasion)
        # A row that keeps what its table cannot say does not stand as published: it is not to be recognised.
        reader = None if unknown else table.reader
        tables.read_by(state.id, reader, zip_longest(table.results, table.row_digests))
        if "entry" in table.columns:  # a table without numbers leaves those that are known
            read = ((result.entry, held.get(result.key)) for result in table.results)
            tables.number([(entry, row.id) for entry, row in read if row is not None and row.entry != entry])
        return () if quiet else self._add(events, before, occasion, private=state.private)

    def _left(
        self, state: TableState, table: Table, known: KnownRows | None
    ) -> tuple[dict[ResultKey, Held], int]:
        """Return the rows held that were not recognised in the table, and how many are held in all."""
        tables = self.store.tables
        if known is None:
            held = tables.held(state.id)
            return held, len(held)
        return tables.held_as(set(known.versions.values()).difference(table.recognised)), len(known.versions)

    def _changes(
        self,
        changes: Sequence[Change],
        state: TableState,
        snapshot: int,
        versions: dict[ResultKey, Version],
        returned: dict[ResultKey, Version],
        occasion: Occasion,
    ) -> Iterable[NewEvent]:
        tables = self.store.tables
        tables.end(
            [
                (versions[c.before.key].id, c.kind)
                for c in changes
                if c.before is not None and c.kind != "restored"
            ],
            snapshot,
        )
        rows = [(c.after, None) for c in changes if c.after is not None]
        added = iter(tables.add(state.id, snapshot, rows, occasion.now))
        for change in changes:
            after = None if change.after is None else next(added)
            if change.kind in {"renamed", "changed"} and change.before and change.after:
                self.store.pins.follow(change.before.key, change.after.key)  # the same one, as a rule
            old = None
            if change.before is not None:
                old = (returned if change.kind == "restored" else versions)[change.before.key].id
            if change.kind == "added" and change.after is not None:
                change = replace(change, after=replace(change.after, first_seen_at=occasion.now))  # noqa: PLW2901
            yield result_event(change, occasion, before=old, after=after, private=state.private)

    def _respell(
        self,
        rows: Iterable[tuple[Result, Result]],
        state: TableState,
        snapshot: int,
        versions: dict[ResultKey, Version],
        occasion: Occasion,
    ) -> None:
        """Record rows whose names are only spelled in another way: a new version each, and no event."""
        pairs = list(rows)
        self.store.tables.end([(versions[old.key].id, "renamed") for old, _ in pairs], snapshot)
        self.store.tables.add(state.id, snapshot, [(new, None) for _, new in pairs], occasion.now)
        for old, new in pairs:
            self.store.pins.follow(old.key, new.key)

    # ------------------------------------------------------------------------------------------ common parts

    def _snapshot(self, number: int, table: Table, occasion: Occasion, document: str | None) -> int:
        return self.store.tables.snapshot(
            number, source=occasion.source, url=occasion.url, digest=document, results=table.size,
            batch=occasion.batch, now=occasion.now,
        )  # fmt: skip

    def _names(self, table: Table, occasion: Occasion) -> list[Name]:
        """Remember every name of the table; return those that nobody has seen before."""
        seen = [*names_of(table.results), *(("column", name) for name in table.unknown_columns)]
        held = {kind: self.store.tables.names(kind) for kind in NAME_KINDS}
        fresh = [(kind, name) for kind, name in seen if name not in held[kind]]
        if not fresh:
            return []
        if not table.private:
            self.store.tables.remember_names(fresh, table.suite, table.round, occasion.now)
        return self._unheard_of(fresh, held, table)

    def _unheard_of(
        self, fresh: Sequence[Name], held: Mapping[str, Collection[str]], table: Table
    ) -> list[Name]:
        """Return those of a table's ``fresh`` names that are neither another spelling of one ``held`` nor the catalog's."""
        catalog = self.catalog()
        spoken = {(kind, fold(name)) for kind, names in held.items() for name in names}
        full = table.round if table.suite == "inference" else f"{table.suite}-{table.round}"
        new = []
        for kind, name in fresh:
            if kind != "column":
                if (kind, fold(name)) in spoken:
                    continue
                spoken.add((kind, fold(name)))
                if catalog.known(kind, name, before=full):
                    continue
            new.append((kind, name))
        return new

    def _named(self, names: Sequence[Name], table: Table, occasion: Occasion) -> list[NewEvent]:
        """Return name.new for names that a table brought."""
        events = []
        for (kind, name), results in _carriers(table.results, names).items():
            subject = NewName(
                kind=kind, name=name, suite=table.suite, round=table.round, results=len(results),
                url=results[0].url if results else occasion.url,
            )  # fmt: skip
            # A name is new once, whatever brings it; one under embargo does not stand in the way of its public news.
            once = event_id("name.new", kind, name, *(["embargo"] if table.private else []))
            events.append(plain_event("name.new", subject, occasion, private=table.private, once=once))
        return events

    def _history(self, suite: str, benchmarks: Iterable[str]) -> Grounds:
        """Return the rows that derived figures may be made of: public ones alone."""
        from watcher.figures import NOTHING  # noqa: PLC0415 - only when something changed

        wanted = self.wanted()
        if wanted == NOTHING:
            return {}
        # What became of a promise may show by its benchmark's absence: then the whole suite is looked at.
        chosen = () if wanted.promises else tuple(benchmarks)
        return self._past.rows(suite, chosen)

    def _add(
        self, events: Sequence[NewEvent], before: Grounds, occasion: Occasion, *, private: bool
    ) -> tuple[Event, ...]:
        """Record events and the derived figures that they touch; of rows under embargo none is made before release."""
        if not events:
            return ()
        derived = [] if private else self._derived(events, before, occasion)
        self.store.events.add([*events, *derived])
        return tuple(new.event for new in (*events, *derived))

    def _derived(self, events: Sequence[NewEvent], before: Grounds, occasion: Occasion) -> list[NewEvent]:
        from watcher.figures import NOTHING, derive  # noqa: PLC0415 - only when something changed

        wanted = self.wanted()
        touched = [
            result
            for new in events
            for result in (new.event.before, new.event.after)
            if isinstance(result, Result)
        ]
        if wanted == NOTHING or not touched:
            return []
        after = self._history(touched[0].suite, {result.benchmark for result in touched})
        return [
            plain_event(
                found.kind, found.after if found.after is not None else found.before, occasion,
                before=found.before if found.after is not None else None,
            )
            for found in derive(before, after, {result.key for result in touched}, wanted)
        ]  # fmt: skip


def _parts(keys: Sequence[ResultKey]) -> Iterator[Sequence[ResultKey]]:
    """Give keys in parts, so that never more of a large table is in memory twice."""
    return (keys[start : start + _TOGETHER] for start in range(0, len(keys), _TOGETHER))


def names_of(results: Iterable[Result]) -> tuple[Name, ...]:
    """Return what results carry, each name once, as first met: organisations, accelerators and benchmarks."""
    seen: dict[Name, None] = {}
    for each in {
        (r.organisations or (r.submitter,), r.accelerators, r.benchmark): r for r in results
    }.values():
        seen.update(dict.fromkeys(_carried(each)))
    return tuple(seen)


def _carried(result: Result) -> list[Name]:
    return [
        *(("submitter", name) for name in result.organisations or (result.submitter,)),
        *(("accelerator", name) for name in result.accelerators),
        ("benchmark", result.benchmark),
    ]


def _carriers(results: Iterable[Result], names: Iterable[Name]) -> dict[Name, list[Result]]:
    """Return of each of these names the results that carry it."""
    found: dict[Name, list[Result]] = {name: [] for name in names}
    for result in results if found else ():
        for name in _carried(result):
            if name in found:
                found[name].append(result)
    return found
