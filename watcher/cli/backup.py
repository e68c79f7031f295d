"""``backup``: a safe copy of the state, also while it is in use."""

from __future__ import annotations

from pathlib import Path

import click

from watcher.cli.session import Session, command
from watcher.errors import StateError, UsageError


@command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(session: Session, *, file: Path) -> None:
    """Copy the state to FILE while it may be in use.

    The copy is checked; FILE must not exist yet. To restore: stop the program, put the copy where the state was, remove the -wal and -shm files beside it.

    \b
    mlperf-watcher backup /var/backups/watcher-2026-09-16.db
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    if not session.state.exists():
        raise StateError(f"{session.state}: there is no state yet; run `mlperf-watcher run` or `init` first")
    if not file.parent.is_dir():
        raise UsageError(f"{file.parent}: there is no such folder; make it first")
    if file.exists():
        raise UsageError(f"{file}: is there already; name a new file")
    with session.store(read_only=True) as store:
        store.backup(file)
        results = sum(table.results for table in store.tables.all())
    size = file.stat().st_size
    session.emit(
        {"backup": str(file), "bytes": size, "results": results},
        lambda: f"{file}: {size:,} bytes, {results:,} results, and the copy is sound",
    )
