"""Posts, their versions, and the ledger of claims with each verdict's history."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import CheckedClaim, Claim, Post
from watcher.store.codec import dumps, iso, loads, time
from watcher.store.packing import pack, unpack


class HeldPost(Struct, frozen=True):
    """What is held of a post: its id, the digest of its latest version, and every digest it ever had."""

    id: int
    digest: str
    digests: frozenset[str]


class LedgerEntry(Struct, frozen=True):
    """A claim in the ledger; ``gone_at``: since when its post no longer makes it."""

    checked: CheckedClaim
    post: int
    made_at: datetime
    checked_at: datetime
    gone_at: datetime | None


class Posts:
    """All statements about posts and claims."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Work on an open connection."""
        self._run = connection.execute
        self._many = connection.executemany

    def held(self, source: str) -> dict[str, HeldPost]:
        """Return identity → what is held of each post of a source."""
        rows = self._run("SELECT id, identity, digest FROM posts WHERE source = ?", (source,)).fetchall()
        versions: dict[int, set[str]] = {}
        for post, digest in self._run(
            "SELECT post, post_versions.digest FROM post_versions JOIN posts ON posts.id = post WHERE source = ?",
            (source,),
        ):
            versions.setdefault(post, set()).add(digest)
        return {row[1]: HeldPost(row[0], row[2], frozenset(versions.get(row[0], ()))) for row in rows}

    def known_url(self, url: str, *, other_than: str) -> bool:
        """Whether another source brought a post of this address already."""
        row = self._run("SELECT 1 FROM posts WHERE url = ? AND source != ?", (url, other_than)).fetchone()
        return row is not None

    def add(self, post: Post, digest: str, now: datetime) -> int:
        """Record a new post; return its id."""
        cursor = self._run(
            "INSERT INTO posts (source, identity, url, title, author, vendor, published_at, published_raw, first_seen_at, "
            "digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                post.source, post.identity, post.url, post.title, post.author, post.vendor, iso(post.published_at),
                post.published_raw, iso(now), digest,
            ),
        )  # fmt: skip
        number = cursor.lastrowid
        assert number is not None  # noqa: S101 - an INSERT has one
        self._version(number, post, digest, now)
        return number

    def update(self, number: int, post: Post, digest: str, now: datetime) -> None:
        """Record another version of a post."""
        self._run(
            "UPDATE posts SET url = ?, title = ?, author = ?, digest = ? WHERE id = ?",
            (post.url, post.title, post.author, digest, number),
        )
        self._version(number, post, digest, now)

    def _version(self, number: int, post: Post, digest: str, now: datetime) -> None:
        self._run(
            "INSERT OR IGNORE INTO post_versions (post, digest, recorded_at, title, html) VALUES (?, ?, ?, ?, ?)",
            (number, digest, iso(now), post.title, pack(post.html.encode())),
        )

    def html(self, number: int) -> str:
        """Return the latest body of a post."""
        row = self._run(
            "SELECT html FROM post_versions JOIN posts ON posts.id = post AND posts.digest = post_versions.digest "
            "WHERE post = ?",
            (number,),
        ).fetchone()
        return unpack(row[0]).decode()

    def latest(self) -> Iterator[tuple[int, Post]]:
        """Return (id, post) of each article's latest version, without text; one brought twice as it came first."""
        rows = self._run(
            "SELECT id, source, identity, url, posts.title, author, vendor, published_at, published_raw, first_seen_at, html "
            "FROM posts JOIN post_versions ON post = id AND post_versions.digest = posts.digest "
            "WHERE NOT EXISTS (SELECT 1 FROM posts AS before WHERE before.url = posts.url AND before.source != posts.source "
            "AND before.id < posts.id) ORDER BY id"
        ).fetchall()
        for row in rows:
            yield row[0], Post(
                source=row[1], identity=row[2], url=row[3], title=row[4], html=unpack(row[10]).decode(), text="",
                author=row[5], published_at=time(row[7]), published_raw=row[8], vendor=row[6], first_seen_at=time(row[9]),
            )  # fmt: skip

    def count(self) -> int:
        """Return how many posts are held."""
        return int(self._run("SELECT count(*) FROM posts").fetchone()[0])

    # ------------------------------------------------------------------------------------------ claims

    def record_claim(
        self, post: int, checked: CheckedClaim, now: datetime, cause: str, *, made_at: datetime | None = None
    ) -> CheckedClaim:
        """Record a claim of a post with its verdict; return it with its number. ``made_at``: default ``now``."""
        name = fingerprint(checked.claim)
        cursor = self._run(
            "INSERT INTO claims (post, fingerprint, claim, made_at, verdict, checked, checked_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (post, fingerprint) DO UPDATE SET gone_at = NULL, "
            "claim = excluded.claim, verdict = excluded.verdict, checked = excluded.checked, checked_at = excluded.checked_at "
            "RETURNING number",
            (
                post,
                name,
                dumps(checked.claim),
                iso(made_at or now),
                checked.verdict.verdict,
                dumps(checked),
                iso(now),
            ),
        )
        number = int(cursor.fetchone()[0])
        self._history(number, checked, now, "made", cause)
        return replace(checked, number=number)

    def recheck_claim(self, number: int, checked: CheckedClaim, now: datetime, cause: str) -> None:
        """Record a new verdict of a claim."""
        self._run(
            "UPDATE claims SET verdict = ?, checked = ?, checked_at = ? WHERE number = ?",
            (checked.verdict.verdict, dumps(checked), iso(now), number),
        )
        self._history(number, checked, now, "verdict", cause)

    def restate_claim(self, number: int, checked: CheckedClaim) -> None:
        """Take over what became better known of a claim; its verdict is as it was, so its history has no more to say."""
        self._run(
            "UPDATE claims SET claim = ?, checked = ? WHERE number = ?",
            (dumps(checked.claim), dumps(checked), number),
        )

    def claim_gone(self, number: int, now: datetime, cause: str) -> None:
        """Record that a post no longer makes a claim."""
        self._run("UPDATE claims SET gone_at = ? WHERE number = ?", (iso(now), number))
        entry = self.claims((number,))[0]
        self._history(number, entry.checked, now, "gone", cause)

    def _history(self, number: int, checked: CheckedClaim, now: datetime, what: str, cause: str) -> None:
        self._run(
            "INSERT INTO claim_history (claim, at, what, checked, cause) VALUES (?, ?, ?, ?, ?)",
            (number, iso(now), what, dumps(checked), cause),
        )

    def claims(self, numbers: Sequence[int] = (), *, post: int | None = None) -> tuple[LedgerEntry, ...]:
        """Return claims of the ledger, by number; () means all."""
        where, values = ["1"], list[object]()
        if numbers:
            where.append(f"number IN ({', '.join('?' * len(numbers))})")
            values += numbers
        if post is not None:
            where.append("post = ?")
            values.append(post)
        rows = self._run(
            f"SELECT number, checked, post, made_at, checked_at, gone_at FROM claims WHERE {' AND '.join(where)} "
            "ORDER BY number",
            tuple(values),
        )
        return tuple(
            LedgerEntry(
                replace(loads(row[1], CheckedClaim), number=row[0]),
                row[2],
                _when(row[3]),
                _when(row[4]),
                time(row[5]),
            )
            for row in rows
        )

    def claim_history(self, number: int) -> tuple[tuple[datetime, str, CheckedClaim, str], ...]:
        """Return (when, what, the claim as checked then, cause) of a claim, oldest first."""
        rows = self._run(
            "SELECT at, what, checked, cause FROM claim_history WHERE claim = ? ORDER BY id", (number,)
        )
        return tuple((_when(row[0]), row[1], loads(row[2], CheckedClaim), row[3]) for row in rows)

    def claims_waiting(self) -> bool:
        """Whether any claim stands in a post today."""
        return self._run("SELECT 1 FROM claims WHERE gone_at IS NULL LIMIT 1").fetchone() is not None


def fingerprint(claim: Claim) -> str:
    """What makes it the same claim in another version of its post: all but its quote and place."""
    parts = (
        claim.kind, claim.value, claim.value_max, claim.qualifier, claim.subject_system, claim.baseline_system,
        claim.benchmark, claim.scenarios, claim.round, claim.baseline_round, claim.per_accelerator, claim.unit, claim.status,
    )  # fmt: skip
    return json.dumps(parts)


def _when(text: str) -> datetime:
    at = time(text)
    assert at is not None  # noqa: S101 - the column is NOT NULL
    return at
