"""Derived figures: what rows are worth beside each other, each with the rows it is made from."""

from __future__ import annotations

from datetime import date

from watcher.domain.published import Result
from watcher.domain.value import Value


class Comparison(Value, frozen=True, kw_only=True):
    """Two systems in one benchmark and scenario.

    ``ratio`` of the rows, over 1 means the subject is better, also for latencies. ``per_accelerator_ratio`` null for
    latencies and null counts. ``differs`` names what is not alike. ``care`` are reasons to handle it with care.
    ``spec`` is the rule's or command's pair of selectors that asked for it. ``system_type`` is the one compared in.
    """

    subject: Result
    baseline: Result
    ratio: float
    per_accelerator_ratio: float | None
    differs: tuple[str, ...] = ()
    care: tuple[str, ...] = ()
    spec: str = ""
    system_type: str | None = None


class NotComparable(Value, frozen=True, kw_only=True):
    """A cell of a comparison that cannot be computed, with its reason in words."""

    benchmark: str
    scenario: str | None
    reason: str
    accuracy_target: str | None = None
    division: str | None = None
    system_type: str | None = None


class Scaling(Value, frozen=True, kw_only=True):
    """One accelerator by one submitter at two counts in one scenario.

    ``efficiency`` = (large value / large count) / (small value / small count), dimensionless.
    ``accelerators_lost`` = (1 - efficiency) x large count. ``quoted``: the pair a vendor would quote.
    """

    small: Result
    large: Result
    efficiency: float
    accelerators_lost: float
    quoted: bool = False
    care: tuple[str, ...] = ()


class Gain(Value, frozen=True, kw_only=True):
    """One system over two rounds. ``match``: same_system, or per_accelerator (another count); ``ratio`` over 1: better."""

    match: str
    before: Result
    after: Result
    ratio: float
    care: tuple[str, ...] = ()


class Record(Value, frozen=True, kw_only=True):
    """The best row of a benchmark, scenario and division. ``basis``: absolute or per_accelerator.

    ``before`` the best held until then, ``since`` the oldest round of the history held ("best since v5.1").
    """

    basis: str
    best: Result
    before: Result | None
    since: str
    care: tuple[str, ...] = ()


class Rank(Value, frozen=True, kw_only=True):
    """The place of ``result`` among ``of`` comparable rows: 1 is the best, rows of one value share a place.

    ``to_best``, ``to_median`` and ``to_vendor`` are dimensionless and over 1 mean that the row is better, also for
    latencies: value / the other value, and the other value / value where lower is better. ``median`` is of all ``of``
    values, in the row's unit. ``vendor`` is the best row that the accelerator's vendor submitted alone, null if it has
    none here. ``ahead`` are the better rows, the best first. ``system_type`` is the one ranked in.
    """

    result: Result
    place: int
    of: int
    system_type: str | None
    best: Result
    median: float
    vendor: Result | None
    to_best: float
    to_median: float
    to_vendor: float | None
    ahead: tuple[Result, ...] = ()
    care: tuple[str, ...] = ()


class Promise(Value, frozen=True, kw_only=True):
    """One preview row and what became of it.

    ``floor``: the value that it must come back with, in the row's unit: 2 % below for throughput, longer by as much
    for latencies and times; null where performance per watt counts. ``earliest``: the day from which a round counts,
    null if the preview's round has no date. ``due``: the round it is due in, null while none is known. ``returned``:
    the available row that came back, in ``due`` or before it (``late``: after it). ``ratio``: returned over preview,
    dimensionless, over 1 is better. ``reason`` says in words what decided.
    """

    preview: Result
    outcome: str
    floor: float | None
    earliest: date | None
    due: str | None
    returned: Result | None = None
    ratio: float | None = None
    reason: str = ""
