"""Our own catalog files: what they hold, from its prepared form or from the files."""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from watcher.catalog import files, prepared
from watcher.catalog.entries import Entry, Round, Units

FILE = files.OURS / "prepared.json"


class Ours(Struct, frozen=True):
    """All that our files hold: entries by kind and name, the units, and the calendar, in the files' order."""

    entries: dict[str, dict[str, Entry]]
    units: Units
    rounds: tuple[Round, ...]


def gather() -> Ours:
    """Read all files."""
    entries = {kind: files.read_entries(files.OURS, kind, {}) for kind in files.FILES}
    return Ours(
        entries, files.read_units(files.OURS, Units()), tuple(files.read_rounds(files.OURS, {}).values())
    )


@cache
def stamp() -> str:
    """A hash over all our files."""
    return files.stamp(files.OURS)


def stamp_of_form() -> str | None:
    """The stamp of all that the prepared form is made of."""
    return prepared.stamp_of((files.OURS / "files.py", files.OURS / "entries.py"), stamp())


@cache
def _prepared() -> Ours | None:
    return prepared.read(FILE, Ours, stamp_of_form())


@cache
def entries(kind: str) -> dict[str, Entry]:
    """Our entries of a kind by name."""
    found = _prepared()
    return files.read_entries(files.OURS, kind, {}) if found is None else found.entries[kind]


@cache
def units() -> Units:
    """Our units."""
    found = _prepared()
    return files.read_units(files.OURS, Units()) if found is None else found.units


@cache
def rounds() -> dict[tuple[str, str], Round]:
    """Our calendar, by (suite, name)."""
    found = _prepared()
    if found is None:
        return files.read_rounds(files.OURS, {})
    return {(each.suite, each.name): each for each in found.rounds}
