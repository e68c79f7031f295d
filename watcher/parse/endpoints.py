"""MLPerf Endpoints: one point of a curve, and one system.

A result is a curve: one system, one model, one data set, measured at 8 to 32 concurrencies (agentic ones at 7 or
more). Each point is a result of ours in the scenario "Concurrency N", so that two systems are compared at a stated
concurrency and never across. A dedicated Offline run is the scenario "Offline". The official curve is a step function
without interpolation, so nothing is said between its points.

Formulas (MLPerf Endpoints rules 4.1 and 4.5.3, in v1.0's draft): system_tps = output tokens / seconds;
tps_per_user = 1000 / tpot_p90_ms; system_tps_per_kw = system_tps / provisioned kilowatts; for agentic benchmarks
e2e_avg_interactivity = output tokens / seconds of all turns. v0.7 published other figures under these names: its
tps_per_user is system_tps / concurrency and its headline TTFT a higher percentile, so rounds are not mixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from watcher.errors import ParseError
from watcher.parse.cells import count, number
from watcher.parse.loadgen import percentiles, window_rates
from watcher.parse.strict import json_object, mapping, objects, words, yaml_mapping
from watcher.parse.system_description import availability

OFFLINE = "Offline"
STATES = ("REVIEW_PENDING", "FINALIZED", "PUBLISHED", "WITHDRAWN")
TAGS = ("peer review pending", "preview", "MLC Estimated Power", "invalidated", "withdrawn")
"""Tags of published results; the states give tags where a document carries a state instead."""

_STATE_TAGS = {"REVIEW_PENDING": "peer review pending", "WITHDRAWN": "withdrawn"}
_STATED_TOLERANCE = 0.01  # the checker's own, for a stated figure against its counts


def read_point_config(body: bytes, what: str = "point.yaml") -> dict[str, Any]:
    """Read a point's configuration. Raises ParseError if it is not YAML or names no concurrency."""
    document = yaml_mapping(body, what)
    concurrency = count(document.get("concurrency"))
    if concurrency is None:
        raise ParseError(f"{what}: concurrency is not a whole number above zero")
    texts = ("region", "division", "model_name", "model_precision", "target_cohort", "offline")
    found: dict[str, Any] = {name: words(document.get(name)) for name in texts}
    found["dataset"] = _dataset(document.get("dataset_name")) or _dataset(document.get("dataset"))
    found["max_supported_concurrency"] = count(document.get("max_supported_concurrency"))
    found["steady_state"] = words(mapping(document.get("steady_state")).get("status"))
    found["verdict"] = words(mapping(document.get("steady_state")).get("verdict"))
    found["accuracy"] = _accuracy(document.get("measured_accuracy_score"))
    found["nodes_used"] = bool(document.get("nodes_used")) or None
    return {"concurrency": concurrency, **{name: value for name, value in found.items() if value is not None}}


def read_point_summary(body: bytes, what: str = "result_summary.json") -> dict[str, Any]:
    """Read a v1.0 point's figures. Raises ParseError if it is incomplete, has no throughput or contradicts itself.

    A stated ``system_tps`` is taken where it agrees with the counts within a hundredth; where it does not it may be
    the steady-state window's, so both are given (``system_tps`` the stated one, ``whole_run_tps`` the counts').
    """
    document = json_object(body, what)
    if document.get("complete", True) is not True:
        raise ParseError(f"{what}: is not complete")
    qps, computed = window_rates(document, what)
    stated = number(document.get("system_tps"))
    system_tps = stated if stated is not None else computed
    if system_tps is None or not 0 < system_tps < float("inf"):
        raise ParseError(f"{what}: has no system throughput")
    ttft, tpot = percentiles(document.get("ttft")), percentiles(document.get("tpot"))
    tpot_p90 = _milliseconds(tpot.get("90.00"))
    found = {
        "system_tps": system_tps,
        "whole_run_tps": computed,
        "tps_per_user": number(document.get("tps_per_user")) or (1000 / tpot_p90 if tpot_p90 else None),
        "tpot_p90_ms": tpot_p90,
        "ttft_p90_ms": _milliseconds(ttft.get("90.00")),
        "e2e_avg_interactivity": _interactivity(document),
        "system_tps_per_kw": number(document.get("system_tps_per_kw")),
        "qps": qps,
        "samples_failed": number(document.get("n_samples_failed")),
    }
    return {name: value for name, value in found.items() if value is not None and value < float("inf")}


def _milliseconds(nanoseconds: float | None) -> float | None:
    return nanoseconds / 1e6 if nanoseconds is not None and nanoseconds > 0 else None


def _interactivity(document: Mapping[str, Any]) -> float | None:
    stated = number(document.get("e2e_avg_interactivity"))
    tokens = number(document.get("output_tokens_per_turn_total"))
    seconds = number(document.get("e2e_turn_time_seconds_total"))
    return tokens / seconds if stated is None and tokens and seconds and seconds > 0 else stated


def disagrees(point: Mapping[str, Any]) -> bool:
    """Whether a stated throughput is further than a hundredth from what the whole run's counts give."""
    whole = point.get("whole_run_tps")
    return bool(whole) and abs(float(point["system_tps"]) - float(whole or 0)) > _STATED_TOLERANCE * float(
        whole or 0
    )


def read_run_metadata(body: bytes, what: str = "run_metadata.json") -> dict[str, Any]:
    """Read a v0.7 point's figures, milliseconds as they stand there. Raises ParseError without a throughput."""
    return run_figures(json_object(body, what), what)


