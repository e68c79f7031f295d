"""Classes of wording, each with several sentences: a rule that only one of them meets is no rule."""

from __future__ import annotations

import pytest

from tests.claim_texts import CATALOG, told
from watcher.claims import extract


@pytest.mark.parametrize(
    "text",
    [
        "We do not claim that GB300 is 50 % faster than GB200.",
        "We never said that the MI355X is 3x faster than H200 on Llama 2 70B.",
        "Nobody claims a 40% lead for B300 over B200 in gpt-oss-120b.",
        "B300 was not 20% faster than B200 on Whisper, it was the other way round.",
    ],
)
def test_a_figure_that_is_denied_is_no_claim(text):
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Readers asked whether GB300 doubles GB200 on DeepSeek-R1.",
        "My bet is on 1.3 million tokens/s for Vera Rubin in Server.",
        "The assumption is that MI355X gains 30% per round.",
        "MI455X may be 10x faster than MI300X.",
        "We assign a probability of 60% to GB300 racks twice as fast as GB200.",
    ],
)
def test_a_guess_is_no_claim(text):
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "It had said that Azure's rack was 12 per cent faster than GB200 in DeepSeek-R1 Interactive.",
        "This story originally said that GB300 beat GB200 by 45% in Server.",
        "The article was amended: B300 beats B200 by 9% in Offline.",
    ],
)
def test_what_an_article_had_said_is_no_claim(text):
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "We hire an engineer who made Llama 2 70B 3x faster on MI300X.",
        "Wanted: a lead who made DLRM 2x faster before, for GB300 NVL72.",
        "We thank everybody, above all those who brought GB300 a 40% gain on Whisper.",
    ],
)
def test_what_somebody_did_is_no_claim_about_a_system(text):
    assert told(text) == []


def test_a_greatest_number_of_something_is_no_rank():
    assert told("The highest number of H100 accelerators in the round was 512.") == []


def test_a_tie_of_several_is_no_gain():
    text = "XE9780 and DGX B300 are within 1% of each other on gpt-oss-120b Offline."
    assert told(text) == []


def test_a_thought_in_a_later_clause_leaves_the_figure_before_it():
    text = "The GB300 NVL72 makes 679,740 tokens/s on DeepSeek-R1 Offline, and four of them would be enough."
    assert told(text) == [(679740,)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("B300 leads B200 by 1.24 to 1 on gpt-oss-120b Offline.", 1.24),
        ("On Qwen3-VL it wins by a ratio of 3.7:1 over GB300 NVL72 in Server.", 3.7),
        ("MI355X exceeds MI325X in Llama 2 70B Offline by a factor of three.", 3),
        (
            "The gap is a factor of two and a half between Vera Rubin and GB300 in DeepSeek-R1 Interactive.",
            2.5,
        ),
    ],
)
def test_a_ratio_is_read_as_odds_and_factors_are_written(text, value):
    assert told(text, "kind") == [(value, "ratio")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("GB300 converged in twelve and a half minutes on Llama 3.1 8B.", 12.5),
        ("After three and a half minutes, 512 H100 had trained GPT-3 175B.", 3.5),
    ],
)
def test_a_half_is_added_to_a_number_in_words(text, value):
    assert told(text, "unit", round="training-v5.1") == [(value, "minutes")]


@pytest.mark.parametrize(
    "text",
    [
        "No Xeon machine in the table beats Dell's R770AP at R-GAT.",
        "No other server did better than Dell's R770AP on R-GAT.",
        "Nothing in the closed division beats the R770AP in R-GAT.",
    ],
)
def test_the_one_that_nothing_beats_is_first(text):
    assert told(text, "kind", "subject_system") == [(1, "rank_or_first", "R770AP")]


@pytest.mark.parametrize(
    "text",
    [
        "AMD took gpt-oss-120b Offline on MI355X from 95,004 to 121,818 tokens/s.",
        "On gpt-oss-120b Offline our eight MI355X rose from 95,004 to 121,818 tokens/s.",
        "gpt-oss-120b on MI355X: 95,004 tokens/s then, 121,818 now (Offline).",
        "In gpt-oss-120b Offline eight MI355X make 121,818 tokens/s; it used to be 95,004.",
    ],
)
def test_a_value_of_before_is_one_of_the_round_before(text):
    assert set(told(text, "round")) == {(95004, "v6.0"), (121818, "v6.1")}


