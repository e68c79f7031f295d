"""Lists that share a sign, gains on a round, what is exchanged, other counts, the best of a class, differences that are no results."""

from __future__ import annotations

import pytest

from tests.claim_texts import told


def test_a_list_of_numbers_shares_the_percent_sign_behind_its_last():
    text = "In Offline, Server and Interactive the G893 is 3, 7 and 12 percent ahead of the G894 on gpt-oss-120b, respectively."
    assert told(text, "scenarios") == [(3.0, ("Offline",)), (7.0, ("Server",)), (12.0, ("Interactive",))]
    assert told("B300 is 1.2, 1.4, and 1.9 times as fast as B200 on Whisper.") == [(1.2,), (1.4,), (1.9,)]


@pytest.mark.parametrize(
    "text",
    [
        "In 2024, 1,250 and 12 percent of the rows were about Whisper.",
        "The round had 9, 14 and 30 percent more submitters of Whisper in three regions.",
    ],
)
def test_a_list_of_counts_or_years_shares_no_percent_sign(text):
    assert told(text) == []


def test_us_before_a_number_is_money_only_in_capitals():
    told_of_us = "The XE9785L gives us 117,804 tokens/s on gpt-oss-120b Offline."
    assert told(told_of_us, "scenarios") == [(117804.0, ("Offline",))]
    assert told("It earned us 98,100 tokens/s on Whisper with B300.") == [(98100.0,)]
    assert told("Dell's XE9785L lists at US 310,000 and runs Whisper Offline.") == []


@pytest.mark.parametrize(
    "text",
    [
        "On Whisper B300 outran B200 by a fifth, 20%, in Offline and by 31% in Server.",
        "B300 is a fifth (20%) faster than B200 on Whisper in Offline, and a quarter (31%) faster in Server.",
        "On Whisper Offline B300 beats B200 by 20%, a fifth, and by 31%, nearly a third, in Server.",
    ],
)
def test_a_comma_that_closes_an_aside_parts_no_figure_from_its_scenario(text):
    found = told(text, "baseline_system", "scenarios")
    assert found == [(20.0, "B200", ("Offline",)), (31.0, "B200", ("Server",))]


@pytest.mark.parametrize(
    "text",
    [
        "Profits rose in a quarter, 25%, and Whisper is in the round.",
        "B300 sales fell by a quarter (25%) after v6.1.",
        "Of the Whisper rows a quarter (25%) were unavailable.",
    ],
)
def test_a_quarter_of_something_else_is_no_gain(text):
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "gpt-oss-120b Server: the G893 is up 41% on v6.0.",
        "In gpt-oss-120b Server the G893 gained a further 41% on v6.0.",
        "In gpt-oss-120b Server the G893 handles two fifths as much again as in v6.0 (+41%).",
    ],
)
def test_what_a_gain_is_on_is_the_round_measured_against(text):
    assert told(text, "subject_system", "baseline_system", "round", "baseline_round") == [
        (41.0, "G893", "G893", "v6.1", "v6.0")
    ]


def test_a_round_that_a_value_rose_from_is_not_left_in_mind():
    text = "On Whisper the G893 rose from 40,100 samples/s in v6.0 to 44,110 samples/s. On Llama 3.1 8B Offline it does 158,458 tokens/s."
    assert told(text, "round") == [(40100.0, "v6.0"), (44110.0, "v6.1"), (158458.0, "v6.1")]


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Fitting the G893 with B300 in place of B200 makes Whisper 1.6x as fast.", ("B300", "B200")),
        ("Oracle swapped eight H100 for eight H200, and Whisper runs 1.6x as fast in its E5 server.", ("8x H200", "8x H100")),
        ("With B300 rather than B200 the XE9780 is 1.6x as fast on Whisper.", ("B300", "B200")),
        ("The XE9780 with B300 is 1.6x as fast as the XE9680 on Whisper.", ("XE9780", "XE9680")),
    ],
)  # fmt: skip
def test_accelerators_that_are_exchanged_are_compared_not_the_server_around_them(text, pair):
    assert told(text, "subject_system", "baseline_system") == [(1.6, *pair)]


def test_what_an_exchange_does_to_the_price_is_no_claim():
    assert (
        told("Fitting the G893 with B300 instead of B200 makes it 1.6x as expensive; Whisper does not care.")
        == []
    )


@pytest.mark.parametrize(
    "text",
    [
        "With sixteen MI325X instead of eight, Whisper Offline runs 1.9x as fast.",
        "On Whisper Offline sixteen MI325X reach 1.9x the eight-GPU score.",
        "Sixteen MI325X show 1.9 times the eight-accelerator result on Whisper Offline.",
    ],
)
def test_another_count_in_the_place_of_a_name_is_the_same_system_with_that_count(text):
    found = told(text, "subject_system", "baseline_system", "baseline_accelerator_count")
    assert found == [(1.9, "16x MI325X", "8x MI325X", 8)]


