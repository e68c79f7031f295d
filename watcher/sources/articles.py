"""Reading the pages behind links, a bounded number a check: new articles first, known ones again as they get corrected.

What is remembered of an article stands in the cursor under its identity::

    {"url": …, "title": …, "told": true, "failed": 0}            to be read
    {"url": …, "read": "2026-09-16", "again": 0, "size": 5120, …}   read, to be read again after 7 and after 28 days

After the last time it is forgotten here; the source still knows its identity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from watcher.domain import Document, Get, Post, Source
from watcher.errors import FetchError, ParseError, SourceError
from watcher.sources.options import Option

if TYPE_CHECKING:
    from watcher.parse.article import Article, Selectors

ACCEPT_HTML = "text/html, application/xhtml+xml;q=0.9"

AGAIN_AFTER_DAYS = (7, 28)
"""When a known article is read again. MLCommons gives three business days to correct a claim; papers follow for weeks."""

TRIES = 3
"""After so many failures in a row an article is given up."""

KEPT = 200
"""Most articles that are remembered here; beyond it the oldest are forgotten."""

_HOST_TROUBLE = frozenset({"blocked", "rate-limited", "auth", "server", "network"})
"""Failures of a site rather than of one page: the rest of its pages is left for the next check."""

OPTIONS = {
    "articles_per_check": Option(int, "How many articles are fetched in one check, at most.", 5, least=1),
    "title": Option(str, "CSS selector of an article's title; left out, it is found."),
    "published": Option(str, "CSS selector of an article's time of publication; left out, it is found."),
    "author": Option(str, "CSS selector of an article's author; left out, it is found."),
    "body": Option(str, "CSS selector of an article's body; left out, it is found."),
    "drop": Option(tuple, "CSS selectors of what is not the article within its body.", ()),
}
"""Options of every kind of source that fetches articles."""

FILTER = Option(
    tuple, "Keep only posts with one of these words in their title or text; whole words, any case.", ()
)


class Articles(Struct):
    """The articles of one check: what is to be read, what was, and how it went. ``options`` are the source's.

    ``reads`` is what the cursor keeps (see the module). After `read`, ``found`` has the articles that are new or may have
    changed, ``told`` the identities of those that are posts of ours whatever their text says, ``failed`` what is
    remembered of new articles that could not be read; ``failure`` is the site's trouble if no page of it could be read.
    """

    get: Get
    now: datetime
    options: Mapping[str, Any]
    reads: dict[str, dict[str, Any]]
    found: dict[str, Article] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    failed: dict[str, dict[str, Any]] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    failure: SourceError | None = None

    @property
    def limit(self) -> int:
        """How many articles are fetched, at most."""
        limit: int = self.options["articles_per_check"]
        return limit

    def want(self, identity: str, url: str, title: str = "", *, told: bool = False) -> None:
        """Ask for an article that is new or has changed; ``told``: it is a post of ours whatever its text says."""
        before = self.reads.pop(identity, {})
        self.reads[identity] = {
            "url": url,
            "title": title[:200],
            "told": told or before.get("told", False),
            "failed": 0,
            **{name: before[name] for name in ("size",) if name in before},
        }

    def read(self) -> None:
        """Read what is due, at most ``limit`` pages; a site that refuses us is left alone until the next check."""
        reached = False
        for identity in self._due()[: self.limit]:
            error = self._read(identity)
            reached = reached or error is None
            if error is not None and error.failure in _HOST_TROUBLE:
                self.failure = None if reached else error
                break
        waiting = sum("read" not in remembered for remembered in self.reads.values())
        if waiting:
            self.steps.append(f"{waiting} articles wait for the next check")
        for identity in list(self.reads)[: max(0, len(self.reads) - KEPT)]:
            del self.reads[identity]

    def posts(self, source: Source, words: Sequence[str]) -> Iterator[Post]:
        """Yield the articles found that are posts of ours: told before, or with one of ``words``."""
        if not self.found:
            return
        from watcher.parse.words import has_any  # noqa: PLC0415 - only where an article was read

        for identity, article in self.found.items():
            if identity in self.told or has_any(words, article.title, article.text):
                if identity in self.reads:
                    self.reads[identity]["told"] = True  # an edit that takes the word out is an edit
                yield post_of(article, identity, source)

    def _due(self) -> list[str]:
        new = [identity for identity, kept in self.reads.items() if "read" not in kept]
        again = [identity for identity, kept in self.reads.items() if "read" in kept and self._is_old(kept)]
        return new + again

    def _is_old(self, remembered: Mapping[str, Any]) -> bool:
        age = (self.now.date() - date.fromisoformat(remembered["read"])).days
        return age >= AGAIN_AFTER_DAYS[min(remembered["again"], len(AGAIN_AFTER_DAYS) - 1)]

    def _read(self, identity: str) -> SourceError | None:
        """Read one article; return what went wrong."""
        remembered = self.reads[identity]
        known = "read" in remembered
        try:
            document = self.get(remembered["url"], accept=ACCEPT_HTML, conditional=known, page=True)
            article = None if document.unchanged else self._article(document, remembered)
        except (FetchError, ParseError) as error:
            self._count_failure(identity, remembered, error)
            return error
        if article is not None:
            self.found[identity] = article
            remembered["size"] = len(article.text)
            if remembered["told"]:
                self.told.add(identity)
        self._was_read(identity, remembered)
        return None

    def _article(self, document: Document, remembered: Mapping[str, Any]) -> Article:
        """Return the article. Raises ParseError where a known one has shrunk to a rest: that is an error page."""
        from watcher.parse.article import read_article  # noqa: PLC0415 - only for a page whose bytes are new

        article = read_article(
            document.body,
            url=document.url,
            media_type=document.media_type,
            selectors=selectors_of(self.options),
        )
        before = remembered.get("size", 0)
        if len(article.text) < before / 3:
            raise ParseError(
                f"{document.url}: has shrunk from {before:,} to {len(article.text):,} characters; not taken for an edit"
            )
        return article

    def _was_read(self, identity: str, remembered: dict[str, Any]) -> None:
        if "read" not in remembered:
            self.reads[identity] = {
                "url": remembered["url"],
                "told": remembered["told"],
                "read": self.now.date().isoformat(),
                "again": 0,
                "size": remembered.get("size", 0),
                "failed": 0,
            }
            return
        remembered["again"] += 1
        remembered["failed"] = 0
        if remembered["again"] >= len(AGAIN_AFTER_DAYS):
            del self.reads[identity]

    def _count_failure(self, identity: str, remembered: dict[str, Any], error: SourceError) -> None:
        remembered["failed"] += 1
        self.steps.append(f"article not read ({error.failure}): {error}")
        known = "read" in remembered
        if not known:
            self.failed[identity] = remembered
        if remembered["failed"] >= TRIES or error.failure == "gone":
            if known:
                self._was_read(identity, remembered)
            else:
                del self.reads[identity]


def selectors_of(options: Mapping[str, Any]) -> Selectors:
    """Return the selectors that a source's options name."""
    from watcher.parse.article import Selectors  # noqa: PLC0415 - only for a page whose bytes are new

    return Selectors(
        title=options["title"],
        published=options["published"],
        author=options["author"],
        body=options["body"],
        drop=options["drop"],
    )


def post_of(article: Article, identity: str, source: Source) -> Post:
    """Return an article as a post of its source."""
    return Post(
        source=source.name,
        identity=identity,
        url=article.url,
        title=article.title,
        html=article.html,
        text=article.text,
        author=article.author,
        published_at=article.published_at,
        published_raw=article.published_raw,
        vendor=source.vendor,
    )
