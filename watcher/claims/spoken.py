"""Systems as their sentence calls them: "VR200" where the catalog's title is Vera Rubin, "TPU v6e" for Trillium."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from watcher.claims.blocks import Block
from watcher.claims.lexicon import Lexicon
from watcher.domain import Claim

MAX_QUOTED = 40  # letters of a quote that it is found by in its block
MIN_ALIAS = 4  # letters and digits; a shorter name may stand in a word by chance


def as_spoken(claim: Claim, lexicon: Lexicon, blocks: Sequence[Block]) -> Claim:
    """The claim with its systems called as its quote calls them, where that is not how the catalog does.

    ``blocks``: the article's. What leads to the quote in its own block calls them where the quote has only "they" and
    "it"; a generation that the block never adds to a name ("RTX PRO 6000") is left out.
    """
    own = _block_of(claim, blocks)
    before = own[: max(0, own.find(claim.quote[:MAX_QUOTED]))]
    subject, baseline = (
        _plain(_spoken(name, claim.quote, before, lexicon), own, lexicon)
        for name in (claim.subject_system, claim.baseline_system)
    )
    if (subject, baseline) == (claim.subject_system, claim.baseline_system):
        return claim
    return replace(claim, subject_system=subject, baseline_system=baseline)


def _block_of(claim: Claim, blocks: Sequence[Block]) -> str:
    """The text of the block that a claim stands in, of a table all of its cells."""
    kind, _, number = claim.place.partition(" ")
    place = int(number) - 1 if number.isdecimal() else -1
    if not 0 <= place < len(blocks) or blocks[place].kind != kind:
        return ""
    return blocks[place].text or " | ".join(cell.text for row in blocks[place].rows for cell in row)


def _spoken(name: str | None, quote: str, before: str, lexicon: Lexicon) -> str | None:
    """The alias that the quote has of a title that it has not; the title elsewhere."""
    if name is None:
        return None
    count, sign, bare = name.rpartition("x ")
    aliases = lexicon.aliases.get(bare if count.isdigit() else name)
    if aliases is None:
        return name
    for said in map(_letters, (quote, before)):
        if _letters(bare) in said:
            return name
        written = next((a for a in aliases if _is_other(a, bare) and _letters(a) in said), None)
        if written is not None:
            return f"{count}{sign}{written}" if count.isdigit() else written
    return name


def _plain(name: str | None, own: str, lexicon: Lexicon) -> str | None:
    """A name without the generation that only the catalog gives it; ``own``: the text that it stands in."""
    count, sign, bare = (name or "").rpartition("x ")
    title = bare if count.isdigit() else name or ""
    short = lexicon.plain.get(title)
    if short is None or _letters(title) in _letters(own):
        return name
    return f"{count}{sign}{short}" if count.isdigit() else short


def _is_other(alias: str, title: str) -> bool:
    """Whether an alias is another name, and not the title cut short or drawn out."""
    one, other = _letters(alias), _letters(title)
    return len(one) >= MIN_ALIAS and one not in other and other not in one


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())
