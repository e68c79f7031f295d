"""MLPerf Storage: the v3.0 results table, and v1.0's report and run summaries.

v3.0 publishes one ``results.csv`` and ``results.json`` of a fixed form: a block on the storage system and one block a
workload (training, checkpointing, vector database, key-value cache), of which each row fills one. ``Public ID`` is
pinned and never reissued. A row becomes as many results as it has headline figures: one for training and for the
vector database, read and write for checkpointing, three for the cache. Accelerators there are simulated: they say
what load the storage carried and are no part of the system, so they stand in the scenario, never as its accelerator.

v1.0 has no table: ``mlperf_storage_report.json`` gives a system's mean over its runs. Its "MB" is 2**20 bytes
(cosmoflow: 12,555.49 samples/s of 2,828,486 bytes are 33,867.9 of them).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from watcher.catalog.names import Catalog
from watcher.domain import Aside, Power, Result, Table
from watcher.errors import ParseError
from watcher.parse.cells import number
from watcher.parse.strict import MAX_JSON, capped, json_object, json_value, mapping, objects, words
from watcher.parse.system_description import availability

COLUMNS = frozenset({
    "suite", "round", "division", "availability", "submitter", "organisations", "platform", "benchmark_published",
    "benchmark", "scenario", "value", "unit", "unit_published", "better", "system_type", "system_name", "power",
    "measures", "extra", "url",
})  # fmt: skip

LEAST_WATTS = 200.0
"""The smallest provisioned power that can be watts. The column says watts while the review report of v3.0 speaks of
kilowatts (3.6 to 130.8); a smaller figure is kept as published and not taken for a power."""

_ANCHOR = re.compile(
    r"<a\s[^>]*href=[\"']([^\"']*)[\"'][^>]*>(.*?)</a>|=HYPERLINK\(\"([^\"]*)\"[,;]\s*\"([^\"]*)\"\)",
    re.IGNORECASE | re.DOTALL,
)
_LABELS = {"1250b": "1t"}
_SHARED = frozenset({"Organization", "Division", "Benchmark Type", "Model", "Name", "Availability"})
_MEASURED = {
    "RU's": "rack_units",
    "Usable Capacity (TiB)": "usable_capacity_tib",
    "Integrated Client Storage (TiB)": "integrated_client_storage_tib",
    "Integrated Client Storage": "integrated_client_storage_tib",
}
_KEPT = ("Public ID", "Type", "Access Protocol", "Provisioned Power (W)")
_LINKS = frozenset({"Description", "Code", "Logs"})
_CACHES = ("llama3.1-8b Storage Only", "llama3.1-8b Storage + Mem", "llama3.1-70b Storage Only")


class _Figure(Struct, frozen=True):
    """One headline figure of a workload: its scenario, column and unit, and the columns that go with it."""

    scenario: str
    column: str
    unit: str
    beside: Mapping[str, str]


def read_table(
    body: bytes, *, round: str, catalog: Catalog, repository_url: str | None = None, what: str = "results"
) -> Table:
    """Read ``results.json`` or ``results.csv`` of v3.0's form. Raises ParseError if it is another document or has no row."""
    rows = _rows(body, what)
    results: list[Result] = []
    asides: list[Aside] = []
    unknown: dict[str, None] = {}
    seen: set[object] = set()
    for index, row in enumerate(rows, start=1):
        where = words(row.get("Public ID")) or f"row {index}"
        try:
            found = tuple(_results(row, round, catalog, repository_url))
        except ParseError as error:
            asides.append(Aside(where, str(error)))
            continue
        for result in found:
            if result.key in seen:
                asides.append(
                    Aside(where, f"repeats {result.platform}, {result.benchmark_published} {result.scenario}")
                )
            else:
                seen.add(result.key)
                results.append(result)
            unknown.update(dict.fromkeys(result.extra))
    if not results:
        raise ParseError(
            f"{what}: has no row that can be read{f'; {asides[0].row}: {asides[0].message}' if asides else ''}"
        )
    names = tuple(name for name in unknown if name not in _KEPT)
    return Table("storage", round, tuple(results), COLUMNS, unknown_columns=names, asides=tuple(asides))


def _rows(body: bytes, what: str) -> Sequence[Mapping[str, Any]]:
    if capped(body, what, MAX_JSON).lstrip()[:1] in {b"[", b"{"}:
        value = json_value(body, what)
        rows: Sequence[Mapping[str, Any]] = objects(value)
    else:
        try:
            text = body.decode("utf-8-sig")
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
        except (UnicodeDecodeError, csv.Error) as error:
            raise ParseError(f"{what}: is neither JSON nor a CSV table ({error})") from error
    if not rows or not {"Public ID", "Organization", "Benchmark Type"} <= rows[0].keys():
        raise ParseError(f"{what}: has no rows with Public ID, Organization and Benchmark Type")
    return rows


