"""Case (j): 1,000 alerts owed to a local webhook, each a message of its own, beside as many bare requests."""

from __future__ import annotations

import sys
import time
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from tests.benchmarks.measure import Spread
from watcher.config import Config, ReceiverConfig, packaged_rules
from watcher.demo.local import Answer, LocalServer, Reply, Request
from watcher.domain import Alert, Event, Secret, SourceTrouble
from watcher.pipeline.delivering import send_deliveries
from watcher.store import Store
from watcher.store.events import NewEvent
from watcher.wiring import wire

NOW = datetime(2026, 9, 16, 15, tzinfo=UTC)
COUNT = 1000
T = TypeVar("T")


class Taker(LocalServer):
    """Takes whatever is posted."""

    def answer(self, request: Request) -> Answer:
        """Say yes."""
        del request
        return Reply(200, b"ok")


def drain(runs: int, folder: Path) -> list[tuple[str, Spread]]:
    """Return the ratio of wall times, and the deliveries a second."""
    ratios, rates = [], []
    with Taker() as taker:
        for turn in range(max(1, runs // 2)):
            least, _ = _wall(partial(_post_all, taker.url))
            file = folder / f"drain-{turn}.db"
            file.unlink(missing_ok=True)
            with Store(file, now=NOW) as store:
                _owe(store)
                config = Config(
                    rules=(packaged_rules(),),
                    receivers=(ReceiverConfig(name="hook", kind="webhook", options={"url": Secret(taker.url)}, burst=COUNT),),
                    default_receivers=("hook",),
                )  # fmt: skip
                watcher = wire(config, store)
                mine, sent = _wall(partial(send_deliveries, watcher, NOW))
                if sent != (COUNT, 0):
                    sys.exit(f"{sent} instead of {COUNT} deliveries were sent")
            ratios.append(mine / least)
            rates.append(COUNT / mine)
    return [
        (f"{COUNT:,} deliveries to a webhook / bare requests, wall", Spread.of(ratios)),
        ("deliveries a second, each committed twice", Spread.of(rates)),
    ]


def _owe(store: Store) -> None:
    with store.write():
        for number in range(COUNT):
            about = SourceTrouble(source=f"s{number}", url=None, failure="server", message="down")
            event = Event(
                id=str(number), kind="source.failing", occurred_at=NOW, batch=str(number), after=about
            )
            store.events.add([NewEvent(event)])
            alert = Alert(
                rule="source-trouble", title=f"s{number} fails", severity="high", batch=str(number), group=str(number),
                events=store.events.batch(str(number)),
            )  # fmt: skip
            made = store.events.add_alert(alert, NOW)
            store.outbox.owe("hook", NOW, alert=made.number if made else None)


def _post_all(url: str) -> None:
    for _ in range(COUNT):
        request = urllib.request.Request(url, data=b"{}", method="POST")  # noqa: S310 - our own server
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - our own server
            answer.read()


def _wall(work: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found
