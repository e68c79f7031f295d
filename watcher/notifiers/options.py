"""A notifier's options: the fields of its dataclass, validated once, at the door.

A field's metadata may say: ``help`` (one phrase), ``option`` (false: given by the program, not by the config),
``plain`` (may this secret stand in the config as it is: true, or a function of its value).
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from watcher.domain import Secret
from watcher.errors import ConfigError, SecretError
from watcher.nearest import did_you_mean

Made = TypeVar("Made")


class Option(Struct, frozen=True):
    """One option: its name, type in words, whether it must be given, whether it is a secret, default and help.

    A secret ``token`` is given as ``token_file`` or ``token_env``; with ``plain`` also as it is.
    """

    name: str
    type: str
    required: bool
    secret: bool
    default: str
    help: str
    plain: bool = False


def options(cls: type[Any]) -> tuple[Option, ...]:
    """Return the options of a notifier's class, in its fields' order."""
    hints = typing.get_type_hints(cls)
    return tuple(
        Option(
            name=f.name,
            type=_type_in_words(hints[f.name]),
            required=f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING,
            secret=Secret in _choices(hints[f.name]),
            default="" if f.default in {dataclasses.MISSING, None} else str(f.default),
            help=str(f.metadata.get("help", "")),
            plain=f.metadata.get("plain") is True,
        )
        for f in _option_fields(cls)
    )


def build(
    cls: type[Made], name: str, kind: str, values: Mapping[str, Any], *, given: Mapping[str, Any]
) -> Made:
    """Build ``cls`` from a receiver's options; raises ConfigError naming receiver, option and fix."""
    fields = {f.name: f for f in _option_fields(cls)}
    hints = typing.get_type_hints(cls)
    where = f"receiver {name!r} ({kind})"
    checked: dict[str, Any] = {}
    for key, value in values.items():
        if key not in fields:
            raise ConfigError(f"{where}: unknown option {key!r}{did_you_mean(key, fields)}")
        checked[key] = _checked(value, hints[key], fields[key], where)
    for option in options(cls):
        if option.required and option.name not in checked:
            ways = f"{option.name}_file or {option.name}_env" if option.secret else option.name
            raise ConfigError(f"{where}: {ways} is missing ({option.help})")
    make: Callable[..., Made] = cls
    try:
        return make(name=name, **checked, **given)
    except SecretError:
        raise  # it names the key itself
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None


def _option_fields(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    return tuple(
        f for f in dataclasses.fields(cls) if f.name != "name" and f.metadata.get("option", True) is not False
    )


def _checked(value: Any, hint: Any, field: dataclasses.Field[Any], where: str) -> Any:
    choices = _choices(hint)
    if Secret in choices and isinstance(value, str):
        plain = field.metadata.get("plain")
        if plain is True or (plain is not None and plain(value)):
            return Secret(value)
        raise ConfigError(
            f"{where}: {field.name} is a secret and does not belong in the config; "
            f"name a file with {field.name}_file or a variable with {field.name}_env"
        )
    if isinstance(value, Secret) and Secret not in choices and str in choices:
        return value.reveal()  # NAME_env and NAME_file may give any text, and this one is no secret
    literals = [c for c in choices if not isinstance(c, type)]
    if literals:
        if value not in literals:
            raise ConfigError(
                f"{where}: {field.name} = {value!r} is not known{did_you_mean(str(value), map(str, literals))}"
            )
        return value
    if float in choices and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, bool) and bool not in choices:
        raise ConfigError(f"{where}: {field.name} must be {_type_in_words(hint)}, not true or false")
    if not isinstance(value, tuple(choices)):
        shown = "a secret" if isinstance(value, Secret) else repr(value)
        raise ConfigError(f"{where}: {field.name} must be {_type_in_words(hint)}, not {shown}")
    return value


def _choices(hint: Any) -> list[Any]:
    """Return the types and literal values that ``hint`` allows."""
    if typing.get_origin(hint) in {typing.Union, types.UnionType}:
        return [c for part in typing.get_args(hint) for c in _choices(part)]
    if typing.get_origin(hint) is typing.Literal:
        return list(typing.get_args(hint))
    return [hint]


_WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    Secret: "a secret",
}


def _type_in_words(hint: Any) -> str:
    parts = [c for c in _choices(hint) if c is not types.NoneType]
    return " or ".join(_WORDS.get(c, str(c)) for c in parts)
