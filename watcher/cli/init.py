"""``init``: a folder with a commented config, the rules and a state, ready for the first pass."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from watcher.cli.session import Session, command
from watcher.errors import StateError, UsageError


@command("init")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=Path(), metavar="[DIR]")
@click.option(
    "--preset",
    type=click.Choice(["buyer", "submitter", "press"]),
    help="Sources and rules for one kind of reader.",
)
@click.option(
    "--archive/--no-archive", "archive", default=None,
    help="Bring the published rounds that come with the program as history (asked on a terminal; else yes).",
)  # fmt: skip
def init(session: Session, *, folder: Path, preset: str | None, archive: bool | None) -> None:
    """Write watcher.toml, the rules and a state into DIR.

    DIR is here if left out. What to do next is said.

    What is there already is never overwritten.

    \b
    mlperf-watcher init
    mlperf-watcher init /etc/mlperf-watcher --preset buyer
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.cli.starter import PLAIN, PRESETS, rules, toml  # noqa: PLC0415
    from watcher.config import DEFAULT_FILE, packaged_rules  # noqa: PLC0415

    if session.config_file or session.state_file:
        raise UsageError("init takes a folder, not --config or --state: mlperf-watcher init DIR")
    chosen = PRESETS[preset] if preset else PLAIN
    texts = {Path(DEFAULT_FILE): toml(chosen, local_zone())}
    texts |= {Path("rules", name): text for name, text in rules(packaged_rules(), chosen).items()}
    _refuse_to_overwrite(folder, texts)
    _write(folder, texts)
    session.config_file = str(folder / DEFAULT_FILE)
    loaded = _state(session, archive=_wanted(session, archive))
    there = "" if folder.resolve() == Path.cwd() else f" --config {shlex.quote(str(folder / DEFAULT_FILE))}"
    following = [f"mlperf-watcher{there} {words}" for words in ("send-test you", "run", "daemon")]
    document: dict[str, Any] = {
        "config": str(folder / DEFAULT_FILE),
        "rules": len(texts) - 1,
        "state": str(session.state),
        "archive": loaded,
        "next": following,
    }

    def text() -> str:
        history = ", ".join(f"{name} ({count:,} results)" for name, count in loaded.items()) or "none"
        return "\n".join(
            [
                f"{folder / DEFAULT_FILE}: every key explained; receivers to fill in",
                f"{folder / 'rules'}: {len(texts) - 1} files of rules, yours to edit",
                f"{session.state}: history: {history}",
                "",
                "Next:",
                *(
                    f"  {words:<{max(map(len, following))}}  {why}"
                    for words, why in zip(following, _WHY, strict=True)
                ),
            ]
        )

    session.emit(document, text)


_WHY = (
    "see how a message arrives",
    "the first pass: what is public becomes the baseline",
    "from now on (or `run` by cron, see docs/deploy.md)",
)


def local_zone() -> str:
    """Return the name of this machine's time zone, "UTC" where it does not say."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415

    named = (
        os.environ.get("TZ", "").removeprefix(":")
        or str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    )
    try:
        ZoneInfo(named)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC"
    return named


def _refuse_to_overwrite(folder: Path, texts: dict[Path, str]) -> None:
    there = [folder / name for name in texts if (folder / name).exists()]
    if there:
        more = f" (and {len(there) - 1} more)" if len(there) > 1 else ""
        raise UsageError(
            f"{there[0]}{more}: is there already and is not overwritten; name another folder, or move it"
        )


def _write(folder: Path, texts: dict[Path, str]) -> None:
    try:
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
        (folder / "state").mkdir(mode=0o700, exist_ok=True)  # it may hold tables under embargo
    except OSError as error:
        raise StateError(f"{error.filename}: cannot be written ({error.strerror})") from error


def _wanted(session: Session, archive: bool | None) -> bool:
    if archive is not None:
        return archive
    if session.as_json or session.quiet or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    return click.confirm(
        "Bring the published rounds of MLPerf Inference v5.1 to v6.1 as history?", default=True
    )


def _state(session: Session, *, archive: bool) -> dict[str, int]:
    """Make the state; return results by table of the archive that it holds now."""
    from watcher.pipeline.ingest import load_archive  # noqa: PLC0415 - brings the pipeline
    from watcher.pipeline.one_pass import begin  # noqa: PLC0415

    with session.store() as store, store.lock():
        watcher = session.watcher(store)
        begin(watcher, session.now)
        return load_archive(watcher, session.now) if archive else {}
