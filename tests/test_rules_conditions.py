"""What each operator and combinator holds of, and the index that finds the rules of an event."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rule_examples import (
    SUBJECTS,
    changed,
    claim,
    comparison,
    event,
    gain,
    post,
    powered,
    record,
    result,
    rubin,
    rule,
)
from watcher.domain import Event, Power, Subject
from watcher.rules.conditions import (
    COMBINATORS,
    AllOf,
    AnyOf,
    Clause,
    Condition,
    Facts,
    NoneOf,
    Trial,
    compile_condition,
)
from watcher.rules.fields import FIELDS, field_of
from watcher.rules.match import MAX_THRESHOLDS, Matcher, alternatives
from watcher.rules.rule import Rule
from watcher.rules.titles import show


def holds(where: str, subject: Subject | Event, watch: str = "result") -> bool:
    """Whether a rule's where, as written, holds of a subject or event."""
    pair = ", baseline: vendor" if watch == "comparison" else ""
    found = rule(f"  - {{id: a, watch: {watch}{pair}, where: {where}}}\n")
    happened = subject if isinstance(subject, Event) else event(subject)
    return compile_condition(found.where, watch)(Facts(happened, Trial()))


# where, and what it holds of and what not, of Acme's closed Server row of eight B300 (fp4 and fp8).
CASES = [
    ("{scenario: SERVER}", True),
    ("{scenario: [Offline, Server]}", True),
    ("{scenario: [Offline, Interactive]}", False),
    ("{scenario: {none_of: [Offline]}}", True),
    ("{scenario: {none_of: [Offline, Server]}}", False),
    ("{accelerator_count: 8}", True),
    ("{accelerator_count: [4, 72]}", False),
    ("{accelerator_count: {gte: 8}}", True),
    ("{accelerator_count: {gt: 8}}", False),
    ("{accelerator_count: {lte: 8}}", True),
    ("{accelerator_count: {lt: 8}}", False),
    ("{accelerator_count: {between: [4, 8]}}", True),
    ("{accelerator_count: {between: [9, 72]}}", False),
    ("{accelerator_count: {gte: 4, lt: 9}}", True),
    ("{accelerator_count: {gte: 4, lt: 8}}", False),
    ("{precision: FP8}", True),
    ("{precision: {none_of: [int8]}}", True),
    ("{precision: {none_of: [int8, fp8]}}", False),
    ("{precision: [int8, bf16]}", False),
    ("{accelerator_published: {contains: sxm-270}}", True),
    ("{accelerator_published: {contains: [PCIe, sxm]}}", True),
    ("{accelerator_published: {contains: PCIe}}", False),
    (r"{platform: {matches: '^ACME-.*x\d+$'}}", True),
    ("{platform: {matches: [nothing, b300]}}", True),
    ("{platform: {matches: '^b300'}}", False),
    ("{power: {exists: false}}", True),
    ("{power: {exists: true}}", False),
    ("{power.kind: {none_of: [measured]}}", True),
    ("{power.kind: measured}", False),
    ("{system: {exists: false}}", True),
    ("{system: {none_of: [gb300-nvl72]}}", True),
    ("{value_per_accelerator: 5000}", True),
    ("{round: v6.1}", True),
    ("{round: training-v6.1}", False),
    ("{before.value: {exists: true}}", False),
    ("{before.value: {exists: false}}", False),
    ("{before.value: {none_of: [1]}}", False),
    ("{none: [{before.value: {gt: 0}}]}", True),
    ("{any: [{division: open}, {scenario: Server}]}", True),
    ("{any: [{division: open}, {scenario: Offline}]}", False),
    ("{any: [{division: closed, scenario: Offline}, {division: open}]}", False),
    ("{all: [{division: closed}, {scenario: Server}]}", True),
    ("{none: [{division: open}, {scenario: Offline}]}", True),
    ("{none: [{division: open}, {scenario: Server}]}", False),
    ("{event: added}", True),
    ("{private: false}", True),
]  # fmt: skip


@pytest.mark.parametrize(("where", "expected"), CASES, ids=[where for where, _ in CASES])
def test_a_condition_holds_of_what_it_says(where: str, expected: bool) -> None:
    assert holds(where, result()) is expected


def test_a_submitter_is_the_published_name_or_one_of_its_organisations() -> None:
    joint = result(submitter="Dell_MangoBoost", organisations=("Dell", "MangoBoost"))

    assert holds("{submitter: dell}", joint)
    assert holds("{submitter: Dell_MangoBoost}", joint)
    assert not holds("{submitter: {none_of: [MangoBoost]}}", joint)
    assert not holds("{submitter: HPE}", joint)


def test_a_round_may_be_named_with_its_suite() -> None:
    training = result(suite="training", round="v5.1")

    assert holds("{round: v5.1}", training)
    assert holds("{round: training-v5.1}", training)
    assert not holds("{round: storage-v5.1}", training)


def test_each_kind_of_power_is_asked_by_its_own_name() -> None:
    measured = powered()
    both = replace(measured, power=(*measured.power, Power("design", 12_000.0, "W")))

    assert holds("{power: {exists: true}}", measured)
    assert holds("{power.kind: design}", both)
    assert holds("{power.kind: {none_of: [provisioned]}}", both)
    assert holds("{power.value: {gte: 12000}}", both)
    assert not holds("{power.value: {gte: 12000}}", measured)


