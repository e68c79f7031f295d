"""What is made of the tables of fields, options and operators: docs, help, the JSON Schema; and rules kept as JSON."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.rule_examples import rules
from watcher.catalog.names import load as load_catalog
from watcher.rules import load
from watcher.rules.as_json import rule_to_json
from watcher.rules.conditions import COMBINATORS, OPERATORS
from watcher.rules.fields import FIELDS
from watcher.rules.load import RuleFile, load_files
from watcher.rules.read_rule import OPTIONS
from watcher.rules.reference import field_rows, fill
from watcher.rules.schema import schema
from watcher.rules.watches import WATCHES

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "rules.md"
SHIPPED = ROOT / "rules"


def test_the_tables_in_the_docs_are_current() -> None:
    text = DOCS.read_text()

    assert fill(text) == text, "run: python -m watcher.rules.reference docs/rules.md"


def test_a_document_without_a_place_for_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="the document has no place for the table watches"):
        fill("# Rules\n")


def test_every_rule_in_the_docs_loads() -> None:
    shown = re.findall(r"```yaml\n(rules:\n.*?)```", DOCS.read_text(), re.DOTALL)

    loaded = [load_files([RuleFile("docs/rules.md", text.encode())], load_catalog()) for text in shown]

    assert [len(found.rules) for found in loaded] == [1] * 5


def test_the_docs_name_every_shipped_rule() -> None:
    text = DOCS.read_text()

    assert [r.id for r in load(SHIPPED, load_catalog()).rules if f"`{r.id}`" not in text] == []


def test_help_has_a_row_for_every_field() -> None:
    rows = field_rows()

    assert len(rows) == sum(len(fields) for fields in FIELDS.values())
    assert field_rows("post")[0] == {
        "watch": "post",
        "name": "title",
        "type": "text",
        "operators": ["is", "none_of", "contains", "matches", "exists"],
        "choices": [],
        "help": "the post's title",
    }


# ---------------------------------------------------------------------------------------------- JSON Schema


def valid(value: Any, shape: dict[str, Any], root: dict[str, Any]) -> bool:
    """Whether a value meets a schema, for the few words of JSON Schema that ours uses."""
    if "$ref" in shape:
        target: Any = root
        for part in shape["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        if not valid(value, target, root):
            return False
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float)}
    wanted = shape.get("type", [])
    named = [wanted] if isinstance(wanted, str) else wanted
    if named and not any(
        isinstance(value, kinds[kind]) and (kind != "number" or not isinstance(value, bool)) for kind in named
    ):
        return False
    checks = [
        "enum" not in shape or value in shape["enum"],
        "const" not in shape or value == shape["const"],
        "pattern" not in shape
        or not isinstance(value, str)
        or re.search(shape["pattern"], value) is not None,
        "minimum" not in shape or not isinstance(value, int | float) or value >= shape["minimum"],
        "anyOf" not in shape or any(valid(value, way, root) for way in shape["anyOf"]),
        all(valid(value, part, root) for part in shape.get("allOf", [])),
        "if" not in shape or not valid(value, shape["if"], root) or valid(value, shape["then"], root),
    ]
    if isinstance(value, list):
        checks += [shape.get("minItems", 0) <= len(value) <= shape.get("maxItems", len(value))]
        checks += [valid(item, shape.get("items", {}), root) for item in value]
    if isinstance(value, dict):
        checks += [
            len(value) >= shape.get("minProperties", 0),
            *(key in value for key in shape.get("required", [])),
        ]
        checks += [_property(key, held, shape, root) for key, held in value.items()]
    return all(checks)


def _property(key: str, value: Any, shape: dict[str, Any], root: dict[str, Any]) -> bool:
    if key in shape.get("properties", {}):
        return valid(value, shape["properties"][key], root)
    for pattern, inner in shape.get("patternProperties", {}).items():
        if re.search(pattern, key):
            return valid(value, inner, root)
    return shape.get("additionalProperties", True) is not False


def accepted(text: str) -> bool:
    """Whether an editor with our schema would find nothing wrong with a rule file."""
    shape = schema()
    return valid(_as_editors_read(yaml.safe_load(text)), shape, shape)


def _as_editors_read(value: Any) -> Any:
    """YAML 1.2, as editors read it: ``on`` is a word there, not a boolean."""
    if isinstance(value, dict):
        return {"on" if key is True else key: _as_editors_read(held) for key, held in value.items()}
    return [_as_editors_read(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.yaml")), ids=lambda path: path.name)
def test_the_schema_accepts_every_shipped_rule(path: Path) -> None:
    assert accepted(path.read_text())


@pytest.mark.parametrize(
    "wrong",
    [
        "{id: a}",
        "{id: a, watch: reslt}",
        "{id: a b, watch: post}",
        "{id: a, watch: post, sevrity: high}",
        "{id: a, watch: post, severity: hgih}",
        "{id: a, watch: post, on: changed}",
        "{id: a, watch: post, when: {title: x}}",
        "{id: a, watch: result, where: {acelerator: b300}}",
        "{id: a, watch: result, where: {accelerator_count: many}}",
        "{id: a, watch: result, where: {accelerator_count: {gtee: 8}}}",
        "{id: a, watch: result, where: {scenario: {gte: 8}}}",
        "{id: a, watch: result, where: {power: measured}}",
        "{id: a, watch: result, where: {any: {scenario: Server}}}",
        "{id: a, watch: result, group_by: [vendor]}",
        "{id: a, watch: comparison, baseline: {sytem: x}}",
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(wrong: str) -> None:
    assert not accepted(f"rules:\n  - {wrong}\n")


def test_the_schema_knows_every_watch_option_operator_and_field() -> None:
    defs = schema()["$defs"]

    assert set(WATCHES) <= set(defs)
    assert {name for watch in WATCHES for name in defs[watch]["properties"]} == set(OPTIONS)
    assert {name for each in defs["operators"].values() for name in each["properties"]} == set(OPERATORS) - {
        "is"
    }
    for watch, fields in FIELDS.items():
        assert set(defs[f"{watch}-where"]["properties"]) == {*fields, *COMBINATORS}


def test_every_reference_of_the_schema_leads_somewhere() -> None:
    shape = schema()
    names = set(re.findall(r'"\$ref": "#/\$defs/([^"]+)"', json.dumps(shape)))

    for name in names:
        target = shape["$defs"]
        for part in name.split("/"):
            target = target[part]
        assert target


# ---------------------------------------------------------------------------------------------- kept rules


EVERYTHING = """
  - id: all-of-it
    title: "{value}"
    watch: result
    where:
      accelerator: [b300, gb300]
      any: [{division: closed}, {accelerator_count: {between: [8, 72]}}]
      none: [{inferred: true}, {first_seen_at: {lt: 2026-01-01}}]
    when: {value: {gt: 1.5}}
    fields: [notes]
    against: NVIDIA/gb300x288@v6.1
    group_by: [round]
    receivers: [team-slack]
    cooldown: 6h
    until: 2026-12-01
  - {id: pair, watch: comparison, subject: {accelerator: mi355x}, baseline: vendor, per: system, tolerance: 2 %}
  - {id: plain, watch: post}
"""


def test_a_rule_in_json_says_what_is_not_as_usual() -> None:
    assert rule_to_json(rules(EVERYTHING).by_id["plain"]) == {
        "id": "plain",
        "watch": "post",
        "on": ["added"],
        "title": "{vendor}: {title}",
        "place": "rules/x.yaml:18",
    }


def test_rules_can_be_pickled() -> None:
    found = rules(EVERYTHING)

    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own bytes
