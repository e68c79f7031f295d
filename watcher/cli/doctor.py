"""``doctor``: everything that must be right for alerts to arrive, each line with the fix."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click
from msgspec import Struct

from watcher import __version__
from watcher.cli.session import Session, command
from watcher.errors import LockedError, SecretError, StateError, UsageError, WatcherError

if TYPE_CHECKING:
    from watcher.config import Config, ReceiverConfig
    from watcher.store import Store

OK, WARN, FAIL = "ok", "warn", "fail"
WRONG_USE, SOURCE_TROUBLE, DELIVERY_TROUBLE = 2, 3, 4
LITTLE, TOO_LITTLE = 500 * 2**20, 50 * 2**20  # bytes free on the state's disk
FIRST_YEAR = 2026  # this program did not exist before
_WIDTH = 22


class Check(Struct, frozen=True):
    """One thing that was looked at; ``code`` is the exit code that its failure asks for."""

    name: str
    level: str
    text: str
    fix: str = ""
    code: int = WRONG_USE


@command("doctor")
@click.option("--offline", is_flag=True, help="Ask no other machine.")
def doctor(session: Session, *, offline: bool) -> int:
    """Look at everything that must be right.

    Config, rules, clock, zones, state, disk, lock, sources, receivers. Nothing is changed and no message is sent. Exit code 2: something here, 3: a source, 4: a receiver; warnings are 0.

    \b
    mlperf-watcher doctor
    mlperf-watcher doctor --offline
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    checks = list(_all(session, offline=offline))
    failed = [check.code for check in checks if check.level == FAIL]
    document = {
        "healthy": not failed,
        "checks": [{"name": c.name, "level": c.level, "text": c.text, "fix": c.fix or None} for c in checks],
    }

    def text() -> str:
        lines = []
        for check in checks:
            if check.level != OK or not session.quiet:
                lines.append(f"{check.level:<5}{check.name:<{_WIDTH}} {check.text}")
                if check.fix:
                    lines.append(f"{'':<{5 + _WIDTH}} fix: {check.fix}")
        return "\n".join(lines)

    session.emit(document, text)
    return min(failed, default=0)


def _all(session: Session, *, offline: bool) -> Iterator[Check]:
    yield Check(
        "program",
        OK,
        f"mlperf-watcher {__version__}, Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}",
    )
    try:
        config = session.config
    except UsageError as error:
        yield Check("config", FAIL, str(error), "edit it; everything else is looked at once it can be read")
        return
    yield from _config(session)
    yield from _secrets(config)
    yield from _rules(session)
    yield from _zones(session)
    yield from _state(session)
    yield from _sources(session, offline=offline)
    for receiver in config.receivers:
        yield from _receiver(receiver, offline=offline)
    if not config.receivers:
        yield Check(
            "receivers", WARN, "there is none: alerts are recorded and nobody is told",
            "add one to watcher.toml; `mlperf-watcher init` shows every kind",
        )  # fmt: skip


def _config(session: Session) -> Iterator[Check]:
    file = session.config.file
    if file is None:
        yield Check(
            "config", WARN, "there is no watcher.toml here; built-in defaults are in force",
            "run `mlperf-watcher init`, or name one with --config",
        )  # fmt: skip
        return
    if file.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        yield Check("config", WARN, f"{file} can be written by others", f"run `chmod go-w {file}`")
        return
    yield Check("config", OK, str(file))


def _secrets(config: Config) -> Iterator[Check]:
    for secret in dict.fromkeys(config.secrets):
        if secret.unread is not None:
            yield Check(
                "secret", FAIL, secret.unread.why,
                "put it right where run or daemon is started from; commands that only ask do without it",
            )  # fmt: skip


def _rules(session: Session) -> Iterator[Check]:
    from watcher.cli.rules import load  # noqa: PLC0415 - reads files

    try:
        found = load(session)
    except UsageError as error:
        yield Check("rules", FAIL, str(error), "edit it; `mlperf-watcher rules check` lists every problem")
        return
    on = sum(rule.enabled for rule in found.rules)
    if on:
        yield Check("rules", OK, f"{on} in force, {len(found.rules) - on} turned off")
    else:
        yield Check("rules", WARN, "none is in force: nothing will ever alert", "enable or add rules")


def _zones(session: Session) -> Iterator[Check]:
    names = {"America/Los_Angeles", session.config.zone, *(r.zone for r in session.config.receivers)}
    for name in sorted(names):
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            yield Check(
                "time zones",
                FAIL,
                f"there is no data for {name}",
                "install the system's tzdata, or `pip install tzdata`",
            )
            return
    yield Check("time zones", OK, ", ".join(sorted(names)))


