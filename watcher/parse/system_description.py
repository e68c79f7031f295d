"""System descriptions: ``systems/<system>.json`` beside the results of inference, training and HPC.

One JSON object; numbers stand as numbers or as texts, "nothing" in many spellings, the software stack as a text or as
an object. ``status`` is the availability: training says 'Available cloud' and 'Available on-premise' for available.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from watcher.catalog.names import Catalog
from watcher.parse.strict import count, json_object, words

DESCRIBED = frozenset({
    "system_type", "availability", "system_name", "system", "accelerator", "accelerators", "accelerator_published",
    "accelerator_count", "accelerators_per_node", "nodes", "processor", "processors_per_node", "processor_core_count",
    "software", "software_published", "operating_system", "notes", "accelerator_power_limit_watts",
})  # fmt: skip
"""Fields of a result that a system description fills."""

_TEXTS = (
    "submitter", "division", "status", "system_name", "system_type", "host_processor_model_name",
    "accelerator_model_name", "framework", "operating_system", "hw_notes", "sw_notes",
)  # fmt: skip
_COUNTS = (
    "number_of_nodes",
    "host_processors_per_node",
    "host_processor_core_count",
    "accelerators_per_node",
)

_BRACKETS = re.compile(r"\(([^()]{2,60})\)")
_LIMIT = re.compile(r"\bTGP:?\s*(\d[\d,]{1,6})\s*W\b|\b(\d[\d,]{1,6})\s*W\s+TGP\b", re.IGNORECASE)


def read_system(body: bytes, what: str) -> dict[str, Any]:
    """Read what we need of a system description: texts in one line, whole numbers; blanks are left out. Raises ParseError."""
    document = json_object(body, what)
    texts = {key: words(document.get(key)) for key in _TEXTS}
    counts = {key: count(document.get(key)) for key in _COUNTS}
    return {key: value for key, value in {**texts, **counts}.items() if value is not None}


def system_fields(facts: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """Turn `read_system`'s facts into fields of a result, those of `DESCRIBED`."""
    accelerator = accelerator_fields(
        facts.get("accelerator_model_name"),
        nodes=facts.get("number_of_nodes"),
        per_node=facts.get("accelerators_per_node"),
        catalog=catalog,
    )
    notes = "; ".join(text for text in (facts.get("hw_notes"), facts.get("sw_notes")) if text) or None
    software = facts.get("framework")
    return {
        **accelerator,
        "system_type": system_types(facts.get("system_type")),
        "availability": availability(facts.get("status")) or "unknown",
        "system_name": facts.get("system_name"),
        "nodes": facts.get("number_of_nodes"),
        "processor": facts.get("host_processor_model_name"),
        "processors_per_node": facts.get("host_processors_per_node"),
        "processor_core_count": facts.get("host_processor_core_count"),
        "software": catalog.software(software) if software else (),
        "software_published": software,
        "operating_system": facts.get("operating_system"),
        "notes": notes,
        "accelerator_power_limit_watts": power_limit(notes),
    }


def accelerator_fields(
    published: str | None,
    *,
    nodes: int | None,
    per_node: int | None,
    catalog: Catalog,
    total: int | None = None,
) -> dict[str, Any]:
    """Name and count the accelerators of a system: the "(xN)" marks, else ``total``, else nodes times per node."""
    if published is None:
        return {
            "accelerator": None,
            "accelerators": (),
            "accelerator_published": None,
            "accelerator_count": None,
        }
    reading = catalog.accelerators(published)
    counted = reading.count or total or (nodes * per_node if nodes and per_node else None)
    names = reading.names
    if reading.unknown and len(names) == 1:
        names = (_bracketed(published, catalog) or names[0],)
    accelerator = names[0] if len(names) == 1 else None
    return {
        "accelerator": accelerator,
        "accelerators": names,
        "accelerator_published": published,
        "accelerator_count": counted,
        "accelerators_per_node": per_node,
        "system": catalog.system(accelerator, counted),
    }


def _bracketed(published: str, catalog: Catalog) -> str | None:
    """Training names a family and puts the accelerator in brackets: "NVIDIA Blackwell GPU (B200-SXM-180GB)"."""
    found = {name for part in _BRACKETS.findall(published) if (name := catalog.accelerator(part))}
    return found.pop() if len(found) == 1 else None


def availability(status: str | None) -> str | None:
    """Return available, preview, rdi or development; another word as it stands, in lower case; null for none."""
    folded = (status or "").casefold()
    if folded.startswith("available") or folded in {"cloud", "onprem", "on-premise", "on-prem", "onpremise"}:
        return "available"
    if folded.startswith("preview"):
        return "preview"
    if "rdi" in folded or folded.startswith(("research", "internal")):
        return "rdi"
    return folded or None


def system_types(text: str | None) -> tuple[str, ...]:
    """Split 'datacenter,edge' into its parts, in lower case and each once."""
    parts = (part.strip().casefold() for part in (text or "").split(","))
    return tuple(dict.fromkeys(part for part in parts if part))


def power_limit(notes: str | None) -> float | None:
    """Return the watts that notes give as the limit of one accelerator ("1400W TGP Per GPU"); it is never power."""
    found = _LIMIT.search(notes or "")
    return float((found[1] or found[2]).replace(",", "")) if found else None
