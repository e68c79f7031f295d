"""Claims out of sentences: what is compared with what, and in which round, each class of wording with several sentences."""

from __future__ import annotations

import pytest

from tests.claim_texts import told


def sides(text: str, **about: str):
    return told(text, "subject_system", "baseline_system", **about)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Per chip, CoreWeave's VR200 NVL72 gets 1.5x as far as its GB300 NVL72 on Llama 3.1 405B Offline.",
            [(1.5, "Vera Rubin NVL72", "GB300 NVL72")],
        ),
        (
            "The MI355X takes DeepSeek-R1 Offline 1.4x as far as the MI325X; in Server the factor is 1.6.",
            [(1.4, "MI355X", "MI325X"), (1.6, "MI355X", "MI325X")],
        ),
        ("On Whisper Offline the B300 gets 1.3x as high as the B200.", [(1.3, "B300", "B200")]),
    ],
)
def test_a_multiple_that_goes_as_far_as_a_system_is_measured_against_it(text, expected):
    assert sides(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Under ESXi, a Xeon 6 virtual machine keeps 95-98% of the throughput of the bare-metal Xeon 6.", (0.95, "Xeon 6", "Xeon 6")),
        ("Virtualised B200 GPUs delivered 97% of the Llama 3.1 405B Server throughput of Supermicro's bare-metal AS-8126GS.", (0.97, "B200", "AS-8126GS")),
        ("Two B300 do 26% of the DeepSeek-R1 Offline throughput of eight B300.", (0.26, "2x B300", "8x B300")),
        ("Four MI350X provide 48% of the Llama 2 70B Interactive score of eight MI355X.", (0.48, "4x MI350X", "8x MI355X")),
    ],
)  # fmt: skip
def test_a_share_of_the_throughput_on_a_benchmark_is_one_of_the_system_behind_it(text, expected):
    assert sides(text, round="v5.1") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "The GPUs use 48% of the power of the rack, says the Llama 2 70B team.",
        "B200 served 40% of the Llama 2 70B queries on eight B300.",
    ],
)
def test_a_share_of_something_else_is_no_claim(text):
    assert sides(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AMD's MI355X generated 3.22 SDXL samples/s Offline against 1.61 for MI325X: twice as many.", (2.0, "MI355X", "MI325X")),
        ("The B300 made 70,000 tokens/s on DeepSeek-R1 Offline, against 50,000 for B200, 1.4 times as much from as many GPUs.", (1.4, "B300", "B200")),
        ("Xeon 6 made 1,200.5 ResNet50 samples/s Offline, against 640 for 5th Gen Xeon: 1.9 times as many.", (1.9, "Xeon 6", "5th Gen Xeon")),
    ],
)  # fmt: skip
def test_the_values_of_a_sentence_tell_which_of_two_systems_is_ahead(text, expected):
    assert sides(text)[-1] == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "ResNet50 Offline on the QAIC100 Pro: 210,000 samples/s. Per watt that is roughly 262 samples/s.",
            262,
        ),
        (
            "Llama 2 70B Offline on eight H200: 34,000 tokens/s at 5,600 W measured, so per watt 6.07 tokens/s.",
            6.07,
        ),
        ("Whisper Offline on the H200 runs at 21,000 samples/s; per watt, it makes 4.2 samples/s.", 4.2),
    ],
)
def test_a_rate_that_per_watt_leads_is_one_per_watt(text, value):
    assert (value, "power_efficiency") in told(text, "kind", round="v4.1")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "Per watt nobody can say, but per rack: GB300 NVL72 679,740 tokens/s (DeepSeek-R1 Offline).",
            "absolute",
        ),
        ("Per watt is not told; GB300 NVL72 does 679,740 tokens/s on DeepSeek-R1 Offline.", "absolute"),
    ],
)
def test_a_rate_of_which_per_watt_is_not_said_is_a_plain_one(text, kind):
    assert told(text, "kind") == [(679740, kind)]


@pytest.mark.parametrize(
    "text",
    [
        "Lambda's B300 server is past 115,000 tokens/s on Llama 2 70B Offline.",
        "On Llama 2 70B Offline, the B300 server gets past 115,000 tokens/s.",
        "At past 115,000 tokens/s, the B300 server is good on Llama 2 70B Offline.",
    ],
)
def test_past_a_value_is_over_it(text):
    assert told(text, "qualifier") == [(115000, "over")]


def test_a_word_of_four_digits_and_a_generation_is_a_servers_name():
    text = "Inventec entered two B200 servers, the P4200G7 and the P4300G7, which do 60,269.6 and 59,062.2 tokens/s respectively on DeepSeek-R1 Offline."
    assert told(text, "subject_system") == [(60269.6, "P4200G7"), (59062.2, "P4300G7")]


