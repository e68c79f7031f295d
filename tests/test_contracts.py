"""What every row of the SOURCES table must do, whatever the other side does: shared by all kinds of source.

A new kind needs one entry in EXAMPLES and is then held to all of this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.servers import FaultServer, bomb, cut_off, ok, reset, trickle, understated, with_etag
from watcher.catalog.names import Catalog, load
from watcher.demo.local import Answer, Reply
from watcher.domain import Reading, Source, Validators
from watcher.errors import ConfigError, FetchError, ParseError, SourceError
from watcher.fetch import Fetcher
from watcher.sources import SOURCES, options_of, read, reference
from watcher.wiring import SOURCE_KEYS

FEED = b"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>News</title><link>https://news.example/</link>
<item><title>New results</title><link>https://news.example/1</link><guid>1</guid><description>J\xc3\xbclich ran it.</description></item>
</channel></rss>"""
INDEX = b"""<!doctype html><html><head><meta charset="utf-8"><title>News</title></head><body><main>
<article><h2><a href="/news/one">J\xc3\xbclich ran it first</a></h2></article>
<article><h2><a href="/news/two">Another result, told at length</a></h2></article></main></body></html>"""
ARTICLE = b"""<!doctype html><html><head><title>J\xc3\xbclich ran it first</title></head><body><article><h1>It ran first</h1>
<p>The system ran the benchmark, and the figures are in the table of results for everyone to read and compare.</p>
<p>A second paragraph says how it was done, so that there is enough text for an article to be found.</p></article></body></html>"""
TABLE = b"""<!doctype html><html><head><meta charset="utf-8"></head><body><table><tr><th>Date</th><th>Change</th></tr>
<tr><td>2026-09-20</td><td>J\xc3\xbclich corrected</td></tr><tr><td>2026-09-21</td><td>One withdrawn</td></tr></table></body></html>"""
RESULTS = json.dumps(
    [
        {
            "Submitter": "J\u00fclich", "Availability": "available", "Category": "closed", "Suite": "datacenter",
            "System": "A system", "Platform": "A_x8", "UsedModel": "llama3.1-8b", "Model": "llama3.1-8b",
            "Scenario": "Offline", "Nodes": 1, "Accelerator": "NVIDIA B200-SXM-180GB", "a#": 8, "version": "v6.0",
            "Performance_Result": 10.0, "Performance_Units": "Tokens/s", "has_power": False,
        }
    ]
).encode()  # fmt: skip
REPOSITORIES = json.dumps(
    [{"id": 1, "name": "inference_results_v6.0", "full_name": "mlcommons/inference_results_v6.0"}]
).encode()
REPOSITORY = "/repos/mlcommons/inference_results_v6.0"


@dataclass(frozen=True)
class Example:
    """A source of one kind: the path it asks for, what stands there in good times, and what else its server has."""

    path: str
    body: bytes
    media_type: str
    around: Mapping[str, bytes] = field(default_factory=dict)
    options: Callable[[str], dict[str, Any]] = lambda _: {}
    base: str = ""
    brings: int = 1


EXAMPLES = {
    "feed": Example("/feed.xml", FEED, "application/rss+xml"),
    "page": Example(
        "/news/",
        INDEX,
        "text/html",
        {"/news/one": ARTICLE, "/news/two": ARTICLE},
        brings=2,
    ),
    "html_table": Example("/changes", TABLE, "text/html", brings=2),
    "inferencex": Example("/atom.xml", FEED, "application/atom+xml"),
    "table": Example(
        "/summary_results.json",
        RESULTS,
        "application/json",
        options=lambda _: {"suite": "inference", "round": "v6.0"},
    ),
    "article": Example("/news/one", ARTICLE, "text/html"),
    "results_repos": Example(
        "/orgs/mlcommons/repos",
        REPOSITORIES,
        "application/json",
        {
            f"{REPOSITORY}/contents": b'[{"name": "summary_results.json", "type": "file", "sha": "b10b"}]',
            f"{REPOSITORY}/commits": b'[{"sha": "c0ffee"}]',
            "/raw/mlcommons/inference_results_v6.0/c0ffee/summary_results.json": RESULTS,
        },
        lambda url: {"suite": "inference", "raw": f"{url}/raw", "web": f"{url}/web"},
        base="/",
    ),
}


