"""Waiting events → alerts and owed deliveries; one transaction a batch marks the events as seen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher.domain import Alert, Comparison, NotComparable, Result, SourceTrouble
from watcher.pipeline.mending import RECEIVER
from watcher.pipeline.receivers import addresses
from watcher.quiet import decide

if TYPE_CHECKING:
    from watcher.config import ReceiverConfig
    from watcher.pipeline.parts import Watcher
    from watcher.rules import Rule


def evaluate_events(watcher: Watcher, now: datetime) -> list[Alert]:
    """Evaluate every waiting batch whole; return the alerts made."""
    made: list[Alert] = []
    for batch in watcher.store.events.waiting_batches():
        made += _evaluate(watcher, batch, now)
        watcher.reach("evaluated")
    return made


def tell_deadlines(watcher: Watcher, now: datetime) -> list[Alert]:
    """Make one alert for each rule whose deadline passed without it having fired."""
    from watcher.rules import overdue  # noqa: PLC0415 - with the rules

    memory = watcher.store.events.rules()
    done = {rule for rule, (_, _, fired, told) in memory.items() if fired is not None or told is not None}
    made = []
    for alert in overdue(watcher.rules, done, now):
        with watcher.store.write():
            recorded = _record(watcher, alert, now)
            watcher.store.events.deadline_told(alert.rule, now)
        if recorded is not None:
            made.append(recorded)
    return made


def _evaluate(watcher: Watcher, batch: str, now: datetime) -> list[Alert]:
    from watcher.rules import evaluate  # noqa: PLC0415 - only when events wait

    store = watcher.store
    events = store.events.batch(batch, waiting=True)
    rules = watcher.rules
    since = {rule: memory[0] for rule, memory in store.events.rules().items()}
    alerts = evaluate(rules, events, now, last_alert_at=store.events.last_alert_at, since=since)
    shown = [with_comparisons(watcher, alert, rules.by_id[alert.rule]) for alert in alerts]
    with store.write():
        made = [recorded for alert in shown if (recorded := _record(watcher, alert, now)) is not None]
        store.events.evaluated(events, now)
        watcher.reach("evaluating")
    return made


def _record(watcher: Watcher, alert: Alert, now: datetime) -> Alert | None:
    """Record an alert and what is owed of it; a silence or a cooldown is recorded with its reason."""
    store = watcher.store
    recorded = store.events.add_alert(alert, now)
    if recorded is None:
        return None
    silences = store.outbox.silences(now)
    for address, receiver in _told(watcher, alert):
        decision = decide(recorded, receiver, now, silences=silences)
        store.outbox.owe(
            address, now, alert=recorded.number, until=decision.until, reason=decision.reason,
            suppressed=decision.reason if decision.what == "suppress" else None,
        )  # fmt: skip
    if watcher.rules.by_id[recorded.rule].brief:
        from watcher.pipeline.briefing import expect  # noqa: PLC0415 - a few times a year

        expect(store, recorded, now)
    return recorded


def _told(watcher: Watcher, alert: Alert) -> list[tuple[str, ReceiverConfig]]:
    """Return who is owed an alert, each recipient with its receiver.

    One about receivers in trouble goes to those set for that, never to the troubled ones, and to somebody in any case.
    """
    config = watcher.config
    named = alert.receivers or config.default_receivers
    troubled = {
        event.subject.source.removeprefix(f"{RECEIVER} ")
        for event in alert.events
        if isinstance(event.subject, SourceTrouble) and event.subject.failure == RECEIVER
    }
    if troubled:
        named = config.trouble_receivers or named
    everybody = [receiver.name for receiver in config.receivers]
    for names in (named, everybody):
        found = [
            (address, receiver)
            for receiver in map(config.receiver, names)
            for address in addresses(receiver)
            if not {address, receiver.name} & troubled
        ]
        if found or not troubled:
            return found
    return []


def with_comparisons(watcher: Watcher, alert: Alert, rule: Rule) -> Alert:
    """Add the comparisons that a result rule asks for by ``against``: every scenario of its rows' benchmarks."""
    rows = alert.rows
    if rule.against is None or not rows:
        return alert
    benchmarks = {row.benchmark for row in rows}
    table = watcher.store.tables.results(suite=rows[0].suite, benchmarks=tuple(benchmarks), private=False)
    figures: list[Comparison] = []
    refused: list[NotComparable] = []
    for subject in _systems(rows):
        found, not_comparable = _against(table, subject, rule)
        figures += found
        refused += not_comparable
    return replace(alert, figures=(*alert.figures, *figures), not_comparable=tuple(dict.fromkeys(refused)))


def _systems(rows: Sequence[Result]) -> list[Result]:
    """Return one row of each system among ``rows``."""
    seen: dict[tuple[object, ...], Result] = {}
    for row in rows:
        seen.setdefault((row.round, row.submitter, row.accelerator, row.accelerator_count), row)
    return list(seen.values())


def _against(
    table: Sequence[Result], subject: Result, rule: Rule
) -> tuple[Sequence[Comparison], Sequence[NotComparable]]:
    """Compare one system with the rule's baseline: the same submitter's where it has one, else anybody's best."""
    from watcher.figures import Filter, SystemSelector, compare  # noqa: PLC0415 - only for an alert with figures

    assert rule.against is not None  # noqa: S101 - asked by the caller
    ours = SystemSelector(
        submitter=subject.submitter,
        name=subject.accelerator,
        accelerator=subject.accelerator,
        accelerator_count=subject.accelerator_count,
        suite=subject.suite,
        round=subject.round,
    )
    baseline = replace(rule.against, suite=subject.suite, round=rule.against.round or subject.round)
    where = Filter(division=(subject.division,))
    own = replace(baseline, submitter=baseline.submitter or subject.submitter)
    found, refused = compare(table, ours, own, where)
    return (found, refused) if found else compare(table, ours, baseline, where)
