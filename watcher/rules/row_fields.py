"""Fields of one published row, one line each: used wherever a watch has a row."""

from __future__ import annotations

from operator import attrgetter

from watcher.domain import Result
from watcher.rules.row import Row


def _submitter(result: Result) -> tuple[str, ...]:
    return (result.submitter, *result.organisations)


def _round(result: Result) -> tuple[str, ...]:
    return (result.round, f"{result.suite}-{result.round}")


def _power(result: Result) -> tuple[str, ...]:
    return tuple(f"{power.kind} {power.value:,.2f} {power.unit}" for power in result.power)


def no_power(result: Result) -> str | None:
    """Say what the notes hold in place of power: the limit of one accelerator is not a measurement."""
    limit = result.accelerator_power_limit_watts
    if limit is None:
        return None
    return f"the power limit {limit:.0f} W in the notes is one accelerator's and is not power"


ROW_FIELDS = (
    Row("suite", "name", attrgetter("suite"), "the benchmark suite: inference, training, …", names=("suite",), weight=8),
    Row("round", "name", _round, "the round: v6.1; with its suite: training-v5.1", names=("round",), alike=True, weight=4),
    Row("system_type", "name", attrgetter("system_type"), "datacenter, edge or both", names=("system_type",), many=True),
    Row("division", "name", attrgetter("division"), "closed, open or network", names=("division",)),
    Row("availability", "name", attrgetter("availability"), "available, preview, rdi or development", names=("availability",)),
    Row("submitter", "name", _submitter, "the submitter as published, or one of its organisations", names=("submitter",), alike=True, published="submitter_published"),
    Row("submitter_published", "text", attrgetter("submitter"), "the submitter exactly as published"),
    Row("organisations", "name", attrgetter("organisations"), "the organisations in the submitter's name", names=("submitter",), many=True, published="submitter_published"),
    Row("platform", "text", attrgetter("platform"), "the system's directory name"),
    Row("system_name", "text", attrgetter("system_name"), "the system's name as published"),
    Row("system", "name", attrgetter("system"), "a whole system of the catalog, at exactly its count: gb300-nvl72", names=("system",), weight=8, published="system_name"),
    Row("accelerator", "name", attrgetter("accelerator"), "the accelerator; nothing for CPUs and mixed systems", names=("accelerator",), weight=8, published="accelerator_published"),
    Row("accelerators", "name", attrgetter("accelerators"), "every accelerator of a mixed system", names=("accelerator",), many=True, weight=8, published="accelerator_published"),
    Row("accelerator_published", "text", attrgetter("accelerator_published"), "the accelerator as published"),
    Row("accelerator_count", "number", attrgetter("accelerator_count"), "accelerators in all"),
    Row("accelerators_per_node", "number", attrgetter("accelerators_per_node"), "accelerators in a node"),
    Row("nodes", "number", attrgetter("nodes"), "nodes"),
    Row("processor", "text", attrgetter("processor"), "the host processor as published"),
    Row("processors_per_node", "number", attrgetter("processors_per_node"), "host processors in a node"),
    Row("processor_core_count", "number", attrgetter("processor_core_count"), "cores of a host processor"),
    Row("benchmark", "name", attrgetter("benchmark"), "the benchmark, without its accuracy tier", names=("benchmark",), weight=6, published="benchmark_published"),
    Row("accuracy_target", "text", attrgetter("accuracy_target"), "99 or 99.9, where the benchmark has tiers"),
    Row("benchmark_published", "text", attrgetter("benchmark_published"), "the benchmark as submitted", weight=6),
    Row("scenario", "name", attrgetter("scenario"), "Offline, Server, Interactive, SingleStream, …", names=("scenario",), weight=3),
    Row("value", "number", attrgetter("value"), "the published number, in `unit`", weight=1),
    Row("value_per_accelerator", "number", attrgetter("value_per_accelerator"), "value divided by accelerators; nothing for latencies", weight=1),
    Row("unit", "text", attrgetter("unit"), "the unit, known errors corrected"),
    Row("unit_published", "text", attrgetter("unit_published"), "the unit as published"),
    Row("better", "text", attrgetter("better"), "whether a higher or a lower value is better", choices=("higher", "lower")),
    Row("software", "name", attrgetter("software"), "the software declared; a list does not say which ran", names=("software",), many=True, published="software_published"),
    Row("software_published", "text", attrgetter("software_published"), "the software as declared"),
    Row("precision", "name", attrgetter("precision"), "the precisions declared", names=("precision",), many=True),
    Row("operating_system", "text", attrgetter("operating_system"), "the operating system as published"),
    Row("power", "power", _power, "whether any power is published, of whatever kind", many=True, absent=no_power),
    Row("power.kind", "text", lambda r: tuple(p.kind for p in r.power), "the kind of power, never mixed", many=True, choices=("measured", "design", "provisioned"), absent=no_power),
    Row("power.value", "number", lambda r: tuple(p.value for p in r.power), "the power, in `power.unit`", many=True, absent=no_power),
    Row("power.unit", "text", lambda r: tuple(p.unit for p in r.power), "watts, or energy a query", many=True, absent=no_power),
    Row("accelerator_power_limit_watts", "number", attrgetter("accelerator_power_limit_watts"), "the limit of one accelerator from the notes, in watts; never power"),
    Row("accuracy", "text", attrgetter("accuracy"), "the accuracy as published"),
    Row("inferred", "flag", attrgetter("inferred"), "the published mark of a derived result; unreliable from v6.0 on"),
    Row("notes", "text", attrgetter("notes"), "the notes as published", prose=True),
    Row("url", "text", attrgetter("url"), "the row's public address"),
    Row("tags", "text", attrgetter("tags"), "marks on a published result, such as Preview or Withdrawn", many=True),
    Row("measures", "text", lambda r: tuple(r.measures), "names of further figures; each is a field too: measures.NAME", many=True),
    Row("extra", "text", lambda r: tuple(r.extra), "names of columns that we do not know", many=True),
    Row("first_seen_at", "time", lambda r: r.first_seen_at and r.first_seen_at.timestamp(), "when we first saw the row"),
)  # fmt: skip
