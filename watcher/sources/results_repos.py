"""The result repositories of one suite: ``<suite>_results_v<round>`` of an organisation on GitHub.

A repository is filled while private and made public at the hour of publication, so its appearing is the news
(`Reading.rounds`); what stood there at the source's first success is known and no news. A table that changes is
noticed by the last commit that touched it (a 304 as a rule), then by its blob's SHA, and only then fetched, by the raw
host at that commit. A repository without any table we know is rebuilt from its artefacts, see `rebuilding`.

Each check asks for: the organisation's list; the names expected next; the newest repositories; those that the list
says were pushed to; and of the old ones one a week. Where the rate limit leaves few requests (60 an hour without a
token), only the newest and one more are asked for.

The cursor::

    {"repositories": {name: {…}}, "pages": [url, …], "listed_at": …, "turn": n}

and of each repository: ``number``, ``pushed_at``, ``seen_at``, ``looked_at``, ``baseline`` (public before our first
success), ``table`` with its ``commit`` and ``blob``, or ``head`` and what `rebuilding` keeps; ``pending``: a look at
it broke off, so the next one asks without conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from watcher.domain import Get, PublishedRound, PublishedTable, Reading, Source
from watcher.errors import ConfigError, SourceError
from watcher.sources import options_of
from watcher.sources.github import GitHub, Repository
from watcher.sources.looking import Looking
from watcher.sources.options import Option
from watcher.sources.round_names import expected_names, round_of, version

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

OPTIONS = {
    "suite": Option(
        str,
        "The suite: inference, training, hpc, storage, tiny, automotive, endpoints; default: the source's.",
    ),
    "organisation": Option(str, "The organisation that owns the repositories.", "mlcommons"),
    "api": Option(
        str, "Base address of the API; default: the source's url, the only place its token is sent to."
    ),
    "raw": Option(str, "Base address of the host of raw files.", "https://raw.githubusercontent.com"),
    "web": Option(str, "Base address of the pages for people, for links.", "https://github.com"),
    "newest": Option(int, "How many of the newest repositories are asked for at every check.", 4, least=1),
    "files_per_check": Option(
        int, "How many files are fetched in one check to rebuild results.", 100, least=1
    ),
}

_RELIST_AFTER = timedelta(
    days=1
)  # all pages of the list; its first one, with the newest, is read at every check
_LOOK_AGAIN_AFTER = timedelta(days=7)  # at a repository that is neither new nor said to be pushed to
_FEW_REQUESTS = 200
_SITE_TROUBLE = frozenset({"blocked", "rate-limited", "auth", "server", "network", "refused"})


def read(source: Source, get: Get, cursor: Mapping[str, Any], now: datetime, catalog: Catalog) -> Reading:
    """Check a suite's repositories once; see the module. Raises SourceError if nothing could be read."""
    options = options_of(source)
    suite = options["suite"] or source.suite
    if suite is None:
        raise ConfigError(f"source {source.name!r}: option 'suite' is missing: name the suite to watch")
    github = GitHub(
        get,
        api=options["api"] or source.url,
        raw=options["raw"],
        web=options["web"],
        organisation=options["organisation"],
    )
    check = _Check(github=github, suite=suite, options=options, cursor=cursor, now=now, catalog=catalog)
    return check.read()