# ------------------------------------------------------------------------------------------------ the state


def _state(session: Session) -> Iterator[Check]:
    place = session.state
    folder = place.absolute().parent
    yield from _disk(folder)
    if not place.exists():
        yield _clock(session, None)
        yield Check("state", OK, f"{place}: not there yet; the first run makes it")
        return
    try:
        with session.store(read_only=True) as store:
            store.check()
            yield Check("state", OK, f"{place}: {place.stat().st_size / 2**20:.1f} MB, sound")
            yield _clock(session, store)
            yield _lock(store)
            yield from _broken(session, store)
    except StateError as error:
        yield Check(
            "state", FAIL, str(error), "the text says what to do; docs/deploy.md how to restore a backup"
        )


def _disk(folder: Path) -> Iterator[Check]:
    from watcher.store.database import NETWORK_FILE_SYSTEMS, file_system  # noqa: PLC0415 - only here

    there = next(each for each in (folder, *folder.parents) if each.is_dir())
    kind = file_system(there)
    if kind in NETWORK_FILE_SYSTEMS:
        yield Check(
            "file system",
            FAIL,
            f"{there} is on a network file system ({kind})",
            "put the state on a local disk",
        )
        return
    free = shutil.disk_usage(there).free
    words = f"{there}: {free / 2**20:,.0f} MB free" + (f" ({kind})" if kind else "")
    if free < TOO_LITTLE:
        yield Check("disk", FAIL, words, "free some space; nothing can be recorded on a full disk")
    elif free < LITTLE:
        yield Check("disk", WARN, words, "free some space, or lower watcher.keep_documents")
    else:
        yield Check("disk", OK, words)
    try:
        with tempfile.NamedTemporaryFile(dir=there, prefix=".doctor-") as probe:
            probe.write(b"\0" * 4096)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        yield Check(
            "writing", FAIL, f"{there}: cannot be written ({error.strerror})",
            "run as the user who owns it, or give that user the folder (chown)",
        )  # fmt: skip
    else:
        yield Check("writing", OK, f"{there}: can be written")


def _clock(session: Session, store: Store | None) -> Check:
    now = session.now
    if now.year < FIRST_YEAR:
        return Check("clock", FAIL, f"shows {now:%Y-%m-%d %H:%M} UTC", "set it (timedatectl set-ntp true)")
    if store is not None:
        from watcher.pipeline.clock import set_back  # noqa: PLC0415 - brings the pipeline

        behind = set_back(session.watcher(store), now)
        if behind is not None:
            return Check(
                "clock", WARN,
                f"shows {now:%Y-%m-%d %H:%M} UTC, which is {str(behind).partition('.')[0]} before the last check recorded",
                "if it is right now, nothing is to be done: the next pass checks every source; if not, set it",
            )  # fmt: skip
    return Check("clock", OK, f"{now:%Y-%m-%d %H:%M} UTC")


def _lock(store: Store) -> Check:
    try:
        with store.lock():
            return Check("lock", OK, "free: no run or daemon is at work")
    except LockedError:
        holder = ""
        with suppress(OSError):
            holder = Path(f"{store.path}.lock").read_text(encoding="ascii", errors="replace").strip()
        return Check("lock", OK, f"held by process {holder or 'unknown'}: a run or daemon is at work")


def _broken(session: Session, store: Store) -> Iterator[Check]:
    """What the state knows of sources and receivers that are in trouble."""
    from watcher.pipeline.standing import standing  # noqa: PLC0415 - brings the pipeline
    from watcher.render.words import plural  # noqa: PLC0415

    found = standing(session.watcher(store))
    for source, state in found.sources:
        if not state.healthy:
            yield Check(
                f"source {source.name}", FAIL, state.last_error or "has brought nothing for too long",
                f"`mlperf-watcher sources check {source.name}` shows each step", SOURCE_TROUBLE,
            )  # fmt: skip
    for table in found.held_back:
        yield Check(
            f"table {table.suite} {table.round}", FAIL, f"held back: {table.held_back_reason}",
            "look at it; if it is right as it is, take it with `ingest --accept`", SOURCE_TROUBLE,
        )  # fmt: skip
    for name, (_, reason) in found.broken_receivers.items():
        yield Check(
            f"receiver {name}", FAIL, f"is broken: {reason}",
            f"put it right, then {_mending(name)}", DELIVERY_TROUBLE,
        )  # fmt: skip
    for name, (count, reason) in found.tried_in_vain.items():
        if name not in found.broken_receivers:
            yield Check(
                f"receiver {name}", WARN, f"{plural(count, 'delivery waits', 'deliveries wait')} for another try: {reason}",
                f"once it works, {_mending(name)}",
            )  # fmt: skip


