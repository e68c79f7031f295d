"""Conditions as values: one clause about one field, and all, any or none of several.

`OPERATORS` is the table of operators: what each compares, how it reads, and the test that it makes. A condition is
compiled once into a function of `Facts`, the fields of one event read at most once each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from msgspec import Struct

from watcher.domain import Event
from watcher.rules.fields import Field, Values, field_of, values_of

REGEX_SECONDS = 0.25
"""How long one pattern may search one text."""
REGEX_TRIES = 3
"""Time-outs of one pattern in one batch of events before it is not tried again in that batch."""

MOST_REPEATS = 10_000
"""What the counted repeats of one pattern may multiply to; at this a compiled pattern takes a few megabytes."""
_REPEATS = re.compile(r"\{(?:\d*,)?(\d+),?\}")


class Clause(Struct, frozen=True, tag=True):
    """One operator on one field. ``operand``: words as the catalog writes them, numbers or booleans, one or several."""

    field: str
    operator: str
    operand: tuple[Any, ...]

    @property
    def folded(self) -> tuple[Any, ...]:
        """The operand as values are compared: words case-folded, patterns as they are."""
        if self.operator == "matches":
            return self.operand
        return tuple(word.casefold() if isinstance(word, str) else word for word in self.operand)


class AllOf(Struct, frozen=True, tag=True):
    """Every one of ``parts`` must hold; none at all holds."""

    parts: tuple[Condition, ...]


class AnyOf(Struct, frozen=True, tag=True):
    """At least one of ``parts`` must hold."""

    parts: tuple[Condition, ...]


class NoneOf(Struct, frozen=True, tag=True):
    """Not one of ``parts`` may hold."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Clause | AllOf | AnyOf | NoneOf
COMBINATORS: Mapping[str, Callable[[tuple[Condition, ...]], Condition]] = {
    "any": AnyOf,
    "all": AllOf,
    "none": NoneOf,
}
ALWAYS = AllOf(())


class Trial:
    """What one evaluation remembers: the patterns that ran out of time, each reported once."""

    __slots__ = ("timeouts",)

    def __init__(self) -> None:
        """Start with nothing."""
        self.timeouts: dict[str, int] = {}

    def search(self, pattern: str, text: str) -> bool:
        """Tell whether ``pattern`` is found in ``text``; running out of time is no match."""
        tried = self.timeouts.get(pattern, 0)
        if tried >= REGEX_TRIES:
            return False
        try:
            return compile_pattern(pattern).search(text, timeout=REGEX_SECONDS) is not None
        except TimeoutError:
            self.timeouts[pattern] = tried + 1
            return False


class Facts:
    """The fields of one event, each read when first asked for."""

    __slots__ = ("event", "held", "subject", "trial")

    def __init__(self, event: Event, trial: Trial) -> None:
        """Hold the event."""
        self.event = event
        self.subject = event.subject
        self.trial = trial
        self.held: dict[str, Values | None] = {}

    def of(self, field: Field) -> Values | None:
        """Return the values of ``field``, () if it is empty, None if it does not apply."""
        try:
            return self.held[field.name]
        except KeyError:
            values = self.held[field.name] = values_of(field.raw(self.event, self.subject))
            return values


Test: TypeAlias = Callable[[Facts], bool]
Holds: TypeAlias = Callable[[Values, tuple[Any, ...], Trial, Field], bool]


class Operator(Struct, frozen=True, kw_only=True):
    """One operator. ``types``: the field types it takes; ``words`` says it in a sentence before its operand."""

    name: str
    types: tuple[str, ...]
    words: str
    holds: Holds
    help: str
    several: bool = False


def _equal(values: Values, operand: tuple[Any, ...], _trial: Trial, _field: Field) -> bool:
    return any(value in operand for value in values)


def _none_of(values: Values, operand: tuple[Any, ...], _trial: Trial, _field: Field) -> bool:
    return not any(value in operand for value in values)


def _between(values: Values, operand: tuple[Any, ...], _trial: Trial, _field: Field) -> bool:
    return any(operand[0] <= value <= operand[1] for value in values)


def _contains(values: Values, operand: tuple[Any, ...], _trial: Trial, field: Field) -> bool:
    if field.row.prose:
        patterns = [whole_words(words) for words in operand]
        return any(pattern.search(value) for value in values for pattern in patterns)
    return any(part in value for value in values for part in operand)


