"""Which side of a comparison a name is on: the one spoken of, the one measured against, or what it is the best among."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.claims.measures import SIZE_UNITS, is_count
from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

SUBJECT, BASELINE = "subject", "baseline"
CLASS = "class"  # what a system is the best among: "of any MI355X server"
SYSTEM_KINDS = ("system", "product", "accelerator", "processor", "generation")  # the most telling first
_PREPOSITIONS = words("in on with at for by")
_ARTICLES = words("the a an our its their this these")
MAX_BACK = 10
MAX_UNIT = 5  # tokens of "tokens per second"
_LEAVES = words("leaves left leaving")
_WHOSE = words("its their our the")
_PLAIN = words("' s 's -")
_KIN = words("flagship champion leader sibling stablemate bestseller workhorse model")
_OWNERS = words("company vendor maker firm manufacturer")
_MODES = words(
    "bare metal virtualised virtualized uncapped capped unlimited throttled tuned untuned default air liquid cooled limited"
)
_UNTAMED = words("unrestricted unconstrained stock native nominal unthrottled")
_HOLDING = words("with of holding carrying using containing")
_HOLDS = words("has holds carries contains uses")
_THEN = words(
    "do does get gets give gives make makes manage manages had has did does was got gave fed made makes reached reaches posted scored kept"
)
_AS = words("of as") | {"as many as", "as much as", "as far as", "as high as", "as great as"}
_SIGNS = words("x × times % percent")
_LEADS = words("lead edge advantage margin")
_ITSELF = words("it they")
_NOW = words(
    "gives give has have does do makes make reaches reach delivers deliver posts post scores score achieves"
)
MAX_AS = 16  # tokens between "as many" and the "as" that goes with it


def role_of(tokens: Sequence[Token], place: int, *, direct: bool = True) -> str:
    """Subject, class after "among" or "any", or baseline where a word like "over", "than", "against" or "of" (after a multiplier) leads to the name.

    ``direct``: a name right behind a multiplier is a baseline too ("3.7x GB300 NVL72"), which a round is not.
    """
    here = place - 1
    steps = 0
    while here >= 0 and steps < MAX_BACK:
        token = tokens[here]
        if token.low in {"x", "×"} and here and is_count(tokens, here - 1, here):
            here -= 2
            continue  # "111 % of 8x B200"
        found = _led_by(tokens, here, place, direct=direct)
        if found is not None:
            return found
        steps += 1
        if _is_stepped_over(tokens, here):
            here -= 1
        elif (led := _machine_with(tokens, here)) is not None:
            here = led  # "relative to the same server with eight …"
        else:
            return CLASS if _one_of_all(tokens, here) else SUBJECT
    return SUBJECT


def _led_by(tokens: Sequence[Token], here: int, place: int, *, direct: bool) -> str | None:
    """The role that the word at ``here`` gives to the name at ``place``; null where the words before it decide."""
    token = tokens[here]
    if (
        _after_value(tokens, here)
        or (token.low in _AS and _after_multiplier(tokens, here))
        or _after_as_many(tokens, here)
        or _that_had(tokens, here, place)
        or (token.low == "on" and here > 0 and tokens[here - 1].low in _LEADS)
        or (token.low in _LEAVES and any(t.low == "behind" for t in tokens[place + 1 : place + 4]))
    ):
        return BASELINE
    if token.low in {"among", "amongst", "any", "other"}:
        return CLASS
    if token.low == "all" and here and tokens[here - 1].low == "of":
        return CLASS  # "the highest of all eight-GPU MI355X systems"
    if token.low == "what":  # "3.5x what an L40S gives", but "that is what MI355X offers"
        led = tokens[here - 1] if here else token
        led = tokens[here - 2] if led.low == ")" else led  # "over twice (2.04x) what H200 gives"
        if led.low == "of" and _after_multiplier(tokens, here - 1):
            return BASELINE  # "98 percent of what its GB300 rack posts"
        return BASELINE if led.low in {"x", "×", "times"} or led.is_("multiplier", "baseline") else SUBJECT
    if token.is_("baseline") and not _is_qualifier(tokens, here):
        return BASELINE if token.low not in {"from", "since"} or _compares(tokens) else SUBJECT
    if token.low in {"x", "×", "times", "fold", "%", "percent"} or token.is_("multiplier"):
        near = direct and _is_multiplier(tokens, here) and _directly(tokens, here, place)
        near = near and not _more_machines(tokens, here, place)
        return BASELINE if near else SUBJECT
    if token.low in _ARTICLES and here and _ends_a_name(tokens[here - 1]):
        return SUBJECT  # "Against our B200 servers the new B300 servers …": another noun begins
    return None


def _machine_with(tokens: Sequence[Token], place: int) -> int | None:
    """Where "a server with" or "a node that holds", which only says what is in it, begins; null where nothing of the kind stands there."""
    noun = place - 1
    if tokens[place].low in _HOLDS and place > 1 and tokens[noun].low in {"that", "which"}:
        noun -= 1
    elif tokens[place].low not in _HOLDING or _one_of_all(tokens, place):
        return None
    bare = noun > 0 and tokens[noun].is_("machine") and not set(tokens[noun].names) - {"scenario"}
    return noun - 1 if bare else None


def _is_stepped_over(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word may stand between "than" and the name that it leads to."""
    token = tokens[place]
    if token.low in _PREPOSITIONS:  # "than in v5.1", "than on B200"
        return place > 0 and (tokens[place - 1].is_("baseline") or tokens[place - 1].low in _AS - {"of"})
    if (
        token.is_("skipped", "predecessor", "submitter", "number_word", "number", "counts", "family")
        or token.low in _PLAIN
        or token.low in _MODES
        or token.capital
    ):
        return True
    if token.low == "," and tokens[place + 1].low in _ARTICLES:
        return place > 0 and _is_kin(tokens[place - 1])  # "as fast as our previous flagship, the ESC8000A"
    if token.low in _KIN or (token.low == "core" and place > 0 and tokens[place - 1].low == "-"):
        return True
    if token.low in _OWNERS:
        return tokens[place + 1].low in _PLAIN  # "1.96x the company's own rack"
    return bool(token.names) and not token.is_("software", "precision")


