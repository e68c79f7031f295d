"""What a sentence says of its own figures: a rule, a hypothesis, a retraction, a projection, unverified, another benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile

from watcher.claims.frame import Frame
from watcher.claims.measures import PERCENT, TIMES, Measure
from watcher.claims.mentions import Mention
from watcher.claims.ranks import AUXILIARIES, CONFIRMING, SAYING
from watcher.claims.tokens import Token
from watcher.claims.units import DURATIONS
from watcher.claims.vocabulary import words

MEASURED, PROJECTED, UNVERIFIED, NOT_MLPERF = "measured", "projected", "unverified", "not_mlperf"
_OWNED = words("internal in-house customer customers production synthetic own private")
_TESTS = words(
    "chatbot chatbots app apps assistant product products workload workloads benchmark benchmarks test tests testing traffic traces trace pipeline "
    "pipelines application applications prompts"
)
_SPEAKING = words("mlperf round not_mlperf own_test other_benchmark")
_MLPERF = words("mlperf round")
_NEGATED = words("not no none never n't isn't neither")
_DENIED = _NEGATED | {"without", "t"}
_DENYING = words(
    "denies denied deny denying rejects rejected reject disputes disputed dispute refutes refuted dismisses dismissed contests contested debunks debunked"
)
_TURNS = words("; but yet however")
_SURVEYS = words("survey surveys surveyed poll polls polled respondents questionnaire")
_DEFYING = words(
    "bend bends bent break breaks broke violate violates violated ignore ignores ignored depart departs departed deviate deviates deviated breach breaches"
)
_RULES = words("rule rules ruleset methodology procedure procedures protocol")
_FOLLOWING = words(
    "follow follows followed following comply complies complied complying conform conforms adhere adheres obey obeys meet meets keep keeps kept respect respects regard"
)
MAX_DEFIED = 8  # tokens between "does not follow" and MLPerf
_OTHERS = words("other_benchmark own_test not_mlperf outside without t") | _DEFYING | _NEGATED | _OWNED
_WHOLES = words("everything section below following these all chapter table chart charts numbers figures")
_NOT = words("not never cannot")
_MODAL = words("could would might")
_CLAUSES = words(", ; : and but so which")
_UPDATES = words(
    "update updated updates correction edit edited note p.s. ps erratum corrigendum clarification"
)
_FORMERLY = words("initially originally previously formerly mistakenly wrongly")
_FORMER = words("earlier first previous original old prior initial")
_EDITIONS = words("edition version table chart print")
_NAMED = ("system", "accelerator", "product", "generation", "processor", "submitter", "round", "machine")
_WRITINGS = words(
    "headline headlines draft drafts text caption title wording sentence line slide copy paragraph story article post"
)
_EXPECTING = words(
    "think thought expect expected imagine imagined hope hoped fear feared promised planned anticipated advertised predicted believe believed assumed forecast"
)
_TASKS = words(
    "test tests benchmark benchmarks suite task tasks workload workloads dataset datasets model models"
)
_TEASING = words("coming tomorrow soon next upcoming")
_LOOKERS = words("you we one i")
_LOOKING = words(
    "look looks compare compares turn turns take takes go goes read reads count counts set sets divide divides"
)
_LOOKS = words("glance sight look looks blush token tokens")
_OWN_THINGS = words(
    "rerun reruns run runs test tests try tries attempt rig desk laptop lab home pc number numbers result results setup "
    "testing figure figures measurement measurements"
)
_PREPOSITIONS = words("of in on for from about with is")
_WANTING = words(
    "want wants wanted wish wishes wished hope hopes hoped dream dreams dreamt crave craves desire desires yearn"
)
_NEEDING = words("need needs needed")
_SHEETS = words("datasheet brochure leaflet")
_HOLDING = words("has had have uses used contains contained covers covered holds held")
_HOPING = words("we they i had analysts everybody everyone many had")
_ADVISING = words("should can must may")  # "who wants the most tokens should note B300's 112,400"
_TELLING = words("says said adds added told saw sees reports reported claims claimed")
_NAMELESS = words("one another a some several")
_PEOPLE = words(
    "customer customers user users client clients trader traders reader readers engineer engineers operator operators salesman partner"
)
_ASKED_FOR = {
    ("ask", "for"),
    ("asks", "for"),
    ("asked", "for"),
    ("asking", "for"),
    ("like", "to"),
    ("looked", "for"),
    ("look", "for"),
    ("looking", "for"),
    ("hoping", "for"),
    ("love", "to"),
}
_ASKING = words(
    "can could is are was were will would does do did has have had should may might how what which who where when why"
)
MAX_DISOWNING = 9  # tokens of a sentence that takes back the one before it
_POINTING = words("that this it not neither both these those")
MAX_DENIED = 9  # tokens between "do not claim" and the figure


def _names_other(tokens: Sequence[Token]) -> bool:
    """Whether another benchmark, or a test of one's own, is named."""
    said = any(t.is_("other_benchmark", "own_test", "not_mlperf") for t in tokens)
    return said or _own_workload(tokens) or _defies_rules(tokens)


