from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.figure_rows import catalog, latency, real_results, row
from watcher.figures import Filter, SystemSelector, gains, highest, parse_system, scaling
from watcher.figures.scaling import accelerators_lost, efficiency

# ---------------------------------------------------------------------------------------------- scaling


def size(count, value, **changes):
    return row(**{"accelerator_count": count, "value": value, "platform": f"x{count}", **changes})


def pairs(results, **options):
    return [
        (s.small.accelerator_count, s.large.accelerator_count, round(s.efficiency, 3), s.quoted)
        for s in scaling(results, **options)
    ]


def test_every_pair_from_the_smallest_full_system_up_and_the_one_a_vendor_would_quote():
    results = [size(8, 90.0), size(72, 720.0), size(144, 1368.0), size(288, 2592.0)]
    assert pairs(results) == [(72, 144, 0.95, False), (72, 288, 0.9, True), (144, 288, 0.947, False)]


def test_without_a_full_system_pairs_start_at_the_smallest_and_none_is_quoted():
    assert pairs([size(8, 80.0), size(56, 504.0)]) == [(8, 56, 0.9, False)]


def test_accelerators_lost_add_nothing():
    (found,) = scaling([size(72, 720.0), size(288, 2592.0)])
    assert found.accelerators_lost == pytest.approx(28.8)
    assert accelerators_lost(1.25, 8) == -2.0


def test_at_one_count_the_best_row_per_accelerator_stands():
    assert pairs([size(72, 720.0), size(144, 1000.0), size(144, 1440.0, platform="tuned")]) == [
        (72, 144, 1.0, True)
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"submitter": "Azure"}, {"accelerator": "gb200"}, {"scenario": "Server"}, {"division": "open"}, {"round": "v6.0"},
        {"accuracy_target": "99"}, {"unit": "samples/s"}, {"suite": "training"}, {"system_type": ("edge",)},
        {"accelerator_count": None}, {"accelerator": None, "accelerators": ("gb300", "gb200")}, {"better": "lower"},
        {"value": 0.0},
    ],
)  # fmt: skip
def test_only_rows_that_differ_in_their_count_alone_make_a_pair(changes):
    assert pairs([size(72, 720.0), size(144, **{"value": 1440.0, **changes})]) == []


def test_a_system_narrows_scaling_and_its_count_is_the_small_side():
    results = [
        size(72, 720.0),
        size(144, 1440.0),
        size(288, 2592.0),
        size(8, 8.0, accelerator="b200"),
        size(16, 16.0, accelerator="b200"),
    ]
    rack = SystemSelector(name="gb300-nvl72", accelerator="gb300", accelerator_count=72)
    assert pairs(results, system=rack) == [(72, 144, 1.0, False), (72, 288, 0.9, True)]
    assert pairs(results, filter=Filter(accelerator=("b200",))) == [(8, 16, 1.0, False)]


def test_other_software_at_the_two_sizes_is_said():
    (found,) = scaling([size(72, 720.0), size(288, 2880.0, software_published="vLLM 0.22")])
    assert found.care[0] == "Different software at the two sizes"


def test_a_latency_has_no_efficiency():
    with pytest.raises(ValueError, match="scaling needs throughputs with counts"):
        efficiency(latency(), latency())


@given(st.floats(min_value=1e-3, max_value=1e6), st.integers(min_value=1, max_value=64))
def test_twice_the_accelerators_and_twice_the_value_is_perfect(value, count):
    assert efficiency(size(count, value), size(2 * count, 2 * value)) == pytest.approx(1)


def test_nvidias_gb300_from_one_rack_to_four_in_v6_1(real):
    nvidia = parse_system("NVIDIA/gb300@v6.1", catalog())
    found = {
        (s.large.benchmark, s.large.scenario): (
            s.small.value,
            s.large.value,
            round(s.efficiency, 4),
            s.quoted,
        )
        for s in scaling(real_results(real), system=nvidia)
    }
    assert found == {
        ("deepseek-r1", "Offline"): (679740.0, 2705130.0, 0.9949, True),
        ("deepseek-r1", "Server"): (596944.0, 2028030.0, 0.8493, True),
    }


def test_unreviewed_tables_scale_and_gain_only_if_their_suite_is_named():
    results = [
        size(72, 720.0, suite="unofficial"),
        size(144, 1440.0, suite="unofficial", round="v6.0"),
        size(144, 1440.0, suite="unofficial"),
    ]
    asked = Filter(suite=("unofficial",))
    assert (len(scaling(results)), len(scaling(results, asked))) == (0, 1)
    assert (len(gains(results, "v6.0", "v6.1")), len(gains(results, "v6.0", "v6.1", asked))) == (0, 2)


# ---------------------------------------------------------------------------------------------- gains


def old(**changes):
    return row(**{"round": "v6.0", **changes})


def found_gains(results, **options):
    return [
        (g.match, g.before.accelerator_count, g.after.accelerator_count, round(g.ratio, 3))
        for g in gains(results, "v6.0", "v6.1", **options)
    ]


