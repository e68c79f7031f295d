"""How the outside is read: a source, the documents it brings, and what one check of it came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from msgspec import Struct, field

from watcher.domain.published import KnownRows, Post, PublishedRound, Table
from watcher.errors import SecretError, SourceError


class Document(Struct, frozen=True):
    """Bytes as fetched or read from a file, decompressed.

    ``unchanged``: the other side said 304, or sent the bytes we already hold; ``body`` is empty then.
    ``media_type``: the Content-Type as received, with its charset. ``next_url``: the next page by the Link header.
    ``requests_left``: how many more requests the other side's rate limit allows for now, if it says so. ``sha256``: of
    ``body`` in hexadecimal, where it was taken on the way.
    """

    url: str
    body: bytes
    fetched_at: datetime
    media_type: str = ""
    etag: str | None = None
    last_modified: str | None = None
    unchanged: bool = False
    next_url: str | None = None
    requests_left: int | None = None
    sha256: str | None = None


class Validators(Struct, frozen=True, kw_only=True):
    """What the other side said of the bytes at ``url``, echoed as received; ``full_at``: when they last came whole."""

    url: str
    etag: str | None = None
    last_modified: str | None = None
    digest: str | None = None
    full_at: datetime | None = None


class Get(Protocol):
    """How a source reads the outside: one polite, guarded GET.

    ``accept`` the media types asked for; ``page`` true where robots.txt applies. Raises FetchError.
    A conditional request answered by 304 gives a Document with ``unchanged`` and no body.
    """

    def __call__(
        self, url: str, *, accept: str | None = None, conditional: bool = True, page: bool = False
    ) -> Document:
        """Fetch ``url``."""
        ...


class Unread(NamedTuple):
    """Why a secret cannot be had: the variable or file that was named, in short (``how``), and with key and fix (``why``)."""

    name: str
    how: str
    why: str


class Secret:
    """A value that prints as ``<secret>``; ``reveal()`` where it is used, nowhere else.

    ``unread``: why the value cannot be had; only who needs it is stopped by that.
    """

    __slots__ = ("_value", "unread")

    def __init__(self, value: str, *, unread: Unread | None = None) -> None:
        """Hold the value, or why there is none."""
        self._value = value
        self.unread = unread

    def reveal(self) -> str:
        """Return the value itself. Raises SecretError if it cannot be had."""
        if self.unread is not None:
            raise SecretError(self.unread.why)
        return self._value

    def __repr__(self) -> str:
        return "<secret>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and (other._value, other.unread) == (self._value, self.unread)

    def __hash__(self) -> int:
        return hash((self._value, self.unread))


class Source(Struct, frozen=True, kw_only=True):
    """A publication that we check. ``kind`` is a row of the SOURCES table; ``options`` are that kind's own.

    ``every``: seconds between checks in quiet times. ``allow_hosts``: hosts that may have a private address.
    ``secret`` is sent as a bearer token to ``url``'s origin only. ``stale_after``: seconds without success.
    """

    name: str
    kind: str
    url: str
    every: float = 900.0
    vendor: str | None = None
    group: str = "user"
    suite: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    allow_hosts: tuple[str, ...] = ()
    secret: Secret | None = None
    stale_after: float | None = None
    confirmed: bool = True


class PublishedTable(Struct, frozen=True, kw_only=True):
    """A table found by a source: where it stands, the bytes it is made from, and how to read them.

    ``read`` parses (it may raise ParseError, or HeldBackError where the table is absent) and is called once, later,
    without the network. ``baseline``: its repository was public before the source's first success and had not been
    read yet, so nothing in it is news. ``read_news`` does the same but leaves out rows that are known; null where a
    row does not stand by itself in the document.
    """

    suite: str
    round: str
    url: str
    documents: tuple[Document, ...]
    read: Callable[[], Table]
    baseline: bool = False
    read_news: Callable[[KnownRows], Table] | None = None


class Reading(Struct, frozen=True, kw_only=True):
    """What one check of a source brought back.

    ``cursor``: what the source wants to remember (JSON values only), committed last. ``posts`` are all posts seen
    now; a post that is absent is never taken as removed. ``rounds``: repositories of a round seen public.
    ``unchanged_tables``: (suite, round) of tables that were polled and are as before. ``steps``: what was done, in
    words, for ``sources check``. ``failure``: a part could not be read; the rest stands and is committed, and the
    check counts as failed.
    """

    cursor: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[PublishedTable, ...] = ()
    posts: tuple[Post, ...] = ()
    rounds: tuple[PublishedRound, ...] = ()
    unchanged_tables: tuple[tuple[str, str], ...] = ()
    steps: tuple[str, ...] = ()
    failure: SourceError | None = None
