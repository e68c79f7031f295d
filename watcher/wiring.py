"""Config → parts: the sources in force, and a `Watcher` whose parts are made on first use."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from watcher import __version__
from watcher.config import Config, ReceiverConfig
from watcher.domain import Secret, Source
from watcher.durations import LONGEST, seconds
from watcher.errors import ConfigError
from watcher.nearest import did_you_mean
from watcher.pipeline.parts import Watcher, go_on

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog
    from watcher.fetch import Fetcher
    from watcher.notifiers import Notifier
    from watcher.rules import RuleSet
    from watcher.store import Store

SOURCE_KEYS = (
    "kind",
    "url",
    "every",
    "vendor",
    "group",
    "suite",
    "allow_hosts",
    "token",
    "stale_after",
    "enabled",
)
_GITHUB_OPTIONS = ("api", "raw", "web", "organisation")


def sources_of(config: Config) -> tuple[Source, ...]:
    """Return the sources in force: the built-in groups that are turned on, changed and added to by the config."""
    from watcher.sources.defaults import load as built_in  # noqa: PLC0415 - reads a file

    shipped = built_in()
    groups = {source.group for source in shipped}
    for group in config.groups:
        if group not in groups:
            raise ConfigError(
                f"{config.file}: watcher.groups: there is no group {group!r}{did_you_mean(group, groups)}"
            )
    found = {source.name: _with_github(source, config) for source in shipped if source.group in config.groups}
    known = {source.name: source for source in shipped}
    for given in config.sources:
        values = dict(given.values)
        if values.pop("enabled", True) is False:
            found.pop(given.name, None)
            continue
        base = found.get(given.name) or known.get(given.name)
        found[given.name] = _with_github(_source(given.name, values, base, config), config)
    return tuple(found.values())


def _source(name: str, values: Mapping[str, Any], base: Source | None, config: Config) -> Source:
    where = f"{config.file}: sources.{name}"
    if base is None:
        missing = [key for key in ("kind", "url") if key not in values]
        if missing:
            raise ConfigError(f"{where}: {missing[0]} is missing")
        base = Source(name=name, kind=str(values["kind"]), url=str(values["url"]))
    changes: dict[str, Any] = {"options": {**base.options}}
    for key, value in values.items():
        if key in {"every", "stale_after"}:
            changes[key] = _seconds(f"{where}.{key}", value)
        elif key == "allow_hosts":
            hosts = value if isinstance(value, list) else [value]
            changes[key] = tuple(_text(f"{where}.{key}", host) for host in hosts)
        elif key == "token":
            changes["secret"] = value if isinstance(value, Secret) else _not_secret(f"{where}.{key}")
        elif key in SOURCE_KEYS:
            changes[key] = _text(f"{where}.{key}", value)
        else:
            changes["options"][key] = value
    source = replace(base, **changes)
    from watcher.sources import options_of  # noqa: PLC0415 - only for a source that the config names

    options_of(source)
    return source


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: must be a text, not {value!r}")
    return value


def _not_secret(where: str) -> Secret:
    raise ConfigError(f"{where}: is a secret; name it by token_env or token_file")


def _seconds(where: str, value: Any) -> float:
    read = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    if isinstance(value, str):
        read = seconds(value)
    if read is None or not 0 < read <= LONGEST:
        raise ConfigError(
            f'{where}: must be a duration such as "15m" or "6h", at most ten years, not {value!r}'
        )
    return read


def _with_github(source: Source, config: Config) -> Source:
    """Point a source of result repositories at the configured GitHub, with its token."""
    if source.kind != "results_repos" or not config.github:
        return source
    options = {
        **source.options,
        **{key: config.github[key] for key in _GITHUB_OPTIONS if key in config.github},
    }
    return replace(
        source,
        url=str(config.github.get("api", source.url)),
        options=options,
        secret=source.secret or config.github.get("token"),
        allow_hosts=source.allow_hosts + tuple(config.github.get("allow_hosts", ())),
    )


def rule_files(config: Config) -> tuple[Path, ...]:
    """Return the rule files in force, in order. Raises ConfigError for a folder that is not there."""
    files: list[Path] = []
    for place in config.rules:
        if place.is_dir():
            files += sorted([*place.glob("*.yaml"), *place.glob("*.yml")])
        elif place.is_file():
            files.append(place)
        else:
            raise ConfigError(f"{config.file or 'config'}: watcher.rules: there is no {place}")
    return tuple(files)


def load_rules(config: Config, catalog: Catalog) -> RuleSet:
    """Load the rules in force.

    Raises RuleError naming file, line, the wrong word and the nearest right one, and ConfigError for a receiver that
    asks for a rule or watch that there is not: it would never be told anything.
    """
    from watcher.rules import load  # noqa: PLC0415 - reads files

    return _asked_for(load(rule_files(config), catalog, [each.name for each in config.receivers]), config)


def _rules_of_a_pass(config: Config, catalog: Catalog) -> RuleSet:
    """Return the rules in force as `load_rules` does; ours need not be read, where they are as we ship them."""
    from watcher.rules import read_files  # noqa: PLC0415 - reads files
    from watcher.rules.kept import shipped  # noqa: PLC0415

    rules = shipped(read_files(rule_files(config)), catalog)
    return load_rules(config, catalog) if rules is None else _asked_for(rules, config)


def _asked_for(rules: RuleSet, config: Config) -> RuleSet:
    """Return the rules, if every rule and watch that a receiver asks for is there. Raises ConfigError."""
    from watcher.rules.watches import WATCHES  # noqa: PLC0415 - with the rules

    for receiver in config.receivers:
        for key, what, words, known in (
            ("rules", "rule", receiver.rules, tuple(rules.by_id)),
            ("watches", "watch", receiver.watches, tuple(WATCHES)),
        ):
            for word in words:
                pattern = bool(set(word) & set("*?["))  # what it means may come later
                if not pattern and word.casefold() not in {name.casefold() for name in known}:
                    where = f"{config.file or 'config'}: receivers.{receiver.name}.{key}"
                    raise ConfigError(f"{where}: there is no {what} {word!r}{did_you_mean(word, known)}")
    return rules


def rules_stamp(config: Config) -> str:
    """Return a hash over all that decides whether rules and receivers are valid, so that valid ones are checked once.

    A secret's value is not in it.
    """
    made = hashlib.blake2b(__version__.encode(), digest_size=16)
    places = [*rule_files(config), *(sorted(config.catalog.glob("*")) if config.catalog else ())]
    for place in places:
        made.update(f"\0{place}\0".encode())
        made.update(place.read_bytes())
    made.update(repr((config.receivers, config.default_receivers)).encode())
    return made.hexdigest()


def wire(
    config: Config,
    store: Store,
    *,
    sources: Iterable[Source] = (),
    reach: Callable[[str], None] = go_on,
    stream: Any = None,
) -> Watcher:
    """Return the wired parts; nothing is loaded or opened before it is needed."""

    def catalog() -> Catalog:
        from watcher.catalog.names import load  # noqa: PLC0415 - reads files

        return load(config.catalog)

    def fetcher() -> Fetcher:
        from watcher.fetch import Fetcher, user_agent  # noqa: PLC0415 - brings requests

        return Fetcher(user_agent=user_agent(config.contact), timeout=config.timeout, min_gap=config.gap)

    def notifier(receiver: str, recipient: str) -> Notifier:
        return make_notifier(config.receiver(receiver), recipient, stream)

    made = Watcher(
        config=config,
        store=store,
        sources=tuple(sources),
        make_catalog=catalog,
        make_rules=lambda: _rules_of_a_pass(config, made.catalog),
        rules_stamp=lambda: rules_stamp(config),
        make_fetcher=fetcher,
        make_notifier=notifier,
        reach=reach,
    )
    return made


def make_notifier(receiver: ReceiverConfig, recipient: str, stream: Any = None) -> Notifier:
    """Build the notifier of one recipient. Raises ConfigError naming receiver, option and the nearest right one."""
    from watcher.notifiers import make  # noqa: PLC0415 - only when something is to be sent

    options = dict(receiver.options)
    if recipient:
        options["to"] = recipient
    given = {"stream": stream} if receiver.kind == "console" and stream is not None else {}
    return make(receiver.name, receiver.kind, options, **given)
