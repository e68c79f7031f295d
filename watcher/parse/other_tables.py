"""Tables of other suites that may come as a file: which one a document is, and who reads it.

Storage's results table, the training summarizer's wide table and the export of the Endpoints viewer have parsers of
their own; here they are told apart by their columns, before the summary shapes are tried.
"""

from __future__ import annotations

from watcher.catalog.names import Catalog
from watcher.domain import Table
from watcher.errors import UsageError
from watcher.parse.body import first_of, unpacked
from watcher.parse.rows import RawRow
from watcher.parse.shapes import shape_of

_EXPORT = ("bundle_version", "submissions", "runs")
_TRAINING = frozenset({"division", "availability", "submitter", "accelerators_count", "details_url"})
_STORAGE = frozenset({"Public ID", "Organization", "Benchmark Type"})
_SUITES = {"endpoints": ("endpoints",), "training": ("training", "hpc"), "storage": ("storage",)}


def is_export(data: bytes) -> bool:
    """Whether a document looks like the Endpoints viewer's export: a JSON object with its three keys."""
    return first_of(data) == "{" and all(f'"{key}"'.encode() in data for key in _EXPORT)


def other_kind(rows: list[RawRow]) -> str | None:
    """The suite whose own table these rows are, told by the columns of the first that says it; null for summary tables."""
    for row in rows:
        columns = row.read().keys()
        if columns >= _STORAGE:
            return "storage"
        if columns >= _TRAINING:
            return "training"
        if shape_of(columns) is not None:
            return None
    return None


def other_table(
    kind: str,
    body: bytes,
    name: str,
    catalog: Catalog,
    suite: str | None,
    round_: str | None,
    repository_url: str | None,
) -> Table:
    """Read such a table. Raises ParseError, and UsageError if suite or round contradict it or are missing."""
    if suite is not None and suite not in _SUITES[kind]:
        raise UsageError(f"{name}: the table is of {kind}, but the suite given is {suite}")
    if kind == "storage":
        return _storage(body, name, catalog, round_, repository_url)
    if kind == "training":
        from watcher.parse.training_summary import read_training_summary  # noqa: PLC0415 - only for its suite

        return read_training_summary(
            body,
            name=name,
            catalog=catalog,
            suite=suite or "training",
            round=round_,
            repository_url=repository_url,
        )
    from watcher.parse.endpoints_export import read_export  # noqa: PLC0415 - only for its suite

    return read_export(body, name=name, catalog=catalog, round=round_, repository_url=repository_url)


def _storage(
    body: bytes, name: str, catalog: Catalog, round_: str | None, repository_url: str | None
) -> Table:
    from watcher.parse.storage import read_table  # noqa: PLC0415 - only for its suite

    if round_ is None:
        raise UsageError(f"{name}: a storage table names no round; give --round v3.0 (or what it is)")
    return read_table(
        unpacked(body, name), round=round_, catalog=catalog, repository_url=repository_url, what=name
    )
