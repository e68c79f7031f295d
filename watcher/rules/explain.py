"""Why a rule did or did not fire: each clause with what passes it, what passes all, and the nearest misses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from watcher.domain import Event, Result, Subject
from watcher.rules.conditions import (
    OPERATORS,
    AllOf,
    AnyOf,
    Clause,
    Condition,
    Facts,
    Trial,
    compile_condition,
)
from watcher.rules.evaluate import counts
from watcher.rules.fields import Field, field_of
from watcher.rules.rule import Rule
from watcher.rules.titles import number, show
from watcher.rules.watches import WATCHES, label_system

_STANDING = ""  # the id of the event made up for a subject that stands as it is
_NO_TIME = datetime.fromtimestamp(0, UTC)
SHOWN = 20
"""How many subjects the text lists."""
NEAREST = 5
"""How many groups of nearest misses are kept."""


class ClauseReport(Struct, frozen=True):
    """One thing that the rule asks, in words, and what passes it."""

    text: str
    passing: tuple[Subject, ...]


class Stop(Struct, frozen=True):
    """What stopped a miss: the clause, and in words what was found instead."""

    clause: str
    reason: str


class Miss(Struct, frozen=True):
    """Subjects of one system that one and the same things stopped; ``distance`` 0 would have passed."""

    name: str
    subjects: tuple[Subject, ...]
    stopped_by: tuple[Stop, ...]
    distance: float


class Explanation(Struct, frozen=True):
    """What a rule makes of what is there. ``considered``: how many subjects of the rule's watch were looked at."""

    rule: Rule
    considered: int
    clauses: tuple[ClauseReport, ...]
    passes: tuple[Subject, ...]
    misses: tuple[Miss, ...]

    @property
    def text(self) -> str:
        """The explanation as a person reads it."""
        label = WATCHES[self.rule.watch].label
        lines = [f"{self.rule.id}: {len(self.passes):,} of {self.considered:,} pass ({self.rule.watch})"]
        lines += [f"  {len(clause.passing):>5,} pass  {clause.text}" for clause in self.clauses]
        if self.passes:
            lines.append("Passes:")
            lines += [f"  {name}" for name in _apart(self.passes[:SHOWN], label)]
        if len(self.passes) > SHOWN:
            lines.append(f"  and {len(self.passes) - SHOWN:,} more")
        if self.misses:
            lines.append("Nearest misses:")
        for miss in self.misses:
            lines.append(f"  {miss.name}")
            lines += [f"    - {stop.clause}: {stop.reason}" for stop in miss.stopped_by]
        return "\n".join(lines)

    def as_dict(self, describe: Callable[[Subject], Any]) -> dict[str, Any]:
        """Return the explanation as JSON values; ``describe`` gives a subject's."""
        return {
            "rule": self.rule.id,
            "watch": self.rule.watch,
            "considered": self.considered,
            "clauses": [
                {
                    "clause": clause.text,
                    "passing": len(clause.passing),
                    "rows": [WATCHES[self.rule.watch].label(subject) for subject in clause.passing],
                }
                for clause in self.clauses
            ],
            "passes": [describe(subject) for subject in self.passes],
            "nearest_misses": [
                {
                    "name": miss.name,
                    "rows": [describe(subject) for subject in miss.subjects],
                    "stopped_by": [
                        {"clause": stop.clause, "reason": stop.reason} for stop in miss.stopped_by
                    ],
                }
                for miss in self.misses
            ],
        }


def explain(rule: Rule, found: Iterable[Subject | Event], *, nearest: int = NEAREST) -> Explanation:
    """Say what ``rule`` makes of results, figures, claims, posts … or of recorded events of its watch.

    A bare subject is taken as it stands, as if it had just appeared. Things of another watch are left out.
    """
    events = [event for each in found if (event := _event(rule, each)) is not None]
    trial = Trial()
    checks = _checks(rule)
    reports: list[list[Subject]] = [[] for _ in checks]
    passes: list[Subject] = []
    missed: defaultdict[tuple[str, tuple[Stop, ...]], list[tuple[float, Subject]]] = defaultdict(list)
    for event in events:
        facts = Facts(event, trial)
        held = [check.test(facts) for check in checks]
        for subjects, holds in zip(reports, held, strict=True):
            if holds:
                subjects.append(event.subject)
        if all(held):
            passes.append(event.subject)
            continue
        failed = [check for check, holds in zip(checks, held, strict=True) if not holds]
        stops = tuple(Stop(check.text, check.reason(facts)) for check in failed)
        missed[_system(rule, event.subject), stops].append(
            (sum(c.distance(facts) for c in failed), event.subject)
        )
    return Explanation(
        rule,
        len(events),
        tuple(ClauseReport(check.text, tuple(r)) for check, r in zip(checks, reports, strict=True)),
        tuple(passes),
        _nearest(rule, missed, nearest),
    )