def goes_on_with_other(tokens: Sequence[Token], frame: Frame) -> bool:
    """Whether what follows a sentence or heading still speaks of another benchmark."""
    if not any(t.tags and not t.tags.isdisjoint(_SPEAKING) for t in tokens):
        return frame.other
    if says_mlperf(tokens):
        return False
    if any(t.is_("not_mlperf", "own_test") for t in tokens) and any(t.low in _WHOLES for t in tokens):
        return True  # "Everything in this section was measured with our own load generator"
    return frame.other or any(t.is_("other_benchmark") for t in tokens)


def _own_workload(tokens: Sequence[Token]) -> bool:
    """As in "our internal RAG workload", "customer traffic": a test of one's own."""
    for place, token in enumerate(tokens):
        if token.low in _OWNED and any(t.low in _TESTS for t in tokens[place + 1 : place + 4]):
            return True
    return False


def _defies_rules(tokens: Sequence[Token]) -> bool:
    """As in "a workload that does not follow the MLPerf rules", "outside the rules of MLPerf": not by MLPerf's rules."""
    for place, token in enumerate(tokens):
        if "mlperf" not in token.tags:
            continue
        near = tokens[max(0, place - MAX_DEFIED) : place + 5]
        lows = {t.low for t in near}
        against = not lows.isdisjoint(_DENIED) and not lows.isdisjoint(_FOLLOWING)
        against = against or "outside" in lows or not lows.isdisjoint(_DEFYING)
        if against and not lows.isdisjoint(
            _RULES
        ):  # the open division is for those that do not follow all of them
            return all(t.low != "open" for t in tokens)
    return False


def says_mlperf(tokens: Sequence[Token]) -> bool:
    """Whether a sentence speaks of MLPerf, and not to say that something is none of it."""
    if _defies_rules(tokens):
        return False
    for place, token in enumerate(tokens):
        if token.is_("mlperf") or (token.is_("round") and "round" in token.names):
            near = {t.low for t in tokens[max(0, place - 5) : place + 1]}
            if not near & _NEGATED and not token.is_("not_mlperf"):
                return True
    return False


def status_of(
    tokens: Sequence[Token],
    measure: Measure,
    mentions: Sequence[Mention],
    frame: Frame,
    part: Sequence[Token],
    said: frozenset[str],
) -> str | None:
    """The status of a figure's claim; null if the sentence does not claim it.

    ``part``: the tokens of the sentence's part that the figure stands in; a sentence may speak of two benchmarks.
    ``said``: what `said_in` finds in the sentence.
    """
    if is_asked(tokens) or any(
        (cues is None or not cues.isdisjoint(said)) and holds(tokens, measure) for cues, holds in _UNCLAIMED
    ):
        return None
    if "rule" in said and _is_rule(tokens, measure, mentions):
        return None
    mlperf = not _MLPERF.isdisjoint(said) and says_mlperf(tokens)
    other = not _OTHERS.isdisjoint(said) and _names_other(part if mlperf else tokens)
    if other or (frame.other and not (mlperf and says_mlperf(part))) or not (frame.mlperf or mlperf):
        return NOT_MLPERF
    if frame.unverified or (
        "unverified" in said and any(t.is_("unverified") for t in _clause(tokens, measure))
    ):
        return UNVERIFIED
    projected = any(
        t.is_("projected")
        and not (t.low == "simulated" and after.names)  # "simulated H100 accelerators": a storage load
        for t, after in pairwise(tokens[max(0, measure.first - 25) : measure.first + 1])
    )
    return PROJECTED if projected else MEASURED


