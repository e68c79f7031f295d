"""Whose figure it is, and when: classes of wording, each with several sentences."""

from __future__ import annotations

import pytest

from tests.claim_texts import told


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Fujitsu's PRIMERGY CDI, with sixteen L40S, makes 15,000.2 tokens/s on Llama 2 70B Offline.", "PRIMERGY CDI"),
        ("Among all systems with four GB300, Wiwynn's OneW leads Whisper Offline: 30,112.5 samples/s.", "OneW"),
        ("With eight H200, Dell's PowerEdge XTR scores 34,000 tokens/s on Llama 2 70B Offline.", "PowerEdge XTR"),
        ("On the OneW with four GB300 gpt-oss-120b Offline runs at 60,466 tokens/s.", "OneW"),
    ],
)  # fmt: skip
def test_a_server_without_digits_owns_the_figures_of_its_accelerators(text, name):
    assert {subject for _, subject in told(text, "subject_system")} == {name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Lenovo's ThinkSystem AI portfolio with eight B200 gives 98,000 tokens/s on Llama 2 70B Offline.", "8x B200"),
        ("HPE's ProLiant servers with eight H200 give 34,000 tokens/s on Llama 2 70B Offline.", "8x H200"),
        ("The OneW GB300 NVL72 rack gives 1,111,111 tokens/s on Llama 2 70B Offline.", "GB300 NVL72"),
    ],
)  # fmt: skip
def test_a_family_without_a_model_is_no_servers_name(text, name):
    assert told(text, "subject_system")[0][1] == name


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Rubin Ultra NVL576 will give 3x the Llama 3.1 405B throughput of GB300 NVL72, NVIDIA expects.", ("Rubin Ultra NVL576", "GB300 NVL72")),
        ("NVIDIA projects that Rubin Ultra will be 2x as fast as Vera Rubin on Llama 3.1 405B.", ("Rubin Ultra", "Vera Rubin")),
    ],
)  # fmt: skip
def test_the_heir_of_an_accelerator_is_not_that_accelerator(text, sides):
    assert [(s, b) for _, s, b in told(text, "subject_system", "baseline_system")] == [sides]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Lambda ran Qwen3-VL on eight B200 and on four GB300. The former scored 69.42 queries/s in Server, the latter 64.62.",
            [(69.42, "8x B200", None), (64.62, "4x GB300", None)],
        ),
        (
            "Cisco sent in Llama 2 70B on the C880A M8 and the C885A M8. The latter makes 99,000 tokens/s in Offline, the former 101,000.",
            [(99000, "C885A M8", None), (101000, "C880A M8", None)],
        ),
        (
            "B300 and MI355X both ran gpt-oss-120b. In Offline the latter is 1.08x as fast as the former.",
            [(1.08, "MI355X", "B300")],
        ),
    ],
)
def test_the_former_and_the_latter_are_the_last_two_systems_in_their_order(text, expected):
    assert told(text, "subject_system", "baseline_system") == expected


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Nebius measured VR200 at 1.96x the company's own GB300 NVL72 rack in DeepSeek-R1 Server.", ("VR200", "GB300 NVL72")),
        ("Supermicro's MI355X server reaches 108% of the company's B300 server in gpt-oss-120b Offline.", ("MI355X", "B300")),
        ("On Whisper Offline the MI355X is 1.3x the vendor's own MI325X.", ("MI355X", "MI325X")),
        ("On Llama 3.1 405B a GB200 NVL72 rack gives 30x the throughput of a server with eight H200.", ("GB200 NVL72", "8x H200")),
        ("On gpt-oss-120b GB300 NVL72 has 9 times the output of a machine that holds eight B200.", ("GB300 NVL72", "8x B200")),
        ("At 1,000 W MI355X keeps 84% of the uncapped MI325X score in Llama 2 70B Offline.", ("MI355X", "MI325X")),
    ],
)  # fmt: skip
def test_an_owner_a_mode_or_the_box_around_it_leads_on_to_the_baseline(text, sides):
    assert [(s, b) for _, s, b in told(text, "subject_system", "baseline_system")] == [sides]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("AI400X3 keeps 2.4x as many simulated H100 GPUs busy in MLPerf Storage v2.0 as the AI400X2 did in v1.0.", ("AI400X3", "AI400X2")),
        ("FlashBlade//EXA fed three times the number of emulated accelerators in MLPerf Storage v2.0 that FlashBlade//S had fed in v1.0.", ("FlashBlade//EXA", "FlashBlade//S")),
    ],
)  # fmt: skip
def test_the_second_half_of_as_many_as_and_the_number_that_is_the_baseline(text, sides):
    found = told(text, "subject_system", "baseline_system", round="storage-v2.0")
    assert [(s, b) for _, s, b in found] == [sides]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("DGX B300 makes 3.99 queries/s in Qwen3-VL Interactive; the G894-ZD3-AAX7 does 12.88 queries/s, over three times as much.", (3, "G894-ZD3-AAX7", "DGX B300")),
        ("MI300X took 27.9 minutes on Llama 2 70B LoRA. The MI355X does 2.8 times as much.", (2.8, "MI355X", "MI300X")),
        ("Jetson AGX Thor takes 1,466 ms for Qwen3.6-27B, 2.6x quicker than DGX Spark with its 3,808 ms.", (3808, "DGX Spark", None)),
        ("MI355X reaches 117,804 tokens/s on gpt-oss-120b Offline, 1.29x more than B200 with its 91,395.5 tokens/s.", (91395.5, "B200", None)),
    ],
)  # fmt: skip
def test_what_was_named_last_is_measured_against_and_has_the_value_beside_it(text, last):
    assert told(text, "subject_system", "baseline_system")[-1] == last


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "GB300 NVL72 now makes 2,705,130 tokens/s on DeepSeek-R1 Offline. The round before it was 2,494,310, so the gain is 8%.",
            [(2705130, "v6.1", None), (2494310, "v6.0", None), (8, "v6.1", "v6.0")],
        ),
        (
            "The XE9785L reaches 117,804 tokens/s on gpt-oss-120b Offline; in the previous round it stood at 91,395.5.",
            [(117804, "v6.1", None), (91395.5, "v6.0", None)],
        ),
        (
            "MI355X gives 117,804 tokens/s on gpt-oss-120b Offline, 29% more than in the previous round.",
            [(117804, "v6.1", None), (29, "v6.1", "v6.0")],
        ),
        (
            "Xeon 6 doubled its Llama 3.1 8B Server score, from 471.5 to 1,139.5 tokens/s.",
            [(2, "v6.1", None), (471.5, "v6.0", None), (1139.5, "v6.1", None)],
        ),
        (
            "PowerEdge XE9785L, gpt-oss-120b, Offline: 117,804 tokens/s this time (v6.0: 91,395.5).",
            [(117804, "v6.1", None)],
        ),
        ("GB300 NVL72 served DeepSeek-R1 at 1.9x its earlier rate.", [(1.9, "v6.1", "v6.0")]),
    ],
)
def test_a_value_of_the_round_before_keeps_to_its_round(text, expected):
    assert told(text, "round", "baseline_round")[: len(expected)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "A rerun on the same MI300X node beats the Llama 2 70B Server score we submitted by 6%.",
        "With newer software the MI300X outperforms the Llama 2 70B Offline score it posted by 4%.",
        "The MI300X nearly doubles its Llama 2 70B Server throughput.",
    ],
)
def test_a_score_of_ones_own_is_the_same_systems(text):
    assert [(s, b) for _, s, b in told(text, "subject_system", "baseline_system")] == [("MI300X", "MI300X")]


