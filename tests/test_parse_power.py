"""Measured power: an analyzer's samples inside a LoadGen run, and the meters of a training run."""

from __future__ import annotations

import gzip
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.artefact_trees import damaged, log, mangled, outcome
from watcher.errors import ParseError
from watcher.parse.power_log import (
    MeasuredPower,
    MeterPower,
    PowerWindow,
    energy_per_query,
    mean_power,
    packed_samples,
    read_meter,
    read_window,
    unpacked_samples,
)


def at(second: int) -> datetime:
    return datetime(2026, 3, 1, 12, 0, second)  # noqa: DTZ001 - the lab's local time, as in the logs


WINDOW = PowerWindow(at(10), at(20), 100)
DETAIL = log(
    ("power_begin", "03-01-2026 12:00:10.000", 0, {}),
    ("result_query_count", 100, 0, {}),
    ("power_end", "03-01-2026 12:00:20.000", 0, {}),
)


def samples(*pairs: tuple[int, float]) -> bytes:
    """An analyzer's log: watts at a second of the minute."""
    lines = [
        f"Time,03-01-2026 12:00:{second:02}.000,Watts,{watts},Volts,230.0,Amps,4.1,PF,0.99,Mark,run"
        for second, watts in pairs
    ]
    return "\n".join(lines).encode()


# ---------------------------------------------------------------------------------------------- inference


def test_the_window_is_the_logs_own_with_its_queries():
    assert read_window(DETAIL) == WINDOW


def test_power_is_the_mean_of_the_samples_strictly_inside_the_window():
    body = samples((9, 5000), (10, 5000), (11, 900), (15, 1100), (19, 1300), (20, 5000), (21, 5000))

    assert mean_power(body, WINDOW) == MeasuredPower(1100.0, 3)


def test_samples_that_are_not_positive_are_left_out():
    assert mean_power(samples((11, 0), (12, -1), (13, 800)), WINDOW) == MeasuredPower(800.0, 1)


def test_an_analyzer_in_another_time_zone_is_shifted():
    assert mean_power(samples((14, 700), (30, 900)), WINDOW, ahead=15.0) == MeasuredPower(900.0, 1)


def test_energy_a_query_is_in_millijoules():
    assert energy_per_query(MeasuredPower(50.0, 9), WINDOW) == 5000.0


def test_energy_a_query_needs_the_number_of_queries():
    with pytest.raises(ParseError, match="names no result_query_count"):
        energy_per_query(MeasuredPower(50.0, 9), PowerWindow(at(1), at(2)))


def test_packed_samples_give_the_same_power():
    body = samples(*((second, 1000.5 + second) for second in range(60)))

    assert mean_power(unpacked_samples(packed_samples(body)), WINDOW) == mean_power(body, WINDOW)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (samples((30, 900)), "spl.txt: no positive sample lies between"),
        (b"Time,03-01-2026 12:00:11.000,Volts,230", "spl.txt, line 1: is not a sample"),
        (b"Time,yesterday,Watts,900", "spl.txt, line 1: 'yesterday' is not a time"),
        (b"Time,03-01-2026 12:00:11.000,Watts,much", "spl.txt, line 1: its watts are not a number"),
    ],
)
def test_samples_that_cannot_be_read_are_an_error_with_their_line(body: bytes, message: str):
    with pytest.raises(ParseError, match=message):
        mean_power(body, WINDOW)


def test_a_window_that_ends_before_it_begins_is_refused():
    body = log(
        ("power_begin", "03-01-2026 12:00:20.000", 0, {}), ("power_end", "03-01-2026 12:00:10.000", 0, {})
    )

    with pytest.raises(ParseError, match="is not before power_end"):
        read_window(body)


