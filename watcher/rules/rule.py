"""A rule as a frozen value, and a set of them; both go to JSON and back, so that loaded rules can be kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from watcher.figures import NOTHING, ComparisonSpec, SystemSelector, Wanted
from watcher.rules.conditions import ALWAYS, AllOf, Clause, Condition

if TYPE_CHECKING:
    from watcher.rules.match import Matcher

CHANGED_FIELDS = (
    "value", "unit", "division", "availability", "accelerator", "accelerator_count", "system_type", "power",
)  # fmt: skip
"""The fields whose change is a change worth an alert, unless a rule's ``fields`` names others."""
DEFAULT_TOLERANCE = 0.01
VENDOR = "vendor"


class Rule(Struct, frozen=True, kw_only=True):
    """What to watch for.

    ``on``: words of the watch's events. ``where``: about the state after the change. ``when``: about figures; fires
    when it becomes true, so that a correction that changes nothing of it is silent. ``fields``: the changes that
    count. ``subject``, ``baseline`` (null with ``watch: comparison``: the vendor's own row), ``per``: what a
    comparison compares; ``against``: the baseline shown beside a result rule's rows. ``tolerance``: a fraction,
    ``cooldown``: seconds, ``until``: a deadline, ``brief``: also the brief of the round. ``receivers`` () means the config's default receivers. ``place``:
    file and line.
    """

    id: str
    watch: str
    on: tuple[str, ...]
    title: str
    where: Condition = ALWAYS
    when: Condition | None = None
    fields: tuple[str, ...] = CHANGED_FIELDS
    subject: SystemSelector | None = None
    baseline: SystemSelector | None = None
    per: str = "accelerator"
    against: SystemSelector | None = None
    tolerance: float = DEFAULT_TOLERANCE
    group_by: tuple[str, ...] = ()
    severity: str = "info"
    receivers: tuple[str, ...] = ()
    cooldown: float | None = None
    until: datetime | None = None
    digest_only: bool = False
    brief: bool = False
    enabled: bool = True
    description: str | None = None
    place: str = ""

    @property
    def spec(self) -> ComparisonSpec | None:
        """The pair that a comparison rule asks for; None for other rules."""
        if self.watch != "comparison" or self.subject is None:
            return None
        return ComparisonSpec(subject=self.subject, baseline=self.baseline, per=self.per)

    @property
    def scope(self) -> Condition:
        """Everything that must hold of the state after an event, apart from ``when``: ``where``, and its own pair."""
        spec = self.spec
        if spec is None:
            return self.where
        own = Clause("spec", "is", (spec.id,))
        inner = self.where.parts if isinstance(self.where, AllOf) else (self.where,)
        return AllOf((own, *inner))


@dataclass(frozen=True, eq=False)
class RuleSet:
    """All rules of some files. ``digest`` is of the files' bytes, "" for rules that were made otherwise.

    ``vendors``: (accelerator, organisation that makes it), where a rule compares with the vendor's own rows or ranks.
    """

    rules: tuple[Rule, ...]
    digest: str = ""
    vendors: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        """Index the rules at once, so that the first events cost what the next ones do."""
        _ = self.matcher

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleSet):
            return NotImplemented
        return (self.rules, self.digest, self.vendors) == (other.rules, other.digest, other.vendors)

    def __hash__(self) -> int:
        return hash((self.rules, self.digest))

    def __reduce__(self) -> tuple[Any, ...]:
        return RuleSet, (self.rules, self.digest, self.vendors)

    @cached_property
    def matcher(self) -> Matcher:
        """The index of the enabled rules."""
        from watcher.rules.match import Matcher  # noqa: PLC0415 - the index is made of rules, and a set holds it

        return Matcher(rule for rule in self.rules if rule.enabled)

    @cached_property
    def by_id(self) -> Mapping[str, Rule]:
        """Rules by id."""
        return {rule.id: rule for rule in self.rules}

    def watching(self, watch: str) -> tuple[Rule, ...]:
        """Return the enabled rules of one watch."""
        return tuple(rule for rule in self.rules if rule.enabled and rule.watch == watch)

    def wanted(self) -> Wanted:
        """Return which derived figures the enabled rules ask for; nothing else needs computing."""
        specs = frozenset(spec for rule in self.watching("comparison") if (spec := rule.spec) is not None)
        asked = Wanted(
            comparisons=specs,
            scaling=bool(self.watching("scaling")),
            gains=bool(self.watching("gain")),
            records=bool(self.watching("record")),
            vendors=self.vendors
            if self.watching("rank") or any(spec.baseline is None for spec in specs)
            else frozenset(),
            ranks=bool(self.watching("rank")),
            promises=bool(self.watching("promise")),
        )
        return NOTHING if asked == NOTHING else asked


def rule_set(rules: Iterable[Rule]) -> RuleSet:
    """Return a set of these rules alone."""
    return RuleSet(tuple(rules))
