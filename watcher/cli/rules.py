"""``rules``: what is watched, is it valid, why did it (not) fire, what would it have fired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from watcher.cli import why
from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.rules import Rule, RuleSet


@click.group("rules", context_settings={"help_option_names": ["-h", "--help"]})
def rules() -> None:
    """What is watched, is it valid, why did it (not) fire."""


@command("list")
def listing(session: Session) -> None:
    """List the rules in force, and when each last fired.

    Also until when a rule waits for what it wants.

    \b
    mlperf-watcher rules list
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    found = load(session)
    with session.store(read_only=True) as store:
        memory = store.events.rules()
    document = {"rules": [_rule(rule, memory.get(rule.id)) for rule in found.rules]}

    def text() -> str:
        lines = []
        for each in document["rules"]:
            fired = (
                f"last fired {each['last_fired_at']:%Y-%m-%d %H:%M}"
                if each["last_fired_at"]
                else "has not fired"
            )
            off = "" if each["enabled"] else "  (off)"
            until = f", until {each['until']:%Y-%m-%d}" if each["until"] else ""
            lines.append(f"{each['id']:<32} {each['watch']:<10} {each['severity']:<8} {fired}{until}{off}")
        return "\n".join(lines)

    session.emit(document, text)


@command("check")
def check(session: Session) -> int:
    """Check the rule files.

    Every problem is told with file, line, the wrong word and the nearest right one.

    \b
    mlperf-watcher rules check
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.errors import RuleError  # noqa: PLC0415

    try:
        found = load(session)
    except RuleError as error:
        problems = [str(problem) for problem in getattr(error, "problems", None) or [error]]
        session.emit({"problems": problems, "rules": 0}, lambda: "\n".join(problems))
        return 2
    files = sorted({rule.place.rpartition(":")[0] for rule in found.rules})
    document = {"problems": [], "rules": len(found.rules), "files": files}

    def text() -> str:
        from watcher.render.words import plural  # noqa: PLC0415

        if not found.rules:
            return "no rule is there: nothing will ever alert"
        count = len(found.rules)
        return f"{plural(count, 'rule')} in {plural(len(files), 'file')} {'is' if count == 1 else 'are'} fine"

    session.emit(document, text)
    return 0


@command("fields")
@click.argument("watch", required=False)
def fields(session: Session, *, watch: str | None) -> None:
    """List the fields that rules may use, of one watch or of all.

    \b
    mlperf-watcher rules fields result
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.nearest import did_you_mean  # noqa: PLC0415
    from watcher.rules.fields import FIELDS  # noqa: PLC0415
    from watcher.rules.watches import WATCHES  # noqa: PLC0415

    if watch is not None and watch not in WATCHES:
        raise UsageError(f"there is no watch {watch!r}{did_you_mean(watch, WATCHES)}")
    found: dict[tuple[str, str], list[str]] = {}
    for name, each in FIELDS.items():
        if watch is None or watch == name:
            for field in each.values():
                found.setdefault((field.name, field.help), []).append(name)
    rows = [
        {"name": name, "type": FIELDS[watches[0]][name].row.type, "help": words, "watches": watches}
        for (name, words), watches in found.items()
    ]

    def text() -> str:
        return "\n".join(
            f"{r['name']:<36} {r['type']:<8} {r['help']}  [{', '.join(r['watches'])}]" for r in rows
        )

    session.emit({"fields": rows}, text)


rules.add_command(listing)
rules.add_command(check)
rules.add_command(fields)
rules.add_command(why.schema)
rules.add_command(why.explain)
rules.add_command(why.backtest)


def load(session: Session) -> RuleSet:
    """Load the rules in force. Raises RuleError."""
    from watcher.wiring import load_rules  # noqa: PLC0415

    return load_rules(session.config, session.catalog)


def _rule(rule: Rule, memory: tuple[Any, ...] | None) -> dict[str, Any]:
    return {
        "id": rule.id,
        "title": rule.title,
        "watch": rule.watch,
        "on": rule.on,
        "severity": rule.severity,
        "receivers": rule.receivers,
        "group_by": rule.group_by,
        "enabled": rule.enabled,
        "until": rule.until,
        "place": rule.place,
        "since": memory[1] if memory else None,
        "last_fired_at": memory[2] if memory else None,
    }