def words_of(condition: Condition) -> str:
    """Return a condition in words: "accelerator_count is at least 36"."""
    if isinstance(condition, Clause):
        return _clause_words(condition)
    inner = "; ".join(words_of(part) for part in condition.parts)
    if isinstance(condition, AllOf):
        return f"all of ({inner})" if condition.parts else "anything"
    return f"any of ({inner})" if isinstance(condition, AnyOf) else f"none of ({inner})"


class _Check(Struct, frozen=True):
    """One thing that must hold, with what to say if it does not."""

    text: str
    test: Callable[[Facts], bool]
    reason: Callable[[Facts], str]
    distance: Callable[[Facts], float]


def _event(rule: Rule, found: Subject | Event) -> Event | None:
    """The event to look at, None if it is of another watch."""
    watch = WATCHES[rule.watch]
    if isinstance(found, Event):
        return found if found.kind.partition(".")[0] == rule.watch else None
    if not isinstance(found, watch.subject):
        return None
    return Event(
        id=_STANDING, kind=f"{rule.watch}.{watch.events[0]}", occurred_at=_NO_TIME, batch="", after=found
    )


def _checks(rule: Rule) -> list[_Check]:
    """Everything that the rule asks, in the order in which a person reads it."""
    parts: list[Condition] = []
    for condition in (rule.scope, rule.when):
        if condition is not None:
            parts += condition.parts if isinstance(condition, AllOf) else (condition,)
    checks = [
        _Check(
            words_of(part),
            compile_condition(part, rule.watch),
            lambda facts, part=part: _reason(part, rule.watch, facts),  # type: ignore[misc]
            lambda facts, part=part: _distance(part, rule.watch, facts),  # type: ignore[misc]
        )
        for part in parts
    ]
    on = " or ".join(word.replace("_", " ") for word in rule.on)
    waited = _Check(
        f"event is {on}",
        lambda facts: facts.event.kind.partition(".")[2] in rule.on and counts(rule, facts),
        lambda facts: _event_reason(rule, facts),
        lambda _facts: 0.5,
    )
    return [waited, *checks]


def _event_reason(rule: Rule, facts: Facts) -> str:
    word = facts.event.kind.partition(".")[2]
    if word not in rule.on and facts.event.id == _STANDING:
        return "nothing of the kind has happened to it"
    if word not in rule.on:
        return f"this was {word.replace('_', ' ')}"
    if rule.when is not None:
        return "it was so before the change"
    if rule.watch == "result":
        return f"changed was only {', '.join(facts.event.fields)}"
    return f"it moved by no more than {rule.tolerance:.1%}"


def _reason(condition: Condition, watch: str, facts: Facts) -> str:
    if not isinstance(condition, Clause):
        return _combined_reason(condition, watch, facts)
    field = field_of(watch, condition.field)
    if field is None:
        return "no such field"
    if facts.of(field) is None:
        return "does not apply"
    held = ", ".join(dict.fromkeys(show(field, facts.event))) or "nothing"
    if condition.operator == "none_of":
        return _excluded(field, condition, facts)
    if held != "nothing":
        return f"it is {held}" if condition.operator != "exists" else f"there is {held}"
    thing = facts.subject if field.place is None else field.place(facts.event)
    beside = field.row.absent(thing) if field.row.absent is not None else None
    kind = "no power of any kind" if field.row.type == "power" else "there is none"
    return f"{kind}; {beside}" if beside else kind


