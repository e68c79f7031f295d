"""Citing a row: a readable name for it, and the footnote that MLCommons' results messaging guidelines ask for; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.domain import Result
from watcher.errors import UsageError
from watcher.figures.filters import UNREVIEWED
from watcher.figures.selectors import DEFAULT_SUITE, fold, submitted_by
from watcher.figures.words import number

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

FORM = "ROUND/SUBMITTER/PLATFORM/BENCHMARK/SCENARIO"
EXAMPLE = "v6.1/NVIDIA/GB300-NVL72_GB300-288GB_aarch64x72_TRT/deepseek-r1/Server"
SHOWN = 6  # rows that an error about several names
TRADEMARK = (
    "The MLPerf name and logo are registered and unregistered trademarks of MLCommons Association in the United States and "
    "other countries. All rights reserved. Unauthorized use strictly prohibited. See www.mlcommons.org for more information."
)
NOT_VERIFIED = "Result not verified by MLCommons Association."
_ENTRIES = ("result_id", "Public ID", "public_id")  # columns in which a suite gives a result an id that stays
_CUT = ("…", "...", "*")


class Origin(Struct, frozen=True, kw_only=True):
    """Where a row was read: when last, and at what address, or in words where that is none on the web."""

    retrieved: date
    url: str | None
    place: str = ""


def row_name(row: Result) -> str:
    """Return the readable name of a row; the division stands in it where it is not closed.

    ``v6.1/NVIDIA/VR-NVL72_VR-288GB_aarch64x72_TRT/deepseek-r1/Server``; other suites as in ``training-v5.1/…``.
    """
    round_name = row.round if row.suite == DEFAULT_SUITE else f"{row.suite}-{row.round}"
    parts = [round_name, row.submitter, row.platform, row.benchmark_published]
    if row.scenario:
        parts.append(row.scenario)
    if row.division != "closed":
        parts.append(row.division)
    return "/".join(parts)


def find_row(text: str, rows: Sequence[Result]) -> Result:
    """Return the one row that ``text`` names.

    Case, spaces and underscores do not count. The submitter may be one of its organisations, the platform may be cut
    short (``VR-NVL72…``) or be a catalog system or accelerator, the benchmark its catalog name. Raises UsageError
    that lists the rows meant where there are several, and the nearest names where there is none.
    """
    parts = [part.strip() for part in text.strip().split("/")]
    if len(parts) < 3:
        raise UsageError(f"{text!r} does not name a row: write {FORM}, such as {EXAMPLE}")
    whole = [row for row in rows if fold(row_name(row)) == fold(text)]
    found = whole or [row for row in rows if _meant(row, parts)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = "\n  ".join(row_name(row) for row in found[:SHOWN])
        more = f"\n  and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise UsageError(f"{text!r} names {len(found)} rows; say which:\n  {listed}{more}")
    raise UsageError(f"no row is called {text!r}{_nearest(text, parts, rows)}")


def _meant(row: Result, parts: Sequence[str]) -> bool:
    """Whether every part fits; parts may be left out from the end, and a division may stand last."""
    round_name, submitter, platform, *rest = parts
    if fold(round_name) not in (
        _full_round(row),
        *((fold(row.round),) if row.suite == DEFAULT_SUITE else ()),
    ):
        return False
    if not submitted_by(row, submitter) or not _platform(row, platform):
        return False
    fields = [_benchmarks(row), (row.scenario or "",), (row.division,)]
    if not row.scenario and len(rest) > 1:
        fields.pop(1)
    return len(rest) <= len(fields) and all(
        fold(part) in {fold(name) for name in names} for part, names in zip(rest, fields, strict=False)
    )


def _full_round(row: Result) -> str:
    return fold(f"{row.suite}-{row.round}")


def _benchmarks(row: Result) -> tuple[str, ...]:
    target = (f"{row.benchmark}-{row.accuracy_target}",) if row.accuracy_target else ()
    return (row.benchmark_published, row.benchmark, *target)


def _platform(row: Result, text: str) -> bool:
    for mark in _CUT:
        if text.endswith(mark):
            return fold(row.platform).startswith(fold(text.removesuffix(mark)))
    counted = f"{row.accelerator}x{row.accelerator_count}" if row.accelerator_count else row.accelerator
    names = (row.platform, row.system, row.system_name, counted)
    return fold(text) in {fold(name) for name in names if name}


def _nearest(text: str, parts: Sequence[str], rows: Iterable[Result]) -> str:
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415 - only for a wrong name

    near = [row for row in rows if fold(parts[0]) in (fold(row.round), _full_round(row))]
    if not near:
        held = sorted({row.round for row in rows})
        return f"; rounds held: {', '.join(held)}" if held else "; no results are held"
    submitters = {fold(row.submitter): row.submitter for row in near}
    if not any(submitted_by(row, parts[1]) for row in near):
        close = get_close_matches(fold(parts[1]), submitters, n=1)
        return f"; did you mean the submitter {submitters[close[0]]!r}?" if close else ""
    mine = [row_name(row) for row in near if submitted_by(row, parts[1])]
    ordered = sorted(mine, key=lambda name: -SequenceMatcher(None, fold(text), fold(name)).ratio())
    return "; the nearest:\n  " + "\n  ".join(ordered[:3])


# ---------------------------------------------------------------------------------------------- the footnote


def entry_of(row: Result) -> str | None:
    """Return the id that the suite gave the result, else the number of its entry, null where it has neither.

    The number is of the table's current revision: the next one may count anew, so it is cited beside the date of retrieval.
    """
    return next((str(row.extra[name]) for name in _ENTRIES if row.extra.get(name)), row.entry)


def footnote(row: Result, origin: Origin, catalog: Catalog) -> str:
    """Return the footnote for a row.

    It has what MLCommons' results messaging guidelines ask for: suite, round, division, benchmark, scenario, submitter,
    system, the entry where there is one, when and where it was retrieved, and the trademark sentence.
    """
    types = " and ".join(_title(catalog, "system_type", name) for name in row.system_type)
    division = f"{row.division.capitalize()} division" + (f", {types}" if types else "")
    benchmark = _title(catalog, "benchmark", row.benchmark)
    target = f" {row.accuracy_target} %" if row.accuracy_target else ""
    scenario = f", {row.scenario}" if row.scenario else ""
    head = f"{_suite(catalog, row.suite)} {row.round}, {division}: {benchmark}{target}{scenario}"
    availability = _title(catalog, "availability", row.availability)
    whose = f"Submitter {row.submitter.replace('_', ' ')}, system {_system(row)}, {availability}"
    entry = entry_of(row)
    parts = [
        f"{head}.",
        f"{whose}: {number(row.value)} {row.unit}.",
        *([f"Entry {entry}."] if entry else []),
        f"Retrieved {_day(origin.retrieved)} from {_where(row, origin)}.",
        *([NOT_VERIFIED] if row.suite == UNREVIEWED else []),
        TRADEMARK,
    ]
    return " ".join(" ".join(parts).split())


def _suite(catalog: Catalog, suite: str) -> str:
    title = _title(catalog, "suite", suite)
    return title.replace("MLPerf ", "MLPerf® ", 1) if title.startswith("MLPerf ") else f"MLPerf® {title}"


def _system(row: Result) -> str:
    name = row.system_name or row.platform
    count = row.accelerator_count
    return name if not count or str(count) in name else f"{name} ({count:,} accelerators)"


def _title(catalog: Catalog, kind: str, name: str) -> str:
    return catalog.entry(kind, name).title if name in catalog.names(kind) else name


def _where(row: Result, origin: Origin) -> str:
    published = row.url if row.url and row.url.startswith(("https://", "http://")) else None
    if origin.url is not None:
        return f"{origin.url} (row: {published})" if published and published != origin.url else origin.url
    return f"{origin.place} (published at {published})" if published else origin.place


def _day(on: date) -> str:
    return f"{on.day} {on:%B %Y}"
