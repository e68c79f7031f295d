"""Words of a rule file: the nearest right one, times, numbers, and names known to the catalog."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING

from watcher.nearest import did_you_mean
from watcher.rules.row import Row

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

TRUE = frozenset({"true", "yes", "on"})
FALSE = frozenset({"false", "no", "off"})
_ROUND = re.compile(r"(?:(?P<suite>[a-z]+)-)?v?(?P<number>\d+(?:\.\d+)+)", re.IGNORECASE)
_COHORT = re.compile(r"\d{4}-\d{2}-c\d", re.IGNORECASE)
_ONLY_WHOLE = re.compile(r"[+-]?\d+")


def number(text: str) -> float | None:
    """Read a finite number; None if it is not one. Whole numbers stay whole."""
    try:
        found = float(text.replace("_", ""))
    except ValueError:
        return None
    if not math.isfinite(found):
        return None
    return int(text.replace("_", "")) if _ONLY_WHOLE.fullmatch(text.replace("_", "")) else found


def fraction(text: str) -> float | None:
    """Read a fraction such as 0.02 or "2 %"; None if it is not one."""
    percent = text.strip().endswith("%")
    found = number(text.strip().removesuffix("%").strip())
    if found is None:
        return None
    return found / 100 if percent else found


def instant(text: str, *, end_of_day: bool = False) -> datetime | None:
    """Read a date or time, in UTC unless it says otherwise; a date means its start, or its end."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if len(text.strip()) <= len("2026-12-01") and end_of_day:
        found = datetime.combine(found.date(), time(23, 59, 59))
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def canonical(row: Row, text: str, catalog: Catalog) -> str | None:
    """Return the name that ``text`` means for a field, None if the catalog does not know it.

    A round need not have happened yet. A joint submitter (Dell_MangoBoost) is known if all its organisations are.
    """
    for kind in row.names:
        if kind == "round":
            return _round(text, catalog)
        found = catalog.find(kind, text)
        if found is not None:
            return found
        if kind == "submitter":
            organisations = catalog.organisations(text)
            if len(organisations) > 1 and all(catalog.find(kind, name) for name in organisations):
                return text
    return None


def _round(text: str, catalog: Catalog) -> str | None:
    match = _ROUND.fullmatch(text.strip())
    if match is None:
        return text.strip() if _COHORT.fullmatch(text.strip()) else None
    if match["suite"] is None:
        return f"v{match['number']}"
    suite = catalog.find("suite", match["suite"])
    return f"{suite}-v{match['number']}" if suite else None


def unknown_name(row: Row, text: str, catalog: Catalog) -> str:
    """Say that the catalog does not know ``text``, what is near it, and how to watch for a name that is still to come."""
    message = f"unknown {row.names[0].replace('_', ' ')} '{text}'"
    if "round" in row.names:
        return f"{message}; write v6.1, or with its suite training-v5.1"
    near = [found for kind in row.names if (found := catalog.suggest(kind, text)) is not None]
    if near:
        message += f"; did you mean {' or '.join(repr(name) for name in dict.fromkeys(near))}?"
    else:
        message += f"{did_you_mean(text, catalog.names(row.names[0]))}."
    if row.published is None:
        return message.removesuffix(".")
    return f"{message} For a name that the catalog does not have: {row.published}: {{contains: {text}}}"
