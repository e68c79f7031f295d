"""``daemon``: passes whenever something is due, until it is told to stop."""

from __future__ import annotations

import logging
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from watcher.cli.session import Session, command
from watcher.errors import ConfigError
from watcher.logs import pairs

if TYPE_CHECKING:
    from watcher.pipeline.one_pass import Pass
    from watcher.pipeline.parts import Watcher
    from watcher.schedule.health_page import HealthPage
    from watcher.schedule.snapshot import Board
    from watcher.store import Store

_log = logging.getLogger("watcher.daemon")


@command("daemon")
def daemon(session: Session) -> None:
    """Check, evaluate and deliver whenever something is due.

    It runs until SIGTERM, for systemd or a container. SIGTERM and Ctrl-C end the step at hand and exit 0; SIGHUP reads config and rules anew, and keeps those before
    if the new ones are wrong. The lock is held all the while: a `run` by cron then exits 75.

    \b
    mlperf-watcher --config /etc/mlperf-watcher/watcher.toml daemon --verbose
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.config import environment  # noqa: PLC0415
    from watcher.schedule.alarm import Alarm, Requests  # noqa: PLC0415 - brings the scheduler
    from watcher.schedule.loop import Daemon  # noqa: PLC0415
    from watcher.schedule.snapshot import Board  # noqa: PLC0415
    from watcher.schedule.systemd import ALIVE, Notify  # noqa: PLC0415

    requests, announce = Requests(), Notify(environment())
    with session.store() as store, store.lock(), ExitStack() as stack:
        store.check()
        alarm = stack.enter_context(Alarm(requests))
        board = Board(time.monotonic())
        parts = _Parts(session, store, board)
        stack.callback(parts.close)
        if announce.every is not None:
            alarm.every(announce.every, lambda: announce(ALIVE) if board.alive(time.monotonic()) else None)
        Daemon(
            store=store, load=parts.load, clock=_clock, monotonic=time.monotonic, wait=alarm.wait, requests=requests,
            announce=announce, board=board, after_pass=after_pass, during_load=parts.serve,
        ).run()  # fmt: skip


def after_pass(watcher: Watcher, done: Pass) -> None:
    """Do what follows each pass: say what it brought, keep documents within their size, ping if all is well."""
    from watcher.cli.passes import exit_code, housekeeping, ping  # noqa: PLC0415

    for name, why in done.checked.failed.items():
        _log.warning(pairs("check failed", source=name, why=why))
    for name, count in done.checked.baselines.items():
        _log.info(pairs("baseline", table=name, results=count))
    for alert in done.alerts:
        _log.info(pairs("alert", id=alert.name, rule=alert.rule, severity=alert.severity, title=alert.title))
    housekeeping(watcher)
    if exit_code(watcher) == 0:
        ping(watcher.config)


class _Parts:
    """The parts in force, made of the config as it is when asked for, and the health page that goes with it."""

    def __init__(self, session: Session, store: Store, board: Board) -> None:
        self._session = session
        self._store = store
        self._board = board
        self._state = session.state.absolute()
        self._address: tuple[str, int] | None = None
        self._page: HealthPage | None = None

    def load(self) -> Watcher:
        """Read config and rules, build and check everything. Raises UsageError."""
        from watcher.schedule.loading import load  # noqa: PLC0415

        config = self._session.read_config()
        state = self._state if self._session.state_file else config.state.absolute()
        if state != self._state:
            raise ConfigError(
                f"{config.file}: watcher.state: the state cannot change while the daemon runs; restart it"
            )
        return load(config, self._store)

    def serve(self, watcher: Watcher) -> None:
        """Serve the health page where the config wants it; the new address is had before the old one is left."""
        from watcher.schedule.loading import address_of  # noqa: PLC0415

        address = address_of(watcher.config)
        if address == self._address:
            return
        page = None
        if address is not None:
            from watcher.schedule.health_page import HealthPage  # noqa: PLC0415 - brings prometheus-client

            page = HealthPage(address, self._board, clock=_clock, monotonic=time.monotonic)
        self.close()
        self._page, self._address = page, address

    def close(self) -> None:
        """Stop serving."""
        if self._page is not None:
            self._page.close()
        self._page = self._address = None


def _clock() -> datetime:
    return datetime.now(UTC)
