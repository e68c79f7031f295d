"""A brief → sections of plain text, and from them a message, a follow-up, Markdown, text and HTML (`brief_page`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from watcher.domain import CheckedClaim, Grid, Notification, Section
from watcher.figures.attendance import Attendance, Tally
from watcher.figures.brief import Brief
from watcher.figures.words import number
from watcher.render import claims, words
from watcher.render.brief_flagships import flagship_sections
from watcher.render.brief_parts import (
    gain_section,
    leader_section,
    record_section,
    standing_section,
    worth_knowing,
)
from watcher.render.brief_promises import promise_words
from watcher.render.compact import Column, grouped, table
from watcher.render.sections import listed

KIND = "brief"
CARES, PROMISES, CLAIMS = 8, 6, 10  # lines of a message; the page has all
_TITLES = {"submitter": "Submitters", "accelerator": "Accelerators", "benchmark": "Benchmarks"}
CARE = "Handle with care"
EMBARGO = "EMBARGO: this round is not public. Nothing of it may be passed on before it is released."


def title(brief: Brief) -> str:
    """Return "MLPerf Inference v6.1 at a glance", with what it is narrowed to, and EMBARGO before it if it is."""
    mark = "EMBARGO · " if brief.embargo else ""
    only = f", only {brief.narrowed}" if brief.narrowed else ""
    return f"{mark}{words.suite_round(brief.suite, brief.round)} at a glance{only}"


def summary(brief: Brief) -> str:
    """Return the one line that stands alone: "492 results (v6.0: 520) by 33 submitter entries (25)"."""
    results = words.plural(brief.results.now, "result")
    entries = words.plural(brief.submitters.now, "submitter entry", "submitter entries")
    if brief.before is None:
        return f"{results} by {entries}"
    return f"{results} ({brief.before}: {brief.results.before:,}) by {entries} ({brief.submitters.before:,})"


def footer(brief: Brief) -> str:
    """Return what stands below: what the round stands beside, and since when tables are held."""
    if brief.before is None:
        return "No earlier round is held."
    return f"Beside {brief.before}; tables held since {brief.since}."


def sections(brief: Brief, *, whole: bool = True) -> tuple[Section, ...]:
    """Return the brief's parts in their order; ``whole`` false: as much as a message has room for."""
    found = [
        Section(paragraphs=(EMBARGO,)) if brief.embargo else None,
        _minute(brief, whole=whole),
        *flagship_sections(brief, whole=whole),
        listed("Worth knowing", worth_knowing(brief)),
        leader_section(brief) if whole else None,
        *_who(brief),
        _coverage(brief) if whole else None,
        record_section(brief, whole=whole),
        standing_section(brief) if whole else None,
        gain_section(brief, whole=whole),
        claim_section(brief.claims, limit=None if whole else CLAIMS),
        listed("Power", power_words(brief)),
        listed(CARE, care_words(brief), limit=None if whole else CARES),
        listed("Promises", promise_words(brief, limit=None if whole else PROMISES)),
        _where(brief),
    ]
    return tuple(section for section in found if section is not None)


def brief_notification(brief: Brief, *, now: datetime, rule: str) -> Notification:
    """Return the brief as a message; an embargoed one is refused, it may not leave."""
    if brief.embargo:
        raise ValueError(f"{brief.suite} {brief.round} is under embargo: its brief is for the screen alone")
    return Notification(
        id=_identity("brief", brief),
        kind=KIND,
        title=title(brief),
        severity="high",
        summary=summary(brief),
        created_at=now,
        sections=sections(brief, whole=False),
        rules=(rule,),
        footer=footer(brief).rstrip("."),
        see_all=f"mlperf-watcher brief {_round_words(brief)}",
    )


