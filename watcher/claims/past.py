"""What a system was before: an earlier round, "its April entry", "since AMD's first submission"."""

from __future__ import annotations

from watcher.claims.frame import SystemName
from watcher.claims.parsed import Judged, Parsed
from watcher.claims.rounds import Rounds
from watcher.claims.seasons import is_seasonal
from watcher.claims.vocabulary import words

_WHOSE = words("its their our his")
_EARLIER = words("earlier previous former prior old last")
_PREVIOUS = _EARLIER | {"previous_round"}
_FIRST = words("first first_submission")


class Past:
    """The earlier entries that a sentence compares with."""

    def __init__(self, parsed: Parsed, rounds: Rounds) -> None:
        """Answer for one sentence."""
        self.parsed = parsed
        self.tokens = parsed.tokens
        self.rounds = rounds
        self.firsts: dict[int, str | None] | None = None  # by part, looked up once

    def is_own(self, part: int) -> bool:
        """Whether the part compares with an earlier round of the same system."""
        return (
            self.rounds.has_baseline(part)
            or self._says_previous(part)
            or self._first_submission(part) is not None
        )

    def earlier(
        self, judged: Judged, round: str | None, subject: SystemName | None
    ) -> tuple[str | None, SystemName | None]:
        """(round, system) of "its previous round", "since AMD's first entry"; null where nothing of the kind is said."""
        first = self._first_submission(judged.part) or next(
            (f for n in range(judged.part) if (f := self._first_submission(n))), None
        )
        if first is not None:
            return None, SystemName(name=f"{first} (first submission)", submitter=first)
        if (
            self._says_previous(judged.part)
            or self._seasonal(judged.part)
            or (
                judged.part and self.parsed.compares(judged.part - 1) and self._says_previous(judged.part - 1)
            )
        ):
            return self.parsed.lexicon.previous_round(round), subject
        return None, None

    def _says_previous(self, part: int) -> bool:
        """As in "the previous round", "its earlier rate", "their old score"."""
        if self.parsed.vocabulary.isdisjoint(_PREVIOUS):
            return False
        tokens = self.tokens[self.parsed.parts[part].low : self.parsed.parts[part].high]
        return any(t.is_("previous_round") for t in tokens) or any(
            one.low in _WHOSE and two.low in _EARLIER and (three.is_("result_noun", "performance"))
            for one, two, three in zip(tokens, tokens[1:], tokens[2:], strict=False)
        )

    def _seasonal(self, part: int) -> bool:
        """As in "its April entry", "the autumn results": the round before, by the time of year."""
        return is_seasonal(self.tokens[self.parsed.parts[part].low : self.parsed.parts[part].high])

    def _first_submission(self, part: int) -> str | None:
        """The submitter of "since AMD's first entry"; empty where it is not named; null where nothing is said."""
        if self.firsts is None:
            self.firsts = {n: self._first_said(n) for n in range(len(self.parsed.parts))}
        return self.firsts[part]

    def _first_said(self, part: int) -> str | None:
        if self.parsed.vocabulary.isdisjoint(_FIRST):
            return None
        tokens = self.tokens
        for place in range(self.parsed.parts[part].low, self.parsed.parts[part].high):
            token = tokens[place]
            if token.low != "first" and not token.is_("first_submission"):
                continue
            near = {t.low for t in tokens[place : place + 6]}
            led = {t.low for t in tokens[max(0, place - 3) : place]}
            if token.is_("first_submission") or (
                token.low == "first"
                and near & {"entry", "submission", "result", "appearance", "submissions"}
                and led & {"'s", "its", "since", "from", "their", "s", "'"}
            ):
                if not any(
                    t.is_("baseline") or t.low in {"from", "since", "over", "than"}
                    for t in tokens[max(0, place - 5) : place]
                ):
                    continue
                return (
                    next(
                        (
                            m.name
                            for m in self.parsed.mentions
                            if m.kind == "submitter" and abs(m.place - place) < 8
                        ),
                        None,
                    )
                    or self.parsed.frame.submitter
                    or ""
                )
        return None
