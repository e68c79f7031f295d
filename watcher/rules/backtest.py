"""What rules would have fired over batches of events, in order; nothing is sent or recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Alert, Event
from watcher.rules.evaluate import evaluate
from watcher.rules.rule import Rule, RuleSet, rule_set


def _counted(count: int, noun: str, nouns: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


class Backtest(Struct, frozen=True):
    """The alerts of a backtest, oldest first; ``events`` and ``batches`` are how many were looked at."""

    alerts: tuple[Alert, ...]
    events: int
    batches: int

    @property
    def text(self) -> str:
        """The alerts by date, a line each."""
        head = (
            f"{_counted(len(self.alerts), 'alert')} over {_counted(self.events, 'event')} "
            f"in {_counted(self.batches, 'batch', 'batches')}; nothing was sent"
        )
        return "\n".join([head, *(_line(alert) for alert in self.alerts)])

    def as_dict(self) -> dict[str, Any]:
        """Return the backtest as JSON values."""
        return {
            "events": self.events,
            "batches": self.batches,
            "alerts": [
                {
                    "date": alert.created_at.isoformat() if alert.created_at else None,
                    "rule": alert.rule,
                    "title": alert.title,
                    "severity": alert.severity,
                    "group": alert.group,
                    "events": len(alert.events),
                    "suppressed": alert.suppressed,
                }
                for alert in self.alerts
            ],
        }


def backtest(rules: RuleSet | Rule, batches: Iterable[Sequence[Event]]) -> Backtest:
    """Return what ``rules`` would have fired over ``batches``, each evaluated at the time of its last event.

    Cooldowns work as they would have. A rule alone is tried even if it is not enabled.
    """
    chosen = rules if isinstance(rules, RuleSet) else rule_set([_enabled(rules)])
    alerts: list[Alert] = []
    last: dict[tuple[str, str], datetime] = {}
    events = count = 0
    for batch in batches:
        count += 1
        events += len(batch)
        if not batch:
            continue
        now = max(event.occurred_at for event in batch)
        found = evaluate(chosen, batch, now, last_alert_at=lambda rule, group: last.get((rule, group)))
        last.update({(alert.rule, alert.group): now for alert in found if alert.suppressed is None})
        alerts += found
    return Backtest(tuple(alerts), events, count)


def _enabled(rule: Rule) -> Rule:
    return rule if rule.enabled else replace(rule, enabled=True)


def _line(alert: Alert) -> str:
    day = f"{alert.created_at:%Y-%m-%d}" if alert.created_at else ""
    kept = f" [{alert.suppressed}]" if alert.suppressed else ""
    return f"{day}  {alert.severity:<8}  {alert.rule}: {alert.title}{kept}"
