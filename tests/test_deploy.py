"""What lies in deploy/: units that systemd takes, a crontab line that cron's shell runs, a Dockerfile that fits the code."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.operation import PATIENCE, environment, may_mount, mounting, place, program, understood
from watcher.cli import COMMANDS
from watcher.config import load
from watcher.schedule.alarm import LAST_RESORT
from watcher.schedule.loop import LONGEST_SLEEP
from watcher.sources.defaults import GROUPS

HERE = Path(__file__).parent.parent / "deploy"
ROOT = HERE.parent
INSTALLED = "/opt/mlperf-watcher/bin/mlperf-watcher"
UNITS = ("mlperf-watcher.service", "mlperf-watcher-run.service", "mlperf-watcher-run.timer")


@pytest.fixture
def site(tmp_path: Path):
    with place(tmp_path) as made:
        yield made


def executable(folder: Path) -> Path:
    """Return a file that starts this checkout's program, as the installed one would start."""
    made = folder / "mlperf-watcher"
    made.write_text(f'#!/bin/sh\nexec {sys.executable} -m watcher "$@"\n')
    made.chmod(0o755)
    return made


def settings(unit: str) -> dict[str, list[str]]:
    """Return the settings of a unit file, all values of each."""
    found: dict[str, list[str]] = {}
    for line in (HERE / unit).read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def words_of(command: str) -> list[str]:
    """Return the program's own words in a command of deploy/, and check that it would understand them."""
    first, *words = shlex.split(command)
    assert first == INSTALLED
    understood(words)
    return words


# ------------------------------------------------------------------------------------------------ systemd


SECTIONS = {
    ".service": {"Unit", "Service", "Install"},
    ".timer": {"Unit", "Timer", "Install"},
}
REPEATED = {"LoadCredential", "SystemCallFilter"}


def test_units_have_the_sections_that_there_are_and_say_nothing_twice():
    for unit in UNITS:
        text = (HERE / unit).read_text()
        assert set(re.findall(r"(?m)^\[(\w+)\]$", text)) <= SECTIONS[Path(unit).suffix]
        assert {name for name, values in settings(unit).items() if len(values) > 1} <= REPEATED
        assert [
            line for line in text.splitlines() if line and not re.match(r"#|\[\w+\]$|[A-Z]\w+=", line)
        ] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not on this machine")
def test_systemd_finds_no_fault_in_the_units(tmp_path):
    started = executable(tmp_path)
    for unit in UNITS:
        (tmp_path / unit).write_text((HERE / unit).read_text().replace(INSTALLED, str(started)))

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / unit) for unit in UNITS)],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not on this machine")
@pytest.mark.parametrize("unit", UNITS[:2])
def test_systemd_rates_the_services_as_well_hardened(unit):
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager", str(HERE / unit)],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout


def test_both_services_are_hardened_alike():
    own = {
        "Type",
        "ExecStart",
        "ExecReload",
        "Restart",
        "RestartSec",
        "RestartPreventExitStatus",
        "WatchdogSec",
    }
    own |= {"TimeoutStopSec", "TimeoutStartSec", "SuccessExitStatus", "WantedBy", "Description"}
    daemon, run = (settings(unit) for unit in UNITS[:2])

    assert {k: v for k, v in daemon.items() if k not in own} == {k: v for k, v in run.items() if k not in own}


def test_the_units_start_commands_that_there_are_and_times_that_fit():
    daemon, run = (settings(unit) for unit in UNITS[:2])

    assert words_of(daemon["ExecStart"][0])[-2:] == ["daemon", "--verbose"]
    assert words_of(run["ExecStart"][0])[-3:] == ["run", "--deadline", "4m"]
    assert daemon["WatchdogSec"] == ["5min"]
    assert LONGEST_SLEEP.total_seconds() < 300 / 2
    assert int(daemon["TimeoutStopSec"][0]) > LAST_RESORT
    assert run["SuccessExitStatus"] == ["75"]


