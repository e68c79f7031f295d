"""What rules may watch of our own figures: who got ahead of whom, and what became of previews; from rows to messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.figure_rows import derived
from tests.pipeline_stage import AT, HOUR, Hook, Stage, hook_options
from tests.rows import row
from watcher.catalog.entries import Round
from watcher.catalog.names import load
from watcher.demo.github import GitHubServer
from watcher.domain import Promise, Rank, Result, Subject
from watcher.figures import Wanted
from watcher.figures.care import Around
from watcher.figures.passing import overtaken
from watcher.figures.wanted import Derived, with_calendar
from watcher.store.codec import dumps, loads

ROUNDS = (
    Round(suite="inference", name="v6.0", published_on=date(2026, 4, 1), expected=None, source="commits"),
    Round(suite="inference", name="v6.1", published_on=date(2026, 9, 16), expected=None, source="commits"),
)
VENDORS = frozenset({("b300", "NVIDIA")})


def by(name: str, value: float, **given: Any) -> Result:
    """A row of one submitter on eight B300."""
    return row(submitter=name, organisations=(name,), platform=f"{name}-rack", value=value, **given)


def passed(
    before: Sequence[Result], after: Sequence[Result], rounds: tuple[str, ...] = ("v6.1",)
) -> list[tuple[Any, ...]]:
    """Who was passed: (submitter, then, now, by)."""
    touched = {("inference", name) for name in rounds}
    return [
        (
            now.result.submitter,
            (then.place, then.of),
            (now.place, now.of),
            [one.submitter for one in now.ahead],
        )
        for then, now in overtaken(before, after, VENDORS, touched, Around(after))
    ]


# ------------------------------------------------------------------------------------------------ who got ahead


def test_a_better_row_in_the_same_round_passes_those_that_it_is_ahead_of():
    before = [by("Acme", 100.0), by("Umbrella", 90.0)]
    after = [*before, by("Hooli", 95.0)]

    assert passed(before, after) == [("Umbrella", (2, 2), (3, 3), ["Hooli"])]


def test_a_corrected_row_passes_too_and_who_was_ahead_before_does_not():
    before = [by("Acme", 100.0), by("Umbrella", 90.0), by("Hooli", 80.0)]
    after = [by("Acme", 100.0), by("Umbrella", 90.0), by("Hooli", 95.0)]

    assert passed(before, after) == [("Umbrella", (2, 3), (3, 3), ["Hooli"])]


def test_a_new_round_is_compared_with_the_place_in_the_round_before():
    old = [by("Acme", 100.0, round="v6.0"), by("Umbrella", 90.0, round="v6.0")]
    new = [by("Acme", 110.0), by("Umbrella", 120.0), by("Hooli", 115.0)]

    assert passed(old, [*old, *new]) == [("Acme", (1, 2), (3, 3), ["Umbrella", "Hooli"])]


def test_what_was_told_of_a_round_is_not_told_again_when_another_row_of_it_changes():
    old = [by("Acme", 100.0, round="v6.0"), by("Umbrella", 90.0, round="v6.0")]
    new = [by("Acme", 110.0), by("Umbrella", 120.0)]

    assert passed([*old, *new], [*old, *new, by("Hooli", 50.0)]) == []


def test_a_submitter_without_an_earlier_place_has_not_been_passed():
    assert passed([], [by("Acme", 100.0), by("Umbrella", 120.0)]) == []


def test_a_second_system_of_ones_own_does_not_pass_the_first():
    before = [by("Acme", 100.0)]

    assert passed(before, [*before, replace(by("Acme", 120.0), platform="acme-new")]) == []


def test_of_latencies_the_smaller_is_ahead():
    slow = {"unit": "ms", "better": "lower", "scenario": "SingleStream"}
    before = [by("Acme", 10.0, **slow), by("Umbrella", 12.0, **slow)]

    assert passed(before, [*before, by("Hooli", 9.0, **slow)]) == [
        ("Acme", (1, 2), (2, 3), ["Hooli"]),
        ("Umbrella", (2, 2), (3, 3), ["Hooli"]),
    ]


def test_another_count_is_another_contest():
    before = [by("Acme", 100.0)]

    assert passed(before, [*before, by("Hooli", 500.0, accelerator_count=16)]) == []


# ------------------------------------------------------------------------------------------------ what became of it


def promised(before: Sequence[Result], after: Sequence[Result]) -> list[tuple[str, str | None, str]]:
    keys = {each.key for each in after} - {each.key for each in before}
    found = derived(before, after, keys, Wanted(promises=True, rounds=ROUNDS))
    return [
        (one.kind, one.before.outcome if isinstance(one.before, Promise) else None, one.after.outcome)
        for one in found
        if isinstance(one.after, Promise)
    ]


PREVIEW = row(round="v6.0", availability="preview")


def test_a_preview_row_is_a_promise_made():
    assert promised([], [PREVIEW]) == [("promise.made", None, "open")]


@pytest.mark.parametrize(
    ("back", "outcome"),
    [
        (row(value=990.0), "kept"),
        (row(value=1100.0), "improved"),
        (row(value=900.0), "short"),
        (by("Umbrella", 1.0), "late"),
        (row(benchmark="whisper", benchmark_published="whisper"), "void"),
    ],
)
def test_the_round_in_which_it_is_due_decides_it_also_by_what_it_lacks(back, outcome):
    assert promised([PREVIEW], [PREVIEW, back]) == [("promise.decided", "open", outcome)]


def test_an_outcome_that_stays_is_told_no_more():
    assert promised([PREVIEW, row(value=990.0)], [PREVIEW, row(value=990.0), row(scenario="Offline")]) == []


def test_the_calendar_is_read_only_where_promises_are_watched():
    assert with_calendar(Wanted(ranks=True), lambda: pytest.fail("the calendar was read")).rounds == ()
    assert with_calendar(Wanted(promises=True), load).rounds == load().rounds()


def test_both_are_read_back_from_the_state_as_they_were():
    found = derived([PREVIEW], [PREVIEW, row()], {row().key}, Wanted(promises=True, rounds=ROUNDS))
    before = [by("Acme", 100.0), by("Umbrella", 90.0)]
    found += derived(
        before, [*before, by("Hooli", 95.0)], {by("Hooli", 95.0).key}, Wanted(ranks=True, vendors=VENDORS)
    )

    assert [type(one.after) for one in found] == [Promise, Rank]
    assert [loads(dumps(one.after), Subject) for one in found] == [one.after for one in found]
    assert all(isinstance(one, Derived) for one in found)


# ------------------------------------------------------------------------------------------------ messages

RULES = """
rules:
  - id: passed
    watch: rank
    where: {submitter_published: Acme, by: {none_of: [NVIDIA]}, by_published: {contains: Hooli}}
    when: {place: {gt: 1}}
    title: "{submitter} passed by {by}: place {place}, was {before.place}, of {of}"
    group_by: [round]
  - id: settled
    watch: promise
    title: "{submitter}: {count:preview} {outcome}, made in {round}"
    group_by: [round, submitter]
