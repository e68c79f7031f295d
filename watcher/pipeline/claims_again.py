"""Kept posts read again by a newer claims reader, or with other names: the ledger follows, and nothing is told.

A claim that is only read better was made when its post came out; whoever watches claims was told of that post then. So
no event is recorded, no rule fires and no digest counts it; the ledger's history says by whom it was read again.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher import __version__
from watcher.logs import pairs

if TYPE_CHECKING:
    from watcher.config import Config
    from watcher.domain import CheckedClaim, Source
    from watcher.pipeline.parts import Watcher

READER = "claims reader"  # what the state calls who read the claims that it holds
_log = logging.getLogger("watcher.upgrade")


class ReadAgain(Struct):
    """What came of it: posts read, claims that are new in the ledger, claims that are read no longer."""

    posts: int = 0
    new: int = 0
    gone: int = 0


def reader_stamp(config: Config) -> str:
    """Return what decides how a post is read: the program's version, and the names that the user adds."""
    made = hashlib.blake2b(__version__.encode(), digest_size=16)
    for file in sorted(config.catalog.glob("*.y*ml")) if config.catalog else ():
        made.update(f"\0{file.name}\0".encode())
        made.update(file.read_bytes())
    return made.hexdigest()


def read_posts_again(watcher: Watcher, now: datetime) -> ReadAgain | None:
    """Read the kept posts again if another reader read them; None if the same one did.

    Each post is a transaction, and the reader is noted last: a process that ends within is followed by one that does
    it again. A post that another source had brought before is in the ledger by that one alone.
    """
    store, stamp = watcher.store, watcher.claims_reader
    if store.recall(READER) == stamp:
        return None
    done = ReadAgain()
    if store.posts.count():
        from watcher.pipeline.claiming import Claiming  # noqa: PLC0415 - only where there are posts

        claiming, groups = Claiming(watcher), _groups(watcher.sources)
        for number, post in store.posts.latest():
            claims = claiming.claims_of(post, groups.get(post.source, ""))
            with store.write():
                _follow(watcher, number, claims, post.first_seen_at or now, now, done)
            done.posts += 1
        _log.info(pairs("posts read again", posts=done.posts, new=done.new, gone=done.gone))
    with store.write():
        store.remember(READER, stamp)
    return done


def _groups(sources: Iterable[Source]) -> dict[str, str]:
    """Return the group of each source, also of shipped ones that are off now."""
    from watcher.sources.defaults import load as shipped  # noqa: PLC0415 - reads a file

    return {source.name: source.group for source in (*shipped(), *sources)}


def _follow(
    watcher: Watcher,
    post: int,
    claims: Iterable[CheckedClaim],
    made_at: datetime,
    now: datetime,
    done: ReadAgain,
) -> None:
    """Let the ledger of one post hold what is read in it now; claims that are the same keep number and history."""
    from watcher.claims import alike  # noqa: PLC0415 - only where there are posts
    from watcher.store.posts import fingerprint  # noqa: PLC0415

    posts = watcher.store.posts
    before = {fingerprint(entry.checked.claim): entry for entry in posts.claims(post=post)}
    for checked in claims:
        entry = before.pop(fingerprint(checked.claim), None)
        if entry is None or entry.gone_at is not None:
            cause = f"read again by mlperf-watcher {__version__}"
            posts.record_claim(post, checked, now, cause, made_at=made_at)
            done.new += 1
        elif entry.checked.claim.entries != checked.claim.entries and entry.checked.number is not None:
            renewed = replace(checked, number=entry.checked.number)
            if alike(entry.checked.verdict, checked.verdict):
                posts.restate_claim(entry.checked.number, renewed)
            else:
                cause = f"read again by mlperf-watcher {__version__}"
                posts.recheck_claim(entry.checked.number, renewed, now, cause)
    for entry in before.values():
        if entry.gone_at is None and entry.checked.number is not None:
            posts.claim_gone(entry.checked.number, now, f"no longer read by mlperf-watcher {__version__}")
            done.gone += 1
