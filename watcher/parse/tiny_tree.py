"""Tiny results rebuilt from a repository's tree, for rounds without a table (v1.3, and those before v1.2).

``<division>/<submitter>/results/<system>/<benchmark>/{performance,accuracy,energy}/results.txt`` are the runner's
summaries, ``<division>/<submitter>/systems/<system>.json`` describes the board. The published figures are the median
throughput in inferences a second and, where energy was measured, the median energy an inference in microjoules. The
streaming benchmark (from v1.3) states an estimated throughput and a duty cycle instead of a median.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published
from watcher.domain import Aside, Power, Result, ResultKey, Table
from watcher.errors import ParseError
from watcher.parse.cells import number
from watcher.parse.paths import clean, folder_address
from watcher.parse.strict import capped, json_object, words
from watcher.parse.system_description import availability, named_system

COLUMNS = frozenset({
    "suite", "round", "division", "availability", "submitter", "organisations", "platform", "benchmark_published",
    "benchmark", "value", "unit", "unit_published", "better", "system_type", "system_name", "system", "accelerator",
    "accelerators", "accelerator_published", "processor", "accuracy", "software", "software_published", "notes",
    "power", "measures", "url",
})  # fmt: skip

MAX_SUMMARY = 2**20
"""Largest summary of the runner that is read, in bytes; real ones have some kilobytes."""

_SUBMISSION = r"(?P<submission>(?P<division>closed|open)/(?P<submitter>[^/]+))"
_GROUP = rf"(?P<group>{_SUBMISSION}/results/(?P<system>[^/]+(?:/[^/]+)?)/(?P<benchmark>[^/]+))"
_SUMMARY = re.compile(rf"{_GROUP}/(?P<kind>performance|accuracy|energy)/results?\.txt")
_SYSTEM = re.compile(rf"{_SUBMISSION}/systems/(?P<system>[^/]+)\.json")

_FIGURE = r"(\d{1,12}(?:\.\d{1,12})?)"
_FIGURES = {
    "median_throughput": re.compile(rf"Median throughput is\s{{1,20}}{_FIGURE}\s*inf\./sec", re.IGNORECASE),
    "estimated_throughput": re.compile(
        rf"Estimated throughput:\s{{0,20}}{_FIGURE}\s*inf\./sec", re.IGNORECASE
    ),
    "median_energy": re.compile(rf"Median energy cost is\s{{1,20}}{_FIGURE}\s*uJ/inf", re.IGNORECASE),
    "duty_cycle": re.compile(rf"Average duty cycle:\s{{0,20}}{_FIGURE}", re.IGNORECASE),
    "top_1": re.compile(rf"Top 1% =\s{{0,20}}{_FIGURE}", re.IGNORECASE),
    "auc": re.compile(rf"AUC =\s{{0,20}}{_FIGURE}", re.IGNORECASE),
}
_DESCRIBED = {
    "status": "Status",
    "board": "Board Name",
    "processor": "Processor(s) Name",
    "accelerator": "Accelerator",
    "framework": "Inference Framework",
    "libraries": "Software Libraries",
    "hardware_notes": "Hardware Notes",
    "software_notes": "Software Notes",
}


def wanted(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the runner's summaries of benchmarks that have a performance summary, and their boards' descriptions."""
    listed = clean(paths)
    summaries = [match for path in listed if (match := _SUMMARY.fullmatch(path))]
    measured = {match["group"] for match in summaries if match["kind"] == "performance"}
    boards = {(m["submission"], _board(m["system"])) for m in summaries if m["group"] in measured}
    described = [(path, _SYSTEM.fullmatch(path)) for path in listed]
    systems = [
        path for path, match in described if match and (match["submission"], match["system"]) in boards
    ]
    return tuple(sorted([*(match[0] for match in summaries if match["group"] in measured), *systems]))


def submission(path: str) -> str:
    """Return the submission folder of ``path``: division and submitter."""
    return "/".join(path.split("/")[:2])


def _board(system: str) -> str:
    """Some submitters put the software's folder above the board's: "microtvm_native/NUCLEO_L4R5ZI"."""
    return system.rpartition("/")[2]


def parse(path: str, body: bytes) -> dict[str, Any]:
    """Read one wanted file to facts. Raises ParseError."""
    if _SUMMARY.fullmatch(path):
        return {"figures": read_figures(body, path)}
    if _SYSTEM.fullmatch(path):
        document = json_object(body, path)
        found = {name: words(document.get(key)) for name, key in _DESCRIBED.items()}
        return {"system": {name: text for name, text in found.items() if text is not None}}
    raise ParseError(f"{path}: is no file of a tiny submission that is read")


