"""What a sentence leaves out and the text around it says: names, units, rounds, scenarios; and what is no prose at all."""

from __future__ import annotations

import pytest

from watcher.catalog.names import load
from watcher.claims import extract

CATALOG = load()


def read(text: str, round: str | None = "v6.1"):
    """(kind, value, subject, baseline) of each claim."""
    return [
        (c.kind, c.value, c.subject_system, c.baseline_system)
        for c in extract(text, catalog=CATALOG, round=round)
    ]


def test_a_system_is_called_by_the_kind_of_thing_that_it_is():
    text = (
        "We ran Llama 2 70B Offline on a GB300 NVL72 rack and on an HGX B300 server. "
        "The rack reached 1,136,100 tokens/s."
    )
    assert read(text) == [("absolute", 1136100, "GB300 NVL72", None)]


def test_newer_and_older_are_told_by_year():
    text = "<p>gpt-oss-120b Offline: 91,487 tokens/s on B200, 112,840 on B300.</p><p>The newer card is 23% faster.</p>"
    assert read(text)[-1] == ("percent_gain", 23, "B300", "B200")


def test_a_processor_is_called_by_its_number():
    text = "With two Xeon 6787P Llama 3.1 8B runs at 1,228 tokens/s Offline; the 6980P gets 1,834."
    assert read(text) == [("absolute", 1228, "Xeon 6787P", None), ("absolute", 1834, "6980P", None)]


def test_a_unit_may_stand_apart_from_its_figures():
    text = "DeepSeek-R1 Offline, in thousand tokens per second: B300 70.3, B200 58.9."
    assert read(text) == [("absolute", 70300, "B300", None), ("absolute", 58900, "B200", None)]


def test_a_list_takes_its_unit_from_the_paragraph_behind_it():
    text = "<ul><li>XE9785L: 73,238.1</li></ul><p>(Llama 2 70B Interactive, tokens/s)</p>"
    found = extract(text, catalog=CATALOG, round="v6.1")
    assert [(c.value, c.unit, c.benchmark) for c in found] == [(73238.1, "tokens/s", "llama2-70b")]


def test_respectively_reaches_over_the_parts_of_a_sentence():
    text = (
        "GB200 sustains 2.09 million DeepSeek-R1 tokens a second when work may wait and 1.60 million "
        "when it may not (Offline and Server, respectively)."
    )
    found = extract(text, catalog=CATALOG, round="v6.1")
    assert [(c.value, c.scenarios) for c in found] == [(2090000, ("Offline",)), (1600000, ("Server",))]


def test_a_first_sentence_gives_its_paragraph_the_scenario():
    text = "In Server the differences are larger. On gpt-oss-120b XE9785L reaches 110,188 tokens/s."
    assert [c.scenarios for c in extract(text, catalog=CATALOG, round="v6.1")] == [("Server",)]


def test_what_got_better_without_a_rival_is_measured_against_its_own_past():
    text = "MI355X Server throughput on gpt-oss-120b went up by 38 percent."
    assert read(text) == [("percent_gain", 38, "MI355X", "MI355X")]


def test_a_season_names_the_round_before():
    text = "Google's GB200 NVL72 reaches 1.66 times its own DeepSeek-R1 Offline score from the April round."
    (claim,) = extract(text, catalog=CATALOG, round="v6.1")
    assert (claim.round, claim.baseline_round) == ("v6.1", "v6.0")


def test_an_aside_on_the_past_leaves_the_system_in_mind():
    text = (
        "<p>On MI355X Llama 2 70B LoRA takes 10.18 minutes. A year earlier MI300X took 28 minutes. "
        "Llama 3.1 8B takes 99.7 minutes.</p>"
    )
    assert read(text, "training-v5.1")[-1] == ("absolute", 99.7, "MI355X", None)


def test_a_post_about_another_suite_names_its_rounds_in_short():
    text = "<h1>Fine-tuning in MLPerf Training</h1><p>In v5.1 MI355X trains Llama 3.1 8B in 99.7 minutes.</p>"
    (claim,) = extract(text, catalog=CATALOG)
    assert (claim.round, claim.benchmark) == ("training-v5.1", "train-llama3.1-8b")