def _matches(values: Values, operand: tuple[Any, ...], trial: Trial, _field: Field) -> bool:
    return any(trial.search(pattern, value) for value in values for pattern in operand)


def _exists(values: Values, operand: tuple[Any, ...], _trial: Trial, _field: Field) -> bool:
    return bool(values) is operand[0]


def _bound(compare: Callable[[Any, Any], bool]) -> Holds:
    def holds(values: Values, operand: tuple[Any, ...], _trial: Trial, _field: Field) -> bool:
        return any(compare(value, operand[0]) for value in values)

    return holds


_WORDS = ("text", "name")
_NUMBERS = ("number", "time")
_PLAIN = (*_WORDS, "number", "flag")

OPERATORS: Mapping[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator(name="is", types=_PLAIN, words="is", holds=_equal, several=True, help="a value, or a list: any of them"),
        Operator(name="none_of", types=_PLAIN, words="is none of", holds=_none_of, several=True, help="neither of these; holds where the field is empty"),
        Operator(name="gt", types=_NUMBERS, words="is over", holds=_bound(lambda a, b: a > b), help="greater than"),
        Operator(name="gte", types=_NUMBERS, words="is at least", holds=_bound(lambda a, b: a >= b), help="greater than or equal to"),
        Operator(name="lt", types=_NUMBERS, words="is under", holds=_bound(lambda a, b: a < b), help="less than"),
        Operator(name="lte", types=_NUMBERS, words="is at most", holds=_bound(lambda a, b: a <= b), help="less than or equal to"),
        Operator(name="between", types=_NUMBERS, words="is between", holds=_between, several=True, help="a list of two: from the first to the second, both included"),
        Operator(name="contains", types=_WORDS, words="contains", holds=_contains, several=True, help="a part of the text, or a list: any of them; whole words in posts, notes and quotes"),
        Operator(name="matches", types=_WORDS, words="matches", holds=_matches, several=True, help="a regular expression found anywhere, or a list: any of them; running out of time is no match"),
        Operator(name="exists", types=(*_PLAIN, "time", "power"), words="exists", holds=_exists, help="true: there is a value; false: there is none"),
    )
}  # fmt: skip


def compile_condition(condition: Condition, watch: str) -> Test:
    """Turn a condition into a function of facts."""
    if isinstance(condition, Clause):
        return _compile_clause(condition, watch)
    tests = tuple(compile_condition(part, watch) for part in condition.parts)
    if isinstance(condition, AllOf):
        return tests[0] if len(tests) == 1 else lambda facts: all(test(facts) for test in tests)
    if isinstance(condition, AnyOf):
        return lambda facts: any(test(facts) for test in tests)
    return lambda facts: not any(test(facts) for test in tests)


def _compile_clause(clause: Clause, watch: str) -> Test:
    field = field_of(watch, clause.field)
    if field is None:
        raise KeyError(f"{watch} has no field {clause.field}")  # the loader lets no such clause pass
    holds, operand = OPERATORS[clause.operator].holds, clause.folded

    def test(facts: Facts) -> bool:
        values = facts.of(field)
        return values is not None and holds(values, operand, facts.trial, field)

    return test


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Any:
    """Compile a regular expression; case does not count. Raises ValueError in words if it is not one.

    Counted repeats are copied out when a pattern is compiled, and those inside one another multiply: so their product
    is bounded, lest one line of a rule takes all memory.
    """
    import regex  # noqa: PLC0415 - heavy, only when a rule matches by a pattern

    if math.prod(max(1, int(count)) for count in _REPEATS.findall(pattern)) > MOST_REPEATS:
        raise ValueError(f"its counted repeats multiply to more than {MOST_REPEATS:,}; use * or + instead")
    try:
        return regex.compile(pattern, regex.IGNORECASE)
    except regex.error as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None


@lru_cache(maxsize=4096)
def whole_words(words: str) -> re.Pattern[str]:
    """Return a pattern for ``words`` standing as whole words, whatever signs or spaces lie between them."""
    parts = [re.escape(part) for part in re.findall(r"[^\W_]+", words.casefold())]
    inner = r"[\W_]+".join(parts) if parts else re.escape(words.casefold())
    return re.compile(rf"(?<![^\W_]){inner}(?![^\W_])")
