"""``rank``: the place of a submitter's rows among comparable ones, and the gaps to the best, the middle and the vendor."""

from __future__ import annotations

from typing import Any

from watcher.cli.asking import filter_of, filters, held, screen
from watcher.cli.session import Session, command


@command("rank")
@filters
def rank(session: Session, **where: Any) -> None:
    """Show the place of rows among comparable ones.

    Comparable: of one benchmark, scenario, division, accelerator and count. --submitter chooses whose rows are shown, never whom they are ranked among. The newest round unless named.

    \b
    mlperf-watcher rank --submitter NVIDIA --accelerator b300 --benchmark deepseek-r1 --scenario Server
    mlperf-watcher rank --submitter Dell --round v6.1 --json
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from msgspec.structs import replace  # noqa: PLC0415

    from watcher.figures.cells import newest  # noqa: PLC0415
    from watcher.figures.own_form import rank_form  # noqa: PLC0415
    from watcher.figures.rank import ranks  # noqa: PLC0415
    from watcher.figures.vendor import vendors  # noqa: PLC0415
    from watcher.render.own_tables import ranks_text  # noqa: PLC0415

    with session.store(read_only=True) as store:
        chosen = filter_of(session, store, where)
        rows = held(store)
    if not chosen.round:
        suites = chosen.suite or ("inference",)
        last = newest(row.round for row in rows if row.suite in suites)
        chosen = replace(chosen, suite=suites, round=(last,) if last else ())
    found = ranks(rows, vendors(session.catalog), chosen)
    session.emit(
        {"ranks": [rank_form(one) for one in found]}, lambda: ranks_text(found, **screen()).rstrip("\n")
    )
