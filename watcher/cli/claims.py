"""``claims``: what posts state, and what it is worth against the rows held."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from watcher.cli.asking import embargo_note, held
from watcher.cli.forms import CLAIM_FIELDS, checked_form, claim_form
from watcher.cli.session import Session, command
from watcher.errors import UsageError

if TYPE_CHECKING:
    from watcher.domain import CheckedClaim, Claim, Evidence
    from watcher.store.posts import LedgerEntry

MAX_BYTES = 32 * 2**20
SIGNS = {
    "confirmed": "✓",
    "only_in_some_scenarios": "◐",
    "contradicted": "✗",
    "not_comparable": "≠",
    "not_found": "…",
    "not_mlperf": "–",
}


@click.group("claims", context_settings={"help_option_names": ["-h", "--help"]})
def claims() -> None:
    """Posts' claims and their verdicts: list, extract, check."""


@command("extract")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--round", "round_name", metavar="R", help="The round the post is about, where its text names none."
)
def extract(session: Session, *, file: Path, round_name: str | None) -> None:
    """Read the claims out of a post, as text or HTML.

    `-` is standard input.

    \b
    mlperf-watcher claims extract post.html --round v6.1
    curl -s https://example.org/post | mlperf-watcher claims extract - --json
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.claims import extract as extracted  # noqa: PLC0415

    found = extracted(_text(file), catalog=session.catalog, round=round_name)
    document = {"claims": [claim_form(claim) for claim in found]}
    session.emit(document, lambda: "\n\n".join(_claim_text(claim) for claim in found) or "No claim found.")


@command("check")
@click.argument("numbers", nargs=-1, metavar="[ID…]", type=int)
@click.option(
    "--file",
    type=click.Path(path_type=Path, allow_dash=True),
    help="A post or draft, or the JSON that `extract` prints.",
)
@click.option(
    "--round", "round_name", metavar="R", help="The round the post is about, where its text names none."
)
def check(session: Session, *, numbers: tuple[int, ...], file: Path | None, round_name: str | None) -> None:
    """Check claims against the rows held.

    Those of the ledger by number, or those of a file. A file is also read by MLCommons' rules for quoting results; what is missing is listed.

    \b
    mlperf-watcher claims check 12 13
    mlperf-watcher claims check --file draft.html
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from watcher.claims import check as checked  # noqa: PLC0415
    from watcher.domain import CheckedClaim  # noqa: PLC0415

    if bool(numbers) == (file is not None):
        raise UsageError("name claims of the ledger by number, or a post with --file")
    with session.store(read_only=True) as store:
        # A draft of one's own may be about rows under embargo, which are marked; the ledger knows public ones alone.
        rows = held(store) if file is not None else store.tables.results(private=False)
        entries = store.posts.claims(numbers) if numbers else ()
    missing = set(numbers) - {entry.checked.number for entry in entries}
    if missing:
        raise UsageError(f"the ledger has no claim {min(missing)}; see `mlperf-watcher claims list`")
    findings: list[dict[str, Any]] = []
    if file is not None:
        text = _text(file)
        given = _given(text)
        found = given if given is not None else _extracted(session, text, round_name)
        made = [
            CheckedClaim(claim=claim, verdict=checked(claim, rows, catalog=session.catalog))
            for claim in found
        ]
        if given is None:
            findings = _findings(text, made)
    else:
        made = [
            _again(entry, checked(entry.checked.claim, rows, catalog=session.catalog)) for entry in entries
        ]
    document = {"claims": [checked_form(each) for each in made], "findings": findings}

    def words() -> str:
        parts = [checked_text(each) for each in made] or ["No claim found."]
        parts[0] = (
            embargo_note(row for one in made for each in one.verdict.evidence for row in each.rows) + parts[0]
        )
        if findings:
            parts.append(
                "By MLCommons' rules for quoting results:\n"
                + "\n".join(f"  {f['message']}" for f in findings)
            )
        return "\n\n".join(parts)

    session.emit(document, words)