def test_respectively_takes_the_scenarios_of_the_two_values_before():
    text = (
        "GB200 NVL72 serves DeepSeek-R1 at 388,590 tokens/s in Server and 510,781 tokens/s in Offline. "
        "Compared with v6.0, that is 2.5x and 66% more, respectively."
    )
    assert told(text, "scenarios")[2:] == [(2.5, ("Server",)), (66, ("Offline",))]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A Strix Halo desktop takes 7.06 seconds for Qwen3.6-27B.", "Strix Halo"),
        ("Granite Rapids makes 1,139.5 tokens/s on Llama 3.1 8B Server.", "Granite Rapids"),
        ("Nebius entered 36 VR200 GPUs. They reach 558,803 tokens/s on DeepSeek-R1 Offline.", "36x VR200"),
    ],
)
def test_a_system_keeps_the_name_that_its_paragraph_calls_it_by(text, name):
    assert [subject for _, subject in told(text, "subject_system")] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "MI355X improved 12% on its v6.0 entry in Whisper Offline.",
        "On Whisper Offline MI355X is up 12% on the v6.0 result.",
        "In Whisper Offline MI355X is 12% faster than in v6.0.",
    ],
)
def test_what_is_gained_on_an_entry_of_an_earlier_round_is_measured_against_it(text):
    assert told(text, "baseline_system", "round", "baseline_round") == [(12, "MI355X", "v6.1", "v6.0")]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Ten RTX PRO 6000 are 20% ahead of eight in the same server on Llama 3.1 8B Offline.", ("10x RTX PRO 6000", "8x RTX PRO 6000")),
        ("Sixteen MI350X give 2.03 times the Llama 2 70B Offline throughput of eight.", ("16x MI350X", "8x MI350X")),
        ("On gpt-oss-120b Offline, nine nodes of MI355X are 8.5 times as fast as one.", ("MI355X", "MI355X")),
    ],
)  # fmt: skip
def test_a_bare_count_is_the_same_system_with_as_many(text, sides):
    assert [(s, b) for _, s, b in told(text, "subject_system", "baseline_system")] == [sides]


