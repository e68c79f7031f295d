"""Short names and numbers for sentences about figures; plain text, in no language but the field's."""

from __future__ import annotations

from watcher.domain import Result


def number(value: float) -> str:
    """Write a published value for a sentence: ``1,183,260``, ``1,306.6``, ``349.29``, ``0.0589``; never an exponent."""
    size = abs(value)
    if size >= 10_000 or (size >= 1000 and value == int(value)):
        return f"{value:,.0f}"
    if size >= 1000:
        return f"{value:,.1f}"
    if size >= 1:
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{value:.3g}" if size >= 0.001 or size == 0 else f"{value:.9f}".rstrip("0")


def exact(value: float) -> str:
    """Write a value with every digit that tells it apart: ``516.012``, ``1,183,262.5``."""
    return f"{value:,.12g}" if 0.0001 <= abs(value) < 1e12 else repr(value)


def system_words(result: Result) -> str:
    """Name the system of a row: its catalog system, else accelerator x count, else the platform."""
    if result.system is not None:
        return result.system
    if result.accelerator is not None:
        count = f" x{result.accelerator_count}" if result.accelerator_count else ""
        return f"{result.accelerator}{count}"
    return result.platform


def who(result: Result) -> str:
    """Name whose row it is: ``NVIDIA gb300-nvl72 v6.1``."""
    return f"{result.submitter} {system_words(result)} {result.round}"
