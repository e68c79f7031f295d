"""Writes the prepared forms of the catalog, of the words of claims and of our rules; run by hand when one of their files was edited.

    python -m watcher.prepare

A form that was not written anew is no error: it is passed over, and a pass takes longer.
"""

from __future__ import annotations

from watcher.catalog import ours, prepared
from watcher.catalog.names import load
from watcher.claims.gathered import gather
from watcher.claims.prepared import FILE, stamp_over
from watcher.config import packaged_rules
from watcher.rules import kept, read_files


def prepare() -> None:
    """Write each form; its files are those that it is made of."""
    for file, form, stamp in (
        (ours.FILE, ours.gather(), ours.stamp_of_form()),
        (FILE, gather(load()), stamp_over(load())),
    ):
        if stamp is not None:
            prepared.write(file, form, stamp)
    kept.prepare(read_files(packaged_rules()), load())


if __name__ == "__main__":
    prepare()
