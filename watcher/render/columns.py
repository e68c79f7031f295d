"""Columns of tables: numbers with equal decimals, counts, and short names of rows."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain import Result
from watcher.figures.selectors import DEFAULT_SUITE
from watcher.figures.words import system_words

NONE = "–"


def numbers(values: Sequence[float | None]) -> list[str]:
    """Write a column of values with equal decimals, enough for three digits of the smallest; null as a dash."""
    sizes = [abs(value) for value in values if value]
    smallest = min(sizes, default=1.0)
    decimals = next((d for d, bound in enumerate((1000, 100, 10, 1, 0.1, 0.01)) if smallest >= bound), 6)
    return [NONE if value is None else f"{value:,.{decimals}f}" for value in values]


def numbers_apart(values: Sequence[float | None], names: Sequence[str]) -> list[str]:
    """Write a column that holds several benchmarks: equal decimals within each of ``names``."""
    written: dict[int, str] = {}
    for name in set(names):
        places = [index for index, other in enumerate(names) if other == name]
        written |= zip(places, numbers([values[index] for index in places]), strict=True)
    return [written[index] for index in range(len(names))]


def count_words(count: int | None) -> str:
    """Write a count of accelerators; null as a dash."""
    return NONE if count is None else f"{count:,}"


def benchmark_words(row: Result) -> str:
    """Name a benchmark with its accuracy target, and its suite where that is not inference: ``llama2-70b 99.9``."""
    name = f"{row.benchmark} {row.accuracy_target}" if row.accuracy_target else row.benchmark
    return name if row.suite == DEFAULT_SUITE else f"{name} ({row.suite})"


def side_words(row: Result) -> str:
    """Name a side of a comparison: ``NVIDIA vera-rubin-nvl72 v6.1``."""
    return f"{row.submitter} {system_words(row)} {row.round}"
