"""Results of a repository without a table, rebuilt from the artefacts in its tree, a bounded number a check.

What each file says is small and kept with its blob's SHA, so a correction costs one listing and one file. What is
kept of a repository (JSON values, in the cursor)::

    {"commit": …, "by": READ_BY, "waiting": 0, "facts": "…"}    facts: {path: [blob SHA, facts or null]}, packed
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from watcher.domain import Document, PublishedTable
from watcher.errors import FetchError, SourceError
from watcher.parse.artefacts import ARTEFACTS, READ_BY
from watcher.sources.github import GitHub

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

_ONE_FILE = frozenset({"gone", "too-large", "not-what-it-was"})
"""Failures that concern one file; it is noted as unreadable, and the others are read."""


class Rebuilt(Struct, frozen=True, kw_only=True):
    """How far it came: what to keep, the table once all files are read, and the trouble that ended it early.

    ``fetched``: how many files were asked for.
    """

    kept: Mapping[str, Any]
    table: PublishedTable | None
    step: str
    fetched: int = 0
    failure: SourceError | None = None


def can_rebuild(suite: str) -> bool:
    """Tell whether results of a suite can be rebuilt from its repositories."""
    return suite in ARTEFACTS


class Rebuilding(Struct, frozen=True, kw_only=True):
    """The repository of one round, and what its results are filed under. ``baseline`` as in `PublishedTable`."""

    github: GitHub
    repository: str
    suite: str
    round: str
    baseline: bool
    now: datetime
    catalog: Catalog

    def read(self, commit: str, kept: Mapping[str, Any], limit: int) -> Rebuilt:
        """Read the artefacts at ``commit`` that are not known yet, ``limit`` files at most. Raises SourceError."""
        known = _unpacked(kept.get("facts")) if kept.get("by") == READ_BY else {}
        planned = kept.get("commit") == commit and bool(known)
        facts = known if planned else self._planned(commit, known)
        unread = [path for path, (_, said) in facts.items() if said is None][:limit]
        failure = self._fill(commit, facts, unread)
        waiting = sum(said is None for _, said in facts.values())
        after = {"commit": commit, "by": READ_BY, "waiting": waiting, "facts": _packed(facts)}
        table = None
        if waiting:
            step = f"{self.repository}: {len(facts) - waiting} of {len(facts)} files read, the rest at the next checks"
        elif facts:
            step = f"{self.repository}: rebuilt from {len(facts)} files at {commit[:8]}"
            table = self._table(commit, {path: said for path, (_, said) in facts.items()})
        else:
            step = f"{self.repository}: neither a table nor results to rebuild one from"
        return Rebuilt(kept=after, table=table, step=step, fetched=len(unread), failure=failure)

    def _planned(self, commit: str, known: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """Return what is to be read: known facts of unchanged files, null for the others."""
        tree = self.github.tree(self.repository, commit)
        return {
            path: [tree[path], known[path][1] if path in known and known[path][0] == tree[path] else None]
            for path in ARTEFACTS[self.suite].wanted(tree)
        }

    def _fill(self, commit: str, facts: dict[str, list[Any]], unread: Sequence[str]) -> SourceError | None:
        """Read files that are not read yet; return the trouble that ended it, if any."""
        reader = ARTEFACTS[self.suite]
        for path in unread:
            try:
                body = self.github.file(self.repository, commit, path).body
                facts[path][1] = dict(reader.read(path, body))
            except FetchError as error:
                if error.failure not in _ONE_FILE:
                    return error
                facts[path][1] = {"error": str(error)}
        return None

    def _table(self, commit: str, facts: Mapping[str, Any]) -> PublishedTable:
        """Return the rebuilt table; the facts stand for its document."""
        body = json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        address = self.github.web(self.repository)
        return PublishedTable(
            suite=self.suite,
            round=self.round,
            url=address,
            documents=(Document(f"{address}/tree/{commit}", body, self.now, "application/json"),),
            read=partial(
                ARTEFACTS[self.suite].assemble,
                facts,
                suite=self.suite,
                round=self.round,
                repository_url=address,
                catalog=self.catalog,
            ),
            baseline=self.baseline,
        )


def _packed(facts: Mapping[str, list[Any]]) -> str:
    text = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
    return base64.b85encode(zlib.compress(text.encode(), 6)).decode("ascii")


def _unpacked(packed: str | None) -> dict[str, list[Any]]:
    """Return kept facts; what is damaged is read anew."""
    try:
        facts: dict[str, list[Any]] = json.loads(zlib.decompress(base64.b85decode(packed or "")))
    except (ValueError, zlib.error):
        return {}
    return facts
