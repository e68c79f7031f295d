"""What a figure is about: the noun behind it ("1.5x the FP4 compute"), else the one before it ("memory prices have tripled")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from watcher.claims.measures import MONEY, SIZE_UNITS, Measure
from watcher.claims.tokens import Token
from watcher.claims.units import DURATIONS
from watcher.claims.vocabulary import words

BLOCKING = ("spec", "money", "component", "accuracy", "people")
_TOPICS = ("dollar", "watt", "latency", "scaling", *BLOCKING, "counts", "size", "performance")
_NAMING = ("system", "accelerator", "product", "generation", "processor", "scenario")
_STOPS = words(
    ", ; : ) ( . on at with after across while when by under using from – — | versus if since during to / "
    "whereas but"
)
_GENERAL = words("time times speed speeds pace rate rates runtime duration tempo")
_LEADING = words("with in on for after since by under at within without during before behind")
_ATTACHING = words("on of between for in over at across within inside from to under")
_EFFICIENCIES = frozenset({"scaling efficiency", "scale-out efficiency", "parallel efficiency"})
_DIFFERING = words(
    "longer shorter sooner later more less fewer faster slower quicker higher lower ahead short shy better worse"
)
_LYING = words("is was lies lay sits stays only just merely")
_GAPS = words("gap difference gaps differences")
_UP_FROM = words("from on over against compared")
MAX_PRICED = 8  # tokens between a sum of money and a multiple of it
MIN_SUBJECT = 3  # tokens before a figure that a clause's break, its subject and its verb take
MIN_RESULT = 100  # a smaller whole number without a unit counts something
MIN_NOUN = 5  # letters of a noun
_INTRANSITIVE = words(". , ; ) since when because as while to in over within during")
_PRONOUNS = words("which these those there everything inference latter former company newcomer successor")
MAX_OPENING = 6  # tokens at the head of a clause among which its subject is looked for
_CAUSES = frozenset(
    {
        "thanks to",
        "due to",
        "because of",
        "using",
        "through",
        "via",
        "courtesy of",
        "powered by",
        "driven by",
        "owing to",
        "based on",
        "with",
    }
)


def topic_ahead(tokens: Sequence[Token], measure: Measure, high: int) -> str | None:
    """The topic of the noun phrase behind a figure, or null."""
    topic: str | None = None
    for here in range(measure.last + 1, min(measure.last + 12, high)):
        token = tokens[here]
        found = next((tag for tag in _TOPICS if tag in token.tags), None)
        if token.is_("dollar", "watt"):
            return found
        if token.low in _STOPS or token.is_("baseline"):
            break
        if token.low == "of" and topic is not None:
            return _first_blocking(tokens[here + 1 : here + 4]) or topic
        if token.low in {"in", "for", "and", "as", "than"}:
            if topic is not None or token.low == "and" or not _noun_phrase(tokens, here + 1):
                break
            continue
        if (
            found == "counts"
            and tokens[here - 1].low == "-"
            and tokens[here - 2].is_("number", "number_word")
        ):
            continue  # "15.6x the four-GPU value"
        if found == "counts" and tokens[here - 1].is_("mlperf", "round"):
            break  # "three times as fast in the MLPerf Tiny v1.2 tests": where, not what
        if token.low in {"results", "submissions", "entries", "scores"} and tokens[here - 1].low in {
            "more",
            "many",
            "fewer",
            "additional",
        }:
            return "counts"
        if found in BLOCKING or (found == "size" and topic is None):
            return found
        topic = found or topic
    return topic


def is_of_component(tokens: Sequence[Token], measure: Measure, low: int, ahead: str | None) -> bool:
    """Whether a part of the machinery got faster, and not a system: "the all-to-all exchange on GB300 takes 28 % less time"."""
    if ahead in {"performance", "latency"}:
        nouns = [t for t in tokens[measure.last + 1 : measure.last + 5] if t.is_("performance", "latency")]
        if any(t.low not in _GENERAL for t in nouns[:1]):
            return False
        if topic_behind(tokens, measure, low) in BLOCKING:
            return True  # "audits of the submissions took 40 % less time"
    return ahead in {None, "performance", "latency"} and _opens_with_component(tokens, measure, low)


def is_of_unnamed(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in ", and billing is 18x faster": a noun without an article that nobody measures is a clause's whole subject."""
    if measure.first < MIN_SUBJECT:
        return False
    if measure.word and _grew_itself(tokens, measure):
        return True
    before, noun, verb = tokens[measure.first - 3 : measure.first]
    if before.low not in {",", ";", ":", "and", "but", "while"} or verb.low not in {
        "is",
        "was",
        "got",
        "runs",
    }:
        return False
    told = noun.tags or noun.names or noun.low in _PRONOUNS or not noun.low.isalpha()
    return not told and not noun.capital and len(noun.low) >= MIN_NOUN


