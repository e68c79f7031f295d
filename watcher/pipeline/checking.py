"""Due sources → readings (fetched side by side) → recorded: what has contents in a transaction of its own, the rest together.

A source whose reading brought nothing costs a few statements; what is made of contents is imported where there are some.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from watcher import __version__, health
from watcher.domain import Reading, Source, Validators
from watcher.errors import SourceError
from watcher.pipeline.due import Checked, state_of
from watcher.pipeline.parts import Watcher
from watcher.sources import read

if TYPE_CHECKING:
    from watcher.fetch import Session
    from watcher.pipeline.evidence import EvidenceRows
    from watcher.pipeline.history import History
    from watcher.pipeline.occasion import Occasion
    from watcher.store.sources import SourceMemory

SIDE_BY_SIDE = 6
TOGETHER = 50  # so many sources without news, at most, wait for the transaction that records them
_EXPECTED_EARLY, _EXPECTED_LATE = timedelta(days=3), timedelta(days=10)


class _Fetched(Struct, frozen=True):
    source: Source
    memory: SourceMemory | None
    session: Session | None
    outcome: Reading | SourceError


class _Quiet(Struct, frozen=True):
    """A source that succeeded, brought nothing, and of which nothing is to be told."""

    source: Source
    reading: Reading
    after: health.SourceState
    validators: tuple[Validators, ...]


def check_sources(
    watcher: Watcher,
    sources: Sequence[Source],
    now: datetime,
    *,
    progress: Callable[[str], None] = lambda _name: None,
    stop: Callable[[], bool] = lambda: False,
) -> Checked:
    """Check each source once; a source's trouble is recorded, told through the same path, and stops no other."""
    report = Checked()
    if not sources:
        return report
    recording = _Recording(watcher, now, _expected(watcher, now), report)
    for fetched in _fetch(watcher, sources, now, stop):
        watcher.reach("fetched")
        recording.take(fetched)
        progress(fetched.source.name)
    recording.finish()
    return report


def expected_rounds(rounds: Iterable[tuple[str, date]]) -> tuple[health.ExpectedRound, ...]:
    """Return the days around which expected rounds may appear."""
    return tuple(
        health.ExpectedRound(suite, day - _EXPECTED_EARLY, day + _EXPECTED_LATE) for suite, day in rounds
    )


# ------------------------------------------------------------------------------------------------ fetching


def _fetch(
    watcher: Watcher, sources: Sequence[Source], now: datetime, stop: Callable[[], bool]
) -> Iterator[_Fetched]:
    """Fetch side by side, a host at a time, and hand over one by one; no more is held than is under way."""
    held = watcher.store.sources.all()
    validators = watcher.store.sources.validators_of([source.name for source in sources])
    checks = [(source, held.get(source.name), validators.get(source.name, {})) for source in sources]
    fetcher = watcher.fetcher

    def fetch_one(
        source: Source, memory: SourceMemory | None, validators: Mapping[str, Validators]
    ) -> _Fetched:
        session = fetcher.session(source, validators, now)
        try:
            cursor = memory.cursor if memory is not None else {}
            return _Fetched(source, memory, session, read(source, session, cursor, now, watcher.catalog))
        except SourceError as error:
            return _Fetched(source, memory, session, error)

    if len({urlsplit(source.url).netloc for source in sources}) == 1:
        for check in checks:
            if stop():
                return
            yield fetch_one(*check)
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait  # noqa: PLC0415 - for several hosts

    with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="fetch") as pool:
        under_way: set[Future[_Fetched]] = set()
        waiting = iter(checks)
        for check in waiting:
            under_way.add(pool.submit(fetch_one, *check))
            if len(under_way) < SIDE_BY_SIDE:
                continue
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
            if stop():
                break
        for future in under_way:
            yield future.result()


# ------------------------------------------------------------------------------------------------ recording


