"""What is a claim and what only looks like one, by class of wording; each class with its near-opposites."""

from __future__ import annotations

import pytest

from tests.claim_texts import CATALOG, told
from watcher.claims import extract


@pytest.mark.parametrize(
    "text",
    [
        "The all-to-all exchange on GB300 NVL72 takes 28% less time than in autumn.",
        "On B300, moving the KV cache takes 35% less time with the new release.",
        "Gradient exchange between the MI355X nodes is 2.1x faster.",
        "The RCCL collectives of MI355X run at 1.7 times the speed of the last release.",
        "Our rewritten sampler makes do with 30% fewer instructions on B200.",
    ],
)
def test_a_part_of_the_machinery_that_got_faster_is_no_result(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The new kernel makes MI355X 1.4x faster than MI300X on Llama 2 70B Offline.", 1.4),
        ("Disaggregated prefill lifts B300 by 30% on DeepSeek-R1 Server over v6.0.", 30.0),
        ("Training Llama 2 70B LoRA on B300 takes 28% less time than on B200.", 28.0),
        ("With the rewritten sampler, MI355X serves 4x the tokens of MI300X on Llama 2 70B Server.", 4.0),
        ("Disaggregated prefill took the p99 time to first token of Llama 3.1 405B Interactive down by 38% on B200.", 38.0),
    ],
)  # fmt: skip
def test_a_system_that_got_faster_by_one_of_its_parts_is_a_result(text, value):
    assert told(text) == [(value,)]


@pytest.mark.parametrize(
    "text",
    [
        "Update, November 15: we had 76.841 minutes for B300 on Llama 3.1 8B in the table at first.",
        "We withdraw the statement that this server is 3.1x as fast as an H100 system on Whisper.",
        "Edit: the GB300 rack was initially listed here with 697,740 tokens/s on DeepSeek-R1 Offline.",
        "We take back our sentence that MI355X leads B200 by 12% on Llama 2 70B Server.",
        "Note: B300 was originally given as 9% ahead of B200 on Whisper.",
    ],
)
def test_what_a_note_says_that_the_text_had_at_first_is_no_claim(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Update: the GB300 NVL72 rack reaches 679,740 tokens/s on DeepSeek-R1 Offline.", 679740),
        ("At first glance MI355X is 1.1x as fast as B200 on Llama 2 70B Offline, and it is.", 1.1),
        ("GB300 was at first thought slower; the correct value is 679,740 tokens/s on DeepSeek-R1 Offline.", 679740),
    ],
)  # fmt: skip
def test_a_note_with_the_right_figure_is_a_claim(text, value):
    assert told(text) == [(value,)]


@pytest.mark.parametrize(
    "text",
    [
        "(My Friday rerun on gpt-oss-120b: 61,000 tokens/s, then the disk filled up.)",
        "My two old H100s manage 1,900 tokens/s on Llama 3.1 8B Offline.",
        "The G894's DeepSeek-R1 Offline score is 3x what my B200 box does, and 9x mine at work.",
        "my two 4090s do 1,900 tokens/s on Llama 3.1 8B, so their box is only 9x mine",
    ],
)
def test_what_a_writer_has_at_home_is_no_result(text):
    assert told(text) == []


def test_what_a_writer_likes_best_of_the_results_is_one():
    text = "My favourite row is Dell's 117,804 tokens/s on gpt-oss-120b Offline with eight MI355X."
    assert told(text) == [(117804,)]


def test_the_plural_of_a_cards_number_is_no_time():
    assert told("A pair of 4090s makes 1,900 tokens/s on Llama 3.1 8B Offline.") == [(1900,)]


@pytest.mark.parametrize(
    "text",
    [
        "AMD closed Friday up 3.2% after the MI355X results.",
        "Nvidia ended the day 4% higher, and AMD gained 6% in after-hours trading on the B300 news.",
        "Shares of Dell (NYSE: DELL) rose 2.5% on its B300 servers.",
        "On the Nasdaq AMD jumped by 7% as MI355X led in Llama 2 70B.",
    ],
)
def test_a_move_of_a_share_is_no_result(text):
    assert told(text, "kind") in ([], [(1, "rank_or_first")])


def test_the_closed_division_is_no_market():
    text = "In the closed division, eight B300 gained 12% over B200 on Whisper Offline."
    assert told(text) == [(12,)]


@pytest.mark.parametrize(
    "text",
    [
        "Our customers want four times the tokens of B200 from the same floor tiles.",
        "Everybody asked for 2x the MI300X throughput on Llama 2 70B.",
        "We hope to see GB300 racks 1.5x faster on DeepSeek-R1 Server.",
        "Operators wished for 50% more on H200.",
    ],
)
def test_a_wish_is_no_claim(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("For those who want speed, B300 gives 72,445.1 tokens/s on DeepSeek-R1 Offline.", 72445.1),
        ("DGX B300 wants 17.98 s for a clip of Wan 2.2.", 17.98),
    ],
)
def test_a_want_that_is_a_need_of_time_or_somebody_elses_is_none(text, value):
    assert told(text) == [(value,)]


