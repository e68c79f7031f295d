"""``config``: what is in force, and where each value came from."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from watcher.cli.session import ADDRESSES, Session, command
from watcher.domain import Secret

if TYPE_CHECKING:
    from watcher.config import ReceiverConfig

_TABLES = ("sources", "receivers", "github", "origins")
_SECONDS = frozenset({"timeout", "gap", "deadline"})


@command("config")
def config(session: Session) -> None:
    """Print what is in force and where each value came from.

    Secrets are shown as <secret>, and those that cannot be had by the variable or file that should hold them.

    \b
    mlperf-watcher config
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    found = session.config
    for receiver in found.receivers:
        _check(session, receiver.name)
    names = [name for name in found.__struct_fields__ if name not in _TABLES]
    values: dict[str, Any] = {name: _plain(getattr(found, name)) for name in names}
    values["state"] = str(session.state)
    origins = dict(found.origins) | ({"state": "--state"} if session.state_file else {})
    if found.file is not None:
        origins["file"] = "--config" if session.config_file else "found here"
    document = {
        "config": [{"key": name, "value": values[name], "from": origins.get(name, "built in")} for name in names],
        "receivers": [
            {"name": r.name, "kind": r.kind, **{key: _plain(getattr(r, key)) for key in r.__struct_fields__ if key not in {"name", "kind"}}}
            for r in map(_sealed, found.receivers)
        ],
        "github": _plain(dict(found.github)),
        "sources": [{"name": s.name, **_plain(dict(s.values))} for s in found.sources],
    }  # fmt: skip

    def text() -> str:
        lines = [
            f"{name:<20} {_measured(name, values[name]):<50} ({origins.get(name, 'built in')})"
            for name in names
        ]
        for receiver in document["receivers"]:
            lines.append(f"[receivers.{receiver['name']}]")
            lines += [
                f"  {key:<18} {_shown(value)}"
                for key, value in receiver.items()
                if key != "name" and value not in (None, [], {})
            ]
        for title, table in (("github", document["github"]),):
            if table:
                lines.append(f"[{title}]")
                lines += [f"  {key:<18} {_shown(value)}" for key, value in table.items()]
        for source in document["sources"]:
            lines.append(f"[sources.{source['name']}]")
            lines += [f"  {key:<18} {_shown(value)}" for key, value in source.items() if key != "name"]
        return "\n".join(lines)

    session.emit(document, text)


def _sealed(receiver: ReceiverConfig) -> ReceiverConfig:
    """Return a receiver whose address is a secret even where it is written in the config."""
    options = {
        key: Secret(value) if key in ADDRESSES and isinstance(value, str) else value
        for key, value in receiver.options.items()
    }
    return replace(receiver, options=options)


def _check(session: Session, name: str) -> None:
    """Build each notifier, so that a wrong option of a receiver is told here and not when an alert is due."""
    from watcher.errors import SecretError  # noqa: PLC0415
    from watcher.wiring import make_notifier  # noqa: PLC0415

    receiver = session.config.receiver(name)
    with suppress(SecretError):  # shown with its value
        for recipient in receiver.to or ("",):
            make_notifier(receiver, recipient)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(held) for key, held in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(held) for held in value]
    if isinstance(value, Secret) and value.unread is not None:
        return f"from {value.unread.name}, {value.unread.how}"
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _measured(name: str, value: Any) -> str:
    """Return a value for people with its unit, where it has one."""
    if value is not None and name in _SECONDS:
        return f"{value:g} s"
    if name == "keep_documents":
        return f"{value / 2**20:,.6g} MB"
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(held) for held in value) or "–"
    if isinstance(value, dict):
        return ", ".join(f"{key} = {held}" for key, held in value.items()) or "–"
    return "–" if value is None else str(value)
