"""``cite``: the footnote for a row, as MLCommons' rules for quoting results ask; the row is pinned."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.domain import Result
    from watcher.figures.citing import Origin
    from watcher.store import Store
    from watcher.store.pins import Pin

_ALERT = re.compile(r"A-\d+", re.IGNORECASE)


@command("cite")
@click.argument("names", nargs=-1, metavar="ALERT|ROW…")
@click.option("--no-pin", is_flag=True, help="Do not watch the rows for corrections.")
@click.option("--unpin", is_flag=True, help="Stop watching these rows.")
@click.option("--list", "listing", is_flag=True, help="List what was cited, and whether it still stands.")
def cite(session: Session, names: tuple[str, ...], *, no_pin: bool, unpin: bool, listing: bool) -> None:
    """Print the footnote for rows, or for the rows of an alert.

    You are told when one of them is corrected later. A row is ROUND/SUBMITTER/PLATFORM/BENCHMARK/SCENARIO; a platform may be cut short by an asterisk.

    \b
    mlperf-watcher cite A-0142
    mlperf-watcher cite 'v6.1/NVIDIA/VR-NVL72*/deepseek-r1/Server'
    mlperf-watcher cite --list
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    if listing == bool(names):
        raise UsageError("name alerts or rows to cite, or --list to see what was cited")
    if listing:
        _list(session)
        return
    pins = not (no_pin or unpin)
    with session.store(read_only=not (pins or unpin)) as store:
        rows = _rows(store, names)
        if unpin:
            with store.write():
                count = store.pins.remove([row.key for row in rows])
            session.say(f"{count} of {len(rows)} rows are no longer watched")
            return
        made = [(row, _footnote(session, store, row)) for row in rows]
        if pins:
            with store.write():
                store.pins.add(_pin(session, row, text) for row, text in made)
    session.emit(
        {"citations": [_citation(row, text, pinned=pins) for row, text in made]}, lambda: _text(made)
    )
    if pins:
        session.say(
            f"{len(made)} pinned: if {'it is' if len(made) == 1 else 'one is'} corrected later, you are told (rule cited-row-changed)"
        )


def _rows(store: Store, names: tuple[str, ...]) -> list[Result]:
    """Return the rows meant, each once. Raises UsageError for an embargoed one: it may not be cited."""
    from watcher.figures.citing import find_row  # noqa: PLC0415

    held = store.tables.results()
    current = {row.key: row for row in held}
    found: dict[Any, Result] = {}
    for name in names:
        rows = _of_alert(store, name, current) if _ALERT.fullmatch(name.strip()) else [find_row(name, held)]
        found |= {row.key: row for row in rows}
    private = {(table.suite, table.round) for table in store.tables.all() if table.private}
    closed = next((row for row in found.values() if (row.suite, row.round) in private), None)
    if closed is not None:
        raise UsageError(
            f"{closed.suite} {closed.round} is under embargo: it may not be cited before it is released"
        )
    return list(found.values())


def _of_alert(store: Store, name: str, current: dict[Any, Result]) -> list[Result]:
    """Return the rows behind an alert as they stand today; those withdrawn since are named."""
    from watcher.cli.alerts import find  # noqa: PLC0415
    from watcher.render.caveats import rows_about, rows_beside  # noqa: PLC0415

    alert = find(store, name)
    rows = [*rows_about(alert), *rows_beside(alert)]
    if not rows:
        raise UsageError(f"{alert.name} is not about rows: there is nothing to cite")
    gone = [row for row in rows if row.key not in current]
    if gone:
        from watcher.figures.citing import row_name  # noqa: PLC0415

        raise UsageError(
            f"{alert.name}: {row_name(gone[0])} is no longer in the table; cite the rows that stand by name"
        )
    return [current[row.key] for row in rows]


def _footnote(session: Session, store: Store, row: Result) -> str:
    from watcher.figures.citing import footnote  # noqa: PLC0415

    return footnote(row, origin_of(store, row), session.catalog)


def origin_of(store: Store, row: Result) -> Origin:
    """Return when and where a row's table was last read whole."""
    from watcher.figures.citing import Origin  # noqa: PLC0415

    table = store.tables.find(row.suite, row.round)
    if table is None:
        raise UsageError(f"no table of {row.suite} {row.round} is held")
    read = (table.polled_at or table.first_seen_at).date()
    url = table.url if table.url and table.url.startswith(("https://", "http://")) else None
    place = "a local copy of the table" if table.url else "the archive of published rounds in mlperf-watcher"
    return Origin(retrieved=read, url=url, place=place)


def _pin(session: Session, row: Result, text: str) -> Pin:
    from watcher.store.pins import Pin  # noqa: PLC0415

    return Pin(row.key, session.now, row.value, row.unit, text)


def _citation(row: Result, text: str, *, pinned: bool) -> dict[str, Any]:
    from watcher.figures.citing import entry_of, row_name  # noqa: PLC0415

    return {
        "row": row_name(row),
        "footnote": text,
        "entry": entry_of(row),
        "suite": row.suite,
        "round": row.round,
        "division": row.division,
        "benchmark": row.benchmark,
        "scenario": row.scenario,
        "submitter": row.submitter,
        "system_name": row.system_name,
        "value": row.value,
        "unit": row.unit,
        "url": row.url,
        "pinned": pinned,
    }


def _text(made: list[tuple[Result, str]]) -> str:
    from watcher.figures.citing import row_name  # noqa: PLC0415
    from watcher.render.tables import shown  # noqa: PLC0415

    return "\n\n".join(f"{shown(row_name(row))}\n{shown(text)}" for row, text in made)


def _list(session: Session) -> None:
    """Say of each cited row whether it still stands as cited."""
    with session.store(read_only=True) as store:
        pins = store.pins.all()
        current = {row.key: row for row in store.tables.results(private=False)} if pins else {}
    listed: list[dict[str, Any]] = []
    for pin in pins:
        row = current.get(pin.key)
        state = (
            "withdrawn"
            if row is None
            else "stands"
            if (row.value, row.unit) == (pin.value, pin.unit)
            else "corrected"
        )
        listed.append(
            {
                "row": "/".join(part for part in pin.key if part),
                "state": state,
                "pinned_at": pin.pinned_at,
                "value": pin.value,
                "unit": pin.unit,
                "value_now": None if row is None else row.value,
                "footnote": pin.footnote,
            }
        )

    def text() -> str:
        from watcher.figures.words import number  # noqa: PLC0415
        from watcher.render.words import apart  # noqa: PLC0415

        lines = []
        for one in listed:
            value, now = number(one["value"]), ""
            if one["state"] == "corrected":
                value, later = apart(one["value"], one["value_now"])
                now = f" (now {later})"
            lines.append(
                f"{one['state']:<9}  {one['pinned_at']:%Y-%m-%d}  {one['row']}  {value} {one['unit']}{now}"
            )
        return "\n".join(lines) or "Nothing was cited yet."

    session.emit({"cited": listed}, text)
