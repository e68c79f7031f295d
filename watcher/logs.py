"""Log lines: one event a line, key=value pairs (or JSON), no secret and no line break from outside.

The redacting filter sits at the sink: whatever a library writes, the values of known secrets and tokens in addresses
leave as ``<secret>``.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable
from typing import TextIO

_ADDRESS_SECRETS = re.compile(
    r"(?P<keep>https?://)(?:[^/\s:@]+:[^/\s@]+@)|(?P<slack>https://hooks\.slack\.com/services/)\S+",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
LEVELS = {-1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO}


class Redactor:
    """Takes secrets out of any text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Know the secrets; the longest first, so that no part of one stays."""
        self._secrets = sorted({secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return ``text`` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "<secret>")
        return _ADDRESS_SECRETS.sub(lambda m: (m["keep"] or m["slack"]) + "<secret>", text)


class _Lines(logging.Formatter):
    def __init__(self, redact: Redactor, *, as_json: bool) -> None:
        super().__init__()
        self._redact = redact
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        if record.exc_info:
            message += "\n" + self.formatException(record.exc_info)
        message = self._redact(message)
        at = self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z")
        if self._as_json:
            return json.dumps(
                {"at": at, "level": record.levelname.lower(), "part": record.name, "message": message}
            )
        return f"{at} {record.levelname.lower()} {_CONTROL.sub(' ', message)}"


def set_up(stream: TextIO, *, secrets: Iterable[str], verbosity: int, as_json: bool = False) -> None:
    """Send the program's log lines to ``stream``; ``verbosity`` -1 quiet, 0 usual, 1 verbose."""
    sink = logging.StreamHandler(stream)
    sink.setFormatter(_Lines(Redactor(secrets), as_json=as_json))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(sink)
    root.setLevel(logging.WARNING)
    logging.getLogger("watcher").setLevel(LEVELS[max(-1, min(1, verbosity))])


def pairs(message: str, **values: object) -> str:
    """Return ``message`` with key=value pairs; texts with spaces are quoted."""
    parts = [message]
    for name, value in values.items():
        if value is None:
            continue
        text = str(value)
        parts.append(f"{name}={json.dumps(text, ensure_ascii=False) if ' ' in text or not text else text}")
    return " ".join(parts)
