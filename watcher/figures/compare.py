"""Comparison of two systems in each benchmark and scenario, and what cannot be compared, with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from watcher.domain import Comparison, NotComparable, Result
from watcher.figures.care import Around, care_of_pair
from watcher.figures.cells import (
    Cell,
    best,
    best_per_accelerator,
    by_cell,
    cell_order,
    declared,
    newest,
    per_accelerator_ratio,
    plain,
    ratio,
    same_submitter,
)
from watcher.figures.comparability import compatibility
from watcher.figures.filters import EVERYTHING, Filter, reviewed
from watcher.figures.selectors import SystemSelector, is_mixed

DIFFERS = ("software", "precision", "availability", "accelerator_count", "submitter", "round")


def compare(
    results: Iterable[Result],
    subject: SystemSelector,
    baseline: SystemSelector,
    filter: Filter = EVERYTHING,
    *,
    per: str | None = None,
    spec: str = "",
    around: Around | None = None,
) -> tuple[tuple[Comparison, ...], tuple[NotComparable, ...]]:
    """Compare two systems: one comparison per (benchmark, accuracy target, scenario, division, system type).

    Each side is its best row per accelerator among the rows that match (without accelerators its best row; ties by
    platform). A side without @ROUND takes the other's; where neither has one, both take the newest round of the
    suite in which both have rows. A side's own @ROUND goes before the filter's rounds. Every suite is compared within
    itself; unreviewed tables only if their suite is named.

    ``per`` null lists everything comparable; "accelerator" also sets aside cells without a ratio per accelerator
    (latencies stay); "system" takes each side's best row, whatever its count. ``around``: the tables for the care
    flags, ``results`` if null. Both tuples are sorted by benchmark and scenario.
    """
    rows = tuple(results)
    around = Around(rows) if around is None else around
    comparisons: list[Comparison] = []
    refused: list[NotComparable] = []
    for pairing in _pairings(rows, subject, baseline, filter):
        chosen = pairing.refused or _choose(pairing, per)
        if isinstance(chosen, str):
            refused.append(_refuse(pairing.cell, chosen))
        else:
            system_type = pairing.cell.system_type
            comparisons.append(compare_rows(*chosen, around, system_type=system_type, spec=spec))
    return tuple(comparisons), tuple(refused)


def compare_rows(
    subject: Result, baseline: Result, around: Around, *, system_type: str | None = None, spec: str = ""
) -> Comparison:
    """Make the comparison of two rows that `refusal` does not refuse."""
    return Comparison(
        subject=subject,
        baseline=baseline,
        ratio=ratio(subject, baseline),
        per_accelerator_ratio=per_accelerator_ratio(subject, baseline),
        differs=differs(subject, baseline),
        care=care_of_pair(subject, baseline, around),
        spec=spec,
        system_type=system_type,
    )


def refusal(subject: Result, baseline: Result, per: str | None = None) -> str | None:
    """Say why two rows of one benchmark and scenario cannot be compared, in words; null if they can.

    ``per`` "accelerator" refuses rows without a count too; latencies do not divide and are compared as they are.
    """
    if (subject.unit, subject.better) != (baseline.unit, baseline.better):
        return f"other unit: {subject.unit} against {baseline.unit}"
    found = compatibility(subject, baseline)
    if found.verdict == "changed":
        return found.reason
    if per == "accelerator" and subject.better == "higher":
        for side, row in (("subject", subject), ("baseline", baseline)):
            if row.value_per_accelerator is None:
                return f"no accelerators: the {side} row of {row.submitter} states no count"
    return None


def differs(subject: Result, baseline: Result) -> tuple[str, ...]:
    """Name what is not alike, of DIFFERS, in that order.

    Software differs as declared (another version is another build), so nobody carries a ratio to another stack
    unseen; submitters by their organisations.
    """
    unlike: Mapping[str, bool] = {
        "software": declared(subject) != declared(baseline),
        "precision": set(subject.precision) != set(baseline.precision),
        "availability": subject.availability != baseline.availability,
        "accelerator_count": subject.accelerator_count != baseline.accelerator_count,
        "submitter": not same_submitter(subject, baseline),
        "round": subject.round != baseline.round,
    }
    return tuple(name for name in DIFFERS if unlike[name])


# ---------------------------------------------------------------------------------------------- sides and rounds


class _Pairing(NamedTuple):
    """Both sides' rows in one cell, mixed systems too; ``refused`` if no row of them may be paired."""

    cell: Cell
    subject: Sequence[Result]
    baseline: Sequence[Result]
    refused: str = ""