@pytest.mark.parametrize(
    ("text", "benchmark"),
    [
        ("In MLPerf Training, GB200 trains Llama 3.1 405B 2.2x as fast as H100.", "train-llama3.1-405b"),
        ("MLPerf Training: with Llama 3.1 405B, GB200 comes to 2.2x H100.", "train-llama3.1-405b"),
        ("In MLPerf Inference, GB200 is 2.2x H100 on Llama 3.1 405B.", "llama3.1-405b"),
        ("In MLPerf, GB200 is 2.2x H100 on Llama 3.1 405B.", "llama3.1-405b"),
        (
            "In MLPerf Training and in MLPerf Inference v6.1 GB200 is 2.2x H100 on Llama 3.1 405B.",
            "llama3.1-405b",
        ),
    ],
)
def test_a_post_that_names_no_round_is_about_the_suite_that_it_names(text, benchmark):
    (claim,) = extract(text, catalog=CATALOG)

    assert (claim.value, claim.benchmark) == (2.2, benchmark)


def test_a_value_in_brackets_is_of_the_system_before_them():
    text = "On DeepSeek-R1 MI355X makes 42 times the tokens/s of a B300 server (69,655 tokens/s)."
    assert ("absolute", 69655, "B300", None) in read(text)


def test_a_caption_makes_percentages_changes():
    table = (
        "<table><caption>Gain of v6.1 over v6.0, gpt-oss-120b</caption><tr><th></th><th>Offline</th></tr>"
        "<tr><td>MI355X</td><td>28%</td></tr><tr><td>B300</td><td>-1%</td></tr></table>"
    )
    (claim,) = extract(table, catalog=CATALOG, round="v6.1")
    assert (claim.kind, claim.value, claim.baseline_system, claim.baseline_round) == (
        "percent_gain",
        28,
        "MI355X",
        "v6.0",
    )


def test_a_rounded_summary_is_the_value_of_the_body():
    text = (
        "<p>TL;DR: GB200 does 61.2k tokens/s on gpt-oss-120b Offline.</p>"
        "<p>GB200 reaches 61,205.6 tokens/s on gpt-oss-120b Offline.</p>"
    )
    assert read(text) == [("absolute", 61205.6, "GB200", None)]


@pytest.mark.parametrize(
    "text",
    [
        "<p>GB200, gpt-oss-120b:</p><pre><code>INFO throughput: 15012.4 tokens/s, Offline</code></pre>",
        "<pre>$ run --gpus 4\nGB200 gpt-oss-120b throughput 15012.4 tokens/s</pre>",
        "<p>GB200 on gpt-oss-120b.</p><p>Numbers in this section are from our own load generator. Offline: 15,012 tokens/s.</p>",
        "<p>Next: GB200 is 2x faster on gpt-oss-120b Offline</p>",
        "<p>GB300 spot price $3.60 (+6%), gpt-oss-120b</p>",
        "<p>Nobody else came under 11 minutes on gpt-oss-120b.</p>",
    ],
)
def test_listings_own_tests_prices_and_denials_are_no_claims(text):
    found = extract(text, catalog=CATALOG, round="v6.1")
    assert [c for c in found if c.status != "not_mlperf" and c.kind != "rank_or_first"] == []


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"- GB300 reaches {n} tokens/s, MLPerf v6.1" for n in range(50_000)),
        "\n".join("GB300 reaches 5 tokens/s, MLPerf v6.1" for _ in range(50_000)),
        "<p>" + "MLPerf GB300 2x<sup>7</sup> " * 30_000 + "</p><p><sup>7</sup> Offline</p>",
        "MLPerf v6.1: " + "1 tokens/s and " * 60 + "Offline and " * 60 + "respectively. ",
    ],
)
def test_crafted_lists_lines_and_notes_end(text):
    assert len(extract(text, catalog=CATALOG)) <= 1001
