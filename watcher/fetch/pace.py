"""One request a host at a time, with a gap between them; different hosts side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Pace:
    """Gives each host's turns. ``gap``: seconds from the end of one request to the start of the next."""

    def __init__(self, gap: float, monotonic: Callable[[], float], wait: Callable[[float], object]) -> None:
        """Take the gap, a clock that only goes forward, and the way to wait."""
        self._gap = gap
        self._monotonic = monotonic
        self._wait = wait
        self._lock = threading.Lock()
        self._hosts: dict[str, _Host] = {}

    @contextmanager
    def turn(self, host: str, gap: float | None = None) -> Iterator[float]:
        """Hold the host's turn; gives the seconds waited for the gap. A longer ``gap`` than usual may be asked."""
        with self._lock:
            state = self._hosts.setdefault(host, _Host())
        with state.lock:
            gap = self._gap if gap is None else max(gap, self._gap)
            left = 0.0 if state.ended is None else state.ended + gap - self._monotonic()
            if left > 0:
                self._wait(left)
            try:
                yield max(left, 0.0)
            finally:
                state.ended = self._monotonic()


class _Host:
    """A host's lock, and when its last request ended."""

    __slots__ = ("ended", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ended: float | None = None
