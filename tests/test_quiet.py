"""Filters, silences, cooldown and quiet hours by receiver; digests on every day of two years in three zones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from watcher.domain import Alert, Comparison, Event, NewName, PublishedRound, Result, SourceTrouble
from watcher.errors import UsageError
from watcher.quiet import (
    SEND,
    Decision,
    Silence,
    cooling,
    decide,
    digest_due,
    matcher,
    next_digest,
    quiet_until,
    silenced,
    watch,
)

AT = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
YEARS = (2026, 2027)


@dataclass(frozen=True)
class Receiver:
    name: str = "team"
    zone: str = "Europe/Berlin"
    min_severity: str = "info"
    rules: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    quiet_hours: tuple[str, str] | None = None
    alerts: bool = True


def result(**changes: Any) -> Result:
    values: dict[str, Any] = {
        "suite": "inference", "round": "v6.1", "division": "closed", "availability": "preview", "submitter": "NVIDIA",
        "organisations": ("NVIDIA",), "platform": "VR-NVL72", "benchmark_published": "deepseek-r1",
        "benchmark": "deepseek-r1", "scenario": "Server", "value": 1175890.22, "unit": "tokens/s", "better": "higher",
        "accelerator": "vera-rubin", "accelerators": ("vera-rubin",),
    }  # fmt: skip
    return Result(**{**values, **changes})


def alert(*subjects: Any, kind: str = "result.added", **changes: Any) -> Alert:
    events = tuple(
        Event(id=f"e{i}", kind=kind, occurred_at=AT, batch="b", after=subject, source="inference")
        for i, subject in enumerate(subjects or (result(),))
    )
    values = {
        "rule": "vera-rubin",
        "title": "t",
        "severity": "high",
        "batch": "b",
        "group": "v6.1, NVIDIA",
        "number": 142,
    }
    return Alert(**{**values, "events": events, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("receiver", "changes", "reason"),
    [
        (Receiver(), {}, None),
        (Receiver(alerts=False), {}, "team takes digests only"),
        (Receiver(min_severity="critical"), {}, "team takes critical and above"),
        (Receiver(min_severity="high"), {"severity": "info"}, "team takes high and above"),
        (Receiver(rules=("vera-*",)), {}, None),
        (Receiver(rules=("new-*",)), {}, "team does not take the rule vera-rubin"),
        (Receiver(watches=("result", "claim")), {}, None),
        (Receiver(watches=("source",)), {}, "team does not take alerts on a result"),
        (Receiver(), {"digest_only": True}, "digest only"),
        (Receiver(), {"suppressed": "burst of 800 renames"}, "burst of 800 renames"),
    ],
)
def test_a_receiver_takes_what_its_filter_lets_through(
    receiver: Receiver, changes: dict[str, Any], reason: str | None
):
    expected = SEND if reason is None else Decision("suppress", reason)
    assert decide(alert(**changes), receiver, AT) == expected


def test_quiet_hours_put_off_and_critical_alerts_come_at_once():
    night = datetime(2026, 9, 16, 21, 30, tzinfo=UTC)
    receiver = Receiver(quiet_hours=("22:00", "07:00"))
    morning = datetime(2026, 9, 17, 5, 0, tzinfo=UTC)
    assert decide(alert(), receiver, night) == Decision("postpone", "quiet hours until 07:00", morning)
    assert decide(alert(severity="critical"), receiver, night) == SEND
    assert decide(alert(), receiver, morning) == SEND


def test_the_same_rule_and_group_is_told_once_in_its_cooldown():
    told = AT - HOUR
    assert cooling(AT, told, timedelta(hours=6)) == "told less than 6 hours ago (cooldown)"
    assert [cooling(AT, told, HOUR), cooling(AT, None, HOUR), cooling(AT, told, None)] == [None, None, None]
    suppressed = decide(alert(), Receiver(), AT, last_told_at=told, cooldown=timedelta(days=1))
    assert suppressed == Decision("suppress", "told less than 1 day ago (cooldown)")


def silence(*pairs: str, **changes: Any) -> Silence:
    values = {"author": "ann", "comment": "known", "created_at": AT - HOUR, "expires_at": AT + HOUR}
    return Silence(matcher=matcher(pairs), **{**values, **changes})


@pytest.mark.parametrize(
    ("pairs", "matches"),
    [
        (("rule=vera-rubin",), True),
        (("rule=VERA-*",), True),
        (("rule=new-submitter,vera-rubin",), True),
        (("rule=new-submitter",), False),
        (("submitter=nvidia",), True),
        (("submitter=nvidia", "scenario=Offline"), False),
        (("accelerator=vera-rubin", "round=v6.1", "severity=high", "watch=result", "alert=A-0142"), True),
        (("organisation=NVIDIA",), True),
        (("source=inference",), True),
        (("group=v6.1*",), True),
        (("vendor=NVIDIA",), False),
    ],
)
def test_a_silence_holds_back_what_it_names(pairs: tuple[str, ...], matches: bool):
    expected = "silenced by ann until 2026-09-16 16:05 UTC: known" if matches else None
    assert silenced(alert(), [silence(*pairs)], AT) == expected


def test_a_silence_on_one_row_does_not_hide_the_other_rows_of_the_alert():
    both = alert(result(), result(submitter="Nebius"))
    assert silenced(both, [silence("submitter=NVIDIA")], AT) is None
    assert silenced(both, [silence("submitter=NVIDIA,Nebius")], AT) is not None


def test_a_silence_ends_at_its_hour_and_begins_at_its_own():
    now = [AT - HOUR - timedelta(seconds=1), AT - HOUR, AT, AT + HOUR]
    assert [silenced(alert(), [silence("rule=vera-rubin")], at) is not None for at in now] == [
        False,
        True,
        True,
        False,
    ]


def test_a_silence_reads_derived_figures_by_their_subject():
    ratio = Comparison(
        subject=result(), baseline=result(submitter="AMD"), ratio=2.0, per_accelerator_ratio=2.0
    )
    compared = alert(ratio, kind="comparison.changed")
    assert silenced(compared, [silence("submitter=NVIDIA", "watch=comparison")], AT) is not None
    trouble = SourceTrouble(source="hpcwire", url=None, failure="blocked", message="403")
    assert silenced(alert(trouble, kind="source.failing"), [silence("source=hpcwire")], AT) is not None
    assert silenced(alert(events=()), [silence("submitter=NVIDIA")], AT) is None


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (("submiter=NVIDIA",), "no field 'submiter'; did you mean 'submitter'?"),
        (("submitter",), "needs submitter=VALUE, not 'submitter'"),
        (("rule= , ",), "needs rule=VALUE"),
        ((), "at least one FIELD=VALUE"),
        (("qqq=1",), "known are rule, severity"),
    ],
)
def test_a_silence_that_says_nothing_or_too_much_is_refused(pairs: tuple[str, ...], said: str):
    with pytest.raises(UsageError) as caught:
        matcher(pairs)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "subject", "expected"),
    [
        ("round.published", PublishedRound(suite="inference", round="v6.1"), "round"),
        ("name.new", NewName(kind="submitter", name="X", suite="inference", round="v6.1"), "name"),
        ("result.changed", result(), "result"),
    ],
)
def test_the_watch_of_an_alert_is_its_events(kind: str, subject: Any, expected: str):
    assert watch(alert(subject, kind=kind)) == expected
    assert watch(replace(alert(), events=())) == "deadline"


# ------------------------------------------------------------------------------------------------ hours


def changes_of_the_clock(zone: str) -> list[date]:
    """Return the dates of two years on which the zone's offset differs between midnight and midnight."""
    days = [date(YEARS[0], 1, 1) + timedelta(days=n) for n in range(730)]
    midnight = [
        datetime(d.year, d.month, d.day, tzinfo=ZoneInfo(zone)).utcoffset() for d in [*days, date(2028, 1, 1)]
    ]
    return [day for day, (before, after) in zip(days, pairwise(midnight), strict=True) if before != after]


