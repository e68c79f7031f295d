"""``send-test``: one test notification through the real notifier."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.session import Session, command

if TYPE_CHECKING:
    from watcher.errors import DeliveryError

_DELIVERY_TROUBLE = 4


@command("send-test")
@click.argument("receiver")
def send_test(session: Session, *, receiver: str) -> int:
    """Send one test message to each recipient of RECEIVER.

    It says what the other side answered, or what to do. A receiver that takes it works: what it is owed after failed tries is due with the next run.

    \b
    mlperf-watcher send-test team-slack
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.credentials import demand  # noqa: PLC0415
    from watcher.domain import Secret  # noqa: PLC0415
    from watcher.errors import DeliveryError  # noqa: PLC0415
    from watcher.notifiers import deliver  # noqa: PLC0415 - brings the receiver's library
    from watcher.outbox import said_by  # noqa: PLC0415
    from watcher.render.trial import trial_notification  # noqa: PLC0415
    from watcher.wiring import make_notifier  # noqa: PLC0415

    found = session.config.receiver(receiver)
    demand(value for value in found.options.values() if isinstance(value, Secret))
    told: list[dict[str, Any]] = []
    for recipient in found.to or ("",):
        name = f"{receiver}/{recipient}" if recipient else receiver
        notifier = make_notifier(found, recipient, sys.stderr if session.as_json else None)
        try:
            receipt = deliver(notifier, trial_notification(receiver, now=session.now))
        except DeliveryError as error:
            told.append(
                {"receiver": name, "sent": False, "error": said_by(name, str(error)), "fix": fix(error)}
            )
        else:
            told.append(
                {
                    "receiver": name, "sent": True, "external_id": receipt.external_id, "detail": receipt.detail,
                    "owed": _hastened(session, name),
                }
            )  # fmt: skip

    def text() -> str:
        lines = []
        for each in told:
            if each["sent"]:
                known = f" (its name there: {each['external_id']})" if each["external_id"] else ""
                lines.append(f"{each['receiver']}: sent; {each['detail'] or 'taken'}{known}")
                if each["owed"]:
                    lines.append(f"  {_due(each['owed'])}")
            else:
                lines += [f"{each['receiver']}: not sent: {each['error']}", f"  fix: {each['fix']}"]
        return "\n".join(lines)

    session.emit({"receivers": told}, text)
    return 0 if all(each["sent"] for each in told) else _DELIVERY_TROUBLE


def fix(error: DeliveryError) -> str:
    """Return what to do about a failed delivery, by its class."""
    from watcher.errors import BrokenReceiverError, RefusedError, TryLaterError  # noqa: PLC0415

    if isinstance(error, BrokenReceiverError):
        return "the receiver itself is wrong: check its address, token and permissions in watcher.toml"
    if isinstance(error, RefusedError):
        return "it does not take this message: check its limits and, for Slack, the channel"
    if isinstance(error, TryLaterError):
        return "nothing is wrong in the config as far as is known: check the network, and try again later"
    return "it may have arrived: look there before you try again"


def _hastened(session: Session, receiver: str) -> int:
    """Let what a receiver is owed be due now that it took a message; return how many deliveries that are."""
    if not session.state.exists():
        return 0
    from watcher.errors import StateError  # noqa: PLC0415 - only where there is a state
    from watcher.pipeline.mending import took  # noqa: PLC0415

    try:
        with session.store() as store:  # not the lock: a daemon holds it, and its next pass sends them
            return took(session.watcher(store), receiver, session.now)
    except StateError as error:
        session.say(f"{receiver}: took it, but what it is owed waits for its own next try: {error}")
        return 0


def _due(owed: int) -> str:
    if owed == 1:
        return "1 delivery that it is owed is due with the next run"
    return f"{owed:,} deliveries that it is owed are due with the next run"
