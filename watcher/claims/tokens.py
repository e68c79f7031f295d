"""A block's text as tokens: names, phrases, numbers, rounds and product words, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from watcher.claims.blocks import MARK_CLOSES, MARK_OPENS
from watcher.claims.lexicon import Lexicon
from watcher.claims.numbers import number_at
from watcher.claims.spellings import GLUE, PIECES, Meaning
from watcher.claims.vocabulary import words
from watcher.parse.entries import PRINTED, prints_one

if TYPE_CHECKING:
    from watcher.claims.lexicon import Node

NO_NAMES: Mapping[str, str] = {}
NO_TAGS: frozenset[str] = frozenset()
MAX_TOKENS = 4000  # of one block; the rest of a longer one is not read

_SAME_LENGTH = str.maketrans(
    {
        "\u202f": "\u00a0", "\u2009": "\u00a0", "\u2007": "\u00a0", "\u2008": " ", "\u2002": " ", "\u2003": " ", "\u2005": " ", "\u200a": " ", "\u3000": " ",
        "✕": "×", "✖": "×", "⨯": "×", "⨉": "×", "╳": "×", "∙": " ", "·": " ",
        "’": "'", "‘": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "−": "-", "®": " ", "™": " ", "©": " ", "*": " ", "†": " ", "‡": " ", "％": "%",
        "¹": " ", "²": " ", "³": " ", "⁴": " ", "⁵": " ", "⁶": " ", "⁷": " ", "⁸": " ", "⁹": " ", "⁰": " ",
    }
)  # fmt: skip
_NOTES = rf"{MARK_OPENS}[^{MARK_CLOSES}]{{0,40}}{MARK_CLOSES}|\[\d{{1,3}}(?:[,–-]\s?\d{{1,3}})*\]|\[note \d{{1,2}}\]|\[[a-e]\]|\^\d{{1,2}}(?!\d)"
_ROUND = re.compile(r"[vV](?:ersion\s)?\.?\s?(\d{1,2})\.(\d)(\d{0,2})(?![\d]|\.\d)")
_RAW = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*(?:[./-][A-Za-z0-9_]+)*")
_NO_PRODUCT = (
    r"(?![A-Z]\d{4}G\d)"  # "P5800G7": four digits and a generation are a server's
    r"(?:(?:FP|INT|BF|TF|UINT|MXFP|NVFP|HBM|GDDR|LPDDR|DDR|PCIe|USB|NVLink|NVL|CUDA|Gen|GEN|RHEL|CPU|GPU|K8|CO|Q|H|FY|P|L|CES|GTC|SC|RFC|SHA|MD|IP|UTF|AES|CVE|ISO|AVX|AMX|E\d*M|W\d*A)-?\d+\w{0,2}"
    r"|\d[\d.,]*(?:[kKMGTB]|GB|TB|MB|GHz|MHz|W|kW|MW|nm|x|X|s|ms|V|A|U|S|C|B|%|GbE|Gb|Gbps|PB|EB|TFLOPS|PFLOPS|th|st|nd|rd|Q\d\d)?"
    r"|v?\d+(?:\.\d+)+\w*|\d+[dDxX]\w{0,3}|I\d+n|[A-Z]\d|[A-Z]{1,2}\d)"
)
_CODE = (  # software that is written as a product's name would be: "FlashAttention-4"
    r"\w*(?:Attention|Kernel|Cache|Serve|Infer|Decode|Compiler|Scheduler|Bench)\w*(?:[-_.]\w+)*"
)
_MODEL = (
    r"(?i)(?:\w+[-_. ])*(?:Qwen|Llama|DeepSeek|GPT|Gemma|Mistral|Mixtral|Kimi|GLM|Phi|Nemotron|FLUX|Claude|Gemini|Grok|MiniMax|Falcon|OPT|BLOOM|Yi|StarCoder|SDXL|Sora|CLIP|ViT|EfficientNet|MobileNet)\w*(?:[-_.]\w+)*"
    r"|\w+(?:[-_]\w+)*[-_]\d+(?:\.\d+)?[bBmM](?:[-_]\w+)*"
)
_PROCESSOR = re.compile(
    r"(?:(Xeon|EPYC)(?:\s(?:6|Gold|Platinum|Silver|CPU))?\s)?((?!4320)[4-9]\d{3}(?:P-C|[PFHQNSYEC])?\+?)(?![\w,.]*\d|\w)"
)
_SHORT_MODEL = re.compile(r"[A-Z]{1,2}\d{1,3}[A-Za-z]?")  # behind a family's name: "ESC N8"
_BEGINNINGS = words("v version xeon epyc vs approx ca")  # told by what comes behind
_ABBREVIATED = words("vs approx ca")
_COUNTING = words("number_word multiplier")


class Token(Struct):
    """One token. ``names``: canonical names by kind. ``value`` and ``decimals`` of numbers (also of number words)."""

    start: int
    end: int
    low: str
    tags: frozenset[str] = NO_TAGS
    names: Mapping[str, str] = field(default_factory=lambda: NO_NAMES)
    value: float | None = None
    decimals: int = 0
    capital: bool = False  # no catalog name, written with a capital letter

    def is_(self, *tags: str) -> bool:
        """Whether the token carries one of ``tags``."""
        return not self.tags.isdisjoint(tags)


def said_in(tokens: Sequence[Token]) -> frozenset[str]:
    """The words of a sentence and the parts they play: what it has no word for need not be looked for at each figure."""
    return frozenset(t.low for t in tokens).union(*(t.tags for t in tokens))


def normalise(text: str) -> str:
    """The text with one sign for each idea and footnote marks blanked, every character still in its place."""
    text = text.translate(_SAME_LENGTH)
    if "[" in text or "^" in text or MARK_OPENS in text:
        text = re.sub(_NOTES, lambda found: " " * len(found[0]), text)
    return PRINTED.sub(lambda found: " " * len(found[0]), text) if prints_one(text) else text


def tokens_of(
    text: str, lexicon: Lexicon, *, european: bool = False, within: tuple[int, int] | None = None
) -> list[Token]:
    """The tokens of a normalised text, or of a part of it, one name or word each; rounds are joined by `split`."""
    return _Reader(text, lexicon, european=european, within=within or (0, len(text))).run()


class _Reader:
    """One pass over the pieces of a text."""

    def __init__(self, text: str, lexicon: Lexicon, *, european: bool, within: tuple[int, int]) -> None:
        self.text = text
        self.lexicon = lexicon
        self.root = lexicon.root
        self.european = european
        self.pieces, self.starts, self.ends, self.opens = _pieces(text, *within)

    def run(self) -> list[Token]:
        tokens: list[Token] = []
        place = 0
        family = False  # whether the token before is a family's name
        while place < len(self.pieces) and len(tokens) < MAX_TOKENS:
            plain = self.plain(place)
            token, place = (plain, place + 1) if plain is not None else self.next(place)
            if family and _SHORT_MODEL.fullmatch(name := self.text[token.start : token.end]):
                token = Token(token.start, token.end, token.low, words("product"), {"product": name})
            tokens.append(token)
            family = "family" in token.tags
        return tokens

    def next(self, place: int) -> tuple[Token, int]:
        """The token that begins at piece ``place`` and is no plain word, and the piece after it."""
        piece = self.pieces[place]
        start = self.starts[place]
        if not self.opens[place]:
            return self.rest(place)
        if piece in {"v", "version"} and (found := _ROUND.match(self.text, start)):
            return Token(
                start, found.end(), "round", words("round"), {"round": f"v{found[1]}.{found[2]}"}
            ), self.after(found.end(), place)
        after, meaning = self.spelling(place)
        end = self.ends[after - 1] if meaning else start
        product = self.processor(place) or self.product(place, end)
        if product is not None:
            return product, self.after(product.end, place)
        if piece.isdigit() or (piece == "." and self.text[start + 1 : start + 2].isdigit()):
            return self.number(place, after, meaning)
        if meaning is not None:
            token = self.named(place, after, meaning)
            return token, self.after(token.end, place)
        return self.rest(place)

    def plain(self, place: int) -> Token | None:
        """The token of a word that stands by itself and is no beginning of a longer name: most words are."""
        piece = self.pieces[place]
        if not (self.opens[place] and piece.isalpha()):
            return None
        node = self.root.get(piece)
        here = place + 1
        start, end = self.starts[place], self.ends[place]
        if here < len(self.pieces):
            following = self.pieces[here]
            if self.starts[here] == end and (following.isalnum() or (following in GLUE and self.glued(here))):
                return None
            if node is not None and following in node:
                return None
        if piece in _BEGINNINGS:
            return None
        if node is None or node.meaning is None:
            return Token(start, end, piece, NO_TAGS, NO_NAMES, capital=self.text[start].isupper())
        tags, names = node.meaning
        if not tags.isdisjoint(_COUNTING):
            return self.named(place, here, node.meaning)
        return Token(start, end, piece, tags, names, capital=not names and self.text[start].isupper())

    def named(self, place: int, after: int, meaning: Meaning) -> Token:
        start, end = self.starts[place], self.ends[after - 1]
        low = " ".join(self.text[start:end].casefold().split())
        if low in _ABBREVIATED and self.text[end : end + 1] == ".":
            end += 1
        token = Token(
            start,
            end,
            low,
            meaning.tags,
            meaning.names,
            capital=not meaning.names and self.text[start].isupper(),
        )
        if "number_word" in meaning.tags:
            token.value = float(
                self.lexicon.numbers.get(low, self.lexicon.numbers.get(low.replace(" ", "-"), 0.0))
            )
        elif "multiplier" in meaning.tags:
            token.value = float(self.lexicon.multipliers[re.sub(r"[\W_]", "", low)])
        return token

    def rest(self, place: int) -> tuple[Token, int]:
        """A word without a meaning here: the pieces that are written together."""
        after = place + 1
        if self.pieces[place].isalnum():
            while (
                after < len(self.pieces)
                and self.pieces[after].isalnum()
                and self.starts[after] == self.ends[after - 1]
                and not self.opens[after]
            ):
                after += 1
        start, end = self.starts[place], self.ends[after - 1]
        return Token(start, end, self.text[start:end].casefold(), capital=self.text[start].isupper()), after

    def number(self, place: int, after: int, meaning: Meaning | None) -> tuple[Token, int]:
        start = self.starts[place]
        number = number_at(self.text, start, european=self.european)
        if number is None and self.pieces[place] == ".":
            inner = number_at(self.text, start + 1)
            if inner is not None and self.text[start + 1 : inner.end].isdecimal():
                digits = self.text[start : inner.end]
                return Token(
                    start,
                    inner.end,
                    digits,
                    words("number"),
                    value=float(digits),
                    decimals=len(digits) - 1,
                ), self.after(inner.end, place)
        if meaning is not None and (
            number is None
            or self.ends[after - 1] > number.end
            or "number" not in _kind_of(self.text, number.end)
        ):
            return self.named(place, after, meaning), after
        if number is None:
            return self.rest(place)
        low = self.text[start : number.end].casefold()
        return Token(
            start, number.end, low, words("number"), value=number.value, decimals=number.decimals
        ), self.after(number.end, place)

    def after(self, end: int, place: int) -> int:
        """The first piece that begins at or after ``end``."""
        while place < len(self.pieces) and self.starts[place] < end:
            place += 1
        return place

    def spelling(self, place: int) -> tuple[int, Meaning | None]:
        """The longest spelling of the tree that begins here: (piece after it, meaning)."""
        node: Node = self.lexicon.root
        best: tuple[int, Meaning | None] = (place, None)
        here = place
        while here < len(self.pieces):
            piece = self.pieces[here]
            if here > place and not self.near(here):
                break
            following = node.get(piece)
            if following is None:
                if here > place and piece in GLUE and self.glued(here):
                    here += 1
                    continue
                noted = self.noted(node, here, place)
                return noted or best
            node = following
            here += 1
            if node.meaning is not None and self.word_ends(here):
                best = (here, node.meaning)
        return best

    def near(self, here: int) -> bool:
        """Whether a piece follows the one before at once or after one space."""
        gap = self.starts[here] - self.ends[here - 1]
        if (
            gap
            and self.pieces[here].isdigit()
            and self.pieces[here - 1].isalpha()
            and len(self.pieces[here - 1]) == 1
        ):
            return False  # "a 40 percent gain" is no A40
        return gap == 0 or (gap == 1 and self.text[self.ends[here - 1]] != "\n")

    def glued(self, here: int) -> bool:
        return (
            here + 1 < len(self.pieces)
            and self.starts[here] == self.ends[here - 1]
            and self.starts[here + 1] == self.ends[here]
        )

    def word_ends(self, here: int) -> bool:
        """Whether no letter or digit follows at once, but for the digits of a footnote after letters."""
        if (
            here >= len(self.pieces)
            or self.starts[here] > self.ends[here - 1]
            or not self.pieces[here].isalnum()
        ):
            return True
        if self.opens[here] or (
            self.pieces[here] == "x" and here + 1 < len(self.pieces) and self.pieces[here + 1].isdigit()
        ):
            return True  # "GB300x72": a count is joined to the name
        if self.pieces[here] == "s" and (
            here + 1 >= len(self.pieces)
            or self.starts[here + 1] > self.ends[here]
            or not self.pieces[here + 1].isalnum()
        ):
            return True  # a plural: "1,536 H100s"
        lone = (
            here + 1 >= len(self.pieces)
            or self.starts[here + 1] > self.ends[here]
            or not self.pieces[here + 1].isalnum()
        )
        return (
            lone
            and self.pieces[here].isdigit()
            and len(self.pieces[here]) <= 2
            and self.pieces[here - 1].isalpha()
            and len(self.pieces[here - 1]) > 1
        )

    def noted(self, node: Node, here: int, place: int) -> tuple[int, Meaning | None] | None:
        """A name that ends in digits, with those of a footnote glued to them ("NVL721")."""
        piece = self.pieces[here]
        if here == place or not piece.isdigit() or len(piece) < 3 or self.starts[here] != self.ends[here - 1]:
            return None
        for cut in (1, 2):
            child = node.get(piece[:-cut])
            if child is not None and child.meaning is not None and self.word_ends(here + 1):
                return here + 1, child.meaning
        return None

    def product(self, place: int, named_end: int) -> Token | None:
        """A product's name that the catalog does not hold: capitals and digits in one word ("G894-ZD3-AAX7")."""
        found = _RAW.match(self.text, self.starts[place])
        if found is None or found.end() - found.start() > 60:
            return None
        word = found[0]
        if (
            found.end() <= named_end
            or (
                found.end() == named_end + 1 and word[-1] == "s" and named_end > found.start()
            )  # "2,496 GB200s"
            or not any(sign.isdigit() for sign in word)
            or not any(sign.isupper() for sign in word)
        ):
            return None
        if re.fullmatch(_CODE, word):
            return Token(found.start(), found.end(), word.casefold(), words("component"))
        if re.fullmatch(_MODEL, word):
            return Token(found.start(), found.end(), word.casefold(), words("model"))
        if (
            len(word) < 4
            or re.fullmatch(r"[A-Z]*[a-z]{2,}\d{1,2}", word)
            or re.fullmatch(_NO_PRODUCT, word)
            or self.made_of_names(word)
        ):
            return None
        if word[0].isdigit() and (not re.search(r"[A-Z]{2}", word) or re.fullmatch(r"\d+-[A-Za-z]+", word)):
            return None
        return Token(found.start(), found.end(), word.casefold(), words("product"), {"product": word})

    def processor(self, place: int) -> Token | None:
        """A processor's number: "Xeon 6787P", "EPYC 9575F", or "6980P" alone."""
        start = self.starts[place]
        found = _PROCESSOR.match(self.text, start)
        if found is None or (found[1] is None and not found[2][-1:].isalpha()):
            return None
        name = f"{found[1] or ''} {found[2]}".strip()
        return Token(start, found.end(), name.casefold(), words("processor"), {"processor": name})

    def made_of_names(self, word: str) -> bool:
        """Whether the word is a name with something joined to it ("MI355X-based", "8xB200-SXM-180GB", "tokens/s/GPU")."""
        parts = re.split(r"[/_-]", word)
        if len(parts) < 2 and not re.match(r"\d+[xX][A-Z]|[A-Z].*[a-z0-9A-Z]x\d+$", word):
            return bool(re.match(r"\d", word)) and not re.search(r"[A-Z]\w*\d", word)
        known = 0
        for part in parts:
            text = re.sub(r"^\d+[xX](?=[A-Za-z])|[xX]\d+$", "", part)
            node: Node | None = self.lexicon.root
            for piece in PIECES.findall(text):
                node = node.get(piece.casefold()) if node is not None else None
            if node is not None and node.meaning is not None and node.meaning.names:
                known += 1
            elif not (part.isalpha() and part.islower()) and not re.fullmatch(
                r"SXM\d?|PCIe|PCIE|NVL|\d+GB|\d+[xX]?|x\d+|NVL\d+|aarch64\w*|TRT|HBM\w+", part
            ):
                return False
        return known > 0


