"""What tables and lists of a post leave to the lines around them: units, scenarios, what a header means."""

from __future__ import annotations

from watcher.catalog.names import load
from watcher.claims import extract

CATALOG = load()


def read(text: str, round: str | None = "v6.1"):
    """(kind, value, unit, subject, benchmark, scenarios) of each claim."""
    return [
        (c.kind, c.value, c.unit, c.subject_system, c.benchmark, c.scenarios)
        for c in extract(text, catalog=CATALOG, round=round)
    ]


def test_a_row_of_units_under_the_headers_is_a_header():
    text = (
        "<p>Two sizes:</p><pre>\n              R-GAT Offline   Whisper Offline\n"
        "              samples/s       samples/s\nPowerEdge R770   16,042.8   1,539.49\n</pre>"
    )
    assert read(text) == [
        ("absolute", 16042.8, "samples/s", "PowerEdge R770", "rgat", ("Offline",)),
        ("absolute", 1539.49, "samples/s", "PowerEdge R770", "whisper", ("Offline",)),
    ]


def test_a_row_of_units_may_be_labelled_and_differ_by_column():
    text = (
        "<table><tr><th></th><th>Llama 2 70B Server</th><th>Whisper Offline</th></tr>"
        "<tr><td>Unit</td><td>tokens/s</td><td>samples/s</td></tr>"
        "<tr><td>XE9680</td><td>33,244.3</td><td>15,539.49</td></tr></table>"
    )
    assert read(text) == [
        ("absolute", 33244.3, "tokens/s", "XE9680", "llama2-70b", ("Server",)),
        ("absolute", 15539.49, "samples/s", "XE9680", "whisper", ("Offline",)),
    ]


def test_server_over_the_names_of_machines_is_no_scenario():
    text = (
        "<table><caption>Offline, tokens per second, eight RTX PRO 6000 each.</caption>"
        "<tr><th>Server</th><th>gpt-oss-120b</th></tr><tr><td>Cisco UCS C845A M8</td><td>15,508.4</td></tr></table>"
    )
    assert read(text) == [("absolute", 15508.4, "tokens/s", "UCS C845A M8", "gpt-oss-120b", ("Offline",))]


def test_server_over_the_names_of_benchmarks_is_the_scenario():
    text = (
        "<table><tr><th>Server</th><th>B300, tokens/s</th></tr>"
        "<tr><td>gpt-oss-120b</td><td>115,508.4</td></tr></table>"
    )
    assert read(text) == [("absolute", 115508.4, "tokens/s", "B300", "gpt-oss-120b", ("Server",))]


def test_a_list_of_times_takes_its_unit_from_the_line_before_it():
    text = (
        "<p>One node with eight B200, minutes in MLPerf Training v5.0:</p>"
        "<dl><dt>BERT</dt><dd>3.55</dd><dt>R-GAT</dt><dd>5.07</dd></dl>"
    )
    assert read(text, "training-v5.0") == [
        ("absolute", 3.55, "minutes", "8x B200", "train-bert", ()),
        ("absolute", 5.07, "minutes", "8x B200", "train-rgat", ()),
    ]


def test_a_list_of_times_takes_its_unit_from_the_line_behind_it():
    text = (
        "<p>MLPerf Training v5.1 on one XE9785:</p><ul><li>Llama 2 70B LoRA: 10.18</li></ul>"
        "<p>Minutes to train, lower is better.</p>"
    )
    assert read(text, "training-v5.1") == [
        ("absolute", 10.18, "minutes", "XE9785", "train-llama2-70b-lora", ())
    ]


def test_a_list_of_counts_is_no_list_of_times():
    text = "<p>The minutes of our meeting:</p><ul><li>BERT: 12 seats</li><li>RetinaNet: 3.5 pages</li></ul>"
    assert read(text, "training-v5.1") == []


def test_a_figure_per_watt_stands_in_the_scenario_of_the_value_before_it():
    text = "<p>The SR780a V3 ran R-GAT Offline: 618,486 samples/s. At 7,467 W that is about 83 samples/s per watt.</p>"
    assert [c[-1] for c in read(text)] == [("Offline",), ("Offline",)]


def test_a_scaling_efficiency_stands_in_the_scenario_of_the_value_before_it():
    text = (
        "<p>A GB200 NVL72 from Azure produces 542,075 tokens/s of DeepSeek-R1 in Offline. Four of them, 288 GPUs, "
        "produce 2,091,190 tokens/s, a scaling efficiency of 96%.</p>"
    )
    assert [c[-1] for c in read(text)] == [("Offline",)] * 3


def columns(head: str, value: str):
    """The claims of a column of percentages beside two values that it may be the quotient of."""
    text = (
        "<p>gpt-oss-120b, tokens/s:</p><table><tr><th>Scenario</th><th>B200</th><th>B300</th>"
        f"<th>{head}</th></tr><tr><td>Offline</td><td>94,000</td><td>112,000</td><td>{value}</td></tr></table>"
    )
    found = extract(text, catalog=CATALOG, round="v6.1")[2:]
    return [(c.kind, c.value, c.subject_system, c.baseline_system) for c in found]


def test_a_percentage_that_is_the_quotient_of_its_rows_two_values_is_a_share():
    assert columns("B200 / B300", "83.9%") == [("ratio", 0.839, "B200", "B300")]
    assert columns("B300 vs. B200", "119.1%") == [("ratio", 1.191, "B300", "B200")]


def test_a_percentage_that_is_no_quotient_of_its_row_is_left_out():
    assert columns("Power / limit", "71%") == columns("Utilisation", "83.9%") == []