def moments(zone: str, day: date, minutes: int = 10) -> list[datetime]:
    """Return each tenth minute from the day before to the day after, in UTC."""
    start = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).astimezone(UTC) - timedelta(days=1)
    return [start + timedelta(minutes=n) for n in range(0, 3 * 24 * 60, minutes)]


def within(at: datetime, zone: str, start: str, end: str) -> bool:
    wall = f"{at.astimezone(ZoneInfo(zone)):%H:%M}"
    return start <= wall < end if start < end else wall >= start or wall < end


@pytest.mark.parametrize("zone", ZONES)
def test_two_years_have_four_changes_of_the_clock(zone: str):
    assert len(changes_of_the_clock(zone)) == 4


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "hours", [("22:00", "07:00"), ("23:30", "02:30"), ("01:30", "02:15"), ("00:00", "03:00")]
)
def test_quiet_hours_follow_the_wall_clock_on_every_change_and_end_at_the_first_minute_after(
    zone: str, hours: Any
):
    for day in changes_of_the_clock(zone):
        for at in moments(zone, day):
            until = quiet_until(at, zone, hours)
            assert (until is not None) == within(at, zone, *hours)
            if until is not None:
                inside = [
                    until - timedelta(minutes=n) for n in range(1, int((until - at).total_seconds() / 60) + 1)
                ]
                assert not within(until, zone, *hours)
                assert all(within(minute, zone, *hours) for minute in inside)


