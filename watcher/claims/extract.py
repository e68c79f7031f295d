"""A post into claims: block by block, with what a reader keeps in mind between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from watcher.claims import text as texts
from watcher.claims.blocks import MARK_CLOSES, MARK_OPENS, Article, Block
from watcher.claims.frame import Draft, Frame, SystemName, suite_of
from watcher.claims.lexicon import Lexicon, lexicon
from watcher.claims.measures import BARE, raw_measures
from watcher.claims.mentions import mentions_of
from watcher.claims.merge import merged
from watcher.claims.numbers import is_european
from watcher.claims.quotients import paired
from watcher.claims.sentence import SentenceReader
from watcher.claims.split import read_tokens, sentences
from watcher.claims.status import NOT_MLPERF, UNVERIFIED, says_mlperf, status_of
from watcher.claims.tables import read_table
from watcher.claims.tokens import Token, normalise
from watcher.domain import Claim

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

_MARKS = re.compile(
    rf"{MARK_OPENS}([^{MARK_CLOSES}]{{1,12}}){MARK_CLOSES}|\[(\d{{1,3}}|[a-e])\]|(?<=[\w%.)])(\*{{1,3}}|[†‡]|[¹²³⁴⁵⁶⁷⁸⁹]+)"
)
_SUPERSCRIPTS = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹⁰", "1234567890")
_MAX_DRAFTS = 2000
_NO_QUOTE = re.compile(rf"{MARK_OPENS}[^{MARK_CLOSES}]*{MARK_CLOSES}")


def extract(text: str, *, catalog: Catalog, round: str | None = None) -> tuple[Claim, ...]:
    """The claims of a post, given as text or HTML.

    ``round``: what the post is about ("v6.1", "training-v6.0"), used where the text names none. Claims about other
    benchmarks are kept with status not_mlperf. Never raises on any text; what lies beyond the limits of `text` is
    not read.
    """
    article = texts.read(text)
    reader = _PostReader(article, lexicon(catalog), round)
    return tuple(merged(reader.read()))


@dataclass(slots=True)
class _Sentence:
    tokens: list[Token]
    start: int
    end: int


class _PostReader:
    """The state of reading one post."""

    def __init__(self, article: Article, words: Lexicon, round: str | None) -> None:
        self.article = article
        self.words = words
        self.european = is_european("\n".join(b.text for b in article.blocks[:200])[:100_000])
        self.base = self._base(round)
        self.section = self.base
        self.frame = self.base
        self.lead = self.base  # what a list's or table's items start from
        self.in_list = False
        self.intro = True  # no section has begun yet
        self.drafts: list[Draft] = []

    def _base(self, round: str | None) -> Frame:
        """What the post is about: the given round, else the first that its text names with MLPerf."""
        mlperf = round is not None
        found = round
        for block in self.article.blocks[:400]:
            if found is not None and mlperf:
                break
            texts_of = [block.text] if block.text else [c.text for row in block.rows[:3] for c in row]
            for piece in texts_of:
                if (
                    "erf" not in piece
                    and "commons" not in piece.casefold()
                    and not re.search(r"v\d\.\d", piece)
                ):
                    continue
                for token in read_tokens(normalise(piece), self.words):
                    if "round" in token.names and (
                        token.is_("mlperf") or self.words.is_round(token.names["round"])
                    ):
                        mlperf, found = True, found or token.names["round"]
                    mlperf = mlperf or token.is_("mlperf")
        return Frame(mlperf=mlperf, round=found)

    def read(self) -> list[Draft]:
        blocks = self.article.blocks
        for number, block in enumerate(blocks):
            if len(self.drafts) > _MAX_DRAFTS:
                break
            if block.kind == "heading":
                self.heading(number, block)
            elif block.kind == "grid":
                self.grid(number, block)
            else:
                self.prose(number, block)
        self._settle()
        return self.drafts

    # ------------------------------------------------------------------------------------------ kinds of blocks

    def heading(self, number: int, block: Block) -> None:
        """A heading sets what its section is about, and what was in mind before it is put away but for the title's.

        The heading's own figures count only where the body does not have them.
        """
        self.in_list = False
        if block.level > 1 and self.intro:
            self.base = self._after_intro()
            self.intro = False
        _, after = self.sentences(number, block, self.base, heading=True)
        other = self._is_other(block, self.base)
        named = replace(
            after,
            scenarios=self._heading_scenarios(block),
            other=other,
            fresh=False,
            unit=None,
            series=(),
            last=None,
        )
        if block.level <= 1:
            self.base = replace(named, scenarios=(), baseline=None)
            self.section = Frame(mlperf=named.mlperf, round=named.round, other=other)
            self.frame = self.base
        else:
            self.section = self._only_named(block, named)
            self.frame = replace(self.base.over(self.section), other=other, recent=self.frame.recent)
        self.lead = self.frame

    def _after_intro(self) -> Frame:
        """The base with the one benchmark that the paragraphs before the first section name, if it is one."""
        named: dict[str, dict[str, str]] = {}
        for block in self.article.blocks:
            if block.kind == "heading" and block.level > 1:
                break
            text = normalise(block.text)
            for mention in mentions_of(read_tokens(text, self.words), text, self.words):
                if mention.kind == "benchmark" and mention.suites:
                    named[mention.name] = mention.suites
        if self.base.benchmark is None and len(named) == 1:
            return replace(self.base, benchmark=next(iter(named.values())))
        return self.base

    def _only_named(self, block: Block, named: Frame) -> Frame:
        """The section's frame: only what the heading itself names."""
        tokens = read_tokens(normalise(block.text), self.words)
        mentions = mentions_of(tokens, block.text, self.words)
        kinds = {m.kind for m in mentions}
        return replace(
            named,
            subject=named.subject if "system" in kinds else None,
            baseline=named.baseline if "system" in kinds else None,
            benchmark=named.benchmark if "benchmark" in kinds else None,
            round=named.round if "round" in kinds else None,
            fresh=False,
        )

    def _heading_scenarios(self, block: Block) -> tuple[str, ...]:
        tokens = read_tokens(normalise(block.text), self.words)
        return tuple(
            dict.fromkeys(
                m.name for m in mentions_of(tokens, normalise(block.text), self.words) if m.kind == "scenario"
            )
        )

    def _is_other(self, block: Block, frame: Frame) -> bool:
        tokens = read_tokens(normalise(block.text), self.words)
        if any(t.is_("other_benchmark") for t in tokens):
            return not says_mlperf(tokens)
        return frame.other if block.level > 1 and not says_mlperf(tokens) else False

    def prose(self, number: int, block: Block) -> None:
        """A paragraph goes on from the one before; items of a list all start from what led to the list."""
        if block.kind == "item":
            if not self.in_list:
                self.in_list, self.lead = True, self.frame
            start = self.lead
        else:
            start = self.frame if self.in_list is False else self.lead
            self.in_list = False
            start = start.over(self.section)
        found, after = self.sentences(number, block, start)
        if block.kind == "item" and self.lead.baseline is None and after.baseline is not None:
            self.lead = (
                replace(self.lead, baseline=after.baseline)
                if after.subject in {None, self.lead.subject} or _only_baseline(found)
                else self.lead
            )
        if block.kind == "item":
            self.lead = self.lead.with_recent(*after.recent)
        if block.kind != "item":
            self.frame = replace(after, scenarios=self._lead_scenarios(block) or self.section.scenarios)
            self.lead = self.frame
        self._look_back(number, block, found, after)

    def _lead_scenarios(self, block: Block) -> tuple[str, ...]:
        """A paragraph that ends in a colon leads to what follows: its one scenario holds there."""
        if not block.text.rstrip().endswith(":") and block.kind != "caption":
            return ()
        found = self._heading_scenarios(block)
        return found if len(found) == 1 else ()

    def grid(self, number: int, block: Block) -> None:
        """A table starts from the paragraph or caption that leads to it."""
        lead = self._lead_text(number)
        drafts = read_table(
            block.rows,
            lead,
            self._tail_text(number),
            self.frame,
            self.words,
            self.article.notes,
            number,
            european=self.european,
        )
        for draft in drafts:
            draft.order += len(self.drafts) * 1000
            self.drafts.append(draft)
        names = dict.fromkeys(_system_of(d.claim, self.words) for d in drafts)
        self.frame = self.frame.with_recent(*(name for name in names if name is not None))

    def _lead_text(self, number: int) -> str:
        before = self.article.blocks[number - 1] if number else None
        return (
            before.text if before is not None and before.kind in {"caption", "paragraph", "heading"} else ""
        )

    def _tail_text(self, number: int) -> str:
        """A short text without figures right behind a table: its caption in all but name."""
        after = self.article.blocks[number + 1] if number + 1 < len(self.article.blocks) else None
        if after is None or after.kind not in {"caption", "paragraph"} or len(after.text) > 300:
            return ""
        tokens = read_tokens(normalise(after.text), self.words)
        return "" if any(m.kind != BARE for m in raw_measures(tokens)) else after.text

    # ------------------------------------------------------------------------------------------ sentences

    def sentences(
        self, number: int, block: Block, frame: Frame, *, heading: bool = False
    ) -> tuple[list[Draft], Frame]:
        """(drafts, the frame after) of a block of text."""
        text = normalise(block.text)
        found: list[Draft] = []
        last: list[Draft] = []
        for sentence in self._split(text):
            reader = SentenceReader(sentence.tokens, text, frame, self.words)
            made = list(self._drafts(reader, sentence, number, block, frame))
            for draft in made:
                draft.heading = heading
            if not made and found:
                _name_after(found, reader.after())
            if not made and any(t.is_("unverified") for t in sentence.tokens):
                _unverify(
                    found if sentence.tokens[0].low in {"result", "results", "unverified"} else last,
                    sentence.tokens,
                )
            found += made
            last = made
            frame = replace(reader.after(), other=self._goes_on(sentence.tokens, frame))
        self.drafts += found
        return found, frame

    def _split(self, text: str) -> Iterator[_Sentence]:
        tokens = read_tokens(text, self.words, european=self.european)
        for part in sentences(text, tokens):
            yield _Sentence(part, part[0].start, part[-1].end)

    def _goes_on(self, tokens: Sequence[Token], frame: Frame) -> bool:
        if any(t.is_("other_benchmark") for t in tokens):
            return not says_mlperf(tokens)
        return frame.other and not says_mlperf(tokens)

    def _drafts(
        self, reader: SentenceReader, sentence: _Sentence, number: int, block: Block, frame: Frame
    ) -> Iterator[Draft]:
        claims = reader.claims()
        if not claims:
            return
        quote = _quote(block.text[sentence.start : sentence.end])
        measures = {id(j.measure): j for j in reader.judged}
        del measures
        place = 0
        for judged, made in _by_figure(reader, claims):
            status = status_of(reader.tokens, judged.measure, reader.mentions, frame)
            marks = _marks(block.text[sentence.start : sentence.end])
            for claim in made:
                place += 1
                if status is None or (status == NOT_MLPERF and not _worth_keeping(claim)) or _is_empty(claim):
                    continue
                where = f"{block.kind} {number + 1}"
                yield Draft(
                    replace(claim, status=status, quote=quote, place=where),
                    len(self.drafts) * 1000 + number * 10 + place,
                    number,
                    marks,
                )

    # ------------------------------------------------------------------------------------------ after the fact

    def _look_back(self, number: int, block: Block, found: list[Draft], after: Frame) -> None:
        """A paragraph without figures behind a list or table may name its systems, or say that nothing is verified."""
        if found or block.kind == "item":
            return
        text = normalise(block.text)
        tokens = read_tokens(text, self.words)
        if any(t.is_("unverified") for t in tokens):
            self._mark_unverified(number, text, tokens)
        before = self.article.blocks[number - 1] if number else None
        if before is None or before.kind not in {"item", "grid"}:
            return
        first = number - 1
        while first and self.article.blocks[first - 1].kind == before.kind == "item":
            first -= 1
        for draft in self.drafts:
            if first <= draft.block < number:
                draft.claim = named_after(draft.claim, after)

    def _mark_unverified(self, number: int, text: str, tokens: Sequence[Token]) -> None:
        """A note of its own speaks of the whole post; a sentence in running text of the claims just before it."""
        standing_note = (
            len(tokens) < 40
            and (tokens[0].is_("unverified") or any(t.low in {"result", "results"} for t in tokens[:4]))
            and not re.search(r"\bdeadline\b", text)
        )
        if not standing_note:
            return
        for draft in self.drafts:
            if draft.claim.status == "measured" and draft.block < number:
                draft.claim = replace(draft.claim, status=UNVERIFIED)

    def _settle(self) -> None:
        """Add what the footnotes of a claim say, and the two values that a ratio was made of, where the claim does not."""
        self._pair()
        for draft in self.drafts:
            notes = [self.article.notes[mark] for mark in draft.marks if mark in self.article.notes]
            for note in notes:
                draft.claim = self._with_note(draft.claim, note)

    def _pair(self) -> None:
        """Give a comparison without a baseline the systems of the post's two values that it is the quotient of."""
        values = [d.claim for d in self.drafts if d.claim.kind == "absolute" and d.claim.status == "measured"]
        for draft in self.drafts:
            claim = draft.claim
            if (
                claim.kind not in {"ratio", "percent_gain"}
                or claim.baseline_system is not None
                or claim.benchmark is None
            ):
                continue
            alike = [
                v
                for v in values
                if v.benchmark == claim.benchmark
                and (set(v.scenarios) == set(claim.scenarios) or not claim.scenarios)
            ]
            draft.claim = paired(claim, alike)

    def _with_note(self, claim: Claim, note: str) -> Claim:
        text = normalise(note)
        tokens = read_tokens(text, self.words)
        mentions = mentions_of(tokens, text, self.words)
        scenarios = tuple(dict.fromkeys(m.name for m in mentions if m.kind == "scenario"))
        if not claim.scenarios and scenarios:
            claim = replace(claim, scenarios=scenarios)
        if any(t.is_("unverified") for t in tokens) and claim.status == "measured":
            claim = replace(claim, status=UNVERIFIED)
        words = {t.low for t in tokens}
        if claim.division is None:
            claim = replace(claim, division=next((d for d in ("closed", "open") if d in words), None))
        return claim


