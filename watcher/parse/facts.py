"""What single facts of a summary row mean: units of power, suites of system types, rounds, marks and folders."""

from __future__ import annotations

import re
from typing import Any

from watcher.domain import ResultKey

POWER_UNITS = {
    "watts": "W",
    "w": "W",
    "kw": "kW",
    "kilowatts": "kW",
    "millijoules": "mJ",
    "mj": "mJ",
    "joules": "J",
    "j": "J",
    "uj/inf.": "uJ/inference",
    "microjoules": "uJ",
}
"""Published units of power, or of energy a query, in our spelling. A row of shape S in one of them is a power twin."""

SUITE_OF_TYPE = {"datacenter": "inference", "edge": "inference", "adas": "automotive", "tiny": "tiny"}
"""The suite that a system type belongs to."""

_VERSION = re.compile(r"v?(\d{1,4}(?:\.\d{1,4}){1,3}(?:[-.]\w{1,20})?)", re.IGNORECASE | re.ASCII)


def round_name(text: str) -> str | None:
    """A round in our spelling ("6.1" is "v6.1"), or null if it is not one."""
    match = _VERSION.fullmatch(text.strip())
    return f"v{match[1]}" if match else None


def may_be_inferred(suite: str, round_: str, scenario: str | None) -> bool:
    """Whether a table's mark says if an edge machine's run was derived from another one; ``scenario`` canonical.

    The rules allow it to edge submitters for MultiStream and Offline only. From v6.0 on the checker sets the mark
    whenever the scenario is spelled otherwise than in the log, so it says nothing any more.
    """
    if scenario not in {"MultiStream", "Offline"}:
        return False
    return suite not in {"inference", "unofficial"} or _major(round_) < 6


def folder_of(location: str | None, path: str, scenario: str) -> str:
    """The scenario's folder as the location spells it (it may be lower case), if it lies under the row's own ``path``."""
    if location is None:
        return scenario
    folder = location.removeprefix("./").removeprefix(path).split("/", 1)[0]
    return folder if folder.casefold() == scenario.casefold() else scenario


def _major(round_: str) -> int:
    digits = round_.removeprefix("v").split(".", 1)[0]
    return int(digits) if digits.isdigit() else 0


def words_of(key: ResultKey) -> str:
    """A key in words, for messages."""
    return f"{key.division} {key.submitter} {key.platform} {key.benchmark_published} {key.scenario}".strip()


def shown(value: Any) -> str:
    """A cell as a message shows it."""
    if value is None:
        return "missing"
    text = "".join(c if c.isprintable() else " " for c in str(value)[:60]).strip()
    return repr(text) if text else "blank"
