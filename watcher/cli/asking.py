"""Ask the tables: results, compare, scaling, gains, power, records; each with the same filters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.session import Session, command
from watcher.domain import EMBARGO
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.domain import Result
    from watcher.figures import Filter, SystemSelector
    from watcher.store import Store

NOTHING_HELD = "no results are held yet; `mlperf-watcher ingest --archive` brings three rounds"
FILTERS = (
    "suite",
    "round",
    "division",
    "system_type",
    "submitter",
    "benchmark",
    "scenario",
    "accelerator",
    "availability",
)
_HELP = {
    "suite": "this suite: inference, training, …; as each filter repeatable, any of them",
    "round": "this round, such as v6.1, or training-v5.1",
    "division": "this division: closed, open or network",
    "system_type": "this type: datacenter or edge",
    "submitter": "this submitter, as published, or one of its organisations",
    "benchmark": "this benchmark, by any of its names",
    "scenario": "this scenario: Offline, Server, Interactive, SingleStream, MultiStream, ConstantStream",
    "accelerator": "this accelerator, by any of its names",
    "availability": "this availability: available, preview, rdi or development",
}


def filters(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the common filters to a command, each repeatable (any of)."""
    for name in reversed(FILTERS):
        function = click.option(
            f"--{name.replace('_', '-')}",
            f"where_{name}",
            multiple=True,
            metavar="NAME",
            help=f"Only {_HELP[name]}.",
        )(function)
    return function


plot = click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", help="Also draw the figures, as .png or .svg."
)


@command("results")
@filters
@click.option("--limit", type=click.IntRange(min=1), help="At most so many rows in the readable table.")
def results(session: Session, *, limit: int | None, **where: Any) -> None:
    """List results held, as published and in canonical form.

    \b
    mlperf-watcher results --round v6.1 --accelerator vera-rubin
    mlperf-watcher results --benchmark deepseek-r1 --scenario Server --json
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.figures.json_form import results_form  # noqa: PLC0415
    from watcher.render.tables import results_text  # noqa: PLC0415

    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = [row for row in held(store, chosen) if chosen.matches(row)]
        empty = not rows and not store.tables.all()
    shown = rows[:limit] if limit else rows

    def text() -> str:
        if empty:
            return f"{NOTHING_HELD.capitalize()}."
        return embargo_note(shown) + results_text(shown, total=len(rows), **screen())

    session.emit(results_form(rows), text)


@command("compare")
@click.argument("subject")
@click.argument("baseline")
@filters
@plot
def compare(session: Session, subject: str, baseline: str, *, plot: Path | None, **where: Any) -> None:
    """Compare two systems in each benchmark and scenario.

    A ratio over 1 means SUBJECT is better. A system is [SUBMITTER/]NAME[xCOUNT][@ROUND]; without a submitter each side is its best row per accelerator.

    \b
    mlperf-watcher compare NVIDIA/vera-rubin-nvl72@v6.1 NVIDIA/gb300-nvl72@v6.1
    mlperf-watcher compare b300x8 b200x8 --benchmark deepseek-r1 --plot b300.png
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.figures.compare import compare as compared  # noqa: PLC0415
    from watcher.figures.json_form import compare_form  # noqa: PLC0415
    from watcher.render.tables import comparisons_text  # noqa: PLC0415

    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = held(store)
    one, other = system_of(session, subject, rows), system_of(session, baseline, rows)
    found, refused = compared(rows, one, other, chosen)
    if plot:
        from watcher.render.plots import plot_comparison  # noqa: PLC0415 - brings matplotlib

        draw(session, plot, lambda kind: plot_comparison(found, kind), found)
    session.emit(compare_form(found, refused), lambda: comparisons_text(found, refused, **screen()))


