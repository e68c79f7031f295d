"""How the watcher fares: sources, tables, deliveries, digests; silence must never mean that it is blind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from watcher.domain import Source
from watcher.figures.cells import round_order
from watcher.health import SourceState
from watcher.render import words
from watcher.report import titles
from watcher.report.alert_pages import STATES
from watcher.report.facts import Facts, Health
from watcher.report.places import HEALTH, Places, round_page
from watcher.report.view import (
    Block,
    Bullets,
    Column,
    Line,
    Page,
    Part,
    Row,
    Span,
    Table,
    Tile,
    cell,
    line,
    paragraph,
    web,
)
from watcher.store.tables import TableState


def health_page(facts: Facts, places: Places) -> Page:
    """Return the page of the watcher's health."""
    health = facts.health
    parts = (
        *_trouble(facts),
        Part("Sources", tuple(_sources(health)), anchor="sources"),
        Part("Tables held", (_tables(facts.tables, places),), anchor="tables"),
        Part("Deliveries and digests", tuple(_deliveries(health)), anchor="deliveries"),
        *_silences(health),
    )
    return Page(
        path=HEALTH,
        place="health",
        title="Health of the watcher",
        summary=in_a_line(facts),
        parts=parts,
        tiles=_tiles(facts),
    )


def in_a_line(facts: Facts) -> str:
    """Return how everything fares, in one line."""
    health = facts.health
    never = sum(1 for _, state in health.sources if state.succeeded_at is None)
    if not health.healthy:
        return "Something needs a person; it is named below."
    if not health.sources:
        return "Nothing is watched: no source is in force"
    if never and never == len(health.sources):
        return f"{words.plural(never, 'source')} in the config, none checked yet"
    if never:
        return f"All is well; {words.plural(never, 'source')} not checked yet"
    return "All is well"


def _tiles(facts: Facts) -> tuple[Tile, ...]:
    health = facts.health
    fine = sum(1 for _, state in health.sources if state.healthy and state.succeeded_at is not None)
    owed = sum(
        count for state, count in health.deliveries.items() if state not in {"sent", "gave_up", "suppressed"}
    )
    sent, gave_up = health.deliveries.get("sent", 0), health.deliveries.get("gave_up", 0)
    return (
        Tile("Sources fine", f"{fine:,}", f"of {len(health.sources):,}"),
        Tile("Tables held", f"{len(facts.tables):,}", f"{len(facts.rows):,} results"),
        Tile("Deliveries sent", f"{sent:,}", f"{owed:,} owed" if owed else "nothing owed"),
        Tile("Given up", f"{gave_up:,}", "after a week of trying" if gave_up else ""),
    )


def _trouble(facts: Facts) -> Iterable[Part]:
    """Return all that needs a person."""
    health = facts.health
    lines: list[Line] = []
    for source, state in health.sources:
        if not state.healthy:
            what = "stale" if state.stale and not state.failing else f"failing ({state.failure})"
            since = titles.minute(state.failing_since or state.succeeded_at)
            lines.append(
                line(
                    Span(source.name, None, "strong"),
                    f": {what}, {state.failures} in a row since {since}: {state.last_error or 'no success'}",
                )
            )
    for table in facts.tables:
        if table.held_back_at is not None:
            name = titles.suite_round(table.suite, table.round)
            lines.append(
                line(
                    Span(name, None, "strong"),
                    f": held back since {titles.minute(table.held_back_at)}: {table.held_back_reason}",
                )
            )
    for name, (at, _reason) in health.broken.items():
        lines.append(
            line(
                Span(f"Receiver {name.partition('/')[0]}", None, "strong"),
                f": broken since {titles.minute(at)}; ",
                Span("mlperf-watcher status", None, "code"),
                " says why",
            )
        )
    if health.failing_deliveries:
        lines.append(
            line(
                f"{words.plural(health.failing_deliveries, 'delivery', 'deliveries')} tried in vain, waiting for the next try"
            )
        )
    if lines:
        yield Part("What needs a person", (Bullets(tuple(lines)),), anchor="trouble", style="care")


