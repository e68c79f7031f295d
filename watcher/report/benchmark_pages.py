"""A page a benchmark: its rows as small multiples by scenario, the best over the rounds held, and the rows as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from watcher.catalog.names import Catalog
from watcher.domain import Record, Result
from watcher.figures.care import Around
from watcher.figures.cells import (
    Cell,
    best,
    best_per_accelerator,
    by_cell,
    cell_order,
    newest,
    plain,
    round_order,
)
from watcher.figures.comparability import compatibility
from watcher.figures.selectors import DEFAULT_SUITE
from watcher.figures.words import number
from watcher.render import words
from watcher.report import titles
from watcher.report.places import BENCHMARKS, Places, benchmark_page
from watcher.report.plots import benchmark_plot
from watcher.report.round_tables import records as record_table
from watcher.report.rows_page import rows_table
from watcher.report.view import (
    Block,
    Bullets,
    Column,
    Page,
    Part,
    Row,
    Span,
    Table,
    cell,
    joined,
    line,
    paragraph,
)


def by_benchmark(rows: Iterable[Result]) -> Mapping[tuple[str, str], list[Result]]:
    """Group rows by (suite, benchmark)."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for row in rows:
        groups.setdefault((row.suite, row.benchmark), []).append(row)
    return groups


def benchmark_pages(
    groups: Mapping[tuple[str, str], Sequence[Result]],
    records: Mapping[tuple[str, str], Sequence[Record]],
    around: Around,
    places: Places,
    catalog: Catalog,
) -> Iterable[Page]:
    """Return the list of benchmarks and the page of each; ``records``: those of the closed division by benchmark."""
    yield _list(groups, places)
    for (suite, name), rows in groups.items():
        yield _page(suite, name, rows, records.get((suite, name), ()), around, places, catalog)


def _list(groups: Mapping[tuple[str, str], Sequence[Result]], places: Places) -> Page:
    parts = []
    for suite in sorted({suite for suite, _ in groups}, key=lambda name: (name != DEFAULT_SUITE, name)):
        rows = tuple(
            _list_row(name, those, places)
            for (of, name), those in sorted(
                groups.items(), key=lambda both: titles.title("benchmark", both[0][1]).casefold()
            )
            if of == suite
        )
        columns = (
            Column("Benchmark"),
            Column("Rounds held"),
            Column("In the newest", numeric=True),
            Column("Scenarios", screens="wide"),
            Column("Submitters", numeric=True, screens="wide"),
        )
        parts.append(
            Part(
                titles.title("suite", suite),
                (Table(columns=columns, rows=rows, label=titles.title("suite", suite)),),
            )
        )
    if not parts:
        parts.append(Part("Nothing yet", (paragraph("No results are held yet."),)))
    return Page(
        path=BENCHMARKS, place="benchmarks", title="Benchmarks", parts=tuple(parts),
        summary="Each with its rows by scenario, the best over the rounds held, and all rows of the newest round.",
    )  # fmt: skip


def _list_row(name: str, rows: Sequence[Result], places: Places) -> Row:
    last = newest({row.round for row in rows})
    now = [row for row in rows if row.round == last]
    suite = rows[0].suite
    rounds = sorted({row.round for row in rows}, key=round_order)
    links = joined((Span(each, places.rows(suite, each, {"benchmark": name})),) for each in rounds)
    scenarios = words.joined(
        dict.fromkeys(cell.scenario or "" for cell in sorted(by_cell(now), key=cell_order))
    )
    return Row(
        (
            cell(Span(titles.title("benchmark", name), places.to(benchmark_page(suite, name)))),
            cell(*links),
            cell(words.plural(len(now), "row")),
            cell(scenarios or words.NONE),
            cell(f"{len({row.submitter for row in now}):,}"),
        )
    )


def _page(
    suite: str,
    name: str,
    rows: Sequence[Result],
    records: Sequence[Record],
    around: Around,
    places: Places,
    catalog: Catalog,
) -> Page:
    rounds = sorted({row.round for row in rows}, key=round_order)
    now = [row for row in rows if row.round == rounds[-1]]
    before = [row for row in rows if len(rounds) > 1 and row.round == rounds[-2]]
    title = titles.title("benchmark", name)
    blocks = _plot_blocks(now, before, places, catalog)
    parts = [Part(f"{rounds[-1]} by scenario", tuple(blocks), anchor="plots")]
    if len(rounds) > 1:
        parts.append(
            Part("The best over the rounds held", tuple(_over_rounds(rows, rounds, places)), anchor="rounds")
        )
    if records:
        since = records[0].since
        parts.append(
            Part(
                "Records",
                (record_table(records, f"Closed division, best since {since}", places, named=False),),
                anchor="records",
            )
        )
    table = rows_table(
        now, around, places, catalog, label=f"All rows of {title} in {rounds[-1]}", anchored=False
    )
    parts.append(
        Part(f"All rows of {rounds[-1]}", (table, _other_rounds(suite, name, rounds, places)), anchor="all")
    )
    return Page(
        path=benchmark_page(suite, name),
        place="benchmarks",
        title=f"{title}, {titles.title('suite', suite)}",
        summary=_summary(now, rounds),
        trail=(Span("Benchmarks", places.to(BENCHMARKS)),),
        parts=tuple(parts),
        contents=True,
    )


