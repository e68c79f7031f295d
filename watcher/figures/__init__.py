"""Derived figures, pure: comparison, scaling, gain, power, record; what to handle with care; what a change did to them.

Everything here is a function of `watcher.domain.Result` values. The order of rows never matters; ties go to the
platform's name. How each figure is computed, with its unit, direction and source: docs/figures.md.
"""

from __future__ import annotations

from watcher.figures.compare import compare
from watcher.figures.derive import derive
from watcher.figures.filters import EVERYTHING, FILTER_FIELDS, Filter
from watcher.figures.gains import gains, highest
from watcher.figures.grounds import by_ground
from watcher.figures.power import power, power_limits
from watcher.figures.records import beaten, records
from watcher.figures.scaling import scaling
from watcher.figures.selectors import SystemSelector, parse_system, selector_of
from watcher.figures.vendor import over_vendor, vendors
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
    "beaten",
    "by_ground",
    "compare",
    "derive",
    "gains",
    "highest",
    "over_vendor",
    "parse_system",
    "power",
    "power_limits",
    "records",
    "scaling",
    "selector_of",
    "vendors",
]
