"""MLCommons' rules for quoting results, as checks on a post."""

from __future__ import annotations

from watcher.catalog.names import load
from watcher.claims import check, extract
from watcher.claims.messaging import messaging
from watcher.domain import Result

CATALOG = load()
LABELLED = (
    "On DeepSeek-R1 Offline, Vera Rubin NVL72 (preview) is 1.74x GB300 NVL72, 72 accelerators each. MLPerf v6.1 Inference Closed, entry 6.1-0001. "
    "Retrieved 16 September 2026. The MLPerf name is among the registered and unregistered trademarks of MLCommons Association."
)


def rules(text: str, *rows: Result) -> list[str]:
    claims = extract(text, catalog=CATALOG, round="v6.1")
    verdicts = [check(claim, rows, catalog=CATALOG) for claim in claims] if rows else []
    return [finding.rule for finding in messaging(text, claims, verdicts)]


def row(accelerator: str, value: float, **fields) -> Result:
    given = {
        "suite": "inference", "round": "v6.1", "division": "closed", "availability": "available", "submitter": "NVIDIA", "platform": accelerator,
        "benchmark_published": "deepseek-r1", "benchmark": "deepseek-r1", "scenario": "Offline", "unit": "tokens/s", "better": "higher",
        "accelerator": accelerator, "accelerators": (accelerator,), "accelerator_count": 72,
    }  # fmt: skip
    return Result(value=value, **{**given, **fields})


def test_a_fully_labelled_post_has_no_findings():
    assert rules(LABELLED) == []


def test_what_a_post_leaves_out_is_named():
    assert rules("On DeepSeek-R1 Offline, Vera Rubin NVL72 is 1.74x GB300 NVL72.") == [
        "round_missing", "division_missing", "retrieval_missing", "entry_missing", "trademark_missing",
    ]  # fmt: skip


def test_a_post_without_mlperf_figures_has_no_findings():
    assert rules("GB300 racks ship in October.") == []


def test_an_unverified_result_needs_its_word_and_its_sentence():
    text = f"{LABELLED} After that, GB300 NVL72 reached 1,250,000 tokens/s on gpt-oss-120b Offline. Result not verified."
    assert rules(text) == ["unverified_sentence_missing", "unverified_not_marked"]


def test_a_figure_per_accelerator_must_be_said_to_be_derived():
    text = f"{LABELLED} Per GPU, GB300 NVL72 makes 9,441 tokens/s on DeepSeek-R1 Offline."
    assert rules(text) == ["derived_not_stated"]
    assert rules(f"{text} Per-GPU figures are not a primary metric of MLPerf.") == []


def test_a_difference_between_the_rows_must_be_stated():
    rows = (row("vera-rubin", 1740, availability="preview"), row("gb300", 1000))
    assert rules(LABELLED, *rows) == []
    assert rules(LABELLED.replace(" (preview)", ""), *rows) == ["difference_not_stated"]


def test_an_mlperf_figure_beside_one_of_another_benchmark_is_told():
    text = f"{LABELLED} In MLPerf v6.1, Vera Rubin NVL72 is 1.97x GB300 NVL72 on DeepSeek-R1 Server, and on AgentX it is 30x GB300 NVL72."
    assert rules(text) == ["mixed_with_other_benchmark"]


def test_findings_are_neutral_and_carry_their_sentence():
    text = f"{LABELLED} GB300 NVL72 is 45% faster per GPU than GB200 NVL72 on DeepSeek-R1."
    (finding,) = messaging(text, extract(text, catalog=CATALOG, round="v6.1"))
    assert finding.quote == "GB300 NVL72 is 45% faster per GPU than GB200 NVL72 on DeepSeek-R1."
    assert (
        finding.message
        == "the figure is per accelerator, and the text does not say that it is derived and no primary metric of MLPerf"
    )
