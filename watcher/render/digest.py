"""The daily digest: what happened, what did not, and that we are alive; short when little happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime

from msgspec import Struct

from watcher.domain import SEVERITIES, Alert, CheckedClaim, Grid, Image, Notification, Section, SourceTrouble
from watcher.render import claims, words
from watcher.render.alert import story
from watcher.render.compact import Column, grouped, table
from watcher.render.round_facts import Deadline, RoundFacts, round_words, who_words

TOLD = 12  # alerts that a digest tells in words; all are counted
SHOWN = 3  # of them with their first table
LISTED = 10  # lines of any other list

MINUTE = "In one minute"
ASKED = "What you asked for"
CHANGED = "What changed"
WORTH = "Worth knowing"
WHO = "Who came, who did not"
CLAIMS = "Claims"
CARE = "Handle with care"
WAITING = "Still waiting"
DEADLINES = "Promises and deadlines"
TROUBLE = "In trouble"
HEALTH = "Health"


class ChangeCount(Struct, frozen=True, kw_only=True):
    """How many rows of one submitter changed in one way; ``kind`` is added, changed, removed, restored or renamed."""

    suite: str
    round: str
    submitter: str
    kind: str
    count: int


class VerdictChange(Struct, frozen=True, kw_only=True):
    """A claim whose verdict is another one now."""

    before: CheckedClaim
    after: CheckedClaim


class Waiting(Struct, frozen=True, kw_only=True):
    """A rule that has not fired: its title or description in words, what came nearest, and its deadline if it has one."""

    rule: str
    what: str
    nearest: tuple[str, ...] = ()
    until: datetime | None = None


class SourceCounts(Struct, frozen=True, kw_only=True):
    """How the sources fare; ``fine`` are those checked and neither failing, stale nor held back."""

    total: int
    fine: int
    unchecked: int = 0


class DeliveryCounts(Struct, frozen=True, kw_only=True):
    """What became of the deliveries of the time covered."""

    sent: int = 0
    waiting: int = 0
    gave_up: int = 0


class DeliveryTrouble(Struct, frozen=True, kw_only=True):
    """A receiver that does not take what it is owed, or deliveries that were given up, with the last error in words."""

    receiver: str
    reason: str
    waiting: int = 0
    gave_up: int = 0
    since: datetime | None = None


class DigestFacts(Struct, frozen=True, kw_only=True):
    """All that a digest may say; what is empty is left out.

    ``day`` is the local date in ``zone`` that the digest is of; it covers [``since``, ``until``) in UTC. ``rounds``: those
    that went public in that time. ``alerts``: all that were made, suppressed ones too. ``claims``: made in that time;
    ``verdicts``: those that changed. ``figures``: one or two plots. ``notes`` and ``care``: sentences that somebody
    computed. ``waiting``: rules that have not fired. ``deadlines``: ahead of us. ``suppressed``: reason in words → how
    many deliveries were held back for it. ``holding``: what the state holds, in words ("2,460 results of 3 rounds").
    """

    day: date
    zone: str
    since: datetime
    until: datetime
    rounds: tuple[RoundFacts, ...] = ()
    alerts: tuple[Alert, ...] = ()
    changes: tuple[ChangeCount, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    verdicts: tuple[VerdictChange, ...] = ()
    figures: tuple[Image, ...] = ()
    notes: tuple[str, ...] = ()
    care: tuple[str, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    deadlines: tuple[Deadline, ...] = ()
    sources: SourceCounts = SourceCounts(total=0, fine=0)
    source_troubles: tuple[SourceTrouble, ...] = ()
    deliveries: DeliveryCounts = DeliveryCounts()
    delivery_troubles: tuple[DeliveryTrouble, ...] = ()
    suppressed: tuple[tuple[str, int], ...] = ()
    holding: str = ""


def digest_notification(facts: DigestFacts, *, now: datetime) -> Notification:
    """Return the digest as a message; the same facts give the same text. ``now`` becomes ``created_at``."""
    parts = [
        _minute(facts),
        *_asked(facts),
        _changed(facts),
        _list(WORTH, facts.notes),
        _list(WHO, [line for one in facts.rounds for line in who_words(one)]),
        _claims(facts),
        _list(CARE, facts.care),
        _waiting(facts),
        *_deadlines(facts),
        _trouble(facts),
        _health(facts),
    ]
    return Notification(
        id=f"digest-{facts.day.isoformat()}",
        kind="digest",
        title=title(facts),
        severity="high" if _in_trouble(facts) else "info",
        summary=summary(facts),
        created_at=now,
        sections=tuple(part for part in parts if part is not None),
        alerts=tuple(alert.name for alert in facts.alerts if alert.number is not None),
        footer=f"Digest of {words.day(facts.day)} ({facts.zone}), from {words.moment(facts.since)} to {words.moment(facts.until)}",
        see_all=f"mlperf-watcher digest --date {facts.day.isoformat()}",
    )


def is_quiet(facts: DigestFacts) -> bool:
    """Whether nothing was published, changed or claimed."""
    return not (facts.rounds or facts.alerts or facts.changes or facts.claims or facts.verdicts)


def title(facts: DigestFacts) -> str:
    """Return the subject: what is out, how many watches fired, what did not."""
    said = []
    if facts.rounds:
        said.append(
            f"{words.joined((_short_round(one) for one in facts.rounds), limit=3)} {'is' if len(facts.rounds) == 1 else 'are'} out"
        )
    fired = len({alert.rule for alert in facts.alerts})
    if fired:
        said.append(
            f"{words.small(fired)} of your watches fired"
            if facts.rounds
            else words.plural(len(facts.alerts), "alert")
        )
    elif facts.rounds:
        said.append("none of your watches fired")
    elif facts.changes:
        said.append(f"{words.plural(sum(one.count for one in facts.changes), 'row')} changed")
    elif facts.claims or facts.verdicts:
        said.append(
            words.plural(len(facts.claims) or len(facts.verdicts), "claim")
            + (" read" if facts.claims else " judged anew")
        )
    trouble = _trouble_words(facts)
    if not said:
        all_fine = facts.sources.total == facts.sources.fine > 0 and not trouble
        said.append(
            f"Nothing new, {'the source is' if facts.sources.total == 1 else f'all {facts.sources.total:,} sources'} fine"
            if all_fine
            else "Nothing new"
        )
    elif facts.rounds and facts.waiting:
        said.append(f"{facts.waiting[0].rule} did not")
    return ": ".join([said[0], ", ".join([*said[1:], *trouble])]) if said[1:] or trouble else said[0]


def summary(facts: DigestFacts) -> str:
    """Return one line that stands alone."""
    if is_quiet(facts):
        return f"{words.day(facts.day)}: nothing was published, changed or claimed; {_checked(facts.sources)}"
    parts = [
        f"{words.suite_round(one.suite, one.round)} with {words.plural(one.results, 'result')}"
        for one in facts.rounds
    ]
    parts += [words.plural(len(facts.alerts), "alert")] if facts.alerts else []
    parts += (
        [f"{words.plural(sum(one.count for one in facts.changes), 'changed row')}"]
        if facts.changes and not facts.rounds
        else []
    )
    parts += [words.plural(len(facts.claims), "claim")] if facts.claims else []
    return f"{words.day(facts.day)}: {words.joined([*parts, *_trouble_words(facts)])}"


def _short_round(one: RoundFacts) -> str:
    return (
        one.round
        if one.suite == "inference"
        else f"{words.title('suite', one.suite)} {one.round}".removeprefix("MLPerf ")
    )


def _in_trouble(facts: DigestFacts) -> bool:
    return bool(facts.source_troubles or facts.delivery_troubles)


def _trouble_words(facts: DigestFacts) -> list[str]:
    said = []
    if facts.source_troubles:
        said.append(f"{words.plural(len(facts.source_troubles), 'source')} in trouble")
    if facts.delivery_troubles:
        said.append(f"{words.plural(len(facts.delivery_troubles), 'receiver')} in trouble")
    return said


# ------------------------------------------------------------------------------------------------ the parts


def _list(heading: str, lines: Sequence[str]) -> Section | None:
    if not lines:
        return None
    more = [f"and {len(lines) - LISTED:,} more"] if len(lines) > LISTED else []
    return Section(heading=heading, bullets=(*lines[:LISTED], *more))


def _minute(facts: DigestFacts) -> Section | None:
    lines = [" ".join(round_words(one)) for one in facts.rounds]
    if not facts.rounds and facts.alerts:
        counts = Counter(alert.severity for alert in facts.alerts)
        severities = words.joined(f"{counts[s]:,} {s}" for s in reversed(SEVERITIES) if counts[s])
        lines.append(
            f"{words.plural(len(facts.alerts), 'alert')} ({severities}) by {words.plural(len({a.rule for a in facts.alerts}), 'rule')}."
        )
    return Section(heading=MINUTE, paragraphs=tuple(lines)) if lines else None


def _asked(facts: DigestFacts) -> list[Section]:
    """Tell the alerts, the most severe first: a numbered line each, the first ones with their first table."""
    ordered = sorted(facts.alerts, key=lambda a: (-SEVERITIES.index(a.severity), a.number or 0))
    sections: list[Section] = []
    for place, alert in enumerate(ordered[:TOLD]):
        told = story(alert)
        held_back = f" (not sent: {alert.suppressed})" if alert.suppressed else ""
        grids = (
            [section.grid for section in told.sections if section.grid is not None] if place < SHOWN else []
        )
        sections.append(
            Section(
                heading=ASKED if place == 0 else None,
                lead=f"{alert.name} · {alert.title}{held_back}",
                paragraphs=(f"{words.capital(told.summary)}.",),
                grid=grids[0] if grids else None,
            )
        )
        sections += [Section(grid=grid) for grid in grids[1:2]]
    if len(ordered) > TOLD:
        sections.append(
            Section(
                paragraphs=(f"And {words.plural(len(ordered) - TOLD, 'more alert')}.",),
                bullets=("mlperf-watcher alerts list",),
            )
        )
    sections += [Section(image=image) for image in facts.figures]
    return sections


def _changed(facts: DigestFacts) -> Section | None:
    """Tell what changed by round and submitter, the largest first; a round that is new tells itself elsewhere."""
    new = {(one.suite, one.round) for one in facts.rounds}
    changes = [one for one in facts.changes if (one.suite, one.round) not in new]
    if not changes:
        return None
    by_place = grouped(changes, lambda one: (one.suite, one.round, one.submitter))
    ordered = sorted(by_place.items(), key=lambda place: (-sum(one.count for one in place[1]), place[0]))
    rows = [
        (
            f"{words.title('suite', suite).removeprefix('MLPerf ')} {round_}",
            submitter.replace("_", " "),
            words.joined(f"{one.count:,} {one.kind}" for one in those),
        )
        for (suite, round_, submitter), those in ordered[:LISTED]
    ]
    grid = table(
        "", [Column(name, [row[i] for row in rows]) for i, name in enumerate(("Round", "Submitter", "Rows"))]
    )
    more = (f"And {words.plural(len(ordered) - LISTED, 'more submitter')}.",) if len(ordered) > LISTED else ()
    return Section(heading=CHANGED, grid=grid, bullets=more)


def _claims(facts: DigestFacts) -> Section | None:
    if not facts.claims and not facts.verdicts:
        return None
    lines = [f"{one.vendor}: {claims.line(one)}" if one.vendor else claims.line(one) for one in facts.claims]
    lines += [
        f"{claims.line(one.after)} (was: {claims.MEANINGS.get(one.before.verdict.verdict, one.before.verdict.verdict)})"
        for one in facts.verdicts
    ]
    counted = (
        f"{words.plural(len(facts.claims), 'claim')}: {claims.tally(facts.claims)}." if facts.claims else ""
    )
    more = [f"and {len(lines) - LISTED:,} more"] if len(lines) > LISTED else []
    return Section(heading=CLAIMS, paragraphs=(counted,) if counted else (), bullets=(*lines[:LISTED], *more))


def _waiting(facts: DigestFacts) -> Section | None:
    """Tell what has not come: the nearest misses of each rule, and its deadline."""
    lines = []
    for one in facts.waiting:
        nearest = f" Nearest: {'; '.join(one.nearest[:2])}." if one.nearest else ""
        until = f" Until {words.day(one.until.date())}." if one.until else ""
        lines.append(f"{one.what.rstrip('.')}: nothing yet.{nearest}{until}")
    return _list(WAITING, lines)


def _deadlines(facts: DigestFacts) -> list[Section]:
    """Tell what is due, the nearest first; on a quiet day only the next one, in short."""
    ordered = sorted(facts.deadlines, key=lambda one: one.on)
    if is_quiet(facts):
        soon = _list(DEADLINES, [f"Next, {words.day(one.on)}: {one.what}" for one in ordered[:1]])
        return [soon] if soon else []
    return [
        Section(
            heading=DEADLINES if place == 0 else None,
            lead=f"{words.day(one.on)}: {one.what}",
            paragraphs=(one.note,) if one.note else (),
            grid=_bounds(one) if one.bounds else None,
        )
        for place, one in enumerate(ordered[:LISTED])
    ]


def _bounds(one: Deadline) -> Grid:
    return Grid(columns=("", ""), rows=one.bounds[:LISTED], numeric=frozenset({1}))


def _trouble(facts: DigestFacts) -> Section | None:
    lines = [
        f"Source {one.source} ({one.failure}){f' since {words.moment(one.since)}' if one.since else ''}: {one.message.rstrip('.')}"
        for one in facts.source_troubles
    ]
    for trouble in facts.delivery_troubles:
        owed = [f"{trouble.waiting:,} waiting"] if trouble.waiting else []
        owed += [f"{trouble.gave_up:,} given up"] if trouble.gave_up else []
        since = f" since {words.moment(trouble.since)}" if trouble.since else ""
        lines.append(
            f"Receiver {trouble.receiver}{since}, {words.joined(owed) or 'nothing owed'}: {trouble.reason.rstrip('.')}"
        )
    return _list(TROUBLE, lines)


def _checked(sources: SourceCounts) -> str:
    """Return how many sources were checked, and how many of them are fine."""
    checked = sources.total - sources.unchecked
    if not sources.total:
        return "no source is in force: nothing is watched"
    if not checked:
        return f"{words.plural(sources.total, 'source')}, none checked yet"
    later = f", {sources.unchecked:,} not checked yet" if sources.unchecked else ""
    return f"{words.plural(checked, 'source')} checked, {sources.fine:,} fine{later}"


def _health(facts: DigestFacts) -> Section:
    """Say that we are alive: sources, deliveries, what was held back and why."""
    sources = f"{facts.sources.fine:,} of {words.plural(facts.sources.total, 'source')} fine"
    if facts.sources.unchecked or not facts.sources.total:
        sources = _checked(facts.sources)
    counts = facts.deliveries
    told = [words.plural(len(facts.alerts), "alert") if facts.alerts else "no alerts"]
    told += [f"{counts.sent:,} delivered"] if counts.sent or facts.alerts else []
    told += [f"{counts.waiting:,} waiting"] if counts.waiting else []
    told += [f"{counts.gave_up:,} given up"] if counts.gave_up else []
    lines = [f"{sources} · {', '.join(told)}{f' · {facts.holding}' if facts.holding else ''}"]
    held = [f"{count:,} {reason}" for reason, count in facts.suppressed]
    if held:
        total = sum(count for _reason, count in facts.suppressed)
        listed = "; ".join(held[:LISTED])
        lines.append(f"Held back: {words.plural(total, 'delivery', 'deliveries')} ({listed}).")
    return Section(heading=HEALTH, paragraphs=tuple(lines))
