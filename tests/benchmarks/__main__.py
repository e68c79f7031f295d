"""``make bench``: one table of ratios, measured side by side in this run on this machine."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

from tests.benchmarks import passes  # nothing of ours: a child's peak memory is never below its parent's
from tests.benchmarks.measure import Cost, Spread

BOUNDS = {
    ("unchanged", 20, "urlwatch"): 0.9,
    ("unchanged", 100, "urlwatch"): 0.75,
    ("first", 20, "urlwatch"): 1.0,
    ("changed", 20, "urlwatch"): 0.15,
    ("shuffled", 20, "urlwatch"): 0.1,
}


def main() -> None:
    """Run the cases asked for and print their table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default 5)")
    parser.add_argument("--cases", default="pass,e,f,g,h,i,j", help="of pass (a to d, k), e, f, g, h, i, j")
    parser.add_argument("--pages", default="20,100", help="how many pages a pass has")
    parser.add_argument("--kinds", default="table,post", help="which of the pages are checked")
    parser.add_argument(
        "--rivals", default="urlwatch,webchanges", help="programs to measure beside; empty: none"
    )
    parser.add_argument(
        "--folder", type=Path, default=Path("out/bench"), help="where environments and states are kept"
    )
    chosen = parser.parse_args()
    folder = chosen.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    cases = set(chosen.cases.split(","))
    real = Path(os.environ["MLPERF_DATA"]) if os.environ.get("MLPERF_DATA") else None
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores; median (lowest–highest) of {chosen.runs} runs\n"
    )
    if "pass" in cases:
        rivals = tuple(name for name in chosen.rivals.split(",") if name)
        for count in (int(each) for each in chosen.pages.split(",")):
            _passes(count, chosen.runs, folder, frozenset(chosen.kinds.split(",")), rivals)
    _insides(cases, chosen.runs, folder, real)


def _insides(cases: set[str], runs: int, folder: Path, real: Path | None) -> None:
    from tests.benchmarks import insides

    if "e" in cases:
        _line("e", *insides.ingest(runs, folder, real))
    if "f" in cases:
        for line in insides.rules(runs):
            _line("f", *line)
    if "g" in cases:
        _line("g", *insides.large_diff(runs))
    if "h" in cases:
        for line in insides.claims(runs):
            _line("h", *line)
    if "i" in cases:
        for line in insides.start(runs, folder):
            _line("i", *line)
    if "j" in cases:
        for line in insides.draining(runs, folder):
            _line("j", *line)


def _passes(count: int, runs: int, folder: Path, kinds: frozenset[str], rivals: tuple[str, ...]) -> None:
    whole = kinds >= {"table", "post"}  # the bounds are for pages of both kinds
    costs = passes.measure(
        count, runs, folder, kinds=kinds, rival_names=rivals, say=lambda text: print(text, file=sys.stderr)
    )
    for phase, by_program in costs.items():
        for name, found in by_program.items():
            _line(phase, f"{count} pages, {name}: processor seconds", Spread.of([cost.cpu for cost in found]))
        for name, spread in passes.ratios(by_program, lambda cost: cost.cpu).items():
            bound = BOUNDS.get((phase, count, name)) if whole else None
            _line(phase, f"{count} pages, processor: ours / {name}", spread, bound)
        for name, found in by_program.items():
            _line(
                phase, f"{count} pages, {name}: peak memory, MB", Spread.of([_memory(cost) for cost in found])
            )
    print()


def _memory(cost: Cost) -> float:
    return cost.memory


def _line(case: str, words: str, spread: Spread, bound: float | None = None) -> None:
    wanted = (
        f"   wanted at most {bound:g}: {'yes' if spread.middle <= bound else 'NO'}"
        if bound is not None
        else ""
    )
    print(f"{case:<10} {words:<64} {spread}{wanted}", flush=True)


main()
