"""Labelled claims, and how well extraction finds them.

A found and a labelled claim match on kind, value (and upper end) and benchmark, one to one, the pair that agrees in
most other fields first. Vocabulary: docs/claims.md.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from watcher.domain import Claim

DATA = Path(__file__).parent / "data" / "claims"
VENDOR_WORDS = {
    "nvidia",
    "amd",
    "intel",
    "google",
    "microsoft",
    "azure",
    "oracle",
    "dell",
    "hpe",
    "cisco",
    "lenovo",
    "supermicro",
    "instinct",
    "gpu",
    "gpus",
    "rack",
    "node",
    "system",
    "systems",
}

Label = Mapping[str, Any]


@dataclass(frozen=True)
class Item:
    """One labelled text."""

    id: str
    text: str
    round: str | None
    expected: Sequence[Label]


@dataclass(frozen=True)
class Score:
    """Shares from 0 to 1, and the claims found in texts that have none."""

    precision: float
    recall: float
    whole: float
    false_alarms: int


def items_of(path: Path) -> list[Item]:
    """The items of a JSON lines file."""
    raw = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [Item(i["id"], i["text"], i["round"], i["expected"]) for i in raw]


def posts_of(folder: Path) -> list[Item]:
    """Pages, and the entries of feeds, with their labels beside them."""
    found = []
    for path in sorted(folder.glob("*.expected.json")):
        label = json.loads(path.read_text("utf-8"))
        texts = _texts(folder / label["file"])
        found += [
            Item(label["file"], text, None, post["claims"])
            for text, post in zip(texts, label["posts"], strict=True)
        ]
    return found


def _texts(path: Path) -> list[str]:
    """A page as it is; of a feed each entry, its title as its heading."""
    if path.suffix == ".html":
        return [path.read_text("utf-8")]
    content = "{http://purl.org/rss/1.0/modules/content/}encoded"
    entries = ET.parse(path).getroot().iter("item")  # noqa: S314 - our own labelled feeds
    return [
        f"<h1>{escape(entry.findtext('title') or '')}</h1>\n{entry.findtext(content) or entry.findtext('description') or ''}"
        for entry in entries
    ]


def score(items: Iterable[Item], find: Callable[[Item], Sequence[Claim]]) -> Score:
    """How well ``find`` finds what the items' labels say."""
    wanted = found = matched = whole = false_alarms = 0
    for item in items:
        claims = [claim for claim in find(item) if claim.status != "not_mlperf"]
        pairs = _pairs(claims, item.expected)
        hit = {id(label) for _, label in pairs}
        wanted += sum(1 for label in item.expected if not label.get("optional") or id(label) in hit)
        found += len(claims)
        matched += len(pairs)
        whole += sum(_agreement(claim, label) == len(FIELDS) for claim, label in pairs)
        false_alarms += 0 if item.expected else len(claims)
    return Score(matched / max(found, 1), matched / max(wanted, 1), whole / max(matched, 1), false_alarms)


def _pairs(claims: Sequence[Claim], labels: Sequence[Label]) -> list[tuple[Claim, Label]]:
    ranked = sorted(
        (
            (_agreement(c, e), n, m)
            for n, c in enumerate(claims)
            for m, e in enumerate(labels)
            if _same_figure(c, e)
        ),
        reverse=True,
    )
    pairs: dict[int, int] = {}
    for _, claim, label in ranked:
        if claim not in pairs and label not in pairs.values():
            pairs[claim] = label
    return [(claims[claim], labels[label]) for claim, label in pairs.items()]


def _same_figure(claim: Claim, label: Label) -> bool:
    return (
        (claim.kind, claim.benchmark) == (label["kind"], label["benchmark"])
        and _near(claim.value, label["value"])
        and _near(claim.value_max, label.get("value_max"))
    )


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= 1e-6 * max(1.0, abs(other))


def _same_system(one: str | None, other: str | None) -> bool:
    first, second = _bare(one), _bare(other)
    return first == second or (min(len(first), len(second)) >= 3 and (first in second or second in first))


def _bare(name: str | None) -> str:
    parts = [word for word in re.split(r"[^a-z0-9.+]+", (name or "").casefold()) if word not in VENDOR_WORDS]
    return "".join(parts) or re.sub(r"[^a-z0-9]", "", (name or "").casefold())


FIELDS: Mapping[str, Callable[[Claim, Label], bool]] = {
    "subject": lambda c, e: _same_system(c.subject_system, e["subject_system"]),
    "baseline": lambda c, e: _same_system(c.baseline_system, e["baseline_system"]),
    "scenarios": lambda c, e: set(c.scenarios) == set(e["scenarios"]),
    "qualifier": lambda c, e: c.qualifier == e["qualifier"],
    "round": lambda c, e: c.round == e["round"],
    "per_accelerator": lambda c, e: (c.per_accelerator is True) == (e["per_accelerator"] is True),
    "status": lambda c, e: c.status == e["status"],
}


def _agreement(claim: Claim, label: Label) -> int:
    return sum(test(claim, label) for test in FIELDS.values())
