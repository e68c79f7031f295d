"""``alerts``: what fired, why, and what became of each delivery; silences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.domain import Alert
    from watcher.outbox import Delivery
    from watcher.store import Store


@click.group("alerts", context_settings={"help_option_names": ["-h", "--help"]})
def alerts() -> None:
    """What fired, and its deliveries."""


@command("list")
@click.option("--rule", help="Only of this rule.")
@click.option("--since", metavar="DATE", help="Only since this date, such as 2026-09-16.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most so many, the newest."
)
def listing(session: Session, *, rule: str | None, since: str | None, limit: int) -> None:
    """List alerts, the newest last.

    \b
    mlperf-watcher alerts list --since 2026-09-16
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    where, values = ["1"], list[Any]()
    if rule:
        where.append("rule = ?")
        values.append(rule)
    if since:
        where.append("created_at >= ?")
        values.append(_date(since))
    with session.store(read_only=True) as store:
        found = store.events.alerts(
            f"WHERE {' AND '.join(where)} ORDER BY number DESC LIMIT ?", (*values, limit)
        )[::-1]
        owed = {alert.number: store.outbox.of_alert(alert.number or 0) for alert in found}
    if rule and not found:
        from watcher.cli.rules import load  # noqa: PLC0415 - brings the rules
        from watcher.cli.why import rule_named  # noqa: PLC0415

        rule_named(load(session), rule)
    document = {
        "alerts": [
            {
                **_head(alert),
                "deliveries": [
                    {"receiver": each.receiver, "state": each.state} for each in owed[alert.number]
                ],
            }
            for alert in found
        ]
    }

    def text() -> str:
        lines = []
        for alert in found:
            states = ", ".join(
                f"{each.receiver} {each.state.replace('_', ' ')}" for each in owed[alert.number]
            )
            lines.append(
                f"{alert.name}  {alert.created_at:%Y-%m-%d %H:%M}  {alert.severity:<8}  {alert.title}"
                + (f"  [{alert.suppressed}]" if alert.suppressed else "") + (f"  → {states}" if states else "")
            )  # fmt: skip
        return "\n".join(lines) or ("None that fits." if rule or since else "No alert yet.")

    session.emit(document, text)


@command("show")
@click.argument("name", metavar="ID")
def show(session: Session, *, name: str) -> None:
    """Show an alert, its evidence and each delivery attempt.

    Also the change, and the document it came from.

    \b
    mlperf-watcher alerts show A-0142
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.cli.forms import figure_form  # noqa: PLC0415
    from watcher.figures.json_form import not_comparable_form, result_form  # noqa: PLC0415

    with session.store(read_only=True) as store:
        alert = find(store, name)
        owed = store.outbox.of_alert(alert.number or 0)
        attempts = {each.number: store.outbox.attempts(each.number) for each in owed}
        documents = store.sources.document_names(alert.batch)
    document = {
        **_head(alert),
        "rows": [result_form(row) for row in alert.rows],
        "figures": [figure_form(figure) for figure in alert.figures],
        "not_comparable": [not_comparable_form(cell) for cell in alert.not_comparable],
        "events": [
            {
                "number": e.number,
                "kind": e.kind,
                "occurred_at": e.occurred_at,
                "fields": e.fields,
                "source": e.source,
            }
            for e in alert.events
        ],
        "documents": [{"digest": digest, "url": url} for digest, url in documents],
        "deliveries": [
            {**_delivery(each), "attempts": [_attempt(a) for a in attempts[each.number]]} for each in owed
        ],
    }

    def text() -> str:
        from watcher.notifiers.text import plain  # noqa: PLC0415
        from watcher.render.alert import alert_notification  # noqa: PLC0415

        lines = [
            plain(alert_notification([alert], now=session.now, base_url=session.config.base_url)).rstrip(),
            "",
        ]
        lines += [
            f"event {e.number}: {e.kind} at {e.occurred_at:%Y-%m-%d %H:%M} UTC, recorded by {e.batch}"
            for e in alert.events[:20]
        ]
        if len(alert.events) > 20:
            lines.append(f"… and {len(alert.events) - 20} more events (--json lists all)")
        lines += [f"document {digest[:12]}: {url}" for digest, url in documents]
        for each in owed:
            lines.append(
                f"{each.receiver}: {each.state.replace('_', ' ')}"
                + (f" ({each.reason})" if each.reason else "")
            )
            lines += [
                f"  try {a.attempt} at {a.at:%Y-%m-%d %H:%M} UTC: {a.outcome}{f': {a.detail}' if a.detail else ''}"
                for a in attempts[each.number]
            ]
        return "\n".join(lines)

    session.emit(document, text)


@command("silence")
@click.option(
    "--match",
    "matchers",
    multiple=True,
    metavar="FIELD=TEXT",
    help="Such as rule=new-submitter; repeatable, all must hold.",
)
@click.option("--for", "duration", metavar="DURATION", help='How long, such as "2h" or "3d".')
@click.option("--comment", help="Why.")
@click.option("--author", help="Who; default: the user's name.")
@click.option("--end", type=int, metavar="NUMBER", help="End a silence now.")
def silence(
    session: Session,
    *,
    matchers: tuple[str, ...],
    duration: str | None,
    comment: str | None,
    author: str | None,
    end: int | None,
) -> None:
    """Hold alerts back for a while.

    What is held back is recorded with its reason and counted in the digest. Without options: the silences there are.

    \b
    mlperf-watcher alerts silence --match rule=record-beaten --for 2d --comment "publication day"
    mlperf-watcher alerts silence --end 3
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.quiet import Silence, matcher  # noqa: PLC0415

    with session.store(read_only=not (matchers or end)) as store:
        if end is not None:
            with store.write():  # not the lock: a daemon holds it, and this is the hour for silences
                if not store.outbox.end_silence(end, session.now):
                    raise UsageError(f"there is no silence {end} in force")
        elif matchers:
            wanted = matcher(matchers)
            _known(session, wanted)
            made = Silence(
                matcher=wanted, author=author or _user(), comment=_needed(comment, "--comment"),
                created_at=session.now, expires_at=session.now + _duration(_needed(duration, "--for")),
            )  # fmt: skip
            with store.write():
                store.outbox.add_silence(made)
        found = store.outbox.silences(session.now)
    document = {
        "silences": [
            {
                "number": each.number, "matcher": dict(each.matcher), "author": each.author, "comment": each.comment,
                "expires_at": each.expires_at,
            }
            for each in found
        ]
    }  # fmt: skip

    def text() -> str:
        lines = [
            f"{each.number}  until {each.expires_at:%Y-%m-%d %H:%M} UTC  "
            + ", ".join(f"{key}={','.join(value)}" for key, value in each.matcher.items())
            + f"  ({each.author}: {each.comment})"
            for each in found
        ]
        return "\n".join(lines) or "No silence is in force."

    session.emit(document, text)


