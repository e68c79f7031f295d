"""The message of ``send-test``: every part that a message may have, so that a person sees how each arrives."""

from __future__ import annotations

from datetime import datetime

from watcher.domain import Grid, Link, Notification, Section
from watcher.render import words


def trial_notification(receiver: str, *, now: datetime) -> Notification:
    """Return a message that asks for nothing: a line, a table, letters beyond ASCII, a list, a link."""
    grid = Grid(
        caption="Made-up figures, queries/s",
        columns=("Scenario", "one", "other", "ratio"),
        rows=(("Offline", "2,000", "1,000", "2.00x"), ("Server", "1,500", "1,000", "1.50x")),
        numeric=frozenset({1, 2, 3}),
        strong=frozenset({(0, 3)}),
    )
    return Notification(
        id=f"test-{receiver}-{now:%Y%m%dT%H%M%S.%fZ}",
        kind="test",
        title="Test message from mlperf-watcher",
        severity="info",
        summary=f"It reached the receiver {receiver!r}; nothing was published",
        created_at=now,
        sections=(
            Section(
                paragraphs=(
                    "Sent by hand with send-test; nobody else got it.",
                    "Figures stand in columns, and letters as they are: Größe ≥ 3.7×, 華為, µJ, & < >.",
                ),
                grid=grid,
            ),
            Section(
                heading="Where to look",
                bullets=("mlperf-watcher status", "mlperf-watcher doctor"),
                links=(Link(text="MLCommons", url="https://mlcommons.org/"),),
            ),
        ),
        footer=f"sent {words.moment(now)}",
        see_all="mlperf-watcher status",
    )