def _pairings(
    rows: Sequence[Result], subject: SystemSelector, baseline: SystemSelector, where: Filter
) -> list[_Pairing]:
    """Return every cell in which a side has rows, in the order of reading."""
    rows = tuple(reviewed(rows, (*where.suite, subject.suite, baseline.suite)))
    mine, theirs = _side(rows, subject, where), _side(rows, baseline, where)
    pairings = []
    for suite in sorted({row.suite for row in (*mine, *theirs)}):
        own = [row for row in mine if row.suite == suite]
        other = [row for row in theirs if row.suite == suite]
        own_round, other_round = _rounds(own, other, subject, baseline)
        left = by_cell(row for row in own if row.round == own_round)
        right = by_cell(row for row in other if row.round == other_round)
        named = subject.round is not None or baseline.round is not None
        refused = "" if named or own_round == other_round else _no_common_round(own_round, other_round)
        cells = {*left, *right}
        pairings += [_Pairing(cell, left.get(cell, ()), right.get(cell, ()), refused) for cell in cells]
    return sorted(pairings, key=lambda pairing: cell_order(pairing.cell))


def _side(rows: Sequence[Result], selector: SystemSelector, where: Filter) -> list[Result]:
    """All rows of a side, mixed ones too (they give a reason, never a ratio); the selector's round goes first."""
    where = where.without_round() if selector.round is not None else where
    return [row for row in rows if selector.matches_system(row) and where.matches(row)]


def _rounds(
    own: Sequence[Result], other: Sequence[Result], subject: SystemSelector, baseline: SystemSelector
) -> tuple[str | None, str | None]:
    """(subject's round, baseline's round): as named, else the newest in which both have rows, else each one's newest."""
    if subject.round is not None or baseline.round is not None:
        return subject.round or baseline.round, baseline.round or subject.round
    mine, theirs = {row.round for row in own}, {row.round for row in other}
    common = newest(mine & theirs)
    return (common, common) if common is not None else (newest(mine), newest(theirs))


def _no_common_round(own: str | None, other: str | None) -> str:
    if other is None:
        return f"no baseline row in any round (newest of the subject: {own})"
    if own is None:
        return f"no subject row in any round (newest of the baseline: {other})"
    return f"no common round: the subject's newest is {own}, the baseline's {other}; name both with @ROUND"


# ---------------------------------------------------------------------------------------------- cell by cell


def _choose(pairing: _Pairing, per: str | None) -> tuple[Result, Result] | str:
    """Return the row of each side, or in words why there is none."""
    lacking = _lacking(pairing.subject, "subject") or _lacking(pairing.baseline, "baseline")
    if lacking is not None:
        return lacking
    mine, theirs = plain(pairing.subject), plain(pairing.baseline)
    units = {row.unit for row in mine} & {row.unit for row in theirs}
    if not units:
        return f"other unit: {_units(mine)} against {_units(theirs)}"
    unit = min(units, key=lambda name: (-sum(row.unit == name for row in (*mine, *theirs)), name))
    pick = best if per == "system" else best_per_accelerator
    subject, baseline = (pick(row for row in side if row.unit == unit) for side in (mine, theirs))
    if subject is None or baseline is None:
        return f"no row in {unit}"
    return refusal(subject, baseline, per) or (subject, baseline)


def _lacking(rows: Sequence[Result], side: str) -> str | None:
    if not rows:
        return f"no {side} row"
    if plain(rows):
        return None
    if all(is_mixed(row) for row in rows):
        return f"mixed accelerators: the {side} ran on {' and '.join(sorted(rows[0].accelerators))}"
    return f"no value: the {side} published {rows[0].value:g}"


def _units(rows: Iterable[Result]) -> str:
    return ", ".join(sorted({row.unit for row in rows}))


def _refuse(cell: Cell, reason: str) -> NotComparable:
    return NotComparable(
        benchmark=cell.benchmark,
        scenario=cell.scenario,
        reason=reason,
        accuracy_target=cell.accuracy_target,
        division=cell.division,
        system_type=cell.system_type,
    )
