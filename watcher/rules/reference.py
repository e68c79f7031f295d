"""The reference of rules, made of the tables: what ``rules fields`` prints and what stands in docs/rules.md."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from watcher.rules.conditions import COMBINATORS, OPERATORS
from watcher.rules.fields import FIELDS, Field, row_prefixes
from watcher.rules.read_rule import OPTIONS
from watcher.rules.row_fields import ROW_FIELDS
from watcher.rules.watches import WATCHES

_COMBINED = {
    "any": "a list of conditions of which at least one holds",
    "all": "a list of conditions that all hold",
    "none": "a list of conditions of which not one holds",
}


def field_rows(watch: str | None = None) -> tuple[dict[str, Any], ...]:
    """Return every field as JSON values: watch, name, type, operators, help; of one watch or of all."""
    watches = [watch] if watch is not None else list(WATCHES)
    return tuple(_field_row(field) for each in watches for field in FIELDS[each].values())


def markdown() -> Mapping[str, str]:
    """Return the generated tables of docs/rules.md: watches, options, operators, fields."""
    return {
        "watches": _watches(),
        "options": _options(),
        "operators": _operators(),
        "fields": _fields(),
    }


def fill(document: str) -> str:
    """Return ``document`` with what stands between ``<!-- table: NAME -->`` and ``<!-- end -->`` made anew."""
    for name, table in markdown().items():
        start, end = f"<!-- table: {name} -->\n", "<!-- end -->"
        before, mark, rest = document.partition(start)
        if not mark or end not in rest:
            raise ValueError(f"the document has no place for the table {name}")
        document = before + mark + table + end + rest.partition(end)[2]
    return document


def _field_row(field: Field) -> dict[str, Any]:
    return {
        "watch": field.watch,
        "name": field.name,
        "type": _type(field),
        "operators": [o.name for o in OPERATORS.values() if field.row.type in o.types],
        "choices": list(field.row.choices),
        "help": field.help,
    }


def _type(field: Field) -> str:
    kind = {"flag": "yes or no", "power": "power"}.get(field.row.type, field.row.type)
    return f"{kind}, several" if field.row.many else kind


def _watches() -> str:
    rows = (
        (
            f"`{watch.name}`",
            ", ".join(f"**{word}**" if word in watch.default_on else word for word in watch.events),
            watch.help,
        )
        for watch in WATCHES.values()
    )
    return _table(("watch", "events (bold: the usual ones)", "what it is"), rows)


def _options() -> str:
    rows = (
        (f"`{option.name}`", ", ".join(option.watches) or "all", option.help) for option in OPTIONS.values()
    )
    return _table(("option", "watches", "what it does"), rows)


def _operators() -> str:
    rows = [
        ("a value or a list" if o.name == "is" else f"`{o.name}`", ", ".join(o.types), o.help)
        for o in OPERATORS.values()
    ]
    rows += [(f"`{word}`", "conditions", _COMBINED[word]) for word in COMBINATORS]
    return _table(("operator", "takes", "holds if"), rows)


def _fields() -> str:
    """The fields of a row once, then each watch's own."""
    parts = ["### Fields of a published row\n\n", _row_prefixes(), "\n"]
    plain = (FIELDS["result"][row.name] for row in ROW_FIELDS)
    parts.append(_field_table(plain))
    for watch in WATCHES:
        own = [field for field in FIELDS[watch].values() if field.row not in ROW_FIELDS]
        parts.append(f"\n### Fields of watch: {watch}\n\n")
        parts.append(_field_table(own))
    return "".join(parts)


def _row_prefixes() -> str:
    lines = []
    for watch in WATCHES:
        names = [f"`{prefix}NAME`" for prefix in row_prefixes(watch)]
        if names:
            lines.append(f"- `{watch}`: {', '.join(names)}\n")
    return "".join(lines)


def _field_table(fields: Iterable[Field]) -> str:
    rows = ((f"`{f.name}`", _type(f), f.help + _choices(f)) for f in fields)
    return _table(("field", "type", "what it is"), rows)


def _choices(field: Field) -> str:
    return f" ({', '.join(field.row.choices)})" if field.row.choices else ""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def main(path: str) -> None:
    """Write the tables of the document at ``path`` anew: ``python -m watcher.rules.reference docs/rules.md``."""
    document = Path(path)
    document.write_text(fill(document.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