class World:
    """A server, and a source of one kind that is checked against it as the pipeline does it."""

    def __init__(self, kind: str, server: FaultServer, now: Any, catalog: Catalog, **caps: Any) -> None:
        self.example, self.server, self.now, self.catalog = EXAMPLES[kind], server, now, catalog
        for path, body in self.example.around.items():
            server.on(path, ok(body, "text/html" if body.startswith(b"<") else "application/json"))
        self.source = Source(
            name=kind,
            kind=kind,
            url=server.url + (self.example.base or self.example.path),
            group="user",
            allow_hosts=("127.0.0.1",),
            options=self.example.options(server.url),
        )
        caps = {"min_gap": 0, "timeout": 5, "max_bytes": 1 << 20, "max_decoded_bytes": 2 << 20, **caps}
        self.fetcher = Fetcher(**caps)
        self.cursor: Mapping[str, Any] = {}
        self.validators: dict[str, Validators] = {}

    def answers(self, *answers: Answer) -> None:
        self.server.on(self.example.path, *answers)

    def good(self, **headers: str) -> Reply:
        return ok(self.example.body, self.example.media_type, **headers)

    def check(self) -> Reading:
        session = self.fetcher.session(self.source, self.validators, self.now)
        reading = read(self.source, session, self.cursor, self.now, self.catalog)
        for table in reading.tables:
            table.read()  # as the pipeline does, before anything is remembered
        self.cursor = json.loads(json.dumps(reading.cursor))
        self.validators |= session.validators
        self.now += timedelta(minutes=1)
        return reading

    def asked(self) -> list[Any]:
        return self.server.asked(self.example.path)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load()


@pytest.fixture(params=sorted(SOURCES))
def kind(request) -> str:
    return str(request.param)


@pytest.fixture
def world(kind, now, catalog) -> Iterator[World]:
    with FaultServer() as server:
        made = World(kind, server, now, catalog)
        yield made
        made.fetcher.close()


def brought(reading: Reading) -> int:
    return len(reading.posts) + len(reading.tables)


def test_a_good_answer_is_read(world):
    world.answers(world.good())
    reading = world.check()

    assert (brought(reading), reading.failure) == (world.example.brings, None)
    assert all(published.read().results for published in reading.tables)


def test_what_a_source_remembers_is_json_and_its_steps_are_words(world):
    world.answers(world.good())
    reading = world.check()

    assert json.loads(json.dumps(reading.cursor)) == reading.cursor
    assert all(isinstance(step, str) and step for step in reading.steps)


def test_a_304_is_an_unchanged_world(world):
    world.server.by(world.example.path, with_etag(world.example.body, media_type=world.example.media_type))
    world.check()
    reading = world.check()

    assert (brought(reading), reading.rounds, reading.failure) == (0, (), None)
    assert world.asked()[-1].headers["if-none-match"] == '"one"'


def test_a_304_with_another_etag_is_read_in_full(world):
    world.answers(world.good(ETag='"one"'), Reply(304, headers={"ETag": '"two"'}), world.good(ETag='"two"'))
    world.check()
    reading = world.check()

    assert reading.failure is None
    assert [request.headers.get("if-none-match") for request in world.asked()] == [None, '"one"', None]


def test_the_same_bytes_without_validators_are_an_unchanged_world(world):
    world.answers(world.good())
    world.check()

    assert brought(world.check()) == 0


@pytest.mark.parametrize(
    ("answer", "classes"),
    [
        (Reply(301, b"", {"Location": "http://10.0.0.1/"}), {"refused"}),
        (Reply(301, b"", {"Location": "http://[::1]/"}), {"refused"}),
        (Reply(403, b"Just a moment..."), {"blocked"}),
        (Reply(403), {"auth"}),
        (Reply(404), {"gone"}),
        (Reply(410), {"gone"}),
        (Reply(429, b"", {"Retry-After": "120"}), {"rate-limited"}),
        (Reply(500), {"server"}),
        (reset, {"network"}),
        (cut_off(b"<", 1000, "text/html"), {"network"}),
        (understated(FEED, len(FEED) - 20, "text/html"), {"network"}),
        (bomb(3 << 20, "text/html"), {"too-large"}),
        (ok(b"", "text/html"), {"not-what-it-was"}),
        (ok(b"<!doctype html><title>Sorry</title><p>We are down.", "text/html"), {"not-what-it-was", "parse"}),
        (ok(b"\x00\x01\x02 neither one nor the other", "application/octet-stream"), {"not-what-it-was", "parse"}),
    ],
    ids=[
        "301 to a private address", "301 to loopback", "403 of a bot wall", "403", "404", "410", "429", "500", "reset",
        "cut off", "more than announced", "gzip bomb", "empty", "HTML instead", "no text at all",
    ],
)  # fmt: skip
def test_every_fault_is_a_source_error_of_its_class_and_forgets_nothing(world, answer, classes):
    world.answers(world.good())
    world.check()
    cursor, validators = dict(world.cursor), dict(world.validators)
    world.answers(answer)
    with pytest.raises(SourceError) as caught:
        world.check()

    assert caught.value.failure in classes
    assert str(caught.value)
    assert (world.cursor, world.validators) == (cursor, validators)


