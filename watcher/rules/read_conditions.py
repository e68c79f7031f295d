"""``where`` and ``when`` of a rule file → conditions, every word checked against the fields, operators and names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from watcher.nearest import did_you_mean
from watcher.rules.conditions import (
    COMBINATORS,
    OPERATORS,
    AllOf,
    Clause,
    Condition,
    Operator,
    compile_pattern,
)
from watcher.rules.fields import Field
from watcher.rules.marked import Listing, Mapping, Node, Scalar
from watcher.rules.reader import Reader
from watcher.rules.words import FALSE, TRUE, canonical, instant, number, unknown_name

_EXAMPLE = "accelerator: b300"
_LOW = {"gt", "gte", "between"}
_HIGH = {"lt", "lte", "between"}


def read_condition(reader: Reader, node: Node, what: str) -> Condition | None:
    """Read a mapping of fields and combinators, all of which must hold; None if something in it is wrong."""
    mapping = reader.mapping(node, what, _EXAMPLE)
    if mapping is None:
        return None
    parts: list[Condition] = []
    sound = True
    for key, value in mapping.values.items():
        if key in COMBINATORS:
            part = _combined(reader, key, value)
        else:
            part = _on_field(reader, mapping.keys[key], value)
        if part is None:
            sound = False
        elif isinstance(part, AllOf):
            parts += part.parts
        else:
            parts.append(part)
    if not sound:
        return None
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _combined(reader: Reader, word: str, node: Node) -> Condition | None:
    if not isinstance(node, Listing) or not node.items:
        reader.complain(
            node, f"{word}: needs a list of conditions, such as [{{{_EXAMPLE}}}, {{scenario: Server}}]"
        )
        return None
    parts = [read_condition(reader, item, word) for item in node.items]
    sound = tuple(part for part in parts if part is not None)
    return COMBINATORS[word](sound) if len(sound) == len(parts) else None


def _on_field(reader: Reader, key: Scalar, node: Node) -> Condition | None:
    """Read what one field must hold: a value, a list of values, or a mapping of operators."""
    field = reader.field(key.text, key)
    if field is None:
        return None
    if not isinstance(node, Mapping):
        return _clause(reader, field, OPERATORS["is"], node)
    if not node.values:
        reader.complain(
            node, f"{key.text}: needs a value or an operator; known are {', '.join(_named(field))}"
        )
        return None
    clauses: list[Clause] = []
    for name, value in node.values.items():
        operator = OPERATORS.get(name) if name != "is" else None
        if operator is None:
            message = f"{key.text}: unknown operator '{name}'{did_you_mean(name, _named(field))}"
            reader.complain(node.keys[name], message)
            continue
        clause = _clause(reader, field, operator, value)
        if clause is not None:
            clauses.append(clause)
    if len(clauses) < len(node.values) or not _possible(reader, field, key, clauses):
        return None
    return clauses[0] if len(clauses) == 1 else AllOf(tuple(clauses))


def _named(field: Field) -> tuple[str, ...]:
    """The operators that a person can write for a field."""
    return tuple(o.name for o in OPERATORS.values() if o.name != "is" and field.row.type in o.types)


def _clause(reader: Reader, field: Field, operator: Operator, node: Node) -> Clause | None:
    row, name = field.row, field.name
    if row.type not in operator.types:
        reader.complain(node, f"{name}: {_misfit(field, operator)}")
        return None
    if operator.name == "exists":
        flag = reader.flag(node, f"{name}: exists")
        return None if flag is None else Clause(name, "exists", (flag,))
    if isinstance(node, Listing) and not operator.several:
        reader.complain(node, f"{name}: {operator.name} needs one value, not a list")
        return None
    scalars = reader.words(node, name)
    given = len(node.items) if isinstance(node, Listing) else 1
    operand = [_value(reader, field, operator, scalar) for scalar in scalars]
    if any(value is None for value in operand) or len(operand) < given or not operand:
        return None
    if operator.name == "between" and (len(operand) != 2 or operand[0] > operand[1]):
        reader.complain(node, f"{name}: between needs a list of two, the lower first, such as [8, 72]")
        return None
    if "system" in row.names and len(row.names) > 1 and operator.name not in ("contains", "matches"):
        operand += [title for word in operand if (title := _title(reader, row.names, word)) is not None]
    return Clause(name, operator.name, tuple(dict.fromkeys(operand)))


def _title(reader: Reader, kinds: tuple[str, ...], word: str) -> str | None:
    """How people write a system or accelerator: posts say "Jetson AGX Thor" where the catalog says "jetson-thor"."""
    kind = next(kind for kind in kinds if reader.catalog.find(kind, word) == word)
    title = reader.catalog.entry(kind, word).title
    return title if title.casefold().replace(" ", "-") != word.casefold() else None


def _misfit(field: Field, operator: Operator) -> str:
    """Say why an operator does not fit a field."""
    kind = {"name": "a name", "text": "text", "number": "a number", "flag": "true or false", "time": "a time"}
    if field.row.type == "power":
        return f"can only be asked whether it exists; for more name {field.name}.kind, .value or .unit"
    if operator.name == "is":
        return f"is {kind[field.row.type]}; use one of {', '.join(_named(field))}"
    return f"{operator.name} does not fit {kind[field.row.type]}; known are {', '.join(_named(field))}"


def _value(reader: Reader, field: Field, operator: Operator, scalar: Scalar) -> Any:
    """Read one value as the field's type; None, and a complaint, if it is not."""
    row, text = field.row, scalar.text
    if operator.name == "contains":
        return text
    if operator.name == "matches":
        try:
            compile_pattern(text)
        except ValueError as error:
            shown = text if len(text) <= 80 else f"{text[:79]}…"
            reader.complain(scalar, f"{field.name}: '{shown}' is not a regular expression: {error}")
            return None
        return text
    if row.choices:
        return reader.choice(scalar, field.name, row.choices)
    return _READ[row.type](reader, field, scalar)


