"""What only comes behind a claim: names in the sentence or paragraph after it, footnotes, "not verified", its two values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watcher.claims.frame import Draft, Frame, suite_of
from watcher.claims.lexicon import Lexicon
from watcher.claims.mentions import mentions_of
from watcher.claims.quotients import in_scenario, paired
from watcher.claims.split import read_tokens
from watcher.claims.standing import ABSOLUTE, GAIN, RANKED, RATIO, SCALING
from watcher.claims.status import MEASURED, PROJECTED, UNVERIFIED
from watcher.claims.tokens import Token, normalise
from watcher.domain import Claim

MAX_VALUES = 40  # values of one benchmark and scenario that a ratio is looked for among
MAX_BLOCKS = 3  # paragraphs between a comparison and the values that it is the quotient of
MAX_NOTE = 40  # tokens; a longer paragraph that says "unverified" is no standing note


def name_after(drafts: Iterable[Draft], after: Frame) -> None:
    """Fill in the benchmark and systems that only come behind figures: "(8x MI355X, gpt-oss-120b)"."""
    for draft in drafts:
        if draft.claim.status != PROJECTED:
            draft.claim = _named_after(draft.claim, after)


def _named_after(claim: Claim, after: Frame) -> Claim:
    if claim.benchmark is None and after.benchmark and claim.kind != RANKED:
        suite = suite_of(claim.round)
        claim = replace(claim, benchmark=after.benchmark.get(suite) or next(iter(after.benchmark.values())))
    subject = after.subject
    if claim.subject_system is not None or subject is None:
        return claim
    baseline = claim.baseline_system
    if claim.kind in {RATIO, GAIN} and baseline is None:
        baseline = (
            subject.name
            if claim.baseline_round is not None
            else after.baseline.name
            if after.baseline
            else None
        )
    return replace(
        claim,
        subject_system=subject.name,
        baseline_system=baseline,
        accelerator_count=subject.count,
        submitter=claim.submitter or subject.submitter,
    )


def unverify(drafts: Iterable[Draft]) -> None:
    """Mark figures that the text behind them calls unverified."""
    for draft in drafts:
        if draft.claim.status == MEASURED:
            draft.claim = replace(draft.claim, status=UNVERIFIED)


def is_standing_note(tokens: Sequence[Token]) -> bool:
    """Whether a paragraph is the note that a post's results are not verified, and not news of further runs."""
    if (
        len(tokens) >= MAX_NOTE
        or not any(t.is_("unverified") for t in tokens)
        or any(t.low == "deadline" for t in tokens)
    ):
        return False
    return tokens[0].is_("unverified") or any(t.low in {"result", "results"} for t in tokens[:4])


def add_notes(drafts: Iterable[Draft], notes: Mapping[str, str], lexicon: Lexicon) -> None:
    """Add what the footnotes of a claim say, where the claim itself does not."""
    read: dict[str, _Note] = {}
    for draft in drafts:
        for mark in draft.marks:
            if mark in notes:
                note = read.get(mark)
                if note is None:
                    note = read[mark] = _note(notes[mark], lexicon)
                draft.claim = _with_note(draft.claim, note)


class _Note(Struct, frozen=True):
    """What a footnote says of the claims that bear its mark."""

    scenarios: tuple[str, ...]
    unverified: bool
    division: str | None


def _note(note: str, lexicon: Lexicon) -> _Note:
    text = normalise(note)
    tokens = read_tokens(text, lexicon)
    scenarios = dict.fromkeys(m.name for m in mentions_of(tokens, text, lexicon) if m.kind == "scenario")
    lows = {t.low for t in tokens}
    division = next((name for name in ("closed", "open") if name in lows), None)
    return _Note(tuple(scenarios), any(t.is_("unverified") for t in tokens), division)


def _with_note(claim: Claim, note: _Note) -> Claim:
    told = (
        claim.scenarios or note.scenarios,
        UNVERIFIED if claim.status == MEASURED and note.unverified else claim.status,
        claim.division or note.division,
    )
    if told == (claim.scenarios, claim.status, claim.division):
        return claim
    return replace(claim, scenarios=told[0], status=told[1], division=told[2])


def compare_with_own_past(drafts: Iterable[Draft]) -> None:
    """As in "throughput improved by 22 %": where nothing else is compared with, the system is compared with itself."""
    for draft in drafts:
        claim = draft.claim
        if draft.changed and claim.baseline_system is None and claim.subject_system is not None:
            draft.claim = replace(claim, baseline_system=claim.subject_system)


def _spoken(submitter: str) -> str:
    """A submitter's catalog name as it is said: Quanta_Cloud_Technology has spaces in a sentence."""
    return submitter.replace("_", " ")


def call_by_submitter(drafts: Iterable[Draft]) -> None:
    """A system that nothing names is called by its submitter: "Crusoe's AMD cluster", "1.05x Oracle's"."""
    for draft in drafts:
        claim = draft.claim
        if claim.subject_system is None and claim.submitter is not None and claim.kind in {ABSOLUTE, RANKED}:
            draft.claim = replace(claim, subject_system=_spoken(claim.submitter))
        elif (
            claim.kind in {RATIO, GAIN}
            and claim.subject_system is not None
            and claim.baseline_system is None
            and claim.baseline_submitter is not None
        ):
            draft.claim = replace(claim, baseline_system=_spoken(claim.baseline_submitter))


def pair_values(drafts: Sequence[Draft]) -> None:
    """Give a comparison without a baseline the systems of the post's two values that it is the quotient of, and their scenario."""
    told = [d for d in drafts if d.claim.kind == ABSOLUTE and d.claim.status == MEASURED]
    for draft in drafts:
        claim = draft.claim
        if claim.kind not in {RATIO, GAIN} or claim.benchmark is None:
            continue
        alike = [d for d in told if _alike(d.claim, claim)]
        if claim.baseline_system is None:
            draft.claim = claim = paired(claim, [d.claim for d in alike[:MAX_VALUES]])
        if _is_of_one_scenario(claim):
            near = [d.claim for d in alike if 0 <= draft.block - d.block <= MAX_BLOCKS]
            draft.claim = in_scenario(claim, near[:MAX_VALUES])


def _is_of_one_scenario(claim: Claim) -> bool:
    """Whether a comparison of two systems may be of a scenario that it does not name: no range, and not the best of several."""
    plain = claim.value_max is None and claim.qualifier != "up_to" and not claim.scenarios
    return plain and claim.baseline_system not in {None, claim.subject_system}


def scale_as_told(drafts: Sequence[Draft]) -> None:
    """A scaling efficiency without a scenario stands in the one that its system's values right before it stand in."""
    for place, draft in enumerate(drafts):
        claim = draft.claim
        if claim.kind != SCALING or claim.scenarios or claim.subject_system is None:
            continue
        told = {
            d.claim.scenarios
            for d in drafts[:place]
            if d.claim.kind == ABSOLUTE
            and d.claim.scenarios
            and draft.block - d.block <= MAX_BLOCKS
            and (d.claim.subject_system, d.claim.benchmark) == (claim.subject_system, claim.benchmark)
        }
        if len(told) == 1:
            draft.claim = replace(claim, scenarios=next(iter(told)))


def _alike(value: Claim, claim: Claim) -> bool:
    return value.benchmark == claim.benchmark and (
        not claim.scenarios or set(value.scenarios) == set(claim.scenarios)
    )
