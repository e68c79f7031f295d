"""What a rule is asked about: everything held for ``rules explain``, and batches of events for ``rules backtest``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher import archive
from watcher.domain import Event, PublishedRound, Subject
from watcher.errors import UsageError
from watcher.figures.wanted import with_calendar
from watcher.pipeline.occasion import Occasion
from watcher.pipeline.recording import Recorder
from watcher.rules import Rule, RuleSet
from watcher.store import Store

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog
    from watcher.figures import Wanted

_FIGURES = frozenset({"comparison", "scaling", "gain"})
_FIRST_DAY = datetime(1970, 1, 1, tzinfo=UTC)
PUBLICATION_HOUR = time(15, tzinfo=UTC)  # 08:00 in California for most of the year; only the date is shown


class Period(Struct, frozen=True):
    """A stretch of time, [since, until), and the rounds that went public in it."""

    since: datetime
    until: datetime | None

    def holds(self, at: datetime) -> bool:
        """Whether ``at`` lies in it."""
        return self.since <= at and (self.until is None or at < self.until)


def alone(rule: Rule, rules: RuleSet) -> RuleSet:
    """Return a set of this rule alone, enabled whether or not it is."""
    return RuleSet((replace(rule, enabled=True),), vendors=rules.vendors)


# ------------------------------------------------------------------------------------------------ explain


def subjects(store: Store, rule: Rule, rules: RuleSet) -> Sequence[Subject | Event]:
    """Return what is held of the rule's watch: rows, the figures they make, claims, rounds, or recorded events."""
    if rule.watch == "result":
        return store.tables.results(private=False)
    if rule.watch in _FIGURES:
        return _figures(store, rule, alone(rule, rules).wanted())
    if rule.watch == "record":
        from watcher.figures import records  # noqa: PLC0415 - only for a rule about records

        return records(store.tables.results(private=False))
    if rule.watch == "claim":
        return [entry.checked for entry in store.posts.claims() if entry.gone_at is None]
    if rule.watch == "round":
        return [
            PublishedRound(suite=table.suite, round=table.round, url=table.url, results=table.results)
            for table in store.tables.all()
            if table.polls and not table.private
        ]
    from watcher.rules.watches import WATCHES  # noqa: PLC0415 - with the rules

    return store.events.listing(kinds=[f"{rule.watch}.{word}" for word in WATCHES[rule.watch].events])


def _figures(store: Store, rule: Rule, wanted: Wanted) -> list[Subject]:
    from watcher.figures import by_ground, derive  # noqa: PLC0415 - only for a rule about figures

    rows = store.tables.results(private=False)
    found = derive({}, by_ground(rows), {row.key for row in rows}, wanted)
    return [made.after for made in found if made.after is not None and made.kind.startswith(f"{rule.watch}.")]


# ------------------------------------------------------------------------------------------------ backtest


def period(catalog: Catalog, first: str | None, last: str | None) -> Period:
    """Return the time from the day ``first`` went public to the day before its suite's next round after ``last`` did.

    A bare round means inference. Raises UsageError for a round that is not in the calendar or has not been published.
    """
    since = _FIRST_DAY if first is None else _published(catalog, first)
    until = None
    if last is not None:
        at = _published(catalog, last)
        suite = _round(catalog, last)[0]
        later = [
            day
            for each in catalog.rounds()
            if each.suite == suite and each.published_on is not None
            and (day := datetime.combine(each.published_on, time(tzinfo=UTC))) > at
        ]  # fmt: skip
        until = min(later, default=None)
    if until is not None and until <= since:
        raise UsageError(f"--from {first} went public after --to {last}; swap them")
    return Period(since, until)


def _published(catalog: Catalog, name: str) -> datetime:
    suite, round_name = _round(catalog, name)
    for each in catalog.rounds():
        if (each.suite, each.name) == (suite, round_name):
            if each.published_on is None:
                raise UsageError(f"{suite} {round_name} has not been published yet")
            return datetime.combine(each.published_on, time(tzinfo=UTC))
    raise UsageError(f"{name!r} is not in the calendar of rounds")


def _round(catalog: Catalog, name: str) -> tuple[str, str]:
    found = catalog.find("round", name)
    if found is None:
        close = catalog.suggest("round", name)
        hint = f"; did you mean {close!r}?" if close else ", such as v6.1 or training-v5.1"
        raise UsageError(f"there is no round {name!r}{hint}")
    suite, _, bare = found.rpartition("-")
    return suite or "inference", bare


def recorded(store: Store, when: Period) -> list[tuple[Event, ...]]:
    """Return the batches of events that the state recorded in a period, in order."""
    events = store.events.listing(since=when.since, until=when.until)
    ordered = sorted(events, key=lambda event: event.number or 0)
    return [tuple(batch) for _, batch in groupby(ordered, key=lambda event: event.batch)]


def archived(
    catalog: Catalog, wanted: Wanted, when: Period, *, without: Iterable[tuple[str, str]] = ()
) -> list[tuple[Event, ...]]:
    """Return what the archive's rounds would have been as news on their days, each after the ones before it.

    The rounds go through the same recording as any table, into a scratch state in memory; those before the period
    are history. ``without``: (suite, round) pairs that the user's own state saw as news.
    """
    left_out = frozenset(without)
    days = {(each.suite, each.name): each.published_on for each in catalog.rounds()}
    dated = sorted(
        (datetime.combine(day, PUBLICATION_HOUR), suite, name)
        for suite, name in archive.rounds()
        if (day := days.get((suite, name))) is not None
    )
    with Store(now=_FIRST_DAY) as scratch:
        asked = with_calendar(wanted, lambda: catalog)
        recorder = Recorder(store=scratch, catalog=lambda: catalog, wanted=lambda: asked)
        started: set[str] = set()
        for at, suite, name in dated:
            news = suite in started and when.holds(at) and (suite, name) not in left_out
            started.add(suite)
            occasion = Occasion(batch=f"archive {suite} {name}", now=at)
            table = archive.load(suite, name, catalog=catalog)
            with scratch.write():
                recorder.table(table, occasion, digest=occasion.batch, baseline=not news)
        return recorded(scratch, Period(_FIRST_DAY, None))


def told_rounds(store: Store) -> set[tuple[str, str]]:
    """Return the (suite, round) pairs whose publication the state recorded as news."""
    events = store.events.listing(kinds=["round.published"])
    return {(e.subject.suite, e.subject.round) for e in events if isinstance(e.subject, PublishedRound)}