def _results(
    row: Mapping[str, Any], round_: str, catalog: Catalog, repository_url: str | None
) -> Iterator[Result]:
    submitter, platform, division = (_text(row.get(name)) for name in ("Organization", "Name", "Division"))
    if submitter is None or platform is None or division is None:
        raise ParseError("names no organisation, system or division")
    kind = (_text(row.get("Benchmark Type")) or "").casefold()
    published, benchmark = _benchmark(kind, row, catalog)
    power, extra = _power(row)
    used: set[str] = {*_SHARED, *_MEASURED, *_KEPT}
    figures = [figure for figure in _figures(kind, row) if number(row.get(figure.column)) is not None]
    if not figures:
        raise ParseError(f"has no figure for {kind or 'its workload'}")
    for figure in figures:
        used |= {figure.column, *figure.beside}
    extra |= _unknown(row, used)
    for figure in figures:
        value = number(row.get(figure.column))
        if value is None or value <= 0:
            raise ParseError(f"its {figure.column} is {row.get(figure.column)!r}")
        beside = {**_MEASURED, **figure.beside}
        yield Result(
            suite="storage",
            round=round_,
            division=division.casefold(),
            availability=availability(_text(row.get("Availability"))) or "unknown",
            submitter=submitter,
            organisations=catalog.organisations(submitter),
            platform=platform,
            system_name=platform,
            system_type=("storage",),
            benchmark_published=published,
            benchmark=benchmark,
            scenario=figure.scenario,
            value=value,
            unit=figure.unit,
            unit_published=figure.unit,
            better="higher",
            power=power,
            measures={
                name: found
                for column, name in beside.items()
                if (found := number(row.get(column))) is not None
            },
            extra=extra,
            url=repository_url,
        )


def _unknown(row: Mapping[Any, Any], used: set[str]) -> dict[str, str]:
    """Return the cells of columns that we do not know; links are derived and are never compared."""
    found = {}
    for column, value in row.items():
        name, text = words(column), _text(value)
        if name and text and column not in used and name.rpartition(" - ")[2] not in _LINKS:
            found[name] = text
    return found


def _benchmark(kind: str, row: Mapping[str, Any], catalog: Catalog) -> tuple[str, str]:
    label = _text(row.get("Model"))
    if kind == "checkpointing" and label:
        folded = label.casefold()
        mode = _text(row.get("Checkpointing - Checkpoint Mode"))
        published = f"checkpointing {label}" + (f" ({mode})" if mode and mode.casefold() != "full" else "")
        return published, catalog.benchmark(f"checkpointing-{_LABELS.get(folded, folded)}", "storage").name
    if kind == "training" and label:
        return label, catalog.benchmark(label.casefold(), "storage").name
    if kind in {"vector_database", "kv_cache"}:
        name = kind.replace("_", "-")
        return kind, catalog.benchmark(name, "storage").name
    raise ParseError(f"names no workload that we know ({kind!r}, model {label!r})")


def _figures(kind: str, row: Mapping[str, Any]) -> tuple[_Figure, ...]:
    if kind == "training":
        accelerator = (_text(row.get("Training - Accelerator Type")) or "accelerators").upper()
        beside = {
            "Training - # Client Nodes": "client_nodes",
            "Training - # Simulated Accelerators": "simulated_accelerators",
            "Training - Accelerator Type": "accelerator_type",
        }
        return (_Figure(f"Simulated {accelerator}", "Training - Read B/W (GiB/s)", "GiB/s", beside),)
    if kind == "checkpointing":
        shared = {
            "Checkpointing - # Client Nodes": "client_nodes",
            "Checkpointing - DP Instances": "dp_instances",
            "Checkpointing - Checkpoint Mode": "checkpoint_mode",
        }
        return tuple(
            _Figure(
                way,
                f"Checkpointing - {way} B/W (GiB/s)",
                "GiB/s",
                {**shared, f"Checkpointing - {way} Duration (secs)": "duration_s"},
            )
            for way in ("Read", "Write")
        )
    if kind == "vector_database":
        return (_Figure("Queries", "VDB - Queries per Sec", "queries/s", _VECTOR),)
    return tuple(
        _Figure(
            group,
            f"KVCache {group} - Throughput (tok/s)",
            "tokens/s",
            {
                "KVCache - # Client Nodes": "client_nodes",
                f"KVCache {group} - Read B/W (GiB/s)": "read_gib_per_s",
                f"KVCache {group} - Write B/W (GiB/s)": "write_gib_per_s",
                f"KVCache {group} - P95 Read Latency (ms)": "p95_read_latency_ms",
            },
        )
        for group in _CACHES
    )


