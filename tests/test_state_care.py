"""The state in bad times: a full disk, no permission, damage, two programs, an upgrade; backups and exports."""

from __future__ import annotations

import csv
import io
import json
import resource
import shutil
import signal
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.operation import Hook, Place, acme, may_mount, mounting, obey_permissions, place, program
from tests.rows import row
from watcher import __version__
from watcher.catalog.names import load as load_catalog
from watcher.cli.export import cell, write_csv
from watcher.cli.why import subject_form
from watcher.config import Config
from watcher.demo.published import summary
from watcher.domain import Document, NewName, Notification, Rank, Result, Source
from watcher.errors import HeldBackError, ParseError
from watcher.pipeline.clock import put_right, set_back
from watcher.pipeline.contents import hold_back
from watcher.pipeline.ingest import Request, ingest_file, load_archive
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.parts import VERSION
from watcher.pipeline.recording import Recorder
from watcher.pipeline.rereading import reread
from watcher.sources import read
from watcher.store import Store
from watcher.store.sources import content_digest
from watcher.wiring import wire

AT = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
ONE_LINE = 1


@pytest.fixture
def site(tmp_path: Path):
    with place(tmp_path) as made:
        yield made


def held(site: Place) -> None:
    """Give the site a state of three results, without asking its source."""
    (site.folder / "table.json").write_bytes(summary(acme(3, round="v6.0")))
    assert site.run("ingest", "table.json", "--baseline").returncode == 0


def news(site: Place, count: int) -> tuple[str, ...]:
    """Return the words of a command that brings a new round of so many results."""
    (site.folder / "news.json").write_bytes(summary(acme(count, round="v6.1")))
    return ("ingest", "news.json")


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def forget_next_checks(state: Path) -> None:
    with closing(sqlite3.connect(state)) as opened, opened:
        opened.execute(
            "UPDATE sources SET health = json_set(health, '$.next_check_at', '2026-01-01T00:00:00+00:00')"
        )


# ------------------------------------------------------------------------------------------------ a full disk