@command("scaling")
@click.argument("system", required=False)
@filters
@plot
def scaling(session: Session, system: str | None, *, plot: Path | None, **where: Any) -> None:
    """Show how an accelerator scales over counts, by scenario.

    Each pair of counts is one submitter's, in one round.

    \b
    mlperf-watcher scaling NVIDIA/gb300@v6.0
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.figures.json_form import scalings_form  # noqa: PLC0415
    from watcher.figures.scaling import scaling as scaled  # noqa: PLC0415
    from watcher.render.tables import scaling_text  # noqa: PLC0415

    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = held(store)
    found = scaled(rows, chosen, system_of(session, system, rows) if system else None)
    if plot:
        from watcher.render.plots import plot_scaling  # noqa: PLC0415 - brings matplotlib

        draw(session, plot, lambda kind: plot_scaling(found, kind), found)
    session.emit(scalings_form(found), lambda: scaling_text(found, **screen()))


@command("gains")
@click.option("--from", "before", metavar="R", help="The earlier round; left out: the one before --to.")
@click.option("--to", "after", metavar="R", help="The later round; left out: the newest.")
@filters
@plot
def gains(
    session: Session, *, before: str | None, after: str | None, plot: Path | None, **where: Any
) -> None:
    """Show what a round gained over another.

    The same systems, and apart the same accelerator at another count.

    \b
    mlperf-watcher gains --from v6.0 --to v6.1 --submitter NVIDIA
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.figures.gains import gains as gained  # noqa: PLC0415
    from watcher.figures.json_form import gains_form  # noqa: PLC0415
    from watcher.render.tables import gains_text  # noqa: PLC0415

    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = held(store)
    early, late = _rounds(session, rows, before, after)
    suite, late_name = late
    found = gained([row for row in rows if row.suite == suite], early[1], late_name, chosen)
    if plot:
        from watcher.render.plots import plot_gains  # noqa: PLC0415 - brings matplotlib

        draw(session, plot, lambda kind: plot_gains(found, kind), found)
    session.emit(gains_form(found), lambda: gains_text(found, **screen()))


@command("power")
@filters
def power(session: Session, **where: Any) -> None:
    """Show rows with published power, per kind.

    Limits of one accelerator from notes stand apart: they are no power.

    \b
    mlperf-watcher power --round v5.1
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.figures.json_form import power_form  # noqa: PLC0415
    from watcher.figures.power import power as powered  # noqa: PLC0415
    from watcher.figures.power import power_limits  # noqa: PLC0415
    from watcher.render.tables import power_text  # noqa: PLC0415

    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = held(store, chosen)
    found, limits = powered(rows, chosen), power_limits(rows, chosen)
    note = embargo_note([*(one.result for one in found), *limits])
    session.emit(power_form(found, limits), lambda: note + power_text(found, limits, **screen()))


@command("records")
@filters
def records(session: Session, **where: Any) -> None:
    """Show the best row of each benchmark and scenario.

    Divisions apart; absolute and per accelerator.

    \b
    mlperf-watcher records --division closed --benchmark deepseek-r1
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.figures.json_form import records_form  # noqa: PLC0415
    from watcher.figures.records import records as recorded  # noqa: PLC0415
    from watcher.render.tables import records_text  # noqa: PLC0415

    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = held(store, chosen)
    found = recorded(rows, chosen)
    session.emit(records_form(found), lambda: records_text(found, **screen()))


# ------------------------------------------------------------------------------------------------ common parts


def held(store: Store, chosen: Filter | None = None) -> tuple[Result, ...]:
    """Return the results held that a filter may be about; embargoed ones are marked by a tag."""
    suite = chosen.suite[0] if chosen and len(chosen.suite) == 1 else None
    rows = store.tables.results(suite=suite, rounds=chosen.round if chosen else ())
    private = {(table.suite, table.round) for table in store.tables.all() if table.private}
    if not private:
        return rows
    from msgspec.structs import replace  # noqa: PLC0415 - only under embargo

    return tuple(
        replace(row, tags=(*row.tags, EMBARGO)) if (row.suite, row.round) in private else row for row in rows
    )


def embargo_note(rows: Iterable[Result]) -> str:
    """Return the line above an answer that holds rows under embargo; "" above all others."""
    closed = sorted({f"{row.suite} {row.round}" for row in rows if EMBARGO in row.tags})
    return (
        f"{EMBARGO}: {', '.join(closed)}: nothing of it may be passed on before it is released\n\n"
        if closed
        else ""
    )


def filter_of(session: Session, store: Store, where: dict[str, Any]) -> Filter:
    """Read the filters' words as canonical names. Raises UsageError with the nearest right word."""
    from watcher.figures import Filter  # noqa: PLC0415

    values: dict[str, tuple[str, ...]] = {}
    for name in FILTERS:
        given: tuple[str, ...] = where.get(f"where_{name}") or ()
        asked = values.get("suite") or tuple(
            word.rpartition("-")[0] or "inference" for word in values.get("round", ())
        )
        values[name] = tuple(_canonical(session, store, name, word, asked) for word in given)
    suites = {word.rpartition("-")[0] for word in values["round"] if "-" in word}
    if suites:
        values["suite"] = values["suite"] or tuple(sorted(suites))
        values["round"] = tuple(word.rpartition("-")[2] for word in values["round"])
    return Filter(**values)


