from __future__ import annotations

import re

from tests.figure_rows import catalog, latency, real_results, row
from watcher.domain import NotComparable, Power
from watcher.figures import compare, gains, parse_system, power, power_limits, records, scaling
from watcher.render.tables import (
    comparisons_text,
    gains_text,
    power_text,
    records_text,
    results_text,
    scaling_text,
)


def bold(word, text):
    """Whether a word stands in bold; the padding before it may be bold too."""
    return re.search(rf"\x1b\[1m *{re.escape(word)}", text) is not None


def compared(results, subject="vera-rubin", baseline="gb300"):
    return compare(results, parse_system(subject, catalog()), parse_system(baseline, catalog()))


def rubin(**changes):
    return row(**{"accelerator": "vera-rubin", "platform": "VR", "value": 1440.0, **changes})


def test_a_comparison_is_aligned_with_its_unit_and_systems_in_the_header():
    found, _ = compared(
        [row(), rubin(), row(scenario="Server", value=700.0), rubin(scenario="Server", value=2100.0)]
    )
    assert comparisons_text(found).split("\n\n")[0] == (
        "deepseek-r1, tokens/s, closed, datacenter\n"
        "scenario  NVIDIA vera-rubin x72 v6.1  NVIDIA gb300-nvl72 v6.1  ratio   each\n"
        "Offline                        1,440                    720.0  2.00x  2.00x\n"
        "Server                         2,100                    700.0  3.00x  3.00x"
    )


def test_a_side_that_changes_is_named_in_each_line():
    found, _ = compared([row(), rubin(), row(scenario="Server", submitter="Azure"), rubin(scenario="Server")])
    text = comparisons_text(found)
    assert "baseline" in text
    assert "NVIDIA gb300-nvl72 v6.1" in text
    assert "Azure gb300-nvl72 v6.1" in text


def test_a_scenario_in_another_unit_names_its_own():
    server = {"scenario": "Server", "unit": "queries/s"}
    found, _ = compared(
        [
            row(unit="samples/s"),
            rubin(unit="samples/s"),
            row(**server),
            rubin(**server),
            *(r(**{**server, "scenario": "Interactive"}) for r in (row, rubin)),
        ]
    )
    text = comparisons_text(found)
    assert "deepseek-r1, queries/s, closed, datacenter" in text
    assert "Offline (samples/s)" in text


def test_differing_stacks_cautions_and_gaps_stand_under_the_table():
    mine = rubin(software_published="vLLM 0.22", availability="preview", precision=("fp8",))
    refused = [
        NotComparable(benchmark="bert", scenario=s, reason="no baseline row", accuracy_target="99")
        for s in ("Offline", "Server")
    ]
    text = comparisons_text(compared([row(), mine])[0], refused)
    assert "The sides differ in availability, precision, software:" in text
    assert "  NVIDIA vera-rubin x72 v6.1: preview; vLLM 0.22; fp8\n" in text
    assert "  NVIDIA gb300-nvl72 v6.1: available; TensorRT-LLM 1.2; fp4\n" in text
    assert "Handle with care:\n  Preview against available\n" in text
    assert text.endswith("Not comparable:\n  no baseline row: bert 99 Offline, Server\n")


def test_nothing_that_compares_says_so_and_why():
    assert comparisons_text(*compared([row()])) == (
        "Nothing can be compared.\n"
        "Not comparable:\n"
        "  no subject row in any round (newest of the baseline: v6.1): deepseek-r1 Offline\n"
    )


def test_a_terminal_gets_the_best_in_bold_and_a_pipe_gets_no_escapes():
    found, _ = compared([row(), rubin(), row(scenario="Server"), rubin(scenario="Server", value=2160.0)])
    styled = comparisons_text(found, terminal=True)
    assert (bold("3.00x", styled), bold("2.00x", styled)) == (True, False)
    assert "\x1b" not in comparisons_text(found)


def test_a_published_escape_sequence_does_not_reach_the_terminal():
    hostile = rubin(submitter="\x1b[2JEvil\x07", software_published="[bold]not markup[/]\x1b]0;x\x07")
    text = comparisons_text(compared([row(), hostile])[0])
    assert ("\x1b" in text, "\x07" in text, "[bold]not markup[/]" in text) == (False, False, True)


def test_results_come_best_first_and_the_shortest_latency_is_the_best():
    rows = [
        row(platform="b"),
        row(submitter="Azure", value=900.0),
        latency(value=9.0),
        latency(submitter="Oracle", value=3.0),
    ]
    text = results_text(rows, terminal=True)
    latencies, throughputs = text.split(" ms")[1], text.split("tokens/s each")[1]
    assert latencies.index("Oracle") < latencies.index("NVIDIA")
    assert throughputs.index("Azure") < throughputs.index("NVIDIA")
    assert [value for value in ("3.000", "9.000", "900.0", "720.0") if bold(value, text)] == [
        "3.000",
        "900.0",
    ]
    assert text.endswith("4 results\n")


