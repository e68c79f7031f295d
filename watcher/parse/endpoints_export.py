"""The Endpoints viewer's export: all submissions and runs of a results repository in one JSON document.

``submissions`` describe curves (``combined_submission`` in sections), ``runs`` are their points: ``direct_fields`` as
measured (milliseconds) and ``derived_fields`` (``system_tps``, ``tps_per_user``, ``qps``). ``submission_id`` is the
viewer's own, made of the path, which stands in ``source_path``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watcher.catalog.names import Catalog
from watcher.domain import Aside, Result, Table
from watcher.errors import ParseError, UsageError
from watcher.parse.body import unpacked
from watcher.parse.endpoints import run_figures, system_facts
from watcher.parse.endpoints_rows import COLUMNS, Curve, one_per_key, point_result
from watcher.parse.facts import round_name
from watcher.parse.paths import folder_address
from watcher.parse.strict import json_object, mapping, objects, words

MARK = frozenset({"bundle_version", "submissions", "runs"})
"""Keys by which an export is told from other JSON documents."""

_SECTIONS = ("submission_info", "sut_metadata", "sut_details", "model_metadata", "datasets_metadata")


def read_export(
    body: bytes,
    *,
    name: str,
    catalog: Catalog,
    suite: str = "endpoints",
    round: str | None = None,
    repository_url: str | None = None,
) -> Table:
    """Read an export, plain or gzip; ``round`` left out follows from its ``format_version``.

    Raises ParseError if it is another document or has no result, UsageError if it is of another round than given.
    """
    document = json_object(unpacked(body, name), name, doubles=False)
    if not document.keys() >= MARK:
        raise ParseError(f"{name}: is no export of the Endpoints viewer; it needs {', '.join(sorted(MARK))}")
    round_ = _round(document, round, name)
    curves = {
        identity: _curve(entry, suite, round_, repository_url)
        for entry in objects(document["submissions"])
        if (identity := words(entry.get("id")))
    }
    results: list[Result] = []
    asides: list[Aside] = []
    for index, run in enumerate(objects(document["runs"]), start=1):
        row = f"run {index}"
        try:
            results.append(_result(run, curves, row, suite, round_, catalog))
        except ParseError as error:
            asides.append(Aside(row, str(error)))
    if not results:
        first = f"; {asides[0].row}: {asides[0].message}" if asides else ""
        raise ParseError(f"{name}: holds no result{first}")
    return Table(suite, round_, one_per_key(results), COLUMNS, asides=tuple(asides))


def _round(document: Mapping[str, Any], given: str | None, name: str) -> str:
    said = words(document.get("format_version"))
    found = round_name(said) if said else None
    if given is None and found is None:
        raise UsageError(f"{name}: names no format version; give --round v1.0 (or what it is)")
    if given is not None and found not in {None, given}:
        raise UsageError(f"{name}: is of {found}, but the round given is {given}")
    return given or str(found)


def _curve(entry: Mapping[str, Any], suite: str, round_: str, repository_url: str | None) -> Curve | None:
    combined = mapping(entry.get("combined_submission"))
    merged: dict[str, Any] = {}
    for section in _SECTIONS:
        merged.update(mapping(combined.get(section)))
    merged["submission_id"] = entry.get("id")
    facts = system_facts(merged)
    path = words(entry.get("source_path"))
    parts = path.split("/") if path else []
    placed = len(parts) >= 3  # else the export was made of one organisation's folder
    submitter = parts[0] if placed else facts.get("submitter")
    platform = parts[-2] if len(parts) > 1 else facts.get("system_name")
    model = parts[-1] if parts else facts.get("model_name")
    if submitter is None or platform is None or model is None:
        return None
    url = folder_address(repository_url, suite, round_, _folder(parts)) if placed else None
    return Curve(submitter=submitter, platform=platform, model=model, url=url, system=facts)


def _folder(parts: list[str]) -> str:
    """The path leaves out v1.0's folder ``results``, between the submission and the system."""
    return "/".join(
        [*parts[:2], "results", *parts[2:]] if len(parts) == 4 and parts[1] != "pareto" else parts
    )


def _result(
    run: Mapping[str, Any],
    curves: Mapping[str, Curve | None],
    row: str,
    suite: str,
    round_: str,
    catalog: Catalog,
) -> Result:
    curve = curves.get(words(run.get("submission_id")) or "")
    if curve is None:
        raise ParseError(f"belongs to no submission that can be named: {words(run.get('submission_id'))}")
    flat = mapping(run.get("run"))
    fields = {**mapping(flat.get("direct_fields")), **mapping(flat.get("derived_fields"))}
    return point_result(curve, run_figures(fields, row), {}, suite=suite, round_=round_, catalog=catalog)
