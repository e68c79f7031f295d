"""What a table under embargo touches is left out of a report whole: no row, alert, claim or name of it may leave."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct

from watcher.domain import Alert, CheckedClaim, Event, NewName, PublishedRound, Result
from watcher.figures.selectors import DEFAULT_SUITE, fold

Rounds = Collection[tuple[str, str]]
"""(suite, round) of the tables under embargo."""


def touched(found: Any, private: Rounds) -> bool:
    """Whether a value (an alert, a claim, a figure) stands on or names anything of a table under embargo."""
    if not private:
        return isinstance(found, Alert) and any(event.private for event in found.events)
    if isinstance(found, Event) and found.private:
        return True
    if isinstance(found, Result | PublishedRound | NewName):
        return (found.suite, found.round) in private
    if isinstance(found, CheckedClaim) and _about(found, private):
        return True
    return any(touched(part, private) for part in _parts(found))


def _about(checked: CheckedClaim, private: Rounds) -> bool:
    """Whether a claim names a round under embargo: bare for inference, or with its suite."""
    full = {fold(name if suite == DEFAULT_SUITE else f"{suite}-{name}") for suite, name in private}
    claim = checked.claim
    return any(fold(name) in full for name in (claim.round, claim.baseline_round) if name)


def _parts(found: Any) -> Iterable[Any]:
    if isinstance(found, Struct):
        return [getattr(found, name) for name in found.__struct_fields__]
    if isinstance(found, Mapping):
        return found.values()
    if isinstance(found, tuple | list | frozenset | set):
        return found
    return ()
