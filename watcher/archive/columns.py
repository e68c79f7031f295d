"""The archive's own columns: results → compressed CSV, and back through the catalog.

A column that a table does not know is left out of its file. Text is written as published; what follows from it by
the catalog is not written, so that a better catalog reads old rounds better too.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published, named, public_repository, submission_url
from watcher.domain import Power, Result, Table

_JOIN = "|"


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _folder(result: Result) -> str:
    """The scenario's folder where it is spelled otherwise than the scenario, else blank."""
    folder = unquote((result.url or "").rsplit("/", 1)[-1])
    return (
        folder
        if folder != result.scenario and folder.casefold() == (result.scenario or "").casefold()
        else ""
    )


def _power(result: Result) -> str:
    return _JOIN.join(f"{p.kind} {p.value!r} {p.unit}" for p in result.power)


# Our column → how a result fills it. The first nine are in every file; the rest where the table knows them.
COLUMNS: dict[str, Callable[[Result], str]] = {
    "division": lambda r: r.division,
    "availability": lambda r: r.availability,
    "submitter": lambda r: r.submitter,
    "platform": lambda r: r.platform,
    "benchmark_published": lambda r: r.benchmark_published,
    "scenario": lambda r: _text(r.scenario),
    "value": lambda r: repr(r.value),
    "unit_published": lambda r: _text(r.unit_published),
    "folder": _folder,
    "benchmark": lambda r: f"{r.benchmark}-{r.accuracy_target}" if r.accuracy_target else r.benchmark,
    "system_type": lambda r: ",".join(r.system_type),
    "system_name": lambda r: _text(r.system_name),
    "accelerator_published": lambda r: _text(r.accelerator_published),
    "accelerator_count": lambda r: _text(r.accelerator_count),
    "accelerators_per_node": lambda r: _text(r.accelerators_per_node),
    "nodes": lambda r: _text(r.nodes),
    "processor": lambda r: _text(r.processor),
    "processors_per_node": lambda r: _text(r.processors_per_node),
    "processor_core_count": lambda r: _text(r.processor_core_count),
    "software_published": lambda r: _text(r.software_published),
    "precision": lambda r: _JOIN.join(r.precision),
    "operating_system": lambda r: _text(r.operating_system),
    "power": _power,
    "accelerator_power_limit_watts": lambda r: _text(r.accelerator_power_limit_watts),
    "inferred": lambda r: "" if r.inferred is None else str(int(r.inferred)),
    "entry": lambda r: _text(r.entry),
}
ALWAYS = tuple(COLUMNS)[:9]

# Canonical fields that follow from a column by the catalog.
_FOLLOWS = {
    "submitter": ("organisations",),
    "unit_published": ("unit", "better"),
    "folder": ("url",),
    "benchmark": ("benchmark", "accuracy_target"),
    "accelerator_published": ("accelerator", "accelerators", "system"),
    "software_published": ("software",),
}


def archived_fields(header: list[str] | tuple[str, ...]) -> frozenset[str]:
    """The canonical fields that a file with these columns can fill."""
    own = {name for name in header if name != "folder"}
    return frozenset({"suite", "round"} | own | {f for name in header for f in _FOLLOWS.get(name, ())})


def encode(table: Table) -> bytes:
    """A table as gzip CSV, sorted by key, the same bytes for the same results.

    Only results of a submission's scenario can be archived (they have a scenario), and ``extra`` is not.
    """
    header = [name for name in COLUMNS if name in ALWAYS or name in table.columns]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for result in sorted(table.results, key=lambda r: r.key):
        writer.writerow([COLUMNS[name](result) for name in header])
    return gzip.compress(out.getvalue().encode(), compresslevel=9, mtime=0)


def decode(body: bytes, suite: str, round_: str, catalog: Catalog) -> Table:
    """The table of a file written by `encode`. Raises ValueError or EOFError if it is damaged."""
    try:
        text = gzip.decompress(body).decode()
    except (zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(str(error)) from error
    rows = csv.reader(io.StringIO(text, newline=""))
    header = next(rows, [])
    if not set(ALWAYS) <= set(header) <= set(COLUMNS):
        raise ValueError("its columns are not the archive's")
    results = tuple(named(row, catalog) for row in _published(rows, header, suite, round_))
    return Table(suite=suite, round=round_, results=results, columns=archived_fields(header))


def _published(rows: Iterator[list[str]], header: list[str], suite: str, round_: str) -> Iterator[Published]:
    repository = public_repository(suite, round_)
    places = {name: header.index(name) if name in header else -1 for name in COLUMNS}
    at = [places[name] for name in COLUMNS]
    for cells in rows:
        if len(cells) != len(header):
            raise ValueError(f"a line has {len(cells)} cells, not {len(header)}")
        padded = [*cells, ""]  # a column that the file lacks reads the last cell
        (
            division, availability, submitter, platform, benchmark, scenario, value, unit, folder, column, system_type,
            system_name, accelerator, count, per_node, nodes, processor, processors, cores, software, precision,
            operating_system, power, limit, inferred, entry,
        ) = [padded[place] for place in at]  # fmt: skip
        yield Published(
            suite=suite,
            round=round_,
            division=division,
            availability=availability,
            submitter=submitter,
            platform=platform,
            benchmark_published=benchmark,
            scenario=scenario,
            value=float(value),
            unit_published=unit,
            benchmark_column=column or None,
            system_type=system_type or None,
            system_name=system_name or None,
            accelerator_published=accelerator or None,
            accelerator_total=int(count) if count else None,
            accelerators_per_node=int(per_node) if per_node else None,
            nodes=int(nodes) if nodes else None,
            processor=processor or None,
            processors_per_node=int(processors) if processors else None,
            processor_core_count=int(cores) if cores else None,
            software_published=software or None,
            precision_published=precision or None,
            operating_system=operating_system or None,
            power=_powers(power) if power else (),
            accelerator_power_limit_watts=float(limit) if limit else None,
            inferred=inferred == "1" if inferred else None,
            url=submission_url(repository, (division, submitter, platform, benchmark), folder or scenario),
            entry=entry or None,
        )


def _powers(text: str) -> tuple[Power, ...]:
    found = (figure.split(" ", 2) for figure in text.split(_JOIN))
    return tuple(Power(kind, float(value), unit) for kind, value, unit in found)
