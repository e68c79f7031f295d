"""Fields of what is not a published row: names, claims, posts, rounds and sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from operator import attrgetter

from watcher.domain import CheckedClaim, NewName, Post
from watcher.rules.row import Row

VERDICTS = (
    "confirmed", "only_in_some_scenarios", "contradicted", "not_comparable", "not_found", "not_mlperf",
)  # fmt: skip
FAILURES = (
    "blocked", "rate-limited", "gone", "auth", "server", "network", "too-large", "not-what-it-was", "refused",
    "parse", "held-back", "stale", "contradiction", "receiver",
)  # fmt: skip
_CLAIM_KINDS = (
    "ratio",
    "percent_gain",
    "absolute",
    "scaling_efficiency",
    "rank_or_first",
    "power_efficiency",
)

CALLED = frozenset({"accelerator", "benchmark"})  # kinds of names that the catalog has a readable form of
_MOST_WORDS = 10  # of a system's name that are looked at

# "MLPerf Inference v6.1", "MLPerf(R) Training 5.1": at most three words between the name and the number.
_ROUND_NAMED = r"(?i)\bmlperf\W{1,4}(?:[a-z]\w{0,30}\W{1,4}){0,3}?v?(\d{1,2}\.\d)\b"


def _rounds_named(post: Post) -> tuple[str, ...]:
    found = re.findall(_ROUND_NAMED, f"{post.title}\n{post.text}")
    return tuple(dict.fromkeys(f"v{number}" for number in found))


def _systems(claim: CheckedClaim) -> tuple[str, ...]:
    return (*_named(claim.claim.subject_system), *_named(claim.claim.baseline_system))


def _named(system: str | None) -> tuple[str, ...]:
    """A system as the claim names it, and every run of its words: "8x HGX B300" is a claim about "b300" too."""
    if not system:
        return ()
    words = re.split(r"[\s_-]+", system.strip())[:_MOST_WORDS]
    spans = ((first, last) for first in range(len(words)) for last in range(len(words), first, -1))
    runs = [words[first:last] for first, last in spans]
    return tuple(dict.fromkeys([system, *("-".join(run) for run in runs), *(" ".join(run) for run in runs)]))


def _called(new: NewName) -> str:
    """A new name as people write it, where the catalog has it; a submitter's underscores are spaces."""
    from watcher.catalog.names import load  # noqa: PLC0415 - read only where a title names it

    names = load()
    if new.kind in CALLED and new.name in names.names(new.kind):
        return names.entry(new.kind, new.name).title
    return new.name.replace("_", " ") if new.kind == "submitter" else new.name


def _scenarios(claim: CheckedClaim) -> tuple[str, ...]:
    named = claim.claim.scenarios
    return named or tuple(dict.fromkeys(e.scenario for e in claim.verdict.evidence if e.scenario))


