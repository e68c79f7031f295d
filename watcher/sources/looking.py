"""One look at the repository of a round: has its table changed, is there one, can one be rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

from watcher.domain import Document, PublishedTable, Table
from watcher.errors import HeldBackError, ParseError, SourceError
from watcher.parse import read_table
from watcher.sources.github import BRANCH, GitHub

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

TABLE_NAMES = ("summary_results.json", "summary.json", "summary.csv")
"""Names of official tables in the root of a repository, the best first: v5.0–v6.0 and automotive, v6.1, v6.1 and tiny."""

STORAGE_TABLE_NAMES = ("results.json", "results.csv", *TABLE_NAMES)
"""Storage v3.0 publishes under names of its own."""

_PATIENCE = timedelta(days=1)
"""How long a table is waited for, in a suite that publishes tables, before results are rebuilt from the logs."""


class Looked(Struct, frozen=True, kw_only=True):
    """What came of it: what to remember, the table if there is a new state of it, and trouble that ended it early.

    ``fetched``: how many files were asked for to rebuild results.
    """

    known: Mapping[str, Any]
    step: str
    table: PublishedTable | None = None
    unchanged: bool = False
    fetched: int = 0
    failure: SourceError | None = None


class Looking(Struct, frozen=True, kw_only=True):
    """A repository and what its results are filed under.

    ``files_left``: how many files may still be asked for in this check. ``may_rebuild``: the round is recent enough to
    be worth that. ``has_siblings_with_tables``: the suite publishes tables, so one may still come here.
    """

    github: GitHub
    repository: str
    suite: str
    round: str
    now: datetime
    catalog: Catalog
    files_left: int
    may_rebuild: bool
    has_siblings_with_tables: bool

    def look(self, known: Mapping[str, Any], *, conditional: bool) -> Looked:
        """Look once; ``known`` is what the last look remembered. Raises SourceError."""
        if "table" in known:
            commit = self.github.last_commit(self.repository, known["table"], conditional=conditional)
            if commit.unchanged or (commit.name is not None and commit.name == known["commit"]):
                step = f"{self.repository}: {known['table']} is unchanged"
                return Looked(known=known, step=step, unchanged=True)
            return self._find_table(known, conditional=conditional, commit=commit.name)
        if "head" in known:
            commit = self.github.last_commit(self.repository, None, conditional=conditional)
            if commit.unchanged or commit.name == known["head"]:
                return self._without_news(known)
            return self._find_table(known, conditional=conditional, head=commit.name)
        return self._find_table(known, conditional=conditional)

    def _find_table(
        self,
        known: Mapping[str, Any],
        *,
        conditional: bool,
        commit: str | None = None,
        head: str | None = None,
    ) -> Looked:
        """Find the table under any name it has had; ``commit`` and ``head``: last ones of the table and of main."""
        files = self.github.files(self.repository)
        table = next((name for name in self._names(known) if files is not None and name in files), None)
        if files is None or table is None:
            if "table" in known:
                return self._absent(known)
            head = head or self._last_commit(None, conditional=conditional)
            return self._without_table(known, head)
        blob = files[table]
        if table != known.get("table") or commit is None:
            commit = self._last_commit(table, conditional=conditional)
        after = {**_without_head(known), "table": table, "commit": commit, "blob": blob}
        if blob == known.get("blob"):
            return Looked(known=after, step=f"{self.repository}: {table} has the same bytes", unchanged=True)
        document = self.github.file(self.repository, commit or BRANCH, table)
        baseline = _is_baseline(known) and "looked_at" not in known
        after["baseline"] = False  # from here on, what changes in it is news
        return Looked(
            known=after,
            step=f"{self.repository}: {table} of {(commit or BRANCH)[:8]}, {len(document.body):,} bytes",
            table=self._published(table, document, baseline=baseline),
        )

    def _last_commit(self, path: str | None, *, conditional: bool) -> str | None:
        """Return the name of the last commit that we do not know yet, whatever the other side believes we know."""
        commit = self.github.last_commit(self.repository, path, conditional=conditional)
        if commit.unchanged:
            commit = self.github.last_commit(self.repository, path, conditional=False)
        return commit.name

    def _names(self, known: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names that the table may have, the one it had first."""
        names = STORAGE_TABLE_NAMES if self.suite == "storage" else TABLE_NAMES
        return tuple(dict.fromkeys([known["table"], *names] if "table" in known else names))

    def _published(self, table: str, document: Document, *, baseline: bool) -> PublishedTable:
        read = partial(
            _only_table,
            document.body,
            name=f"{self.repository}/{table}",
            suite=self.suite,
            round=self.round,
            repository_url=self.github.web(self.repository),
            catalog=self.catalog,
        )
        return PublishedTable(
            suite=self.suite,
            round=self.round,
            url=self.github.web(self.repository, table),
            documents=(document,),
            read=read,
            read_news=lambda known: read(known=known),
            baseline=baseline,
        )

    def _absent(self, known: Mapping[str, Any]) -> Looked:
        """A table that was there is gone: never taken as "all withdrawn", but held back until it is there again."""
        message = f"{self.repository} no longer has {known['table']} on main, nor a table of another name"
        table = PublishedTable(
            suite=self.suite,
            round=self.round,
            url=self.github.web(self.repository),
            documents=(),
            read=partial(_raise, HeldBackError(message)),
        )
        return Looked(known=known, step=message, table=table)

    def _without_table(self, known: Mapping[str, Any], head: str | None) -> Looked:
        """A repository without a table: rebuild, wait, or leave it."""
        if head is None:
            return Looked(known=_without_head(known), step=f"{self.repository}: nothing on main yet")
        return self._rebuilt({**known, "head": head})

    def _without_news(self, known: Mapping[str, Any]) -> Looked:
        """Go on where the last look stopped, if there is anything left to read."""
        kept = known.get("rebuilding", {})
        if kept.get("commit") == known["head"] and not kept.get("waiting"):
            has_table = bool(kept.get("facts")) and known.get("rebuilt", False)
            return Looked(known=known, step=f"{self.repository}: nothing new on main", unchanged=has_table)
        return self._rebuilt(known)

    def _rebuilt(self, known: Mapping[str, Any]) -> Looked:
        from watcher.sources.rebuilding import Rebuilding, can_rebuild  # noqa: PLC0415 - parsers, only where no table is

        if not (can_rebuild(self.suite) and self.may_rebuild):
            return Looked(known=known, step=f"{self.repository}: no table, and none is rebuilt")
        seen_at = datetime.fromisoformat(known["seen_at"])
        if self.has_siblings_with_tables and self.now - seen_at < _PATIENCE:
            return Looked(
                known=known, step=f"{self.repository}: no table yet; given a day before the logs are read"
            )
        if self.files_left < 1:
            return Looked(known=known, step=f"{self.repository}: its files are read at the next checks")
        rebuilding = Rebuilding(
            github=self.github,
            repository=self.repository,
            suite=self.suite,
            round=self.round,
            baseline=_is_baseline(known),
            now=self.now,
            catalog=self.catalog,
        )
        rebuilt = rebuilding.read(known["head"], known.get("rebuilding", {}), self.files_left)
        after: dict[str, Any] = {**known, "rebuilding": rebuilt.kept}
        if rebuilt.table is not None:
            after |= {"rebuilt": True, "baseline": False}
        return Looked(
            known=after,
            step=rebuilt.step,
            table=rebuilt.table,
            fetched=rebuilt.fetched,
            failure=rebuilt.failure,
        )


def _only_table(body: bytes, **place: Any) -> Table:
    """Read a document that holds one table of the round. Raises ParseError if it holds others as well."""
    tables = read_table(body, **place)
    wanted = [each for each in tables if (each.suite, each.round) == (place["suite"], place["round"])]
    if len(tables) != 1 or not wanted:
        found = ", ".join(f"{each.suite} {each.round}" for each in tables)
        raise ParseError(f"{place['name']} should hold {place['suite']} {place['round']}, and holds {found}")
    return wanted[0]


def _is_baseline(known: Mapping[str, Any]) -> bool:
    """Tell whether the repository was public before the source's first success, and nothing of it was read yet."""
    return bool(known.get("baseline"))


def _without_head(known: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was remembered while there was no table."""
    return {key: value for key, value in known.items() if key not in {"head", "rebuilding", "rebuilt"}}


def _raise(error: SourceError) -> NoReturn:
    raise error
