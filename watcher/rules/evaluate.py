"""Events and rules → alerts. Pure: the same rules and events give the same alerts, in whatever order they come."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from msgspec.structs import replace

from watcher.domain import (
    SCENARIOS,
    SEVERITIES,
    Alert,
    CheckedClaim,
    Comparison,
    Event,
    Gain,
    Promise,
    Rank,
    Record,
    Result,
    Scaling,
)
from watcher.rules.conditions import Facts, Trial, compile_condition
from watcher.rules.fields import field_of
from watcher.rules.rule import Rule, RuleSet
from watcher.rules.titles import fill_title, show
from watcher.rules.watches import WATCHES

DEADLINE = "deadline"
"""The batch of the alerts that say that a rule has not fired by its deadline."""
LastAlert = Callable[[str, str], datetime | None]
_log = logging.getLogger(__name__)


class _Group(NamedTuple):
    """What becomes one alert."""

    rule: str
    batch: str
    group: str


def evaluate(
    rules: RuleSet,
    events: Sequence[Event],
    now: datetime,
    *,
    last_alert_at: LastAlert | None = None,
    since: Mapping[str, int] | None = None,
) -> tuple[Alert, ...]:
    """Return the alerts that ``events`` cause, the most severe first, then by rule and group.

    One alert a rule, batch and group; its events and figures in reading order. ``last_alert_at(rule, group)`` says
    when a rule last alerted about a group, for its cooldown: the alert then carries ``suppressed``. ``since``: rule
    id → number of the last event before the rule was there; it looks forward only. A pattern that runs out of time
    does not match, and is logged once a call.
    """
    trial = Trial()
    groups: defaultdict[_Group, dict[str, Event]] = defaultdict(dict)
    for event in events:
        for rule, facts in rules.matcher.matching(event, trial):
            if _is_older(event, rule, since) or not counts(rule, facts):
                continue
            groups[_Group(rule.id, event.batch, group_key(rule, event))][event.id] = event
    alerts = [
        _alert(rules.by_id[group.rule], group, tuple(found.values()), now, last_alert_at)
        for group, found in groups.items()
    ]
    for pattern, times in trial.timeouts.items():
        _log.warning("pattern %r ran out of time %d times and did not match; make it simpler", pattern, times)
    return tuple(sorted(alerts, key=_order))


def counts(rule: Rule, facts: Facts) -> bool:
    """Tell whether an event whose conditions hold is worth an alert, given what was before it.

    An addition is. A change of a result is if one of the rule's fields changed. With ``when``, a change is if the
    conditions did not hold before; without it, a figure's change is if it moved by more than the tolerance.
    """
    event = facts.event
    if not event.kind.endswith(".changed"):
        return True
    if rule.watch == "result" and event.fields and not set(event.fields) & set(rule.fields):
        return False
    if rule.when is not None:
        return not _held_before(rule, facts)
    return not WATCHES[rule.watch].moves or _moved(rule, event)


def _held_before(rule: Rule, facts: Facts) -> bool:
    event = facts.event
    if event.before is None or event.after is None or rule.when is None:
        return False
    earlier = Facts(replace(event, after=event.before, before=None), facts.trial)
    return all(compile_condition(part, rule.watch)(earlier) for part in (rule.scope, rule.when))


def _moved(rule: Rule, event: Event) -> bool:
    figure = WATCHES[rule.watch].figure or ""
    after = _figure(rule, figure, event)
    before = _figure(rule, f"before.{figure}", event)
    if after is None or before is None or before == 0:
        return after != before
    return abs(after / before - 1) > rule.tolerance


def _figure(rule: Rule, name: str, event: Event) -> float | None:
    """The figure that the rule is about: a comparison per system is about the ratio of the rows."""
    if rule.watch == "comparison" and rule.per == "system":
        name = name.replace("ratio", "row_ratio")
    field = field_of(rule.watch, name)
    raw = field.raw(event, event.subject) if field else None
    return float(raw) if isinstance(raw, int | float) else None


def _is_older(event: Event, rule: Rule, since: Mapping[str, int] | None) -> bool:
    return since is not None and event.number is not None and event.number <= since.get(rule.id, -1)


def group_key(rule: Rule, event: Event) -> str:
    """Return the readable, stable name of the group that an event belongs to under a rule.

    With ``group_by``: "round=v6.1, submitter=NVIDIA". Without: what happened and to what, so that a cooldown knows
    the same thing again.
    """
    if not rule.group_by:
        return f"{event.kind.partition('.')[2]} {WATCHES[rule.watch].identity(event.subject)}"
    parts = []
    for name in rule.group_by:
        field = field_of(rule.watch, name)
        words = show(field, event) if field else ()
        parts.append(f"{name}={'+'.join(sorted(words)) or 'none'}")
    return ", ".join(parts)


def _alert(
    rule: Rule, group: _Group, events: tuple[Event, ...], now: datetime, last_alert_at: LastAlert | None
) -> Alert:
    events = tuple(sorted(events, key=_reading_order))
    last = last_alert_at(rule.id, group.group) if last_alert_at and rule.cooldown else None
    return Alert(
        rule=rule.id,
        title=fill_title(rule.title, rule.watch, events),
        severity=rule.severity,
        batch=group.batch,
        group=group.group,
        events=events,
        figures=tuple(e.subject for e in events if isinstance(e.subject, _FIGURES)),
        receivers=rule.receivers,
        created_at=now,
        digest_only=rule.digest_only,
        suppressed=cooldown_reason(rule, last, now),
    )


_FIGURES = (Comparison, Scaling, Gain, Record, Rank, Promise, CheckedClaim)


def cooldown_reason(rule: Rule, last_alert_at: datetime | None, now: datetime) -> str | None:
    """Say why an alert is kept back by its rule's cooldown; None if it is not."""
    if rule.cooldown is None or last_alert_at is None:
        return None
    again = last_alert_at + timedelta(seconds=rule.cooldown)
    if now >= again:
        return None
    return f"cooldown: told at {_minute(last_alert_at)}, again from {_minute(again)}"


