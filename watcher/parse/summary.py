"""Raw rows of a summary table → results: read one by one, then judged together; every bad row set aside by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watcher.catalog.names import Catalog
from watcher.domain import Aside, KnownRows, Power, Result
from watcher.errors import ParseError
from watcher.parse.cells import clean
from watcher.parse.facts import words_of
from watcher.parse.recognising import reader_stamp, told_by_digest
from watcher.parse.rows import RawRow
from watcher.parse.shapes import Shape, canonical_columns
from watcher.parse.summary_row import BadRowError, Layout, RowReader, Stated


class Found(Struct):
    """A result, the row that it was read from, and whether it was made of that row ``alone``."""

    result: Result
    row: RawRow
    alone: bool = True


class _Twin(Struct, frozen=True):
    """A power figure that stands in a row of its own, and that row's place and names."""

    place: str
    result: Result
    power: Power


class Reader:
    """Reads the rows of one document of one shape.

    ``suite`` and ``round``: what the user or source said, used where rows are silent. After `read`, what was read is in
    ``found``, by the text of its natural key, ``asides`` are the rows set aside, ``columns`` all published columns met.
    ``recognised``: as in `Table`, of all its tables.
    """

    def __init__(
        self,
        shape: Shape,
        catalog: Catalog,
        suite: str | None,
        round_: str | None,
        repository_url: str | None,
    ) -> None:
        self.shape = shape
        self.found: dict[str, Found] = {}
        self.asides: list[Aside] = []
        self.columns: dict[str, None] = {}
        self.recognised: list[int] = []
        self.stamp = reader_stamp(shape.name, suite, round_, repository_url, catalog.stamp)
        self._rows = RowReader(shape, catalog, suite, round_, repository_url)
        self._twins: dict[str, _Twin] = {}
        self._layouts: dict[tuple[str, ...], Layout] = {}
        # Columns of the row before, and their layout: most rows have the same.
        self._before: tuple[list[str], Layout] | None = None

    @property
    def silent(self) -> Mapping[str, str]:
        """The facts that no row stated and nobody gave, each with what the rows say instead."""
        return self._rows.silent

    def read(self, rows: list[RawRow], name: str, known: KnownRows | None = None) -> None:
        """Read all rows but those that are ``known``. Raises ParseError if two rows contradict each other."""
        told = told_by_digest([row.digest for row in rows], known, self.stamp)
        stated = [self._stated(row, name) if number not in told else None for number, row in enumerate(rows)]
        if told and known is not None:  # a known row is still judged together with others of its key
            shared = {known.versions.get(each.result.key_text) for each in stated if isinstance(each, Stated)}
            for number in [number for number, version in told.items() if version in shared]:
                del told[number]
                stated[number] = self._stated(rows[number], name)
            self.recognised = list(told.values())
            self._meet_columns([rows[number] for number in told])
        for row, each in zip(rows, stated, strict=True):
            try:
                if isinstance(each, BadRowError):
                    raise each
                if each is not None:
                    self._take(row, each, name)
            except BadRowError as error:
                self.asides.append(Aside(row.place, f"{self._who(row.read())}: {error}"))
        self._join_twins()

    def _meet_columns(self, rows: list[RawRow]) -> None:
        """Meet the columns of rows that are recognised, as far as they add a field that the table can fill.

        A row that has lost such a column says that its cell is empty only if others of the table have it still.
        """
        understood = self.shape.known | self.shape.kept
        every_field = canonical_columns(self.shape, understood)
        met: frozenset[str] | None = None
        layouts = -1
        for row in rows:
            if len(self._layouts) > layouts:
                layouts = len(self._layouts)
                before, met = met, understood & self.columns.keys()
                if met != before and canonical_columns(self.shape, met) == every_field:
                    break
            self._layout(row.read())

    def _layout(self, row: Mapping[str, Any]) -> Layout:
        columns = list(row)
        if self._before is not None and self._before[0] == columns:
            return self._before[1]
        layout = self._layouts.get(tuple(columns))
        if layout is None:
            self.columns.update(dict.fromkeys(columns))
            layout = self._layouts[tuple(columns)] = Layout(columns, self.shape)
        self._before = columns, layout
        return layout

    def _stated(self, row: RawRow, name: str) -> Stated | BadRowError:
        """What a row states by itself, or why it states nothing."""
        cells = row.read()
        try:
            return self._rows.stated(cells, self._layout(cells))
        except BadRowError as error:
            return error
        except ValueError as error:
            raise ParseError(f"{name}: nested too deeply to be a table") from error

    def _take(self, row: RawRow, stated: Stated, name: str) -> None:
        """Let a row stand beside those before it."""
        result, place = stated.result, row.place
        if stated.twin:
            twin = _Twin(place, result, Power("measured", result.value, stated.twin))
            held = self._twins.setdefault(result.key_text, twin)
            if held.power.value != result.value:
                raise ParseError(
                    f"{name}: {held.place} and {place} give different power for {words_of(result.key)}"
                )
            return
        found = Found(result, row)
        before = self.found.setdefault(result.key_text, found)
        if before is found:
            return
        if before.result.value != result.value or before.result.unit != result.unit:
            raise ParseError(
                f"{name}: {before.row.place} and {place} give different values for {words_of(result.key)}"
            )
        before.alone = False
        raise BadRowError(f"repeats {before.row.place}, with the same value; kept once")

    # ------------------------------------------------------------------------------------------ power twins, words

    def _join_twins(self) -> None:
        """Give each power twin's figure to its row; a twin without one is set aside."""
        for key, twin in self._twins.items():
            its = self.found.get(key)
            if its is None:
                words = words_of(twin.result.key)
                self.asides.append(Aside(twin.place, f"{words}: a power figure without its performance row"))
            else:
                its.result = _with_power(its.result, twin.power)
                its.alone = False

    def _who(self, row: Mapping[str, Any]) -> str:
        facts = ("submitter", "platform", "benchmark_published", "scenario")
        found = (clean(str(row.get(column, ""))) for f in facts if (column := self.shape.columns.get(f)))
        return " · ".join(text[:80] for text in found if text) or "a row without names"


def _with_power(result: Result, power: Power) -> Result:
    return replace(result, power=(power, *(p for p in result.power if p.kind != power.kind)))
