"""Which round a figure belongs to, and which earlier one it is measured against."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.claims.frame import suite_of
from watcher.claims.measures import PERCENT, QUANTITY, TIMES
from watcher.claims.mentions import Mention
from watcher.claims.roles import BASELINE
from watcher.claims.vocabulary import words

if TYPE_CHECKING:
    from watcher.claims.parsed import Parsed


_WENT = words(
    "went goes moved moves followed took takes brought brings pushed pushes lifted lifts raised raises"
)

_NOW = words("now today")
_SET_AGAINST = words("from than compared against versus vs")
MAX_GAINED = 6  # tokens of "climbed by a further 28 percent on"
_ARROWED = words("to → -> against")
_WHOSE = words("its their our the his")


class Rounds(Struct):
    """The rounds that a sentence names. ``own``: the one it speaks of, if it names it. ``rises``: "from … to …"."""

    reader: Parsed
    mentions: list[Mention]
    own: str | None
    older: str | None
    rises: bool

    def of(self, part: int, *, comparing: bool) -> tuple[str | None, str | None]:
        """(round, baseline round) of a figure in ``part``."""
        here = self._in_part(part)
        plain = [m for m in here if m.role != BASELINE]
        if comparing:
            frame = self.reader.frame
            if (
                not self.mentions
                and frame.home is not None
                and frame.round is not None
                and suite_of(frame.home) == suite_of(frame.round)
                and _order(frame.round) < _order(frame.home)
                and self.reader.said(part, "changed")
            ):
                return frame.home, frame.round  # "In v6.0 it had 100,656. That has grown by 9%."
            base = self._baseline(part)
            if base is None and not self.mentions and not self._names_rival():
                base = frame.versus
            own = next((m.name for m in plain if m.name != base), None) or (
                self.own if self.own != base and not self._is_past_of_other(part) else None
            )
            return own or self.reader.frame.round, base
        if part and not here and self._same_round(part):
            return self.of(part - 1, comparing=False)
        paired = self._paired(part)
        if paired is not None:
            return paired, None
        if self._is_start(part) or self._is_then(part) or (not self.mentions and self._is_former(part)):
            former = self._baseline(part) or self.reader.lexicon.previous_round(self.reader.frame.round)
            return (here[0].name if here else former), None
        local = plain or here
        if local:
            return local[0].name, None
        if self.older is not None and self._is_local():
            return (self.own if self.own != self.older else None) or self.reader.frame.round, None
        own = self.own if self._reaches(part) and not self._is_today(part) else None
        return own or self.reader.frame.round, None

    def led_against(self) -> str | None:
        """As in "MLPerf Inference v6.0 against v5.1:": the older of two rounds that a line without figures sets side by side."""
        if self.reader.measures or self.own is None or self.older is None or self.own == self.older:
            return None
        low, high = self.mentions[0].place, self.mentions[-1].place
        between = self.reader.tokens[low + 1 : high]
        compared = any(t.is_("baseline", "pair") or t.low in _SET_AGAINST | _ARROWED for t in between)
        led = self.reader.tokens[low - 1].low if low else ""
        compared = compared or (led == "between" and [t.low for t in between] == ["and"])
        return self.older if compared else None

    def left(self) -> str | None:
        """The round that the sentence leaves in mind; none where it only says what something rose from ("from 60.6 in v6.0 to 73.2")."""
        in_mind, named = self.reader.frame.round, [m for m in self.mentions if m.name == self.own]
        if self.own is None or in_mind is None or not self.rises or not is_earlier(self.own, in_mind):
            return self.own
        lows = [t.low for t in self.reader.tokens]
        behind = next((n for n in range(named[-1].place, len(lows)) if lows[n] == "to"), len(lows))
        risen = "from" in lows[: named[0].place] and any(m.first == behind + 1 for m in self.reader.measures)
        return None if risen else self.own

    def _names_rival(self) -> bool:
        """Whether the sentence names a system that is measured against."""
        return any(m.kind == "system" and m.role == BASELINE for m in self.reader.mentions)

    def _is_past_of_other(self, part: int) -> bool:
        """As in "93% of B300, compared with 81% in v6.0", "81% in v6.0; now it stands at 93%": an older round that another figure has."""
        in_mind, here = self.reader.frame.round, self.reader.parts[part]
        if self.own is None or in_mind is None or not is_earlier(self.own, in_mind) or self._in_part(part):
            return False
        places = [m.place for m in self.mentions if m.name == self.own]
        between = self.reader.tokens[here.measures[-1].last + 1 : places[0]]
        behind = places[0] >= here.high and any(t.is_("pair") or t.low in _SET_AGAINST for t in between)
        now = any(t.low in _NOW for t in self.reader.tokens[here.low : here.high])
        return behind or (places[-1] < here.low and now)

    def _is_today(self, part: int) -> bool:
        """As in "in v6.0 the server got 91,000.5; today it gets 99,000.75": a value that is no longer the older round's."""
        in_mind, here = self.reader.frame.round, self.reader.parts[part]
        older = self.own is not None and in_mind is not None and is_earlier(self.own, in_mind)
        led = self.reader.tokens[here.low : here.measures[0].first]
        return older and here.hard and any(t.low in _NOW for t in led)

    def _reaches(self, part: int) -> bool:
        """Whether the sentence names a round on this side of a semicolon behind the part."""
        within = [part, *range(part), *self.reader.behind(part)]
        return any(self._in_part(number) for number in within)

    def _same_round(self, part: int) -> bool:
        low, high = self.reader.parts[part].low, self.reader.parts[part].high
        lows = [t.low for t in self.reader.tokens[low:high]]
        return any(pair == ("same", "round") for pair in pairwise(lows))

    def _paired(self, part: int) -> str | None:
        """As in "from 95,004 to 121,818 between v6.0 and v6.1": two values and two rounds behind them, in order."""
        names = list(dict.fromkeys(m.name for m in self.mentions))
        if not self.rises or len(names) != 2:
            return None
        values = [n for n, p in enumerate(self.reader.parts) if any(m.kind == QUANTITY for m in p.measures)]
        if len(values) != 2 or part not in values:
            return None
        if any(m.place < self.reader.parts[values[1]].measures[-1].last for m in self.mentions):
            return None
        return sorted(names, key=_order)[values.index(part)]

    def _is_former(self, part: int) -> bool:
        """As in "95,004 then, 121,818 now", "it used to be 21.4", "went from 95,004 to 121,818": a value of the round before."""
        here = self.reader.parts[part]
        tokens, measure = self.reader.tokens, here.measures[0]
        if measure.kind != QUANTITY or len(here.measures) > 1:
            return False
        lows = [t.low for t in tokens]
        if self.tells_former(part):
            return True
        if self._is_then(part):
            return True
        if lows[max(0, measure.first - 3) : measure.first] == ["used", "to", "be"]:
            return True
        return self._is_start(part)

    def _is_then(self, part: int) -> bool:
        """As in "since v6.0 (245.63 then, 516.012 tokens/s now)": of the two values the round before has the first."""
        measure = self.reader.parts[part].measures[0]
        behind = [t.low for t in self.reader.tokens[measure.last + 1 :]]
        return measure.kind == QUANTITY and behind[:1] == ["then"] and "now" in behind[1:]

    def tells_former(self, part: int) -> bool:
        """As in "in the round before it took 0.56", "a round ago it was 91,395.5": the round before is where the value is from."""
        here = self.reader.parts[part]
        tokens, measure = self.reader.tokens, here.measures[0]
        if measure.kind != QUANTITY:
            return False
        for place in range(here.low, min(here.high, measure.last + 6)):
            if tokens[place].is_("previous_round"):
                led = tokens[max(0, place - 3) : place]
                return not any(t.is_("baseline") and not t.is_("previous_round") for t in led)
        return False

    def _is_start(self, part: int) -> bool:
        """Whether a value is A of "rose from A to B", where the sentence compares nothing else and counts nothing up."""
        tokens, parts = self.reader.tokens, self.reader.parts
        here, measure = parts[part], parts[part].measures[0]
        following = parts[part + 1].measures[0] if part + 1 < len(parts) else None
        led = tokens[measure.first - 1].low if measure.first else ""
        if "system" in here.zipped[0]:
            return False  # "from 253,506 to 652,750, GB300 to Vera Rubin"
        if led != "from" or following is None or following.kind != QUANTITY or following.unit != measure.unit:
            return False
        between = [t.low for t in tokens[measure.last + 1 : following.first]]
        changed = any(t.is_("changed", "multiplier") or t.low in _WENT for t in tokens[: measure.first])
        compared = any(m.kind == "system" and m.role == BASELINE for m in self.reader.mentions)
        behind = tokens[measure.first :]
        grown = any(
            t.is_("counts") or t.low == "from" for t in behind
        )  # "… when it moved from four to sixteen GPUs"
        high = parts[part + 1].high  # another clause's scenario sets nothing apart
        apart = len({m.name for m in self.reader.mentions if m.kind == "scenario" and m.place < high}) > 1
        return "to" in between and changed and not (compared or grown or apart)

    def has_baseline(self, part: int) -> bool:
        """Whether the part names a round as its baseline."""
        return any(m.role == BASELINE for m in self._in_part(part))

    def _in_part(self, part: int) -> list[Mention]:
        low, high = self.reader.parts[part].low, self.reader.parts[part].high
        return [m for m in self.mentions if low <= m.place < high]

    def _baseline(self, part: int) -> str | None:
        here = self._in_part(part)
        if self.reader.parts[part].hard and here and all(m.role != BASELINE for m in here):
            return None  # "8% slower in v6.0; in v6.1 it is 4% faster"
        for number in [part, *range(part - 1, -1, -1), *range(part + 1, len(self.reader.parts))]:
            found = next((m.name for m in self._in_part(number) if m.role == BASELINE), None)
            if found is not None:
                return found
        told = self.reader.comparing
        if len(told) > 1 and all(any(m.role != BASELINE for m in self._in_part(n)) for n in told):
            return None  # "1.1x B200 in v6.0, and in v6.1 it is 1.3x"
        if len({m.name for m in self.mentions}) > 1 or (self.rises and self._is_local()):
            return self.older
        return None

    def _is_local(self) -> bool:
        """Whether an older round, named behind the first of several figures, speaks of that figure alone."""
        if len(self.reader.parts) < 2:
            return False
        first = self.reader.measures[0].first
        return not any(m.place < first for m in self.mentions)


