"""The provisioned power of an Endpoints system: ``system_power.json``, one a system.

Provisioned is what the system is built to draw, by specification; it is never measured. Two forms of the descriptor
are in use while the rules are drafts. The flat one names a total, a rack's published power scaled by whole nodes, or
groups of components: (CPUs + accelerators + scale-up switches) x (1 + overhead), the overhead 0.30 for liquid and
0.50 for air cooling. The nested one (the rules' appendix on power) does the same for each set of nodes and gives
every figure its source. What a submitter leaves out MLCommons fills in, and the result is then tagged
"MLC Estimated Power": nothing is filled in here, and such a descriptor without a stated total has no power yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from watcher.errors import ParseError
from watcher.parse.cells import number
from watcher.parse.strict import json_object, mapping, objects, words

LIQUID, AIR = 0.30, 0.50
_GROUPS = {
    "cpu": ("num_cpu", "tdp_per_cpu"),
    "accelerator": ("num_accelerator", "tdp_per_accelerator"),
    "compute": ("count", "tdp_per_unit"),
    "scale_up_network": ("num_switches", "tdp_per_switch"),
}


class ProvisionedPower(Struct, frozen=True):
    """Watts of the whole system, null while values are missing; ``estimated``: MLCommons supplied some of them."""

    watts: float | None
    estimated: bool = False


def read_system_power(body: bytes, what: str = "system_power.json") -> dict[str, Any]:
    """Read the descriptor and keep it as it is, for cooling may stand in another file. Raises ParseError."""
    document = json_object(body, what)
    if len(body) > 256 * 1024:
        raise ParseError(f"{what}: has {len(body):,} bytes; it is no power descriptor")
    return document


def provisioned_power(document: Mapping[str, Any], cooling: str | None = None) -> ProvisionedPower:
    """Compute the power of either form; ``cooling`` is the system description's, used where the file names none."""
    estimated = document.get("mlc_estimated_power") is True or _has_default(document)
    nested = isinstance(document.get("node_sets"), list)
    watts = _stated(document) or (_nested(document) if nested else _flat(document, cooling))
    usable = watts is not None and 0 < watts < float("inf")
    return ProvisionedPower(watts if usable else None, estimated)


def overhead(cooling: str | None) -> float | None:
    """Return the overhead fraction that a cooling in words selects: liquid first, then air; null for neither."""
    text = (cooling or "").casefold()
    if any(word in text for word in ("liquid", "water", "immersion")):
        return LIQUID
    return AIR if "air" in text else None


def _has_default(value: Any, depth: int = 0) -> bool:
    if depth > 8:
        return False
    if isinstance(value, dict):
        default = words(value.get("source_type")) == "mlc_default"
        return default or any(_has_default(entry, depth + 1) for entry in value.values())
    return isinstance(value, list) and any(_has_default(entry, depth + 1) for entry in value)


def _stated(document: Mapping[str, Any]) -> float | None:
    declared = _watts(document.get("declared_provisioned_power"))
    kilowatts = number(document.get("provisioned_power_kw"))
    computed = number(mapping(document.get("computed")).get("total_system_power_w"))
    flat = number(document.get("provisioned_power_w"))
    return declared or (kilowatts * 1000 if kilowatts else None) or flat or computed


def _flat(document: Mapping[str, Any], cooling: str | None) -> float | None:
    rack, nodes, part = (
        number(document.get(key)) for key in ("rack_power_w", "rack_nodes", "submitted_nodes")
    )
    if rack and nodes and part:
        return rack * part / nodes
    fraction = number(document.get("overhead_fraction"))
    fraction = overhead(cooling) if fraction is None else fraction
    names = (
        ("compute", "scale_up_network")
        if "compute" in document
        else ("cpu", "accelerator", "scale_up_network")
    )
    groups = [_group(mapping(document.get(name)), *_GROUPS[name]) for name in names]
    if fraction is None or any(watts is None for watts in groups):
        return None
    return sum(watts for watts in groups if watts is not None) * (1 + fraction)