def _is_kin(token: Token) -> bool:
    """Whether a word says what a system is to another, and its name comes behind."""
    return token.low in _KIN or token.is_("predecessor") or (token.is_("machine") and not token.names)


def _ends_a_name(token: Token) -> bool:
    """Whether a noun that names or counts machines, or a size ("at 1,400 W rather than 1,000 W the …"), ends here."""
    return (
        token.low in SIZE_UNITS
        or token.is_("counts", "machine")
        or any(kind in token.names for kind in SYSTEM_KINDS)
    )


def _one_of_all(tokens: Sequence[Token], place: int) -> bool:
    """As in "ahead of all other systems with eight B300": what stands behind "with" is a class."""
    if tokens[place].low not in {"with", "on", "using", "of", "from"} or not place:
        return False
    return tokens[place - 1].is_("counts", "machine", "result_noun") and any(
        t.low in {"any", "all", "every", "other", "no"}
        or t.low.endswith((" any", " all", " every", " other"))
        for t in tokens[max(0, place - 4) : place - 1]
    )


def _is_qualifier(tokens: Sequence[Token], place: int) -> bool:
    """Whether "over" or "above" is said of the number behind it, not of a system."""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None or not after.is_("number"):
        return False
    further = tokens[place + 2] if place + 2 < len(tokens) else None
    if further is not None and further.low in {"x", "×"} and is_count(tokens, place + 1, place + 2):
        return False
    return further is None or further.low in {"x", "×", "%", "percent", "times"} or "unit" in further.names


def _after_multiplier(tokens: Sequence[Token], place: int) -> bool:
    """Whether a multiplier or percentage stands before "of" or "as" with only its noun phrase between."""
    for here in range(place - 1, max(-1, place - 9), -1):
        token = tokens[here]
        if token.low in {"x", "×", "times", "fold", "%", "percent"} or token.is_("multiplier"):
            return _is_multiplier(tokens, here)
        if token.low in {
            ",",
            ";",
            "on",
            "in",
            "with",
            "by",
            "and",
            "(",
            ")",
            "is",
            "are",
            "was",
            "were",
        } or token.is_("baseline"):
            return False
    return False


def _after_as_many(tokens: Sequence[Token], place: int) -> bool:
    """As in "2.4x as many GPUs busy in v2.0 as the AI400X2": the second "as", however much stands between."""
    if tokens[place].low != "as":
        return False
    low = max(1, place - MAX_AS)
    for here in range(place - 2, low - 1, -1):
        if tokens[here].low in {";", ":"} or tokens[here + 1].low == "as":
            return False
        if tokens[here].low == "as" and tokens[here + 1].low in {"many", "much", "fast", "high", "quick"}:
            return _is_multiplier(tokens, here - 1)
    return False


def _that_had(tokens: Sequence[Token], place: int, name: int) -> bool:
    """As in "three times the number of GPUs that FlashBlade//S had fed": "that" leads to who had what is multiplied."""
    if tokens[place].low != "that" or not any(t.low in _THEN for t in tokens[name + 1 : name + 6]):
        return False
    for here in range(place - 1, max(0, place - MAX_AS), -1):
        if tokens[here].low in {";", ":"}:
            return False
        led = tokens[here - 2 : here] if tokens[here - 1].low == "of" else tokens[here - 1 : here]
        if tokens[here].low == "the" and led and (led[0].is_("multiplier") or led[0].low in _SIGNS):
            return True  # "53% of the work that eight B300 do"
    return False