@pytest.mark.parametrize(
    "text",
    [
        "Lambda doubled its B200 nodes and gpt-oss-120b Server throughput rose 1.95x.",
        "Juniper quadrupled its B200 servers and gpt-oss-120b Server throughput rose 1.95x.",
    ],
)
def test_machines_that_were_doubled_are_no_baseline(text):
    assert sides(text) == [(1.95, "B200", "B200")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "On gpt-oss-120b the surprise is Oracle's B200 server, which is at 1.31x its v6.0 result in Offline and 1.44x in Server.",
            [(1.31, "B200", "v6.1", "v6.0"), (1.44, "B200", "v6.1", "v6.0")],
        ),
        (
            "The MI355X in Dell's XE9785L reaches 1.7x its own v6.0 throughput on Llama 2 70B Server.",
            [(1.7, "XE9785L", "v6.1", "v6.0")],
        ),
        ("Whisper Offline on the ESC8000A is 112% of its own v6.0 figure.", [(1.12, "ESC8000A", "v6.1", "v6.0")]),
    ],
)  # fmt: skip
def test_a_multiple_of_its_own_earlier_score_is_measured_against_the_earlier_round(text, expected):
    assert told(text, "baseline_system", "round", "baseline_round") == expected


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        ("Lambda doubled its B200 nodes and gpt-oss-120b Server throughput rose 1.95x, to 150,000.5 tokens/s: a scaling efficiency of 97.5%.", "Server"),
        ("From four to eight H100 nodes Llama 2 70B Offline throughput grew 1.96x, a scaling efficiency of 98%.", "Offline"),
        ("Going from 8 to 32 MI300X multiplied Llama 2 70B Server throughput 3.9x: a scaling efficiency of 97.5%.", "Server"),
    ],
)  # fmt: skip
def test_a_scaling_efficiency_has_the_scenario_of_the_gain_that_it_is_reckoned_from(text, scenario):
    assert told(text, "kind", "scenarios")[-1][1:] == ("scaling_efficiency", (scenario,))


