"""Apprise: a hundred other services behind one address (the optional extra ``apprise``).

At least once only: Apprise answers yes or no, without status, reason or waiting time. So a no is always tried again,
and a message may come twice. It is given ``timeout`` seconds in all; a service that drips its answer would else hold us.
"""

from __future__ import annotations

import importlib
import logging
from dataclasses import dataclass, field
from typing import Any

from watcher.domain import Notification, Receipt, Secret
from watcher.errors import BrokenReceiverError, TryLaterError, UnknownOutcomeError
from watcher.notifiers import text
from watcher.notifiers.timed import check_timeout, in_time

INSTALL = "the package 'apprise' is not installed; install it with: pip install 'mlperf-watcher[apprise]'"
_TYPES = {"info": "info", "high": "warning", "critical": "failure"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Apprise:
    """Hands the text to the service at ``url`` (Apprise's own notation, for example ``ntfys://…``)."""

    name: str
    url: Secret = field(metadata={"help": "the service's address in Apprise's notation; never shown"})
    timeout: float = field(default=60.0, metadata={"help": "seconds that one message may take, at most 300"})

    def __post_init__(self) -> None:
        """Raise ConfigError for a time that no message can keep."""
        check_timeout(self.timeout)

    def send(self, notification: Notification) -> Receipt:
        """Send it as text.

        Raises BrokenReceiverError (not installed, address not known), TryLaterError (not taken) or UnknownOutcomeError
        (no end in time).
        """
        return self._notify(text.plain(notification), notification)

    def send_plain(self, notification: Notification) -> Receipt:
        """Send the short version; raises as `send`."""
        return self._notify(text.short(notification), notification)

    def _notify(self, body: str, notification: Notification) -> Receipt:
        who = f"receiver {self.name!r}"
        try:
            library: Any = importlib.import_module("apprise")
        except ModuleNotFoundError:
            raise BrokenReceiverError(f"{who}: {INSTALL}") from None
        logging.getLogger("apprise").disabled = True  # its log shows addresses with their tokens
        service = library.Apprise()
        if not service.add(self.url.reveal()):
            raise BrokenReceiverError(f"{who}: Apprise does not know this kind of address; check url")
        title, kind = text.clean(notification.title), _TYPES.get(notification.severity, "info")
        try:
            taken = in_time(
                self.timeout,
                lambda: service.notify(body=body, title=title, notify_type=kind, body_format="text"),
            )
        except TimeoutError:
            raise UnknownOutcomeError(
                f"{who}: Apprise did not end within {self.timeout:g} seconds; the message may have arrived"
            ) from None
        if not taken:
            raise TryLaterError(f"{who}: Apprise says the service did not take it, and no more")
        return Receipt(detail="taken by Apprise")
