"""Posts to the ledger of claims: verdicts now, when a post is edited, and when a table changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.rows import row, table
from watcher import __version__, archive
from watcher.catalog.names import load
from watcher.claims import check
from watcher.config import Config, packaged_rules
from watcher.demo.post import BODY, TITLE
from watcher.domain import Document, Event, Post, Source, Table
from watcher.parse.article import digest, text_of
from watcher.pipeline.claiming import Claiming
from watcher.pipeline.claims_again import READER, ReadAgain, read_posts_again
from watcher.pipeline.ingest import Request, record
from watcher.pipeline.occasion import Occasion, event_id
from watcher.pipeline.parts import Watcher
from watcher.store import Store
from watcher.wiring import wire

SOURCE = Source(
    name="vendor", kind="feed", url="https://vendor.example/feed", vendor="A vendor", group="vendors"
)
SENTENCE = "<p>On DeepSeek-R1 Offline in MLPerf Inference v6.1, GB300 NVL72 reaches 679,740 tokens/s.</p>"
OTHER = "<p>On DeepSeek-R1 Server in MLPerf Inference v6.1, GB300 NVL72 reaches 596,944 tokens/s.</p>"


class Ledger:
    """A state, posts read into it an hour apart, and what the ledger says."""

    def __init__(self, watcher: Watcher, now) -> None:
        self.watcher, self.now, self.count = watcher, now, 0

    def read(
        self, html: str, *, source: Source = SOURCE, title: str = "News", baseline: bool = False
    ) -> list[Event]:
        self.count += 1
        self.now += timedelta(hours=1)
        post = Post(
            source=source.name, identity="one", url="https://vendor.example/1", title=title, html=html, text=text_of(html),
            vendor=source.vendor,
        )  # fmt: skip
        claiming = Claiming(self.watcher)
        prepared = claiming.prepare(source, [post])
        with self.watcher.store.write():
            return claiming.record(
                prepared,
                Occasion(batch=f"b{self.count}", now=self.now, source=source.name),
                baseline=baseline,
            )

    def table(self, table: Table, *, baseline: bool = False) -> tuple[Event, ...]:
        self.now += timedelta(hours=1)
        document = Document("file:///table.json", str(self.now).encode(), self.now)
        return record(self.watcher, table, document, Request(baseline=baseline), self.now)

    @property
    def verdicts(self) -> Counter[str]:
        entries = self.watcher.store.posts.claims()
        return Counter(entry.checked.verdict.verdict for entry in entries if entry.gone_at is None)


def changed(factor: float) -> Table:
    """The archived v6.1 with another DeepSeek-R1 Offline value of NVIDIA's 72 GB300."""
    table = archive.load("inference", "v6.1")
    return replace(
        table,
        results=tuple(
            replace(r, value=r.value * factor)
            if (r.submitter, r.system, r.benchmark, r.scenario)
            == ("NVIDIA", "gb300-nvl72", "deepseek-r1", "Offline")
            else r
            for r in table.results
        ),
    )


@pytest.fixture
def ledger(now) -> Iterator[Ledger]:
    with Store(now=now) as store:
        made = Ledger(wire(Config(rules=(packaged_rules(),), state=Path("unused")), store), now)
        yield made


@pytest.fixture
def filled(ledger: Ledger) -> Ledger:
    for name in ("v6.0", "v6.1"):
        ledger.table(archive.load("inference", name), baseline=True)
    return ledger


def kinds(events) -> dict[str, int]:
    return dict(Counter(event.kind for event in events))


def test_the_four_claims_of_a_post_get_the_verdicts_that_the_rows_give(filled):
    events = filled.read(BODY, title=TITLE)

    found = {
        event.subject.claim.value: event.subject.verdict for event in events if event.kind == "claim.made"
    }
    assert {value: verdict.verdict for value, verdict in found.items()} == {
        3.7: "only_in_some_scenarios",
        99.0: "confirmed",
        1.6: "not_comparable",
        30.0: "not_mlperf",
    }
    assert (found[1.6].reason, found[1.6].reading) == ("other_count", "per_accelerator")
    assert {round(e.figure, 2) for e in found[3.7].evidence if e.holds} == {3.74}


def test_a_post_on_a_sources_baseline_is_read_without_events(filled):
    assert filled.read(SENTENCE, baseline=True) == []
    assert filled.verdicts == {"confirmed": 1}


def test_a_claim_that_an_edit_drops_is_gone_and_kept_in_its_history(filled):
    filled.read(SENTENCE + OTHER)
    events = filled.read(OTHER)

    assert kinds(events) == {"post.updated": 1}
    assert filled.verdicts == {"confirmed": 1}
    assert [what for _, what, _, _ in filled.watcher.store.posts.claim_history(1)] == ["made", "gone"]