@pytest.mark.parametrize(
    "text",
    [
        "The hall for Whisper has 1.9x the eight-rack space.",
        "With sixteen fans instead of eight, the MI325X node is 1.9x as loud on Whisper.",
        "The breaker behind the MI325X node carries 1.9x the eight-GPU load.",
    ],
)
def test_other_counts_of_other_things_are_no_claims(text):
    assert told(text) == []


def test_a_share_of_itself_goes_on_for_the_next_scenario():
    text = "Limited to 700 W per GPU, B300 keeps 91% of its unlimited Whisper throughput in Offline and 87% in Server."
    found = told(text, "subject_system", "baseline_system", "per_accelerator")
    assert found == [(0.91, "B300", "B300", None), (0.87, "B300", "B300", None)]
    other = told(
        "B300 keeps 91% of B200's Whisper throughput in Offline and 87% in Server.", "baseline_system"
    )
    assert other == [(0.91, "B200"), (0.87, "B200")]


@pytest.mark.parametrize(
    ("text", "scenarios"),
    [
        ("The G893 gets 72,445.1 tokens/s on DeepSeek-R1 Offline and 70,495.7 tokens/s in Server; on Whisper it gets 45,408.2 samples/s.", ()),
        ("The G893 gets 72,445.1 tokens/s on DeepSeek-R1 Offline and 70,495.7 tokens/s in Server; with FP4 it gets 75,001.5 tokens/s.", ("Server",)),
    ],
)  # fmt: skip
def test_another_test_behind_a_semicolon_takes_no_scenario_along(text, scenarios):
    assert told(text, "scenarios")[-1][1] == scenarios


@pytest.mark.parametrize("opening", ["That is", "This makes", "These are"])
def test_a_paragraph_that_goes_on_with_that_is_keeps_the_order_of_scenarios(opening):
    text = f"""<p>Two racks with GB300 reach 1,302,200 tokens/s on DeepSeek-R1 Offline and 1,150,900 tokens/s in Server.</p>
        <p>{opening} 1.97x and 1.95x the throughput of one GB300 rack, respectively.</p>"""
    assert [s for _, s in told(text, "scenarios")[2:]] == [("Offline",), ("Server",)]


def test_a_paragraph_of_its_own_takes_no_order_of_scenarios():
    text = """<p>Two racks with GB300 reach 1,302,200 tokens/s on DeepSeek-R1 Offline and 1,150,900 tokens/s in Server.</p>
        <p>On Whisper it is 44,100.5 and 43,900.5 samples/s for B300 and B200.</p>"""
    assert [s for _, s in told(text, "scenarios")[2:]] == [(), ()]


def test_about_holds_for_each_of_two_values_that_only_and_joins():
    text = "Divided by GPU, GB300 makes roughly 9,180 and 8,190 tokens/s on DeepSeek-R1, Offline and Server respectively."
    assert told(text, "qualifier") == [(9180.0, "about"), (8190.0, "about")]
    apart = "GB300 makes roughly 9,180 tokens/s Offline and 8,186.2 tokens/s Server on DeepSeek-R1."
    assert told(apart, "qualifier") == [(9180.0, "about"), (8186.2, "exact")]


def test_a_rank_stands_in_every_scenario_whose_value_is_shown_for_it():
    text = "The XD690 is number one among B300 servers on gpt-oss-120b, with 114,569 tokens/s Offline and 113,685 tokens/s Server."
    assert told(text, "scenarios")[0] == (1.0, ("Offline", "Server"))
    alone = "The XD690 is number one on gpt-oss-120b Offline, and it does 113,685 tokens/s in Server."
    assert told(alone, "scenarios")[0] == (1.0, ("Offline",))


@pytest.mark.parametrize(
    "text",
    [
        "The Offline figure is the highest of all eight-GPU B300 servers on gpt-oss-120b in v6.1, and it is the XD690's.",
        "On gpt-oss-120b Offline the XD690 was the fastest among the B300 servers.",
        "The XD690 leads the eight-GPU field on gpt-oss-120b in Offline; it leads the eight-GPU gpt-oss-120b Offline table.",
    ],
)
def test_the_best_of_all_of_a_class_is_a_rank(text):
    assert told(text, "subject_system", "benchmark", "scenarios") == [
        (1.0, "XD690", "gpt-oss-120b", ("Offline",))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The XD690 is the heaviest of all servers that ran gpt-oss-120b.",
        "The XD690 is the best of all machines in our hall.",
        "Of the B300 servers on Whisper the XD690 is the largest of all.",
        "The price of the XD690 is the highest of all costs of Whisper.",
    ],
)
def test_the_best_of_all_of_something_else_is_no_rank(text):
    assert told(text) == []