def test_two_systems_told_before_are_the_two_sides_whatever_their_counts():
    text = (
        "Eight H200 transcribe 36,395.7 samples/s in Whisper Offline and two L40S manage 3,646.91 samples/s. "
        "So the H200 machine is about ten times as fast, for four times the GPUs."
    )
    assert told(text, "subject_system", "baseline_system")[-1] == (10, "8x H200", "2x L40S")


def test_of_two_submitters_of_a_sentence_the_first_is_the_one_that_another_makers_figure_is_of():
    text = (
        "The Dell Pro Max with one GB10 makes 78.7 samples/s on YOLO Offline. "
        "Wiwynn's node does 53% of the gpt-oss-120b Offline work that CoreWeave's eight B300 do."
    )
    assert told(text, "submitter", "baseline_submitter")[-1] == (0.53, "Wiwynn", "CoreWeave")


@pytest.mark.parametrize(
    "text",
    [
        "The XE9785L makes 117,804 tokens/s on gpt-oss-120b Offline. No other server with eight MI355X was faster.",
        "The XE9785L makes 117,804 tokens/s on gpt-oss-120b Offline. No other machine with MI355X accelerators scored higher.",
    ],
)
def test_what_no_other_of_its_class_reaches_is_said_of_the_system_in_mind(text):
    assert told(text, "subject_system")[-1] == (1, "XE9785L")


@pytest.mark.parametrize(
    "text",
    [
        "With FP4 the MI355X is 1.6x faster than with FP8 on Llama 2 70B Offline.",
        "With SGLang MI355X reaches 1.12x its vLLM score on gpt-oss-120b Offline.",
        "The air-cooled MI355X reaches 97% of the liquid-cooled MI355X on Llama 2 70B Offline.",
    ],
)
def test_a_mode_or_software_of_its_own_is_the_same_system(text):
    assert [(s, b) for _, s, b in told(text, "subject_system", "baseline_system")] == [("MI355X", "MI355X")]


