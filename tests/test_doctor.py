"""doctor: each thing that may be wrong is one line with the fix, and nothing is ever sent or changed."""

from __future__ import annotations

import contextlib
import json
import socket
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.operation import Hook, Place, acme, obey_permissions, place, program
from tests.receiver_servers import Mailbox, closed_port, mail_server, make_certificate
from watcher.cli.reaching import Host, host_of, hosts_of, trouble_of, trouble_of_hosts
from watcher.demo.published import summary
from watcher.domain import Secret, Source


@pytest.fixture
def site(tmp_path: Path):
    with place(tmp_path) as made:
        yield made


def checks(site: Place, *words: str, code: int = 0) -> dict[str, tuple[str, str]]:
    """Run doctor, check its exit code, and return name → (level, text)."""
    done = site.run("doctor", "--json", *words)
    assert (done.returncode, done.stderr) == (code, "")
    document = json.loads(done.stdout)
    assert document["healthy"] is (code == 0)
    assert all(each["fix"] for each in document["checks"] if each["level"] != "ok")
    return {each["name"]: (each["level"], each["text"]) for each in document["checks"]}


# ------------------------------------------------------------------------------------------------ all is well


def test_a_fresh_place_is_well_and_doctor_changes_nothing(site):
    found = checks(site)

    assert {level for level, _ in found.values()} == {"ok"}
    assert list(found) == [
        "program", "config", "rules", "time zones", "disk", "writing", "clock", "state", "sources", "receiver you",
    ]  # fmt: skip
    assert "not there yet" in found["state"][1]
    assert not site.state.parent.exists()


def test_a_state_in_use_is_well_and_the_holder_of_the_lock_is_named(site):
    with site.daemon() as process:
        process.expect("waiting")
        found = checks(site)

        assert found["lock"] == ("ok", f"held by process {process.pid}: a run or daemon is at work")
        assert found["state"][1].endswith("MB, sound")
        assert process.stop() == 0
    assert checks(site)["lock"] == ("ok", "free: no run or daemon is at work")


def test_the_readable_form_has_a_line_each_and_quiet_only_what_is_wrong(site):
    site.configure(receivers='[receivers.feed]\nkind = "atom"\npath = "nowhere/feed.atom"\n')

    assert site.run("doctor", "--offline", "--quiet").stdout.splitlines() == [
        f"fail receiver feed          {site.folder}/nowhere is no folder that can be written",
        "                            fix: make it, or give it to this user",
    ]
    assert len(site.run("doctor", "--offline").stdout.splitlines()) == 11


# ------------------------------------------------------------------------------------------------ what is wrong here


def test_a_config_that_cannot_be_read_is_exit_2_and_all_that_is_said(site):
    (site.folder / "watcher.toml").write_text("[watcher]\nzoen = 1\n")

    found = checks(site, code=2)
    assert list(found) == ["program", "config"]
    assert "did you mean 'zone'?" in found["config"][1]


def test_without_a_config_or_receivers_it_warns(tmp_path):
    done = program("doctor", "--offline", cwd=tmp_path)

    assert done.returncode == 0
    assert "warn config                 there is no watcher.toml here" in done.stdout
    assert "warn receivers              there is none: alerts are recorded and nobody is told" in done.stdout


def test_a_config_that_others_may_write_is_warned_of(site):
    (site.folder / "watcher.toml").chmod(0o666)

    assert checks(site)["config"] == ("warn", f"{site.folder}/watcher.toml can be written by others")


def test_wrong_rules_are_exit_2(site):
    (site.folder / "rules" / "all.yaml").write_text("rules:\n  - {id: x, watch: resutl}\n")

    level, text = checks(site, code=2)["rules"]
    assert level == "fail"
    assert "did you mean 'result'?" in text


def test_no_rule_in_force_is_warned_of(site):
    (site.folder / "rules" / "all.yaml").write_text("rules:\n  - {id: x, watch: round, enabled: false}\n")

    assert checks(site)["rules"][0] == "warn"


def test_a_damaged_state_is_exit_2(site):
    site.state.parent.mkdir()
    site.state.write_bytes(b"nonsense" * 1000)

    level, text = checks(site, code=2)["state"]
    assert level == "fail"
    assert "restore a backup" in text


def test_a_folder_that_cannot_be_written_is_exit_2(site):
    site.run("run")
    site.state.parent.chmod(0o500)
    try:
        done = site.run("doctor", preexec_fn=obey_permissions)
    finally:
        site.state.parent.chmod(0o700)

    assert done.returncode == 2
    assert (
        f"fail writing                {site.state.parent}: cannot be written (Permission denied)"
        in done.stdout
    )


def test_a_clock_before_the_last_check_is_warned_of(site):
    site.run("run")
    with closing(sqlite3.connect(site.state)) as opened, opened:
        opened.execute(
            "UPDATE sources SET health = json_set(health, '$.checked_at', '2031-01-01T00:00:00+00:00')"
        )

    level, text = checks(site)["clock"]
    assert level == "warn"
    assert "before the last check recorded" in text


# ------------------------------------------------------------------------------------------------ sources


def test_a_source_that_fails_is_exit_3(site):
    site.github.fail(500)
    site.run("run")
    for _ in range(2):
        site.run("run", "inference")

    assert checks(site, "--offline", code=3)["source inference"][0] == "fail"


