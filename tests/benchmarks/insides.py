"""Cases (e) to (j): parts of the program in this process, beside the least work that gives the same answer."""

from __future__ import annotations

import csv
import gzip
import io
import json
import marshal
import sqlite3
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.benchmarks.measure import Spread, cpu_of, process
from tests.benchmarks.world import ARTICLE, POSTS, article
from watcher import archive
from watcher.catalog.names import load
from watcher.demo.published import summary, summary_results
from watcher.domain import Event, Result
from watcher.figures import NOTHING
from watcher.parse import read_table
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.recording import Recorder
from watcher.store import Store

NOW = datetime(2026, 9, 16, 15, tzinfo=UTC)


def ingest(runs: int, folder: Path, real: Path | None) -> tuple[str, Spread]:
    """(e) Ingest all rounds into a fresh state, beside json.loads of the same bytes and one executemany of their rows."""
    bodies = _bodies(real)
    catalog = load()
    ratios = []
    for turn in range(runs + 1):
        mine = cpu_of(lambda turn=turn: _ingest(bodies, folder / f"ingest-{turn}.db", catalog))  # type: ignore[misc]
        least = cpu_of(lambda turn=turn: _least(bodies, folder / f"least-{turn}.db"))  # type: ignore[misc]
        if turn:  # the first run reads the names and warms everything up
            ratios.append(mine / least)
    return f"ingest {len(bodies)} rounds / json.loads + executemany", Spread.of(ratios)


def _bodies(real: Path | None) -> list[bytes]:
    if real is None:
        shapes: list[Callable[..., bytes]] = [summary_results, summary_results, summary]
        return [
            shape(archive.load(*each).results) for shape, each in zip(shapes, archive.rounds(), strict=True)
        ]
    names = (
        "inference_v4.1_summary_results.r2", "inference_v5.1_summary_results", "inference_v6.0_summary_results",
        "inference_v6.1_summary",
    )  # fmt: skip
    return [gzip.decompress((real / "mlperf" / f"{name}.json.gz").read_bytes()) for name in names]


def _ingest(bodies: list[bytes], file: Path, catalog: object) -> None:
    file.unlink(missing_ok=True)
    with Store(file, now=NOW) as store:
        recorder = Recorder(store=store, catalog=lambda: catalog, wanted=lambda: NOTHING)  # type: ignore[arg-type,return-value]
        for number, body in enumerate(bodies):
            for table in read_table(body, name="a table", catalog=catalog):  # type: ignore[arg-type]
                with store.write():
                    recorder.table(
                        table, Occasion(batch=str(number), now=NOW), digest=str(number), baseline=True
                    )


def _least(bodies: list[bytes], file: Path) -> None:
    file.unlink(missing_ok=True)
    with sqlite3.connect(file) as database:
        for number, body in enumerate(bodies):
            rows = json.loads(body)
            listed = list(rows.values()) if isinstance(rows, dict) else rows
            columns = sorted({key for row in listed for key in row})
            names = ", ".join(f'"{name}"' for name in columns)
            database.execute(f"CREATE TABLE t{number} ({names})")
            database.executemany(
                f"INSERT INTO t{number} VALUES ({', '.join('?' * len(columns))})",
                [[row.get(name) for name in columns] for row in listed],
            )
    database.close()


def large_diff(runs: int) -> tuple[str, Spread]:
    """(g) A CSV table of 100,000 rows comes again with 10 changes and is read, diffed and recorded; beside parsing and hashing it."""
    held = archive.load("inference", "v5.1").results
    rows = [replace(held[n % len(held)], platform=f"p{n}", power=()) for n in range(100_000)]
    changed = [replace(r, value=r.value * 2) if n % 10_000 == 0 else r for n, r in enumerate(rows)]
    bodies = _csv(rows), _csv(changed)
    catalog = load()
    ratios = []
    with Store(now=NOW) as store:
        recorder = Recorder(store=store, catalog=lambda: catalog, wanted=lambda: NOTHING)

        def take(body: bytes, turn: int) -> int:
            state = store.tables.find("inference", "v5.1")
            known = None if state is None else store.tables.known(state)
            (table,) = read_table(body, name="a table", catalog=catalog, known=known)
            occasion = Occasion(batch=str(turn), now=NOW)
            with store.write():
                return len(
                    recorder.table(table, occasion, digest=str(turn), baseline=known is None, known=known)
                )

        take(bodies[0], 0)
        for turn in range(1, runs + 1):
            body, found = bodies[turn % 2], list[int]()
            mine = cpu_of(lambda body=body, turn=turn, found=found: found.append(take(body, turn)))  # type: ignore[misc]
            if found != [10]:
                sys.exit(f"the diff found {found[0]} changes, not 10")
            ratios.append(mine / cpu_of(lambda body=body: _hashed(body)))  # type: ignore[misc]
    return "100,000 rows of which 10 changed / parsing and hashing them", Spread.of(ratios)