def test_it_at_the_head_of_a_section_is_what_was_named_last():
    text = (
        "<h2>Time</h2><p>Eight MI355X make 117,804 tokens/s on gpt-oss-120b Offline.</p>"
        "<h2>Others</h2><p>On gpt-oss-120b it reaches 114% of DGX B300 in Offline.</p>"
    )
    assert told(text, "subject_system", "baseline_system")[-1] == (1.14, "8x MI355X", "DGX B300")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lenovo's SR680a V4 and HPE's XD680, both with eight B300, post 70,100.5 and 69,800.2 tokens/s on DeepSeek-R1 Offline.", ["SR680a V4", "XD680"]),
        ("The G894-AD3-AAX7 and the XE9780L make 72,445.1 and 71,002.3 tokens/s on DeepSeek-R1 Offline.", ["G894-AD3-AAX7", "XE9780L"]),
        ("B300 and MI355X make 112,840 and 109,002 tokens/s on Llama 2 70B Server.", ["B300", "MI355X"]),
        ("On Llama 2 70B MI355X makes 112,840 and 109,002 tokens/s in Offline and Server.", ["MI355X", "MI355X"]),
    ],
)  # fmt: skip
def test_two_values_behind_two_systems_are_one_each(text, names):
    assert [subject for _, subject in told(text, "subject_system")] == names


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("On Whisper Offline the B200 manages 30,112.5 samples/s, whereas its successor B300 gets 21% more.", ("B300", "B200")),
        ("H200 is at 34,000 tokens/s in Llama 2 70B Offline, while B200 is 3x as fast.", ("B200", "H200")),
        ("Red Hat ran gpt-oss-120b on H200 and on B200: the B200 system is 2.4x as fast in Offline.", ("B200", "H200")),
        ("MI355X makes 117,804 tokens/s in gpt-oss-120b Offline, and it is 28% faster.", ("MI355X", None)),
        ("Where B200 needs 9.8 seconds for a Wan 2.2 video, B300 needs 8.1 seconds, a cut of 17%.", ("B300", "B200")),
    ],
)  # fmt: skip
def test_a_gain_with_nothing_behind_it_is_over_the_other_of_two(text, sides):
    assert told(text, "subject_system", "baseline_system")[-1][1:] == sides


@pytest.mark.parametrize(
    "text",
    [
        "Since its debut in v5.1, MI355X has become 2.1x as fast on Llama 2 70B Offline.",
        "On Llama 2 70B Offline MI355X has become 2.1x as fast since v5.1.",
    ],
)
def test_since_a_round_is_measured_against_that_round(text):
    assert told(text, "baseline_system", "round", "baseline_round") == [(2.1, "MI355X", "v6.1", "v5.1")]


@pytest.mark.parametrize(
    "text",
    [
        "AS-8126GS (8x MI355X) outdid SYS-822GS (8x B300) in gpt-oss-120b Offline, 117,804 to 109,848 tokens/s.",
        "In gpt-oss-120b Offline AS-8126GS beats SYS-822GS: 117,804 to 109,848 tokens/s.",
        "The AS-8126GS bested the SYS-822GS with 117,804 to 109,848 tokens/s in gpt-oss-120b Offline.",
        "With 117,804 tokens/s on gpt-oss-120b Offline the AS-8126GS edges out the SYS-822GS and its 109,848.",
    ],
)
def test_a_score_of_two_is_the_winners_and_then_the_others(text):
    assert told(text, "subject_system") == [(117804, "AS-8126GS"), (109848, "SYS-822GS")]


@pytest.mark.parametrize(
    "text",
    [
        "The ESC A8A-E12U is 4.9 times as fast as our previous flagship, the ESC8000A-E12, on Llama 2 70B Offline.",
        "On Llama 2 70B Offline the ESC A8A-E12U is 4.9 times faster than its predecessor, the ESC8000A-E12.",
        "On Llama 2 70B Offline the ESC8000A-E12 with H100 has 21,000 tokens/s; the ESC A8A-E12U with MI355X manages 4.9 times as much.",
    ],
)
def test_the_name_behind_what_a_system_is_to_the_other_is_the_baseline(text):
    assert told(text, "subject_system", "baseline_system")[-1] == (4.9, "ESC A8A-E12U", "ESC8000A-E12")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dell's XE9680 has 22.4 queries/s in Qwen3-VL Server. Supermicro's SYS-822GS has 111.8 queries/s, five times what Dell shows.",
            (5, "SYS-822GS", "XE9680"),
        ),
        (
            "In Llama 2 70B Offline the XE9680 has 34,000 tokens/s and the XE9785L 103,032 tokens/s. The second is three times as fast as the first.",
            (3, "XE9785L", "XE9680"),
        ),
        (
            "HPE's XD690 and its eight B300 post 109,848 tokens/s on gpt-oss-120b Offline, behind Dell's 117,804.",
            (117804, "8x B300", None),
        ),
    ],
)
def test_a_rivals_name_a_place_in_the_list_and_an_owner_tell_which_system_is_meant(text, expected):
    assert told(text, "subject_system", "baseline_system")[-1] == expected


