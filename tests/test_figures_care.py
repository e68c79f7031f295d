from __future__ import annotations

import pytest

from tests.figure_rows import latency, real_results, row
from watcher.domain import Power
from watcher.figures.care import Around, care_of, care_of_pair


def care(result, *others):
    return care_of(result, Around([result, *others]))


def between(subject, baseline):
    return care_of_pair(subject, baseline, Around([subject, baseline]))


def test_a_plain_row_needs_no_care():
    assert care(row()) == ()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"notes": "CPU-only run", "accelerator_published": "NVIDIA GB10", "accelerator": "gb10", "accelerator_count": 1, "platform": "x"},
         "NVIDIA gb10 x1 v6.1: the notes say CPU only, the row names NVIDIA GB10"),
        ({"notes": "instance with 2 GPUs (1 GPU used)", "accelerator_count": 2, "platform": "x"}, "NVIDIA gb300 x2 v6.1: the notes say 1 used, the row counts 2"),
        ({"accelerator_published": "AMD MI355X (Power Cap 1000 W)"}, "NVIDIA gb300-nvl72 v6.1: Power Cap 1000 W"),
        ({"notes": "GPU 450W / 600W (reduced)"}, "NVIDIA gb300-nvl72 v6.1: accelerators reduced to 450 of 600 W"),
        ({"platform": "HPE_GB200-NVL72_x36", "accelerator_count": 36}, "NVIDIA gb300 x36 v6.1: part of a rack, 36 of 72 accelerators"),
        ({"system_name": "GB300 NVL72 (4 racks)", "accelerator_count": 288}, "NVIDIA gb300 x288 v6.1: 4 racks of 72, 288 accelerators"),
        ({"accelerator_count": 100}, "NVIDIA gb300 x100 v6.1: 1.4 racks of 72, 100 accelerators"),
        ({"accelerator": None, "accelerators": ("mi300x", "mi355x")}, "NVIDIA GB300-NVL72 v6.1: mixed accelerators (mi300x, mi355x)"),
        ({"software": ("tensorrt-llm", "tensorrt", "vllm", "cuda")}, "Engines declared: tensorrt-llm, vllm; the table does not say which ran"),
        ({"precision": ("fp4", "fp8")}, "Precisions declared: fp4, fp8; the table does not say which ran where"),
        ({"inferred": True}, "NVIDIA gb300-nvl72 v6.1: Offline is derived from another run, not measured apart"),
        ({"division": "open"}, "Open division: each row states its own model"),
    ],
)  # fmt: skip
def test_what_a_row_itself_shows_is_said(changes, sentence):
    assert care(row(**changes)) == (sentence,)


@pytest.mark.parametrize(
    "changes",
    [
        {"notes": "CPU only", "accelerator": None, "accelerator_count": None},
        {"notes": "8 GPUs used", "accelerator_count": 8, "platform": "x8"},
        {"platform": "H200-NVL-141GBx8", "accelerator_count": 8},
        {"notes": "GPU 600W / 600W (full power)"},
        {"software": ("tensorrt-llm", "tensorrt", "dynamo")},
    ],
)
def test_what_agrees_with_the_row_is_not_said(changes):
    assert care(row(**changes)) == ()


def like(count, value=720.0):
    return [row(submitter=f"S{i}", platform=f"S{i}", value=value + i) for i in range(count)]


def test_a_row_far_from_the_median_of_its_like_stands_out():
    assert care(row(value=300.0), *like(5)) == (
        "NVIDIA gb300-nvl72 v6.1: 300 tokens/s is 0.42x the median of 5 other rows with gb300-nvl72",
    )
    assert care(row(value=2000.0), *like(5))[0].endswith(
        "is 2.77x the median of 5 other rows with gb300-nvl72"
    )


