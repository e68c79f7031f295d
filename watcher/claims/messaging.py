"""MLCommons' rules for quoting results, as checks on a post: what the text should say beside its figures, and does not.

The rules are duties of members and submitters (MLPerf Results Messaging Guidelines, mlcommons/policies). A finding
says that a label is missing; it never says that a claim is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from watcher.claims.text import MAX_CHARACTERS
from watcher.domain import Claim, Result, Verdict
from watcher.parse.entries import prints_one

_ROUND = re.compile(
    r"\bv\d{1,2}\.\d|\b(?:MLPerf|Inference|Training|Storage|Tiny|Automotive)\s+v?\d{1,2}\.\d", re.IGNORECASE
)
_DIVISION = re.compile(r"\b(?:closed|open|network)\b(?:\s+division)?", re.IGNORECASE)
_RETRIEVED = re.compile(r"\bretrieved\b|\baccessed\b", re.IGNORECASE)
_TRADEMARK = re.compile(r"registered and unregistered trademarks?|trademarks? of MLCommons", re.IGNORECASE)
_NOT_VERIFIED = re.compile(r"not verified by MLCommons", re.IGNORECASE)
_DERIVED = re.compile(
    r"not (?:a|an) (?:primary|official)(?: MLPerf)? metric|\bderived\b|not (?:a |an )?primary metric",
    re.IGNORECASE,
)
_TAGS = re.compile(
    r"<(?:script|style)\b.{0,200000}?</(?:script|style)>|<[^<>]{0,2000}>", re.IGNORECASE | re.DOTALL
)


class Finding(Struct, frozen=True):
    """One label that is missing beside a figure. ``rule`` is its name, ``message`` what is missing, in neutral words.

    ``quote``: the sentence it is about, "" for the whole post; ``claim``: its claim, null for the whole post.
    """

    rule: str
    message: str
    quote: str = ""
    claim: Claim | None = None


def messaging(text: str, claims: Sequence[Claim], verdicts: Sequence[Verdict] = ()) -> tuple[Finding, ...]:
    """What a post lacks beside its MLPerf figures. ``verdicts`` belong to ``claims`` in order; without them only labels are checked."""
    plain = _TAGS.sub(" ", text[:MAX_CHARACTERS])
    told = [claim for claim in claims if claim.status in {"measured", "unverified"}]
    found: list[Finding] = []
    if told:
        found += [finding for check in _OF_POST if (finding := check(plain, told)) is not None]
    pairs = list(zip(claims, verdicts, strict=True)) if verdicts else [(claim, None) for claim in claims]
    for claim, verdict in pairs:
        if claim in told:
            found += [
                Finding(rule, message, claim.quote, claim)
                for rule, message in _of_claim(plain, claim, verdict)
            ]
    found += _mixed(claims)
    return tuple(dict.fromkeys(found))


# ---------------------------------------------------------------------------------------------- the whole post


def _round(text: str, _claims: Sequence[Claim]) -> Finding | None:
    return (
        None
        if _ROUND.search(text)
        else Finding("round_missing", "the text does not name the round (for example MLPerf Inference v6.1)")
    )


def _division(text: str, _claims: Sequence[Claim]) -> Finding | None:
    return (
        None
        if _DIVISION.search(text)
        else Finding(
            "division_missing",
            "the text does not say whether the results are of the closed or the open division",
        )
    )


def _retrieval(text: str, _claims: Sequence[Claim]) -> Finding | None:
    return (
        None
        if _RETRIEVED.search(text)
        else Finding("retrieval_missing", "the text does not say when and where the results were retrieved")
    )


def _entries(text: str, _claims: Sequence[Claim]) -> Finding | None:
    return (
        None
        if prints_one(text)
        else Finding("entry_missing", "the text does not give the result IDs of its figures")
    )


def _trademark(text: str, _claims: Sequence[Claim]) -> Finding | None:
    return (
        None
        if _TRADEMARK.search(text)
        else Finding("trademark_missing", "the trademark sentence of MLCommons Association is not there")
    )


def _unverified(text: str, claims: Sequence[Claim]) -> Finding | None:
    if not any(claim.status == "unverified" for claim in claims) or _NOT_VERIFIED.search(text):
        return None
    return Finding(
        "unverified_sentence_missing",
        'an unverified result is quoted without "Result not verified by MLCommons Association"',
    )


_OF_POST: tuple[Callable[[str, Sequence[Claim]], Finding | None], ...] = (
    _round,
    _division,
    _retrieval,
    _entries,
    _trademark,
    _unverified,
)


# ---------------------------------------------------------------------------------------------- one claim


def _of_claim(text: str, claim: Claim, verdict: Verdict | None) -> Iterator[tuple[str, str]]:
    if claim.benchmark is None and claim.kind != "rank_or_first":
        yield "benchmark_missing", "the sentence does not name the benchmark of its figure"
    if claim.subject_system is None:
        yield "system_missing", "the sentence does not name the system of its figure"
    if claim.status == "unverified" and "verif" not in claim.quote.casefold():
        yield "unverified_not_marked", "the figure is unverified, and the word does not stand beside it"
    derived = claim.per_accelerator or claim.unit in {"performance_per_dollar", "performance_per_watt"}
    if derived and not _DERIVED.search(text):
        what = (
            "per accelerator"
            if claim.per_accelerator
            else "per dollar"
            if claim.unit == "performance_per_dollar"
            else "per watt"
        )
        yield (
            "derived_not_stated",
            f"the figure is {what}, and the text does not say that it is derived and no primary metric of MLPerf",
        )
    if verdict is not None:
        yield from _by_rows(text, claim, verdict)


def _by_rows(text: str, claim: Claim, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """What the rows behind a verdict show: unlike sides whose difference the text does not state."""
    if claim.kind == "power_efficiency" and verdict.reason and "no measured power" in verdict.reason:
        yield (
            "power_not_measured",
            "the figure is per watt, and the rows have no power measured under MLPerf's rules",
        )
    if verdict.reason == "benchmark_changed":
        yield (
            "rounds_not_compatible",
            "the two rounds' versions of the benchmark are not comparable by MLCommons' table",
        )
    pairs = [
        e.rows
        for e in verdict.evidence
        if e.holds and len(e.rows) == 2 and claim.kind in {"ratio", "percent_gain"}
    ]
    for name, differs, stated in _DIFFERENCES:
        if pairs and all(differs(one, other) for one, other in pairs) and not stated(text, claim, pairs[0]):
            yield "difference_not_stated", f"the two sides differ in {name}, and the text does not say so"


def _says_counts(text: str, _claim: Claim, pair: Sequence[Result]) -> bool:
    return all(
        row.accelerator_count is None or re.search(rf"(?<!\d){row.accelerator_count}(?!\d)", text)
        for row in pair
    )


def _says_rounds(text: str, claim: Claim, pair: Sequence[Result]) -> bool:
    return claim.baseline_round is not None or all(row.round in text for row in pair)


_DIFFERENCES: tuple[
    tuple[str, Callable[[Result, Result], bool], Callable[[str, Claim, Sequence[Result]], bool]], ...
] = (
    (
        "availability (preview against available)",
        lambda a, b: a.availability != b.availability,
        lambda text, _c, pair: any(
            r.availability in text.casefold() for r in pair if r.availability != "available"
        ),
    ),
    (
        "division",
        lambda a, b: a.division != b.division,
        lambda text, _c, _p: "open" in text.casefold() and "closed" in text.casefold(),
    ),
    ("the number of accelerators", lambda a, b: a.accelerator_count != b.accelerator_count, _says_counts),
    ("the round", lambda a, b: a.round != b.round, _says_rounds),
)


def _mixed(claims: Sequence[Claim]) -> list[Finding]:
    """A sentence that puts an MLPerf result beside one of another benchmark."""
    other = {claim.quote for claim in claims if claim.status == "not_mlperf" and claim.quote}
    return [
        Finding(
            "mixed_with_other_benchmark",
            "the sentence puts an MLPerf result beside one of another benchmark",
            claim.quote,
            claim,
        )
        for claim in claims
        if claim.status != "not_mlperf" and claim.quote in other
    ]
