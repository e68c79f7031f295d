"""What a post claims: names carried, lists in parallel, repetitions, statuses, and what only looks like a claim."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.catalog.names import load
from watcher.claims import extract
from watcher.domain import Claim

CATALOG = load()


def claims(text: str, round_: str | None = "v6.1") -> tuple[Claim, ...]:
    return extract(text, catalog=CATALOG, round=round_)


def short(text: str, round_: str | None = "v6.1") -> list[tuple[object, ...]]:
    return [
        (c.kind, c.value, c.subject_system, c.baseline_system, c.benchmark, c.scenarios)
        for c in claims(text, round_)
    ]


def test_a_ratio_has_subject_baseline_benchmark_scenario_and_quote():
    text = "With vLLM, Vera Rubin NVL72 reached up to 2.6x the DeepSeek-R1 Interactive throughput of GB300 NVL72."
    assert claims(text) == (
        Claim(
            kind="ratio", value=2.6, qualifier="up_to", subject_system="Vera Rubin NVL72", baseline_system="GB300 NVL72", benchmark="deepseek-r1",
            scenarios=("Interactive",), software=("vLLM",), round="v6.1", quote=text, decimals=1, place="paragraph 1",
        ),
    )  # fmt: skip


def test_respectively_gives_each_value_its_own_scenario():
    text = "GB300 NVL72 served gpt-oss-120b at 1,197,710 and 1,160,490 tokens/s in Offline and Server, respectively."
    assert short(text) == [
        ("absolute", 1197710, "GB300 NVL72", None, "gpt-oss-120b", ("Offline",)),
        ("absolute", 1160490, "GB300 NVL72", None, "gpt-oss-120b", ("Server",)),
    ]


def test_a_value_of_two_benchmarks_is_two_claims_and_of_two_scenarios_one():
    text = "GB300 NVL72 is 1.3x GB200 NVL72 on DeepSeek-R1 and gpt-oss-120b."
    assert [c.benchmark for c in claims(text)] == ["deepseek-r1", "gpt-oss-120b"]
    (claim,) = claims("GB300 NVL72 is 1.3x GB200 NVL72 on DeepSeek-R1 in Offline and Server.")
    assert claim.scenarios == ("Offline", "Server")


def test_the_same_system_in_an_earlier_round_is_its_own_baseline():
    (claim,) = claims("MI355X is 38% quicker on gpt-oss-120b Server than in v6.0.")
    assert (claim.subject_system, claim.baseline_system, claim.round, claim.baseline_round) == (
        "MI355X",
        "MI355X",
        "v6.1",
        "v6.0",
    )
    (claim,) = claims("HGX B200 trains Llama 3.1 8B 9% faster than in its previous round.", "training-v6.0")
    assert (claim.benchmark, claim.baseline_round) == ("train-llama3.1-8b", "training-v5.1")


def test_a_percentage_of_a_system_is_a_ratio():
    assert short("MI355X reaches 97 % of B200 on Llama 2 70B Server.") == [
        ("ratio", 0.97, "MI355X", "B200", "llama2-70b", ("Server",))
    ]


def test_less_of_a_latency_is_a_gain_and_less_throughput_is_none():
    (claim,) = claims("Eight MI355X cut Wan 2.2 SingleStream latency by 25% compared with v6.0.")
    assert (claim.kind, claim.value, claim.unit) == ("percent_gain", 25, "latency")
    assert claims("MI355X is 3% slower than B300 on Llama 2 70B Offline.") == ()


def test_a_headline_that_the_body_repeats_is_one_claim():
    text = "<h1>Up to 3.7x</h1><p>On Qwen3-VL, Vera Rubin NVL72 reaches up to 3.7x GB300 NVL72. The 3.7x is an Interactive figure.</p>"
    (claim,) = claims(text)
    assert (claim.benchmark, claim.subject_system) == ("qwen3-vl-235b-a22b", "Vera Rubin NVL72")


def test_a_ratio_takes_the_systems_of_the_two_values_that_it_was_made_of():
    text = "Qwen3-VL Interactive climbs from 349.29 queries/s on GB300 NVL72 to 1306.61 queries/s on Vera Rubin NVL72: 3.74x."
    assert (
        "ratio",
        3.74,
        "Vera Rubin NVL72",
        "GB300 NVL72",
        "qwen3-vl-235b-a22b",
        ("Interactive",),
    ) in short(text)


def test_a_list_starts_from_what_leads_to_it():
    text = "<p>GB300 NVL72 over GB200 NVL72 on DeepSeek-R1:</p><ul><li>Offline: 1.30x</li><li>Server: 1.51x</li></ul>"
    assert short(text) == [
        ("ratio", 1.3, "GB300 NVL72", "GB200 NVL72", "deepseek-r1", ("Offline",)),
        ("ratio", 1.51, "GB300 NVL72", "GB200 NVL72", "deepseek-r1", ("Server",)),
    ]


def test_a_table_is_read_whichever_way_it_lies():
    upright = "| | Offline | Server |\n|---|---|---|\n| B300 | 109,277 | 106,949 |\n\nLlama 2 70B, tokens/s"
    lying = "| Llama 2 70B, tokens/s | B300 |\n|---|---|\n| Offline | 109,277 |\n| Server | 106,949 |"
    assert (
        short(upright)
        == short(lying)
        == [
            ("absolute", 109277, "B300", None, "llama2-70b", ("Offline",)),
            ("absolute", 106949, "B300", None, "llama2-70b", ("Server",)),
        ]
    )


def test_a_table_of_two_rounds_has_its_ratio_between_them():
    text = "<p>MI355X, gpt-oss-120b Offline</p><table><tr><th>v6.0 (tokens/s)</th><th>v6.1 (tokens/s)</th><th>Ratio</th></tr><tr><td>95,004</td><td>121,818</td><td>1.28x</td></tr></table>"
    ratio = claims(text)[-1]
    assert (ratio.value, ratio.round, ratio.baseline_round, ratio.baseline_system) == (
        1.28,
        "v6.1",
        "v6.0",
        "MI355X",
    )


def test_two_values_in_one_cell_follow_the_headers_order():
    text = "<table><tr><th>gpt-oss-120b</th><th>Offline/Server, tokens/s</th></tr><tr><td>B200</td><td>91.5k/90.2k</td></tr></table>"
    assert [(c.value, c.scenarios, c.rounding) for c in claims(text)] == [
        (91500, ("Offline",), 100),
        (90200, ("Server",), 100),
    ]


@pytest.mark.parametrize("heads", [("8x MI350X", "16x MI350X"), ("8 cards", "16 cards")])
def test_a_count_in_a_header_is_no_ratio_and_no_column_of_counts(heads):
    text = (
        "<p>MI350X in MLPerf Inference v6.0, Llama 2 70B, in tokens/s, as shown:</p><table>"
        f"<tr><th>Scenario</th><th>{heads[0]}</th><th>{heads[1]}</th></tr>"
        "<tr><td>Offline</td><td>78,936.7</td><td>159,932</td></tr></table>"
    )
    assert [(c.kind, c.value, c.scenarios) for c in claims(text, "v6.0")] == [
        ("absolute", 78936.7, ("Offline",)),
        ("absolute", 159932.0, ("Offline",)),
    ]


def test_a_price_by_the_hour_is_no_time():
    text = (
        "<p>Nebius ran GPT-OSS-120B Offline in MLPerf Inference v6.0.</p><table>"
        "<tr><th>Slice</th><th>GPUs</th><th>€/hour</th></tr>"
        "<tr><td>S</td><td>8</td><td>38.40</td></tr></table>"
    )
    assert claims(text, "v6.0") == ()


def test_prices_counts_and_sizes_in_a_table_are_no_results():
    text = "<table><tr><th>System</th><th>GPUs</th><th>Price</th><th>Whisper Offline (samples/s)</th></tr><tr><td>B300</td><td>8</td><td>$400,000</td><td>52,221.8</td></tr></table>"
    (claim,) = claims(text)
    assert (claim.value, claim.accelerator_count) == (52221.8, 8)


@pytest.mark.parametrize("mark", ["<sup>1</sup>", " <sup>1</sup>", "[1]", " [1]", "¹", "*"])
def test_a_footnotes_mark_behind_the_full_stop_is_of_the_sentence_before_it(mark):
    text = f"<p>B300 is 3x B200 on gpt-oss-120b.{mark} It draws more power.</p><p>{mark.strip()} MLPerf Inference v6.1, Offline.</p>"

    assert [(c.scenarios, c.quote) for c in extract(text, catalog=CATALOG)] == [
        (("Offline",), "B300 is 3x B200 on gpt-oss-120b.")
    ]


def test_a_footnote_gives_the_scenario_that_its_sentence_leaves_out():
    text = "<p>GB300 NVL72 serves 1.3x<sup>1</sup> the DeepSeek-R1 tokens of GB200 NVL72.</p><p><sup>1</sup> MLPerf Inference v6.1 Closed, Offline.</p>"
    (claim,) = claims(text)
    assert (claim.scenarios, claim.division) == (("Offline",), "closed")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Unverified: MI355X now takes 14.1 s for Wan 2.2 SingleStream.", "unverified"),
        (
            "MI355X now takes 14.1 s for Wan 2.2 SingleStream. Result not verified by MLCommons Association.",
            "unverified",
        ),
        ("We expect MI355X to take 12 s for Wan 2.2 SingleStream.", "projected"),
        ("On AgentX, Vera Rubin NVL72 delivered 30x the throughput of GB300 NVL72.", "not_mlperf"),
        ("MI355X takes 16.1 s for Wan 2.2 SingleStream.", "measured"),
    ],
)
def test_a_claim_says_how_it_stands(text, status):
    assert [c.status for c in claims(text)] == [status]


def test_without_a_word_of_mlperf_nothing_is_claimed_of_it():
    assert [c.status for c in claims("B300 is 2.1x H200 on Llama 2 70B.", None)] == ["not_mlperf"]
    assert [c.status for c in claims("In MLPerf v6.1, B300 is 2.1x H200 on Llama 2 70B.", None)] == [
        "measured"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Each GPU carries 288 GB of HBM4 with 2.8 times the memory bandwidth of GB300.",
        "GB300 shipments are up 40%, and the rack costs 1.2x of what GB200 did.",
        "The Interactive scenario of Llama 2 70B requires 450 ms to the first token.",
        "Our fused MoE kernel runs 1.4x faster on MI355X.",
        "The FP4 checkpoint keeps 99.9% of the reference accuracy on Llama 2 70B.",
        "If GB300 NVL72 scaled perfectly, it would reach 800,000 tokens/s on gpt-oss-120b.",
        "An earlier version of this post gave the GB300 NVL72 lead on DeepSeek-R1 as 4.2x.",
        "Submissions grew by 12% over v6.0.",
        "The keynote had 25% more viewers, and the stock gained 4.2%.",
        "I get 4.2x on MI355X in Offline.",
    ],
)
def test_what_only_looks_like_a_claim_is_none(text):
    assert claims(text) == ()


@settings(max_examples=300)
@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=400))
def test_no_text_stops_extraction(text):
    claims(text)


PARTS = [
    "GB300 NVL72",
    "3.7x",
    "45 %",
    "(",
    ")",
    ",",
    "and",
    "Offline",
    "<table><tr><td>",
    "</td>",
    "<sup>1</sup>",
    "DeepSeek-R1",
    "v6.1",
    "tokens/s",
    "1,046,150",
    "respectively",
    "over",
    "\n",
    "|",
    "8x",
    ".",
]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PARTS), max_size=60))
def test_no_shuffled_sentence_stops_extraction(parts):
    for claim in claims(" ".join(parts)):
        assert claim.value == claim.value


@pytest.mark.parametrize("filling", ["." * 300_000, "only " * 60_000, "all, " * 60_000])
def test_a_text_of_signs_or_of_one_word_is_read_in_one_go(filling: str) -> None:
    assert extract(f"MLPerf 3.7x{filling}", catalog=CATALOG) == ()
