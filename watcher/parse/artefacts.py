"""Results rebuilt from the artefacts in a repository's tree, where the repository has no table.

How a source uses it (no network here; it fetches, we read)::

    reader = ARTEFACTS[suite]                       # KeyError: this suite cannot be rebuilt
    paths = reader.wanted(every path of the tree)   # the few blobs that are needed; () = nothing to rebuild
    files = {path: bytes of that blob, …}           # fetch them, by commit or blob SHA
    table = reader.rebuild(files, suite=suite, round=round, repository_url=url, catalog=catalog)

``wanted`` takes any iterable of paths, relative to the root and with "/" between the parts: a whole recursive
listing, or that of one folder where a recursive listing was cut off (GitHub truncates them at 100,000 entries).
It never asks for code, accuracy logs or event files. ``rebuild`` needs no order and tolerates files that are
missing: what cannot be read becomes an Aside of the table and costs its own result only. It raises ParseError when
not one result could be rebuilt, and never returns an empty table.

Re-reading only what changed. A repository of a round has hundreds to thousands of wanted blobs, and a correction
touches one of them. So reading has two steps, and the first one's outcome is small (a power log's: some kilobytes) and may be kept::

    facts = reader.read(path, body)                 # one file → JSON values, some hundred bytes, never raises
    table = reader.assemble(kept, suite=…, …)       # all files' facts, {path: facts} → table; cheap and pure

A source keeps ``{path: [blob SHA, facts]}`` in its cursor beside ``READ_BY``, and at the next commit fetches only
wanted paths whose SHA is new, drops paths that are gone, and assembles again. Kept facts of another ``READ_BY`` are
thrown away: the parser has changed since. ``reader.submission(path)`` names the submission folder that a path
belongs to, for a source that would rather keep whole folders (a folder whose wanted (path, SHA) pairs are unchanged
has unchanged facts). ``rebuild(files, …)`` is ``assemble({path: read(path, body)})`` and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from watcher.catalog.names import Catalog
from watcher.domain import Table
from watcher.errors import ParseError
from watcher.parse import endpoints_tree, inference_tree, storage_tree, tiny_tree, training_tree

READ_BY = 1
"""Number of the reading; raised when the facts of an unchanged file would come out differently."""

Facts: TypeAlias = Mapping[str, Any]
"""What we need of one file, as JSON values; ``{"error": "…"}`` for a file that could not be read."""


class ArtefactReader(Struct, frozen=True):
    """How the results of one suite are rebuilt from its repositories; see the module for its use.

    ``wanted``: paths of a tree → paths that are needed, sorted. ``submission``: path → its submission folder.
    ``parse``: path and bytes → facts (ParseError). ``build``: facts by path → table (ParseError).
    """

    wanted: Callable[[Iterable[str]], tuple[str, ...]]
    submission: Callable[[str], str]
    parse: Callable[[str, bytes], Facts]
    build: Callable[[Mapping[str, Facts], str, str, str | None, Catalog], Table]

    def read(self, path: str, body: bytes) -> Facts:
        """Read one file; a file that cannot be read gives ``{"error": its reason}``."""
        try:
            return self.parse(path, body)
        except ParseError as error:
            return {"error": str(error)}

    def assemble(
        self,
        facts: Mapping[str, Facts],
        *,
        suite: str,
        round: str,
        repository_url: str | None,
        catalog: Catalog,
    ) -> Table:
        """Make the table of all files' facts. Raises ParseError if not one result comes out."""
        return self.build(facts, suite, round, repository_url, catalog)

    def rebuild(
        self,
        files: Mapping[str, bytes],
        *,
        suite: str,
        round: str,
        repository_url: str | None,
        catalog: Catalog,
    ) -> Table:
        """Read all files and make the table. Raises ParseError if not one result comes out."""
        facts = {path: self.read(path, body) for path, body in files.items()}
        return self.assemble(facts, suite=suite, round=round, repository_url=repository_url, catalog=catalog)


_INFERENCE = ArtefactReader(
    inference_tree.wanted, inference_tree.submission, inference_tree.parse, inference_tree.build
)
_TRAINING = ArtefactReader(
    training_tree.wanted, training_tree.submission, training_tree.parse, training_tree.build
)

ARTEFACTS: dict[str, ArtefactReader] = {
    "inference": _INFERENCE,
    "training": _TRAINING,
    "hpc": _TRAINING,
    "storage": ArtefactReader(
        storage_tree.wanted, storage_tree.submission, storage_tree.parse, storage_tree.build
    ),
    "endpoints": ArtefactReader(
        endpoints_tree.wanted, endpoints_tree.submission, endpoints_tree.parse, endpoints_tree.build
    ),
    "tiny": ArtefactReader(tiny_tree.wanted, tiny_tree.submission, tiny_tree.parse, tiny_tree.build),
}
"""By suite. Automotive and tiny v1.2 publish tables; algorithms has no numbers in its tree that we can read."""
