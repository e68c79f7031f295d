"""Published rows that are known already: told by a digest of the row as published, without reading it.

A table's rows hardly ever change, and reading one costs many times its digest. So what is held of a result keeps the
digest of the published row that it was read from, and when the table comes again, a row of the same digest is
recognised. That holds only under the same reader (`reader_stamp`), and only for a result that is made of one row:
twins with a power figure, repeated and contradicting rows are always read, as they are judged together.
"""

from __future__ import annotations

import hashlib
import marshal
from collections import Counter
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from watcher import __version__
from watcher.domain import KnownRows, ResultKey
from watcher.parse.shapes import RUN_FACTS, Shape

_FORMAT = 2  # of marshal: without references, so that equal rows have equal bytes


def reader_stamp(*decides: object) -> str:
    """A stamp of all that decides how a row is read beside the row itself: this program's version and ``decides``."""
    return hashlib.blake2b(repr((__version__, *decides)).encode(), digest_size=12).hexdigest()


class Layout:
    """What rows of the same columns have in common; most tables have one or two layouts.

    ``unknown``: columns that the shape does not have. Columns that the shape knows to say nothing of their own (links,
    running numbers, checks) do not count for a row's digest: with a row added, all after it may be numbered anew.
    """

    __slots__ = ("_machine", "_run", "_start", "unknown")

    def __init__(self, columns: Sequence[str], shape: Shape) -> None:
        describing = {column for fact, column in shape.columns.items() if fact not in RUN_FACTS}
        machine = sorted(describing.intersection(columns))
        run = sorted(set(columns) - shape.derived - describing)
        self.unknown = tuple(c for c in columns if c not in shape.known)
        self._machine, self._run = _cells(machine), _cells(run)
        self._start = hashlib.blake2b(marshal.dumps((machine, run), _FORMAT), digest_size=12)

    def machine(self, row: dict[str, Any]) -> bytes:
        """The cells that describe a row's machine as bytes. Raises ValueError for one that is nested too deeply."""
        return marshal.dumps(self._machine(row), _FORMAT)

    def digest(self, row: dict[str, Any], machine: bytes) -> bytes:
        """A digest of a row as published, its cells not yet cleaned; ``machine`` is the row's own. Raises as that."""
        made = self._start.copy()
        made.update(machine)
        made.update(marshal.dumps(self._run(row), _FORMAT))
        return made.digest()


def _cells(columns: Sequence[str]) -> Callable[[dict[str, Any]], Any]:
    return itemgetter(*columns) if columns else lambda _row: ()


def told_by_digest(digests: Sequence[bytes], known: KnownRows | None, reader: str) -> dict[int, ResultKey]:
    """Which rows are known: their place among ``digests`` → the key of their result.

    A digest that stands twice is of a repeated row, which is to be read and set aside by name.
    """
    if known is None or known.reader != reader:
        return {}
    keys = known.keys()
    found = {place: keys[digest] for place, digest in enumerate(digests) if digest in keys}
    if len(set(found.values())) == len(found):
        return found
    count = Counter(found.values())
    return {place: key for place, key in found.items() if count[key] == 1}
