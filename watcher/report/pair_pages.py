"""Systems side by side: each vendor's flagship over the one before it, and what every rule about comparisons compares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watcher.catalog.names import Catalog
from watcher.domain import Comparison, NotComparable, Result
from watcher.figures import Filter, compare, over_vendor, vendors
from watcher.figures.brief import Brief
from watcher.figures.care import Around
from watcher.figures.cells import newest, scenario_order
from watcher.figures.flagships import Generation
from watcher.figures.selectors import SystemSelector
from watcher.figures.words import number
from watcher.render import words
from watcher.report import titles
from watcher.report.comparisons import cautions, comparison_tables, refusals, stacks
from watcher.report.places import SYSTEMS, Places, pair_page
from watcher.report.plots import ratio_plot
from watcher.report.round_page import flagship
from watcher.report.view import (
    Block,
    Bullets,
    Column,
    Page,
    Part,
    Row,
    Span,
    Table,
    cell,
    filters,
    line,
    paragraph,
)
from watcher.rules import Rule
from watcher.rules.explain import explain


class Pair(Struct, frozen=True):
    """Two systems to show side by side; ``why``: the flagship or the rule that asks for it, in words.

    ``generation`` and ``brief`` only for flagships; ``by_vendor``: every submitter against the vendor's own row.
    """

    name: str
    title: str
    why: str
    comparisons: tuple[Comparison, ...]
    refused: tuple[NotComparable, ...] = ()
    generation: Generation | None = None
    brief: Brief | None = None
    by_vendor: bool = False


def flagship_pairs(brief: Brief) -> Iterable[Pair]:
    """Return the flagships of a round, each over the one before it."""
    for one in brief.generations:
        found = one.comparisons or one.anyone
        if found:
            ship, before = titles.accelerator(found[0].subject), titles.accelerator(found[0].baseline)
            name = f"{brief.suite}-{brief.round}-{one.flagship.accelerator}-over-{one.flagship.predecessor}"
            round_words = titles.short_round(brief.suite, brief.round)
            why = f"{one.flagship.vendor}'s flagship of {round_words} over the one before it"
            yield Pair(
                name, f"{ship} over {before}, {round_words}", why, found, one.not_comparable, one, brief
            )


def rule_pairs(
    rules: Iterable[Rule], rows: Sequence[Result], around: Around, catalog: Catalog
) -> Iterable[Pair]:
    """Return what each enabled rule of the watch "comparison" compares, in the newest round of its suite that is held."""
    for rule in rules:
        if rule.watch != "comparison" or not rule.enabled or rule.spec is None:
            continue
        found, refused = _compared(rule, rows, around, catalog)
        why = rule.description or "what this rule compares, whether or not it fires"
        yield Pair(
            f"rule-{rule.id}", f"{_rule_title(rule)}", f"Rule {rule.id}: {why}", found, refused,
            by_vendor=rule.baseline is None,
        )  # fmt: skip


def _compared(
    rule: Rule, rows: Sequence[Result], around: Around, catalog: Catalog
) -> tuple[tuple[Comparison, ...], tuple[NotComparable, ...]]:
    spec = rule.spec
    if spec is None:
        return (), ()
    if rule.baseline is not None and rule.subject is not None:
        pairs, refused = compare(
            rows, rule.subject, rule.baseline, spec.filter, per=rule.per, spec=spec.id, around=around
        )
    else:
        where = _newest_round(rows, spec.filter, rule.subject)
        pairs = over_vendor(
            rows, vendors(catalog), rule.subject or SystemSelector(), where, spec=spec.id, around=around
        )
        refused = ()
    # A rule's ``where`` says what it is about; ``when`` only decides whether it fires.
    asked = explain(replace(rule, when=None, on=("computable",)), pairs, nearest=0)
    return tuple(one for one in asked.passes if isinstance(one, Comparison)), refused


def _newest_round(rows: Sequence[Result], where: Filter, subject: SystemSelector | None) -> Filter:
    suite = (subject.suite if subject is not None else None) or (
        where.suite[0] if where.suite else "inference"
    )
    if where.round or (subject is not None and subject.round):
        return where
    last = newest({row.round for row in rows if row.suite == suite})
    return replace(where, suite=(suite,), round=(last,) if last is not None else ())


def _rule_title(rule: Rule) -> str:
    subject = str(rule.subject) if rule.subject is not None else ""
    named = _named(rule.subject) if subject not in {"", "*"} else "Every submitter"
    return (
        f"{named} over {_named(rule.baseline)}"
        if rule.baseline is not None
        else f"{named} over the vendor's own rows"
    )


def _named(selector: SystemSelector | None) -> str:
    if selector is None:
        return "any system"
    name = selector.name or selector.accelerator
    if name is None:
        return str(selector)
    kind = "system" if name != selector.accelerator else "accelerator"
    count = f"{selector.accelerator_count:,} " if selector.accelerator_count and kind == "accelerator" else ""
    whose = f"{selector.submitter} " if selector.submitter else ""
    at = f", {selector.round}" if selector.round else ""
    return f"{whose}{count}{titles.title(kind, name)}{at}"


# ------------------------------------------------------------------------------------------------ pages


def pair_pages(pairs: Sequence[Pair], places: Places) -> Iterable[Page]:
    """Return the list of pairs and the page of each."""
    yield _list(pairs, places)
    for pair in pairs:
        yield _page(pair, places)


def _list(pairs: Sequence[Pair], places: Places) -> Page:
    rows = tuple(
        Row(
            (
                cell(Span(pair.title, places.to(pair_page(pair.name)))),
                cell(_range(pair.comparisons)),
                cell(f"{len(pair.comparisons):,}"),
                cell(pair.why),
            )
        )
        for pair in pairs
    )
    columns = (
        Column("Systems"),
        Column("Ratio", numeric=True),
        Column("Cells", numeric=True, screens="wide"),
        Column("Why it is here"),
    )
    blocks: tuple[Block, ...] = (Table(columns=columns, rows=rows, label="Systems side by side"),)
    if not rows:
        blocks = (paragraph("No flagships and no rule of the watch comparison yet."),)
    further = (
        paragraph(
            "Any two systems can be compared on the command line, by benchmark, scenario and submitter:"
        ),
        Bullets(
            (
                line(
                    Span(
                        "mlperf-watcher compare NVIDIA/vera-rubin-nvl72@v6.1 NVIDIA/gb300-nvl72@v6.1",
                        None,
                        "code",
                    )
                ),
            )
        ),
    )
    return Page(
        path=SYSTEMS, place="systems", title="Systems side by side",
        summary="Unlike things are named, not averaged: what differs between the sides stands beside every ratio.",
        parts=(Part("Pairs", blocks), Part("Ask further", further)),
    )  # fmt: skip


def _range(found: Sequence[Comparison]) -> str:
    if not found:
        return words.NONE
    ratios = [one.ratio if one.per_accelerator_ratio is None else one.per_accelerator_ratio for one in found]
    low, high = min(ratios), max(ratios)
    return words.ratio(low) if low == high else f"{words.ratio(low)} to {words.ratio(high)}"


def _page(pair: Pair, places: Places) -> Page:
    parts: list[Part] = []
    if pair.generation is not None and pair.brief is not None:
        parts.append(
            replace(flagship(pair.brief, pair.generation, places), heading="By scenario", anchor="ratios")
        )
    elif pair.by_vendor and pair.comparisons:
        parts.append(
            Part(
                "Every row beside the vendor's own",
                (vendor_table(pair.comparisons, places),),
                anchor="ratios",
            )
        )
    elif pair.comparisons:
        found = (ratio_plot(pair.comparisons, places), comparison_tables(pair.comparisons, places))
        parts.append(
            Part("By scenario", tuple(block for block in found if block is not None), anchor="ratios")
        )
    else:
        parts.append(
            Part("By scenario", (paragraph("Nothing can be compared yet; below is why."),), anchor="ratios")
        )
    if not pair.by_vendor:
        stack = stacks(pair.comparisons, places)
        parts += [Part("How the sides differ", (stack,), anchor="stacks")] if stack is not None else []
    reasons = cautions(pair.comparisons)
    parts += (
        [Part("Handle with care", (reasons,), anchor="care", style="care")] if reasons is not None else []
    )
    missing = refusals(pair.refused)
    parts += [Part("Not comparable", (missing,), anchor="missing")] if missing is not None else []
    return Page(
        path=pair_page(pair.name),
        place="systems",
        title=pair.title,
        summary=pair.why,
        trail=(Span("Systems", places.to(SYSTEMS)),),
        parts=tuple(parts),
        contents=True,
    )


def vendor_table(found: Sequence[Comparison], places: Places) -> Table:
    """Return every comparison with a vendor's own row, the highest ratio first."""
    rows = tuple(
        Row(
            (
                cell(
                    places.benchmark(titles.benchmark(one.subject), one.subject),
                    Span(one.subject.scenario or "", None, "soft narrow"),
                ),
                cell(one.subject.scenario or words.NONE),
                cell(titles.submitter(one.subject)),
                cell(titles.system(one.subject)),
                cell(
                    places.of_row(number(one.subject.value), one.subject),
                    Span(f" {one.subject.unit}", None, "soft"),
                    sort=one.subject.value,
                ),
                cell(places.of_row(number(one.baseline.value), one.baseline), sort=one.baseline.value),
                cell(titles.submitter(one.baseline)),
                cell(words.ratio(one.ratio), sort=one.ratio),
            ),
            values=_vendor_values(one),
        )
        for one in sorted(found, key=lambda one: (-one.ratio, one.subject.key))
    )
    columns = (
        Column("Benchmark", width=17), Column("Scenario", screens="wide", width=11), Column("Submitter", width=16),
        Column("System", width=13), Column("Value", numeric=True, width=15),
        Column("Vendor's own", numeric=True, screens="wide", width=11), Column("Vendor", screens="wide", width=9),
        Column("Ratio", numeric=True, width=8),
    )  # fmt: skip
    wanted: Mapping[str, tuple[str, Mapping[str, str]]] = {
        "benchmark": ("Benchmark", {value: titles.title("benchmark", value) for row in rows for value in row.values["benchmark"]}),
        "scenario": ("Scenario", {name: name for name in sorted({one.subject.scenario or "" for one in found}, key=scenario_order) if name}),
        "submitter": ("Submitter", {}),
        "vendor": ("Vendor", {}),
    }  # fmt: skip
    return Table(
        columns=columns, rows=rows, label="Every row beside the vendor's own", noun="comparison", nouns="comparisons",
        filters=filters(rows, wanted),
    )  # fmt: skip


def _vendor_values(one: Comparison) -> dict[str, tuple[str, ...]]:
    row = one.subject
    return {
        "benchmark": (row.benchmark,),
        "scenario": (row.scenario,) if row.scenario else (),
        "submitter": row.organisations or (row.submitter,),
        "vendor": (one.baseline.submitter,),
    }
