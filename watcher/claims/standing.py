"""Whether a figure is a claim, of which kind, and how it stands: measured, projected, unverified or not MLPerf.

A figure is judged by what it is about: the noun behind it ("1.5x the FP4 compute"), else the one before it ("memory
prices have tripled"), and by what the sentence says of itself (a rule, a hypothesis, a retraction, another benchmark).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from watcher.claims.clauses import Part
from watcher.claims.measures import MONEY, PERCENT, QUANTITY, RANK, Measure
from watcher.claims.mentions import Mention
from watcher.claims.ranks import NONE_OTHER
from watcher.claims.roles import BASELINE, is_of_its_own
from watcher.claims.tokens import Token
from watcher.claims.topics import (
    BLOCKING,
    as_many,
    cue_of,
    has_risen,
    is_difference,
    is_of_no_result,
    is_priced,
    more_of_unknown,
    multiplies_it,
    tokens_behind,
    topic_ahead,
    topic_behind,
)
from watcher.claims.units import DURATIONS
from watcher.claims.vocabulary import words

RATIO, GAIN, ABSOLUTE, SCALING, RANKED, POWER = (
    "ratio",
    "percent_gain",
    "absolute",
    "scaling_efficiency",
    "rank_or_first",
    "power_efficiency",
)
_HUMANS = words("human humans person persons")
_GAPS = words("gap difference")
_RESULTS = words("rate number numbers score result figure throughput performance value mark output")
_OTHER_WHOLES = words(
    ", ; use on in with from by for rows row entries lines runs cases time times way queries prompts"
)
_WHOLE = frozenset({"of", "of linear", "of ideal", "of perfect"})
_STEPS = words("step move change plus hike swing difference")


PERCENT_OF = "percent_of"


class Standing(Struct, frozen=True):
    """A claim's kind, value and unit; ``factor`` turns the printed value into the claim's (0.01 for "% of")."""

    kind: str
    unit: str | None = None
    factor: float = 1.0
    status: str = "measured"


class Situation(Struct, frozen=True):
    """What surrounds a figure: its sentence, its part, the names, and what the parts before were judged to be."""

    tokens: Sequence[Token]
    part: Part
    mentions: Sequence[Mention]
    suite: str
    before: Standing | None = None
    same_block: bool = False  # a benchmark or system was named earlier in the same paragraph or table
    in_mind: bool = False  # a system and a benchmark are in mind from before
    last: str | None = None  # kind of the last figure of the sentence before
    benchmark: str | None = None  # the benchmark in mind, as inference calls it
    untimed: Collection[str] = ()  # benchmarks that no scenario measures as a time
    scaled: bool = False  # the paragraph speaks of scaling
    asked: bool = False  # the sentence before asked how two sides compare


def standing_of(measure: Measure, at: Situation) -> Standing | None:
    """What a figure claims, or null if it claims nothing about a benchmark's result."""
    if measure.kind == RANK:
        return Standing(RANKED)
    if measure.kind == QUANTITY:
        return _quantity(measure, at)
    if measure.kind == PERCENT:
        return _percent(measure, at)
    return _times(measure, at)


# ---------------------------------------------------------------------------------------------- quantities


def _quantity(measure: Measure, at: Situation) -> Standing | None:
    if measure.per == "user":
        return None
    if measure.per in {"watt", "joule"}:
        unit = (measure.unit or "").removesuffix("/s")
        return Standing(POWER, f"{unit}/s/W" if measure.per == "watt" else f"{unit}/J")
    if measure.per == "dollar" or is_difference(at.tokens, measure):
        return None
    if any(t.low in _HUMANS for t in at.tokens[at.part.low : measure.first]):
        return None  # "a human reads five tokens per second"
    if any(m.unit == NONE_OTHER for m in at.part.measures) or _denied(at.tokens, measure):
        return None  # "Nobody else came under 11 minutes"
    if measure.unit not in DURATIONS:
        return Standing(ABSOLUTE, measure.unit)
    return Standing(ABSOLUTE, measure.unit) if _is_result_time(measure, at) else None


def _is_result_time(measure: Measure, at: Situation) -> bool:
    """Whether a duration is a result: a time to train, or a latency of a benchmark that is run as one."""
    tokens = at.tokens
    low = max((n for n in range(measure.first) if tokens[n].low == ";"), default=0)
    high = next((n for n in range(measure.last, len(tokens)) if tokens[n].low == ";"), len(tokens))
    near = tokens[max(low, measure.first - 8) : min(high, measure.last + 6)]
    if any(t.is_("time_reject", "rule") for t in near) or (
        at.suite != "training" and measure.unit == "hours"
    ):
        return False
    after = tokens[measure.last + 1].low if measure.last + 1 < len(tokens) else ""
    if after in {"ago", "later", "earlier", "before", "after", "old", "long", "apart"}:
        return False
    if at.suite == "training":
        return any(t.is_("training_verb") for t in tokens) or any(m.kind == "benchmark" for m in at.mentions)
    if measure.unit == "minutes":
        return False
    if any(m.kind == "scenario" and m.name.endswith("Stream") for m in at.mentions):
        return True
    named = [m.name for m in at.mentions if m.kind == "benchmark"] or ([at.benchmark] if at.benchmark else [])
    if named and all(name in at.untimed for name in named):
        return False
    return any(m.kind == "benchmark" for m in at.mentions) or at.same_block


