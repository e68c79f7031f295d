"""The result repositories of a suite, against a stand-in for GitHub over real HTTP."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from tests.servers import cut_off, reset
from watcher.catalog.names import Catalog, load
from watcher.demo.github import GitHubServer
from watcher.demo.local import Reply
from watcher.domain import Reading, Secret, Source, Validators
from watcher.errors import ConfigError, FetchError, HeldBackError, ParseError, WatcherError
from watcher.fetch import Fetcher
from watcher.sources import read
from watcher.sources.round_names import expected_names, round_of

START = datetime(2026, 9, 16, 15, 0, tzinfo=UTC)


def row(version: str = "v6.1", value: float = 10.0, submitter: str = "NVIDIA") -> dict[str, object]:
    """One row of an official table in the older shape."""
    return {
        "ID": "6.1-0001", "Submitter": submitter, "Availability": "available", "Category": "closed", "Suite": "datacenter",
        "System": "A system", "Platform": "A-platform_x8", "UsedModel": "llama3.1-8b", "Model": "llama3.1-8b",
        "Scenario": "Offline", "Nodes": 1, "Processor": "A processor", "Accelerator": "NVIDIA B200-SXM-180GB", "a#": 8,
        "Software": "An engine", "version": version, "Performance_Result": value, "Performance_Units": "Tokens/s",
        "has_power": False, "Location": "closed/NVIDIA/results/A-platform_x8/llama3.1-8b/Offline",
    }  # fmt: skip


def table(version: str = "v6.1", value: float = 10.0) -> bytes:
    return json.dumps([row(version, value)]).encode()


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load()


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with GitHubServer(token="t0ken") as running:
        running.publish(
            "inference_results_v5.1", {"summary_results.json": table("v5.1"), "README.md": b"# v5.1"}
        )
        running.publish("inference_results_v6.0", {"summary_results.json": table("v6.0")})
        running.publish("training_results_v5.1", {})
        running.publish("ck", {"README.md": b"another project"})
        yield running


class Watching:
    """A source that is checked again and again, its cursor and validators committed after each check."""

    def __init__(self, github: GitHubServer, catalog: Catalog, **fields: object) -> None:
        self.github, self.catalog = github, catalog
        options = {"raw": github.raw, "web": github.web, **dict(fields.pop("options", {}))}
        self.source = replace(
            Source(name="inference", kind="results_repos", url=github.api, suite="inference", secret=Secret("t0ken")),
            allow_hosts=("127.0.0.1",), options=options, **fields,
        )  # fmt: skip
        self.fetcher = Fetcher(min_gap=0, timeout=5)
        self.cursor: dict[str, object] = {}
        self.validators: dict[str, Validators] = {}
        self.now = START
        self.steps: list[str] = []

    def check(self, after: timedelta = timedelta(minutes=15)) -> Reading:
        """Check once; commit what it brought, as the pipeline does; the requests made stand in ``asked``."""
        self.now += after
        before = len(self.github.requests)
        session = self.fetcher.session(self.source, self.validators, self.now)
        try:
            reading = read(self.source, session, self.cursor, self.now, self.catalog)
        finally:
            self.asked = self.github.requests[before:]
            self.steps = session.steps
        self.cursor = json.loads(json.dumps(reading.cursor))
        self.validators |= session.validators
        return reading

    def statuses(self) -> list[str]:
        """What was answered to the last check's requests."""
        return [step.split(": ")[-1].split(",")[0] for step in self.steps if step.startswith("GET")]


@pytest.fixture
def watching(github: GitHubServer, catalog: Catalog) -> Iterator[Watching]:
    made = Watching(github, catalog)
    yield made
    made.fetcher.close()


def rounds(reading: Reading) -> list[tuple[str, str]]:
    return [(each.suite, each.round) for each in reading.rounds]


def values(reading: Reading) -> dict[str, float]:
    return {each.round: each.read().results[0].value for each in reading.tables}


# ------------------------------------------------------------------------------------------------ what is news


def test_the_first_check_is_a_baseline_with_the_newest_tables_and_no_news(watching):
    reading = watching.check()

    assert rounds(reading) == []
    assert [(each.suite, each.round, each.baseline) for each in reading.tables] == [
        ("inference", "v6.0", True),
        ("inference", "v5.1", True),
    ]
    assert reading.failure is None


