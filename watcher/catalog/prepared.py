"""Prepared forms: what our own YAML files come to, kept beside them, so that no pass has to read them.

Each carries a stamp of all that it was made of, code too. Where the stamp is another one, or the file is missing or
damaged, the form is passed over, and the files themselves are read as they stand. `watcher.prepare` writes the
forms anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

Form = TypeVar("Form", bound=msgspec.Struct)


def stamp_of(files: Iterable[Path], *said: str) -> str | None:
    """A hash over the bytes of files, and of words; null where one of the files cannot be read."""
    made = hashlib.blake2b("\0".join(said).encode(), digest_size=12)
    try:
        for file in files:
            body = file.read_bytes()
            made.update(len(body).to_bytes(8, "big") + body)
    except OSError:
        return None
    return made.hexdigest()


class _Kept(msgspec.Struct, frozen=True):
    """A file as written."""

    stamp: str
    form: msgspec.Raw


def read(file: Path, form: type[Form], stamp: str | None) -> Form | None:
    """The form in a file; null where there is none of this stamp."""
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=_Kept)
        return msgspec.json.decode(kept.form, type=form) if kept.stamp == stamp else None
    except (OSError, msgspec.DecodeError):
        return None


def write(file: Path, form: msgspec.Struct, stamp: str) -> None:
    """Write a form, the same bytes for the same values: sets in order, an entry a line."""
    kept = {"stamp": stamp, "form": form}
    body = json.dumps(kept, default=_plain, ensure_ascii=False, indent=0, separators=(",", ":"))
    file.write_text(f"{body}\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    """A value that JSON has no word for in one that it has; fields as they are by default are left out."""
    if isinstance(value, frozenset):
        return sorted(value)
    if not isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    found: dict[str, Any] = {}
    for each in msgspec.structs.fields(value):
        given = getattr(value, each.name)
        if each.required or given != each.default:
            found[each.name] = given
    return found