def _canonical(session: Session, store: Store, field: str, word: str, suites: tuple[str, ...]) -> str:
    if field == "round":
        _check(word.rpartition("-")[2], [table.round for table in store.tables.all()], "round")
        return word
    catalog = session.catalog
    if field == "suite" and word == "unofficial":
        return word
    found = catalog.find(field, word)
    if found is not None:
        return found
    if field in {"submitter", "accelerator", "benchmark"}:
        names = store.tables.names(field) | {
            row.submitter for row in store.tables.results() if field == "submitter"
        }
        for name in names:
            if name.casefold() == word.casefold():
                return name
    near = catalog.suggest(field, word, suites or ("inference",))
    hint = f"; did you mean {near!r}?" if near else ""
    raise UsageError(f"--{field.replace('_', '-')}: there is no {field.replace('_', ' ')} {word!r}{hint}")


def _check(word: str, names: Collection[str], field: str) -> None:
    if word in names:
        return
    from watcher.nearest import did_you_mean  # noqa: PLC0415

    if not names:
        raise UsageError(NOTHING_HELD)
    raise UsageError(f"--{field}: no {field} {word!r} is held{did_you_mean(word, names)}")


def system_of(session: Session, text: str, rows: tuple[Result, ...]) -> SystemSelector:
    """Read a system's name. Raises UsageError with the nearest right one."""
    from watcher.figures import parse_system  # noqa: PLC0415

    system = parse_system(text, session.catalog, held=rows)
    rounds = list(dict.fromkeys(row.round for row in rows if row.suite == system.suite))
    if system.round is not None and rows and system.round not in rounds:
        from watcher.nearest import did_you_mean  # noqa: PLC0415

        where = f"{text}: no results of {system.suite} {system.round} are held"
        raise UsageError(where + did_you_mean(system.round, rounds))
    return system


def _rounds(
    session: Session, rows: tuple[Result, ...], before: str | None, after: str | None
) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return (suite, round) of both sides; left out: the newest round held and the one before it."""
    from watcher.figures.cells import round_order  # noqa: PLC0415

    named = [_suite_and_round(text) for text in (before, after) if text]
    suite = named[0][0] if named else "inference"
    if any(each[0] != suite for each in named):
        raise UsageError("--from and --to must be rounds of one suite")
    rounds = sorted({row.round for row in rows if row.suite == suite}, key=round_order)
    from watcher.nearest import did_you_mean  # noqa: PLC0415

    for _, name in named:
        if name not in rounds:
            raise UsageError(f"no results of {suite} {name} are held{did_you_mean(name, rounds)}")
    late = _suite_and_round(after)[1] if after else (rounds[-1] if rounds else "")
    earlier = [name for name in rounds if round_order(name) < round_order(late)] if late else []
    early = _suite_and_round(before)[1] if before else (earlier[-1] if earlier else "")
    if not early or not late:
        raise UsageError(f"two rounds of {suite} are needed, held: {', '.join(rounds) or 'none'}")
    if round_order(early) >= round_order(late):
        raise UsageError(f"--from {early} is not earlier than --to {late}")
    del session
    return (suite, early), (suite, late)


def _suite_and_round(text: str) -> tuple[str, str]:
    suite, dash, name = text.rpartition("-")
    return (suite if dash else "inference"), name


def screen() -> dict[str, Any]:
    """Return how wide the answer may be, and whether it goes to a terminal."""
    import shutil  # noqa: PLC0415

    terminal = sys.stdout.isatty()
    return {"terminal": terminal, "width": shutil.get_terminal_size((110, 24)).columns if terminal else 110}


def draw(session: Session, file: Path, picture: Callable[[str], bytes], figures: Collection[object]) -> None:
    """Write a picture beside the answer. Raises UsageError for another ending than .png or .svg."""
    kind = file.suffix.removeprefix(".").lower()
    if kind not in {"png", "svg"}:
        raise UsageError(f"--plot: {file} must end in .png or .svg")
    if not figures:
        session.say("there is nothing to draw")
        return
    if any(EMBARGO in text for figure in figures for text in getattr(figure, "care", ())):
        raise UsageError("--plot: some of these rows are under embargo, and a picture leaves this screen")
    try:
        file.write_bytes(picture(kind))
    except OSError as error:
        raise UsageError(f"--plot: {file} cannot be written ({error.strerror})") from error
    session.say(f"drew {file}")
