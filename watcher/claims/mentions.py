"""Who and what a sentence names: systems with their counts and roles, benchmarks, scenarios, rounds, software."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from watcher.claims.counted import count_of
from watcher.claims.lexicon import Lexicon, short_title
from watcher.claims.measures import is_count
from watcher.claims.roles import BASELINE, SUBJECT, SYSTEM_KINDS, role_of
from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

RACK_SIZE = 72
PRODUCT_RANK = 1  # of a server's name
_CASES = words("chassis case enclosure box")
MAX_DETERMINED = 4  # tokens between "any" and the server it goes with
_DETERMINERS = words(
    "the a an this that each any no other another whole entire same every single our its one"
) | {"no other"}
_OPENED = words("with from by holding")
_NO_SCENARIO = words("edition farm blade chassis vendor processor cpu")
_JOINING = words(", ; and or & / in on for at with of to from by is was while")
_SCENARIO_WORDS = words(
    "mode scenario scenarios throughput score scores result results test tests run runs case metric row rows figure figures performance numbers number value rate gain side workload"
)
_INSTANCE_WORDS = words("an the our its vm vms instance instances")
_LISTED = words(", and or / & ( in for – - : ; with at on under")
_NO_MODEL = words("ai it us eu pc hpc pcie sxm gpu cpu mlperf llm api")
_WORDED = re.compile(r"[A-Z]{3,5}")
_LINED = re.compile(r"//?[A-Z]\w*")
_RACK = re.compile(r"\sNVL\d+\b")
MAX_REPLACED = 5  # tokens between "replacing" and the name of what is replaced
_REPLACING = words(
    "replacing swapping exchanging trading swapped swaps exchanged exchanges traded trades replaced replaces"
)
_HEIRS = words("ultra next super")
_ARROWS = frozenset({"→", "⇒", "->", "=>", "-->"})
_TRAILING = words("trails trail trailed lags lagged")


class Mention(Struct):
    """One name in a sentence. ``kind``: system, benchmark, scenario, round, software, precision or submitter.

    ``name`` as a reader writes it (systems), else canonical; of a benchmark, ``suites`` holds its name by suite.
    ``rank``: place of a system's kind in SYSTEM_KINDS.
    """

    kind: str
    name: str
    place: int
    role: str = SUBJECT
    rank: int = 0
    count: int | None = None
    suites: dict[str, str] | None = None
    accelerator: str | None = None


def mentions_of(tokens: Sequence[Token], text: str, lexicon: Lexicon) -> list[Mention]:
    """Every name of a sentence, in order, systems with the role that the words before them give."""
    found: list[Mention] = []
    for place, token in enumerate(tokens):
        if not (token.names or token.tags or token.capital):
            continue  # most words
        apposed = token.capital and place > 0 and tokens[place - 1].low == ","
        if not (token.names or apposed or token.is_("model", "instance", "family", "line")):
            continue
        mention = _mention(tokens, place, text, lexicon)
        if mention is not None:
            if mention.kind in {"system", "round"}:
                mention.role = role_of(tokens, place, direct=mention.kind == "system")
                _in_list(tokens, found, mention)
            found.append(mention)
        elif token.is_("model"):
            found.append(Mention("benchmark", "", place, suites={}))
    systems = [m for m in found if m.kind == "system"]
    if not systems:
        return found
    if any(m.rank == PRODUCT_RANK for m in systems):
        for mention in found:
            if mention.name.startswith("HGX"):
                mention.rank = 2  # a board, where the server that holds it is named too
    found = _without_shared(tokens, found)
    _describe(tokens, found)
    _turn(tokens, found)
    _by_each(tokens, found)
    _swap(tokens, found)
    _point(tokens, found)
    _in_brackets(tokens, found)
    return found


def _without_shared(tokens: Sequence[Token], found: list[Mention]) -> list[Mention]:
    """Leave out "in the same chassis, the C845A M8," before two accelerators: both are in it, and it is neither's."""
    shared = [
        m
        for m in found
        if m.kind == "system"
        and m.rank == PRODUCT_RANK
        and any(
            one.low == "same" and (two.is_("machine") or two.low in _CASES)
            for one, two in pairwise(tokens[max(0, m.place - MAX_DETERMINED - 2) : m.place])
        )
        and sum(o.kind == "system" and o.rank > PRODUCT_RANK and o.place > m.place for o in found) > 1
    ]
    return [m for m in found if not any(m is one for one in shared)] if shared else found