def rounds_of(reader: Parsed) -> Rounds:
    """The rounds of a sentence, those without a suite read in the suite of what is in mind."""
    mentions = [m for m in reader.mentions if m.kind == "round" and not _labels_other(reader, m.place)]
    suite = next((suite_of(m.name) for m in mentions if "-" in m.name), reader.frame.suite)
    for mention in mentions:
        if suite != "inference" and "-" not in mention.name and not _says_inference(reader, mention):
            mention.name = f"{suite}-{mention.name}"
        if mention.role != BASELINE and _in_comparison(reader, mention):
            mention.role = BASELINE
        if (
            mention.role == BASELINE
            and reader.measures
            and not any(m.kind in {TIMES, PERCENT} for m in reader.measures)
        ):
            mention.role = "subject"
    names = list(dict.fromkeys(m.name for m in mentions))
    plain = [m.name for m in mentions if m.role != BASELINE]
    oldest = min(names, key=_order) if names else None
    in_mind = reader.frame.round
    own = max(plain, key=_order) if plain else None
    older = (
        oldest
        if oldest is not None
        and (len(names) > 1 or (in_mind is not None and _order(oldest) < _order(in_mind)))
        else None
    )
    lows = [t.low for t in reader.tokens]
    return Rounds(reader, mentions, own, older, "from" in lows and "to" in lows)


