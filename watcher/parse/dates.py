"""Times as people and programs write them → aware UTC, or null. Nothing is guessed.

A time of day without a zone could be off by half a day, a numeric date by months: both are unknown. A date alone stands
for its day and is taken as 00:00 UTC. The well-known libraries do otherwise (one reads "2:17:57 PM CEST" as 02:17 UTC).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo

_MAX_LENGTH = 120
_YEARS = range(1990, 2101)

_MONTHS = (
    "january januar janvier enero gennaio janeiro", "february februar février fevrier febrero febbraio fevereiro",
    "march märz mars marzo março", "april avril abril aprile", "may mai mayo maggio maio", "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho", "august août aout agosto", "september septembre septiembre settembre setembro",
    "october oktober octobre octubre ottobre outubro", "november novembre noviembre novembro",
    "december dezember décembre decembre diciembre dicembre dezembro",
)  # fmt: skip
"""Month names in the languages of the regional editions that vendors keep."""

# RFC 822 names the American zones. The others are used by one region only in what vendors write; IST, AST and the
# like mean two or three zones, so they are left out and make the time unknown.
_OFFSETS = {
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "CEST": 2, "MESZ": 2, "EET": 2,
    "EEST": 3, "MSK": 3, "SGT": 8, "HKT": 8, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "EST": -5, "EDT": -4, "CST": -6,
    "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip
_REGIONS = {"ET": "America/New_York", "CT": "America/Chicago", "MT": "America/Denver", "PT": "America/Los_Angeles"}  # fmt: skip

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ]+(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|z|[+-]\d\d:?\d\d|[+-]\d\d|[A-Z]{2,5})?)?$"
)
_BASIC_ISO = r"(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d)?(Z|z|[+-]\d{4})$"
_DAY_FIRST = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+(?:(?:of|de)\s+)?([^\W\d_]{3,12})\.?,?(?:\s+de)?[\s-]+(\d{4}|\d\d)\b"
)
_MONTH_FIRST = re.compile(r"\b([^\W\d_]{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_ASCTIME = re.compile(r"\b([^\W\d_]{3})\s+(\d{1,2})\s+(\d\d:\d\d:\d\d\s+\S+)\s+(\d{4})$")
_TIME = (
    r"(?<![\d:])(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*([AaPp]\.?[Mm]\.?(?![A-Za-z]))?\s*"
    r"(?:\(?([A-Z]{1,5})\b\)?|((?:UTC|GMT)?[+-]\d\d:?\d\d))?"
)
_OFFSET = r"(?:UTC|GMT)?([+-])(\d\d):?(\d\d)?$"


def read_date(text: str | None) -> datetime | None:
    """Return the instant that ``text`` names, in UTC, or null if it names none without guessing.

    >>> read_date("Mon, 25 Jun 2018 2:17:57 PM CEST")
    datetime.datetime(2018, 6, 25, 12, 17, 57, tzinfo=datetime.timezone.utc)
    >>> read_date("Mon, 25 Jun 2018 14:17:57")  # somewhere on earth
    """
    if text is None or len(text) > _MAX_LENGTH:
        return None
    text = " ".join(text.split())
    try:
        return _iso(text) if text[:4].isdigit() else _written(text)
    except (ValueError, OverflowError):  # 31 February, 25:00, the year 0
        return None


def _iso(text: str) -> datetime | None:
    found = _ISO.match(text) or re.match(_BASIC_ISO, text)
    if found is None:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    if hour is None:
        return _instant(int(year), int(month), int(day))
    return _instant(int(year), int(month), int(day), int(hour), int(minute), int(second or 0), zone)


def _written(text: str) -> datetime | None:
    """Read a date with a month's name; the weekday before it, in whatever language, says nothing new."""
    if asctime := _ASCTIME.search(text):
        text = f"{asctime[2]} {asctime[1]} {asctime[4]} {asctime[3]}"
    if found := _DAY_FIRST.search(text):
        day, name, year = found.groups()
    elif found := _MONTH_FIRST.search(text):
        name, day, year = found.groups()
    else:
        return None
    month = _months().get(name.casefold())
    if month is None:
        return None
    if len(year) == 2:  # RFC 5322, section 4.3
        year = f"{'20' if int(year) < 50 else '19'}{year}"
    time = re.compile(_TIME).search(text, found.end())
    if time is None:
        return None if ":" in text[found.end() :] else _instant(int(year), month, int(day))
    hour = _hour(int(time[1]), time[4])
    return _instant(int(year), month, int(day), hour, int(time[2]), int(time[3] or 0), time[5] or time[6])


@cache
def _months() -> dict[str, int]:
    """Return every name and abbreviation of three letters or more that means one month."""
    found: dict[str, set[int]] = {"mrz": {3}}
    for number, names in enumerate(_MONTHS, start=1):
        for name in names.split():
            for length in range(3, len(name) + 1):
                found.setdefault(name[:length], set()).add(number)
    return {word: min(numbers) for word, numbers in found.items() if len(numbers) == 1}


def _hour(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(half)
    return hour % 12 + (12 if half[0] in "Pp" else 0)


def _instant(
    year: int,
    month: int,
    day: int,
    hour: int | None = None,
    minute: int = 0,
    second: int = 0,
    zone: str | None = None,
) -> datetime | None:
    if year not in _YEARS:
        return None
    if hour is None:
        return datetime(year, month, day, tzinfo=UTC)
    known = _zone(zone)
    if known is None:
        return None
    return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=known).astimezone(UTC)


def _zone(name: str | None) -> timezone | ZoneInfo | None:
    if name is None:
        return None
    if name.upper() in _OFFSETS:
        return timezone(timedelta(hours=_OFFSETS[name.upper()]))
    if name in _REGIONS:
        return ZoneInfo(_REGIONS[name])
    offset = re.match(_OFFSET, name)
    if offset is None:
        return None
    minutes = int(offset[2]) * 60 + int(offset[3] or 0)
    if minutes > 14 * 60:
        return None
    return timezone(timedelta(minutes=minutes if offset[1] == "+" else -minutes))
