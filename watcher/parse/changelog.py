"""InferenceX's change log of recipes (perf-changelog.yaml) → its entries.

The file is a list; each entry names configurations, says in sentences what was changed, and links the pull request. It says
what was changed, seldom a number, and never an MLPerf result.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from watcher.errors import FetchError, ParseError
from watcher.parse.markup import plain

MAX_BYTES = 4 * 2**20
"""Largest change log that is read; it had some 640,000 bytes in August 2026."""

MAX_PART = 2**18
"""Most bytes that are parsed; a hundred entries have some 85,000."""

MAX_DEPTH = 20
_ENTRY = re.compile(rb"^- ", re.MULTILINE)


class LoggedChange(Struct, frozen=True):
    """One entry: the configurations it touches, its sentences, and its pull request ("" if it names none)."""

    configurations: tuple[str, ...]
    sentences: tuple[str, ...]
    pull_request: str = ""


def read_changelog(body: bytes, *, url: str, newest: int) -> tuple[LoggedChange, ...]:
    """Read the ``newest`` entries (new ones stand last), oldest first.

    Only those are parsed: the file grows by every change. Raises FetchError of class not-what-it-was for an empty or
    foreign document, ParseError for one that is too large, no YAML, or uses aliases or depth that no change log needs.
    """
    if len(body) > MAX_BYTES:
        raise ParseError(f"{url}: has {len(body):,} bytes; at most {MAX_BYTES:,} are read of a change log")
    starts = [found.start() for found in _ENTRY.finditer(body)]
    if not starts:
        raise FetchError(f"{url}: is no list of changes", url=url, failure="not-what-it-was")
    part = body[starts[-newest:][0] :]
    if len(part) > MAX_PART:
        raise ParseError(
            f"{url}: its newest {newest} entries have {len(part):,} bytes; at most {MAX_PART:,} are read"
        )
    entries = _safely(part, url)
    changes = [_change(entry) for entry in entries if isinstance(entry, dict)]
    found = tuple(change for change in changes if change is not None)
    if not found:
        raise FetchError(f"{url}: is a list, but of no changes", url=url, failure="not-what-it-was")
    return found


def _safely(body: bytes, url: str) -> list[Any]:
    """Load YAML of plain texts and lists. Depth and aliases are looked at first, for the loader is recursive."""
    import yaml  # noqa: PLC0415 - heavy, only when a change log has changed

    depth = 0
    try:
        for event in yaml.parse(body, Loader=yaml.BaseLoader):
            if isinstance(event, yaml.AliasEvent):
                raise ParseError(f"{url}: uses YAML aliases, which no change log needs; it is not read")
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                depth += 1
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                depth -= 1
            if depth > MAX_DEPTH:
                raise ParseError(f"{url}: is nested more than {MAX_DEPTH} levels deep")
        entries = yaml.load(body, Loader=yaml.BaseLoader)  # noqa: S506 - makes texts, lists and mappings only
    except (yaml.YAMLError, ValueError) as error:
        raise ParseError(f"{url}: is no YAML ({plain(str(error))[:200]})") from error
    except RecursionError as error:
        raise ParseError(f"{url}: is nested too deeply") from error
    return entries if isinstance(entries, list) else []


def _change(entry: dict[Any, Any]) -> LoggedChange | None:
    change = LoggedChange(
        _texts(entry.get("config-keys")),
        _texts(entry.get("description")),
        plain(str(entry.get("pr-link") or ""))[:300],
    )
    return change if change.configurations or change.sentences else None


def _texts(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(text for one in values[:200] if isinstance(one, str) and (text := plain(one)[:2000]))
