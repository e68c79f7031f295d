"""A notification as a page of its own: nothing is loaded from elsewhere, dark and light, narrow and wide.

All text is escaped by Jinja2; only a `Link` with http or https becomes a link; pictures are inside as data.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.domain import Image, Notification, Section
from watcher.render import digest, words
from watcher.render.digest import DigestFacts

if TYPE_CHECKING:
    from jinja2 import Template

COMMAND = "mlperf-watcher "  # a paragraph or bullet that starts so is a command to copy
ASIDE = frozenset({digest.WAITING, digest.DEADLINES, digest.TROUBLE, digest.HEALTH})


class Tile(Struct, frozen=True):
    """One figure at the top of the page: what it counts, how many, and a few words more."""

    label: str
    figure: str
    note: str = ""


class Part(Struct, frozen=True):
    """A heading with all sections up to the next heading; ``aside``: beside the main column where there is room."""

    heading: str
    sections: tuple[Section, ...]
    aside: bool


def page(notification: Notification, *, tiles: Sequence[Tile] = ()) -> str:
    """Return a whole HTML document."""
    divided = parts(notification.sections)
    return _template().render(
        notification=notification,
        tiles=tiles,
        main=[part for part in divided if not part.aside],
        aside=[part for part in divided if part.aside],
        made=words.moment(notification.created_at),
        command=COMMAND,
    )


def parts(sections: Sequence[Section]) -> list[Part]:
    """Gather sections under their headings."""
    gathered: list[Part] = []
    for section in sections:
        if section.heading is not None or not gathered:
            heading = section.heading or ""
            gathered.append(Part(heading, (section,), heading in ASIDE))
        else:
            last = gathered[-1]
            gathered[-1] = Part(last.heading, (*last.sections, section), last.aside)
    return gathered


def tiles(facts: DigestFacts) -> tuple[Tile, ...]:
    """Return the day in figures: what was published or changed, alerts, claims, sources, deliveries."""
    found: list[Tile] = []
    for one in facts.rounds[-2:]:  # where there are more, the newest
        before = (
            f"{one.round_before}: {one.results_before:,}" if one.results_before is not None else "results"
        )
        found.append(
            Tile(
                f"{words.title('suite', one.suite).removeprefix('MLPerf ')} {one.round}",
                f"{one.results:,}",
                before,
            )
        )
    new = {(one.suite, one.round) for one in facts.rounds}
    changed = sum(one.count for one in facts.changes if (one.suite, one.round) not in new)
    if changed:
        found.append(Tile("Rows changed", f"{changed:,}", "outside new rounds"))
    rules = len({alert.rule for alert in facts.alerts})
    found.append(
        Tile("Alerts", f"{len(facts.alerts):,}", words.plural(rules, "rule") if rules else "none today")
    )
    if facts.claims or facts.verdicts:
        changed_verdicts = words.plural(len(facts.verdicts), "new verdict") if facts.verdicts else "read"
        found.append(Tile("Claims", f"{len(facts.claims):,}", changed_verdicts))
    found.append(Tile("Sources fine", f"{facts.sources.fine:,}", f"of {facts.sources.total:,}"))
    if facts.deliveries.sent or facts.deliveries.waiting or facts.deliveries.gave_up:
        owed = facts.deliveries.waiting + facts.deliveries.gave_up
        found.append(
            Tile("Delivered", f"{facts.deliveries.sent:,}", f"{owed:,} not yet" if owed else "nothing owed")
        )
    return tuple(found)


@cache
def _template() -> Template:
    import jinja2  # noqa: PLC0415 - heavy, only when a page is made

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("watcher.render"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data"] = _data
    return environment.get_template("page.html")


def _data(image: Image) -> str:
    return f"data:image/png;base64,{base64.b64encode(image.png).decode()}"