def _summary(now: Sequence[Result], rounds: Sequence[str]) -> str:
    entries = words.plural(len({row.submitter for row in now}), "submitter entry", "submitter entries")
    held = f"; held since {rounds[0]}" if len(rounds) > 1 else "; no other round is held"
    return f"{words.plural(len(now), 'row')} in {rounds[-1]} by {entries}{held}"


def _plot_blocks(
    now: Sequence[Result], before: Sequence[Result], places: Places, catalog: Catalog
) -> list[Block]:
    plot = benchmark_plot(now, before, places, catalog)
    blocks: list[Block] = (
        [plot] if plot is not None else [paragraph("No row of the closed division to draw.")]
    )
    first = now[0]
    apart = [row for row in now if row.division != "closed"]
    for division in sorted({row.division for row in apart}):
        count = sum(row.division == division for row in apart)
        wanted = {"benchmark": first.benchmark, "division": division}
        link = Span(words.plural(count, "row"), places.rows(first.suite, first.round, wanted))
        blocks.append(
            paragraph(link, f" of the {division} division not drawn: each states its own rules.", soft=True)
        )
    return blocks


def _over_rounds(rows: Sequence[Result], rounds: Sequence[str], places: Places) -> Iterable[Block]:
    """Return the best row of each closed cell in each round, per accelerator where that exists, else in total."""
    closed = by_cell(row for row in plain(rows) if row.division == "closed")
    several = len({cell.system_type for cell in closed}) > 1
    made = []
    for place in sorted(closed, key=cell_order):
        per_round = {name: [row for row in closed[place] if row.round == name] for name in rounds}
        for each in (True, False):
            found = {name: _best(those, each=each) for name, those in per_round.items()}
            if any(row is not None for row in found.values()):
                made.append(_round_row(place, found, places, each=each, several=several))
    columns = (Column("Scenario"), Column(""), *(Column(name, numeric=True) for name in rounds))
    yield Table(columns=columns, rows=tuple(made), label="The best row of each round")
    notes = _incomparable(rows, rounds)
    if notes:
        yield Bullets(tuple(line(text) for text in notes))


def _best(rows: Sequence[Result], *, each: bool) -> Result | None:
    if not each:
        return best(rows)
    found = best_per_accelerator(rows)
    return found if found is not None and found.value_per_accelerator is not None else None


def _round_row(
    place: Cell, found: Mapping[str, Result | None], places: Places, *, each: bool, several: bool
) -> Row:
    kind = f", {place.system_type}" if several and place.system_type else ""
    name = " ".join(filter(None, (place.scenario or "Result", place.accuracy_target)))
    cells = [cell(f"{name}{kind}"), cell("each" if each else "total")]
    for row in found.values():
        if row is None:
            cells.append(cell(words.NONE))
            continue
        value = row.value_per_accelerator if each else row.value
        whose = Span(f" {titles.machine(row)}", None, "soft whose")
        cells.append(
            cell(places.of_row(number(value or 0.0), row), Span(f" {row.unit}", None, "soft"), whose)
        )
    return Row(tuple(cells))


def _incomparable(rows: Sequence[Result], rounds: Sequence[str]) -> list[str]:
    """Say between which neighbouring rounds the benchmark is another one, or not confirmed to be the same."""
    told = []
    first = {name: next(row for row in rows if row.round == name) for name in rounds}
    for one, other in pairwise(rounds):
        found = compatibility(first[one], first[other])
        if found.verdict != "comparable":
            told.append(words.capital(found.reason))
    return list(dict.fromkeys(told))


def _other_rounds(suite: str, name: str, rounds: Sequence[str], places: Places) -> Block:
    links = joined((Span(each, places.rows(suite, each, {"benchmark": name})),) for each in reversed(rounds))
    return paragraph("In the tables of whole rounds: ", *links)
