"""Facts of a curve and of one of its points → a result; the same for both layouts and for the viewer's export.

A point is published under a state or a tag: "peer review pending", "preview" (with the date by which the system is to
be available), "MLC Estimated Power", "withdrawn". They are the result's tags. A point that its submitter elected to
stand for Offline too stays a point of the curve and is tagged; a dedicated run is the scenario "Offline".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published
from watcher.domain import Power, Result
from watcher.errors import ParseError
from watcher.parse.endpoints import OFFLINE, disagrees
from watcher.parse.endpoints_power import ProvisionedPower
from watcher.parse.power_limit import power_limit
from watcher.parse.system_description import named_system

COLUMNS = frozenset({
    "suite", "round", "division", "availability", "submitter", "organisations", "platform", "benchmark_published",
    "benchmark", "scenario", "value", "unit", "unit_published", "better", "system_type", "system_name", "system",
    "accelerator", "accelerators", "accelerator_published", "accelerator_count", "nodes", "processor", "accuracy",
    "software", "software_published", "precision", "operating_system", "power", "accelerator_power_limit_watts",
    "notes", "url", "tags", "measures", "extra",
})  # fmt: skip

UNIT = "Tokens/s"
_MEASURES = (
    "concurrency", "tps_per_user", "ttft_p90_ms", "ttft_p95_ms", "tpot_p90_ms", "e2e_avg_interactivity", "qps",
    "samples_failed", "max_supported_concurrency", "system_tps_per_kw",
)  # fmt: skip
_EXTRA = ("result_id", "submission_id", "state", "dataset", "region", "target_cohort")
_WINDOWED = frozenset({"windowable"})


class Curve(Struct, frozen=True, kw_only=True):
    """One system, one model, one data set: whose it is, where it stands, and what describes it.

    ``platform`` is the system's folder, ``model`` the model's; ``system`` the facts of
    `watcher.parse.endpoints.system_facts`; ``submission_id`` a folder of v1.0's layout; ``url`` a public page.
    """

    submitter: str
    platform: str
    model: str
    url: str | None
    submission_id: str | None = None
    system: Mapping[str, Any] = field(default_factory=dict)
    power: ProvisionedPower = field(default_factory=lambda: ProvisionedPower(None))


def point_result(
    curve: Curve,
    figures: Mapping[str, Any],
    config: Mapping[str, Any],
    *,
    suite: str,
    round_: str,
    catalog: Catalog,
) -> Result:
    """Make the result of one point; the point's own configuration goes before the curve's description.

    Raises ParseError if it has no concurrency, no division, or figures that contradict each other.
    """
    facts = {**curve.system, **{key: value for key, value in figures.items() if value is not None}, **config}
    concurrency, division = facts.get("concurrency"), facts.get("division")
    if concurrency is None:
        raise ParseError("names no concurrency")
    if division is None:
        raise ParseError("names no division")
    if disagrees(figures) and facts.get("steady_state") not in _WINDOWED:
        raise ParseError(
            f"states {figures['system_tps']:g} tokens/s, but its counts give {figures['whole_run_tps']:g}"
        )
    dedicated = str(facts.get("offline", "")).casefold() == "dedicated"
    accelerator = facts.get("accelerator")
    published = Published(
        suite=suite,
        round=round_,
        division=_division(division),
        availability=facts.get("availability") or "unknown",
        submitter=curve.submitter,
        platform=curve.platform,
        benchmark_published=curve.model,
        benchmark_column=facts.get("model_name"),
        scenario=OFFLINE if dedicated else f"Concurrency {concurrency}",
        value=float(figures["system_tps"]),
        unit_published=UNIT,
        system_type=facts.get("system_type"),
        system_name=facts.get("system_name"),
        accelerator_published=accelerator,
        accelerator_total=facts.get("accelerator_total"),
        nodes=facts.get("nodes"),
        processor=facts.get("processor"),
        accuracy=facts.get("accuracy"),
        software_published=facts.get("software"),
        precision_published=facts.get("model_precision"),
        operating_system=facts.get("operating_system"),
        power=() if curve.power.watts is None else (Power("provisioned", curve.power.watts, "W"),),
        accelerator_power_limit_watts=power_limit(facts.get("notes"), accelerator),
        notes=facts.get("notes"),
        url=curve.url,
        extra=_extra(curve, facts),
    )
    return replace(
        named_system(published, catalog), tags=_tags(curve, facts), measures=_measures(curve, facts)
    )


def _division(text: str) -> str:
    """Return "standardized" for "Standardized (client over network)" too: what stands in brackets is how, not where."""
    return text.partition("(")[0].strip().casefold() or text.casefold()


def _extra(curve: Curve, facts: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**facts, "submission_id": curve.submission_id or facts.get("submission_id")}
    return {key: merged[key] for key in _EXTRA if merged.get(key) is not None}


def _tags(curve: Curve, facts: Mapping[str, Any]) -> tuple[str, ...]:
    found = list(facts.get("tags", ()))
    if facts.get("availability") == "preview":
        found.append("preview")
        if facts.get("available_by"):
            found.append(f"available by {facts['available_by']}")
    if curve.power.estimated:
        found.append("MLC Estimated Power")
    if str(facts.get("offline", "")).casefold() == "elected":
        found.append("elected for Offline")
    return tuple(dict.fromkeys(found))


def _measures(curve: Curve, facts: Mapping[str, Any]) -> dict[str, float]:
    found = {key: float(facts[key]) for key in _MEASURES if facts.get(key) is not None}
    whole = curve.power.watts is not None and not facts.get("nodes_used")
    if whole and "system_tps_per_kw" not in found:
        found["system_tps_per_kw"] = float(facts["system_tps"]) / (float(curve.power.watts or 0) / 1000)
    return found


def one_per_key(results: Iterable[Result]) -> tuple[Result, ...]:
    """Tell apart results of several submissions with one key: each one's platform gets its submission's identity.

    A system may be submitted again in a later cohort, and both versions are kept. What nothing tells apart is one.
    """
    listed = list(results)
    curves = {(r.key, str(r.extra.get("submission_id", ""))) for r in listed}
    repeated = Counter(key for key, _ in curves)
    found: dict[Any, Result] = {}
    for result in listed:
        identity = result.extra.get("submission_id")
        told = (
            replace(result, platform=f"{result.platform} ({identity})")
            if repeated[result.key] > 1 and identity
            else result
        )
        found.setdefault(told.key, told)
    return tuple(found.values())
