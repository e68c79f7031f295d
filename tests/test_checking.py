"""What checking costs the state: sources without news share a transaction; rows for claims are loaded as needed, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.pipeline_stage import AT, HOUR, World
from tests.rows import row, rows, table
from watcher import archive
from watcher.catalog.names import load
from watcher.claims import check, extract
from watcher.config import Config, packaged_rules
from watcher.demo.local import Answer, LocalServer, Reply, Request
from watcher.demo.published import summary
from watcher.domain import Source
from watcher.figures import NOTHING
from watcher.pipeline.evidence import EvidenceRows
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.recording import Recorder
from watcher.store import Store


class Tables(LocalServer):
    """Serves a table at ``/v6.N`` with an ETag; ``bodies`` may be replaced."""

    def __init__(self) -> None:
        self.bodies = {f"/v6.{n}": summary(rows(4, round=f"v6.{n}")) for n in range(3)}
        super().__init__()

    def answer(self, request: Request) -> Answer:
        tag = f'"{hash(self.bodies[request.path])}"'
        if request.headers.get("if-none-match") == tag:
            return Reply(304, headers={"ETag": tag})
        return Reply(200, self.bodies[request.path], {"ETag": tag, "Content-Type": "application/json"})


@pytest.fixture
def served() -> Iterator[Tables]:
    with Tables() as server:
        yield server


@pytest.fixture
def world(served: Tables, tmp_path: Path) -> World:
    sources = tuple(
        Source(
            name=path, kind="table", url=served.url + path, allow_hosts=("127.0.0.1",),
            options={"suite": "inference", "round": path.removeprefix("/")},
        )
        for path in served.bodies
    )  # fmt: skip
    state = tmp_path / "watcher.db"
    return World(state=state, config=Config(state=state, rules=(packaged_rules(),)), sources=sources)


def points(world: World, hours: int) -> list[str]:
    reached: list[str] = []
    world.go(AT + hours * HOUR, reach=reached.append)
    return [point for point in reached if point in {"recording", "recorded"}]


def polls(world: World) -> dict[str, int]:
    with Store(world.state, now=AT) as store:
        return {state.round: state.polls for state in store.tables.all()}


def checks(world: World) -> dict[str, int]:
    with Store(world.state, now=AT) as store:
        return {name: memory.checks for name, memory in store.sources.all().items()}


def test_sources_without_news_are_recorded_in_one_transaction_each_with_its_poll(world: World):
    assert points(world, 0) == ["recording", "recorded"] * 3

    assert points(world, 1) == ["recording", "recorded"]
    assert (polls(world), checks(world)) == (
        {"v6.0": 2, "v6.1": 2, "v6.2": 2},
        {"/v6.0": 2, "/v6.1": 2, "/v6.2": 2},
    )


def test_news_has_a_transaction_of_its_own_after_what_was_checked_before_it(world: World, served: Tables):
    world.go(AT)
    served.bodies["/v6.1"] = summary(rows(5, round="v6.1"))

    assert points(world, 1) == ["recording", "recorded"] * 3
    assert polls(world) == {"v6.0": 2, "v6.1": 2, "v6.2": 2}


def test_a_row_missing_at_an_unchanged_poll_too_is_removed_though_nothing_came(world: World, served: Tables):
    world.go(AT)
    served.bodies["/v6.1"] = summary(rows(3, round="v6.1"))
    world.go(AT + HOUR)
    world.go(AT + 2 * HOUR)

    with Store(world.state, now=AT) as store:
        assert store.events.counts()["result.removed"] == 1
        assert store.tables.with_missing_rows() == frozenset()


def test_a_source_that_recovers_is_told_though_it_brought_nothing(world: World, served: Tables):
    world.go(AT)
    served.bodies["/v6.1"] = b"<html>"
    for hour in range(1, 4):
        world.go(AT + hour * HOUR)
    served.bodies["/v6.1"] = summary(rows(4, round="v6.1"))
    world.go(AT + 5 * HOUR)

    with Store(world.state, now=AT) as store:
        assert store.events.counts() == {"source.failing": 1, "source.recovered": 1}


# ------------------------------------------------------------------------------------------------ rows for claims


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(now=AT) as made:
        yield made


def record(store: Store, *tables: object, batch: str = "b") -> None:
    recorder = Recorder(store=store, catalog=load, wanted=lambda: NOTHING)
    for number, made in enumerate(tables):
        with store.write():
            recorder.table(
                made, Occasion(batch=f"{batch}{number}", now=AT), digest=f"{batch}{number}", baseline=True
            )  # type: ignore[arg-type]


def test_a_claim_sees_its_benchmarks_rows_and_one_of_every_other_table_but_none_under_embargo(store: Store):
    secret = replace(table(row(round="v7.0", benchmark="whisper")), private=True)
    mine = row(benchmark="whisper", benchmark_published="whisper")
    record(store, table(*rows(3), mine), table(*rows(3, round="v6.0")), secret)

    seen = store.tables.evidence("whisper")

    assert [r.round for r in seen if r.benchmark == "whisper"] == ["v6.1"]
    assert {r.round for r in seen} == {"v6.0", "v6.1"}
    assert len(seen) <= 3
    assert len(store.tables.evidence(None)) == 7


def test_rows_for_claims_are_loaded_once_and_again_when_results_were_written(store: Store):
    record(store, table(*rows(2)))
    held = EvidenceRows(store.tables)
    first = held.of("deepseek-r1")

    assert (len(first), held.of("deepseek-r1") is first) == (2, True)
    record(store, table(*rows(3)), batch="later")
    assert (len(held.of("deepseek-r1")), len(first)) == (3, 2)


def test_a_verdict_is_the_same_by_a_benchmarks_rows_as_by_all(store: Store):
    record(store, *(archive.load(*each) for each in archive.rounds()))
    every = store.tables.results(private=False)
    text = (
        "<p>In MLPerf Inference v6.1, Vera Rubin NVL72 is up to 3.7x GB300 NVL72 on Qwen3-VL. GB300 NVL72 reaches "
        "679,740 tokens/s on DeepSeek-R1 Offline in MLPerf Inference v5.1. MI355X is 2.1x MI300X on Llama 2 70B Server. "
        "B200 reaches 10 tokens/s on Whisper in MLPerf Inference v2.0. B300 is 3x B200 in MLPerf Inference v6.1.</p>"
    )
    claims = extract(text, catalog=load())
    held = EvidenceRows(store.tables)

    verdicts = [check(claim, held.of(claim.benchmark), catalog=load()) for claim in claims]

    assert len(claims) >= 4
    assert verdicts == [check(claim, every, catalog=load()) for claim in claims]


def test_a_real_posts_verdicts_are_the_same_by_a_benchmarks_rows_as_by_all(store: Store, real: Path):
    record(store, *(archive.load(*each) for each in archive.rounds()))
    every = store.tables.results(private=False)
    held = EvidenceRows(store.tables)
    for post in sorted((real / "posts").glob("*.html")):
        for claim in extract(post.read_text(), catalog=load()):
            one = check(claim, held.of(claim.benchmark), catalog=load())
            assert one == check(claim, every, catalog=load())
