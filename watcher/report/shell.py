"""A page's words → HTML: one template, all text escaped, nothing loaded from outside, and a policy that says so.

The policy forbids every request; it lets the one style and the one script run that we wrote, by their hash.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from watcher.report.places import slug
from watcher.report.view import Block, Page, Part, Span, Table, is_web, visible

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

SHAPES: Mapping[str, str] = {
    "circle": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "square": "M-3.6,-3.6h7.2v7.2h-7.2z",
    "diamond": "M0,-5L5,0L0,5L-5,0z",
    "triangle": "M0,-4.8L4.8,3.8L-4.8,3.8z",
    "cross": "M-1.6,-4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
    "down": "M0,4.8L4.8,-3.8L-4.8,-3.8z",
    "tick": "M-1,-6h2v12h-2z",
}
"""The outlines of a plot's marks, around (0, 0)."""


class Frame(Struct, frozen=True):
    """What all pages share. ``menu``: links with the place that they lead to as ``kind``; ``base_url``: where the site is served."""

    name: str
    menu: tuple[Span, ...]
    footer: tuple[str, ...]
    base_url: str | None = None


def html(page: Page, frame: Frame) -> str:
    """Return a page as a whole HTML document."""
    page = replace(page, parts=_anchored(page.parts))
    needs_script = any(_is_listing(block) for part in page.parts for block in part.blocks)
    css, script = _asset("site.css"), _asset("site.js")
    return _template().render(
        page=page,
        frame=frame,
        css=css,
        script=script if needs_script else "",
        policy=policy(str(css), str(script) if needs_script else None),
        canonical=f"{frame.base_url.rstrip('/')}/{quote(page.path)}" if frame.base_url else None,
    )


def policy(css: str, script: str | None) -> str:
    """Return the page's content security policy."""
    allowed = ["default-src 'none'", f"style-src {_hash(css)}", "img-src data:"]
    if script is not None:
        allowed.append(f"script-src {_hash(script)}")
    return "; ".join([*allowed, "base-uri 'none'", "form-action 'none'"])


def relative(href: str | None, path: str) -> str | None:
    """Return a link as it stands on the page at ``path``; null for anything but our own pages, http and https."""
    if href is None:
        return None
    if href.startswith("/") and not href.startswith("//"):
        target = href[1:]
        rest = min((at for mark in "?#" if (at := target.find(mark)) >= 0), default=len(target))
        name, tail = target[:rest], target[rest:]
        if name == path and tail.startswith("#"):
            return tail
        return quote(posixpath.relpath(name, posixpath.dirname(path) or ".")) + tail
    return href if is_web(href) else None


def _anchored(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Give every part an anchor of its own, made of its heading."""
    taken: dict[str, int] = {}
    found = []
    for part in parts:
        name = part.anchor or slug(part.heading.casefold().replace(" ", "-")) or "part"
        taken[name] = taken.get(name, 0) + 1
        found.append(replace(part, anchor=name if taken[name] == 1 else f"{name}-{taken[name]}"))
    return tuple(found)


def _is_listing(block: Block) -> bool:
    return isinstance(block, Table) and bool(block.noun)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _asset(name: str) -> Markup:
    """Return a file of ours as it stands in the page; widths in percent are added to the style."""
    from importlib.resources import files  # noqa: PLC0415 - read when a page is made

    from markupsafe import Markup  # noqa: PLC0415 - with jinja2

    text = files("watcher.report").joinpath("templates", name).read_text(encoding="utf-8")
    if name.endswith(".css"):
        text += "".join(f".s{share}{{--share:{share}%}}" for share in range(1, 101))
        text += "".join(f".p{width}{{width:{width}%}}" for width in range(1, 61))
    return Markup(text)  # noqa: S704 - our own file, nothing from outside is in it


def _visible(value: object) -> object:
    """Make published text safe to read wherever it is put out; our own style and script stay as they are."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _template() -> Template:
    import jinja2  # noqa: PLC0415 - heavy, only when a page is made

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("watcher.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters["link"] = relative
    environment.filters["outside"] = lambda href: not href.startswith("/")
    environment.globals["shapes"] = SHAPES
    return environment.get_template("page.html")