alerts.add_command(listing)
alerts.add_command(show)
alerts.add_command(silence)


def find(store: Store, name: str) -> Alert:
    """Return an alert by the id that people see. Raises UsageError."""
    digits = re.fullmatch(r"(?:A-)?0*(\d+)", name.strip(), re.IGNORECASE)
    alert = store.events.alert(int(digits[1])) if digits else None
    if alert is None:
        last = store.events.last_alert_number()
        raise UsageError(
            f"there is no alert {name!r}; "
            + (f"the newest is A-{last:04d}" if last else "none has fired yet")
        )
    return alert


def _head(alert: Alert) -> dict[str, Any]:
    return {
        "id": alert.name,
        "rule": alert.rule,
        "title": alert.title,
        "severity": alert.severity,
        "group": alert.group,
        "created_at": alert.created_at,
        "batch": alert.batch,
        "suppressed": alert.suppressed,
    }


def _delivery(delivery: Delivery) -> dict[str, Any]:
    return {
        "receiver": delivery.receiver,
        "state": delivery.state,
        "message": delivery.message,
        "sent_at": delivery.sent_at,
        "next_attempt_at": delivery.next_attempt_at if delivery.sent_at is None else None,
        "gave_up_at": delivery.gave_up_at,
        "last_error": delivery.last_error,
        "reason": delivery.reason,
    }


def _attempt(attempt: Any) -> dict[str, Any]:
    return {
        "at": attempt.at,
        "attempt": attempt.attempt,
        "outcome": attempt.outcome,
        "detail": attempt.detail,
    }


def _date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise UsageError(f"--since must be a date such as 2026-09-16, not {text!r}") from error


def _known(session: Session, wanted: Mapping[str, Sequence[str]]) -> None:
    """Refuse a rule, watch or severity that there is not: its silence would hold nothing back. Patterns may come true."""
    from watcher.cli.rules import load  # noqa: PLC0415 - brings the rules
    from watcher.domain import SEVERITIES  # noqa: PLC0415
    from watcher.nearest import did_you_mean  # noqa: PLC0415
    from watcher.rules.watches import WATCHES  # noqa: PLC0415

    for field, words in wanted.items():
        known = {"severity": tuple(SEVERITIES), "watch": tuple(WATCHES)}.get(field, ())
        if field == "rule":
            known = tuple(load(session).by_id)
        for word in words if known else ():
            if not set(word) & set("*?[") and word.casefold() not in {name.casefold() for name in known}:
                raise UsageError(f"there is no {field} {word!r}{did_you_mean(word, known)}")


def _needed(value: str | None, option: str) -> str:
    if not value:
        raise UsageError(f"a silence needs {option}")
    return value


def _duration(text: str) -> timedelta:
    from watcher.durations import seconds  # noqa: PLC0415

    read = seconds(text)
    if read is None:
        raise UsageError(f'--for must be a duration such as "2h" or "3d", not {text!r}')
    return timedelta(seconds=read)


def _user() -> str:
    import getpass  # noqa: PLC0415

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