def read_figures(body: bytes, what: str) -> dict[str, float]:
    """Read the figures of the runner's summary; of several windows the median's line counts. Raises ParseError."""
    text = capped(body, what, MAX_SUMMARY).decode("utf-8", errors="replace")
    found = {name: number(match[1]) for name, pattern in _FIGURES.items() if (match := pattern.search(text))}
    figures = {name: value for name, value in found.items() if value is not None}
    if not figures:
        raise ParseError(f"{what}: holds no figure of the tiny runner")
    return figures


def build(
    facts: Mapping[str, Mapping[str, Any]],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
) -> Table:
    """Make the table of a tiny round. Raises ParseError if not one result comes out."""
    groups: dict[str, dict[str, Mapping[str, Any]]] = {}
    matches: dict[str, re.Match[str]] = {}
    systems: dict[tuple[str, str], Mapping[str, Any]] = {}
    for path, found in facts.items():
        if match := _SUMMARY.fullmatch(path):
            matches[match["group"]] = match
            groups.setdefault(match["group"], {})[match["kind"]] = found
        elif match := _SYSTEM.fullmatch(path):
            systems[match["submission"], match["system"]] = found
    results: dict[ResultKey, Result] = {}
    asides: list[Aside] = []
    for name, group in sorted(groups.items()):
        match = matches[name]
        described = systems.get((match["submission"], _board(match["system"])), {})
        notes: list[str] = []
        try:
            result = _result(match, group, described, suite, round_, repository_url, catalog, notes)
            results[result.key] = result
        except ParseError as error:
            notes = [str(error)]
        asides.extend(Aside(name, note) for note in notes)
    if not results:
        first = f"; {asides[0].row}: {asides[0].message}" if asides else ""
        raise ParseError(f"no result of {suite} {round_} could be rebuilt from {len(facts)} files{first}")
    return Table(suite, round_, tuple(results.values()), COLUMNS, asides=tuple(asides))


def _result(
    match: re.Match[str],
    group: Mapping[str, Mapping[str, Any]],
    described: Mapping[str, Any],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
    notes: list[str],
) -> Result:
    performance = _figures(group, "performance", [])
    value = performance.get("median_throughput", performance.get("estimated_throughput"))
    if value is None or value <= 0:
        raise ParseError(
            str(group.get("performance", {}).get("error", "its performance summary has no throughput"))
        )
    energy = _figures(group, "energy", notes).get("median_energy")
    accuracy = _figures(group, "accuracy", notes)
    system = described.get("system", {})
    if "system" not in described:
        notes.append(str(described.get("error", f"systems/{_board(match['system'])}.json is missing")))
    software = "; ".join(
        dict.fromkeys(text for key in ("framework", "libraries") if (text := system.get(key)))
    )
    published = Published(
        suite=suite,
        round=round_,
        division=match["division"],
        availability=availability(system.get("status")) or "unknown",
        submitter=match["submitter"],
        platform=match["system"],
        benchmark_published=match["benchmark"],
        scenario=None,
        value=value,
        unit_published="inf./sec.",
        system_type="tiny",
        system_name=system.get("board"),
        accelerator_published=system.get("accelerator"),
        processor=system.get("processor"),
        accuracy=_accuracy(match["benchmark"], accuracy),
        software_published=software or None,
        power=(Power("measured", energy, "uJ/inference"),) if energy else (),
        notes="; ".join(text for key in ("hardware_notes", "software_notes") if (text := system.get(key)))
        or None,
        url=folder_address(repository_url, suite, round_, match["group"]),
    )
    duty = performance.get("duty_cycle")
    return replace(named_system(published, catalog), measures={} if duty is None else {"duty_cycle": duty})


def _figures(group: Mapping[str, Mapping[str, Any]], kind: str, notes: list[str]) -> Mapping[str, float]:
    found = group.get(kind, {})
    if "error" in found:
        notes.append(str(found["error"]))
    figures: Mapping[str, float] = found.get("figures", {})
    return figures


def _accuracy(benchmark: str, figures: Mapping[str, float]) -> str | None:
    """Tables give the area under the curve for anomaly detection and the share of right answers for the others."""
    value = figures.get("auc") if benchmark == "ad" else figures.get("top_1", figures.get("auc"))
    return None if value is None else f"{value:g}"
