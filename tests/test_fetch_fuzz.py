"""Fetching under whatever may come: a document or an error of ours, never another exception."""

from __future__ import annotations

import gzip
import json
import socket
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st
from urllib3.util import parse_url

from watcher.catalog.names import load
from watcher.domain import Document, Reading, Source, Validators
from watcher.errors import FetchError, SourceError
from watcher.fetch import Fetcher
from watcher.fetch.guard import plain, target_of
from watcher.sources import read

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
URL = "http://results.test/table.json"
HELD = {
    URL: Validators(
        url=URL, etag='"one"', last_modified="Tue, 15 Sep 2026 15:00:00 GMT", digest="d", full_at=NOW
    )
}

PIECES = st.sampled_from(
    ["http", "https", "://", "//", "/", "\\", "@", ":", "?", "#", "%", "[", "]", "::1", ".", "127.0.0.1", "0x7f", "8080",
     "results.test", "user", "ü", "\u3002", "\uff11", "\n", " ", "..", "%2e", "%00", "xn--", "-", "65536", "a" * 64]
)  # fmt: skip
HEADERS = st.sampled_from(
    ["Content-Length: 5", "Content-Length: 0", "Content-Length: -1", "Content-Length: 9", "Content-Length: x",
     "Content-Length: " + "9" * 5000, "Content-Encoding: gzip", "Content-Encoding: deflate", "Content-Encoding: gzip, gzip",
     "Transfer-Encoding: chunked", 'ETag: "two"', "ETag: \x01", "ETag: " + "e" * 5000, "Last-Modified: yesterday",
     "Last-Modified: Mon, 01 Jan 0001 00:00:00 +2300", "Date: Fri, 31 Dec 9999 23:59:59 -2300", "Retry-After: 1e9",
     "Retry-After: 99999999999999999999", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", "X-RateLimit-Remaining: 0",
     "X-RateLimit-Reset: 99999999999", "Location: /other", "Location: http://[", "Location: \xff\xfe", "Link: <", 'Link: <a>; rel="next"',
     "Connection: close", "Set-Cookie: a=b", " folded: yes", "no colon", "Content-Type: text/html; charset=\xff"]
)  # fmt: skip
STATUSES = st.sampled_from(
    ["200", "204", "206", "301", "304", "403", "404", "429", "500", "999", "0", "abc", "100"]
)
BODIES = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([gzip.compress(b"[1]"), b"5\r\n[1,2]\r\n0\r\n\r\n", b"<html>", b""]),
)

CLASSES = {
    "auth",
    "blocked",
    "gone",
    "network",
    "not-what-it-was",
    "rate-limited",
    "refused",
    "server",
    "too-large",
}


@given(st.lists(PIECES, max_size=9).map("".join) | st.text(max_size=30))
@settings(max_examples=400)
def test_an_address_is_refused_or_means_the_same_to_every_parser(text):
    try:
        target = target_of(text)
    except FetchError:
        return
    seen = parse_url(target.url)

    assert target_of(target.url) == target
    assert (seen.scheme, (seen.host or "").strip("[]"), seen.port or target.port) == target.origin
    assert seen.auth is None


@given(st.text(max_size=60))
def test_an_address_is_always_fit_to_show(text):
    assert plain(f"http://user:planted@results.test/{text}").isprintable()
    assert "planted" not in plain(f"http://user:planted@results.test/{text}")


@given(STATUSES, st.lists(HEADERS, max_size=5), BODIES, st.booleans())
@settings(max_examples=400)
def test_whatever_a_server_sends_is_a_document_or_a_fetch_error(status, headers, body, holds):
    def connect(*_):
        here, there = socket.socketpair()
        lines = [f"HTTP/1.1 {status} Words", *headers, "", ""]
        there.sendall("\r\n".join(lines).encode("latin-1") + body)
        there.close()
        return here

    fetcher = Fetcher(min_gap=0, timeout=1, connect=connect, resolve=lambda *_: ("93.184.216.34",))
    source = Source(name="x", kind="feed", url=URL)
    session = fetcher.session(source, HELD if holds else {}, NOW)
    try:
        came: Document | FetchError = session(URL, accept="application/json")
    except FetchError as error:
        came = error
    fetcher.close()

    if isinstance(came, Document):
        assert came.unchanged == (came.body == b"")
    else:
        assert (came.failure in CLASSES, session.validators) == (True, {})


NAMES = st.sampled_from(
    ["inference_results_v6.0", "inference_results_v6.1", "ck", "", "inference_results_v", "\u0000", "../x"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | NAMES
    | st.sampled_from(["c0ffee", "summary.json", "blob", "tree", "file"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "name",
                    "sha",
                    "id",
                    "full_name",
                    "type",
                    "tree",
                    "path",
                    "truncated",
                    "pushed_at",
                    "fork",
                    "private",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)
LISTS = st.lists(
    st.fixed_dictionaries({"name": NAMES, "sha": st.just("c0ffee"), "type": st.just("file")}) | VALUES,
    max_size=4,
)
CATALOG = load()


@given(st.lists(LISTS | VALUES | st.binary(max_size=20), min_size=1, max_size=8))
@settings(max_examples=300)
def test_whatever_github_says_is_a_reading_or_a_source_error(said):
    queue = [body if isinstance(body, bytes) else json.dumps(body).encode() for body in said]

    def get(url, *, accept=None, conditional=True, page=False):
        assert url.startswith(("https://api.github.com/", "https://raw.githubusercontent.com/mlcommons/"))
        body = queue.pop(0) if len(queue) > 1 else queue[0]
        return Document(url, body, NOW)

    source = Source(name="x", kind="results_repos", url="https://api.github.com", suite="inference")
    cursor: dict[str, object] = {}
    for _ in range(2):
        try:
            reading = read(source, get, cursor, NOW, CATALOG)
        except SourceError:
            continue
        assert isinstance(reading, Reading)
        cursor = json.loads(json.dumps(reading.cursor))