@command("list")
@click.option("--vendor", help="Only of this vendor.")
@click.option("--post", help="Only of posts whose title or address contains this.")
@click.option("--round", "round_name", metavar="R", help="Only about this round.")
@click.option("--system", help="Only about a system whose name contains this.")
@click.option("--verdict", type=click.Choice(sorted(SIGNS)), help="Only with this verdict.")
@click.option("--history", is_flag=True, help="Also what became of each claim and verdict over time.")
def listing(
    session: Session, *, vendor: str | None, post: str | None, round_name: str | None, system: str | None,
    verdict: str | None, history: bool,
) -> None:  # fmt: skip
    """List the ledger: every claim read so far, with its verdict.

    \b
    mlperf-watcher claims list --verdict only_in_some_scenarios
    mlperf-watcher claims list --vendor NVIDIA --history
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    with session.store(read_only=True) as store:
        entries = [
            entry
            for entry in store.posts.claims()
            if _contains(entry.checked.vendor, vendor, whole=True)
            and (
                post is None
                or _contains(entry.checked.post_title, post)
                or _contains(entry.checked.post_url, post)
            )
            and (
                round_name is None
                or round_name in {entry.checked.claim.round, entry.checked.claim.baseline_round}
            )
            and (
                system is None
                or _contains(entry.checked.claim.subject_system, system)
                or _contains(entry.checked.claim.baseline_system, system)
            )
            and (verdict is None or entry.checked.verdict.verdict == verdict)
        ]
        past = (
            {entry.checked.number: store.posts.claim_history(entry.checked.number or 0) for entry in entries}
            if history
            else {}
        )
    document = {"claims": [_entry(entry, past.get(entry.checked.number, ())) for entry in entries]}

    def text() -> str:
        lines = []
        for entry in entries:
            checked = entry.checked
            gone = "  (no longer in the post)" if entry.gone_at else ""
            lines.append(
                f"{checked.number:>4} {SIGNS[checked.verdict.verdict]} {checked.verdict.verdict:<22} "
                f"{checked.vendor or checked.source or ''}: “{checked.claim.quote}”{gone}"
            )
            lines += [
                f"       {at:%Y-%m-%d %H:%M} {what}: {then.verdict.verdict} ({cause})"
                for at, what, then, cause in past.get(checked.number, ())
            ]
        return "\n".join(lines) or "The ledger is empty; claims enter it when posts are read."

    session.emit(document, text)


for each_command in (listing, extract, check):
    claims.add_command(each_command)


def checked_text(checked: CheckedClaim) -> str:
    """Return a claim, its verdict and the small table of figures, for people."""
    verdict = checked.verdict
    lines = [f"{SIGNS[verdict.verdict]} {verdict.verdict.replace('_', ' ')}: “{checked.claim.quote}”"]
    if verdict.reason:
        lines.append(f"  reason: {verdict.reason.replace('_', ' ')}")
    if verdict.reading:
        lines.append(f"  reading: {verdict.reading.replace('_', ' ')}")
    lines += [f"  {_evidence(each)}" for each in verdict.evidence]
    return "\n".join(lines)


def _evidence(each: Evidence) -> str:
    mark = "✓" if each.holds else "·"
    return f"{mark} {each.scenario or '':<12} {each.reading.replace('_', ' '):<16} {each.arithmetic}"


def _claim_text(claim: Claim) -> str:
    shown = {name: getattr(claim, name) for name in CLAIM_FIELDS if name != "quote"}
    pairs = ", ".join(
        f"{name}={'+'.join(value) if isinstance(value, tuple) else value}"
        for name, value in shown.items()
        if value not in (None, (), "")
    )
    return f"“{claim.quote}”\n  {pairs}"


def _text(file: Path) -> str:
    try:
        body = sys.stdin.buffer.read(MAX_BYTES + 1) if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
    if len(body) > MAX_BYTES:
        raise UsageError(f"{file}: has more than {MAX_BYTES:,} bytes; no post is that long")
    return body.decode("utf-8", errors="replace")


def _given(text: str) -> list[Claim] | None:
    """Return the claims of ``{"claims": [...]}`` as `extract` prints it; None if the text is a post."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        listed = json.loads(text)["claims"]
    except (json.JSONDecodeError, KeyError, TypeError):
        return None
    if not isinstance(listed, list):
        raise UsageError("claims: needs a list, as `mlperf-watcher claims extract --json` prints it")
    return [_claim(values, number) for number, values in enumerate(listed, 1)]


def _claim(values: object, number: int) -> Claim:
    from watcher.domain import Claim  # noqa: PLC0415

    if not isinstance(values, dict) or values.get("kind") is None or values.get("value") is None:
        raise UsageError(f"claim {number} of the file needs at least a kind and a value")
    read: dict[str, Any] = {}
    for name, annotation in Claim.__annotations__.items():
        value = values.get(name)
        kind = annotation.removesuffix(" | None")
        if value is None:
            continue
        if kind == "tuple[str, ...]" and isinstance(value, str):
            value = [value]
        if not _FITS[kind](value):
            raise UsageError(f"claim {number} of the file: {name} needs {_NEEDS[kind]}, not {value!r}")
        read[name] = tuple(value) if isinstance(value, list) else value
    return Claim(**read)


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "tuple[str, ...]": lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
}
_NEEDS = {
    "str": "a text", "bool": "true or false", "int": "a whole number", "float": "a number",
    "tuple[str, ...]": "a list of texts",
}  # fmt: skip


def _extracted(session: Session, text: str, round_name: str | None) -> list[Claim]:
    from watcher.claims import extract as extracted  # noqa: PLC0415

    return list(extracted(text, catalog=session.catalog, round=round_name))


def _findings(text: str, made: list[CheckedClaim]) -> list[dict[str, Any]]:
    from watcher.claims.messaging import messaging  # noqa: PLC0415

    found = messaging(text, [each.claim for each in made], [each.verdict for each in made])
    return [{"rule": each.rule, "message": each.message, "quote": each.quote} for each in found]


def _again(entry: LedgerEntry, verdict: Any) -> CheckedClaim:
    from msgspec.structs import replace  # noqa: PLC0415

    return replace(entry.checked, verdict=verdict)


def _entry(entry: LedgerEntry, past: Any) -> dict[str, Any]:
    return {
        **checked_form(entry.checked),
        "made_at": entry.made_at,
        "checked_at": entry.checked_at,
        "gone_at": entry.gone_at,
        "history": [
            {"at": at, "what": what, "verdict": then.verdict.verdict, "cause": cause}
            for at, what, then, cause in past
        ],
    }


def _contains(text: str | None, part: str | None, *, whole: bool = False) -> bool:
    if part is None:
        return True
    if text is None:
        return False
    return text.casefold() == part.casefold() if whole else part.casefold() in text.casefold()