def overdue(rules: RuleSet, fired: Collection[str], now: datetime) -> tuple[Alert, ...]:
    """Return one alert for each enabled rule whose deadline has passed and that is not in ``fired``.

    ``fired``: ids of the rules that have fired. The alert's batch and group are always the same for a rule and its
    deadline, so that recording it again is no second alert.
    """
    return tuple(
        Alert(
            rule=rule.id,
            title=f"{rule.id} has not fired by {rule.until:%d %B %Y}".replace(" 0", " "),
            severity=rule.severity,
            batch=DEADLINE,
            group=f"until {_minute(rule.until)}",
            events=(),
            receivers=rule.receivers,
            created_at=now,
            digest_only=rule.digest_only,
        )
        for rule in sorted(rules.rules, key=lambda rule: rule.id)
        if rule.enabled and rule.until is not None and rule.until <= now and rule.id not in fired
    )


def _minute(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%MZ")


def _order(alert: Alert) -> tuple[Any, ...]:
    return (-SEVERITIES.index(alert.severity), alert.rule, alert.batch, alert.group)


def _reading_order(event: Event) -> tuple[Any, ...]:
    """As people read a table: whose system, how large, benchmark, scenario; then what else tells events apart."""
    row = _row(event.subject)
    if row is None:
        return (
            "",
            0,
            "",
            0,
            "",
            event.kind,
            WATCHES[event.kind.partition(".")[0]].identity(event.subject),
            event.id,
        )
    scenario = SCENARIOS.index(row.scenario) if row.scenario in SCENARIOS else len(SCENARIOS)
    return (
        row.submitter.casefold(),
        row.accelerator_count or 0,
        row.benchmark,
        scenario,
        row.accuracy_target or "",
        event.kind,
        "/".join(row.key),
        event.id,
    )


_ROW_OF = (
    (Comparison, "subject"),
    (Scaling, "large"),
    (Gain, "after"),
    (Record, "best"),
    (Rank, "result"),
    (Promise, "preview"),
)


def _row(subject: Any) -> Result | None:
    """The published row that stands for a subject."""
    for kind, name in _ROW_OF:
        if isinstance(subject, kind):
            return getattr(subject, name)  # type: ignore[no-any-return]
    return subject if isinstance(subject, Result) else None
