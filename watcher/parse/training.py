"""A training result out of its runs' logs: minutes from run_start to run_stop, fastest and slowest left out.

Rules: MLPerf Training Rules, "Benchmark Results" (number of runs a benchmark; the mean without the fastest and the
slowest; one run that does not converge counts as the slowest; more of them make the result invalid; for UNET3D four
of each) and "Run Results". The review committee may put a scaling factor beside the runs (``scaling.json``) where a
submission converged faster than the reference; the published time is the mean times that factor, as in the result
summarizer of mlcommons/logging. MLPerf HPC uses the same rules for its strong scaling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from watcher.errors import ParseError
from watcher.parse.cells import number
from watcher.parse.mlperf_log import events
from watcher.parse.strict import json_object, words

REQUIRED_RUNS = {
    "bert": 10, "dlrm": 5, "dlrm_dcnv2": 10, "flux1": 10, "gnmt": 10, "gnn": 10, "gpt3": 3, "llama2_70b_lora": 10,
    "llama31_405b": 3, "llama31_8b": 10, "mask": 5, "maskrcnn": 5, "minigo": 10, "ncf": 10, "resnet": 5, "retinanet": 5,
    "rgat": 10, "rnnt": 10, "ssd": 5, "stable_diffusion": 10, "transformer": 10, "unet3d": 40,
    "cosmoflow": 10, "deepcam": 5, "oc20": 5, "openfold": 10,
}  # fmt: skip
"""Runs a benchmark result consists of, by the benchmark's folder; the last line is HPC's."""

FEWEST_RUNS = 3
"""A benchmark that is not in `REQUIRED_RUNS`: leaving two out must leave one."""

_FACTS = (
    "submission_benchmark",
    "submission_org",
    "submission_division",
    "submission_status",
    "submission_platform",
)
_SCALE = ("number_of_nodes", "accelerators_per_node")


class Run(Struct, frozen=True, kw_only=True):
    """One run. Times are milliseconds of the epoch; ``status`` is what run_stop says ("success" or "aborted").

    ``division``, ``org``, ``availability``, ``benchmark`` and ``platform`` are what the log says of the submission:
    the folder and the system description know better (an imitated container names another organisation).
    ``instance_scale``: accelerators this one run used, where the log tells (HPC).
    """

    start_ms: float
    stop_ms: float
    status: str | None
    benchmark: str | None = None
    org: str | None = None
    division: str | None = None
    availability: str | None = None
    platform: str | None = None
    instance_scale: int | None = None

    @property
    def minutes(self) -> float:
        """Minutes from run_start to run_stop."""
        return (self.stop_ms - self.start_ms) / 60 / 1000

    @property
    def converged(self) -> bool:
        """Whether the run reached the quality target."""
        return self.status == "success"


def read_run(body: bytes, what: str) -> Run:
    """Read ``result_N.txt``. Raises ParseError if the run has no start or no stop, or stops before it starts."""
    facts: dict[str, str | None] = {}
    scale: dict[str, float | None] = {}
    start = stop = status = None
    for event in events(body, what, ("run_start", "run_stop", *_FACTS, *_SCALE)):
        if event.key == "run_start" and stop is None:
            start = event.time_ms
        elif event.key == "run_stop" and start is not None and stop is None:
            stop, status = event.time_ms, words(event.metadata.get("status"))
        elif event.key in _FACTS:
            facts.setdefault(event.key, words(event.value))
        elif event.key in _SCALE:
            scale.setdefault(event.key, number(event.value))
    if start is None:
        raise ParseError(f"{what}: has no run_start")
    if stop is None:
        raise ParseError(f"{what}: has no run_stop after its run_start")
    if stop <= start:
        raise ParseError(f"{what}: stops before it starts")
    return Run(
        start_ms=start,
        stop_ms=stop,
        status=status.casefold() if status else None,
        benchmark=facts.get("submission_benchmark"),
        org=facts.get("submission_org"),
        division=facts.get("submission_division"),
        availability=facts.get("submission_status"),
        platform=facts.get("submission_platform"),
        instance_scale=_instance_scale(scale.get("number_of_nodes"), scale.get("accelerators_per_node")),
    )


def _instance_scale(nodes: float | None, per_node: float | None) -> int | None:
    if nodes is None or per_node is None or not 0 < nodes < 10**9 or not 0 <= per_node < 10**9:
        return None
    return int(nodes) * max(int(per_node), 1)


def read_scaling_factor(body: bytes, what: str = "scaling.json") -> float:
    """Read the review committee's factor, a number above zero. Raises ParseError."""
    factor = number(json_object(body, what).get("scaling_factor"))
    if factor is None or factor <= 0:
        raise ParseError(f"{what}: scaling_factor is not a number above zero")
    return factor


def left_out(benchmark: str) -> int:
    """How many of the fastest, and of the slowest, runs a result leaves out."""
    return 4 if benchmark == "unet3d" else 1


def counted(times: Sequence[float], failed: int, benchmark: str) -> tuple[int, ...]:
    """Return the indexes of ``times`` that a result averages: sorted, without the fastest and the slowest.

    ``times`` are of converged runs; ``failed`` more did not converge and stand for the slowest. Raises ParseError
    when more failed than the rules allow, or when nothing is left to average.
    """
    drop = left_out(benchmark)
    if failed > drop:
        raise ParseError(f"{failed} of {failed + len(times)} runs did not converge; the rules allow {drop}")
    order = sorted(range(len(times)), key=lambda index: (times[index], index))
    kept = order[drop : len(order) - (drop - failed)]
    if not kept:
        raise ParseError(
            f"{len(times)} runs are too few: nothing is left without the fastest and the slowest"
        )
    return tuple(kept)


def mean_without_extremes(times: Sequence[float], failed: int = 0, benchmark: str = "") -> float:
    """Average ``times`` as a training result does; see `counted`. Raises ParseError."""
    kept = counted(times, failed, benchmark)
    return math.fsum(times[index] for index in kept) / len(kept)


def is_complete(runs: int, benchmark: str) -> bool:
    """Whether ``runs``, converged or not, are as many as the rules ask of ``benchmark``."""
    return runs >= REQUIRED_RUNS.get(benchmark, FEWEST_RUNS)
