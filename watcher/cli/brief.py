"""``brief``: one page of a round, for a screen, a file or a program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.asking import FILTERS, filter_of, screen
from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.domain import CheckedClaim, Result
    from watcher.figures.brief import Brief
    from watcher.store import Store

FORMATS = ("text", "markdown", "html")
_SUFFIXES = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".txt": "text"}
NARROWING = tuple(name for name in FILTERS if name not in {"suite", "round"})


def narrowing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the filters that narrow a round, each repeatable, and ``--only FIELD=NAME`` as another way to say them."""
    for name in reversed(NARROWING):
        words = name.replace("_", " ")
        function = click.option(
            f"--{name.replace('_', '-')}",
            f"where_{name}",
            multiple=True,
            metavar="NAME",
            help=f"Only this {words}.",
        )(function)
    return click.option(
        "--only",
        multiple=True,
        metavar="FIELD=NAME",
        help="Only rows of this accelerator, submitter, …: accelerator=vera-rubin.",
    )(function)


@command("brief")
@click.argument("round_name", metavar="ROUND")
@narrowing
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="Default: by the ending of --out, else text."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write it to a file.")
@click.option("--private", is_flag=True, help="Also tables under embargo; on this screen alone, and marked.")
def brief(
    session: Session,
    round_name: str,
    *,
    only: tuple[str, ...],
    form: str | None,
    out: Path | None,
    private: bool,
    **where: Any,
) -> None:
    """Show a round at a glance.

    Counts, who came, flagships, records, gains, claims, power, what to handle with care.

    \b
    mlperf-watcher brief v6.1
    mlperf-watcher brief v6.1 --only accelerator=vera-rubin,gb300
    mlperf-watcher brief v6.1 --out v6.1.html
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.figures.brief_form import brief_form  # noqa: PLC0415

    if private and out:
        raise UsageError("--private is for this screen alone: leave out --out, or release the table first")
    with session.store(read_only=True) as store:
        suite, name = round_of(store, round_name)
        chosen = filter_of(session, store, _words(where, only))
        embargo = refuse_embargo(store, suite, name, private=private)
        rows = store.tables.results(suite=suite, private=private)
        claims = claims_of(store)
    made = _made(session, rows, suite, name, chosen, claims, embargo=embargo)
    if out is not None:
        _write(session, made, out, form or _form_of(out))
        return
    from watcher.cli.forms import checked_form  # noqa: PLC0415

    document = {"brief": {**brief_form(made), "claims": [checked_form(one) for one in made.claims]}}
    session.emit(document, lambda: text_of(made, form or "text", **screen()).rstrip("\n"))


def _made(
    session: Session,
    rows: tuple[Result, ...],
    suite: str,
    name: str,
    chosen: Any,
    claims: tuple[CheckedClaim, ...],
    *,
    embargo: bool,
) -> Brief:
    from watcher.figures.brief import brief as gathered  # noqa: PLC0415

    return gathered(rows, suite, name, session.catalog, only=chosen, claims=claims, embargo=embargo)


def text_of(made: Brief, form: str, *, terminal: bool = False, width: int = 100) -> str:
    """Return a brief in one of FORMATS."""
    from watcher.render.brief import footer, sections, summary, title  # noqa: PLC0415

    if form == "html":
        from watcher.render.brief_page import brief_html  # noqa: PLC0415 - brings jinja2

        return brief_html(made)
    from watcher.render.sections import sections_markdown, sections_text  # noqa: PLC0415

    head = {"title": title(made), "summary": summary(made), "footer": footer(made)}
    if form == "markdown":
        return sections_markdown(sections(made), **head)
    return sections_text(sections(made), **head, terminal=terminal, width=width)


def round_of(store: Store, text: str) -> tuple[str, str]:
    """Return (suite, round) of ``v6.1`` or ``training-v5.1``. Raises UsageError with the nearest round held."""
    suite, dash, name = text.strip().rpartition("-")
    suite = suite if dash else "inference"
    tables = store.tables.all()
    if not tables:
        raise UsageError("no results are held yet; `mlperf-watcher ingest --archive` brings three rounds")
    if (suite, name) not in {(table.suite, table.round) for table in tables}:
        from watcher.nearest import did_you_mean  # noqa: PLC0415

        held = [
            table.round if table.suite == "inference" else f"{table.suite}-{table.round}" for table in tables
        ]
        raise UsageError(f"no results of {text!r} are held{did_you_mean(text, held)}")
    return suite, name


def refuse_embargo(store: Store, suite: str, name: str, *, private: bool) -> bool:
    """Return whether what is shown holds an embargoed table; raise UsageError if it would unasked."""
    closed = {table.round for table in store.tables.all() if table.suite == suite and table.private}
    if name in closed and not private:
        raise UsageError(f"{suite} {name} is under embargo; add --private to see it on this screen")
    return private and bool(closed)


def claims_of(store: Store) -> tuple[CheckedClaim, ...]:
    """Return the claims that stand in posts today, with their verdicts."""
    return tuple(entry.checked for entry in store.posts.claims() if entry.gone_at is None)


def _words(where: dict[str, Any], only: tuple[str, ...]) -> dict[str, Any]:
    """Put ``--only field=a,b`` beside the filters of their own. Raises UsageError with the nearest field."""
    merged = {key: tuple(values) for key, values in where.items()}
    for word in only:
        field, equals, values = word.partition("=")
        field = field.strip().replace("-", "_")
        if not equals or not values.strip():
            raise UsageError(f"--only {word!r}: write FIELD=NAME, such as accelerator=vera-rubin")
        if field not in NARROWING:
            from watcher.nearest import did_you_mean  # noqa: PLC0415

            raise UsageError(f"--only {word!r}: there is no field {field!r}{did_you_mean(field, NARROWING)}")
        names = tuple(part.strip() for part in values.split(",") if part.strip())
        merged[f"where_{field}"] = merged.get(f"where_{field}", ()) + names
    return merged


def _form_of(out: Path) -> str:
    return _SUFFIXES.get(out.suffix.lower(), "text")


def _write(session: Session, made: Brief, out: Path, form: str) -> None:
    try:
        out.write_text(text_of(made, form), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written ({error.strerror})") from error
    session.say(f"wrote {out}")