def test_a_best_of_all_without_a_name_is_the_server_that_was_told_of():
    text = "The G4826 with eight MI355X scores 104,541 tokens/s on Llama 2 70B Server. That Server score is the highest of all MI355X systems."
    assert told(text, "subject_system", "scenarios")[1] == (1.0, "G4826", ("Server",))


@pytest.mark.parametrize(
    "text",
    [
        "On Llama 2 70B Offline the XE9785L is 4,800 tokens/s faster than the XE9780.",
        "The XE9785L is 4,800 tokens/s behind the XE9780 on Llama 2 70B Offline.",
        "On Llama 2 70B Offline the XE9785L does 4,800 tokens/s more than in Server.",
        "On Wan 2.2 SingleStream B300 is 1.4 s quicker than B200.",
    ],
)
def test_how_many_more_or_less_is_no_result(text):
    assert told(text) == []


def test_a_result_that_goes_on_with_more_than_a_comma_away_stays_one():
    text = "On Llama 2 70B Offline the XE9785L makes 104,904 tokens/s, more than the XE9780."
    assert told(text, "subject_system") == [(104904.0, "XE9785L")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("B300 is close to three times (2.9x) as fast as H200 on Whisper.", 2.9),
        ("On Whisper B300 gives over twice (2.04x) what H200 gives.", 2.04),
    ],
)
def test_a_bracket_that_puts_a_multiple_exactly_is_the_claim(text, value):
    assert told(text, "baseline_system") == [(value, "H200")]


def test_a_bracket_with_another_figure_is_a_claim_beside_it():
    text = "On Whisper B300 is about twice as fast as H200 (3.9x H100)."
    assert [value for (value,) in told(text)] == [2.0, 3.9]


def test_a_value_of_then_beside_one_of_now_is_the_round_before():
    text = "The R770 doubled its Llama 3.1 8B Server score since v6.0 (245.63 then, 516.012 tokens/s now)."
    assert told(text, "unit", "round") == [
        (2.0, None, "v6.1"),
        (245.63, "tokens/s", "v6.0"),
        (516.012, "tokens/s", "v6.1"),
    ]


def test_a_range_of_values_between_two_is_one_claim():
    text = "Between 69,000 and 69,300 tokens/s is what eight B300 make on DeepSeek-R1 Offline."
    assert told(text, "value_max", "unit") == [(69000.0, 69300.0, "tokens/s")]
    assert told("Between 40 and 60 people ran Whisper on B300.") == []


@pytest.mark.parametrize(
    "text",
    [
        "If you look at Server, B300 is 12% ahead of MI355X on gpt-oss-120b.",
        "If we compare Server results, B300 is 12% ahead of MI355X on gpt-oss-120b.",
    ],
)
def test_what_one_looks_at_supposes_nothing(text):
    assert told(text, "baseline_system") == [(12.0, "MI355X")]


@pytest.mark.parametrize(
    "text",
    [
        "If you look at Server, B300 could be 12% ahead of MI355X on gpt-oss-120b.",
        "If you buy eight, B300 is 12% ahead of MI355X on gpt-oss-120b.",
        "Dell doubled up on B300 for Whisper.",
        "Reader Jo: my XE9680 does 1,300 tokens/s on Llama 3.1 8B.",
        "The XE9785L takes 1,400 W per GPU, 40% more than the XE9680 in MLPerf v6.1.",
    ],
)
def test_thoughts_readers_and_sizes_are_no_claims(text):
    assert told(text) == []


def test_a_line_in_brackets_under_a_list_is_of_all_of_it():
    text = "* Offline: 661,143 tokens/s\n* Server: 589,391 tokens/s\n(DeepSeek-R1, Azure GB300 NVL72, MLPerf Inference v6.1)"
    assert told(text, "subject_system", "benchmark", "scenarios") == [
        (661143.0, "GB300 NVL72", "deepseek-r1", ("Offline",)),
        (589391.0, "GB300 NVL72", "deepseek-r1", ("Server",)),
    ]


def test_a_number_that_opens_the_next_clause_takes_the_unit_before_it():
    text = "With 2,901,950 tokens/s in DeepSeek-R1 Offline 512 MI355X are number one; with 2,405,310 they are so in Server."
    assert told(text, "scenarios")[-1] == (2405310.0, ("Server",))
    assert told("With 512 MI355X they ran Whisper; with 2,405 they would run more.") == []


