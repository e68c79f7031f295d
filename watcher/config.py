"""watcher.toml and the environment → a strict, frozen Config; each value knows where it came from.

Unknown keys stop the start with the file, the wrong word and the nearest right one. A secret is named by a key that
ends in ``_env`` (an environment variable) or ``_file`` (a file, for example of systemd's credentials), never written
into the file itself, and asked for only by what needs it (`watcher.credentials`).
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Struct, field

from watcher.credentials import of_environment, of_file
from watcher.domain import SEVERITIES, Secret
from watcher.durations import LONGEST, seconds
from watcher.errors import ConfigError
from watcher.nearest import did_you_mean

DEFAULT_FILE = "watcher.toml"
DEFAULT_STATE = "state/watcher.db"
DEFAULT_GROUPS = ("mlcommons",)


class SourceConfig(Struct, frozen=True, kw_only=True):
    """What the config says of one source; ``values`` as written, secrets read."""

    name: str
    values: Mapping[str, Any]


class ReceiverConfig(Struct, frozen=True, kw_only=True):
    """A named destination. ``options`` are the notifier's own, checked by it; ``to`` is one delivery each.

    ``min_severity``, ``rules`` and ``watches`` are its filter (() means all); ``quiet_hours`` are local times in ``zone``
    between which only critical alerts come at once; ``digest_at`` the local time of the daily digest, null: none.
    """

    name: str
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    to: tuple[str, ...] = ()
    zone: str = "UTC"
    min_severity: str = "info"
    rules: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    quiet_hours: tuple[str, str] | None = None
    digest_at: str | None = None
    alerts: bool = True
    burst: int = 5


class Config(Struct, frozen=True, kw_only=True):
    """What is in force. Durations are seconds, paths absolute; ``origins`` says of each value where it came from."""

    file: Path | None = None
    state: Path = Path(DEFAULT_STATE)
    rules: tuple[Path, ...] = ()
    catalog: Path | None = None
    contact: str | None = None
    zone: str = "UTC"
    base_url: str | None = None
    default_receivers: tuple[str, ...] = ()
    trouble_receivers: tuple[str, ...] = ()
    groups: tuple[str, ...] = DEFAULT_GROUPS
    sources: tuple[SourceConfig, ...] = ()
    receivers: tuple[ReceiverConfig, ...] = ()
    github: Mapping[str, Any] = field(default_factory=dict)
    keep_documents: int = 256 * 2**20
    timeout: float = 30.0
    gap: float = 0.5
    deadline: float | None = None
    ping_url: Secret | None = None
    http: str | None = None
    log_format: str = "text"
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """Every secret that the config names, whether it can be had or not."""
        tables = [self.github, *(s.values for s in self.sources), *(r.options for r in self.receivers)]
        found = [value for table in tables for value in table.values() if isinstance(value, Secret)]
        return (*found, self.ping_url) if self.ping_url else tuple(found)

    def receiver(self, name: str) -> ReceiverConfig:
        """Return a receiver by name. Raises ConfigError with the nearest one."""
        for receiver in self.receivers:
            if receiver.name == name:
                return receiver
        names = [receiver.name for receiver in self.receivers]
        raise ConfigError(
            f"{self.file or 'config'}: there is no receiver {name!r}{did_you_mean(name, names)}"
        )


class _Key(Struct, frozen=True):
    read: Callable[[_Place, Any], Any]
    help: str


class _Place(Struct, frozen=True):
    """Where a value stands, for messages and for paths that are relative to the file."""

    file: Path
    key: str
    environ: Mapping[str, str]

    def error(self, message: str) -> ConfigError:
        return ConfigError(f"{self.file}: {self.key}: {message}")

    def at(self, name: str) -> _Place:
        return _Place(self.file, f"{self.key}.{name}" if self.key else name, self.environ)


def load(file: Path | None, environ: Mapping[str, str], *, cwd: Path) -> Config:
    """Read the config. ``file`` None: ``./watcher.toml`` if it is there, else the built-in defaults.

    Raises ConfigError naming file, key, value and the nearest valid one.
    """
    path = file if file is not None else cwd / DEFAULT_FILE
    if not path.exists():
        if file is not None:
            raise ConfigError(f"{file}: there is no such file; `mlperf-watcher init` writes one")
        return _finish(Config(), {}, cwd)
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    return _finish(_read(values, _Place(path, "", environ)), values, path.absolute().parent)


def _finish(config: Config, values: Mapping[str, Any], base: Path) -> Config:
    from msgspec.structs import replace  # noqa: PLC0415 - one use

    origin = str(config.file) if config.file else "built in"
    given = values.get("watcher", {})
    origins = {
        name: origin if name in given or name in values else "built in"
        for name in Config.__struct_fields__
        if name not in {"file", "origins"}
    }
    rules = config.rules
    if not rules:
        local = base / "rules"
        rules = (local,) if local.is_dir() else (packaged_rules(),)
        origins["rules"] = "the folder beside the config" if local.is_dir() else "shipped"
    return replace(
        config,
        state=_absolute(config.state, base),
        rules=tuple(_absolute(folder, base) for folder in rules),
        catalog=None if config.catalog is None else _absolute(config.catalog, base),
        origins=origins,
    )


def packaged_rules() -> Path:
    """Return the folder of the rules that we ship: inside the wheel, or beside the package in a checkout."""
    inside = Path(__file__).parent / "shipped_rules"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "rules"


def _absolute(path: Path, base: Path) -> Path:
    path = path.expanduser()
    return path if path.is_absolute() else base / path


# ------------------------------------------------------------------------------------------------ reading values


def _read(values: Mapping[str, Any], place: _Place) -> Config:
    _known(values, ("watcher", "github", "sources", "receivers"), place)
    top = _table(values.get("watcher", {}), place.at("watcher"))
    inside = place.at("watcher")
    plain = _without_secrets(top, inside)
    _known(plain, _WATCHER, inside)
    read = {name: _WATCHER[name].read(inside.at(name), value) for name, value in plain.items()}
    sources = _table(values.get("sources", {}), place.at("sources"))
    groups = read.pop("groups", DEFAULT_GROUPS)
    receivers = tuple(
        _receiver(
            name,
            _table(value, place.at(f"receivers.{name}")),
            place.at(f"receivers.{name}"),
            read.get("zone", "UTC"),
        )
        for name, value in _table(values.get("receivers", {}), place.at("receivers")).items()
    )
    names = [receiver.name for receiver in receivers]
    for key in ("default_receivers", "trouble_receivers"):
        for name in read.get(key, ()):
            if name not in names:
                raise inside.at(key).error(f"there is no receiver {name!r}{did_you_mean(name, names)}")
    if "default_receivers" not in read:
        read["default_receivers"] = tuple(receiver.name for receiver in receivers if receiver.alerts)
    return Config(
        file=place.file,
        groups=groups,
        sources=tuple(
            SourceConfig(
                name=name,
                values=_without_secrets(
                    _table(value, place.at(f"sources.{name}")), place.at(f"sources.{name}")
                ),
            )
            for name, value in sources.items()
        ),
        receivers=receivers,
        github=_github(_table(values.get("github", {}), place.at("github")), place.at("github")),
        **read,
    )


def _github(values: Mapping[str, Any], place: _Place) -> Mapping[str, Any]:
    plain = _without_secrets(values, place)
    _known(plain, ("api", "raw", "web", "organisation", "token", "allow_hosts"), place)
    return {
        name: _texts(place.at(name), value) if name == "allow_hosts" else value if isinstance(value, Secret)
        else _text(place.at(name), value)
        for name, value in plain.items()
    }  # fmt: skip


def _receiver(name: str, values: Mapping[str, Any], place: _Place, zone: str) -> ReceiverConfig:
    plain = dict(_without_secrets(values, place))
    kind = plain.pop("kind", None)
    if not isinstance(kind, str):
        raise place.error('needs a kind, for example kind = "slack"')
    read: dict[str, Any] = {"zone": zone}
    for key in [key for key in plain if key in _RECEIVER]:
        read[key] = _RECEIVER[key].read(place.at(key), plain.pop(key))
    return ReceiverConfig(name=name, kind=kind, options=plain, **read)


def _without_secrets(values: Mapping[str, Any], place: _Place) -> Mapping[str, Any]:
    """Replace ``NAME_env`` and ``NAME_file`` by ``NAME`` as a Secret."""
    folder = place.file.absolute().parent
    read: dict[str, Any] = {}
    for key, value in values.items():
        inside = place.at(key)
        where = f"{inside.file}: {inside.key}"
        if key.endswith("_env"):
            read[key.removesuffix("_env")] = of_environment(where, _text(inside, value), place.environ)
        elif key.endswith("_file"):
            read[key.removesuffix("_file")] = of_file(where, _text(inside, value), place.environ, folder)
        else:
            read[key] = value
    return read


def _known(values: Mapping[str, Any], names: Collection[str], place: _Place) -> None:
    for key in values:
        if key not in names:
            raise place.at(key).error(f"unknown key {key!r}{did_you_mean(key, names)}")


def _table(value: Any, place: _Place) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise place.error("must be a table, such as [" + place.key + "]")
    return value


def _text(place: _Place, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise place.error(f"must be a text, not {value!r}")
    return value


def _texts(place: _Place, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise place.error(f"must be a list of texts, not {value!r}")
    return tuple(value)


def _yes_no(place: _Place, value: Any) -> bool:
    if not isinstance(value, bool):
        raise place.error(f"must be true or false, not {value!r}")
    return value


def _path(place: _Place, value: Any) -> Path:
    return Path(_text(place, value))


def _paths(place: _Place, value: Any) -> tuple[Path, ...]:
    return tuple(Path(item) for item in _texts(place, value))


def _duration(place: _Place, value: Any) -> float:
    read = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    if isinstance(value, str):
        read = seconds(value)
    if read is None or not 0 < read <= LONGEST:  # TOML has inf and nan
        raise place.error(f'must be a duration such as "15m" or "6h", at most ten years, not {value!r}')
    return read


def _size(place: _Place, value: Any) -> int:
    found = re.fullmatch(r"(\d+)\s*(MB|GB)", value.strip()) if isinstance(value, str) else None
    if found is None:
        raise place.error(f'must be a size such as "256 MB", not {value!r}')
    return int(found[1]) * 2 ** (20 if found[2] == "MB" else 30)


def _count(place: _Place, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise place.error(f"must be a whole number of at least 1, not {value!r}")
    return value


def _zone(place: _Place, value: Any) -> str:
    name = _text(place, value)
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise place.error(
            f"{name!r} is no time zone; write it as Europe/Berlin or America/New_York"
        ) from error
    return name


def _clock(place: _Place, value: Any) -> str:
    text = _text(place, value)
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text):
        raise place.error(f"must be a time of day such as 08:00, not {value!r}")
    return text


def _hours(place: _Place, value: Any) -> tuple[str, str]:
    found = _text(place, value).split("-")
    if len(found) != 2:
        raise place.error(f'must be two times such as "22:00-07:00", not {value!r}')
    return _clock(place, found[0].strip()), _clock(place, found[1].strip())


def _one_of(*names: str) -> Callable[[_Place, Any], str]:
    def read(place: _Place, value: Any) -> str:
        if value not in names:
            raise place.error(
                f"must be one of {', '.join(names)}, not {value!r}{did_you_mean(str(value), names)}"
            )
        return str(value)

    return read


def _web_address(place: _Place, value: Any) -> str:
    text = _text(place, value)
    if not text.startswith(("https://", "http://")):
        raise place.error(f"must be an https address, not {text!r}")
    return text


def _secret(place: _Place, value: Any) -> Secret:
    if not isinstance(value, Secret):
        raise place.error(
            f"is a secret; name it by {place.key.split('.')[-1]}_env or {place.key.split('.')[-1]}_file"
        )
    return value


_WATCHER: Mapping[str, _Key] = {
    "state": _Key(_path, "the state file"),
    "rules": _Key(_paths, "folders or files of rules"),
    "catalog": _Key(_path, "a folder of your own catalog entries"),
    "contact": _Key(_text, "an address or page that stands in our user agent, so that a site can reach you"),
    "zone": _Key(_zone, "the time zone of quiet hours and digests, unless a receiver names its own"),
    "base_url": _Key(_web_address, "where your report pages are served; messages link to them"),
    "default_receivers": _Key(_texts, "who gets an alert whose rule names nobody; left out: every receiver"),
    "trouble_receivers": _Key(
        _texts, "who hears of another receiver's trouble; left out: the default receivers"
    ),
    "groups": _Key(_texts, "groups of the built-in sources to check"),
    "keep_documents": _Key(_size, "how much of fetched documents to keep, compressed"),
    "timeout": _Key(_duration, "how long one request may take"),
    "gap": _Key(_duration, "how long to wait between two requests to one host"),
    "deadline": _Key(_duration, "how long one pass may take"),
    "ping_url": _Key(_secret, "an address to call after each good pass (a dead man's switch)"),
    "http": _Key(_text, "host:port of the daemon's health page, loopback only"),
    "log_format": _Key(_one_of("text", "json"), "how log lines are written"),
}
_RECEIVER: Mapping[str, _Key] = {
    "to": _Key(_texts, "the recipients; each is a delivery of its own"),
    "zone": _Key(_zone, "the time zone of this receiver"),
    "min_severity": _Key(_one_of(*SEVERITIES), "the least severity that comes here"),
    "rules": _Key(_texts, "the only rules that come here"),
    "watches": _Key(_texts, "the only kinds of rules that come here"),
    "quiet_hours": _Key(_hours, "local times between which only critical alerts come at once"),
    "digest_at": _Key(_clock, "the local time of the daily digest"),
    "alerts": _Key(_yes_no, "false: this receiver gets only the digest"),
    "burst": _Key(_count, "more alerts than this at once come as one message"),
}


def keys() -> Mapping[str, Mapping[str, str]]:
    """Return section → key → what it is for, for the docs and ``init``."""
    return {
        "watcher": {name: key.help for name, key in _WATCHER.items()},
        "receivers.NAME": {name: key.help for name, key in _RECEIVER.items()},
    }


def environment() -> Mapping[str, str]:
    """Return the environment of this process."""
    return os.environ