def test_a_power_limit_in_the_notes_is_not_power() -> None:
    assert holds("{accelerator_power_limit_watts: 2300, power: {exists: false}}", rubin())


def test_further_figures_are_fields_by_their_own_name() -> None:
    point = result(measures={"ttft_p99_ms": 420.0})

    assert holds("{measures.ttft_p99_ms: {lt: 500}}", point)
    assert not holds("{measures.tpot_p99_ms: {lt: 500}}", point)
    assert holds("{before.measures.ttft_p99_ms: {gt: 400}}", changed(point, result()))


def test_the_state_before_a_change_has_fields_too() -> None:
    corrected = changed(result(value=30_000.0), result())

    assert holds("{before.value: {lt: 40000}, value: 40000}", corrected)


def test_words_in_a_post_are_whole_words_whatever_stands_between_them() -> None:
    written = post(title="Results", text="The GB300-NVL72 (a rack), power\n capped.")

    assert holds("{text: {contains: gb300 nvl72}}", written, "post")
    assert holds("{text: {contains: Power capped}}", written, "post")
    assert not holds("{text: {contains: gb30}}", written, "post")
    assert not holds(
        "{text: {contains: rack power capped}}", replace(written, text="racks, power capped"), "post"
    )
    assert holds("{text: {contains: '!'}}", replace(written, text="ready !"), "post")


def test_a_post_names_its_rounds() -> None:
    text = (
        "vLLM v0.11 ran MLPerf® Inference v6.1 and, a year ago, MLPerf Training 5.1; see also release v2.0."
    )

    assert holds("{rounds: v6.1}", post(title="", text=text), "post")
    assert holds("{rounds: [v5.1]}", post(title="", text=text), "post")
    assert not holds("{rounds: [v0.11, v2.0]}", post(title="", text=text), "post")


def test_a_claim_about_a_rack_is_a_claim_about_its_accelerator() -> None:
    said = SUBJECTS["claim"]

    assert holds("{subject_system: vera-rubin}", said, "claim")
    assert holds("{subject_system: vera-rubin-nvl72}", said, "claim")
    assert holds("{system: gb300}", said, "claim")
    assert not holds("{subject_system: gb300}", said, "claim")


def test_a_claim_names_a_system_as_people_write_it() -> None:
    def about(name: str, system: str) -> bool:
        return holds(f"{{subject_system: {name}}}", claim(subject_system=system), "claim")

    assert about("jetson-thor", "Jetson AGX Thor")
    assert about("rtx-4090", "GeForce RTX 4090")
    assert about("mi355x", "8x MI355X")
    assert about("b300", "HGX B300")
    assert not about("b300", "GB300 NVL72")


def test_a_comparison_has_the_fields_of_both_sides() -> None:
    figure = comparison(system_type="datacenter")

    assert holds("{accelerator: vera-rubin, subject.accelerator_count: 72}", figure, "comparison")
    assert holds("{baseline.accelerator: b300, differs: software}", figure, "comparison")
    assert holds("{system_type: datacenter, ratio: 1.5, row_ratio: 2}", figure, "comparison")


def test_the_ratio_of_latencies_is_that_of_the_rows() -> None:
    slow = comparison(per_accelerator=None, subject=rubin(better="lower"))

    assert holds("{ratio: 2}", slow, "comparison")
    assert not holds("{per_accelerator_ratio: {exists: true}}", slow, "comparison")


def test_a_gain_says_what_is_not_alike_where_both_rounds_say_it() -> None:
    before = result(
        round="v6.0", processor="Intel  Xeon", accelerator_power_limit_watts=1000.0, software=("vllm",)
    )

    assert show(FIELDS["gain"]["differs"], event(gain(before=before))) == ("software",)
    assert show(FIELDS["gain"]["differs"], event(gain(before=replace(before, accelerator_count=4)))) == (
        "accelerator_count",
        "software",
    )


def test_a_record_says_how_much_better_it_is() -> None:
    latency = record(best=result(better="lower", value=10.0), before=result(better="lower", value=20.0))

    assert holds("{ratio: 2}", record(), "record")
    assert holds("{ratio: 2}", latency, "record")
    assert not holds("{ratio: {exists: true}}", record(before=None), "record")


def test_a_pattern_that_runs_out_of_time_does_not_match_and_is_counted() -> None:
    trial = Trial()
    condition = Clause("notes", "matches", ("(a|a)+$",))
    facts = [Facts(event(result(notes="a" * 60 + f"{n}!")), trial) for n in range(5)]

    assert [compile_condition(condition, "result")(each) for each in facts] == [False] * 5
    assert trial.timeouts == {"(a|a)+$": 3}


