"""What is a claim and what only looks like one, by class of wording; each class with its near-opposites."""

from __future__ import annotations

import pytest

from watcher.catalog.names import load
from watcher.claims import extract

CATALOG = load()


def told(text: str, *fields: str, round: str = "v6.1"):
    """For each claim of a text its value and the fields asked for."""
    return [(c.value, *(getattr(c, f) for f in fields)) for c in extract(text, catalog=CATALOG, round=round)]


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
