"""Endpoints results rebuilt from a repository's tree, which carries no table.

v1.0: ``<org>/<submission_id>/results/<system>/<model>/r<N>/{point.yaml,result_summary.json,system_desc.json}`` and
``results/<system>/system_power.json``. All points of a curve carry the same description, so the first one's is read.
v0.7, two layouts: ``<Org>/<System>/<Model>/{systems/<id>.json,points/point_<N>.yaml,results/point_<N>/…}`` and
``<Org>/{systems/<id>.json,pareto/<id>/<Model>/{points,results}/…}``; a point's figures are its ``run_metadata.json``.
The folder is the submitter, whatever a description says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from watcher.catalog.names import Catalog
from watcher.domain import Aside, Result, Table
from watcher.errors import ParseError
from watcher.parse.endpoints import (
    read_endpoint_system,
    read_point_config,
    read_point_summary,
    read_run_metadata,
)
from watcher.parse.endpoints_power import ProvisionedPower, overhead, provisioned_power, read_system_power
from watcher.parse.endpoints_rows import COLUMNS, Curve, one_per_key, point_result
from watcher.parse.paths import clean, folder_address

_N = r"(?P<number>\d{1,9})"
_V10 = r"(?P<curve>(?P<top>(?P<org>[^/]+)/(?P<id>[^/]+)/results/(?P<system>[^/]+))/(?P<model>[^/]+))"
_A = r"(?P<curve>(?P<top>(?P<org>[^/]+)/(?P<system>[^/]+)/(?P<model>[^/]+)))"
_B = r"(?P<curve>(?P<top>(?P<org>[^/]+))/pareto/(?P<system>[^/]+)/(?P<model>[^/]+))"
_FILES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("config", re.compile(rf"{_V10}/(?P<point>r{_N})/point\.ya?ml")),
    ("figures", re.compile(rf"{_V10}/(?P<point>r{_N})/result_summary\.json")),
    ("system", re.compile(rf"{_V10}/(?P<point>r{_N})/system_desc\.json")),
    ("config", re.compile(rf"{_B}/points/(?P<point>point_{_N})\.ya?ml")),
    ("figures", re.compile(rf"{_B}/results/(?P<point>point_{_N})/run_metadata\.json")),
    ("config", re.compile(rf"{_A}/points/(?P<point>point_{_N})\.ya?ml")),
    ("figures", re.compile(rf"{_A}/results/(?P<point>point_{_N})/run_metadata\.json")),
)
_POWER = re.compile(r"(?P<top>[^/]+/[^/]+/results/[^/]+)/system_power\.json")
_SYSTEM = re.compile(r"(?P<top>[^/]+(?:/[^/]+/[^/]+)?)/systems/(?P<system>[^/]+)\.json")
_COOLINGS = ("", "liquid", "air")


class _Files(Struct):
    """The facts of one curve's files: by point and kind, and its own description's."""

    match: re.Match[str]
    points: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    system: Mapping[str, Any] = field(default_factory=dict)
    power: Mapping[str, Any] = field(default_factory=dict)


def _kind(path: str) -> tuple[str, re.Match[str]] | None:
    for kind, pattern in _FILES:
        match = pattern.fullmatch(path)
        if match:
            return kind, match
    return None


def _in_order(match: re.Match[str]) -> tuple[int, str]:
    return int(match["number"]), match["point"]


def wanted(paths: Iterable[str]) -> tuple[str, ...]:
    """Return each point's figures and configuration, and one description (and power descriptor) a curve."""
    listed = clean(paths)
    found = [(path, *kind) for path in listed if (kind := _kind(path))]
    measured = {(match["curve"], match["point"]) for _, kind, match in found if kind == "figures"}
    points = [entry for entry in found if (entry[2]["curve"], entry[2]["point"]) in measured]
    described = sorted(
        (match["curve"], _in_order(match), path) for path, name, match in points if name == "system"
    )
    first = {curve: path for curve, _, path in reversed(described)}
    chosen = [path for path, name, _ in points if name != "system"]
    chosen += first.values()
    tops = {match["top"] for _, _, match in points}
    for path in listed:
        beside = _POWER.fullmatch(path) or _SYSTEM.fullmatch(path)
        if beside and beside["top"] in tops:
            chosen.append(path)
    return tuple(sorted(set(chosen)))


def submission(path: str) -> str:
    """Return the submission folder of ``path``: the organisation's, with the submission's below it in v1.0."""
    parts = path.split("/")
    return "/".join(parts[:2] if parts[2:3] == ["results"] else parts[:1])


