"""The same system with another count: "with four times the GPUs", "20% ahead of eight", "on sixteen, the score is …"."""

from __future__ import annotations

from itertools import pairwise

from msgspec.structs import replace

from watcher.claims.frame import SystemName
from watcher.claims.measures import QUANTITY, TIMES
from watcher.claims.parsed import COMPARING, Judged, Parsed
from watcher.claims.roles import BASELINE
from watcher.claims.vocabulary import words

MAX_FEWER = 12  # tokens between "2.03 times" and "of eight"
_LEADING = words("with on using from")
_ENDS = words(", . ; ) and gpus accelerators chips cards")
_UNITS = words("gpu gpus chip chips accelerator accelerators card cards")
_ONE = words("node server rack system machine box cluster instance")
_SEVERAL = words("nodes servers racks systems machines boxes clusters instances")


class Counts:
    """What a sentence says of other counts of the system that it speaks of."""

    def __init__(self, parsed: Parsed) -> None:
        """Answer for one sentence."""
        self.parsed = parsed
        self.tokens = parsed.tokens

    def more_of_the_same(self, judged: Judged) -> bool:
        """Whether the other side is the same system with fewer accelerators ("with four times the GPUs")."""
        behind = self.tokens[judged.measure.last + 1 : judged.measure.last + 9]
        if judged.standing.kind in COMPARING and self._fewer_at(judged) is not None:
            return True
        told = {s.accelerator for s in self.parsed.frame.recent[-2:] if s.accelerator is not None}
        if len(told) > 1 and self.parsed.frame.series:
            return False  # "eight H200 make 36,395 and two L40S 3,646. So the H200 are ten times as fast, for four times the GPUs"
        if any(one.low == "single" and two.is_("machine") and not two.names for one, two in pairwise(behind)):
            return judged.standing.kind in COMPARING and not any(
                m.role == BASELINE for m in self.parsed.mentions
            )
        for measure in self.parsed.measures:
            if measure is not judged.measure and measure.kind == TIMES:
                following = self.tokens[measure.last + 1 : measure.last + 5]
                if any(t.is_("counts") for t in following) and not any(
                    j.measure is measure for j in self.parsed.judged
                ):
                    return True
        return False

    def counted(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """The subject with the other count of "2.03 times the throughput of eight"; as it is where none is told."""
        place = self._fewer_at(judged)
        one = self._of_one(subject) if self._names_one(judged.measure.last + 1) else None
        if one is not None and subject is not None:
            return _with_count(subject, one)
        if (
            place is None
            or subject is None
            or subject.count is None
            or any(t.low in _SEVERAL for t in self.tokens[: judged.measure.first])
            or not subject.name.startswith(f"{subject.count}x ")
        ):
            return subject
        count = int(self.tokens[place].value or 0)
        return replace(subject, name=f"{count}x {subject.name.partition('x ')[2]}", count=count)

    def grown(
        self, subject: SystemName | None, baseline: SystemName | None
    ) -> tuple[SystemName | None, SystemName | None]:
        """As in "doubled when the cluster went from two H100 nodes to four": the same system with more of what it is made of."""
        if subject is not None or baseline is None:
            return subject, baseline
        name = next((m for m in self.parsed.mentions if m.kind == "system" and m.name == baseline.name), None)
        led = [t.low for t in self.tokens[max(0, name.place - 3) : name.place]] if name else []
        if name is None or "from" not in led:
            return subject, baseline
        behind = self.tokens[name.place + 1 : name.place + MAX_FEWER]
        to = next((n for n, t in enumerate(behind) if t.low == "to"), len(behind))
        counted = to + 1 < len(behind) and behind[to + 1].is_("number", "number_word")
        if not counted or any(t.low in {",", ";", ":"} for t in behind[:to]):
            return subject, baseline
        if name.count is None:
            return baseline, baseline
        count = int(behind[to + 1].value or 0)
        return replace(baseline, name=f"{count}x {baseline.name.partition('x ')[2]}", count=count), baseline

    def _counted_behind(self, judged: Judged) -> int | None:
        """The count that stands alone right behind a value: 32 of "245,352 with 32 and …"."""
        place = judged.measure.last + 2
        behind = self.tokens[place - 1 : place + 2]
        if judged.measure.kind != QUANTITY or len(behind) < 2 or behind[0].low not in _LEADING:
            return None
        number, ends = behind[1], behind[2:]
        if not number.is_("number", "number_word") or number.decimals or not number.value:
            return None
        figure = any(m.first <= place <= m.last for m in self.parsed.measures)
        alone = all(t.low in _ENDS for t in ends)
        return int(number.value) if alone and not figure else None

    def _counted_before(self, judged: Judged) -> int | None:
        """Where the count stands that leads to a value: "… and thirty-two gave 82,749.6", "AMD's 72-chip cluster shows 964,468"."""
        if judged.measure.kind != QUANTITY:
            return None
        low = max((m.last + 1 for m in self.parsed.measures if m.last < judged.measure.first), default=0)
        named = [
            m.place for m in self.parsed.mentions if m.kind == "system" and m.place < judged.measure.first
        ]
        for place in range(judged.measure.first - 2, max(low, *named, 0) - 1, -1):
            token = self.tokens[place]
            whole = token.is_("number", "number_word") and not token.decimals and (token.value or 0) >= 1
            if whole and self._counts_what_ran(place, judged.measure.first):
                return place
        return None

    def _names_one(self, low: int) -> bool:
        """Whether one machine of several is spoken of soon: "of one such node", "and one node gives 121,818"."""
        behind = self.tokens[low : low + MAX_FEWER]
        return any(
            one.low in {"one", "single"} and any(t.low in _ONE for t in behind[n + 1 : n + 3])
            for n, one in enumerate(behind)
        )

    def _of_one(self, subject: SystemName | None) -> int | None:
        """How many accelerators one machine of the subject has: eight of "nine nodes of eight MI355X", which are seventy-two."""
        if subject is None or subject.count is None:
            return None
        for boxes, kind, led, each in zip(
            self.tokens, self.tokens[1:], self.tokens[2:], self.tokens[3:], strict=False
        ):
            if kind.low in _SEVERAL and led.low == "of" and each.value and boxes.value:
                return int(each.value) if boxes.value * each.value == subject.count else None
        return None

    def _counts_what_ran(self, place: int, end: int) -> bool:
        """Whether a number counts accelerators that a verb speaks of: "eight gave", "thirty-two in four nodes", "72-chip cluster"."""
        behind = self.tokens[place + 1 : min(end, place + 5)]
        if not behind:
            return False
        if behind[0].is_("reporting"):
            return True
        if self.tokens[place].value == 1 and behind[0].low in _ONE:
            return len(behind) > 1 and behind[1].is_("reporting")
        if behind[0].low == "in" and len(behind) > 2:
            return behind[1].is_("number", "number_word") and behind[2].low in _SEVERAL
        joined = behind[1:] if behind[0].low == "-" else behind
        return (
            bool(joined) and joined[0].low in _UNITS and not any(t.low in {"each", "apiece"} for t in joined)
        )

    def _owner_of(self, place: int) -> str | None:
        """Whose the counted are: CoreWeave of "CoreWeave's eight", AMD of "AMD's own 72-chip cluster"."""
        led = self.tokens[max(0, place - 3) : place]
        if not any(t.low == "'s" for t in led):
            return None
        return next((t.names["submitter"] for t in led if "submitter" in t.names), None)

    def _fewer_at(self, judged: Judged) -> int | None:
        """As in "ten cards are 20% ahead of eight in the same server", "8.5 times as fast as one": only a count is the other side."""
        high = self.parsed.parts[judged.part].high
        for place in range(judged.measure.last + 1, min(high, judged.measure.last + MAX_FEWER)):
            token = self.tokens[place]
            if (
                not token.is_("number_word", "number")
                or token.decimals
                or any(m.first == place for m in self.parsed.measures)
            ):
                continue
            led, after = self.tokens[place - 1], self.tokens[place + 1 : place + 3]
            ends = (
                not after
                or after[0].low in {".", ",", ";", ")", "in", "for", "on", "such"}
                or after[0].is_("counts")
            )
            bare = not any(t.names for t in after[:1])
            found = (
                (led.is_("baseline") or led.low in {"of", "as"} or self._after_as_with(place))
                and ends
                and bare
                and not self._opposed(judged)
            )
            return place if found else None
        return None

    def _after_as_with(self, place: int) -> bool:
        """As in "5.4 times as fast as with 8", "2.7x faster than on eight"."""
        led = self.tokens[max(0, place - 2) : place]
        return (
            len(led) == 2
            and led[1].low in {"with", "on", "using"}
            and (led[0].is_("baseline", "result_noun") or led[0].low == "as")
        )

    def _opposed(self, judged: Judged) -> bool:
        """Whether the part names a system that is measured against."""
        return any(m.role == BASELINE for m in self.parsed.part_systems(judged.part))

    def recounted(self, subject: SystemName | None, judged: Judged) -> SystemName | None:
        """A carried system with another count: "On sixteen, the score is …", "…, 245,352 with 32 and 336,125 with 56"."""
        count = self._counted_behind(judged)
        if count is not None and subject is not None and subject.count:
            return _with_count(subject, count) if subject.name.startswith(f"{subject.count}x ") else subject
        place = self._counted_before(judged)
        if place is not None and subject is not None and subject.accelerator is not None:
            whose = self._owner_of(place)
            subject = replace(subject, submitter=whose) if whose else subject
            one = self._of_one(subject) if self._names_one(place) else None
            return _with_count(subject, one or int(self.tokens[place].value or 0))
        if subject is None or subject != self.parsed.frame.subject or subject.accelerator is None:
            return subject
        for place, token in enumerate(self.tokens[:-1]):
            if token.low in {"on", "with", "using"} and self.tokens[place + 1].is_("number_word", "number"):
                following = self.tokens[place + 2] if place + 2 < len(self.tokens) else None
                value = self.tokens[place + 1].value or 0
                if (
                    value >= 1
                    and value == int(value)
                    and (
                        following is None
                        or following.low in {",", ".", "gpus", "accelerators", "chips", "of"}
                    )
                ):
                    name = (
                        subject.name.partition("x ")[2]
                        if subject.count and subject.name.startswith(f"{subject.count}x ")
                        else subject.name
                    )
                    renamed = f"{int(value)}x {name}" if subject.rank >= 2 else name
                    return replace(subject, name=renamed, count=int(value))
        return subject


def _with_count(system: SystemName, count: int) -> SystemName:
    """The system with another count of the same accelerators."""
    if system.count and system.name.startswith(f"{system.count}x "):
        return replace(system, name=f"{count}x {system.name.partition('x ')[2]}", count=count)
    return replace(system, count=count)
