"""The ledger: every claim read so far, what it is worth against the rows, the figures behind the verdict, and its past."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from watcher.domain import CheckedClaim, Evidence
from watcher.render import claims as claim_words
from watcher.render import words
from watcher.report import titles
from watcher.report.facts import Ledger
from watcher.report.places import CLAIMS, Places, claim_anchor
from watcher.report.view import (
    Block,
    Bullets,
    Cell,
    Column,
    Line,
    Page,
    Part,
    Row,
    Span,
    Table,
    cell,
    filters,
    joined,
    line,
    paragraph,
    web,
)

COLOURS = {"confirmed": "good", "only_in_some_scenarios": "half", "contradicted": "bad"}
_ROWS = 8  # rows of one figure that are linked
_SIGN = "Verdicts: " + " · ".join(
    f"{sign} {claim_words.MEANINGS[name]}" for name, sign in claim_words.SIGNS.items()
)


def claim_page(ledger: Sequence[Ledger], places: Places) -> Page:
    """Return the page of the ledger."""
    standing = [one.entry.checked for one in ledger if one.entry.gone_at is None]
    summary = f"{words.plural(len(standing), 'claim')} read: {claim_words.tally(standing)}" if standing else "No claim has been read yet; claims enter when posts are read."  # fmt: skip
    parts = []
    if ledger:
        rows = tuple(_row(one, places) for one in ledger)
        table = Table(
            columns=(
                Column("Verdict", width=18), Column("Claim", width=40), Column("What the rows say", width=28),
                Column("Read", screens="wide", width=10),
            ),
            rows=rows, label="The ledger of claims", name="claims", noun="claim", nouns="claims", opens=True,
            filters=filters(
                rows,
                {
                    "verdict": ("Verdict", dict(claim_words.MEANINGS)),
                    "vendor": ("Vendor", {}),
                    "round": ("Round", {}),
                    "benchmark": ("Benchmark", {value: titles.title("benchmark", value) for row in rows for value in row.values["benchmark"]}),
                },
            ),
        )  # fmt: skip
        parts.append(Part("The ledger", (paragraph(_SIGN, soft=True), table)))
    return Page(
        path=CLAIMS, place="claims", title="Claims against the rows", summary=summary, parts=tuple(parts)
    )


def verdict_mark(checked: CheckedClaim) -> Span:
    """Return a verdict as its sign and words, coloured."""
    name = checked.verdict.verdict
    text = f"{claim_words.SIGNS.get(name, '·')} {claim_words.MEANINGS.get(name, name)}"
    return Span(text, None, f"mark {COLOURS.get(name, 'soft')}")


def _row(one: Ledger, places: Places) -> Row:
    checked = one.entry.checked
    claim = checked.claim
    rounds = tuple(dict.fromkeys(filter(None, (claim.round, claim.baseline_round))))
    return Row(
        cells=(
            cell(
                verdict_mark(checked),
                Span(f"claim {checked.number}", None, "soft whose"),
                *([Span(" no longer in the post", None, "soft")] if one.entry.gone_at else []),
            ),
            Cell(_said(checked)),
            cell(words.capital(claim_words.found(checked))),
            cell(_day(one.entry.made_at)),
        ),
        anchor=claim_anchor(checked.number),
        values={
            "verdict": (checked.verdict.verdict,),
            "vendor": (checked.vendor,) if checked.vendor else (),
            "round": rounds,
            "benchmark": (claim.benchmark,) if claim.benchmark else (),
        },
        more=tuple(_more(one, places)),
    )


def _said(checked: CheckedClaim) -> Line:
    whose = f"{checked.vendor}: " if checked.vendor else ""
    post = web(checked.post_title or checked.post_url or "the post", checked.post_url)
    return line(Span(whose, None, "strong"), f"“{checked.claim.quote}” ", post)


def _more(one: Ledger, places: Places) -> list[Block]:
    checked = one.entry.checked
    verdict = checked.verdict
    found: list[Block] = []
    if verdict.evidence:
        found.append(_evidence(checked, places))
    elif verdict.reason:
        found.append(paragraph(words.capital(verdict.reason.replace("_", " "))))
    past = [
        line(f"{words.moment(at)}: {_happened(what)}, {claim_words.MEANINGS.get(then.verdict.verdict, then.verdict.verdict)}")
        for at, what, then, _ in one.past
    ]  # fmt: skip
    if len(past) > 1:
        found.append(Bullets(tuple(past)))
    return found


def _happened(what: str) -> str:
    return {"made": "read", "verdict": "checked again", "gone": "no longer in the post"}.get(what, what)


def _evidence(checked: CheckedClaim, places: Places) -> Bullets:
    """Return the figures behind a verdict, a line each: what it reads, whether it holds, the arithmetic, its rows."""
    lines = []
    for each in checked.verdict.evidence:
        what = ", ".join(filter(None, (each.scenario, each.reading.replace("_", " "))))
        mark = Span("✓ holds", None, "mark good") if each.holds else Span("does not hold", None, "mark soft")
        rows = _rows(each, places)
        lines.append(
            (
                Span(f"{what}: "),
                mark,
                Span(f"; {each.arithmetic}"),
                *((Span(". Rows: "), *rows) if rows else ()),
            )
        )
    return Bullets(tuple(lines))


def _rows(each: Evidence, places: Places) -> Line:
    links = [(places.of_row(f"{titles.machine(row)}, {row.round}", row),) for row in each.rows[:_ROWS]]
    more: list[Line] = [line(f"and {len(each.rows) - _ROWS:,} more")] if len(each.rows) > _ROWS else []
    return joined([*links, *more], "; ")


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"
