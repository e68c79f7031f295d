"""A site in memory: what a source asks for by `get`, answered as the fetcher would."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from watcher.domain import Document, Source
from watcher.errors import FetchError

DATA = "tests/data"
NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)


@dataclass
class Site:
    """Pages by address. ``failing``: addresses with the failure class they answer with. ``asked``: what was asked for, ``wanted``: how."""

    pages: dict[str, str | bytes]
    failing: dict[str, str] = field(default_factory=dict)
    media_type: str = ""
    asked: list[str] = field(default_factory=list)
    wanted: list[tuple[str | None, bool]] = field(default_factory=list)
    held: dict[str, bytes] = field(default_factory=dict)

    def __call__(self, url, *, accept=None, conditional=True, page=False):
        self.asked.append(url)
        self.wanted.append((accept, page))
        if url in self.failing:
            raise FetchError(f"{url}: {self.failing[url]}", url=url, failure=self.failing[url])
        if url not in self.pages:
            raise FetchError(f"{url}: not found", url=url, failure="gone", status=404)
        content = self.pages[url]
        body = content.encode() if isinstance(content, str) else content
        if conditional and self.held.get(url) == body:
            return Document(url, b"", NOW, unchanged=True)
        if conditional:
            self.held[url] = body
        return Document(url, body, NOW, media_type=self.media_type)


def source(kind: str, url: str, **options) -> Source:
    """A source of ``kind`` with its options."""
    return Source(name="racks", kind=kind, url=url, vendor="Racks", options=options)


def rss(*items: str) -> str:
    """A feed with these items."""
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Racks</title>'
        f"{''.join(f'<item>{item}</item>' for item in items)}</channel></rss>"
    )


def letters(text: str) -> str:
    """The letters and digits of a text, as evidence is compared."""
    return "".join(filter(str.isalnum, text))