@pytest.mark.parametrize("watch", FIELDS)
def test_every_field_of_every_watch_can_be_read_and_holds_its_type(watch: str) -> None:
    happened = event(SUBJECTS[watch], f"{watch}.x")
    types = {"number": (int, float), "flag": bool, "time": (int, float)}

    for field in FIELDS[watch].values():
        values = Facts(happened, Trial()).of(field) or ()
        assert all(isinstance(value, types.get(field.row.type, str)) for value in values), field.name
        assert field.help
        assert field_of(watch, field.name) is field


# ---------------------------------------------------------------------------------------------- the index

FIELD_VALUES: dict[str, list[Any]] = {
    "division": ["closed", "open", None],
    "scenario": ["Offline", "Server", "Interactive", None],
    "accelerator": ["b300", "gb300", None],
    "precision": [(), ("fp4",), ("fp4", "fp8"), ("int8",)],
    "accelerator_count": [None, 1, 8, 36, 72, 288],
    "value": [0.5, 1.0, 40_000.0],
}


def _clauses() -> st.SearchStrategy[Condition]:
    words = {
        "division": ["closed", "open"],
        "scenario": ["Offline", "Server"],
        "accelerator": ["b300", "gb300"],
        "precision": ["fp4", "fp8", "int8"],
    }
    by_word = st.sampled_from(sorted(words)).flatmap(
        lambda name: st.builds(
            Clause,
            st.just(name),
            st.sampled_from(["is", "none_of", "contains"]),
            st.lists(st.sampled_from(words[name]), min_size=1, max_size=2).map(tuple),
        )
    )
    by_number = st.builds(
        Clause,
        st.sampled_from(["accelerator_count", "value", "before.value"]),
        st.sampled_from(["is", "none_of", "gt", "gte", "lt", "lte"]),
        st.sampled_from([(1,), (8,), (36,), (72.0,), (0.5,)]),
    )
    between = st.builds(
        Clause, st.just("accelerator_count"), st.just("between"), st.sampled_from([(1, 8), (8, 72)])
    )
    exists = st.builds(
        Clause,
        st.sampled_from([*FIELD_VALUES, "before.value"]),
        st.just("exists"),
        st.sampled_from([(True,), (False,)]),
    )
    return st.one_of(by_word, by_number, between, exists)


CONDITIONS = st.recursive(
    _clauses(),
    lambda inner: st.builds(
        lambda word, parts: COMBINATORS[word](tuple(parts)),
        st.sampled_from(sorted(COMBINATORS)),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)
RESULTS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in FIELD_VALUES.items()})


@given(st.lists(CONDITIONS, min_size=1, max_size=30), RESULTS, st.none() | RESULTS)
@settings(max_examples=150)
def test_the_index_finds_exactly_the_rules_that_hold(
    conditions: list[Condition], after: dict[str, Any], before: dict[str, Any] | None
) -> None:
    every = [
        Rule(id=f"r{n}", watch="result", on=("added", "changed"), title="", where=condition)
        for n, condition in enumerate(conditions)
    ]
    happened = event(result(**after), before=result(**before) if before else None)

    found = {rule.id for rule, _ in Matcher(every).matching(happened, Trial())}

    facts = Facts(happened, Trial())
    assert found == {rule.id for rule in every if compile_condition(rule.where, "result")(facts)}


def test_many_thresholds_share_bits_and_still_find_exactly_the_right_rules() -> None:
    count = 3 * MAX_THRESHOLDS + 1
    every = [
        Rule(
            id=f"{operator}{n}",
            watch="result",
            on=("added",),
            title="",
            where=Clause("value", operator, (n,)),
        )
        for n in range(count)
        for operator in ("gt", "gte", "lt", "lte")
    ]
    matcher = Matcher(reversed(every))

    for value in (-1.0, 0.0, 700.0, 700.5, count - 1.0, count + 1.0):
        found = {rule.id for rule, _ in matcher.matching(event(result(value=value)), Trial())}
        assert found == {
            *(f"gt{n}" for n in range(count) if value > n),
            *(f"gte{n}" for n in range(count) if value >= n),
            *(f"lt{n}" for n in range(count) if value < n),
            *(f"lte{n}" for n in range(count) if value <= n),
        }


def test_alternatives_are_indexed_each_by_its_own_clauses() -> None:
    a, b, c = (Clause(name, "is", ("x",)) for name in ("platform", "notes", "url"))

    assert alternatives(AllOf((a, AnyOf((b, c)), NoneOf((b,))))) == [(a, b), (a, c)]


def test_only_rules_whose_alternatives_may_hold_are_tried() -> None:
    """Counted by the fields that are read: a rule that cannot match reads none beyond the indexed ones."""
    never = [
        Rule(
            id=f"r{n}",
            watch="result",
            on=("added",),
            title="",
            where=AllOf(
                (
                    AnyOf((Clause("submitter", "is", (f"s{n}",)), Clause("platform", "is", (f"p{n}",)))),
                    Clause("notes", "contains", ("x",)),
                )
            ),
        )
        for n in range(1000)
    ]
    once = Rule(
        id="once", watch="result", on=("added",), title="", where=Clause("submitter", "is", ("acme",))
    )

    found = list(Matcher([*never, once]).matching(event(result(notes="x")), Trial()))

    assert [rule.id for rule, _ in found] == ["once"]
    assert set(found[0][1].held) == {"submitter"}