def _is_hypothetical(tokens: Sequence[Token], measure: Measure) -> bool:
    """A modal before a figure, or a supposition anywhere near; "than it could before" behind it is none."""
    near = _clause(tokens, measure)
    behind = _next_clause(tokens, measure)
    return any(
        t.is_("hypothetical")
        and not (t.low in {"could", "might"} and t.start > tokens[measure.head].start)
        and not (t.low in _MODAL and t.start >= behind)
        for t in near
        if not (t.low == "if" and t.start == tokens[0].start and _turns_to(tokens))
        and not (t.low == "whether" and t.start == tokens[0].start)  # "Whether in Offline or in Server, …"
    )


def _next_clause(tokens: Sequence[Token], measure: Measure) -> int:
    """Where in the text the clause behind a figure begins: "… 679,740 Offline, and four times that would be …"."""
    return next((t.start for t in tokens[measure.last + 1 :] if t.low in _CLAUSES), tokens[-1].end)


def is_asked(tokens: Sequence[Token]) -> bool:
    """Whether a sentence asks: "Can a four-GPU node reach 70,000 tokens/s?"; "Did you know …?" tells."""
    if not tokens or tokens[-1].low != "?":
        return False
    lows = [t.low for t in tokens[:5]]
    if lows[:1] in (["q"], ["question"]) and lows[1:2] in ([":"], ["."], ["-"]):
        lows = lows[2:]
    return lows[:1] != [] and lows[0] in _ASKING and lows[:3] != ["did", "you", "know"]


