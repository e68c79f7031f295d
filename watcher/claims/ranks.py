"""Ranks and firsts: "the highest … figure", "#1", "a new record", "the first entry with …", "no other … was faster"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from watcher.claims.measures import RANK, Measure
from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

_RANK_TAGS = frozenset({"rank_one", "superlative", "record", "first_word", "no_other"})
FIRST, BEST, NONE_OTHER = "first", "best", "none other"
_OWN = words("'s its their our my his s")
_ORDINALS = frozenset({"second", "third", "fourth", "fifth", "2nd", "3rd", "next", "second-", "one of"})
_NOT_AFTER_FIRST = words(
    "token tokens half quarter time round look step visitors day week year of and - glance person "
    "results public"
)
_BEFORE_FIRST = words(
    ", is was are were becomes became as marks being also : ( – — making makes made now first still "
    "remains remained today"
)
_PLURAL = words("scores results figures numbers times entries submissions")
_EVENTS = words(
    "submission submissions review reviews publication release releases announcement verification audit measurement measurements shipment "
    "shipments launch delivery deliveries test tests tape-out results entry filing"
)
_EVENT_ENDS = words(", . ; : ) is was are that to by and but we it has have had – — - ! ?")
_HAVING = words(
    "has had have holds held posts posted got gets takes took set sets achieved achieves delivers delivered reached reaches recorded"
)
_SOMEBODY = ("system", "product", "accelerator", "submitter")
_ON_TESTS = words("in on at")
_MOST = words("most many several half some")
MAX_POINT = 12  # tokens between a superlative and "is not"
_BEING = words("is was are were remains stays")
_AMONG = words("of among amongst")
_STORED = words("bandwidth utilization utilisation")  # results of the storage suite
_SIZES = words("biggest largest")
_SIZED = words(
    "number figure score result results throughput output rate value mark performance tokens/s"
)  # of a size that is a rank
_STOPS = words(", ; . and but while because which that than")
SAYING = words(
    "claim claims say says said mean means suggest suggests imply implies believe think pretend assert conclude promise state states see expect"
)
AUXILIARIES = words("has have had could can would will")
CONFIRMING = words(
    "confirm confirms confirmed prove proves proved verify verifies verified reproduce reproduced deny denies denied doubt doubts doubted"
)
_HEADING = words("leads led heads headed tops topped")
_TABLES = words("table list field pack ranking rankings chart charts category standings")
_FIELDS = words("else round table division list field category")
_BAD = ("spec", "money", "people", "size", "component", "accuracy")
_NO_NEWS = words("surprise wonder doubt question secret mystery accident coincidence news miracle")


def ranks_of(tokens: Sequence[Token]) -> list[Measure]:
    """A measure of value 1 for each rank that a sentence states; ``unit`` holds its form (FIRST, BEST or NONE_OTHER)."""
    found: list[Measure] = []
    for place, token in enumerate(tokens):
        if token.tags.isdisjoint(_RANK_TAGS) and token.low not in _HEADING:
            continue
        form = _form(tokens, place, token)
        if form is not None and (not found or place - found[-1].last > 6):
            found.append(Measure(RANK, 1.0, place, place, place, unit=form))
    return found


def _form(tokens: Sequence[Token], place: int, token: Token) -> str | None:
    if token.is_("rank_one") and _counts_wins(tokens, place):
        return None
    if (token.is_("rank_one") and not _is_before(tokens, place)) or (
        token.low in _HEADING and _heads_table(tokens, place)
    ):
        return BEST
    if token.is_("superlative") and _is_superlative(tokens, place):
        return BEST
    if token.is_("record") and _is_record(tokens, place):
        return BEST
    if token.is_("first_word") and _is_first(tokens, place):
        return FIRST
    if token.is_("no_other") and _is_none_other(tokens, place):
        ever = {t.low for t in tokens[place + 1 : place + 16]} & {"ever", "before"}
        return FIRST if token.low in {"nobody", "no one"} and ever else NONE_OTHER
    return None


def _heads_table(tokens: Sequence[Token], place: int) -> bool:
    """As in "leads the DeepSeek-R1 Offline table"."""
    behind = tokens[place + 1 : place + 9]
    if not behind or behind[0].low != "the":
        return False
    table = next((n for n, t in enumerate(behind) if t.low in _TABLES), None)
    return table is not None and all(
        t.names or t.low in {"the", "-", "-gpu"} or t.is_("number", "number_word", "counts", "skipped")
        for t in behind[1:table]
    )


def _is_before(tokens: Sequence[Token], place: int) -> bool:
    """As in "ahead of any submission, AMD projects …": before something happens, not better than anything."""
    if not tokens[place].low.startswith("ahead of"):
        return False
    for here in range(place + 1, min(place + 4, len(tokens))):
        if tokens[here].low in _EVENTS:
            after = tokens[here + 1].low if here + 1 < len(tokens) else "."
            return after in _EVENT_ENDS
        if tokens[here].low in {"other", "rival", "competing"}:
            return False
    return False


def _is_superlative(tokens: Sequence[Token], place: int) -> bool:
    before = [t.low for t in tokens[max(0, place - 2) : place]]
    if "the" not in before or (before and before[-1] in _OWN | _ORDINALS | {"-"}):
        return False
    article = place - 1 - before[::-1].index("the")
    leading = tokens[article - 1] if article else None
    if leading is not None and (leading.is_("baseline") or leading.low == "of" or leading.low in _OWN):
        return False
    latency_only = tokens[place].low in {"lowest", "shortest"}
    noun = _ranked(tokens, place)
    if noun is not None and ((_is_bad(noun) and not _is_stored(tokens, noun)) or _counts(tokens, noun)):
        return False
    if _is_no_point(tokens[place : place + MAX_POINT]):
        return False
    if tokens[place].low in _SIZES and (noun is None or noun.low not in _SIZED):
        return False  # "the largest cluster"
    if noun is None and (_of_benchmark(tokens, place) or _of_all(tokens, place)):
        return not latency_only
    if noun is None or (noun.low in _PLURAL and not _has_them(tokens, place, noun)):
        return False
    return not latency_only or noun.is_("latency") or noun.low in {"time", "latency"}


def _has_them(tokens: Sequence[Token], place: int, noun: Token) -> bool:
    """As in "the XD690 has the best B300 scores on gpt-oss-120b": somebody's, and on a test that is named right behind."""
    led = tokens[max(0, place - 4) : place]
    verb = next((n for n in range(len(led) - 1, 0, -1) if led[n].low in _HAVING), 0)
    somebody = verb > 0 and any(kind in led[verb - 1].names for kind in _SOMEBODY)
    behind = tokens[place : place + MAX_POINT]
    tested = next((n + 1 for n, t in enumerate(behind) if t is noun), len(behind))
    return somebody and _of_benchmark(behind, tested - 1)