def _describe(tokens: Sequence[Token], found: Sequence[Mention]) -> None:
    """As in "the XE9712 (72x GB300)": how many accelerators a server holds names no rack of its own."""
    for server, held in pairwise([m for m in found if m.kind == "system"]):
        between = [t.low for t in tokens[server.place + 1 : held.place]]
        if server.rank == PRODUCT_RANK and held.count and between[:1] == ["("] and ")" not in between:
            held.rank = max(held.rank, PRODUCT_RANK + 1)


def _in_brackets(tokens: Sequence[Token], found: Sequence[Mention]) -> None:
    """As in "compared to the D74H-7U (with eight H200, v5.1)": what brackets add to a baseline is the baseline's."""
    for system in found:
        opens = system.place + 1
        if system.role != BASELINE or opens >= len(tokens) or tokens[opens].low != "(":
            continue
        closes = next((n for n in range(opens, len(tokens)) if tokens[n].low == ")"), opens)
        if any(_is_of_figure(tokens, here) for here in range(opens, closes)):
            continue  # a figure of its own
        for mention in found:
            if opens < mention.place < closes and mention.kind in {"system", "round"}:
                mention.role = BASELINE


def _is_of_figure(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token says that a number is a figure; the sign of "8x B200" only counts."""
    token = tokens[place]
    if token.low == "x" and tokens[place - 1].is_("number"):
        return not is_count(tokens, place - 1, place)
    return "unit" in token.names or token.is_("multiplier") or token.low in {"x", "%", "percent"}


def _point(tokens: Sequence[Token], found: Sequence[Mention]) -> None:
    """As in "GB200 NVL72 → GB300 NVL72: +45 %": what an arrow leads away from is measured against."""
    systems = [m for m in found if m.kind == "system"]
    for before, after in pairwise(systems):
        between = "".join(t.low for t in tokens[before.place + 1 : after.place])
        if between in _ARROWS:
            before.role = BASELINE


def _by_each(tokens: Sequence[Token], found: Sequence[Mention]) -> None:
    """As in "outruns the XD685 by 12% and the DL380a by 230%": each of them is measured against."""
    systems = [m for m in found if m.kind == "system" and m.place + 1 < len(tokens)]
    for before, after in pairwise(systems):
        led = [t.low for t in tokens[before.place + 1 : after.place]]
        each = led[:1] == ["by"] and tokens[after.place + 1].low == "by"
        if each and before.role == BASELINE and {"and", ","} & set(led[2:]):
            after.role = BASELINE


def is_swap(tokens: Sequence[Token], replaced: Mention) -> bool:
    """Whether a verb says that a system is replaced: "swapped eight B200 for eight B300"."""
    return any(t.low in _REPLACING for t in tokens[max(0, replaced.place - MAX_REPLACED) : replaced.place])


def _swap(tokens: Sequence[Token], found: Sequence[Mention]) -> None:
    """As in "replacing eight H100 with eight B300": what is replaced is measured against."""
    for place in (n for n, token in enumerate(tokens) if token.low in _REPLACING):
        behind = [m for m in found if m.kind == "system" and m.place > place][:2]
        if len(behind) == 2 and behind[0].place - place <= MAX_REPLACED:
            between = {t.low for t in tokens[behind[0].place + 1 : behind[1].place]}
            if between & {"with", "by", "for"} and not between & {",", ";"}:
                behind[0].role, behind[1].role = BASELINE, SUBJECT


def _turn(tokens: Sequence[Token], found: Sequence[Mention]) -> None:
    """As in "A trails B by …": the one that is named first is the baseline."""
    if len(found) < 2:
        return
    for place, token in enumerate(tokens):
        if token.low not in _TRAILING:
            continue
        before = [m for m in found if m.kind == "system" and m.place < place]
        behind = [m for m in found if m.kind == "system" and m.place > place]
        if before and behind and behind[0].place - place < 5:
            before[-1].role, behind[0].role = BASELINE, SUBJECT


def _in_list(tokens: Sequence[Token], found: Sequence[Mention], mention: Mention) -> None:
    """As in "over H100 and H200": the second of two joined names has the role of the first."""
    before = found[-1] if found else None
    if before is not None and before.kind == "submitter" and len(found) > 1:
        before = found[-2]
    if (
        before is not None
        and before.kind == mention.kind == "system"
        and before.role == BASELINE
        and mention.rank <= 1 < before.rank
        and any(t.low in {"in", "inside"} for t in tokens[before.place + 1 : before.place + 3])
        and mention.place - before.place <= 5
    ):
        mention.role = BASELINE  # "eight RTX PRO 6000 in Cisco's C845A"
    if before is not None and _gap_between(tokens, before, mention):
        mention.role = BASELINE
    if (
        before is not None
        and before.kind == mention.kind
        and before.role == BASELINE
        and [t.low for t in tokens[before.place + 1 : mention.place]] == ["and"]
    ):
        mention.role = BASELINE


def _gap_between(tokens: Sequence[Token], before: Mention, mention: Mention) -> bool:
    """As in "the gap between A and B is 2.6x": the second of the two is measured against."""
    led = [t.low for t in tokens[max(0, before.place - 4) : before.place]]
    joined = [t.low for t in tokens[before.place + 1 : mention.place]]
    return (
        before.kind == mention.kind == "system"
        and "between" in led
        and joined[:1] == ["and"]
        and len(joined) < 5
    )


def _mention(tokens: Sequence[Token], place: int, text: str, lexicon: Lexicon) -> Mention | None:
    token = tokens[place]
    if "round" in token.names:
        return Mention("round", token.names["round"], place)
    if "scenario" in token.names:
        name = token.names["scenario"]
        return Mention("scenario", name, place) if is_scenario(tokens, place, text) else None
    if place and tokens[place - 1].low in {"simulated", "emulated"}:
        return None  # what a storage system is loaded by
    worded = (
        _successor(tokens, place, text)
        or _instance(tokens[place], text)
        or _without_digits(tokens, place, text)
    )
    if worded is not None:
        return Mention("system", worded, place, rank=1)
    for rank, kind in enumerate(SYSTEM_KINDS):
        if kind in token.names:
            return _system(tokens, place, lexicon, kind, rank, text)
    suites = {
        kind.partition(":")[2]: name for kind, name in token.names.items() if kind.startswith("benchmark:")
    }
    if suites:
        return Mention("benchmark", next(iter(suites.values())), place, suites=suites)
    if (
        "submitter" in token.names
        and place + 1 < len(tokens)
        and tokens[place + 1].low in {"platform", "platforms"}
    ):
        return Mention("system", f"{token.names['submitter']} platform", place, rank=len(SYSTEM_KINDS))
    for kind in ("software", "precision", "submitter"):
        if kind in token.names and (kind != "submitter" or text[token.start].isupper()):
            return Mention(kind, token.names[kind], place)
    return None


def _instance(token: Token, text: str) -> str | None:
    """A cloud's machine, without the article and the noun that tell it from a processor or a paper's size."""
    if not token.is_("instance"):
        return None
    name = text[token.start : token.end].split()
    return " ".join(word for word in name if word.casefold() not in _INSTANCE_WORDS)


def _without_digits(tokens: Sequence[Token], place: int, text: str) -> str | None:
    """The name of a server or a store that has no digit: "PRIMERGY CDI", "OneW", "FlashBlade//EXA"; null elsewhere."""
    token = tokens[place]
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.is_("line"):
        if after is not None and any(kind in after.names for kind in SYSTEM_KINDS):
            return None  # "OneW GB300 NVL72"
        further = _LINED.match(text, token.end)
        behind = tokens[place + 1 : place + 3]
        if len(behind) == 2 and behind[0].low == "with" and behind[1].is_("accelerator"):
            return text[token.start : behind[1].end]  # "Pro Max with GB10"
        return text[token.start : further.end() if further else token.end]
    if not token.is_("family") or after is None or after.names or after.tags or after.low in _NO_MODEL:
        return None
    word = text[after.start : after.end]
    return f"{text[token.start : token.end]} {word}" if _WORDED.fullmatch(word) else None


def is_scenario(tokens: Sequence[Token], place: int, text: str) -> bool:
    """Whether the word is a scenario: "Server" is also a machine, "interactive" an adjective."""
    token = tokens[place]
    name = token.names["scenario"]
    if name not in {"Server", "Interactive"}:
        return True
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    opening = (
        not place and name == "Server" and after is not None and after.low in _OPENED
    )  # "Server with eight B300 …"
    if opening or (after is not None and after.low in _NO_SCENARIO):
        return False
    if text[token.start].isupper():
        return not (
            name == "Server"
            and before is not None
            and before.is_("product", "family", "series")
            and not before.is_("benchmark:inference")
        )
    if name == "Server" and _is_determined(tokens, place) and not _goes_on(tokens, place):
        return False
    if (
        name == "Server"
        and before is not None
        and before.is_("accelerator", "system", "product", "generation", "processor")
    ):
        return False
    if (after is not None and after.low in _SCENARIO_WORDS) or (
        before is not None and before.is_("benchmark:inference")
    ):
        return True
    listed = before is None or before.low in _LISTED or before.is_("number", "second", "unit")
    return (
        listed
        and any(  # not "a two-socket server gets 742 tokens/s offline"
            "scenario" in t.names and t.low in {"offline", "singlestream"}
            for t in tokens[max(0, place - 12) : place + 12]
        )
    )


def _is_determined(tokens: Sequence[Token], place: int) -> bool:
    """As in "any eight-GPU server", "the whole server", "no other server": a machine, with words between."""
    for token in tokens[max(0, place - MAX_DETERMINED) : place][::-1]:
        if token.low in _DETERMINERS:
            return True
        counted = token.is_("number", "number_word", "accelerator", "machine", "skipped") or token.low == "-"
        if token.names and not counted:
            return False
        if token.low in _JOINING:
            return False
    return False


def _goes_on(tokens: Sequence[Token], place: int) -> bool:
    """Whether "the server" goes on as a scenario does: "… scenario", "… and offline scenarios"."""
    for token in tokens[place + 1 : place + 4]:
        if token.low in _SCENARIO_WORDS or "scenario" in token.names:
            return True
        if token.low not in {"and", "or", ",", "&", "/"}:
            return False
    return False


def _system(
    tokens: Sequence[Token], place: int, lexicon: Lexicon, kind: str, rank: int, text: str
) -> Mention:
    token = tokens[place]
    name = token.names[kind]
    if kind == "product":
        return Mention("system", _product_name(tokens, place, text), place, rank=rank)
    title = lexicon.title(kind, name)
    if kind == "system" and not lexicon.catalog.entry("system", name).labels_rows:
        title = " ".join(
            text[token.start : token.end].split()
        )  # "DGX B300" is an HGX B300 to the catalog, not to readers
    if kind != "accelerator":
        return Mention("system", title, place, rank=rank, accelerator=_accelerator(lexicon, kind, name))
    count = count_of(tokens, place)
    rack = lexicon.catalog.system(name, RACK_SIZE)
    if rack is not None and (count == RACK_SIZE or _is_rack(tokens, place)):
        return Mention("system", lexicon.title("system", rack), place, rank=0, count=count, accelerator=name)
    heir = _heir(tokens, place, text)
    if heir is not None:
        return Mention("system", heir, place, rank=1, count=count)
    title = short_title(title)
    return Mention(
        "system", f"{count}x {title}" if count else title, place, rank=rank, count=count, accelerator=name
    )


def _successor(tokens: Sequence[Token], place: int, text: str) -> str | None:
    """As in "its successor, Feynman,": a word that nobody knows yet, behind what it is."""
    led = [t.low for t in tokens[max(0, place - 2) : place]]
    token = tokens[place]
    unknown = token.capital and not token.names and not token.tags
    return text[token.start : token.end] if unknown and led == ["successor", ","] else None


def _heir(tokens: Sequence[Token], place: int, text: str) -> str | None:
    """The name of what is to follow an accelerator: "Rubin Ultra", "Rubin Ultra NVL576"; null where none is named."""
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None or not after.capital or after.low not in _HEIRS:
        return None
    rack = _RACK.match(text, after.end)
    return " ".join(text[tokens[place].start : rack.end() if rack else after.end].split())


def _accelerator(lexicon: Lexicon, kind: str, name: str) -> str | None:
    return lexicon.catalog.entry("system", name).accelerator if kind == "system" else None


def _product_name(tokens: Sequence[Token], place: int, text: str) -> str:
    """The product's word with the words of its family before it and of its series behind it."""
    first = last = place
    while first and tokens[first - 1].is_("family") and not tokens[first - 1].is_("number"):
        first -= 1
    while last + 1 < len(tokens) and tokens[last + 1].is_("series") and last - place < 2:
        last += 1
    return " ".join(text[tokens[first].start : tokens[last].end].split())


def _is_rack(tokens: Sequence[Token], place: int) -> bool:
    after = [t.low for t in tokens[place + 1 : place + 3]]
    before = [t.low for t in tokens[max(0, place - 2) : place]]
    return any(low in {"rack", "racks", "nvl72"} for low in after[:1]) or before[-2:] in (
        ["rack", "of"],
        ["racks", "of"],
    )
