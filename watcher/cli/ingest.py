"""``ingest``: a local table through the same diff and rules as a fetched one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from watcher.cli.session import Session, command
from watcher.domain import Event, Result
from watcher.errors import HeldBackError, UsageError

if TYPE_CHECKING:
    from watcher.store import Store


@command("ingest")
@click.argument("files", nargs=-1, required=False, metavar="FILE…", type=click.Path(path_type=Path))
@click.option(
    "--suite", help="The suite, where the rows do not say it; `unofficial` keeps unreviewed tables apart."
)
@click.option(
    "--round", "round_name", metavar="R", help="The round, where the rows do not say it, such as v6.1."
)
@click.option("--baseline", is_flag=True, help="Record without events or alerts.")
@click.option(
    "--archive", is_flag=True, help="Record the published rounds that come with the program, as history."
)
@click.option("--accept", is_flag=True, help="Take the table even if it lost more than a third of its rows.")
@click.option("--private", is_flag=True, help="Keep the table under embargo: nothing of it is sent.")
@click.option("--release", is_flag=True, help="End the embargo of --suite and --round.")
def ingest(
    session: Session,
    files: tuple[Path, ...],
    suite: str | None,
    round_name: str | None,
    *,
    baseline: bool,
    archive: bool,
    accept: bool,
    private: bool,
    release: bool,
) -> int:
    """Read local tables in any shape we know, plain or .gz.

    They go through the same diff and rules as fetched ones.

    \b
    mlperf-watcher ingest --archive
    mlperf-watcher ingest summary_results.json.gz --baseline
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.cli.passes import report_pass  # noqa: PLC0415 - brings the pipeline
    from watcher.credentials import demand  # noqa: PLC0415
    from watcher.pipeline import ingest as pipeline  # noqa: PLC0415
    from watcher.pipeline.one_pass import begin, tell  # noqa: PLC0415

    if not (files or archive or release):
        raise UsageError("name a file to ingest, or --archive for the rounds that come with the program")
    if release and not (suite and round_name):
        raise UsageError("--release needs --suite and --round")
    request = pipeline.Request(
        suite=suite, round=round_name, baseline=baseline, accept=accept, private=private
    )
    with session.store() as store, store.lock():
        watcher = session.watcher(store)
        demand(session.config.secrets)  # what it brings is sent
        start = begin(watcher, session.now)
        if release and suite and round_name:
            count = pipeline.release(watcher, suite, round_name, session.now)
            session.say(f"released {count} results of {suite} {round_name}")
        if archive:
            for name, count in pipeline.load_archive(watcher, session.now).items():
                session.say(f"{name}: {count} results recorded as history")
        events: list[Event] = []
        for file in files:
            try:
                events += pipeline.ingest_file(watcher, file, request, session.now)
            except HeldBackError as error:
                session.say(f"{file}: {error}")
        read = _read(store, events, session.now, baseline=baseline) if files and not session.quiet else ()
        return report_pass(session, watcher, tell(watcher, session.now, start), first=read)


def _read(store: Store, events: Sequence[Event], now: datetime, *, baseline: bool) -> list[str]:
    """Say of each table that was read now how many results it holds and what is new in it."""
    from watcher.render.words import plural  # noqa: PLC0415

    changes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for event in events:
        if isinstance(event.subject, Result) and event.kind.startswith("result."):
            kind = event.kind.removeprefix("result.")
            changes[event.subject.suite, event.subject.round][kind] += 1
    lines = []
    for table in store.tables.all():
        if table.polled_at != now:
            continue
        found = changes[table.suite, table.round]
        news = ", ".join(f"{count:,} {kind}" for kind, count in found.items()) or "nothing new"
        missing = len(store.tables.pending(table.id))
        them = "it" if missing == 1 else "them"
        lines.append(
            f"{table.suite} {table.round}: {plural(table.results, 'result')}, "
            + ("recorded as history" if baseline else news)
            + (f"; {missing:,} missing, and removed if the next table lacks {them} too" if missing else "")
            + ("; under embargo, nothing of it is sent" if table.private else "")
        )
    return lines
