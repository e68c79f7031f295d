"""Extraction against labelled texts: ours, half of them kept aside while the grammar was written, and the shared ones."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html import escape
from pathlib import Path

import pytest

from tests.claim_labels import DATA, Item, Score, items_of, posts_of, score
from watcher.catalog.names import load
from watcher.claims import extract

CATALOG = load()


def find(item: Item):
    return extract(item.text, catalog=CATALOG, round=item.round)


def reaches(found: Score) -> bool:
    return found.precision >= 0.95 and found.recall >= 0.90 and found.whole >= 0.80 and not found.false_alarms


@pytest.mark.parametrize("name", ["tuning", "aside"])
def test_our_own_labelled_sentences_are_read_as_labelled(name):
    found = score(items_of(DATA / f"{name}.jsonl"), find)
    assert reaches(found), found


def test_our_own_labelled_posts_are_read_as_labelled():
    found = score(posts_of(DATA / "posts"), find)
    assert reaches(found), found


def test_a_third_of_our_sentences_only_look_like_claims():
    items = [item for name in ("tuning", "aside") for item in items_of(DATA / f"{name}.jsonl")]
    assert sum(not item.expected for item in items) / len(items) >= 0.33


def test_the_shared_labelled_sentences_are_read_as_labelled(real: Path):
    found = score(items_of(real / "claims" / "dev.jsonl"), find)
    assert reaches(found), found


def test_the_shared_labelled_posts_are_read_as_labelled(real: Path):
    found = score([*posts_of(real / "posts"), *feed_items(real / "posts")], find)
    assert reaches(found), found


def feed_items(folder: Path) -> list[Item]:
    import json  # noqa: PLC0415 - only for feeds

    found = []
    for path in sorted(folder.glob("*.expected.json")):
        label = json.loads(path.read_text("utf-8"))
        if not label["file"].endswith(".xml"):
            continue
        entries = ET.parse(folder / label["file"]).getroot().iter("item")  # noqa: S314 - our own labelled feeds
        for entry, post in zip(entries, label["posts"], strict=True):
            body = (
                entry.findtext("{http://purl.org/rss/1.0/modules/content/}encoded")
                or entry.findtext("description")
                or ""
            )
            text = f"<h1>{escape(entry.findtext('title') or '')}</h1>\n{body}"
            found.append(Item(post["title"], text, None, post["claims"]))
    return found