@pytest.mark.parametrize(
    "text",
    [
        "In v6.0 MI355X stood at 81% of B200 in Llama 2 70B Offline; now it stands at 93%.",
        "In v6.0 MI355X was at 81% of B200 in Llama 2 70B Offline, and in v6.1 it is at 93%.",
    ],
)
def test_a_share_of_each_round_keeps_to_its_round(text):
    assert told(text, "round", "baseline_round") == [(0.81, "v6.0", None), (0.93, "v6.1", None)]


def test_a_share_that_is_compared_with_an_earlier_one_is_of_the_round_in_mind():
    text = "MI355X delivers 93% of B300's Llama 2 70B Offline performance, compared with 81% in v6.0."
    assert told(text, "round") == [(0.93, "v6.1"), (0.81, "v6.0")]


@pytest.mark.parametrize(
    "text",
    [
        "At the 700 W limit the H200 keeps 97% of its full-power score on Llama 2 70B Offline.",
        "The H200, capped at 700 W, gives 97% of what it gives uncapped on Llama 2 70B Offline.",
        "H200 in its 700 W mode delivers 97% of the throughput it has at 1,000 W on Llama 2 70B Offline.",
    ],
)
def test_a_share_of_what_it_does_otherwise_is_of_the_same_system(text):
    assert told(text, "subject_system", "baseline_system") == [(0.97, "H200", "H200")]


def test_a_successor_is_called_by_the_word_behind():
    text = "Its successor, Feynman, is projected to run DeepSeek-R1 5x faster than Vera Rubin."
    assert told(text, "subject_system", "baseline_system", "status") == [
        (5, "Feynman", "Vera Rubin", "projected")
    ]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("With 64 B300 the LoRA test is done 5.4 times as fast as with 8.", ("64x B300", "8x B300")),
        ("On 512 MI355X Llama 2 70B LoRA is 20 times faster than on eight.", ("512x MI355X", "8x MI355X")),
    ],
)
def test_with_eight_is_the_same_system_with_as_many(text, sides):
    found = told(text, "subject_system", "baseline_system", round="training-v5.1")
    assert [(s, b) for _, s, b in found] == [sides]


@pytest.mark.parametrize(
    "text",
    [
        "Hammerspace feeds 140 simulated H100s on ResNet-50, twice as many as in MLPerf Storage v1.0.",
        "On ResNet-50 the systems keep twice as many accelerators busy as in MLPerf Storage v1.0.",
    ],
)
def test_as_many_as_in_a_round_is_measured_against_it(text):
    assert told(text, "round", "baseline_round", round="storage-v2.0") == [
        (2, "storage-v2.0", "storage-v1.0")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "MI355X is 2.1x and 2.8x as fast as MI325X and MI300X on Llama 2 70B Offline.",
        "On Llama 2 70B Offline the MI355X beats MI325X and MI300X by 2.1x and 2.8x.",
        "Against both MI325X and MI300X, the MI355X wins: 2.1x and 2.8x in Llama 2 70B Offline.",
    ],
)
def test_two_multiples_beside_two_rivals_are_one_each(text):
    expected = [(2.1, "MI355X", "MI325X"), (2.8, "MI355X", "MI300X")]
    assert told(text, "subject_system", "baseline_system") == expected


def test_two_multiples_beside_one_rival_are_both_over_it():
    text = "B300 is 1.2x faster in Offline and 1.3x in Server than B200 on Llama 2 70B."
    assert told(text, "baseline_system") == [(1.2, "B200"), (1.3, "B200")]