def test_a_table_carries_its_address_its_bytes_and_its_parsed_results(watching, github):
    published = watching.check().tables[0]
    result = published.read().results[0]

    assert published.url == f"{github.web}/mlcommons/inference_results_v6.0/blob/main/summary_results.json"
    assert [document.body for document in published.documents] == [table("v6.0")]
    assert (result.round, result.submitter, result.value) == ("v6.0", "NVIDIA", 10.0)
    assert result.url.startswith(f"{github.web}/mlcommons/inference_results_v6.0")


def test_an_unchanged_world_costs_nothing_but_304s_and_names_that_are_not_there(watching, github):
    watching.check()
    reading = watching.check()

    assert (reading.tables, reading.rounds) == ((), ())
    assert sorted(reading.unchanged_tables) == [("inference", "v5.1"), ("inference", "v6.0")]
    assert sorted(set(watching.statuses())) == ["304", "404"]
    assert watching.statuses().count("304") == 3
    assert len(github.downloads()) == 2


def test_a_repository_that_appears_is_news_with_its_table(watching, github):
    watching.check()
    github.publish("inference_results_v6.1", {"summary_results.json": table("v6.1")})
    reading = watching.check()

    assert [(each.round, each.repository, each.url) for each in reading.rounds] == [
        ("v6.1", "mlcommons/inference_results_v6.1", f"{github.web}/mlcommons/inference_results_v6.1")
    ]
    assert [(each.round, each.baseline) for each in reading.tables] == [("v6.1", False)]
    assert rounds(watching.check()) == []


def test_a_repository_is_news_before_its_table_and_the_table_when_it_comes(watching, github):
    watching.check()
    github.publish("inference_results_v6.1")
    empty = watching.check()
    github.commit("inference_results_v6.1", "README.md", b"# v6.1")
    waiting = watching.check()
    github.commit("inference_results_v6.1", "summary.json", b'{"0": {}}')
    came = watching.check()

    assert (rounds(empty), empty.tables, waiting.tables) == ([("inference", "v6.1")], (), ())
    assert [(each.round, each.baseline) for each in came.tables] == [("v6.1", False)]


def test_a_repository_hidden_in_the_list_is_found_by_the_name_expected(watching, github):
    first = watching.check()
    github.publish("inference_results_v6.1", {"summary_results.json": table()})
    known = {"id": 1, "name": "ck", "full_name": "mlcommons/ck"}
    assert "inference_results_v6.0 is public" in first.steps
    github.fail(200, {"Content-Type": "application/json"}, json.dumps([known]).encode(), at="/orgs/")

    assert rounds(watching.check()) == [("inference", "v6.1")]


def test_a_private_repository_is_not_seen_even_with_a_token_that_may(watching, github):
    watching.check()
    github.prepare("inference_results_v6.1", {"summary_results.json": table()})
    secret = {
        "id": 7,
        "name": "inference_results_v6.1",
        "full_name": "mlcommons/inference_results_v6.1",
        "private": True,
    }
    github.fail(200, {}, json.dumps([secret]).encode(), at="/orgs/")
    github.fail(200, {}, json.dumps(secret).encode(), at="/repos/mlcommons/inference_results_v6.1$")

    assert rounds(watching.check()) == []


@pytest.mark.parametrize(
    "described",
    [
        {"name": "inference_results_v6.1", "fork": True},
        {"name": "inference_results_v6.1", "full_name": "somebody/inference_results_v6.1"},
        {"name": "submissions_inference_v6.1"},
        {"name": "inference_results_v6.1_old"},
        {"name": "endpoints_results_v1.0"},
        {"name": "inference_results"},
    ],
)
def test_forks_other_owners_and_other_names_are_not_results(watching, github, described):
    watching.check()
    github.fail(200, {}, json.dumps([{"id": 9, **described}]).encode(), at="/orgs/")

    assert rounds(watching.check()) == []


def test_a_renamed_repository_is_no_new_round(watching, github):
    watching.check()
    github.rename("inference_results_v6.0", "inference_results_v6.0.1")
    reading = watching.check()

    assert (rounds(reading), reading.unchanged_tables[:1]) == ([], (("inference", "v6.0.1"),))