STORY_ROWS: Mapping[str, tuple[Row, ...]] = {
    "name": (
        Row("kind", "text", attrgetter("kind"), "what is new: submitter, accelerator, benchmark or column", choices=("submitter", "accelerator", "benchmark", "column"), weight=8),
        Row("name", "text", attrgetter("name"), "the name never seen before"),
        Row("called", "text", _called, "the name as people write it"),
        Row("suite", "name", attrgetter("suite"), "the suite it appeared in", names=("suite",), weight=8),
        Row("round", "name", lambda n: (n.round, f"{n.suite}-{n.round}"), "the round it appeared in", names=("round",), alike=True),
        Row("since", "text", attrgetter("since"), "the oldest round held, so that it is new since then"),
        Row("results", "number", attrgetter("results"), "results that carry it"),
        Row("url", "text", attrgetter("url"), "where it stands"),
    ),
    "claim": (
        Row("verdict", "text", attrgetter("verdict.verdict"), "what the claim is worth against the rows", choices=VERDICTS, before=True, weight=1),
        Row("reading", "text", attrgetter("verdict.reading"), "the reading that bears the claim out, or was tried first"),
        Row("reason", "text", attrgetter("verdict.reason"), "why it cannot be compared"),
        Row("kind", "text", attrgetter("claim.kind"), "what is claimed", choices=_CLAIM_KINDS),
        Row("value", "number", attrgetter("claim.value"), "the number claimed"),
        Row("value_max", "number", attrgetter("claim.value_max"), "the upper end of a claimed range"),
        Row("qualifier", "text", attrgetter("claim.qualifier"), "how the number is meant", choices=("up_to", "over", "about", "exact")),
        Row("unit", "text", attrgetter("claim.unit"), "the claimed number's unit"),
        Row("status", "text", attrgetter("claim.status"), "measured, projected, unverified or of another benchmark", choices=("measured", "projected", "unverified", "not_mlperf")),
        Row("subject_system", "name", lambda c: _named(c.claim.subject_system), "the system that the claim is about", names=("system", "accelerator"), alike=True, weight=8),
        Row("baseline_system", "name", lambda c: _named(c.claim.baseline_system), "the system that it is compared with", names=("system", "accelerator"), alike=True, weight=8),
        Row("system", "name", _systems, "either of the two systems", names=("system", "accelerator"), many=True, weight=8),
        Row("submitter", "name", attrgetter("claim.submitter"), "whose run it is, where the text says so", names=("submitter",), published="submitter"),
        Row("baseline_submitter", "name", attrgetter("claim.baseline_submitter"), "whose run it is compared with, where the text says so", names=("submitter",), published="baseline_submitter"),
        Row("accelerator_count", "number", attrgetter("claim.accelerator_count"), "accelerators of the subject, where the text says so"),
        Row("baseline_accelerator_count", "number", attrgetter("claim.baseline_accelerator_count"), "accelerators of the baseline, where the text says so"),
        Row("division", "name", attrgetter("claim.division"), "the division, where the text says so", names=("division",)),
        Row("benchmark", "name", attrgetter("claim.benchmark"), "the benchmark named", names=("benchmark",), weight=6),
        Row("scenario", "name", _scenarios, "the scenarios named, or those of the evidence", names=("scenario",), many=True),
        Row("software", "name", attrgetter("claim.software"), "the software named", names=("software",), many=True),
        Row("precision", "name", attrgetter("claim.precision"), "the precision named", names=("precision",), many=True),
        Row("round", "name", attrgetter("claim.round"), "the round named", names=("round",)),
        Row("baseline_round", "name", attrgetter("claim.baseline_round"), "the round that it is compared with", names=("round",)),
        Row("per_accelerator", "flag", attrgetter("claim.per_accelerator"), "whether it was said per accelerator"),
        Row("quote", "text", attrgetter("claim.quote"), "the words that carry the claim", prose=True),
        Row("vendor", "name", attrgetter("vendor"), "whose post it is", names=("submitter",), published="vendor"),
        Row("source", "text", attrgetter("source"), "the source that brought the post"),
        Row("title", "text", attrgetter("post_title"), "the post's title", prose=True),
        Row("url", "text", attrgetter("post_url"), "the post's address"),
    ),
    "post": (
        Row("title", "text", attrgetter("title"), "the post's title", prose=True),
        Row("text", "text", attrgetter("text"), "the post's words", prose=True),
        Row("rounds", "name", _rounds_named, "the MLPerf rounds that it names", names=("round",), many=True),
        Row("vendor", "name", attrgetter("vendor"), "whose source it is; nothing for the press", names=("submitter",), published="vendor"),
        Row("source", "text", attrgetter("source"), "the source that brought it"),
        Row("author", "text", attrgetter("author"), "the author"),
        Row("url", "text", attrgetter("url"), "the post's address"),
        Row("published_at", "time", lambda p: p.published_at and p.published_at.timestamp(), "when it says that it was published"),
    ),
    "round": (
        Row("suite", "name", attrgetter("suite"), "the suite", names=("suite",), weight=8),
        Row("round", "name", lambda r: (r.round, f"{r.suite}-{r.round}"), "the round", names=("round",), alike=True),
        Row("repository", "text", attrgetter("repository"), "the repository's name"),
        Row("results", "number", attrgetter("results"), "results in its table, if there is one yet"),
        Row("url", "text", attrgetter("url"), "where it stands"),
    ),
    "source": (
        Row("source", "text", attrgetter("source"), "the source's name", weight=8),
        Row("failure", "text", attrgetter("failure"), "what kind of failure", choices=FAILURES),
        Row("message", "text", attrgetter("message"), "what was said", prose=True),
        Row("failures", "number", attrgetter("failures"), "failures in a row"),
        Row("since", "time", lambda s: s.since and s.since.timestamp(), "since when"),
        Row("url", "text", attrgetter("url"), "the address"),
    ),
}  # fmt: skip
