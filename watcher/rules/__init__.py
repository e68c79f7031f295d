"""Rules: what to watch for. rules/*.yaml → frozen rules; events → alerts; why a rule did or did not fire.

    load(paths, catalog, receivers) -> RuleSet        every word checked; RuleError names file, line and what was meant
    RuleSet.wanted() -> figures.Wanted                which derived figures the rules ask for
    evaluate(rules, events, now) -> (Alert, ...)      pure; one batch of events at a time
    watcher.rules.explain.explain(rule, subjects)     each clause, what passes, the nearest misses
    watcher.rules.backtest.backtest(rules, batches)   what they would have fired
    watcher.rules.schema.schema()                     JSON Schema for editors

A field is one row in `fields`, `row_fields`, `figure_fields` or `story_fields`; a watch one row in `watches`; an
operator one row in `conditions`; an option one row in `read_rule`.
"""

from __future__ import annotations

from watcher.rules.evaluate import cooldown_reason, evaluate, overdue
from watcher.rules.load import digest, load, load_files, read_files
from watcher.rules.rule import Rule, RuleSet, rule_set

__all__ = [
    "Rule",
    "RuleSet",
    "cooldown_reason",
    "digest",
    "evaluate",
    "load",
    "load_files",
    "overdue",
    "read_files",
    "rule_set",
]
