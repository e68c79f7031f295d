"""Times as people write them: read right, or not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watcher.parse.dates import read_date


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


READABLE = {
    "2026-09-16T15:00:00Z": utc(2026, 9, 16, 15),
    "2026-09-16T15:00:00.123456789+02:00": utc(2026, 9, 16, 13),
    "2026-09-16 10:00:00 UTC": utc(2026, 9, 16, 10),
    "20260916T100000Z": utc(2026, 9, 16, 10),
    "2026-09-16": utc(2026, 9, 16),
    "Wed, 16 Sep 2026 08:00:00 -0700": utc(2026, 9, 16, 15),
    "Wed, 16 Sep 2026 08:00:00 PDT": utc(2026, 9, 16, 15),
    "Wed, 16 Sep 26 10:00 GMT": utc(2026, 9, 16, 10),
    "Wed, 16 Sep 2026 10:00:60 -0000": utc(2026, 9, 16, 10, 0, 59),
    "Mo, 25 Jun 2018 14:17:57 +0200": utc(2018, 6, 25, 12, 17, 57),
    "Mon, 25 Jun 2018 2:17:57 PM CEST": utc(2018, 6, 25, 12, 17, 57),
    "Mon, 25 Jun 2018 12:17:57 AM UTC": utc(2018, 6, 25, 0, 17, 57),
    "Mon Jun 25 14:17:57 UTC 2018": utc(2018, 6, 25, 14, 17, 57),
    "April 8th, 2026 in mlperf. Written by zk.": utc(2026, 4, 8),
    "Sept. 9, 2025": utc(2025, 9, 9),
    "9 September 2025, 8:00 am PT": utc(2025, 9, 9, 15),
    "January 9, 2026 8:00 AM PT": utc(2026, 1, 9, 16),
    "Mittwoch, 16. September 2026 um 17:00 CEST": utc(2026, 9, 16, 15),
    "1. März 2024": utc(2024, 3, 1),
    "16 de septiembre de 2026": utc(2026, 9, 16),
}

UNREADABLE = (
    "", "yesterday", "Mo, 25 Jun", "2:17:57 PM CEST", "September 2026", "09/16/2026", "16.09.2026", "2026-02-30",
    "2026-13-01", "0000-00-00", "Wed, 16 Sep 2026 25:00:00 GMT", "Sep 16, 2026, 13:00 p.m. GMT",
    "Wed, 16 Sep 2026 10:00 +9900", "12 Decision 2026", "9" * 500, "16 Sep 1026",
)  # fmt: skip

WITHOUT_A_ZONE = (
    "Mon, 25 Jun 2018 14:17:57", "2026-09-16T15:00:00", "2026-09-16 15:00", "Mon Jun 25 14:17:57 2018",
    "September 9, 2025 8:00 AM", "Wed, 16 Sep 2026 10:00 IST", "Wed, 16 Sep 2026 10:00 XYZ",
)  # fmt: skip


@pytest.mark.parametrize(("text", "at"), READABLE.items())
def test_a_date_that_says_all_is_read_in_utc(text, at):
    assert read_date(text) == at


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_is_no_whole_date_is_unknown(text):
    assert read_date(text) is None


@pytest.mark.parametrize("text", WITHOUT_A_ZONE)
def test_a_time_of_day_without_a_known_zone_is_unknown(text):
    assert read_date(text) is None


def test_no_date_is_unknown():
    assert read_date(None) is None


OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
EARLIEST, LATEST = (datetime(year, 1, 1) for year in (1991, 2100))  # noqa: DTZ001 - hypothesis adds the zone


@given(st.datetimes(EARLIEST, LATEST, timezones=OFFSETS))
def test_an_iso_time_comes_back_as_the_same_instant(at):
    at = at.replace(microsecond=0)

    assert read_date(at.isoformat()) == at


@given(st.text(alphabet="0123456789:+-TZ apmAPMJanSepDec,.GMTUC", max_size=40))
def test_any_text_is_a_time_in_utc_or_nothing(text):
    read = read_date(text)

    assert read is None or read.tzinfo is UTC
