"""``ingest`` for people: what each table that was read brought, also where it woke no rule."""

from __future__ import annotations

import pytest

from tests.operation import acme, place
from watcher.demo.published import summary


@pytest.fixture
def site(tmp_path):
    with place(tmp_path) as made:
        yield made


def ingest(site, rows, *options):
    (site.folder / "table.json").write_bytes(summary(rows))
    done = site.run("ingest", "table.json", *options)
    assert done.returncode == 0
    return [line for line in done.stdout.splitlines() if line.startswith("inference v6.1:")]


def test_a_table_is_told_with_what_is_new_in_it_or_that_nothing_is(site):
    first, again = acme(9, round="v6.1"), acme(10, round="v6.1")

    assert ingest(site, first) == ["inference v6.1: 9 results, 9 added"]
    assert ingest(site, first) == ["inference v6.1: 9 results, nothing new"]
    assert ingest(site, again) == ["inference v6.1: 10 results, 1 added"]


def test_a_row_that_is_missing_once_is_told_as_missing_and_then_as_removed(site):
    ingest(site, acme(9, round="v6.1"))

    missing = "; 1 missing, and removed if the next table lacks it too"
    assert ingest(site, acme(8, round="v6.1")) == [f"inference v6.1: 9 results, nothing new{missing}"]
    assert ingest(site, acme(8, round="v6.1")) == ["inference v6.1: 8 results, 1 removed"]


def test_history_and_embargo_are_named_as_such(site):
    assert ingest(site, acme(1, round="v6.1"), "--baseline") == [
        "inference v6.1: 1 result, recorded as history"
    ]
    assert ingest(site, acme(2, round="v6.1"), "--quiet") == []

    (site.folder / "secret.json").write_bytes(summary(acme(1, round="v6.2")))
    said = site.run("ingest", "secret.json", "--private").stdout

    assert said == "inference v6.2: 1 result, 1 added; under embargo, nothing of it is sent\n"
