"""The place of a row among comparable ones."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.figure_rows import catalog, latency, real_results, row
from watcher.domain import Result
from watcher.figures.cells import median
from watcher.figures.filters import Filter
from watcher.figures.rank import Rank, passed, ranks
from watcher.figures.vendor import vendors

VENDORS = {("gb300", "NVIDIA")}
NVIDIA = row(value=100.0)
DELL = row(submitter="Dell", platform="XE", value=120.0)
CISCO = row(submitter="Cisco", platform="C8", value=80.0)
THREE = [NVIDIA, DELL, CISCO]


def places(found: tuple[Rank, ...]) -> list[tuple[str, int, int]]:
    return [(rank.result.submitter, rank.place, rank.of) for rank in found]


def test_rows_of_one_machine_are_ranked_best_first():
    assert places(ranks(THREE, VENDORS)) == [("Dell", 1, 3), ("NVIDIA", 2, 3), ("Cisco", 3, 3)]


def test_a_rank_tells_how_far_it_is_from_the_best_the_middle_and_the_vendor():
    last = ranks(THREE, VENDORS)[-1]

    assert (last.best, last.median, last.vendor) == (DELL, 100.0, NVIDIA)
    assert (last.to_best, last.to_median, last.to_vendor) == (pytest.approx(80 / 120), 0.8, 0.8)
    assert last.ahead == (DELL, NVIDIA)


def test_of_latencies_the_smallest_is_first_and_a_gap_under_one_still_means_worse():
    found = ranks([latency(value=8.0), latency(submitter="Dell", value=4.0)], VENDORS)

    assert places(found) == [("Dell", 1, 2), ("NVIDIA", 2, 2)]
    assert (found[1].to_best, found[0].to_vendor, found[0].to_median) == (0.5, 2.0, 1.5)


def test_equal_rows_share_a_place_and_the_next_one_is_counted_on():
    equal = replace(DELL, value=100.0)

    assert places(ranks([NVIDIA, equal, CISCO], VENDORS)) == [
        ("Dell", 1, 3),
        ("NVIDIA", 1, 3),
        ("Cisco", 3, 3),
    ]


def test_a_submitter_is_ranked_among_all_and_not_among_its_own():
    found = ranks(THREE, VENDORS, Filter(submitter=("cisco",)))

    assert places(found) == [("Cisco", 3, 3)]


def test_other_filters_narrow_the_company_too():
    preview = replace(DELL, availability="preview")

    assert places(ranks([NVIDIA, preview, CISCO], VENDORS, Filter(availability=("available",)))) == [
        ("NVIDIA", 1, 2),
        ("Cisco", 2, 2),
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"round": "v6.0"},
        {"division": "open"},
        {"scenario": "Server"},
        {"benchmark": "gpt-oss-120b"},
        {"accuracy_target": "99.9"},
        {"accelerator": "gb200", "accelerators": ("gb200",)},
        {"accelerator_count": 36},
        {"unit": "samples/s"},
        {"system_type": ("edge",)},
    ],
)
def test_a_row_of_another_kind_is_no_company(changes: dict[str, object]):
    other = replace(DELL, **changes)

    assert {rank.of for rank in ranks([NVIDIA, other], VENDORS)} == {1}


@pytest.mark.parametrize(
    "changes",
    [
        {"accelerator": None, "accelerators": ()},
        {"accelerator_count": None},
        {"accelerators": ("gb300", "h200")},
        {"value": 0.0},
        {"value": float("nan")},
        {"suite": "unofficial"},
    ],
)
def test_a_row_that_no_figure_can_stand_on_has_no_rank(changes: dict[str, object]):
    assert places(ranks([NVIDIA, replace(DELL, **changes)], VENDORS)) == [("NVIDIA", 1, 1)]


def test_a_joint_submission_of_the_vendor_is_not_its_own_row():
    joint = row(submitter="NVIDIA+Dell", organisations=("NVIDIA", "Dell"), platform="J", value=150.0)
    found = ranks([joint, CISCO], VENDORS)

    assert {rank.vendor for rank in found} == {None}
    assert {rank.to_vendor for rank in found} == {None}


def test_a_row_of_two_system_types_is_ranked_in_both():
    found = ranks([replace(NVIDIA, system_type=("datacenter", "edge")), DELL], VENDORS)

    assert [(rank.result.submitter, rank.system_type, rank.place, rank.of) for rank in found] == [
        ("Dell", "datacenter", 1, 2),
        ("NVIDIA", "datacenter", 2, 2),
        ("NVIDIA", "edge", 1, 1),
    ]


def test_a_row_that_stands_far_from_its_like_is_flagged():
    far = replace(CISCO, value=20.0)

    assert "0.18x the median" in " ".join(ranks([NVIDIA, DELL, far], VENDORS)[-1].care)


# ---------------------------------------------------------------------------------------------- being passed


def test_somebody_who_gets_ahead_of_me_has_passed_me():
    before = ranks([NVIDIA, CISCO], VENDORS)
    after = ranks([NVIDIA, CISCO, DELL], VENDORS)

    assert [
        (p.after.result.submitter, p.before.place, p.after.place, p.by) for p in passed(before, after)
    ] == [
        ("NVIDIA", 1, 2, (DELL,)),
        ("Cisco", 2, 3, (DELL,)),
    ]


def test_a_correction_of_my_own_row_may_let_others_pass():
    fallen = replace(NVIDIA, value=70.0)

    assert [
        (p.after.result, p.by) for p in passed(ranks(THREE, VENDORS), ranks([fallen, DELL, CISCO], VENDORS))
    ] == [(fallen, (CISCO,))]


def test_nobody_is_passed_by_a_row_that_leaves_or_by_being_new():
    before, fewer = ranks(THREE, VENDORS), ranks([NVIDIA, CISCO], VENDORS)

    assert passed(before, fewer) == ()
    assert passed((), before) == ()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.randoms())
def test_places_follow_the_values_in_any_order(values: list[int], chance):
    rows = [row(submitter=f"S{n}", platform=f"P{n}", value=float(value)) for n, value in enumerate(values)]
    shuffled = list(rows)
    chance.shuffle(shuffled)
    found = ranks(shuffled, VENDORS)

    assert found == ranks(rows, VENDORS)
    assert [rank.place for rank in found] == [
        1 + sum(other > value for other in values) for value in sorted(values, reverse=True)
    ]


# ---------------------------------------------------------------------------------------------- real tables


def b300(rows: tuple[Result, ...]) -> tuple[Rank, ...]:
    where = Filter(round=("v6.1",), benchmark=("deepseek-r1",), scenario=("Server",), accelerator=("b300",))
    return tuple(
        rank
        for rank in ranks(rows, vendors(catalog()), where)
        if (rank.result.accelerator_count, rank.result.division) == (8, "closed")
    )


def test_on_eight_b300_thirteen_rows_of_deepseek_r1_server_are_ranked_and_nvidias_is_eighth(real: Path):
    found = b300(real_results(real, "v6.1"))
    nvidia = next(rank for rank in found if rank.result.submitter == "NVIDIA")

    assert (len(found), found[0].result.submitter, found[0].result.value) == (13, "GigaComputing", 70771.7)
    assert [rank.of for rank in found] == [13] * 13
    assert (nvidia.place, nvidia.to_vendor) == (8, 1.0)
    assert (nvidia.median, round(nvidia.to_best, 4)) == (60745.5, 0.8459)


@given(st.lists(st.floats(min_value=1e-9, max_value=1e12) | st.integers(min_value=0), min_size=1))
def test_a_median_is_the_one_that_statisticians_take(values):
    assert median(values) == statistics.median(values)
