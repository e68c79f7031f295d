from __future__ import annotations

import json
from datetime import UTC, datetime

from tests.figure_rows import catalog, row
from watcher.domain import NotComparable, Power, Result
from watcher.figures import compare, gains, parse_system, power, power_limits, records, scaling
from watcher.figures.json_form import (
    compare_form,
    gains_form,
    power_form,
    records_form,
    results_form,
    scalings_form,
)

SIDE = {
    "submitter", "platform", "accelerator", "round", "availability", "accelerator_count", "value", "unit", "software",
    "precision", "url",
}  # fmt: skip


def test_results_have_every_canonical_field_unrounded():
    seen = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
    result = row(
        value=1183326.8540322022,
        power=(Power("measured", 10.5, "Watts"),),
        first_seen_at=seen,
        extra={"Rack": "7"},
    )
    form = results_form([result])
    (only,) = form["results"]
    assert form["count"] == 1
    assert set(Result.__slots__) <= set(only)
    assert (only["value"], only["system_type"], only["extra"]) == (
        1183326.8540322022,
        ["datacenter"],
        {"Rack": "7"},
    )
    assert only["power"] == [{"kind": "measured", "value": 10.5, "unit": "Watts"}]
    assert only["first_seen_at"] == "2026-09-16T15:05:00+00:00"
    assert json.loads(json.dumps(form)) == form


def test_a_comparison_has_the_fields_that_programs_rely_on():
    refused = (NotComparable(benchmark="bert", scenario="Server", reason="no baseline row"),)
    rows = [row(), row(accelerator="vera-rubin", value=1440.0, availability="preview")]
    found, _ = compare(rows, parse_system("vera-rubin", catalog()), parse_system("gb300", catalog()))
    form = compare_form(found, refused)
    (only,) = form["comparisons"]
    assert {
        "benchmark", "accuracy_target", "scenario", "division", "system_type", "subject", "baseline", "ratio",
        "per_accelerator_ratio", "better", "differs",
    } <= set(only)  # fmt: skip
    assert set(only["subject"]) >= SIDE <= set(only["baseline"])
    assert (only["ratio"], only["better"], only["differs"], only["system_type"]) == (
        2.0,
        "higher",
        ["availability"],
        "datacenter",
    )
    assert form["not_comparable"][0]["reason"] == "no baseline row"
    assert {"benchmark", "scenario", "reason"} <= set(form["not_comparable"][0])
    assert json.loads(json.dumps(form)) == form


def test_a_scaling_has_the_fields_that_programs_rely_on():
    form = scalings_form(scaling([row(), row(accelerator_count=288, platform="racks", value=2592.0)]))
    (only,) = form["scaling"]
    assert {
        "submitter",
        "accelerator",
        "benchmark",
        "scenario",
        "round",
        "small",
        "large",
        "efficiency",
    } <= set(only)
    assert (only["small"]["accelerator_count"], only["large"]["value"], only["efficiency"]) == (
        72,
        2592.0,
        0.9,
    )
    assert json.loads(json.dumps(form)) == form


def test_a_gain_has_the_fields_that_programs_rely_on():
    form = gains_form(gains([row(round="v6.0", value=600.0), row()], "v6.0", "v6.1"))
    (only,) = form["gains"]
    assert {"match", "submitter", "benchmark", "scenario", "before", "after", "ratio"} <= set(only)
    assert (only["match"], only["before"]["value"], only["ratio"]) == ("same_system", 600.0, 1.2)
    assert set(only["after"]) >= SIDE
    assert json.loads(json.dumps(form)) == form


def test_a_record_says_what_it_beats_and_since_when():
    form = records_form(records([row(round="v6.0", value=600.0), row()]))
    assert [(r["basis"], r["value"], r["before"]["value"], r["since"]) for r in form["records"]] == [
        ("absolute", 720.0, 600.0, "v6.0"), ("per_accelerator", 10.0, 600.0, "v6.0"),
    ]  # fmt: skip


def test_power_and_limits_stand_apart():
    rows = [
        row(power=(Power("measured", 1000.0, "Watts"),)),
        row(platform="b", accelerator_power_limit_watts=1400.0),
    ]
    form = power_form(power(rows), power_limits(rows))
    assert [(p["kind"], p["value"], p["unit"], p["better"]) for p in form["power"]] == [
        ("measured", 0.72, "tokens/s per W", "higher")
    ]
    assert [p["accelerator_power_limit_watts"] for p in form["accelerator_power_limits"]] == [1400.0]
    assert json.loads(json.dumps(form)) == form
