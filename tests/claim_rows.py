"""Rows that claims are held against."""

from __future__ import annotations

from typing import Any

from watcher.domain import Result


def row(accelerator: str, value: float, **fields: Any) -> Result:
    """A row of Llama 2 70B in Offline on eight of an accelerator, by its vendor, in the round v6.1; ``fields``: what is else."""
    given = {
        "suite": "inference", "round": "v6.1", "division": "closed", "availability": "available", "submitter": "NVIDIA", "platform": f"{accelerator}-{value}",
        "benchmark_published": "llama2-70b-99.9", "benchmark": "llama2-70b", "scenario": "Offline", "unit": "tokens/s", "better": "higher",
        "accelerator": accelerator, "accelerators": (accelerator,), "accelerator_count": 8,
    }  # fmt: skip
    return Result(value=value, **{**given, **fields})
