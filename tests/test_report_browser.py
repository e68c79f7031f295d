"""The report in a real browser: nothing it complains of, nothing asked of the outside, filters and sorting that work.

Runs where a Chromium is. Where the variable CI_BROWSER is set, a missing one is a failure: no test may be left out unseen.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import chromium
from tests.chromium import Tab
from tests.report_stage import Document, demo_report

KINDS = (
    "index.html",
    "rounds/index.html",
    "rounds/inference-v6.1.html",
    "rows/inference-v6.1.html",
    "benchmarks/index.html",
    "benchmarks/inference-deepseek-r1.html",
    "benchmarks/inference-llama3.1-8b.html",
    "systems/index.html",
    "systems/inference-v6.1-vera-rubin-over-gb300.html",
    "systems/rule-third-party-over-vendor.html",
    "claims.html",
    "alerts/index.html",
    "alerts/A-0003.html",
    "alerts/A-0006.html",
    "alerts/A-0016.html",
    "health.html",
)
ROWS = "rows/inference-v6.1.html"
SHOWN = "[...document.querySelectorAll('#rows > tbody')].filter(body => body.checkVisibility())"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    program = chromium.find()
    if program is None and os.environ.get("CI_BROWSER"):
        pytest.fail(f"CI_BROWSER is set, but none of {', '.join(chromium.NAMES)} is installed")
    if program is None:
        pytest.skip("needs chromium (apt-get install chromium)")
    with chromium.started(program, tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_report(tmp_path_factory)


@pytest.fixture
def tab(browser: chromium.Browser) -> Iterator[Tab]:
    found = browser.tab()
    found.size(1400)
    yield found
    found.shut()


def shown(tab: Tab) -> int:
    return int(tab.run(f"{SHOWN}.length"))


def choose(tab: Tab, key: str, value: str) -> None:
    tab.run(
        f"(() => {{ const select = document.querySelector('[data-filter={key}]'); select.value = {json.dumps(value)};"
        " select.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def count(tab: Tab) -> str:
    return str(tab.run("document.querySelector('[data-count]').textContent"))


def column(tab: Tab, number: int) -> list[str]:
    """Return the first words of a column of the rows that are shown."""
    found: list[str] = tab.run(f"{SHOWN}.map(body => body.rows[0].cells[{number}].innerText.split(/\\s/)[0])")
    return found


@pytest.mark.parametrize("width", [400, 1400])
def test_no_page_complains_asks_for_anything_or_is_wider_than_its_window(tab: Tab, site: Path, width: int):
    tab.size(width)
    for path in KINDS:
        tab.open((site / path).as_uri())
        assert tab.run("document.documentElement.scrollWidth <= innerWidth"), path
        assert tab.run("getComputedStyle(document.body).fontFamily").startswith("system-ui"), path
    asked = {url for url in tab.requests if not url.startswith(("data:", "about:"))}
    assert tab.console == []
    assert asked == {(site / path).as_uri() for path in KINDS}


def test_the_browser_reads_the_pages_as_they_were_written(tab: Tab, site: Path):
    for path in ("index.html", ROWS, "benchmarks/inference-deepseek-r1.html", "alerts/A-0003.html"):
        tab.open((site / path).as_uri())
        seen = tab.run("[...document.querySelectorAll('*')].map(element => element.localName)")
        assert seen == [tag for tag, _ in Document(path, (site / path).read_text()).tags], path


def test_light_and_dark_follow_the_readers_wish(tab: Tab, site: Path):
    tab.open((site / "index.html").as_uri())
    found = []
    for scheme in ("light", "dark"):
        tab.scheme(scheme)
        found.append(
            tab.run(
                "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
            )
        )
    assert found == [["rgb(244, 246, 248)", "rgb(23, 32, 42)"], ["rgb(15, 20, 25)", "rgb(229, 234, 240)"]]


def test_filters_leave_the_rows_that_have_all_that_was_chosen(tab: Tab, site: Path):
    tab.open((site / ROWS).as_uri())
    assert (shown(tab), count(tab)) == (491, "491 results")
    choose(tab, "accelerator", "vera-rubin")
    assert (shown(tab), count(tab)) == (8, "8 of 491 results")
    choose(tab, "submitter", "Nebius")
    assert column(tab, 2) == ["Nebius", "Nebius"]
    assert tab.run("location.search") == "?submitter=Nebius&accelerator=vera-rubin"
    tab.run("document.querySelector('[data-reset]').click()")
    assert (shown(tab), count(tab), tab.run("location.search")) == (491, "491 results", "")


def test_a_search_finds_words_in_what_a_row_hides(tab: Tab, site: Path):
    tab.open((site / ROWS).as_uri())
    tab.run("document.querySelector('[data-search]').focus()")
    for letter in "crusoe 512":
        tab.key(letter, ord(letter.upper()), letter)
    assert column(tab, 2) == ["Crusoe"] * shown(tab)
    assert 0 < shown(tab) < 12
    tab.run(
        "(() => { const box = document.querySelector('[data-search]'); box.value = 'no such words'; box.dispatchEvent(new Event('input')); })()"
    )
    assert count(tab) == "0 of 491 results"


def test_a_column_sorts_by_keyboard_and_says_so(tab: Tab, site: Path):
    tab.open((site / ROWS).as_uri() + "?benchmark=deepseek-r1&scenario=Server&division=closed")
    button = "document.querySelectorAll('#rows thead button')[5]"
    tab.run(f"{button}.focus()")
    tab.key("Enter", 13, "\r")
    values = [float(text.replace(",", "")) for text in column(tab, 5)]
    assert values == sorted(values, reverse=True)
    assert tab.run(f"{button}.closest('th').getAttribute('aria-sort')") == "descending"
    assert count(tab).endswith("results, sorted by per accelerator, descending")
    tab.key("Enter", 13, "\r")
    assert [float(text.replace(",", "")) for text in column(tab, 5)] == values[::-1]
    assert (
        tab.run("[...document.querySelectorAll('#rows [aria-sort]')].map(head => head.ariaSort)").count(
            "none"
        )
        == 8
    )


def test_words_sort_as_words_and_empty_cells_come_last(tab: Tab, site: Path):
    tab.open((site / ROWS).as_uri() + "?benchmark=llama3.1-8b")
    tab.run("document.querySelectorAll('#rows thead button')[2].click()")
    names = [name.casefold() for name in column(tab, 2)]
    assert names == sorted(names)
    tab.run("document.querySelectorAll('#rows thead button')[5].click()")
    each = column(tab, 5)
    assert each[0] != "–"
    assert each[-1] == "–"
    assert "–" not in each[: len(each) - each.count("–")]


def test_a_link_to_a_row_opens_it_and_goes_before_the_filters(tab: Tab, site: Path):
    tab.open((site / ROWS).as_uri())
    anchor = tab.run("document.querySelectorAll('#rows > tbody')[200].id")
    benchmark = tab.run(f"document.getElementById('{anchor}').dataset.benchmark")
    other = tab.run(
        f"[...document.querySelector('[data-filter=benchmark]').options].find(o => o.value && o.value !== '{benchmark}').value"
    )
    tab.open(f"{(site / ROWS).as_uri()}?benchmark={other}#{anchor}")
    tab.until(f"document.querySelector('#{anchor} .more').checkVisibility()")
    assert shown(tab) == 491
    place = tab.run(f"document.getElementById('{anchor}').getBoundingClientRect().top")
    assert 0 <= place <= 900


def test_a_row_shows_all_that_was_published_when_asked(tab: Tab, site: Path):
    tab.open((site / ROWS).as_uri())
    button = "document.querySelector('#rows .toggle')"
    state = (
        f"[{button}.getAttribute('aria-expanded'), document.querySelector('#rows .more').checkVisibility()]"
    )
    assert tab.run(state) == ["false", False]
    tab.run(f"{button}.focus()")
    tab.key("Enter", 13, "\r")
    assert tab.run(state) == ["true", True]
    tab.key("Enter", 13, "\r")
    assert tab.run(state) == ["false", False]


def test_the_claims_evidence_is_shown_and_can_be_put_away(tab: Tab, site: Path):
    tab.open((site / "claims.html").as_uri())
    seen = "document.querySelector('#claims .more').checkVisibility()"
    assert tab.run(seen) is True
    tab.run("document.querySelector('#claims .toggle').click()")
    assert tab.run(seen) is False


def test_without_script_every_row_and_all_of_it_is_there(tab: Tab, site: Path):
    tab.ask("Emulation.setScriptExecutionDisabled", value=True)
    tab.open((site / ROWS).as_uri())
    assert shown(tab) == 491
    assert tab.run("document.querySelector('#rows .more').checkVisibility()") is True
    assert tab.run("document.querySelector('.filters').checkVisibility()") is False


def test_no_other_script_runs_and_no_request_leaves(tab: Tab, site: Path):
    tab.open((site / ROWS).as_uri())
    with socket.create_server(("127.0.0.1", 0)) as outside:
        outside.settimeout(0)
        tab.run(
            "(async () => { const script = document.createElement('script'); script.textContent = 'window.got = 1';"
            " document.body.append(script); document.body.setAttribute('onclick', 'window.got = 2'); document.body.click();"
            " const image = new Image(); const failed = new Promise((done) => { image.onerror = done; });"
            f" image.src = 'http://127.0.0.1:{outside.getsockname()[1]}/x.png'; document.body.append(image); await failed; }})()"
        )
        with pytest.raises(BlockingIOError):
            outside.accept()
    assert tab.run("window.got === undefined")
    assert sum("Content Security Policy" in text for text in tab.console) == 3


def test_a_printed_page_has_no_controls_and_all_columns_that_matter(tab: Tab, site: Path):
    tab.size(760)
    tab.scheme("dark", "print")
    tab.open((site / ROWS).as_uri())
    seen = {
        name: tab.run(f"document.querySelector('{name}').checkVisibility()")
        for name in (".top", ".filters", "#rows td.wide", "#rows td.wider", "#rows .narrow")
    }
    assert seen == {
        ".top": False,
        ".filters": False,
        "#rows td.wide": True,
        "#rows td.wider": False,
        "#rows .narrow": False,
    }
    assert tab.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
