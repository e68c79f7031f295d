"""A submitter's row against the accelerator vendor's own, at the same accelerator and count, in the same round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from watcher.domain import Comparison, Result
from watcher.figures.care import Around
from watcher.figures.cells import Cell, best, cell_order, cells_of, plain, submitter_key
from watcher.figures.compare import compare_rows
from watcher.figures.filters import EVERYTHING, Filter, reviewed
from watcher.figures.selectors import SystemSelector, fold

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

ANY_SYSTEM = SystemSelector()


class Machine(NamedTuple):
    """Rows that a vendor's own row is compared with."""

    cell: Cell
    round: str
    accelerator: str
    accelerator_count: int
    unit: str


def vendors(catalog: Catalog) -> frozenset[tuple[str, str]]:
    """Return (accelerator, organisation that makes it) of every accelerator in the catalog."""
    entries = (catalog.entry("accelerator", name) for name in catalog.names("accelerator"))
    return frozenset((entry.name, entry.vendor) for entry in entries if entry.vendor is not None)


def over_vendor(
    results: Iterable[Result],
    vendors: Iterable[tuple[str, str]],
    subject: SystemSelector = ANY_SYSTEM,
    filter: Filter = EVERYTHING,
    *,
    spec: str = "",
    around: Around | None = None,
) -> tuple[Comparison, ...]:
    """Compare every other submitter's best row with the vendor's own best row, where both have one.

    The vendor's own rows are those that it submitted alone. One comparison a (benchmark, accuracy target, scenario,
    division, system type, round, accelerator, count, submitter); ``ratio`` over 1 means that the other is better. The
    counts are equal, so the ratio per accelerator is the same.
    """
    rows = tuple(results)
    around = Around(rows) if around is None else around
    makers = {accelerator: fold(organisation) for accelerator, organisation in vendors}
    found = []
    for machine, contenders in sorted(_machines(rows, filter).items(), key=lambda item: _order(item[0])):
        maker = frozenset({makers.get(machine.accelerator, "")})
        own = best(row for row in contenders if submitter_key(row) == maker)
        others: defaultdict[frozenset[str], list[Result]] = defaultdict(list)
        for row in contenders:
            if submitter_key(row) != maker and subject.matches(row):
                others[submitter_key(row)].append(row)
        for submitter in sorted(others, key=sorted):
            other = best(others[submitter])
            if own is not None and other is not None:
                system_type = machine.cell.system_type
                found.append(compare_rows(other, own, around, system_type=system_type, spec=spec))
    return tuple(found)


def _machines(rows: Iterable[Result], where: Filter) -> Mapping[Machine, list[Result]]:
    groups: defaultdict[Machine, list[Result]] = defaultdict(list)
    for row in plain(reviewed(rows, where.suite)):
        if row.accelerator is None or not row.accelerator_count or not where.matches(row):
            continue
        for cell in cells_of(row):
            groups[Machine(cell, row.round, row.accelerator, row.accelerator_count, row.unit)].append(row)
    return groups


def _order(machine: Machine) -> tuple[object, ...]:
    return (
        cell_order(machine.cell),
        machine.round,
        machine.accelerator,
        machine.accelerator_count,
        machine.unit,
    )
