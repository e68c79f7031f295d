"""What an alert stands on: its figures and rows with their links, claims in the ledger, events and documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from watcher.domain import (
    Alert,
    CheckedClaim,
    Comparison,
    Event,
    Gain,
    NewName,
    PublishedRound,
    Record,
    Result,
    Scaling,
)
from watcher.figures.words import number
from watcher.render import words
from watcher.render.caveats import rows_about, rows_beside
from watcher.report import titles
from watcher.report.claim_page import verdict_mark
from watcher.report.comparisons import comparison_tables
from watcher.report.facts import Told
from watcher.report.places import Places, round_page
from watcher.report.plots import ratio_plot
from watcher.report.round_tables import gain_table, scaling_table
from watcher.report.round_tables import records as record_table
from watcher.report.view import (
    Block,
    Bullets,
    Column,
    Line,
    Part,
    Row,
    Span,
    Table,
    cell,
    line,
    paragraph,
    web,
)

PLOTTED = 24  # comparisons that a plot still shows well
FILTERED = (
    "submitter",
    "accelerator",
    "benchmark",
)  # kinds of names that the table of rows can be filtered by
EVENTS = 60  # kinds of events that a page lists; the rest is counted


def figure_blocks(figures: Sequence[object], places: Places) -> list[Block]:
    """Return an alert's figures as plots and tables, each with its rows."""
    comparisons = [one for one in figures if isinstance(one, Comparison)]
    gains = [one for one in figures if isinstance(one, Gain)]
    scalings = [one for one in figures if isinstance(one, Scaling)]
    records = [one for one in figures if isinstance(one, Record)]
    found: list[Block | None] = [
        ratio_plot(comparisons, places) if 1 < len(comparisons) <= PLOTTED else None,
        comparison_tables(comparisons, places),
        gain_table(gains, places) if gains else None,
        scaling_table(scalings, places) if scalings else None,
        record_table(records, "Records", places) if records else None,
    ]
    return [block for block in found if block is not None]


def row_parts(alert: Alert, places: Places) -> list[Part]:
    """Return the rows that an alert is about and is measured by, and what became of them since."""
    about, beside = rows_about(alert), rows_beside(alert)
    blocks: list[Block] = []
    if about:
        blocks.append(_row_table(about, "What it is about", places))
    if beside:
        blocks.append(_row_table(beside, "What it is measured by", places))
    changed = [told for row in (*about, *beside) if (told := _since(row, places)) is not None]
    if changed:
        blocks += [paragraph("Since then:"), Bullets(tuple(changed))]
    return [Part("The rows behind it", tuple(blocks), anchor="rows")] if blocks else []


def _row_table(rows: Sequence[Result], caption: str, places: Places) -> Table:
    columns = (
        Column("Benchmark"), Column("Scenario"), Column("System"), Column("Value", numeric=True),
        Column("Round", screens="wide"), Column("Division", screens="wide"), Column("Availability", screens="wide"),
        Column("Published"),
    )  # fmt: skip
    made = tuple(
        Row(
            (
                cell(places.benchmark(titles.benchmark(row), row)),
                cell(row.scenario or words.NONE),
                cell(titles.machine(row)),
                cell(places.of_row(number(row.value), row), Span(f" {row.unit}", None, "soft")),
                cell(titles.short_round(row.suite, row.round)),
                cell(row.division),
                cell(titles.title("availability", row.availability)),
                cell(web("source", row.url) if row.url else words.NONE),
            )
        )
        for row in rows
    )
    return Table(columns=columns, rows=made, caption=caption)


def _since(row: Result, places: Places) -> Line | None:
    """Say what became of a row since an alert told of it; null where it stands as it was."""
    today = places.today(row)
    what = f"{titles.machine(row)}, {titles.where(row)}: "
    if today is None:
        return line(what, "no longer in the table")
    if today.value == row.value:
        return None
    return line(what, f"{number(row.value)} then, ", places.of_row(f"{words.value(today)} today", today))


def claim_parts(alert: Alert, places: Places) -> list[Part]:
    """Return the claims behind an alert, each with its place in the ledger."""
    claims = [figure for figure in alert.figures if isinstance(figure, CheckedClaim)]
    claims += [event.subject for event in alert.events if isinstance(event.subject, CheckedClaim)]
    once = list({one.number: one for one in claims}.values())
    lines = tuple(
        line(verdict_mark(one), ": “", places.claim(one.claim.quote, one.number), "”") for one in once
    )
    return [Part("In the ledger", (Bullets(lines),), anchor="claims")] if lines else []


def event_part(one: Told, places: Places) -> Part:
    """Return the events and documents that the alert stands on."""
    alert = one.alert
    counts = Counter(_event_line(event, places) for event in alert.events)
    lines = [
        (*said_once, Span(f" ×{count:,}")) if count > 1 else said_once
        for said_once, count in list(counts.items())[:EVENTS]
    ]
    if len(counts) > EVENTS:
        lines.append(line(f"and {len(counts) - EVENTS:,} more"))
    blocks: list[Block] = [Bullets(tuple(lines))] if lines else []
    documents = [
        line("Document ", Span(digest[:12], None, "code"), " ", web(_address(url), url))
        for digest, url in one.documents
    ]
    if documents:
        blocks.append(Bullets(tuple(documents)))
    return Part(
        f"Recorded {words.plural(len(alert.events), 'event')}", tuple(blocks), anchor="events", aside=True
    )


def _event_line(event: Event, places: Places) -> Line:
    subject = event.subject
    what: Line = ()
    if isinstance(subject, Result):
        what = line(" ", places.of_row(f"{titles.machine(subject)}, {titles.where(subject)}", subject))
    elif isinstance(subject, NewName):
        wanted = {subject.kind: subject.name} if subject.kind in FILTERED else {}
        rows = places.rows(subject.suite, subject.round, wanted)
        what = line(f" {subject.kind} ", Span(titles.title(subject.kind, subject.name), rows))
    elif isinstance(subject, PublishedRound):
        name = titles.suite_round(subject.suite, subject.round)
        what = line(" ", Span(name, places.to(round_page(subject.suite, subject.round))))
    fields = f" ({', '.join(event.fields)})" if event.fields else ""
    return (
        Span(event.kind, None, "code"),
        *what,
        *line(fields, Span(f" {titles.minute(event.occurred_at)}", None, "soft")),
    )


def _address(url: str) -> str:
    """Return an address for reading; a file of this machine by its name alone."""
    return url.rpartition("/")[2] if url.startswith("file:") else url
