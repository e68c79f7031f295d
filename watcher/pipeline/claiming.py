"""Posts → claims → verdicts, now and whenever a table changes; recorded with each verdict's history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watcher.domain import CheckedClaim, Event, Post, Result, Source
from watcher.pipeline.evidence import EvidenceRows
from watcher.pipeline.occasion import Occasion, event_id, plain_event
from watcher.store.posts import HeldPost, LedgerEntry, fingerprint

if TYPE_CHECKING:
    from watcher.pipeline.parts import Watcher
    from watcher.store.events import NewEvent

OTHER_BENCHMARKS = "benchmarks"  # the group of sources that publish figures of other benchmarks


class Prepared(Struct, frozen=True):
    """A post that is new or differs, its digest, what is held of it, and its claims with their verdicts."""

    post: Post
    digest: str
    held: HeldPost | None
    claims: tuple[CheckedClaim, ...]


class Claiming:
    """What becomes of posts and their claims in one transaction."""

    def __init__(self, watcher: Watcher, rows: EvidenceRows | None = None) -> None:
        """Work with the wired parts; ``rows``: those that other sources of the same pass were checked against."""
        self._watcher = watcher
        self._store = watcher.store
        self._rows = rows or EvidenceRows(watcher.store.tables)

    def prepare(self, source: Source, posts: Sequence[Post]) -> list[Prepared]:
        """Before the transaction: find the posts that are new or differ, read their claims and check them."""
        if not posts:
            return []
        from watcher.parse.article import digest  # noqa: PLC0415 - only when a source brought posts

        held = self._store.posts.held(source.name)
        prepared = []
        for post in posts:
            name = digest(post)
            known = held.get(post.identity)
            if known is not None and known.digest == name:
                continue
            prepared.append(Prepared(post, name, known, self.claims_of(post, source.group)))
        return prepared

    def claims_of(self, post: Post, group: str) -> tuple[CheckedClaim, ...]:
        """Read a post's claims and check them; ``group``: its source's."""
        from watcher.claims import check, extract  # noqa: PLC0415 - only when a post is new

        catalog = self._watcher.catalog
        found = extract(f"<h1>{_escaped(post.title)}</h1>\n{post.html}", catalog=catalog)
        if group == OTHER_BENCHMARKS:  # their figures are never checked against MLPerf's tables
            found = tuple(replace(claim, status="not_mlperf") for claim in found)
        return tuple(
            CheckedClaim(
                claim=claim, verdict=check(claim, self._rows.of(claim.benchmark), catalog=catalog), post_url=post.url, post_title=post.title,
                vendor=post.vendor, source=post.source,
            )
            for claim in found
        )  # fmt: skip

    def record(self, prepared: Sequence[Prepared], occasion: Occasion, *, baseline: bool) -> list[Event]:
        """Record new and edited posts with their claims; return the events, none on a source's baseline."""
        new: list[NewEvent] = []
        for each in prepared:
            new += self._post(each, occasion)
        if baseline:
            return []
        self._store.events.add(new)
        return [made.event for made in new]

    def _post(self, each: Prepared, occasion: Occasion) -> list[NewEvent]:
        posts = self._store.posts
        told: list[NewEvent] = []
        if each.held is None:
            elsewhere = posts.known_url(each.post.url, other_than=each.post.source)
            number = posts.add(each.post, each.digest, occasion.now)
            if elsewhere:  # the same article by another way: nothing new to tell
                return []
            told.append(self._told("post.added", each, occasion))
        else:
            number = each.held.id
            posts.update(number, each.post, each.digest, occasion.now)
            if (
                each.digest in each.held.digests
            ):  # it flipped back to what it said before: the ledger follows, silently
                self._ledger(number, each, occasion)
                return []
            told.append(self._told("post.updated", each, occasion))
        return told + self._ledger(number, each, occasion)

    def _told(self, kind: str, each: Prepared, occasion: Occasion) -> NewEvent:
        once = event_id(kind, each.post.source, each.post.identity, each.digest)
        return plain_event(kind, replace(each.post, html="", first_seen_at=occasion.now), occasion, once=once)

    def _ledger(self, number: int, each: Prepared, occasion: Occasion) -> list[NewEvent]:
        from watcher.claims import alike  # noqa: PLC0415 - only when a post was edited

        posts = self._store.posts
        before = {fingerprint(entry.checked.claim): entry for entry in posts.claims(post=number)}
        told = []
        for checked in each.claims:
            entry = before.pop(fingerprint(checked.claim), None)
            if entry is None or entry.gone_at is not None:
                made = posts.record_claim(
                    number, checked, occasion.now, f"post read {occasion.now:%Y-%m-%d %H:%M} UTC"
                )
                told.append(plain_event("claim.made", made, occasion))
            elif not alike(entry.checked.verdict, checked.verdict):
                told.append(self._verdict(entry, checked, occasion, "post edited"))
            elif entry.checked.claim.entries != checked.claim.entries and entry.checked.number is not None:
                posts.restate_claim(entry.checked.number, replace(checked, number=entry.checked.number))
        for entry in before.values():
            number_of_claim = entry.checked.number
            if entry.gone_at is None and number_of_claim is not None:
                posts.claim_gone(number_of_claim, occasion.now, "no longer in the post")
        return told

    def _verdict(self, entry: LedgerEntry, checked: CheckedClaim, occasion: Occasion, cause: str) -> NewEvent:
        number = entry.checked.number
        assert number is not None  # noqa: S101 - an entry of the ledger has one
        after = replace(checked, number=number)
        self._store.posts.recheck_claim(number, after, occasion.now, cause)
        return plain_event("claim.verdict_changed", after, occasion, before=entry.checked)

    def recheck(self, events: Sequence[Event], occasion: Occasion) -> list[Event]:
        """After results changed: check every claim that stands again, and tell the verdicts that differ."""
        touched = {
            side.benchmark
            for event in events
            if event.kind.startswith("result.") and not event.private
            for side in (event.before, event.after)
            if isinstance(side, Result)
        }
        if not touched or not self._store.posts.claims_waiting():
            return []
        from watcher.claims import check  # noqa: PLC0415 - only when results changed and claims stand

        catalog = self._watcher.catalog
        told = []
        for entry in self._store.posts.claims():
            claim = entry.checked.claim
            if entry.gone_at is not None or (claim.benchmark is not None and claim.benchmark not in touched):
                continue
            verdict = check(claim, self._rows.of(claim.benchmark), catalog=catalog)
            if verdict.verdict != entry.checked.verdict.verdict or _figures(verdict) != _figures(
                entry.checked.verdict
            ):
                checked = replace(entry.checked, verdict=verdict)
                made = self._verdict(entry, checked, occasion, f"results changed ({occasion.batch})")
                if verdict.verdict != entry.checked.verdict.verdict:
                    told.append(made)
        self._store.events.add(told)
        return [made.event for made in told]


def _figures(verdict: object) -> tuple[object, ...]:
    evidence = getattr(verdict, "evidence", ())
    return tuple((each.scenario, each.reading, each.figure) for each in evidence)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
