"""YAML text as a tree that remembers its lines; scalars stay text until the field they belong to says what they are.

So ``accuracy_target: 99.9`` and ``round: v6.1`` need no quotes, ``no`` is a word, and every complaint names a line.
Aliases, tags, several documents, repeated keys, deep nesting and huge files are refused: a rule file has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from msgspec import Struct

MAX_BYTES = 8_000_000
MAX_DEPTH = 24


class MarkedError(Exception):
    """Something wrong at a line of a file; caught where the problems of a file are gathered."""

    def __init__(self, line: int, message: str) -> None:
        """Keep the line beside the sentence."""
        super().__init__(message)
        self.line = line
        self.message = message


class Scalar(Struct, frozen=True):
    """One word as written; ``plain`` if it stands without quotes. ``line`` counts from 1."""

    text: str
    line: int
    plain: bool = True

    @property
    def empty(self) -> bool:
        """Whether nothing is written here (also ``null`` and ``~``)."""
        return self.plain and self.text.casefold() in ("", "null", "~")


class Listing(Struct, frozen=True):
    """A list with the line it starts on."""

    items: tuple[Node, ...]
    line: int


class Mapping(Struct, frozen=True):
    """Keys with their values, in order; ``keys`` keeps the line of each key."""

    values: dict[str, Node]
    keys: dict[str, Scalar]
    line: int


Node: TypeAlias = Scalar | Listing | Mapping


def read_marked(text: str) -> tuple[Node | None, tuple[MarkedError, ...]]:
    """Return the tree of one YAML document (None if there is none) and the keys that are repeated in it.

    Raises MarkedError with the line of whatever is not plain YAML of one document.
    """
    import yaml  # noqa: PLC0415 - heavy, only when rules are read

    if len(text) > MAX_BYTES:
        raise MarkedError(1, f"the file is larger than {MAX_BYTES:,} characters; split it")
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        builder = _Builder(yaml)
        return builder.build(iter(yaml.parse(text, Loader=loader))), tuple(builder.repeated)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not readable"
        raise MarkedError(mark.line + 1 if mark else 1, f"not valid YAML: {problem}") from None


class _Builder:
    """Stacks open lists and mappings while the events of one document pass by."""

    def __init__(self, yaml: Any) -> None:
        self._yaml = yaml
        self._open: list[_Open] = []
        self._root: Node | None = None
        self._documents = 0
        self.repeated: list[MarkedError] = []

    def build(self, events: Iterator[Any]) -> Node | None:
        """Return the root of the only document."""
        y = self._yaml
        for event in events:
            kind = type(event)
            line = event.start_mark.line + 1
            if kind is y.ScalarEvent:
                self._refuse_tag(event, line)
                self._put(Scalar(event.value, line, plain=event.implicit[0]))
            elif kind is y.MappingStartEvent or kind is y.SequenceStartEvent:
                self._refuse_tag(event, line)
                if len(self._open) >= MAX_DEPTH:
                    raise MarkedError(line, f"nested more than {MAX_DEPTH} deep")
                self._open.append(_Open(kind is y.MappingStartEvent, line))
            elif kind is y.MappingEndEvent or kind is y.SequenceEndEvent:
                closed = self._open.pop()
                self.repeated.extend(closed.repeated)
                self._put(closed.close())
            elif kind is y.AliasEvent:
                raise MarkedError(
                    line, f"*{event.anchor}: aliases are not used in rules; write the value out"
                )
            elif kind is y.DocumentStartEvent:
                self._documents += 1
                if self._documents > 1:
                    raise MarkedError(line, "a second document starts here; write one document a file")
        return self._root

    @staticmethod
    def _refuse_tag(event: Any, line: int) -> None:
        if event.tag is not None and event.tag != "!":
            raise MarkedError(line, f"{event.tag}: tags are not used in rules")

    def _put(self, node: Node) -> None:
        if self._open:
            self._open[-1].put(node)
        else:
            self._root = node


class _Open:
    """A list or mapping whose end has not come yet."""

    def __init__(self, mapping: bool, line: int) -> None:
        self._mapping = mapping
        self._line = line
        self._items: list[Node] = []
        self._values: dict[str, Node] = {}
        self._keys: dict[str, Scalar] = {}
        self._key: Scalar | None = None
        self.repeated: list[MarkedError] = []

    def put(self, node: Node) -> None:
        """Take the next item, key or value."""
        if not self._mapping:
            self._items.append(node)
        elif self._key is None:
            if not isinstance(node, Scalar):
                raise MarkedError(node.line, "a key must be a word")
            if node.text in self._values:
                first = self._keys[node.text].line
                message = f"key '{node.text}' stands twice (first in line {first})"
                self.repeated.append(MarkedError(node.line, message))
            self._key = node
        else:
            self._keys.setdefault(self._key.text, self._key)
            self._values.setdefault(self._key.text, node)
            self._key = None

    def close(self) -> Node:
        """Return the finished list or mapping."""
        if self._mapping:
            return Mapping(self._values, self._keys, self._line)
        return Listing(tuple(self._items), self._line)