@pytest.mark.parametrize(
    "text",
    [
        "Throughput of GB300 rises from 128,000 to 2,092,000 tokens/s as it grows from 4 to 72 GPUs on DeepSeek-R1.",
        "MI355X moves from 14,226 tokens/s in Server to 16,635 tokens/s in Offline on gpt-oss-120b.",
    ],
)
def test_from_and_to_along_counts_or_scenarios_is_one_round(text):
    assert {found for _, found in told(text, "round")} == {"v6.1"}


@pytest.mark.parametrize(
    "text",
    [
        "Each of the 72 GPUs contributes 9,441 tokens/s to GB300 NVL72's DeepSeek-R1 Offline result.",
        "Every one of the 72 GPUs of GB300 NVL72 gives 9,441 tokens/s in DeepSeek-R1 Offline.",
    ],
)
def test_what_each_of_the_accelerators_gives_is_per_accelerator(text):
    assert told(text, "per_accelerator") == [(9441, True)]


@pytest.mark.parametrize(
    ("text", "rival"),
    [
        ("Our B300 beats Oracle's by 2% in gpt-oss-120b Server.", "Oracle"),
        ("The MI355X node is 1.05x Dell's on gpt-oss-120b Offline.", "Dell"),
        (
            "Our GB300 NVL72 outperformed the reference submission from NVIDIA by 6.5% in gpt-oss-120b Offline.",
            "NVIDIA",
        ),
    ],
)
def test_a_rival_that_is_only_a_submitter_is_the_baseline(text, rival):
    assert [found[1:] for found in told(text, "baseline_system", "baseline_submitter")] == [(rival, rival)]


@pytest.mark.parametrize(
    "text",
    [
        "At 1000 W the XE9785 gets 84 % of its uncapped figure on Llama 2 70B Offline.",
        "With FP8 the XE9785 makes 84 percent of its FP4 throughput on Llama 2 70B Offline.",
    ],
)
def test_a_share_of_its_own_figure_is_measured_against_itself(text):
    assert told(text, "kind", "subject_system", "baseline_system") == [(0.84, "ratio", "XE9785", "XE9785")]


@pytest.mark.parametrize(
    "text",
    [
        "GB300 NVL72 makes 679,740 tokens/s on DeepSeek-R1 Offline. Azure gets 661,143 tokens/s there.",
        "GB300 NVL72 makes 679,740 tokens/s on DeepSeek-R1 Offline. On the same test Azure has 661,143 tokens/s.",
        "GB300 NVL72 makes 679,740 tokens/s on DeepSeek-R1 Offline. Azure follows with 661,143 tokens/s.",
    ],
)
def test_a_scenario_holds_for_the_next_sentence_on_the_same_benchmark(text):
    assert told(text, "scenarios") == [(679740, ("Offline",)), (661143, ("Offline",))]


def test_a_maker_of_other_accelerators_does_not_take_over_the_system_in_mind():
    text = "GB300 NVL72 makes 1,124,500 tokens/s on gpt-oss-120b Offline. AMD's own cluster shows 964,468."
    assert told(text, "subject_system") == [(1124500, "GB300 NVL72"), (964468, "AMD")]


def test_the_one_that_takes_longer_is_the_baseline():
    text = "H200 took 2.6 times as long as B200 to train Llama 2 70B LoRA."
    assert told(text, "subject_system", "baseline_system", round="training-v5.0") == [(2.6, "B200", "H200")]


def test_systems_named_again_keep_the_order_of_their_introduction():
    text = "<p>We entered one GB300 NVL72 rack and one HGX B200 server.</p><p>The rack trains Llama 3.1 8B in 11.6 minutes, the server in 85.3. For GPT-OSS 20B they need 18.4 and 96.5 minutes.</p>"
    found = told(text, "subject_system", round="training-v6.0")
    assert found[2:] == [(18.4, "GB300 NVL72"), (96.5, "HGX B200")]


@pytest.mark.parametrize(
    "text",
    [
        "Can a four-GPU GB300 node reach 70,000 tokens/s on gpt-oss-120b?",
        "Q: Is it true that B300 is twice as fast as B200?",
        "How can MI355X be 3x faster than MI325X on Llama 2 70B?",
    ],
)
def test_what_is_asked_is_no_claim(text):
    assert told(text) == []


def test_did_you_know_tells():
    assert told("Did you know that B300 is 1.2x faster than B200 on Whisper?") == [(1.2,)]


