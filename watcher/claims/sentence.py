"""The claims of one sentence: each figure with the names that its part of the sentence, the rest of it, or what came
before gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from watcher.claims.clauses import name_runs, parts_of
from watcher.claims.frame import Frame, SystemName, suite_of
from watcher.claims.lexicon import Lexicon
from watcher.claims.measures import PERCENT, QUANTITY, TIMES, Measure
from watcher.claims.mentions import BASELINE, CLASS, SUBJECT, Mention, mentions_of
from watcher.claims.ranks import FIRST, NONE_OTHER, ranks_of
from watcher.claims.rounds import Rounds, rounds_of
from watcher.claims.series import measures_of
from watcher.claims.standing import (
    ABSOLUTE,
    GAIN,
    POWER,
    RANKED,
    RATIO,
    SCALING,
    Situation,
    Standing,
    standing_of,
)
from watcher.claims.tokens import Token
from watcher.claims.units import DURATIONS
from watcher.claims.vocabulary import words
from watcher.domain import Claim

_COMPARING = frozenset({RATIO, GAIN})
_AVERAGED = words("averaged average averages geomean mean overall every")
_AGAINST = words("against versus vs to compared")


@dataclass(slots=True)
class Judged:
    """A figure of a part with its standing."""

    part: int
    place: int  # in the part's run
    measure: Measure
    standing: Standing


class SentenceReader:
    """One sentence with its frame; `drafts` are its claims, `after` the frame that it leaves."""

    def __init__(
        self, tokens: Sequence[Token], text: str, frame: Frame, lexicon: Lexicon, *, kind: str = "paragraph"
    ) -> None:
        self.tokens = tokens
        self.text = text
        self.frame = frame
        self.lexicon = lexicon
        self.kind = kind
        self.mentions = mentions_of(tokens, text, lexicon)
        found = sorted([*measures_of(tokens, frame.unit), *ranks_of(tokens)], key=lambda m: m.first)
        self.measures = found
        self.parts = parts_of(tokens, found, self.mentions)
        self.rounds: Rounds = rounds_of(self)
        self.judged: list[Judged] = []
        self.made: list[list[Claim]] = []

    # ------------------------------------------------------------------------------------------ reading

    def claims(self) -> list[Claim]:
        """The claims of the sentence, in order."""
        self.judged = self._judge()
        self.made = [self._claims_of(judged) for judged in self.judged]
        self._pair()
        return [claim for claims in self.made for claim in claims]

    def _pair(self) -> None:
        """Give a ratio without a baseline the systems of the two quantities of the sentence that it is the quotient of."""
        values = [
            (j, c[0])
            for j, c in zip(self.judged, self.made, strict=True)
            if j.standing.kind == ABSOLUTE and c
        ]
        for place, (judged, claims) in enumerate(zip(self.judged, self.made, strict=True)):
            if judged.standing.kind not in _COMPARING or not claims or claims[0].baseline_system is not None:
                continue
            self.made[place] = [paired(claim, [c for _, c in values]) for claim in claims]

    def _judge(self) -> list[Judged]:
        judged: list[Judged] = []
        suite = suite_of(self.rounds.own or self.frame.round)
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
                    before,
                    self.frame.fresh,
                    self._in_mind(),
                    self.frame.last,
                )
                standing = standing_of(measure, at)
                if standing is not None:
                    judged.append(Judged(number, place, measure, standing))
                    before = standing
                elif measure.kind in {TIMES, PERCENT}:
                    before = None
        return self._with_led(judged)

    def _in_mind(self) -> bool:
        return self.frame.subject is not None and self.frame.benchmark is not None

    def _with_led(self, judged: list[Judged]) -> list[Judged]:
        """ "GB200 keeps 85.4 %, GB300 88.2 % of linear": a percentage that goes with the one behind it."""
        accepted = {id(j.measure): j for j in judged}
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
        comparing = standing.kind in _COMPARING or (
            standing.kind == POWER and standing.unit == "performance_per_watt"
        )
        subject, baseline = self._systems(judged, comparing=comparing)
        round, base_round = self.rounds.of(judged.part, comparing=comparing)
        if comparing and baseline is None and base_round is None:
            base_round, baseline = self._earlier(judged, round, subject)
        elif comparing and base_round is not None and baseline is None:
            baseline = subject
        elif comparing and base_round is not None and subject is None:
            subject = baseline
        if comparing and baseline is None and self._more_of_the_same(judged):
            baseline = subject
        suite = suite_of(round)
        benchmarks = self._benchmarks(judged, suite)
        scale = standing.factor
        claim = Claim(
            kind=standing.kind,
            value=_rounded(measure.value * scale),
            value_max=_rounded(measure.value_max * scale) if measure.value_max is not None else None,
            qualifier=None if standing.kind == RANKED else self._qualifier(judged),
            subject_system=subject.name if subject else self._suite_systems(suite, round),
            baseline_system=(baseline.name if baseline else self._suite_systems(suite, base_round))
            if comparing
            else None,
            scenarios=self._scenarios(judged),
            software=self._all("software"),
            precision=self._all("precision"),
            round=round,
            baseline_round=base_round if comparing and base_round != round else None,
            per_accelerator=self._per_accelerator(judged) or None,
            unit=standing.unit if standing.kind != RANKED else None,
            decimals=max(0, measure.decimals + (2 if scale != 1.0 else 0)),
            rounding=10.0**-measure.decimals if measure.decimals < 0 else None,
            submitter=(subject.submitter if subject else None) or self._submitter(judged.part),
            baseline_submitter=baseline.submitter if baseline and comparing else None,
            accelerator_count=subject.count if subject else None,
            baseline_accelerator_count=baseline.count if baseline and comparing else None,
            division=self._division(),
        )
        return [replace(claim, benchmark=name) for name in benchmarks]

    def _suite_systems(self, suite: str, round: str | None) -> str | None:
        """In the storage suite the systems of a round are compared as a whole, and no accelerator names them."""
        return f"{round} systems" if suite == "storage" and round is not None else None

    def _qualifier(self, judged: Judged) -> str:
        """ "roughly 2 % Offline and 4 % Server": a qualifier holds for the figures that "and" or a comma adds to it."""
        if judged.measure.qualifier != "exact" or judged.measure.kind not in {TIMES, PERCENT}:
            return judged.measure.qualifier
        place = next(n for n, m in enumerate(self.measures) if m is judged.measure)
        while place and self.measures[place - 1].kind == judged.measure.kind:
            between = self.tokens[self.measures[place - 1].last + 1 : self.measures[place].first]
            joined = any(t.low in {",", "and", "&"} for t in between) and not any(
                t.low in {";", "(", "while", "but"} for t in between
            )
            if not joined or any(t.is_("baseline", "better") for t in between):
                break
            place -= 1
            if self.measures[place].qualifier != "exact":
                return self.measures[place].qualifier
        return "exact"

    # ------------------------------------------------------------------------------------------ systems

    def _systems(self, judged: Judged, *, comparing: bool) -> tuple[SystemName | None, SystemName | None]:
        part, given = self.parts[judged.part], self.parts[judged.part].zipped[judged.place]
        subject = self._name(given["system"]) if "system" in given else None
        own = self._part_systems(judged.part)
        if judged.standing.kind == RANKED and judged.measure.unit == NONE_OTHER:
            behind = [m for m in own if m.role == BASELINE and m.place > judged.measure.last]
            if behind:
                return self._name(behind[0]), None
        subjects = _without_class([m for m in own if m.role != BASELINE], self.mentions)
        baselines = [m for m in own if m.role == BASELINE]
        if subject is None and self._speaks_of_it(judged, own):
            subject = self.frame.subject
        if subject is None:
            subject = self._joined(subjects) or self._chosen(subjects, judged.measure)
        if subject is None and not comparing and baselines:
            subject = self._chosen(baselines, judged.measure)
        baseline = self._chosen(baselines, judged.measure) if comparing else None
        contrast = self._contrasted(judged)
        if subject is None:
            subject = self._inherited(judged, BASELINE if contrast else "subject") or (
                self._inherited(judged, "subject") if contrast else None
            )
        if comparing and baseline is None and not self._own_past(judged.part):
            baseline = self._inherited(judged, BASELINE)
            if baseline is None and not any(m.kind == "system" for m in self.mentions):
                baseline = self.frame.baseline if subject == self.frame.subject else None
            elif (
                baseline is None
                and subject is not None
                and self.frame.subject is not None
                and subject.name == self.frame.subject.name
                and self.frame.fresh
            ):
                baseline = self.frame.baseline
        if comparing and baseline is None:
            baseline = self._predecessor(judged, subject) or self._that(judged, subject)
        if subject is not None and subject == baseline and not baselines and not self._own_past(judged.part):
            baseline = None
        return self._recounted(subject, judged), baseline

    def _speaks_of_it(self, judged: Judged, own: Sequence[Mention]) -> bool:
        """ "It made 8,904.83 tokens/s …, the only Hopper entry": a pronoun carries the system, whatever is named behind."""
        pronoun = next((p for p, t in enumerate(self.tokens[:4]) if t.low in {"it", "they"}), None)
        return pronoun is not None and not any(
            m.place < judged.measure.head and m.role != BASELINE for m in own
        )

    def _part_systems(self, part: int) -> list[Mention]:
        low, high = self.parts[part].low, self.parts[part].high
        return [m for m in self.mentions if m.kind == "system" and low <= m.place < high]

    def _name(self, mention: Mention) -> SystemName:
        return SystemName(
            name=mention.name,
            submitter=self._owner(mention.place),
            count=mention.count,
            accelerator=mention.accelerator,
            rank=mention.rank,
        )

    def _owner(self, place: int) -> str | None:
        """The submitter whose system it is: "Azure's GB300 rack", "Nebius B300"; NVIDIA before its own chip is its vendor."""
        for back in range(place - 1, max(-1, place - 4), -1):
            mention = next((m for m in self.mentions if m.place == back and m.kind == "submitter"), None)
            if mention is not None:
                return mention.name
            if self.tokens[back].is_("baseline") or self.tokens[back].low in {",", ";", "and"}:
                return None
        return None

    def _chosen(self, mentions: Sequence[Mention], measure: Measure) -> SystemName | None:
        """The most telling of several systems, and of those alike the nearest before the figure, else behind it."""
        if not mentions:
            return None

        def order(mention: Mention) -> tuple[int, int, int]:
            behind = mention.place > measure.head
            rank = (
                1 if mention.rank == 2 else mention.rank
            )  # a server and a chip that is bigger news by itself: see below
            return (0 if mention.rank <= 1 else rank, int(behind), abs(mention.place - measure.head))

        chosen = min(mentions, key=order)
        name = self._name(chosen)
        if name.accelerator is None or name.count is None:
            partner = next(
                (m for m in mentions if m.accelerator is not None and m is not chosen and chosen.rank == 1),
                None,
            )
            if partner is not None:
                name = replace(name, accelerator=partner.accelerator, count=partner.count)
        return name

    def _joined(self, mentions: Sequence[Mention]) -> SystemName | None:
        """Several accelerators in one system are named together: "MI300X+MI325X+MI355X"."""
        if len(mentions) < 2:
            return None
        together = any(t.is_("together") or t.low == "+" for t in self.tokens)
        for run in name_runs(self.tokens, [m for m in mentions if m.rank >= 2], "system"):
            names = dict.fromkeys(m.name.partition("x ")[2] or m.name if m.count else m.name for m in run)
            if len(names) > 1 and (together or self._made_of(run[0].place)):
                return SystemName(name="+".join(names), submitter=self._submitter(0), rank=1)
        return None

    def _made_of(self, place: int) -> bool:
        """Whether "a cluster of", "a pair of" leads to a list of accelerators."""
        lows = [t.low for t in self.tokens[max(0, place - 4) : place]]
        return "of" in lows and bool(
            {"cluster", "pair", "mix", "system", "combination", "machine"} & set(lows)
        )

    def _contrasted(self, judged: Judged) -> bool:
        """Whether a quantity is the other side's: "(1306.61 against 349.29 queries/s)"."""
        if judged.standing.kind != ABSOLUTE:
            return False
        low = self.parts[judged.part].low
        return judged.part > 0 and any(
            t.low in _AGAINST and (t.low != "to" or self.rounds.rises)
            for t in self.tokens[low : judged.measure.first]
        )

    def _inherited(self, judged: Judged, role: str) -> SystemName | None:
        """The system of the parts before, then of those behind (not across a semicolon), then what is in mind."""
        order = [*range(judged.part - 1, -1, -1), *self._behind(judged.part)]
        if role == BASELINE and judged.standing.kind in _COMPARING:
            order = [n for n in order if self._compares(n) or n == 0]
        for number in order:
            found = [m for m in self._part_systems(number) if (m.role == BASELINE) == (role == BASELINE)]
            found = _without_class(found, self.mentions)
            name = (self._joined(found) if role != BASELINE else None) or self._chosen(found, judged.measure)
            if name is not None:
                return name
        no_other = any(m.unit == NONE_OTHER for m in self.measures) or not any(
            j.standing.kind in _COMPARING for j in self.judged
        )
        if (
            role != BASELINE
            and judged.standing.kind not in _COMPARING
            and (self.frame.subject is None or no_other)
        ):
            others = [m for number in order for m in self._part_systems(number)]
            if others:
                return self._chosen(others, judged.measure)
        if role == BASELINE:
            return (
                self.frame.baseline
                if judged.standing.kind == ABSOLUTE and not any(m.kind == "system" for m in self.mentions)
                else None
            )
        return self._remembered(judged)

    def _remembered(self, judged: Judged) -> SystemName | None:
        """The system in mind; one of the vendor that the sentence names before others, and "the two" in their order."""
        part = self.parts[judged.part]
        systems = any(m.kind == "system" for m in self.mentions)
        if not systems and len(part.measures) == 2 and len(self.frame.recent) >= 2 and self._says_two():
            return self.frame.recent[-2:][judged.place]
        vendors = {m.name for m in self.mentions if m.kind == "submitter"}
        subject = self.frame.subject
        if (
            systems
            or not vendors
            or (subject is not None and (self._vendor(subject) in vendors or subject.submitter in vendors))
        ):
            return subject
        return next((name for name in reversed(self.frame.recent) if self._vendor(name) in vendors), subject)

    def _vendor(self, name: SystemName) -> str | None:
        known = name.accelerator is not None and name.accelerator in self.lexicon.catalog.names("accelerator")
        return self.lexicon.catalog.entry("accelerator", name.accelerator or "").vendor if known else None

    def _says_two(self) -> bool:
        lows = [t.low for t in self.tokens]
        return "both" in lows or any(
            one in {"the", "these", "those"} and two == "two"
            for one, two in zip(lows, lows[1:], strict=False)
        )

    def _behind(self, part: int) -> list[int]:
        numbers = []
        for number in range(part + 1, len(self.parts)):
            if self.parts[number].hard:
                break
            numbers.append(number)
        return numbers

    def _compares(self, part: int) -> bool:
        return any(j.part == part and j.standing.kind in _COMPARING for j in self.judged)

    def _own_past(self, part: int) -> bool:
        """Whether the part compares with an earlier round of the same system."""
        return (
            self.rounds.has_baseline(part)
            or self._said(part, "previous_round")
            or self._first_submission(part) is not None
        )

    def _said(self, part: int, tag: str) -> bool:
        return any(t.is_(tag) for t in self.tokens[self.parts[part].low : self.parts[part].high])

    def _predecessor(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        if subject is None or not any(
            t.is_("predecessor") for t in self.tokens[: self.parts[judged.part].high]
        ):
            return None
        name = self.lexicon.predecessors.get(subject.name)
        return SystemName(name=name) if name else None

    def _that(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """ "An H100 gives 3.5 times that": the system of the sentence before."""
        following = [t.low for t in self.tokens[judged.measure.last + 1 : judged.measure.last + 3]]
        if (
            following[:1] == ["that"]
            and following[1:] in ([], ["."], [","])
            and subject != self.frame.subject
        ):
            return self.frame.subject
        return None

    def _earlier(
        self, judged: Judged, round: str | None, subject: SystemName | None
    ) -> tuple[str | None, SystemName | None]:
        """(round, system) of "its previous round", "since AMD's first entry"; null where nothing of the kind is said."""
        first = self._first_submission(judged.part) or next(
            (f for n in range(judged.part) if (f := self._first_submission(n))), None
        )
        if first is not None:
            return None, SystemName(name=f"{first} (first submission)", submitter=first)
        if self._said(judged.part, "previous_round") or (
            judged.part and self._compares(judged.part - 1) and self._said(judged.part - 1, "previous_round")
        ):
            return self.lexicon.previous_round(round), subject
        return None, None

    def _first_submission(self, part: int) -> str | None:
        tokens = self.tokens
        for place in range(self.parts[part].low, self.parts[part].high):
            token = tokens[place]
            near = {t.low for t in tokens[place : place + 6]}
            led = {t.low for t in tokens[max(0, place - 3) : place]}
            if token.is_("first_submission") or (
                token.low == "first"
                and near & {"entry", "submission", "result", "appearance", "submissions"}
                and led & {"'s", "its", "since", "from", "their", "s", "'"}
            ):
                if not any(
                    t.is_("baseline") or t.low in {"from", "since", "over", "than"}
                    for t in tokens[max(0, place - 5) : place]
                ):
                    continue
                return (
                    next(
                        (m.name for m in self.mentions if m.kind == "submitter" and abs(m.place - place) < 8),
                        None,
                    )
                    or self.frame.submitter
                    or ""
                )
        return None

    def _more_of_the_same(self, judged: Judged) -> bool:
        """Whether the other side is the same system with fewer accelerators ("with four times the GPUs")."""
        for measure in self.measures:
            if measure is not judged.measure and measure.kind == TIMES:
                following = self.tokens[measure.last + 1 : measure.last + 5]
                if any(t.is_("counts") for t in following) and not any(
                    j.measure is measure for j in self.judged
                ):
                    return True
        return False

    def _recounted(self, subject: SystemName | None, judged: Judged) -> SystemName | None:
        """A carried system with another count: "On sixteen, the score is …"."""
        if subject is None or subject != self.frame.subject or subject.accelerator is None:
            return subject
        for place, token in enumerate(self.tokens[:-1]):
            if token.low in {"on", "with", "using"} and self.tokens[place + 1].is_("number_word", "number"):
                following = self.tokens[place + 2] if place + 2 < len(self.tokens) else None
                value = self.tokens[place + 1].value or 0
                if (
                    value >= 1
                    and value == int(value)
                    and (
                        following is None
                        or following.low in {",", ".", "gpus", "accelerators", "chips", "of"}
                    )
                ):
                    name = (
                        subject.name.partition("x ")[2]
                        if subject.count and subject.name.startswith(f"{subject.count}x ")
                        else subject.name
                    )
                    renamed = f"{int(value)}x {name}" if subject.rank >= 2 else name
                    return replace(subject, name=renamed, count=int(value))
        return subject

    # ------------------------------------------------------------------------------------------ the other names

    def _benchmarks(self, judged: Judged, suite: str) -> list[str | None]:
        part, given = self.parts[judged.part], self.parts[judged.part].zipped[judged.place]
        if "benchmark" in given:
            return [self._benchmark(given["benchmark"].suites, suite)]
        bracketed = self._bracketed_benchmark()
        if bracketed is not None:
            return [self._benchmark(bracketed.suites, suite)]
        first = judged.standing.kind == RANKED and judged.measure.unit == FIRST
        order = [judged.part]
        if not first or self._led_to_figure(judged):
            order += [*range(judged.part - 1, -1, -1), *self._behind(judged.part)]
        for number in order:
            low, high = self.parts[number].low, self.parts[number].high
            found = [m for m in self.mentions if m.kind == "benchmark" and low <= m.place < high]
            if not found:
                continue
            names = (
                self._nearest_run(found, judged.measure)
                if number == judged.part
                else found[-1:]
                if number < judged.part
                else found[:1]
            )
            return list(dict.fromkeys(self._benchmark(m.suites, suite) for m in names))
        if first or any(t.low in _AVERAGED for t in self.tokens[part.low : part.high]):
            return [None]
        if self.frame.benchmark is None:
            return [next((t.names["task"] for t in self.tokens if "task" in t.names), None)]
        return [self._benchmark(self.frame.benchmark, suite)]

    def _bracketed_benchmark(self) -> Mention | None:
        """The only benchmark of a sentence, in brackets at its end: all of its figures are of that one."""
        found = [m for m in self.mentions if m.kind == "benchmark"]
        if len(found) != 1 or not found[0].suites or found[0].place < len(self.tokens) - 6:
            return None
        behind = [t.low for t in self.tokens[found[0].place + 1 :]]
        return found[0] if ")" in behind and "(" not in behind else None

    def _led_to_figure(self, judged: Judged) -> bool:
        """Whether a first goes on to the figure that it is the first for ("the first system to serve more than …")."""
        after = self.tokens[judged.measure.last + 1 : judged.measure.last + 6]
        return any(t.low in {"to", "that", "beyond", "past"} for t in after)

    def _nearest_run(self, found: Sequence[Mention], measure: Measure) -> list[Mention]:
        runs = name_runs(self.tokens, found, "benchmark")
        return min(runs, key=lambda run: min(abs(m.place - measure.head) for m in run))

    def _benchmark(self, suites: dict[str, str] | None, suite: str) -> str | None:
        if not suites:
            return None
        if suite in suites:
            return suites[suite]
        name = suites.get("inference")
        if suite == "training" and name is not None:
            known = self.lexicon.catalog.names("benchmark")
            return next(
                (n for n in known if n == f"train-{name}" or n.startswith(f"train-{name}-")), f"train-{name}"
            )
        return name or suites.get("training") or next(iter(suites.values()))

    def _scenarios(self, judged: Judged) -> tuple[str, ...]:
        part, given = self.parts[judged.part], self.parts[judged.part].zipped[judged.place]
        if "scenario" in given:
            return (given["scenario"].name,)
        first = (
            judged.standing.kind == RANKED
            and judged.measure.unit == FIRST
            and not self._led_to_figure(judged)
        )
        parallel = self._parallel_scenario(judged)
        if parallel is not None:
            return (parallel,)
        for number in (
            [judged.part]
            if first
            else [judged.part, *range(judged.part - 1, -1, -1), *self._behind(judged.part)]
        ):
            low, high = self.parts[number].low, self.parts[number].high
            found = [m for m in self.mentions if m.kind == "scenario" and low <= m.place < high]
            if found:
                if number != judged.part and judged.standing.kind == SCALING and self._compares(number):
                    continue
                return tuple(dict.fromkeys(m.name for m in self._closest(found, judged.measure)))
        return () if first else self._carried_scenarios(judged)

    def _parallel_scenario(self, judged: Judged) -> str | None:
        """Several values without scenarios behind as many that had one each: the same ones, in order."""
        part = self.parts[judged.part]
        size = len(part.measures)
        if size < 2 or any(m.kind == "scenario" and part.low <= m.place < part.high for m in self.mentions):
            return None
        earlier = list(
            dict.fromkeys(m.name for m in self.mentions if m.kind == "scenario" and m.place < part.low)
        )
        return earlier[judged.place] if len(earlier) == size else None

    def _carried_scenarios(self, judged: Judged) -> tuple[str, ...]:
        """The heading's scenarios; those of the sentence before where this one goes on with "that is", or runs parallel to it."""
        size, series = len(self.parts[judged.part].measures), self.frame.series
        if size > 1 and size == len(series) and judged.standing.kind == ABSOLUTE:
            return (series[judged.place],)
        lows = [t.low for t in self.tokens[:2]]
        if (
            lows[:1] in (["that"], ["this"], ["which"])
            and lows[1:]
            and lows[1] in {"is", "was", "makes", "means", "equals", "works", "gives"}
            and len(set(series)) == 1
        ):
            return series[:1]
        return self.frame.scenarios

    def _closest(self, found: list[Mention], measure: Measure) -> list[Mention]:
        """Of several lists of scenarios in one part, those that a comma or a verb does not set apart from the figure."""
        runs = name_runs(self.tokens, found, "scenario")
        if len(runs) < 2:
            return found
        near = [run for run in runs if not self._set_apart(run, measure)]
        return [m for run in near for m in run] or min(
            runs, key=lambda run: min(abs(m.place - measure.head) for m in run)
        )

    def _set_apart(self, run: Sequence[Mention], measure: Measure) -> bool:
        low, high = sorted((run[-1].place if run[-1].place < measure.head else run[0].place, measure.head))
        return any(t.low in {",", ";", "while", "but"} for t in self.tokens[low:high])

    def _all(self, kind: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.lexicon.title(kind, m.name) for m in self.mentions if m.kind == kind))

    def _submitter(self, part: int) -> str | None:
        found = [m for m in self.mentions if m.kind == "submitter"]
        for number in [part, *range(part - 1, -1, -1)] if self.parts else []:
            here = [m.name for m in found if self.parts[number].low <= m.place < self.parts[number].high]
            if here:
                return here[0]
        return found[0].name if found else None

    def _division(self) -> str | None:
        words = " ".join(t.low for t in self.tokens)
        return next(
            (
                name
                for name in ("open", "closed")
                if f"{name} division" in words or f"{name} - division" in words
            ),
            self.frame.division,
        )

    def _per_accelerator(self, judged: Judged) -> bool:
        if judged.measure.per == "accelerator":
            return True
        first = self.measures[0].first
        part = self.parts[judged.part]
        for place, token in enumerate(self.tokens):
            if token.is_("per_accelerator") and (
                place < first
                or (part.low <= place < part.high and not self._belongs_to_other(place, judged.measure))
            ):
                return True
        if (
            judged.standing.kind in _COMPARING
            and judged.part
            and self._compares(judged.part - 1)
            and not part.hard
        ):
            before = next(j for j in reversed(self.judged) if j.part == judged.part - 1)
            return before.measure.per is None and self._per_accelerator(before)
        return self.frame.per_accelerator

    def _belongs_to_other(self, place: int, measure: Measure) -> bool:
        return any(m is not measure and m.first <= place <= m.last for m in self.measures)

    # ------------------------------------------------------------------------------------------ what is left in mind

    def after(self) -> Frame:
        """The frame for the next sentence of the paragraph."""
        frame = self.frame
        systems = [m for m in self.mentions if m.kind == "system"]
        subjects = _without_class([m for m in systems if m.role != BASELINE], self.mentions)
        baselines = [m for m in systems if m.role == BASELINE]
        benchmarks = [m for m in self.mentions if m.kind == "benchmark" and m.suites]
        submitters = [m for m in self.mentions if m.kind == "submitter"]
        if subjects:
            chosen = self._joined(subjects) or self._leading(subjects)
            frame = replace(frame, subject=chosen, baseline=self._name(baselines[0]) if baselines else None)
        elif baselines and frame.subject is None:
            frame = replace(frame, subject=self._name(baselines[0]))
        elif baselines:
            frame = replace(frame, baseline=self._name(baselines[0]))
        if benchmarks:
            frame = replace(frame, benchmark=benchmarks[-1].suites)
        if submitters:
            frame = replace(frame, submitter=submitters[0].name)
        if self.rounds.own is not None:
            frame = replace(frame, round=self.rounds.own)
        named = [self._name(m) for m in systems if m.role != CLASS]
        frame = frame.with_recent(*dict.fromkeys(named))
        units = [
            m.unit for m in self.measures if m.kind == QUANTITY and m.unit not in DURATIONS and m.per is None
        ]
        told = [c for claims in self.made for c in claims]
        series = tuple(c.scenarios[0] for c in told if c.kind == ABSOLUTE and len(c.scenarios) == 1)
        return replace(
            frame,
            fresh=frame.fresh or bool(systems or benchmarks),
            unit=units[-1] if units else frame.unit,
            series=series or (frame.series if not told else ()),
            last=told[-1].kind if told else frame.last,
        )

    def _leading(self, subjects: Sequence[Mention]) -> SystemName:
        best = min(subjects, key=lambda m: (m.rank > 1, m.place))
        name = self._name(best)
        if best.rank == 1:
            partner = next((m for m in subjects if m.accelerator is not None), None)
            if partner is not None:
                name = replace(name, accelerator=partner.accelerator, count=partner.count)
        return name


def paired(claim: Claim, values: Sequence[Claim]) -> Claim:
    """A comparison with the systems and rounds of the two of ``values`` whose quotient it is; as it was if there are none."""
    wanted = claim.value if claim.kind == RATIO else 1 + claim.value / 100
    pair = quotient_of(wanted, claim.decimals + (2 if claim.kind == GAIN else 0), values, claim.qualifier)
    if pair is None:
        return claim
    better, other = pair
    same = better.subject_system == other.subject_system
    return replace(
        claim,
        subject_system=better.subject_system,
        baseline_system=other.subject_system,
        round=better.round,
        baseline_round=other.round if same and other.round != better.round else None,
        accelerator_count=better.accelerator_count,
        baseline_accelerator_count=other.accelerator_count,
        submitter=better.submitter,
        baseline_submitter=other.submitter,
    )


def _without_class(found: list[Mention], mentions: Sequence[Mention]) -> list[Mention]:
    """Leave out what only says among which a system is the best, where the sentence names that system."""
    if any(m.kind == "system" and m.role == SUBJECT for m in mentions):
        return [m for m in found if m.role != CLASS]
    return found


def quotient_of(
    wanted: float, decimals: int, claims: Sequence[Claim], qualifier: str | None = None
) -> tuple[Claim, Claim] | None:
    """The two absolute claims, better first, whose quotient prints as ``wanted``; null if there are none."""
    slack = 0.5 * 10.0**-decimals + 0.006
    low, high = wanted - slack, wanted + slack
    if qualifier == "over":
        high = wanted * 1.5
    elif qualifier == "about":
        low, high = wanted * 0.9, wanted * 1.1
    for one in claims:
        for other in claims:
            if one is other or not one.value or not other.value or one.unit != other.unit:
                continue
            quotient = other.value / one.value if one.unit in DURATIONS else one.value / other.value
            if quotient >= 1 and low <= quotient <= high:
                return one, other
    return None


def _rounded(value: float) -> float:
    return round(value, 10)
