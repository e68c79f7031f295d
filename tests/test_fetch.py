"""Fetching: polite, guarded, conditional, against a real server that misbehaves."""

from __future__ import annotations

import gc
import gzip
import socket
import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from tests.servers import (
    CERTIFICATE,
    FaultServer,
    TLSServer,
    bomb,
    chunk_of,
    chunked_cut_off,
    cut_off,
    ok,
    reset,
    silence,
    trickle,
    trickling_headers,
    understated,
    with_etag,
)
from watcher import __version__
from watcher.demo.local import Reply, Request
from watcher.domain import Secret, Source, Validators
from watcher.errors import ConfigError, FetchError
from watcher.fetch import Fetcher, user_agent

JSON = "application/json"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    made = Fetcher(min_gap=0, timeout=5, max_total_seconds=20, max_bytes=200_000, max_decoded_bytes=400_000)
    yield made
    made.close()


def source(url: str, **fields: object) -> Source:
    return replace(Source(name="news", kind="feed", url=url, allow_hosts=("127.0.0.1",)), **fields)


def get(fetcher, server, now, path="/a", held=None, accept=JSON, **fields):
    """One request in a session of its own; the document and the session."""
    session = fetcher.session(source(server.url, **fields), held or {}, now)
    return session(server.url + path, accept=accept), session


def test_a_fetcher_that_nobody_holds_any_more_leaves_no_connection_open(server, now):
    server.on("/a", ok(b"[1]"))
    dropped = Fetcher(min_gap=0)
    get(dropped, server, now)
    assert not server.idle.is_set()

    del dropped
    gc.collect()

    assert server.idle.wait(60)


def failure(fetcher, server, now, *answers, accept=JSON):
    """What comes of an answer that is no document."""
    server.on("/a", *answers)
    with pytest.raises(FetchError) as caught:
        get(fetcher, server, now, accept=accept)
    return caught.value


# ------------------------------------------------------------------------------------------------ what comes


def test_a_document_comes_with_its_bytes_its_type_and_its_validators(fetcher, server, now):
    server.on(
        "/a",
        ok(
            b'{"rows": []}',
            "application/json; charset=utf-8",
            ETag='W/"7"',
            Last_Modified="Tue, 15 Sep 2026 15:00:00 GMT",
        ),
    )
    document, session = get(fetcher, server, now)

    assert (document.url, document.body, document.media_type, document.unchanged, document.fetched_at) == (
        server.url + "/a", b'{"rows": []}', "application/json; charset=utf-8", False, now,
    )  # fmt: skip
    held = session.validators[server.url + "/a"]
    assert (held.etag, held.last_modified, held.full_at) == ('W/"7"', "Tue, 15 Sep 2026 15:00:00 GMT", now)


def test_we_say_who_we_are_and_what_we_want(fetcher, server, now):
    server.on("/a", ok(b"{}"))
    get(fetcher, server, now)

    headers = server.requests[0].headers
    assert headers["user-agent"] == f"mlperf-watcher/{__version__}"
    assert (headers["accept"], headers["accept-encoding"]) == (JSON, "gzip, deflate")
    assert "authorization" not in headers


def test_the_user_agent_names_a_contact_that_can_stand_in_a_header():
    assert user_agent("https://example.org/bot") == f"mlperf-watcher/{__version__} (+https://example.org/bot)"
    with pytest.raises(ConfigError, match="contact"):
        user_agent("me@example.org\r\nX-Evil: 1")
    with pytest.raises(ConfigError, match="contact"):
        Fetcher(user_agent="mlperf-watcher/1 (+Jülich)")


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b'{"a": 1}')),
        ("gzip", gzip.compress(b'{"a"') + gzip.compress(b": 1}") + b"\0\0\0"),
        ("deflate", zlib.compress(b'{"a": 1}')),
        ("deflate", zlib.compress(b'{"a": 1}')[2:-4]),
        ("identity", b'{"a": 1}'),
    ],
    ids=["gzip", "gzip in two members, padded", "zlib", "raw deflate", "identity"],
)
def test_compressed_bodies_arrive_decompressed(fetcher, server, now, encoding, packed):
    server.on("/a", ok(packed, Content_Encoding=encoding))

    assert get(fetcher, server, now)[0].body == b'{"a": 1}'


def test_the_next_page_of_a_list_is_named_by_its_link_header(fetcher, server, now):
    link = f'<{server.url}/a?page=1>; rel="prev", <{server.url}/a?page=3>; rel="next", <{server.url}/a?page=9>; rel="last"'
    server.on("/a", ok(b"[]", Link=link))

    assert get(fetcher, server, now)[0].next_url == server.url + "/a?page=3"


