"""``cost``: cost per million and units per joule by the reader's own prices; without prices the break-even."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.asking import filter_of, filters, held, screen, system_of
from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from watcher.domain import Result
    from watcher.figures import Filter

MAX_BYTES = 2**20


@command("cost")
@click.argument("subject", required=False)
@click.argument("baseline", required=False)
@filters
@click.option(
    "--prices",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Your prices, as TOML or JSON (docs/publication-day.md).",
)
@click.option(
    "--per-limit-watt",
    is_flag=True,
    help="Also the ratio per watt of the stated limits: an own estimate, no power.",
)
def cost(
    session: Session,
    subject: str | None,
    baseline: str | None,
    *,
    prices: Path | None,
    per_limit_watt: bool,
    **where: Any,
) -> None:
    """Show what a million tokens or queries cost by your prices.

    Or how many BASELINE systems a SUBJECT is worth.

    \b
    mlperf-watcher cost --prices prices.toml --benchmark deepseek-r1
    mlperf-watcher cost NVIDIA/vera-rubin-nvl72 NVIDIA/gb300-nvl72
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    if (prices is None) == (subject is None) or (subject is None) != (baseline is None):
        raise UsageError("give --prices FILE, or two systems: mlperf-watcher cost SUBJECT BASELINE")
    if prices is not None and per_limit_watt:
        raise UsageError("--per-limit-watt compares two systems; it needs SUBJECT and BASELINE")
    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = held(store)
    if prices is not None:
        _by_prices(session, prices, rows, chosen)
    else:
        _break_even(session, str(subject), str(baseline), rows, chosen, per_limit_watt=per_limit_watt)


def _by_prices(session: Session, file: Path, rows: tuple[Result, ...], chosen: Filter) -> None:
    from watcher.figures.cost import costs, read_prices  # noqa: PLC0415
    from watcher.figures.own_form import cost_form  # noqa: PLC0415
    from watcher.render.own_tables import costs_text  # noqa: PLC0415

    document = _document(file)
    try:
        assumed = read_prices(document, session.catalog, held=rows)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    found = costs(rows, assumed, chosen)
    session.emit(
        {"costs": [cost_form(one) for one in found]}, lambda: costs_text(found, **screen()).rstrip("\n")
    )


def _break_even(
    session: Session,
    subject: str,
    baseline: str,
    rows: tuple[Result, ...],
    chosen: Filter,
    *,
    per_limit_watt: bool,
) -> None:
    from watcher.figures.cost import break_even  # noqa: PLC0415
    from watcher.figures.cost import per_limit_watt as by_limit  # noqa: PLC0415
    from watcher.figures.json_form import not_comparable_form  # noqa: PLC0415
    from watcher.figures.own_form import break_even_form  # noqa: PLC0415
    from watcher.render.own_tables import break_even_text  # noqa: PLC0415

    one, other = system_of(session, subject, rows), system_of(session, baseline, rows)
    found, refused = break_even(rows, one, other, chosen)
    limits = [by_limit(item.comparison) if per_limit_watt else None for item in found]
    document = {
        "break_even": [break_even_form(item, limit) for item, limit in zip(found, limits, strict=True)],
        "not_comparable": [not_comparable_form(cell) for cell in refused],
    }
    session.emit(document, lambda: break_even_text(found, refused, limits, **screen()).rstrip("\n"))


def _document(file: Path) -> Mapping[str, Any]:
    import json  # noqa: PLC0415
    import tomllib  # noqa: PLC0415

    try:
        if file.stat().st_size > MAX_BYTES:
            raise UsageError(f"{file}: is larger than a file of prices ever is")
        text = file.read_text(encoding="utf-8")
        read: Any = json.loads(text) if file.suffix.lower() == ".json" else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
    except (UnicodeDecodeError, json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file}: is not TOML or JSON: {error}") from error
    if not isinstance(read, dict):
        raise UsageError(f"{file}: must hold a table with systems")
    return read