COMMENT = "gpu_fan: two H100 boxes do 1,900 tokens/s on Llama 3.1 8B Offline"
RESULT = "Dell's XE9680 with eight B300 makes 72,445.1 tokens/s on DeepSeek-R1 Offline. It is a fine box."


@pytest.mark.parametrize("line", ["Comments (1)", "1 comment", "Comments", "Discussion (2)", "Letters: 4"])
def test_a_line_that_counts_comments_ends_the_article(line):
    assert told(f"<p>{line}</p><p>{COMMENT}</p>") == []
    assert told(f"<p>{RESULT}</p><p>{line}</p><p>{COMMENT}</p>") == [(72445.1,)]


def test_a_count_of_comments_beside_the_authors_name_ends_nothing():
    assert told(f"<h1>Results</h1><p>3 comments</p><p>{RESULT}</p>") == [(72445.1,)]


@pytest.mark.parametrize(
    "text",
    [
        "Ahead of any official review, B300 reaches 36,395.7 samples/s on Whisper Offline.",
        "Ahead of any submission, Intel showed B70 with 36,395.7 samples/s on Whisper Offline.",
        "HPE used the biggest server and the largest number of GPUs, and got 36,395.7 samples/s on Whisper Offline.",
        "The largest cluster is Crusoe's; its MI355X give 36,395.7 samples/s on Whisper Offline.",
    ],
)
def test_before_a_review_and_the_largest_cluster_are_no_ranks(text):
    assert told(text) == [(36395.7,)]


@pytest.mark.parametrize(
    ("text", "scenarios"),
    [
        ("In DeepSeek-R1 Offline the GB300 NVL72 rack is ahead of any other submission.", ("Offline",)),
        ("On Whisper Offline, MI355X is ahead of every submission in the table.", ("Offline",)),
        ("The biggest gpt-oss-120b Offline number belongs to Crusoe's MI355X cluster.", ("Offline",)),
        ("The largest Llama 2 70B Server score of the round is that of Dell's eight B300.", ("Server",)),
        ("No other server with eight B300 GPUs scored higher on DeepSeek-R1 Offline than the G894-AD3-AAX7.", ("Offline",)),
    ],
)  # fmt: skip
def test_the_largest_number_and_what_no_other_submission_reaches_are_ranks(text, scenarios):
    assert told(text, "kind", "scenarios") == [(1, "rank_or_first", scenarios)]


@pytest.mark.parametrize(
    "text",
    [
        "The C880A M8 with eight B300 got 1,971.11 tokens/s on Llama 3.1 405B Offline, the highest result of any eight-GPU server.",
        "The whole server, a C880A M8, got 1,971.11 tokens/s on Llama 3.1 405B Offline, the highest result of the round.",
        "Server with eight B300 got 1,971.11 tokens/s on Llama 3.1 405B Offline, the highest result of any.",
    ],
)
def test_a_server_with_words_between_is_no_scenario(text):
    assert {scenarios for _, scenarios in told(text, "scenarios")} == {("Offline",)}


def test_a_server_that_goes_on_as_a_scenario_is_one():
    text = "Offline and server throughput on Llama 2 70B are 1.2x and 1.3x those of B200 on the B300."
    assert told(text, "scenarios") == [(1.2, ("Offline",)), (1.3, ("Server",))]


def test_a_first_of_its_kind_is_not_of_the_benchmark_of_a_later_clause():
    text = "Cisco put eight H200 and eight MI350X behind one endpoint, the first Closed entry to mix NVIDIA and AMD GPUs, and measured 99,683.8 tokens/s on Llama 2 70B."
    assert told(text, "benchmark") == [(1, None), (99683.8, "llama2-70b")]


