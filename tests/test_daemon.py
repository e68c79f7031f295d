"""The daemon as a process: signals, reloads, the lock, systemd's words, the health page, and an end in any case."""

from __future__ import annotations

import http.client
import signal
import socket
import sqlite3
from pathlib import Path

import pytest

from tests.operation import PATIENCE, RULES, Hook, Place, acme, place
from tests.receiver_servers import closed_port
from tests.servers import silence
from watcher.demo.local import LocalServer


@pytest.fixture
def site(tmp_path: Path):
    with place(tmp_path) as made:
        yield made


def get(port: int, path: str, host: str = "localhost") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def hang(site: Place, path: str) -> LocalServer:
    """Let the stand-in take requests under ``path`` and never answer them."""
    site.github.fail(at=path, how=silence())
    return site.github


# ------------------------------------------------------------------------------------------------ a day's work


def test_the_daemon_takes_a_baseline_tells_news_after_a_restart_and_stops_with_0(site):
    with Hook() as hook:
        site.configure(receivers=hook.receiver)
        with site.daemon() as first:
            first.expect("checked=1")
            assert first.stop() == 0
        site.publish(*acme(2, round="v6.1"))
        with sqlite3.connect(site.state) as state:
            state.execute(
                "UPDATE sources SET health = json_set(health, '$.next_check_at', '2026-01-01T00:00:00+00:00')"
            )
        state.close()
        with site.daemon() as second:
            second.expect("waiting")
            assert second.stop() == 0

        assert hook.told[:2] == ["MLPerf Inference v6.1 is public", "Acme: 2 results added, v6.1"]
    assert any(
        'alert id=A-0002 rule=rows severity=info title="Acme: 2 results added, v6.1"' in x
        for x in second.lines
    )
    assert first.lines[0].endswith("info started sources=1 receivers=1")
    assert second.lines[-1].endswith("info stopped")


def test_a_run_beside_the_daemon_exits_75_and_does_nothing(site):
    with site.daemon() as process:
        process.expect("checked=1")
        beside = site.run("run")
        asking = site.run("status")
        silence = site.run("alerts", "silence", "--match", "rule=rows", "--for", "2h", "--comment", "a test")

        assert (beside.returncode, beside.stdout) == (75, "")
        assert "another run holds" in beside.stderr
        assert (asking.returncode, silence.returncode) == (0, 0)
        assert process.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_while_it_waits(site, number):
    with site.daemon() as process:
        process.expect("checked=1")
        process.send(number)

        assert process.wait() == 0
        assert process.lines[-1].endswith("info stopped")


def test_it_stops_while_a_host_keeps_it_waiting_and_the_next_start_does_the_work(site):
    hang(site, "/raw/")
    with site.daemon() as process:
        while not site.github.downloads():
            assert process.wait_a_moment()
        process.send(signal.SIGTERM)

        assert process.wait() == 0
        assert "the step at hand did not end in time" in process.lines[-1]
    site.github.recover()
    with site.daemon() as again:
        again.expect("checked=1 unchanged=0 failed=0")
        assert again.stop() == 0
    assert site.json("results")["count"] == 3


def test_killed_in_the_middle_of_a_check_it_goes_on_where_it_was(site):
    hang(site, "/raw/")
    with site.daemon() as process:
        while not site.github.downloads():
            assert process.wait_a_moment()
        process.send(signal.SIGKILL)
        assert process.wait() == -9
    site.github.recover()

    done = site.run("run")

    assert (done.returncode, done.stderr) == (
        0, "inference v6.0: recorded 3 results as the baseline; later changes are news\n",
    )  # fmt: skip


def test_a_check_that_fails_is_a_line_with_its_reason(site):
    site.github.fail(503)
    with site.daemon() as process:
        line = process.expect("check failed")
        assert process.stop() == 0

    assert " warning check failed source=inference why=" in line
    assert "503" in line


# ------------------------------------------------------------------------------------------------ reload


def test_sighup_takes_new_rules(site):
    with Hook() as hook:
        site.configure(receivers=hook.receiver)
        with site.daemon() as process:
            process.expect("checked=1")
            (site.folder / "rules" / "more.yaml").write_text(
                'rules:\n  - {id: more, watch: name, title: "More: {name}"}\n'
            )
            process.send(signal.SIGHUP)

            assert process.expect("reloaded").endswith("reloaded sources=1 rules=4")
            process.expect("info pass")
            assert process.stop() == 0
    assert [rule["id"] for rule in site.json("rules", "list")["rules"]] == [
        "new-round",
        "rows",
        "trouble",
        "more",
    ]


