"""Entries that a text names: read beside each claim, never a figure, and the rows that a claim is first held against."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests import claim_rows
from watcher.catalog.names import load
from watcher.claims import check, extract
from watcher.claims.messaging import messaging
from watcher.domain import Claim, Result, Verdict
from watcher.parse import read_table
from watcher.parse.entries import MAX_RANGE, printed_in
from watcher.store.posts import fingerprint

CATALOG = load()
SENTENCE = "In MLPerf Inference v6.1 on Llama 2 70B, B300 is 45% faster than B200 in Offline and 25% faster in Server"
NOTE = "MLPerf Inference v6.1, Closed, entries 6.1-0012 and 6.1-0011. Retrieved on 16 September 2026."


def named(text: str) -> list[tuple[str, ...]]:
    return [claim.entries for claim in extract(text, catalog=CATALOG)]


# ------------------------------------------------------------------------------------------------ reading them


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("entry 5.1-0072", ("5.1-0072",)),
        ("v5.1-0072, V4.1-0047 and 5.1-0072", ("5.1-0072", "4.1-0047")),
        ("5.1\u20110072 and 5.1\u22120071", ("5.1-0072", "5.1-0071")),
        ("(4.1-0013 to 4.1-0016)", ("4.1-0013", "4.1-0014", "4.1-0015", "4.1-0016")),
        ("5.1-0071\u20135.1-0073", ("5.1-0071", "5.1-0072", "5.1-0073")),
        ("5.1-0073 to 5.1-0071", ("5.1-0073", "5.1-0071")),
        ("5.1-0071 to 6.0-0073", ("5.1-0071", "6.0-0073")),
        (f"5.1-0001 to 5.1-{MAX_RANGE + 1:04d}", ("5.1-0001", f"5.1-{MAX_RANGE + 1:04d}")),
        ("1.5.1-0072, 5.1-00721, 25.11-0072, 5.1-072, 2025-0072", ()),
    ],
)
def test_a_number_is_read_in_the_forms_that_are_printed(text, numbers):
    assert printed_in(text) == numbers


@pytest.mark.parametrize(
    "text",
    [
        f"<p>{SENTENCE} (6.1-0012, v6.1-0011).</p>",
        f"<p>{SENTENCE}.<sup>1</sup></p><p><sup>1</sup> {NOTE}</p>",
        f"<p>{SENTENCE}.[2] More text.</p><p>[1] Another.</p><p>[2] {NOTE}</p>",
        f"<p>{SENTENCE}*.</p><p>* {NOTE}</p>",
        f"<p>{SENTENCE}.</p><p>{NOTE}</p>",
        f"{SENTENCE}.\n\n{NOTE}",
        f"<p>{SENTENCE}. {NOTE}</p>",
        f"<p>{SENTENCE}.</p><h2>Sources</h2><ul><li>{NOTE}</li></ul>",
    ],
    ids=[
        "sentence",
        "superscript",
        "brackets",
        "star",
        "last paragraph",
        "plain text",
        "same paragraph",
        "list",
    ],
)
def test_a_claim_has_the_entries_of_its_sentence_its_footnote_or_the_notes_of_a_text_without_marks(text):
    assert [frozenset(found) for found in named(text)] == [{"6.1-0012", "6.1-0011"}] * 2


def test_where_marks_lead_to_notes_each_claim_has_its_own():
    text = (
        "<p>In MLPerf Inference v6.1 on Llama 2 70B, B300 is 45% faster than B200 in Offline.<sup>1</sup></p>"
        "<p>MI355X is 30% faster than MI325X in Offline.<sup>2</sup> GB300 is 15% faster than GB200 in Offline.</p>"
        "<p><sup>1</sup> Entries 6.1-0012 and 6.1-0011.</p><p><sup>2</sup> Entries 6.1-0033, 6.1-0034.</p>"
    )

    assert named(text) == [("6.1-0012", "6.1-0011"), ("6.1-0033", "6.1-0034"), ()]


def test_a_claim_that_is_told_twice_takes_the_entries_of_the_telling_that_has_some():
    once = "<p>On Llama 2 70B in Offline, B300 is 45% faster than B200{}</p>"
    text = f"<h1>MLPerf Inference v6.1</h1>{once.format('.')}<p>More.</p>{once.format('.<sup>1</sup>')}<p><sup>1</sup> {NOTE}</p>"

    assert named(text) == [("6.1-0012", "6.1-0011")]


def test_the_entries_inside_one_claims_sentence_are_no_others():
    text = f"<p>{SENTENCE} (6.1-0012, 6.1-0011). MI355X is 30% faster than MI325X in Offline. GB300 is closed.</p>"

    assert named(text) == [("6.1-0012", "6.1-0011"), ("6.1-0012", "6.1-0011"), ()]
    assert named(text + "<p>See 6.1-0033.</p>")[2:] == [("6.1-0033",)]


def test_an_entry_beside_a_value_is_that_values_alone():
    text = (
        "<p>MLPerf Inference v6.1, Llama 2 70B Offline:</p><ul><li>B300: 98,765 tokens/s (6.1-0012)</li>"
        "<li>B200: 76,543 tokens/s (6.1-0011)</li></ul><p>Closed division, 6.1-0099.</p>"
    )

    assert named(text) == [("6.1-0012",), ("6.1-0011",)]


def test_a_tables_row_has_the_entries_of_its_cells_and_headers():
    rows = (
        "<table><caption>MLPerf Inference v6.1, Llama 2 70B, tokens/s</caption><tr><th>System</th><th>Offline</th><th>Entry</th></tr>"
        "<tr><td>B300</td><td>98,765</td><td>6.1-0012</td></tr><tr><td>B200</td><td>76,543</td><td>6.1-0011</td></tr></table>"
    )
    columns = (
        "<table><caption>MLPerf Inference v6.1, Llama 2 70B, tokens/s</caption><tr><th></th><th>B300 (6.1-0012)</th>"
        "<th>B200 (6.1-0011)</th></tr><tr><td>Offline</td><td>98,765</td><td>76,543</td></tr></table>"
    )

    assert named(rows) == named(columns) == [("6.1-0012",), ("6.1-0011",)]


def test_a_figure_of_another_benchmark_names_no_entries():
    text = f"<p>On InferenceX, B300 is 3x B200 (6.1-0012). {SENTENCE}.</p><p>{NOTE}</p>"
    found = {(c.status, c.entries) for c in extract(text, catalog=CATALOG)}

    assert found == {("not_mlperf", ()), ("measured", ("6.1-0012", "6.1-0011"))}


FORMS = (
    "entries {} and {} tokens/s",
    "{} tokens/s, {} queries/s",
    "{}x and {} %",
    "{} to {} samples/s",
    "({}; {}) ms",
    "results {}, {}, in tokens per second",
    "up to {} times {}",
)


@pytest.mark.parametrize("form", FORMS)
def test_a_number_of_an_entry_is_never_a_figure_nor_part_of_one(form):
    without = extract(f"{SENTENCE}.", catalog=CATALOG)
    said = form.format("6.1-0012", "v6.1-0011")

    assert not extract(f"MLPerf Inference v6.1, Llama 2 70B Offline on B300: {said}.", catalog=CATALOG)
    assert extract(f"{SENTENCE}. B300 in Offline: {said}.", catalog=CATALOG) == tuple(
        replace(claim, entries=("6.1-0012", "6.1-0011")) for claim in without
    )


def test_entries_do_not_make_another_claim_of_it_for_the_ledger():
    (one, _) = extract(f"<p>{SENTENCE}.</p><p>{NOTE}</p>", catalog=CATALOG)

    assert one.entries
    assert fingerprint(one) == fingerprint(replace(one, entries=()))


def test_entries_are_looked_for_as_the_messaging_rules_are():
    text = f"<p>{SENTENCE}.</p>"
    claims = extract(text, catalog=CATALOG)

    lacking, named_with = (
        {finding.rule for finding in messaging(shown, claims)} for shown in (text, f"{text}<p>6.1‑0012</p>")
    )
    assert lacking - named_with == {"entry_missing"}


@pytest.mark.parametrize(
    "behind",
    [
        "5.1-0001 to 5.1-0039 " * 50_000,
        "".join(f"6.1-{number % 10_000:04d} " for number in range(200_000)),
        "".join(f"<p>entry 6.1-{number % 10_000:04d}</p>" for number in range(30_000)),
        "6.1-00" * 200_000,
    ],
    ids=["ranges", "one paragraph", "many paragraphs", "halves"],
)
def test_a_crowd_of_numbers_changes_no_claim_and_few_are_kept(behind):
    marked = f"<p>{SENTENCE}.<sup>1</sup></p><p><sup>1</sup> {behind}</p>"
    unmarked = f"<p>{SENTENCE}.</p><p>{behind}</p>"
    plain = extract(f"<p>{SENTENCE}.</p>", catalog=CATALOG)

    for text in (marked, unmarked):
        found = extract(text, catalog=CATALOG)
        assert tuple(replace(claim, entries=()) for claim in found) == plain
        assert all(len(claim.entries) <= 64 for claim in found)


# ------------------------------------------------------------------------------------------------ checking


def row(accelerator: str, value: float, entry: str | None, submitter: str = "NVIDIA", **given: Any) -> Result:
    platform = f"{accelerator}-{submitter}-{value:g}"
    return claim_rows.row(accelerator, value, entry=entry, submitter=submitter, platform=platform, **given)


OWN = (row("b300", 120_000.0, "6.1-0021"), row("b200", 100_000.0, "6.1-0020"))
PAIR = (
    row("b300", 116_000.0, "6.1-0012", submitter="Dell"),
    row("b200", 80_000.0, "6.1-0011", submitter="Supermicro"),
)
BEST = row("b200", 110_000.0, "6.1-0030", submitter="Oracle")


def gain(value: float = 45.0, **given: Any) -> Claim:
    plain = {
        "kind": "percent_gain", "qualifier": "exact", "subject_system": "B300", "baseline_system": "B200",
        "benchmark": "llama2-70b", "scenarios": ("Offline",), "round": "v6.1", "entries": ("6.1-0012", "6.1-0011"),
    }  # fmt: skip
    return Claim(value=value, **{**plain, **given})


def checked(claim: Claim, *rows: Result) -> Verdict:
    """The verdict, which must not hang on the order of rows."""
    found = check(claim, rows, catalog=CATALOG)
    shuffled = random.Random(7).sample(rows, len(rows))
    assert check(claim, shuffled, catalog=CATALOG) == found
    return found


def shown(found: Verdict) -> list[tuple[str, float, bool, tuple[str | None, ...]]]:
    return [
        (e.reading, round(e.figure or 0.0, 1), e.holds, tuple(row.entry for row in e.rows))
        for e in found.evidence
    ]


def test_rows_of_the_named_entries_bear_a_claim_out_where_like_for_like_does_not():
    found = checked(gain(), *OWN, *PAIR, BEST)

    assert (found.verdict, found.reading, found.reason) == ("confirmed", "footnote_entries", None)
    assert shown(found) == [
        ("system", 20.0, False, ("6.1-0021", "6.1-0020")),
        ("footnote_entries", 45.0, True, ("6.1-0012", "6.1-0011")),
    ]
    assert found.evidence[1].arithmetic == (
        "llama2-70b: 116,000 / 80,000 tokens/s = 1.45x, +45.0 % "
        "(entries 6.1-0012 and 6.1-0011; Dell against Supermicro; v6.1; 8 accelerators each)"
    )


def test_of_the_entries_of_a_whole_company_the_best_rows_are_meant_and_no_odd_pair():
    many = [row("b200", 50_000.0 + 10_000 * n, f"6.1-004{n}", submitter=f"Maker {n}") for n in range(4)]
    entries = ("6.1-0012", *(each.entry for each in many))

    odd = checked(gain(132.0, entries=entries), *OWN, PAIR[0], *many)
    best = checked(gain(45.0, entries=entries), *OWN, PAIR[0], *many)
    assert "footnote_entries" not in {e.reading for e in odd.evidence if e.holds}
    assert (best.verdict, best.reading) == ("confirmed", "footnote_entries")


def test_the_order_of_the_numbers_in_the_text_says_nothing():
    claim = gain(entries=("6.1-0011", "6.1-0012"))

    assert shown(checked(claim, *OWN, *PAIR, BEST)) == shown(checked(gain(), *OWN, *PAIR, BEST))


def test_like_for_like_that_agrees_stays_the_reading_and_another_named_pair_stands_behind_it():
    same = checked(gain(20.0, entries=("6.1-0021", "6.1-0020")), *OWN, *PAIR)
    other = checked(gain(20.0), *OWN, *PAIR)

    assert (same.verdict, same.reading, shown(same)) == (
        "confirmed", "system", [("system", 20.0, True, ("6.1-0021", "6.1-0020"))],
    )  # fmt: skip
    assert (other.verdict, other.reading) == ("confirmed", "system")
    assert shown(other)[1:] == [("footnote_entries", 45.0, False, ("6.1-0012", "6.1-0011"))]


def test_named_entries_that_hold_in_all_scenarios_say_more_than_like_for_like_that_holds_in_some():
    server = [replace(each, scenario="Server") for each in PAIR]
    mine = [replace(OWN[0], scenario="Server", value=145_000.0), replace(OWN[1], scenario="Server")]
    claim = gain(scenarios=("Offline", "Server"))

    assert checked(replace(claim, entries=()), *OWN, *mine).verdict == "only_in_some_scenarios"
    found = checked(claim, *OWN, *mine, *PAIR, *server)
    assert (found.verdict, found.reading) == ("confirmed", "footnote_entries")


def test_all_pairs_of_the_named_entries_are_told_where_they_decide():
    server = [replace(each, scenario="Server") for each in PAIR]
    mine = (replace(OWN[0], scenario="Server"), replace(OWN[1], scenario="Server"))
    best = [replace(each, submitter="NVIDIA") for each in PAIR]
    found = checked(gain(scenarios=("Offline", "Server")), *best, *mine, *server)

    assert (found.verdict, found.reading) == ("confirmed", "footnote_entries")
    assert shown(found) == [
        ("system", 45.0, True, ("6.1-0012", "6.1-0011")),
        ("system", 20.0, False, ("6.1-0021", "6.1-0020")),
        ("footnote_entries", 45.0, True, ("6.1-0012", "6.1-0011")),
        ("footnote_entries", 45.0, True, ("6.1-0012", "6.1-0011")),
    ]


def test_a_text_without_a_round_is_held_against_the_one_that_its_entries_are_of():
    older = [replace(each, round="v6.0", entry=f"6.0-{each.entry[-4:]}") for each in PAIR]
    claim = replace(gain(entries=("6.0-0012", "6.0-0011")), round=None)

    found = checked(claim, *OWN, *older)
    assert (found.verdict, {r.round for e in found.evidence for r in e.rows}) == ("confirmed", {"v6.0"})
    unheld = checked(replace(claim, entries=("6.0-0071", "6.0-0072")), *OWN, *older)
    assert {r.round for e in unheld.evidence for r in e.rows} == {"v6.1"}


def test_a_number_that_is_another_systems_bears_nothing_out_and_the_verdict_says_whose_it_is():
    renumbered = (replace(PAIR[0], entry="6.1-0040"), row("h200", 116_000.0, "6.1-0012", submitter="HPE"))
    found = checked(gain(), *OWN, *renumbered, PAIR[1])

    assert (found.verdict, found.reading) == ("contradicted", "system")
    assert "footnote_entries" not in {e.reading for e in found.evidence}
    assert found.reason == (
        "the entries that the text names are no pair of B300 and B200 in the rows held: 6.1-0012 is HPE's 8x h200, "
        "6.1-0011 is Supermicro's 8x b200"
    )


def test_numbers_that_no_row_has_lose_nothing_and_are_named():
    unnumbered = [replace(each, entry=None) for each in OWN]

    found = checked(gain(20.0, entries=("6.1-0071", "6.1-0072")), *OWN)
    assert (found.verdict, found.reading) == ("confirmed", "system")
    assert found.reason.endswith(
        "in the rows held: 6.1-0071 has no row of llama2-70b, 6.1-0072 has no row of llama2-70b"
    )
    assert checked(gain(20.0), *unnumbered).reason.endswith(
        "6.1-0012 is of a round of which no numbers are held, 6.1-0011 is of a round of which no numbers are held"
    )
    assert checked(gain(20.0, entries=tuple(f"6.1-00{n}" for n in range(71, 80))), *OWN).reason.endswith(
        ", and 5 more"
    )


def test_a_submitter_that_the_text_names_is_not_taken_for_another_by_a_number():
    found = checked(gain(submitter="NVIDIA"), *OWN, *PAIR, BEST)

    assert "footnote_entries" not in {e.reading for e in found.evidence}
    assert found.reason.startswith("the entries that the text names are no pair")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"accelerator_count": 16}, "other_count"),
        ({"division": "open"}, "other_division"),
        ({"availability": "rdi"}, "availability"),
    ],
)
def test_named_entries_of_unlike_rows_are_not_comparable(changes, reason):
    found = checked(gain(), *OWN, replace(PAIR[0], **changes), PAIR[1], BEST)

    assert (found.verdict, found.reading, found.reason) == ("not_comparable", "footnote_entries", reason)


def test_a_division_that_the_text_names_is_not_left_by_a_number():
    found = checked(gain(division="closed"), *OWN, replace(PAIR[0], division="open"), PAIR[1])

    assert "footnote_entries" not in {e.reading for e in found.evidence}


def test_per_accelerator_the_named_entries_are_divided_at_any_count():
    bigger = replace(PAIR[0], value=232_000.0, accelerator_count=16)
    for name in ("B300", "8x B300"):
        found = checked(gain(per_accelerator=True, subject_system=name), *OWN, bigger, PAIR[1], BEST)

        assert (found.verdict, found.reading) == ("confirmed", "footnote_entries")
        assert found.evidence[0].reading == "per_accelerator"
    assert "(232,000 / 16) / (80,000 / 8) tokens/s = 14,500 / 10,000 = 1.45x per accelerator" in (
        found.evidence[1].arithmetic
    )


def test_of_several_named_rows_of_a_side_the_pair_that_bears_the_claim_out_is_the_one_meant():
    rows = (
        *OWN,
        *PAIR,
        row("b200", 60_000.0, "6.1-0013", submitter="Lambda"),
        row("b200", 90_000.0, "6.1-0014"),
    )
    claim = gain(entries=("6.1-0012", "6.1-0011", "6.1-0013", "6.1-0014"))

    assert shown(checked(claim, *rows))[1:] == [("footnote_entries", 45.0, True, ("6.1-0012", "6.1-0011"))]
    assert shown(checked(replace(claim, value=60.0), *rows))[1][:2] == ("footnote_entries", 45.0)


def test_entries_of_two_rounds_are_each_of_their_own():
    claim = gain(
        50.0,
        subject_system="B300",
        baseline_system="B300",
        baseline_round="v6.0",
        entries=("6.1-0012", "6.0-0007"),
    )
    rows = (
        row("b300", 120_000.0, "6.1-0012"), row("b300", 80_000.0, "6.0-0007", round="v6.0", submitter="Dell"),
        row("b300", 100_000.0, "6.0-0008", round="v6.0"),
    )  # fmt: skip

    found = checked(claim, *rows)
    assert (found.verdict, found.reading) == ("confirmed", "footnote_entries")
    assert found.evidence[0].reading == "system"


def test_of_rows_with_one_value_the_named_entry_is_the_one_shown():
    twin = replace(PAIR[0], platform="aaa", entry="6.1-0050")
    claim = Claim(
        kind="absolute", value=116_000.0, qualifier="exact", subject_system="B300", benchmark="llama2-70b", round="v6.1",
        scenarios=("Offline",), unit="tokens/s", entries=("6.1-0012",),
    )  # fmt: skip

    for entries, arithmetic in (
        (("6.1-0012",), "Dell b300 x8 v6.1: 116,000 tokens/s (entry 6.1-0012)"),
        ((), "Dell b300 x8 v6.1: 116,000 tokens/s"),
    ):
        found = checked(replace(claim, entries=entries), *PAIR, twin)
        assert (found.verdict, found.evidence[0].arithmetic) == ("confirmed", arithmetic)
        assert found.evidence[0].rows[0].platform == (PAIR[0].platform if entries else "aaa")


# ------------------------------------------------------------------------------------------------ the real rows

POST = """<h1>What a rack does with a reasoning model</h1>
<p>MLPerf Inference v5.1 was the first round with DeepSeek-R1. Per GPU, GB300 NVL72 is 45% ahead of GB200 NVL72
in Offline and 25% ahead in Server.<sup>1</sup></p>
<p><sup>1</sup> MLPerf Inference v5.1, Closed, {}. Retrieved on 9 September 2025. A figure per GPU is not a primary metric.</p>"""


@pytest.fixture(scope="module")
def held(real: Path) -> tuple[Result, ...]:
    body = gzip.decompress((real / "mlperf" / "inference_v5.1_summary_results.json.gz").read_bytes())
    (table,) = read_table(body, name="v5.1", catalog=CATALOG)
    return table.results


def test_the_racks_of_v5_1_are_the_entries_that_the_footnote_names(held):
    claims = extract(POST.format("entries 5.1-0072 and 5.1-0071"), catalog=CATALOG)
    verdicts = [checked(claim, *held) for claim in claims]

    assert [(c.value, c.scenarios, c.per_accelerator, c.entries) for c in claims] == [
        (45.0, ("Offline",), True, ("5.1-0072", "5.1-0071")),
        (25.0, ("Server",), True, ("5.1-0072", "5.1-0071")),
    ]
    assert [(v.verdict, v.reading, v.reason) for v in verdicts] == [
        ("confirmed", "per_accelerator", None)
    ] * 2
    assert [shown(v) for v in verdicts] == [
        [("per_accelerator", 45.2, True, ("5.1-0072", "5.1-0071"))],
        [("per_accelerator", 24.9, True, ("5.1-0072", "5.1-0071"))],
    ]
    assert "= 5,842.5 / 4,023.8 = 1.45x per accelerator, +45.2 %" in verdicts[0].evidence[0].arithmetic
    assert "= 2,907.3 / 2,327.5 = 1.25x per accelerator, +24.9 %" in verdicts[1].evidence[0].arithmetic


OTHERS = """<p>On Llama 2 70B in Offline, B200 gives 2.25x the throughput of H200.*</p><p>* MLPerf Inference v5.1, Closed, {}.</p>"""


def test_what_only_two_other_submitters_rows_bear_out_is_found_by_their_numbers(held):
    (claim,) = extract(OTHERS.format("entries 5.1-0047, 5.1-0079"), catalog=CATALOG)
    found = checked(claim, *held)
    (holding,) = (e for e in found.evidence if e.holds)

    assert (found.verdict, found.reading, found.reason) == ("confirmed", "footnote_entries", None)
    assert [row.submitter for row in holding.rows] == ["Google", "Quanta_Cloud_Technology"]
    assert "78,464 / 34,876 tokens/s = 2.25x (entries 5.1-0047 and 5.1-0079;" in holding.arithmetic
    assert (found.evidence[0].reading, found.evidence[0].holds) == ("system", False)


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        ("no entries", None),
        ("entries 5.1-0047, 5.1-0006", "5.1-0047 is Google's 8x b200, 5.1-0006 is ASUSTeK's 8x mi325x"),
    ],
)
def test_without_those_two_numbers_no_rows_bear_it_out(held, note, reason):
    (claim,) = extract(OTHERS.format(note), catalog=CATALOG)
    found = checked(claim, *held)

    assert (found.verdict, found.reading) == ("contradicted", "system")
    assert (found.reason or "").rpartition(": ")[2] == (reason or "")
    assert not any(e.holds for e in found.evidence)
