"""Which rows a claim's system means: by catalog name, count, server's name, generation or processor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher.claims.frame import suite_meant
from watcher.claims.lexicon import lexicon
from watcher.domain import Claim, Result
from watcher.figures.cells import newest, usable
from watcher.figures.selectors import submitted_by

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

_COUNTED = re.compile(r"(\d{1,6})\s?x\s+(.+)", re.IGNORECASE)
_PROCESSOR = re.compile(r"(?:(?:Xeon|EPYC)\s)?(\d{4}[A-Z+-]*)")
_WORDED = re.compile(r"[A-Z]{3,}\b|[a-z][A-Z]")  # what tells a server's name without digits from a word
_DROPPED = re.compile(r"[\W_]+")
SHORT = 3  # letters and digits of a name that must stand alone in a row's: "A4" is no part of "GA4X"


class Side(Struct, frozen=True):
    """One side of a claim. ``exact``: the name fixes the count (a rack, "8x B200"); ``count`` then says which."""

    name: str
    matches: Callable[[Result], bool]
    count: int | None = None
    exact: bool = False
    submitter: str | None = None
    round: str | None = None  # within its suite: "v6.1"
    loose: Callable[[Result], bool] | None = None  # the same name at any count

    def rows(self, results: Iterable[Result]) -> list[Result]:
        """The rows of this side, whoever submitted them."""
        return [row for row in results if self.matches(row)]

    def at_any_count(self) -> Side:
        """The side with any number of its accelerators, for figures per accelerator."""
        return self if self.loose is None else replace(self, matches=self.loose, exact=False)


def subject_of(claim: Claim, catalog: Catalog) -> Side | None:
    """The side that a claim speaks of; null where its name says nothing that a row could be found by."""
    return _side(claim.subject_system, claim.submitter, claim.accelerator_count, claim.round, catalog)


def baseline_of(claim: Claim, catalog: Catalog) -> Side | None:
    """The side that a claim is measured against, in its own round or an earlier one."""
    return _side(
        claim.baseline_system,
        claim.baseline_submitter,
        claim.baseline_accelerator_count,
        claim.baseline_round or claim.round,
        catalog,
    )


def _side(
    name: str | None, submitter: str | None, count: int | None, round: str | None, catalog: Catalog
) -> Side | None:
    number = round.rpartition("-")[2] if round else None
    if name is None:
        if submitter is None:
            return None
        return Side(submitter, lambda row: submitted_by(row, submitter), submitter=submitter, round=number)
    found = _named(name, count, catalog)
    if found is None:
        return None
    matches, size, exact = found
    return Side(name, matches, size, exact, submitter, number, _loose(name, catalog) if exact else None)


def rack_of(name: str, catalog: Catalog) -> int | None:
    """How many accelerators the system of a name has ("GB300 NVL72": 72); null where the name is no system's with a count."""
    counted = _COUNTED.fullmatch(name)
    system = catalog.find("system", counted[2] if counted else name)
    return catalog.entry("system", system).count if system is not None else None


def family_of(name: str | None, catalog: Catalog) -> frozenset[str]:
    """The accelerators of the generations that a generation's name begins: Blackwell Ultra's, for "Blackwell"."""
    if name is None:
        return frozenset()
    generations = {a: catalog.entry("accelerator", a).generation or "" for a in catalog.names("accelerator")}
    return frozenset(a for a, generation in generations.items() if generation.startswith(f"{name} "))


def _loose(name: str, catalog: Catalog) -> Callable[[Result], bool] | None:
    """The accelerator of a name, whatever the count."""
    counted = _COUNTED.fullmatch(name)
    bare = counted[2] if counted else name
    system = catalog.find("system", bare)
    accelerator = catalog.accelerator(bare) or (
        catalog.entry("system", system).accelerator if system else None
    )
    if accelerator is not None:
        return lambda row: row.accelerator == accelerator
    members = {a for a in catalog.names("accelerator") if catalog.entry("accelerator", a).generation == bare}
    return (lambda row: row.accelerator in members) if members else None


