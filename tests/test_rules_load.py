"""Reading rule files: what is right becomes a frozen rule, what is wrong is one line with file, line and what was meant."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.rule_examples import problems, rule, rules
from watcher.catalog.names import load as load_catalog
from watcher.errors import RuleError
from watcher.figures import ComparisonSpec, SystemSelector
from watcher.rules import digest, load, read_files
from watcher.rules.conditions import AllOf, AnyOf, Clause, NoneOf

DATA = Path(__file__).parent / "data" / "rules"

# Each: what stands under "rules:\n  - id: b300\n    watch: WATCH\n", and the one line that it gives (lines count from 1).
WRONG = {
    "an unknown option": ("result", "    sevrity: high", "4: rule 'b300': unknown option 'sevrity'; did you mean 'severity'?"),
    "a field outside where": ("result", "    accelerator: b300", "4: rule 'b300': 'accelerator' is a field; write it under where:"),
    "an unknown field": ("result", "    where: {acelerator: b300}", "4: rule 'b300': unknown field 'acelerator'; did you mean 'accelerator'?"),
    "a field of another watch": ("result", "    where: {verdict: confirmed}", "4: rule 'b300': field 'verdict' belongs to watch: claim, not result"),
    "a mistyped field of another watch": ("result", "    where: {verdct: confirmed}", "4: rule 'b300': unknown field 'verdct'; did you mean 'verdict' of watch: claim?"),
    "an unknown operator": ("result", "    where:\n      accelerator_count: {gtee: 8}", "5: rule 'b300': accelerator_count: unknown operator 'gtee'; did you mean 'gte'?"),
    "an operator that does not fit": ("result", "    where: {scenario: {gte: 8}}", "4: rule 'b300': scenario: gte does not fit a name; known are none_of, contains, matches, exists"),
    "an unknown name": ("result", "    where: {accelerator: b3000}", "4: rule 'b300': unknown accelerator 'b3000'; did you mean 'b300'? For a name that the catalog does not have: accelerator_published: {contains: b3000}"),
    "an unknown name in a list": ("result", "    where:\n      organisations:\n        none_of: [NVIDIA,\n          Nebbius]", "7: rule 'b300': unknown submitter 'Nebbius'; did you mean 'Nebius'? For a name that the catalog does not have: submitter_published: {contains: Nebbius}"),
    "a name like no other": ("result", "    where: {accelerator: qqq}", "4: rule 'b300': unknown accelerator 'qqq'. For a name that the catalog does not have: accelerator_published: {contains: qqq}"),
    "an unknown word of few": ("result", "    where: {division: clsed}", "4: rule 'b300': unknown division 'clsed'; did you mean 'closed'?"),
    "something that is no round": ("result", "    where: {round: latest}", "4: rule 'b300': unknown round 'latest'; write v6.1, or with its suite training-v5.1"),
    "an unknown kind of power": ("result", "    where: {power.kind: mesured}", "4: rule 'b300': unknown power.kind 'mesured'; did you mean 'measured'?"),
    "power with a value": ("result", "    where: {power: measured}", "4: rule 'b300': power: can only be asked whether it exists; for more name power.kind, .value or .unit"),
    "a word for a number": ("result", "    where: {accelerator_count: many}", "4: rule 'b300': accelerator_count: needs a number, not 'many'"),
    "a number in quotes": ("result", "    where: {accelerator_count: '8'}", "4: rule 'b300': accelerator_count: needs a number, not '8'; leave out the quotes"),
    "a word for yes or no": ("result", "    where: {inferred: maybe}", "4: rule 'b300': inferred: needs true or false, not 'maybe'"),
    "a word for a time": ("result", "    where: {first_seen_at: {gte: soon}}", "4: rule 'b300': first_seen_at: needs a date or time such as 2026-12-01, not 'soon'"),
    "exists without yes or no": ("result", "    where: {power: {exists: perhaps}}", "4: rule 'b300': power: exists: needs true or false, not 'perhaps'"),
    "a list for a bound": ("result", "    where: {accelerator_count: {gte: [8, 72]}}", "4: rule 'b300': accelerator_count: gte needs one value, not a list"),
    "between without two": ("result", "    where: {accelerator_count: {between: [8]}}", "4: rule 'b300': accelerator_count: between needs a list of two, the lower first, such as [8, 72]"),
    "between upside down": ("result", "    where: {accelerator_count: {between: [72, 8]}}", "4: rule 'b300': accelerator_count: between needs a list of two, the lower first, such as [8, 72]"),
    "bounds that nothing can meet": ("result", "    where: {accelerator_count: {gte: 72, lt: 72}}", "4: rule 'b300': accelerator_count: nothing can be over 72 and under 72"),
    "a broken pattern": ("result", "    where: {platform: {matches: '(x'}}", "4: rule 'b300': platform: '(x' is not a regular expression: missing ) at position 2"),
    "a title like a page": ("result", f"    title: '{'x' * 501}'", "4: rule 'b300': title: has 501 characters; at most 500"),
    "a condition without a value": ("result", "    where: {accelerator: }", "4: rule 'b300': accelerator: needs one value, not nothing"),
    "a condition without an operator": ("result", "    where: {value: {}}", "4: rule 'b300': value: needs a value or an operator; known are none_of, gt, gte, lt, lte, between, exists"),
    "an empty list": ("result", "    where: {accelerator: []}", "4: rule 'b300': accelerator: the list is empty"),
    "an empty where": ("result", "    where: {}", "4: rule 'b300': where: needs fields, such as accelerator: b300"),
    "a combinator without a list": ("result", "    where: {any: {scenario: Server}}", "4: rule 'b300': any: needs a list of conditions, such as [{accelerator: b300}, {scenario: Server}]"),
    "an unknown event": ("result", "    on: [added, chnged]", "4: rule 'b300': unknown event of watch: result 'chnged'; did you mean 'changed'?"),
    "an event of another watch": ("post", "    on: changed", "4: rule 'b300': unknown event of watch: post 'changed'; known are added, updated"),
    "an unknown severity": ("result", "    severity: hgih", "4: rule 'b300': unknown severity 'hgih'; did you mean 'high'?"),
    "an unknown receiver": ("result", "    receivers: team-slak", "4: rule 'b300': unknown receiver 'team-slak'; did you mean 'team-slack'?"),
    "group_by of another watch": ("result", "    group_by: [round, vendor]", "4: rule 'b300': group_by field 'vendor' belongs to watch: claim or post, not result"),
    "an unknown group_by": ("result", "    group_by: rund", "4: rule 'b300': unknown group_by field 'rund'; did you mean 'round'?"),
    "an unknown title field": ("result", "    title: '{submiter} is back'", "4: rule 'b300': unknown title field 'submiter'; did you mean 'submitter'?"),
    "a title field of another watch": ("result", "    title: '{ratio:.2f}x'", "4: rule 'b300': title field 'ratio' belongs to watch: record or comparison or gain or promise, not result"),
    "a title with an open brace": ("result", "    title: '{submitter'", "4: rule 'b300': title: expected '}' before end of string; write {{ or }} for a brace"),
    "a number's format on a word": ("result", "    title: '{submitter:.2f}'", "4: rule 'b300': title {submitter:.2f}: the format must be title or upper or lower"),
    "a word's format on a number": ("result", "    title: '{value:upper}'", "4: rule 'b300': title {value:upper}: the format must be a number's format such as .2f"),
    "a format that would fill the page": ("result", "    title: '{value:9999999999f}'", "4: rule 'b300': title {value:9999999999f}: the format must be a number's format such as .2f"),
    "the largest of words": ("result", "    title: '{submitter.max}'", "4: rule 'b300': title {submitter.max}: .max needs a number field"),
    "a conversion in a title": ("result", "    title: '{submitter!r}'", "4: rule 'b300': title {submitter!r}: conversions are not used"),
    "a pattern that would take all memory": ("result", "    where: {notes: {matches: '(?:[ab]{1000}c){1000}'}}", "4: rule 'b300': notes: '(?:[ab]{1000}c){1000}' is not a regular expression: its counted repeats multiply to more than 10,000; use * or + instead"),
    "a cooldown beyond the calendar": ("result", "    cooldown: 99999999d", "4: rule 'b300': cooldown: needs a time such as 30m, 6h or 2d, at most ten years, not '99999999d'"),
    "a bad cooldown": ("result", "    cooldown: 6 hours", "4: rule 'b300': cooldown: needs a time such as 30m, 6h or 2d, at most ten years, not '6 hours'"),
    "a bad deadline": ("result", "    until: spring", "4: rule 'b300': until: needs a date or time such as 2026-12-01, not 'spring'"),
    "a bad tolerance": ("gain", "    tolerance: little", "4: rule 'b300': tolerance: needs a share such as 0.02 or 2 %, not 'little'"),
    "digest_only without yes or no": ("result", "    digest_only: 7", "4: rule 'b300': digest_only: needs true or false, not '7'"),
    "a list for a title": ("result", "    title: [a, b]", "4: rule 'b300': title: needs one value, not a list"),
    "when where there is no figure": ("claim", "    when: {verdict: confirmed}", "4: rule 'b300': option 'when' belongs to watch: result or record or comparison or scaling or gain or rank or promise, not claim"),
    "fields without a change": ("result", "    on: added\n    fields: notes", "5: rule 'b300': 'fields' needs 'changed' in on:"),
    "an unknown field of a change": ("result", "    fields: nots", "4: rule 'b300': unknown field of a change 'nots'; did you mean 'notes'?"),
    "a subject on a result": ("result", "    subject: {system: gb300-nvl72}", "4: rule 'b300': option 'subject' belongs to watch: comparison, not result"),
    "a comparison without a baseline": ("comparison", "    subject: {system: gb300-nvl72}", "2: rule 'b300': has no baseline: name a system, or vendor"),
    "a comparison without a subject": ("comparison", "    baseline: {system: gb300-nvl72}", "2: rule 'b300': has no subject: name the system that is compared with the baseline"),
    "an unknown word of a system": ("comparison", "    baseline: vendor\n    subject: {sytem: gb300-nvl72}", "5: rule 'b300': subject: unknown field 'sytem'; did you mean 'system'?"),
    "organisations of a system": ("comparison", "    baseline: vendor\n    subject: {organisations: NVIDIA}", "5: rule 'b300': subject: unknown field 'organisations'; did you mean 'submitter'?"),
    "an unknown system": ("result", "    against: {system: gb300-nvl73}", "4: rule 'b300': against: unknown system 'gb300-nvl73'; did you mean 'gb300-nvl72'? For a name that the catalog does not have: system_name: {contains: gb300-nvl73}"),
    "a system in words that is none": ("result", "    against: NVIDIA/", "4: rule 'b300': against: 'NVIDIA/' is not a system: write [SUBMITTER/]NAME[xCOUNT][@ROUND], for example NVIDIA/gb300x288@v6.1"),
    "a system that is two things": ("result", "    against: {system: gb300-nvl72, accelerator_count: 8}", "4: rule 'b300': against: a system has its own accelerator and count: name the system, or the accelerator and count"),
    "half an accelerator": ("result", "    against: {accelerator: gb300, accelerator_count: 0.5}", "4: rule 'b300': against: accelerator_count: needs a whole number, not '0.5'"),
    "an unknown per": ("comparison", "    baseline: vendor\n    per: node", "5: rule 'b300': unknown per 'node'; known are accelerator, system"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_word_is_named_with_its_line_and_what_was_meant(name: str) -> None:
    watch, text, line = WRONG[name]

    assert problems(f"rules:\n  - id: b300\n    watch: {watch}\n{text}\n") == [f"rules/x.yaml:{line}"]


# Whole files that are wrong around their rules.
WRONG_FILES = {
    "an unknown key": ("rulez:\n  - id: a\n", ["1: unknown key 'rulez'; did you mean 'rules'?"]),
    "no list": ("rules: none\n", ["1: rules: needs a list, each rule with a dash"]),
    "nothing at all": ("", ["1: a rule file starts with rules: and a list under it"]),
    "a list alone": ("- id: a\n", ["1: a rule file starts with rules: and a list under it"]),
    "a rule that is a word": ("rules:\n  - b300\n", ["2: rule 1: needs at least id and watch"]),
    "a rule without id": ("rules:\n  - watch: post\n", ["2: rule 1: has no id"]),
    "a rule without watch": ("rules:\n  - id: a\n", ["2: rule 'a': has no watch; known are result, record, name, comparison, scaling, gain, rank, promise, claim, post, round, source"]),
    "an unknown watch": ("rules:\n  - id: a\n    watch: reslt\n", ["3: rule 'a': unknown watch 'reslt'; did you mean 'result'?"]),
    "an id with a space": ("rules:\n  - id: a b\n    watch: post\n", ["2: rule 'a b': id 'a b': use letters, digits, - _ and . (at most 80)"]),
    "two rules with one id": ("rules:\n  - id: a\n    watch: post\n  - id: A\n    watch: post\n", ["4: rule 'A': this id is taken by rules/x.yaml:2"]),
    "a key twice": ("rules:\n  - id: a\n    watch: post\n    watch: round\n", ["4: key 'watch' stands twice (first in line 3)"]),
    "a field twice": ("rules:\n  - id: a\n    watch: result\n    where: {division: open, division: closed}\n", ["4: key 'division' stands twice (first in line 4)"]),
    "an alias": ("rules:\n  - id: a\n    watch: post\n    where: &w {title: {contains: x}}\n  - id: b\n    watch: post\n    where: *w\n", ["7: *w: aliases are not used in rules; write the value out"]),
    "a tag": ("rules: !!python/object:os.system\n  - id: a\n", ["1: tag:yaml.org,2002:python/object:os.system: tags are not used in rules"]),
    "two documents": ("rules: []\n---\nrules: []\n", ["2: a second document starts here; write one document a file"]),
    "a tab": ("rules:\n\t- id: a\n", ["2: not valid YAML: found character that cannot start any token"]),
    "an open bracket": ("rules: [\n", ["2: not valid YAML: did not find expected node content"]),
    "a key that is a list": ("rules:\n  - ? [a]\n    : b\n", ["2: a key must be a word"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_file_that_is_wrong_around_its_rules_is_named_with_its_line(name: str) -> None:
    text, lines = WRONG_FILES[name]

    assert problems(text) == [f"rules/x.yaml:{line}" for line in lines]


def test_a_pattern_of_nothing_but_brackets_is_refused_in_a_line_that_says_why() -> None:
    pattern = "(" * 3000 + ")" * 3000
    (line,) = problems(
        f"rules:\n  - id: b300\n    watch: result\n    where: {{platform: {{matches: '{pattern}'}}}}\n"
    )
    assert line == (
        f"rules/x.yaml:4: rule 'b300': platform: '{'(' * 79}…' is not a regular expression: "
        "its brackets are nested too deeply"
    )


def test_deep_nesting_is_refused() -> None:
    assert problems("rules: " + "- " * 100) == [
        "rules/x.yaml:1: not valid YAML: block sequence entries are not allowed in this context"
    ]
    assert problems("- " * 100) == ["rules/x.yaml:1: nested more than 24 deep"]
    assert problems("[" * 5000) == ["rules/x.yaml:1: not valid YAML: exceeded maximum nesting depth"]


def test_a_file_that_is_not_text_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"rules:\n  - id: caf\xe9\n")

    with pytest.raises(RuleError, match=r"x\.yaml:2: not UTF-8 text$"):
        load(path, load_catalog())


def test_a_huge_file_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    with path.open("wb") as opened:
        opened.truncate(10_000_000)

    with pytest.raises(RuleError, match=r"x\.yaml:1: the file is larger than 8,000,000 bytes; split it$"):
        load(path, load_catalog())


def test_all_problems_of_a_folder_are_gathered_and_the_first_is_the_line_to_print(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("rules:\n  - id: one\n    watch: reslt\n")
    (tmp_path / "a.yaml").write_text("rules:\n  - id: two\n    watch: post\n    sevrity: high\n    wher: 1\n")
    (tmp_path / "notes.txt").write_text("not a rule")

    with pytest.raises(RuleError) as caught:
        load(tmp_path, load_catalog())

    assert caught.value.problems == (
        f"{tmp_path}/a.yaml:4: rule 'two': unknown option 'sevrity'; did you mean 'severity'?",
        f"{tmp_path}/a.yaml:5: rule 'two': unknown option 'wher'; did you mean 'where'?",
        f"{tmp_path}/b.yaml:3: rule 'one': unknown watch 'reslt'; did you mean 'result'?",
    )
    assert str(caught.value) == f"{caught.value.problems[0]} (and 2 more: mlperf-watcher rules check)"


def test_one_id_in_two_files_names_both(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text("rules:\n  - id: one\n    watch: post\n")

    with pytest.raises(RuleError, match=r"b\.yaml:2: rule 'one': this id is taken by .*a\.yaml:2$"):
        load(tmp_path, load_catalog())


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="no such file or folder of rules"):
        load(tmp_path / "rulez", load_catalog())


def test_a_file_is_named_as_seen_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "x.yaml").write_text("rules:\n  - id: a\n    watch: x\n")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(RuleError, match=r"^rules/x\.yaml:3: rule 'a': unknown watch 'x'"):
        load(tmp_path / "rules", load_catalog())


def test_every_option_is_read() -> None:
    found = rule(
        """
  - id: all-of-it
    description: why
    title: "{submitter}: {value:,.0f}"
    watch: result
    on: [added, changed]
    where: {accelerator: VR200, scenario: [server, Interactive]}
    when: {value: {gte: 1_000_000}}
    fields: [value, notes]
    against: NVIDIA/gb300x288@v6.1
    group_by: round
    severity: critical
    receivers: [team-slack]
    cooldown: 6h
    digest_only: yes
    until: 2026-12-01
    enabled: off
