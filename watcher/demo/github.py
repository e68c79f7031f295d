"""A stand-in for GitHub on this machine: an organisation's result repositories over HTTP, as far as we read them.

It answers what `watcher.sources.github` asks: the organisation's list, a repository, commits by path, contents, git
trees, and the raw host; with ETags, Last-Modified, 304s, Link headers and rate limits as GitHub gives them. All three
hosts are one server: ``api``, ``raw`` and ``web`` are its base addresses. The world is changed by methods, and its
time goes on by a minute with each change.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct, field

from watcher.demo.local import Answer, LocalServer, Reply, Request

_LIMIT_WITH_TOKEN = 5000
_API_LIMIT_OF_CONTENT = 1 << 20  # the contents interface gives no content beyond 1 MB


class _Commit(Struct, frozen=True):
    sha: str
    at: datetime
    files: Mapping[str, bytes]
    touched: frozenset[str]


class _Repository(Struct):
    name: str
    number: int
    created_at: datetime
    public: bool = True
    commits: list[_Commit] = field(default_factory=list)

    @property
    def files(self) -> Mapping[str, bytes]:
        return self.commits[-1].files if self.commits else {}


class _Trouble(Struct):
    reply: Answer
    pattern: re.Pattern[str]
    left: int | None


class GitHubServer(LocalServer):
    """One organisation on 127.0.0.1.

    ``token``: the only one accepted; without one requests are anonymous. ``limit``: requests an hour for anonymous
    ones (GitHub: 60). ``trees_cut_beyond``: entries after which a recursive listing is cut off (GitHub: 100,000).
    ``counts``: how often each status was answered.
    """

    def __init__(
        self,
        organisation: str = "mlcommons",
        *,
        token: str | None = None,
        limit: int = 5000,
        trees_cut_beyond: int = 100_000,
        now: datetime = datetime(2026, 9, 1, 12, tzinfo=UTC),
    ) -> None:
        """Start with an empty organisation."""
        self.organisation = organisation
        self.counts: Counter[int] = Counter()
        self.left = limit
        self.now = now
        self._token = token
        self._limit = limit
        self._cut = trees_cut_beyond
        self._repositories: dict[str, _Repository] = {}
        self._moved: dict[str, str] = {}
        self._troubles: list[_Trouble] = []
        self._state = threading.RLock()
        super().__init__()

    # ---------------------------------------------------------------------------------------- base addresses

    @property
    def api(self) -> str:
        """Base address of the API."""
        return f"{self.url}/api"

    @property
    def raw(self) -> str:
        """Base address of raw files."""
        return f"{self.url}/raw"

    @property
    def web(self) -> str:
        """Base address of the pages for people."""
        return f"{self.url}/web"

    # ---------------------------------------------------------------------------------------- what happens

    def publish(self, repository: str, files: Mapping[str, bytes] | None = None) -> None:
        """Make a repository public, with these files in its first commit (None: without a commit)."""
        with self._state:
            self.prepare(repository, files)
            self._repositories[repository].public = True
            self._go_on()

    def prepare(self, repository: str, files: Mapping[str, bytes] | None = None) -> None:
        """Make a repository while it is still private, as MLCommons fills them."""
        with self._state:
            self._go_on()
            made = _Repository(repository, 1000 + len(self._repositories), self.now, public=False)
            self._repositories[repository] = made
            if files is not None:
                self._commit(made, files)

    def commit(self, repository: str, path: str, body: bytes) -> None:
        """Write a file."""
        with self._state:
            self._go_on()
            self._commit(self._repositories[repository], {path: body})

    def remove(self, repository: str, path: str) -> None:
        """Remove a file."""
        with self._state:
            self._go_on()
            self._commit(self._repositories[repository], {path: None})

    def hide(self, repository: str) -> None:
        """Make a repository private again."""
        with self._state:
            self._repositories[repository].public = False

    def show(self, repository: str) -> None:
        """Make a repository public."""
        with self._state:
            self._repositories[repository].public = True
            self._go_on()

    def rename(self, before: str, after: str) -> None:
        """Rename a repository; the API redirects from its old name."""
        with self._state:
            found = self._repositories.pop(before)
            found.name = after
            self._repositories[after] = found
            self._moved[before] = after

    def fail(
        self,
        status: int = 500,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        *,
        at: str = "",
        times: int | None = None,
        how: Answer | None = None,
    ) -> None:
        """Answer like this from now on, ``times`` times or until `recover`, where the path matches ``at`` (a regex).

        ``how``: something worse than a status, see `watcher.demo.local.Answer`.
        """
        with self._state:
            reply = how if how is not None else Reply(status, body, dict(headers or {}))
            self._troubles.append(_Trouble(reply, re.compile(at), times))

    def recover(self) -> None:
        """End all troubles."""
        with self._state:
            self._troubles.clear()
            self.left = self._limit

    def downloads(self) -> list[str]:
        """Return the paths of files that were asked of the raw host, in order."""
        return [request.path for request in self.requests if request.path.startswith("/raw/")]

    # ---------------------------------------------------------------------------------------- answers

    def date(self) -> str:
        """The stand-in's own time, as in its rate limits."""
        return format_datetime(self.now, usegmt=True)

    def answer(self, request: Request) -> Answer:
        """Answer as GitHub would."""
        with self._state:
            reply = self._trouble(request) or self._answer(request)
            if isinstance(reply, Reply):
                self.counts[reply.status] += 1
            return reply

    def _trouble(self, request: Request) -> Answer | None:
        for trouble in self._troubles:
            if trouble.pattern.search(request.path) and trouble.left != 0:
                trouble.left = None if trouble.left is None else trouble.left - 1
                return trouble.reply
        return None

    def _answer(self, request: Request) -> Reply:
        host, _, path = request.path.lstrip("/").partition("/")
        if host == "raw":
            return self._conditional(request, self._raw_file(path))
        if host != "api":
            return Reply(200, b"<!doctype html><title>GitHub</title>", {"Content-Type": "text/html"})
        if "user-agent" not in request.headers:
            return _message(
                403, "Request forbidden by administrative rules. Please make sure it has a User-Agent."
            )
        known = request.headers.get("authorization")
        if known is not None and known != f"Bearer {self._token}":
            return _message(401, "Bad credentials")
        if known is None and self.left <= 0:
            return _message(403, "API rate limit exceeded", self._limits(anonymous=True))
        reply = self._conditional(request, self._api(path, request))
        if known is None:
            self.left -= 1  # a 304 counts, too, unless a token came with it
        return Reply(reply.status, reply.body, {**reply.headers, **self._limits(anonymous=known is None)})

    def _api(self, path: str, request: Request) -> Reply:
        parts = path.split("/")
        if parts[:1] == ["orgs"] and parts[2:] == ["repos"]:
            return self._list(request) if parts[1] == self.organisation else _message(404, "Not Found")
        if parts[:1] == ["repositories"] and len(parts) > 1:
            found = [
                each for each in self._repositories.values() if str(each.number) == parts[1] and each.public
            ]
            return self._repository(found[0], parts[2:], request) if found else _message(404, "Not Found")
        if parts[:1] != ["repos"] or len(parts) < 3 or parts[1] != self.organisation:
            return _message(404, "Not Found")
        if parts[2] in self._moved:
            number = self._repositories[self._moved[parts[2]]].number
            onward = "/".join([self.api, "repositories", str(number), *parts[3:]])
            query = f"?{urlencode(request.query)}" if request.query else ""
            return _message(301, "Moved Permanently", {"Location": onward + query})
        repository = self._repositories.get(parts[2])
        if repository is None or not repository.public:
            return _message(404, "Not Found")
        return self._repository(repository, parts[3:], request)

    def _repository(self, repository: _Repository, rest: list[str], request: Request) -> Reply:
        if not rest:
            return _json(self._described(repository))
        if not repository.commits:
            return _message(409 if rest[0] == "commits" else 404, "Git Repository is empty.")
        if rest[0] == "commits":
            return self._commits(repository, request)
        if rest[0] == "contents":
            return self._contents(repository, "/".join(rest[1:]), request)
        if rest[:2] == ["git", "trees"] and len(rest) == 3:
            return self._tree(repository, rest[2], recursive="recursive" in request.query)
        return _message(404, "Not Found")

    def _list(self, request: Request) -> Reply:
        size, page = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
        found = sorted(
            (each for each in self._repositories.values() if each.public),
            key=lambda r: r.created_at,
            reverse=True,
        )
        shown = found[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(found):
            query = urlencode({**request.query, "page": str(page + 1)})
            headers["Link"] = f'<{self.api}/orgs/{self.organisation}/repos?{query}>; rel="next"'
        return _json([self._described(each) for each in shown], headers)

    def _described(self, repository: _Repository) -> dict[str, Any]:
        pushed = repository.commits[-1].at if repository.commits else repository.created_at
        return {
            "id": repository.number,
            "name": repository.name,
            "full_name": f"{self.organisation}/{repository.name}",
            "owner": {"login": self.organisation},
            "private": not repository.public,
            "visibility": "public",
            "fork": False,
            "html_url": f"{self.web}/{self.organisation}/{repository.name}",
            "created_at": _stamp(repository.created_at),
            "pushed_at": _stamp(pushed),
            "default_branch": "main",
        }

    def _commits(self, repository: _Repository, request: Request) -> Reply:
        if request.query.get("sha", "main") != "main":
            return _message(404, "No commit found for SHA")
        path, size = request.query.get("path"), int(request.query.get("per_page", "30"))
        found = [each for each in reversed(repository.commits) if path is None or path in each.touched][:size]
        date = found[0].at if found else repository.created_at
        commits = [{"sha": each.sha, "commit": {"committer": {"date": _stamp(each.at)}}} for each in found]
        return _json(commits, {"Last-Modified": format_datetime(date, usegmt=True)})

    def _contents(self, repository: _Repository, path: str, request: Request) -> Reply:
        commit = self._at(repository, request.query.get("ref", "main"))
        if commit is None:
            return _message(404, "No commit found for the ref")
        if path in commit.files:
            return _json(_content(path, commit.files[path]))
        folder = f"{path}/" if path else ""
        inside = [each for each in commit.files if each.startswith(folder)]
        if not inside:
            return _message(404, "Not Found")
        entries = []
        for name in sorted({each[len(folder) :].split("/")[0] for each in inside}):
            body = commit.files.get(folder + name)
            kind = (
                {"type": "dir", "sha": _tree_sha(folder + name)}
                if body is None
                else {"type": "file", "sha": blob_sha(body)}
            )
            entries.append({"name": name, "path": folder + name, "size": len(body or b""), **kind})
        return _json(entries)

    def _tree(self, repository: _Repository, sha: str, *, recursive: bool) -> Reply:
        commit, folder = self._at(repository, sha), ""
        if commit is None:  # not a commit, then perhaps a folder's tree
            commit = repository.commits[-1]
            folders = {f"{path.rpartition('/')[0]}/" for path in commit.files if "/" in path}
            parents = {
                "/".join(each.split("/")[:n]) + "/" for each in folders for n in range(1, each.count("/") + 1)
            }
            matching = [each for each in parents if _tree_sha(each.rstrip("/")) == sha]
            if not matching:
                return _message(404, "Not Found")
            folder = matching[0]
        paths = {path[len(folder) :]: body for path, body in commit.files.items() if path.startswith(folder)}
        entries: dict[str, dict[str, Any]] = {}
        for path, body in sorted(paths.items()):
            parts = path.split("/")
            for depth in range(1, len(parts)):
                inner = "/".join(parts[:depth])
                entries[inner] = {
                    "path": inner,
                    "type": "tree",
                    "mode": "040000",
                    "sha": _tree_sha(folder + inner),
                }
            entries[path] = {
                "path": path, "type": "blob", "mode": "100644", "sha": blob_sha(body), "size": len(body),
            }  # fmt: skip
        listed = [each for each in entries.values() if recursive or "/" not in each["path"]]
        cut = recursive and len(listed) > self._cut
        return _json({"sha": sha, "tree": listed[: self._cut] if cut else listed, "truncated": cut})

    def _raw_file(self, path: str) -> Reply:
        parts = path.split("/", 3)
        repository = (
            self._repositories.get(parts[1]) if len(parts) == 4 and parts[0] == self.organisation else None
        )
        commit = self._at(repository, parts[2]) if repository is not None and repository.public else None
        body = commit.files.get(parts[3]) if commit is not None else None
        if body is None:
            return Reply(404, b"404: Not Found", {"Content-Type": "text/plain; charset=utf-8"})
        return Reply(200, body, {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "max-age=300"})

    def _conditional(self, request: Request, reply: Reply) -> Reply:
        """Add an ETag, and answer 304 to those who hold it."""
        if reply.status != 200:
            return reply
        etag = f'W/"{hashlib.sha256(reply.body).hexdigest()}"'
        headers = {**reply.headers, "ETag": etag}
        if request.headers.get("if-none-match") == etag:
            return Reply(304, b"", headers)
        return Reply(200, reply.body, headers)

    def _limits(self, *, anonymous: bool) -> dict[str, str]:
        limit, left = (self._limit, self.left) if anonymous else (_LIMIT_WITH_TOKEN, _LIMIT_WITH_TOKEN - 1)
        reset = self.now + timedelta(minutes=30)
        return {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(max(left, 0)),
            "X-RateLimit-Reset": str(int(reset.timestamp())),
        }

    # ---------------------------------------------------------------------------------------- the world

    def _commit(self, repository: _Repository, changes: Mapping[str, bytes | None]) -> None:
        files = {**repository.files, **{path: body for path, body in changes.items() if body is not None}}
        for path in [path for path, body in changes.items() if body is None]:
            del files[path]
        name = f"{repository.name} {len(repository.commits)} {sorted((p, blob_sha(b)) for p, b in files.items())}"
        sha = hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()
        repository.commits.append(_Commit(sha, self.now, files, frozenset(changes)))

    def _at(self, repository: _Repository | None, ref: str) -> _Commit | None:
        commits = repository.commits if repository is not None else []
        if ref == "main":
            return commits[-1] if commits else None
        return next((each for each in commits if each.sha == ref), None)

    def _go_on(self) -> None:
        self.now += timedelta(minutes=1)


def blob_sha(body: bytes) -> str:
    """Return git's name for a file's bytes."""
    return hashlib.sha1(b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest()


def _tree_sha(path: str) -> str:
    return hashlib.sha1(f"tree {path}".encode(), usedforsecurity=False).hexdigest()


def _content(path: str, body: bytes) -> dict[str, Any]:
    small = len(body) <= _API_LIMIT_OF_CONTENT
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "type": "file",
        "sha": blob_sha(body),
        "size": len(body),
        "encoding": "base64" if small else "none",
        "content": "",
    }


def _json(value: object, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(
        200,
        json.dumps(value).encode(),
        {"Content-Type": "application/json; charset=utf-8", **(headers or {})},
    )


def _message(status: int, words: str, headers: Mapping[str, str] | None = None) -> Reply:
    body = json.dumps({"message": words, "status": str(status)}).encode()
    return Reply(status, body, {"Content-Type": "application/json; charset=utf-8", **(headers or {})})


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
