"""The fixed work: eight result tables (9,928 rows, about 12 MB) and twelve posts (about 2 MB) on a local server.

The tables are the archived rounds in their published shape, repeated under other platform names up to a fixed number of
rows; the posts are paragraphs of our own around figures of those tables.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache

from watcher import archive
from watcher.demo.local import Answer, LocalServer, Reply, Request
from watcher.demo.published import summary_results
from watcher.domain import Result

ROWS = (620, 640, 1100, 1200, 1448, 1500, 1620, 1800)
POSTS = tuple(82_000 + 16_000 * n for n in range(12))
WORDS = (
    "rack node table figure run result engine batch token query sample scenario server offline limit latency system "
    "software release build driver kernel memory cache link switch cluster board vendor round row notes setting"
).split()


@cache
def table_rows(index: int, copy: int = 0) -> tuple[dict[str, object], ...]:
    """Return the published rows of one table."""
    held = archive.load("inference", "v5.1").results
    rows: list[Result] = []
    while len(rows) < ROWS[index]:
        turn = len(rows) // len(held)
        part = held if not turn else [replace(r, platform=f"{r.platform}-{turn}") for r in held]
        rows += part[: ROWS[index] - len(rows)]
    named = [replace(r, round=f"v{index + 1}.{copy}") for r in rows]
    return tuple(json.loads(summary_results(named)))


def table(index: int, copy: int = 0, *, changed: int = 0, shuffled: bool = False) -> bytes:
    """Return one table's bytes; ``changed``: so many times another value in one cell, ``shuffled``: rows in another order."""
    rows = [dict(row) for row in table_rows(index, copy)]
    if changed:
        rows[17]["Performance_Result"] = float(rows[17]["Performance_Result"]) * (1 + changed / 100)  # type: ignore[arg-type]
    if shuffled:
        random.Random(index + changed).shuffle(rows)
    return json.dumps(rows, indent=1).encode()


@cache
def post(index: int, changed: int = 0) -> bytes:
    """Return one post's HTML; ``changed``: so many times another paragraph."""
    words = random.Random(index)
    parts, size = [], 0
    while size < POSTS[index]:
        words_here = " ".join(words.choice(WORDS) for _ in range(60))
        parts.append(f"<p>In MLPerf Inference v6.1 {words_here}.</p>")
        size += len(parts[-1])
    parts[3] = "<p>GB300 NVL72 reaches 679,740 tokens/s on DeepSeek-R1 Offline in MLPerf Inference v6.1.</p>"
    if changed:
        parts[5] = f"<p>A correction of the {changed}. time.</p>"
    nav = "<nav><ul>" + "".join(f"<li><a href='/{n}'>Topic {n}</a></li>" for n in range(60)) + "</ul></nav>"
    return (
        f"<!doctype html><html><head><meta charset='utf-8'><title>Post {index}</title></head><body>{nav}<main><article>"
        f"<h1>Post {index}</h1><time datetime='2026-09-16T15:00:00Z'>16 September</time>{''.join(parts)}</article></main>"
        "<footer>About us</footer></body></html>"
    ).encode()


class World(LocalServer):
    """Serves the tables at ``/table/N/COPY`` and the posts at ``/post/N/COPY`` with ETag and Last-Modified."""

    def __init__(self) -> None:
        """Start unchanged."""
        self.changed = 0
        self.shuffled = False
        self._bodies: dict[tuple[str, int, bool], bytes] = {}
        super().__init__()

    def answer(self, request: Request) -> Answer:
        """Answer a conditional GET."""
        if request.path == "/robots.txt":
            return Reply(404)
        key = (request.path, self.changed, self.shuffled)
        if key not in self._bodies:
            self._bodies[key] = self._body(request.path)
        tag = f'"{self.changed}-{int(self.shuffled)}"'
        day = 10 + self.changed + int(self.shuffled)
        headers = {"ETag": tag, "Last-Modified": f"Thu, {day:02d} Sep 2026 10:00:00 GMT"}
        if request.headers.get("if-none-match") == tag or (
            "if-none-match" not in request.headers
            and request.headers.get("if-modified-since") == headers["Last-Modified"]
        ):
            return Reply(304, headers=headers)
        kind = "application/json" if request.path.startswith("/table") else "text/html; charset=utf-8"
        return Reply(200, self._bodies[key], {**headers, "Content-Type": kind})

    def _body(self, path: str) -> bytes:
        _, kind, number, copy = path.split("/")
        if kind == "table":
            return table(int(number), int(copy), changed=self.changed, shuffled=self.shuffled)
        return post(int(number), self.changed)

    def addresses(self, count: int) -> list[str]:
        """Return so many addresses: 8 tables and 12 posts, then the same again as other rounds and other pages."""
        pages = [f"{self.url}/table/{n}" for n in range(8)] + [f"{self.url}/post/{n}" for n in range(12)]
        return [f"{pages[n % 20]}/{n // 20}" for n in range(count)]
