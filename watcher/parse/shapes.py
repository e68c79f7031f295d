"""The shapes of published summary tables: which of their columns holds which canonical fact.

R: summary_results.json (to v6.0): power in the row, links and an ID added.
S: the submission checker's summary.json and summary.csv (v6.1): power as a twin row.
tiny: the tiny suite's summary.csv: one row a board and benchmark, no scenario and no round.
A shape is told by its columns, not by its container: either may come as JSON or CSV.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct


class Shape(Struct, frozen=True):
    """``columns``: our fact → published column. ``mark``: columns that only this shape has.

    ``derived``: known columns that say nothing of their own (links, identifiers, checks). ``kept``: known columns
    without a canonical field, kept in ``extra``. ``fills``: canonical fields that need no column of their own.
    ``entry``: the derived column with the number of each row's entry, null where the shape has none.
    """

    name: str
    mark: frozenset[str]
    columns: Mapping[str, str]
    derived: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    entry: str | None = None

    @property
    def known(self) -> frozenset[str]:
        """Every column that is understood: those with a fact, and those that say nothing of their own."""
        return frozenset(self.columns.values()) | self.derived


R = Shape(
    name="summary_results.json",
    mark=frozenset({"Submitter", "UsedModel"}),
    columns={
        "round": "version",
        "division": "Category",
        "system_type": "Suite",
        "submitter": "Submitter",
        "availability": "Availability",
        "system_name": "System",
        "platform": "Platform",
        "benchmark_published": "UsedModel",
        "benchmark_column": "Model",
        "scenario": "Scenario",
        "value": "Performance_Result",
        "unit_published": "Performance_Units",
        "power": "Power_Result",
        "power_unit": "Power_Units",
        "has_power": "has_power",
        "accuracy": "Accuracy",
        "nodes": "Nodes",
        "processor": "Processor",
        "processors_per_node": "host_processors_per_node",
        "processor_core_count": "host_processor_core_count",
        "accelerator_published": "Accelerator",
        "accelerators_per_node": "a#",
        "accelerator_total": "Total Accelerators",
        "software_published": "Software",
        "precision_published": "weight_data_types",
        "operating_system": "operating_system",
        "notes": "Notes",
        "location": "Location",
        "inferred": "inferred",
    },
    derived=frozenset(
        {"ID", "Unique ID (e.g. for Audit)", "Details", "Code", "ColorKey", "p#", "compliance", "errors"}
    ),
    entry="ID",
)

S = Shape(
    name="summary.json",
    mark=frozenset({"Organization", "SystemType"}),
    columns={
        "round": "version",
        "division": "Division",
        "system_type": "SystemType",
        "submitter": "Organization",
        "availability": "Availability",
        "system_name": "SystemName",
        "platform": "Platform",
        "benchmark_published": "Model",
        "benchmark_column": "MlperfModel",
        "scenario": "Scenario",
        "value": "Result",
        "unit_published": "Units",
        "has_power": "has_power",
        "accuracy": "Accuracy",
        "nodes": "number_of_nodes",
        "processor": "host_processor_model_name",
        "processors_per_node": "host_processors_per_node",
        "processor_core_count": "host_processor_core_count",
        "accelerator_published": "accelerator_model_name",
        "accelerators_per_node": "accelerators_per_node",
        "accelerator_total": "total_accelerators",
        "software_published": "framework",
        "precision_published": "weight_data_types",
        "operating_system": "operating_system",
        "notes": "notes",
        "location": "Location",
        "inferred": "inferred",
        "design_power": "design_power_watts",
    },
    derived=frozenset({"compliance", "errors", "PrivateID"}),
)

TINY = Shape(
    name="tiny's summary.csv",
    mark=frozenset({"BoardName", "SystemDesc", "ResultUnit"}),
    columns={
        "division": "Division",
        "submitter": "Organization",
        "availability": "Availability",
        "system_name": "BoardName",
        "platform": "SystemDesc",
        "benchmark_published": "Model",
        "benchmark_column": "MlperfModel",
        "value": "Result",
        "unit_published": "ResultUnit",
        "accuracy": "Accuracy",
        "has_power": "HasPower",
        "power": "Power",
        "power_unit": "PowerUnit",
        "processor": "HostProcessorModelName",
        "accelerator_published": "AcceleratorModelName",
        "notes": "HardwareNotes",
        "software_notes": "SoftwareNotes",
        "software_published": "InferenceFramework",
        "software_libraries": "SoftwareLibraries",
    },
    kept=frozenset(
        {"HostProcessorFrequency", "HostProcessorMemory", "AcceleratorFrequency", "AcceleratorMemory"}
    ),
)

SHAPES = (R, S, TINY)

TASK_FACTS = frozenset({"benchmark_published", "benchmark_column", "scenario", "unit_published"})
"""Facts that say what a run did."""

RUN_FACTS = TASK_FACTS | {
    "value", "accuracy", "location", "inferred", "power", "power_unit", "has_power", "design_power",
}  # fmt: skip
"""Facts that differ from run to run; the others describe a submitter's machine, and stand alike in each of its rows."""

# Canonical fields and the facts they are made of: a table knows a field if it has a column for one of its facts.
_MADE_OF: Mapping[str, tuple[str, ...]] = {
    "organisations": ("submitter",),
    "system": ("accelerator_published",),
    "accelerator": ("accelerator_published",),
    "accelerators": ("accelerator_published",),
    "accelerator_count": ("accelerator_total", "accelerators_per_node"),
    "accelerator_power_limit_watts": ("notes",),
    "benchmark": ("benchmark_published",),
    "accuracy_target": ("benchmark_published",),
    "unit": ("unit_published",),
    "better": ("unit_published",),
    "software": ("software_published",),
    "precision": ("precision_published",),
    "power": ("has_power",),
    "url": ("platform",),
}
_PLAIN = (
    "division", "availability", "submitter", "platform", "benchmark_published", "scenario", "value", "system_type",
    "system_name", "accelerator_published", "accelerators_per_node", "nodes", "processor", "processors_per_node",
    "processor_core_count", "accuracy", "unit_published", "software_published", "operating_system", "inferred", "notes",
)  # fmt: skip


def shape_of(columns: Collection[str]) -> Shape | None:
    """The shape whose marks all stand among ``columns``, or null."""
    return next((shape for shape in SHAPES if shape.mark <= frozenset(columns)), None)


def canonical_columns(shape: Shape, columns: Collection[str]) -> frozenset[str]:
    """The canonical fields that a table of this shape with these columns can fill."""
    facts = {fact for fact, column in shape.columns.items() if column in columns}
    if shape is R:
        facts |= {"power", "power_unit", "value", "unit_published"}  # left out of rows where they are empty
    made = {name for name, sources in _MADE_OF.items() if facts.intersection(sources)}
    if shape.entry in columns:
        made.add("entry")
    return frozenset({"suite", "round", "extra"} | made | facts.intersection(_PLAIN))
