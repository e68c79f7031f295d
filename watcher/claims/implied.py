"""Baselines without a name of their own: the generation before, "that", "Oracle's", itself under other conditions."""

from __future__ import annotations

from itertools import pairwise

from watcher.claims.counted import compound_count, recounted_as
from watcher.claims.frame import SystemName
from watcher.claims.measures import PERCENT, SIZE_UNITS
from watcher.claims.mixed import INSTEAD
from watcher.claims.names import PRODUCT_RANK
from watcher.claims.parsed import Judged, Parsed
from watcher.claims.past import Past
from watcher.claims.roles import BASELINE, is_of_its_own, role_of
from watcher.claims.topics import is_favoured
from watcher.claims.vocabulary import words

MAX_OWNED = 4  # tokens between a submitter and the system that is its
MAX_LED = 8  # tokens between "beats" and the score
_OWN = words("we it they i")
_TURNED_IN = words("submitted posted had got reported published filed made reached turned")
_MODES = words("default normal standard full uncapped performance power low-power high-power other")
_COMPARED = words("more faster quicker higher ahead less")
_APART = words(", ; : while whereas but")
_SINCE = words("now since after today again already meanwhile")
MIN_SETTING = 2  # tokens of a size: "1.1 V"
_ENDS = words(", . ; ) in on for is gives")
_VERSIONS = words("release version releases versions")


