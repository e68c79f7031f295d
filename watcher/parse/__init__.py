"""Bytes → domain values, one module a format; no network, no clock.

`read_table` reads tables; results without an official table are rebuilt by `watcher.parse.artefacts`.
"""

from __future__ import annotations

from watcher.catalog.names import Catalog
from watcher.domain import KnownRows, Table
from watcher.errors import ParseError


def read_table(
    body: bytes,
    *,
    name: str,
    catalog: Catalog,
    suite: str | None = None,
    round: str | None = None,
    repository_url: str | None = None,
    known: KnownRows | None = None,
) -> tuple[Table, ...]:
    """Read a table in any shape we know, plain or gzip: one Table a suite and round, biggest first.

    That is both shapes of Inference and Automotive, Tiny's summary, Storage's results table, the training
    summarizer's wide table and the Endpoints viewer's export.

    ``name`` stands in messages. ``suite`` and ``round`` are needed where the rows are silent (tiny's have no round)
    and must not contradict them, except that "unofficial" keeps an unreviewed table apart. ``repository_url`` is the
    public repository's address, for the results' links; left out, it follows from suite and round. Rows that are
    ``known`` are not read but named in `Table.recognised`, where the shape allows (Inference, Automotive, Tiny).

    Raises ParseError if the document is no table or contradicts itself, UsageError if suite or round are missing
    or contradict the rows. A row that cannot be read is an Aside of the first table; never is a table empty.
    """
    from watcher.parse.table import tables_of  # noqa: PLC0415 - csv and json only when a table is read

    try:
        return tables_of(
            body,
            name=name,
            catalog=catalog,
            suite=suite,
            round_=round,
            repository_url=repository_url,
            known=known,
        )
    except RecursionError:
        raise ParseError(f"{name}: nested too deeply to be a table") from None
