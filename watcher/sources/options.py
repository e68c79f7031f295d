"""Options of a source as a table: names, types, help and defaults; validation with the nearest right word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from watcher.errors import ConfigError
from watcher.nearest import did_you_mean

WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
}


class Option(Struct, frozen=True):
    """One option. ``type`` is str, int, float, bool or tuple (a list of texts); ``default`` where it is left out.

    ``required``: it cannot be left out. ``choices``: the only values allowed. ``least``: the smallest number allowed.
    """

    type: type
    help: str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None


def validated(given: Mapping[str, Any], options: Mapping[str, Option], *, where: str) -> dict[str, Any]:
    """Return every option's value, given or default, in the type its row names.

    ``where`` starts each message. Raises ConfigError: unknown name, wrong type or value, a required one missing.
    """
    for name in given:
        if name not in options:
            raise ConfigError(f"{where}: unknown option {name!r}{did_you_mean(name, options)}")
    return {name: _value(given, name, option, where) for name, option in options.items()}


def _value(given: Mapping[str, Any], name: str, option: Option, where: str) -> Any:
    """Return one option's value, checked."""
    if name not in given:
        if option.required:
            raise ConfigError(f"{where}: option {name!r} is missing: {option.help}")
        return option.default
    value = given[name]
    if not _fits(value, option.type):
        raise ConfigError(f"{where}: option {name!r} must be {WORDS[option.type]}, not {value!r}")
    if option.choices and value not in option.choices:
        raise ConfigError(
            f"{where}: option {name!r}: unknown value {value!r}{did_you_mean(str(value), option.choices)}"
        )
    if option.least is not None and value < option.least:
        raise ConfigError(f"{where}: option {name!r} must be at least {option.least:g}, not {value!r}")
    return option.type(value)


def _fits(value: Any, kind: type) -> bool:
    """Tell whether a value from the config can stand for ``kind``; true is not a number here."""
    if kind is tuple:
        return isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value)
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