def parse(path: str, body: bytes) -> dict[str, Any]:
    """Read one wanted file to facts. Raises ParseError."""
    if _POWER.fullmatch(path):
        document = read_system_power(body, path)
        watts = {cooling: provisioned_power(document, cooling).watts for cooling in _COOLINGS}
        return {"power": {"watts": watts, "estimated": provisioned_power(document).estimated}}
    if _SYSTEM.fullmatch(path):
        return {"system": read_endpoint_system(body, path)}
    kind = _kind(path)
    if kind is None:
        raise ParseError(f"{path}: is no file of an Endpoints submission that is read")
    if kind[0] == "config":
        return {"config": read_point_config(body, path)}
    if kind[0] == "system":
        return {"system": read_endpoint_system(body, path)}
    reader = read_point_summary if path.endswith("/result_summary.json") else read_run_metadata
    return {"figures": reader(body, path)}


def build(
    facts: Mapping[str, Mapping[str, Any]],
    suite: str,
    round_: str,
    repository_url: str | None,
    catalog: Catalog,
) -> Table:
    """Make the table of all points of all curves. Raises ParseError if not one result comes out."""
    results: list[Result] = []
    asides: list[Aside] = []
    for name, files in sorted(_grouped(facts).items()):
        url = folder_address(repository_url, suite, round_, name)
        curve = _curve(files, url, name, asides)
        for point, found in sorted(files.points.items(), key=lambda item: (len(item[0]), item[0])):
            try:
                results.append(
                    point_result(
                        curve,
                        *_point(found, point, asides, name),
                        suite=suite,
                        round_=round_,
                        catalog=catalog,
                    )
                )
            except ParseError as error:
                asides.append(Aside(f"{name}/{point}", str(error)))
    if not results:
        first = f"; {asides[0].row}: {asides[0].message}" if asides else ""
        raise ParseError(f"no result of {suite} {round_} could be rebuilt from {len(facts)} files{first}")
    return Table(suite, round_, one_per_key(results), COLUMNS, asides=tuple(asides))


def _grouped(facts: Mapping[str, Mapping[str, Any]]) -> dict[str, _Files]:
    curves: dict[str, _Files] = {}
    for path, found in sorted(facts.items()):
        if kind := _kind(path):
            name, match = kind
            files = curves.setdefault(match["curve"], _Files(match))
            if name == "system":
                files.system = files.system or found
                continue
            files.points.setdefault(match["point"], {})[name] = found
    for path, found in sorted(facts.items()):
        if power := _POWER.fullmatch(path):
            for files in _below(curves, power["top"]):
                files.power = found
        elif system := _SYSTEM.fullmatch(path):
            for files in _below(curves, system["top"]):
                if files.match["system"] == system["system"] or "/" in system["top"]:
                    files.system = files.system or found
    return {name: files for name, files in curves.items() if files.points}


def _below(curves: Mapping[str, _Files], top: str) -> Iterator[_Files]:
    return (files for files in curves.values() if files.match["top"] == top)


def _curve(files: _Files, url: str, name: str, asides: list[Aside]) -> Curve:
    system = files.system.get("system")
    if system is None:
        asides.append(Aside(name, str(files.system.get("error", "its system description is missing"))))
    if "error" in files.power:
        asides.append(Aside(name, f"its provisioned power could not be read: {files.power['error']}"))
    groups = files.match.groupdict()
    return Curve(
        submitter=groups["org"],
        platform=groups["system"],
        model=groups["model"],
        url=url,
        submission_id=groups.get("id"),
        system=system or {},
        power=_power(files.power.get("power", {}), (system or {}).get("cooling")),
    )


def _power(found: Mapping[str, Any], cooling: str | None) -> ProvisionedPower:
    """Cooling may stand in the system's description only; its overhead names which of the read figures counts."""
    fraction = overhead(cooling)
    chosen = next((name for name in _COOLINGS if name and overhead(name) == fraction), "")
    watts = found.get("watts", {}).get(chosen)
    return ProvisionedPower(watts, found.get("estimated") is True)


def _point(
    found: Mapping[str, Mapping[str, Any]], point: str, asides: list[Aside], name: str
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return figures and configuration of a point; without the latter v1.0's folder r<N> names the concurrency."""
    figures, config = found.get("figures", {}), found.get("config", {})
    if "figures" not in figures:
        raise ParseError(str(figures.get("error", "its figures are missing")))
    if "error" in config:
        asides.append(Aside(f"{name}/{point}", str(config["error"])))
    named = {"concurrency": int(point[1:])} if point.startswith("r") else {}
    return figures["figures"], config.get("config", named)
