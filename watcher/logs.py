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
from urllib.parse import quote, quote_plus

_REVEALING = (
    r"(?i)(?P<user>\b[a-z][a-z0-9+.-]*://)[^/\s:@]*:[^/\s@]+@"  # a name and password in an address
    r"|(?P<slack>https://hooks\.slack\.com/services/)[^\s\"']+"
    r"|(?P<query>[?&][^=&\s]*(?:token|key|secret|sig|pass|credential)[^=&\s]*=)[^&\s\"']+"
    r"|(?P<header>\bauthorization: *(?:bearer|basic) +|\bbearer +(?=\S{16}))[a-z0-9._~+/=-]{4,}"
    r"|(?P<known>\b)(?:xox[a-z]-[a-z0-9-]{6,}|gh[a-z]_[a-z0-9]{16,}|github_pat_[a-z0-9_]{16,})"
)
_CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"  # also what turns text around
_UNSAFE = re.compile(  # the same without line ends and tabs, and without the colours that our own tables are printed in
    r"\x1b\[[0-9;]*m|([\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069])"
)
_PLAIN = re.compile(r"[^\s\"=]+")
LEVELS = {-1: logging.ERROR, 0: logging.WARNING, 1: logging.INFO}


class Redactor:
    """Takes secrets out of any text."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Know the secrets, also as they stand in an address or in JSON; the longest first, so that no part stays."""
        known = {
            form
            for secret in secrets
            if len(secret) >= 4
            for form in (secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1])
        }
        self._secrets = sorted(known, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return ``text`` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "<secret>")
        return re.sub(_REVEALING, _hidden, text)


def _hidden(found: re.Match[str]) -> str:
    kept = next(part for part in found.groupdict().values() if part is not None)
    return f"{kept}<secret>@" if found["user"] else f"{kept}<secret>"


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
        return f"{at} {record.levelname.lower()} {re.sub(_CONTROL, ' ', message)}"


def spelled_out(text: str) -> str:
    """Return a line for a person's terminal; what would steer it, or cannot be seen, is written as an escape."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def harmless(text: str) -> str:
    """Return an answer for a terminal: nothing but its own colours and line ends steers it; the rest becomes blanks."""
    return _UNSAFE.sub(lambda found: " " if found[1] else found[0], text)


def harmless_json(text: str) -> str:
    """Return a JSON text that means the same, without what would steer a terminal that it is printed on."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[1]):04x}" if found[1] else found[0], text)


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


def pairs(message: str, /, **values: object) -> str:
    """Return ``message`` with key=value pairs; a text with spaces, quotes or = in it is quoted."""
    parts = [message]
    for name, value in values.items():
        if value is None:
            continue
        text = str(value)
        parts.append(f"{name}={text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)}")
    return " ".join(parts)
