"""Builds the archive's files from published tables; run by hand when a round is added.

    python -m watcher.archive.build summary_results.json [summary.json …]

Each file becomes ``<suite>_<round>.csv.gz`` beside this module. It refuses a table that has rows it cannot read, and
checks that what it wrote comes back as it was.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from msgspec.structs import fields, replace

from watcher.archive import FOLDER, SUFFIX
from watcher.archive.columns import decode, encode
from watcher.catalog.names import Catalog
from watcher.catalog.names import load as load_catalog
from watcher.domain import Result, Table
from watcher.errors import ParseError, WatcherError
from watcher.parse import read_table


def build(path: Path, folder: Path, catalog: Catalog) -> Path:
    """Archive the published table in ``path`` into ``folder``. Raises ParseError if facts would be lost."""
    (table, *others) = read_table(path.read_bytes(), name=str(path), catalog=catalog)
    if others or table.asides:
        raise ParseError(f"{path}: holds several rounds, or rows that cannot be read: {table.asides[:3]}")
    body = encode(table)
    again = decode(body, table.suite, table.round, catalog)
    if {r.key: r for r in again.results} != {r.key: r for r in kept(table, again.columns)}:
        raise ParseError(f"{path}: the archive would not give back what the table says")
    target = folder / f"{table.suite}_{table.round}{SUFFIX}"
    target.write_bytes(body)
    return target


def kept(table: Table, columns: frozenset[str]) -> tuple[Result, ...]:
    """The table's results with only the archive's columns, the rest as if never published."""
    blank: dict[str, Any] = {each.name: each.default for each in fields(Result) if each.name not in columns}
    blank |= {"measures": {}, "extra": {}}
    return tuple(replace(result, **blank) for result in table.results)


def main(arguments: list[str]) -> int:
    """Archive each named file; the exit code."""
    try:
        for argument in arguments:
            sys.stdout.write(f"{build(Path(argument), FOLDER, load_catalog())}\n")
    except (WatcherError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
