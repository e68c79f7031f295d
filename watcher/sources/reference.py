"""The options of each kind of source as a Markdown table; docs/sources.md holds these very tables, and a test compares them."""

from __future__ import annotations

from watcher.sources import SOURCES
from watcher.sources.options import WORDS, Option


def table(kind: str) -> str:
    """Return the table of a kind's options."""
    lines = ["| option | value | default | meaning |", "| --- | --- | --- | --- |"]
    for name, option in SOURCES[kind].options.items():
        lines.append(f"| `{name}` | {WORDS[option.type]} | {_default(option)} | {option.help} |")
    return "\n".join(lines)


def _default(option: Option) -> str:
    if option.required:
        return "must be given"
    if option.default in (None, ()):
        return "none"
    return f"`{str(option.default).lower() if isinstance(option.default, bool) else option.default}`"
