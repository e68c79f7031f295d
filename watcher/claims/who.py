"""Whose figure it is: the system that a claim speaks of, and the one that it is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from watcher.claims.counts import Counts
from watcher.claims.definite import kind_behind
from watcher.claims.frame import SystemName
from watcher.claims.implied import Implied
from watcher.claims.lexicon import short_title
from watcher.claims.measures import Measure
from watcher.claims.mentions import Mention
from watcher.claims.mixed import exchanged, mixed_name
from watcher.claims.names import PRODUCT_RANK
from watcher.claims.parsed import COMPARING, Judged, Parsed, without_class
from watcher.claims.past import Past
from watcher.claims.ranks import NONE_OTHER
from watcher.claims.roles import BASELINE, CLASS, SUBJECT
from watcher.claims.rounds import Rounds
from watcher.claims.standing import ABSOLUTE, RANKED
from watcher.claims.vocabulary import words

MAX_PRONOUN = 6  # tokens; "On the dense Llama 2 70B it processed …"
_LEADING = words("in of to for into from about")  # "A cloud is in it as well: …"
_COMING = words("next future upcoming coming")
_GENERATION = words("generation gen product products")
_AGAINST = words("against versus vs to compared")


class Who:
    """The systems of a sentence's claims."""

    def __init__(self, parsed: Parsed, rounds: Rounds) -> None:
        """Answer for one sentence."""
        self.parsed = parsed
        self.tokens = parsed.tokens
        self.frame = parsed.frame
        self.lexicon = parsed.lexicon
        self.mentions = parsed.mentions
        self.measures = parsed.measures
        self.parts = parsed.parts
        self.rounds = rounds
        self.past = Past(parsed, rounds)
        self.implied = Implied(parsed, self.past)
        self.counts = Counts(parsed)

    def systems(self, judged: Judged, *, comparing: bool) -> tuple[SystemName | None, SystemName | None]:
        """(subject, baseline) of a figure; ``comparing``: whether it has a baseline at all."""
        if self.of_the_future(judged):
            return None, None
        subject, baseline = self._sides(judged, comparing=comparing)
        if comparing and self.implied.takes_longer(judged):
            subject, baseline = baseline or self.frame.subject, subject
        subject = self.counts.recounted(subject, judged)
        return self.counts.grown(subject, baseline) if comparing else (subject, baseline)

    def of_the_future(self, judged: Judged) -> bool:
        """As in "Our next chip will be 30x faster": something without a name, which is not what was spoken of before."""
        if any(m.kind == "system" for m in self.mentions):
            return False
        led = self.tokens[: judged.measure.first]
        return any(
            one.low in _COMING and (two.is_("machine") or two.low in _GENERATION)
            for one, two in pairwise(led)
        )

    def _sides(self, judged: Judged, *, comparing: bool) -> tuple[SystemName | None, SystemName | None]:
        given = self.parts[judged.part].zipped[judged.place]
        own_name = given.get("system")
        pair = exchanged(self.tokens, self.mentions) if comparing and own_name is None else None
        if pair is not None:
            return self.named(pair[0]), self.named(pair[1])
        rival = own_name if own_name is not None and comparing and own_name.role == BASELINE else None
        subject = self.named(own_name) if own_name is not None and rival is None else None
        own = self.parsed.part_systems(judged.part)
        subject = subject or self._bracketing(judged) or self._relative(judged)
        unrivalled = self._unrivalled(judged, own)
        if unrivalled is not None:
            return unrivalled, None
        subjects = without_class([m for m in own if m.role != BASELINE], self.mentions)
        baselines = [m for m in own if m.role == BASELINE]
        if subject is None and self._speaks_of_it(judged, own):
            subject = self.frame.subject or next(reversed(self.frame.recent), None)
        if subject is None:
            subject = self.joined(subjects) or self._chosen(
                [*subjects, *self._bracketed(judged)], judged.measure
            )
        if subject is None and not comparing and baselines and not self._only_led(baselines):
            subject = self._chosen(baselines, judged.measure)
        baseline = self._chosen([rival] if rival else baselines, judged.measure) if comparing else None
        contrast = self._contrasted(judged)
        if subject is None:
            subject = self._inherited(judged, BASELINE if contrast else "subject") or (
                self._inherited(judged, "subject") if contrast else None
            )
        if comparing and baseline is None and not self.past.is_own(judged.part):
            baseline = self._inherited(judged, BASELINE)
            if baseline is None and not any(m.kind == "system" for m in self.mentions):
                baseline = self.frame.baseline if subject == self.frame.subject else None
            elif (
                baseline is None
                and subject is not None
                and self.frame.subject is not None
                and subject.name == self.frame.subject.name
                and self.frame.fresh
            ):
                baseline = self.frame.baseline
        if comparing and baseline is None:
            baseline = self.implied.baseline(judged, subject)
        if (
            subject is not None
            and subject == baseline
            and not baselines
            and not self.past.is_own(judged.part)
            and self.implied.itself(judged, subject) is None
        ):
            baseline = None
        return subject, baseline

    def _unrivalled(self, judged: Judged, own: Sequence[Mention]) -> SystemName | None:
        """Whom "no other server is faster", "that is the best of all" is said of: what stands behind "than", else, of a mere class, what is in mind."""
        if judged.standing.kind != RANKED:
            return None
        if judged.measure.unit != NONE_OTHER:
            return self._one_of_class(judged)
        behind = [m for m in own if m.role == BASELINE and m.place > judged.measure.last]
        if behind:
            return self.named(behind[0])
        only_class = bool(own) and all(m.role == CLASS for m in own)
        return self.frame.subject if only_class and self.frame.fresh else None

    def _one_of_class(self, judged: Judged) -> SystemName | None:
        """As in "The Interactive figure is the highest of all MI355X systems": the server in mind, where only a class it is of is named."""
        server, systems = self.frame.subject, [m for m in self.mentions if m.kind == "system"]
        if server is None or server.rank > PRODUCT_RANK or not self.frame.fresh:
            return None
        owned = any(m.kind == "submitter" for m in self.mentions)
        classes = bool(systems) and all(m.role == CLASS and m.place > judged.measure.first for m in systems)
        alike = {m.accelerator for m in systems} == {server.accelerator}
        return server if classes and alike and not owned else None

    def _only_led(self, baselines: Sequence[Mention]) -> bool:
        """As in "Compared to the D74H-7U, 45,408 tokens/s is …": what a clause before the sentence proper names is not its subject."""
        comma = next((place for place, t in enumerate(self.tokens) if t.low == ","), 0)
        led = bool(self.tokens) and self.tokens[0].is_("pair", "baseline")
        return led and self.frame.subject is not None and all(m.place < comma for m in baselines)

    def _bracketing(self, judged: Judged) -> SystemName | None:
        """As in "42 times that of a B300 server from Nebius (69,655 tokens/s)": a value in brackets is of the system before them."""
        opens = judged.measure.first - 1
        if judged.standing.kind != ABSOLUTE or opens < 1 or self.tokens[opens].low != "(":
            return None
        behind = self.tokens[judged.measure.last + 1 : judged.measure.last + 2]
        if any(t.low in _AGAINST for t in behind):
            return (
                None  # "12% faster than the XD685 (103,032 versus 92,000)": the first value is the subject's
            )
        low = max(0, opens - 6)
        near = [m for m in self.mentions if m.kind == "system" and low <= m.place < opens]
        if not near or any(near[-1].place < m.last < opens for m in self.measures):
            return None
        return self.named(near[-1]) if near and near[-1].role == BASELINE else None

    def _relative(self, judged: Judged) -> SystemName | None:
        """As in "Against the MI325X, which needed 20.9 minutes, …", "than DGX Spark with its 3,808 ms": a value of the system right before it."""
        if judged.standing.kind != ABSOLUTE:
            return None
        for place in range(judged.measure.first - 1, max(0, judged.measure.first - 5), -1):
            low = self.tokens[place].low
            if low == "which":
                before = place - 2 if self.tokens[place - 1].low == "," else place - 1
            elif low in {"with", "at", "'s"} or (
                low == "and" and self.tokens[place + 1].low in {"its", "their"}
            ):
                before = place - 1
            else:
                continue
            found = next((m for m in self.mentions if m.kind == "system" and m.place == before), None)
            if low != "which" and (found is None or found.role != BASELINE):
                return None
            return self.named(found) if found is not None else None
        return None

    def _bracketed(self, judged: Judged) -> list[Mention]:
        """The only server of a sentence, in brackets at its end: all of its figures are that server's."""
        servers = [m for m in self.mentions if m.kind == "system" and m.rank <= PRODUCT_RANK]
        if len(servers) != 1 or len(self.parsed.part_systems(judged.part)) == 0:
            return []
        behind = [t.low for t in self.tokens[servers[0].place + 1 :]]
        before = [t.low for t in self.tokens[max(0, servers[0].place - 8) : servers[0].place]]
        closes = behind[:1] == [")"] and len(behind) <= 2
        return servers if closes and "(" in before and servers[0].role == SUBJECT else []

    def _speaks_of_it(self, judged: Judged, own: Sequence[Mention]) -> bool:
        """As in "It made 8,904.83 tokens/s …, the only Hopper entry": a pronoun carries the system, whatever is named behind."""
        pronoun = next(
            (
                p
                for p, t in enumerate(self.tokens[:MAX_PRONOUN])
                if (t.low in {"it", "they"} and not (p and self.tokens[p - 1].low in _LEADING))
                or (t.low in {"its", "their"} and not p and judged.measure.first == 1)
            ),
            None,
        )
        if (
            pronoun is not None
            and self.tokens[pronoun].low == "they"
            and len(self.parts[judged.part].measures) == 2
        ):
            return False
        return pronoun is not None and not any(
            m.place < judged.measure.head and m.role != BASELINE and not self._is_inside(m) for m in own
        )

    def _is_inside(self, mention: Mention) -> bool:
        """As in "With eight H200 it scores …", where a server is in mind: only what is in it."""
        server = self.frame.subject is not None and self.frame.subject.rank == PRODUCT_RANK
        led = self.tokens[max(0, mention.place - 2) : mention.place]
        return server and mention.rank > PRODUCT_RANK and any(t.low == "with" for t in led)

    def named(self, mention: Mention) -> SystemName:
        """A mention as a system, with its owner."""
        return SystemName(
            name=mention.name,
            submitter=self._owner(mention.place),
            count=mention.count,
            accelerator=mention.accelerator,
            rank=mention.rank,
            noun=kind_behind(self.tokens, mention.place, mention.name),
        )

    def _owner(self, place: int) -> str | None:
        """The submitter whose system it is: "Azure's GB300 rack", "Nebius B300"; NVIDIA before its own chip is its vendor."""
        for back in range(place - 1, max(-1, place - 4), -1):
            mention = next((m for m in self.mentions if m.place == back and m.kind == "submitter"), None)
            if mention is not None:
                return mention.name
            if self.tokens[back].is_("baseline") or self.tokens[back].low in {",", ";", "and"}:
                break
        return self._owner_behind(place)

    def _owner_behind(self, place: int) -> str | None:
        """As in "the four-GPU GB300 of Lambda", "an XE9785 server from Dell"."""
        for here in range(place + 1, min(place + 4, len(self.tokens) - 1)):
            if self.tokens[here].low in {"of", "from", "by"}:
                return next(
                    (m.name for m in self.mentions if m.place == here + 1 and m.kind == "submitter"), None
                )
            if not self.tokens[here].is_("machine", "series"):
                return None
        return None

    def _chosen(self, mentions: Sequence[Mention], measure: Measure) -> SystemName | None:
        """The most telling of several systems, and of those alike the nearest before the figure, else behind it."""
        if not mentions:
            return None

        def order(mention: Mention) -> tuple[int, int, int]:
            behind = mention.place > measure.head
            rank = (
                1 if mention.rank == 2 else mention.rank
            )  # a server and a chip that is bigger news by itself: see below
            return (0 if mention.rank <= 1 else rank, int(behind), abs(mention.place - measure.head))

        chosen = min(mentions, key=order)
        name = self.named(chosen)
        if name.accelerator is None or name.count is None:
            partner = next(
                (m for m in mentions if m.accelerator is not None and m is not chosen and chosen.rank == 1),
                None,
            )
            if partner is not None:
                name = replace(name, accelerator=partner.accelerator, count=partner.count)
        return name

    def joined(self, mentions: Sequence[Mention]) -> SystemName | None:
        """Several accelerators in one system are named together: "MI300X+MI325X+MI355X"."""
        name = mixed_name(self.tokens, mentions)
        if name is not None and any(m.role == BASELINE and m.name in name.split("+") for m in self.mentions):
            return None  # one of them is measured against
        return SystemName(name=name, submitter=self.parsed.submitter_of(0), rank=1) if name else None

    def _contrasted(self, judged: Judged) -> bool:
        """Whether a quantity is the other side's: "(1306.61 against 349.29 queries/s)"."""
        if judged.standing.kind != ABSOLUTE:
            return False
        low = self.parts[judged.part].low
        return judged.part > 0 and any(
            t.low in _AGAINST and (t.low != "to" or self.rounds.rises)
            for t in self.tokens[low : judged.measure.first]
        )

    def _inherited(self, judged: Judged, role: str) -> SystemName | None:
        """The system of the parts before, then of those behind (not across a semicolon), then what is in mind."""
        named = self.parsed.naming
        order = [n for n in (*range(judged.part - 1, -1, -1), *self.parsed.behind(judged.part)) if n in named]
        if role == BASELINE and judged.standing.kind in COMPARING:
            order = [n for n in order if self.parsed.compares(n) or n == 0]
        for number in order:
            found = [
                m for m in self.parsed.part_systems(number) if (m.role == BASELINE) == (role == BASELINE)
            ]
            found = without_class(found, self.mentions)
            if role != BASELINE and self._changes_hands(judged.part):
                found = [m for m in found if m.rank != PRODUCT_RANK]  # another maker's server is not meant
            name = (self.joined(found) if role != BASELINE else None) or self._chosen(found, judged.measure)
            if name is not None:
                return name
        no_other = any(m.unit == NONE_OTHER for m in self.measures) or not any(
            j.standing.kind in COMPARING for j in self.parsed.judged
        )
        if (
            role != BASELINE
            and judged.standing.kind not in COMPARING
            and (self.frame.subject is None or no_other)
        ):
            others = [m for number in order for m in self.parsed.part_systems(number)]
            makers = {m.name for m in self.parsed.named(judged.part, "submitter")}
            others = [m for m in others if not makers or self._owner(m.place) in {None, *makers}]
            if self._changes_hands(judged.part):
                others = [m for m in others if m.rank != PRODUCT_RANK]
            if others and not self._only_led(others):
                return self._chosen(others, judged.measure)
        if role == BASELINE:
            return (
                self.frame.baseline
                if judged.standing.kind == ABSOLUTE and not any(m.kind == "system" for m in self.mentions)
                else None
            )
        return self._handed_over(judged, self._remembered(judged))

    def _handed_over(self, judged: Judged, subject: SystemName | None) -> SystemName | None:
        """As in "…, then Supermicro itself with 117,005": another maker's server is not meant, only its accelerators."""
        number = judged.part
        makers = self._makers(number)
        while number and not makers and not self.parts[number].hard and not self.parsed.part_systems(number):
            number -= 1  # "Nebius' node serves 15,738.5 Offline and 14,784.3 Server"
            makers = self._makers(number)
        if subject is None or subject.rank != PRODUCT_RANK or not makers:
            return subject
        if subject.submitter is None or subject.submitter in makers:
            return subject
        if subject.accelerator is None:
            return self._only_chip(makers) or subject
        title = short_title(self.lexicon.title("accelerator", subject.accelerator))
        return replace(
            subject,
            name=f"{subject.count}x {title}" if subject.count else title,
            submitter=makers[0],
            rank=2,
        )

    def _makers(self, part: int) -> list[str]:
        """The submitters that a part names, in their order."""
        return list(dict.fromkeys(m.name for m in self.parsed.named(part, "submitter")))

    def _only_chip(self, makers: Sequence[str]) -> SystemName | None:
        """As in "Nebius' node serves …" in a text about RTX PRO 6000 servers: the one accelerator that has been spoken of."""
        chips = {s.accelerator: s for s in self.frame.recent if s.rank > PRODUCT_RANK and s.accelerator}
        if len(chips) != 1 or not self.lexicon.makers.isdisjoint(makers):
            return None
        (accelerator,) = chips
        title = short_title(self.lexicon.title("accelerator", accelerator))
        return SystemName(name=title, submitter=makers[0], accelerator=accelerator, rank=2)

    def _changes_hands(self, part: int) -> bool:
        """Whether a part behind a semicolon names a submitter of its own: the system before is not its."""
        low, high = self.parts[part].low, self.parts[part].high
        first = self.parts[part].measures[0].first
        if any(m.kind == "submitter" and m.place == first - 2 for m in self.mentions):
            return self.tokens[first - 1].low in {"'s", "'"}  # "7% below Dell's 117,804"
        return self.parts[part].hard and any(
            m.kind == "submitter" and low <= m.place < high for m in self.mentions
        )

    def _remembered(self, judged: Judged) -> SystemName | None:
        """The system in mind; one of the vendor that the sentence names before others, and "the two" in their order."""
        part = self.parts[judged.part]
        systems = any(m.kind == "system" for m in self.mentions)
        two = self._says_two() or self._of_two_servers(judged)
        if not systems and len(part.measures) == 2 and len(self.frame.recent) >= 2 and two:
            servers = [s for s in self.frame.recent[-3:] if s.rank <= PRODUCT_RANK]
            chips = [s for s in self.frame.recent if s.rank > PRODUCT_RANK]
            alike = servers if len(servers) > 1 or self.frame.recent[-1].rank <= PRODUCT_RANK else chips
            return alike[-2:][judged.place] if len(alike) > 1 else self.frame.subject
        makers = [m for m in self.mentions if m.kind == "submitter"]
        here = {m.name for m in makers if part.low <= m.place < part.high}
        vendors = here or {m.name for m in makers}  # "the NVIDIA box made …, the AMD box …"
        subject = self.frame.subject
        if (
            systems
            or not vendors
            or (subject is not None and (self._vendor(subject) in vendors or subject.submitter in vendors))
        ):
            return subject
        own = next((name for name in reversed(self.frame.recent) if self._vendor(name) in vendors), None)
        return own if own is not None or self._of_other_maker(vendors, subject) else subject

    def of_other_maker(self) -> bool:
        """Whether the sentence names one who makes accelerators, and the system in mind has another's."""
        makers = {m.name for m in self.mentions if m.kind == "submitter"}
        subject = self.frame.subject
        vendor = self._vendor(subject) if subject is not None else None
        return vendor is not None and vendor not in makers and self._of_other_maker(makers, subject)

    def _of_other_maker(self, makers: set[str], subject: SystemName | None) -> bool:
        """Whether one who makes accelerators is named, and the system in mind has another's."""
        vendor = self._vendor(subject) if subject is not None else None
        return vendor is not None and not makers.isdisjoint(self.lexicon.makers)

    def _vendor(self, name: SystemName) -> str | None:
        known = name.accelerator is not None and name.accelerator in self.lexicon.catalog.names("accelerator")
        return self.lexicon.catalog.entry("accelerator", name.accelerator or "").vendor if known else None

    def _of_two_servers(self, judged: Judged) -> bool:
        """As in "X ran it on the G893 and the G894. Offline: 91,000.5 and 99,100.25": the sentence before named two servers and compared nothing."""
        last = self.frame.recent[-2:]
        servers = len(last) == 2 and all(s.rank == PRODUCT_RANK for s in last)
        given = self.parts[judged.part].zipped[judged.place]
        apart = "scenario" in given or "benchmark" in given
        told = judged.standing.kind == ABSOLUTE and self.frame.subject in last[:1]
        return servers and told and self.frame.baseline is None and not apart

    def _says_two(self) -> bool:
        lows = [t.low for t in self.tokens]
        return (
            "both" in lows
            or "they" in lows[:6]
            or any(one in {"the", "these", "those"} and two == "two" for one, two in pairwise(lows))
        )

    def leading(self, subjects: Sequence[Mention]) -> SystemName:
        """The system that a sentence leaves in mind."""
        best = min(subjects, key=lambda m: (m.rank > 1, m.place))
        name = self.named(best)
        if best.rank == 1:
            partner = next((m for m in subjects if m.accelerator is not None), None)
            if partner is not None:
                name = replace(name, accelerator=partner.accelerator, count=partner.count)
        return name
