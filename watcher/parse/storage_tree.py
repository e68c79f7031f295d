"""Storage results rebuilt from a repository's tree.

v3.0 and later carry ``results.json`` and ``results.csv`` at the root: that table is read and nothing else. v1.0 has
``<Closed|Open>/<submitter>/results/<system>/<model>-<accelerator>/…/mlperf_storage_report.json`` and a description in
``systems/<system>.json``. v0.5 and v2.0 have neither a table nor a report a system; they are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import to_builtins

from watcher.catalog.names import Catalog
from watcher.domain import Aside, Result, Table
from watcher.errors import ParseError
from watcher.parse.cells import number
from watcher.parse.paths import clean, folder_address
from watcher.parse.storage import COLUMNS, StorageReport, read_report, read_table
from watcher.parse.strict import MAX_JSON, capped, json_object, mapping, words

_TABLES = ("results.json", "results.csv")
_REPORT = re.compile(
    r"(?P<group>(?P<submission>(?P<division>closed|open)/(?P<submitter>[^/]+))/results/(?P<system>[^/]+)"
    r"/(?P<workload>[^/]+))(?:/[^/]+){0,3}/mlperf_storage_report\.json",
    re.IGNORECASE,
)
_SYSTEM = re.compile(r"(?P<submission>(?:closed|open)/[^/]+)/systems/(?P<system>[^/]+)\.json", re.IGNORECASE)


def wanted(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the table at the root if there is one, else each system's report and description."""
    listed = clean(paths)
    table = next((name for name in _TABLES if name in listed), None)
    if table is not None:
        return (table,)
    reports = [match for path in listed if (match := _REPORT.fullmatch(path))]
    reported = {(match["submission"], match["system"]) for match in reports}
    described = [(path, _SYSTEM.fullmatch(path)) for path in listed]
    systems = [
        path for path, match in described if match and (match["submission"], match["system"]) in reported
    ]
    return tuple(sorted([*(match[0] for match in reports), *systems]))


def submission(path: str) -> str:
    """Return the submission folder of ``path``: division and submitter; "" for the table at the root."""
    return "/".join(path.split("/")[:2]) if "/" in path else ""


def parse(path: str, body: bytes) -> dict[str, Any]:
    """Read one wanted file to facts; the root's table is its own text. Raises ParseError."""
    if path in _TABLES:
        return {"table": _table_text(body, path)}
    if _REPORT.fullmatch(path):
        return {"report": to_builtins(read_report(body, path))}
    if _SYSTEM.fullmatch(path):
        return {"system": _system(body, path)}
    raise ParseError(f"{path}: is no file of a storage submission that is read")


def _table_text(body: bytes, what: str) -> str:
    try:
        return capped(body, what, MAX_JSON).decode()
    except UnicodeDecodeError as error:
        raise ParseError(f"{what}: is not UTF-8 text ({error.reason} at byte {error.start})") from error


def _system(body: bytes, what: str) -> dict[str, Any]:
    storage = mapping(json_object(body, what).get("storage_system"))
    found = {
        "vendor": words(storage.get("vendor_name")),
        "solution": words(storage.get("solution_name")),
        "usable_capacity_gib": number(storage.get("usable_capacity_GiB")),
        "max_power_consumption_watts": number(storage.get("max_power_consumption_in_watts")),
    }
    return {name: value for name, value in found.items() if value is not None}


def build(
    facts: Mapping[str, Mapping[str, Any]],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
) -> Table:
    """Make the table of a storage round. Raises ParseError if not one result comes out."""
    for name in _TABLES:
        if name in facts:
            if "table" not in facts[name]:
                raise ParseError(str(facts[name].get("error", f"{name} was not read")))
            body = str(facts[name]["table"]).encode()
            return read_table(body, round=round_, catalog=catalog, repository_url=repository_url, what=name)
    systems = {
        (match["submission"], match["system"]): found.get("system", {})
        for path, found in facts.items()
        if (match := _SYSTEM.fullmatch(path))
    }
    results: list[Result] = []
    asides: list[Aside] = []
    for path, found in sorted(facts.items()):
        match = _REPORT.fullmatch(path)
        if match is None:
            continue
        if "report" not in found:
            asides.append(Aside(path, str(found.get("error"))))
            continue
        described = systems.get((match["submission"], match["system"]), {})
        report = StorageReport(**found["report"])
        result = _result(match, report, described, suite, round_, repository_url, catalog)
        if any(result.key == other.key for other in results):
            asides.append(Aside(path, "is a second report of the same system and workload"))
        else:
            results.append(result)
    if not results:
        raise ParseError(f"no result of {suite} {round_} could be rebuilt from {len(facts)} files")
    return Table(suite, round_, tuple(results), COLUMNS, asides=tuple(asides))


def _result(
    match: re.Match[str],
    report: StorageReport,
    described: Mapping[str, Any],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
) -> Result:
    measures = {
        "samples_per_s": report.samples,
        "simulated_accelerators": float(report.accelerators),
        "runs": float(report.runs),
    }
    for name in ("usable_capacity_gib", "max_power_consumption_watts"):
        if name in described:
            measures[name] = float(described[name])
    return Result(
        suite=suite,
        round=round_,
        division=match["division"].casefold(),
        availability="unknown",
        submitter=match["submitter"],
        organisations=catalog.organisations(match["submitter"]),
        platform=match["system"],
        system_name=described.get("solution"),
        system_type=("storage",),
        benchmark_published=match["workload"],
        benchmark=catalog.benchmark(report.benchmark, "storage").name,
        scenario=f"Simulated {report.accelerator.upper()}",
        value=report.mib,
        unit="MiB/s",
        unit_published="MB/s",
        better="higher",
        measures=measures,
        url=folder_address(repository_url, suite, round_, match["group"]),
    )
