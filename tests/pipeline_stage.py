"""A whole program with stand-ins around it: a world of our own rows, any receivers, and passes at times of the test.

Nothing of the program is replaced: the state is a SQLite file, tables come over HTTP from the stand-in for GitHub, and
messages leave by HTTP or SMTP. `World` says how the program is set up and can be handed to another process, which
`pass_elsewhere` starts and, if asked to, lets die by SIGKILL at a named point.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tests.rows import row
from watcher.config import Config, ReceiverConfig
from watcher.demo.github import GitHubServer
from watcher.demo.local import Answer, LocalServer, Reply, Request
from watcher.demo.published import summary
from watcher.demo.slack import SlackServer
from watcher.domain import Alert, Result, Secret, Source
from watcher.fetch import Fetcher
from watcher.outbox import Delivery
from watcher.pipeline.one_pass import Pass, run_pass
from watcher.pipeline.parts import Watcher, go_on
from watcher.store import Store
from watcher.wiring import wire

AT = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TABLE = "summary.json"
RULES = """
rules:
  - id: new-round
    title: "MLPerf {suite:title} {round} is public"
    watch: round
    severity: high
  - id: rows
    title: "{submitter}: {count:result} {event}, {round}"
    watch: result
    on: [added, changed, removed, restored, renamed]
    group_by: [round, submitter, event]
  - id: trouble
    title: "Source {source} {event}: {message}"
    watch: source
    severity: high
"""


class World(Struct, frozen=True, kw_only=True):
    """How the program is set up."""

    state: Path
    config: Config
    sources: tuple[Source, ...]

    def elsewhere(self, name: str) -> World:
        """Return the same world over a copy of its state."""
        copy = self.state.with_name(f"{name}.db")
        shutil.copyfile(self.state, copy)
        return replace(self, state=copy, config=replace(self.config, state=copy))

    @contextmanager
    def watcher(
        self, *, reach: Callable[[str], None] = go_on, stream: Any = None, now: datetime = AT
    ) -> Iterator[Watcher]:
        """Open the state, hold its lock and wire the parts."""
        with Store(self.state, now=now) as store, store.lock():
            made = wire(self.config, store, sources=self.sources, reach=reach, stream=stream)
            made.make_fetcher = lambda: Fetcher(min_gap=0.0)
            yield made

    def go(
        self, at: datetime, *, due: bool = False, reach: Callable[[str], None] = go_on, stream: Any = None
    ) -> Pass:
        """Do one pass over every source, or over those that are ``due``."""
        with self.watcher(reach=reach, stream=stream, now=at) as watcher:
            return run_pass(watcher, at, only=None if due else self.sources)

    def alerts(self) -> list[Alert]:
        """Return every alert made."""
        with Store(self.state, now=AT) as store:
            return list(store.events.alerts())

    def owed(self, receiver: str | None = None) -> list[Delivery]:
        """Return every delivery, whatever became of it."""
        with Store(self.state, now=AT) as store:
            found = store.outbox.between(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
        return [each for each in found if receiver in {None, each.receiver}]

    def states(self, receiver: str | None = None) -> Counter[str]:
        """Return how many deliveries are in each state."""
        return Counter(each.state for each in self.owed(receiver))


class Stage:
    """A folder, the stand-in for GitHub with a baseline of round v6.0, and receivers as the test adds them."""

    def __init__(self, folder: Path, github: GitHubServer, rules: str = RULES) -> None:
        """Write the rules; nothing is public yet."""
        self.folder, self.github = folder, github
        self.receivers: list[ReceiverConfig] = []
        self.settings: dict[str, Any] = {}
        (folder / "rules.yaml").write_text(rules)

    def receiver(self, name: str, kind: str, options: dict[str, Any] | None = None, **given: Any) -> None:
        """Add a receiver."""
        self.receivers.append(ReceiverConfig(name=name, kind=kind, options=options or {}, **given))

    @property
    def world(self) -> World:
        """The program as set up until now."""
        state = self.folder / "watcher.db"
        named = tuple(receiver.name for receiver in self.receivers if receiver.alerts)
        settings = {"default_receivers": named, **self.settings}
        config = Config(
            state=state, rules=(self.folder / "rules.yaml",), receivers=tuple(self.receivers), **settings
        )
        return World(state=state, config=config, sources=(results_source(self.github),))

    def baseline(self, *rows: Result) -> World:
        """Publish round v6.0 and let the first pass, an hour before `AT`, take it as the baseline."""
        self.publish(*(rows or acme(2, round="v6.0")))
        self.world.go(AT - HOUR)
        return self.world

    def publish(self, *rows: Result) -> None:
        """Make the round of these rows public."""
        self.github.publish(f"inference_results_{rows[0].round}", {TABLE: summary(rows)})

    def commit(self, *rows: Result) -> None:
        """Replace the table of these rows' round."""
        self.github.commit(f"inference_results_{rows[0].round}", TABLE, summary(rows))