"""
    )

    assert found.where == AllOf(
        (Clause("accelerator", "is", ("vera-rubin",)), Clause("scenario", "is", ("Server", "Interactive")))
    )
    assert found.when == Clause("value", "gte", (1_000_000,))
    assert found.against == SystemSelector(
        submitter="NVIDIA",
        name="gb300",
        accelerator="gb300",
        accelerator_count=288,
        suite="inference",
        round="v6.1",
    )
    assert (found.on, found.fields, found.group_by) == (("added", "changed"), ("value", "notes"), ("round",))
    assert (found.severity, found.receivers, found.cooldown) == ("critical", ("team-slack",), 21_600.0)
    assert (found.digest_only, found.enabled) == (True, False)
    assert found.until == datetime(2026, 12, 1, 23, 59, 59, tzinfo=UTC)
    assert (found.title, found.description) == ("{submitter}: {value:,.0f}", "why")
    assert found.place == "rules/x.yaml:3"


def test_what_is_left_out_has_the_usual_value() -> None:
    found = rule("  - {id: a, watch: result}\n")

    assert (found.on, found.severity, found.receivers) == (("added", "changed"), "info", ())
    assert (found.group_by, found.cooldown, found.until, found.enabled) == ((), None, None, True)
    assert found.where == AllOf(())


def test_words_stay_words_and_need_no_quotes() -> None:
    found = rule(
        "  - {id: a, watch: result, where: {accuracy_target: 99.9, round: 6.1, platform: no, processor_core_count: 1e2}}\n"
    )

    assert found.where == AllOf(
        (
            Clause("accuracy_target", "is", ("99.9",)),
            Clause("round", "is", ("v6.1",)),
            Clause("platform", "is", ("no",)),
            Clause("processor_core_count", "is", (100.0,)),
        )
    )


def test_any_spelling_of_a_name_is_kept_as_the_catalog_writes_it() -> None:
    found = rule(
        "  - {id: a, watch: result, where: {submitter: ORACLE, benchmark: VLM, round: Training-5.1, division: Closed}}\n"
    )

    assert found.where == AllOf(
        (
            Clause("submitter", "is", ("Oracle",)),
            Clause("benchmark", "is", ("qwen3-vl-235b-a22b",)),
            Clause("round", "is", ("training-v5.1",)),
            Clause("division", "is", ("closed",)),
        )
    )


def test_a_joint_submitter_is_known_if_its_organisations_are() -> None:
    assert rule("  - {id: a, watch: result, where: {submitter: Dell_MangoBoost}}\n").where == Clause(
        "submitter", "is", ("Dell_MangoBoost",)
    )


def test_a_name_that_is_still_to_come_can_be_sought_as_published() -> None:
    found = rule("  - {id: a, watch: result, where: {accelerator_published: {contains: MI900X}}}\n")

    assert found.where == Clause("accelerator_published", "contains", ("MI900X",))


def test_combinators_nest() -> None:
    found = rule(
        """
  - id: a
    watch: result
    where:
      any:
        - {division: open}
        - all: [{division: closed}, {none: [{scenario: Offline}, {scenario: Server}]}]
