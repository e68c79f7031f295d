"""Pages → files: a reader never meets half a page, nor a page whose links lead nowhere.

All files are written into a folder of their own first, inside the target so that moving them is a change of name even
where the target is a mounted volume. Only when all are there do they take their places, each in one step: pages that are
linked to before those that link to them, the first page last, and then what is no longer a page goes. A run that ends
in between leaves whole pages, and the next one finishes the work. What we wrote is listed in a file, so that nothing
else is ever removed or overwritten.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from msgspec import Struct

from watcher.errors import LockedError, UsageError
from watcher.report.places import HOME

LIST = ".mlperf-watcher-report"  # the files that we wrote, a line each; also what we lock
_STAGE = ".mlperf-watcher-report.new"


class Written(Struct, frozen=True):
    """What writing changed: how many pages there are, of which were written anew, and removed; bytes in all."""

    pages: int
    changed: int
    removed: int
    bytes: int


def write(pages: Mapping[str, str], folder: Path) -> Written:
    """Write ``pages`` (path → HTML) into ``folder``; a page with the same bytes keeps its file.

    Raises UsageError for a folder with files that are not ours or cannot be written, LockedError while another run
    writes there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder) as before:
            return _write({path: text.encode() for path, text in pages.items()}, folder, before)
    except OSError as error:
        raise UsageError(f"--out: {folder} cannot be written ({error.strerror})") from error


def _write(pages: Mapping[str, bytes], folder: Path, before: frozenset[str]) -> Written:
    stage = folder / _STAGE
    shutil.rmtree(stage, ignore_errors=True)  # what a run left that was ended
    changed = [path for path, body in pages.items() if not _is(folder / path, body)]
    for path in changed:
        place = stage / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(pages[path])
    _list(folder, before | pages.keys())  # before the first file is there, so that none is ever a stranger
    for path in sorted(changed, key=lambda name: (name == HOME, -name.count("/"), name)):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        (stage / path).replace(place)
    gone = sorted(before - pages.keys())
    for path in gone:
        (folder / path).unlink(missing_ok=True)
        _remove_empty(folder, (folder / path).parent)
    shutil.rmtree(stage, ignore_errors=True)
    _list(folder, frozenset(pages))
    return Written(len(pages), len(changed), len(gone), sum(len(body) for body in pages.values()))


@contextmanager
def _alone(folder: Path) -> Iterator[frozenset[str]]:
    """Hold the folder for ourselves and hand out the list of what we wrote there earlier."""
    ours = folder / LIST
    strangers = [each.name for each in folder.iterdir() if each.name != _STAGE]
    if strangers and LIST not in strangers:
        raise UsageError(
            f"--out: {folder} holds files that are not of a report ({min(strangers)}); name a new or an empty folder"
        )
    with ours.open("a+", encoding="utf-8") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LockedError(
                f"another run writes to {folder}; this one ends without doing anything"
            ) from error
        held.seek(0)
        yield frozenset(path for path in held.read().splitlines() if _is_ours(path))


def _is_ours(path: str) -> bool:
    """Whether a line of the list is a path that a report can have; nothing outside the folder is ever touched."""
    parts = PurePosixPath(path).parts
    return (
        bool(parts) and path.endswith(".html") and ".." not in parts and not PurePosixPath(path).is_absolute()
    )


def _list(folder: Path, paths: frozenset[str]) -> None:
    """Write the list; the file stays the same one, because it is locked."""
    with (folder / LIST).open("r+", encoding="utf-8") as file:
        file.write("".join(f"{path}\n" for path in sorted(paths)))
        file.truncate()


def _is(file: Path, body: bytes) -> bool:
    try:
        return file.read_bytes() == body
    except FileNotFoundError:
        return False


def _remove_empty(folder: Path, place: Path) -> None:
    """Remove folders that hold nothing any more, up to the report's own."""
    while place != folder and place.is_relative_to(folder) and place.is_dir() and not any(place.iterdir()):
        place.rmdir()
        place = place.parent
