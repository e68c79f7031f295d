"""Systems of several kinds of accelerators: "MI300X and MI355X in one system", "two A nodes with two B nodes"; and A in the place of B."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from watcher.claims.clauses import name_runs
from watcher.claims.mentions import PRODUCT_RANK, Mention, is_swap
from watcher.claims.roles import BASELINE
from watcher.claims.tokens import Token
from watcher.claims.vocabulary import words

INSTEAD = frozenset({"instead of", "rather than", "in place of"})
MAX_EXCHANGED = 3  # tokens of "GPUs instead of the"
_WHOLES = words("cluster pair mix system combination machine")
_JOINING = words(
    "combine combines combined combining join joins joined joining pair pairs paired pairing mix mixes mixed mixing couple couples coupled coupling "
    "connect connects connected connecting link links linked linking marry marries married team teams teamed tie ties tied"
)
_ONE = words("together into behind in")
_BETWEEN = words(", and with to & + plus by a an the its one another x × -")
MAX_LED = 4  # tokens between "combine" and the first name
MAX_BOUND = 4  # tokens of ", tied together"


def mixed_name(tokens: Sequence[Token], mentions: Sequence[Mention]) -> str | None:
    """What a system of several accelerators among ``mentions`` is called ("MI300X+MI325X"); null where there is none."""
    found = [m for m in mentions if m.rank > PRODUCT_RANK]
    if len(found) < 2:
        return None
    together = any(t.is_("together") or t.low == "+" for t in tokens)
    runs = [r for r in name_runs(tokens, found, "system") if together or _made_of(tokens, r[0].place)]
    runs += [r for r in _chains(tokens, found) if _is_bound(tokens, r[0].place, r[-1].place)]
    for run in runs:
        names = dict.fromkeys(m.name.partition("x ")[2] or m.name if m.count else m.name for m in run)
        if len(names) > 1:
            return "+".join(names)
    return None


def _made_of(tokens: Sequence[Token], place: int) -> bool:
    """Whether "a cluster of", "a pair of" leads to a list of accelerators."""
    lows = [t.low for t in tokens[max(0, place - 4) : place]]
    return "of" in lows and not _WHOLES.isdisjoint(lows)


def _chains(tokens: Sequence[Token], found: Sequence[Mention]) -> list[list[Mention]]:
    """Accelerators with nothing but counts, machines and "with" or "and" between them: "two MI300X nodes with two MI355X nodes"."""
    chains: list[list[Mention]] = []
    for mention in found:
        before = chains[-1][-1] if chains else None
        between = tokens[before.place + 1 : mention.place] if before is not None else ()
        if between and all(_is_between(t) for t in between):
            chains[-1].append(mention)
        else:
            chains.append([mention])
    return [chain for chain in chains if len(chain) > 1]


def _is_between(token: Token) -> bool:
    counted = token.is_("number", "number_word", "counts", "machine", "submitter", "family")
    return token.low in _BETWEEN or counted


def _is_bound(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether a verb of joining leads to a chain of names, or "tied together" follows it."""
    for here in range(first - 1, max(-1, first - 1 - MAX_LED), -1):
        if tokens[here].low in _JOINING:
            return True
        if not (_is_between(tokens[here]) or tokens[here].low in {"of", "'s", "s", "'"}):
            break
    behind = [t.low for t in tokens[last + 1 : last + 2 + MAX_BOUND] if not t.is_("machine", "counts")]
    led = behind[1:] if behind[:1] == [","] else behind
    return bool(led) and (led[0] in _JOINING or led[0] == "put") and not _ONE.isdisjoint(led[1:3])


def exchanged(tokens: Sequence[Token], mentions: Sequence[Mention]) -> tuple[Mention, Mention] | None:
    """(what is compared, what it is measured against) where a server's accelerators are exchanged.

    As in "Filling the C845A with eight RTX PRO 6000 instead of eight RTX PRO 4500", "swapped B200 for B300 in the
    XE9780": they are compared, not the server around both.
    """
    systems = [m for m in mentions if m.kind == "system"]
    rivals = [m for m in systems if m.role == BASELINE]
    for one, other in pairwise(systems):
        joint = [t.low for t in tokens[one.place + 1 : other.place] if not t.is_("number", "number_word")]
        chips = one.rank > PRODUCT_RANK and other.rank > PRODUCT_RANK
        if not chips or not joint or len(joint) > MAX_EXCHANGED:
            continue
        if joint[0] in INSTEAD and rivals == [other]:
            return one, other
        if joint[0] in {"for", "with"} and rivals == [one] and is_swap(tokens, one):
            return other, one
    return None
