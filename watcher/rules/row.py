"""One row of the FIELDS table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

TYPES = ("text", "name", "number", "flag", "time", "power")


class Row(Struct, frozen=True):
    """What a field is, apart from where it stands.

    ``type``: text, name (known to the catalog under the kinds in ``names``), number, flag, time, or power (asked only
    whether it exists). ``get`` takes the thing that has the field. ``many``: it holds a list, and matches if any
    element does. ``before``: the state before a change is a field too, before.NAME. ``choices``: the only words it can hold. ``alike``: ``get`` returns the word to print and after it
    others that match too. ``prose``: ``contains`` means whole words. ``published``: the field where a name unknown to
    the catalog can be sought. ``weight``: how far from a rule a subject is that fails on it, for nearest misses.
    ``absent``: words to add when nothing is held.
    """

    name: str
    type: str
    get: Callable[[Any], Any]
    help: str
    many: bool = False
    names: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    alike: bool = False
    prose: bool = False
    published: str | None = None
    before: bool = False
    weight: int = 2
    absent: Callable[[Any], str | None] | None = None
