"""Which rules an event may match: an index, so that cost grows with matches and not with rules.

Rules are split by the kind of event they wait for. Within one kind each rule is a bit (several where it has
alternatives). For each field a table gives, for any value, the bits of all rules that accept it or do not ask; the
bits of all fields taken together by "and" are the candidates, and only these are tried in full. With 10,000 rules
one "and" is over 1,250 bytes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from msgspec import Struct

from watcher.domain import Event
from watcher.rules.conditions import AllOf, AnyOf, Clause, Condition, Facts, Test, Trial, compile_condition
from watcher.rules.fields import Field, field_of, values_of
from watcher.rules.rule import Rule

MAX_ALTERNATIVES = 16
"""A rule with more alternatives than this is indexed by what they have in common."""
MAX_THRESHOLDS = 512
"""Distinct thresholds of one field before neighbours share bits (which are then tried in full)."""
_MEMO_SIZE = 4096
_RANGE = {"gt": False, "gte": True, "lt": False, "lte": True, "between": True}


class Entry(Struct, frozen=True):
    """One alternative of a rule: ``needed`` is all that must hold, ``clauses`` what this alternative needs at least."""

    rule: Rule
    needed: Condition
    clauses: tuple[Clause, ...]


class Matcher:
    """All rules of a set, by kind of event."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Index ``rules``."""
        by_kind: defaultdict[str, list[Entry]] = defaultdict(list)
        for rule in rules:
            scope = rule.scope
            needed = scope if rule.when is None else AllOf((scope, rule.when))
            entries = [Entry(rule, needed, clauses) for clauses in alternatives(needed)]
            for word in rule.on:
                by_kind[f"{rule.watch}.{word}"] += entries
        self._kinds: dict[str, _KindIndex] = {}
        made: dict[tuple[int, ...], _KindIndex] = {}
        for kind, entries in by_kind.items():
            same = tuple(map(id, entries))  # rules that wait for two kinds of event share one index
            if same not in made:
                made[same] = _KindIndex(kind.partition(".")[0], entries)
            self._kinds[kind] = made[same]

    def matching(self, event: Event, trial: Trial) -> Iterator[tuple[Rule, Facts]]:
        """Yield each rule whose conditions hold of the state after ``event``, with the facts read for it."""
        index = self._kinds.get(event.kind)
        if index is not None:
            yield from index.matching(event, trial)


def alternatives(condition: Condition) -> list[tuple[Clause, ...]]:
    """Split a condition into alternatives, each a list of clauses that it needs at least (never more).

    A condition holds only if every clause of at least one alternative holds; the reverse need not be true.
    """
    if isinstance(condition, Clause):
        return [(condition,)]
    if isinstance(condition, AnyOf):
        found = [way for part in condition.parts for way in alternatives(part)]
        return found if len(found) <= MAX_ALTERNATIVES else [()]
    if isinstance(condition, AllOf):
        ways: list[tuple[Clause, ...]] = [()]
        for part in condition.parts:
            more = alternatives(part)
            if len(ways) * len(more) <= MAX_ALTERNATIVES:
                ways = [(*one, *other) for one, other in product(ways, more)]
        return ways
    return [()]


class _KindIndex:
    """The rules that wait for one kind of event."""

    def __init__(self, watch: str, entries: list[Entry]) -> None:
        self._entries = entries
        self._all = (1 << len(entries)) - 1
        self._tests: dict[str, Test] = {}
        by_field: defaultdict[str, dict[int, Clause]] = defaultdict(dict)
        for number, entry in enumerate(entries):
            for clause in entry.clauses:
                chosen = by_field[clause.field].get(number)
                if _PREFERENCE[clause.operator] and (
                    chosen is None or _PREFERENCE[clause.operator] > _PREFERENCE[chosen.operator]
                ):
                    by_field[clause.field][number] = clause
        tables = []
        for name, clauses in by_field.items():
            field = field_of(watch, name)
            if field is not None and clauses:
                tables.append(_FieldTable(field, clauses, len(entries)))
        # The field that most rules ask about first: most events end at the first few.
        self._tables = sorted(tables, key=lambda table: -table.asked)

    def matching(self, event: Event, trial: Trial) -> Iterator[tuple[Rule, Facts]]:
        left = self._all
        subject = event.subject
        for table in self._tables:
            left &= table.accepting(event, subject)
            if not left:
                return
        facts = Facts(event, trial)
        tried: set[str] = set()
        while left:
            lowest = left & -left
            left ^= lowest
            entry = self._entries[lowest.bit_length() - 1]
            if entry.rule.id in tried:
                continue
            tried.add(entry.rule.id)
            if self._test(entry)(facts):
                yield entry.rule, facts

    def _test(self, entry: Entry) -> Test:
        """The test of a rule, compiled when the rule is first a candidate."""
        test = self._tests.get(entry.rule.id)
        if test is None:
            test = self._tests[entry.rule.id] = compile_condition(entry.needed, entry.rule.watch)
        return test


