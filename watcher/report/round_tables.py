"""The tables of a round's page, each figure with a link to its row: counts, leaders, vendors, records, gains, promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from watcher.domain import Gain, Record, Result, Scaling
from watcher.figures.attendance import PROCESSORS, UNKNOWN_VENDOR, Tally
from watcher.figures.brief import Brief
from watcher.figures.cells import scenario_order
from watcher.figures.promises import Promise
from watcher.figures.records import ABSOLUTE, figure
from watcher.figures.standouts import GainSpan, Leader
from watcher.figures.words import number
from watcher.render import words
from watcher.report import titles
from watcher.report.places import Places
from watcher.report.view import Cell, Column, Line, Row, Span, Table, cell, joined, line

RECORDS = 80  # lines of one table of records; the rest is counted in its caption


def counts(brief: Brief, places: Places) -> Table:
    """Return how many rows there are by division, system type and availability, beside the round before."""
    lines: list[tuple[Tally, Mapping[str, str | None]]] = [(brief.results, {})]
    lines += [(one, _kind_filter(one.name)) for one in brief.kinds]
    lines += [(one, {"availability": one.name}) for one in brief.availabilities]
    columns = [Column("Rows"), Column(brief.round, numeric=True)]
    if brief.before is not None:
        columns.append(Column(brief.before, numeric=True))
    rows = []
    for one, wanted in lines:
        cells = [
            cell(words.capital(titles.title("availability", one.name))),
            _count(one.now, places.rows(brief.suite, brief.round, wanted)),
        ]
        if brief.before is not None:
            cells.append(_count(one.before or 0, places.rows(brief.suite, brief.before, wanted)))
        rows.append(Row(tuple(cells)))
    return Table(columns=tuple(columns), rows=tuple(rows), label="Rows by kind")


def _kind_filter(name: str) -> Mapping[str, str | None]:
    """Return the filter that finds the rows of "closed datacenter"; of both system types the division alone."""
    division, _, kind = name.partition(" ")
    return {"division": division, "type": kind if kind and " and " not in kind else None}


def _count(count: int, href: str | None) -> Cell:
    return cell(f"{count:,}", sort=count, href=href if count else None)


# ------------------------------------------------------------------------------------------------ who leads


def leaders(found: Sequence[Leader], places: Places) -> Table:
    """Return who leads each cell, in total and per accelerator."""
    several = len({one.cell.system_type for one in found}) > 1
    columns = (
        Column("Benchmark"), Column("Scenario"), Column("Largest total", numeric=True), Column("by"),
        Column("Most per accelerator", numeric=True), Column("by"),
    )  # fmt: skip
    rows = []
    for one in found:
        row, each = one.largest, one.each
        edge = " (edge)" if several and one.cell.system_type == "edge" else ""
        per = each.value_per_accelerator if each is not None else None
        rows.append(
            Row(
                (
                    cell(places.benchmark(f"{titles.benchmark(row)}{edge}", row)),
                    cell(one.cell.scenario or words.NONE),
                    cell(places.of_row(number(row.value), row), Span(f" {row.unit}", None, "soft")),
                    cell(titles.machine(row)),
                    cell(words.NONE)
                    if each is None or per is None
                    else cell(places.of_row(number(per), each)),
                    cell(words.NONE if each is None else titles.machine(each)),
                )
            )
        )
    return Table(columns=columns, rows=tuple(rows), label="Largest totals, and most per accelerator")


def vendors(brief: Brief, places: Places) -> Table:
    """Return the closed rows by benchmark and by who makes the accelerator."""
    cover = brief.coverage
    columns = [Column("Benchmark"), *(Column(words.capital(name), numeric=True) for name in cover.vendors)]
    rows = []
    for name, found in cover.rows:
        cells = [cell(titles.title("benchmark", name))]
        for vendor, count in zip(cover.vendors, found, strict=True):
            wanted = {"benchmark": name, "division": "closed", **_maker(vendor)}
            cells.append(
                _count(count, places.rows(brief.suite, brief.round, wanted)) if count else cell(words.NONE)
            )
        rows.append(Row(tuple(cells)))
    return Table(columns=tuple(columns), rows=tuple(rows), label="Vendors by benchmark")


def _maker(vendor: str) -> Mapping[str, str]:
    return (
        {"accelerator": titles.NO_ACCELERATOR}
        if vendor == PROCESSORS
        else {"maker": vendor or UNKNOWN_VENDOR}
    )


# ------------------------------------------------------------------------------------------------ records


def records(found: Sequence[Record], caption: str, places: Places, *, named: bool = True) -> Table:
    """Return records: what holds each, and what held it before; ``named``: with the benchmark of each."""
    ordered = sorted(
        found,
        key=lambda record: (
            titles.benchmark(record.best).casefold(), scenario_order(record.best.scenario), record.basis, record.best.key,
        ),
    )[:RECORDS]  # fmt: skip
    more = f", the first {RECORDS} of {len(found):,}" if len(found) > RECORDS else ""
    columns = (
        *((Column("Benchmark"),) if named else ()),
        Column("Scenario"), Column(""), Column("Best", numeric=True), Column("by"), Column("Before", numeric=True), Column("by"),
    )  # fmt: skip
    rows = tuple(
        Row(
            (
                *((_benchmark(record, places),) if named else ()),
                cell(_scenario(record, named=named)),
                cell("total" if record.basis == ABSOLUTE else "each"),
                cell(
                    places.of_row(number(figure(record)), record.best),
                    Span(f" {record.best.unit}", None, "soft"),
                ),
                cell(_held_by(record.best)),
                _before(record, places),
                cell(words.NONE if record.before is None else _held_by(record.before)),
            )
        )
        for record in ordered
    )
    return Table(columns=columns, rows=rows, caption=f"{caption}{more}")


def _benchmark(record: Record, places: Places) -> Cell:
    return cell(places.benchmark(titles.benchmark(record.best), record.best))


def _scenario(record: Record, *, named: bool) -> str:
    """Return the scenario of a record, with its accuracy target where no benchmark's name says it."""
    row = record.best
    return " ".join(filter(None, (row.scenario or words.NONE, None if named else row.accuracy_target)))