def test_a_name_a_colon_and_as_many_numbers_run_like_the_sentence_before():
    text = "Qwen3-VL. G894-AD3: Offline 131.3 samples/s, Server 111.8 queries/s. G894-ZD3: 132.1 and 115.8."
    assert told(text, "subject_system", "scenarios", "unit")[2:] == [
        (132.1, "G894-ZD3", ("Offline",), "samples/s"),
        (115.8, "G894-ZD3", ("Server",), "queries/s"),
    ]


@pytest.mark.parametrize(
    "tail", ["Pages: 132 and 115.", "G894-ZD3: 8 GPUs and 2 hosts.", "G894-ZD3: 132.1, 115.8 and 12.9."]
)
def test_other_numbers_behind_a_colon_do_not_run_like_the_sentence_before(tail):
    text = f"Qwen3-VL. G894-AD3: Offline 131.3 samples/s, Server 111.8 queries/s. {tail}"
    assert [value for (value,) in told(text)] == [131.3, 111.8]


@pytest.mark.parametrize("place", ["Rank 1", "Place one", "Position 1"])
def test_rank_one_is_a_rank_and_no_value(place):
    text = f"{place} in the Wan 2.2 SingleStream table belongs to the AS-4126GS: 16.1 seconds per clip."
    assert told(text, "kind") == [(1.0, "rank_or_first"), (16.1, "absolute")]


def test_a_number_as_it_is_spoken_is_no_figure():
    assert told("Whisper on the R770 went from two-forty-five to five-sixteen samples a second.") == []
    assert told("Whisper on the R770 takes sixteen samples a second.") == [(16.0,)]


def test_more_than_the_value_of_another_compares_values_whatever_is_named_before():
    text = "On Whisper the R770AP with 128 cores does 2,275.93 samples/s, 48% more than the 1,539.49 of the R770 with 86 cores."
    assert (48.0, "percent_gain") in told(text, "kind")
    cores = "The R770AP has 128 cores, 48% more than the 86 of the R770, and ran Whisper."
    assert told(cores) == []


def test_how_much_longer_a_run_takes_is_no_result():
    text = "MI350P takes 41.8 s for a Wan 2.2 clip in SingleStream, 25.7 s longer than MI355X."
    assert told(text, "subject_system") == [(41.8, "MI350P")]


TWO_ROWS = "| System | gpt-oss-120b Offline | gpt-oss-120b Server |\n|---|---|---|\n| XE9785L | 117,804 | 110,188 |\n| XE9780 | 109,257 | 103,332 |\n\n"


@pytest.mark.parametrize(
    ("tail", "count"),
    [("The gap is small (tokens/s, v6.1 closed).", 4), ("The gap is 7.8% (closed division).", 0)],
)
def test_a_bracket_behind_a_table_may_name_its_unit(tail, count):
    assert len([u for _, u in told(TWO_ROWS + tail, "unit") if u == "tokens/s"]) == count


def test_a_gap_in_favour_of_one_of_two_is_over_the_other():
    text = (
        TWO_ROWS + "The gap is 7.8% Offline and 6.6% Server in favour of the XE9785L (tokens/s, v6.1 closed)."
    )
    assert told(text, "subject_system", "baseline_system", "scenarios")[4:] == [
        (7.8, "XE9785L", "XE9780", ("Offline",)),
        (6.6, "XE9785L", "XE9780", ("Server",)),
    ]
    assert told("The gap in price is 7.8% in favour of the XE9785L, which ran Whisper.") == []


def test_what_a_value_is_more_than_belongs_to_the_system_behind_it():
    text = "The R770AP does 2,275.93 samples/s on Whisper, 48% more than the 1,539.49 of the 86-core R770."
    assert (48.0, "R770AP", "R770") in told(text, "subject_system", "baseline_system")


def test_a_figure_that_is_not_of_the_score_is_denied():
    assert told("The B300 row of Whisper was moved up by 5%: not its score, its row height.") == []
    assert told("B300 moved up by 5% on Whisper since v6.0, not by chance.") == [(5.0,)]
    assert told("B300 gains 5% over B200 on Whisper – not the result of luck.") == [(5.0,)]


def test_what_stands_behind_a_table_is_of_its_one_benchmark():
    text = TWO_ROWS + "In Offline the XE9785L is 7.8% faster than the XE9780 (values in tokens/s)."
    assert told(text, "benchmark")[-1] == (7.8, "gpt-oss-120b")
    two = text.replace("gpt-oss-120b Server", "Llama 2 70B Server")
    assert told(two, "benchmark")[-1] == (7.8, None)
