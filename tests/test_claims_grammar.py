"""How figures and names are written: numbers, qualifiers, ranges, counts, spellings."""

from __future__ import annotations

import pytest

from watcher.catalog.names import load
from watcher.claims.lexicon import lexicon
from watcher.claims.mentions import mentions_of
from watcher.claims.numbers import is_european, number_at
from watcher.claims.series import measures_of
from watcher.claims.split import read_tokens, sentences
from watcher.claims.tokens import normalise

WORDS = lexicon(load())


def tokens(text: str):
    return read_tokens(normalise(text), WORDS)


def figures(text: str) -> list[tuple[str, float, str | None, str]]:
    return [(m.kind, m.value, m.unit, m.qualifier) for m in measures_of(tokens(text))]


def names(text: str, kind: str) -> list[str]:
    return [m.name for m in mentions_of(tokens(text), normalise(text), WORDS) if m.kind == kind]


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("1,046,150 tokens", 1046150, 0),
        ("69.846,9 Tokens", 69846.9, 1),
        ("1\u00a0097\u00a0620 tokens", 1097620, 0),
        ("1'097'620 tokens", 1097620, 0),
        ("4,4x", 4.4, 1),
        ("53.4k", 53400, -2),
        ("5.75M", 5750000, -4),
        ("1.1 million", 1100000, -5),
        ("0.059", 0.059, 3),
        ("1.956", 1.956, 3),
        ("2011 tokens", 2011, 0),
    ],
)
def test_a_number_is_read_as_people_write_it(text, value, decimals):
    found = number_at(text, 0)
    assert (found.value, found.decimals) == (value, decimals)


def test_a_lone_point_means_thousands_in_a_post_that_writes_decimal_commas():
    assert is_european("69.846,9 Tokens/s")
    assert is_european("3,2x")
    assert not is_european("1,046,150 and 3.2x")
    assert number_at("115.294", 0, european=True).value == 115294


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("up to 3.7x", ("times", 3.7, None, "up_to")),
        ("3.74×", ("times", 3.74, None, "exact")),
        ("more than 2 times", ("times", 2, None, "over")),
        ("nearly doubled", ("times", 2, None, "about")),
        ("a threefold gain", ("times", 3, None, "exact")),
        ("a 5-fold gain", ("times", 5, None, "exact")),
        ("by a factor of 1.9", ("times", 1.9, None, "exact")),
        ("2.9x1", ("times", 2.9, None, "exact")),
        ("roughly 45 percent", ("percent", 45, None, "about")),
        ("±5 %", ("percent", 5, None, "about")),
        ("+/- 5 %", ("percent", 5, None, "about")),
        ("3x+", ("times", 3, None, "over")),
        ("25,141 images/second", ("quantity", 25141, "samples/s", "exact")),
        ("5,749,440 tokens each second", ("quantity", 5749440, "tokens/s", "exact")),
        ("20.6 s", ("quantity", 20.6, "s", "exact")),
        ("just over 12 minutes", ("quantity", 12, "minutes", "over")),
    ],
)
def test_a_figure_is_read_with_its_kind_unit_and_qualifier(text, figure):
    assert figures(text) == [figure]


def test_a_range_has_two_ends():
    for text in ("92-93 %", "80 to 85 percent", "3-5x", "between 1.7x and 3.7x", "1.7x to 3.7x"):
        (measure,) = measures_of(tokens(text))
        assert measure.value_max is not None
        assert measure.value_max > measure.value


def test_machines_that_are_counted_are_no_multiplier():
    assert figures("on 8x B200") == []
    assert figures("(8x MI350X)") == []
    assert figures("over 4x Hopper") == [("times", 4, None, "over")]
    assert figures("MI355X is 3x MI300X") == [("times", 3, None, "exact")]


def test_prices_dates_points_and_dimensions_are_no_figures():
    for text in ("$3.9 million", "twice a week", "12 percentage points", "1920x1080", "in 2026"):
        assert figures(text) == []


def test_a_bare_number_borrows_the_unit_of_its_series():
    assert [f[1:3] for f in figures("65,511.9 tokens/s Offline and 58,195.8 Server")] == [
        (65511.9, "tokens/s"),
        (58195.8, "tokens/s"),
    ]
    assert [f[1:3] for f in figures("1306.61 against 349.29 queries/s")] == [
        (1306.61, "queries/s"),
        (349.29, "queries/s"),
    ]
    assert [f[1:3] for f in figures("12.5 minutes with 1,152 GPUs")] == [(12.5, "minutes")]


@pytest.mark.parametrize(
    "text", ["GPT-OSS-120B", "gpt-oss-120b", "gpt oss 120B", "GPT-OSS 120b", "gptoss-120b"]
)
def test_a_benchmark_is_one_in_every_spelling(text):
    assert names(text, "benchmark") == ["gpt-oss-120b"]


def test_a_name_ends_where_its_word_ends_but_for_a_footnotes_digit_or_a_plural():
    assert names("GB300 and B300", "system") == ["GB300", "B300"]
    assert names("the GB300 NVL721 and 1,536 H100s", "system") == ["GB300 NVL72", "1536x H100"]
    assert names("a 40 percent gain", "system") == []


def test_a_product_that_the_catalog_does_not_hold_is_a_system():
    assert names("the PowerEdge XE9785L, a G894-ZD3-AAX7 and BM.GPU.H100.8", "system") == [
        "PowerEdge XE9785L",
        "G894-ZD3-AAX7",
        "BM.GPU.H100.8",
    ]
    assert names("with FP8, HBM3e and PCIe5 in Q3", "system") == []


def test_a_rack_of_72_is_the_system_and_a_count_is_named():
    assert names("Azure's GB300 rack", "system") == ["GB300 NVL72"]
    assert names("eight B200 and 8x MI350X", "system") == ["8x B200", "8x MI350X"]


@pytest.mark.parametrize(
    ("text", "round_"),
    [
        ("MLPerf Inference v6.1", "v6.1"),
        ("MLPerf Training 4.1", "training-v4.1"),
        ("MLPerf v4.1 Training Closed", "training-v4.1"),
        ("Training v6.0", "training-v6.0"),
        ("MLPerf Storage v2.0", "storage-v2.0"),
        ("in v5.12", "v5.1"),
    ],
)
def test_a_round_is_named_with_its_suite(text, round_):
    assert names(text, "round") == [round_]


def test_a_version_of_software_is_no_round():
    assert names("with vLLM v0.11 and ROCm v7.0", "round") == []


def test_server_is_a_scenario_or_a_machine():
    assert names("in Server and in offline mode", "scenario") == ["Server", "Offline"]
    assert names("a server with four cards, the XE9785L Server", "scenario") == []


def test_a_sentence_ends_at_its_point_and_not_at_an_abbreviation():
    text = normalise("GB300 vs. GB200: 1.3x, i.e. 30 %. Next one! And v6.1.")
    assert [len(part) > 1 for part in sentences(text, read_tokens(text, WORDS))] == [True, True, True]
