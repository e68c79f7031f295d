"""Secrets planted everywhere a config takes one are seen nowhere: not when every server answers by throwing them back.

Each other side here answers with an error that repeats whatever it was sent: address, headers, body, login. One receiver
works, and is told of all that trouble.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import re
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.notifications import rubin
from tests.pipeline_stage import Hook, submitters
from watcher.demo.local import LocalServer, Reply, Request
from watcher.demo.published import summary
from watcher.domain import Secret
from watcher.errors import BrokenReceiverError
from watcher.notifiers import make

PLANTED = {
    "HOOK_URL": "hookpath-9f31c7aa52",
    "SLACK_URL": "T0PLANT/B0PLANT/slackpart-77ab01cd",
    "BOT_TOKEN": "xoxb-planted-2468-abcdef",
    "GITHUB_TOKEN": "ghp_planted1357924680",
    "SMTP_PASSWORD": "pw-planted-smtp&<x>",
    "HMAC_KEY": "hmac-planted-00ff11ee",
    "BEARER": "bearer-planted-55aa",
    "PING": "ping-planted-6e6e6e6e",
}
COMMANDS = (
    ("ingest", "table.json", "--verbose"),
    ("run", "--json", "--verbose"),
    ("status",),
    ("config", "--json"),
    ("config",),
    ("alerts", "list", "--json"),
    ("alerts", "show", "1", "--json"),
    ("sources", "list", "--json"),
    ("sources", "check", "inference"),
    ("digest", "--json"),
    ("send-test", "slack"),
    ("send-test", "written"),
    ("send-test", "bot"),
    ("send-test", "mail"),
)


class Echo(LocalServer):
    """Refuses everything, each time by another status, and repeats what it was asked, as text and as JSON."""

    def __init__(self) -> None:
        """Begin with the statuses that break, that refuse and that put off."""
        self.statuses = itertools.cycle((401, 400, 500, 404, 429))
        super().__init__()

    def answer(self, request: Request) -> Reply:
        """Throw it all back."""
        said = f"{request.path} {dict(request.query)} {dict(request.headers)} {request.body[:200].decode('utf-8', 'replace')}"
        body = json.dumps({"ok": False, "error": said, "message": f"Bad credentials: {said}"})
        return Reply(
            next(self.statuses), body.encode(), {"Content-Type": "application/json", "X-Echo": said[:200]}
        )


class _EchoMail(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.wfile.write(b"220 echo\r\n")
        for raw in self.rfile:
            line = raw.decode("utf-8", "replace").strip()
            if line.upper().startswith("EHLO"):
                self.wfile.write(b"250-echo\r\n250 AUTH PLAIN\r\n")
            elif line.upper().startswith("AUTH PLAIN"):
                told = base64.b64decode(line.split(" ", 2)[2]).decode().replace("\0", " ")
                self.wfile.write(f"535 no: {line} means {told}\r\n".encode())
            elif line.upper().startswith("QUIT"):
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                self.wfile.write(f"535 no: {line}\r\n".encode())


@contextmanager
def echo_mail() -> Iterator[int]:
    """Run a mail server that refuses every login and repeats it; yield its port."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _EchoMail) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def config(echo: Echo, port: int, folder: Path) -> str:
    """Return a config in which every kind of secret stands, all but one of them by an environment variable."""
    return f"""
[watcher]
state = "{folder}/watcher.db"
ping_url_env = "PING"
log_format = "json"

[github]
api = "{echo.url}/api"
raw = "{echo.url}/raw"
web = "{echo.url}/web"
token_env = "GITHUB_TOKEN"
allow_hosts = ["127.0.0.1"]

[receivers.console]
kind = "console"
digest_at = "00:00"

[receivers.slack]
kind = "slack"
webhook_url_env = "SLACK_URL"

[receivers.bot]
kind = "slack"
token_env = "BOT_TOKEN"
channel = "C0DEMO"
base_url = "{echo.url}/slack/"

[receivers.hook]
kind = "webhook"
url_env = "HOOK_URL"
secret_env = "HMAC_KEY"
token_env = "BEARER"

[receivers.written]
kind = "webhook"
url = "{echo.url}/written-planted-0a0b0c0d"

[receivers.mail]
kind = "mail"
host = "127.0.0.1"
port = {port}
tls = "none"
sender = "w@example.org"
to = "ann@example.com"
username = "watcher"
password_env = "SMTP_PASSWORD"
"""


def forms(secret: str) -> set[str]:
    """Return a secret as it may be written: as it is, quoted for an address, in base64, in JSON, its telling parts."""
    encoded = {
        base64.b64encode(part.encode()).decode().rstrip("=") for part in (secret, f"\0watcher\0{secret}")
    }
    parts = {part for part in secret.split("/") if len(part) > 8}
    return {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]} | encoded | parts


def seen(text: str) -> list[str]:
    """Return the planted secrets that can be read in a text."""
    written = {**PLANTED, "WRITTEN": "written-planted-0a0b0c0d"}
    return [name for name, secret in written.items() if any(form in text for form in forms(secret))]


def run(command: tuple[str, ...], file: Path, given: dict[str, str]) -> str:
    """Run one command in the config's folder; return all that it said."""
    done = subprocess.run(
        [sys.executable, "-m", "watcher", *command, "--config", str(file)],
        capture_output=True, text=True, check=False, cwd=file.parent, env={**os.environ, **given},
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def test_no_planted_secret_is_in_any_output_log_message_or_byte_of_the_state(tmp_path: Path):
    with Echo() as echo, echo_mail() as port, Hook() as told:
        given = {
            **PLANTED,
            "HOOK_URL": f"{echo.url}/{PLANTED['HOOK_URL']}",
            "SLACK_URL": f"{echo.url}/services/{PLANTED['SLACK_URL']}",
            "PING": f"{echo.url}/{PLANTED['PING']}",
        }
        file = tmp_path / "watcher.toml"
        works = f'\n[receivers.told]\nkind = "webhook"\nurl = "{told.url}/in"\n'
        file.write_text(config(echo, port, tmp_path) + works)
        (tmp_path / "table.json").write_bytes(summary(submitters("Acme")))

        said = {" ".join(command): run(command, file, given) for command in COMMANDS}

        state = "".join(path.read_bytes().decode("latin-1") for path in tmp_path.glob("watcher.db*"))
    assert {name: seen(text) for name, text in said.items() if seen(text)} == {}
    assert [message["text"] for message in told.taken if seen(message["text"])] == []
    assert seen(state) == []
    assert {"401", "400", "500"} <= set(re.findall(r"answered (\d+)", state))
    sent = str(echo.requests)
    assert [
        n
        for n, secret in PLANTED.items()
        if n not in {"SMTP_PASSWORD", "HMAC_KEY", "PING"} and secret not in sent
    ] == []


def test_the_words_of_a_refused_login_are_shown_without_the_login(tmp_path: Path):
    with echo_mail() as port:
        notifier = make(
            "mail", "mail",
            {"host": "127.0.0.1", "port": port, "tls": "none", "sender": "w@example.org", "to": "a@example.com",
             "username": Secret("watcher"), "password": Secret(PLANTED["SMTP_PASSWORD"])},
        )  # fmt: skip
        with pytest.raises(BrokenReceiverError) as error:
            notifier.send(rubin())

    assert seen(str(error.value)) == []
    assert "refused us: 535 no: AUTH PLAIN <secret>" in str(error.value)
