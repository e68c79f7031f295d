"""The filters of every question to the tables: ``--suite --round --division … ``, each repeatable, each any-of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Result
from watcher.figures.selectors import fold, submitted_by

FILTER_FIELDS = (
    "suite",
    "round",
    "division",
    "system_type",
    "submitter",
    "benchmark",
    "scenario",
    "accelerator",
    "availability",
)


class Filter(Struct, frozen=True, kw_only=True):
    """Which rows a question is about: every field that is not empty must match one of its values.

    Values are canonical (catalog) names and are compared case-folded. ``submitter`` matches the submitter as
    published or one of its organisations; ``accelerator`` also a part of a mixed system; ``system_type`` one of the
    row's types; ``benchmark`` the canonical or the submitted name.
    """

    suite: tuple[str, ...] = ()
    round: tuple[str, ...] = ()
    division: tuple[str, ...] = ()
    system_type: tuple[str, ...] = ()
    submitter: tuple[str, ...] = ()
    benchmark: tuple[str, ...] = ()
    scenario: tuple[str, ...] = ()
    accelerator: tuple[str, ...] = ()
    availability: tuple[str, ...] = ()

    def matches(self, result: Result) -> bool:
        """Tell whether ``result`` passes every field."""
        return (
            _any_of(self.suite, result.suite)
            and _any_of(self.round, result.round)
            and _any_of(self.division, result.division)
            and _any_of(self.system_type, *result.system_type)
            and _any_of(self.benchmark, result.benchmark, result.benchmark_published)
            and _any_of(self.scenario, result.scenario)
            and _any_of(self.accelerator, result.accelerator, *result.accelerators)
            and _any_of(self.availability, result.availability)
            and (not self.submitter or any(submitted_by(result, name) for name in self.submitter))
        )

    def without_round(self) -> Filter:
        """Return the same filter for any round."""
        return replace(self, round=())

    def __str__(self) -> str:
        """Return the fields that are set, in a fixed order: ``division=closed scenario=Server,Offline``."""
        parts = ((name, getattr(self, name)) for name in FILTER_FIELDS)
        return " ".join(f"{name}={','.join(sorted(values))}" for name, values in parts if values)


EVERYTHING = Filter()
UNREVIEWED = "unofficial"


def reviewed(results: Iterable[Result], suites: Collection[str | None]) -> Iterator[Result]:
    """Leave out rows of the suite of unreviewed tables, unless ``suites`` names it: figures are not made of them unasked."""
    return (row for row in results if row.suite != UNREVIEWED or UNREVIEWED in suites)


def _any_of(wanted: tuple[str, ...], *found: str | None) -> bool:
    if not wanted:
        return True
    folded = {fold(name) for name in found if name is not None}
    return any(fold(name) in folded for name in wanted)
