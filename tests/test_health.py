"""How a source fares from check to check, and when it is looked at again."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from watcher.domain import Secret, Source
from watcher.errors import FetchError, ParseError, SourceError
from watcher.health import (
    ExpectedRound,
    SourceState,
    after_failure,
    after_success,
    announced_hours,
    due,
    interval,
    spread,
    stale,
)

START = datetime(2026, 8, 3, 9, 0, tzinfo=UTC)
SOURCE = Source(
    name="inference", kind="results_repos", url="https://api.github.com", suite="inference", every=900
)
AUTUMN = ExpectedRound("inference", date(2026, 9, 14), date(2026, 9, 18))


def error(failure: str = "server", retry_after: float | None = None) -> FetchError:
    return FetchError("answered 500", url=SOURCE.url, failure=failure, status=500, retry_after=retry_after)


def failed(
    times: int, state: SourceState | None = None, start: datetime = START
) -> list[tuple[SourceState, list[str]]]:
    """Fail so often, each time at the hour we said; return state and what was told after each."""
    state, at, seen = state or SourceState(name=SOURCE.name), start, []
    for _ in range(times):
        outcome = after_failure(state, SOURCE, error(), at)
        state, at = outcome.state, outcome.state.next_check_at
        seen.append((state, [trouble.kind for trouble in outcome.troubles]))
    return seen


def test_a_source_is_failing_at_its_third_failure_in_a_row_and_this_is_told_once():
    told = [kinds for _, kinds in failed(5)]

    assert told == [[], [], ["source.failing"], [], []]


def test_a_failing_source_is_told_with_its_class_its_error_and_since_when():
    states = failed(2)
    trouble = (
        after_failure(states[-1][0], SOURCE, error("gone"), START + timedelta(hours=1)).troubles[0].about
    )

    assert (trouble.source, trouble.url, trouble.failure, trouble.message, trouble.failures, trouble.since) == (
        "inference", "https://api.github.com", "gone", "answered 500", 3, START,
    )  # fmt: skip


def test_waits_after_failures_double_up_to_six_hours_and_go_on_for_ever():
    at, waits = START, []
    for state, _ in failed(12):
        waits.append((state.next_check_at - at).total_seconds())
        at = state.next_check_at
    jitter = [spread(SOURCE.name, min(0.1 * wait, 60)) for wait in (900, 1800, 3600, 7200, 14400, 21600)]

    assert waits[:6] == pytest.approx(
        [w + j for w, j in zip((900, 1800, 3600, 7200, 14400, 21600), jitter, strict=True)]
    )
    assert set(waits[5:]) == {waits[5]}


def test_a_source_that_is_checked_daily_is_tried_again_within_the_hour():
    daily = replace(SOURCE, every=86_400.0)
    state = after_failure(SourceState(name=daily.name), daily, error(), START).state

    assert START + timedelta(hours=1) <= state.next_check_at <= START + timedelta(minutes=61)


def test_a_source_that_stays_down_is_told_again_at_growing_gaps():
    state, at, told = SourceState(name=SOURCE.name, succeeded_at=START), START, []
    while at < START + timedelta(days=30):
        outcome = after_failure(state, SOURCE, error(), at)
        told += [at for trouble in outcome.troubles if trouble.kind == "source.failing"]
        state, at = outcome.state, outcome.state.next_check_at
    gaps = [round((b - a) / timedelta(hours=1)) for a, b in pairwise(told)]

    assert gaps[:3] == sorted(gaps[:3])
    assert gaps[0] >= 6
    assert max(gaps) < 7 * 24 + 7
    assert len(told) < 10


def test_recovery_is_told_when_the_failure_was_told():
    outcome = after_success(failed(3)[-1][0], SOURCE, START + timedelta(hours=3))

    assert [
        (trouble.kind, trouble.about.failure, trouble.about.failures) for trouble in outcome.troubles
    ] == [("source.recovered", "server", 3)]
    assert outcome.state.failures == outcome.state.tells == 0
    assert outcome.state.failure is outcome.state.failing_since is outcome.state.told_at is None


def test_one_failure_and_a_success_tell_nothing():
    state = failed(1)[-1][0]
    outcome = after_success(state, SOURCE, START + timedelta(hours=1))

    assert outcome.troubles == ()
    assert outcome.state.checks == 2


def test_a_source_without_success_for_six_intervals_and_a_day_is_stale_and_told_once():
    state = SourceState(name=SOURCE.name, succeeded_at=START, known_at=START)

    early = stale(state, SOURCE, START + timedelta(hours=23))
    first = stale(state, SOURCE, START + timedelta(hours=24))
    second = stale(first.state, SOURCE, START + timedelta(hours=48))

    assert early.troubles == second.troubles == ()
    assert [trouble.kind for trouble in first.troubles] == ["source.stale"]
    assert not second.state.healthy


def test_a_source_that_was_never_checked_grows_stale_from_when_it_was_first_listed():
    listed = stale(SourceState(name=SOURCE.name), SOURCE, START).state

    assert stale(listed, SOURCE, START + timedelta(days=2)).state.stale


def test_a_source_may_say_itself_when_it_is_stale():
    source = replace(SOURCE, stale_after=600.0)
    state = SourceState(name=source.name, succeeded_at=START)

    assert stale(state, source, START + timedelta(seconds=600)).state.stale


def test_a_stale_source_recovers_with_its_next_success():
    state = SourceState(name=SOURCE.name, succeeded_at=START, stale=True)
    outcome = after_success(state, SOURCE, START + timedelta(days=3))

    assert [trouble.kind for trouble in outcome.troubles] == ["source.recovered"]
    assert outcome.state.healthy


def test_the_other_side_s_retry_after_is_obeyed_but_for_a_day_at_most():
    soon = after_failure(SourceState(name="a"), SOURCE, error("rate-limited", 7200), START).state
    never = after_failure(SourceState(name="a"), SOURCE, error("rate-limited", 1e12), START).state

    assert soon.next_check_at == START + timedelta(seconds=7200)
    assert never.next_check_at == START + timedelta(days=1)


def test_a_short_retry_after_does_not_hurry_us():
    state = after_failure(SourceState(name="a"), SOURCE, error("rate-limited", 1), START).state

    assert state.next_check_at >= START + timedelta(seconds=900)


@pytest.mark.parametrize(
    ("pacific_day", "opens"),
    [
        (date(2026, 9, 15), datetime(2026, 9, 15, 13, tzinfo=UTC)),  # Tuesday, summer time
        (date(2026, 11, 11), datetime(2026, 11, 11, 14, tzinfo=UTC)),  # Wednesday, winter time
        (date(2026, 3, 10), datetime(2026, 3, 10, 13, tzinfo=UTC)),  # two days after the clocks went forward
        (date(2026, 11, 3), datetime(2026, 11, 3, 14, tzinfo=UTC)),  # two days after they went back
    ],
)
def test_announced_hours_follow_pacific_wall_time(pacific_day, opens):
    assert announced_hours([ExpectedRound("inference", pacific_day, pacific_day)]) == (
        (opens, opens + timedelta(hours=6)),
    )


def test_of_a_week_only_tuesday_and_wednesday_are_announced():
    assert [start.date() for start, _ in announced_hours([AUTUMN])] == [date(2026, 9, 15), date(2026, 9, 16)]


def test_a_round_expected_on_one_day_is_expected_on_it_whatever_its_weekday():
    friday = ExpectedRound("endpoints", date(2026, 11, 6), date(2026, 11, 6))

    assert [start.date() for start, _ in announced_hours([friday])] == [date(2026, 11, 6)]


@pytest.mark.parametrize(
    ("hour", "expected"), [((12, 59), 900.0), ((13, 0), 60.0), ((18, 59), 60.0), ((19, 0), 900.0)]
)
def test_polling_is_fast_from_two_hours_before_to_four_after(hour, expected):
    assert interval(900.0, datetime(2026, 9, 16, *hour, tzinfo=UTC), [AUTUMN], fastest=60.0) == expected


def test_a_source_that_is_faster_anyway_keeps_its_pace():
    assert interval(30.0, datetime(2026, 9, 16, 15, tzinfo=UTC), [AUTUMN]) == 30.0


def test_a_check_never_sleeps_past_the_opening_of_announced_hours():
    daily = replace(SOURCE, every=86_400.0)
    state = after_success(
        SourceState(name=daily.name), daily, datetime(2026, 9, 15, 3, tzinfo=UTC), [AUTUMN]
    ).state

    opens = datetime(2026, 9, 15, 13, tzinfo=UTC)
    assert opens <= state.next_check_at <= opens + timedelta(seconds=30)


def test_a_failing_source_waits_a_quarter_of_an_hour_at_most_in_announced_hours():
    state = SourceState(name=SOURCE.name, failures=9, failing_since=START)
    at = datetime(2026, 9, 16, 15, tzinfo=UTC)

    assert after_failure(state, SOURCE, error(), at, [AUTUMN]).state.next_check_at <= at + timedelta(
        seconds=960
    )


def test_a_round_of_another_suite_speeds_up_only_sources_without_a_suite():
    at = datetime(2026, 9, 16, 15, tzinfo=UTC)
    training = replace(SOURCE, suite="training")
    news = replace(SOURCE, suite=None, kind="feed")

    slow = after_success(SourceState(name="inference"), training, at, [AUTUMN]).state.next_check_at
    fast = after_success(SourceState(name="inference"), news, at, [AUTUMN]).state.next_check_at
    assert slow - at >= timedelta(seconds=900)
    assert fast - at < timedelta(seconds=200)


def test_a_token_allows_faster_checks():
    at = datetime(2026, 9, 16, 15, tzinfo=UTC)
    known = replace(SOURCE, secret=Secret("t"))

    assert after_success(SourceState(name="a"), known, at, [AUTUMN]).state.next_check_at - at < timedelta(
        seconds=67
    )


def test_a_source_is_due_at_its_time_and_when_its_time_makes_no_sense():
    state = SourceState(name="a", next_check_at=START)

    assert due(SourceState(name="a"), SOURCE, START)
    assert due(state, SOURCE, START)
    assert not due(state, SOURCE, START - timedelta(seconds=1))
    assert due(state, SOURCE, START - timedelta(days=400))


def test_a_state_survives_json_and_leaves_out_what_it_does_not_know():
    state = failed(4)[-1][0]
    values = {**state.as_json(), "colour": "blue"}

    assert SourceState.from_json(SOURCE.name, values) == state


def test_two_sources_of_one_interval_do_not_start_in_the_same_second():
    assert len({round(spread(f"source-{n}", 60), 3) for n in range(100)}) == 100


@given(st.lists(st.sampled_from(["good", "server", "gone", "rate-limited", "parse"]), max_size=60))
def test_whatever_happens_the_next_check_is_later_and_within_a_day(course):
    state, at = SourceState(name=SOURCE.name), START
    for what in course:
        problem: SourceError = ParseError("broken") if what == "parse" else error(what)
        outcome = (
            after_success(state, SOURCE, at) if what == "good" else after_failure(state, SOURCE, problem, at)
        )
        state = outcome.state
        assert timedelta(0) < state.next_check_at - at <= timedelta(days=1)
        at = state.next_check_at