def test_a_few_rows_own_rows_and_other_counts_make_no_median():
    own = [row(platform=f"p{i}") for i in range(9)]
    others = [row(submitter=f"T{i}", platform=f"T{i}", accelerator_count=8) for i in range(9)]
    assert care(row(value=300.0, platform="odd"), *like(1), *own, *others) == ()


def test_two_submitters_with_an_identical_value_are_named():
    shared = row(value=516.012), row(submitter="Dell", platform="other", value=516.012)
    assert care(*shared) == ("Dell and NVIDIA publish the identical value 516.012",)
    assert care(row(value=720.0), row(submitter="Dell", value=720.0)) == ()  # a round figure may be chance


def test_one_submitter_with_one_value_under_two_platforms_is_named():
    assert care(row(value=104.953), row(value=104.953, platform="0c8f6e")) == (
        "NVIDIA publishes the value 104.953 under 2 platforms",
    )


def test_two_accuracy_targets_of_one_run_are_not_two_submitters():
    assert care(row(value=516.012, accuracy_target="99"), row(value=516.012, accuracy_target="99.9")) == ()


@pytest.mark.parametrize("scenario", ["Server", "Interactive"])
def test_a_row_under_a_latency_limit_above_its_offline_row_is_said_on_both(scenario):
    offline, limited = row(), row(scenario=scenario, value=800.0)
    sentence = f"NVIDIA gb300-nvl72 v6.1: {scenario} 800 is above Offline 720"
    assert (care(limited, offline), care(offline, limited)) == ((sentence,), (sentence,))


def test_a_server_row_within_the_noise_of_its_offline_row_is_not_said():
    assert care(row(scenario="Server", value=734.0), row()) == ()
    assert care(row(scenario="Server", value=900.0), row(platform="another")) == ()
    assert care(latency(value=900.0), row()) == ()


@pytest.mark.parametrize(
    ("subject", "baseline", "sentence"),
    [
        (row(availability="preview"), row(), "Preview against available"),
        (row(accelerator_power_limit_watts=2300.0), row(accelerator_power_limit_watts=1400.0),
         "Power limit per accelerator by the notes: 2,300 W against 1,400 W"),
        (row(power=(Power("measured", 1000.0, "Watts"),)), row(),
         "One row was run with measured power, the other without: MLPerf does not compare the two"),
        (row(), row(accelerator=None, accelerator_count=None, platform="2S-GNR", submitter="Intel"),
         "Intel 2S-GNR v6.1 ran on processors only, the other row on accelerators"),
        (row(), row(round="v6.0"), "MLCommons' compatibility table ends with v6.0: v6.0 to v6.1 is not confirmed"),
    ],
)  # fmt: skip
def test_what_lies_between_two_rows_is_said(subject, baseline, sentence):
    assert between(subject, baseline) == (sentence,)


def test_what_only_one_row_says_is_no_contradiction():
    assert between(row(accelerator_power_limit_watts=1400.0), row()) == ()
    assert between(row(round="v6.0"), row(round="v5.1")) == ()


def test_a_sentence_on_both_rows_is_said_once():
    assert between(row(precision=("fp4", "fp8")), row(precision=("fp4", "fp8"), platform="b")) == (
        "Precisions declared: fp4, fp8; the table does not say which ran where",
    )


def test_the_real_v6_1_has_its_known_oddities(real):
    results = real_results(real)
    around = Around(results)
    said = {text for result in results if result.round == "v6.1" for text in care_of(result, around)}
    assert "Dell and Quanta_Cloud_Technology publish the identical value 516.012" in said
    assert "Nebius vera-rubin x36 v6.1: part of a rack, 36 of 72 accelerators" in said
    assert "NVIDIA gb300 x288 v6.1: 4 racks of 72, 288 accelerators" in said
    assert any(text.startswith("VibeHPC b300 x8 v6.1: 33,415 tokens/s is 0.55x the median") for text in said)
    assert any("Nebius vera-rubin x36 v6.1: Server 591,368 is above Offline 558,803" in text for text in said)
