"""Messages: what a receiver is sent, in plain text and parts, and what it answered."""

from __future__ import annotations

from datetime import datetime

from watcher.domain.value import Value


class Grid(Value, frozen=True, kw_only=True):
    """A small table in a message. ``columns`` are headers; ``numeric`` the indexes of right-aligned columns.

    ``strong``: (row, column) cells to stress, such as the best.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    strong: frozenset[tuple[int, int]] = frozenset()
    caption: str | None = None


class Image(Value, frozen=True, kw_only=True):
    """A picture in a message, PNG bytes, with the words that replace it where it cannot be shown."""

    name: str
    png: bytes
    alt: str


class Link(Value, frozen=True, kw_only=True):
    """A link that we made; ``url`` is http or https."""

    text: str
    url: str


class Section(Value, frozen=True, kw_only=True):
    """One part of a message, in this order: heading, lead, paragraphs, grid, image, bullets, links.

    All text is plain and unescaped. ``lead`` names what the part is about, stressed, but no heading.
    """

    heading: str | None = None
    paragraphs: tuple[str, ...] = ()
    grid: Grid | None = None
    image: Image | None = None
    bullets: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    lead: str | None = None


class Notification(Value, frozen=True, kw_only=True):
    """One message to one receiver about one or more alerts, or a digest. All text is plain and unescaped.

    ``id`` is stable over attempts and stands in the message. ``summary`` is one line that stands alone (Slack's
    fall-back text, a mail's preheader). ``thread`` is the outside id of the message that this one follows up.
    ``see_all``: the command that shows what a message had no room for. ``prominent``: a follow-up that has to be seen by
    those who saw the first message, so a channel shows it outside the thread, too. ``resolved``: it tells that a trouble
    is over, and carries its sign instead of the severity's.
    """

    id: str
    kind: str
    title: str
    severity: str
    summary: str
    created_at: datetime
    sections: tuple[Section, ...] = ()
    alerts: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    footer: str = ""
    thread: str | None = None
    possible_repeat: bool = False
    see_all: str | None = None
    prominent: bool = False
    resolved: bool = False


class Receipt(Value, frozen=True, kw_only=True):
    """What a receiver answered: ``external_id`` is its own name for the message (Slack's ``ts``), if it gave one."""

    external_id: str | None = None
    detail: str = ""
