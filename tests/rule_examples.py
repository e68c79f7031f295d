"""Small values that rule tests are made of: one of everything that can be watched, and rules from text."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from watcher.catalog.names import load as load_catalog
from watcher.domain import (
    CheckedClaim,
    Claim,
    Comparison,
    Event,
    Evidence,
    Gain,
    NewName,
    Post,
    Power,
    Promise,
    PublishedRound,
    Rank,
    Record,
    Result,
    Scaling,
    SourceTrouble,
    Subject,
    Verdict,
)
from watcher.errors import RuleError
from watcher.rules import Rule, RuleSet, load_files
from watcher.rules.load import RuleFile

NOON = datetime(2026, 9, 16, 12, tzinfo=UTC)


def result(**changes: Any) -> Result:
    """A closed Server row of eight B300 by Acme."""
    values: dict[str, Any] = {
        "suite": "inference",
        "round": "v6.1",
        "division": "closed",
        "availability": "available",
        "submitter": "Acme",
        "platform": "acme-b300x8",
        "benchmark_published": "deepseek-r1",
        "benchmark": "deepseek-r1",
        "scenario": "Server",
        "value": 40_000.0,
        "unit": "tokens/s",
        "better": "higher",
        "system_type": ("datacenter",),
        "organisations": ("Acme",),
        "accelerator": "b300",
        "accelerators": ("b300",),
        "accelerator_published": "NVIDIA B300-SXM-270GB",
        "accelerator_count": 8,
        "software": ("tensorrt-llm",),
        "precision": ("fp4", "fp8"),
    }
    return Result(**{**values, **changes})


def rubin(**changes: Any) -> Result:
    """A preview row of 72 Vera Rubin by NVIDIA."""
    values: dict[str, Any] = {
        "submitter": "NVIDIA",
        "organisations": ("NVIDIA",),
        "platform": "vr-x72",
        "availability": "preview",
        "accelerator": "vera-rubin",
        "accelerators": ("vera-rubin",),
        "accelerator_published": "NVIDIA Vera Rubin",
        "accelerator_count": 72,
        "system": "vera-rubin-nvl72",
        "accelerator_power_limit_watts": 2300.0,
        "value": 1_000_000.0,
    }
    return result(**{**values, **changes})


def powered(**changes: Any) -> Result:
    """A row with measured power, in watts."""
    return result(power=(Power("measured", 10_400.99, "W"),), **changes)


def comparison(ratio: float = 2.0, per_accelerator: float | None = 1.5, **changes: Any) -> Comparison:
    """Vera Rubin over a B300, with its pair's name left empty."""
    values: dict[str, Any] = {
        "subject": rubin(),
        "baseline": result(),
        "ratio": ratio,
        "per_accelerator_ratio": per_accelerator,
        "differs": ("software",),
    }
    return Comparison(**{**values, **changes})


def scaling(efficiency: float = 0.85, **changes: Any) -> Scaling:
    """Acme's B300 from 8 to 16."""
    large = result(accelerator_count=16, platform="acme-b300x16", value=68_000.0)
    return Scaling(small=result(), large=large, efficiency=efficiency, accelerators_lost=2.4, **changes)


def gain(ratio: float = 1.4, before: Result | None = None, **changes: Any) -> Gain:
    """Acme's system from v6.0 to v6.1."""
    earlier = before if before is not None else result(round="v6.0", value=28_000.0)
    return Gain(match="same_system", before=earlier, after=result(), ratio=ratio, **changes)


def record(**changes: Any) -> Record:
    """Acme's row, the best since v5.1."""
    values: dict[str, Any] = {
        "best": result(),
        "before": result(round="v6.0", value=20_000.0),
        "since": "v5.1",
    }
    return Record(basis="absolute", **{**values, **changes})


def rank(**changes: Any) -> Rank:
    """Acme's row, second of two behind NVIDIA's."""
    best = result(submitter="NVIDIA", organisations=("NVIDIA",), platform="b300x8", value=50_000.0)
    values: dict[str, Any] = {"place": 2, "of": 2, "median": 45_000.0, "to_best": 0.8, "to_median": 8 / 9}
    values |= {"best": best, "vendor": best, "to_vendor": 0.8, "ahead": (best,), **changes}
    return Rank(result=result(), system_type="datacenter", **values)


def promise(**changes: Any) -> Promise:
    """NVIDIA's preview row of v6.1, due in v7.0."""
    values: dict[str, Any] = {
        "outcome": "open",
        "floor": 980_000.0,
        "earliest": date(2027, 2, 3),
        "due": "v7.0",
    }
    return Promise(preview=rubin(), **{**values, **changes})


def claim(verdict: str = "only_in_some_scenarios", **changes: Any) -> CheckedClaim:
    """A claim of 3.7x, true of one scenario."""
    values: dict[str, Any] = {
        "kind": "ratio",
        "value": 3.7,
        "qualifier": "up_to",
        "subject_system": "Vera Rubin NVL72",
        "baseline_system": "GB300 NVL72",
        "benchmark": "qwen3-vl-235b-a22b",
        "quote": "up to 3.7x",
    }
    evidence = Evidence(
        scenario="Interactive", reading="whole_system", figure=3.74, holds=True, arithmetic="1306.61 / 349.29"
    )
    return CheckedClaim(
        claim=Claim(**{**values, **changes}),
        verdict=Verdict(verdict=verdict, reading="whole_system", evidence=(evidence,)),
        post_url="https://example.org/post",
        post_title="Racks, compared",
        vendor="NVIDIA",
        source="nvidia-news",
    )


def post(**changes: Any) -> Post:
    """A vendor's post about a round."""
    values: dict[str, Any] = {
        "source": "acme-news",
        "identity": "1",
        "url": "https://example.org/1",
        "title": "Acme in MLPerf Inference v6.1",
        "html": "",
        "text": "Our racks did well in every scenario.",
        "vendor": "Acme",
    }
    return Post(**{**values, **changes})


def trouble(**changes: Any) -> SourceTrouble:
    """A source that answers with errors."""
    values: dict[str, Any] = {
        "source": "mlcommons",
        "url": "https://example.org",
        "failure": "server",
        "message": "503",
        "failures": 3,
        "since": NOON,
    }
    return SourceTrouble(**{**values, **changes})


SUBJECTS: dict[str, Subject] = {
    "result": powered(first_seen_at=NOON, notes="TGP 1100W"),
    "record": record(),
    "name": NewName(kind="submitter", name="Acme", suite="inference", round="v6.1", results=4),
    "comparison": comparison(),
    "scaling": scaling(),
    "gain": gain(),
    "rank": rank(),
    "promise": promise(),
    "claim": claim(),
    "post": post(published_at=NOON),
    "round": PublishedRound(suite="inference", round="v6.1", results=492),
    "source": trouble(),
}
"""One of everything that can be watched."""


def event(subject: Subject, kind: str = "result.added", **changes: Any) -> Event:
    """An event that leaves ``subject`` behind."""
    values: dict[str, Any] = {"after": subject, "occurred_at": NOON, "batch": "b1"}
    values |= changes
    values.setdefault("id", f"{kind} {values.get('before', '')} {subject}")
    return Event(kind=kind, **values)


def changed(before: Subject, after: Subject, kind: str = "result.changed", **changes: Any) -> Event:
    """An event that turned one subject into another."""
    return event(after, kind, before=before, **changes)


def rules(text: str, receivers: tuple[str, ...] = ("team-slack",)) -> RuleSet:
    """The rules of a file's text, under ``rules:``."""
    return load_files([RuleFile("rules/x.yaml", f"rules:\n{text}".encode())], load_catalog(), receivers)


def rule(text: str) -> Rule:
    """The only rule of a file's text."""
    (found,) = rules(text).rules
    return found


def problems(text: str, receivers: tuple[str, ...] = ("team-slack",)) -> list[str]:
    """What is wrong with a file's text, line by line."""
    try:
        load_files([RuleFile("rules/x.yaml", text.encode())], load_catalog(), receivers)
    except RuleError as error:
        return list(error.problems)
    return []