def test_a_repository_asked_for_by_its_old_name_is_followed_within_the_api(watching, github):
    watching.check()
    github.rename("inference_results_v6.0", "moved_away")
    watching.check()
    redirects = [step for step in watching.steps if "301, moved to" in step]
    followed = [request for request in watching.asked if "/repositories/" in request.path]

    assert len(redirects) == len(followed) > 0
    assert {request.headers["authorization"] for request in followed} == {"Bearer t0ken"}


# ------------------------------------------------------------------------------------------------ what changed


def test_a_corrected_table_is_fetched_once_at_its_commit_by_the_raw_host(watching, github):
    watching.check()
    github.commit("inference_results_v6.0", "summary_results.json", table("v6.0", 12.5))
    reading = watching.check()
    again = watching.check()

    assert values(reading) == {"v6.0": 12.5}
    assert (again.tables, len(github.downloads())) == ((), 3)
    commit = watching.cursor["repositories"]["inference_results_v6.0"]["commit"]
    assert github.downloads()[-1] == f"/raw/mlcommons/inference_results_v6.0/{commit}/summary_results.json"
    assert "authorization" in github.requests[0].headers


def test_a_commit_that_leaves_the_bytes_alone_costs_no_download(watching, github):
    watching.check()
    github.commit("inference_results_v6.0", "summary_results.json", table("v6.0"))
    reading = watching.check()

    assert (reading.tables, ("inference", "v6.0") in reading.unchanged_tables) == ((), True)
    assert len(github.downloads()) == 2


def test_commits_elsewhere_in_a_repository_are_not_looked_into(watching, github):
    watching.check()
    github.commit("inference_results_v6.0", "LICENSE.md", b"words")
    watching.check()

    assert not any("/contents" in request.path for request in watching.asked)


@pytest.mark.parametrize("name", ["summary.json", "summary.csv", "summary_results.json"])
def test_a_table_is_found_by_every_name_it_has_had(watching, github, name):
    watching.check()
    github.publish("inference_results_v6.1", {name: table(), "README.md": b"", "closed/NVIDIA/x.json": b"{}"})

    assert [each.url.rpartition("/")[2] for each in watching.check().tables] == [name]


def test_the_better_of_two_tables_is_read(watching, github):
    watching.check()
    github.publish(
        "inference_results_v6.1", {"summary.csv": b"", "summary.json": b"", "summary_results.json": table()}
    )

    assert watching.check().tables[0].url.endswith("/summary_results.json")


def test_a_table_that_moves_to_another_name_is_followed(watching, github):
    watching.check()
    github.remove("inference_results_v6.0", "summary_results.json")
    github.commit("inference_results_v6.0", "summary.json", b'{"0": {"broken": 1}}')
    reading = watching.check()

    assert [each.documents[0].body for each in reading.tables] == [b'{"0": {"broken": 1}}']
    with pytest.raises(ParseError):
        reading.tables[0].read()


def test_a_table_that_is_gone_is_held_back_and_welcomed_when_it_returns(watching, github):
    watching.check()
    github.remove("inference_results_v6.0", "summary_results.json")
    gone = watching.check()
    still = watching.check()
    github.commit("inference_results_v6.0", "summary_results.json", table("v6.0", 13.0))
    back = watching.check()

    with pytest.raises(HeldBackError, match=r"no longer has summary_results\.json on main"):
        gone.tables[0].read()
    assert (still.tables, values(back)) == ((), {"v6.0": 13.0})


def test_a_repository_that_is_hidden_again_has_no_table(watching, github):
    watching.check()
    github.hide("inference_results_v6.0")
    reading = watching.check()

    with pytest.raises(HeldBackError):
        reading.tables[0].read()
    assert ("inference", "v5.1") in reading.unchanged_tables


def test_a_table_of_another_round_than_its_repository_is_an_error(watching, github):
    watching.check()
    github.publish("inference_results_v6.1", {"summary_results.json": table("v6.0")})
    with pytest.raises(WatcherError, match=r"v6\.0"):
        watching.check().tables[0].read()


def test_tables_beyond_a_megabyte_come_whole(watching, github):
    watching.check()
    big = json.dumps([row(submitter=f"S{n}") for n in range(2500)]).encode()
    github.publish("inference_results_v6.1", {"summary_results.json": big})
    published = watching.check().tables[0]

    assert len(big) > 1 << 20
    assert len(published.read().results) == 2500


# ------------------------------------------------------------------------------------------------ old repositories


