"""Waiting until a time or a signal, and an end in any case.

APScheduler's only jobs are to wake the daemon and to tell systemd that it lives; nothing that is due is kept there. The
daemon's thread waits on a socket that the scheduler's thread and the signals write to, so that no lock is shared with
a signal handler.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import FrameType, TracebackType
from typing import Any, Self

from msgspec import Struct

LAST_RESORT = 8.0
"""Seconds after SIGTERM in which the step at hand may end; what has not ended by then is left, and taken up again."""

_SLACK = 5.0  # seconds; the scheduler is late by no more, or something is wrong with it and we look ourselves
_log = logging.getLogger("watcher.daemon")


class Requests(Struct):
    """What signals have asked for; plain flags, as a signal may come anywhere."""

    stop: bool = False
    reload: bool = False


class Alarm:
    """Wakes the daemon. Use as a context manager, from the main thread; it brings the signal handlers."""

    def __init__(
        self, requests: Requests, *, last_resort: float = LAST_RESORT, leave: Callable[[int], Any] = os._exit
    ) -> None:
        """``leave`` ends the process with an exit code, whatever it does, ``last_resort`` seconds after SIGTERM."""
        self._requests = requests
        self._patience = last_resort
        self._leave = leave
        self._ear, self._mouth = socket.socketpair()
        self._end, self._ended = socket.socketpair()
        for each in (self._ear, self._mouth, self._ended):
            each.setblocking(False)  # noqa: FBT003 - the socket's own way
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Take the signals over and start the scheduler's and the last resort's threads."""
        from apscheduler.executors.debug import DebugExecutor  # noqa: PLC0415 - only the daemon needs it
        from apscheduler.schedulers.background import BackgroundScheduler  # noqa: PLC0415

        self._wakeup_before = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        for number, handle in (
            (signal.SIGTERM, self._stop),
            (signal.SIGINT, self._stop),
            (signal.SIGHUP, self._reload),
        ):
            self._before[number] = signal.signal(number, handle)
        self._scheduler = BackgroundScheduler(
            timezone=UTC, executors={"default": DebugExecutor()}, daemon=True
        )
        self._scheduler.start()
        self._guard = threading.Thread(target=self._last_resort, name="last-resort", daemon=True)
        self._guard.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.close()
        self._guard.join()
        self._scheduler.shutdown()
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handle in self._before.items():
            signal.signal(number, handle)
        for each in (self._ear, self._mouth, self._end):
            each.close()

    def wait(self, until: datetime) -> None:
        """Return at ``until`` (aware), or as soon as a signal has come."""
        self._scheduler.add_job(
            self._ring,
            "date",
            run_date=until,
            id="wake",
            replace_existing=True,
            misfire_grace_time=None,
            coalesce=True,
        )
        left = max((until - datetime.now(UTC)).total_seconds(), 0.0) + _SLACK
        select.select([self._ear], [], [], left)
        try:
            while self._ear.recv(4096):
                pass
        except BlockingIOError:
            return

    def every(self, seconds: float, call: Callable[[], None]) -> None:
        """Call something again and again from the scheduler's thread; it must be quick and share nothing."""
        self._scheduler.add_job(
            call, "interval", seconds=seconds, id="sign of life", misfire_grace_time=None, coalesce=True,
            next_run_time=datetime.now(UTC) + timedelta(seconds=seconds),
        )  # fmt: skip

    def _ring(self) -> None:
        try:
            self._mouth.send(b"\0")
        except OSError:  # nobody listens any more, or enough has been said
            return

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        self._requests.stop = True
        if number == signal.SIGINT:  # who presses Ctrl-C twice wants it now
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            self._ended.send(b"\0")
        except OSError:
            return

    def _reload(self, _number: int, _frame: FrameType | None) -> None:
        self._requests.reload = True

    def _last_resort(self) -> None:
        """Once told to stop, end the process if the step at hand does not: every step may be cut off anywhere."""
        if not self._end.recv(1):
            return
        deadline = time.monotonic() + self._patience
        while (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([self._end], [], [], left)
            if ready and not self._end.recv(1):
                return  # the daemon has ended by itself
        _log.warning(
            "the step at hand did not end in time; it is left as it is, and the next start takes it up"
        )
        self._leave(0)
