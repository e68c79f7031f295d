"""A report may stand where everybody reads it: recipients' addresses in what troubles said of receivers are not told."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from watcher.domain import Alert, SourceTrouble, Subject

RECIPIENT = "a recipient"


def without_recipients(alert: Alert, addresses: Collection[str]) -> Alert:
    """Return an alert whose words name no recipient; ``addresses`` as the outbox calls them: "mail/ann@example.org"."""
    recipients = {address: address.partition("/") for address in addresses if "/" in address}
    if not recipients or not any(isinstance(event.subject, SourceTrouble) for event in alert.events):
        return alert

    def clean(text: str) -> str:
        for address in sorted(recipients, key=len, reverse=True):
            name, _, recipient = recipients[address]
            text = text.replace(address, name).replace(recipient, RECIPIENT)
        return text

    def side(found: Subject | None) -> Subject | None:
        if not isinstance(found, SourceTrouble):
            return found
        return replace(found, message=clean(found.message), source=clean(found.source))

    return replace(
        alert,
        title=clean(alert.title),
        group=clean(alert.group),
        events=tuple(replace(one, before=side(one.before), after=side(one.after)) for one in alert.events),
    )
