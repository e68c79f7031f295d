"""The brief of a round. What it says of v6.1 is computed here anew from the archive's own columns, without the product."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections import Counter, defaultdict
from datetime import UTC, date, datetime
from functools import cache
from statistics import median
from typing import Any

import pytest
from msgspec.structs import replace

from tests.figure_rows import REAL_TABLES, catalog
from tests.rows import row
from watcher import archive
from watcher.domain import CheckedClaim, Claim, Evidence, Result, Verdict
from watcher.errors import UsageError
from watcher.figures import Filter
from watcher.figures.brief import Brief, brief
from watcher.parse import read_table
from watcher.render.brief import (
    attendance_words,
    brief_notification,
    care_words,
    follow_up_notification,
    sections,
    summary,
    title,
)
from watcher.render.brief_flagships import flagship_sections
from watcher.render.brief_page import brief_html
from watcher.render.brief_parts import worth_knowing
from watcher.render.sections import sections_markdown, sections_text

AT = datetime(2026, 9, 16, 15, 10, tzinfo=UTC)
ROUNDS = ("v5.1", "v6.0", "v6.1")
VR, GB = "VR-NVL72_VR-288GB_aarch64x72_TRT", "GB300-NVL72_GB300-288GB_aarch64x72_TRT"
Line = dict[str, str]


@cache
def lines(round_name: str) -> tuple[Line, ...]:
    """The archive's lines as they are written, read by the standard library alone."""
    packed = (archive.FOLDER / f"inference_{round_name}.csv.gz").read_bytes()
    return tuple(csv.DictReader(io.StringIO(gzip.decompress(packed).decode())))


@cache
def held() -> tuple[Result, ...]:
    return tuple(row for name in ROUNDS for row in archive.load("inference", name).results)


@cache
def v61() -> Brief:
    return brief(held(), "inference", "v6.1", catalog())


def page(made: Brief) -> str:
    """All that the page says, as text."""
    return sections_text(sections(made), title=title(made), summary=summary(made))


def said(made: Brief, heading: str) -> str:
    """What stands under one heading, paragraphs and bullets."""
    parts = [part for part in sections(made) if part.heading == heading]
    return "\n".join(text for part in parts for text in (*part.paragraphs, *part.bullets))


def value(platform: str, benchmark: str, scenario: str, submitter: str = "NVIDIA") -> float:
    (found,) = [
        float(line["value"])
        for line in lines("v6.1")
        if (line["platform"], line["submitter"], line["scenario"]) == (platform, submitter, scenario)
        and line["benchmark_published"] == benchmark
    ]
    return found


# ------------------------------------------------------------------------------------------------ counts


def test_the_counts_of_v61_are_those_of_the_table():
    now, before = lines("v6.1"), lines("v6.0")
    kinds = Counter(f"{line['division']} {line['system_type']}" for line in now)
    made = v61()

    assert (made.results.now, made.results.before) == (len(now), len(before)) == (492, 520)
    assert (made.submitters.now, made.submitters.before) == (
        len({line["submitter"] for line in now}),
        len({line["submitter"] for line in before}),
    )
    assert {one.name: one.now for one in made.kinds} == dict(kinds)
    assert summary(made) == "492 results (v6.0: 520) by 33 submitter entries (25)"
    assert "Closed datacenter 457, closed edge 19, open 16." in said(made, "In one minute")


def test_no_line_of_the_page_stands_there_twice():
    lines = [line for line in page(v61()).splitlines() if "submitter entries" in line]

    assert [line for line in lines if "492 results" in line] == [summary(v61())]
    assert said(v61(), "In one minute").startswith("30 organisations (24).")


def test_the_previews_of_v61_are_all_vera_rubin():
    previews = [line for line in lines("v6.1") if line["availability"] == "preview"]
    names = {line["accelerator_published"] for line in previews}

    assert (len(previews), names) == (8, {"NVIDIA Vera Rubin", "NVIDIA VR200"})
    assert len(v61().previews) == 8
    assert "Preview: 8 rows, all Vera Rubin (NVIDIA and Nebius)." in said(v61(), "In one minute")


def test_no_row_of_v61_has_measured_power_and_those_who_had_are_absent():
    rows = {name: sum("measured" in line["power"] for line in lines(name)) for name in ROUNDS}
    owners = {line["submitter"] for line in lines("v5.1") if "measured" in line["power"]}

    assert rows == {"v5.1": 24, "v6.0": 0, "v6.1": 0}
    assert not owners & {line["submitter"] for line in lines("v6.1")}
    assert said(v61(), "Power").startswith(
        "Measured power: none, as in v6.0; v5.1 had 24 rows, all by GATEOverflow and Lenovo, absent now."
    )
    assert "Vera Rubin 2,300 W" in said(v61(), "Power")


