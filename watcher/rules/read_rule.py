"""One rule of a file → a Rule. The OPTIONS table holds every option: who may use it, how it is read, what it is for."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from watcher.domain import SEVERITIES
from watcher.durations import seconds
from watcher.errors import UsageError
from watcher.figures import PER, SystemSelector, parse_system, selector_of
from watcher.figures.selectors import SELECTOR_FIELDS
from watcher.nearest import did_you_mean
from watcher.rules.fields import FIELDS, field_of
from watcher.rules.marked import Mapping as MarkedMapping
from watcher.rules.marked import Node, Scalar
from watcher.rules.read_conditions import read_condition
from watcher.rules.reader import Problem, Reader
from watcher.rules.row_fields import ROW_FIELDS
from watcher.rules.rule import VENDOR, Rule
from watcher.rules.titles import TitleError, check_title
from watcher.rules.watches import WATCHES
from watcher.rules.words import canonical, fraction, instant, number, unknown_name

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

_TITLE = 500  # characters; a mailbox shows a hundred
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_RATIO = re.compile(r"\{(before\.)?ratio(?=[.:}])")
_FIGURES = tuple(name for name, watch in WATCHES.items() if watch.figure)
_MOVING = tuple(name for name, watch in WATCHES.items() if watch.moves)
_CHANGEABLE = tuple(row.name for row in ROW_FIELDS if "." not in row.name)
ANYTHING = SystemSelector()


class Option(Struct, frozen=True, kw_only=True):
    """One option of a rule. ``watches`` () means all; ``schema`` is its part of the JSON Schema."""

    name: str
    read: Callable[[Reader, Node], Any]
    help: str
    schema: Mapping[str, Any]
    watches: tuple[str, ...] = ()


def read_rule(
    node: Node, number_: int, file: str, catalog: Catalog, receivers: Collection[str] | None
) -> tuple[Rule | None, list[Problem]]:
    """Read the ``number_``-th rule of a file; None, with what is wrong, if anything is."""
    name = f"rule {number_}"
    if not isinstance(node, MarkedMapping) or not node.values:
        return None, [Problem(file, node.line, f"{name}: needs at least id and watch")]
    found = node.values.get("id")
    if isinstance(found, Scalar) and not found.empty:
        name = f"rule '{found.text}'"
    watch_node = node.values.get("watch")
    reader = Reader(file=file, catalog=catalog, receivers=receivers, rule=name, watch=WATCHES["result"])
    watch = reader.choice(watch_node, "watch", WATCHES) if watch_node is not None else None
    if "id" not in node.values:
        reader.complain(node, "has no id")
    if watch is None:
        if watch_node is None:
            reader.complain(node, f"has no watch; known are {', '.join(WATCHES)}")
        return None, reader.problems
    reader.watch = WATCHES[watch]
    values = _options(reader, node)
    _check_whole(reader, node, values)
    if reader.problems:
        return None, reader.problems
    return _rule(reader, node, values), []


def _options(reader: Reader, node: MarkedMapping) -> dict[str, Any]:
    """Read every option; what was wrong is left out. ``per`` comes first, the meaning of "ratio" hangs on it."""
    values: dict[str, Any] = {}
    for key in sorted(node.values, key=lambda name: name != "per"):
        option, at = OPTIONS.get(key), node.keys[key]
        if option is None:
            if field_of(reader.watch.name, key) is not None:
                reader.complain(at, f"'{key}' is a field; write it under where:")
            else:
                reader.complain(at, f"unknown option '{key}'{did_you_mean(key, OPTIONS)}")
        elif option.watches and reader.watch.name not in option.watches:
            whose = " or ".join(option.watches)
            reader.complain(at, f"option '{key}' belongs to watch: {whose}, not {reader.watch.name}")
        else:
            value = option.read(reader, node.values[key])
            if value is not None:
                values[key] = value
            if key == "per" and value is not None:
                reader.per = value
    return values


def _check_whole(reader: Reader, node: MarkedMapping, values: Mapping[str, Any]) -> None:
    """Check what no option shows alone."""
    if "fields" in values and "changed" not in values.get("on", reader.watch.default_on):
        reader.complain(node.keys["fields"], "'fields' needs 'changed' in on:")
    if reader.watch.name == "comparison":
        if "baseline" not in node.values:
            reader.complain(node, "has no baseline: name a system, or vendor")
        elif "subject" not in node.values and values.get("baseline") != VENDOR:
            reader.complain(node, "has no subject: name the system that is compared with the baseline")


def _rule(reader: Reader, node: MarkedMapping, values: dict[str, Any]) -> Rule:
    title = values.get("title", reader.watch.title)
    if reader.watch.name == "comparison":
        if reader.per == "system":
            title = _RATIO.sub(r"{\1row_ratio", title)
        if values["baseline"] == VENDOR:
            values["baseline"] = None
            values.setdefault("subject", ANYTHING)
    options = {name: value for name, value in values.items() if name not in ("title", "on")}
    return Rule(
        on=values.get("on", reader.watch.default_on),
        title=title,
        place=f"{reader.file}:{node.line}",
        **options,
    )


# ---------------------------------------------------------------------------------------------- one reader an option


def _id(reader: Reader, node: Node) -> str | None:
    text = reader.word(node, "id")
    if text is not None and not _ID.fullmatch(text):
        reader.complain(node, f"id '{text}': use letters, digits, - _ and . (at most 80)")
        return None
    return text


def _watch(reader: Reader, _node: Node) -> str:
    return reader.watch.name


def _title(reader: Reader, node: Node) -> str | None:
    text = reader.word(node, "title")
    if text is None:
        return None
    if len(text) > _TITLE:
        reader.complain(node, f"title: has {len(text):,} characters; at most {_TITLE}")
        return None
    try:
        check_title(text, reader.watch.name)
    except TitleError as error:
        reader.complain(node, reader.unknown_field(error.name, "title field") if error.name else str(error))
        return None
    return text


def _text(what: str) -> Callable[[Reader, Node], str | None]:
    return lambda reader, node: reader.word(node, what)


def _on(reader: Reader, node: Node) -> tuple[str, ...] | None:
    found = [
        reader.choice(word, f"event of watch: {reader.watch.name}", reader.watch.events)
        for word in reader.words(node, "on")
    ]
    return _whole(found)


def _group_by(reader: Reader, node: Node) -> tuple[str, ...] | None:
    found = [reader.field(word.text, word, "group_by field") for word in reader.words(node, "group_by")]
    return _whole([field.name if field else None for field in found])


def _fields(reader: Reader, node: Node) -> tuple[str, ...] | None:
    return _whole(
        [reader.choice(word, "field of a change", _CHANGEABLE) for word in reader.words(node, "fields")]
    )


def _receivers(reader: Reader, node: Node) -> tuple[str, ...] | None:
    words = reader.words(node, "receivers")
    known = reader.receivers
    if known is None:
        return tuple(word.text for word in words)
    if not known and words:
        reader.complain(words[0], f"unknown receiver '{words[0].text}'; the config names no receivers")
        return None
    return _whole([reader.choice(word, "receiver", known) for word in words])


def _whole(found: list[str | None]) -> tuple[str, ...] | None:
    """All words, each once; None if one of them was wrong."""
    sound = tuple(dict.fromkeys(word for word in found if word is not None))
    return sound if sound and None not in found else None


def _choice(what: str, known: Collection[str]) -> Callable[[Reader, Node], str | None]:
    return lambda reader, node: reader.choice(node, what, known)


def _flag(what: str) -> Callable[[Reader, Node], bool | None]:
    return lambda reader, node: reader.flag(node, what)


def _condition(what: str) -> Callable[[Reader, Node], Any]:
    return lambda reader, node: read_condition(reader, node, what)


def _cooldown(reader: Reader, node: Node) -> float | None:
    text = reader.word(node, "cooldown")
    found = seconds(text) if text is not None else None
    if text is not None and found is None:
        reader.complain(
            node, f"cooldown: needs a time such as 30m, 6h or 2d, at most ten years, not '{text}'"
        )
        return None
    return found


def _until(reader: Reader, node: Node) -> datetime | None:
    text = reader.word(node, "until")
    found = instant(text, end_of_day=True) if text is not None else None
    if text is not None and found is None:
        reader.complain(node, f"until: needs a date or time such as 2026-12-01, not '{text}'")
    return found


def _tolerance(reader: Reader, node: Node) -> float | None:
    text = reader.word(node, "tolerance")
    found = fraction(text) if text is not None else None
    if text is not None and (found is None or found < 0):
        reader.complain(node, f"tolerance: needs a share such as 0.02 or 2 %, not '{text}'")
        return None
    return found


def _selector(what: str) -> Callable[[Reader, Node], SystemSelector | None]:
    return lambda reader, node: read_selector(reader, node, what)


def _baseline(reader: Reader, node: Node) -> SystemSelector | str | None:
    if isinstance(node, Scalar) and node.text.casefold() == VENDOR:
        return VENDOR
    return read_selector(reader, node, "baseline")


def read_selector(reader: Reader, node: Node, what: str) -> SystemSelector | None:
    """Read a system: as a mapping ({system: gb300-nvl72}), or as text (NVIDIA/gb300x288@v6.1)."""
    if isinstance(node, Scalar) and not node.empty:
        try:
            return parse_system(node.text, reader.catalog)
        except UsageError as error:
            reader.complain(node, f"{what}: {error}")
            return None
    mapping = reader.mapping(node, what, "system: gb300-nvl72")
    if mapping is None:
        return None
    values: dict[str, Any] = {}
    for key, value in mapping.values.items():
        if key not in SELECTOR_FIELDS:
            meant = (
                "; did you mean 'submitter'?"
                if key == "organisations"
                else did_you_mean(key, SELECTOR_FIELDS)
            )
            reader.complain(mapping.keys[key], f"{what}: unknown field '{key}'{meant}")
            continue
        found = _selected(reader, key, value, what)
        if found is not None:
            values[key] = found
    if len(values) < len(mapping.values):
        return None
    try:
        return selector_of(values, reader.catalog)
    except UsageError as error:
        reader.complain(node, f"{what}: {error}")
        return None


def _selected(reader: Reader, key: str, node: Node, what: str) -> str | float | None:
    text = reader.word(node, f"{what}: {key}")
    if text is None:
        return None
    row = FIELDS["result"][key].row
    if row.type == "number":
        count = number(text)
        if count is None or count < 1 or count != int(count):
            reader.complain(node, f"{what}: {key}: needs a whole number, not '{text}'")
            return None
        return count
    found = canonical(row, text, reader.catalog)
    if found is None:
        reader.complain(node, f"{what}: {unknown_name(row, text, reader.catalog)}")
    return found


_WORD = {"type": "string"}
_WORDS = {"anyOf": [_WORD, {"type": "array", "items": _WORD, "minItems": 1}]}
_SELECTOR = {"anyOf": [_WORD, {"$ref": "#/$defs/system"}]}

OPTIONS: Mapping[str, Option] = {
    option.name: option
    for option in (
        Option(name="id", read=_id, help="the rule's name, unique", schema={"type": "string", "pattern": f"^{_ID.pattern}$"}),
        Option(name="watch", read=_watch, help="what to watch", schema={"enum": list(WATCHES)}),
        Option(name="on", read=_on, help="which events; left out, the usual ones of the watch", schema={"$ref": "#/$defs/on"}),
        Option(name="where", read=_condition("where"), help="what must hold of the state after the event", schema={"$ref": "#/$defs/where"}),
        Option(name="when", read=_condition("when"), help="what must become true of the figures", schema={"$ref": "#/$defs/where"}, watches=_FIGURES),
        Option(name="fields", read=_fields, help="for changed: the fields whose change counts", schema={"anyOf": [{"enum": list(_CHANGEABLE)}, {"type": "array", "items": {"enum": list(_CHANGEABLE)}, "minItems": 1}]}, watches=("result",)),
        Option(name="subject", read=_selector("subject"), help="the system that is compared", schema=_SELECTOR, watches=("comparison",)),
        Option(name="baseline", read=_baseline, help="what it is compared with; vendor: the accelerator vendor's own row at the same accelerator and count", schema=_SELECTOR, watches=("comparison",)),
        Option(name="per", read=_choice("per", PER), help="accelerator (best row per accelerator a side, the usual) or system (best row a side)", schema={"enum": list(PER)}, watches=("comparison",)),
        Option(name="against", read=_selector("against"), help="a system whose rows are shown beside the results", schema=_SELECTOR, watches=("result",)),
        Option(name="tolerance", read=_tolerance, help="without when: how far a figure must move, 1 % if left out", schema={"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": "^[0-9.]+ ?%$"}]}, watches=_MOVING),
        Option(name="group_by", read=_group_by, help="fields; events alike in them become one alert. Left out, each event is its own", schema={"$ref": "#/$defs/group_by"}),
        Option(name="title", read=_title, help="the alert's title, with {field} for what the group holds", schema=_WORD),
        Option(name="severity", read=_choice("severity", SEVERITIES), help="info (the usual), high or critical", schema={"enum": list(SEVERITIES)}),
        Option(name="receivers", read=_receivers, help="who is told; left out, the config's default_receivers", schema=_WORDS),
        Option(name="cooldown", read=_cooldown, help="after an alert, how long the same group is quiet: 6h", schema={"type": "string", "pattern": "^[0-9.]+ ?[smhdw]$"}),
        Option(name="digest_only", read=_flag("digest_only"), help="true: only in the daily digest", schema={"type": "boolean"}),
        Option(name="brief", read=_flag("brief"), help="true: also the brief of the round, once its table is complete, and what the first posts claim", schema={"type": "boolean"}, watches=("round",)),
        Option(name="until", read=_until, help="a deadline: if the rule has not fired by then, that is said once", schema=_WORD),
        Option(name="enabled", read=_flag("enabled"), help="false: read and checked, but not used", schema={"type": "boolean"}),
        Option(name="description", read=_text("description"), help="why the rule is there", schema=_WORD),
    )
}  # fmt: skip
