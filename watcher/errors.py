"""The tree of errors; the class says what happens next, the text names the thing and the fix, never a secret.

WatcherError
├── UsageError              what was asked cannot be done as asked: exit 2
│   ├── ConfigError         edit watcher.toml: names file, key, value, nearest valid one
│   │   └── SecretError     a secret that is needed cannot be had: names key, variable or file, and the fix
│   ├── RuleError           edit a rule file: names file, line, wrong word, nearest valid one
│   └── CatalogError        edit a catalog file: names file, line, entry
├── SourceError             a check of a source failed: counted, tried again later
│   ├── FetchError          the other side did not answer as hoped: url, failure class, retry_after
│   ├── ParseError          a document is not what we know: a person must look
│   └── HeldBackError       a table that lost too much: kept out until it is whole or accepted
├── DeliveryError           a receiver did not take a notification
│   ├── TryLaterError       try again after growing waits, or when told
│   ├── RefusedError        this message is not acceptable as it is: once more as plain text
│   ├── BrokenReceiverError the receiver itself is wrong (token, address): stop, keep what is owed
│   └── UnknownOutcomeError it may have arrived: look before sending again
├── LockedError             another run holds the lock: exit 75
└── StateError              the state cannot be read or written: names the file and the fix
"""

from __future__ import annotations


class WatcherError(Exception):
    """Base of every error that a person is meant to read."""


class UsageError(WatcherError):
    """What was asked cannot be done as asked; exit code 2."""


class ConfigError(UsageError):
    """The configuration names something wrong."""


class SecretError(ConfigError):
    """A secret that is needed here cannot be had."""


class RuleError(UsageError):
    """A rule file is wrong; the text starts with ``file:line:``. ``problems``: all that is wrong, one line each."""

    def __init__(self, message: str, problems: tuple[str, ...] = ()) -> None:
        """Keep all problems beside the first."""
        super().__init__(message)
        self.problems = problems or (message,)


class CatalogError(UsageError):
    """A catalog file is wrong; the text starts with the file's name."""


class SourceError(WatcherError):
    """A check of a source failed.

    ``failure`` is its class, one word a person can search for: blocked, rate-limited, gone, auth, server, network,
    too-large, not-what-it-was, refused, parse or held-back.
    """

    failure = "source"


class FetchError(SourceError):
    """The other side did not answer as hoped.

    ``url`` without credentials; ``failure`` as in `SourceError`; ``status`` the HTTP status if there was one;
    ``retry_after`` seconds to wait, if the other side said so.
    """

    def __init__(
        self,
        message: str,
        *,
        url: str,
        failure: str,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        """Keep the facts beside the sentence."""
        super().__init__(message)
        self.url = url
        self.failure = failure
        self.status = status
        self.retry_after = retry_after


class ParseError(SourceError):
    """A document is not in a shape that we know, or contradicts itself; never an empty table instead."""

    failure = "parse"


class HeldBackError(SourceError):
    """A table lost so much that it is not taken as the truth."""

    failure = "held-back"


class DeliveryError(WatcherError):
    """A receiver did not take a notification."""


class TryLaterError(DeliveryError):
    """Try again: after ``retry_after`` seconds if the other side said so, else after growing waits."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        """Keep the wait beside the sentence."""
        super().__init__(message)
        self.retry_after = retry_after


class RefusedError(DeliveryError):
    """The receiver refuses this message as it is; a short plain one may pass."""


class BrokenReceiverError(DeliveryError):
    """The receiver itself is wrong: token, address, permission."""


class UnknownOutcomeError(DeliveryError):
    """The connection ended after the message was sent: it may have arrived."""


class LockedError(WatcherError):
    """Another run holds the lock; exit code 75."""


class StateError(WatcherError):
    """The state cannot be opened, read or written as it is.

    ``damaged``: its content is wrong, so that waiting does not help (a full disk, on the other hand, may be freed).
    """

    def __init__(self, message: str, *, damaged: bool = False) -> None:
        """Keep the fact beside the sentence."""
        super().__init__(message)
        self.damaged = damaged
