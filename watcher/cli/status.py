"""``status``: is everything well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from watcher.cli.session import Session, command

if TYPE_CHECKING:
    from watcher.pipeline.standing import Standing


NO_SOURCE = (
    "no source is in force, so only `ingest` brings results; "
    "turn groups on with watcher.groups in the config (`mlperf-watcher sources list --all` shows them)"
)


@command("status")
def status(session: Session) -> int:
    """Say how sources, tables, deliveries and digests stand.

    Exit 0, 3 (a source) or 4 (a delivery).

    \b
    mlperf-watcher status
    mlperf-watcher status --json
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.cli.passes import exit_code  # noqa: PLC0415 - brings the pipeline
    from watcher.pipeline.standing import standing  # noqa: PLC0415

    with session.store(read_only=True) as store, store.reading():
        watcher = session.watcher(store)
        found = standing(watcher)
        code = exit_code(watcher)
        results = sum(table.results for table in found.tables)
        place = str(session.state) + ("" if session.state.exists() else " (not there yet: nothing is held)")
        session.emit(document(found), lambda: text(found, place, results))
    return code


def document(found: Standing) -> dict[str, Any]:
    """Return the JSON document of ``status``."""
    return {
        "healthy": found.healthy,
        "warnings": warnings(found),
        "sources": [
            {
                "name": source.name,
                "kind": source.kind,
                "url": source.url,
                "last_success": state.succeeded_at,
                "failures": state.failures,
                "failure": state.failure,
                "last_error": state.last_error,
                "stale": state.stale,
                "next_check": state.next_check_at,
            }
            for source, state in found.sources
        ],
        "tables": [
            {
                "suite": table.suite,
                "round": table.round,
                "results": table.results,
                "source": table.source,
                "polled_at": table.polled_at,
                "held_back": table.held_back_reason,
                "private": table.private,
            }
            for table in found.tables
        ],
        "outbox": dict(found.deliveries),
        "oldest_delivery": found.oldest_open,
        "failing_deliveries": found.failing_deliveries,
        "broken_receivers": {name: reason for name, (_, reason) in found.broken_receivers.items()},
        "last_digest": dict(found.last_digest),
    }


def warnings(found: Standing) -> list[str]:
    """Return what is as it was asked for, and hardly meant so; it is no trouble of a source or delivery."""
    if not found.sources:
        return [f"Nothing is watched: {NO_SOURCE}."]
    if all(state.checked_at is None for _, state in found.sources):
        return [
            "Nothing was checked yet: `mlperf-watcher run` makes the first pass (cron or the daemon the later ones)."
        ]
    return []


def text(found: Standing, place: str, results: int) -> str:
    """Return ``status`` for people."""
    from watcher.render.words import plural  # noqa: PLC0415

    cautions = warnings(found)
    lines = ["Something needs you:"] if not found.healthy else [] if cautions else ["All is well."]
    lines += [
        f"  held back: {table.suite} {table.round}: {table.held_back_reason}"
        + (
            ""
            if "--accept" in (table.held_back_reason or "")
            else "; if it is right: `mlperf-watcher ingest FILE --accept`"
        )
        for table in found.held_back
    ]
    for source, state in found.sources:
        if not state.healthy:
            since = state.failing_since or state.succeeded_at
            word = "stale" if state.stale and not state.failing else f"failing ({state.failure})"
            lines.append(
                f"  {source.name}: {word}, {state.failures} in a row since {_time(since)}: {state.last_error or 'no success'}; "
                f"`mlperf-watcher sources check {source.name}` shows each step"
            )
    for name, (at, reason) in found.broken_receivers.items():
        lines.append(
            f"  receiver {name}: broken since {_time(at)}: {reason}; put it right, then {_mending(name)}"
        )
    for name, (count, error) in found.tried_in_vain.items():
        if name not in found.broken_receivers:
            owed = plural(count, "delivery waits", "deliveries wait")
            lines.append(
                f"  receiver {name}: {owed} for another try: {error or 'no answer'}; once it works, {_mending(name)}"
            )
    lines += cautions
    never = sum(1 for _, state in found.sources if state.succeeded_at is None)
    lines.append(
        f"Sources: {len(found.sources)}" + (f", {never} not checked yet" if never else "")
        + f" · results held: {results:,} in {plural(len(found.tables), 'table')}"
    )  # fmt: skip
    if found.deliveries:
        counts = (f"{count:,} {state.replace('_', ' ')}" for state, count in found.deliveries.items())
        lines.append(f"Deliveries: {', '.join(counts)}")
    for receiver, date in found.last_digest.items():
        lines.append(f"Last digest to {receiver}: {date}")
    private = [f"{table.suite} {table.round}" for table in found.tables if table.private]
    if private:
        lines.append(f"Under embargo: {', '.join(private)}")
    lines.append(f"State: {place}")
    return "\n".join(lines)


def _mending(receiver: str) -> str:
    return f"`mlperf-watcher send-test {receiver.partition('/')[0]}`: what it is owed is then due with the next run"


def _time(at: object) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC" if at is not None else "never"