def test_the_same_system_over_two_rounds():
    assert found_gains([old(value=600.0), row()]) == [("same_system", 72, 72, 1.2)]


def test_spelling_of_submitter_and_platform_does_not_part_a_system():
    before = old(submitter="ORACLE", organisations=("Oracle",), platform="gb300_nvl72")
    after = row(submitter="Oracle", organisations=("Oracle",), platform="GB300 NVL72")
    partners = [
        old(submitter="A_B", organisations=("A", "B"), value=60.0),
        row(submitter="B_A", organisations=("B", "A")),
    ]
    assert [g.ratio for g in gains([before, after, *partners], "v6.0", "v6.1")] == [12.0, 1.0]


def test_one_accelerator_at_another_count_is_a_gain_apart_and_named_so():
    results = [old(accelerator_count=8, value=64.0, platform="x8"), row()]
    assert found_gains(results) == [("per_accelerator", 8, 72, 1.25)]


def test_each_count_stands_with_its_best_row_per_accelerator():
    results = [
        old(accelerator_count=8, value=value, platform=f"x8-{value}") for value in (40.0, 64.0)
    ] + [row(), row(accelerator_count=288, value=5760.0, platform="x288")]  # fmt: skip
    assert found_gains(results) == [("per_accelerator", 8, 288, 2.5), ("per_accelerator", 8, 72, 1.25)]


def test_a_shorter_latency_is_a_gain_of_the_same_system_alone():
    results = [
        latency(round="v6.0", value=9.0),
        latency(value=6.0),
        latency(value=3.0, accelerator_count=8, platform="x8"),
    ]
    assert found_gains(results) == [("same_system", 72, 72, 1.5)]


@pytest.mark.parametrize(
    "changes",
    [
        {"submitter": "Azure"}, {"division": "open"}, {"scenario": "Server"}, {"accuracy_target": "99"}, {"unit": "samples/s"},
        {"benchmark": "gpt-oss-120b"}, {"suite": "training"}, {"system_type": ("edge",)}, {"value": 0.0}, {"round": "v5.1"},
    ],
)  # fmt: skip
def test_what_is_not_the_same_gives_no_gain(changes):
    assert found_gains([old(**changes), row()]) == []


def test_a_benchmark_that_changed_between_the_rounds_gives_no_gain():
    changed = {"suite": "training", "benchmark": "train-deepseek-v3-671b", "scenario": None}
    assert found_gains([old(**changed), row(**changed)]) == []


def test_a_cpu_only_run_before_an_accelerators_is_said():
    before = old(notes="Dell Pro Max. CPU only submission", accelerator_published="NVIDIA GB300", value=15.0)
    (found,) = gains([before, row()], "v6.0", "v6.1")
    assert "NVIDIA gb300-nvl72 v6.0 ran on processors only, the other row on accelerators" in found.care


def test_another_count_under_the_same_platform_is_said():
    (found, _) = gains([old(accelerator_count=36, value=360.0), row()], "v6.0", "v6.1")
    assert found.match == "same_system"
    assert "The platform counts 72 accelerators after 36 before" in found.care


def test_the_highest_gain_of_each_name():
    results = [
        make(submitter=name, value=value)
        for name, before, after in (("Azure", 600.0, 720.0), ("Oracle", 400.0, 800.0))
        for make, value in ((old, before), (row, after))
    ]
    found = highest(gains(results, "v6.0", "v6.1"), "submitter")
    assert [(name, gain.ratio) for name, gain in found.items()] == [("Oracle", 2.0), ("Azure", 1.2)]
    assert [
        gain.after.submitter for gain in highest(gains(results, "v6.0", "v6.1"), "accelerator").values()
    ] == ["Oracle"]
    with pytest.raises(ValueError, match="submitter, accelerator, benchmark"):
        highest((), "round")


@given(st.randoms())
def test_the_order_of_rows_changes_no_gain_and_no_scaling(random):
    results = [
        make(accelerator_count=count, value=value, platform=name, scenario=scenario)
        for make in (old, row)
        for count, value, name in ((8, 80.0, "a"), (8, 80.0, "b"), (72, 700.0, "c"), (144, 1300.0, "d"))
        for scenario in ("Offline", "Server")
    ]
    shuffled = random.sample(results, len(results))
    assert gains(shuffled, "v6.0", "v6.1") == gains(results, "v6.0", "v6.1")
    assert scaling(shuffled) == scaling(results)


def test_gains_from_v6_0_to_v6_1_on_the_real_tables(real):
    found = gains(real_results(real), "v6.0", "v6.1")
    same = [gain for gain in found if gain.match == "same_system"]
    assert (len(same), sum(gain.ratio > 1.3 for gain in same)) == (80, 24)
    dell = [gain for gain in same if gain.ratio > 3]
    assert {(gain.after.submitter, gain.after.benchmark, gain.after.accelerator) for gain in dell} == {
        ("Dell", "yolo", "gb10")
    }
    assert [gain for gain in dell if not any("processors only" in text for text in gain.care)] == []
