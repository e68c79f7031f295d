"""The shipped list of sources: whole, valid, and turned on by group."""

from __future__ import annotations

from collections import Counter

import pytest

from watcher.errors import ConfigError
from watcher.sources import SOURCES, options_of
from watcher.sources.defaults import GROUPS, load, parse

ROW = """[[source]]
name = "a"
kind = "feed"
url = "https://a.example/feed"
every = "15m"
group = "press"
confirmed = true
"""


def by_name():
    return {source.name: source for source in load()}


@pytest.mark.parametrize("source", load(), ids=lambda source: source.name)
def test_a_shipped_source_is_of_a_kind_that_we_have_with_options_that_it_takes(source):
    assert source.kind in SOURCES
    assert isinstance(options_of(source), dict)


def test_addresses_are_https_and_stand_there_once():
    places = Counter((source.url, source.suite) for source in load())

    assert all(source.url.startswith("https://") for source in load())
    assert [place for place, times in places.items() if times > 1] == []


def test_every_suite_of_mlcommons_with_results_is_watched():
    suites = {source.suite for source in load() if source.kind == "results_repos"}

    assert suites == {"inference", "training", "hpc", "storage", "tiny", "automotive", "endpoints"}


def test_the_groups_are_those_that_a_user_turns_on():
    assert {source.group for source in load()} == set(GROUPS)


def test_other_benchmarks_are_kept_apart_from_mlperf():
    kinds = {source.kind for source in load() if source.group == "benchmarks"}
    groups = {
        source.group for source in load() if source.kind == "inferencex" or source.vendor == "SemiAnalysis"
    }

    assert (kinds, groups) == ({"inferencex"}, {"benchmarks"})


def test_vendors_are_named_and_the_press_is_no_vendor():
    assert all(source.vendor for source in load() if source.group == "vendors")
    assert not any(source.vendor for source in load() if source.group == "press")


def test_broad_sources_keep_only_what_is_about_the_benchmarks():
    broad = [source for source in load() if source.group in ("vendors", "press")]

    assert all("MLPerf" in source.options["filter"] for source in broad)


def test_addresses_that_were_not_seen_to_work_say_so():
    names = {source.name for source in load() if not source.confirmed}

    assert {"intel-newsroom", "azure-hpc-blog", "nebius-blog", "the-next-platform", "lmsys-blog"} <= names
    assert by_name()["nvidia-blog"].confirmed


def test_results_are_asked_for_more_often_than_the_press():
    assert by_name()["mlcommons-inference"].every == 900
    assert min(source.every for source in load() if source.group == "press") == 1800


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('every = "15m"\n', ""), "source 'a': 'every' is missing"),
        (('"15m"', '"soon"'), "every must be a time such as '15m'"),
        (('"15m"', '"900"'), "every must be a time such as '15m'"),
        (("kind", "kinds"), "'kind' is missing"),
        (("confirmed = true", "confirmed = true\nvendr = 'x'"), "unknown key 'vendr'; did you mean 'vendor'"),
        (('"press"', '"pres"'), "unknown group 'pres'; did you mean 'press'"),
        (("https://", "http://"), "must start with https://"),
        (("[[source]]", "[[source]"), "is no valid TOML"),
        ((ROW, ROW + ROW), "source 'a': stands there twice"),
    ],
)
def test_a_wrong_list_names_the_source_and_what_is_wrong(change, message):
    with pytest.raises(ConfigError, match=message):
        parse(ROW.replace(*change), "list.toml")


def test_a_list_of_ones_own_is_read_the_same_way():
    (source,) = parse(ROW + "vendor = 'A'\nsuite = 'tiny'\n[source.options]\nfilter = ['x']\n", "list.toml")

    assert (source.every, source.vendor, source.suite, source.options) == (
        900.0,
        "A",
        "tiny",
        {"filter": ["x"]},
    )
