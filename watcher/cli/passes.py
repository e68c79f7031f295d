"""``run``: one pass for cron; and the report that ``run``, ``ingest`` and ``demo`` share."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.session import Session, command, watched_by_a_person
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.config import Config
    from watcher.domain import Alert, Source
    from watcher.pipeline.one_pass import Pass
    from watcher.pipeline.parts import Watcher

SOURCE_TROUBLE, DELIVERY_TROUBLE = 3, 4
PING_SECONDS = 10.0  # for the whole of a ping


@command("run")
@click.argument("names", nargs=-1, metavar="[SOURCE…]")
@click.option("--dry-run", is_flag=True, help="Say which sources are due and what is owed; do nothing.")
@click.option("--deadline", metavar="DURATION", help='Stop between steps after this long, such as "4m".')
def run(session: Session, names: tuple[str, ...], *, dry_run: bool, deadline: str | None) -> int:
    """Make one pass: due sources, rules, deliveries, due digest.

    Made for cron. Named sources are checked now, due or not. Nothing is said unless something is wrong.

    \b
    */5 * * * *  mlperf-watcher --config /etc/mlperf-watcher/watcher.toml run
    mlperf-watcher run mlcommons-inference
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.pipeline.one_pass import run_pass  # noqa: PLC0415 - brings the store

    only = [source_named(session, name) for name in names] if names else None
    if not session.sources and (session.verbose or watched_by_a_person()):
        from watcher.cli.status import NO_SOURCE  # noqa: PLC0415

        session.say(f"nothing is watched: {NO_SOURCE}")
    if dry_run:
        return _dry_run(session, only)
    started = time.monotonic()
    limit = _seconds(deadline) or session.config.deadline
    with session.store() as store, store.lock():
        watcher = session.watcher(store)
        with _Progress(watcher, only, session) as step:
            done = run_pass(
                watcher, session.now, only=only, progress=step,
                stop=lambda: limit is not None and time.monotonic() - started > limit,
            )  # fmt: skip
        housekeeping(watcher)
        code = report_pass(session, watcher, done)
        if code == 0:
            ping(session.config)
        return code


def report_pass(session: Session, watcher: Watcher, done: Pass, *, first: Sequence[str] = ()) -> int:
    """Print what a pass did; return its exit code. ``first``: lines for people that go before the alerts."""
    document, code = pass_document(watcher, done), exit_code(watcher)
    for name in worth_saying(session, watcher, done):
        session.say(f"{name}: {done.checked.failed[name]}")
    for name, count in done.checked.baselines.items():
        session.say(f"{name}: recorded {count} results as the baseline; later changes are news")

    def text() -> str | None:
        lines = [*first, *(f"{alert.name} {alert.severity}: {alert.title}" for alert in done.alerts)]
        return "\n".join(lines) or None

    session.emit(document, text)
    return code


def worth_saying(session: Session, watcher: Watcher, done: Pass) -> tuple[str, ...]:
    """Return the failed checks to speak of: all where a person looks, else those that need one.

    A single failure is tried again soon and would only fill the mailbox of cron; the third in a row is trouble.
    """
    failed = tuple(done.checked.failed)
    if not failed or session.verbose or watched_by_a_person():
        return failed
    from watcher.pipeline.standing import standing  # noqa: PLC0415 - only where a check failed

    in_trouble = standing(watcher).sources_in_trouble
    return tuple(name for name in failed if name in in_trouble)


def pass_document(watcher: Watcher, done: Pass) -> dict[str, Any]:
    """Return the JSON document of a pass."""
    return {
        "sources": {
            "checked": len(done.checked.checked),
            "unchanged": len(done.checked.unchanged),
            "failed": len(done.checked.failed),
        },
        "events": watcher.store.events.counts(after=done.start.event),
        "alerts": alert_forms(
            watcher.store.events.alerts("WHERE number > ? ORDER BY number", (done.start.alert,))
        ),
        "deliveries": {"sent": done.sent, "pending": len(watcher.store.outbox.open()), "failed": done.failed},
    }


