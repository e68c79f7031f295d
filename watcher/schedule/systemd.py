"""Words to systemd by its notify socket: ready, reloading, stopping, alive. Without systemd nothing happens.

The protocol is sd_notify(3): one datagram of KEY=VALUE lines to the socket that NOTIFY_SOCKET names.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping

READY = "READY=1"
STOPPING = "STOPPING=1"
ALIVE = "WATCHDOG=1"


class Notify:
    """Tells systemd how we are; ``environ`` says where it listens and how often it wants to hear of us."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Read the address and the interval; one that is meant for another process is not ours."""
        address = environ.get("NOTIFY_SOCKET", "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        interval = environ.get("WATCHDOG_USEC", "")
        ours = environ.get("WATCHDOG_PID") in {None, "", str(os.getpid())}
        self.every: float | None = (
            int(interval) / 1e6 / 3 if interval.isdigit() and ours and address else None
        )
        """Seconds between signs of life, a third of what systemd waits for; None if it wants none."""

    def __call__(self, *words: str) -> None:
        """Send words; a systemd that does not listen is no reason to stop."""
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
            try:
                sock.sendto("\n".join(words).encode(), self._address)
            except OSError:
                return

    def reloading(self) -> None:
        """Say that a reload has begun; `READY` ends it."""
        self("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def status(self, text: str) -> None:
        """Set the line that ``systemctl status`` shows."""
        self(f"STATUS={' '.join(text.split())}")