def test_no_accelerator_in_mind_owns_a_figure_of_storage():
    text = (
        "GB200 NVL72 doubled Hopper's speed on Llama 3.1 405B. "
        "In MLPerf Storage v2.0 IBM feeds 32 simulated H100 at 9,000.5 samples/s."
    )
    assert told(text, "subject_system", round="training-v5.0")[-1] == (9000.5, "IBM")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Per GPU the B300 is 1.5x H200 on Llama 2 70B Offline; for the whole server it is 3x.", [(1.5, True), (3, None)]),
        ("Each of its four GB300 GPUs does 15,116 tokens/s, so the OneW totals 60,466 tokens/s on gpt-oss-120b Server.", [(15116, True), (60466, None)]),
        ("The OneW totals 60,466 tokens/s on gpt-oss-120b Server, or 15,116 tokens/s for each GPU.", [(60466, None), (15116, True)]),
        ("Per GPU, the whole GB300 NVL72 rack gives 9,441 tokens/s on DeepSeek-R1 Offline.", [(9441, True)]),
    ],
)  # fmt: skip
def test_what_a_whole_server_gives_is_not_per_accelerator(text, expected):
    assert told(text, "per_accelerator") == expected


def test_a_maker_named_beside_a_figure_means_its_own_accelerator():
    text = (
        "B300 and MI355X both ran gpt-oss-120b. "
        "In Offline NVIDIA's part makes 109,848 tokens/s and AMD's 117,804 tokens/s."
    )
    assert told(text, "subject_system") == [(109848, "B300"), (117804, "MI355X")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "On Llama 2 70B Server, HPE's XD690 is 12% faster than the XD685 (103,032 versus 92,000 tokens/s).",
            [(12, "XD690", "XD685"), (103032, "XD690", None), (92000, "XD685", None)],
        ),
        (
            "The XD690 outruns the XD685 by 12% and the XE9680 by 230% in Llama 2 70B Server.",
            [(12, "XD690", "XD685"), (230, "XD690", "XE9680")],
        ),
        (
            "The OneW is small. With four GB300 it scores 60,466 tokens/s on gpt-oss-120b Server.",
            [(60466, "OneW", None)],
        ),
        (
            "Four nodes of eight B300 from Lambda give 3.96x the Llama 3.1 405B Offline throughput of one such node.",
            [(3.96, "32x B300", "8x B300")],
        ),
    ],
)
def test_values_in_brackets_several_rivals_and_what_is_inside_keep_their_owners(text, expected):
    assert told(text, "subject_system", "baseline_system") == expected


def test_a_gain_of_this_round_behind_a_semicolon_is_not_over_the_round_before():
    text = "MI355X was 8% slower than B300 in v6.0 on Llama 2 70B Offline; in v6.1 it is 4% faster."
    assert told(text, "round", "baseline_round")[-1] == (4, "v6.1", None)


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Replacing eight H100 with eight B300 makes Llama 2 70B Offline 3.9x faster.", ("8x B300", "8x H100")),
        ("Swapping the MI325X for the MI355X brings 2.1x the Llama 2 70B Offline throughput.", ("MI355X", "MI325X")),
        ("B300 holds a 1.2x lead on MI355X in Whisper Offline.", ("B300", "MI355X")),
        ("MI355X has a 4% edge on the B300 in gpt-oss-120b Server.", ("MI355X", "B300")),
        ("With FP4 the MI355X runs Llama 2 70B Offline 1.6x faster than before.", ("MI355X", "MI355X")),
    ],
)  # fmt: skip
def test_what_is_replaced_led_or_was_before_is_the_baseline(text, sides):
    assert [(s, b) for _, s, b in told(text, "subject_system", "baseline_system")] == [sides]


def test_a_scenario_of_a_later_clause_does_not_part_two_values_of_one_rise():
    text = "Xeon 6 doubled its Llama 3.1 8B Server score, from 471.5 to 1,139.5 tokens/s, while Offline rose by 56%."
    assert told(text, "round")[1:3] == [(471.5, "v6.0"), (1139.5, "v6.1")]


