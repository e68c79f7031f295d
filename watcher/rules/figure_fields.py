"""Fields of the derived figures: record, comparison, scaling and gain. Their rows' fields stand in `row_fields`."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from watcher.domain import Comparison, Gain, Rank, Record, Result
from watcher.figures.promises import OUTCOMES
from watcher.rules.row import Row

# What can be unlike between the two rounds of a gain; told only where both rows say it.
_GAIN_DIFFERS = (
    "availability", "accelerator", "accelerator_count", "accelerator_power_limit_watts", "nodes", "processor",
    "processors_per_node", "precision", "software",
)  # fmt: skip
_COMPARISON_DIFFERS = ("software", "precision", "availability", "accelerator_count", "submitter", "round")


def _best_ratio(comparison: Comparison) -> float | None:
    """Ratio per accelerator; of the rows for latencies, which do not divide."""
    if comparison.subject.better == "lower":
        return comparison.ratio
    return comparison.per_accelerator_ratio


def _system_type(comparison: Comparison) -> tuple[str, ...]:
    return (comparison.system_type,) if comparison.system_type else comparison.subject.system_type


def _differs(gain: Gain) -> tuple[str, ...]:
    return tuple(name for name in _GAIN_DIFFERS if _unlike(name, gain.before, gain.after))


def _unlike(name: str, before: Result, after: Result) -> bool:
    one, other = _plain(getattr(before, name)), _plain(getattr(after, name))
    return bool(one) and bool(other) and one != other


def _plain(value: object) -> object:
    """A spelling's case and spaces, and the order of a list, are no difference."""
    if isinstance(value, str):
        return "".join(value.casefold().split())
    return frozenset(value) if isinstance(value, tuple) else value


def _improvement(record: Record) -> float | None:
    """How many times better than the best until then, on the record's own basis; over 1 is better."""
    best, before = record.best, record.before
    if before is None:
        return None
    if record.basis == "per_accelerator":
        ours, theirs = best.value_per_accelerator, before.value_per_accelerator
    else:
        ours, theirs = best.value, before.value
    if not ours or not theirs:
        return None
    return theirs / ours if best.better == "lower" else ours / theirs


def _published(rank: Rank) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.submitter for row in rank.ahead))


def _passing(rank: Rank) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(name for row in rank.ahead for name in (row.organisations or (row.submitter,)))
    )


_CARE = Row(
    "care", "text", attrgetter("care"), "reasons to handle the figure with care", many=True, prose=True
)

FIGURE_ROWS: Mapping[str, tuple[Row, ...]] = {
    "record": (
        Row("ratio", "number", _improvement, "how many times better than the best row until then", weight=1),
        Row("basis", "text", attrgetter("basis"), "what is the best: the row, or its value per accelerator", choices=("absolute", "per_accelerator")),
        Row("since", "text", attrgetter("since"), "the oldest round held, so that the best is the best since then"),
        _CARE,
    ),
    "comparison": (
        Row("ratio", "number", _best_ratio, "subject over baseline, over 1 is better: per accelerator, or of the rows with `per: system`", before=True, weight=1),
        Row("row_ratio", "number", attrgetter("ratio"), "the ratio of the rows as they are", before=True, weight=1),
        Row("per_accelerator_ratio", "number", attrgetter("per_accelerator_ratio"), "the ratio per accelerator; nothing for latencies", before=True, weight=1),
        Row("differs", "text", attrgetter("differs"), "what is not alike between the two", many=True, choices=_COMPARISON_DIFFERS),
        Row("spec", "text", attrgetter("spec"), "the pair that was asked for"),
        Row("system_type", "name", _system_type, "datacenter or edge, of this comparison", names=("system_type",), many=True),
        _CARE,
    ),
    "scaling": (
        Row("efficiency", "number", attrgetter("efficiency"), "value per accelerator of the larger system over that of the smaller", before=True, weight=1),
        Row("accelerators_lost", "number", attrgetter("accelerators_lost"), "accelerators of the larger system lost to overhead", before=True, weight=1),
        Row("quoted", "flag", attrgetter("quoted"), "whether it is the pair that a vendor would quote"),
        _CARE,
    ),
    "gain": (
        Row("ratio", "number", attrgetter("ratio"), "later round over earlier round, over 1 is better", before=True, weight=1),
        Row("match", "text", attrgetter("match"), "the same system, or per accelerator at another count", choices=("same_system", "per_accelerator")),
        Row("differs", "text", _differs, "what is not alike between the two rounds, as far as both say", many=True, choices=_GAIN_DIFFERS),
        _CARE,
    ),
    "rank": (
        Row("place", "number", attrgetter("place"), "the place now, 1 is the best", before=True, weight=1),
        Row("of", "number", attrgetter("of"), "among how many comparable rows", before=True),
        Row("by", "name", _passing, "who got ahead", names=("submitter",), many=True, published="by_published"),
        Row("by_published", "text", _published, "who got ahead, exactly as published", many=True),
        Row("to_best", "number", attrgetter("to_best"), "the ratio to the best row, over 1 is better"),
        Row("to_median", "number", attrgetter("to_median"), "the ratio to the median, over 1 is better"),
        Row("to_vendor", "number", attrgetter("to_vendor"), "the ratio to the accelerator vendor's own row; nothing where it has none"),
        _CARE,
    ),
    "promise": (
        Row("outcome", "text", attrgetter("outcome"), "what became of it", choices=OUTCOMES, before=True, weight=1),
        Row("ratio", "number", attrgetter("ratio"), "the row that came back over the preview, over 1 is better", weight=1),
        Row("floor", "number", attrgetter("floor"), "the value that it must come back with, in `unit`"),
        Row("due", "text", attrgetter("due"), "the round that it is due in"),
        Row("reason", "text", attrgetter("reason"), "what decided, in words", prose=True),
    ),
}  # fmt: skip