def test_without_hours_or_with_equal_ones_it_is_never_quiet():
    assert quiet_until(AT, "UTC", None) is None
    assert [quiet_until(AT + n * HOUR, "UTC", ("08:00", "08:00")) for n in range(24)] == [None] * 24


# ------------------------------------------------------------------------------------------------ digests


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("at", ["00:00", "01:30", "02:00", "02:30", "08:00", "23:59"])
def test_one_digest_a_local_date_for_two_years_whatever_the_clocks_do(zone: str, at: str):
    start = datetime(2025, 12, 31, 12, tzinfo=UTC)
    last = start.astimezone(ZoneInfo(zone)).date()
    sent: list[date] = []
    for n in range(0, 732 * 24 * 60, 17):
        due = digest_due(start + timedelta(minutes=n), zone, at, last)
        if due is not None:
            sent.append(due)
            last = due
    assert sent == [sent[0] + timedelta(days=n) for n in range(len(sent))]
    assert len(sent) in {730, 731, 732}


@pytest.mark.parametrize("zone", ZONES)
def test_on_every_change_of_the_clock_the_digest_is_due_from_its_hour_on(zone: str):
    for day in changes_of_the_clock(zone):
        yesterday = day - timedelta(days=1)
        for at in ("01:45", "02:15", "08:00"):
            due = [m for m in moments(zone, day, 5) if digest_due(m, zone, at, yesterday) == day]
            first = min(due).astimezone(ZoneInfo(zone))
            before = (min(due) - timedelta(minutes=5)).astimezone(ZoneInfo(zone))
            assert (first.date(), f"{first:%H:%M}" >= at, f"{before:%H:%M}" < at) == (day, True, True)


def test_after_a_sleep_one_digest_is_due_for_the_latest_date():
    woke = datetime(2026, 10, 25, 12, 0, tzinfo=UTC)
    assert digest_due(woke, "Europe/Berlin", "08:00", date(2026, 10, 20)) == date(2026, 10, 25)
    early = datetime(2026, 10, 25, 3, 0, tzinfo=UTC)
    assert digest_due(early, "Europe/Berlin", "08:00", date(2026, 10, 20)) == date(2026, 10, 24)
    assert digest_due(early, "Europe/Berlin", "08:00", date(2026, 10, 24)) is None


def test_an_hour_that_comes_twice_sends_once():
    first, second = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    walls = [at.astimezone(ZoneInfo("Europe/Berlin")).strftime("%H:%M") for at in (first, second)]
    assert walls == ["02:30", "02:30"]
    assert digest_due(first, "Europe/Berlin", "02:30", date(2026, 10, 24)) == date(2026, 10, 25)
    assert digest_due(second, "Europe/Berlin", "02:30", date(2026, 10, 25)) is None


def test_a_new_receiver_does_not_get_the_digest_of_an_hour_before_it():
    assert digest_due(AT, "UTC", "08:00", None) == date(2026, 9, 16)
    assert digest_due(AT, "UTC", "08:00", None, since=AT - HOUR) is None
    assert digest_due(AT + timedelta(days=1), "UTC", "08:00", None, since=AT - HOUR) == date(2026, 9, 17)


@pytest.mark.parametrize("zone", ZONES)
def test_the_next_digest_is_when_it_becomes_due(zone: str):
    for day in changes_of_the_clock(zone):
        for last in (day - timedelta(days=1), day):
            for at in moments(zone, day, 30):
                wake = next_digest(at, zone, "08:00", last)
                assert digest_due(wake, zone, "08:00", last) is not None
                assert wake == at or digest_due(wake - timedelta(seconds=1), zone, "08:00", last) is None