def _kind_of(text: str, end: int) -> str:
    """What follows a number decides whether "3 D" is a name or a number; glued letters make it a name."""
    return "name" if end < len(text) and text[end].isalpha() and text[end] not in "xXkKM" else "number"


def _pieces(text: str, low: int, high: int) -> tuple[list[str], list[int], list[int], list[bool]]:
    """Pieces of the part of a text from ``low`` to ``high`` with their starts and ends, and whether a name may open there."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    opens: list[bool] = []
    last = -1
    for found in PIECES.finditer(text, low, high):
        word = found[0]
        start, end = found.span()
        if start != last:  # most pieces stand by themselves
            pieces.append(word.casefold() if word.isalpha() else word)
            starts.append(start)
            ends.append(end)
            opens.append(True)
            last = end
            continue
        last = end
        after_digits = pieces[-1].isdigit()
        if (
            after_digits
            and word[0] in "xX"
            and len(word) > 1
            and (word[1].isupper() or text[end : end + 1].isdigit())
        ):
            for part, begin in ((word[0], start), (word[1:], start + 1)):
                pieces.append(part.casefold())
                starts.append(begin)
                ends.append(begin + len(part))
                opens.append(begin != start)
            continue
        glued = pieces[-1].isalnum() and word[0].isalnum()
        pieces.append(word.casefold() if word.isalpha() else word)
        starts.append(start)
        ends.append(end)
        opens.append(not glued or _unit_follows(pieces, text, start))
    return pieces, starts, ends, opens


def _unit_follows(pieces: list[str], text: str, start: int) -> bool:
    """Letters glued to digits are looked up by themselves: 21.4s, 11min, 3fold; digits glued to letters are not."""
    return (
        text[start].isalpha()
        and pieces[-2][-1:].isdigit()
        and (len(pieces) < 3 or not pieces[-3].isalpha() or pieces[-3] in {"k", "m"})
    )
