"""Which derived figures the rules ask for, and what a transaction did to them: the contract between figures and rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Comparison, Gain, Promise, Rank, Record, Scaling
from watcher.figures.filters import EVERYTHING, Filter
from watcher.figures.selectors import SystemSelector

if TYPE_CHECKING:
    from watcher.catalog.entries import Round
    from watcher.catalog.names import Catalog

PER = ("accelerator", "system")
DERIVED_KINDS = (
    "comparison.computable",
    "comparison.changed",
    "comparison.removed",
    "scaling.computable",
    "scaling.changed",
    "scaling.removed",
    "gain.computable",
    "gain.changed",
    "gain.removed",
    "record.beaten",
    "rank.passed",
    "promise.made",
    "promise.decided",
)


class ComparisonSpec(Struct, frozen=True, kw_only=True):
    """A pair of systems that a rule compares; hashable, and ``id`` is the same in every process.

    ``baseline`` null means the accelerator vendor's own row at the same accelerator and count, in the same round; a
    subject then is the best row of every other submitter that ``subject`` matches, at each accelerator and count.
    ``per`` "accelerator": each side is its best row per accelerator and `figure` the ratio per accelerator (of the
    rows for latencies); "system": each side is its best row, and `figure` the ratio of the rows.
    """

    subject: SystemSelector
    baseline: SystemSelector | None = None
    per: str = "accelerator"
    filter: Filter = EVERYTHING

    @property
    def id(self) -> str:
        """Stable text, stored in `Comparison.spec`: ``vera-rubin-nvl72 over gb300-nvl72 per accelerator``."""
        baseline = "vendor" if self.baseline is None else str(self.baseline)
        text = f"{self.subject} over {baseline} per {self.per}"
        where = str(self.filter)
        return f"{text} where {where}" if where else text

    def figure(self, comparison: Comparison) -> float | None:
        """Return the ratio that the rule is about; over 1 means the subject is better; null if there is none."""
        if self.per == "system" or comparison.subject.better == "lower":
            return comparison.ratio
        return comparison.per_accelerator_ratio


class Wanted(Struct, frozen=True, kw_only=True):
    """Which derived figures the rules ask for; nothing else is computed.

    ``vendors``: (accelerator, organisation that makes it), needed for ranks and where a spec compares with the vendor's
    own row; `watcher.figures.vendor.vendors` makes it of a catalog. ``rounds``: the calendar, needed for promises.
    """

    comparisons: frozenset[ComparisonSpec] = frozenset()
    scaling: bool = False
    gains: bool = False
    records: bool = False
    vendors: frozenset[tuple[str, str]] = frozenset()
    ranks: bool = False
    promises: bool = False
    rounds: tuple[Round, ...] = ()


NOTHING = Wanted()


def with_calendar(wanted: Wanted, catalog: Callable[[], Catalog]) -> Wanted:
    """Return what is wanted with the calendar of rounds, where promises are."""
    return replace(wanted, rounds=catalog().rounds()) if wanted.promises else wanted


class Derived(Struct, frozen=True):
    """What happened to one derived figure; ``kind`` is one of DERIVED_KINDS.

    ``computable``: no ``before``; ``changed``: both, and a figure or one of its rows differs; ``removed``: no
    ``after``, a row that it stood on is gone or became incomparable (a rule should not fire on it unasked);
    ``record.beaten``: both, never a first result. ``rank.passed``: both, ``after.ahead`` are the rows that got ahead.
    ``promise.made``: no ``before``; ``promise.decided``: both, and the outcome is another.
    """

    kind: str
    before: Comparison | Scaling | Gain | Record | Rank | Promise | None
    after: Comparison | Scaling | Gain | Record | Rank | Promise | None