class _Recording:
    """Records what a pass fetched, in the order in which it came."""

    def __init__(
        self, watcher: Watcher, now: datetime, rounds: tuple[health.ExpectedRound, ...], report: Checked
    ) -> None:
        self._watcher, self._now, self._rounds, self._report = watcher, now, rounds, report
        self._waiting: list[_Quiet] = []

    def take(self, fetched: _Fetched) -> None:
        """Record a source, or let it wait for others of which there is as little to record."""
        name = fetched.source.name
        self._report.checked.append(name)
        self._report.steps[name] = tuple(fetched.session.steps) if fetched.session is not None else ()
        quiet = self._quiet(fetched)
        if quiet is None:
            self.finish()
            self._record(fetched)
            return
        self._report.steps[name] += quiet.reading.steps
        self._report.unchanged.append(name)
        self._waiting.append(quiet)
        if len(self._waiting) == TOGETHER:
            self.finish()

    def _quiet(self, fetched: _Fetched) -> _Quiet | None:
        """Return what is to be recorded of a source that brought nothing, None where there is more to it."""
        source, reading = fetched.source, fetched.outcome
        if isinstance(reading, SourceError) or reading.failure is not None:
            return None
        if reading.tables or reading.posts or reading.rounds:
            return None
        unchanged = set(reading.unchanged_tables)
        if unchanged and unchanged & self._watcher.store.tables.with_missing_rows():
            return None  # rows that are missing for the second time are removed: that is news
        outcome = health.after_success(state_of(source, fetched.memory), source, self._now, self._rounds)
        if outcome.troubles:
            return None
        validators = tuple(fetched.session.validators.values()) if fetched.session is not None else ()
        return _Quiet(source, reading, outcome.state, validators)

    def finish(self) -> None:
        """Record the sources that wait, all in one transaction."""
        if not self._waiting:
            return
        store = self._watcher.store
        with store.write():
            unchanged = [table for each in self._waiting for table in each.reading.unchanged_tables]
            store.tables.polled_unchanged(unchanged, self._now)
            for each in self._waiting:
                store.sources.save_validators(each.source.name, each.validators)
                store.sources.save(
                    each.source.name, kind=each.source.kind, url=each.source.url, health=each.after.as_json(),
                    next_check_at=each.after.next_check_at, cursor=each.reading.cursor, now=self._now,
                )  # fmt: skip
            self._watcher.reach("recording")
        self._waiting.clear()
        self._watcher.reach("recorded")

    def _record(self, fetched: _Fetched) -> None:
        """Record a source that failed, or that brought something."""
        from watcher.pipeline.occasion import Occasion  # noqa: PLC0415 - only where there is something to record

        watcher, source, outcome = self._watcher, fetched.source, fetched.outcome
        state = state_of(source, fetched.memory)
        occasion = Occasion(
            batch=f"{source.name}#{state.checks + 1}", now=self._now, source=source.name, url=source.url
        )
        if isinstance(outcome, SourceError):
            after = health.after_failure(state, source, outcome, self._now, self._rounds)
            self._report.failed[source.name] = str(outcome)
            with watcher.store.write():
                _save(watcher, source, after, occasion, cursor=None)
                watcher.reach("recording")
        else:
            self._contents(fetched, outcome, state, occasion)
        watcher.reach("recorded")

    def _contents(
        self, fetched: _Fetched, reading: Reading, state: health.SourceState, occasion: Occasion
    ) -> None:
        from watcher.pipeline.contents import Contents  # noqa: PLC0415 - only where there are some

        watcher, source, memory, report = self._watcher, fetched.source, fetched.memory, self._report
        report.steps[source.name] += reading.steps
        contents = Contents(watcher, source, reading, self._rows, lambda: self._history)
        with watcher.store.write():
            contents.record(occasion, baseline=memory is None or memory.baseline_at is None)
            report.baselines |= contents.baselines
            if fetched.session is not None:
                watcher.store.sources.save_validators(source.name, fetched.session.validators.values())
            if reading.failure is not None:
                after = health.after_failure(state, source, reading.failure, self._now, self._rounds)
                report.failed[source.name] = str(reading.failure)
            else:
                after = health.after_success(state, source, self._now, self._rounds)
            _save(watcher, source, after, occasion, cursor=reading.cursor)
            watcher.reach("recording")
        if not (reading.tables or contents.posts or reading.rounds):
            report.unchanged.append(source.name)

    @cached_property
    def _rows(self) -> EvidenceRows:
        from watcher.pipeline.evidence import EvidenceRows  # noqa: PLC0415 - only where there are contents

        return EvidenceRows(self._watcher.store.tables)

    @cached_property
    def _history(self) -> History:
        from watcher.pipeline.history import History  # noqa: PLC0415 - only where something changed

        return History(self._watcher.store.tables)


def _save(
    watcher: Watcher,
    source: Source,
    after: health.Outcome,
    occasion: Occasion,
    *,
    cursor: Mapping[str, Any] | None,
) -> None:
    from watcher.pipeline.occasion import plain_event  # noqa: PLC0415 - only where there is something to record

    watcher.store.events.add([plain_event(t.kind, t.about, occasion) for t in after.troubles])
    watcher.store.sources.save(
        source.name, kind=source.kind, url=source.url, health=after.state.as_json(),
        next_check_at=after.state.next_check_at, cursor=cursor, now=occasion.now,
    )  # fmt: skip


def _expected(watcher: Watcher, now: datetime) -> tuple[health.ExpectedRound, ...]:
    """Return the expected rounds; the calendar is read once a day and kept in the state."""
    kept = watcher.store.recall("expected_rounds")
    stamp = f"{__version__} {now:%Y-%m-%d}"
    if kept is not None:
        held = json.loads(kept)
        if held["stamp"] == stamp:
            return expected_rounds((suite, date.fromisoformat(day)) for suite, day in held["rounds"])
    rounds = [
        (each.suite, each.expected)
        for each in watcher.catalog.rounds()
        if each.published_on is None and each.expected is not None
    ]
    with watcher.store.write():
        text = json.dumps({"stamp": stamp, "rounds": [(suite, day.isoformat()) for suite, day in rounds]})
        watcher.store.remember("expected_rounds", text)
    return expected_rounds(rounds)
