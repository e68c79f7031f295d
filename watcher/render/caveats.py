"""What a reader must know beside the figures: what to handle with care, what is missing, where to look."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from watcher.domain import Alert, Comparison, Gain, Link, Promise, Rank, Record, Result, Scaling, Section
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import grouped

MANY = 6  # reasons, links or commands that one message shows
_PREVIEW = (
    "Preview: each row must come back as available in the first round at least 140 days on, within 2 %, "
    "or it is marked invalid"
)  # MLPerf inference rules, section on preview systems
_UNLIKE = {"software": "the software they declare", "precision": "precision"}


def pair(figure: object) -> tuple[Result, Result | None] | None:
    """Return the two rows behind a derived figure, the one it is about first."""
    if isinstance(figure, Comparison):
        return figure.subject, figure.baseline
    if isinstance(figure, Scaling):
        return figure.large, figure.small
    if isinstance(figure, Gain):
        return figure.after, figure.before
    if isinstance(figure, Record):
        return figure.best, figure.before
    if isinstance(figure, Rank):
        return figure.result, figure.best
    if isinstance(figure, Promise):
        return figure.preview, figure.returned
    return None


def rows_about(alert: Alert) -> tuple[Result, ...]:
    """Return the rows that an alert is about, its own and those its figures are about; each once."""
    rows = list(alert.rows)
    rows += [both[0] for figure in alert.figures if (both := pair(figure)) is not None]
    return tuple({row.key: row for row in rows}.values())


def rows_beside(alert: Alert) -> tuple[Result, ...]:
    """Return the rows that an alert's figures are measured by; each once, without those it is about."""
    about = {row.key for row in rows_about(alert)}
    rows = [both[1] for figure in alert.figures if (both := pair(figure)) is not None and both[1] is not None]
    return tuple({row.key: row for row in rows if row.key not in about}.values())


# ------------------------------------------------------------------------------------------------ with care


def care_section(alert: Alert) -> Section | None:
    """Return the reasons to handle the figures with care, those of most figures first; null if there are none."""
    reasons = [*_preview(alert), *_unlike(alert.figures), *_care(alert.figures)]
    shown = list(dict.fromkeys(reasons))
    if not shown:
        return None
    more = [f"and {words.plural(len(shown) - MANY, 'more reason')}"] if len(shown) > MANY else []
    return Section(heading="Handle with care", bullets=(*shown[:MANY], *more))


def _preview(alert: Alert) -> list[str]:
    """Say what preview means where the figures do not set it against available rows, which says enough."""
    rows = rows_about(alert)
    against = any(
        "availability" in figure.differs for figure in alert.figures if isinstance(figure, Comparison)
    )
    return [] if against or not any(row.availability == "preview" for row in rows) else [_PREVIEW]


def _unlike(figures: Iterable[object]) -> list[str]:
    unlike = [name for figure in figures if isinstance(figure, Comparison) for name in figure.differs]
    named = [said for name, said in _UNLIKE.items() if name in unlike]
    return [f"The two sides differ in {words.joined(named)}"] if named else []


def _care(figures: Iterable[object]) -> list[str]:
    counts: dict[str, int] = {}
    for figure in figures:
        for reason in getattr(figure, "care", ()):
            counts[reason] = counts.get(reason, 0) + 1
    return sorted(counts, key=lambda reason: -counts[reason])


# ------------------------------------------------------------------------------------------------ missing


def missing_sections(alert: Alert) -> list[Section]:
    """Return what the rows do not say: cells without a counterpart, and power."""
    cells = _not_comparable(alert)
    power = power_words(rows_about(alert), rows_beside(alert))
    sections = [Section(heading="What is missing", bullets=tuple(cells))] if cells else []
    return [*sections, Section(paragraphs=tuple(power))] if power else sections


def power_words(rows: Sequence[Result], beside: Sequence[Result] = ()) -> list[str]:
    """Say what power the rows state, by kind; that none is measured; and that a limit in the notes is no power."""
    if not any(row.suite == "inference" or row.power or row.accelerator_power_limit_watts for row in rows):
        return []
    stated = grouped(
        ((figure, row) for row in rows for figure in row.power), lambda one: (one[0].kind, one[0].unit)
    )
    said = [
        f"⚡ {kind.capitalize()} power: "
        + words.joined(
            (
                f"{number(figure.value)} {unit} ({words.submitter(row)}, {_cell(row)})"
                for figure, row in those
            ),
            limit=4,
        )
        for (kind, unit), those in stated.items()
    ]
    if not any(kind == "measured" for kind, _unit in stated):
        said.append("⚡ Power: none measured." + _limits(rows, beside))
    return said


