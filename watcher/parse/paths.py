"""Paths of a repository's tree: split once, cut to the folder of a submission, and turned into public addresses."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

MAX_PATH = 1000
"""A longer path is none that a submission has."""

BRANCH = "main"
"""The branch that official results stand on; forks and pull requests carry results that are not."""


def clean(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that can be files of a tree, each once and sorted; rooted, empty and over-long ones are left out."""
    return tuple(
        sorted(
            {
                path
                for path in paths
                if 0 < len(path) <= MAX_PATH and not path.startswith("/") and "\n" not in path
            }
        )
    )


def folder_address(repository_url: str | None, folder: str) -> str | None:
    """Return the public address of ``folder`` in a repository, null without one."""
    if repository_url is None:
        return None
    return f"{repository_url.rstrip('/').removesuffix('.git')}/tree/{BRANCH}/{quote(folder)}"
