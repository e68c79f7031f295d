"""``export``: what the state holds as CSV or JSON lines, for spreadsheets and other programs."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from watcher.cli.session import Session, command
from watcher.errors import StateError

if TYPE_CHECKING:
    from watcher.domain import Event, Subject
    from watcher.store import Store

Row = dict[str, Any]
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_EVER = (datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC))


@command("export")
@click.argument("what", required=False, default="results", metavar="[WHAT]")
@click.option("--format", "form", type=click.Choice(["csv", "jsonl"]), default="csv", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write it there instead."
)
@click.option("--private", is_flag=True, help="Also tables under embargo.")
def export(session: Session, *, what: str, form: str, out: Path | None, private: bool) -> None:
    """Print what is held, as CSV or JSON lines.

    WHAT is results (if left out), events, alerts, claims or deliveries. CSV leaves the nested parts out (an alert's rows, an event's two sides); JSON lines has them. A text that a
    spreadsheet would take for a formula gets a ' before it.

    \b
    mlperf-watcher export results --out results.csv
    mlperf-watcher export alerts --format jsonl
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    rows_of = _kind(what)
    with session.store(read_only=True) as store:
        rows = rows_of(store, private)
        if session.as_json and out is None:
            session.emit({what: list(rows)}, lambda: None)
            return
        with _target(out) as stream:
            write: Callable[[Iterable[Row], TextIO], int] = write_csv if form == "csv" else write_lines
            count = write(rows, stream)
    if out is not None:
        session.emit({"file": str(out), what: count}, lambda: f"{out}: {count:,} {what}")


def write_csv(rows: Iterable[Row], stream: TextIO) -> int:
    """Write the flat fields of rows as CSV with a header; return how many rows."""
    writer: Any = None
    count = 0
    for row in rows:
        flat = {name: cell(value) for name, value in row.items() if name not in _NESTED}
        if writer is None:
            writer = csv.DictWriter(stream, list(flat), lineterminator="\n")
            writer.writeheader()
        writer.writerow(flat)
        count += 1
    return count


def write_lines(rows: Iterable[Row], stream: TextIO) -> int:
    """Write rows as JSON lines; return how many."""
    count = 0
    for row in rows:
        stream.write(json.dumps(row, ensure_ascii=False, default=_json_value) + "\n")
        count += 1
    return count


def cell(value: Any) -> str | int | float:
    """Return a CSV cell: numbers as they are, texts so that no spreadsheet takes one for a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    text = _CONTROL.sub(" ", _text(value))
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        if set(value) == {"kind", "value", "unit"}:
            return f"{value['kind']} {value['value']} {value['unit']}"
        return json.dumps(value, ensure_ascii=False, default=_json_value) if value else ""
    if isinstance(value, list | tuple):
        return "; ".join(_text(each) for each in value)
    return str(value)


# ------------------------------------------------------------------------------------------------ what there is

_NESTED = frozenset({"rows", "figures", "before", "after", "evidence", "attempts"})


def _results(store: Store, private: bool) -> Iterator[Row]:
    from watcher.figures.json_form import result_form  # noqa: PLC0415

    for result in store.tables.results(private=private):
        yield dict(result_form(result))


def _events(store: Store, private: bool) -> Iterator[Row]:
    for event in store.events.listing(private=private):
        yield _event(event)


def _event(event: Event) -> Row:
    from watcher.cli.why import subject_form  # noqa: PLC0415
    from watcher.domain import Result  # noqa: PLC0415

    before, after, about = event.before, event.after, event.subject
    return {
        "number": event.number,
        "kind": event.kind,
        "occurred_at": event.occurred_at,
        "source": event.source,
        "batch": event.batch,
        "about": _about(about),
        "suite": getattr(about, "suite", None),
        "round": getattr(about, "round", None),
        "submitter": getattr(about, "submitter", None),
        "benchmark": getattr(about, "benchmark", None),
        "scenario": getattr(about, "scenario", None),
        "fields": list(event.fields),
        "value_before": before.value if isinstance(before, Result) else None,
        "value_after": after.value if isinstance(after, Result) else None,
        "unit": about.unit if isinstance(about, Result) else None,
        "url": getattr(about, "url", None),
        "under_embargo": event.private,
        "before": None if before is None else subject_form(before),
        "after": None if after is None else subject_form(after),
    }


def _about(subject: Subject) -> str:
    from watcher.rules.watches import WATCHES  # noqa: PLC0415

    return next(watch.label(subject) for watch in WATCHES.values() if isinstance(subject, watch.subject))


def _alerts(store: Store, private: bool) -> Iterator[Row]:
    del private  # what is under embargo makes no alert
    from watcher.cli.passes import alert_forms  # noqa: PLC0415

    for alert in store.events.alerts():
        (form,) = alert_forms([alert])
        owed = store.outbox.of_alert(alert.number or 0)
        yield {
            "id": alert.name,
            "created_at": alert.created_at,
            "severity": alert.severity,
            "rule": alert.rule,
            "title": alert.title,
            "group": alert.group,
            "suppressed": alert.suppressed,
            "events": len(alert.events),
            "deliveries": [f"{each.receiver}: {each.state}" for each in owed],
            "rows": form["rows"],
            "figures": form["figures"],
        }


def _claims(store: Store, private: bool) -> Iterator[Row]:
    del private  # claims are checked against public rows only
    from watcher.cli.forms import checked_form  # noqa: PLC0415

    for entry in store.posts.claims():
        times = {"made_at": entry.made_at, "checked_at": entry.checked_at, "gone_at": entry.gone_at}
        yield {**checked_form(entry.checked), **times}


def _deliveries(store: Store, private: bool) -> Iterator[Row]:
    del private  # nothing under embargo is owed
    for each in store.outbox.between(*_EVER):
        yield {
            "number": each.number,
            "about": each.about,
            "receiver": each.receiver,
            "state": each.state,
            "created_at": each.created_at,
            "next_attempt_at": each.next_attempt_at if each.sent_at is None else None,
            "sent_at": each.sent_at,
            "gave_up_at": each.gave_up_at,
            "tries": each.attempts,
            "message": each.message,
            "external_id": each.external_id,
            "last_error": each.last_error,
            "reason": each.reason,
            "attempts": [
                {"at": a.at, "attempt": a.attempt, "outcome": a.outcome, "detail": a.detail}
                for a in store.outbox.attempts(each.number)
            ],
        }


KINDS: Mapping[str, Callable[[Store, bool], Iterator[Row]]] = {
    "results": _results,
    "events": _events,
    "alerts": _alerts,
    "claims": _claims,
    "deliveries": _deliveries,
}


def _kind(name: str) -> Callable[[Store, bool], Iterator[Row]]:
    from watcher.nearest import did_you_mean  # noqa: PLC0415

    if name not in KINDS:
        raise click.UsageError(f"cannot export {name!r}{did_you_mean(name, KINDS)}")
    return KINDS[name]


@contextmanager
def _target(out: Path | None) -> Iterator[TextIO]:
    """Write to standard output, or to a new file that takes ``out``'s place when it is whole."""
    if out is None:
        yield sys.stdout
        return
    try:
        handle, name = tempfile.mkstemp(dir=out.absolute().parent, prefix=f".{out.name}.")
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                yield stream
            part.replace(out)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StateError(f"{out}: cannot be written ({error.strerror})") from error


def _json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)
