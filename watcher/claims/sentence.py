"""The claims of one sentence: each figure with the names that its part, the sentence, or what came before gives it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from watcher.claims.frame import Frame, SystemName
from watcher.claims.lexicon import Lexicon
from watcher.claims.measures import PERCENT, QUANTITY, TIMES, Measure
from watcher.claims.mentions import Mention
from watcher.claims.parsed import COMPARING, Judged, Parsed, parse, without_class
from watcher.claims.quotients import paired, says_more
from watcher.claims.roles import BASELINE, CLASS
from watcher.claims.rounds import is_earlier, rounds_of
from watcher.claims.standing import (
    ABSOLUTE,
    PERCENT_OF,
    POWER,
    RANKED,
    RATIO,
    Situation,
    Standing,
    standing_of,
)
from watcher.claims.status import is_asked
from watcher.claims.tokens import Token
from watcher.claims.units import DURATIONS
from watcher.claims.what import What
from watcher.claims.who import Who
from watcher.domain import Claim

MAX_VAGUE = 0.12  # by how much "close to four times" may differ from the exact number beside it
MAX_TOPIC = 4  # tokens before the scenario that a sentence begins with
_SCALING = ("scal", "linear", "ideal", "parallel eff", "per-gpu", "per gpu", "per chip")


class SentenceReader:
    """One sentence with its frame; `claims` reads it, `after` is the frame that it leaves."""

    def __init__(self, tokens: Sequence[Token], text: str, frame: Frame, lexicon: Lexicon) -> None:
        """Take the sentence apart."""
        self.parsed = parse(tokens, text, frame, lexicon)
        frame = self.parsed.frame = _back_home(self.parsed)
        self.tokens = tokens
        self.frame = frame
        self.mentions = self.parsed.mentions
        self.measures = self.parsed.measures
        self.parts = self.parsed.parts
        self.rounds = rounds_of(self.parsed)
        self.who = Who(self.parsed, self.rounds)
        self.what = What(self.parsed)
        self.made: list[list[Claim]] = []

    @cached_property
    def scaled(self) -> bool:
        """Whether the paragraph speaks of scaling."""
        folded = self.parsed.text.casefold()
        return any(word in folded for word in _SCALING)

    @property
    def judged(self) -> list[Judged]:
        """The figures that claim something."""
        return self.parsed.judged

    def claims(self) -> list[tuple[Judged, list[Claim]]]:
        """Each figure that claims something, with its claims (one for each benchmark), in order."""
        if not self.measures:
            return []
        judged = self.parsed.judged = self._judge()
        self.parsed.comparing = frozenset(j.part for j in judged if j.standing.kind in COMPARING)
        self.made = [self._claims_of(judged) for judged in self.judged]
        self._pair()
        self._fold()
        return list(zip(self.judged, self.made, strict=True))

    def _pair(self) -> None:
        """Give a ratio without a baseline the systems of the two quantities of the sentence that it is the quotient of."""
        values = [
            (j, c[0])
            for j, c in zip(self.judged, self.made, strict=True)
            if j.standing.kind == ABSOLUTE and c
        ]
        for place, (judged, claims) in enumerate(zip(self.judged, self.made, strict=True)):
            if judged.standing.kind not in COMPARING or not claims:
                continue
            told = [paired(claim, [c for _, c in values]) for claim in claims]
            turned = _turned(claims[0], told[0], named=bool(self.parsed.part_systems(judged.part)))
            dated = bool(self.rounds.mentions) or claims[0].baseline_system != claims[0].subject_system
            if claims[0].baseline_system is None or (turned and dated):
                self.made[place] = told

    def _fold(self) -> None:
        """As in "more than doubles …, or 2.57 to 1": a vague multiple says no more than the exact one beside it."""
        exact = [
            c
            for j, made in zip(self.judged, self.made, strict=True)
            for c in made
            if c.kind == RATIO and not j.measure.word
        ]
        for place, judged in enumerate(self.judged[:-1]):
            if self._is_put_exactly(judged, self.judged[place + 1]):
                self.made[place] = []
        for place, judged in enumerate(self.judged):
            if judged.measure.word and judged.measure.qualifier in {"over", "about"}:
                self.made[place] = [c for c in self.made[place] if not any(says_more(e, c) for e in exact)]

    def _is_put_exactly(self, vague: Judged, exact: Judged) -> bool:
        """As in "close to four times (3.95x) in Server": a bracket gives the exact number of what was said before it."""
        (one, other), between = (
            (vague.measure, exact.measure),
            self.tokens[vague.measure.last + 1 : exact.measure.first],
        )
        alike = (
            vague.standing == exact.standing and one.kind == other.kind and one.qualifier != other.qualifier
        )
        near = abs(other.value - one.value) <= MAX_VAGUE * other.value
        return alike and near and [t.low for t in between] == ["("] and one.qualifier in {"about", "over"}

    def _judge(self) -> list[Judged]:
        judged: list[Judged] = []
        suite = self.frame.suite_of(self.rounds.own or self.frame.round)
        before: Standing | None = None
        for number, part in enumerate(self.parts):
            if part.hard and (before is None or before.factor == 1.0):
                before = None
            for place, measure in enumerate(part.measures):
                at = Situation(
                    self.tokens,
                    part,
                    self.mentions,
                    suite,
                    self._before(measure, before, judged),
                    self.frame.fresh,
                    self._in_mind(),
                    self.frame.last,
                    (self.frame.benchmark or {}).get("inference"),
                    self.parsed.lexicon.untimed,
                    self.scaled,
                    self.frame.asked,
                )
                standing = standing_of(measure, at)
                if standing is not None:
                    judged.append(Judged(number, place, measure, standing))
                    before = standing
                elif measure.kind in {TIMES, PERCENT}:
                    before = None
        return self._with_led(judged)

    def _before(self, measure: Measure, before: Standing | None, judged: Sequence[Judged]) -> Standing | None:
        """What a figure goes on from: "84 % of B in Offline (81,870.5 against 97,535.1) and 82 % in Server" passes over the brackets."""
        last = next((j for j in reversed(judged) if j.measure.kind == PERCENT), None)
        if before is None or measure.kind != PERCENT or last is None or before is last.standing:
            return before
        between = [t.low for t in self.tokens[last.measure.last : judged[-1].measure.first]]
        closed = [t.low for t in self.tokens[judged[-1].measure.last : measure.first]]
        return last.standing if "(" in between and ")" not in between and ")" in closed else before

    def _in_mind(self) -> bool:
        return self.frame.subject is not None and self.frame.benchmark is not None

    def _with_led(self, judged: list[Judged]) -> list[Judged]:
        """As in "GB200 keeps 85.4 %, GB300 88.2 % of linear": a percentage that goes with the one behind it."""
        accepted = {id(j.measure): j for j in judged}
        for number, part in enumerate(self.parts):
            last = accepted.get(id(part.measures[-1]))
            if last is None or last.measure.kind != PERCENT:
                continue
            for place, measure in enumerate(part.measures[:-1]):
                if id(measure) not in accepted:  # "6 and 12 percent more"
                    judged.append(Judged(number, place, measure, last.standing))
        for part, following in zip(self.parts, self.parts[1:], strict=False):
            measure, after = part.measures[-1], following.measures[0]
            if (
                measure.kind != PERCENT
                or id(measure) in accepted
                or id(after) not in accepted
                or after.kind != PERCENT
                or following.hard
            ):
                continue
            between = self.tokens[measure.last + 1 : after.first]
            bare = all(
                t.low in {",", "and", "&", "in", "for", "on", "at"} or t.names or t.is_("skipped")
                for t in between
            )
            if bare and not self.tokens[measure.last].is_("worse"):
                judged.append(
                    Judged(
                        self.parts.index(part), len(part.measures) - 1, measure, accepted[id(after)].standing
                    )
                )
        return sorted(judged, key=lambda j: j.measure.first)

    def _claims_of(self, judged: Judged) -> list[Claim]:
        measure, standing = judged.measure, judged.standing
        comparing = standing.kind in COMPARING or (
            standing.kind == POWER and standing.unit == "performance_per_watt"
        )
        subject, baseline = self.who.systems(judged, comparing=comparing)
        own_round, base_round = self.rounds.of(judged.part, comparing=comparing)
        if comparing and baseline is None and base_round is None:
            base_round, baseline = self.who.past.earlier(judged, own_round, subject)
        elif comparing and base_round is not None and baseline is None:
            baseline = subject
        elif comparing and subject is None and (base_round is not None or self._raised(judged)):
            subject = baseline
        if comparing and baseline is None:
            baseline = self.who.implied.rivals_system(judged, subject)
        if comparing and baseline is None and self.who.counts.more_of_the_same(judged):
            baseline = self.who.counts.counted(judged, subject)
        suite = self.frame.suite_of(own_round)
        if (
            suite == "storage"
            and subject is not None
            and subject is self.frame.subject
            and subject.accelerator
        ):
            subject = None  # no accelerator stores anything
        benchmarks = self.what.benchmarks(judged, suite)
        scale = standing.factor
        owner = self._bracketing_owner(judged) or self.parsed.submitter_of(judged.part)
        claim = Claim(
            kind=standing.kind,
            value=_rounded(measure.value * scale),
            value_max=_rounded(measure.value_max * scale) if measure.value_max is not None else None,
            qualifier=None if standing.kind == RANKED else self.what.qualifier(judged),
            subject_system=subject.name if subject else self._whole_round(judged, suite, own_round),
            baseline_system=(baseline.name if baseline else suite_systems(suite, base_round))
            if comparing
            else None,
            scenarios=self.what.scenarios(judged),
            software=self.what.titles("software"),
            precision=self.what.titles("precision"),
            round=own_round,
            baseline_round=base_round if comparing and base_round != own_round else None,
            per_accelerator=self.what.per_accelerator(judged) or None,
            unit=standing.unit if standing.kind != RANKED else None,
            decimals=max(0, measure.decimals + (2 if scale != 1.0 else 0)),
            rounding=10.0**-measure.decimals if measure.decimals < 0 else None,
            submitter=(subject.submitter if subject else None) or owner,
            baseline_submitter=(baseline.submitter if baseline else self.who.implied.rival(judged))
            if comparing
            else None,
            accelerator_count=subject.count if subject else None,
            baseline_accelerator_count=baseline.count if baseline and comparing else None,
            division=self.what.division(),
        )
        return [replace(claim, benchmark=name) for name in benchmarks]

    def _bracketing_owner(self, judged: Judged) -> str | None:
        """As in "ahead of ASUS (90,500.25)": a value in brackets is of the submitter right before them."""
        before = judged.measure.first - 2
        if judged.standing.kind != ABSOLUTE or before < 0 or self.tokens[before + 1].low != "(":
            return None
        return next((m.name for m in self.mentions if m.kind == "submitter" and m.place == before), None)

    def _raised(self, judged: Judged) -> bool:
        """As in "We doubled MI355X's score": the maker's own system, measured against itself."""
        before = self.tokens[judged.measure.first - 1] if judged.measure.first else None
        led = before is not None and (before.low in {"we", "they", "have", "has"} or before.is_("submitter"))
        return led and judged.measure.word

    def _whole_round(self, judged: Judged, suite: str, round: str | None) -> str | None:
        """The storage suite's systems of a round, where a figure is not told of one submitter."""
        whole = suite_systems(suite, round)
        owner = self.parsed.submitter_of(judged.part) if judged.standing.kind == ABSOLUTE else None
        return owner.replace("_", " ") if owner and whole else whole

    def after(self) -> Frame:
        """The frame for the next sentence of the paragraph."""
        frame = self.frame
        if not self.mentions and not self.measures and self.parsed.unit is None:
            return replace(frame, asked=False)
        systems = [m for m in self.mentions if m.kind == "system"]
        benchmarks = [m for m in self.mentions if m.kind == "benchmark" and m.suites]
        submitter = next((m.name for m in self.mentions if m.kind == "submitter"), frame.submitter)
        subject, baseline = self._left_in_mind(systems)
        units = [
            m.unit for m in self.measures if m.kind == QUANTITY and m.unit not in DURATIONS and m.per is None
        ]
        said = None if units else self.parsed.unit
        told = [c for claims in self.made for c in claims]
        placed = [c for c in told if c.kind != RANKED and len(c.scenarios) == 1]
        series, units_told = tuple(c.scenarios[0] for c in placed), tuple(c.unit for c in placed if c.unit)
        return replace(
            frame,
            subject=subject,
            baseline=baseline,
            benchmark=benchmarks[-1].suites if benchmarks else frame.benchmark,
            topic=self._topic(),
            heard=benchmarks[-1].suites if benchmarks else frame.heard,
            submitter=submitter,
            round=self.rounds.left() or frame.round,
            versus=self.rounds.led_against() or (None if self.rounds.mentions else frame.versus),
            recent=frame.recent_with([self.who.named(m) for m in systems if m.role != CLASS]),
            fresh=frame.fresh or bool(systems or benchmarks),
            unit=units[-1] if units else said.unit if said else frame.unit,
            factor=1.0 if units else said.factor if said else frame.factor,
            series=series or (frame.series if not told or not self.mentions else ()),
            units=units_told if len(units_told) == len(placed) else (),
            last=self._last_kind() or frame.last,
            asked=is_asked(self.tokens) and any(t.is_("better", "baseline") for t in self.tokens),
        )

    def _topic(self) -> tuple[str, ...]:
        """As in "In Server the differences are larger.": the scenario of the figures that follow; another one ends it."""
        named = [m for m in self.mentions if m.kind == "scenario"]
        if not self.measures and len(named) == 1 and named[0].place < MAX_TOPIC:
            return (named[0].name,)
        return () if named else self.frame.topic

    def _looks_back(self) -> bool:
        """As in "A year earlier, MI300X needed …": an aside on the past, which leaves in mind what was there before."""
        lows = [t.low for t in self.tokens[:5]]
        return bool({"earlier", "ago", "formerly", "previously"} & set(lows)) or lows[:2] == ["back", "then"]

    def changes(self, judged: Judged) -> bool:
        """Whether a verb says that the system itself got better ("went up by 13 percent")."""
        if judged.standing.kind not in COMPARING:
            return False
        part = judged.part
        while part and not self.parts[part].hard and self.parsed.compares(part - 1):
            if self.parsed.said(part, "changed"):
                break
            part -= 1  # "improved by 4 percent in Offline and 7 percent in Server"
        return self.parsed.said(part, "changed")

    def names_benchmark(self) -> bool:
        """Whether this very sentence names a benchmark."""
        return any(m.kind == "benchmark" for m in self.mentions)

    def _last_kind(self) -> str | None:
        """The kind of the sentence's last figure."""
        if not self.judged:
            return None
        standing = self.judged[-1].standing
        return PERCENT_OF if standing.kind == RATIO and standing.factor != 1.0 else standing.kind

    def _left_in_mind(self, systems: list[Mention]) -> tuple[SystemName | None, SystemName | None]:
        """(subject, baseline) for the next sentence."""
        frame = self.frame
        subjects = without_class([m for m in systems if m.role != BASELINE], self.mentions)
        baselines = [self.who.named(m) for m in systems if m.role == BASELINE]
        if subjects and frame.subject is not None and self._looks_back():
            return frame.subject, frame.baseline
        if subjects:
            chosen = self.who.joined(subjects) or self.who.leading(subjects)
            return chosen, baselines[0] if baselines else None
        if not systems and any(made for made in self.made) and self.who.of_other_maker():
            return (
                None,
                None,
            )  # "AMD's 72-GPU cluster delivered …": what was in mind is not spoken of any more
        if baselines and frame.subject is None:
            return baselines[0], frame.baseline
        return frame.subject, baselines[0] if baselines else frame.baseline


