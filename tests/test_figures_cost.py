"""What a million tokens cost by somebody's own prices, tokens per joule, and the break-even."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.figure_rows import catalog, latency, real_results, row
from watcher.domain import Power
from watcher.errors import UsageError
from watcher.figures.cost import (
    Amount,
    Cost,
    Prices,
    Range,
    break_even,
    costs,
    per_limit_watt,
    read_prices,
)
from watcher.figures.filters import Filter
from watcher.figures.selectors import SystemSelector, parse_system

RACK = SystemSelector(name="gb300-nvl72", accelerator="gb300", accelerator_count=72)
ROW = row(value=1_000_000.0)
ONE = Range(1.0, 1.0)


def prices(**changes: Any) -> Prices:
    """876,600 dollars over ten years are ten an hour; 100 kW at ten cents are ten more."""
    fields: dict[str, Any] = {
        "system": RACK,
        "currency": "USD",
        "utilisation": Range(0.5, 0.5),
        "price": Amount(Range(876_600.0, 876_600.0)),
        "lifetime_years": Range(10.0, 10.0),
        "watts": Amount(Range(100_000.0, 100_000.0)),
        "power_kind": "provisioned",
        "pue": ONE,
        "tariff": Range(0.1, 0.1),
    }
    return Prices(**(fields | changes))


def cost(assumed: Prices, *rows: Any) -> Cost:
    (found,) = costs(rows or (ROW,), [assumed])
    return found


# ---------------------------------------------------------------------------------------------- figures


def test_a_million_tokens_cost_an_hours_price_and_energy_over_an_hours_tokens():
    found = cost(prices())

    assert found.per_million == pytest.approx(Range(20 / 1800, 20 / 1800))
    assert found.per_joule == (5.0, 5.0)
    assert (found.counted, found.watts, found.power_kind, found.missing) == (
        "tokens",
        (100_000.0, 100_000.0),
        "provisioned",
        (),
    )


def test_ranges_of_inputs_give_the_range_of_the_figure():
    found = cost(
        prices(
            price=Amount(Range(876_600.0, 1_753_200.0)),
            utilisation=Range(0.25, 0.5),
            pue=Range(1.0, 2.0),
            tariff=Range(0.1, 0.2),
        )
    )

    assert found.per_million == pytest.approx(Range(20 / 1800, (20 + 40) / 900))
    assert found.per_joule == (1.25, 5.0)


def test_a_price_of_one_accelerator_is_counted_over_all_of_them():
    each = prices(price=Amount(Range(876_600 / 72, 876_600 / 72), "accelerator"))

    assert cost(each).per_million == pytest.approx(cost(prices()).per_million)


def test_a_rent_has_power_in_it():
    rented = prices(price=None, rent=Amount(Range(36.0, 36.0)), watts=None, power_kind=None)
    found = cost(rented)

    assert (found.per_million, found.per_joule) == (pytest.approx((0.02, 0.02)), None)


def test_without_power_energy_is_left_out_and_said():
    found = cost(prices(watts=None, power_kind=None))

    assert (found.per_million, found.per_joule) == (pytest.approx((10 / 1800, 10 / 1800)), None)
    assert found.missing == ("No power is given", "Energy is not in the cost")


def test_a_rows_own_power_serves_if_its_kind_is_asked_for():
    measured = replace(ROW, power=(Power("measured", 50.0, "kW"), Power("provisioned", 90.0, "kW")))
    found = cost(prices(watts=None, power_kind="measured"), measured)

    assert (found.watts, found.power_kind, found.per_joule) == (
        (50_000.0, 50_000.0),
        "measured",
        (10.0, 10.0),
    )


def test_a_kind_that_the_row_does_not_publish_is_missing_and_no_other_takes_its_place():
    measured = replace(ROW, power=(Power("measured", 50.0, "kW"),))
    found = cost(prices(watts=None, power_kind="provisioned"), measured)

    assert (found.watts, found.power_kind, found.per_joule) == (None, None, None)
    assert found.missing[0] == "The row publishes no provisioned power in watts"


def test_a_limit_of_one_accelerator_is_never_the_power():
    limited = replace(ROW, accelerator_power_limit_watts=1400.0)

    assert cost(prices(watts=None, power_kind="measured"), limited).watts is None


def test_a_row_without_a_count_has_no_price_by_the_accelerator():
    cpu = row(accelerator=None, accelerator_count=None, value=100.0)
    assumed = prices(
        system=SystemSelector(name="cpu"),
        price=Amount(ONE, "accelerator"),
        watts=Amount(ONE, "accelerator"),
    )

    assert cost(assumed, cpu).missing == (
        "The row states no count of accelerators: no power",
        "The row states no count of accelerators: no price",
    )


def test_without_a_price_there_is_still_energy():
    found = cost(prices(price=None))

    assert (found.per_million, found.per_joule, found.missing) == (None, (5.0, 5.0), ("No price is given",))


def test_latencies_times_and_bandwidths_have_no_cost():
    rows = [
        latency(),
        replace(ROW, unit="minutes", better="lower"),
        replace(ROW, unit="GiB/s"),
    ]

    assert costs(rows, [prices()]) == ()


def test_the_newest_round_and_the_best_row_per_accelerator_are_taken():
    older = replace(ROW, round="v6.0", value=9e9)
    slower = replace(ROW, platform="other", value=5.0)

    assert [found.result for found in costs([older, slower, ROW], [prices()])] == [ROW]


def test_a_named_round_goes_before_the_filters():
    older = replace(ROW, round="v6.0")
    assumed = prices(system=replace(RACK, suite="inference", round="v6.0"))

    assert [found.result for found in costs([older, ROW], [assumed], Filter(round=("v6.1",)))] == [older]


@given(st.floats(1, 1e9), st.floats(0.01, 1), st.floats(1, 1e7), st.floats(1, 3))
def test_more_tokens_never_cost_more_each(value: float, use: float, price: float, pue: float):
    assumed = prices(utilisation=Range(use, use), price=Amount(Range(price, price)), pue=Range(pue, pue))
    slow, fast = (cost(assumed, replace(ROW, value=value * times)).per_million for times in (1, 2))

    assert slow is not None
    assert fast is not None
    assert fast.low == pytest.approx(slow.low / 2)


# ---------------------------------------------------------------------------------------------- without prices


def test_the_break_even_is_how_many_baseline_systems_a_subject_is_worth():
    subject, baseline = ROW, row(accelerator="b300", accelerator_count=8, platform="B", value=50_000.0)
    found, refused = break_even([subject, baseline], RACK, SystemSelector(name="b300", accelerator="b300"))

    assert [(item.systems, item.accelerators) for item in found] == [(20.0, pytest.approx(20 / 9))]
    assert refused == ()


def test_latencies_do_not_add_up():
    subject, baseline = latency(), latency(accelerator="b300", platform="B", accelerator_count=8)
    found, refused = break_even([subject, baseline], RACK, SystemSelector(name="b300", accelerator="b300"))

    assert found == ()
    assert [item.reason for item in refused] == [
        "a latency or a time: several systems do not add up to a shorter one"
    ]


def test_a_ratio_per_watt_of_the_limits_is_marked_as_an_own_estimate():
    subject = replace(ROW, accelerator_power_limit_watts=2000.0)
    baseline = row(accelerator="b300", platform="B", value=500_000.0, accelerator_power_limit_watts=1000.0)
    found, _ = break_even([subject, baseline], RACK, SystemSelector(name="b300", accelerator="b300"))
    limits = per_limit_watt(found[0].comparison)

    assert limits is not None
    assert (limits.ratio, limits.note.startswith("own estimate")) == (1.0, True)
    assert per_limit_watt(replace(found[0].comparison, baseline=ROW)) is None


# ---------------------------------------------------------------------------------------------- the file

FILE: dict[str, Any] = {
    "currency": "USD",
    "lifetime_years": [3, 5],
    "utilisation": [0.4, 0.7],
    "pue": 1.2,
    "tariff": [0.06, 0.12],
    "systems": [
        {
            "system": "NVIDIA/gb300-nvl72@v6.1",
            "price": [3_000_000, 3_800_000],
            "power_watts": 132_000,
            "power_kind": "provisioned",
        },
        {"system": "b300", "rent_per_accelerator_hour": [3, 5], "utilisation": 0.9},
    ],
}


def test_a_file_of_prices_is_read_with_what_holds_for_all_its_systems():
    rack, rented = read_prices(FILE, catalog())

    assert rack == Prices(
        system=parse_system("NVIDIA/gb300-nvl72@v6.1", catalog()),
        currency="USD",
        utilisation=Range(0.4, 0.7),
        price=Amount(Range(3_000_000.0, 3_800_000.0)),
        lifetime_years=Range(3.0, 5.0),
        watts=Amount(Range(132_000.0, 132_000.0)),
        power_kind="provisioned",
        pue=Range(1.2, 1.2),
        tariff=Range(0.06, 0.12),
    )
    assert (rented.rent, rented.price, rented.utilisation) == (
        Amount(Range(3.0, 5.0), "accelerator"),
        None,
        Range(0.9, 0.9),
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"price": 0}, "price must be a number over 0, or .low, high., not 0"),
        ({"price": "much"}, "price must be a number"),
        ({"price": [5, 3]}, "price must be a number"),
        ({"price": 10**400}, "price must be a number"),
        ({"price": float("nan")}, "price must be a number"),
        ({"price": True}, "price must be a number"),
        ({"utilisation": 70}, "utilisation must be a number from 0 to 1"),
        ({"utilisation": None}, "utilisation must be a number from 0 to 1"),
        ({"pue": 0.9}, "pue must be a number from 1 to 10"),
        ({"price_per_accelerator": 5}, "price_per_accelerator is a second price; give one"),
        ({"rent_per_hour": 5}, "give a price or a rent, not both"),
        ({"power_kind": "tgp"}, "power_kind must be one of measured, design, provisioned, own estimate"),
        ({"power_kind": None}, "watts need power_kind"),
        ({"currency": ""}, "currency is missing"),
        ({"cost": 5}, "cost is not known; use system, currency"),
        ({"system": "gb999"}, "gb999"),
    ],
)
def test_a_wrong_entry_is_an_error_that_names_it_and_the_way_out(changes: dict[str, Any], message: str):
    with pytest.raises(UsageError, match=message):
        read_prices({**FILE, "systems": [{**FILE["systems"][0], **changes}]}, catalog())


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "systems must be a list of tables"),
        ({"systems": ["gb300"]}, "systems must be a list of tables"),
        ({"systems": [{}]}, "needs system"),
        ({"systems": [{"system": "gb300", "utilisation": 1}]}, "give a price, a rent or a power"),
        (
            {"currency": "USD", "systems": [{"system": "gb300", "utilisation": 1, "price": 1}]},
            "a price needs lifetime_years",
        ),
        (
            {"systems": [{"system": "gb300", "utilisation": 1, "power_kind": "own estimate"}]},
            "an own estimate of power needs power_watts",
        ),
        (
            {**FILE, "pue": 1.2, "tariff": 0.1, "system": "gb300"},
            "prices: system is not known",
        ),
        (
            {
                "currency": "USD",
                "systems": [
                    {
                        "system": "gb300",
                        "utilisation": 1,
                        "price": 1,
                        "lifetime_years": 1,
                        "power_kind": "measured",
                    }
                ],
            },
            "power costs something: give pue, such as 1.2, and tariff, in USD a kWh",
        ),
    ],
)
def test_a_file_that_lacks_something_says_what(document: dict[str, Any], message: str):
    with pytest.raises(UsageError, match=message):
        read_prices(document, catalog())


# ---------------------------------------------------------------------------------------------- real tables


def test_a_rubin_rack_is_worth_other_numbers_of_gb300_racks_in_other_scenarios(real: Path):
    rows = real_results(real, "v6.1")
    rubin, gb300 = (
        parse_system(text, catalog(), held=rows)
        for text in ("NVIDIA/vera-rubinx72@v6.1", "NVIDIA/gb300x72@v6.1")
    )
    found, _ = break_even(rows, rubin, gb300, Filter(benchmark=("deepseek-r1",)))
    worth = {item.comparison.subject.scenario: round(item.systems, 2) for item in found}

    assert worth == {"Offline": 1.74, "Server": 1.97, "Interactive": 2.57}
