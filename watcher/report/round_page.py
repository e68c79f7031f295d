"""The page of a round: the brief's words, its tables with a link from each figure to its row, and plots of the flagships."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from watcher.domain import CheckedClaim, Result
from watcher.figures.brief import Brief
from watcher.figures.care import ODD_FLAGS, Around
from watcher.figures.flagships import Generation
from watcher.render import claims as claim_words
from watcher.render import words
from watcher.render.brief import attendance_words, care_words, footer, power_words, sections, summary, title
from watcher.render.brief_flagships import OTHERS, flagship_sections
from watcher.render.brief_page import page_of
from watcher.render.brief_parts import gain_section, leader_section, record_section, worth_knowing
from watcher.report import round_tables as tables
from watcher.report import titles
from watcher.report.comparisons import comparison_tables
from watcher.report.places import ROUNDS, Places, benchmark_page, round_page, rows_page
from watcher.report.plots import ratio_plot
from watcher.report.view import (
    Block,
    Bullets,
    Line,
    Page,
    Part,
    Span,
    Tile,
    Words,
    joined,
    line,
    paragraph,
    said,
)

MINUTE = "In one minute"


def round_of(brief: Brief, rows: Sequence[Result], around: Around, places: Places) -> Page:
    """Return the page of a round; ``rows``: its own."""
    return Page(
        path=round_page(brief.suite, brief.round),
        place="rounds",
        title=title(brief),
        summary=f"{summary(brief)}. {footer(brief)}",
        trail=(Span("Rounds", places.to(ROUNDS)),),
        tiles=tiles(brief, places),
        parts=tuple(_parts(brief, rows, around, places)),
        contents=True,
    )


def tiles(brief: Brief, places: Places) -> tuple[Tile, ...]:
    """Return the large figures at the top, each with its rows."""
    links = {
        "Results": places.rows(brief.suite, brief.round, {}),
        "Preview rows": places.rows(brief.suite, brief.round, {"availability": "preview"}),
    }
    return tuple(
        Tile(tile.name, tile.value, tile.was, links.get(tile.name) if tile.value != "0" else None)
        for tile in page_of(brief).tiles
    )


def _parts(brief: Brief, rows: Sequence[Result], around: Around, places: Places) -> Iterable[Part]:
    yield minute(brief, places)
    for one in brief.generations:
        if one.comparisons or one.anyone:
            yield flagship(brief, one, places)
    yield from worth(brief, places)
    yield from _leaders(brief, places)
    yield from _who(brief)
    if brief.coverage.rows:
        note = (
            "Rows of the closed division by who makes the accelerator; a dash is a benchmark without a row."
        )
        yield Part("Vendors by benchmark", (paragraph(note), tables.vendors(brief, places)))
    yield from _records(brief, places)
    yield from _gains(brief, places)
    yield from claims(brief.claims, places)
    yield from power(brief, places)
    yield from care(brief, rows, around, places)
    yield from _promises(brief, places)
    yield _benchmarks(rows, places)
    yield from _commands(brief)


# ------------------------------------------------------------------------------------------------ parts of both pages


def minute(brief: Brief, places: Places, *, whole: bool = True) -> Part:
    """Return the round in counts."""
    section = next((one for one in sections(brief, whole=whole) if one.heading == MINUTE), None)
    blocks: list[Block] = [Words(each) for each in said(section.paragraphs if section is not None else ())]
    if whole:
        blocks.append(tables.counts(brief, places))
    return Part(MINUTE, tuple(blocks))


def flagship(brief: Brief, generation: Generation, places: Places) -> Part:
    """Return one flagship over the one before it: plot, tables, and the sentences about them."""
    pairs = generation.comparisons or generation.anyone
    told = flagship_sections(replace(brief, generations=(generation,)), whole=True)
    heading = next((one.heading for one in told if one.heading), "Flagship")
    opening = [text for one in told if one.grid is not None for text in one.paragraphs]
    closing = [text for one in told if one.grid is None for text in one.paragraphs]
    bullets = [text for one in told for text in one.bullets]
    few = generation.others if len(generation.others) <= OTHERS else ()
    found: list[Block | None] = [
        *(paragraph(text) for text in opening),
        ratio_plot(pairs, places),
        comparison_tables(pairs, places),
        *(paragraph(text) for text in closing),
        _rows_line([*(pair.baseline for pair in generation.anyone), *few], places),
        _further(generation, places) if not few else None,
        Bullets(said(bullets)) if bullets else None,
    ]
    return Part(heading, tuple(block for block in found if block is not None))


def _further(generation: Generation, places: Places) -> Block | None:
    """Return the link to all rows of a flagship that are too many to be told one by one."""
    if not generation.others:
        return None
    row = generation.others[0]
    wanted = {"accelerator": generation.flagship.accelerator, "division": "closed"}
    name = f"all closed rows with {titles.accelerator(row)}"
    return Words((Span("Rows: "), Span(name, places.rows(row.suite, row.round, wanted))), soft=True)


def worth(brief: Brief, places: Places) -> Iterable[Part]:
    """Return what a reader would not look for, with its rows."""
    lines = worth_knowing(brief)
    if not lines:
        return
    rows = [one.largest for one in brief.leaders if one.over is not None]
    rows += [row for one in brief.spreads[:3] for row in (one.low, one.high)]
    found = (Bullets(said(lines)), _rows_line(rows, places))
    yield Part("Worth knowing", tuple(block for block in found if block is not None))


def claims(found: Sequence[CheckedClaim], places: Places) -> Iterable[Part]:
    """Return the claims about the round, each with its place in the ledger."""
    if not found:
        return
    opening = f"{words.plural(len(found), 'claim')} read so far: {claim_words.tally(found)}."
    lines = tuple(
        line(f"{one.vendor}: " if one.vendor else "", places.claim(claim_words.line(one), one.number))
        for one in found
    )
    yield Part("Claims against the rows", (paragraph(opening), Bullets(lines)))


def power(brief: Brief, places: Places) -> Iterable[Part]:
    """Return which rows have measured power."""
    lines = power_words(brief)
    if not lines:
        return
    blocks: list[Block] = [paragraph(text) for text in lines]
    if brief.measured:
        count = words.plural(len(brief.measured), "row")
        wanted = places.rows(brief.suite, brief.round, {"power": "measured"})
        blocks.append(paragraph("Rows: ", Span(f"{count} with measured power", wanted), soft=True))
    yield Part("Power", tuple(blocks))


def care(
    brief: Brief, rows: Sequence[Result], around: Around, places: Places, *, limit: int | None = None
) -> Iterable[Part]:
    """Return what to handle with care; a sentence about one row leads to it."""
    about = _cautioned(rows, around)
    lines = [
        line(Span(text, _to_rows(about.get(plain, ()), places)))
        for text, plain in zip(care_words(brief), brief.care, strict=True)
    ]
    if not lines:
        return
    shown = lines if limit is None else lines[:limit]
    more = (
        [
            line(
                Span(
                    f"and {len(lines) - len(shown)} more",
                    places.to(round_page(brief.suite, brief.round), "care"),
                )
            )
        ]
        if len(lines) > len(shown)
        else []
    )
    yield Part("Handle with care", (Bullets((*shown, *more)),), anchor="care", style="care")


def _cautioned(rows: Iterable[Result], around: Around) -> Mapping[str, list[Result]]:
    """Return the rows behind each caution about a single row."""
    found: dict[str, list[Result]] = {}
    for row in rows:
        for flag in ODD_FLAGS:
            text = flag(row, around)
            if text is not None:
                found.setdefault(text, []).append(row)
    return found


def _to_rows(rows: Sequence[Result], places: Places) -> str | None:
    return places.row(rows[0]) if rows else None


def _rows_line(rows: Sequence[Result], places: Places) -> Block | None:
    """Return "Rows: …" with a link to each, so that no figure in a sentence stands without its row."""
    once = list({row.key: row for row in rows}.values())
    links = [(places.of_row(f"{titles.machine(row)}, {titles.where(row)}", row),) for row in once[:12]]
    if not links:
        return None
    more: list[Line] = [line(f"and {len(once) - 12:,} more")] if len(once) > 12 else []
    return Words((Span("Rows: "), *joined([*links, *more], " · ")), soft=True)


# ------------------------------------------------------------------------------------------------ parts of the round's page


def _leaders(brief: Brief, places: Places) -> Iterable[Part]:
    section = leader_section(brief)
    if section is not None and section.heading:
        yield Part(
            section.heading,
            (*(paragraph(text) for text in section.paragraphs), tables.leaders(brief.leaders, places)),
        )


def _who(brief: Brief) -> Iterable[Part]:
    lines = [text for one in brief.attendance for text in attendance_words(one, brief)]
    if lines:
        yield Part("Who came, who did not", (Bullets(said(lines)),))


def _records(brief: Brief, places: Places) -> Iterable[Part]:
    section = record_section(brief, whole=True)
    if section is None or not section.heading:
        return
    blocks: list[Block] = [paragraph(text) for text in section.paragraphs]
    if brief.beaten:
        blocks.append(tables.records(brief.beaten, "Beaten", places))
    if brief.standing:
        blocks.append(tables.records(brief.standing, "Still standing", places))
    yield Part(section.heading, tuple(blocks))


def _gains(brief: Brief, places: Places) -> Iterable[Part]:
    section = gain_section(brief, whole=True)
    if section is None or not section.heading:
        return
    believed = [span for span in brief.gains if not span.far]
    far = [span for span in brief.gains if span.far]
    blocks: list[Block] = [paragraph(text) for text in section.paragraphs]
    for spans, caption in (
        (believed, "The largest gains"),
        (list(brief.losses), "Losses"),
        (far, "To be read with care"),
    ):
        if spans:
            blocks.append(tables.gains(spans, caption, places))
    yield Part(section.heading, tuple(blocks))


def _promises(brief: Brief, places: Places) -> Iterable[Part]:
    blocks: list[Block] = []
    if brief.due:
        blocks.append(
            paragraph(
                f"Due in {brief.round}: {words.plural(len(brief.due), 'preview row')} of earlier rounds."
            )
        )
        blocks.append(tables.promises(brief.due, places))
    if brief.promised:
        count = words.plural(len(brief.promised), "preview row")
        blocks.append(paragraph(f"Made in {brief.round}: {count}, to come back as available within 2 %."))
        blocks.append(tables.promises(brief.promised, places))
    if blocks:
        yield Part("Promises", tuple(blocks))


def _benchmarks(rows: Sequence[Result], places: Places) -> Part:
    names = sorted(
        {(row.suite, row.benchmark) for row in rows},
        key=lambda one: titles.title("benchmark", one[1]).casefold(),
    )
    links = [
        (Span(titles.title("benchmark", name), places.to(benchmark_page(suite, name))),)
        for suite, name in names
    ]
    first = next(iter(rows), None)
    table = (
        (Span("the table of all rows", places.to(rows_page(first.suite, first.round))),)
        if first is not None
        else ()
    )
    return Part(
        "Rows and benchmarks",
        (Words((Span("Every row: "), *table)), Words((Span("Plots: "), *joined(links, " · ")))),
    )


def _commands(brief: Brief) -> Iterable[Part]:
    lines = [text for one in sections(brief) if one.heading == "Where to look" for text in one.bullets]
    if lines:
        yield Part("Ask further", (Bullets(said(lines)),))
