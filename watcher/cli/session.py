"""What every command shares: the program's options, the config, the state, and how an answer is printed."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from watcher.domain import Secret, Source

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog
    from watcher.config import Config
    from watcher.pipeline.parts import Watcher
    from watcher.store import Store

ADDRESSES = frozenset(
    {"url", "webhook_url"}
)  # of a receiver: who knows it may write to it, so it is never shown
F = TypeVar("F", bound=Callable[..., Any])
_EPILOG = "--config, --state, --quiet and --verbose may stand here too (mlperf-watcher --help)."
_PROGRAM_OPTIONS = ("config_file", "state_file", "as_json", "quiet", "verbose")


class Session:
    """One call of one command."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Take the program's options."""
        self.config_file: str | None = options.get("config_file")
        self.state_file: str | None = options.get("state_file")
        self.as_json: bool = bool(options.get("as_json"))
        self.quiet: bool = bool(options.get("quiet"))
        self.verbose: bool = bool(options.get("verbose"))
        self.now = datetime.now(UTC)
        self._printed: list[Any] = options.get("printed", [])

    @cached_property
    def config(self) -> Config:
        """The config in force."""
        return self.read_config()

    def read_config(self) -> Config:
        """Read the config as it is now; log lines are set up with its secrets redacted. Raises ConfigError."""
        from watcher import logs  # noqa: PLC0415 - only when a command needs the config
        from watcher.config import environment, load  # noqa: PLC0415

        config = load(Path(self.config_file) if self.config_file else None, environment(), cwd=Path.cwd())
        logs.set_up(
            sys.stderr,
            secrets=[secret.reveal() for secret in secrets_of(config) if secret.unread is None],
            verbosity=int(self.verbose) - int(self.quiet),
            as_json=config.log_format == "json",
        )
        return config

    @property
    def state(self) -> Path:
        """The state file in force."""
        return Path(self.state_file) if self.state_file else self.config.state

    @contextmanager
    def store(self, *, read_only: bool = False) -> Iterator[Store]:
        """Open the state; a reading command on no state at all sees an empty one."""
        from watcher.store import Store  # noqa: PLC0415 - only when a command needs the state
        from watcher.store.database import MEMORY  # noqa: PLC0415

        place: str | Path = self.state
        if read_only and not self.state.exists():
            if self.state_file:
                self.say(f"{self.state_file}: there is no state here; nothing is held")
            place, read_only = MEMORY, False
        with Store(place, now=self.now, read_only=read_only) as store:
            yield store

    @property
    def catalog(self) -> Catalog:
        """The names, with the user's own."""
        from watcher.catalog.names import load  # noqa: PLC0415 - reads files

        return load(self.config.catalog)

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The sources in force."""
        from watcher.wiring import sources_of  # noqa: PLC0415 - only for commands that check sources

        return sources_of(self.config)

    def watcher(self, store: Store, **given: Any) -> Watcher:
        """Wire the parts for a pass; a console's messages leave standard output to a JSON document."""
        from watcher.wiring import wire  # noqa: PLC0415 - only for commands that do something

        given.setdefault("stream", sys.stderr if self.as_json else None)
        return wire(self.config, store, sources=self.sources, **given)

    def emit(self, document: Mapping[str, Any], text: Callable[[], str | None]) -> None:
        """Print one JSON document, or the readable text; nothing from outside steers the terminal."""
        from watcher.logs import harmless, harmless_json  # noqa: PLC0415 - where something is printed

        if self.as_json:
            self._printed.append(document)
            made = json.dumps(document, ensure_ascii=False, indent=2, default=_json_value)
            click.echo(harmless_json(made))
            return
        words = text()
        if words:
            click.echo(harmless(words).removesuffix("\n"))

    def say(self, text: str) -> None:
        """Tell a person something beside the answer, on standard error; not when quiet."""
        if not self.quiet:
            from watcher.logs import spelled_out  # noqa: PLC0415 - where something is said

            click.echo(spelled_out(text), err=True)


def command(name: str | None = None, **settings: Any) -> Callable[[F], click.Command]:
    """Make a click command that takes the program's options too, and hands a `Session` to the function."""

    def wrap(function: F) -> click.Command:
        def call(ctx: click.Context, /, **options: Any) -> Any:
            given = {key: options.pop(key) for key in _PROGRAM_OPTIONS}
            merged = dict(ctx.find_root().obj or {})
            merged.update({key: value for key, value in given.items() if value})
            return function(Session(merged), **options)

        wrapped: Any = click.pass_context(call)
        made: Any = functools.update_wrapper(wrapped, function)
        for decorate in reversed(_DECORATORS):
            made = decorate(made)
        settings.setdefault(
            "context_settings", {"help_option_names": ["-h", "--help"], "max_content_width": 110}
        )
        settings.setdefault("epilog", _EPILOG)
        decorate_command: Any = click.command(name, **settings)
        built: click.Command = decorate_command(made)
        return built

    return wrap


_DECORATORS = (
    click.option("--config", "config_file", metavar="FILE", hidden=True),
    click.option("--state", "state_file", metavar="FILE", hidden=True),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
    click.option("--quiet", is_flag=True, hidden=True),
    click.option("--verbose", is_flag=True, hidden=True),
)


def secrets_of(config: Config) -> tuple[Secret, ...]:
    """Return every secret that the config holds or names."""
    addresses = (
        Secret(value)
        for receiver in config.receivers
        for key, value in receiver.options.items()
        if key in ADDRESSES and isinstance(value, str)
    )
    return (*config.secrets, *addresses)


def watched_by_a_person() -> bool:
    """Whether standard error is a terminal, so that a progress bar is of use."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path | Secret):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(type(value).__name__)
