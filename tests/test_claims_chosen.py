"""Which rows a comparison may have been made of, where the best rows do not bear it out."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests import claim_rows
from watcher import archive
from watcher.catalog.names import load
from watcher.claims import check, extract
from watcher.domain import Claim, Result, Verdict

CATALOG = load()
PUBLISHED = tuple(row for suite, number in archive.rounds() for row in archive.load(suite, number).results)


def row(accelerator: str, value: float, submitter: str = "Dell", **fields) -> Result:
    return claim_rows.row(
        accelerator, value, submitter=submitter, organisations=tuple(submitter.split("_")), **fields
    )


def ratio(value: float, **fields) -> Claim:
    given = {
        "kind": "ratio", "qualifier": "exact", "subject_system": "B300", "baseline_system": "B200", "benchmark": "llama2-70b", "round": "v6.1",
        "scenarios": ("Offline",), "decimals": 1,
    }  # fmt: skip
    return Claim(value=value, **{**given, **fields})


def verdict(claim: Claim, *rows: Result) -> tuple[str, str | None, str | None]:
    found = check(claim, rows, catalog=CATALOG)
    return found.verdict, found.reading, found.reason


def published(text: str, round_: str) -> list[Verdict]:
    return [
        check(claim, PUBLISHED, catalog=CATALOG) for claim in extract(text, catalog=CATALOG, round=round_)
    ]


ROWS = (
    row("b300", 1500.0, submitter="HPE"),
    row("b200", 1000.0, submitter="HPE"),
    row("b300", 1200.0, submitter="Oracle"),
    row("b200", 600.0, submitter="Oracle"),
    row("b200", 500.0, submitter="Cisco"),
)


def test_a_pair_of_one_submitter_is_like_for_like_whoever_has_the_best_row():
    assert verdict(ratio(2.0), *ROWS) == ("confirmed", "system", None)
    assert verdict(ratio(1.5), *ROWS) == ("confirmed", "same_count", None)
    assert verdict(ratio(1.5), *ROWS, row("b300", 2000.0, submitter="Nebius")) == (
        "confirmed",
        "chosen_rows",
        None,
    )


def test_any_row_of_a_submitter_that_the_text_names_may_be_meant():
    assert verdict(ratio(2.4, submitter="Oracle"), *ROWS) == ("confirmed", "chosen_rows", None)
    assert verdict(ratio(2.4), *ROWS) == ("contradicted", "system", None)


def test_two_rows_that_an_organisation_has_a_part_in_are_a_pair_in_two_modes():
    rows = (row("h200", 1000.0, platform="bare"), row("h200", 976.0, submitter="Dell_Broadcom"))
    kept = ratio(0.976, decimals=3, subject_system="H200", baseline_system="H200")

    assert verdict(kept, *rows) == ("confirmed", "chosen_rows", None)


def test_a_mode_that_no_two_rows_bear_out_is_not_called_wrong():
    rows = (row("h200", 1000.0, platform="a"), row("h200", 976.0, platform="b"))
    found = verdict(ratio(0.5, subject_system="H200", baseline_system="H200"), *rows)

    assert found == (
        "not_found",
        None,
        "H200 is compared with itself, and which of its rows are meant cannot be told",
    )


def test_the_same_name_twice_without_a_round_may_be_the_round_before():
    rows = (row("b300", 1500.0), row("b300", 1000.0, round="v6.0"))
    claim = ratio(1.5, baseline_system="B300", quote="B300 throughput went up 1.5x.")

    assert verdict(claim, *rows) == ("confirmed", "other_round", None)
    assert verdict(replace(claim, quote="Cooled, B300 is 1.5x as fast."), *rows)[0] == "not_found"


def test_the_rows_whose_values_stand_beside_a_multiple_are_meant():
    rows = (*ROWS, row("b300", 1800.0, submitter="Lambda"), row("b200", 720.4, submitter="Azure"))
    quote = "B300 makes 1,200.0 tokens/s against 720.4 of B200, 1.67x."

    assert verdict(ratio(1.67, decimals=2, quote=quote), *rows) == ("confirmed", "chosen_rows", None)
    assert verdict(ratio(1.67, decimals=2, quote="B300 is 1.67x B200."), *rows)[0] == "contradicted"


def test_the_quotient_of_two_other_systems_that_stand_beside_it_is_left_open():
    rows = (*ROWS, row("mi355x", 1230.4, submitter="AMD"), row("mi325x", 360.2, submitter="AMD"))
    quote = "The newer card makes 1,230.4 tokens/s and the older one 360.2, 3.42x."
    word, _, reason = verdict(ratio(3.42, decimals=2, quote=quote), *rows)

    assert (word, verdict(ratio(3.9, quote=quote), *rows)[0]) == ("not_found", "contradicted")
    assert reason == (
        "the two values beside it are those of AMD mi355x x8 v6.1 and AMD mi325x x8 v6.1; which systems are meant cannot be told"
    )


def test_counts_that_the_text_gives_are_compared_and_said_to_be_unlike():
    rows = (row("mi350x", 1590.0, accelerator_count=16, submitter="Cisco"), row("mi350x", 783.0, submitter="Cisco"), row("mi350x", 800.0))  # fmt: skip
    claim = ratio(
        2.03, decimals=2, subject_system="16x MI350X", baseline_system="8x MI350X", accelerator_count=16
    )

    assert verdict(claim, *rows) == ("not_comparable", "best_of_any", "other_count")


def test_per_accelerator_a_rack_may_be_held_against_the_larger_cluster():
    rows = (
        row("gb300", 7200.0, accelerator_count=72, submitter="NVIDIA"),
        row("mi355x", 640.0, submitter="AMD"),
        row("mi355x", 1000.0, accelerator_count=16, submitter="AMD"),
    )
    claim = ratio(1.6, subject_system="GB300", baseline_system="MI355X", per_accelerator=True)

    assert verdict(claim, *rows) == ("confirmed", "per_accelerator", None)


def test_an_efficiency_may_be_over_the_smaller_system_of_another():
    rows = (
        row("mi355x", 4800.0, accelerator_count=512, submitter="Crusoe"),
        row("mi355x", 100.0, submitter="AMD"),
    )
    claim = Claim(
        kind="scaling_efficiency", value=75.0, qualifier="exact", subject_system="512x MI355X", benchmark="llama2-70b", round="v6.1",
        scenarios=("Offline",), accelerator_count=512,
    )  # fmt: skip
    found = check(claim, rows, catalog=CATALOG)

    assert (found.verdict, found.reading) == ("confirmed", "chosen_rows")
    assert "(Crusoe against AMD v6.1, 8 to 512 accelerators)" in found.evidence[0].arithmetic
    assert check(replace(claim, value=90.0), rows, catalog=CATALOG).verdict == "not_found"


@pytest.mark.parametrize(
    ("text", "round_", "words"),
    [
        ("Under ESXi the H200 of Dell's PowerEdge XE9680 keep 97.6% of what the XE9680 gives on bare metal on Llama 2 70B Offline.", "v5.1", "confirmed"),
        ("Capped at 1,000 W, Dell's XE9785 holds 84% of its uncapped Llama 2 70B Offline throughput.", "v6.0", "confirmed"),
        ("Capped at 1,000 W, Dell's XE9785 holds 61% of its uncapped Llama 2 70B Offline throughput.", "v6.0", "not_found"),
        ("GB300 NVL72 is 28% ahead of GB200 NVL72 on DeepSeek-R1 Offline.", "v6.1", "confirmed"),
        ("GB300 NVL72 is 48% ahead of GB200 NVL72 on DeepSeek-R1 Offline.", "v6.1", "contradicted"),
        ("In the open division eight MI355X nodes keep 87% scaling efficiency over one on Llama 2 70B Offline.", "v5.1", "confirmed"),
    ],
)  # fmt: skip
def test_published_rows_are_chosen_as_their_submitters_chose_them(text, round_, words):
    assert [found.verdict for found in published(text, round_)] == [words]


def test_chosen_rows_in_one_scenario_alone_hold_in_some():
    rows = [
        replace(each, scenario=scenario, value=each.value * (1.0 if scenario == "Offline" else factor))
        for each in ROWS
        for scenario, factor in (("Offline", 1.0), ("Server", 1.3 if each.accelerator == "b300" else 1.0))
    ]
    claim = ratio(2.4, submitter="Oracle", scenarios=())

    assert verdict(claim, *rows) == ("only_in_some_scenarios", "chosen_rows", None)
    assert verdict(replace(claim, qualifier="up_to"), *rows)[0] == "confirmed"