# ------------------------------------------------------------------------------------------------ flagships


def ratios() -> dict[tuple[str, str], float]:
    return {
        (benchmark, scenario): value(VR, benchmark, scenario) / value(GB, benchmark, scenario)
        for benchmark in ("deepseek-r1", "qwen3-vl-235b-a22b")
        for scenario in ("Offline", "Server", "Interactive")
    }


def test_vera_rubin_is_compared_with_gb300_in_all_six_cells_by_the_same_submitter_and_count():
    made = v61().generations[0]

    found = {(one.subject.benchmark, one.subject.scenario): one.ratio for one in made.comparisons}
    assert (made.flagship.accelerator, made.flagship.predecessor) == ("vera-rubin", "gb300")
    assert (made.submitter, made.count) == ("NVIDIA", 72)
    assert found == pytest.approx(ratios())
    assert {key[1]: round(told, 2) for key, told in found.items() if key[0].startswith("qwen")} == {
        "Offline": 1.83,
        "Server": 1.92,
        "Interactive": 3.74,
    }


def test_the_range_the_middle_and_the_one_cell_that_a_headline_quotes_are_told():
    told = sorted(ratios().values())
    text = "\n".join(text for part in flagship_sections(v61(), whole=True) for text in part.paragraphs)

    low, high = (f"{told[0]:.2f}x", f"{told[-1]:.2f}x")
    middle = f"{told[2]:.2f}x to {told[3]:.2f}x"
    assert f"{low} to {high} over six cells, the middle at {middle}. One cell of six exceeds 3x." in text
    assert sum(one > 3 for one in told) == 1


def test_what_each_keeps_of_its_server_rate_in_interactive_is_told():
    kept = {
        platform: value(platform, "qwen3-vl-235b-a22b", "Interactive")
        / value(platform, "qwen3-vl-235b-a22b", "Server")
        for platform in (GB, VR)
    }
    wanted = (
        f"GB300 keeps {100 * kept[GB]:.0f} % of its Qwen3-VL Server rate in Interactive, "
        f"Vera Rubin {100 * kept[VR]:.0f} %."
    )
    assert wanted == "GB300 keeps 29 % of its Qwen3-VL Server rate in Interactive, Vera Rubin 56 %."
    assert wanted in page(v61())


def test_anyones_best_gb300_of_72_is_the_one_with_the_most_in_each_scenario():
    best: dict[str, tuple[float, str]] = {}
    for line in lines("v6.1"):
        where = (line["benchmark"], line["division"], line["accelerator_count"])
        if where == ("deepseek-r1", "closed", "72") and "GB300" in line["accelerator_published"]:
            found = (float(line["value"]), line["submitter"])
            best[line["scenario"]] = max(best.get(line["scenario"], found), found)
    told = {
        scenario: f"{scenario} {value(VR, 'deepseek-r1', scenario) / most:.2f}x ({who})"
        for scenario, (most, who) in best.items()
    }
    assert set(told.values()) == {
        "Offline 1.72x (Nebius)",
        "Server 1.95x (Nebius)",
        "Interactive 2.51x (Azure)",
    }
    assert (
        f"Against anyone's best 72-accelerator GB300, DeepSeek-R1: {told['Offline']}, {told['Server']} and "
        f"{told['Interactive']}."
    ) in page(v61()).replace("\n", " ")


def test_the_half_rack_of_another_submitter_stands_beside_the_vendors_figures_per_accelerator():
    platform = "VR200-NVL72_aarch64x36"
    each = {
        scenario: (
            value(platform, "deepseek-r1", scenario, "Nebius") / 36,
            value(VR, "deepseek-r1", scenario) / 72,
        )
        for scenario in ("Offline", "Server")
    }
    assert (
        f"Also Nebius, 36 accelerators, DeepSeek-R1: Offline 558,803 tokens/s ({each['Offline'][0]:,.0f} each; NVIDIA "
        f"{each['Offline'][1]:,.0f}); Server 591,368 tokens/s ({each['Server'][0]:,.0f} each; NVIDIA {each['Server'][1]:,.0f})."
    ) in page(v61()).replace("\n", " ")


