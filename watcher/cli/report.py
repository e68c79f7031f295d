"""``report``: what is held as a static site, for a browser or a web server."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import click

from watcher.cli.session import Session, command
from watcher.errors import UsageError


@command("report")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR",
    help="Where the pages go: a new folder, or one of an earlier report.",
)  # fmt: skip
@click.option(
    "--round", "round_name", metavar="R", help="The round of the first page; default: the newest held."
)
@click.option(
    "--base-url", metavar="URL",
    help="Where the pages will be served; default: watcher.base_url of the config.",
)  # fmt: skip
def report(session: Session, *, out: Path, round_name: str | None, base_url: str | None) -> None:
    """Write everything that is held as pages.

    They open from a file: rounds, rows, benchmarks, systems, claims, alerts, health. Nothing is loaded from outside, and a reader never meets half a site. Tables under embargo are in no page. Put it on a
    web server and set watcher.base_url, and messages link to the page of their alert.

    \b
    mlperf-watcher report --out site
    mlperf-watcher report --out /srv/www/mlperf --base-url https://mlperf.example.org
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.report import gather, pages, write  # noqa: PLC0415 - brings figures and jinja2

    served_at = _checked(base_url) if base_url else session.config.base_url
    with session.store(read_only=True) as store:
        front = None
        if round_name:
            from watcher.cli.brief import round_of  # noqa: PLC0415 - only where a round is named

            front = round_of(store, round_name)
        watcher = session.watcher(store)
        facts = gather(watcher, round=front, base_url=served_at)
        made = pages(facts, watcher.catalog)
    done = write(made, out)
    document = {
        "report": {
            "out": out, "round": "-".join(facts.front) if facts.front else None, "pages": done.pages, "changed": done.changed,
            "removed": done.removed, "bytes": done.bytes, "base_url": served_at,
        }
    }  # fmt: skip

    def text() -> str:
        removed = f", {done.removed:,} removed" if done.removed else ""
        return f"{done.pages:,} pages in {out}, {done.changed:,} written anew{removed}\nOpen {(out / 'index.html').resolve().as_uri()}"

    session.emit(document, text)


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(
            f"--base-url must be an address such as https://mlperf.example.org/report, not {url!r}"
        )
    return url.rstrip("/")
