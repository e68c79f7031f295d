"""`Watcher`: the wired parts of one program, each made on first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from watcher.config import Config
from watcher.domain import Source

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog
    from watcher.fetch import Fetcher
    from watcher.figures import Wanted
    from watcher.notifiers import Notifier
    from watcher.rules import RuleSet
    from watcher.store import Store


BRIEFS = "briefs waiting"  # rounds that went public and whose brief or follow-up is still to come
STUCK = "stuck receivers"  # names, each on a line, of receivers told to have taken nothing for long
_KEPT_RULES = "rules kept"
VERSION = "version"  # what the state calls the version of the program that wrote it last


def go_on(_point: str) -> None:
    """Do nothing at a named point; a test puts a function here that ends the process."""


@dataclass(kw_only=True)
class Watcher:
    """The wired parts.

    ``make_…`` functions are called once, when the part is first needed: a pass that finds nothing new loads neither
    names nor rules. ``rules_stamp``: a hash over the rule files and all that decides whether they are valid.

    ``reach`` is called with the name of each point where the process may be killed: "fetched"; "recording", everything
    written and nothing committed; "recorded"; likewise "evaluating" and "evaluated", "briefing" and "briefed",
    "digesting" and "digested"; then "claimed", before the other side is called; "accepted", after its answer and before
    that is written down; "marking" and "marked".
    """

    config: Config
    store: Store
    sources: tuple[Source, ...]
    make_catalog: Callable[[], Catalog]
    make_rules: Callable[[], RuleSet]
    rules_stamp: Callable[[], str]
    make_fetcher: Callable[[], Fetcher]
    make_notifier: Callable[[str, str], Notifier]
    reach: Callable[[str], None] = go_on
    _notifiers: dict[tuple[str, str], Notifier] = field(default_factory=dict)

    @cached_property
    def catalog(self) -> Catalog:
        """The names."""
        return self.make_catalog()

    @cached_property
    def rules(self) -> RuleSet:
        """The rules, as kept by `keep_rules` if nothing that decides what their files say has changed since."""
        from watcher.rules.kept import from_text  # noqa: PLC0415 - only where something is to be told

        return from_text(self.store.recall(_KEPT_RULES), self._of_kept_rules()) or self.make_rules()

    def keep_rules(self, stamp: str) -> None:
        """Keep the rules in the state; for inside of a write. Not where their files were edited since ``stamp`` was taken."""
        from watcher.rules.kept import to_text  # noqa: PLC0415 - once for a set of rules

        rules = self.rules
        if self.rules_stamp() == stamp:
            self.store.remember(_KEPT_RULES, to_text(rules, self._of_kept_rules()))

    def _of_kept_rules(self) -> str:
        """The stamp of kept rules. Their places are as seen from where they were kept; only commands tell them, which read files."""
        return f"{self.rules_stamp()} {self.catalog.stamp}"

    @cached_property
    def claims_reader(self) -> str:
        """Who reads posts, as a stamp: taken once, as the names are, so that both are of the same files."""
        from watcher.pipeline.claims_again import reader_stamp  # noqa: PLC0415 - it needs what stands here

        return reader_stamp(self.config)

    @cached_property
    def wanted(self) -> Wanted:
        """The derived figures that the rules ask for."""
        from watcher.figures.wanted import with_calendar  # noqa: PLC0415 - with the rules

        return with_calendar(self.rules.wanted(), lambda: self.catalog)

    @cached_property
    def fetcher(self) -> Fetcher:
        """The way to the outside."""
        return self.make_fetcher()

    def notifier(self, receiver: str, recipient: str) -> Notifier:
        """Return the notifier of one recipient of a receiver."""
        key = (receiver, recipient)
        if key not in self._notifiers:
            self._notifiers[key] = self.make_notifier(receiver, recipient)
        return self._notifiers[key]