@pytest.mark.parametrize(
    ("text", "per"),
    [
        (
            "Divided by its 72 GPUs, the Azure GB200 NVL72 gives 12,900 tokens/s on gpt-oss-120b Offline.",
            True,
        ),
        (
            "Shared among its eight accelerators, the XE9785L's Llama 2 70B Offline score is 14,100 tokens/s each.",
            True,
        ),
        ("Eight MI355X GPUs give 14,100 tokens/s each on Llama 2 70B Offline.", True),
        ("MangoBoost split Llama 2 70B over 16 GPUs, for 59,297.4 tokens/s Interactive.", None),
        ("Two servers with eight B200 GPUs give 98,100 tokens/s each on Llama 2 70B Offline.", None),
    ],
)
def test_a_value_divided_by_the_accelerators_is_one_of_each(text, per):
    assert [found for _, found in told(text, "per_accelerator")] == [per]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Lambda's times for Llama 2 70B LoRA on its three clusters of B200: 10.1 minutes on the smallest, 5.2 on the middle one, 1.4 on the largest.", [10.1, 5.2, 1.4]),
        ("GPT-3 took Azure 50.1 minutes on the small H100 cluster, 26.2 on the big one.", [50.1, 26.2]),
        ("Oracle trains Stable Diffusion on H100 in 6.1 minutes with the larger cluster and 12.3 with the smaller one.", [6.1, 12.3]),
        ("Oracle trained Stable Diffusion on H100 in 6.1 minutes, for 12.3 euros.", [6.1]),
    ],
)  # fmt: skip
def test_numbers_that_go_on_as_the_first_value_does_have_its_unit(text, values):
    assert [value for (value,) in told(text, round="training-v4.0")] == values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dell's R7725 scores in Llama 3.1 8B Offline: 900.5 tokens/s after 420.25 in v6.0.", [(900.5, "v6.1"), (420.25, "v6.0")]),
        ("Whisper Offline on the D74H-7U: 20,100.5 samples/s after 10,500.2 in v6.0.", [(20100.5, "v6.1"), (10500.2, "v6.0")]),
        ("The XE9680L makes 99.75 queries/s in Qwen3-VL Server, after 88.5 in v6.0.", [(99.75, "v6.1"), (88.5, "v6.0")]),
    ],
)  # fmt: skip
def test_a_value_after_which_the_new_one_came_is_of_the_round_before(text, expected):
    assert told(text, "round") == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Correction: we gave 99,100 tokens/s for the XE9680L on Llama 2 70B Offline. The right number is 91,900.", 91900),
        ("Erratum: the post had 12,000 samples/s for the H200 on Whisper Offline. The correct value is 21,000.", 21000),
        ("Correction: we gave 60.1 queries/s for B200 on Qwen3-VL Server. It should read 61.0.", 61),
    ],
)  # fmt: skip
def test_a_correction_claims_the_right_number_alone(text, value):
    assert [found for (found,) in told(text)] == [value]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Fig. 3. Wan 2.2 on the PowerEdge XE9712 (72x GB300): 0.646 samples/s Offline.", "PowerEdge XE9712"),
        ("On HPE's Cray XD700 (72 GB200), gpt-oss-120b Offline runs at 900,000 tokens/s.", "Cray XD700"),
        ("QuantaGrid D75B-1U (72x GB300), DeepSeek-R1: 679,740 tokens/s Offline.", "QuantaGrid D75B-1U"),
        ("The GB300 NVL72 (72 GB300) gives 679,740 tokens/s on DeepSeek-R1 Offline.", "GB300 NVL72"),
    ],
)
def test_a_server_owns_the_figures_of_the_accelerators_that_brackets_count(text, name):
    assert [found for _, found in told(text, "subject_system")] == [name]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("What did new drivers bring for Dell's XE9785L? On the same eight MI355X, gpt-oss-120b climbed 4.1% Offline since v6.0.", "XE9785L"),
        ("Supermicro entered its AS-8126GS-TNMR again. On the same eight MI350X, Llama 2 70B Offline rose by 5.5% since v6.0.", "AS-8126GS-TNMR"),
        ("Has the ESC8000A got faster? With its eight H200 unchanged, Llama 3.1 8B improved by 3.3% in Offline from v6.0 to v6.1.", "ESC8000A"),
        ("Dell entered the XE9785L. On the same eight MI355X, HPE's gpt-oss-120b Offline score climbed 4.1% since v6.0.", "8x MI355X"),
    ],
)  # fmt: skip
def test_the_same_accelerators_are_those_of_the_server_in_mind(text, name):
    assert [(s, b) for _, s, b in sides(text)] == [(name, name)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In the same box, the UCS C885A M8, eight L40S manage 22% of the Llama 3.1 8B Server throughput of eight H200.", (0.22, "8x L40S", "8x H200")),
        ("In the same chassis, the G894, eight B300 are 1.4x as fast as eight B200 on Whisper Offline.", (1.4, "8x B300", "8x B200")),
        ("In the same server, a XE9680L, four B200 get 51% of the DeepSeek-R1 Offline rate of eight B200.", (0.51, "4x B200", "8x B200")),
    ],
)  # fmt: skip
def test_a_case_that_two_sides_share_is_neither_of_them(text, expected):
    assert sides(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "The R770 more than doubled its Llama 3.1 8B Server score: 516.012 tokens/s after 245.63 in v6.0.",
        "The R7725 more than doubled its Llama 3.1 8B Offline score: 900.5 tokens/s after 420.25 in v6.0.",
        "The D74H-7U more than doubled its Whisper Offline score: 20,100.5 samples/s after 9,500.2 in v6.0.",
    ],
)
def test_a_score_that_doubled_after_an_older_value_is_measured_against_its_round(text):
    assert told(text, "qualifier", "round", "baseline_round")[0] == (2, "over", "v6.1", "v6.0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Four times v6.0: that is how far the GB200 NVL72 has come on DeepSeek-R1 Server.", (4, "GB200 NVL72", "v6.1", "v6.0")),
        ("gpt-oss-120b Server on the XE9785L is 1.5 times v6.0.", (1.5, "XE9785L", "v6.1", "v6.0")),
        ("HPE's XD690 tripled its own v6.0 result on DeepSeek-R1 Interactive.", (3, "XD690", "v6.1", "v6.0")),
    ],
)  # fmt: skip
def test_a_multiple_of_a_round_is_measured_against_it(text, expected):
    assert told(text, "baseline_system", "round", "baseline_round") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In v6.0 the XE9680L got 91,000.5 tokens/s on gpt-oss-120b Offline; today it gets 99,000.75.", [(91000.5, "v6.0"), (99000.75, "v6.1")]),
        ("In v6.0 it took 12.1 s on Wan 2.2 SingleStream; now the GB300 NVL72 needs 10.6 s.", [(12.1, "v6.0"), (10.6, "v6.1")]),
        ("In v6.0 the XE9680L got 91,000.5 tokens/s on gpt-oss-120b Offline; the XE9780 got 93,100.5.", [(91000.5, "v6.0"), (93100.5, "v6.0")]),
    ],
)  # fmt: skip
def test_what_is_so_now_is_no_longer_of_the_older_round(text, expected):
    assert told(text, "round") == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("We had B200 at 99,100 tokens/s on Llama 2 70B Offline; it should be 98,100 tokens/s.", 98100),
        ("We printed 55.1 queries/s for B200 on Qwen3-VL Server, which should read 51.5 queries/s.", 51.5),
        (
            "On Whisper Offline we gave the H200 12,000 samples/s. That number should be 21,000 samples/s.",
            21000,
        ),
    ],
)
def test_what_should_be_another_number_is_not_claimed(text, value):
    assert value in [found for (found,) in told(text)]
    assert len(told(text.replace(". That number", "; that number"))) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The vSphere H100 reaches 98.5% of bare metal on Llama 2 70B Offline.", (0.985, "H100", "H100")),
        ("The H100 on vSphere keeps 97% of its bare-metal throughput on Llama 2 70B Server.", (0.97, "H100", "H100")),
        ("With 1.45 times the DeepSeek-R1 Offline throughput, GB300 NVL72 leaves GB200 NVL72 behind.", (1.45, "GB300 NVL72", "GB200 NVL72")),
    ],
)  # fmt: skip
def test_bare_metal_and_what_is_left_behind_are_measured_against(text, expected):
    assert sides(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wiwynn's node does 53% of the gpt-oss-120b Offline work that CoreWeave's eight B300 do.", (0.53, None, "8x B300")),
        ("The B200 server of ASUS makes 88% of the Llama 2 70B Server tokens that Dell's XE9780 makes.", (0.88, "B200", "XE9780")),
        ("MI355X gets 1.5x the Whisper Offline throughput that MI325X gets.", (1.5, "MI355X", "MI325X")),
    ],
)  # fmt: skip
def test_who_does_what_is_multiplied_is_measured_against(text, expected):
    assert sides(text) == [expected]


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        ("On Whisper Offline, Dell comes in at 21,100.5 samples/s, followed by HPE (20,950.25) and Cisco (20,100.75).", ["Dell", "HPE", "Cisco"]),
        ("Lambda (112,900.75 tokens/s) leads Nebius (112,300.5) on Llama 2 70B Offline.", ["Lambda", "Nebius"]),
        ("In gpt-oss-120b Server Dell reaches 91,123.5 tokens/s, ahead of Cisco (90,500.25).", ["Dell", "Cisco"]),
    ],
)  # fmt: skip
def test_a_value_in_brackets_is_of_the_submitter_before_them(text, owners):
    assert [found for _, found in told(text, "submitter")] == owners