def _mending(receiver: str) -> str:
    return f"`mlperf-watcher send-test {receiver.partition('/')[0]}`: what it is owed is then due with the next run"


# ------------------------------------------------------------------------------------------------ others


def _sources(session: Session, *, offline: bool) -> Iterator[Check]:
    from watcher.cli.reaching import hosts_of, trouble_of_hosts  # noqa: PLC0415
    from watcher.render.words import plural  # noqa: PLC0415
    from watcher.sources import options_of  # noqa: PLC0415

    try:
        for source in session.sources:
            options_of(source)
    except UsageError as error:
        yield Check("sources", FAIL, str(error), "edit watcher.toml")
        return
    if not session.sources:
        yield Check(
            "sources",
            WARN,
            "none is in force, so nothing is watched: only `ingest` brings results",
            "turn groups on with watcher.groups in the config; `mlperf-watcher sources list --all` shows them",
        )
        return
    anonymous = [s.name for s in session.sources if s.kind == "results_repos" and s.secret is None]
    if len(anonymous) > 1 and any("api.github.com" in s.url for s in session.sources):
        yield Check(
            "GitHub", WARN, f"{len(anonymous)} sources share 60 requests an hour without a token",
            "name a token under [github] (token_file or token_env); it needs no permission",
        )  # fmt: skip
    hosts = hosts_of(session.sources)
    if offline:
        yield Check(
            "sources", OK, f"{len(session.sources)} at {plural(len(hosts), 'host')}, not asked (offline)"
        )
        return
    allowed = [host for source in session.sources for host in source.allow_hosts]
    trouble = trouble_of_hosts(hosts, allowed)
    if len(trouble) == len(hosts) > 1 and len(set(trouble.values())) == 1:
        yield Check(
            "sources",
            FAIL,
            f"none of {len(hosts)} hosts can be asked: {next(iter(trouble.values()))}",
            "this machine has no network, or its name server does not answer",
            SOURCE_TROUBLE,
        )
        return
    for host, words in trouble.items():
        yield Check(
            f"host {host}", FAIL, f"{words} ({', '.join(hosts[host])})", "check the network, the name server and the address",
            SOURCE_TROUBLE,
        )  # fmt: skip
    if len(trouble) < len(hosts):
        known = f"{len(hosts) - len(trouble)} of them" if trouble else "each"
        yield Check(
            "sources",
            OK,
            f"{len(session.sources)} at {plural(len(hosts), 'host')}, {known} known by name",
        )


def _receiver(receiver: ReceiverConfig, *, offline: bool) -> Iterator[Check]:
    from watcher.cli.reaching import host_of, trouble_of  # noqa: PLC0415
    from watcher.wiring import make_notifier  # noqa: PLC0415

    name = f"receiver {receiver.name}"
    try:
        for recipient in receiver.to or ("",):
            make_notifier(receiver, recipient)
    except SecretError:
        return  # told above
    except WatcherError as error:
        yield Check(name, FAIL, str(error), "edit watcher.toml", DELIVERY_TROUBLE)
        return
    if receiver.kind == "atom":
        yield _atom(name, Path(str(receiver.options["path"])))
        return
    host = host_of(receiver.kind, receiver.options)
    if host is None or offline:
        yield Check(
            name, OK, f"{receiver.kind}: its options are right" + (", not asked (offline)" if host else "")
        )
        return
    trouble = trouble_of(host)
    if trouble is not None:
        yield Check(
            name,
            FAIL,
            trouble,
            f"put it right, then `mlperf-watcher send-test {receiver.name}`",
            DELIVERY_TROUBLE,
        )
    else:
        yield Check(name, OK, f"{receiver.kind}: {host.name}:{host.port} answers; no message was sent")


def _atom(name: str, path: Path) -> Check:
    folder = path.expanduser().absolute().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return Check(
            name,
            FAIL,
            f"{folder} is no folder that can be written",
            "make it, or give it to this user",
            DELIVERY_TROUBLE,
        )
    return Check(name, OK, f"atom: {path} can be written")
