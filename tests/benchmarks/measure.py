"""Processor time, wall time and peak memory of a whole process; median and spread of several runs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took: seconds of processor and of wall time, peak memory in MB."""

    cpu: float
    wall: float
    memory: float


def process(
    command: Sequence[str], *, cwd: str, env: dict[str, str] | None = None, allowed: tuple[int, ...] = (0,)
) -> Cost:
    """Run a command to its end and return what it took; a code that is not allowed ends the benchmark."""
    started = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a file descriptor for the child
        child = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **(env or {})}, stdout=nowhere, stderr=subprocess.PIPE
        )
        errors = child.stderr.read() if child.stderr else b""
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in allowed:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}: {errors.decode()[-2000:]}")
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss / 1024)


def cpu_of(work: Callable[[], object]) -> float:
    """Return the processor seconds of a call in this process."""
    started = time.process_time()
    work()
    return time.process_time() - started


@dataclass(frozen=True, slots=True)
class Spread:
    """Minimum, median and maximum of some figures."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> Spread:
        """Return the spread of figures."""
        return cls(min(figures), statistics.median(figures), max(figures))

    def __str__(self) -> str:
        return f"{self.middle:.3f} ({self.low:.3f}–{self.high:.3f})"
