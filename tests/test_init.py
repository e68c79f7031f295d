"""From an empty folder to a first alert: init, its presets, send-test, and why a rule did (not) fire."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.operation import PATIENCE, Hook, acme, environment, program
from tests.receiver_servers import closed_port
from watcher.catalog.names import load as load_catalog
from watcher.cli.starter import PLAIN, PRESETS, rules, toml
from watcher.config import keys, load, packaged_rules
from watcher.demo.published import summary
from watcher.notifiers import NOTIFIERS, make, options
from watcher.rules import load as load_rules
from watcher.sources.defaults import GROUPS

ARCHIVE = {"inference v5.1": 1448, "inference v6.0": 520, "inference v6.1": 492}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def uncommented(text: str, *, without: tuple[str, ...] = ()) -> str:
    """Return the config with every line that holds a key or a table put in force, apart from some."""
    lines = []
    for line in text.splitlines():
        held = re.fullmatch(r"(?:# )+(\[[a-zA-Z0-9_.-]+\]|([a-z_]+) = .*)", line)
        lines.append(held[1] if held and held[2] not in without else line)
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ init


def test_init_writes_a_config_rules_and_a_state_with_the_archive_and_says_what_is_next(tmp_path):
    done = program("init", "here", "--json", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["archive"] == ARCHIVE
    assert document["next"] == [
        f"mlperf-watcher --config here/watcher.toml {words}" for words in ("send-test you", "run", "daemon")
    ]
    assert {name for name in files(tmp_path / "here") if not name.startswith("state/")} == {
        "watcher.toml", *(f"rules/{path.name}" for path in packaged_rules().glob("*.yaml")),
    }  # fmt: skip
    assert (tmp_path / "here" / "state").stat().st_mode & 0o777 == 0o700


def test_the_three_next_commands_are_commands(tmp_path):
    program("init", "--no-archive", cwd=tmp_path)
    text = (tmp_path / "watcher.toml").read_text()
    (tmp_path / "watcher.toml").write_text(re.sub(r"(?m)^groups = \[.*?\]", "groups = []", text))
    shown = program("init", "again", "--no-archive", cwd=tmp_path).stdout
    words = re.findall(r"mlperf-watcher --config again/watcher.toml ([a-z-]+(?: you)?)", shown)

    assert words == ["send-test you", "run", "daemon"]
    tried = [program(*each.split(), cwd=tmp_path) for each in words[:2]]
    assert [done.returncode for done in tried] == [0, 0]
    assert "Test message from mlperf-watcher" in tried[0].stdout


def test_init_never_overwrites(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "power.yaml").write_text("mine")

    done = program("init", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "mlperf-watcher: rules/power.yaml: is there already and is not overwritten; name another folder, or move it\n"
    )
    assert files(tmp_path) == {"rules/power.yaml": b"mine"}


def test_init_twice_is_refused_and_changes_nothing(tmp_path):
    program("init", "--no-archive", cwd=tmp_path)
    before = files(tmp_path)

    assert program("init", cwd=tmp_path).returncode == 2
    assert {name: body for name, body in files(tmp_path).items() if "state" not in name} == {
        name: body for name, body in before.items() if "state" not in name
    }


def test_without_the_archive_nothing_is_held(tmp_path):
    program("init", "--no-archive", cwd=tmp_path)

    assert json.loads(program("results", "--json", cwd=tmp_path).stdout)["count"] == 0


def test_a_person_at_a_terminal_is_asked_for_the_archive(tmp_path):
    ours, theirs = os.openpty()
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        process = subprocess.Popen(
            [sys.executable, "-m", "watcher", "init"],
            cwd=tmp_path,
            env=environment(),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        said = b""
        while b"[Y/n]" not in said:
            said += terminal.read(1024)
        terminal.write(b"n\n")
        with contextlib.suppress(OSError):  # a terminal that everybody has left
            while more := terminal.read(1024):
                said += more
        assert process.wait(timeout=PATIENCE) == 0

    assert b"as history? [Y/n]" in said
    assert json.loads(program("results", "--json", cwd=tmp_path).stdout)["count"] == 0


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")

    done = program("init", "file/inside", cwd=tmp_path)

    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "cannot be written" in done.stderr


def test_a_first_alert_arrives_after_init_from_a_table_of_ones_own(tmp_path):
    program("init", cwd=tmp_path)
    text = (tmp_path / "watcher.toml").read_text()
    with Hook() as hook:
        (tmp_path / "watcher.toml").write_text(f"{text}\n{hook.receiver}")
        (tmp_path / "v7.json").write_bytes(summary(acme(2, round="v7.0")))

        done = program("ingest", "v7.json", cwd=tmp_path)

        assert done.returncode == 0
        assert "MLPerf Inference v7.0 is public" in hook.told
    assert "MLPerf Inference v7.0 is public" in done.stdout


# ------------------------------------------------------------------------------------------------ its files


@pytest.mark.parametrize("preset", [PLAIN, *PRESETS.values()], ids=["plain", *PRESETS])
def test_every_key_and_option_there_is_stands_in_the_config_with_what_it_is_for(preset):
    text = toml(preset, "Europe/Berlin")

    for section in keys().values():
        for key, words in section.items():
            assert re.search(rf"(?m)^(# )?{key}(_env)? = .*# {re.escape(words)}", text), key
    for kind in NOTIFIERS:
        for option in options(kind):
            assert re.search(
                rf"(?m)^(# ){{0,2}}{option.name}(_file)? = .*# {re.escape(option.help)}", text
            ), (
                kind,
                option.name,
            )


@pytest.mark.parametrize("preset", [PLAIN, *PRESETS.values()], ids=["plain", *PRESETS])
def test_the_config_is_valid_as_written_and_with_everything_put_in_force(tmp_path, preset):
    file = tmp_path / "watcher.toml"
    file.write_text(toml(preset, "Europe/Berlin"))
    as_written = load(file, {}, cwd=tmp_path)
    assert (as_written.groups, as_written.zone, [r.name for r in as_written.receivers]) == (
        preset.groups, "Europe/Berlin", ["you"],
    )  # fmt: skip
    assert set(preset.groups) <= set(GROUPS)

    common = tuple(keys()["receivers.NAME"])
    file.write_text(
        uncommented(
            toml(preset, "Europe/Berlin"), without=tuple(k for k in common if k not in {"to", "digest_at"})
        )
    )
    file.write_text(
        re.sub(
            r"(?m)^(to|digest_at) = (.*the recipients.*|.*local time of the daily digest)$",
            "",
            file.read_text(),
        )
    )
    for secret in re.findall(r'(?m)^[a-z_]+_file = "([^"]+)"', file.read_text()):
        (tmp_path / secret).write_text("a secret")
        (tmp_path / secret).chmod(0o600)
    in_force = load(file, {"PING_URL": "https://example.org", "GITHUB_TOKEN": "x"}, cwd=tmp_path)
    assert {receiver.kind for receiver in in_force.receivers} == set(NOTIFIERS)
    assert in_force.http == "127.0.0.1:9464"
    assert {source.name for source in in_force.sources} >= {"our-vendor"}


@pytest.mark.parametrize("kind", sorted({*NOTIFIERS} - {"console"}))
def test_a_receivers_block_works_once_one_mark_is_taken_off_each_of_its_lines(tmp_path, kind):
    (block,) = (part for part in toml(PLAIN, "UTC").split("\n\n") if f'\n# kind = "{kind}"' in part)
    (tmp_path / "watcher.toml").write_text(re.sub("(?m)^# ", "", block))
    for secret in re.findall(r'(?m)^# [a-z_]+_file = "([^"]+)"', block):
        (tmp_path / secret).write_text("https://example.org/secret")
        (tmp_path / secret).chmod(0o600)

    config = load(tmp_path / "watcher.toml", {}, cwd=tmp_path)

    (receiver,) = config.receivers
    for one in receiver.to or (None,):
        make(receiver.name, kind, {**receiver.options, **({"to": one} if one else {})})


@pytest.mark.parametrize("preset", [PLAIN, *PRESETS.values()], ids=["plain", *PRESETS])
def test_the_rules_of_every_preset_are_valid_and_differ_as_it_says(tmp_path, preset):
    for name, text in rules(packaged_rules(), preset).items():
        (tmp_path / name).write_text(text)
    shipped = load_rules(packaged_rules(), load_catalog(), ())
    made = load_rules(tmp_path, load_catalog(), ())

    changed = {
        rule.id: (rule.severity, rule.enabled)
        for rule, before in zip(made.rules, shipped.rules, strict=True)
        if (rule.severity, rule.enabled) != (before.severity, before.enabled)
    }
    wanted = {name: (severity, True) for name, severity in preset.severity.items()}
    wanted |= {name: (shipped.by_id[name].severity, False) for name in preset.off}
    assert changed == {
        name: value for name, value in wanted.items() if value != (shipped.by_id[name].severity, True)
    }
    assert {*preset.severity, *preset.off} <= set(shipped.by_id)


def test_presets_differ_from_each_other():
    made = {
        name: (preset.groups, toml(preset, "UTC"), rules(packaged_rules(), preset))
        for name, preset in PRESETS.items()
    }

    assert len({repr(each) for each in made.values()}) == 3


@given(st.sampled_from(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"]))
def test_any_zone_gives_valid_toml(zone):
    assert tomllib.loads(toml(PLAIN, zone))["watcher"]["zone"] == zone


# ------------------------------------------------------------------------------------------------ send-test


def configured(folder: Path, receivers: str) -> None:
    (folder / "watcher.toml").write_text(f"[watcher]\ngroups = []\n{receivers}")


def test_send_test_goes_through_the_real_notifier_and_is_not_recorded(tmp_path):
    with Hook() as hook:
        configured(tmp_path, hook.receiver)
        done = program("send-test", "hook", cwd=tmp_path)

        assert (done.returncode, done.stdout) == (0, "hook: sent; answered 200\n")
        assert [(m["kind"], m["title"]) for m in hook.taken] == [("test", "Test message from mlperf-watcher")]
    assert not (tmp_path / "state").exists()


def test_send_test_reaches_each_recipient(tmp_path):
    port = closed_port()
    configured(
        tmp_path,
        f'[receivers.mail]\nkind = "mail"\nhost = "127.0.0.1"\nport = {port}\ntls = "none"\n'
        'sender = "a@example.org"\nto = ["b@example.org", "c@example.org"]\n',
    )
    done = program("send-test", "mail", "--json", cwd=tmp_path)

    assert done.returncode == 4
    assert [(each["receiver"], each["sent"]) for each in json.loads(done.stdout)["receivers"]] == [
        ("mail/b@example.org", False), ("mail/c@example.org", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "fix"),
    [
        (401, "the receiver itself is wrong"),
        (503, "check the network, and try again later"),
        (400, "it does not take this message"),
    ],
)
def test_send_test_says_what_to_do_when_it_fails(tmp_path, status, fix):
    with Hook() as hook:
        hook.status = status
        configured(tmp_path, hook.receiver)
        done = program("send-test", "hook", cwd=tmp_path)

    assert done.returncode == 4
    assert str(status) in done.stdout
    assert fix in done.stdout


def test_send_test_to_nobody_is_told_with_the_nearest(tmp_path):
    configured(tmp_path, '[receivers.team]\nkind = "console"\n')
    done = program("send-test", "taem", cwd=tmp_path)

    assert done.returncode == 2
    assert "did you mean 'team'?" in done.stderr


# ------------------------------------------------------------------------------------------------ why


@pytest.fixture(scope="module")
def with_archive(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    assert program("init", cwd=folder).returncode == 0
    return folder


def test_why_no_rack_power_names_the_nearest_miss_and_what_stopped_it(with_archive):
    done = program("rules", "explain", "third-party-rack-power", cwd=with_archive)

    assert done.returncode == 0
    assert "0 of 2,460 pass (result)" in done.stdout
    assert "Nebius, 36 x vera-rubin" in done.stdout
    assert "excluded organisation: Nebius" in done.stdout
    assert "no power of any kind" in done.stdout
    assert "It has not fired yet." in done.stdout


@pytest.mark.parametrize(
    ("rule", "watch"),
    [
        ("vera-rubin-over-gb300", "comparison"), ("server-scaling", "scaling"), ("round-gain", "gain"),
        ("record-beaten", "record"), ("new-round", "round"), ("claim-contradicted", "claim"), ("source-trouble", "source"),
        ("new-submitter", "name"), ("vendor-post-about-round", "post"),
    ],
)  # fmt: skip
def test_every_kind_of_rule_can_be_explained(with_archive, rule, watch):
    done = program("rules", "explain", rule, "--json", cwd=with_archive)
    document = json.loads(done.stdout)

    assert (document["rule"], document["watch"]) == (rule, watch)
    assert (document["considered"] > 0) is (watch in {"comparison", "scaling", "gain", "record", "round"})
    assert len(document["passes"]) <= document["considered"]


def test_the_backtest_of_the_shipped_rules_gives_the_facts_of_the_rounds(with_archive):
    done = program("rules", "backtest", "vera-rubin-over-gb300", "--json", cwd=with_archive)

    (alert,) = json.loads(done.stdout)["alerts"]
    assert alert["date"].startswith("2026-09-16")
    assert alert["title"] == (
        "Vera Rubin NVL72 over the best GB300 NVL72, MLPerf Inference v6.1: 1.72x to 3.74x in 6 rows"
    )


def test_a_backtest_of_all_rules_is_by_date_sends_nothing_and_can_be_cut_to_rounds(with_archive):
    whole = json.loads(program("rules", "backtest", "--all", "--json", cwd=with_archive).stdout)
    last = json.loads(
        program("rules", "backtest", "--all", "--from", "v6.1", "--json", cwd=with_archive).stdout
    )
    middle = json.loads(
        program("rules", "backtest", "--all", "--to", "v6.0", "--json", cwd=with_archive).stdout
    )

    dates = [alert["date"] for alert in whole["alerts"]]
    assert dates == sorted(dates)
    assert last["alerts"] == [alert for alert in whole["alerts"] if alert["date"] > "2026-09"]
    assert middle["alerts"] == [alert for alert in whole["alerts"] if alert["date"] < "2026-09"]
    assert json.loads(program("alerts", "list", "--json", cwd=with_archive).stdout) == {"alerts": []}


def test_a_backtest_takes_what_the_state_itself_saw_as_news(tmp_path):
    program("init", "--no-archive", cwd=tmp_path)
    (tmp_path / "v7.json").write_bytes(summary(acme(2, round="v7.0")))
    program("ingest", "v7.json", cwd=tmp_path)

    done = json.loads(program("rules", "backtest", "new-round", "--json", cwd=tmp_path).stdout)

    assert [alert["title"] for alert in done["alerts"]] == [
        "MLPerf Inference v6.0 is public", "MLPerf Inference v6.1 is public", "MLPerf Inference v7.0 is public",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("explain", "new-rounds"), "did you mean 'new-round'?"),
        (("backtest",), "name a rule, or give --all"),
        (("backtest", "--all", "--from", "v6.7"), "there is no round 'v6.7'"),
        (("backtest", "--all", "--from", "v7.0"), "has not been published yet"),
        (("backtest", "--all", "--from", "v6.1", "--to", "v6.0"), "swap them"),
    ],
)
def test_wrong_words_are_told(with_archive, words, told):
    done = program("rules", *words, cwd=with_archive)

    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def test_the_schema_is_json_and_can_be_written_to_a_file(with_archive, tmp_path):
    printed = json.loads(program("rules", "schema", cwd=with_archive).stdout)
    done = program("rules", "schema", "--out", str(tmp_path / "rules.schema.json"), cwd=with_archive)

    assert printed["title"] == "Rules of mlperf-watcher"
    assert json.loads((tmp_path / "rules.schema.json").read_text()) == printed
    assert "$schema=rules.schema.json" in done.stdout


def test_the_version_is_told_without_loading_the_program():
    code = "import sys; from watcher.cli import cli; print(sorted(name for name in sys.modules if name.startswith('watcher')))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )

    assert done.stdout.strip() == "['watcher', 'watcher.cli', 'watcher.errors']"
