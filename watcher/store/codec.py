"""Domain values ↔ what a database cell holds: JSON text for values, ISO text for times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from msgspec import DecodeError
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from watcher import domain
from watcher.errors import StateError
from watcher.migrations import MACHINE_COLUMNS, RUN_COLUMNS

_LISTS_OF_MACHINE = tuple(
    MACHINE_COLUMNS.index(name)
    for name in ("system_type", "organisations", "accelerators", "software", "precision")
)
_PLAIN_OF_RUN = RUN_COLUMNS[:-4]
_encode = json.JSONEncoder(ensure_ascii=False).encode
_values = Encoder(order="deterministic").encode  # equal values have equal text


def dumps(value: domain.Value | Sequence[domain.Value] | None) -> str:
    """Return a value, or several, as JSON text."""
    return _values(value).decode()


def loads(text: str, kind: Any) -> Any:
    """Read what `dumps` wrote of a ``kind``, a type or a union. Raises StateError for anything else."""
    try:
        return _decoder(kind).decode(text)
    except DecodeError as error:
        raise damaged(f"{error}: {text[:80]!r}") from error


def damaged(how: str) -> StateError:
    """Return the error for what somebody else wrote into the state."""
    return StateError(
        f"the state holds a value that cannot be read ({how}); restore a backup (docs/deploy.md)",
        damaged=True,
    )


@cache
def _decoder(kind: Any) -> Decoder[Any]:
    return Decoder(kind)


def iso(value: datetime | None) -> str | None:
    """Return a time as ISO text in UTC, or None."""
    return None if value is None else value.isoformat(timespec="microseconds")


@lru_cache(maxsize=64)  # rows that are read together share their times
def time(text: str | None) -> datetime | None:
    """Read what `iso` wrote."""
    return None if text is None else datetime.fromisoformat(text)


def machine_facts(result: domain.Result) -> tuple[Any, ...]:
    """Return the facts of a result that describe its machine, as MACHINE_COLUMNS has them; equal ones are of one machine."""
    return (
        result.suite, result.round, result.division, result.availability, result.submitter, result.platform,
        result.system_type, result.organisations, result.system_name, result.system, result.accelerator,
        result.accelerators, result.accelerator_published, result.accelerator_count, result.accelerators_per_node,
        result.nodes, result.processor, result.processors_per_node, result.processor_core_count, result.software,
        result.software_published, result.precision, result.operating_system, result.accelerator_power_limit_watts,
        result.notes,
    )  # fmt: skip


def machine_row(facts: Sequence[Any]) -> list[Any]:
    """Return `machine_facts` as the cells of MACHINE_COLUMNS."""
    row = list(facts)
    for place in _LISTS_OF_MACHINE:
        row[place] = _list_text(row[place]) if row[place] else None
    return row


def run_row(result: domain.Result) -> tuple[Any, ...]:
    """Return the rest of a result as the cells of RUN_COLUMNS."""
    return (
        result.benchmark_published, result.benchmark, result.scenario, result.value, result.unit, result.better,
        result.accuracy_target, result.accuracy, result.unit_published, result.inferred, result.url, result.entry,
        _list_text(result.tags) if result.tags else None,
        _list_text(result.power) if result.power else None,
        _encode(result.measures) if result.measures else None,
        _encode(result.extra) if result.extra else None,
    )  # fmt: skip


@lru_cache(maxsize=8192)
def _list_text(values: tuple[Any, ...]) -> str:
    """Return a list's JSON text; a table has few different ones."""
    return _encode(values)


@lru_cache(maxsize=8192)
def _list_of(text: str) -> tuple[Any, ...]:
    """Read what `_list_text` wrote."""
    return tuple(json.loads(text))


def machine_of(cells: Sequence[Any]) -> domain.Result:
    """Read the cells of MACHINE_COLUMNS as a result without a run. Raises StateError for cells that nobody wrote so."""
    facts: dict[str, Any] = dict(zip(MACHINE_COLUMNS, cells, strict=True))
    try:
        for place in _LISTS_OF_MACHINE:
            name = MACHINE_COLUMNS[place]
            facts[name] = _list_of(facts[name]) if facts[name] else ()
    except (ValueError, TypeError) as error:
        raise _damaged_result(error, facts["round"], facts["submitter"], facts["platform"]) from error
    return domain.Result(
        **facts, benchmark_published="", benchmark="", scenario=None, value=0.0, unit="", better="higher"
    )


def result_of(machine: domain.Result, cells: Sequence[Any], first_seen_at: str) -> domain.Result:
    """Read the cells of RUN_COLUMNS as a run on a ``machine``. Raises StateError as `machine_of` does."""
    *plain, tags, power, measures, extra = cells
    facts = dict(zip(_PLAIN_OF_RUN, plain, strict=True))
    if facts["inferred"] is not None:
        facts["inferred"] = bool(facts["inferred"])
    try:
        return replace(
            machine,
            **facts,
            tags=_list_of(tags) if tags else (),
            power=tuple(domain.Power(*held) for held in _list_of(power)) if power else (),
            measures=json.loads(measures) if measures else {},
            extra=json.loads(extra) if extra else {},
            first_seen_at=time(first_seen_at),
        )
    except (ValueError, TypeError) as error:
        raise _damaged_result(error, machine.round, machine.submitter, machine.platform) from error


def _damaged_result(error: Exception, *names: str) -> StateError:
    return damaged(f"{error}, in {' '.join(map(str, names))}")


def key_text(key: domain.ResultKey) -> str:
    """Return the natural key as one text."""
    return key.text


def key_of(text: str) -> domain.ResultKey:
    """Read what `key_text` wrote."""
    return domain.ResultKey._make(text.split("\x1f"))