def _by_figure(reader: SentenceReader, claims: list[Claim]) -> Iterator[tuple[object, list[Claim]]]:
    """Claims grouped by the figure that they come from."""
    place = 0
    for judged in reader.judged:
        size = len(reader.what.benchmarks(judged, "inference"))  # noqa: SLF001
        yield judged, claims[place : place + size]
        place += size


def _name_after(drafts: Sequence[Draft], after: Frame) -> None:
    """A sentence without figures behind them may name what they are figures of: "(8x MI355X, gpt-oss-120b)"."""
    for draft in drafts:
        draft.claim = named_after(draft.claim, after)


def named_after(claim: Claim, after: Frame) -> Claim:
    """The claim with the benchmark and systems that only come behind it."""
    found: dict[str, object] = {}
    if claim.benchmark is None and after.benchmark and claim.kind != "rank_or_first":
        suite = suite_of(claim.round)
        found["benchmark"] = after.benchmark.get(suite) or next(iter(after.benchmark.values()))
    if claim.subject_system is None and after.subject is not None:
        found |= {
            "subject_system": after.subject.name,
            "accelerator_count": after.subject.count,
            "submitter": claim.submitter or after.subject.submitter,
        }
        if claim.kind in {"ratio", "percent_gain"} and claim.baseline_system is None:
            if claim.baseline_round is not None:
                found["baseline_system"] = after.subject.name
            elif after.baseline is not None:
                found["baseline_system"] = after.baseline.name
    return replace(claim, **found) if found else claim  # type: ignore[arg-type]


