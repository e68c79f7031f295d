"""System descriptions: ``systems/<system>.json`` beside the results of inference, training and HPC.

One JSON object; numbers stand as numbers or as texts, "nothing" in many spellings, the software stack as a text or as
an object. ``status`` is the availability: training says 'Available cloud' and 'Available on-premise' for available.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published, named
from watcher.domain import Result
from watcher.parse.cells import count
from watcher.parse.power_limit import power_limit
from watcher.parse.strict import json_object, words

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


def read_system(body: bytes, what: str) -> dict[str, Any]:
    """Read what we need of a description: texts in one line, whole numbers; blanks are left out. Raises ParseError."""
    document = json_object(body, what)
    texts = {key: words(document.get(key)) for key in _TEXTS}
    counts = {key: count(document.get(key)) for key in _COUNTS}
    return {key: value for key, value in {**texts, **counts}.items() if value is not None}


def system_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Turn `read_system`'s facts into those of `watcher.catalog.naming.Published` that describe the system."""
    notes = "; ".join(text for text in (facts.get("hw_notes"), facts.get("sw_notes")) if text) or None
    accelerator = facts.get("accelerator_model_name")
    return {
        "availability": availability(facts.get("status")) or "unknown",
        "system_type": facts.get("system_type"),
        "system_name": facts.get("system_name"),
        "accelerator_published": accelerator,
        "accelerators_per_node": facts.get("accelerators_per_node"),
        "nodes": facts.get("number_of_nodes"),
        "processor": facts.get("host_processor_model_name"),
        "processors_per_node": facts.get("host_processors_per_node"),
        "processor_core_count": facts.get("host_processor_core_count"),
        "software_published": facts.get("framework"),
        "operating_system": facts.get("operating_system"),
        "notes": notes,
        "accelerator_power_limit_watts": power_limit(notes, accelerator),
    }


def named_system(published: Published, catalog: Catalog) -> Result:
    """Name a result; an accelerator that the catalog knows only by what its brackets say is named by them.

    Training publishes a family and the accelerator in brackets: "NVIDIA Blackwell GPU (B200-SXM-180GB)".
    """
    result = named(published, catalog)
    text = published.accelerator_published or ""
    if len(result.accelerators) != 1 or catalog.accelerator(text) or not _BRACKETS.search(text):
        return result
    found = {name for part in _BRACKETS.findall(text) if (name := catalog.accelerator(part))}
    if result.accelerator in catalog.names("accelerator") or len(found) != 1:
        return result
    name = found.pop()
    return replace(
        result,
        accelerator=name,
        accelerators=(name,),
        system=catalog.system(name, result.accelerator_count),
    )


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
