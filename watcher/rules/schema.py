"""A JSON Schema of rule files for editors, made of the tables of watches, options, fields and operators.

It helps while writing (completion, unknown words); `watcher.rules.load` is what decides, with the catalog's names.
"""

from __future__ import annotations

from typing import Any

from watcher.figures.selectors import SELECTOR_FIELDS
from watcher.rules.conditions import COMBINATORS, OPERATORS
from watcher.rules.fields import FIELDS, Field
from watcher.rules.read_rule import OPTIONS
from watcher.rules.row import TYPES
from watcher.rules.watches import WATCHES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}


def schema() -> dict[str, Any]:
    """Return the schema of one rule file, as JSON values."""
    return {
        "$schema": DIALECT,
        "title": "Rules of mlperf-watcher",
        "type": "object",
        "properties": {"rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}}},
        "required": ["rules"],
        "additionalProperties": False,
        "$defs": {
            "rule": {
                "type": "object",
                "required": ["id", "watch"],
                "properties": {"id": OPTIONS["id"].schema, "watch": OPTIONS["watch"].schema},
                "allOf": [
                    {
                        "if": {"properties": {"watch": {"const": watch}}, "required": ["watch"]},
                        "then": {"$ref": f"#/$defs/{watch}"},
                    }
                    for watch in WATCHES
                ],
            },
            "system": {
                "type": "object",
                "properties": dict.fromkeys(SELECTOR_FIELDS, _SCALAR),
                "additionalProperties": False,
                "minProperties": 1,
            },
            "operators": {kind: _operators(kind) for kind in TYPES},
            "held": {kind: _held(kind, _value(kind)) for kind in TYPES},
            **{watch: _rule(watch) for watch in WATCHES},
            **{f"{watch}-where": _where(watch) for watch in WATCHES},
        },
    }


def _rule(watch: str) -> dict[str, Any]:
    """The options of a rule of one watch."""
    own = {
        "where": {"$ref": f"#/$defs/{watch}-where"},
        "on": _words(WATCHES[watch].events),
        "group_by": _words(FIELDS[watch]),
    }
    own["when"] = own["where"]
    properties = {
        option.name: {**own.get(option.name, option.schema), "description": option.help}
        for option in OPTIONS.values()
        if not option.watches or watch in option.watches
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _words(known: Any) -> dict[str, Any]:
    """One of some words, or a list of them."""
    one = {"enum": list(known)}
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


def _where(watch: str) -> dict[str, Any]:
    """The fields and combinators of one watch."""
    inner = {"$ref": f"#/$defs/{watch}-where"}
    properties: dict[str, Any] = {
        word: {"type": "array", "items": inner, "minItems": 1} for word in COMBINATORS
    }
    properties |= {name: _condition(field) for name, field in FIELDS[watch].items()}
    open_ended = (
        {r"^([a-z]+\.)?measures\..+$": {"$ref": "#/$defs/operators/number"}}
        if "measures" in FIELDS[watch]
        else {}
    )
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": open_ended,
        "additionalProperties": False,
        "minProperties": 1,
    }


def _condition(field: Field) -> dict[str, Any]:
    """What may stand under one field: shared by type, apart from fields that hold only some words."""
    if not field.row.choices:
        return {"description": field.help, "$ref": f"#/$defs/held/{field.row.type}"}
    return {"description": field.help, **_held(field.row.type, {"enum": list(field.row.choices)})}


def _held(kind: str, value: dict[str, Any]) -> dict[str, Any]:
    """A value, a list of values, or operators."""
    ways: list[dict[str, Any]] = [{"$ref": f"#/$defs/operators/{kind}"}]
    if kind in OPERATORS["is"].types:
        ways = [value, {"type": "array", "items": value, "minItems": 1}, *ways]
    return {"anyOf": ways}


def _value(kind: str) -> dict[str, Any]:
    """What a value of a type may be; text may look like a number (accuracy_target: 99.9)."""
    return {"number": {"type": "number"}, "flag": {"type": "boolean"}}.get(kind, _SCALAR)


def _operators(kind: str) -> dict[str, Any]:
    """A mapping of the operators that fit a type."""
    value = _value(kind)
    several = {"anyOf": [value, {"type": "array", "items": value, "minItems": 1}]}
    properties: dict[str, Any] = {}
    for operator in OPERATORS.values():
        if kind not in operator.types or operator.name == "is":
            continue
        shape = several if operator.several else value
        if operator.name == "exists":
            shape = {"type": "boolean"}
        elif operator.name == "between":
            shape = {"type": "array", "items": value, "minItems": 2, "maxItems": 2}
        properties[operator.name] = {**shape, "description": operator.help}
    return {"type": "object", "properties": properties, "additionalProperties": False, "minProperties": 1}
