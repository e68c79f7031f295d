"""Which sentences are read at all: what is passed over says nothing, and a post says the same without it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from tests.claim_labels import DATA, items_of
from watcher.catalog.names import load
from watcher.claims import extract
from watcher.claims.extract import _PostReader
from watcher.claims.lexicon import Lexicon, lexicon
from watcher.claims.merge import merged
from watcher.claims.telling import Telling, stretches, words_of
from watcher.claims.text import read

CATALOG = load()
TELLING = lexicon(CATALOG).telling
IDLE = "Engineers argue about such tables for weeks, and then they go home."


@pytest.mark.parametrize(
    "text",
    [
        "The rack serves 3 users.",
        "Throughput doubled.",
        "Ten percent more is what they got.",
        "Nebius filed as well.",
        "The values are in tokens per second.",
        "It is not verified by anybody.",
        "Nobody else came close, no other entry did before.",
    ],
)
def test_a_figure_a_name_or_a_unit_is_worth_reading(text):
    assert TELLING.tells(text)


@pytest.mark.parametrize(
    "text",
    [
        IDLE,
        "How the server, the engine and the scenario fit together is another story.",
        "",
        "Ünïcödé prose, too.",
    ],
)
def test_prose_without_them_is_passed_over(text):
    assert not TELLING.tells(text)


def test_a_kind_of_thing_tells_only_once_a_system_is_in_mind():
    assert not TELLING.tells("The rack is older than one thinks.")
    assert TELLING.tells("The rack is older than one thinks.", frozenset({"gb300", "nvl72"}))


def test_no_labelled_claim_stands_in_a_sentence_that_is_passed_over():
    items = [item for name in ("tuning", "aside") for item in items_of(DATA / f"{name}.jsonl")]
    assert [item.id for item in items if item.expected and not TELLING.tells(item.text)] == []


class Everything(Telling):
    """Takes every sentence to be worth reading."""

    def tells(self, text, called=frozenset()):
        del text, called
        return True


READING_ALL = replace(lexicon(CATALOG), telling=Everything(**asdict(TELLING)))
LABELLED = [
    item.text for name in ("tuning", "aside", "varied/tuning") for item in items_of(DATA / f"{name}.jsonl")
]
IDLES = [
    IDLE,
    "The rack is older than one thinks.",
    "How the server, the engine and the scenario fit together is another story.",
    "They are faster now!",
    "What comes next?",
    "In Server the differences are larger.",
    "Größe ist alles.",
]


def claims_of(text: str, words: Lexicon):
    return list(merged(_PostReader(read(text), words, None).read()))


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(LABELLED) | st.sampled_from(IDLES), min_size=1, max_size=8),
    st.sampled_from([" ", "\n", "\n\n", "</p><p>"]),
)
def test_passing_over_sentences_changes_no_claim(texts, between):
    text = between.join(texts)
    assert claims_of(text, lexicon(CATALOG)) == claims_of(text, READING_ALL)


def test_idle_sentences_between_change_nothing():
    said = [
        "In MLPerf Inference v6.1 GB300 NVL72 reaches 679,740 tokens/s on DeepSeek-R1 Offline.",
        "Nebius does 689,961 with its rack.",
        "That is more than twice the score of a year ago.",
    ]
    plain = extract(" ".join(said), catalog=CATALOG)
    idle = extract(f" {IDLE} ".join(said), catalog=CATALOG)
    assert [(c.kind, c.value, c.benchmark, c.scenarios) for c in plain] == [
        (c.kind, c.value, c.benchmark, c.scenarios) for c in idle
    ]


def test_a_text_is_cut_only_where_a_sentence_surely_ends():
    text = "It runs vs. Another one. approx. Ten more lines, resp. Eleven! Next?\nLast"
    assert [text[low:high] for low, high in stretches(text)] == [
        "It runs vs. Another one. approx. Ten more lines, resp. Eleven! ",
        "Next?\n",
        "Last",
    ]


def test_words_are_runs_of_letters_in_any_script():
    assert words_of("GB300's rack-scale") == {"gb", "s", "rack", "scale"}
    assert words_of("Größe: 3 Stück") == {"grösse", "stück"}