def _held_by(row: Result) -> str:
    return f"{titles.machine(row)}, {row.round}"


def _before(record: Record, places: Places) -> Cell:
    row = record.before
    value = None if row is None else row.value if record.basis == ABSOLUTE else row.value_per_accelerator
    return cell(words.NONE) if row is None or value is None else cell(places.of_row(number(value), row))


# ------------------------------------------------------------------------------------------------ gains


def gains(spans: Sequence[GainSpan], caption: str, places: Places) -> Table:
    """Return what each system gained, a line a system and benchmark."""
    rows = tuple(
        Row(
            (
                cell(titles.machine(span.gains[0].after)),
                cell(places.benchmark(titles.benchmark(span.gains[0].after), span.gains[0].after)),
                Cell(joined(gain_line(gain, places) for gain in span.gains)),
            )
        )
        for span in spans
    )
    columns = (Column("System"), Column("Benchmark"), Column("Gain"))
    return Table(columns=columns, rows=rows, caption=caption)


def gain_table(found: Sequence[Gain], places: Places) -> Table:
    """Return gains, a line each, the highest first."""
    rows = tuple(
        Row(
            (
                cell(titles.machine(gain.after)),
                cell(places.benchmark(titles.where(gain.after), gain.after)),
                cell(places.of_row(number(gain.before.value), gain.before)),
                cell(
                    places.of_row(number(gain.after.value), gain.after),
                    Span(f" {gain.after.unit}", None, "soft"),
                ),
                cell(words.ratio(gain.ratio)),
            )
        )
        for gain in sorted(found, key=lambda gain: (-gain.ratio, gain.after.key))
    )
    columns = (
        Column("System"), Column("Benchmark"), Column(found[0].before.round, numeric=True),
        Column(found[0].after.round, numeric=True), Column("Gain", numeric=True),
    )  # fmt: skip
    return Table(columns=columns, rows=rows, label="Gains")


def scaling_table(found: Sequence[Scaling], places: Places) -> Table:
    """Return how accelerators scale over counts, a line a pair of counts, the lowest first."""
    rows = tuple(
        Row(
            (
                cell(f"{titles.submitter(one.large)}, {titles.accelerator(one.large)}"),
                cell(places.benchmark(titles.where(one.large), one.large)),
                cell(f"{one.small.accelerator_count:,} to {one.large.accelerator_count:,}"),
                cell(places.of_row(number(one.small.value), one.small)),
                cell(
                    places.of_row(number(one.large.value), one.large),
                    Span(f" {one.large.unit}", None, "soft"),
                ),
                cell(words.percent(one.efficiency, 1)),
            )
        )
        for one in sorted(found, key=lambda one: (one.efficiency, one.large.key))
    )
    columns = (
        Column("System"), Column("Benchmark"), Column("Accelerators", numeric=True), Column("Small", numeric=True),
        Column("Large", numeric=True), Column("Efficiency", numeric=True),
    )  # fmt: skip
    return Table(columns=columns, rows=rows, label="Scaling")


def gain_line(gain: Gain, places: Places) -> Line:
    """Return one gain: its scenario, the ratio with a link to the later row, and the earlier one's round with its link."""
    return line(
        f"{gain.after.scenario or ''} ".lstrip(),
        places.of_row(words.ratio(gain.ratio), gain.after),
        " (",
        places.of_row(gain.before.round, gain.before),
        ")",
    )


# ------------------------------------------------------------------------------------------------ promises


def promises(found: Sequence[Promise], places: Places) -> Table:
    """Return preview rows as promises: what must come back when, and what became of it."""
    columns = (
        Column("Preview row"), Column("Benchmark"), Column("Value", numeric=True), Column("Must be back with", numeric=True),
        Column("in"), Column("Outcome"),
    )  # fmt: skip
    ordered = sorted(
        found,
        key=lambda one: (
            titles.machine(one.preview),
            titles.benchmark(one.preview),
            scenario_order(one.preview.scenario),
        ),
    )
    rows = []
    for one in ordered:
        row = one.preview
        bound = "≤ " if row.better == "lower" else "≥ "
        when = one.due or (f"from {words.day(one.earliest)}" if one.earliest else "140 days on")
        outcome = line(
            one.outcome if one.outcome != "open" else "open",
            ": " if one.reason and one.outcome != "open" else "",
        )
        if one.outcome != "open" and one.reason:
            outcome += (
                places.of_row(one.reason, one.returned) if one.returned is not None else Span(one.reason),
            )
        rows.append(
            Row(
                (
                    cell(f"{titles.machine(row)}, {row.round}"),
                    cell(titles.where(row)),
                    cell(places.of_row(number(row.value), row), Span(f" {row.unit}", None, "soft")),
                    cell("by performance per watt" if one.floor is None else f"{bound}{number(one.floor)}"),
                    cell(when),
                    Cell(outcome),
                )
            )
        )
    return Table(columns=columns, rows=tuple(rows), label="Promises of preview rows")