@pytest.mark.parametrize(
    "text",
    [
        "Q: How much faster is GB300 NVL72 than GB200 NVL72?\nA: On DeepSeek-R1, 45% in Offline.",
        "<p>Is GB300 NVL72 faster than GB200 NVL72?</p><p>Yes, 45% on DeepSeek-R1 Offline.</p>",
    ],
)
def test_a_percentage_that_answers_is_a_gain_between_those_that_were_asked_about(text):
    assert told(text, "subject_system", "baseline_system") == [(45, "GB300 NVL72", "GB200 NVL72")]


@pytest.mark.parametrize(
    "text",
    [
        "The MI355X server delivers 121,818 tokens/s on gpt-oss-120b Offline. Our next chip will be 30x faster.",
        "The MI355X server delivers 121,818 tokens/s on gpt-oss-120b Offline. We expect a future product to be twice as fast.",
        "The MI355X server delivers 121,818 tokens/s on gpt-oss-120b Offline. The upcoming platform will be 4x faster.",
    ],
)
def test_a_future_product_without_a_name_is_not_the_one_spoken_of(text):
    assert told(text) == [(121818,)]


@pytest.mark.parametrize("arrow", ["→", "->", "⇒"])
def test_an_arrow_leads_from_the_baseline(arrow):
    text = f"GB200 NVL72 {arrow} GB300 NVL72: +45 % (Offline), +25 % (Server), DeepSeek-R1, per GPU."
    assert told(text, "subject_system", "baseline_system", "per_accelerator") == [
        (45, "GB300 NVL72", "GB200 NVL72", True),
        (25, "GB300 NVL72", "GB200 NVL72", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1.6x higher throughput for gpt-oss-120b on B200 in Server mode vs. release 1.2.",
        "1.6x higher throughput for gpt-oss-120b on B200 in Server than vLLM 0.11.",
    ],
)
def test_an_older_version_of_software_is_measured_against_on_the_same_system(text):
    assert told(text, "subject_system", "baseline_system") == [(1.6, "B200", "B200")]


@pytest.mark.parametrize(
    "tail", ["both gpt-oss-120b, Offline.", "all on gpt-oss-120b Offline.", "each gpt-oss-120b, in Offline."]
)
def test_a_tail_speaks_of_all_before_it(tail):
    text = f"XE9785L: 110,188 tok/s; XA NB3I-E12: 109,368 tok/s; {tail}"
    assert told(text, "benchmark", "scenarios") == [
        (110188, "gpt-oss-120b", ("Offline",)),
        (109368, "gpt-oss-120b", ("Offline",)),
    ]


def test_a_term_and_what_is_said_of_it_are_one_line():
    text = "<dl><dt>Llama 2 70B, Server</dt><dd>109,065 tok/s</dd><dt>Whisper, Offline</dt><dd>18,992 tok/s</dd></dl>"
    assert told(f"{text}<p>Both on a Dell XE9785.</p>", "benchmark", "subject_system") == [
        (109065, "llama2-70b", "XE9785"),
        (18992, "whisper", "XE9785"),
    ]


def test_a_rank_of_nobody_is_no_claim():
    assert told("DeepSeek-R1 Interactive: nobody above 1M.") == []


@pytest.mark.parametrize(
    "text",
    [
        "A Google Cloud A4 VM with B200 doubled the Mixtral 8x7B throughput of A3 Ultra with H200.",
        "An A4 with eight B200 runs Mixtral 8x7B twice as fast as the A3 Ultra with H200.",
    ],
)
def test_a_cloud_s_instance_is_a_system(text):
    assert told(text, "subject_system", "baseline_system") == [(2, "A4", "A3 Ultra")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("TPU v6e turned in 2.9x the SDXL throughput of TPU v5e.", ("TPU v6e", "TPU v5e")),
        ("Trillium turned in 2.9x the SDXL throughput of TPU v5e.", ("Trillium", "TPU v5e")),
        ("In DeepSeek-R1 Server 36 VR200 make 1.9x what 36 GB300 make.", ("36x VR200", "36x GB300")),
        ("An RTX PRO 6000 Blackwell is 3x an L40S on Whisper.", ("RTX PRO 6000 Blackwell", "L40S")),
    ],
)
def test_a_system_is_called_as_its_sentence_calls_it(text, names):
    assert [found[1:] for found in told(text, "subject_system", "baseline_system")] == [names]


