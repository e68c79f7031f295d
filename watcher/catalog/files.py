"""YAML files → catalog entries, strictly: unknown files, keys and types are errors that name file, line and entry."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from watcher.catalog.entries import Correction, Entry, Round, Units
from watcher.errors import CatalogError

OURS = Path(__file__).parent

# Which file holds which kinds; vocabulary.yaml has one mapping a kind.
FILES = {
    "accelerator": "accelerators.yaml",
    "system": "systems.yaml",
    "benchmark": "benchmarks.yaml",
    "submitter": "submitters.yaml",
    "software": "software.yaml",
    "precision": "vocabulary.yaml",
    "scenario": "vocabulary.yaml",
    "suite": "vocabulary.yaml",
    "division": "vocabulary.yaml",
    "availability": "vocabulary.yaml",
    "system_type": "vocabulary.yaml",
}
OTHER_FILES = ("units.yaml", "rounds.yaml")

_COMMON = {"title": str, "aliases": list, "seen": str}
_FIELDS: dict[str, dict[str, type]] = {
    "accelerator": {**_COMMON, "vendor": str, "generation": str, "year": int},
    "system": {**_COMMON, "accelerator": str, "count": int, "labels_rows": bool},
    "benchmark": {**_COMMON, "suites": list, "tasks": list, "interactive": list},
    "software": {**_COMMON, "layer": str},
    "precision": {**_COMMON, "family": str},
}
_WORDS = {str: "text", list: "a list of texts", int: "a whole number", bool: "true or false"}


def check_names(folder: Path) -> None:
    """Refuse a user's folder that is missing or holds a YAML file which is none of ours. Raises CatalogError."""
    if not folder.is_dir():
        raise CatalogError(f"{folder}: no such folder; it should hold catalog files such as submitters.yaml")
    names = sorted({*FILES.values(), *OTHER_FILES})
    for path in sorted(folder.iterdir()):
        if path.suffix in {".yaml", ".yml"} and path.name not in names:
            raise CatalogError(f"{path}: not a catalog file; name it one of {', '.join(names)}")


def stamp(folder: Path) -> str:
    """A hash over all catalog files in a folder: another one means that names may be read otherwise."""
    made = hashlib.blake2b(digest_size=12)
    for path in sorted(folder.glob("*.y*ml")):
        made.update(f"\0{path.name}\0".encode())
        made.update(path.read_bytes())
    return made.hexdigest()


def read_entries(folder: Path, kind: str, below: Mapping[str, Entry]) -> dict[str, Entry]:
    """Entries of one kind in ``folder`` laid over ``below``: lists are added to, other fields replaced.

    Raises CatalogError.
    """
    path = folder / FILES[kind]
    document = _document(path)
    if FILES[kind] == "vocabulary.yaml":
        unknown = sorted(set(map(str, document)) - {k for k, f in FILES.items() if f == "vocabulary.yaml"})
        if unknown:
            raise CatalogError(f"{_place(path, unknown[0])}: unknown kind {unknown[0]!r}")
        document = _mapping(path, kind, document.get(kind) or {})
    entries = dict(below)
    for name, fields in document.items():
        if not isinstance(name, str) or not name.strip():
            raise CatalogError(f"{_place(path, name)}: the name {name!r} is not text; put it in quotes")
        entries[name] = _entry(path, kind, name, _mapping(path, name, fields or {}), entries.get(name))
    return entries


def _entry(path: Path, kind: str, name: str, fields: Mapping[Any, Any], below: Entry | None) -> Entry:
    allowed = _FIELDS.get(kind, _COMMON)
    values: dict[str, Any] = {}
    for key, value in fields.items():
        if key not in allowed:
            raise CatalogError(
                f"{_place(path, name)}: entry {name!r}: unknown key {key!r}; known are {', '.join(allowed)}"
            )
        values[key] = _value(path, name, key, value, allowed[key])
    if below is not None:
        for key, wanted in allowed.items():
            if wanted is list:
                values[key] = (*getattr(below, key), *values.get(key, ()))
            else:
                values.setdefault(key, getattr(below, key))
    if kind == "system" and not (values.get("accelerator") and values.get("count", 0) > 0):
        raise CatalogError(f"{_place(path, name)}: entry {name!r} needs an accelerator and a count over 0")
    values.setdefault("title", name)
    return Entry(kind=kind, name=name, **values)


def _value(path: Path, name: str, key: str, value: Any, wanted: type) -> Any:
    if wanted is list and isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    if wanted is not list and isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool)):
        return value
    raise CatalogError(f"{_place(path, name)}: entry {name!r}: {key} must be {_WORDS[wanted]}, not {value!r}")


