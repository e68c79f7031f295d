"""Archived results → the bytes of a table as MLCommons publishes it, so that the demo runs the real parsers.

Only columns that the archive holds are written; the facts in them are the published ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from watcher.domain import Result


def summary_results(results: Iterable[Result]) -> bytes:
    """Return the older shape: a list of rows, performance and power merged (``summary_results.json``)."""
    return _bytes([_older_row(number, result) for number, result in enumerate(results, 1)])


def summary(results: Iterable[Result]) -> bytes:
    """Return the newer shape: rows keyed by number, power in a row of its own (``summary.json``)."""
    rows: list[dict[str, Any]] = []
    for result in results:
        row = _newer_row(result)
        rows.append(row)
        measured = _measured(result)
        if measured is not None:
            rows.append(row | {"Result": measured.value, "Units": measured.unit})
    return _bytes({str(number): row for number, row in enumerate(rows)})


def _older_row(number: int, result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {
        "ID": f"{result.round.removeprefix('v')}-{number:04d}",
        "Submitter": result.submitter,
        "Availability": result.availability,
        "Category": result.division,
        "Suite": ",".join(result.system_type),
        "System": result.system_name or "",
        "Platform": result.platform,
        "UsedModel": result.benchmark_published,
        "Model": _model(result),
        "Scenario": result.scenario,
        "Nodes": result.nodes,
        "Processor": result.processor or "",
        "Accelerator": result.accelerator_published or "",
        "a#": result.accelerators_per_node if result.accelerators_per_node is not None else "",
        "Software": result.software_published or "",
        "Notes": _notes(result),
        "version": result.round,
        "inferred": int(bool(result.inferred)),
        "has_power": _measured(result) is not None,
        "weight_data_types": ",".join(result.precision),
        "Location": _location(result),
        "Performance_Result": result.value,
        "Performance_Units": result.unit_published or result.unit,
    }
    if result.round != "v5.1":
        row["Total Accelerators"] = result.accelerator_count or 0
    measured = _measured(result)
    if measured is not None:
        row |= {"Power_Result": measured.value, "Power_Units": measured.unit}
    return row


def _newer_row(result: Result) -> dict[str, Any]:
    return {
        "Organization": result.submitter,
        "Availability": result.availability,
        "Division": result.division,
        "SystemType": ",".join(result.system_type),
        "SystemName": result.system_name or "",
        "Platform": result.platform,
        "Model": result.benchmark_published,
        "MlperfModel": _model(result),
        "Scenario": result.scenario,
        "Result": result.value,
        "number_of_nodes": result.nodes,
        "host_processor_model_name": result.processor or "",
        "accelerator_model_name": result.accelerator_published or "",
        "accelerators_per_node": result.accelerators_per_node
        if result.accelerators_per_node is not None
        else "",
        "total_accelerators": result.accelerator_count or 0,
        "Location": _location(result),
        "framework": result.software_published or "",
        "notes": _notes(result),
        "compliance": result.division,
        "errors": 0,
        "version": result.round,
        "inferred": int(bool(result.inferred)),
        "has_power": _measured(result) is not None,
        "Units": result.unit_published or result.unit,
        "weight_data_types": ",".join(result.precision),
        "design_power_watts": None,
        "PrivateID": None,
    }


def _model(result: Result) -> str:
    return f"{result.benchmark}-{result.accuracy_target}" if result.accuracy_target else result.benchmark


def _measured(result: Result) -> Any:
    return next((figure for figure in result.power if figure.kind == "measured"), None)


def _notes(result: Result) -> str:
    watts = result.accelerator_power_limit_watts
    return f"{watts:g}W TGP Per GPU" if watts else ""


def _location(result: Result) -> str:
    parts = (".", result.division, result.submitter, "results", result.platform, result.benchmark_published)
    return "/".join((*parts, result.scenario or "", "performance", "run_1"))


def _bytes(rows: Any) -> bytes:
    return json.dumps(rows, indent=1, ensure_ascii=False).encode()
