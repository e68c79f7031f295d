"""Verdicts: a claim against rows, under the readings that a vendor may mean."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from tests.claim_rows import row
from watcher import archive
from watcher.catalog.names import load
from watcher.claims import check, extract
from watcher.claims.printed import bears_out
from watcher.domain import Claim, Power, Result, Verdict

CATALOG = load()
PUBLISHED = tuple(row for suite, number in archive.rounds() for row in archive.load(suite, number).results)


def ratio(value: float, **fields) -> Claim:
    given = {
        "kind": "ratio",
        "qualifier": "exact",
        "subject_system": "B300",
        "baseline_system": "B200",
        "benchmark": "llama2-70b",
        "round": "v6.1",
        "decimals": 1,
    }
    return Claim(value=value, **{**given, **fields})


def verdict(claim: Claim, *rows: Result) -> tuple[str, str | None, str | None]:
    found = check(claim, rows, catalog=CATALOG)
    return found.verdict, found.reading, found.reason


def published(text: str, round_: str) -> Verdict:
    (claim,) = extract(text, catalog=CATALOG, round=round_)
    return check(claim, PUBLISHED, catalog=CATALOG)


def figures(found: Verdict) -> dict[str | None, float]:
    return {e.scenario: round(e.figure, 2) for e in found.evidence if e.figure is not None}


# ---------------------------------------------------------------------------------------------- the vendor's own four


def test_up_to_3_7_over_three_scenarios_holds_in_one_of_them():
    found = published(
        "Vera Rubin NVL72 reaches up to 3.7x GB300 NVL72 on Qwen3-VL across Offline, Server and Interactive.",
        "v6.1",
    )
    assert (found.verdict, found.reading) == ("only_in_some_scenarios", "system")
    assert figures(found) == {"Offline": 1.83, "Server": 1.92, "Interactive": 3.74}


def test_99_percent_scaling_is_an_offline_figure():
    offline = published("GB300 NVL72 keeps 99% scaling efficiency on DeepSeek-R1 Offline.", "v6.1")
    server = published("GB300 NVL72 keeps 99% scaling efficiency on DeepSeek-R1 Server.", "v6.1")
    assert (offline.verdict, figures(offline)) == ("confirmed", {"Offline": 99.49})
    assert (server.verdict, figures(server)) == ("contradicted", {"Server": 84.93})


def test_1_6_over_the_last_round_is_reached_per_accelerator_at_another_count():
    found = published("GB300 NVL72 is up to 1.6x faster than in v6.0.", "v6.1")
    assert (found.verdict, found.reading, found.reason) == (
        "not_comparable",
        "per_accelerator",
        "other_count",
    )
    same = max(e.figure for e in found.evidence if e.reading == "system")
    (bearing,) = [e for e in found.evidence if e.holds]
    assert (round(same, 2), round(bearing.figure, 2), bearing.scenario) == (1.49, 1.62, "Server")
    assert [r.accelerator_count for r in bearing.rows] == [72, 4]


def test_an_agentic_figure_of_another_benchmark_is_not_checked():
    found = published("On AgentX, Vera Rubin NVL72 delivered 30x the throughput of GB300 NVL72.", "v6.1")
    assert (found.verdict, found.evidence) == ("not_mlperf", ())


# ---------------------------------------------------------------------------------------------- as it is printed


@pytest.mark.parametrize(
    ("figure", "qualifier", "borne"),
    [
        (3.74, "exact", True), (3.66, "exact", True), (3.64, "exact", False), (3.80, "exact", False),
        (3.66, "up_to", True), (9.0, "up_to", True), (3.6, "up_to", False),
        (3.71, "over", True), (3.69, "over", False),
        (3.55, "about", True), (3.4, "about", False),
    ],
)  # fmt: skip
def test_a_printed_value_is_borne_out_by_figures_that_print_as_it(figure, qualifier, borne):
    assert bears_out(ratio(3.7, qualifier=qualifier), figure) is borne


def test_a_coarsely_printed_value_is_borne_out_by_what_rounds_to_it():
    claim = Claim(kind="absolute", value=1_040_000, qualifier="exact", rounding=10_000)
    assert bears_out(claim, 1_042_980)
    assert not bears_out(claim, 1_051_000)


def test_a_claim_handed_over_without_its_print_has_it_read_off_value_and_quote():
    assert not bears_out(Claim(kind="ratio", value=3.7, qualifier="exact"), 3.3)
    coarse = Claim(kind="absolute", value=1_040_000, qualifier="exact", quote="It made 1.04M tokens/s.")
    assert bears_out(coarse, 1_042_980)
    assert not bears_out(replace(coarse, quote="It made 1,040,000 tokens/s."), 1_042_980)


# ---------------------------------------------------------------------------------------------- readings


def test_the_like_for_like_pair_is_one_submitter_at_one_count():
    rows = (row("b300", 120), row("b200", 100), row("b200", 60, submitter="Dell"))
    assert verdict(ratio(1.2), *rows) == ("confirmed", "system", None)


def test_a_pair_of_two_submitters_is_another_reading():
    rows = (row("b300", 120), row("b200", 100, submitter="Dell"))
    assert verdict(ratio(1.2), *rows) == ("confirmed", "same_count", None)


def test_rows_that_a_vendor_may_have_picked_are_found_and_the_best_pair_stands_first():
    rows = (row("b300", 120), row("b200", 100), row("b200", 80, submitter="Dell"))
    found = check(ratio(1.5), rows, catalog=CATALOG)
    assert (found.verdict, found.reading) == ("confirmed", "chosen_rows")
    assert [(e.reading, e.figure, e.holds) for e in found.evidence] == [
        ("system", 1.2, False),
        ("chosen_rows", 1.5, True),
    ]


def test_a_figure_per_accelerator_at_another_count_is_not_comparable_unless_it_is_said_so():
    rows = (row("b300", 160), row("b200", 40, accelerator_count=4))
    claim = ratio(2.0)
    assert verdict(claim, *rows) == ("not_comparable", "per_accelerator", "other_count")
    assert verdict(replace(claim, per_accelerator=True), *rows) == ("confirmed", "per_accelerator", None)


def test_a_figure_that_no_row_reaches_is_contradicted():
    assert verdict(ratio(3.0), row("b300", 120), row("b200", 100)) == ("contradicted", "system", None)


def test_a_latency_that_is_lower_is_better():
    fields = {"unit": "s", "better": "lower", "scenario": "SingleStream"}
    rows = (row("b300", 10, **fields), row("b200", 15, **fields))
    assert verdict(ratio(1.5), *rows)[0] == "confirmed"
    claim = replace(ratio(33), kind="percent_gain", unit="latency", decimals=0)
    assert verdict(claim, *rows)[0] == "confirmed"


def test_faster_may_mean_the_speed_or_the_time():
    fields = {
        "suite": "training",
        "round": "v6.0",
        "unit": "minutes",
        "better": "lower",
        "scenario": None,
        "benchmark": "train-llama3.1-8b",
    }
    rows = (row("gb300", 11.59, **fields), row("gb300", 14.25, **{**fields, "round": "v5.1"}))
    claim = ratio(
        18.7,
        kind="percent_gain",
        subject_system="GB300",
        baseline_system="GB300",
        benchmark="train-llama3.1-8b",
        round="training-v6.0",
        baseline_round="training-v5.1",
    )
    assert verdict(claim, *rows)[0] == "confirmed"


def test_a_trained_benchmark_without_a_round_is_held_against_trainings_rows():
    rows = (
        row("gb200", 27.3, suite="training", round="v5.0", unit="minutes", better="lower", scenario=None, benchmark="train-llama3.1-405b"),
        row("h100", 60.1, suite="training", round="v5.0", unit="minutes", better="lower", scenario=None, benchmark="train-llama3.1-405b"),
        row("gb200", 300, benchmark="llama3.1-405b"),
        row("h100", 100, benchmark="llama3.1-405b"),
    )  # fmt: skip
    claim = ratio(
        2.2,
        subject_system="GB200",
        baseline_system="H100",
        benchmark="train-llama3.1-405b",
        scenarios=(),
        round=None,
    )
    assert verdict(claim, *rows)[0] == "confirmed"


def test_a_benchmark_that_changed_between_the_rounds_is_not_comparable():
    fields = {"scenario": "MultiStream", "unit": "ms", "better": "lower", "benchmark": "resnet50"}
    rows = (row("b300", 10, round="v2.0", **fields), row("b300", 12, round="v1.1", **fields))
    claim = ratio(1.2, baseline_system="B300", benchmark="resnet50", round="v2.0", baseline_round="v1.1")
    assert verdict(claim, *rows) == ("not_comparable", "system", "benchmark_changed")


def test_open_rows_are_not_compared_with_closed_ones():
    rows = (row("b300", 120), row("b200", 100, division="open"))
    assert verdict(ratio(1.2), *rows) == ("not_comparable", "system", "other_division")


def test_a_baseline_of_an_earlier_round_alone_is_another_round():
    rows = (row("b300", 120), row("b200", 100, round="v6.0"))
    assert verdict(ratio(1.2), *rows) == ("not_comparable", "other_round", "other_round")


def test_a_claim_without_scenarios_must_hold_in_all_unless_it_says_up_to():
    rows = (
        row("b300", 120),
        row("b200", 100),
        row("b300", 110, scenario="Server"),
        row("b200", 100, scenario="Server"),
    )
    assert verdict(ratio(1.2), *rows)[0] == "only_in_some_scenarios"
    assert verdict(ratio(1.2, qualifier="up_to"), *rows)[0] == "confirmed"


# ---------------------------------------------------------------------------------------------- what is missing


def test_a_claim_waits_until_its_rows_arrive():
    claim = ratio(1.2)
    assert verdict(claim) == ("not_found", None, "no rows of inference v6.1 are held")
    assert verdict(claim, row("b300", 120)) == ("not_found", None, "no row of B200 in inference v6.1")
    assert verdict(claim, row("b300", 120), row("b200", 100))[0] == "confirmed"


def test_what_no_table_holds_is_not_found_and_says_why():
    assert verdict(ratio(4, unit="performance_per_dollar")) == (
        "not_found",
        None,
        "the tables hold no prices",
    )
    assert verdict(ratio(4, baseline_system=None)) == ("not_found", None, "the text names no baseline")
    assert verdict(ratio(4, baseline_system="AMD (first submission)"))[0] == "not_found"


def test_projected_and_unverified_figures_wait_for_a_row_that_bears_them_out():
    claim = Claim(
        kind="absolute",
        value=150,
        qualifier="exact",
        subject_system="B300",
        benchmark="llama2-70b",
        scenarios=("Offline",),
        round="v6.1",
        unit="tokens/s",
        status="unverified",
    )
    assert verdict(claim, row("b300", 120)) == (
        "not_found",
        "system",
        "unverified: not among the reviewed rows",
    )
    assert verdict(claim, row("b300", 120), row("b300", 150))[0] == "confirmed"


# ---------------------------------------------------------------------------------------------- single figures


def test_a_value_under_another_label_is_contradicted_with_where_it_stands():
    claim = Claim(
        kind="absolute",
        value=673936,
        qualifier="exact",
        subject_system="GB200 NVL72",
        benchmark="deepseek-r1",
        scenarios=("Offline",),
        round="v6.0",
        unit="tokens/s",
    )
    found = check(claim, PUBLISHED, catalog=CATALOG)
    assert (found.verdict, found.reason) == (
        "contradicted",
        "the value is that of Nebius gb300-nvl72 v6.0, Offline",
    )


def test_a_per_gpu_value_is_found_per_accelerator():
    found = published("GB300 NVL72 managed 5,842 tokens/s per GPU on DeepSeek-R1 Offline.", "v5.1")
    assert (found.verdict, found.reading) == ("confirmed", "per_accelerator")


def test_a_rank_holds_for_all_rows_or_for_those_with_the_same_accelerators():
    rows = (row("b300", 120), row("b300", 110, submitter="Dell"), row("b300", 990, accelerator_count=72))
    claim = Claim(
        kind="rank_or_first",
        value=1,
        subject_system="8x B300",
        benchmark="llama2-70b",
        scenarios=("Offline",),
        round="v6.1",
        submitter="NVIDIA",
        accelerator_count=8,
    )
    assert verdict(claim, *rows) == ("confirmed", "same_count", None)
    assert verdict(replace(claim, submitter="Dell"), *rows)[0] == "contradicted"


def test_a_figure_per_watt_needs_measured_power():
    claim = Claim(
        kind="power_efficiency",
        value=9.9,
        qualifier="exact",
        subject_system="B200",
        benchmark="llama2-70b",
        round="v6.1",
        unit="tokens/s/W",
        decimals=1,
    )
    assert verdict(claim, row("b200", 102909)) == (
        "not_found",
        None,
        "no measured power among its rows in v6.1",
    )
    assert verdict(claim, row("b200", 102909, power=(Power("measured", 10401.0, "Watts"),)))[0] == "confirmed"
    assert verdict(claim, row("b200", 102909, power=(Power("design", 10401.0, "Watts"),)))[0] == "not_found"


def test_every_evidence_says_its_arithmetic_and_names_its_rows():
    found = published(
        "GB300 NVL72 is 28% ahead of GB200 NVL72 on gpt-oss-120b Offline at the same count.", "v6.1"
    )
    (first, *_) = found.evidence
    assert first.arithmetic.startswith("gpt-oss-120b: 1,124,500 / 883,761 tokens/s = 1.27x, +27.2 %")
    assert [r.accelerator for r in first.rows] == ["gb300", "gb200"]


TEXTS = [
    ("GB300 NVL72 is up to 1.6x faster than in v6.0.", "v6.1"),
    ("MI355X reaches 111 % of B200 on gpt-oss-120b Offline.", "v6.0"),
    ("Vera Rubin NVL72 is 2x GB300 NVL72 on DeepSeek-R1 Server.", "v6.1"),
    ("Lenovo's SR780a V3 had the highest figure for Llama 3.1 8B Offline.", "v5.1"),
    ("GB300 NVL72 keeps 99% scaling efficiency on DeepSeek-R1.", "v6.1"),
    ("Blackwell is 3x Hopper on Llama 2 70B.", "v5.1"),
]


@pytest.mark.parametrize(("text", "round_"), TEXTS)
def test_the_order_of_rows_does_not_matter(text, round_):
    (claim,) = extract(text, catalog=CATALOG, round=round_)
    rows = list(PUBLISHED)
    expected = check(claim, rows, catalog=CATALOG)
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        assert check(claim, rows, catalog=CATALOG) == expected


def test_a_row_may_be_measured_against_the_best_of_an_earlier_round_whoever_submitted_it():
    found = verdict(
        ratio(1.49, decimals=2, subject_system="B300", baseline_system="B300", baseline_round="v6.0"),
        row("b300", 1833.97, submitter="Supermicro"),
        row("b300", 1916.74, submitter="Intel"),
        row("b300", 1229.56, submitter="Intel", round="v6.0"),
        row("b300", 1185.98, submitter="Supermicro", round="v6.0"),
    )
    assert found == ("confirmed", "chosen_rows", None)


@pytest.mark.parametrize(
    ("text", "round_"),
    [
        ("Fujitsu's PRIMERGY CDI with eight RTX PRO 6000 makes 26,626.5 tokens/s on Llama 2 70B Offline.", "v6.1"),
        ("Wiwynn's OneW with four GB300 reaches 60,466 tokens/s in gpt-oss-120b Server.", "v6.1"),
        ("Granite Rapids makes 1,139.5 tokens/s on Llama 3.1 8B Server.", "v6.1"),
        ("A Strix Halo desktop needed 7.06 seconds for Qwen3.6-27B in SingleStream.", "v6.1"),
    ],
)  # fmt: skip
def test_servers_without_digits_and_code_names_are_found_among_the_rows(text, round_):
    assert published(text, round_).verdict == "confirmed"


@pytest.mark.parametrize(
    "text",
    [
        "HPE's open-division series on DeepSeek-R1 Offline ends with 336,125 tokens/s with 56 GB200.",
        "Crusoe joined 64 servers with eight MI355X each; they deliver 5,392,930 tokens/s in gpt-oss-120b Server.",
        "Nine MI355X servers together process 1,039,900 tokens per second in gpt-oss-120b Offline.",
        "The Dell Pro Max with one GB10 makes 78.7 samples/s on YOLO Offline.",
    ],
)
def test_the_rows_of_a_count_of_machines_or_a_line_of_servers_are_found(text):
    assert published(text, "v6.1").verdict == "confirmed"
