"""What is kept as bytes, packed as zlib's streams.

ISA-L writes them in a fraction of zlib's time, about as large as zlib at its level 3. Where it cannot be had (it is made
for x86-64 and ARM64), zlib does the same; either's are read by both, and by every older program.
"""

from __future__ import annotations

import zlib

try:
    from isal.isal_zlib import compress
except ImportError:  # another machine than those two
    from zlib import compress

from watcher.store.codec import damaged


def pack(data: bytes) -> bytes:
    """Return bytes packed, for speed more than for size."""
    return compress(data, 1)


def unpack(packed: bytes) -> bytes:
    """Return what was packed. Raises StateError for anything else."""
    try:
        return zlib.decompress(packed)
    except (zlib.error, TypeError) as error:
        raise damaged(f"what is kept of a page does not unpack: {error}") from error
