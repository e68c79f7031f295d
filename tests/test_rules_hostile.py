"""Whatever stands in a rule file, the answer is rules or a RuleError that names a line; never another error, never a hang."""

from __future__ import annotations

import re
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rule_examples import NOON, SUBJECTS, comparison, event
from watcher.catalog.names import load as load_catalog
from watcher.errors import RuleError
from watcher.rules import RuleSet, evaluate, load_files
from watcher.rules.conditions import COMBINATORS, OPERATORS
from watcher.rules.explain import explain
from watcher.rules.fields import FIELDS
from watcher.rules.load import RuleFile
from watcher.rules.read_rule import OPTIONS
from watcher.rules.watches import WATCHES

LINE = re.compile(r"x\.yaml:[1-9]\d*: .{1,500}\Z")


def loaded(body: bytes) -> RuleSet | None:
    """The rules of some bytes; None if they are refused, with a line and words for every problem."""
    try:
        return load_files([RuleFile("x.yaml", body)], load_catalog(), ["team"])
    except RuleError as error:
        problems = error.problems
    assert problems
    assert [problem for problem in problems if not LINE.match(problem)] == []
    return None


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_with_a_line(body: bytes) -> None:
    loaded(body)


@given(st.text(alphabet="rules:- idwatch{}[]\"'\n ,&*!|>#%@?~\t1.\\", max_size=200))
def test_any_yaml_like_text_is_read_or_refused_with_a_line(text: str) -> None:
    loaded(text.encode())


WORDS = st.sampled_from(
    [
        "b300",
        "Server",
        "closed",
        "NVIDIA",
        "v6.1",
        "true",
        "no",
        "6h",
        "vendor",
        "team",
        "high",
        "added",
        "changed",
        "{value:.2f}",
        "{submitter",
        "{a!r}",
        "{:}",
        "{count:row}",
        "{0}",
        "{value.max}",
        "(",
        ".*",
        "",
        "round",
        "2026-12-01",
    ]
)
SCALARS = st.one_of(WORDS, st.integers(-5, 100), st.floats(allow_nan=True), st.booleans(), st.none())
FIELD_NAMES = st.sampled_from(
    sorted({name for fields in FIELDS.values() for name in fields} | {"x", "measures.x"})
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(sorted(OPERATORS)), inner, max_size=3),
        st.dictionaries(FIELD_NAMES, inner, max_size=3),
        st.dictionaries(st.sampled_from(sorted(COMBINATORS)), st.lists(inner, max_size=2), max_size=2),
    ),
    max_leaves=8,
)
RULES = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "a b"]), "watch": st.sampled_from([*WATCHES, "reslt"])},
    optional={name: VALUES for name in OPTIONS if name not in ("id", "watch")},
)


@given(st.lists(RULES, max_size=2))
@settings(max_examples=200)
def test_any_rule_is_read_or_refused_and_what_is_read_can_be_evaluated(some: list[dict[str, Any]]) -> None:
    found = loaded(yaml.safe_dump({"rules": some}).encode())

    for rule in found.rules if found else ():
        subject = comparison(spec=rule.spec.id) if rule.spec else SUBJECTS[rule.watch]
        happened = [event(subject, f"{rule.watch}.{word}", before=subject) for word in rule.on]
        assert found is not None
        evaluate(found, happened, NOON)
        assert explain(rule, happened).text
        assert explain(rule, [subject]).considered == 1


@given(st.dictionaries(FIELD_NAMES, VALUES, min_size=1, max_size=3), st.sampled_from(sorted(WATCHES)))
@settings(max_examples=200)
def test_any_condition_is_read_or_refused(where: dict[str, Any], watch: str) -> None:
    rule = {"id": "a", "watch": watch, "where": where} | (
        {"baseline": "vendor"} if watch == "comparison" else {}
    )

    loaded(yaml.safe_dump({"rules": [rule]}).encode())
