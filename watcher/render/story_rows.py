"""Stories of rows: published, corrected, withdrawn, back again, renamed."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.domain import Alert, Comparison, Event, Power, Result, Section
from watcher.figures.words import number
from watcher.render import words
from watcher.render.compact import Column, grouped, row_grids, table
from watcher.render.story import ROWS, Story, tables, what, where_it_stands, whose
from watcher.render.story_figures import compared

_FIELDS = {
    "accelerator_count": "accelerators",
    "system_type": "system type",
    "system_name": "system name",
    "benchmark_published": "benchmark name",
    "accelerator_power_limit_watts": "power limit per accelerator",
    "unit_published": "published unit",
    "software_published": "declared software",
    "accelerator_published": "accelerator name",
}
_KEY = ("submitter", "platform", "benchmark_published", "division", "scenario", "round", "suite")


def result(alert: Alert) -> Story:
    """Tell what happened to rows, each kind of event in its own part; the first gives the line that stands alone."""
    events = grouped(alert.events, lambda event: event.kind.partition(".")[2])
    stories = [_TOLD[word](those, alert) for word, those in events.items() if word in _TOLD]
    summaries = "; ".join(story.summary for story in stories)
    return Story(summaries, tuple(section for story in stories for section in story.sections))


def _results(events: Sequence[Event]) -> list[Result]:
    return [event.subject for event in events if isinstance(event.subject, Result)]


def _published(events: Sequence[Event], alert: Alert) -> Story:
    """Tell new rows: beside their counterparts where the rule asked for that, else on their own."""
    rows = _results(events)
    figures = [figure for figure in alert.figures if isinstance(figure, Comparison)]
    if not figures:
        summary = f"{whose(rows)}: {words.plural(len(rows), 'row')} in {where_it_stands(rows)}: {what(rows)}"
        return Story(summary, tuple(tables(row_grids(rows))))
    story = compared(figures)
    held = {figure.subject.key for figure in figures}
    alone = [row for row in rows if row.key not in held]
    sections = list(story.sections)
    if alone:
        sections += tables(row_grids(alone), opening="Without a counterpart:")
    where = "" if all(row.round in alert.title for row in rows) else f", {where_it_stands(rows)}"
    return Story(f"{story.summary}{where}", tuple(sections))


def _restored(events: Sequence[Event], _alert: Alert) -> Story:
    rows = _results(events)
    summary = (
        f"{whose(rows)}: {words.plural(len(rows), 'row')} withdrawn before, back in {where_it_stands(rows)}"
    )
    return Story(summary, tuple(tables(row_grids(rows))))


def _removed(events: Sequence[Event], _alert: Alert) -> Story:
    rows = _results(events)
    summary = (
        f"{whose(rows)}: {words.plural(len(rows), 'row')} no longer in {where_it_stands(rows)}: {what(rows)}"
    )
    note = (
        "Missing at two polls in a row. These were the values; what was computed from them no longer stands."
    )
    return Story(summary, tuple(tables(row_grids(rows), opening=note)))


def _changed(events: Sequence[Event], _alert: Alert) -> Story:
    """Tell corrections: values in a table, before and after; other fields by name."""
    rows = _results(events)
    fields = words.joined((field_words(name) for event in events for name in event.fields), limit=5)
    summary = (
        f"{whose(rows)}: {words.plural(len(rows), 'row')} corrected in {where_it_stands(rows)} ({fields})"
    )
    values = [event for event in events if "value" in event.fields and _pair(event) is not None]
    sections = _value_tables(values)
    said = list(dict.fromkeys(line for event in events for line in _other_fields(event)))
    if said:
        more = [f"and {words.plural(len(said) - ROWS, 'more correction')}"] if len(said) > ROWS else []
        sections.append(Section(bullets=(*said[:ROWS], *more)))
    return Story(summary, tuple(sections))


def _pair(event: Event) -> tuple[Result, Result] | None:
    before, after = event.before, event.after
    return (before, after) if isinstance(before, Result) and isinstance(after, Result) else None


def _value_tables(events: Sequence[Event]) -> list[Section]:
    pairs = [both for event in events if (both := _pair(event)) is not None]
    grids = []
    for (name, unit), those in grouped(pairs, lambda both: (words.benchmark(both[1]), both[1].unit)).items():
        shown = [words.apart(before.value, after.value) for before, after in those]
        several = len({after.submitter for _before, after in those}) > 1
        rows = [
            f"{words.submitter(after)} {after.scenario or ''}".strip()
            if several
            else after.scenario or words.NONE
            for _, after in those
        ]
        columns = [
            Column("Row" if several else "Scenario", rows),
            Column("before", [one for one, _other in shown], numeric=True),
            Column("after", [other for _one, other in shown], numeric=True),
            Column("", [words.move(before.value, after.value) for before, after in those], numeric=True),
        ]
        grids.append(table(f"{name}, {unit}", columns, [(i, 2) for i in range(len(those))]))
    return tables(grids)


def _other_fields(event: Event) -> list[str]:
    """Return "DeepSeek-R1 Server: availability preview → available" for each changed field but the value."""
    both = _pair(event)
    if both is None:
        return []
    before, after = both
    cell = f"{words.submitter(after)}, {words.benchmark(after)} {after.scenario or ''}".rstrip()
    return [
        f"{cell}: {field_words(name)} {shown(name, getattr(before, name, None))} → {shown(name, getattr(after, name, None))}"
        for name in event.fields
        if name != "value"
    ]


def field_words(name: str) -> str:
    """Return a field's name as people say it."""
    return _FIELDS.get(name, name.replace("_", " "))


def shown(name: str, held: object) -> str:
    """Return a field's value as people write it; nothing is "none"."""
    if held is None or held in ((), ""):
        return "none"
    if isinstance(held, tuple):
        return (
            words.joined(shown(name, one) for one in held)
            if not isinstance(held, Power)
            else (f"{held.kind} {number(held.value)} {held.unit}")
        )
    if isinstance(held, bool):
        return "yes" if held else "no"
    if isinstance(held, int | float):
        return number(held)
    return (
        words.title(name.removesuffix("s"), str(held))
        if name in {"accelerator", "accelerators", "system"}
        else str(held)
    )


def _renamed(events: Sequence[Event], _alert: Alert) -> Story:
    """Tell renames: the same rows under another name, each change of a name once with how many rows it covers."""
    pairs = [both for event in events if (both := _pair(event)) is not None]
    rows = [after for _before, after in pairs]
    moves = grouped(
        pairs,
        lambda both: tuple(
            f"{field_words(name)} {getattr(both[0], name)} → {getattr(both[1], name)}"
            for name in _KEY
            if getattr(both[0], name) != getattr(both[1], name)
        ),
    )
    said = [f"{'; '.join(move)} ({words.plural(len(those), 'row')})" for move, those in moves.items() if move]
    more = [f"and {words.plural(len(said) - 20, 'more rename')}"] if len(said) > 20 else []
    summary = f"{words.plural(len(rows), 'row')} of {words.joined((words.submitter(r) for r in rows), limit=3)} renamed in {where_it_stands(rows)}; values as before"
    return Story(summary, (Section(bullets=(*said[:20], *more)),))


_TOLD = {
    "added": _published,
    "restored": _restored,
    "removed": _removed,
    "changed": _changed,
    "renamed": _renamed,
}
