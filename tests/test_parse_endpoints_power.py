"""The provisioned power of an Endpoints system: stated, published for a rack, or the sum of its parts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.artefact_trees import damaged, outcome, revalued, text
from watcher.errors import ParseError
from watcher.parse.endpoints_power import ProvisionedPower, overhead, provisioned_power, read_system_power

PARTS = {
    "cpu": {"num_cpu": 2, "tdp_per_cpu": 500},
    "accelerator": {"num_accelerator": 8, "tdp_per_accelerator": 1000},
    "scale_up_network": {"num_switches": 4, "tdp_per_switch": 250},
}
NODES: dict[str, Any] = {
    "cooling": "air",
    "node_sets": [
        {
            "nodes_provisioned": 2,
            "power_method": "component_sum",
            "components": {
                "cpu": {"count_per_node": 2, "tdp_per_unit": {"value_w": 500}},
                "accelerator": {"count_per_node": 8, "tdp_per_unit": {"value_kw": 1.0}},
                "scale_up_network": {"method": "none"},
            },
        }
    ],
}


@pytest.mark.parametrize(
    ("document", "cooling", "watts"),
    [
        (PARTS, "Direct liquid", 13000.0),
        (PARTS, "Air cooled", 15000.0),
        (PARTS | {"overhead_fraction": 0.1}, "air", 11000.0),
        (PARTS, None, None),
        ({**PARTS, "cpu": {}}, "air", None),
        ({"rack_power_w": 120000, "rack_nodes": 18, "submitted_nodes": 9}, None, 60000.0),
        ({"provisioned_power_kw": 12.5}, None, 12500.0),
        ({"declared_provisioned_power": {"value_kw": 100}}, None, 100000.0),
        (NODES, None, 27000.0),
        (NODES | {"cooling": "liquid"}, None, 23400.0),
        (
            NODES | {"scale_out": {"present": True, "switches": [{"count": 1, "power_per_switch": 800}]}},
            None,
            27800.0,
        ),
        ({}, "air", None),
    ],
)
def test_provisioned_power_is_stated_or_computed_from_its_parts(
    document: dict[str, Any], cooling: str | None, watts: float | None
):
    found = provisioned_power(document, cooling).watts

    assert found == (None if watts is None else pytest.approx(watts))


def node_set(**changes: Any) -> dict[str, Any]:
    """Two nodes, liquid-cooled, with a published figure or other parts."""
    return {"cooling": "liquid", "node_sets": [{"nodes_provisioned": 2, **changes}]}


def parts(**network: Any) -> dict[str, Any]:
    joint = {"combined_cpu_accelerator": {"value_w": 9000}, "scale_up_network": network}
    return node_set(power_method="component_sum", components=joint)


@pytest.mark.parametrize(
    ("document", "watts"),
    [
        (node_set(power_method="published_system", published_power={"value_kw": 14}), 28000.0),
        (
            node_set(
                power_method="published_rack", published_power={"value_w": 120000}, nodes_in_published_rack=18
            ),
            120000 * 2 / 18,
        ),
        (node_set(power_method="published_rack", published_power={"value_w": 120000}), None),
        (node_set(power_method="published_system"), None),
        (parts(method="none"), 2 * 9000 * 1.3),
        (parts(method="declared_tdp", switch_count=2, tdp_per_switch={"value_w": 500}), 2 * 10000 * 1.3),
        (
            parts(
                method="bandwidth_estimate", aggregate_bandwidth_tbps=14.4, energy_per_bit_pj={"value_pj": 5}
            ),
            2 * (9000 + 14.4 * 8 * 5) * 1.3,
        ),
        (parts(method="bandwidth_estimate"), None),
        (parts(), None),
        ({**parts(method="none"), "node_sets": []}, None),
        ({**parts(method="none"), "cooling": None}, None),
    ],
)
def test_sets_of_nodes_are_published_figures_or_sums_of_parts(document: dict[str, Any], watts: float | None):
    found = provisioned_power(document).watts

    assert found == (None if watts is None else pytest.approx(watts))


@pytest.mark.parametrize(
    ("adapters", "watts"),
    [
        ({"counted": True, "count_per_node": 8, "tdp_per_nic": {"value_w": 25}}, 2 * 9200 * 1.3),
        ({"counted": False, "count_per_node": 8, "tdp_per_nic": {"value_w": 25}}, 2 * 9000 * 1.3),
        ({"counted": True, "count_per_node": 8}, None),
    ],
)
def test_adapters_count_if_they_are_said_to(adapters: dict[str, Any], watts: float | None):
    document = parts(method="none") | {"scale_out": {"present": True, "nics": adapters}}
    found = provisioned_power(document).watts

    assert found == (None if watts is None else pytest.approx(watts))


def test_a_switch_without_its_power_leaves_the_whole_without_one():
    document = parts(method="none") | {"scale_out": {"present": True, "switches": [{"count": 1}]}}

    assert provisioned_power(document).watts is None


def test_a_file_too_long_for_a_descriptor_is_refused():
    with pytest.raises(ParseError, match="it is no power descriptor"):
        read_system_power(text({"x": "y" * 300_000}))


def test_a_value_that_mlcommons_filled_in_makes_the_power_an_estimate():
    filled = {
        **NODES,
        "scale_out": {"nic_tdp": {"source_type": "mlc_default"}},
    }

    assert [provisioned_power(document).estimated for document in (NODES, filled)] == [False, True]


def test_cooling_in_words_selects_the_overhead():
    assert [overhead(text_) for text_ in ("Liquid and air", "air", "none", None)] == [0.3, 0.5, None, None]


@given(damaged | revalued(PARTS) | revalued(NODES))
def test_a_damaged_descriptor_is_a_power_or_a_parse_error(body: bytes):
    document = outcome(read_system_power, body)
    power = document if isinstance(document, ParseError) else provisioned_power(document, "air")

    assert isinstance(power, ParseError | ProvisionedPower)
