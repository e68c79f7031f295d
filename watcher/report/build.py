"""Facts → all pages of a report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from watcher.catalog.names import Catalog
from watcher.domain import Record
from watcher.figures import Filter, records
from watcher.figures.brief import brief
from watcher.figures.care import Around
from watcher.render import words
from watcher.render.brief_page import TRADEMARK
from watcher.report.alert_pages import alert_pages
from watcher.report.benchmark_pages import benchmark_pages, by_benchmark
from watcher.report.claim_page import claim_page
from watcher.report.facts import Facts
from watcher.report.health_page import health_page
from watcher.report.home_page import home_page, ordered, rounds_page
from watcher.report.pair_pages import Pair, flagship_pairs, pair_pages, rule_pairs
from watcher.report.places import (
    ALERTS,
    BENCHMARKS,
    CLAIMS,
    HEALTH,
    HOME,
    ROUNDS,
    SYSTEMS,
    Places,
    alert_page,
    benchmark_page,
    pair_page,
    round_page,
    rows_page,
)
from watcher.report.round_page import round_of
from watcher.report.rows_page import rows_pages
from watcher.report.shell import Frame, html
from watcher.report.view import Page, Span

NAME = "mlperf-watcher"
_EPOCH = datetime.fromtimestamp(0, UTC)
_CLOSED = Filter(division=("closed",))


def pages(facts: Facts, catalog: Catalog) -> Mapping[str, str]:
    """Return path → HTML of every page."""
    around = Around(facts.rows)
    rounds = {one: facts.of_round(*one) for one in ordered(facts.rounds)}
    claims = [one.entry.checked for one in facts.ledger if one.entry.gone_at is None]
    briefs = {(suite, name): brief(facts.rows, suite, name, catalog, claims=claims) for suite, name in rounds}
    front = briefs[facts.front] if facts.front is not None else None
    pairs = [
        *(flagship_pairs(front) if front is not None else ()),
        *rule_pairs(facts.rules, facts.rows, around, catalog),
    ]
    groups = by_benchmark(facts.rows)
    places = Places(facts.rows, _paths(facts, rounds, groups, pairs))
    frame = _frame(facts, places)
    made: Iterable[Page] = (
        home_page(facts, front, around, places),
        rounds_page(briefs, rounds, places),
        *(round_of(briefs[one], rows, around, places) for one, rows in rounds.items()),
        *rows_pages(rounds, around, places, catalog),
        *benchmark_pages(groups, _records(facts, around), around, places, catalog),
        *pair_pages(pairs, places),
        claim_page(facts.ledger, places),
        *alert_pages(facts.alerts, places, epoch=facts.as_of or _EPOCH),
        health_page(facts, places),
    )
    return {page.path: html(page, frame) for page in made}


def _paths(
    facts: Facts,
    rounds: Iterable[tuple[str, str]],
    benchmarks: Iterable[tuple[str, str]],
    pairs: Iterable[Pair],
) -> set[str]:
    """Return the paths of all pages, so that nothing links to one that is not there."""
    return {
        *(HOME, ROUNDS, BENCHMARKS, SYSTEMS, CLAIMS, ALERTS, HEALTH),
        *(round_page(*one) for one in rounds),
        *(rows_page(*one) for one in rounds),
        *(benchmark_page(*one) for one in benchmarks),
        *(pair_page(pair.name) for pair in pairs),
        *(alert_page(told.alert) for told in facts.alerts),
    }


def _records(facts: Facts, around: Around) -> Mapping[tuple[str, str], list[Record]]:
    found: defaultdict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records(facts.rows, _CLOSED, around=around):
        found[record.best.suite, record.best.benchmark].append(record)
    return found


def _frame(facts: Facts, places: Places) -> Frame:
    menu = [("Overview", HOME, "home"), ("Rounds", ROUNDS, "rounds")]
    if facts.front is not None:
        menu.append(("Rows", rows_page(*facts.front), "rows"))
    menu += [
        ("Benchmarks", BENCHMARKS, "benchmarks"), ("Systems", SYSTEMS, "systems"), ("Claims", CLAIMS, "claims"),
        ("Alerts", ALERTS, "alerts"), ("Health", HEALTH, "health"),
    ]  # fmt: skip
    as_of = f"The state as of {words.moment(facts.as_of)}. " if facts.as_of is not None else ""
    source = (
        "Results as published in MLCommons' repositories; ratios and figures per accelerator are our own."
    )
    return Frame(
        name=NAME,
        menu=tuple(Span(text, places.to(path), place) for text, path, place in menu),
        footer=(f"{as_of}{source}", TRADEMARK),
        base_url=facts.base_url,
    )
