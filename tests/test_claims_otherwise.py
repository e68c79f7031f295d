"""Values that no row of their system has: said of another count, round or machine before they are called wrong."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.test_claims_chosen import CATALOG, PUBLISHED, row
from watcher.claims import check, extract
from watcher.claims.printed import bears_out
from watcher.domain import Claim, Result

RACKS = (
    row("gb300", 679_740.0, accelerator_count=72, submitter="NVIDIA", system="gb300-nvl72"),
    row("gb300", 2_705_130.0, accelerator_count=288, submitter="NVIDIA"),
    row("gb300", 640_110.0, accelerator_count=72, submitter="NVIDIA", system="gb300-nvl72", round="v6.0"),
    row("mi355x", 121_818.0, submitter="AMD"),
)


def value(number: float, **fields) -> Claim:
    given = {
        "kind": "absolute", "qualifier": "exact", "subject_system": "GB300 NVL72", "benchmark": "llama2-70b", "round": "v6.1",
        "scenarios": ("Offline",), "unit": "tokens/s",
    }  # fmt: skip
    return Claim(value=number, **{**given, **fields})


def verdict(claim: Claim, *rows: Result) -> tuple[str, str | None]:
    found = check(claim, rows, catalog=CATALOG)
    return found.verdict, found.reason


@pytest.mark.parametrize("said", ["With 288 GPUs", "On four racks", "Four GB300 NVL72 racks in a row"])
def test_what_several_racks_make_is_confirmed_where_the_text_counts_them(said):
    quote = f"{said} it makes 2,705,130 tokens/s."
    assert verdict(value(2_705_130.0, quote=quote), *RACKS) == ("confirmed", None)


def test_what_several_racks_make_is_no_single_racks():
    claim = value(2_705_130.0, quote="One GB300 NVL72 rack makes 2,705,130 tokens/s.")

    assert verdict(claim, *RACKS) == ("not_comparable", "other_count")
    assert verdict(replace(claim, value=3_516_669.0), *RACKS) == ("contradicted", None)


def test_a_value_per_accelerator_is_one_of_any_count():
    claim = value(9393.0, per_accelerator=True, quote="9,393 tokens/s per GPU")

    assert verdict(claim, *RACKS) == ("confirmed", None)
    assert verdict(replace(claim, accelerator_count=72), *RACKS) == ("not_comparable", "other_count")


def test_the_value_of_the_round_before_is_of_another_round():
    assert verdict(value(640_110.0, quote="GB300 NVL72: 640,110 tokens/s"), *RACKS) == (
        "not_comparable",
        "other_round",
    )


def test_a_value_of_another_machine_that_the_sentence_names_too_is_left_open():
    told = (
        "the value is that of AMD mi355x x8 v6.1, Offline; which system the text means by it cannot be told"
    )
    both = value(121_818.0, quote="GB300 NVL72 and MI355X: 679,740 and 121,818 tokens/s")
    neither = value(121_818.0, quote="There it is 121,818 tokens/s.")
    its_own_beside = value(
        121_818.0, quote="It is 679,740 tokens/s for the GB300 NVL72, 121,818 for the other."
    )

    assert [verdict(claim, *RACKS) for claim in (both, neither, its_own_beside)] == [("not_found", told)] * 3


def test_a_value_under_another_machines_name_alone_is_wrong():
    claim = value(121_818.0, quote="GB300 NVL72 makes 121,818 tokens/s.")
    assert verdict(claim, *RACKS) == ("contradicted", "the value is that of AMD mi355x x8 v6.1, Offline")


def test_blackwell_ultra_is_blackwell_too():
    claim = value(679_740.0, subject_system="Blackwell", quote="Blackwell makes 679,740 tokens/s.")
    assert verdict(claim, *RACKS, row("b200", 90_000.0)) == ("confirmed", None)


def test_tables_print_six_digits_so_a_longer_value_may_end_in_zeros():
    assert bears_out(value(1_183_330.0), 1_183_326.9)
    assert not bears_out(value(1_183_331.0), 1_183_326.9)
    assert not bears_out(value(183_330.0), 183_326.9)


def test_a_short_name_is_found_where_it_stands_alone():
    rows = (row("b200", 90_000.0, platform="A4-high"), row("b200", 80_000.0, platform="GA4X"))
    claim = value(80_000.0, subject_system="A4", quote="A4 makes 80,000 tokens/s.")

    assert verdict(claim, *rows)[0] == "contradicted"
    assert verdict(claim, rows[1])[0] == "not_found"


def test_a_first_among_those_that_the_tables_do_not_tell_is_left_open():
    rows = (row("rtx-pro-6000", 1000.0, submitter="HPE"), row("b300", 9000.0))
    claim = Claim(
        kind="rank_or_first", value=1.0, qualifier=None, subject_system="RTX PRO 6000", benchmark="llama2-70b", round="v6.1", scenarios=("Offline",),
        quote="RTX PRO 6000 leads all other PCIe cards.", submitter="HPE",
    )  # fmt: skip
    faster = row("rtx-pro-6000", 1100.0)

    assert verdict(claim, *rows, faster) == (
        "not_found",
        "the tables do not tell which systems are meant by 'PCIe'",
    )
    assert verdict(replace(claim, quote="RTX PRO 6000 leads."), *rows, faster)[0] == "contradicted"


def test_a_first_among_the_same_accelerators_in_every_scenario_is_more_than_one_of_all_in_some():
    rows = [
        row("mi355x", 1000.0, scenario="Offline"), row("b300", 1100.0, scenario="Offline"),
        row("mi355x", 900.0, scenario="Server"), row("mi355x", 800.0, scenario="Server", submitter="HPE"),
    ]  # fmt: skip
    claim = Claim(
        kind="rank_or_first", value=1.0, qualifier=None, subject_system="MI355X", benchmark="llama2-70b", round="v6.1", scenarios=("Offline", "Server"),
        quote="first in both columns",
    )  # fmt: skip
    found = check(claim, rows, catalog=CATALOG)

    assert (found.verdict, found.reading) == ("confirmed", "same_count")


COUNTED = [
    ("Four GB300 racks make 2,705,130 tokens/s on DeepSeek-R1 Offline.", [("GB300 NVL72", None)]),
    ("Nine nodes of eight MI355X give 1,039,900 tokens/s on gpt-oss-120b Offline and one node gives 121,818.", [("72x MI355X", 72), ("8x MI355X", 8)]),
    ("On gpt-oss-120b Offline one B300 from VibeHPC gave 14,131 tokens/s; CoreWeave's eight gave 112,840.", [("1x B300", 1), ("8x B300", 8)]),
    ("<p>Crusoe's 512 MI355X made 5,392,930 tokens/s on gpt-oss-120b Server. AMD's own 72-chip cluster shows 964,468 on the same test.</p>",
     [("512x MI355X", 512), ("72x MI355X", 72)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "named"), COUNTED)
def test_a_count_that_leads_to_a_value_is_its_own_and_the_published_rows_have_it(text, named):
    claims = extract(text, catalog=CATALOG, round="v6.1")

    assert [(claim.subject_system, claim.accelerator_count) for claim in claims] == named
    assert {check(claim, PUBLISHED, catalog=CATALOG).verdict for claim in claims} == {"confirmed"}


@pytest.mark.parametrize(
    ("said", "baseline_round"),
    [("28% up on April", "v6.0"), ("up 28% on last spring", "v6.0"), ("28% up on the XE9680", None)],
)
def test_up_on_april_is_over_the_round_before(said, baseline_round):
    text = f"Our PowerEdge XE9785L makes 117,804 tokens/s on gpt-oss-120b Offline in v6.1, {said}."
    found = extract(text, catalog=CATALOG, round="v6.1")

    assert [c.baseline_round for c in found if c.kind == "percent_gain"] == [baseline_round]