_VECTOR = {
    "VDB - # Client Nodes": "client_nodes",
    "VDB - Vector Count": "vector_count",
    "VDB - Vector Dimension": "vector_dimension",
    "VDB - Index Type": "index_type",
    "VDB - Query Latency (ms)": "query_latency_ms",
    "VDB - Recall Percentage": "recall_percent",
    "VDB - Storage IOPs": "storage_iops",
    "VDB - Read B/W (GiB/s)": "read_gib_per_s",
}


def _power(row: Mapping[str, Any]) -> tuple[tuple[Power, ...], dict[str, Any]]:
    kept = {name: text for name in _KEPT[:3] if (text := _text(row.get(name))) is not None}
    watts = number(row.get("Provisioned Power (W)"))
    if watts is not None and watts >= LEAST_WATTS:
        return (Power("provisioned", watts, "W"),), kept
    published = _text(row.get("Provisioned Power (W)"))
    return (), kept if published is None else {**kept, "Provisioned Power (W)": published}


def _text(value: Any) -> str | None:
    """The text of a cell; of a link its words (a JSON object, an HTML anchor or a spreadsheet formula)."""
    if isinstance(value, dict):
        return words(value.get("text"))
    found = (
        _ANCHOR.fullmatch(value.strip()[:1000])
        if isinstance(value, str) and value.strip()[:1] in "<="
        else None
    )
    return words((found[2] or found[4]) if found else value)


class StorageReport(Struct, frozen=True, kw_only=True):
    """A v1.0 system's mean over its runs; rates a second, "MB" of 2**20 bytes."""

    benchmark: str
    accelerator: str
    accelerators: int
    runs: int
    samples: float
    mib: float


def read_report(body: bytes, what: str = "mlperf_storage_report.json") -> StorageReport:
    """Read v1.0's report. Raises ParseError if it names no model or its mean is not the mean of its runs."""
    document = json_object(body, what)
    overall = mapping(document.get("overall"))
    texts = [words(overall.get(name)) for name in ("model", "accelerator")]
    figures = [
        number(overall.get(name))
        for name in (
            "train_num_accelerators",
            "num_benchmark_runs",
            "train_throughput_mean_samples_per_second",
            "train_throughput_mean_MB_per_second",
        )
    ]
    if None in texts or None in figures:
        raise ParseError(f"{what}: its overall part lacks a model, an accelerator or a figure")
    model, accelerator = (str(text) for text in texts)
    count, runs, samples, mib = (float(figure or 0) for figure in figures)
    if min(count, runs, samples, mib) <= 0 or max(count, runs) > 10**9:
        raise ParseError(f"{what}: a figure of its overall part is not above zero")
    each = [
        number(mapping(run).get("train_throughput_samples_per_second"))
        for run in mapping(document.get("runs")).values()
    ]
    known = [rate for rate in each if rate is not None]
    if len(known) == runs and abs(sum(known) / runs - samples) > 1e-6 * samples:
        raise ParseError(
            f"{what}: states a mean of {samples!r} samples/s, its runs give {sum(known) / runs!r}"
        )
    return StorageReport(
        benchmark=model,
        accelerator=accelerator,
        accelerators=int(count),
        runs=int(runs),
        samples=samples,
        mib=mib,
    )


class StorageRun(Struct, frozen=True, kw_only=True):
    """One run of v1.0 or later: its means, and whether the accelerators were kept busy enough for it to count."""

    samples: float
    mib: float
    accelerators: int
    hosts: int
    utilisation_percent: float
    met_expectation: bool


def read_run_summary(body: bytes, what: str = "summary.json") -> StorageRun:
    """Read one training run's summary. Raises ParseError if a figure is missing."""
    document = json_object(body, what)
    metric = mapping(document.get("metric"))
    figures = [
        number(metric.get("train_throughput_mean_samples_per_second")),
        number(metric.get("train_io_mean_MB_per_second")),
        number(document.get("num_accelerators")),
        number(document.get("num_hosts")),
        number(metric.get("train_au_mean_percentage")),
    ]
    if None in figures or max(abs(float(figure or 0)) for figure in figures[2:4]) > 10**9:
        raise ParseError(f"{what}: lacks a figure of a training run")
    samples, mib, accelerators, hosts, utilisation = (float(figure or 0) for figure in figures)
    return StorageRun(
        samples=samples,
        mib=mib,
        accelerators=int(accelerators),
        hosts=int(hosts),
        utilisation_percent=utilisation,
        met_expectation=metric.get("train_au_meet_expectation") == "success",
    )