def _denied(tokens: Sequence[Token], measure: Measure) -> bool:
    if any(t.low.endswith("than") for t in tokens[: measure.first]):
        return False  # "Nobody was faster than NVIDIA's ten minutes"
    near = [t.low for t in tokens[max(0, measure.first - 4) : measure.first]]
    return bool(tokens) and (
        tokens[0].low in {"nobody", "none", "neither"}
        or [t.low for t in tokens[:2]] == ["no", "one"]
        or "nobody" in near
        or "none" in near
    )


# ---------------------------------------------------------------------------------------------- percentages


def _percent(measure: Measure, at: Situation) -> Standing | None:
    tokens, last = at.tokens, measure.last
    following = tokens[last + 1].low if last + 1 < len(tokens) else ""
    ahead = topic_ahead(tokens, measure, at.part.high)
    behind = topic_behind(tokens, measure, _reach(at, measure))
    if any(t.low in MONEY for t in tokens[at.part.low : measure.first]) and ahead != "dollar":
        return None  # "B200 $2.85 (+2%)"
    if _scales(tokens, measure, at, ahead, behind):
        return Standing(SCALING)
    if ahead == "scaling":
        return None  # the efficiency of something else
    if following == "of" and any(t.low == "within" for t in tokens[max(0, measure.first - 2) : measure.head]):
        return _within(measure, at)
    led = [t.low for t in tokens[last + 1 : last + 3]]
    if following == "of" or ((following == "the" or led == ["that", "of"]) and _of_system(measure, at)):
        return Standing(RATIO, factor=0.01) if _of_system(measure, at) else None
    if is_of_no_result(tokens, measure, _reach(at, measure), (ahead, behind)) and not (
        ahead is None and _beats_by(measure, at)
    ):
        return None
    cue = cue_of(tokens, measure, at.part.low, at.part.high)
    if (
        cue is None
        and _baseline_named(at)
        and any(t.low in _GAPS for t in tokens[at.part.low : measure.first])
    ):
        cue = "better"  # "the gap between B300 and B200 is 2 %"
    if cue is None and _is_step(tokens, measure):
        cue = "better"
    if cue is None and measure.first and tokens[measure.first - 1].low == "by":
        cue = "better" if has_risen(tokens[: measure.first]) else None
    if cue is None:
        return _as_before(measure, at)
    unknown = ahead is None and more_of_unknown(tokens, measure)
    if cue == "worse" or unknown or ahead == "counts":
        return None
    return _gain(ahead or behind, cue, at)