def run_figures(document: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Read flat figures of a point, numbers or numbers in quotes. Raises ParseError without a throughput."""
    system_tps = number(document.get("system_tps"))
    if system_tps is None or system_tps <= 0:
        raise ParseError(f"{what}: has no system_tps")
    names = {
        "tps_per_user": "tps_per_user",
        "qps": "qps",
        "tpot_p90_ms": "measured_latency_tpot_p90",
        "ttft_p90_ms": "measured_latency_ttft_p90",
        "ttft_p95_ms": "measured_latency_ttft_p95",
        "e2e_avg_interactivity": "e2e_avg_interactivity",
        "system_tps_per_kw": "system_tps_per_kw",
    }
    found: dict[str, Any] = {name: number(document.get(key)) for name, key in names.items()}
    found["concurrency"] = count(document.get("concurrency"))
    found["region"] = words(document.get("config_region"))
    return {"system_tps": system_tps, **{name: value for name, value in found.items() if value is not None}}


def read_endpoint_system(body: bytes, what: str = "system_desc.json") -> dict[str, Any]:
    """Read a system's description, v1.0's or v0.7's. Raises ParseError if it is not a JSON object."""
    return system_facts(json_object(body, what))


def system_facts(document: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a system's description into facts. Several node types are joined; what is blank is left out."""
    nodes = objects(document.get("node_types"))
    processors = [words(node.get("host_processor_model_name")) for node in nodes]
    notes = [words(node.get(key)) for node in nodes for key in ("hw_notes", "sw_notes")]
    stacks = [
        words(document.get("serving_framework")),
        *(words(node.get("inference_backend")) for node in nodes),
    ]
    status = ("system_availability_status", "publication_status", "availability_status")
    state = (words(document.get("status")) or words(document.get("submission_status")) or "").upper()
    found: dict[str, Any] = {
        "submitter": words(document.get("submitter_org_names")),
        "system_name": words(document.get("system_name")),
        "system_type": words(document.get("system_category")),
        "availability": availability(
            next((text for key in status if (text := words(document.get(key)))), None)
        ),
        "available_by": words(document.get("target_availability_date")),
        "division": words(document.get("division")),
        "model_name": words(document.get("model_name")),
        "model_precision": words(document.get("model_precision")),
        "dataset": _dataset(document.get("dataset_name")) or words(document.get("dataset_id")),
        "max_supported_concurrency": count(document.get("max_supported_concurrency")),
        "nodes": sum(count(node.get("number_of_nodes")) or 0 for node in nodes) or None,
        "processor": _joined(processors, " + "),
        "software": _joined(stacks, ", "),
        "operating_system": _joined([words(node.get("operating_system")) for node in nodes], ", "),
        "notes": _joined(notes, "; "),
        "cooling": _joined([words(document.get("cooling")), *(words(n.get("cooling")) for n in nodes)], "; "),
        "accuracy": _accuracy(document.get("measured_accuracy_score")),
        "result_id": words(document.get("result_id")),
        "submission_id": words(document.get("submission_id")),
        "state": state if state in STATES else None,
        "tags": tags_of(document.get("tags"), state),
        **_accelerators(nodes),
    }
    return {name: value for name, value in found.items() if value not in (None, [], "")}


def _dataset(value: Any) -> str | None:
    """A data set's name, or a mapping that has it."""
    return words(mapping(value).get("name") if isinstance(value, dict) else value)


def _joined(texts: Iterable[str | None], sign: str) -> str | None:
    return sign.join(dict.fromkeys(text for text in texts if text)) or None


def _accelerators(nodes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Name and count accelerators over all node types; v0.7 has them flat on the node, v1.0 in a list of it."""
    counts: dict[str, int | None] = {}
    for node in nodes:
        number_of_nodes = count(node.get("number_of_nodes"))
        for entry in objects(node.get("accelerator_info")) or (node,):
            name = words(entry.get("accelerator_model_name"))
            per_node = count(entry.get("accelerators_per_node"))
            if name is None:
                continue
            more = number_of_nodes * per_node if number_of_nodes and per_node else None
            before = counts.get(name, 0)
            counts[name] = before + more if before is not None and more is not None else None
    if len(counts) == 1:
        (name, total), *_ = counts.items()
        return {"accelerator": name, "accelerator_total": total}
    marked = [f"{name} (x{total})" if total else name for name, total in counts.items()]
    return {"accelerator": " + ".join(marked) or None}


def _accuracy(value: Any) -> str | None:
    """A score, or the scores of each data set as ``name: score`` in the order they stand in."""
    if not isinstance(value, dict):
        return words(value)
    scores = [
        f"{words(name)}: {score:g}"
        for entry in value.values()
        for name, raw in mapping(mapping(entry).get("scores")).items()
        if (score := number(raw)) is not None
    ]
    return "  ".join(scores[:20]) or None


def tags_of(value: Any, state: str = "") -> list[str]:
    """Return tags in their known spelling where they have one, the state's own among them."""
    listed = value if isinstance(value, list) else [value]
    known = {tag.casefold(): tag for tag in TAGS}
    texts = [text for entry in listed if (text := words(entry))]
    found = [known.get(text.casefold(), text) for text in texts]
    return list(dict.fromkeys([*found, *([_STATE_TAGS[state]] if state in _STATE_TAGS else [])]))
