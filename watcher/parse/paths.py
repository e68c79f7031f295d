"""Paths of a repository's tree: split once, cut to the folder of a submission, and turned into public addresses."""

from __future__ import annotations

from collections.abc import Iterable

from watcher.catalog.naming import folder_url, public_repository

MAX_PATH = 1000
"""A longer path is none that a submission has."""


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


def folder_address(repository_url: str | None, suite: str, round_: str, folder: str) -> str:
    """Return the public page of ``folder``; without an address, in the repository that suite and round follow."""
    base = repository_url or public_repository(suite, round_)
    return folder_url(base.rstrip("/").removesuffix(".git"), *folder.split("/"))
