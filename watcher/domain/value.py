"""What all nouns that are recorded have in common."""

from __future__ import annotations

from msgspec import Struct


class Value(Struct, frozen=True, omit_defaults=True, tag=True, tag_field="type"):
    """A frozen value that can be recorded: as JSON it names its type, and leaves out what is as it would be anyway."""
