"""The digest: what it says on a day with news, on a quiet one, and on one with trouble; its page."""

from __future__ import annotations

from datetime import UTC, date, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests import slack_rules
from tests.messages import NOW, alert, claim, event, gb300, hours, row, vera_rubin
from tests.notifications import HOSTILE, hostile, picture
from watcher.catalog import names
from watcher.catalog.entries import Round
from watcher.domain import Image, SourceTrouble
from watcher.figures.promises import promises
from watcher.notifiers import slack_blocks, text
from watcher.parse import read_table
from watcher.render import digest, html
from watcher.render.digest import (
    ChangeCount,
    DeliveryCounts,
    DeliveryTrouble,
    DigestFacts,
    SourceCounts,
    VerdictChange,
    Waiting,
    digest_notification,
)
from watcher.render.round_facts import Deadline, deadlines, round_facts, round_words, who_words

ROUNDS = [
    Round(suite="inference", name="v6.1", published_on=date(2026, 9, 16), expected=None, source="commits")
]
BEFORE = [gb300(round="v6.0"), gb300(round="v6.0", submitter="Lenovo", organisations=("Lenovo",))]
AFTER = [
    row(),
    row(scenario="Offline"),
    gb300(),
    row(submitter="Wiwynn", organisations=("Wiwynn",), division="open"),
]


def facts(**changes: Any) -> DigestFacts:
    values: dict[str, Any] = {
        "day": date(2026, 9, 17), "zone": "Europe/Berlin", "since": NOW - hours(9), "until": NOW + hours(15),
        "sources": SourceCounts(total=31, fine=31), "holding": "2,460 results of 3 rounds",
    }  # fmt: skip
    return DigestFacts(**{**values, **changes})


def busy(**changes: Any) -> DigestFacts:
    values: dict[str, Any] = {
        "rounds": (round_facts(AFTER, BEFORE),),
        "alerts": (alert(event("result.removed", before=row()), severity="info", number=143), vera_rubin()),
        "changes": (ChangeCount(suite="inference", round="v6.0", submitter="Dell_MangoBoost", kind="changed", count=2),),
        "claims": (claim(),),
        "verdicts": (VerdictChange(before=claim(verdict=replace(claim().verdict, verdict="not_found")), after=claim()),),
        "figures": (Image(name="ratios", png=picture(), alt="Ratios by scenario"),),
        "notes": ("The largest totals are on AMD.",),
        "care": ("Two submitters publish the identical value 516.012.",),
        "waiting": (Waiting(rule="rack-power", what="Rack power", nearest=("Nebius, 36 accelerators",), until=datetime(2026, 12, 31, tzinfo=UTC)),),
        "deadlines": (*deadlines(promises(AFTER, ROUNDS)), Deadline(what="Training v6.1 expected", on=date(2026, 11, 11))),
        "deliveries": DeliveryCounts(sent=4, waiting=1),
        "suppressed": (("digest only", 1), ("silenced by ann: known", 2)),
    }  # fmt: skip
    return facts(**{**values, **changes})


def sections(one: DigestFacts) -> dict[str, list[str]]:
    """Return each heading with the words below it."""
    found: dict[str, list[str]] = {}
    heading = ""
    for section in digest_notification(one, now=NOW).sections:
        heading = section.heading or heading
        said = [*([section.lead] if section.lead else []), *section.paragraphs, *section.bullets]
        found.setdefault(heading, []).extend(said)
    return found


def test_a_day_with_a_new_round_is_told_in_this_order():
    assert list(sections(busy())) == [
        digest.MINUTE, digest.ASKED, digest.CHANGED, digest.WORTH, digest.WHO, digest.CLAIMS, digest.CARE, digest.WAITING,
        digest.DEADLINES, digest.HEALTH,
    ]  # fmt: skip


def test_the_subject_says_what_is_out_what_fired_and_what_did_not():
    assert (
        digest_notification(busy(), now=NOW).title
        == "v6.1 is out: two of your watches fired, rack-power did not"
    )
    assert digest.summary(busy()) == (
        "17 September 2026: MLPerf Inference v6.1 with 4 results, 2 alerts and 1 claim"
    )


def test_a_round_is_told_beside_the_one_before():
    one = round_facts(AFTER, BEFORE)
    assert round_words(one) == [
        "MLPerf Inference v6.1: 4 results (v6.0: 2) by 2 submitter entries (2): closed datacenter 3, open 1.",
        "Preview: 3 rows, all Vera Rubin.",
        "Measured power: none, as in v6.0.",
    ]
    assert who_words(one) == [
        "First in the tables we hold (since v6.0): Wiwynn.",
        "Absent after v6.0: Lenovo.",
    ]


def test_a_first_round_has_nothing_beside_it():
    one = round_facts(AFTER)
    assert round_words(one)[0].startswith("MLPerf Inference v6.1: 4 results by 2 submitter entries: ")
    assert who_words(one) == []