def test_a_headline_that_calls_a_system_by_its_owner_is_not_claimed_again():
    body = "CoreWeave's GB300 NVL72 makes 1,197,710 tokens/s on gpt-oss-120b Offline, the best score any rack has."
    found = told(f"<h1>CoreWeave has the quickest rack for gpt-oss-120b</h1><p>{body}</p>", "subject_system")
    assert found == [(1197710, "GB300 NVL72"), (1, "GB300 NVL72")]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The XA NB3I-E12 gets 69 846,9 tokens/s on DeepSeek-R1 Offline and 54 568,6 tokens/s in Server.", [69846.9, 54568.6]),
        ("Le XE9785L atteint 72 445,1 tokens/s (Offline) et 70 495,7 (Server) sur DeepSeek-R1.", [72445.1, 70495.7]),
        ("GB300 serves 1\u00a0097\u00a0620,5 tokens/s on gpt-oss-120b Offline with 1 024 GPUs.", [1097620.5]),
    ],
)  # fmt: skip
def test_spaces_part_thousands_before_a_decimal_comma(text, values):
    assert [value for (value,) in told(text)] == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Sixteen MI350X multiplied the Llama 2 70B throughput by 2.03 in Offline, by 2.00 in Server and by 2.01 in Interactive.", [2.03, 2.0, 2.01]),
        ("The move from H200 to B300 multiplies the Whisper Offline score by 1.8.", [1.8]),
        ("MangoBoost multiplied its Server output on Llama 2 70B by 1.5 and its Offline output by 1.7.", [1.5, 1.7]),
    ],
)  # fmt: skip
def test_what_a_score_is_multiplied_by_is_a_ratio(text, values):
    assert told(text, "kind") == [(value, "ratio") for value in values]


def test_a_percentage_goes_on_from_the_one_before_the_brackets():
    text = "B60 reaches 71% of B70 in Offline (1,204 tokens/s) and 69% in Server on Llama 3.1 8B."
    assert (0.69, "ratio", ("Server",)) in told(text, "kind", "scenarios")


@pytest.mark.parametrize(
    "text",
    [
        "Normalised to a single accelerator, GB300 NVL72 yields 9,441 tokens/s on DeepSeek-R1 Offline.",
        "GB300 NVL72 comes to 9,441 tokens/s for each GB300 on DeepSeek-R1 Offline.",
        "On DeepSeek-R1 Offline the rack makes 9,441 tokens/s per GB300.",
        "Per GB300, DeepSeek-R1 Offline comes to 9,441 tokens/s.",
        "Divided by the number of GPUs, GB300 NVL72 makes 9,441 tokens/s on DeepSeek-R1 Offline.",
    ],
)
def test_a_figure_for_each_accelerator_is_per_accelerator(text):
    assert told(text, "per_accelerator") == [(9441, True)]


def test_a_figure_per_server_is_not_per_accelerator():
    text = "On DeepSeek-R1 Offline that is 72,445 tokens/s per B300 server."
    assert told(text, "per_accelerator") == [(72445, None)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The SR680a V3 drew 10,401 W in Llama 2 70B Offline, so every watt bought 9.9 tokens per second.", "power_efficiency"),
        ("Each watt of the SR680a V3 yields 9.9 tokens/s on Llama 2 70B Offline.", "power_efficiency"),
        ("Per watt, the SR680a V3 with B200 gives 9.9 tokens/s on Llama 2 70B Offline.", "power_efficiency"),
        ("Per watt nobody can say, but the SR680a V3 gives 9.9 tokens/s on Llama 2 70B Offline.", "absolute"),
    ],
)  # fmt: skip
def test_what_every_watt_gives_is_a_power_efficiency(text, kind):
    assert told(text, "kind") == [(9.9, kind)]


@pytest.mark.parametrize(
    ("text", "qualifier"),
    [
        ("Llama 3.1 8B on eight B300 is over after 75.8 minutes.", "exact"),
        ("With eight B300 the Llama 3.1 8B test is over in 75.8 minutes.", "exact"),
        ("On eight B300 Llama 3.1 8B takes over 75.8 minutes.", "over"),
        ("On eight B300 Llama 3.1 8B takes 75.8 minutes, plus or minus 2%.", "about"),
        ("On eight B300 Llama 3.1 8B takes 75.8 minutes ± 2%.", "about"),
    ],
)
def test_a_test_that_is_over_takes_no_more_than_its_figure(text, qualifier):
    assert told(text, "qualifier", round="training-v5.1") == [(75.8, qualifier)]


@pytest.mark.parametrize(
    "text",
    [
        "Dell got 117,804 tokens/s on gpt-oss-120b Offline in v6.0; in v6.1 MI355X stands at 119,201.6.",
        "Dell's B300 got 117,804 tokens/s on gpt-oss-120b Offline, and Oracle's, with the same eight GPUs, does 119,201.6.",
        "Compared with Dell's B300 (117,804 tokens/s on gpt-oss-120b Offline), MI355X is ahead, with 119,201.6.",
    ],
)
def test_a_bare_value_is_told_with_verbs_of_results(text):
    assert 119201.6 in [value for (value,) in told(text)]


@pytest.mark.parametrize(
    "text",
    [
        "The B300 node makes 72,445.1 tokens/s on DeepSeek-R1 Offline. Compared with v6.0, that is 1.4x.",
        "The B300 node makes 72,445.1 tokens/s on DeepSeek-R1 Offline. Against its v6.0 entry that is 1.4x and no more.",
    ],
)
def test_a_multiple_of_the_round_before_needs_no_noun(text):
    assert told(text, "baseline_round") == [(72445.1, None), (1.4, "v6.0")]


