"""A sentence cut into the parts that each figure stands in, and lists that run in parallel ("respectively")."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct, field

from watcher.claims.measures import PERCENT, QUANTITY, RANK, TIMES, Measure
from watcher.claims.mentions import Mention
from watcher.claims.roles import BASELINE
from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

_LISTING = words(", and & or / + plus then")
_WEIGHTS = {";": 12, ":": 5, "–": 7, "—": 7, "|": 9, "!": 9, "?": 9, ".": 9, "while": 8, "whereas": 8, "but": 8, "though": 8, "although": 8, "which": 5, "where": 5, "so": 5,
            ",": 5, "and": 4, "or": 4, "plus": 4, "&": 4, "to": 3, "against": 3, "versus": 3, "vs": 3, "from": 2, "(": 2, "-": 2, "compared": 4, "then": 4, "on": 1, "in": 1}  # fmt: skip
_FRACTIONS = words("half third thirds quarter quarters fifth fifths sixth seventh eighth ninth tenth tenths")
MAX_LABEL = 5  # tokens of "v6.0:" between a bracket and its figure
CLOSED = 9  # the weight of a bracket's end that holds the figure before it


class Part(Struct):
    """A stretch of tokens [low, high) around one figure, or a run of them ("92 and 83 percent")."""

    low: int
    high: int
    measures: list[Measure]
    hard: bool = False  # a semicolon stands before it: what follows does not speak of what came before
    zipped: list[dict[str, Mention]] = field(
        default_factory=list
    )  # for each measure, what a parallel list gives it


def parts_of(tokens: Sequence[Token], measures: Sequence[Measure], mentions: Sequence[Mention]) -> list[Part]:
    """The parts of a sentence, one for each run of figures."""
    if not measures:
        return []
    runs = _runs(tokens, measures)
    cuts = [_cut(tokens, before[-1], after[0], mentions) for before, after in pairwise(runs)]
    lows = [0, *cuts]
    highs = [*cuts, len(tokens)]
    parts = [
        Part(low, high, run, _is_hard(tokens, low)) for low, high, run in zip(lows, highs, runs, strict=True)
    ]
    for part in parts:
        part.zipped = [{} for _ in part.measures]
    _zip(tokens, parts, mentions)
    return parts


def _runs(tokens: Sequence[Token], measures: Sequence[Measure]) -> list[list[Measure]]:
    """Figures of one kind with nothing but commas and "and" between them are one run."""
    runs: list[list[Measure]] = [[measures[0]]]
    for before, after in pairwise(measures):
        between = tokens[before.last + 1 : after.first]
        alike = (
            before.kind == after.kind
            and before.kind in {TIMES, PERCENT, QUANTITY}
            and before.per == after.per
        )
        if (
            alike
            and between
            and [t.low for t in between[:2]] != ["then", ","]  # "95,004 then, 121,818 now"
            and all(t.low in _LISTING or (after.kind == QUANTITY and t.low == "at") for t in between)
        ):
            runs[-1].append(after)
        else:
            runs.append([after])
    return runs


def _cut(tokens: Sequence[Token], before: Measure, after: Measure, mentions: Sequence[Mention]) -> int:
    """Where the part of ``after`` begins: at the strongest break between two figures, the last of equals."""
    low, high = before.last + 1, after.first
    best, weight = None, 0
    inside = 0
    held = _open_before(tokens, before) and not _puts_exactly(tokens, before)
    for place in range(low, high):
        sign = tokens[place].low
        if sign == "(" and _closes(tokens, place, high):
            inside += 1
        elif sign == "(" and not inside and _only_names(tokens[place + 1 : high]):
            return place  # "117,804 this time (v6.0: 91,395.5)"
        elif sign == ")":
            if inside:
                inside -= 1
            elif held:
                best, weight, held = place + 1, CLOSED, False
        elif not inside and not _joins_names(tokens, place, mentions):
            found = 1 if _closes_aside(tokens, before, place) else _WEIGHTS.get(sign, 0)
            if sign in {"and", "or"} and place > low and tokens[place - 1].low == ",":
                found = 6
            if found and found >= weight:
                best, weight = place, found
    if best is None:
        return high if before.kind != RANK else low
    return best


def _only_names(tokens: Sequence[Token]) -> bool:
    """Whether nothing but a name and a colon stands between a bracket and its figure."""
    return 1 < len(tokens) < MAX_LABEL and tokens[-1].low in {":", "="} and any(t.names for t in tokens)


def _puts_exactly(tokens: Sequence[Token], measure: Measure) -> bool:
    """As in "a fifth (20%) faster": a bracket that gives a fraction as a figure ends no part of the sentence."""
    led = [t.low for t in tokens[max(0, measure.first - 2) : measure.first]]
    return led[1:] == ["("] and led[0] in _FRACTIONS


def _closes_aside(tokens: Sequence[Token], before: Measure, place: int) -> bool:
    """Whether a comma only ends what another one began: "outran it by a third, 33%, in Offline and by 38% in Server"."""
    opened = before.first > 0 and tokens[before.first - 1].low == ","
    return opened and tokens[place].low == "," and place == before.last + 1


def _open_before(tokens: Sequence[Token], measure: Measure) -> bool:
    """Whether the figure stands in a bracket that is still open."""
    depth = 0
    for place in range(measure.first - 1, max(-1, measure.first - 30), -1):
        sign = tokens[place].low
        if sign == ")":
            depth += 1
        elif sign == "(":
            if not depth:
                return True
            depth -= 1
    return False


def _closes(tokens: Sequence[Token], place: int, high: int) -> bool:
    return any(token.low == ")" for token in tokens[place:high])


def _joins_names(tokens: Sequence[Token], place: int, mentions: Sequence[Mention]) -> bool:
    """Whether a comma or "and" only joins two names of one kind ("Offline, Server and Interactive")."""
    if tokens[place].low not in _LISTING:
        return False
    before = place - 1
    while before >= 0 and tokens[before].low in _LISTING | {")"}:
        before -= 1
    after = place + 1
    while after < len(tokens) and (tokens[after].low in _LISTING | {"in", "the", "on", "its"}):
        after += 1
    kinds = {mention.place: mention.kind for mention in mentions}
    return kinds.get(before) is not None and kinds.get(before) == kinds.get(after)


def _is_hard(tokens: Sequence[Token], low: int) -> bool:
    return low < len(tokens) and tokens[low].low in {";", "|"}


# ---------------------------------------------------------------------------------------------- parallel lists


def _zip(tokens: Sequence[Token], parts: Sequence[Part], mentions: Sequence[Mention]) -> None:
    """Give each figure of a run its name from a list of as many names ("in Offline and Server, respectively")."""
    _zip_pair(tokens, parts, mentions)
    respectively = any(token.low == "respectively" for token in tokens)
    if respectively:
        _zip_parts(tokens, parts, mentions)
    for part in parts:
        size = len(part.measures)
        if size < 2:
            continue
        for kind in ("scenario", "benchmark", "system"):
            series = [names for names in name_runs(tokens, mentions, kind) if len(names) == size]
            if kind == "system":
                rivals = [m for m in mentions if m.role == BASELINE]
                series = series or [names for names in name_runs(tokens, rivals, kind) if len(names) == size]
                alone = size == 2 and not any(part.zipped[0]) and _two_systems(tokens, part, mentions)
                listed = respectively or _behind_colon(tokens, part) or alone or _two_rivals(part, series)
                series = [names for names in series if listed and all(m.role == names[0].role for m in names)]
            if not series:
                continue
            names = min(
                series,
                key=lambda run: min(
                    abs(run[0].place - part.measures[0].head), abs(run[-1].place - part.measures[-1].head)
                ),
            )
            for given, name in zip(part.zipped, names, strict=True):
                given[kind] = name


def _two_systems(tokens: Sequence[Token], part: Part, mentions: Sequence[Mention]) -> bool:
    """As in "Lenovo's SR680a V4 and HPE's XD680 post 70,100 and 69,800": two values behind the two systems of a part."""
    first, last = part.measures[0].first, part.measures[-1].last
    inside = [m for m in mentions if part.low <= m.place < part.high]
    systems = [m for m in inside if m.kind == "system" and m.place < first]
    owners = systems[:1] and [m for m in systems if m.rank == systems[0].rank]
    behind = any(m.kind in {"scenario", "benchmark"} and m.place > last for m in inside)
    parted = sum(m.kind == "scenario" for m in inside) > 1
    joined = len(owners) == 2 and any(t.low == "and" for t in tokens[owners[0].place : owners[1].place])
    return joined and not parted and (behind or owners[0].rank <= 1)


def _two_rivals(part: Part, runs: Sequence[Sequence[Mention]]) -> bool:
    """As in "against H100 and H200 it wins by 3.9x and 3.1x": two multiples, and two systems that are measured against."""
    multiples = all(m.kind in {TIMES, PERCENT} for m in part.measures) and not any(part.zipped[0])
    return len(part.measures) == 2 and multiples and any(all(m.role == BASELINE for m in run) for run in runs)


def _behind_colon(tokens: Sequence[Token], part: Part) -> bool:
    """As in "A, B and C are within 1% in Offline: 109,368, 109,257 and 109,931": three or more values behind a colon."""
    first = part.measures[0].first
    return len(part.measures) > 2 and first > 0 and tokens[first - 1].low == ":"


def _zip_parts(tokens: Sequence[Token], parts: Sequence[Part], mentions: Sequence[Mention]) -> None:
    """As in "2.1 million when …, 1.6 million when … (Offline and Server, respectively)": one list for figures of several parts."""
    alone = [p for p in parts if len(p.measures) == 1]
    for kind in ("scenario", "benchmark", "system"):
        runs = name_runs(tokens, mentions, kind)
        if len(runs) != 1 or len(runs[0]) != len(alone) or len(alone) != len(parts) or len(alone) < 2:
            continue
        for part, name in zip(alone, runs[0], strict=True):
            part.zipped[0][kind] = name


def _zip_pair(tokens: Sequence[Token], parts: Sequence[Part], mentions: Sequence[Mention]) -> None:
    """As in "GB300 vs B300: 349 vs 230 queries/s", "from 1 to 2 …, A to B": two values and two systems joined alike."""
    values = [p for p in parts if len(p.measures) == 1 and p.measures[0].kind == QUANTITY]
    systems = [m for m in mentions if m.kind == "system"]
    servers = [m for m in systems if m.rank <= 1]
    systems = servers if len(servers) == 2 else systems  # "AS-8126GS (8x MI355X)"
    if len(values) != 2 or len(systems) != 2:
        return
    (first, second), (one, other) = [p.measures[0] for p in values], systems
    joints = (
        {t.low.rstrip(".") for t in tokens[first.last + 1 : second.first]},
        {t.low.rstrip(".") for t in tokens[one.place + 1 : other.place]},
    )
    apart = other.place < first.head or one.place > second.head
    if _beaten(tokens, (first, second), (one, other)):
        values[0].zipped[0]["system"], values[1].zipped[0]["system"] = one, other
        return
    near = len(tokens[one.place + 1 : other.place]) <= 3 and len(tokens[first.last + 1 : second.first]) <= 3
    if (
        apart
        and near
        and any(
            joint <= joints[0] and joint <= joints[1] for joint in ({"vs"}, {"versus"}, {"against"}, {"to"})
        )
    ):
        values[0].zipped[0]["system"], values[1].zipped[0]["system"] = one, other


def _beaten(
    tokens: Sequence[Token], values: tuple[Measure, Measure], systems: tuple[Mention, Mention]
) -> bool:
    """As in "AS-8126GS outdid SYS-822GS in Offline, 117,804 to 109,848": a score of two that one of them won."""
    (first, second), (one, other) = values, systems
    score = [t.low for t in tokens[first.last + 1 : second.first]] == ["to"]
    led = tokens[first.first - 1].low if first.first else ""
    return (
        score
        and led != "from"
        and other.place < first.first
        and one.role != BASELINE
        and other.role == BASELINE
    )


def name_runs(tokens: Sequence[Token], mentions: Sequence[Mention], kind: str) -> list[list[Mention]]:
    """Names of one kind with nothing but commas, "and" and small words between them."""
    runs: list[list[Mention]] = []
    for mention in mentions:
        if mention.kind != kind:
            continue
        if runs and _only_listing(tokens, runs[-1][-1].place, mention.place):
            runs[-1].append(mention)
        else:
            runs.append([mention])
    return runs


def _only_listing(tokens: Sequence[Token], before: int, after: int) -> bool:
    between = tokens[before + 1 : after]
    owned = any(t.is_("submitter") for t in between)  # "Lenovo's SR680a V4 and HPE's XD680"
    joined = any(
        t.low in _LISTING or t.low in {"well", "as well as", "-", "x"} or t.is_("number") for t in between
    )
    return joined and all(
        t.low
        in _LISTING
        | {"as", "well", "as well as", "of", "the", "in", "on", "an", "a", "x", "-", "node", "nodes"}
        or t.is_("number", "number_word", "submitter")
        or t.is_("series", "family")
        or (owned and t.low in {"'s", "s", "'"})
        or (t.low in {"(", ")"} and any(owner.is_("submitter") for owner in between))  # "ASUS (X), Dell (Y)"
        for t in between
    )
