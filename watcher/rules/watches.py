"""The WATCHES table: what a rule may watch, which events that means, and how a person names what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from watcher.domain import (
    CheckedClaim,
    Comparison,
    Gain,
    NewName,
    Post,
    Promise,
    PublishedRound,
    Rank,
    Record,
    Result,
    Scaling,
    SourceTrouble,
)


class Watch(Struct, frozen=True, kw_only=True):
    """One kind of thing to watch.

    ``events`` are the words after the dot of an event's kind (``result.added``), ``default_on`` those a rule means
    if it does not say. ``figure``: the field whose value ``when`` and ``tolerance`` are about; None where there is
    no figure. ``moves``: an event "changed" without ``when`` counts only beyond the tolerance. ``label`` names one
    subject in words, ``identity`` by what stays the same when it is seen again. ``title`` is the title of a rule that
    gives none.
    """

    name: str
    subject: type
    events: tuple[str, ...]
    default_on: tuple[str, ...]
    label: Callable[[Any], str]
    identity: Callable[[Any], str]
    title: str
    help: str
    figure: str | None = None
    moves: bool = False


def label_result(result: Result) -> str:
    """Return "Nebius, 36 x vera-rubin: deepseek-r1 Server, v6.1"."""
    return f"{label_system(result)}: {_cell(result)}, {result.round}"


def label_system(result: Result) -> str:
    """Return "Nebius, 36 x vera-rubin": whose system it is and how large."""
    name = result.accelerator or " + ".join(result.accelerators) or result.processor or "no accelerator"
    if name and result.accelerator_count:
        name = f"{result.accelerator_count} x {name}"
    return f"{result.submitter}, {name}"


def _cell(result: Result) -> str:
    target = f"-{result.accuracy_target}" if result.accuracy_target else ""
    return f"{result.benchmark}{target} {result.scenario or ''}".rstrip()


def _comparison(figure: Comparison) -> str:
    return f"{label_result(figure.subject)} over {label_system(figure.baseline)}, {figure.baseline.round}"


def _scaling(figure: Scaling) -> str:
    return f"{label_result(figure.large)} from {figure.small.accelerator_count} accelerators"


def _gain(figure: Gain) -> str:
    return f"{label_result(figure.after)} over {figure.before.round}"


def _record(figure: Record) -> str:
    return f"{label_result(figure.best)}, {figure.basis.replace('_', ' ')}"


def _rank(rank: Rank) -> str:
    return f"{label_result(rank.result)}, place {rank.place} of {rank.of}"


def _promise(promise: Promise) -> str:
    return f"{label_result(promise.preview)}, preview: {promise.outcome}"


def _claim(checked: CheckedClaim) -> str:
    return f'"{checked.claim.quote or checked.claim.kind}" in {checked.post_title or checked.post_url or "a text"}'


def _name(name: NewName) -> str:
    return f"{name.kind} {name.name}, {name.suite} {name.round}"


def _post(post: Post) -> str:
    return f"{post.title} ({post.vendor or post.source})"


def _round(published: PublishedRound) -> str:
    return f"{published.suite} {published.round}"


def _source(trouble: SourceTrouble) -> str:
    return f"source {trouble.source}"


def _key(result: Result) -> str:
    return "/".join(result.key)


def _result_identity(result: Result) -> str:
    return f"result {_key(result)}"


def _record_identity(record: Record) -> str:
    best = record.best
    return f"record {record.basis} {best.suite}/{best.division}/{_cell(best)}"


def _comparison_identity(figure: Comparison) -> str:
    kind = f"comparison {figure.spec} {figure.system_type or ''}".rstrip()
    return f"{kind}: {_key(figure.subject)} over {_key(figure.baseline)}"


def _scaling_identity(figure: Scaling) -> str:
    return f"scaling {_key(figure.small)} to {_key(figure.large)}"


def _gain_identity(figure: Gain) -> str:
    return f"gain {figure.match}: {_key(figure.before)} to {_key(figure.after)}"


def _rank_identity(rank: Rank) -> str:
    row = rank.result
    who = "+".join(sorted(row.organisations or (row.submitter,)))
    machine = f"{row.accelerator} x{row.accelerator_count}"
    return f"rank {row.suite}/{row.division}/{_cell(row)} {rank.system_type or ''} {machine} of {who}"


def _promise_identity(promise: Promise) -> str:
    return f"promise {_key(promise.preview)}"


def _name_identity(name: NewName) -> str:
    return f"{name.kind} {name.suite}/{name.name}"


def _post_identity(post: Post) -> str:
    return f"post {post.source}/{post.identity}"


def _claim_identity(checked: CheckedClaim) -> str:
    claim = checked.claim
    about = "/".join((claim.kind, f"{claim.value:g}", claim.benchmark or "", claim.quote[:120]))
    return f"claim {checked.post_url or checked.source or ''} {about}"


_FIGURE_EVENTS = ("computable", "changed", "removed")
_FIGURE_ON = ("computable", "changed")

WATCHES: dict[str, Watch] = {
    watch.name: watch
    for watch in (
        Watch(
            name="result",
            subject=Result,
            events=("added", "changed", "removed", "restored", "renamed"),
            default_on=("added", "changed"),
            label=label_result,
            identity=_result_identity,
            title="{submitter}: {benchmark} {scenario} {event}, {suite} {round}",
            help="published numbers: added, changed (a field that counts), removed, restored, renamed",
            figure="value",
        ),
        Watch(
            name="record",
            subject=Record,
            events=("beaten",),
            default_on=("beaten",),
            label=_record,
            identity=_record_identity,
            title="{submitter}: best {benchmark} {scenario} since {since}",
            help="the best row of a benchmark, scenario and division, when another takes its place",
            figure="ratio",
        ),
        Watch(
            name="name",
            subject=NewName,
            events=("new",),
            default_on=("new",),
            label=_name,
            identity=_name_identity,
            title="New {kind} in {suite} {round}: {name}",
            help="a submitter, accelerator, benchmark or column never seen before (a new spelling is not one)",
        ),
        Watch(
            name="comparison",
            subject=Comparison,
            events=_FIGURE_EVENTS,
            default_on=_FIGURE_ON,
            label=_comparison,
            identity=_comparison_identity,
            title="{accelerator} is {ratio:.2f}x {baseline.accelerator} on {benchmark} {scenario}, {round}",
            help="two systems in one benchmark and scenario; fields without a prefix are the subject's",
            figure="ratio",
            moves=True,
        ),
        Watch(
            name="scaling",
            subject=Scaling,
            events=_FIGURE_EVENTS,
            default_on=_FIGURE_ON,
            label=_scaling,
            identity=_scaling_identity,
            title="{submitter}: {accelerator} scales to {efficiency:.1%} at {accelerator_count} on {benchmark} {scenario}",
            help="one accelerator by one submitter at two counts; fields without a prefix are the larger one's",
            figure="efficiency",
            moves=True,
        ),
        Watch(
            name="gain",
            subject=Gain,
            events=_FIGURE_EVENTS,
            default_on=_FIGURE_ON,
            label=_gain,
            identity=_gain_identity,
            title="{submitter}: {ratio:.2f}x on {benchmark} {scenario} from {before.round} to {round}",
            help="one system over two rounds; fields without a prefix are the later row's",
            figure="ratio",
            moves=True,
        ),
        Watch(
            name="rank",
            subject=Rank,
            events=("passed",),
            default_on=("passed",),
            label=_rank,
            identity=_rank_identity,
            title="{submitter}: passed by {by} on {benchmark} {scenario}, {round}: place {place} of {of}",
            help="a submitter's place at one machine, when others get ahead: in the same round or since the one before",
            figure="place",
        ),
        Watch(
            name="promise",
            subject=Promise,
            events=("made", "decided"),
            default_on=("decided",),
            label=_promise,
            identity=_promise_identity,
            title="{submitter}: preview of {benchmark} {scenario}, {round}: {outcome}",
            help="preview rows, which must be back as available within 2 %: when one is made, and what became of it",
            figure="ratio",
        ),
        Watch(
            name="claim",
            subject=CheckedClaim,
            events=("made", "verdict_changed"),
            default_on=("made", "verdict_changed"),
            label=_claim,
            identity=_claim_identity,
            title="{vendor}: claim {verdict}",
            help="performance statements in posts, with their verdict against the rows",
        ),
        Watch(
            name="post",
            subject=Post,
            events=("added", "updated"),
            default_on=("added",),
            label=_post,
            identity=_post_identity,
            title="{vendor}: {title}",
            help="articles and announcements of the sources",
        ),
        Watch(
            name="round",
            subject=PublishedRound,
            events=("published",),
            default_on=("published",),
            label=_round,
            identity=_round,
            title="MLPerf {suite} {round} is public",
            help="a round that went public",
        ),
        Watch(
            name="source",
            subject=SourceTrouble,
            events=("failing", "stale", "held_back", "recovered"),
            default_on=("failing", "stale", "held_back", "recovered"),
            label=_source,
            identity=_source,
            title="Source {source} {event}: {message}",
            help="sources that fail, have gone stale, are held back or have recovered",
        ),
    )
}