def test_old_repositories_are_looked_at_when_pushed_to_and_one_a_week_otherwise(github, catalog):
    watching = Watching(github, catalog, options={"newest": 1})
    assert [each.round for each in watching.check().tables] == ["v6.0"]
    assert watching.check().tables == ()
    github.commit("inference_results_v5.1", "README.md", b"new words")
    pushed = watching.check()
    assert [(each.round, each.baseline) for each in pushed.tables] == [("v5.1", True)]
    quiet = watching.check()
    weekly = watching.check(timedelta(days=8))
    watching.fetcher.close()

    assert (quiet.unchanged_tables, sorted(weekly.unchanged_tables)) == (
        (("inference", "v6.0"),),
        [("inference", "v5.1"), ("inference", "v6.0")],
    )


def test_a_list_of_several_pages_is_read_whole_at_first_and_daily_and_its_first_page_else(github, catalog):
    for n in range(120):
        github.publish(f"project-{n}")
    watching = Watching(github, catalog)
    first = watching.check()
    lists = [len([r for r in watching.asked if "/orgs/" in r.path])]
    for after in (timedelta(minutes=15), timedelta(days=1)):
        watching.check(after)
        lists.append(len([r for r in watching.asked if "/orgs/" in r.path]))
    github.publish("inference_results_v6.1", {"summary_results.json": table()})
    found = watching.check()
    watching.fetcher.close()

    assert ([each.round for each in first.tables], lists) == (["v6.0", "v5.1"], [2, 1, 2])
    assert rounds(found) == [("inference", "v6.1")]


def test_where_the_rate_limit_leaves_little_only_what_moved_is_asked_for(catalog):
    with GitHubServer(limit=60) as github:
        for version in ("v4.1", "v5.0", "v5.1", "v6.0"):
            github.publish(f"inference_results_{version}", {"summary_results.json": table(version)})
        watching = Watching(github, catalog, secret=None)
        first = watching.check()
        counts = []
        for _ in range(4):
            watching.check()
            counts.append(len(watching.asked))
        github.commit("inference_results_v5.0", "summary_results.json", table("v5.0", 14.0))
        moved = watching.check()
        watching.fetcher.close()

    assert [each.round for each in first.tables] == ["v6.0", "v5.1"]
    assert counts == [
        6,
        6,
        4,
        4,
    ]  # list, a name, the newest, one of the others in turn; two are read for the first time
    assert values(moved)["v5.0"] == 14.0


# ------------------------------------------------------------------------------------------------ trouble


@pytest.mark.parametrize(
    ("status", "headers", "failure", "wait"),
    [
        (401, {}, "auth", None),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "{soon}"}, "rate-limited", 601),
        (403, {"Retry-After": "60"}, "rate-limited", 60),
        (429, {"Retry-After": "60"}, "rate-limited", 60),
        (404, {}, "gone", None),
        (500, {}, "server", None),
        (502, {"Retry-After": "5"}, "server", 5),
    ],
)
def test_trouble_with_the_list_fails_the_check_and_forgets_nothing(
    watching, github, status, headers, failure, wait
):
    watching.check()
    github.now = watching.now
    soon = str(int((github.now + timedelta(seconds=600)).timestamp()))
    github.fail(status, {k: v.format(soon=soon) for k, v in headers.items()}, at="/orgs/")
    github.publish("inference_results_v6.1", {"summary_results.json": table()})
    github.now = watching.now
    with pytest.raises(FetchError) as caught:
        watching.check()
    github.recover()

    assert (caught.value.failure, caught.value.retry_after) == (failure, wait)
    assert rounds(watching.check()) == [("inference", "v6.1")]


@pytest.mark.parametrize(
    "how", [reset, cut_off(b"[{", 500), Reply(500), Reply(429, b"", {"Retry-After": "30"})]
)
def test_a_download_that_breaks_off_is_made_up_for_and_other_tables_stand(watching, github, how):
    watching.check()
    github.publish("inference_results_v6.1", {"summary_results.json": table("v6.1")})
    github.commit("inference_results_v5.1", "summary_results.json", table("v5.1", 15.0))
    github.fail(at="/raw/mlcommons/inference_results_v6.1", how=how)
    broken = watching.check()
    github.recover()
    mended = watching.check()

    assert broken.failure is not None
    assert rounds(broken) == [("inference", "v6.1")]
    assert rounds(mended) == []
    assert (values(broken) | values(mended), mended.failure) == ({"v6.1": 10.0, "v5.1": 15.0}, None)


