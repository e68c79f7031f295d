"""What a round's table says as a whole, for the digest: its size, who came and who did not, previews and their dates. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date

from msgspec import Struct

from watcher.domain import Promise, Result
from watcher.figures.cells import scenario_order
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import grouped


class RoundFacts(Struct, frozen=True, kw_only=True):
    """One round beside the one before it in the same suite.

    ``kinds``: rows by division and system type in words, the largest first. ``previews``: rows by accelerator.
    ``measured_power``: rows with measured power. ``first``: submitters without a row in any round held before, and
    ``since`` the oldest of those; ``absent``: organisations of the round before without a row in this one.
    Everything ``…_before`` is null where no round before is held.
    """

    suite: str
    round: str
    results: int
    submitters: int
    kinds: tuple[tuple[str, int], ...] = ()
    previews: tuple[tuple[str, int], ...] = ()
    measured_power: int = 0
    round_before: str | None = None
    results_before: int | None = None
    submitters_before: int | None = None
    measured_power_before: int | None = None
    first: tuple[str, ...] = ()
    since: str | None = None
    absent: tuple[str, ...] = ()


class Deadline(Struct, frozen=True, kw_only=True):
    """Something due on a day: a promise, a rule's deadline, an expected round.

    ``note``: one sentence more. ``bounds``: of a promise, each row in words with what it must reach.
    """

    what: str
    on: date
    note: str = ""
    bounds: tuple[tuple[str, str], ...] = ()


def round_facts(
    results: Sequence[Result],
    before: Sequence[Result] = (),
    *,
    known: Collection[str] | None = None,
    since: str | None = None,
) -> RoundFacts:
    """Return the facts of one round. ``results`` are all of it, ``before`` all of the round before.

    ``known``: organisations with a row in any round held before (left out: those of ``before``); ``since``: the oldest
    round held. Needs at least one result.
    """
    held = set(known) if known is not None else _organisations(before)
    kinds = Counter(_kind(row) for row in results)
    previews = Counter(words.accelerator(row) for row in results if row.availability == "preview")
    now = _organisations(results)
    return RoundFacts(
        suite=results[0].suite,
        round=results[0].round,
        results=len(results),
        submitters=len({row.submitter for row in results}),
        kinds=tuple(kinds.most_common()),
        previews=tuple(previews.most_common()),
        measured_power=_measured(results),
        round_before=before[0].round if before else None,
        results_before=len(before) if before else None,
        submitters_before=len({row.submitter for row in before}) if before else None,
        measured_power_before=_measured(before) if before else None,
        first=tuple(sorted(now - held, key=str.casefold)) if held else (),
        since=since or (before[0].round if before else None),
        absent=tuple(sorted(_organisations(before) - now, key=str.casefold)),
    )


def round_words(facts: RoundFacts) -> list[str]:
    """Return a round in sentences: "492 results (v6.0: 520) by 33 submitter entries (25): closed datacenter 457, …"."""
    before = facts.round_before
    results = words.plural(facts.results, "result")
    submitters = words.plural(facts.submitters, "submitter entry", "submitter entries")
    if facts.results_before is not None:
        results += f" ({before}: {facts.results_before:,})"
        submitters += f" ({facts.submitters_before:,})"
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in facts.kinds)
    said = [f"{words.suite_round(facts.suite, facts.round)}: {results} by {submitters}: {kinds}."]
    if facts.previews:
        total = sum(count for _name, count in facts.previews)
        names = words.joined((name for name, _count in facts.previews), limit=4)
        said.append(
            f"Preview: {words.plural(total, 'row')}, {'all ' if len(facts.previews) == 1 and total > 1 else ''}{names}."
        )
    if facts.suite == "inference":
        earlier = f" ({before}: {facts.measured_power_before:,})" if facts.measured_power_before else ""
        alike = (
            f", as in {before}"
            if before and not facts.measured_power and not facts.measured_power_before
            else ""
        )
        said.append(f"Measured power: {facts.measured_power or 'none'}{earlier}{alike}.")
    return said


def who_words(facts: RoundFacts) -> list[str]:
    """Return who came for the first time and who did not come back."""
    said = []
    if facts.first:
        said.append(
            f"First in the tables we hold (since {facts.since}): {words.joined(_names(facts.first))}."
        )
    if facts.absent:
        said.append(f"Absent after {facts.round_before}: {words.joined(_names(facts.absent))}.")
    return said


def deadlines(promised: Iterable[Promise]) -> tuple[Deadline, ...]:
    """Return what preview rows promise as dates, one a submitter and system; without a date there is none."""
    found = []
    for (owner, system, on), those in grouped(
        promised, lambda one: (words.submitter(one.preview), words.system(one.preview), one.earliest)
    ).items():
        if on is None:
            continue
        ordered = sorted(those, key=lambda one: (one.preview.benchmark, scenario_order(one.preview.scenario)))
        found.append(
            Deadline(
                what=f"{owner}, {system}",
                on=on,
                note="Preview rows: available in the first round from then on, within 2 %.",
                bounds=tuple(bound(one) for one in ordered),
            )
        )
    return tuple(found)


def bound(one: Promise) -> tuple[str, str]:
    """Return what was run, and what it must come back with: ("DeepSeek-R1 Server", "≥ 1,152,372 tokens/s")."""
    row = one.preview
    what = f"{words.benchmark(row)} {row.scenario or ''}".rstrip()
    if one.floor is None:
        return what, "by performance per watt"
    return what, f"{'≤' if row.better == 'lower' else '≥'} {number(one.floor)} {row.unit}"


def _kind(row: Result) -> str:
    if row.division != "closed":
        return row.division
    types = " and ".join(words.title("system_type", name) for name in row.system_type)
    return f"closed {types}".strip()


def _organisations(rows: Iterable[Result]) -> set[str]:
    return {name for row in rows for name in (row.organisations or (row.submitter,))}


def _measured(rows: Iterable[Result]) -> int:
    return sum(1 for row in rows if any(figure.kind == "measured" for figure in row.power))


def _names(names: Iterable[str]) -> list[str]:
    return [name.replace("_", " ") for name in names]
