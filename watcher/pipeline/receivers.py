"""Receivers as the outbox calls them, and whether any of them would ever be told anything."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from watcher.errors import ConfigError, SecretError

if TYPE_CHECKING:
    from watcher.config import Config, ReceiverConfig
    from watcher.pipeline.parts import Watcher


def check_receivers(watcher: Watcher) -> None:
    """Raise ConfigError for a receiver with wrong options, and where no rule would reach anybody.

    Without any receiver ``run`` prints the alerts itself.
    """
    config = watcher.config
    for address, receiver in by_address(config).items():
        if "/" in receiver.name:
            raise ConfigError(f"{config.file or 'config'}: receivers.{receiver.name}: a name has no '/'")
        with suppress(SecretError):  # who sends asks for all of them
            watcher.notifier(receiver.name, address.partition("/")[2])
    heard = {name for rule in watcher.rules.rules if rule.enabled for name in rule.receivers}
    if (
        not config.receivers
        or config.default_receivers
        or heard
        or any(r.digest_at for r in config.receivers)
    ):
        return
    raise ConfigError(
        f"{config.file or 'config'}: no rule would reach anybody: no receiver gets alerts or a digest; "
        "set watcher.default_receivers, or give a receiver digest_at"
    )


def by_address(config: Config) -> Mapping[str, ReceiverConfig]:
    """Return what the outbox calls each receiver's recipients → the receiver."""
    return {address: receiver for receiver in config.receivers for address in addresses(receiver)}


def addresses(receiver: ReceiverConfig) -> tuple[str, ...]:
    """Return what the outbox calls a receiver: its name, or one ``name/recipient`` each."""
    return tuple(f"{receiver.name}/{to}" for to in receiver.to) or (receiver.name,)


def name_of(address: str) -> str:
    """Return the receiver's name in the config."""
    return address.partition("/")[0]
