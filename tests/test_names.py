"""The catalog: spellings, joint entries, units, systems, the calendar, and a user's own files."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from watcher.catalog.entries import AcceleratorReading, BenchmarkName, Unit
from watcher.catalog.names import KINDS, Catalog, load
from watcher.errors import CatalogError

# Names in the real tables that the catalog leaves unknown on purpose. None: every other name must resolve.
SOFTWARE_WITHOUT_A_NAME = {"TODO"}
PRECISION_WITHOUT_A_NAME = {"UNSET"}
TABLES = (
    "inference_v4.1_summary_results.r2",
    "inference_v5.1_summary_results",
    "inference_v5.1_summary_results.r1",
    "inference_v6.0_summary_results",
    "inference_v6.1_summary",
    "automotive_v0.5_summary_results",
    "unofficial_v5.0_summary_results",
)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load()


@pytest.fixture(scope="module")
def real_rows(real: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name in TABLES:
        document = json.loads(gzip.decompress((real / "mlperf" / f"{name}.json.gz").read_bytes()))
        rows += document.values() if isinstance(document, dict) else document
    return rows


def words(rows: list[dict[str, object]], *columns: str) -> set[str]:
    cells = {str(row[column]) for row in rows for column in columns if row.get(column) is not None}
    return {cell for cell in cells if cell.strip() not in {"", "N/A"}}


# ------------------------------------------------------------------------------------------ accelerators


@pytest.mark.parametrize(
    ("published", "name"),
    [
        ("NVIDIA Vera Rubin", "vera-rubin"),
        ("NVIDIA VeraRubin", "vera-rubin"),
        ("NVIDIA VR200", "vera-rubin"),
        ("Nvidia B300-SXM-270GB", "b300"),
        ("NVIDIA GB300", "gb300"),
        ("AMD Instinct MI355X 288GB HBM3E (Power Cap 1000 W)", "mi355x"),
        ("AMD MI300X-NPS1-SPX-192GB-750W", "mi300x"),
        ("Virtualized NVIDIA H200-SXM-141GB", "h200"),
        ("NVIDIA H200-SXM-141GB-CTS", "h200"),
        ("NVIDIA H100-NVL-94GB", "h100-nvl"),
        ("NVIDIA H100-PCIe-80GB", "h100-pcie"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA GH200 Grace Hopper Superchip 96GB", "gh200"),
        ("NVIDIA GH200 Grace Hopper Superchip 144GB", "gh200-144gb"),
        ("Intel(R) Arc(TM) Pro B70", "arc-pro-b70"),
        ("Intel(R) Arc Pro(R) B70", "arc-pro-b70"),
        ("[MAXSUN] MS-Intel Arc Pro B60 Dual 48G Turbo", "arc-pro-b60-dual"),
        ("rtx pro 6000", "rtx-pro-6000"),
        ("RTX_PRO_6000 Blackwell Server Edition", "rtx-pro-6000"),
    ],
)
def test_a_spelling_of_an_accelerator_means_one_product(catalog: Catalog, published: str, name: str) -> None:
    assert catalog.accelerator(published) == name


@pytest.mark.parametrize(
    "unknown", ["NVIDIA B400", "A100-SXM-80GB (MIG 1x1g.10gb)", "GB300X", "MI355", "", "N/A", "H100 SXM8"]
)
def test_an_unknown_accelerator_is_never_guessed(catalog: Catalog, unknown: str) -> None:
    assert catalog.accelerator(unknown) is None


@pytest.mark.parametrize("blank", ["", "N/A", "-", " ", "n/a", "None"])
def test_a_blank_accelerator_is_none_at_all(catalog: Catalog, blank: str) -> None:
    assert catalog.accelerators(blank) == AcceleratorReading((), None, ())


def test_a_count_mark_is_read_off_the_accelerator(catalog: Catalog) -> None:
    assert catalog.accelerators("AMD Instinct MI355X 288GB HBM3e (x87)") == AcceleratorReading(
        ("mi355x",), 87, ()
    )


def test_a_mixed_system_lists_its_parts_and_adds_up_their_marks(catalog: Catalog) -> None:
    three = "AMD Instinct MI300X 192GB HBM3 (x8) and AMD Instinct MI325X 256GB HBM3e (x8) and AMD Instinct MI355X (x8)"
    nodes = "AMD Instinct MI300X 192GB HBM3 (x2x8) and AMD Instinct MI355X 288GB HBM3e (x2x8)"
    bare = "NVIDIA H200-SXM-141GB + AMD Instinct MI350X 288GB HBM3e"
    assert catalog.accelerators(three) == AcceleratorReading(("mi300x", "mi325x", "mi355x"), 24, ())
    assert catalog.accelerators(nodes) == AcceleratorReading(("mi300x", "mi355x"), 32, ())
    assert catalog.accelerators(bare) == AcceleratorReading(("h200", "mi350x"), None, ())


def test_an_unknown_part_of_a_mixed_system_stays_as_published(catalog: Catalog) -> None:
    assert catalog.accelerators("NVIDIA B200 (x4), Quantum Q1 (x2)") == AcceleratorReading(
        ("b200", "Quantum Q1"), 6, ("Quantum Q1",)
    )


def test_a_rack_is_a_system_at_exactly_its_count(catalog: Catalog) -> None:
    counts = (4, 8, 36, 64, 72, 288)
    assert [catalog.system("gb300", n) for n in counts] == [None, None, None, None, "gb300-nvl72", None]
    assert catalog.system("vera-rubin", 72) == "vera-rubin-nvl72"
    assert catalog.system("vera-rubin", 36) is None
    assert catalog.system("b200", 8) is None  # HGX B200 is a name people use, but a row cannot prove it
    assert catalog.system(None, 72) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("GB300 NVL72", "gb300-nvl72"),
        ("gb300_nvl72", "gb300-nvl72"),
        ("VR200 NVL72", "vera-rubin-nvl72"),
        ("Vera Rubin NVL72", "vera-rubin-nvl72"),
        ("HGX B300", "hgx-b300"),
        ("DGX B200", "hgx-b200"),
        ("GB300 NVL8", None),
    ],
)
def test_a_system_is_found_as_people_write_it(catalog: Catalog, text: str, name: str | None) -> None:
    assert catalog.find("system", text) == name


# ------------------------------------------------------------------------------------------ benchmarks, units


@pytest.mark.parametrize(
    ("published", "expected"),
    [
        ("llama2-70b-99.9", BenchmarkName("llama2-70b", "99.9")),
        ("llama2-70b-99", BenchmarkName("llama2-70b", "99")),
        ("llama2-70b-interactive-99.9", BenchmarkName("llama2-70b", "99.9", "Interactive")),
        ("llama3_1-8b", BenchmarkName("llama3.1-8b")),
        ("llama3.1-8b-edge", BenchmarkName("llama3.1-8b")),
        ("resnet", BenchmarkName("resnet50")),
        ("VLM", BenchmarkName("qwen3-vl-235b-a22b")),
        ("text_to_video", BenchmarkName("wan-2.2-t2v-a14b")),
        ("agentic edge", BenchmarkName("qwen3.6-27b")),
        ("end to end question-answering", BenchmarkName("e2e-rag-qna")),
        ("yolo-95", BenchmarkName("yolo", "95")),
        ("dlrm-v2-99.9", BenchmarkName("dlrm-v2", "99.9")),
        ("dlrm-v3", BenchmarkName("dlrm-v3")),
        ("Llama 2 70B", BenchmarkName("llama2-70b")),
        ("DeepSeek R1", BenchmarkName("deepseek-r1")),
        ("GPT-OSS 120B", BenchmarkName("gpt-oss-120b")),
        ("Qwen3 VL", BenchmarkName("qwen3-vl-235b-a22b")),
        ("new-model-99.9", BenchmarkName("new-model-99.9", known=False)),
    ],
)
def test_a_published_benchmark_means_one_name(
    catalog: Catalog, published: str, expected: BenchmarkName
) -> None:
    assert catalog.benchmark(published) == expected


def test_one_spelling_means_another_benchmark_in_another_suite(catalog: Catalog) -> None:
    found = [
        catalog.benchmark(n, s).name for n, s in (("bert", "inference"), ("bert", "training"), ("ad", "tiny"))
    ]
    assert found == ["bert", "train-bert", "anomaly-detection"]
    assert catalog.benchmark("llama31_405b", "training").name == "train-llama3.1-405b"
    assert catalog.find("benchmark", "Llama 2 70B LoRA") == "train-llama2-70b-lora"


@pytest.mark.parametrize(
    ("published", "benchmark", "scenario", "round_", "unit"),
    [
        ("Tokens/s", "deepseek-r1", "Server", "v6.1", Unit("tokens/s", "higher")),
        ("Latency (ms)", "resnet50", "SingleStream", "v5.1", Unit("ms", "lower")),
        ("Latency (s)", "wan-2.2-t2v-a14b", "SingleStream", "v6.0", Unit("s", "lower")),
        ("Samples/s", "whisper", "Offline", "v6.0", Unit("tokens/s", "higher")),
        ("Samples/s", "whisper", "Offline", "v9.0", Unit("samples/s", "higher")),
        ("Queries/s", "llama3.1-8b", "Interactive", "v5.1", Unit("tokens/s", "higher")),
        ("Queries/s", "llama3.1-8b", "Interactive", "v6.0", Unit("queries/s", "higher")),
        ("Queries/s", "llama3.1-8b", "Server", "v5.1", Unit("queries/s", "higher")),
        ("Frames/s", "yolo", "Offline", "v6.0", Unit("Frames/s", "higher")),
        ("Latency (weeks)", "yolo", "Offline", "v6.0", Unit("Latency (weeks)", "lower")),
        ("Blinks", "yolo", "SingleStream", "v6.0", Unit("Blinks", "lower")),
    ],
)
def test_a_unit_has_our_spelling_its_direction_and_known_errors_corrected(
    catalog: Catalog, published: str, benchmark: str, scenario: str, round_: str, unit: Unit
) -> None:
    assert catalog.unit(published, benchmark, scenario, round_, "inference") == unit


# ------------------------------------------------------------------------------------------ organisations, words


@pytest.mark.parametrize(
    ("submitter", "organisations"),
    [
        ("Dell_MangoBoost", ("Dell", "MangoBoost")),
        ("RedHat_Supermicro", ("RedHat", "Supermicro")),
        ("Supermicro_RedHat", ("RedHat", "Supermicro")),
        ("ORACLE", ("Oracle",)),
        ("Quanta_Cloud_Technology", ("Quanta_Cloud_Technology",)),
        ("Intel_Quanta_Cloud_Technology", ("Intel", "Quanta_Cloud_Technology")),
        ("IBM+CoreWeave+NVIDIA", ("CoreWeave", "IBM", "NVIDIA")),
        ("IBM+Nobody Yet", ("IBM", "Nobody Yet")),
        ("Datacrunch", ("Verda",)),
        ("krai", ("Krai",)),
        ("QCT", ("Quanta_Cloud_Technology",)),
        ("Naeem Khoshnevis", ("Naeem Khoshnevis",)),
        ("Unheard_Of_Labs", ("Unheard_Of_Labs",)),
        ("NVIDIA_Unheard", ("NVIDIA_Unheard",)),
    ],
)
def test_a_submitter_gives_its_organisations(
    catalog: Catalog, submitter: str, organisations: tuple[str, ...]
) -> None:
    assert catalog.organisations(submitter) == organisations


def test_software_is_named_in_order_and_the_longer_name_wins(catalog: Catalog) -> None:
    text = "TensorRT 10.14, CUDA 13.1, TRTLLM-rubin, vLLM-CentML:q3vl, NVIDIA-dynamo, unheardOf 2.0, vllm 0.9"
    assert catalog.software(text) == ("tensorrt", "cuda", "tensorrt-llm", "vllm", "dynamo")
    assert catalog.software("a plain sentence") == ()


def test_every_number_format_named_is_read(catalog: Catalog) -> None:
    assert catalog.precision("NVFP4 weights; FP8 KV cache") == ("nvfp4", "fp8")
    assert catalog.precision("BF16/F32/F8_E4M3/U8") == ("bf16", "fp32", "fp8", "uint8")
    assert catalog.precision("{'clip1': 'fp16', 'unet': 'int8'}") == ("fp16", "int8")


def test_letters_that_only_look_alike_name_nothing_and_break_nothing(catalog: Catalog) -> None:
    assert (
        catalog.software("openv\u0131no") == ()
    )  # a dotless i matches "i" in patterns, but is another letter


@pytest.mark.parametrize("text", ["server", "SERVER", "Server "])
def test_a_lower_case_scenario_is_the_same_scenario(catalog: Catalog, text: str) -> None:
    assert catalog.scenario(text) == "Server"


def test_scenarios_and_formats_may_be_written_apart(catalog: Catalog) -> None:
    assert [catalog.scenario(t) for t in ("single stream", "multi-stream", "BatchStream")] == [
        "SingleStream",
        "MultiStream",
        None,
    ]


def test_what_a_task_was_called_is_known_apart_from_models(catalog: Catalog) -> None:
    assert [catalog.is_task(n) for n in ("VLM", "text_to_video", "qwen3-vl-235b-a22b")] == [True, True, False]


# ------------------------------------------------------------------------------------------ kinds, history, rounds


def test_every_kind_lists_names_that_find_themselves(catalog: Catalog) -> None:
    lost = [(k, n) for k in KINDS for n in catalog.names(k) if catalog.find(k, n) != n]
    assert lost == []


def test_every_entry_s_spellings_find_it(catalog: Catalog) -> None:
    lost = [
        (kind, text)
        for kind in KINDS
        if kind not in {"benchmark", "round"}
        for name in catalog.names(kind)
        for text in (catalog.entry(kind, name).title, *catalog.entry(kind, name).aliases)
        if catalog.find(kind, text) != name
    ]
    assert lost == []


def test_entries_refer_to_entries_that_exist(catalog: Catalog) -> None:
    for name in catalog.names("system"):
        assert catalog.entry("system", name).accelerator in catalog.names("accelerator")
    for kind in ("accelerator", "system", "benchmark", "submitter"):
        seen = {catalog.entry(kind, name).seen for name in catalog.names(kind)} - {None}
        assert {catalog.find("round", str(r)) for r in seen} == seen, kind
    for name in catalog.names("benchmark"):
        assert set(catalog.entry("benchmark", name).suites) <= set(catalog.names("suite"))


def test_an_entry_says_how_people_write_it_and_who_makes_it(catalog: Catalog) -> None:
    rack = catalog.entry("system", "vera-rubin-nvl72")
    assert (rack.title, rack.accelerator, rack.count) == ("Vera Rubin NVL72", "vera-rubin", 72)
    assert catalog.entry("accelerator", "mi355x").vendor == "AMD"
    assert catalog.entry("benchmark", "deepseek-r1").title == "DeepSeek-R1"


def test_a_wrong_name_gets_the_nearest_right_one(catalog: Catalog) -> None:
    pairs = [
        ("accelerator", "vera-rubbin"),
        ("benchmark", "deepseek-r2"),
        ("submitter", "Nvida"),
        ("round", "v6.2"),
    ]
    assert [catalog.suggest(*pair) for pair in pairs] == ["vera-rubin", "deepseek-r1", "NVIDIA", "v6.1"]
    assert catalog.suggest("accelerator", "xyzzyxyzzy") is None
    with pytest.raises(CatalogError, match="did you mean 'vera-rubin'"):
        catalog.entry("accelerator", "vera-rubbin")
    with pytest.raises(CatalogError, match="no kind of name 'accelerater'"):
        catalog.names("accelerater")


def test_the_beginning_of_a_name_suggests_the_first_that_goes_on_like_it(catalog: Catalog) -> None:
    words = (("benchmark", "deepseek"), ("accelerator", "b30"), ("scenario", "Serv"), ("submitter", "super"))

    assert [catalog.suggest(*pair) for pair in words] == ["deepseek-r1", "b300", "Server", "Supermicro"]


@pytest.mark.parametrize(
    ("word", "suites", "meant"),
    [
        ("deepsek", ("inference",), "deepseek-r1"),
        ("deepsek", ("training",), "train-deepseek-v3-671b"),
        ("lama-70b", ("inference",), "llama2-70b"),
        ("lama", ("inference",), "llama3.1-8b"),
        ("whsper", ("inference",), "whisper"),
        ("qwen3vl", ("inference",), "qwen3-vl-235b-a22b"),
    ],
)
def test_a_wrong_word_means_the_nearest_beginning_in_the_suite_asked_about(
    catalog: Catalog, word: str, suites: tuple[str, ...], meant: str
) -> None:
    assert catalog.suggest("benchmark", word, suites) == meant


def test_nobody_is_new_who_is_not(catalog: Catalog) -> None:
    before_v61 = {
        n: catalog.known("submitter", n, before="v6.1") for n in ("TTA", "Wiwynn", "SCITIX", "Crusoe")
    }
    assert before_v61 == {"TTA": True, "Wiwynn": True, "SCITIX": True, "Crusoe": False}
    assert catalog.known("submitter", "Crusoe")
    assert not catalog.known("submitter", "Somebody Else")
    assert catalog.known("submitter", "RedHat_Intel", before="v6.1")
    assert not catalog.known("submitter", "Dell_Crusoe", before="v6.1")


def test_an_accelerator_is_known_from_its_first_round_on(catalog: Catalog) -> None:
    assert not catalog.known("accelerator", "NVIDIA VR200", before="v6.1")
    assert catalog.known("accelerator", "NVIDIA VR200", before="v7.0")  # not published yet: newer than all
    assert catalog.known("accelerator", "AMD Instinct MI300X (x8) and NVIDIA H100 (x8)", before="v5.1")
    assert not catalog.known("accelerator", "MI455X")  # announced, never published


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("v6.1", "v6.1"),
        ("6.1", "v6.1"),
        ("inference-v6.1", "v6.1"),
        ("MLPerf Inference v6.1", "v6.1"),
        ("training-v5.1", "training-v5.1"),
        ("Training v5.1", "training-v5.1"),
        ("v9.9", None),
        ("cooking-v1.0", None),
        ("soon", None),
    ],
)
def test_a_round_carries_its_suite_and_bare_means_inference(
    catalog: Catalog, text: str, name: str | None
) -> None:
    assert catalog.find("round", text) == name


def test_the_calendar_says_when_and_how_sure_it_is(catalog: Catalog) -> None:
    rounds = {r.full_name: r for r in catalog.rounds()}
    assert (rounds["v5.1"].published_on, rounds["v5.1"].confirmed) == (date(2025, 9, 9), True)
    assert (rounds["v6.1"].source, rounds["v6.1"].confirmed) == ("second-hand", False)
    assert rounds["v6.0"].publication_at == datetime(
        2026, 4, 1, 15, 0, tzinfo=UTC
    )  # 08:00 in California, summer
    assert rounds["training-v5.1"].publication_at == datetime(2025, 11, 12, 16, 0, tzinfo=UTC)  # winter
    assert rounds["v7.0"].published_on is None


def test_rounds_of_a_suite_stand_in_the_order_of_their_days(catalog: Catalog) -> None:
    for one, other in pairwise(catalog.rounds()):
        if one.suite == other.suite:
            assert (one.published_on or one.expected) < (other.published_on or other.expected)


# ------------------------------------------------------------------------------------------ a user's own files


def test_a_user_s_files_add_names_and_spellings(tmp_path: Path) -> None:
    (tmp_path / "submitters.yaml").write_text("NVIDIA: {aliases: [Team Green]}\nFir Labs: {seen: v6.1}\n")
    (tmp_path / "systems.yaml").write_text("fir-rack: {accelerator: gb300, count: 36}\n")
    (tmp_path / "units.yaml").write_text("units: {frames/s: {better: higher, aliases: [FPS]}}\n")
    (tmp_path / "rounds.yaml").write_text(
        "- {suite: inference, name: v7.0, published_on: 2027-04-07, source: plan}\n"
    )
    mine = load(tmp_path)
    assert mine.organisations("team_green_Fir_Labs") == ("Fir Labs", "NVIDIA")
    assert mine.organisations("NVIDIA Corporation") == ("NVIDIA",)
    assert mine.system("gb300", 36) == "fir-rack"
    assert mine.unit("fps", "yolo", "Offline", "v6.0", "inference") == Unit("frames/s", "higher")
    assert mine.entry("round", "v7.0").seen == "v7.0"
    assert load().organisations("Team Green") == ("Team Green",)


def test_a_user_s_entry_wins_over_ours(tmp_path: Path) -> None:
    (tmp_path / "accelerators.yaml").write_text("vr200: {title: VR200, vendor: NVIDIA, seen: v6.1}\n")
    mine = load(tmp_path)
    assert (mine.accelerator("NVIDIA VR200"), mine.accelerator("NVIDIA Vera Rubin")) == (
        "vr200",
        "vera-rubin",
    )


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("acelerators.yaml", "", r"acelerators\.yaml: not a catalog file"),
        ("submitters.yaml", "Fir: {alias: [F]}\n", r"submitters\.yaml:1: entry 'Fir': unknown key 'alias'"),
        (
            "submitters.yaml",
            "Elm: {}\nFir: {aliases: F}\n",
            r"submitters\.yaml:2: entry 'Fir': aliases must be a list",
        ),
        ("submitters.yaml", "Fir: {title: 3}\n", r"entry 'Fir': title must be text, not 3"),
        ("submitters.yaml", "Fir: 3\n", r"submitters\.yaml:1: entry 'Fir' must be a mapping"),
        ("submitters.yaml", "1: {}\n", r"submitters\.yaml:1: the name 1 is not text"),
        ("submitters.yaml", "[Fir]\n", r"submitters\.yaml:1: the file must hold a mapping"),
        ("submitters.yaml", "Fir: [\n", r"submitters\.yaml: not readable as YAML"),
        (
            "submitters.yaml",
            "Fir: {aliases: [X1]}\nElm: {aliases: [x 1]}\n",
            r"'Fir' and 'Elm' share the spelling 'x 1'",
        ),
        (
            "systems.yaml",
            "fir-rack: {accelerator: gb300}\n",
            r"entry 'fir-rack' needs an accelerator and a count",
        ),
        ("systems.yaml", "fir-rack: {accelerator: gb300, count: true}\n", r"count must be a whole number"),
        ("vocabulary.yaml", "colour: {}\n", r"vocabulary\.yaml:1: unknown kind 'colour'"),
        (
            "units.yaml",
            "units: {parsecs: {better: yes}}\n",
            r"unit 'parsecs': better must be higher or lower",
        ),
        ("units.yaml", "corrections: [{suite: inference}]\n", r"needs the keys benchmark, published"),
        (
            "units.yaml",
            "corrections: [{suite: tiny, benchmark: ad, rounds: [v1.2], published: X, unit: Y}]\n",
            r"no unit 'Y'",
        ),
        ("rounds.yaml", "- {name: v7.0}\n", r"is not a round; it needs at least suite and name"),
        (
            "rounds.yaml",
            "- {suite: inference, name: v7.0, expected: soon}\n",
            r"'v7\.0': expected must be a date",
        ),
        (
            "rounds.yaml",
            "- {suite: inference, name: v7.0, when: 1}\n",
            r"'v7\.0': unknown or missing keys: \['when'\]",
        ),
    ],
)
def test_a_wrong_catalog_file_is_named_with_its_entry(
    tmp_path: Path, file: str, text: str, message: str
) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(CatalogError, match=message):
        Catalog(tmp_path)


def test_a_missing_catalog_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no such folder"):
        Catalog(tmp_path / "gone")


# ------------------------------------------------------------------------------------------ the real tables


def test_every_accelerator_of_the_real_tables_resolves(
    catalog: Catalog, real_rows: list[dict[str, object]]
) -> None:
    published = words(real_rows, "Accelerator", "accelerator_model_name")
    assert len(published) > 50
    assert {p: catalog.accelerators(p).unknown for p in published if catalog.accelerators(p).unknown} == {}


def test_every_submitter_of_the_real_tables_is_made_of_known_organisations(
    catalog: Catalog, real_rows: list[dict[str, object]]
) -> None:
    published = words(real_rows, "Submitter", "Organization")
    organisations = {o for p in published for o in catalog.organisations(p)}
    assert organisations <= set(catalog.names("submitter"))
    assert {o for o in organisations if not catalog.known("submitter", o)} == {"MLCommons"}  # its own CI runs


def test_every_benchmark_of_the_real_tables_resolves(
    catalog: Catalog, real_rows: list[dict[str, object]]
) -> None:
    unknown = set()
    for row in real_rows:
        suite = "automotive" if row.get("Suite") == "adas" else "inference"
        column = str(row.get("MlperfModel") or row["Model"])
        submitted = str(row.get("UsedModel") or row["Model"])
        closed = "closed" in {row.get("Category"), row.get("Division")}
        unknown |= {
            n for n in (column, submitted if closed else column) if not catalog.benchmark(n, suite).known
        }
    assert unknown == set()


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("scenario", ("Scenario",)),
        ("division", ("Category", "Division")),
        ("availability", ("Availability",)),
        ("round", ("version",)),
    ],
)
def test_every_word_of_the_small_vocabularies_resolves(
    catalog: Catalog, real_rows: list[dict[str, object]], kind: str, columns: tuple[str, ...]
) -> None:
    assert [w for w in words(real_rows, *columns) if catalog.find(kind, w) is None] == []


def test_every_system_type_and_unit_of_the_real_tables_resolves(
    catalog: Catalog, real_rows: list[dict[str, object]]
) -> None:
    types = {part for cell in words(real_rows, "Suite", "SystemType") for part in cell.split(",")}
    assert [t for t in types if catalog.find("system_type", t) is None] == []
    units = words(real_rows, "Performance_Units", "Units")
    ours = {catalog.unit(u, "any", "Offline", "v6.0", "inference").name for u in units}
    assert ours == {"tokens/s", "samples/s", "queries/s", "tasks/s", "ms", "s"}


def test_every_declaration_of_software_and_precision_names_something(
    catalog: Catalog, real_rows: list[dict[str, object]]
) -> None:
    software = words(real_rows, "Software", "framework")
    assert {s for s in software if not catalog.software(s)} == SOFTWARE_WITHOUT_A_NAME
    assert {
        p for p in words(real_rows, "weight_data_types") if not catalog.precision(p)
    } == PRECISION_WITHOUT_A_NAME


def test_the_new_names_of_v6_1_are_the_ones_that_are_new(
    catalog: Catalog, real_rows: list[dict[str, object]]
) -> None:
    rows = [row for row in real_rows if row["version"] == "v6.1"]
    submitters = {s for s in words(rows, "Organization") if not catalog.known("submitter", s, before="v6.1")}
    accelerators = {
        n
        for a in words(rows, "accelerator_model_name")
        for n in catalog.accelerators(a).names
        if not catalog.known("accelerator", n, before="v6.1")
    }
    assert submitters == {"Atlas_Inference", "Crusoe", "Naeem Khoshnevis", "Orrick Industries LLC", "VibeHPC"}
    assert accelerators == {"vera-rubin", "mi350p", "radeon-8060s"}
