"""Whatever the bytes say: tables, ParseError or UsageError, and nothing else; and tables that can be trusted."""

from __future__ import annotations

import contextlib
import gzip
import json
import math
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from watcher.catalog.names import load
from watcher.domain import Table
from watcher.errors import CatalogError, ParseError, UsageError
from watcher.parse import read_table
from watcher.parse.power_limit import power_limit

DATA = Path(__file__).parent / "data" / "tables"
QUICK = settings(max_examples=150, database=None)

ROWS_R: list[dict[str, Any]] = json.loads((DATA / "summary_results.json").read_text())
ROWS_S: list[dict[str, Any]] = list(json.loads((DATA / "summary.json").read_text()).values())
CSV = (DATA / "summary.csv").read_bytes()
TINY = (DATA / "tiny.csv").read_bytes()

oddities = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**300, max_value=10**310),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(
        [
            "",
            "N/A",
            "-",
            "NaN",
            "1e999",
            "0x10",
            "1_0",
            "(x9999999)",
            "v6.1",
            "closed",
            "Watts",
            "\ud800",
            "\0",
        ]
    ),
    st.recursive(
        st.integers(),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
        max_leaves=4,
    ),
)
columns = st.sampled_from(
    sorted({*ROWS_R[0], *ROWS_S[0], "Power_Result", "Power_Units", "carbon", "__class__"})
)
edits = st.lists(st.tuples(st.integers(0, 5), columns, oddities), max_size=8)
asked = st.fixed_dictionaries(
    {},
    optional={
        "suite": st.sampled_from(["inference", "unofficial", "training", "tiny", "nonsense"]),
        "round": st.sampled_from(["v6.0", "6.0", "v5.1", "training-v5.1", "soon"]),
    },
)


def tables(body: bytes, given_: dict[str, str] | None = None) -> tuple[Table, ...]:
    """Read, letting through only the errors that a person is meant to see."""
    with contextlib.suppress(ParseError, UsageError):
        found = read_table(body, name="fuzz", catalog=load(), **(given_ or {}))
        for table in found:
            trust(table)
        return found
    return ()


def trust(table: Table) -> None:
    assert table.results, "an empty table is never returned"
    assert len({result.key for result in table.results}) == len(table.results)
    for result in table.results:
        assert math.isfinite(result.value)
        assert result.value > 0
        assert (result.suite, result.round) == (table.suite, table.round)
        assert all((result.division, result.submitter, result.platform, result.benchmark, result.unit))
        assert result.better in {"higher", "lower"}
        assert result.accelerator_count is None or result.accelerator_count > 0
        assert (result.accelerator is not None) == (len(result.accelerators) == 1)
        assert result == result  # noqa: PLR0124 - a NaN inside would differ from itself
        json.dumps([result.extra, result.notes, result.submitter], allow_nan=False).encode()
        repr(result).encode()


def mutated(rows: list[dict[str, Any]], changes: list[tuple[int, str, Any]]) -> list[dict[str, Any]]:
    copies = [dict(row) for row in rows]
    for number, column, value in changes:
        copies[number % len(copies)][column] = value
    return copies


@QUICK
@given(st.binary(max_size=400), st.booleans(), asked)
def test_any_bytes_are_a_table_or_an_error_for_people(
    body: bytes, packed: bool, given_: dict[str, str]
) -> None:
    tables(gzip.compress(body) if packed else body, given_)


@QUICK
@given(st.sampled_from([b"[", b"{", b"a,b\n", b"\x1f\x8b\x08\x00"]), st.binary(max_size=200))
def test_promising_starts_are_held_to_the_same(start: bytes, rest: bytes) -> None:
    tables(start + rest)


@settings(QUICK, max_examples=400)
@given(st.sampled_from([ROWS_R, ROWS_S]), edits, asked)
def test_rows_with_odd_cells_give_trusty_tables(
    rows: list[dict[str, Any]], changes: list[tuple[int, str, Any]], given_: dict[str, str]
) -> None:
    tables(json.dumps(mutated(rows, changes)).encode(), given_)


@QUICK
@given(st.sampled_from([CSV, TINY]), st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=6)), max_size=4))
def test_csv_with_bytes_knocked_in_gives_trusty_tables(
    body: bytes, knocks: list[tuple[float, bytes]]
) -> None:
    for place, junk in knocks:
        at = int(place * len(body))
        body = body[:at] + junk + body[at:]
    tables(body, {"round": "v6.0"})


@QUICK
@given(st.integers(0, 3000), st.integers(0, 300))
def test_a_table_with_a_piece_cut_out_gives_trusty_tables(start: int, length: int) -> None:
    text = json.dumps(ROWS_R)
    tables((text[:start] + text[start + length :]).encode())


@QUICK
@given(st.text(max_size=60))
def test_any_text_is_a_name_or_none(text: str) -> None:
    catalog = load()
    reading = catalog.accelerators(text)
    assert set(reading.unknown) <= set(reading.names)
    assert catalog.organisations(text)
    assert catalog.benchmark(text).known or catalog.benchmark(text).name == text
    assert catalog.unit(text, "any", None, "v6.0", "inference").name == text or text
    for kind in ("accelerator", "system", "submitter", "round", "scenario", "benchmark"):
        found = catalog.find(kind, text)
        assert found is None or found in catalog.names(kind)
    catalog.software(text)
    catalog.precision(text)
    catalog.is_task(text)
    power_limit(text, text)


@QUICK
@given(st.text(max_size=12), st.text(max_size=40))
def test_a_user_s_catalog_file_is_read_or_refused(tmp_path_factory: Any, name: str, text: str) -> None:
    folder = tmp_path_factory.mktemp("catalog")
    line = f"{json.dumps(name)}: {text}\n" if text.isprintable() else text
    (folder / "submitters.yaml").write_text(line, "utf-8", errors="replace")
    with contextlib.suppress(CatalogError):
        load(folder).organisations(name)