def _csv(results: Sequence[Result]) -> bytes:
    """Write results as a CSV table in the newer shape."""
    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for start in range(0, len(results), 5000):
        rows = list(json.loads(summary(results[start : start + 5000])).values())
        if writer is None:
            writer = csv.DictWriter(text, list(rows[0]))
            writer.writeheader()
        writer.writerows(rows)
    return text.getvalue().encode()


def _hashed(body: bytes) -> set[bytes]:
    header, *rows = csv.reader(io.StringIO(body.decode(), newline=""))
    return {blake2b(marshal.dumps(dict(zip(header, row, strict=True)))).digest() for row in rows}


def rules(runs: int, counts: tuple[int, ...] = (10, 1000, 10_000)) -> list[tuple[str, Spread]]:
    """(f) A round of 500 rows against 10, 1,000 and 10,000 loaded rules that fire the same alerts."""
    from watcher.rules import evaluate
    from watcher.rules.load import RuleFile, load_files

    results = archive.load("inference", "v6.1").results
    rows = (*results, *(replace(r, platform=f"{r.platform}-2") for r in results[: 500 - len(results)]))
    events = [
        Event(id=str(n), number=n, kind="result.added", occurred_at=NOW, batch="b", after=row)
        for n, row in enumerate(rows, 1)
    ]
    sets = {}
    for count in counts:
        text = ["rules:"]
        for number in range(count):
            name = "vera-rubin" if number < 10 else "gb300"
            platform = "" if number < 10 else f", platform: nobody-{number}"
            text.append(f"  - {{id: r{number}, watch: result, where: {{accelerator: {name}{platform}}}}}")
        body = "\n".join(text).encode()
        loading = cpu_of(lambda body=body: load_files([RuleFile("bench.yaml", body)], load(), None))  # type: ignore[misc]
        sets[count] = (load_files([RuleFile("bench.yaml", body)], load(), None), loading)
    times: dict[int, list[float]] = {count: [] for count in counts}
    alerts = set()
    for _ in range(runs + 1):
        for count in counts:
            found: list[tuple[object, ...]] = []
            loaded = sets[count][0]
            times[count].append(cpu_of(partial(_into, found, evaluate, loaded, events, NOW)))
            alerts.add(len(found[0]))
    if len(alerts) != 1:
        sys.exit(f"the rule sets fired unlike numbers of alerts: {alerts}")
    first = times[counts[0]][1:]
    lines = [
        (
            f"500 rows against {count:,} rules / against {counts[0]}",
            Spread.of([a / b for a, b in zip(times[count][1:], first, strict=True)]),
        )
        for count in counts[1:]
    ]
    lines.append((f"loading {counts[-1]:,} rules, seconds", Spread.of([sets[counts[-1]][1]])))
    return lines


def _into(found: list[Any], work: Callable[..., Any], *given: object) -> None:
    found.append(work(*given))


def claims(runs: int) -> list[tuple[str, Spread]]:
    """(h) Claims out of 100 posts, posts a second: articles as they are, and articles as long as whole pages."""
    from watcher.claims import extract

    catalog = load()
    lines = []
    for words, part in (("14 to 43 KB", ARTICLE), ("82 to 258 KB", 1)):
        texts = [article(n % 12, POSTS[n % 12] // part, n) for n in range(100)]
        extract(texts[0], catalog=catalog)
        rates = [
            100 / cpu_of(lambda texts=texts: [extract(text, catalog=catalog) for text in texts])  # type: ignore[misc]
            for _ in range(max(1, runs // 2))
        ]
        lines.append((f"claims out of 100 articles of {words}, posts a second", Spread.of(rates)))
    return lines


def start(runs: int, folder: Path) -> list[tuple[str, Spread]]:
    """(i) The start of the command, beside an empty Python start."""
    home = folder / "start"
    home.mkdir(parents=True, exist_ok=True)
    (home / "watcher.toml").write_text("[watcher]\ngroups = []\n")
    command = str(Path(sys.executable).parent / "mlperf-watcher")
    process([command, "run"], cwd=str(home))
    cases = {"--version": ["--version"], "status": ["status"], "run with nothing due": ["run"]}
    figures: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(runs * 3):
        empty = process([sys.executable, "-c", "pass"], cwd=str(home)).cpu
        for name, arguments in cases.items():
            figures[name].append(process([command, *arguments], cwd=str(home)).cpu / empty)
    return [(f"{name} / an empty Python start", Spread.of(found)) for name, found in figures.items()]


def draining(runs: int, folder: Path) -> list[tuple[str, Spread]]:
    """(j) Draining 1,000 owed deliveries to a local webhook, beside 1,000 bare requests to it."""
    from tests.benchmarks.owed import drain

    return drain(runs, folder)
