"""One result table at an address, in any shape that MLCommons publishes: a mirror, a branch, a file of your own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from watcher.domain import Document, Get, KnownRows, PublishedTable, Reading, Source, Table
from watcher.errors import ConfigError
from watcher.sources import options_of
from watcher.sources.options import Option

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

ACCEPT = "application/json, text/csv;q=0.9, text/plain;q=0.8, application/gzip;q=0.7"
OPTIONS = {
    "suite": Option(str, "The suite, such as inference; default: the source's."),
    "round": Option(str, "The round, such as v6.1."),
    "repository_url": Option(
        str, "The public repository that links of results point into; left out, MLCommons' own."
    ),
}


def read(source: Source, get: Get, cursor: Mapping[str, Any], now: datetime, catalog: Catalog) -> Reading:
    """Check the table once; it is parsed later, and only if its bytes are new. The cursor keeps nothing.

    Raises FetchError as ``get`` does, ConfigError where suite or round is missing.
    """
    del now
    options = options_of(source)
    suite, round_name = options["suite"] or source.suite, options["round"]
    if suite is None or round_name is None:
        raise ConfigError(
            f"source {source.name!r}: options 'suite' and 'round' say which table stands at the address"
        )
    document = get(source.url, accept=ACCEPT)
    if document.unchanged:
        return Reading(
            cursor=dict(cursor), unchanged_tables=((suite, round_name),), steps=("the table is unchanged",)
        )
    return Reading(
        tables=(
            PublishedTable(
                suite=suite,
                round=round_name,
                url=source.url,
                documents=(document,),
                read=lambda: _table(document, suite, round_name, options["repository_url"], catalog),
                read_news=lambda known: _table(
                    document, suite, round_name, options["repository_url"], catalog, known
                ),
            ),
        ),
        steps=(f"the table has {len(document.body):,} bytes",),
    )


def _table(
    document: Document, suite: str, round_name: str, repository: str | None, catalog: Catalog,
    known: KnownRows | None = None,
) -> Table:  # fmt: skip
    from watcher.parse import read_table  # noqa: PLC0415 - only for a table whose bytes are new

    tables = read_table(
        document.body,
        name=document.url,
        catalog=catalog,
        suite=suite,
        round=round_name,
        repository_url=repository,
        known=known,
    )
    return tables[0]
