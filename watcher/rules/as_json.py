"""Rules as JSON values, for ``rules list --json``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import asdict, fields

from watcher.rules.conditions import AllOf, AnyOf, Clause, Condition, NoneOf
from watcher.rules.rule import Rule

_LISTS = ("on", "fields", "group_by", "receivers")
_SELECTORS = ("subject", "baseline", "against")
_CONDITIONS = ("where", "when")
_DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in fields(Rule)}
_COMBINED: Mapping[str, type[AllOf | AnyOf | NoneOf]] = {"all": AllOf, "any": AnyOf, "none": NoneOf}


def rule_to_json(rule: Rule) -> dict[str, Any]:
    """Return a rule as JSON values; what is as it would be anyway is left out."""
    values: dict[str, Any] = {}
    for name, default in _DEFAULTS.items():
        value = getattr(rule, name)
        if value != default:
            values[name] = _plain(name, value)
    return values


def condition_to_json(condition: Condition) -> dict[str, Any]:
    """Return a condition as JSON values."""
    if isinstance(condition, Clause):
        return {condition.field: {condition.operator: list(condition.operand)}}
    word = next(word for word, kind in _COMBINED.items() if isinstance(condition, kind))
    return {word: [condition_to_json(part) for part in condition.parts]}


def _plain(name: str, value: Any) -> Any:
    if name in _CONDITIONS:
        return condition_to_json(value)
    if name in _SELECTORS:
        return {key: part for key, part in asdict(value).items() if part is not None}
    if name in _LISTS:
        return list(value)
    return value.isoformat() if isinstance(value, datetime) else value
