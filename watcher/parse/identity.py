"""What makes a post the same post when it is read again: its id, else its link, else its title.

Feeds break each of these: one id for all entries, new ids every day for the same links, one link for all entries, links
that change host while ids stay. The body alone is never the identity, or every edit would be a new post.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from msgspec import Struct

from watcher.parse.feed import Entry
from watcher.parse.links import link_key


class Identified(Struct, frozen=True):
    """An entry with its identity, and the key of its link where that is its alone ("" else)."""

    entry: Entry
    identity: str
    link: str


def short(text: str) -> str:
    """Return a digest of ``text`` that is short enough to remember hundreds of."""
    return sha256(text.encode()).hexdigest()[:16]


def link_identity(url: str) -> str:
    """Return the identity of a post that has nothing but its address."""
    return f"link-{short(link_key(url))}"


def identify(entries: Sequence[Entry], known: Mapping[str, str]) -> list[Identified]:
    """Return each entry with its identity, repeated ones once (the longest).

    ``known`` maps the keys of links seen before to the identities they had: an entry with a new id but a known link is
    the old post, unless that post stands in the feed too.
    """
    entries = _without_repeats(entries)
    ids = Counter(entry.id for entry in entries if entry.id)
    links = Counter(link_key(entry.link) for entry in entries if entry.link)
    own_links = [
        short(link_key(entry.link)) if entry.link and links[link_key(entry.link)] == 1 else ""
        for entry in entries
    ]
    first = [_identity(entry, ids, own_link) for entry, own_link in zip(entries, own_links, strict=True)]
    taken = set(first)
    found = []
    for entry, identity, own_link in zip(entries, first, own_links, strict=True):
        before = known.get(own_link, identity)
        found.append(Identified(entry, identity if before in taken else before, own_link))
    return found


def _identity(entry: Entry, ids: Counter[str], own_link: str) -> str:
    if entry.id and ids[entry.id] == 1:
        return f"id-{short(entry.id)}"
    if own_link:
        return f"link-{own_link}"
    return f"content-{short(f'{entry.title}{chr(10)}{entry.published_raw}' if entry.title else entry.html)}"


def _without_repeats(entries: Sequence[Entry]) -> list[Entry]:
    """Leave out entries with the title and link of another, as regional copies and double entries have."""
    best: dict[tuple[str, str], Entry] = {}
    for position, entry in enumerate(entries):
        key = (entry.title, link_key(entry.link)) if entry.link and entry.title else ("", str(position))
        held = best.get(key)
        if held is None or len(entry.html) > len(held.html):
            best[key] = entry
    return list(best.values())