def test_each_step_is_told_in_words(fetcher, server, now):
    server.on("/a", Reply(302, b"", {"Location": "/b"}))
    server.on("/b", ok(b"[1]"))

    assert get(fetcher, server, now)[1].steps == [
        f"GET {server.url}/a at 127.0.0.1: 302, moved to {server.url}/b",
        f"GET {server.url}/b: 200, 3 bytes",
    ]


# ------------------------------------------------------------------------------------------------ conditional


def test_validators_go_back_exactly_as_they_came_and_a_304_is_unchanged(fetcher, server, now):
    stamp = "Tue, 15 sep 2026 15:00:00 GMT"  # not how a careful server writes it: not ours to mend
    held = {
        server.url + "/a": Validators(
            url=server.url + "/a", etag='W/"x"', last_modified=stamp, digest="d", full_at=now
        )
    }
    server.on("/a", Reply(304, headers={"ETag": 'W/"x"'}))
    document, session = get(fetcher, server, now, held=held)

    assert (document.unchanged, document.body, document.etag) == (True, b"", 'W/"x"')
    assert (server.requests[0].headers["if-none-match"], server.requests[0].headers["if-modified-since"]) == (
        'W/"x"',
        stamp,
    )
    assert session.validators == {}


def test_an_unconditional_request_sends_no_validators_and_keeps_none(fetcher, server, now):
    held = {server.url + "/a": Validators(url=server.url + "/a", etag='"x"', full_at=now)}
    server.on("/a", ok(b"{}", ETag='"x"'))
    session = fetcher.session(source(server.url), held, now)
    document = session(server.url + "/a", conditional=False)

    assert "if-none-match" not in server.requests[0].headers
    assert (document.unchanged, session.validators) == (False, {})


def test_a_304_with_another_etag_is_asked_again_in_full(fetcher, server, now):
    held = {server.url + "/a": Validators(url=server.url + "/a", etag='"old"', digest="d", full_at=now)}
    server.on("/a", Reply(304, headers={"ETag": '"new"'}), ok(b"[2]", ETag='"new"'))
    document, session = get(fetcher, server, now, held=held)

    assert (document.body, session.validators[server.url + "/a"].etag) == (b"[2]", '"new"')
    assert "if-none-match" not in server.requests[1].headers


def test_a_304_to_a_question_without_conditions_is_no_answer(fetcher, server, now):
    assert failure(fetcher, server, now, Reply(304)).failure == "not-what-it-was"


def test_the_same_bytes_are_unchanged_even_if_the_server_says_200(fetcher, server, now):
    server.on("/a", ok(b"[1]"))
    first = get(fetcher, server, now)[1]
    document, session = get(fetcher, server, now + timedelta(hours=1), held=first.validators)

    assert (document.unchanged, document.body) == (True, b"")
    assert session.validators[server.url + "/a"].full_at == now + timedelta(hours=1)


@pytest.mark.parametrize(("hours", "status"), [(4.9, 304), (5.1, 200)])
def test_every_twenty_intervals_the_whole_is_asked_for(fetcher, server, now, hours, status):
    server.by("/a", with_etag(b"[1]"))
    first = get(fetcher, server, now)[1]
    session = get(fetcher, server, now + timedelta(hours=hours), held=first.validators)[1]

    assert f": {status}, " in session.steps[0]


def test_a_page_that_is_asked_rarely_comes_whole_every_day(fetcher, server, now):
    server.by("/a", with_etag(b"[1]"))
    first = get(fetcher, server, now, every=86_400.0)[1]
    session = get(fetcher, server, now + timedelta(hours=24), held=first.validators, every=86_400.0)[1]

    assert "200" in session.steps[0]


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ("Wed, 16 Sep 2026 15:05:00 GMT", None),
        ("Wed, 16 Sep 2026 15:04:58 GMT", "Wed, 16 Sep 2026 15:04:58 GMT"),
    ],
)
def test_a_page_changed_in_the_second_it_was_read_in_is_not_trusted_by_its_date(
    fetcher, server, now, changed, kept
):
    def respond(handler):
        body = b"HTTP/1.1 200 OK\r\nDate: Wed, 16 Sep 2026 15:05:00 GMT\r\nLast-Modified: %b\r\nContent-Length: 2\r\n\r\n[]"
        handler.wfile.write(body % changed.encode())

    server.on("/a", respond)

    assert get(fetcher, server, now)[1].validators[server.url + "/a"].last_modified == kept


