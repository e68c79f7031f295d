"""Loaded rules as the state keeps them, so that a pass with news need not read and check their files again."""

from __future__ import annotations

from functools import cache

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder

from watcher.rules.rule import Rule, RuleSet


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


@cache
def _decoder() -> Decoder[_Kept]:
    return Decoder(_Kept)
