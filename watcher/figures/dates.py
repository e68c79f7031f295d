"""Dates of the field: rounds known and expected, Endpoints cohorts, when others may publish, promises, deadlines; pure.

Every date says where it comes from. None is guessed here: rounds are the catalog's, promises follow from the rules on
preview systems, cohorts from the rules of MLPerf Endpoints, deadlines are the reader's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from watcher.figures.promises import Promise

if TYPE_CHECKING:
    from watcher.catalog.entries import Round

KINDS = ("round", "expected", "others", "cohort", "promise", "deadline")
SOURCES: Mapping[str, str] = {
    "commits": "dates of the result repository's commits",
    "announcement": "announced by MLCommons with its date",
    "record": "as remembered, not checked against a page",
    "second-hand": "from somebody else's account",
    "plan": "announced beforehand",
    "estimate": "our estimate from the rounds before",
}
TWO_WEEKS = timedelta(days=14)
OTHERS_RULE = "messaging guidelines of MLCommons: two weeks after publication"
PREVIEW_RULE = "MLPerf rules on preview systems: 140 days"
COHORT_RULE = "rules of MLPerf Endpoints: first and third Wednesday"
ENDPOINTS_OPEN = date(2026, 10, 12)  # v1.0 takes submissions from here on; cohorts are published after it
_WEDNESDAY = 2


class RuleDeadline(NamedTuple):
    """A rule's own deadline: its id, its title and when it ends."""

    rule: str
    title: str
    until: datetime


class CalendarDay(Struct, frozen=True, kw_only=True):
    """One date. ``kind`` is one of KINDS; ``at`` the instant in UTC where the hour is known; ``id`` stays the same.

    ``confirmed`` false: planned, estimated or told second-hand. ``detail`` is one sentence more.
    """

    id: str
    kind: str
    on: date
    what: str
    source: str
    at: datetime | None = None
    confirmed: bool = True
    detail: str = ""


def calendar(
    rounds: Iterable[Round],
    promises: Iterable[Promise],
    deadlines: Iterable[RuleDeadline],
    first: date,
    last: date,
) -> tuple[CalendarDay, ...]:
    """Return every date from ``first`` to ``last``, both included, in order."""
    known = tuple(rounds)
    days = [
        *round_days(known),
        *others_days(known),
        *cohort_days(first, last),
        *promise_days(promises, known),
        *deadline_days(deadlines),
    ]
    return tuple(sorted((day for day in days if first <= day.on <= last), key=_order))


def round_days(rounds: Iterable[Round]) -> Iterator[CalendarDay]:
    """Yield the day of each round, published or expected, at 08:00 in California."""
    for one in rounds:
        day = one.published_on or one.expected
        if day is None:
            continue
        published = one.published_on is not None
        yield CalendarDay(
            id=f"round-{one.full_name}",
            kind="round" if published else "expected",
            on=day,
            at=one.publication_at,
            what=f"{one.suite} {one.name} {'published' if published else 'expected'}",
            source=SOURCES.get(one.source, one.source),
            confirmed=published and one.confirmed,
        )


def others_days(rounds: Iterable[Round]) -> Iterator[CalendarDay]:
    """Yield the day from which others than submitters may publish about a round: two weeks after it."""
    for one in rounds:
        day = one.published_on or one.expected
        if day is not None:
            yield CalendarDay(
                id=f"others-{one.full_name}",
                kind="others",
                on=day + TWO_WEEKS,
                what=f"others than submitters may publish about {one.suite} {one.name}",
                source=OTHERS_RULE,
                confirmed=one.published_on is not None and one.confirmed,
            )


def cohort_days(first: date, last: date) -> Iterator[CalendarDay]:
    """Yield the Endpoints cohorts of a time: C0 on the first, C1 on the third Wednesday of each month."""
    month = date(first.year, first.month, 1)
    while month <= last:
        for place, day in enumerate(wednesdays(month.year, month.month)):
            if max(first, ENDPOINTS_OPEN) <= day <= last:
                yield CalendarDay(
                    id=f"cohort-{month:%Y-%m}-C{place}",
                    kind="cohort",
                    on=day,
                    at=in_california(day),
                    what=f"endpoints cohort {month:%Y-%m}-C{place}",
                    source=COHORT_RULE,
                    confirmed=False,
                )
        month = date(month.year + month.month // 12, month.month % 12 + 1, 1)


def wednesdays(year: int, month: int) -> tuple[date, date]:
    """Return the first and the third Wednesday of a month."""
    start = date(year, month, 1)
    first = start + timedelta(days=(_WEDNESDAY - start.weekday()) % 7)
    return first, first + TWO_WEEKS


def in_california(day: date) -> datetime:
    """Return 08:00 in California on a day, in UTC: 15:00 in summer, 16:00 in winter."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - reads a file

    return datetime.combine(day, time(8), tzinfo=ZoneInfo("America/Los_Angeles")).astimezone(UTC)


def promise_days(promises: Iterable[Promise], rounds: Iterable[Round]) -> Iterator[CalendarDay]:
    """Yield the earliest day on which open promises of a submitter's system fall due.

    ``rounds`` says whether the day that it is counted from is confirmed.
    """
    sure = {(one.suite, one.name) for one in rounds if one.confirmed}
    groups: defaultdict[tuple[str, str, str, str, date], list[Promise]] = defaultdict(list)
    for one in promises:
        if one.outcome == "open" and one.earliest is not None:
            row = one.preview
            system = row.system or row.accelerator or row.platform
            groups[row.suite, row.round, row.submitter, system, one.earliest].append(one)
    for (suite, round_name, submitter, system, earliest), those in groups.items():
        count = f"{len(those)} preview row{'s' if len(those) > 1 else ''}"
        due = f", as things stand {those[0].due}" if those[0].due else ""
        yield CalendarDay(
            id=f"promise-{suite}-{round_name}-{submitter}-{system}".replace(" ", "-"),
            kind="promise",
            on=earliest,
            what=f"{submitter}, {system}: {count} of {suite} {round_name} fall due",
            source=PREVIEW_RULE,
            confirmed=(suite, round_name) in sure,
            detail=f"Back as available in the first round from here on{due}, within 2 % of the preview.",
        )


def deadline_days(deadlines: Iterable[RuleDeadline]) -> Iterator[CalendarDay]:
    """Yield the reader's own deadlines: rules that say until when they must have fired."""
    for one in deadlines:
        yield CalendarDay(
            id=f"deadline-{one.rule}",
            kind="deadline",
            on=one.until.astimezone(UTC).date(),
            at=one.until.astimezone(UTC),
            what=f"deadline of the rule {one.rule}",
            source="your rules",
            detail=one.title,
        )


def _order(day: CalendarDay) -> tuple[date, int, str]:
    return day.on, KINDS.index(day.kind), day.id
