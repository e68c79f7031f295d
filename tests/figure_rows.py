"""Rows for tests of figures: one plausible result, and changes to it in the field's words."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from watcher.catalog.names import Catalog, load
from watcher.domain import Result, ResultKey
from watcher.figures import Derived, Wanted, by_ground, derive

REAL_TABLES = {
    "v5.1": "inference_v5.1_summary_results.json.gz",
    "v6.0": "inference_v6.0_summary_results.json.gz",
    "v6.1": "inference_v6.1_summary.json.gz",
}


def row(**changes: Any) -> Result:
    """A closed datacenter row of 72 accelerators; a submitter or accelerator brings its own lists along."""
    fields: dict[str, Any] = {
        "suite": "inference",
        "round": "v6.1",
        "division": "closed",
        "availability": "available",
        "submitter": "NVIDIA",
        "platform": "GB300-NVL72",
        "benchmark_published": changes.get("benchmark", "deepseek-r1"),
        "benchmark": "deepseek-r1",
        "scenario": "Offline",
        "value": 720.0,
        "unit": "tokens/s",
        "better": "higher",
        "system_type": ("datacenter",),
        "accelerator": "gb300",
        "accelerator_count": 72,
        "software_published": "TensorRT-LLM 1.2",
        "software": ("tensorrt-llm",),
        "precision": ("fp4",),
        **changes,
    }
    fields.setdefault("organisations", (fields["submitter"],))
    fields.setdefault("accelerators", (fields["accelerator"],) if fields["accelerator"] else ())
    if fields["accelerator"] == "gb300" and fields["accelerator_count"] == 72:
        fields.setdefault("system", "gb300-nvl72")
    return Result(**fields)


def latency(**changes: Any) -> Result:
    """A single-stream row, where lower is better."""
    return row(**{"scenario": "SingleStream", "unit": "ms", "better": "lower", "value": 8.0, **changes})


def derived(
    before: Iterable[Result], after: Iterable[Result], touched: Collection[ResultKey], wanted: Wanted
) -> tuple[Derived, ...]:
    """What moved among the figures of these rows."""
    return derive(by_ground(before), by_ground(after), touched, wanted)


@cache
def catalog() -> Catalog:
    """The packaged catalog."""
    return load()


@cache
def real_results(folder: Path, *rounds: str) -> tuple[Result, ...]:
    """All results of the real tables of ``rounds`` (all three if none is named)."""
    from watcher.parse import read_table  # noqa: PLC0415 - only tests on real tables read any

    return tuple(
        result
        for name in (rounds or REAL_TABLES)
        for table in read_table(
            (folder / "mlperf" / REAL_TABLES[name]).read_bytes(), name=REAL_TABLES[name], catalog=catalog()
        )
        for result in table.results
    )