def test_latencies_have_no_column_per_accelerator():
    assert results_text([latency()]).splitlines()[1].split()[-1] == "ms"


def test_a_row_without_a_count_shows_a_dash():
    text = results_text([row(accelerator=None, accelerator_count=None, value=12.5)])
    (line,) = [line for line in text.splitlines() if line.startswith("Offline")]
    assert line.split() == ["Offline", "NVIDIA", "cpu", "–", "v6.1", "closed", "available", "12.50"]


def test_scaling_shows_efficiency_what_is_lost_and_the_quoted_pair():
    text = scaling_text(scaling([row(), row(accelerator_count=288, platform="racks", value=2592.0)]))
    (line,) = [line for line in text.splitlines() if line.startswith("Offline")]
    assert line.split(maxsplit=4) == [
        "Offline",
        "72",
        "→",
        "288",
        "720.0   2,592.0      90.0 %  28.8  quoted",
    ]
    assert "deepseek-r1: NVIDIA gb300 v6.1, closed" in text


def test_gains_of_the_same_system_and_per_accelerator_stand_apart():
    rows = [
        row(round="v6.0", value=600.0),
        row(),
        row(round="v6.0", accelerator_count=8, platform="x8", value=64.0),
    ]
    text = gains_text(gains(rows, "v6.0", "v6.1"))
    same, each = (
        text.index("Gains, same system, tokens/s"),
        text.index("Gains, per accelerator, at another count, tokens/s each"),
    )
    assert same < text.index("1.20x") < each < text.index("1.25x")
    assert "gb300 x8 → gb300-nvl72" in text


def test_records_say_since_when_they_are_the_best():
    text = records_text(records([row(round="v6.0", value=600.0), row()]))
    assert "Best since v6.0, absolute, tokens/s" in text
    assert "Best since v6.0, per accelerator, tokens/s" in text
    assert "NVIDIA v6.0" in text


def test_power_says_its_kind_and_that_nothing_was_measured():
    design = [row(power=(Power("design", 1000.0, "Watts"),))]
    limits = [
        row(accelerator_power_limit_watts=1400.0),
        row(platform="b", accelerator_power_limit_watts=1400.0),
    ]
    text = power_text(power(design), power_limits(limits))
    assert "Design power, tokens/s per W, higher is better" in text
    assert "No row has measured power.\n" in text
    assert text.endswith(
        "Limits of one accelerator, by the notes; configured, not measured:\n  gb300: 1,400 W (NVIDIA v6.1: 2 rows)\n"
    )
    assert "No row has measured power." not in power_text(
        power([row(power=(Power("measured", 10.0, "Watts"),))])
    )


def test_what_is_missing_in_the_open_division_is_not_taken_for_the_closed_one():
    cells = [
        NotComparable(
            benchmark="bert", scenario="Server", reason="no subject row", division="open", system_type="edge"
        ),
        NotComparable(benchmark="bert", scenario="Offline", reason="no subject row", division="closed"),
    ]

    text = comparisons_text((), cells)

    assert text.endswith("Not comparable:\n  no subject row: bert (open, edge) Server; bert Offline\n")


def test_energy_a_query_stands_once_and_is_not_called_power():
    streams = [row(scenario="SingleStream", unit="ms", better="lower", power=(Power("measured", 9.0, "mJ"),))]

    header = power_text(power(streams)).splitlines()[:2]

    assert header[0] == "Measured energy, mJ, lower is better"
    assert header[1].split() == ["benchmark", "scenario", "submitter", "system", "round", "mJ"]


def test_a_limit_of_one_row_is_counted_as_one_row():
    assert "(NVIDIA v6.1: 1 row)\n" in power_text(
        (), power_limits([row(accelerator_power_limit_watts=1400.0)])
    )


def test_nothing_found_is_one_plain_sentence():
    told = [make(()) for make in (results_text, scaling_text, gains_text, records_text)]
    assert [text.count("\n") for text in told] == [1, 1, 1, 1]


def test_many_cautions_are_counted_not_listed():
    rows = [
        row(scenario=s, submitter=f"S{i}", platform=f"P{i}-NVL72", accelerator_count=36)
        for i in range(20)
        for s in ("Offline",)
    ]
    big = [
        row(scenario=r.scenario, submitter=r.submitter, platform=f"{r.platform}-2", accelerator_count=71)
        for r in rows
    ]
    assert "  … and 28 more (--json lists them all)\n" in scaling_text(scaling([*rows, *big]))


def test_real_tables_are_shown_whole(real):
    results = real_results(real, "v6.1")
    text = results_text(results)
    assert text.endswith("492 results\n")
    assert (
        sum(
            line.split()[0] in {"Offline", "Server", "Interactive", "SingleStream", "MultiStream"}
            for line in text.splitlines()
            if line
        )
        == 492
    )
    assert "2,300 W (NVIDIA v6.1: 6 rows, Nebius v6.1: 2 rows)" in power_text((), power_limits(results))
