from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.figure_rows import latency, real_results, row
from watcher.domain import Power
from watcher.figures import Filter, beaten, power, power_limits, records
from watcher.figures.power import power_of
from watcher.figures.records import figure

# ---------------------------------------------------------------------------------------------- power


def powered(kind="measured", value=1000.0, unit="Watts", make=row, **changes):
    return make(power=(Power(kind, value, unit),), **changes)


def figures(result):
    return [(f.kind, f.value, f.unit, f.better) for f in power([result])]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (powered(), ("measured", 0.72, "tokens/s per W", "higher")),
        (powered(value=1.0, unit="kW"), ("measured", 0.72, "tokens/s per W", "higher")),
        (powered("provisioned", 2000.0), ("provisioned", 0.36, "tokens/s per W", "higher")),
        (powered(value=5.0, unit="millijoules", make=latency), ("measured", 5.0, "millijoules", "lower")),
        (powered(value=9.0, unit="uJ/inf."), ("measured", 9.0, "uJ/inf.", "lower")),
        (powered(make=latency), ("measured", None, None, None)),
        (powered(value=0.0), ("measured", None, None, None)),
        (powered(unit="horses"), ("measured", None, None, None)),
    ],
)
def test_a_power_gives_value_per_watt_or_energy_a_query(result, expected):
    assert figures(result) == [expected]


def test_a_row_without_power_gives_no_figure_whatever_its_notes_say():
    assert figures(row(accelerator_power_limit_watts=2300.0, notes="2300W TGP Per GPU")) == []


def test_limits_of_one_accelerator_are_listed_apart():
    low, high = (
        row(platform=name, accelerator_power_limit_watts=watts)
        for name, watts in (("a", 1400.0), ("b", 2300.0))
    )
    assert power_limits([low, row(), high]) == (high, low)
    assert power_limits([low], Filter(division=("open",))) == ()


def one(result):
    return power_of(result, result.power[0])


def test_measured_power_comes_first_and_the_best_per_watt_before_others():
    rows = [powered("design"), powered(value=2000.0, platform="worse"), powered()]
    assert [(f.kind, f.value) for f in power(rows)] == [
        ("measured", 0.72),
        ("measured", 0.36),
        ("design", 0.72),
    ]


def test_the_real_tables_have_measured_power_in_v5_1_and_none_since(real):
    results = real_results(real)
    found = {name: len(power(results, Filter(round=(name,)))) for name in ("v5.1", "v6.0", "v6.1")}
    assert found == {"v5.1": 24, "v6.0": 0, "v6.1": 0}
    assert {f.kind for f in power(results)} == {"measured"}
    limits = {
        row.accelerator_power_limit_watts for row in power_limits(results) if row.accelerator == "vera-rubin"
    }
    assert limits == {2300.0}


# ---------------------------------------------------------------------------------------------- records


def told(found):
    return [
        (r.basis, r.best.platform, None if r.before is None else r.before.platform, figure(r)) for r in found
    ]


def test_the_record_is_told_absolute_and_per_accelerator():
    small = row(platform="small", accelerator_count=8, value=88.0)
    assert told(records([row(platform="rack"), small])) == [
        ("absolute", "rack", None, 720.0),
        ("per_accelerator", "small", None, 11.0),
    ]


def test_before_is_the_best_of_the_rounds_before_and_since_is_the_oldest_round_held():
    rows = [
        row(platform="old", round="v6.0", value=500.0),
        row(platform="new"),
        row(platform="weak", value=600.0),
        row(round="v5.1", scenario="Server"),
    ]
    (offline, *_) = records(rows)
    assert (offline.best.platform, offline.before, offline.since) == ("new", rows[0], "v5.1")


def test_of_latencies_the_smallest_is_the_record_and_only_absolute():
    assert told(records([latency(platform="slow", value=9.0), latency(platform="fast", value=3.0)])) == [
        ("absolute", "fast", None, 3.0)
    ]


def test_one_run_at_two_accuracy_targets_is_one_record_of_the_stricter():
    run = {"benchmark": "llama2-70b", "value": 720.0}
    both = [row(**run, accuracy_target="99"), row(**run, accuracy_target="99.9")]
    assert [(r.basis, r.best.accuracy_target) for r in records(both)] == [
        ("absolute", "99.9"),
        ("per_accelerator", "99.9"),
    ]


