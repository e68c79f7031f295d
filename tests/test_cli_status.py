"""``status`` for people: each line that is not well names what is wrong and what to do about it."""

from __future__ import annotations

import re

import pytest

from tests.operation import acme, place
from watcher.demo.local import LocalServer, Reply
from watcher.demo.published import summary


class Hook(LocalServer):
    """A webhook that answers with ``status``."""

    status = 503

    def answer(self, _request):
        return Reply(self.status)


@pytest.fixture
def site(tmp_path):
    with place(tmp_path) as made:
        yield made


@pytest.fixture
def hook(site):
    with Hook() as server:
        site.configure(receivers='[receivers.hook]\nkind = "webhook"\nurl_file = "hook-url"\n')
        (site.folder / "hook-url").write_text(server.url)
        (site.folder / "hook-url").chmod(0o600)
        yield server


def told(site):
    return site.run("status").stdout


def news(site, count):
    (site.folder / "news.json").write_bytes(summary(acme(count, round="v6.1")))
    site.run("ingest", "news.json")


def test_a_receiver_that_takes_nothing_is_named_with_what_was_tried(site, hook):
    news(site, 1)

    assert "  receiver hook: 1 delivery waits for another try: " in told(site)
    assert "answered 503" in told(site)
    assert "\nDeliveries: 1 pending, 1 waiting\n" in told(site)


def test_a_broken_receiver_is_told_once_with_the_command_that_tries_it(site, hook):
    hook.status = 404
    news(site, 1)

    lines = [line for line in told(site).splitlines() if "receiver hook" in line]

    assert len(lines) == 1
    assert lines[0].startswith("  receiver hook: broken since ")
    assert lines[0].endswith(
        "; put it right, then `mlperf-watcher send-test hook`: what it is owed is then due with the next run"
    )


@pytest.mark.parametrize("status", [404, 503])
def test_what_a_mended_receiver_is_owed_is_due_once_a_test_message_arrived(site, hook, status):
    hook.status = status
    news(site, 2)
    hook.status = 200

    before = site.run("run"), told(site)
    tested = site.run("send-test", "hook").stdout
    mended = told(site)
    site.run("run")

    assert before[1].startswith("Something needs you:")
    assert re.fullmatch(
        r"hook: sent; answered 200\n  \d deliver(y|ies) that it is owed (is|are) due with the next run\n",
        tested,
    )
    assert mended.startswith("All is well.")
    assert " waiting" in mended
    assert told(site).startswith("All is well.")
    assert re.search(r"(?m)^Deliveries: \d sent$", told(site))


def test_a_mended_receiver_is_told_of_as_recovered_though_a_test_mended_it(site, hook):
    hook.status = 404
    hooked = '[receivers.hook]\nkind = "webhook"\nurl_file = "hook-url"\n'
    site.configure(receivers=f'{hooked}[receivers.log]\nkind = "console"\n')
    news(site, 1)
    hook.status = 200
    site.run("send-test", "hook")

    assert "it works again and gets what it was owed" in site.run("run").stdout


def test_a_failing_source_is_told_with_the_command_that_shows_each_step(site):
    site.run("run")
    site.github.fail(500)
    for _ in range(3):
        site.run("run", "inference")

    assert told(site).splitlines()[1].endswith("; `mlperf-watcher sources check inference` shows each step")


def test_a_table_held_back_is_told_with_the_command_that_takes_it(site):
    news(site, 9)
    news(site, 3)

    assert told(site).splitlines()[1].endswith("or until you accept it (ingest --accept)")
    assert told(site).count("--accept") == 1


def test_where_no_source_is_in_force_it_says_that_nothing_is_watched_and_how_to_mend_it(site):
    (site.folder / "watcher.toml").write_text("[watcher]\ngroups = []\n")

    done = site.run("status")

    assert done.returncode == 0  # no source fails, and results may come by ingest alone
    assert done.stdout.startswith(
        "Nothing is watched: no source is in force, so only `ingest` brings results; turn groups on"
    )
    assert "All is well" not in done.stdout
    assert site.run("sources", "list").stdout.startswith("No source is in force: nothing is watched.")
    assert site.json("status")["warnings"] == [done.stdout.splitlines()[0]]


def test_a_state_that_is_not_there_is_named_as_such(site):
    said = site.run("--state", "typo/watcher.db", "status").stdout.splitlines()

    assert said[-1] == "State: typo/watcher.db (not there yet: nothing is held)"
    assert not (site.folder / "typo").exists()


def test_one_table_is_one_table(site):
    news(site, 1)

    assert "results held: 1 in 1 table\n" in told(site)
