"""What to handle with care: flags on a figure, computed from the tables, as short sentences for people.

A flag never changes a figure. It says what the tables themselves show: that a note contradicts the comparison, that a
row stands far from its like, that two submitters publish one value. What the tables cannot show is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from watcher.domain import EMBARGO, Power, Result
from watcher.figures.cells import median, same_submitter, submitter_key
from watcher.figures.comparability import compatibility
from watcher.figures.grounds import Beside, Grounds, by_ground, ground_of
from watcher.figures.selectors import is_mixed
from watcher.figures.words import exact, number, system_words, who

FAR = 1.5  # a row this many times over or under the median of its like stands out
LIKE = 2  # one other submitter's row is a comparison, not a median
ABOVE = 1.02  # less than 2 % above its Offline row is the noise of runs
TELLING_DIGITS = 4  # two submitters may share a round figure by chance; four digits are seldom chance
ENGINES = frozenset(
    {"atlas", "llama.cpp", "llmboost", "onnx runtime", "sglang", "tensorrt-llm", "vllm", "xdit"}
)

_CPU_ONLY = re.compile(r"\bcpu[\s-]+only\b", re.IGNORECASE)
_USED = re.compile(r"\b(\d+)\s+(?:GPU|accelerator)s?\s+used\b", re.IGNORECASE)
_CAPPED = re.compile(r"power\s+cap[^)]*", re.IGNORECASE)
_REDUCED = re.compile(r"\b(\d[\d,]*)\s*W\s*/\s*(\d[\d,]*)\s*W\s*\(reduced\)", re.IGNORECASE)
_RACK = re.compile(r"NVL[\s-]?(\d+)(?![\d\s]*GB)", re.IGNORECASE)  # NVL72, but not H200-NVL-141GB


class Around:
    """The tables around a figure, for many flags; build it of every row that is held.

    Rows are grouped where a flag first looks: of the figures made to see what moved hardly one needs its flags.
    """

    def __init__(self, results: Iterable[Result]) -> None:
        """Look at ``results``."""
        self._results = tuple(results)

    @classmethod
    def over(cls, grounds: Grounds) -> Around:
        """Look at rows that are grouped already."""
        around = cls(())
        around._grounds = grounds
        return around

    def beside(self, result: Result) -> Beside:
        """Return the rows of the row's division and benchmark in its round; no flag looks further."""
        return self._grounds.get(ground_of(result)) or Beside()

    @cached_property
    def _grounds(self) -> Grounds:
        return by_ground(self._results)

    def flags(self, result: Result) -> tuple[str, ...]:
        """Return the flags of a row of its own; many figures stand on one row, and it has the same in each."""
        flags = self.beside(result).flags
        held = flags.get(result.key)
        if held is None or held[0] is not result:
            found = tuple(text for flag in ROW_FLAGS if (text := flag(result, self)) is not None)
            held = flags[result.key] = (result, found)
        return held[1]


UNSEEN = Around(())
"""Stands for the tables where figures are made only to see which of them moved: beside it they have no flags yet."""


def care_of(result: Result, around: Around) -> tuple[str, ...]:
    """Return the flags of one row."""
    return around.flags(result)


def care_of_pair(subject: Result, baseline: Result, around: Around) -> tuple[str, ...]:
    """Return the flags of a pair, those that lie between the two rows first, then each row's own."""
    if around is UNSEEN:
        return ()
    between = [text for flag in PAIR_FLAGS if (text := flag(subject, baseline)) is not None]
    own = [text for result in (subject, baseline) for text in care_of(result, around)]
    return tuple(dict.fromkeys([*between, *own]))


# ---------------------------------------------------------------------------------------------- one row


def _embargo(result: Result, _around: Around) -> str | None:
    if EMBARGO in result.tags:
        return f"{who(result)}: under {EMBARGO}, nothing of it may be passed on"
    return None


def _cpu_only(result: Result, _around: Around) -> str | None:
    if result.accelerator_published and _CPU_ONLY.search(result.notes or ""):
        return f"{who(result)}: the notes say CPU only, the row names {result.accelerator_published}"
    return None


def _part_used(result: Result, _around: Around) -> str | None:
    found = _USED.search(result.notes or "")
    if found and result.accelerator_count and int(found[1]) != result.accelerator_count:
        return f"{who(result)}: the notes say {found[1]} used, the row counts {result.accelerator_count}"
    return None


def _power_cap(result: Result, _around: Around) -> str | None:
    capped = _CAPPED.search(result.accelerator_published or "")
    if capped:
        return f"{who(result)}: {capped[0].strip()}"
    reduced = _REDUCED.search(result.notes or "")
    if reduced:
        return f"{who(result)}: accelerators reduced to {reduced[1]} of {reduced[2]} W"
    return None


def _rack(result: Result, _around: Around) -> str | None:
    """A rack that is not whole: "NVL72" in a name says how it is built, not how many accelerators ran."""
    sizes = {int(size) for size in _RACK.findall(f"{result.system_name or ''} {result.platform}")}
    count = result.accelerator_count
    if len(sizes) != 1 or not count or count in sizes:
        return None
    size = sizes.pop()
    if count < size:
        return f"{who(result)}: part of a rack, {count} of {size} accelerators"
    racks = f"{count // size} racks" if count % size == 0 else f"{count / size:.1f} racks"
    return f"{who(result)}: {racks} of {size}, {count} accelerators"


