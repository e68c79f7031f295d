"""Console, Atom and Apprise: the ways out without a server of ours."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import ClassVar
from xml.etree import ElementTree as ET

import feedparser
import pytest

from tests.notifications import digest, hostile, rubin
from watcher.domain import Receipt, Secret
from watcher.errors import BrokenReceiverError, ConfigError, TryLaterError, UnknownOutcomeError
from watcher.notifiers import deliver, make, text
from watcher.notifiers.apprise import Apprise
from watcher.notifiers.atom import NS, Atom
from watcher.notifiers.console import Console


def test_the_console_prints_what_happened_the_figures_and_where_to_look():
    stream = io.StringIO()
    assert Console(name="me", stream=stream).send(rubin()) == Receipt(detail="printed")
    assert stream.getvalue() == (
        "🔴 Vera Rubin: first per-scenario results\n"
        "\n"
        "NVIDIA, closed, PREVIEW: Qwen3-VL Interactive 3.74x GB300, 1.92x in Server\n"
        "\n"
        "NVIDIA, 72 accelerators, against its own GB300 NVL72.\n"
        "Qwen3-VL\n"
        "  Scenario        VR  GB300  ratio\n"
        "  Interactive  1,307    349  3.74x\n"
        "  Server       2,323  1,210  1.92x\n"
        "\n"
        "HANDLE WITH CARE\n"
        "• Preview against available.\n"
        "• mlperf-watcher alerts show A-0142\n"
        "Rows: https://github.com/mlcommons/inference_results_v6.1?a=1&b=2\n"
        "\n"
        "[picture: Ratios by scenario]\n"
        "\n"
        "A-0142 · rule vera-rubin-per-scenario · n-0142-team\n\n"
    )


def test_the_console_shows_no_control_characters():
    stream = io.StringIO()
    Console(name="me", stream=stream).send(hostile())
    assert not set(stream.getvalue()) & {"\x1b", "\u202e", "\x00", "\r"}


def test_a_console_of_few_letters_replaces_the_others():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(name="me", stream=stream).send(rubin())
    stream.seek(0)
    assert stream.readline() == "? Vera Rubin: first per-scenario results\n"


def test_a_closed_console_is_for_later():
    stream = io.StringIO()
    stream.close()
    with pytest.raises(TryLaterError, match="receiver 'me': the console takes no text"):
        Console(name="me", stream=stream).send(rubin())


@pytest.mark.parametrize("width", range(40, 60))
def test_a_percentage_stays_in_one_line(width: int):
    said = text.plain(
        rubin(summary=f"{'so it is ' * 5}GB300 keeps 29 % of its rate and {'more ' * 9}56 % now"), width=width
    )

    assert [line for line in said.splitlines() if line.startswith("%") or line.endswith((" 29", " 56"))] == []
    assert "29 % of" in " ".join(said.split())


def test_a_table_gives_way_in_its_words_and_never_in_its_figures():
    grid = digest().sections[0].grid
    assert grid is not None
    narrow = text.table_lines(grid, 24)
    assert narrow[400] == "Submi…   399,000  399.00x"
    assert text.table_lines(grid, 80)[400] == "Submitter 399   399,000  399.00x"


def test_wide_letters_take_two_columns():
    assert [text.columns(word) for word in ("abc", "華為", "e\u0301", "a\u200bb")] == [3, 4, 1, 2]


@pytest.mark.parametrize(
    ("words", "live"),
    [
        ("see https://evil.example/x", "https://evil"),
        ("see www.evil.com", "www.evil"),
        ("see evil.com today", "evil.com"),
        ("mail me at mailto:x@y.zz", "mailto:x"),
        ("evil.example/path", "evil.example/"),
        ("@channel", "@channel"),
    ],
)
def test_nothing_in_words_is_a_link_or_a_mention(words: str, live: str):
    assert live not in text.defused(words)
    assert text.defused(words).replace("\u200b", "") == words


def test_commands_and_names_of_the_field_stay_as_they_are():
    words = "mlperf-watcher compare NVIDIA/gb300x288@v6.1 llama3.1-8b; R&D 99.9 % v6.1 1,175,890.22"
    assert text.defused(words) == words


def test_an_atom_file_holds_the_latest_first_each_once(tmp_path: Path):
    feed = Atom(name="feed", path=str(tmp_path / "alerts.atom"), keep=3)
    for number in (1, 2, 3, 4, 2):
        feed.send(rubin(id=f"n-{number}", title=f"Alert {number} <b>&"))
    read = feedparser.parse((tmp_path / "alerts.atom").read_bytes())
    assert (read.bozo, [entry.id for entry in read.entries]) == (
        False,
        ["urn:mlperf-watcher:n-2", "urn:mlperf-watcher:n-4", "urn:mlperf-watcher:n-3"],
    )
    assert read.entries[0].title_detail == {
        "type": "text/plain", "language": None, "base": "", "value": "🔴 Alert 2 <b>&",
    }  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == [".alerts.atom.lock", "alerts.atom"]


def test_an_atom_file_can_be_looked_through(tmp_path: Path):
    feed = Atom(name="feed", path=str(tmp_path / "alerts.atom"))
    assert feed.find("n-0142-team") is None
    feed.send(rubin())
    assert feed.find("n-0142-team") == Receipt(external_id="urn:mlperf-watcher:n-0142-team")
    assert deliver(feed, rubin(), unknown=True).detail == "found at the receiver, not sent again"


def test_two_writers_of_an_atom_file_lose_nothing(tmp_path: Path):
    feed = Atom(name="feed", path=str(tmp_path / "alerts.atom"))
    writers = [
        threading.Thread(target=lambda n=n: [feed.send(rubin(id=f"n-{n}-{i}")) for i in range(10)])
        for n in range(4)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    tree = ET.parse(tmp_path / "alerts.atom")  # noqa: S314 - we wrote it
    assert len(tree.findall(f"{NS}entry")) == 40


@pytest.mark.parametrize("held", ["not xml", "<rss/>", '<!DOCTYPE x [<!ENTITY a "b">]><feed/>'])
def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path, held: str):
    path = tmp_path / "alerts.atom"
    path.write_text(held)
    with pytest.raises(BrokenReceiverError, match="not a feed of ours"):
        Atom(name="feed", path=str(path)).send(rubin())
    assert path.read_text() == held


def test_a_folder_that_is_not_there_is_the_receivers_fault(tmp_path: Path):
    with pytest.raises(BrokenReceiverError, match="check its folder and rights"):
        Atom(name="feed", path=str(tmp_path / "none" / "alerts.atom")).send(rubin())


def test_hostile_words_make_a_readable_feed(tmp_path: Path):
    path = tmp_path / "alerts.atom"
    Atom(name="feed", path=str(path)).send(hostile(title="a\x00b\ufffe\ud800"))
    read = feedparser.parse(path.read_bytes())
    assert (read.bozo, read.entries[0].title) == (False, "🔴 ab")


def test_an_atom_file_keeps_at_least_one():
    with pytest.raises(ConfigError, match="keep must be at least 1"):
        make("feed", "atom", {"path": "x", "keep": 0})


TITLE = "Vera Rubin: first per-scenario results"


class Service:
    """Apprise's interface as far as it is used; the package is optional, so the test brings this."""

    taken: ClassVar[list[tuple[str, str, str]]] = []
    over: ClassVar[threading.Event] = threading.Event()

    def add(self, url: str) -> bool:
        self.url = url
        return url.startswith("json://")

    def notify(self, *, body: str, title: str, notify_type: str, body_format: str) -> bool:
        if self.url.endswith("slow"):
            return self.over.wait()
        if self.url.endswith("odd"):
            raise LookupError("apprise's own fault")
        self.taken.append((title, notify_type, f"{body_format}: {body.splitlines()[0]}"))
        return not self.url.endswith("down")