"""
    )

    def scenario(name: str) -> Clause:
        return Clause("scenario", "is", (name,))

    assert found.where == AnyOf(
        (
            Clause("division", "is", ("open",)),
            AllOf((Clause("division", "is", ("closed",)), NoneOf((scenario("Offline"), scenario("Server"))))),
        )
    )


def test_a_comparison_asks_for_its_pair() -> None:
    found = rule(
        """
  - id: a
    watch: comparison
    subject: {system: Vera Rubin NVL72}
    baseline: {accelerator: GB300, accelerator_count: 72, submitter: nvidia}
    per: system
    title: "{ratio:.2f}x, {before.ratio} before"
    when: {ratio: {gte: 2}}
"""
    )
    rubin = SystemSelector(name="vera-rubin-nvl72", accelerator="vera-rubin", accelerator_count=72)
    gb300 = SystemSelector(submitter="NVIDIA", name="gb300", accelerator="gb300", accelerator_count=72)

    assert found.spec == ComparisonSpec(subject=rubin, baseline=gb300, per="system")
    assert found.when == Clause("row_ratio", "gte", (2,))
    assert found.title == "{row_ratio:.2f}x, {before.row_ratio} before"


def test_the_vendor_can_be_the_baseline_of_everybody() -> None:
    found = rules("  - {id: a, watch: comparison, baseline: vendor, when: {ratio: {gte: 1.05}}}\n")

    assert found.rules[0].spec == ComparisonSpec(subject=SystemSelector(), baseline=None, per="accelerator")
    assert ("mi355x", "AMD") in found.vendors
    assert found.wanted().vendors == found.vendors


def test_the_figures_wanted_are_those_of_enabled_rules() -> None:
    found = rules(
        "  - {id: a, watch: scaling}\n"
        "  - {id: b, watch: gain, enabled: false}\n"
        "  - {id: c, watch: record}\n"
        "  - {id: d, watch: comparison, subject: {accelerator: b300}, baseline: {accelerator: b200}}\n"
    ).wanted()

    assert (found.scaling, found.gains, found.records, len(found.comparisons)) == (True, False, True, 1)
    assert found.vendors == frozenset()


def test_receivers_are_not_checked_where_none_are_given(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("rules:\n  - {id: a, watch: post, receivers: somebody}\n")

    assert load(tmp_path, load_catalog()).rules[0].receivers == ("somebody",)


def test_a_config_without_receivers_says_so() -> None:
    assert problems("rules:\n  - {id: a, watch: post, receivers: somebody}\n", receivers=()) == [
        "rules/x.yaml:2: rule 'a': unknown receiver 'somebody'; the config names no receivers"
    ]


def test_the_digest_changes_with_any_byte_of_any_file(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("rules: []\n")
    first = digest(read_files(tmp_path))
    path.write_text("rules: [] # one more\n")

    assert load(tmp_path, load_catalog()).digest == digest(read_files([path])) != first


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('"b300\\e[2Jnothing"', r"b300\x1b[2Jnothing"),
        ('"b300\\u202e003b"', r"b300\u202e003b"),
        ('"b300\\u200b"', r"b300\u200b"),
        ('"../../etc/b300"', "../../etc/b300"),
        ("b\u0437\u043e\u043e", "b\u0437\u043e\u043e"),  # letters that look like others
        ('"b300\\x9b2J"', r"b300\x9b2J"),
    ],
)
def test_an_id_that_steers_a_terminal_hides_or_leads_elsewhere_is_refused_and_shown_spelled_out(
    written, shown
):
    (said,) = problems(f"rules:\n  - id: {written}\n    watch: result\n")
    assert said.endswith(f"2: rule '{shown}': id '{shown}': use letters, digits, - _ and . (at most 80)")
    assert said.isprintable()