def test_preview_rows_are_promises_with_a_date_and_a_bound():
    latency = row(scenario="SingleStream", value=9.8, unit="ms", better="lower")
    (promise,) = deadlines(promises([row(), latency, gb300()], ROUNDS))
    assert (promise.what, promise.on) == ("NVIDIA, Vera Rubin NVL72", date(2027, 2, 3))
    assert promise.bounds == (
        ("DeepSeek-R1 Server", "≥ 1,152,372 tokens/s"),
        ("DeepSeek-R1 SingleStream", "≤ 10 ms"),
    )


def test_every_alert_stands_in_it_the_most_severe_first():
    asked = sections(busy())[digest.ASKED]
    assert [line for line in asked if line.startswith("A-")] == [
        "A-0142 · Vera Rubin: Server, Interactive results by NVIDIA, MLPerf Inference v6.1 (closed, PREVIEW)",
        "A-0143 · A title",
    ]
    assert digest_notification(busy(), now=NOW).alerts == ("A-0143", "A-0142")


def test_a_suppressed_alert_stands_in_it_with_its_reason():
    one = facts(alerts=(alert(event("result.added", row()), suppressed="cooldown: told at 12:00"),))
    assert "A-0142 · A title (not sent: cooldown: told at 12:00)" in sections(one)[digest.ASKED]


def test_many_alerts_are_told_in_part_and_counted():
    many = tuple(alert(event("result.added", row()), number=n) for n in range(40))
    asked = sections(facts(alerts=many))[digest.ASKED]
    assert sum(line.startswith("A-") for line in asked) == 12
    assert asked[-2:] == ["And 28 more alerts.", "mlperf-watcher alerts list"]


def test_what_changed_is_counted_by_round_and_submitter():
    changes = (
        ChangeCount(suite="training", round="v5.1", submitter="Verda", kind="renamed", count=14),
        ChangeCount(suite="training", round="v5.1", submitter="Verda", kind="changed", count=1),
        ChangeCount(suite="inference", round="v6.0", submitter="Dell_MangoBoost", kind="removed", count=2),
    )
    notification = digest_notification(facts(changes=changes), now=NOW)
    assert notification.title == "17 rows changed"
    assert notification.sections[0].grid is not None
    assert notification.sections[0].grid.rows == (
        ("Training v5.1", "Verda", "14 renamed and 1 changed"),
        ("Inference v6.0", "Dell MangoBoost", "2 removed"),
    )


def test_claims_are_counted_by_verdict_and_changed_verdicts_say_what_they_were():
    lines = sections(busy())[digest.CLAIMS]
    assert lines[0] == "1 claim: 1 only in some scenarios."
    assert lines[1].startswith('NVIDIA: ◐ "up to 3.7x" on Qwen3-VL')
    assert lines[2].endswith("(was: no row to check it against)")


def test_what_is_still_waited_for_names_its_nearest_miss_and_deadline():
    assert sections(busy())[digest.WAITING] == [
        "Rack power: nothing yet. Nearest: Nebius, 36 accelerators. Until 31 December 2026."
    ]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((8, 0, 8), "8 sources, none checked yet"),
        ((8, 5, 2), "6 sources checked, 5 fine, 2 not checked yet"),
        ((0, 0, 0), "no source is in force: nothing is watched"),
    ],
)
def test_sources_that_were_not_checked_are_not_called_checked(counts, said):
    total, fine, unchecked = counts
    quiet = facts(sources=SourceCounts(total=total, fine=fine, unchecked=unchecked))

    assert digest_notification(quiet, now=NOW).summary.endswith(f"; {said}")
    assert sections(quiet)[digest.HEALTH][0].startswith(f"{said} · no alerts")


def test_a_quiet_day_is_a_short_sign_of_life():
    quiet = facts(waiting=busy().waiting, deadlines=busy().deadlines)
    notification = digest_notification(quiet, now=NOW)
    assert (notification.title, notification.severity) == ("Nothing new, all 31 sources fine", "info")
    assert notification.summary == (
        "17 September 2026: nothing was published, changed or claimed; 31 sources checked, 31 fine"
    )
    assert sections(quiet) == {
        digest.WAITING: [
            "Rack power: nothing yet. Nearest: Nebius, 36 accelerators. Until 31 December 2026."
        ],
        digest.DEADLINES: ["Next, 11 November 2026: Training v6.1 expected"],
        digest.HEALTH: ["31 of 31 sources fine · no alerts · 2,460 results of 3 rounds"],
    }


def test_a_state_without_any_source_says_so():
    nothing = digest_notification(facts(sources=SourceCounts(total=0, fine=0)), now=NOW)
    assert (nothing.title, nothing.summary) == (
        "Nothing new",
        "17 September 2026: nothing was published, changed or claimed; no source is in force: nothing is watched",
    )