@pytest.mark.parametrize(
    ("text", "system"),
    [
        ("One UCS node with eight H200 and one with eight MI350X, tied together by vLLM, delivered 99,683.8 tokens/s on Llama 2 70B Offline.", "H200+MI350X"),
        ("Dell and MangoBoost combine two MI300X nodes with two MI355X nodes, 32 GPUs in total. The cluster serves gpt-oss-120b at 285,454 tokens/s Offline.", "MI300X+MI355X"),
        ("Cisco linked an H200 server to an MI350X server; Llama 2 70B Offline came out at 99,683.8 tokens/s.", "H200+MI350X"),
        ("Eight H200 and eight MI350X, joined into one cluster, made 99,683.8 tokens/s on Llama 2 70B Offline.", "H200+MI350X"),
        ("We connected eight MI355X and ran gpt-oss-120b Offline at 121,818 tokens/s.", "8x MI355X"),
        ("The MI355X node with eight GPUs makes 121,818 tokens/s on gpt-oss-120b Offline.", "MI355X"),
    ],
)  # fmt: skip
def test_accelerators_that_are_joined_into_one_system_are_named_together(text, system):
    assert [claim[1] for claim in told(text, "subject_system")] == [system]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Combined with FP4, MI355X is 3.1x as fast as MI300X on Llama 2 70B Offline.", ("MI355X", "MI300X")),
        ("Dell joined the round with eight MI355X and came out 12% ahead of eight B200 on Whisper Offline.", ("8x MI355X", "8x B200")),
    ],
)  # fmt: skip
def test_a_system_that_is_measured_against_is_not_joined_with_the_other(text, sides):
    assert [claim[1:] for claim in told(text, "subject_system", "baseline_system")] == [sides]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Nine MI355X servers together process 1,039,900 tokens per second in gpt-oss-120b Offline.", ("MI355X", None)),
        ("One B200 server makes 101,246 tokens/s on Llama 2 70B Offline.", ("B200", None)),
        ("Two B200 GPUs make 25,246 tokens/s on Llama 2 70B Offline.", ("2x B200", 2)),
        ("Crusoe joined 64 servers with eight MI355X each. The cluster delivers 5,392,930 tokens/s in gpt-oss-120b Server.", ("512x MI355X", 512)),
        ("Four nodes of eight B300 each make 453,000.5 tokens/s on Llama 2 70B Offline.", ("32x B300", 32)),
        ("A server with eight MI355X GPUs makes 121,818 tokens/s on gpt-oss-120b Offline.", ("8x MI355X", 8)),
    ],
)  # fmt: skip
def test_a_count_of_machines_is_none_of_accelerators(text, named):
    assert [claim[1:] for claim in told(text, "subject_system", "accelerator_count")] == [named]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Juniper's Llama 2 70B Server throughput doubled when the cluster went from two H100 nodes to four.", ("H100", "H100")),
        ("On DeepSeek-R1 Offline, throughput quadrupled when Crusoe moved from 64 MI355X to 256.", ("256x MI355X", "64x MI355X")),
        ("Going from eight B200 GPUs to sixteen nearly doubled Llama 2 70B Offline.", ("16x B200", "8x B200")),
        ("Llama 2 70B Offline doubled when Dell moved from eight H200 to eight B300.", ("8x B300", "8x H200")),
    ],
)  # fmt: skip
def test_a_system_that_grew_is_measured_against_what_it_was(text, sides):
    assert [claim[1:] for claim in told(text, "subject_system", "baseline_system")] == [sides]


def test_a_count_beside_each_value_is_that_values():
    text = "HPE's series on DeepSeek-R1 Offline shows 126,223 tokens/s with 16 GB200, 245,352 with 32 and 336,125 with 56."
    assert told(text, "subject_system") == [
        (126223, "16x GB200"),
        (245352, "32x GB200"),
        (336125, "56x GB200"),
    ]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("Run at 1.1 V instead of 0.9 V, Syntiant's NDP9120 is about three times as fast in the MLPerf Tiny v1.2 tests.", ("NDP9120", "NDP9120")),
        ("At 1,400 W rather than 1,000 W the MI355X server is 1.19x as fast on Llama 2 70B Offline.", ("MI355X", "MI355X")),
        ("With 288 GB instead of 192 GB, the MI355X is 3.1x as fast as the MI300X on Llama 2 70B Offline.", ("MI355X", "MI300X")),
        ("Eight B300 instead of eight B200 raise DeepSeek-R1 Offline by 22%.", ("8x B300", "8x B200")),
        ("Throttled to 600 W, the H200 gives 88% of its stock Llama 3.1 8B Server result.", ("H200", "H200")),
    ],
)  # fmt: skip
def test_instead_of_a_size_is_the_system_itself_and_instead_of_a_system_is_that_system(text, sides):
    assert [claim[1:] for claim in told(text, "subject_system", "baseline_system")] == [sides]


