"""The demo: three published rounds and a post replayed on this machine, over HTTP, through the same pipeline.

Everything published is real (watcher/archive); the one correction, the one withdrawal, the trouble and the post's
wording are made up for the demo, and said to be.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from watcher import archive
from watcher.config import Config, ReceiverConfig, packaged_rules
from watcher.demo.github import GitHubServer
from watcher.demo.post import FeedServer
from watcher.demo.published import summary, summary_results
from watcher.demo.slack import SlackServer
from watcher.domain import Result, Secret, Source
from watcher.fetch import Fetcher
from watcher.pipeline.one_pass import Pass, run_pass
from watcher.pipeline.parts import Watcher
from watcher.render.words import plural
from watcher.store import Store
from watcher.wiring import wire

BEFORE = datetime(2026, 9, 15, 12, tzinfo=UTC)
PUBLISHED = datetime(2026, 9, 16, 15, 0, tzinfo=UTC)
TABLE_61 = "summary.json"
REPOSITORY_61 = "inference_results_v6.1"


class Told(Struct):
    """What the demo did, over all its passes."""

    passes: list[Pass] = field(default_factory=list)
    slack_messages: int = 0
    downloads: int = 0


class Stage(Struct, kw_only=True):
    """The stand-ins and the wired program."""

    github: GitHubServer
    slack: SlackServer
    feed: FeedServer
    watcher: Watcher
    say: Callable[[str], None]
    told: Told = field(default_factory=Told)

    def act(self, at: datetime, words: str) -> Pass:
        """Say what happens and do one pass over every source."""
        self.say(f"\n── {at:%d %b %H:%M} UTC · {words}")
        downloads, messages = len(self.github.downloads()), len(self.slack.messages)
        done = run_pass(self.watcher, at, only=self.watcher.sources)
        self.told.passes.append(done)
        for name, message in done.checked.failed.items():
            self.say(f"   {name}: {message}")
        for table, count in done.checked.baselines.items():
            self.say(f"   {table}: {count} results recorded as the baseline, nothing sent")
        self.say(
            f"   {plural(len(self.github.downloads()) - downloads, 'file')} fetched, "
            f"{plural(len(done.alerts), 'alert')}, {plural(len(self.slack.messages) - messages, 'Slack message')}"
        )
        return done


def play(out: Path, *, stream: Any, say: Callable[[str], None]) -> tuple[Told, Watcher]:
    """Play the demo; leave the state and the Slack messages in ``out``. The caller closes the watcher's store."""
    out.mkdir(parents=True, exist_ok=True)
    state = out / "watcher.db"
    for old in (state, Path(f"{state}-wal"), Path(f"{state}-shm")):
        old.unlink(missing_ok=True)
    with GitHubServer() as github, SlackServer() as slack, FeedServer() as feed:
        store = Store(state, now=BEFORE)
        stage = Stage(
            github=github,
            slack=slack,
            feed=feed,
            watcher=_wired(store, github, slack, feed, out, stream),
            say=say,
        )
        with store.lock():
            _acts(stage)
        stage.told.slack_messages = len(slack.messages)
        stage.told.downloads = len(github.downloads())
        _leave(out, slack)
        return stage.told, stage.watcher


def _wired(
    store: Store, github: GitHubServer, slack: SlackServer, feed: FeedServer, out: Path, stream: Any
) -> Watcher:
    config = Config(
        state=out / "watcher.db",
        rules=(packaged_rules(),),
        receivers=(
            ReceiverConfig(name="you", kind="console"),
            ReceiverConfig(name="team-slack", kind="slack", options={"webhook_url": Secret(slack.webhook)}),
        ),
        default_receivers=("you", "team-slack"),
    )
    here = ("127.0.0.1",)
    sources = (
        Source(
            name="inference", kind="results_repos", url=github.api, suite="inference", group="mlcommons",
            options={"api": github.api, "raw": github.raw, "web": github.web}, allow_hosts=here,
        ),
        Source(name="vendor-posts", kind="feed", url=feed.address, vendor="Example vendor", group="vendors", allow_hosts=here),
    )  # fmt: skip
    watcher = wire(config, store, sources=sources, stream=stream)
    watcher.make_fetcher = lambda: Fetcher(min_gap=0.0)
    return watcher


def _acts(stage: Stage) -> None:
    github, feed = stage.github, stage.feed
    rows = archive.load("inference", "v6.1").results
    for name in ("v5.1", "v6.0"):
        table = summary_results(archive.load("inference", name).results)
        github.publish(f"inference_results_{name}", {"summary_results.json": table})
    stage.act(BEFORE, "the first pass: what is public already becomes the baseline")

    github.publish(REPOSITORY_61, {TABLE_61: summary(_misspelt(rows))})
    stage.act(PUBLISHED, "MLPerf Inference v6.1 goes public, one accelerator spelt 'VeraRubin'")

    feed.publish()
    stage.act(PUBLISHED + timedelta(minutes=10), "a vendor's post arrives (worded for this demo)")

    stage.act(
        PUBLISHED + timedelta(minutes=25),
        "no further post came: the claims against the rows follow in the brief's thread",
    )

    github.commit(REPOSITORY_61, TABLE_61, summary(rows))
    stage.act(PUBLISHED + timedelta(hours=2), "the spelling is corrected to 'Vera Rubin': no news")

    corrected = _corrected(rows)
    github.commit(REPOSITORY_61, TABLE_61, summary(corrected))
    stage.act(PUBLISHED + timedelta(hours=20), "one value is corrected (made up for this demo)")

    github.commit(REPOSITORY_61, TABLE_61, summary(_withdrawn(corrected)))
    stage.act(
        PUBLISHED + timedelta(hours=26), "one row is gone (made up): it may come back, so nothing is told yet"
    )
    stage.act(PUBLISHED + timedelta(hours=27), "still gone at the next poll: withdrawn")

    github.fail(500)
    for hour in (28, 29, 30):
        stage.act(PUBLISHED + timedelta(hours=hour), "the server of the tables fails (made up)")
    github.recover()
    stage.act(PUBLISHED + timedelta(hours=31), "it answers again")
    stage.act(PUBLISHED + timedelta(hours=32), "a pass over an unchanged world")


def _misspelt(rows: Sequence[Result]) -> tuple[Result, ...]:
    def spelt(text: str | None) -> str | None:
        return text.replace("Vera Rubin", "VeraRubin") if text else text

    return tuple(
        replace(
            row, accelerator_published=spelt(row.accelerator_published), system_name=spelt(row.system_name)
        )
        for row in rows
    )


def _corrected(rows: Sequence[Result]) -> tuple[Result, ...]:
    chosen = next(row for row in rows if row.submitter == "Crusoe" and row.scenario == "Server")
    return tuple(replace(row, value=row.value * 0.97) if row.key == chosen.key else row for row in rows)


def _withdrawn(rows: Sequence[Result]) -> tuple[Result, ...]:
    chosen = next(row for row in rows if row.submitter == "Lambda" and row.scenario == "Offline")
    return tuple(row for row in rows if row.key != chosen.key)


def _leave(out: Path, slack: SlackServer) -> None:
    folder = out / "slack"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    for number, message in enumerate(slack.messages, 1):
        text = json.dumps(message.content, indent=2, ensure_ascii=False)
        (folder / f"{number:02d}.json").write_text(text + "\n", encoding="utf-8")