def test_a_change_noticed_before_the_download_failed_is_not_taken_as_known(watching, github):
    watching.check()
    github.commit("inference_results_v6.0", "summary_results.json", table("v6.0", 16.0))
    github.fail(500, at="/raw/")
    failed = watching.check()
    github.recover()

    assert (failed.tables, values(watching.check())) == ((), {"v6.0": 16.0})


def test_a_baseline_that_breaks_off_stays_a_baseline(watching, github):
    github.fail(500, at="/raw/mlcommons/inference_results_v5.1")
    first = watching.check()
    github.recover()
    second = watching.check()

    assert [(each.round, each.baseline) for each in first.tables] == [("v6.0", True)]
    assert (rounds(second), [(each.round, each.baseline) for each in second.tables]) == ([], [("v5.1", True)])


def test_one_broken_repository_does_not_keep_us_from_the_others(watching, github):
    watching.check()
    github.publish("inference_results_v6.1", {"summary_results.json": table()})
    github.commit("inference_results_v5.1", "summary_results.json", table("v5.1", 17.0))
    github.fail(200, {}, b"no JSON", at="inference_results_v6.1/contents")
    reading = watching.check()

    assert isinstance(reading.failure, ParseError)
    assert values(reading) == {"v5.1": 17.0}


@pytest.mark.parametrize(
    "body",
    [b"<html><title>Unicorn!</title>", b'{"message": "moved"}', b"[1, 2", b"\xff\xfe[]", b"", b"[" * 100_000],
)
def test_a_list_that_is_no_list_is_an_error_not_an_empty_organisation(watching, github, body):
    watching.check()
    github.fail(200, {"Content-Type": "application/json"}, body, at="/orgs/")
    with pytest.raises((FetchError, ParseError)):
        watching.check()
    github.recover()

    assert rounds(watching.check()) == []


def test_two_sources_of_one_organisation_share_its_list(github, catalog, watching):
    other = Watching(github, catalog, name="training", suite="training")
    other.fetcher.close()
    other.fetcher = watching.fetcher
    watching.check()
    other.check()

    assert not any("/orgs/" in request.path for request in other.asked)


# ------------------------------------------------------------------------------------------------ rebuilt results


def run_log(minutes: float) -> bytes:
    """A training run's log with the few lines that count, in our own figures."""
    lines = [
        ("INTERVAL_START", "init_start", None, 1_000),
        ("POINT_IN_TIME", "submission_benchmark", "dlrm_dcnv2", 1_000),
        ("POINT_IN_TIME", "submission_division", "closed", 1_000),
        ("POINT_IN_TIME", "submission_org", "Example", 1_000),
        ("INTERVAL_START", "run_start", None, 2_000),
        ("INTERVAL_END", "run_stop", None, 2_000 + int(minutes * 60_000)),
    ]
    entries = [
        {
            "namespace": "",
            "time_ms": at,
            "event_type": kind,
            "key": key,
            "value": value,
            "metadata": {"status": "success"},
        }
        for kind, key, value, at in lines
    ]
    return "".join(f":::MLLOG {json.dumps(entry)}\n" for entry in entries).encode()


def training_files(minutes: float = 3.0) -> dict[str, bytes]:
    system = {
        "submitter": "Example", "division": "closed", "status": "Available on-premise", "system_name": "node.x1",
        "number_of_nodes": "1", "accelerators_per_node": "8", "accelerator_model_name": "NVIDIA B200",
    }  # fmt: skip
    folder = "Example/results/node.x1/dlrm_dcnv2"
    runs = {f"{folder}/result_{n}.txt": run_log(minutes + n / 100) for n in range(10)}
    return {
        **runs,
        "Example/systems/node.x1.json": json.dumps(system).encode(),
        "Example/benchmarks/run.sh": b"#",
    }


@pytest.fixture
def training(github: GitHubServer, catalog: Catalog) -> Iterator[Watching]:
    made = Watching(github, catalog, name="training", suite="training")
    yield made
    made.fetcher.close()