def test_validators_belong_to_the_address_that_gave_them(fetcher, server, now):
    server.on("/a", Reply(302, b"", {"Location": "/b"}))
    server.by("/b", with_etag(b"[1]"))
    first = get(fetcher, server, now)[1]
    document, second = get(fetcher, server, now, held=first.validators)

    assert list(first.validators) == [server.url + "/b"]
    assert (document.unchanged, second.steps[1]) == (True, f"GET {server.url}/b if changed: 304, unchanged")


def test_what_came_for_one_source_serves_another_that_asks_for_the_same(fetcher, server, now):
    server.by("/a", with_etag(b"[1]"))
    held = get(fetcher, server, now, name="inference")[1].validators
    fresh = get(fetcher, server, now, name="training")[0]
    knows = get(fetcher, server, now + timedelta(seconds=20), name="tiny", held=held)[0]
    late = get(fetcher, server, now + timedelta(seconds=40), name="hpc")[0]

    assert (fresh.body, knows.unchanged, late.body) == (b"[1]", True, b"[1]")
    assert len(server.requests) == 2


def test_a_source_that_asks_again_is_answered_by_the_server(fetcher, server, now):
    server.on("/a", ok(b"[1]"), ok(b"[2]"))

    assert [get(fetcher, server, now)[0].body for _ in range(2)] == [b"[1]", b"[2]"]


# ------------------------------------------------------------------------------------------------ failures by name


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        (Reply(401), "auth"),
        (Reply(403, b'{"message": "Resource not accessible"}', {"X-RateLimit-Remaining": "57"}), "auth"),
        (Reply(403, b"<title>Just a moment...</title>"), "blocked"),
        (Reply(403, b"", {"cf-mitigated": "challenge", "Retry-After": "60"}), "blocked"),
        (Reply(503, b"<div id='cf-chl-widget'></div>"), "blocked"),
        (Reply(451), "blocked"),
        (Reply(404), "gone"),
        (Reply(410), "gone"),
        (Reply(429), "rate-limited"),
        (Reply(403, b'{"message": "You have exceeded a secondary rate limit"}'), "rate-limited"),
        (Reply(500), "server"),
        (Reply(503, b"down for maintenance"), "server"),
        (Reply(204), "not-what-it-was"),
        (Reply(206, b"[1"), "not-what-it-was"),
        (Reply(400), "not-what-it-was"),
        (Reply(302), "not-what-it-was"),
        (ok(b""), "not-what-it-was"),
        (ok(b" \r\n"), "not-what-it-was"),
        (ok(b"\xef\xbb\xbf\n<!-- x --><!DOCTYPE html><title>Sorry</title>"), "not-what-it-was"),
        (ok(b"{}", Content_Encoding="br"), "not-what-it-was"),
        (ok(b"x" * 200_001), "too-large"),
        (bomb(400_001), "too-large"),
        (ok(b"not gzip at all", Content_Encoding="gzip"), "network"),
        (ok(gzip.compress(b"[1, 2, 3]")[:-9], Content_Encoding="gzip"), "network"),
        (cut_off(b"[1", 100), "network"),
        (chunked_cut_off(b"[1"), "network"),
        *((chunk_of(size), "network") for size in ("-1", "-2", "-ffffffffffff", "zz", "f" * 40)),
        (understated(b'{"name": "J\xc3\xbclich"}', 16), "network"),
        (reset, "network"),
    ],
)  # fmt: skip
def test_every_failure_has_its_class(fetcher, server, now, reply, name):
    assert failure(fetcher, server, now, reply).failure == name


def test_a_failure_says_where_and_what_and_keeps_the_status(fetcher, server, now):
    error = failure(fetcher, server, now, Reply(500))

    assert (str(error), error.url, error.status) == (
        f"{server.url}/a is in trouble (HTTP 500)", f"{server.url}/a", 500,
    )  # fmt: skip


def test_an_html_page_is_welcome_where_one_was_asked_for(fetcher, server, now):
    server.on("/a", ok(b"<!doctype html><p>Results</p>", "text/html"))

    assert get(fetcher, server, now, accept="text/html, application/xhtml+xml")[0].body.startswith(
        b"<!doctype"
    )


def test_a_failure_leaves_no_validators(fetcher, server, now):
    server.on("/a", ok(b"", ETag='"x"'))
    session = fetcher.session(source(server.url), {}, now)
    with pytest.raises(FetchError):
        session(server.url + "/a", accept=JSON)

    assert session.validators == {}
    assert session.steps[-1].startswith("failed (not-what-it-was)")


