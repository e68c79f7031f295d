"""Rule files → a frozen RuleSet, or a RuleError with all that is wrong in them, file and line first."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from watcher.errors import RuleError
from watcher.figures.vendor import vendors
from watcher.nearest import did_you_mean
from watcher.rules.marked import MAX_BYTES, Listing, Mapping, MarkedError, Node, read_marked
from watcher.rules.read_rule import read_rule
from watcher.rules.reader import Problem
from watcher.rules.rule import Rule, RuleSet

if TYPE_CHECKING:
    from watcher.catalog.names import Catalog

SUFFIXES = (".yaml", ".yml")


class RuleFile(Struct, frozen=True):
    """A file of rules as read; ``name`` as a person finds it."""

    name: str
    body: bytes


def load(
    paths: Path | str | Iterable[Path | str],
    catalog: Catalog,
    receivers: Collection[str] | None = None,
) -> RuleSet:
    """Read the rules of a folder, or of several folders and files.

    Every field, operator, name and receiver is checked (``receivers`` None: receivers are not). Raises RuleError;
    its text is the first problem, its ``problems`` are all of them.
    """
    return load_files(read_files(paths), catalog, receivers)


def load_files(
    files: Collection[RuleFile], catalog: Catalog, receivers: Collection[str] | None = None
) -> RuleSet:
    """Make a RuleSet of files already read. Raises RuleError."""
    rules: list[Rule] = []
    problems: list[Problem] = []
    for file in files:
        found, wrong = _rules_of(file, catalog, receivers)
        rules += found
        problems += wrong
    problems += _repeated(rules)
    if problems:
        raise _error(sorted(problems))
    ours = any(
        rule.watch == "rank" or (rule.watch == "comparison" and rule.baseline is None) for rule in rules
    )
    return RuleSet(tuple(rules), digest(files), vendors(catalog) if ours else frozenset())


def read_files(paths: Path | str | Iterable[Path | str]) -> tuple[RuleFile, ...]:
    """Read the bytes of all rule files of some folders and files, in order. Raises RuleError if one cannot be read."""
    listed = [paths] if isinstance(paths, Path | str) else list(paths)
    return tuple(_read(path) for each in listed for path in _files_of(Path(each)))


def digest(files: Iterable[RuleFile]) -> str:
    """Return a hash of the files' names and bytes: whether rules that were kept are still those of the files."""
    found = hashlib.sha256()
    for file in files:
        for part in (file.name.encode(), file.body):
            found.update(len(part).to_bytes(8, "big"))
            found.update(part)
    return found.hexdigest()


def _files_of(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(entry for entry in path.iterdir() if entry.suffix in SUFFIXES and entry.is_file())
    if not path.exists():
        raise RuleError(f"{_shown(path)}: no such file or folder of rules")
    return [path]


def _read(path: Path) -> RuleFile:
    try:
        with path.open("rb") as opened:
            return RuleFile(_shown(path), opened.read(MAX_BYTES + 1))
    except OSError as error:
        raise RuleError(f"{_shown(path)}: cannot be read: {error.strerror}") from None


def _shown(path: Path) -> str:
    """The path as a person would write it: from the working directory, if it is inside."""
    here = Path.cwd()
    return os.fspath(path.relative_to(here)) if path.is_relative_to(here) else os.fspath(path)


def _rules_of(
    file: RuleFile, catalog: Catalog, receivers: Collection[str] | None
) -> tuple[list[Rule], list[Problem]]:
    try:
        root, repeated = read_marked(_text(file))
    except MarkedError as error:
        return [], [Problem(file.name, error.line, error.message)]
    problems = [Problem(file.name, error.line, error.message) for error in repeated]
    rules: list[Rule] = []
    for number, node in enumerate(_listed(root, file, problems), 1):
        rule, wrong = read_rule(node, number, file.name, catalog, receivers)
        problems += wrong
        if rule is not None:
            rules.append(rule)
    return rules, problems


def _text(file: RuleFile) -> str:
    if len(file.body) > MAX_BYTES:
        raise MarkedError(1, f"the file is larger than {MAX_BYTES:,} bytes; split it")
    try:
        return file.body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = file.body[: error.start].count(b"\n") + 1
        raise MarkedError(line, "not UTF-8 text") from None


def _listed(root: Node | None, file: RuleFile, problems: list[Problem]) -> tuple[Node, ...]:
    """The nodes of the rules; adds what is wrong around them."""
    if not isinstance(root, Mapping):
        line = root.line if root is not None else 1
        problems.append(Problem(file.name, line, "a rule file starts with rules: and a list under it"))
        return ()
    for key, scalar in root.keys.items():
        if key != "rules":
            problems.append(
                Problem(file.name, scalar.line, f"unknown key '{key}'{did_you_mean(key, ('rules',))}")
            )
    listing = root.values.get("rules")
    if isinstance(listing, Listing):
        return listing.items
    if "rules" in root.values or not problems:
        problems.append(Problem(file.name, root.line, "rules: needs a list, each rule with a dash"))
    return ()


def _repeated(rules: Iterable[Rule]) -> list[Problem]:
    """Two rules with one id (whatever its case: ids are file names and links elsewhere)."""
    first: dict[str, Rule] = {}
    problems = []
    for rule in rules:
        other = first.setdefault(rule.id.casefold(), rule)
        if other is not rule:
            file, _, line = rule.place.rpartition(":")
            problems.append(Problem(file, int(line), f"rule '{rule.id}': this id is taken by {other.place}"))
    return problems


def _error(problems: list[Problem]) -> RuleError:
    lines = tuple(str(problem) for problem in problems)
    more = f" (and {len(lines) - 1} more: mlperf-watcher rules check)" if len(lines) > 1 else ""
    return RuleError(lines[0] + more, lines)
