"""Choosing among names: the system that a claim is about, and a benchmark's name in its suite."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from watcher.claims.frame import SystemName
from watcher.claims.lexicon import Lexicon
from watcher.claims.mentions import Mention
from watcher.claims.tokens import Token
from watcher.domain import Claim

PRODUCT_RANK = 1
_HOLDING = r"(?i)\b(?:node|server|machine|box|system|chassis)(?:, each)? (?:with|of|holding|carrying)\b"


def named(mention: Mention, tokens: Sequence[Token], mentions: Sequence[Mention]) -> SystemName:
    """A mention as a system, with the submitter that stands before it ("Azure's GB300 rack", "Nebius B300")."""
    return SystemName(
        name=mention.name,
        submitter=_owner(mention.place, tokens, mentions),
        count=mention.count,
        accelerator=mention.accelerator,
        rank=mention.rank,
    )


def _owner(place: int, tokens: Sequence[Token], mentions: Sequence[Mention]) -> str | None:
    submitters = {m.place: m.name for m in mentions if m.kind == "submitter"}
    for back in range(place - 1, max(-1, place - 5), -1):
        if back in submitters:
            return submitters[back]
        if tokens[back].is_("baseline") or tokens[back].low in {",", ";", "and", ":"}:
            return None
    return None


def chosen_system(
    found: Sequence[Mention], tokens: Sequence[Token], mentions: Sequence[Mention], head: int | None = None
) -> SystemName | None:
    """The most telling of several systems: a named system or server before a bare accelerator; then the nearest to ``head``.

    A server takes over the accelerators that are named beside it ("a Dell R760xa holding four L40S").
    """
    if not found:
        return None

    def order(mention: Mention) -> tuple[bool, bool, int]:
        place = 0 if head is None else head
        return (
            mention.rank > PRODUCT_RANK,
            head is not None and mention.place > place,
            abs(mention.place - place),
        )

    best = min(found, key=order)
    name = named(best, tokens, mentions)
    if best.rank == PRODUCT_RANK:
        partner = next((m for m in found if m.accelerator is not None), None)
        if partner is not None:
            name = replace(name, accelerator=partner.accelerator, count=partner.count)
    return name


def benchmark_of(suites: Mapping[str, str] | None, suite: str, lexicon: Lexicon) -> str | None:
    """The canonical name of a benchmark in ``suite``; one that only another suite has keeps that suite's name."""
    if not suites:
        return None
    if suite in suites:
        return suites[suite]
    name = suites.get("inference")
    if suite == "training" and name is not None:
        known = lexicon.catalog.names("benchmark")
        return next(
            (n for n in known if n == f"train-{name}" or n.startswith(f"train-{name}-")), f"train-{name}"
        )
    return name or suites.get("training") or next(iter(suites.values()))


def benchmark_in(mentions: Sequence[Mention], suite: str, lexicon: Lexicon) -> str | None:
    """The first benchmark among mentions, in ``suite``."""
    return next(
        (benchmark_of(m.suites, suite, lexicon) for m in mentions if m.kind == "benchmark" and m.suites), None
    )


def system_called(claim: Claim, lexicon: Lexicon) -> SystemName | None:
    """The subject of a claim as a system to keep in mind."""
    name = claim.subject_system
    if name is None:
        return None
    count = claim.accelerator_count
    bare = name.partition("x ")[2] if count and name.startswith(f"{count}x ") else name
    system = lexicon.catalog.find("system", bare)
    accelerator = lexicon.catalog.accelerator(bare)
    if accelerator is None and system is not None:
        accelerator = lexicon.catalog.entry("system", system).accelerator
    return SystemName(
        name=name, submitter=claim.submitter, count=count, accelerator=accelerator, rank=0 if system else 2
    )


def in_server(line: str, server: SystemName | None, found: SystemName | None) -> SystemName | None:
    """As in "One node with eight B200:" under the heading "Giga Computing G893-SD1": the section's server, and what is in it.

    ``found``: the system that the line names, as it is where the line says nothing of what is inside ``server``.
    """
    if server is None or found is None or server.rank > PRODUCT_RANK or found.rank <= PRODUCT_RANK:
        return found
    leads = line.rstrip().endswith(":") and re.search(_HOLDING, line) is not None
    if not leads or found.accelerator is None or server.accelerator not in {None, found.accelerator}:
        return found
    return replace(server, accelerator=found.accelerator, count=found.count)