@pytest.mark.parametrize("answer", [trickle(), trickling_headers()], ids=["body", "headers"])
def test_an_answer_that_drips_is_ended_by_the_clock_whatever_its_drops(server, now, answer):
    ticks = iter(range(10_000))
    fetcher = Fetcher(
        min_gap=0, max_total_seconds=30, monotonic=lambda: float(next(ticks)), max_bytes=1 << 30
    )
    error = failure(fetcher, server, now, answer)
    fetcher.close()

    assert (error.failure, str(error)) == ("network", f"{server.url}/a took too long to answer")


def test_a_server_that_says_nothing_is_given_up(server, now):
    fetcher = Fetcher(min_gap=0, timeout=0.05)
    error = failure(fetcher, server, now, silence())
    fetcher.close()

    assert (error.failure, str(error)) == ("network", f"{server.url}/a: no answer in time")


def test_a_refused_connection_is_a_network_failure(fetcher, now):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
    with pytest.raises(FetchError, match=r"no connection to 127\.0\.0\.1: Connection refused") as caught:
        fetcher.session(source(url), {}, now)(url)

    assert caught.value.failure == "network"


def test_a_name_without_an_address_is_a_network_failure(server, now):
    def nowhere(host, port):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(
        FetchError, match="results\\.test has no address: Name or service not known"
    ) as caught:
        Fetcher(resolve=nowhere).session(source("http://results.test/"), {}, now)("http://results.test/")
    assert caught.value.failure == "network"


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced_once(fetcher, server, now):
    server.on("/a", ok(b"[1]"), reset, ok(b"[2]"))

    assert [get(fetcher, server, now)[0].body for _ in range(2)] == [b"[1]", b"[2]"]


def test_after_any_failure_the_next_answer_is_the_right_one(fetcher, server, now):
    server.on("/good", ok(b"[1]"))
    for answer in (
        cut_off(b"[", 9),
        bomb(500_000),
        ok(b"x" * 300_000),
        Reply(500, b"y" * 9000),
        understated(b"[1,2]", 2),
    ):
        failure(fetcher, server, now, answer)
        assert get(fetcher, server, now, path="/good")[0].body == b"[1]"


# ------------------------------------------------------------------------------------------------ waits asked for


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (429, {"Retry-After": "120"}, 120),
        (429, {"Retry-After": "Wed, 16 Sep 2026 15:15:00 GMT"}, 600),
        (503, {"Retry-After": "30"}, 30),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1789571700"}, 601),
        (429, {"Retry-After": "Wed, 16 Sep 2026 15:00:00 GMT"}, 0),
        (429, {"Retry-After": "soon"}, None),
        (429, {}, None),
    ],
)
def test_the_wait_asked_for_is_read_in_seconds_as_a_date_and_from_rate_limits(
    fetcher, server, now, status, headers, seconds
):
    def respond(handler):  # the server's own clock is five minutes behind ours: only its own Date counts
        lines = {"Date": "Wed, 16 Sep 2026 15:05:00 GMT", "Content-Length": "0", **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        handler.wfile.write(f"HTTP/1.1 {status} No\r\n{head}\r\n".encode())

    assert failure(fetcher, server, now + timedelta(minutes=5), respond).retry_after == seconds


def test_a_host_that_asked_us_to_wait_is_not_asked_again_before(fetcher, server, now):
    failure(fetcher, server, now, Reply(429, b"", {"Retry-After": "60"}))
    server.on("/b", ok(b"[1]"))
    with pytest.raises(FetchError, match="asked us to come back in 60 s") as caught:
        get(fetcher, server, now, path="/b")

    assert (caught.value.failure, caught.value.retry_after, len(server.requests)) == ("rate-limited", 60, 1)
    assert get(fetcher, server, now + timedelta(seconds=60), path="/b")[0].body == b"[1]"


def test_a_limit_met_without_a_token_does_not_stop_a_source_with_one(fetcher, server, now):
    failure(fetcher, server, now, Reply(429, b"", {"Retry-After": "60"}), ok(b"[1]"))

    assert get(fetcher, server, now, secret=Secret("t0ken"))[0].body == b"[1]"


# ------------------------------------------------------------------------------------------------ redirects


def test_redirects_are_followed_five_times_and_not_a_sixth(fetcher, server, now):
    for n in range(7):
        server.on(f"/{n}", Reply(301, b"moved", {"Location": f"/{n + 1}"}))
    server.on("/5", ok(b"[5]"))

    assert get(fetcher, server, now, path="/0")[0].url == server.url + "/5"
    server.on("/5", Reply(308, b"", {"Location": "/6"}))
    server.on("/6", ok(b"[6]"))
    with pytest.raises(FetchError, match="more than 5 redirects") as caught:
        get(fetcher, server, now, path="/0")
    assert caught.value.failure == "refused"


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1/", "http://[::1]/", "http://localhost.test/", "//169.254.169.254/latest/meta-data/",
        "file:///etc/passwd", "http://user:pass@127.0.0.1/", "http://127.0.0.1\\@example.org/", "http://2130706433/",
        "gopher://127.0.0.1/", "http://0x7f.0.0.1/",
    ],
)  # fmt: skip
def test_a_redirect_to_a_private_or_odd_address_is_refused(server, now, location):
    fetcher = Fetcher(
        min_gap=0, resolve=lambda host, _: ("127.0.0.1",) if host == "localhost.test" else (host,)
    )
    error = failure(fetcher, server, now, Reply(301, b"", {"Location": location}))
    fetcher.close()

    assert (error.failure, len(server.requests)) == ("refused", 1)


