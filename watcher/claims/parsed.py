"""One sentence taken apart: its tokens, names, figures and parts, and what is in mind where it begins."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from watcher.claims.clauses import Part, parts_of
from watcher.claims.definite import definite_names
from watcher.claims.frame import Frame, SystemName
from watcher.claims.lexicon import Lexicon
from watcher.claims.measures import Measure
from watcher.claims.mentions import PRODUCT_RANK, Mention, mentions_of
from watcher.claims.ranks import ranks_of
from watcher.claims.roles import BASELINE, CLASS, SUBJECT, role_of
from watcher.claims.series import UnitInMind, measures_of, unit_said
from watcher.claims.standing import GAIN, RATIO, Standing
from watcher.claims.tokens import Token, said_in
from watcher.claims.units import UnitSaid
from watcher.claims.vocabulary import words

_NOT_NAMES = words(
    "server servers system systems platform edition workstation desktop cloud rack instance first submission submitters others"
)
MAX_HELD = 6  # tokens of "on the same eight MI350X", at the head of a sentence
_HELD = words("on with using")
COMPARING = frozenset({RATIO, GAIN})


class Judged(Struct):
    """A figure of a part with its standing; ``place`` is its place in the part's run."""

    part: int
    place: int
    measure: Measure
    standing: Standing


class Parsed(Struct):
    """A sentence taken apart; ``judged`` is filled once its figures are judged."""

    tokens: Sequence[Token]
    text: str
    frame: Frame
    lexicon: Lexicon
    mentions: list[Mention]
    measures: list[Measure]
    parts: list[Part]
    unit: UnitSaid | None = None  # the throughput that it names apart from its figures
    judged: list[Judged] = field(default_factory=list)
    comparing: frozenset[int] = frozenset()  # parts with a figure that compares two sides
    known: dict[tuple[int, str], list[Mention]] = field(default_factory=dict)
    with_systems: frozenset[int] | None = None  # parts that name a system, once looked up
    known_words: frozenset[str] | None = None

    def part_systems(self, part: int) -> list[Mention]:
        """The systems named in a part."""
        return self.named(part, "system")

    def named(self, part: int, kind: str) -> list[Mention]:
        """What of a kind a part names; looked up once."""
        found = self.known.get((part, kind))
        if found is None:
            low, high = self.parts[part].low, self.parts[part].high
            found = [m for m in self.mentions if m.kind == kind and low <= m.place < high]
            self.known[part, kind] = found
        return found

    @property
    def naming(self) -> frozenset[int]:
        """The parts that name a system; looked up once."""
        if self.with_systems is None:
            self.with_systems = frozenset(n for n in range(len(self.parts)) if self.part_systems(n))
        return self.with_systems

    @property
    def vocabulary(self) -> frozenset[str]:
        """All words of the sentence and the parts they play (see `said_in`); looked up once."""
        if self.known_words is None:
            self.known_words = said_in(self.tokens)
        return self.known_words

    def behind(self, part: int) -> list[int]:
        """The parts behind one, up to a semicolon."""
        numbers = []
        for number in range(part + 1, len(self.parts)):
            if self.parts[number].hard:
                break
            numbers.append(number)
        return numbers

    def compares(self, part: int) -> bool:
        """Whether a figure of the part compares two sides."""
        return part in self.comparing

    def said(self, part: int, tag: str) -> bool:
        """Whether a word of the part carries ``tag``."""
        return any(t.is_(tag) for t in self.tokens[self.parts[part].low : self.parts[part].high])

    def submitter_of(self, part: int) -> str | None:
        """The submitter named in a part, else in those before it, else in the sentence."""
        found = [
            m for m in self.mentions if m.kind == "submitter" and role_of(self.tokens, m.place) != BASELINE
        ]
        for number in [part, *range(part - 1, -1, -1)] if self.parts else []:
            here = [m.name for m in found if self.parts[number].low <= m.place < self.parts[number].high]
            if here:
                return here[0]
        return found[0].name if found else None


def with_short_names(
    mentions: list[Mention], tokens: Sequence[Token], recent: Sequence[SystemName]
) -> list[Mention]:
    """Add systems that are called by one word of a name given before: "the Spark" after DGX Spark."""
    called = {
        word.casefold(): system
        for system in recent
        for word in system.name.split()
        if (len(word) > 3 and word.isalpha())
        or word == system.name  # "the Spark"; "A4", once "A4 VMs" was said
    }
    found = list(mentions)
    for place, token in enumerate(tokens):
        if token.capital and not token.names and token.low in called and token.low not in _NOT_NAMES:
            system = called[token.low]
            found.append(
                Mention(
                    "system",
                    system.name,
                    place,
                    role_of(tokens, place),
                    system.rank,
                    system.count,
                    None,
                    system.accelerator,
                )
            )
    return sorted(found, key=lambda mention: mention.place)


def _hold(mentions: list[Mention], tokens: Sequence[Token], frame: Frame) -> None:
    """As in "What changed for the G8825Z5? On the same eight MI350X, …": they are those of the server in mind, which is named instead."""
    server = frame.subject
    systems = [m for m in mentions if m.kind == "system"]
    if server is None or server.rank != PRODUCT_RANK or not frame.fresh or len(systems) != 1:
        return
    held, lows = systems[0], [t.low for t in tokens[:MAX_HELD]]
    led = held.place < MAX_HELD and lows[:1] and lows[0] in _HELD and lows[1] in {"the", "its"}
    same = led and held.count and (lows[1] == "its" or lows[2] == "same")
    makers = {m.name for m in mentions if m.kind == "submitter"} - {server.submitter}
    if same and not makers and server.accelerator in {None, held.accelerator}:
        held.name, held.rank = server.name, server.rank


def parse(tokens: Sequence[Token], text: str, frame: Frame, lexicon: Lexicon) -> Parsed:
    """Take a sentence apart."""
    mentions = mentions_of(tokens, text, lexicon)
    if frame.recent:
        mentions = with_short_names(mentions, tokens, frame.recent)
        definite = definite_names(tokens, text, mentions, frame.recent, lexicon)
        mentions = sorted([*mentions, *definite], key=lambda mention: mention.place)
    _hold(mentions, tokens, frame)
    said = unit_said(tokens)
    measures = sorted(
        [
            *measures_of(
                tokens, UnitInMind(frame.unit, frame.far_unit, factor=frame.factor, series=frame.units), said
            ),
            *ranks_of(tokens),
        ],
        key=lambda m: m.first,
    )
    parts = parts_of(tokens, measures, mentions)
    return Parsed(tokens, text, frame, lexicon, mentions, measures, parts, said)


def without_class(found: list[Mention], mentions: Sequence[Mention]) -> list[Mention]:
    """Leave out what only says among which a system is the best, where the sentence names that system."""
    if any(m.kind == "system" and m.role == SUBJECT for m in mentions):
        return [m for m in found if m.role != CLASS]
    return found