# Which clause of a rule on one field is indexed if there are several; 0: none of its kind ever is.
_PREFERENCE = {
    "is": 4, "gt": 3, "gte": 3, "lt": 3, "lte": 3, "between": 3, "none_of": 2, "exists": 1, "contains": 1, "matches": 1,
}  # fmt: skip


class _FieldTable:
    """For one field, the bits of the rules that accept a value or do not ask."""

    def __init__(self, field: Field, clauses: Mapping[int, Clause], size: int) -> None:
        self.asked = len(clauses)
        self._read: Callable[[Event, Any], Any] = field.raw
        self._free = ((1 << size) - 1) ^ _bits(clauses, size)
        self._memo: dict[Any, int] = {}
        equal: defaultdict[Any, list[int]] = defaultdict(list)
        without: defaultdict[Any, list[int]] = defaultdict(list)
        kept: defaultdict[str, list[int]] = defaultdict(list)
        bounds: defaultdict[bool, defaultdict[float, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, clause in clauses.items():
            operator, operand = clause.operator, clause.folded
            if operator == "is":
                for value in operand:
                    equal[value].append(number)
            elif operator == "none_of":
                kept["applies"].append(number)
                for value in operand:
                    without[value].append(number)
            elif operator in _RANGE:
                bounds[operator.startswith("l")][operand[0]].append(number)
            else:
                empty = operator == "exists" and operand[0] is False
                kept["empty" if empty else "filled"].append(number)
        self._equal = {value: _bits(numbers, size) for value, numbers in equal.items()}
        self._without = {value: _bits(numbers, size) for value, numbers in without.items()}
        self._kept = {key: _bits(numbers, size) for key, numbers in kept.items()}
        self._upper = _Bounds(bounds[True], size, upper=True)
        self._lower = _Bounds(bounds[False], size, upper=False)

    def accepting(self, event: Event, subject: Any) -> int:
        """Return the bits of the rules that accept what ``event`` holds."""
        raw = self._read(event, subject)
        bits = self._memo.get(raw)
        if bits is None:
            if len(self._memo) >= _MEMO_SIZE:
                self._memo.clear()
            bits = self._memo[raw] = self._accepting(values_of(raw))
        return bits

    def _accepting(self, values: tuple[Any, ...] | None) -> int:
        bits = self._free
        if values is None:
            return bits
        refused = 0
        for value in values:
            bits |= self._equal.get(value, 0)
            refused |= self._without.get(value, 0)
            bits |= self._upper.accepting(value) | self._lower.accepting(value)
        bits |= self._kept.get("applies", 0) & ~refused
        return bits | self._kept.get("filled" if values else "empty", 0)


class _Bounds:
    """Thresholds of one direction, sorted, with the bits of all up to (or from) each."""

    def __init__(self, numbers_of: Mapping[float, list[int]], size: int, *, upper: bool) -> None:
        step = max(1, -(-len(numbers_of) // MAX_THRESHOLDS))
        limits = sorted(numbers_of)
        groups = [limits[start : start + step] for start in range(0, len(limits), step)]
        self._upper = upper
        self._limits = [group[-1] if upper else group[0] for group in groups]
        each = [_bits((n for limit in group for n in numbers_of[limit]), size) for group in groups]
        total, sums = 0, [0]
        for bits in reversed(each) if upper else each:
            total |= bits
            sums.append(total)
        self._sums = sums

    def accepting(self, value: Any) -> int:
        """Return the bits of the rules whose threshold ``value`` may pass; whether it does is tried in full."""
        if not self._limits:
            return 0
        if self._upper:  # value is under the limit: limits from value on
            return self._sums[len(self._limits) - bisect_left(self._limits, value)]
        return self._sums[bisect_right(self._limits, value)]


def _bits(numbers: Iterable[int], size: int) -> int:
    """Return an integer with these bits set."""
    held = bytearray(size // 8 + 1)
    for number in numbers:
        held[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(held, "little")