WRONG = {
    "a half-written config": ("watcher.toml", "[watcher]\ngroups = [\n", "is not valid TOML"),
    "an unknown key": ("watcher.toml", "[watcher]\ngroup = []\n", "did you mean 'groups'?"),
    "not loopback": ("watcher.toml", '[watcher]\nhttp = "0.0.0.0:9464"\n', "is not this machine's loopback"),
    "another state": ("watcher.toml", '[watcher]\nstate = "else.db"\n', "the state cannot change while the daemon runs"),
    "a wrong receiver": ("watcher.toml", '[receivers.x]\nkind = "slack"\n', "give either webhook_url"),
    "half a rule file": ("rules/all.yaml", RULES[: len(RULES) // 2], "all.yaml"),
}  # fmt: skip


def test_sighup_refuses_what_is_wrong_in_one_line_and_keeps_what_was(site):
    with site.daemon() as process:
        process.expect("waiting")
        for file, text, why in WRONG.values():
            good = (site.folder / file).read_text()
            (site.folder / file).write_text(text)
            process.send(signal.SIGHUP)

            assert why in process.expect("reload refused")
            (site.folder / file).write_text(good)
        process.send(signal.SIGHUP)
        assert process.expect("reloaded").endswith("reloaded sources=1 rules=3")
        assert process.stop() == 0
    assert len([line for line in process.lines if "reload refused" in line]) == len(WRONG)


def test_a_wrong_config_at_the_start_is_exit_2_and_one_line(site):
    (site.folder / "watcher.toml").write_text('[watcher]\nzoen = "UTC"\n')

    with site.daemon() as process:
        assert process.wait() == 2
    (line,) = process.lines
    assert line.endswith("watcher.toml: watcher.zoen: unknown key 'zoen'; did you mean 'zone'?")


# ------------------------------------------------------------------------------------------------ systemd


def test_systemd_hears_that_it_is_ready_alive_reloading_and_stopping(site, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(tmp_path / "notify"))
        ear.settimeout(PATIENCE)

        def hear(word: str) -> str:
            while word not in (said := ear.recv(4096).decode()):
                pass
            return said

        env = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
        with site.daemon(env=env) as process:
            assert hear("READY") == "READY=1"
            assert hear("STATUS").startswith("STATUS=1 sources, next pass at ")
            assert hear("WATCHDOG") == "WATCHDOG=1"
            process.send(signal.SIGHUP)
            assert hear("RELOADING").startswith("RELOADING=1\nMONOTONIC_USEC=")
            assert hear("READY") == "READY=1"
            process.send(signal.SIGTERM)
            assert hear("STOPPING") == "STOPPING=1"
            assert process.wait() == 0


# ------------------------------------------------------------------------------------------------ health page


def test_the_health_page_tells_a_monitor_how_things_stand(site):
    port = closed_port()
    site.configure(f'http = "127.0.0.1:{port}"')
    with site.daemon() as process:
        process.expect("waiting")
        metrics = get(port, "/metrics")[1].splitlines()

        assert get(port, "/healthz") == (200, "alive\n")
        assert get(port, "/readyz") == (200, "ready\n")
        assert get(port, "/") == (404, "there is /healthz, /readyz and /metrics\n")
        assert get(port, "/metrics", host="evil.example")[0] == 421
        assert process.stop() == 0
    assert 'mlperf_watcher_source_failures{source="inference"} 0.0' in metrics
    assert "mlperf_watcher_results 3.0" in metrics
    assert 'mlperf_watcher_deliveries{state="waiting"} 0.0' in metrics
    assert any(line.startswith("mlperf_watcher_source_last_success_timestamp_seconds") for line in metrics)


def test_the_health_page_moves_and_goes_with_a_reload(site):
    one, two = closed_port(), closed_port()
    site.configure(f'http = "127.0.0.1:{one}"')
    with site.daemon() as process:
        process.expect("checked=1")
        site.configure(f'http = "127.0.0.1:{two}"')
        process.send(signal.SIGHUP)
        process.expect("reloaded")
        assert get(two, "/healthz") == (200, "alive\n")
        with pytest.raises(ConnectionRefusedError):
            get(one, "/healthz")
        site.configure()
        process.send(signal.SIGHUP)
        process.expect("reloaded")
        with pytest.raises(ConnectionRefusedError):
            get(two, "/healthz")
        assert process.stop() == 0
