"""Numbers, units and names as people write them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from tests.messages import gb300, row
from watcher.render import words


@pytest.mark.parametrize(
    ("values", "least", "expected"),
    [
        ([1306.61, 349.29], 0, ["1,307", "349"]),
        ([1183.3, 679.74, 253.5], 1, ["1,183.3", "679.7", "253.5"]),
        ([22.55, 5.6], 0, ["22.55", "5.60"]),
        ([0.0589, 0.4], 0, ["0.0589", "0.4000"]),
        ([12.0, None], 0, ["12.0", "–"]),
        ([], 0, []),
    ],
)
def test_a_column_has_equal_decimals_and_about_four_digits(
    values: list[float | None], least: int, expected: list[str]
):
    assert words.column(values, least) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (1175890.22, 1175891.9, ("1,175,890", "1,175,892")),
        (1175890.22, 1175890.31, ("1,175,890.2", "1,175,890.3")),
        (516.012, 516.0121, ("516.0120", "516.0121")),
        (2.0, 2.0, ("2", "2")),
    ],
)
def test_two_values_are_written_with_as_many_digits_as_tell_them_apart(
    before: float, after: float, expected: tuple[str, str]
):
    assert words.apart(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (100, 101.3, "+1.3 %"),
        (100, 50, "-50.0 %"),
        (1e6, 1e6 + 0.3, "+0.00003 %"),
        (1, 10, "more than ten times"),
        (0, 5, ""),
    ],
)
def test_a_move_is_a_percentage_that_never_reads_as_none(before: float, after: float, expected: str):
    assert words.move(before, after) == expected


def test_small_words():
    assert [words.ratio(3.7407), words.ratio(0.004), words.percent(0.2897), words.percent(0.995, 1)] == [
        "3.74x", "0.004x", "29 %", "99.5 %",
    ]  # fmt: skip
    assert [words.plural(1, "row"), words.plural(1448, "row"), words.plural(2, "entry", "entries")] == [
        "1 row", "1,448 rows", "2 entries",
    ]  # fmt: skip
    assert [words.joined("abc"), words.joined("a"), words.joined([]), words.joined("abcdef", limit=2)] == [
        "a, b and c", "a", "", "a, b and 4 more",
    ]  # fmt: skip
    assert [words.small(0), words.small(6), words.small(13)] == ["no", "six", "13"]
    assert [words.span(40), words.span(7200), words.span(86_400 * 3)] == ["40 seconds", "2 hours", "3 days"]


def test_days_and_moments():
    assert words.day(date(2026, 9, 6)) == "6 September 2026"
    assert words.moment(datetime(2026, 9, 16, 15, 5, tzinfo=UTC)) == "16 September 2026, 15:05 UTC"


def test_systems_are_named_as_people_write_them():
    cpu = row(
        accelerator=None,
        accelerators=(),
        accelerator_count=None,
        system=None,
        processor="Intel(R) Xeon(R) 6980P",
        nodes=1,
    )
    mixed = row(accelerator=None, accelerators=("mi300x", "mi325x"), system=None, accelerator_count=16)
    part = row(system=None, accelerator_count=36)
    assert [words.system(one) for one in (row(), gb300(), part, cpu, mixed)] == [
        "Vera Rubin NVL72", "GB300 NVL72", "36 Vera Rubin", "Intel Xeon 6980P", "16 MI300X + MI325X",
    ]  # fmt: skip
    assert [words.size(one) for one in (row(), cpu, row(accelerator_count=None), row(accelerator_count=1))] == [
        "72 accelerators", "CPU only", "accelerator count not stated", "1 accelerator",
    ]  # fmt: skip


def test_names_that_the_catalog_does_not_have_stay_as_published():
    assert words.benchmark(row(benchmark="some-new-model", accuracy_target="99.9")) == "some-new-model 99.9"
    assert words.suite_round("training", "v5.1") == "MLPerf Training v5.1"
    assert words.submitter(row(submitter="Quanta_Cloud_Technology")) == "Quanta Cloud Technology"
