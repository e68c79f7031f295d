"""What a text claims, in the few fields that a test is about."""

from __future__ import annotations

from typing import Any

from watcher.catalog.names import load
from watcher.claims import extract

CATALOG = load()


def told(text: str, *fields: str, round: str = "v6.1") -> list[tuple[Any, ...]]:
    """For each claim of a text its value and the fields asked for."""
    return [(c.value, *(getattr(c, f) for f in fields)) for c in extract(text, catalog=CATALOG, round=round)]
