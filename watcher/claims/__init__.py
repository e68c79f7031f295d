"""Claims: what a vendor's sentence says, and what it is worth against the rows. Vocabulary and limits: docs/claims.md."""

from __future__ import annotations

from watcher.claims.check import check
from watcher.claims.extract import extract
from watcher.claims.verdicts import alike

__all__ = ["alike", "check", "extract"]
