"""What claims are read with, from its prepared form; gathered anew where that is of another catalog, or of other words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from watcher.catalog import prepared
from watcher.claims.spellings import Spelled

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

_HERE = Path(__file__).parent
FILE = _HERE / "prepared.json"
_MADE_OF = tuple(
    _HERE / name for name in ("words.yaml", "gathered.py", "kinds.py", "spellings.py", "telling.py")
)


def spelled_over(catalog: Catalog) -> Spelled:
    """Every spelling of a catalog and of words.yaml. A user's own names have no prepared form."""
    found = prepared.read(FILE, Spelled, stamp_over(catalog))
    if found is None:
        from watcher.claims.gathered import gather  # noqa: PLC0415 - only where nothing is prepared

        return gather(catalog)
    return found


def stamp_over(catalog: Catalog) -> str | None:
    """The stamp of all that the spellings over a catalog are made of."""
    return prepared.stamp_of(_MADE_OF, catalog.stamp)
