"""States as older programs left them: a newer one with its last steps taken back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from watcher.domain import Result
from watcher.migrations import _VIEWS

_WIDE = ", ".join(
    (
        "results.id", "table_id", "key", "digest", "snapshot", "ended", "ended_as", "missing_since", "row_digest",
        *Result.__struct_fields__,
    )
)  # fmt: skip
_TAKEN_BACK = {
    "m007_compared_rows": (
        "ALTER TABLE results ADD COLUMN digest TEXT NOT NULL DEFAULT 'of the row'",
        "DROP INDEX results_benchmark",
        "CREATE INDEX results_cell ON results (benchmark, scenario) WHERE ended IS NULL",
        "CREATE INDEX results_machine ON results (machine)",
    ),
    "m006_machines": (
        "DROP VIEW current_results",
        f"CREATE TABLE wide AS SELECT {_WIDE} FROM results JOIN machines ON machines.id = machine ORDER BY results.id",
        "DROP TABLE results",
        "DROP TABLE machines",
        "ALTER TABLE wide RENAME TO results",
        f"CREATE VIEW current_results AS {_VIEWS['current_results']}",
    ),
    "m005_entries": ("ALTER TABLE results DROP COLUMN entry",),
    "m004_row_digests": (
        "ALTER TABLE results DROP COLUMN row_digest",
        "ALTER TABLE tables DROP COLUMN reader",
    ),
}


def take_back(place: Path, step: str) -> None:
    """Bring a closed state back to what it was before ``step``."""
    with closing(sqlite3.connect(place)) as raw, raw:
        for name, statements in _TAKEN_BACK.items():
            for statement in statements:
                raw.execute(statement)
            raw.execute("DELETE FROM _sqlite_migrations WHERE name = ?", (name,))
            if name == step:
                return
