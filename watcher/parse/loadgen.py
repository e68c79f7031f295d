"""One inference result out of its run: LoadGen's ``mlperf_log_summary.txt`` or LoadGen++'s ``result_summary.json``.

Which figure of a run is the published one follows the submission checker of mlcommons/inference, round by round:
throughput of Offline, completed throughput of Server (scheduled up to v4.0), tokens where the benchmark is a language
model, the early-stopping estimate of the 90th percentile for SingleStream and of the 99th for MultiStream. Interactive
runs are Server runs with tighter limits and say Server; their folder knows better.

LoadGen++ writes ``tps`` and ``qps`` beside the counts that they come from. With ``use_legacy_loadgen_qps_metrics``
and a ``legacy_loadgen_window_duration_ns`` they are over LoadGen's own window, from the first query to the last one's
end: tps = tokens / window and qps = (samples - 1) / window; else over the whole duration: tokens / duration and
samples / duration. Both are computed again, and a file that contradicts itself is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from watcher.errors import ParseError
from watcher.parse.cells import number
from watcher.parse.strict import json_object, log_text, mapping, objects, words

NOT_COUNTED_IN_TOKENS = frozenset({"qwen3-vl-235b-a22b", "wan-2.2-t2v-a14b"})
"""Benchmarks (catalog names) whose runs report tokens while their official unit is samples or queries."""

INFERRED_TOKENS = frozenset({"gptj"})
"""Benchmarks whose official unit is tokens counted by a fixed factor, since v4.1."""

_TASKS = frozenset({"e2e-rag-qna"})
_IN_SECONDS = frozenset({"wan-2.2-t2v-a14b"})
_TOLERANCE = 1e-6
MAX_LINE = 1000
"""Longest line of a text summary that is looked at, in characters; LoadGen's own have up to a hundred."""
_LINE = re.compile(r"\s*\*?\s*([A-Za-z0-9][A-Za-z0-9 ./()+-]{1,80}?)\s*:\s*(\S.{0,200}?)\s*")


class RunFigures(Struct, frozen=True, kw_only=True):
    """What one performance run measured; rates a second, latencies in nanoseconds, null where it has none.

    ``scenario`` as the run says (Interactive is Server); null for LoadGen++, whose folder tells. ``valid``: the run
    met its constraints. ``latencies``: percentiles such as ``{"99.00": ns}``; ``first_token`` and ``per_token``
    likewise. ``samples_per_query`` is the result of the old MultiStream (before v2.0).
    """

    valid: bool
    scenario: str | None = None
    sut: str | None = None
    samples: float | None = None
    scheduled: float | None = None
    tokens: float | None = None
    inferred_tokens: float | None = None
    stopping_90: float | None = None
    stopping_99: float | None = None
    samples_per_query: float | None = None
    latencies: Mapping[str, float] = field(default_factory=dict)
    first_token: Mapping[str, float] = field(default_factory=dict)
    per_token: Mapping[str, float] = field(default_factory=dict)


class Published(Struct, frozen=True):
    """The figure of a run that tables publish, in the tables' own spelling of its unit."""

    value: float
    unit: str


def read_summary(body: bytes, what: str = "mlperf_log_summary.txt") -> RunFigures:
    """Read LoadGen's text summary. Raises ParseError if it is not one, or not of a performance run."""
    lines: dict[str, str] = {}
    for text in log_text(body, what).splitlines():
        match = _LINE.fullmatch(text) if len(text) <= MAX_LINE else None
        if match:
            lines.setdefault(match[1].casefold(), match[2])
    if "scenario" not in lines or "result is" not in lines:
        raise ParseError(f"{what}: names no scenario and no validity; it is no LoadGen summary")
    mode = lines.get("mode", "")
    if mode and not mode.casefold().startswith("performance"):
        raise ParseError(f"{what}: is of mode {mode}, not of a performance run")
    return RunFigures(
        valid=lines["result is"].casefold().startswith("valid"),
        scenario=words(lines["scenario"].replace(" ", "")),
        sut=words(lines.get("sut name")),
        samples=_rate(lines, "samples per second", "completed samples per second"),
        scheduled=_rate(lines, "scheduled samples per second"),
        tokens=_rate(lines, "tokens per second", "completed tokens per second"),
        inferred_tokens=_rate(
            lines, "tokens per second (inferred)", "completed tokens per second (inferred)"
        ),
        stopping_90=_first(lines, "early stopping 90th percentile estimate"),
        stopping_99=_first(lines, "early stopping 99th percentile estimate"),
        samples_per_query=_first(lines, "samples per query"),
        latencies=_percentiles(lines, "percentile latency (ns)"),
        first_token=_percentiles(lines, "percentile first token latency (ns)"),
        per_token=_percentiles(lines, "percentile time to output token (ns)"),
    )