def _labels_other(reader: Parsed, place: int) -> bool:
    """As in "117,804 this time (v6.0: 91,395.5)", where the number in brackets is no figure: the round is that number's alone."""
    tokens = reader.tokens
    if (
        not 0 < place < len(tokens) - 2
        or tokens[place - 1].low != "("
        or tokens[place + 1].low not in {":", "="}
    ):
        return False
    return tokens[place + 2].is_("number") and all(m.first != place + 2 for m in reader.measures)


def _in_comparison(reader: Parsed, mention: Mention) -> bool:
    """As in "Compared with the entry that it had in v6.0, …": an older round inside what is compared with."""
    in_mind = reader.frame.round
    if (
        in_mind is None
        or _order(mention.name) >= _order(in_mind)
        or suite_of(mention.name) != suite_of(in_mind)
    ):
        return False
    if _gained_on(reader, mention.place) or _multiplied(reader, mention.place):
        return True
    for place in range(mention.place - 1, max(-1, mention.place - 14), -1):
        token = reader.tokens[place]
        if token.low == "what" and _times_before(reader, place):
            return True  # "1.6x what it was in v1.0"
        if token.low in {";", ":", "x", "×", "%", "percent"}:
            return False
        if "unit" in token.names and not any(
            t.low == "which" for t in reader.tokens[max(0, place - 5) : place]
        ):
            return False  # a value's round, but for "against the MI325X, which needed 20.9 minutes in v5.0"
        if token.low == "since" or token.low.endswith("than") or (token.is_("pair") and token.low != "over"):
            return True
    return False