def test_a_host_without_a_name_is_exit_3(site):
    text = (site.folder / "watcher.toml").read_text()
    (site.folder / "watcher.toml").write_text(
        f'{text}\n[sources.news]\nkind = "feed"\nurl = "https://nowhere.invalid/feed"\n'
    )

    assert checks(site, "--offline")["sources"][1] == "2 at 2 hosts, not asked (offline)"
    level, words = checks(site, code=3)["host nowhere.invalid"]
    assert level == "fail"
    assert "its name cannot be looked up" in words
    assert words.endswith("(news)")


def test_a_host_at_a_private_address_must_be_allowed():
    assert trouble_of_hosts(["localhost"]) == {
        "localhost": f"is at {_localhost()}, which is loopback; it would be refused"
    }
    assert trouble_of_hosts(["localhost"], ["localhost"]) == {}


def _localhost() -> str:
    return min(str(each[4][0]) for each in socket.getaddrinfo("localhost", None))


def test_several_sources_of_github_without_a_token_are_warned_of(tmp_path):
    done = program("doctor", "--offline", cwd=tmp_path)

    assert "sources share 60 requests an hour without a token" in done.stdout


def test_hosts_are_asked_once_however_many_sources_they_have():
    sources = [Source(name=name, kind="feed", url=f"https://example.org/{name}") for name in ("a", "b")]

    assert hosts_of(sources) == {"example.org": ["a", "b"]}


# ------------------------------------------------------------------------------------------------ receivers


def test_a_receiver_that_answers_is_well_and_gets_no_message(site):
    with Hook() as hook:
        site.configure(receivers=hook.receiver)

        assert checks(site)["receiver hook"] == (
            "ok",
            f"webhook: 127.0.0.1:{hook.port} answers; no message was sent",
        )
        assert hook.requests == []


def test_a_receiver_that_does_not_answer_is_exit_4(site):
    port = closed_port()
    site.configure(receivers=f'[receivers.hook]\nkind = "webhook"\nurl = "http://127.0.0.1:{port}/in"\n')

    assert checks(site, code=4)["receiver hook"] == (
        "fail",
        f"127.0.0.1:{port}: cannot be reached (Connection refused)",
    )


def test_a_receiver_with_a_wrong_option_is_exit_4(site):
    site.configure(receivers='[receivers.hook]\nkind = "webhook"\nurll = "x"\n')

    level, text = checks(site, code=4)["receiver hook"]
    assert level == "fail"
    assert "did you mean 'url'?" in text


def test_a_receiver_that_refused_us_is_exit_4_until_it_works(site):
    with Hook() as hook:
        hook.status = 410
        site.configure(receivers=hook.receiver)
        site.run("run")
        (site.folder / "new.json").write_bytes(_table())
        site.run("ingest", "new.json")

        assert "is broken" in site.run("doctor").stdout
        assert site.run("doctor").returncode == 4


def _table() -> bytes:
    return summary(acme(1, round="v7.0"))


# ------------------------------------------------------------------------------------------------ mail and TLS


def test_a_mail_server_with_starttls_answers_and_gets_no_mail(tmp_path):
    certificate = make_certificate(tmp_path)
    with mail_server(Mailbox(), certificate=certificate) as mailbox:
        assert trouble_of(Host("localhost", mailbox.port, "starttls", str(certificate[0]))) is None
        assert mailbox.raw == []


def test_a_certificate_that_does_not_check_is_told(tmp_path):
    with mail_server(Mailbox(), certificate=make_certificate(tmp_path), implicit=True) as mailbox:
        trouble = trouble_of(Host("localhost", mailbox.port, "implicit"))

    assert trouble is not None
    assert "its certificate does not check" in trouble


def test_a_mail_server_without_starttls_is_told():
    with mail_server(Mailbox()) as mailbox:
        trouble = trouble_of(Host("localhost", mailbox.port, "starttls"))

    assert (
        trouble == f"localhost:{mailbox.port}: SMTPNotSupportedError before any message; check tls and port"
    )


def test_a_server_that_speaks_no_tls_is_told():
    with Hook() as hook:
        trouble = trouble_of(Host("127.0.0.1", hook.port, "implicit"))

    assert trouble is not None
    assert "check tls and port" in trouble


@pytest.mark.parametrize(
    ("kind", "options", "host"),
    [
        ("slack", {"webhook_url": Secret("https://hooks.slack.com/services/T/B/x")}, Host("hooks.slack.com", 443, "implicit")),
        ("slack", {"token": Secret("xoxb-1"), "channel": "C1"}, Host("slack.com", 443, "implicit")),
        ("webhook", {"url": Secret("http://127.0.0.1:8080/in")}, Host("127.0.0.1", 8080, "none")),
        ("mail", {"host": "smtp.example.org"}, Host("smtp.example.org", 587, "starttls")),
        ("mail", {"host": "m", "tls": "implicit", "ca": "ca.pem"}, Host("m", 465, "implicit", "ca.pem")),
        ("console", {}, None),
        ("apprise", {"url": Secret("ntfys://topic")}, None),
    ],
)  # fmt: skip
def test_where_each_kind_of_receiver_sends_to(kind, options, host):
    assert host_of(kind, options) == host


def test_a_host_that_hangs_up_is_told():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            with contextlib.suppress(OSError):
                server.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        port = server.getsockname()[1]
        trouble = trouble_of(Host("127.0.0.1", port, "starttls"))
        thread.join()

    assert trouble is not None
    assert trouble.startswith(f"127.0.0.1:{port}: ")