def test_a_percentage_called_a_gain_stays_one():
    assert columns("Gain", "19%") == [("percent_gain", 19, "B300", "B200")]


def test_a_line_that_says_what_is_in_the_sections_server_speaks_of_the_server():
    text = (
        "<h1>Small runs</h1><h2>Giga Computing G893-SD1</h2><p>One node with eight B200, minutes to train:</p>"
        "<ul><li>BERT: 3.55</li></ul><h2>Others</h2><p>One node with eight H200, minutes to train:</p>"
        "<ul><li>BERT: 5.23</li></ul>"
    )
    assert [c[3] for c in read(text, "training-v5.0")] == ["G893-SD1", "8x H200"]


def test_what_a_comma_adds_to_a_power_limit_or_a_size_is_no_result():
    text = (
        "<p>On R-GAT Offline the B200 makes 618,486 samples/s. A B200 is allowed 1,000 W, 43% more than an H200. "
        "The H100 has 80 GB, 2.4x less than a B300.</p>"
    )
    assert [c[:3] for c in read(text)] == [("absolute", 618486, "samples/s")]


def test_no_surprise_is_no_rank():
    text = "<p>Llama 3.1 8B Offline: the score of B300 is no surprise: the card may draw 1,400 W, 40% more than an MI350X.</p>"
    assert read(text) == []


def test_the_top_of_all_columns_is_the_top_in_each_scenario_of_the_table():
    text = (
        "<p>Llama 3.1 8B, tokens/s:</p><table><tr><th>System</th><th>Offline</th><th>Server</th></tr>"
        "<tr><td>MiTAC G4826</td><td>159,278</td><td>151,116</td></tr></table>"
    )
    top = "<p>The G4826 is on top of both columns.</p>"
    assert read(text + top)[2:] == [("rank_or_first", 1, None, "G4826", "llama3.1-8b", ("Offline", "Server"))]
    first = "<p>The G4826 takes first place in Offline.</p>"
    assert read(text + first)[2:] == [("rank_or_first", 1, None, "G4826", "llama3.1-8b", ("Offline",))]
    assert read(text + "<p>The G4826 is on top of the rack.</p>")[2:] == []


def test_another_owners_node_is_called_by_the_one_accelerator_that_the_text_is_about():
    text = (
        "<h1>B300 servers in MLPerf v6.1</h1><p>The MiTAC G4520G6 reaches 116,000 tokens/s in gpt-oss-120b Offline.</p>"
        "<p>A cloud is in it as well: Nebius' node serves gpt-oss-120b at 115,738.5 tokens/s Offline and "
        "104,784.3 tokens/s Server.</p>"
    )
    assert [c[3] for c in read(text)] == ["G4520G6", "B300", "B300"]


def test_another_owners_node_has_no_accelerator_where_the_text_is_about_two():
    text = (
        "<h1>B300 and B200 servers in MLPerf v6.1</h1><p>The MiTAC G4520G6 reaches 116,000 tokens/s in "
        "gpt-oss-120b Offline.</p><p>Nebius' node serves gpt-oss-120b at 115,738.5 tokens/s Offline.</p>"
    )
    assert read(text)[1][3] not in {"B300", "B200"}


def test_a_scaling_column_stands_in_the_scenario_of_its_rows_values():
    text = (
        "<table><caption>L40S, Llama 2 70B</caption><tr><th>Cards</th><th>Offline tokens/s</th><th>Scaling</th></tr>"
        "<tr><td>1</td><td>4,100</td><td>-</td></tr><tr><td>8</td><td>32,000</td><td>97.6%</td></tr></table>"
    )
    assert read(text, "v5.1")[-1] == ("scaling_efficiency", 97.6, None, "L40S", "llama2-70b", ("Offline",))


def test_the_baselines_own_row_is_no_ratio():
    text = (
        "<p>Llama 2 70B Server:</p><table><tr><th>System</th><th>vs H200</th></tr>"
        "<tr><td>B300</td><td>3.6x</td></tr><tr><td>H200</td><td>1.0x</td></tr></table>"
    )
    assert [c[:2] for c in read(text)] == [("ratio", 3.6)]


def test_a_column_of_what_is_in_the_captions_server_is_the_servers():
    text = (
        "<table><caption>One Dell XE9780 with eight B300</caption><tr><th>B300</th><th>Offline</th></tr>"
        "<tr><td>gpt-oss-120b (tokens/s)</td><td>116,000</td></tr></table>"
    )
    assert read(text) == [("absolute", 116000, "tokens/s", "XE9780", "gpt-oss-120b", ("Offline",))]


def test_so_much_up_from_a_round_is_a_gain():
    text = "<p>The C845A M8 runs Whisper Offline at 18,991.8 samples/s, or 4.0% up from v6.0.</p>"
    found = extract(text, catalog=CATALOG, round="v6.1")
    assert [(c.kind, c.value, c.round, c.baseline_round) for c in found][1:] == [
        ("percent_gain", 4, "v6.1", "v6.0")
    ]


def test_what_a_writer_tried_is_no_result():
    text = "<p>I tried the LoRA test on our own H100 node and needed 31 minutes.</p>"
    assert read(text, "training-v5.0") == []


def test_chip_for_chip_is_said_per_accelerator():
    text = "Chip for chip, H100 was 3.6 times as fast as Gaudi2 in BERT."
    (claim,) = extract(text, catalog=CATALOG, round="training-v3.0")
    assert (claim.subject_system, claim.baseline_system, claim.per_accelerator) == ("H100", "Gaudi 2", True)
