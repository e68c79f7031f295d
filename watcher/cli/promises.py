"""``promises``: every preview row as a dated promise, and what became of it."""

from __future__ import annotations

from typing import Any

import click

from watcher.cli.asking import embargo_note, filter_of, filters, held, screen
from watcher.cli.session import Session, command

OUTCOMES = ("open", "kept", "improved", "short", "late", "void")


@command("promises")
@filters
@click.option("--outcome", multiple=True, type=click.Choice(OUTCOMES), help="Only with this outcome.")
def promises(session: Session, *, outcome: tuple[str, ...], **where: Any) -> None:
    """List preview rows as promises, and what became of them.

    When they must be back as available, and with at least what.

    \b
    mlperf-watcher promises --outcome open
    mlperf-watcher promises --round v6.0 --submitter Intel
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.figures.own_form import promise_form  # noqa: PLC0415
    from watcher.figures.promises import promises as promised  # noqa: PLC0415
    from watcher.render.own_tables import promises_text  # noqa: PLC0415

    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = held(store)
    found = [
        one
        for one in promised(rows, session.catalog.rounds(), chosen)
        if not outcome or one.outcome in outcome
    ]
    session.emit(
        {"promises": [promise_form(one) for one in found]},
        lambda: embargo_note(one.preview for one in found) + promises_text(found, **screen()).rstrip("\n"),
    )
