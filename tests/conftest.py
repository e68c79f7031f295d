"""What every test may ask for: real parts, no network, no sleeping, no patching."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.pipeline_stage import Hook
from watcher.demo.github import GitHubServer
from watcher.demo.slack import SlackServer

# How long an example takes is no matter of right or wrong: a busy machine fails no test.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

REAL_DATA = "MLPERF_DATA"  # names the folder of real tables, claims and posts; they are not committed here


@pytest.fixture
def now() -> datetime:
    """A fixed instant: 16 September 2026, 15:05 UTC, minutes after Inference v6.1 went public."""
    return datetime(2026, 9, 16, 15, 5, tzinfo=UTC)


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of real data (with mlperf/, claims/ and posts/); without it the test is skipped.

    Where the variable is set, a missing folder is a failure: no test on real data may skip unseen.
    """
    named = os.environ.get(REAL_DATA)
    if not named:
        pytest.skip(f"set {REAL_DATA} to the folder of real MLPerf data to run this test")
    folder = Path(named)
    if not (folder / "mlperf").is_dir():
        pytest.fail(f"{REAL_DATA}={named} has no folder mlperf/")
    return folder


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    """A stand-in for GitHub, on this machine."""
    with GitHubServer() as server:
        yield server


@pytest.fixture
def slack() -> Iterator[SlackServer]:
    """A stand-in for Slack, on this machine."""
    with SlackServer() as server:
        yield server


@pytest.fixture
def hook() -> Iterator[Hook]:
    """A webhook that takes everything, on this machine."""
    with Hook() as server:
        yield server
