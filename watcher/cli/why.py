"""``rules explain``, ``rules backtest``, ``rules schema``: why a rule did (not) fire, and what it would have fired."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.domain import Subject
    from watcher.rules import Rule, RuleSet


@command("explain")
@click.argument("rule_id", metavar="RULE")
@click.option("--nearest", type=click.IntRange(min=0), help="How many nearest misses to show.")
def explain(session: Session, *, rule_id: str, nearest: int | None) -> None:
    """Say why a rule did or did not fire.

    Of each clause what passes it, what passes all, and the nearest misses with what stopped each.

    \b
    mlperf-watcher rules explain third-party-rack-power
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.pipeline.why import subjects  # noqa: PLC0415 - brings rules and store
    from watcher.rules.explain import NEAREST  # noqa: PLC0415
    from watcher.rules.explain import explain as explained  # noqa: PLC0415

    rules = _load(session)
    rule = rule_named(rules, rule_id)
    with session.store(read_only=True) as store:
        found = subjects(store, rule, rules)
        fired = store.events.rules().get(rule.id)
        empty = not store.tables.all()
    if empty and rule.watch not in {"post", "source"}:
        session.say(
            "no table is held yet; `mlperf-watcher ingest --archive` brings the published rounds as history"
        )
    made = explained(rule, found, nearest=NEAREST if nearest is None else nearest)
    last = fired[2] if fired else None
    document = {
        **made.as_dict(subject_form),
        "enabled": rule.enabled,
        "place": rule.place,
        "last_fired_at": last,
    }

    def text() -> str:
        told = f"It last fired on {last:%Y-%m-%d %H:%M} UTC." if last else "It has not fired yet."
        off = "" if rule.enabled else " It is turned off (enabled: false)."
        return f"{made.text}\n{told}{off} It stands in {rule.place}."

    session.emit(document, text)


@command("backtest")
@click.argument("rule_id", metavar="RULE", required=False)
@click.option("--all", "every", is_flag=True, help="All enabled rules.")
@click.option("--from", "first", metavar="R", help="From the day this round went public, such as v6.0.")
@click.option("--to", "last", metavar="R", help="Up to the day before the round after this one.")
def backtest(
    session: Session, *, rule_id: str | None, every: bool, first: str | None, last: str | None
) -> None:
    """Say what a rule would have fired, by date.

    Over the archive's rounds, then over what the state recorded. Nothing is sent or recorded. A round that the state itself saw as news is taken from there; figures that no rule
    in force asked for then were not recorded, and are found in the archive's rounds only.

    \b
    mlperf-watcher rules backtest vera-rubin-per-scenario
    mlperf-watcher rules backtest --all --from v6.1
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.pipeline.why import alone, archived, period, recorded, told_rounds  # noqa: PLC0415
    from watcher.rules.backtest import backtest as tested  # noqa: PLC0415

    if bool(rule_id) == every:
        raise UsageError("name a rule, or give --all; `mlperf-watcher rules list` lists them")
    rules = _load(session)
    chosen = rules if rule_id is None else alone(rule_named(rules, rule_id), rules)
    when = period(session.catalog, first, last)
    with session.store(read_only=True) as store:
        own = recorded(store, when)
        told = told_rounds(store)
    batches = archived(session.catalog, chosen.wanted(), when, without=told) + own
    batches.sort(key=lambda batch: batch[0].occurred_at)
    made = tested(chosen, batches)
    session.emit({"rule": rule_id, **made.as_dict()}, lambda: made.text)


@command("schema")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write it there instead."
)
def schema(session: Session, *, out: Path | None) -> None:
    """Print the JSON Schema of rule files.

    It gives completion and checks in an editor.

    \b
    mlperf-watcher rules schema --out rules.schema.json
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    import json  # noqa: PLC0415

    from watcher.rules.schema import schema as schema_of  # noqa: PLC0415

    made = schema_of()
    if out is None:
        session.emit(made, lambda: json.dumps(made, indent=2, ensure_ascii=False))
        return
    try:
        out.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror})") from error
    session.emit(
        {"schema": str(out)},
        lambda: (
            f"{out}: name it on the first line of a rule file: # yaml-language-server: $schema={out.name}"
        ),
    )


def rule_named(rules: RuleSet, name: str) -> Rule:
    """Return a rule by its id. Raises UsageError with the nearest."""
    from watcher.nearest import did_you_mean  # noqa: PLC0415

    if name not in rules.by_id:
        raise UsageError(f"there is no rule {name!r}{did_you_mean(name, rules.by_id)}")
    return rules.by_id[name]


def subject_form(subject: Subject) -> Any:
    """Return the JSON form of what a rule looks at."""
    from watcher.cli.forms import figure_form  # noqa: PLC0415
    from watcher.domain import CheckedClaim, Comparison, Gain, Record, Result, Scaling  # noqa: PLC0415
    from watcher.figures.json_form import result_form  # noqa: PLC0415

    if isinstance(subject, Result):
        return result_form(subject)
    if isinstance(subject, Comparison | Scaling | Gain | Record | CheckedClaim):
        return figure_form(subject)
    return {
        name: _plain(getattr(subject, name))
        for name in subject.__struct_fields__
        if name not in {"html", "text"}
    }


def _plain(value: Any) -> Any:
    """A value's fields by name, with those that are empty; whatever is no value as it is."""
    if isinstance(value, Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _load(session: Session) -> RuleSet:
    from watcher.cli.rules import load  # noqa: PLC0415 - the group adds these commands to itself

    return load(session)