def test_a_flagship_is_the_accelerator_that_no_other_of_its_vendor_goes_before():
    old = [
        row(accelerator="mi350x", accelerators=("mi350x",), platform=f"old-{s}", scenario=s, value=900.0)
        for s in "abc"
    ]
    new = [
        row(accelerator="mi355x", accelerators=("mi355x",), platform=f"new-{s}", scenario=s, value=v)
        for s, v in zip("abc", (1000.0, 1000.0, 800.0), strict=True)
    ]
    card = [row(accelerator="mi350p", accelerators=("mi350p",), platform="card", scenario="a", value=500.0)]

    (ship,) = brief([*old, *new, *card], "inference", "v6.1", catalog()).flagships

    assert (ship.vendor, ship.accelerator, ship.predecessor) == ("AMD", "mi355x", "mi350x")


def test_without_common_cells_the_newer_accelerator_is_the_flagship():
    rows = [
        row(accelerator="h200", accelerators=("h200",), scenario="Server"),
        row(accelerator="gb300", accelerators=("gb300",), scenario="Offline"),
    ]
    (ship,) = brief(rows, "inference", "v6.1", catalog()).flagships

    assert ship.accelerator == "gb300"


# ------------------------------------------------------------------------------------------------ what stands out


def test_the_largest_deepseek_totals_are_crusoes_and_not_the_most_per_accelerator():
    rows = [
        line
        for line in lines("v6.1")
        if (line["benchmark"], line["division"], line["scenario"]) == ("deepseek-r1", "closed", "Offline")
    ]
    largest = max(rows, key=lambda line: float(line["value"]))
    each = float(largest["value"]) / 512
    share = each / (value(GB, "deepseek-r1", "Offline") / 72)

    assert (largest["submitter"], largest["accelerator_count"]) == ("Crusoe", "512")
    assert f"{each:,.0f}, {share:.2f}" == "5,668, 0.60"
    assert worth_knowing(v61())[0].startswith(
        "The largest DeepSeek-R1 totals are Crusoe's, with 512 MI355X: Offline 2,901,950 tokens/s (5,667.9 each, "
        "0.60 of NVIDIA's GB300 NVL72)"
    )


def test_eight_b300_spread_from_33415_to_70772_by_submitter():
    values = [
        float(line["value"])
        for line in lines("v6.1")
        if "B300" in line["accelerator_published"].upper().replace("GB300", "")
        and (line["benchmark"], line["division"], line["scenario"]) == ("deepseek-r1", "closed", "Server")
        and line["accelerator_count"] == "8"
    ]
    (found,) = [s for s in v61().spreads if (s.cell.benchmark, s.cell.scenario) == ("deepseek-r1", "Server")]

    assert (len(values), f"{min(values):,.0f}", f"{max(values):,.0f}") == (13, "33,415", "70,772")
    assert (found.rows, found.low.value, found.high.value) == (13, min(values), max(values))
    assert any(
        "33,415 to 70,772 tokens/s by submitter (13 rows, 2.12x" in text for text in worth_knowing(v61())
    )


def best_of(name: str) -> dict[tuple[str, str], float]:
    """The largest value of each closed datacenter cell of a round that has throughputs."""
    found: dict[tuple[str, str], float] = {}
    for line in lines(name):
        if (line["division"], line["system_type"]) != ("closed", "datacenter"):
            continue
        if not line["unit_published"].startswith("Latency"):
            key = (line["benchmark"], line["scenario"])
            found[key] = max(found.get(key, 0.0), float(line["value"]))
    return found


def test_the_records_beaten_in_total_are_the_cells_that_reach_more_than_any_round_before():
    now, older = best_of("v6.1"), [best_of("v5.1"), best_of("v6.0")]
    wanted = {
        cell
        for cell, top in now.items()
        if (had := [old[cell] for old in older if cell in old]) and top > max(had)
    }
    found = {
        (
            f"{one.best.benchmark}-{one.best.accuracy_target}"
            if one.best.accuracy_target
            else one.best.benchmark,
            one.best.scenario,
        )
        for one in v61().beaten
        if one.basis == "absolute" and one.best.system_type == ("datacenter",) and one.best.better == "higher"
    }
    assert found == wanted
    assert len(wanted) == 13


def test_what_was_not_reached_still_stands():
    cells = {(one.best.benchmark, one.best.scenario) for one in v61().standing if one.basis == "absolute"}
    now, before = best_of("v6.1"), best_of("v6.0")

    assert ("llama2-70b", "Server") in cells
    assert before["llama2-70b-99.9", "Server"] > now["llama2-70b-99.9", "Server"]


def test_a_gain_too_large_to_be_believed_is_set_apart():
    platform = "Dell_Pro_Max_GB10x1"
    one, other = (
        {
            line["scenario"].casefold(): float(line["value"])
            for line in lines(name)
            if line["platform"] == platform and line["benchmark_published"] == "yolo-99"
        }
        for name in ("v6.0", "v6.1")
    )
    (far,) = [span for span in v61().gains if span.far]

    assert far.high == pytest.approx(one["multistream"] / other["multistream"])
    assert f"{far.high:.1f}" == "46.5"
    assert 'Dell gb10 x1 v6.1: a "gain" of 44.1x to 46.5x on yolo since v6.0' in "\n".join(care_words(v61()))
    assert "45.02x" not in str(next(p for p in sections(v61()) if p.heading == "Gains and losses").grid)


def test_the_median_gain_of_the_same_system_is_that_of_the_tables():
    def by_key(name: str) -> dict[tuple[str, ...], float]:
        return {
            (
                line["division"],
                line["submitter"],
                line["platform"],
                line["benchmark"],
                line["scenario"],
            ): float(line["value"])
            for line in lines(name)
            if not line["unit_published"].startswith("Latency")
        }

    now, before = by_key("v6.1"), by_key("v6.0")
    wanted = [now[key] / before[key] for key in now.keys() & before.keys()]
    found = [
        gain.ratio
        for span in (*v61().gains, *v61().losses)
        for gain in span.gains
        if gain.after.better == "higher"
    ]
    assert median(found) == pytest.approx(median(wanted), rel=0.05)
    assert min(found) == pytest.approx(min(wanted))


# ------------------------------------------------------------------------------------------------ care


def test_two_submitters_with_one_value_are_named():
    values: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for line in lines("v6.1"):
        values[line["benchmark"], line["scenario"], line["value"]].add(line["submitter"])
    shared = {key[2]: names for key, names in values.items() if len(names) > 1 and len(key[2]) > 5}

    assert shared == {"516.012": {"Dell", "Quanta_Cloud_Technology"}}
    assert care_words(v61())[0] == "Dell and Quanta_Cloud_Technology publish the identical value 516.012"


def test_server_rows_above_their_offline_row_are_named():
    runs: defaultdict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for line in lines("v6.1"):
        if not line["unit_published"].startswith("Latency"):
            key = (line["division"], line["submitter"], line["platform"], line["benchmark"])
            runs[key][line["scenario"]] = float(line["value"])
    above = {
        key[1] for key, run in runs.items() if run.get("Server", 0) > 1.02 * run.get("Offline", float("inf"))
    }
    named = {text.split(" ")[0] for text in v61().care if " is above Offline " in text}

    assert named == above
    assert "Nebius" in above


def test_a_note_that_says_cpu_only_explains_the_gain(real):
    rows = [
        found
        for name in REAL_TABLES.values()
        for table in read_table((real / "mlperf" / name).read_bytes(), name=name, catalog=catalog())
        for found in table.results
    ]
    told = care_words(brief(rows, "inference", "v6.1", catalog()))

    assert any('"gain" of 44.1x to 46.5x on yolo' in text and "processors only" in text for text in told)


# ------------------------------------------------------------------------------------------------ who came, promises


def test_who_is_absent_is_in_the_table_before_and_not_in_this_one():
    def organisations(name: str) -> set[str]:
        known = {"Dell_MangoBoost", "Quanta_Cloud_Technology", "Netweb_technologies", "Atlas_Inference"}
        found = set()
        for line in lines(name):
            whole = line["submitter"]
            found |= {whole.casefold()} if whole in known else {part.casefold() for part in whole.split("_")}
        return found

    (submitters,) = [one for one in v61().attendance if one.kind == "submitter"]
    gone = organisations("v6.0") - organisations("v6.1")

    assert {name.casefold() for name in submitters.absent} == gone == {
        "gateoverflow", "lenovo", "netweb_technologies", "sit",
    }  # fmt: skip


def test_a_name_known_from_rounds_not_held_is_not_called_first():
    (submitters,) = [one for one in v61().attendance if one.kind == "submitter"]

    assert "Crusoe" in submitters.first
    assert "Fujitsu" not in submitters.first
    assert ("Fujitsu", None) in submitters.back
    assert any(
        text
        == "Submitters, not in the tables we hold, but known from older or other rounds: Fujitsu, SCITIX, TTA and Wiwynn."
        for text in attendance_words(submitters, v61())
    )


