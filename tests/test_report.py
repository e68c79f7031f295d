"""The report: what its pages say and link to, that nothing hostile or embargoed is in them, and how they are written."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import random
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from tests.messages import against, alert, claim, event, gb300, pairs, row, vera_rubin
from tests.operation import here
from tests.report_stage import (
    Document,
    archive_report,
    broken_links,
    demo_report,
    documents,
    ledger,
    made,
    read,
    told,
)
from tests.rows import row as plain
from watcher.catalog.names import load
from watcher.demo.published import summary
from watcher.domain import Alert, NewName, PublishedRound, Result, SourceTrouble
from watcher.errors import LockedError, UsageError
from watcher.report import write
from watcher.report.axis import axis, short
from watcher.report.embargo import touched
from watcher.report.persons import without_recipients
from watcher.report.places import Places, row_anchor, slug
from watcher.report.plots import benchmark_plot, ratio_plot
from watcher.report.shell import relative
from watcher.report.view import is_web
from watcher.report.writing import LIST

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp; \u202etxt\x00"


def six() -> list[object]:
    return [side for pair in pairs() for side in (pair.subject, pair.baseline)]


# ------------------------------------------------------------------------------------------------ whole reports


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory):
    return documents(read(demo_report(tmp_path_factory)))


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory):
    return documents(read(archive_report(tmp_path_factory)))


def test_every_kind_of_page_is_there(demo):
    kinds = {path.partition("/")[0] for path in demo}
    assert kinds == {
        "index.html",
        "rounds",
        "rows",
        "benchmarks",
        "systems",
        "claims.html",
        "alerts",
        "health.html",
    }
    assert {"alerts/A-0003.html", "rows/inference-v6.1.html", "benchmarks/inference-deepseek-r1.html"} <= set(
        demo
    )


def test_every_link_leads_to_a_page_an_anchor_and_a_filter_that_are_there(demo, archived):
    assert broken_links(demo) == []
    assert broken_links(archived) == []


def test_no_page_loads_anything_from_outside(demo):
    for page in demo.values():
        assert {tag for tag, _ in page.tags} & {
            "img",
            "iframe",
            "object",
            "embed",
            "audio",
            "video",
            "source",
            "base",
        } == set()
        assert page.attributes("script", "src") == []
        assert all(href.startswith("data:image/svg+xml") for href in page.attributes("link", "href"))
        assert not re.search(r"url\(|@import|http-equiv=\"refresh\"", page.text)


def test_the_policy_of_each_page_allows_its_own_style_and_script_by_hash_and_nothing_else(demo):
    for page in demo.values():
        (policy,) = (value for value in page.attributes("meta", "content") if value.startswith("default-src"))
        hashes = [
            f"'sha256-{base64.b64encode(hashlib.sha256(''.join(page.inside[tag]).encode()).digest()).decode()}'"
            for tag in ("style", "script")
            if page.inside[tag]
        ]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert re.findall(r"'sha256-[^']+'", policy) == hashes
        assert "unsafe" not in policy


def test_no_tag_carries_a_style_or_a_handler_of_its_own(demo):
    names = {name for page in demo.values() for _, given in page.tags for name in given}
    assert {name for name in names if name == "style" or name.startswith("on")} == set()


def test_every_field_has_a_label_and_every_table_a_name(demo):
    page = demo["rows/inference-v6.1.html"]
    assert page.text.count("<label") == page.text.count("<select") + page.text.count("<input")
    assert page.text.count("<caption") == 1
    assert page.attributes("p", "aria-live") == ["polite"]
    assert set(page.attributes("th", "aria-sort")) == {"none"}
    assert all(
        page.attributes("svg", "aria-label") for page in [demo["benchmarks/inference-deepseek-r1.html"]]
    )


def test_the_first_page_shows_the_newest_round_and_what_is_new(demo):
    said = demo["index.html"].said
    assert "MLPerf Inference v6.1 at a glance" in said
    assert "1.74x to 3.74x over six cells" in said
    assert "Lambda: 1 result removed, MLPerf Inference v6.1" in said
    assert "1 not an MLPerf figure" in said


def test_a_figure_leads_to_its_row_with_the_value_behind_it(archived):
    page = archived["index.html"]
    (href,) = {
        given["href"] for place, (tag, given) in enumerate(page.tags) if tag == "a" and "row" not in given and "#r" in str(given.get("href"))
        and re.search(rf'href="{re.escape(str(given["href"]))}"[^>]*>3\.74x<', page.text)
    }  # fmt: skip
    anchor = urlsplit(str(href)).fragment
    rows = archived["rows/inference-v6.1.html"].text
    found = rows[rows.index(f'id="{anchor}"') :].partition("</tbody>")[0]
    assert "Vera Rubin NVL72" in found
    assert ">1,306.6</a>" in found
    assert "https://github.com/mlcommons/inference_results_v6.1/tree/main/closed/NVIDIA/" in found


def test_the_table_of_a_round_has_every_row_of_it(archived):
    page = archived["rows/inference-v6.1.html"]
    anchors = {name for name in page.ids if re.fullmatch(r"r[0-9a-f]{12}", name)}
    assert len(anchors) == 492
    assert "492 results" in page.said
    assert page.attributes("tbody", "data-division").count("closed") == 457 + 19


def test_every_closed_row_of_a_benchmark_is_drawn_and_leads_to_its_row(archived):
    page = archived["benchmarks/inference-deepseek-r1.html"]
    drawn = [given["href"] for tag, given in page.tags if tag == "a" and given.get("tabindex") == "-1"]
    rows = archived["rows/inference-v6.1.html"]
    closed = [
        given["id"] for tag, given in rows.tags
        if tag == "tbody" and given["data-benchmark"] == "deepseek-r1" and given["data-division"] == "closed"
    ]  # fmt: skip
    assert sorted(urlsplit(str(href)).fragment for href in drawn) == sorted(map(str, closed))


def test_a_claim_stands_in_the_ledger_with_its_verdict_arithmetic_and_rows(demo):
    said = demo["claims.html"].said
    assert "✓ borne out" in said
    assert "(2,705,130 / 288) / (679,740 / 72) tokens/s = 99.5 %" in said
    assert "Rows: NVIDIA, 288 GB300, v6.1; NVIDIA, GB300 NVL72, v6.1" in said


def test_an_alert_says_what_became_of_its_rows_since(demo):
    assert (
        "Crusoe, 512 MI355X, DeepSeek-R1 Server: 2,405,310 then, 2,333,151 tokens/s today"
        in demo["alerts/A-0006.html"].said
    )
    assert "no longer in the table" in demo["alerts/A-0015.html"].said


def test_a_second_run_over_the_same_state_writes_no_page_anew(tmp_path_factory):
    folder = archive_report(tmp_path_factory)
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*.html")}
    done = here("--state", "watcher.db", "report", "--out", "report", cwd=folder.parent)
    assert "39 pages in report, 0 written anew" in done.stdout
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*.html")} == before


# ------------------------------------------------------------------------------------------------ facts of our own


def test_the_order_in_which_rows_are_held_does_not_matter():
    rows = [*six(), gb300(round="v6.0"), plain(division="open")]
    shuffled = random.Random(4).sample(rows, len(rows))
    assert made(*shuffled, front=("inference", "v6.1")) == made(*rows, front=("inference", "v6.1"))


def test_a_state_that_holds_nothing_says_how_to_begin():
    read_pages = documents(made())
    assert "mlperf-watcher ingest --archive" in read_pages["index.html"].said
    assert broken_links(read_pages) == []
    assert sorted(read_pages) == [
        "alerts/index.html", "benchmarks/index.html", "claims.html", "health.html", "index.html", "rounds/index.html",
        "systems/index.html",
    ]  # fmt: skip


def test_hostile_text_stays_text_on_every_page():
    bad = row(
        submitter=HOSTILE, organisations=(HOSTILE,), platform=HOSTILE, system_name=HOSTILE, notes=HOSTILE, processor=HOSTILE,
        software_published=HOSTILE, benchmark=HOSTILE, benchmark_published=HOSTILE, unit=HOSTILE, round="v6.1",
        url="javascript:alert(3)", accelerator=HOSTILE, accelerators=(HOSTILE,), system=None,
    )  # fmt: skip
    post = replace(claim(), post_title=HOSTILE, post_url="javascript:alert(4)", vendor=HOSTILE)
    post = replace(post, number=1, claim=replace(post.claim, quote=HOSTILE))
    fired = alert(event("result.added", bad), title=HOSTILE, group=HOSTILE)
    read_pages = documents(made(bad, *six(), alerts=(told(fired, "you"),), ledger=(ledger(post),)))
    for page in read_pages.values():
        assert "alert(" not in "".join(page.inside["script"])
        assert page.text.count("<script") == len(page.inside["script"]) <= 1
        assert "<img" not in page.text
        assert not re.search("[\u202e\x00]", page.text)
        assert {urlsplit(href).scheme for href in page.links} <= {"", "https", "http"}
    assert "<script>alert(1)</script>" in read_pages["alerts/A-0142.html"].said
    assert broken_links(read_pages) == []


@pytest.mark.parametrize(
    ("href", "stands"),
    [
        ("/alerts/A-0142.html#rows", "../alerts/A-0142.html#rows"),
        ("/index.html", "../index.html"),
        ("/rows/x.html#r1", "#r1"),
        ("/rows/y.html?submitter=A%26B", "y.html?submitter=A%26B"),
        ("https://example.org/a?b=c", "https://example.org/a?b=c"),
        ("javascript:alert(1)", None),
        ("JaVaScRiPt:alert(1)", None),
        ("data:text/html,x", None),
        ("//evil.example/x", None),
        ("https://ann:secret@example.org/", None),
        ("file:///etc/passwd", None),
        ("https://[broken", None),
        (None, None),
    ],
)
def test_only_our_own_pages_and_plain_web_addresses_become_links(href, stands):
    assert relative(href, "rows/x.html") == stands


def test_a_web_address_has_a_host_and_no_password():
    assert is_web("https://example.org")
    assert not is_web("https://")
    assert not is_web("http://ann@example.org")


def test_names_from_outside_become_safe_file_names_that_stay_apart():
    assert slug("qwen3-vl-235b-a22b") == "qwen3-vl-235b-a22b"
    names = {slug(name) for name in ("../../etc/passwd", "A b", "a b", "a-b", "", "ä", "x" * 300)}
    assert len(names) == 7
    assert all(re.fullmatch(r"[a-z0-9._-]{1,70}", name) and not name.startswith(".") for name in names)


def test_a_row_keeps_its_anchor_while_its_value_changes():
    assert row_anchor(row().key) == row_anchor(row(value=1.0, url=None).key)
    assert row_anchor(row().key) != row_anchor(row(scenario="Offline").key)


def test_the_round_of_the_first_page_can_be_chosen():
    rows = (row(), gb300(), gb300(round="v6.0"))
    assert (
        "v6.0 at a glance"
        in Document("index.html", made(*rows, front=("inference", "v6.0"))["index.html"]).said
    )


def test_pages_name_where_they_are_served_if_that_is_known():
    page = Document("a", made(row(), base_url="https://m.example/r")["rows/inference-v6.1.html"])
    assert page.attributes("link", "href")[0] == "https://m.example/r/rows/inference-v6.1.html"


def test_an_alerts_page_has_the_address_that_messages_link_to():
    read_pages = documents(made(*six(), alerts=(told(vera_rubin(), "you"),)))
    page = read_pages["alerts/A-0142.html"]
    assert "you: sent 2026-09-16 15:05" in page.said
    assert "1,307" in page.said
    assert broken_links(read_pages) == []


def test_a_new_name_leads_to_its_rows():
    new = NewName(kind="accelerator", name="vera-rubin", suite="inference", round="v6.1", results=6)
    fired = alert(event("name.new", new))
    page = Document("a", made(*six(), alerts=(told(fired),))["alerts/A-0142.html"])
    assert "../rows/inference-v6.1.html?accelerator=vera-rubin" in page.links


def test_a_row_that_is_gone_is_told_without_a_link():
    gone = row(submitter="Gone", organisations=("Gone",), url=None)
    fired = alert(event("result.removed", before=gone))
    page = Document("a", made(*six(), alerts=(told(fired),))["alerts/A-0142.html"])
    assert "Gone, Vera Rubin NVL72, DeepSeek-R1 Server: no longer in the table" in page.said
    assert row_anchor(gone.key) not in page.text


# ------------------------------------------------------------------------------------------------ embargo and persons


@pytest.mark.parametrize(
    "found",
    [
        row(round="v7.0"),
        alert(event("result.added", row(round="v7.0"))),
        alert(event("result.changed", row(), before=row(round="v7.0"))),
        alert(event("round.published", PublishedRound(suite="inference", round="v7.0"))),
        alert(event("name.new", NewName(kind="submitter", name="X", suite="inference", round="v7.0"))),
        alert(event("source.failing", SourceTrouble(source="a", url=None, failure="gone", message="m"), private=True)),
        alert(event("comparison.computable", against(row(), gb300()))),
        replace(claim(), claim=replace(claim().claim, baseline_round="V7.0")),
    ],
    ids=lambda found: type(found).__name__,
)  # fmt: skip
def test_whatever_stands_on_a_table_under_embargo_is_found(found):
    private = {("inference", "v7.0")}
    open_to_all = isinstance(found, Alert) and found.events[0].kind == "comparison.computable"
    assert touched(found, private) is not open_to_all


def ingested(folder: Path, *rows: Result, private: bool = False) -> None:
    """Ingest a published table of these rows."""
    file = folder / f"{rows[0].round}.json"
    file.write_bytes(summary(rows))
    done = here("--state", "s.db", "ingest", str(file), *(("--private",) if private else ()), cwd=folder)
    assert done.returncode == 0, done.stderr


def test_nothing_of_a_table_under_embargo_is_on_any_page(tmp_path):
    ingested(tmp_path, plain(), plain(scenario="Offline"))
    before = here("--state", "s.db", "report", "--out", "before", cwd=tmp_path)
    ingested(tmp_path, plain(round="v6.2", submitter="Quiet", organisations=("Quiet",)), private=True)
    after = here("--state", "s.db", "report", "--out", "after", cwd=tmp_path)
    assert (before.returncode, after.returncode) == (0, 0), before.stderr + after.stderr
    assert read(tmp_path / "after") == read(tmp_path / "before")
    assert "Quiet" in here("--state", "s.db", "results", "--json", cwd=tmp_path).stdout


def test_a_round_under_embargo_cannot_be_the_first_page(tmp_path):
    ingested(tmp_path, plain(round="v6.2"), private=True)
    done = here("--state", "s.db", "report", "--out", "r", "--round", "v6.2", cwd=tmp_path)
    assert done.returncode == 2
    assert "inference v6.2 is under embargo" in done.stderr
    assert not (tmp_path / "r").exists()


def test_a_recipients_address_stays_out_of_what_is_told_of_a_receiver():
    trouble = SourceTrouble(
        source="receiver mail",
        url=None,
        failure="receiver",
        message="mail/ann@example.org is broken: <ann@example.org> unknown",
    )
    fired = alert(event("source.failing", trouble), title="mail/ann@example.org is broken")
    clean = without_recipients(fired, {"mail/ann@example.org", "team-slack"})
    assert clean.title == "mail is broken"
    assert clean.events[0].after == replace(trouble, message="mail is broken: <a recipient> unknown")
    page = made(alerts=(told(clean, "mail/ann@example.org"),))["alerts/A-0142.html"]
    assert "example.org" not in page


# ------------------------------------------------------------------------------------------------ plots


def test_an_axis_starts_at_zero_and_ends_beyond_the_largest_value():
    found = axis([3.74, 1.83], 100, 300)
    assert (found.low, found.ticks, found.logarithmic) == (0.0, (0.0, 1.0, 2.0, 3.0), False)
    assert found.at(0) == 100
    assert 290 < found.at(3.74) <= 300


def test_an_axis_is_logarithmic_where_values_lie_far_apart():
    found = axis([4.0, 2500.0], 0, 300)
    assert (found.low, found.ticks, found.logarithmic) == (1.0, (1.0, 10.0, 100.0, 1000.0), True)
    assert found.at(1.0) == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (2.5, "2.5"), (500, "500"), (10_000, "10k"), (1_500_000, "1.5M"), (2e9, "2G")],
)
def test_ticks_are_short(value, text):
    assert short(value) == text


def test_a_plot_has_a_panel_a_scenario_and_the_best_accelerator_first():
    rows = [
        row(),
        gb300(),
        gb300(platform="p2", value=500_000.0),
        row(scenario="Offline"),
        row(division="open", platform="o"),
    ]
    plot = benchmark_plot(rows, [], Places(rows, ()), load())
    assert [panel.title for panel in plot.panels] == ["Offline", "Server"]
    assert plot.panels[1].words == (
        "Server: tokens/s per accelerator, higher is better. Best row of each: Vera Rubin 16,332; GB300 8,290.9."
    )
    assert [(mark.words, mark.hollow) for mark in plot.panels[1].marks][:1] == [
        ("NVIDIA, Vera Rubin NVL72: 16,332 tokens/s per accelerator, preview", True)
    ]
    assert sum(len(panel.marks) for panel in plot.panels) == 4


def test_rows_without_a_figure_per_accelerator_have_a_panel_of_their_own():
    cpu = plain(accelerator=None, accelerators=(), accelerator_count=None, processor="A CPU", value=10.0)
    plot = benchmark_plot([plain(), cpu], [], Places([], ()), load())
    assert [panel.title for panel in plot.panels] == ["Server", "Server, no figure per accelerator"]
    assert [key.text for key in plot.legend] == ["NVIDIA", "Processors only"]


def test_the_best_of_the_round_before_is_marked():
    plot = benchmark_plot([gb300()], [gb300(round="v6.0", value=400_000.0)], Places([], ()), load())
    assert [stroke.style for stroke in plot.panels[0].strokes].count("past soft") == 1
    assert plot.legend[-1].text == "Best of v6.0"


def test_a_plot_of_ratios_has_a_bar_a_scenario_that_leads_to_its_row():
    rows = six()
    plot = ratio_plot(pairs(), Places(rows, {"rows/inference-v6.1.html"}))
    bars = [stroke for panel in plot.panels for stroke in panel.strokes if stroke.words]
    assert [panel.title for panel in plot.panels] == ["DeepSeek-R1", "Qwen3-VL"]
    assert len(bars) == 6
    assert bars[-1].words == "Interactive: 3.74x, NVIDIA, Vera Rubin NVL72 over NVIDIA, GB300 NVL72"
    assert all((bar.href or "").startswith("/rows/inference-v6.1.html#r") for bar in bars)


# ------------------------------------------------------------------------------------------------ writing


def test_a_page_that_is_no_more_is_removed_and_nothing_else(tmp_path):
    out = tmp_path / "out"
    write({"index.html": "1", "alerts/A-0001.html": "2"}, out)
    (out / "robots.txt").write_text("mine")
    done = write({"index.html": "3"}, out)
    assert (done.pages, done.changed, done.removed) == (1, 1, 1)
    assert sorted(each.name for each in out.iterdir()) == [LIST, "index.html", "robots.txt"]
    assert (out / "index.html").read_text() == "3"


def test_a_folder_with_other_files_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "index.html").write_text("my own page")
    with pytest.raises(UsageError, match=r"holds files that are not of a report \(index\.html\)"):
        write({"index.html": "1"}, tmp_path)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("index.html", "my own page")]


def test_a_list_that_names_files_elsewhere_removes_none_of_them(tmp_path):
    precious = tmp_path / "precious.html"
    precious.write_text("keep")
    out = tmp_path / "out"
    write({"index.html": "1"}, out)
    (out / LIST).write_text(f"index.html\n../precious.html\n{precious}\n\n.\n")
    write({"index.html": "2"}, out)
    assert precious.read_text() == "keep"


def test_a_page_that_cannot_be_written_leaves_the_others_as_they_were(tmp_path):
    out = tmp_path / "out"
    write({"index.html": "before"}, out)
    (out / "claims.html").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        write({"index.html": "after", "claims.html": "c"}, out)
    assert (out / "index.html").read_text() == "before"


def test_what_an_ended_run_left_is_cleared_away(tmp_path):
    write({"index.html": "1"}, tmp_path / "out")
    left = tmp_path / "out" / ".mlperf-watcher-report.new" / "old.html"
    left.parent.mkdir()
    left.write_text("half a page")
    write({"index.html": "2"}, tmp_path / "out")
    assert not left.parent.exists()


def test_a_report_that_another_run_writes_is_left_to_it(tmp_path):
    write({"index.html": "1"}, tmp_path)
    with (tmp_path / LIST).open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(LockedError):
            write({"index.html": "2"}, tmp_path)
    assert (tmp_path / "index.html").read_text() == "1"


def test_a_target_that_is_a_file_is_wrong_usage(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        write({"index.html": "1"}, tmp_path / "file")


# ------------------------------------------------------------------------------------------------ the command


def test_the_command_says_what_it_wrote_as_json(tmp_path):
    ingested(tmp_path, plain())
    done = here(
        "--state",
        "s.db",
        "report",
        "--out",
        "r",
        "--base-url",
        "https://m.example/r/",
        "--json",
        cwd=tmp_path,
    )
    told_of = json.loads(done.stdout)["report"]
    assert (told_of["out"], told_of["base_url"], told_of["removed"]) == ("r", "https://m.example/r", 0)
    assert told_of["pages"] == told_of["changed"] == len(read(tmp_path / "r"))


@pytest.mark.parametrize("url", ["m.example", "ftp://m.example", "https://m.example/?a=b"])
def test_an_address_that_is_no_place_for_pages_is_refused(tmp_path, url):
    done = here("report", "--out", "r", "--base-url", url, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--base-url must be an address" in done.stderr


def test_a_round_that_is_not_held_is_refused_with_the_nearest(tmp_path):
    ingested(tmp_path, plain())
    done = here("--state", "s.db", "report", "--out", "r", "--round", "v99.9", cwd=tmp_path)
    assert done.returncode == 2
    assert "no results of 'v99.9' are held" in done.stderr