def _grew_itself(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "because the queue had doubled": a noun that nobody measures, and nothing that it doubles."""
    led = [
        t for t in tokens[max(0, measure.first - 3) : measure.first] if t.low not in {"had", "has", "have"}
    ]
    behind = tokens[measure.last + 1].low if measure.last + 1 < len(tokens) else "."
    if len(led) < 2 or led[-2].low not in {"the", "our", "its", "their"} or behind not in _INTRANSITIVE:
        return False
    noun = led[-1]
    measured = noun.is_("performance", "latency", "result_noun", "machine", "dollar", "watt", "scaling")
    told = measured or noun.names or noun.low in _PRONOUNS or not noun.low.isalpha()
    return not told and not noun.capital and len(noun.low) >= MIN_NOUN


def _opens_with_component(tokens: Sequence[Token], measure: Measure, low: int) -> bool:
    """Whether a clause's subject is a component; names behind it only say where it runs, as no verb has them as its object."""
    opened = next((n for n in range(measure.first - 1, low, -1) if tokens[n - 1].low in {",", ";", ":"}), low)
    for start in (opened, low):
        for here in range(start, min(start + MAX_OPENING, measure.first)):
            token = tokens[here]
            if token.names or token.low in _LEADING | _CAUSES or token.is_("performance"):
                break
            if token.is_("component"):
                return _only_attached(tokens[here + 1 : measure.first])
    return False


def _only_attached(between: Sequence[Token]) -> bool:
    """Whether every name among some tokens follows a preposition, and nothing among them is a result."""
    attached = False
    for token in between:
        told = token.is_("performance", "latency") and token.names.get("unit") not in DURATIONS
        if told and token.low not in _GENERAL:
            return False
        if token.low in _ATTACHING or token.is_(
            "component"
        ):  # "the compiler builds the Whisper engine 6x faster"
            attached = True
        elif any(kind in token.names for kind in _NAMING) or any(
            k.startswith("benchmark") for k in token.names
        ):
            if not attached:
                return False
        elif not (
            token.is_("number", "number_word", "skipped", "machine", "submitter") or token.low in {"and", "-"}
        ):
            attached = False
    return True


def _first_blocking(tokens: Sequence[Token]) -> str | None:
    """As in "14x the speed of PCIe Gen5": what is compared with is a specification."""
    for token in tokens:
        if token.names or token.is_("number"):
            return None
        found = next((tag for tag in BLOCKING if tag in token.tags), None)
        if found is not None:
            return found
    return None


def more_of_unknown(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "25 % more viewers", "3x as many replies": more of something that is no result."""
    here = measure.last + 1
    if as_many(tokens, measure):
        counted = next((n for n in range(measure.first - 1, -1, -1) if tokens[n].is_("number")), None)
        fine = counted is not None and (
            tokens[counted].decimals or (tokens[counted].value or 0.0) >= MIN_RESULT
        )
        bare = (
            fine and counted is not None and tokens[counted + 1].low == ","
        )  # "does 50,454, eleven times as many"
        return not bare and not any("unit" in t.names for t in tokens[: measure.first])
    if here < len(tokens) and tokens[here].low == "as":
        here += 1
    if here >= len(tokens) or tokens[here].low not in {"more", "fewer", "extra", "additional", "many"}:
        return False
    for token in tokens[here + 1 : here + 5]:
        if token.names or token.is_("performance", "latency", "dollar", "watt", "unit"):
            return False
        if (
            token.low in _STOPS
            or token.low in {"than", "in", "for", "and", "of", "as"}
            or not token.low.isalpha()
        ):
            break
    following = tokens[here + 1] if here + 1 < len(tokens) else None
    return (
        following is not None
        and following.low.isalpha()
        and following.low not in _STOPS | {"than", "in", "for", "and", "of", "as", "or"}
    )


def multiplies_it(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "MI325X lands at 33,928, so the MI355X triples it"."""
    behind = tokens_behind(tokens, measure)
    return (
        bool(behind)
        and behind[0].low in {"it", "that"}
        and (len(behind) < 2 or behind[1].low in {".", ",", ";", ")"})
    )


def tokens_behind(tokens: Sequence[Token], measure: Measure) -> Sequence[Token]:
    """The two tokens behind a figure."""
    return tokens[measure.last + 1 : measure.last + 3]


def is_priced(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "a Rubin hour lists at $9.80, 1.4x a GB300 hour": a sum of money before a figure without a noun of results, or hours behind it."""
    behind = [t.low for t in tokens[measure.last + 1 : measure.last + 6]]
    if not {"hour", "hours"}.isdisjoint(behind):
        return True
    near = tokens[max(0, measure.first - MAX_PRICED + 1) : measure.first]
    return any(t.low in MONEY for t in near) and not any(
        t.is_("performance", "dollar", "watt", "latency") or "scenario" in t.names for t in tokens
    )


def _goes_on_size(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "a B200 is allowed 1,000 W, 43% more than an H200": what a comma adds to a size without a result of its own."""
    led, place = tokens[: measure.first], measure.first - 1
    if place > 0 and led[place].low in {"or", "some", "about", "roughly", "nearly"}:
        place -= 1
    cut = place > 1 and led[place].low in {",", "–", "—", "("}
    place -= (
        1 if cut and place > 2 and led[place - 1].is_("per_accelerator") else 0
    )  # "needs 1,400 W per GPU, 40% more"
    size = cut and led[place - 1].low in SIZE_UNITS
    behind = tokens[measure.last + 1 : measure.last + 6]
    return (
        size
        and led[place - 2].value is not None
        and not any(t.is_("performance", "result_noun") for t in behind)
    )


def as_many(tokens: Sequence[Token], measure: Measure) -> bool:
    """Whether a multiple is one of a number of things, as in "1,204 rows, 2.1x as many as in v5.0": as many of what was counted before."""
    behind = [t.low for t in tokens[measure.last + 1 : measure.last + 4]]
    if behind[:1] == ["as many as"]:
        return True
    return behind[:2] == ["as", "many"] and (len(behind) < 3 or behind[2] in _STOPS | {"as", "in"})


def _noun_phrase(tokens: Sequence[Token], here: int) -> bool:
    return here < len(tokens) and not tokens[here].names and not tokens[here].is_("number")


def topic_behind(tokens: Sequence[Token], measure: Measure, low: int) -> str | None:
    """The topic of the nearest noun before a figure; null where a system, benchmark or submitter is nearer."""
    here = measure.first - 1
    while here >= low:
        token = tokens[here]
        if token.low in _CAUSES:
            here -= 1
            continue
        found = next((tag for tag in _TOPICS if tag in token.tags and tag not in {"counts", "size"}), None)
        if found == "money" and _is_fraction(tokens, here, measure):
            found = None
        if found is not None:
            return _modified(tokens, here, low) or found
        if (
            here > low + 1
            and token.names
            and tokens[led := _before_article(tokens, here)].low in {"of", "for", "on"}
            and tokens[led - 1].is_(*BLOCKING)
        ):
            return next(
                tag for tag in BLOCKING if tag in tokens[led - 1].tags
            )  # "The HBM4 of Rubin is …", "demand for Blackwell"
        if any(kind in token.names for kind in _NAMING) or any(
            k.startswith("benchmark") for k in token.names
        ):
            return _noun_before_names(tokens[low : measure.first])
        here -= 1
    return None


def _is_fraction(tokens: Sequence[Token], here: int, measure: Measure) -> bool:
    """As in "a quarter (25%) faster", "three quarters, 75%, more": the same number in words, no three months."""
    led = tokens[here - 1].low if here else ""
    apposed = here + 2 == measure.first and tokens[here + 1].low in {"(", ",", "–", "—"}
    return tokens[here].low == "quarter" and apposed and led in {"a", "one"}


def _noun_before_names(led: Sequence[Token]) -> str | None:
    """As in "puts the scaling efficiency of Blackwell on Llama 3.1 405B at 90 %": names attached to the noun leave it what the figure is about."""
    noun = next((n for n in range(len(led) - 1, -1, -1) if led[n].low in _EFFICIENCIES), None)
    return "scaling" if noun is not None and _only_attached(led[noun + 1 :]) else None


def _before_article(tokens: Sequence[Token], name: int) -> int:
    """The place before a name, past an article or a count ("on one MI355X")."""
    place = name - 1
    counted = place > 1 and (tokens[place].is_("number_word") or tokens[place].low in {"a", "an", "the"})
    return place - 1 if counted else place


def _modified(tokens: Sequence[Token], noun: int, low: int) -> str | None:
    """A component or specification that stands before a noun makes it its own ("all-reduce time", "memory latency")."""
    for here in range(noun - 1, max(low - 1, noun - 4), -1):
        token = tokens[here]
        found = next((tag for tag in BLOCKING if tag in token.tags), None)
        if found is not None:
            return found
        if token.low == "of" or (
            token.low in {"a", "an", "the", "each", "every"} and here > low and tokens[here - 1].low == "of"
        ):
            continue  # "the electricity bill of a token": the head noun stands before "of"
        if token.low in {"the", "a", "an", ",", "and", "in", "on", "with", "its", "'s", "s"} or token.names:
            return None
    return None


def is_of_no_result(
    tokens: Sequence[Token], measure: Measure, low: int, topics: tuple[str | None, str | None]
) -> bool:
    """Whether what a figure is about is no result, but a specification, money, a part of the machinery or nothing named.

    ``topics``: those of the nouns ahead and behind.
    """
    behind = [t.low for t in tokens[measure.last + 1 : measure.last + 3]]
    if behind[:1] == ["that"] and _ATTACHING.isdisjoint(behind[1:]):
        return is_blocked(topics[0], None)  # "the kernels make up the 26 % that eight MI355X gained"
    if is_than_value(tokens, measure):
        return False
    return (
        is_blocked(*topics)
        or _goes_on_size(tokens, measure)
        or is_of_component(tokens, measure, low, topics[0])
        or is_of_unnamed(tokens, measure)
    )


def is_than_value(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "2,275.93 samples/s with 128 cores, 48% more than the 1,539.49 of the R770": a value with a unit, and one printed alike behind "than the"."""
    behind = tokens[measure.last + 1 : measure.last + 4]
    told = any("unit" in t.names for t in tokens[: measure.first])
    led = len(behind) > 2 and behind[0].low.endswith("than") and behind[1].low == "the"
    return told and led and behind[2].is_("number") and (behind[2].decimals > 0 or "," in behind[2].low)


def is_blocked(ahead: str | None, behind: str | None) -> bool:
    """Whether what a figure is about is no result: a specification, money, a component, accuracy, people."""
    if ahead is not None:
        return ahead in BLOCKING or ahead == "size"
    return behind in BLOCKING


def cue_of(tokens: Sequence[Token], measure: Measure, low: int, high: int) -> str | None:
    """better, lesser or worse: the nearest word that says in which direction a percentage goes."""
    if measure.sign == "+" or (measure.head and tokens[measure.head - 1].low in {"another", "further"}):
        return "better"
    if is_favoured(tokens, measure):
        return "better"
    behind = [word for t in tokens[measure.last + 1 : measure.last + 3] for word in t.low.split()][:2]
    if behind[:1] == ["up"] and not _UP_FROM.isdisjoint(behind):
        return "better"  # "4.0% up from v6.0"
    bracketed = measure.first > 1 and tokens[measure.first - 1].low == "(" and behind[:1] == [")"]
    start = measure.last + 2 if bracketed else measure.last + 1  # "a fifth (20%) faster"
    for here in range(start, min(measure.last + 6, high)):
        if tokens[here].low in {",", ";", "(", ")", "and", "in", "on"}:
            break
        found = _direction(tokens[here])
        if found is not None:
            return found
    for here in range(measure.first - 1, max(low - 1, measure.first - 14, -1), -1):
        found = _direction(tokens[here])
        if found is not None:
            return found
    return None


def is_favoured(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "The gap is 7.8% Offline in favour of the XE9785L"."""
    gap = any(t.low in _GAPS for t in tokens[: measure.first])
    behind = [t.low for t in tokens[measure.last + 1 :]]
    return gap and any(pair in {("favour", "of"), ("favor", "of")} for pair in pairwise(behind))


def is_difference(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "5,000 tokens/s faster than the XE9780", "only 0.4 minutes behind B200": how much more or less, no result of its own."""
    behind = [word for t in tokens[measure.last + 1 : measure.last + 3] for word in t.low.split()]
    if behind[:1] == ["behind"]:
        return measure.first > 0 and tokens[measure.first - 1].low in _LYING
    return bool(behind) and behind[0] in _DIFFERING


def has_risen(led: Sequence[Token]) -> bool:
    """Whether a verb said that something got better, or was made so: "raised it from 60.6 to 73.2 samples/s, or by 21%"."""
    moved = {"from", "to"} <= {t.low for t in led} and any(t.is_("better") for t in led)
    timed = any(t.names.get("unit") in DURATIONS for t in led)
    return any(t.is_("changed") for t in led) or (moved and not timed)


def _direction(token: Token) -> str | None:
    if token.is_("worse"):
        return "worse"
    if token.is_("better"):
        return "better"
    return "lesser" if token.is_("lesser") else None
