"""Commands; the only place that prints and sets exit codes.

A command's module is imported when the command is called. Exit codes: 0 fine; 1 a fault in the program; 2 wrong
usage, config or rules; 3 a source is failing, stale or held back; 4 a delivery is failing; 75 another run holds the
lock.
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import sys
from importlib import import_module
from typing import Any

import click

from watcher import __version__
from watcher.errors import LockedError, UsageError, WatcherError

FAULT, WRONG_USE, LOCKED, STOPPED = 1, 2, 75, 130
YOUNG = 100_000  # new values before Python looks for cycles: a pass makes many that live to its end, and hardly any cycle
COMMANDS: dict[str, str] = {
    "init": "watcher.cli.init:init",
    "run": "watcher.cli.passes:run",
    "daemon": "watcher.cli.daemon:daemon",
    "demo": "watcher.cli.demo:demo",
    "ingest": "watcher.cli.ingest:ingest",
    "results": "watcher.cli.asking:results",
    "compare": "watcher.cli.asking:compare",
    "scaling": "watcher.cli.asking:scaling",
    "gains": "watcher.cli.asking:gains",
    "power": "watcher.cli.asking:power",
    "records": "watcher.cli.asking:records",
    "rank": "watcher.cli.rank:rank",
    "cost": "watcher.cli.cost:cost",
    "promises": "watcher.cli.promises:promises",
    "brief": "watcher.cli.brief:brief",
    "calendar": "watcher.cli.calendar:calendar",
    "cite": "watcher.cli.cite:cite",
    "claims": "watcher.cli.claims:claims",
    "rules": "watcher.cli.rules:rules",
    "alerts": "watcher.cli.alerts:alerts",
    "digest": "watcher.cli.digest:digest",
    "sources": "watcher.cli.sources:sources",
    "status": "watcher.cli.status:status",
    "doctor": "watcher.cli.doctor:doctor",
    "send-test": "watcher.cli.send_test:send_test",
    "config": "watcher.cli.config:config",
    "report": "watcher.cli.report:report",
    "export": "watcher.cli.export:export",
    "backup": "watcher.cli.backup:backup",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called; options of the program go before or after them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names in the order in which a person meets them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by its name."""
        del ctx
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, name = place.split(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is told with the nearest."""
        name = args[0] if args else ""
        if name and name not in COMMANDS:
            from watcher.nearest import nearest  # noqa: PLC0415 - only for a wrong word

            near = nearest(name, COMMANDS)
            hint = f"; did you mean {near!r}?" if near else "; see mlperf-watcher --help"
            raise click.UsageError(f"there is no command {name!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="mlperf-watcher")
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    help="The config; default ./watcher.toml, else built-in defaults.",
)
@click.option(
    "--state", "state_file", metavar="FILE", help="The state; default from the config, else state/watcher.db."
)
@click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON document on standard output.")
@click.option("--quiet", is_flag=True, help="Say only what is wrong.")
@click.option("--verbose", is_flag=True, help="Say what is done.")
@click.pass_context
def cli(ctx: click.Context, /, **options: Any) -> None:
    """Watch MLPerf result tables and vendors' posts; tell the right people once; check claims against the rows.

    \b
    Try it without any set-up:    mlperf-watcher demo
    One pass, for cron:           mlperf-watcher run
    Is everything well?           mlperf-watcher status
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    ctx.obj = {**(ctx.obj or {}), **options}


def main(args: list[str] | None = None) -> None:
    """Run a command and leave with its exit code; errors are one line on standard error.

    With ``--json`` an error is a document as well, so that there is exactly one whatever happens.
    """
    gc.set_threshold(YOUNG)
    # What is alive at the end goes with the process: no cycle in it needs to be found.
    atexit.register(gc.freeze)
    printed: list[object] = []  # whether a document was, by `Session.emit`
    given = sys.argv[1:] if args is None else args
    wants_json = "--json" in given[: given.index("--") if "--" in given else None]
    try:
        code = cli.main(
            args=args, prog_name="mlperf-watcher", standalone_mode=False, obj={"printed": printed}
        )
    except click.exceptions.Abort:
        said, code = "stopped", STOPPED
        _say(said)
    except click.ClickException as error:
        said, code = error.format_message(), WRONG_USE
        shown = io.StringIO()
        error.show(shown)
        click.echo(_printable(shown.getvalue()), err=True, nl=False)
    except WatcherError as error:
        said, code = str(error), _code(error)
        _say(said)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    else:
        sys.exit(code if isinstance(code, int) else 0)
    if wants_json and not printed:
        from watcher.logs import harmless_json  # noqa: PLC0415 - where something went wrong

        document = {"error": {"message": said, "exit_code": code}}
        click.echo(harmless_json(json.dumps(document, ensure_ascii=False, indent=2)))
    sys.exit(code)


def _code(error: WatcherError) -> int:
    if isinstance(error, UsageError):
        return WRONG_USE
    return LOCKED if isinstance(error, LockedError) else FAULT


def _say(text: str) -> None:
    click.echo(f"mlperf-watcher: {_printable(text)}", err=True)


def _printable(text: str) -> str:
    from watcher.logs import spelled_out  # noqa: PLC0415 - where something went wrong

    return spelled_out(text)
