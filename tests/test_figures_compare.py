from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.figure_rows import catalog, latency, real_results, row
from watcher.domain import NotComparable
from watcher.figures import Filter, SystemSelector, compare, over_vendor, parse_system, vendors
from watcher.figures.cells import per_accelerator_ratio, ratio
from watcher.figures.comparability import benchmarks, compatibility

GB300 = SystemSelector(name="gb300", accelerator="gb300")
VERA_RUBIN = SystemSelector(name="vera-rubin", accelerator="vera-rubin")
VENDORS = frozenset({("gb300", "NVIDIA")})


def rubin(**changes):
    return row(**{"accelerator": "vera-rubin", "platform": "VR-NVL72", "value": 1440.0, **changes})


def reasons(results, subject=VERA_RUBIN, baseline=GB300, **options):
    return [cell.reason for cell in compare(results, subject, baseline, **options)[1]]


def only(results, subject=VERA_RUBIN, baseline=GB300, **options):
    ((comparison,), refused) = compare(results, subject, baseline, **options)
    assert refused == ()
    return comparison


def test_each_side_is_its_best_row_per_accelerator():
    small = row(submitter="Oracle", platform="4", accelerator_count=4, value=44.0)
    comparison = only([rubin(), row(), small])
    assert (comparison.baseline, comparison.ratio) == (small, 1440 / 44)
    assert comparison.per_accelerator_ratio == pytest.approx(20 / 11)
    assert comparison.differs == ("accelerator_count", "submitter")


def test_with_a_submitter_a_side_is_that_submitters():
    others = row(submitter="Oracle", accelerator_count=4, value=44.0)
    assert only([rubin(), row(), others], baseline=replace(GB300, submitter="nvidia")).baseline == row()


def test_without_accelerators_a_side_is_its_best_row():
    cpu = SystemSelector(name="cpu")
    rows = [
        row(accelerator=None, accelerator_count=None, platform=name, value=value)
        for name, value in (("a", 3.0), ("b", 5.0))
    ]
    comparison = only([rubin(), *rows], baseline=cpu)
    assert (comparison.baseline.platform, comparison.ratio, comparison.per_accelerator_ratio) == (
        "b",
        288.0,
        None,
    )


def test_ties_go_to_the_first_platform_by_name():
    rows = [row(platform=name) for name in "bac"]
    assert only([rubin(), *rows]).baseline.platform == "a"


def test_a_shorter_latency_is_better_and_has_no_ratio_per_accelerator():
    fast = latency(accelerator="vera-rubin", value=2.0)
    comparison = only([fast, latency(value=9.0), latency(value=8.0, platform="best")])
    assert (comparison.ratio, comparison.per_accelerator_ratio, comparison.baseline.platform) == (
        4.0,
        None,
        "best",
    )


def test_there_is_one_comparison_a_benchmark_target_scenario_division_and_system_type():
    cells = [
        {}, {"scenario": "Server"}, {"division": "open"}, {"system_type": ("edge",)},
        {"benchmark": "llama2-70b", "accuracy_target": "99"}, {"benchmark": "llama2-70b", "accuracy_target": "99.9"},
    ]  # fmt: skip
    comparisons, refused = compare(
        [make(**cell) for cell in cells for make in (row, rubin)], VERA_RUBIN, GB300
    )
    assert [(c.subject.benchmark, c.subject.accuracy_target, c.subject.scenario, c.subject.division, c.system_type) for c in comparisons] == [
        ("deepseek-r1", None, "Offline", "closed", "datacenter"),
        ("deepseek-r1", None, "Offline", "closed", "edge"),
        ("deepseek-r1", None, "Offline", "open", "datacenter"),
        ("deepseek-r1", None, "Server", "closed", "datacenter"),
        ("llama2-70b", "99", "Offline", "closed", "datacenter"),
        ("llama2-70b", "99.9", "Offline", "closed", "datacenter"),
    ]  # fmt: skip
    assert refused == ()


def test_what_differs_is_named():
    unlike = rubin(
        software_published="vLLM 0.22", precision=("fp8",), availability="preview", accelerator_count=36,
        submitter="Nebius", value=700.0,
    )  # fmt: skip
    assert only([unlike, row()]).differs == (
        "software",
        "precision",
        "availability",
        "accelerator_count",
        "submitter",
    )


def test_spelling_of_software_and_order_of_partners_are_no_difference():
    one = rubin(software_published="vLLM 0.22; CUDA 13", submitter="A_B", organisations=("A", "B"))
    other = row(software_published="vllm 0.22;  cuda 13", submitter="B_A", organisations=("B", "A"))
    assert only([one, other]).differs == ()


def test_sides_without_a_round_meet_in_the_newest_common_one():
    rows = [row(round="v5.1"), row(round="v6.0"), rubin(round="v5.1"), rubin(round="v6.0"), row(round="v6.1")]
    comparison = only(rows)
    assert (comparison.subject.round, comparison.baseline.round) == ("v6.0", "v6.0")


def test_one_named_round_holds_for_both_sides_and_two_cross_rounds():
    rows = [make(round=name) for make in (row, rubin) for name in ("v6.0", "v6.1")]
    old = replace(GB300, round="v6.0", suite="inference")
    assert only(rows, baseline=old).subject.round == "v6.0"
    crossed = only(rows, subject=replace(VERA_RUBIN, round="v6.1", suite="inference"), baseline=old)
    assert (crossed.subject.round, crossed.differs) == ("v6.1", ("round",))
    assert crossed.care == ("MLCommons' compatibility table ends with v6.0: v6.0 to v6.1 is not confirmed",)


def test_a_named_round_goes_before_the_filters_rounds():
    rows = [rubin(), row(round="v6.0")]
    subject, baseline = replace(VERA_RUBIN, round="v6.1"), replace(GB300, round="v6.0")
    assert only(rows, subject, baseline, filter=Filter(round=("v6.1",))).baseline.round == "v6.0"


def test_without_a_common_round_both_must_be_named():
    assert (
        reasons([rubin(), row(round="v6.0")])
        == ["no common round: the subject's newest is v6.1, the baseline's v6.0; name both with @ROUND"] * 1
    )


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ([rubin(), row(scenario="Server"), rubin(scenario="Server")], "no baseline row"),
        ([rubin(scenario="Server"), row(), row(scenario="Server")], "no subject row"),
        ([rubin(), row(unit="samples/s")], "other unit: tokens/s against samples/s"),
        ([rubin(), row(accelerator=None, accelerators=("gb300", "b300"))], "mixed accelerators: the baseline ran on b300 and gb300"),
        ([rubin(), row(value=0.0)], "no value: the baseline published 0"),
        ([rubin(), row(value=float("nan"))], "no value: the baseline published nan"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_listed_with_its_reason(results, reason):
    assert reasons(results) == [reason]


def test_a_benchmark_that_changed_between_two_rounds_is_not_compared():
    mine = rubin(suite="training", benchmark="train-deepseek-v3-671b", round="v6.1", scenario=None)
    theirs = row(suite="training", benchmark="train-deepseek-v3-671b", round="v6.0", scenario=None)
    (reason,) = reasons([mine, theirs], replace(VERA_RUBIN, round="v6.1"), replace(GB300, round="v6.0"))
    assert reason == "train-deepseek-v3-671b changed between v6.0 and v6.1 (MLCommons' compatibility table)"


def test_per_accelerator_rows_without_a_count_are_set_aside_but_latencies_stay():
    uncounted = [rubin(accelerator_count=None), row()]
    assert only(uncounted).per_accelerator_ratio is None
    assert reasons(uncounted, per="accelerator") == [
        "no accelerators: the subject row of NVIDIA states no count"
    ]
    assert only([latency(accelerator="vera-rubin"), latency()], per="accelerator").ratio == 1.0


def test_per_system_each_side_is_its_best_row_whatever_its_count():
    small = row(accelerator_count=4, value=44.0)
    assert only([rubin(), row(), small], per="system").baseline == row()


def test_suites_are_never_mixed():
    assert reasons([rubin(suite="training"), row()]) == [
        "no subject row in any round (newest of the baseline: v6.1)",
        "no baseline row in any round (newest of the subject: v6.1)",
    ]


def test_unreviewed_tables_are_compared_only_if_their_suite_is_named():
    rows = [row(suite="unofficial"), rubin(suite="unofficial")]
    assert compare(rows, VERA_RUBIN, GB300) == ((), ())
    assert only(rows, filter=Filter(suite=("unofficial",))).ratio == 2.0
    assert only(rows, subject=replace(VERA_RUBIN, suite="unofficial")).ratio == 2.0


def test_a_refused_cell_says_where_it_stands():
    assert compare([rubin()], VERA_RUBIN, GB300)[1] == (
        NotComparable(
            benchmark="deepseek-r1", scenario="Offline", division="closed", system_type="datacenter",
            reason="no baseline row in any round (newest of the subject: v6.1)",
        ),
    )  # fmt: skip


VALUES = st.floats(min_value=1e-6, max_value=1e9)
COUNTS = st.one_of(st.none(), st.integers(min_value=1, max_value=4096))
MAKERS = st.sampled_from([row, latency])


@given(make=MAKERS, one=VALUES, other=VALUES, one_count=COUNTS, other_count=COUNTS)
def test_swapping_the_sides_inverts_the_ratio(make, one, other, one_count, other_count):
    mine = make(accelerator="vera-rubin", value=one, accelerator_count=one_count)
    theirs = make(value=other, accelerator_count=other_count)
    there, back = only([mine, theirs]), only([mine, theirs], GB300, VERA_RUBIN)
    assert there.ratio * back.ratio == pytest.approx(1)
    each, each_back = there.per_accelerator_ratio, back.per_accelerator_ratio
    assert (each is None) == (each_back is None)
    assert each is None or each_back is None or each * each_back == pytest.approx(1)
    assert there.differs == back.differs


@given(make=MAKERS, one=VALUES, other=VALUES, factor=st.floats(min_value=1e-3, max_value=1e3))
def test_scaling_both_rows_leaves_the_ratio(make, one, other, factor):
    mine, theirs = make(value=one), make(value=other)
    scaled = [replace(r, value=r.value * factor) for r in (mine, theirs)]
    assert ratio(*scaled) == pytest.approx(ratio(mine, theirs))
    assert per_accelerator_ratio(*scaled) == pytest.approx(per_accelerator_ratio(mine, theirs))


@given(st.randoms())
def test_the_order_of_rows_changes_nothing(random):
    rows = [
        make(platform=name, value=value, accelerator_count=count, scenario=scenario)
        for make in (row, rubin)
        for name, value, count in (("a", 10.0, 8), ("b", 10.0, 8), ("c", 90.0, 72), ("d", 2.0, None))
        for scenario in ("Offline", "Server")
    ]
    shuffled = random.sample(rows, len(rows))
    assert compare(shuffled, VERA_RUBIN, GB300) == compare(rows, VERA_RUBIN, GB300)


# ---------------------------------------------------------------------------------------------- the vendor's own row


def test_other_submitters_are_compared_with_the_vendors_own_row_at_the_same_count():
    rows = [
        row(), row(submitter="Azure", value=756.0), row(submitter="Azure", platform="slow", value=700.0),
        row(submitter="Oracle", accelerator_count=8, value=90.0), row(submitter="Dell_NVIDIA", organisations=("Dell", "NVIDIA"), value=72.0),
    ]  # fmt: skip
    found = over_vendor(rows, VENDORS)
    assert [(c.subject.submitter, c.baseline.submitter, c.ratio) for c in found] == [
        ("Azure", "NVIDIA", 1.05), ("Dell_NVIDIA", "NVIDIA", 0.1),
    ]  # fmt: skip


def test_a_vendors_row_of_another_round_or_division_does_not_count():
    azure = row(submitter="Azure")
    assert over_vendor([azure, row(round="v6.0"), row(division="open")], VENDORS) == ()


def test_vendors_come_from_the_catalog():
    assert {("gb300", "NVIDIA"), ("mi355x", "AMD")} <= vendors(catalog())


# ---------------------------------------------------------------------------------------------- between rounds


@pytest.mark.parametrize(
    ("changes", "before", "after", "verdict"),
    [
        ({"benchmark": "deepseek-r1"}, "v5.1", "v6.0", "comparable"),
        ({"benchmark": "deepseek-r1"}, "v6.0", "v6.0", "comparable"),
        ({"benchmark": "deepseek-r1"}, "v6.0", "v6.1", "unknown"),
        ({"benchmark": "never-heard-of"}, "v5.1", "v6.0", "unknown"),
        ({"benchmark": "gpt-oss-120b"}, "v5.1", "v6.0", "unknown"),
        ({"benchmark": "resnet50", "scenario": "MultiStream"}, "v1.1", "v2.0", "changed"),
        ({"suite": "training", "benchmark": "train-rnnt"}, "v1.0", "v1.1", "changed"),
        ({"suite": "training", "benchmark": "train-deepseek-v3-671b"}, "v6.0", "v6.2", "changed"),
        ({"suite": "training", "benchmark": "train-llama3.1-8b"}, "v5.1", "v6.1", "comparable"),
    ],
)
def test_two_rounds_compare_as_mlcommons_table_says(changes, before, after, verdict):
    one, other = row(**changes, round=before), row(**changes, round=after)
    assert (compatibility(one, other).verdict, compatibility(other, one).verdict) == (verdict, verdict)
    assert bool(compatibility(one, other).reason) == (verdict != "comparable")


@pytest.mark.parametrize("suite", ["inference", "training", "hpc", "storage", "tiny"])
def test_the_compatibility_table_uses_the_catalogs_names(suite):
    names = benchmarks(suite)
    known = {
        name for name in catalog().names("benchmark") if suite in catalog().entry("benchmark", name).suites
    }
    assert names
    assert [name for name in names if name not in known] == []


# ---------------------------------------------------------------------------------------------- real tables


def real_ratios(real, subject, baseline):
    found, _ = compare(
        real_results(real), parse_system(subject, catalog()), parse_system(baseline, catalog())
    )
    return {
        (c.subject.benchmark, c.subject.scenario): (round(c.per_accelerator_ratio or 0, 2), c.baseline.submitter, c.baseline.accelerator_count)
        for c in found
    }  # fmt: skip


def test_vera_rubin_against_nvidias_own_gb300_in_v6_1(real):
    found = real_ratios(real, "NVIDIA/vera-rubin-nvl72@v6.1", "NVIDIA/gb300-nvl72@v6.1")
    assert found == {
        ("qwen3-vl-235b-a22b", "Interactive"): (3.74, "NVIDIA", 72),
        ("qwen3-vl-235b-a22b", "Server"): (1.92, "NVIDIA", 72),
        ("qwen3-vl-235b-a22b", "Offline"): (1.83, "NVIDIA", 72),
        ("deepseek-r1", "Interactive"): (2.57, "NVIDIA", 72),
        ("deepseek-r1", "Server"): (1.97, "NVIDIA", 72),
        ("deepseek-r1", "Offline"): (1.74, "NVIDIA", 72),
    }


def test_vera_rubin_against_nvidias_own_gb300_differs_in_software_and_availability(real):
    subject, baseline = (
        parse_system(f"NVIDIA/{name}@v6.1", catalog()) for name in ("vera-rubin-nvl72", "gb300-nvl72")
    )
    found, _ = compare(real_results(real), subject, baseline)
    assert {c.differs for c in found} == {("software", "availability")}
    assert {c.care[0] for c in found} == {"Preview against available"}


def test_vera_rubin_against_anybodys_best_gb300_in_v6_1(real):
    found = real_ratios(real, "vera-rubin@v6.1", "gb300@v6.1")
    assert found["qwen3-vl-235b-a22b", "Offline"] == (1.82, "Nebius", 4)
    assert found["qwen3-vl-235b-a22b", "Server"] == (1.92, "NVIDIA", 72)
    assert found["qwen3-vl-235b-a22b", "Interactive"] == (3.74, "NVIDIA", 72)
    assert found["deepseek-r1", "Offline"] == (1.71, "Oracle", 8)
    assert found["deepseek-r1", "Interactive"] == (2.51, "Azure", 72)


@pytest.mark.parametrize("baseline", ["mi300x", "cpu", "gb200x36", "rtx-pro-6000", "gb10"])
@pytest.mark.parametrize("subject", ["mi355x", "cpu", "vera-rubinx36", "arc-pro-b70"])
def test_odd_pairs_of_real_systems_neither_lie_nor_crash(real, subject, baseline):
    results = real_results(real)
    found, refused = compare(results, parse_system(subject, catalog()), parse_system(baseline, catalog()))
    assert [c for c in found if c.subject.unit != c.baseline.unit or c.ratio <= 0] == []
    assert [c for c in found if len(c.subject.accelerators) > 1 or len(c.baseline.accelerators) > 1] == []
    assert [cell for cell in refused if not cell.reason] == []
    assert found or refused
