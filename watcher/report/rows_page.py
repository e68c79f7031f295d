"""The table of all rows of a round: sorted and filtered in the browser, each row with all that was published of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from watcher.catalog.names import Catalog
from watcher.domain import SCENARIOS, Result
from watcher.figures.attendance import PROCESSORS, vendors_of
from watcher.figures.care import Around, care_of
from watcher.figures.cells import scenario_order
from watcher.figures.words import number
from watcher.render import words
from watcher.report import titles
from watcher.report.places import ROUNDS, Places, benchmark_page, round_page, row_anchor, rows_page
from watcher.report.view import (
    Block,
    Bullets,
    Cell,
    Column,
    Filter,
    Line,
    Page,
    Pairs,
    Part,
    Row,
    Span,
    Table,
    cell,
    filters,
    joined,
    line,
    said,
    web,
)

_COLUMNS = (
    Column("Benchmark", width=13),
    Column("Scenario", screens="wide", width=9),
    Column("Submitter", width=11),
    Column("System", width=12),
    Column("Value", numeric=True, width=14),
    Column("Per accelerator", numeric=True, screens="wide", width=10),
    Column("Engines", screens="wider", width=11),
    Column("Division", screens="wide", width=8),
    Column("Availability", screens="wide", width=9),
)
_EXTRACT = (Column("Scenario", width=11), *_COLUMNS[2:])  # of one benchmark
_LAYERS = (("engine", "orchestration"), ("framework",))  # of software, what a reader looks for first
MEASURES = 24  # further figures of one run that are shown
_HINT = (
    "A value links to what was published. Figures per accelerator are computed here and are no official MLPerf metric; "
    "unlike units do not compare."
)


def rows_pages(
    rounds: Mapping[tuple[str, str], Sequence[Result]], around: Around, places: Places, catalog: Catalog
) -> Iterable[Page]:
    """Return the table of each round."""
    for (suite, round_name), rows in rounds.items():
        yield _page(suite, round_name, rows, around, places, catalog)


def _page(
    suite: str, round_name: str, rows: Sequence[Result], around: Around, places: Places, catalog: Catalog
) -> Page:
    name = titles.suite_round(suite, round_name)
    made = rows_table(rows, around, places, catalog, label=f"All results of {name}")
    glance = Span(
        f"{titles.short_round(suite, round_name)} at a glance", places.to(round_page(suite, round_name))
    )
    return Page(
        path=rows_page(suite, round_name),
        place="rows",
        title=f"{name}: all {words.plural(len(rows), 'result')}",
        summary="Search, filter and sort; … shows all that was published of a row.",
        trail=(Span("Rounds", places.to(ROUNDS)), glance),
        parts=(Part("Results", (made,)),),
    )


def rows_table(
    rows: Iterable[Result], around: Around, places: Places, catalog: Catalog, *, label: str, anchored: bool = True
) -> Table:  # fmt: skip
    """Return rows as a table that can be filtered; ``anchored``: whether this is the place that links to rows lead to."""
    made = tuple(
        _row(row, around, places, catalog, anchored=anchored) for row in sorted(rows, key=_reading_order)
    )
    return Table(
        columns=_COLUMNS if anchored else _EXTRACT,
        rows=made,
        label=label,
        name="rows" if anchored else "",
        noun="result",
        nouns="results",
        hint=_HINT,
        filters=_filters(made),
    )


def _reading_order(row: Result) -> tuple[object, ...]:
    better_first = row.value if row.better == "lower" else -row.value
    return (
        titles.benchmark(row).casefold(), scenario_order(row.scenario), row.division, row.system_type, row.unit,
        better_first, row.key,
    )  # fmt: skip


def _filters(rows: Sequence[Row]) -> tuple[Filter, ...]:
    def titled(kind: str, key: str) -> dict[str, str]:
        values = {value for row in rows for value in row.values.get(key, ())}
        named = {value: titles.title(kind, value) for value in values}
        return dict(sorted(named.items(), key=lambda both: (both[1].casefold(), both[0])))

    scenarios = {name: name for name in SCENARIOS}
    accelerators = titled("accelerator", "accelerator")
    accelerators = {**accelerators, titles.NO_ACCELERATOR: "none, processors only"}
    return filters(
        rows,
        {
            "benchmark": ("Benchmark", titled("benchmark", "benchmark")),
            "scenario": ("Scenario", scenarios),
            "submitter": ("Submitter", {}),
            "maker": ("Accelerator's maker", {}),
            "accelerator": ("Accelerator", accelerators),
            "division": ("Division", {}),
            "type": ("System type", {}),
            "availability": ("Availability", titled("availability", "availability")),
            "power": ("Power", {}),
        },
    )


# ------------------------------------------------------------------------------------------------ one row


def _row(row: Result, around: Around, places: Places, catalog: Catalog, *, anchored: bool) -> Row:
    each = row.value_per_accelerator
    # A value leads to what was published; where the table is but an extract, to the row in its round's table.
    value = web(number(row.value), row.url) if anchored else places.of_row(number(row.value), row)
    scenario = Span(row.scenario or "", None, "soft narrow")
    name = cell(Span(titles.benchmark(row), places.to(benchmark_page(row.suite, row.benchmark))), scenario)
    tier = f" {row.accuracy_target}" if row.accuracy_target and not anchored else ""
    return Row(
        cells=(
            *((name,) if anchored else ()),
            cell(f"{row.scenario or words.NONE}{tier}"),
            cell(titles.submitter(row)),
            Cell(_system(row)),
            cell(value, Span(f" {row.unit}", None, "soft"), sort=row.value),
            cell(words.NONE if each is None else number(each), sort=each),
            cell(_engines(row, catalog)),
            cell(f"{row.division} {' and '.join(row.system_type)}".strip()),
            cell(titles.title("availability", row.availability)),
        ),
        anchor=row_anchor(row.key) if anchored else None,
        values={
            "benchmark": (row.benchmark,),
            "scenario": (row.scenario,) if row.scenario else (),
            "submitter": row.organisations or (row.submitter,),
            "maker": tuple(name for name in vendors_of(row, catalog) if name != PROCESSORS),
            "accelerator": row.accelerators or (titles.NO_ACCELERATOR,),
            "division": (row.division,),
            "type": row.system_type,
            "availability": (row.availability,),
            "power": tuple(dict.fromkeys(power.kind for power in row.power)),
        },
        more=_more(row, around, places),
    )


def _system(row: Result) -> Line:
    preview = row.availability == "preview"
    return line(
        titles.system(row), " " if preview else "", Span("preview", None, "tag preview") if preview else ""
    )


def _engines(row: Result, catalog: Catalog) -> str:
    """Return what of the declared software runs the model, else its framework; all of it stands below the row."""
    known = [catalog.entry("software", name) for name in row.software if name in catalog.names("software")]
    for layers in _LAYERS:
        named = [entry.title for entry in known if entry.layer in layers]
        if named:
            return ", ".join(named)
    return ", ".join(row.software)


def _more(row: Result, around: Around, places: Places) -> tuple[Block, ...]:
    pairs = [(term, text) for term, text in _published(row, places) if text]
    care = care_of(row, around)
    found: list[Block] = [Pairs(tuple(pairs))]
    if care:
        found.append(Bullets(said(words.capital(text) for text in care)))
    return tuple(found)


def _published(row: Result, places: Places) -> list[tuple[str, Line]]:
    """Return all that was published of a row, term by term; an empty line where it says nothing."""
    links = [
        web("the published row", row.url) if row.url else Span(""),
        places.of_row("link to this row", row),
    ]
    limit = row.accelerator_power_limit_watts
    first_seen = row.first_seen_at
    return [
        ("Platform", line(" · ".join(dict.fromkeys(filter(None, (row.system_name, row.platform)))))),
        ("Size", line(_size(row))),
        ("Processor", line(_processor(row))),
        ("Software", line(row.software_published or ", ".join(row.software))),
        ("Precision", line(", ".join(row.precision))),
        ("Accuracy", line(row.accuracy or "")),
        ("Power", line("; ".join(f"{one.kind} {number(one.value)} {one.unit}" for one in row.power))),
        ("Power limit", line(f"{number(limit)} W of one accelerator, by the notes; no measurement" if limit else "")),
        ("Notes", line(row.notes or "")),
        ("As published", line(_as_published(row))),
        ("Further figures", line(_measures(row))),
        ("Inferred", line("yes: the value was derived from another scenario" if row.inferred else "")),
        ("First seen", line(words.moment(first_seen) if first_seen else "")),
        ("Links", joined([(each,) for each in links if each.text and each.href], " · ")),
    ]  # fmt: skip


def _size(row: Result) -> str:
    nodes = words.plural(row.nodes, "node") if row.nodes else ""
    each = (
        f"{row.accelerators_per_node:,} accelerators each" if row.accelerators_per_node and row.nodes else ""
    )
    return ", ".join(filter(None, (words.size(row), nodes, each)))


def _processor(row: Result) -> str:
    count = f"{row.processors_per_node} x " if row.processors_per_node else ""
    cores = f", {row.processor_core_count} cores" if row.processor_core_count else ""
    return f"{count}{row.processor}{cores}" if row.processor else ""


def _as_published(row: Result) -> str:
    names = [row.submitter, row.benchmark_published, row.accelerator_published, row.unit_published]
    return " · ".join(dict.fromkeys(filter(None, names)))


def _measures(row: Result) -> str:
    shown = list(row.measures.items())[:MEASURES]
    more = len(row.measures) - len(shown)
    return ", ".join(f"{name} {number(value)}" for name, value in shown) + (
        f" and {more} more" if more else ""
    )
