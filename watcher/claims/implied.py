"""Baselines without a name of their own: the generation before, "that", "Oracle's", itself under other conditions."""

from __future__ import annotations

from watcher.claims.frame import SystemName
from watcher.claims.measures import PERCENT
from watcher.claims.parsed import Judged, Parsed
from watcher.claims.past import Past
from watcher.claims.roles import BASELINE, role_of
from watcher.claims.vocabulary import words

MAX_OWNED = 4  # tokens between a submitter and the system that is its
_VERSIONS = words("release version releases versions")


class Implied:
    """What a sentence measures against without naming a system."""

    def __init__(self, parsed: Parsed, past: Past) -> None:
        """Answer for one sentence."""
        self.parsed = parsed
        self.tokens = parsed.tokens
        self.past = past

    def _predecessor(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        if subject is None or not any(
            t.is_("predecessor") for t in self.tokens[: self.parsed.parts[judged.part].high]
        ):
            return None
        name = self.parsed.lexicon.predecessors.get(subject.name)
        return SystemName(name=name) if name else None

    def baseline(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """A baseline without a name: the generation before, "that", the subject itself under other conditions."""
        return (
            self._predecessor(judged, subject) or self._that(judged, subject) or self.itself(judged, subject)
        )

    def _that(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "An H100 gives 3.5 times that", "…, eleven times as many": the system of the sentence before."""
        following = [t.low for t in self.tokens[judged.measure.last + 1 : judged.measure.last + 4]]
        if following[:2] in (["as", "many"], ["as", "much"]) and following[2:] in ([], [","], ["."]):
            return self.parsed.frame.subject if subject != self.parsed.frame.subject else None
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
            if not owns and role_of(self.tokens, mention.place) == BASELINE:
                return mention.name
        return None

    def itself(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "84 % of its uncapped figure": the same system under other conditions."""
        following = [t.low for t in self.tokens[judged.measure.last + 1 : judged.measure.last + 3]]
        if self._over_software(judged):
            return subject
        return (
            subject
            if following in (["of", "its"], ["of", "their"]) and judged.measure.kind == PERCENT
            else None
        )

    def _over_software(self, judged: Judged) -> bool:
        """As in "1.6x faster than vLLM 0.11", "vs. release 1.2": an earlier version of software on the same system."""
        high = self.parsed.parts[judged.part].high
        for place in range(judged.measure.last + 1, high):
            if self.tokens[place].is_("baseline"):
                behind = self.tokens[place + 1 : min(place + 4, high)]
                return any(t.is_("software") or t.low in _VERSIONS for t in behind)
        return False

    def takes_longer(self, judged: Judged) -> bool:
        """As in "HGX B200 took 5.26 times as long": the one that took less is the better one."""
        return [t.low for t in self.tokens[judged.measure.last + 1 : judged.measure.last + 3]] == [
            "as",
            "long",
        ]
