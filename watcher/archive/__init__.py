"""Rounds published long ago, as facts: a baseline that gives a new state its history at once.

The files beside this module hold figures and names in our own columns (README.md lists them); what the catalog makes
of a name is decided when they are loaded, as for a live table.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from watcher.catalog.names import Catalog
from watcher.catalog.names import load as load_catalog
from watcher.domain import Table
from watcher.errors import StateError, UsageError

FOLDER = Path(__file__).parent
SUFFIX = ".csv.gz"


@cache
def rounds() -> tuple[tuple[str, str], ...]:
    """The (suite, round) pairs in the archive, a suite at a time, oldest first."""
    names = sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))
    found = [(suite, round_) for suite, _, round_ in (name.partition("_") for name in names)]
    return tuple(sorted(found, key=lambda pair: (pair[0], _age(pair[1]))))


def load(suite: str, round: str, *, catalog: Catalog | None = None) -> Table:
    """The archived table of a round; its ``columns`` say what the archive knows (no notes, no accuracy).

    Raises UsageError for a round that is not in the archive, StateError if its file is damaged.
    """
    if (suite, round) not in rounds():
        held = ", ".join(f"{s} {r}" for s, r in rounds())
        raise UsageError(f"{suite} {round} is not in the archive; it holds {held}")
    from watcher.archive.columns import decode  # noqa: PLC0415 - csv and zlib only when a table is loaded

    path = FOLDER / f"{suite}_{round}{SUFFIX}"
    try:
        return decode(path.read_bytes(), suite, round, catalog or load_catalog())
    except (OSError, ValueError, EOFError) as error:
        raise StateError(f"{path}: the archive is damaged ({error}); install the program again") from error


def _age(round_: str) -> tuple[int, ...]:
    return tuple(int(part) for part in round_.removeprefix("v").split(".") if part.isdigit())