def test_a_post_that_flips_back_is_no_event_and_the_ledger_follows_it(filled):
    filled.read(SENTENCE)
    filled.read(OTHER)
    back = filled.read(SENTENCE)

    standing = [e.checked.claim.value for e in filled.watcher.store.posts.claims() if e.gone_at is None]
    assert (back, standing) == ([], [679740.0])


def test_a_corrected_table_changes_a_verdict_and_says_why(filled):
    filled.read(SENTENCE)
    events = filled.table(changed(0.5))

    (told,) = filled.watcher.store.events.listing(kinds=("claim.verdict_changed",))
    assert "result.changed" in kinds(events)
    assert (told.before.verdict.verdict, told.after.verdict.verdict) == ("confirmed", "contradicted")
    assert "results changed" in filled.watcher.store.posts.claim_history(1)[-1][3]


def test_a_claim_without_rows_waits_and_is_checked_when_they_come(ledger):
    ledger.read(SENTENCE)
    before = ledger.verdicts
    ledger.table(archive.load("inference", "v6.1"))

    assert (before, ledger.verdicts) == ({"not_found": 1}, {"confirmed": 1})


def test_figures_of_a_source_of_other_benchmarks_are_never_checked_against_the_tables(filled):
    filled.read(SENTENCE, source=replace(SOURCE, group="benchmarks"))

    assert filled.verdicts == {"not_mlperf": 1}


def test_the_same_article_by_another_way_is_told_once(filled):
    first = filled.read(SENTENCE)
    again = filled.read(SENTENCE, source=replace(SOURCE, name="mirror"))

    assert (kinds(first), again) == ({"post.added": 1, "claim.made": 1}, [])


def test_a_version_of_a_post_is_told_under_one_id_whenever_it_was_found(ledger):
    added = ledger.read(SENTENCE)[0]

    said = (SOURCE.name, "one", digest(added.after))
    assert (added.kind, added.id) == ("post.added", event_id("post.added", *said))


# ------------------------------------------------------------------------------------------------ named entries

MARKED = (
    "<p>In MLPerf Inference v6.0 on DeepSeek-R1 Offline, B300 gives 1.5x the throughput of B200.<sup>1</sup></p>"
    "<p><sup>1</sup> MLPerf Inference v6.0, Closed, entries 6.0-0002 and 6.0-0001.</p>"
)
GRID = {"round": "v6.0", "benchmark": "deepseek-r1", "scenario": "Offline"}


def numbered(*entries: str, extra: float = 300.0) -> Table:
    """A round with two submitters' pairs of B300 and B200, and these numbers; only the pair of two of them is 1.5x."""
    rows = (
        row(submitter="Dell", platform="d", value=1200.0, **GRID),
        row(
            submitter="Oracle", platform="o", value=800.0, accelerator="b200", accelerators=("b200",), **GRID
        ),
        row(submitter="HPE", platform="h3", value=1300.0, **GRID),
        row(submitter="HPE", platform="h2", value=1250.0, accelerator="b200", accelerators=("b200",), **GRID),
        row(submitter="HPE", platform="h1", value=extra, accelerator="h200", accelerators=("h200",), **GRID),
    )
    made = tuple(
        replace(each, entry=entry, organisations=(each.submitter,))
        for each, entry in zip(rows, entries, strict=True)
    )
    return table(*made)


def verdict(ledger: Ledger) -> tuple[str, str | None, str | None]:
    (entry,) = ledger.watcher.store.posts.claims()
    found = entry.checked.verdict
    return found.verdict, found.reading, (found.reason or "").rpartition(": ")[2] or None


BEFORE = ("6.0-0002", "6.0-0001", "6.0-0003", "6.0-0004", "6.0-0005")
AFTER = ("6.0-0007", "6.0-0008", "6.0-0002", "6.0-0004", "6.0-0001")
OTHERS_NOW = "6.0-0002 is HPE's 8x b300, 6.0-0001 is HPE's 8x h200"


def test_a_renumbering_is_no_event_and_the_next_check_goes_by_the_new_numbers(ledger):
    ledger.table(numbered(*BEFORE), baseline=True)
    ledger.read(MARKED)
    assert verdict(ledger) == ("confirmed", "footnote_entries", None)

    assert ledger.table(numbered(*AFTER)) == ()
    assert verdict(ledger) == ("confirmed", "footnote_entries", None)

    events = ledger.table(numbered(*AFTER, extra=301.0))
    assert kinds(events) == {"result.changed": 1}
    assert verdict(ledger) == ("contradicted", "system", OTHERS_NOW)


