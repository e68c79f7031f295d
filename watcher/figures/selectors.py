"""Naming a system: ``[SUBMITTER/]NAME[xCOUNT][@ROUND]``, as text on the command line or as fields in a rule.

NAME is a catalog name (or any alias) of an accelerator, or of a system, which means its exact count; ``cpu`` names
the rows that have no accelerator. ROUND may carry its suite (``training-v5.1``); bare it means inference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from watcher.domain import Result
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

CPU = "cpu"
DEFAULT_SUITE = "inference"
FORM = "[SUBMITTER/]NAME[xCOUNT][@ROUND]"
SELECTOR_FIELDS = ("submitter", "accelerator", "system", "accelerator_count", "suite", "round")

_COUNTED = r"(?i)(?P<name>.+?)\s*[x×](?P<count>[1-9]\d*)"
_ROUND = r"(?i)(?:(?P<suite>[a-z][a-z_-]*?)[-_/ ])?(?P<round>v?\d+(?:\.\d+)+)"


class SystemSelector(Struct, frozen=True, kw_only=True):
    """Which rows are meant; a field that is null matches everything.

    ``name`` is what people call it (catalog name of the system or accelerator, or ``cpu``), ``accelerator`` the
    catalog name of the accelerator and ``accelerator_count`` the exact number of them.
    """

    submitter: str | None = None
    name: str | None = None
    accelerator: str | None = None
    accelerator_count: int | None = None
    suite: str | None = None
    round: str | None = None

    def matches(self, result: Result) -> bool:
        """Tell whether ``result`` is meant. A mixed system is never meant by the name of one of its parts."""
        return self.matches_system(result) and not is_mixed(result)

    def matches_system(self, result: Result) -> bool:
        """As `matches`, but a mixed system counts as meant by the name of each of its parts."""
        if self.suite is not None and result.suite != self.suite:
            return False
        if self.round is not None and result.round != self.round:
            return False
        if self.name == CPU and (result.accelerator is not None or result.accelerators):
            return False
        if self.accelerator is not None and self.accelerator not in (
            result.accelerator,
            *result.accelerators,
        ):
            return False
        if self.accelerator_count is not None and result.accelerator_count != self.accelerator_count:
            return False
        return self.submitter is None or submitted_by(result, self.submitter)

    def __str__(self) -> str:
        """Return the text form; parsing it gives an equal selector."""
        text = f"{self.submitter}/" if self.submitter else ""
        text += self.name or self.accelerator or "*"
        if self.accelerator_count is not None and self.name == self.accelerator:
            text += f"x{self.accelerator_count}"
        if self.round is None:
            return text if self.suite is None else f"{text}@{self.suite}"
        suite = f"{self.suite}-" if self.suite not in (None, DEFAULT_SUITE) else ""
        return f"{text}@{suite}{self.round}"


def is_mixed(result: Result) -> bool:
    """Tell whether the row ran on more than one kind of accelerator."""
    return len(result.accelerators) > 1


@lru_cache(maxsize=16_384)
def fold(text: str) -> str:
    """Fold a name for comparing: case, spaces and underscores do not count. Rows repeat a few thousand names."""
    return text.casefold().replace("_", " ").strip()


def submitted_by(result: Result, submitter: str) -> bool:
    """Tell whether ``submitter`` is the submitter as published or one of the organisations in it, case-folded."""
    wanted = fold(submitter)
    return wanted == fold(result.submitter) or any(wanted == fold(name) for name in result.organisations)


def parse_system(
    text: str, catalog: Catalog, *, suite: str = DEFAULT_SUITE, held: Iterable[Result] = ()
) -> SystemSelector:
    """Read ``[SUBMITTER/]NAME[xCOUNT][@ROUND]``.

    ``suite`` is what a bare ROUND belongs to. ``held``: results whose submitters and accelerators are valid names
    too, although the catalog has none for them. Raises UsageError naming the wrong part and the nearest right one.
    """
    held = tuple(held)
    rest, at, round_text = text.strip().partition("@")
    submitter_text, slash, name_text = rest.rpartition("/") if "/" in rest else ("", "", rest)
    if not name_text.strip() or (slash and not submitter_text.strip()) or (at and not round_text.strip()):
        raise UsageError(f"{text!r} is not a system: write {FORM}, for example NVIDIA/gb300x288@v6.1")
    submitter = _submitter(submitter_text.strip(), catalog, held) if slash else None
    name, accelerator, count = _named(name_text.strip(), catalog, held)
    named_suite, round_name = _round(round_text.strip(), catalog, suite) if at else (None, None)
    return SystemSelector(
        submitter=submitter,
        name=name,
        accelerator=accelerator,
        accelerator_count=count,
        suite=named_suite,
        round=round_name,
    )


def selector_of(fields: Mapping[str, Any], catalog: Catalog) -> SystemSelector:
    """Make a selector of a rule's mapping, such as ``{system: gb300-nvl72, submitter: NVIDIA}``.

    Keys are SELECTOR_FIELDS; raises UsageError for another key or a name that is not known.
    """
    for key in fields:
        if key not in SELECTOR_FIELDS:
            raise UsageError(f"{key!r} does not name a system: use {', '.join(SELECTOR_FIELDS)}")
    if "system" in fields and ("accelerator" in fields or "accelerator_count" in fields):
        raise UsageError(
            "a system has its own accelerator and count: name the system, or the accelerator and count"
        )
    name = accelerator = count = None
    named = fields.get("system", fields.get("accelerator"))
    if named is not None:
        name, accelerator, count = _named(str(named), catalog, ())
    if fields.get("accelerator_count") is not None:
        count = int(fields["accelerator_count"])
    submitter = fields.get("submitter")
    suite, round_name = fields.get("suite"), fields.get("round")
    if round_name is not None:
        suite, round_name = _round(str(round_name), catalog, suite or DEFAULT_SUITE)
    return SystemSelector(
        submitter=_submitter(str(submitter), catalog, ()) if submitter is not None else None,
        name=name,
        accelerator=accelerator,
        accelerator_count=count,
        suite=suite,
        round=round_name,
    )


def _submitter(text: str, catalog: Catalog, held: tuple[Result, ...]) -> str:
    found = catalog.find("submitter", text)
    if found is not None:
        return found
    for result in held:
        if fold(text) == fold(result.submitter):
            return result.submitter
    raise UsageError(f"no submitter is called {text!r}{_nearest(catalog, text, 'submitter')}")


def _named(text: str, catalog: Catalog, held: tuple[Result, ...]) -> tuple[str, str | None, int | None]:
    """(name, accelerator, count) of NAME[xCOUNT]; the whole text is tried as a name first ("mi355x")."""
    whole = _name(text, catalog, held)
    if whole is not None:
        return whole
    counted = re.fullmatch(_COUNTED, text)
    part = _name(counted["name"], catalog, held) if counted else None
    if counted is None or part is None:
        wrong = counted["name"] if counted else text
        raise UsageError(
            f"no accelerator or system is called {wrong!r}{_nearest(catalog, wrong, 'accelerator', 'system')}"
        )
    name, accelerator, count = part
    if count is not None:
        raise UsageError(f"{name} already means {count} accelerators: write {accelerator}x{counted['count']}")
    if accelerator is None:
        raise UsageError(f"{name} has no accelerators to count: write {name} alone")
    return name, accelerator, int(counted["count"])


def _name(text: str, catalog: Catalog, held: tuple[Result, ...]) -> tuple[str, str | None, int | None] | None:
    if text.casefold() == CPU:
        return CPU, None, None
    system = catalog.find("system", text)
    if system is not None:
        entry = catalog.entry("system", system)
        return system, entry.accelerator, entry.count
    accelerator = catalog.find("accelerator", text)
    if accelerator is not None:
        return accelerator, accelerator, None
    for result in held:
        if result.accelerator is not None and fold(text) == fold(result.accelerator):
            return result.accelerator, result.accelerator, None
    return None


def _round(text: str, catalog: Catalog, suite: str) -> tuple[str, str]:
    match = re.fullmatch(_ROUND, text)
    if match is None:
        raise UsageError(f"{text!r} is not a round: write v6.1, or with its suite training-v5.1")
    number = match["round"].casefold()
    if match["suite"] is None:
        return suite, number if number.startswith("v") else f"v{number}"
    named = catalog.find("suite", match["suite"])
    if named is None:
        raise UsageError(f"no suite is called {match['suite']!r}{_nearest(catalog, match['suite'], 'suite')}")
    return named, number if number.startswith("v") else f"v{number}"


def _nearest(catalog: Catalog, text: str, *kinds: str) -> str:
    """Return ``; did you mean 'gb300'?`` with the nearest names of these kinds, or nothing."""
    near = [name for kind in kinds if (name := catalog.suggest(kind, text)) is not None]
    return f"; did you mean {' or '.join(repr(name) for name in dict.fromkeys(near))}?" if near else ""
