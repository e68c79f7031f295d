"""After an upgrade: what is kept is read again by the new parsers, quietly; what was held back is tried again, aloud.

A better parser is no change of the world. So each table's kept document is parsed again and recorded without events,
before the first check by the new program would tell the difference as news. A table that was held back because it
could not be read is taken from the kept document that brought it: it was news then, and is told now.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from watcher import __version__
from watcher.domain import Document, Source, Table
from watcher.errors import HeldBackError, ParseError, UsageError, WatcherError
from watcher.logs import pairs
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.parts import VERSION
from watcher.pipeline.recording import Recorder
from watcher.store.sources import content_digest

if TYPE_CHECKING:
    from watcher.pipeline.parts import Watcher
    from watcher.store.sources import KeptDocument
    from watcher.store.tables import TableState

_ARCHIVE = "archive "
_log = logging.getLogger("watcher.upgrade")


class Reread(Struct):
    """What came of it, as names such as "inference v6.1"."""

    tables: list[str]
    recovered: list[str]
    failed: dict[str, str]
    verdicts: int = 0


def reread(watcher: Watcher, now: datetime) -> Reread | None:
    """Read everything kept again if another version of the program wrote the state; None if the same one did.

    Each table is a transaction, and the version is noted last: a process that ends within is followed by one that
    does it again.
    """
    before = watcher.store.recall(VERSION)
    if before == __version__:
        return None
    done = Reread([], [], {})
    if before is not None:
        for state in watcher.store.tables.all():
            _table(watcher, state, now, done)
        done.verdicts = _claims(watcher, now)
        _log.info(
            pairs(
                "read again after an upgrade", before=before, now=__version__, tables=len(done.tables),
                recovered=len(done.recovered), failed=len(done.failed), verdicts=done.verdicts,
            )
        )  # fmt: skip
    with watcher.store.write():
        watcher.store.remember(VERSION, __version__)
    return done


def _table(watcher: Watcher, state: TableState, now: datetime, done: Reread) -> None:
    """Read what a table was last made of again; then try what was held back."""
    name = f"{state.suite} {state.round}"
    occasion = Occasion(batch=f"upgrade {__version__} {name}", now=now, source=state.source, url=state.url)
    if state.polls and state.digest:
        try:
            table = _read_again(watcher, state)
            if table is not None:
                _record_quietly(watcher, state, table, occasion)
                done.tables.append(name)
        except (ParseError, HeldBackError, UsageError) as error:
            done.failed[name] = str(error)
            _log.warning(pairs("kept as it was after an upgrade", table=name, why=error))
    if state.held_back_at is not None:
        _try_held_back(watcher, state, occasion, done)


def _read_again(watcher: Watcher, state: TableState) -> Table | None:
    """Return the table as this version reads it; None where its document is no longer kept."""
    digest = state.digest or ""
    if digest.startswith(_ARCHIVE):
        from watcher import archive  # noqa: PLC0415 - only for a table that came with the program

        if (state.suite, state.round) in archive.rounds():
            return archive.load(state.suite, state.round, catalog=watcher.catalog)
        return None
    document = watcher.store.sources.document(digest)
    if document is None:
        return None
    source = next((k.source for k in watcher.store.sources.kept() if k.digest == digest), None)
    return _parse(watcher, state, document, source)


def _parse(watcher: Watcher, state: TableState, document: Document, source_name: str | None) -> Table:
    """Read a kept document the way its source read it. Raises ParseError, HeldBackError or UsageError."""
    source = next((each for each in watcher.sources if each.name == source_name), None)
    if source is not None and source.kind != "results_repos":
        return _by_its_source(watcher, source, document, state)
    address = _repository(source, document)
    if "/tree/" in document.url and document.media_type == "application/json":
        from watcher.parse.artefacts import ARTEFACTS  # noqa: PLC0415 - only for a rebuilt table

        return ARTEFACTS[state.suite].assemble(
            json.loads(document.body), suite=state.suite, round=state.round,
            repository_url=address, catalog=watcher.catalog,
        )  # fmt: skip
    from watcher.parse import read_table  # noqa: PLC0415 - only when there is a table to read

    tables = read_table(
        document.body, name=document.url, catalog=watcher.catalog, suite=state.suite, round=state.round,
        repository_url=address,
    )  # fmt: skip
    for table in tables:
        if (table.suite, table.round) == (state.suite, state.round):
            return table
    raise ParseError(f"{document.url}: no longer holds {state.suite} {state.round}")


def _by_its_source(watcher: Watcher, source: Source, document: Document, state: TableState) -> Table:
    """Let the source itself read the kept page, handed to it in place of the network."""
    from watcher.sources import read  # noqa: PLC0415 - only for tables on pages

    def kept(
        url: str, *, accept: str | None = None, conditional: bool = True, page: bool = False
    ) -> Document:
        del url, accept, conditional, page
        return document

    reading = read(source, kept, {}, document.fetched_at, watcher.catalog)
    for published in reading.tables:
        if (published.suite, published.round) == (state.suite, state.round):
            return published.read()
    raise ParseError(f"{document.url}: no longer holds {state.suite} {state.round}")


def _repository(source: Source | None, document: Document) -> str | None:
    """Return the address of the repository that a document came from, None to let suite and round name it."""
    if "/tree/" in document.url:
        return document.url.partition("/tree/")[0]
    if source is None:
        return None
    from watcher.sources import options_of  # noqa: PLC0415

    options = options_of(source)
    inside = document.url.removeprefix(f"{options['raw']}/").split("/")
    return f"{options['web']}/{'/'.join(inside[:2])}" if len(inside) > 3 else None


def _record_quietly(watcher: Watcher, state: TableState, table: Table, occasion: Occasion) -> None:
    """Record the new reading without events.

    Rows that only the old reading had go at once and quietly. Rows that the document itself no longer has stay
    pending, so that their removal is told at the next poll, as it would have been.
    """
    tables = watcher.store.tables
    recorder = Recorder(store=watcher.store, catalog=lambda: watcher.catalog, wanted=lambda: watcher.wanted)
    with watcher.store.write():
        missing = tables.pending(state.id)
        tables.found_again([number for number, _ in missing.values()])
        recorder.table(
            replace(table, private=state.private), occasion, digest=state.digest or "", baseline=True
        )
        misread = {key: number for key, (number, _) in tables.pending(state.id).items() if key not in missing}
        if misread:
            snapshot = tables.snapshot(
                state.id, source=occasion.source, url=occasion.url, digest=None, results=len(table.results),
                batch=occasion.batch, now=occasion.now,
            )  # fmt: skip
            tables.end([(number, "removed") for number in misread.values()], snapshot)
        if state.held_back_at is not None:  # being read again is no proof that the newer state is whole
            tables.hold_back(state.id, state.held_back_reason or "", state.held_back_at)


def _try_held_back(watcher: Watcher, state: TableState, occasion: Occasion, done: Reread) -> None:
    """Take the newest document that a held-back table came in, if this version can read it; told like any news."""
    name = f"{state.suite} {state.round}"
    recorder = Recorder(store=watcher.store, catalog=lambda: watcher.catalog, wanted=lambda: watcher.wanted)
    for kept in _candidates(watcher, state):
        document = watcher.store.sources.document(kept.digest)
        assert document is not None  # noqa: S101 - it is listed as kept
        try:
            table = replace(_parse(watcher, state, document, kept.source), private=state.private)
            with watcher.store.write():
                recorder.table(
                    table, replace(occasion, batch=f"{occasion.batch} held back"),
                    digest=content_digest([document]), document=kept.digest, baseline=state.baseline and not state.polls,
                )  # fmt: skip
        except WatcherError as error:
            done.failed[name] = str(error)
            return
        done.recovered.append(name)
        done.failed.pop(name, None)
        return


def _candidates(watcher: Watcher, state: TableState) -> Iterator[KeptDocument]:
    """Return the kept documents that a held-back state of a table may have come in, newest first."""
    for kept in watcher.store.sources.kept():
        if state.held_back_at is None or kept.fetched_at < state.held_back_at:
            return
        if kept.source == state.source and kept.digest != state.digest and _is_of(kept.url, state.url or ""):
            yield kept


def _is_of(document: str, table: str) -> bool:
    """Whether a document's address is one that a table with this address is read from.

    A repository's file is fetched at a commit (…/REPOSITORY/COMMIT/FILE) and linked on its main branch
    (…/REPOSITORY/blob/main/FILE); a rebuilt table is linked by its repository alone.
    """
    if document == table or document.startswith(f"{table}/tree/"):
        return True
    repository, blob, file = table.partition("/blob/")
    if not blob:
        return False
    path = urlsplit(document).path
    return f"/{repository.rpartition('/')[2]}/" in path and path.rpartition("/")[2] == file.rpartition("/")[2]


def _claims(watcher: Watcher, now: datetime) -> int:
    """Check every claim that stands against the rows as they are read now; verdicts that differ enter the ledger."""
    store = watcher.store
    standing = [entry for entry in store.posts.claims() if entry.gone_at is None]
    if not standing:
        return 0
    from watcher.claims import check  # noqa: PLC0415 - only where claims stand

    results = store.tables.results(private=False)
    changed = 0
    with store.write():
        for entry in standing:
            verdict = check(entry.checked.claim, results, catalog=watcher.catalog)
            if verdict != entry.checked.verdict and entry.checked.number is not None:
                after = replace(entry.checked, verdict=verdict)
                cause = f"read again by mlperf-watcher {__version__}"
                store.posts.recheck_claim(entry.checked.number, after, now, cause)
                changed += 1
    return changed
