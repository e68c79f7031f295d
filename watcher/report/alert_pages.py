"""The log of alerts and a page each: what was told, the rows and events behind it, and what became of each delivery.

An alert's page has the address that messages link to: ``alerts/A-0142.html``. Receivers are named as in the config, without
the addresses of persons; what a receiver answered in detail stands in the state alone (``alerts show``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec.structs import replace

from watcher.domain import (
    SEVERITIES,
    Alert,
    Grid,
    Section,
)
from watcher.outbox import Delivery
from watcher.render import words
from watcher.render.alert import alert_notification
from watcher.report import titles
from watcher.report.alert_evidence import claim_parts, event_part, figure_blocks, row_parts
from watcher.report.facts import Told
from watcher.report.places import ALERTS, Places, alert_page
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
    cell,
    filters,
    joined,
    line,
    paragraph,
    said,
    web,
)

WHERE = "Where to look"
STATES = {
    "gave_up": "given up",
    "suppressed": "held back",
    "unknown": "outcome unknown",
    "waiting": "waits for its next try",
}


def alert_pages(told: Sequence[Told], places: Places, *, epoch: datetime) -> Iterable[Page]:
    """Return the log and the page of each alert; ``epoch`` stands in for an alert without a time."""
    yield _log(told, places)
    for place, one in enumerate(told):
        before = told[place - 1].alert if place else None
        after = told[place + 1].alert if place + 1 < len(told) else None
        yield _page(one, before, after, places, epoch)


# ------------------------------------------------------------------------------------------------ the log


def _log(told: Sequence[Told], places: Places) -> Page:
    parts = []
    if told:
        parts.append(Part("The log", (log_table(told[::-1], places),)))
    counts = Counter(one.alert.severity for one in told)
    kinds = words.joined(f"{counts[name]:,} {name}" for name in reversed(SEVERITIES) if counts[name])
    return Page(
        path=ALERTS, place="alerts", title="Alerts", parts=tuple(parts),
        summary=f"{words.plural(len(told), 'alert')}: {kinds}; the newest first" if told else "No alert has fired yet.",
    )  # fmt: skip


def log_table(told: Sequence[Told], places: Places) -> Table:
    """Return alerts as a table."""
    rows = tuple(
        Row(
            (
                cell(places.alert(one.alert.name, one.alert), sort=float(one.alert.number or 0)),
                cell(titles.minute(one.alert.created_at)),
                cell(Span(one.alert.severity, None, f"mark {one.alert.severity}")),
                cell(places.alert(one.alert.title, one.alert), *_held_back(one.alert)),
                cell(one.alert.rule),
                cell(_delivered(one)),
            ),
            values={"severity": (one.alert.severity,), "rule": (one.alert.rule,)},
        )
        for one in told
    )
    wanted = {"severity": ("Severity", {name: name for name in reversed(SEVERITIES)}), "rule": ("Rule", {})}
    columns = (
        Column("Alert", width=8), Column("Time, UTC", width=13), Column("Severity", screens="wide", width=9),
        Column("What happened", width=44), Column("Rule", screens="wider", width=16), Column("Deliveries", screens="wide", width=10),
    )  # fmt: skip
    return Table(
        columns=columns,
        rows=rows,
        label="The log of alerts",
        noun="alert",
        nouns="alerts",
        filters=filters(rows, wanted),
    )


def _held_back(alert: Alert) -> list[Span]:
    return [Span(f" Not sent: {alert.suppressed}", None, "soft")] if alert.suppressed else []


def _delivered(one: Told) -> str:
    if not one.deliveries:
        return "digest only" if one.alert.digest_only else words.NONE
    counts = Counter(STATES.get(delivery.state, delivery.state) for delivery, _ in one.deliveries)
    return words.joined(f"{count} {state}" for state, count in counts.items())


# ------------------------------------------------------------------------------------------------ one alert


def _page(one: Told, before: Alert | None, after: Alert | None, places: Places, epoch: datetime) -> Page:
    alert = one.alert
    message = alert_notification([alert], now=alert.created_at or epoch)
    figures = figure_blocks(alert.figures, places)
    parts = [
        *_message_parts([section for section in message.sections if section.heading != WHERE], figures),
        *row_parts(alert, places),
        *claim_parts(alert, places),
        _where(message.sections),
        event_part(one, places),
        *_delivery_parts(one),
    ]
    around = [
        *([places.alert(f"‹ {before.name}", before)] if before is not None else []),
        *([places.alert(f"{after.name} ›", after)] if after is not None else []),
    ]
    return Page(
        path=alert_page(alert),
        place="alerts",
        title=alert.title,
        summary=f"{message.summary.rstrip('.')}. {alert.name}, {words.moment(alert.created_at or epoch)}, rule {alert.rule}",
        trail=(Span("Alerts", places.to(ALERTS)),),
        around=tuple(around),
        parts=tuple(part for part in parts if part.blocks),
        severity=alert.severity,
    )


def _message_parts(sections: Iterable[Section], figures: Sequence[Block]) -> list[Part]:
    """Return the message as it was told, section by section; ``figures`` with their links in place of its tables."""
    found: list[tuple[str, list[Block]]] = []
    linked = list(figures)
    for section in sections:
        if section.heading or not found:
            found.append((section.heading or "What happened", []))
        if figures and section.grid is not None:
            found[-1][1].extend(linked)
            linked.clear()
            section = replace(section, grid=None)  # noqa: PLW2901 - the same section without its table
        found[-1][1].extend(section_blocks(section))
    return [
        Part(heading, tuple(blocks), style="care" if heading == "Handle with care" else "")
        for heading, blocks in found
    ]


def section_blocks(section: Section) -> list[Block]:
    """Return one section of a message as blocks."""
    blocks: list[Block] = []
    if section.lead:
        blocks.append(paragraph(Span(section.lead, None, "strong")))
    blocks += [paragraph(*said([text])[0]) for text in section.paragraphs]
    if section.grid is not None:
        blocks.append(grid_table(section.grid))
    if section.bullets:
        blocks.append(Bullets(said(section.bullets)))
    if section.links:
        blocks.append(paragraph(*joined([(web(link.text, link.url),) for link in section.links], " · ")))
    return blocks


def grid_table(grid: Grid) -> Table:
    """Return a message's table."""
    columns = tuple(Column(name, numeric=index in grid.numeric) for index, name in enumerate(grid.columns))
    rows = tuple(
        Row(tuple(cell(text, strong=(line_number, index) in grid.strong) for index, text in enumerate(row)))
        for line_number, row in enumerate(grid.rows)
    )
    return Table(columns=columns, rows=rows, caption=grid.caption or "", label=grid.caption or "Figures")


def _where(sections: Iterable[Section]) -> Part:
    blocks = [block for section in sections if section.heading == WHERE for block in section_blocks(section)]
    return Part(WHERE, tuple(blocks), anchor="where", aside=True)


# ------------------------------------------------------------------------------------------------ deliveries


def _delivery_parts(one: Told) -> list[Part]:
    if not one.deliveries:
        text = one.alert.suppressed or (
            "It stands in the digest alone." if one.alert.digest_only else "It is owed to nobody."
        )
        return [Part("Deliveries", (paragraph(words.capital(text)),), anchor="deliveries", aside=True)]
    lines: list[Line] = []
    for delivery, attempts in one.deliveries:
        tries = [f"{_outcome(each.outcome)} {titles.minute(each.at)}" for each in attempts]
        tail = f"; {words.plural(len(tries), 'try', 'tries')}: {', '.join(tries[-3:])}" if tries else ""
        lines.append(line(Span(receiver(delivery), None, "strong"), f": {_state(delivery)}{tail}"))
    return [Part("Deliveries", (Bullets(tuple(lines)),), anchor="deliveries", aside=True)]


def receiver(delivery: Delivery) -> str:
    """Return the receiver's name in the config, without the address of a person."""
    name, slash, _ = delivery.receiver.partition("/")
    return f"{name}, one recipient" if slash else name


def _state(delivery: Delivery) -> str:
    at = delivery.sent_at or delivery.gave_up_at
    return f"{STATES.get(delivery.state, delivery.state)}{f' {titles.minute(at)}' if at is not None else ''}"


def _outcome(word: str) -> str:
    return (
        "sent"
        if word == "sent"
        else "".join(f" {char.lower()}" if char.isupper() else char for char in word).strip()
    )
