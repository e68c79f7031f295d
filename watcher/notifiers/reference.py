"""The options of each kind as a Markdown table; docs/receivers.md holds these very tables, and a test compares them."""

from __future__ import annotations

from watcher.notifiers import options


def table(kind: str) -> str:
    """Return the table of a kind's options; a secret is named as the config names it."""
    lines = ["| option | value | default | meaning |", "| --- | --- | --- | --- |"]
    for option in options(kind):
        name = f"`{option.name}`"
        if option.secret:
            ways = f"`{option.name}_file` or `{option.name}_env`"
            name = f"{name}, {ways}" if option.plain else ways
        default = "must be given" if option.required else f"`{option.default}`" if option.default else "none"
        lines.append(f"| {name} | {option.type} | {default} | {option.help} |")
    return "\n".join(lines)