@pytest.mark.parametrize(
    ("lead", "rounds"),
    [
        ("DL380a Gen12 with eight RTX PRO 6000, Llama 2 70B, MLPerf Inference v6.1 against v6.0:", ("DL380a Gen12", "v6.0")),
        ("Gains of the DL380a Gen12 between v6.0 and v6.1 on Llama 2 70B:", ("DL380a Gen12", "v6.0")),
        ("DL380a Gen12, Llama 2 70B, MLPerf Inference v6.1:", (None, None)),
    ],
)  # fmt: skip
def test_a_lead_in_that_sets_two_rounds_side_by_side_holds_for_its_list(lead, rounds):
    text = f"<p>{lead}</p><ul><li>Offline: +14%</li><li>Server: +10%</li></ul>"
    assert [claim[1:] for claim in told(text, "baseline_system", "baseline_round")] == [rounds, rounds]


@pytest.mark.parametrize(
    ("text", "baseline"),
    [
        ("<p>The older GB200 NVL72 managed 14,774.3 tokens/s on Llama 3.1 405B Offline.</p><p>GB300 NVL72 is 9% ahead in Offline.</p>", "GB200 NVL72"),
        ("Eight H200 make 34,812.1 tokens/s on Llama 2 70B Offline. Eight B200 are 2.9x as fast.", "8x H200"),
        ("Eight H200 make 34,812.1 tokens/s on Llama 2 70B Offline. With TensorRT-LLM 1.2, eight B200 are 9% faster.", None),
        ("Eight H200 make 34,812.1 tokens/s on Llama 2 70B Offline. Eight B200 are now 9% faster.", None),
    ],
)  # fmt: skip
def test_who_is_bare_ahead_is_ahead_of_the_one_told_of_before(text, baseline):
    assert told(text, "baseline_system")[-1][1] == baseline


@pytest.mark.parametrize(
    ("text", "scenarios"),
    [
        ("MI355X makes 13,027.7 samples/s on DLRMv3 Offline, MI350X makes 10,891.1 samples/s Offline.</p><p>MI355X is thus 20% faster.", ("Offline",)),
        ("On Whisper, B300 makes 50,000 samples/s Offline and 40,000 Server. B200 makes 40,000 Offline and 32,000 Server.</p><p>B300 is 25% faster than B200.", ()),
        ("MI355X makes 13,027.7 samples/s on DLRMv3 Offline, MI350X makes 10,891.1 samples/s Offline.</p><p>MI355X is 31% faster than MI350X.", ()),
    ],
)  # fmt: skip
def test_a_quotient_of_two_values_stands_in_their_scenario(text, scenarios):
    assert told(f"<p>{text}</p>", "scenarios")[-1][1] == scenarios


def test_a_scaling_efficiency_behind_a_pull_quote_stands_in_the_scenario_told_before():
    text = (
        "<p>Crusoe's 512 MI355X deliver 5,392,930 tokens/s on gpt-oss-120b in Server.</p><blockquote>5,392,930 tokens/s</blockquote>"
        "<p>Set against AMD's own single server, that is a scaling efficiency of about 74%.</p>"
    )
    assert told(text, "scenarios")[-1] == (74, ("Server",))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The Dell Pro Max with one GB10 has a YOLO SingleStream latency of 13.9 ms.", "Pro Max"),
        ("Dell Pro Max with GB10 detects objects with YOLO in 13.9 ms in SingleStream.", "Pro Max with GB10"),
        ("HP's ZGX Nano needs 3,812 ms in Qwen3.6-27B SingleStream.", "ZGX Nano"),
        ("Eight RTX PRO 6000 make 50,453.7 tokens/s on Llama 3.1 8B Offline.", "8x RTX PRO 6000"),
        ("Eight RTX PRO 6000 Blackwell make 50,453.7 tokens/s on Llama 3.1 8B Offline.", "8x RTX PRO 6000 Blackwell"),
    ],
)  # fmt: skip
def test_a_system_is_called_as_its_text_calls_it(text, name):
    assert [claim[1] for claim in told(text, "subject_system")] == [name]