class Implied:
    """What a sentence measures against without naming a system."""

    def __init__(self, parsed: Parsed, past: Past) -> None:
        """Answer for one sentence."""
        self.parsed = parsed
        self.tokens = parsed.tokens
        self.past = past

    def _predecessor(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        if subject is None or "predecessor" not in self.parsed.vocabulary:
            return None
        if not any(t.is_("predecessor") for t in self.tokens[: self.parsed.parts[judged.part].high]):
            return None
        name = self.parsed.lexicon.predecessors.get(subject.name)
        return SystemName(name=name) if name else None

    def baseline(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """A baseline without a name: the generation before, "that", the subject itself under other conditions."""
        return (
            self._predecessor(judged, subject)
            or self._that(judged, subject)
            or self.itself(judged, subject)
            or self._other_of_two(judged, subject)
            or self._disfavoured(judged, subject)
        )

    def _other_of_two(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "B200 manages 30,112 samples/s, whereas B300 gets 21% more": with nothing behind "more", the other of two is meant."""
        tokens = self.tokens[judged.measure.last : judged.measure.last + 4]
        lows = [t.low for t in tokens[1:]]
        bare = lows[:1] == ["as"] or any(t.is_("better") and t.low in _COMPARED for t in tokens[:2])
        if subject is None or not bare or any(low.endswith("than") for low in lows):
            return None
        systems = [m for m in self.parsed.mentions if m.kind == "system"]
        before = [m for m in systems if m.place < judged.measure.first]
        names = list(dict.fromkeys(m.name for m in before))
        if names == [subject.name] and len(before) == len(systems):
            return self._told_alone(subject)
        if len(names) != 2 or len(before) != len(systems) or before[-1].name != subject.name:
            return None
        other = next(m for m in reversed(before) if m.name != subject.name)
        between = self.tokens[other.place : before[-1].place]
        if abs(other.rank - before[-1].rank) > 1 or not any(t.low in _APART for t in between):
            return None
        return SystemName(name=other.name, count=other.count, accelerator=other.accelerator)

    def _disfavoured(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "The gap is 7.8% in favour of the XE9785L": the other of the last two that were told of."""
        if subject is None or not is_favoured(self.tokens, judged.measure):
            return None
        last = self.parsed.frame.recent[-2:]
        others = [s for s in last if s.name != subject.name]
        return others[0] if len(last) == 2 and len(others) == 1 else None

    def _told_alone(self, subject: SystemName) -> SystemName | None:
        """As in "GB200 managed 14,774.3 tokens/s. GB300 is 9% ahead in Offline.": ahead of the one that was told of, if nothing says that it is ahead of its own past."""
        other = self.parsed.frame.subject
        if other is None or other.name == subject.name or abs(other.rank - subject.rank) > 1:
            return None
        if other.accelerator is not None and other.accelerator == subject.accelerator:
            return None
        own = any(m.kind in {"software", "precision", "round"} for m in self.parsed.mentions)
        return None if own or any(t.low in _SINCE for t in self.tokens) else other

    def _that(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "An H100 gives 3.5 times that", "…, eleven times as many": the system of the sentence before."""
        following = [t.low for t in self.tokens[judged.measure.last + 1 : judged.measure.last + 4]]
        if following[:2] in (["as", "many"], ["as", "much"]) and following[2:] in ([], [","], ["."]):
            return self._told_before(judged, subject)
        if following[:1] == ["it"] and judged.measure.word:
            before = [
                m for m in self.parsed.mentions if m.kind == "system" and m.place < judged.measure.first
            ]
            others = [m for m in before if subject is None or m.name != subject.name]
            return SystemName(name=others[-1].name) if others else self.parsed.frame.subject
        following = following[:2]
        if (
            following[:1] == ["that"]
            and following[1:] in ([], ["."], [","])
            and subject != self.parsed.frame.subject
        ):
            return self.parsed.frame.subject
        return None

    def _told_before(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """The last system before a figure that is not its subject, in the sentence, else the one in mind."""
        others = [
            m
            for m in self.parsed.mentions
            if m.kind == "system"
            and m.place < judged.measure.first
            and (subject is None or m.name != subject.name)
        ]
        alike = [
            m
            for m in others
            if subject is not None and (m.rank <= PRODUCT_RANK) == (subject.rank <= PRODUCT_RANK)
        ]
        for mention in (alike or others)[-1:]:
            return SystemName(name=mention.name, count=mention.count, accelerator=mention.accelerator)
        return self.parsed.frame.subject if subject != self.parsed.frame.subject else None

    def rival(self, judged: Judged) -> str | None:
        """As in "1.05x Oracle's", "what Cisco got": the submitter measured against, whose system is not named."""
        if self.past.is_own(judged.part):
            return None
        part = self.parsed.parts[judged.part]
        for mention in self.parsed.mentions:
            if mention.kind != "submitter" or not part.low <= mention.place < part.high:
                continue
            owns = any(
                m.kind == "system" and 0 < m.place - mention.place <= MAX_OWNED for m in self.parsed.mentions
            )
            led = self.tokens[max(0, mention.place - 2) : mention.place]
            owns = owns or (
                len(led) == 2 and led[1].low == "from" and (led[0].is_("machine") or bool(led[0].names))
            )
            if not owns and role_of(self.tokens, mention.place) == BASELINE:
                return mention.name
        return None

    def rivals_system(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "five times what Dell shows": the system that the rival had where it was named before."""
        rival = self.rival(judged)
        told = [s for s in self.parsed.frame.recent if rival is not None and s.submitter == rival]
        others = [s for s in told if subject is None or s.name != subject.name]
        return others[-1] if others else None

    def itself(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "84 % of its uncapped figure": the same system under other conditions."""
        following = [t.low for t in self.tokens[judged.measure.last + 1 : judged.measure.last + 3]]
        if self._over_software(judged) or self._over_own_score(judged) or self._goes_on(judged, subject):
            return subject
        if (counted := self._refilled(judged, subject)) is not None:
            return counted
        behind = self.tokens[judged.measure.last : judged.measure.last + 5]
        if self._set_otherwise(judged):
            return subject
        if any(one.low.endswith("than") and two.low == "before" for one, two in pairwise(behind)):
            return subject  # "1.6x faster than before"
        if is_of_its_own(self.tokens, judged.measure.last + 1):
            return subject
        if judged.measure.word and following[:1] in (["its"], ["their"]) and self._has_result(judged):
            return subject  # "doubled its Server score"
        if self._own_mode(judged):
            return subject
        return (
            subject
            if following in (["of", "its"], ["of", "their"]) and judged.measure.kind == PERCENT
            else None
        )

    def _set_otherwise(self, judged: Judged) -> bool:
        """As in "Run at 1.1 V instead of 0.9 V, it is three times as fast": two settings of one size are what differs."""
        led = self.tokens[: judged.measure.first]
        place = next((n for n, t in enumerate(led) if t.low in INSTEAD), 0)
        if place < MIN_SETTING or place + 2 >= len(led):
            return False
        number, size = self.tokens[place - 2], self.tokens[place - 1]
        sizes = size.low in SIZE_UNITS and self.tokens[place + 2].low == size.low
        return sizes and number.is_("number") and self.tokens[place + 1].is_("number")

    def _refilled(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "With ten RTX PRO 6000 instead of eight, the server is 23% faster", "15.6x the four-GPU value": itself with another count."""
        led = self.tokens[: judged.measure.first]
        place = next((n + 1 for n, t in enumerate(led) if t.low in INSTEAD), len(led))
        told, ends = self.tokens[place : place + 1], self.tokens[place + 1 : place + 2]
        bare = place < len(led) and all(t.low in _ENDS or t.is_("counts") for t in ends)
        if bare and told[0].is_("number_word", "number") and not told[0].decimals:
            count = int(told[0].value or 0)
        else:
            count = compound_count(self.tokens, judged.measure) or 0
        return recounted_as(subject, count) if subject is not None and count else None

    def _goes_on(self, judged: Judged, subject: SystemName | None) -> bool:
        """As in "84% of its uncapped throughput in Offline and 82% in Server": the figure before was measured against itself, and nothing else is named."""
        place = next((n for n, j in enumerate(self.parsed.judged) if j is judged), 0)
        before = self.parsed.judged[place - 1] if place else None
        if before is None or self.parsed.parts[judged.part].hard or self.parsed.part_systems(judged.part):
            return False
        alike = before.standing == judged.standing and before.measure.kind == judged.measure.kind == PERCENT
        return alike and before.part < judged.part and self.itself(before, subject) == subject is not None

    def _has_result(self, judged: Judged) -> bool:
        """Whether a result, and no rival, follows a multiple of what is one's own."""
        behind = self.tokens[judged.measure.last + 2 : judged.measure.last + 2 + MAX_LED]
        noun = next((n for n, t in enumerate(behind) if t.is_("result_noun", "performance")), None)
        return noun is not None and not any(
            t.is_("predecessor", "nobody_named", "submitter") or t.low in {",", ";"} for t in behind[:noun]
        )

    def _over_own_score(self, judged: Judged) -> bool:
        """As in "beats the Server score we submitted by 6%": a result of one's own, of which no other system is told."""
        if self.parsed.vocabulary.isdisjoint(_TURNED_IN):
            return False
        part = self.parsed.parts[judged.part]
        for place in range(part.low, part.high - 2):
            token, verb = self.tokens[place + 1], self.tokens[place + 2]
            if self.tokens[place].is_("result_noun") and token.low in _OWN and (verb.low in _TURNED_IN):
                led = self.tokens[max(part.low, place - MAX_LED) : place]
                return any(t.is_("baseline") for t in led)
        return False

    def _over_software(self, judged: Judged) -> bool:
        """As in "1.6x faster than vLLM 0.11", "vs. release 1.2": an earlier version of software on the same system."""
        high = self.parsed.parts[judged.part].high
        for place in range(judged.measure.last + 1, high):
            if self.tokens[place].is_("baseline"):
                behind = self.tokens[place + 1 : min(place + 4, high)]
                return any(t.is_("software") or t.low in _VERSIONS for t in behind) or any(
                    one.low in {"with", "in", "using"} and "precision" in two.names
                    for one, two in pairwise(behind)
                )
        return False

    def _own_mode(self, judged: Judged) -> bool:
        """As in "1.12x its vLLM score", "88% of the default mode's score": the system itself, run in another way."""
        low = judged.measure.last + 1
        behind = self.tokens[low : min(low + MAX_LED, self.parsed.parts[judged.part].high)]
        lows = [t.low for t in behind]
        owned = (
            lows[:1] in (["its"], ["their"])
            and len(behind) > 2
            and ("software" in behind[1].names or "precision" in behind[1].names)
        )
        moded = lows[:2] == ["of", "the"] and any(
            one in _MODES and two == "mode" for one, two in pairwise(lows)
        )
        return owned or moded

    def takes_longer(self, judged: Judged) -> bool:
        """As in "HGX B200 took 5.26 times as long": the one that took less is the better one."""
        return [t.low for t in self.tokens[judged.measure.last + 1 : judged.measure.last + 3]] == [
            "as",
            "long",
        ]
