"""The FIELDS table: every field that a rule may name, one row each.

Validation, matching, "did you mean", the help of ``rules fields``, the table in docs/rules.md and the JSON Schema all
come from it. A field of a published row stands once in `ROW_FIELDS` and applies wherever a watch has a row: the
result itself, both sides of a comparison, both ends of a scaling, both rounds of a gain, a record and the one before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import Event, SourceTrouble
from watcher.rules.figure_fields import FIGURE_ROWS
from watcher.rules.row import Row
from watcher.rules.row_fields import ROW_FIELDS
from watcher.rules.story_fields import STORY_ROWS
from watcher.rules.watches import WATCHES

Values = tuple[Any, ...]
"""What a field holds for matching: folded words, numbers or booleans; () if it holds nothing."""
RECEIVER, LOCAL = "receiver", "ingest"
"""The failure class of a receiver's trouble, which travels as a source's does; what stands for the source of a local table."""
NOT_HERE: Any = object()
"""What stands for the value of a field that does not apply to an event."""


class Field(Struct, frozen=True, kw_only=True):
    """A field of one watch.

    ``place`` finds the thing that has it in an event (None: the event's subject), ``row`` says the rest. A place that
    an event does not have (the state before an addition) means that the field does not apply there.
    """

    name: str
    watch: str
    row: Row
    place: Callable[[Event], Any] | None = None
    help: str = ""

    def raw(self, event: Event, subject: Any) -> Any:
        """Return the value as it is: None if there is none, NOT_HERE if the field does not apply to the event."""
        if self.place is None:
            return self.row.get(subject)
        thing = self.place(event)
        return NOT_HERE if thing is None else self.row.get(thing)


def values_of(raw: Any) -> Values | None:
    """Return the values that conditions are tried on: one, or each element of a list; None if it does not apply."""
    if raw is None or raw == "":
        return ()
    if isinstance(raw, str):
        return (raw.casefold(),)
    if isinstance(raw, tuple):
        return tuple(e.casefold() if isinstance(e, str) else e for e in raw if e is not None)
    return None if raw is NOT_HERE else (raw,)


def _event(event: Event) -> Any:
    return event


def _happened(event: Event) -> tuple[str, str]:
    word = event.kind.partition(".")[2]
    return word.replace("_", " "), word


_FARES = {
    "failing": "is failing",
    "recovered": "has recovered",
    "stale": "is stale",
    "held_back": "is held back",
}


def _fares(event: Event) -> str | None:
    """How a source, a receiver or a table fares, as a title says it: "source x is failing"."""
    trouble, word = event.subject, event.kind.partition(".")[2]
    if not isinstance(trouble, SourceTrouble):
        return None
    if word == "held_back":
        who = "a local table" if trouble.source == LOCAL else f"a table of source {trouble.source}"
    else:
        who = trouble.source if trouble.failure == RECEIVER else f"source {trouble.source}"
    return f"{who} {_FARES.get(word, word)}"


# Where a watch has a published row: prefix, the way to it (None: the subject itself), and what the help calls it.
_PLACES: Mapping[str, tuple[tuple[str, Callable[[Event], Any] | None, str], ...]] = {
    "result": (
        ("", None, ""),
        ("before.", attrgetter("before"), "before the change"),
    ),
    "record": (
        ("", attrgetter("subject.best"), ""),
        ("before.", attrgetter("subject.before"), "of the best row until then"),
    ),
    "comparison": (
        ("", attrgetter("subject.subject"), ""),
        ("subject.", attrgetter("subject.subject"), "of the subject"),
        ("baseline.", attrgetter("subject.baseline"), "of the baseline"),
    ),
    "scaling": (
        ("", attrgetter("subject.large"), ""),
        ("large.", attrgetter("subject.large"), "of the larger system"),
        ("small.", attrgetter("subject.small"), "of the smaller system"),
    ),
    "gain": (
        ("", attrgetter("subject.after"), ""),
        ("after.", attrgetter("subject.after"), "of the later round"),
        ("before.", attrgetter("subject.before"), "of the earlier round"),
    ),
    "rank": (
        ("", attrgetter("subject.result"), ""),
        ("best.", attrgetter("subject.best"), "of the best row"),
    ),
    "promise": (
        ("", attrgetter("subject.preview"), ""),
        ("returned.", attrgetter("subject.returned"), "of the row that came back"),
    ),
}  # fmt: skip

# Facts of the event itself, for every watch.
_EVENT_ROWS = (
    Row("event", "text", _happened, "what happened: one of the words of `on`", alike=True),
    Row("private", "flag", attrgetter("private"), "whether the table is under embargo"),
)  # fmt: skip
_EVENT_ROWS_OF: Mapping[str, tuple[Row, ...]] = {
    "source": (Row("fares", "text", _fares, "who fares how, for titles: source x is failing"),),
    "result": (
        Row("fields", "text", attrgetter("fields"), "the fields that changed", many=True),
        Row("source", "text", attrgetter("source"), "the source that brought the table"),
        Row("pinned", "flag", attrgetter("pinned"), "whether somebody cited the row, by `mlperf-watcher cite`"),
    ),
}  # fmt: skip


def _fields_of(watch: str) -> Iterator[Field]:
    """All fields of one watch, in the order in which they are shown."""
    own = (*STORY_ROWS.get(watch, ()), *FIGURE_ROWS.get(watch, ()))
    for row in own:
        yield Field(name=row.name, watch=watch, row=row, help=row.help)
        if row.before:
            yield Field(
                name=f"before.{row.name}",
                watch=watch,
                row=row,
                place=attrgetter("before"),
                help=f"{row.help}; before the change",
            )
    taken = {row.name for row in own}
    for prefix, place, words in _PLACES.get(watch, ()):
        for row in ROW_FIELDS:
            if prefix + row.name not in taken:
                help_ = f"{row.help}; {words}" if words else row.help
                yield Field(name=prefix + row.name, watch=watch, row=row, place=place, help=help_)
    for each in (*_EVENT_ROWS_OF.get(watch, ()), *_EVENT_ROWS):
        row = replace(each, choices=WATCHES[watch].events) if each.name == "event" else each
        yield Field(name=row.name, watch=watch, row=row, place=_event, help=row.help)


FIELDS: Mapping[str, Mapping[str, Field]] = {
    watch: {field.name: field for field in _fields_of(watch)} for watch in WATCHES
}
"""watch → field name → field."""


@cache
def field_of(watch: str, name: str) -> Field | None:
    """Return the field that ``name`` means for ``watch``; also open ones such as ``measures.ttft_p99``."""
    known = FIELDS[watch].get(name)
    if known is not None:
        return known
    prefix, dot, rest = name.rpartition("measures.")
    if dot and rest and prefix + "value" in FIELDS[watch]:
        return _open_field(watch, name, prefix, rest)
    return None


def _open_field(watch: str, name: str, prefix: str, rest: str) -> Field:
    beside = FIELDS[watch][prefix + "value"]
    row = Row(name, "number", lambda result: result.measures.get(rest), f"the further figure {rest}")
    return replace(beside, name=name, row=row, help=row.help)


def row_prefixes(watch: str) -> tuple[str, ...]:
    """Return the prefixes under which the fields of a published row stand in a watch; () if it has no row."""
    return tuple(prefix for prefix, _, _ in _PLACES.get(watch, ()))


def watches_with(name: str) -> tuple[str, ...]:
    """Return the watches that have a field of this name."""
    return tuple(watch for watch in WATCHES if field_of(watch, name) is not None)
