"""Due sources → readings (fetched side by side) → one transaction each: documents, snapshots, events, cursor last."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from watcher import __version__, health
from watcher.domain import Event, PublishedTable, Reading, Source, SourceTrouble, Table, Validators
from watcher.errors import HeldBackError, ParseError, SourceError, UsageError, WatcherError
from watcher.pipeline.claiming import Claiming
from watcher.pipeline.due import Checked, state_of
from watcher.pipeline.parts import Watcher
from watcher.pipeline.recording import Occasion, Recorder, plain_event, published_event
from watcher.sources import read
from watcher.store.sources import SourceMemory, content_digest

if TYPE_CHECKING:
    from watcher.fetch import Session

SIDE_BY_SIDE = 6
_EXPECTED_EARLY, _EXPECTED_LATE = timedelta(days=3), timedelta(days=10)


@dataclass(frozen=True, slots=True)
class _Fetched:
    source: Source
    memory: SourceMemory | None
    session: Session | None
    outcome: Reading | SourceError


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
    for fetched in _fetch(watcher, sources, now, stop):
        watcher.reach("fetched")
        _record(watcher, fetched, now, rounds, report)
        progress(fetched.source.name)
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
    jobs = [
        (source, held.get(source.name), watcher.store.sources.validators(source.name)) for source in sources
    ]
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


def _record(
    watcher: Watcher,
    fetched: _Fetched,
    now: datetime,
    rounds: tuple[health.ExpectedRound, ...],
    report: Checked,
) -> None:
    source, memory, outcome = fetched.source, fetched.memory, fetched.outcome
    report.checked.append(source.name)
    report.steps[source.name] = tuple(fetched.session.steps) if fetched.session is not None else ()
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
    parsed = [_Parsed(table, *_parse(watcher, table)) for table in outcome.tables]
    claiming = Claiming(watcher)
    posts = claiming.prepare(source, outcome.posts)
    with watcher.store.write():
        baseline = memory is None or memory.baseline_at is None
        events = _contents(watcher, outcome, parsed, occasion, baseline=baseline, report=report)
        events += claiming.record(posts, occasion, baseline=baseline)
        claiming.recheck(events, occasion)
        if fetched.session is not None:
            watcher.store.sources.save_validators(source.name, fetched.session.validators.values())
        if outcome.failure is not None:
            after = health.after_failure(state, source, outcome.failure, now, rounds)
            report.failed[source.name] = str(outcome.failure)
        else:
            after = health.after_success(state, source, now, rounds)
        _save(watcher, source, after, occasion, cursor=outcome.cursor)
        watcher.reach("recording")
        if not outcome.tables and not posts and not outcome.rounds:
            report.unchanged.append(source.name)
    watcher.reach("recorded")


@dataclass(frozen=True, slots=True)
class _Parsed:
    published: PublishedTable
    digest: str
    read: Table | WatcherError | None


def _parse(watcher: Watcher, published: PublishedTable) -> tuple[str, Table | WatcherError | None]:
    """Read a table, unless its bytes are those we read last; return the bytes' digest and the table or its error."""
    digest = content_digest([document.body for document in published.documents])
    held = watcher.store.tables.find(published.suite, published.round)
    if held is not None and held.digest == digest and held.held_back_at is None and not held.private:
        return digest, None
    try:
        return digest, published.read()
    except (ParseError, HeldBackError, UsageError) as error:
        return digest, error


def _contents(
    watcher: Watcher,
    reading: Reading,
    parsed: Sequence[_Parsed],
    occasion: Occasion,
    *,
    baseline: bool,
    report: Checked,
) -> list[Event]:
    store = watcher.store
    recorder = Recorder(store=store, catalog=lambda: watcher.catalog, wanted=lambda: watcher.wanted)
    events: list[Event] = []
    for suite, round_name in reading.unchanged_tables:
        state = store.tables.find(suite, round_name)
        if state is not None and state.held_back_at is None and state.polls:
            events += recorder.poll(state, occasion)
    seen = {(each.suite, each.round): each for each in reading.rounds}
    for each in parsed:
        place = replace(occasion, url=each.published.url, rounds=seen)
        quiet = baseline or each.published.baseline
        where = (each.published.suite, each.published.round)
        for part in each.published.documents:
            store.sources.keep(part, occasion.source)
        if each.read is None:
            state = store.tables.find(*where)
            if state is not None:
                events += recorder.poll(state, place)
            continue
        if isinstance(each.read, WatcherError):
            events += hold_back(watcher, *where, each.read, place, quiet=quiet)
            continue
        document = each.digest if len(each.published.documents) == 1 else None
        try:
            events += recorder.table(each.read, place, digest=each.digest, document=document, baseline=quiet)
        except HeldBackError as error:
            events += hold_back(watcher, *where, error, place, quiet=quiet)
            continue
        if quiet:
            name = f"{each.published.suite} {each.published.round}"
            report.baselines[name] = len(each.read.results)
    if not baseline:  # a round whose table was read just now has been told with it
        new = [published_event(published, occasion) for published in reading.rounds]
        store.events.add(new)
        told = {event.id for event in events}
        events += [made.event for made in new if made.event.id not in told]
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


def _save(
    watcher: Watcher,
    source: Source,
    after: health.Outcome,
    occasion: Occasion,
    *,
    cursor: Mapping[str, Any] | None,
) -> None:
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