def follow_up_notification(brief: Brief, *, now: datetime, rule: str) -> Notification:
    """Return what the first posts about the round claim, against its rows."""
    posts = {one.post_url or one.post_title for one in brief.claims}
    told = claim_section(brief.claims, limit=2 * CLAIMS, counted=False)  # the summary counts them
    count = words.plural(len(brief.claims), "claim")
    return Notification(
        id=_identity("follow-up", brief),
        kind=KIND,
        title=f"{words.suite_round(brief.suite, brief.round)}: the first posts against the rows",
        severity="high",
        summary=f"{count} in {words.plural(len(posts), 'post')}: {claims.tally(brief.claims)}",
        created_at=now,
        sections=tuple(
            section
            for section in (
                told,
                Section(
                    heading="Where to look",
                    bullets=("mlperf-watcher claims list", f"mlperf-watcher brief {_round_words(brief)}"),
                ),
            )
            if section is not None
        ),
        rules=(rule,),
        footer=f"follows {title(brief)}",
        see_all="mlperf-watcher claims list",
    )


def _identity(what: str, brief: Brief) -> str:
    return f"mw-{hashlib.sha256(f'{what} {brief.suite} {brief.round}'.encode()).hexdigest()[:20]}"


def _round_words(brief: Brief) -> str:
    return brief.round if brief.suite == "inference" else f"{brief.suite}-{brief.round}"


# ------------------------------------------------------------------------------------------------ counts


def _minute(brief: Brief, *, whole: bool) -> Section:
    """Return what goes beyond `summary`, which stands above it wherever a brief is shown."""
    organisations = words.plural(brief.organisations.now, "organisation")
    said = [f"{organisations}{_was(brief.organisations, brief.before)}."]
    said.append(f"{words.capital(', '.join(f'{name} {count:,}' for name, count in _kinds(brief)))}.")
    said += _preview_words(brief)
    if brief.skipped:
        said.append(
            f"Beside {brief.before}, the newest earlier round held; {words.joined(brief.skipped)} is not held."
        )
    if not brief.history:
        said.append("No earlier round is held: nothing here is called new, gained or a record.")
    if not whole:
        return Section(heading="In one minute", paragraphs=(" ".join(said),))
    return Section(heading="In one minute", paragraphs=tuple(said), grid=_counts(brief))


def _kinds(brief: Brief) -> list[tuple[str, int]]:
    """Rows by division and system type; the types of open and network rows together."""
    counts: dict[str, int] = {}
    for one in brief.kinds:
        name = one.name if one.name.startswith("closed") else one.name.partition(" ")[0]
        counts[name] = counts.get(name, 0) + one.now
    return [(name, count) for name, count in counts.items() if count]


def _was(tally: Tally, before: str | None) -> str:
    return "" if before is None or tally.before is None else f" ({tally.before:,})"


def _counts(brief: Brief) -> Grid:
    lines = [brief.results, *brief.kinds, *brief.availabilities]
    columns = [
        Column("", [words.capital(words.title("availability", one.name)) for one in lines]),
        Column(brief.round, [f"{one.now:,}" for one in lines], numeric=True),
    ]
    if brief.before is not None:
        columns.append(Column(brief.before, [f"{one.before or 0:,}" for one in lines], numeric=True))
    return table("", columns)


def _preview_words(brief: Brief) -> list[str]:
    rows = brief.previews
    if not rows:
        return []
    names = grouped(rows, words.accelerator)
    all_of = "all " if len(names) == 1 and len(rows) > 1 else ""
    whose = words.joined((words.submitter(row) for row in rows), limit=4)
    return [f"Preview: {words.plural(len(rows), 'row')}, {all_of}{words.joined(names, limit=4)} ({whose})."]


def _who(brief: Brief) -> list[Section]:
    """Say who came and who did not, in words that fit the history held."""
    said = [line for one in brief.attendance for line in attendance_words(one, brief)]
    among = " among these rows" if brief.narrowed else ""
    section = listed(f"Who came, who did not{among}", said)
    return [section] if section is not None else []


def attendance_words(one: Attendance, brief: Brief) -> list[str]:
    """Return who came and who did not, of one kind, a sentence each."""
    noun = _TITLES[one.kind]
    said = []
    if one.first:
        said.append(
            f"{noun}, first in the tables and names we hold (tables since {brief.since}): {_names(one.kind, one.first)}."
        )
    back = [f"{_name(one.kind, name)} (last in {last})" for name, last in one.back if last is not None]
    if back:
        said.append(f"{noun}, back after a pause: {words.joined(back)}.")
    older = tuple(name for name, last in one.back if last is None)
    if older:
        said.append(
            f"{noun}, not in the tables we hold, but known from older or other rounds: {_names(one.kind, older)}."
        )
    if one.absent:
        said.append(f"{noun}, absent after {brief.before}: {_names(one.kind, one.absent)}.")
    return said