def test_a_repository_without_a_table_is_rebuilt_from_its_runs(training, github):
    training.check()
    github.publish("training_results_v6.0", training_files())
    reading = training.check()
    result = reading.tables[0].read().results[0]

    assert (rounds(reading), result.submitter, result.benchmark_published) == (
        [("training", "v6.0")], "Example", "dlrm_dcnv2",
    )  # fmt: skip
    assert result.value == pytest.approx(3.045)  # the mean without the fastest and the slowest
    assert not any("run.sh" in path for path in github.downloads())
    assert len(github.downloads()) == 11
    assert reading.tables[0].baseline is False


def test_files_are_read_a_few_a_check_and_the_table_comes_when_all_are(github, catalog):
    training = Watching(github, catalog, name="training", suite="training", options={"files_per_check": 4})
    training.check()
    github.publish("training_results_v6.0", training_files())
    counts = [len(training.check().tables) for _ in range(4)]
    trees = [request.path for request in github.requests if "/git/trees/" in request.path]
    training.fetcher.close()

    assert counts == [0, 0, 1, 0]
    assert len([path for path in trees if "v6.0" in path]) == 1


def test_what_may_be_read_in_a_check_is_shared_by_all_repositories_the_newest_first(github, catalog):
    github.publish("training_results_v5.0", training_files())
    github.publish("training_results_v6.0", training_files())
    training = Watching(github, catalog, name="training", suite="training", options={"files_per_check": 15})
    found = [[(each.round, each.baseline) for each in training.check().tables] for _ in range(3)]
    training.fetcher.close()

    assert found == [[("v6.0", True)], [("v5.0", True)], []]


def test_rounds_beyond_the_newest_are_not_rebuilt(github, catalog):
    github.publish("training_results_v5.0", training_files())
    github.publish("training_results_v6.0", training_files())
    training = Watching(github, catalog, name="training", suite="training", options={"newest": 1})
    training.check()
    github.commit("training_results_v5.0", "README.md", b"words")
    reading = training.check()
    training.fetcher.close()

    assert (reading.tables, len(github.downloads())) == ((), 11)
    assert "training_results_v5.0: no table, and none is rebuilt" in reading.steps


def test_a_correction_costs_one_listing_and_the_files_that_changed(training, github):
    training.check()
    github.publish("training_results_v6.0", training_files())
    training.check()
    before = len(github.downloads())
    github.commit("training_results_v6.0", "Example/results/node.x1/dlrm_dcnv2/result_3.txt", run_log(9.0))
    reading = training.check()
    quiet = training.check()

    assert len(github.downloads()) - before == 1
    assert reading.tables[0].read().results[0].value > 3.05
    assert (quiet.tables, ("training", "v6.0") in quiet.unchanged_tables) == ((), True)


def test_a_listing_that_is_cut_off_is_made_up_for_folder_by_folder(catalog):
    with GitHubServer(token="t0ken", trees_cut_beyond=12) as github:
        training = Watching(github, catalog, name="training", suite="training")
        training.check()
        github.publish("training_results_v6.0", training_files())
        reading = training.check()
        training.fetcher.close()

    assert len(reading.tables[0].read().results) == 1


def test_rebuilding_that_breaks_off_goes_on_where_it_stopped(training, github):
    training.check()
    github.publish("training_results_v6.0", training_files())
    github.fail(500, at="result_5")
    broken = training.check()
    before = len(github.downloads())
    github.recover()
    mended = training.check()

    assert (broken.failure.failure, broken.tables) == ("server", ())
    assert (len(mended.tables), len(github.downloads()) - before) == (1, 6)


def test_a_file_that_cannot_be_had_costs_its_own_result_only(training, github):
    training.check()
    github.publish(
        "training_results_v6.0", {**training_files(), "Other/results/n/dlrm_dcnv2/result_0.txt": b"x"}
    )
    github.fail(404, at="/raw/.*Other")
    read_table = training.check().tables[0].read()

    assert [each.submitter for each in read_table.results] == ["Example"]
    assert any("Other" in aside.row or "Other" in aside.message for aside in read_table.asides)


def test_a_suite_with_tables_gives_a_new_repository_a_day_before_its_logs_are_read(watching, github):
    watching.check()
    github.publish(
        "inference_results_v6.1",
        {"closed/NVIDIA/results/a/b/Offline/performance/run_1/mlperf_log_summary.txt": b""},
    )
    early = watching.check()
    watching.check(timedelta(hours=20))
    waited = len(github.downloads())
    watching.check(timedelta(hours=5))

    assert (early.tables, waited) == ((), 2)
    assert len(github.downloads()) > 2


