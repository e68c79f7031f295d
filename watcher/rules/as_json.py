"""Rules to JSON values and back: for ``rules list --json``, and to keep loaded rules between runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from watcher.figures import SystemSelector
from watcher.rules.conditions import AllOf, AnyOf, Clause, Condition, NoneOf
from watcher.rules.rule import Rule, RuleSet

FORM = 1
"""Changes whenever what is written here changes its meaning; what was kept under another form is read anew."""
_LISTS = ("on", "fields", "group_by", "receivers")
_SELECTORS = ("subject", "baseline", "against")
_CONDITIONS = ("where", "when")
_DEFAULTS: Mapping[str, Any] = {field.name: field.default for field in fields(Rule)}
_COMBINED: Mapping[str, type[AllOf | AnyOf | NoneOf]] = {"all": AllOf, "any": AnyOf, "none": NoneOf}


def rules_to_json(rules: RuleSet) -> dict[str, Any]:
    """Return a set of rules as JSON values; `rules_of_json` makes an equal set of it."""
    return {
        "form": FORM,
        "digest": rules.digest,
        "vendors": sorted(map(list, rules.vendors)),
        "rules": [rule_to_json(rule) for rule in rules.rules],
    }


def rules_of_json(document: Mapping[str, Any]) -> RuleSet | None:
    """Return the rules that `rules_to_json` wrote; None if another version wrote them."""
    if document.get("form") != FORM:
        return None
    return RuleSet(
        tuple(_rule(each) for each in document["rules"]),
        document["digest"],
        frozenset((accelerator, vendor) for accelerator, vendor in document["vendors"]),
    )


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


def _rule(values: Mapping[str, Any]) -> Rule:
    read = dict(values)
    for name in _LISTS:
        if name in read:
            read[name] = tuple(read[name])
    for name in _SELECTORS:
        if name in read:
            read[name] = SystemSelector(**read[name])
    for name in _CONDITIONS:
        if name in read:
            read[name] = _condition(read[name])
    if "until" in read:
        read["until"] = datetime.fromisoformat(read["until"])
    return Rule(**read)


def _condition(values: Mapping[str, Any]) -> Condition:
    ((word, held),) = values.items()
    if word in _COMBINED:
        return _COMBINED[word](tuple(_condition(part) for part in held))
    ((operator, operand),) = held.items()
    return Clause(word, operator, tuple(operand))