def read_units(folder: Path, below: Units) -> Units:
    """The units file of ``folder`` laid over ``below``. Raises CatalogError."""
    path = folder / "units.yaml"
    document = _document(path)
    if not document:
        return below
    better, aliases = dict(below.better), dict(below.aliases)
    for name, raw in _mapping(path, "units", document.get("units") or {}).items():
        fields = _mapping(path, name, raw)
        direction = fields.get("better", better.get(name))
        if direction not in {"higher", "lower"}:
            raise CatalogError(f"{_place(path, name)}: unit {name!r}: better must be higher or lower")
        better[name] = direction
        aliases[name] = (
            *aliases.get(name, ()),
            *_value(path, name, "aliases", fields.get("aliases", []), list),
        )
    raw = document.get("corrections") or []
    if not isinstance(raw, list):
        raise CatalogError(f"{path}: corrections must be a list")
    found = tuple(_correction(path, fields, better) for fields in raw)
    return Units(better=better, aliases=aliases, corrections=(*found, *below.corrections))


def _correction(path: Path, fields: Any, units: Mapping[str, str]) -> Correction:
    needed = {"suite", "benchmark", "rounds", "published", "unit"}
    if not isinstance(fields, dict) or not needed <= set(fields) <= needed | {"scenario"}:
        raise CatalogError(f"{path}: correction {fields!r} needs the keys {', '.join(sorted(needed))}")
    if fields["unit"] not in units:
        raise CatalogError(
            f"{path}: correction of {fields['benchmark']!r}: no unit {fields['unit']!r} in the file"
        )
    values = {
        key: _value(path, "corrections", key, v, list if key == "rounds" else str)
        for key, v in fields.items()
    }
    return Correction(**values)


def read_rounds(folder: Path, below: Mapping[tuple[str, str], Round]) -> dict[tuple[str, str], Round]:
    """The calendar of ``folder`` laid over ``below``, by (suite, name). Raises CatalogError."""
    path = folder / "rounds.yaml"
    rounds = dict(below)
    for fields in _document(path, list):
        if not isinstance(fields, dict) or not isinstance(fields.get("suite"), str):
            raise CatalogError(f"{path}: {fields!r} is not a round; it needs at least suite and name")
        name = fields.get("name")
        days = {key: fields.get(key) for key in ("published_on", "expected")}
        wrong = set(fields) - {"suite", "name", "source", *days}
        if not isinstance(name, str) or wrong:
            raise CatalogError(f"{path}: round {name!r}: unknown or missing keys: {sorted(wrong) or 'name'}")
        for key, day in days.items():
            if day is not None and type(day) is not date:
                raise CatalogError(f"{path}: round {name!r}: {key} must be a date such as 2026-09-16")
        rounds[fields["suite"], name] = Round(
            suite=fields["suite"], name=name, source=str(fields.get("source", "plan")), **days
        )
    return rounds


def spellings_of(
    folder: Path, kind: str, entries: Mapping[str, Entry], fold: Callable[[str], str]
) -> dict[str, Entry]:
    """Each folded spelling (name, title, aliases) → its entry. Raises CatalogError where two entries share one.

    Benchmarks may share spellings over suites ("bert" is trained, too); they are looked up by suite.
    """
    spellings: dict[str, Entry] = {}
    for entry in entries.values():
        for text in (entry.name, entry.title, *entry.aliases):
            other = spellings.setdefault(fold(text), entry)
            if other is not entry and kind != "benchmark":
                path = folder / FILES[kind]
                raise CatalogError(
                    f"{_place(path, entry.name)}: entries {other.name!r} and {entry.name!r} share the spelling {text!r}"
                )
    return spellings


def _document(path: Path, wanted: type = dict) -> Any:
    if not path.is_file():
        return wanted()
    import yaml  # noqa: PLC0415 - heavy, only when a kind of name is first asked for

    try:
        document = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except (yaml.YAMLError, ValueError) as error:
        raise CatalogError(f"{path}: not readable as YAML: {' '.join(str(error).split())}") from error
    except OSError as error:
        raise CatalogError(f"{path}: cannot be read: {error.strerror}") from error
    if document is None:
        return wanted()
    if not isinstance(document, wanted):
        raise CatalogError(f"{path}:1: the file must hold a {'mapping' if wanted is dict else 'list'}")
    return document


def _mapping(path: Path, name: Any, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, dict):
        raise CatalogError(f"{_place(path, name)}: entry {name!r} must be a mapping, not {value!r}")
    return value


def _place(path: Path, name: Any) -> str:
    """``file:line`` of an entry, found by its key; the file alone if it cannot be found."""
    for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
        if line.strip().strip("\"'").startswith(f"{name}") and ":" in line:
            return f"{path}:{number}"
    return str(path)
