"""Secrets that the config names: read from the environment or a file, and asked for only by what needs them.

A secret that cannot be had does not stop a command that only asks: it is handed on as one that says why. What sends or
fetches with it is told so (`Secret.reveal`), and what would need all of them says so at its start (`demand`).
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from watcher.domain import Secret, Unread
from watcher.errors import SecretError

CREDENTIALS = "CREDENTIALS_DIRECTORY"  # where systemd's LoadCredential puts files
_LONGEST = 65_536  # characters; what is named by mistake may have no end


class _Wrong(NamedTuple):
    """Why a secret cannot be had: in short, and as a sentence with the fix."""

    how: str
    why: str


def of_environment(where: str, name: str, environ: Mapping[str, str]) -> Secret:
    """Return the secret that a variable holds. ``where``: file and key of the config, for what is said of it."""
    held = environ.get(name, "").strip()
    if not held:
        return _unread(
            where, name, _Wrong("not set", f"the environment has no {name}; set it, or remove this key")
        )
    return _printable(where, name, held)


def of_file(where: str, name: str, environ: Mapping[str, str], folder: Path) -> Secret:
    """Return the secret that a file holds: one of systemd's credentials, else one beside the config (``folder``)."""
    path = Path(name).expanduser()
    if not path.is_absolute():
        given = environ.get(CREDENTIALS)
        path = Path(given) / path if given and (Path(given) / path).exists() else folder / path
    held = _read(path)
    return _unread(where, name, held) if isinstance(held, _Wrong) else _printable(where, name, held)


def demand(secrets: Iterable[Secret]) -> None:
    """Raise SecretError that names every secret that is asked for and cannot be had."""
    wrong = [secret.unread.why for secret in secrets if secret.unread is not None]
    if wrong:
        raise SecretError("; ".join(dict.fromkeys(wrong)))


def _read(path: Path) -> str | _Wrong:
    try:
        mode = path.stat().st_mode
        with path.open(encoding="utf-8") as file:
            held = file.read(_LONGEST).strip()
    except FileNotFoundError:
        return _Wrong("not there", f"there is no file {path}; put the secret there, or remove this key")
    except (OSError, UnicodeDecodeError) as error:
        why = "it is no text" if isinstance(error, UnicodeDecodeError) else error.strerror
        return _Wrong("cannot be read", f"the secret in {path} cannot be read ({why})")
    if mode & (stat.S_IWGRP | stat.S_IWOTH | stat.S_IROTH):
        return _Wrong("open to others", f"{path} can be read or written by others; run `chmod 600 {path}`")
    if not held:
        return _Wrong("empty", f"{path} is empty")
    return held


def _printable(where: str, name: str, held: str) -> Secret:
    """Return a secret that can stand in a header: what refuses another one later may print it."""
    if not held.isprintable():
        why = f"the secret in {name} holds a line end or another sign that is not printable"
        return _unread(where, name, _Wrong("not printable", why))
    return Secret(held)


def _unread(where: str, name: str, wrong: _Wrong) -> Secret:
    return Secret("", unread=Unread(name, wrong.how, f"{where}: {wrong.why}"))