def _after_value(tokens: Sequence[Token], here: int) -> bool:
    """Whether a word leads from a value that is multiplied or compared with to the system that has it."""
    low = tokens[here].low
    if low in {"that", "of", "from"} and _after_multiplied_value(tokens, here):
        return True
    if low in {"of", "for", "on"} and _after_than_value(tokens, here):
        return True
    return low in {"for", "on", "of", "by", "from"} and _after_compared_value(tokens, here)


def _after_compared_value(tokens: Sequence[Token], place: int) -> bool:
    """As in "compares with 27.9 minutes for the MI300X": the value is what is compared with."""
    here = place - 1
    if here < 1 or not ("unit" in tokens[here].names or tokens[here].is_("second")):
        return False
    while here > 0 and not tokens[here].is_("number"):
        here -= 1
        if place - here > MAX_UNIT:
            return False
    return here > 0 and tokens[here - 1].is_("pair") and tokens[here - 1].low != "over"


def _after_than_value(tokens: Sequence[Token], place: int) -> bool:
    """As in "48% more than the 1,539.49 of the 86-core R770"."""
    led = tokens[max(0, place - 3) : place]
    return len(led) == 3 and led[0].low.endswith("than") and led[1].low == "the" and led[2].is_("number")


def _after_multiplied_value(tokens: Sequence[Token], place: int) -> bool:
    """As in "twice the 30,493 tokens/s that B200 had": a multiplier, and the value that it multiplies."""
    here = place - 1
    while here >= 0 and (
        "unit" in tokens[here].names or tokens[here].is_("second") or tokens[here].low in {"/", "per"}
    ):
        here -= 1
    if here < 2 or not tokens[here].is_("number") or tokens[here - 1].low != "the":
        return False
    led = tokens[here - 2]
    return led.low in {"x", "×", "times"} or led.is_("multiplier")


def _is_multiplier(tokens: Sequence[Token], place: int) -> bool:
    if tokens[place].is_("multiplier"):
        return True
    before = tokens[place - 1] if place else None
    return before is not None and (before.is_("number", "number_word") or before.low == "-")


def _directly(tokens: Sequence[Token], sign: int, place: int) -> bool:
    """Whether only articles, owners and counts lie between a multiplier's sign and the name ("3x NVIDIA's own DGX B300")."""
    if tokens[sign].low in {"%", "percent"}:
        return False
    return all(
        t.is_("skipped", "submitter", "filler") or t.low in _PLAIN or t.low in _OWNERS
        for t in tokens[sign + 1 : place]
    )


def _more_machines(tokens: Sequence[Token], verb: int, name: int) -> bool:
    """As in "doubled its H100 nodes from two to four": what is multiplied is how many there are."""
    noun = tokens[name + 1] if name + 1 < len(tokens) else None
    owned = tokens[verb].is_("multiplier") and tokens[verb + 1].low in _WHOSE
    return owned and noun is not None and noun.is_("counts") and noun.low.endswith("s")


def _compares(tokens: Sequence[Token]) -> bool:
    return any(
        t.is_("better", "multiplier", "lesser") or t.low in {"x", "×", "times", "%", "percent"}
        for t in tokens
    )


def is_of_its_own(tokens: Sequence[Token], place: int) -> bool:
    """As in "84% of what it gives uncapped", "of the throughput it has at 1,400 W", "of its full-power score": itself, run in another way.

    ``place``: where "of" is expected. A scenario near by makes it a comparison of two scenarios.
    """
    near = tokens[place : place + 8]
    lows = [t.low for t in near]
    if lows[:1] == ["of"] and [t for t in lows[1:5] if t not in {"its", "the", "-"}][:2] == ["bare", "metal"]:
        return True  # what a virtual machine leaves of it
    if lows[:2] in (["of", "its"], ["of", "their"]) and lows[2:3] and lows[2] in _MODES | _UNTAMED:
        return not any(_is_kin(t) for t in near[3:7])  # "of its uncapped Llama 2 70B Offline throughput"
    if lows[:1] != ["of"] or any("scenario" in t.names for t in near[:6]):
        return False
    moded = (
        lows[1:2] in (["its"], ["their"])
        and "power" in lows[2:5]
        and any(t.is_("result_noun") for t in near[4:7])
    )
    noun = (
        1
        if lows[1:2] == ["what"]
        else 2
        if lows[1:2] == ["the"] and near[2].is_("result_noun", "performance")
        else 0
    )
    whose = lows[noun + 1 : noun + 3]
    return moded or (noun > 0 and len(whose) == 2 and whose[0] in _ITSELF and whose[1] in _NOW | _THEN)
