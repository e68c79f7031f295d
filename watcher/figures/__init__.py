"""Derived figures, pure: comparison, scaling, gain, power, record; what to handle with care; what a change did to them.

Everything here is a function of `watcher.domain.Result` values. The order of rows never matters; ties go to the
platform's name. How each figure is computed, with its unit, direction and source: docs/figures.md.
"""

from __future__ import annotations

from watcher.figures.filters import EVERYTHING, FILTER_FIELDS, Filter
from watcher.figures.selectors import SystemSelector, parse_system, selector_of
from watcher.figures.wanted import DERIVED_KINDS, NOTHING, PER, ComparisonSpec, Derived, Wanted

__all__ = [
    "DERIVED_KINDS",
    "EVERYTHING",
    "FILTER_FIELDS",
    "NOTHING",
    "PER",
    "ComparisonSpec",
    "Derived",
    "Filter",
    "SystemSelector",
    "Wanted",
    "parse_system",
    "selector_of",
]
