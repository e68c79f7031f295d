"""Writes the prepared forms of the catalog and of the words of claims; run by hand when one of their files was edited.

    python -m watcher.claims.prepare

A form that was not written anew is no error: it is passed over, and a pass takes longer.
"""

from __future__ import annotations

from watcher.catalog import ours, prepared
from watcher.catalog.names import load
from watcher.claims.gathered import gather
from watcher.claims.prepared import FILE, stamp_over


def prepare() -> None:
    """Write both forms beside the files that they are made of."""
    for file, form, stamp in (
        (ours.FILE, ours.gather(), ours.stamp_of_form()),
        (FILE, gather(load()), stamp_over(load())),
    ):
        if stamp is not None:
            prepared.write(file, form, stamp)


if __name__ == "__main__":
    prepare()
