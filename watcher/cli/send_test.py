"""``send-test``: one test notification through the real notifier."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.session import Session, command

if TYPE_CHECKING:
    from watcher.domain import Notification
    from watcher.errors import DeliveryError

_DELIVERY_TROUBLE = 4


@command("send-test")
@click.argument("receiver")
def send_test(session: Session, *, receiver: str) -> int:
    """Send one test message to each recipient of RECEIVER.

    It says what the other side answered, or what to do. Nothing is recorded, and nothing that the receiver is owed is touched.

    \b
    mlperf-watcher send-test team-slack
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.credentials import demand  # noqa: PLC0415
    from watcher.domain import Secret  # noqa: PLC0415
    from watcher.errors import DeliveryError  # noqa: PLC0415
    from watcher.notifiers import deliver  # noqa: PLC0415 - brings the receiver's library
    from watcher.wiring import make_notifier  # noqa: PLC0415

    found = session.config.receiver(receiver)
    demand(value for value in found.options.values() if isinstance(value, Secret))
    told: list[dict[str, Any]] = []
    for recipient in found.to or ("",):
        name = f"{receiver}/{recipient}" if recipient else receiver
        notifier = make_notifier(found, recipient, sys.stderr if session.as_json else None)
        try:
            receipt = deliver(notifier, _notification(session, receiver))
        except DeliveryError as error:
            told.append({"receiver": name, "sent": False, "error": str(error), "fix": fix(error)})
        else:
            told.append(
                {"receiver": name, "sent": True, "external_id": receipt.external_id, "detail": receipt.detail}
            )

    def text() -> str:
        lines = []
        for each in told:
            if each["sent"]:
                known = f" (its name there: {each['external_id']})" if each["external_id"] else ""
                lines.append(f"{each['receiver']}: sent; {each['detail'] or 'taken'}{known}")
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


def _notification(session: Session, receiver: str) -> Notification:
    from watcher.domain import Notification, Section  # noqa: PLC0415

    words = (
        f"This is how messages to {receiver!r} arrive. It was sent by hand with `mlperf-watcher send-test`; "
        "no result changed, and nobody else got it."
    )
    return Notification(
        id=f"mw-test-{session.now:%Y%m%d%H%M%S%f}",
        kind="test",
        title="Test message from mlperf-watcher",
        severity="info",
        summary=f"Test message to {receiver}: it arrived.",
        created_at=session.now,
        sections=(Section(paragraphs=(words,)),),
        footer=f"send-test to {receiver}",
    )
