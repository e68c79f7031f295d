"""Console: the notification as readable text on a stream."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TextIO

from watcher.domain import Notification, Receipt
from watcher.errors import TryLaterError
from watcher.notifiers import text


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """Prints to ``stream`` (standard output unless another is given)."""

    name: str
    width: int = field(default=78, metadata={"help": "columns at which text is wrapped"})
    stream: TextIO | None = field(default=None, repr=False, metadata={"option": False})

    def send(self, notification: Notification) -> Receipt:
        """Print it; raises TryLaterError when the stream does not take it."""
        return self._print(text.plain(notification, width=max(self.width, 30)))

    def send_plain(self, notification: Notification) -> Receipt:
        """Print the short version; raises TryLaterError."""
        return self._print(text.short(notification) + "\n")

    def _print(self, words: str) -> Receipt:
        stream = self.stream if self.stream is not None else sys.stdout
        encoding = getattr(stream, "encoding", None) or "utf-8"
        try:
            stream.write(words.encode(encoding, "replace").decode(encoding) + "\n")
            stream.flush()
        except (OSError, ValueError) as error:
            raise TryLaterError(f"receiver {self.name!r}: the console takes no text: {error}") from None
        return Receipt(detail="printed")
