"""The fixed work: eight result tables (9,928 rows of 35 columns, about 13 MB) and twelve posts (about 2 MB).

The tables are the archived rounds in their published shape, repeated under other platform names up to a fixed number of
rows. The posts are pages of 82 to 258 KB as vendors publish them: an article of 14 to 43 KB in our own words around
figures of those tables, and for the rest what pages carry besides (menus, styles, scripts, teasers of other posts).
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache
from typing import Any

from msgspec.structs import replace

from watcher import archive
from watcher.demo.published import summary_results
from watcher.domain import Result

ROWS = (620, 640, 1100, 1200, 1448, 1500, 1620, 1800)
POSTS = tuple(82_000 + 16_000 * n for n in range(12))
ARTICLE = 6  # one part in so many of a page is its article
WORDS = (
    "rack", "node", "table", "figure", "run", "result", "engine", "batch", "token", "query", "sample", "scenario",
    "server", "offline", "limit", "latency", "system", "software", "release", "build", "driver", "kernel", "memory",
    "cache", "link", "switch", "cluster", "board", "vendor", "round", "row", "notes", "setting",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class State:
    """What the world looks like: so many times changed, and the rows of its tables in another order or not."""

    changed: int = 0
    shuffled: bool = False


@cache
def table_rows(index: int, copy: int = 0) -> tuple[dict[str, Any], ...]:
    """Return the published rows of one table."""
    held = archive.load("inference", "v5.1").results
    rows: list[Result] = []
    while len(rows) < ROWS[index]:
        turn = len(rows) // len(held)
        part = held if not turn else [replace(r, platform=f"{r.platform}-{turn}") for r in held]
        rows += part[: ROWS[index] - len(rows)]
    named = [replace(r, round=f"v{index + 1}.{copy}") for r in rows]
    published = json.loads(summary_results(named))
    return tuple(row | _further(row, result) for row, result in zip(published, named, strict=True))


def _further(row: dict[str, Any], result: Result) -> dict[str, Any]:
    """Return the columns that the archive leaves out, and the links, so that a row is as wide as a published one."""
    place = row["Location"].removeprefix("./").partition("/performance")[0]
    repository = f"https://github.com/mlcommons/submissions_inference_{result.round}"
    return {
        "Accuracy": f"ROUGE1: {30 + result.value % 15:.4f}  ROUGE2: {10 + result.value % 9:.4f}",
        "operating_system": result.operating_system or "Ubuntu 24.04.2 LTS",
        "host_processors_per_node": result.processors_per_node or 2,
        "host_processor_core_count": str(result.processor_core_count or 56),
        "Details": f"{repository}/tree/main/{place}",
        "Code": f"{repository}/tree/main/{result.division}/{result.submitter}/src",
        "Unique ID (e.g. for Audit)": f"{abs(hash(result.value)) % 10**9:09d}",
        "ColorKey": result.availability[:1],
        "p#": result.processors_per_node or 2,
        "compliance": 1,
        "errors": 0,
    }


def table(index: int, copy: int, state: State) -> bytes:
    """Return one table's bytes; each change is another value in one row, and five other cells in another row."""
    rows = [dict(row) for row in table_rows(index, copy)]
    if state.changed:
        rows[17]["Performance_Result"] = float(rows[17]["Performance_Result"]) * (1 + state.changed / 100)
        rows[40] |= {
            "Performance_Result": float(rows[40]["Performance_Result"]) * (1 - state.changed / 100),
            "Nodes": 10 + state.changed,
            "Software": f"TensorRT {10 + state.changed}.0, CUDA 13.0",
            "Notes": f"measured again {state.changed} times",
            "Accuracy": f"ROUGE1: 44.{state.changed}",
        }
    if state.shuffled:
        random.Random(index + state.changed).shuffle(rows)
    return json.dumps(rows, indent=1).encode()


def post(index: int, changed: int = 0) -> bytes:
    """Return one post's page; each change is another paragraph."""
    size = POSTS[index]
    body = article(index, size // ARTICLE, changed)
    rest = random.Random(-index)
    nav = "".join(f"<li><a href='/topic/{n}'>Topic {n}</a></li>" for n in range(60))
    styles = _filled(size // 4, lambda n: f".c{n}>.d{n % 7}{{margin:0 {n % 9}px;color:#{n % 4096:03x}}}")
    scripts = _filled(size // 4, lambda n: f'dl.push({{"id":{n},"key":"{rest.getrandbits(60):x}"}});')
    teasers = _filled(
        size // 3,
        lambda n: (
            f"<li class='card'><a href='/{n}'><img src='/i/{rest.getrandbits(60):x}.webp' alt=''>"
            f"<h3>{_words(rest, 6)}</h3></a></li>"
        ),
    )
    return (
        f"<!doctype html><html><head><meta charset='utf-8'><title>Post {index}</title><style>{styles}</style>"
        f"<script>{scripts}</script></head><body><nav><ul>{nav}</ul></nav><main>{body}</main>"
        f"<aside><ul>{teasers}</ul></aside><footer>About us</footer></body></html>"
    ).encode()


def article(index: int, size: int, changed: int = 0) -> str:
    """Return an article of about ``size`` characters: of every eight paragraphs two say something about MLPerf."""
    words = random.Random(index)
    parts: list[str] = []
    length = 0
    while length < size:
        text = _paragraph(words, len(parts))
        if len(parts) == 5 and changed:
            text = f"A correction of the {changed}. time."
        parts.append(f"<p>{text}</p>")
        length += len(parts[-1])
    return (
        f"<article><h1>Post {index}</h1><time datetime='2026-09-16T15:00:00Z'>16 September</time>"
        f"{''.join(parts)}</article>"
    )


def _paragraph(words: random.Random, number: int) -> str:
    if number == 3:
        return "GB300 NVL72 reaches 679,740 tokens/s on DeepSeek-R1 Offline in MLPerf Inference v6.1."
    start = "In MLPerf Inference v6.1 " if number % 8 == 3 else ""
    sentences = [_words(words, 20) for _ in range(3)]
    if number % 8 == 6:
        sentences[1] = f"it runs {words.randint(2, 9)}.{words.randint(1, 9)}x as fast with {sentences[1]}"
    return start + " ".join(f"{sentence.capitalize()}." for sentence in sentences)


def _words(words: random.Random, count: int) -> str:
    return " ".join(words.choice(WORDS) for _ in range(count))


def _filled(size: int, part: Any) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(part(len(parts)))
        length += len(parts[-1])
    return "".join(parts)
