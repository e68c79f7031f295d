"""What a digest may say of a span of time: what happened, what is ahead, how we fare, read from the state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from watcher.domain import (
    SEVERITIES,
    Alert,
    CheckedClaim,
    Comparison,
    Event,
    Gain,
    Image,
    PublishedRound,
    Result,
    Scaling,
    SourceTrouble,
)
from watcher.outbox import said_by
from watcher.pipeline.receivers import name_of
from watcher.pipeline.standing import Standing, standing

if TYPE_CHECKING:
    from watcher.pipeline.parts import Watcher
    from watcher.render.digest import (
        ChangeCount,
        DeliveryCounts,
        DeliveryTrouble,
        DigestFacts,
        SourceCounts,
        Waiting,
    )
    from watcher.render.round_facts import Deadline, RoundFacts

F = TypeVar("F", Comparison, Gain, Scaling)
AHEAD = timedelta(days=45)  # how far ahead a digest looks for expected rounds and deadlines
NEAREST = 2  # misses named for a rule that still waits
PLOTS = 2


def gather(watcher: Watcher, *, day: date, zone: str, since: datetime, until: datetime) -> DigestFacts:
    """Return all that a digest of [since, until) may say."""
    from watcher.render.digest import DigestFacts, VerdictChange  # noqa: PLC0415 - only for a digest
    from watcher.render.words import plural  # noqa: PLC0415

    store = watcher.store
    events = store.events.evaluated_between(since, until)
    alerts = store.events.alerts_between(since, until)
    owed = store.outbox.between(since, until)
    found = standing(watcher)
    counts, delivery_troubles = _deliveries(watcher, found, since, until)
    results = sum(table.results for table in found.tables if not table.private)
    rounds = sum(1 for table in found.tables if table.results and not table.private)
    return DigestFacts(
        day=day,
        zone=zone,
        since=since,
        until=until,
        rounds=_rounds(watcher, events, since),
        alerts=alerts,
        changes=_changes(events),
        claims=tuple(e.subject for e in events if e.kind == "claim.made" and isinstance(e.subject, CheckedClaim)),
        verdicts=tuple(
            VerdictChange(before=e.before, after=e.after)
            for e in events
            if isinstance(e.before, CheckedClaim) and isinstance(e.after, CheckedClaim)
        ),
        figures=_plots(alerts),
        care=_care(alerts),
        waiting=_waiting(watcher),
        deadlines=_deadlines(watcher, until),
        sources=_sources(found),
        source_troubles=_troubles(found),
        deliveries=counts,
        delivery_troubles=delivery_troubles,
        suppressed=tuple(Counter(d.reason or "" for d in owed if d.state == "suppressed").most_common()),
        holding=f"{plural(results, 'result')} of {plural(rounds, 'round')}",
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------ what happened


def _rounds(watcher: Watcher, events: Sequence[Event], since: datetime) -> tuple[RoundFacts, ...]:
    """Return the rounds whose first results came in this time, whether or not their repository was seen before."""
    from watcher.figures.cells import round_order  # noqa: PLC0415
    from watcher.render.round_facts import round_facts  # noqa: PLC0415

    told = {(e.subject.suite, e.subject.round) for e in events if isinstance(e.subject, PublishedRound)}
    added = {
        (e.subject.suite, e.subject.round)
        for e in events
        if e.kind == "result.added" and isinstance(e.subject, Result)
    }
    facts = []
    for suite, name in sorted(added, key=lambda table: (table[0], round_order(table[1]))):
        held = watcher.store.tables.results(suite=suite, private=False)
        rows = [row for row in held if row.round == name]
        known_before = any(row.first_seen_at is not None and row.first_seen_at < since for row in rows)
        if not rows or (known_before and (suite, name) not in told):
            continue
        earlier = sorted(
            {row.round for row in held if round_order(row.round) < round_order(name)}, key=round_order
        )
        known = {org for row in held if row.round in earlier for org in row.organisations}
        facts.append(
            round_facts(
                rows,
                [row for row in held if earlier and row.round == earlier[-1]],
                known=known or None,
                since=earlier[0] if earlier else None,
            )
        )
    return tuple(facts)


def _changes(events: Iterable[Event]) -> tuple[ChangeCount, ...]:
    from watcher.render.digest import ChangeCount  # noqa: PLC0415

    counts = Counter(
        (e.subject.suite, e.subject.round, e.subject.submitter, e.kind.removeprefix("result."))
        for e in events
        if isinstance(e.subject, Result)
    )
    return tuple(
        ChangeCount(suite=suite, round=name, submitter=submitter, kind=kind, count=count)
        for (suite, name, submitter, kind), count in sorted(counts.items())
    )


def _plots(alerts: Sequence[Alert]) -> tuple[Image, ...]:
    """Draw the comparisons and the gains or scalings with the most to show, one picture each."""
    compared, comparisons = _most(alerts, Comparison)
    gained, gains = _most(alerts, Gain)
    scaled, scalings = _most(alerts, Scaling)
    if not (comparisons or gains or scalings):
        return ()
    from watcher.render import plots  # noqa: PLC0415 - brings matplotlib, only when there is something to draw

    drawn: list[tuple[str, bytes]] = []
    if comparisons:
        drawn.append((compared, plots.plot_comparison(comparisons)))
    if gains:
        drawn.append((gained, plots.plot_gains(gains)))
    if scalings:
        drawn.append((scaled, plots.plot_scaling(scalings)))
    return tuple(
        Image(name=f"figure-{number}.png", png=png, alt=f"Bars: {title}")
        for number, (title, png) in enumerate(drawn[:PLOTS], 1)
    )


def _most(alerts: Iterable[Alert], kind: type[F]) -> tuple[str, list[F]]:
    """Return the title and the figures of one kind of the gravest alert that has several, and of those the most."""
    found = [
        (SEVERITIES.index(alert.severity), len(figures), alert.title, figures)
        for alert in alerts
        if len(figures := [figure for figure in alert.figures if isinstance(figure, kind)]) > 1
    ]
    if not found:
        return "", []
    *_, title, figures = max(found, key=lambda one: one[:2])
    return title, figures


def _care(alerts: Iterable[Alert]) -> tuple[str, ...]:
    counts = Counter(
        care for alert in alerts for figure in alert.figures for care in getattr(figure, "care", ())
    )
    return tuple(care for care, _ in counts.most_common(6))


# ------------------------------------------------------------------------------------------------ what is ahead


def _waiting(watcher: Watcher) -> tuple[Waiting, ...]:
    """Return the rules about added results that have not fired, with what came nearest in the newest round."""
    from watcher.render.digest import Waiting  # noqa: PLC0415
    from watcher.rules.conditions import ALWAYS  # noqa: PLC0415
    from watcher.rules.explain import explain  # noqa: PLC0415

    memory = watcher.store.events.rules()
    rules = [
        rule
        for rule in watcher.rules.watching("result")
        if "added" in rule.on and rule.where != ALWAYS and not (rule.id in memory and memory[rule.id][2])
    ]
    if not rules:
        return ()
    rows = watcher.store.tables.results(private=False)
    newest = _newest(rows)
    waiting = []
    for rule in rules:
        found = explain(rule, newest, nearest=NEAREST)
        nearest = tuple(
            f"{miss.name}: {'; '.join(stop.reason for stop in miss.stopped_by)}"
            for miss in found.misses[:NEAREST]
        )
        waiting.append(
            Waiting(rule=rule.id, what=rule.description or rule.id, nearest=nearest, until=rule.until)
        )
    return tuple(waiting)


def _newest(rows: Sequence[Result]) -> list[Result]:
    from watcher.figures.cells import newest  # noqa: PLC0415

    latest = {
        suite: newest({row.round for row in rows if row.suite == suite})
        for suite in {row.suite for row in rows}
    }
    return [row for row in rows if row.round == latest[row.suite]]


def _deadlines(watcher: Watcher, now: datetime) -> tuple[Deadline, ...]:
    from watcher.figures.filters import Filter  # noqa: PLC0415
    from watcher.figures.promises import promises  # noqa: PLC0415
    from watcher.render.round_facts import Deadline, deadlines  # noqa: PLC0415

    today = now.date()
    found = [
        Deadline(what=f"rule {rule.id}", on=rule.until.date())
        for rule in watcher.rules.rules
        if rule.enabled and rule.until is not None and today <= rule.until.date() <= today + AHEAD
    ]
    rounds = watcher.catalog.rounds()
    found += [
        Deadline(
            what=f"MLPerf {each.suite} {each.name} is expected",
            on=each.expected,
            note=f"source: {each.source}",
        )
        for each in rounds
        if each.published_on is None and each.expected is not None and today <= each.expected <= today + AHEAD
    ]
    newest = _newest(watcher.store.tables.results(private=False))
    found += deadlines(promises(newest, rounds, Filter(division=("closed",))))
    return tuple(sorted(found, key=lambda each: each.on))


def _sources(found: Standing) -> SourceCounts:
    from watcher.render.digest import SourceCounts  # noqa: PLC0415

    in_trouble = {*found.sources_in_trouble, *(table.source for table in found.held_back)}
    fine = sum(
        1
        for source, state in found.sources
        if state.succeeded_at is not None and source.name not in in_trouble
    )
    unchecked = sum(1 for _, state in found.sources if state.checked_at is None)
    return SourceCounts(total=len(found.sources), fine=fine, unchecked=unchecked)


def _deliveries(
    watcher: Watcher, found: Standing, since: datetime, until: datetime
) -> tuple[DeliveryCounts, tuple[DeliveryTrouble, ...]]:
    """Return what was sent and given up in this time and what is still owed, and which receivers are in trouble.

    Sent are alerts alone: yesterday's digest is no news. What was given up counts when it was, a week after its alert.
    """
    from watcher.render.digest import DeliveryCounts, DeliveryTrouble  # noqa: PLC0415

    settled = watcher.store.outbox.settled(since, until)
    owed = watcher.store.outbox.open()
    gave_up = [each for each in settled if each.state == "gave_up"]
    broken = {name_of(name): state for name, state in found.broken_receivers.items()}
    names = {name_of(d.receiver) for d in (*gave_up, *owed) if d.state == "gave_up" or d.attempts} | set(
        broken
    )
    troubles = []
    for name in sorted(names):
        at, why = broken.get(name, (None, None))
        errors = [d.last_error for d in (*owed, *gave_up) if name_of(d.receiver) == name and d.last_error]
        troubles.append(
            DeliveryTrouble(
                receiver=name, reason=why or (said_by(name, errors[-1]) if errors else "does not answer"), since=at,
                waiting=sum(1 for d in owed if name_of(d.receiver) == name),
                gave_up=sum(1 for d in gave_up if name_of(d.receiver) == name),
            )
        )  # fmt: skip
    counts = DeliveryCounts(
        sent=sum(1 for d in settled if d.state == "sent" and d.kind == "alert"),
        waiting=len(owed),
        gave_up=len(gave_up),
    )
    return counts, tuple(troubles)


def _troubles(found: Standing) -> tuple[SourceTrouble, ...]:
    troubles = [
        SourceTrouble(
            source=source.name, url=source.url, failure=state.failure or "stale", message=state.last_error or "no success",
            failures=state.failures, since=state.failing_since or state.succeeded_at,
        )
        for source, state in found.sources
        if not state.healthy
    ]  # fmt: skip
    troubles += [
        SourceTrouble(
            source=table.source or f"{table.suite} {table.round}", url=table.url, failure="held-back",
            message=table.held_back_reason or "", since=table.held_back_at,
        )
        for table in found.held_back
        if not table.private
    ]  # fmt: skip
    return tuple(troubles)
