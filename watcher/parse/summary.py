"""Raw rows of a summary table → results: cells cleaned, power twins joined, every bad row set aside by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from watcher.catalog.names import Catalog
from watcher.catalog.naming import (
    Published,
    folder_url,
    named,
    public_repository,
    submission_url,
    system_types,
)
from watcher.domain import Aside, KnownRows, Power, Result, ResultKey
from watcher.errors import ParseError
from watcher.parse.cells import Texts, clean, count, flag, number, plain
from watcher.parse.facts import (
    POWER_UNITS,
    SUITE_OF_TYPE,
    folder_of,
    round_name,
    shown,
    trusted_mark,
    words_of,
)
from watcher.parse.power_limit import power_limit
from watcher.parse.recognising import Layout, reader_stamp, told_by_digest
from watcher.parse.rows import RawRow
from watcher.parse.shapes import TINY, Shape


class BadRowError(ValueError):
    """A row that cannot be a result; the text says what is wrong with it."""


class _Stated(NamedTuple):
    """What one row states: a result, or with ``twin``, a unit, the power that goes with one."""

    result: Result
    twin: str | None


class Reader:
    """Reads the rows of one document of one shape.

    ``suite`` and ``round``: what the user or source said, used where rows are silent. After `read`, ``results`` are
    by (suite, round) and natural key, ``asides`` the rows set aside, ``columns`` all published columns met,
    ``silent`` the facts that no row stated and nobody gave. ``row_digests`` and ``recognised``: as in `Table`, of all
    its tables.
    """

    def __init__(
        self,
        shape: Shape,
        catalog: Catalog,
        suite: str | None,
        round_: str | None,
        repository_url: str | None,
    ) -> None:
        self.shape = shape
        self.results: dict[tuple[str, str], dict[ResultKey, Result]] = {}
        self.asides: list[Aside] = []
        self.columns: dict[str, None] = {}
        self.silent: dict[str, str] = {}
        self.row_digests: dict[ResultKey, bytes] = {}
        self.recognised: list[ResultKey] = []
        self.stamp = reader_stamp(shape.name, suite, round_, repository_url, catalog.stamp)
        self._catalog = catalog
        self._suite = suite
        self._round = round_
        self._repository = repository_url.rstrip("/") if repository_url else None
        self._text = Texts()
        self._power: dict[tuple[str, str], dict[ResultKey, tuple[str, Power]]] = {}
        self._places: dict[ResultKey, str] = {}
        self._limits: dict[tuple[str | None, str | None], float | None] = {}
        self._layouts: dict[tuple[str, ...], Layout] = {}
        self._column: Callable[[str], str | None] = shape.columns.get

    def read(self, rows: list[RawRow], name: str, known: KnownRows | None = None) -> None:
        """Read all rows but those that are ``known``. Raises ParseError if two rows contradict each other."""
        layouts = [self._layout(row) for _, row in rows]
        digests = [layout.digest(row) for layout, (_, row) in zip(layouts, rows, strict=True)]
        told = told_by_digest(digests, known, self.stamp)
        stated = [
            self._stated(row, layout) if number not in told else None
            for number, (layout, (_, row)) in enumerate(zip(layouts, rows, strict=True))
        ]
        if told:  # a known row is still judged together with others of its key
            shared = {each.result.key for each in stated if isinstance(each, _Stated)}
            for number in [number for number, key in told.items() if key in shared]:
                del told[number]
                stated[number] = self._stated(rows[number][1], layouts[number])
            self.recognised = list(told.values())
        for (place, row), digest, each in zip(rows, digests, stated, strict=True):
            try:
                if isinstance(each, BadRowError):
                    raise each
                if each is not None:
                    self._take(place, each, digest, name)
            except BadRowError as error:
                self.asides.append(Aside(place, f"{self._who(row)}: {error}"))
        self._join_twins()

    def _layout(self, row: Mapping[str, Any]) -> Layout:
        columns = tuple(row)
        layout = self._layouts.get(columns)
        if layout is None:
            self.columns.update(dict.fromkeys(columns))
            layout = self._layouts[columns] = Layout(columns, self.shape)
        return layout

    def _stated(self, row: Mapping[str, Any], layout: Layout) -> _Stated | BadRowError:
        """What a row states by itself, or why it states nothing."""
        try:
            facts = self._published(row, {column: plain(row[column]) for column in layout.unknown})
        except BadRowError as error:
            return error
        return _Stated(named(facts, self._catalog), POWER_UNITS.get(facts.unit_published.casefold()))

    def _take(self, place: str, stated: _Stated, digest: bytes, name: str) -> None:
        """Let a row stand beside those before it."""
        result, twin = stated
        group = (result.suite, result.round)
        key = result.key
        if twin:
            held = self._power.setdefault(group, {}).setdefault(
                key, (place, Power("measured", result.value, twin))
            )
            if held[1].value != result.value:
                raise ParseError(f"{name}: {held[0]} and {place} give different power for {words_of(key)}")
            return
        results = self.results.setdefault(group, {})
        before = results.setdefault(key, result)
        if before is result:
            self._places[key] = place
            self.row_digests[key] = digest
        elif before.value != result.value or before.unit != result.unit:
            raise ParseError(
                f"{name}: {self._places[key]} and {place} give different values for {words_of(key)}"
            )
        else:
            self.row_digests.pop(key, None)
            raise BadRowError(f"repeats {self._places[key]}, with the same value; kept once")

    def _published(self, row: Mapping[str, Any], unknown: dict[str, Any]) -> Published:
        columns, text, get = self.shape.columns, self._text, row.get
        system_type = text(get(columns["system_type"])) if "system_type" in columns else None
        suite = self._suite_of(system_type)
        round_ = self._round_of(text(get(columns["round"])) if "round" in columns else None)
        division = self._needed(row, "division")
        submitter = self._needed(row, "submitter")
        platform = self._needed(row, "platform")
        benchmark = self._needed(row, "benchmark_published")
        scenario = self._needed(row, "scenario") if "scenario" in columns else None
        value = number(get(columns["value"]))
        if value is None or value <= 0:
            raise BadRowError(f"no result: {columns['value']} is {shown(get(columns['value']))}")
        accelerator = text(get(columns["accelerator_published"]))
        notes = self._joined(row, "notes", "software_notes")
        limits = (notes, accelerator)
        if limits not in self._limits:
            self._limits[limits] = power_limit(notes, accelerator)
        return Published(
            suite=suite,
            round=round_,
            division=division,
            availability=self._needed(row, "availability"),
            submitter=submitter,
            platform=platform,
            benchmark_published=benchmark,
            scenario=scenario,
            value=value,
            unit_published=self._needed(row, "unit_published"),
            benchmark_column=text(get(columns["benchmark_column"])),
            system_type=system_type or (suite if self.shape is TINY else None),
            system_name=text(get(columns["system_name"])),
            accelerator_published=accelerator,
            accelerator_total=self._count(row, "accelerator_total"),
            accelerators_per_node=self._count(row, "accelerators_per_node"),
            nodes=self._count(row, "nodes"),
            processor=text(get(columns["processor"])),
            processors_per_node=self._count(row, "processors_per_node"),
            processor_core_count=self._count(row, "processor_core_count"),
            accuracy=text(get(columns["accuracy"])),
            software_published=self._joined(row, "software_published", "software_libraries"),
            precision_published=self._cell(row, "precision_published"),
            operating_system=self._cell(row, "operating_system"),
            power=self._power_of(row),
            accelerator_power_limit_watts=self._limits[limits],
            inferred=self._inferred(row, suite, round_, system_type, scenario),
            notes=notes,
            url=self._url(row, suite, round_, (division, submitter, platform, benchmark), scenario),
            extra=unknown,
        )

    # ------------------------------------------------------------------------------------------ single facts

    def _cell(self, row: Mapping[str, Any], fact: str) -> str | None:
        column = self._column(fact)
        return self._text(row.get(column)) if column else None

    def _count(self, row: Mapping[str, Any], fact: str) -> int | None:
        column = self._column(fact)
        return count(row.get(column)) if column else None

    def _needed(self, row: Mapping[str, Any], fact: str) -> str:
        column = self.shape.columns[fact]
        found = self._text(row.get(column))
        if found is None:
            raise BadRowError(f"{column} is {shown(row.get(column))}")
        return found

    def _joined(self, row: Mapping[str, Any], *facts: str) -> str | None:
        found = dict.fromkeys(text for fact in facts if (text := self._cell(row, fact)))
        return "; ".join(found) or None

    def _suite_of(self, system_type: str | None) -> str:
        """The suite that the row's kind says; what was given stands for silent rows and for unreviewed tables."""
        if self._suite == "unofficial":
            return "unofficial"
        if self.shape is TINY:
            return "tiny"
        found = {SUITE_OF_TYPE.get(part, "") for part in system_types(system_type, self._catalog)}
        if len(found) == 1 and "" not in found:
            return found.pop()
        if self._suite and not found:
            return self._suite
        self.silent["suite"] = f"{self.shape.columns['system_type']} is {shown(system_type)}"
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
        columns = self.shape.columns
        power: list[Power] = []
        if "power" in columns and flag(row.get(columns["has_power"])) is not False:
            watts = number(row.get(columns["power"]))
            unit = self._cell(row, "power_unit")
            if watts and watts > 0 and unit:
                power.append(Power("measured", watts, POWER_UNITS.get(unit.casefold(), unit)))
        if "design_power" in columns:
            design = number(row.get(columns["design_power"]))
            if design and design > 0:
                power.append(Power("design", design, "W"))
        return tuple(power)

    def _inferred(
        self, row: Mapping[str, Any], suite: str, round_: str, system_type: str | None, scenario: str | None
    ) -> bool | None:
        column = self._column("inferred")
        if column is None or scenario is None:
            return None
        return trusted_mark(row.get(column), suite, round_, system_type, self._catalog.scenario(scenario))

    def _url(
        self,
        row: Mapping[str, Any],
        suite: str,
        round_: str,
        folders: tuple[str, str, str, str],
        scenario: str | None,
    ) -> str:
        """The submission's folder in the public repository; links in the tables may lead to the private one."""
        base = self._repository or public_repository(suite, round_)
        if scenario is None:
            return folder_url(base, *folders[:2])
        return submission_url(base, folders, folder_of(self._cell(row, "location"), folders, scenario))

    # ------------------------------------------------------------------------------------------ power twins, words

    def _join_twins(self) -> None:
        """Give each power twin's figure to its row; a twin without one is set aside."""
        for group, twins in self._power.items():
            results = self.results.get(group, {})
            for key, (place, power) in twins.items():
                result = results.get(key)
                if result is None:
                    self.asides.append(
                        Aside(place, f"{words_of(key)}: a power figure without its performance row")
                    )
                else:
                    results[key] = _with_power(result, power)
                    self.row_digests.pop(key, None)

    def _who(self, row: Mapping[str, Any]) -> str:
        facts = ("submitter", "platform", "benchmark_published", "scenario")
        found = (clean(str(row.get(column, ""))) for f in facts if (column := self._column(f)))
        return " · ".join(text[:80] for text in found if text) or "a row without names"


def _with_power(result: Result, power: Power) -> Result:
    from dataclasses import replace  # noqa: PLC0415 - only tables with power twins

    return replace(result, power=(power, *(p for p in result.power if p.kind != power.kind)))