@pytest.mark.parametrize(
    "text",
    [
        "FlashAttention-4 is 1.3x faster than FlashAttention-3 on B200.",
        "The CEO said demand for Blackwell is 10x that for Hopper.",
        "Utilisation on GB200 rises by 23% with the scheduler.",
        "Prices for B200 servers are 1.3x those of H200 servers.",
        "A human reads 5 tokens per second on MLPerf's own account.",
    ],
)
def test_what_a_system_is_only_named_beside_is_no_claim_about_it(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("On Whisper Offline the four-GPU GB300 of Lambda makes 65,512 tokens/s.", "Lambda"),
        ("On Whisper Offline an XE9785 server from Dell makes 65,512 tokens/s.", "Dell"),
        ("On Whisper Offline the GB300 node by CoreWeave makes 65,512 tokens/s.", "CoreWeave"),
    ],
)
def test_an_owner_may_stand_behind_the_system(text, owner):
    assert told(text, "submitter") == [(65512, owner)]


def test_a_plural_is_no_product():
    text = "CoreWeave trained Llama 3.1 405B with 2,496 GB200s in 27.3 minutes."
    assert told(text, "subject_system", "accelerator_count", round="training-v5.0") == [
        (27.3, "2496x GB200", 2496)
    ]


@pytest.mark.parametrize("sign", ["•", "|"])
def test_a_benchmark_behind_the_last_of_a_line_is_that_of_all(sign):
    text = f"GB300 NVL72: 1,124,500 tok/s Offline {sign} 1,046,150 tok/s Server {sign} 652,000 tok/s Interactive (gpt-oss-120b)"
    assert {found for _, found in told(text, "benchmark")} == {"gpt-oss-120b"}


def test_doubling_a_count_is_no_ratio():
    text = "GPT-3 175B took 29.6 minutes on 1,024 TPU v5p, before doubling to 2,048 chips."
    assert told(text, round="training-v4.0") == [(29.6,)]


def test_a_latency_that_drops_is_a_gain_whatever_is_named_between():
    text = "Latency on Wan 2.2 SingleStream dropped 35% on MI355X."
    assert told(text, "kind", "unit") == [(35, "percent_gain", "latency")]


@pytest.mark.parametrize(
    "text",
    [
        "DGX B300 makes 70,326 tokens/s on DeepSeek-R1 Offline, more than twice the 30,493 tokens/s that a B200 server had.",
        "DGX B300 makes 70,326 tokens/s on DeepSeek-R1 Offline, 2.3x the 30,493 tokens/s of a B200 server.",
        "DGX B300 makes 70,326 tokens/s on DeepSeek-R1 Offline, 2.3 times the 30,493 tokens per second from a B200 server.",
    ],
)
def test_the_system_of_a_value_that_is_multiplied_is_the_baseline(text):
    found = [c for c in extract(text, catalog=CATALOG, round="v6.1") if c.kind == "ratio"]
    assert [(c.subject_system, c.baseline_system) for c in found] == [("DGX B300", "B200")]


@pytest.mark.parametrize(
    "text",
    [
        "Eight MI355X make 121,818 tokens/s on gpt-oss-120b Offline against the 117,804 of Dell.",
        "Eight MI355X make 121,818 tokens/s on gpt-oss-120b Offline, past the 117,804 that Dell has.",
    ],
)
def test_the_value_of_another_has_the_unit_of_the_one_before(text):
    assert told(text, "unit") == [(121818, "tokens/s"), (117804, "tokens/s")]


def test_a_number_of_tokens_is_a_rate_where_rates_are_spoken_of():
    text = "GB300 NVL72 made 1,046,150 tokens/s on gpt-oss-120b. Our next rack, GB200 NVL72, does 1.12 million tokens."
    assert told(text, "unit") == [(1046150, "tokens/s"), (1120000, "tokens/s")]


@pytest.mark.parametrize("ending", ["as many", "as much"])
def test_times_as_many_speaks_of_the_sentence_before(ending):
    text = f"B70 makes 4,597 tokens/s on Llama 3.1 8B. Eight L40S do 50,454 tokens/s, eleven times {ending}."
    found = [c for c in extract(text, catalog=CATALOG, round="v6.1") if c.kind == "ratio"]
    assert [(c.subject_system, c.baseline_system) for c in found] == [("8x L40S", "Arc Pro B70")]


@pytest.mark.parametrize(
    "text",
    [
        "Vera Rubin more than doubles GB300 NVL72 on DeepSeek-R1 Interactive, or 2.57 to 1.",
        "Vera Rubin nearly triples GB300 NVL72 on DeepSeek-R1 Interactive: 2.57x.",
        "On DeepSeek-R1 Interactive Vera Rubin more than doubles GB300 NVL72 (2.57x).",
    ],
)
def test_a_vague_multiple_beside_the_exact_one_is_not_claimed_twice(text):
    assert told(text) == [(2.57,)]


