"""The calendar: which dates there are, where each comes from, and the file that calendar programs read."""

from __future__ import annotations

from datetime import UTC, date, datetime

from icalendar import Calendar

from tests.rows import row
from watcher.catalog.entries import Round
from watcher.catalog.names import load
from watcher.figures.dates import CalendarDay, RuleDeadline, calendar, cohort_days, in_california, wednesdays
from watcher.figures.promises import promises
from watcher.render.calendar import calendar_ics, calendar_text

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
V61 = Round(
    suite="inference", name="v6.1", published_on=date(2026, 9, 16), expected=None, source="second-hand"
)
V60 = Round(suite="inference", name="v6.0", published_on=date(2026, 4, 1), expected=None, source="commits")
V70 = Round(suite="inference", name="v7.0", published_on=None, expected=date(2027, 3, 31), source="estimate")
ROUNDS = (V60, V61, V70)


def days(
    *, first: date = date(2026, 4, 1), last: date = date(2027, 4, 30), rows: tuple = (), rules: tuple = ()
) -> tuple[CalendarDay, ...]:
    return calendar(ROUNDS, promises(rows, ROUNDS), rules, first, last)


def of(kind: str, found: tuple[CalendarDay, ...]) -> list[tuple[str, date, bool, str]]:
    return [(one.id, one.on, one.confirmed, one.source) for one in found if one.kind == kind]


def test_a_round_has_its_day_and_where_the_day_comes_from():
    found = days()

    assert of("round", found) == [
        ("round-v6.0", date(2026, 4, 1), True, "dates of the result repository's commits"),
        ("round-v6.1", date(2026, 9, 16), False, "from somebody else's account"),
    ]
    assert of("expected", found) == [
        ("round-v7.0", date(2027, 3, 31), False, "our estimate from the rounds before"),
    ]


def test_others_than_submitters_may_publish_two_weeks_after_a_round():
    assert [(name, on) for name, on, _, _ in of("others", days())] == [
        ("others-v6.0", date(2026, 4, 15)),
        ("others-v6.1", date(2026, 9, 30)),
        ("others-v7.0", date(2027, 4, 14)),
    ]


def test_endpoints_cohorts_are_the_first_and_third_wednesday_from_its_opening_on():
    found = list(cohort_days(date(2026, 9, 1), date(2026, 12, 31)))

    assert [(one.id, one.on) for one in found] == [
        ("cohort-2026-10-C1", date(2026, 10, 21)),
        ("cohort-2026-11-C0", date(2026, 11, 4)),
        ("cohort-2026-11-C1", date(2026, 11, 18)),
        ("cohort-2026-12-C0", date(2026, 12, 2)),
        ("cohort-2026-12-C1", date(2026, 12, 16)),
    ]


def test_the_wednesdays_of_every_month_are_wednesdays_a_fortnight_apart_and_the_first_is_in_the_first_week():
    found = [wednesdays(year, month) for year in range(2026, 2036) for month in range(1, 13)]

    assert all(first.weekday() == third.weekday() == 2 for first, third in found)
    assert all(1 <= first.day <= 7 and (third - first).days == 14 for first, third in found)


def test_eight_in_california_is_another_hour_in_winter():
    assert in_california(date(2026, 7, 1)) == datetime(2026, 7, 1, 15, tzinfo=UTC)
    assert in_california(date(2026, 12, 2)) == datetime(2026, 12, 2, 16, tzinfo=UTC)


def test_open_promises_of_one_system_are_one_date_and_settled_ones_none():
    preview = row(availability="preview", round="v6.1")
    rows = (preview, row(availability="preview", round="v6.1", scenario="Offline"))

    assert [(one.on, one.what, one.detail) for one in days(rows=rows) if one.kind == "promise"] == [
        (
            date(2027, 2, 3),
            "Acme, b300: 2 preview rows of inference v6.1 fall due",
            "Back as available in the first round from here on, as things stand v7.0, within 2 % of the preview.",
        )
    ]
    back = row(round="v7.0")
    assert [one for one in days(rows=(preview, back)) if one.kind == "promise"] == []


def test_a_rules_deadline_keeps_its_hour():
    until = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)
    (found,) = [
        one
        for one in days(rules=(RuleDeadline("rack-power", "still none", until),))
        if one.kind == "deadline"
    ]

    assert (found.on, found.at, found.detail) == (date(2026, 12, 31), until, "still none")


def test_only_days_within_the_span_are_listed_in_order():
    found = days(first=date(2026, 9, 16), last=date(2026, 10, 21))

    assert [one.id for one in found] == ["round-v6.1", "others-v6.1", "cohort-2026-10-C1"]


def test_the_shipped_calendar_has_a_known_source_for_every_date():
    rounds = load().rounds()
    found = calendar(rounds, (), (), date(2000, 1, 1), date(2100, 1, 1))

    assert len([one for one in found if one.kind in {"round", "expected"}]) == len(rounds)
    assert {one.source for one in found if one.kind == "round"} <= {
        "dates of the result repository's commits",
        "announced by MLCommons with its date",
        "as remembered, not checked against a page",
        "from somebody else's account",
    }
    assert len({one.id for one in found}) == len(found)


# ------------------------------------------------------------------------------------------------ the file


def events(found: tuple[CalendarDay, ...], now: datetime = NOW) -> dict[str, dict[str, object]]:
    read = Calendar.from_ical(calendar_ics(found, now))
    return {str(event["uid"]): event for event in read.walk("VEVENT")}


def test_a_calendar_program_reads_every_date_with_its_hour_and_its_doubt():
    found = events(days(rules=(RuleDeadline("late; one, two\nthree", "a, b; c", NOW),)))
    round_, others = found["round-v7.0@mlperf-watcher"], found["others-v6.0@mlperf-watcher"]

    assert len(found) == len(days()) + 1
    assert (round_["dtstart"].dt, str(round_["status"])) == (
        datetime(2027, 3, 31, 15, tzinfo=UTC),
        "TENTATIVE",
    )
    assert (others["dtstart"].dt, str(others["status"])) == (date(2026, 4, 15), "CONFIRMED")
    assert str(others["description"]).startswith("Source of the date: messaging guidelines of MLCommons")
    assert {str(one["transp"]) for one in found.values()} == {"TRANSPARENT"}
    assert len({one.id for one in days()}) == len(days())


def test_the_same_dates_give_the_same_file_and_ids_that_stay():
    later = datetime(2026, 9, 17, tzinfo=UTC)

    assert calendar_ics(days(), NOW) == calendar_ics(days(), NOW)
    assert events(days()).keys() == events(days(), later).keys()


def test_a_long_line_is_folded_and_ends_as_the_format_wants():
    body = calendar_ics(days(rules=(RuleDeadline("x" * 200, "y" * 300, NOW),)), NOW)

    assert all(len(line) <= 75 for line in body.split(b"\r\n"))
    assert body.startswith(b"BEGIN:VCALENDAR\r\n")
    assert body.endswith(b"END:VCALENDAR\r\n")


def test_the_table_marks_what_nobody_confirmed():
    lines = calendar_text(days(first=date(2026, 4, 1), last=date(2026, 9, 30))).splitlines()

    assert [line.split("  ")[0] for line in lines[1:5]] == [
        "2026-04-01 Wed",
        "2026-04-15 Wed",
        "2026-09-16 Wed",
        "2026-09-30 Wed",
    ]
    assert "  ?  MLPerf Inference v6.1 published" in lines[3]
    assert "?" not in lines[1]
    assert "Others than submitters may publish about inference v6.0" in lines[2]
    assert calendar_text([]) == "No date in this time.\n"