def test_a_benchmark_in_mind_is_left_behind_in_another_suite():
    text = (
        "In MLPerf Training v5.0 MI325X is up to 8% faster than H200 at Llama 2 70B LoRA. "
        "In MLPerf Storage v1.0, DDN fed 64 simulated H100 at 12,556.64 samples/s."
    )
    assert told(text, "benchmark")[-1] == (12556.64, None)


@pytest.mark.parametrize(
    "text",
    [
        "An earlier headline had GB300 at 3x H200 on Llama 3.1 405B; that line is gone.",
        "Our first draft put MI355X 12% ahead of B200 in Llama 2 70B Server.",
        "The original caption gave B300 1.5x the Whisper Offline score of B200.",
        "Coming Thursday: why Intel's B70 is 40% faster than B60 on Llama 3.1 8B.",
        "In our next issue: how MI355X got 2x faster on gpt-oss-120b.",
        "Intel's B70 is 40% faster on Llama 3.1 8B than you think.",
        "B300 came out 9% faster on Whisper than expected.",
        "Wan 2.2 clips have 720 lines, 50% more than in the old test.",
        "The new compiler builds the Whisper engine in 4 minutes, six times faster than TensorRT 9 did.",
        "At home I squeeze 85 tokens/s out of a pair of cards with Llama 3.1 8B Offline.",
    ],
)
def test_former_words_teasers_and_expectations_are_no_claims(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Customers who want speed get it: eight B300 deliver 1.9x the DeepSeek-R1 Server throughput of eight H200.", 1.9),
        ("Faster than expected, B300 makes 45,001.2 samples/s on Whisper Offline.", 45001.2),
        ("B300 is 9% faster than the earlier B200 on Whisper.", 9),
        ("The B300 machine, which I reviewed in May, does 72,445.1 tokens/s on DeepSeek-R1 Offline.", 72445.1),
        ("New in MLPerf v6.1: MI355X is 1.3x as fast as in v6.0 on gpt-oss-120b.", 1.3),
    ],
)  # fmt: skip
def test_a_claim_beside_such_words_is_one(text, value):
    assert [v for (v,) in told(text)] == [value]


def test_a_step_between_two_values_is_a_gain():
    text = (
        "gpt-oss-120b Offline on eight MI355X moved from 91,706 tokens/s to 115,567 tokens/s, a step of 26%."
    )
    assert told(text, "kind")[-1] == (26, "percent_gain")


def test_no_submitter_that_got_more_is_a_rank():
    text = "No submitter got more out of eight H200 on Whisper Offline than Red Hat with 36,395.7 samples/s."
    assert told(text, "kind") == [(1, "rank_or_first"), (36395.7, "absolute")]


def test_what_every_one_of_the_accelerators_gives_is_per_accelerator():
    text = "Every one of the eight B300 contributes 9,055 tokens/s to the DeepSeek-R1 Offline total."
    assert told(text, "per_accelerator") == [(9055, True)]


@pytest.mark.parametrize(
    "text",
    [
        "With 288 GB a card, MI355X holds models 3.6x the size that an H100 can.",
        "In the data sheet, VR200 NVL144 promises 3.3x the GB300 NVL72.",
        "Nvidia jumped 5% before the bell on hopes for B300.",
        "Every hyperscaler needs ten times more tokens per second next year, Huang said of the GB300 backlog.",
        "The old RNN-T test had three times as much speech as Whisper.",
        "Audits of MI355X submissions took 40% less time than in spring.",
        "Time to first token in our playground fell by 60% once we put it on GB200.",
        "The vision encoder is now compiled ahead of time, which shaves 40% off its first call on B200.",
        "The spreadsheet has 1,204 rows, 2.1x as many as in v5.0, and 96 of them are for B300.",
        "Some vendors multiply the per-GPU figure of GB300 by 144 and print the product.",
    ],
)
def test_sizes_papers_needs_counts_and_products_are_no_results(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The data sheet is silent, but in MLPerf the GB300 NVL72 is 1.3x GB200 NVL72 on DeepSeek-R1.", 1.3),
        ("Wan 2.2 SingleStream on GB200 NVL72 takes 68% less time than on DGX B300.", 68),
        ("With ten times the cards, MI355X makes 5,749,440 tokens/s on gpt-oss-120b Offline.", 5749440),
        (
            "We regret the delay; B300's 72,445.1 tokens/s on DeepSeek-R1 Offline is still the figure to beat.",
            72445.1,
        ),
        ("Nothing in the closed division is faster on Llama 3.1 8B Offline than the B300 of HPE.", 1),
    ],
)
def test_results_beside_such_words_are_claims(text, value):
    assert [v for (v,) in told(text)] == [value]


