"""Numbers, units and names as people write them: 1,175,890; 652.8 thousand tokens/s; 3.74x; Vera Rubin; 29 %."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from watcher.domain import Result
from watcher.figures.words import number

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

NONE = "–"
_SHORT = {"vera-rubin": "VR", "vera-rubin-nvl72": "VR NVL72"}  # where a column has no room for the title
_SMALL = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_MARKS = re.compile(r"\s?(?:\((?:R|TM|C)\)|[®™©])", re.IGNORECASE)
_COLUMN = 9  # characters of a column's header that a phone has room for


def catalog() -> Catalog:
    """Return the shipped catalog; for the titles of names."""
    from watcher.catalog.names import load  # noqa: PLC0415 - read only when something is rendered

    return load()


def title(kind: str, name: str) -> str:
    """Return how people write a catalog name ("Vera Rubin NVL72"); a name that is not in the catalog stays as it is."""
    names = catalog()
    found = name if name in names.names(kind) else None
    return names.entry(kind, found).title if found else name


def benchmark(row: Result) -> str:
    """Return a benchmark with its accuracy target: "DeepSeek-R1", "Llama 2 70B 99.9"."""
    name = title("benchmark", row.benchmark)
    return f"{name} {row.accuracy_target}" if row.accuracy_target else name


def submitter(row: Result) -> str:
    """Return whose row it is, as people write it: tables put underscores for spaces."""
    return row.submitter.replace("_", " ")


def suite_round(suite: str, round: str) -> str:
    """Return "MLPerf Inference v6.1"."""
    return f"{title('suite', suite)} {round}"


def accelerator(row: Result) -> str:
    """Return the accelerator as people write it, the parts of a mixed system, or "CPU only"."""
    if row.accelerator is not None:
        return title("accelerator", row.accelerator)
    return " + ".join(title("accelerator", name) for name in row.accelerators) or "CPU only"


def short_accelerator(row: Result) -> str:
    """Return the accelerator for a narrow column."""
    name = _SHORT.get(row.accelerator or "", accelerator(row))
    return name if len(name) <= _COLUMN else name[: _COLUMN - 1].rstrip() + "…"


def system(row: Result) -> str:
    """Return the system: "Vera Rubin NVL72", "36 Vera Rubin", "MI300X + MI325X", or the processor of a CPU row."""
    if row.system is not None:
        return title("system", row.system)
    if row.accelerator is None and not row.accelerators:
        return _MARKS.sub("", row.processor) if row.processor else "CPU only"
    return f"{row.accelerator_count:,} {accelerator(row)}" if row.accelerator_count else accelerator(row)


def size(row: Result) -> str:
    """Return "72 accelerators", "1 accelerator", or for a CPU row its processors."""
    if row.accelerator_count:
        return plural(row.accelerator_count, "accelerator")
    if row.accelerator is None and not row.accelerators:
        nodes = f", {plural(row.nodes, 'node')}" if row.nodes and row.nodes > 1 else ""
        return f"CPU only{nodes}"
    return "accelerator count not stated"


def value(row: Result) -> str:
    """Return the published value with its unit: "1,175,890 tokens/s"."""
    return f"{number(row.value)} {row.unit}"


def apart(before: float, after: float) -> tuple[str, str]:
    """Return two values with as many digits as it takes to tell them apart."""
    one, other = number(before), number(after)
    decimals = 1
    while one == other and before != after and decimals < 12:
        one, other = f"{before:,.{decimals}f}", f"{after:,.{decimals}f}"
        decimals += 1
    return one, other


def column(values: Sequence[float | None], least: int = 0) -> list[str]:
    """Return a column of values with equal decimals, at least ``least``: 1,307 and 349; 22.6 and 5.7; 0.0589."""
    smallest = min((abs(v) for v in values if v), default=1.0)
    decimals = next((d for d, bound in enumerate((300, 10, 1, 0.1, 0.01)) if smallest >= bound), 5)
    return [NONE if v is None else f"{v:,.{max(decimals, least)}f}" for v in values]


def ratio(times: float) -> str:
    """Return "3.74x"; two decimals, more where that would read 0.00x."""
    return f"{times:.2f}x" if times >= 0.01 else f"{times:.2g}x"


def percent(share: float, decimals: int = 0) -> str:
    """Return "29 %" of 0.29."""
    return f"{100 * share:.{decimals}f} %"


def move(before: float, after: float) -> str:
    """Return how far a value moved: "+1.3 %", "-0.004 %", "more than ten times"."""
    if before == 0:
        return ""
    part = after / before - 1
    if abs(part) >= 9:
        return "more than ten times"
    decimals = next((d for d in range(1, 7) if abs(100 * part) >= 10.0**-d), 7)
    return f"{100 * part:+.{decimals}f} %"


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """Return "1 row", "1,448 rows"; ``nouns`` where the plural is not by an s."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def joined(words: Iterable[str], last: str = "and", limit: int | None = None) -> str:
    """Return "a, b and c"; with ``limit`` "a, b and 7 more"."""
    all_words = list(dict.fromkeys(words))
    if limit is not None and len(all_words) > limit:
        return f"{', '.join(all_words[:limit])} {last} {len(all_words) - limit:,} more"
    if len(all_words) < 2:
        return "".join(all_words)
    return f"{', '.join(all_words[:-1])} {last} {all_words[-1]}"


def day(at: date) -> str:
    """Return "16 September 2026"."""
    return f"{at.day} {at:%B %Y}"


def moment(at: datetime) -> str:
    """Return "16 September 2026, 15:05 UTC"."""
    utc = at.astimezone(UTC)
    return f"{day(utc.date())}, {utc:%H:%M} UTC"


def span(seconds: float) -> str:
    """Return a duration in its largest fitting unit: "3 hours", "2 days", "40 seconds"."""
    for length, noun in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= length:
            return plural(round(seconds / length), noun)
    return plural(round(seconds), "second")


def small(count: int) -> str:
    """Return a small count as a word: "one", "six"; from thirteen on the number."""
    return _SMALL[count] if 0 <= count < len(_SMALL) else f"{count:,}"


def capital(text: str) -> str:
    """Return ``text`` with its first letter as a capital, the rest as it is."""
    return text[:1].upper() + text[1:]
