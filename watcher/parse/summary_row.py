"""One row of a summary table → the result that it states, by itself.

What a row says of its machine stands alike in every row of that machine, so it is read and named once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from marshal import dumps
from operator import itemgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watcher.catalog.names import Catalog
from watcher.catalog.naming import (
    Machine,
    RunNames,
    Task,
    folder_url,
    machine_facts,
    public_repository,
    quoted,
    run_names,
    system_types,
)
from watcher.domain import Power, Result
from watcher.parse.cells import Texts, count, flag, number, plain
from watcher.parse.entries import number_in
from watcher.parse.facts import POWER_UNITS, SUITE_OF_TYPE, folder_of, may_be_inferred, round_name, shown
from watcher.parse.power_limit import power_limit
from watcher.parse.shapes import RUN_FACTS, TASK_FACTS, TINY, Shape

_FORMAT = 2  # of marshal: without references, so that equal cells have equal bytes


_TEXTS = frozenset(
    {"system_name", "accelerator_published", "processor", "precision_published", "operating_system"}
)
_COUNTS = frozenset(
    {"accelerator_total", "accelerators_per_node", "nodes", "processors_per_node", "processor_core_count"}
)


class Layout:
    """What rows of the same columns have in common; most tables have one or two layouts.

    ``machine``: takes the cells out of a row that describe its machine, ``task`` those that say what its run did.
    ``machines``: what is known of their machines, by those cells as bytes. ``texts`` and ``counts``: facts of a machine
    that are no more than a text or a count, with their columns. ``unknown``: columns that the shape does not have.
    ``has_power``: whether a row may state its power.
    """

    __slots__ = ("counts", "has_power", "machine", "machines", "task", "texts", "unknown")

    def __init__(self, columns: Sequence[str], shape: Shape) -> None:
        known, present = shape.known, frozenset(columns)
        self.unknown = tuple(c for c in columns if c not in known)
        self.machines: dict[bytes, _Machine] = {}
        found = {fact: column for fact, column in shape.columns.items() if column in present}
        self.has_power = not found.keys().isdisjoint({"power", "design_power"})
        self.machine = _picked(column for fact, column in found.items() if fact not in RUN_FACTS)
        self.task = _picked(column for fact, column in found.items() if fact in TASK_FACTS)
        self.texts = tuple(each for each in found.items() if each[0] in _TEXTS)
        self.counts = tuple(each for each in found.items() if each[0] in _COUNTS)


def _picked(columns: Iterable[str]) -> Callable[[Mapping[str, Any]], Any]:
    """What takes these cells out of a row."""
    names = sorted(columns)
    return itemgetter(*names) if names else lambda _: ()


class BadRowError(ValueError):
    """A row that cannot be a result; the text says what is wrong with it."""


class Stated(Struct, frozen=True):
    """What one row states: a result, or with ``twin``, a unit, the power that goes with one."""

    result: Result
    twin: str | None


class _Task(Struct, frozen=True):
    """What rows say that their run did, as published, and in the catalog's names.

    ``twin``: as in `Stated`. ``may_be_inferred``: if its machine is an edge system. ``path`` and ``page``: where the run
    lies below its machine's, scenario spelled as here.
    """

    published: Task
    names: RunNames
    twin: str | None
    may_be_inferred: bool
    path: str
    page: str


class _Machine(Struct, frozen=True):
    """What rows say of one machine as published, a result of it without a run, its tasks, and its folder's path and page.

    ``tasks``: by `Layout.task`; shared by all machines of one suite, round and layout.
    """

    published: Machine
    result: Result
    is_edge: bool
    tasks: dict[bytes, _Task]
    path: str
    page: str


class RowReader:
    """Reads single rows of one document of one shape.

    ``suite`` and ``round``: what the user or source said, used where rows are silent. ``silent``: the facts that no row
    stated and nobody gave.
    """

    def __init__(
        self,
        shape: Shape,
        catalog: Catalog,
        suite: str | None,
        round_: str | None,
        repository_url: str | None,
    ) -> None:
        self.silent: dict[str, str] = {}
        self._shape = shape
        self._catalog = catalog
        self._suite = suite
        self._round = round_
        self._repository = repository_url.rstrip("/") if repository_url else None
        self._text = Texts()
        self._entry = shape.entry
        self._location = shape.columns.get("location")
        self._value = shape.columns["value"]
        self._accuracy = shape.columns["accuracy"]
        self._inferred = shape.columns.get("inferred", "")
        self._tasks: dict[tuple[Layout, str, str], dict[bytes, _Task]] = {}
        self._column: Callable[[str], str | None] = shape.columns.get

    def stated(self, row: Mapping[str, Any], layout: Layout) -> Stated:
        """What a row states. Raises BadRowError, and ValueError for one that is nested too deeply."""
        cells = dumps(layout.machine(row), _FORMAT)
        machine = layout.machines.get(cells)
        if machine is None:
            machine = layout.machines[cells] = self._known(row, layout)
        cells = dumps(layout.task(row), _FORMAT)
        task = machine.tasks.get(cells)
        if task is None:
            task = machine.tasks[cells] = self._task(row, machine.published)
        published, names = task.published, task.names
        value = number(row.get(self._value))
        if value is None or value <= 0:
            raise BadRowError(f"no result: {self._value} is {shown(row.get(self._value))}")
        result = replace(
            machine.result,
            benchmark_published=published.benchmark_published,
            benchmark=names.benchmark,
            accuracy_target=names.accuracy_target,
            scenario=names.scenario,
            value=value,
            unit=names.unit,
            better=names.better,
            unit_published=published.unit_published,
            accuracy=self._text(row.get(self._accuracy)),
            power=self._power_of(row) if layout.has_power else (),
            inferred=flag(row.get(self._inferred)) if task.may_be_inferred and machine.is_edge else None,
            url=self._url(row, machine, task),
            extra={column: plain(row[column]) for column in layout.unknown} if layout.unknown else {},
            entry=number_in(row.get(self._entry)) if self._entry is not None else None,
        )
        return Stated(result, task.twin)

    def _known(self, row: Mapping[str, Any], layout: Layout) -> _Machine:
        """What a row says of its machine, read and named."""
        machine = self._machine(row, layout)
        base = self._repository or public_repository(machine.suite, machine.round)
        folders: tuple[str, ...] = (machine.division, machine.submitter)
        if "scenario" in self._shape.columns:
            folders = (*folders, "results", machine.platform)
        facts = machine_facts(machine, self._catalog)
        blank = Result(
            **facts, benchmark_published="", benchmark="", scenario=None, value=0.0, unit="", better="higher"
        )
        tasks = self._tasks.setdefault((layout, machine.suite, machine.round), {})
        is_edge = "edge" in (machine.system_type or "")
        return _Machine(machine, blank, is_edge, tasks, "/".join(folders), folder_url(base, *folders))

    def _task(self, row: Mapping[str, Any], machine: Machine) -> _Task:
        """What the row's run did, read and named; a table has few tasks."""
        columns = self._shape.columns
        published = Task(
            machine.suite,
            machine.round,
            self._needed(row, "benchmark_published"),
            self._text(row.get(columns["benchmark_column"])),
            self._needed(row, "scenario") if "scenario" in columns else None,
            self._needed(row, "unit_published"),
        )
        names = run_names(published, self._catalog)
        below = () if published.scenario is None else ("", published.benchmark_published, published.scenario)
        return _Task(
            published,
            names,
            POWER_UNITS.get(published.unit_published.casefold()),
            may_be_inferred(machine.suite, machine.round, names.scenario),
            "/".join(below),
            "/".join(map(quoted, below)),
        )

    def _machine(self, row: Mapping[str, Any], layout: Layout) -> Machine:
        """What a row says of its machine and submission."""
        columns, text, get = self._shape.columns, self._text, row.get
        system_type = text(get(columns["system_type"])) if "system_type" in columns else None
        suite = self._suite_of(system_type)
        facts: dict[str, Any] = {fact: text(row[column]) for fact, column in layout.texts}
        facts |= {fact: count(row[column]) for fact, column in layout.counts}
        notes = self._joined(row, "notes", "software_notes")
        return Machine(
            suite=suite,
            round=self._round_of(text(get(columns["round"])) if "round" in columns else None),
            division=self._needed(row, "division"),
            availability=self._needed(row, "availability"),
            submitter=self._needed(row, "submitter"),
            platform=self._needed(row, "platform"),
            system_type=system_type or (suite if self._shape is TINY else None),
            software_published=self._joined(row, "software_published", "software_libraries"),
            accelerator_power_limit_watts=power_limit(notes, facts.get("accelerator_published")),
            notes=notes,
            **facts,
        )

    # ------------------------------------------------------------------------------------------ single facts

    def _cell(self, row: Mapping[str, Any], fact: str) -> str | None:
        column = self._column(fact)
        return self._text(row.get(column)) if column else None

    def _needed(self, row: Mapping[str, Any], fact: str) -> str:
        column = self._shape.columns[fact]
        found = self._text(row.get(column))
        if found is None:
            raise BadRowError(f"{column} is {shown(row.get(column))}")
        return found

    def _joined(self, row: Mapping[str, Any], first: str, second: str) -> str | None:
        one, other = self._cell(row, first), self._cell(row, second)
        return f"{one}; {other}" if one and other and one != other else one or other

    def _suite_of(self, system_type: str | None) -> str:
        """The suite that the row's kind says; what was given stands for silent rows and for unreviewed tables."""
        if self._suite == "unofficial":
            return "unofficial"
        if self._shape is TINY:
            return "tiny"
        found = {SUITE_OF_TYPE.get(part, "") for part in system_types(system_type, self._catalog)}
        if len(found) == 1 and "" not in found:
            return found.pop()
        if self._suite and not found:
            return self._suite
        self.silent["suite"] = f"{self._shape.columns['system_type']} is {shown(system_type)}"
        raise BadRowError(f"its kind names no suite ({self.silent['suite']}); give the suite")

    def _round_of(self, published: str | None) -> str:
        if published is None:
            if self._round:
                return self._round
            self.silent["round"] = "the rows name no version"
            raise BadRowError("no round; give it")
        found = round_name(published)
        if found is None:
            raise BadRowError(f"{published!r} is not a round such as v6.1")
        return found

    def _power_of(self, row: Mapping[str, Any]) -> tuple[Power, ...]:
        """Measured power in the row (shape R and tiny) and design power; a flag that says there is none goes first."""
        columns, get = self._shape.columns, row.get
        power: tuple[Power, ...] = ()
        if "power" in columns:
            watts = number(get(columns["power"]))
            if watts and watts > 0 and flag(get(columns["has_power"])) is not False:
                unit = self._cell(row, "power_unit")
                if unit:
                    power = (Power("measured", watts, POWER_UNITS.get(unit.casefold(), unit)),)
        if "design_power" in columns:
            design = number(get(columns["design_power"]))
            if design and design > 0:
                power = (*power, Power("design", design, "W"))
        return power

    def _url(self, row: Mapping[str, Any], machine: _Machine, task: _Task) -> str:
        """The submission's folder in the public repository; links in the tables may lead to the private one."""
        scenario = task.published.scenario
        location = row.get(self._location) if self._location is not None else None
        if scenario is None or location is None or _lies_at(location, machine.path + task.path):
            return machine.page + task.page
        benchmark = task.published.benchmark_published
        folder = folder_of(self._text(location), f"{machine.path}/{benchmark}/", scenario)
        return f"{machine.page}/{quoted(benchmark)}/{quoted(folder)}"


def _lies_at(location: Any, path: str) -> bool:
    """Whether a location begins with a path spelled just so; nearly all do."""
    return type(location) is str and location.removeprefix("./").startswith(path)
