"""Small submissions of our own, as bytes by path: what a repository of each suite holds, made to measure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from watcher.errors import ParseError

DATA = Path(__file__).parent / "data" / "artefacts"
START_MS = 1_750_000_000_000

SYSTEM = {
    "submitter": "Fernwood Computing",
    "division": "closed",
    "status": "Available cloud",
    "system_name": "Fernwood F8",
    "number_of_nodes": "1",
    "host_processors_per_node": "2",
    "host_processor_model_name": "Example CPU 9",
    "host_processor_core_count": "64",
    "accelerators_per_node": "8",
    "accelerator_model_name": "NVIDIA B200-SXM-180GB",
    "framework": "PyTorch 2.9",
    "operating_system": "Ubuntu 24.04",
    "hw_notes": "GPU power limit 1000W",
    "sw_notes": "",
}


def on_disk(name: str) -> dict[str, bytes]:
    """All files of a tree under tests/data/artefacts, by their path in it."""
    folder = DATA / name
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def text(document: Any) -> bytes:
    """A JSON document."""
    return json.dumps(document).encode()


def log(*events: tuple[str, Any, float, dict[str, Any]]) -> bytes:
    """Lines of the logging library: key, value, milliseconds after the start, metadata; other lines between them."""
    lines = ["0: starting the container"]
    for key, value, after, metadata in events:
        event = {"key": key, "value": value, "time_ms": START_MS + after, "metadata": metadata}
        lines += [f"0: :::MLLOG {json.dumps(event)}", "0: step done"]
    return "\n".join(lines).encode()


def run_log(minutes: float, status: str = "success", *more: tuple[str, Any, float, dict[str, Any]]) -> bytes:
    """A training run of so many minutes."""
    return log(
        ("submission_benchmark", "llama2_70b_lora", 0, {}),
        ("submission_division", "closed", 0, {}),
        *more,
        ("run_start", None, 1000, {}),
        ("run_stop", None, 1000 + minutes * 60_000, {"status": status}),
    )


def training(
    minutes: list[float], benchmark: str = "llama2_70b_lora", failed: int = 0, **system: Any
) -> dict[str, bytes]:
    """A training submission of one result: runs of so many minutes each, the last ``failed`` of them aborted."""
    runs = [
        run_log(value, "success" if index < len(minutes) - failed else "aborted")
        for index, value in enumerate(minutes)
    ]
    return {
        **{f"Fernwood/results/f8/{benchmark}/result_{n}.txt": body for n, body in enumerate(runs)},
        "Fernwood/systems/f8.json": text({**SYSTEM, **system}),
    }


SUMMARY = """================================================
MLPerf Results Summary
================================================
SUT name : {sut}
Scenario : {scenario}
Mode     : PerformanceOnly
{result}
Result is : {valid}

================================================
Additional Stats
================================================
50.00 percentile latency (ns)   : 1000000
90.00 percentile latency (ns)   : 2000000
99.00 percentile latency (ns)   : 4000000
{more}
"""


def summary(scenario: str, result: str, *, valid: str = "VALID", more: str = "") -> bytes:
    """LoadGen's text summary with ``result`` as its line of the scenario."""
    return SUMMARY.format(sut="Fernwood", scenario=scenario, result=result, valid=valid, more=more).encode()


damaged = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=300).map(lambda value: value.encode("utf-8", "surrogatepass")),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
        max_leaves=12,
    ).map(text),
)
"""Bytes that are no such file: noise, text, or JSON of another shape."""


@st.composite
def mangled(draw: st.DrawFn, body: bytes) -> bytes:
    """``body`` with some of its bytes cut out, repeated or written over."""
    found = bytearray(body)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, max(len(found) - 1, 0)))
        end = min(start + draw(st.integers(0, 40)), len(found))
        found[start:end] = draw(st.one_of(st.binary(max_size=20), st.just(bytes(found[start:end]) * 2)))
    return bytes(found)


_WORDS = st.sampled_from(
    [
        None,
        True,
        "",
        "N/A",
        "nan",
        "1e999",
        "-1",
        "0",
        0,
        -1,
        10**30,
        1e308,
        [],
        [{}],
        {},
        "x" * 5000,
        "\u0000\n",
    ]
)


@st.composite
def revalued(draw: st.DrawFn, document: dict[str, Any]) -> bytes:
    """``document`` with some of its values replaced by those that break arithmetic, as JSON."""

    def changed(value: Any) -> Any:
        if draw(st.integers(0, 9)) == 0:
            return draw(_WORDS)
        if isinstance(value, dict):
            return {key: changed(inner) for key, inner in value.items()}
        return [changed(inner) for inner in value] if isinstance(value, list) else value

    return text({key: changed(value) for key, value in document.items()})


def outcome(read: Any, *arguments: Any) -> Any:
    """What ``read`` gives, or its ParseError; any other error passes on and fails the test."""
    try:
        return read(*arguments)
    except ParseError as error:
        return error
