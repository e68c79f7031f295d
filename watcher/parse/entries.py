"""The number of an entry, as a table's column and a vendor's footnote print it: "5.1-0072", "v4.1-0047".

The first part is the round, the second counts its entries. A number is of one system, and only in one revision of the
table: the next one may count anew. So it says which row somebody meant, and is no part of what the row says.
"""

from __future__ import annotations

import re

_NUMBER = r"v?(\d{1,2}\.\d-\d{4})"
PRINTED = re.compile(rf"(?<![\d.]){_NUMBER}(?!\d)", re.IGNORECASE)
"""A number in a text; its group is the number as we write it, without the v."""
_CELL = re.compile(rf"\s*{_NUMBER}\s*", re.IGNORECASE)


class Numbers(dict[str, "str | None"]):
    """The cells of a table's column of numbers → the number as we write it, each distinct cell read once."""

    def __missing__(self, cell: str) -> str | None:
        found = _CELL.fullmatch(cell)
        self[cell] = found[1] if found else None
        return self[cell]

    def of(self, cell: object) -> str | None:
        """The number in a cell, null where it holds anything else."""
        return self[cell] if isinstance(cell, str) else None