def test_after_a_fault_the_source_goes_on_as_if_nothing_had_been(world):
    world.answers(world.good(), Reply(500), world.good())
    world.check()
    with pytest.raises(FetchError):
        world.check()

    assert (brought(world.check()), world.check().rounds) == (0, ())


@pytest.mark.parametrize(
    ("said", "seconds"), [("120", 120.0), ("Wed, 16 Sep 2026 15:10:00 GMT", 300.0)], ids=["seconds", "date"]
)
def test_a_429_says_how_long_to_wait(world, said, seconds):
    def answer(handler):
        head = f"HTTP/1.1 429 No\r\nDate: Wed, 16 Sep 2026 15:05:00 GMT\r\nRetry-After: {said}\r\nContent-Length: 0\r\n\r\n"
        handler.wfile.write(head.encode())

    world.answers(answer)
    with pytest.raises(FetchError) as caught:
        world.check()

    assert (caught.value.failure, caught.value.retry_after) == ("rate-limited", seconds)


def test_an_answer_that_drips_is_ended(kind, now, catalog):
    ticks = iter(range(1_000_000))
    with FaultServer() as server:
        world = World(kind, server, now, catalog, monotonic=lambda: float(next(ticks)), max_bytes=1 << 30)
        world.answers(trickle(world.example.media_type))
        with pytest.raises(FetchError) as caught:
            world.check()
        world.fetcher.close()

    assert caught.value.failure == "network"


def outcome(world: World) -> Reading | SourceError:
    """What a check comes to; any other exception is a fault of ours and fails the test."""
    try:
        return world.check()
    except SourceError as error:
        return error


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "ascii", "no-such-charset", ""])
def test_a_wrong_charset_is_read_rightly_or_is_an_error_never_another_exception(world, charset):
    world.answers(ok(world.example.body, f"{world.example.media_type}; charset={charset}"))
    came = outcome(world)

    if isinstance(came, Reading):
        assert not any("\ufffd" in f"{post.title} {post.text}" for post in came.posts)
    else:
        assert came.failure in {"parse", "not-what-it-was"}


@pytest.mark.parametrize("cut", range(0, 100, 9))
def test_a_document_cut_anywhere_is_a_reading_or_a_source_error(world, cut):
    body = world.example.body
    world.answers(ok(body[: len(body) * cut // 100] or b"<", world.example.media_type))
    came = outcome(world)

    if isinstance(came, Reading):
        assert brought(came) <= world.example.brings
    else:
        assert came.failure in {"parse", "not-what-it-was"}


def test_an_option_that_a_kind_does_not_know_is_refused_with_the_nearest_one(kind):
    known = min(SOURCES[kind].options)
    source = Source(name="mine", kind=kind, url="https://news.example/", options={known + "x": 1})
    with pytest.raises(
        ConfigError, match=rf"source 'mine': unknown option '{known}x'; did you mean '{known}'"
    ):
        options_of(source)


def test_every_option_has_help_and_a_default_of_its_own_type(kind):
    for name, option in SOURCES[kind].options.items():
        assert option.help.endswith((".", ":")), name
        assert option.default is None or isinstance(option.default, option.type), name
    assert SOURCES[kind].help.endswith(".")


def test_an_unknown_kind_is_refused_with_the_nearest_one(now, catalog):
    source = Source(name="mine", kind="feeds", url="https://news.example/")
    with pytest.raises(ConfigError, match="source 'mine': unknown kind 'feeds'; did you mean 'feed'"):
        read(source, replace, {}, now, catalog)  # type: ignore[arg-type]


def test_a_parse_error_says_which_address_it_is_about(world):
    world.answers(ok(b"\x00\x01", world.example.media_type))
    with pytest.raises((ParseError, FetchError), match=r"127\.0\.0\.1"):
        world.check()


# ------------------------------------------------------------------------------------------------ the docs


DOCS = (Path(__file__).parent.parent / "docs" / "sources.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", SOURCES)
def test_the_docs_hold_the_very_options(kind):
    assert f'`kind = "{kind}"`. {SOURCES[kind].help}\n\n{reference.table(kind)}\n' in DOCS


@pytest.mark.parametrize("key", [*SOURCE_KEYS])
def test_the_docs_name_every_key_of_a_source(key):
    names = {
        name
        for line in DOCS.splitlines()
        if line.startswith("| `")
        for name in re.findall(r"`(\w+)`", line.split("|")[1])
    }

    assert {key, f"{key}_file", f"{key}_env"} & names