def _counts_wins(tokens: Sequence[Token], place: int) -> bool:
    """As in "came first in six of the nine tests of …": how many, not which; "in two of three: Whisper and BERT" says which."""
    opened = place + 2 if [t.low for t in tokens[place + 1 : place + 2]] == ["place"] else place + 1
    behind = tokens[opened : opened + 2 * MAX_POINT]
    if not behind or behind[0].low not in _ON_TESTS:
        return False
    of = next((n for n, t in enumerate(behind[:5]) if t.low == "of"), None)
    if of is None:
        return False
    count = behind[of - 2 if behind[of - 1].low == "out" else of - 1]  # "in all four tests of Whisper": which
    if not (count.is_("number", "number_word") or count.low in _MOST):
        return False
    told = next((n for n, t in enumerate(behind[of:], of) if t.low in {":", ",", "(", "–", "—"}), len(behind))
    among = any(_is_test(t) for t in behind[of:told])  # "of the tests of Whisper, BERT and …"
    return among or not any(t.names for t in behind[told + 1 : told + 4])  # "…, among them Whisper"


def _is_test(token: Token) -> bool:
    """Whether a benchmark or a scenario is named."""
    scenario = token.is_("scenario") and not token.is_("machine")
    return scenario or any(kind.startswith("benchmark:") for kind in token.names)


def _ranked(tokens: Sequence[Token], place: int) -> Token | None:
    """The noun that a superlative goes with: what the best, highest, quickest … is; one of no result ends the search."""
    noun = None
    for here in range(place + 1, min(place + 12, len(tokens))):
        following = tokens[here]
        if _is_bad(following):
            return following
        if following.is_("result_noun"):
            noun = following
            after = tokens[here + 1] if here + 1 < len(tokens) else None
            if after is None or not after.is_("result_noun"):
                break
        elif following.low in _STOPS:
            break
    return noun


def _is_bad(noun: Token) -> bool:
    return noun.is_(*_BAD) and not noun.is_("result_noun", "latency", "performance")


def _is_no_point(behind: Sequence[Token]) -> bool:
    """As in "the highest score is not the point"."""
    lows = [t.low for t in behind]
    return any(one in {"is", "was"} and two == "not" for one, two in pairwise(lows)) and "but" not in lows


def _is_stored(tokens: Sequence[Token], noun: Token) -> bool:
    """As in "the highest bandwidth utilization … in MLPerf Storage v2.0": no specification there."""
    return noun.low in _STORED and any(t.names.get("round", "").startswith("storage") for t in tokens)


def _counts(tokens: Sequence[Token], noun: Token) -> bool:
    """As in "number of accelerators"; "the best Offline number for gpt-oss-120b" is a result."""
    return noun.low == "number" and any(one is noun and two.low == "of" for one, two in pairwise(tokens))


def _of_benchmark(tokens: Sequence[Token], place: int) -> bool:
    """As in "the fastest on Llama 3.1 8B": the noun was named before, the benchmark follows."""
    behind = tokens[place + 1 : place + 4]
    led = bool(behind) and behind[0].low in {"on", "in", "for", "at"}
    return led and any(
        t.is_("scenario", "mlperf") or any(kind.startswith("benchmark:") for kind in t.names)
        for t in behind[1:]
    )


