"""Who and what a round brought: rows counted beside the round before, who came and who did not, vendors by benchmark.

Nothing is called new that the history held does not support: a name is first "in the tables held", and a name that the
catalog knows from an older round than those is not first at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from watcher.domain import Result
from watcher.figures.cells import newest
from watcher.figures.selectors import DEFAULT_SUITE

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

KINDS = ("submitter", "accelerator", "benchmark")
PROCESSORS = "processors only"
UNKNOWN_VENDOR = "vendor not known"


class Tally(NamedTuple):
    """How many of something there are in a round, and in the round before; null where no round before is held."""

    name: str
    now: int
    before: int | None


class Back(NamedTuple):
    """A name that is not in the round before, but older. ``last``: the newest round held that has it, null if none has."""

    name: str
    last: str | None


class Attendance(Struct, frozen=True, kw_only=True):
    """Who came and who did not, of one kind (KINDS; of submitters the organisations).

    ``first``: in no earlier round held and in none that the catalog knows. ``back``: known, but not in the round
    before. ``absent``: in the round before, not in this one. Empty where no earlier round is held.
    """

    kind: str
    first: tuple[str, ...] = ()
    back: tuple[Back, ...] = ()
    absent: tuple[str, ...] = ()


class Coverage(Struct, frozen=True, kw_only=True):
    """Rows of the closed division by benchmark and vendor of the accelerator.

    ``vendors``: the one with most rows first; rows without an accelerator stand under PROCESSORS. ``rows``: benchmark
    and how many rows each vendor has on it, the benchmark with most rows first. A row with parts of two vendors counts
    for both.
    """

    vendors: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


def tally(name: str, now: int, before: int, *, held: bool) -> Tally:
    """Return a tally; ``held``: whether a round before is held."""
    return Tally(name, now, before if held else None)


def tallies(
    key: Callable[[Result], str], now: Sequence[Result], before: Sequence[Result], *, held: bool
) -> tuple[Tally, ...]:
    """Count rows by ``key``, the largest first, also what only the round before has."""
    ours, theirs = Counter(map(key, now)), Counter(map(key, before))
    names = sorted({*ours, *theirs}, key=lambda name: (-ours[name], -theirs[name], name))
    return tuple(tally(name, ours[name], theirs[name], held=held) for name in names)


def kind_of(row: Result) -> str:
    """Return division and system type in words: "closed datacenter", "closed datacenter and edge", "open edge"."""
    return f"{row.division} {' and '.join(row.system_type)}".strip()


def names(kind: str, row: Result) -> tuple[str, ...]:
    """Return the names of one of KINDS that a row carries: its organisations, its accelerators, its benchmark."""
    if kind == "submitter":
        return row.organisations or (row.submitter,)
    return row.accelerators if kind == "accelerator" else (row.benchmark,)


def attendance(
    kind: str,
    now: Sequence[Result],
    before: Sequence[Result],
    earlier: Mapping[str, Sequence[Result]],
    catalog: Catalog,
) -> Attendance:
    """Tell who came and who did not.

    ``now`` and ``before``: the rows told of (which may be narrowed); ``earlier``: all rows of each earlier round held.
    """
    if not earlier or not now:
        return Attendance(kind=kind)
    ours, theirs = _all(kind, now), _all(kind, before)
    rounds = {name: _all(kind, rows) for name, rows in earlier.items()}
    previous = newest(earlier)
    full = now[0].round if now[0].suite == DEFAULT_SUITE else f"{now[0].suite}-{now[0].round}"
    first, back = [], []
    for name in sorted(ours, key=str.casefold):
        last = newest(held for held, those in rounds.items() if name in those)
        if last is None and not catalog.known(kind, name, before=full):
            first.append(name)
        elif last != previous:
            back.append(Back(name, last))
    absent = sorted(theirs - ours, key=str.casefold)
    return Attendance(kind=kind, first=tuple(first), back=tuple(back), absent=tuple(absent))


def coverage(rows: Iterable[Result], catalog: Catalog) -> Coverage:
    """Count the rows of the closed division by benchmark and vendor."""
    counts: Counter[tuple[str, str]] = Counter()
    benchmarks: Counter[str] = Counter()
    of_vendor: Counter[str] = Counter()
    for row in rows:
        if row.division != "closed":
            continue
        benchmarks[row.benchmark] += 1
        for vendor in vendors_of(row, catalog):
            counts[row.benchmark, vendor] += 1
            of_vendor[vendor] += 1
    order = sorted(of_vendor, key=lambda name: (name == PROCESSORS, -of_vendor[name], name))
    listed = sorted(benchmarks, key=lambda name: (-benchmarks[name], name))
    return Coverage(
        vendors=tuple(order),
        rows=tuple((name, tuple(counts[name, vendor] for vendor in order)) for name in listed),
    )


def vendors_of(row: Result, catalog: Catalog) -> tuple[str, ...]:
    """Return who makes the row's accelerators, each once; PROCESSORS where it has none."""
    if not row.accelerators:
        return (PROCESSORS,)
    return tuple(dict.fromkeys(vendor_of(name, catalog) for name in row.accelerators))


def vendor_of(accelerator: str, catalog: Catalog) -> str:
    """Return who makes an accelerator, UNKNOWN_VENDOR where the catalog does not know it."""
    if accelerator not in catalog.names("accelerator"):
        return UNKNOWN_VENDOR
    return catalog.entry("accelerator", accelerator).vendor or UNKNOWN_VENDOR


def _all(kind: str, rows: Iterable[Result]) -> set[str]:
    return {name for row in rows for name in names(kind, row)}
