"""A table of an HTML page whose columns are named for fields → results of one suite and round."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from watcher.catalog.names import Catalog
from watcher.catalog.naming import Published, named
from watcher.domain import Aside, Result, ResultKey, Table
from watcher.errors import ConfigError, ParseError
from watcher.parse.cells import clean, count, number
from watcher.parse.html_table import HtmlTable
from watcher.parse.shapes import Shape, canonical_columns
from watcher.parse.summary_row import BadRowError

FIELDS: Mapping[str, str] = {
    "submitter": "submitter", "platform": "platform", "system_name": "system_name", "division": "division",
    "availability": "availability", "system_type": "system_type", "benchmark": "benchmark_published", "scenario": "scenario",
    "value": "value", "unit": "unit_published", "accelerator": "accelerator_published", "accelerator_count": "accelerator_total",
    "accelerators_per_node": "accelerators_per_node", "nodes": "nodes", "processor": "processor",
    "processors_per_node": "processors_per_node", "processor_core_count": "processor_core_count",
    "software": "software_published", "precision": "precision_published", "operating_system": "operating_system",
    "accuracy": "accuracy", "notes": "notes",
}  # fmt: skip
"""Fields of a result that a column may be named for, with the published fact that it states."""

NEEDED = ("submitter", "division", "availability", "benchmark", "value", "unit")
"""Fields that a result cannot do without; so is one of platform and system_name."""

_COUNTS = frozenset(
    {"accelerator_total", "accelerators_per_node", "nodes", "processors_per_node", "processor_core_count"}
)


def results_of(
    table: HtmlTable,
    *,
    columns: Mapping[str, str],
    fixed: Mapping[str, str],
    suite: str,
    round_name: str,
    catalog: Catalog,
    url: str,
) -> Table:
    """Return a table's rows as results of one suite and round.

    ``columns`` maps the table's columns to fields of `FIELDS`, ``fixed`` fields to the value that all rows have. A row that
    cannot be read is an Aside. Raises ConfigError where a needed field is neither, ParseError where no row can be read or
    two rows contradict each other.
    """
    facts = {field: table.position(column) for column, field in columns.items()}
    check_fields(facts.keys() | fixed.keys())
    results: dict[ResultKey, Result] = {}
    asides = []
    for place, row in enumerate(table.rows, start=1):
        said = dict(fixed)
        said.update({field: row.cells[at] for field, at in facts.items() if at is not None and row.cells[at]})
        known = {at for at in facts.values() if at is not None}
        extra = {
            name: row.cells[at] for at, name in enumerate(table.columns) if at not in known and row.cells[at]
        }
        try:
            stated = _published(said, suite, round_name, row.link or url, extra)
        except BadRowError as error:
            asides.append(Aside(f"row {place}", str(error)))
            continue
        result = named(stated, catalog)
        before = results.setdefault(result.key, result)
        if before is not result and (before.value, before.unit) != (result.value, result.unit):
            raise ParseError(
                f"{url}: row {place} gives another value for {' · '.join(result.key[2:])} than a row before it"
            )
    if not results:
        raise ParseError(
            f"{url}: no row of the table is a result; {asides[0].message if asides else 'it has none'}"
        )
    shape = Shape(
        name="HTML table",
        mark=frozenset(),
        columns={FIELDS[field]: field for field in facts.keys() | fixed.keys()},
    )
    return Table(
        suite=suite,
        round=round_name,
        results=tuple(results.values()),
        columns=canonical_columns(shape, shape.columns.values()),
        unknown_columns=tuple(name for at, name in enumerate(table.columns) if at not in facts.values()),
        asides=tuple(asides),
    )


def check_fields(fields: Collection[str]) -> None:
    """Raise ConfigError where a field that a result cannot do without is neither a column nor fixed."""
    missing = [field for field in NEEDED if field not in fields]
    if "platform" not in fields and "system_name" not in fields:
        missing.append("platform")
    if missing:
        raise ConfigError(f"a result needs the field {missing[0]!r}: name its column, or give it as fixed")


def _published(
    said: Mapping[str, str], suite: str, round_name: str, url: str, extra: Mapping[str, str]
) -> Published:
    """Return what a row states. Raises BadRowError for one that is no result."""
    facts = {FIELDS[field]: clean(text) for field, text in said.items()}
    value = number((facts.pop("value", None) or "").rstrip("*†‡ "))
    if value is None or value <= 0:
        raise BadRowError(f"no result: its value is {said.get('value', '')!r}")
    platform = facts.pop("platform", None) or facts.get("system_name")
    needed = {name: facts.pop(name, None) for name in ("submitter", "division", "availability", "benchmark_published", "unit_published")}  # fmt: skip
    for name, text in {**needed, "platform": platform}.items():
        if text is None:
            raise BadRowError(f"no result: its {name.removesuffix('_published')} is blank")
    counts = {name: count(text) for name, text in facts.items() if name in _COUNTS}
    texts = {name: text for name, text in facts.items() if name not in _COUNTS}
    texts.setdefault("scenario", None)
    stated = {**needed, **texts, **counts, "platform": platform}
    return Published(suite=suite, round=round_name, value=value, url=url, extra=dict(extra), **stated)  # type: ignore[arg-type]