def test_a_redirect_with_blanks_and_letters_beyond_ascii_is_understood(fetcher, server, now):
    server.on("/a", Reply(302, b"", {"Location": "/neue ergebnisse/ü".encode().decode("latin-1")}))
    server.on("/neue ergebnisse/ü", ok(b"[1]"))

    assert get(fetcher, server, now)[0].url == server.url + "/neue%20ergebnisse/%C3%BC"


def test_a_token_goes_to_its_own_origin_and_nowhere_else(fetcher, server, now):
    with FaultServer() as other:
        server.on("/a", Reply(302, b"", {"Location": "/b"}))
        server.on("/b", Reply(302, b"", {"Location": other.url + "/c"}))
        other.on("/c", ok(b"[1]"))
        get(fetcher, server, now, secret=Secret("t0ken"))

        assert [request.headers.get("authorization") for request in server.requests] == ["Bearer t0ken"] * 2
        assert "authorization" not in other.requests[0].headers


def test_a_token_is_not_sent_in_clear_text_to_a_public_host(server, now):
    fetcher = Fetcher(
        resolve=lambda *_: ("93.184.216.34",),
        connect=lambda *_: socket.create_connection(("127.0.0.1", server.port)),
    )
    server.on("/a", ok(b"[1]"))
    known = Source(name="news", kind="feed", url="http://results.test/", secret=Secret("t0ken"))
    session = fetcher.session(known, {}, now)
    session("http://results.test/a")
    fetcher.close()

    assert "authorization" not in server.requests[0].headers
    assert session.steps[0] == "the token is not sent: the source's url is neither https nor in allow_hosts"


def test_a_source_whose_own_address_is_refused_fails_at_its_first_request(fetcher, now):
    session = fetcher.session(Source(name="x", kind="feed", url="ftp://x.test/", secret=Secret("t")), {}, now)
    with pytest.raises(FetchError, match="only http and https are fetched"):
        session("ftp://x.test/")


