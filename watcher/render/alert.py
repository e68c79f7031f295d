"""Alerts → one Notification: what happened, the figures side by side, what to beware of, what is missing, where to look."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from watcher.domain import SEVERITIES, Alert, Comparison, Gain, Link, Notification, Record, Scaling, Section
from watcher.render import words
from watcher.render.caveats import alert_url, care_section, missing_sections, where_section
from watcher.render.story import Story
from watcher.render.story_figures import comparison, gain, record, scaling
from watcher.render.story_news import claim, deadline, new_name, post, published_round, source
from watcher.render.story_own import promise, rank
from watcher.render.story_rows import result

LISTED = 30  # alerts that a message about many names; the rest is counted
_SIGNS = {"info": "🔵", "high": "🔴", "critical": "🚨"}
_RESOLVED = "✅"

STORIES: Mapping[str, Callable[[Alert], Story]] = {
    "result": result,
    "comparison": comparison,
    "scaling": scaling,
    "gain": gain,
    "record": record,
    "name": new_name,
    "round": published_round,
    "source": source,
    "post": post,
    "claim": claim,
    "rank": rank,
    "promise": promise,
}
_FIGURES = {"comparison": Comparison, "scaling": Scaling, "gain": Gain, "record": Record}


def alert_notification(
    alerts: Sequence[Alert], *, now: datetime, base_url: str | None = None, possible_repeat: bool = False
) -> Notification:
    """Return the message about one alert, or about several as one.

    ``now`` becomes ``created_at``; ``base_url`` is where alerts have pages of their own, if anywhere. The id is that of
    the alerts; who sends it may put the delivery's stable id in its place.
    """
    if len(alerts) == 1:
        return _one(alerts[0], now, base_url, possible_repeat=possible_repeat)
    return _many(alerts, now, base_url, possible_repeat=possible_repeat)


def story(alert: Alert) -> Story:
    """Return what an alert tells, by what its rule watches; an alert without events tells of a deadline."""
    if not alert.events:
        return deadline(alert)
    watch = alert.events[0].kind.partition(".")[0]
    needed = _FIGURES.get(watch)
    if watch not in STORIES or (needed and not any(isinstance(figure, needed) for figure in alert.figures)):
        return Story(f"{words.plural(len(alert.events), 'event')} of the kind {alert.events[0].kind}")
    return STORIES[watch](alert)


def _one(alert: Alert, now: datetime, base_url: str | None, *, possible_repeat: bool) -> Notification:
    told = story(alert)
    sections = [*told.sections]
    if _about_figures(alert):
        care = care_section(alert)
        sections += [care] if care is not None else []
    if _about_power(alert):
        sections += missing_sections(alert)
    sections.append(where_section(alert, base_url))
    return Notification(
        id=_identity([alert]),
        kind="alert",
        title=alert.title,
        severity=alert.severity,
        summary=words.capital(told.summary),
        created_at=now,
        sections=tuple(section for section in sections if section != Section()),
        alerts=(alert.name,) if alert.number is not None else (),
        rules=(alert.rule,),
        footer=" · ".join([*_private([alert]), alert.name, *_late(alert, now)]),
        possible_repeat=possible_repeat,
        see_all=f"mlperf-watcher alerts show {alert.name}" if alert.number is not None else None,
        resolved=_resolved(alert),
    )


def _about_figures(alert: Alert) -> bool:
    """Whether there are figures that a reader may use, so that he must know what to beware of."""
    kinds = {event.kind for event in alert.events}
    return bool(kinds & {"result.added", "result.restored"}) or any(
        isinstance(f, tuple(_FIGURES.values())) for f in alert.figures
    )


def _about_power(alert: Alert) -> bool:
    """Whether somebody may look for power in it: rows that are new, and two systems side by side."""
    return any(
        event.kind.partition(".")[0] in {"result", "comparison"} for event in alert.events
    ) and _about_figures(alert)


def _resolved(alert: Alert) -> bool:
    """Whether an alert only tells that what was in trouble works again."""
    return bool(alert.events) and all(event.kind == "source.recovered" for event in alert.events)


def _sign(alert: Alert) -> str:
    return _RESOLVED if _resolved(alert) else _SIGNS.get(alert.severity, "")


def _private(alerts: Sequence[Alert]) -> list[str]:
    """Mark what is under embargo, wherever it is shown."""
    return (
        ["PRIVATE, under embargo"] if any(event.private for alert in alerts for event in alert.events) else []
    )


def _late(alert: Alert, now: datetime) -> list[str]:
    """Say when it happened if this message comes much later: the receiver was away, or it was quiet."""
    if alert.created_at is None or (now - alert.created_at).total_seconds() < 3600:
        return []
    return [f"found {words.moment(alert.created_at)}"]


def _many(
    alerts: Sequence[Alert], now: datetime, base_url: str | None, *, possible_repeat: bool
) -> Notification:
    ordered = sorted(
        alerts, key=lambda a: (-SEVERITIES.index(a.severity), a.created_at or now, a.number or 0)
    )
    counts = {severity: sum(1 for a in alerts if a.severity == severity) for severity in reversed(SEVERITIES)}
    said = words.joined(f"{count:,} {severity}" for severity, count in counts.items() if count)
    numbers = [
        alert.name for alert in sorted(alerts, key=lambda a: a.number or 0) if alert.number is not None
    ]
    span = f"{numbers[0]} to {numbers[-1]}" if numbers else ""
    bullets = [f"{_sign(a)} {a.name} {a.title}" for a in ordered[:LISTED]]
    if len(ordered) > LISTED:
        bullets.append(f"and {words.plural(len(ordered) - LISTED, 'more alert')}")
    pages = [
        Link(text=a.name, url=alert_url(base_url, a))
        for a in ordered[:6]
        if base_url and a.number is not None
    ]
    oldest = min((a.created_at for a in alerts if a.created_at is not None), default=now)
    since = f" since {words.moment(oldest)}" if (now - oldest).total_seconds() >= 3600 else ""
    commands = ["mlperf-watcher alerts list", *(f"mlperf-watcher alerts show {name}" for name in numbers[:1])]
    return Notification(
        id=_identity(alerts),
        kind="alerts",
        title=f"{words.plural(len(alerts), 'alert')}: {ordered[0].title}" if len(alerts) > 1 else "No alerts",
        severity=ordered[0].severity if ordered else "info",
        summary=f"{words.plural(len(alerts), 'alert')}{since}, together in one message: {said or 'none'}",
        created_at=now,
        sections=(
            *([Section(bullets=tuple(bullets))] if bullets else []),
            Section(heading="Where to look", bullets=tuple(commands), links=tuple(pages)),
        ),
        alerts=tuple(numbers),
        rules=tuple(dict.fromkeys(alert.rule for alert in ordered)),
        footer=" · ".join([*_private(alerts), span] if span else _private(alerts)),
        possible_repeat=possible_repeat,
        see_all="mlperf-watcher alerts list",
    )


def _identity(alerts: Sequence[Alert]) -> str:
    """Return an id that is the same whenever the same alerts are put into one message."""
    parts = sorted(f"{alert.rule}\n{alert.batch}\n{alert.group}" for alert in alerts)
    return f"mw-{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:20]}"
