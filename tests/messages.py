"""Rows, figures and alerts to render in tests: Vera Rubin beside GB300 in MLPerf Inference v6.1, and what else may come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from watcher.domain import (
    Alert,
    CheckedClaim,
    Claim,
    Comparison,
    Event,
    Evidence,
    Result,
    Subject,
    Verdict,
)

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
ROWS = {  # benchmark, scenario: unit, Vera Rubin, GB300; 72 accelerators of NVIDIA each
    ("deepseek-r1", "Offline"): ("tokens/s", 1183326.85, 679740.0),
    ("deepseek-r1", "Server"): ("tokens/s", 1175890.22, 596943.0),
    ("deepseek-r1", "Interactive"): ("tokens/s", 652750.14, 253506.0),
    ("qwen3-vl-235b-a22b", "Offline"): ("samples/s", 2392.7, 1304.99),
    ("qwen3-vl-235b-a22b", "Server"): ("queries/s", 2323.27, 1210.49),
    ("qwen3-vl-235b-a22b", "Interactive"): ("queries/s", 1306.61, 349.29),
}


def row(**changes: Any) -> Result:
    """Return NVIDIA's DeepSeek-R1 Server row of Vera Rubin, or another."""
    values: dict[str, Any] = {
        "suite": "inference", "round": "v6.1", "division": "closed", "availability": "preview", "submitter": "NVIDIA",
        "organisations": ("NVIDIA",), "platform": "VR-NVL72", "benchmark_published": "deepseek-r1",
        "benchmark": "deepseek-r1", "scenario": "Server", "value": 1175890.22, "unit": "tokens/s", "better": "higher",
        "system": "vera-rubin-nvl72", "accelerator": "vera-rubin", "accelerators": ("vera-rubin",),
        "accelerator_count": 72, "system_type": ("datacenter",), "software": ("vllm", "dynamo"),
        "accelerator_power_limit_watts": 2300.0, "url": "https://example.org/rows/vr",
    }  # fmt: skip
    return Result(**{**values, **changes})


def gb300(**changes: Any) -> Result:
    """Return NVIDIA's row of GB300 NVL72."""
    values: dict[str, Any] = {
        "availability": "available", "platform": "GB300-NVL72", "system": "gb300-nvl72", "accelerator": "gb300",
        "accelerators": ("gb300",), "value": 596943.0, "accelerator_power_limit_watts": 1400.0,
        "url": "https://example.org/rows/gb300",
    }  # fmt: skip
    return row(**{**values, **changes})


def against(subject: Result, baseline: Result, **changes: Any) -> Comparison:
    """Return two rows side by side."""
    one, other = subject.value_per_accelerator, baseline.value_per_accelerator
    each = one / other if one and other else None
    ratio = subject.value / baseline.value if subject.better == "higher" else baseline.value / subject.value
    values = {"differs": ("software", "availability"), "care": ("Preview against available",)}
    return Comparison(
        subject=subject, baseline=baseline, ratio=ratio, per_accelerator_ratio=each, **{**values, **changes}
    )


def pairs(**changes: Any) -> list[Comparison]:
    """Return the six cells of Vera Rubin NVL72 over GB300 NVL72."""
    return [
        against(
            row(benchmark=b, benchmark_published=b, scenario=s, unit=unit, value=ours, **changes),
            gb300(benchmark=b, benchmark_published=b, scenario=s, unit=unit, value=theirs),
        )
        for (b, s), (unit, ours, theirs) in ROWS.items()
    ]


def event(kind: str, after: Subject | None = None, before: Subject | None = None, **changes: Any) -> Event:
    """Return a recorded change."""
    return Event(
        id=f"{kind} {after!r}", kind=kind, occurred_at=NOW, batch="b", after=after, before=before, **changes
    )


def alert(*events: Event, **changes: Any) -> Alert:
    """Return an alert about events."""
    values: dict[str, Any] = {
        "rule": "a-rule", "title": "A title", "severity": "high", "batch": "b", "group": "g", "created_at": NOW,
        "number": 142,
    }  # fmt: skip
    return Alert(events=events, **{**values, **changes})


def vera_rubin(**changes: Any) -> Alert:
    """Return the alert on Vera Rubin's Server and Interactive rows, with all scenarios beside GB300."""
    figures = pairs()
    rows = [figure.subject for figure in figures if figure.subject.scenario != "Offline"]
    title = "Vera Rubin: Server, Interactive results by NVIDIA, MLPerf Inference v6.1 (closed, PREVIEW)"
    values = {"rule": "vera-rubin-per-scenario", "title": title, "figures": tuple(figures)}
    return alert(*(event("result.added", one) for one in rows), **{**values, **changes})


def claim(**changes: Any) -> CheckedClaim:
    """Return the claim of 3.7x on Qwen3-VL in three scenarios, borne out in one."""
    figures = {"Offline": 1.83, "Server": 1.92, "Interactive": 3.74}
    said = Claim(
        kind="ratio", value=3.7, qualifier="up_to", benchmark="qwen3-vl-235b-a22b", decimals=1,
        scenarios=("Offline", "Server", "Interactive"), quote="up to 3.7x on Qwen3-VL in all three scenarios",
    )  # fmt: skip
    evidence = tuple(
        Evidence(scenario=name, reading="system", figure=figure, holds=figure > 3.65, arithmetic="a / b")
        for name, figure in figures.items()
    )
    verdict = Verdict(verdict="only_in_some_scenarios", reading="system", evidence=evidence)
    values: dict[str, Any] = {"claim": said, "verdict": verdict, "vendor": "NVIDIA", "number": 7}
    return CheckedClaim(**{**values, **changes})


def hours(count: float) -> timedelta:
    """Return that many hours."""
    return timedelta(hours=count)
