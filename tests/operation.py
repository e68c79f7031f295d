"""The program as people run it: a folder with a config, stand-ins around it, and real processes."""

from __future__ import annotations

import ctypes
import gc
import io
import json
import logging
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import click

from tests.rows import row
from watcher.cli import cli, main
from watcher.demo.github import GitHubServer
from watcher.demo.local import Answer, LocalServer, Reply, Request
from watcher.demo.published import summary
from watcher.domain import Result

PATIENCE = 60.0  # seconds until a test gives up waiting for what must come; nothing is ever measured by it
RULES = """
rules:
  - id: new-round
    title: "MLPerf {suite:title} {round} is public"
    watch: round
    severity: high
  - id: rows
    title: "{submitter}: {count:result} {event}, {round}"
    watch: result
    on: [added, changed, removed]
    group_by: [round, submitter, event]
  - id: trouble
    title: "Source {source} {event}: {message}"
    watch: source
"""


class Place:
    """A folder with a config and rules, whose one source is a stand-in for GitHub with a round public."""

    def __init__(self, folder: Path, github: GitHubServer) -> None:
        self.folder, self.github = folder, github
        self.state = folder / "state" / "watcher.db"
        (folder / "rules").mkdir()
        (folder / "rules" / "all.yaml").write_text(RULES)
        self.publish(*acme(3, round="v6.0"))
        self.configure()

    def configure(
        self, settings: str = "", *, receivers: str = '[receivers.you]\nkind = "console"\n', every: str = "1h"
    ) -> None:
        """Write the config; ``settings`` are lines of [watcher]."""
        (self.folder / "watcher.toml").write_text(
            f'[watcher]\ngroups = []\ngap = 0.001\n{settings}\n{receivers}\n'
            f'[sources.inference]\nkind = "results_repos"\nurl = "{self.github.api}"\nsuite = "inference"\n'
            f'every = "{every}"\nallow_hosts = ["127.0.0.1"]\n'
            f'api = "{self.github.api}"\nraw = "{self.github.raw}"\nweb = "{self.github.web}"\n'
        )  # fmt: skip

    def publish(self, *rows: Result) -> None:
        """Make the round of these rows public."""
        self.github.publish(f"inference_results_{rows[0].round}", {"summary.json": summary(rows)})

    def commit(self, *rows: Result) -> None:
        """Replace the table of these rows' round."""
        self.github.commit(f"inference_results_{rows[0].round}", "summary.json", summary(rows))

    def run(self, *words: str, **how: Any) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return program(*words, cwd=self.folder, **how)

    def json(self, *words: str) -> Any:
        """Run a command and return its JSON document."""
        done = self.run(*words, "--json")
        return json.loads(done.stdout)

    @contextmanager
    def daemon(self, *words: str, **how: Any) -> Iterator[Process]:
        """Run the daemon until the block is left; it is killed there if the test has not ended it."""
        process = Process(["daemon", "--verbose", *words], cwd=self.folder, **how)
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def place(folder: Path) -> Iterator[Place]:
    """Return a place whose round v6.0 is public."""
    with GitHubServer() as github:
        yield Place(folder, github)


def acme(count: int, **given: Any) -> tuple[Result, ...]:
    """Return so many rows of one submitter on racks of their own."""
    return tuple(row(platform=f"rack-{n}", value=1000.0 + n, **given) for n in range(count))


