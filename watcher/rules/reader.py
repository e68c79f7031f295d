"""What reading one rule needs: where it stands, the names, and the list of what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct, field

from watcher.nearest import did_you_mean, nearest
from watcher.rules.fields import FIELDS, Field, field_of, watches_with
from watcher.rules.marked import Listing, Mapping, Node, Scalar
from watcher.rules.watches import WATCHES, Watch
from watcher.rules.words import FALSE, TRUE

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

_LONGEST = 500  # a wrong word may be a page long
_RATIO_OF_ROWS = {"ratio": "row_ratio", "before.ratio": "before.row_ratio"}


class Problem(Struct, frozen=True, order=True):
    """Something wrong in a rule file; prints as one line, in which what cannot be seen is written as an escape."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        message = " ".join(self.message.split())
        if len(message) > _LONGEST:
            message = f"{message[: _LONGEST - 1]}…"
        message = "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in message
        )
        return f"{self.file}:{self.line}: {message}"


class Reader(Struct, kw_only=True):
    """Reads the words of one rule; what is wrong is added to ``problems`` and read as None.

    ``receivers`` None: names of receivers are not checked.
    """

    file: str
    catalog: Catalog
    receivers: Collection[str] | None
    rule: str
    watch: Watch
    per: str = "accelerator"
    problems: list[Problem] = field(default_factory=list)

    def complain(self, at: Node | int, message: str) -> None:
        """Add a problem at a node's line."""
        line = at if isinstance(at, int) else at.line
        self.problems.append(Problem(self.file, line, f"{self.rule}: {message}"))

    # ------------------------------------------------------------------------------------------ plain values

    def word(self, node: Node, what: str) -> str | None:
        """Read one word."""
        if isinstance(node, Scalar) and not node.empty:
            return node.text
        got = (
            "nothing" if isinstance(node, Scalar) else "a list" if isinstance(node, Listing) else "a mapping"
        )
        self.complain(node, f"{what}: needs one value, not {got}")
        return None

    def words(self, node: Node, what: str) -> list[Scalar]:
        """Read a word or a list of words, each with its line."""
        items = node.items if isinstance(node, Listing) else (node,)
        if not items:
            self.complain(node, f"{what}: the list is empty")
        return [item for item in items if self.word(item, what) is not None and isinstance(item, Scalar)]

    def choice(self, node: Node, what: str, known: Collection[str]) -> str | None:
        """Read one of some known words, whatever its case."""
        text = self.word(node, what)
        if text is None:
            return None
        found = next((name for name in known if name.casefold() == text.casefold()), None)
        if found is None:
            self.complain(node, f"unknown {what} '{text}'{did_you_mean(text, known)}")
        return found

    def flag(self, node: Node, what: str) -> bool | None:
        """Read true or false."""
        text = self.word(node, what)
        if text is None:
            return None
        if text.casefold() in TRUE | FALSE:
            return text.casefold() in TRUE
        self.complain(node, f"{what}: needs true or false, not '{text}'")
        return None

    def mapping(self, node: Node, what: str, example: str) -> Mapping | None:
        """Read a mapping that holds something."""
        if isinstance(node, Mapping) and node.values:
            return node
        self.complain(node, f"{what}: needs fields, such as {example}")
        return None

    # ------------------------------------------------------------------------------------------ fields

    def field(self, name: str, at: Node | int, what: str = "field") -> Field | None:
        """Find a field of the rule's watch; where it compares whole systems, its ratio is that of the rows."""
        if self.watch.name == "comparison" and self.per == "system":
            name = _RATIO_OF_ROWS.get(name, name)
        found = field_of(self.watch.name, name)
        if found is None:
            self.complain(at, self.unknown_field(name, what))
        return found

    def unknown_field(self, name: str, what: str = "field") -> str:
        """Say that there is no such field, which one was meant, or whose it is."""
        elsewhere = watches_with(name)
        if elsewhere:
            return f"{what} '{name}' belongs to watch: {' or '.join(elsewhere)}, not {self.watch.name}"
        known = FIELDS[self.watch.name]
        if nearest(name, known) is None:
            everywhere = {field: watch for watch in WATCHES for field in FIELDS[watch]}
            near = nearest(name, everywhere)
            if near is not None:
                return f"unknown {what} '{name}'; did you mean '{near}' of watch: {everywhere[near]}?"
        return f"unknown {what} '{name}'{did_you_mean(name, known)}"