def _gained_on(reader: Parsed, place: int) -> bool:
    """As in "up 28% on its v6.0 entry", "gained 28% on v6.0": what stands behind a gain and "on" is what it was gained on."""
    tokens = reader.tokens
    led = [t.low for t in tokens[max(0, place - 2) : place]]
    if led[:1] in (["%"], ["percent"]) and led[1:] == ["on"]:
        return any(t.is_("changed", "better") for t in tokens[max(0, place - MAX_GAINED) : place])
    noun = next((t for t in tokens[place + 1 : place + 4] if not t.names), None)
    if len(led) < 2 or led[0] != "on" or led[1] not in _WHOSE or noun is None or not noun.is_("result_noun"):
        return False
    return any(t.is_("changed", "better") for t in tokens[:place])


def _multiplied(reader: Parsed, place: int) -> bool:
    """As in "2.48x its own v6.0 score", "four times v6.0": what stands behind a multiple is what is multiplied."""
    here = place - 1 if place and reader.tokens[place - 1].low == "own" else place
    owned = here > 0 and reader.tokens[here - 1].low in _WHOSE
    return _times_before(reader, here - 1 if owned else here)


def _times_before(reader: Parsed, place: int) -> bool:
    led = [t for t in reader.tokens[max(0, place - 2) : place] if t.low != "of"]
    return bool(led) and (led[-1].low in {"x", "×", "times", "%", "percent"} or led[-1].is_("multiplier"))


def _says_inference(reader: Parsed, mention: Mention) -> bool:
    return reader.tokens[mention.place].names.get("suite") == "inference"


def is_earlier(one: str, other: str) -> bool:
    """Whether one round came before another of the same suite."""
    return suite_of(one) == suite_of(other) and _order(one) < _order(other)


@lru_cache(maxsize=64)
def _order(round: str) -> tuple[int, ...]:
    digits = "".join(sign if sign.isdigit() else " " for sign in round)
    return tuple(int(number) for number in digits.split())
