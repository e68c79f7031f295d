"""Config → parts that are known to be right: sources, rules and receivers are all built before anything is checked."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from watcher.credentials import demand
from watcher.errors import ConfigError, RuleError
from watcher.pipeline.receivers import check_receivers
from watcher.wiring import rules_stamp, sources_of, wire

if TYPE_CHECKING:
    from watcher.config import Config
    from watcher.pipeline.parts import Watcher
    from watcher.store import Store

_TRIES = 3


def load(config: Config, store: Store) -> Watcher:
    """Return wired parts whose sources, rules and receivers are valid; nothing changes before the next load.

    Raises ConfigError, RuleError or CatalogError. Files that change while they are read are read once more.
    """
    from watcher.sources import options_of  # noqa: PLC0415 - only at a start or reload

    demand(config.secrets)
    sources = sources_of(config)
    for source in sources:
        options_of(source)
    address_of(config)
    for _ in range(_TRIES):
        watcher = wire(config, store, sources=sources)
        stamp, _ = rules_stamp(config), watcher.claims_reader
        rules = watcher.make_rules()
        if rules_stamp(config) == stamp:
            break
    else:
        raise RuleError("the rule files change while they are read; reload again when they are whole")
    watcher.rules = rules
    watcher.rules_stamp = lambda: stamp
    check_receivers(watcher)
    return watcher


def address_of(config: Config) -> tuple[str, int] | None:
    """Return host and port of the health page, None without one. Raises ConfigError for any but this machine."""
    if config.http is None:
        return None
    where = f"{config.file or 'config'}: watcher.http"
    host, _, port = config.http.rpartition(":")
    host = host.strip("[]")
    if host == "localhost":
        host = "127.0.0.1"
    if not port.isdigit() or not host or int(port) > 65535:
        raise ConfigError(
            f'{where}: must be an address and a port such as "127.0.0.1:9464", not {config.http!r}'
        )
    try:
        loopback = ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise ConfigError(
            f"{where}: {host} is not this machine's loopback; the page has no password, so it is served on 127.0.0.1 "
            "or ::1 only (put a proxy with one before it)"
        )
    return host, int(port)
