"""Published facts of one row → a result in canonical names; the one place where both meet.

Parsers say what a row states, in their shape's words; what follows from it by the catalog (organisations,
accelerators, benchmark and accuracy tier, unit and direction, software, system) is decided here, so that every shape
and the archive agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from msgspec import Struct, field

from watcher.catalog.names import Catalog
from watcher.domain import Power, Result

_UNSTATED = frozenset({"unset", "todo", "tbd", "unknown"})


class Task(NamedTuple):
    """What a row says that its run did, as published; rows of one task have the same names."""

    suite: str
    round: str
    benchmark_published: str
    benchmark_column: str | None
    scenario: str | None
    unit_published: str


class Machine(Struct, frozen=True, kw_only=True):
    """What a row says of its machine and submission, cleaned (blank is null) but not yet named; see `watcher.domain.Result`.

    ``accelerator_total``: the published total, 0 or blank null.
    """

    suite: str
    round: str
    division: str
    availability: str
    submitter: str
    platform: str
    system_type: str | None = None
    system_name: str | None = None
    accelerator_published: str | None = None
    accelerator_total: int | None = None
    accelerators_per_node: int | None = None
    nodes: int | None = None
    processor: str | None = None
    processors_per_node: int | None = None
    processor_core_count: int | None = None
    software_published: str | None = None
    precision_published: str | None = None
    operating_system: str | None = None
    accelerator_power_limit_watts: float | None = None
    notes: str | None = None


class Published(Machine, frozen=True, kw_only=True):
    """What one row states: its machine, and one run on it.

    ``benchmark_column``: the table's own benchmark column where it has one beside the submitted name.
    """

    benchmark_published: str
    scenario: str | None
    value: float
    unit_published: str
    benchmark_column: str | None = None
    accuracy: str | None = None
    power: tuple[Power, ...] = ()
    inferred: bool | None = None
    url: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    entry: str | None = None

    @property
    def task(self) -> Task:
        """What the run did."""
        return Task(
            self.suite,
            self.round,
            self.benchmark_published,
            self.benchmark_column,
            self.scenario,
            self.unit_published,
        )


class RunNames(NamedTuple):
    """What follows by the catalog from a task; see `watcher.domain.Result` for the fields."""

    benchmark: str
    accuracy_target: str | None
    scenario: str | None
    unit: str
    better: str


def machine_facts(row: Machine, catalog: Catalog) -> dict[str, Any]:
    """The fields of a result that describe its machine and submission; all rows of one machine have the same."""
    reading = catalog.accelerators(row.accelerator_published or "")
    accelerator = reading.names[0] if len(reading.names) == 1 else None
    count = reading.count or row.accelerator_total or _product(row.nodes, row.accelerators_per_node)
    return {
        "suite": row.suite,
        "round": row.round,
        "division": catalog.find("division", row.division) or row.division,
        "availability": catalog.find("availability", row.availability) or row.availability,
        "submitter": row.submitter,
        "platform": row.platform,
        "organisations": catalog.organisations(row.submitter),
        "system_type": system_types(row.system_type, catalog),
        "system_name": row.system_name,
        "system": catalog.system(accelerator, count),
        "accelerator": accelerator,
        "accelerators": reading.names,
        "accelerator_published": row.accelerator_published,
        "accelerator_count": count,
        "accelerators_per_node": row.accelerators_per_node,
        "nodes": row.nodes,
        "processor": row.processor,
        "processors_per_node": row.processors_per_node,
        "processor_core_count": row.processor_core_count,
        "software": catalog.software(row.software_published) if row.software_published else (),
        "software_published": row.software_published,
        "precision": _precision(row.precision_published, catalog),
        "operating_system": row.operating_system,
        "accelerator_power_limit_watts": row.accelerator_power_limit_watts,
        "notes": row.notes,
    }


def run_names(task: Task, catalog: Catalog) -> RunNames:
    """The names of a run in the catalog's words, and what its value means."""
    benchmark = _benchmark(task, catalog)
    scenario = catalog.scenario(task.scenario) or task.scenario if task.scenario else None
    if benchmark.scenario and scenario == "Server":
        scenario = benchmark.scenario
    unit = catalog.unit(task.unit_published, benchmark.name, scenario, task.round, task.suite)
    return RunNames(benchmark.name, benchmark.accuracy_target, scenario, unit.name, unit.better)


def named(row: Published, catalog: Catalog) -> Result:
    """The result that a row states, in canonical names; what the catalog does not know stays as published."""
    return Result(
        **machine_facts(row, catalog),
        **run_names(row.task, catalog)._asdict(),
        benchmark_published=row.benchmark_published,
        value=row.value,
        accuracy=row.accuracy,
        unit_published=row.unit_published,
        power=row.power,
        inferred=row.inferred,
        url=row.url,
        extra=row.extra,
        entry=row.entry,
    )


def _benchmark(row: Task, catalog: Catalog) -> Any:
    """The benchmark column counts, for an open row may run any model; a task's name there gives way to a known model."""
    column = row.benchmark_column
    if column is None:
        return catalog.benchmark(row.benchmark_published, row.suite)
    found = catalog.benchmark(column, row.suite)
    if not found.known or catalog.is_task(column):
        submitted = catalog.benchmark(row.benchmark_published, row.suite)
        return submitted if submitted.known else found
    return found


@lru_cache(maxsize=1024)
def system_types(text: str | None, catalog: Catalog) -> tuple[str, ...]:
    """A system type column, several joined by ",", in canonical names; unknown ones as published."""
    if not text:
        return ()
    found = (part.strip() for part in text.split(","))
    return tuple(catalog.find("system_type", part) or part for part in found if part)


def _precision(text: str | None, catalog: Catalog) -> tuple[str, ...]:
    if not text or text.casefold() in _UNSTATED:
        return ()
    return catalog.precision(text) or (text,)


def _product(nodes: int | None, per_node: int | None) -> int | None:
    return nodes * per_node if nodes and per_node else None


def public_repository(suite: str, round_name: str) -> str:
    """The address of a round's public result repository; unreviewed runs have one of another name."""
    if suite == "unofficial":
        return f"https://github.com/mlcommons/mlperf_inference_unofficial_submissions_{round_name}"
    return f"https://github.com/mlcommons/{suite}_results_{round_name}"


@lru_cache(maxsize=8192)
def quoted(folder: str) -> str:
    """One folder of an address; "." and ".." would lead a browser out of the repository, so they become no folder's name."""
    return f"{folder}%20" if folder in {".", ".."} else quote(folder, safe="")


@lru_cache(maxsize=8192)
def folder_url(repository_url: str, *folders: str) -> str:
    """The public page of a folder on the branch main."""
    return f"{repository_url}/tree/main/{'/'.join(map(quoted, folders))}"


def submission_url(repository_url: str, path: tuple[str, str, str, str], folder: str) -> str:
    """The public page of one run: ``path`` is division, submitter, platform and submitted benchmark."""
    division, submitter, platform, benchmark = path
    submission = folder_url(repository_url, division, submitter, "results", platform)
    return f"{submission}/{quoted(benchmark)}/{quoted(folder)}"
