"""Atom: a file of the latest notifications, for feed readers; written whole and swapped in (RFC 4287)."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

from watcher.domain import Notification, Receipt
from watcher.errors import BrokenReceiverError, ConfigError, TryLaterError
from watcher.notifiers import text

NS = "{http://www.w3.org/2005/Atom}"
_LARGEST = 64 * 2**20  # bytes; a file of ours never comes near, so a larger one is not ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """Keeps the last ``keep`` entries in the file ``path``; a repeat replaces its entry, so nothing stands twice."""

    name: str
    path: str = field(metadata={"help": "the file, for example /var/www/mlperf.atom"})
    keep: int = field(default=100, metadata={"help": "how many entries stay"})
    title: str = field(default="MLPerf results", metadata={"help": "the feed's title"})
    link: str | None = field(default=None, metadata={"help": "the feed's public address"})

    def __post_init__(self) -> None:
        """Raise ConfigError for a number of entries that keeps nothing."""
        if self.keep < 1:
            raise ConfigError("keep must be at least 1")

    def send(self, notification: Notification) -> Receipt:
        """Put it on top of the file; raises TryLaterError (disk) or BrokenReceiverError (folder, rights, foreign file)."""
        return self._write(notification, text.plain(notification))

    def send_plain(self, notification: Notification) -> Receipt:
        """Put the short version on top of the file; raises as `send`."""
        return self._write(notification, text.short(notification))

    @property
    def finds(self) -> bool:
        """Whether one can look for a message: always, the file is ours."""
        return True

    def find(self, notification_id: str, *, thread: str | None = None) -> Receipt | None:  # noqa: ARG002 - no threads here
        """Return the receipt of the entry with this id, null if it has none."""
        identity = _urn(notification_id)
        with self._told():
            found = any(entry.findtext(f"{NS}id") == identity for entry in self._entries())
        return Receipt(external_id=identity) if found else None

    def _write(self, notification: Notification, content: str) -> Receipt:
        entry = _entry(notification, content)
        identity = entry.findtext(f"{NS}id")
        with self._told(), _alone(Path(self.path)):
            kept = [old for old in self._entries() if old.findtext(f"{NS}id") != identity]
            feed = self._feed(notification.created_at)
            feed.extend([entry, *kept][: self.keep])
            ET.indent(feed)
            _swap_in(Path(self.path), ET.tostring(feed, encoding="utf-8", xml_declaration=True))
        return Receipt(external_id=identity, detail="written")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the file system says into what happens next."""
        who = f"receiver {self.name!r}: the file {self.path}"
        try:
            yield
        except (PermissionError, FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
            raise BrokenReceiverError(
                f"{who} cannot be written ({error.strerror}); check its folder and rights"
            ) from None
        except OSError as error:
            raise TryLaterError(f"{who} cannot be written now ({error.strerror})") from None

    def _entries(self) -> list[ET.Element]:
        """Return the entries of the file as it is; none where there is no file yet."""
        path = Path(self.path)
        if not path.exists():
            return []
        foreign = (
            f"receiver {self.name!r}: {self.path} is not a feed of ours; move it away, or name another file"
        )
        if path.stat().st_size > _LARGEST:
            raise BrokenReceiverError(foreign)
        raw = path.read_bytes()
        if b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:  # we write none; entities could grow without end
            raise BrokenReceiverError(foreign)
        try:
            feed = ET.fromstring(raw)  # noqa: S314 - our own file, without a document type
        except ET.ParseError:
            raise BrokenReceiverError(foreign) from None
        if feed.tag != f"{NS}feed":
            raise BrokenReceiverError(foreign)
        return feed.findall(f"{NS}entry")

    def _feed(self, updated: datetime) -> ET.Element:
        ET.register_namespace("", NS.strip("{}"))
        feed = ET.Element(f"{NS}feed")
        ET.SubElement(feed, f"{NS}id").text = self.link or _urn(f"feed:{self.name}")
        ET.SubElement(feed, f"{NS}title").text = _xml(self.title)
        ET.SubElement(feed, f"{NS}updated").text = _time(updated)
        ET.SubElement(ET.SubElement(feed, f"{NS}author"), f"{NS}name").text = "mlperf-watcher"
        if self.link:
            ET.SubElement(feed, f"{NS}link", rel="self", href=self.link)
        return feed


def _entry(notification: Notification, content: str) -> ET.Element:
    entry = ET.Element(f"{NS}entry")
    ET.SubElement(entry, f"{NS}id").text = _urn(notification.id)
    ET.SubElement(entry, f"{NS}title").text = _xml(f"{text.emoji(notification)} {notification.title}")
    ET.SubElement(entry, f"{NS}updated").text = _time(notification.created_at)
    for name in (notification.severity, *notification.rules):
        ET.SubElement(entry, f"{NS}category", term=_xml(name))
    for link in _links(notification):
        ET.SubElement(
            entry, f"{NS}link", rel="alternate" if entry.find(f"{NS}link") is None else "related", href=link
        )
    ET.SubElement(entry, f"{NS}summary").text = _xml(notification.summary)
    ET.SubElement(entry, f"{NS}content", type="text").text = _xml(content)
    return entry


def _links(notification: Notification) -> list[str]:
    urls = [link.url for section in notification.sections for link in section.links]
    return list(dict.fromkeys(url for url in urls if url.startswith(("https://", "http://"))))[:10]


def _urn(identity: str) -> str:
    return f"urn:mlperf-watcher:{re.sub(r'[^A-Za-z0-9._:-]', '_', identity)}"


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _xml(words: str) -> str:
    """Return text without what XML cannot hold."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text.clean(words))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the file's lock, a file beside it, so that two writers do not lose each other's entries."""
    with path.with_name(f".{path.name}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _swap_in(path: Path, raw: bytes) -> None:
    """Write beside the file, then rename over it: a reader sees the old feed or the new one, never half of one."""
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(beside).replace(path)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise
