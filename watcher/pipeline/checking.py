"""Due sources → readings (fetched side by side) → recorded: what has contents in a transaction of its own, the rest together.

A source whose reading brought nothing costs a few statements; what is made of contents is imported where there are some.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from watcher import __version__, health
from watcher.domain import Reading, Source, Validators
from watcher.errors import SourceError
from watcher.pipeline.due import Checked, state_of
from watcher.pipeline.parts import Watcher
from watcher.sources import read

if TYPE_CHECKING:
    from watcher.fetch import Session
    from watcher.pipeline.recording import Occasion
    from watcher.store.sources import SourceMemory

SIDE_BY_SIDE = 6
TOGETHER = 50  # so many sources without news, at most, wait for the transaction that records them
_EXPECTED_EARLY, _EXPECTED_LATE = timedelta(days=3), timedelta(days=10)


@dataclass(frozen=True, slots=True)
class _Fetched:
    source: Source
    memory: SourceMemory | None
    session: Session | None
    outcome: Reading | SourceError


@dataclass(frozen=True, slots=True)
class _Quiet:
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
    rounds = _expected(watcher, now)
    quiet: list[_Quiet] = []
    for fetched in _fetch(watcher, sources, now, stop):
        watcher.reach("fetched")
        report.checked.append(fetched.source.name)
        report.steps[fetched.source.name] = tuple(fetched.session.steps) if fetched.session else ()
        nothing = _quiet(watcher, fetched, now, rounds)
        if nothing is not None:
            quiet.append(nothing)
            report.steps[fetched.source.name] += nothing.reading.steps
            report.unchanged.append(fetched.source.name)
        if nothing is None or len(quiet) == TOGETHER:
            _record_quiet(watcher, quiet, now)
            quiet.clear()
        if nothing is None:
            _record(watcher, fetched, now, rounds, report)
        progress(fetched.source.name)
    _record_quiet(watcher, quiet, now)
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
    jobs = [(source, held.get(source.name), validators.get(source.name, {})) for source in sources]
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
        for job in jobs:
            if stop():
                return
            yield fetch_one(*job)
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait  # noqa: PLC0415 - for several hosts

    with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="fetch") as pool:
        under_way: set[Future[_Fetched]] = set()
        waiting = iter(jobs)
        for job in waiting:
            under_way.add(pool.submit(fetch_one, *job))
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


def _quiet(
    watcher: Watcher, fetched: _Fetched, now: datetime, rounds: tuple[health.ExpectedRound, ...]
) -> _Quiet | None:
    """Return what is to be recorded of a source that brought nothing, None where there is more to it."""
    source, reading = fetched.source, fetched.outcome
    if isinstance(reading, SourceError) or reading.failure is not None:
        return None
    if reading.tables or reading.posts or reading.rounds:
        return None
    if reading.unchanged_tables and watcher.store.tables.with_missing_rows() & set(reading.unchanged_tables):
        return None  # rows that are missing for the second time are removed: that is news
    outcome = health.after_success(state_of(source, fetched.memory), source, now, rounds)
    if outcome.troubles:
        return None
    validators = tuple(fetched.session.validators.values()) if fetched.session is not None else ()
    return _Quiet(source, reading, outcome.state, validators)


def _record_quiet(watcher: Watcher, quiet: Sequence[_Quiet], now: datetime) -> None:
    """Record sources that brought nothing, all in one transaction."""
    if not quiet:
        return
    store = watcher.store
    with store.write():
        store.tables.polled_unchanged([t for each in quiet for t in each.reading.unchanged_tables], now)
        for each in quiet:
            store.sources.save_validators(each.source.name, each.validators)
            store.sources.save(
                each.source.name, kind=each.source.kind, url=each.source.url, health=each.after.as_json(),
                next_check_at=each.after.next_check_at, cursor=each.reading.cursor, now=now,
            )  # fmt: skip
        watcher.reach("recording")
    watcher.reach("recorded")


def _record(
    watcher: Watcher,
    fetched: _Fetched,
    now: datetime,
    rounds: tuple[health.ExpectedRound, ...],
    report: Checked,
) -> None:
    """Record a source that failed, or that brought something."""
    from watcher.pipeline.contents import Contents  # noqa: PLC0415 - only where there is something to record
    from watcher.pipeline.recording import Occasion  # noqa: PLC0415

    source, memory, outcome = fetched.source, fetched.memory, fetched.outcome
    state = state_of(source, memory)
    occasion = Occasion(
        batch=f"{source.name}#{state.checks + 1}", now=now, source=source.name, url=source.url
    )
    if isinstance(outcome, SourceError):
        after = health.after_failure(state, source, outcome, now, rounds)
        report.failed[source.name] = str(outcome)
        with watcher.store.write():
            _save(watcher, source, after, occasion, cursor=None)
            watcher.reach("recording")
        watcher.reach("recorded")
        return
    report.steps[source.name] += outcome.steps
    contents = Contents(watcher, source, outcome)
    with watcher.store.write():
        contents.record(occasion, baseline=memory is None or memory.baseline_at is None)
        report.baselines |= contents.baselines
        if fetched.session is not None:
            watcher.store.sources.save_validators(source.name, fetched.session.validators.values())
        if outcome.failure is not None:
            after = health.after_failure(state, source, outcome.failure, now, rounds)
            report.failed[source.name] = str(outcome.failure)
        else:
            after = health.after_success(state, source, now, rounds)
        _save(watcher, source, after, occasion, cursor=outcome.cursor)
        watcher.reach("recording")
    if not (outcome.tables or contents.posts or outcome.rounds):
        report.unchanged.append(source.name)
    watcher.reach("recorded")


def _save(
    watcher: Watcher,
    source: Source,
    after: health.Outcome,
    occasion: Occasion,
    *,
    cursor: Mapping[str, Any] | None,
) -> None:
    from watcher.pipeline.recording import plain_event  # noqa: PLC0415 - only where there is something to record

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