def test_nothing_is_new_gained_or_a_record_where_no_earlier_round_is_held():
    made = brief(archive.load("inference", "v5.1").results, "inference", "v5.1", catalog())

    assert (made.before, made.gains, made.losses, made.beaten, made.standing, made.first_results) == (
        None, (), (), (), (), 0,
    )  # fmt: skip
    assert all(not (one.first or one.back or one.absent) for one in made.attendance)
    assert "No earlier round is held: nothing here is called new, gained or a record." in page(made)
    assert not re.search(r"\bfirst in the tables\b|\bbest since\b|Records|Gains", page(made))


def test_a_round_that_is_not_held_in_between_is_named():
    rows = [each for each in held() if each.round != "v6.0"]

    assert "Beside v5.1, the newest earlier round held; v6.0 is not held." in page(
        brief(rows, "inference", "v6.1", catalog())
    )


def test_later_rounds_do_not_show_in_an_older_rounds_brief():
    only_then = [each for each in held() if each.round != "v6.1"]

    assert brief(held(), "inference", "v6.0", catalog()) == brief(only_then, "inference", "v6.0", catalog())


def test_previews_of_v61_are_dated_promises_and_those_of_v60_are_settled():
    floor = 0.98 * value(VR, "deepseek-r1", "Server")
    text = said(v61(), "Promises")

    assert f"DeepSeek-R1 Server ≥ {floor:,.0f} tokens/s" == "DeepSeek-R1 Server ≥ 1,152,372 tokens/s"
    assert "DeepSeek-R1 Server ≥ 1,152,372 tokens/s" in text
    assert "in the first round from 3 February 2027, as things stand v7.0" in text
    assert Counter(one.outcome for one in v61().due) == {"kept": 4, "improved": 3, "void": 2}
    assert {one.earliest for one in v61().promised} == {date(2027, 2, 3)}


def test_the_coverage_counts_closed_rows_by_benchmark_and_vendor():
    wanted: Counter[str] = Counter()
    for line in lines("v6.1"):
        if line["division"] == "closed" and line["benchmark"] == "deepseek-r1":
            wanted["AMD" if "AMD" in line["accelerator_published"] else "NVIDIA"] += 1
    cover = v61().coverage

    found = dict(zip(cover.vendors, dict(cover.rows)["deepseek-r1"], strict=True))
    assert {vendor: count for vendor, count in found.items() if count} == dict(wanted)


# ------------------------------------------------------------------------------------------------ narrowed, embargoed


def test_a_filter_narrows_what_is_told_and_not_what_it_is_judged_by():
    made = brief(held(), "inference", "v6.1", catalog(), only=Filter(accelerator=("vera-rubin", "gb300")))

    assert {row.accelerator for row in made.previews} == {"vera-rubin"}
    assert title(made) == "MLPerf Inference v6.1 at a glance, only accelerator=gb300,vera-rubin"
    assert made.beaten
    assert {one.best.accelerator for one in made.beaten} <= {"vera-rubin", "gb300"}
    assert [one for one in made.beaten if one not in v61().beaten] == []


def test_a_round_without_rows_is_refused_with_what_is_held():
    with pytest.raises(UsageError, match=re.escape("v7.0 are held; earlier rounds held: v5.1, v6.0, v6.1")):
        brief(held(), "inference", "v7.0", catalog())


def test_an_embargoed_brief_is_marked_on_every_page_and_never_becomes_a_message():
    made = brief([row()], "inference", "v6.1", catalog(), embargo=True)

    assert title(made).startswith("EMBARGO · ")
    assert page(made).count("EMBARGO") == 2
    assert 'class="embargo"' in brief_html(made)
    with pytest.raises(ValueError, match="is under embargo"):
        brief_notification(made, now=AT, rule="new-round")


# ------------------------------------------------------------------------------------------------ claims, messages


def claim(round_name: str = "v6.1", verdict: str = "only_in_some_scenarios") -> CheckedClaim:
    evidence = Evidence(
        scenario="Interactive", reading="whole_system", figure=3.74, holds=True, arithmetic="", rows=(row(),)
    )
    return CheckedClaim(
        claim=Claim(
            kind="ratio",
            value=3.7,
            qualifier="up_to",
            benchmark="qwen3-vl-235b-a22b",
            round=round_name,
            decimals=1,
        ),
        verdict=Verdict(verdict=verdict, reading="whole_system", evidence=(evidence,)),
        post_url="https://example.org/p",
        vendor="Acme",
    )