def _named(
    name: str, count: int | None, catalog: Catalog
) -> tuple[Callable[[Result], bool], int | None, bool] | None:
    """(predicate, count, whether the name fixes it) of a system's name."""
    parts = [part.strip() for part in name.split("+")]
    if len(parts) > 1:
        wanted = {found for part in parts if (found := catalog.accelerator(part)) is not None}
        return (lambda row: set(row.accelerators) == wanted), count, False
    counted = _COUNTED.fullmatch(name)
    bare = counted[2] if counted else name
    size = int(counted[1]) if counted else count
    accelerator = catalog.accelerator(bare)
    if accelerator is not None:
        exact = size is not None
        return (
            (lambda row: row.accelerator == accelerator and (not exact or row.accelerator_count == size)),
            size,
            exact,
        )
    system = catalog.find("system", bare)
    if system is not None:
        entry = catalog.entry("system", system)
        size = count or entry.count
        return (
            (lambda row: row.accelerator == entry.accelerator and row.accelerator_count == size),
            size,
            True,
        )
    return _loosely_named(bare, size, catalog)


def _loosely_named(
    name: str, count: int | None, catalog: Catalog
) -> tuple[Callable[[Result], bool], int | None, bool] | None:
    words = lexicon(catalog)
    members = {a for a in catalog.names("accelerator") if catalog.entry("accelerator", a).generation == name}
    if members:
        return (
            (lambda row: row.accelerator in members and (count is None or row.accelerator_count == count)),
            count,
            count is not None,
        )
    if name in words.processors:
        pattern = re.compile(words.processors[name], re.IGNORECASE)
        called = _DROPPED.sub("", name).casefold()
        return (
            (
                lambda row: (
                    bool(pattern.search(row.processor or ""))
                    and (not row.accelerators or called in _letters(row))
                )  # a processor that has its accelerator in it
            ),
            None,
            False,
        )
    numbered = _PROCESSOR.fullmatch(name)
    if numbered is not None:
        written = numbered[1].casefold()
        return (lambda row: not row.accelerators and written in (row.processor or "").casefold()), None, False
    vendor = catalog.find("submitter", name.removesuffix(" platform"))
    if vendor is not None and name.endswith(" platform"):
        made = {a for a in catalog.names("accelerator") if catalog.entry("accelerator", a).vendor == vendor}
        return (lambda row: row.accelerator in made), None, False
    if vendor is not None:
        return (lambda row: submitted_by(row, vendor)), None, False
    letters = [
        part
        for part in (_DROPPED.sub("", word).casefold() for word in name.split())
        if any(c.isdigit() for c in part)
    ]
    titled = len(name.split()) > 1 and all(word[:1].isupper() for word in name.split())
    if not letters and (titled or _WORDED.search(name)):
        letters = [
            _DROPPED.sub("", word).casefold() for word in name.split()
        ]  # "PRIMERGY CDI", "OneW", "Pro Max"
    if not letters:
        return None
    whole = [_whole(part) for part in letters if len(letters) == 1 and len(part) <= SHORT]
    return (
        (
            lambda row: (
                all(part in _letters(row) for part in letters)
                and all(word.search(f"{row.system_name or ''} {row.platform}") for word in whole)
            )
        ),
        count,
        False,
    )


def _whole(part: str) -> re.Pattern[str]:
    """A short name where it stands alone among other letters and digits."""
    written = r"[\W_]*".join(map(re.escape, part))
    return re.compile(rf"(?<![^\W_]){written}(?![^\W_])", re.IGNORECASE)


def _letters(row: Result) -> str:
    return _DROPPED.sub("", f"{row.system_name or ''} {row.platform}").casefold()


def rows_of(results: Sequence[Result], claim: Claim, round: str | None) -> list[Result]:
    """The rows that a claim could be checked against: its suite, benchmark, unit and scenarios, in ``round``.

    Without a round in the text the newest that is held stands. Closed rows, unless the claim says open.
    """
    suite = suite_meant(claim)
    held = [
        row
        for row in results
        if row.suite == suite and usable(row) and claim.benchmark in (None, row.benchmark)
    ]
    if claim.scenarios:
        held = [row for row in held if row.scenario in claim.scenarios]
    wanted = round or newest(row.round for row in held)
    return [row for row in held if row.round == wanted]
