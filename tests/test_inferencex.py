"""InferenceX: its news and its change log as posts of SemiAnalysis, apart from MLPerf's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.site import NOW, Site, rss, source
from watcher.catalog.names import load
from watcher.errors import ConfigError, FetchError, ParseError, SourceError
from watcher.parse.changelog import read_changelog
from watcher.sources import read

LOG = Path("tests/data/feeds/perf-changelog.yaml")
URL = "https://raw.example/main/perf-changelog.yaml"


def check(body: str | bytes | Site, url: str = URL, cursor=None, **options):
    site = body if isinstance(body, Site) else Site({url: body})
    return read(
        replace(source("inferencex", url, **options), group="benchmarks"), site, cursor or {}, NOW, load()
    )


def test_each_entry_of_the_change_log_is_a_post_of_semianalysis():
    reading = check(LOG.read_bytes())

    post = reading.posts[1]
    assert (post.title, post.url, post.vendor) == (
        "InferenceX change 17: Use a newer image: 2.0",
        "https://github.com/SemiAnalysisAI/InferenceX/pull/17",
        "SemiAnalysis",
    )
    assert post.text == "Configurations: some-fp4-gb300-engine, some-fp4-b200-engine\nUse a newer image: 2.0\nRaise the concurrency to 128"  # fmt: skip
    assert (len(reading.posts), reading.tables, reading.rounds) == (3, (), ())


def test_only_the_newest_entries_are_read():
    assert [post.title for post in check(LOG.read_bytes(), newest=1).posts] == [
        "InferenceX change 18: One sentence alone"
    ]


def test_an_edited_entry_is_the_same_post():
    before = check(LOG.read_bytes()).posts
    after = check(LOG.read_bytes().replace(b"a newer image", b"an older image")).posts

    assert [post.identity for post in before] == [post.identity for post in after]
    assert before[1].text != after[1].text


def test_two_entries_of_one_pull_request_are_two_posts():
    twice = LOG.read_bytes().replace(b"pull/18", b"pull/17")

    assert len({post.identity for post in check(twice).posts}) == 3


def test_its_news_is_a_feed_under_the_same_name():
    url = "https://inferencex.example/feed.xml"

    (post,) = check(
        rss("<title>AgentX</title><guid>1</guid><link>/blog/1</link><description>18x</description>"), url
    ).posts

    assert (post.title, post.vendor, post.url) == (
        "AgentX",
        "SemiAnalysis",
        "https://inferencex.example/blog/1",
    )


@pytest.mark.parametrize("group", ["mlcommons", "vendors"])
def test_it_is_not_kept_among_mlperfs_sources(group):
    with pytest.raises(ConfigError, match="InferenceX is no MLPerf; its group is 'benchmarks'"):
        read(replace(source("inferencex", URL), group=group), Site({}), {}, NOW, load())


def test_an_unchanged_change_log_brings_nothing():
    site = Site({URL: LOG.read_bytes()})
    first = check(site)

    assert check(site, cursor=first.cursor).posts == ()


@pytest.mark.parametrize("body", [b"", b"a: 1", b"<html></html>", b"- a\n- b\n", b"- {}\n", b"- [1]\n"])
def test_what_is_no_change_log_is_not_what_it_was(body):
    with pytest.raises(FetchError) as error:
        read_changelog(body, url=URL, newest=10)

    assert error.value.failure == "not-what-it-was"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"- a: &x [1]\n  b: *x\n", "uses YAML aliases"),
        (b"- a: " + b"[" * 5000, "is nested more than 20 levels deep"),
        (b"- a: 'open\n", "is no YAML"),
        (b"- a: \xff\n", "is no YAML"),
        (b"- a: !!python/object:os.system x\n- config-keys: ]", "is no YAML"),
        (b"- a: " + b"1" * 300_000, "entries have 300,005 bytes"),
    ],
)
def test_yaml_that_is_hostile_or_broken_is_refused(body, message):
    with pytest.raises(ParseError, match=message):
        read_changelog(body, url=URL, newest=10)


@settings(max_examples=200)
@given(st.text(alphabet="-:[]{}&*!|>'\"#%@ \na1\\x\u2028\ud7ff", max_size=60))
def test_any_yaml_gives_entries_or_an_error_of_ours(body):
    try:
        changes = read_changelog(f"- config-keys: {body}".encode(), url=URL, newest=5)
    except SourceError:
        return
    assert all(change.configurations or change.sentences for change in changes)
