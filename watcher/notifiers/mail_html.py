"""The HTML part of a mail, from ``templates/mail.html``: tables and inline styles, as mail programs need them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from watcher.domain import Notification
from watcher.notifiers import text

if TYPE_CHECKING:
    from jinja2 import Template

COLOURS = {"info": "#2f6feb", "high": "#d1242f", "critical": "#82071e"}


def body(notification: Notification, pictures: Mapping[str, str]) -> str:
    """Return the page; ``pictures`` are content ids by picture name, the others stay as their alternative text."""
    return _template().render(
        notification=notification,
        pictures=pictures,
        colour=COLOURS.get(notification.severity, COLOURS["info"]),
        emoji=text.emoji(notification),
        repeat=text.REPEAT,
        foot=text.foot(notification),
        command=text.COMMAND,
    )


@cache
def _template() -> Template:
    """Load the template once; everything put into it is escaped, and a name that is not there is an error."""
    import jinja2  # noqa: PLC0415 - heavy, only when a mail is made

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("watcher.notifiers"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["defused"] = _defused
    return environment.get_template("mail.html")


def _defused(words: Any) -> str:
    return text.defused(str(words))
