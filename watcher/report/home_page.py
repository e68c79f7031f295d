"""The first page: the newest round in short, and beside it what is new; and the list of all rounds held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from watcher.domain import Result
from watcher.figures.brief import Brief
from watcher.figures.care import Around
from watcher.figures.cells import round_order
from watcher.figures.selectors import DEFAULT_SUITE
from watcher.render import words
from watcher.render.brief import footer, summary, title
from watcher.render.claims import MEANINGS
from watcher.report import titles
from watcher.report.facts import Facts
from watcher.report.health_page import in_a_line
from watcher.report.places import ALERTS, CLAIMS, HEALTH, HOME, ROUNDS, Places, round_page, rows_page
from watcher.report.round_page import care, claims, flagship, power, tiles, worth
from watcher.report.round_page import minute as in_one_minute
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

ALERTS_SHOWN, CARES = 8, 6


def home_page(facts: Facts, brief: Brief | None, around: Around, places: Places) -> Page:
    """Return the first page; ``brief`` of the round that it shows, null where none is held."""
    if brief is None:
        start = (
            paragraph("No results are held yet. The archive brings the last rounds, a pass what was published since:"),
            Bullets((line(Span("mlperf-watcher ingest --archive", None, "code")), line(Span("mlperf-watcher run", None, "code")))),
        )  # fmt: skip
        return Page(
            path=HOME, place="home", title="Nothing is held yet", summary="This report fills as rounds are read.",
            parts=(Part("How to begin", start), *_aside(facts, places)),
        )  # fmt: skip
    return Page(
        path=HOME,
        place="home",
        title=title(brief),
        summary=f"{summary(brief)}. {footer(brief)}",
        tiles=tiles(brief, places),
        parts=(*_main(facts, brief, around, places), *_aside(facts, places)),
    )


def _main(facts: Facts, brief: Brief, around: Around, places: Places) -> Iterable[Part]:
    yield in_one_minute(brief, places, whole=False)
    for one in brief.generations:
        if one.comparisons or one.anyone:
            yield flagship(brief, one, places)
    yield from worth(brief, places)
    yield from claims(brief.claims, places)
    yield from power(brief, places)
    yield from care(brief, facts.of_round(brief.suite, brief.round), around, places, limit=CARES)
    links = [
        Span("the whole page of the round", places.to(round_page(brief.suite, brief.round))),
        Span("the table of all its rows", places.to(rows_page(brief.suite, brief.round))),
    ]
    more = "Who came and who did not, records, gains and losses, promises: "
    yield Part("More of this round", (paragraph(more, *joined([(each,) for each in links], ", ")),))


def _aside(facts: Facts, places: Places) -> Iterable[Part]:
    yield Part("What is new", tuple(_news(facts, places)), anchor="new", aside=True)
    if facts.ledger:
        standing = [one for one in facts.ledger if one.entry.gone_at is None]
        counts = Counter(one.entry.checked.verdict.verdict for one in standing)
        lines = tuple(
            line(f"{counts[name]:,} {meaning}") for name, meaning in MEANINGS.items() if counts[name]
        )
        ledger = paragraph(Span("The ledger of claims", places.to(CLAIMS)))
        yield Part("Claims", (Bullets(lines), ledger), anchor="claims", aside=True)
    held = [paragraph(Span("All rounds", places.to(ROUNDS)))]
    if facts.rounds:
        yield Part(
            "Rounds held", (Bullets(tuple(_round_lines(facts, places))), *held), anchor="held", aside=True
        )
    text = paragraph(f"{in_a_line(facts).rstrip('.')}. ", Span("Sources and deliveries", places.to(HEALTH)))
    yield Part("Health", (text,), anchor="health", aside=True)


def _news(facts: Facts, places: Places) -> Iterable[Block]:
    newest = facts.alerts[::-1][:ALERTS_SHOWN]
    if not newest:
        yield paragraph("No alert has fired yet.")
        return
    yield Bullets(
        tuple(
            line(
                places.alert(one.alert.title, one.alert),
                Span(f"{one.alert.name}, {titles.minute(one.alert.created_at)}", None, "soft whose"),
            )
            for one in newest
        )
    )
    yield paragraph(Span(f"All {words.plural(len(facts.alerts), 'alert')}", places.to(ALERTS)))


def _round_lines(facts: Facts, places: Places) -> Iterable[tuple[Span, ...]]:
    counts = Counter((row.suite, row.round) for row in facts.rows)
    for suite, name in ordered(facts.rounds):
        link = Span(titles.suite_round(suite, name), places.to(round_page(suite, name)))
        yield line(
            link, ": ", Span(words.plural(counts[suite, name], "row"), places.to(rows_page(suite, name)))
        )


def ordered(rounds: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return rounds as they are listed: inference first, the newest of a suite first."""
    newest_first = sorted(rounds, key=lambda one: (round_order(one[1]), one[1]), reverse=True)
    return sorted(newest_first, key=lambda one: (one[0] != DEFAULT_SUITE, one[0]))


def rounds_page(
    briefs: Mapping[tuple[str, str], Brief], rows: Mapping[tuple[str, str], Sequence[Result]], places: Places
) -> Page:
    """Return the list of all rounds held."""
    columns = (
        Column("Round"), Column("Rows", numeric=True), Column("Submitter entries", numeric=True),
        Column("Benchmarks", numeric=True, screens="wide"), Column("Preview", numeric=True, screens="wide"),
        Column("Measured power", numeric=True, screens="wide"),
    )  # fmt: skip
    lines = []
    for suite, name in ordered(briefs):
        brief, own = briefs[suite, name], rows[suite, name]
        lines.append(
            Row(
                (
                    cell(Span(titles.suite_round(suite, name), places.to(round_page(suite, name)))),
                    cell(Span(f"{len(own):,}", places.to(rows_page(suite, name)))),
                    cell(f"{brief.submitters.now:,}"),
                    cell(f"{len({row.benchmark for row in own}):,}"),
                    cell(f"{len(brief.previews):,}"),
                    cell(f"{len(brief.measured):,}"),
                )
            )
        )
    table: Block = Table(columns=columns, rows=tuple(lines), label="Rounds held")
    return Page(
        path=ROUNDS, place="rounds", title="Rounds held", summary=f"{words.plural(len(lines), 'round')} of published tables",
        parts=(Part("Rounds", (table if lines else paragraph("No results are held yet."),)),),
    )  # fmt: skip