def test_two_runs_at_two_accuracy_targets_are_two_records():
    both = [
        row(benchmark="bert", accuracy_target=target, value=value)
        for target, value in (("99", 800.0), ("99.9", 720.0))
    ]
    assert len(records(both)) == 4


def test_edge_and_datacenter_hold_their_own_records():
    rows = [
        row(),
        row(platform="edge", system_type=("edge",), value=72.0),
        row(platform="both", system_type=("datacenter", "edge"), value=36.0),
    ]
    assert {r.best.platform for r in records(rows)} == {"GB300-NVL72", "edge"}


def test_a_run_in_both_system_types_holds_one_record():
    assert len(records([row(system_type=("datacenter", "edge"))])) == 2


def test_unreviewed_tables_hold_no_record_unasked():
    unreviewed = row(suite="unofficial")
    assert records([unreviewed]) == ()
    assert len(records([unreviewed], Filter(suite=("unofficial",)))) == 2
    assert beaten([unreviewed], [unreviewed, row(suite="unofficial", platform="b", value=900.0)]) == ()


def test_mixed_systems_hold_absolute_records_only():
    mixed = row(platform="mixed", accelerator=None, accelerators=("a", "b"), value=900.0)
    assert told(records([mixed, row(platform="plain")])) == [
        ("absolute", "mixed", None, 900.0),
        ("per_accelerator", "plain", None, 10.0),
    ]


def test_rounds_in_which_the_benchmark_was_another_do_not_contend():
    old, new = (
        row(
            suite="training",
            benchmark="train-rnnt",
            scenario=None,
            round=name,
            unit="minutes",
            better="lower",
            value=minutes,
        )
        for name, minutes in (("v1.0", 1.0), ("v3.1", 5.0))
    )
    assert [(r.best, r.before) for r in records([old, new])] == [(new, None)]


def test_a_better_row_beats_the_record_on_each_basis_that_it_betters():
    before = [row(platform="rack"), row(platform="small", accelerator_count=8, value=88.0)]
    racks = row(platform="racks", accelerator_count=288, value=2880.0)
    (found,) = beaten(before, [*before, racks])
    assert (found.basis, found.best, found.before, found.since) == ("absolute", racks, before[0], "v6.1")


@pytest.mark.parametrize(
    "after",
    [
        row(platform="equal"),
        row(platform="noise", value=720.0 * (1 + 1e-12)),
        row(platform="worse", value=700.0),
        row(platform="first", scenario="Server"),
        row(platform="nothing", value=float("nan")),
    ],
)
def test_a_row_that_is_not_better_or_the_first_beats_nothing(after):
    assert beaten([row()], [row(), after]) == ()


def test_a_record_that_is_withdrawn_is_not_beaten_by_the_next_best():
    assert beaten([row(), row(platform="top", value=900.0)], [row()]) == ()


def test_one_run_beats_one_record_although_it_stands_at_two_targets():
    before = [row(benchmark="bert", accuracy_target=target, platform=target) for target in ("99", "99.9")]
    run = [
        row(benchmark="bert", accuracy_target=target, platform="new", value=900.0)
        for target in ("99", "99.9")
    ]
    assert [(r.basis, r.best.accuracy_target) for r in beaten(before, [*before, *run])] == [
        ("absolute", "99.9"),
        ("per_accelerator", "99.9"),
    ]


@given(st.randoms())
def test_a_run_in_both_system_types_beats_the_better_of_two_records_in_any_order(random):
    before = [
        row(platform="rack", value=700.0),
        row(platform="box", system_type=("edge",), value=70.0),
        row(platform="peer", system_type=("edge", "datacenter"), value=7.0),
    ]
    after = [*before, row(platform="both", system_type=("datacenter", "edge"), value=900.0)]
    found = beaten(random.sample(before, 3), random.sample(after, 4))
    assert told(found)[0] == ("absolute", "both", "rack", 900.0)


@given(st.randoms())
def test_the_order_of_rows_changes_no_record(random):
    rows = [
        row(platform=name, value=value, accelerator_count=count, accuracy_target=target)
        for name, value, count in (("a", 10.0, 8), ("b", 10.0, 8), ("c", 90.0, 72))
        for target in ("99", "99.9")
    ]
    shuffled = random.sample(rows, len(rows))
    assert records(shuffled) == records(rows)
    assert beaten(shuffled[:3], shuffled) == beaten(list(reversed(shuffled[:3])), rows)
