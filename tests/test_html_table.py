"""HTML tables: grids with named columns, results out of them, and rows as posts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.site import NOW, Site, source
from watcher.catalog.names import load
from watcher.errors import ConfigError, FetchError, ParseError, SourceError
from watcher.parse.html_table import find_table, read_tables
from watcher.sources import read

PAGES = Path("tests/data/pages")
URL = "https://racks.example/results"
RESULTS = {
    "columns": [
        "Organisation = submitter", "System = platform", "Accelerator = accelerator", "# = accelerator_count", "Model = benchmark",
        "Value = value", "Unit = unit", "Scenario = scenario",
    ],
    "fixed": ["division = closed", "availability = available", "system_type = datacenter"],
    "suite": "inference",
    "round": "6.1",
}  # fmt: skip


def tables(body: str, **more):
    return read_tables(body.encode(), url=URL, **more)


def grid(body: str):
    (table,) = tables(f"<table>{body}</table>")
    return table.columns, [row.cells for row in table.rows]


def check(body: str | bytes, cursor=None, **options):
    site = body if isinstance(body, Site) else Site({URL: body})
    return read(source("html_table", URL, **options), site, cursor or {}, NOW, load())


# ---------------------------------------------------------------------------------------------- grids


def test_spans_are_filled_in_and_headers_over_each_other_are_joined():
    body = """<tr><th rowspan=2>Scenario</th><th colspan=2>Throughput</th></tr><tr><th>VR</th><th>GB300</th></tr>
    <tr><td>Server</td><td colspan=2>none</td></tr><tr><td rowspan=2>Offline</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>"""

    assert grid(body) == (
        ("Scenario", "Throughput VR", "Throughput GB300"),
        [("Server", "none", "none"), ("Offline", "1", "2"), ("Offline", "3", "4")],
    )


def test_short_rows_under_cells_that_reach_down_keep_their_columns():
    body = "<tr><th>A</th><th>B</th><th>C</th></tr><tr><td>1</td><td>2</td><td rowspan=2>3</td></tr><tr><td>4</td></tr>"

    assert grid(body) == (("A", "B", "C"), [("1", "2", "3"), ("4", "", "3")])


def test_without_header_cells_the_first_row_names_the_columns():
    assert grid("<tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr>") == (("A", "B"), [("1", "2")])


def test_footnote_marks_are_left_out_of_cells_and_blank_rows_out_of_the_table():
    assert grid("<tr><th>A<sup>1</sup></th></tr><tr><td> </td></tr><tr><td>3.7x<sup>2</sup></td></tr>") == (
        ("A",),
        [("3.7x",)],
    )


@pytest.mark.parametrize("span", ["0", "-3", "x", "", "1e3", "9" * 30])
def test_a_span_that_makes_no_sense_is_one(span):
    assert grid(f"<tr><th colspan='{span}'>A</th></tr><tr><td rowspan='{span}'>1</td></tr>") == (
        ("A",),
        [("1",)],
    )


def test_a_table_that_holds_tables_is_no_table_of_data():
    found = tables("<table><tr><td>menu</td><td><table><caption>The one</caption><tr><th>A</th></tr><tr><td>1</td></tr></table></td></tr></table>")  # fmt: skip

    assert [(table.caption, table.columns) for table in found] == [("The one", ("A",))]


def test_a_table_is_found_by_its_columns_in_any_case():
    found = tables("<table><tr><th>A</th></tr></table><table><tr><th>A</th><th>Big B</th></tr></table>")

    assert find_table(found, ["a", "b"], URL).columns == ("A", "Big B")


def test_a_missing_column_is_named_with_those_that_are_there():
    found = tables("<table><tr><th>A</th><th>B</th></tr></table>")

    with pytest.raises(ParseError, match="no table has the column 'C'; the nearest one has 'A', 'B'"):
        find_table(found, ["A", "C"], URL)


def test_a_selector_chooses_among_tables():
    body = "<table><tr><th>A</th></tr></table><div id=x><table><tr><th>B</th></tr></table></div>"

    assert [table.columns for table in tables(body, selector="#x")] == [("B",)]


# ---------------------------------------------------------------------------------------------- results


def test_named_columns_make_results_in_canonical_form():
    reading = check((PAGES / "results.html").read_bytes(), **RESULTS)
    (published,) = reading.tables
    table = published.read()

    offline, server = table.results
    assert (published.suite, published.round, table.suite, table.round) == (
        "inference",
        "v6.1",
        "inference",
        "v6.1",
    )
    assert (offline.submitter, offline.platform, offline.accelerator, offline.accelerator_count) == ("Acme", "acme-8", "h200", 8)  # fmt: skip
    assert (offline.benchmark, offline.accuracy_target, offline.scenario, offline.value, offline.unit) == ("llama2-70b", "99.9", "Offline", 31000.5, "tokens/s")  # fmt: skip
    assert (server.scenario, server.value, offline.url) == ("Server", 29500.0, "https://racks.example/acme")
    assert (offline.division, offline.availability, offline.system_type) == (
        "closed",
        "available",
        ("datacenter",),
    )


def test_a_row_that_is_no_result_is_set_aside_and_columns_that_we_do_not_know_are_kept():
    options = {**RESULTS, "columns": [pair for pair in RESULTS["columns"] if not pair.startswith("#")]}

    table = check((PAGES / "results.html").read_bytes(), **options).tables[0].read()

    assert [(aside.row, aside.message) for aside in table.asides] == [
        ("row 3", "no result: its value is 'n/a'")
    ]
    assert (table.unknown_columns, table.results[0].extra) == (("#",), {"#": "8"})
    assert "accelerator_count" not in table.columns
    assert {"value", "submitter", "scenario", "unit"} <= table.columns


def test_a_page_as_before_says_that_its_table_was_polled():
    site = Site({URL: (PAGES / "results.html").read_bytes()})
    check(site, **RESULTS)

    assert check(site, **RESULTS).unchanged_tables == (("inference", "v6.1"),)


def test_rows_that_contradict_each_other_are_an_error():
    body = (PAGES / "results.html").read_text().replace("Server", "offline")

    with pytest.raises(ParseError, match="row 2 gives another value"):
        check(body, **RESULTS).tables[0].read()


def test_a_table_without_one_result_is_an_error():
    body = (PAGES / "results.html").read_text().replace("31,000.5", "").replace("29,500*", "soon")

    with pytest.raises(ParseError, match="no row of the table is a result; no result: its value is ''"):
        check(body, **RESULTS).tables[0].read()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": ["Value = valeu"]}, "unknown field 'valeu'; did you mean 'value'"),
        ({"columns": ["Value"]}, "'Value' must be two words joined by '='"),
        ({"columns": ["Value = value"]}, "a result needs the field 'submitter'"),
        ({"fixed": ["division = closed"]}, "a result needs the field 'availability'"),
        ({"suite": "inferense"}, "no suite 'inferense'; did you mean 'inference'"),
        ({"round": "latest"}, "'latest' is not a round; write it as v6.1"),
        ({"round": None}, "results need the options 'suite' and 'round'"),
        ({"columns": []}, "'fixed', 'suite' and 'round' are for results"),
        ({"key": ["System"]}, "'key', 'published' and 'filter' are for posts"),
    ],
)
def test_options_that_do_not_go_together_are_refused(change, message):
    options = {name: value for name, value in {**RESULTS, **change}.items() if value is not None}

    with pytest.raises(ConfigError, match=message):
        check("<table></table>", **options)


# ---------------------------------------------------------------------------------------------- rows as posts


def changes(body: str | bytes | Site, cursor=None, **options):
    return check(body, cursor, key=["ID"], published="Date", **options)


def test_each_row_is_a_post_under_its_key():
    first, second = changes((PAGES / "change-log.html").read_bytes()).posts

    assert (first.title, first.text, first.url) == ("6.1-0042", "Date | 2026-09-18\nID | 6.1-0042\nChange | Withdrawn by the submitter", URL)  # fmt: skip
    assert (first.published_at, second.published_at, second.published_raw) == (datetime(2026, 9, 18, tzinfo=UTC), None, "last week")  # fmt: skip
    assert first.identity != second.identity


def test_a_changed_cell_is_an_edit_and_a_new_row_a_new_post():
    text = (PAGES / "change-log.html").read_text()
    before = changes(text)
    row = "<tr><td>2026-09-20</td><td>6.1-0099</td><td>New</td></tr></table>"

    after = changes(text.replace("Withdrawn", "Restored").replace("</table>", row), before.cursor)

    assert [post.identity for post in after.posts][:2] == [post.identity for post in before.posts]
    assert ("Restored" in after.posts[0].text, len(after.posts)) == (True, 3)


def test_rows_with_one_key_are_posts_of_their_own():
    text = (PAGES / "change-log.html").read_text().replace("6.1-0007", "6.1-0042")

    assert len({post.identity for post in changes(text).posts}) == 2


def test_rows_are_filtered_by_whole_words():
    assert [
        post.title for post in changes((PAGES / "change-log.html").read_bytes(), filter=["withdrawn"]).posts
    ] == ["6.1-0042"]


def test_a_table_that_lost_all_rows_is_not_what_it_was():
    text = (PAGES / "change-log.html").read_text()
    cursor = changes(text).cursor

    with pytest.raises(FetchError, match="the table has no rows; there were 2") as error:
        changes(f"<table>{text[text.index('<tr>') : text.index('</tr>')]}</tr></table>", cursor)
    assert error.value.failure == "not-what-it-was"


def test_an_unchanged_page_brings_nothing():
    site = Site({URL: (PAGES / "change-log.html").read_bytes()})
    first = changes(site)

    second = changes(site, first.cursor)

    assert (second.posts, second.cursor) == ((), first.cursor)


def test_a_page_without_tables_says_that_a_script_may_fill_it():
    with pytest.raises(ParseError, match="holds no table of data; a script may fill the page"):
        changes("<html><body><div id=tableau></div></body></html>")


# ---------------------------------------------------------------------------------------------- hostile tables

HOSTILE = {
    "digits": "1" * 3_000_000,
    "nested": "<table><tr><td>" * 5000,
    "spans": "<table>" + "<tr>" + "<td colspan=1000 rowspan=1000>x" * 60 + "</tr>" + "<tr></tr>" * 1000,
    "gaps": "<table>" + "<tr>" + "<td rowspan=1000>x<td>y" * 1000 + "</tr>" + "<tr></tr>" * 500,
    "open cells": "<table><tr>" + "<td>" * 50_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_table_ends_in_rows_or_an_error_of_ours(name):
    try:
        found = tables(HOSTILE[name])
    except SourceError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
    else:
        assert sum(len(row.cells) for table in found for row in table.rows) <= 200_000


TAGS = [
    "table",
    "tr",
    "td",
    "th",
    "td rowspan=3",
    "td colspan=2",
    "thead",
    "tbody",
    "caption",
    "p",
    "a href=x",
]
PIECES = st.one_of(
    st.sampled_from(TAGS).map(lambda tag: f"<{tag}>"), st.sampled_from(TAGS).map(lambda tag: f"</{tag}>"), st.text(max_size=9)
)  # fmt: skip


@settings(max_examples=200)
@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_table_has_as_many_cells_in_each_row_as_columns(inside):
    try:
        found = tables(f"<table><tr>{inside}")
    except SourceError:
        return
    assert all(len(row.cells) == len(table.columns) for table in found for row in table.rows)