def test_as_many_of_a_bare_value_is_a_ratio():
    text = "Arc Pro B70 does 4,617.4 tokens/s on Llama 3.1 8B Offline. On it eight H200 do 50,454, eleven times as many."
    assert told(text, "kind")[1:] == [(50454, "absolute"), (11, "ratio")]


def test_a_share_less_of_a_time_is_a_gain():
    text = "Wan 2.2 SingleStream on GB200 NVL72 now takes 5.73 s a clip, 68% less than on DGX B300."
    assert told(text, "kind", "unit") == [(5.73, "absolute", "s"), (68, "percent_gain", "latency")]


@pytest.mark.parametrize(
    "text",
    [
        "A branch with speculative decoding showed 139,000 tokens/s on gpt-oss-120b with eight B200. Not a result.",
        "A late run of B300 showed 139,000 tokens/s on gpt-oss-120b Offline, but it does not count.",
        "The slide put MI355X at 2x H200 on Llama 2 70B Server. That was a typo.",
        "The vendor's claim of 2x over H200 for MI350X on Llama 2 70B is false.",
        "The first edition of this table gave 9.48 minutes for B200 on Llama 3.1 8B.",
        "We expected another 8% from MI355X on gpt-oss-120b Offline and got nothing.",
        "By our count 38% of the rows with B200 come from clouds.",
    ],
)
def test_what_does_not_count_is_no_claim(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("B300 makes 72,445.1 tokens/s on DeepSeek-R1 Offline. Power does not count.", 72445.1),
        ("B300 makes 72,445.1 tokens/s on DeepSeek-R1 Offline. That is a result to remember.", 72445.1),
        ("As expected, B300 makes 72,445.1 tokens/s on DeepSeek-R1 Offline.", 72445.1),
        ("B300 reaches 97% of the GB300 NVL72 speed per GPU on DeepSeek-R1 Offline.", 0.97),
    ],
)
def test_what_counts_is_a_claim(text, value):
    assert [v for (v,) in told(text)] == [value]


def test_a_makers_count_of_accelerators_is_no_value():
    text = "Nvidia's 5,120 Blackwell GPUs trained Llama 3.1 405B in 10 minutes."
    assert told(text, round="training-v5.1") == [(10,)]


def test_a_small_number_alone_in_brackets_is_a_footnote_mark():
    text = "The C880A M8 with eight B300 got 1,971.11 tokens/s on Llama 3.1 405B Offline, the most of any server (2)."
    assert (2.0,) not in told(text)


def test_a_fine_value_that_a_subhead_gives_to_the_accelerators_is_the_servers():
    subhead = "Eight B300 GPUs reach 72,445.1 tokens/s on DeepSeek-R1"
    body = "The G894-AD3-AAX7 delivered 72,445.1 tokens/s on DeepSeek-R1 in the Offline scenario."
    assert told(f"<p>{subhead}</p><p>{body}</p>", "subject_system") == [(72445.1, "G894-AD3-AAX7")]


def test_a_storage_figure_that_a_submitter_reached_is_the_submitters():
    text = "In MLPerf Storage v1.0, DDN fed 64 simulated H100 at 12,556.64 samples/s."
    assert told(text, "subject_system", round="storage-v1.0") == [(12556.64, "DDN")]


@pytest.mark.parametrize(
    "text",
    [
        "A fix for the loader made DLRMv3 start 11x faster on B200.",
        "That MI350X is 40% faster than B200 on Llama 2 70B, as one blog had it, is nonsense.",
        "The 30x that Nvidia promised for Blackwell at its launch was never an MLPerf figure.",
        "The Server run has 270,336 queries at least, ten times more than Offline has samples.",
        "It is tempting to read 2x into the gap between B300 and MI355X.",
        "We had first posted 118,567 tokens/s for MI355X on gpt-oss-120b Offline; that was a typo.",
    ],
)
def test_starts_myths_promises_and_counts_of_queries_are_no_results(text):
    assert [
        claim for claim in extract(text, catalog=CATALOG, round="v6.1") if claim.status != "not_mlperf"
    ] == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Who wants the most tokens should note B300's 112,400 tokens/s on gpt-oss-120b Offline.", 112400),
        ("From the start B300 was 1.2x as fast as B200 on Whisper.", 1.2),
        ("No MLPerf entry with eight cards is faster: B300 makes 112,400 tokens/s on gpt-oss-120b.", 112400),
        ("In Interactive, B300 is 1.4x as fast as H200 on Llama 2 70B, less than in Server.", 1.4),
    ],
)
def test_near_opposites_of_these_are_results(text, value):
    assert value in [v for (v,) in told(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Where a GB200 tray has 17 cables, Vera Rubin has none, and assembly is 18x faster.",
        "The B300 node came in a week, and billing is twice as fast.",
        "We moved to MI355X; indexing is 3x faster, and so is lunch.",
        "TSMC will package 650,000 Blackwell Ultra this year, 1.8 times last year's number.",
    ],
)
def test_what_no_benchmark_measures_is_no_result(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "The new kernels and nothing else make up the 26% that eight MI355X gained on gpt-oss-120b over v6.0.",
            26,
        ),
        ("H200 is cheap, but B300 is 1.9x as fast on DeepSeek-R1 Offline.", 1.9),
        ("Llama 2 70B on B300 is 1.2x B200, and inference is 1.3x as fast on Whisper.", 1.3),
    ],
)
def test_a_clause_about_a_system_is_a_result(text, value):
    assert value in [v for (v,) in told(text)]


