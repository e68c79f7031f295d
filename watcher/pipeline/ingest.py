"""A local table through the same recording as a fetched one; the archive as history; the end of an embargo."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Document, Event, Table
from watcher.errors import HeldBackError, ParseError, UsageError
from watcher.pipeline.claiming import Claiming
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.recording import Recorder
from watcher.store.sources import content_digest

if TYPE_CHECKING:
    from watcher.pipeline.parts import Watcher

MAX_BYTES = 256 * 2**20


class Request(Struct, frozen=True, kw_only=True):
    """How tables are to be taken."""

    suite: str | None = None
    round: str | None = None
    baseline: bool = False
    accept: bool = False
    private: bool = False


def ingest_file(watcher: Watcher, file: Path, request: Request, now: datetime) -> tuple[Event, ...]:
    """Record the tables of one file.

    Raises UsageError (no such file, no table, suite or round missing or contradicting) or HeldBackError.
    """
    body = _bytes(file)
    from watcher.parse import read_table  # noqa: PLC0415 - only when a table is read

    try:
        tables = read_table(
            body, name=str(file), catalog=watcher.catalog, suite=request.suite, round=request.round
        )
    except ParseError as error:
        raise UsageError(str(error)) from error
    events: tuple[Event, ...] = ()
    document = Document(file.absolute().as_uri(), body, now)
    for table in tables:
        events += record(watcher, replace(table, private=request.private), document, request, now)
    return events


def record(
    watcher: Watcher, table: Table, document: Document | None, request: Request, now: datetime
) -> tuple[Event, ...]:
    """Record one table in one transaction; identical bytes count as a poll. Raises HeldBackError."""
    store = watcher.store
    state = store.tables.find(table.suite, table.round)
    batch = f"ingest {table.suite} {table.round} #{(state.polls if state else 0) + 1}"
    occasion = Occasion(batch=batch, now=now, url=document.url if document else None)
    if state is not None and state.polls and request.private and not state.private:
        raise UsageError(
            f"{table.suite} {table.round} is public here already: an embargo is for a table that is not yet; "
            "leave out --private to record what changed"
        )
    recorder = _recorder(watcher)
    digest = content_digest([document]) if document else f"archive {table.suite} {table.round}"
    try:
        with store.write():
            if (
                state is not None
                and state.digest == digest
                and state.held_back_at is None
                and not request.accept
            ):
                events = recorder.poll(state, occasion)
            else:
                kept = store.sources.keep(document, None) if document else None
                events = recorder.table(
                    table,
                    occasion,
                    digest=digest,
                    document=kept,
                    baseline=request.baseline,
                    accept=request.accept,
                )
            Claiming(watcher).recheck(events, occasion)
            watcher.reach("recording")
    except HeldBackError as error:
        from watcher.pipeline.contents import hold_back  # noqa: PLC0415 - only for a table that lost too much

        with store.write():
            # No poll was counted, so the next attempt has the same number: what is told now needs a batch of its own.
            held = replace(occasion, batch=f"{batch} held back {now.isoformat()}")
            hold_back(watcher, table.suite, table.round, error, held, quiet=request.baseline)
        raise
    watcher.reach("recorded")
    return events


def load_archive(watcher: Watcher, now: datetime) -> dict[str, int]:
    """Record the published rounds that come with the program as history, without events; return results a round."""
    from watcher import archive  # noqa: PLC0415 - only when asked for

    loaded = {}
    for suite, round_name in archive.rounds():
        if watcher.store.tables.find(suite, round_name) is not None:
            continue
        table = archive.load(suite, round_name)
        record(watcher, table, None, Request(baseline=True), now)
        loaded[f"{suite} {round_name}"] = len(table.results)
    return loaded


def release(watcher: Watcher, suite: str, round_name: str, now: datetime) -> int:
    """End the embargo of a table: it is told as it stands now; return how many results it has.

    Raises UsageError if there is no such table under embargo.
    """
    state = watcher.store.tables.find(suite, round_name)
    if state is None or not state.private:
        held = [f"{each.suite} {each.round}" for each in watcher.store.tables.all() if each.private]
        raise UsageError(
            f"{suite} {round_name} is not under embargo"
            + (f"; under embargo: {', '.join(held)}" if held else "")
        )
    occasion = Occasion(batch=f"release {suite} {round_name}", now=now, url=state.url)
    with watcher.store.write():
        events = _recorder(watcher).release(state, occasion)
        Claiming(watcher).recheck(events, occasion)
        watcher.reach("recording")
    watcher.reach("recorded")
    return state.results


def _recorder(watcher: Watcher) -> Recorder:
    return Recorder(store=watcher.store, catalog=lambda: watcher.catalog, wanted=lambda: watcher.wanted)


def _bytes(file: Path) -> bytes:
    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            raise UsageError(f"{file}: has {size:,} bytes; a table has at most {MAX_BYTES:,}")
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
