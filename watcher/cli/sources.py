"""``sources``: what is checked, and one check explained step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from watcher.cli.session import Session, command

if TYPE_CHECKING:
    from watcher.domain import Source


@click.group("sources", context_settings={"help_option_names": ["-h", "--help"]})
def sources() -> None:
    """What is checked: list, check."""


@command("list")
@click.option(
    "--all", "everything", is_flag=True, help="Also the built-in sources of groups that are turned off."
)
def listing(session: Session, *, everything: bool) -> None:
    """List the sources in force.

    Kind, address, interval, and whether the address was confirmed.

    \b
    mlperf-watcher sources list --all
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    on = session.sources
    found = list(on)
    if everything:
        from watcher.sources.defaults import load  # noqa: PLC0415

        names = {source.name for source in on}
        found += [source for source in load() if source.name not in names]
    enabled = {source.name for source in on}
    document = {"sources": [_source(source, on=source.name in enabled) for source in found]}

    def text() -> str:
        lines = []
        for source in found:
            mark = " " if source.name in enabled else "-"
            doubt = "" if source.confirmed else "  (address not confirmed)"
            lines.append(
                f"{mark} {source.name:<28} {source.kind:<14} {source.group:<10} every {_every(source.every):<5} {source.url}{doubt}"
            )
        if everything:
            lines.append(
                "Lines that start with - are off; turn a group on with watcher.groups in the config."
            )
        elif not found:
            lines.append(
                "No source is in force: nothing is watched. `mlperf-watcher sources list --all` shows what there is."
            )
        return "\n".join(lines)

    session.emit(document, text)


@command("check")
@click.argument("name")
def check(session: Session, *, name: str) -> int:
    """Fetch one source now and explain each step.

    What it brings is recorded as in any pass.

    \b
    mlperf-watcher sources check mlcommons-inference
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.cli.passes import exit_code, source_named  # noqa: PLC0415
    from watcher.pipeline.checking import check_sources  # noqa: PLC0415
    from watcher.pipeline.one_pass import begin  # noqa: PLC0415

    source = source_named(session, name)
    with session.store() as store, store.lock():
        watcher = session.watcher(store)
        start = begin(watcher, session.now)
        done = check_sources(watcher, [source], session.now)
        events = store.events.counts(after=start.event)
        code = exit_code(watcher)
    steps = done.steps.get(name, ())
    failure = done.failed.get(name)
    document = {
        "source": name,
        "steps": list(steps),
        "failure": failure,
        "events": events,
        "baselines": done.baselines,
    }

    def text() -> str:
        lines = [f"{number}. {step}" for number, step in enumerate(steps, 1)]
        lines.append(f"failed: {failure}" if failure else "done")
        lines += [f"{kind}: {count}" for kind, count in events.items()]
        lines += [
            f"{table}: {count} results recorded as the baseline" for table, count in done.baselines.items()
        ]
        return "\n".join(lines)

    session.emit(document, text)
    return code


sources.add_command(listing)
sources.add_command(check)


def _source(source: Source, *, on: bool) -> dict[str, object]:
    return {
        "name": source.name,
        "kind": source.kind,
        "url": source.url,
        "every": source.every,
        "vendor": source.vendor,
        "group": source.group,
        "suite": source.suite,
        "confirmed": source.confirmed,
        "enabled": on,
    }


def _every(seconds: float) -> str:
    for size, letter in ((86_400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size and seconds % size == 0:
            return f"{int(seconds // size)}{letter}"
    return f"{seconds:g}s"