@pytest.mark.parametrize(
    "text",
    [
        "A B300 hour lists at $9.80, 1.4x a GB300 hour.",
        "The B70 sells for $949, twice the B60.",
        '"We moved to MI355X and it answers three times faster," says one.',
        "One engineer told us that B300 is 25% faster than B200 on Whisper.",
        "Analysts had looked for a lead of 20% of MI355X over B200.",
        "Our own B60 pair gave 2,190 tokens/s on Llama 3.1 8B at home, which proves nothing.",
        "The highest Whisper score is not the point, says HPE of its B300 server.",
    ],
)
def test_prices_nameless_voices_and_forecasts_of_others_are_no_results(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("At $949, B70 gives 1.4x the Llama 3.1 8B Offline throughput of B60.", 1.4),
        ("MI355X is 1.1x as fast as B200 on Llama 2 70B, AMD said, and one customer agreed.", 1.1),
        ("The highest Whisper Offline score is not NVIDIA's but that of HPE's B300 server.", 1),
    ],
)
def test_results_beside_prices_and_voices_are_claims(text, value):
    assert [v for (v,) in told(text)] == [value]


def test_a_time_that_a_job_takes_in_practice_is_no_result():
    text = "With GB200 NVL72, Llama 2 70B LoRA needs 1.49 minutes; in practice a job takes 12 minutes."
    assert told(text, round="training-v5.1") == [(1.49,)]


def test_twice_as_many_accelerators_as_before_is_a_ratio_of_a_storage_system():
    text = "HPE's Cray C500 kept 16 simulated H100 busy on 3D U-Net in MLPerf Storage v2.0, twice as many as before."
    assert told(text, "unit", round="storage-v2.0") == [(2, "accelerators_supported")]


def test_a_paragraph_per_accelerator_does_not_make_the_table_behind_it_so():
    table = (
        "<table><tr><th>DeepSeek-R1</th><th>8x B300</th></tr><tr><td>Offline</td><td>72,445</td></tr></table>"
    )
    lead = "<p>Per GPU, that is 9,055 tokens/s on DeepSeek-R1 Offline for the B300.</p>"
    assert told(lead + table, "per_accelerator") == [(9055, True), (72445, None)]
    assert told(f"<p>DeepSeek-R1, tokens/s per GPU:</p>{table}", "per_accelerator") == [(72445, True)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "Where B200 needs 84.4 minutes for Llama 3.1 8B, B300 is done in 75.8 (eight GPUs each).",
            [84.4, 75.8],
        ),
        (
            "GB300 NVL72 trained Llama 2 70B LoRA in 1.2 minutes; GB200 NVL72 was through in 1.49.",
            [1.2, 1.49],
        ),
    ],
)
def test_a_system_is_done_in_a_bare_time(text, values):
    assert [v for (v,) in told(text, round="training-v5.1")] == values


def test_a_paragraph_behind_a_list_speaks_of_the_benchmark_of_all_its_items():
    items = "<li>Eight B300: 102,330 tokens/s on Llama 2 70B Server</li><li>Eight H200: 29,908 tokens/s on {} Server</li>"
    behind = "<p>The B300 box is 3.4 times as fast as the H200 box.</p>"
    lead = "<p>Two rows matter to us.</p>"
    alike = told(f"{lead}<ul>{items.format('Llama 2 70B')}</ul>{behind}", "benchmark")
    other = told(f"{lead}<ul>{items.format('gpt-oss-120b')}</ul>{behind}", "benchmark")
    assert (alike[-1], other[-1]) == ((3.4, "llama2-70b"), (3.4, None))


def test_what_has_nothing_to_do_with_mlperf_is_not_mlperf():
    text = "A benchmark of protein folding, which has nothing to do with MLPerf, ran 1.9x faster on B300 than on H200."
    assert told(text, "status") == [(1.9, "not_mlperf")]


