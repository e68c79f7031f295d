"""Stories of everything that is not a row or a figure: rounds, names, sources, posts, claims, and a deadline passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from watcher.domain import (
    Alert,
    CheckedClaim,
    Event,
    Link,
    NewName,
    Post,
    PublishedRound,
    Section,
    SourceTrouble,
)
from watcher.render import claims, words
from watcher.render.compact import grouped
from watcher.render.story import Story

SHOWN = 20  # names, claims or sources that one message lists
Subject = TypeVar("Subject")

_SOURCE = {
    "failing": "fails",
    "recovered": "works again",
    "stale": "has been silent for too long",
    "held_back": "has a table that is held back",
}


def _subjects(alert: Alert, kind: type[Subject]) -> list[Subject]:
    return [event.subject for event in alert.events if isinstance(event.subject, kind)]


def _listed(lines: Sequence[str], noun: str) -> tuple[str, ...]:
    more = [f"and {words.plural(len(lines) - SHOWN, f'more {noun}')}"] if len(lines) > SHOWN else []
    return (*lines[:SHOWN], *more)


def links(pairs: Sequence[tuple[str, str | None]]) -> tuple[Link, ...]:
    """Return links of those that have a web address, each address once."""
    by_url = {url: text for text, url in reversed(pairs) if url and url.startswith(("https://", "http://"))}
    return tuple(Link(text=text, url=url) for url, text in reversed(by_url.items()))


def published_round(alert: Alert) -> Story:
    """Tell that a round is out, and whether its table has been read."""
    rounds = _subjects(alert, PublishedRound)
    parts = []
    for one in rounds:
        counted = (
            f"with {words.plural(one.results, 'result')}" if one.results else "its table is not read yet"
        )
        parts.append(f"{words.suite_round(one.suite, one.round)} is public, {counted}")
    pages = links([(one.repository or words.suite_round(one.suite, one.round), one.url) for one in rounds])
    commands = [
        f"mlperf-watcher results --suite {one.suite} --round {one.round}" for one in rounds[:3] if one.results
    ]
    section = Section(bullets=tuple(commands), links=pages)
    return Story("; ".join(parts), (section,))


def new_name(alert: Alert) -> Story:
    """Tell names never seen before, with how many rows carry them and since when we would know."""
    names = _subjects(alert, NewName)
    kinds = grouped(names, lambda one: one.kind)
    parts = [
        f"{words.plural(len(those), f'new {kind}')}: {words.joined(map(_called, those), limit=4)}"
        for kind, those in kinds.items()
    ]
    lines = [f"{_called(one)}: {_rows_of(one)}" for one in names]
    since = words.joined(sorted({one.since for one in names if one.since}))
    note = (
        f"First in the tables and names we hold (since {since}); a new spelling of a known name is not counted."
        if since
        else ""
    )
    where = words.joined((words.suite_round(one.suite, one.round) for one in names), limit=3)
    section = Section(
        paragraphs=(note,) if note else (),
        bullets=_listed(lines, "name"),
        links=links([(_called(one), one.url) for one in names])[:6],
    )
    return Story(f"{where}: {'; '.join(parts)}", (section,))


def _called(name: NewName) -> str:
    if name.kind in {"accelerator", "benchmark"}:
        return words.title(name.kind, name.name)
    return name.name.replace("_", " ") if name.kind == "submitter" else name.name


def _rows_of(name: NewName) -> str:
    if name.kind == "column":
        return "a column that we do not know; its values are kept as published"
    return words.plural(name.results, "row") if name.results else "no row yet"


def source(alert: Alert) -> Story:
    """Tell that we are blind somewhere, or no longer, with what to do about it."""
    troubles = [(event, event.subject) for event in alert.events if isinstance(event.subject, SourceTrouble)]
    if not troubles:
        return Story(alert.title)
    parts = [f"{_named(trouble)} {_SOURCE.get(_word(event), _word(event))}" for event, trouble in troubles]
    lines = [_trouble_words(_word(event), trouble) for event, trouble in troubles]
    commands = [command for event, trouble in troubles[:3] if (command := _next_step(_word(event), trouble))]
    section = Section(
        paragraphs=tuple(lines[:SHOWN]),
        bullets=tuple(dict.fromkeys(commands)),
        links=links([(trouble.source, trouble.url) for _event, trouble in troubles])[:6],
    )
    return Story(words.capital(words.joined(parts, limit=3)), (section,))


def _named(trouble: SourceTrouble) -> str:
    if trouble.failure == "receiver":
        return trouble.source
    return f"source {trouble.source}"


def _word(event: Event) -> str:
    return event.kind.partition(".")[2]


def _trouble_words(word: str, trouble: SourceTrouble) -> str:
    since = f" since {words.moment(trouble.since)}" if trouble.since else ""
    times = f", {trouble.failures} times in a row" if trouble.failures > 1 else ""
    message = trouble.message.rstrip(". ")
    if trouble.failure == "receiver":
        return f"{words.capital(trouble.source)}: {message}."
    if word == "recovered":
        return f"{trouble.source} answers again{f'; it had failed{since}' if since else ''}. What it published meanwhile is read now."
    if word == "held_back":
        until = " The table is kept out until it is whole again or a person accepts it."
        until = "" if "it is kept out" in message else until
        return f"{trouble.source}: {message}.{until} The results held before still stand."
    return f"{trouble.source} ({trouble.failure}){since}{times}: {message}. Until it works again, news of it cannot reach you."


def _next_step(word: str, trouble: SourceTrouble) -> str | None:
    if word == "recovered":
        return None
    if trouble.failure == "receiver":
        return f"mlperf-watcher send-test {trouble.source.removeprefix('receiver ').partition('/')[0]}"
    if trouble.source == "ingest":  # a local table, which no source brings again
        return "mlperf-watcher ingest FILE --accept"
    return f"mlperf-watcher sources check {trouble.source}"


def post(alert: Alert) -> Story:
    """Tell a post by its title and when it came out; its words stay at its own address."""
    events = [(event, event.subject) for event in alert.events if isinstance(event.subject, Post)]
    posts = [one for _event, one in events]
    lines = []
    for event, one in events:
        changed = " (changed since it was first read)" if _word(event) == "updated" else ""
        dated = f", {words.day(one.published_at.date())}" if one.published_at else ""
        lines.append(f"{one.vendor or one.source}{dated}: {one.title}{changed}")
    pages = links([(f"Post: {one.title[:80]}", one.url) for one in posts])[:SHOWN]
    summary = f"{words.plural(len(posts), 'post')} by {words.joined((one.vendor or one.source for one in posts), limit=3)}"
    if len(posts) == 1:
        summary = lines[0]
        lines = []
    return Story(summary, (Section(bullets=_listed(lines, "post"), links=pages),))


def claim(alert: Alert) -> Story:
    """Tell claims against the rows, one line each, and the quotes they come from."""
    events = [(event, event.subject) for event in alert.events if isinstance(event.subject, CheckedClaim)]
    checked = [one for _event, one in events]
    owners = words.joined((one.vendor or one.source or "a text" for one in checked), limit=3)
    lines = [claims.line(one) + _was(event) for event, one in events]
    summary = f"{owners}, {words.plural(len(checked), 'claim')} against the rows: {claims.tally(checked)}"
    quotes = [f"“{one.claim.quote[:240]}”" for one in checked[:3] if one.claim.quote]
    numbers = [one.number for one in checked if one.number is not None]
    commands = [f"mlperf-watcher claims check {' '.join(map(str, numbers[:6]))}"] if numbers else []
    return Story(
        summary,
        (
            Section(heading="The post against the rows", bullets=_listed(lines, "claim")),
            Section(
                paragraphs=tuple(dict.fromkeys(quotes)),
                bullets=tuple(commands),
                links=links([(one.post_title or "Post", one.post_url) for one in checked])[:6],
            ),
        ),
    )


def _was(event: Event) -> str:
    before = event.before
    if _word(event) != "verdict_changed" or not isinstance(before, CheckedClaim):
        return ""
    return f" (was: {claims.MEANINGS.get(before.verdict.verdict, before.verdict.verdict)})"


def deadline(alert: Alert) -> Story:
    """Tell that a rule has not fired by its deadline."""
    return Story(
        f"the rule {alert.rule} was watched until its deadline, and nothing matched",
        (
            Section(
                paragraphs=(
                    "The rule stays in force. The command below shows what came nearest, and what stopped it.",
                )
            ),
        ),
    )