def _is_step(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "moved from 91,706 to 115,567 tokens/s, a step of 26 %"."""
    led = [t.low for t in tokens[max(0, measure.first - 2) : measure.first]]
    units = {t.names["unit"] for t in tokens[: measure.first] if "unit" in t.names}
    risen = any(t.low == "from" for t in tokens[: measure.first]) and not units & DURATIONS
    return risen and led[1:] == ["of"] and led[0] in _STEPS


def _beats_by(measure: Measure, at: Situation) -> bool:
    """As in "outperformed the submission of X by 6 %": the verb says that two results are compared."""
    led = at.tokens[at.part.low : measure.first]
    return bool(led) and led[-1].low == "by" and any(t.is_("baseline") and t.is_("better") for t in led)


def _says_pair(tokens: Sequence[Token]) -> bool:
    return [t.low for t in tokens] in (["each", "other"], ["one", "another"])


def _within(measure: Measure, at: Situation) -> Standing | None:
    """As in "within 4 % of AMD's own": a gain of about that much, up or down."""
    named = any(m.kind in {"system", "submitter", "benchmark"} for m in at.mentions)
    tied = at.tokens[measure.last + 2 : measure.last + 4]  # "within 1 % of each other": nobody is ahead
    if at.tokens[0].low == "no" or _denied(at.tokens, measure) or _says_pair(tied):
        return None
    if any("scenario" in t.names for t in tied):
        return None  # one scenario beside another
    other = any(t.is_(*BLOCKING) for t in at.tokens[measure.last + 1 : measure.last + 6])
    return Standing(GAIN) if named and not other else None


def _gain(topic: str | None, cue: str, at: Situation) -> Standing | None:
    """A percentage with its direction: less is a gain of latencies alone."""
    if cue == "lesser":
        before = (
            at.before is not None and at.before.unit in DURATIONS
        )  # "takes 5.73 s a clip, 68 % less than …"
        said = before or any(t.is_("latency") for t in at.tokens[: at.part.high])
        timed = topic == "latency" or (topic is None and said)
        return Standing(GAIN, _latency_unit(at.tokens, at)) if timed else None
    if topic == "watt":
        return Standing(POWER, "performance_per_watt")
    return Standing(GAIN, "performance_per_dollar" if topic == "dollar" else None)


def _scales(
    tokens: Sequence[Token], measure: Measure, at: Situation, ahead: str | None, behind: str | None
) -> bool:
    if not at.scaled:
        return False
    if ahead == "scaling":
        return True
    behind_of = [t.low for t in tokens[measure.last + 1 : measure.last + 3]]
    if behind_of in (["of", "that"], ["of", "it"]) and any(t.is_("scaling") for t in tokens[: measure.first]):
        return True  # "Perfect scaling would make …; the rack reaches 99.5 % of that"
    window = tokens[measure.last + 1 : min(measure.last + 5, at.part.high)]
    if window and window[0].low in _WHOLE and any(t.is_("scaling") for t in window):
        return True
    if (
        ahead is None
        and behind == "scaling"
        and cue_of(tokens, measure, at.part.low, at.part.high) != "better"
    ):
        return True
    return (
        at.before is not None
        and at.before.kind == SCALING
        and ahead is None
        and cue_of(tokens, measure, at.part.low, at.part.high) is None
    )


def _of_system(measure: Measure, at: Situation) -> bool:
    """Whether "111 % of" goes on to a system (or an earlier round), not to some other whole."""
    tokens = at.tokens
    owner = tokens[measure.last + 2] if measure.last + 2 < len(tokens) else None
    owned = owner is not None and owner.low in {"its", "their", "that"}
    if is_of_its_own(tokens, measure.last + 1) or (
        owned and (_baseline_named(at) or _own_other(at, measure))
    ):
        return True  # "matched B200 …, delivered 97 % of its Server performance"
    for mention in at.mentions:
        if measure.last < mention.place <= measure.last + 14 and mention.place < at.part.high:
            around = [
                *tokens[measure.last + 1 : mention.place],
                *tokens[mention.place + 1 : mention.place + 3],
            ]
            if any(t.is_(*BLOCKING) for t in around) or any(
                t.low in _OTHER_WHOLES for t in tokens[measure.last + 1 : mention.place]
            ):
                return False
            if mention.kind in {"submitter", "benchmark", "scenario"}:
                continue  # "of the Llama 2 70B Offline throughput of Dell's XE9680"
            return mention.kind in {"system", "round"}
    return False


def _own_other(at: Situation, measure: Measure) -> bool:
    """As in "84 % of its uncapped figure": the same system under other conditions, not in another scenario."""
    near = at.tokens[measure.last + 3 : measure.last + 6]
    if any("scenario" in t.names for t in near):
        return False
    noun = next((n for n, t in enumerate(near) if t.is_("result_noun")), 0)
    return noun > 0 and near[noun].low in _RESULTS and not any(t.is_(*BLOCKING) for t in near[:noun])


def _as_before(measure: Measure, at: Situation) -> Standing | None:
    """A percentage without a word of its own goes on as the one before it, or as a level ("101 % Offline")."""
    if measure.sign == "+" or (at.asked and at.before is None):
        return Standing(GAIN)
    if (
        at.before is not None
        and at.before.kind in {GAIN, RATIO}
        and (at.before.factor != 1.0 or at.before.kind == GAIN)
    ):
        return at.before
    if (
        at.before is None
        and at.last == SCALING
        and any(t.low in {"it", "this", "that"} for t in at.tokens[: measure.first])
    ):
        return Standing(SCALING)
    if at.before is None and at.last == PERCENT_OF and at.tokens[max(0, measure.first - 1)].low == "at":
        return Standing(RATIO, factor=0.01)
    words = {t.low for t in at.tokens[max(0, measure.first - 14) : measure.first]}
    if words & {"level", "par", "parity"} and any(m.kind == "system" for m in at.mentions):
        return Standing(RATIO, factor=0.01)
    if measure.qualifier == "about" and "within" in {
        t.low for t in at.tokens[max(0, measure.first - 1) : measure.head]
    }:
        return (
            Standing(GAIN)
            if any(m.kind in {"system", "submitter", "benchmark"} for m in at.mentions)
            else None
        )
    return None


def _latency_unit(tokens: Sequence[Token], at: Situation) -> str:
    words = " ".join(t.low for t in tokens[at.part.low : at.part.high])
    if "ttft" in words or "first token" in words:
        return "ttft_p99" if "p99" in words or "99th" in words else "ttft"
    if "tpot" in words or "per output token" in words:
        return "tpot"
    return "latency"


# ---------------------------------------------------------------------------------------------- multipliers


def _times(measure: Measure, at: Situation) -> Standing | None:
    tokens = at.tokens
    ahead = topic_ahead(tokens, measure, at.part.high)
    behind = topic_behind(tokens, measure, _reach(at, measure))
    if at.suite == "storage" and (
        ahead == "counts" or _counts_follow(tokens, measure) or as_many(tokens, measure)
    ):
        return Standing(RATIO, "accelerators_supported")
    if _grows_to_count(tokens, measure) or is_priced(tokens, measure):
        return None
    if (
        is_of_no_result(tokens, measure, _reach(at, measure), (ahead, behind))
        or ahead == "counts"
        or (ahead is None and more_of_unknown(tokens, measure))
    ):
        return None
    if any(t.is_("worse") for t in tokens[measure.last + 1 : measure.last + 3]):
        return None
    topic = ahead or behind
    if topic == "dollar" or (
        ahead is None
        and _that_of(tokens, measure)
        and at.before is not None
        and at.before.unit == "performance_per_dollar"
    ):
        return Standing(RATIO, "performance_per_dollar")
    if topic == "watt":
        return Standing(POWER, "performance_per_watt")
    if not (
        _compared(measure, at, ahead)
        or (at.in_mind and measure.qualifier != "exact" and _stands_alone(tokens, measure))
    ):
        return None
    lesser = any(t.is_("lesser") for t in tokens[measure.last + 1 : measure.last + 3])
    if lesser and topic is None and any(t.is_("latency") for t in tokens[: measure.first]):
        topic = "latency"
    if lesser and topic != "latency":
        return None
    return Standing(RATIO, _latency_unit(tokens, at) if topic == "latency" and lesser else None)


def _grows_to_count(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "doubling to 2,048 chips"."""
    behind = tokens[measure.last + 1 : measure.last + 5]
    return bool(behind) and behind[0].low == "to" and any(t.is_("counts") for t in behind)


def _stands_alone(tokens: Sequence[Token], measure: Measure) -> bool:
    """Whether a multiplier ends its clause, with no noun of its own ("the headline is “up to 2.5x”.")."""
    following = tokens[measure.last + 1] if measure.last + 1 < len(tokens) else None
    return following is None or following.low in {".", ",", '"', ")", ";", "!", "'", "and"}


def _that_of(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "4x that of the L40S": the noun is the one of the figure before."""
    return any(t.low in {"that", "those"} for t in tokens[measure.last + 1 : measure.last + 3])


def _counts_follow(tokens: Sequence[Token], measure: Measure) -> bool:
    return any(t.is_("counts") for t in tokens[measure.last + 1 : measure.last + 6])


def _compared(measure: Measure, at: Situation, ahead: str | None) -> bool:
    """Whether the sentence says what is compared: a system, a benchmark, a scenario, or at least performance."""
    if any(m.kind in {"system", "benchmark", "scenario"} for m in at.mentions):
        return (
            not measure.word
            or multiplies_it(at.tokens, measure)
            or ahead in {"performance", "latency"}
            or _baseline_named(at)
            or any(m.kind in {"benchmark", "scenario"} for m in at.mentions)
        )
    return _compared_in_words(measure, at, ahead) and (
        any(m.kind == "submitter" for m in at.mentions) or not any(t.is_("nobody_named") for t in at.tokens)
    )  # "3x lower latency than a competitor"


def _compared_in_words(measure: Measure, at: Situation, ahead: str | None) -> bool:
    following = [t.low for t in tokens_behind(at.tokens, measure)]
    owned = [t.is_("submitter") for t in tokens_behind(at.tokens, measure)][:1] == [True]
    owned = owned or following[:1] in (["its"], ["their"])
    if (following[:1] == ["as"] or owned) and at.in_mind and at.last is not None:
        return True  # "Eighteen times as much."
    if at.in_mind and _baseline_named(at) and _stands_alone(at.tokens, measure):
        return True  # "Compared with what we got in v6.0, that is 2.5x"
    if measure.word:
        return ahead == "performance" and any(m.kind in {"round", "submitter"} for m in at.mentions)
    return ahead in {"performance", "latency"} or any(
        t.is_("better") for t in at.tokens[measure.last + 1 : measure.last + 3]
    )


def _baseline_named(at: Situation) -> bool:
    return any(m.role == BASELINE for m in at.mentions)


def _reach(at: Situation, measure: Measure) -> int:
    """How far back a figure may find its noun: to its part's beginning, or the sentence's where the part has no noun."""
    return at.part.low if measure is not at.part.measures[0] or at.part.low == 0 else max(0, at.part.low - 12)
