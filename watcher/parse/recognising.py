"""Published rows that are known already: told by a digest of the row as published, without reading it.

A table's rows hardly ever change, and reading one costs many times its digest. So what is held of a result keeps the
digest of the published row that it was read from, and when the table comes again, a row of the same digest is
recognised. That holds only under the same reader (`reader_stamp`), and only for a result that is made of one row:
twins with a power figure, repeated and contradicting rows are always read, as they are judged together.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from watcher import __version__
from watcher.domain import KnownRows


def reader_stamp(*decides: object) -> str:
    """A stamp of all that decides how a row is read beside the row itself: this program's version and ``decides``."""
    return hashlib.blake2b(repr((__version__, *decides)).encode(), digest_size=12).hexdigest()


def told_by_digest(digests: Sequence[bytes], known: KnownRows | None, reader: str) -> dict[int, int]:
    """Which rows are known: their place among ``digests`` → the version of their result.

    A digest that stands twice is of a repeated row, which is to be read and set aside by name.
    """
    if known is None or known.reader != reader:
        return {}
    held = known.digests
    found = {place: held[digest] for place, digest in enumerate(digests) if digest in held}
    if len(set(found.values())) == len(found):
        return found
    count = Counter(found.values())
    return {place: version for place, version in found.items() if count[version] == 1}
