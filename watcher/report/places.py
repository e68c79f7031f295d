"""Where things stand in the site: the path of each page, the anchor of each row, and what links there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import urlencode

from watcher.domain import Alert, Result, ResultKey
from watcher.report.view import Said, Span, visible

HOME = "index.html"
BENCHMARKS = "benchmarks/index.html"
SYSTEMS = "systems/index.html"
CLAIMS = "claims.html"
ALERTS = "alerts/index.html"
ROUNDS = "rounds/index.html"
HEALTH = "health.html"
_LONGEST = 60  # letters of a file's name that come from outside


def slug(name: str) -> str:
    """Return a name as a part of a file name: it stays as it is where that is safe, else a hash tells it apart."""
    safe = re.sub(r"[^a-z0-9._-]+", "-", name.casefold()).strip("-.")[:_LONGEST].rstrip("-.")
    if safe and safe == name:
        return safe
    mark = hashlib.blake2b(name.encode(), digest_size=3).hexdigest()
    return f"{safe}-{mark}" if safe else mark


def round_page(suite: str, round: str) -> str:
    """Return the path of a round's page."""
    return f"rounds/{slug(suite)}-{slug(round)}.html"


def rows_page(suite: str, round: str) -> str:
    """Return the path of the table of a round's rows."""
    return f"rows/{slug(suite)}-{slug(round)}.html"


def benchmark_page(suite: str, benchmark: str) -> str:
    """Return the path of a benchmark's page."""
    return f"benchmarks/{slug(suite)}-{slug(benchmark)}.html"


def pair_page(name: str) -> str:
    """Return the path of the page of two systems side by side."""
    return f"systems/{slug(name)}.html"


def alert_page(alert: Alert) -> str:
    """Return the path of an alert's page, as messages link to it."""
    return f"alerts/{alert.name}.html"


def claim_anchor(number: int | None) -> str:
    """Return the anchor of a claim in the ledger."""
    return f"claim-{number}"


def row_anchor(key: ResultKey) -> str:
    """Return the anchor of a row in its round's table; the same as long as its key is."""
    return f"r{hashlib.blake2b(chr(31).join(key).encode(), digest_size=6).hexdigest()}"


class Places:
    """What the site holds, so that nothing links to what is not there."""

    def __init__(self, rows: Iterable[Result], pages: Collection[str]) -> None:
        """``rows``: those that stand in a table of the report; ``pages``: the paths of all pages."""
        self._rows = {row.key: row for row in rows}
        self._pages = frozenset(pages)

    def to(self, path: str, anchor: str = "", **query: str) -> str | None:
        """Return the link to a page of the site, null if it has none; ``query`` presets the filters of its table."""
        if path not in self._pages:
            return None
        asked = f"?{urlencode({key: visible(value) for key, value in query.items()})}" if query else ""
        return f"/{path}{asked}{f'#{anchor}' if anchor else ''}"

    def row(self, row: Result) -> str | None:
        """Return the link to a row in its round's table, null if it stands there no more."""
        if row.key not in self._rows:
            return None
        return self.to(rows_page(row.suite, row.round), row_anchor(row.key))

    def today(self, row: Result) -> Result | None:
        """Return a row as it stands in its table today; null if it stands there no more."""
        return self._rows.get(row.key)

    def rows(self, suite: str, round: str, wanted: Mapping[str, str | None]) -> str | None:
        """Return the link to a round's rows with a filter set."""
        return self.to(
            rows_page(suite, round), **{key: value for key, value in wanted.items() if value is not None}
        )

    def of_row(self, text: str, row: Result) -> Span:
        """Return words that link to their row."""
        return Span(text, self.row(row))

    def benchmark(self, text: str, row: Result) -> Span:
        """Return words that link to the page of a row's benchmark."""
        return Span(text, self.to(benchmark_page(row.suite, row.benchmark)))

    def alert(self, text: str, alert: Alert) -> Span:
        """Return words that link to an alert's page."""
        return Span(text, self.to(alert_page(alert)))

    def claim(self, text: str, number: int | None) -> Said:
        """Return words that link to a claim in the ledger."""
        return Span(text, self.to(CLAIMS, claim_anchor(number)) if number is not None else None)