def program(*words: str, cwd: Path, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run a command of the program to its end: here, or in a process of its own if anything is asked of that."""
    return apart(*words, cwd=cwd, **how) if how else here(*words, cwd=cwd)


def apart(
    *words: str, cwd: Path, env: Mapping[str, str] | None = None, before: Sequence[str] = (), **how: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own; ``before`` is a command that starts it (``unshare`` …)."""
    return subprocess.run(
        [*before, sys.executable, "-m", "watcher", *words], cwd=cwd, env=environment(env), capture_output=True, text=True,
        timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL, **how,
    )  # fmt: skip


def here(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in this process; what it does to the log, to standard streams and to the collector is taken back."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    root, handlers = logging.getLogger(), list(logging.getLogger().handlers)
    stdin, threshold = sys.stdin, gc.get_threshold()
    sys.stdin = io.StringIO()
    try:
        with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
            main(list(words))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdin = stdin
        gc.set_threshold(*threshold)
        root.handlers[:] = handlers
        root.setLevel(logging.WARNING)
        logging.getLogger("watcher").setLevel(logging.NOTSET)
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


def understood(words: Sequence[str]) -> str:
    """Let the command line take words apart without doing anything; return the command's name. A wrong option fails."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in {"--config", "--state"} else 1 :]
    assert rest, f"no command in {list(words)}"
    context = cli.make_context("mlperf-watcher", [rest[0]], resilient_parsing=True)
    command, name, given = cli.get_command(context, rest[0]), rest[0], rest[1:]
    while isinstance(command, click.Group) and given:
        name = f"{name} {given[0]}"
        command, given = command.get_command(context, given[0]), given[1:]
    assert command is not None, f"there is no command {name!r}"
    if isinstance(command, click.Group) or {"--help", "-h"} & set(given):
        return name
    command.make_context(name, given, parent=context).close()
    return name


def obey_permissions() -> None:
    """Let the child obey permissions also where tests run as root: take the right to override them away for good."""
    if os.geteuid() == 0:
        for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
            ctypes.CDLL(None, use_errno=True).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


@cache
def may_mount() -> bool:
    """Whether this machine lets us mount in a namespace of our own; where not, a test takes another way to the same."""
    probe = ["unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return (
        shutil.which("unshare") is not None
        and subprocess.run(probe, capture_output=True, check=False).returncode == 0
    )


def mounting(script: str) -> list[str]:
    """Return what to put before a command so that ``script`` mounts first, seen by that command alone."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an environment of our own making, from which the program can be imported anywhere."""
    here = str(Path(__file__).parent.parent)
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TZ") if name in os.environ}
    return {**kept, "PYTHONPATH": here, "PYTHONWARNINGS": "error", **(more or {})}


class Process:
    """A running program whose log is read line by line."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        before: Sequence[str] = (),
        **how: Any,
    ) -> None:
        self.lines: list[str] = []
        self._new: queue.Queue[str | None] = queue.Queue()
        self._process = subprocess.Popen(
            [*before, sys.executable, "-m", "watcher", *words], cwd=cwd, env=environment(env), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._new.put(line.rstrip("\n"))
        self._new.put(None)

    def expect(self, words: str) -> str:
        """Wait for the next line that holds ``words`` and return it; fails when the program ends without it."""
        while True:
            line = self._new.get(timeout=PATIENCE)
            assert line is not None, f"ended without {words!r}; it said:\n" + "\n".join(self.lines)
            self.lines.append(line)
            if words in line:
                return line

    def wait_a_moment(self) -> bool:
        """Let the process work for a moment; return whether it still runs."""
        try:
            self._process.wait(timeout=0.05)
        except subprocess.TimeoutExpired:
            return True
        return False

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def wait(self) -> int:
        """Wait for the end and return the exit code; ``lines`` then holds all that was said."""
        code = self._process.wait(timeout=PATIENCE)
        self._reader.join(timeout=PATIENCE)
        while (line := self._new.get()) is not None:
            self.lines.append(line)
        return code

    def stop(self) -> int:
        """Send SIGTERM and return the exit code."""
        self.send(signal.SIGTERM)
        return self.wait()

    def kill(self) -> None:
        """End it in any case."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(timeout=PATIENCE)
        self._reader.join(timeout=PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()


class Hook(LocalServer):
    """Takes webhook messages; ``status`` is what it answers."""

    def __init__(self) -> None:
        self.status = 200
        self.taken: list[dict[str, Any]] = []
        super().__init__()

    def answer(self, request: Request) -> Answer:
        if self.status < 300:
            self.taken.append(json.loads(request.body))
        return Reply(self.status)

    @property
    def receiver(self) -> str:
        """Lines of a config that make it a receiver."""
        return f'[receivers.hook]\nkind = "webhook"\nurl = "{self.url}/in"\n'

    @property
    def told(self) -> list[str]:
        """The titles it was told, in order."""
        return [message["title"] for message in self.taken]
