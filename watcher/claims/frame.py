"""What a reader still has in mind: the names and the round that a sentence leaves out because something before said them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from watcher.domain import Claim

MAX_RECENT = 6


class SystemName(Struct, frozen=True, kw_only=True):
    """A system as named: what a reader calls it, and what is known of whose and how many accelerators."""

    name: str
    submitter: str | None = None
    count: int | None = None
    accelerator: str | None = None
    rank: int = 9
    noun: str | None = None  # what kind of thing the text calls it: rack, server, card


class Frame(Struct, frozen=True, kw_only=True):
    """What is carried into a sentence or table.

    ``mlperf``: the post is about MLPerf at all. ``other``: what is being spoken of is another benchmark. ``benchmark``:
    names by suite. ``scenarios`` and ``per_accelerator`` only from headings, captions and lead-ins. ``unit`` from a
    caption or lead-in. ``unverified``: the section says so of its results.
    """

    mlperf: bool = False
    other: bool = False
    round: str | None = None
    versus: str | None = None  # the earlier round that a lead-in compares with: "v6.0 against v5.1:"
    home: str | None = None  # the round that the post, or the section, is about
    named_suite: str = "inference"  # the suite of a post that names no round
    subject: SystemName | None = None
    baseline: SystemName | None = None
    benchmark: dict[str, str] | None = None
    scenarios: tuple[str, ...] = ()
    heard: dict[str, str] | None = None  # the last benchmark that the post named, wherever
    topic: tuple[
        str, ...
    ] = ()  # the scenario that a sentence without figures put at the head of its paragraph
    submitter: str | None = None
    per_accelerator: bool = False
    unit: str | None = None
    far_unit: str | None = (
        None  # the unit of an earlier paragraph's figures, of use to numbers printed as results
    )
    factor: float = 1.0
    division: str | None = None
    unverified: bool = False
    fresh: bool = False  # something was named earlier in this very paragraph or its lead-in
    recent: tuple[SystemName, ...] = ()  # systems named so far, the last one last
    columns: tuple[str, ...] = ()  # the scenarios of the section's last table, in their order
    series: tuple[str, ...] = ()  # scenarios of the figures of the sentence before, in their order
    units: tuple[str, ...] = ()  # and their units, where all of them are values
    asked: bool = False  # the sentence before asked how two sides compare
    last: str | None = (
        None  # kind of the last figure of the sentence before; "percent_of" of a percentage of a system
    )

    @property
    def called(self) -> frozenset[str]:
        """The words that the systems in mind may be called by, folded; never empty where there are any."""
        return _called(self.recent)

    @property
    def suite(self) -> str:
        """The suite of the round in mind."""
        return self.suite_of(self.round)

    def suite_of(self, round: str | None) -> str:
        """The suite of a round, where there is none the one that the post names."""
        return suite_of(round) if round else self.named_suite

    def over(self, section: Frame, base: str | None = None, series: tuple[str, ...] = ()) -> Frame:
        """This frame with the names that the section's heading gives put before those of paragraphs above.

        ``base``: the post's round, where a paragraph is to go back to it. ``series``: what it goes on from.
        """
        return replace(
            self,
            subject=section.subject or self.subject,
            baseline=section.baseline if section.subject else self.baseline,
            benchmark=section.benchmark or self.benchmark,
            scenarios=section.scenarios,
            round=section.round or base or self.round,
            home=section.round or base,
            versus=section.versus,
            per_accelerator=section.per_accelerator,
            unit=None,
            far_unit=self.unit or self.far_unit,
            factor=1.0,
            fresh=False,
            topic=(),
            series=series,
            units=(),
            last=None,
        )

    def with_recent(self, *systems: SystemName) -> Frame:
        """The frame with more systems in mind."""
        return replace(self, recent=self.recent_with(systems)) if systems else self

    def recent_with(self, systems: Sequence[SystemName]) -> tuple[SystemName, ...]:
        """The systems in mind and more, each once, the last MAX_RECENT of them."""
        if not systems:
            return self.recent
        again = {s.name for s in systems}
        if again == {s.name for s in self.recent[-len(again) :]}:
            return self.recent  # "the rack …, the server …": those last introduced keep their order
        last = {s.name for s in self.recent[-1:]}
        systems = [
            s for s in systems if s.name not in last
        ]  # named again: what was introduced first stays first
        called = {known.name: known.noun for known in self.recent}
        new = tuple(dict.fromkeys(s if s.noun else replace(s, noun=called.get(s.name)) for s in systems))
        names = {system.name for system in new}
        return (*(known for known in self.recent if known.name not in names), *new)[-MAX_RECENT:]


@lru_cache(maxsize=8)
def _called(systems: tuple[SystemName, ...]) -> frozenset[str]:
    return frozenset(piece for s in systems for piece in ("", *s.name.casefold().split()))


def suite_of(round: str | None) -> str:
    """The suite in a round's name: "training-v6.0" is training, "v6.1" inference."""
    suite, _, number = (round or "").rpartition("-")
    return suite if number and suite else "inference"


def suite_meant(claim: Claim) -> str:
    """The suite that a claim is about: its round's, else its benchmark's ("train-bert")."""
    trained = claim.round is None and claim.benchmark is not None and claim.benchmark.startswith("train-")
    return "training" if trained else suite_of(claim.round)


class Draft(Struct):
    """A claim while it is being put together."""

    claim: Claim
    order: int
    block: int
    marks: tuple[str, ...] = ()
    own: frozenset[str] = (
        frozenset()
    )  # which of subject, baseline, benchmark, scenarios, round the sentence itself named
    heading: bool = False
    secondary: bool = False  # a baseline's own value
    changed: bool = False  # a verb says that the system itself got better
    fields: dict[str, object] = field(default_factory=dict)
