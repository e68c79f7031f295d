"""The archive: three rounds as facts, the same as the published tables in every column that it knows."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from watcher import archive
from watcher.archive.build import build, kept, main
from watcher.archive.columns import ALWAYS, COLUMNS, decode, encode
from watcher.catalog.names import load as load_catalog
from watcher.domain import Power, Result, Table
from watcher.errors import ParseError, UsageError
from watcher.parse import read_table

DATA = Path(__file__).parent / "data" / "tables"
ROUNDS = {"v5.1": 1448, "v6.0": 520, "v6.1": 492}
PUBLISHED = {
    "v5.1": "inference_v5.1_summary_results.json.gz",
    "v6.0": "inference_v6.0_summary_results.json.gz",
    "v6.1": "inference_v6.1_summary.json.gz",
}


def by_key(results: tuple[Result, ...]) -> dict[object, Result]:
    return {result.key: result for result in results}


def small_table() -> Table:
    (table,) = read_table((DATA / "summary.json").read_bytes(), name="summary.json", catalog=load_catalog())
    return table


@pytest.mark.parametrize(("round_", "results"), ROUNDS.items())
def test_a_round_is_there_whole_with_unique_keys(round_: str, results: int) -> None:
    table = archive.load("inference", round_)
    assert (table.suite, table.round, len(table.results)) == ("inference", round_, results)
    assert len(by_key(table.results)) == results
    assert {(r.suite, r.round) for r in table.results} == {("inference", round_)}


def test_the_archive_holds_exactly_its_three_rounds() -> None:
    assert archive.rounds() == (("inference", "v5.1"), ("inference", "v6.0"), ("inference", "v6.1"))
    with pytest.raises(UsageError, match=r"training v5\.1 is not in the archive; it holds inference v5\.1"):
        archive.load("training", "v5.1")


def test_figures_come_unrounded_with_names_units_and_links() -> None:
    rows = archive.load("inference", "v6.1").results
    (row,) = (
        r
        for r in rows
        if (r.submitter, r.benchmark, r.scenario, r.system)
        == ("NVIDIA", "deepseek-r1", "Server", "vera-rubin-nvl72")
    )
    assert (row.value, row.unit, row.accelerator_power_limit_watts) == (
        1175890.220816824,
        "tokens/s",
        2300.0,
    )
    assert row.url == (
        "https://github.com/mlcommons/inference_results_v6.1/tree/main/closed/NVIDIA/results/"
        "VR-NVL72_VR-288GB_aarch64x72_TRT/deepseek-r1/Server"
    )
    power = {
        r.power for r in archive.load("inference", "v5.1").results if r.submitter == "Lenovo" and r.power
    }
    assert (Power("measured", 10400.9988793425, "W"),) in power


def test_no_sentence_of_the_notes_and_no_accuracy_is_kept() -> None:
    for round_ in ROUNDS:
        table = archive.load("inference", round_)
        assert not {"notes", "accuracy", "extra"} & table.columns
        assert {(r.notes, r.accuracy) for r in table.results} == {(None, None)}
        text = gzip.decompress((archive.FOLDER / f"inference_{round_}.csv.gz").read_bytes()).decode()
        assert "TGP" not in text


def test_columns_name_canonical_fields_and_what_the_table_lacked_is_missing() -> None:
    columns = {round_: archive.load("inference", round_).columns for round_ in ROUNDS}
    assert columns["v5.1"] <= set(Result.__struct_fields__)
    assert columns["v5.1"] == columns["v6.0"]
    assert columns["v6.0"] - columns["v6.1"] == {
        "operating_system",
        "processors_per_node",
        "processor_core_count",
        "entry",
    }


def test_the_same_results_give_the_same_bytes_in_any_order() -> None:
    table = small_table()
    backwards = Table(table.suite, table.round, tuple(reversed(table.results)), table.columns)
    assert encode(table) == encode(backwards)
    assert encode(table)[4:8] == bytes(4)  # no time of writing in the gzip header


def test_a_table_comes_back_as_it_was_in_the_archive_s_columns() -> None:
    table = small_table()
    again = decode(encode(table), table.suite, table.round, load_catalog())
    assert by_key(again.results) == by_key(kept(table, again.columns))
    assert again.columns == table.columns - {"notes", "accuracy", "extra"}


def test_a_column_that_the_table_lacks_is_left_out() -> None:
    table = small_table()
    bare = Table(table.suite, table.round, table.results, table.columns - {"processor", "power"})
    again = decode(encode(bare), table.suite, table.round, load_catalog())
    assert table.columns - again.columns == {"notes", "accuracy", "extra", "processor", "power"}
    assert {(r.processor, r.power) for r in again.results} == {(None, ())}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"junk",
        gzip.compress(b"a,b\n"),
        encode(small_table())[:-20],
        gzip.compress(b",".join(c.encode() for c in ALWAYS) + b"\nclosed\n"),
    ],
)
def test_a_damaged_archive_is_noticed(body: bytes) -> None:
    with pytest.raises((ValueError, EOFError)):
        decode(body, "inference", "v6.0", load_catalog())


def test_a_published_table_is_archived_and_checked(tmp_path: Path) -> None:
    target = build(DATA / "summary_results.json", tmp_path, load_catalog())
    assert target == tmp_path / "inference_v6.0.csv.gz"
    assert len(decode(target.read_bytes(), "inference", "v6.0", load_catalog()).results) == 6


def test_a_table_with_rows_that_cannot_be_read_is_not_archived(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text((DATA / "summary.json").read_text().replace("500000.5", "null"))
    with pytest.raises(ParseError, match="rows that cannot be read"):
        build(bad, tmp_path, load_catalog())
    assert list(tmp_path.glob("*.gz")) == []


def test_the_builder_names_what_is_wrong_and_exits_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "gone.json")]) == 2
    assert "gone.json" in capsys.readouterr().err


def test_the_readme_documents_every_column_and_every_file() -> None:
    text = (archive.FOLDER / "README.md").read_text()
    assert [c for c in COLUMNS if f"`{c}`" not in text] == []
    assert set(re.findall(r"inference_v\d\.\d\.csv\.gz", text)) == {f"inference_{r}.csv.gz" for r in ROUNDS}
    assert "not affiliated" in text


@pytest.mark.parametrize("round_", ROUNDS)
def test_the_archive_equals_the_published_table(real: Path, round_: str) -> None:
    name = PUBLISHED[round_]
    (published,) = read_table((real / "mlperf" / name).read_bytes(), name=name, catalog=load_catalog())
    archived = archive.load("inference", round_)
    assert archived.columns == published.columns - {"notes", "accuracy", "extra"}
    assert by_key(archived.results) == by_key(kept(published, archived.columns))


@pytest.mark.parametrize("round_", ROUNDS)
def test_the_builder_makes_the_shipped_bytes(real: Path, tmp_path: Path, round_: str) -> None:
    built = build(real / "mlperf" / PUBLISHED[round_], tmp_path, load_catalog())
    shipped = archive.FOLDER / built.name
    assert gzip.decompress(built.read_bytes()) == gzip.decompress(shipped.read_bytes())