def full_after(size: int):
    """Return a function for the child that lets no file grow beyond ``size`` bytes, as on a full disk."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    return limit


def test_a_disk_that_fills_up_within_a_run_is_one_line_and_the_next_run_tells_the_news(site):
    with Hook() as hook:
        site.configure(receivers=hook.receiver)
        held(site)
        bring = news(site, 300)
        wal = Path(f"{site.state}-wal")
        room = max(site.state.stat().st_size, wal.stat().st_size if wal.exists() else 0) + 16_384

        full = site.run(*bring, preexec_fn=full_after(room))
        assert (full.returncode, len(lines(full.stderr))) == (1, ONE_LINE)
        assert "disk" in full.stderr
        assert hook.told == []

        assert site.run(*bring).returncode == 0
        assert hook.told[0] == "MLPerf Inference v6.1 is public"
    assert site.json("results", "--round", "v6.1")["count"] == 300


def test_a_full_file_system_is_one_line_and_loses_nothing(site, tmp_path):
    held(site)
    bring, small, after = news(site, 300), tmp_path / "small", tmp_path / "after.db"
    small.mkdir()
    script = (
        f"mount -t tmpfs -o size=600k tmpfs {small} && cp {site.state} {small}/watcher.db && "
        f'head -c 4M /dev/zero > {small}/filler 2>/dev/null; "$@"; code=$?; cp {small}/watcher.db {after}; exit $code'
    )
    if may_mount():
        full = program("--state", str(small / "watcher.db"), *bring, cwd=site.folder, before=mounting(script))
    else:
        full = site.run(*bring, preexec_fn=full_after(site.state.stat().st_size + 16_384))
        shutil.copy(site.state, after)

    assert (full.returncode, len(lines(full.stderr))) == (1, ONE_LINE)
    assert "disk" in full.stderr
    with Store(after, now=AT, read_only=True) as store:
        store.check()
        assert [state.results for state in store.tables.all()] == [3]


def test_the_daemon_waits_for_a_disk_to_be_freed(site):
    site.run("run")
    forget_next_checks(site.state)
    room = site.state.stat().st_size + 16_384
    site.publish(*acme(300, round="v6.1"))

    with site.daemon(preexec_fn=full_after(room)) as process:
        line = process.expect("tried again every minute")
        resource.prlimit(
            process.pid, resource.RLIMIT_FSIZE, (-1, resource.prlimit(process.pid, resource.RLIMIT_FSIZE)[1])
        )
        process.send(signal.SIGHUP)

        assert "disk" in line
        assert "the state can be used again" in process.expect("the state can be used again")
        assert process.stop() == 0
    assert site.json("results", "--round", "v6.1")["count"] == 300


# ------------------------------------------------------------------------------------------------ no permission


def test_a_state_that_cannot_be_written_is_one_line_and_can_still_be_asked(site):
    held(site)
    site.state.parent.chmod(0o500)
    site.state.chmod(0o400)
    try:
        refused = site.run(*news(site, 2), preexec_fn=obey_permissions)
        asked = site.run("results", "--json", preexec_fn=obey_permissions)
    finally:
        site.state.parent.chmod(0o700)
        site.state.chmod(0o600)

    assert (refused.returncode, len(lines(refused.stderr))) == (1, ONE_LINE)
    assert "watcher.db" in refused.stderr
    assert json.loads(asked.stdout)["count"] == 3
    assert site.run(*news(site, 2)).returncode == 0


def test_a_read_only_file_system_is_one_line(site):
    held(site)
    folder = site.state.parent
    script = f'mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} && exec "$@"'
    folder.chmod(0o700 if may_mount() else 0o500)
    how = {"before": mounting(script)} if may_mount() else {"preexec_fn": obey_permissions}
    try:
        refused = site.run(*news(site, 2), **how)
        asked = site.run("status", **how)
    finally:
        folder.chmod(0o700)

    assert (refused.returncode, len(lines(refused.stderr))) == (1, ONE_LINE)
    assert asked.returncode == 0


# ------------------------------------------------------------------------------------------------ damage


def damaged(state: Path) -> None:
    """Overwrite the middle of a state, as a failing disk does."""
    with closing(sqlite3.connect(state)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with state.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (state.stat().st_size - 16_384))


@pytest.mark.parametrize(
    "words", [("run", "inference"), ("status",), ("daemon",), ("results",), ("export", "events")]
)
def test_a_damaged_state_is_one_line_that_says_what_to_do(site, words):
    held(site)
    damaged(site.state)

    done = site.run(*words)

    assert (done.returncode, len(lines(done.stderr))) == (1, ONE_LINE)
    assert "restore a backup" in done.stderr


def test_a_file_that_is_no_state_is_left_alone(site):
    site.state.parent.mkdir()
    site.state.write_bytes(b"these are my notes, not a database" * 100)

    done = site.run("run")

    assert (done.returncode, len(lines(done.stderr))) == (1, ONE_LINE)
    assert site.state.read_bytes().startswith(b"these are my notes")


def test_a_state_of_a_newer_program_is_refused_untouched(site):
    held(site)
    with closing(sqlite3.connect(site.state)) as opened, opened:
        opened.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('watcher', 'm999_future', '')"
        )
    before = site.state.read_bytes()

    done = site.run("run")

    assert (done.returncode, len(lines(done.stderr))) == (1, ONE_LINE)
    assert "made by a newer mlperf-watcher" in done.stderr
    assert site.state.read_bytes() == before


# ------------------------------------------------------------------------------------------------ backup


def test_a_backup_is_taken_while_the_daemon_works_and_can_be_put_back(site, tmp_path):
    copy = tmp_path / "copy.db"
    with site.daemon() as process:
        process.expect("checked=1")
        done = site.run("backup", str(copy))
        assert done.returncode == 0
        assert "3 results, and the copy is sound" in done.stdout
        assert process.stop() == 0
    assert sorted(path.name for path in tmp_path.glob("copy.db*")) == ["copy.db"]
    assert copy.stat().st_mode & 0o777 == 0o600

    shutil.rmtree(site.state.parent)
    site.state.parent.mkdir()
    shutil.copy(copy, site.state)
    assert site.json("results")["count"] == 3
    assert site.run("status").returncode == 0


def test_a_backup_never_overwrites_and_needs_a_state(site, tmp_path):
    assert "there is no state yet" in site.run("backup", str(tmp_path / "copy.db")).stderr
    held(site)
    (tmp_path / "copy.db").write_text("precious")

    done = site.run("backup", str(tmp_path / "copy.db"))

    assert (done.returncode, (tmp_path / "copy.db").read_text()) == (2, "precious")
    assert "is there already" in done.stderr


def test_a_backup_onto_a_full_disk_leaves_nothing_behind(site, tmp_path):
    held(site)

    done = site.run("backup", str(tmp_path / "copy.db"), preexec_fn=full_after(32_768))

    assert (done.returncode, len(lines(done.stderr))) == (1, ONE_LINE)
    assert list(tmp_path.glob("copy.db*")) == []


# ------------------------------------------------------------------------------------------------ export


def test_results_are_exported_as_csv_and_as_json_lines(site, tmp_path):
    site.run("run")

    assert (
        site.run("export", "--out", str(tmp_path / "results.csv")).stdout
        == f"{tmp_path}/results.csv: 3 results\n"
    )
    rows = list(csv.DictReader(io.StringIO((tmp_path / "results.csv").read_text(encoding="utf-8"))))
    parsed = [json.loads(line) for line in lines(site.run("export", "--format", "jsonl").stdout)]

    assert [(r["submitter"], r["platform"], float(r["value"])) for r in rows] == [
        ("Acme", "rack-0", 1000.0), ("Acme", "rack-1", 1001.0), ("Acme", "rack-2", 1002.0),
    ]  # fmt: skip
    assert rows[0]["system_type"] == "datacenter"
    assert parsed == site.json("results")["results"]
    assert site.json("export", "results") == {"results": parsed}


def test_events_alerts_claims_and_deliveries_are_exported(site):
    held(site)
    site.run(*news(site, 2))

    def exported(what: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(site.run("export", what).stdout)))

    assert [event["kind"] for event in exported("events")] == [
        "round.published",
        "result.added",
        "result.added",
    ]
    assert exported("events")[1]["about"] == "Acme, 8 x b300: deepseek-r1 Server, v6.1"
    assert [(a["id"], a["rule"], a["deliveries"]) for a in exported("alerts")][:2] == [
        ("A-0001", "new-round", "you: sent"), ("A-0002", "rows", "you: sent"),
    ]  # fmt: skip
    assert {each["state"] for each in exported("deliveries")} == {"sent"}
    assert exported("claims") == []
    nested = json.loads(lines(site.run("export", "alerts", "--format", "jsonl").stdout)[1])
    assert [r["platform"] for r in nested["rows"]] == ["rack-0", "rack-1"]


def test_what_an_event_is_about_is_exported_with_all_its_fields_by_name(site):
    name = NewName(kind="column", name="zz", suite="inference", round="v6.1", results=0)
    rank = Rank(
        result=row(), place=2, of=2, system_type=None, best=row(value=2.0), median=1.5, vendor=None, to_best=0.5,
        to_median=0.7, to_vendor=None,
    )  # fmt: skip

    assert subject_form(name) == {
        "kind": "column", "name": "zz", "since": None, "suite": "inference", "round": "v6.1", "results": 0, "url": None,
    }  # fmt: skip
    assert subject_form(rank).keys() == set(Rank.__struct_fields__)
    assert subject_form(rank)["best"].keys() == set(Result.__struct_fields__)


def test_tables_under_embargo_are_left_out_unless_asked_for(site, tmp_path):
    (tmp_path / "secret.json").write_bytes(summary(acme(2, round="v7.0")))
    site.run("ingest", "secret.json", "--private")

    assert lines(site.run("export").stdout) == []
    assert lines(site.run("export", "events").stdout) == []
    assert len(lines(site.run("export", "--private").stdout)) == 3
    assert len(lines(site.run("export", "events", "--private").stdout)) > 1


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1"])
def test_no_text_is_a_formula_in_a_spreadsheet(text):
    made = cell(text)
    assert isinstance(made, str)
    assert made.startswith("'")


def test_cells_keep_numbers_and_lose_control_characters():
    assert [cell(value) for value in (-1.5, 3, None, True, "a\x00b", ["x", "y"], [{"kind": "measured", "value": 1, "unit": "W"}])] == [
        -1.5, 3, "", "true", "a b", "x; y", "measured 1 W",
    ]  # fmt: skip


def test_csv_with_every_kind_of_text_is_read_back_by_the_standard_reader():
    hostile = ['a"b', "a,b", "a;b", "line\nbreak", "=HYPERLINK(0)"]
    stream = io.StringIO()

    assert write_csv([{"n": n, "text": text} for n, text in enumerate(hostile)], stream) == 5
    assert [each["text"] for each in csv.DictReader(io.StringIO(stream.getvalue()))] == [
        *hostile[:4],
        "'=HYPERLINK(0)",
    ]


def test_what_cannot_be_exported_is_told_with_the_nearest(site):
    done = site.run("export", "event")

    assert done.returncode == 2
    assert "did you mean 'events'?" in done.stderr


# ------------------------------------------------------------------------------------------------ a clock set back


def test_a_clock_set_back_is_one_line_and_every_source_is_checked(site):
    site.run("run")
    with closing(sqlite3.connect(site.state)) as opened, opened:
        opened.execute(
            "UPDATE sources SET health = json_set(health, '$.checked_at', '2031-01-01T00:00:00+00:00', "
            "'$.next_check_at', '2031-01-01T01:00:00+00:00')"
        )

    done = site.run("run", "--verbose")
    again = site.run("run", "--verbose")

    assert [line.partition(" warning ")[2][:24] for line in lines(done.stderr) if " warning " in line] == [
        "the clock was set back; "
    ]
    assert "checked=1" in done.stderr
    assert "the clock was set back" not in again.stderr


def test_deliveries_do_not_wait_for_the_wrong_time(now):
    with Store(now=now) as store:
        watcher = wire(
            Config(), store, sources=[Source(name="s", kind="feed", url="https://example.org/feed")]
        )
        later = now + timedelta(days=900)
        with store.write():
            health = {"checked_at": later.isoformat()}
            store.sources.save(
                "s", kind="feed", url="https://example.org/feed", health=health, next_check_at=later
            )
            for receiver, until in (("far", later), ("tonight", now + timedelta(hours=6))):
                digest = store.outbox.add_digest(receiver, "2026-09-16", _notification(now), now)
                store.outbox.owe(receiver, now, digest=digest, until=until, reason="quiet hours")
            made = now + timedelta(hours=20)  # by the wrong clock; never tried
            digest = store.outbox.add_digest("made later", "2026-09-17", _notification(made), made)
            store.outbox.owe("made later", made, digest=digest)

        assert set_back(watcher, now) == timedelta(days=900)
        put_right(watcher, now)
        assert [each.next_attempt_at for each in store.outbox.open()] == [now, now + timedelta(hours=6), now]


def _notification(now: datetime):
    return Notification(id="n", kind="digest", title="t", severity="info", summary="s", created_at=now)


# ------------------------------------------------------------------------------------------------ after an upgrade


class Upgraded:
    """A state that an older program wrote: one table from a kept file, whose accelerators it could not read."""

    def __init__(self, folder: Path, now: datetime) -> None:
        self.now = now
        self.store = Store(folder / "watcher.db", now=now)
        self.watcher = wire(Config(), self.store)
        (folder / "table.json").write_bytes(summary(acme(3, round="v6.1")))
        ingest_file(self.watcher, folder / "table.json", Request(baseline=True), now)
        self._sql("UPDATE machines SET accelerator = NULL, accelerators = NULL")
        with self.store.write():
            self.store.remember(VERSION, "0.0.1")

    def _sql(self, statement: str) -> None:
        with closing(sqlite3.connect(self.store.path)) as opened, opened:
            opened.executescript(statement)

    def accelerators(self) -> list[str | None]:
        return [result.accelerator for result in self.store.tables.results()]


@pytest.fixture
def upgraded(tmp_path, now):
    made = Upgraded(tmp_path, now)
    yield made
    made.store.close()


def test_after_an_upgrade_what_is_kept_is_read_again_quietly(upgraded):
    assert upgraded.accelerators() == [None] * 3

    done = reread(upgraded.watcher, upgraded.now)

    assert done is not None
    assert (done.tables, done.failed) == (["inference v6.1"], {})
    assert upgraded.accelerators() == ["b300"] * 3
    assert upgraded.store.events.counts() == {}
    assert upgraded.store.recall(VERSION) == __version__
    assert reread(upgraded.watcher, upgraded.now) is None


def test_rows_that_only_the_old_reading_had_go_quietly_too(upgraded):
    upgraded._sql(
        "CREATE TEMP TABLE machine AS SELECT * FROM machines WHERE platform = 'rack-0';"
        "CREATE TEMP TABLE run AS SELECT * FROM results WHERE machine IN (SELECT id FROM machine);"
        "UPDATE machine SET id = 99, platform = 'ghost';"
        "UPDATE run SET id = 99, machine = 99, key = replace(key, 'rack-0', 'ghost');"
        "INSERT INTO machines SELECT * FROM machine; INSERT INTO results SELECT * FROM run"
    )
    assert len(upgraded.accelerators()) == 4

    reread(upgraded.watcher, upgraded.now)

    assert upgraded.accelerators() == ["b300"] * 3
    assert upgraded.store.events.counts() == {}


def test_a_row_that_was_missing_before_the_upgrade_is_still_told_as_removed_after_it(tmp_path, now):
    made = Upgraded(tmp_path, now)
    (tmp_path / "table.json").write_bytes(summary(acme(3, round="v6.1")[:2]))
    with closing(made.store):
        ingest_file(made.watcher, tmp_path / "table.json", Request(), now)
        reread(made.watcher, now)
        assert made.store.events.counts() == {}

        ingest_file(made.watcher, tmp_path / "table.json", Request(), now + timedelta(hours=1))
        assert made.store.events.counts() == {"result.removed": 1}


def test_a_table_that_the_new_program_cannot_read_stays_as_it_was(upgraded):
    digest = upgraded.store.tables.find("inference", "v6.1").digest
    upgraded._sql(f"UPDATE documents SET body = (SELECT x'789c030000000001') WHERE digest = '{digest}'")

    done = reread(upgraded.watcher, upgraded.now)

    assert done is not None
    assert list(done.failed) == ["inference v6.1"]
    assert upgraded.accelerators() == [None] * 3


def test_archived_tables_are_taken_from_the_new_archive(tmp_path, now):
    with Store(tmp_path / "watcher.db", now=now) as store:
        watcher = wire(Config(), store)
        load_archive(watcher, now)
        with closing(sqlite3.connect(store.path)) as opened, opened:
            opened.execute("UPDATE machines SET accelerator = NULL WHERE accelerator = 'vera-rubin'")
        with store.write():
            store.remember(VERSION, "0.0.1")

        done = reread(watcher, now)

        assert done is not None
        assert done.tables == ["inference v5.1", "inference v6.0", "inference v6.1"]
        assert any(result.accelerator == "vera-rubin" for result in store.tables.results(rounds=("v6.1",)))
        assert store.events.counts() == {}


def test_a_table_that_could_not_be_read_is_told_as_the_news_it_was_once_it_can_be(tmp_path, now):
    source = Source(name="inference", kind="results_repos", url="https://api.github.com", suite="inference")
    with Store(tmp_path / "watcher.db", now=now) as store:
        watcher = wire(Config(), store, sources=(source,))
        web = "https://github.com/mlcommons/inference_results_v6.1/blob/main/summary.json"
        raw = "https://raw.githubusercontent.com/mlcommons/inference_results_v6.1/0123abcd/summary.json"
        occasion = Occasion(batch="inference#7", now=now, source="inference", url=web)
        with store.write():
            store.sources.keep(Document(raw, summary(acme(2, round="v6.1")), now), "inference")
            hold_back(
                watcher, "inference", "v6.1", ParseError("a shape we do not know"), occasion, quiet=False
            )
            store.remember(VERSION, "0.0.1")

        done = reread(watcher, now + timedelta(days=2))

        assert done is not None
        assert done.recovered == ["inference v6.1"]
        assert store.events.counts() == {
            "name.new": 1, "round.published": 1, "result.added": 2, "source.held_back": 1,
        }  # fmt: skip
        state = store.tables.find("inference", "v6.1")
        assert state is not None
        assert (state.results, state.held_back_at) == (2, None)


def test_a_table_that_lost_too_much_stays_held_back_after_an_upgrade(tmp_path, now):
    source = Source(name="inference", kind="results_repos", url="https://api.github.com", suite="inference")
    with Store(tmp_path / "watcher.db", now=now) as store:
        watcher = wire(Config(), store, sources=(source,))
        (tmp_path / "summary.json").write_bytes(summary(acme(9, round="v6.1")))
        ingest_file(watcher, tmp_path / "summary.json", Request(baseline=True), now)
        (tmp_path / "summary.json").write_bytes(summary(acme(2, round="v6.1")))
        with pytest.raises(HeldBackError):
            ingest_file(watcher, tmp_path / "summary.json", Request(), now)
        with store.write():
            store.remember(VERSION, "0.0.1")

        reread(watcher, now)

        state = store.tables.find("inference", "v6.1")
        assert state is not None
        assert (state.results, state.held_back_at) == (9, now)


def test_a_new_state_has_nothing_to_read_again(now):
    with Store(now=now) as store:
        done = reread(wire(Config(), store), now)

        assert done is not None
        assert done.tables == []
        assert store.recall(VERSION) == __version__


def test_the_first_run_after_an_upgrade_tells_nothing_of_it(site):
    site.run("run")
    with closing(sqlite3.connect(site.state)) as opened, opened:
        opened.execute("UPDATE machines SET accelerator = NULL, accelerators = NULL")
        opened.execute("UPDATE meta SET value = '0.0.1' WHERE name = 'version'")

    done = site.run("run", "inference", "--verbose")

    assert done.returncode == 0
    assert "read again after an upgrade before=0.0.1" in done.stderr
    assert site.json("results", "--accelerator", "b300")["count"] == 3
    assert lines(site.run("export", "events").stdout) == []


def test_tables_on_pages_are_read_again_by_their_source(tmp_path, now):
    page = b"<table><tr><th>Who</th><th>Rack</th><th>Score</th></tr><tr><td>Acme</td><td>rack</td><td>7</td></tr></table>"
    options = {
        "columns": ("Who = submitter", "Rack = platform", "Score = value"),
        "fixed": ("division = closed", "availability = available", "benchmark = deepseek-r1", "scenario = Server", "unit = tokens/s"),
        "suite": "unofficial", "round": "v1.0",
    }  # fmt: skip
    source = Source(name="page", kind="html_table", url="https://example.org/table", options=options)
    with Store(tmp_path / "watcher.db", now=now) as store:
        watcher = wire(Config(), store, sources=(source,))
        document = Document(source.url, page, now, "text/html")

        def kept(url, *, accept=None, conditional=True, page=False):
            del url, accept, conditional, page
            return document

        (published,) = read(source, kept, {}, now, load_catalog()).tables
        recorder = Recorder(store=store, catalog=load_catalog, wanted=lambda: watcher.wanted)
        with store.write():
            digest = store.sources.keep(document, "page")
            occasion = Occasion(batch="page#1", now=now, source="page", url=source.url)
            recorder.table(
                published.read(), occasion, digest=content_digest([document]), document=digest, baseline=True
            )
            store.remember(VERSION, "0.0.1")
        with closing(sqlite3.connect(store.path)) as opened, opened:
            opened.execute("UPDATE results SET benchmark = 'misread'")

        done = reread(watcher, now)

        assert done is not None
        assert (done.tables, done.failed) == (["unofficial v1.0"], {})
        assert [result.benchmark for result in store.tables.results()] == ["deepseek-r1"]
