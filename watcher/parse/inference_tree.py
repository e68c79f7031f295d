"""Inference results rebuilt from a repository's tree: rounds without a table (up to v4.0), or one that is missing.

``<division>/<submitter>/results/<system>/<benchmark>/<scenario>/`` holds ``performance/run_1/mlperf_log_summary.txt``
(LoadGen) or ``performance/result_summary.json`` with ``accuracy/accuracy_results.json`` (LoadGen++, from v6.1 on), and
from v6.0 on ``measurements.json``; ``systems/<system>.json`` describes the system. A measured-power run has
``spl.txt`` beside its summary: then its detail log is read too, and the clocks' time zones of ``power/``.

What a table knows and this does not: rows that the checker infers for an edge system (MultiStream from SingleStream,
Offline from either), accuracy of LoadGen runs, and a seventh digit.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct, field, to_builtins

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published
from watcher.domain import Aside, Power, Result, Table
from watcher.errors import ParseError
from watcher.parse import loadgen
from watcher.parse.cells import number
from watcher.parse.paths import clean, folder_address
from watcher.parse.power_log import (
    PowerWindow,
    energy_per_query,
    mean_power,
    packed_samples,
    read_window,
    unpacked_samples,
)
from watcher.parse.strict import json_object
from watcher.parse.system_description import DESCRIBED, named_system, read_system, system_facts

COLUMNS = DESCRIBED | {
    "suite", "round", "division", "submitter", "organisations", "platform", "benchmark_published", "benchmark",
    "scenario", "accuracy_target", "accuracy", "value", "unit", "unit_published", "better", "precision", "power", "url",
}  # fmt: skip

_SUBMISSION = r"(?P<submission>(?P<division>closed|open|network)/(?P<submitter>[^/]+))"
_GROUP = rf"(?P<group>{_SUBMISSION}/results/(?P<system>[^/]+)/(?P<benchmark>[^/]+)/(?P<scenario>[A-Za-z]+))"
_FILES = {
    "summary": re.compile(rf"{_GROUP}/performance/run_1/mlperf_log_summary\.txt"),
    "result_summary": re.compile(rf"{_GROUP}/performance/(?:run_1/)?result_summary\.json"),
    "accuracy": re.compile(rf"{_GROUP}/accuracy/accuracy_results\.json"),
    "measurements": re.compile(rf"{_GROUP}/measurements\.json"),
    "samples": re.compile(rf"{_GROUP}/performance/run_1/spl\.txt"),
    "window": re.compile(rf"{_GROUP}/performance/run_1/mlperf_log_detail\.txt"),
    "client": re.compile(rf"{_GROUP}/performance/power/client\.json"),
    "server": re.compile(rf"{_GROUP}/performance/power/server\.json"),
}
_SYSTEM = re.compile(rf"{_SUBMISSION}/systems/(?P<system>[^/]+)\.json")
_POWER_FILES = frozenset({"samples", "window", "client", "server"})
_SUMMARIES = frozenset({"summary", "result_summary"})
_STREAMS = frozenset({"SingleStream", "MultiStream"})


class _Group(Struct):
    match: re.Match[str]
    facts: dict[str, Mapping[str, Any]] = field(default_factory=dict)


def _kind(path: str) -> tuple[str, re.Match[str]] | None:
    for kind, pattern in _FILES.items():
        match = pattern.fullmatch(path)
        if match:
            return kind, match
    return None


def wanted(paths: Iterable[str]) -> tuple[str, ...]:
    """Return one summary a result, what describes it, and the power files of results that measured power.

    A result with LoadGen++'s summary needs no LoadGen summary; accuracy is asked for only where it is LoadGen++'s.
    """
    listed = clean(paths)
    found = [(path, *kind) for path in listed if (kind := _kind(path))]
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for _path, name, match in found:
        beside[match["group"]].add(name)
    chosen = [path for path, name, match in found if _is_wanted(name, beside[match["group"]])]
    run = {(m["submission"], m["system"]) for _path, name, m in found if name in _SUMMARIES}
    systems = [(path, _SYSTEM.fullmatch(path)) for path in listed]
    chosen += [path for path, m in systems if m and (m["submission"], m["system"]) in run]
    return tuple(sorted(chosen))


def _is_wanted(kind: str, beside: set[str]) -> bool:
    if not beside & _SUMMARIES:
        return False
    if kind == "summary":
        return "result_summary" not in beside
    if kind == "accuracy":
        return "result_summary" in beside
    return "samples" in beside if kind in _POWER_FILES else True


def submission(path: str) -> str:
    """Return the submission folder of ``path``: division and submitter."""
    return "/".join(path.split("/")[:2])


def parse(path: str, body: bytes) -> dict[str, Any]:
    """Read one wanted file to facts. Raises ParseError."""
    if _SYSTEM.fullmatch(path):
        return {"system": read_system(body, path)}
    kind = _kind(path)
    if kind is None:
        raise ParseError(f"{path}: is no file of an inference submission that is read")
    return {kind[0]: _READERS[kind[0]](body, path)}


def _window(body: bytes, what: str) -> dict[str, Any]:
    window = read_window(body, what)
    return {"begin": window.begin.isoformat(), "end": window.end.isoformat(), "queries": window.queries}


def _timezone(body: bytes, what: str) -> float:
    return number(json_object(body, what).get("timezone")) or 0.0


_READERS: Mapping[str, Callable[[bytes, str], Any]] = {
    "summary": lambda body, what: to_builtins(loadgen.read_summary(body, what)),
    "result_summary": lambda body, what: to_builtins(loadgen.read_result_summary(body, what)),
    "accuracy": loadgen.read_accuracy,
    "measurements": loadgen.read_measurements,
    "samples": packed_samples,
    "window": _window,
    "client": _timezone,
    "server": _timezone,
}


def build(
    facts: Mapping[str, Mapping[str, Any]],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
) -> Table:
    """Make the table of an inference round. Raises ParseError if not one result comes out."""
    groups, systems = _grouped(facts)
    results: list[Result] = []
    asides: list[Aside] = []
    for name, group in sorted(groups.items()):
        described = systems.get((group.match["submission"], group.match["system"]), {})
        notes: list[str] = []
        try:
            results.append(_result(group, described, suite, round_, repository_url, catalog, notes))
        except ParseError as error:
            notes = [str(error)]
        asides.extend(Aside(name, note) for note in notes)
    if not results:
        first = f"; {asides[0].row}: {asides[0].message}" if asides else ""
        raise ParseError(f"no result of {suite} {round_} could be rebuilt from {len(facts)} files{first}")
    return Table(suite, round_, tuple(results), COLUMNS, asides=tuple(asides))


def _grouped(
    facts: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, _Group], dict[tuple[str, str], Mapping[str, Any]]]:
    groups: dict[str, _Group] = {}
    systems: dict[tuple[str, str], Mapping[str, Any]] = {}
    for path, found in facts.items():
        described = _SYSTEM.fullmatch(path)
        kind = _kind(path)
        if described:
            systems[described["submission"], described["system"]] = found
        elif kind:
            groups.setdefault(kind[1]["group"], _Group(kind[1])).facts[kind[0]] = found
    return {name: group for name, group in groups.items() if _SUMMARIES & group.facts.keys()}, systems


def _result(
    group: _Group,
    described: Mapping[str, Any],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
    notes: list[str],
) -> Result:
    match = group.match
    name = catalog.benchmark(match["benchmark"], suite)
    scenario = name.scenario or catalog.scenario(match["scenario"])
    if scenario is None:
        raise ParseError(f"{match['scenario']} is no scenario that we know")
    kind = "result_summary" if "result_summary" in group.facts else "summary"
    run = loadgen.RunFigures(**_read(group.facts[kind], kind))
    figure = loadgen.published_figure(run, name.name, scenario, round_)
    if "system" not in described:
        notes.append(str(described.get("error", f"systems/{match['system']}.json is missing")))
    weights = group.facts.get("measurements", {}).get("measurements", {}).get("weight_data_types")
    scores = group.facts.get("accuracy", {}).get("accuracy", {})
    published = Published(
        suite=suite,
        round=round_,
        division=match["division"],
        submitter=match["submitter"],
        platform=match["system"],
        benchmark_published=match["benchmark"],
        scenario=scenario,
        value=figure.value,
        unit_published=figure.unit,
        accuracy="  ".join(f"{score}: {value:g}" for score, value in scores.items()) or None,
        precision_published=weights,
        power=_power(group, scenario, notes),
        url=folder_address(repository_url, suite, round_, match["group"]),
        **system_facts(described.get("system", {})),
    )
    return named_system(published, catalog)


def _read(facts: Mapping[str, Any], kind: str) -> Any:
    if kind not in facts:
        raise ParseError(str(facts.get("error", f"{kind} was not read")))
    return facts[kind]


def _power(group: _Group, scenario: str, notes: list[str]) -> tuple[Power, ...]:
    if "samples" not in group.facts:
        return ()
    try:
        stamps = _read(group.facts.get("window", {}), "window")
        window = PowerWindow(
            datetime.fromisoformat(stamps["begin"]), datetime.fromisoformat(stamps["end"]), stamps["queries"]
        )
        clocks = [float(group.facts.get(side, {}).get(side, 0.0)) for side in ("server", "client")]
        samples = unpacked_samples(_read(group.facts["samples"], "samples"))
        power = mean_power(samples, window, ahead=clocks[0] - clocks[1])
        if scenario in _STREAMS:
            return (Power("measured", energy_per_query(power, window), "mJ"),)
    except ParseError as error:
        notes.append(f"its measured power could not be computed: {error}")
        return ()
    return (Power("measured", power.watts, "W"),)