# ------------------------------------------------------------------------------------------------ names and options


@pytest.mark.parametrize(
    ("suite", "repository", "expected"),
    [
        ("inference", "inference_results_v6.1", "v6.1"),
        ("inference", "Inference_Results_v0.5", "v0.5"),
        ("training", "inference_results_v6.1", None),
        ("inference", "mlperf_inference_unofficial_submissions_v5.0", None),
        ("inference", "inference_results_vNext", None),
        ("endpoints", "endpoints_results", "rolling"),
        ("inference", "inference_results", None),
    ],
)
def test_a_repository_s_name_says_its_round(suite, repository, expected):
    assert round_of(suite, repository) == expected


def test_the_names_expected_next_follow_from_the_newest_and_the_calendar(catalog):
    known = ["inference_results_v5.1", "inference_results_v6.1", "inference_results_v6.0"]

    assert set(expected_names("inference", known, catalog)) == {
        "inference_results_v6.2",
        "inference_results_v7.0",
    }
    assert "endpoints_results" in expected_names("endpoints", [], catalog)


@pytest.mark.parametrize(
    ("options", "suite", "message"),
    [
        ({"newset": 2}, "inference", "unknown option 'newset'; did you mean 'newest'"),
        ({"newest": "two"}, "inference", "option 'newest' must be a whole number, not 'two'"),
        ({"newest": 0}, "inference", "must be at least 1"),
        ({}, None, "option 'suite' is missing"),
    ],
)
def test_wrong_options_are_refused_with_the_nearest_right_word(github, catalog, options, suite, message):
    watching = Watching(github, catalog, suite=suite, options=options)
    with pytest.raises(ConfigError, match=message):
        watching.check()
    watching.fetcher.close()


# ------------------------------------------------------------------------------------------------ real tables


@pytest.mark.parametrize(
    ("file", "suite", "name", "count"),
    [
        ("inference_v5.1_summary_results.json.gz", "inference", "v5.1/summary_results.json", 1448),
        ("inference_v6.0_summary_results.json.gz", "inference", "v6.0/summary_results.json", 520),
        ("inference_v6.0_checker_summary.csv.gz", "inference", "v6.0/summary.csv", 520),
        ("inference_v6.1_summary.json.gz", "inference", "v6.1/summary.json", 492),
        ("automotive_v0.5_summary_results.json.gz", "automotive", "v0.5/summary_results.json", 9),
        ("tiny_v1.2_summary.csv.gz", "tiny", "v1.2/summary.csv", 73),
    ],
)
def test_real_tables_arrive_whole_by_way_of_their_repository(real, catalog, file, suite, name, count):
    version, _, path = name.partition("/")
    with GitHubServer(token="t0ken") as github:
        watching = Watching(github, catalog, name=suite, suite=suite)
        watching.check()
        body = gzip.decompress((real / "mlperf" / file).read_bytes())
        github.publish(f"{suite}_results_{version}", {path: body})
        read_table = watching.check().tables[0].read()
        watching.fetcher.close()

    assert (read_table.suite, read_table.round, len(read_table.results), read_table.asides) == (
        suite,
        version,
        count,
        (),
    )


def test_the_ten_real_training_runs_give_their_published_minutes(real, catalog):
    folder = real / "mlperf" / "raw"
    runs = folder / "training_v5.1_University-of-Florida_hpg.dgxb200x8.n1_dlrm_dcnv2"
    place = "University-of-Florida/results/hpg.dgxb200x8.n1/dlrm_dcnv2"
    files = {f"{place}/{run.name}": run.read_bytes() for run in runs.iterdir()}
    system = folder / "training_v5.1_University-of-Florida_hpg.dgxb200x8.n1_system.json"
    files["University-of-Florida/systems/hpg.dgxb200x8.n1.json"] = system.read_bytes()
    with GitHubServer(token="t0ken") as github:
        watching = Watching(github, catalog, name="training", suite="training")
        watching.check()
        github.publish("training_results_v5.1", files)
        result = watching.check().tables[0].read().results[0]
        watching.fetcher.close()

    assert result.submitter == "University-of-Florida"
    assert result.value == pytest.approx(3.3085, abs=5e-5)