class _Check(Struct, kw_only=True):
    """One check: what is known (``repositories``, changed as it goes) and what it has brought so far."""

    github: GitHub
    suite: str
    options: Mapping[str, Any]
    cursor: Mapping[str, Any]
    now: datetime
    catalog: Catalog
    repositories: dict[str, dict[str, Any]] = field(default_factory=dict)
    pushed: set[str] = field(default_factory=set)
    rounds: list[PublishedRound] = field(default_factory=list)
    tables: list[PublishedTable] = field(default_factory=list)
    unchanged: list[tuple[str, str]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    fetched: int = 0

    def read(self) -> Reading:
        """Do it all; trouble with one repository ends the check, and what was read before it stands."""
        self.repositories = {name: dict(known) for name, known in self.cursor.get("repositories", {}).items()}
        pages, listed_at = self._list()
        self._ask_for_expected()
        failure = self._look_at_all(self._to_look_at())
        return Reading(
            cursor={
                "repositories": self.repositories,
                "pages": pages,
                "listed_at": listed_at,
                "turn": self._turn + 1,
            },
            tables=tuple(self.tables),
            rounds=tuple(self.rounds),
            unchanged_tables=tuple(self.unchanged),
            steps=tuple(self.steps),
            failure=failure,
        )

    @property
    def _is_first(self) -> bool:
        return not self.cursor

    @property
    def _turn(self) -> int:
        return int(self.cursor.get("turn", 0))

    @property
    def _is_scarce(self) -> bool:
        """Whether the rate limit leaves so little that each request counts."""
        left = self.github.requests_left
        return left is not None and left < _FEW_REQUESTS

    def _list(self) -> tuple[list[str], str]:
        """Read the organisation's list: its first page always, the rest once a day; return its pages, and when."""
        before: list[str] = self.cursor.get("pages", [])
        listed_at = self.cursor.get("listed_at")
        whole = listed_at is None or self.now - datetime.fromisoformat(listed_at) >= _RELIST_AFTER
        seen: list[Repository] = []
        pages: list[str] = []
        for page in self.github.pages(before, known=not self._is_first):
            pages.append(page.url)
            seen += page.repositories or ()
            if not whole:
                break
        self.steps.append(
            f"{self.github.organisation}'s list: " + (f"{len(seen)} read" if seen else "as before")
        )
        listed = {repository.name for repository in seen}
        for repository in seen:
            self._saw(repository, listed)
        return (pages, self.now.isoformat()) if whole else (before, str(listed_at))

    def _saw(self, repository: Repository, listed: Collection[str]) -> None:
        """Take note of a public repository; one that is not known is a round that went public.

        ``listed``: names that repositories have now; one of no such name may have been renamed.
        """
        name = round_of(self.suite, repository.name)
        if name is None:
            return
        known = self.repositories.get(repository.name) or self._renamed(repository, listed)
        if known is None:
            known = {"seen_at": self.now.isoformat(), "baseline": self._is_first}
            self.steps.append(f"{repository.name} is {'public' if self._is_first else 'new'}")
            if not self._is_first:
                self.rounds.append(
                    PublishedRound(
                        suite=self.suite,
                        round=name,
                        repository=f"{self.github.organisation}/{repository.name}",
                        url=self.github.web(repository.name),
                    )
                )
        elif repository.pushed_at is not None and repository.pushed_at != known.get("pushed_at"):
            self.pushed.add(repository.name)
        known.update(number=repository.number, pushed_at=repository.pushed_at)
        self.repositories[repository.name] = known

    def _renamed(self, repository: Repository, listed: Collection[str]) -> dict[str, Any] | None:
        """Return what is known of a repository under a name that it no longer has: it is not a new round."""
        for name, known in self.repositories.items():
            if (
                repository.number is not None
                and known.get("number") == repository.number
                and name not in listed
            ):
                return self.repositories.pop(name)
        return None

    def _ask_for_expected(self) -> None:
        """Ask for the names that come next by themselves: a list may be old, a repository may be hidden in it."""
        if self._is_first:
            return
        names = [
            name
            for name in expected_names(self.suite, self.repositories, self.catalog)
            if not self._knows(name)
        ]
        if self._is_scarce and names:
            names = [names[self._turn % len(names)]]
        for name in names:
            found = self.github.repository(name)
            self.steps.append(f"{name}: {'not there yet' if found is None else 'there'}")
            if found is not None:
                self._saw(found, self.repositories)

    def _knows(self, name: str) -> bool:
        return name.casefold() in {known.casefold() for known in self.repositories}

    def _to_look_at(self) -> list[str]:
        """Return the repositories to look at now, the most urgent first."""
        newest = self._newest_first()
        usual, old = newest[: self.options["newest"]], newest[self.options["newest"] :]
        if self._is_scarce:
            others = usual[1:]
            at_once = others[:1] if self._is_first else others[self._turn % max(len(others), 1) :][:1]
            usual = usual[:1] + at_once
        chosen = [name for name in newest if name in self.pushed] + usual
        chosen += [name for name in newest if self.repositories[name].get("pending")]
        if not self._is_first:
            chosen += [
                name for name in newest if "looked_at" not in self.repositories[name] and self._is_new(name)
            ]
            chosen += sorted((name for name in old if self._is_due(name)), key=self._looked_at)[:1]
        return list(dict.fromkeys(chosen))

    def _newest_first(self) -> list[str]:
        return sorted(self.repositories, key=lambda name: version(self.suite, name), reverse=True)

    def _look_at_all(self, names: Sequence[str]) -> SourceError | None:
        """Look at one after the other; return the first trouble. Trouble of the whole site ends it."""
        first: SourceError | None = None
        for number, name in enumerate(names):
            failure = self._look(name)
            first = first or failure
            if failure is not None and failure.failure in _SITE_TROUBLE:
                for left in names[number + 1 :]:
                    self.repositories[left]["pending"] = True
                break
        return first

    def _is_new(self, name: str) -> bool:
        return not self.repositories[name].get("baseline")

    def _looked_at(self, name: str) -> str:
        return str(self.repositories[name].get("looked_at", ""))

    def _is_due(self, name: str) -> bool:
        """Tell whether a repository that nothing is known to have happened to is due for its weekly look."""
        at = self._looked_at(name) or self.repositories[name]["seen_at"]
        return self.now - datetime.fromisoformat(at) >= _LOOK_AGAIN_AFTER

    def _look(self, name: str) -> SourceError | None:
        """Look at one repository; return the trouble, if any, and remember that it is to be looked at again."""
        known = self.repositories[name]
        round_name = round_of(self.suite, name)
        assert round_name is not None  # noqa: S101 - only such names are kept
        looking = Looking(
            github=self.github,
            repository=name,
            suite=self.suite,
            round=round_name,
            now=self.now,
            catalog=self.catalog,
            files_left=self.options["files_per_check"] - self.fetched,
            may_rebuild=name in self._newest_first()[: self.options["newest"]],
            has_siblings_with_tables=any("table" in other for other in self.repositories.values()),
        )
        asked_whole = bool(known.pop("pending", False))
        try:
            looked = looking.look(known, conditional=not asked_whole)
        except SourceError as error:
            known["pending"] = True
            self.steps.append(f"{name}: {error}")
            return error
        self.steps.append(looked.step)
        self.fetched += looked.fetched
        self.repositories[name] = {**looked.known, "looked_at": self.now.isoformat()}
        if looked.table is not None:
            self.tables.append(looked.table)
        elif looked.unchanged:
            self.unchanged.append((self.suite, round_name))
        if looked.failure is not None:
            self.repositories[name]["pending"] = True
        return looked.failure
