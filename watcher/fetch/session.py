"""`Session`: one check of one source."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import requests
from msgspec.structs import replace
from urllib3.exceptions import HTTPError

from watcher.domain import Document, Source, Validators
from watcher.errors import ConfigError, FetchError
from watcher.fetch import answers, wire
from watcher.fetch.body import finish, read_beginning, read_body, read_start
from watcher.fetch.guard import Target, as_hosts, plain, redirected, refused, target_of
from watcher.fetch.robots import MAX_BYTES as ROBOTS_BYTES
from watcher.fetch.shared import Answer

if TYPE_CHECKING:
    from watcher.fetch.fetcher import Fetcher

MAX_REDIRECTS = 5

_FULL_AT_LEAST = timedelta(days=1)
_EXCERPT = 4096
_CLOSED_AT_MOST = 86_400.0  # seconds for which a host may keep us away


class Session:
    """One check of one source: a `Get` that remembers.

    ``validators``: those that are new or renewed, by address, to be committed with the source's cursor. ``steps``:
    what was done, in words, one line each.
    """

    def __init__(
        self, fetcher: Fetcher, source: Source, validators: Mapping[str, Validators], now: datetime
    ) -> None:
        """Take what `Fetcher.session` was given."""
        self.validators: dict[str, Validators] = {}
        self.steps: list[str] = []
        self._fetcher = fetcher
        self._source = source
        self._held = validators
        self._now = now
        self._hosts = as_hosts(source.allow_hosts)
        with suppress(FetchError):  # an address that is refused is told at the first request
            if source.secret is not None and not self._is_home(target_of(source.url)):
                self.steps.append(
                    "the token is not sent: the source's url is neither https nor in allow_hosts"
                )
        self._full_after = min(timedelta(seconds=fetcher.full_every * source.every), _FULL_AT_LEAST)

    def __call__(
        self, url: str, *, accept: str | None = None, conditional: bool = True, page: bool = False
    ) -> Document:
        """Fetch ``url``; see `Get`. Raises FetchError with one of the failure classes."""
        try:
            return self._follow(target_of(url), accept, conditional=conditional, page=page)
        except FetchError as error:
            self.steps.append(f"failed ({error.failure}): {error}")
            raise

    def _follow(self, target: Target, accept: str | None, *, conditional: bool, page: bool) -> Document:
        """Ask, and follow redirects by hand: each new address passes the same checks as the first."""
        for _ in range(MAX_REDIRECTS + 1):
            gap = self._fetcher.robots.check(target, self._now, self._robots_txt) if page else None
            held = self._usable(target.url) if conditional else None
            found = self._ask(target, accept, held, gap, share=conditional)
            if isinstance(found, Answer):
                return self._document(target, accept, found, conditional=conditional)
            target = found
        raise refused(target.url, f"more than {MAX_REDIRECTS} redirects")

    def _ask(
        self, target: Target, accept: str | None, held: Validators | None, gap: float | None, *, share: bool
    ) -> Answer | Target:
        """Make one request in the host's turn; return the answer, or where a redirect leads."""
        credential = self._source.secret if self._is_home(target) else None
        request = (target.url, accept or "", credential)
        with self._fetcher.pace.turn(target.host, gap) as waited:
            if waited:
                self.steps.append(f"waited {waited:.1f} s for {target.host}'s turn")
            shared = self._fetcher.shared.find(request, self._source.name, self._now) if share else None
            if shared is not None and (shared.body is not None or _same(shared, held)):
                self.steps.append(f"{plain(target.url)}: as it came for {shared.source} moments ago")
                return replace(shared, body=None) if _same(shared, held) else shared
            self._check_closed(target, credential)
            found = self._send(target, accept, held)
            if isinstance(found, Answer) and share:
                self._fetcher.shared.keep(request, found)
            return found

    def _send(
        self, target: Target, accept: str | None, held: Validators | None, *, at_most: int | None = None
    ) -> Answer | Target:
        """Send one request; a 304 that carries other validators than we sent is asked again in full.

        ``at_most``: read so many bytes of the answer and leave the rest; without it all of it, or none.
        """
        response, call = self._get(target, accept, held)
        status, headers, url = response.status_code, response.headers, plain(target.url)
        if status == requests.codes.ok and at_most is not None:
            beginning = read_beginning(response, at_most, url=url)
            self._step(target, held, call, f"200, {len(beginning):,} bytes")
            return self._answer(headers, beginning)
        if status == requests.codes.ok:
            whole = read_body(
                response,
                max_bytes=self._fetcher.max_bytes,
                max_decoded_bytes=self._fetcher.max_decoded_bytes,
                url=url,
            )
            if call.surplus:
                raise FetchError(f"{url} sent more than it announced", url=url, failure="network")
            self._step(target, held, call, f"200, {len(whole):,} bytes")
            return self._answer(headers, whole)
        if status == requests.codes.not_modified and held is not None:
            finish(response)
            if _contradicts(headers, held):
                self._step(target, held, call, "304, but of another state: once more in full")
                return self._send(target, accept, None)
            self._step(target, held, call, "304, unchanged")
            return self._answer(headers, None, held)
        if status in answers.REDIRECTS and "Location" in headers:
            read_start(response, _EXCERPT)
            onward = redirected(target, headers["Location"])
            self._step(target, held, call, f"{status}, moved to {plain(onward.url)}")
            return onward
        error = answers.failure(status, headers, read_start(response, _EXCERPT), url=url, now=self._now)
        self._step(target, held, call, str(status))
        if error.failure == "rate-limited" and error.retry_after:
            key = (target.host, self._source.secret if self._is_home(target) else None)
            wait = timedelta(seconds=min(error.retry_after, _CLOSED_AT_MOST))
            self._fetcher.closed_until[key] = self._now + wait
        raise error

    def _get(
        self, target: Target, accept: str | None, held: Validators | None
    ) -> tuple[requests.Response, wire.Call]:
        """Put a request on the wire; a kept connection that turns out to be closed is replaced once."""
        headers = self._headers(target, accept, held)
        fetcher = self._fetcher
        for attempt in (1, 2):
            deadline = fetcher.monotonic() + fetcher.max_total_seconds
            call = wire.Call(target, target.host in self._hosts, deadline)
            try:
                return fetcher.requests.send(
                    wire.CheckedRequest(call, headers),
                    stream=True,
                    allow_redirects=False,
                    timeout=fetcher.timeout,
                    proxies={},
                ), call
            except (requests.RequestException, HTTPError) as error:
                kept = call.address is None and isinstance(error, requests.ConnectionError)
                if attempt == 1 and kept and not isinstance(error, requests.Timeout):
                    continue
                raise wire.unreachable(plain(target.url), error) from None
        raise AssertionError  # the second attempt returns or raises

    def _headers(self, target: Target, accept: str | None, held: Validators | None) -> dict[str, str]:
        """Return what is sent: who we are, what we want, what we hold, and credentials at home only."""
        headers = {
            "User-Agent": self._fetcher.user_agent,
            "Accept": accept or "*/*",
            "Accept-Encoding": "gzip, deflate",
        }
        if held is not None:
            if held.etag is not None:
                headers["If-None-Match"] = held.etag
            if held.last_modified is not None:
                headers["If-Modified-Since"] = held.last_modified
        if self._source.secret is not None and self._is_home(target):
            token = self._source.secret.reveal()
            if not (token.isascii() and token.isprintable()):
                raise ConfigError(
                    f"source {self._source.name!r}: its token holds characters that cannot be sent"
                )
            headers["Authorization"] = f"Bearer {token}"
        return headers

    def _is_home(self, target: Target) -> bool:
        """Tell whether the source's token may go to ``target``: its own origin, by TLS or within our own network."""
        return target.origin == target_of(self._source.url).origin and (
            target.scheme == "https" or target.host in self._hosts
        )

    def _check_closed(self, target: Target, credential: object) -> None:
        """Raise where this host has asked us to wait, and the time is not over."""
        until = self._fetcher.closed_until.get((target.host, credential))
        if until is not None and until > self._now:
            left = (until - self._now).total_seconds()
            url = plain(target.url)
            raise FetchError(
                f"{target.host} asked us to come back in {left:.0f} s",
                url=url,
                failure="rate-limited",
                retry_after=left,
            )

    def _usable(self, url: str) -> Validators | None:
        """Return the validators to send for ``url``: none if we hold none, or if a full download is due."""
        held = self.validators.get(url) or self._held.get(url)
        if held is None or (held.etag is None and held.last_modified is None):
            return None
        if held.full_at is None or self._now - held.full_at >= self._full_after:
            return None
        return held

    def _answer(
        self, headers: Mapping[str, str], body: bytes | None, held: Validators | None = None
    ) -> Answer:
        """Make a value of an answer; a 304 may leave out validators that stay the same."""
        return Answer(
            source=self._source.name,
            at=self._now,
            etag=answers.etag(headers) or (held.etag if held else None),
            last_modified=answers.last_modified(headers) or (held.last_modified if held else None),
            media_type=headers.get("Content-Type", ""),
            next_url=answers.next_page(headers),
            requests_left=answers.requests_left(headers),
            body=body,
        )

    def _document(self, target: Target, accept: str | None, answer: Answer, *, conditional: bool) -> Document:
        """Make a document of an answer, and note its validators where a later request may be conditional."""
        document = Document(
            url=target.url,
            body=answer.body or b"",
            fetched_at=self._now,
            media_type=answer.media_type,
            etag=answer.etag,
            last_modified=answer.last_modified,
            unchanged=answer.body is None,
            next_url=answer.next_url,
            requests_left=answer.requests_left,
        )
        if answer.body is None:
            return document
        url = plain(target.url)
        if not answer.body or answer.body.isspace():
            raise FetchError(f"{url} came empty", url=url, failure="not-what-it-was", status=200)
        if not answers.wants_html(accept) and answers.is_html(answer.body):
            message = f"{url} came as an HTML page, not as {accept}"
            raise FetchError(message, url=url, failure="not-what-it-was", status=200)
        if not conditional:
            return document
        digest = hashlib.sha256(answer.body).hexdigest()
        before = self.validators.get(target.url) or self._held.get(target.url)
        self.validators[target.url] = Validators(
            url=target.url,
            etag=answer.etag,
            last_modified=answer.last_modified,
            digest=digest,
            full_at=self._now,
        )
        if before is not None and before.digest == digest:
            self.steps.append(f"{url}: the same bytes as before")
            return replace(document, body=b"", unchanged=True)
        return replace(document, sha256=digest)

    def _robots_txt(self, target: Target) -> bytes | None:
        """Fetch a robots.txt; None where there is none (any 4xx, as RFC 9309 has it)."""
        try:
            for _ in range(MAX_REDIRECTS + 1):
                with self._fetcher.pace.turn(target.host):
                    found = self._send(target, "text/plain", None, at_most=ROBOTS_BYTES)
                if isinstance(found, Answer):
                    return found.body or b""
                target = found
        except FetchError as error:
            if error.status is not None and 400 <= error.status < 500 and error.status != 429:
                return None
            raise
        return None

    def _step(self, target: Target, held: Validators | None, call: wire.Call, outcome: str) -> None:
        """Note one request in words."""
        how = " if changed" if held is not None else ""
        where = f" at {call.address}" if call.address else ""
        self.steps.append(f"GET {plain(target.url)}{how}{where}: {outcome}")


def _same(answer: Answer, held: Validators | None) -> bool:
    """Tell whether an answer is the state that we hold."""
    return held is not None and held.etag is not None and answer.etag is not None and held.etag == answer.etag


def _contradicts(headers: Mapping[str, str], held: Validators) -> bool:
    """Tell whether a 304 names another state than the one that we hold."""
    etag = answers.etag(headers)
    if etag is not None and held.etag is not None:
        return not answers.same_etag(etag, held.etag)
    changed = headers.get("Last-Modified")
    return changed is not None and held.last_modified is not None and changed != held.last_modified
