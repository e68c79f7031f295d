"""robots.txt (RFC 9309): asked once a day for each host whose pages are read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from watcher.errors import FetchError
from watcher.fetch.guard import Target, plain

NAME = "mlperf-watcher"
"""The product token that robots.txt rules may name."""

MAX_BYTES = 512_000  # RFC 9309 wants at least 500 KiB read; what is beyond is not

_KEPT_FOR = timedelta(days=1)
_LONGEST_GAP = 30.0


class Robots:
    """What each host lets us read. ``fetch`` returns a robots.txt's bytes, or None where there is none."""

    def __init__(self) -> None:
        """Start knowing nothing."""
        self._kept: dict[tuple[str, str, int], tuple[datetime, Any]] = {}

    def check(self, target: Target, now: datetime, fetch: Callable[[Target], bytes | None]) -> float:
        """Return the seconds that the host wants between requests (0: it does not say; at most 30).

        Raises FetchError: "blocked" for a page that robots.txt forbids; what ``fetch`` raises if robots.txt cannot be
        read for now, as the standard then forbids all.
        """
        rules = self._rules(target, now, fetch)
        if rules is None:
            return 0.0
        if not rules.can_fetch(target.url, NAME):
            url = plain(target.url)
            raise FetchError(
                f"{url} is not for programs: {target.host}'s robots.txt forbids it",
                url=url,
                failure="blocked",
            )
        return min(float(rules.crawl_delay(NAME) or 0.0), _LONGEST_GAP)

    def _rules(self, target: Target, now: datetime, fetch: Callable[[Target], bytes | None]) -> Any:
        """Return a host's rules, asked for at most once a day."""
        at, rules = self._kept.get(target.origin, (None, None))
        if at is not None and now - at < _KEPT_FOR:
            return rules
        body = fetch(target._replace(path="/robots.txt"))
        if body is None:
            rules = None
        else:
            from protego import Protego  # noqa: PLC0415 - only where pages are read

            rules = Protego.parse(body.decode("utf-8-sig", "replace"))
        self._kept[target.origin] = (now, rules)
        return rules
