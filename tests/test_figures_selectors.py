from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.figure_rows import catalog, row
from watcher.errors import UsageError
from watcher.figures import Filter, SystemSelector, parse_system, selector_of


def parse(text: str, **options: object) -> SystemSelector:
    return parse_system(text, catalog(), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gb300", SystemSelector(name="gb300", accelerator="gb300")),
        ("gb300-nvl72", SystemSelector(name="gb300-nvl72", accelerator="gb300", accelerator_count=72)),
        ("GB300 NVL72", SystemSelector(name="gb300-nvl72", accelerator="gb300", accelerator_count=72)),
        ("mi355x", SystemSelector(name="mi355x", accelerator="mi355x")),
        ("mi355xx8", SystemSelector(name="mi355x", accelerator="mi355x", accelerator_count=8)),
        ("mi355x x8", SystemSelector(name="mi355x", accelerator="mi355x", accelerator_count=8)),
        ("VR200@6.1", SystemSelector(name="vera-rubin", accelerator="vera-rubin", suite="inference", round="v6.1")),
        ("cpu@v6.1", SystemSelector(name="cpu", suite="inference", round="v6.1")),
        ("b200@training-v5.1", SystemSelector(name="b200", accelerator="b200", suite="training", round="v5.1")),
        (
            "nvidia/gb300x288@v6.1",
            SystemSelector(
                submitter="NVIDIA", name="gb300", accelerator="gb300", accelerator_count=288, suite="inference", round="v6.1"
            ),
        ),
    ],
)  # fmt: skip
def test_a_system_is_read_from_its_text(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gb3000", ["'gb3000'", "did you mean 'gb300'"]),
        ("NVIDA/gb300", ["'NVIDA'", "did you mean 'NVIDIA'"]),
        ("gb300@spring", ["'spring' is not a round", "v6.1"]),
        ("gb300@trainign-v5.1", ["no suite is called 'trainign'", "'training'"]),
        ("gb300-nvl72x144", ["already means 72", "gb300x144"]),
        ("cpux2", ["no accelerators to count"]),
        ("NVIDIA/", ["[SUBMITTER/]NAME[xCOUNT][@ROUND]"]),
        ("gb300@", ["[SUBMITTER/]NAME[xCOUNT][@ROUND]"]),
        ("/gb300", ["[SUBMITTER/]NAME[xCOUNT][@ROUND]"]),
    ],
)
def test_a_wrong_system_is_refused_naming_the_wrong_part(text, words):
    with pytest.raises(UsageError) as refused:
        parse(text)
    assert [word for word in words if word not in str(refused.value)] == []


def test_a_bare_round_belongs_to_the_suite_that_is_asked_for():
    assert parse("b200@v5.1", suite="training").suite == "training"


def test_names_that_only_the_tables_know_are_names_too():
    held = [row(submitter="Nobody Yet", accelerator="Acme X1")]
    assert parse("nobody_yet/acme x1x8", held=held) == SystemSelector(
        submitter="Nobody Yet", name="Acme X1", accelerator="Acme X1", accelerator_count=8
    )


@given(
    submitter=st.sampled_from([None, "NVIDIA", "Nebius"]),
    name=st.sampled_from(["gb300", "gb300-nvl72", "mi355x", "cpu"]),
    count=st.sampled_from(["", "x8", "x512"]),
    round_name=st.sampled_from(["", "@v6.1", "@training-v5.1"]),
)
def test_the_text_of_a_selector_reads_back_as_the_same_selector(submitter, name, count, round_name):
    count = "" if name in {"gb300-nvl72", "cpu"} else count
    selector = parse(f"{f'{submitter}/' if submitter else ''}{name}{count}{round_name}")
    assert parse(str(selector)) == selector


def test_a_submitter_is_matched_as_published_and_by_each_organisation():
    joint = row(submitter="Dell_MangoBoost", organisations=("Dell", "MangoBoost"))
    wanted = ["dell", "MANGOBOOST", "dell_mangoboost", "Dell MangoBoost"]
    assert [name for name in wanted if not SystemSelector(submitter=name).matches(joint)] == []
    assert not SystemSelector(submitter="Boost").matches(joint)


def test_a_mixed_system_is_not_meant_by_the_name_of_a_part():
    mixed = row(accelerator=None, accelerators=("mi300x", "mi355x"))
    part = parse("mi355x")
    assert (part.matches(mixed), part.matches_system(mixed)) == (False, True)


def test_cpu_means_rows_without_any_accelerator():
    plain, mixed = (
        row(accelerator=None, accelerator_count=None),
        row(accelerator=None, accelerators=("a", "b")),
    )
    assert [parse("cpu").matches(r) for r in (plain, mixed, row())] == [True, False, False]


def test_a_system_means_its_exact_count():
    rack = parse("gb300-nvl72")
    assert [rack.matches(row(accelerator_count=count)) for count in (72, 36, 288, None)] == [
        True,
        False,
        False,
        False,
    ]


def test_a_rule_names_a_system_by_fields():
    fields = {"accelerator": "VR200", "accelerator_count": 36, "submitter": "nebius", "round": "v6.1"}
    assert selector_of(fields, catalog()) == SystemSelector(
        submitter="Nebius", name="vera-rubin", accelerator="vera-rubin", accelerator_count=36, suite="inference", round="v6.1"
    )  # fmt: skip
    assert selector_of({"system": "gb300-nvl72"}, catalog()) == parse("gb300-nvl72")


@pytest.mark.parametrize("fields", [{"sytem": "gb300"}, {"system": "gb300-nvl72", "accelerator": "gb300"}])
def test_fields_that_do_not_name_a_system_are_refused(fields):
    with pytest.raises(UsageError):
        selector_of(fields, catalog())


def test_a_filter_passes_any_of_its_values_and_needs_every_field():
    where = Filter(scenario=("server", "OFFLINE"), division=("closed",), submitter=("nvidia",))
    assert where.matches(row())
    assert not where.matches(row(scenario="Interactive"))
    assert not where.matches(row(division="open"))
    assert not where.matches(row(submitter="Azure"))


def test_a_filter_finds_a_row_under_each_of_its_types_parts_and_benchmark_names():
    both = row(
        system_type=("datacenter", "edge"), accelerator=None, accelerators=("mi300x", "mi355x"),
        benchmark="llama2-70b", benchmark_published="llama2-70b-99.9",
    )  # fmt: skip
    wanted = [
        Filter(system_type=("edge",)), Filter(accelerator=("MI355X",)),
        Filter(benchmark=("llama2-70b",)), Filter(benchmark=("llama2-70b-99.9",)), Filter(),
    ]  # fmt: skip
    assert [where for where in wanted if not where.matches(both)] == []
