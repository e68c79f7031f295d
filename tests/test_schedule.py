"""When the daemon wakes, a simulated day of it, and its parts: reloads, systemd's words, the health page, the alarm."""

from __future__ import annotations

import gc
import os
import re
import signal
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from itertools import pairwise
from pathlib import Path
from urllib.request import urlopen

import pytest
from msgspec.structs import replace

from tests.notifications import digest
from tests.operation import RULES, Hook, acme
from watcher.config import Config, ReceiverConfig, SourceConfig
from watcher.demo.github import GitHubServer
from watcher.demo.post import FeedServer
from watcher.demo.published import summary
from watcher.domain import Secret
from watcher.errors import ConfigError, StateError
from watcher.fetch import Fetcher
from watcher.health import spread
from watcher.outbox import ReceiverState
from watcher.pipeline.claims_again import READER
from watcher.pipeline.one_pass import run_pass
from watcher.schedule.alarm import Alarm, Requests
from watcher.schedule.due import LONGEST_REST, LOOK_AGAIN, next_due
from watcher.schedule.health_page import HealthPage
from watcher.schedule.loading import address_of, load
from watcher.schedule.loop import SHORTEST_SLEEP, Daemon
from watcher.schedule.metrics import Metrics
from watcher.schedule.snapshot import STUCK_AFTER, Board, Snapshot, SourceStanding
from watcher.schedule.systemd import READY, Notify
from watcher.store import Store