def test_without_the_package_a_sentence_says_what_to_install():
    with pytest.raises(BrokenReceiverError, match=r"pip install 'mlperf-watcher\[apprise\]'"):
        Apprise(name="phone", url=Secret("json://planted")).send(rubin())


def test_a_service_of_apprise_that_does_not_end_leaves_the_outcome_unknown(monkeypatch: pytest.MonkeyPatch):
    library = ModuleType("apprise")
    library.Apprise = Service  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "apprise", library)
    try:
        with pytest.raises(UnknownOutcomeError, match="did not end within"):
            Apprise(name="phone", url=Secret("json://slow"), timeout=0.1).send(rubin())
    finally:
        Service.over.set()


def test_apprise_says_yes_or_no_and_no_more(monkeypatch: pytest.MonkeyPatch):
    library = ModuleType("apprise")
    library.Apprise = Service  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "apprise", library)
    Apprise(name="phone", url=Secret("json://up")).send(rubin())
    with pytest.raises(TryLaterError, match="did not take it"):
        Apprise(name="phone", url=Secret("json://planted-down")).send(rubin())
    with pytest.raises(LookupError, match="own fault"):
        Apprise(name="phone", url=Secret("json://odd")).send(rubin())
    with pytest.raises(BrokenReceiverError, match="does not know this kind of address"):
        Apprise(name="phone", url=Secret("what://planted")).send(rubin())
    assert Service.taken == [(TITLE, "warning", f"text: 🔴 {TITLE}")] * 2