def _is_denied(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "we do not claim that it is 50 % faster", "it was not 20 % slower"."""
    before = tokens[max(0, measure.first - MAX_DENIED) : measure.first]
    if before and (before[-1].low in _NOT or (before[-1].low == "t" and before[-2:-1])):
        return before[-2:-1] == [] or before[-2].low not in {"or", "if", "whether", "why"}
    if any(t.low in _DENYING for t in _own_clause(tokens, measure)):
        return True  # "AMD rejects the claim that B200 is 20% faster"
    behind = tokens[measure.last + 1 : measure.last + MAX_DENIED]
    for one, two, three in zip(behind, behind[1:], behind[2:], strict=False):
        if one.low == "not" and two.low in {"its", "their"} and three.is_("result_noun", "performance"):
            return True  # "moved up by 5%: not its score, its row height"
    clause = _own_clause(tokens, measure)[-MAX_DENIED:]
    plain = [t for t in clause if t.low not in AUXILIARIES]  # "nobody has confirmed the 1.5x"
    return any(
        one.low in _NOT | {"t", "nobody"} and two.low in SAYING | CONFIRMING for one, two in pairwise(plain)
    )


def _own_clause(tokens: Sequence[Token], measure: Measure) -> Sequence[Token]:
    """What stands before a figure in its own clause, which "but" or a semicolon begins."""
    low = max((n + 1 for n in range(measure.first) if tokens[n].low in _TURNS), default=0)
    return tokens[low : measure.first]


def _is_surveyed(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "Our survey: 40% of readers run Llama 2 70B on H100, 12% more than last year": what people answered."""
    return any(t.low in _SURVEYS for t in tokens[: measure.first])


def _is_of_somebody(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "a lead who made DLRM 2x faster": what a person did before."""
    who = next((n for n in range(measure.first - 1, -1, -1) if tokens[n].is_("person_who")), None)
    return who is not None and not any(t.low in _CLAUSES for t in tokens[who : measure.first])


def _clause(tokens: Sequence[Token], measure: Measure) -> Sequence[Token]:
    """The tokens between the semicolons around a figure."""
    low = max((place + 1 for place in range(measure.first) if tokens[place].low == ";"), default=0)
    high = next(
        (place for place in range(measure.last, len(tokens)) if tokens[place].low == ";"), len(tokens)
    )
    return tokens[low:high]


def _is_conditional(tokens: Sequence[Token], measure: Measure) -> bool:
    """A clause that opens with "if" or "had" makes all of its sentence a thought."""
    return (
        bool(tokens)
        and not _turns_to(tokens)
        and tokens[0].low in {"if", "had", "were", "suppose", "imagine", "should", "assuming"}
        and measure.first > 0
    )


def _turns_to(tokens: Sequence[Token]) -> bool:
    """As in "If you look at Server instead, the C880A is 26% ahead": what one looks at supposes nothing."""
    lows = [t.low for t in tokens[:3]]
    return (
        lows[:1] == ["if"]
        and lows[1:2] != []
        and lows[1] in _LOOKERS
        and lows[2:] != []
        and lows[2] in _LOOKING
    )


def _is_own(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "my two cards do 1,900 tokens/s", "only 9x mine": what the writer has at home."""
    if any(t.is_("first_person") for t in tokens[: measure.last + 4]):
        return True
    behind = [t.low for t in tokens[measure.last + 1 : measure.last + 4]]
    if "," not in behind and ("mine" in behind or "my" in behind):
        return True
    for place, token in enumerate(tokens[: measure.first]):
        near = list(takewhile(lambda t: t.low not in _PREPOSITIONS, tokens[place + 1 : place + 5]))
        cards = any(one.is_("number") and two.low == "s" for one, two in pairwise(near))  # "my two 4090s"
        if token.low == "my" and (
            cards or any(t.low in _OWN_THINGS or t.is_("machine", "accelerator", "product") for t in near)
        ):
            return True
    return False


def _is_wished(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "our customers want four times the tokens", "they need 2x": what somebody would like to have."""
    less = any(
        t.is_("lesser", "latency") for t in tokens[measure.last + 1 : measure.last + 4]
    )  # "needs 4x less time"
    needed = _NEEDING if measure.kind in {TIMES, PERCENT} and not less else frozenset()
    if measure.unit in DURATIONS:
        return False  # "the server wants 18 s for a clip"
    for place in range(measure.first - 1, -1, -1):
        if tokens[place].low in _CLAUSES | _ADVISING:
            return False
        pair = (tokens[place - 1].low if place else "", tokens[place].low)
        hoped = pair[1] == "expected" and pair[0] in _HOPING
        if hoped or tokens[place].low in _WANTING | needed or pair in _ASKED_FOR:
            return True
    return False


def _is_of_nobody(tokens: Sequence[Token], _: Measure) -> bool:
    """As in ""…," says one", "one engineer told us": what a person without a name says."""
    for one, two, three in zip(tokens, tokens[1:], tokens[2:], strict=False):
        nameless = two.low in _NAMELESS and three.low in _PEOPLE
        nameless = nameless or (two.low in {"one", "another"} and not three.low[:1].isalnum())
        if one.low in _TELLING and nameless:
            return True
        if one.low in _NAMELESS and two.low in _PEOPLE and three.low in _TELLING:
            return True
    return False


def _is_teaser(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "Coming Thursday: why B70 is 40 % faster": another post's subject."""
    led = next((n for n, t in enumerate(tokens[: min(6, measure.first)]) if t.low == ":"), 0)
    return any(t.low in _TEASING for t in tokens[:led]) and not any(
        t.is_("mlperf") or t.names for t in tokens[:led]
    )


def _is_beside_no_result(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "40 % faster than you think", "50 % more than in the old test": beside an expectation, or another task."""
    led = [t.low for t in tokens[max(0, measure.first - 2) : measure.first]]
    if measure.kind in {TIMES, PERCENT} and len(led) > 1 and led[0] in _TASKS and led[1] in _HOLDING:
        return True  # "the old test had three times as much"
    behind = [t.low for t in tokens[measure.last + 1 : measure.last + 9]]
    than = next((n for n, low in enumerate(behind[:4]) if low.endswith("than")), None)
    if than is None:
        return False
    thought = any(low in _EXPECTING for low in behind[than + 1 : than + 4])
    tasks = any(one in _FORMER and two in _TASKS for one, two in pairwise(behind[than + 1 : than + 5]))
    if thought or tasks:
        return True
    if not any("scenario" in t.names for t in tokens[measure.last + 1 : measure.last + 9]):
        return False
    return not any(
        t.is_(*_NAMED) or any(kind in t.names for kind in _NAMED) for t in tokens if "scenario" not in t.names
    )


def _is_on_paper(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "In the data sheet, the rack promises 3.3x": no result is spoken of, but a product's papers."""
    lows = [t.low for t in tokens[: measure.first]]
    sheet = any(one in {"data", "spec", "specification"} and two == "sheet" for one, two in pairwise(lows))
    measured = any(
        t.is_("mlperf", "scenario") or any(kind.startswith("benchmark") for kind in t.names) for t in tokens
    )
    return not measured and (sheet or not _SHEETS.isdisjoint(lows))


def disowns(tokens: Sequence[Token]) -> bool:
    """Whether a short sentence takes back the figures before it: "Not a result.", "That was a typo."."""
    short = 1 < len(tokens) <= MAX_DISOWNING and tokens[0].low in _POINTING
    return (short or tokens[0].is_("disowned")) and any(t.is_("disowned") for t in tokens)


def _is_former(tokens: Sequence[Token]) -> bool:
    """As in "Update: we had 76.8 minutes at first": a note on what a text said before it was put right."""
    for one, two, three in zip(tokens[:8], tokens[1:9], tokens[2:10], strict=False):
        edition = two.low in _EDITIONS and three.low == "of"
        if one.low in _FORMER and (two.low in _WRITINGS or edition):
            return (
                True  # "An earlier headline had GB300 at 3x H200", "the first edition of this table gave …"
            )
    if not any(t.low in _UPDATES for t in tokens[:2]):
        return False
    firsts = [n for n, (one, two) in enumerate(pairwise(tokens)) if (one.low, two.low) == ("at", "first")]
    looked = any(t.low in _LOOKS for n in firsts for t in tokens[n + 2 : n + 3])
    return bool(firsts and not looked) or any(t.low in _FORMERLY for t in tokens)


def _is_retracted(tokens: Sequence[Token], measure: Measure) -> bool:
    for place in range(measure.last, len(tokens)):
        if not tokens[place].is_("corrected_to"):
            continue
        given = any(t.is_("number") for t in tokens[place + 1 : place + 3])
        if given or "right" in tokens[place].low or "correct" in tokens[place].low:
            return True  # "we had B200 at 99,100 tokens/s; it should be 98,100"
    if not (any(t.is_("retracted", "disowned") for t in tokens) or _is_former(tokens)):
        return False
    return not any(t.is_("corrected_to") for t in tokens[: measure.first])


def _only_behind(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "9,278 in Server, so little is lost to the latency limit": a word of rules in a later clause."""
    if tokens[0].low in {"when", "where", "once"}:
        opened = next((n for n in range(measure.first) if tokens[n].low == ","), 0)
        if not any(t.is_("rule") for t in tokens[opened:]):
            return True  # "When prompts have to be answered at once, the gap widens to 3.7x"
    comma = next((n for n in range(measure.last + 1, len(tokens)) if tokens[n].low == ","), len(tokens))
    return not any(t.is_("rule") for t in tokens[:comma])


def _is_rule(tokens: Sequence[Token], measure: Measure, mentions: Sequence[Mention]) -> bool:
    """Whether the sentence states a rule of the benchmark: it demands something, and no system is its subject."""
    if not any(t.is_("rule") for t in tokens):
        return False
    if measure.unit in DURATIONS:
        return True
    if _only_behind(tokens, measure):
        return False
    return not any(m.kind == "system" for m in mentions)


# What makes a figure no claim, with the words and tags without one of which it cannot hold.
_UNCLAIMED: tuple[tuple[frozenset[str] | None, Callable[[Sequence[Token], Measure], bool]], ...] = (
    (words("corrected_to retracted disowned") | _FORMER | _UPDATES, _is_retracted),
    (words("first_person mine my"), _is_own),
    (_WANTING | _NEEDING | {"expected"} | {one for one, _ in _ASKED_FOR}, _is_wished),
    (None, _is_denied),
    (_SURVEYS, _is_surveyed),
    (words("person_who"), _is_of_somebody),
    (_TELLING, _is_of_nobody),
    (None, _is_teaser),
    (None, _is_beside_no_result),
    (_SHEETS | {"sheet"}, _is_on_paper),
    (words("hypothetical"), _is_hypothetical),
    (None, _is_conditional),
)
