"""The brief: one page of facts about a round, beside the rounds held before it; pure.

Everything is computed from the rows of the round and of the earlier rounds held. What a round that is not held would
say is not guessed: a name is first "in the tables held", a record is the best since the oldest of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from watcher.domain import CheckedClaim, Record, Result
from watcher.errors import UsageError
from watcher.figures.attendance import (
    KINDS,
    Attendance,
    Coverage,
    Tally,
    attendance,
    coverage,
    kind_of,
    tallies,
    tally,
)
from watcher.figures.care import ENGINES, ODD_FLAGS, Around
from watcher.figures.cells import cells_of, newest, round_order
from watcher.figures.filters import EVERYTHING, Filter
from watcher.figures.flagships import CLOSED, Flagship, Generation, flagships, generations
from watcher.figures.gains import gains
from watcher.figures.power import power_limits
from watcher.figures.promises import Promise, promises
from watcher.figures.records import beaten, records
from watcher.figures.selectors import DEFAULT_SUITE, fold
from watcher.figures.standouts import GainSpan, Leader, Spread, gain_spans, leaders, spreads
from watcher.figures.words import who

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

LOST = (
    0.98  # a system that is slower than this share of its earlier self has lost more than the noise of runs
)
_CPU = ("CPU only", "on processors only")


class MeasuredBefore(NamedTuple):
    """Rows with measured power in an earlier round, and whose."""

    round: str
    rows: int
    organisations: tuple[str, ...]


class _Records(NamedTuple):
    beaten: tuple[Record, ...]
    standing: tuple[Record, ...]
    first_results: int


class PowerLimit(NamedTuple):
    """A limit of one accelerator that notes state, which is no power; ``rows`` that state it."""

    accelerator: str
    watts: float
    rows: int


class Brief(Struct, frozen=True, kw_only=True):
    """The facts of one round.

    ``before``: the newest earlier round held, null if none is; ``history``: all earlier rounds held, oldest first;
    ``skipped``: rounds of the calendar between ``before`` and this one that are not held. ``narrowed``: the filter
    that the rows passed, "" for all. ``records`` of the closed division alone: an open row states its own model.
    ``standing``: records of earlier rounds in cells that this round contests. ``first_results``: cells of this round
    without any row before. ``gains`` and ``losses`` of the same system since ``before``.
    """

    suite: str
    round: str
    before: str | None
    history: tuple[str, ...]
    skipped: tuple[str, ...]
    narrowed: str
    embargo: bool
    results: Tally
    submitters: Tally
    organisations: Tally
    kinds: tuple[Tally, ...]
    availabilities: tuple[Tally, ...]
    previews: tuple[Result, ...]
    attendance: tuple[Attendance, ...]
    coverage: Coverage
    flagships: tuple[Flagship, ...]
    generations: tuple[Generation, ...]
    leaders: tuple[Leader, ...]
    spreads: tuple[Spread, ...]
    beaten: tuple[Record, ...]
    standing: tuple[Record, ...]
    first_results: int
    gains: tuple[GainSpan, ...]
    losses: tuple[GainSpan, ...]
    measured: tuple[Result, ...]
    measured_before: tuple[MeasuredBefore, ...]
    limits: tuple[PowerLimit, ...]
    care: tuple[str, ...]
    promised: tuple[Promise, ...] = ()
    due: tuple[Promise, ...] = ()
    claims: tuple[CheckedClaim, ...] = field(default=())

    @property
    def since(self) -> str:
        """The oldest round held, this one if there is no other."""
        return self.history[0] if self.history else self.round


def brief(
    results: Iterable[Result],
    suite: str,
    round: str,
    catalog: Catalog,
    *,
    only: Filter = EVERYTHING,
    claims: Iterable[CheckedClaim] = (),
    embargo: bool = False,
) -> Brief:
    """Return the brief of a round.

    ``results``: all rows held of the suite; later rounds than this one are left out. ``only`` narrows what is told
    (its suite and round do not count); new names, records and cautions are still judged against all rows held.
    ``claims`` with their verdicts, of which those about the round are told. Raises UsageError if no row of the round
    is held.
    """
    rounds = _by_round(results, suite, round)
    if round not in rounds:
        earlier = ", ".join(sorted(rounds, key=round_order)) or "none"
        raise UsageError(f"no results of {suite} {round} are held; earlier rounds held: {earlier}")
    where = replace(only, suite=(), round=())
    all_now = rounds.pop(round)
    everything = [row for rows in rounds.values() for row in rows] + all_now
    around = Around(everything)
    previous = newest(rounds)
    now = _narrowed(all_now, where)
    before = _narrowed(rounds[previous], where) if previous is not None else []
    held = previous is not None
    ships = flagships(now, catalog)
    owed = promises(everything, catalog.rounds(), where)
    standing = _records(rounds, everything, now, where, around)
    spans = gain_spans(gains(everything, previous, round, where, around=around)) if previous else ()
    return Brief(
        suite=suite,
        round=round,
        before=previous,
        history=tuple(sorted(rounds, key=round_order)),
        skipped=_skipped(suite, previous, round, catalog),
        narrowed=str(where),
        embargo=embargo,
        results=tally("results", len(now), len(before), held=held),
        submitters=tally("submitters", _submitters(now), _submitters(before), held=held),
        organisations=tally(
            "organisations", len(_organisations(now)), len(_organisations(before)), held=held
        ),
        kinds=tallies(kind_of, now, before, held=held),
        availabilities=tallies(lambda row: row.availability, now, before, held=held),
        previews=tuple(row for row in now if row.availability == "preview"),
        attendance=tuple(attendance(kind, now, before, rounds, catalog) for kind in KINDS),
        coverage=coverage(now, catalog),
        flagships=ships,
        generations=_new_first(generations(now, ships, around, suite=suite, round=round), everything, round),
        leaders=leaders(now, ships, around, catalog),
        spreads=spreads(now),
        beaten=standing.beaten,
        standing=standing.standing,
        first_results=standing.first_results,
        gains=tuple(span for span in spans if span.high > 1),
        losses=tuple(sorted((span for span in spans if span.low < LOST), key=lambda span: span.low)),
        measured=tuple(row for row in now if _is_measured(row)),
        measured_before=_measured_before(rounds, where),
        limits=_limits(now),
        care=_care(now, spans, around, previous),
        promised=tuple(one for one in owed if one.preview.round == round),
        due=tuple(one for one in owed if one.due == round),
        claims=tuple(one for one in claims if _about(one, suite, round) and _stands_on(one, where)),
    )


# ---------------------------------------------------------------------------------------------- the rows told of


def _by_round(results: Iterable[Result], suite: str, round: str) -> dict[str, list[Result]]:
    """Rows of the suite by round, up to this one."""
    rounds: dict[str, list[Result]] = {}
    for row in results:
        if row.suite == suite and round_order(row.round) <= round_order(round):
            rounds.setdefault(row.round, []).append(row)
    return rounds


def _narrowed(rows: Iterable[Result], where: Filter) -> list[Result]:
    return [row for row in rows if where.matches(row)]


def _submitters(rows: Iterable[Result]) -> int:
    """Count submitter entries: names as published, in which spelling and the order of partners count."""
    return len({row.submitter for row in rows})


def _organisations(rows: Iterable[Result]) -> set[str]:
    return {name for row in rows for name in (row.organisations or (row.submitter,))}


def _new_first(
    found: Iterable[Generation], everything: Iterable[Result], round: str
) -> tuple[Generation, ...]:
    """Put generations whose flagship no earlier round has first."""
    old = {name for row in everything if row.round != round for name in row.accelerators}
    return tuple(sorted(found, key=lambda one: one.flagship.accelerator in old))


def _skipped(suite: str, before: str | None, round: str, catalog: Catalog) -> tuple[str, ...]:
    if before is None:
        return ()
    first, last = round_order(before), round_order(round)
    return tuple(
        known.name
        for known in catalog.rounds()
        if known.suite == suite and known.published_on is not None and first < round_order(known.name) < last
    )


# ---------------------------------------------------------------------------------------------- records


def _records(
    earlier: Mapping[str, Sequence[Result]],
    everything: Sequence[Result],
    now: Sequence[Result],
    where: Filter,
    around: Around,
) -> _Records:
    """Return what the round did to the records of the closed division."""
    closed = [row for row in now if row.division == "closed"]
    contested = {cell for row in closed for cell in cells_of(row)}
    old = [row for rows in earlier.values() for row in rows]
    known = {cell for row in old for cell in cells_of(row)}
    fell = [
        record
        for record in beaten(old, everything, around=around)
        if record.best.division == "closed" and where.matches(record.best)
    ]
    stand = [
        record
        for record in (records(everything, CLOSED, around=around) if old else ())
        if record.best.round in earlier and contested & set(cells_of(record.best))
    ]
    return _Records(tuple(fell), tuple(stand), len(contested - known) if old else 0)


# ---------------------------------------------------------------------------------------------- power


def _is_measured(row: Result) -> bool:
    return any(figure.kind == "measured" for figure in row.power)


def _measured_before(earlier: Mapping[str, Sequence[Result]], where: Filter) -> tuple[MeasuredBefore, ...]:
    """Rows with measured power in each earlier round held, the newest first; rounds without any too."""
    found = []
    for name in sorted(earlier, key=round_order, reverse=True):
        rows = [row for row in _narrowed(earlier[name], where) if _is_measured(row)]
        owners = tuple(sorted(_organisations(rows), key=str.casefold))
        found.append(MeasuredBefore(name, len(rows), owners))
    return tuple(found)


def _limits(rows: Sequence[Result]) -> tuple[PowerLimit, ...]:
    counts = Counter(
        (
            row.accelerator or " + ".join(row.accelerators) or row.platform,
            row.accelerator_power_limit_watts or 0.0,
        )
        for row in power_limits(rows)
    )
    return tuple(PowerLimit(name, watts, count) for (name, watts), count in sorted(counts.items()))


# ---------------------------------------------------------------------------------------------- care and claims


def _care(
    now: Sequence[Result], spans: Sequence[GainSpan], around: Around, before: str | None
) -> tuple[str, ...]:
    """Return what to handle with care: odd values first, then gains too large to be believed unread, then the rest."""
    shared, *others = [[text for row in now if (text := flag(row, around)) is not None] for flag in ODD_FLAGS]
    said = [*shared, *(_far(span, before) for span in spans if span.far)]
    said += [text for texts in others for text in texts]
    several = sum(1 for row in now if sum(name.casefold() in ENGINES for name in row.software) > 1)
    if several:
        said.append(f"{several:,} rows declare more than one engine; the table does not say which ran")
    mixed = sum(1 for row in now if len(row.accelerators) > 1)
    if mixed:
        said.append(
            f"{mixed:,} rows ran on more than one kind of accelerator: no figure per accelerator is theirs"
        )
    unconfirmed = [text for span in spans for text in span.care if text.endswith("is not confirmed")]
    return tuple(dict.fromkeys([*said, *unconfirmed]))


def _far(span: GainSpan, before: str | None) -> str:
    after = span.gains[0].after
    span_words = f"{span.low:.1f}x" if len(span.gains) == 1 else f"{span.low:.1f}x to {span.high:.1f}x"
    why = next((text for text in span.care if any(sign in text for sign in _CPU)), None)
    reason = why or "read the notes of both rows before quoting it"
    return f'{who(after)}: a "gain" of {span_words} on {after.benchmark} since {before}; {reason}'


def _about(checked: CheckedClaim, suite: str, round: str) -> bool:
    """Whether a claim is about the round: it names it, bare for inference or with its suite."""
    full = round if suite == DEFAULT_SUITE else f"{suite}-{round}"
    named = checked.claim.round
    return named is not None and fold(named) == fold(full)


def _stands_on(checked: CheckedClaim, where: Filter) -> bool:
    """Whether a row that the verdict stands on passes the filter; without a filter every claim does."""
    if where == EVERYTHING:
        return True
    return any(where.matches(row) for evidence in checked.verdict.evidence for row in evidence.rows)
