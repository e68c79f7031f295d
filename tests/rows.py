"""Results and tables for tests, in our own words: one plain row, changed as a test needs."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from watcher.domain import Result, Table

COLUMNS = frozenset(Result.__struct_fields__) - {"first_seen_at", "extra", "measures"}

PLAIN = Result(
    suite="inference",
    round="v6.1",
    division="closed",
    availability="available",
    submitter="Acme",
    platform="acme-rack-8",
    benchmark_published="deepseek-r1",
    benchmark="deepseek-r1",
    scenario="Server",
    value=1000.0,
    unit="tokens/s",
    unit_published="Tokens/s",
    better="higher",
    system_type=("datacenter",),
    organisations=("Acme",),
    system_name="Acme Rack",
    accelerator="b300",
    accelerators=("b300",),
    accelerator_published="NVIDIA B300",
    accelerator_count=8,
)


def row(**given: Any) -> Result:
    """Return the plain row with some fields changed."""
    return replace(PLAIN, **given)


def table(*results: Result, columns: frozenset[str] = COLUMNS, **given: Any) -> Table:
    """Return a table of these rows, of the first one's suite and round."""
    first = results[0] if results else PLAIN
    return Table(first.suite, first.round, tuple(results), columns, **given)


def rows(count: int, **given: Any) -> tuple[Result, ...]:
    """Return so many rows of different platforms and values."""
    return tuple(row(platform=f"rack-{n}", value=1000.0 + n, **given) for n in range(count))