# ------------------------------------------------------------------------------------------------ sources and tables


def _sources(health: Health) -> Iterable[Block]:
    rows = [_source_row(source, state) for source, state in health.sources]
    columns = (
        Column("Source"), Column("How it fares"), Column("Last success, UTC"), Column("Next check, UTC", screens="wide"),
        Column("Failures in a row", numeric=True, screens="wide"), Column("Kind", screens="wider"), Column("Vendor", screens="wider"),
    )  # fmt: skip
    if rows:
        yield Table(columns=columns, rows=tuple(rows), label="Sources")
    else:
        yield paragraph("No source is configured.")
    if health.former:
        yield paragraph(
            "Known to the state, but not in the config that this report was made with:", soft=True
        )
        yield Bullets(
            tuple(
                line(f"{state.name}: last success {titles.minute(state.succeeded_at)}")
                for state in health.former
            )
        )


def _source_row(source: Source, state: SourceState) -> Row:
    if state.failing:
        mark = Span("failing", None, "mark bad")
    elif state.stale:
        mark = Span("stale", None, "mark bad")
    elif state.succeeded_at is None:
        mark = Span("not checked yet", None, "soft")
    else:
        mark = Span("fine", None, "mark good")
    return Row(
        (
            cell(web(source.name, source.url)),
            cell(mark),
            cell(titles.minute(state.succeeded_at)),
            cell(titles.minute(state.next_check_at)),
            cell(f"{state.failures:,}"),
            cell(source.kind.replace("_", " ")),
            cell(source.vendor or words.NONE),
        )
    )


def _tables(tables: Sequence[TableState], places: Places) -> Table:
    columns = (
        Column("Round"),
        Column("Results", numeric=True),
        Column("Last seen, UTC"),
        Column("First seen, UTC", screens="wide"),
        Column("From", screens="wide"),
    )
    rows = tuple(
        Row(
            (
                cell(
                    Span(
                        titles.suite_round(table.suite, table.round),
                        places.to(round_page(table.suite, table.round)),
                    )
                ),
                cell(f"{table.results:,}"),
                cell(titles.minute(table.polled_at)),
                cell(titles.minute(table.first_seen_at)),
                cell(_from(table)),
            )
        )
        for table in sorted(tables, key=lambda table: (table.suite, round_order(table.round)), reverse=True)
    )
    return Table(columns=columns, rows=rows, label="Tables held")


def _from(table: TableState) -> Span:
    """Return where a table came from; a file of a machine is not named."""
    if table.source:
        return web(table.source, table.url)
    return Span("a file" if table.url else "the archive or a file")


# ------------------------------------------------------------------------------------------------ deliveries


def _deliveries(health: Health) -> Iterable[Block]:
    if health.deliveries:
        counts = words.joined(
            f"{count:,} {STATES.get(state, state)}" for state, count in health.deliveries.items()
        )
        oldest = (
            f"; the oldest owed since {titles.minute(health.oldest_open)}"
            if health.oldest_open is not None
            else ""
        )
        yield paragraph(f"Deliveries: {counts}{oldest}.")
    else:
        yield paragraph("Nothing has been owed to anybody yet.")
    if health.digests:
        yield Bullets(tuple(line(f"Last digest to {name}: {day}") for name, day in health.digests.items()))


def _silences(health: Health) -> Iterable[Part]:
    lines = tuple(
        line(
            Span(", ".join(f"{key}={','.join(value)}" for key, value in one.matcher.items()), None, "code"),
            f" until {_at(one.expires_at)}: {one.comment}",
        )
        for one in health.silences
    )
    if lines:
        yield Part("Silences", (Bullets(lines),), anchor="silences")


def _at(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
