"""Claims of posts, and what they are worth against the rows held."""

from __future__ import annotations

from watcher.domain.published import Result
from watcher.domain.value import Value


class Claim(Value, frozen=True, kw_only=True):
    """One performance statement found in a post, in the vocabulary of docs/claims.md, with its quote.

    ``decimals`` as printed: 2 of 3.74. ``rounding``: the size of the last printed digit where that is more than one
    (10000 of 1.04M). ``place``: where it stands ("heading", "paragraph 3", "table 1").
    ``submitter`` and ``accelerator_count`` (and those of the baseline) only where the text says whose run it is and
    how many accelerators it had; ``division`` likewise. ``entries``: the numbers of published entries that the text names
    for it ("5.1-0072"), in the order of their first telling.
    """

    kind: str
    value: float
    value_max: float | None = None
    qualifier: str | None = None
    subject_system: str | None = None
    baseline_system: str | None = None
    benchmark: str | None = None
    scenarios: tuple[str, ...] = ()
    software: tuple[str, ...] = ()
    precision: tuple[str, ...] = ()
    round: str | None = None
    baseline_round: str | None = None
    per_accelerator: bool | None = None
    unit: str | None = None
    status: str = "measured"
    quote: str = ""
    decimals: int = 0
    place: str = ""
    submitter: str | None = None
    baseline_submitter: str | None = None
    accelerator_count: int | None = None
    baseline_accelerator_count: int | None = None
    division: str | None = None
    rounding: float | None = None
    entries: tuple[str, ...] = ()


class Evidence(Value, frozen=True, kw_only=True):
    """One figure behind a verdict: a scenario's figure under one reading, with its rows and the arithmetic in words."""

    scenario: str | None
    reading: str
    figure: float | None
    holds: bool
    arithmetic: str
    rows: tuple[Result, ...] = ()


class Verdict(Value, frozen=True, kw_only=True):
    """What a claim is worth against the rows held.

    ``verdict``: confirmed, only_in_some_scenarios, contradicted, not_comparable, not_found or not_mlperf.
    ``reading`` names the reading that bears the claim out (or was tried first), ``reason`` why not comparable, what is
    missing, or why the entries that the text names were of no use.
    """

    verdict: str
    reading: str | None = None
    reason: str | None = None
    evidence: tuple[Evidence, ...] = ()


class CheckedClaim(Value, frozen=True, kw_only=True):
    """A claim of a post with its verdict. ``number`` is its id in the ledger, null before it is recorded."""

    claim: Claim
    verdict: Verdict
    post_url: str | None = None
    post_title: str | None = None
    vendor: str | None = None
    source: str | None = None
    number: int | None = None