def test_only_claims_about_the_round_are_told():
    made = brief(
        held(), "inference", "v6.1", catalog(), claims=[claim(), claim("v6.0"), claim("training-v6.1")]
    )

    assert len(made.claims) == 1
    assert (
        said(made, "Claims against the rows").splitlines()[0]
        == "1 claim read so far: 1 only in some scenarios."
    )


def test_the_message_is_the_brief_without_its_long_tables():
    message = brief_notification(v61(), now=AT, rule="new-round")
    headings = [part.heading for part in message.sections if part.heading]

    assert (message.title, message.summary) == ("MLPerf Inference v6.1 at a glance", summary(v61()))
    assert headings == [
        "In one minute", "Vera Rubin over GB300", "MI355X over MI350X", "Worth knowing", "Who came, who did not", "Records",
        "Gains and losses", "Power", "Handle with care", "Promises", "Where to look",
    ]  # fmt: skip
    assert max(len(part.grid.rows) for part in message.sections if part.grid) <= 12
    assert message.see_all == "mlperf-watcher brief v6.1"


def test_the_follow_up_tells_the_claims_of_the_first_posts():
    made = brief(held(), "inference", "v6.1", catalog(), claims=[claim(), claim(verdict="confirmed")])
    message = follow_up_notification(made, now=AT, rule="new-round")

    assert message.title == "MLPerf Inference v6.1: the first posts against the rows"
    assert message.summary == "2 claims in 1 post: 1 borne out, 1 only in some scenarios"
    assert message.id != brief_notification(made, now=AT, rule="new-round").id


# ------------------------------------------------------------------------------------------------ pages

HOSTILE = "Acme <script>alert(1)</script> | *x* [a](http://evil.example) \x1b[31m"


def hostile() -> Brief:
    return brief(
        [row(submitter=HOSTILE, organisations=(HOSTILE,), platform=HOSTILE)], "inference", "v6.1", catalog()
    )


def test_a_hostile_name_stays_a_name_on_the_page():
    made = brief_html(hostile())

    assert "<script" not in made
    assert "\x1b" not in made
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in made


def test_a_hostile_name_means_nothing_in_markdown():
    made = sections_markdown(sections(hostile()), title=title(hostile()))

    assert "<script" not in made.replace("\\<script", "")
    assert "[a](http://" not in made
    assert "\\*x\\*" in made
    assert "\x1b" not in made


def test_markdown_keeps_figures_as_they_are():
    made = sections_markdown(sections(v61()), title=title(v61()), summary=summary(v61()))

    assert "| Interactive | 1,307 | 349 | **3.74x** |" in made
    assert "1.74x to 3.74x over six cells" in made
    assert "\\1" not in made
    assert "`mlperf-watcher gains --to v6.1`" in made


def test_the_page_asks_for_nothing_outside_and_has_a_landmark_and_a_heading_for_every_part():
    made = brief_html(v61())
    anchors = re.findall(r'<section id="([^"]+)"', made)

    assert not re.findall(r"<script|<link|<img|src=|@import|url\(", made)
    assert "default-src 'none'" in made
    assert len(anchors) == len(set(anchors)) == len(re.findall(r"<h2 ", made))
    assert re.findall(r'<li><a href="#([^"]+)"', made) == anchors
    assert made.count("<table") == made.count("<thead>") == made.count('tabindex="0"')


def test_the_longest_bar_is_the_largest_ratio_of_its_part():
    made = brief_html(v61())
    part = made[made.index('id="vera-rubin-over-gb300"') : made.index('id="mi355x-over-mi350x"')]
    bars = {told: int(share) for share, told in re.findall(r'--share:(\d+)%">([\d.]+)x<', part)}

    assert bars["3.74"] == 100
    assert bars["1.87"] if "1.87" in bars else bars["1.83"] == round(100 * 1.83 / 3.74)


@pytest.mark.parametrize(
    "changes",
    [{}, {"suite": "training", "round": "v5.1", "scenario": None, "unit": "minutes", "better": "lower"}],
)
def test_a_brief_of_one_row_says_what_there_is(changes: dict[str, Any]):
    only = replace(row(), **changes)
    made = brief([only], only.suite, only.round, catalog())

    assert "1 result by 1 submitter entry" in page(made)
    assert brief_html(made)
