"""Summary tables: three shapes, one meaning; bad rows by name, bad documents as errors."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from watcher.catalog.names import load
from watcher.domain import Aside, Power, Result, ResultKey, Table
from watcher.errors import ParseError, UsageError
from watcher.parse import read_table
from watcher.parse.body import MAX_BYTES
from watcher.parse.power_limit import power_limit

DATA = Path(__file__).parent / "data" / "tables"
Row = dict[str, Any]


def read(body: bytes | str | list[Row] | dict[str, Row], **given: Any) -> Table:
    raw = (
        body
        if isinstance(body, bytes)
        else body.encode()
        if isinstance(body, str)
        else json.dumps(body).encode()
    )
    (table,) = read_table(raw, name="summary", catalog=load(), **given)
    return table


def ours(name: str) -> Any:
    return json.loads((DATA / name).read_text())


def by_key(table: Table) -> dict[ResultKey, Result]:
    """Its results by their keys, without the numbers of entries, which one shape alone has."""
    return {result.key: replace(result, entry=None) for result in table.results}


def edited(**cells: Any) -> list[Row]:
    """Our small table with cells of its first row replaced; a missing value is ``...``."""
    first, *rest = ours("summary_results.json")
    row = {
        k: v
        for k, v in {**first, **{k.replace("_n", "#"): v for k, v in cells.items()}}.items()
        if v is not ...
    }
    return [row, *rest]


# ------------------------------------------------------------------------------------------ one meaning


def test_a_row_becomes_a_result_in_canonical_names() -> None:
    assert read((DATA / "summary_results.json").read_bytes()).results[0] == Result(
        suite="inference",
        round="v6.0",
        division="closed",
        availability="available",
        submitter="Alder Labs",
        organisations=("Alder Labs",),
        platform="alder-gb300x72",
        system_name="Alder Rack",
        system="gb300-nvl72",
        system_type=("datacenter",),
        benchmark_published="deepseek-r1",
        benchmark="deepseek-r1",
        scenario="Server",
        value=500000.5,
        unit="tokens/s",
        unit_published="Tokens/s",
        better="higher",
        accelerator="gb300",
        accelerators=("gb300",),
        accelerator_published="NVIDIA GB300",
        accelerator_count=72,
        accelerators_per_node=4,
        nodes=18,
        processor="Grace CPU",
        processors_per_node=2,
        processor_core_count=72,
        accuracy="exact match: 81.9",
        software=("tensorrt", "tensorrt-llm", "dynamo"),
        software_published="TensorRT 10.14, TensorRT-LLM 1.3, Dynamo 0.8",
        precision=("fp4",),
        operating_system="Linux 6.8",
        accelerator_power_limit_watts=1400.0,
        notes="GB300 TGP 1400W",
        url="https://github.com/mlcommons/inference_results_v6.0/tree/main/closed/Alder%20Labs/results/"
        "alder-gb300x72/deepseek-r1/Server",
        entry="6.0-0001",
    )


def test_three_shapes_of_one_table_say_the_same() -> None:
    r, s, c = (read((DATA / n).read_bytes()) for n in ("summary_results.json", "summary.json", "summary.csv"))
    assert by_key(r) == by_key(s) == by_key(c)
    assert (len(r.results), r.asides, r.unknown_columns, r.columns) == (6, (), (), s.columns | {"entry"})


def test_a_gzip_table_is_the_same_table() -> None:
    plain = (DATA / "summary.json").read_bytes()
    assert read(gzip.compress(plain)) == read(plain)


def test_the_order_of_rows_and_keys_does_not_matter() -> None:
    shuffled = [dict(reversed(row.items())) for row in reversed(ours("summary_results.json"))]
    assert by_key(read(shuffled)) == by_key(read((DATA / "summary_results.json").read_bytes()))


def test_measured_power_stands_in_the_row_or_in_a_twin_row() -> None:
    for name in ("summary_results.json", "summary.json", "summary.csv"):
        power = {r.platform: r.power for r in read((DATA / name).read_bytes()).results if r.power}
        assert power == {
            "birch-8": (Power("measured", 9800.25, "W"),),
            "birch-edge": (Power("measured", 44.5, "mJ"),),
        }, name


def test_a_power_twin_may_come_before_its_row() -> None:
    rows = list(ours("summary.json").values())
    assert by_key(read(list(reversed(rows)))) == by_key(read(rows))


def test_a_power_twin_without_its_row_is_set_aside() -> None:
    rows = [
        row for row in ours("summary.json").values() if row["Units"] != "Samples/s" or not row["has_power"]
    ]
    (aside,) = read(rows).asides
    assert "birch-8" in aside.message
    assert "power figure without its performance row" in aside.message


def test_design_power_is_another_kind_of_power() -> None:
    rows = [{**row, "design_power_watts": "132000"} for row in ours("summary.json").values()]
    assert {r.power for r in read(rows).results if r.platform == "alder-gb300x72"} == {
        (Power("design", 132000.0, "W"),)
    }


def test_a_mixed_system_has_parts_and_no_accelerator_of_its_own() -> None:
    mixed = next(r for r in read((DATA / "summary.csv").read_bytes()).results if r.platform == "mixed-24")
    assert (mixed.accelerator, mixed.accelerators, mixed.accelerator_count) == (
        None,
        ("mi300x", "mi355x"),
        24,
    )
    assert (mixed.organisations, mixed.value_per_accelerator) == (("Dell", "MangoBoost"), None)


def test_an_open_row_counts_for_the_benchmark_and_keeps_its_own_model() -> None:
    (open_row,) = (r for r in read((DATA / "summary.csv").read_bytes()).results if r.division == "open")
    assert (open_row.benchmark, open_row.benchmark_published) == ("resnet50", "efficientnet-lite-7")
    assert (open_row.accelerator, open_row.accelerators, open_row.accelerator_count) == (None, (), None)


@pytest.mark.parametrize("none", ["", "N/A", "-", 0, None, "N/A. N/A", "nan", " "])
def test_none_has_six_spellings_and_more(none: Any) -> None:
    result = read(
        edited(Accelerator=none, a_n=none, Notes=none, Software=none, **{"Total Accelerators": none})
    ).results[0]
    assert (result.accelerator, result.accelerators, result.accelerator_published) == (None, (), None)
    assert (result.accelerator_count, result.accelerators_per_node, result.software) == (None, None, ())
    assert (result.notes, result.software_published) == (None, None)


@pytest.mark.parametrize("value", [500000.5, "500000.5", " 500000.5 ", "500,000.5", "5.000005e5"])
def test_a_number_may_be_text(value: Any) -> None:
    assert read(edited(Performance_Result=value)).results[0].value == 500000.5


@pytest.mark.parametrize(
    ("accelerator", "total", "per_node", "nodes", "count"),
    [
        ("AMD Instinct MI355X (x87)", 88, 8, 11, 87),
        ("AMD Instinct MI355X", 88, 8, 11, 88),
        ("AMD Instinct MI355X", ..., 8.0, 11, 88),
        ("AMD Instinct MI355X", 0, "8", "2", 16),
        ("AMD Instinct MI355X", "N/A", "", 2, None),
        ("AMD Instinct MI355X", 1.5, 8, 2, 16),
    ],
)
def test_the_count_is_the_marks_else_the_total_else_nodes_times_per_node(
    accelerator: str, total: Any, per_node: Any, nodes: Any, count: int | None
) -> None:
    rows = edited(Accelerator=accelerator, a_n=per_node, Nodes=nodes, **{"Total Accelerators": total})
    assert read(rows).results[0].accelerator_count == count


def test_a_known_unit_error_is_corrected_and_the_published_unit_kept() -> None:
    (whisper,) = (r for r in read((DATA / "summary.json").read_bytes()).results if r.benchmark == "whisper")
    assert (whisper.unit, whisper.unit_published) == ("tokens/s", "Samples/s")


@pytest.mark.parametrize(
    ("version", "system_type", "scenario", "mark", "inferred"),
    [
        ("v5.1", "edge", "MultiStream", 1, True),
        ("v5.1", "edge", "offline", 0, False),
        ("v5.1", "datacenter,edge", "Offline", "1", True),
        ("v5.1", "edge", "SingleStream", 1, None),
        ("v5.1", "datacenter", "Offline", 1, None),
        ("v6.0", "edge", "MultiStream", 1, None),
    ],
)
def test_the_mark_of_an_inferred_run_is_used_where_it_says_something(
    version: str, system_type: str, scenario: str, mark: Any, inferred: bool | None
) -> None:
    row = {**ours("summary_results.json")[0], "version": version, "Suite": system_type, "Scenario": scenario}
    assert read([{**row, "inferred": mark}]).results[0].inferred is inferred


def test_links_lead_to_the_public_repository_and_keep_the_folder_s_spelling() -> None:
    edge = next(
        r for r in read((DATA / "summary_results.json").read_bytes()).results if r.platform == "birch-edge"
    )
    base = "https://github.com/mlcommons/inference_results_v6.0/tree/main/closed/Birch_Computing/results"
    assert edge.url == f"{base}/birch-edge/resnet50/multistream"


def test_links_may_lead_to_another_base_and_never_follow_a_strange_location() -> None:
    rows = edited(Location="https://evil.example/closed/x")
    url = read(rows, repository_url="http://127.0.0.1:8000/mlcommons/inference_results_v6.0/").results[0].url
    base = "http://127.0.0.1:8000/mlcommons/inference_results_v6.0/tree/main"
    assert url == f"{base}/closed/Alder%20Labs/results/alder-gb300x72/deepseek-r1/Server"


@pytest.mark.parametrize(
    ("location", "folder"),
    [
        ("closed/Alder Labs/results/alder-gb300x72/deepseek-r1/Server", "Server"),
        ("./closed/Alder Labs/results/alder-gb300x72/deepseek-r1/Server/performance/run_1", "Server"),
        ("  ./closed/Alder Labs/results/alder-gb300x72/deepseek-r1/SERVER/performance", "SERVER"),
        ("closed/Alder Labs/results/alder-gb300x72/deepseek-r1/ser\u200bver", "server"),
        ("closed/Alder Labs/results/alder-gb300x72/deepseek-r1/Server2/performance", "Server"),
        ("closed/Alder Labs/results/alder-gb300x72/other/server", "Server"),
        (["closed/Alder Labs/results/alder-gb300x72/deepseek-r1/server"], "Server"),
        (None, "Server"),
    ],
)
def test_a_link_spells_the_scenario_as_the_row_s_own_folder_does(location: Any, folder: str) -> None:
    url = read(edited(Location=location)).results[0].url
    base = "https://github.com/mlcommons/inference_results_v6.0/tree/main/closed"
    assert url == f"{base}/Alder%20Labs/results/alder-gb300x72/deepseek-r1/{folder}"


def test_cells_that_differ_in_their_kind_alone_are_of_different_runs_and_machines() -> None:
    row = ours("summary_results.json")[0]
    runs = [(1, 1), (1.0, 1), (True, 1), ("b", True), ("c", 1.0), ("d", "1")]
    found = read([{**row, "UsedModel": model, "Nodes": nodes} for model, nodes in runs])
    assert [(r.benchmark_published, r.nodes) for r in found.results] == [
        ("1", 1),
        ("1.0", 1),
        ("b", None),
        ("c", 1),
        ("d", 1),
    ]
    assert [aside.row for aside in found.asides] == ["row 3"]


def test_a_name_like_a_way_up_leads_to_no_other_repository() -> None:
    url = read(edited(Submitter="..", Platform="../../evil", Location="")).results[0].url
    assert url is not None
    assert url.endswith(
        "/inference_results_v6.0/tree/main/closed/..%20/results/..%2F..%2Fevil/deepseek-r1/Server"
    )


def test_an_interactive_benchmark_of_its_own_is_the_interactive_scenario() -> None:
    name = "llama2-70b-interactive-99.9"
    result = read(edited(Model=name, UsedModel=name, version="v5.0")[:1]).results[0]
    assert (result.benchmark, result.accuracy_target, result.scenario) == (
        "llama2-70b",
        "99.9",
        "Interactive",
    )


def test_a_task_s_name_gives_way_to_a_submitted_model_that_we_know() -> None:
    known = read(edited(Model="VLM", UsedModel="deepseek-r1")).results[0]
    unknown = read(edited(Model="VLM", UsedModel="my-own-vlm")).results[0]
    assert (known.benchmark, unknown.benchmark) == ("deepseek-r1", "qwen3-vl-235b-a22b")


@pytest.mark.parametrize(
    ("notes", "accelerator", "watts"),
    [
        ("NVIDIA Vera Rubin NVL72, 2300W TGP Per GPU", None, 2300.0),
        ("B200 TGP 1000\u202fW", None, 1000.0),
        ("8x NVIDIA B200-SXM-180GB (TGP 1000W)..", None, 1000.0),
        ("NVIDIA GB200 NVL72 platform; 1200 W GPU power limit.", None, 1200.0),
        ("Single 4-GPU GB300 node, TGP 1400W per GPU", None, 1400.0),
        ("GPU 450W / 600W (reduced)", None, 450.0),
        ("TGP 1.4kW", None, 1400.0),
        ("TGP of 1,400 W", None, 1400.0),
        (None, "AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)", 1000.0),
        (None, "AMD MI300X-NPS1-SPX-192GB-750W", 750.0),
        ("TGP 700W", "Example (Power Cap 700 W)", 700.0),
        ("TGP 700W", "Example (Power Cap 600 W)", None),
        ("B200 TGP 1000W, L40S TGP 350W", None, None),
        ("CPU TDP 350W, chassis dg5W, 12kW rack", "NVIDIA H200-SXM-141GB", None),
        ("PowerEdge R770", None, None),
        (None, None, None),
    ],
)
def test_a_gpu_s_power_limit_is_read_where_it_is_one_figure(
    notes: str | None, accelerator: str | None, watts: float | None
) -> None:
    assert power_limit(notes, accelerator) == watts


def test_a_power_limit_is_never_power() -> None:
    (result,) = read(edited()[:1]).results
    assert (result.accelerator_power_limit_watts, result.power) == (1400.0, ())


# ------------------------------------------------------------------------------------------ columns


def test_rows_of_as_many_columns_but_other_ones_are_read_each_by_its_own() -> None:
    first, second, *_ = ours("summary_results.json")
    second = {"Colour" if name == "Notes" else name: cell for name, cell in second.items()}

    found = read([first | {"Notes": "liquid cooled"}, second | {"Colour": "red"}]).results

    assert [(each.notes, dict(each.extra)) for each in found] == [
        ("liquid cooled", {}),
        (None, {"Colour": "red"}),
    ]


def test_unknown_columns_are_kept_and_named_once() -> None:
    table = read(
        [{**row, "carbon": {"kg": 1}, "lease": float("nan")} for row in ours("summary_results.json")]
    )
    assert sorted(table.unknown_columns) == ["carbon", "lease"]
    assert table.results[0].extra == {"carbon": {"kg": 1}, "lease": None}  # a NaN would differ from itself


def test_a_table_knows_the_columns_it_has() -> None:
    full = read((DATA / "summary.json").read_bytes()).columns
    rows = [
        {k: v for k, v in row.items() if k not in {"Accuracy", "operating_system", "notes"}}
        for row in ours("summary.json").values()
    ]
    assert full - read(rows).columns == {
        "accuracy",
        "operating_system",
        "notes",
        "accelerator_power_limit_watts",
    }
    assert full <= set(Result.__struct_fields__)


# ------------------------------------------------------------------------------------------ tiny


def test_tiny_s_table_has_its_own_columns_and_needs_its_round() -> None:
    table = read((DATA / "tiny.csv").read_bytes(), round="v1.2")
    kws, anomaly = table.results
    assert (table.suite, table.round, table.unknown_columns, table.asides) == ("tiny", "v1.2", (), ())
    assert (kws.benchmark, kws.unit, kws.scenario, kws.system_type) == (
        "keyword-spotting",
        "inferences/s",
        None,
        ("tiny",),
    )
    assert (kws.power, anomaly.power) == ((Power("measured", 812.5, "uJ/inference"),), ())
    assert (anomaly.accelerators, anomaly.software_published) == (("Cedar NPU",), "self-developed")
    assert kws.extra["HostProcessorFrequency"] == "480 MHz"
    assert kws.url == "https://github.com/mlcommons/tiny_results_v1.2/tree/main/closed/Cedar%20Micro"
    with pytest.raises(UsageError, match="give --round"):
        read((DATA / "tiny.csv").read_bytes())


# ------------------------------------------------------------------------------------------ suite and round


def test_suite_and_round_come_from_the_rows() -> None:
    assert [(t.suite, t.round) for t in (read(edited()), read(edited(), suite="inference", round="6.0"))] == [
        ("inference", "v6.0")
    ] * 2
    adas = read([{**row, "Suite": "adas", "version": "v0.5"} for row in edited()])
    assert (adas.suite, adas.round) == ("automotive", "v0.5")


def test_unreviewed_tables_are_kept_apart_when_asked() -> None:
    table = read(edited(), suite="unofficial")
    assert (table.suite, {r.suite for r in table.results}) == ("unofficial", {"unofficial"})
    assert table.results[0].benchmark == "deepseek-r1"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"suite": "training"}, "rows are of inference, but the suite given is training"),
        ({"round": "v6.1"}, r"rows are of v6\.0, but the round given is v6\.1"),
        ({"round": "training-v6.0"}, "rows are of inference, but the suite given is training"),
        ({"suite": "inference", "round": "training-v6.0"}, "belongs to training"),
        ({"suite": "inferense"}, "did you mean 'inference'"),
        ({"round": "spring"}, "'spring' is not a round"),
    ],
)
def test_what_contradicts_the_rows_is_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(edited(), **given)


def test_what_the_rows_do_not_say_must_be_given() -> None:
    silent = [{k: v for k, v in row.items() if k not in {"version", "Suite"}} for row in edited()]
    with pytest.raises(UsageError, match="give --suite"):
        read(silent)
    with pytest.raises(UsageError, match="give --round"):
        read(silent, suite="inference")
    table = read(silent, suite="inference", round="v6.1")
    assert (table.suite, table.round, len(table.results)) == ("inference", "v6.1", 6)


def test_rows_of_two_rounds_are_two_tables_the_bigger_first() -> None:
    rows = edited(version="v5.1")
    tables = read_table(json.dumps(rows).encode(), name="both", catalog=load())
    assert [(t.round, len(t.results)) for t in tables] == [("v6.0", 5), ("v5.1", 1)]


# ------------------------------------------------------------------------------------------ bad rows


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"Performance_Result": ...}, "no result: Performance_Result is missing"),
        ({"Performance_Result": 0}, "no result: Performance_Result is '0'"),
        ({"Performance_Result": "fast"}, "no result: Performance_Result is 'fast'"),
        ({"Performance_Result": -3.5}, "no result: Performance_Result is '-3.5'"),
        ({"Performance_Result": float("inf")}, "no result: Performance_Result is missing"),
        ({"Performance_Result": 1e200}, "no result: Performance_Result is '1e+200'"),  # ratios of such
        ({"Performance_Result": "1e-200"}, "no result: Performance_Result is '1e-200'"),  # have no end
        ({"Performance_Result": True}, "no result: Performance_Result is 'True'"),
        ({"Performance_Units": ""}, "Performance_Units is blank"),
        ({"Submitter": None}, "Submitter is missing"),
        ({"Platform": "-"}, "Platform is '-'"),
        ({"Scenario": "N/A"}, "Scenario is 'N/A'"),
        ({"Category": ...}, "Category is missing"),
        ({"Suite": "underwater"}, "names no suite"),
        ({"version": "next"}, "'next' is not a round such as v6.1"),
    ],
)
def test_a_bad_row_is_set_aside_by_name_and_the_others_stay(cells: Row, message: str) -> None:
    table = read(edited(**cells))
    (aside,) = table.asides
    assert (aside.row, len(table.results)) == ("row 1", 5)
    assert message in aside.message
    assert "alder-gb300x72" in aside.message or "Alder Labs" in aside.message


def test_a_row_that_is_no_object_is_set_aside() -> None:
    assert read([*edited(), "text", None]).asides == (
        Aside("row 7", "is a JSON str, not an object with columns"),
        Aside("row 8", "is a JSON NoneType, not an object with columns"),
    )


def test_a_csv_line_of_another_length_is_set_aside() -> None:
    text = (DATA / "summary.csv").read_text() + '"half","a line"\n\n'
    assert read(text).asides == (Aside("line 10", "has 2 cells where the header has 31"),)


def test_a_repeated_row_is_kept_once() -> None:
    rows = edited()
    table = read([*rows, {**rows[0], "System": "Alder Rack, again"}])
    assert len(table.results) == 6
    assert "repeats row 1, with the same value" in table.asides[0].message


def test_text_loses_control_characters_and_half_letters() -> None:
    body = json.dumps(edited(System="Alder\x1b[31m \x00Rack\n", Notes="x")).replace(
        '"x"', '"half \\ud800 letter"'
    )
    result = read(body).results[0]
    assert (result.system_name, result.notes) == ("Alder [31m  Rack", "half ? letter")


def test_a_name_that_turns_its_direction_round_is_read_as_it_is_written() -> None:
    result = read(edited(System="Alder\u202e kcaR\u2066\u2069")).results[0]
    assert result.system_name == "Alder kcaR"


def test_names_of_columns_are_cleaned_as_texts_are() -> None:
    body = json.dumps(edited(odd=1)).replace('"odd"', '"O\\ud800dd\\u001f \\u001b[31m"')
    table = read(body)
    assert table.unknown_columns == ("O?dd   [31m",)
    assert table.results[0].extra == {"O?dd   [31m": 1}


@pytest.mark.parametrize("depth", [400, 600, 900, 980])
@pytest.mark.parametrize("column", ["odd", "Notes", "has_power"])
def test_a_cell_of_lists_in_lists_is_no_obstacle(depth: int, column: str) -> None:
    body = json.dumps(edited(**{column: "x"})).replace('"x"', "[" * depth + "1" + "]" * depth)
    try:
        table = read(body)
    except ParseError as error:
        assert "nested too deeply" in str(error)  # noqa: PT017 - either is right, by how deep the caller stands
    else:
        assert len(table.results) == len(edited())


def test_a_round_is_written_in_plain_digits() -> None:
    table = read(edited(version="v\u0666.\u0661"))
    assert (table.round, len(table.results), len(table.asides)) == ("v6.0", len(edited()) - 1, 1)


# ------------------------------------------------------------------------------------------ bad documents


def contradicting() -> str:
    rows = edited()
    return json.dumps([*rows, {**rows[0], "Performance_Result": 1.5}])


def contradicting_power() -> str:
    rows = list(ours("summary.json").values())
    twin = next(row for row in rows if row["Units"] == "Watts")
    return json.dumps([*rows, {**twin, "Result": 1.5}])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "empty"),
        (b" \n\t", "empty"),
        (b"[]", "no rows"),
        (b"{}", "not a summary table"),
        (b"[[1, 2]]", "no rows"),
        (b'{"message": "Not Found"}', "keys are not row numbers"),
        (b'[{"a": 1}]', r"its columns \(a …\) are none of the shapes we know"),
        (b"<!DOCTYPE html><p>rate limited", "a web page"),
        (b'[{"Submitter": ', "not JSON"),
        (b"[" * 100_000, "nested too deeply|not JSON"),
        (b"[1" + b"0" * 5000 + b"]", "not JSON"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"just a sentence", "no rows"),
        (b"a,b\n1,2\n", "none of the shapes"),
        (b"[" + b"1," * 4_000_001 + b"1]", "more than 4,000,000 cells"),
        (b"a\n" * 4_000_001, "more than 4,000,000 cells"),
        (b"a,b,a\n1,2,3\n", "the header names the column 'a' twice"),
        (b"a,b\n" + b'"' + b"x" * 200_000 + b'"\n', "not CSV at line"),
        (gzip.compress(b"[]")[:-9], "cut-off gzip"),
        (gzip.compress(b"[]")[:8] + b"junk and more junk", "damaged gzip"),
        (gzip.compress(b"[]") + b"tail", "4 bytes that are not gzip"),
        (gzip.compress(b" " * (MAX_BYTES + 1)), "unpacks to more than"),
        (
            contradicting().encode(),
            "row 1 and row 7 give different values for closed Alder Labs alder-gb300x72",
        ),
        (contradicting_power().encode(), "give different power for closed Birch_Computing birch-8"),
    ],
)
def test_a_bad_document_is_an_error_that_names_it_and_never_an_empty_table(body: bytes, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        read(body)
    assert str(caught.value).startswith("summary: ")


def test_a_table_whose_rows_are_all_bad_is_an_error() -> None:
    with pytest.raises(ParseError, match=r"not one of 6 rows could be read; row 1: .*no result"):
        read([{**row, "Performance_Result": None} for row in edited()])


def test_several_gzip_members_and_padding_are_one_document() -> None:
    plain = (DATA / "summary.json").read_bytes()
    body = gzip.compress(plain[:100]) + gzip.compress(plain[100:]) + bytes(64)
    assert read(body) == read(plain)


# ------------------------------------------------------------------------------------------ the real tables


@pytest.fixture(scope="module")
def table(real: Path) -> Callable[..., Table]:
    def open_table(name: str, **given: Any) -> Table:
        return read((real / "mlperf" / name).read_bytes(), **given)

    return open_table


@pytest.mark.parametrize(
    ("name", "suite", "round_", "rows"),
    [
        ("inference_v4.1_summary_results.r1.json.gz", "inference", "v4.1", 937),
        ("inference_v4.1_summary_results.r2.json.gz", "inference", "v4.1", 937),
        ("inference_v5.1_summary_results.r1.json.gz", "inference", "v5.1", 1448),
        ("inference_v5.1_summary_results.json.gz", "inference", "v5.1", 1448),
        ("inference_v6.0_summary_results.json.gz", "inference", "v6.0", 520),
        ("inference_v6.0_checker_summary.csv.gz", "inference", "v6.0", 520),
        ("inference_v6.1_summary.json.gz", "inference", "v6.1", 492),
        ("automotive_v0.5_summary_results.json.gz", "automotive", "v0.5", 9),
    ],
)
def test_every_real_row_is_read(
    table: Callable[..., Table], name: str, suite: str, round_: str, rows: int
) -> None:
    found = table(name)
    assert (found.suite, found.round, len(found.results)) == (suite, round_, rows)
    assert (found.asides, found.unknown_columns) == ((), ())
    assert len(by_key(found)) == rows


def test_v6_0_is_the_same_520_results_in_both_shapes(table: Callable[..., Table]) -> None:
    r = table("inference_v6.0_summary_results.json.gz")
    s = table("inference_v6.0_checker_summary.csv.gz")
    renamed = "Supermicro AS-8126GS-NB3RT(8x B300-SXM-288GB, TensorRT)"
    tails = {k: v.value for k, v in by_key(s).items() if abs(v.value - by_key(r)[k].value) > 0}
    assert (by_key(r).keys(), r.columns, len(tails)) == (by_key(s).keys(), s.columns | {"entry"}, 3)
    changed = [
        k
        for k, result in by_key(s).items()
        if replace(result, value=round(result.value, 9))
        != replace(by_key(r)[k], value=round(by_key(r)[k].value, 9))
    ]
    assert [(k.submitter, by_key(s)[k].system_name) for k in changed] == [("Supermicro", renamed)]


def test_v4_1_s_second_revision_changes_nothing(table: Callable[..., Table]) -> None:
    first, second = (table(f"inference_v4.1_summary_results.r{n}.json.gz") for n in (1, 2))
    assert by_key(first) == by_key(second)


def test_unreviewed_runs_are_45_equal_rows_in_all_three_shapes(table: Callable[..., Table]) -> None:
    names = ("summary_results.json", "summary.json", "summary.csv")
    r, s, c = (by_key(table(f"unofficial_v5.0_{name}.gz", suite="unofficial")) for name in names)
    assert r == s == c
    assert len(r) == 45


def test_tiny_s_73_rows_are_read_with_18_energies(table: Callable[..., Table]) -> None:
    found = table("tiny_v1.2_summary.csv.gz", round="v1.2")
    assert (found.suite, len(found.results), found.asides, found.unknown_columns) == ("tiny", 73, (), ())
    assert sum(1 for r in found.results if r.power) == 18


def test_measured_power_of_the_real_rounds_is_all_there(table: Callable[..., Table]) -> None:
    v41 = Counter(r.submitter for r in table("inference_v4.1_summary_results.r2.json.gz").results if r.power)
    v51 = Counter(r.submitter for r in table("inference_v5.1_summary_results.json.gz").results if r.power)
    assert (v41, v51) == ({"NVIDIA": 26, "UntetherAI": 5}, {"Lenovo": 12, "GATEOverflow": 12})
    for name in ("inference_v6.0_summary_results.json.gz", "inference_v6.1_summary.json.gz"):
        assert not [r for r in table(name).results if r.power]


def test_vera_rubin_s_rows_are_what_was_published(table: Callable[..., Table]) -> None:
    rows = [r for r in table("inference_v6.1_summary.json.gz").results if r.accelerator == "vera-rubin"]
    cells = {
        (r.submitter, r.benchmark, r.scenario): round(r.value, 2) for r in rows if r.scenario != "Offline"
    }
    assert cells == {
        ("NVIDIA", "deepseek-r1", "Server"): 1175890.22,
        ("NVIDIA", "deepseek-r1", "Interactive"): 652750.14,
        ("NVIDIA", "qwen3-vl-235b-a22b", "Server"): 2323.27,
        ("NVIDIA", "qwen3-vl-235b-a22b", "Interactive"): 1306.61,
        ("Nebius", "deepseek-r1", "Server"): 591368.31,
    }
    assert {(r.accelerator_count, r.system) for r in rows} == {(72, "vera-rubin-nvl72"), (36, None)}
    assert {(r.availability, r.accelerator_power_limit_watts, r.power) for r in rows} == {
        ("preview", 2300.0, ())
    }


def test_counts_of_real_racks_are_the_accelerators_that_ran(table: Callable[..., Table]) -> None:
    v60 = table("inference_v6.0_summary_results.json.gz").results
    marked = Counter(r.accelerator_count for r in v60 if "(x" in (r.accelerator_published or ""))
    assert marked == {87: 6, 94: 2, 24: 4}
    v61 = table("inference_v6.1_summary.json.gz").results
    assert {r.accelerator_count for r in v61 if r.system} == {72}
    assert {288, 36, 56, 512} <= {r.accelerator_count for r in v61 if r.system is None}
    assert sum(1 for r in v61 if r.accelerator_count is None) == 33


def test_real_units_are_ours_and_latencies_are_lower(table: Callable[..., Table]) -> None:
    v51 = table("inference_v5.1_summary_results.json.gz").results
    assert sum(1 for r in v51 if r.better == "lower") == 571
    assert {r.unit for r in v51 if r.benchmark == "whisper"} == {"tokens/s"}
    assert {r.unit for r in v51 if (r.benchmark, r.scenario) == ("llama3.1-8b", "Interactive")} == {
        "tokens/s"
    }
    assert sum(1 for r in v51 if r.inferred) == 536


def test_real_links_lead_to_public_repositories_only(table: Callable[..., Table]) -> None:
    for name in ("inference_v6.0_summary_results.json.gz", "inference_v6.1_summary.json.gz"):
        found = table(name)
        start = f"https://github.com/mlcommons/inference_results_{found.round}/tree/main/"
        assert all((r.url or "").startswith(start) for r in found.results)


def test_the_real_csv_survives_another_quoting(table: Callable[..., Table], real: Path) -> None:
    name = "inference_v6.0_checker_summary.csv.gz"
    rows = list(csv.reader(io.StringIO(gzip.decompress((real / "mlperf" / name).read_bytes()).decode())))
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n").writerows(rows)
    assert read("\ufeff" + out.getvalue()) == table(name)


def doubled(row: str, double: str) -> bytes:
    """Return our table with ``double`` put in front of the first cell of the row that has ``row`` in it."""
    text = json.dumps(ours("summary_results.json"))
    before, mark, after = text.partition(row)
    assert mark
    start = before.rindex("{") + 1
    return f"{before[:start]}{double}, {before[start:]}{mark}{after}".encode()


def test_a_column_that_a_row_has_twice_with_different_values_is_refused_by_name() -> None:
    double = '"Performance_Result": 17.5'
    with pytest.raises(ParseError) as caught:
        read(doubled('"Submitter"', double))
    said = str(caught.value)
    assert said.startswith("summary: the object with ")
    assert "names 'Performance_Result' twice, with '17.5' and " in said
    assert said.endswith("; one of them would be lost")


def test_a_column_that_a_row_has_twice_with_the_same_value_is_one() -> None:
    row = dict(ours("summary_results.json")[0])
    double = f'"Performance_Result": {json.dumps(row["Performance_Result"])}'
    assert read(doubled('"Submitter"', double)).results == read(ours("summary_results.json")).results


def test_a_row_number_that_a_table_has_twice_is_refused_by_name() -> None:
    one, two = ours("summary_results.json")[:2]
    text = f'{{"1": {json.dumps(one)}, "2": {json.dumps(two)}, "1": {json.dumps(two)}}}'
    with pytest.raises(
        ParseError, match=r"names '1' twice, with an object of \d+ keys and an object of \d+ keys"
    ):
        read(text)


def test_columns_whose_names_are_the_same_once_cleaned_are_refused_where_they_differ() -> None:
    rows = ours("summary_results.json")
    rows[0] = {**rows[0], "Performance_Result\n": 17.5}
    with pytest.raises(ParseError, match="row 1 names 'Performance_Result' twice"):
        read(rows)


@pytest.mark.parametrize(
    "published",
    ["v" + "9" * 5000 + ".1", "v6." + "1" * 5000, "6.1-" + "x" * 500, "v6.\u0661", "../v6.1"],
)
def test_what_is_no_round_is_set_aside_whatever_its_length(published: str) -> None:
    table = read(edited(version=published))
    assert (table.round, len(table.results), len(table.asides)) == ("v6.0", 5, 1)
    assert "is not a round such as v6.1" in table.asides[0].message


def test_two_names_that_look_the_same_are_the_same() -> None:
    hidden = edited(Submitter="Alder\u200b\u2060 Labs\ufeff", Platform="alder\u00ad-gb300x72\u202e")
    assert read(hidden).results[0].key == read(edited()).results[0].key
