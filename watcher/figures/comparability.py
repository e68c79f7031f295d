"""May two rounds of a benchmark be compared? MLCommons' compatibility table, kept as data in comparability.toml.

The table's rule: results of two rounds may be compared when the benchmark did not change between them. It covers a
fixed list of rounds; what lies outside is unknown, which is allowed and flagged, never silently taken as comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from watcher.domain import Result
from watcher.figures.cells import round_order

TABLE = "MLCommons' compatibility table"


class Compatibility(NamedTuple):
    """``verdict`` is comparable, changed or unknown; ``reason`` says why in words, "" for comparable."""

    verdict: str
    reason: str = ""


COMPARABLE = Compatibility("comparable")


class _Columns(NamedTuple):
    """One part of the table: its rounds, and each benchmark's spans of rounds without a change."""

    rounds: tuple[str, ...]
    spans: Mapping[str, tuple[tuple[str, str], ...]]

    def span(self, benchmark: str, round: str) -> int | None:
        """Index of the span that holds ``round``; null where the table has none."""
        wanted = round_order(round)
        for index, (first, last) in enumerate(self.spans[benchmark]):
            if round_order(first) <= wanted <= round_order(last):
                return index
        return None


def compatibility(one: Result, other: Result) -> Compatibility:
    """Tell whether two rows of one benchmark may be compared, by their suite, rounds and system types.

    The MLPerf rules keep apart MultiStream of v0.5 to v1.1 (a count of streams) and later (a latency).
    """
    if one.round == other.round:
        return COMPARABLE
    if "MultiStream" in (one.scenario, other.scenario) and _straddles(one.round, other.round, "v2.0"):
        return Compatibility("changed", f"MultiStream changed its meaning with v2.0 ({TABLE})")
    types = sorted(set(one.system_type) & set(other.system_type)) or ["any"]
    found = [_between(one.suite, kind, one.benchmark, one.round, other.round) for kind in types]
    order = ("comparable", "unknown", "changed")
    return min(found, key=lambda item: order.index(item.verdict))


def _straddles(one: str, other: str, border: str) -> bool:
    return (round_order(one) < round_order(border)) != (round_order(other) < round_order(border))


@lru_cache(maxsize=8192)
def _between(suite: str, system_type: str, benchmark: str, one: str, other: str) -> Compatibility:
    columns = _table().get((suite, system_type)) or _table().get((suite, "any"))
    if columns is None or benchmark not in columns.spans:
        return Compatibility("unknown", f"{TABLE} does not name {benchmark} in {suite}")
    early, late = sorted((one, other), key=round_order)
    first, second = columns.span(benchmark, early), columns.span(benchmark, late)
    if first is not None and first == second:
        return COMPARABLE
    newest = columns.rounds[-1]
    if round_order(late) > round_order(newest):
        if first is not None and first < len(columns.spans[benchmark]) - 1:
            return Compatibility("changed", _changed(benchmark, early, late))
        return Compatibility("unknown", f"{TABLE} ends with {newest}: {early} to {late} is not confirmed")
    if first is not None and second is not None:
        return Compatibility("changed", _changed(benchmark, early, late))
    absent = early if first is None else late
    return Compatibility("unknown", f"{TABLE} has no {benchmark} in {absent}")


def _changed(benchmark: str, early: str, late: str) -> str:
    return f"{benchmark} changed between {early} and {late} ({TABLE})"


@cache
def _table() -> Mapping[tuple[str, str], _Columns]:
    import tomllib  # noqa: PLC0415 - only when two rounds meet

    raw = tomllib.loads(Path(__file__).with_name("comparability.toml").read_text(encoding="utf-8"))
    return {
        (suite, system_type): _Columns(tuple(part["rounds"]), _spans(part["spans"]))
        for suite, parts in raw.items()
        for system_type, part in parts.items()
    }


def _spans(raw: Mapping[str, Sequence[Sequence[str]]]) -> Mapping[str, tuple[tuple[str, str], ...]]:
    return {name: tuple((first, last) for first, last in spans) for name, spans in raw.items()}


def benchmarks(suite: str) -> tuple[str, ...]:
    """Return the benchmarks of a suite that the table names, sorted."""
    return tuple(
        sorted({name for (held, _), part in _table().items() if held == suite for name in part.spans})
    )