def test_no_cookie_is_kept_and_no_netrc_or_proxy_is_used(fetcher, server, now, monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password planted\n")
    for name, value in {
        "NETRC": str(netrc),
        "http_proxy": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    server.on("/a", ok(b"[1]", Set_Cookie="id=7; Path=/"))
    for _ in range(2):
        get(fetcher, server, now)

    assert [set(request.headers) & {"cookie", "authorization"} for request in server.requests] == [
        set(),
        set(),
    ]


def test_secrets_in_addresses_and_tokens_stand_in_no_step_and_no_error(fetcher, server, now):
    server.on("/a", Reply(302, b"", {"Location": "/b?access_token=planted-one&page=2"}))
    server.on("/b", Reply(500))
    session = fetcher.session(source(server.url, secret=Secret("planted-two")), {}, now)
    with pytest.raises(FetchError) as caught:
        session(server.url + "/a")

    assert "planted" not in " ".join(
        [*session.steps, str(caught.value), repr(caught.value), caught.value.url]
    )
    assert caught.value.url == f"{server.url}/b?access_token=…&page=2"


# ------------------------------------------------------------------------------------------------ robots and pace


def page(fetcher, server, now, path="/news/1", **fields):
    return fetcher.session(source(server.url, **fields), {}, now)(
        server.url + path, accept="text/html", page=True
    )


def test_robots_txt_is_obeyed_for_pages_and_asked_once_a_day(fetcher, server, now):
    rules = b"User-agent: *\nDisallow: /\n\nUser-agent: mlperf-watcher\nDisallow: /private/\nAllow: /\n"
    server.on("/robots.txt", ok(rules, "text/plain"))
    server.on("/news/1", ok(b"<p>one</p>", "text/html"))
    page(fetcher, server, now)
    with pytest.raises(FetchError, match="robots\\.txt forbids it") as caught:
        page(fetcher, server, now, "/private/1")
    page(fetcher, server, now + timedelta(hours=23))
    page(fetcher, server, now + timedelta(hours=25))

    assert caught.value.failure == "blocked"
    assert (len(server.asked("/robots.txt")), len(server.asked("/private/1"))) == (2, 0)


@pytest.mark.parametrize("packed", [False, True])
def test_of_a_robots_txt_larger_than_any_page_may_be_the_beginning_holds(fetcher, server, now, packed):
    body = b"User-agent: *\nDisallow: /private\n" + b"# so it goes on\n" * 200_000
    more = {"Content-Encoding": "gzip"} if packed else {}
    server.on("/robots.txt", Reply(200, gzip.compress(body) if packed else body, more))
    server.on("/news/1", ok(b"<p>news</p>", "text/html"))

    assert page(fetcher, server, now).body == b"<p>news</p>"
    with pytest.raises(FetchError, match="robots\\.txt forbids it"):
        page(fetcher, server, now, "/private/1")


def test_robots_txt_does_not_concern_feeds_and_interfaces(fetcher, server, now):
    server.on("/a", ok(b"[1]"))
    get(fetcher, server, now)

    assert server.asked("/robots.txt") == []


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_host_without_robots_txt_allows_all(fetcher, server, now, status):
    server.on("/robots.txt", Reply(status))
    server.on("/news/1", ok(b"<p>one</p>", "text/html"))

    assert page(fetcher, server, now).body == b"<p>one</p>"


def test_a_robots_txt_that_cannot_be_read_for_now_forbids_for_now(fetcher, server, now):
    server.on("/robots.txt", Reply(500), ok(b"", "text/plain"))
    server.on("/news/1", ok(b"<p>one</p>", "text/html"))
    with pytest.raises(FetchError) as caught:
        page(fetcher, server, now)

    assert caught.value.failure == "server"
    assert page(fetcher, server, now).body == b"<p>one</p>"


class Clock:
    """A monotonic clock that only moves when somebody waits."""

    def __init__(self) -> None:
        self.at = 100.0
        self.waits: list[float] = []

    def now(self) -> float:
        return self.at

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.at += seconds


def test_a_host_gets_its_gap_between_requests_and_other_hosts_do_not_wait(server, now):
    clock = Clock()
    fetcher = Fetcher(min_gap=2, wait=clock.wait, monotonic=clock.now, resolve=lambda *_: ("127.0.0.1",))
    server.on("/", ok(b"[1]"))
    session = fetcher.session(source(server.url, allow_hosts=("a.test", "b.test")), {}, now)
    for host in ("a.test", "b.test", "a.test", "b.test"):
        session(f"http://{host}:{server.port}/")
    fetcher.close()

    assert clock.waits == [2.0]  # b's two seconds had passed while a's were waited for


def test_a_crawl_delay_in_robots_txt_stretches_the_gap_to_half_a_minute_at_most(server, now):
    clock = Clock()
    fetcher = Fetcher(min_gap=1, wait=clock.wait, monotonic=clock.now)
    server.on("/robots.txt", ok(b"User-agent: *\nCrawl-delay: 600\n", "text/plain"))
    server.on("/news/1", ok(b"<p>one</p>", "text/html"))
    page(fetcher, server, now)
    fetcher.close()

    assert clock.waits == [30.0]


def test_one_host_is_asked_one_thing_at_a_time(fetcher, server, now):
    active, most, lock = 0, 0, threading.Lock()

    def respond(request: Request) -> Reply:
        nonlocal active, most
        with lock:
            active += 1
            most = max(most, active)
        threading.Event().wait(0.005)  # a window in which a second request would be seen
        with lock:
            active -= 1
        return ok(b"[1]")

    server.by("/a", respond)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: get(fetcher, server, now), range(8)))

    assert most == 1


