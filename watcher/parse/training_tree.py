"""Training and HPC results rebuilt from a repository's tree, which carries no table.

Training: ``<submitter>/results/<system>/<benchmark>/result_N.txt``, ``<submitter>/systems/<system>.json``. HPC puts
``strong`` or ``weak`` between system and benchmark: weak scaling trains many models at once, and its result is the
time until all of them are done. Beside the runs may stand ``scaling.json`` (the review committee's factor) and
``power/result_N/{node_M,sw_M}.txt``. The folder is the submitter, whatever a log or a description says. A run that
cannot be read counts as one that did not converge. v0.5 has another layout and other logs and is left alone.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published
from watcher.domain import Aside, Power, Result, Table
from watcher.errors import ParseError
from watcher.parse.paths import clean, folder_address
from watcher.parse.power_log import read_meter
from watcher.parse.system_description import DESCRIBED, availability, named_system, read_system, system_facts
from watcher.parse.training import Run, counted, is_complete, read_run, read_scaling_factor

COLUMNS = DESCRIBED | {
    "suite", "round", "division", "submitter", "organisations", "platform", "benchmark_published", "benchmark",
    "scenario", "value", "unit", "unit_published", "better", "power", "url", "tags", "measures",
}  # fmt: skip

_SUBMISSION = r"(?P<submission>(?:(?:closed|open)/)?(?P<submitter>[^/]+))"
_GROUP = rf"{_SUBMISSION}/results/(?P<system>[^/]+)/(?:(?P<scale>strong|weak)/)?(?P<benchmark>[^/]+)"
_RUN = re.compile(rf"(?P<group>{_GROUP})/result_(?P<number>\d{{1,6}})\.txt")
_SCALING = re.compile(rf"(?P<group>{_GROUP})/scaling\.json")
_METER = re.compile(rf"(?P<group>{_GROUP})/power/result_(?P<number>\d{{1,6}})/(?:node|sw)_\d{{1,6}}\.txt")
_SYSTEM = re.compile(rf"{_SUBMISSION}/systems/(?P<system>[^/]+)\.json")

_RENAMED = {"mask": "maskrcnn"}
_SSD_IS_RETINANET = frozenset({"v2.0", "v2.1", "v3.0", "v3.1", "v4.0", "v4.1"})


class _Group(Struct):
    """The facts of one result's files."""

    match: re.Match[str]
    runs: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    meters: defaultdict[int, list[Mapping[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    scaling: Mapping[str, Any] = field(default_factory=dict)


def wanted(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the runs, factors, meters and the descriptions of systems that have runs."""
    listed = clean(paths)
    runs = [match for path in listed if (match := _RUN.fullmatch(path))]
    groups = {match["group"] for match in runs}
    systems = {(match["submission"], match["system"].casefold()) for match in runs}
    chosen = [match[0] for match in runs]
    for path in listed:
        beside = _SCALING.fullmatch(path) or _METER.fullmatch(path)
        described = _SYSTEM.fullmatch(path)
        if (beside and beside["group"] in groups) or (
            described and (described["submission"], described["system"].casefold()) in systems
        ):
            chosen.append(path)
    return tuple(sorted(chosen))


def submission(path: str) -> str:
    """Return the submission folder of ``path``: the submitter's."""
    parts = path.split("/")
    return "/".join(parts[:2] if parts[0] in {"closed", "open"} else parts[:1])


def parse(path: str, body: bytes) -> dict[str, Any]:
    """Read one wanted file to facts. Raises ParseError."""
    if _RUN.fullmatch(path):
        return {
            "run": {
                key: value for key, value in to_builtins(read_run(body, path)).items() if value is not None
            }
        }
    if _METER.fullmatch(path):
        return {"meter": to_builtins(read_meter(body, path))}
    if _SCALING.fullmatch(path):
        return {"scaling_factor": read_scaling_factor(body, path)}
    if _SYSTEM.fullmatch(path):
        return {"system": read_system(body, path)}
    raise ParseError(f"{path}: is no file of a training submission that is read")


def build(
    facts: Mapping[str, Mapping[str, Any]],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
) -> Table:
    """Make the table of a training or HPC round. Raises ParseError if not one result comes out."""
    groups, systems = _grouped(facts)
    results, asides = [], []
    for name, group in sorted(groups.items()):
        key = (group.match["submission"], group.match["system"].casefold())
        try:
            result, notes = _result(group, systems.get(key, {}), suite, round_, repository_url, catalog)
        except ParseError as error:
            asides.append(Aside(name, str(error)))
            continue
        results.append(result)
        asides.extend(Aside(name, note) for note in notes)
    if not results:
        raise ParseError(
            f"no result of {suite} {round_} could be rebuilt from {len(facts)} files{_first(asides)}"
        )
    return Table(suite, round_, tuple(results), COLUMNS, asides=tuple(asides))


def _first(asides: Sequence[Aside]) -> str:
    return f"; {asides[0].row}: {asides[0].message}" if asides else ""


def _grouped(
    facts: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, _Group], dict[tuple[str, str], Mapping[str, Any]]]:
    groups: dict[str, _Group] = {}
    systems: dict[tuple[str, str], Mapping[str, Any]] = {}
    for path, found in facts.items():
        if match := _SYSTEM.fullmatch(path):
            systems[match["submission"], match["system"].casefold()] = found
        elif match := _RUN.fullmatch(path):
            groups.setdefault(match["group"], _Group(match)).runs[int(match["number"])] = found
        elif match := _SCALING.fullmatch(path):
            groups.setdefault(match["group"], _Group(match)).scaling = found
        elif match := _METER.fullmatch(path):
            groups.setdefault(match["group"], _Group(match)).meters[int(match["number"])].append(found)
    return {name: group for name, group in groups.items() if group.runs}, systems


def _result(
    group: _Group,
    described: Mapping[str, Any],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
) -> tuple[Result, list[str]]:
    notes = [str(found["error"]) for found in group.runs.values() if "error" in found]
    runs = {number: Run(**found["run"]) for number, found in sorted(group.runs.items()) if "run" in found}
    converged = {number: run for number, run in runs.items() if run.converged}
    if "error" in group.scaling:
        raise ParseError(f"the result cannot be scaled: {group.scaling['error']}")
    factor = float(group.scaling.get("scaling_factor", 1.0))
    match = group.match
    failed = len(group.runs) - len(converged)
    value, measures, power = _measured(group, converged, failed, factor, notes)
    first = next(iter(runs.values()), None)
    system = system_facts(described.get("system", {}))
    if "system" not in described:
        notes.append(str(described.get("error", f"systems/{match['system']}.json is missing")))
        system["availability"] = availability(first.availability if first else None) or "unknown"
    division = described.get("system", {}).get("division") or (first.division if first else None)
    if division is None:
        raise ParseError("neither the system description nor a run names the division")
    published = Published(
        suite=suite,
        round=round_,
        division=str(division).casefold(),
        submitter=match["submitter"],
        platform=match["system"],
        benchmark_published=match["benchmark"],
        benchmark_column=_benchmark(match["benchmark"], suite, round_),
        scenario="Weak" if match["scale"] == "weak" else None,
        value=value,
        unit_published="minutes",
        power=power,
        url=folder_address(repository_url, suite, round_, match["group"]),
        **system,
    )
    tags = () if is_complete(len(group.runs), match["benchmark"]) else ("fewer runs than the rules ask for",)
    return replace(named_system(published, catalog), tags=tags, measures=measures), notes


def _benchmark(folder: str, suite: str, round_: str) -> str:
    if folder == "ssd" and suite == "training" and round_ in _SSD_IS_RETINANET:
        return "retinanet"
    return _RENAMED.get(folder, folder)


def _measured(
    group: _Group, converged: Mapping[int, Run], failed: int, factor: float, notes: list[str]
) -> tuple[float, dict[str, float], tuple[Power, ...]]:
    if group.match["scale"] == "weak":
        return _weak(converged)
    numbers = list(converged)
    kept = [
        numbers[index]
        for index in counted([converged[n].minutes for n in numbers], failed, group.match["benchmark"])
    ]
    mean = math.fsum(converged[n].minutes for n in kept) / len(kept)
    measures = {"runs": float(len(group.runs)), "runs_not_converged": float(failed)}
    if factor != 1.0:
        measures["scaling_factor"] = factor
    return mean * factor, measures, _power(group, converged, kept, factor, notes)


def _weak(converged: Mapping[int, Run]) -> tuple[float, dict[str, float], tuple[Power, ...]]:
    if not converged:
        raise ParseError("no model of the weak scaling run converged")
    start = min(run.start_ms for run in converged.values())
    stop = max(run.stop_ms for run in converged.values())
    measures = {"number_of_models": float(len(converged))}
    scales = {run.instance_scale for run in converged.values() if run.instance_scale}
    if len(scales) == 1:
        measures["instance_scale"] = float(scales.pop())
    return (stop - start) / 60 / 1000, measures, ()


def _power(
    group: _Group, converged: Mapping[int, Run], kept: Sequence[int], factor: float, notes: list[str]
) -> tuple[Power, ...]:
    """Mean watts and energy a run over the runs that the result averages; none unless every one of them has both."""
    if not group.meters:
        return ()
    watts = []
    for number in kept:
        meters = group.meters.get(number, [])
        broken = [str(meter["error"]) for meter in meters if "error" in meter]
        if broken or not meters:
            notes.append(
                broken[0] if broken else f"power of result_{number} is missing, so the result has none"
            )
            return ()
        watts.append(math.fsum(float(meter["meter"]["watts"]) for meter in meters))
    seconds = [converged[number].minutes * 60 for number in kept]
    energy = math.fsum(w * s for w, s in zip(watts, seconds, strict=True)) / len(kept) * factor
    return (
        Power("measured", math.fsum(watts) / len(watts), "W"),
        Power("measured", energy, "J"),
    )
