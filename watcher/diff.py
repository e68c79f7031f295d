"""Two states of one table → changes; pure.

The order of decisions:
1. rows are matched by the natural key; one that stands as it is held needs no further look;
2. another is compared field by field over the columns that both sides know, floats with a tolerance,
   names as published (what the catalog makes of them may improve without being a change of the table, and columns that
   are only kept may say something else);
3. of the rows left over on both sides those whose keys differ by spelling alone (NVIDIA, Nvidia) are the same rows;
4. the others are matched as renamed: the same division, benchmark, scenario and value, the most alike first;
5. what is still missing is pending, and removed at the next poll that misses it too;
6. a table that misses more than a third of the rows that it had a poll before is refused (HeldBackError). What it
   missed then already has been judged then: it neither counts as lost again nor keeps a later loss from being told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watcher.catalog.spelling import fold
from watcher.domain import Change, Held, Result, ResultKey, Table
from watcher.errors import HeldBackError

SHRINK_LIMIT = 1 / 3
FLOAT_TOLERANCE = 1e-9
ALIKE_ENOUGH = 0.3
CROWD = 50  # far more than share one value in any published table

# A canonical field, and the published one it is read from: a change is told only if the published words changed too.
READ_FROM = {
    "accelerator": "accelerator_published",
    "accelerators": "accelerator_published",
    "unit": "unit_published",
    "better": "unit_published",
    "software": "software_published",
    "accelerator_power_limit_watts": "notes",
}
# Parts of the key, what follows from it, and what is never compared (links, identifiers, our own times).
NOT_COMPARED = frozenset(
    {
        "suite", "round", "division", "submitter", "platform", "benchmark_published", "scenario",
        "organisations", "benchmark", "accuracy_target", "system", "url", "first_seen_at", "extra", "measures",
        "entry",
    }
)  # fmt: skip
_KEPT = "extra."  # begins the name of a column that is kept as published; what stands in it alone is no news
COMPARED = tuple(name for name in Result.__struct_fields__ if name not in NOT_COMPARED)


class Matched(Struct, frozen=True):
    """First look, by key alone; ``both``: keys that stand on both sides, whose rows need to be compared."""

    added: tuple[ResultKey, ...]
    both: tuple[ResultKey, ...]
    missing: tuple[ResultKey, ...]
    reappeared: tuple[ResultKey, ...]


class Diff(Struct, frozen=True):
    """What a new state of a table means.

    ``changes``: added, changed, renamed, removed, restored. ``enriched``: rows that only became better known (a new
    column, a better reading), before and after. ``pending``: keys missing for the first time. ``respelled``: rows of which
    only the spelling of their key is another, before and after; that is no news.
    """

    changes: tuple[Change, ...]
    enriched: tuple[tuple[Result, Result], ...]
    pending: tuple[ResultKey, ...]
    respelled: tuple[tuple[Result, Result], ...] = ()


def match(held: Mapping[ResultKey, Held], read: Iterable[ResultKey]) -> Matched:
    """Compare the keys that are held with those that were read."""
    keys = dict.fromkeys(read)
    return Matched(
        added=tuple(key for key in keys if key not in held),
        both=tuple(key for key in keys if key in held),
        missing=tuple(key for key in held if key not in keys),
        reappeared=tuple(key for key, row in held.items() if row.missing_since is not None and key in keys),
    )


def stands(before: Result, after: Result, unknown: Iterable[str]) -> bool:
    """Whether a row that is read stands as it is held, ``unknown`` columns aside.

    Noise of its value and the number of its entry make it no other row.
    """
    new = merged(before, after, unknown)
    value = before.value if _same(before.value, new.value) else new.value
    return replace(new, value=value, entry=before.entry) == before


def changed_fields(before: Result, after: Result, columns: Iterable[str]) -> tuple[str, ...]:
    """Return the compared fields in ``columns`` that differ, in the canonical order."""
    known = frozenset(columns)
    found = []
    for name in COMPARED:
        if name not in known:
            continue
        source = READ_FROM.get(name)
        if source in known and _same(getattr(before, source), getattr(after, source)):
            continue
        if not _same(getattr(before, name), getattr(after, name)):
            found.append(name)
    for name, value in after.measures.items():
        if name in before.measures and not _same(before.measures[name], value):
            found.append(f"measures.{name}")
    for name, value in after.extra.items():
        if name in before.extra and not _same(before.extra[name], value):
            found.append(f"{_KEPT}{name}")
    return tuple(found)


def merged(before: Result, after: Result, unknown: Iterable[str]) -> Result:
    """``after``, with what its table cannot know (``unknown`` columns) carried over from ``before``."""
    carried = {name: getattr(before, name) for name in unknown if name in Result.__struct_fields__}
    return replace(after, **carried, first_seen_at=before.first_seen_at)


def diff(
    matched: Matched,
    before: Mapping[ResultKey, Result],
    table: Table,
    columns: frozenset[str],
    *,
    size: int,
    poll: int,
    missing_since: Mapping[ResultKey, int],
    ended: Mapping[ResultKey, Result],
    accept: bool = False,
) -> Diff:
    """Decide what the new state of a table means.

    ``before`` holds the rows of ``matched.both`` that do not stand, and of ``matched.missing``; ``columns`` what the held state knows;
    ``size`` how many rows are held; ``missing_since`` the poll at which a missing key was first missed; ``ended``
    rows that were removed earlier and stand in the table again. Raises HeldBackError if more than a third would go.
    """
    rows = {result.key: result for result in table.results}
    both = columns & table.columns
    unknown = columns - table.columns
    changes: list[Change] = []
    enriched: list[tuple[Result, Result]] = []
    respelled: list[tuple[Result, Result]] = []
    spellings = respellings(matched.missing, matched.added)
    differing = ((key, key) for key in matched.both if key in before)
    for old_key, new_key in (*differing, *spellings.items()):
        old, new = before[old_key], merged(before[old_key], rows[new_key], unknown)
        fields = changed_fields(old, new, both)
        if any(not field.startswith(_KEPT) for field in fields):
            changes.append(Change("changed", old, new, fields))
        elif old_key != new_key:
            respelled.append((old, new))
        elif old != new:
            enriched.append((old, new))
    found = set(spellings.values())
    renamed = renames(
        {key: before[key] for key in matched.missing if key not in spellings},
        {key: rows[key] for key in matched.added if key not in found},
    )
    for old_key, new_key in renamed.items():
        old, new = before[old_key], merged(before[old_key], rows[new_key], unknown)
        changes.append(Change("renamed", old, new, key_fields(old, new) + changed_fields(old, new, both)))
    gone = [key for key in matched.missing if key not in renamed and key not in spellings]
    if not accept:
        _refuse_shrunk(table, sum(key not in missing_since for key in gone), size - len(missing_since))
    taken = found | set(renamed.values())
    for key in matched.added:
        if key in taken:
            continue
        back = ended.get(key)
        if back is not None:
            changes.append(Change("restored", back, merged(back, rows[key], unknown)))
        else:
            changes.append(Change("added", None, rows[key]))
    removed = [key for key in gone if missing_since.get(key, poll) < poll]
    changes += [Change("removed", before[key], None) for key in removed]
    pending = [key for key in gone if key not in missing_since]
    return Diff(tuple(changes), tuple(enriched), tuple(pending), tuple(respelled))


def _refuse_shrunk(table: Table, lost: int, had: int) -> None:
    """Raise HeldBackError if more than a third of the rows that it ``had`` are ``lost``."""
    if lost and lost / had > SHRINK_LIMIT:
        raise HeldBackError(
            f"the table of {table.suite} {table.round} lost {lost} of {had} results; "
            "it is kept out until a later table is whole, or until you accept it (ingest --accept)"
        )


def respellings(gone: Iterable[ResultKey], come: Iterable[ResultKey]) -> dict[ResultKey, ResultKey]:
    """Match keys that vanished with keys that appeared and differ from them by spelling alone.

    Only where it is sure: one of each. The submitter's name is compared as the catalog compares names, the others
    without case and blanks (a hyphen may tell two platforms apart).
    """
    new: dict[tuple[str, ...], list[ResultKey]] = {}
    for key in come:
        new.setdefault(_spoken(key), []).append(key)
    if not new:
        return {}
    old: dict[tuple[str, ...], list[ResultKey]] = {}
    for key in gone:
        old.setdefault(_spoken(key), []).append(key)
    return {
        keys[0]: new[spoken][0]
        for spoken, keys in old.items()
        if len(keys) == 1 and len(new.get(spoken, ())) == 1
    }


def renames(gone: Mapping[ResultKey, Result], come: Mapping[ResultKey, Result]) -> dict[ResultKey, ResultKey]:
    """Match rows that vanished with rows that appeared: the same division, benchmark, scenario and value, then likeness.

    A value that more than CROWD new rows share tells none of them apart: those are taken as removed and added.
    """
    places: dict[tuple[object, ...], list[ResultKey]] = {}
    for key, result in come.items():
        places.setdefault(_place(key, result), []).append(key)
    words = {key: _words(come[key]) for keys in places.values() if len(keys) <= CROWD for key in keys}
    pairs = []
    for key, result in gone.items():
        candidates = places.get(_place(key, result), ())
        if not candidates or len(candidates) > CROWD:
            continue
        own = _words(result)
        for candidate in candidates:
            likeness = _likeness(own, words[candidate])
            if likeness >= ALIKE_ENOUGH:
                pairs.append((-likeness, key, candidate))
    found: dict[ResultKey, ResultKey] = {}
    taken: set[ResultKey] = set()
    for _, key, candidate in sorted(pairs):
        if key not in found and candidate not in taken:
            found[key] = candidate
            taken.add(candidate)
    return found


def key_fields(before: Result, after: Result) -> tuple[str, ...]:
    """Return the parts of the natural key that differ."""
    return tuple(
        name for name, old, new in zip(ResultKey._fields, before.key, after.key, strict=True) if old != new
    )


def _spoken(key: ResultKey) -> tuple[str, ...]:
    """Return a key as it is spoken: its parts without what is only spelling."""
    return tuple(
        fold(part) if name == "submitter" else "".join(str(part).split()).casefold()
        for name, part in zip(ResultKey._fields, key, strict=True)
    )


def _place(key: ResultKey, result: Result) -> tuple[object, ...]:
    return (key.division, key.benchmark_published, key.scenario, f"{result.value:.10g}")


def _likeness(one: frozenset[str], two: frozenset[str]) -> float:
    """Share of the name parts (submitter, platform, system name) that two rows have in common, 0 to 1."""
    together = len(one | two)
    return len(one & two) / together if together else 1.0


def _words(result: Result) -> frozenset[str]:
    names = " ".join((result.submitter, result.platform, result.system_name or ""))
    return frozenset("".join(c if c.isalnum() else " " for c in names.casefold()).split())


def _same(one: Any, two: Any) -> bool:
    if one == two:
        return True
    if isinstance(one, float) and isinstance(two, float | int):
        return abs(one - two) <= FLOAT_TOLERANCE * max(abs(one), abs(two))
    if isinstance(one, tuple) and isinstance(two, tuple) and one and isinstance(one[0], tuple):
        return len(one) == len(two) and all(
            len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
            for a, b in zip(one, two, strict=True)
        )
    if isinstance(one, str) and isinstance(two, str):
        return " ".join(one.split()) == " ".join(two.split())
    return False