@pytest.mark.parametrize(
    "lead", ["Only one scenario exists, SingleStream.", "All results are of the SingleStream scenario."]
)
def test_the_only_scenario_holds_for_the_table_behind(lead):
    text = f"<h2>Edge</h2><p>MLPerf v6.1 has Qwen3.6-27B. {lead}</p><p>From fast to slow:</p><table><tr><th>Machine</th><th>ms</th></tr><tr><td>DGX Spark</td><td>3,808</td></tr></table>"
    assert told(text, "scenarios") == [(3808, ("SingleStream",))]


def test_values_behind_a_colon_belong_to_as_many_systems_before_it():
    text = "On gpt-oss-120b, ASUS (NB3I-E12), Dell (XE9780) and Oracle (DGX B300) are close in Offline: 109,368, 109,257 and 109,931 tokens/s."
    assert told(text, "subject_system") == [(109368, "NB3I-E12"), (109257, "XE9780"), (109931, "DGX B300")]


def test_simulated_accelerators_are_no_system():
    text = "In ResNet-50 our array feeds 1.6x as many simulated H100 accelerators as in v1.0."
    assert told(text, "subject_system", round="storage-v2.0") == [(1.6, "storage-v2.0 systems")]


def test_a_maker_s_cluster_without_a_name_puts_what_was_in_mind_away():
    text = "GB300 NVL72 made 1,124,500 tokens/s on gpt-oss-120b Offline. AMD's cluster delivered 1,039,900 tokens/s. Per GPU, the gain is 32%."
    assert told(text, "subject_system")[1:] == [(1039900, "AMD"), (32, None)]


@pytest.mark.parametrize("verb", ["stood at", "was at", "landed at"])
def test_values_that_a_machine_stood_at_have_the_unit_and_scenarios_before(verb):
    text = f"<p>In MLPerf v6.1 the NL-8300 made 112,840 tokens/s in gpt-oss-120b Offline and 111,204 in Server. In v6.0 the same machine {verb} 87,400 and 81,350.</p>"
    assert told(text, "scenarios", "round")[2:] == [
        (87400, ("Offline",), "v6.0"),
        (81350, ("Server",), "v6.0"),
    ]


def test_the_round_of_an_aside_ends_with_the_next_benchmark():
    text = "<p>In gpt-oss-120b Offline our XE9780 made 112,840 tokens/s. In v6.0 it had 87,400 tokens/s. On the dense Llama 2 70B it processed 131,900 tokens/s.</p>"
    assert told(text, "subject_system", "round") == [
        (112840, "XE9780", "v6.1"),
        (87400, "XE9780", "v6.0"),
        (131900, "XE9780", "v6.1"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Against the MI325X, which needed 20.9 minutes in v5.0, MI355X is 2.05 times as fast on Llama 2 70B LoRA.",
        "Compared with the MI325X, which took 20.9 minutes in v5.0, MI355X is 2.05 times as fast on Llama 2 70B LoRA.",
    ],
)
def test_a_clause_about_the_baseline_gives_it_its_value_and_round(text):
    found = extract(text, catalog=CATALOG, round="training-v5.1")
    assert [(c.subject_system, c.baseline_system, c.round, c.baseline_round) for c in found] == [
        ("MI325X", None, "training-v5.0", None),
        ("MI355X", "MI325X", "training-v5.1", "training-v5.0"),
    ]


def test_the_system_of_a_value_that_is_compared_with_does_not_stay_in_mind():
    text = "MI355X trained Llama 2 70B LoRA in 10.2 minutes. That compares with 27.9 minutes for the MI300X. It is 5% ahead of B200."
    assert told(text, "subject_system", round="training-v5.1")[-1] == (5, "MI355X")


def test_a_title_s_accelerators_are_the_server_that_the_introduction_names():
    text = "<h1>MLPerf v6.1 with B300 servers</h1><p>Our NL-8300 with eight B300 took part.</p><h2>Speech</h2><p>Whisper ran at 46,900 tokens per second in Offline.</p>"
    assert told(text, "subject_system") == [(46900, "NL-8300")]