def _limits(rows: Sequence[Result], beside: Sequence[Result]) -> str:
    limits = grouped(
        (row for row in (*rows, *beside) if row.accelerator_power_limit_watts),
        lambda row: (words.accelerator(row), row.accelerator_power_limit_watts or 0.0),
    )
    if not limits:
        return ""
    each = words.joined((f"{name} {number(watts)} W" for name, watts in limits), limit=4)
    return f" The notes give a limit per accelerator, which is no measurement: {each}."


def _not_comparable(alert: Alert) -> list[str]:
    """Return the cells without a figure by reason; of an alert about rows only those of its own benchmarks."""
    cells = list(dict.fromkeys(alert.not_comparable))
    if alert.rows:
        own = {row.benchmark for row in alert.rows}
        cells = [cell for cell in cells if cell.benchmark in own]
    said = []
    for reason, those in grouped(cells, lambda cell: cell.reason).items():
        scenarios = grouped(those, lambda cell: cell.benchmark)
        names = (
            f"{words.title('benchmark', name)} {words.joined(cell.scenario or '' for cell in found)}".rstrip()
            for name, found in scenarios.items()
        )
        said.append(f"{'; '.join(names)}: {_side_named(reason, alert)}")
    more = [f"and {words.plural(len(said) - MANY, 'more reason')}"] if len(said) > MANY else []
    return [*said[:MANY], *more]


def _side_named(reason: str, alert: Alert) -> str:
    """Put the systems' names into a reason that says subject or baseline."""
    both = next((rows for figure in alert.figures if (rows := pair(figure)) is not None), None)
    if both is None:
        return reason
    for side, row in (("subject", both[0]), ("baseline", both[1])):
        if row is not None and reason == f"no {side} row":
            return f"no row of {words.system(row)}"
    return reason


def _cell(row: Result) -> str:
    return f"{words.benchmark(row)} {row.scenario or ''}".rstrip()


# ------------------------------------------------------------------------------------------------ where to look


def where_section(alert: Alert, base_url: str | None) -> Section:
    """Return links to the rows as published, and the commands that show the rest."""
    links = row_links((*rows_about(alert), *rows_beside(alert)))
    if base_url and alert.number is not None:
        links = [Link(text=alert.name, url=alert_url(base_url, alert)), *links]
    commands = [command for command in (compare_command(alert.figures), _show_command(alert)) if command]
    return Section(heading="Where to look", bullets=(*commands, _why_command(alert)), links=tuple(links))


def alert_url(base_url: str, alert: Alert) -> str:
    """Return where an alert's own page is served."""
    return f"{base_url.rstrip('/')}/alerts/{alert.name}.html"


def row_links(rows: Iterable[Result]) -> list[Link]:
    """Return links to the rows' own places, each address once; named by what tells them apart."""
    by_url = {
        row.url: row
        for row in reversed(list(rows))
        if row.url and row.url.startswith(("https://", "http://"))
    }
    shown = list(reversed(by_url.values()))[:MANY]
    several_owners = len({row.submitter for row in shown}) > 1
    several_systems = len({words.system(row) for row in shown}) > 1
    links = []
    for row in shown:
        name = f"{words.submitter(row)} {_cell(row)}" if several_owners else _cell(row)
        links.append(Link(text=f"{name}, {words.system(row)}" if several_systems else name, url=str(row.url)))
    return links


def compare_command(figures: Sequence[object]) -> str | None:
    """Return the command that shows the first comparison's systems in every scenario; null without one."""
    first = next((figure for figure in figures if isinstance(figure, Comparison)), None)
    if first is None:
        return None
    return f"mlperf-watcher compare {_selector(first.subject)} {_selector(first.baseline)}"


def _selector(row: Result) -> str:
    """Name a row's system as the command line does: SUBMITTER/NAME[xCOUNT]@ROUND."""
    name = row.system or row.accelerator or "cpu"
    count = (
        f"x{row.accelerator_count}"
        if row.system is None and row.accelerator and row.accelerator_count
        else ""
    )
    suite = "" if row.suite == "inference" else f"{row.suite}-"
    return shlex.quote(f"{row.submitter}/{name}{count}@{suite}{row.round}")


def _show_command(alert: Alert) -> str | None:
    return f"mlperf-watcher alerts show {alert.name}" if alert.number is not None else None


def _why_command(alert: Alert) -> str:
    return f"mlperf-watcher rules explain {shlex.quote(alert.rule)}"
