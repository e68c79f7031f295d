"""Names of rows as people write them, each looked up once: a table has thousands of cells and few names."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from watcher.domain import Result
from watcher.figures.selectors import DEFAULT_SUITE
from watcher.render import words

NO_ACCELERATOR = "none"
"""What rows without accelerators are filtered by."""


@lru_cache(maxsize=4096)
def title(kind: str, name: str) -> str:
    """Return how people write a catalog name, a name that is not in the catalog as it is; see `words.title`."""
    return words.title(kind, name)


def benchmark(row: Result) -> str:
    """Return a benchmark with its accuracy target: "Llama 2 70B 99.9"."""
    name = title("benchmark", row.benchmark)
    return f"{name} {row.accuracy_target}" if row.accuracy_target else name


def submitter(row: Result) -> str:
    """Return whose row it is."""
    return words.submitter(row)


def accelerator(row: Result) -> str:
    """Return the accelerator, the parts of a mixed system, or "CPU only"."""
    if row.accelerator is not None:
        return title("accelerator", row.accelerator)
    return " + ".join(title("accelerator", name) for name in row.accelerators) or "CPU only"


def system(row: Result) -> str:
    """Return the system: "Vera Rubin NVL72", "36 Vera Rubin", or the processor of a row without accelerators."""
    if row.system is not None:
        return title("system", row.system)
    if row.accelerator is None and not row.accelerators:
        return words.system(row)
    return f"{row.accelerator_count:,} {accelerator(row)}" if row.accelerator_count else accelerator(row)


def machine(row: Result) -> str:
    """Return whose system it is: "Nebius, 36 Vera Rubin"."""
    return f"{submitter(row)}, {system(row)}"


def where(row: Result) -> str:
    """Return benchmark and scenario: "DeepSeek-R1 Server"."""
    return f"{benchmark(row)} {row.scenario or ''}".rstrip()


def suite_round(suite: str, round: str) -> str:
    """Return "MLPerf Inference v6.1"."""
    return f"{title('suite', suite)} {round}"


def short_round(suite: str, round: str) -> str:
    """Return "v6.1" for inference, "Training v5.1" for others."""
    return round if suite == DEFAULT_SUITE else f"{title('suite', suite).removeprefix('MLPerf ')} {round}"


def capital(text: str) -> str:
    """Return ``text`` with its first letter as a capital."""
    return words.capital(text)


def minute(at: datetime | None) -> str:
    """Return a time to the minute: "2026-09-16 15:05"."""
    return words.NONE if at is None else f"{at:%Y-%m-%d %H:%M}"
