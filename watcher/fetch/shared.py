"""One request for several sources: what came for one serves the others that ask for the same in the same pass.

All suites of an organisation read the same list of repositories, and without a token each request counts.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import TypeAlias

from msgspec import Struct

_KEPT_FOR = timedelta(seconds=30)
_MOST_BYTES = 4 << 20

Request: TypeAlias = tuple[str, str, object]
"""Address, media types asked for, credential."""


class Answer(Struct, frozen=True):
    """A document that came; ``body`` None: the other side said 304 to someone who held ``etag``."""

    source: str
    at: datetime
    etag: str | None
    last_modified: str | None
    media_type: str
    next_url: str | None
    requests_left: int | None
    body: bytes | None


class Shared:
    """The last answers, a few megabytes of them at most."""

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.Lock()
        self._answers: OrderedDict[Request, Answer] = OrderedDict()
        self._bytes = 0

    def find(self, request: Request, source: str, now: datetime) -> Answer | None:
        """Return what came moments ago for another source; a source's own question is always asked anew."""
        with self._lock:
            answer = self._answers.get(request)
        if answer is None or answer.source == source or not timedelta() <= now - answer.at <= _KEPT_FOR:
            return None
        return answer

    def keep(self, request: Request, answer: Answer) -> None:
        """Remember an answer; the oldest go."""
        with self._lock:
            self._drop(request)
            self._answers[request] = answer
            self._bytes += len(answer.body or b"")
            while self._answers and self._bytes > _MOST_BYTES:
                self._drop(next(iter(self._answers)))
            while len(self._answers) > 256:
                self._drop(next(iter(self._answers)))

    def _drop(self, request: Request) -> None:
        answer = self._answers.pop(request, None)
        if answer is not None:
            self._bytes -= len(answer.body or b"")