def test_different_hosts_are_asked_side_by_side(server, now):
    both = threading.Barrier(2, timeout=10)

    def respond(request: Request) -> Reply:
        both.wait()  # neither is answered before both were asked
        return ok(b"[1]")

    server.by("/a", respond)
    fetcher = Fetcher(min_gap=0, resolve=lambda *_: ("127.0.0.1",))
    known = source(server.url, allow_hosts=("a.test", "b.test"))
    with ThreadPoolExecutor(2) as pool:
        urls = [f"http://{host}.test:{server.port}/a" for host in ("a", "b")]
        bodies = list(pool.map(lambda url: fetcher.session(known, {}, now)(url).body, urls))
    fetcher.close()

    assert bodies == [b"[1]", b"[1]"]


def test_what_is_kept_to_be_shared_does_not_grow_with_the_sources(fetcher, server, now):
    server.on("/a", ok(b"x" * 200_000))
    for n in range(100):
        get(fetcher, server, now, path=f"/a?n={n}", name=f"source-{n}")

    assert fetcher.shared._bytes <= 4 << 20
    assert len(fetcher.shared._answers) == 20


def test_a_hundred_sources_share_threads_and_connections(server, now):
    fetcher = Fetcher(min_gap=0, resolve=lambda *_: ("127.0.0.1",))
    server.on("/a", ok(b"[1]"))
    before = threading.active_count()
    for n in range(100):
        host = f"h{n}.test"
        fetcher.session(source(server.url, allow_hosts=(host,)), {}, now)(f"http://{host}:{server.port}/a")

    kept = len(fetcher.requests.get_adapter("http://")._pools)
    assert kept == 32
    assert (
        threading.active_count() - before <= 101 - 68
    )  # only the test server's threads, one a kept connection
    fetcher.close()


# ------------------------------------------------------------------------------------------------ guard


@pytest.mark.parametrize(
    "url",
    [
        "http://10.1.2.3/", "http://172.16.0.1/", "http://192.168.1.1/", "http://127.0.0.1/", "http://0.0.0.0/",
        "http://100.64.0.1/", "http://169.254.169.254/latest/meta-data/", "http://168.63.129.16/", "http://224.0.0.1/",
        "http://240.0.0.1/", "http://255.255.255.255/", "http://198.18.0.1/", "http://192.0.0.8/", "http://192.0.0.192/", "http://[::1]/", "http://[::]/",
        "http://[fe80::1]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/", "http://[2001:db8::1]/",
        "http://[::ffff:127.0.0.1]/", "http://[::ffff:a9fe:a9fe]/", "http://[64:ff9b::10.0.0.1]/", "http://[2002:7f00:1::]/",
        "http://[::127.0.0.1]/", "http://[fe80::1%25eth0]/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
        "http://127.1/", "http://１２７.0.0.1/", "http://127.0.0.1./", "http://user:pass@example.org/",
        "http://example.org\\@127.0.0.1/", "http://example.org#@127.0.0.1/x\\y", "http:\\\\127.0.0.1/", "https:///x",
        "http://exa%6dple.org/", "http://example.org:0/", "http://example.org:99999/", "ftp://example.org/",
        "file:///etc/passwd", "javascript:alert(1)", "http://[::1", "http://a b.org/", "http://example.org/\r\nX: 1", "",
    ],
)  # fmt: skip
def test_private_and_odd_addresses_are_refused_without_a_connection(now, url):
    def connect(*_):
        raise AssertionError("connected")

    fetcher = Fetcher(min_gap=0, connect=connect, resolve=lambda host, _: (host,))
    with pytest.raises(FetchError) as caught:
        fetcher.session(Source(name="x", kind="feed", url="https://example.org"), {}, now)(url)
    assert caught.value.failure == "refused"


@pytest.mark.parametrize(
    "addresses", [("93.184.216.34", "127.0.0.1"), ("10.0.0.1", "93.184.216.34"), ("::ffff:10.0.0.1",)]
)
def test_one_private_record_among_public_ones_is_enough_to_refuse(now, addresses):
    fetcher = Fetcher(resolve=lambda *_: addresses)
    with pytest.raises(FetchError, match="which is") as caught:
        fetcher.session(Source(name="x", kind="feed", url="https://x.test"), {}, now)("https://x.test/")
    assert caught.value.failure == "refused"