def _group(group: Mapping[str, Any], count_key: str, watts_key: str) -> float | None:
    many = number(group.get(count_key, group.get("count")))
    each = number(group.get(watts_key, group.get("tdp_per_unit")))
    if many == 0:
        return 0.0
    return many * each if many is not None and each is not None else None


def _nested(document: Mapping[str, Any]) -> float | None:
    fraction = overhead(words(document.get("cooling")))
    sets = objects(document.get("node_sets"))
    fabric = mapping(document.get("scale_out"))
    if fraction is None or not sets:
        return None
    major, published = 0.0, 0.0
    for node_set in sets:
        nodes = number(node_set.get("nodes_provisioned"))
        by_parts = node_set.get("power_method") == "component_sum"
        watts = _components(mapping(node_set.get("components"))) if by_parts else _published(node_set, nodes)
        network = _adapters(fabric, by_parts)
        if nodes is None or nodes <= 0 or watts is None or network is None:
            return None
        major += nodes * (watts if by_parts else 0.0) + nodes * network
        published += 0.0 if by_parts else watts
    switches = _switches(fabric)
    return None if switches is None else major * (1 + fraction) + published + switches


def _published(node_set: Mapping[str, Any], nodes: float | None) -> float | None:
    watts = _watts(node_set.get("published_power"))
    if watts is None or nodes is None:
        return None
    if node_set.get("power_method") == "published_system":
        return watts * nodes
    rack = number(node_set.get("nodes_in_published_rack"))
    return watts * nodes / rack if rack else None


def _components(components: Mapping[str, Any]) -> float | None:
    joint = _watts(components.get("combined_cpu_accelerator"))
    both = ("cpu", "accelerator")
    parts: list[float | None] = [joint]
    if joint is None:
        parts = [_part(components.get(name)) for name in both]
    parts.append(_scale_up(mapping(components.get("scale_up_network"))))
    return None if any(part is None for part in parts) else sum(part for part in parts if part is not None)


def _part(value: Any) -> float | None:
    part = mapping(value)
    many, each = number(part.get("count_per_node")), _watts(part.get("tdp_per_unit"))
    if many == 0:
        return 0.0
    return many * each if many is not None and each is not None else None


def _scale_up(network: Mapping[str, Any]) -> float | None:
    method = network.get("method")
    if method == "none":
        return 0.0
    if method == "declared_tdp":
        many, each = number(network.get("switch_count")), _watts(network.get("tdp_per_switch"))
        return many * each if many is not None and each is not None else None
    terabytes = number(network.get("aggregate_bandwidth_tbps"))
    picojoules = number(mapping(network.get("energy_per_bit_pj")).get("value_pj"))
    if method != "bandwidth_estimate" or terabytes is None or picojoules is None:
        return None
    return terabytes * 8.0 * picojoules  # the rules' examples read the bandwidth as terabytes a second


def _adapters(fabric: Mapping[str, Any], by_parts: bool) -> float | None:
    """Watts a node of scale-out adapters: a published node figure has them in it, unless shown otherwise."""
    adapters = mapping(fabric.get("nics"))
    counted = fabric.get("present") is True and adapters.get("counted") is True
    if not counted or not (by_parts or adapters.get("excluded_from_published_power")):
        return 0.0
    many, each = number(adapters.get("count_per_node")), _watts(adapters.get("tdp_per_nic"))
    return many * each if many is not None and each is not None else None


def _switches(fabric: Mapping[str, Any]) -> float | None:
    if fabric.get("present") is not True:
        return 0.0
    total = 0.0
    for switch in objects(fabric.get("switches")):
        many, each = number(switch.get("count")), _watts(switch.get("power_per_switch"))
        if many is None or each is None:
            return None
        total += many * each
    return total


def _watts(value: Any) -> float | None:
    """A figure with its source ({"value_w": …} or {"value_kw": …}); a bare number is watts."""
    if not isinstance(value, dict):
        return number(value)
    watts, kilowatts = number(value.get("value_w")), number(value.get("value_kw"))
    return watts if watts is not None else kilowatts * 1000 if kilowatts is not None else None
