"""The sources that we ship, read from defaults.toml beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from watcher.domain import Source
from watcher.durations import seconds
from watcher.errors import ConfigError
from watcher.nearest import did_you_mean

GROUPS = ("mlcommons", "vendors", "benchmarks", "press")
"""Groups that a user turns on and off; only ``mlcommons`` is MLCommons' own word."""

_NEEDED = ("name", "kind", "url", "every", "group", "confirmed")
_KEYS = (*_NEEDED, "vendor", "suite", "options")


@cache
def load() -> tuple[Source, ...]:
    """Return the shipped sources in the file's order."""
    text = Path(__file__).with_name("defaults.toml").read_text(encoding="utf-8")
    return parse(text, "defaults.toml")


def parse(text: str, name: str) -> tuple[Source, ...]:
    """Return the sources of a file of this form; ``name`` stands in messages.

    Raises ConfigError for a file that is no TOML, a missing or unknown key, a repeated name, an unknown group, an address
    that is not https, or an interval that cannot be read. Options are checked by their kind, when a source is used.
    """
    try:
        rows = tomllib.loads(text).get("source", [])
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: is no valid TOML: {error}") from error
    sources: dict[str, Source] = {}
    for number, row in enumerate(rows, start=1):
        where = f"{name}: source {row.get('name', number)!r}"
        source = _source(row, where)
        if source.name in sources:
            raise ConfigError(f"{where}: stands there twice")
        sources[source.name] = source
    return tuple(sources.values())


def _source(row: Mapping[str, Any], where: str) -> Source:
    for key in _NEEDED:
        if key not in row:
            raise ConfigError(f"{where}: {key!r} is missing")
    for key in row:
        if key not in _KEYS:
            raise ConfigError(f"{where}: unknown key {key!r}{did_you_mean(key, _KEYS)}")
    if row["group"] not in GROUPS:
        raise ConfigError(f"{where}: unknown group {row['group']!r}{did_you_mean(str(row['group']), GROUPS)}")
    if not str(row["url"]).startswith("https://"):
        raise ConfigError(f"{where}: the address {row['url']!r} must start with https://")
    return Source(
        name=row["name"],
        kind=row["kind"],
        url=row["url"],
        every=_seconds(row["every"], where),
        vendor=row.get("vendor"),
        group=row["group"],
        suite=row.get("suite"),
        options=row.get("options", {}),
        confirmed=row["confirmed"],
    )


def _seconds(text: str, where: str) -> float:
    found = seconds(str(text))
    if found is None:
        raise ConfigError(f"{where}: every must be a time such as '15m' or '6h', not {text!r}")
    return found
