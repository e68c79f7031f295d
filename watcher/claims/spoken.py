"""Systems as their sentence calls them: "VR200" where the catalog's title is Vera Rubin, "TPU v6e" for Trillium."""

from __future__ import annotations

from msgspec.structs import replace

from watcher.claims.lexicon import Lexicon
from watcher.domain import Claim

MIN_ALIAS = 4  # letters and digits; a shorter name may stand in a word by chance


def as_spoken(claim: Claim, lexicon: Lexicon, before: str = "") -> Claim:
    """The claim with its systems called as its quote calls them, where that is not how the catalog does.

    ``before``: what leads to the quote, which calls them where the quote has only "they" and "it".
    """
    subject = _spoken(claim.subject_system, claim.quote, before, lexicon)
    baseline = _spoken(claim.baseline_system, claim.quote, before, lexicon)
    if (subject, baseline) == (claim.subject_system, claim.baseline_system):
        return claim
    return replace(claim, subject_system=subject, baseline_system=baseline)


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


def _is_other(alias: str, title: str) -> bool:
    """Whether an alias is another name, and not the title cut short or drawn out."""
    one, other = _letters(alias), _letters(title)
    return len(one) >= MIN_ALIAS and one not in other and other not in one


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())
