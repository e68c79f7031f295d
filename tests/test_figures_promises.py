"""What became of preview rows."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.figure_rows import catalog, latency, real_results, row
from watcher.catalog.entries import Round
from watcher.domain import Power, Result
from watcher.figures.filters import Filter
from watcher.figures.promises import Promise, floor, promises

ROUNDS = (
    Round(suite="inference", name="v6.0", published_on=date(2026, 4, 1), expected=None, source="commits"),
    Round(suite="inference", name="v6.1", published_on=date(2026, 9, 16), expected=None, source="commits"),
    Round(suite="inference", name="v7.0", published_on=None, expected=date(2027, 3, 31), source="estimate"),
)
PREVIEW = row(round="v6.0", availability="preview", value=1000.0)
OTHER = row(submitter="Dell", platform="XE", value=5.0)  # somebody else's row: v6.1 has this benchmark


def kept(*rows: Result, preview: Result = PREVIEW, rounds: tuple[Round, ...] = ROUNDS) -> Promise:
    (found,) = (made for made in promises([preview, *rows], rounds) if made.preview == preview)
    return found


def back(value: float, **changes: Any) -> Result:
    return replace(PREVIEW, **{"round": "v6.1", "availability": "available", "value": value, **changes})


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (1500, "improved"),
        (1020.1, "improved"),
        (1020, "kept"),
        (1000, "kept"),
        (980, "kept"),
        (979.9, "short"),
    ],
)
def test_a_preview_is_back_within_two_hundredths_or_better_or_short(value: float, outcome: str):
    found = kept(back(float(value)))

    assert (found.outcome, found.returned, found.ratio) == (outcome, back(float(value)), value / 1000)


def test_a_promise_tells_its_day_its_round_and_its_floor():
    found = kept(back(1005.0))

    assert (found.earliest, found.due, found.floor) == (date(2026, 8, 19), "v6.1", 980.0)
    assert found.reason == "available in v6.1 with +0.5%"


def test_of_a_latency_the_floor_is_longer_and_a_shorter_one_is_an_improvement():
    preview = latency(round="v6.0", availability="preview", value=9.8)
    found = kept(replace(preview, round="v6.1", availability="available", value=4.9), preview=preview)

    assert (floor(preview), found.outcome, found.ratio) == (pytest.approx(10.0), "improved", 2.0)


def test_a_promise_is_open_until_its_round_is_held():
    found = kept()

    assert (found.outcome, found.due, found.reason) == ("open", "v6.1", "v6.1 is not held")


def test_a_promise_of_the_newest_round_waits_for_one_that_is_not_known_yet():
    found = kept(preview=replace(PREVIEW, round="v7.0"))

    assert (found.outcome, found.due, found.earliest) == ("open", None, date(2027, 8, 18))


def test_a_round_that_comes_too_soon_does_not_count_but_may_keep_the_promise():
    soon = Round(suite="inference", name="v6.0.5", published_on=date(2026, 6, 1), expected=None, source="x")
    rounds = (*ROUNDS, soon)

    assert kept(replace(OTHER, round="v6.0.5"), rounds=rounds).due == "v6.1"
    assert kept(back(1000.0, round="v6.0.5"), rounds=rounds).outcome == "kept"


def test_a_round_without_its_row_makes_it_late_even_if_a_later_one_has_it():
    never, after = kept(OTHER), kept(OTHER, back(1000.0, round="v7.0"))

    assert (never.outcome, never.returned, never.reason) == ("late", None, "v6.1 has no available row of it")
    assert (after.outcome, after.ratio) == ("late", 1.0)
    assert after.reason == "v6.1 has no available row of it; it came back in v7.0"


def test_a_benchmark_that_is_gone_binds_nobody():
    other = replace(OTHER, accuracy_target="99.9")
    preview = replace(PREVIEW, accuracy_target="99", benchmark="llama2-70b")
    found = kept(replace(other, benchmark="llama2-70b"), preview=preview)

    assert (found.outcome, found.reason) == ("void", "v6.1 has no row of llama2-70b at 99 % in Offline")


@pytest.mark.parametrize(
    "changes",
    [
        {"availability": "preview"},
        {"submitter": "Dell", "organisations": ("Dell",)},
        {"accelerator_count": 36},
        {"accelerator": "gb200", "accelerators": ("gb200",)},
        {"scenario": "Server"},
        {"division": "open"},
        {"suite": "unofficial"},
    ],
)
def test_another_system_submitter_or_category_keeps_no_promise(changes: dict[str, Any]):
    assert kept(back(1000.0, **changes), OTHER).outcome == "late"


def test_another_platform_name_of_the_same_machine_keeps_it_and_the_own_one_goes_first():
    renamed = back(1500.0, platform="GB300 rack")

    assert kept(renamed).returned == renamed
    assert kept(renamed, back(1000.0)).returned == back(1000.0)


def test_the_submitters_spelling_does_not_matter():
    assert kept(back(1000.0, submitter="nvidia corp", organisations=("NVIDIA",))).outcome == "kept"


def test_a_system_of_processors_is_known_by_its_platform_or_processor():
    preview = replace(
        PREVIEW, accelerator=None, accelerators=(), accelerator_count=None, processor="Example CPU 9"
    )
    again = replace(preview, round="v6.1", availability="available", platform="renamed")

    assert kept(again, preview=preview).outcome == "kept"
    assert kept(replace(again, processor="Example CPU 8"), preview=preview).outcome == "late"


def test_with_measured_power_the_performance_per_watt_counts():
    preview = replace(PREVIEW, power=(Power("measured", 500.0, "W"),))
    found = kept(back(1000.0, power=(Power("measured", 1.0, "kW"),)), preview=preview)
    without = kept(back(1000.0), preview=preview)

    assert (found.outcome, found.ratio, found.floor) == ("short", 0.5, None)
    assert (without.outcome, without.reason) == (
        "short",
        "v6.1 has no measured power to compare with the preview's",
    )


@pytest.mark.parametrize(
    ("count", "minutes", "outcome"),
    [(144, 9.0, "improved"), (144, 11.0, "short"), (36, 18.0, "improved"), (36, 21.0, "short")],
)
def test_training_may_come_back_larger_and_faster_or_smaller_and_more_efficient(
    count: int, minutes: float, outcome: str
):
    training = {"suite": "training", "scenario": None, "unit": "minutes", "better": "lower"}
    preview = replace(PREVIEW, **training, value=10.0)
    rounds = tuple(replace(entry, suite="training") for entry in ROUNDS)
    returned = replace(
        preview,
        round="v6.1",
        availability="available",
        value=minutes,
        accelerator_count=count,
        platform="other",
    )

    assert kept(returned, preview=preview, rounds=rounds).outcome == outcome


def test_endpoints_has_its_own_rules_and_makes_no_promise_here():
    assert promises([replace(PREVIEW, suite="endpoints")], ROUNDS) == ()


def test_the_filter_chooses_promises_and_not_where_they_come_back():
    rows = [PREVIEW, back(1000.0), replace(PREVIEW, submitter="Dell", organisations=("Dell",), platform="XE")]
    found = promises(rows, ROUNDS, Filter(submitter=("NVIDIA",), round=("v6.0",)))

    assert [(p.preview.submitter, p.outcome) for p in found] == [("NVIDIA", "kept")]


def test_rounds_without_dates_follow_each_other_by_number():
    found = kept(back(1000.0), rounds=())

    assert (found.outcome, found.due, found.earliest) == ("kept", "v6.1", None)


# ---------------------------------------------------------------------------------------------- real tables


def test_of_intels_nine_previews_seven_came_back_and_two_stood_on_a_dropped_benchmark(real: Path):
    found = promises(real_results(real), catalog().rounds(), Filter(submitter=("Intel",)))
    told = {(p.preview.benchmark, p.preview.accuracy_target, p.preview.scenario): p.outcome for p in found}

    assert told == {
        ("gpt-oss-120b", None, "Offline"): "improved",
        ("gpt-oss-120b", None, "Server"): "improved",
        ("llama2-70b", "99", "Offline"): "void",
        ("llama2-70b", "99", "Server"): "void",
        ("llama2-70b", "99.9", "Offline"): "kept",
        ("llama2-70b", "99.9", "Server"): "improved",
        ("llama3.1-8b", None, "Offline"): "kept",
        ("llama3.1-8b", None, "Server"): "kept",
        ("whisper", None, "Offline"): "kept",
    }


def test_the_rubin_rows_wait_for_the_round_after_140_days(real: Path):
    found = promises(real_results(real), catalog().rounds(), Filter(round=("v6.1",)))
    server = next(
        p
        for p in found
        if (p.preview.submitter, p.preview.benchmark, p.preview.scenario)
        == ("NVIDIA", "deepseek-r1", "Server")
    )

    assert Counter(p.outcome for p in found) == {"open": 8}
    assert (round(server.floor or 0), server.earliest, server.due) == (1152372, date(2027, 2, 3), "v7.0")
