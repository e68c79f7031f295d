"""``demo``: the whole pipeline on this machine, without network."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from watcher.cli.session import Session, command
from watcher.errors import UsageError


@command("demo")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("out/demo"), show_default=True,
    help="Where the state and the Slack messages are left.",
)  # fmt: skip
def demo(session: Session, *, out: Path) -> None:
    """Replay published rounds and a post, without network.

    All goes through the whole pipeline on this machine. Stand-ins for GitHub, a vendor's feed and Slack run on 127.0.0.1; everything else is the real program.

    \b
    mlperf-watcher demo --out out/demo
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher import logs  # noqa: PLC0415
    from watcher.cli.passes import alert_forms  # noqa: PLC0415
    from watcher.demo.story import play  # noqa: PLC0415

    logs.set_up(sys.stderr, secrets=(), verbosity=int(session.verbose) - 1)
    stream = sys.stderr if session.as_json else sys.stdout

    def say(text: str) -> None:
        if not session.quiet:
            click.echo(text, file=stream)

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be made ({error.strerror})") from error
    told, watcher = play(out, stream=stream, say=say)
    with watcher.store as store:
        document: dict[str, Any] = {
            "sources": {
                "checked": sum(len(done.checked.checked) for done in told.passes),
                "unchanged": sum(len(done.checked.unchanged) for done in told.passes),
                "failed": sum(len(done.checked.failed) for done in told.passes),
            },
            "events": store.events.counts(),
            "alerts": alert_forms(store.events.alerts()),
            "deliveries": {
                "sent": sum(done.sent for done in told.passes),
                "pending": len(store.outbox.open()),
                "failed": sum(done.failed for done in told.passes),
            },
            "slack_messages": told.slack_messages,
        }
        count = len(document["alerts"])
    state = out / "watcher.db"
    program = called()
    session.emit(
        document,
        lambda: (
            f"\n{count} alerts, {told.slack_messages} Slack messages in {out / 'slack'}, the state in {state}.\n"
            f"Ask it: {program} --state {state} alerts list\n"
            f"        {program} --state {state} compare NVIDIA/vera-rubin-nvl72@v6.1 NVIDIA/gb300-nvl72@v6.1"
        ),
    )


def called() -> str:
    """Return how the program can be called again from here; `make demo` calls it by a path that the shell does not search."""
    name = "mlperf-watcher"
    if shutil.which(name):
        return name
    return sys.argv[0] if Path(sys.argv[0]).name == name else f"{sys.executable} -m watcher"