def _of_all(tokens: Sequence[Token], place: int) -> bool:
    """As in "The Interactive figure is the highest of all eight-GPU systems in v6.1": best of those that took a test that the sentence names."""
    verb, led = tokens[place - 2], tokens[: place - 2]
    behind = tokens[place + 1 : place + MAX_POINT]
    if verb.low not in _BEING or not behind or behind[0].low not in _AMONG:
        return False
    field = next((n for n, t in enumerate(behind) if t.is_("counts", "machine") or t.low in _PLURAL), None)
    if field is None or any(t.is_(*_BAD) or t.low in _STOPS for t in behind[:field]):
        return False
    scored = any(one.is_("scenario") and two.is_("result_noun") for one, two in pairwise(led))
    return scored or any(_is_test(t) for t in (*led, *tokens[place:]))


def _is_record(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is not None and (
        after.low
        in {
            "table",
            "tables",
            "label",
            "labels",
            "date",
            "keeping",
            "player",
            "holder",
            "sales",
            "revenue",
            "numbers",
            "high",
            "quarter",
            "number",
            "demand",
        }
        or after.is_("number", "money")
    ):
        return False
    if before is None or before.low in {"on", "for", "track", "off"} or before.low in _OWN:
        return False
    if before.low == "the" and place > 1 and tokens[place - 2].is_("baseline"):
        return False  # "compared to the record of last year"
    if tokens[place].low in {"record", "records"} and not before.is_("record_verb"):
        return False
    if _is_of_people(tokens, place):
        return False
    return any(t.is_("record_verb") for t in tokens[max(0, place - 6) : place])


def _is_of_people(tokens: Sequence[Token], place: int) -> bool:
    """Whether a record is what a comma adds to a count of those who came: "26 organizations took part, a record"."""
    comma = next(
        (n for n in range(place - 1, max(0, place - 4), -1) if tokens[n].low in {",", "–", "—"}), None
    )
    if comma is None:
        return False
    said = tokens[:comma]
    return any(t.is_("people") for t in said) and not any(t.is_("accelerator", "generation") for t in said)


def _is_first(tokens: Sequence[Token], place: int) -> bool:
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    before = tokens[place - 1] if place else None
    if (
        after is None
        or after.low in _NOT_AFTER_FIRST
        or before is None
        or before.low in _OWN
        or before.is_("submitter")
    ):
        return False
    leading = tokens[place - 2] if place > 1 and before.low in {"the", "a", "an"} else before
    if leading.low not in _BEFORE_FIRST:
        return False
    for following in tokens[place + 1 : place + 7]:
        if following.is_("first_noun"):
            return True
        if following.low in _STOPS | {"with", "in", "on", "of", "for"}:
            return False
    return False


def _beats_named(window: Sequence[Token]) -> bool:
    """As in "No Xeon machine in the table beats Dell's R770AP": something, a verb of winning, and a system behind it."""
    noun = next((n for n, t in enumerate(window[:6]) if t.is_("result_noun", "machine")), None)
    field = any(t.low in _FIELDS for t in window[:5])
    if noun is None and not field:
        return False
    for place, token in enumerate(window[noun or 0 :], noun or 0):
        if token.low == "than" and any(t.is_("better") for t in window[noun or 0 : place]):
            return any(
                kind in t.names
                for t in window[place + 1 : place + 4]
                for kind in ("submitter", "system", "product", "accelerator")
            )
        if token.low == "close" or (token.is_("baseline") and token.is_("better")):
            return any(
                kind in t.names
                for t in window[place + 1 : place + 7]
                for kind in ("system", "product", "accelerator")
            )
    return False


def _is_none_other(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    window = tokens[place + 1 : place + 16]
    said = [t.low for t in window[:2] if t.low not in AUXILIARIES][:1]
    if said and (said[0] in SAYING or said[0] in CONFIRMING):
        return False  # "Nobody claims a lead", "nobody has confirmed the 1.5x"
    if window and window[0].low in _NO_NEWS:
        return False  # "That is no surprise: the card may draw 40% more than …"
    if token.low == "no":
        noun = next(
            (
                n
                for n, t in enumerate(window[:6])
                if t.low in {"entry", "submission", "system", "result", "submitter", "vendor", "platform"}
            ),
            None,
        )
        if any(t.is_("rule") for t in window):
            return False
        return _beats_named(window) or (
            noun is not None and any(t.low == "before" for t in window[noun + 1 :])
        )
    if token.low == "nothing":
        return _beats_named(window) and any(t.low in _FIELDS for t in window[:5])
    return any(
        t.is_("better")
        or t.low
        in {
            "sooner",
            "shorter",
            "close",
            "closer",
            "matched",
            "matches",
            "reached",
            "reaches",
            "under",
            "before",
        }
        for t in window
    )
