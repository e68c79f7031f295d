"""One SQLite file: opening, the writer's lock, transactions, backup.

WAL, foreign keys, synchronous FULL (writes are few). Every write runs in `Database.write`, an immediate
transaction. The standard library's driver does it all but for the upgrade of an older state, which is sqlite-utils'.
"""

from __future__ import annotations

import fcntl
import glob
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING

from watcher.errors import LockedError, StateError

if TYPE_CHECKING:
    from watcher.migrations import Connection

BUSY_MILLISECONDS = 10_000
NETWORK_FILE_SYSTEMS = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"})
MEMORY = ":memory:"
STEPS_OF = "watcher"  # the name of our steps in sqlite-utils' table of applied ones
_APPLIED = (  # that table, which may be there without any
    "CREATE TABLE IF NOT EXISTS _sqlite_migrations (id INTEGER PRIMARY KEY, migration_set TEXT, name TEXT, applied_at TEXT)",
    "CREATE UNIQUE INDEX IF NOT EXISTS idx__sqlite_migrations_migration_set_name ON _sqlite_migrations (migration_set, name)",
)


class Database:
    """The connection to a state file. Use one per process and thread; only one process may hold the writer's lock."""

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        """Open the file, creating it and its folder unless ``read_only``. Raises StateError with the fix."""
        self.path = str(path)
        self.read_only = read_only
        self._lock: IO[str] | None = None
        if self.path != MEMORY:
            self._check_place(Path(self.path))
        try:
            self.connection = self._connect()
        except sqlite3.Error as error:
            raise self.explained(error) from error
        try:
            self._prepare()
        except sqlite3.Error as error:
            self.connection.close()
            raise self.explained(error) from error

    def _check_place(self, path: Path) -> None:
        if self.read_only:
            if not path.exists():
                raise StateError(f"{path}: there is no state yet; run `mlperf-watcher run` or `ingest` first")
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StateError(f"{path.parent}: the folder cannot be made ({error.strerror})") from error
        kind = file_system(path.parent)
        if kind in NETWORK_FILE_SYSTEMS:
            raise StateError(f"{path}: is on a network file system ({kind}); SQLite needs a local disk")

    def _connect(self) -> sqlite3.Connection:
        if self.path == MEMORY:
            return sqlite3.connect(MEMORY, isolation_level=None)
        if not self.read_only:
            return sqlite3.connect(self.path, isolation_level=None, timeout=BUSY_MILLISECONDS / 1000)
        uri = Path(self.path).absolute().as_uri()
        writable = os.access(self.path, os.W_OK) and os.access(Path(self.path).parent, os.W_OK)
        # A file that this user cannot write has no usable shared memory; then it is read as it stands.
        return sqlite3.connect(
            f"{uri}?mode=ro" if writable else f"{uri}?immutable=1", uri=True, isolation_level=None
        )

    def _prepare(self) -> None:
        run = self.connection.execute
        run(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        run("PRAGMA foreign_keys = ON")
        if self.read_only:
            run("SELECT count(*) FROM sqlite_master")
            return
        if self.path != MEMORY:
            run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")

    def migrate(self, now: datetime) -> None:
        """Make a new state, or bring the shape up to this program's after a backup; refuse one of a newer program."""
        from watcher.migrations import STEPS  # noqa: PLC0415 - the names alone are cheap

        known = [step.__name__ for step in STEPS]
        applied = self._applied()
        newer = [name for name in applied if name not in known]
        if newer:
            raise StateError(
                f"{self.path}: was made by a newer mlperf-watcher (it has {newer[-1]!r}); "
                "upgrade the program, or restore the backup made before the upgrade"
            )
        if applied == known:
            return
        if self.read_only:
            raise StateError(
                f"{self.path}: is of an older shape; run `mlperf-watcher run` once to upgrade it"
            )
        if not applied:
            self._make(STEPS, now)
        else:
            self._upgrade(STEPS, now)

    def _upgrade(self, steps: Sequence[Callable[[Connection], None]], now: datetime) -> None:
        """Apply the steps that an older state lacks, after a backup; not while another run is at work on the shape it knows."""
        from sqlite_utils import Database as Utils  # noqa: PLC0415 - heavy, only for an upgrade
        from sqlite_utils import Migrations  # noqa: PLC0415

        todo = Migrations(STEPS_OF)
        for step in steps:
            todo()(step)
        with self._alone():
            applied = self._applied()
            if len(applied) == len(steps):  # another process was quicker
                return
            kept = self._keep_before(steps[len(applied)].__name__, now)
            # A step may write a table anew that others refer to.
            self.connection.execute("PRAGMA foreign_keys = OFF")
            try:
                todo.apply(Utils(self.connection, execute_plugins=False))
            except sqlite3.Error as error:
                if kept is not None and self._applied() == applied:
                    kept.unlink()  # the state is what it was; on a full disk, every further try would keep one more
                raise self.explained(error) from error
            finally:
                self.connection.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the writer's lock for an upgrade. Raises LockedError with what to do."""
        with ExitStack() as stack:
            try:
                stack.enter_context(self.lock())
            except LockedError as error:
                raise LockedError(
                    f"{self.path}: is of an older shape, and cannot be upgraded while another run holds {self.path}.lock; "
                    "wait for its end, or stop the older program's daemon, and run again"
                ) from error
            yield

    def _keep_before(self, step: str, now: datetime) -> Path | None:
        """Back the state up beside itself, as it was before a step; return where."""
        if self.path == MEMORY:
            return None
        state = Path(self.path)
        for left in state.parent.glob(f"{glob.escape(state.name)}.before-*.part*"):
            left.unlink(missing_ok=True)  # of an upgrade that was killed while it copied
        name = f"{self.path}.before-{step}-{now:%Y%m%dT%H%M%S}"
        places = (Path(name if number == 1 else f"{name}-{number}") for number in count(1))
        place = next(place for place in places if not place.exists())
        self.backup(place)
        return place

    def _make(self, steps: Sequence[Callable[[Connection], None]], now: datetime) -> None:
        """Give a new state its shape, noted as sqlite-utils notes what it has applied; all of it or nothing."""
        with self.write() as connection:
            if self._applied():  # another process was quicker
                return
            for statement in _APPLIED:
                connection.execute(statement)
            for step in steps:
                step(connection)
                connection.execute(
                    "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)",
                    (STEPS_OF, step.__name__, str(now)),
                )

    def _applied(self) -> list[str]:
        found = self.connection.execute(
            "SELECT 1 FROM sqlite_master WHERE name = '_sqlite_migrations'"
        ).fetchone()
        if not found:
            return []
        rows = self.connection.execute(
            "SELECT name FROM _sqlite_migrations WHERE migration_set = ? ORDER BY rowid", (STEPS_OF,)
        )
        return [row[0] for row in rows]

    def check(self) -> None:
        """Raise StateError if the file is damaged (SQLite's quick check)."""
        try:
            answer = self.connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.Error as error:
            raise self.explained(error) from error
        if answer != "ok":
            raise StateError(
                f"{self.path}: is damaged ({answer}); restore a backup (docs/deploy.md)", damaged=True
            )

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the writer's lock. Raises LockedError at once if another process holds it."""
        if self.path == MEMORY or self._lock is not None:
            yield
            return
        name = f"{self.path}.lock"
        try:
            self._lock = Path(name).open("a+", encoding="ascii")  # noqa: SIM115 - held until the lock ends
        except OSError as error:
            raise StateError(f"{name}: cannot be opened ({error.strerror})") from error
        try:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise LockedError(
                    f"another run holds {name}; this one ends without doing anything"
                ) from error
            self._lock.truncate(0)
            self._lock.write(f"{os.getpid()}\n")
            self._lock.flush()
            yield
        finally:
            self._lock.close()
            self._lock = None

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One immediate transaction: all of it is committed, or none. Raises StateError (disk full, read-only …)."""
        if self.connection.in_transaction:
            yield self.connection
            return
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            except BaseException:
                self._roll_back()
                raise
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise self.explained(error) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One read transaction: all that is read inside is of one moment, whatever another process writes meanwhile."""
        if self.connection.in_transaction:
            yield self.connection
            return
        try:
            self.connection.execute("BEGIN")
            self.connection.execute(
                "SELECT 1 FROM sqlite_master LIMIT 1"
            ).fetchone()  # the moment is the first read's
            try:
                yield self.connection
            finally:
                self._roll_back()
        except sqlite3.Error as error:
            raise self.explained(error) from error

    def _roll_back(self) -> None:
        if self.connection.in_transaction:  # an error such as a full disk may have ended it already
            self.connection.execute("ROLLBACK")

    def backup(self, target: Path) -> None:
        """Copy the state to ``target`` while it may be in use (SQLite's online backup), and check the copy."""
        if target.exists():
            raise StateError(f"{target}: is there already; name a new file")
        part = target.with_name(f"{target.name}.part")
        try:
            part.touch(mode=0o600)  # the state may hold tables under embargo
            with closing(sqlite3.connect(part, isolation_level=None)) as copy:
                self.connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, without others beside it
                answer = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
            if answer != "ok":
                raise StateError(f"{self.path}: is damaged ({answer}); its copy was not kept", damaged=True)
            part.replace(target)
        except (sqlite3.Error, OSError) as error:
            raise StateError(f"{target}: the backup could not be written ({error})") from error
        finally:
            for left in (part, part.with_name(f"{part.name}-journal")):
                left.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the connection; what was committed stays."""
        self.connection.close()

    def explained(self, error: sqlite3.Error) -> StateError:
        """Return an error of SQLite as one sentence with the fix."""
        code = getattr(error, "sqlite_errorname", "") or ""
        fixes = {
            "SQLITE_FULL": "the disk is full; free some space and run again, nothing recorded is lost",
            "SQLITE_READONLY": "cannot be written; check its owner and permissions",
            "SQLITE_CANTOPEN": "cannot be opened; check the folder, its owner and permissions",
            "SQLITE_NOTADB": "is not a state of mlperf-watcher, or is damaged; restore a backup (docs/deploy.md)",
            "SQLITE_CORRUPT": "is damaged; restore a backup (docs/deploy.md)",
            "SQLITE_BUSY": "is in use by another program that does not let go",
            "SQLITE_IOERR": "the disk reports an error, or is full",
        }
        for name, fix in fixes.items():
            if code.startswith(name):
                damaged = name in {"SQLITE_NOTADB", "SQLITE_CORRUPT"}
                return StateError(f"{self.path}: {fix}", damaged=damaged)
        return StateError(f"{self.path}: {error}")


def file_system(folder: Path) -> str:
    """Return the kind of file system that ``folder`` lies on, or "" where the system does not tell."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    target = f"{folder.resolve()}/"
    for line in mounts:
        parts = line.split()
        place = parts[1].rstrip("/") + "/"
        if target.startswith(place) and len(place) > len(best):
            best, kind = place, parts[2]
    return kind