def _unverify(drafts: Sequence[Draft], tokens: Sequence[Token]) -> None:
    """A sentence behind figures that says they are not verified."""
    del tokens
    for draft in drafts:
        if draft.claim.status == "measured":
            draft.claim = replace(draft.claim, status=UNVERIFIED)


def _system_of(claim: Claim, words: Lexicon) -> SystemName | None:
    """The system of a table's value, to be kept in mind."""
    if claim.subject_system is None:
        return None
    name = claim.subject_system
    bare = (
        name.partition("x ")[2]
        if claim.accelerator_count and name.startswith(f"{claim.accelerator_count}x ")
        else name
    )
    accelerator = words.catalog.accelerator(bare)
    system = words.catalog.find("system", bare)
    if accelerator is None and system is not None:
        accelerator = words.catalog.entry("system", system).accelerator
    return SystemName(
        name=name,
        submitter=claim.submitter,
        count=claim.accelerator_count,
        accelerator=accelerator,
        rank=2 if system is None else 0,
    )


def _only_baseline(drafts: Sequence[Draft]) -> bool:
    """Whether an item's comparison took its subject from before and only named what it compares with."""
    return any(d.claim.baseline_system for d in drafts)


def _is_empty(claim: Claim) -> bool:
    """A figure of nobody in nothing: "more than a million tokens a second is no longer rare"."""
    return claim.benchmark is None and claim.subject_system is None and not claim.scenarios


def _worth_keeping(claim: Claim) -> bool:
    return claim.subject_system is not None and (
        claim.baseline_system is not None or claim.kind == "absolute"
    )


def _marks(raw: str) -> tuple[str, ...]:
    found = []
    for match in _MARKS.finditer(raw):
        text = next(group for group in match.groups() if group)
        found += [mark.strip().translate(_SUPERSCRIPTS) for mark in re.split(r"[,;]", text)]
    return tuple(dict.fromkeys(found))


def _quote(raw: str) -> str:
    return " ".join(_NO_QUOTE.sub("", raw).split())
