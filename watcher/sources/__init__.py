"""What kinds of publication we can watch: the SOURCES table, and how a source is read.

A kind is one file here and one row of the table. Its module has ``OPTIONS`` (what a source of this kind may be told
in the config) and ``read(source, get, cursor, now, catalog) -> Reading``. It is handed ``get`` for the outside world
and knows neither the network nor the store. Modules are imported when a source of their kind is first used.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from watcher.domain import Get, Reading, Source
from watcher.errors import ConfigError
from watcher.nearest import did_you_mean
from watcher.sources.options import Option, validated

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog


class SourceKind(Struct, frozen=True):
    """One row of SOURCES: the ``module`` that reads this kind, and ``help`` in one sentence for people."""

    module: str
    help: str

    def load(self) -> ModuleType:
        """Import the module, on first use."""
        return import_module(self.module)

    @property
    def options(self) -> Mapping[str, Option]:
        """The options that a source of this kind takes, by name."""
        options: Mapping[str, Option] = self.load().OPTIONS
        return options


SOURCES: dict[str, SourceKind] = {
    "results_repos": SourceKind(
        "watcher.sources.results_repos",
        "The result repositories of one suite in a GitHub organisation; new rounds and corrected tables.",
    ),
    "feed": SourceKind(
        "watcher.sources.feed",
        "An RSS, Atom, RDF or JSON feed: its entries as posts, and their pages where the feed has only summaries.",
    ),
    "page": SourceKind(
        "watcher.sources.page", "An index page or sitemap: the articles it links to as posts."
    ),
    "html_table": SourceKind(
        "watcher.sources.html_table",
        "A table on an HTML page: its rows as results of a round, or each row as a post.",
    ),
    "inferencex": SourceKind(
        "watcher.sources.inferencex",
        "InferenceX and AgentX: news and change log as posts, kept apart from MLPerf and never mixed with it.",
    ),
    "table": SourceKind(
        "watcher.sources.table", "One result table at an address, in any shape that MLCommons publishes."
    ),
    "article": SourceKind("watcher.sources.article", "One page, kept an eye on for edits, as one post."),
}


def kind_of(source: Source) -> SourceKind:
    """Return the row of SOURCES for a source. Raises ConfigError, with the nearest kind, if there is none."""
    try:
        return SOURCES[source.kind]
    except KeyError:
        raise ConfigError(
            f"source {source.name!r}: unknown kind {source.kind!r}{did_you_mean(source.kind, SOURCES)}"
        ) from None


def options_of(source: Source) -> dict[str, Any]:
    """Return a source's options with defaults filled in.

    Raises ConfigError for an unknown, ill-typed or missing option, naming source, option and the nearest right word.
    """
    return validated(source.options, kind_of(source).options, where=f"source {source.name!r}")


def read(source: Source, get: Get, cursor: Mapping[str, Any], now: datetime, catalog: Catalog) -> Reading:
    """Check a source once: fetch what is needed by ``get`` and return what stands there now.

    ``cursor`` is what the source's last Reading wanted to remember ({} at first). Raises SourceError (FetchError,
    ParseError) if nothing could be read, ConfigError for wrong options.
    """
    reading: Reading = kind_of(source).load().read(source, get, cursor, now, catalog)
    return reading
