"""The parts of a brief about what stands out: who leads, spreads, records, gains; as sections of plain text."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain import Gain, Grid, Record, Result, Section
from watcher.figures.brief import Brief
from watcher.figures.cells import scenario_order
from watcher.figures.records import ABSOLUTE, figure
from watcher.figures.standouts import GainSpan, Leader, Spread
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import Column, grouped, table

SPREADS = 3
TELLING = 1.1  # a spread below is the noise of runs and set-ups
GAINS = 5  # systems told in a message
RECORDS = 60  # lines of a page; the rest is counted
_LEADERS = (
    "Closed division, of this round alone. Latencies: the lowest, which does not divide. A figure per accelerator is ours, "
    "not an official metric."
)


# ------------------------------------------------------------------------------------------------ worth knowing


def worth_knowing(brief: Brief) -> list[str]:
    """Return sentences about what a reader would not look for: who leads in total but not per accelerator, spreads."""
    return [*_leader_words(brief.leaders), *_spread_words(brief.spreads)]


def _leader_words(leaders: Sequence[Leader]) -> list[str]:
    said = []
    strict = sorted(leaders, key=lambda one: float(one.cell.accuracy_target or 0), reverse=True)
    once = {(one.largest.benchmark, one.largest.scenario, one.largest.value): one for one in reversed(strict)}
    apart = [one for one in leaders if one.over is not None and one in once.values()]
    for (name, whose, system), group in grouped(
        apart,
        lambda one: (words.benchmark(one.largest), words.submitter(one.largest), words.system(one.largest)),
    ).items():
        ordered = sorted(group, key=lambda one: scenario_order(one.largest.scenario))
        told = "; ".join(_leader_line(one) for one in ordered)
        said.append(f"The largest {name} totals are {whose}'s, with {system}: {told}.")
    return said


def _leader_line(one: Leader) -> str:
    row, over = one.largest, one.over
    each = row.value_per_accelerator
    told = f"{row.scenario or ''} {words.value(row)}".strip()
    if each is None or over is None or over.per_accelerator_ratio is None:
        return told
    other = f"{words.submitter(over.baseline)}'s {words.system(over.baseline)}"
    return f"{told} ({number(each)} each, {over.per_accelerator_ratio:.2f} of {other})"


def _spread_words(spreads: Sequence[Spread]) -> list[str]:
    said = []
    for spread in [one for one in spreads if one.ratio >= TELLING][:SPREADS]:
        high = spread.high
        said.append(
            f"The same {words.system(high)}, {words.benchmark(high)} {high.scenario or ''}: {number(spread.low.value)} to "
            f"{words.value(high)} by submitter ({words.plural(spread.rows, 'row')}, {words.ratio(spread.ratio)} between "
            f"{words.submitter(spread.low)} and {words.submitter(high)})."
        )
    return said


def leader_section(brief: Brief) -> Section | None:
    """Return the table of who leads each cell in total and per accelerator; for a page."""
    if not brief.leaders:
        return None
    several = len({one.cell.system_type for one in brief.leaders}) > 1
    rows = [(one, words.benchmark(one.largest)) for one in brief.leaders]
    columns = [
        Column("Benchmark", [name + _edge(one, several=several) for one, name in rows]),
        Column("Scenario", [one.cell.scenario or words.NONE for one, _ in rows]),
        Column("Largest", [number(one.largest.value) for one, _ in rows], numeric=True),
        Column("Unit", [one.largest.unit for one, _ in rows]),
        Column("by", [_by(one.largest) for one, _ in rows]),
        Column("Most each", [_each(one) for one, _ in rows], numeric=True),
        Column("by", [words.NONE if one.each is None else _by(one.each) for one, _ in rows]),
    ]
    return Section(
        heading="Largest totals, and most per accelerator",
        paragraphs=(_LEADERS,),
        grid=table("", columns),
    )


def _edge(one: Leader, *, several: bool) -> str:
    return f" ({one.cell.system_type})" if several and one.cell.system_type == "edge" else ""


def _each(one: Leader) -> str:
    each = one.each.value_per_accelerator if one.each is not None else None
    return words.NONE if each is None else number(each)


def _by(row: Result) -> str:
    return f"{words.submitter(row)}, {words.system(row)}"


# ------------------------------------------------------------------------------------------------ records


def record_section(brief: Brief, *, whole: bool) -> Section | None:
    """Return what became of the records of the closed division."""
    if not brief.history:
        return None
    if not (brief.beaten or brief.standing or brief.first_results):
        return None
    cells = {_cell(record) for record in brief.beaten}
    said = (
        f"Closed division, best since {brief.since}: {words.plural(len(brief.beaten), 'record')} beaten in "
        f"{words.plural(len(cells), 'cell')}, in total or per accelerator; {words.plural(len(brief.standing), 'record')} "
        f"of earlier rounds {'stands' if len(brief.standing) == 1 else 'stand'}."
    )
    if brief.first_results:
        said += f" {words.plural(brief.first_results, 'cell has its', 'cells have their')} first result in the tables held."
    benchmarks = grouped(brief.beaten, lambda record: words.benchmark(record.best))
    counts = words.joined(
        (f"{name} ({len(those)})" for name, those in benchmarks.items()), limit=None if whole else 6
    )
    paragraphs = (said, *((f"Beaten on {counts}.",) if counts and not whole else ()))
    return Section(
        heading="Records",
        paragraphs=paragraphs,
        grid=_record_grid(brief.beaten, "Beaten") if whole and brief.beaten else None,
    )


def standing_section(brief: Brief) -> Section | None:
    """Return the records of earlier rounds that this one contested and did not reach; for a page."""
    return Section(grid=_record_grid(brief.standing, "Still standing")) if brief.standing else None


def _cell(record: Record) -> tuple[object, ...]:
    row = record.best
    return row.benchmark, row.accuracy_target, row.scenario, row.system_type


def _record_grid(records: Sequence[Record], caption: str) -> Grid:
    ordered = sorted(
        records,
        key=lambda record: (
            words.benchmark(record.best),
            scenario_order(record.best.scenario),
            record.basis,
            record.best.key,
        ),
    )[:RECORDS]
    more = f", the first {RECORDS} of {len(records)}" if len(records) > RECORDS else ""
    return table(
        f"{caption}{more}",
        [
            Column("Benchmark", [words.benchmark(record.best) for record in ordered]),
            Column("Scenario", [record.best.scenario or words.NONE for record in ordered]),
            Column("", ["total" if record.basis == ABSOLUTE else "each" for record in ordered]),
            Column("Best", [number(figure(record)) for record in ordered], numeric=True),
            Column("Unit", [record.best.unit for record in ordered]),
            Column("by", [f"{_by(record.best)}, {record.best.round}" for record in ordered]),
            Column("Before", [_before(record) for record in ordered], numeric=True),
            Column("by", [_before_by(record) for record in ordered]),
        ],
    )


def _before(record: Record) -> str:
    if record.before is None:
        return words.NONE
    value = record.before.value if record.basis == ABSOLUTE else record.before.value_per_accelerator
    return words.NONE if value is None else number(value)


def _before_by(record: Record) -> str:
    return words.NONE if record.before is None else f"{_by(record.before)}, {record.before.round}"


# ------------------------------------------------------------------------------------------------ gains


def gain_section(brief: Brief, *, whole: bool) -> Section | None:
    """Return the largest gains and losses of the same system since the round before."""
    if brief.before is None or not (brief.gains or brief.losses):
        return None
    believed = [span for span in brief.gains if not span.far]
    shown = believed if whole else believed[:GAINS]
    systems = words.plural(len(brief.gains), "system and benchmark", "systems and benchmarks")
    said = [f"The same system, {brief.before} to {brief.round}: {systems} gained."]
    lost = [_span_words(span, best=False) for span in brief.losses[:GAINS]]
    said.append(f"Lost more than 2 %: {'; '.join(lost)}." if lost else "No system lost more than 2 %.")
    far = [_span_words(span, best=True) for span in brief.gains if span.far]
    if far:
        said.append(f"Too large to be quoted unread: {'; '.join(far)}. See below.")
    columns = [
        Column("System", [_system(span) for span in shown]),
        Column("Benchmark", [words.benchmark(span.gains[0].after) for span in shown]),
        Column("Gain", [_gain_words(span) for span in shown]),
    ]
    grid = table("The largest gains", columns) if shown else None
    return Section(heading="Gains and losses", paragraphs=tuple(said), grid=grid)


def _system(span: GainSpan) -> str:
    row = span.gains[0].after
    return f"{words.submitter(row)}, {words.system(row)}"


def _gain_words(span: GainSpan) -> str:
    return ", ".join(_one(gain) for gain in span.gains)


def _one(gain: Gain) -> str:
    return f"{gain.after.scenario or ''} {words.ratio(gain.ratio)}".strip()


def _span_words(span: GainSpan, *, best: bool) -> str:
    row = span.gains[0].after
    kept = span.gains if best else tuple(gain for gain in span.gains if gain.ratio == span.low)
    return f"{_system(span)} on {words.benchmark(row)}, {', '.join(_one(gain) for gain in kept)}"