def _rate(lines: Mapping[str, str], *names: str) -> float | None:
    """A rate in the six digits that LoadGen's detail log, and so the tables, give it."""
    value = _first(lines, *names)
    return None if value is None else float(f"{value:.6g}")


def _first(lines: Mapping[str, str], *names: str) -> float | None:
    found = (number(lines.get(name)) for name in names)
    return next((value for value in found if value is not None), None)


def _percentiles(lines: Mapping[str, str], ending: str) -> dict[str, float]:
    found = {}
    for name, text in lines.items():
        percent, _, rest = name.partition(" ")
        value = number(text)
        if rest == ending and number(percent) is not None and value is not None:
            found[f"{float(percent):.2f}"] = value
    return found


def read_result_summary(body: bytes, what: str = "result_summary.json") -> RunFigures:
    """Read LoadGen++'s summary, its rates computed again. Raises ParseError if it is incomplete or contradicts itself."""
    document = json_object(body, what)
    if document.get("complete", document.get("state") == "complete") is not True:
        raise ParseError(f"{what}: is not complete")
    samples, tokens = window_rates(document, what)
    return RunFigures(
        valid=True,
        samples=samples,
        tokens=tokens,
        stopping_90=_stopping(document, "90.0"),
        stopping_99=_stopping(document, "99.0"),
        latencies=percentiles(document.get("latency")),
        first_token=percentiles(document.get("ttft")),
        per_token=percentiles(document.get("tpot")),
    )


def _stopping(document: Mapping[str, Any], percent: str) -> float | None:
    return number(mapping(mapping(document.get("latency")).get("early_stopping_percentiles")).get(percent))


def percentiles(block: Any) -> dict[str, float]:
    """Return ``{"90.00": nanoseconds}`` of a LoadGen++ block; its keys are decimal strings, or integers in some tools."""
    found = {}
    for key, raw in mapping(mapping(block).get("percentiles")).items():
        percent, value = number(key), number(raw)
        if percent is not None and value is not None and 0 <= percent <= 100:
            found[f"{percent:.2f}"] = value
    return found


def window_rates(document: Mapping[str, Any], what: str) -> tuple[float | None, float | None]:
    """Return samples and tokens a second of a LoadGen++ summary. Raises ParseError if its own figures disagree.

    ``qps`` and ``tps`` that the file states must agree with its counts; null where there is nothing to compute from.
    """
    completed = number(document.get("n_samples_completed"))
    tokens = number(mapping(document.get("output_sequence_lengths")).get("total"))
    pattern = mapping(mapping(document.get("run_config")).get("load_pattern"))
    asked = pattern.get("use_legacy_loadgen_qps_metrics") is True
    window = number(document.get("legacy_loadgen_window_duration_ns")) if asked else None
    legacy = window is not None
    window = window if legacy else number(document.get("duration_ns"))
    stated = number(document.get("qps")), number(document.get("tps"))
    if window is None or window <= 0:
        return stated
    seconds = window / 1e9
    counted = None if completed is None else completed - 1 if legacy and completed > 1 else completed
    computed = tuple(None if amount is None else amount / seconds for amount in (counted, tokens))
    for name, said, found in zip(("qps", "tps"), stated, computed, strict=True):
        if said is not None and found is not None and not math.isclose(said, found, rel_tol=_TOLERANCE):
            raise ParseError(f"{what}: states {name} {said!r}, but its counts and window give {found!r}")
    return computed[0], computed[1]


