"""A snapshot in Prometheus' words, by a registry of its own that reads nothing but the board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from watcher import __version__
from watcher.schedule.snapshot import Board, Counts, Snapshot

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_P = "mlperf_watcher"
_STATES = ("pending", "sending", "waiting", "unknown", "sent", "gave_up", "suppressed")


class Metrics:
    """Answers ``/metrics``; ``clock`` is asked for ages only."""

    def __init__(self, board: Board, clock: Callable[[], datetime]) -> None:
        """Make a registry of our own: nothing of the process or of Python stands in it."""
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(_OfBoard(board, clock))

    def text(self) -> bytes:
        """Return the metrics in the text format."""
        return generate_latest(self._registry)


class _OfBoard(Collector):
    def __init__(self, board: Board, clock: Callable[[], datetime]) -> None:
        self._board = board
        self._clock = clock

    def collect(self) -> Iterator[Metric]:
        snapshot, trouble = self._board.read()
        yield InfoMetricFamily(_P, "The program", value={"version": __version__})
        yield _gauge(
            "ready", "1 while the daemon does its work, 0 while its state cannot be used", trouble is None
        )
        yield from _of_daemon(self._board.counts)
        if snapshot is not None:
            yield from _of_sources(snapshot)
            yield from _of_outbox(snapshot, self._clock())


def _gauge(name: str, help: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{_P}_{name}", help, value=float(value))


def _of_daemon(counts: Counts) -> Iterator[Metric]:
    yield SummaryMetricFamily(
        f"{_P}_pass_duration_seconds",
        "How long passes took",
        count_value=counts.passes,
        sum_value=counts.seconds,
    )
    yield _gauge("last_pass_duration_seconds", "How long the last pass took", counts.last_seconds)
    reloads = CounterMetricFamily(f"{_P}_reloads", "Reloads of config and rules", labels=["outcome"])
    reloads.add_metric(["taken"], counts.reloads)
    reloads.add_metric(["refused"], counts.refused_reloads)
    yield reloads


def _of_sources(snapshot: Snapshot) -> Iterator[Metric]:
    yield _gauge("last_pass_timestamp_seconds", "When the last pass ended", snapshot.at.timestamp())
    success = GaugeMetricFamily(
        f"{_P}_source_last_success_timestamp_seconds",
        "Last good check; absent before the first",
        labels=["source"],
    )
    failures = GaugeMetricFamily(f"{_P}_source_failures", "Failed checks in a row", labels=["source"])
    healthy = GaugeMetricFamily(
        f"{_P}_source_healthy",
        "0 while a source is failing (three times in a row) or stale",
        labels=["source"],
    )
    checks = CounterMetricFamily(f"{_P}_source_checks", "Checks since the state was made", labels=["source"])
    for source in snapshot.sources:
        if source.succeeded_at is not None:
            success.add_metric([source.name], source.succeeded_at.timestamp())
        failures.add_metric([source.name], source.failures)
        healthy.add_metric([source.name], float(source.healthy))
        checks.add_metric([source.name], source.checks)
    yield from (success, failures, healthy, checks)
    yield _gauge("results", "Results held", snapshot.results)
    yield _gauge(
        "tables_held_back",
        "Tables kept as they were because their new state is not to be believed",
        snapshot.held_back,
    )
    events = CounterMetricFamily(f"{_P}_events", "Recorded events", labels=["kind"])
    for kind, count in snapshot.events.items():
        events.add_metric([kind], count)
    alerts = CounterMetricFamily(f"{_P}_alerts", "Alerts made", labels=["severity"])
    for severity in ("info", "high", "critical"):
        alerts.add_metric([severity], snapshot.alerts.get(severity, 0))
    yield from (events, alerts)


def _of_outbox(snapshot: Snapshot, now: datetime) -> Iterator[Metric]:
    deliveries = GaugeMetricFamily(f"{_P}_deliveries", "Deliveries in each state", labels=["state"])
    for state in _STATES:
        deliveries.add_metric([state], snapshot.deliveries.get(state, 0))
    yield deliveries
    oldest = snapshot.oldest_delivery
    age = max((now - oldest).total_seconds(), 0.0) if oldest is not None else 0.0
    yield _gauge(
        "oldest_delivery_age_seconds", "Age of the oldest delivery that is still owed, 0 if none is", age
    )
    broken = GaugeMetricFamily(
        f"{_P}_receiver_broken", "1 for each receiver that is broken", labels=["receiver"]
    )
    for name in snapshot.broken_receivers:
        broken.add_metric([name], 1)
    yield broken
