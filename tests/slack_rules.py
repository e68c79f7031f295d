"""Slack's rules for a message, checked as strictly as we know them; returns what is broken, in words.

From Slack's reference: 50 blocks, 150 characters a header, 3,000 a text, 10 elements a context, 20 attachments, link
and mention syntax, three entities. The budget of 10,000 characters a message is our own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

LINK = re.compile(r"<(https?://[^\s<>|]+)\|([^<>|]+)>")
LIVE = re.compile(r"(?i)(?:\b[a-z][a-z0-9+.-]*://\S|\bwww\.\w|@(?:channel|here|everyone)\b)")


def broken(message: Mapping[str, Any]) -> list[str]:
    """Return each rule that the message breaks; none means Slack takes it."""
    return list(_message(message))


def links(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the live links (address, words) of a message."""
    return [found for text, kind in _texts(message) if kind == "mrkdwn" for found in LINK.findall(text)]


def size(message: Mapping[str, Any]) -> int:
    """Return the characters of all blocks."""
    return sum(len(text) for block in _blocks(message) for text, _ in _of_block(block))


def _message(message: Mapping[str, Any]) -> Iterator[str]:
    if not message.get("text", "").strip():
        yield "no fall-back text"
    if len(message.get("text", "")) > 3000:
        yield "fall-back text too long"
    attachments = message.get("attachments", [])
    if len(attachments) > 20:
        yield "more than 20 attachments"
    for attachment in attachments:
        if not re.fullmatch(r"#[0-9a-f]{6}", attachment.get("color", "")):
            yield "an attachment without a colour"
    blocks = _blocks(message)
    if len(blocks) > 50:
        yield f"{len(blocks)} blocks"
    for block in blocks:
        yield from _block(block)
    if size(message) > 10_000:
        yield f"{size(message)} characters, over our budget"
    for text, kind in _texts(message):
        yield from _text(text, kind)


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [
        *message.get("blocks", []),
        *(b for a in message.get("attachments", []) for b in a.get("blocks", [])),
    ]


def _of_block(block: Mapping[str, Any]) -> list[tuple[str, str]]:
    holders = [block["text"]] if "text" in block else block.get("elements", [])
    return [(holder.get("text", ""), holder.get("type", "")) for holder in holders]


def _texts(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    texts = [(message.get("text", ""), "mrkdwn")]
    texts += [(a["fallback"], "mrkdwn") for a in message.get("attachments", []) if "fallback" in a]
    return texts + [text for block in _blocks(message) for text in _of_block(block)]


def _block(block: Mapping[str, Any]) -> Iterator[str]:
    kind = block.get("type")
    texts = _of_block(block)
    if kind not in {"header", "section", "context", "divider"}:
        yield f"a block of type {kind!r}"
    if kind == "header" and (texts[0][1] != "plain_text" or not 1 <= len(texts[0][0]) <= 150):
        yield "a header that is no plain text of 1 to 150 characters"
    if kind == "context" and not 1 <= len(texts) <= 10:
        yield "a context without 1 to 10 elements"
    for text, _ in texts:
        if not 1 <= len(text) <= 3000:
            yield f"a text of {len(text)} characters in a {kind}"
        if not text.strip():
            yield f"an empty text in a {kind}"


def _text(text: str, kind: str) -> Iterator[str]:
    if re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", text):
        yield "a control character"
    rest = LINK.sub("", text) if kind == "mrkdwn" else text
    if LIVE.search(rest):
        yield f"live outside text: {LIVE.search(rest)!r}"
    if kind != "mrkdwn":
        return
    if re.search(r"[<>]", rest):
        yield f"an unescaped < or > in {text!r}"
    if re.search(r"&(?!(?:amp|lt|gt);)", text):
        yield f"an unescaped & in {text!r}"
    if text.count("```") % 2:
        yield "an open code fence"
