"""Reports for tests: facts of our own making, the demo's state and the archive's, and a strict reader of pages."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from tests.operation import here
from watcher.catalog.names import load
from watcher.domain import Alert, CheckedClaim, Event, Result
from watcher.outbox import Delivery
from watcher.report import Facts, pages
from watcher.report.facts import Health, Ledger, Told
from watcher.store.outbox import Attempt
from watcher.store.posts import LedgerEntry
from watcher.store.tables import TableState

NOW = datetime(2026, 9, 16, 15, 5, tzinfo=UTC)
_DONE: dict[str, Path] = {}


# ------------------------------------------------------------------------------------------------ whole reports


def demo_report(factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the report of the demo's state; made once for all tests."""
    return _once("demo", factory, lambda folder: here("demo", "--out", str(folder), "--quiet", cwd=folder))


def archive_report(factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the report of the archive's rounds; made once for all tests."""

    def ingest(folder: Path) -> Any:
        return here("--state", "watcher.db", "ingest", "--archive", cwd=folder)

    return _once("archive", factory, ingest)


def _once(name: str, factory: pytest.TempPathFactory, make_state: Callable[[Path], Any]) -> Path:
    if name not in _DONE:
        folder = factory.mktemp(name)
        made = make_state(folder)
        assert made.returncode == 0, made.stderr
        done = here("--state", "watcher.db", "report", "--out", "report", cwd=folder)
        assert done.returncode == 0, done.stderr
        _DONE[name] = folder / "report"
    return _DONE[name]


def read(folder: Path) -> Mapping[str, str]:
    """Return path → HTML of every page of a report."""
    return {str(file.relative_to(folder)): file.read_text() for file in sorted(folder.rglob("*.html"))}


# ------------------------------------------------------------------------------------------------ facts of our own


def told(alert: Alert, *receivers: str) -> Told:
    """Return an alert that was sent to some receivers."""
    deliveries = tuple(
        (
            Delivery(number=n, receiver=name, about=alert.name, created_at=NOW, next_attempt_at=NOW, state="sent", sent_at=NOW),
            (Attempt(n, NOW, 1, "sent", None),),
        )
        for n, name in enumerate(receivers)
    )  # fmt: skip
    return Told(alert, deliveries, ())


def ledger(checked: CheckedClaim) -> Ledger:
    """Return a claim as it stands in the ledger."""
    return Ledger(LedgerEntry(checked, 1, NOW, NOW, None), ((NOW, "made", checked, "post read"),))


def facts(*rows: Result, **given: Any) -> Facts:
    """Return the facts of a report about these rows."""
    rounds = list(dict.fromkeys((row.suite, row.round) for row in rows))
    healthy = Health(
        sources=(), former=(), deliveries={}, failing_deliveries=0, oldest_open=None, broken={}, digests={}, silences=(),
        healthy=True,
    )  # fmt: skip
    values: dict[str, Any] = {
        "rows": rows,
        "tables": tuple(_table(suite, name, rows) for suite, name in rounds),
        "front": rounds[-1] if rounds else None,
        "alerts": (), "ledger": (), "rules": (), "health": healthy, "as_of": NOW,
    }  # fmt: skip
    return Facts(**{**values, **given})


def _table(suite: str, name: str, rows: tuple[Result, ...]) -> TableState:
    count = sum((row.suite, row.round) == (suite, name) for row in rows)
    return TableState(
        id=1, suite=suite, round=name, source=None, url=None, digest=None, columns=frozenset(), polls=1, first_seen_at=NOW,
        polled_at=NOW, baseline=False, private=False, held_back_at=None, held_back_reason=None, results=count,
    )  # fmt: skip


def made(*rows: Result, **given: Any) -> Mapping[str, str]:
    """Return the pages about these rows."""
    return pages(facts(*rows, **given), load())


def happened(kind: str, after: Any, **given: Any) -> Event:
    """Return a recorded event."""
    return Event(
        id=f"{kind} {id(after)}", kind=kind, occurred_at=NOW, batch="b", after=after, number=1, **given
    )


# ------------------------------------------------------------------------------------------------ reading pages

VOID = frozenset({"meta", "link", "input", "br", "img", "hr"})
CLOSED_BY_US = frozenset({"path"})  # of SVG, written as <path …/>


class Document(HTMLParser):
    """One page, read strictly: every tag is closed in its order, no attribute and no id stands twice."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__()
        self.path = path
        self.text = text
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(text)
        self.close()
        assert self.open == [], f"{path}: {self.open} is never closed"
        ids = [given["id"] for _, given in self.tags if "id" in given]
        assert len(ids) == len(set(ids)), (
            f"{path}: {[name for name in ids if ids.count(name) > 1][:3]} stands twice"
        )

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"{self.path}: {tag} has an attribute twice: {attrs}"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in CLOSED_BY_US, f"{self.path}: <{tag}/>"
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        opened = self.open.pop() if self.open else None
        assert opened == tag, f"{self.path}: </{tag}> closes <{opened}> in line {self.getpos()[0]}"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]].append(data)
        else:
            self.words.append(data)

    @cached_property
    def ids(self) -> set[str]:
        """What can be linked to."""
        return {str(given["id"]) for _, given in self.tags if "id" in given}

    @property
    def links(self) -> list[str]:
        """The addresses of all links, in SVG too."""
        return [str(given["href"]) for tag, given in self.tags if tag == "a"]

    @property
    def said(self) -> str:
        """The words of the page, with single spaces."""
        return " ".join("".join(self.words).split())

    @cached_property
    def choices(self) -> Mapping[str, set[str]]:
        """Filter → the values that it offers."""
        found: dict[str, set[str]] = {}
        key = ""
        for tag, given in self.tags:
            if tag == "select":
                key = str(given.get("data-filter"))
            elif tag == "option":
                found.setdefault(key, set()).add(str(given["value"]))
        return found

    def row_values(self, name: str) -> set[str]:
        """Return the values of one kind that the rows of a table are filtered by."""
        return {value for found in self.attributes("tbody", f"data-{name}") for value in found.split("|")}

    def attributes(self, tag: str, name: str) -> list[str]:
        """Return one attribute of all tags of a kind that have it."""
        return [str(given[name]) for found, given in self.tags if found == tag and name in given]


def documents(pages: Mapping[str, str]) -> Mapping[str, Document]:
    """Read all pages strictly."""
    return {path: Document(path, text) for path, text in pages.items()}


def broken_links(read_pages: Mapping[str, Document]) -> list[str]:
    """Return the links within a report that lead nowhere: to no page, to no anchor, or with a filter that it lacks."""
    broken = []
    for path, page in read_pages.items():
        for href in page.links:
            parts = urlsplit(href)
            if parts.scheme:
                continue
            name = (
                posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path)))
                if parts.path
                else path
            )
            target = read_pages.get(name)
            if (
                target is None
                or (parts.fragment and parts.fragment not in target.ids)
                or (parts.query and not _filters(target, parts.query))
            ):
                broken.append(f"{path}: {href}")
    return broken


def _filters(page: Document, query: str) -> bool:
    """Whether a page can be filtered so: each value is one of its filter's, or rows have it and all share it."""
    for name, value in parse_qsl(query):
        choices = page.choices.get(name)
        if value not in (choices if choices is not None else page.row_values(name)):
            return False
    return True
