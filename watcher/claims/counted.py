"""How many accelerators a name is said of: "eight B200", "72 GB300 GPUs", "64 servers with eight MI355X each"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from watcher.claims.frame import SystemName
from watcher.claims.measures import Measure
from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

_LED = words("of the its that")
_EIGHT = words("eight-gpu 8-gpu")
MAX_COMPOUND = 7  # tokens of "of the four-GPU value"
_HELD = words("with of holding carrying containing")
_BOXES = words("nodes servers systems machines boxes instances racks clusters")
_BOX = words("node server system machine box instance rack cluster")


def count_of(tokens: Sequence[Token], place: int) -> int | None:
    """How many accelerators: "eight B200", "8x MI350X", "72 GB300 GPUs", "eight pieces of B300", "MI355X x8"."""
    here = place - 1
    while here >= 0 and (
        tokens[here].is_("submitter", "counts", "family")
        or tokens[here].low in {"of", "x", "×", "-", "instinct", "gpu", "blackwell", "nvidia", "amd"}
    ):
        if tokens[here].low in {"node", "nodes", "rack", "racks", "server", "servers", "socket"}:
            return None  # "two-node MI325X": nodes, not accelerators
        here -= 1
    if here >= 0 and tokens[here].is_("number", "number_word") and not tokens[here].decimals:
        value = tokens[here].value or 0
        boxes = place + 1 < len(tokens) and tokens[place + 1].low in (_BOXES if value > 1 else _BOX)
        if boxes and here == place - 1:
            return None  # "two H100 nodes", "one MI355X server": nodes, not accelerators
        if 1 <= value <= 100_000 and not (here and tokens[here - 1].low == "."):
            return int(value) * _boxes_with(tokens, here, place)
    after = place + 1
    if (
        after < len(tokens)
        and re.fullmatch(r"x\d{1,5}", tokens[after].low)
        and tokens[after].start == tokens[place].end
    ):
        return int(tokens[after].low[1:]) or None
    if (
        after + 1 < len(tokens)
        and tokens[after].low in {"x", "×"}
        and tokens[after + 1].is_("number")
        and tokens[after + 1].start == tokens[after].end
    ):
        return int(tokens[after + 1].value or 0) or None
    return None


def compound_count(tokens: Sequence[Token], measure: Measure) -> int | None:
    """The count of a result with fewer that a multiple is of: 4 of "15.6x the four-GPU value"."""
    behind = tokens[measure.last + 1 : measure.last + 2 + MAX_COMPOUND]
    place = next((n for n, t in enumerate(behind) if t.low not in _LED), len(behind))
    joined = [t for t in behind[place:] if t.low != "-"]
    if joined and joined[0].low in _EIGHT:
        count, noun = 8, joined[1:2]
    elif len(joined) > 1 and joined[0].is_("number", "number_word") and joined[1].is_("counts"):
        count, noun = int(joined[0].value or 0), joined[2:3]
        noun = noun if behind[place + 1].low == "-" and not joined[0].decimals else []
    else:
        return None
    return count if any(t.is_("result_noun", "performance") for t in noun) else None


def recounted_as(system: SystemName, count: int) -> SystemName:
    """The same system with another count: 4x GB300 of 72x GB300."""
    counted = system.count is not None and system.name.startswith(f"{system.count}x ")
    name = f"{count}x {system.name.partition('x ')[2]}" if counted else system.name
    return replace(system, name=name, count=count)


def _boxes_with(tokens: Sequence[Token], number: int, place: int) -> int:
    """How many machines hold the accelerators that are counted: 64 of "64 servers with eight MI355X each", else one."""
    ends = next((t.low for t in tokens[place + 1 : place + 3] if not t.is_("counts")), "")
    boxes = tokens[max(0, number - 3) : number]
    if len(boxes) < 3 or boxes[2].low not in _HELD:
        return 1
    if ends not in {"each", "apiece"} and boxes[2].low != "of":
        return 1  # "four nodes with 32 H100"; but "nine nodes of eight MI355X" are seventy-two
    told = boxes[0].is_("number", "number_word") and boxes[1].low in _BOXES and not boxes[0].decimals
    return max(1, int(boxes[0].value or 1)) if told else 1