def _names(kind: str, names: Iterable[str]) -> str:
    return words.joined(_name(kind, name) for name in names)


def _name(kind: str, name: str) -> str:
    return words.title(kind, name).replace("_", " ")


def _coverage(brief: Brief) -> Section | None:
    cover = brief.coverage
    if not cover.rows:
        return None
    columns = [Column("Benchmark", [words.title("benchmark", name) for name, _ in cover.rows])]
    for place, vendor in enumerate(cover.vendors):
        columns.append(
            Column(
                vendor,
                [f"{counts[place]:,}" if counts[place] else words.NONE for _, counts in cover.rows],
                numeric=True,
            )
        )
    return Section(
        heading="Vendors by benchmark",
        paragraphs=(
            "Rows of the closed division by who makes the accelerator; a dash is a benchmark without a row.",
        ),
        grid=table("", columns),
    )


# ------------------------------------------------------------------------------------------------ claims, power, care


def claim_section(
    checked: Sequence[CheckedClaim], *, limit: int | None, counted: bool = True
) -> Section | None:
    """Return claims with their verdicts, a line each, and their tally before them; null without claims."""
    if not checked:
        return None
    lines = [f"{one.vendor}: {claims.line(one)}" if one.vendor else claims.line(one) for one in checked]
    tally = f"{words.plural(len(checked), 'claim')} read so far: {claims.tally(checked)}."
    return listed("Claims against the rows", lines, limit=limit, opening=tally if counted else "")


def power_words(brief: Brief) -> list[str]:
    """Say which rows have measured power, now and before, and what is no power."""
    if (
        brief.suite != "inference"
        and not brief.measured
        and not any(one.rows for one in brief.measured_before)
    ):
        return []
    said = [_measured_words(brief)]
    if brief.limits:
        limits = words.joined(
            (f"{words.title('accelerator', one.accelerator)} {number(one.watts)} W" for one in brief.limits),
            limit=8,
        )
        said.append(f"Notes give a limit of one accelerator, which is configured and no power: {limits}.")
    return said


def _measured_words(brief: Brief) -> str:
    rows = brief.measured
    if rows:
        whose = words.joined((words.submitter(row) for row in rows), limit=6)
        told = f"Measured power: {words.plural(len(rows), 'row')} ({whose})"
    else:
        told = "Measured power: none"
    previous = brief.measured_before[0] if brief.measured_before else None
    if previous is None:
        return f"{told}."
    if previous.rows:
        return f"{told}; {previous.round} had {words.plural(previous.rows, 'row')}."
    told += f", as in {previous.round}" if not rows else f"; {previous.round} had none"
    last = next((one for one in brief.measured_before if one.rows), None)
    if last is None:
        return f"{told}; no earlier round held has any."
    here = {name for one in brief.attendance if one.kind == "submitter" for name in one.absent}
    gone = ", absent now" if last.organisations and set(last.organisations) <= here else ""
    return f"{told}; {last.round} had {words.plural(last.rows, 'row')}, all by {_names('submitter', last.organisations)}{gone}."


def care_words(brief: Brief) -> list[str]:
    """Return what to handle with care, the odd values first."""
    return [words.capital(text) for text in brief.care]


# ------------------------------------------------------------------------------------------------ commands


def _where(brief: Brief) -> Section:
    name = _round_words(brief)
    commands = [f"mlperf-watcher results --round {name}", f"mlperf-watcher rank --round {name}"]
    if brief.before is not None:
        commands.append(f"mlperf-watcher gains --to {name}")
    pairs = [
        pair for one in brief.generations for pair in one.comparisons if one.submitter == one.flagship.vendor
    ]
    if pairs:
        from watcher.render.caveats import compare_command  # noqa: PLC0415 - beside its use

        preview = [pair for pair in pairs if pair.subject.availability == "preview"]
        command = compare_command(preview or pairs)
        commands += [command] if command else []
    commands.append("mlperf-watcher promises")
    return Section(heading="Where to look", bullets=tuple(commands))