"""


@pytest.fixture
def stage(tmp_path: Path, hook: Hook) -> Iterator[Stage]:
    with GitHubServer() as github:
        made = Stage(tmp_path, github, RULES)
        made.receiver("hook", "webhook", hook_options(hook))
        yield made


def test_who_got_ahead_of_me_is_told_once_with_the_places(stage, hook):
    rows = (by("Acme", 100.0), by("Umbrella", 90.0))
    world = stage.baseline(*rows)
    stage.commit(*rows, by("Hooli", 130.0))
    for n in range(3):
        world.go(AT + n * HOUR)

    (message,) = hook.taken
    assert message["title"] == "Acme passed by Hooli: place 2, was 1, of 3"
    assert "2 of 3, was 1 of 2" in message["text"]
    assert "Hooli 1.30x" in message["text"]
    assert "MLPerf publishes no ranking" in message["text"]


def test_what_became_of_a_preview_is_told_with_its_floor(stage, hook):
    preview = tuple(
        row(round="v6.0", availability="preview", scenario=name) for name in ("Offline", "Server")
    )
    world = stage.baseline(*preview)
    stage.publish(row(scenario="Offline", value=1234.5), row(scenario="Server", value=500.0))
    for n in range(2):
        world.go(AT + n * HOUR)

    (message,) = hook.taken
    assert message["title"] == "Acme: 2 previews improved, short, made in v6.0"
    assert message["summary"] == "Acme: 2 preview rows: 1 improved and 1 fell short"
    assert ("980" in message["text"], "1,234.5" in message["text"]) == (True, True)


def test_their_alerts_carry_the_figures_for_programs(stage, hook):
    rows = (by("Acme", 100.0), by("Umbrella", 90.0))
    world = stage.baseline(*rows)
    stage.commit(*rows, by("Hooli", 130.0))
    world.go(AT)

    (alert,) = world.alerts()
    (figure,) = alert.figures
    assert isinstance(figure, Rank)
    assert (figure.result.submitter, figure.place, [one.submitter for one in figure.ahead]) == (
        "Acme",
        2,
        ["Hooli"],
    )