def test_a_count_in_brackets_is_no_figure_and_its_system_the_baseline_s():
    text = "NL-8300 is up to 1.9x faster vs. the NL-8200 (8x B200) on DeepSeek-R1."
    assert told(text, "subject_system", "baseline_system") == [(1.9, "NL-8300", "NL-8200")]


@pytest.mark.parametrize(
    "text",
    [
        "A good rule of thumb is that doubling the batch size gives 1.4x the throughput on H200.",
        "Adding GPUs tends to give 1.8x the throughput on B200.",
        "Our customers run Llama 3.1 405B twice as cheaply on MI355X.",
        "The reference implementation of DeepSeek-R1 needs 8 H200 and runs at 1,300 tokens/s.",
    ],
)
def test_rules_of_thumb_money_and_reference_code_are_no_results(text):
    assert [c for c in extract(text, catalog=CATALOG, round="v6.1") if c.status != "not_mlperf"] == []


@pytest.mark.parametrize(
    "text",
    [
        "The GB300 NVL72 of Nebius leads the DeepSeek-R1 Offline table.",
        "With the GB300 NVL72 Nebius tops the DeepSeek-R1 Offline ranking.",
        "Nebius' GB300 NVL72 heads the DeepSeek-R1 Offline list.",
    ],
)
def test_who_heads_a_table_is_first_in_it(text):
    assert told(text, "kind", "benchmark", "scenarios") == [(1, "rank_or_first", "deepseek-r1", ("Offline",))]


@pytest.mark.parametrize("mark", ["✔", "▪", "►", "✅"])
def test_a_line_s_parts_are_set_apart_by_marks(mark):
    text = f"{mark} 1.1M tokens/s on Llama 2 70B with one GB300 NVL72 (Offline) {mark} 944,902 tokens/s in Server"
    assert told(text, "scenarios") == [(1100000, ("Offline",)), (944902, ("Server",))]


def test_a_scenario_does_not_go_over_to_another_benchmark():
    text = "HGX B200 gives 3x HGX H200 on Llama 2 70B Interactive and 2.6x on Mixtral 8x7B."
    assert told(text, "benchmark", "scenarios") == [
        (3, "llama2-70b", ("Interactive",)),
        (2.6, "mixtral-8x7b", ()),
    ]


def test_a_value_in_brackets_behind_the_baseline_is_the_baseline_s():
    text = "GB300 (9,441 tokens/s) is 1.33 times as fast as GB200 (7,094 tokens/s) on DeepSeek-R1 Offline."
    assert told(text, "subject_system") == [(9441, "GB300"), (1.33, "GB300"), (7094, "GB200")]


@pytest.mark.parametrize("noun", ["gap", "difference"])
def test_a_gap_between_two_is_a_gain_of_the_first_over_the_second(noun):
    text = f"The {noun} between B300 and B200 in Whisper Offline is just 2%."
    assert told(text, "kind", "subject_system", "baseline_system") == [(2, "percent_gain", "B300", "B200")]


@pytest.mark.parametrize(
    "text",
    [
        "MI325X lands at 33,928 tok/s on Llama 2 70B Offline, so the MI355X triples it.",
        "MI325X lands at 33,928 tok/s on Llama 2 70B Offline. MI355X triples it.",
    ],
)
def test_it_that_is_tripled_is_the_system_before(text):
    found = extract(text, catalog=CATALOG, round="v6.1")[-1]
    assert (found.value, found.subject_system, found.baseline_system) == (3, "MI355X", "MI325X")


@pytest.mark.parametrize("who", ["We", "AMD"])
def test_what_its_maker_doubled_is_measured_against_itself(who):
    text = f"{who} doubled MI355X's DeepSeek-R1 Interactive score in five months."
    assert told(text, "subject_system", "baseline_system") == [(2, "MI355X", "MI355X")]


@pytest.mark.parametrize(
    "text",
    [
        "A two-socket server gets 742 tokens/s on Llama 3.1 8B Offline with EPYC 9965.",
        "This big server with EPYC 9965 gets 742 tokens/s on Llama 3.1 8B, offline.",
    ],
)
def test_a_server_in_small_letters_is_a_machine(text):
    assert told(text, "scenarios") == [(742, ("Offline",))]


def test_one_scenario_measured_by_another_is_no_ratio_of_systems():
    text = "In Llama 2 70B Server, B200 reaches 97.7k tok/s, i.e. 98 % of its Offline number."
    assert told(text) == [(97700,)]


def test_how_many_models_fit_is_no_result():
    assert told("You can fit three Llama 2 70B replicas on one MI355X, twice as many as on B200.") == []