def test_a_post_read_after_the_renumbering_is_held_against_the_new_numbers(ledger):
    ledger.table(numbered(*BEFORE), baseline=True)
    ledger.table(numbered(*AFTER))
    ledger.read(MARKED)

    assert verdict(ledger) == ("contradicted", "system", OTHERS_NOW)


def test_a_claim_of_a_ledger_without_entries_gets_them_quietly_when_its_post_is_read_again(ledger):
    ledger.table(numbered(*BEFORE), baseline=True)
    ledger.read(MARKED)
    posts, told = ledger.watcher.store.posts, ledger.watcher.store.events.last_number()
    (now_held,) = posts.claims()
    old = check(replace(now_held.checked.claim, entries=()), numbered(*BEFORE).results, catalog=load())
    assert old.verdict == "contradicted"
    for held in (old, now_held.checked.verdict):
        without = replace(now_held.checked, claim=replace(now_held.checked.claim, entries=()), verdict=held)
        with ledger.watcher.store.write():
            posts.restate_claim(1, without)
            ledger.watcher.store.remember(READER, "older")
        before = len(posts.claim_history(1))

        assert read_posts_again(ledger.watcher, ledger.now) == ReadAgain(posts=1)
        assert posts.claims()[0].checked == now_held.checked
        assert len(posts.claim_history(1)) == before + (held is old)
    assert ledger.watcher.store.events.last_number() == told


# ------------------------------------------------------------------------------------------------ read again


def standing(ledger: Ledger) -> list[tuple[float | None, bool]]:
    return [(e.checked.claim.value, e.gone_at is None) for e in ledger.watcher.store.posts.claims()]


def misread(ledger: Ledger) -> None:
    """Let the ledger hold what an older reader might have read in the post: one claim missing, one that is none."""
    posts = ledger.watcher.store.posts
    (_, second) = posts.claims()
    wrong = replace(second.checked, claim=replace(second.checked.claim, value=1.0))
    with ledger.watcher.store.write():
        posts._run("DELETE FROM claim_history WHERE claim = ?", (second.checked.number,))
        posts._run("DELETE FROM claims WHERE number = ?", (second.checked.number,))
        posts.record_claim(second.post, wrong, ledger.now, "an older reader")
        ledger.watcher.store.remember(READER, "older")


def test_a_newer_reader_reads_kept_posts_again_and_tells_nothing(filled):
    filled.read(SENTENCE + OTHER)
    misread(filled)
    later = filled.now + timedelta(days=30)
    told = filled.watcher.store.events.last_number()

    done = read_posts_again(filled.watcher, later)

    assert done == ReadAgain(posts=1, new=1, gone=1)
    assert standing(filled) == [(679740.0, True), (1.0, False), (596944.0, True)]
    assert filled.watcher.store.events.last_number() == told
    (_, _, again) = filled.watcher.store.posts.claims()
    assert (again.made_at, again.checked.verdict.verdict) == (filled.now, "confirmed")
    ((at, what, _, cause),) = filled.watcher.store.posts.claim_history(again.checked.number)
    assert (at, what, cause) == (later, "made", f"read again by mlperf-watcher {__version__}")
    assert read_posts_again(filled.watcher, later) is None


def test_posts_are_read_again_when_the_users_own_names_change(filled, tmp_path):
    filled.read(SENTENCE)
    assert read_posts_again(filled.watcher, filled.now) == ReadAgain(posts=1)

    filled.watcher.config = replace(filled.watcher.config, catalog=tmp_path)
    del filled.watcher.claims_reader  # as the next run has it
    (tmp_path / "submitters.yaml").write_text("Acme Racks: {title: Acme Racks}\n")

    assert read_posts_again(filled.watcher, filled.now) == ReadAgain(posts=1)


def test_an_article_that_two_sources_brought_is_read_again_for_the_first_alone(filled):
    filled.read(SENTENCE)
    filled.read(SENTENCE, source=replace(SOURCE, name="another"))

    assert read_posts_again(filled.watcher, filled.now) == ReadAgain(posts=1)
    assert standing(filled) == [(679740.0, True)]


def test_what_another_benchmarks_source_says_stays_unchecked_when_it_is_read_again(filled):
    other = replace(SOURCE, group="benchmarks")
    filled.read(SENTENCE, source=other)
    filled.watcher.sources = (other,)

    assert read_posts_again(filled.watcher, filled.now) == ReadAgain(posts=1)
    assert filled.verdicts == {"not_mlperf": 1}
