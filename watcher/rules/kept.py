"""Loaded rules as JSON, so that no pass need read and check their files again: as the state keeps them, and those that we ship."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from watcher.rules.load import RuleFile, digest, load_files
from watcher.rules.rule import Rule, RuleSet

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

FILE = Path(__file__).with_name("prepared.json")


class _Kept(Struct, frozen=True):
    """The parts of a RuleSet. ``stamp``: of all that decides what the files say."""

    stamp: str
    rules: tuple[Rule, ...]
    digest: str
    vendors: frozenset[tuple[str, str]]


def to_text(rules: RuleSet, stamp: str) -> str:
    """Return rules as JSON. ``stamp``: a hash over their files and all else that decides what these say."""
    kept = _Kept(stamp, rules.rules, rules.digest, rules.vendors)
    return Encoder(order="deterministic").encode(kept).decode()


def from_text(text: str | None, stamp: str) -> RuleSet | None:
    """Return the rules of `to_text`; None if there are none, none of this stamp, or what is there cannot be read."""
    if text is None:
        return None
    try:
        kept = _decoder().decode(text)
    except DecodeError:
        return None
    return RuleSet(kept.rules, kept.digest, kept.vendors) if kept.stamp == stamp else None


def shipped(files: Collection[RuleFile], catalog: Catalog) -> RuleSet | None:
    """Return the rules of the files that we ship, from their prepared form; None where ``files`` say something else.

    Their places are names of files alone. No rule of ours names a receiver, so there is nothing else to check.
    """
    try:
        text = FILE.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    return from_text(text, _stamp_of(_named(files), catalog))


def prepare(files: Collection[RuleFile], catalog: Catalog) -> None:
    """Write the prepared form of the files that we ship. Raises RuleError."""
    named = _named(files)
    text = to_text(load_files(named, catalog, ()), _stamp_of(named, catalog))
    FILE.write_text(text.replace('},{"id":', '},\n{"id":') + "\n", encoding="utf-8")


def _named(files: Collection[RuleFile]) -> list[RuleFile]:
    """The files by their own names, wherever they lie: a user's unchanged copies say the same."""
    return [replace(file, name=Path(file.name).name) for file in files]


def _stamp_of(files: Collection[RuleFile], catalog: Catalog) -> str:
    return f"{digest(files)} {catalog.stamp}"


@cache
def _decoder() -> Decoder[_Kept]:
    return Decoder(_Kept)
