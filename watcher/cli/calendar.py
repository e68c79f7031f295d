"""``calendar``: rounds known and expected, cohorts, promises and deadlines, each with the source of its date."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.asking import screen
from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.figures.dates import CalendarDay, RuleDeadline

BACK, AHEAD = timedelta(days=14), timedelta(days=200)


@command("calendar")
@click.option("--from", "first", metavar="DATE", help="From this day on; default: two weeks ago.")
@click.option("--to", "last", metavar="DATE", help="To this day; default: 200 days ahead.")
@click.option("--ics", type=click.Path(path_type=Path), metavar="FILE", help="Also write an iCalendar file.")
def calendar(session: Session, *, first: str | None, last: str | None, ics: Path | None) -> None:
    """List dates: rounds, cohorts, promises, rules' deadlines.

    Also from when on others than submitters may publish.

    \b
    mlperf-watcher calendar
    mlperf-watcher calendar --from 2026-01-01 --ics mlperf.ics
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    today = session.now.date()
    start = _date(first, "--from") if first else today - BACK
    end = _date(last, "--to") if last else today + AHEAD
    if end < start:
        raise UsageError(f"--to {end} lies before --from {start}")
    found = _days(session, start, end)
    if ics is not None:
        _write(session, found, ics)
    document: dict[str, Any] = {
        "dates": [
            {
                "id": one.id,
                "kind": one.kind,
                "on": one.on.isoformat(),
                "at": one.at,
                "what": one.what,
                "detail": one.detail,
                "source": one.source,
                "confirmed": one.confirmed,
            }
            for one in found
        ]
    }

    def text() -> str:
        from watcher.render.calendar import calendar_text  # noqa: PLC0415

        return calendar_text(found, **screen()).rstrip("\n")

    session.emit(document, text)


def _days(session: Session, first: date, last: date) -> tuple[CalendarDay, ...]:
    from watcher.figures.dates import calendar as dated  # noqa: PLC0415
    from watcher.figures.promises import promises  # noqa: PLC0415

    with session.store(read_only=True) as store:
        rows = store.tables.results(private=False)
    rounds = session.catalog.rounds()
    return dated(rounds, promises(rows, rounds), _deadlines(session), first, last)


def _deadlines(session: Session) -> list[RuleDeadline]:
    from watcher.figures.dates import RuleDeadline  # noqa: PLC0415
    from watcher.wiring import load_rules  # noqa: PLC0415

    return [
        RuleDeadline(rule.id, rule.description or rule.title, rule.until)
        for rule in load_rules(session.config, session.catalog).rules
        if rule.enabled and rule.until is not None
    ]


def _write(session: Session, found: tuple[CalendarDay, ...], file: Path) -> None:
    from watcher.render.calendar import calendar_ics  # noqa: PLC0415 - brings icalendar

    try:
        file.write_bytes(calendar_ics(found, session.now))
    except OSError as error:
        raise UsageError(f"--ics: {file} cannot be written ({error.strerror})") from error
    session.say(f"wrote {file}: {len(found)} dates")


def _date(text: str, option: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{option} must be a date such as 2026-09-16, not {text!r}") from error
