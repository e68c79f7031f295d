"""Dates as a terminal table and as an iCalendar file that calendar programs subscribe to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from watcher import __version__
from watcher.domain import Section
from watcher.figures.dates import CalendarDay
from watcher.render import words
from watcher.render.compact import Column, table
from watcher.render.sections import sections_text

HOUR = timedelta(hours=1)
_KINDS = {
    "round": "published",
    "expected": "expected",
    "others": "embargo for others ends",
    "cohort": "cohort",
    "promise": "promise",
    "deadline": "deadline",
}


def calendar_text(days: Iterable[CalendarDay], *, terminal: bool = False, width: int = 100) -> str:
    """Return dates as a table: day, hour in UTC where it is known, what, and where the date comes from."""
    items = tuple(days)
    if not items:
        return "No date in this time.\n"
    grid = table(
        "",
        [
            Column("Day", [f"{one.on:%Y-%m-%d %a}" for one in items]),
            Column("UTC", ["" if one.at is None else f"{one.at:%H:%M}" for one in items]),
            Column("", ["" if one.confirmed else "?" for one in items]),
            Column("What", [what_words(one) for one in items]),
            Column("Source of the date", [one.source for one in items]),
        ],
    )
    note = "?: planned, estimated or told second-hand; nobody confirmed it."
    return sections_text([Section(grid=grid), Section(paragraphs=(note,))], terminal=terminal, width=width)


def what_words(day: CalendarDay) -> str:
    """Return what is on, with names as people write them."""
    suite, _, rest = day.what.partition(" ")
    titled = words.title("suite", suite)
    said = f"{titled} {rest}" if titled != suite else day.what
    return words.capital(said)


def calendar_ics(days: Iterable[CalendarDay], now: datetime) -> bytes:
    """Return dates as an iCalendar file (RFC 5545); ``now`` is its time stamp.

    Ids stay the same, so that a calendar that reads the file again moves an event instead of adding one. Dates that
    nobody confirmed are tentative; none of them blocks time.
    """
    from icalendar import Calendar, Event  # noqa: PLC0415 - heavy, only when a file is written

    made = Calendar()
    made.add("prodid", f"-//mlperf-watcher//{__version__}//EN")
    made.add("version", "2.0")
    made.add("method", "PUBLISH")
    made.add("x-wr-calname", "MLPerf dates")
    made.add("refresh-interval;value=duration", "P1D")
    for day in days:
        event = Event()
        event.add("uid", f"{day.id}@mlperf-watcher")
        event.add("dtstamp", now)
        event.add("summary", what_words(day) + ("" if day.confirmed else " (not confirmed)"))
        event.add(
            "description", f"Source of the date: {day.source}." + (f" {day.detail}" if day.detail else "")
        )
        event.add("categories", [_KINDS[day.kind]])
        event.add("status", "CONFIRMED" if day.confirmed else "TENTATIVE")
        event.add("transp", "TRANSPARENT")
        if day.at is None:
            event.add("dtstart", day.on)
        else:
            event.add("dtstart", day.at)
            event.add("dtend", day.at + HOUR)
        made.add_component(event)
    return bytes(made.to_ical())