def _mixed(result: Result, _around: Around) -> str | None:
    if is_mixed(result):
        return f"{who(result)}: mixed accelerators ({', '.join(result.accelerators)})"
    return None


def _engine(result: Result, _around: Around) -> str | None:
    engines = [name for name in result.software if name.casefold() in ENGINES]
    if len(engines) > 1:
        return f"Engines declared: {', '.join(engines)}; the table does not say which ran"
    return None


def _precisions(result: Result, _around: Around) -> str | None:
    if len(result.precision) > 1:
        return f"Precisions declared: {', '.join(result.precision)}; the table does not say which ran where"
    return None


def _outlier(result: Result, around: Around) -> str | None:
    """Stands far from the median of other submitters' rows with the same accelerator and count."""
    if result.accelerator is None or not result.accelerator_count:
        return None
    others = [row.value for row in around.beside(result).like(result) if not same_submitter(row, result)]
    if len(others) < LIKE:
        return None
    middle = median(others)
    times = result.value / middle
    if 1 / FAR < times < FAR:
        return None
    like = f"{len(others)} other rows with {system_words(result)}"
    return f"{who(result)}: {number(result.value)} {result.unit} is {times:.2f}x the median of {like}"


def _shared_value(result: Result, around: Around) -> str | None:
    """Two submitters with one value, or one submitter with one value under two platforms."""
    digits = f"{result.value:.12g}".replace(".", "").strip("0-")
    if len(digits) < TELLING_DIGITS:
        return None
    rows = around.beside(result).of_value(result)
    others = sorted({row.submitter for row in rows if not submitter_key(row) & submitter_key(result)})
    if others:
        both = " and ".join(sorted([result.submitter, *others]))
        return f"{both} publish the identical value {exact(result.value)}"
    platforms = {row.platform for row in rows if same_submitter(row, result)}
    if len(platforms) > 1:
        return (
            f"{result.submitter} publishes the value {exact(result.value)} under {len(platforms)} platforms"
        )
    return None


def _above_offline(result: Result, around: Around) -> str | None:
    """A Server or Interactive row well above its own Offline row: under a latency limit a run should not be faster."""
    if result.better == "lower":
        return None
    rows = around.beside(result).of_run(result)
    runs = {row.scenario: row.value for row in rows if row.better == "higher" and row.scenario is not None}
    offline = runs.get("Offline")
    if offline is None:
        return None
    over = [name for name in ("Server", "Interactive") if runs.get(name, 0.0) > ABOVE * offline]
    if not over or result.scenario not in {"Offline", *over}:
        return None
    name = over[0] if result.scenario == "Offline" else result.scenario
    return f"{who(result)}: {name} {number(runs[name])} is above Offline {number(offline)}"


def _open(result: Result, _around: Around) -> str | None:
    return "Open division: each row states its own model" if result.division == "open" else None


def _inferred(result: Result, _around: Around) -> str | None:
    if result.inferred:
        return f"{who(result)}: {result.scenario} is derived from another run, not measured apart"
    return None


# ---------------------------------------------------------------------------------------------- between two rows


def _availability(subject: Result, baseline: Result) -> str | None:
    if subject.availability != baseline.availability:
        return f"{subject.availability.capitalize()} against {baseline.availability}"
    return None


def _power_limits(subject: Result, baseline: Result) -> str | None:
    mine, theirs = subject.accelerator_power_limit_watts, baseline.accelerator_power_limit_watts
    if mine is not None and theirs is not None and mine != theirs:
        return f"Power limit per accelerator by the notes: {number(mine)} W against {number(theirs)} W"
    return None


def _processor_only(subject: Result, baseline: Result) -> str | None:
    marks = [_on_processors(row) for row in (subject, baseline)]
    if marks[0] == marks[1]:
        return None
    row = subject if marks[0] else baseline
    return f"{who(row)} ran on processors only, the other row on accelerators"


def _on_processors(result: Result) -> bool:
    return (not result.accelerators and result.accelerator is None) or bool(
        _CPU_ONLY.search(result.notes or "")
    )


def _measured_power(subject: Result, baseline: Result) -> str | None:
    """The compatibility table notes that power submissions and performance-only ones do not compare."""
    if _is_measured(subject.power) != _is_measured(baseline.power):
        return "One row was run with measured power, the other without: MLPerf does not compare the two"
    return None


def _is_measured(power: Iterable[Power]) -> bool:
    return any(figure.kind == "measured" for figure in power)


def _rounds(subject: Result, baseline: Result) -> str | None:
    found = compatibility(subject, baseline)
    return found.reason if found.verdict == "unknown" else None


ROW_FLAGS: tuple[Callable[[Result, Around], str | None], ...] = (
    _embargo,
    _cpu_only,
    _part_used,
    _power_cap,
    _rack,
    _mixed,
    _outlier,
    _shared_value,
    _above_offline,
    _engine,
    _precisions,
    _inferred,
    _open,
)
ODD_FLAGS = (_shared_value, _cpu_only, _part_used, _above_offline, _outlier)
"""Flags that say something odd of the value itself, not of how it was built or declared; the most telling first."""
PAIR_FLAGS: tuple[Callable[[Result, Result], str | None], ...] = (
    _availability,
    _processor_only,
    _power_limits,
    _measured_power,
    _rounds,
)