def alert_forms(alerts: Sequence[Alert]) -> list[dict[str, Any]]:
    """Return the JSON form of alerts, with their rows and figures."""
    if not alerts:
        return []
    from watcher.cli.forms import figure_form  # noqa: PLC0415
    from watcher.figures.json_form import result_form  # noqa: PLC0415

    return [
        {
            "id": alert.name,
            "rule": alert.rule,
            "title": alert.title,
            "severity": alert.severity,
            "rows": [result_form(row) for row in alert.rows],
            "figures": [figure_form(figure) for figure in alert.figures],
            "suppressed": alert.suppressed,
        }
        for alert in alerts
    ]


def exit_code(watcher: Watcher) -> int:
    """Return 3 if a source is failing, stale or held back, else 4 if a delivery is failing, else 0."""
    from watcher.pipeline.standing import standing  # noqa: PLC0415

    found = standing(watcher)
    if found.sources_in_trouble or found.held_back:
        return SOURCE_TROUBLE
    return DELIVERY_TROUBLE if found.deliveries_in_trouble else 0


def source_named(session: Session, name: str) -> Source:
    """Return a source in force by its name. Raises UsageError with the nearest."""
    from watcher.nearest import did_you_mean  # noqa: PLC0415

    names = {source.name: source for source in session.sources}
    if name not in names:
        raise UsageError(f"there is no source {name!r}{did_you_mean(name, names)}")
    return names[name]


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    from watcher.durations import seconds  # noqa: PLC0415

    read = seconds(text)
    if read is None:
        raise UsageError(f'--deadline must be a duration such as "4m", not {text!r}')
    return read


def _dry_run(session: Session, only: list[Source] | None) -> int:
    from watcher.pipeline.delivering import due_bundles  # noqa: PLC0415
    from watcher.pipeline.due import due_sources  # noqa: PLC0415

    with session.store(read_only=True) as store:
        watcher = session.watcher(store)
        _ = watcher.rules
        due = only if only is not None else due_sources(watcher, session.now)
        owed = [delivery for bundle in due_bundles(watcher, session.now) for delivery in bundle.deliveries]
    document = {
        "sources": [source.name for source in due],
        "deliveries": [{"receiver": each.receiver, "about": each.about} for each in owed],
    }

    def text() -> str:
        lines = [f"would check {source.name} ({source.url})" for source in due] or ["no source is due"]
        lines.append(f"would send {len(owed)} deliveries" if owed else "nothing is owed")
        return "\n".join(lines)

    session.emit(document, text)
    return 0


def housekeeping(watcher: Watcher) -> None:
    """Keep fetched documents within their size."""
    with watcher.store.write():
        watcher.store.sources.prune_documents(watcher.config.keep_documents)


def ping(config: Config, *, seconds: float = PING_SECONDS) -> None:
    """Tell an outside monitor that a good pass was made (a dead man's switch); its trouble is only logged."""
    if config.ping_url is None:
        return
    import logging  # noqa: PLC0415
    from http.client import HTTPException  # noqa: PLC0415 - only where a ping is configured

    from watcher.notifiers.answers import AsAnswered  # noqa: PLC0415
    from watcher.notifiers.timed import opener, within  # noqa: PLC0415

    try:
        with opener(within(seconds), AsAnswered()).open(config.ping_url.reveal()):
            return
    except (OSError, HTTPException, ValueError) as error:  # a redirect or a refusal is an OSError, too
        logging.getLogger("watcher.ping").warning(
            "the ping after a good pass failed: %s", type(error).__name__
        )


class _Progress:
    """A progress bar on standard error while sources are checked and a person watches."""

    def __init__(self, watcher: Watcher, only: list[Source] | None, session: Session) -> None:
        self._bar: Any = None
        if session.quiet or session.as_json or not watched_by_a_person():
            return
        from watcher.pipeline.due import due_sources  # noqa: PLC0415

        total = len(only) if only is not None else len(due_sources(watcher, session.now))
        if total > 1:
            self._bar = click.progressbar(length=total, label="checking sources", file=sys.stderr)

    def __enter__(self) -> Callable[[str], None]:
        bar = self._bar
        if bar is None:
            return lambda _name: None
        bar.__enter__()
        return lambda _name: bar.update(1)

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()
