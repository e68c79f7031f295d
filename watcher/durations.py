"""Durations as people write them: "90s", "15m", "6h", "2d", "1w"."""

from __future__ import annotations

import re

LONGEST = 3650 * 86_400.0  # seconds; a longer duration is a slip, and may lie beyond what a calendar holds
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)\s*([smhdw])", re.IGNORECASE | re.ASCII)


def seconds(text: str) -> float | None:
    """Read a duration; None if it is none, or longer than ten years."""
    found = _DURATION.fullmatch(text.strip())
    read = float(found[1]) * _UNITS[found[2].lower()] if found else None
    return read if read is not None and read <= LONGEST else None
