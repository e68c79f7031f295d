"""Cases (a) to (d) and (k): a whole pass as a process, ours beside urlwatch and webchanges, on the same pages."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import ours, rivals
from tests.benchmarks.measure import Cost, Spread, process
from tests.benchmarks.server import Served

PHASES = ("first", "unchanged", "changed", "shuffled")
STATE = ("cache.db", "cache.db-wal", "cache.db-shm", "state")


@dataclass(frozen=True, slots=True)
class Contestant:
    """One program: its command of a pass, and the folder it runs in."""

    name: str
    command: tuple[str, ...]
    folder: Path
    allowed: tuple[int, ...]


def contestants(addresses: Sequence[str], folder: Path, *, rival_names: tuple[str, ...]) -> list[Contestant]:
    """Return the programs to run on these pages."""
    count = len(addresses)
    home = folder / f"ours-{count}"
    command = (str(Path(sys.executable).parent / "mlperf-watcher"), *ours.config(addresses, home))
    found = [Contestant("ours", command, home, (0,))]
    for name in rival_names:
        programs = rivals.environment(name, folder)
        if programs is None:
            continue
        home = folder / f"{name}-{count}"
        found.append(
            Contestant(name, (str(programs / name), *rivals.jobs(name, addresses, home)), home, (0, 1))
        )
    return found


def measure(
    count: int,
    runs: int,
    folder: Path,
    *,
    kinds: Collection[str],
    rival_names: tuple[str, ...],
    say: Callable[[str], None],
) -> dict[str, dict[str, list[Cost]]]:
    """Run every phase so many times; return phase → program → costs. Programs take turns, so that noise hits all.

    ``kinds``: which pages are checked, of "table" and "post".
    """
    costs: dict[str, dict[str, list[Cost]]] = {phase: {} for phase in PHASES}
    with Served(count) as world:
        addresses = [url for url in world.addresses if any(f"/{kind}/" in url for kind in kinds)]
        programs = contestants(addresses, folder, rival_names=rival_names)
        for turn in range(runs):
            for program in programs:
                for name in STATE:
                    _remove(program.folder / name)
            for phase in PHASES:
                if phase != "unchanged":
                    world.be(int(phase in {"changed", "shuffled"}), shuffled=phase == "shuffled")
                for program in programs:
                    if phase == "shuffled" and program.name == "webchanges":
                        continue  # it takes minutes there
                    cost = process(
                        program.command,
                        cwd=str(program.folder),
                        allowed=program.allowed,
                        env={"HOME": str(program.folder)},
                    )
                    costs[phase].setdefault(program.name, []).append(cost)
            say(f"{count} pages, run {turn + 1} of {runs}")
    return costs


def ratios(costs: dict[str, list[Cost]], of: Callable[[Cost], float]) -> dict[str, Spread]:
    """Return program → spread of ours divided by it, run by run."""
    own = costs["ours"]
    return {
        name: Spread.of([of(a) / of(b) for a, b in zip(own, theirs, strict=True)])
        for name, theirs in costs.items()
        if name != "ours"
    }


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
