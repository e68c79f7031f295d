"""Sources: what each wants to remember, how it fares, its validators and the documents it brought."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from watcher.domain import Document, Validators
from watcher.store.codec import iso, time
from watcher.store.packing import pack, unpack

_SAVE_HEALTH = (
    "INSERT INTO sources (name, kind, url, health, next_check_at) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, url = excluded.url, health = excluded.health, "
    "next_check_at = excluded.next_check_at"
)
_SAVE_SUCCESS = (
    "INSERT INTO sources (name, kind, url, health, next_check_at, cursor, baseline_at, checks) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, 1) "
    "ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, url = excluded.url, health = excluded.health, "
    "next_check_at = excluded.next_check_at, cursor = excluded.cursor, checks = checks + 1, "
    "baseline_at = coalesce(baseline_at, excluded.baseline_at)"
)


class SourceMemory(Struct, frozen=True):
    """What is held of a source: its cursor, its health as JSON values, and whether it has succeeded before."""

    name: str
    cursor_json: str
    health: Mapping[str, Any]
    next_check_at: datetime | None
    baseline_at: datetime | None
    checks: int

    @property
    def cursor(self) -> Mapping[str, Any]:
        """What the source wanted to remember; read only by the check that needs it, for it may be long."""
        cursor: Mapping[str, Any] = json.loads(self.cursor_json)
        return cursor


class KeptDocument(Struct, frozen=True):
    """Where a kept document came from; its bytes by `Sources.document`."""

    digest: str
    url: str
    source: str | None
    fetched_at: datetime


class Sources:
    """All statements about sources, validators and documents."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Work on an open connection."""
        self._run = connection.execute
        self._many = connection.executemany

    def find(self, name: str) -> SourceMemory | None:
        """Return what is held of a source, or None."""
        return self.all().get(name)

    def all(self) -> dict[str, SourceMemory]:
        """Return name → what is held of each source ever checked."""
        rows = self._run(
            "SELECT name, cursor, health, next_check_at, baseline_at, checks FROM sources ORDER BY name"
        )
        return {
            row[0]: SourceMemory(row[0], row[1], json.loads(row[2]), time(row[3]), time(row[4]), row[5])
            for row in rows
        }

    def save(
        self, name: str, *, kind: str, url: str, health: Mapping[str, Any], next_check_at: datetime | None,
        cursor: Mapping[str, Any] | None = None, now: datetime | None = None,
    ) -> None:  # fmt: skip
        """Record how a check went; with ``cursor`` it succeeded, and the first success is the baseline."""
        common = (name, kind, url, json.dumps(health), iso(next_check_at))
        if cursor is None:
            self._run(_SAVE_HEALTH, common)
        else:
            self._run(_SAVE_SUCCESS, (*common, json.dumps(cursor, ensure_ascii=False), iso(now)))

    def validators(self, name: str) -> dict[str, Validators]:
        """Return url → what the other side said of it when it was last fetched."""
        return self.validators_of([name]).get(name, {})

    def validators_of(self, names: Sequence[str]) -> dict[str, dict[str, Validators]]:
        """Return the validators of several sources: source → url → validators; sources without any are left out."""
        found: dict[str, dict[str, Validators]] = {}
        rows = self._run(
            "SELECT source, url, etag, last_modified, digest, full_at FROM validators "
            "WHERE source IN (SELECT value FROM json_each(?))",
            (json.dumps(names),),
        )
        for source, url, etag, last_modified, digest, full_at in rows:
            found.setdefault(source, {})[url] = Validators(
                url=url, etag=etag, last_modified=last_modified, digest=digest, full_at=time(full_at)
            )
        return found

    def save_validators(self, name: str, validators: Iterable[Validators]) -> None:
        """Record validators exactly as received."""
        self._many(
            "INSERT OR REPLACE INTO validators (source, url, etag, last_modified, digest, full_at) VALUES (?, ?, ?, ?, ?, ?)",
            [(name, v.url, v.etag, v.last_modified, v.digest, iso(v.full_at)) for v in validators],
        )

    # ------------------------------------------------------------------------------------------ documents

    def keep(self, document: Document, source: str | None, *, name: str | None = None) -> str:
        """Keep a document compressed under its content's hash; return the hash. ``name`` is that hash, if it is known."""
        name = name or content_digest([document])
        if not self._run("SELECT 1 FROM documents WHERE digest = ?", (name,)).fetchone():
            self._run(
                "INSERT INTO documents (digest, url, source, fetched_at, media_type, size, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    name, document.url, source, iso(document.fetched_at), document.media_type, len(document.body),
                    pack(document.body),
                ),
            )  # fmt: skip
        return name

    def document(self, name: str) -> Document | None:
        """Return a kept document by its hash, or None."""
        row = self._run(
            "SELECT url, body, fetched_at, media_type FROM documents WHERE digest = ?", (name,)
        ).fetchone()
        if row is None:
            return None
        fetched = time(row[2])
        assert fetched is not None  # noqa: S101 - the column is NOT NULL
        return Document(row[0], unpack(row[1]), fetched, row[3] or "")

    def kept(self) -> tuple[KeptDocument, ...]:
        """Return every kept document, the newest first."""
        rows = self._run(
            "SELECT digest, url, source, fetched_at FROM documents ORDER BY fetched_at DESC, digest"
        )
        return tuple(
            KeptDocument(row[0], row[1], row[2], at) for row in rows if (at := time(row[3])) is not None
        )

    def document_names(self, batch: str) -> tuple[tuple[str, str], ...]:
        """Return (hash, url) of the documents that a batch of events came from."""
        rows = self._run(
            "SELECT documents.digest, documents.url FROM snapshots JOIN documents ON documents.digest = snapshots.digest "
            "WHERE batch = ?",
            (batch,),
        )
        return tuple(rows.fetchall())

    def prune_documents(self, keep_bytes: int) -> int:
        """Drop the oldest documents beyond ``keep_bytes`` (compressed); return how many.

        The newest document of each table stays. Events, results and alerts never go.
        """
        rows = self._run(
            "SELECT digest, length(body), digest IN (SELECT digest FROM tables WHERE digest IS NOT NULL) FROM documents "
            "ORDER BY fetched_at DESC"
        ).fetchall()
        held, dropped = 0, []
        for name, size, needed in rows:
            held += size
            if held > keep_bytes and not needed:
                dropped.append((name,))
        self._many("UPDATE snapshots SET digest = NULL WHERE digest = ?", dropped)
        self._many("DELETE FROM documents WHERE digest = ?", dropped)
        return len(dropped)


def content_digest(documents: Sequence[Document]) -> str:
    """Return the hash of several documents' bytes, one after the other; that of one is the name under which it is kept."""
    if len(documents) == 1 and documents[0].sha256 is not None:
        return documents[0].sha256
    made = hashlib.sha256()
    for document in documents:
        made.update(document.body)
    return made.hexdigest()
