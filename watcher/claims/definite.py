"""Systems that are called by what kind of thing they are: "the rack", "the newer card", "the latter"."""

from __future__ import annotations

from collections.abc import Sequence

from watcher.claims.frame import SystemName
from watcher.claims.kinds import KINDS
from watcher.claims.lexicon import Lexicon
from watcher.claims.mentions import Mention, is_scenario
from watcher.claims.roles import SYSTEM_KINDS, role_of
from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

PRODUCT_RANK = 1
_ARTICLES = words("the this that our its these those")
_NEWER = words("new newer newest younger latest")
_OLDER = words("old older former previous")
_PAIRED = {"former": -2, "latter": -1, "first": -2, "second": -1}
_STANDING_ALONE = words(
    "is was has had gives gave gets got makes made does did reaches reached scores scored . , ; )"
)
_PLAIN = words(
    "big bigger large larger small smaller single same whole entire full faster current preview little"
)


def kind_behind(tokens: Sequence[Token], place: int, name: str) -> str | None:
    """What kind of thing a system's name is followed by, or is by itself."""
    for token in tokens[place + 1 : place + 3]:
        kind = KINDS.get(token.low) or KINDS.get(token.low.removesuffix("s"))
        if kind is not None:
            return kind
        if not token.names and not token.is_("series"):
            break
    if [t.low for t in tokens[max(0, place - 3) : place]][:2] == ["rack", "of"]:
        return "rack"
    if "NVL72" in name:
        return "rack"
    return "server" if name.startswith("DGX") else None


def definite_names(
    tokens: Sequence[Token],
    text: str,
    mentions: Sequence[Mention],
    recent: Sequence[SystemName],
    lexicon: Lexicon,
) -> list[Mention]:
    """The systems that a sentence calls by their kind, of those that came before, in it or in earlier ones."""
    found: list[Mention] = []
    here_named = [m for m in mentions if m.kind == "system"]
    for place, token in enumerate(tokens):
        if token.low not in _ARTICLES:
            continue
        pick = _PAIRED.get(tokens[place + 1].low) if place + 1 < len(tokens) else None
        if pick is not None and not _has_noun(tokens, place + 2):
            own = [_system(m) for m in here_named if m.place < place]
            both = [*(s for s in recent if s.name not in {o.name for o in own}), *own]
            if len(both) > 1:
                found.append(_mention(both[pick], place + 1, role_of(tokens, place + 1)))
            continue
        here, adjectives = place + 1, set()
        while here < len(tokens) and tokens[here].low in _NEWER | _OLDER | _PLAIN and here - place < 4:
            adjectives.add(tokens[here].low)
            here += 1
        elliptic = bool(adjectives & (_NEWER | _OLDER)) and _is_elliptic(tokens, here)
        if not elliptic and (here >= len(tokens) or not _is_bare_noun(tokens, here, text)):
            continue
        here = min(here, len(tokens) - 1)
        kind = "" if elliptic else KINDS.get(tokens[here].low)
        if kind is None or any(m.place == here for m in here_named):
            continue
        own = [_system(m) for m in here_named if m.place < here]
        before = [s for s in recent if s.name not in {o.name for o in own}]
        system = _chosen(kind, adjectives, [*before, *own], lexicon)
        if system is not None:
            role = role_of(tokens, here)
            found.append(_mention(system, here, role))
    return found


def _mention(system: SystemName, place: int, role: str) -> Mention:
    return Mention("system", system.name, place, role, system.rank, system.count, None, system.accelerator)


def _has_noun(tokens: Sequence[Token], place: int) -> bool:
    """Whether "the former" goes on with what it is said of: "the former round", "the former GPU champion"."""
    if place >= len(tokens):
        return False
    token = tokens[place]
    if tokens[place - 1].low in {"first", "second"}:
        return token.low not in _STANDING_ALONE
    return (
        bool(token.names)
        or token.is_("machine", "result_noun", "counts")
        or token.low in {"round", "generation", "champion"}
    )


def _is_elliptic(tokens: Sequence[Token], place: int) -> bool:
    """Whether an adjective stands for its noun ("as fast as the old.", "the newer one")."""
    return place >= len(tokens) or tokens[place].low in {"one", "ones", ".", ",", ";", ":", ")", "is", "by"}


def _is_bare_noun(tokens: Sequence[Token], place: int, text: str) -> bool:
    """Whether no name belongs to the noun ("the rack of Azure", "the GB300 rack"), and it is no scenario."""
    token = tokens[place]
    if "scenario" in token.names and is_scenario(tokens, place, text):
        return False
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    return after is None or not (
        any(kind in after.names for kind in SYSTEM_KINDS)
        or after.low in {"of", "with", "-"}
        or after.is_("machine")
    )


def _chosen(
    kind: str, adjectives: set[str], recent: Sequence[SystemName], lexicon: Lexicon
) -> SystemName | None:
    """The last system of a kind; where "newer" or "older" is said, of the last two of them by year."""
    same = [
        s
        for s in recent
        if s.noun == kind or (kind == "server" and s.noun is None and s.rank == PRODUCT_RANK)
    ]
    if adjectives & (_NEWER | _OLDER):
        two = (same if len(same) > 1 else list(recent))[-2:]
        dated = [(year, system) for system in two if (year := _year(system, lexicon)) is not None]
        if len(dated) != 2 or dated[0][0] == dated[1][0]:
            return None
        pick = max if adjectives & _NEWER else min
        return pick(dated, key=lambda pair: pair[0])[1]
    return same[-1] if same else None


def _system(mention: Mention) -> SystemName:
    return SystemName(
        name=mention.name, count=mention.count, accelerator=mention.accelerator, rank=mention.rank
    )


def _year(system: SystemName, lexicon: Lexicon) -> int | None:
    known = system.accelerator is not None and system.accelerator in lexicon.catalog.names("accelerator")
    return lexicon.catalog.entry("accelerator", system.accelerator or "").year if known else None