def results_source(github: GitHubServer, **given: Any) -> Source:
    """Return the source that watches the stand-in for GitHub."""
    options = {"api": github.api, "raw": github.raw, "web": github.web}
    return Source(
        name="inference", kind="results_repos", url=github.api, suite="inference", group="mlcommons",
        options=options, allow_hosts=("127.0.0.1",), **given,
    )  # fmt: skip


def acme(count: int, **given: Any) -> tuple[Result, ...]:
    """Return so many rows of one submitter on racks of their own."""
    return tuple(row(platform=f"rack-{n}", value=1000.0 + n, **given) for n in range(count))


def submitters(*names: str, **given: Any) -> tuple[Result, ...]:
    """Return one row a submitter, so that a rule which groups by submitter makes one alert each."""
    return tuple(row(submitter=name, organisations=(name,), platform="rack", **given) for name in names)


# ------------------------------------------------------------------------------------------------ receivers


class Hook(LocalServer):
    """A receiver of kind ``webhook``. ``script``: what to answer next, one each; then 200 for ever."""

    def __init__(self) -> None:
        """Start with nothing scripted."""
        self.script: list[Answer | str] = []
        self.taken: list[dict[str, Any]] = []
        super().__init__()

    def answer(self, request: Request) -> Answer:
        """Take the message, unless the script says otherwise; "took" takes it and breaks off."""
        said = self.script.pop(0) if self.script else Reply()
        if said == "took" or (isinstance(said, Reply) and said.status < 300):
            self.taken.append(json.loads(request.body))
        return _break_off if isinstance(said, str) else said

    @property
    def told(self) -> Counter[str]:
        """How often each alert (or the digest's title) was told."""
        return Counter(name for message in self.taken for name in message["alerts"])

    def fail(self, *statuses: int, **headers: str) -> None:
        """Answer the next requests so."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self.script += [Reply(status, b"not now", given) for status in statuses]


def _break_off(handler: Any) -> None:
    handler.connection.close()


def hook_options(hook: Hook, **given: Any) -> dict[str, Any]:
    """Return the options of a webhook receiver."""
    return {"url": Secret(f"{hook.url}/in"), "timeout": 5.0, **given}


def bot_options(slack: SlackServer, **given: Any) -> dict[str, Any]:
    """Return the options of a Slack receiver with a bot token."""
    return {"token": Secret("xoxb-demo"), "channel": "C0DEMO", "base_url": slack.api, "timeout": 5.0, **given}


def told_by_slack(slack: SlackServer) -> Counter[str]:
    """Return how often Slack showed each alert, by its id in the message."""
    return Counter(name for each in slack.messages for name in alert_names(each.content))


def alert_names(content: Any) -> set[str]:
    """Return the alert ids that a message shows."""
    return set(re.findall(r"A-\d{4}", json.dumps(content)))


# ------------------------------------------------------------------------------------------------ other processes

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__, "tests.pipeline_warm"])


class KilledAt:
    """Ends the process by SIGKILL when ``point`` is reached for the ``nth`` time."""

    def __init__(self, point: str, nth: int) -> None:
        """Count from one."""
        self.point, self.left = point, nth

    def __call__(self, point: str) -> None:
        """Count, and die."""
        if point == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def pass_elsewhere(world: World, at: datetime, die: tuple[str, int] | None = None) -> int:
    """Do one pass in a process of its own; return its exit code (-9: killed)."""
    process = _CONTEXT.Process(target=_pass, args=(world, at, die))
    process.start()
    process.join()
    assert process.exitcode is not None
    return process.exitcode


def _pass(world: World, at: datetime, die: tuple[str, int] | None) -> None:
    world.go(at, reach=KilledAt(*die) if die is not None else go_on)


def points_reached(world: World, at: datetime) -> list[str]:
    """Do one pass here; return the points it reached, in order."""
    reached: list[str] = []
    world.go(at, reach=reached.append)
    return reached


def ids(deliveries: Iterable[Delivery]) -> list[str]:
    """Return what deliveries are about."""
    return [each.about for each in deliveries]


def published(stage: Stage, *rows: Any) -> World:
    """Return the world after its baseline, with a new round public and not yet seen: two alerts."""
    world = stage.baseline()
    stage.publish(*(rows or submitters("Acme")))
    return world


def with_receiver(world: World, **changes: Any) -> World:
    """Return the world with its only receiver changed, as when somebody mends the config."""
    (receiver,) = world.config.receivers
    return replace(world, config=replace(world.config, receivers=(replace(receiver, **changes),)))


def webhook_to(slack: SlackServer) -> dict[str, Any]:
    """Return the options of a receiver that posts to the stand-in's webhook."""
    return {"webhook_url": Secret(slack.webhook), "timeout": 0.4}


def titles(hook: Hook) -> list[str]:
    """Return the titles of the messages taken."""
    return [message["title"] for message in hook.taken]
