"""A notification as a mail: headers, text, HTML, pictures; built by the standard library's modern policy."""

from __future__ import annotations

import hashlib
import re
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from msgspec import Struct

from watcher.domain import Image, Notification
from watcher.notifiers import mail_html, text

SUBJECT = 180  # characters; longer ones are cut in every mailbox anyway
IMAGES = 4 * 2**20  # bytes of pictures; larger ones are left to their alternative text


class Made(Struct, frozen=True):
    """A mail ready for the wire: CRLF line ends, and its Message-ID."""

    raw: bytes
    message_id: str


def full(notification: Notification, *, sender: str, to: str) -> Made:
    """Return the mail with a text and an HTML version and its pictures inside."""
    message = _headers(notification, sender, to)
    message.set_content(text.plain(notification), cte="quoted-printable")
    pictures = _pictures(notification, sender)
    html = mail_html.body(notification, {image.name: cid for image, cid in pictures})
    message.add_alternative(html, subtype="html", cte="quoted-printable")
    part = message.get_payload()[1]  # type: ignore[index]
    for image, cid in pictures:
        part.add_related(  # type: ignore[union-attr]
            image.png, "image", "png", cid=f"<{cid}>", filename=_file_name(image), disposition="inline"
        )
    return Made(message.as_bytes(policy=SMTP), str(message["Message-ID"]))


def brief(notification: Notification, *, sender: str, to: str) -> Made:
    """Return the short version, text alone."""
    message = _headers(notification, sender, to)
    message.set_content(text.short(notification) + "\n", cte="quoted-printable")
    return Made(message.as_bytes(policy=SMTP), str(message["Message-ID"]))


def message_id(notification_id: str, sender: str) -> str:
    """Return the stable Message-ID: many mailboxes then show a repeat once."""
    left = notification_id
    if not re.fullmatch(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*", left) or len(left) > 120:
        left = hashlib.sha256(notification_id.encode()).hexdigest()[:40]
    return f"<{left}@{sender.rpartition('@')[2]}>"


def _headers(notification: Notification, sender: str, to: str) -> EmailMessage:
    domain = sender.rpartition("@")[2]
    message = EmailMessage(policy=SMTP)
    title = f"{text.emoji(notification)} {text.clean(notification.title)}"
    message["Subject"] = text.cut(" ".join(title.split()), SUBJECT)
    message["From"] = Address("MLPerf watcher", addr_spec=sender)
    message["To"] = Address(addr_spec=to)
    message["Date"] = format_datetime(notification.created_at)
    message["Message-ID"] = message_id(notification.id, sender)
    if notification.thread:
        parent = re.sub(r"[^\x21-\x7e]", "", notification.thread)
        message["In-Reply-To"] = parent
        message["References"] = parent
    message["List-Id"] = f"MLPerf watcher <mlperf-watcher.{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message["Precedence"] = "bulk"
    message["X-Auto-Response-Suppress"] = "All"
    message["X-MLPerf-Watcher-Id"] = re.sub(r"[^\x21-\x7e]", "_", notification.id)
    if notification.severity == "critical":
        message["Importance"] = "high"
    if notification.possible_repeat:
        message["X-MLPerf-Watcher-Possible-Repeat"] = "yes"
    return message


def _pictures(notification: Notification, sender: str) -> list[tuple[Image, str]]:
    """Return the pictures that are sent, each with its content id; once each, and only as many as fit."""
    chosen: list[tuple[Image, str]] = []
    room = IMAGES
    for image in (section.image for section in notification.sections):
        if image is None or len(image.png) > room or image.name in {known.name for known, _ in chosen}:
            continue
        room -= len(image.png)
        name = hashlib.sha256(f"{notification.id} {image.name}".encode()).hexdigest()[:24]
        chosen.append((image, f"{name}@{sender.rpartition('@')[2]}"))
    return chosen


def _file_name(image: Image) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", image.name.removesuffix(".png")) + ".png"
