"""The daily digest through whole passes: its facts on a loud, a quiet and a bad day, when it comes, and on request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.pipeline_stage import AT, DAY, HOUR, MINUTE, Hook, Stage, World, acme, hook_options, submitters
from tests.receiver_servers import Mailbox, mail_server
from watcher.demo.github import GitHubServer
from watcher.demo.published import summary
from watcher.pipeline.digest_again import digest_now, digest_of, page_of
from watcher.pipeline.digest_facts import gather
from watcher.quiet import Silence
from watcher.render.digest import ChangeCount, DeliveryCounts, DigestFacts, SourceCounts

MORNING = datetime(2026, 9, 17, 6, 0, tzinfo=UTC)  # 08:00 in Berlin, the day after round v6.1
BERLIN = {"zone": "Europe/Berlin", "digest_at": "08:00"}


@pytest.fixture
def stage(tmp_path: Path, github: GitHubServer, hook: Hook) -> Stage:
    made = Stage(tmp_path, github)
    made.receiver("hook", "webhook", hook_options(hook), **BERLIN)
    return made


def digests(hook: Hook) -> list[dict[str, Any]]:
    return [message for message in hook.taken if message["kind"] == "digest"]


def section(digest: dict[str, Any], heading: str) -> str:
    """Return the words of one part of a digest."""
    (found,) = (each for each in digest["sections"] if each["heading"] == heading)
    return " ".join([*found["paragraphs"], *found["bullets"]])


def facts(world: World, since: datetime, until: datetime) -> DigestFacts:
    with world.watcher() as watcher:
        return gather(watcher, day=date(2026, 9, 17), zone="Europe/Berlin", since=since, until=until)


# ------------------------------------------------------------------------------------------------ what it says


def test_a_publication_day_has_its_round_its_alerts_and_what_was_delivered(stage, hook):
    world = stage.baseline(*submitters("Acme", "Initech", round="v6.0"))
    stage.publish(*submitters("Acme", "Umbrella"))
    world.go(AT)
    world.go(MORNING)

    found = facts(world, AT - HOUR, MORNING)
    assert [(one.suite, one.round, one.results, one.results_before) for one in found.rounds] == [
        ("inference", "v6.1", 2, 2)
    ]
    assert [alert.rule for alert in found.alerts] == ["new-round", "rows", "rows"]
    assert found.changes == tuple(
        ChangeCount(suite="inference", round="v6.1", submitter=name, kind="added", count=1)
        for name in ("Acme", "Umbrella")
    )
    assert (found.sources, found.deliveries) == (SourceCounts(total=1, fine=1), DeliveryCounts(sent=3))
    (digest,) = digests(hook)
    assert digest["title"] == "v6.1 is out: two of your watches fired"
    assert section(digest, "Health") == "1 of 1 source fine · 3 alerts, 3 delivered · 4 results of 2 rounds"


def test_a_quiet_day_is_short_and_sent_all_the_same(stage, hook):
    world = stage.baseline()
    world.go(MORNING)

    (digest,) = digests(hook)
    assert digest["title"] == "Nothing new, the source is fine"
    assert section(digest, "Health") == "1 of 1 source fine · no alerts · 2 results of 1 round"
    assert {each["heading"] for each in digest["sections"]} <= {"Promises and deadlines", "Health"}


def test_a_bad_day_names_the_failing_source_the_broken_receiver_and_what_it_is_owed(stage, hook, github):
    with Hook() as broken:
        stage.receiver("broken", "webhook", hook_options(broken))
        world = stage.baseline()
        stage.publish(*submitters("Acme"))
        broken.fail(*[401] * 50)
        world.go(AT)
        github.fail(500)
        for hours in range(1, 5):
            world.go(AT + hours * HOUR)
        world.go(MORNING)

    (digest,) = digests(hook)
    assert digest["severity"] == "high"
    trouble = section(digest, "In trouble")
    assert "Source inference (server) since 16 September 2026, 16:05 UTC" in trouble
    assert "Receiver broken since 16 September 2026, 15:05 UTC, 3 waiting: the webhook answered" in trouble
    assert section(digest, "Health").startswith("0 of 1 source fine · 4 alerts, 4 delivered, 3 waiting")


def test_what_was_held_back_is_counted_with_its_reason(stage, hook):
    stage.receivers[0] = replace(stage.receivers[0], min_severity="high")
    world = stage.baseline(*acme(3, round="v6.0"))
    with world.watcher() as watcher, watcher.store.write():
        watcher.store.outbox.add_silence(
            Silence(
                matcher={"rule": ("new-round",)},
                author="ann",
                comment="busy",
                created_at=AT,
                expires_at=AT + HOUR,
            )
        )
    stage.publish(*submitters("Acme", "Umbrella"))
    world.go(AT)
    world.go(MORNING)

    (digest,) = digests(hook)
    assert (
        "Held back: 3 deliveries (2 hook takes high and above; 1 silenced by ann until 2026-09-16"
        in section(digest, "Health")
    )
    assert hook.told["A-0001"] == hook.told["A-0002"] == 1  # in the digest alone


def test_what_was_sent_late_counts_on_the_day_that_it_was_sent(stage, hook):
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    with Hook() as late:
        stage.receiver("late", "webhook", hook_options(late))
        world = stage.world
        late.fail(*[500] * 30)
        world.go(AT)
        world.go(MORNING)
        late.script.clear()
        world.go(MORNING + 4 * HOUR)

    before, after = facts(world, AT - HOUR, MORNING), facts(world, MORNING, MORNING + DAY)
    assert (before.deliveries.sent, after.deliveries) == (2, DeliveryCounts(sent=2 + 2))
    assert [alert.rule for alert in after.alerts] == [
        "trouble",
        "trouble",
    ]  # of the receiver, and that it is over


def test_a_table_that_comes_days_after_its_repository_is_a_round_on_the_day_that_it_comes(stage, github):
    world = stage.baseline()
    github.publish("inference_results_v6.1", {"README.md": b"soon"})
    world.go(AT)
    stage.commit(*submitters("Acme"))
    world.go(AT + 2 * DAY)

    first, second = facts(world, AT - HOUR, AT + HOUR), facts(world, AT + DAY, AT + 3 * DAY)
    assert ([one.round for one in first.rounds], [one.round for one in second.rounds]) == ([], ["v6.1"])


def test_a_later_correction_is_a_change_and_no_new_round(stage):
    rows = acme(3, round="v6.0")
    world = stage.baseline(*rows)
    stage.commit(*acme(4, round="v6.0"))
    world.go(AT)

    found = facts(world, AT - MINUTE, AT + HOUR)
    assert (found.rounds, [(one.kind, one.count) for one in found.changes]) == ((), [("added", 1)])


# ------------------------------------------------------------------------------------------------ when it comes


def test_it_comes_once_a_local_date_at_its_hour_whoever_restarts(stage, hook):
    world = stage.baseline()
    for minutes in range(-10, 60 * 50, 65):
        world.go(MORNING + minutes * MINUTE)

    assert [digest["id"] for digest in digests(hook)] == list(dict.fromkeys(d["id"] for d in digests(hook)))
    assert [m["text"].partition("\n\n")[2][:17] for m in digests(hook)] == [
        "17 September 2026", "18 September 2026", "19 September 2026",
    ]  # fmt: skip


def test_after_a_sleep_of_days_one_digest_covers_them_all(stage, hook):
    world = stage.baseline()
    world.go(MORNING)
    stage.publish(*submitters("Acme"))
    world.go(MORNING + HOUR)
    world.go(MORNING + 5 * DAY + HOUR)
    world.go(MORNING + 5 * DAY + 2 * HOUR)

    first, second = digests(hook)
    assert ("v6.1" in first["title"], second["title"]) == (False, "v6.1 is out: two of your watches fired")


def test_a_clock_that_was_in_the_wrong_year_costs_no_digest(stage, hook):
    world = stage.baseline()
    world.go(MORNING)
    world.go(MORNING + 200 * DAY)
    for days in (1, 2):
        world.go(MORNING + days * DAY + HOUR)

    assert len(digests(hook)) == 4


def test_each_recipient_gets_a_digest_of_its_own(stage):
    with mail_server(Mailbox()) as box:
        stage.receivers.clear()
        options = {"host": "localhost", "port": box.port, "sender": "watcher@example.org", "tls": "none"}
        stage.receiver(
            "mail", "mail", options, to=("ann@example.com", "bob@example.com"), alerts=False, **BERLIN
        )
        world = stage.baseline()
        world.go(MORNING)
        world.go(MORNING + HOUR)

    assert box.recipients == ["ann@example.com", "bob@example.com"]
    assert {message["Subject"] for message in box.messages} == {box.messages[0]["Subject"]}


def test_a_receiver_that_was_down_gets_every_days_digest_in_order(stage, hook):
    world = stage.baseline()
    hook.fail(*[503] * 60)
    for hours in range(0, 72, 3):
        world.go(MORNING + hours * HOUR)
    hook.script.clear()
    for hours in range(72, 78):
        world.go(MORNING + hours * HOUR)

    days = [digest["text"].partition("\n\n")[2].partition(":")[0] for digest in digests(hook)]
    assert days == [f"{day} September 2026" for day in (17, 18, 19, 20)]


# ------------------------------------------------------------------------------------------------ on request


def test_a_date_is_repeated_as_it_was_sent_though_the_rows_have_changed(stage, hook):
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    world.go(AT)
    world.go(MORNING)
    stage.commit(*(replace(row, value=5.0) for row in submitters("Acme")))
    world.go(MORNING + HOUR)

    with world.watcher() as watcher:
        again = digest_of(watcher, watcher.config.receivers[0], date(2026, 9, 17), MORNING + DAY)
        now = digest_now(watcher, watcher.config.receivers[0], MORNING + 2 * HOUR)
    assert (again.recorded, again.notification.title) == (True, digests(hook)[0]["title"])
    assert (now.recorded, now.notification.title) == (False, "1 alert")
    assert page_of(again).count("<title>v6.1 is out: two of your watches fired</title>") == 1


def test_a_date_without_a_digest_is_told_from_midnight_to_midnight(stage):
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    world.go(AT)

    with world.watcher() as watcher:
        found = digest_of(watcher, watcher.config.receivers[0], date(2026, 9, 16), AT + DAY).facts
    berlin = (datetime(2026, 9, 15, 22, tzinfo=UTC), datetime(2026, 9, 16, 22, tzinfo=UTC))
    assert ((found.since, found.until), len(found.alerts)) == (berlin, 2)


# ------------------------------------------------------------------------------------------------ the command


def command(stage: Stage, hook: Hook, *args: str) -> tuple[int, Any, str]:
    """Run `digest` as a program over the stage's state; return its exit code, JSON document and standard error."""
    config = stage.folder / "watcher.toml"
    config.write_text(
        f'[watcher]\nstate = "{stage.folder}/watcher.db"\nrules = ["{stage.folder}/rules.yaml"]\n'
        "[receivers.hook]\nkind = 'webhook'\nurl_env = 'HOOK'\ndigest_at = '08:00'\nzone = 'Europe/Berlin'\n"
        "[receivers.quiet]\nkind = 'webhook'\nurl_env = 'HOOK'\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "watcher", "digest", "--config", str(config), "--json", *args],
        capture_output=True, text=True, check=False, env={**os.environ, "HOOK": f"{hook.url}/in"},
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def test_the_command_writes_a_page_and_sends_a_date_once_more_on_request(stage, hook):
    world = stage.baseline()
    stage.publish(*submitters("Acme"))
    world.go(AT)
    world.go(MORNING)
    sent = len(hook.taken)
    page = stage.folder / "day.html"

    code, document, said = command(stage, hook, "--date", "2026-09-17", "--preview", str(page), "--send")

    assert (code, said) == (0, f"wrote {page}\n")
    assert document["digest"]["title"] == "v6.1 is out: two of your watches fired"
    assert document["sent"] == [{"receiver": "hook", "state": "sent", "last_error": None}]
    again = hook.taken[sent:]
    assert [message["title"] for message in again] == [document["digest"]["title"]]
    assert "sent on request at 20" in again[0]["text"]
    assert again[0]["id"] != digests(hook)[0]["id"]
    assert page.read_text().startswith("<!doctype html>")


def test_what_was_sent_on_request_is_recorded_and_the_daily_one_still_comes(stage, hook):
    world = stage.baseline()
    for _ in range(2):
        command(stage, hook, "--date", "2026-09-16", "--send")
    world.go(MORNING)

    names = [delivery.about for delivery in world.owed() if delivery.kind == "digest"]
    assert names == ["2026-09-16#1", "2026-09-16#2", "2026-09-17"]


def test_a_console_leaves_standard_output_to_the_json_document(stage, hook):
    stage.baseline()
    config = stage.folder / "console.toml"
    config.write_text(
        f'[watcher]\nstate = "{stage.folder}/other.db"\ngroups = []\n[receivers.me]\nkind = "console"\n'
    )
    table = stage.folder / "table.json"
    table.write_bytes(summary(submitters("Acme")))

    done = subprocess.run(
        [sys.executable, "-m", "watcher", "ingest", str(table), "--json", "--config", str(config)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert json.loads(done.stdout)["deliveries"]["sent"] == 2
    assert "MLPerf Inference v6.1 is public" in done.stderr


def test_a_digest_that_is_not_taken_ends_with_4_and_stays_owed(stage, hook):
    world = stage.baseline()
    hook.fail(500)

    code, document, _ = command(stage, hook, "--send", "--receiver", "quiet")

    assert (code, document["sent"][0]["state"], world.states()) == (4, "waiting", {"waiting": 1})


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--date", "yesterday"], "--date must be a date such as 2026-09-17, not 'yesterday'"),
        (["--date", "2999-01-01"], "2999-01-01 has not come yet in Europe/Berlin"),
        (["--receiver", "hok"], "there is no receiver 'hok'; did you mean 'hook'?"),
        (["--preview", "/no/such/folder/x.html"], "--preview: /no/such/folder/x.html cannot be written"),
    ],
)
def test_wrong_use_is_refused_in_one_line(stage, hook, args, said):
    stage.baseline()

    code, document, error = command(stage, hook, *args)

    assert (code, error.count("\n")) == (2, 1)
    assert said in error
    assert said in document["error"]["message"]
