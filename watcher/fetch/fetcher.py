"""`Fetcher`: what all sources share."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime

from watcher import __version__
from watcher.domain import Source, Validators
from watcher.errors import ConfigError
from watcher.fetch import wire
from watcher.fetch.pace import Pace
from watcher.fetch.robots import NAME, Robots
from watcher.fetch.session import Session
from watcher.fetch.shared import Shared

FULL_EVERY = 20
"""Every so many intervals a conditional request is made unconditional, lest a wrong 304 blinds us for good."""


def user_agent(contact: str | None = None) -> str:
    """Return who we say we are: name, version and whom to write to.

    Raises ConfigError for a contact that cannot stand in a header.
    """
    if contact is None:
        return f"{NAME}/{__version__}"
    if not (contact.isascii() and contact.isprintable() and contact.strip()) or set(contact) & set("()\\"):
        raise ConfigError(f"contact {contact!r} must be a plain address or mail address")
    return f"{NAME}/{__version__} (+{contact})"


class Fetcher:
    """The connections, the pace and the memory that all sources share; safe to use from several threads.

    ``timeout``: seconds for a connection and for each silence of the other side; ``max_total_seconds`` for a whole
    answer, however slowly it drips. ``max_bytes`` on the wire, ``max_decoded_bytes`` decompressed. ``min_gap``:
    seconds between two requests to one host, spent by ``wait``. ``monotonic`` only measures. ``resolve`` and
    ``connect`` are the system's. ``ca_bundle``: file of trusted certificates in place of certifi's.

    Neither cookies, netrc nor proxies from the environment are used: the address that is checked is the one asked.
    """

    def __init__(  # noqa: PLR0913 - caps and parts, each by its name
        self,
        *,
        user_agent: str | None = None,
        timeout: float = 20.0,
        max_total_seconds: float = 120.0,
        max_bytes: int = 32 << 20,
        max_decoded_bytes: int = 96 << 20,
        min_gap: float = 0.5,
        full_every: int = FULL_EVERY,
        wait: Callable[[float], object] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        resolve: wire.Resolve = wire.resolve,
        connect: wire.Connect = wire.connect,
        ca_bundle: str | None = None,
    ) -> None:
        """Take the caps and the parts that tests replace. Raises ConfigError for a user agent that cannot be sent."""
        self.user_agent = user_agent or f"{NAME}/{__version__}"
        if not (self.user_agent.isascii() and self.user_agent.isprintable()):
            raise ConfigError(f"the user agent {self.user_agent!r} must be plain text: look at 'contact'")
        self.timeout = timeout
        self.max_total_seconds = max_total_seconds
        self.max_bytes = max_bytes
        self.max_decoded_bytes = max_decoded_bytes
        self.full_every = full_every
        self.monotonic = monotonic
        self.pace = Pace(min_gap, monotonic, wait)
        self.robots = Robots()
        self.shared = Shared()
        self.closed_until: dict[tuple[str, object], datetime] = {}
        self.requests = wire.OneRequest(
            wire.CheckedAdapter(
                timeout=timeout, monotonic=monotonic, resolve=resolve, connect=connect, ca_bundle=ca_bundle
            )
        )

    def session(self, source: Source, validators: Mapping[str, Validators], now: datetime) -> Session:
        """Return the `Get` for one check of ``source``; ``validators`` by address, as its last check left them."""
        return Session(self, source, validators, now)

    def close(self) -> None:
        """Close all connections."""
        self.requests.close()
