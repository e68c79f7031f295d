"""The few questions that we ask GitHub, each at its lowest cost; what comes back is checked and made small.

Only public repositories of one organisation and only their branch ``main`` are asked for. Forks, private repositories
(a member's token sees rounds before they are public) and other owners' are not seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from watcher.domain import Document, Get
from watcher.errors import FetchError, ParseError

BRANCH = "main"

_JSON = "application/vnd.github+json"
_FILES = "text/plain, text/csv, application/json, application/octet-stream"
_NO_COMMIT = frozenset({404, 409, 422})  # no such repository, path or branch; an empty repository
_MOST_PAGES = 20
_MOST_TREES = 500


class Repository(Struct, frozen=True):
    """A public repository of the organisation, as a list names it; ``pushed_at`` as GitHub writes it."""

    name: str
    number: int | None
    pushed_at: str | None


class Page(Struct, frozen=True):
    """One page of the organisation's list; ``repositories`` is None if it is as before."""

    url: str
    repositories: tuple[Repository, ...] | None


class Commit(Struct, frozen=True):
    """The last commit on ``main`` that touched something; ``name`` is None if there is none or no repository."""

    name: str | None
    unchanged: bool = False


class GitHub:
    """Asks about one organisation's repositories. Raises FetchError, and ParseError for an answer of another shape.

    ``requests_left``: what the rate limit allows for now, by the last answer that said so.
    """

    def __init__(self, get: Get, *, api: str, raw: str, web: str, organisation: str) -> None:
        """Take the way to ask, the base addresses and the organisation."""
        self._get = get
        self._api, self._raw, self._web = (base.rstrip("/") for base in (api, raw, web))
        self.organisation = organisation
        self.requests_left: int | None = None

    def list_url(self) -> str:
        """Return the address of the list's first page, newest repositories first."""
        return f"{self._api}/orgs/{quote(self.organisation)}/repos?type=public&sort=created&direction=desc&per_page=100"

    def pages(self, before: Sequence[str], *, known: bool) -> Iterator[Page]:
        """Yield the list's pages, as far as the caller goes.

        ``before``: the pages' addresses when it was last read, for a page that says only that it is as before.
        ``known``: what stood on the pages is known; else one that is as before is asked for again in full.
        """
        url: str | None = self.list_url()
        for number in range(_MOST_PAGES):
            if url is None:
                return
            document = self._ask(url, conditional=True)
            if document.unchanged and not known:
                document = self._ask(url, conditional=False)
            yield Page(url, None if document.unchanged else tuple(self._listed(document)))
            following = before[number + 1] if document.unchanged and number + 1 < len(before) else None
            url = document.next_url or following

    def repository(self, name: str) -> Repository | None:
        """Return a repository by its name, or None if there is no public one of the organisation's own."""
        try:
            document = self._ask(self._repository(name), conditional=False)
        except FetchError as error:
            if error.status in _NO_COMMIT:
                return None
            raise
        found = self._own(_shaped(document, dict))
        return found if found is not None and found.name.casefold() == name.casefold() else None

    def last_commit(self, name: str, path: str | None, *, conditional: bool) -> Commit:
        """Return the last commit on main, of ``path`` or of anything; ``unchanged`` if it is the one known before."""
        of = f"path={quote(path, safe='')}&" if path is not None else ""
        try:
            document = self._ask(
                f"{self._repository(name)}/commits?{of}per_page=1&sha={BRANCH}", conditional=conditional
            )
        except FetchError as error:
            if error.status in _NO_COMMIT:
                return Commit(None)
            raise
        if document.unchanged:
            return Commit(None, unchanged=True)
        commits = _shaped(document, list)
        return Commit(_sha(document, commits[0]) if commits else None)

    def files(self, name: str) -> dict[str, str] | None:
        """Return path → blob SHA of the files in the root of main, or None if there is no repository or branch."""
        try:
            document = self._ask(f"{self._repository(name)}/contents?ref={BRANCH}", conditional=False)
        except FetchError as error:
            if error.status in _NO_COMMIT:
                return None
            raise
        entries = _shaped(document, list)
        return {
            str(entry["name"]): _sha(document, entry)
            for entry in entries
            if isinstance(entry, dict) and entry.get("type", "file") == "file" and "name" in entry
        }

    def tree(self, name: str, commit: str) -> dict[str, str]:
        """Return path → blob SHA of all files at ``commit``.

        A recursive listing that GitHub cuts off (beyond 100,000 entries or 7 MB) is made up for folder by folder.
        """
        blobs: dict[str, str] = {}
        waiting = [("", commit)]
        for _ in range(_MOST_TREES):
            if not waiting:
                return blobs
            folder, sha = waiting.pop()
            whole = self._tree(name, sha, recursive=True)
            if whole is not None:
                blobs.update(_blobs(folder, whole))
                continue
            level = self._tree(name, sha, recursive=False) or []
            blobs.update(_blobs(folder, level))
            waiting += [
                (f"{folder}{entry['path']}/", entry["sha"]) for entry in level if entry["type"] == "tree"
            ]
        raise ParseError(f"{self.web(name)} has more folders than we list ({_MOST_TREES})")

    def file(self, name: str, commit: str, path: str) -> Document:
        """Return a file's bytes at ``commit`` by the raw host: any size, and no cache between two states."""
        organisation = quote(self.organisation)
        return self._get(
            f"{self._raw}/{organisation}/{quote(name)}/{commit}/{quote(path)}",
            accept=_FILES,
            conditional=False,
        )

    def web(self, name: str, path: str | None = None) -> str:
        """Return the address of a repository, or of a file on its main, for people."""
        address = f"{self._web}/{quote(self.organisation)}/{quote(name)}"
        return address if path is None else f"{address}/blob/{BRANCH}/{quote(path)}"

    def _repository(self, name: str) -> str:
        return f"{self._api}/repos/{quote(self.organisation)}/{quote(name)}"

    def _ask(self, url: str, *, conditional: bool) -> Document:
        document = self._get(url, accept=_JSON, conditional=conditional)
        if document.requests_left is not None:
            self.requests_left = document.requests_left
        return document

    def _tree(self, name: str, sha: str, *, recursive: bool) -> list[dict[str, str]] | None:
        """Return one listing's entries, or None for a recursive one that was cut off."""
        document = self._ask(
            f"{self._repository(name)}/git/trees/{sha}{'?recursive=1' if recursive else ''}",
            conditional=False,
        )
        tree = _shaped(document, dict)
        entries = tree.get("tree")
        if not isinstance(entries, list):
            raise ParseError(f"{document.url} has no list of files")
        if tree.get("truncated") and recursive:
            return None
        return [
            {key: str(entry[key]) for key in ("path", "sha", "type")}
            for entry in entries
            if isinstance(entry, dict) and {"path", "sha", "type"} <= entry.keys()
        ]

    def _listed(self, document: Document) -> Iterator[Repository]:
        for entry in _shaped(document, list):
            repository = self._own(entry) if isinstance(entry, dict) else None
            if repository is not None:
                yield repository

    def _own(self, entry: dict[str, Any]) -> Repository | None:
        """Return a repository as named in an answer, unless it is a fork, private or somebody else's."""
        name = entry.get("name")
        owner = str(entry.get("full_name", f"{self.organisation}/")).partition("/")[0]
        hidden = entry.get("private") or entry.get("visibility", "public") != "public"
        if (
            not isinstance(name, str)
            or hidden
            or entry.get("fork")
            or owner.casefold() != self.organisation.casefold()
        ):
            return None
        number, pushed_at = entry.get("id"), entry.get("pushed_at")
        return Repository(
            name,
            number if isinstance(number, int) else None,
            pushed_at if isinstance(pushed_at, str) else None,
        )


def _shaped(document: Document, shape: type) -> Any:
    """Return an answer's JSON. Raises ParseError if it is none or of another shape."""
    try:
        value = json.loads(document.body)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{document.url} did not come as JSON ({error})") from None
    if not isinstance(value, shape):
        raise ParseError(f"{document.url} came as a JSON {type(value).__name__}, not as a {shape.__name__}")
    return value


def _sha(document: Document, entry: object) -> str:
    """Return an entry's SHA, which becomes part of an address. Raises ParseError if it is none."""
    sha = entry.get("sha") if isinstance(entry, dict) else None
    if not (isinstance(sha, str) and sha.isalnum()):
        raise ParseError(f"{document.url} names a commit or file without its SHA")
    return sha


def _blobs(folder: str, entries: list[dict[str, str]]) -> dict[str, str]:
    return {folder + entry["path"]: entry["sha"] for entry in entries if entry["type"] == "blob"}
