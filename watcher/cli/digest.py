"""``digest``: the daily summary, now or of a date; as a page, or sent once more."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from datetime import date

    from watcher.config import ReceiverConfig
    from watcher.outbox import Delivery
    from watcher.pipeline.digest_again import Digest
    from watcher.pipeline.parts import Watcher

_DELIVERY_TROUBLE = 4


@command("digest")
@click.option(
    "--date", "of", metavar="DATE", help="Of this local date, such as 2026-09-17: as it was sent, if it was."
)
@click.option("--receiver", metavar="NAME", help="As this receiver gets it: its zone, its last digest.")
@click.option(
    "--preview",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it as an HTML page.",
)
@click.option(
    "--send",
    is_flag=True,
    help="Send it now to the receivers of digests, or to --receiver; the daily one still comes.",
)
def digest(
    session: Session, *, of: str | None, receiver: str | None, preview: Path | None, send: bool
) -> int:
    """Show the daily summary.

    What happened since the last one, or on a date. A date's digest is the one that was sent; where none was, that local date from midnight to midnight.

    \b
    mlperf-watcher digest
    mlperf-watcher digest --date 2026-09-17 --preview digest.html
    mlperf-watcher digest --send --receiver team-mail
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.notifiers import text  # noqa: PLC0415
    from watcher.notifiers.webhook import document  # noqa: PLC0415 - the documented form of a notification

    day = _date(of)
    wanted = _receivers(session, receiver, send=send)
    with session.store(read_only=not send) as store:
        watcher = session.watcher(store)
        shown = _digest(watcher, wanted[0] if wanted else None, day, session)
        sent = _send(watcher, wanted, day, session) if send else []
    if preview is not None:
        _write(session, shown, preview)
    facts, notification = shown.facts, shown.notification
    answer = {
        "digest": {
            "date": facts.day.isoformat(), "zone": facts.zone, "since": facts.since, "until": facts.until,
            "recorded": shown.recorded, **document(notification),
        },
        "preview": preview,
        "sent": [{"receiver": each.receiver, "state": each.state, "last_error": each.last_error} for each in sent],
    }  # fmt: skip

    def words() -> str | None:
        if send:
            return "\n".join(f"{each.receiver}: {_state(each)}" for each in sent)
        return None if preview is not None else text.plain(notification, width=_width()).rstrip("\n")

    session.emit(answer, words)
    return 0 if all(each.state == "sent" for each in sent) else _DELIVERY_TROUBLE


def _date(text: str | None) -> date | None:
    from datetime import date  # noqa: PLC0415 - one use

    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--date must be a date such as 2026-09-17, not {text!r}") from error


def _receivers(session: Session, name: str | None, *, send: bool) -> list[ReceiverConfig]:
    """Return the receiver named, or all that get digests. Raises UsageError if there is nobody to send to."""
    if name is not None:
        return [session.config.receiver(name)]
    found = [receiver for receiver in session.config.receivers if receiver.digest_at is not None]
    if send and not found:
        raise UsageError(
            "no receiver gets digests: give one digest_at in the config, or name one by --receiver"
        )
    return found


def _digest(watcher: Watcher, receiver: ReceiverConfig | None, day: date | None, session: Session) -> Digest:
    from watcher.pipeline.digest_again import digest_now, digest_of  # noqa: PLC0415 - brings the pipeline

    if day is None:
        return digest_now(watcher, receiver, session.now)
    return digest_of(watcher, receiver, day, session.now)


def _send(
    watcher: Watcher, receivers: list[ReceiverConfig], day: date | None, session: Session
) -> list[Delivery]:
    """Send each receiver its own digest; return what became of these deliveries."""
    from watcher.credentials import demand  # noqa: PLC0415 - only to send
    from watcher.pipeline.delivering import send_deliveries  # noqa: PLC0415 - only to send
    from watcher.pipeline.digest_again import send_again  # noqa: PLC0415

    demand(watcher.config.secrets)  # what else is owed goes out, too
    store = watcher.store
    with store.lock():
        made = [
            send_again(watcher, receiver, _digest(watcher, receiver, day, session), session.now)
            for receiver in receivers
        ]
        send_deliveries(watcher, session.now)
        return [each for number in made for each in store.outbox.of_digest(number)]


def _write(session: Session, shown: Digest, file: Path) -> None:
    from watcher.pipeline.digest_again import page_of  # noqa: PLC0415

    try:
        file.write_text(page_of(shown), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--preview: {file} cannot be written ({error.strerror})") from error
    session.say(f"wrote {file}")


def _state(delivery: Delivery) -> str:
    if delivery.state == "sent":
        return "sent"
    return (
        f"not sent yet, {delivery.state}: {delivery.last_error or delivery.reason or 'it waits for its turn'}"
    )


def _width() -> int:
    import shutil  # noqa: PLC0415 - one use

    return min(shutil.get_terminal_size((100, 24)).columns, 120) if sys.stdout.isatty() else 100
