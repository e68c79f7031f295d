"""A table on an HTML page: its rows as results of a round, or each row as a post under a key of its own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any

from watcher.domain import Document, Get, Post, PublishedTable, Reading, Source, Table
from watcher.errors import ConfigError, FetchError
from watcher.nearest import did_you_mean
from watcher.parse.dates import read_date
from watcher.parse.facts import round_name
from watcher.parse.html_results import FIELDS, check_fields, results_of
from watcher.parse.html_table import HtmlTable, Row, find_table, read_tables
from watcher.parse.identity import short
from watcher.parse.readable import text_of
from watcher.parse.words import has_any
from watcher.sources import options_of
from watcher.sources.articles import ACCEPT_HTML, FILTER
from watcher.sources.options import Option

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

OPTIONS = {
    "table": Option(str, "CSS selector of the table; left out, it is the first that has the columns named."),
    "columns": Option(
        tuple, "For results: which column is which field of a result, as 'Organisation = submitter'.", ()
    ),
    "fixed": Option(tuple, "For results: fields that are the same in all rows, as 'division = closed'.", ()),
    "suite": Option(str, "For results: the suite, such as inference."),
    "round": Option(str, "For results: the round, such as v6.1."),
    "key": Option(
        tuple, "For posts: the columns that make a row the same row; left out, the first column.", ()
    ),
    "published": Option(str, "For posts: the column with the row's date."),
    "filter": FILTER,
}
"""With ``columns`` the rows are results; without them each row is a post."""


def read(source: Source, get: Get, cursor: Mapping[str, Any], now: datetime, catalog: Catalog) -> Reading:
    """Check a table once.

    As results: one table of ``suite`` and ``round``, diffed like any other. As posts: each row is a post whose identity is
    its key; a changed cell is an edit, and a row that is gone is not told. The cursor keeps ``rows`` (how many there were).

    Raises FetchError of class not-what-it-was where there were rows and are none, ParseError where no table has the columns
    named, ConfigError for options that do not go together.
    """
    del now
    options = options_of(source)
    columns, fixed = _pairs(source, options, "columns"), _pairs(source, options, "fixed")
    _check(source, options, columns, fixed)
    place = _place(source, options, catalog) if columns else ("", "")
    document = get(source.url, accept=ACCEPT_HTML, page=True)
    if columns:
        return _as_results(options, columns, fixed, place, document, catalog)
    if document.unchanged:
        return Reading(cursor=cursor, steps=("the page is unchanged",))
    table = _table(
        document, options, [*options["key"], *([options["published"]] if options["published"] else [])]
    )
    rows = int(cursor.get("rows", 0))
    if rows and not table.rows:
        message = f"{document.url}: the table has no rows; there were {rows}"
        raise FetchError(message, url=document.url, failure="not-what-it-was")
    return Reading(
        cursor={"rows": len(table.rows)},
        posts=_posts(source, options, table, document.url),
        steps=(f"{len(table.rows)} rows under {', '.join(table.columns)}",),
    )


def _as_results(
    options: Mapping[str, Any],
    columns: Mapping[str, str],
    fixed: Mapping[str, str],
    place: tuple[str, str],
    document: Document,
    catalog: Catalog,
) -> Reading:
    suite, round_ = place
    if document.unchanged:
        return Reading(unchanged_tables=(place,), steps=("the page is unchanged",))

    def read_now() -> Table:
        table = _table(document, options, list(columns))
        return results_of(
            table,
            columns=columns,
            fixed=fixed,
            suite=suite,
            round_name=round_,
            catalog=catalog,
            url=document.url,
        )

    published = PublishedTable(
        suite=suite, round=round_, url=document.url, documents=(document,), read=read_now
    )
    return Reading(tables=(published,))


def _table(document: Document, options: Mapping[str, Any], columns: list[str]) -> HtmlTable:
    tables = read_tables(
        document.body, url=document.url, media_type=document.media_type, selector=options["table"]
    )
    return find_table(tables, columns, document.url)


def _posts(source: Source, options: Mapping[str, Any], table: HtmlTable, url: str) -> tuple[Post, ...]:
    """Return the rows as posts; of two rows with one key the second gets a number of its own."""
    positions = [position for name in options["key"] if (position := table.position(name)) is not None] or [0]
    dated = table.position(options["published"]) if options["published"] else None
    seen: dict[str, int] = {}
    posts = []
    for row in table.rows:
        title = " · ".join(row.cells[position] for position in positions)
        seen[title] = seen.get(title, 0) + 1
        if not has_any(options["filter"], *row.cells):
            continue
        said = row.cells[dated] if dated is not None else None
        html = _html(table, row)
        posts.append(
            Post(
                source=source.name,
                identity=f"row-{short(title if seen[title] == 1 else f'{title}{chr(10)}{seen[title]}')}",
                url=row.link or url,
                title=title[:500] or "(a row without a key)",
                html=html,
                text=text_of(html),
                published_at=read_date(said),
                published_raw=said or None,
                vendor=source.vendor,
            )
        )
    return tuple(posts)


def _html(table: HtmlTable, row: Row) -> str:
    """Return a row as a table of its own: each column's name beside its cell."""
    lines = (
        f"<tr><th>{escape(name)}</th><td>{escape(cell)}</td></tr>"
        for name, cell in zip(table.columns, row.cells, strict=True)
        if cell
    )
    return f"<table>{''.join(lines)}</table>"


# ---------------------------------------------------------------------------------------------- options


def _pairs(source: Source, options: Mapping[str, Any], name: str) -> dict[str, str]:
    pairs = {}
    for pair in options[name]:
        left, equals, right = (part.strip() for part in pair.partition("="))
        if not (left and equals and right):
            raise ConfigError(
                f"source {source.name!r}: option {name!r}: {pair!r} must be two words joined by '='"
            )
        pairs[left] = right
    return pairs


def _place(source: Source, options: Mapping[str, Any], catalog: Catalog) -> tuple[str, str]:
    """Return the suite and round that the rows belong to, in our spelling."""
    where = f"source {source.name!r}"
    suite = catalog.find("suite", options["suite"])
    if suite is None:
        raise ConfigError(
            f"{where}: no suite {options['suite']!r}{did_you_mean(options['suite'], catalog.names('suite'))}"
        )
    round_ = round_name(options["round"])
    if round_ is None:
        raise ConfigError(f"{where}: {options['round']!r} is not a round; write it as v6.1")
    return suite, round_


def _check(
    source: Source, options: Mapping[str, Any], columns: Mapping[str, str], fixed: Mapping[str, str]
) -> None:
    where = f"source {source.name!r}"
    for field in [*columns.values(), *fixed]:
        if field not in FIELDS:
            raise ConfigError(f"{where}: unknown field {field!r}{did_you_mean(field, FIELDS)}")
    if columns and not (options["suite"] and options["round"]):
        raise ConfigError(f"{where}: results need the options 'suite' and 'round'")
    if columns:
        check_fields([*columns.values(), *fixed])
    if not columns and (fixed or options["suite"] or options["round"]):
        raise ConfigError(f"{where}: 'fixed', 'suite' and 'round' are for results; name their 'columns' too")
    if columns and (options["key"] or options["published"] or options["filter"]):
        raise ConfigError(
            f"{where}: 'key', 'published' and 'filter' are for posts; leave them out with 'columns'"
        )