def _excluded(field: Field, clause: Clause, facts: Facts) -> str:
    """Say which of the excluded words is held: "excluded organisation: Nebius"."""
    words = dict.fromkeys(word for word in show(field, facts.event) if word.casefold() in clause.folded)
    held = ", ".join(words) or ", ".join(show(field, facts.event))
    if field.row.type != "name":
        return f"{held} is excluded"
    noun = field.name.rpartition(".")[2].replace("_", " ")
    return f"excluded {noun.removesuffix('s') if field.row.many else noun}: {held}"


def _combined_reason(condition: Condition, watch: str, facts: Facts) -> str:
    if isinstance(condition, AllOf | AnyOf):
        failed = [part for part in condition.parts if not compile_condition(part, watch)(facts)]
        return "; ".join(f"{words_of(part)}: {_reason(part, watch, facts)}" for part in failed)
    held = (
        [part for part in condition.parts if compile_condition(part, watch)(facts)]
        if not isinstance(condition, Clause)
        else []
    )
    return "; ".join(f"{words_of(part)} holds" for part in held)


def _distance(condition: Condition, watch: str, facts: Facts) -> float:
    """How far a failed condition is from holding: the weight of its field, and how far a number is off."""
    if isinstance(condition, AnyOf):
        return min((_distance(part, watch, facts) for part in condition.parts), default=0.0)
    if isinstance(condition, AllOf):
        failed = [part for part in condition.parts if not compile_condition(part, watch)(facts)]
        return sum(_distance(part, watch, facts) for part in failed)
    if not isinstance(condition, Clause):
        return 2.0
    field = field_of(watch, condition.field)
    weight = float(field.row.weight) if field is not None else 1.0
    return weight + (_off(field, condition, facts) if field is not None else 0.0)


def _off(field: Field, clause: Clause, facts: Facts) -> float:
    """How far the nearest number is from the nearest limit, as a share of the limit, at most 1."""
    if field.row.type not in ("number", "time") or clause.operator in ("exists", "none_of"):
        return 0.0
    values = facts.of(field) or ()
    gaps = [abs(value - limit) / (abs(limit) or 1.0) for value in values for limit in clause.operand]
    return float(min([*gaps, 1.0]))


def _system(rule: Rule, subject: Any) -> str:
    """What misses are grouped by: the system of a result, else the subject itself."""
    return label_system(subject) if isinstance(subject, Result) else WATCHES[rule.watch].label(subject)


def _nearest(
    rule: Rule,
    missed: dict[tuple[str, tuple[Stop, ...]], list[tuple[float, Subject]]],
    nearest: int,
) -> tuple[Miss, ...]:
    label = WATCHES[rule.watch].label
    misses = []
    for (system, stops), found in missed.items():
        subjects = tuple(subject for _, subject in sorted(found, key=lambda pair: label(pair[1])))
        misses.append(Miss(_named(system, subjects, label), subjects, stops, min(d for d, _ in found)))
    return tuple(sorted(misses, key=lambda miss: (miss.distance, miss.name.casefold()))[:nearest])


def _named(system: str, subjects: Sequence[Subject], label: Callable[[Any], str]) -> str:
    """The system, with what of it was missed: "Nebius, 36 x vera-rubin: deepseek-r1 Offline, v6.1 (and 1 more)"."""
    first = label(subjects[0])
    more = f" (and {len(subjects) - 1} more)" if len(subjects) > 1 else ""
    return first + more if first.startswith(system) else f"{system}: {first}{more}"


def _apart(subjects: Sequence[Subject], label: Callable[[Any], str]) -> list[str]:
    """Return the subjects' labels; rows that share one are told apart by their platforms."""
    labels = [label(subject) for subject in subjects]
    shared = {name for name, count in Counter(labels).items() if count > 1}
    return [
        f"{name} ({subject.platform})" if name in shared and isinstance(subject, Result) else name
        for name, subject in zip(labels, subjects, strict=True)
    ]


def _clause_words(clause: Clause) -> str:
    operator = OPERATORS[clause.operator]
    if clause.operator == "exists":
        return f"{clause.field} {'exists' if clause.operand[0] else 'does not exist'}"
    words = [_operand(value) for value in clause.operand]
    joined = " and ".join(words) if clause.operator == "between" else " or ".join(words)
    return f"{clause.field} {operator.words} {', '.join(words) if clause.operator == 'none_of' else joined}"


def _operand(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return number(value) if isinstance(value, int | float) else str(value)