def published_figure(run: RunFigures, benchmark: str, scenario: str, round_: str) -> Published:
    """Return the figure that a table of ``round_`` publishes for ``benchmark`` (catalog name) in ``scenario``.

    Raises ParseError for a run that is not valid or does not hold that figure.
    """
    if not run.valid:
        raise ParseError("the run is INVALID")
    figure = _figure(run, benchmark, scenario, round_)
    if not 0 < figure.value < math.inf:
        raise ParseError(f"its figure is {figure.value:g} {figure.unit}")
    return figure


def _figure(run: RunFigures, benchmark: str, scenario: str, round_: str) -> Published:
    early = before(round_, 4, 1)
    if scenario in {"SingleStream", "MultiStream", "ConstantStream"}:
        return _latency(run, benchmark, scenario)
    tokens = run.inferred_tokens if benchmark in INFERRED_TOKENS and not early else run.tokens
    if (
        tokens is not None
        and benchmark not in NOT_COUNTED_IN_TOKENS
        and not (benchmark in INFERRED_TOKENS and early)
    ):
        return Published(tokens, "Tokens/s")
    if scenario == "Offline" and run.samples is not None:
        return Published(run.samples, "Tasks/s" if benchmark in _TASKS else "Samples/s")
    rate = run.scheduled if early and run.scheduled is not None else run.samples
    if scenario in {"Server", "Interactive"} and rate is not None:
        return Published(rate, "Queries/s")
    raise ParseError(f"the run holds no figure for {scenario}")


def _latency(run: RunFigures, benchmark: str, scenario: str) -> Published:
    old = run.samples_per_query is not None and run.stopping_99 is None and run.samples_per_query != 8
    if scenario == "MultiStream" and old and run.samples_per_query is not None:
        return Published(run.samples_per_query, "Samples/query")
    stopping, percent = (
        (run.stopping_90, "90.00") if scenario == "SingleStream" else (run.stopping_99, "99.00")
    )
    nanoseconds = stopping if stopping is not None else run.latencies.get(percent)
    if nanoseconds is None:
        raise ParseError(f"the run holds no latency for {scenario}")
    if benchmark in _IN_SECONDS:
        return Published(nanoseconds / 1e9, "Latency (s)")
    return Published(nanoseconds / 1e6, "Latency (ms)")


def before(round_: str, major: int, minor: int) -> bool:
    """Whether ``round_`` ("v4.0") came before v<major>.<minor>; a name that is no number did not."""
    match = re.fullmatch(r"v(\d{1,4})\.(\d{1,4})", round_)
    return match is not None and (int(match[1]), int(match[2])) < (major, minor)


def read_accuracy(body: bytes, what: str = "accuracy_results.json") -> dict[str, float]:
    """Read scores by data set, of LoadGen++'s list or of a summary with its data sets. Raises ParseError if none is there."""
    document = json_object(body, what)
    scores = {
        words(entry.get("dataset_name")) or f"score {index}": score
        for index, entry in enumerate(objects(document.get("accuracy_scores")))
        if (score := number(entry.get("score"))) is not None
    }
    summary = mapping(document.get("summary"))
    for name, entry in mapping(summary.get("per_dataset")).items():
        score = number(mapping(entry).get("accuracy"))
        if score is not None and words(name):
            scores[str(words(name))] = score
    overall = number(document.get("average_accuracy", summary.get("overall_accuracy")))
    if overall is not None:
        scores["overall"] = overall
    if not scores:
        raise ParseError(f"{what}: names no score")
    return scores


def read_measurements(body: bytes, what: str = "measurements.json") -> dict[str, str]:
    """Read how weights and inputs were stored, as published. Raises ParseError."""
    document = json_object(body, what)
    names = (
        "weight_data_types",
        "input_data_types",
        "weight_transformations",
        "retraining",
        "starting_weights_filename",
    )
    return {name: text for name in names if (text := words(document.get(name))) is not None}
