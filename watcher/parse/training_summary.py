"""The training summarizer's wide table: one row a system and framework, one column a benchmark, values in minutes.

Training repositories carry no official table, but some submissions hold their own as ``summary.json``. A row has as
many results as it has benchmark columns with a number; a benchmark is any numeric column that is not known to be
something else. The platform is the description's file in ``details_url``, which is the folder of the runs too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published
from watcher.domain import Aside, Result, ResultKey, Table
from watcher.errors import ParseError
from watcher.parse.body import utf8_of
from watcher.parse.cells import count, number, plain
from watcher.parse.paths import folder_address
from watcher.parse.power_limit import power_limit
from watcher.parse.rows import raw_rows
from watcher.parse.strict import words
from watcher.parse.system_description import availability, named_system

COLUMNS = frozenset({
    "suite", "round", "division", "availability", "submitter", "organisations", "platform", "benchmark_published",
    "benchmark", "scenario", "value", "unit", "unit_published", "better", "system_name", "system", "accelerator",
    "accelerators", "accelerator_published", "accelerator_count", "accelerators_per_node", "nodes", "processor",
    "software", "software_published", "notes", "accelerator_power_limit_watts", "url", "extra",
})  # fmt: skip

MARK = frozenset({"division", "availability", "submitter", "accelerators_count", "details_url"})
"""Columns by which this shape is told from other JSON tables."""

_KNOWN = MARK | {
    "system", "number_of_nodes", "host_processor_model_name", "host_processors_count", "accelerator_model_name",
    "framework", "notes", "code_url", "id", "hash", "public_id",
}  # fmt: skip
_ROUND = re.compile(r"/(training|hpc)_results_(v\d{1,3}\.\d{1,3})/")
_SYSTEM = re.compile(r"/systems/([^/?#]+)\.json")


def is_training_summary(row: Mapping[str, Any]) -> bool:
    """Whether a row of a JSON table is of this shape."""
    return row.keys() >= MARK


def read_training_summary(
    body: bytes,
    *,
    name: str,
    catalog: Catalog,
    suite: str = "training",
    round: str | None = None,
    repository_url: str | None = None,
) -> Table:
    """Read the table, plain or gzip. ``round`` left out follows from the links in the rows.

    Raises ParseError if it is another document, of several rounds or of another one than given, or has no result.
    """
    listed, asides = raw_rows(utf8_of(body, name), name)
    rows = [(row.place, cells) for row in listed if is_training_summary(cells := row.read())]
    if not rows:
        raise ParseError(f"{name}: is no training summary; its rows need {', '.join(sorted(MARK))}")
    round_ = _round((cells for _, cells in rows), round, name)
    results: dict[ResultKey, Result] = {}
    unknown: dict[str, None] = {}
    for place, cells in rows:
        try:
            found = tuple(_results(cells, suite, round_, repository_url, catalog))
        except ParseError as error:
            asides.append(Aside(place, str(error)))
            continue
        for result in found:
            unknown.update(dict.fromkeys(result.extra))
            if results.setdefault(result.key, result) is not result:
                asides.append(
                    Aside(place, f"repeats {result.platform} {result.benchmark_published}; kept once")
                )
    if not results:
        first = f"; {asides[0].row}: {asides[0].message}" if asides else ""
        raise ParseError(f"{name}: holds no result{first}")
    return Table(
        suite, round_, tuple(results.values()), COLUMNS, unknown_columns=tuple(unknown), asides=tuple(asides)
    )


def _round(rows: Iterable[Mapping[str, Any]], given: str | None, name: str) -> str:
    linked = {match[2] for row in rows if (match := _ROUND.search(str(row.get("details_url"))[:500]))}
    rounds = linked | ({given} if given else set())
    if len(rounds) != 1:
        said = ", ".join(sorted(rounds)) or "none; give the round"
        raise ParseError(f"{name}: the round is not certain: {said}")
    return rounds.pop()


def _results(
    row: Mapping[str, Any], suite: str, round_: str, repository_url: str | None, catalog: Catalog
) -> Iterator[Result]:
    texts = {key: words(row.get(key)) for key in _KNOWN}
    submitter, division = texts["submitter"], texts["division"]
    link = _SYSTEM.search(str(row.get("details_url"))[:500])
    platform = link[1] if link else texts["system"]
    if submitter is None or division is None or platform is None:
        raise ParseError("names no submitter, division or system")
    nodes, total = count(row.get("number_of_nodes")), count(row.get("accelerators_count"))
    rest = {
        column: value
        for key, value in row.items()
        if key not in _KNOWN and value is not None and (column := words(key)) is not None
    }
    minutes = {key: found for key, value in rest.items() if (found := number(value)) is not None}
    if not minutes:
        raise ParseError(f"{submitter} {platform}: has no benchmark with a number")
    extra = {key: plain(value) for key, value in rest.items() if key not in minutes}
    for benchmark, value in minutes.items():
        if value <= 0:
            raise ParseError(f"{submitter} {platform}: {benchmark} is {value:g} minutes")
        published = Published(
            suite=suite,
            round=round_,
            division=division.casefold(),
            availability=availability(texts["availability"]) or "unknown",
            submitter=submitter,
            platform=platform,
            benchmark_published=benchmark,
            scenario=None,
            value=value,
            unit_published="minutes",
            system_name=texts["system"],
            accelerator_published=texts["accelerator_model_name"],
            accelerator_total=total,
            accelerators_per_node=total // nodes if total and nodes and total % nodes == 0 else None,
            nodes=nodes,
            processor=texts["host_processor_model_name"],
            software_published=texts["framework"],
            notes=texts["notes"],
            accelerator_power_limit_watts=power_limit(texts["notes"], texts["accelerator_model_name"]),
            url=folder_address(repository_url, suite, round_, f"{submitter}/results/{platform}/{benchmark}"),
            extra=extra,
        )
        yield named_system(published, catalog)