START = datetime(2026, 9, 16, 0, 0, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


class Time:
    """A clock that only waiting moves; it asks for the end when its own has come. ``at``: what happens when."""

    def __init__(self, requests: Requests, *, length: timedelta) -> None:
        self.now, self.end, self.requests = START, START + length, requests
        self.at: list[tuple[datetime, object]] = []

    def clock(self) -> datetime:
        return self.now

    def monotonic(self) -> float:
        return (self.now - START).total_seconds()

    def wait(self, until: datetime) -> None:
        assert until > self.now, "waiting for what is past would be a loop without rest"
        self.now = until
        for at, happen in [each for each in self.at if each[0] <= self.now]:
            self.at.remove((at, happen))
            happen()  # type: ignore[operator]
        self.requests.stop = self.now >= self.end


class Silent:
    """A service manager that remembers what it was told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def __call__(self, *words: str) -> None:
        self.said += words

    def reloading(self) -> None:
        self.said.append("RELOADING=1")

    def status(self, text: str) -> None:
        del text


class TimedFeed(FeedServer):
    """A feed that notes by a simulated clock when it was asked."""

    def __init__(self, time: Time) -> None:
        self.time, self.asked = time, list[datetime]()
        super().__init__()

    def answer(self, request):
        if request.path == "/feed":
            self.asked.append(self.time.now)
        return super().answer(request)


def feed_source(name: str, feed: FeedServer, every: float) -> SourceConfig:
    values = {"kind": "feed", "url": feed.address, "every": every, "allow_hosts": ["127.0.0.1"]}
    return SourceConfig(name=name, values=values)


def config_of(folder: Path, *sources: SourceConfig, **given) -> Config:
    (folder / "rules.yaml").write_text(RULES)
    return Config(
        state=folder / "watcher.db", rules=(folder / "rules.yaml",), groups=(), sources=sources,
        **{"receivers": (), **given},
    )  # fmt: skip


def hook_receiver(hook: Hook, **given) -> ReceiverConfig:
    return ReceiverConfig(name="hook", kind="webhook", options={"url": Secret(f"{hook.url}/in")}, **given)


def loaded(config: Config, store: Store):
    made = load(config, store)
    made.make_fetcher = lambda: Fetcher(min_gap=0.0)
    return made


@contextmanager
def daemon(config: Config, length: timedelta) -> Iterator[tuple[Daemon, Time]]:
    requests = Requests()
    time = Time(requests, length=length)
    with Store(config.state, now=START) as store, store.lock():
        made = Daemon(
            store=store, load=lambda: loaded(config, store), clock=time.clock, monotonic=time.monotonic, wait=time.wait,
            requests=requests, announce=Silent(), board=Board(0.0),
        )  # fmt: skip
        yield made, time


def files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


# ------------------------------------------------------------------------------------------------ a simulated day


def test_a_day_of_the_daemon_misses_no_check_and_keeps_memory_files_and_threads(tmp_path):
    held: list[tuple[int, int]] = []

    def look() -> None:
        for server in (one, two, hook):
            server.requests.clear()  # the stand-ins' own memory
        gc.collect()
        held.append((tracemalloc.get_traced_memory()[0], files()))

    threads = threading.active_count()
    config = config_of(tmp_path)
    with daemon(config, DAY) as (made, time), TimedFeed(time) as one, TimedFeed(time) as two, Hook() as hook:
        every = {"one": (one, 300.0), "two": (two, 900.0)}
        sources = tuple(feed_source(name, feed, seconds) for name, (feed, seconds) in every.items())
        config = replace(config, sources=sources, receivers=(hook_receiver(hook, digest_at="08:00"),))
        made.load = lambda: loaded(config, made.store)
        time.at = [(START + hour * HOUR, look) for hour in (12, 24)]
        time.at.append((START + 10 * HOUR, one.publish))
        tracemalloc.start()
        try:
            made.run()
        finally:
            tracemalloc.stop()
        for name, (feed, seconds) in every.items():
            period = timedelta(seconds=seconds + spread(name, min(0.1 * seconds, 60.0)))
            gaps = [b - a for a, b in pairwise(feed.asked)]
            assert feed.asked[0] == START
            assert max(gaps) < period + SHORTEST_SLEEP
            assert len(feed.asked) == DAY // period + 1
        assert [message["kind"] for message in hook.taken] == ["digest"]
        assert made.board.counts.passes > 288
    assert threading.active_count() == threads
    (early, files_early), (late, files_late) = held
    assert late - early < 50_000  # bytes over twelve hours and some four hundred passes
    assert files_late <= files_early


def test_a_digest_wakes_the_daemon_at_its_local_hour_on_the_day_the_clocks_change(tmp_path):
    with Hook() as hook:
        receiver = hook_receiver(hook, digest_at="02:30", zone="Europe/Berlin")
        config = config_of(tmp_path, receivers=(receiver,))
        with Store(config.state, now=START) as store:
            made = loaded(config, store)
            wakes = [
                next_due(made, datetime(2026, 10, day, hour, 28, tzinfo=UTC))
                for day, hour in ((24, 0), (25, 0), (26, 1))
            ]

    assert wakes == [
        datetime(2026, 10, 24, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 26, 1, 30, tzinfo=UTC),
    ]


def test_a_clock_that_is_set_back_by_hours_stops_no_check(tmp_path):
    with daemon(config_of(tmp_path), 3 * HOUR) as (made, time), TimedFeed(time) as feed:
        config = config_of(tmp_path, feed_source("one", feed, 600.0))
        made.load = lambda: loaded(config, made.store)

        before = []

        def set_back() -> None:
            time.now -= 2 * HOUR
            before.extend(feed.asked)

        time.at = [(START + 2 * HOUR, set_back)]
        made.run()
        since = feed.asked[len(before) :]

    assert START <= since[0] <= START + MINUTE
    assert max(b - a for a, b in pairwise(since)) < 12 * MINUTE


def test_a_clock_that_jumps_ahead_by_a_day_costs_one_check_and_one_digest(tmp_path):
    with daemon(config_of(tmp_path), 2 * DAY) as (made, time), TimedFeed(time) as feed, Hook() as hook:
        config = config_of(
            tmp_path, feed_source("one", feed, 3600.0), receivers=(hook_receiver(hook, digest_at="08:00"),)
        )
        made.load = lambda: loaded(config, made.store)

        def sleep() -> None:
            time.now += DAY

        time.at = [(START + 5 * HOUR, sleep)]
        made.run()

        assert len(feed.asked) == 24  # six before, one at once, then each hour
        assert [message["kind"] for message in hook.taken] == ["digest", "digest"]


# ------------------------------------------------------------------------------------------------ what is due


def test_nothing_to_do_is_looked_at_again_after_a_rest(tmp_path):
    config = config_of(tmp_path)
    with Store(config.state, now=START) as store:
        assert next_due(loaded(config, store), START) == START + LONGEST_REST


def test_a_source_never_checked_is_due_at_once(tmp_path):
    with FeedServer() as feed:
        config = config_of(tmp_path, feed_source("one", feed, 600.0))
        with Store(config.state, now=START) as store:
            made = loaded(config, store)
            assert next_due(made, START) == START
            run_pass(made, START)
            assert START + 4 * MINUTE < next_due(made, START) <= START + LONGEST_REST


def test_a_receiver_that_failed_wakes_the_daemon_when_its_time_comes(tmp_path):
    with Hook() as hook:
        config = config_of(tmp_path, receivers=(hook_receiver(hook),), default_receivers=("hook",))
        with Store(config.state, now=START) as store:
            made = loaded(config, store)
            with store.write():
                store.outbox.owe("hook", START, alert=None, digest=_digest(store))
                store.outbox.save_receiver(
                    ReceiverState(name="hook", failures=1, retry_at=START + 3 * MINUTE)
                )

            assert next_due(made, START) == START + 3 * MINUTE


def test_what_quiet_hours_hold_back_does_not_keep_the_daemon_busy(tmp_path):
    config = config_of(
        tmp_path, receivers=(ReceiverConfig(name="you", kind="console"),), default_receivers=("you",)
    )
    with Store(config.state, now=START) as store:
        made = loaded(config, store)
        with store.write():
            store.outbox.owe("you", START - HOUR, digest=_digest(store))

        assert next_due(made, START) == START + LOOK_AGAIN


def _digest(store: Store) -> int:
    number = store.outbox.add_digest("hook", "2026-09-16", digest(), START)
    assert number is not None
    return number


def test_a_rules_deadline_wakes_the_daemon(tmp_path):
    config = config_of(tmp_path)
    rule = '  - {id: late, watch: round, title: Late, until: "2026-09-16T00:02:00Z"}\n'
    (tmp_path / "rules.yaml").write_text(RULES + rule)
    with Store(config.state, now=START) as store:
        made = loaded(config, store)

        assert next_due(made, START) == START + 2 * MINUTE
        assert next_due(made, START + 2 * MINUTE) == START + 2 * MINUTE + LONGEST_REST


# ------------------------------------------------------------------------------------------------ trouble


def test_a_state_that_cannot_be_written_is_said_once_an_hour_and_tried_again_every_minute(tmp_path, caplog):
    with daemon(config_of(tmp_path), 3 * HOUR) as (made, time), TimedFeed(time) as feed:
        config = config_of(tmp_path, feed_source("one", feed, 600.0))
        made.load = lambda: loaded(config, made.store)
        full = {"now": False}

        def after_pass(_watcher, _done) -> None:
            if full["now"]:
                raise StateError("watcher.db: the disk is full")

        made.after_pass = after_pass
        time.at = [
            (START + HOUR, lambda: full.update(now=True)),
            (START + 2 * HOUR + 5 * MINUTE, lambda: full.update(now=False)),
        ]
        readings = []
        time.at.append((START + 90 * MINUTE, lambda: readings.append(made.board.read()[1])))
        made.run()

    said = [record.getMessage() for record in caplog.records if record.name == "watcher.daemon"]
    assert readings == ["watcher.db: the disk is full"]
    assert said.count("watcher.db: the disk is full; tried again every minute") == 2
    assert said[-1] == "the state can be used again"
    assert made.board.read()[1] is None


def test_a_damaged_state_ends_the_daemon(tmp_path):
    with daemon(config_of(tmp_path), HOUR) as (made, _):

        def after_pass(_watcher, _done) -> None:
            raise StateError("watcher.db: is damaged", damaged=True)

        made.after_pass = after_pass
        with pytest.raises(StateError, match="is damaged"):
            made.run()
        assert made.announce.said == [READY, "STOPPING=1"]  # type: ignore[attr-defined]


def test_a_pass_ends_at_its_deadline_and_the_rest_is_done_in_the_next_one(tmp_path):
    with daemon(config_of(tmp_path), 10 * MINUTE) as (made, time):
        feeds = [TimedFeed(time) for _ in range(2)]

        class Slow(TimedFeed):
            def answer(self, request):
                time.now += 3 * MINUTE
                return super().answer(request)

        slow = Slow(time)
        sources = [
            feed_source("a-slow", slow, 3600.0),
            *(feed_source(f"b{n}", f, 3600.0) for n, f in enumerate(feeds)),
        ]
        config = config_of(tmp_path, *sources, deadline=60.0)
        made.load = lambda: loaded(config, made.store)
        try:
            made.run()
        finally:
            for each in (slow, *feeds):
                each.close()

        assert [len(slow.asked), *(len(feed.asked) for feed in feeds)] == [1, 1, 1]


# ------------------------------------------------------------------------------------------------ loading


@pytest.mark.parametrize(
    ("http", "address"),
    [
        ("127.0.0.1:9464", ("127.0.0.1", 9464)),
        ("localhost:80", ("127.0.0.1", 80)),
        ("[::1]:1", ("::1", 1)),
        (None, None),
    ],
)
def test_the_health_page_is_served_on_loopback(http, address):
    assert address_of(Config(http=http)) == address


@pytest.mark.parametrize("http", ["0.0.0.0:9464", "192.168.1.5:9464", "example.org:9464", "[::]:9464"])
def test_the_health_page_is_served_nowhere_else(http):
    with pytest.raises(ConfigError, match=r"watcher\.http: .* is not this machine's loopback"):
        address_of(Config(http=http))


@pytest.mark.parametrize("http", ["127.0.0.1", "127.0.0.1:", ":9464", "127.0.0.1:99999"])
def test_an_address_without_a_port_is_told_how_to_write_it(http):
    with pytest.raises(ConfigError, match=r'such as "127\.0\.0\.1:9464"'):
        address_of(Config(http=http))


def test_rules_edited_while_the_daemon_runs_are_taken_at_a_reload_only(tmp_path):
    config = config_of(tmp_path)
    with Store(config.state, now=START) as store:
        made = loaded(config, store)
        stamp = made.rules_stamp()
        (tmp_path / "rules.yaml").write_text("rules: [half")
        run_pass(made, START)

        assert made.rules_stamp() == stamp
        assert [rule.id for rule in made.rules.rules] == ["new-round", "rows", "trouble"]


def test_names_edited_while_the_daemon_runs_are_taken_at_a_reload(tmp_path):
    names = tmp_path / "names"
    names.mkdir()
    config = config_of(tmp_path, catalog=names)
    with Store(config.state, now=START) as store:
        before = loaded(config, store)
        (names / "submitters.yaml").write_text("Fir Labs: {aliases: [Firlabs]}\n")
        run_pass(before, START)
        reader = store.recall(READER)  # of the names as they were taken

        after = loaded(config, store)
        run_pass(after, START)

        assert after.catalog.find("submitter", "Firlabs") == "Fir Labs"
        assert store.recall(READER) != reader


# ------------------------------------------------------------------------------------------------ systemd


def test_without_systemd_nothing_is_said():
    notify = Notify({})
    notify(READY)
    assert notify.every is None


def test_an_abstract_socket_is_told(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(f"\0{tmp_path}")
        notify = Notify(
            {"NOTIFY_SOCKET": f"@{tmp_path}", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}
        )
        notify.status("two\nlines")

        assert ear.recv(100) == b"STATUS=two lines"
    assert notify.every == 10.0
    notify(READY)  # nobody listens any more


def test_a_watchdog_for_another_process_is_not_ours():
    assert Notify({"NOTIFY_SOCKET": "@x", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}).every is None


# ------------------------------------------------------------------------------------------------ alarm


def test_the_alarm_wakes_at_a_time_that_is_past_and_at_one_to_come():
    with Alarm(Requests()) as alarm:
        alarm.wait(datetime.now(UTC) - HOUR)
        until = datetime.now(UTC) + timedelta(milliseconds=30)
        alarm.wait(until)

        assert datetime.now(UTC) >= until


def test_a_signal_wakes_the_alarm_and_handlers_are_given_back():
    before = signal.getsignal(signal.SIGHUP)
    requests = Requests()
    with Alarm(requests) as alarm:
        os.kill(os.getpid(), signal.SIGHUP)
        alarm.wait(datetime.now(UTC) + DAY)

        assert requests == Requests(reload=True)
    assert signal.getsignal(signal.SIGHUP) is before


def test_what_does_not_end_after_sigterm_is_left():
    left = threading.Event()
    with Alarm(Requests(), last_resort=0.0, leave=lambda _code: left.set()) as alarm:
        os.kill(os.getpid(), signal.SIGTERM)
        alarm.wait(datetime.now(UTC) + DAY)

        assert left.wait(timeout=60)


def test_signs_of_life_come_again_and_again():
    seen = threading.Semaphore(0)
    with Alarm(Requests()) as alarm:
        alarm.every(0.01, seen.release)

        assert all(seen.acquire(timeout=60) for _ in range(3))


# ------------------------------------------------------------------------------------------------ health page


def test_a_stuck_daemon_is_not_alive_and_one_before_its_first_pass_not_ready():
    time = {"now": 0.0}
    board = Board(0.0)
    with HealthPage(("127.0.0.1", 0), board, clock=lambda: START, monotonic=lambda: time["now"]) as page:
        assert page.answer("/healthz")[0] == 200
        assert page.answer("/readyz")[::2] == (503, b"not ready: the first pass is not done yet\n")
        time["now"] = STUCK_AFTER
        assert page.answer("/healthz")[0] == 503
        board.beat(STUCK_AFTER)
        assert page.answer("/healthz")[0] == 200


def asked_of(page: HealthPage) -> int:
    with urlopen(f"http://127.0.0.1:{page.port}/healthz", timeout=30) as answer:
        return answer.status


def test_clients_that_say_nothing_hold_up_no_other():
    with (
        HealthPage(("127.0.0.1", 0), Board(0.0), clock=lambda: START, monotonic=lambda: 0.0) as page,
        ExitStack() as open_,
    ):
        for _ in range(20):
            open_.enter_context(socket.create_connection(("127.0.0.1", page.port))).sendall(b"GET /hea")
        assert asked_of(page) == 200


def test_a_client_whose_request_drips_in_is_left_when_its_time_is_over():
    time = iter([0.0, 1.0, 2.0, 7.0])
    with (
        HealthPage(
            ("127.0.0.1", 0), Board(0.0), clock=lambda: START, monotonic=lambda: next(time, 7.0)
        ) as page,
        socket.create_connection(("127.0.0.1", page.port), timeout=30) as client,
    ):
        client.sendall(b"GET /healthz HTTP/1.1\r\n")
        client.sendall(b"Host: 127.0.0.1\r\nX: ")
        answered = []
        with suppress(OSError):  # once it is left, more words may be refused
            for _ in range(1000):
                client.sendall(b"y")
        with suppress(OSError):
            answered.append(client.recv(100))
    assert answered in ([], [b""])


def test_more_clients_than_are_served_at_once_are_sent_away_and_the_page_goes_on():
    with HealthPage(("127.0.0.1", 0), Board(0.0), clock=lambda: START, monotonic=lambda: 0.0) as page:
        with ExitStack() as open_:
            clients = [
                open_.enter_context(socket.create_connection(("127.0.0.1", page.port), timeout=30))
                for _ in range(33)
            ]
            assert clients[32].recv(100) == b""
        while True:  # the threads of those that hung up end by and by
            with suppress(OSError, HTTPException):
                assert asked_of(page) == 200
                break


def test_a_port_that_is_taken_is_a_wrong_config():
    with GitHubServer() as taken, pytest.raises(ConfigError, match="name another port"):
        HealthPage(("127.0.0.1", taken.port), Board(0.0), clock=lambda: START, monotonic=lambda: 0.0)


def test_metrics_tell_of_sources_events_alerts_and_the_outbox():
    board = Board(0.0)
    board.pin(
        Snapshot(
            at=START,
            sources=(
                SourceStanding("good", START, 0, 7, healthy=True),
                SourceStanding('b"ad', None, 4, 4, healthy=False),
            ),
            results=2, held_back=1, events={"result.added": 3}, alerts={"high": 2}, deliveries={"waiting": 5},
            oldest_delivery=START - HOUR, broken_receivers=("slack",),
        ),
        None,
    )  # fmt: skip
    lines = Metrics(board, lambda: START).text().decode().splitlines()

    assert [
        line for line in lines if not line.startswith("#") and "pass" not in line and "reload" not in line
    ] == [
        'mlperf_watcher_info{version="0.1.0"} 1.0',
        "mlperf_watcher_ready 1.0",
        'mlperf_watcher_source_last_success_timestamp_seconds{source="good"} 1.7895168e+09',
        'mlperf_watcher_source_failures{source="good"} 0.0',
        'mlperf_watcher_source_failures{source="b\\"ad"} 4.0',
        'mlperf_watcher_source_healthy{source="good"} 1.0',
        'mlperf_watcher_source_healthy{source="b\\"ad"} 0.0',
        'mlperf_watcher_source_checks_total{source="good"} 7.0',
        'mlperf_watcher_source_checks_total{source="b\\"ad"} 4.0',
        "mlperf_watcher_results 2.0",
        "mlperf_watcher_tables_held_back 1.0",
        'mlperf_watcher_events_total{kind="result.added"} 3.0',
        'mlperf_watcher_alerts_total{severity="info"} 0.0',
        'mlperf_watcher_alerts_total{severity="high"} 2.0',
        'mlperf_watcher_alerts_total{severity="critical"} 0.0',
        *(
            f'mlperf_watcher_deliveries{{state="{state}"}} {5.0 if state == "waiting" else 0.0}'
            for state in ("pending", "sending", "waiting", "unknown", "sent", "gave_up", "suppressed")
        ),
        "mlperf_watcher_oldest_delivery_age_seconds 3600.0",
        'mlperf_watcher_receiver_broken{receiver="slack"} 1.0',
    ]


# ------------------------------------------------------------------------------------------------ a stuck receiver


def test_a_receiver_that_takes_nothing_for_hours_is_told_to_the_others_once_and_its_recovery_too(tmp_path):
    with GitHubServer() as github, Hook() as dead, Hook() as good:
        dead.status = 503
        source = SourceConfig(
            name="inference",
            values={
                "kind": "results_repos", "url": github.api, "suite": "inference", "every": 900.0, "allow_hosts": ["127.0.0.1"],
                "api": github.api, "raw": github.raw, "web": github.web,
            },
        )  # fmt: skip
        receivers = tuple(
            ReceiverConfig(name=name, kind="webhook", options={"url": Secret(f"{hook.url}/in")})
            for name, hook in (("dead", dead), ("good", good))
        )
        config = config_of(tmp_path, source, receivers=receivers, default_receivers=("dead", "good"))
        github.publish("inference_results_v6.0", {"summary.json": summary(acme(1, round="v6.0"))})
        with daemon(config, 10 * HOUR) as (made, time):

            def publish() -> None:
                github.publish("inference_results_v6.1", {"summary.json": summary(acme(1, round="v6.1"))})

            def mend() -> None:
                dead.status = 200

            time.at = [(START + HOUR, publish), (START + 7 * HOUR, mend)]
            made.run()

    told = [re.sub(r"since [\d: -]+ UTC", "since then", title) for title in good.told if "receiver" in title]
    assert told == [
        (
            "Source receiver dead failing: it has taken nothing since then (the webhook "
            "answered 503); what it is owed is tried again"
        ),
        "Source receiver dead recovered: it takes messages again",
    ]