def test_the_daemon_runs_as_the_unit_starts_it_with_credentials_and_only_the_state_writable(site, tmp_path):
    unit = settings(UNITS[0])
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    for line in unit["LoadCredential"]:
        (credentials / line.partition(":")[0]).write_text("https://hooks.slack.com/services/T/B/x")
        (credentials / line.partition(":")[0]).chmod(0o400)
    site.configure(receivers='[receivers.team-slack]\nkind = "slack"\nwebhook_url_file = "slack-webhook"\n')
    state = tmp_path / "var"
    state.mkdir()
    words = [w for w in words_of(unit["ExecStart"][0]) if not w.startswith("/")]
    assert words == ["--config", "--state", "daemon", "--verbose"]
    script = (
        f"mount --bind {tmp_path} {tmp_path} && mount --bind {state} {state} && "
        f'mount -o remount,ro,bind {tmp_path} && exec "$@"'
    )
    command = [
        *(mounting(script) if may_mount() else []), sys.executable, "-m", "watcher",
        "--config", str(site.folder / "watcher.toml"), "--state", str(state / "watcher.db"), "daemon", "--verbose",
    ]  # fmt: skip
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(state / "notify"))
        ear.settimeout(PATIENCE)
        env = environment({"NOTIFY_SOCKET": str(state / "notify"), "CREDENTIALS_DIRECTORY": str(credentials)})
        process = subprocess.Popen(command, cwd="/", env=env, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        try:
            said = ear.recv(4096)
            while b"STATUS" not in said:
                said = ear.recv(4096)
            process.send_signal(signal.SIGTERM)
            _, words_said = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()

    assert process.returncode == 0
    assert "checked=1 unchanged=0 failed=0" in words_said
    assert {path.name for path in state.iterdir()} >= {"watcher.db", "watcher.db.lock"}


# ------------------------------------------------------------------------------------------------ cron


def cron_line(site, program: Path) -> tuple[str, str, dict[str, str]]:
    """Return the user and command of the crontab's line, at our places, and the variables that the file sets."""
    lines = (HERE / "mlperf-watcher.cron").read_text().splitlines()
    (line,) = [each for each in lines if each.startswith("*")]
    schedule, user, command = re.fullmatch(r"((?:\S+ +){5}) *(\S+)  +(.*)", line).groups()
    assert schedule.split() == ["*/5", "*", "*", "*", "*"]
    assert "%" not in command  # cron would make a line break of it
    words_of(command)
    given = dict(each.split("=", 1) for each in lines if re.match(r"[A-Z_]+=", each))
    assert given.pop("MAILTO") == "root"
    at = {INSTALLED: str(program), "/var/lib/mlperf-watcher/watcher.db": str(site.state)}
    at["/etc/mlperf-watcher"] = str(site.folder)
    for theirs, ours in at.items():
        command = command.replace(theirs, ours)
        given = {name: value.replace(theirs, ours) for name, value in given.items()}
    return user, command, given


def as_cron(command: str, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    env = {"PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "HOME": "/", "PYTHONPATH": str(ROOT), **given}
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd="/", env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )  # fmt: skip


def test_the_crontab_line_is_run_by_crons_shell(site, tmp_path):
    user, command, given = cron_line(site, executable(tmp_path))
    assert user in (HERE / "mlperf-watcher.sysusers").read_text().split()

    first, second = as_cron(command, given), as_cron(command, given)

    assert (first.returncode, first.stdout) == (0, "")
    assert first.stderr == "inference v6.0: recorded 3 results as the baseline; later changes are news\n"
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


def test_the_crontab_line_finds_secrets_where_the_file_says_and_says_which_one_lacks(site, tmp_path):
    site.configure(receivers='[receivers.team-slack]\nkind = "slack"\nwebhook_url_file = "slack-webhook"\n')
    _, command, given = cron_line(site, executable(tmp_path))
    secret = site.folder / "secrets" / "slack-webhook"
    assert given == {"CREDENTIALS_DIRECTORY": str(secret.parent)}

    lacking = as_cron(command, given)
    secret.parent.mkdir()
    secret.write_text("https://hooks.slack.com/services/T/B/x")
    secret.chmod(0o400)
    found = as_cron(command, given)

    assert (lacking.returncode, lacking.stderr.count("\n")) == (2, 1)
    assert "receivers.team-slack.webhook_url_file: there is no file " in lacking.stderr
    assert found.returncode == 0


def test_the_timers_service_makes_a_pass_with_credentials_as_the_unit_starts_it(site, tmp_path):
    site.configure(receivers='[receivers.team-slack]\nkind = "slack"\nwebhook_url_file = "slack-webhook"\n')
    unit = settings("mlperf-watcher-run.service")
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    for line in unit["LoadCredential"]:
        (credentials / line.partition(":")[0]).write_text("https://hooks.slack.com/services/T/B/x")
        (credentials / line.partition(":")[0]).chmod(0o400)
    words = " ".join(words_of(unit["ExecStart"][0]))
    words = words.replace("/etc/mlperf-watcher", str(site.folder)).replace(
        "/var/lib/mlperf-watcher/watcher.db", str(site.state)
    )

    done = program(*words.split(), cwd=Path("/"), env={"CREDENTIALS_DIRECTORY": str(credentials)})

    assert (done.returncode, done.stdout) == (0, "")
    assert site.state.exists()


def test_two_cron_runs_at_once_do_the_work_once(site):
    site.run("run")
    with site.daemon() as process:
        process.expect("waiting")
        beside = site.run("run")
        assert (beside.returncode, beside.stdout) == (75, "")
        assert process.stop() == 0


# ------------------------------------------------------------------------------------------------ Docker


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n\s*", "", (HERE / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def of(name: str) -> list[str]:
    return [rest for each, rest in instructions() if each == name]


def test_the_image_copies_what_there_is_and_all_that_the_wheel_needs():
    copied = [word for rest in of("COPY") if "--from" not in rest for word in rest.split()[:-1]]
    taken = [
        line[1:].rstrip("/")
        for line in (HERE / "Dockerfile.dockerignore").read_text().splitlines()
        if line[0] == "!"
    ]

    assert sorted(copied) == sorted(taken)
    assert [name for name in copied if not (ROOT / name).exists()] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = {
        "watcher",
        "rules",
        "pyproject.toml",
        project["project"]["readme"],
        *project["project"]["license-files"],
    }
    assert needed <= set(copied)


def test_the_image_does_not_run_as_root_and_its_commands_are_understood():
    (user,) = of("USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert user.partition(":")[0] in of("RUN")[-1]
    (entry,) = of("ENTRYPOINT")
    (default,) = of("CMD")
    (health,) = of("HEALTHCHECK")
    assert json.loads(entry)[0] == "mlperf-watcher"
    understood([*json.loads(entry)[1:], *json.loads(default)])
    first, *words = json.loads(health.partition("CMD ")[2])
    assert first == "mlperf-watcher"
    understood(words)
    assert words[-1] == "status"
    assert json.loads(entry)[1:] == words[:4]


def test_the_image_is_of_a_python_that_the_package_supports():
    versions = {re.search(r"python:(\d+\.\d+)-slim", rest)[1] for rest in of("FROM")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    (version,) = versions
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_dependencies_are_installed_by_hash():
    assert any("--require-hashes" in rest and "requirements.lock" in rest for rest in of("RUN"))


def test_the_compose_file_names_what_there_is_and_locks_the_container_down():
    (service,) = yaml.safe_load((HERE / "compose.yaml").read_text())["services"].values()

    assert (
        HERE / service["build"]["context"] / service["build"]["dockerfile"]
    ).resolve() == HERE / "Dockerfile"
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True
    assert [mount.split(":")[1] for mount in service["volumes"]][:2] == [
        of("VOLUME")[0], "/etc/mlperf-watcher/watcher.toml",
    ]  # fmt: skip
    assert service["environment"]["CREDENTIALS_DIRECTORY"] in [
        mount.split(":")[1] for mount in service["volumes"]
    ]
    assert int(service["stop_grace_period"].removesuffix("s")) > LAST_RESORT
    assert "ports" not in service


# ------------------------------------------------------------------------------------------------ config and wheel


def test_the_example_config_is_valid_and_its_secrets_are_those_of_the_unit(tmp_path):
    shutil.copy(HERE / "watcher.toml", tmp_path)
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    names = [line.partition(":")[0] for line in settings(UNITS[0])["LoadCredential"]]
    for name in names:
        (tmp_path / name).write_text("https://hooks.slack.com/services/T/B/x")
        (tmp_path / name).chmod(0o600)

    made = load(tmp_path / "watcher.toml", {}, cwd=tmp_path)

    assert set(made.groups) <= set(GROUPS)
    used = re.findall(r'_file = "([^"]+)"', (HERE / "watcher.toml").read_text())
    assert sorted(used) == sorted(names)


def test_files_of_deploy_name_no_command_that_there_is_not():
    for path in HERE.iterdir():
        for word in re.findall(r"`mlperf-watcher ([a-z-]+)", path.read_text()):
            assert word in COMMANDS, (path, word)