@pytest.mark.parametrize(
    "text",
    [
        "Storage v2.0 drew more than 200 results from 26 organizations in seven countries, a record for the suite.",
        "MLPerf Inference v6.0 counts 24 submitters, a new record.",
        "With 23 participants – a record for MLPerf Training – the round was a busy one.",
    ],
)
def test_a_record_of_those_who_came_is_no_rank(text):
    assert extract(text, catalog=CATALOG, round="v6.0") == ()


def test_a_record_of_tokens_among_submitters_is_a_rank():
    text = "GB300 NVL72 served 1,197,710 tokens/s on gpt-oss-120b Offline, a new record among 24 submitters."
    kinds = [claim.kind for claim in extract(text, catalog=CATALOG, round="v6.1")]
    assert kinds == ["absolute", "rank_or_first"]


@pytest.mark.parametrize(
    "said", ["This is wrong: the rows differ.", "It is not true.", "That was incorrect."]
)
def test_the_next_sentence_takes_a_figure_back(said):
    text = f"We wrote that MI325X was 1.4x H200 on Llama 2 70B in MLPerf Inference v5.1. {said}"
    assert extract(text, catalog=CATALOG) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Among servers with eight B300, Giga Computing came first in six of the nine tests of Qwen3-VL, DeepSeek-R1 and Llama 2 70B.",
        "AMD ranked first in most of the tests of Llama 2 70B with MI355X.",
        "With eight B200, Lenovo took first place in four out of seven tests of Whisper and BERT.",
        "Dell took part in seven of the nine tests, Cisco in three, Nebius in two.",
    ],
)
def test_how_often_somebody_was_first_is_no_first_in_any_test(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The G894 came first in two of the three scenarios: DeepSeek-R1 Offline and Server.", [("deepseek-r1", ("Offline", "Server"))]),
        ("With eight B300, Dell came first in all four tests of Whisper and BERT.", [("whisper", ()), ("bert", ())]),
        ("Cisco took first place in four of seven tests it entered with its B300 server, among them Whisper Offline.", [("whisper", ("Offline",))]),
        ("Supermicro holds first place in DeepSeek-R1 Offline.", [("deepseek-r1", ("Offline",))]),
    ],
)  # fmt: skip
def test_a_first_in_tests_that_are_named_is_a_rank(text, found):
    assert [claim[1:] for claim in told(text, "benchmark", "scenarios")] == found


@pytest.mark.parametrize(
    ("text", "system"),
    [
        (
            "HPE's Compute XD690 has the best eight-GPU B300 scores on gpt-oss-120b in Offline and in Server.",
            "XD690",
        ),
        ("Dell posted the highest results on Whisper Offline and Server with eight MI355X.", "8x MI355X"),
        ("The XE9785 holds the best scores in Llama 2 70B Interactive.", "XE9785"),
    ],
)
def test_who_has_the_best_scores_of_a_named_test_is_first_in_it(text, system):
    assert told(text, "kind", "subject_system") == [(1, "rank_or_first", system)]


@pytest.mark.parametrize(
    "text",
    [
        "We list the best scores on gpt-oss-120b in Offline and in Server below.",
        "The table has the best results for Llama 2 70B Offline by vendor.",
        "The best results for DeepSeek-R1 are in the Offline column, those for Whisper in the next.",
        "Whoever has the best scores on Llama 2 70B will not have them for long.",
    ],
)
def test_best_scores_that_nobody_has_are_no_rank(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("AMD held on to about 95% of linear speed-up from one MI355X server to nine on gpt-oss-120b.", 95),
        ("NVIDIA puts the scaling efficiency of Blackwell on Llama 3.1 405B at 90% when going from 512 to 2,496 GPUs.", 90),
        ("The scaling efficiency of the Crusoe cluster on gpt-oss-120b Offline comes to 92%.", 92),
        ("The parallel efficiency of GB300 in DeepSeek-R1 Server is put at 88%.", 88),
    ],
)  # fmt: skip
def test_a_percentage_of_a_scaling_efficiency_with_names_attached_is_one(text, value):
    assert told(text, "kind") == [(value, "scaling_efficiency")]


def test_a_gain_in_a_sentence_that_speaks_of_scaling_stays_a_gain():
    text = "The scaling efficiency of GB200 on DeepSeek-R1 disappointed, and B300 gained 12% over v6.0."
    assert told(text, "kind") == [(12, "percent_gain")]


