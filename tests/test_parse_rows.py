"""Raw rows: a document that is cut into its rows before they are read says the same as one that is read at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.domain import Aside
from watcher.errors import ParseError
from watcher.parse.body import first_of, utf8_of
from watcher.parse.rows import MAX_ROWS, RawRow, _read_at_once, raw_rows

CELL = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
ROW = st.dictionaries(st.sampled_from(["a", "b", '"q', "\\", "x\n", "x\x7f", "é"]), CELL, max_size=5)
DOCUMENT = st.lists(ROW | CELL, max_size=5) | st.dictionaries(
    st.integers(0, 9).map(str), ROW | CELL, max_size=4
)
AGAIN = st.sampled_from(["", '"a": 1, ', '"a" :1,', '"b":"x",'])


def said(read: Callable[[], tuple[list[RawRow], list[Aside]]]) -> Any:
    try:
        rows, asides = read()
        return [(row.place, json.dumps(row.read())) for row in rows], asides
    except ParseError:
        return "no table"


@given(DOCUMENT, st.booleans(), st.sampled_from([None, 1]), AGAIN)
@settings(max_examples=300)
def test_a_document_says_the_same_cut_into_rows_and_read_at_once(document, ascii_alone, indent, again):
    text = json.dumps(document, ensure_ascii=ascii_alone, indent=indent).replace("{", "{" + again, 1)

    assert said(lambda: raw_rows(text.encode(), "t")) == said(lambda: _read_at_once(text, "t"))


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ('{"a": "x \\" y", "b": 1}', {"a": 'x " y', "b": 1}),
        ('{"a": "\\u0022", "b" : 1}', {"a": '"', "b": 1}),
        ('{"a": ["x", {"y": "z"}]}', {"a": ["x", {"y": "z"}]}),
        ('{"a": 1e999}', {"a": float("inf")}),
        ('{"a": 12345678901234567890123}', {"a": 12345678901234567890123}),
        ('{"a": 1, "a": 1}', {"a": 1}),
    ],
)
def test_a_row_is_read_as_it_is_written(row, cells):
    (found,), asides = raw_rows(f"[{row}]".encode(), "t")

    assert (found.place, found.read(), asides) == ("row 1", cells, [])


@pytest.mark.parametrize("row", ['{"x\\n": 1}', '{"x\x7f": 1}', '{"x\u200b": 1}'])
def test_the_name_of_a_column_is_cleaned_however_it_is_written(row):
    (found,), _ = raw_rows(f"[{row}]".encode(), "t")

    assert list(found.read()) == ["x"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"\xef\xbb\xbf \n", "t: empty; an empty file is never taken as a table without rows"),
        (b"\xef\xbb\xbf[\xff]", "t: not UTF-8 text (invalid start byte at byte 1)"),
        (b'["\xe2\x82', "t: not UTF-8 text (unexpected end of data at byte 2)"),
        (
            "\u2003" * 400 + "<html>",
            "t: a web page or XML, not a table; check the address (the raw one is needed)",
        ),
    ],
)
def test_bytes_that_are_no_text_of_a_table_are_refused(body, said):
    with pytest.raises(ParseError) as error:
        utf8_of(body if isinstance(body, bytes) else body.encode(), "t")

    assert str(error.value) == said


def test_a_text_goes_on_as_the_bytes_that_it_came_as_without_its_mark():
    body = '[{"a": "é"}]'.encode()

    assert (utf8_of(body, "t"), utf8_of(b"\xef\xbb\xbf" + body, "t")) == (body, body)
    assert (first_of(body), first_of(b" " * 900 + body), first_of(b" ")) == ("[", "[", "")


@pytest.mark.parametrize("document", ['[{"a": 1, "a" : "1"}]', '{"0": {"a": "x", "a": "y"}}'])
def test_a_column_that_stands_twice_is_an_error_when_its_row_is_read(document):
    (row,), _ = raw_rows(document.encode(), "t")

    with pytest.raises(ParseError, match=r"names 'a' twice"):
        row.read()


def test_the_digest_of_a_row_is_of_all_that_is_written_in_it():
    one, again, other = raw_rows(b'[{"a": 1}, {"a": 1}, {"a": 1.0}]', "t")[0]

    assert one.digest == again.digest != other.digest


@pytest.mark.parametrize(
    "document",
    [
        "[" + "{}," * MAX_ROWS + "{}]",
        "[" + "NaN," * MAX_ROWS + "{}]",
        "{" + ",".join(f'"{n}":0' for n in range(MAX_ROWS + 1)) + "}",
        "a,b\n" + "1,2\n" * (MAX_ROWS + 2),
    ],
)
def test_a_document_of_more_rows_than_any_table_has_is_refused(document):
    with pytest.raises(ParseError, match="more than 200,000 rows"):
        raw_rows(document.encode(), "t")


def test_a_column_that_is_told_a_hundred_thousand_times_is_read_as_one():
    (row,), _ = raw_rows(b'[{"a": 1' + b', "a": 1' * 100_000 + b"}]", "t")

    assert row.read() == {"a": 1}


def test_a_double_column_is_found_behind_a_hundred_thousand_others():
    header = ",".join(map(str, range(100_000)))

    with pytest.raises(ParseError, match="the header names the column '99999' twice"):
        raw_rows(f"{header},99999\n1,2\n".encode(), "t")
