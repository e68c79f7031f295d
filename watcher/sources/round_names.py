"""How result repositories are named: ``<suite>_results_v<round>``, and what the next ones will be called."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog


ROLLING = "rolling"
"""The round of a repository without one in its name: MLPerf Endpoints may publish into a single one, for ever."""


def round_of(suite: str, repository: str) -> str | None:
    """Return the round that a repository of ``suite`` holds, such as "v6.1"; None if it holds none."""
    found = re.fullmatch(rf"{re.escape(suite)}_results(?:_v(\d+(?:\.\d+)*))?", repository, re.IGNORECASE)
    if found is None or (found[1] is None and suite != "endpoints"):
        return None
    return f"v{found[1]}" if found[1] else ROLLING


def version(suite: str, repository: str) -> tuple[int, ...]:
    """Return what orders a suite's repositories by age; a rolling one is the newest."""
    name = round_of(suite, repository)
    if name is None:
        return ()
    return (9999,) if name == ROLLING else tuple(int(part) for part in name[1:].split("."))


def expected_names(suite: str, known: Iterable[str], catalog: Catalog) -> tuple[str, ...]:
    """Return names that the next repositories of a suite will have.

    The next minor and the next major one after the newest known, and those of rounds that the catalog expects.
    """
    versions = [version(suite, name) for name in known]
    newest = max((each for each in versions if each and each != (9999,)), default=None)
    rounds = [each.name for each in catalog.rounds() if each.suite == suite and each.published_on is None]
    if newest is not None:
        major, minor = (*newest, 0)[:2]
        rounds += [f"v{major}.{minor + 1}", f"v{major + 1}.0"]
    names = [f"{suite}_results_{name}" for name in rounds]
    return tuple(dict.fromkeys([*names, "endpoints_results"] if suite == "endpoints" else names))