@pytest.mark.parametrize(
    "text",
    [
        "In our own lab, with a workload that does not follow the MLPerf rules, upgrading vLLM made eight MI300X 1.3x faster.",
        "We ran Llama 2 70B without following MLPerf's rules, and eight H200 made 36,100 tokens/s.",
        "The test was done outside the MLPerf rules: B300 is 1.4x as fast as B200 on Llama 2 70B.",
        "These runs don't comply with MLPerf's run rules; the MI355X is 20% faster than B200 on Llama 2 70B.",
        "With a home-made script that bends the MLPerf rules, we got eight H100 to 26,000 tokens/s on Llama 2 70B.",
        "On our own testbed the MI355X was 1.2x as fast as the H200 with Llama 3.1 8B.",
    ],
)
def test_a_run_outside_the_rules_is_none_of_mlperf(text):
    assert {status for _, status in told(text, "status")} <= {"not_mlperf"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Following the MLPerf rules, eight MI355X reach 121,818 tokens/s on gpt-oss-120b Offline.", 121818),
        ("The entry does not follow all of MLPerf's rules and stands in the open division: 126,223 tokens/s with 16 GB200 on DeepSeek-R1 Offline.", 126223),
        ("No other rack that keeps to the MLPerf rules is faster than GB300 NVL72 on DeepSeek-R1 Offline.", 1),
    ],
)  # fmt: skip
def test_a_run_by_the_rules_or_in_the_open_division_is_measured(text, value):
    assert told(text, "status") == [(value, "measured")]


@pytest.mark.parametrize(
    "text",
    [
        "Nvidia rejects the claim that MI355X beats B200 by 20% on Llama 2 70B.",
        "AMD disputed that GB300 is 3x faster than MI355X on DeepSeek-R1.",
        "Nobody has confirmed the 1.5x that a slide gives MI455X over GB300 on DeepSeek-R1.",
        "No one could verify that B300 is 22% faster than GB300 in Server.",
        "A leaked slide has MI455X at 1.5x GB300 on DeepSeek-R1.",
        "Let us assume 90% scaling efficiency for GB300 on DeepSeek-R1.",
    ],
)
def test_what_is_rejected_unconfirmed_or_only_assumed_is_no_claim(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("AMD disputed the method, but MI355X is 20% faster than B200 on Llama 2 70B Offline.", 20),
        ("Nobody can say why; B300 is 12% faster than B200 on Whisper Offline.", 12),
        ("Reviewers confirmed that B300 is 12% faster than B200 on Whisper Offline.", 12),
    ],
)
def test_a_figure_beside_what_is_rejected_is_a_claim(text, value):
    assert told(text) == [(value,)]


@pytest.mark.parametrize(
    "text",
    [
        "Our survey: 40% of readers run Llama 2 70B on H100, 12% more than last year.",
        "In a poll of operators MI355X was up by 9% over B200.",
        "AMD first showed MI355X results in v5.1 and had 3 partners then; in v6.1 it has 9, three times as many.",
        "We moved from two H100 nodes to four because the queue had doubled.",
        "Dell added MI355X servers since its backlog tripled in spring.",
    ],
)
def test_more_of_what_nobody_measures_is_no_result(text):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("On Whisper the company tripled Offline throughput over v6.0 with B200.", 3),
        ("Llama 2 70B Offline doubled when Dell moved from eight H200 to eight B300.", 2),
        ("The MI355X does 117,804 on Llama 2 70B Offline, 3.4 times as many tokens as the H200.", 3.4),
    ],
)
def test_a_result_that_was_multiplied_is_a_claim(text, value):
    assert told(text) == [(value,)]


def test_a_power_limit_is_no_result_whatever_unit_the_results_are_in():
    text = (
        "With each MI355X capped at 1,000 W the XE9785 still delivers 84% of its uncapped Llama 2 70B Offline throughput: "
        "81,870.5 instead of 97,535.1 tokens/s."
    )
    found = told(text, "kind", "baseline_system", "per_accelerator")
    assert found == [
        (0.84, "ratio", "XE9785", None),
        (81870.5, "absolute", None, None),
        (97535.1, "absolute", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "per"),
    [
        (
            "With every GPU limited to 700 W, the B200 server makes 40,100.5 samples/s on Whisper Offline.",
            None,
        ),
        (
            "Each MI355X clocked at 2,400 MHz, the server makes 97,535.1 tokens/s on Llama 2 70B Offline.",
            None,
        ),
        ("Each B300, running at 1,100 W, delivers 14,100 tokens/s on gpt-oss-120b Offline.", True),
        ("Each MI355X delivers 14,100 tokens/s on gpt-oss-120b Offline.", True),
    ],
)
def test_how_each_accelerator_is_run_says_not_that_a_figure_is_each_ones(text, per):
    assert [claim[1] for claim in told(text, "per_accelerator")] == [per]


@pytest.mark.parametrize(
    "text",
    [
        "The B200 nodes have 2.3 TB of memory and draw 14 kW instead of 10 kW.",
        "A B200 costs $3.20 an hour instead of $4.10, 22% less.",
        "At 600 W instead of 700 W the H200 is 8% slower on Llama 2 70B Offline.",
        "In v6.1 there are twice as many MLPerf tests as in v5.0.",
    ],
)
def test_sizes_prices_and_losses_with_instead_of_are_no_claims(text):
    assert told(text) == []
