"""A document → tables: its shape, its suite and round against what was given, and nothing empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from watcher.catalog.names import Catalog
from watcher.domain import Aside, KnownRows, Table
from watcher.errors import ParseError, UsageError
from watcher.parse.body import utf8_of
from watcher.parse.facts import round_name
from watcher.parse.other_tables import is_export, other_kind, other_table
from watcher.parse.rows import RawRow, raw_rows
from watcher.parse.shapes import SHAPES, TINY, Shape, canonical_columns, shape_of
from watcher.parse.summary import Found, Reader


def tables_of(
    body: bytes,
    *,
    name: str,
    catalog: Catalog,
    suite: str | None,
    round_: str | None,
    repository_url: str | None,
    known: KnownRows | None = None,
) -> tuple[Table, ...]:
    """Read a document; see `watcher.parse.read_table`."""
    suite, round_ = _given(suite, round_, catalog)
    data = utf8_of(body, name)
    if is_export(data):
        return (other_table("endpoints", body, name, catalog, suite, round_, repository_url),)
    rows, asides = raw_rows(data, name)
    kind = other_kind(rows)
    if kind is not None:
        return (other_table(kind, body, name, catalog, suite, round_, repository_url),)
    shape = _shape(rows, name)
    reader = Reader(shape, catalog, suite, round_, repository_url)
    reader.read(rows, name, known)
    if not reader.found and not reader.recognised:
        raise _nothing(reader, [*asides, *reader.asides], name)
    recognised = {(known.suite, known.round): tuple(reader.recognised)} if known and reader.recognised else {}
    groups = _groups(reader, recognised)
    _agree(groups, reader.shape, suite, round_, name)
    first, *others = _tables(reader, groups, recognised)
    return (replace(first, asides=(*asides, *reader.asides)), *others)


def _groups(reader: Reader, recognised: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[Found]]:
    """What was read by suite and round, those of the rows ``recognised`` as well."""
    groups: dict[tuple[str, str], list[Found]] = {group: [] for group in recognised}
    for found in reader.found.values():
        groups.setdefault((found.result.suite, found.result.round), []).append(found)
    return groups


def _tables(
    reader: Reader,
    groups: Mapping[tuple[str, str], list[Found]],
    recognised: Mapping[tuple[str, str], tuple[int, ...]],
) -> list[Table]:
    """One table a suite and round, biggest first."""
    columns = canonical_columns(reader.shape, reader.columns.keys())
    known = reader.shape.known | reader.shape.kept
    unknown = tuple(column for column in reader.columns if column not in known)
    tables = []
    for group, found in groups.items():
        tables.append(
            Table(
                suite=group[0],
                round=group[1],
                results=tuple(each.result for each in found),
                columns=columns,
                unknown_columns=unknown,
                reader=reader.stamp,
                row_digests=tuple(each.row.digest if each.alone else None for each in found),
                recognised=recognised.get(group, ()),
            )
        )
    return sorted(tables, key=lambda table: (-table.size, table.suite, table.round))


def _given(suite: str | None, round_: str | None, catalog: Catalog) -> tuple[str | None, str | None]:
    """Suite and round as given, in our spelling; "training-v5.1" carries its suite. Raises UsageError."""
    if suite is not None:
        found = catalog.find("suite", suite)
        if found is None:
            near = catalog.suggest("suite", suite)
            raise UsageError(f"no suite {suite!r}" + (f"; did you mean {near!r}?" if near else ""))
        suite = found
    if round_ is None:
        return suite, None
    before, dash, after = round_.rpartition("-v")
    own_suite = catalog.find("suite", before) if dash else None
    found = round_name(after) if own_suite else round_name(round_)
    if found is None:
        raise UsageError(f"{round_!r} is not a round; write it as v6.1")
    if own_suite and suite and own_suite != suite:
        raise UsageError(f"the round {round_!r} belongs to {own_suite}, but the suite given is {suite}")
    return suite or own_suite, found


def _shape(rows: list[RawRow], name: str) -> Shape:
    """The shape of the first row that has one; a damaged row may stand before it."""
    for row in rows:
        shape = shape_of(row.read().keys())
        if shape is not None:
            return shape
    if not rows:
        raise ParseError(f"{name}: no rows; an empty table is never taken as the truth")
    columns = ", ".join(map(str, list(rows[0].read())[:6]))[:200]
    known = ", ".join(shape.name for shape in SHAPES)
    raise ParseError(f"{name}: its columns ({columns} …) are none of the shapes we know: {known}")


def _nothing(reader: Reader, asides: list[Aside], name: str) -> ParseError | UsageError:
    """Why no row could be read: what is missing must be given, else the document is bad."""
    if reader.silent and len(asides) > 0:
        what = sorted(reader.silent)
        options = " and ".join(f"--{w} {'inference' if w == 'suite' else 'v6.1'}" for w in what)
        return UsageError(f"{name}: {'; '.join(reader.silent.values())}; give {options} (or what it is)")
    first = f"{asides[0].row}: {asides[0].message}" if asides else "it has none"
    return ParseError(f"{name}: not one of {len(asides)} rows could be read; {first}")


def _agree(
    groups: Iterable[tuple[str, str]], shape: Shape, suite: str | None, round_: str | None, name: str
) -> None:
    """Refuse what contradicts the rows. Raises UsageError."""
    for found_suite, found_round in groups:
        if suite not in {None, found_suite}:
            raise UsageError(
                f"{name}: the rows are of {found_suite}, but the suite given is {suite}; "
                f"leave it out, or say unofficial for unreviewed results"
            )
        if round_ not in {None, found_round} and shape is not TINY:
            raise UsageError(f"{name}: the rows are of {found_round}, but the round given is {round_}")