def _back_home(parsed: Parsed) -> Frame:
    """The frame of a sentence that goes on to a benchmark after an aside on an earlier round: the post's own round again."""
    frame = parsed.frame
    if frame.home is None or frame.round is None or not is_earlier(frame.round, frame.home):
        return frame
    kinds = {m.kind for m in parsed.mentions}
    told = any(m.kind == QUANTITY for m in parsed.measures)
    return (
        replace(frame, round=frame.home) if told and "benchmark" in kinds and "round" not in kinds else frame
    )


def _turned(claim: Claim, told: Claim, *, named: bool) -> bool:
    """Whether two values tell better than the words which of two systems, or rounds, is ahead.

    As in "5.44 with Trillium, against 1.75 for TPU v5e: 3.1 times as many". ``named``: the figure's own part names a system.
    """
    sides = (claim.subject_system, claim.baseline_system)
    if sides != (told.baseline_system, told.subject_system):
        return False
    if sides[0] == sides[1]:
        return claim.baseline_round is None and told.baseline_round is not None
    return not named


def suite_systems(suite: str, round: str | None) -> str | None:
    """In the storage suite the systems of a round are compared as a whole, and no accelerator names them."""
    return f"{round} systems" if suite == "storage" and round is not None else None


def _rounded(value: float) -> float:
    return round(value, 10)
