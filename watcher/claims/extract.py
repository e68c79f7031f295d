"""A post into claims: block by block, with what a reader keeps in mind between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watcher.claims import text as texts
from watcher.claims.behind import (
    MAX_NOTE,
    add_notes,
    call_by_submitter,
    compare_with_own_past,
    is_standing_note,
    name_after,
    pair_values,
    scale_as_told,
    unverify,
)
from watcher.claims.blocks import Article, Block
from watcher.claims.cells import CellReader
from watcher.claims.entries import name_entries
from watcher.claims.footnotes import marks_of, plain_quote
from watcher.claims.frame import Draft, Frame, suite_of
from watcher.claims.lexicon import Lexicon, lexicon
from watcher.claims.measures import BARE, raw_measures
from watcher.claims.mentions import Mention, mentions_of
from watcher.claims.merge import merged
from watcher.claims.names import PRODUCT_RANK, in_server, system_called
from watcher.claims.numbers import is_european
from watcher.claims.sentence import SentenceReader
from watcher.claims.series import unit_said
from watcher.claims.split import BULLETS, named_suite, read_tokens, sentences
from watcher.claims.spoken import as_spoken
from watcher.claims.standing import ABSOLUTE, RANKED
from watcher.claims.status import NOT_MLPERF, PROJECTED, disowns, goes_on_with_other, status_of
from watcher.claims.tables import Around, TableReader
from watcher.claims.telling import sets_scenario, stretches, words_of
from watcher.claims.tokens import MAX_TOKENS, Token, normalise
from watcher.claims.units import DURATIONS, UnitSaid, unit_in
from watcher.claims.vocabulary import words
from watcher.domain import Claim

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

MAX_DRAFTS = 1000  # claims of one post; what comes after them is not read
MAX_TEXT = (
    150_000  # characters of an article's own text, some 25,000 words; what comes after them is not read
)
_ENDING = words("this that these those all both results everything values")
_LAST = re.compile(rf"[.!?…|•\n]\W{{0,40}}(?:{'|'.join(sorted(_ENDING))})\b", re.IGNORECASE)
_WHOLE = words("only all")
_ONLY_SCENARIO = r"(?i)\b(?:only|all)\b[^.]{0,400}(?:Offline|Server|Interactive|Stream)"
_GOES_ON = re.compile(  # a paragraph that says what the figures of the one before come to
    r"\W{0,3}(?:That|This|These|Those|They|Which)\s(?:is|are|was|were|makes?|means?|equals?|works?|gives?|come)\b"
)
_CLOSING = re.compile(r"\(([^()]{4,120})\)\W{0,3}$")
MAX_TITLE = 40  # characters of a line that leads to what follows as a heading would
MAX_UNIT_LED = 3  # tokens at the head of a line that begins with its unit: "Minutes to train", "(in minutes"
MAX_TAIL = 300  # characters of a paragraph behind a table that may be its caption


def extract(text: str, *, catalog: Catalog, round: str | None = None) -> tuple[Claim, ...]:
    """The claims of a post, given as text or HTML.

    ``round``: what the post is about ("v6.1", "training-v6.0"), used where the text names none. Claims about other
    benchmarks are kept with status not_mlperf. Never raises on any text; what lies beyond the limits of `text` is
    not read.
    """
    words = lexicon(catalog)
    article = texts.read(text)
    found = merged(_PostReader(article, words, round).read())
    return tuple(as_spoken(claim, words, article.blocks) for claim in found)


class _PostReader:
    """The state of reading one post."""

    def __init__(self, article: Article, words: Lexicon, round: str | None) -> None:
        self.article = article
        self.words = words
        self.european = is_european("\n".join(b.text for b in article.blocks[:200])[:100_000])
        self.cells = CellReader(words, european=self.european)
        self.known: dict[str, tuple[str, list[Token]]] = {}
        self.base = self._base(round)
        self.section = Frame()
        self.frame = self.base
        self.lead = self.base  # what a list's items, and what comes behind the list, start from
        self.mind = self.base  # what is in mind before the sentence that is read next
        self.in_list = False
        self.listed: dict[str, str] | None = (
            None  # the benchmark of all items of a list so far; empty where they differ
        )
        self.intro = True  # no section has begun yet
        self.drafts: list[Draft] = []

    def read(self) -> list[Draft]:
        """Every claim of the post, repetitions too."""
        length = 0
        for number, block in enumerate(self.article.blocks):
            length += len(block.text) + sum(len(cell.text) for row in block.rows for cell in row)
            if len(self.drafts) > MAX_DRAFTS or length > MAX_TEXT:
                break
            if block.kind == "heading":
                self.heading(number, block)
            elif block.kind == "grid":
                self.grid(number, block)
            elif block.kind == "item":
                self.item(number, block)
            else:
                self.paragraph(number, block)
        pair_values(self.drafts)
        scale_as_told(self.drafts)
        compare_with_own_past(self.drafts)
        add_notes(self.drafts, self.article.notes, self.words)
        call_by_submitter(self.drafts)
        name_entries(self.drafts, self.article)
        return [d for d in self.drafts if d.claim.kind != RANKED or d.claim.subject_system is not None]

    def _tokens(self, block: Block) -> list[Token]:
        return self._read(block.text)[1]

    def _read(self, text: str) -> tuple[str, list[Token]]:
        """(normalised text, tokens) of a block, made once."""
        found = self.known.get(text)
        if found is None:
            plain = normalise(text)
            found = self.known[text] = (plain, read_tokens(plain, self.words, european=self.european))
        return found

    def _mentions(self, block: Block, kind: str) -> list[Mention]:
        text, tokens = self._read(block.text)
        return [m for m in mentions_of(tokens, text, self.words) if m.kind == kind]

    # ------------------------------------------------------------------------------------------ what it is about

    def _base(self, round: str | None) -> Frame:
        """What the post is about: the given round, else the first that its text names; and whether it names MLPerf at all."""
        mlperf, found = round is not None, round
        suite: str | None = None
        for piece in self._pieces():
            tokens = self._read(piece)[1]
            suite = suite or named_suite(tokens)
            for token in tokens:
                named = token.names.get("round")
                if named is not None and (token.is_("mlperf") or self.words.is_round(named)):
                    mlperf, found = True, found or named
                mlperf = mlperf or token.is_("mlperf")
            if found is not None and mlperf:
                break
        if round is None and found is not None and "-" not in found and suite not in {None, "inference"}:
            found = f"{suite}-{found}"  # a post about "MLPerf Training" that goes on with "v5.1"
        named = suite if found is None and suite is not None else "inference"
        return Frame(mlperf=mlperf, round=found, named_suite=named)

    def _pieces(self) -> Iterator[str]:
        """The texts in which MLPerf or a round may be named, cheaply told."""
        for block in self.article.blocks[:400]:
            for piece in [block.text] if block.text else [c.text for row in block.rows[:3] for c in row]:
                folded = piece.casefold()
                if "mlperf" in folded or "mlcommons" in folded or texts.names_version(piece):
                    yield piece

    def heading(self, number: int, block: Block) -> None:
        """A heading sets what its section is about; what was in mind before it is put away, but for the title's.

        The heading's own figures count only where the body does not have them.
        """
        self.in_list = False
        if block.level > 1 and self.intro:
            self.intro = False
            self.base = self._after_intro(number)
        found, after = self.sentences(number, block, self.base)
        for draft in found:
            draft.heading = True
        other = goes_on_with_other(self._tokens(block), self.base)
        scenarios = tuple(dict.fromkeys(m.name for m in self._mentions(block, "scenario")))
        named = replace(after, scenarios=scenarios, other=other, fresh=False, unit=None, series=(), last=None)
        if block.level <= 1:
            self.base = replace(named, scenarios=(), baseline=None)
            self.section, self.frame = Frame(), self.base
        else:
            self.section = self._only_named(block, named)
            self.frame = replace(
                self.base.over(self.section),
                other=other,
                recent=self.frame.recent,
                heard=after.heard or self.frame.heard,
            )
        self.lead = self.frame

    def _after_intro(self, end: int) -> Frame:
        """The base with the benchmark that the paragraphs before the first section name, if it is one alone."""
        named: dict[str, dict[str, str]] = {}
        for block in self.article.blocks[:end]:
            for mention in self._mentions(block, "benchmark"):
                if mention.suites:
                    named[mention.name] = mention.suites
        alone = self.base.benchmark is None and len(named) == 1
        base = replace(self.base, benchmark=next(iter(named.values()))) if alone else self.base
        title, told = base.subject, self.frame.subject
        if title is None or told is None or told.rank > PRODUCT_RANK or told.accelerator is None:
            return base
        # The title's "B300 servers" are the server that the introduction names.
        return replace(base, subject=told) if told.accelerator == title.accelerator else base

    def _only_named(self, block: Block, named: Frame) -> Frame:
        """The section's frame: only what the heading itself names."""
        systems = bool(self._mentions(block, "system"))
        return replace(
            named,
            subject=named.subject if systems else None,
            baseline=named.baseline if systems else None,
            benchmark=named.benchmark if self._mentions(block, "benchmark") else None,
            round=named.round if self._mentions(block, "round") else None,
        )

    # ------------------------------------------------------------------------------------------ kinds of blocks

    def paragraph(self, number: int, block: Block) -> None:
        """A paragraph goes on from the one before; behind a list, from what led to the list."""
        start = self.lead if self.in_list else self.frame
        if self.in_list and start.benchmark is None and self.listed:
            start = replace(start, benchmark=self.listed)
        self.in_list = False
        series = start.series if _GOES_ON.match(block.text) else ()
        start = start.over(self.section, self.base.round, series)
        found, after = self.sentences(number, block, start)
        self.frame = replace(
            after,
            scenarios=self._led_scenarios(block) or self.section.scenarios,
            subject=in_server(block.text, self.section.subject, after.subject),
        )
        self.lead = self.frame
        if not found:
            self._look_back(number, block, after)

    def _led_scenarios(self, block: Block) -> tuple[str, ...]:
        """A caption, or a paragraph that ends in a colon, leads to what follows: its one scenario holds there."""
        if (whole := self._only_scenario(block)) is not None:
            self.section = replace(self.section, scenarios=(whole,))
            return (whole,)
        text = block.text.rstrip()
        title = len(text) < MAX_TITLE and text[-1:].isalnum()
        if not text.endswith(":") and not title and block.kind != "caption":
            return ()
        found = tuple(dict.fromkeys(m.name for m in self._mentions(block, "scenario")))
        return found if len(found) == 1 else ()

    def _only_scenario(self, block: Block) -> str | None:
        """As in "Only one scenario exists, SingleStream.", "All figures are Offline.": it holds for the section."""
        if words_of(block.text).isdisjoint(_WHOLE) or re.search(_ONLY_SCENARIO, block.text) is None:
            return None
        text, tokens = self._read(block.text)
        for sentence in sentences(text, tokens):
            named = {m.name for m in mentions_of(sentence, text, self.words) if m.kind == "scenario"}
            only = any(t.low in _WHOLE for t in sentence)
            if len(named) == 1 and only and not any(m.kind != BARE for m in raw_measures(sentence)):
                return next(iter(named))
        return None

    def item(self, number: int, block: Block) -> None:
        """The items of a list all start from what led to it; what the first compares with holds for those below."""
        if not self.in_list:
            self.in_list, self.lead, self.listed = True, self.frame, None
            said = self._unit_led(number) or self._unit_behind(number)
            if self.lead.unit is None and said is not None:
                self.lead = replace(self.lead, unit=said.unit, factor=said.factor)
        found, after = self.sentences(number, block, self.lead)
        self.listed = after.benchmark if self.listed in (None, after.benchmark) else {}
        self.lead = self.lead.with_recent(*after.recent)
        if self.lead.baseline is None and after.baseline is not None:
            same = after.subject in {None, self.lead.subject} or any(d.claim.baseline_system for d in found)
            self.lead = replace(self.lead, baseline=after.baseline) if same else self.lead

    def _unit_led(self, number: int) -> UnitSaid | None:
        """The unit that the line before a list names, times too: "One node with eight B200, minutes to train:"."""
        before = self.article.blocks[number - 1] if number else None
        if before is None or not before.text or not (before.text.endswith(":") or before.kind == "heading"):
            return None
        tokens = self._tokens(before)
        low = max((n + 1 for n, t in enumerate(tokens) if t.low in {".", "!", "?"}), default=0)
        return None if raw_measures(tokens[low:]) else unit_in(tokens[low:])

    def _unit_behind(self, number: int) -> UnitSaid | None:
        """The unit that the paragraph behind a list names, as in "(Llama 2 70B, tokens/s)", "Minutes to train on …"."""
        behind = next((b for b in self.article.blocks[number : number + 60] if b.kind != "item"), None)
        if behind is None or not behind.text or len(behind.text) > MAX_TAIL:
            return None
        tokens = self._tokens(behind)
        if raw_measures(tokens):
            return None
        said = unit_in(tokens[:MAX_UNIT_LED])
        return said if said is not None and said.unit in DURATIONS else unit_said(tokens)

    def grid(self, number: int, block: Block) -> None:
        """A table starts from the paragraph or caption that leads to it."""
        before = self.article.blocks[number - 1] if number else Block("")
        lead = before.text if before.kind in {"caption", "paragraph", "heading"} else ""
        around = Around(lead, self._tail(number), self.article.notes)
        table = TableReader(block.rows, around, self.frame, self.cells)
        drafts = table.drafts(number)
        columns = dict.fromkeys(name for draft in drafts for name in draft.claim.scenarios)
        shown = {(suite_of(d.claim.round), d.claim.benchmark) for d in drafts if d.claim.benchmark}
        alone = dict(shown) if len(shown) == 1 else None  # what stands behind a table is of its one benchmark
        self.frame = replace(self.frame, columns=tuple(columns), benchmark=self.frame.benchmark or alone)
        for draft in drafts:
            draft.order += self._order()
            self.drafts.append(draft)
            called = system_called(draft.claim, self.words)
            self.frame = self.frame.with_recent(*([called] if called else ()))
        for passage in table.passages():
            self.sentences(number, Block("paragraph", passage), self.frame)

    def _order(self) -> int:
        return len(self.drafts) * 1000

    def _tail(self, number: int) -> str:
        """A short text without figures right behind a table, its caption in all but name; of one with figures the bracket at its end that names a unit."""
        after = self.article.blocks[number + 1] if number + 1 < len(self.article.blocks) else None
        if after is None or after.kind not in {"caption", "paragraph"} or len(after.text) > MAX_TAIL:
            return ""
        if not any(m.kind != BARE for m in raw_measures(self._tokens(after))):
            return after.text
        closing = _CLOSING.search(after.text)
        return closing[1] if closing is not None and unit_in(self._read(closing[1])[1]) is not None else ""

    def _look_back(self, number: int, block: Block, after: Frame) -> None:
        """A paragraph without figures may name what the list or table before it shows, or say that nothing is verified."""
        said = words_of(block.text)
        if not said.isdisjoint(self.words.telling.unverified) and is_standing_note(self._tokens(block)):
            unverify(draft for draft in self.drafts if draft.block < number)
        blocks = self.article.blocks
        first = number
        while (
            first
            and blocks[first - 1].kind in {"item", "grid"}
            and (first == number or blocks[first - 1].kind == "item")
        ):
            first -= 1
        if first < number:
            name_after((draft for draft in self.drafts if first <= draft.block < number), after)

    # ------------------------------------------------------------------------------------------ sentences

    def sentences(self, number: int, block: Block, frame: Frame) -> tuple[list[Draft], Frame]:
        """(drafts, the frame after) of a block of text."""
        found: list[Draft] = []
        if not self.words.telling.tells(block.text, frame.called):
            return found, frame
        text = normalise(block.text)
        last: list[Draft] = []
        before = ""  # what the sentence before ended with
        self.mind = frame = self._named_at_end(block, text, frame)
        for tokens in self._told(text):
            if tokens is None:  # nothing that could be a figure or a name
                name_after(found, frame)
                last = []
                continue
            if len(tokens) == 1 and tokens[0].low in BULLETS and found:
                before = tokens[0].low  # one that begins a line
                continue
            reader = SentenceReader(tokens, text, frame, self.words)
            made = list(self._drafts(reader, number, block, len(found)))
            after = reader.after()
            if not made and disowns(tokens):
                found = [draft for draft in found if not any(draft is other for other in last)]
            elif not made:
                name_after(found, after)
                if found and any(t.is_("unverified") for t in tokens):
                    unverify(found if tokens[0].low == "results" else last)
            elif last and before in BULLETS:
                name_after(last, after)  # "… Offline • … Server (gpt-oss-120b)"
            found += made
            last = made if before not in BULLETS else [*last, *made]
            before = tokens[-1].low
            self.mind = frame = replace(after, other=goes_on_with_other(tokens, frame))
        self.drafts += found
        return found, frame

    def _told(self, text: str) -> Iterator[list[Token] | None]:
        """The sentences of a text; null for those that can say nothing (see `telling`), which are not read."""
        if len(text) > MAX_TOKENS:
            yield from sentences(text, self._read(text)[1])
            return
        for low, high in stretches(text):
            part = text[low:high]
            if self.words.telling.tells(part, self.mind.called) or sets_scenario(part):
                tokens = read_tokens(text, self.words, european=self.european, within=(low, high))
                yield from sentences(text, tokens)
            else:
                yield None

    def _named_at_end(self, block: Block, text: str, frame: Frame) -> Frame:
        """The frame with the benchmark and scenario of a last sentence that only says what all before it was: "This is Wan 2.2, …"."""
        if _LAST.search(text) is None:
            return frame
        told = list(sentences(text, self._tokens(block)))
        if len(told) < 2 or told[-1][0].low not in _ENDING or len(told[-1]) > MAX_NOTE:
            return frame
        named = mentions_of(told[-1], text, self.words)
        first = mentions_of(told[0], text, self.words)
        benchmarks = [m for m in named if m.kind == "benchmark" and m.suites]
        if len(benchmarks) != 1 or any(m.kind == "benchmark" for m in first) or raw_measures(told[-1]):
            return frame
        scenarios = tuple(dict.fromkeys(m.name for m in named if m.kind == "scenario"))
        return replace(
            frame,
            benchmark=benchmarks[0].suites,
            fresh=True,
            scenarios=scenarios if len(scenarios) == 1 else frame.scenarios,
        )

    def _drafts(self, reader: SentenceReader, number: int, block: Block, before: int) -> Iterator[Draft]:
        judgements = reader.claims()
        if not judgements:
            return
        said = reader.parsed.vocabulary
        start, end = reader.tokens[0].start, reader.tokens[-1].end
        quote, marks = plain_quote(block.text[start:end]), marks_of(block.text, start, end)
        place = f"{block.kind} {number + 1}"
        for judged, claims in judgements:
            part = reader.parts[judged.part]
            inside = reader.tokens[part.low : part.high]
            status = status_of(reader.tokens, judged.measure, reader.mentions, reader.frame, inside, said)
            for claim in claims:
                if status == PROJECTED and reader.who.of_the_future(judged) and not reader.names_benchmark():
                    continue
                if status is None or (status == NOT_MLPERF and not _is_comparison(claim)) or _is_empty(claim):
                    continue
                if status == PROJECTED and not before and not reader.names_benchmark():
                    claim = replace(claim, benchmark=None)  # noqa: PLW2901 - a look ahead speaks of no one test
                before += 1
                told = replace(claim, status=status, quote=quote, place=place)
                yield Draft(told, self._order() + before, number, marks, changed=reader.changes(judged))


def _is_empty(claim: Claim) -> bool:
    """A figure of nobody in nothing: "more than a million tokens a second is no longer rare"."""
    return claim.benchmark is None and claim.subject_system is None and not claim.scenarios


def _is_comparison(claim: Claim) -> bool:
    """Whether a claim of another benchmark says enough to be kept: a value of a system, or a comparison of two."""
    return claim.subject_system is not None and (claim.baseline_system is not None or claim.kind == ABSOLUTE)