def _name(reader: Reader, field: Field, scalar: Scalar) -> str | None:
    found = canonical(field.row, scalar.text, reader.catalog)
    if found is None:
        reader.complain(scalar, unknown_name(field.row, scalar.text, reader.catalog))
    return found


def _number(reader: Reader, field: Field, scalar: Scalar) -> float | None:
    found = number(scalar.text)
    if found is None or not scalar.plain:
        hint = "; leave out the quotes" if found is not None else ""
        reader.complain(scalar, f"{field.name}: needs a number, not '{scalar.text}'{hint}")
        return None
    return found


def _flag(reader: Reader, field: Field, scalar: Scalar) -> bool | None:
    if scalar.text.casefold() in TRUE | FALSE:
        return scalar.text.casefold() in TRUE
    reader.complain(scalar, f"{field.name}: needs true or false, not '{scalar.text}'")
    return None


def _time(reader: Reader, field: Field, scalar: Scalar) -> float | None:
    found = instant(scalar.text)
    if found is None:
        reader.complain(scalar, f"{field.name}: needs a date or time such as 2026-12-01, not '{scalar.text}'")
        return None
    return found.timestamp()


def _text(_reader: Reader, _field: Field, scalar: Scalar) -> str:
    return scalar.text


_READ: dict[str, Callable[[Reader, Field, Scalar], Any]] = {
    "name": _name,
    "number": _number,
    "flag": _flag,
    "time": _time,
    "text": _text,
}


def _possible(reader: Reader, field: Field, key: Scalar, clauses: list[Clause]) -> bool:
    """Refuse bounds that no number can meet; of a list, one element may meet one and another element the other."""
    if field.row.many:
        return True
    low = max((c.operand[0] for c in clauses if c.operator in _LOW), default=-math.inf)
    high = min((c.operand[-1] for c in clauses if c.operator in _HIGH), default=math.inf)
    strict = any(
        (c.operator == "gt" and c.operand[0] == low) or (c.operator == "lt" and c.operand[0] == high)
        for c in clauses
    )
    if low < high or (low == high and not strict):
        return True
    reader.complain(key, f"{key.text}: nothing can be over {low:g} and under {high:g}")
    return False