def test_a_value_is_not_of_another_submitters_system():
    text = "Wiwynn's node, at 60,466 tokens/s, does 53% of the gpt-oss-120b Offline work that CoreWeave's eight B300 do."
    assert told(text, "subject_system", "submitter")[0] == (60466, "Wiwynn", "Wiwynn")


@pytest.mark.parametrize(
    ("text", "per"),
    [
        ("CoreWeave's rack averages 16,600 tokens/s for each of its 72 GPUs on gpt-oss-120b Offline.", True),
        (
            "The XE9785L gets 14,126 tokens/s from each of the eight accelerators on Llama 2 70B Offline.",
            True,
        ),
        ("The XE9785L gets 14,126 tokens/s on each of its eight cards in Llama 2 70B Offline.", True),
        ("The XE9785L gets 113,007 tokens/s on each of two nodes in Llama 2 70B Offline.", None),
    ],
)
def test_a_value_for_each_of_the_accelerators_is_one_of_each(text, per):
    assert [found for _, found in told(text, "per_accelerator")] == [per]


@pytest.mark.parametrize(
    "text",
    [
        "Lenovo gained 6% on its v6.0 Llama 2 70B Offline score with B200.",
        "Dell's B200 server improved by 6% on their v6.0 Llama 2 70B result.",
        "B200 is up 6% on its v6.0 Server figure in Llama 2 70B.",
    ],
)
def test_a_gain_on_the_score_of_a_round_is_measured_against_it(text):
    assert told(text, "round", "baseline_round") == [(6, "v6.1", "v6.0")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Giga Computing ran gpt-oss-120b on the G893-SD1 and the G894-SD3. Offline: 91,000.5 and 99,100.25 tokens/s.", ["G893-SD1", "G894-SD3"]),
        ("Dell entered the XE9680L and the XE9785L. Llama 2 70B Server came to 98,100.5 and 110,200.25 tokens/s.", ["XE9680L", "XE9785L"]),
        ("Dell entered the XE9680L and the XE9785L. On the XE9680L, Llama 2 70B reached 98,100.5 and 91,200.25 tokens/s in Offline and Server.", ["XE9680L", "XE9680L"]),
    ],
)  # fmt: skip
def test_two_values_behind_two_servers_are_theirs_in_order(text, names):
    assert [found for _, found in told(text, "subject_system")] == names