def test_a_name_is_resolved_once_and_the_checked_address_is_the_one_connected_to(server, now):
    answers, connected = [("93.184.216.34",), ("127.0.0.1",)], []

    def connect(address, port, timeout):
        connected.append((address, port))
        return socket.create_connection(("127.0.0.1", server.port))

    server.on("/a", ok(b"[1]"))
    fetcher = Fetcher(min_gap=0, resolve=lambda *_: answers.pop(0), connect=connect)
    session = fetcher.session(Source(name="x", kind="feed", url="http://rebind.test/"), {}, now)
    session("http://rebind.test/a")
    session("http://rebind.test/a")

    assert (connected, len(answers), server.requests[0].headers["host"]) == (
        [("93.184.216.34", 80)],
        1,
        "rebind.test",
    )
    fetcher.close()
    with pytest.raises(FetchError, match="loopback"):  # a new connection is checked anew
        session("http://rebind.test/a")


def test_the_next_checked_address_is_tried_when_one_does_not_answer(server, now):
    tried = []

    def connect(address, port, timeout):
        tried.append(address)
        if len(tried) == 1:
            raise ConnectionRefusedError(111, "Connection refused")
        return socket.create_connection(("127.0.0.1", server.port))

    server.on("/a", ok(b"[1]"))
    fetcher = Fetcher(resolve=lambda *_: ("2606:2800:220:1::1", "93.184.216.34"), connect=connect)
    document = fetcher.session(Source(name="x", kind="feed", url="http://x.test/"), {}, now)(
        "http://x.test/a"
    )
    fetcher.close()

    assert (tried, document.body) == (["2606:2800:220:1::1", "93.184.216.34"], b"[1]")


def test_a_connection_made_for_a_source_that_may_is_not_lent_to_one_that_may_not(fetcher, server, now):
    server.on("/a", ok(b"[1]"))
    get(fetcher, server, now)
    with pytest.raises(FetchError, match="loopback"):
        get(fetcher, server, now, allow_hosts=())

    assert len(server.requests) == 1


def test_hosts_are_allowed_by_name_whatever_their_case_and_dots(server, now):
    fetcher = Fetcher(resolve=lambda *_: ("127.0.0.1",))
    server.on("/a", ok(b"[1]"))
    known = Source(name="x", kind="feed", url="http://x.test/", allow_hosts=("Mirror.Test.",))
    document = fetcher.session(known, {}, now)(f"http://MIRROR.test.:{server.port}/a")
    fetcher.close()

    assert document.url == f"http://mirror.test:{server.port}/a"


def test_tls_is_checked_against_the_name_while_the_checked_address_is_connected_to(now):
    with TLSServer() as server:
        server.on("/a", ok(b"[1]"))
        fetcher = Fetcher(min_gap=0, resolve=lambda *_: ("127.0.0.1",), ca_bundle=str(CERTIFICATE))
        known = source(server.url, allow_hosts=("results.test", "other.test"))
        document = fetcher.session(known, {}, now)(f"https://results.test:{server.port}/a")
        with pytest.raises(FetchError, match="no trusted TLS connection") as caught:
            fetcher.session(known, {}, now)(f"https://other.test:{server.port}/a")
        fetcher.close()

    assert (document.body, server.requests[0].headers["host"]) == (b"[1]", f"results.test:{server.port}")
    assert caught.value.failure == "network"


def test_a_certificate_that_nobody_trusts_is_no_connection(now):
    with TLSServer() as server:
        fetcher = Fetcher(resolve=lambda *_: ("127.0.0.1",))
        url = f"https://results.test:{server.port}/a"
        with pytest.raises(FetchError, match="no trusted TLS connection"):
            fetcher.session(source(url, allow_hosts=("results.test",)), {}, now)(url)
        fetcher.close()


def test_addresses_are_sent_percent_encoded_and_international_names_in_ascii(server, now):
    fetcher = Fetcher(resolve=lambda *_: ("127.0.0.1",))
    server.on("/für/ä", ok(b"[1]"))
    known = source(server.url, allow_hosts=("xn--bcher-kva.test",))
    document = fetcher.session(known, {}, now)(f"http://bücher.test:{server.port}/für/ä?q=ö&r=%20")
    fetcher.close()

    assert document.url == f"http://xn--bcher-kva.test:{server.port}/f%C3%BCr/%C3%A4?q=%C3%B6&r=%20"
    assert server.requests[0].query == {"q": "ö", "r": " "}


def test_the_date_of_a_fetch_is_the_one_given(fetcher, server):
    server.on("/a", ok(b"[1]"))

    assert get(fetcher, server, datetime(2031, 1, 1, tzinfo=UTC))[0].fetched_at == datetime(
        2031, 1, 1, tzinfo=UTC
    )