@given(st.lists(st.floats(0.1, 1e5), min_size=1, max_size=8))
def test_power_lies_between_its_samples(watts: list[float]):
    power = mean_power(samples(*((11 + index, value) for index, value in enumerate(watts))), WINDOW)

    assert power.samples == len(watts)
    assert min(watts) <= power.watts * (1 + 1e-12)
    assert power.watts <= max(watts) * (1 + 1e-12)


# ---------------------------------------------------------------------------------------------- training


def test_a_meter_weighs_its_readings_by_the_time_since_the_one_before():
    body = log(
        ("power_measurement_start", None, 0, {}),
        ("conversion_eff", 0.5, 0, {}),
        ("power_reading", 1000, 1000, {}),
        ("power_reading", 2000, 4000, {}),
        ("power_measurement_stop", None, 5000, {}),
        ("power_reading", 9000, 6000, {}),
    )

    assert read_meter(body, "node_0.txt") == MeterPower(0.5 * (1000 * 1 + 2000 * 3) / 5, 5.0, 2)


def test_a_switch_may_have_an_estimate_instead_of_readings():
    body = log(("conversion_eff", 0.9, 0, {}), ("interconnect_power_est", 500, 0, {}))

    assert read_meter(body, "sw_0.txt") == MeterPower(450.0, 0.0, 0)


def test_a_meter_without_a_reading_is_an_error():
    with pytest.raises(ParseError, match=r"node_0\.txt: holds no power reading"):
        read_meter(log(("power_measurement_start", None, 0, {})), "node_0.txt")


# ---------------------------------------------------------------------------------------------- real data


def test_lenovos_run_gives_its_published_watts(real: Path):
    stem = "inference_v5.1_power_Lenovo_SR680a_llama2-70b-99.9_Offline"
    detail, body = (
        gzip.decompress((real / "mlperf" / "raw" / f"{stem}_{name}.gz").read_bytes())
        for name in ("mlperf_log_detail.txt", "spl.txt")
    )
    power = mean_power(body, read_window(detail))

    assert (power.watts, power.samples) == (pytest.approx(10400.9988793425, abs=1e-9), 2677)


def test_lenovos_training_node_gives_its_mean_over_its_measured_span(real: Path):
    name = "training_v5.0_power_Lenovo_SR780aV3_llama2_70b_lora_node_0.txt.gz"
    power = read_meter(gzip.decompress((real / "mlperf" / "raw" / name).read_bytes()), "node_0.txt")

    assert (round(power.watts, 1), round(power.seconds)) == (8998.1, 658)


# ---------------------------------------------------------------------------------------------- damage


@given(damaged | mangled(DETAIL))
def test_a_damaged_detail_log_is_a_window_or_a_parse_error(body: bytes):
    assert isinstance(outcome(read_window, body), PowerWindow | ParseError)


@given(damaged | mangled(samples((11, 900), (15, 1100))))
def test_damaged_samples_are_a_power_or_a_parse_error(body: bytes):
    power = outcome(mean_power, body, WINDOW)

    assert isinstance(power, ParseError) or 0 < power.watts < float("inf")
    assert isinstance(outcome(packed_samples, body), str | ParseError)


METER = log(
    ("power_measurement_start", None, 0, {}),
    ("conversion_eff", 0.9, 0, {}),
    ("power_reading", 1e3, 1000, {}),
    ("power_measurement_stop", None, 1000, {}),
)


@given(damaged | mangled(METER))
def test_a_damaged_meter_is_a_power_or_a_parse_error(body: bytes):
    assert isinstance(outcome(read_meter, body, "node_0.txt"), MeterPower | ParseError)


@pytest.mark.parametrize(
    ("watts", "message"), [("1e308", "line 6: its value is not a number"), ("-5", "its mean is")]
)
def test_a_meter_whose_mean_is_no_power_is_an_error(watts: str, message: str):
    body = METER.replace(b'"value": 1000.0', f'"value": {watts}'.encode())

    assert body != METER
    with pytest.raises(ParseError, match=rf"node_0\.txt.* {message}"):
        read_meter(body, "node_0.txt")
