"""InferenceX and AgentX (SemiAnalysis): news and the change log of recipes as posts, kept apart from MLPerf.

This kind gives posts only, under SemiAnalysis's name, and never a result: its figures hold at one interactivity target and
for one engine, and are not MLPerf's. Sources of this kind belong to the group ``benchmarks``; what is claimed in their
posts is never checked against MLPerf's tables. The dashboard's interface is not polled: its makers ask for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from watcher.domain import Get, Post, Reading, Source
from watcher.errors import ConfigError
from watcher.parse.changelog import LoggedChange, read_changelog
from watcher.parse.identity import short
from watcher.parse.links import absolute
from watcher.parse.readable import text_of
from watcher.sources import feed
from watcher.sources.options import Option

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

VENDOR = "SemiAnalysis"
GROUP = "benchmarks"
ACCEPT = "application/yaml, text/yaml, text/plain;q=0.9"

OPTIONS = {
    **feed.OPTIONS,
    "newest": Option(int, "For the change log: how many of its newest entries are read.", 100, least=1),
}


def read(source: Source, get: Get, cursor: Mapping[str, Any], now: datetime, catalog: Catalog) -> Reading:
    """Check the change log (an address that ends in .yaml) or a feed once; see `watcher.sources.feed.read`.

    The cursor of the change log keeps ``entries`` (how many were read). Raises SourceError as the parsers do, ConfigError
    for a source that is kept among MLPerf's.
    """
    from watcher.sources import options_of  # noqa: PLC0415 - the table imports no kind, a kind the table

    if source.group in ("mlcommons", "vendors"):
        raise ConfigError(
            f"source {source.name!r}: InferenceX is no MLPerf; its group is {GROUP!r}, not {source.group!r}"
        )
    options = options_of(source)
    source = replace(source, vendor=VENDOR)
    if not urlsplit(source.url).path.endswith((".yaml", ".yml")):
        own = replace(
            source, kind="feed", options={k: v for k, v in source.options.items() if k in feed.OPTIONS}
        )
        return feed.read(own, get, cursor, now, catalog)
    document = get(source.url, accept=ACCEPT)
    if document.unchanged:
        return Reading(cursor=cursor, steps=("the change log is unchanged",))
    changes = read_changelog(document.body, url=document.url, newest=options["newest"])
    return Reading(
        cursor={"entries": len(changes)},
        posts=_posts(source, changes),
        steps=(f"the newest {len(changes)} entries of the change log",),
    )


def _posts(source: Source, changes: tuple[LoggedChange, ...]) -> tuple[Post, ...]:
    """Return the entries as posts; the same pull request may stand in several, told apart by their configurations."""
    seen: dict[str, int] = {}
    posts = []
    for change in changes:
        name = f"{change.pull_request}\n{','.join(change.configurations)}"
        seen[name] = seen.get(name, 0) + 1
        number = change.pull_request.rstrip("/").rpartition("/")[2]
        html = "".join(f"<li>{escape(sentence)}</li>" for sentence in change.sentences)
        body = f"<p>Configurations: {escape(', '.join(change.configurations))}</p><ul>{html}</ul>"
        posts.append(
            Post(
                source=source.name,
                identity=f"change-{short(name if seen[name] == 1 else f'{name}{chr(10)}{seen[name]}')}",
                url=absolute(source.url, change.pull_request) or source.url,
                title=_title(change, number),
                html=body,
                text=text_of(body),
                vendor=source.vendor,
            )
        )
    return tuple(posts)


def _title(change: LoggedChange, number: str) -> str:
    first = change.sentences[0] if change.sentences else ", ".join(change.configurations)
    return f"InferenceX change{f' {number}' if number.isdigit() else ''}: {first}"[:200]
