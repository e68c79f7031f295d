"""A year in one test: four rounds, a digest every local date, both changes of the clock, a week without Slack, crashes.

The clock is the passes' argument; everything else is real: the state, the stand-in for GitHub, Slack's with a bot token,
a mail server for the digests, and processes that end by SIGKILL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from email import message_from_bytes, policy
from pathlib import Path

from msgspec.structs import replace

from tests.pipeline_stage import (
    DAY,
    HOUR,
    MINUTE,
    Stage,
    bot_options,
    pass_elsewhere,
    submitters,
    told_by_slack,
)
from tests.receiver_servers import Mailbox, mail_server
from watcher.demo.github import GitHubServer
from watcher.demo.local import Answer, Reply, Request
from watcher.demo.slack import SlackServer
from watcher.pipeline.one_pass import run_pass

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
ZONE = "Europe/Berlin"
DIGEST_AT = "02:30"  # on 29 March there is no such time, on 25 October there are two
CHANGES = (date(2026, 3, 29), date(2026, 10, 25))
# Day of the year → the round that goes public on it, and the point at which that day's first pass dies.
ROUNDS = {30: ("v6.1", "recording"), 120: ("v7.0", "accepted"), 205: ("v7.1", None), 300: ("v8.0", "marking")}
SLACK_DOWN = range(202, 209)
NAMES = ("Acme", "Hooli", "Initech", "Umbrella")
ALERTS_OF_ROWS = len(NAMES) + 1 + 1  # a round: each submitter's rows, a correction, a withdrawal


def times(number: int) -> Iterator[datetime]:
    """Yield when passes are made on a day of the year.

    In the morning, where something happens in the afternoon too, and every twenty minutes of the nights in which the
    clocks change.
    """
    day = START.date() + number * DAY
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if day in CHANGES:
        yield from (midnight + n * 20 * MINUTE for n in range(-6, 13))
    yield midnight + 5 * HOUR
    if number in SLACK_DOWN or any(start <= number <= start + 10 for start in ROUNDS):
        yield midnight + 15 * HOUR


def happens(stage: Stage, number: int) -> None:
    """Let the world change on a day: a round goes public, a week later a value is corrected, then a row is withdrawn."""
    for start, (name, _) in ROUNDS.items():
        rows = submitters(*NAMES, round=name)
        corrected = (replace(rows[0], value=999.0), *rows[1:])
        if number == start:
            stage.publish(*rows)
        elif number == start + 7:
            stage.commit(*corrected)
        elif number == start + 9:
            stage.commit(*corrected[:-1])


def lives() -> Iterator[tuple[list[datetime], tuple[datetime, str] | None]]:
    """Yield the times of the passes of each life of the program, and when and where its last pass dies."""
    passes: list[datetime] = []
    for number in range(1, 366):
        _, point = ROUNDS.get(number, (None, None))
        for at in times(number):
            if point is not None and at.hour == 15:
                yield passes, (at - HOUR, point)
                passes = []
            passes.append(at)
    yield passes, None


def date_of(raw: bytes) -> date:
    """Return the local date that stands at the start of a digest's text."""
    message = message_from_bytes(raw, policy=policy.default)
    text = message.get_body(("plain",)).get_content()  # type: ignore[attr-defined]
    said = re.search(r"^(\d{1,2} \w+ \d{4}): ", text, re.MULTILINE)
    assert said is not None, text
    return datetime.strptime(said[1], "%d %B %Y").replace(tzinfo=UTC).date()


class Post(Mailbox):
    """A mailbox that does not read all its mail again whenever its server looks at the handler's attributes."""

    messages = ()  # type: ignore[assignment]


class Slack(SlackServer):
    """Slack, which can be down for days."""

    down = False

    def answer(self, request: Request) -> Answer:
        """Answer as Slack would, or that it cannot."""
        return Reply(503) if self.down else super().answer(request)


def test_in_a_year_every_alert_comes_once_and_one_digest_a_local_date(tmp_path: Path):
    ends: list[int] = []
    days_done: set[date] = set()  # days on which the world has changed before the pass that died
    with GitHubServer(limit=100_000) as github, Slack() as slack, mail_server(Post()) as box:
        stage = Stage(tmp_path, github)
        mail = {"host": "127.0.0.1", "port": box.port, "sender": "watcher@example.org", "tls": "none"}
        stage.receiver("team", "slack", bot_options(slack))
        stage.receiver(
            "mail", "mail", mail, to=("ann@example.com",), alerts=False, zone=ZONE, digest_at=DIGEST_AT
        )
        stage.publish(*submitters(*NAMES, round="v6.0"))
        world = stage.world
        world.go(START)
        for passes, death in lives():
            with world.watcher(now=START) as watcher:
                for at in passes:
                    number = (at.date() - START.date()).days
                    slack.down = number in SLACK_DOWN
                    if at.hour == 15 and at.date() not in days_done:
                        happens(stage, number)
                    run_pass(watcher, at)
            if death is not None:
                at, point = death
                days_done.add(at.date())
                happens(stage, (at.date() - START.date()).days)
                ends.append(pass_elsewhere(world, at, (point, 1)))
        alerts, states, digests = world.alerts(), world.states("team"), [date_of(raw) for raw in box.raw]

    rules = Counter(alert.rule for alert in alerts)
    assert (rules["new-round"], rules["rows"], ends) == (4, 4 * ALERTS_OF_ROWS, [-9, -9, -9])
    assert rules["trouble"] == 2  # that Slack took nothing for hours, and that it does again
    owed = {alert.name: 1 for alert in alerts if alert.rule != "trouble"}  # Slack is not told of itself
    assert (told_by_slack(slack), states) == (owed, {"sent": len(owed)})
    assert digests == [START.date() + number * DAY for number in range(1, 366)]
