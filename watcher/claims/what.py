"""What a figure was measured on: benchmark, scenarios, per accelerator; and the qualifier that holds for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise, takewhile

from watcher.claims.clauses import name_runs
from watcher.claims.measures import PERCENT, SIZE_UNITS, TIMES, Measure
from watcher.claims.mentions import Mention
from watcher.claims.names import benchmark_of
from watcher.claims.parsed import COMPARING, Judged, Parsed
from watcher.claims.ranks import FIRST
from watcher.claims.roles import BASELINE
from watcher.claims.standing import ABSOLUTE, POWER, RANKED, SCALING
from watcher.claims.units import DURATIONS, is_limited, of_accelerator
from watcher.claims.vocabulary import words

MAX_JOINED = 6  # tokens between two figures that share a qualifier
_CHIPS = words("gpus accelerators chips cards processors tpus")
_OUTCOMES = words(
    "efficiency gain lead difference gap ratio advantage improvement uplift speedup margin increase advance"
)
_DIVIDING = words("divided dividing divide")
_SPREADING = words("split shared spread")  # a load is, too
_ALL = words("all both every each")
_COLUMNS = words("columns column scenarios scenario modes tests")
_TESTS = words("test scenario benchmark mode workload")
_WHOLE = words("total totals totalling totalled altogether whole entire combined")
_AVERAGED = words("averaged average averages geomean mean overall every")


class What:
    """The benchmark and scenarios of a sentence's claims."""

    def __init__(self, parsed: Parsed) -> None:
        """Answer for one sentence."""
        self.parsed = parsed
        self.tokens = parsed.tokens
        self.frame = parsed.frame
        self.lexicon = parsed.lexicon
        self.mentions = parsed.mentions
        self.measures = parsed.measures
        self.parts = parsed.parts
        self.per_known: dict[int, bool] = {}  # by where a figure stands

    @cached_property
    def divided(self) -> list[int]:
        """Where the sentence says that a figure is each accelerator's."""
        tokens = self.tokens
        return [
            n
            for n, token in enumerate(tokens)
            if (
                (token.is_("per_accelerator") and not is_limited(tokens, n))
                or (n and of_accelerator(tokens, n))
            )
            and not (n and tokens[n - 1].low in SIZE_UNITS)  # "capped at 1,000 W per GPU"
        ]

    def benchmarks(self, judged: Judged, suite: str) -> list[str | None]:
        """The benchmarks that a figure is said of, in ``suite``; null where none is named."""
        part, given = self.parts[judged.part], self.parts[judged.part].zipped[judged.place]
        if "benchmark" in given:
            return [benchmark_of(given["benchmark"].suites, suite, self.lexicon)]
        bracketed = self._bracketed_benchmark() or next(iter(self._shared("benchmark")), None)
        if bracketed is not None:
            return [benchmark_of(bracketed.suites, suite, self.lexicon)]
        first = judged.standing.kind == RANKED and judged.measure.unit == FIRST
        order = [judged.part]
        if not first or self._led_to_figure(judged):
            order += [*range(judged.part - 1, -1, -1), *self.parsed.behind(judged.part)]
        for number in order:
            found = self.parsed.named(number, "benchmark")
            if not found:
                continue
            names = (
                self._nearest_run(found, judged.measure)
                if number == judged.part
                else found[-1:]
                if number < judged.part
                else found[:1]
            )
            return list(dict.fromkeys(benchmark_of(m.suites, suite, self.lexicon) for m in names))
        if first or any(t.low in _AVERAGED for t in self.tokens[part.low : part.high]):
            return [None]
        if self.frame.benchmark is None:
            task = next((t.names["task"] for t in self.tokens if "task" in t.names), None)
            heard = task is None and self._speaks_of_last(judged)
            return [self._carried(self.frame.heard, suite) if heard else task]
        return [self._carried(self.frame.benchmark, suite)]

    def _carried(self, suites: dict[str, str] | None, suite: str) -> str | None:
        """The benchmark in mind; none in a sentence that goes to another suite ("In MLPerf Storage v1.0, …")."""
        if suites is None or (suite != self.frame.suite and suite not in suites):
            return None
        return benchmark_of(suites, suite, self.lexicon)

    def _speaks_of_last(self, judged: Judged) -> bool:
        """Whether a figure without a benchmark is of the last one that the post named: a value, or what stands beside one."""
        if judged.standing.kind == ABSOLUTE:
            return True
        beside = any(j.standing.kind == ABSOLUTE for j in self.parsed.judged)
        return judged.standing.kind in COMPARING and (
            beside
            or any(t.low in {"here", "there"} for t in self.tokens)
            or any(one.low == "same" and two.low in _TESTS | {"model"} for one, two in pairwise(self.tokens))
        )

    def _bracketed_benchmark(self) -> Mention | None:
        """The only benchmark of a sentence, in brackets at its end: all of its figures are of that one."""
        found = [m for m in self.mentions if m.kind == "benchmark"]
        if len(found) != 1 or not found[0].suites or found[0].place < len(self.tokens) - 6:
            return None
        behind = [t.low for t in self.tokens[found[0].place + 1 :]]
        return found[0] if ")" in behind and "(" not in behind else None

    def _shared(self, kind: str) -> list[Mention]:
        """What a tail without figures says of all before it: "…; both gpt-oss-120b, Offline."."""
        low = self.measures[-1].last if self.measures else 0
        opened = next(
            (n for n in range(low, len(self.tokens)) if self.tokens[n].low in {"both", "all", "each"}), None
        )
        if opened is None or self.tokens[opened - 1].low not in {";", "(", "–", "—", ",", "-"}:
            return []
        return [m for m in self.mentions if m.kind == kind and m.place > opened]

    def _led_to_figure(self, judged: Judged) -> bool:
        """Whether a first goes on to the figure that it is the first for ("the first system to serve more than …")."""
        after = self.tokens[judged.measure.last + 1 : judged.measure.last + 6]
        figure = next((m.first for m in self.measures if m.first > judged.measure.last), 0)
        apart = any(t.low == "," for t in self.tokens[judged.measure.last + 1 : figure])
        return not apart and any(t.low in {"to", "that", "beyond", "past"} for t in after)

    def _nearest_run(self, found: Sequence[Mention], measure: Measure) -> list[Mention]:
        runs = name_runs(self.tokens, found, "benchmark")
        return min(runs, key=lambda run: min(abs(m.place - measure.head) for m in run))

    def scenarios(self, judged: Judged) -> tuple[str, ...]:
        """The scenarios that the text states for a figure."""
        given = self.parts[judged.part].zipped[judged.place]
        if "scenario" in given:
            return (given["scenario"].name,)
        shared = self._shared("scenario")
        if shared:
            return tuple(dict.fromkeys(m.name for m in shared))
        first = (
            judged.standing.kind == RANKED
            and judged.measure.unit == FIRST
            and not self._led_to_figure(judged)
        )
        if judged.standing.kind == RANKED and (columns := self._all_columns()):
            return columns
        parallel = self._parallel_scenario(judged)
        if parallel is not None:
            return (parallel,)
        for number in [judged.part] if first else self._order(judged.part):
            found = self.parsed.named(number, "scenario")
            if found:
                if number != judged.part and judged.standing.kind == SCALING and self._compares_two(number):
                    continue
                if judged.standing.kind == RANKED and number > judged.part and not first:
                    return self._of_all_behind(number)
                timed = (
                    judged.measure.unit in DURATIONS
                )  # "… and 8.5 ms for RetinaNet", in the one Stream scenario
                if number < judged.part and not timed and self._on_another(judged.part, number):
                    continue
                return tuple(dict.fromkeys(m.name for m in self._closest(found, judged.measure)))
        return () if first else self._carried_scenarios(judged)

    def _of_all_behind(self, part: int) -> tuple[str, ...]:
        """As in "holds first place, with 114,569 Offline and 113,685 Server": a rank stands in every scenario whose value is shown for it."""
        told = {j.part for j in self.parsed.judged if j.standing.kind == ABSOLUTE}
        numbers = [n for n in (part, *self.parsed.behind(part)) if n == part or n in told]
        return tuple(dict.fromkeys(m.name for n in numbers for m in self.parsed.named(n, "scenario")))

    def _compares_two(self, part: int) -> bool:
        """Whether a part compares two systems, not one with fewer of the same."""
        rivals = any(m.role == BASELINE for m in self.parsed.part_systems(part))
        return rivals and self.parsed.compares(part)

    def _all_columns(self) -> tuple[str, ...]:
        """As in "on top of all three columns", "leads both scenarios": those of the table that the section has shown."""
        for place, token in enumerate(self.tokens):
            behind = [t.low for t in self.tokens[place + 1 : place + 3]]
            if token.low.rpartition(" ")[2] in _ALL and not _COLUMNS.isdisjoint(behind):
                return self.frame.columns
        return ()

    def _on_another(self, part: int, before: int) -> bool:
        """As in "3x on Llama 2 70B Interactive and 2.6x on Mixtral 8x7B": another test, of which no scenario is told."""
        own, other = self.parsed.named(part, "benchmark"), self.parsed.named(before, "benchmark")
        if self.parts[part].hard and not other:
            told = (self.parsed.named(number, "benchmark") for number in range(before - 1, -1, -1))
            other = next((found for found in told if found), [])
        return bool(own and other) and {m.name for m in own}.isdisjoint(m.name for m in other)

    def _order(self, part: int) -> list[int]:
        """A part, those before it, those behind it; right behind a semicolon, what comes before the semicolon is asked last."""
        before, behind = list(range(part - 1, -1, -1)), self.parsed.behind(part)
        return [part, *behind, *before] if self.parts[part].hard else [part, *before, *behind]

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
        if size > 1 and size == len(series) and judged.standing.kind in {ABSOLUTE, *COMPARING}:
            return (series[judged.place],)
        if size == 1 and len(series) > 1 and any(t.low == "respectively" for t in self.tokens):
            figures = [j for j in self.parsed.judged if j.standing.kind in {ABSOLUTE, *COMPARING}]
            if len(figures) == len(series):
                return (series[next(n for n, j in enumerate(figures) if j is judged)],)
        if len(set(series)) == 1 and any(m.carried for m in self.measures):
            return series[:1]  # "…, and Dell follows at 117,804"
        if judged.measure.unit in DURATIONS and len(set(series)) == 1 and series[0].endswith("Stream"):
            return series[:1]  # a latency beside a latency
        lows = [t.low for t in self.tokens[:2]]
        if (
            lows[:1] in (["that"], ["this"], ["which"], ["it"])
            and lows[1:]
            and lows[1] in {"is", "was", "makes", "means", "equals", "works", "gives"}
            and len(set(series)) == 1
        ):
            return series[:1]
        if len(set(series)) == 1 and (self._goes_on() or self._stays(judged)):
            return series[:1]
        return self.frame.topic or self.frame.scenarios

    def _stays(self, judged: Judged) -> bool:
        """Whether a figure of no other benchmark follows one of a single scenario: it is told of the same."""
        named = any(m.kind == "benchmark" for m in self.mentions)
        return not named and judged.standing.kind in {ABSOLUTE, POWER, SCALING, *COMPARING}

    def _goes_on(self) -> bool:
        """As in "The efficiency is 99.5%", "Dell gets 146.2 there", "on the same test": what is told stands in the scenario told last."""
        pairs = [(one.low, two.low) for one, two in pairwise(self.tokens)]
        return any(t.low == "there" for t in self.tokens[-2:]) or any(
            (one == "same" and two in _TESTS) or (one in {"the", "this"} and two in _OUTCOMES)
            for one, two in (pairs if len(self.judged_places()) else [])
        )

    def judged_places(self) -> list[int]:
        """Where the figures that claim something stand."""
        return [j.measure.first for j in self.parsed.judged]

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

    def titles(self, kind: str) -> tuple[str, ...]:
        """The software, or the precisions, that the sentence names."""
        return tuple(dict.fromkeys(self.lexicon.title(kind, m.name) for m in self.mentions if m.kind == kind))

    def division(self) -> str | None:
        """The division that the sentence names, else the one in mind."""
        said = " ".join(t.low for t in self.tokens)
        return next(
            (
                name
                for name in ("open", "closed")
                if f"{name} division" in said or f"{name} - division" in said
            ),
            self.frame.division,
        )

    def per_accelerator(self, judged: Judged) -> bool:
        """Whether a figure is said per accelerator; looked up once, as figures follow those before them."""
        found = self.per_known.get(judged.measure.first)
        if found is None:
            found = self.per_known[judged.measure.first] = self._per_accelerator(judged)
        return found

    def _per_accelerator(self, judged: Judged) -> bool:
        if judged.measure.per == "accelerator":
            return True
        if judged.standing.kind == SCALING:
            return False
        part = self.parts[judged.part]
        if any(t.low in _WHOLE for t in self.tokens[part.low : judged.measure.first]) and not any(
            part.low <= place < part.high for place in self.divided
        ):
            return False  # "each of its GPUs does 15,116, so the server totals 60,466"
        if (
            judged.standing.kind == ABSOLUTE and self._each_gives(judged.measure)
        ) or self._ends_per_accelerator():
            return True
        first = self.measures[0].first
        if any(
            place < first
            or (part.low <= place < part.high and not self._belongs_to_other(place, judged.measure))
            for place in self.divided
        ):
            return True
        if (
            judged.standing.kind in COMPARING
            and judged.part
            and self.parsed.compares(judged.part - 1)
            and not part.hard
        ):
            before = next(j for j in reversed(self.parsed.judged) if j.part == judged.part - 1)
            return before.measure.per is None and self.per_accelerator(before)
        return self.frame.per_accelerator

    def _each_gives(self, measure: Measure) -> bool:
        """As in "each of the 72 GPUs contributes 9,441 tokens/s", "9,441 tokens/s for each of its GPUs"."""
        said = self.tokens[measure.last + 1 : measure.last + 8]
        led = [t.low for t in said[:3]]
        whole = led[:1] in (["for"], ["from"], ["on"]) and led[1:] == ["each", "of"]
        if self._divided_up(measure) or (whole and any(t.low in _CHIPS for t in said)):
            return True
        for place, token in enumerate(self.tokens[: measure.first]):
            behind = self.tokens[place + 1 : place + 7]
            if token.low in {"each", "every"} and any(
                t.low in _CHIPS or "accelerator" in t.names for t in behind
            ):
                return [t.low for t in behind[:1]] == ["of"] or [t.low for t in behind[:2]] == ["one", "of"]
        return False

    def _divided_up(self, measure: Measure) -> bool:
        """As in "Divided by its 72 GPUs, the rack gives 16,635 tokens/s", "eight GPUs give 14,100 each"."""
        led = self.tokens[: measure.first]
        each = [t.low for t in self.tokens[measure.last + 1 : measure.last + 2]] == ["each"]
        boxes = any(t.is_("machine") and t.low not in _CHIPS for t in led)
        if each and not boxes and any(t.low in _CHIPS for t in led):
            return True
        verbs = _DIVIDING | _SPREADING if each else _DIVIDING
        opened = next((n for n, t in enumerate(led) if t.low in verbs), len(led))
        behind = list(takewhile(lambda t: t.low not in {",", ";"}, led[opened + 1 :]))
        joined = any(t.low in {"by", "among", "over", "across", "between"} for t in behind[:2])
        return joined and any(t.low in _CHIPS or "accelerator" in t.names for t in behind)

    def _ends_per_accelerator(self) -> bool:
        """As in "+45 % (Offline), +25 % (Server), DeepSeek-R1, per GPU.": said behind all, set apart by a comma or bracket."""
        last = self.divided[-1] if self.divided else 0
        return (
            last > self.measures[-1].last
            and self.tokens[last - 1].low in {",", "(", "all", "both"}
            and all(t.low in {")", ".", '"'} for t in self.tokens[last + 1 :])
        )

    def _belongs_to_other(self, place: int, measure: Measure) -> bool:
        return any(m is not measure and m.first <= place <= m.last for m in self.measures)

    def qualifier(self, judged: Judged) -> str:
        """As in "roughly 2 % Offline and 4 % Server": a qualifier holds for the figures that "and" or a comma adds to it.

        Of values only for those that nothing else parts: "roughly 15,500 and 16,400 tokens/s".
        """
        if judged.measure.qualifier != "exact":
            return judged.measure.qualifier
        if judged.measure.kind not in {TIMES, PERCENT}:
            run = self.parts[judged.part].measures
            return run[0].qualifier if run[0].qualifier == "about" else "exact"
        place = next(n for n, m in enumerate(self.measures) if m is judged.measure)
        while place and self.measures[place - 1].kind == judged.measure.kind:
            between = self.tokens[self.measures[place - 1].last + 1 : self.measures[place].first]
            joined = (
                len(between) <= MAX_JOINED
                and any(t.low in {",", "and", "&"} for t in between)
                and not any(t.low in {";", "(", "while", "but"} for t in between)
            )
            if not joined or any(t.is_("baseline", "better") for t in between):
                break
            place -= 1
            if self.measures[place].qualifier != "exact":
                return self.measures[place].qualifier
        return "exact"