def test_trouble_is_in_the_subject_and_told_with_its_cause():
    trouble = facts(
        sources=SourceCounts(total=31, fine=30),
        source_troubles=(
            SourceTrouble(source="hpcwire", url=None, failure="blocked", message="403.", since=NOW),
        ),
        delivery_troubles=(
            DeliveryTrouble(receiver="team", reason="Slack answered 404", waiting=3, gave_up=1, since=NOW),
        ),
    )
    notification = digest_notification(trouble, now=NOW)
    assert (notification.title, notification.severity) == (
        "Nothing new: 1 source in trouble, 1 receiver in trouble",
        "high",
    )
    assert sections(trouble)[digest.TROUBLE] == [
        "Source hpcwire (blocked) since 16 September 2026, 15:05 UTC: 403",
        "Receiver team since 16 September 2026, 15:05 UTC, 3 waiting and 1 given up: Slack answered 404",
    ]


def test_what_was_held_back_is_counted_with_its_reasons():
    assert sections(busy())[digest.HEALTH] == [
        "31 of 31 sources fine · 2 alerts, 4 delivered, 1 waiting · 2,460 results of 3 rounds",
        "Held back: 3 deliveries (1 digest only; 2 silenced by ann: known).",
    ]


def test_a_digest_names_its_date_and_how_to_see_it_again():
    notification = digest_notification(busy(), now=NOW)
    assert (notification.id, notification.see_all) == (
        "digest-2026-09-17",
        "mlperf-watcher digest --date 2026-09-17",
    )
    assert notification.footer.startswith(
        "Digest of 17 September 2026 (Europe/Berlin), from 16 September 2026, 06:05 UTC"
    )


@pytest.mark.parametrize(
    "one", [busy(), facts(), busy(alerts=tuple(vera_rubin(number=n) for n in range(60)))]
)
def test_a_digest_keeps_slacks_rules(one: DigestFacts):
    assert slack_rules.broken(slack_blocks.message(digest_notification(one, now=NOW))) == []


# ------------------------------------------------------------------------------------------------ the page


class Page(HTMLParser):
    """What a page holds: tags with their attributes, and whether they are closed in order."""

    VOID = frozenset({"meta", "img", "br", "hr"})

    def __init__(self, document: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def attributes(self, tag: str, name: str) -> list[str | None]:
        return [attrs.get(name) for found, attrs in self.tags if found == tag]


def test_the_page_stands_alone_and_loads_nothing():
    notification = digest_notification(busy(), now=NOW)
    document = html.page(notification, tiles=html.tiles(busy()))
    found = Page(document)
    assert found.open == []
    assert [tag for tag, _ in found.tags if tag in {"script", "link", "iframe", "object"}] == []
    assert found.attributes("img", "alt") == ["Ratios by scenario"]
    assert all((src or "").startswith("data:image/png;base64,") for src in found.attributes("img", "src"))
    assert "url(" not in document
    assert "@media (prefers-color-scheme:dark)" in document


def test_the_page_shows_the_day_in_figures_and_the_parts_in_two_columns():
    notification = digest_notification(busy(), now=NOW)
    assert [(tile.label, tile.figure, tile.note) for tile in html.tiles(busy())] == [
        ("Inference v6.1", "4", "v6.0: 2"),
        ("Rows changed", "2", "outside new rounds"),
        ("Alerts", "2", "2 rules"),
        ("Claims", "1", "1 new verdict"),
        ("Sources fine", "31", "of 31"),
        ("Delivered", "4", "1 not yet"),
    ]
    assert [part.heading for part in html.parts(notification.sections) if part.aside] == [
        digest.WAITING, digest.DEADLINES, digest.HEALTH,
    ]  # fmt: skip


def test_of_many_new_rounds_the_newest_are_the_figures_of_the_day():
    rounds = tuple(round_facts([row(round=name)], ()) for name in ("v5.1", "v6.0", "v6.1"))

    labels = [tile.label for tile in html.tiles(facts(rounds=rounds))]

    assert labels[:2] == ["Inference v6.0", "Inference v6.1"]


def test_hostile_words_stay_words_on_the_page():
    document = html.page(hostile())
    found = Page(document)
    assert HOSTILE.split(" https")[0] in "".join(found.words)
    assert found.attributes("a", "href") == ["https://ok.example/a|b>c <d>?e=1&f=2"]
    assert "<b>50" not in document
    assert "&amp;amp;" not in document


def test_the_real_round_is_told_as_it_was(real: Path):
    def table(name: str) -> Any:
        return read_table((real / "mlperf" / name).read_bytes(), name=name, catalog=names.load())[0].results

    after, before = table("inference_v6.1_summary.json.gz"), table("inference_v6.0_summary_results.json.gz")
    one = round_facts(after, before)
    assert " ".join(round_words(one)) == (
        "MLPerf Inference v6.1: 492 results (v6.0: 520) by 33 submitter entries (25): closed datacenter 457, closed edge 19, "
        "open 16. Preview: 8 rows, all Vera Rubin. Measured power: none, as in v6.0."
    )
    assert {"Lenovo", "GATEOverflow"} <= set(one.absent)
    bounds = dict(
        bound
        for promise in deadlines(promises(after, ROUNDS))
        for bound in promise.bounds
        if promise.what.startswith("NVIDIA")
    )
    assert bounds["DeepSeek-R1 Server"] == "≥ 1,152,372 tokens/s"
    assert "V6.1" not in text.plain(digest_notification(facts(rounds=(one,)), now=NOW))
