"""Ways out: one file for each kind of destination, and the NOTIFIERS table.

A notifier is a frozen dataclass whose fields are its options. It is handed a `Notification` and answers with a
`Receipt`, or raises one of the DeliveryError family, whose class says what happens next:

- TryLaterError: nothing arrived, try again (408, 425, 429, 5xx, no connection);
- RefusedError: this message is not acceptable as it is (400 and its like): once more by ``send_plain``;
- BrokenReceiverError: the receiver itself is wrong (401, 403, 404, 410, a redirect, a bad certificate);
- UnknownOutcomeError: the connection ended after the whole message was sent: it may have arrived.

A notifier never retries by itself, never prints a secret, and gives up waiting after its ``timeout``. A new kind is
a new file and one row here; ``tests/test_contracts_notifiers.py`` then covers it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Notification, Receipt
from watcher.errors import ConfigError, UnknownOutcomeError
from watcher.nearest import did_you_mean
from watcher.notifiers import options as options_of_class
from watcher.notifiers.options import Option


@runtime_checkable
class Notifier(Protocol):
    """What every kind can do; ``name`` is the receiver's name in the config."""

    @property
    def name(self) -> str:
        """The receiver's name."""
        ...

    def send(self, notification: Notification) -> Receipt:
        """Send it once; raises a DeliveryError."""
        ...

    def send_plain(self, notification: Notification) -> Receipt:
        """Send a short plain-text version once, after a RefusedError; raises a DeliveryError."""
        ...


@runtime_checkable
class Finder(Notifier, Protocol):
    """A notifier that can look whether a message arrived."""

    @property
    def finds(self) -> bool:
        """Whether it can, with the options it has."""
        ...

    def find(self, notification_id: str, *, thread: str | None = None) -> Receipt | None:
        """Return the receipt of the message with this id, null if it is not there.

        Raises UnknownOutcomeError where looking is not permitted, else the DeliveryError of the call.
        """
        ...


class NotifierKind(Struct, frozen=True):
    """A row of NOTIFIERS: where the class is, and one sentence for help and docs."""

    module: str
    class_name: str
    help: str

    def load(self) -> type[Notifier]:
        """Import the class; heavy libraries come with it, so only when a receiver of this kind is used."""
        return cast("type[Notifier]", getattr(importlib.import_module(self.module), self.class_name))


NOTIFIERS: dict[str, NotifierKind] = {
    "console": NotifierKind("watcher.notifiers.console", "Console", "readable text on standard output"),
    "slack": NotifierKind("watcher.notifiers.slack", "Slack", "a Slack channel, by webhook or bot token"),
    "mail": NotifierKind("watcher.notifiers.mail", "Mail", "one mail address, by SMTP"),
    "webhook": NotifierKind("watcher.notifiers.webhook", "Webhook", "signed JSON to an HTTPS address"),
    "atom": NotifierKind("watcher.notifiers.atom", "Atom", "an Atom file of the latest alerts"),
    "apprise": NotifierKind(
        "watcher.notifiers.apprise",
        "Apprise",
        "a hundred other services, at least once only (extra 'apprise')",
    ),
}


def kind_of(name: str, kind: str) -> NotifierKind:
    """Return the row of ``kind``; raises ConfigError naming the receiver and the nearest kind."""
    row = NOTIFIERS.get(kind)
    if row is None:
        raise ConfigError(f"receiver {name!r}: unknown kind {kind!r}{did_you_mean(kind, NOTIFIERS)}")
    return row


def options(kind: str) -> tuple[Option, ...]:
    """Return the options of a kind, for validation, help and docs; raises ConfigError for an unknown kind."""
    return options_of_class.options(kind_of("?", kind).load())


def make(
    name: str, kind: str, options: Mapping[str, Any], secrets: Mapping[str, Any] | None = None, **given: Any
) -> Notifier:
    """Build the notifier of a receiver.

    ``options`` are the receiver's keys in the config without ``kind``; ``secrets`` those read from files or the
    environment, by option name, as `Secret`. ``given`` are fields that are no options (console's ``stream``).
    Raises ConfigError that names receiver, option and the nearest right one.
    """
    return options_of_class.build(
        kind_of(name, kind).load(), name, kind, {**options, **(secrets or {})}, given=given
    )


def can_find(notifier: Notifier) -> bool:
    """Whether this notifier can look for a message before it posts again."""
    return isinstance(notifier, Finder) and notifier.finds


def deliver(
    notifier: Notifier, notification: Notification, *, unknown: bool = False, plain: bool = False
) -> Receipt:
    """Send once, with the care its history asks for; raises a DeliveryError.

    ``unknown``: an earlier attempt may have arrived, so look first where that is possible, and else mark the message
    as a possible repeat. ``plain``: an earlier attempt was refused, so send the short plain-text version.
    """
    if unknown:
        found, notification = _look(notifier, notification)
        if found is not None:
            return found
    return notifier.send_plain(notification) if plain else notifier.send(notification)


def _look(notifier: Notifier, notification: Notification) -> tuple[Receipt | None, Notification]:
    marked = replace(notification, possible_repeat=True)
    if not (isinstance(notifier, Finder) and notifier.finds):
        return None, marked
    try:
        found = notifier.find(notification.id, thread=notification.thread)
    except UnknownOutcomeError:
        return None, marked
    if found is None:
        return None, notification
    return replace(found, detail="found at the receiver, not sent again"), notification
